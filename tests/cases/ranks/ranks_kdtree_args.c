/* k-d trees over ranks refuse bad arguments, by name, on all ranks alike, and leave everything as it was. */
#include "cases/ranks/ranks_kdtree_data.h"

#include <math.h>

#include "comm/comm.h"

/* ---- one rank ---- */

static void create(bosc_ctx *ctx)
{
    bosc_comm *comm;
    bosc_ranks_kdtree *tree = NULL;
    const bosc_kdtree_opts good = {.size = sizeof good, .dim = 3};
    static const int dims[] = {0, -1, 1025}, dtypes[] = {-1, 5, 1000}, id_bits[] = {1, 16, 65};
    CHECK_OK(ctx, bosc_comm_create_self(ctx, NULL, &comm));
    CHECK_EQ(bosc_ranks_kdtree_create(NULL, comm, &good, &tree), BOSC_ERR_ARG);
    CHECK_ARG(ctx, bosc_ranks_kdtree_create(ctx, NULL, &good, &tree), "comm");
    CHECK_ARG(ctx, bosc_ranks_kdtree_create(ctx, comm, NULL, &tree), "opts");
    CHECK_ARG(ctx, bosc_ranks_kdtree_create(ctx, comm, &good, NULL), "tree");
    for (int i = 0; i < 3; i++) {
        bosc_kdtree_opts dim = good, dtype = good, bits = good;
        dim.dim = dims[i];
        dtype.dtype = (bosc_dtype)dtypes[i];
        bits.id_bits = id_bits[i];
        CHECK_ARG(ctx, bosc_ranks_kdtree_create(ctx, comm, &dim, &tree), "opts: dim");
        CHECK_ARG(ctx, bosc_ranks_kdtree_create(ctx, comm, &dtype, &tree), "opts: dtype");
        CHECK_ARG(ctx, bosc_ranks_kdtree_create(ctx, comm, &bits, &tree), "opts: id_bits");
    }
    CHECK(!tree);
    bosc_ranks_kdtree_free(NULL);
    bosc_comm_free(comm);
}

/* A tree of one rank, of four points. */
static bosc_ranks_kdtree *tree_of_four(bosc_ctx *ctx, bosc_comm *comm, const float *points)
{
    bosc_ranks_kdtree *tree = NULL;
    const bosc_kdtree_opts opts = {.size = sizeof opts, .dim = 2};
    CHECK_OK(ctx, bosc_ranks_kdtree_create(ctx, comm, &opts, &tree));
    CHECK_OK(ctx, bosc_ranks_kdtree_build(ctx, tree, points, 4, 0));
    return tree;
}

static const float four[8] = {1, 2, 3, 4, 5, 6, 7, 8};

static void *misaligned(void *p) { return (char *)p + 1; }

