/* Tables over ranks answer as one table that gets the pairs of all ranks, rank after rank. */
#include "cases/ranks/ranks_data.h"
#include "cases/hash/hash_data.h"

enum { STAGES = 5 };

/* The answers of one table to the queries. */
struct answers {
    unsigned char *values, *found, *all;
    int64_t *counts, *offsets, erased;
    bosc_hash_info info;
};

struct problem {
    bosc_hash_opts opts;
    struct hash_pairs built, inserted;
    void *gone, *queries;
    int64_t gone_count, query_count;
    uint64_t seed;
    bool on_device;
    struct answers stages[STAGES];
    bosc_status status[STAGES];
    char messages[STAGES][64]; /* of failures */
};

/* ---- one table ---- */

static void expected_answers(bosc_ctx *ctx, const bosc_hash *table, const struct problem *p, struct answers *a)
{
    const size_t m = (size_t)p->query_count, size = (size_t)p->opts.value_size;
    a->values = suite_alloc(m * size), a->found = suite_alloc(m);
    a->counts = suite_alloc(m * 8), a->offsets = suite_alloc((m + 1) * 8);
    CHECK_OK(ctx, bosc_hash_find(ctx, table, p->queries, p->query_count, a->values, a->found));
    CHECK_OK(ctx, bosc_hash_count(ctx, table, p->queries, p->query_count, a->counts));
    CHECK_OK(ctx, bosc_hash_retrieve(ctx, table, p->queries, p->query_count, a->offsets, NULL, 0));
    a->all = suite_alloc((size_t)a->offsets[m] * size + 1);
    CHECK_OK(ctx, bosc_hash_retrieve(ctx, table, p->queries, p->query_count, a->offsets, a->all, a->offsets[m]));
    a->info.size = sizeof a->info;
    CHECK_OK(ctx, bosc_hash_get_info(ctx, table, &a->info));
}

/* The calls whose answers are compared after each: nothing, a build, an insertion, an erasure, an insertion again. */
static void make_stage(bosc_ctx *ctx, bosc_hash *table, struct problem *p, int stage)
{
    bosc_status status = BOSC_OK;
    const struct hash_pairs *b = &p->built, *i = &p->inserted;
    if (stage == 1) status = bosc_hash_build(ctx, table, b->keys, b->values, b->n);
    if (stage == 2 || stage == 4) status = bosc_hash_insert(ctx, table, i->keys, i->values, i->n);
    if (stage == 3) status = bosc_hash_erase(ctx, table, p->gone, p->gone_count, &p->stages[stage].erased);
    p->status[stage] = status;
    if (status != BOSC_OK) {
        CHECK_STATUS(ctx, status, BOSC_ERR_DATA);
        snprintf(p->messages[stage], sizeof p->messages[stage], "%s", bosc_ctx_message(ctx));
    }
    expected_answers(ctx, table, p, &p->stages[stage]);
}

/* ---- a table over ranks ---- */

static bosc_status change(struct rank *r, bosc_ranks_hash *table, const struct problem *p, int stage)
{
    const struct hash_pairs *pairs = stage == 1 ? &p->built : &p->inserted;
    const size_t key = (size_t)pairs->key_bits / 8, size = (size_t)pairs->value_size;
    const struct ranks_trial_slice s =
        ranks_slice_of(r, p->seed + (uint64_t)stage, stage == 3 ? p->gone_count : pairs->n);
    struct array keys = ranks_array(r, stage == 3 ? p->gone : pairs->keys, key, s, p->on_device);
    struct array values = ranks_array(r, pairs->values, stage == 3 ? 0 : size, s, p->on_device);
    int64_t erased = -1;
    bosc_status status = BOSC_OK;
    if (stage == 1) status = bosc_ranks_hash_build(r->ctx, table, keys.p, values.p, s.n);
    if (stage == 2 || stage == 4) status = bosc_ranks_hash_insert(r->ctx, table, keys.p, values.p, s.n);
    if (stage == 3) {
        status = bosc_ranks_hash_erase(r->ctx, table, keys.p, s.n, &erased);
        CHECK_EQ(erased, p->stages[stage].erased);
    }
    array_free(r->ctx, &keys);
    array_free(r->ctx, &values);
    return status;
}

