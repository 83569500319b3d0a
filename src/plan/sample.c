/* Samples rotations: on great circles, between the roots of the forms, or uniformly. */
#include "base/bits.h"
#include "plan/drivers.h"

enum { FIRST_PASS = 256 }; /* circles of the first pass, which shows how many roots a circle has; not measured */

bosc_status bi_plan_check_sampling(bosc_ctx *ctx, bosc_plan_sampling sampling)
{
    if (sampling != BOSC_PLAN_CIRCLES && sampling != BOSC_PLAN_UNIFORM)
        return bi_fail(ctx, BOSC_ERR_ARG, "opts: sampling %d is none", (int)sampling);
    return BOSC_OK;
}

/* The circles of a pass that fit: their number, rows and witnessed crossings. */
struct fit {
    int64_t circles, rows, witnessed;
};

/* Counts the circles whose rows fit in `room`: offsets of at most `room`, less the first, which is 0. */
static bosc_status find_fit(bosc_ctx *ctx, const struct bi_plan_sampling *a, int64_t circles, int64_t room,
                            struct fit *fit)
{
    int64_t *query, *rank, over = room + 1;
    BI_TRY(bi_scratch_of(ctx, 1, sizeof *query, &query));
    BI_TRY(bi_scratch_of(ctx, 1, sizeof *rank, &rank));
    BI_TRY(ctx->backend->copy(ctx, query, &over, sizeof over));
    BI_TRY(ctx->backend->core->search_sorted(ctx, BOSC_I64, a->offsets, circles + 1, query, 1, rank));
    BI_TRY(bi_read_back(ctx, &fit->circles, rank, sizeof fit->circles));
    fit->circles--;
    return bi_read_back(ctx, &fit->rows, a->offsets + fit->circles, sizeof fit->rows);
}

/* Writes the witnesses of the rows, and counts the witnessed crossings. */
static bosc_status find_witnessed(bosc_ctx *ctx, struct bi_plan_sampling *a, struct fit *fit)
{
    uint32_t *device_sum, sum = 0;
    BI_TRY(bi_scratch_of(ctx, 1, sizeof *device_sum, &device_sum));
    BI_TRY(bi_scratch_of(ctx, fit->rows, sizeof *a->witnessed, &a->witnessed));
    BI_TRY(BI_PLAN_STEP(ctx, witness, fit->rows, a));
    BI_TRY(ctx->backend->core->reduce(ctx, BOSC_SUM, BOSC_U32, a->witnessed, fit->rows, device_sum));
    BI_TRY(bi_read_back(ctx, &sum, device_sum, sizeof sum));
    fit->witnessed = sum;
    return BOSC_OK;
}

/* Returns the items of a circle: at least one, which stores the row of a circle without roots. */
static int64_t chunks_of(const bosc_plan *plan)
{
    return plan->forms.constraints > 0 ? bi_div_up(plan->forms.constraints, BI_PLAN_FORMS) : 1;
}

/* Stores and sorts the roots of the circles that fit, and samples a row between each two. */
static bosc_status sample_rows(bosc_ctx *ctx, const bosc_plan *plan, struct bi_plan_sampling *a, struct fit *fit,
                               uint64_t *vectors)
{
    BI_TRY(bi_scratch_of(ctx, fit->rows, sizeof *a->roots, &a->roots));
    BI_TRY(bi_scratch_of(ctx, fit->rows, sizeof *a->ordered, &a->ordered));
    BI_TRY(bi_scratch_of(ctx, fit->rows, sizeof *a->circle_of, &a->circle_of));
    BI_TRY(bi_scratch_of(ctx, fit->circles, sizeof *a->stored_roots, &a->stored_roots));
    BI_TRY(ctx->backend->fill(ctx, a->stored_roots, 0, (size_t)fit->circles * sizeof *a->stored_roots));
    a->circle_count = fit->circles;
    BI_TRY(BI_PLAN_STEP(ctx, store_roots, fit->circles * chunks_of(plan), a));
    BI_TRY(ctx->ops->plan->order_roots(ctx, fit->circles, fit->rows, a));
    BI_TRY(BI_PLAN_STEP(ctx, sample_circle, fit->rows, a));
    BI_TRY(bi_plan_evaluate_signs(ctx, plan, a->rotations, fit->rows, 4, vectors, NULL, NULL));
    a->vectors = vectors;
    return a->next ? find_witnessed(ctx, a, fit) : BOSC_OK;
}