static void builds(bosc_ctx *ctx)
{
    /* Each bad argument is refused by its name. */
    bosc_comm *comm;
    float points[8];
    CHECK_OK(ctx, bosc_comm_create_self(ctx, NULL, &comm));
    bosc_ranks_kdtree *tree = tree_of_four(ctx, comm, four);
    bosc_ranks_kdtree_info info = {.size = sizeof info};
    int64_t ids[4];
    CHECK_EQ(bosc_ranks_kdtree_build(NULL, tree, four, 4, 0), BOSC_ERR_ARG);
    CHECK_ARG(ctx, bosc_ranks_kdtree_build(ctx, NULL, four, 4, 0), "tree");
    CHECK_ARG(ctx, bosc_ranks_kdtree_build(ctx, tree, NULL, 4, 0), "points");
    CHECK_ARG(ctx, bosc_ranks_kdtree_build(ctx, tree, misaligned(points), 3, 0), "points");
    CHECK_ARG(ctx, bosc_ranks_kdtree_build(ctx, tree, four, -1, 0), "n");
    CHECK_ARG(ctx, bosc_ranks_kdtree_build(ctx, tree, four, 4, 1), "stride");
    CHECK_ARG(ctx, bosc_ranks_kdtree_build(ctx, tree, four, 4, -2), "stride");
    CHECK_STATUS(ctx, bosc_ranks_kdtree_build(ctx, tree, four, UINT32_MAX, 0), BOSC_ERR_LIMIT);
    memcpy(points, four, sizeof points);
    points[5] = NAN;
    CHECK_STATUS(ctx, bosc_ranks_kdtree_build(ctx, tree, points, 4, 0), BOSC_ERR_DATA);
    CHECK_ARG(ctx, bosc_ranks_kdtree_get_info(ctx, NULL, &info), "tree");
    CHECK_ARG(ctx, bosc_ranks_kdtree_get_info(ctx, tree, NULL), "info");
    info.size = 3;
    CHECK_ARG(ctx, bosc_ranks_kdtree_get_info(ctx, tree, &info), "info");
    info.size = sizeof info;
    CHECK_ARG(ctx, bosc_ranks_kdtree_get_nodes(ctx, NULL, points, ids), "tree");
    CHECK_ARG(ctx, bosc_ranks_kdtree_get_nodes(ctx, tree, misaligned(points), ids), "points");
    CHECK_ARG(ctx, bosc_ranks_kdtree_get_nodes(ctx, tree, points, misaligned(ids)), "ids");
    CHECK_EQ(bosc_ranks_kdtree_get_duplicates(NULL, tree, ids, ids), BOSC_ERR_ARG);
    CHECK_ARG(ctx, bosc_ranks_kdtree_get_duplicates(ctx, NULL, ids, ids), "tree");
    CHECK_ARG(ctx, bosc_ranks_kdtree_get_duplicates(ctx, tree, misaligned(ids), ids), "inverse");
    CHECK_ARG(ctx, bosc_ranks_kdtree_get_duplicates(ctx, tree, ids, misaligned(ids)), "counts");
    CHECK_EQ(bosc_ranks_kdtree_verify(NULL, tree, ids), BOSC_ERR_ARG);
    CHECK_ARG(ctx, bosc_ranks_kdtree_verify(ctx, NULL, ids), "tree");
    CHECK_OK(ctx, bosc_ranks_kdtree_verify(ctx, tree, NULL));
    CHECK_OK(ctx, bosc_ranks_kdtree_get_info(ctx, tree, &info));
    CHECK_EQ(info.nodes, 4);
    CHECK_OK(ctx, bosc_ranks_kdtree_get_nodes(ctx, tree, NULL, ids)); /* the tree is as it was */
    for (int i = 0; i < 4; i++) CHECK_EQ(ids[i], i);
    bosc_ranks_kdtree_free(tree);
    bosc_comm_free(comm);
}

