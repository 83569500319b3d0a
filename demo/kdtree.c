/* Demonstrates k-d trees: build, verification and search, with sampled queries compared to a brute-force search; and
 * pictures of the partition of the plane and of points coloured by density. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "demo/parts.h"

enum { SIDE = 1200, MARGIN = 40 };

/* ---- the partition of the plane ---- */

enum { PLANE_POINTS = 1600, PLANE_QUERIES = 5, PLANE_K = 12 };

struct plane {
    struct canvas canvas;
    float points[PLANE_POINTS * 2];
    float nodes[PLANE_POINTS * 2]; /* of the tree, in order */
    struct colour palette[8];      /* by depth */
    int levels;
};

static double pixel_of(float x) { return MARGIN + (double)x * (SIDE - 2 * MARGIN); }

struct box {
    double low[2], high[2];
};

/* Draws the splitting line of nodes [begin, end) inside the box, after those of both sides: shallow lines lie on top
 * of deep ones. */
static void draw_lines(struct plane *p, int64_t begin, int64_t end, int depth, struct box box)
{
    if (begin >= end) return;
    int64_t middle = begin + (end - begin) / 2;
    int axis = depth % 2;
    double x = pixel_of(p->nodes[middle * 2 + axis]);
    struct box less = box, greater = box;
    less.high[axis] = greater.low[axis] = x;
    draw_lines(p, begin, middle, depth + 1, less);
    draw_lines(p, middle + 1, end, depth + 1, greater);
    double t = (double)depth / (p->levels - 1), width = 3.4 * pow(0.78, depth) + 0.55;
    struct colour c = colour_along(p->palette, 8, t);
    double alpha = 0.95 - 0.2 * t;
    if (axis == 0)
        canvas_line(&p->canvas, x, box.low[1], x, box.high[1], width, c, alpha);
    else
        canvas_line(&p->canvas, box.low[0], x, box.high[0], x, width, c, alpha);
}

static void draw_frame(struct plane *p, struct box b)
{
    struct colour c = colour_of(0x6b7080);
    for (int i = 0; i < 2; i++) {
        canvas_line(&p->canvas, i ? b.high[0] : b.low[0], b.low[1], i ? b.high[0] : b.low[0], b.high[1], 1.5, c, 1);
        canvas_line(&p->canvas, b.low[0], i ? b.high[1] : b.low[1], b.high[0], i ? b.high[1] : b.low[1], 1.5, c, 1);
    }
}

/* Fills the sixteen boxes of level 4, each with its own tint. */
static void draw_tints(struct plane *p, int64_t begin, int64_t end, int depth, int number, struct box box)
{
    if (depth == 4 || begin >= end) {
        struct colour tint = colour_along(p->palette, 8, 0.4 + 0.6 * ((number * 7) % 16) / 15);
        canvas_box(&p->canvas, box.low[0], box.low[1], box.high[0], box.high[1], tint, 0.05);
        return;
    }
    int64_t middle = begin + (end - begin) / 2;
    struct box less = box, greater = box;
    less.high[depth % 2] = greater.low[depth % 2] = pixel_of(p->nodes[middle * 2 + depth % 2]);
    draw_tints(p, begin, middle, depth + 1, number * 2, less);
    draw_tints(p, middle + 1, end, depth + 1, number * 2 + 1, greater);
}

static void draw_points(struct plane *p)
{
    struct colour white = colour_of(0xf4f1e8);
    for (int i = 0; i < PLANE_POINTS; i++)
        canvas_disc(&p->canvas, pixel_of(p->points[i * 2]), pixel_of(p->points[i * 2 + 1]), 1.9, white, 0.9);
}

/* Draws a query with the circle through its farthest neighbour, and its neighbours. */
static void draw_query(struct plane *p, const float *query, const int64_t *ids)
{
    struct colour gold = colour_of(0xffd166), warm = colour_of(0xff9f1c);
    double x = pixel_of(query[0]), y = pixel_of(query[1]), reach = 0;
    for (int r = 0; r < PLANE_K; r++) {
        const float *n = p->points + ids[r] * 2;
        reach = fmax(reach, hypot(pixel_of(n[0]) - x, pixel_of(n[1]) - y));
    }
    /* 1. Circle, spokes, neighbours. */
    canvas_glow(&p->canvas, x, y, reach * 1.25 + 6, warm, 0.22);
    canvas_ring(&p->canvas, x, y, reach, 1.6, gold, 0.9);
    for (int r = 0; r < PLANE_K; r++) {
        const float *n = p->points + ids[r] * 2;
        canvas_line(&p->canvas, x, y, pixel_of(n[0]), pixel_of(n[1]), 1.3, gold, 0.75);
    }
    for (int r = 0; r < PLANE_K; r++) {
        const float *n = p->points + ids[r] * 2;
        canvas_disc(&p->canvas, pixel_of(n[0]), pixel_of(n[1]), 3.6, colour_of(0x1b1b2f), 1);
        canvas_disc(&p->canvas, pixel_of(n[0]), pixel_of(n[1]), 2.8, gold, 1);
    }
    /* 2. The query itself, on top. */
    canvas_disc(&p->canvas, x, y, 7.5, colour_of(0x14142b), 1);
    canvas_disc(&p->canvas, x, y, 5.6, colour_of(0xffffff), 1);
    canvas_disc(&p->canvas, x, y, 3.0, colour_of(0xef476f), 1);
}

