/* The bucketed layout on the CPU, partition, build and find: threads share the pairs and the queries. */
#include <math.h>
#include <string.h>

#include "base/fault.h"
#include "core/call.h"
#include "core/cpu/collectives.h"
#include "hash/cpu/bucketed.h"
#include "hash/cpu/ordered.h"

enum {
    FIND_GRAIN = BI_THREAD_ITEMS / 8, /* queries */
    STREAMED = 8 << 20,               /* bytes of lists that bypass the caches when written */
    LEAST_FOR_A_PARTITION = 16,       /* pairs of a thread's share for each partition */
    LEAST_DEALT = 128,                /* the same, where they are dealt */
    DEALT = 1 << 21,                  /* pairs that are dealt, at most: more are counted, and their lists stream */
    MOST_THREADS = 256,               /* allowed for in an estimate of memory */
    WHOLE = 1 << 14                   /* pairs of a table that is built without lists, at most */
};

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
    size_t partitions = bi_hash_partition_count(whole->shape),
           lines = whole->streams ? partitions * 2 * BI_HASH_LINE : 0;
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

/* Of a pair in a list: its value, or the number of its row. */
static int32_t payload_of(const struct bi_hash_shape *s) { return is_payload(s->value_bytes) ? s->value_bytes : 4; }

/* The pairs as one share, which go to lists with room for so many. paired: side by side with their payload. */
static bosc_status take_lists(bosc_ctx *ctx, const struct bi_hash_shape *shape, const void *keys, const void *values,
                              int64_t n, int64_t room, bool paired, struct bi_hash_scatter *whole)
{
    *whole = (struct bi_hash_scatter){.shape = shape,
                                      .keys = keys,
                                      .values = values,
                                      .end = n,
                                      .payload_bytes = payload_of(shape),
                                      .rows = !is_payload(shape->value_bytes)};
    BI_TRY(bi_scratch_of(ctx, room, (size_t)shape->key_bytes << paired, &whole->hashes));
    return bi_scratch_of(ctx, paired ? 0 : room, whole->payload_bytes, &whole->payload);
}

static struct bi_hash_lists lists_of(const struct bi_hash_scatter *whole, const void *starts)
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
    struct bi_hash_scatter *shares, whole;
    void *starts;
    BI_TRY(take_lists(ctx, shape, keys, values, n, n, false, &whole));
    BI_TRY(bi_scratch(ctx, (partitions + 1) * sizeof(uint32_t), &starts));
    int64_t grain = (int64_t)partitions * LEAST_FOR_A_PARTITION;
    int threads = bi_thread_count(ctx, n, grain > BI_HASH_GRAIN ? grain : BI_HASH_GRAIN);
    whole.streams = n * (shape->key_bytes + whole.payload_bytes) > STREAMED;
    *lists = lists_of(&whole, starts);
    BI_TRY(take_shares(ctx, &whole, threads, &shares));
    for (int t = 0; t < threads; t++) memset(shares[t].positions, 0, partitions * sizeof(uint32_t));
    BI_TRY(pass(ctx, BI_LEVEL_PICK(ctx->level, bi_hash_count), shares, n, threads, 1));
    place(shares, threads, partitions, starts);
    return pass(ctx, BI_LEVEL_PICK(ctx->level, bi_hash_scatter), shares, n, threads, 4);
}

/* Room for the pairs of a thread and partition: so many on average, and what chance adds (six standard deviations). */
static uint32_t region_capacity(const struct bi_hash_shape *s, int64_t n, int threads)
{
    const double mean = (double)(n / threads + 1) / (double)bi_hash_partition_count(s);
    return (uint32_t)(mean + 6 * sqrt(mean)) + LEAST_FOR_A_PARTITION;
}

static int64_t bytes_of_pair(const struct bi_hash_shape *s) { return s->key_bytes + payload_of(s); }

/* Whether so many threads deal n pairs. */
static bool suits_dealing(const struct bi_hash_shape *s, int64_t n, int threads)
{
    return n <= DEALT && n >= (int64_t)bi_hash_partition_count(s) * LEAST_DEALT * threads;
}

