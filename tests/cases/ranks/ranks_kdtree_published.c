/* The published build on 2, 4 and 8 ranks: the tree of one context, for any partition of the points. */
#include "cases/ranks/ranks_kdtree_data.h"

#include <stdio.h>

/* Partitions of the points, besides the seeds of ranks_slice. */
enum { ALL_OF_FIRST = 100, ALL_OF_LAST, ONE_OF_FIRST, ONE_OF_LAST };

enum { MAX_RANKS = 8 };

static bosc_ranks_kdtree *build_slice(const struct rank *r, const struct ranks_trial *t)
{
    const int64_t n = t->points.n;
    int64_t cut;
    switch (t->seed) {
    case ALL_OF_FIRST: cut = n; break;
    case ALL_OF_LAST: cut = 0; break;
    case ONE_OF_FIRST: cut = n > 0; break;
    case ONE_OF_LAST: cut = n - (n > 0); break;
    default: return ranks_build(r, t);
    }
    bosc_ranks_kdtree *tree = NULL;
    const char *data = t->points.data;
    const int64_t begin = r->rank == 0 ? 0 : cut, end = r->rank == r->rank_count - 1 ? n : cut;
    CHECK_OK(r->ctx, bosc_ranks_kdtree_create(r->ctx, r->comm, &t->opts, &tree));
    CHECK_OK(r->ctx,
             bosc_ranks_kdtree_build(r->ctx, tree,
                                     begin == end ? NULL : data + (size_t)(begin * t->points.stride) * ranks_element(t),
                                     end - begin, t->points.stride));
    return tree;
}

static void check_rank(struct rank *r)
{
    const struct ranks_trial *t = r->user;
    bosc_ranks_kdtree *tree = build_slice(r, t);
    ranks_check_shard(r, t, tree);
    bosc_ranks_kdtree_free(tree);
}

static void check(bosc_ctx *ctx, struct ranks_trial *t)
{
    ranks_begin(ctx, t);
    for (int32_t ranks = 2; ranks <= MAX_RANKS; ranks *= 2)
        if (!suite_leaves_out()) ranks_run(ctx, ranks, 0, check_rank, t);
    ranks_end(t);
}

static struct ranks_trial trial_of(bosc_dtype dtype, int32_t dim, int removed, uint64_t seed)
{
    struct ranks_trial t = {.seed = seed, .opts = {.size = sizeof t.opts, .dtype = dtype, .dim = dim}};
    t.opts.duplicates = (bosc_kdtree_duplicates)removed;
    t.opts.id_bits = seed % 2 ? 32 : 64;
    kd_set_builder(&t.opts, KD_BROWN_HALVES);
    t.opts.full_coordinates = (seed + (uint64_t)dim) % 2 == 0;
    return t;
}

static void every_type_and_shape(bosc_ctx *ctx)
{
    static const bosc_dtype dtypes[] = {BOSC_F32, BOSC_F64, BOSC_I32, BOSC_I64};
    for (int shape = 0; shape < KD_SHAPES; shape++)
        for (int32_t dim = 1; dim <= 5; dim++)
            for (int removed = 0; removed < 2; removed++) {
                const int kind = (shape * 5 + dim) * 2 + removed;
                const bosc_dtype dtype = dtypes[(shape + dim + removed) % 4];
                struct suite_random r = {(uint64_t)kind + 1};
                struct ranks_trial t = trial_of(dtype, dim, removed, (uint64_t)kind % 5);
                t.points = kd_points(&r, dtype, dim, (suite_slow(ctx) ? 100 : 700) + 13 * kind, dim + kind % 2,
                                     (enum kd_shape)shape);
                check(ctx, &t);
            }
}

/* Every small number of points, and every partition of them. */
static void few_points_any_partition(bosc_ctx *ctx)
{
    for (int64_t n = 0; n < 24; n += n < 9 ? 1 : 5)
        for (int removed = 0; removed < 2; removed++)
            for (uint64_t seed = ALL_OF_FIRST; seed <= ONE_OF_LAST; seed++) {
                struct suite_random r = {(uint64_t)n + seed};
                struct ranks_trial t = trial_of(BOSC_F32, 2, removed, seed);
                t.points = kd_points(&r, BOSC_F32, 2, n, 2, (n + (int64_t)seed) % 2 ? KD_GRID : KD_RANDOM);
                check(ctx, &t);
            }
}

