/* Demonstrates k-d trees: build, verification and search, with sampled queries compared to a brute-force search. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "demo/parts.h"

enum {
    CPU_POINTS = 1 << 17,
    CUDA_POINTS = 1 << 22,
    K = 8,
    SAMPLES = 50
}; /* points on each backend; neighbours; checked queries */

/* Points, their tree, and queries with answers. Queries and distances have the type of the points, f4 or f8. */
struct search_example {
    const char *name; /* of the points, for messages */
    bosc_array points;
    bosc_kdtree *tree;
    int64_t m;
    int64_t *ids;
    void *distances; /* squared, (m x K) */
    void *queries;
};

static void free_example(struct search_example *s)
{
    bosc_array_free(&s->points);
    bosc_kdtree_free(s->tree);
    free(s->ids);
    free(s->distances);
    free(s->queries);
}

static const char *dtype_name(bosc_dtype dtype)
{
    return dtype == BOSC_F32 ? "f4" : dtype == BOSC_F64 ? "f8" : dtype == BOSC_I32 ? "i4" : "i8";
}

static double coordinate(const void *rows, bosc_dtype dtype, int64_t i)
{
    switch (dtype) {
    case BOSC_F32: return ((const float *)rows)[i];
    case BOSC_I32: return ((const int32_t *)rows)[i];
    case BOSC_I64: return (double)((const int64_t *)rows)[i];
    default: return ((const double *)rows)[i];
    }
}

/* Squared distance by the tree's contract: in the points' type, terms added in the order of the coordinates. */
static double distance2(const struct search_example *s, int64_t query, int64_t point)
{
    int64_t dim = s->points.shape[1];
    float sum_f32 = 0;
    double sum_f64 = 0;
    for (int64_t c = 0; c < dim; c++) {
        double q = coordinate(s->queries, s->points.dtype, query * dim + c);
        double p = coordinate(s->points.data, s->points.dtype, point * dim + c);
        float f = (float)q - (float)p;
        sum_f32 += f * f;
        sum_f64 += (q - p) * (q - p);
    }
    return s->points.dtype == BOSC_F32 ? (double)sum_f32 : sum_f64;
}

/* Searches all points for the k nearest of a query. Returns the number of ranks that differ from the tree's answer. */
static int count_wrong_ranks(const struct search_example *s, int64_t query)
{
    double best[K];
    int64_t ids[K];
    int found = 0, wrong = 0;
    for (int64_t i = 0; i < s->points.shape[0]; i++) {
        double d = distance2(s, query, i);
        if (found == K && d >= best[K - 1]) continue; /* among equal distances the smaller id stays */
        int at = found < K ? found++ : K - 1;         /* insertion into the sorted list */
        for (; at > 0 && best[at - 1] > d; at--) {
            best[at] = best[at - 1];
            ids[at] = ids[at - 1];
        }
        best[at] = d;
        ids[at] = i;
    }
    for (int r = 0; r < K; r++) wrong += s->ids[query * K + r] != (r < found ? ids[r] : -1);
    return wrong;
}

static bosc_status check_answers(struct demo *demo, const struct search_example *s)
{
    char what[128];
    int wrong = 0, samples = s->m < SAMPLES ? (int)s->m : SAMPLES;
    for (int i = 0; i < samples; i++) wrong += count_wrong_ranks(s, s->m / samples * i) != 0;
    snprintf(what, sizeof what, "%d of %d sampled queries equal a search of all points", samples - wrong, samples);
    demo_row(demo, what, 0, 0);
    return wrong ? demo_fail(demo, BOSC_ERR_DATA, "demo: %d of %d sampled queries are wrong", wrong, samples) : BOSC_OK;
}

/* Builds twice, measures the second build (the first one allocates), and verifies the tree. */
static bosc_status build_tree(struct demo *demo, struct search_example *s)
{
    char what[160];
    bosc_kdtree_opts opts = {.size = sizeof opts, .dtype = s->points.dtype, .dim = (int32_t)s->points.shape[1]};
    bosc_status status = bosc_kdtree_create(demo->ctx, &opts, &s->tree);
    double seconds = 0;
    for (int i = 0; i < 2 && status == BOSC_OK; i++) {
        double start = demo_now();
        status = bosc_kdtree_build(demo->ctx, s->tree, s->points.data, s->points.shape[0], 0);
        seconds = demo_now() - start;
    }
    if (status != BOSC_OK) return demo_fail_ctx(demo, status);
    bosc_kdtree_info info = {.size = sizeof info};
    bosc_kdtree_get_info(demo->ctx, s->tree, &info);
    snprintf(what, sizeof what, "build: %lld %s, %d-D %s, depth %d", (long long)info.n, s->name, info.dim,
             dtype_name(info.dtype), info.depth);
    demo_row(demo, what, seconds, (double)info.n);
    double start = demo_now();
    status = bosc_kdtree_verify(demo->ctx, s->tree, NULL);
    if (status != BOSC_OK) return demo_fail_ctx(demo, status);
    demo_row(demo, "verify: every node against all its ancestors", demo_now() - start, (double)info.nodes);
    return BOSC_OK;
}

