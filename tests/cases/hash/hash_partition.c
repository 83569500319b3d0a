/* The partition alone: pairs in the order of their partitions, equal partitions in the order of the input, for every
 * number of bits and all key and value sizes, in full, nearly full and nearly empty tiles. */
#include "support/arrays.h"
#include "hash/handle.h"
#include "cases/hash/hash_data.h"

/* The expected lists: plain counts, slots, moves. */
struct expected {
    unsigned char *hashes, *payload;
    uint32_t *starts;
};

static struct expected expect(const struct bi_hash_shape *s, const struct hash_pairs *p, int32_t payload_bytes,
                              bool rows)
{
    const size_t partitions = (size_t)1 << s->partition_bits, key_bytes = (size_t)s->key_bytes,
                 bytes = (size_t)payload_bytes;
    struct expected e = {suite_alloc((size_t)p->n * key_bytes), suite_alloc((size_t)p->n * bytes),
                         suite_alloc((partitions + 1) * sizeof(uint32_t))};
    uint32_t *next = suite_alloc((partitions + 1) * sizeof *next),
             *partition_of = suite_alloc((size_t)p->n * sizeof *partition_of);
    memset(next, 0, (partitions + 1) * sizeof *next);
    for (int64_t i = 0; i < p->n; i++) {
        bosc_hash_word hash = bosc_hash_of(bosc_hash_word_at(p->keys, i, s->key_bits), s->key_bits, s->seed);
        partition_of[i] = bosc_hash_partition_of(hash, s->key_bits, s->partition_bits);
        next[partition_of[i] + 1]++;
    }
    for (size_t k = 0; k < partitions; k++) next[k + 1] += next[k];
    memcpy(e.starts, next, (partitions + 1) * sizeof *next);
    for (int64_t i = 0; i < p->n; i++) {
        uint32_t to = next[partition_of[i]]++, row = (uint32_t)i;
        bosc_hash_word hash = bosc_hash_of(bosc_hash_word_at(p->keys, i, s->key_bits), s->key_bits, s->seed);
        bi_hash_store(e.hashes, s->key_bits, to, hash);
        memcpy(e.payload + to * bytes, rows ? (void *)&row : (char *)p->values + (size_t)i * bytes, bytes);
    }
    free(next);
    free(partition_of);
    return e;
}

static void check_same(bosc_ctx *ctx, const void *there, const void *expected, size_t bytes)
{
    void *here = suite_alloc(bytes);
    if (bytes) CHECK_OK(ctx, bosc_ctx_copy(ctx, here, there, bytes));
    CHECK(memcmp(here, expected, bytes) == 0);
    free(here);
}

static void partition(bosc_ctx *ctx, enum hash_pattern pattern, int32_t key_bits, int32_t value_size,
                      int32_t partition_bits, int64_t n)
{
    bosc_hash_opts o = {.layout = BOSC_HASH_BUCKETED,
                        .key_bits = key_bits,
                        .value_size = value_size,
                        .load_factor = 0.8,
                        .seed = 0x1234567890abcdefull};
    struct bi_hash_shape shape = bi_hash_shape_of(&o);
    shape.partition_bits = partition_bits;
    struct hash_pairs p = hash_make(pattern, &o, (uint64_t)n, n);
    const bool device = has_device_memory(ctx);
    struct array keys = array_make(ctx, p.keys, (size_t)n * (size_t)shape.key_bytes, device);
    struct array values = array_make(ctx, p.values, (size_t)n * (size_t)value_size, device);
    struct bi_hash_lists lists;
    CHECK_OK(ctx, bosc_ctx_sync(ctx)); /* enters the backend */
    struct bi_mark mark = bi_arena_mark(ctx);
    CHECK_OK(ctx, ctx->ops->hash->partition(ctx, &shape, keys.p, value_size ? values.p : NULL, n, &lists));
    const bool rows = value_size != 0 && value_size != 4 && value_size != 8;
    CHECK_EQ(lists.n, n);
    CHECK_EQ(lists.payload_bytes, rows ? 4 : value_size);
    CHECK(lists.values == (rows ? values.p : NULL));
    struct expected e = expect(&shape, &p, lists.payload_bytes, rows);
    check_same(ctx, lists.starts, e.starts, ((size_t)1 << partition_bits) * 4 + 4);
    check_same(ctx, lists.hashes, e.hashes, (size_t)n * (size_t)shape.key_bytes);
    check_same(ctx, lists.payload, e.payload, (size_t)n * (size_t)lists.payload_bytes);
    bi_arena_rewind(ctx, mark);
    CHECK(memcmp(array_get(ctx, &keys), p.keys, keys.bytes) == 0);
    free(e.hashes);
    free(e.payload);
    free(e.starts);
    array_free(ctx, &keys);
    array_free(ctx, &values);
    hash_free_pairs(&p);
}

static const int32_t sizes[] = {4, 0, 8, 12}; /* values; the last ones go as numbers of rows */

/* Each number of bits of a digit, one digit, two and three. */
static void digits(bosc_ctx *ctx)
{
    static const int32_t bits[] = {1, 3, 5, 6, 7, 8, 9, 10, 13, 16, 17, 20};
    const int count = suite_slow(ctx) ? 9 : 12; /* each partition is searched for by a warp */
    for (int k = 0; k < 3 * count; k++)
        if (!suite_leaves_out()) partition(ctx, HASH_RANDOM, 32 << k % 3, sizes[k / 2 % 4], bits[k / 3], 300 + 7 * k);
}

/* Several tiles, the last one of every kind; a tile is of 2,048 to 8,192 pairs. */
static void tiles(bosc_ctx *ctx)
{
    static const int64_t n[] = {0, 1, 2048, 4095, 4097, 8192, 8193, 16384, 20000};
    for (int k = 0; k < 12 * 9; k++) {
        if (suite_leaves_out()) continue;
        partition(ctx, HASH_RANDOM, 32 << k % 3, sizes[k / 3 % 4], 1 + k % 10, n[k / 12]);
    }
}

/* All pairs in a few partitions, in one, in as many as there are. */
static void skewed(bosc_ctx *ctx)
{
    static const enum hash_pattern patterns[] = {HASH_FEW, HASH_EQUAL, HASH_ONE_PARTITION, HASH_STRIDED};
    for (int k = 0; k < 12; k++) {
        if (suite_leaves_out()) continue;
        partition(ctx, patterns[k % 4], 32 << k % 3, sizes[k / 2 % 4], 3 + k % 8, 9000 + k);
    }
}

/* Enough tiles for hundreds to wait for each other. */
static void many_waiting_tiles(bosc_ctx *ctx)
{
    const bool slow = suite_slow(ctx);
    for (int k = 0; k < 12; k++)
        if (!suite_leaves_out())
            partition(ctx, HASH_RANDOM, 32 << k % 3, sizes[k / 3], slow ? k + 1 : k + 7, slow ? 50003 : 1000003);
}

static const struct suite_case suite_cases_hash_partition[] = {
    {"digits", digits, NULL}, {"tiles", tiles, NULL}, {"skewed", skewed, NULL}, {"many", many_waiting_tiles, NULL}};
SUITE(hash_partition);
