/* The demonstration of cell graphs: lines cut a square, and each point of a raster has a bit for each line, by the side
 * on which it lies. Points of one vector are a cell; cells that differ in one bit are neighbours, across one line. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <boscage/cellgraph.h>
#include <boscage/trie.h>

#include "demo/parts.h"

enum { LINES = 64, SIDE = 1000, MARGIN = 40, RASTER = SIDE - 2 * MARGIN, ROWS = RASTER * RASTER };

static const int64_t from_row = (int64_t)(RASTER - 1) * RASTER, to_row = RASTER - 1; /* corners */

/* Where a row's point is on the raster. */
static double column(int64_t row) { return (double)(row % RASTER); }

static double line(int64_t row)
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

/* Each line goes through a random point at a random angle. */
static bosc_status make_rows(struct demo *demo, uint64_t *rows)
{
    uint32_t bits[3 * LINES];
    double of[LINES][3]; /* a x + b y + c = 0 */
    bosc_status status = bosc_random_bits(demo->ctx, 11, 0, 3 * LINES, bits);
    if (status != BOSC_OK) return demo_fail_ctx(demo, status);
    for (int k = 0; k < LINES; k++) {
        double x = ldexp(bits[3 * k], -32) * RASTER, y = ldexp(bits[3 * k + 1], -32) * RASTER;
        double angle = ldexp(bits[3 * k + 2], -32) * 3.141592653589793;
        of[k][0] = cos(angle);
        of[k][1] = sin(angle);
        of[k][2] = -x * cos(angle) - y * sin(angle);
    }
    for (int64_t i = 0; i < ROWS; i++) {
        rows[i] = 0;
        for (int k = 0; k < LINES; k++) {
            double x = column(i), y = line(i);
            rows[i] |= (uint64_t)(of[k][0] * x + of[k][1] * y + of[k][2] > 0) << k;
        }
    }
    return BOSC_OK;
}

/* The graph and the trie of its vectors; of two builds the second is measured. */
static bosc_status build(struct demo *demo, struct cells *c)
{
    char what[128];
    double graph = 0, trie = 0;
    bosc_cellgraph_opts opts = {.size = sizeof opts, .length = LINES};
    bosc_trie_opts trie_opts = {.size = sizeof trie_opts, .length = LINES};
    bosc_cellgraph_info info = {.size = sizeof info};
    bosc_trie_info of_trie = {.size = sizeof of_trie};
    bosc_status status = bosc_cellgraph_create(demo->ctx, &opts, &c->graph);
    if (status == BOSC_OK) status = bosc_trie_create(demo->ctx, &trie_opts, &c->trie);
    for (int i = 0; i < 2 && status == BOSC_OK; i++) {
        double start = demo_now();
        status = bosc_cellgraph_build(demo->ctx, c->graph, c->rows, ROWS, 0);
        graph = demo_now() - start;
        start = demo_now();
        if (status == BOSC_OK) status = bosc_trie_build(demo->ctx, c->trie, c->rows, NULL, ROWS, 0);
        trie = demo_now() - start;
    }
    if (status == BOSC_OK) status = bosc_cellgraph_get_info(demo->ctx, c->graph, &info);
    if (status == BOSC_OK) status = bosc_trie_get_info(demo->ctx, c->trie, &of_trie);
    if (status != BOSC_OK) return demo_fail_ctx(demo, status);
    if (of_trie.keys != info.vertices)
        return demo_fail(demo, BOSC_ERR_DATA, "demo: the trie has %lld cells", (long long)of_trie.keys);
    c->vertices = info.vertices;
    c->edges = info.edges;
    snprintf(what, sizeof what, "cell graph of %d vectors of %d bits", ROWS, LINES);
    demo_row(demo, what, graph, ROWS);
    snprintf(what, sizeof what, "%lld cells, %lld pairs of neighbours", (long long)c->vertices, (long long)c->edges);
    demo_row(demo, what, 0, 0);
    demo_row(demo, "trie of the same vectors", trie, ROWS);
    return BOSC_OK;
}