/* Samples one pass of circles; as many as fit become rows. */
static bosc_status sample_pass(bosc_ctx *ctx, const bosc_plan *plan, struct bi_plan_sampling *a, int64_t circles,
                               int64_t room, uint64_t *vectors, struct fit *fit)
{
    const size_t bytes = (size_t)(circles + 1) * sizeof *a->offsets;
    BI_TRY(bi_scratch_of(ctx, circles, sizeof *a->circles, &a->circles));
    BI_TRY(bi_scratch(ctx, bytes, (void **)&a->offsets));
    BI_TRY(ctx->backend->fill(ctx, a->offsets, 0, bytes));
    a->circle_count = circles;
    BI_TRY(BI_PLAN_STEP(ctx, make_circle, circles, a));
    BI_TRY(BI_PLAN_STEP(ctx, count_roots, circles * chunks_of(plan), a));
    BI_TRY(BI_PLAN_STEP(ctx, count_rows, circles, a));
    BI_TRY(ctx->backend->core->scan(ctx, BOSC_SUM, BOSC_EXCLUSIVE, BOSC_I64, a->offsets, circles + 1, a->offsets));
    BI_TRY(find_fit(ctx, a, circles, room, fit));
    return fit->rows > 0 ? sample_rows(ctx, plan, a, fit, vectors) : BOSC_OK;
}

/* Samples in passes, each of the expected number of circles that fit, plus an eighth. */
static bosc_status sample_circles(bosc_ctx *ctx, const bosc_plan *plan, struct bi_plan_sampling a, int64_t limit,
                                  int64_t capacity, uint64_t *vectors, size_t id_size, struct bi_plan_sampled *s)
{
    int64_t circles = FIRST_PASS, made = 0;
    do {
        struct fit fit = {0, 0, 0};
        if (circles > limit - made) circles = limit - made;
        if (circles > capacity - s->rows) circles = capacity - s->rows;
        BI_TRY_WITH_SCRATCH(ctx, sample_pass(ctx, plan, &a, circles, capacity - s->rows, vectors, &fit));
        /* Advance the arrays behind the rows of this pass, and estimate the circles of the next from the mean so
         * far. */
        made += fit.circles;
        s->rows += fit.rows;
        s->witnessed += fit.witnessed;
        a.first += fit.circles;
        a.base += fit.rows;
        a.rotations += 4 * fit.rows;
        vectors += fit.rows * plan->forms.words;
        if (a.next) a.next = (char *)a.next + (size_t)fit.rows * id_size;
        if (fit.circles < circles) break; /* the next circle does not fit */
        circles = (int64_t)((double)(capacity - s->rows) / (double)s->rows * (double)made * 1.125) + 16;
    } while (made < limit && s->rows < capacity);
    s->last = a.first;
    return BOSC_OK;
}

static bosc_status sample_uniform(bosc_ctx *ctx, const bosc_plan *plan, struct bi_plan_sampling a, int64_t n,
                                  uint64_t *vectors, size_t id_size, struct bi_plan_sampled *s)
{
    BI_TRY(BI_PLAN_STEP(ctx, sample_uniform, n, &a));
    BI_TRY(bi_plan_evaluate_signs(ctx, plan, a.rotations, n, 4, vectors, NULL, NULL));
    if (a.next) BI_TRY(ctx->backend->fill(ctx, a.next, 0xff, (size_t)n * id_size));
    s->rows = n;
    s->last = a.first + n;
    return BOSC_OK;
}

bosc_status bi_plan_sample_rows(bosc_ctx *ctx, const bosc_plan *plan, const bosc_plan_sample_opts *opts,
                                int64_t capacity, double *rotations, uint64_t *vectors, void *next, int32_t id_bits,
                                int64_t base, struct bi_plan_sampled *sampled)
{
    const struct bi_plan_sampling a = {.forms = plan->forms,
                                       .seed = opts->seed,
                                       .first = opts->first,
                                       .rotations = rotations,
                                       .next = next,
                                       .base = base,
                                       .ids_are_64bit = id_bits == 64};
    const int64_t limit = opts->limit == 0 ? capacity : opts->limit;
    const size_t id_size = (size_t)id_bits / 8;
    *sampled = (struct bi_plan_sampled){.last = opts->first};
    if (opts->sampling == BOSC_PLAN_CIRCLES)
        return sample_circles(ctx, plan, a, limit, capacity, vectors, id_size, sampled);
    return sample_uniform(ctx, plan, a, limit < capacity ? limit : capacity, vectors, id_size, sampled);
}

