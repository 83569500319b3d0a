/* Signs of constraints at rotations and along arcs, and the collisions they imply. */
#include "base/bits.h"
#include "plan/drivers.h"

/* ---- signs at rotations ---- */

#define NO_ROW 0x7f7f7f7f7f7f7f7fll /* no row is bad: bytes of 0x7f */

/* Fails if a row or an arc was found out of range. name: of the array. */
static bosc_status check_bad(bosc_ctx *ctx, const char *name, const int64_t *bad)
{
    int64_t row;
    BI_TRY(bi_read_back(ctx, &row, bad, sizeof row));
    if (row == NO_ROW) return BOSC_OK;
    return bi_fail(ctx, BOSC_ERR_DATA, "%s: row %lld is no rotation: components are 0 or of size 2^-110 to 2^100", name,
                   (long long)row);
}

/* Allocates all scratch before anything is written, so that a lack of memory leaves the outputs unchanged. Signs are
 * computed in float, doubtful words in double, and remaining ones exactly. */
bosc_status bi_plan_evaluate_signs(bosc_ctx *ctx, const bosc_plan *plan, const double *rotations, int64_t n,
                                   int64_t stride, uint64_t *vectors, uint32_t *zeros, const char *name)
{
    const int64_t groups = bi_div_up(n * plan->forms.words, 8); /* of eight words, whose doubts are one uint64 */
    struct bi_plan_recheck again = {
        .signs = {.forms = plan->forms, .rotations = rotations, .n = n, .stride = stride, .vectors = vectors},
        .workers = groups < BI_PLAN_WORKERS ? groups : BI_PLAN_WORKERS,
        .zeros = zeros};
    struct bi_plan_signs *signs = &again.signs;
    BI_TRY(bi_scratch_of(ctx, groups, 8, &signs->doubts));
    BI_TRY(bi_scratch_of(ctx, 1, sizeof *signs->bad, &signs->bad));
    BI_TRY(bi_scratch_of(ctx, 1, sizeof *again.left, &again.left));
    BI_TRY(bi_scratch_of(ctx, again.workers * plan->forms.exact_work, sizeof *again.work, &again.work));
    if (groups > 0) BI_TRY(ctx->backend->fill(ctx, signs->doubts, 0, (size_t)groups * 8));
    BI_TRY(ctx->backend->fill(ctx, signs->bad, 0x7f, sizeof *signs->bad));
    BI_TRY(ctx->backend->fill(ctx, again.left, 0, sizeof *again.left));
    if (zeros) BI_TRY(ctx->backend->fill(ctx, zeros, 0, (size_t)(n + 1) * sizeof *zeros));
    BI_TRY(ctx->ops->plan->fast_signs(ctx, signs));
    if (name) BI_TRY(check_bad(ctx, name, signs->bad));
    if (groups == 0) return BOSC_OK;
    BI_TRY(BI_PLAN_STEP(ctx, recheck_signs, groups, &again));
    return BI_PLAN_STEP(ctx, exact_signs, again.workers, &again);
}

/* Stages rotations and vectors, and evaluates signs. */
static bosc_status stage_and_evaluate(bosc_ctx *ctx, const bosc_plan *plan, const double *rotations, int64_t n,
                                      int64_t stride, uint64_t *vectors)
{
    struct bi_out out;
    const void *reachable;
    bool staged = false;
    BI_TRY(bi_stage_in(ctx, rotations, (size_t)((n - 1) * stride + 4) * sizeof *rotations, &reachable, &staged));
    BI_TRY(bi_stage_out(ctx, vectors, (size_t)(n * plan->forms.words) * sizeof *vectors, &out, &staged));
    BI_TRY(bi_plan_evaluate_signs(ctx, plan, reachable, n, stride, out.reachable, NULL, "rotations"));
    BI_TRY(bi_stage_back(ctx, &out));
    return ctx->backend->sync(ctx);
}

bosc_status bosc_plan_signs(bosc_ctx *ctx, const bosc_plan *plan, const double *rotations, int64_t n, int64_t stride,
                            uint64_t *vectors)
{
    BI_ENTER(ctx);
    BI_TRY(bi_plan_check(ctx, plan));
    BI_TRY(bi_plan_check_rotations(ctx, "rotations", rotations, n, &stride));
    BI_TRY(bi_plan_check_array(ctx, "vectors", vectors, n * (plan->forms.words > 0), sizeof *vectors));
    if (n == 0) return BOSC_OK;
    bi_progress_set_total(ctx, (double)n * (double)(2 + plan->forms.words));
    BI_RETURN_WITH_SCRATCH(ctx, stage_and_evaluate(ctx, plan, rotations, n, stride, vectors));
}

