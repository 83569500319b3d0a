/* Pairs that a backend reduces to one a key without a sort: every table is the one that a sort gives, in every byte,
 * and agrees with the plain table. */
#include "cases/hash/hash_data.h"

enum reduce_pattern { UNIFORM, ZIPF, ONE_KEY, TWICE, ONE_HOME, LAST_TWO_EQUAL, GREATEST, REDUCE_PATTERNS };
enum { ZIPF_KEYS = 100000 };

/* Returns a rank from 0 on, about rank r with a weight of 1 / (r + 1): the ranks from 2^b - 1 to 2^(b + 1) - 2 together
 * are equally likely for each b. */
static uint64_t zipf_rank(struct suite_random *r)
{
    const uint64_t bits = suite_below(r, 17);
    const uint64_t rank = (1ull << bits) + suite_below(r, 1ull << bits) - 1;
    return rank < ZIPF_KEYS ? rank : rank % ZIPF_KEYS;
}

/* Key of row i. ONE_HOME: hashes that agree in their top bits, so that all have one home. */
static bosc_hash_word key_of_row(enum reduce_pattern pattern, const bosc_hash_opts *o, int64_t n, int64_t i,
                                 struct suite_random *r)
{
    const int32_t bits = o->key_bits;
    bosc_hash_word key = {0, 0}, hash = {0, 0};
    uint64_t number = (uint64_t)i;
    if (pattern == UNIFORM) number = suite_below(r, (uint64_t)n / 3 + 1);
    if (pattern == ZIPF) number = zipf_rank(r);
    if (pattern == ONE_KEY) number = 77;
    if (pattern == TWICE) number = (uint64_t)(i % (n / 2 + 1));
    if (pattern == LAST_TWO_EQUAL && i == n - 1) number = (uint64_t)(n / 2);
    if (pattern == ONE_HOME) {
        hash.low = number % 700;
        return bi_hash_key_of(hash, bits, o->seed);
    }
    if (pattern == GREATEST && i % 5 == 2) {
        hash.low = bits == 32 ? UINT32_MAX : UINT64_MAX;
        if (i % 10 == 7) hash.low -= 1;
        return bi_hash_key_of(hash, bits, o->seed);
    }
    key.low = bosc_hash_mix64(number + 5) ^ number;
    if (bits == 32) key.low = bosc_hash_mix32((uint32_t)number * 3);
    return key;
}

static struct hash_pairs make_reducible(enum reduce_pattern pattern, const bosc_hash_opts *o, int64_t n,
                                        uint64_t random)
{
    struct hash_pairs p = hash_make(HASH_SEQUENCE, o, random, n);
    struct suite_random r = {random};
    for (int64_t i = 0; i < n; i++) bi_hash_store(p.keys, p.key_bits, i, key_of_row(pattern, o, n, i, &r));
    return p;
}

/* Calls of the reduction by a context, and its successes. */
static struct {
    bosc_status (*reduce)(bosc_ctx *, const bosc_hash *, const void *, const void *, int64_t,
                          struct bi_hash_reduction *, bool *);
    int64_t calls, fitted, listed, keys;
} counted;

static bosc_status count_reduction(bosc_ctx *ctx, const bosc_hash *table, const void *keys, const void *values,
                                   int64_t n, struct bi_hash_reduction *r, bool *fits)
{
    const bosc_status status = counted.reduce(ctx, table, keys, values, n, r, fits);
    counted.calls++;
    counted.fitted += *fits;
    counted.listed += *fits && r->listed;
    if (*fits) counted.keys = r->keys;
    return status;
}

static const struct bi_ops *count_reductions(bosc_ctx *ctx, struct hash_sorting_ops *counting)
{
    const struct bi_ops *own = hash_use_sorts(ctx, counting);
    counted.reduce = own->hash->reduce_repeats;
    counted.calls = counted.fitted = counted.listed = counted.keys = 0;
    counting->hash.reduce_repeats = count_reduction;
    return own;
}

static struct saved sorted_table(bosc_ctx *ctx, const bosc_hash_opts *o, const struct hash_pairs *p)
{
    struct hash_sorting_ops sorting;
    const struct bi_ops *own = hash_use_sorts(ctx, &sorting);
    bosc_hash *table = NULL;
    CHECK_OK(ctx, bosc_hash_create(ctx, o, &table));
    CHECK_OK(ctx, bosc_hash_build(ctx, table, p->keys, p->values, p->n));
    struct saved saved = hash_save(ctx, table);
    bosc_hash_free(table);
    ctx->ops = own;
    return saved;
}

