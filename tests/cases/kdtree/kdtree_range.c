/* Coordinates whose squares over- or underflow: searches equal distances in long double, whatever the call; squared
 * distances that do not fit are refused, with outputs unchanged. */
#include <stdlib.h>
#include <string.h>

#include "cases/kdtree/kdtree_data.h"

enum { N = 120, M = 12, K = 6, DIM = 3 };

/* Points, and queries: near the points, and far outside. */
struct trial {
    bosc_dtype dtype;
    double points[N * DIM], queries[M * DIM]; /* exactly as the tree has them */
    char rows[N * DIM * 8], query_rows[M * DIM * 8];
    bosc_kdtree *tree;
};

static void convert_rows(bosc_dtype dtype, double *numbers, int64_t count, void *rows)
{
    for (int64_t i = 0; i < count; i++) {
        kd_set(rows, dtype, i, numbers[i]);
        numbers[i] = dtype == BOSC_F32 ? (double)((float *)rows)[i] : ((double *)rows)[i];
    }
}

/* scale: of the points' coordinates; every third one is `mixed` times as large. far: of the last queries. */
static struct trial *make_trial(bosc_ctx *ctx, struct suite_random *r, bosc_dtype dtype, double scale, double mixed,
                                double far)
{
    struct trial *t = suite_alloc(sizeof *t);
    const bosc_kdtree_opts opts = {.size = sizeof opts, .dtype = dtype, .dim = DIM};
    *t = (struct trial){.dtype = dtype};
    for (int i = 0; i < N * DIM; i++) t->points[i] = (suite_unit(r) - 0.5) * scale * (i / DIM % 3 == 0 ? mixed : 1);
    for (int i = 0; i < M * DIM; i++) t->queries[i] = (suite_unit(r) - 0.5) * (i < M * DIM * 3 / 4 ? scale : far);
    convert_rows(dtype, t->points, N * DIM, t->rows);
    convert_rows(dtype, t->queries, M * DIM, t->query_rows);
    CHECK_OK(ctx, bosc_kdtree_create(ctx, &opts, &t->tree));
    CHECK_OK(ctx, bosc_kdtree_build(ctx, t->tree, t->rows, N, 0));
    return t;
}

static void free_trial(struct trial *t)
{
    bosc_kdtree_free(t->tree);
    free(t);
}

static long double distance(const double *x, const double *y, double p)
{
    long double sum = 0, largest = 0;
    for (int c = 0; c < DIM; c++) largest = fmaxl(largest, fabsl((long double)x[c] - (long double)y[c]));
    if (largest == 0 || isinf(p)) return largest;
    for (int c = 0; c < DIM; c++) sum += powl(fabsl((long double)x[c] - (long double)y[c]) / largest, (long double)p);
    return largest * powl(sum, 1 / (long double)p);
}

/* True if a distance equals the exact one, within the error of its type. */
static bool is_near(const struct trial *t, double got, long double exact)
{
    const long double error = t->dtype == BOSC_F32 ? 1e-6L : 1e-12L;
    return fabsl((long double)got - exact) <= error * exact + 0x1p-1074L;
}

/* The neighbours' distances ascend, are exact, and no other point is nearer. */
static void check_neighbours(const struct trial *t, const double *query, double p, const int64_t *ids,
                             const double *distances)
{
    bool seen[N] = {false};
    for (int e = 0; e < K; e++) {
        CHECK(ids[e] >= 0 && ids[e] < N && !seen[ids[e]]);
        seen[ids[e]] = true;
        if (distances) CHECK(is_near(t, distances[e], distance(query, t->points + ids[e] * DIM, p)));
        if (distances && e > 0) CHECK(distances[e - 1] <= distances[e]);
    }
    const long double last = distance(query, t->points + ids[K - 1] * DIM, p);
    for (int i = 0; i < N; i++)
        CHECK(seen[i] ||
              distance(query, t->points + i * DIM, p) >= last * (t->dtype == BOSC_F32 ? 1 - 1e-6L : 1 - 1e-12L));
}

