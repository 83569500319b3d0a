/* Checks of labelled points, and their order by labels. */
#include "cluster/members.h"

#include "base/bits.h"
#include "cluster/directions.h"
#include "cluster/steps/steps.h"
#include "core/check.h"

bosc_status bi_members_check(bosc_ctx *ctx, const bosc_cluster_opts *opts, bosc_cluster_opts *o,
                             struct bi_cluster_members *a)
{
    /* 1. Options. */
    BI_TRY(bi_read_opts(ctx, "bosc_cluster_opts", opts, o, sizeof *o));
    if (o->dtype == 0) o->dtype = BOSC_F32;
    if (o->label_bits == 0) o->label_bits = 64;
    if (o->label_bits != 32 && o->label_bits != 64)
        return bi_fail(ctx, BOSC_ERR_ARG, "opts: label_bits %d is neither 32 nor 64", (int)o->label_bits);
    /* 2. The points. */
    const struct bi_cluster_rows rows = {a->points, a->n, a->stride, o->dtype, o->dim, BOSC_CLUSTER_MINKOWSKI};
    BI_TRY(bi_cluster_check_rows(ctx, &rows));
    /* 3. The other arguments. */
    if (a->clusters < 0 || a->clusters > a->n)
        return bi_fail(ctx, BOSC_ERR_ARG, "clusters: %lld is not in 0 to %lld, the points", (long long)a->clusters,
                       (long long)a->n);
    if (a->n > 0 && !a->labels) return bi_fail(ctx, BOSC_ERR_ARG, "labels: NULL");
    BI_TRY(bi_check_aligned(ctx, "labels", a->labels, (size_t)o->label_bits / 8));
    BI_TRY(bi_check_aligned(ctx, "weights", a->weights, sizeof *a->weights));
    a->stride = a->stride ? a->stride : o->dim;
    a->dtype = o->dtype;
    a->dim = o->dim;
    a->labels_64bit = o->label_bits == 64;
    return BOSC_OK;
}

bosc_status bi_members_sort(bosc_ctx *ctx, int64_t count, int64_t labels, uint32_t *label, uint32_t **row,
                            const int64_t **begin)
{
    const struct bi_core_ops *core = ctx->backend->core;
    uint32_t *numbers;
    int64_t *first;
    BI_TRY(bi_scratch_of(ctx, count, sizeof **row, row));
    BI_TRY(bi_scratch_of(ctx, labels + 2, sizeof *numbers, &numbers));
    BI_TRY(bi_scratch_of(ctx, labels + 2, sizeof *first, &first));
    BI_TRY(core->iota(ctx, sizeof **row, *row, count));
    BI_TRY(core->sort_pairs(ctx, BOSC_U32, label, sizeof **row, *row, count, label, *row, 0,
                            bi_bit_length((uint64_t)labels | 1)));
    BI_TRY(core->iota(ctx, sizeof *numbers, numbers, labels + 2));
    BI_TRY(core->search_sorted(ctx, BOSC_U32, label, count, numbers, labels + 2, first));
    *begin = first;
    return BOSC_OK;
}

/* Stages the caller's arrays. */
static bosc_status stage_arrays(bosc_ctx *ctx, struct bi_cluster_members *a)
{
    const size_t n = (size_t)a->n;
    const void *weights;
    bool staged = false;
    BI_TRY(bi_stage_in(ctx, a->points, ((n - 1) * (size_t)a->stride + (size_t)a->dim) * bosc_dtype_size(a->dtype),
                       &a->points, &staged));
    BI_TRY(bi_stage_in(ctx, a->labels, n * (a->labels_64bit ? 8 : 4), &a->labels, &staged));
    BI_TRY(bi_stage_in(ctx, a->weights, a->weights ? n * sizeof *a->weights : 0, &weights, &staged));
    if (a->weights) a->weights = weights;
    return BOSC_OK;
}

bosc_status bi_members_gather(bosc_ctx *ctx, struct bi_cluster_members *a)
{
    const struct bi_cluster_steps *steps = ctx->ops->cluster->steps;
    int64_t bad[3] = {INT64_MAX, INT64_MAX, INT64_MAX};
    /* 1. Check the rows. */
    BI_TRY(stage_arrays(ctx, a));
    BI_TRY(bi_scratch_of(ctx, 3, sizeof *a->bad, &a->bad));
    BI_TRY(bi_scratch_of(ctx, a->n, sizeof *a->label, &a->label));
    BI_TRY(ctx->backend->copy(ctx, a->bad, bad, sizeof bad));
    BI_TRY(steps->members_check(ctx, a->n, a));
    BI_TRY(bi_read_back(ctx, bad, a->bad, sizeof bad));
    if (bad[0] != INT64_MAX)
        return bi_fail(ctx, BOSC_ERR_DATA, "labels: row %lld names none of %lld clusters", (long long)bad[0],
                       (long long)a->clusters);
    if (bad[1] != INT64_MAX)
        return bi_fail(ctx, BOSC_ERR_DATA, "weights: row %lld is not finite, or less than 0", (long long)bad[1]);
    if (bad[2] != INT64_MAX)
        return bi_fail(ctx, BOSC_ERR_DATA, "points: row %lld of a cluster is not finite", (long long)bad[2]);
    /* 2. Sort, and gather. */
    BI_TRY(bi_members_sort(ctx, a->n, a->clusters, a->label, &a->row, &a->begin));
    BI_TRY(bi_read_back(ctx, &a->count, a->begin + a->clusters, sizeof a->count));
    BI_TRY(bi_scratch_of(ctx, a->count * a->dim, sizeof *a->x, &a->x));
    BI_TRY(bi_scratch_of(ctx, a->count, sizeof *a->weight, &a->weight));
    return steps->members_gather(ctx, a->count, a);
}