/* Room for pairs that are dealt, whatever the number of threads; it grows with n. */
static size_t most_room(const struct bi_hash_shape *s, int64_t n)
{
    const double pairs = (double)(n < DEALT ? n : DEALT);
    const double threads = pairs / BI_HASH_GRAIN + 1, regions = threads * (double)bi_hash_partition_count(s);
    const double least = pairs / LEAST_DEALT, cells = regions < least ? regions : least;
    return (size_t)(pairs + 6 * sqrt(pairs * cells) + (LEAST_FOR_A_PARTITION + 4) * cells);
}

static void lay_out_regions(const struct bi_hash_scatter *shares, const struct bi_hash_dealt *d, size_t partitions)
{
    uint32_t at = 0;
    for (size_t p = 0; p < partitions; p++) {
        for (int t = 0; t < d->threads; t++) {
            shares[t].positions[p] = at;
            shares[t].begins[p] = at += d->capacity;
        }
    }
}

/* The starts of lists as if these followed each other. False: a region was full. */
static bool count_dealt(const struct bi_hash_dealt *d, size_t partitions, uint32_t *starts)
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

static bosc_status build_dealt(bosc_ctx *ctx, const bosc_hash *table, const void *keys, const void *values, int64_t n,
                               int threads, struct bi_hash_report *found, bool *built)
{
    const struct bi_hash_shape *shape = &table->shape;
    const size_t partitions = bi_hash_partition_count(shape);
    const bool paired = payload_of(shape) == shape->key_bytes;
    struct bi_hash_dealt dealt = {.threads = threads, .capacity = region_capacity(shape, n, threads), .paired = paired};
    const int64_t room = (int64_t)partitions * threads * dealt.capacity;
    struct bi_hash_scatter *shares, whole;
    void *starts;
    BI_TRY(take_lists(ctx, shape, keys, values, n, room, paired, &whole));
    BI_TRY(bi_scratch(ctx, (partitions + 1) * sizeof(uint32_t), &starts));
    const struct bi_hash_lists lists = lists_of(&whole, starts);
    BI_TRY(take_shares(ctx, &whole, threads, &shares));
    dealt.shares = shares;
    lay_out_regions(shares, &dealt, partitions);
    BI_TRY(pass(ctx, BI_LEVEL_PICK(ctx->level, bi_hash_deal), shares, n, threads, 5));
    if (!count_dealt(&dealt, partitions, starts)) return BOSC_OK;
    *built = true;
    return bi_hash_fill_dealt(ctx, table, &lists, &dealt, found);
}

/* Scratch to build a whole table at once: hashes, counts of partitions, and what a fill takes. */
static size_t bytes_of_whole(const struct bi_hash_shape *s, int64_t n)
{
    size_t keys = (size_t)n, partitions = bi_hash_partition_count(s);
    size_t buckets = (size_t)bi_hash_partition_buckets(s->load, (uint32_t)n) + partitions;
    return keys * 2 * (size_t)s->key_bytes + (partitions + 1) * sizeof(uint32_t) +
           (keys + 1) * BI_HASH_FILL_WORDS * sizeof(uint32_t) + buckets * (BOSC_HASH_WIDTH * sizeof(uint32_t) + 1) +
           1024;
}

/* Hashes the keys, counts them by partition, and lays the partitions out. False: they do not suit fill_whole. */
static bool lay_out_whole(bosc_ctx *ctx, const bosc_hash *table, const void *keys, const void *values, bool paired,
                          const struct bi_hash_lists *lists, uint32_t *counts, struct bi_hash_report *report)
{
    bosc_hash_partition *partitions = table->blocks[BI_HASH_DESCRIPTORS].data;
    struct bi_hash_scatter count = {.shape = &table->shape,
                                    .keys = keys,
                                    .values = values,
                                    .end = lists->n,
                                    .hashes = (void *)(uintptr_t)lists->hashes,
                                    .keeps = true,
                                    .paired = paired,
                                    .positions = counts};
    const size_t number = bi_hash_partition_count(&table->shape);
    memset(counts, 0, number * sizeof *counts);
    BI_LEVEL_PICK(ctx->level, bi_hash_count)(&count);
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
    const bool paired = table->shape.value_bytes == table->shape.key_bytes;
    BI_TRY(bi_scratch_of(ctx, n, (size_t)table->shape.key_bytes << paired, &hashes));
    BI_TRY(bi_scratch_of(ctx, (int64_t)bi_hash_partition_count(&table->shape), sizeof(uint32_t), &counts));
    struct bi_hash_lists lists = {
        .n = n, .hashes = hashes, .payload = values, .payload_bytes = table->shape.value_bytes};
    if (!lay_out_whole(ctx, table, keys, values, paired, &lists, counts, found)) return BOSC_OK;
    BI_TRY(bi_scratch_of(ctx, found->buckets, BOSC_HASH_WIDTH * sizeof(uint32_t), &codes));
    BI_TRY(bi_scratch_of(ctx, n + 1, BI_HASH_FILL_WORDS * sizeof(uint32_t), &firsts));
    BI_TRY(bi_scratch(ctx, found->buckets, &marks));
    bosc_hash_partition whole = {0, found->buckets << BOSC_HASH_SEED_BITS};
    struct bi_hash_fill job = {.table = table,
                               .lists = &lists,
                               .paired = paired,
                               .keys = (uint32_t)n,
                               .descriptor = &whole,
                               .codes = codes,
                               .firsts = firsts,
                               .capacity = (uint32_t)n + 1,
                               .marks = marks};
    BI_LEVEL_PICK(ctx->level, bi_hash_fill_whole)(&job);
    *built = !job.failed;
    found->repeats = job.repeats;
    found->extra_probes = job.second;
    return BOSC_OK;
}

