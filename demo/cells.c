/* Demonstrates cell graphs. Lines divide a square. Each point of a raster has a bit per line: the side on which it
 * lies. Points of equal vectors form a cell; cells that differ in one bit are neighbours across one line. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <boscage/cellgraph.h>
#include <boscage/trie.h>

#include "demo/parts.h"

enum { LINES = 64, SIDE = 1000, MARGIN = 40, RASTER = SIDE - 2 * MARGIN, ROWS = RASTER * RASTER };

static const int64_t from_row = (int64_t)(RASTER - 1) * RASTER, to_row = RASTER - 1; /* corners */

/* Column and line of a vector's point on the raster. */
static double column_of(int64_t row) { return (double)(row % RASTER); }

static double line_of(int64_t row)
{
    int64_t whole = row / RASTER;
    return (double)whole;
}

struct cells {
    bosc_cellgraph *graph;
    bosc_trie *trie;
    uint64_t *rows, *vectors;
    int64_t *vertex_of, *levels, *path, *multiplicities;
    int64_t vertices, edges, length, depth;
};

/* Computes the bits of each point for lines through random points at random angles. */
static bosc_status classify_points(struct demo *demo, uint64_t *rows)
{
    uint32_t bits[3 * LINES];
    double lines[LINES][3]; /* a, b, c of a x + b y + c = 0 */
    bosc_status status = bosc_random_bits(demo->ctx, 11, 0, 3 * LINES, bits);
    if (status != BOSC_OK) return demo_fail_ctx(demo, status);
    for (int k = 0; k < LINES; k++) {
        double x = ldexp(bits[3 * k], -32) * RASTER, y = ldexp(bits[3 * k + 1], -32) * RASTER;
        double angle = ldexp(bits[3 * k + 2], -32) * 3.141592653589793;
        lines[k][0] = cos(angle);
        lines[k][1] = sin(angle);
        lines[k][2] = -x * cos(angle) - y * sin(angle);
    }
    for (int64_t i = 0; i < ROWS; i++) {
        rows[i] = 0;
        for (int k = 0; k < LINES; k++) {
            double x = column_of(i), y = line_of(i);
            rows[i] |= (uint64_t)(lines[k][0] * x + lines[k][1] * y + lines[k][2] > 0) << k;
        }
    }
    return BOSC_OK;
}

/* Builds the graph and the trie of the vectors twice and measures the second build: the first one allocates. */
static bosc_status build_structures(struct demo *demo, struct cells *c)
{
    char what[128];
    double graph_seconds = 0, trie_seconds = 0;
    bosc_cellgraph_opts opts = {.size = sizeof opts, .length = LINES};
    bosc_trie_opts trie_opts = {.size = sizeof trie_opts, .length = LINES};
    bosc_cellgraph_info info = {.size = sizeof info};
    bosc_trie_info trie_info = {.size = sizeof trie_info};
    bosc_status status = bosc_cellgraph_create(demo->ctx, &opts, &c->graph);
    if (status == BOSC_OK) status = bosc_trie_create(demo->ctx, &trie_opts, &c->trie);
    /* 1. Build. */
    for (int i = 0; i < 2 && status == BOSC_OK; i++) {
        double start = demo_now();
        status = bosc_cellgraph_build(demo->ctx, c->graph, c->rows, ROWS, 0);
        graph_seconds = demo_now() - start;
        start = demo_now();
        if (status == BOSC_OK) status = bosc_trie_build(demo->ctx, c->trie, c->rows, NULL, ROWS, 0);
        trie_seconds = demo_now() - start;
    }
    if (status == BOSC_OK) status = bosc_cellgraph_get_info(demo->ctx, c->graph, &info);
    if (status == BOSC_OK) status = bosc_trie_get_info(demo->ctx, c->trie, &trie_info);
    if (status != BOSC_OK) return demo_fail_ctx(demo, status);
    /* 2. Check that both have the same number of cells, and report. */
    if (trie_info.keys != info.vertices)
        return demo_fail(demo, BOSC_ERR_DATA, "demo: the trie has %lld cells", (long long)trie_info.keys);
    c->vertices = info.vertices;
    c->edges = info.edges;
    snprintf(what, sizeof what, "cell graph of %d vectors of %d bits", ROWS, LINES);
    demo_row(demo, what, graph_seconds, ROWS);
    snprintf(what, sizeof what, "%lld cells, %lld pairs of neighbours", (long long)c->vertices, (long long)c->edges);
    demo_row(demo, what, 0, 0);
    demo_row(demo, "trie of the same vectors", trie_seconds, ROWS);
    return BOSC_OK;
}

/* Checks that each step of the path crosses one line, and that the path is as short as the level of its end. */
static bosc_status check_path(struct demo *demo, const struct cells *c)
{
    int64_t to = c->vertex_of[to_row];
    if (c->length == 0 || c->length != c->levels[to] + 1)
        return demo_fail(demo, BOSC_ERR_DATA, "demo: no shortest path");
    for (int64_t k = 0; k + 1 < c->length; k++)
        if (__builtin_popcountll(c->vectors[c->path[k]] ^ c->vectors[c->path[k + 1]]) != 1)
            return demo_fail(demo, BOSC_ERR_DATA, "demo: a step of the path does not cross exactly one line");
    return BOSC_OK;
}

