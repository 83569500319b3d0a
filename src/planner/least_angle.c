/* Ways of the least angle through free cells, by the algorithm of Dijkstra on the host. Angles are whole multiples of
 * 2^-40 radians, so that sums do not depend on their order, and of equal ways the one by smaller cells is taken. */
#include <string.h>

#include "planner/way.h"

/* The graph on the host. */
struct host_graph {
    struct bi_block offsets, neighbours, rotations, mask, distances, parents, heap, places;
    int64_t cells, heap_count;
};

enum { NOWHERE = -1 };

static int64_t *longs(const struct bi_block *block) { return block->data; }

static void free_graph(bosc_ctx *ctx, struct host_graph *g)
{
    struct bi_block *blocks[] = {&g->offsets,   &g->neighbours, &g->rotations, &g->mask,
                                 &g->distances, &g->parents,    &g->heap,      &g->places};
    for (int b = 0; b < 8; b++) bi_block_free(&ctx->host, blocks[b]);
}

static bosc_status read_graph(bosc_ctx *ctx, const bosc_planner *planner, struct host_graph *g)
{
    bosc_roadmap_info info = {.size = sizeof info};
    BI_TRY(bosc_roadmap_get_info(ctx, planner->roadmap, &info));
    size_t n = (size_t)info.cells;
    g->cells = info.cells;
    BI_TRY(bi_planner_grow(ctx, &g->offsets, 0, 8 * (n + 1)));
    BI_TRY(bi_planner_grow(ctx, &g->neighbours, 0, 16 * (size_t)info.edges + 8));
    BI_TRY(bi_planner_grow(ctx, &g->rotations, 0, 32 * n));
    BI_TRY(bi_planner_grow(ctx, &g->mask, 0, n));
    BI_TRY(bi_planner_grow(ctx, &g->distances, 0, 8 * n));
    BI_TRY(bi_planner_grow(ctx, &g->parents, 0, 8 * n));
    BI_TRY(bi_planner_grow(ctx, &g->heap, 0, 8 * n));
    BI_TRY(bi_planner_grow(ctx, &g->places, 0, 8 * n));
    BI_TRY(
        bosc_cellgraph_get_rows(ctx, bosc_roadmap_graph(planner->roadmap), g->offsets.data, g->neighbours.data, NULL));
    return bosc_planner_get_cells(ctx, planner, g->rotations.data, g->mask.data, NULL);
}

/* Whether cell a is before b: by distance, then by number. */
static bool before(const struct host_graph *g, int64_t a, int64_t b)
{
    const int64_t *d = longs(&g->distances);
    return d[a] != d[b] ? d[a] < d[b] : a < b;
}

static void set_place(struct host_graph *g, int64_t at, int64_t cell)
{
    longs(&g->heap)[at] = cell;
    longs(&g->places)[cell] = at;
}

static void sift_up(struct host_graph *g, int64_t at, int64_t cell)
{
    const int64_t *heap = longs(&g->heap);
    for (; at > 0 && before(g, cell, heap[(at - 1) / 2]); at = (at - 1) / 2) set_place(g, at, heap[(at - 1) / 2]);
    set_place(g, at, cell);
}

static int64_t take_least(struct host_graph *g)
{
    const int64_t *heap = longs(&g->heap);
    int64_t least = heap[0], last = heap[--g->heap_count], at = 0, n = g->heap_count;
    if (n == 0) return least;
    for (int64_t child; (child = 2 * at + 1) < n; at = child) {
        if (child + 1 < n && before(g, heap[child + 1], heap[child])) child++;
        if (!before(g, heap[child], last)) break;
        set_place(g, at, heap[child]);
    }
    set_place(g, at, last);
    return least;
}

static void relax(struct host_graph *g, int64_t from, int64_t to)
{
    const double *q = g->rotations.data;
    int64_t *d = longs(&g->distances);
    int64_t length = d[from] + (int64_t)bi_nearest(bi_planner_angle(q + 4 * from, q + 4 * to) * 0x1p40) + 1;
    bool fresh = d[to] < 0;
    if (!fresh && length >= d[to]) return;
    d[to] = length;
    longs(&g->parents)[to] = from;
    sift_up(g, fresh ? g->heap_count++ : longs(&g->places)[to], to);
}

/* Distances from cell `to` until `from` is reached, so that parents lead from there to it. */
static void search_from(struct host_graph *g, int64_t to, int64_t from)
{
    const uint8_t *mask = g->mask.data;
    const int64_t *offsets = longs(&g->offsets), *neighbours = longs(&g->neighbours);
    memset(g->distances.data, 0xff, (size_t)g->cells * 8);
    longs(&g->distances)[to] = 0;
    longs(&g->parents)[to] = NOWHERE;
    sift_up(g, g->heap_count++, to);
    while (g->heap_count > 0) {
        int64_t cell = take_least(g);
        if (cell == from) return;
        for (int64_t e = offsets[cell]; e < offsets[cell + 1]; e++)
            if (mask[neighbours[e]]) relax(g, cell, neighbours[e]);
    }
}

static bosc_status list_way(bosc_ctx *ctx, const struct host_graph *g, int64_t from, struct bi_block *cells, int64_t *n)
{
    *n = 0;
    if (longs(&g->distances)[from] < 0) return BOSC_OK;
    for (int64_t cell = from; cell != NOWHERE; cell = longs(&g->parents)[cell]) {
        BI_TRY(bi_planner_grow(ctx, cells, (size_t)*n * 8, (size_t)(*n + 1) * 8));
        longs(cells)[(*n)++] = cell;
    }
    return BOSC_OK;
}

bosc_status bi_planner_least_angle(bosc_ctx *ctx, const bosc_planner *planner, const int64_t ends[2],
                                   struct bi_block *cells, int64_t *n)
{
    struct host_graph graph = {.cells = 0};
    bosc_status status = read_graph(ctx, planner, &graph);
    if (status == BOSC_OK) {
        search_from(&graph, ends[1], ends[0]);
        status = list_way(ctx, &graph, ends[0], cells, n);
    }
    free_graph(ctx, &graph);
    return status;
}
