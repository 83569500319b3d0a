/* Demonstrates spanning forests: of a random graph, with proof; of points, with a tour; with pictures. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "demo/parts.h"

enum { CPU = 1 << 17, CUDA = 1 << 22, EDGES_PER_VERTEX = 6 }; /* vertices or points on each backend */

/* ---- a random graph ---- */

struct network {
    int64_t n, m;
    uint32_t *u, *v, *edges;
    int64_t *weights;
    bosc_graph *graph;
};

static bosc_status generate_network(struct demo *demo, struct network *g)
{
    bosc_graph_generate_opts o = {.size = sizeof o, .kind = BOSC_GRAPH_RANDOM, .seed = 1, .id_bits = 32};
    o.n = demo_has_device(demo) ? CUDA : CPU;
    o.m = o.n * EDGES_PER_VERTEX;
    g->u = demo_alloc(demo, (size_t)o.m, sizeof *g->u);
    g->v = demo_alloc(demo, (size_t)o.m, sizeof *g->v);
    g->weights = demo_alloc(demo, (size_t)o.m, sizeof *g->weights);
    g->edges = demo_alloc(demo, (size_t)o.n, sizeof *g->edges);
    if (!g->u || !g->v || !g->weights || !g->edges) return BOSC_ERR_NOMEM;
    bosc_status status = bosc_graph_generate(demo->ctx, &o, &g->n, &g->m, g->u, g->v, g->weights, o.m);
    return status == BOSC_OK ? BOSC_OK : demo_fail_ctx(demo, status);
}

/* Builds twice and measures the second build: the first one allocates. */
static bosc_status build_network(struct demo *demo, struct network *g)
{
    char what[128];
    bosc_graph_opts opts = {.size = sizeof opts, .weight = BOSC_I64, .id_bits = 32};
    bosc_status status = bosc_graph_create(demo->ctx, &opts, &g->graph);
    double seconds = 0;
    for (int i = 0; i < 2 && status == BOSC_OK; i++) {
        double start = demo_now();
        status = bosc_graph_build(demo->ctx, g->graph, g->u, g->v, g->weights, g->n, g->m);
        seconds = demo_now() - start;
    }
    if (status != BOSC_OK) return demo_fail_ctx(demo, status);
    snprintf(what, sizeof what, "build: random graph, %lld vertices, %lld edges", (long long)g->n, (long long)g->m);
    demo_row(demo, what, seconds, (double)g->m);
    return BOSC_OK;
}

/* Computes the forest twice, measures the second call, and verifies it. */
static bosc_status span_network(struct demo *demo, struct network *g)
{
    char what[128];
    bosc_msf_info found = {.size = sizeof found};
    bosc_status status = BOSC_OK;
    double seconds = 0;
    for (int i = 0; i < 2 && status == BOSC_OK; i++) {
        double start = demo_now();
        status = bosc_msf_compute(demo->ctx, g->graph, NULL, g->edges, NULL, &found);
        seconds = demo_now() - start;
    }
    if (status != BOSC_OK) return demo_fail_ctx(demo, status);
    snprintf(what, sizeof what, "minimum spanning forest: %lld trees, weight %.0f", (long long)found.trees,
             found.weight);
    demo_row(demo, what, seconds, (double)g->m);
    double start = demo_now();
    status = bosc_msf_verify(demo->ctx, g->graph, NULL, g->edges, found.edges, NULL);
    if (status != BOSC_OK) return demo_fail_ctx(demo, status);
    demo_row(demo, "proof: no edge left out is lighter than the path around it", demo_now() - start, (double)g->m);
    return BOSC_OK;
}

bosc_status demo_forest(struct demo *demo)
{
    struct network g = {0};
    bosc_status code = generate_network(demo, &g);
    if (!code) code = build_network(demo, &g);
    if (!code) code = span_network(demo, &g);
    bosc_graph_free(g.graph);
    free(g.u);
    free(g.v);
    free(g.weights);
    free(g.edges);
    return code;
}

/* ---- points of the plane, their tree and their tour ---- */

enum { SIDE = 1200, MARGIN = 40, DRAWN = 9000 };

struct plane {
    int64_t n;
    float *points;
    int64_t *pairs, *order;
    float *dist2;
};

