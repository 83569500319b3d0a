/* The bucketed layout on the CPU: partition, build and find. Threads share the pairs and the queries. Three forms of
 * a build: a small table is matched as a whole (build_whole), a larger one is partitioned into regions of fixed
 * capacity in one pass (build_in_regions), others are counted and then scattered (bi_hash_partition_cpu). */
#include <math.h>
#include <string.h>

#include "base/fault.h"
#include "core/call.h"
#include "core/cpu/collectives.h"
#include "hash/cpu/bucketed.h"
#include "hash/cpu/ordered.h"

enum {
    FIND_GRAIN = BI_THREAD_ITEMS / 8, /* queries */
    STREAMED = 8 << 20,               /* lists of more bytes are written past the caches; chosen */
    MIN_PARTITION_SHARE = 16,         /* a thread gets at least this many pairs for each partition; chosen */
    MIN_REGION_SHARE = 128,           /* the same for a build in regions; chosen */
    MAX_REGION_PAIRS = 1 << 21,       /* of more pairs lists stream, so they are counted first (docs/design/hash.md) */
    MAX_ESTIMATED_THREADS = 256,      /* assumed by the estimate of memory */
    MAX_WHOLE_TABLE = 1 << 14         /* of more pairs lists are made first (docs/design/hash.md) */
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

static bool is_payload(int32_t value_bytes) { return value_bytes == 0 || value_bytes == 4 || value_bytes == 8; }

/* Returns the payload bytes of a pair in a list: its value, or the number of its row. */
static int32_t payload_of(const struct bi_hash_shape *s) { return is_payload(s->value_bytes) ? s->value_bytes : 4; }

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
                                    .rows = !is_payload(shape->value_bytes)};
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

static bosc_status build_in_regions(bosc_ctx *ctx, const bosc_hash *table, const void *keys, const void *values,
                                    int64_t n, int threads, struct bi_hash_report *found, bool *built)
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
    *built = true;
    return bi_hash_fill_regions(ctx, table, &lists, &regions, found);
}

/* Returns the scratch of build_whole: hashes, counts of partitions, and a fill. */
static size_t bytes_of_whole(const struct bi_hash_shape *s, int64_t n)
{
    size_t keys = (size_t)n, partitions = bi_hash_partition_count(s);
    size_t buckets = (size_t)bi_hash_partition_buckets(s->load_factor, (uint32_t)n) + partitions;
    return keys * 2 * (size_t)s->key_bytes + (partitions + 1) * sizeof(uint32_t) +
           (keys + 1) * BI_HASH_FILL_WORDS * sizeof(uint32_t) + buckets * (BOSC_HASH_WIDTH * sizeof(uint32_t) + 1) +
           1024;
}

/* Hashes the keys, counts them by partition, and lays the partitions out. Returns false if one is oversized. */
static bool lay_out_whole(bosc_ctx *ctx, const bosc_hash *table, const void *keys, const void *values, bool paired,
                          const struct bi_hash_lists *lists, uint32_t *counts, struct bi_hash_report *report)
{
    bosc_hash_partition *partitions = table->blocks[BI_HASH_DESCRIPTORS].data;
    struct bi_hash_share count = {.shape = &table->shape,
                                  .keys = keys,
                                  .values = values,
                                  .end = lists->n,
                                  .hashes = (void *)(uintptr_t)lists->hashes,
                                  .stores_hashes = true,
                                  .paired = paired,
                                  .positions = counts};
    const size_t number = bi_hash_partition_count(&table->shape);
    memset(counts, 0, number * sizeof *counts);
    BI_LEVEL_PICK(ctx->level, bi_hash_count)(&count);
    for (size_t p = 0; p < number; p++) {
        uint32_t buckets = bi_hash_partition_buckets(table->shape.load_factor, counts[p]);
        if (counts[p] > bi_hash_max_partition_keys(table->shape.key_bits)) return false;
        partitions[p] = (bosc_hash_partition){report->buckets, buckets << BOSC_HASH_SEED_BITS};
        report->buckets += buckets;
    }
    return true;
}