/* Builds the table and compares its bytes with those of a sort. */
static void compare_build(bosc_ctx *ctx, bosc_hash *table, const struct hash_pairs *p)
{
    bosc_hash_opts o = table->opts;
    if (table->automatic) o.layout = BOSC_HASH_AUTO;
    CHECK_OK(ctx, bosc_hash_build(ctx, table, p->keys, p->values, p->n));
    struct saved found = hash_save(ctx, table), expected = sorted_table(ctx, &o, p);
    CHECK_EQ(found.size, expected.size);
    CHECK(memcmp(found.bytes, expected.bytes, found.size) == 0);
    free(found.bytes);
    free(expected.bytes);
}

static void compare_with_reference(bosc_ctx *ctx, const bosc_hash *table, const struct hash_pairs *p)
{
    struct reference_hash oracle = {.opts = table->opts};
    int64_t bad;
    CHECK(reference_hash_insert(&oracle, p->keys, p->values, p->n, &bad));
    hash_check_pairs(ctx, table, &oracle);
    reference_hash_clear(&oracle);
}

static bosc_hash_opts reduce_options(int k)
{
    static const int32_t sizes[] = {4, 8, 0, 12, 4, 1};
    static const double loads[] = {0.8, 0.5, 0.95, 0.97, 0.7};
    static const bosc_hash_layout layouts[] = {BOSC_HASH_AUTO, BOSC_HASH_ORDERED, BOSC_HASH_BUCKETED};
    return (bosc_hash_opts){.size = sizeof(bosc_hash_opts),
                            .layout = layouts[k % 3],
                            .key_bits = k / 3 % 2 ? 64 : 32,
                            .value_size = sizes[k % 6 / 2 + k / 7 % 2 * 3],
                            .load_factor = loads[k % 5],
                            .duplicates = k / 2 % 2 ? BOSC_HASH_FIRST : BOSC_HASH_LAST,
                            .no_wait = k / 11 % 2,
                            .seed = (uint64_t)k * 0x9e3779b97f4a7c15u};
}

/* The first build of a table, and the second, whose memory is of the first one's keys; sizes around those of tiles. */
static void builds(bosc_ctx *ctx)
{
    static const int64_t sizes[] = {2, 3, 63, 64, 65, 255, 256, 257, 511, 1000, 2047, 2049, 2304, 5000};
    enum { SIZES = sizeof sizes / sizeof *sizes };
    if (!ctx->ops->hash->reduce_repeats) return;
    for (int k = 0; k < SIZES * REDUCE_PATTERNS * 3; k++) {
        if (suite_leaves_out()) continue;
        const bosc_hash_opts o = reduce_options(k);
        struct hash_pairs p = make_reducible((enum reduce_pattern)(k / SIZES % REDUCE_PATTERNS), &o,
                                             sizes[k % SIZES] + k % 3 / 2, (uint64_t)k + 1);
        bosc_hash *table = NULL;
        CHECK_OK(ctx, bosc_hash_create(ctx, &o, &table));
        for (int times = 0; times < 2; times++) compare_build(ctx, table, &p);
        compare_with_reference(ctx, table, &p);
        bosc_hash_free(table);
        hash_free_pairs(&p);
    }
}

/* One table is built of unlike inputs in turn: the number of keys of the last build is far too high or too low. */
static void other_inputs(bosc_ctx *ctx)
{
    static const enum reduce_pattern patterns[] = {ZIPF,           UNIFORM, ONE_KEY,  UNIFORM,
                                                   LAST_TWO_EQUAL, TWICE,   ONE_HOME, ZIPF};
    enum { PATTERNS = sizeof patterns / sizeof *patterns };
    if (!ctx->ops->hash->reduce_repeats) return;
    for (int k = 0; k < 6; k++) {
        if (suite_leaves_out()) continue;
        const bosc_hash_opts o = reduce_options(k);
        bosc_hash *table = NULL;
        CHECK_OK(ctx, bosc_hash_create(ctx, &o, &table));
        for (int i = 0; i < PATTERNS; i++) {
            struct hash_pairs p = make_reducible(patterns[i], &o, i % 2 ? 400 : 3000, (uint64_t)(k + i));
            compare_build(ctx, table, &p);
            hash_free_pairs(&p);
        }
        bosc_hash_free(table);
    }
}

/* Ordinary repeats need no sort, in the first build and later ones. AUTO tables are listed where keys are too many for
 * ORDERED. */
