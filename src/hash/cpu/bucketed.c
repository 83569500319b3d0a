/* The bucketed layout on the CPU, partition, fill and find: threads share the pairs, the partitions, the queries. */
#include <string.h>

#include "base/atomic.h"
#include "base/bits.h"
#include "base/fault.h"
#include "core/call.h"
#include "core/cpu/collectives.h"
#include "hash/cpu/bucketed.h"

#if defined(__x86_64__)
#define PICK(ctx, name) ((ctx)->level == BOSC_CPU_V4 ? name##_v4 : (ctx)->level == BOSC_CPU_V3 ? name##_v3 : name##_v1)
#else
#define PICK(ctx, name) ((void)(ctx), name##_v1)
#endif

enum {
    GRAIN = BI_THREAD_ITEMS / 2,       /* pairs that are worth a thread */
    FIND_GRAIN = BI_THREAD_ITEMS / 16, /* queries */
    STREAMED = 8 << 20,                /* bytes of lists that bypass the caches when written */
    LEAST_FOR_A_PARTITION = 16,        /* pairs of a thread's share for each partition */
    MOST_THREADS = 256,                /* allowed for in an estimate of memory */
    WHOLE = 1 << 16                    /* pairs of a table that is built without lists, at most */
};

static size_t partition_count(const struct bi_hash_shape *s) { return (size_t)1 << s->partition_bits; }

/* Turns the counts of each thread and partition into positions, in the order (partition, thread). */
static void place(const struct bi_hash_scatter *shares, int threads, size_t partitions, uint32_t *starts)
{
    uint32_t at = 0;
    for (size_t p = 0; p < partitions; p++) {
        starts[p] = at;
        for (int t = 0; t < threads; t++) {
            uint32_t count = shares[t].positions[p];
            shares[t].positions[p] = shares[t].begins[p] = at;
            at += count;
        }
    }
    starts[partitions] = at;
}

/* Memory of the threads: positions and begins, and lines where the output streams. */
static bosc_status take_shares(bosc_ctx *ctx, const struct bi_hash_scatter *whole, int threads,
                               struct bi_hash_scatter **shares)
{
    size_t partitions = partition_count(whole->shape), lines = whole->streams ? partitions * 2 * BI_HASH_LINE : 0;
    void *memory, *words, *line_memory;
    BI_TRY(bi_scratch(ctx, (size_t)threads * sizeof **shares, &memory));
    BI_TRY(bi_scratch(ctx, (size_t)threads * partitions * 2 * sizeof(uint32_t), &words));
    BI_TRY(bi_scratch(ctx, (size_t)threads * lines, &line_memory));
    *shares = memory;
    for (int t = 0; t < threads; t++) {
        struct bi_hash_scatter *s = *shares + t;
        *s = *whole;
        s->begin = bi_chunk_begin(whole->end, threads, t);
        s->end = bi_chunk_begin(whole->end, threads, t + 1);
        s->positions = (uint32_t *)words + (size_t)t * 2 * partitions;
        s->begins = s->positions + partitions;
        s->lines = lines ? (char *)line_memory + (size_t)t * lines : NULL;
    }
    return BOSC_OK;
}

static void pass_share(void (*over)(const struct bi_hash_scatter *), struct bi_hash_scatter share, struct bi_span part)
{
    share.begin = part.begin;
    share.end = part.end;
    over(&share);
}

/* A pass of each thread over its share: in parts, between which positions and lines stay. */
static bosc_status pass(bosc_ctx *ctx, void (*over)(const struct bi_hash_scatter *),
                        const struct bi_hash_scatter *shares, int64_t n, int threads, double weight)
{
    struct bi_parts parts = bi_chunk_parts(ctx, n, threads, weight);
    while (bi_next_part(ctx, &parts)) {
        BI_PARALLEL_FOR(threads, (static), t, 0, threads,
                        pass_share(over, shares[t], bi_chunk_part(n, threads, t, &parts)));
    }
    return parts.status;
}

static bool is_payload(int32_t value_bytes) { return value_bytes == 0 || value_bytes == 4 || value_bytes == 8; }

