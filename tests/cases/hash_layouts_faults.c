/* Each allocation, copy and launch of building and reading tables of slots fails in turn. */
#include "support/faults.h"
#include "cases/hash_data.h"

enum { KEYS = 700, QUERIES = 40, VALUE = 12, PATTERN = 0x5c };

struct subject {
    bosc_hash_opts opts;
    struct hash_pairs pairs;
    void *queries;
    unsigned char values[QUERIES * VALUE], found[QUERIES], want_values[QUERIES * VALUE], want_found[QUERIES];
};

/* Makes a table twice, which frees and takes blocks, and asks it. */
static bosc_status build_and_find(bosc_ctx *ctx, void *user)
{
    struct subject *s = user;
    bosc_hash *table = NULL;
    bosc_status status = bosc_hash_create(ctx, &s->opts, &table);
    if (status == BOSC_OK) status = bosc_hash_build(ctx, table, s->pairs.keys, s->pairs.values, KEYS / 2);
    if (status == BOSC_OK) status = bosc_hash_build(ctx, table, s->pairs.keys, s->pairs.values, KEYS);
    if (status == BOSC_OK) status = bosc_hash_find(ctx, table, s->queries, QUERIES, s->values, s->found);
    bosc_hash_free(table);
    return status;
}

static bosc_status build_and_list(bosc_ctx *ctx, void *user)
{
    struct subject *s = user;
    bosc_hash *table = NULL;
    unsigned char *keys = suite_alloc(KEYS * 16), *values = suite_alloc((size_t)KEYS * VALUE);
    bosc_hash_info info = {.size = sizeof info};
    bosc_status status = bosc_hash_create(ctx, &s->opts, &table);
    if (status == BOSC_OK) status = bosc_hash_build(ctx, table, s->pairs.keys, s->pairs.values, KEYS);
    if (status == BOSC_OK) status = bosc_hash_get_pairs(ctx, table, keys, values, NULL);
    if (status == BOSC_OK) status = bosc_hash_get_info(ctx, table, &info);
    if (status == BOSC_OK) status = bosc_hash_find(ctx, table, s->queries, QUERIES, s->values, s->found);
    bosc_hash_free(table);
    free(keys);
    free(values);
    return status;
}

static void prepare(void *user)
{
    struct subject *s = user;
    memset(s->values, PATTERN, sizeof s->values);
    memset(s->found, PATTERN, sizeof s->found);
}

static bool untouched(void *user)
{
    const struct subject *s = user;
    for (size_t i = 0; i < sizeof s->values; i++)
        if (s->values[i] != PATTERN) return false;
    for (size_t i = 0; i < sizeof s->found; i++)
        if (s->found[i] != PATTERN) return false;
    return true;
}

static bool right(void *user)
{
    const struct subject *s = user;
    return memcmp(s->values, s->want_values, sizeof s->values) == 0 &&
           memcmp(s->found, s->want_found, sizeof s->found) == 0;
}

/* With more than two threads the same passages come as with two, and each takes longer. */
static void sweep(bosc_ctx *ctx, bosc_hash_layout layout, enum hash_pattern pattern,
                  bosc_status (*call)(bosc_ctx *ctx, void *user))
{
    struct subject s = {
        .opts = {.size = sizeof s.opts, .layout = layout, .key_bits = 64, .value_size = VALUE, .seed = 3}};
    if (ctx->threads > 2) return;
    s.pairs = hash_make(pattern, &s.opts, 1, KEYS);
    s.queries = hash_queries(&s.pairs, 2, QUERIES);
    CHECK_OK(ctx, call(ctx, &s));
    memcpy(s.want_values, s.values, sizeof s.values);
    memcpy(s.want_found, s.found, sizeof s.found);
    struct fault_sweep sweep = {.call = call, .prepare = prepare, .untouched = untouched, .right = right, .user = &s};
    CHECK(fault_sweep(ctx, &sweep) > 3);
    hash_free_pairs(&s.pairs);
    free(s.queries);
}

static void perfect(bosc_ctx *ctx)
{
    sweep(ctx, BOSC_HASH_PERFECT, HASH_RANDOM, build_and_find);
    sweep(ctx, BOSC_HASH_PERFECT, HASH_FEW, build_and_list);
}

static void hybrid(bosc_ctx *ctx)
{
    sweep(ctx, BOSC_HASH_HYBRID, HASH_RANDOM, build_and_find);
    sweep(ctx, BOSC_HASH_HYBRID, HASH_FEW, build_and_list);
}

static void fks(bosc_ctx *ctx)
{
    sweep(ctx, BOSC_HASH_FKS, HASH_RANDOM, build_and_find);
    sweep(ctx, BOSC_HASH_FKS, HASH_FEW, build_and_list);
}

static const struct suite_case suite_cases_hash_layouts_faults[] = {
    {"perfect", perfect, NULL},
    {"hybrid", hybrid, NULL},
    {"fks", fks, NULL},
};
SUITE(hash_layouts_faults);
