/* Signs along arcs, and enclosures of their changes. */
#include "plan/drivers.h"

static bosc_status check_ends(bosc_ctx *ctx, const bosc_plan *plan, const double *from, const double *to, int64_t n)
{
    BI_TRY(bi_plan_check(ctx, plan));
    if (n < 0 || n > INT64_MAX / 64)
        return bi_fail(ctx, BOSC_ERR_ARG, "n: %lld is negative or more than memory has", (long long)n);
    BI_TRY(bi_plan_check_array(ctx, "from", from, n, sizeof *from));
    return bi_plan_check_array(ctx, "to", to, n, sizeof *to);
}

/* Stages both ends, and allocates `bad`, the first arc out of range. */
static bosc_status stage_ends(bosc_ctx *ctx, const double **from, const double **to, int64_t n, int64_t **bad)
{
    bool staged = false;
    BI_TRY(bi_stage_in(ctx, *from, (size_t)n * 4 * sizeof **from, (const void **)from, &staged));
    BI_TRY(bi_stage_in(ctx, *to, (size_t)n * 4 * sizeof **to, (const void **)to, &staged));
    BI_TRY(bi_scratch_of(ctx, 1, sizeof **bad, bad));
    return ctx->backend->fill(ctx, *bad, 0x7f, sizeof **bad);
}

static bosc_status evaluate_arcs(bosc_ctx *ctx, const bosc_plan *plan, struct bi_plan_arcs arcs, int64_t n)
{
    const size_t bytes = (size_t)(n * plan->forms.words) * sizeof *arcs.kept;
    struct bi_out vectors, kept;
    bool staged = false;
    BI_TRY(stage_ends(ctx, &arcs.from, &arcs.to, n, &arcs.bad));
    BI_TRY(bi_stage_out(ctx, arcs.vectors, bytes, &vectors, &staged));
    BI_TRY(bi_stage_out(ctx, arcs.kept, bytes, &kept, &staged));
    arcs.vectors = vectors.reachable;
    arcs.kept = kept.reachable;
    BI_TRY(BI_PLAN_STEP(ctx, arc_word, n * plan->forms.words, &arcs));
    BI_TRY(bi_plan_check_bad(ctx, "from, to", arcs.bad));
    BI_TRY(bi_stage_back(ctx, &vectors));
    BI_TRY(bi_stage_back(ctx, &kept));
    return ctx->backend->sync(ctx);
}

bosc_status bosc_plan_arcs(bosc_ctx *ctx, const bosc_plan *plan, const double *from, const double *to, int64_t n,
                           uint64_t *vectors, uint64_t *kept)
{
    BI_ENTER(ctx);
    BI_TRY(check_ends(ctx, plan, from, to, n));
    BI_TRY(bi_check_aligned(ctx, "vectors", vectors, sizeof *vectors));
    BI_TRY(bi_plan_check_array(ctx, "kept", kept, n * (plan->forms.words > 0), sizeof *kept));
    if (n == 0 || plan->forms.words == 0) return BOSC_OK;
    bi_progress_set_total(ctx, (double)(n * plan->forms.words));
    const struct bi_plan_arcs arcs = {.forms = plan->forms, .from = from, .to = to, .vectors = vectors, .kept = kept};
    BI_RETURN_WITH_SCRATCH(ctx, evaluate_arcs(ctx, plan, arcs, n));
}

/* Arguments and results of the public call. */
struct crossing_call {
    int64_t n, capacity, total;
    int64_t *offsets, *constraints;
    double *lower, *upper;
};

static bosc_status fill_entries(bosc_ctx *ctx, struct bi_plan_crossings *a, const struct crossing_call *call)
{
    struct bi_out lower, upper, constraints;
    const size_t bytes = (size_t)call->total * sizeof *call->lower;
    bool staged = false;
    BI_TRY(bi_stage_out(ctx, call->lower, bytes, &lower, &staged));
    BI_TRY(bi_stage_out(ctx, call->upper, bytes, &upper, &staged));
    BI_TRY(bi_stage_out(ctx, call->constraints, bytes, &constraints, &staged));
    a->lower = lower.reachable;
    a->upper = upper.reachable;
    a->constraints = constraints.reachable;
    BI_TRY(BI_PLAN_STEP(ctx, fill_crossings, call->n, a));
    BI_TRY(bi_stage_back(ctx, &lower));
    BI_TRY(bi_stage_back(ctx, &upper));
    return bi_stage_back(ctx, &constraints);
}

static bosc_status find_crossings(bosc_ctx *ctx, struct bi_plan_crossings *a, struct crossing_call *call)
{
    const size_t bytes = (size_t)(call->n + 1) * sizeof *call->offsets;
    BI_TRY(stage_ends(ctx, &a->from, &a->to, call->n, &a->bad));
    BI_TRY(bi_scratch(ctx, bytes, (void **)&a->offsets));
    BI_TRY(ctx->backend->fill(ctx, a->offsets, 0, bytes));
    BI_TRY(BI_PLAN_STEP(ctx, count_crossings, call->n, a));
    BI_TRY(bi_plan_check_bad(ctx, "from, to", a->bad));
    BI_TRY(ctx->backend->core->scan(ctx, BOSC_SUM, BOSC_EXCLUSIVE, BOSC_I64, a->offsets, call->n + 1, a->offsets));
    BI_TRY(bi_read_back(ctx, &call->total, a->offsets + call->n, sizeof call->total));
    BI_TRY(ctx->backend->copy(ctx, call->offsets, a->offsets, bytes));
    if (call->lower && call->total <= call->capacity && call->total > 0) BI_TRY(fill_entries(ctx, a, call));
    return ctx->backend->sync(ctx);
}

bosc_status bosc_plan_crossings(bosc_ctx *ctx, const bosc_plan *plan, const double *from, const double *to, int64_t n,
                                int64_t *offsets, double *lower, double *upper, int64_t *constraints, int64_t capacity)
{
    BI_ENTER(ctx);
    BI_TRY(check_ends(ctx, plan, from, to, n));
    BI_TRY(bi_plan_check_array(ctx, "offsets", offsets, 1, sizeof *offsets));
    BI_TRY(bi_check_aligned(ctx, "lower", lower, sizeof *lower));
    BI_TRY(bi_plan_check_array(ctx, "upper", upper, lower != NULL, sizeof *upper));
    BI_TRY(bi_plan_check_array(ctx, "constraints", constraints, lower != NULL, sizeof *constraints));
    if (!lower && (upper || constraints)) return bi_fail(ctx, BOSC_ERR_ARG, "lower: NULL, and the others are not");
    if (capacity < 0) return bi_fail(ctx, BOSC_ERR_ARG, "capacity: %lld is less than 0", (long long)capacity);
    bi_progress_set_total(ctx, 2 * (double)n);
    struct bi_plan_crossings a = {.forms = plan->forms, .from = from, .to = to};
    struct crossing_call call = {n, capacity, 0, offsets, constraints, lower, upper};
    BI_TRY_WITH_SCRATCH(ctx, find_crossings(ctx, &a, &call));
    if (lower && call.total > capacity)
        return bi_fail(ctx, BOSC_ERR_SPACE, "capacity: %lld is less than the %lld enclosures", (long long)capacity,
                       (long long)call.total);
    return BOSC_OK;
}
