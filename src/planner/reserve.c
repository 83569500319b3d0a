/* Reports the memory of planners, and reserves it before builds. */
#include "core/call.h"
#include "planner/drivers.h"

/* Sizes of a reserved planner. */
struct planner_sizes {
    int64_t constraints, rows, edges;
};

/* Counts the constraints of the scene; at least one. */
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

static bosc_status set_sizes(bosc_ctx *ctx, const bosc_planner_opts *opts, const bosc_plan_scene *scene,
                             struct planner_sizes *sizes)
{
    if (sizes->rows < 0) return bi_fail(ctx, BOSC_ERR_ARG, "rows: %lld is less than 0", (long long)sizes->rows);
    if (sizes->edges < 0) return bi_fail(ctx, BOSC_ERR_ARG, "edges: %lld is less than 0", (long long)sizes->edges);
    if (sizes->rows < opts->max_rows) sizes->rows = opts->max_rows;
    return sizes->constraints == 0 ? count_constraints(ctx, scene, &sizes->constraints) : BOSC_OK;
}

static void size_blocks(const bosc_plan_scene *scene, int64_t rows, size_t bytes[BI_PLANNER_BLOCKS], size_t *work)
{
    bi_planner_size_bodies(scene, bytes, work);
    bytes[BI_PLANNER_MASK] = bi_planner_mask_bytes((size_t)rows);
    bytes[BI_PLANNER_LABELS] = (size_t)rows * 8;
}

/* Scratch beyond the roadmap's: copies of vectors, masks and labels of cells, rotations and their samples; bytes a row,
 * upper bounds with a margin. */
static int64_t own_scratch(const struct planner_sizes *sizes)
{
    enum { CELL_BYTES = 32, ROTATION_BYTES = 64 };
    return sizes->rows * (CELL_BYTES + ROTATION_BYTES + 16 * ((sizes->constraints + 63) / 64));
}

/* Replaces zeros in *sizes by their defaults, and computes the bytes. */
static bosc_status compute_bytes(bosc_ctx *ctx, const bosc_planner_opts *opts, const bosc_plan_scene *scene,
                                 struct planner_sizes *sizes, int64_t *kept, int64_t *scratch)
{
    size_t bytes[BI_PLANNER_BLOCKS], work;
    int64_t of_plan, of_roadmap, plan_scratch, roadmap_scratch;
    BI_TRY(set_sizes(ctx, opts, scene, sizes));
    BI_TRY(bosc_plan_bytes(ctx, NULL, scene, sizes->constraints, sizes->rows, &of_plan, &plan_scratch));
    BI_TRY(bosc_roadmap_bytes(ctx, sizes->constraints, sizes->rows, sizes->edges, &of_roadmap, &roadmap_scratch));
    const bosc_plan_scene full = bi_planner_full_scene(scene);
    size_blocks(&full, sizes->rows, bytes, &work);
    *kept = of_plan + of_roadmap;
    for (int b = 0; b < BI_PLANNER_BLOCKS; b++) *kept += (int64_t)bytes[b];
    *scratch = plan_scratch + roadmap_scratch + own_scratch(sizes);
    return BOSC_OK;
}

bosc_status bosc_planner_bytes(const bosc_ctx *ctx, const bosc_planner_opts *opts, const bosc_plan_scene *scene,
                               int64_t constraints, int64_t rows, int64_t edges, int64_t *kept, int64_t *scratch)
{
    struct planner_sizes sizes = {constraints, rows, edges};
    bosc_planner_opts full;
    int64_t kept_bytes, scratch_bytes;
    bosc_ctx *mutable_ctx =
        (bosc_ctx *)(uintptr_t)ctx; /* writes its message, and may build constraints to count them */
    BI_ENTER(mutable_ctx);
    BI_TRY(bi_planner_check_opts(mutable_ctx, opts, &full));
    BI_TRY(compute_bytes(mutable_ctx, &full, scene, &sizes, &kept_bytes, &scratch_bytes));
    if (kept) *kept = kept_bytes;
    if (scratch) *scratch = scratch_bytes;
    return BOSC_OK;
}

/* Creates the handles that an empty planner keeps. A roadmap needs constraints, any, to be created. */
static bosc_status create_handles(bosc_ctx *ctx, bosc_planner *planner)
{
    static const double form[10] = {1, 0, 0, 0, -1};
    const bosc_plan_scene any = {.size = sizeof any, .forms = form, .form_count = 1};
    if (!planner->kept_plan) BI_TRY(bosc_plan_create(ctx, NULL, &planner->kept_plan));
    if (planner->kept_roadmap) return BOSC_OK;
    BI_TRY(bosc_plan_build(ctx, planner->kept_plan, &any));
    return bosc_roadmap_create(ctx, planner->kept_plan, &planner->kept_roadmap);
}

static bosc_status reserve_blocks(bosc_ctx *ctx, bosc_planner *planner, const bosc_plan_scene *scene,
                                  const struct planner_sizes *sizes)
{
    size_t bytes[BI_PLANNER_BLOCKS], work;
    const bosc_plan_scene full = bi_planner_full_scene(scene);
    BI_TRY(create_handles(ctx, planner));
    BI_TRY(bosc_plan_reserve(ctx, planner->kept_plan, scene, sizes->constraints, sizes->rows));
    BI_TRY(bosc_roadmap_reserve(ctx, planner->kept_roadmap, sizes->constraints, sizes->rows, sizes->edges));
    size_blocks(&full, sizes->rows, bytes, &work);
    BI_TRY(bi_block_reserve(ctx, &planner->host, &planner->work, work));
    for (int b = 0; b < BI_PLANNER_BLOCKS; b++)
        BI_TRY(bi_block_reserve(ctx, &planner->memory, &planner->blocks[b], bytes[b]));
    return BOSC_OK;
}

bosc_status bosc_planner_reserve(bosc_ctx *ctx, bosc_planner *planner, const bosc_plan_scene *scene,
                                 int64_t constraints, int64_t rows, int64_t edges)
{
    struct planner_sizes sizes = {constraints, rows, edges};
    int64_t kept, scratch;
    void *taken;
    BI_ENTER(ctx);
    BI_TRY(bi_planner_check(ctx, planner));
    BI_TRY(compute_bytes(ctx, &planner->opts, scene, &sizes, &kept, &scratch));
    BI_TRY_WITH_SCRATCH(ctx, bi_scratch(ctx, (size_t)scratch, &taken));
    bi_planner_clear(planner);
    return reserve_blocks(ctx, planner, scene, &sizes);
}