/* The calls by a metric; then a ball of each K-th distance, which holds the neighbours. */
static void check_metric(bosc_ctx *ctx, const struct trial *t, double p)
{
    bosc_kdtree_query_opts o = {.size = sizeof o, .p = p};
    int64_t ids[M * K], counts[M], offsets[N + 1], pairs[1], self[N * K];
    double distances[M * K], radii[M], own[N * K];
    /* 1. Neighbours of queries and of the points. */
    CHECK_OK(ctx, bosc_kdtree_knn_metric(ctx, t->tree, t->query_rows, M, 0, K, &o, ids, distances));
    for (int q = 0; q < M; q++) check_neighbours(t, t->queries + q * DIM, p, ids + q * K, distances + q * K);
    o.self = o.exclude_self = 1;
    CHECK_OK(ctx, bosc_kdtree_knn_metric(ctx, t->tree, NULL, N, 0, K, &o, self, own));
    for (int i = 0; i < N; i++)
        CHECK(is_near(t, own[i * K], distance(t->points + i * DIM, t->points + self[i * K] * DIM, p)));
    /* 2. Balls. */
    o.self = o.exclude_self = 0;
    for (int q = 0; q < M; q++) radii[q] = distances[q * K + K - 1];
    CHECK_OK(ctx, bosc_kdtree_radius_count_metric(ctx, t->tree, t->query_rows, M, 0, radii, M, &o, counts));
    for (int q = 0; q < M; q++) {
        int64_t most = 0;
        for (int i = 0; i < N; i++)
            most += distance(t->queries + q * DIM, t->points + i * DIM, p) <= (long double)radii[q] * (1 + 1e-6L);
        CHECK(counts[q] >= K && counts[q] <= most);
    }
    /* 3. Pairs, listed and counted. */
    const double radius = own[0];
    int64_t want = 0;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            want += distance(t->points + i * DIM, t->points + j * DIM, p) <= (long double)radius * (1 + 1e-6L);
    CHECK_OK(ctx, bosc_kdtree_pairs(ctx, t->tree, t->tree, radius, &o, offsets, NULL, NULL, 0));
    CHECK_EQ(offsets[N], want);
    CHECK_OK(ctx, bosc_kdtree_count_pairs(ctx, t->tree, t->tree, &radius, 1, &o, NULL, NULL, 0, pairs, NULL));
    CHECK_EQ(pairs[0], want);
}

/* The calls with squared distances: ids alone are right; squares that do not fit are refused. */
static void check_squares(bosc_ctx *ctx, const struct trial *t, bool fits)
{
    int64_t ids[M * K], count = -1;
    double dist2[M * K];
    char before[sizeof dist2];
    CHECK_OK(ctx, bosc_kdtree_knn(ctx, t->tree, t->query_rows, M, 0, K, ids, NULL));
    for (int q = 0; q < M; q++) check_neighbours(t, t->queries + q * DIM, 2, ids + q * K, NULL);
    memset(dist2, 7, sizeof dist2);
    memcpy(before, dist2, sizeof dist2);
    memset(ids, 0, sizeof ids);
    const bosc_status status = bosc_kdtree_knn(ctx, t->tree, t->query_rows, M, 0, K, ids, dist2);
    CHECK_EQ(status, fits ? BOSC_OK : BOSC_ERR_LIMIT);
    if (!fits) CHECK(memcmp(before, dist2, sizeof dist2) == 0 && ids[0] == 0);
    if (!fits) CHECK(strncmp(bosc_ctx_message(ctx), "dist2", 5) == 0);
    /* A ball around a point holds it, and its nearest neighbour at the distance of that. */
    double own[2];
    bosc_kdtree_query_opts o = {.size = sizeof o};
    CHECK_OK(ctx, bosc_kdtree_knn_metric(ctx, t->tree, t->rows, 1, 0, 2, &o, ids, own));
    CHECK_OK(ctx, bosc_kdtree_radius_count(ctx, t->tree, t->rows, 1, 0, own[1], &count));
    CHECK_EQ(count, 2);
    int64_t offsets[2], near[2];
    CHECK_OK(ctx, bosc_kdtree_radius(ctx, t->tree, t->rows, 1, 0, own[1], offsets, NULL, NULL, 0));
    CHECK_OK(ctx, bosc_kdtree_radius(ctx, t->tree, t->rows, 1, 0, own[1], offsets, near, NULL, 2));
    CHECK(near[0] + near[1] == ids[0] + ids[1]);
}