bosc_status bi_hash_partition_cpu(bosc_ctx *ctx, const struct bi_hash_shape *shape, const void *keys,
                                  const void *values, int64_t n, struct bi_hash_lists *lists)
{
    if (bi_fault(BI_FAULT_LAUNCH)) return bi_fail(ctx, BOSC_ERR_DEVICE, "hash partition: injected fault");
    size_t partitions = partition_count(shape);
    bool rows = !is_payload(shape->value_bytes);
    int32_t payload_bytes = rows ? 4 : shape->value_bytes;
    void *hashes, *payload, *starts;
    BI_TRY(bi_scratch_of(ctx, n, shape->key_bytes, &hashes));
    BI_TRY(bi_scratch_of(ctx, n, payload_bytes, &payload));
    BI_TRY(bi_scratch(ctx, (partitions + 1) * sizeof(uint32_t), &starts));
    int64_t grain = (int64_t)partitions * LEAST_FOR_A_PARTITION;
    int threads = bi_thread_count(ctx, n, grain > GRAIN ? grain : GRAIN);
    struct bi_hash_scatter *shares, whole = {.shape = shape,
                                             .keys = keys,
                                             .values = values,
                                             .end = n,
                                             .payload_bytes = payload_bytes,
                                             .rows = rows,
                                             .streams = n * (shape->key_bytes + payload_bytes) > STREAMED,
                                             .hashes = hashes,
                                             .payload = payload};
    *lists = (struct bi_hash_lists){n, hashes, payload, payload_bytes, rows ? values : NULL, starts, false};
    BI_TRY(take_shares(ctx, &whole, threads, &shares));
    for (int t = 0; t < threads; t++) memset(shares[t].positions, 0, partitions * sizeof(uint32_t));
    BI_TRY(pass(ctx, PICK(ctx, bi_hash_count), shares, n, threads, 1));
    place(shares, threads, partitions, starts);
    return pass(ctx, PICK(ctx, bi_hash_scatter), shares, n, threads, 4);
}

/* Filling in a pair, or finding a key, takes as long as so many simple items. */
enum { PAIR_ITEMS = 8 };

/* A fill that threads share. */
struct filling {
    const bosc_hash *table;
    const struct bi_hash_lists *lists;
    bosc_hash_partition *partitions;
    bool distinct;
    uint32_t most_keys, most_buckets; /* of a partition that is filled */
    struct bi_hash_report *report;
    int64_t next, end; /* partitions of this part that no thread has taken */
};

static bool is_filled(const struct filling *f, size_t partition)
{
    uint32_t keys = f->lists->starts[partition + 1] - f->lists->starts[partition];
    if (f->lists->in_place && keys == 0) return false;
    return f->distinct || keys <= bi_hash_max_partition_keys(f->table->shape.key_bits);
}

/* Lays out the partitions one after the other. */
static void size_partitions(struct filling *f)
{
    uint32_t at = 0;
    for (size_t p = 0; p < partition_count(&f->table->shape); p++) {
        uint32_t keys = f->lists->starts[p + 1] - f->lists->starts[p];
        uint32_t buckets = f->lists->in_place ? f->partitions[p].buckets_seed >> BOSC_HASH_SEED_BITS
                                              : bi_hash_partition_buckets(f->table->shape.load, keys);
        if (bi_hash_too_many_buckets(buckets)) f->report->too_large = 1;
        if (!f->lists->in_place) f->partitions[p] = (bosc_hash_partition){at, buckets << BOSC_HASH_SEED_BITS};
        at += buckets;
        if (!is_filled(f, p)) {
            if (keys) f->report->oversized = 1;
            continue;
        }
        if (keys > f->most_keys) f->most_keys = keys;
        if (buckets > f->most_buckets) f->most_buckets = buckets;
    }
    f->report->buckets = at;
}

/* Fills partitions on one thread: the next one that no thread has taken, until a key is found to repeat. */
static void fill_partitions(bosc_ctx *ctx, struct filling *f, char *scratch)
{
    struct bi_hash_fill job = {.table = f->table, .lists = f->lists, .distinct = f->distinct};
    struct bi_hash_report *r = f->report;
    job.codes = (uint32_t *)(void *)scratch;
    job.firsts = job.codes + (size_t)f->most_buckets * BOSC_HASH_WIDTH;
    job.capacity = f->most_keys + 1;
    job.marks = (uint8_t *)(job.firsts + (size_t)job.capacity * BI_HASH_FILL_WORDS);
    for (;;) {
        int64_t partition = __atomic_fetch_add(&f->next, 1, __ATOMIC_RELAXED);
        if (partition >= f->end || bi_atomic_load_u32(&r->repeats)) return;
        if (!is_filled(f, (size_t)partition)) continue;
        job.partition = (uint32_t)partition;
        job.begin = f->lists->starts[partition];
        job.keys = f->lists->starts[partition + 1] - f->lists->starts[partition];
        job.descriptor = f->partitions + partition;
        job.repeats = false;
        job.second = 0;
        PICK(ctx, bi_hash_fill)(&job);
        uint32_t seed = job.descriptor->buckets_seed & BOSC_HASH_LINEAR;
        if (job.repeats) bi_atomic_or_u32(&r->repeats, 1);
        if (seed && seed != BOSC_HASH_LINEAR) __atomic_fetch_add(&r->reseeded, 1, __ATOMIC_RELAXED);
        if (seed == BOSC_HASH_LINEAR) __atomic_fetch_add(&r->linear, 1, __ATOMIC_RELAXED);
        __atomic_fetch_add(&r->extra_probes, job.second, __ATOMIC_RELAXED);
    }
}