/* Small tables of one thread are filled at once, without lists; the pairs of larger ones are dealt, up to DEALT. */
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
    if (n > WHOLE || !is_payload(table->shape.value_bytes) || threads > 1) {
        if (suits_dealing(&table->shape, n, threads))
            BI_TRY_WITH_SCRATCH(ctx, build_dealt(ctx, table, keys, values, n, threads, found, built));
        return BOSC_OK;
    }
    struct bi_parts p = bi_parts_of(ctx, 1, (5 + BI_HASH_PAIR_ITEMS) * (double)n);
    while (bi_next_part(ctx, &p)) BI_TRY_WITH_SCRATCH(ctx, build_whole(ctx, table, keys, values, n, found, built));
    return p.status;
}

bosc_status bi_hash_find_cpu(bosc_ctx *ctx, const bosc_hash *table, const void *queries, int64_t query_count,
                             void *values, uint8_t *found)
{
    if (bi_fault(BI_FAULT_LAUNCH)) return bi_fail(ctx, BOSC_ERR_DEVICE, "hash find: injected fault");
    struct bi_parts p = bi_parts_of(ctx, query_count, BI_HASH_PAIR_ITEMS);
    while (bi_next_part(ctx, &p)) {
        int64_t count = p.end - p.begin;
        int threads = bi_thread_count(ctx, count, FIND_GRAIN);
        BI_PARALLEL_FOR(
            threads, (static), t, 0, threads,
            BI_LEVEL_PICK(ctx->level, bi_hash_find)(table, queries, p.begin + bi_chunk_begin(count, threads, t),
                                                    p.begin + bi_chunk_begin(count, threads, t + 1), values, found));
    }
    return p.status;
}

/* An upper bound whatever the number of threads; partitions that are not oversized. */
size_t bi_hash_build_bytes_cpu(const bosc_ctx *ctx, const struct bi_hash_shape *s, int64_t n)
{
    (void)ctx;
    size_t partitions = bi_hash_partition_count(s);
    size_t threads = (size_t)n / BI_HASH_GRAIN + 1, max_keys = bi_hash_max_partition_keys(s->key_bits);
    size_t each_partition =
        (max_keys + 1) * BI_HASH_FILL_WORDS * sizeof(uint32_t) +
        (bi_hash_partition_buckets(s->load, (uint32_t)max_keys) + 1) * (BOSC_HASH_WIDTH * sizeof(uint32_t) + 1);
    size_t each_share = sizeof(struct bi_hash_scatter) + partitions * (2 * sizeof(uint32_t) + 2 * BI_HASH_LINE);
    if (threads > MOST_THREADS) threads = MOST_THREADS;
    size_t room = most_room(s, n), pairs = room > (size_t)n ? room : (size_t)n;
    size_t lists = pairs * (size_t)bytes_of_pair(s) + partitions * sizeof(uint32_t) +
                   threads * (each_partition + each_share + 1024) + 4096;
    size_t whole = bytes_of_whole(s, n < WHOLE ? n : WHOLE);
    return lists > whole ? lists : whole;
}