/* Copies of few points, most of them on one side of the pivot: that side loses most of its points, and the root moves
 * far. */
static void lopsided_duplicates(bosc_ctx *ctx)
{
    enum { N = 600 };
    for (int low = 0; low < 2; low++)
        for (uint64_t seed = 0; seed < 3; seed++)
            for (int32_t dim = 1; dim <= 3; dim++) {
                struct ranks_trial t = trial_of(BOSC_I32, dim, 1, seed);
                int32_t *data = suite_alloc(N * 3 * sizeof *data);
                for (int i = 0; i < N * dim; i++) {
                    const int row = i / dim * 7 % N; /* in no order */
                    data[i] = low ? (row < N - 50 ? 3 : row) : (row < 50 ? row : N);
                }
                t.points =
                    (struct reference_points){.dtype = BOSC_I32, .dim = dim, .n = N, .stride = dim, .data = data};
                check(ctx, &t);
            }
}

static void many_points(bosc_ctx *ctx)
{
    static const enum kd_shape shapes_of[] = {KD_RANDOM, KD_GRID, KD_LINE, KD_CLUSTERS};
    for (int i = 0; i < 4; i++) {
        struct suite_random r = {(uint64_t)i + 9};
        struct ranks_trial t = trial_of(BOSC_F32, 3, i % 2, (uint64_t)i);
        t.points = kd_points(&r, BOSC_F32, 3, suite_slow(ctx) ? 3000 : 30000, 3, shapes_of[i]);
        check(ctx, &t);
    }
}

/* The ranks compare single rows, of 1,040 and of 8,192 bytes: both exceed a read through page-locked memory. */
static void long_rows(bosc_ctx *ctx)
{
    static const int32_t dims[] = {130, 1024};
    for (int i = 0; i < 2; i++) {
        struct suite_random r = {(uint64_t)i + 3};
        struct ranks_trial t = trial_of(BOSC_F64, dims[i], i, (uint64_t)i);
        t.points = kd_points(&r, BOSC_F64, dims[i], 9, dims[i], KD_GRID);
        check(ctx, &t);
    }
}

/* ---- what else such a tree does ---- */

enum { QUERIES = 30, K = 4 };

static void use_rank(struct rank *r)
{
    struct ranks_trial *trials = r->user;
    const struct ranks_trial *t = &trials[1];
    bosc_ranks_kdtree *tree = build_slice(r, &trials[0]);
    bosc_ranks_kdtree_times times = {.size = sizeof times};
    int64_t ids[QUERIES * K], expected[QUERIES * K], n;
    const void *slice = ranks_trial_rows(r, t, t->points.data, t->points.n, t->points.stride, t->seed, &n);
    CHECK_OK(r->ctx, bosc_ranks_kdtree_get_times(r->ctx, tree, &times));
    CHECK(times.sort > 0 && times.pivot > 0 && times.merge > 0 && times.build > 0 && times.shard > 0);
    CHECK(times.verify == 0);
    CHECK_OK(r->ctx, bosc_ranks_kdtree_build(r->ctx, tree, slice, n, t->points.stride)); /* of another size */
    ranks_check_shard(r, t, tree);
    CHECK_OK(r->ctx, bosc_ranks_kdtree_knn(r->ctx, tree, t->points.data, QUERIES, t->points.stride, K, ids, NULL));
    if (ranks_share_memory() && r->rank == 0) {
        CHECK_OK(t->ctx,
                 bosc_kdtree_knn(t->ctx, t->tree, t->points.data, QUERIES, t->points.stride, K, expected, NULL));
        CHECK(memcmp(ids, expected, sizeof ids) == 0);
    }
    bosc_ranks_kdtree_free(tree);
}

static void query_and_rebuild_trees(bosc_ctx *ctx)
{
    struct ranks_trial trials[2];
    for (int i = 0; i < 2; i++) {
        struct suite_random r = {(uint64_t)i + 1};
        trials[i] = trial_of(BOSC_F32, 3, 0, 2);
        trials[i].points = kd_points(&r, BOSC_F32, 3, 300 + 200 * i, 3, i ? KD_GRID : KD_RANDOM);
        ranks_begin(ctx, &trials[i]);
    }
    for (int32_t ranks = 2; ranks <= MAX_RANKS; ranks *= 4) ranks_run(ctx, ranks, 0, use_rank, trials);
    for (int i = 0; i < 2; i++) ranks_end(&trials[i]);
}