static void knn(bosc_ctx *ctx)
{
    /* Each bad argument is refused by its name; the outputs keep their 9s. */
    bosc_comm *comm;
    CHECK_OK(ctx, bosc_comm_create_self(ctx, NULL, &comm));
    bosc_ranks_kdtree *t = tree_of_four(ctx, comm, four);
    int64_t ids[4] = {9, 9, 9, 9};
    float dist2[4] = {9, 9, 9, 9}, bad[2] = {1, NAN};
    CHECK_EQ(bosc_ranks_kdtree_knn(NULL, t, four, 2, 0, 1, ids, dist2), BOSC_ERR_ARG);
    CHECK_ARG(ctx, bosc_ranks_kdtree_knn(ctx, NULL, four, 2, 0, 1, ids, dist2), "tree");
    CHECK_ARG(ctx, bosc_ranks_kdtree_knn(ctx, t, NULL, 2, 0, 1, ids, dist2), "queries");
    CHECK_ARG(ctx, bosc_ranks_kdtree_knn(ctx, t, misaligned(bad), 1, 0, 1, ids, dist2), "queries");
    CHECK_ARG(ctx, bosc_ranks_kdtree_knn(ctx, t, four, -1, 0, 1, ids, dist2), "query_count");
    CHECK_ARG(ctx, bosc_ranks_kdtree_knn(ctx, t, four, 2, 1, 1, ids, dist2), "stride");
    CHECK_ARG(ctx, bosc_ranks_kdtree_knn(ctx, t, four, 2, 0, 0, ids, dist2), "k");
    CHECK_ARG(ctx, bosc_ranks_kdtree_knn(ctx, t, four, 2, 0, -4, ids, dist2), "k");
    CHECK_ARG(ctx, bosc_ranks_kdtree_knn(ctx, t, four, 2, 0, INT64_MAX, ids, dist2), "k");
    CHECK_ARG(ctx, bosc_ranks_kdtree_knn(ctx, t, four, 2, 0, 1, NULL, dist2), "ids");
    CHECK_ARG(ctx, bosc_ranks_kdtree_knn(ctx, t, four, 2, 0, 1, misaligned(ids), dist2), "ids");
    CHECK_ARG(ctx, bosc_ranks_kdtree_knn(ctx, t, four, 2, 0, 1, ids, misaligned(dist2)), "dist2");
    CHECK_STATUS(ctx, bosc_ranks_kdtree_knn(ctx, t, four, UINT32_MAX, 0, 1, ids, dist2), BOSC_ERR_LIMIT);
    CHECK_STATUS(ctx, bosc_ranks_kdtree_knn(ctx, t, bad, 1, 0, 1, ids, dist2), BOSC_ERR_DATA);
    CHECK_EQ(bosc_ranks_kdtree_knn_within(NULL, t, four, 2, 0, 1, 1, ids, dist2), BOSC_ERR_ARG);
    CHECK_ARG(ctx, bosc_ranks_kdtree_knn_within(ctx, NULL, four, 2, 0, 1, 1, ids, dist2), "tree");
    CHECK_ARG(ctx, bosc_ranks_kdtree_knn_within(ctx, t, NULL, 2, 0, 1, 1, ids, dist2), "queries");
    CHECK_ARG(ctx, bosc_ranks_kdtree_knn_within(ctx, t, four, -1, 0, 1, 1, ids, dist2), "query_count");
    CHECK_ARG(ctx, bosc_ranks_kdtree_knn_within(ctx, t, four, 2, 1, 1, 1, ids, dist2), "stride");
    CHECK_ARG(ctx, bosc_ranks_kdtree_knn_within(ctx, t, four, 2, 0, 0, 1, ids, dist2), "k");
    CHECK_ARG(ctx, bosc_ranks_kdtree_knn_within(ctx, t, four, 2, 0, 1, -1, ids, dist2), "radius");
    CHECK_ARG(ctx, bosc_ranks_kdtree_knn_within(ctx, t, four, 2, 0, 1, NAN, ids, dist2), "radius");
    CHECK_ARG(ctx, bosc_ranks_kdtree_knn_within(ctx, t, four, 2, 0, 1, 1, NULL, dist2), "ids");
    CHECK_ARG(ctx, bosc_ranks_kdtree_knn_within(ctx, t, four, 2, 0, 1, 1, ids, misaligned(dist2)), "dist2");
    CHECK_STATUS(ctx, bosc_ranks_kdtree_knn_within(ctx, t, bad, 1, 0, 1, 1, ids, dist2), BOSC_ERR_DATA);
    for (int i = 0; i < 4; i++) CHECK(ids[i] == 9 && dist2[i] == 9);
    bosc_ranks_kdtree_free(t);
    bosc_comm_free(comm);
}

