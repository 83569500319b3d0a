/* Reduces pairs to one a key without a sort of all rows. Few keys in many rows are numbered (number_keys.c). Else pairs
 * are partitioned by the top bits of their hashes, and each partition goes through a table in a core's cache. The slot
 * of a hash ascends with it, so that the table lists its hashes nearly in order. A slot without a hash holds a filler:
 * a hash of the neighbouring partition. Hashes are bijections of keys of 32 or 64 bits: equal hashes are equal keys,
 * and the keys are computed from them. The partition keeps the order of rows. */
#include <string.h>

#include "base/atomic.h"
#include "base/bits.h"
#include "base/fault.h"
#include "core/call.h"
#include "core/cpu/collectives.h"
#include "hash/cpu/bucketed.h"
#include "hash/key.h"

enum {
    PARTITION_ROWS = 1 << 11, /* rows of a partition in the mean: with their table about 64 KB. Not measured */
    MOST_PARTITION_BITS = 12, /* the most that the layouts have, too */
    FEW_KEYS_SHARE = 64,      /* rows a key, from which on keys are numbered; estimated */
    SAMPLE_SHARE = 16,        /* rows a sampled row, where the number of keys is unknown; as in group.c */
    MOST_PROBES = 256,        /* slots from a hash's own, above which keys collide by design, not by chance */
    /* Rows up to which one thread reduces in their order, where two could by partitions. Measured on a Zen 4, in ms of
     * wall-clock time, one in order and two: 2^17 rows .61 and .80, 2^20 4.8 to 7.3 and 7.6, 2^22 30 and 24. */
    MOST_ROWS_OF_TWO = 1 << 20,
    MOST_SMALL_ROWS = 1 << 12, /* rows reduced in their order for any number of keys; measured */
    ROW_ITEMS = 4              /* cost of a row, in simple items; estimated */
};

/* The hash table of a partition: hashes, and positions of their pairs. */
struct reduction_table {
    void *hashes; /* (capacity + MOST_PROBES + 1) */
    uint32_t *positions;
    int64_t capacity; /* a power of two */
};

/* A call, shared by its threads. */
struct reduction_job {
    struct bi_hash_lists lists;
    int32_t key_bits, partition_bits;
    uint64_t seed;
    bool last;                      /* the last pair of a key stays, else the first */
    int64_t partitions, expected;   /* expected: keys of the last build, or 0 */
    struct reduction_table *tables; /* (threads) */
    uint32_t *kept;                 /* (n) by partition, ascending by hash: the position of each pair that stays */
    uint32_t *counts;               /* (partitions + 1) of them; then where they begin in the output */
    uint32_t declined;              /* by atomics */
    void *keys, *payload;           /* the output */
};

/* Returns the table's slot of a hash: its bits below those of the partition. */
BI_FN int64_t slot_of(const struct reduction_job *j, int32_t bits, bosc_hash_word hash, int slot_bits)
{
    const uint64_t below = hash.low << (64 - bits + j->partition_bits);
    return (int64_t)(below >> (64 - slot_bits));
}

/* Inserts the pairs begin to end - 1. Returns the number of keys; -1 if they are more than half of `size` slots, -2 if
 * one is too far from its slot. */
BI_FN int64_t insert_pairs(const struct reduction_job *j, const struct reduction_table *t, int32_t bits, int64_t begin,
                           int64_t end, int64_t size, bosc_hash_word filler)
{
    const int slot_bits = bi_bit_length((uint64_t)size) - 1;
    int64_t count = 0;
    for (int64_t i = 0; i < size + MOST_PROBES + 1; i++) bi_hash_store(t->hashes, bits, i, filler);
    for (int64_t i = begin; i < end; i++) {
        const bosc_hash_word hash = bosc_hash_word_at(j->lists.hashes, i, bits);
        const int64_t own = slot_of(j, bits, hash, slot_bits);
        int64_t at = own;
        bosc_hash_word held;
        while (!bi_hash_same(held = bosc_hash_word_at(t->hashes, at, bits), hash) && !bi_hash_same(held, filler)) at++;
        const bool is_new = bi_hash_same(held, filler);
        if (at - own >= MOST_PROBES) return -2;
        bi_hash_store(t->hashes, bits, at, hash);
        t->positions[at] = is_new || j->last ? (uint32_t)i : t->positions[at];
        count += is_new;
        if (count > size / 2) return -1;
    }
    return count;
}