/* ---- bad arguments ---- */

static void refuse_rank(struct rank *r)
{
    bosc_kdtree_opts opts = {.size = sizeof opts, .dim = 2, .builder = BOSC_KDTREE_BROWN, .sort_halves = 1};
    bosc_ranks_kdtree *tree = NULL;
    bosc_ranks_kdtree_times times = {.size = 3};
    char text[96];
    snprintf(text, sizeof text, "opts: sort_halves: %d ranks are not 2, 4, 8, ...", (int)r->rank_count);
    if (r->rank_count != 2 && r->rank_count != 4) {
        CHECK_STATUS(r->ctx, bosc_ranks_kdtree_create(r->ctx, r->comm, &opts, &tree), BOSC_ERR_ARG);
        CHECK(strstr(bosc_ctx_message(r->ctx), text));
        CHECK(!tree);
        return;
    }
    opts.sort_halves = r->rank == 0;
    CHECK_STATUS(r->ctx, bosc_ranks_kdtree_create(r->ctx, r->comm, &opts, &tree), BOSC_ERR_ARG);
    CHECK(strstr(bosc_ctx_message(r->ctx), "opts: sort_halves: 0 is not the 1 of rank 0"));
    opts.sort_halves = 1;
    opts.full_coordinates = r->rank == 0;
    CHECK_STATUS(r->ctx, bosc_ranks_kdtree_create(r->ctx, r->comm, &opts, &tree), BOSC_ERR_ARG);
    CHECK(strstr(bosc_ctx_message(r->ctx), "opts: full_coordinates: 0 is not the 1 of rank 0"));
    opts.full_coordinates = 1;
    CHECK_OK(r->ctx, bosc_ranks_kdtree_create(r->ctx, r->comm, &opts, &tree));
    const int64_t most = (int64_t)UINT32_MAX;
    int64_t scratch = 0, less = 0;
    CHECK_STATUS(r->ctx, bosc_ranks_kdtree_bytes(r->ctx, r->comm, &opts, 1, most, NULL, NULL), BOSC_ERR_LIMIT);
    CHECK(strstr(bosc_ctx_message(r->ctx), "points of all ranks; ranks with full_coordinates name less than 2^32 - 1"));
    CHECK_OK(r->ctx, bosc_ranks_kdtree_bytes(r->ctx, r->comm, &opts, 100, 1000, NULL, &scratch));
    opts.full_coordinates = 0;
    CHECK_OK(r->ctx, bosc_ranks_kdtree_bytes(r->ctx, r->comm, &opts, 100, 1000, NULL, &less));
    CHECK_EQ(scratch - less, 1000 * 8); /* all points, of 8 bytes */
    opts.sort_halves = 0;
    opts.full_coordinates = 1;
    CHECK_ARG(r->ctx, bosc_ranks_kdtree_bytes(r->ctx, r->comm, &opts, 1, 1, NULL, NULL), "opts: full_coordinates");
    CHECK_EQ(bosc_ranks_kdtree_get_times(NULL, tree, &times), BOSC_ERR_ARG);
    CHECK_ARG(r->ctx, bosc_ranks_kdtree_get_times(r->ctx, NULL, &times), "tree");
    CHECK_ARG(r->ctx, bosc_ranks_kdtree_get_times(r->ctx, tree, NULL), "times");
    CHECK_ARG(r->ctx, bosc_ranks_kdtree_get_times(r->ctx, tree, &times), "times");
    bosc_ranks_kdtree_free(tree);
}

static void refuse_bad_arguments(bosc_ctx *ctx)
{
    for (int32_t ranks = 1; ranks <= 6; ranks++) ranks_run(ctx, ranks, 0, refuse_rank, NULL);
}

static const struct suite_case suite_cases_ranks_kdtree_published[] = {
    {"shapes", every_type_and_shape, NULL},  {"few", few_points_any_partition, NULL},
    {"lopsided", lopsided_duplicates, NULL}, {"large", many_points, NULL},
    {"long_rows", long_rows, NULL},          {"use", query_and_rebuild_trees, NULL},
    {"refuse", refuse_bad_arguments, NULL},
};
SUITE(ranks_kdtree_published);