static void close_plane(struct plane *p)
{
    free(p->points);
    free(p->pairs);
    free(p->order);
    free(p->dist2);
}

/* Allocates the arrays and generates the points. */
static bosc_status generate_plane(struct demo *demo, struct plane *p, int64_t n)
{
    p->n = n;
    p->points = demo_alloc(demo, (size_t)n * 2, sizeof *p->points);
    p->pairs = demo_alloc(demo, (size_t)n * 2, sizeof *p->pairs);
    p->order = demo_alloc(demo, (size_t)n, sizeof *p->order);
    p->dist2 = demo_alloc(demo, (size_t)n, sizeof *p->dist2);
    if (!p->points || !p->pairs || !p->order || !p->dist2) return BOSC_ERR_NOMEM;
    bosc_status status = demo_generate_plane(demo, 11, 5, n, p->points);
    return status == BOSC_OK ? BOSC_OK : demo_fail_ctx(demo, status);
}

/* Computes the tree and the tour, and checks the bound of the tour's length: twice the tree. */
static bosc_status span_plane(struct demo *demo, struct plane *p)
{
    char what[128];
    double weight = 0, tour = 0, start = demo_now();
    const bosc_emst_opts opts = {.size = sizeof opts, .dtype = BOSC_F32, .dim = 2};
    bosc_status status = bosc_emst_compute(demo->ctx, p->points, p->n, 0, &opts, p->pairs, p->dist2);
    double tree_seconds = demo_now() - start;
    start = demo_now();
    if (status == BOSC_OK) status = bosc_tour_compute(demo->ctx, p->pairs, p->n, NULL, p->order);
    double tour_seconds = demo_now() - start;
    if (status != BOSC_OK) return demo_fail_ctx(demo, status);
    for (int64_t e = 0; e + 1 < p->n; e++) weight += sqrt((double)p->dist2[e]);
    for (int64_t i = 0; i < p->n; i++) {
        const float *a = p->points + 2 * p->order[i], *b = p->points + 2 * p->order[i + 1 < p->n ? i + 1 : 0];
        tour += hypot((double)a[0] - (double)b[0], (double)a[1] - (double)b[1]);
    }
    snprintf(what, sizeof what, "Euclidean spanning tree: %lld points, weight %.3f", (long long)p->n, weight);
    demo_row(demo, what, tree_seconds, (double)p->n);
    snprintf(what, sizeof what, "tour along it: %.2f times the tree (at most 2)", tour / weight);
    demo_row(demo, what, tour_seconds, (double)p->n);
    return tour <= 2.0001 * weight ? BOSC_OK
                                   : demo_fail(demo, BOSC_ERR_DATA, "demo: the tour is longer than twice the tree");
}

static double pixel_of(float x) { return MARGIN + (double)x * (SIDE - 2 * MARGIN); }

static void draw_segment(struct canvas *canvas, const struct plane *p, int64_t i, int64_t j, double width,
                         struct colour colour, double alpha)
{
    const float *a = p->points + 2 * i, *b = p->points + 2 * j;
    canvas_line(canvas, pixel_of(a[0]), pixel_of(a[1]), pixel_of(b[0]), pixel_of(b[1]), width, colour, alpha);
}

/* The tree rooted by repeated removal of leaves, and the number of points below each edge. The last remaining point is
 * the root. */
struct branches {
    int64_t *parent, *size;
};

/* Each point stores the sum of its remaining neighbours: for a leaf that is its only neighbour. False: out of
 * memory. */
static bool find_branches(const struct plane *p, struct branches *b)
{
    int64_t *degree = calloc((size_t)p->n, sizeof *degree), *sum = calloc((size_t)p->n, sizeof *sum), done = 0;
    int64_t *leaves = calloc((size_t)p->n, sizeof *leaves), count = 0;
    bool ok = degree && sum && leaves;
    /* 1. Degrees, and sums of neighbours. */
    for (int64_t e = 0; ok && e + 1 < p->n; e++)
        for (int k = 0; k < 2; k++) {
            degree[p->pairs[2 * e + k]]++;
            sum[p->pairs[2 * e + k]] += p->pairs[2 * e + 1 - k];
        }
    /* 2. The leaves. */
    for (int64_t i = 0; ok && i < p->n; i++) {
        b->size[i] = 1;
        b->parent[i] = -1;
        if (degree[i] == 1) leaves[count++] = i;
    }
    /* 3. Remove leaves; a neighbour left with one edge becomes a leaf. */
    while (ok && done < count) {
        int64_t leaf = leaves[done++], to = sum[leaf];
        if (degree[leaf] != 1) continue; /* the last point */
        b->parent[leaf] = to;
        b->size[to] += b->size[leaf];
        sum[to] -= leaf;
        if (--degree[to] == 1) leaves[count++] = to;
        degree[leaf] = 0;
    }
    free(degree);
    free(sum);
    free(leaves);
    return ok;
}

