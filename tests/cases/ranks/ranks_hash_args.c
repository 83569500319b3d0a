/* Bad arguments of tables over ranks: of a rank alone, and of one among others. */
#include "cases/ranks/ranks_data.h"

enum { N = 8 };

struct given {
    uint64_t keys[N + 1], values[N + 1], out[N + 1];
    int64_t counts[N + 1], offsets[N + 2], erased;
    uint8_t found[N];
};

static void fill(struct given *g)
{
    memset(g, 0x5a, sizeof *g);
    for (uint64_t i = 0; i <= N; i++) g->keys[i] = g->values[i] = i;
}

static const bosc_hash_opts map = {.size = sizeof map, .key_bits = 64, .value_size = 8};

static void options(bosc_ctx *ctx)
{
    bosc_comm *comm;
    bosc_ranks_hash *table = NULL;
    CHECK_OK(ctx, bosc_comm_create_self(ctx, NULL, &comm));
    CHECK_EQ(bosc_ranks_hash_create(NULL, comm, &map, &table), BOSC_ERR_ARG);
    CHECK_ARG(ctx, bosc_ranks_hash_create(ctx, NULL, &map, &table), "comm");
    CHECK_ARG(ctx, bosc_ranks_hash_create(ctx, comm, &map, NULL), "table");
    bosc_hash_opts bad[8];
    for (int i = 0; i < 8; i++) bad[i] = map;
    bad[0].size = 3;
    bad[1].layout = (bosc_hash_layout)8;
    bad[2].kind = (bosc_hash_kind)2;
    bad[3].key_bits = 33;
    bad[4].value_size = 65;
    bad[5].duplicates = (bosc_hash_duplicates)5;
    bad[6].load_factor = 2;
    bad[7].functions = 3;
    for (int i = 0; i < 8; i++) CHECK_ARG(ctx, bosc_ranks_hash_create(ctx, comm, &bad[i], &table), "opts");
    CHECK(!table);
    bosc_ranks_hash_free(NULL);
    bosc_comm_free(comm);
}

static void check_changes(bosc_ctx *ctx, bosc_ranks_hash *t, struct given *g)
{
    /* Bad arguments of the calls that change a table, each refused by its name. */
    char *keys = (char *)g->keys + 4, *values = (char *)g->values + 4;
    CHECK_EQ(bosc_ranks_hash_build(NULL, t, g->keys, g->values, N), BOSC_ERR_ARG);
    CHECK_EQ(bosc_ranks_hash_insert(NULL, t, g->keys, g->values, N), BOSC_ERR_ARG);
    CHECK_EQ(bosc_ranks_hash_erase(NULL, t, g->keys, N, &g->erased), BOSC_ERR_ARG);
    CHECK_ARG(ctx, bosc_ranks_hash_build(ctx, NULL, g->keys, g->values, N), "table");
    CHECK_ARG(ctx, bosc_ranks_hash_insert(ctx, NULL, g->keys, g->values, N), "table");
    CHECK_ARG(ctx, bosc_ranks_hash_erase(ctx, NULL, g->keys, N, &g->erased), "table");
    CHECK_ARG(ctx, bosc_ranks_hash_build(ctx, t, NULL, g->values, N), "keys");
    CHECK_ARG(ctx, bosc_ranks_hash_insert(ctx, t, NULL, g->values, N), "keys");
    CHECK_ARG(ctx, bosc_ranks_hash_erase(ctx, t, NULL, N, &g->erased), "keys");
    CHECK_ARG(ctx, bosc_ranks_hash_build(ctx, t, keys, g->values, N), "keys");
    CHECK_ARG(ctx, bosc_ranks_hash_insert(ctx, t, keys, g->values, N), "keys");
    CHECK_ARG(ctx, bosc_ranks_hash_erase(ctx, t, keys, N, &g->erased), "keys");
    CHECK_ARG(ctx, bosc_ranks_hash_build(ctx, t, g->keys, NULL, N), "values");
    CHECK_ARG(ctx, bosc_ranks_hash_insert(ctx, t, g->keys, NULL, N), "values");
    CHECK_ARG(ctx, bosc_ranks_hash_build(ctx, t, g->keys, values, N), "values");
    CHECK_ARG(ctx, bosc_ranks_hash_insert(ctx, t, g->keys, values, N), "values");
    for (int i = 0; i < 2; i++) {
        const int64_t n = i ? INT64_MIN : -1;
        CHECK_ARG(ctx, bosc_ranks_hash_build(ctx, t, g->keys, g->values, n), "n");
        CHECK_ARG(ctx, bosc_ranks_hash_insert(ctx, t, g->keys, g->values, n), "n");
        CHECK_ARG(ctx, bosc_ranks_hash_erase(ctx, t, g->keys, n, &g->erased), "n");
    }
    CHECK_STATUS(ctx, bosc_ranks_hash_build(ctx, t, g->keys, g->values, UINT32_MAX), BOSC_ERR_LIMIT);
    CHECK_STATUS(ctx, bosc_ranks_hash_insert(ctx, t, g->keys, g->values, UINT32_MAX), BOSC_ERR_LIMIT);
    CHECK_STATUS(ctx, bosc_ranks_hash_erase(ctx, t, g->keys, UINT32_MAX, &g->erased), BOSC_ERR_LIMIT);
}

