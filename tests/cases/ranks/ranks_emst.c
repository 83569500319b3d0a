/* Euclidean minimum spanning trees over ranks equal the tree of one context, divided among ranks as the points are. */
#include <math.h>

#include "cases/ranks/ranks_data.h"
#include "cases/kdtree/kdtree_data.h"

/* Input of the ranks of a trial, and the tree of one context. */
struct trial {
    struct reference_points points;
    int32_t id_bits;
    int64_t min_samples; /* 0: plain lengths */
    double p;            /* 0: squared lengths */
    uint64_t seed;       /* of the slices */
    void *pairs, *dist2;
};

static size_t pair_size(const struct trial *t) { return 2 * (size_t)t->id_bits / 8; }
static size_t dist2_size(const struct trial *t) { return t->points.dtype == BOSC_F32 && t->p == 0 ? 4 : 8; }

static bosc_emst_opts opts_of(const struct trial *t)
{
    return (bosc_emst_opts){sizeof(bosc_emst_opts), t->points.dtype, t->points.dim, t->id_bits};
}

static bosc_status compute(const struct rank *r, const struct trial *t, struct ranks_trial_slice s, void *pairs,
                           void *dist2, int64_t *count)
{
    const struct reference_points *p = &t->points;
    const void *points = s.n ? kd_row(p, s.begin) : NULL;
    const bosc_emst_opts opts = opts_of(t);
    if (t->p > 0)
        return bosc_ranks_emst_compute_minkowski(r->ctx, r->comm, points, s.n, p->stride, &opts, t->p, t->min_samples,
                                                 pairs, dist2, count);
    if (t->min_samples)
        return bosc_ranks_emst_compute_mutual(r->ctx, r->comm, points, s.n, p->stride, &opts, t->min_samples, pairs,
                                              dist2, count);
    return bosc_ranks_emst_compute(r->ctx, r->comm, points, s.n, p->stride, &opts, pairs, dist2, count);
}

/* This rank's part is that of the list, and nothing is written behind it. */
static void span(struct rank *r)
{
    const struct trial *t = r->user;
    const struct reference_points *p = &t->points;
    const struct ranks_trial_slice s = ranks_slice_of(r, t->seed, p->n);
    const int64_t last = p->n - 1, end = s.begin + s.n < last ? s.begin + s.n : last, own = end - s.begin;
    const size_t pairs_end = (size_t)s.n * pair_size(t), dist2_end = (size_t)s.n * dist2_size(t);
    for (int with = 0; with < 2; with++) {
        char *pairs = suite_alloc(pairs_end), *dist2 = suite_alloc(dist2_end);
        int64_t count = -7;
        memset(pairs, 0x55, pairs_end);
        memset(dist2, 0x55, dist2_end);
        CHECK_OK(r->ctx, compute(r, t, s, pairs, with ? dist2 : NULL, with ? &count : NULL));
        CHECK_EQ(count, !with ? -7 : own > 0 ? own : 0);
        const size_t pair_bytes = own > 0 ? (size_t)own * pair_size(t) : 0, begin = (size_t)s.begin;
        const size_t dist2_bytes = own > 0 && with ? (size_t)own * dist2_size(t) : 0;
        if (pair_bytes) CHECK(memcmp(pairs, (char *)t->pairs + begin * pair_size(t), pair_bytes) == 0);
        if (dist2_bytes) CHECK(memcmp(dist2, (char *)t->dist2 + begin * dist2_size(t), dist2_bytes) == 0);
        for (size_t i = pair_bytes; i < pairs_end; i++) CHECK(pairs[i] == 0x55);
        for (size_t i = dist2_bytes; i < dist2_end; i++) CHECK(dist2[i] == 0x55);
        free(pairs);
        free(dist2);
    }
}

/* One trial; frees the points. */
static void check(bosc_ctx *ctx, struct trial *t)
{
    const bosc_emst_opts opts = opts_of(t);
    t->pairs = suite_alloc((size_t)t->points.n * pair_size(t));
    t->dist2 = suite_alloc((size_t)t->points.n * dist2_size(t));
    if (t->p > 0)
        CHECK_OK(ctx, bosc_emst_compute_minkowski(ctx, t->points.data, t->points.n, t->points.stride, &opts, t->p,
                                                  t->min_samples, t->pairs, t->dist2, NULL));
    else if (t->min_samples)
        CHECK_OK(ctx, bosc_emst_compute_mutual(ctx, t->points.data, t->points.n, t->points.stride, &opts,
                                               t->min_samples, t->pairs, t->dist2, NULL));
    else
        CHECK_OK(ctx, bosc_emst_compute(ctx, t->points.data, t->points.n, t->points.stride, &opts, t->pairs, t->dist2));
    EACH_RANK_COUNT(t->seed, ranks) ranks_run(ctx, ranks, 0, span, t);
    free(t->pairs);
    free(t->dist2);
    free((void *)(uintptr_t)t->points.data);
}

