/* Pictures of k-d trees: the partition of the plane, and points coloured by density. */
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

/* Generates points, half uniform and half clustered, clamped to the frame. */
static bosc_status generate_points(struct demo *demo, struct plane *p)
{
    int half = PLANE_POINTS / 2;
    bosc_status status = bosc_random_points(demo->ctx, BOSC_RANDOM_POINTS_UNIFORM, 11, half, 2, BOSC_F32, p->points);
    if (status == BOSC_OK)
        status = bosc_random_points(demo->ctx, BOSC_RANDOM_POINTS_CLUSTERED, 5, PLANE_POINTS - half, 2, BOSC_F32,
                                    p->points + half * 2);
    for (int i = 0; i < PLANE_POINTS * 2; i++) p->points[i] = fminf(fmaxf(p->points[i], 0), 1);
    return status;
}

static bosc_status draw_plane(struct demo *demo, struct plane *p)
{
    static const uint32_t shades[8] = {0xfff3b0, 0xffb35c, 0xf3676a, 0xc2407f, 0x7f3f98, 0x4a4aa8, 0x2f6fb0, 0x2a8c9c};
    int64_t ids[PLANE_QUERIES * PLANE_K];
    bosc_kdtree *tree = NULL;
    bosc_kdtree_opts opts = {.size = sizeof opts, .dtype = BOSC_F32, .dim = 2};
    bosc_kdtree_info info = {.size = sizeof info};
    for (int i = 0; i < 8; i++) p->palette[i] = colour_of(shades[i]);
    /* 1. Points, tree, answers. */
    bosc_status status = generate_points(demo, p);
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

bosc_status demo_density(struct demo *demo, const float *points, int64_t n, int32_t dim, const double *distances,
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