/* The caller's arrays; their first rows are filled. */
struct arrays {
    int64_t capacity;
    double *rotations;
    uint64_t *vectors;
    void *next;
};

/* Samples into the caller's arrays; only the filled rows are copied back. */
static bosc_status stage_and_sample(bosc_ctx *ctx, const bosc_plan *plan, const bosc_plan_sample_opts *opts,
                                    const struct arrays *s, struct bi_plan_sampled *sampled)
{
    const int64_t words = plan->forms.words;
    const size_t id_size = (size_t)plan->opts.id_bits / 8;
    struct bi_out rotations, vectors, next;
    bool staged = false;
    BI_TRY(bi_stage_out(ctx, s->rotations, (size_t)s->capacity * 4 * sizeof *s->rotations, &rotations, &staged));
    BI_TRY(bi_stage_out(ctx, s->vectors, (size_t)(s->capacity * words) * sizeof *s->vectors, &vectors, &staged));
    BI_TRY(bi_stage_out(ctx, s->next, (size_t)s->capacity * id_size, &next, &staged));
    if (!s->vectors) BI_TRY(bi_scratch_of(ctx, s->capacity * words, sizeof *s->vectors, &vectors.reachable));
    BI_TRY(bi_plan_sample_rows(ctx, plan, opts, s->capacity, rotations.reachable, vectors.reachable, next.reachable,
                               plan->opts.id_bits, 0, sampled));
    rotations.bytes = (size_t)sampled->rows * 4 * sizeof *s->rotations;
    vectors.bytes = (size_t)(sampled->rows * words) * sizeof *s->vectors;
    next.bytes = (size_t)sampled->rows * id_size;
    BI_TRY(bi_stage_back(ctx, &rotations));
    if (s->vectors) BI_TRY(bi_stage_back(ctx, &vectors));
    BI_TRY(bi_stage_back(ctx, &next));
    return ctx->backend->sync(ctx);
}

static bosc_status check_sample_opts(bosc_ctx *ctx, const bosc_plan_sample_opts *opts, bosc_plan_sample_opts *full)
{
    BI_TRY(bi_read_opts(ctx, "bosc_plan_sample_opts", opts, full, sizeof *full));
    BI_TRY(bi_plan_check_sampling(ctx, full->sampling));
    if (full->reserved != 0) return bi_fail(ctx, BOSC_ERR_ARG, "opts: reserved %d is not 0", (int)full->reserved);
    if (full->first < 0 || full->first > INT64_MAX / 4)
        return bi_fail(ctx, BOSC_ERR_ARG, "opts: first %lld is not in 0 to 2^61", (long long)full->first);
    if (full->limit < 0) return bi_fail(ctx, BOSC_ERR_ARG, "opts: limit %lld is less than 0", (long long)full->limit);
    return BOSC_OK;
}

bosc_status bosc_plan_sample(bosc_ctx *ctx, const bosc_plan *plan, const bosc_plan_sample_opts *opts, int64_t capacity,
                             double *rotations, uint64_t *vectors, void *next, int64_t *rows, int64_t *last)
{
    bosc_plan_sample_opts full;
    BI_ENTER(ctx);
    BI_TRY(bi_plan_check(ctx, plan));
    BI_TRY(check_sample_opts(ctx, opts, &full));
    if (capacity < 0 || capacity >= (int64_t)UINT32_MAX)
        return bi_fail(ctx, BOSC_ERR_ARG, "capacity: %lld is not in 0 to 2^32 - 2", (long long)capacity);
    BI_TRY(bi_plan_check_array(ctx, "rotations", rotations, capacity, sizeof *rotations));
    BI_TRY(bi_check_aligned(ctx, "vectors", vectors, sizeof *vectors));
    BI_TRY(bi_check_aligned(ctx, "next", next, (size_t)plan->opts.id_bits / 8));
    if (!rows) return bi_fail(ctx, BOSC_ERR_ARG, "rows: NULL");
    const struct arrays s = {capacity, rotations, vectors, next};
    struct bi_plan_sampled sampled = {0, 0, full.first};
    bi_progress_set_total(ctx, (double)capacity * (double)(5 + plan->forms.words));
    if (capacity > 0) BI_TRY_WITH_SCRATCH(ctx, stage_and_sample(ctx, plan, &full, &s, &sampled));
    if (sampled.rows == 0)
        return bi_fail(ctx, BOSC_ERR_SPACE, "capacity: %lld rows do not hold the first circle", (long long)capacity);
    *rows = sampled.rows;
    if (last) *last = sampled.last;
    return BOSC_OK;
}
