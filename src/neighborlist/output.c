/* Returns the pairs of a neighbour list: as a list, as offsets of rows, and as rows of equal width. */
#include <string.h>

#include "neighborlist/handle.h"
#include "neighborlist/steps/steps.h"

/* Checks a call's cutoff, and describes the list at it. */
static bosc_status begin_output(bosc_ctx *ctx, const bosc_neighborlist *list, double cutoff,
                                struct bi_neighborlist_output *output)
{
    const bosc_neighborlist_opts *o = &list->opts;
    if (cutoff == 0) cutoff = o->cutoff;
    if (!(cutoff > 0) || cutoff > o->cutoff)
        return bi_fail(ctx, BOSC_ERR_ARG, "cutoff: %g is not from 0 to that of the list, %g", cutoff, o->cutoff);
    *output = (struct bi_neighborlist_output){.view = list->view,
                                              .offsets = list->view.offsets,
                                              .square = bi_neighborlist_square(cutoff),
                                              .filtered = list->moved || o->skin > 0 || cutoff < o->cutoff,
                                              .ids_64bit = o->id_bits == 64,
                                              .is_f64 = o->dtype == BOSC_F64};
    return BOSC_OK;
}

static bosc_status check_arrays(bosc_ctx *ctx, const bosc_neighborlist *list, const bosc_neighborlist_arrays *arrays,
                                bosc_neighborlist_arrays *full)
{
    const size_t id = (size_t)list->opts.id_bits / 8, real = bosc_dtype_size(list->opts.dtype);
    memset(full, 0, sizeof *full);
    BI_TRY(bi_check_size(ctx, "arrays", "bosc_neighborlist_arrays", arrays->size, sizeof *full));
    memcpy(full, arrays, arrays->size);
    if (full->capacity < 0)
        return bi_fail(ctx, BOSC_ERR_ARG, "arrays: capacity %lld is less than 0", (long long)full->capacity);
    BI_TRY(bi_check_aligned(ctx, "arrays: centers", full->centers, id));
    BI_TRY(bi_check_aligned(ctx, "arrays: neighbors", full->neighbors, id));
    BI_TRY(bi_check_aligned(ctx, "arrays: shifts", full->shifts, sizeof *full->shifts));
    BI_TRY(bi_check_aligned(ctx, "arrays: distances", full->distances, real));
    return bi_check_aligned(ctx, "arrays: vectors", full->vectors, real);
}

/* ---- the caller's arrays ---- */

enum { CENTERS, NEIGHBORS, SHIFTS, DISTANCES, VECTORS, COLUMNS };

/* Stages the arrays of `count` entries. */
static bosc_status stage_arrays(bosc_ctx *ctx, const struct bi_neighborlist_output *o, int64_t count,
                                bosc_neighborlist_arrays *to, struct bi_out outs[COLUMNS], bool *staged)
{
    const size_t id = o->ids_64bit ? 8 : 4, real = o->is_f64 ? 8 : 4;
    void *const user[COLUMNS] = {to->centers, to->neighbors, to->shifts, to->distances, to->vectors};
    const size_t sizes[COLUMNS] = {id, id, 3 * sizeof *to->shifts, real, 3 * real};
    for (int c = 0; c < COLUMNS; c++)
        BI_TRY(bi_stage_out(ctx, user[c], user[c] ? (size_t)count * sizes[c] : 0, &outs[c], staged));
    to->centers = outs[CENTERS].reachable;
    to->neighbors = outs[NEIGHBORS].reachable;
    to->shifts = outs[SHIFTS].reachable;
    to->distances = outs[DISTANCES].reachable;
    to->vectors = outs[VECTORS].reachable;
    return BOSC_OK;
}

static bosc_status return_arrays(bosc_ctx *ctx, const struct bi_out outs[COLUMNS], bool staged)
{
    for (int c = 0; c < COLUMNS; c++) BI_TRY(bi_stage_back(ctx, &outs[c]));
    return staged ? ctx->backend->sync(ctx) : BOSC_OK;
}

/* Computes the offsets of filtered rows in scratch. */
static bosc_status filter_rows(bosc_ctx *ctx, struct bi_neighborlist_output *o)
{
    const int64_t n = o->view.n;
    BI_TRY(bi_scratch_of(ctx, n + 1, sizeof *o->counts, &o->counts));
    BI_TRY(ctx->backend->fill(ctx, o->counts + n, 0, sizeof *o->counts));
    BI_TRY(ctx->ops->neighborlist->steps->count_near(ctx, n, o));
    o->offsets = o->counts;
    return ctx->backend->core->scan(ctx, BOSC_SUM, BOSC_EXCLUSIVE, BOSC_I64, o->counts, n + 1, o->counts);
}

/* ---- pairs ---- */

static bosc_status write_pairs(bosc_ctx *ctx, struct bi_neighborlist_output *o, const bosc_neighborlist_arrays *arrays,
                               int64_t *count)
{
    struct bi_out outs[COLUMNS];
    bool staged = false;
    int64_t total = o->view.pairs;
    /* 1. The number of pairs. */
    if (o->filtered) {
        BI_TRY(filter_rows(ctx, o));
        BI_TRY(bi_read_back(ctx, &total, o->offsets + o->view.n, sizeof total));
    }
    if (arrays && arrays->capacity < total) {
        if (count) *count = total;
        return bi_fail(ctx, BOSC_ERR_SPACE, "arrays: capacity %lld, but there are %lld pairs",
                       (long long)arrays->capacity, (long long)total);
    }
    /* 2. The pairs. */
    if (arrays && total > 0) {
        o->to = *arrays;
        BI_TRY(stage_arrays(ctx, o, total, &o->to, outs, &staged));
        if (o->filtered)
            BI_TRY(ctx->ops->neighborlist->steps->write_row(ctx, o->view.n, o));
        else
            BI_TRY(ctx->ops->neighborlist->write(ctx, o));
        BI_TRY(return_arrays(ctx, outs, staged));
    }
    if (count) *count = total;
    return BOSC_OK;
}

