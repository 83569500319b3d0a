/* k-d trees over ranks: the same in-order array as one context, for any number of ranks and any slices. */
#include "cases/ranks/ranks_kdtree_data.h"

#include <math.h>
#include <stdio.h>

#include "comm/comm.h"
#include "ranks/kdtree/kdtree.h"
#include "ranks/steps/steps.h"

/* ---- nodes ---- */

/* Each shard begins where the one before it ends. */
static void check_shards_adjoin(const struct rank *r, const bosc_ranks_kdtree *tree)
{
    bosc_ranks_kdtree_info info = {.size = sizeof info};
    int64_t ends[64];
    CHECK_OK(r->ctx, bosc_ranks_kdtree_get_info(r->ctx, tree, &info));
    CHECK_OK(r->ctx, bi_comm_all_gather(r->ctx, r->comm, &info.end, sizeof info.end, ends));
    if (r->rank > 0) CHECK_EQ(info.begin, ends[r->rank - 1]);
}

static void build_rank(struct rank *r)
{
    const struct ranks_trial *t = r->user;
    if (t->opts.sort_halves && (r->rank_count == 1 || (r->rank_count & (r->rank_count - 1))))
        return; /* no published build */
    bosc_ranks_kdtree *tree = ranks_build(r, t);
    ranks_check_shard(r, t, tree);
    check_shards_adjoin(r, tree);
    bosc_ranks_kdtree_free(tree);
}

static void check_build(bosc_ctx *ctx, struct ranks_trial *t)
{
    if (suite_leaves_out()) {
        free((void *)(uintptr_t)t->points.data);
        return;
    }
    ranks_begin(ctx, t);
    EACH_RANK_COUNT(t->seed + (uint64_t)t->points.n, ranks) ranks_run(ctx, ranks, 0, build_rank, t);
    ranks_end(t);
}