static void rows(bosc_ctx *ctx)
{
    /* Each bad argument is refused by its name; offsets and ids stay as they were. */
    bosc_comm *comm;
    CHECK_OK(ctx, bosc_comm_create_self(ctx, NULL, &comm));
    bosc_ranks_kdtree *t = tree_of_four(ctx, comm, four);
    int64_t ids[8] = {9, 9, 9, 9, 9, 9, 9, 9}, offsets[3] = {7, 7, 7}, wrong[3] = {0, 1, 1}, falling[3] = {0, 2, 1};
    const int64_t right[3] = {0, 1, 2};
    float dist2[8], bad[4] = {1, 2, 3, NAN};
    CHECK_EQ(bosc_ranks_kdtree_radius(NULL, t, four, 2, 0, 1, offsets, NULL, NULL, 0), BOSC_ERR_ARG);
    CHECK_ARG(ctx, bosc_ranks_kdtree_radius(ctx, NULL, four, 2, 0, 1, offsets, NULL, NULL, 0), "tree");
    CHECK_ARG(ctx, bosc_ranks_kdtree_radius(ctx, t, NULL, 2, 0, 1, offsets, NULL, NULL, 0), "queries");
    CHECK_ARG(ctx, bosc_ranks_kdtree_radius(ctx, t, four, -2, 0, 1, offsets, NULL, NULL, 0), "query_count");
    CHECK_ARG(ctx, bosc_ranks_kdtree_radius(ctx, t, four, 2, 1, 1, offsets, NULL, NULL, 0), "stride");
    CHECK_ARG(ctx, bosc_ranks_kdtree_radius(ctx, t, four, 2, 0, -1, offsets, NULL, NULL, 0), "radius");
    CHECK_ARG(ctx, bosc_ranks_kdtree_radius(ctx, t, four, 2, 0, NAN, offsets, NULL, NULL, 0), "radius");
    CHECK_ARG(ctx, bosc_ranks_kdtree_radius(ctx, t, four, 2, 0, 1, NULL, NULL, NULL, 0), "offsets");
    CHECK_ARG(ctx, bosc_ranks_kdtree_radius(ctx, t, four, 2, 0, 1, misaligned(offsets), NULL, NULL, 0), "offsets");
    /* The second call, which takes offsets. */
    for (int i = 0; i < 3; i++) CHECK_EQ(offsets[i], 7);
    memcpy(offsets, right, sizeof offsets);
    CHECK_ARG(ctx, bosc_ranks_kdtree_radius(ctx, t, four, 2, 0, 1, wrong, ids, NULL, 8), "offsets");
    CHECK_ARG(ctx, bosc_ranks_kdtree_radius(ctx, t, four, 2, 0, 1, falling, ids, NULL, 8), "offsets");
    CHECK_ARG(ctx, bosc_ranks_kdtree_radius(ctx, t, four, 2, 0, 1, offsets, ids, NULL, -1), "capacity");
    CHECK_ARG(ctx, bosc_ranks_kdtree_radius(ctx, t, four, 2, 0, 1, offsets, misaligned(ids), NULL, 8), "ids");
    CHECK_ARG(ctx, bosc_ranks_kdtree_radius(ctx, t, four, 2, 0, 1, offsets, ids, misaligned(dist2), 8), "dist2");
    CHECK_STATUS(ctx, bosc_ranks_kdtree_radius(ctx, t, four, 2, 0, 1, offsets, ids, NULL, 1), BOSC_ERR_SPACE);
    CHECK_STATUS(ctx, bosc_ranks_kdtree_radius(ctx, t, bad, 2, 0, 1, offsets, ids, NULL, 8), BOSC_ERR_DATA);
    CHECK_ARG(ctx, bosc_ranks_kdtree_box(ctx, NULL, four, 2, offsets, NULL, 0), "tree");
    CHECK_ARG(ctx, bosc_ranks_kdtree_box(ctx, t, NULL, 2, offsets, NULL, 0), "boxes");
    CHECK_ARG(ctx, bosc_ranks_kdtree_box(ctx, t, four, -2, offsets, NULL, 0), "box_count");
    CHECK_ARG(ctx, bosc_ranks_kdtree_box(ctx, t, four, 2, NULL, NULL, 0), "offsets");
    CHECK_ARG(ctx, bosc_ranks_kdtree_box(ctx, t, four, 2, falling, ids, 8), "offsets");
    CHECK_STATUS(ctx, bosc_ranks_kdtree_box(ctx, t, bad, 1, offsets, NULL, 0), BOSC_ERR_DATA);
    CHECK(strstr(bosc_ctx_message(ctx), "boxes: row 1 "));
    for (int i = 0; i < 8; i++) CHECK_EQ(ids[i], 9);
    bosc_ranks_kdtree_free(t);
    bosc_comm_free(comm);
}

/* ---- one rank of three ---- */