static bosc_status build_whole(bosc_ctx *ctx, const bosc_hash *table, const void *keys, const void *values, int64_t n,
                               struct bi_hash_report *found, bool *built)
{
    /* 1. Hash the keys, in the order of the input, and lay the partitions out. */
    void *hashes, *counts, *codes, *first_buckets, *marks;
    const bool paired = table->shape.value_bytes == table->shape.key_bytes;
    BI_TRY(bi_scratch_of(ctx, n, (size_t)table->shape.key_bytes << paired, &hashes));
    BI_TRY(bi_scratch_of(ctx, (int64_t)bi_hash_partition_count(&table->shape), sizeof(uint32_t), &counts));
    struct bi_hash_lists lists = {
        .n = n, .hashes = hashes, .payload = values, .payload_bytes = table->shape.value_bytes};
    if (!lay_out_whole(ctx, table, keys, values, paired, &lists, counts, found)) return BOSC_OK;
    /* 2. Match all keys with all buckets, as if the table were one partition. */
    BI_TRY(bi_scratch_of(ctx, found->buckets, BOSC_HASH_WIDTH * sizeof(uint32_t), &codes));
    BI_TRY(bi_scratch_of(ctx, n + 1, BI_HASH_FILL_WORDS * sizeof(uint32_t), &first_buckets));
    BI_TRY(bi_scratch(ctx, found->buckets, &marks));
    bosc_hash_partition whole = {0, found->buckets << BOSC_HASH_SEED_BITS};
    struct bi_hash_fill_job job = {.table = table,
                                   .lists = &lists,
                                   .paired = paired,
                                   .keys = (uint32_t)n,
                                   .descriptor = &whole,
                                   .codes = codes,
                                   .first_buckets = first_buckets,
                                   .capacity = (uint32_t)n + 1,
                                   .marks = marks};
    BI_LEVEL_PICK(ctx->level, bi_hash_fill_whole)(&job);
    *built = !job.failed;
    found->repeats = job.repeats;
    found->extra_probes = job.second;
    return BOSC_OK;
}

/* Chooses the form of the build. *built stays false for the sizes that partition and fill take. */
bosc_status bi_hash_build_cpu(bosc_ctx *ctx, const bosc_hash *table, const void *keys, const void *values, int64_t n,
                              struct bi_hash_report *found, bool *built)
{
    *built = false;
    memset(found, 0, sizeof *found);
    const int threads = bi_thread_count(ctx, n, BI_HASH_GRAIN);
    if (table->opts.layout != BOSC_HASH_BUCKETED)
        return bi_hash_build_ordered_cpu(ctx, table, keys, values, n, found, built);
    if (n == 0) return BOSC_OK;
    if (bi_fault(BI_FAULT_LAUNCH)) return bi_fail(ctx, BOSC_ERR_DEVICE, "hash build: injected fault");
    if (n > MAX_WHOLE_TABLE || !is_payload(table->shape.value_bytes) || threads > 1) {
        if (suits_regions(&table->shape, n, threads))
            BI_TRY_WITH_SCRATCH(ctx, build_in_regions(ctx, table, keys, values, n, threads, found, built));
        return BOSC_OK;
    }
    struct bi_batches p = bi_batches_of(ctx, 1, (5 + BI_HASH_PAIR_ITEMS) * (double)n);
    while (bi_next_batch(ctx, &p)) BI_TRY_WITH_SCRATCH(ctx, build_whole(ctx, table, keys, values, n, found, built));
    return p.status;
}

bosc_status bi_hash_find_cpu(bosc_ctx *ctx, const bosc_hash *table, const void *queries, int64_t query_count,
                             void *values, uint8_t *found)
{
    if (bi_fault(BI_FAULT_LAUNCH)) return bi_fail(ctx, BOSC_ERR_DEVICE, "hash find: injected fault");
    struct bi_batches p = bi_batches_of(ctx, query_count, BI_HASH_PAIR_ITEMS);
    while (bi_next_batch(ctx, &p)) {
        int64_t count = p.end - p.begin;
        int threads = bi_thread_count(ctx, count, FIND_GRAIN);
        BI_PARALLEL_FOR(
            threads, (static), t, 0, threads,
            BI_LEVEL_PICK(ctx->level, bi_hash_find)(table, queries, p.begin + bi_chunk_begin(count, threads, t),
                                                    p.begin + bi_chunk_begin(count, threads, t + 1), values, found));
    }
    return p.status;
}

/* Returns an upper bound for any number of threads, without oversized partitions. */
size_t bi_hash_build_bytes_cpu(const bosc_ctx *ctx, const struct bi_hash_shape *s, int64_t n)
{
    (void)ctx;
    size_t partitions = bi_hash_partition_count(s);
    size_t threads = (size_t)n / BI_HASH_GRAIN + 1, max_keys = bi_hash_max_partition_keys(s->key_bits);
    size_t each_partition =
        (max_keys + 1) * BI_HASH_FILL_WORDS * sizeof(uint32_t) +
        (bi_hash_partition_buckets(s->load_factor, (uint32_t)max_keys) + 1) * (BOSC_HASH_WIDTH * sizeof(uint32_t) + 1);
    size_t each_share = sizeof(struct bi_hash_share) + partitions * (2 * sizeof(uint32_t) + 2 * BI_HASH_LINE);
    if (threads > MAX_ESTIMATED_THREADS) threads = MAX_ESTIMATED_THREADS;
    size_t room = max_region_pairs(s, n), pairs = room > (size_t)n ? room : (size_t)n;
    size_t lists = pairs * (size_t)bytes_of_pair(s) + partitions * sizeof(uint32_t) +
                   threads * (each_partition + each_share + 1024) + 4096;
    size_t whole = bytes_of_whole(s, n < MAX_WHOLE_TABLE ? n : MAX_WHOLE_TABLE);
    return lists > whole ? lists : whole;
}