static void check_queries(bosc_ctx *ctx, bosc_ranks_hash *t, struct given *g)
{
    /* Bad arguments of the queries, each refused by its name. */
    char *keys = (char *)g->keys + 4, *values = (char *)g->out + 4;
    int64_t *counts = (int64_t *)(void *)((char *)g->counts + 4);
    CHECK_EQ(bosc_ranks_hash_find(NULL, t, g->keys, N, g->out, g->found), BOSC_ERR_ARG);
    CHECK_EQ(bosc_ranks_hash_count(NULL, t, g->keys, N, g->counts), BOSC_ERR_ARG);
    CHECK_EQ(bosc_ranks_hash_retrieve(NULL, t, g->keys, N, g->offsets, NULL, 0), BOSC_ERR_ARG);
    CHECK_ARG(ctx, bosc_ranks_hash_find(ctx, NULL, g->keys, N, g->out, g->found), "table");
    CHECK_ARG(ctx, bosc_ranks_hash_count(ctx, NULL, g->keys, N, g->counts), "table");
    CHECK_ARG(ctx, bosc_ranks_hash_retrieve(ctx, NULL, g->keys, N, g->offsets, NULL, 0), "table");
    CHECK_ARG(ctx, bosc_ranks_hash_find(ctx, t, NULL, N, g->out, g->found), "queries");
    CHECK_ARG(ctx, bosc_ranks_hash_count(ctx, t, NULL, N, g->counts), "queries");
    CHECK_ARG(ctx, bosc_ranks_hash_retrieve(ctx, t, NULL, N, g->offsets, NULL, 0), "queries");
    CHECK_ARG(ctx, bosc_ranks_hash_find(ctx, t, keys, N, g->out, g->found), "queries");
    CHECK_ARG(ctx, bosc_ranks_hash_count(ctx, t, keys, N, g->counts), "queries");
    CHECK_ARG(ctx, bosc_ranks_hash_retrieve(ctx, t, keys, N, g->offsets, NULL, 0), "queries");
    CHECK_ARG(ctx, bosc_ranks_hash_find(ctx, t, g->keys, -1, g->out, g->found), "query_count");
    CHECK_ARG(ctx, bosc_ranks_hash_count(ctx, t, g->keys, -1, g->counts), "query_count");
    CHECK_ARG(ctx, bosc_ranks_hash_retrieve(ctx, t, g->keys, -1, g->offsets, NULL, 0), "query_count");
    CHECK_ARG(ctx, bosc_ranks_hash_find(ctx, t, g->keys, INT64_MAX / 4, g->out, g->found), "query_count");
    CHECK_ARG(ctx, bosc_ranks_hash_find(ctx, t, g->keys, N, values, g->found), "values");
    CHECK_ARG(ctx, bosc_ranks_hash_count(ctx, t, g->keys, N, NULL), "counts");
    CHECK_ARG(ctx, bosc_ranks_hash_count(ctx, t, g->keys, N, counts), "counts");
    CHECK_ARG(ctx, bosc_ranks_hash_retrieve(ctx, t, g->keys, N, NULL, NULL, 0), "offsets");
    CHECK_ARG(ctx, bosc_ranks_hash_retrieve(ctx, t, g->keys, N, counts, NULL, 0), "offsets");
    CHECK_ARG(ctx, bosc_ranks_hash_retrieve(ctx, t, g->keys, N, g->offsets, values, N), "values");
    CHECK_ARG(ctx, bosc_ranks_hash_retrieve(ctx, t, g->keys, N, g->offsets, g->out, -1), "capacity");
}

