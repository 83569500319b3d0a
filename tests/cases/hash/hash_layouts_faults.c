/* Each allocation, copy and launch of building and reading tables of slots fails in turn. */
#include "support/faults.h"
#include "cases/hash/hash_data.h"

enum { KEYS = 700, QUERIES = 40, VALUE = 12, PATTERN = 0x5c };

struct subject {
    bosc_hash_opts opts;
    struct hash_pairs pairs;
    void *queries;
    unsigned char values[QUERIES * VALUE], found[QUERIES], want_values[QUERIES * VALUE], want_found[QUERIES];
};

/* Builds a table twice, which frees and allocates blocks, and queries it. */
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

static void cuckoo(bosc_ctx *ctx)
{
    sweep(ctx, BOSC_HASH_CUCKOO, HASH_RANDOM, build_and_find);
    sweep(ctx, BOSC_HASH_CUCKOO, HASH_FEW, build_and_list);
}

static void chained(bosc_ctx *ctx)
{
    sweep(ctx, BOSC_HASH_CHAINED, HASH_RANDOM, build_and_find);
    sweep(ctx, BOSC_HASH_CHAINED, HASH_FEW, build_and_list);
}

static void fks(bosc_ctx *ctx)
{
    sweep(ctx, BOSC_HASH_FKS, HASH_RANDOM, build_and_find);
    sweep(ctx, BOSC_HASH_FKS, HASH_FEW, build_and_list);
}

/* A table under change: the pairs it held before, and the pairs inserted. */
struct changing {
    bosc_hash_opts opts;
    struct hash_pairs pairs, more;
    bosc_hash *table;
    int64_t erased;
};

static void open_table(bosc_ctx *ctx, void *user)
{
    struct changing *c = user;
    CHECK_OK(ctx, bosc_hash_create(ctx, &c->opts, &c->table));
    CHECK_OK(ctx, bosc_hash_build(ctx, c->table, c->pairs.keys, c->pairs.values, c->pairs.n));
}

static void close_table(void *user) { bosc_hash_free(((struct changing *)user)->table); }

static bosc_status erase_some(bosc_ctx *ctx, void *user)
{
    struct changing *c = user;
    return bosc_hash_erase(ctx, c->table, c->pairs.keys, 9, &c->erased);
}

/* After a failure *erased is unchanged. Nine keys are erased, or none if a failed call had erased them. */
static void prepare_erase(void *user) { ((struct changing *)user)->erased = -77; }
static bool erase_untouched(void *user) { return ((struct changing *)user)->erased == -77; }
static bool erase_right(void *user)
{
    const struct changing *c = user;
    return c->erased == 9 || c->erased == 0;
}

static void erase(bosc_ctx *ctx)
{
    for (int layout = BOSC_HASH_AUTO; layout <= BOSC_HASH_ORDERED; layout++) {
        struct changing c = {
            .opts = {.size = sizeof c.opts, .layout = (bosc_hash_layout)layout, .key_bits = 64, .value_size = 4}};
        struct fault_sweep sweep = {.call = erase_some,
                                    .open = open_table,
                                    .close = close_table,
                                    .prepare = prepare_erase,
                                    .untouched = erase_untouched,
                                    .right = erase_right,
                                    .user = &c};
        c.pairs = hash_make(HASH_SEQUENCE, &c.opts, 1, 300);
        fault_sweep(ctx, &sweep);
        hash_free_pairs(&c.pairs);
    }
}

#ifdef BOSC_FAULTS
/* Number of these pairs that the table holds, with their values. */
static int64_t count_held(bosc_ctx *ctx, const bosc_hash *table, const struct hash_pairs *p)
{
    int64_t held = 0;
    uint32_t *values = suite_alloc((size_t)p->n * 4);
    uint8_t *found = suite_alloc((size_t)p->n);
    CHECK_OK(ctx, bosc_hash_find(ctx, table, p->keys, p->n, values, found));
    for (int64_t i = 0; i < p->n; i++) held += found[i] && values[i] == ((const uint32_t *)p->values)[i];
    free(values);
    free(found);
    return held;
}

/* After a failed insertion in place the table is as it was, or empty; never half of it. */
static void insert_in_place(bosc_ctx *ctx)
{
    struct changing c = {.opts = {.size = sizeof c.opts, .key_bits = 64, .value_size = 4, .load_factor = 0.6}};
    bosc_status status = BOSC_ERR_DEVICE;
    c.pairs = hash_make(HASH_SEQUENCE, &c.opts, 1, 2000);
    c.more = hash_make(HASH_RANDOM, &c.opts, 2, 50);
    for (int64_t k = 0; status != BOSC_OK; k++) {
        open_table(ctx, &c);
        int64_t buckets = c.table->buckets;
        bi_fault_arm(FAULTS_OF_CALLS, k, false);
        status = bosc_hash_insert(ctx, c.table, c.more.keys, c.more.values, c.more.n);
        bi_fault_disarm();
        if (c.table->keys > 0) CHECK_EQ(count_held(ctx, c.table, &c.pairs), c.pairs.n);
        if (c.table->keys > 0) CHECK_EQ(c.table->buckets, buckets); /* it was in place */
        CHECK_EQ(c.table->keys, status == BOSC_OK ? 2050 : c.table->keys ? 2000 : 0);
        CHECK_EQ(count_held(ctx, c.table, &c.more), status == BOSC_OK ? 50 : 0);
        close_table(&c);
    }
    hash_free_pairs(&c.pairs);
    hash_free_pairs(&c.more);
}
#endif

static const struct suite_case suite_cases_hash_layouts_faults[] = {
    {"erase", erase, NULL},
#ifdef BOSC_FAULTS
    {"insert in place", insert_in_place, NULL},
#endif
    {"perfect", perfect, NULL},
    {"hybrid", hybrid, NULL},
    {"fks", fks, NULL},
    {"cuckoo", cuckoo, NULL},
    {"chained", chained, NULL},
};
SUITE(hash_layouts_faults);