static const float plane_queries[PLANE_QUERIES * 2] = {0.24f, 0.72f, 0.55f, 0.46f, 0.80f,
                                                       0.20f, 0.15f, 0.22f, 0.83f, 0.80f};

static bosc_status draw_plane(struct demo *demo, struct plane *p)
{
    static const uint32_t shades[8] = {0xfff3b0, 0xffb35c, 0xf3676a, 0xc2407f, 0x7f3f98, 0x4a4aa8, 0x2f6fb0, 0x2a8c9c};
    int64_t ids[PLANE_QUERIES * PLANE_K];
    bosc_kdtree *tree = NULL;
    bosc_kdtree_opts opts = {.size = sizeof opts, .dtype = BOSC_F32, .dim = 2};
    bosc_kdtree_info info = {.size = sizeof info};
    for (int i = 0; i < 8; i++) p->palette[i] = colour_of(shades[i]);
    /* 1. Points, tree, answers. */
    bosc_status status = demo_generate_plane(demo, 11, 5, PLANE_POINTS, p->points);
    if (status == BOSC_OK) status = bosc_kdtree_create(demo->ctx, &opts, &tree);
    if (status == BOSC_OK) status = bosc_kdtree_build(demo->ctx, tree, p->points, PLANE_POINTS, 0);
    if (status == BOSC_OK) status = bosc_kdtree_get_nodes(demo->ctx, tree, p->nodes, NULL);
    if (status == BOSC_OK)
        status = bosc_kdtree_knn(demo->ctx, tree, plane_queries, PLANE_QUERIES, 0, PLANE_K, ids, NULL);
    if (status == BOSC_OK) status = bosc_kdtree_get_info(demo->ctx, tree, &info);
    bosc_kdtree_free(tree);
    if (status != BOSC_OK) return demo_fail_ctx(demo, status);
    /* 2. The picture, from back to front. */
    p->levels = info.depth;
    struct box whole = {{MARGIN, MARGIN}, {SIDE - MARGIN, SIDE - MARGIN}};
    draw_tints(p, 0, PLANE_POINTS, 0, 0, whole);
    draw_lines(p, 0, PLANE_POINTS, 0, whole);
    draw_frame(p, whole);
    draw_points(p);
    for (int q = 0; q < PLANE_QUERIES; q++) draw_query(p, plane_queries + q * 2, ids + q * PLANE_K);
    return demo_picture(demo, &p->canvas, "kdtree_partition.png");
}

bosc_status demo_partition(struct demo *demo)
{
    struct plane *p = demo_alloc(demo, 1, sizeof *p);
    if (!p) return BOSC_ERR_NOMEM;
    memset(p, 0, sizeof *p);
    bosc_status code = canvas_open(&p->canvas, SIDE, SIDE, colour_of(0x0f1020))
                           ? draw_plane(demo, p)
                           : demo_fail(demo, BOSC_ERR_NOMEM, "out of memory");
    canvas_close(&p->canvas);
    free(p);
    return code;
}

/* ---- points coloured by the distance of their neighbours ---- */

/* A projected point. */
struct splat {
    float x, y, depth; /* depth grows away from the eye */
    float distance;    /* to the farthest neighbour found */
};

/* Projects a point, seen from slightly above and aside, y up. */
static struct splat project(const float *point, int32_t dim, double distance)
{
    double u = point[0], v = point[1], w = dim > 2 ? point[2] : 0;
    double a = dim > 2 ? 0.55 : 0, b = dim > 2 ? 0.30 : 0;
    double side = u * cos(a) - w * sin(a), deep = u * sin(a) + w * cos(a);
    return (struct splat){(float)side, (float)-(v * cos(b) - deep * sin(b)), (float)-(v * sin(b) + deep * cos(b)),
                          (float)distance};
}