static void every_type_and_shape(bosc_ctx *ctx)
{
    static const bosc_dtype dtypes[] = {BOSC_F32, BOSC_F64, BOSC_I32, BOSC_I64};
    static const int32_t dims[] = {3, 1, 2, 5};
    for (int shape = 0; shape < KD_SHAPES; shape++)
        for (int d = 0; d < 4; d++) {
            const int kind = shape * 4 + d;
            const int64_t n = suite_slow(ctx) ? 150 + kind : 700 + 13 * kind;
            const int32_t dim = dims[(d + shape) % 4];
            struct suite_random r = {(uint64_t)kind + 1};
            struct ranks_trial t = {.seed = kind % 3 == 0 ? 0 : (uint64_t)kind, .opts = {.size = sizeof t.opts}};
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

/* Fewer points than ranks, and sizes around their number. */
static void fewer_points_than_shards(bosc_ctx *ctx)
{
    for (int64_t n = 0; n < 40; n += n < 18 ? 1 : 7)
        for (int removed = 0; removed < 2; removed++) {
            struct suite_random r = {(uint64_t)n};
            struct ranks_trial t = {.seed = (uint64_t)n % 4, .opts = {.size = sizeof t.opts, .dim = 2}};
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
            struct ranks_trial t = {.seed = 3, .opts = {.size = sizeof t.opts, .dtype = BOSC_F64, .dim = dims[i]}};
            t.points = kd_points(&r, BOSC_F64, dims[i], i ? 9 : 40, dims[i], (enum kd_shape)shape);
            check_build(ctx, &t);
        }
}

/* Many more points than a round has counters, so that the splitters take several rounds. */
static void more_points_than_counters(bosc_ctx *ctx)
{
    static const enum kd_shape point_shapes[] = {KD_RANDOM, KD_GRID, KD_EQUAL, KD_LINE, KD_CLUSTERS};
    for (int i = 0; i < 5; i++) {
        struct suite_random r = {(uint64_t)i + 9};
        struct ranks_trial t = {.seed = (uint64_t)i, .opts = {.size = sizeof t.opts, .dim = 3}};
        t.points = kd_points(&r, BOSC_F32, 3, suite_slow(ctx) ? 2000 : 20000, 3, point_shapes[i]);
        check_build(ctx, &t);
    }
}

/* Points at the sampled rows of two ranks are all on one side of the others, so the brackets miss the median. Slices
 * are of several tiles of the kernel that sends points. */
static void sample_misses_median(bosc_ctx *ctx)
{
    enum { N = 9000, SAMPLED = 2 * BI_RANKS_KDTREE_SAMPLES /* two subtrees */ };
    for (int above = 0; above < 2; above++) {
        struct suite_random r = {(uint64_t)above + 3};
        struct ranks_trial t = {.opts = {.size = sizeof t.opts, .dim = 4}};
        t.points = kd_points(&r, BOSC_F32, 4, N, 4, KD_RANDOM);
        float *data = (float *)(uintptr_t)t.points.data;
        for (int64_t j = 0; j < SAMPLED; j++)
            data[4 * bi_ranks_kdtree_sampled_row(j, SAMPLED, N)] += above ? 1000 : -1000;
        ranks_begin(ctx, &t);
        ranks_run(ctx, 2, 0, build_rank, &t);
        ranks_end(&t);
    }
}

/* ---- a tree built again, and arrays of the backend ---- */

static void rebuild_rank(struct rank *r)
{
    struct ranks_trial *trials = r->user;
    bosc_ranks_kdtree *tree = ranks_build(r, &trials[0]);
    for (int i = 1; i < 4; i++) {
        struct ranks_trial *t = &trials[i % 3];
        int64_t n;
        void *memory;
        const void *slice = ranks_trial_rows(r, t, t->points.data, t->points.n, t->points.stride, t->seed, &n);
        const size_t bytes = (size_t)(n * t->points.stride) * ranks_element(t);
        CHECK_OK(r->ctx, bosc_ctx_alloc(r->ctx, bytes, &memory));
        CHECK_OK(r->ctx, bosc_ctx_copy(r->ctx, memory, slice, bytes));
        CHECK_OK(r->ctx, bosc_ranks_kdtree_build(r->ctx, tree, memory, n, t->points.stride));
        bosc_ctx_release(r->ctx, memory, bytes);
        ranks_check_shard(r, t, tree);
    }
    bosc_ranks_kdtree_free(tree);
}

static void rebuild(bosc_ctx *ctx)
{
    static const int64_t sizes[] = {300, 90, 400};
    struct ranks_trial trials[3];
    for (int i = 0; i < 3; i++) {
        struct suite_random r = {(uint64_t)i + 1};
        trials[i] = (struct ranks_trial){.seed = (uint64_t)i, .opts = {.size = sizeof trials[i].opts, .dim = 2}};
        trials[i].points = kd_points(&r, BOSC_F32, 2, sizes[i], 2, KD_RANDOM);
        ranks_begin(ctx, &trials[i]);
    }
    ranks_run(ctx, 3, 0, rebuild_rank, trials);
    for (int i = 0; i < 3; i++) ranks_end(&trials[i]);
}

/* ---- damaged trees ---- */

enum { EQUALS = 200 };

/* Equal points are in the order of their ids: node i has the id i, unless it was given another one. */
static void wrong_rank(struct rank *r)
{
    static const int64_t places[] = {0, 57, 99, 100, 101, 150, 199}; /* where the root is and around it, too */
    const struct ranks_trial *t = r->user;
    bosc_ranks_kdtree *tree = ranks_build(r, t);
    char text[64];
    for (int p = 0; p < 7; p += suite_slow(r->ctx) ? 3 : 1)
        for (int wrong = 0; wrong < 3; wrong++) {
            const int64_t id = places[p], other = wrong == 0 ? EQUALS : wrong == 1 ? -1 : EQUALS - 1 - id;
            const bool local_status = tree->begin <= id && id < tree->end;
            const size_t size = tree->opts.id_bits == 64 ? 8 : 4; /* the first bytes of a number are its lowest */
            void *at = (char *)tree->ids.data + (id - tree->begin) * (int64_t)size;
            int64_t node = -1;
            if (local_status) CHECK_OK(r->ctx, bosc_ctx_copy(r->ctx, at, &other, size));
            CHECK_OK(r->ctx, bosc_ctx_sync(r->ctx));
            CHECK_STATUS(r->ctx, bosc_ranks_kdtree_verify(r->ctx, tree, &node), BOSC_ERR_DATA);
            snprintf(text, sizeof text, "tree: node %lld of %d ", (long long)node, EQUALS);
            CHECK(suite_begins(bosc_ctx_message(r->ctx), text));
            CHECK(node >= 0 && node <= id); /* of two nodes in the wrong order the lower one is reported */
            if (id == 0) CHECK_EQ(node, 0);
            if (local_status) CHECK_OK(r->ctx, bosc_ctx_copy(r->ctx, at, &id, size));
            CHECK_OK(r->ctx, bosc_ctx_sync(r->ctx));
            CHECK_OK(r->ctx, bosc_ranks_kdtree_verify(r->ctx, tree, NULL));
        }
    bosc_ranks_kdtree_free(tree);
}

static void wrong(bosc_ctx *ctx)
{
    struct suite_random r = {1};
    struct ranks_trial t = {.opts = {.size = sizeof t.opts, .dim = 2}};
    t.points = kd_points(&r, BOSC_F32, 2, EQUALS, 2, KD_EQUAL);
    EACH_RANK_COUNT(3, ranks) ranks_run(ctx, ranks, 0, wrong_rank, &t);
    kd_set_builder(&t.opts, KD_BROWN_HALVES);
    ranks_run(ctx, 2, 0, wrong_rank, &t);
    free((void *)(uintptr_t)t.points.data);
}

/* ---- a NaN ---- */

static void nan_rank(struct rank *r)
{
    const struct ranks_trial *t = r->user;
    bosc_ranks_kdtree *tree = NULL;
    char text[64];
    int64_t n, begin, end;
    const void *slice = ranks_trial_rows(r, t, t->points.data, t->points.n, t->points.stride, t->seed, &n);
    ranks_slice(r, t->seed, t->points.n, &begin, &end);
    CHECK_OK(r->ctx, bosc_ranks_kdtree_create(r->ctx, r->comm, &t->opts, &tree));
    CHECK_STATUS(r->ctx, bosc_ranks_kdtree_build(r->ctx, tree, slice, n, 0), BOSC_ERR_DATA);
    snprintf(text, sizeof text, "points: row %lld holds a NaN", (long long)t->count);
    CHECK(strstr(bosc_ctx_message(r->ctx), text));
    CHECK((bosc_ctx_message(r->ctx)[0] == 'p') == (begin <= t->count && t->count < end));
    bosc_ranks_kdtree_info info = {.size = sizeof info};
    CHECK_OK(r->ctx, bosc_ranks_kdtree_get_info(r->ctx, tree, &info));
    CHECK_EQ(info.n, 0);
    /* A tree that is there stays. */
    CHECK_OK(r->ctx, bosc_ranks_kdtree_build(r->ctx, tree, slice, 1, 0));
    CHECK_STATUS(r->ctx, bosc_ranks_kdtree_build(r->ctx, tree, slice, n, 0), BOSC_ERR_DATA);
    CHECK_OK(r->ctx, bosc_ranks_kdtree_get_info(r->ctx, tree, &info));
    CHECK_EQ(info.n, r->rank_count);
    bosc_ranks_kdtree_free(tree);
}

static void nan_row(bosc_ctx *ctx)
{
    struct suite_random r = {1};
    struct ranks_trial t = {.count = 77, .opts = {.size = sizeof t.opts, .dim = 3}};
    t.points = kd_points(&r, BOSC_F32, 3, 100, 3, KD_RANDOM);
    float *data = (float *)(uintptr_t)t.points.data;
    data[77 * 3 + 2] = data[90 * 3] = (float)(INFINITY - INFINITY);
    ranks_run(ctx, 1, 0, nan_rank, &t);
    EACH_RANK_COUNT(1, ranks) ranks_run(ctx, ranks, 0, nan_rank, &t);
    free(data);
}

static const struct suite_case suite_cases_ranks_kdtree[] = {
    {"few", fewer_points_than_shards, NULL},
    {"shapes", every_type_and_shape, NULL},
    {"many_dimensions", many_dimensions, NULL},
    {"large", more_points_than_counters, NULL},
    {"misses", sample_misses_median, NULL},
    {"rebuild", rebuild, NULL},
    {"nan_row", nan_row, NULL},
    {"wrong", wrong, NULL},
};
SUITE(ranks_kdtree);
