/* Paths through free cells, and the cells of rotations. */
#include <string.h>

#include "planner/route_search.h"

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

/* Finds the cells of start and goal, and adds missing ones; *connected: they are in one component. */
static bosc_status find_ends(bosc_ctx *ctx, struct bi_planner_search *search, int64_t ends[2], bool *connected)
{
    bosc_planner *planner = search->planner;
    double both[8];
    int64_t labels[2];
    memcpy(both, search->start, 32);
    memcpy(both + 4, search->goal, 32);
    BI_TRY_WITH_SCRATCH(ctx, locate_rotations(ctx, planner, both, 2, ends));
    if (ends[0] < 0 || ends[1] < 0) {
        BI_TRY(bosc_planner_add(ctx, planner, both, 2));
        BI_TRY_WITH_SCRATCH(ctx, locate_rotations(ctx, planner, both, 2, ends));
    }
    for (int e = 0; e < 2; e++)
        BI_TRY(bi_read_back(ctx, &labels[e], (int64_t *)planner->blocks[BI_PLANNER_LABELS].data + ends[e], 8));
    *connected = labels[0] >= 0 && labels[0] == labels[1];
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
    if (search->opts.weights == BOSC_PLANNER_ANGLE)
        return bi_planner_find_least_angle_path(ctx, planner, ends, cells, n);
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
    int64_t ends[2], n = 0;
    bool connected;
    struct bi_block cells = {0}, rotations = {0};
    BI_TRY(bi_planner_make_cells(ctx, search->planner));
    if (!search->planner->roadmap) return BOSC_OK;
    BI_TRY(find_ends(ctx, search, ends, &connected));
    if (!connected) return BOSC_OK;
    bosc_status status = find_shortest(ctx, search, ends, &cells, &n);
    search->info.on_way = n;
    if (status == BOSC_OK && n > 0) status = build_path(ctx, search, cells.data, n, &rotations, path);
    bi_block_free(&ctx->host, &cells);
    bi_block_free(&ctx->host, &rotations);
    return status;
}
