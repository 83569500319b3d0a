/* Certifies steps: public calls, and calls on host arrays. */
#include "planner/drivers.h"

/* Finds where the proof of each of n steps fails: a->failures, in scratch. */
static bosc_status find_failures(bosc_ctx *ctx, const bosc_planner *planner, int64_t n, struct bi_planner_steps_args *a)
{
    a->scene = planner->scene;
    BI_TRY(bi_scratch_of(ctx, n, 4, &a->failures));
    BI_TRY(ctx->backend->fill(ctx, a->failures, 0xff, (size_t)n * 4));
    BI_TRY_WITH_COST(ctx, bi_planner_body_cost(planner),
                     BI_PLANNER_STEP(ctx, planner_certify, n * (planner->scene.robot.count + 1), a));
    return BOSC_OK;
}

static bosc_status certify_host(bosc_ctx *ctx, const bosc_planner *planner, const double *from, const double *to,
                                int64_t stride, int64_t n, uint32_t *failures)
{
    struct bi_planner_steps_args args = {.stride = stride};
    size_t bytes = (size_t)((n - 1) * stride + 4) * sizeof *from;
    bool staged = false;
    BI_TRY(bi_stage_in(ctx, from, bytes, (const void **)&args.from, &staged));
    BI_TRY(bi_stage_in(ctx, to, bytes, (const void **)&args.to, &staged));
    BI_TRY(find_failures(ctx, planner, n, &args));
    BI_TRY(ctx->backend->copy(ctx, failures, args.failures, (size_t)n * 4));
    return ctx->backend->sync(ctx);
}

bosc_status bi_planner_certify_host(bosc_ctx *ctx, const bosc_planner *planner, const double *from, const double *to,
                                    int64_t stride, int64_t n, uint32_t *failures)
{
    if (n <= 0) return BOSC_OK;
    BI_RETURN_WITH_SCRATCH(ctx, certify_host(ctx, planner, from, to, stride, n, failures));
}

static bosc_status certify_rotations(bosc_ctx *ctx, const bosc_planner *planner, const double *rotations, int64_t n,
                                     uint8_t *certified, double *where)
{
    struct bi_planner_steps_args args = {.stride = 4};
    struct bi_out out[2];
    bool staged = false;
    BI_TRY(bi_stage_in(ctx, rotations, (size_t)n * 32, (const void **)&args.from, &staged));
    args.to = args.from + 4;
    BI_TRY(bi_stage_out(ctx, certified, (size_t)(n - 1), &out[0], &staged));
    BI_TRY(bi_stage_out(ctx, where, where ? (size_t)(n - 1) * 8 : 0, &out[1], &staged));
    args.certified = out[0].reachable;
    args.where = out[1].reachable;
    BI_TRY(find_failures(ctx, planner, n - 1, &args));
    BI_TRY(BI_PLANNER_STEP(ctx, planner_verdict, n - 1, &args));
    for (int k = 0; k < 2; k++) BI_TRY(bi_stage_back(ctx, &out[k]));
    return staged ? ctx->backend->sync(ctx) : BOSC_OK;
}

bosc_status bosc_planner_certify(bosc_ctx *ctx, const bosc_planner *planner, const double *rotations, int64_t n,
                                 uint8_t *certified, double *where)
{
    BI_ENTER(ctx);
    BI_TRY(bi_planner_check_built(ctx, planner));
    BI_TRY(bi_planner_check_rotations(ctx, rotations, n));
    if (n > 1 && !certified) return bi_fail(ctx, BOSC_ERR_ARG, "certified: NULL");
    BI_TRY(bi_check_aligned(ctx, "where", where, sizeof *where));
    if (n <= 1) return BOSC_OK;
    bi_progress_set_total(ctx,
                          (double)n * (1 + (double)(planner->scene.robot.count + 1) * bi_planner_body_cost(planner)));
    BI_RETURN_WITH_SCRATCH(ctx, certify_rotations(ctx, planner, rotations, n, certified, where));
}