static void check_info(bosc_ctx *ctx, bosc_ranks_hash *t)
{
    bosc_ranks_hash_info info = {.size = sizeof info};
    CHECK_EQ(bosc_ranks_hash_get_info(NULL, t, &info), BOSC_ERR_ARG);
    CHECK_ARG(ctx, bosc_ranks_hash_get_info(ctx, NULL, &info), "table");
    CHECK_ARG(ctx, bosc_ranks_hash_get_info(ctx, t, NULL), "info");
    info.size = 3;
    CHECK_ARG(ctx, bosc_ranks_hash_get_info(ctx, t, &info), "info");
    info.size = sizeof info;
    CHECK_OK(ctx, bosc_ranks_hash_get_info(ctx, t, &info));
    CHECK_EQ(info.keys, N);
}

static void calls(bosc_ctx *ctx)
{
    bosc_comm *comm;
    bosc_ranks_hash *table;
    struct given g, fresh;
    fill(&g);
    fill(&fresh);
    CHECK_OK(ctx, bosc_comm_create_self(ctx, NULL, &comm));
    CHECK_OK(ctx, bosc_ranks_hash_create(ctx, comm, &map, &table));
    CHECK_OK(ctx, bosc_ranks_hash_build(ctx, table, g.keys, g.values, N));
    check_changes(ctx, table, &g);
    check_queries(ctx, table, &g);
    check_info(ctx, table);
    CHECK(memcmp(&g, &fresh, sizeof g) == 0);
    bosc_ranks_hash_free(table);
    bosc_comm_free(comm);
}

/* Offsets other than those of the first call, and values without room. */
static void offsets(bosc_ctx *ctx)
{
    bosc_comm *comm;
    bosc_ranks_hash *table;
    struct given g;
    fill(&g);
    CHECK_OK(ctx, bosc_comm_create_self(ctx, NULL, &comm));
    CHECK_OK(ctx, bosc_ranks_hash_create(ctx, comm, &map, &table));
    CHECK_OK(ctx, bosc_ranks_hash_build(ctx, table, g.keys, g.values, N));
    CHECK_OK(ctx, bosc_ranks_hash_retrieve(ctx, table, g.keys, N, g.offsets, NULL, 0));
    for (int i = 0; i <= N; i++) {
        g.offsets[i]++;
        CHECK_ARG(ctx, bosc_ranks_hash_retrieve(ctx, table, g.keys, N, g.offsets, g.out, N + 1), "offsets: number ");
        g.offsets[i]--;
    }
    CHECK_STATUS(ctx, bosc_ranks_hash_retrieve(ctx, table, g.keys, N, g.offsets, g.out, N - 1), BOSC_ERR_SPACE);
    CHECK(suite_begins(bosc_ctx_message(ctx), "capacity"));
    CHECK(g.out[0] == 0x5a5a5a5a5a5a5a5au);
    CHECK_OK(ctx, bosc_ranks_hash_retrieve(ctx, table, g.keys, N, g.offsets, g.out, N));
    CHECK(memcmp(g.out, g.values, N * 8) == 0);
    bosc_ranks_hash_free(table);
    bosc_comm_free(comm);
}

