/* The bucketed layout on the CPU: partition, fill, build and find. Threads share the pairs, the partitions and the
 * queries. Two forms of a build: pairs are partitioned into regions of fixed capacity in one pass (build_in_regions),
 * or counted and then scattered (bi_hash_partition_cpu). Either way threads then fill the partitions. */
#include <math.h>
#include <string.h>

#include "base/atomic.h"
#include "base/bits.h"
#include "base/fault.h"
#include "core/call.h"
#include "core/cpu/collectives.h"
#include "hash/cpu/bucketed.h"
#include "hash/cpu/key_range.h"
#include "hash/cpu/ordered.h"

enum {
    FIND_GRAIN = BI_THREAD_ITEMS / 8, /* queries; measured: of 2^12 two threads, which slept, take longer than one */
    /* Lists of more bytes are written past the caches. Measured: below, a pair takes 0.7 to 2.5 ns more so. */
    STREAMED = 8 << 20,
    MIN_PARTITION_SHARE = 16,  /* least pairs of a thread for each partition; not measured */
    MIN_REGION_SHARE = 128,    /* the same for a build in regions; not measured */
    MAX_REGION_PAIRS = 1 << 21 /* of more pairs lists stream; measured there: 6.7 ns a pair, streamed 9.5 */
};

/* Turns the counts of each thread and partition into positions, in the order (partition, thread). */
static void assign_positions(const struct bi_hash_share *shares, int threads, size_t partitions, uint32_t *starts)
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

/* Allocates the threads' shares: positions, begins, and write-combining lines if the output streams. */
static bosc_status allocate_shares(bosc_ctx *ctx, const struct bi_hash_share *whole, int threads,
                                   struct bi_hash_share **shares)
{
    size_t partitions = bi_hash_partition_count(whole->shape),
           lines = whole->streams ? partitions * 2 * BI_HASH_LINE : 0;
    void *memory, *words, *line_memory;
    BI_TRY(bi_scratch(ctx, (size_t)threads * sizeof **shares, &memory));
    BI_TRY(bi_scratch(ctx, (size_t)threads * partitions * 2 * sizeof(uint32_t), &words));
    BI_TRY(bi_scratch(ctx, (size_t)threads * lines, &line_memory));
    *shares = memory;
    for (int t = 0; t < threads; t++) {
        struct bi_hash_share *s = *shares + t;
        *s = *whole;
        s->begin = bi_chunk_begin(whole->end, threads, t);
        s->end = bi_chunk_begin(whole->end, threads, t + 1);
        s->positions = (uint32_t *)words + (size_t)t * 2 * partitions;
        s->begins = s->positions + partitions;
        s->lines = lines ? (char *)line_memory + (size_t)t * lines : NULL;
    }
    return BOSC_OK;
}

static void run_share(void (*over)(const struct bi_hash_share *), struct bi_hash_share share, struct bi_span part)
{
    share.begin = part.begin;
    share.end = part.end;
    over(&share);
}

/* Runs a pass: each thread over its share. The pass is cut into parts for progress; positions and lines persist
 * between them. */
static bosc_status run_pass(bosc_ctx *ctx, void (*over)(const struct bi_hash_share *),
                            const struct bi_hash_share *shares, int64_t n, int threads, double weight)
{
    struct bi_batches parts = bi_chunk_batches(ctx, n, threads, weight);
    while (bi_next_batch(ctx, &parts)) {
        BI_PARALLEL_FOR(threads, (static), t, 0, threads,
                        run_share(over, shares[t], bi_batch_of_chunk(n, threads, t, &parts)));
    }
    return parts.status;
}

/* Returns the payload bytes of a pair in a list: its value, or the number of its row. */
static int32_t payload_of(const struct bi_hash_shape *s)
{
    return bi_hash_fits_payload(s->value_bytes) ? s->value_bytes : 4;
}

/* Describes all pairs as one share and allocates its lists, with a capacity of `room` pairs. paired: each hash side
 * by side with its payload. */
static bosc_status allocate_lists(bosc_ctx *ctx, const struct bi_hash_shape *shape, const void *keys,
                                  const void *values, int64_t n, int64_t room, bool paired, struct bi_hash_share *whole)
{
    *whole = (struct bi_hash_share){.shape = shape,
                                    .keys = keys,
                                    .values = values,
                                    .end = n,
                                    .payload_bytes = payload_of(shape),
                                    .rows = !bi_hash_fits_payload(shape->value_bytes)};
    BI_TRY(bi_scratch_of(ctx, room, (size_t)shape->key_bytes << paired, &whole->hashes));
    return bi_scratch_of(ctx, paired ? 0 : room, whole->payload_bytes, &whole->payload);
}

static struct bi_hash_lists lists_of(const struct bi_hash_share *whole, const void *starts)
{
    return (struct bi_hash_lists){.n = whole->end,
                                  .hashes = whole->hashes,
                                  .payload = whole->payload,
                                  .payload_bytes = whole->payload_bytes,
                                  .values = whole->rows ? whole->values : NULL,
                                  .starts = starts};
}