static bosc_status search_cells(struct demo *demo, struct cells *c)
{
    char what[128];
    int64_t reached = 0;
    size_t count = (size_t)c->vertices;
    c->vectors = demo_alloc(demo, count, sizeof *c->vectors);
    c->vertex_of = demo_alloc(demo, ROWS, sizeof *c->vertex_of);
    c->levels = demo_alloc(demo, count, sizeof *c->levels);
    c->path = demo_alloc(demo, count, sizeof *c->path);
    c->multiplicities = demo_alloc(demo, count, sizeof *c->multiplicities);
    if (!c->vectors || !c->vertex_of || !c->levels || !c->path || !c->multiplicities) return BOSC_ERR_NOMEM;
    /* 1. Vertices, and the tables of the search: not measured. */
    bosc_status status =
        bosc_cellgraph_get_vertices(demo->ctx, c->graph, c->vectors, NULL, c->multiplicities, c->vertex_of);
    if (status == BOSC_OK) status = bosc_cellgraph_prepare(demo->ctx, c->graph);
    if (status != BOSC_OK) return demo_fail_ctx(demo, status);
    int64_t from = c->vertex_of[from_row], to = c->vertex_of[to_row];
    /* 2. Breadth-first levels from one corner, and a shortest path to the other. */
    double start = demo_now();
    status = bosc_cellgraph_levels(demo->ctx, c->graph, from, c->levels, NULL, &reached, &c->depth);
    double levels_done = demo_now();
    if (status == BOSC_OK)
        status = bosc_cellgraph_path(demo->ctx, c->graph, from, to, c->path, c->vertices, &c->length);
    double path_done = demo_now();
    if (status != BOSC_OK) return demo_fail_ctx(demo, status);
    snprintf(what, sizeof what, "%lld cells reached from one, across up to %lld lines", (long long)reached,
             (long long)c->depth);
    demo_row(demo, what, levels_done - start, (double)reached);
    snprintf(what, sizeof what, "a shortest path through, across %lld lines", (long long)c->length - 1);
    demo_row(demo, what, path_done - levels_done, 0);
    return check_path(demo, c);
}

/* Returns the row of a cell nearest to its centroid. */
static int64_t centroid_row(const struct cells *c, int64_t vertex)
{
    double x = 0, y = 0, least = INFINITY;
    int64_t best = 0;
    for (int64_t i = 0; i < ROWS; i++)
        if (c->vertex_of[i] == vertex) x += column_of(i), y += line_of(i);
    x /= (double)c->multiplicities[vertex];
    y /= (double)c->multiplicities[vertex];
    for (int64_t i = 0; i < ROWS; i++) {
        double away = hypot(column_of(i) - x, line_of(i) - y);
        if (c->vertex_of[i] != vertex || away >= least) continue;
        least = away;
        best = i;
    }
    return best;
}

/* Draws the cells coloured by level, and the path from centroid to centroid. */
static bosc_status draw_cells(struct demo *demo, const struct cells *c, struct canvas *canvas)
{
    static const uint32_t shades[5] = {0xfff2c6, 0xf6a35b, 0xd2506a, 0x6f3b86, 0x1d2455};
    struct colour palette[5], path = colour_of(0xffffff);
    for (int i = 0; i < 5; i++) palette[i] = colour_of(shades[i]);
    for (int64_t i = 0; i < ROWS; i++) {
        int64_t vertex = c->vertex_of[i], level = c->levels[vertex];
        struct colour colour = colour_of(0x303030); /* not reached */
        if (level >= 0) colour = colour_along(palette, 5, (double)level / (double)(c->depth ? c->depth : 1));
        bool border = i % RASTER && c->vertex_of[i - 1] != vertex;
        border = border || (i >= RASTER && c->vertex_of[i - RASTER] != vertex);
        if (border) colour = colour_mix(colour, colour_of(0x000000), 0.45);
        canvas->pixels[(MARGIN + i / RASTER) * SIDE + MARGIN + i % RASTER] = colour;
    }
    double x0 = 0, y0 = 0;
    for (int64_t k = 0; k < c->length; k++) {
        int64_t row = centroid_row(c, c->path[k]);
        double x = MARGIN + column_of(row) + 0.5, y = MARGIN + line_of(row) + 0.5;
        if (k) canvas_line(canvas, x0, y0, x, y, 3, path, 0.95);
        canvas_disc(canvas, x, y, k == 0 || k + 1 == c->length ? 9 : 4, path, 1);
        x0 = x, y0 = y;
    }
    return demo_picture(demo, canvas, "cells_levels.png");
}

bosc_status demo_cells(struct demo *demo)
{
    struct canvas canvas = {0};
    struct cells c = {.rows = demo_alloc(demo, ROWS, sizeof *c.rows)};
    bosc_status code = c.rows ? classify_points(demo, c.rows) : BOSC_ERR_NOMEM;
    if (!code) code = build_structures(demo, &c);
    if (!code) code = search_cells(demo, &c);
    if (!code && !canvas_open(&canvas, SIDE, SIDE, colour_of(0x0f1020)))
        code = demo_fail(demo, BOSC_ERR_NOMEM, "out of memory");
    if (!code) code = draw_cells(demo, &c, &canvas);
    canvas_close(&canvas);
    bosc_cellgraph_free(c.graph);
    bosc_trie_free(c.trie);
    free(c.rows);
    free(c.vectors);
    free(c.vertex_of);
    free(c.levels);
    free(c.path);
    free(c.multiplicities);
    return code;
}
