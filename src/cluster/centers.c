/* Centers of clusters: weighted means, and medoids. */
#include "cluster/members.h"
#include "cluster/steps/steps.h"
#include "core/check.h"

enum { CENTER_ITEMS = 30 /* progress weight of a point, without medoids; estimated */ };

/* Computes the means: one segmented sum a coordinate, after that of the weights. */
static bosc_status compute_centroids(bosc_ctx *ctx, struct bi_cluster_centers *a)
{
    const struct bi_cluster_steps *steps = ctx->ops->cluster->steps;
    const int64_t count = a->m.count;
    BI_TRY(bi_scratch_of(ctx, count, sizeof *a->heads, &a->heads));
    BI_TRY(bi_scratch_of(ctx, count, sizeof *a->sums, &a->sums));
    BI_TRY(bi_scratch_of(ctx, a->m.clusters, sizeof *a->mass, &a->mass));
    for (a->coordinate = -1; a->coordinate < a->m.dim; a->coordinate++) {
        BI_TRY(steps->centers_weigh(ctx, count, a));
        BI_TRY(ctx->backend->core->scan_segmented(ctx, BOSC_SUM, BOSC_INCLUSIVE, BOSC_F64, a->sums, a->heads, count,
                                                  a->sums));
        BI_TRY(steps->centers_store(ctx, a->m.clusters, a));
    }
    return BOSC_OK;
}

/* Finds the medoids. */
static bosc_status find_medoids(bosc_ctx *ctx, struct bi_cluster_centers *a)
{
    const struct bi_cluster_steps *steps = ctx->ops->cluster->steps;
    const int64_t count = a->m.count, clusters = a->m.clusters;
    const double visits = clusters ? (double)count / (double)clusters : 0; /* of clusters of about one size */
    BI_TRY(bi_scratch_of(ctx, count, sizeof *a->cost, &a->cost));
    BI_TRY(bi_scratch_of(ctx, clusters, sizeof *a->least, &a->least));
    BI_TRY(bi_scratch_of(ctx, clusters, sizeof *a->first, &a->first));
    BI_TRY(ctx->backend->fill(ctx, a->least, 0xff, (size_t)clusters * sizeof *a->least));
    BI_TRY(ctx->backend->fill(ctx, a->first, 0xff, (size_t)clusters * sizeof *a->first));
    BI_TRY_WITH_COST(ctx, visits, steps->medoids_measure(ctx, count, a));
    BI_TRY(steps->medoids_choose(ctx, count, a));
    return steps->medoids_write(ctx, clusters, a);
}

/* Computes the centers in scratch, and writes them last: outputs stay unchanged on a failure. */
static bosc_status compute_staged(bosc_ctx *ctx, struct bi_cluster_centers *a, double *centroids, int64_t *medoids)
{
    const int64_t clusters = a->m.clusters, numbers = clusters * a->m.dim;
    BI_TRY(bi_members_gather(ctx, &a->m));
    BI_TRY(bi_scratch_of(ctx, centroids ? numbers : 0, sizeof *a->centroids, &a->centroids));
    BI_TRY(bi_scratch_of(ctx, clusters, sizeof *a->medoids, &a->medoids));
    if (centroids) BI_TRY(compute_centroids(ctx, a));
    if (medoids) BI_TRY(find_medoids(ctx, a));
    if (centroids) BI_TRY(ctx->backend->copy(ctx, centroids, a->centroids, (size_t)numbers * sizeof *centroids));
    if (medoids) BI_TRY(ctx->backend->copy(ctx, medoids, a->medoids, (size_t)clusters * sizeof *medoids));
    return ctx->backend->sync(ctx);
}

bosc_status bosc_cluster_compute_centers(bosc_ctx *ctx, const void *points, int64_t n, int64_t stride,
                                         const bosc_cluster_opts *opts, const void *labels, const double *weights,
                                         int64_t clusters, double *centroids, int64_t *medoids)
{
    bosc_cluster_opts full;
    struct bi_cluster_centers a = {
        .m = {.points = points, .stride = stride, .labels = labels, .weights = weights, .n = n, .clusters = clusters}};
    BI_ENTER(ctx);
    BI_TRY(bi_members_check(ctx, opts, &full, &a.m));
    BI_TRY(bi_check_aligned(ctx, "centroids", centroids, sizeof *centroids));
    BI_TRY(bi_check_aligned(ctx, "medoids", medoids, sizeof *medoids));
    bi_progress_set_total(ctx, (CENTER_ITEMS + (medoids && clusters ? (double)n / (double)clusters : 0)) * (double)n);
    if (n > 0) BI_RETURN_WITH_SCRATCH(ctx, compute_staged(ctx, &a, centroids, medoids));
    return BOSC_OK;
}