static void magnitudes(bosc_ctx *ctx)
{
    static const struct {
        bosc_dtype dtype;
        double scale, mixed, far;
        bool fits;
    } cases[] = {{BOSC_F32, 3e24, 1, 3e24, false},     {BOSC_F32, 1e-23, 1, 1e-23, false},
                 {BOSC_F32, 1e38, 1, 1e38, false},     {BOSC_F32, 1e-37, 1, 1e-37, false},
                 {BOSC_F32, 3e24, 1e-30, 3e24, false}, {BOSC_F32, 1, 1, 1e30, false},
                 {BOSC_F32, 1e20, 1, 1e20, false},     {BOSC_F64, 1e200, 1, 1e200, false},
                 {BOSC_F64, 1e-200, 1, 1e-200, false}, {BOSC_F64, 1e308, 1, 1e308, false},
                 {BOSC_F64, 1e-300, 1, 1e-300, false}, {BOSC_F64, 1e200, 1e-300, 1e200, false},
                 {BOSC_F64, 1, 1, 1e250, false},       {BOSC_F64, 1e160, 1, 1e160, false},
                 {BOSC_F32, 1000, 1, 1e6, true},       {BOSC_F64, 1e100, 1e-50, 1e120, true}};
    static const double norms[] = {1, 2, INFINITY, 3};
    struct suite_random r = {5};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        if (suite_leaves_out()) continue;
        struct trial *t = make_trial(ctx, &r, cases[i].dtype, cases[i].scale, cases[i].mixed, cases[i].far);
        for (int p = 0; p < 4; p++) check_metric(ctx, t, norms[p]);
        check_squares(ctx, t, cases[i].fits);
        free_trial(t);
    }
}

/* All rows are 0 but for row `at`, which is (a, 0, 0). The distances of its two nearest points are 0 and a, for any row
 * and stride. */
static void check_one_row(bosc_ctx *ctx, bosc_dtype dtype, double a, int64_t at, int64_t stride, int32_t assume_valid)
{
    enum { ROWS = 4500 }; /* more than a chunk of the check on the CPU */
    const bosc_kdtree_opts opts = {.size = sizeof opts, .dtype = dtype, .dim = DIM, .assume_valid = assume_valid};
    bosc_kdtree_query_opts o = {.size = sizeof o};
    char *rows = suite_alloc(ROWS * (DIM + 1) * 8);
    int64_t ids[2], count = 0;
    double distances[2];
    bosc_kdtree *tree;
    memset(rows, 0, ROWS * (DIM + 1) * 8);
    kd_set(rows, dtype, at * stride, a);
    const void *query = rows + (size_t)(at * stride) * bosc_dtype_size(dtype);
    CHECK_OK(ctx, bosc_kdtree_create(ctx, &opts, &tree));
    CHECK_OK(ctx, bosc_kdtree_build(ctx, tree, rows, ROWS, stride));
    CHECK_OK(ctx, bosc_kdtree_knn_metric(ctx, tree, query, 1, 0, 2, &o, ids, distances));
    if (!assume_valid) CHECK(ids[0] == at && distances[0] == 0 && distances[1] == a);
    CHECK_OK(ctx, bosc_kdtree_radius_count(ctx, tree, query, 1, 0, a / 2, &count));
    if (!assume_valid) CHECK_EQ(count, 1);
    /* A NaN behind it is reported. */
    kd_set(rows, dtype, (ROWS - 1) * stride + 1, NAN);
    if (!assume_valid) CHECK_STATUS(ctx, bosc_kdtree_build(ctx, tree, rows, ROWS, stride), BOSC_ERR_DATA);
    if (!assume_valid) CHECK(strstr(bosc_ctx_message(ctx), "points: row 4499 holds a NaN") != NULL);
    bosc_kdtree_free(tree);
    free(rows);
}

static void one_row_of_many(bosc_ctx *ctx)
{
    static const int64_t at[] = {0, 4095, 4096, 4498};
    for (int i = 0; i < 16; i++) {
        if (suite_leaves_out()) continue;
        const bosc_dtype dtype = i & 1 ? BOSC_F64 : BOSC_F32;
        const double a = i & 2 ? i & 1 ? 0x1p-600 : 0x1p-80 : i & 1 ? 0x1p600 : 0x1p80;
        check_one_row(ctx, dtype, a, at[i / 4], i % 3 ? DIM : DIM + 1, 0);
        if (i < 4) check_one_row(ctx, dtype, a, 0, DIM, 1);
    }
}

