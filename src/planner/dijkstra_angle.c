/* Paths of least angle through free cells, by Dijkstra's algorithm on the host. Angles are multiples of 2^-40 radians,
 * so sums are exact; ties go to the smaller cell. */
#include <string.h>

#include "planner/route_search.h"

/* The graph on the host; distances (-1: not reached), and a binary heap of cells with the position of each in it. */
struct host_graph {
    struct bi_block offsets, neighbours, rotations, mask, distances, parents, heap, heap_positions;
    int64_t cells, heap_count;
};

enum { NOWHERE = -1 };

static int64_t *as_int64(const struct bi_block *block) { return block->data; }

static void free_graph(bosc_ctx *ctx, struct host_graph *g)
{
    struct bi_block *blocks[] = {&g->offsets,   &g->neighbours, &g->rotations, &g->mask,
                                 &g->distances, &g->parents,    &g->heap,      &g->heap_positions};
    for (int b = 0; b < 8; b++) bi_block_free(&ctx->host, blocks[b]);
}

static bosc_status read_graph(bosc_ctx *ctx, const bosc_planner *planner, struct host_graph *g)
{
    bosc_roadmap_info info = {.size = sizeof info};
    BI_TRY(bosc_roadmap_get_info(ctx, planner->roadmap, &info));
    size_t n = (size_t)info.cells;
    g->cells = info.cells;
    BI_TRY(bi_planner_grow_block(ctx, &g->offsets, 0, 8 * (n + 1)));
    BI_TRY(bi_planner_grow_block(ctx, &g->neighbours, 0, 16 * (size_t)info.edges + 8));
    BI_TRY(bi_planner_grow_block(ctx, &g->rotations, 0, 32 * n));
    BI_TRY(bi_planner_grow_block(ctx, &g->mask, 0, n));
    BI_TRY(bi_planner_grow_block(ctx, &g->distances, 0, 8 * n));
    BI_TRY(bi_planner_grow_block(ctx, &g->parents, 0, 8 * n));
    BI_TRY(bi_planner_grow_block(ctx, &g->heap, 0, 8 * n));
    BI_TRY(bi_planner_grow_block(ctx, &g->heap_positions, 0, 8 * n));
    BI_TRY(
        bosc_cellgraph_get_rows(ctx, bosc_roadmap_graph(planner->roadmap), g->offsets.data, g->neighbours.data, NULL));
    return bosc_planner_get_cells(ctx, planner, g->rotations.data, g->mask.data, NULL);
}

/* True if cell a precedes b: by distance, then by number. */
static bool is_before(const struct host_graph *g, int64_t a, int64_t b)
{
    const int64_t *d = as_int64(&g->distances);
    return d[a] != d[b] ? d[a] < d[b] : a < b;
}

static void set_heap_entry(struct host_graph *g, int64_t at, int64_t cell)
{
    as_int64(&g->heap)[at] = cell;
    as_int64(&g->heap_positions)[cell] = at;
}

static void sift_up(struct host_graph *g, int64_t at, int64_t cell)
{
    const int64_t *heap = as_int64(&g->heap);
    for (; at > 0 && is_before(g, cell, heap[(at - 1) / 2]); at = (at - 1) / 2)
        set_heap_entry(g, at, heap[(at - 1) / 2]);
    set_heap_entry(g, at, cell);
}

static int64_t pop_least(struct host_graph *g)
{
    const int64_t *heap = as_int64(&g->heap);
    int64_t least = heap[0], last = heap[--g->heap_count], at = 0, n = g->heap_count;
    if (n == 0) return least;
    for (int64_t child; (child = 2 * at + 1) < n; at = child) {
        if (child + 1 < n && is_before(g, heap[child + 1], heap[child])) child++;
        if (!is_before(g, heap[child], last)) break;
        set_heap_entry(g, at, heap[child]);
    }
    set_heap_entry(g, at, last);
    return least;
}

static void relax(struct host_graph *g, int64_t from, int64_t to)
{
    const double *q = g->rotations.data;
    int64_t *d = as_int64(&g->distances);
    int64_t length = d[from] + (int64_t)bi_round_even(bi_planner_angle(q + 4 * from, q + 4 * to) * 0x1p40) + 1;
    bool fresh = d[to] < 0;
    if (!fresh && length >= d[to]) return;
    d[to] = length;
    as_int64(&g->parents)[to] = from;
    sift_up(g, fresh ? g->heap_count++ : as_int64(&g->heap_positions)[to], to);
}

/* Computes distances from cell `to` until `from` is reached; parents then lead from there to `to`. */
static void run_dijkstra(struct host_graph *g, int64_t to, int64_t from)
{
    const uint8_t *mask = g->mask.data;
    const int64_t *offsets = as_int64(&g->offsets), *neighbours = as_int64(&g->neighbours);
    memset(g->distances.data, 0xff, (size_t)g->cells * 8);
    as_int64(&g->distances)[to] = 0;
    as_int64(&g->parents)[to] = NOWHERE;
    sift_up(g, g->heap_count++, to);
    while (g->heap_count > 0) {
        int64_t cell = pop_least(g);
        if (cell == from) return;
        for (int64_t e = offsets[cell]; e < offsets[cell + 1]; e++)
            if (mask[neighbours[e]]) relax(g, cell, neighbours[e]);
    }
}

static bosc_status list_path(bosc_ctx *ctx, const struct host_graph *g, int64_t from, struct bi_block *cells,
                             int64_t *n)
{
    *n = 0;
    if (as_int64(&g->distances)[from] < 0) return BOSC_OK;
    for (int64_t cell = from; cell != NOWHERE; cell = as_int64(&g->parents)[cell]) {
        BI_TRY(bi_planner_grow_block(ctx, cells, (size_t)*n * 8, (size_t)(*n + 1) * 8));
        as_int64(cells)[(*n)++] = cell;
    }
    return BOSC_OK;
}

bosc_status bi_planner_find_least_angle_path(bosc_ctx *ctx, const bosc_planner *planner, const int64_t ends[2],
                                             struct bi_block *cells, int64_t *n)
{
    struct host_graph graph = {.cells = 0};
    bosc_status status = read_graph(ctx, planner, &graph);
    if (status == BOSC_OK) {
        run_dijkstra(&graph, ends[1], ends[0]);
        status = list_path(ctx, &graph, ends[0], cells, n);
    }
    free_graph(ctx, &graph);
    return status;
}
