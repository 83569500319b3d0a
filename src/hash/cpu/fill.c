/* Fills the partitions of a bucketed table on the CPU: threads share them. */
#include <string.h>

#include "base/atomic.h"
#include "base/bits.h"
#include "base/fault.h"
#include "core/call.h"
#include "core/cpu/collectives.h"
#include "hash/cpu/bucketed.h"

/* A fill that threads share. */
struct fill_state {
    const bosc_hash *table;
    const struct bi_hash_lists *lists;
    const struct bi_hash_regions *regions; /* NULL, or the regions that hold the lists */
    bosc_hash_partition *partitions;
    bool distinct;
    uint32_t max_keys, max_buckets; /* maxima over the filled partitions */
    struct bi_hash_report *report;
    int64_t next, end; /* partitions of this part that no thread has claimed */
};

static bool is_filled(const struct fill_state *f, size_t partition)
{
    uint32_t keys = f->lists->starts[partition + 1] - f->lists->starts[partition];
    if (f->lists->in_place && keys == 0) return false;
    return f->distinct || keys <= bi_hash_max_partition_keys(f->table->shape.key_bits);
}

/* Lays out the partitions one after the other. */
static void lay_out_partitions(struct fill_state *f)
{
    uint32_t at = 0;
    for (size_t p = 0; p < bi_hash_partition_count(&f->table->shape); p++) {
        uint32_t keys = f->lists->starts[p + 1] - f->lists->starts[p];
        uint32_t buckets = f->lists->in_place ? f->partitions[p].buckets_seed >> BOSC_HASH_SEED_BITS
                                              : bi_hash_partition_buckets(f->table->shape.load_factor, keys);
        if (bi_hash_too_many_buckets(buckets)) f->report->too_large = 1;
        if (!f->lists->in_place) f->partitions[p] = (bosc_hash_partition){at, buckets << BOSC_HASH_SEED_BITS};
        at += buckets;
        if (!is_filled(f, p)) {
            if (keys) f->report->oversized = 1;
            continue;
        }
        if (keys > f->max_keys) f->max_keys = keys;
        if (buckets > f->max_buckets) f->max_buckets = buckets;
    }
    f->report->buckets = at;
}

/* Returns the begin of a partition's list. Makes a list in regions contiguous first. */
static int64_t compact_list(const struct fill_state *f, size_t partition)
{
    const struct bi_hash_regions *d = f->regions;
    if (!d) return f->lists->starts[partition];
    const size_t key = (size_t)f->table->shape.key_bytes, payload = (size_t)f->lists->payload_bytes;
    const size_t begin = partition * (size_t)d->threads * d->capacity, size = d->paired ? 2 * key : key;
    char *hashes = (char *)(uintptr_t)f->lists->hashes, *payloads = (char *)(uintptr_t)f->lists->payload;
    size_t to = begin, from = begin;
    for (int t = 0; t < d->threads; t++, from += d->capacity) {
        const size_t count = d->shares[t].positions[partition] - from;
        if (t && count) memmove(hashes + to * size, hashes + from * size, count * size);
        if (t && count && payload && !d->paired)
            memmove(payloads + to * payload, payloads + from * payload, count * payload);
        to += count;
    }
    return (int64_t)begin;
}

