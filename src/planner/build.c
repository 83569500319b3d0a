/* Builds the cells of planners, adds to them, and returns them. */
#include <string.h>

#include "core/arena.h"
#include "planner/drivers.h"

/* Sets the masks of cells from `first` on by their signs; *free_cells: number of free ones among them. */
static bosc_status mask_cells(bosc_ctx *ctx, bosc_planner *planner, int64_t first, const bosc_roadmap_info *info,
                              int64_t *free_cells)
{
    uint64_t *vectors;
    int64_t n = info->cells;
    struct bi_planner_cells cells;
    *free_cells = 0;
    if (first == n) return BOSC_OK;
    BI_TRY(bi_scratch_of(ctx, n * info->words, 8, &vectors));
    BI_TRY(bi_scratch_of(ctx, n - first, 8, &cells.counts));
    cells.mask = (uint8_t *)planner->blocks[BI_PLANNER_MASK].data + first;
    cells.collides = cells.mask;
    BI_TRY(bosc_cellgraph_get_vertices(ctx, bosc_roadmap_graph(planner->roadmap), vectors, NULL, NULL, NULL));
    BI_TRY(bosc_plan_labels(ctx, planner->plan, vectors + first * info->words, n - first, 0, cells.mask));
    BI_TRY(BI_PLANNER_STEP(ctx, planner_mark_free, n - first, &cells));
    return bi_sum_i64(ctx, cells.counts, n - first, free_cells);
}

/* Masks the cells added since the last time, and labels the components of all free cells. */
static bosc_status label_cells(bosc_ctx *ctx, bosc_planner *planner)
{
    bosc_roadmap_info info = {.size = sizeof info};
    BI_TRY(bosc_roadmap_get_info(ctx, planner->roadmap, &info));
    struct bi_block *const blocks[] = {&planner->blocks[BI_PLANNER_MASK], &planner->blocks[BI_PLANNER_LABELS]};
    size_t n = (size_t)info.cells, bytes[] = {n, 8 * n}, used[] = {(size_t)planner->cells, 0};
    int64_t more;
    if (n > blocks[0]->bytes) bytes[0] = bi_planner_mask_bytes(n);
    BI_TRY(bi_blocks_grow(ctx, &planner->memory, blocks, 2, bytes, used));
    BI_TRY(mask_cells(ctx, planner, planner->cells, &info, &more));
    planner->free_cells += more;
    planner->cells = info.cells;
    return bosc_cellgraph_components_masked(ctx, bosc_roadmap_graph(planner->roadmap), blocks[0]->data, blocks[1]->data,
                                            &planner->components);
}

static bosc_status label_or_clear(bosc_ctx *ctx, bosc_planner *planner)
{
    bosc_status status;
    BI_WITH_SCRATCH(ctx, status = label_cells(ctx, planner));
    if (status != BOSC_OK) bi_planner_clear(planner);
    return status;
}

/* Resets the kept roadmap, or creates one. */
static bosc_status reuse_roadmap(bosc_ctx *ctx, bosc_planner *planner)
{
    if (!planner->kept_roadmap) return bosc_roadmap_create(ctx, planner->plan, &planner->roadmap);
    planner->roadmap = planner->kept_roadmap;
    planner->kept_roadmap = NULL;
    return bosc_roadmap_reset(ctx, planner->roadmap, planner->plan);
}

/* Samples the roadmap, and labels its cells. */
static bosc_status explore_cells(bosc_ctx *ctx, bosc_planner *planner)
{
    const bosc_planner_opts *o = &planner->opts;
    const bosc_roadmap_explore_opts explore = {.size = sizeof explore,
                                               .sampling = o->sampling,
                                               .seed = o->seed,
                                               .batch = o->batch,
                                               .max_rows = o->max_rows,
                                               .new_rate = o->new_rate};
    BI_TRY(reuse_roadmap(ctx, planner));
    BI_TRY(bosc_roadmap_explore(ctx, planner->roadmap, planner->plan, &explore));
    BI_RETURN_WITH_SCRATCH(ctx, label_cells(ctx, planner));
}