static bosc_status search_tree(struct demo *demo, struct search_example *s)
{
    char what[128];
    double seconds = 0;
    bosc_status status = BOSC_OK;
    s->ids = demo_alloc(demo, (size_t)s->m * K, sizeof *s->ids);
    s->distances = demo_alloc(demo, (size_t)s->m * K, sizeof(double));
    if (!s->ids || !s->distances) return BOSC_ERR_NOMEM;
    for (int i = 0; i < 2 && status == BOSC_OK; i++) {
        double start = demo_now();
        status = bosc_kdtree_knn(demo->ctx, s->tree, s->queries, s->m, 0, K, s->ids, s->distances);
        seconds = demo_now() - start;
    }
    if (status != BOSC_OK) return demo_fail_ctx(demo, status);
    snprintf(what, sizeof what, "search: %d nearest of %lld queries", K, (long long)s->m);
    demo_row(demo, what, seconds, (double)s->m);
    return check_answers(demo, s);
}

static bosc_status generate_example(struct demo *demo, struct search_example *s, int32_t dim)
{
    bosc_ctx_info info = {.size = sizeof info};
    bosc_ctx_get_info(demo->ctx, &info);
    int64_t n = info.backend == BOSC_BACKEND_CUDA ? CUDA_POINTS : CPU_POINTS;
    s->name = "clustered points";
    s->m = n / 4;
    s->points = (bosc_array){.dtype = BOSC_F32, .rank = 2, .shape = {n, dim, 1, 1}};
    s->points.data = demo_alloc(demo, (size_t)(n * dim), sizeof(float));
    s->queries = demo_alloc(demo, (size_t)(s->m * dim), sizeof(float));
    if (!s->points.data || !s->queries) return BOSC_ERR_NOMEM;
    bosc_status status =
        bosc_random_points(demo->ctx, BOSC_RANDOM_POINTS_CLUSTERED, 1, n, dim, BOSC_F32, s->points.data);
    if (status == BOSC_OK)
        status = bosc_random_points(demo->ctx, BOSC_RANDOM_POINTS_UNIFORM, 2, s->m, dim, BOSC_F32, s->queries);
    return status == BOSC_OK ? BOSC_OK : demo_fail_ctx(demo, status);
}

/* Copies the caller's points as points and queries: each finds itself and its neighbours, for the picture. */
static bosc_status copy_input(struct demo *demo, struct search_example *s)
{
    const bosc_array *input = demo->points;
    size_t bytes = (size_t)(input->shape[0] * input->shape[1]) * bosc_dtype_size(input->dtype);
    s->name = "points of the file";
    s->m = input->shape[0];
    s->points = *input;
    s->points.data = demo_alloc(demo, bytes, 1);
    s->queries = demo_alloc(demo, bytes, 1);
    if (!s->points.data || !s->queries) return BOSC_ERR_NOMEM;
    memcpy(s->points.data, input->data, bytes);
    memcpy(s->queries, input->data, bytes);
    return BOSC_OK;
}

/* Draws an example whose queries are its points. A large `fill` makes a surface of discs, a small one a cloud. */
static bosc_status draw_density(struct demo *demo, const struct search_example *s, double fill, const char *name)
{
    int64_t n = s->points.shape[0], dim = s->points.shape[1];
    float *points = demo_alloc(demo, (size_t)(n * dim), sizeof *points);
    double *distances = demo_alloc(demo, (size_t)n, sizeof *distances);
    bosc_status code = points && distances ? BOSC_OK : BOSC_ERR_NOMEM;
    for (int64_t i = 0; !code && i < n * dim; i++) points[i] = (float)coordinate(s->points.data, s->points.dtype, i);
    for (int64_t i = 0; !code && i < n; i++) {
        int64_t last = i * K + K - 1;
        bool is_f32 = s->points.dtype == BOSC_F32;
        distances[i] = sqrt(is_f32 ? (double)((float *)s->distances)[last] : ((double *)s->distances)[last]);
    }
    if (!code) code = demo_density(demo, points, n, (int32_t)dim, distances, fill, name);
    free(points);
    free(distances);
    return code;
}

/* Searches the generated points again, as their own queries, and draws them. */
static bosc_status draw_generated(struct demo *demo, struct search_example *s)
{
    free(s->ids);
    free(s->distances);
    free(s->queries);
    s->ids = NULL;
    s->distances = NULL;
    s->m = s->points.shape[0];
    s->queries = demo_alloc(demo, (size_t)s->m * 3, sizeof(float));
    if (!s->queries) return BOSC_ERR_NOMEM;
    memcpy(s->queries, s->points.data, (size_t)s->m * 3 * sizeof(float));
    bosc_status code = search_tree(demo, s);
    return code ? code : draw_density(demo, s, 0.1, "kdtree_density.png");
}

bosc_status demo_kdtree(struct demo *demo)
{
    bosc_status code = BOSC_OK;
    /* 1. The caller's points. */
    if (demo->points) {
        struct search_example s = {0};
        code = copy_input(demo, &s);
        if (!code) code = build_tree(demo, &s);
        if (!code) code = search_tree(demo, &s);
        if (!code && s.points.shape[1] > 1 && s.m) code = draw_density(demo, &s, 0.42, "kdtree_file.png");
        free_example(&s);
    }
    /* 2. Generated points in two and three dimensions. */
    for (int32_t dim = 2; dim <= 3 && !code; dim++) {
        struct search_example s = {0};
        code = generate_example(demo, &s, dim);
        if (!code) code = build_tree(demo, &s);
        if (!code) code = search_tree(demo, &s);
        if (!code && dim == 3) code = draw_generated(demo, &s);
        free_example(&s);
    }
    return code;
}