/* Labels vectors in backend memory, in slabs: a slab's slices, transposed by 64 vectors, take 64 MiB at most:
 * more slabs are more passes, larger ones more scratch. */
static bosc_status label_vectors(bosc_ctx *ctx, const bosc_plan *plan, const uint64_t *vectors, int64_t n,
                                 int64_t stride, uint8_t *labels)
{
    enum { SLAB_WORDS = 1 << 23 };
    const int64_t words = plan->forms.words, chunks = bi_div_up(bi_plan_unit_count(&plan->logic), BI_PLAN_UNITS);
    const int64_t most = bi_div_up(SLAB_WORDS / (words + 1), BI_PLAN_LANES), all = bi_div_up(n, BI_PLAN_LANES);
    struct bi_plan_label a = {.logic = plan->logic, .stride = stride, .words = words};
    BI_TRY(bi_scratch_of(ctx, (all < most ? all : most) * BI_PLAN_LANES * words, sizeof *a.slices, &a.slices));
    BI_TRY(bi_scratch_of(ctx, all < most ? all : most, sizeof *a.collides, &a.collides));
    for (int64_t first = 0; first < all; first += most) {
        const int64_t begin = first * BI_PLAN_LANES;
        a.groups = all - first < most ? all - first : most;
        a.n = n - begin < a.groups * BI_PLAN_LANES ? n - begin : a.groups * BI_PLAN_LANES;
        a.vectors = vectors + begin * stride;
        a.labels = labels + begin;
        /* Transpose the vectors of the slab, test all units, and write the labels. */
        BI_TRY(ctx->backend->fill(ctx, a.collides, 0, (size_t)a.groups * sizeof *a.collides));
        BI_TRY(BI_PLAN_STEP(ctx, transpose_signs, a.groups * words, &a));
        BI_TRY(BI_PLAN_STEP(ctx, label, a.groups * chunks, &a));
        BI_TRY(BI_PLAN_STEP(ctx, write_label, a.n, &a));
    }
    return BOSC_OK;
}

/* Returns the cost of labelling n vectors, for progress. */
static double label_items(const bosc_plan *plan, int64_t n)
{
    const double units = (double)bi_plan_unit_count(&plan->logic);
    return (double)n * (1 + ((double)plan->forms.words + units / BI_PLAN_UNITS) / BI_PLAN_LANES);
}

static bosc_status label_rows(bosc_ctx *ctx, const bosc_plan *plan, const uint64_t *vectors, int64_t n, int64_t stride,
                              uint8_t *labels)
{
    struct bi_out out;
    const void *reachable;
    bool staged = false;
    size_t bytes = plan->forms.words > 0 ? (size_t)((n - 1) * stride + plan->forms.words) * sizeof *vectors : 0;
    BI_TRY(bi_stage_in(ctx, vectors, bytes, &reachable, &staged));
    BI_TRY(bi_stage_out(ctx, labels, (size_t)n, &out, &staged));
    BI_TRY(label_vectors(ctx, plan, reachable, n, stride, out.reachable));
    BI_TRY(bi_stage_back(ctx, &out));
    return staged ? ctx->backend->sync(ctx) : BOSC_OK;
}

bosc_status bosc_plan_labels(bosc_ctx *ctx, const bosc_plan *plan, const uint64_t *vectors, int64_t n, int64_t stride,
                             uint8_t *labels)
{
    BI_ENTER(ctx);
    BI_TRY(bi_plan_check(ctx, plan));
    if (n < 0) return bi_fail(ctx, BOSC_ERR_ARG, "n: %lld is less than 0", (long long)n);
    if (stride == 0) stride = plan->forms.words;
    if (stride < plan->forms.words)
        return bi_fail(ctx, BOSC_ERR_ARG, "stride: %lld is less than the %lld words of a row", (long long)stride,
                       (long long)plan->forms.words);
    if (n > 0 && stride > INT64_MAX / 16 / n)
        return bi_fail(ctx, BOSC_ERR_ARG, "stride: %lld: more than memory can hold", (long long)stride);
    BI_TRY(bi_plan_check_array(ctx, "vectors", vectors, n * (plan->forms.words > 0), sizeof *vectors));
    BI_TRY(bi_plan_check_array(ctx, "labels", labels, n, 1));
    if (n == 0) return BOSC_OK;
    bi_progress_set_total(ctx, label_items(plan, n));
    BI_RETURN_WITH_SCRATCH(ctx, label_rows(ctx, plan, vectors, n, stride, labels));
}

