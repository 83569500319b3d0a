/* Searches of k-d trees over ranks: the answers of one context, for any number of ranks and any slices. */
#include "cases/ranks/ranks_kdtree_data.h"

/* Queries of a trial, partitioned by a seed of their own, and the answers of one context. */
struct search {
    struct ranks_trial t;
    struct reference_points queries;
    uint64_t seed;
    int64_t k;
    double radius;
    char *ids, *dist2, *near_ids; /* near_ids: of neighbours within the radius */
    int64_t *offsets, *box_offsets;
    char *row_ids, *row_dist2, *box_ids;
};

static size_t id_size(const struct search *s) { return s->t.opts.id_bits == 32 ? 4 : 8; }
static size_t dist2_size(const struct search *s) { return s->t.points.dtype == BOSC_F32 ? 4 : 8; }

static const void *slice_of(const struct rank *r, const struct search *s, int64_t *begin, int64_t *count)
{
    int64_t end;
    ranks_slice(r, s->seed, s->queries.n, begin, &end);
    *count = end - *begin;
    return kd_row(&s->queries, *begin);
}

/* ---- neighbours ---- */

static void knn_rank(struct rank *r)
{
    const struct search *s = r->user;
    bosc_ranks_kdtree *tree = ranks_build(r, &s->t);
    int64_t begin, n;
    const void *queries = slice_of(r, s, &begin, &n);
    const size_t entries = (size_t)(n * s->k), first = (size_t)(begin * s->k);
    char *ids = suite_alloc(entries * id_size(s)), *dist2 = suite_alloc(entries * dist2_size(s));
    CHECK_OK(r->ctx, bosc_ranks_kdtree_knn(r->ctx, tree, n ? queries : NULL, n, s->queries.stride, s->k, ids, dist2));
    CHECK(memcmp(ids, s->ids + first * id_size(s), entries * id_size(s)) == 0);
    CHECK(memcmp(dist2, s->dist2 + first * dist2_size(s), entries * dist2_size(s)) == 0);
    memset(ids, 1, entries * id_size(s));
    CHECK_OK(r->ctx, bosc_ranks_kdtree_knn_within(r->ctx, tree, queries, n, s->queries.stride, s->k, s->radius, ids,
                                                  r->rank % 2 ? dist2 : NULL));
    CHECK(memcmp(ids, s->near_ids + first * id_size(s), entries * id_size(s)) == 0);
    bosc_ranks_kdtree_free(tree);
    free(ids);
    free(dist2);
}

static void check_knn(bosc_ctx *ctx, struct search *s)
{
    const size_t entries = (size_t)(s->queries.n * s->k);
    s->ids = suite_alloc(entries * id_size(s));
    s->dist2 = suite_alloc(entries * dist2_size(s));
    s->near_ids = suite_alloc(entries * id_size(s));
    CHECK_OK(ctx, bosc_kdtree_knn_within(ctx, s->t.tree, s->queries.data, s->queries.n, s->queries.stride, s->k,
                                         s->radius, s->near_ids, NULL));
    CHECK_OK(ctx,
             bosc_kdtree_knn(ctx, s->t.tree, s->queries.data, s->queries.n, s->queries.stride, s->k, s->ids, s->dist2));
    EACH_RANK_COUNT((uint64_t)s->t.points.n, ranks) ranks_run(ctx, ranks, 0, knn_rank, s);
    free(s->ids);
    free(s->dist2);
    free(s->near_ids);
}

/* ---- rows ---- */

/* One of the two searches by rows, of this rank's n queries from `begin` on. */
static bosc_status find_rows(struct rank *r, const struct search *s, const bosc_ranks_kdtree *tree, bool boxes,
                             int64_t begin, int64_t n, int64_t *offsets, void *ids, void *dist2, int64_t capacity)
{
    const size_t row = (size_t)s->t.points.dim * ranks_element(&s->t);
    if (boxes)
        return bosc_ranks_kdtree_box(r->ctx, tree, (const char *)s->queries.data + 2 * (size_t)begin * row, n, offsets,
                                     ids, capacity);
    return bosc_ranks_kdtree_radius(r->ctx, tree, n ? kd_row(&s->queries, begin) : NULL, n, s->queries.stride,
                                    s->radius, offsets, ids, dist2, capacity);
}

