/* The order of the points of a dendrogram, and cophenetic distances. */
#include "cluster/dendrogram.h"
#include "cluster/steps/steps.h"
#include "core/check.h"

enum { ORDER_ITEMS = 40 /* progress weight of a point; estimated */ };

/* Checks the arguments of a call that writes to `out`, which may be NULL for fewer than `least` points. */
static bosc_status check_args(bosc_ctx *ctx, const double *z, int64_t n, int64_t least, const char *name,
                              const void *out)
{
    BI_TRY(bi_dendrogram_check(ctx, z, n));
    if (n >= least && !out) return bi_fail(ctx, BOSC_ERR_ARG, "%s: NULL", name);
    return bi_check_aligned(ctx, name, out, 8);
}

/* Finds the position of every point: the number of points left of it, summed over its merges by pointer jumping. */
static bosc_status find_order(bosc_ctx *ctx, const double *z, int64_t n, struct bi_dendrogram_order *a)
{
    const struct bi_cluster_steps *steps = ctx->ops->cluster->steps;
    const void *reachable;
    const int64_t nodes = 2 * n - 1;
    struct bi_hdbscan links = {.n = n};
    uint32_t more = 1;
    bool staged = false;
    /* 1. Link the merges. */
    BI_TRY(bi_stage_in(ctx, z, 4 * (size_t)(n - 1) * sizeof *z, &reachable, &staged));
    a->z = links.z = reachable;
    a->n = n;
    BI_TRY(bi_dendrogram_link(ctx, &links));
    a->parent = links.parent;
    BI_TRY(bi_scratch_of(ctx, nodes, sizeof *a->above, &a->above));
    BI_TRY(bi_scratch_of(ctx, nodes, sizeof *a->offset, &a->offset));
    BI_TRY(bi_scratch_of(ctx, nodes, sizeof *a->next_above, &a->next_above));
    BI_TRY(bi_scratch_of(ctx, nodes, sizeof *a->next_offset, &a->next_offset));
    BI_TRY(bi_scratch_of(ctx, n, sizeof *a->order, &a->order));
    BI_TRY(bi_scratch_of(ctx, 1, sizeof *a->flag, &a->flag));
    BI_TRY(steps->order_begin(ctx, nodes, a));
    /* 2. Jump until all nodes are at the root. */
    while (more) {
        uint32_t *above = a->above, *offset = a->offset;
        BI_TRY(ctx->backend->fill(ctx, a->flag, 0, sizeof more));
        BI_TRY(steps->order_jump(ctx, nodes, a));
        BI_TRY(bi_read_back(ctx, &more, a->flag, sizeof more));
        a->above = a->next_above;
        a->offset = a->next_offset;
        a->next_above = above;
        a->next_offset = offset;
    }
    return steps->order_scatter(ctx, n, a);
}

/* Writes the points from left to right to the caller's array. */
static bosc_status write_order(bosc_ctx *ctx, const double *z, int64_t n, int64_t *order)
{
    struct bi_dendrogram_order a = {.n = n};
    struct bi_out out;
    bool staged = false;
    BI_TRY(bi_stage_out(ctx, order, (size_t)n * sizeof *order, &out, &staged));
    BI_TRY(find_order(ctx, z, n, &a));
    a.order_of = out.reachable;
    BI_TRY(ctx->ops->cluster->steps->order_write(ctx, n, &a));
    BI_TRY(bi_stage_back(ctx, &out));
    return ctx->backend->sync(ctx);
}

bosc_status bosc_linkage_order(bosc_ctx *ctx, const double *z, int64_t n, int64_t *order)
{
    const int64_t first = 0;
    BI_ENTER(ctx);
    BI_TRY(check_args(ctx, z, n, 1, "order", order));
    bi_progress_set_total(ctx, ORDER_ITEMS * (double)n);
    if (n > 1) BI_RETURN_WITH_SCRATCH(ctx, write_order(ctx, z, n, order));
    if (n == 0) return BOSC_OK;
    BI_TRY(ctx->backend->copy(ctx, order, &first, sizeof first));
    return ctx->backend->sync(ctx);
}

/* Writes the cophenetic distances of all pairs to the caller's array. */
static bosc_status write_distances(bosc_ctx *ctx, const double *z, int64_t n, double *distances)
{
    const struct bi_cluster_steps *steps = ctx->ops->cluster->steps;
    struct bi_dendrogram_order a = {.n = n};
    struct bi_out out;
    bool staged = false;
    BI_TRY(bi_stage_out(ctx, distances, (size_t)(n * (n - 1) / 2) * sizeof *distances, &out, &staged));
    BI_TRY(find_order(ctx, z, n, &a));
    BI_TRY(bi_scratch_of(ctx, n - 1, sizeof *a.gaps, &a.gaps));
    BI_TRY(steps->order_gaps(ctx, n - 1, &a));
    a.distances = out.reachable;
    BI_TRY_WITH_COST(ctx, n, steps->cophenet(ctx, n / 2, &a));
    BI_TRY(bi_stage_back(ctx, &out));
    return ctx->backend->sync(ctx);
}

bosc_status bosc_linkage_cophenet(bosc_ctx *ctx, const double *z, int64_t n, double *distances)
{
    BI_ENTER(ctx);
    BI_TRY(check_args(ctx, z, n, 2, "distances", distances));
    bi_progress_set_total(ctx, ((double)n / 2 + ORDER_ITEMS) * (double)n); /* an item is two rows */
    if (n > 1) BI_RETURN_WITH_SCRATCH(ctx, write_distances(ctx, z, n, distances));
    return BOSC_OK;
}