static bosc_status find_collisions(bosc_ctx *ctx, const bosc_plan *plan, const double *rotations, int64_t n,
                                   int64_t stride, uint8_t *collides)
{
    const int64_t words = plan->forms.words, workers = n < BI_PLAN_TOUCH_WORKERS ? n : BI_PLAN_TOUCH_WORKERS;
    struct bi_plan_label_zeros zeros = {
        .logic = plan->logic, .forms = plan->forms, .n = n, .stride = stride, .workers = workers};
    struct bi_out out;
    uint64_t *vectors;
    bool staged = false;
    BI_TRY(bi_stage_in(ctx, rotations, (size_t)((n - 1) * stride + 4) * sizeof *rotations,
                       (const void **)&zeros.rotations, &staged));
    BI_TRY(bi_stage_out(ctx, collides, (size_t)n, &out, &staged));
    BI_TRY(bi_scratch_of(ctx, n * words, sizeof *vectors, &vectors));
    BI_TRY(bi_scratch_of(ctx, n + 1, sizeof *zeros.zeros, &zeros.zeros));
    BI_TRY(bi_scratch_of(ctx, workers * plan->forms.exact_work, sizeof *zeros.work, &zeros.work));
    BI_TRY(bi_scratch_of(ctx, workers * BI_PLAN_TOUCH_WORK, sizeof *zeros.exact, &zeros.exact));
    BI_TRY(bi_scratch_of(ctx, workers * plan->forms.constraints, sizeof *zeros.signs, &zeros.signs));
    /* Label all rows by their signs, then those with a sign of 0 again, exactly. */
    BI_TRY(bi_plan_evaluate_signs(ctx, plan, zeros.rotations, n, stride, vectors, zeros.zeros, "rotations"));
    zeros.labels = out.reachable;
    BI_TRY(label_vectors(ctx, plan, vectors, n, words, zeros.labels));
    BI_TRY(BI_PLAN_STEP(ctx, label_zeros, workers, &zeros));
    BI_TRY(bi_stage_back(ctx, &out));
    return ctx->backend->sync(ctx);
}

bosc_status bosc_plan_collides(bosc_ctx *ctx, const bosc_plan *plan, const double *rotations, int64_t n, int64_t stride,
                               uint8_t *collides)
{
    BI_ENTER(ctx);
    BI_TRY(bi_plan_check(ctx, plan));
    BI_TRY(bi_plan_check_rotations(ctx, "rotations", rotations, n, &stride));
    BI_TRY(bi_plan_check_array(ctx, "collides", collides, n, 1));
    if (n == 0) return BOSC_OK;
    bi_progress_set_total(ctx, (double)n * (double)(2 + plan->forms.words) + label_items(plan, n));
    BI_RETURN_WITH_SCRATCH(ctx, find_collisions(ctx, plan, rotations, n, stride, collides));
}

/* ---- arcs ---- */

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

/* Stages the arrays and computes the words of all arcs, one word per item. */
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
    BI_TRY(check_bad(ctx, "from, to", arcs.bad));
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

/* Counts the enclosures of each arc, scans the counts, and writes the enclosures if they fit. */
static bosc_status find_crossings(bosc_ctx *ctx, struct bi_plan_crossings *a, struct crossing_call *call)
{
    const size_t bytes = (size_t)(call->n + 1) * sizeof *call->offsets;
    BI_TRY(stage_ends(ctx, &a->from, &a->to, call->n, &a->bad));
    BI_TRY(bi_scratch(ctx, bytes, (void **)&a->offsets));
    BI_TRY(ctx->backend->fill(ctx, a->offsets, 0, bytes));
    BI_TRY(BI_PLAN_STEP(ctx, count_crossings, call->n, a));
    BI_TRY(check_bad(ctx, "from, to", a->bad));
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