bosc_status bi_hash_partition_cpu(bosc_ctx *ctx, const struct bi_hash_shape *shape, const void *keys,
                                  const void *values, int64_t n, struct bi_hash_lists *lists)
{
    if (bi_fault(BI_FAULT_LAUNCH)) return bi_fail(ctx, BOSC_ERR_DEVICE, "hash partition: injected fault");
    size_t partitions = bi_hash_partition_count(shape);
    struct bi_hash_share *shares, whole;
    void *starts;
    BI_TRY(allocate_lists(ctx, shape, keys, values, n, n, false, &whole));
    BI_TRY(bi_scratch(ctx, (partitions + 1) * sizeof(uint32_t), &starts));
    int64_t grain = (int64_t)partitions * MIN_PARTITION_SHARE;
    int threads = bi_thread_count(ctx, n, grain > BI_HASH_GRAIN ? grain : BI_HASH_GRAIN);
    whole.streams = n * (shape->key_bytes + whole.payload_bytes) > STREAMED;
    *lists = lists_of(&whole, starts);
    BI_TRY(allocate_shares(ctx, &whole, threads, &shares));
    for (int t = 0; t < threads; t++) memset(shares[t].positions, 0, partitions * sizeof(uint32_t));
    BI_TRY(run_pass(ctx, BI_LEVEL_PICK(ctx->level, bi_hash_count), shares, n, threads, 1));
    assign_positions(shares, threads, partitions, starts);
    return run_pass(ctx, BI_LEVEL_PICK(ctx->level, bi_hash_scatter), shares, n, threads, 4);
}

/* Returns the capacity of a thread's region of a partition: the mean, six standard deviations, and a minimum. */
static uint32_t region_capacity(const struct bi_hash_shape *s, int64_t n, int threads)
{
    const double mean = (double)(n / threads + 1) / (double)bi_hash_partition_count(s);
    return (uint32_t)(mean + 6 * sqrt(mean)) + MIN_PARTITION_SHARE;
}

static int64_t bytes_of_pair(const struct bi_hash_shape *s) { return s->key_bytes + payload_of(s); }

/* True if n pairs give each of the threads' regions enough pairs. */
static bool suits_regions(const struct bi_hash_shape *s, int64_t n, int threads)
{
    return n <= MAX_REGION_PAIRS && n >= (int64_t)bi_hash_partition_count(s) * MIN_REGION_SHARE * threads;
}

/* Returns a bound of the pairs in all regions for any number of threads; it grows with n. The square roots of c means
 * have a sum of at most sqrt(pairs c). */
static size_t max_region_pairs(const struct bi_hash_shape *s, int64_t n)
{
    const double pairs = (double)(n < MAX_REGION_PAIRS ? n : MAX_REGION_PAIRS);
    const double threads = pairs / BI_HASH_GRAIN + 1, regions = threads * (double)bi_hash_partition_count(s);
    const double allowed = pairs / MIN_REGION_SHARE, cells = regions < allowed ? regions : allowed;
    return (size_t)(pairs + 6 * sqrt(pairs * cells) + (MIN_PARTITION_SHARE + 4) * cells);
}

/* Lays the regions out: `positions` are their begins, and `begins` their limits. */
static void lay_out_regions(const struct bi_hash_share *shares, const struct bi_hash_regions *d, size_t partitions)
{
    uint32_t at = 0;
    for (size_t p = 0; p < partitions; p++) {
        for (int t = 0; t < d->threads; t++) {
            shares[t].positions[p] = at;
            shares[t].begins[p] = at += d->capacity;
        }
    }
}

/* Computes the starts of lists as if they were contiguous. Returns false if a region was too small. */
static bool count_regions(const struct bi_hash_regions *d, size_t partitions, uint32_t *starts)
{
    uint32_t at = 0, from = 0;
    bool full = false;
    for (size_t p = 0; p < partitions; p++) {
        starts[p] = at;
        for (int t = 0; t < d->threads; t++, from += d->capacity) {
            at += d->shares[t].positions[p] - from;
            full |= d->shares[t].positions[p] > from + d->capacity;
        }
    }
    starts[partitions] = at;
    return !full;
}

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

static bosc_status fill_regions(bosc_ctx *ctx, const bosc_hash *table, const struct bi_hash_lists *lists,
                                const struct bi_hash_regions *regions, struct bi_hash_report *report)
{
    struct fill_state f = {.table = table,
                           .lists = lists,
                           .regions = regions,
                           .partitions = table->blocks[BI_HASH_DESCRIPTORS].data,
                           .report = report};
    return fill_lists(ctx, &f);
}