static void check_rows(struct rank *r, const struct search *s, const bosc_ranks_kdtree *tree, bool boxes)
{
    int64_t begin, end;
    const int64_t *all = boxes ? s->box_offsets : s->offsets;
    ranks_slice(r, s->seed, boxes ? s->queries.n / 2 : s->queries.n, &begin, &end);
    const int64_t n = end - begin, total = all[end] - all[begin];
    int64_t *offsets = suite_alloc((size_t)(n + 1) * sizeof *offsets);
    char *ids = suite_alloc((size_t)total * id_size(s)), *dist2 = suite_alloc((size_t)total * dist2_size(s));
    CHECK_OK(r->ctx, find_rows(r, s, tree, boxes, begin, n, offsets, NULL, NULL, 0));
    for (int64_t q = 0; q <= n; q++) CHECK_EQ(offsets[q], all[begin + q] - all[begin]);
    for (int with = 1; with >= 0; with--) {
        memset(ids, 1, (size_t)total * id_size(s));
        CHECK_OK(r->ctx, find_rows(r, s, tree, boxes, begin, n, offsets, total || r->rank % 2 ? ids : NULL,
                                   with ? dist2 : NULL, total));
        CHECK(memcmp(ids, (boxes ? s->box_ids : s->row_ids) + (size_t)all[begin] * id_size(s),
                     (size_t)total * id_size(s)) == 0);
    }
    if (!boxes)
        CHECK(memcmp(dist2, s->row_dist2 + (size_t)all[begin] * dist2_size(s), (size_t)total * dist2_size(s)) == 0);
    free(offsets);
    free(ids);
    free(dist2);
}

static void rows_rank(struct rank *r)
{
    const struct search *s = r->user;
    bosc_ranks_kdtree *tree = ranks_build(r, &s->t);
    check_rows(r, s, tree, false);
    if (s->box_offsets) check_rows(r, s, tree, true);
    bosc_ranks_kdtree_free(tree);
}

static void find_whole(bosc_ctx *ctx, struct search *s)
{
    const int64_t n = s->queries.n;
    const bosc_kdtree *tree = s->t.tree;
    s->offsets = suite_alloc((size_t)(n + 1) * 8);
    CHECK_OK(ctx, bosc_kdtree_radius(ctx, tree, s->queries.data, n, s->queries.stride, s->radius, s->offsets, NULL,
                                     NULL, 0));
    s->row_ids = suite_alloc((size_t)s->offsets[n] * id_size(s));
    s->row_dist2 = suite_alloc((size_t)s->offsets[n] * dist2_size(s));
    CHECK_OK(ctx, bosc_kdtree_radius(ctx, tree, s->queries.data, n, s->queries.stride, s->radius, s->offsets,
                                     s->row_ids, s->row_dist2, s->offsets[n]));
    if (s->queries.stride != s->queries.dim) return;
    s->box_offsets = suite_alloc((size_t)(n / 2 + 1) * 8);
    CHECK_OK(ctx, bosc_kdtree_box(ctx, tree, s->queries.data, n / 2, s->box_offsets, NULL, 0));
    s->box_ids = suite_alloc((size_t)s->box_offsets[n / 2] * id_size(s));
    CHECK_OK(ctx,
             bosc_kdtree_box(ctx, tree, s->queries.data, n / 2, s->box_offsets, s->box_ids, s->box_offsets[n / 2]));
}

static void check_search(bosc_ctx *ctx, struct search *s)
{
    find_whole(ctx, s);
    EACH_RANK_COUNT((uint64_t)s->t.points.n, ranks) ranks_run(ctx, ranks, 0, rows_rank, s);
    free(s->offsets);
    free(s->row_ids);
    free(s->row_dist2);
    free(s->box_offsets);
    free(s->box_ids);
}

/* ---- trials ---- */

/* Points and queries of a kind: every type and shape, and others as it comes. */
static void begin_search(bosc_ctx *ctx, struct search *s, int kind)
{
    static const bosc_dtype dtypes[] = {BOSC_F32, BOSC_F64, BOSC_I32, BOSC_I64};
    static const int32_t dims[] = {3, 2, 1, 6};
    const enum kd_shape shape = (enum kd_shape)(kind / 4);
    const int32_t dim = dims[(kind + kind / 4) % 4];
    const int64_t n = suite_slow(ctx) ? 90 + kind : 500 + 3 * kind, m = suite_slow(ctx) ? 40 : 200;
    struct suite_random r = {(uint64_t)kind + 1};
    *s = (struct search){.seed = (uint64_t)kind % 5,
                         .t = {.seed = (uint64_t)kind % 3, .opts = {.size = sizeof s->t.opts}}};
    s->t.opts.dtype = dtypes[kind % 4];
    s->t.opts.dim = dim;
    s->t.opts.id_bits = kind % 3 == 1 ? 32 : 64;
    s->t.opts.duplicates = (bosc_kdtree_duplicates)(kind % 7 == 3);
    s->t.points = kd_ordinary_points(&r, dtypes[kind % 4], dim, n, dim, shape);
    s->queries = kd_ordinary_points(&r, dtypes[kind % 4], dim, m, dim + kind % 2, kind % 3 ? shape : KD_RANDOM);
    ranks_begin(ctx, &s->t);
}