/* Fills partitions on one thread: claims one after the other, until a key is found to repeat. */
static void fill_partitions(bosc_ctx *ctx, struct fill_state *f, char *scratch)
{
    struct bi_hash_fill_job job = {
        .table = f->table, .lists = f->lists, .distinct = f->distinct, .paired = f->regions && f->regions->paired};
    struct bi_hash_report *r = f->report;
    job.codes = (uint32_t *)(void *)scratch;
    job.first_buckets = job.codes + (size_t)f->max_buckets * BOSC_HASH_WIDTH;
    job.capacity = f->max_keys + 1;
    job.marks = (uint8_t *)(job.first_buckets + (size_t)job.capacity * BI_HASH_FILL_WORDS);
    for (;;) {
        int64_t partition = __atomic_fetch_add(&f->next, 1, __ATOMIC_RELAXED);
        if (partition >= f->end || bi_atomic_load_u32(&r->repeats)) return;
        if (!is_filled(f, (size_t)partition)) continue;
        job.partition = (uint32_t)partition;
        job.begin = compact_list(f, (size_t)partition);
        job.keys = f->lists->starts[partition + 1] - f->lists->starts[partition];
        job.descriptor = f->partitions + partition;
        job.repeats = false;
        job.second = 0;
        BI_LEVEL_PICK(ctx->level, bi_hash_fill)(&job);
        uint32_t seed = job.descriptor->buckets_seed & BOSC_HASH_LINEAR;
        if (job.repeats) bi_atomic_or_u32(&r->repeats, 1);
        if (seed && seed != BOSC_HASH_LINEAR) __atomic_fetch_add(&r->reseeded, 1, __ATOMIC_RELAXED);
        if (seed == BOSC_HASH_LINEAR) __atomic_fetch_add(&r->linear, 1, __ATOMIC_RELAXED);
        __atomic_fetch_add(&r->extra_probes, job.second, __ATOMIC_RELAXED);
    }
}

/* Fills all partitions. each: bytes of scratch of a thread. */
static bosc_status fill_all(bosc_ctx *ctx, struct fill_state *f, int threads, size_t each)
{
    void *scratch;
    BI_TRY(bi_scratch(ctx, each * (size_t)threads, &scratch));
    double partitions = (double)bi_hash_partition_count(&f->table->shape);
    struct bi_batches p =
        bi_batches_of(ctx, (int64_t)partitions, BI_HASH_PAIR_ITEMS * (double)f->lists->n / partitions);
    while (bi_next_batch(ctx, &p)) {
        f->next = p.begin;
        f->end = p.end;
        BI_PARALLEL_FOR(threads, (static, 1), t, 0, threads,
                        fill_partitions(ctx, f, (char *)scratch + each * (size_t)t));
    }
    return p.status;
}

/* Returns the scratch of a thread, for the maximum of keys of a partition without repeats. */
static size_t bytes_of_fill(const struct fill_state *f)
{
    const struct bi_hash_shape *shape = &f->table->shape;
    int64_t most = bi_hash_max_partition_keys(shape->key_bits);
    uint32_t keys = (uint32_t)(f->lists->n < most ? f->lists->n : most), buckets;
    if (keys < f->max_keys) keys = f->max_keys;
    buckets = bi_hash_partition_buckets(shape->load_factor, keys);
    if (buckets < f->max_buckets) buckets = f->max_buckets;
    return bi_round_up((size_t)buckets * (BOSC_HASH_WIDTH * sizeof(uint32_t) + 1) +
                           ((size_t)keys + 1) * BI_HASH_FILL_WORDS * sizeof(uint32_t),
                       256);
}

static bosc_status fill_lists(bosc_ctx *ctx, struct fill_state *f)
{
    lay_out_partitions(f);
    if (f->report->too_large || (f->report->oversized && !f->distinct)) return BOSC_OK;
    size_t each = bytes_of_fill(f);
    if (bi_fault(BI_FAULT_LAUNCH)) return bi_fail(ctx, BOSC_ERR_DEVICE, "hash fill: injected fault");
    int threads = bi_thread_count(ctx, f->lists->n, BI_HASH_GRAIN);
    BI_RETURN_WITH_SCRATCH(ctx, fill_all(ctx, f, threads, each));
}

bosc_status bi_hash_fill_cpu(bosc_ctx *ctx, const bosc_hash *table, const struct bi_hash_lists *lists, bool distinct,
                             struct bi_hash_report *report)
{
    struct fill_state f = {.table = table,
                           .lists = lists,
                           .partitions = table->blocks[BI_HASH_DESCRIPTORS].data,
                           .distinct = distinct,
                           .report = report};
    return fill_lists(ctx, &f);
}

bosc_status bi_hash_fill_regions(bosc_ctx *ctx, const bosc_hash *table, const struct bi_hash_lists *lists,
                                 const struct bi_hash_regions *regions, struct bi_hash_report *report)
{
    struct fill_state f = {.table = table,
                           .lists = lists,
                           .regions = regions,
                           .partitions = table->blocks[BI_HASH_DESCRIPTORS].data,
                           .report = report};
    return fill_lists(ctx, &f);
}
