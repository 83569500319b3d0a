/* The demonstration of cell graphs: lines cut a square, and each point of a raster has a bit for each line, by the side
 * on which it lies. Points of one vector are a cell; cells that differ in one bit are neighbours, across one line. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <boscage/cellgraph.h>
#include <boscage/trie.h>

#include "tool/canvas.h"
#include "tool/demo.h"

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
static int make_rows(struct job *job, uint64_t *rows)
{
    uint32_t bits[3 * LINES];
    double of[LINES][3]; /* a x + b y + c = 0 */
    bosc_status status = bosc_random_bits(job->ctx, 11, 0, 3 * LINES, bits);
    if (status != BOSC_OK) return say_ctx(job, status);
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
    return EXIT_DONE;
}

/* The graph and the trie of its vectors; of two builds the second is measured. */
static int build(struct job *job, struct cells *c)
{
    char what[128];
    double graph = 0, trie = 0;
    bosc_cellgraph_opts opts = {.size = sizeof opts, .length = LINES};
    bosc_trie_opts trie_opts = {.size = sizeof trie_opts, .length = LINES};
    bosc_cellgraph_info info = {.size = sizeof info};
    bosc_trie_info of_trie = {.size = sizeof of_trie};
    bosc_status status = bosc_cellgraph_create(job->ctx, &opts, &c->graph);
    if (status == BOSC_OK) status = bosc_trie_create(job->ctx, &trie_opts, &c->trie);
    for (int i = 0; i < 2 && status == BOSC_OK; i++) {
        double start = job_now();
        status = bosc_cellgraph_build(job->ctx, c->graph, c->rows, ROWS, 0);
        graph = job_now() - start;
        start = job_now();
        if (status == BOSC_OK) status = bosc_trie_build(job->ctx, c->trie, c->rows, NULL, ROWS, 0);
        trie = job_now() - start;
    }
    if (status == BOSC_OK) status = bosc_cellgraph_get_info(c->graph, &info);
    if (status == BOSC_OK) status = bosc_trie_get_info(job->ctx, c->trie, &of_trie);
    if (status != BOSC_OK) return say_ctx(job, status);
    if (of_trie.keys != info.vertices)
        return say(EXIT_FAILED, "demo: the trie has %lld cells", (long long)of_trie.keys);
    c->vertices = info.vertices;
    c->edges = info.edges;
    snprintf(what, sizeof what, "cell graph of %d vectors of %d bits", ROWS, LINES);
    demo_row(job, what, graph, ROWS);
    snprintf(what, sizeof what, "%lld cells, %lld pairs of neighbours", (long long)c->vertices, (long long)c->edges);
    demo_row(job, what, 0, 0);
    demo_row(job, "trie of the same vectors", trie, ROWS);
    return EXIT_DONE;
}

/* A way crosses one line at each step, and no way has fewer steps. */
static int check_path(const struct cells *c)
{
    int64_t to = c->vertex_of[to_row];
    if (c->length == 0 || c->length != c->levels[to] + 1) return say(EXIT_FAILED, "demo: no shortest way");
    for (int64_t k = 0; k + 1 < c->length; k++)
        if (__builtin_popcountll(c->vectors[c->path[k]] ^ c->vectors[c->path[k + 1]]) != 1)
            return say(EXIT_FAILED, "demo: a step of a way crosses no single line");
    return EXIT_DONE;
}

static int search(struct job *job, struct cells *c)
{
    char what[128];
    int64_t reached = 0;
    size_t count = (size_t)c->vertices;
    c->vectors = job_alloc(count, sizeof *c->vectors);
    c->vertex_of = job_alloc(ROWS, sizeof *c->vertex_of);
    c->levels = job_alloc(count, sizeof *c->levels);
    c->path = job_alloc(count, sizeof *c->path);
    c->multiplicities = job_alloc(count, sizeof *c->multiplicities);
    if (!c->vectors || !c->vertex_of || !c->levels || !c->path || !c->multiplicities) return EXIT_FAILED;
    bosc_status status =
        bosc_cellgraph_get_vertices(job->ctx, c->graph, c->vectors, NULL, c->multiplicities, c->vertex_of);
    if (status == BOSC_OK) status = bosc_cellgraph_prepare(job->ctx, c->graph);
    if (status != BOSC_OK) return say_ctx(job, status);
    int64_t from = c->vertex_of[from_row], to = c->vertex_of[to_row];
    double start = job_now();
    status = bosc_cellgraph_levels(job->ctx, c->graph, from, c->levels, NULL, &reached, &c->depth);
    double levels = job_now();
    if (status == BOSC_OK) status = bosc_cellgraph_path(job->ctx, c->graph, from, to, c->path, c->vertices, &c->length);
    double path = job_now();
    if (status != BOSC_OK) return say_ctx(job, status);
    snprintf(what, sizeof what, "%lld cells reached from one, across up to %lld lines", (long long)reached,
             (long long)c->depth);
    demo_row(job, what, levels - start, (double)reached);
    snprintf(what, sizeof what, "a shortest way through, across %lld lines", (long long)c->length - 1);
    demo_row(job, what, path - levels, 0);
    return check_path(c);
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
static int draw(struct job *job, const struct cells *c, struct canvas *canvas)
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
    return demo_picture(job, canvas, "cells_levels.png");
}

int demo_cells(struct job *job)
{
    struct canvas canvas = {0};
    struct cells c = {.rows = job_alloc(ROWS, sizeof *c.rows)};
    int code = c.rows ? make_rows(job, c.rows) : EXIT_FAILED;
    if (!code) code = build(job, &c);
    if (!code) code = search(job, &c);
    if (!code && !canvas_open(&canvas, SIDE, SIDE, colour_of(0x0f1020))) code = say(EXIT_FAILED, "out of memory");
    if (!code) code = draw(job, &c, &canvas);
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