/* Core distances of few and of many points; most points of a rank may have their nearest ones on other ranks. */
static int64_t samples_of(struct suite_random *r, int64_t n)
{
    static const int64_t samples[] = {1, 2, 3, 5, 9, 40};
    const int64_t k = samples[suite_below(r, 6)];
    return n == 0 ? 3 : k > n ? n : k;
}

static void mutual(bosc_ctx *ctx)
{
    static const bosc_dtype dtypes[] = {BOSC_F32, BOSC_F64, BOSC_I32, BOSC_I64};
    struct suite_random r = {66};
    for (int kind = 0; kind < 4 * KD_SHAPES; kind++) {
        const int32_t dim = 1 + (int32_t)suite_below(&r, 8);
        const int64_t n = (int64_t)suite_below(&r, suite_slow(ctx) ? 90 : 500);
        struct trial t = {.seed = (uint64_t)kind, .id_bits = kind % 3 ? 64 : 32, .min_samples = samples_of(&r, n)};
        if (suite_leaves_out()) continue;
        t.points = kd_ordinary_points(&r, dtypes[kind % 4], dim, n, dim + kind % 2, (enum kd_shape)(kind / 4));
        check(ctx, &t);
    }
}

/* Distances of several orders, plain and under mutual reachability. */
static void orders(bosc_ctx *ctx)
{
    static const bosc_dtype dtypes[] = {BOSC_F32, BOSC_F64, BOSC_I32, BOSC_I64};
    const double order[] = {1, 1.5, 2, 3, (double)INFINITY};
    struct suite_random r = {68};
    for (int kind = 0; kind < 5 * KD_SHAPES; kind++) {
        const int32_t dim = 1 + (int32_t)suite_below(&r, 5);
        const int64_t n = (int64_t)suite_below(&r, suite_slow(ctx) ? 70 : 400);
        struct trial t = {.seed = (uint64_t)kind, .id_bits = kind % 3 ? 64 : 32, .p = order[kind % 5]};
        if (kind % 2) t.min_samples = samples_of(&r, n);
        if (suite_leaves_out()) continue;
        const int whole = kind / 5 == KD_SPECIAL ? 2 : 0; /* of floats some are infinite */
        t.points = kd_ordinary_points(&r, dtypes[whole + kind % (4 - whole)], dim, n, dim + kind % 2,
                                      (enum kd_shape)(kind / 5));
        check(ctx, &t);
    }
}

static void every_type_and_dimension(bosc_ctx *ctx)
{
    static const bosc_dtype dtypes[] = {BOSC_F32, BOSC_F64, BOSC_I32, BOSC_I64};
    struct suite_random r = {61};
    for (int kind = 0; kind < 4 * KD_SHAPES; kind++) {
        const int32_t dim = 1 + (int32_t)suite_below(&r, 8);
        const int64_t n = (int64_t)suite_below(&r, suite_slow(ctx) ? 90 : 500);
        struct trial t = {.seed = (uint64_t)kind, .id_bits = kind % 3 ? 64 : 32};
        if (suite_leaves_out()) continue;
        t.points = kd_ordinary_points(&r, dtypes[kind % 4], dim, n, dim + kind % 2, (enum kd_shape)(kind / 4));
        check(ctx, &t);
    }
}

/* Squares that over- or underflow are refused on all ranks; one rank alone scales the points. */
static void refuse(struct rank *r)
{
    const struct trial *t = r->user;
    const struct ranks_trial_slice s = ranks_slice_of(r, t->seed, t->points.n);
    const bosc_emst_opts opts = opts_of(t);
    void *pairs = suite_alloc((size_t)s.n * pair_size(t));
    const bosc_status status = bosc_ranks_emst_compute(r->ctx, r->comm, s.n ? kd_row(&t->points, s.begin) : NULL, s.n,
                                                       0, &opts, pairs, NULL, NULL);
    CHECK_EQ(status, r->rank_count > 1 ? BOSC_ERR_LIMIT : BOSC_OK);
    free(pairs);
}

