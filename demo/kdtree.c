/* The demonstration's k-d trees: built, verified, searched, and compared with searches through all points. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "demo/parts.h"

enum { CPU_POINTS = 1 << 17, CUDA_POINTS = 1 << 22, K = 8, SAMPLES = 50 };

/* Points, their tree, and the answers for some queries. Everything as f4 or f8, as the points are. */
struct scene {
    const char *what;
    bosc_array points;
    bosc_kdtree *tree;
    int64_t m;
    int64_t *ids;
    void *distances; /* squared */
    void *queries;
};

static void close_scene(struct scene *s)
{
    bosc_array_free(&s->points);
    bosc_kdtree_free(s->tree);
    free(s->ids);
    free(s->distances);
    free(s->queries);
}

static const char *code_of(bosc_dtype dtype)
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

/* Squared distance as the tree's contract has it: in the points' type, terms in the order of the coordinates. */
static double distance2(const struct scene *s, int64_t query, int64_t point)
{
    int64_t dim = s->points.shape[1];
    float narrow = 0;
    double wide = 0;
    for (int64_t c = 0; c < dim; c++) {
        double q = coordinate(s->queries, s->points.dtype, query * dim + c);
        double p = coordinate(s->points.data, s->points.dtype, point * dim + c);
        float f = (float)q - (float)p;
        narrow += f * f;
        wide += (q - p) * (q - p);
    }
    return s->points.dtype == BOSC_F32 ? (double)narrow : wide;
}

/* The k nearest of one query by looking at every point; the number of ranks where the tree says otherwise. */
static int wrong_ranks(const struct scene *s, int64_t query)
{
    double best[K];
    int64_t ids[K];
    int found = 0, wrong = 0;
    for (int64_t i = 0; i < s->points.shape[0]; i++) {
        double d = distance2(s, query, i);
        if (found == K && d >= best[K - 1]) continue; /* of equal ones the smaller id stays */
        int at = found < K ? found++ : K - 1;
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

static bosc_status check_answers(struct demo *demo, const struct scene *s)
{
    char what[128];
    int wrong = 0, samples = s->m < SAMPLES ? (int)s->m : SAMPLES;
    for (int i = 0; i < samples; i++) wrong += wrong_ranks(s, s->m / samples * i) != 0;
    snprintf(what, sizeof what, "%d of %d sampled queries equal a search of all points", samples - wrong, samples);
    demo_row(demo, what, 0, 0);
    return wrong ? demo_fail(demo, BOSC_ERR_DATA, "demo: %d of %d sampled queries are wrong", wrong, samples) : BOSC_OK;
}

/* The second call is measured: the first one takes memory. */
static bosc_status build_tree(struct demo *demo, struct scene *s)
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
    snprintf(what, sizeof what, "build: %lld %s, %d-D %s, depth %d", (long long)info.n, s->what, info.dim,
             code_of(info.dtype), info.depth);
    demo_row(demo, what, seconds, (double)info.n);
    double start = demo_now();
    status = bosc_kdtree_verify(demo->ctx, s->tree, NULL);
    if (status != BOSC_OK) return demo_fail_ctx(demo, status);
    demo_row(demo, "verify: every node against all its ancestors", demo_now() - start, (double)info.nodes);
    return BOSC_OK;
}

static bosc_status search_tree(struct demo *demo, struct scene *s)
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

static bosc_status generate(struct demo *demo, struct scene *s, int32_t dim)
{
    bosc_ctx_info info = {.size = sizeof info};
    bosc_ctx_get_info(demo->ctx, &info);
    int64_t n = info.backend == BOSC_BACKEND_CUDA ? CUDA_POINTS : CPU_POINTS;
    s->what = "clustered points";
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

/* The caller's points are the queries as well, so that each finds itself and its neighbours; they make a picture. */
static bosc_status copy_given(struct demo *demo, struct scene *s)
{
    const bosc_array *given = demo->points;
    size_t bytes = (size_t)(given->shape[0] * given->shape[1]) * bosc_dtype_size(given->dtype);
    s->what = "points of the file";
    s->m = given->shape[0];
    s->points = *given;
    s->points.data = demo_alloc(demo, bytes, 1);
    s->queries = demo_alloc(demo, bytes, 1);
    if (!s->points.data || !s->queries) return BOSC_ERR_NOMEM;
    memcpy(s->points.data, given->data, bytes);
    memcpy(s->queries, given->data, bytes);
    return BOSC_OK;
}

/* The picture of a scene whose queries are its points: large discs make a surface of them, small ones a cloud. */
static bosc_status draw(struct demo *demo, const struct scene *s, double fill, const char *name)
{
    int64_t n = s->points.shape[0], dim = s->points.shape[1];
    float *points = demo_alloc(demo, (size_t)(n * dim), sizeof *points);
    double *distances = demo_alloc(demo, (size_t)n, sizeof *distances);
    bosc_status code = points && distances ? BOSC_OK : BOSC_ERR_NOMEM;
    for (int64_t i = 0; !code && i < n * dim; i++) points[i] = (float)coordinate(s->points.data, s->points.dtype, i);
    for (int64_t i = 0; !code && i < n; i++) {
        int64_t last = i * K + K - 1;
        bool narrow = s->points.dtype == BOSC_F32;
        distances[i] = sqrt(narrow ? (double)((float *)s->distances)[last] : ((double *)s->distances)[last]);
    }
    if (!code) code = demo_density(demo, points, n, (int32_t)dim, distances, fill, name);
    free(points);
    free(distances);
    return code;
}

/* The generated points once more, as their own queries. */
static bosc_status draw_generated(struct demo *demo, struct scene *s)
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
    return code ? code : draw(demo, s, 0.1, "kdtree_density.png");
}

bosc_status demo_kdtree(struct demo *demo)
{
    bosc_status code = BOSC_OK;
    if (demo->points) {
        struct scene s = {0};
        code = copy_given(demo, &s);
        if (!code) code = build_tree(demo, &s);
        if (!code) code = search_tree(demo, &s);
        if (!code && s.points.shape[1] > 1 && s.m) code = draw(demo, &s, 0.42, "kdtree_file.png");
        close_scene(&s);
    }
    for (int32_t dim = 2; dim <= 3 && !code; dim++) {
        struct scene s = {0};
        code = generate(demo, &s, dim);
        if (!code) code = build_tree(demo, &s);
        if (!code) code = search_tree(demo, &s);
        if (!code && dim == 3) code = draw_generated(demo, &s);
        close_scene(&s);
    }
    return code;
}
