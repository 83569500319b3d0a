/* Tables hold what was put in, whatever the keys. */
#include "hash_data.h"

/* Builds a table and its oracle, and compares all that they say. */
static void compare(bosc_ctx *ctx, bosc_hash_opts o, enum hash_pattern pattern, int64_t n)
{
    bosc_hash *table = NULL;
    o.size = sizeof o;
    struct hash_pairs p = hash_make(pattern, &o, (uint64_t)n, n);
    struct reference_hash oracle = {.opts = o};
    int64_t bad;
    CHECK_OK(ctx, bosc_hash_create(ctx, &o, &table));
    bool good = reference_hash_insert(&oracle, p.keys, p.values, n, &bad);
    bosc_status status = bosc_hash_build(ctx, table, p.keys, p.values, n);
    if (good) {
        CHECK_STATUS(ctx, status, BOSC_OK);
    } else {
        char message[64];
        snprintf(message, sizeof message, "keys: row %lld ", (long long)bad);
        CHECK_STATUS(ctx, status, BOSC_ERR_DATA);
        CHECK(suite_begins(bosc_message(ctx), message));
    }
    int64_t m = n < 300 ? 300 : 3000;
    void *queries = hash_queries(&p, 3, m);
    hash_check_pairs(ctx, table, &oracle);
    hash_check_queries(ctx, table, &oracle, queries, m);
    free(queries);
    hash_free_pairs(&p);
    reference_hash_clear(&oracle);
    bosc_hash_free(table);
}

static void small(bosc_ctx *ctx)
{
    for (int64_t n = 0; n <= (suite_slow(ctx) ? 40 : 300); n++)
        compare(ctx, hash_options((int)n), (enum hash_pattern)(n / 3 % HASH_PATTERNS), n);
}

static void patterns(bosc_ctx *ctx)
{
    for (int k = 0; k < 9 * HASH_PATTERNS; k++) {
        if (suite_leaves_out()) continue;
        int64_t n = suite_slow(ctx) ? 100 + 13 * k : 3000 + 377 * k;
        if (k % HASH_PATTERNS == HASH_ONE_FOLD) n = 200;
        compare(ctx, hash_options(k), (enum hash_pattern)(k % HASH_PATTERNS), n);
    }
}

static void sums(bosc_ctx *ctx)
{
    static const bosc_dtype types[] = {BOSC_F32, BOSC_F64, BOSC_I32, BOSC_I64, BOSC_U32, BOSC_U64};
    for (int k = 0; k < 24; k++) {
        bosc_hash_opts o = {.value_dtype = types[k % 6],
                            .value_size = (int32_t)bosc_dtype_size(types[k % 6]),
                            .duplicates = k / 6 % 2 ? BOSC_HASH_MIN : BOSC_HASH_SUM,
                            .counted = k / 12};
        compare(ctx, o, HASH_FEW, suite_slow(ctx) ? 200 : 5000);
        compare(ctx, o, HASH_EQUAL, 100);
    }
}

static const struct suite_case suite_cases_hash_build[] = {
    {"small", small, NULL},
    {"patterns", patterns, NULL},
    {"sums", sums, NULL},
};
SUITE(hash_build);