static void check_rows(struct rank *r, const bosc_ranks_hash *table, const struct problem *p, const struct answers *a,
                       struct ranks_trial_slice s, const struct array *queries)
{
    const size_t size = (size_t)p->opts.value_size;
    const int64_t first = a->offsets[s.begin], total = a->offsets[s.begin + s.n] - first;
    const struct ranks_trial_slice rows = {first, total}, with_end = {0, s.n + 1};
    int64_t *want = suite_alloc(((size_t)s.n + 1) * 8);
    for (int64_t i = 0; i <= s.n; i++) want[i] = a->offsets[s.begin + i] - first;
    struct array offsets = ranks_array(r, NULL, 8, with_end, p->on_device);
    struct array values = ranks_array(r, NULL, size, rows, p->on_device);
    CHECK_OK(r->ctx, bosc_ranks_hash_retrieve(r->ctx, table, queries->p, s.n, offsets.p, NULL, 0));
    CHECK(ranks_equals(r, &offsets, want, 8, with_end));
    CHECK_OK(r->ctx, bosc_ranks_hash_retrieve(r->ctx, table, queries->p, s.n, offsets.p, values.p, total));
    CHECK(ranks_equals(r, &values, a->all, size, rows));
    free(want);
    array_free(r->ctx, &offsets);
    array_free(r->ctx, &values);
}

static void check_answers(struct rank *r, const bosc_ranks_hash *table, const struct problem *p, int stage)
{
    const struct answers *a = &p->stages[stage];
    const size_t key = (size_t)p->built.key_bits / 8, size = (size_t)p->opts.value_size;
    const struct ranks_trial_slice s = ranks_slice_of(r, p->seed + 10 + (uint64_t)stage, p->query_count);
    struct array queries = ranks_array(r, p->queries, key, s, p->on_device);
    struct array values = ranks_array(r, NULL, size, s, p->on_device), found = ranks_array(r, NULL, 1, s, p->on_device);
    struct array counts = ranks_array(r, NULL, 8, s, p->on_device);
    void *wanted = r->rank == 1 ? NULL : values.p; /* that one rank wants no values is no failure */
    CHECK_OK(r->ctx, bosc_ranks_hash_find(r->ctx, table, queries.p, s.n, wanted, found.p));
    CHECK_OK(r->ctx, bosc_ranks_hash_count(r->ctx, table, queries.p, s.n, counts.p));
    if (wanted) CHECK(ranks_equals(r, &values, a->values, size, s));
    CHECK(ranks_equals(r, &found, a->found, 1, s));
    CHECK(ranks_equals(r, &counts, a->counts, 8, s));
    check_rows(r, table, p, a, s, &queries);
    bosc_ranks_hash_info info = {.size = sizeof info};
    CHECK_OK(r->ctx, bosc_ranks_hash_get_info(r->ctx, table, &info));
    CHECK_EQ(info.pairs, a->info.pairs);
    CHECK_EQ(info.keys, a->info.keys);
    CHECK(info.own_keys <= info.keys && info.own_pairs <= info.pairs && info.own_bytes <= info.bytes);
    CHECK(info.load_factor == (info.slots ? (double)info.keys / (double)info.slots : 0));
    array_free(r->ctx, &queries);
    array_free(r->ctx, &values);
    array_free(r->ctx, &found);
    array_free(r->ctx, &counts);
}

static void follow_stages(struct rank *r)
{
    const struct problem *p = r->user;
    bosc_ranks_hash *table = NULL;
    CHECK_OK(r->ctx, bosc_ranks_hash_create(r->ctx, r->comm, &p->opts, &table));
    for (int stage = 0; stage < STAGES; stage++) {
        ranks_fill_scratch(r->ctx);
        CHECK_STATUS(r->ctx, change(r, table, p, stage), p->status[stage]);
        if (p->status[stage] != BOSC_OK) CHECK(strstr(bosc_ctx_message(r->ctx), p->messages[stage]));
        check_answers(r, table, p, stage);
    }
    bosc_ranks_hash_free(table);
}

static void compare(bosc_ctx *ctx, bosc_hash_opts o, enum hash_pattern pattern, int64_t n, int32_t ranks, uint64_t seed)
{
    if (suite_leaves_out()) return;
    bosc_hash *table;
    o.size = sizeof o;
    struct problem p = {.opts = o, .seed = seed, .on_device = seed % 2 && has_device_memory(ctx)};
    p.built = hash_make(pattern, &o, seed, n);
    p.inserted = hash_make(pattern, &o, seed + 1, n / 3);
    p.gone_count = n / 4, p.query_count = n / 2 + 50;
    if (p.opts.kind == BOSC_HASH_MULTIMAP && pattern == HASH_EQUAL) p.query_count = 20;
    p.gone = hash_queries(&p.built, seed + 2, p.gone_count);
    p.queries = hash_queries(&p.built, seed + 3, p.query_count);
    CHECK_OK(ctx, bosc_hash_create(ctx, &o, &table));
    for (int stage = 0; stage < STAGES; stage++) make_stage(ctx, table, &p, stage);
    ranks_run(ctx, ranks, 0, follow_stages, &p);
    bosc_hash_free(table);
    for (int stage = 0; stage < STAGES; stage++) {
        const struct answers *a = &p.stages[stage];
        void *blocks[] = {a->values, a->found, a->all, a->counts, a->offsets};
        for (int i = 0; i < 5; i++) free(blocks[i]);
    }
    hash_free_pairs(&p.built);
    hash_free_pairs(&p.inserted);
    free(p.gone);
    free(p.queries);
}