/* One point, the last, makes the tree ordinary; squared distances between the others are rounded to 0. */
static void ordinary_extent(bosc_ctx *ctx)
{
    enum { ROWS = 4500 };
    const bosc_kdtree_opts opts = {.size = sizeof opts, .dtype = BOSC_F32, .dim = 1};
    float *rows = suite_alloc(ROWS * sizeof *rows), dist2[2];
    int64_t ids[2];
    bosc_kdtree *tree;
    for (int i = 0; i < ROWS; i++) rows[i] = i == ROWS - 1 ? 1 : 0x1p-80f;
    CHECK_OK(ctx, bosc_kdtree_create(ctx, &opts, &tree));
    CHECK_OK(ctx, bosc_kdtree_build(ctx, tree, rows, ROWS, 0));
    CHECK_OK(ctx, bosc_kdtree_knn(ctx, tree, rows + ROWS - 1, 1, 0, 2, ids, dist2));
    CHECK(ids[0] == ROWS - 1 && ids[1] == 0 && dist2[0] == 0 && dist2[1] == 1);
    bosc_kdtree_free(tree);
    free(rows);
}

/* Distances that a double does not hold: the k nearest are refused, with outputs unchanged; balls are not. */
static void distances_beyond_doubles(bosc_ctx *ctx)
{
    const bosc_kdtree_opts opts = {.size = sizeof opts, .dtype = BOSC_F64, .dim = 1};
    const bosc_kdtree_query_opts o = {.size = sizeof o};
    const double rows[] = {-0x1.8p1023, -0x1.4p1023, 0x1.8p1023};
    int64_t ids[3] = {7, 7, 7}, count = 0;
    double distances[3] = {7, 7, 7};
    bosc_kdtree *tree;
    CHECK_OK(ctx, bosc_kdtree_create(ctx, &opts, &tree));
    CHECK_OK(ctx, bosc_kdtree_build(ctx, tree, rows, 3, 0));
    CHECK_STATUS(ctx, bosc_kdtree_knn(ctx, tree, rows, 1, 0, 3, ids, NULL), BOSC_ERR_LIMIT);
    CHECK_STATUS(ctx, bosc_kdtree_knn_metric(ctx, tree, rows, 1, 0, 3, &o, ids, distances), BOSC_ERR_LIMIT);
    CHECK(strncmp(bosc_ctx_message(ctx), "tree: ", 6) == 0);
    for (int i = 0; i < 3; i++) CHECK(ids[i] == 7 && distances[i] == 7);
    CHECK_OK(ctx, bosc_kdtree_knn_metric(ctx, tree, rows, 1, 0, 2, &o, ids, distances));
    CHECK(ids[0] == 0 && ids[1] == 1 && distances[0] == 0 && distances[1] == 0x1p1021);
    CHECK_OK(ctx, bosc_kdtree_radius_count(ctx, tree, rows, 1, 0, (double)INFINITY, &count));
    CHECK_EQ(count, 3);
    bosc_kdtree_free(tree);
}

/* A saved tree, read again, answers as before. */
struct saved {
    char bytes[1 << 16];
    size_t size, at;
};

static int append_bytes(void *user, const void *bytes, size_t size)
{
    struct saved *s = user;
    CHECK(s->size + size <= sizeof s->bytes);
    memcpy(s->bytes + s->size, bytes, size);
    s->size += size;
    return 0;
}

static int next_bytes(void *user, void *bytes, size_t size)
{
    struct saved *s = user;
    if (size > s->size - s->at) return 1;
    memcpy(bytes, s->bytes + s->at, size);
    s->at += size;
    return 0;
}

static void saved_trees(bosc_ctx *ctx)
{
    static const double scales[] = {3e24, 1e-23};
    struct suite_random r = {6};
    for (int i = 0; i < 2; i++) {
        struct trial *t = make_trial(ctx, &r, BOSC_F32, scales[i], 1, scales[i]);
        struct saved *s = suite_alloc(sizeof *s);
        s->size = s->at = 0;
        CHECK_OK(ctx, bosc_kdtree_write(ctx, t->tree, append_bytes, s));
        bosc_kdtree_free(t->tree);
        CHECK_OK(ctx, bosc_kdtree_read(ctx, next_bytes, s, &t->tree));
        check_metric(ctx, t, 2);
        check_squares(ctx, t, false);
        free(s);
        free_trial(t);
    }
}

static const struct suite_case suite_cases_kdtree_range[] = {{"magnitudes", magnitudes, NULL},
                                                             {"one row of many", one_row_of_many, NULL},
                                                             {"ordinary extent", ordinary_extent, NULL},
                                                             {"distances", distances_beyond_doubles, NULL},
                                                             {"saved trees", saved_trees, NULL}};
SUITE(kdtree_range);