/* ---- one rank among others ---- */

static void call_badly(struct rank *r)
{
    /* Rank 1 passes the bad argument; all ranks return the same status, with a message that names it (and rank 1). */
    const bool bad = r->rank == 1;
    bosc_hash_opts o = map;
    bosc_ranks_hash *t = NULL;
    struct given g;
    bosc_ranks_hash_info info = {.size = bad ? 3 : sizeof info};
    fill(&g);
    if (bad) o.seed = 5;
    ranks_check_blame(r, bosc_ranks_hash_create(r->ctx, r->comm, &o, &t), BOSC_ERR_ARG,
                      "opts: seed: 5 is not the 0 of rank 0");
    if (bad) o.key_bits = 33;
    ranks_check_blame(r, bosc_ranks_hash_create(r->ctx, r->comm, &o, &t), BOSC_ERR_ARG, "opts: key_bits 33");
    CHECK(!t);
    CHECK_OK(r->ctx, bosc_ranks_hash_create(r->ctx, r->comm, &map, &t));
    CHECK_OK(r->ctx, bosc_ranks_hash_build(r->ctx, t, g.keys, g.values, N));
    ranks_check_blame(r, bosc_ranks_hash_build(r->ctx, t, bad ? NULL : g.keys, g.values, N), BOSC_ERR_ARG,
                      "keys: NULL");
    ranks_check_blame(r, bosc_ranks_hash_insert(r->ctx, t, g.keys, bad ? NULL : g.values, N), BOSC_ERR_ARG,
                      "values: NULL");
    ranks_check_blame(r, bosc_ranks_hash_erase(r->ctx, t, g.keys, bad ? -1 : N, NULL), BOSC_ERR_ARG, "n: ");
    ranks_check_blame(r, bosc_ranks_hash_find(r->ctx, t, bad ? NULL : g.keys, N, g.out, g.found), BOSC_ERR_ARG,
                      "queries: NULL");
    ranks_check_blame(r, bosc_ranks_hash_count(r->ctx, t, g.keys, N, bad ? NULL : g.counts), BOSC_ERR_ARG,
                      "counts: NULL");
    ranks_check_blame(r, bosc_ranks_hash_retrieve(r->ctx, t, g.keys, N, bad ? NULL : g.offsets, NULL, 0), BOSC_ERR_ARG,
                      "offsets: NULL");
    ranks_check_blame(r, bosc_ranks_hash_get_info(r->ctx, t, &info), BOSC_ERR_ARG, "info: ");
    CHECK_OK(r->ctx, bosc_ranks_hash_retrieve(r->ctx, t, g.keys, N, g.offsets, NULL, 0));
    ranks_check_blame(r, bosc_ranks_hash_retrieve(r->ctx, t, g.keys, N, g.offsets, bad ? NULL : g.out, N), BOSC_ERR_ARG,
                      "values: NULL, but not on all ranks");
    /* The table is as it was. */
    info.size = sizeof info;
    CHECK_OK(r->ctx, bosc_ranks_hash_get_info(r->ctx, t, &info));
    CHECK_EQ(info.keys, N);
    CHECK_EQ(info.pairs, N);
    bosc_ranks_hash_free(t);
}

static void one_of_three(bosc_ctx *ctx) { ranks_run(ctx, 3, 0, call_badly, NULL); }

static const struct suite_case suite_cases_ranks_hash_args[] = {
    {"options", options, NULL},
    {"calls", calls, NULL},
    {"offsets", offsets, NULL},
    {"one of three ranks", one_of_three, NULL},
};
SUITE(ranks_hash_args);
