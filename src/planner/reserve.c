/* How much memory planners take, and taking it beforehand. */
#include "core/call.h"
#include "planner/drivers.h"

/* What a reserve is for, with every number set. */
struct shape {
    int64_t constraints, rows, edges;
};

/* Those of the scene, but one at least. */
static bosc_status count_constraints(bosc_ctx *ctx, const bosc_plan_scene *scene, int64_t *constraints)
{
    bosc_plan *plan = NULL;
    bosc_plan_info info = {.size = sizeof info};
    BI_TRY(bosc_plan_create(ctx, NULL, &plan));
    bosc_status status = bosc_plan_build(ctx, plan, scene);
    if (status == BOSC_OK) status = bosc_plan_get_info(ctx, plan, &info);
    bosc_plan_free(plan);
    *constraints = info.constraints > 0 ? info.constraints : 1;
    return status;
}

static bosc_status set_shape(bosc_ctx *ctx, const bosc_planner_opts *opts, const bosc_plan_scene *scene,
                             struct shape *shape)
{
    if (shape->rows < 0) return bi_fail(ctx, BOSC_ERR_ARG, "rows: %lld is less than 0", (long long)shape->rows);
    if (shape->edges < 0) return bi_fail(ctx, BOSC_ERR_ARG, "edges: %lld is less than 0", (long long)shape->edges);
    if (shape->rows < opts->max_rows) shape->rows = opts->max_rows;
    return shape->constraints == 0 ? count_constraints(ctx, scene, &shape->constraints) : BOSC_OK;
}

static void size_blocks(const bosc_plan_scene *scene, int64_t rows, size_t bytes[BI_PLANNER_BLOCKS], size_t *work)
{
    bi_planner_size_bodies(scene, bytes, work);
    bytes[BI_PLANNER_MASK] = bi_planner_mask_bytes((size_t)rows);
    bytes[BI_PLANNER_LABELS] = (size_t)rows * 8;
}

/* Beside what the roadmap needs: copies of vectors, what is known of each cell, rotations and what becomes of them. */
static int64_t own_scratch(const struct shape *shape)
{
    enum { OF_CELLS = 32, OF_ROTATIONS = 64 };
    return shape->rows * (OF_CELLS + OF_ROTATIONS + 16 * ((shape->constraints + 63) / 64));
}

/* Sets the numbers of *shape that are 0. */
static bosc_status measure(bosc_ctx *ctx, const bosc_planner_opts *opts, const bosc_plan_scene *scene,
                           struct shape *shape, int64_t *kept, int64_t *scratch)
{
    size_t bytes[BI_PLANNER_BLOCKS], work;
    int64_t of_plan, of_roadmap, plan_scratch, roadmap_scratch;
    BI_TRY(set_shape(ctx, opts, scene, shape));
    BI_TRY(bosc_plan_bytes(ctx, NULL, scene, shape->constraints, shape->rows, &of_plan, &plan_scratch));
    BI_TRY(bosc_roadmap_bytes(ctx, shape->constraints, shape->rows, shape->edges, &of_roadmap, &roadmap_scratch));
    const bosc_plan_scene full = bi_planner_full_scene(scene);
    size_blocks(&full, shape->rows, bytes, &work);
    *kept = of_plan + of_roadmap;
    for (int b = 0; b < BI_PLANNER_BLOCKS; b++) *kept += (int64_t)bytes[b];
    *scratch = plan_scratch + roadmap_scratch + own_scratch(shape);
    return BOSC_OK;
}

bosc_status bosc_planner_bytes(const bosc_ctx *ctx, const bosc_planner_opts *opts, const bosc_plan_scene *scene,
                               int64_t constraints, int64_t rows, int64_t edges, int64_t *kept, int64_t *scratch)
{
    struct shape shape = {constraints, rows, edges};
    bosc_planner_opts full;
    int64_t kept_bytes, scratch_bytes;
    bosc_ctx *says = (bosc_ctx *)(uintptr_t)ctx; /* its message is written, and constraints may be made */
    BI_ENTER(says);
    BI_TRY(bi_planner_check_opts(says, opts, &full));
    BI_TRY(measure(says, &full, scene, &shape, &kept_bytes, &scratch_bytes));
    if (kept) *kept = kept_bytes;
    if (scratch) *scratch = scratch_bytes;
    return BOSC_OK;
}

/* The handles that an empty planner keeps. A roadmap must have constraints when it is made, but may get others. */
static bosc_status make_handles(bosc_ctx *ctx, bosc_planner *planner)
{
    static const double form[10] = {1, 0, 0, 0, -1};
    const bosc_plan_scene any = {.size = sizeof any, .forms = form, .form_count = 1};
    if (!planner->kept_plan) BI_TRY(bosc_plan_create(ctx, NULL, &planner->kept_plan));
    if (planner->kept_roadmap) return BOSC_OK;
    BI_TRY(bosc_plan_build(ctx, planner->kept_plan, &any));
    return bosc_roadmap_create(ctx, planner->kept_plan, &planner->kept_roadmap);
}

static bosc_status reserve(bosc_ctx *ctx, bosc_planner *planner, const bosc_plan_scene *scene,
                           const struct shape *shape)
{
    size_t bytes[BI_PLANNER_BLOCKS], work;
    const bosc_plan_scene full = bi_planner_full_scene(scene);
    BI_TRY(make_handles(ctx, planner));
    BI_TRY(bosc_plan_reserve(ctx, planner->kept_plan, scene, shape->constraints, shape->rows));
    BI_TRY(bosc_roadmap_reserve(ctx, planner->kept_roadmap, shape->constraints, shape->rows, shape->edges));
    size_blocks(&full, shape->rows, bytes, &work);
    BI_TRY(bi_block_reserve(ctx, &planner->host, &planner->work, work));
    for (int b = 0; b < BI_PLANNER_BLOCKS; b++)
        BI_TRY(bi_block_reserve(ctx, &planner->memory, &planner->blocks[b], bytes[b]));
    return BOSC_OK;
}

bosc_status bosc_planner_reserve(bosc_ctx *ctx, bosc_planner *planner, const bosc_plan_scene *scene,
                                 int64_t constraints, int64_t rows, int64_t edges)
{
    struct shape shape = {constraints, rows, edges};
    int64_t kept, scratch;
    void *taken;
    BI_ENTER(ctx);
    BI_TRY(bi_planner_check(ctx, planner));
    BI_TRY(measure(ctx, &planner->opts, scene, &shape, &kept, &scratch));
    BI_TRY_WITH_SCRATCH(ctx, bi_scratch(ctx, (size_t)scratch, &taken));
    bi_planner_forget(planner);
    return reserve(ctx, planner, scene, &shape);
}