static void without_sort(bosc_ctx *ctx)
{
    struct hash_sorting_ops counting;
    if (!ctx->ops->hash->reduce_repeats) return;
    for (int k = 0; k < 12; k++) {
        if (suite_leaves_out()) continue;
        const bosc_hash_opts o = reduce_options(k);
        struct hash_pairs p = make_reducible(k % 4 == 3 ? TWICE : ZIPF, &o, 4000 + k, (uint64_t)k);
        bosc_hash *table = NULL;
        const struct bi_ops *own = count_reductions(ctx, &counting);
        CHECK_OK(ctx, bosc_hash_create(ctx, &o, &table));
        ctx->cache_shift = k / 6 * 12; /* AUTO tables are then ORDERED up to 2^6 or 2^7 keys */
        for (int times = 1; times <= 3; times++) {
            CHECK_OK(ctx, bosc_hash_build(ctx, table, p.keys, p.values, p.n));
            CHECK_OK(ctx, bosc_hash_wait(ctx, table));
            CHECK_EQ(counted.fitted, times);
            CHECK(counted.calls == times && counted.keys == table->keys && table->reduced_keys == table->keys);
            /* The CPU lists the pairs of every layout. */
            const bool lists =
                suite_opts_like(ctx).backend == BOSC_BACKEND_CPU || table->opts.layout == BOSC_HASH_BUCKETED;
            CHECK_EQ(counted.listed, lists ? times : 0);
        }
        ctx->ops = own;
        compare_with_reference(ctx, table, &p);
        bosc_hash_free(table);
        CHECK_OK(ctx, bosc_hash_create(ctx, &o, &table)); /* the bytes of a first build, with this limit too */
        compare_build(ctx, table, &p);
        bosc_hash_free(table);
        ctx->cache_shift = 0;
        hash_free_pairs(&p);
    }
}

/* An ORDERED table of distinct keys, more than one launch without a reduction builds, needs no sort either. */
static void large_ordered(bosc_ctx *ctx)
{
    struct hash_sorting_ops counting;
    if (!ctx->ops->hash->reduce_repeats) return;
    for (int k = 0; k < 4; k++) {
        if (suite_leaves_out() || (suite_slow(ctx) && k)) continue;
        const int64_t n = suite_emulated(ctx) ? 21000 + k : (1 << 20) + k;
        const bosc_hash_opts o = {.size = sizeof o,
                                  .layout = BOSC_HASH_ORDERED,
                                  .key_bits = k % 2 ? 64 : 32,
                                  .value_size = k % 2 ? 8 : 4,
                                  .load_factor = k / 2 ? 0.95 : 0.7};
        struct hash_pairs p = make_reducible(k < 2 ? LAST_TWO_EQUAL : GREATEST, &o, n, 3);
        bosc_hash *table = NULL;
        const struct bi_ops *own = count_reductions(ctx, &counting);
        CHECK_OK(ctx, bosc_hash_create(ctx, &o, &table));
        CHECK_OK(ctx, bosc_hash_build(ctx, table, p.keys, p.values, n));
        CHECK_EQ(counted.fitted, 1);
        ctx->ops = own;
        compare_build(ctx, table, &p);
        bosc_hash_free(table);
        hash_free_pairs(&p);
    }
}

/* Keys that share the top bits of their hashes are too far from their homes among the entries: a sort builds these
 * tables. */
static void declined(bosc_ctx *ctx)
{
    struct hash_sorting_ops counting;
    if (!ctx->ops->hash->reduce_repeats) return;
    for (int k = 0; k < 6; k++) {
        const bosc_hash_opts o = reduce_options(k);
        struct hash_pairs p = make_reducible(ONE_HOME, &o, 3000, 1);
        bosc_hash *table = NULL;
        const struct bi_ops *own = count_reductions(ctx, &counting);
        CHECK_OK(ctx, bosc_hash_create(ctx, &o, &table));
        CHECK_OK(ctx, bosc_hash_build(ctx, table, p.keys, p.values, p.n));
        CHECK(counted.calls > 0 && counted.fitted == 0);
        ctx->ops = own;
        compare_with_reference(ctx, table, &p);
        compare_build(ctx, table, &p);
        bosc_hash_free(table);
        hash_free_pairs(&p);
    }
}

static const struct suite_case suite_cases_hash_reduce[] = {
    {"builds", builds, NULL},
    {"other inputs", other_inputs, NULL},
    {"without sort", without_sort, NULL},
    {"large ordered", large_ordered, NULL},
    {"declined", declined, NULL},
};
SUITE(hash_reduce);