/* `each`: scratch of a thread. */
static bosc_status fill_all(bosc_ctx *ctx, struct filling *f, int threads, size_t each)
{
    void *scratch;
    BI_TRY(bi_scratch(ctx, each * (size_t)threads, &scratch));
    double partitions = (double)partition_count(&f->table->shape);
    struct bi_parts p = bi_parts_of(ctx, (int64_t)partitions, PAIR_ITEMS * (double)f->lists->n / partitions);
    while (bi_next_part(ctx, &p)) {
        f->next = p.begin;
        f->end = p.end;
        BI_PARALLEL_FOR(threads, (static, 1), t, 0, threads,
                        fill_partitions(ctx, f, (char *)scratch + each * (size_t)t));
    }
    return p.status;
}

/* Scratch of a thread, for as many keys as a partition has at most without repeated ones: another seed takes no
 * more. */
static size_t bytes_of_fill(const struct filling *f)
{
    const struct bi_hash_shape *shape = &f->table->shape;
    int64_t most = bi_hash_max_partition_keys(shape->key_bits);
    uint32_t keys = (uint32_t)(f->lists->n < most ? f->lists->n : most), buckets;
    if (keys < f->most_keys) keys = f->most_keys;
    buckets = bi_hash_partition_buckets(shape->load, keys);
    if (buckets < f->most_buckets) buckets = f->most_buckets;
    return bi_round_up((size_t)buckets * (BOSC_HASH_WIDTH * sizeof(uint32_t) + 1) +
                           ((size_t)keys + 1) * BI_HASH_FILL_WORDS * sizeof(uint32_t),
                       256);
}

bosc_status bi_hash_fill_cpu(bosc_ctx *ctx, const bosc_hash *table, const struct bi_hash_lists *lists, bool distinct,
                             struct bi_hash_report *report)
{
    struct filling f = {.table = table,
                        .lists = lists,
                        .partitions = table->blocks[BI_HASH_DESCRIPTORS].data,
                        .distinct = distinct,
                        .report = report};
    size_partitions(&f);
    if (report->too_large || (report->oversized && !distinct)) return BOSC_OK;
    size_t each = bytes_of_fill(&f);
    if (bi_fault(BI_FAULT_LAUNCH)) return bi_fail(ctx, BOSC_ERR_DEVICE, "hash fill: injected fault");
    int threads = bi_thread_count(ctx, lists->n, GRAIN);
    BI_RETURN_WITH_SCRATCH(ctx, fill_all(ctx, &f, threads, each));
}

/* Scratch to build a whole table at once: hashes, counts of partitions, and what a fill takes. */
static size_t bytes_of_whole(const struct bi_hash_shape *s, int64_t n)
{
    size_t keys = (size_t)n, partitions = partition_count(s);
    size_t buckets = (size_t)bi_hash_partition_buckets(s->load, (uint32_t)n) + partitions;
    return keys * (size_t)s->key_bytes + (partitions + 1) * sizeof(uint32_t) +
           (keys + 1) * BI_HASH_FILL_WORDS * sizeof(uint32_t) + buckets * (BOSC_HASH_WIDTH * sizeof(uint32_t) + 1) +
           1024;
}

/* Hashes the keys, counts them by partition, and lays the partitions out. False: they do not suit fill_whole. */
static bool lay_out_whole(bosc_ctx *ctx, const bosc_hash *table, const void *keys, const struct bi_hash_lists *lists,
                          uint32_t *counts, struct bi_hash_report *report)
{
    bosc_hash_partition *partitions = table->blocks[BI_HASH_DESCRIPTORS].data;
    struct bi_hash_scatter count = {.shape = &table->shape,
                                    .keys = keys,
                                    .end = lists->n,
                                    .hashes = (void *)(uintptr_t)lists->hashes,
                                    .keeps = true,
                                    .positions = counts};
    const size_t number = partition_count(&table->shape);
    memset(counts, 0, number * sizeof *counts);
    PICK(ctx, bi_hash_count)(&count);
    for (size_t p = 0; p < number; p++) {
        uint32_t buckets = bi_hash_partition_buckets(table->shape.load, counts[p]);
        if (counts[p] > bi_hash_max_partition_keys(table->shape.key_bits)) return false;
        partitions[p] = (bosc_hash_partition){report->buckets, buckets << BOSC_HASH_SEED_BITS};
        report->buckets += buckets;
    }
    return true;
}

