/* Multimaps that a backend groups by key without a sort: every table is the one that a sort gives, in every byte, and
 * agrees with the plain table. */
#include "cases/hash/hash_data.h"

enum group_pattern {
    DISTINCT,
    TWICE,
    UNIFORM,
    UNEVEN,
    RUNS,
    LARGEST,
    ONE_KEY,
    ONE_HOME,
    ONE_PARTITION,
    GROUP_PATTERNS
};

/* Key of row i. UNEVEN: a quarter of all hashes has more keys than the rest. LARGEST: some with the least and the
 * greatest hash. ONE_HOME: hashes that agree in their top 24 bits. ONE_PARTITION: in the top 10. */
static bosc_hash_word key_of_row(enum group_pattern pattern, const bosc_hash_opts *o, int64_t n, int64_t i,
                                 struct suite_random *r)
{
    bosc_hash_word hash = {0, 0};
    uint64_t number = (uint64_t)i;
    if (pattern == TWICE || pattern == UNEVEN) number = (uint64_t)(i % (n / 2 + 1));
    if (pattern == UNIFORM) number = suite_below(r, (uint64_t)n / 3 + 1);
    if (pattern == RUNS) number = (uint64_t)(i / 5);
    if (pattern == ONE_KEY) number = 5;
    hash.low = o->key_bits == 32 ? bosc_hash_mix32((uint32_t)number) : bosc_hash_mix64(number);
    if (pattern == UNEVEN && number % 8 == 3) hash.low = o->key_bits == 32 ? hash.low >> 2 & UINT32_MAX : hash.low >> 2;
    if (pattern == LARGEST && i % 100 < 3) hash.low = o->key_bits == 32 ? UINT32_MAX : UINT64_MAX;
    if (pattern == LARGEST && i % 100 == 50) hash.low = i % 200 == 50;
    if (pattern == ONE_HOME) hash.low = number % 200;
    if (pattern == ONE_PARTITION) hash.low >>= 10;
    return bi_hash_key_of(hash, o->key_bits, o->seed);
}

static struct hash_pairs make_groups(enum group_pattern pattern, const bosc_hash_opts *o, int64_t n, uint64_t random)
{
    struct hash_pairs p = hash_make(HASH_SEQUENCE, o, random, n);
    struct suite_random r = {random};
    for (int64_t i = 0; i < n; i++) bi_hash_store(p.keys, p.key_bits, i, key_of_row(pattern, o, n, i, &r));
    return p;
}

/* Calls of group_pairs by a context, and its successes. */
static struct {
    bosc_status (*group)(bosc_ctx *, const struct bi_hash_shape *, const void *, const void *, int32_t, int64_t,
                         struct bi_hash_groups *, bool *);
    int64_t calls, grouped;
} counted;

static bosc_status count_groupings(bosc_ctx *ctx, const struct bi_hash_shape *s, const void *keys, const void *values,
                                   int32_t value_size, int64_t n, struct bi_hash_groups *g, bool *grouped)
{
    const bosc_status status = counted.group(ctx, s, keys, values, value_size, n, g, grouped);
    counted.calls++;
    counted.grouped += *grouped;
    return status;
}

/* Makes the context count its groupings; returns its own operations. */
static const struct bi_ops *count_calls(bosc_ctx *ctx, struct hash_sorting_ops *counting)
{
    const struct bi_ops *own = hash_use_sorts(ctx, counting);
    counted.group = own->hash->group_pairs;
    counted.calls = counted.grouped = 0;
    counting->hash.group_pairs = count_groupings;
    return own;
}

static bosc_hash_opts group_options(int k)
{
    static const int32_t sizes[] = {4, 8, 0, 12, 1};
    return (bosc_hash_opts){.size = sizeof(bosc_hash_opts),
                            .kind = BOSC_HASH_MULTIMAP,
                            .key_bits = k % 2 ? 64 : 32,
                            .value_size = sizes[k / 2 % 5],
                            .layout = k % 7 == 6 ? BOSC_HASH_PERFECT : BOSC_HASH_AUTO,
                            .seed = (uint64_t)k * 0x9e3779b97f4a7c15u};
}

/* Builds the table, and compares its bytes with those of a sort. */
static void compare_with_sort(bosc_ctx *ctx, bosc_hash *table, const bosc_hash_opts *o, const struct hash_pairs *p)
{
    struct hash_sorting_ops sorting;
    bosc_hash *other = NULL;
    CHECK_OK(ctx, bosc_hash_build(ctx, table, p->keys, p->values, p->n));
    struct saved found = hash_save(ctx, table);
    const struct bi_ops *own = hash_use_sorts(ctx, &sorting);
    CHECK_OK(ctx, bosc_hash_create(ctx, o, &other));
    CHECK_OK(ctx, bosc_hash_build(ctx, other, p->keys, p->values, p->n));
    struct saved expected = hash_save(ctx, other);
    ctx->ops = own;
    CHECK_EQ(found.size, expected.size);
    CHECK(memcmp(found.bytes, expected.bytes, found.size) == 0);
    free(found.bytes);
    free(expected.bytes);
    bosc_hash_free(other);
}

