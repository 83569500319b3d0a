/* Bad arguments of the calls that compute and reserve the memory of trees and tables over ranks. */
#include <boscage/ranks.h>

#include "support/ranks.h"

static const bosc_kdtree_opts tree_opts = {.size = sizeof tree_opts, .dim = 2, .id_bits = 32};
static const bosc_hash_opts table_opts = {.size = sizeof table_opts, .key_bits = 64, .value_size = 8};
static const int64_t LIMIT = (int64_t)UINT32_MAX;

static void tree(bosc_ctx *ctx)
{
    /* Bad sizes are refused by name, sizes beyond the id type as a limit; nothing is reserved and no output written. */
    bosc_comm *comm;
    bosc_ranks_kdtree *tree = NULL, *tree_of_64_bit_ids = NULL;
    bosc_ranks_kdtree_info info = {.size = sizeof info};
    bosc_kdtree_opts o = tree_opts;
    int64_t kept = 7, scratch = 7;
    CHECK_OK(ctx, bosc_comm_create_self(ctx, NULL, &comm));
    CHECK_OK(ctx, bosc_ranks_kdtree_create(ctx, comm, &o, &tree));
    o.id_bits = 64;
    CHECK_OK(ctx, bosc_ranks_kdtree_create(ctx, comm, &o, &tree_of_64_bit_ids));
    CHECK_EQ(bosc_ranks_kdtree_reserve(NULL, tree, 1, 1), BOSC_ERR_ARG);
    CHECK_ARG(ctx, bosc_ranks_kdtree_reserve(ctx, NULL, 1, 1), "tree");
    CHECK_ARG(ctx, bosc_ranks_kdtree_reserve(ctx, tree, -1, 1), "n");
    CHECK_ARG(ctx, bosc_ranks_kdtree_reserve(ctx, tree, 1, 0), "total: 0 is less than n, 1");
    CHECK_ARG(ctx, bosc_ranks_kdtree_reserve(ctx, tree, 0, INT64_MIN), "total");
    CHECK_STATUS(ctx, bosc_ranks_kdtree_reserve(ctx, tree, LIMIT, LIMIT), BOSC_ERR_LIMIT);
    CHECK_STATUS(ctx, bosc_ranks_kdtree_reserve(ctx, tree, 0, LIMIT), BOSC_ERR_LIMIT);
    CHECK_STATUS(ctx, bosc_ranks_kdtree_reserve(ctx, tree_of_64_bit_ids, 0, INT64_MAX), BOSC_ERR_LIMIT);
    CHECK_OK(ctx, bosc_ranks_kdtree_get_info(ctx, tree, &info));
    CHECK_EQ(info.bytes, 0);
    CHECK_EQ(bosc_ranks_kdtree_bytes(NULL, comm, &tree_opts, 1, 1, &kept, &scratch), BOSC_ERR_ARG);
    CHECK_ARG(ctx, bosc_ranks_kdtree_bytes(ctx, NULL, &tree_opts, 1, 1, &kept, &scratch), "comm");
    CHECK_ARG(ctx, bosc_ranks_kdtree_bytes(ctx, comm, NULL, 1, 1, &kept, &scratch), "opts");
    o.dim = 0;
    CHECK_ARG(ctx, bosc_ranks_kdtree_bytes(ctx, comm, &o, 1, 1, &kept, &scratch), "opts: dim");
    CHECK_ARG(ctx, bosc_ranks_kdtree_bytes(ctx, comm, &tree_opts, -1, 1, &kept, &scratch), "n");
    CHECK_ARG(ctx, bosc_ranks_kdtree_bytes(ctx, comm, &tree_opts, 2, 1, &kept, &scratch), "total");
    CHECK_STATUS(ctx, bosc_ranks_kdtree_bytes(ctx, comm, &tree_opts, 0, LIMIT, &kept, &scratch), BOSC_ERR_LIMIT);
    o = (bosc_kdtree_opts){.size = sizeof o, .dim = 2, .builder = BOSC_KDTREE_BROWN, .sort_halves = 1};
    CHECK_ARG(ctx, bosc_ranks_kdtree_bytes(ctx, comm, &o, 1, 1, &kept, &scratch), "opts: sort_halves");
    CHECK(kept == 7 && scratch == 7);
    CHECK_OK(ctx, bosc_ranks_kdtree_bytes(ctx, comm, &tree_opts, 0, 0, NULL, NULL));
    bosc_ranks_kdtree_free(tree);
    bosc_ranks_kdtree_free(tree_of_64_bit_ids);
    bosc_comm_free(comm);
}

