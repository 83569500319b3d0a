/* k-d trees over ranks: the same in-order array as that of one context, for any number of ranks and any slices. */
#include "cases/dist_kdtree_data.h"

#include <math.h>
#include <stdio.h>

#include "comm/comm.h"

/* ---- nodes ---- */

static void check_shard(const struct rank *r, const struct dist_trial *t, const bosc_dist_kdtree *tree)
{
    bosc_dist_kdtree_info info = {.size = sizeof info};
    CHECK_OK(r->ctx, bosc_dist_kdtree_get_info(r->ctx, tree, &info));
    CHECK_EQ(info.n, t->points.n);
    CHECK_EQ(info.nodes, t->count);
    CHECK_EQ(info.dim, t->opts.dim);
    const int64_t count = info.end - info.begin;
    const size_t row = (size_t)t->opts.dim * dist_element(t), id_size = t->opts.id_bits == 32 ? 4 : 8;
    CHECK(info.begin >= 0 && count >= 0 && info.end <= t->count);
    if (r->rank == 0) CHECK_EQ(info.begin, 0);
    if (r->rank == r->rank_count - 1) CHECK_EQ(info.end, t->count);
    CHECK(8 * (count - 1) * r->rank_count <= 9 * t->count + 8 * r->rank_count); /* no more than an eighth above n / P */
    char *nodes = suite_alloc((size_t)count * row), *ids = suite_alloc((size_t)count * id_size);
    CHECK_OK(r->ctx, bosc_dist_kdtree_get_nodes(r->ctx, tree, nodes, ids));
    CHECK(memcmp(nodes, (const char *)t->nodes + (size_t)info.begin * row, (size_t)count * row) == 0);
    CHECK(memcmp(ids, (const char *)t->ids + (size_t)info.begin * id_size, (size_t)count * id_size) == 0);
    memset(nodes, 1, (size_t)count * row);
    memset(ids, 1, (size_t)count * id_size);
    CHECK_OK(r->ctx, bosc_dist_kdtree_get_nodes(r->ctx, tree, NULL, ids));
    CHECK(memcmp(ids, (const char *)t->ids + (size_t)info.begin * id_size, (size_t)count * id_size) == 0);
    CHECK_OK(r->ctx, bosc_dist_kdtree_get_nodes(r->ctx, tree, nodes, NULL));
    CHECK(memcmp(nodes, (const char *)t->nodes + (size_t)info.begin * row, (size_t)count * row) == 0);
    free(nodes);
    free(ids);
}

/* The shards meet: each begins where the one before it ends. */
static void check_meeting(const struct rank *r, const bosc_dist_kdtree *tree)
{
    bosc_dist_kdtree_info info = {.size = sizeof info};
    int64_t ends[64];
    CHECK_OK(r->ctx, bosc_dist_kdtree_get_info(r->ctx, tree, &info));
    CHECK_OK(r->ctx, bi_comm_all_gather(r->ctx, r->comm, &info.end, sizeof info.end, ends));
    if (r->rank > 0) CHECK_EQ(info.begin, ends[r->rank - 1]);
}

static void build_rank(struct rank *r)
{
    const struct dist_trial *t = r->user;
    bosc_dist_kdtree *tree = dist_build(r, t);
    check_shard(r, t, tree);
    check_meeting(r, tree);
    bosc_dist_kdtree_free(tree);
}

static void check_build(bosc_ctx *ctx, struct dist_trial *t)
{
    if (suite_leaves_out()) {
        free((void *)(uintptr_t)t->points.data);
        return;
    }
    dist_begin(ctx, t);
    EACH_RANK_COUNT(i) ranks_run(ctx, rank_counts[i], 0, build_rank, t);
    dist_end(t);
}

static void shapes(bosc_ctx *ctx)
{
    static const bosc_dtype dtypes[] = {BOSC_F32, BOSC_F64, BOSC_I32, BOSC_I64};
    static const int32_t dims[] = {3, 1, 2, 5};
    for (int shape = 0; shape < KD_SHAPES; shape++)
        for (int d = 0; d < 4; d++) {
            const int kind = shape * 4 + d;
            const int64_t n = suite_slow(ctx) ? 150 + kind : 700 + 13 * kind;
            const int32_t dim = dims[(d + shape) % 4];
            struct suite_random r = {(uint64_t)kind + 1};
            struct dist_trial t = {.seed = kind % 3 == 0 ? 0 : (uint64_t)kind, .opts = {.size = sizeof t.opts}};
            t.opts.dtype = dtypes[d];
            t.opts.dim = dim;
            t.opts.id_bits = kind % 2 ? 32 : 64;
            t.opts.duplicates =
                kind % 5 == 1 || kind % 7 == 2 ? BOSC_KDTREE_DUPLICATES_REMOVE : BOSC_KDTREE_DUPLICATES_KEEP;
            kd_set_builder(&t.opts, kind % KD_BUILDERS);
            t.points = kd_points(&r, dtypes[d], dim, n, dim + kind % 2, (enum kd_shape)shape);
            check_build(ctx, &t);
        }
}

/* Fewer points than pieces, and sizes around them. */
static void few(bosc_ctx *ctx)
{
    for (int64_t n = 0; n < 40; n += n < 18 ? 1 : 7)
        for (int removed = 0; removed < 2; removed++) {
            struct suite_random r = {(uint64_t)n};
            struct dist_trial t = {.seed = (uint64_t)n % 4, .opts = {.size = sizeof t.opts, .dim = 2}};
            t.opts.duplicates = (bosc_kdtree_duplicates)removed;
            t.points = kd_points(&r, BOSC_F32, 2, n, 2, n % 2 ? KD_GRID : KD_RANDOM);
            check_build(ctx, &t);
        }
}