static int farther_first(const void *a, const void *b)
{
    float x = ((const struct splat *)a)->depth, y = ((const struct splat *)b)->depth;
    return (x < y) - (x > y);
}

static int compare_floats(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

/* The bounding box of the splats, and the logarithms of the 2nd and 98th percentile of their distances. */
struct extent {
    double low[3], high[3];
    double near, far;
};

static bool find_extent(const struct splat *splats, int64_t n, struct extent *e)
{
    float *sorted = malloc((size_t)n * sizeof *sorted);
    if (!sorted) return false;
    *e = (struct extent){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}, 0, 0};
    for (int64_t i = 0; i < n; i++) {
        const float v[3] = {splats[i].x, splats[i].y, splats[i].depth};
        for (int c = 0; c < 3; c++) {
            e->low[c] = fmin(e->low[c], v[c]);
            e->high[c] = fmax(e->high[c], v[c]);
        }
        sorted[i] = splats[i].distance;
    }
    qsort(sorted, (size_t)n, sizeof *sorted, compare_floats);
    e->near = log(sorted[n / 50] + 1e-30);
    e->far = log(sorted[n - 1 - n / 50] + 1e-30);
    free(sorted);
    return true;
}

/* Draws the splats, sorted from far to near: colour by distance, faded by depth. */
static void draw_splats(struct canvas *canvas, const struct splat *splats, int64_t n, const struct extent *e,
                        double fill)
{
    static const uint32_t levels[6] = {0xfff7c2, 0xffb454, 0xf2545b, 0xa03fb5, 0x4a6fe0, 0x35c4c9};
    struct colour palette[6], background = colour_of(0x0b0c18);
    for (int i = 0; i < 6; i++) palette[i] = colour_of(levels[i]);
    /* 1. Scale to the frame. */
    double size = fmax(e->high[0] - e->low[0], e->high[1] - e->low[1]),
           scale = size > 0 ? (SIDE - 2 * MARGIN) / size : 0;
    double deep = e->high[2] > e->low[2] ? e->high[2] - e->low[2] : 1;
    /* 2. Draw. */
    for (int64_t i = 0; i < n; i++) {
        const struct splat *s = &splats[i];
        double x = SIDE / 2.0 + (s->x - (e->low[0] + e->high[0]) / 2) * scale;
        double y = SIDE / 2.0 + (s->y - (e->low[1] + e->high[1]) / 2) * scale;
        double radius = fmin(fmax(fill * s->distance * scale, 0.75), 4.5);
        if (!(fabs(x) < 1e6 && fabs(y) < 1e6)) continue; /* infinite coordinates */
        double t = e->far > e->near ? (log(s->distance + 1e-30) - e->near) / (e->far - e->near) : 0;
        double fog = 0.72 * (s->depth - e->low[2]) / deep;
        canvas_disc(canvas, x, y, radius, colour_mix(colour_along(palette, 6, t), background, fog), 0.85);
    }
}

/* Draws points of at least two coordinates as discs. Colour and radius follow from the distance of the farthest
 * neighbour found; the radius is `fill` times that distance. */
static bosc_status draw_discs(struct demo *demo, const float *points, int64_t n, int32_t dim, const double *distances,
                              double fill, const char *name)
{
    struct canvas canvas = {0};
    struct extent extent;
    struct splat *splats = demo_alloc(demo, (size_t)n, sizeof *splats);
    if (!splats) return BOSC_ERR_NOMEM;
    for (int64_t i = 0; i < n; i++) splats[i] = project(points + i * dim, dim, distances[i]);
    qsort(splats, (size_t)n, sizeof *splats, farther_first);
    bosc_status code = BOSC_ERR_NOMEM;
    if (canvas_open(&canvas, SIDE, SIDE, colour_of(0x0b0c18)) && find_extent(splats, n, &extent)) {
        draw_splats(&canvas, splats, n, &extent, fill);
        code = demo_picture(demo, &canvas, name);
    } else {
        demo_fail(demo, BOSC_ERR_NOMEM, "out of memory");
    }
    canvas_close(&canvas);
    free(splats);
    return code;
}

/* ---- build, verification and search ---- */

enum {
    CPU_POINTS = 1 << 17, /* generated points on each backend */
    CUDA_POINTS = 1 << 22,
    K = 8,       /* neighbours of a query */
    SAMPLES = 50 /* checked queries */
};

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
    int64_t n = demo_has_device(demo) ? CUDA_POINTS : CPU_POINTS;
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
    if (!code) code = draw_discs(demo, points, n, (int32_t)dim, distances, fill, name);
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