/* A way crosses one line at each step, and no way has fewer steps. */
static bosc_status check_path(struct demo *demo, const struct cells *c)
{
    int64_t to = c->vertex_of[to_row];
    if (c->length == 0 || c->length != c->levels[to] + 1)
        return demo_fail(demo, BOSC_ERR_DATA, "demo: no shortest way");
    for (int64_t k = 0; k + 1 < c->length; k++)
        if (__builtin_popcountll(c->vectors[c->path[k]] ^ c->vectors[c->path[k + 1]]) != 1)
            return demo_fail(demo, BOSC_ERR_DATA, "demo: a step of a way crosses no single line");
    return BOSC_OK;
}

static bosc_status search(struct demo *demo, struct cells *c)
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
    bosc_status status =
        bosc_cellgraph_get_vertices(demo->ctx, c->graph, c->vectors, NULL, c->multiplicities, c->vertex_of);
    if (status == BOSC_OK) status = bosc_cellgraph_prepare(demo->ctx, c->graph);
    if (status != BOSC_OK) return demo_fail_ctx(demo, status);
    int64_t from = c->vertex_of[from_row], to = c->vertex_of[to_row];
    double start = demo_now();
    status = bosc_cellgraph_levels(demo->ctx, c->graph, from, c->levels, NULL, &reached, &c->depth);
    double levels = demo_now();
    if (status == BOSC_OK)
        status = bosc_cellgraph_path(demo->ctx, c->graph, from, to, c->path, c->vertices, &c->length);
    double path = demo_now();
    if (status != BOSC_OK) return demo_fail_ctx(demo, status);
    snprintf(what, sizeof what, "%lld cells reached from one, across up to %lld lines", (long long)reached,
             (long long)c->depth);
    demo_row(demo, what, levels - start, (double)reached);
    snprintf(what, sizeof what, "a shortest way through, across %lld lines", (long long)c->length - 1);
    demo_row(demo, what, path - levels, 0);
    return check_path(demo, c);
}

/* The row of a cell that lies nearest to the cell's middle. */
static int64_t middle_row(const struct cells *c, int64_t vertex)
{
    double x = 0, y = 0, least = INFINITY;
    int64_t best = 0;
    for (int64_t i = 0; i < ROWS; i++)
        if (c->vertex_of[i] == vertex) x += column(i), y += line(i);
    x /= (double)c->multiplicities[vertex];
    y /= (double)c->multiplicities[vertex];
    for (int64_t i = 0; i < ROWS; i++) {
        double away = hypot(column(i) - x, line(i) - y);
        if (c->vertex_of[i] != vertex || away >= least) continue;
        least = away;
        best = i;
    }
    return best;
}

/* Cells by their level, and the way from middle to middle. */
static bosc_status draw(struct demo *demo, const struct cells *c, struct canvas *canvas)
{
    static const uint32_t shades[5] = {0xfff2c6, 0xf6a35b, 0xd2506a, 0x6f3b86, 0x1d2455};
    struct colour palette[5], way = colour_of(0xffffff);
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
        int64_t row = middle_row(c, c->path[k]);
        double x = MARGIN + column(row) + 0.5, y = MARGIN + line(row) + 0.5;
        if (k) canvas_line(canvas, x0, y0, x, y, 3, way, 0.95);
        canvas_disc(canvas, x, y, k == 0 || k + 1 == c->length ? 9 : 4, way, 1);
        x0 = x, y0 = y;
    }
    return demo_picture(demo, canvas, "cells_levels.png");
}

bosc_status demo_cells(struct demo *demo)
{
    struct canvas canvas = {0};
    struct cells c = {.rows = demo_alloc(demo, ROWS, sizeof *c.rows)};
    bosc_status code = c.rows ? make_rows(demo, c.rows) : BOSC_ERR_NOMEM;
    if (!code) code = build(demo, &c);
    if (!code) code = search(demo, &c);
    if (!code && !canvas_open(&canvas, SIDE, SIDE, colour_of(0x0f1020)))
        code = demo_fail(demo, BOSC_ERR_NOMEM, "out of memory");
    if (!code) code = draw(demo, &c, &canvas);
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
