/* Links between the merges of a dendrogram, and cuts. */
#include "cluster/dendrogram.h"

#include "cluster/steps/steps.h"
#include "core/check.h"

enum { CUT_ITEMS = 10 /* progress weight of a cut; estimated */ };

bosc_status bi_dendrogram_check(bosc_ctx *ctx, const double *z, int64_t n)
{
    if (n < 0) return bi_fail(ctx, BOSC_ERR_ARG, "n: %lld is less than 0", (long long)n);
    if (n > (int64_t)1 << 31)
        return bi_fail(ctx, BOSC_ERR_LIMIT, "n: %lld points; there may be 2^31 at most", (long long)n);
    if (n > 1 && !z) return bi_fail(ctx, BOSC_ERR_ARG, "z: NULL");
    return bi_check_aligned(ctx, "z", z, sizeof *z);
}

bosc_status bi_dendrogram_link(bosc_ctx *ctx, struct bi_hdbscan *a)
{
    const struct bi_cluster_steps *steps = ctx->ops->cluster->steps;
    int64_t bad = INT64_MAX;
    BI_TRY(bi_scratch_of(ctx, 2 * a->n - 1, sizeof *a->parent, &a->parent));
    BI_TRY(bi_scratch_of(ctx, 1, sizeof *a->bad, &a->bad));
    BI_TRY(ctx->backend->copy(ctx, a->bad, &bad, sizeof bad));
    BI_TRY(ctx->backend->fill(ctx, a->parent, 0xff, (size_t)(2 * a->n - 1) * sizeof *a->parent));
    BI_TRY(steps->hdbscan_link(ctx, a->n - 1, a));
    BI_TRY(steps->hdbscan_check(ctx, a->n - 1, a));
    BI_TRY(bi_read_back(ctx, &bad, a->bad, sizeof bad));
    if (bad == INT64_MAX) return BOSC_OK;
    return bi_fail(
        ctx, BOSC_ERR_DATA,
        "z: row %lld is no merge of two clusters of earlier rows, at a distance of at least the row before's, "
        "with the sum of their sizes",
        (long long)bad);
}

bosc_status bi_dendrogram_find_tops(bosc_ctx *ctx, struct bi_hdbscan *a)
{
    uint32_t more = 1;
    BI_TRY(bi_scratch_of(ctx, 1, sizeof *a->flag, &a->flag));
    for (int times = 0; more && times < BI_UF_MAX_ASCENTS; times++) {
        BI_TRY(ctx->backend->fill(ctx, a->flag, 0, sizeof more));
        BI_TRY(ctx->ops->cluster->steps->hdbscan_ascend(ctx, a->n - 1, a));
        BI_TRY(bi_read_back(ctx, &more, a->flag, sizeof more));
    }
    return more ? bi_fail(ctx, BOSC_ERR_INTERNAL, "the merges make a cycle") : BOSC_OK;
}

/* --- Cuts --------------------------------------------------------------------------------------------------------- */

/* Labels the points of z, and counts the clusters. */
static bosc_status cut_staged(bosc_ctx *ctx, const double *z, int64_t n, double distance, int64_t *labels,
                              uint32_t *count)
{
    const struct bi_cluster_steps *steps = ctx->ops->cluster->steps;
    const void *reachable;
    struct bi_out out;
    bool staged = false;
    struct bi_hdbscan a = {.n = n, .distance = distance};
    /* 1. Link the merges, and find the top one of each cluster. */
    BI_TRY(bi_stage_in(ctx, z, 4 * (size_t)(n - 1) * sizeof *z, &reachable, &staged));
    BI_TRY(bi_stage_out(ctx, labels, (size_t)n * sizeof *labels, &out, &staged));
    a.z = reachable;
    a.labels = out.reachable;
    BI_TRY(bi_dendrogram_link(ctx, &a));
    BI_TRY(bi_scratch_of(ctx, n - 1, sizeof *a.cluster, &a.cluster));
    BI_TRY(bi_scratch_of(ctx, n - 1, sizeof *a.first_row, &a.first_row));
    BI_TRY(bi_scratch_of(ctx, n + 1, sizeof *a.is_first, &a.is_first));
    BI_TRY(steps->cut_find_above(ctx, n - 1, &a));
    BI_TRY(bi_dendrogram_find_tops(ctx, &a));
    /* 2. Number the clusters by their first rows. */
    BI_TRY(ctx->backend->fill(ctx, a.is_first + n, 0, sizeof *a.is_first));
    BI_TRY(steps->cut_find_first(ctx, n, &a));
    BI_TRY(steps->cut_mark_first(ctx, n - 1, &a));
    BI_TRY(ctx->backend->core->scan(ctx, BOSC_SUM, BOSC_EXCLUSIVE, BOSC_U32, a.is_first, n + 1, a.is_first));
    BI_TRY(bi_read_back(ctx, count, a.is_first + n, sizeof *count));
    /* 3. Write the labels. */
    BI_TRY(steps->cut_write(ctx, n, &a));
    BI_TRY(bi_stage_back(ctx, &out));
    return ctx->backend->sync(ctx);
}

bosc_status bosc_linkage_cut(bosc_ctx *ctx, const double *z, int64_t n, double distance, int64_t *labels,
                             int64_t *count)
{
    const int64_t first = 0;
    uint32_t found = (uint32_t)(n == 1);
    BI_ENTER(ctx);
    BI_TRY(bi_dendrogram_check(ctx, z, n));
    if (n > 0 && !labels) return bi_fail(ctx, BOSC_ERR_ARG, "labels: NULL");
    if (distance != distance) return bi_fail(ctx, BOSC_ERR_ARG, "distance: NaN");
    BI_TRY(bi_check_aligned(ctx, "labels", labels, sizeof *labels));
    bi_progress_set_total(ctx, CUT_ITEMS * (double)n);
    if (n > 1) BI_TRY_WITH_SCRATCH(ctx, cut_staged(ctx, z, n, distance, labels, &found));
    if (n == 1) {
        BI_TRY(ctx->backend->copy(ctx, labels, &first, sizeof first));
        BI_TRY(ctx->backend->sync(ctx));
    }
    if (count) *count = found;
    return BOSC_OK;
}