static bosc_status build_whole(bosc_ctx *ctx, const bosc_hash *table, const void *keys, const void *values, int64_t n,
                               struct bi_hash_report *found, bool *built)
{
    void *hashes, *counts, *codes, *firsts, *marks;
    BI_TRY(bi_scratch_of(ctx, n, table->shape.key_bytes, &hashes));
    BI_TRY(bi_scratch_of(ctx, (int64_t)partition_count(&table->shape), sizeof(uint32_t), &counts));
    struct bi_hash_lists lists = {
        .n = n, .hashes = hashes, .payload = values, .payload_bytes = table->shape.value_bytes};
    if (!lay_out_whole(ctx, table, keys, &lists, counts, found)) return BOSC_OK;
    BI_TRY(bi_scratch_of(ctx, found->buckets, BOSC_HASH_WIDTH * sizeof(uint32_t), &codes));
    BI_TRY(bi_scratch_of(ctx, n + 1, BI_HASH_FILL_WORDS * sizeof(uint32_t), &firsts));
    BI_TRY(bi_scratch(ctx, found->buckets, &marks));
    bosc_hash_partition whole = {0, found->buckets << BOSC_HASH_SEED_BITS};
    struct bi_hash_fill job = {.table = table,
                               .lists = &lists,
                               .keys = (uint32_t)n,
                               .descriptor = &whole,
                               .codes = codes,
                               .firsts = firsts,
                               .capacity = (uint32_t)n + 1,
                               .marks = marks};
    PICK(ctx, bi_hash_fill_whole)(&job);
    *built = !job.failed;
    found->repeats = job.repeats;
    found->extra_probes = job.second;
    return BOSC_OK;
}

/* Tables of one thread that fit in its caches are filled at once, without lists. */
bosc_status bi_hash_build_cpu(bosc_ctx *ctx, const bosc_hash *table, const void *keys, const void *values, int64_t n,
                              struct bi_hash_report *found, bool *built)
{
    *built = false;
    memset(found, 0, sizeof *found);
    if (n == 0 || n > WHOLE || !is_payload(table->shape.value_bytes) || bi_thread_count(ctx, n, GRAIN) > 1)
        return BOSC_OK;
    if (bi_fault(BI_FAULT_LAUNCH)) return bi_fail(ctx, BOSC_ERR_DEVICE, "hash build: injected fault");
    struct bi_parts p = bi_parts_of(ctx, 1, (5 + PAIR_ITEMS) * (double)n);
    while (bi_next_part(ctx, &p)) BI_TRY_WITH_SCRATCH(ctx, build_whole(ctx, table, keys, values, n, found, built));
    return p.status;
}

bosc_status bi_hash_find_cpu(bosc_ctx *ctx, const bosc_hash *table, const void *queries, int64_t query_count,
                             void *values, uint8_t *found)
{
    if (bi_fault(BI_FAULT_LAUNCH)) return bi_fail(ctx, BOSC_ERR_DEVICE, "hash find: injected fault");
    struct bi_parts p = bi_parts_of(ctx, query_count, PAIR_ITEMS);
    while (bi_next_part(ctx, &p)) {
        int64_t count = p.end - p.begin;
        int threads = bi_thread_count(ctx, count, FIND_GRAIN);
        BI_PARALLEL_FOR(threads, (static), t, 0, threads,
                        PICK(ctx, bi_hash_find)(table, queries, p.begin + bi_chunk_begin(count, threads, t),
                                                p.begin + bi_chunk_begin(count, threads, t + 1), values, found));
    }
    return p.status;
}

/* An upper bound whatever the number of threads; partitions that are not oversized. */
size_t bi_hash_build_bytes_cpu(const bosc_ctx *ctx, const struct bi_hash_shape *s, int64_t n)
{
    (void)ctx;
    size_t partitions = partition_count(s), payload = is_payload(s->value_bytes) ? (size_t)s->value_bytes : 4;
    size_t threads = (size_t)n / GRAIN + 1, max_keys = bi_hash_max_partition_keys(s->key_bits);
    size_t each_partition =
        (max_keys + 1) * BI_HASH_FILL_WORDS * sizeof(uint32_t) +
        (bi_hash_partition_buckets(s->load, (uint32_t)max_keys) + 1) * (BOSC_HASH_WIDTH * sizeof(uint32_t) + 1);
    size_t each_share = sizeof(struct bi_hash_scatter) + partitions * (2 * sizeof(uint32_t) + 2 * BI_HASH_LINE);
    if (threads > MOST_THREADS) threads = MOST_THREADS;
    size_t lists = (size_t)n * ((size_t)s->key_bytes + payload) + partitions * sizeof(uint32_t) +
                   threads * (each_partition + each_share + 1024) + 4096;
    size_t whole = n <= WHOLE ? bytes_of_whole(s, n) : 0;
    return lists > whole ? lists : whole;
}