static void blame(struct rank *r)
{
    /* Rank 1 passes the bad argument; all ranks return the same status, with a message that names it (and rank 1). */
    const bool bad = r->rank == 1;
    bosc_kdtree_opts opts = {.size = sizeof opts, .dim = bad ? 3 : 2};
    bosc_ranks_kdtree *tree = NULL;
    int64_t ids[8], offsets[5] = {0};
    float dist2[8];
    ranks_check_blame(r, bosc_ranks_kdtree_create(r->ctx, r->comm, &opts, &tree), BOSC_ERR_ARG, "opts: dim");
    ranks_check_blame(r, bosc_ranks_kdtree_create(r->ctx, r->comm, bad ? NULL : &opts, &tree), BOSC_ERR_ARG, "opts");
    CHECK(!tree);
    opts.dim = 2;
    CHECK_OK(r->ctx, bosc_ranks_kdtree_create(r->ctx, r->comm, &opts, &tree));
    ranks_check_blame(r, bosc_ranks_kdtree_build(r->ctx, tree, bad ? NULL : four, 4, 0), BOSC_ERR_ARG, "points");
    ranks_check_blame(r, bosc_ranks_kdtree_build(r->ctx, tree, four, 4, bad), BOSC_ERR_ARG, "stride");
    CHECK_OK(r->ctx, bosc_ranks_kdtree_build(r->ctx, tree, four, 4, 0));
    ranks_check_blame(r, bosc_ranks_kdtree_knn(r->ctx, tree, four, 4, 0, 1 + bad, ids, dist2), BOSC_ERR_ARG,
                      "k: 2 is not");
    ranks_check_blame(r, bosc_ranks_kdtree_knn(r->ctx, tree, four, 4, 0, 1, bad ? NULL : ids, dist2), BOSC_ERR_ARG,
                      "ids");
    ranks_check_blame(r, bosc_ranks_kdtree_knn_within(r->ctx, tree, four, 4, 0, 1, 1 + bad, ids, dist2), BOSC_ERR_ARG,
                      "radius: 2 is not");
    ranks_check_blame(r, bosc_ranks_kdtree_radius(r->ctx, tree, four, 4, 0, 1 + bad, offsets, NULL, NULL, 0),
                      BOSC_ERR_ARG, "radius: 2 is not");
    ranks_check_blame(r, bosc_ranks_kdtree_radius(r->ctx, tree, four, 4, 0, 0, bad ? NULL : offsets, NULL, NULL, 0),
                      BOSC_ERR_ARG, "offsets");
    /* Only rank 1 has queries: the others may pass NULL for ids. */
    CHECK_OK(r->ctx, bosc_ranks_kdtree_radius(r->ctx, tree, four, bad ? 2 : 0, 0, 0, offsets, NULL, NULL, 0));
    ranks_check_blame(
        r, bosc_ranks_kdtree_radius(r->ctx, tree, four, bad ? 2 : 0, 0, 0, offsets, bad ? NULL : ids, NULL, 8),
        BOSC_ERR_ARG, "ids: NULL");
    ranks_check_blame(r, bosc_ranks_kdtree_radius(r->ctx, tree, four, bad ? 2 : 0, 0, 0, offsets, ids, NULL, 5),
                      BOSC_ERR_SPACE, "capacity");
    CHECK_OK(r->ctx,
             bosc_ranks_kdtree_radius(r->ctx, tree, four, bad ? 2 : 0, 0, 0, offsets, bad ? ids : NULL, NULL, 8));
    for (int i = 0; bad && i < 6; i++) CHECK_EQ(ids[i], i / 3 + i % 3 * 4);
    bosc_ranks_kdtree_free(tree);
}

static void one_of_three(bosc_ctx *ctx) { ranks_run(ctx, 3, 0, blame, NULL); }

static const struct suite_case suite_cases_ranks_kdtree_args[] = {
    {"create", create, NULL},
    {"build", builds, NULL},
    {"knn", knn, NULL},
    {"rows", rows, NULL},
    {"one_of_three", one_of_three, NULL},
};
SUITE(ranks_kdtree_args);