static void draw_points(struct canvas *canvas, const struct plane *p)
{
    for (int64_t i = 0; i < p->n; i++)
        canvas_disc(canvas, pixel_of(p->points[2 * i]), pixel_of(p->points[2 * i + 1]), 1.3, colour_of(0xf4f1e8), 0.55);
}

static bosc_status draw_tree(struct demo *demo, const struct plane *p, struct canvas *canvas)
{
    static const uint32_t levels[6] = {0x3d7fc0, 0x35a8b8, 0x8cc474, 0xffd166, 0xff8c42, 0xfff7e6};
    struct colour palette[6];
    struct branches b = {demo_alloc(demo, (size_t)p->n, sizeof(int64_t)),
                         demo_alloc(demo, (size_t)p->n, sizeof(int64_t))};
    bosc_status code = b.parent && b.size ? BOSC_OK : BOSC_ERR_NOMEM;
    if (!code && !find_branches(p, &b)) code = demo_fail(demo, BOSC_ERR_NOMEM, "out of memory");
    for (int i = 0; i < 6; i++) palette[i] = colour_of(levels[i]);
    for (int level = 0; !code && level < 40; level++) /* thin edges first, so that thick ones lie on top */
        for (int64_t i = 0; i < p->n; i++) {
            if (b.parent[i] < 0 || (int)(2 * log2((double)b.size[i])) != level) continue;
            double t = log2((double)b.size[i]) / log2((double)p->n / 2);
            draw_segment(canvas, p, i, b.parent[i], 1.2 + 5.5 * t * t, colour_along(palette, 6, t), 0.95);
        }
    free(b.parent);
    free(b.size);
    draw_points(canvas, p);
    return code ? code : demo_picture(demo, canvas, "emst_tree.png");
}

static bosc_status draw_tour(struct demo *demo, const struct plane *p, struct canvas *canvas)
{
    static const uint32_t levels[7] = {0xf3676a, 0xffb35c, 0xfff3b0, 0x7fd18b, 0x35c4c9, 0x7a6ff0, 0xf3676a};
    struct colour palette[7];
    for (int i = 0; i < 7; i++) palette[i] = colour_of(levels[i]);
    for (int64_t i = 0; i < p->n; i++)
        draw_segment(canvas, p, p->order[i], p->order[i + 1 < p->n ? i + 1 : 0], 1.7,
                     colour_along(palette, 7, (double)i / (double)p->n), 0.95);
    draw_points(canvas, p);
    return demo_picture(demo, canvas, "emst_tour.png");
}

static bosc_status draw_plane(struct demo *demo, const struct plane *p,
                              bosc_status (*picture)(struct demo *, const struct plane *, struct canvas *))
{
    struct canvas canvas = {0};
    bosc_status code = canvas_open(&canvas, SIDE, SIDE, colour_of(0x0f1020))
                           ? picture(demo, p, &canvas)
                           : demo_fail(demo, BOSC_ERR_NOMEM, "out of memory");
    canvas_close(&canvas);
    return code;
}

bosc_status demo_emst(struct demo *demo)
{
    struct plane measured = {0}, drawn = {0};
    bosc_status code = generate_plane(demo, &measured, demo_has_device(demo) ? CUDA : CPU);
    if (!code) code = span_plane(demo, &measured);
    if (!code) code = generate_plane(demo, &drawn, DRAWN);
    if (!code) code = span_plane(demo, &drawn);
    if (!code) code = draw_plane(demo, &drawn, draw_tree);
    if (!code) code = draw_plane(demo, &drawn, draw_tour);
    close_plane(&measured);
    close_plane(&drawn);
    return code;
}