static void table(bosc_ctx *ctx)
{
    /* Bad sizes are refused by name, sizes beyond the id type as a limit; nothing is reserved and no output written. */
    bosc_comm *comm;
    bosc_ranks_hash *table = NULL;
    bosc_ranks_hash_info info = {.size = sizeof info};
    bosc_hash_opts o = table_opts;
    int64_t kept = 7, scratch = 7;
    CHECK_OK(ctx, bosc_comm_create_self(ctx, NULL, &comm));
    CHECK_OK(ctx, bosc_ranks_hash_create(ctx, comm, &o, &table));
    CHECK_OK(ctx, bosc_ranks_hash_get_info(ctx, table, &info));
    const int64_t empty = info.bytes;
    CHECK_EQ(bosc_ranks_hash_reserve(NULL, table, 1, 1), BOSC_ERR_ARG);
    CHECK_ARG(ctx, bosc_ranks_hash_reserve(ctx, NULL, 1, 1), "table");
    CHECK_ARG(ctx, bosc_ranks_hash_reserve(ctx, table, -1, 1), "n");
    CHECK_ARG(ctx, bosc_ranks_hash_reserve(ctx, table, 1, 0), "total: 0 is less than n, 1");
    CHECK_ARG(ctx, bosc_ranks_hash_reserve(ctx, table, 0, INT64_MIN), "total");
    CHECK_STATUS(ctx, bosc_ranks_hash_reserve(ctx, table, LIMIT, LIMIT), BOSC_ERR_LIMIT);
    CHECK_STATUS(ctx, bosc_ranks_hash_reserve(ctx, table, 0, LIMIT), BOSC_ERR_LIMIT);
    CHECK_STATUS(ctx, bosc_ranks_hash_reserve(ctx, table, 0, INT64_MAX), BOSC_ERR_LIMIT);
    CHECK_OK(ctx, bosc_ranks_hash_get_info(ctx, table, &info));
    CHECK_EQ(info.bytes, empty);
    CHECK_EQ(bosc_ranks_hash_bytes(NULL, comm, &o, 1, 1, &kept, &scratch), BOSC_ERR_ARG);
    CHECK_ARG(ctx, bosc_ranks_hash_bytes(ctx, NULL, &o, 1, 1, &kept, &scratch), "comm");
    CHECK_ARG(ctx, bosc_ranks_hash_bytes(ctx, comm, &o, -1, 1, &kept, &scratch), "n");
    CHECK_ARG(ctx, bosc_ranks_hash_bytes(ctx, comm, &o, 2, 1, &kept, &scratch), "total");
    CHECK_STATUS(ctx, bosc_ranks_hash_bytes(ctx, comm, &o, 0, LIMIT, &kept, &scratch), BOSC_ERR_LIMIT);
    o.key_bits = 33;
    CHECK_ARG(ctx, bosc_ranks_hash_bytes(ctx, comm, &o, 1, 1, &kept, &scratch), "opts: key_bits");
    o.size = 3;
    CHECK_ARG(ctx, bosc_ranks_hash_bytes(ctx, comm, &o, 1, 1, &kept, &scratch), "opts");
    CHECK(kept == 7 && scratch == 7);
    CHECK_OK(ctx, bosc_ranks_hash_bytes(ctx, comm, NULL, 0, 0, NULL, NULL));
    bosc_ranks_hash_free(table);
    bosc_comm_free(comm);
}

/* ---- one rank of three ---- */

static void blame(struct rank *r)
{
    const bool bad = r->rank == 1;
    bosc_ranks_kdtree *tree = NULL;
    bosc_ranks_hash *table = NULL;
    CHECK_OK(r->ctx, bosc_ranks_kdtree_create(r->ctx, r->comm, &tree_opts, &tree));
    CHECK_OK(r->ctx, bosc_ranks_hash_create(r->ctx, r->comm, &table_opts, &table));
    ranks_check_blame(r, bosc_ranks_kdtree_reserve(r->ctx, tree, bad ? -1 : 4, 20), BOSC_ERR_ARG, "n");
    ranks_check_blame(r, bosc_ranks_kdtree_reserve(r->ctx, tree, 4, 20 + bad), BOSC_ERR_ARG, "total: 21 is not the 20");
    ranks_check_blame(r, bosc_ranks_hash_reserve(r->ctx, table, bad ? LIMIT : 4, LIMIT), BOSC_ERR_LIMIT, "n");
    ranks_check_blame(r, bosc_ranks_hash_reserve(r->ctx, table, 4, 20 + bad), BOSC_ERR_ARG, "total: 21 is not the 20");
    CHECK_OK(r->ctx, bosc_ranks_kdtree_reserve(r->ctx, tree, 4 + r->rank, 20));
    CHECK_OK(r->ctx, bosc_ranks_hash_reserve(r->ctx, table, 4 + r->rank, 20));
    bosc_ranks_kdtree_free(tree);
    bosc_ranks_hash_free(table);
}

static void one_of_three(bosc_ctx *ctx) { ranks_run(ctx, 3, 0, blame, NULL); }

static const struct suite_case suite_cases_ranks_reserve_args[] = {
    {"tree", tree, NULL},
    {"table", table, NULL},
    {"one of three ranks", one_of_three, NULL},
};
SUITE(ranks_reserve_args);