static void options(bosc_ctx *ctx)
{
    for (int k = 0; k < 60; k++)
        compare(ctx, hash_options(k), (enum hash_pattern)(k % HASH_PATTERNS), 10 + 9 * k, ranks_sizes[k % 5],
                (uint64_t)(k + k / 5));
}

static void layouts(bosc_ctx *ctx)
{
    for (int layout = BOSC_HASH_AUTO; layout <= BOSC_HASH_ORDERED; layout++)
        for (int form = 0; form < 3; form++) {
            const bosc_hash_opts o = {.layout = (bosc_hash_layout)layout,
                                      .kind = form == 1 ? BOSC_HASH_MULTIMAP : BOSC_HASH_MAP,
                                      .value_size = 4,
                                      .counted = form == 2};
            compare(ctx, o, HASH_FEW, 300, ranks_sizes[1 + (layout + form) % 4], (uint64_t)(layout + form));
        }
}

/* Sums of floats are added in the order of the pairs of all ranks. Keys that must not repeat do so across ranks. */
static void duplicates(bosc_ctx *ctx)
{
    for (int k = 0; k < 16; k++) {
        const bosc_dtype types[] = {BOSC_F32, BOSC_F64, BOSC_I32, BOSC_U64};
        const bosc_hash_opts o = {.duplicates = (bosc_hash_duplicates)(k % 4 + 1),
                                  .value_dtype = types[k / 4],
                                  .value_size = (int32_t)bosc_dtype_size(types[k / 4])};
        compare(ctx, o, k % 3 ? HASH_FEW : HASH_RANDOM, 400, ranks_sizes[k % 5], (uint64_t)k);
        if (o.duplicates == BOSC_HASH_ERROR) compare(ctx, o, HASH_SEQUENCE, 100, ranks_sizes[(k + 1) % 5], (uint64_t)k);
    }
}

/* Ranks get equal shares of any kind of keys, and their tables are as dense as others. */
static void share(struct rank *r)
{
    const struct hash_pairs *p = r->user;
    const bosc_hash_opts o = {.size = sizeof o, .key_bits = p->key_bits};
    const struct ranks_trial_slice s = ranks_slice_of(r, 0, p->n);
    bosc_ranks_hash *table = NULL;
    bosc_ranks_hash_info info = {.size = sizeof info};
    CHECK_OK(r->ctx, bosc_ranks_hash_create(r->ctx, r->comm, &o, &table));
    CHECK_OK(r->ctx,
             bosc_ranks_hash_build(r->ctx, table, (const char *)p->keys + s.begin * p->key_bits / 8, NULL, s.n));
    CHECK_OK(r->ctx, bosc_ranks_hash_get_info(r->ctx, table, &info));
    CHECK_EQ(info.keys, p->n);
    CHECK(info.own_keys * r->rank_count > p->n * 8 / 10 && info.own_keys * r->rank_count < p->n * 12 / 10);
    CHECK(info.load_factor > 0.7);
    bosc_ranks_hash_free(table);
}

static void shares(bosc_ctx *ctx)
{
    if (suite_slow(ctx)) return;
    for (int k = 0; k < 6; k++) {
        const bosc_hash_opts o = {.key_bits = 32 << k % 3};
        struct hash_pairs p = hash_make(k < 3 ? HASH_SEQUENCE : HASH_ONE_PARTITION, &o, 1, 40000);
        ranks_run(ctx, 4, 0, share, &p);
        hash_free_pairs(&p);
    }
}

/* More rows than a tile of a route has, in which the order of equal keys shows. */
static void tiles(bosc_ctx *ctx)
{
    for (int k = 0; k < 4; k++) {
        const bosc_hash_opts o = {.key_bits = k % 2 ? 64 : 32,
                                  .duplicates = k < 2 ? BOSC_HASH_FIRST : BOSC_HASH_LAST,
                                  .value_size = k % 2 ? 8 : 4};
        compare(ctx, o, HASH_FEW, 9000, ranks_sizes[1 + k], (uint64_t)k);
    }
}

static const struct suite_case suite_cases_ranks_hash[] = {
    {"options", options, NULL}, {"layouts", layouts, NULL}, {"duplicates", duplicates, NULL},
    {"shares", shares, NULL},   {"tiles", tiles, NULL},
};
SUITE(ranks_hash);