/* Lists the positions in a table of `size` slots by ascending hash; the table is lost. */
BI_FN void list_positions(const struct reduction_table *t, int32_t bits, int64_t size, bosc_hash_word filler,
                          uint32_t *kept)
{
    /* 1. Close the gaps, without branches. */
    int64_t count = 0;
    for (int64_t i = 0; i < size + MOST_PROBES; i++) {
        const bosc_hash_word hash = bosc_hash_word_at(t->hashes, i, bits);
        bi_hash_store(t->hashes, bits, count, hash);
        t->positions[count] = t->positions[i];
        count += !bi_hash_same(hash, filler);
    }
    /* 2. Sort by insertion: the hashes are nearly in order. */
    for (int64_t i = 0; i < count; i++) {
        const bosc_hash_word hash = bosc_hash_word_at(t->hashes, i, bits);
        const uint32_t position = t->positions[i];
        int64_t at = i;
        for (; at > 0 && bosc_hash_word_at(t->hashes, at - 1, bits).low > hash.low; at--) {
            bi_hash_store(t->hashes, bits, at, bosc_hash_word_at(t->hashes, at - 1, bits));
            kept[at] = kept[at - 1];
        }
        bi_hash_store(t->hashes, bits, at, hash);
        kept[at] = position;
    }
}

/* Reduces a partition, in a table that grows until half of its slots are empty. It begins with room for the keys of the
 * last build. */
BI_FN bool reduce_partition(struct reduction_job *j, const struct reduction_table *t, int32_t bits, int64_t p)
{
    const int64_t begin = j->lists.starts[p], end = j->lists.starts[p + 1], rows = end - begin;
    const bosc_hash_word filler = {(uint64_t)(p ^ 1) << (bits - j->partition_bits), 0};
    const int64_t known = j->expected * 5 / 2 / j->partitions,
                  wanted = known > 0 && known < 2 * rows ? known : 2 * rows;
    int64_t size = 16, count = 0;
    while (size < wanted && size < 4 * PARTITION_ROWS && size < t->capacity) size *= 2;
    while ((count = insert_pairs(j, t, bits, begin, end, size, filler)) == -1)
        if ((size *= 2) > t->capacity) return false;
    if (count < 0) return false;
    list_positions(t, bits, size, filler, j->kept + begin);
    j->counts[p] = (uint32_t)count;
    return true;
}

static void reduce_one(struct reduction_job *j, int64_t p, int thread)
{
    if (bi_atomic_load_u32(&j->declined)) return;
    const struct reduction_table *t = j->tables + thread;
    if (!(j->key_bits == 32 ? reduce_partition(j, t, 32, p) : reduce_partition(j, t, 64, p)))
        bi_atomic_or_u32(&j->declined, 1);
}

/* Writes the pairs of a partition that stay to the output. */
static void write_partition(const struct reduction_job *j, int64_t p)
{
    const uint32_t *kept = j->kept + j->lists.starts[p];
    for (int64_t k = 0, to = j->counts[p]; to < j->counts[p + 1]; k++, to++) {
        const bosc_hash_word hash = bosc_hash_word_at(j->lists.hashes, kept[k], j->key_bits);
        bi_hash_store(j->keys, j->key_bits, to, bi_hash_key_of(hash, j->key_bits, j->seed));
        if (j->lists.payload_bytes == 4)
            ((uint32_t *)j->payload)[to] = ((const uint32_t *)j->lists.payload)[kept[k]];
        else if (j->lists.payload_bytes == 8)
            ((uint64_t *)j->payload)[to] = ((const uint64_t *)j->lists.payload)[kept[k]];
    }
}

/* Allocates tables for the largest partition, within a limit: a partition of more than 8 times the mean may be
 * declined. */
static bosc_status allocate_tables(bosc_ctx *ctx, struct reduction_job *j, int threads)
{
    const int64_t mean = j->lists.n / j->partitions, limit = 16 * (mean > PARTITION_ROWS ? mean : PARTITION_ROWS);
    int64_t most = 16;
    for (int64_t p = 0; p < j->partitions; p++) {
        const int64_t rows = j->lists.starts[p + 1] - j->lists.starts[p];
        while (most < 2 * rows && most < limit) most *= 2;
    }
    BI_TRY(bi_scratch_of(ctx, threads, sizeof *j->tables, &j->tables));
    for (int t = 0; t < threads; t++) {
        struct reduction_table *table = j->tables + t;
        table->capacity = most;
        BI_TRY(bi_scratch_of(ctx, most + MOST_PROBES + 1, (size_t)j->key_bits / 8, &table->hashes));
        BI_TRY(bi_scratch_of(ctx, most + MOST_PROBES + 1, sizeof *table->positions, &table->positions));
    }
    return BOSC_OK;
}

/* Turns the counts into where the pairs of each partition begin. Returns their sum. */
static int64_t sum_counts(struct reduction_job *j)
{
    uint32_t sum = 0;
    for (int64_t p = 0; p <= j->partitions; p++) {
        const uint32_t count = p < j->partitions ? j->counts[p] : 0;
        j->counts[p] = sum;
        sum += count;
    }
    return sum;
}