static bosc_status build_in_regions(bosc_ctx *ctx, const bosc_hash *table, const void *keys, const void *values,
                                    int64_t n, int threads, struct bi_hash_report *found, enum bi_hash_outcome *outcome)
{
    /* 1. Allocate a region for each thread and partition. */
    const struct bi_hash_shape *shape = &table->shape;
    const size_t partitions = bi_hash_partition_count(shape);
    const bool paired = payload_of(shape) == shape->key_bytes;
    struct bi_hash_regions regions = {
        .threads = threads, .capacity = region_capacity(shape, n, threads), .paired = paired};
    const int64_t room = (int64_t)partitions * threads * regions.capacity;
    struct bi_hash_share *shares, whole;
    void *starts;
    BI_TRY(allocate_lists(ctx, shape, keys, values, n, room, paired, &whole));
    BI_TRY(bi_scratch(ctx, (partitions + 1) * sizeof(uint32_t), &starts));
    const struct bi_hash_lists lists = lists_of(&whole, starts);
    BI_TRY(allocate_shares(ctx, &whole, threads, &shares));
    regions.shares = shares;
    lay_out_regions(shares, &regions, partitions);
    /* 2. Scatter the pairs; if a region overflows, give up, so that the driver partitions with counts. */
    BI_TRY(run_pass(ctx, BI_LEVEL_PICK(ctx->level, bi_hash_scatter_regions), shares, n, threads, 5));
    if (!count_regions(&regions, partitions, starts)) return BOSC_OK;
    *outcome = BI_HASH_BUILT;
    return fill_regions(ctx, table, &lists, &regions, found);
}

/* Chooses the form of the build. *outcome stays UNFINISHED for the sizes that partition and fill take. */
bosc_status bi_hash_build_cpu(bosc_ctx *ctx, const bosc_hash *table, const void *keys, const void *values, int64_t n,
                              struct bi_hash_report *found, enum bi_hash_outcome *outcome)
{
    *outcome = BI_HASH_UNFINISHED;
    memset(found, 0, sizeof *found);
    const int threads = bi_thread_count(ctx, n, BI_HASH_GRAIN);
    if (table->opts.layout != BOSC_HASH_BUCKETED)
        return bi_hash_build_ordered_cpu(ctx, table, keys, values, n, found, outcome);
    if (n == 0) return BOSC_OK;
    if (bi_fault(BI_FAULT_LAUNCH)) return bi_fail(ctx, BOSC_ERR_DEVICE, "hash build: injected fault");
    if (suits_regions(&table->shape, n, threads))
        BI_TRY_WITH_SCRATCH(ctx, build_in_regions(ctx, table, keys, values, n, threads, found, outcome));
    return BOSC_OK;
}

/* Looks up the queries that may be in the range of the table's keys. */
static void find_runs(const bosc_ctx *ctx, const bosc_hash *table, const struct bi_hash_ranged_queries *q,
                      int64_t begin, int64_t end)
{
    int64_t run_end = end;
    for (; BI_LEVEL_PICK(ctx->level, bi_hash_next_run)(q, &begin, end, &run_end); begin = run_end)
        BI_LEVEL_PICK(ctx->level, bi_hash_find)(table, q->queries, begin, run_end, q->values, q->found);
}

bosc_status bi_hash_find_cpu(bosc_ctx *ctx, const bosc_hash *table, const void *queries, int64_t query_count,
                             void *values, uint8_t *found)
{
    if (bi_fault(BI_FAULT_LAUNCH)) return bi_fail(ctx, BOSC_ERR_DEVICE, "hash find: injected fault");
    const struct bi_hash_ranged_queries q = {table->key_range,         queries, table->shape.key_bits,
                                             table->shape.value_bytes, values,  found};
    struct bi_batches p = bi_batches_of(ctx, query_count, BI_HASH_PAIR_ITEMS);
    while (bi_next_batch(ctx, &p)) {
        int64_t count = p.end - p.begin;
        int threads = bi_thread_count(ctx, count, FIND_GRAIN);
        BI_PARALLEL_FOR(threads, (static), t, 0, threads,
                        find_runs(ctx, table, &q, p.begin + bi_chunk_begin(count, threads, t),
                                  p.begin + bi_chunk_begin(count, threads, t + 1)));
    }
    return p.status;
}

/* Returns an upper bound for the context's threads, without oversized partitions. */
size_t bi_hash_build_bytes_cpu(const bosc_ctx *ctx, const struct bi_hash_shape *s, int64_t n)
{
    size_t partitions = bi_hash_partition_count(s), max_keys = bi_hash_max_partition_keys(s->key_bits);
    size_t most = (size_t)n / BI_HASH_GRAIN + 1, threads = (size_t)ctx->max_threads;
    size_t each_partition =
        (max_keys + 1) * BI_HASH_FILL_WORDS * sizeof(uint32_t) +
        (bi_hash_partition_buckets(s->load_factor, (uint32_t)max_keys) + 1) * (BOSC_HASH_WIDTH * sizeof(uint32_t) + 1);
    size_t each_share = sizeof(struct bi_hash_share) + partitions * (2 * sizeof(uint32_t) + 2 * BI_HASH_LINE);
    if (threads > most) threads = most;
    size_t room = max_region_pairs(s, n), pairs = room > (size_t)n ? room : (size_t)n;
    return pairs * (size_t)bytes_of_pair(s) + partitions * sizeof(uint32_t) +
           threads * (each_partition + each_share + 1024) + 4096;
}