static void end_search(struct search *s)
{
    ranks_end(&s->t);
    free((void *)(uintptr_t)s->queries.data);
}

static const double radii[] = {300, 0, 1.5, 1e18, 90};

static void knn(bosc_ctx *ctx)
{
    static const int64_t many[] = {1, 3, 40, 700};
    for (int kind = 0; kind < 4 * KD_SHAPES; kind++) {
        struct search s;
        if (suite_leaves_out()) continue;
        begin_search(ctx, &s, kind);
        s.k = many[(kind + kind / 8) % 4];
        s.radius = radii[kind % 5];
        check_knn(ctx, &s);
        end_search(&s);
    }
}

/* Trees of few points or none, among more ranks. */
static void knn_few(bosc_ctx *ctx)
{
    for (int64_t n = 0; n < 12; n++) {
        struct suite_random r = {(uint64_t)n};
        struct search s = {
            .seed = 2, .k = 4, .radius = 1, .t = {.seed = 1, .opts = {.size = sizeof s.t.opts, .dim = 2}}};
        if (suite_leaves_out()) continue;
        s.t.points = kd_points(&r, BOSC_F32, 2, n, 2, KD_GRID);
        s.queries = kd_points(&r, BOSC_F32, 2, n % 3 * 9, 2, KD_GRID);
        ranks_begin(ctx, &s.t);
        check_knn(ctx, &s);
        end_search(&s);
    }
}

static void knn_large(bosc_ctx *ctx)
{
    struct suite_random r = {3};
    struct search s = {.k = 8, .radius = 40, .t = {.opts = {.size = sizeof s.t.opts, .dim = 3}}};
    s.t.points = kd_points(&r, BOSC_F32, 3, suite_slow(ctx) ? 1000 : 20000, 3, KD_RANDOM);
    s.queries = kd_points(&r, BOSC_F32, 3, suite_slow(ctx) ? 200 : 3000, 3, KD_RANDOM);
    ranks_begin(ctx, &s.t);
    check_knn(ctx, &s);
    end_search(&s);
}

/* One point far above the others and one far below, in the shards of larger x, and queries near them from the other
 * side: only the shards' boxes lead there. */
static void knn_far_points(bosc_ctx *ctx)
{
    struct suite_random r = {5};
    struct search s = {.k = 1, .radius = 40, .t = {.opts = {.size = sizeof s.t.opts, .dim = 2}}};
    s.t.points = kd_points(&r, BOSC_F32, 2, 3000, 2, KD_RANDOM);
    s.queries = kd_points(&r, BOSC_F32, 2, 2, 2, KD_RANDOM);
    float *points = (float *)(uintptr_t)s.t.points.data, *queries = (float *)(uintptr_t)s.queries.data;
    for (int64_t i = 0; i < 3000; i++) {
        points[2 * i] = (float)suite_unit(&r);
        points[2 * i + 1] = points[2 * i] < .5f ? 4 * (float)suite_unit(&r) - 2 : (float)suite_unit(&r);
    }
    points[2 * 2990] = points[2 * 2999] = .9f;
    points[2 * 2990 + 1] = -1000;
    points[2 * 2999 + 1] = 1000;
    queries[0] = queries[2] = .1f;
    queries[1] = -1000;
    queries[3] = 1000;
    ranks_begin(ctx, &s.t);
    check_knn(ctx, &s);
    end_search(&s);
}

/* More neighbours than searches by an index find, of shards that split by coordinates other than 0 first. */
static void knn_without_index(bosc_ctx *ctx)
{
    for (int32_t dim = 2; dim <= 4; dim++) {
        struct suite_random r = {(uint64_t)dim};
        struct search s = {.k = 40, .radius = 90, .t = {.opts = {.size = sizeof s.t.opts, .dim = dim}}};
        s.t.points = kd_points(&r, BOSC_F32, dim, suite_slow(ctx) ? 900 : 4000, dim, KD_RANDOM);
        s.queries = kd_points(&r, BOSC_F32, dim, suite_slow(ctx) ? 30 : 300, dim, KD_RANDOM);
        ranks_begin(ctx, &s.t);
        check_knn(ctx, &s);
        end_search(&s);
    }
}

static void rows(bosc_ctx *ctx)
{
    for (int kind = 0; kind < 4 * KD_SHAPES; kind++) {
        struct search s;
        if (suite_leaves_out()) continue;
        begin_search(ctx, &s, kind);
        s.radius = radii[kind % 5];
        check_search(ctx, &s);
        end_search(&s);
    }
}