/* Sizes around those from which pairs are grouped, and of partitions and warps. */
static void builds(bosc_ctx *ctx)
{
    static const int64_t small[] = {299, 300, 301, 319, 320, 321, 511, 1000, 2047, 5000, 60000},
                         large[] = {8191, 8192, 8193, 20479, 20480, 20481, 65537, 100000, 300000, 1000000, 1400000};
    enum { SIZES = sizeof small / sizeof *small };
    if (!ctx->ops->hash->group_pairs) return;
    for (int k = 0; k < SIZES * GROUP_PATTERNS * 2; k++) {
        if (suite_leaves_out()) continue;
        const bosc_hash_opts o = group_options(k);
        const int64_t n = suite_emulated(ctx) ? small[k % SIZES] : large[k % SIZES];
        struct hash_pairs p = make_groups((enum group_pattern)(k / SIZES % GROUP_PATTERNS), &o, n, (uint64_t)k + 1);
        struct reference_hash oracle = {.opts = o};
        bosc_hash *table = NULL;
        int64_t bad;
        CHECK_OK(ctx, bosc_hash_create(ctx, &o, &table));
        compare_with_sort(ctx, table, &o, &p);
        if (n <= 5000) {
            oracle.opts = table->opts;
            CHECK(reference_hash_insert(&oracle, p.keys, p.values, n, &bad));
            hash_check_pairs(ctx, table, &oracle);
            reference_hash_clear(&oracle);
        }
        bosc_hash_free(table);
        hash_free_pairs(&p);
    }
}

/* Tables of many partitions, some of them too large for the shared memory that a block then gets. */
static void large_partitions(bosc_ctx *ctx)
{
    if (!ctx->ops->hash->group_pairs) return;
    for (int k = 0; k < 2; k++) {
        const bosc_hash_opts o = group_options(k);
        struct hash_pairs p = make_groups(UNEVEN, &o, suite_emulated(ctx) ? 60000 : 5000000, 3);
        bosc_hash *table = NULL;
        CHECK_OK(ctx, bosc_hash_create(ctx, &o, &table));
        compare_with_sort(ctx, table, &o, &p);
        bosc_hash_free(table);
        hash_free_pairs(&p);
    }
}

/* Keys that repeat a few times need no sort; keys that fill a partition or a home are left to it. */
static void without_sort(bosc_ctx *ctx)
{
    struct hash_sorting_ops counting;
    if (!ctx->ops->hash->group_pairs) return;
    for (int k = 0; k < 2 * GROUP_PATTERNS; k++) {
        const enum group_pattern pattern = (enum group_pattern)(k / 2);
        const int64_t n = suite_emulated(ctx) ? 4000 : 200000;
        const bosc_hash_opts o = group_options(k % 2);
        struct hash_pairs p = make_groups(pattern, &o, n, 9);
        bosc_hash *table = NULL;
        const struct bi_ops *own = count_calls(ctx, &counting);
        CHECK_OK(ctx, bosc_hash_create(ctx, &o, &table));
        CHECK_OK(ctx, bosc_hash_build(ctx, table, p.keys, p.values, p.n));
        CHECK_EQ(counted.calls, 1);
        CHECK_EQ(counted.grouped, pattern <= RUNS);
        ctx->ops = own;
        bosc_hash_free(table);
        hash_free_pairs(&p);
    }
}

/* After an attempt in vain with many pairs, the next 15 builds of the table sort at once. */
static void attempts(bosc_ctx *ctx)
{
    struct hash_sorting_ops counting;
    const bosc_hash_opts o = group_options(0);
    const int64_t n = 1 << 16;
    if (!ctx->ops->hash->group_pairs || suite_leaves_out()) return;
    struct hash_pairs uneven = make_groups(ONE_PARTITION, &o, n, 1), few = make_groups(DISTINCT, &o, 500, 1);
    bosc_hash *table = NULL;
    const struct bi_ops *own = count_calls(ctx, &counting);
    CHECK_OK(ctx, bosc_hash_create(ctx, &o, &table));
    CHECK_OK(ctx, bosc_hash_build(ctx, table, uneven.keys, uneven.values, n));
    CHECK(counted.calls == 1 && counted.grouped == 0);
    for (int k = 0; k < 15; k++) CHECK_OK(ctx, bosc_hash_build(ctx, table, few.keys, few.values, few.n));
    CHECK_EQ(counted.calls, 1);
    for (int k = 0; k < 2; k++) CHECK_OK(ctx, bosc_hash_build(ctx, table, few.keys, few.values, few.n));
    CHECK_EQ(counted.calls, 3);
    ctx->ops = own;
    bosc_hash_free(table);
    hash_free_pairs(&few);
    hash_free_pairs(&uneven);
}

static const struct suite_case suite_cases_hash_group[] = {
    {"builds", builds, NULL},
    {"large partitions", large_partitions, NULL},
    {"without sort", without_sort, NULL},
    {"attempts", attempts, NULL},
};
SUITE(hash_group);