/* Reduces by partitions; *fits: false where keys collide by design or too many share a partition. */
static bosc_status reduce_partitions(bosc_ctx *ctx, struct reduction_job *j, const struct bi_hash_shape *shape,
                                     const void *keys, const void *values, int64_t n, bool *fits)
{
    BI_TRY(bi_hash_partition_cpu(ctx, shape, keys, values, n, &j->lists));
    /* 1. The pairs of each partition that stay. */
    const int threads = bi_thread_count(ctx, n, BI_HASH_GRAIN);
    BI_TRY(allocate_tables(ctx, j, threads));
    BI_TRY(bi_scratch_of(ctx, n, sizeof *j->kept, &j->kept));
    BI_TRY(bi_scratch_of(ctx, j->partitions + 1, sizeof *j->counts, &j->counts));
    struct bi_batches batches = bi_batches_of(ctx, j->partitions, ROW_ITEMS * (double)n / (double)j->partitions);
    while (bi_next_batch(ctx, &batches)) {
        BI_PARALLEL_FOR(threads, (dynamic, 1), p, batches.begin, batches.end, reduce_one(j, p, bi_thread_of(threads)));
    }
    BI_TRY(batches.status);
    if (j->declined) return BOSC_OK;
    /* 2. The output. */
    const int64_t count = sum_counts(j);
    BI_TRY(bi_scratch_of(ctx, count, (size_t)j->key_bits / 8, &j->keys));
    BI_TRY(bi_scratch_of(ctx, count, (size_t)j->lists.payload_bytes, &j->payload));
    batches = bi_batches_of(ctx, j->partitions, (double)count / (double)j->partitions);
    while (bi_next_batch(ctx, &batches)) {
        BI_PARALLEL_FOR(threads, (dynamic, 4), p, batches.begin, batches.end, write_partition(j, p));
    }
    *fits = batches.status == BOSC_OK;
    return batches.status;
}

/* True if few keys fill the rows: by the last build, or by a sample of the first rows. */
static bosc_status expect_few_keys(bosc_ctx *ctx, int32_t key_bits, const void *keys, int64_t n, int64_t expected,
                                   bool *few)
{
    struct bi_hash_numbering found;
    const int64_t sampled = n / SAMPLE_SHARE;
    *few = expected > 0 && expected <= n / FEW_KEYS_SHARE;
    if (expected > 0 || sampled == 0) return BOSC_OK;
    BI_TRY_WITH_SCRATCH(ctx, bi_hash_number_keys_cpu(ctx, key_bits, keys, sampled, BI_HASH_FIRST_ROWS, &found, few));
    *few = *few && found.count <= sampled / FEW_KEYS_SHARE + 1;
    return BOSC_OK;
}

bosc_status bi_hash_reduce_repeats_cpu(bosc_ctx *ctx, const bosc_hash *table, const void *keys, const void *values,
                                       int64_t n, struct bi_hash_reduction *r, bool *fits)
{
    struct bi_hash_shape shape = table->shape;
    struct reduction_job j = {.key_bits = 8 * shape.key_bytes,
                              .seed = shape.seed,
                              .expected = r->expected,
                              .last = table->opts.duplicates == BOSC_HASH_LAST && table->opts.value_size > 0};
    bool few = false;
    *fits = false;
    if (j.key_bits > 64 || n > UINT32_MAX) return BOSC_OK;
    const int threads = bi_thread_count(ctx, n, BI_HASH_GRAIN);
    const bool in_order = r->max_ordered > 0 && (threads == 1 || (threads == 2 && n <= MOST_ROWS_OF_TWO));
    /* 1. Few keys of many rows are left to number_keys (see bi_hash_build_from), unless a small table lists them. */
    if (!in_order || (n > MOST_SMALL_ROWS && (threads > 1 || r->expected <= 0)))
        BI_TRY(expect_few_keys(ctx, j.key_bits, keys, n, r->expected, &few));
    if (few) return BOSC_OK;
    /* 2. One thread builds ORDERED tables from a list that it makes row by row. */
    if (in_order) {
        const struct bi_mark mark = bi_arena_mark(ctx);
        BI_TRY(bi_hash_reduce_in_order_cpu(ctx, table, keys, values, n, r, fits));
        if (*fits) return BOSC_OK;
        bi_arena_rewind(ctx, mark);
    }
    /* 3. Others are partitioned. */
    for (shape.partition_bits = 1; n >> shape.partition_bits > PARTITION_ROWS; shape.partition_bits++)
        if (shape.partition_bits == MOST_PARTITION_BITS) break;
    j.partition_bits = shape.partition_bits;
    j.partitions = (int64_t)1 << shape.partition_bits;
    BI_TRY(reduce_partitions(ctx, &j, &shape, keys, values, n, fits));
    if (!*fits) return BOSC_OK;
    r->keys = j.counts[j.partitions];
    r->listed = true;
    r->rows = j.lists.values != NULL;
    r->list_keys = j.keys;
    r->list_payload = j.lists.payload_bytes ? j.payload : NULL;
    return BOSC_OK;
}