bosc_status bosc_neighborlist_pairs(bosc_ctx *ctx, const bosc_neighborlist *list, double cutoff,
                                    const bosc_neighborlist_arrays *arrays, int64_t *count)
{
    struct bi_neighborlist_output output;
    bosc_neighborlist_arrays full;
    BI_ENTER(ctx);
    BI_TRY(bi_neighborlist_check(ctx, list));
    BI_TRY(begin_output(ctx, list, cutoff, &output));
    if (arrays) BI_TRY(check_arrays(ctx, list, arrays, &full));
    if (!arrays && !count) return bi_fail(ctx, BOSC_ERR_ARG, "count: NULL, and no arrays");
    bi_progress_set_total(ctx, 2 * (double)list->view.n);
    if (list->view.n == 0) {
        if (count) *count = 0;
        return BOSC_OK;
    }
    BI_RETURN_WITH_SCRATCH(ctx, write_pairs(ctx, &output, arrays ? &full : NULL, count));
}

/* ---- offsets ---- */

static bosc_status write_offsets(bosc_ctx *ctx, struct bi_neighborlist_output *o, int64_t *offsets)
{
    const int64_t n = o->view.n;
    if (o->filtered && n > 0) BI_TRY(filter_rows(ctx, o));
    if (n > 0) {
        BI_TRY(ctx->backend->copy(ctx, offsets, o->offsets, (size_t)(n + 1) * sizeof *offsets));
    } else { /* the list may have no offsets */
        int64_t *zero;
        BI_TRY(bi_scratch_of(ctx, 1, sizeof *zero, &zero));
        BI_TRY(ctx->backend->fill(ctx, zero, 0, sizeof *zero));
        BI_TRY(ctx->backend->copy(ctx, offsets, zero, sizeof *zero));
    }
    return ctx->backend->reaches(ctx, offsets) ? BOSC_OK : ctx->backend->sync(ctx);
}

bosc_status bosc_neighborlist_rows(bosc_ctx *ctx, const bosc_neighborlist *list, double cutoff, int64_t *offsets)
{
    struct bi_neighborlist_output output;
    BI_ENTER(ctx);
    BI_TRY(bi_neighborlist_check(ctx, list));
    BI_TRY(begin_output(ctx, list, cutoff, &output));
    if (!offsets) return bi_fail(ctx, BOSC_ERR_ARG, "offsets: NULL");
    BI_TRY(bi_check_aligned(ctx, "offsets", offsets, sizeof *offsets));
    bi_progress_set_total(ctx, (double)list->view.n);
    BI_RETURN_WITH_SCRATCH(ctx, write_offsets(ctx, &output, offsets));
}

/* ---- rows of equal width ---- */

static bosc_status write_padded(bosc_ctx *ctx, struct bi_neighborlist_output *o, int64_t *counts)
{
    struct bi_out outs[COLUMNS], count_out;
    bool staged = false;
    const int64_t n = o->view.n;
    BI_TRY(stage_arrays(ctx, o, n * o->width, &o->to, outs, &staged));
    BI_TRY(bi_stage_out(ctx, counts, counts ? (size_t)n * sizeof *counts : 0, &count_out, &staged));
    o->counts = count_out.reachable;
    if (counts) BI_TRY(ctx->ops->neighborlist->steps->count_near(ctx, n, o));
    const bosc_neighborlist_arrays *to = &o->to;
    const bool writes = to->centers || to->neighbors || to->shifts || to->distances || to->vectors;
    if (writes && o->width > 0) BI_TRY(ctx->ops->neighborlist->steps->write_row(ctx, n, o));
    BI_TRY(bi_stage_back(ctx, &count_out));
    return return_arrays(ctx, outs, staged);
}

bosc_status bosc_neighborlist_padded(bosc_ctx *ctx, const bosc_neighborlist *list, double cutoff, int64_t width,
                                     int64_t *counts, const bosc_neighborlist_arrays *arrays)
{
    struct bi_neighborlist_output output;
    BI_ENTER(ctx);
    BI_TRY(bi_neighborlist_check(ctx, list));
    BI_TRY(begin_output(ctx, list, cutoff, &output));
    if (width < 0) return bi_fail(ctx, BOSC_ERR_ARG, "width: %lld is less than 0", (long long)width);
    BI_TRY(bi_check_aligned(ctx, "counts", counts, sizeof *counts));
    if (!arrays) return bi_fail(ctx, BOSC_ERR_ARG, "arrays: NULL");
    BI_TRY(check_arrays(ctx, list, arrays, &output.to));
    const int64_t n = list->view.n;
    if (n > 0 && width > output.to.capacity / n)
        return bi_fail(ctx, BOSC_ERR_SPACE, "arrays: capacity %lld is less than %lld rows of %lld",
                       (long long)output.to.capacity, (long long)n, (long long)width);
    if (n > 0 && width > BI_NEIGHBORLIST_MAX_PAIRS / n)
        return bi_fail(ctx, BOSC_ERR_ARG, "width: %lld: more than memory can hold", (long long)width);
    output.padded = true;
    output.width = width;
    bi_progress_set_total(ctx, 2 * (double)n);
    if (n == 0) return BOSC_OK;
    BI_RETURN_WITH_SCRATCH(ctx, write_padded(ctx, &output, counts));
}