bosc_status bi_planner_make_cells(bosc_ctx *ctx, bosc_planner *planner)
{
    bosc_plan_info info = {.size = sizeof info};
    BI_TRY(bosc_plan_get_info(ctx, planner->plan, &info));
    if (planner->roadmap || info.constraints == 0) return BOSC_OK;
    bosc_status status = explore_cells(ctx, planner);
    if (status != BOSC_OK) bi_planner_clear_cells(planner);
    return status;
}

/* Sets the expected cost of building constraints, and of cells of `rotations` samples. */
static bosc_status expect_cost(bosc_ctx *ctx, const bosc_planner *planner, int64_t rotations)
{
    bosc_plan_info info = {.size = sizeof info};
    BI_TRY(bosc_plan_get_info(ctx, planner->plan, &info));
    bi_progress_set_total(ctx, 3 * (double)info.candidates + (double)rotations * (double)(20 + 2 * info.words));
    return BOSC_OK;
}

static bosc_status store_scene(bosc_ctx *ctx, bosc_planner *planner, const bosc_plan_scene *scene)
{
    BI_TRY(bi_planner_store_bodies(ctx, planner, scene));
    BI_TRY(expect_cost(ctx, planner, planner->opts.lazy ? 0 : planner->opts.max_rows));
    return planner->opts.lazy ? BOSC_OK : bi_planner_make_cells(ctx, planner);
}

bosc_status bosc_planner_build(bosc_ctx *ctx, bosc_planner *planner, const bosc_plan_scene *scene)
{
    BI_ENTER(ctx);
    BI_TRY(bi_planner_check(ctx, planner));
    /* 1. Build the constraints in the plan at hand; the planner stays as it is if the scene is refused. */
    bosc_plan **plan = planner->plan ? &planner->plan : &planner->kept_plan;
    if (!*plan) BI_TRY(bosc_plan_create(ctx, NULL, plan));
    bosc_status status = bosc_plan_build(ctx, *plan, scene);
    if (status == BOSC_ERR_ARG || status == BOSC_ERR_DATA || status == BOSC_ERR_LIMIT) return status;
    bi_planner_clear(planner); /* its plan becomes the kept one */
    BI_TRY(status);
    /* 2. Store the bodies and, unless lazy, make the cells. */
    planner->plan = planner->kept_plan;
    planner->kept_plan = NULL;
    const bosc_plan_scene full = bi_planner_full_scene(scene);
    status = store_scene(ctx, planner, &full);
    if (status != BOSC_OK) bi_planner_clear(planner);
    return status;
}

bosc_status bosc_planner_add(bosc_ctx *ctx, bosc_planner *planner, const double *rotations, int64_t n)
{
    BI_ENTER(ctx);
    BI_TRY(bi_planner_check_built(ctx, planner));
    BI_TRY(bi_planner_check_rotations(ctx, rotations, n));
    if (n == 0) return BOSC_OK;
    BI_TRY(expect_cost(ctx, planner, planner->cells + n + (planner->roadmap ? 0 : planner->opts.max_rows)));
    BI_TRY(bi_planner_make_cells(ctx, planner));
    if (!planner->roadmap) return BOSC_OK;
    BI_TRY(bosc_roadmap_add(ctx, planner->roadmap, planner->plan, rotations, n, 0));
    return label_or_clear(ctx, planner);
}

static bosc_status copy_block(bosc_ctx *ctx, const bosc_planner *planner, int block, size_t size, void *to)
{
    if (!to) return BOSC_OK;
    return ctx->backend->copy(ctx, to, planner->blocks[block].data, (size_t)planner->cells * size);
}

bosc_status bosc_planner_get_cells(bosc_ctx *ctx, const bosc_planner *planner, double *rotations, uint8_t *free_mask,
                                   int64_t *components)
{
    BI_ENTER(ctx);
    BI_TRY(bi_planner_check(ctx, planner));
    BI_TRY(bi_check_aligned(ctx, "rotations", rotations, sizeof *rotations));
    BI_TRY(bi_check_aligned(ctx, "components", components, sizeof *components));
    if (planner->cells == 0) return BOSC_OK;
    if (rotations) BI_TRY(bosc_roadmap_get_cells(ctx, planner->roadmap, rotations));
    BI_TRY(copy_block(ctx, planner, BI_PLANNER_MASK, 1, free_mask));
    BI_TRY(copy_block(ctx, planner, BI_PLANNER_LABELS, 8, components));
    return ctx->backend->sync(ctx);
}