static void squares_out_of_range(bosc_ctx *ctx)
{
    for (int kind = 0; kind < 4; kind++) {
        struct suite_random r = {63};
        struct trial t = {.seed = (uint64_t)kind, .id_bits = 64};
        const bosc_dtype dtype = kind & 1 ? BOSC_F64 : BOSC_F32;
        const double scale = kind & 2 ? kind & 1 ? 0x1p-700 : 0x1p-90 : kind & 1 ? 0x1p700 : 0x1p90;
        t.points = kd_points(&r, dtype, 2, 60, 2, KD_RANDOM);
        for (int i = 0; i < 120; i++)
            kd_set((void *)(uintptr_t)t.points.data, dtype, i, kd_get(t.points.data, dtype, i) * scale);
        EACH_RANK_COUNT(t.seed, ranks) ranks_run(ctx, ranks, 0, refuse, &t);
        free((void *)(uintptr_t)t.points.data);
    }
}

/* No point, up to a few for each rank. */
static void fewer_points_than_ranks(bosc_ctx *ctx)
{
    for (int64_t n = 0; n < 20; n++) {
        struct suite_random r = {(uint64_t)n + 62};
        struct trial t = {.seed = (uint64_t)n, .id_bits = 64};
        if (suite_leaves_out()) continue;
        t.points = kd_points(&r, BOSC_F32, 2, n, 2, n % 2 ? KD_GRID : KD_RANDOM);
        check(ctx, &t);
        t.points = kd_points(&r, BOSC_F32, 2, n, 2, n % 2 ? KD_GRID : KD_RANDOM);
        t.min_samples = samples_of(&r, n);
        check(ctx, &t);
    }
}

/* Points whose trees cross the borders of shards in hard ways. */
enum hard_shape {
    HARD_GRID,      /* all edges equally long */
    HARD_FLAT,      /* z = 0 */
    HARD_COLLINEAR, /* steps of equal lengths on a slanted line */
    HARD_GROWING,   /* each point's nearest is the one before: one component eats all */
    HARD_CLUSTERS,  /* far apart, each of them in several shards or in one */
    HARD_FEW,       /* a few places with many equal points each */
    HARD_COPIES,    /* most points are equal, in all shards */
    HARD_COMBS,     /* two that reach into each other, teeth much nearer to their own comb */
    HARD_SHELL,     /* most points far around one that few are near to */
    HARD_INFINITE,  /* some coordinates are, and others nearly too large to be squared; of no order */
    HARD_SHAPES
};

static double hard_value(struct suite_random *r, enum hard_shape shape, int64_t n, int64_t i, int32_t c)
{
    const int64_t group = i % 19, side = (int64_t)sqrt((double)n) + 1;
    switch (shape) {
    case HARD_GRID: return (double)(c == 0 ? i % side : c == 1 ? i / side : 0);
    case HARD_FLAT: return c == 2 ? 0 : (double)suite_below(r, 1000);
    case HARD_COLLINEAR: return (double)(i * 7 % n * (c + 1));
    case HARD_GROWING: return (double)(c == 0 ? (n - i) * (n - i + 1) / 2 : 0);
    case HARD_CLUSTERS: return (double)(group * group % (7 + c) * 100000) + (double)suite_below(r, 64);
    case HARD_FEW: return (double)(group * group % (3 + c) * 10);
    case HARD_COPIES: return i % 9 ? 3 : (double)suite_below(r, 7);
    case HARD_COMBS: return (double)(c == 0 ? (i / 2 % 10) * 40 + i % 2 * 20 : c == 1 ? i / 20 * 2 + i % 2 : 0);
    case HARD_SHELL: {
        const double angle = (double)i * 2.399963;
        if (i % 50 == 0) return (double)suite_below(r, 9) - 4;
        return c == 0 ? 1000 * cos(angle) : c == 1 ? 1000 * sin(angle) : (double)(i % 5);
    }
    default:
        return i % 11 == 3 ? (i % 2 ? (double)INFINITY : -(double)INFINITY) : i % 7 ? (double)suite_below(r, 9) : 1e17;
    }
}