static void many_dimensions(bosc_ctx *ctx)
{
    static const int32_t dims[] = {17, 1024};
    for (int i = 0; i < 2; i++)
        for (int shape = KD_RANDOM; shape <= KD_EQUAL; shape += KD_EQUAL - KD_RANDOM) {
            struct suite_random r = {(uint64_t)i + 5};
            struct dist_trial t = {.seed = 3, .opts = {.size = sizeof t.opts, .dtype = BOSC_F64, .dim = dims[i]}};
            t.points = kd_points(&r, BOSC_F64, dims[i], i ? 9 : 40, dims[i], (enum kd_shape)shape);
            check_build(ctx, &t);
        }
}

/* Points of several orders of magnitude more than a round's counters. */
static void large(bosc_ctx *ctx)
{
    static const enum kd_shape shapes[] = {KD_RANDOM, KD_GRID, KD_EQUAL, KD_LINE, KD_CLUSTERS};
    for (int i = 0; i < 5; i++) {
        struct suite_random r = {(uint64_t)i + 9};
        struct dist_trial t = {.seed = (uint64_t)i, .opts = {.size = sizeof t.opts, .dim = 3}};
        t.points = kd_points(&r, BOSC_F32, 3, suite_slow(ctx) ? 2000 : 20000, 3, shapes[i]);
        check_build(ctx, &t);
    }
}

/* ---- a tree built again, and arrays of the backend ---- */

static void rebuild_rank(struct rank *r)
{
    struct dist_trial *trials = r->user;
    bosc_dist_kdtree *tree = dist_build(r, &trials[0]);
    for (int i = 1; i < 4; i++) {
        struct dist_trial *t = &trials[i % 3];
        int64_t n;
        void *memory;
        const void *slice = dist_slice(r, t, t->points.data, t->points.n, t->points.stride, t->seed, &n);
        const size_t bytes = (size_t)(n * t->points.stride) * dist_element(t);
        CHECK_OK(r->ctx, bosc_alloc(r->ctx, bytes, &memory));
        CHECK_OK(r->ctx, bosc_copy(r->ctx, memory, slice, bytes));
        CHECK_OK(r->ctx, bosc_dist_kdtree_build(r->ctx, tree, memory, n, t->points.stride));
        bosc_release(r->ctx, memory, bytes);
        check_shard(r, t, tree);
    }
    bosc_dist_kdtree_free(tree);
}

static void rebuild(bosc_ctx *ctx)
{
    static const int64_t sizes[] = {300, 90, 400};
    struct dist_trial trials[3];
    for (int i = 0; i < 3; i++) {
        struct suite_random r = {(uint64_t)i + 1};
        trials[i] = (struct dist_trial){.seed = (uint64_t)i, .opts = {.size = sizeof trials[i].opts, .dim = 2}};
        trials[i].points = kd_points(&r, BOSC_F32, 2, sizes[i], 2, KD_RANDOM);
        dist_begin(ctx, &trials[i]);
    }
    ranks_run(ctx, 3, 0, rebuild_rank, trials);
    for (int i = 0; i < 3; i++) dist_end(&trials[i]);
}

/* ---- a NaN ---- */

static void nan_rank(struct rank *r)
{
    const struct dist_trial *t = r->user;
    bosc_dist_kdtree *tree = NULL;
    char text[64];
    int64_t n, begin, end;
    const void *slice = dist_slice(r, t, t->points.data, t->points.n, t->points.stride, t->seed, &n);
    ranks_slice(r, t->seed, t->points.n, &begin, &end);
    CHECK_OK(r->ctx, bosc_dist_kdtree_create(r->ctx, r->comm, &t->opts, &tree));
    CHECK_STATUS(r->ctx, bosc_dist_kdtree_build(r->ctx, tree, slice, n, 0), BOSC_ERR_DATA);
    snprintf(text, sizeof text, "points: row %lld holds a NaN", (long long)t->count);
    CHECK(strstr(bosc_message(r->ctx), text));
    CHECK((bosc_message(r->ctx)[0] == 'p') == (begin <= t->count && t->count < end));
    bosc_dist_kdtree_info info = {.size = sizeof info};
    CHECK_OK(r->ctx, bosc_dist_kdtree_get_info(r->ctx, tree, &info));
    CHECK_EQ(info.n, 0);
    bosc_dist_kdtree_free(tree);
}

static void nan_row(bosc_ctx *ctx)
{
    struct suite_random r = {1};
    struct dist_trial t = {.count = 77, .opts = {.size = sizeof t.opts, .dim = 3}};
    t.points = kd_points(&r, BOSC_F32, 3, 100, 3, KD_RANDOM);
    float *data = (float *)(uintptr_t)t.points.data;
    data[77 * 3 + 2] = data[90 * 3] = (float)(INFINITY - INFINITY);
    EACH_RANK_COUNT(i) ranks_run(ctx, rank_counts[i], 0, nan_rank, &t);
    free(data);
}

static const struct suite_case suite_cases_dist_kdtree[] = {
    {"few", few, NULL},     {"shapes", shapes, NULL},   {"many_dimensions", many_dimensions, NULL},
    {"large", large, NULL}, {"rebuild", rebuild, NULL}, {"nan_row", nan_row, NULL},
};
SUITE(dist_kdtree);