static void rows_few(bosc_ctx *ctx)
{
    for (int64_t n = 0; n < 12; n++) {
        struct suite_random r = {(uint64_t)n};
        struct search s = {.seed = 2, .radius = 1, .t = {.seed = 1, .opts = {.size = sizeof s.t.opts, .dim = 2}}};
        if (suite_leaves_out()) continue;
        s.t.points = kd_points(&r, BOSC_F32, 2, n, 2, KD_GRID);
        s.queries = kd_points(&r, BOSC_F32, 2, n % 3 * 9, 2, KD_GRID);
        ranks_begin(ctx, &s.t);
        check_search(ctx, &s);
        end_search(&s);
    }
}

/* Squares that over- or underflow are refused on all ranks; boxes are found. */
static void refuse_rank(struct rank *r)
{
    const struct search *s = r->user;
    bosc_ranks_kdtree *tree = ranks_build(r, &s->t);
    int64_t begin, n;
    const void *queries = slice_of(r, s, &begin, &n);
    char *ids = suite_alloc((size_t)n * 8), *dist2 = suite_alloc((size_t)n * 8);
    CHECK_STATUS(r->ctx, bosc_ranks_kdtree_knn(r->ctx, tree, queries, n, 0, 1, ids, dist2), BOSC_ERR_LIMIT);
    check_rows(r, s, tree, true);
    bosc_ranks_kdtree_free(tree);
    free(ids);
    free(dist2);
}

static void squares_out_of_range(bosc_ctx *ctx)
{
    for (int kind = 0; kind < 4; kind++) {
        const bosc_dtype dtype = kind & 1 ? BOSC_F64 : BOSC_F32;
        const double scale = kind & 2 ? kind & 1 ? 0x1p-700 : 0x1p-90 : kind & 1 ? 0x1p700 : 0x1p90;
        struct suite_random r = {(uint64_t)kind};
        struct search s = {.t = {.opts = {.size = sizeof s.t.opts, .dtype = dtype, .dim = 2}}};
        s.t.points = kd_points(&r, dtype, 2, 90, 2, KD_RANDOM);
        s.queries = kd_points(&r, dtype, 2, 20, 2, KD_RANDOM);
        for (int i = 0; i < 180; i++)
            kd_set((void *)(uintptr_t)s.t.points.data, dtype, i, kd_get(s.t.points.data, dtype, i) * scale);
        for (int i = 0; i < 40; i++)
            kd_set((void *)(uintptr_t)s.queries.data, dtype, i, kd_get(s.queries.data, dtype, i) * scale);
        ranks_begin(ctx, &s.t);
        s.box_offsets = suite_alloc(11 * 8);
        CHECK_OK(ctx, bosc_kdtree_box(ctx, s.t.tree, s.queries.data, 10, s.box_offsets, NULL, 0));
        s.box_ids = suite_alloc((size_t)s.box_offsets[10] * 8);
        CHECK_OK(ctx, bosc_kdtree_box(ctx, s.t.tree, s.queries.data, 10, s.box_offsets, s.box_ids, s.box_offsets[10]));
        EACH_RANK_COUNT((uint64_t)kind, ranks) ranks_run(ctx, ranks, 0, refuse_rank, &s);
        free(s.box_offsets);
        free(s.box_ids);
        end_search(&s);
    }
}

/* Reported distances as radii: the row of a query holds its last neighbour, as in one context. */
static void rows_at_distances(bosc_ctx *ctx)
{
    for (int kind = 0; kind < 8; kind++) {
        const bosc_dtype dtype = kind % 2 ? BOSC_F64 : BOSC_F32;
        struct suite_random r = {(uint64_t)kind};
        struct search s = {.t = {.opts = {.size = sizeof s.t.opts, .dtype = dtype, .dim = 3}}};
        double distances[5];
        int64_t ids[5];
        if (suite_leaves_out()) continue;
        s.t.points = kd_points(&r, dtype, 3, 200, 3, KD_RANDOM);
        s.queries = kd_points(&r, dtype, 3, 1, 3, KD_RANDOM);
        ranks_begin(ctx, &s.t);
        CHECK_OK(ctx, bosc_kdtree_knn_metric(ctx, s.t.tree, s.queries.data, 1, 0, 5, NULL, ids, distances));
        s.radius = distances[4];
        check_search(ctx, &s);
        end_search(&s);
    }
}

static const struct suite_case suite_cases_ranks_kdtree_query[] = {
    {"knn", knn, NULL},
    {"knn_few", knn_few, NULL},
    {"knn_large", knn_large, NULL},
    {"knn_far_points", knn_far_points, NULL},
    {"knn_without_index", knn_without_index, NULL},
    {"rows", rows, NULL},
    {"rows_few", rows_few, NULL},
    {"rows_at_distances", rows_at_distances, NULL},
    {"squares_out_of_range", squares_out_of_range, NULL},
};
SUITE(ranks_kdtree_query);
