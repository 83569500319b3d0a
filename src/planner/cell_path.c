/* Paths through free cells: of the fewest cells, or of the least angle. Also finds the cells of rotations. */
#include <string.h>

#include "planner/route_search.h"

/* ---- least angle ----
 *
 * Dijkstra's algorithm on the host. Angles are multiples of 2^-40 radians, so sums are exact; ties go to the smaller
 * cell. */

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

/* Reads the cells, their rows, rotations and mask to the host, and allocates the search's arrays. */
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

/* Removes the least cell from the heap: the last one sinks from the root. */
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

static bosc_status find_least_angle_path(bosc_ctx *ctx, const bosc_planner *planner, const int64_t ends[2],
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

/* ---- cells ---- */

/* Finds the cells of n rotations: args->cells. */
static bosc_status find_cells(bosc_ctx *ctx, const bosc_planner *planner, const double *rotations, int64_t n,
                              struct bi_planner_locate *args)
{
    bosc_plan_info info = {.size = sizeof info};
    uint64_t *known, *vectors;
    BI_TRY(bosc_plan_get_info(ctx, planner->plan, &info));
    BI_TRY(bi_scratch_of(ctx, planner->cells * info.words, 8, &known));
    BI_TRY(bi_scratch_of(ctx, n * info.words, 8, &vectors));
    BI_TRY(bosc_plan_signs(ctx, planner->plan, rotations, n, 0, vectors));
    BI_TRY(bosc_cellgraph_get_vertices(ctx, bosc_roadmap_graph(planner->roadmap), known, NULL, NULL, NULL));
    args->cell_vectors = known;
    args->vectors = vectors;
    args->words = info.words;
    bi_progress_set_total(ctx, (double)n * (double)(2 + info.words + planner->cells));
    BI_TRY_WITH_COST(ctx, (double)n, BI_PLANNER_STEP(ctx, planner_locate, planner->cells, args));
    return BOSC_OK;
}

/* Copies the cells of n rotations, or -1, to `cells`, in host or backend memory. */
static bosc_status locate_rotations(bosc_ctx *ctx, const bosc_planner *planner, const double *rotations, int64_t n,
                                    int64_t *cells)
{
    struct bi_planner_locate args = {.count = n};
    BI_TRY(bi_scratch_of(ctx, n, 8, &args.cells));
    BI_TRY(ctx->backend->fill(ctx, args.cells, 0xff, (size_t)n * 8));
    if (planner->roadmap) BI_TRY(find_cells(ctx, planner, rotations, n, &args));
    BI_TRY(ctx->backend->copy(ctx, cells, args.cells, (size_t)n * 8));
    return ctx->backend->sync(ctx);
}

bosc_status bosc_planner_locate(bosc_ctx *ctx, const bosc_planner *planner, const double *rotations, int64_t n,
                                int64_t *cells)
{
    BI_ENTER(ctx);
    BI_TRY(bi_planner_check_built(ctx, planner));
    BI_TRY(bi_planner_check_rotations(ctx, rotations, n));
    if (n > 0 && !cells) return bi_fail(ctx, BOSC_ERR_ARG, "cells: NULL");
    BI_TRY(bi_check_aligned(ctx, "cells", cells, sizeof *cells));
    if (n == 0) return BOSC_OK;
    BI_RETURN_WITH_SCRATCH(ctx, locate_rotations(ctx, planner, rotations, n, cells));
}

/* Finds the cells of start and goal, and adds missing ones. components: that of each cell; -1: it is not free. */
static bosc_status find_ends(bosc_ctx *ctx, struct bi_planner_search *search, int64_t ends[2], int64_t components[2])
{
    bosc_planner *planner = search->planner;
    double both[8];
    memcpy(both, search->start, 32);
    memcpy(both + 4, search->goal, 32);
    BI_TRY_WITH_SCRATCH(ctx, locate_rotations(ctx, planner, both, 2, ends));
    if (ends[0] < 0 || ends[1] < 0) {
        BI_TRY(bosc_planner_add(ctx, planner, both, 2));
        BI_TRY_WITH_SCRATCH(ctx, locate_rotations(ctx, planner, both, 2, ends));
    }
    for (int e = 0; e < 2; e++)
        BI_TRY(bi_read_back(ctx, &components[e], (int64_t *)planner->blocks[BI_PLANNER_LABELS].data + ends[e], 8));
    return BOSC_OK;
}

/* Copies the representative rotations of n cells (host) to `to`: (n x 4) host. */
static bosc_status gather_rotations(bosc_ctx *ctx, const bosc_planner *planner, const int64_t *cells, int64_t n,
                                    double *to)
{
    double *rotations, *gathered;
    int64_t *numbers;
    BI_TRY(bi_scratch_of(ctx, 4 * planner->cells, 8, &rotations));
    BI_TRY(bi_scratch_of(ctx, 4 * n, 8, &gathered));
    BI_TRY(bi_scratch_of(ctx, n, 8, &numbers));
    BI_TRY(bosc_roadmap_get_cells(ctx, planner->roadmap, rotations));
    BI_TRY(ctx->backend->copy(ctx, numbers, cells, (size_t)n * 8));
    const struct bi_planner_gather args = {rotations, numbers, gathered};
    BI_TRY(BI_PLANNER_STEP(ctx, planner_gather, n, &args));
    BI_TRY(ctx->backend->copy(ctx, to, gathered, (size_t)n * 32));
    return ctx->backend->sync(ctx);
}

/* Builds the path from start to goal through the representatives of all cells but the first and last. */
static bosc_status build_path(bosc_ctx *ctx, struct bi_planner_search *search, const int64_t *cells, int64_t n,
                              struct bi_block *rotations, struct bi_planner_path *path)
{
    BI_TRY(bi_planner_grow_block(ctx, rotations, 0, (size_t)n * 32));
    double *q = rotations->data;
    BI_TRY_WITH_SCRATCH(ctx, gather_rotations(ctx, search->planner, cells, n, q));
    BI_TRY(bi_planner_path_add(ctx, path, search->start, false));
    for (int64_t i = 1; i + 1 < n; i++) BI_TRY(bi_planner_path_add(ctx, path, q + 4 * i, false));
    return bi_planner_path_add(ctx, path, search->goal, false);
}

/* Finds a shortest path: its *n cells. */
static bosc_status find_shortest(bosc_ctx *ctx, const struct bi_planner_search *search, const int64_t ends[2],
                                 struct bi_block *cells, int64_t *n)
{
    const bosc_planner *planner = search->planner;
    const bosc_cellgraph *graph = bosc_roadmap_graph(planner->roadmap);
    const uint8_t *mask = planner->blocks[BI_PLANNER_MASK].data;
    if (search->opts.weights == BOSC_PLANNER_ANGLE) return find_least_angle_path(ctx, planner, ends, cells, n);
    int64_t capacity = 4096;
    BI_TRY(bi_planner_grow_block(ctx, cells, 0, (size_t)capacity * 8));
    BI_TRY(bosc_cellgraph_path_masked(ctx, graph, ends[0], ends[1], mask, cells->data, capacity, n));
    if (*n <= capacity) return BOSC_OK;
    capacity = *n;
    BI_TRY(bi_planner_grow_block(ctx, cells, 0, (size_t)capacity * 8));
    return bosc_cellgraph_path_masked(ctx, graph, ends[0], ends[1], mask, cells->data, capacity, n);
}

bosc_status bi_planner_find_cell_path(bosc_ctx *ctx, struct bi_planner_search *search, struct bi_planner_path *path)
{
    int64_t ends[2], components[2], n = 0;
    struct bi_block cells = {0}, rotations = {0};
    BI_TRY(bi_planner_make_cells(ctx, search->planner));
    if (!search->planner->roadmap) return BOSC_OK;
    BI_TRY(find_ends(ctx, search, ends, components));
    if (components[0] < 0 || components[0] != components[1]) return BOSC_OK;
    bosc_status status = find_shortest(ctx, search, ends, &cells, &n);
    search->info.on_way = n;
    if (status == BOSC_OK && n > 0) status = build_path(ctx, search, cells.data, n, &rotations, path);
    bi_block_free(&ctx->host, &cells);
    bi_block_free(&ctx->host, &rotations);
    return status;
}