static void check_hard_shapes(bosc_ctx *ctx, bool is_mutual, bool is_order)
{
    static const int64_t sizes[] = {60, 210, 900};
    const double order[] = {1, 2.5, (double)INFINITY};
    struct suite_random r = {63}, k = {67};
    for (int kind = 0; kind < 4 * (is_order ? HARD_INFINITE : HARD_SHAPES); kind++) {
        const enum hard_shape shape = (enum hard_shape)(kind / 4);
        const bool whole = shape != HARD_SHELL && shape != HARD_INFINITE;
        const bosc_dtype dtype = kind % 4 == 1 ? BOSC_F64 : kind % 4 == 2 && whole ? BOSC_I32 : BOSC_F32;
        const int32_t dim = kind % 4 == 3 ? 2 : 3;
        const int64_t n = sizes[suite_slow(ctx) ? kind % 2 : 1 + kind % 2];
        struct trial t = {.seed = (uint64_t)kind / 4 + (uint64_t)kind % 4 * 5, .id_bits = kind % 2 ? 32 : 64};
        if (is_mutual || (is_order && kind % 2)) t.min_samples = samples_of(&k, n);
        if (is_order) t.p = order[kind % 3];
        if (suite_leaves_out()) continue;
        void *data = suite_alloc((size_t)(n * dim) * 8);
        for (int64_t e = 0; e < n * dim; e++)
            kd_set(data, dtype, e, hard_value(&r, shape, n, e / dim, (int32_t)(e % dim)));
        t.points = (struct reference_points){dtype, dim, n, dim, data};
        check(ctx, &t);
    }
}

static void hard_shapes(bosc_ctx *ctx) { check_hard_shapes(ctx, false, false); }
static void hard_mutual(bosc_ctx *ctx) { check_hard_shapes(ctx, true, false); }
static void hard_orders(bosc_ctx *ctx) { check_hard_shapes(ctx, false, true); }

static void many_points(bosc_ctx *ctx)
{
    struct suite_random r = {64};
    struct trial t = {.seed = 1, .id_bits = 64};
    t.points = kd_points(&r, BOSC_F32, 3, suite_slow(ctx) ? 1000 : 20000, 3, KD_RANDOM);
    check(ctx, &t);
    t.points = kd_points(&r, BOSC_F32, 3, suite_slow(ctx) ? 700 : 9000, 3, KD_RANDOM);
    t.min_samples = 6;
    check(ctx, &t);
}

/* Bytes that a call sends. */
static int64_t sent_bytes(struct rank *r)
{
    bosc_comm_info info = {.size = sizeof info};
    CHECK_OK(r->ctx, bosc_comm_get_info(r->ctx, r->comm, &info));
    return info.bytes;
}

/* Bounds the bytes that ranks send for spread-out points, where few points are near the borders of shards. Not
 * counted: the build of the k-d tree, the list itself, and the search for its splitters (5 rounds of 2^10 counts for
 * each rank). */
static void count_bytes(struct rank *r)
{
    const struct trial *t = r->user;
    const struct ranks_trial_slice s = ranks_slice_of(r, t->seed, t->points.n);
    const bosc_emst_opts opts = opts_of(t);
    const bosc_kdtree_opts tree_opts = {.size = sizeof tree_opts, .dim = t->points.dim, .id_bits = 32};
    const void *points = kd_row(&t->points, s.begin);
    char *pairs = suite_alloc((size_t)s.n * pair_size(t));
    bosc_ranks_kdtree *tree;
    CHECK_OK(r->ctx, bosc_ranks_kdtree_create(r->ctx, r->comm, &tree_opts, &tree));
    CHECK_OK(r->ctx, bosc_ranks_kdtree_build(r->ctx, tree, points, s.n, 0));
    const int64_t build = sent_bytes(r);
    CHECK_OK(r->ctx, bosc_ranks_emst_compute(r->ctx, r->comm, points, s.n, 0, &opts, pairs, NULL, NULL));
    const int64_t rest = sent_bytes(r) - 2 * build - 16 * s.n;
    CHECK(rest < 5 * (r->rank_count - 1) * r->rank_count * (8 << 10) + 5 * s.n);
    bosc_ranks_kdtree_free(tree);
    free(pairs);
}

static void few_bytes(bosc_ctx *ctx)
{
    struct suite_random r = {65};
    struct trial t = {.seed = 0, .id_bits = 64};
    if (suite_slow(ctx)) return;
    t.points = kd_points(&r, BOSC_F32, 2, 80000, 2, KD_RANDOM);
    for (int32_t ranks = 3; ranks < 5; ranks++) ranks_run(ctx, ranks, 0, count_bytes, &t);
    free((void *)(uintptr_t)t.points.data);
}

static const struct suite_case suite_cases_ranks_emst[] = {
    {"shapes", every_type_and_dimension, NULL},
    {"small", fewer_points_than_ranks, NULL},
    {"hard", hard_shapes, NULL},
    {"large", many_points, NULL},
    {"few bytes", few_bytes, NULL},
    {"squares out of range", squares_out_of_range, NULL},
    {"mutual", mutual, NULL},
    {"mutual hard", hard_mutual, NULL},
    {"orders", orders, NULL},
    {"orders hard", hard_orders, NULL},
};
SUITE(ranks_emst);
