/* Clusterings: create, free, and the parts for predictions. */
#include "cluster/model.h"

#include "base/bits.h"
#include "cluster/hdbscan.h"
#include "cluster/predict.h"
#include "core/check.h"

enum { CREATE_ITEMS = 800 /* progress weight of a point; estimated */ };

static bosc_status check_clustering(bosc_ctx *ctx, const bosc_hdbscan *clustering)
{
    return bi_check_handle(ctx, "clustering", clustering ? &clustering->memory : NULL);
}

/* Returns the most condensed clusters of n points. */
static int64_t cluster_room(const bosc_hdbscan_opts *o, int64_t n)
{
    return bi_max_i64(1, 2 * (n / o->min_cluster_size) - 1);
}

bosc_status bi_clustering_new(bosc_ctx *ctx, const bosc_hdbscan_opts *full, bosc_hdbscan **clustering)
{
    const bosc_kdtree_opts tree_opts = {.size = sizeof tree_opts, .dtype = full->dtype, .dim = full->dim};
    bosc_kdtree *tree;
    BI_TRY(bosc_kdtree_create(ctx, &tree_opts, &tree));
    const bosc_status status = BI_NEW_HANDLE(ctx, clustering, .opts = *full, .tree = tree);
    if (status != BOSC_OK) bosc_kdtree_free(tree);
    return status;
}

bosc_status bi_clustering_set_points(bosc_ctx *ctx, bosc_hdbscan *c, const void *points, int64_t n, int64_t stride)
{
    const size_t size = c->opts.dtype == BOSC_F32 ? 4 : 8, rows = (size_t)n,
                 room = (size_t)cluster_room(&c->opts, n) * sizeof(bosc_hdbscan_cluster);
    BI_TRY(bosc_kdtree_build(ctx, c->tree, points, n, stride));
    BI_TRY(bi_block_reserve(ctx, &c->memory, &c->z, 4 * rows * sizeof(double)));
    BI_TRY(bi_block_reserve(ctx, &c->memory, &c->core, rows * size));
    BI_TRY(bi_block_reserve(ctx, &c->memory, &c->leaves, rows * sizeof(int64_t)));
    BI_TRY(bi_block_reserve(ctx, &c->memory, &c->densities, rows * sizeof(double)));
    BI_TRY(bi_block_reserve(ctx, &c->memory, &c->clusters, room));
    c->n = n;
    return BOSC_OK;
}

bosc_status bi_clustering_condense(bosc_ctx *ctx, bosc_hdbscan *c)
{
    c->info.size = sizeof c->info;
    return bosc_hdbscan_condense(ctx, c->z.data, c->n, &c->opts, c->leaves.data, c->densities.data, c->clusters.data,
                                 &c->info);
}

/* Fills a fresh clustering. */
static bosc_status fill_clustering(bosc_ctx *ctx, bosc_hdbscan *c, const void *points, int64_t n, int64_t stride)
{
    BI_TRY(bi_clustering_set_points(ctx, c, points, n, stride));
    BI_TRY(bosc_hdbscan_compute_linkage(ctx, points, n, stride, &c->opts, c->z.data));
    if (n > 0) BI_TRY(bi_predict_compute_cores(ctx, c->tree, c->opts.min_samples, c->core.data));
    return bi_clustering_condense(ctx, c);
}

bosc_status bosc_hdbscan_create(bosc_ctx *ctx, const void *points, int64_t n, int64_t stride,
                                const bosc_hdbscan_opts *opts, bosc_hdbscan **clustering)
{
    bosc_hdbscan_opts full;
    bosc_hdbscan *fresh;
    BI_ENTER(ctx);
    BI_TRY(bi_hdbscan_check_opts(ctx, opts, &full));
    BI_TRY(bi_hdbscan_check_euclidean(ctx, &full));
    if (!clustering) return bi_fail(ctx, BOSC_ERR_ARG, "clustering: NULL");
    if (full.dtype == 0) full.dtype = BOSC_F32;
    bi_progress_set_total(ctx, CREATE_ITEMS * (double)n);
    BI_TRY(bi_clustering_new(ctx, &full, &fresh));
    const bosc_status status = fill_clustering(ctx, fresh, points, n, stride);
    if (status == BOSC_OK)
        *clustering = fresh;
    else
        bosc_hdbscan_free(fresh);
    return status;
}

void bosc_hdbscan_free(bosc_hdbscan *c)
{
    if (!c) return;
    bi_block_free(&c->memory, &c->z);
    bi_block_free(&c->memory, &c->core);
    bi_block_free(&c->memory, &c->leaves);
    bi_block_free(&c->memory, &c->densities);
    bi_block_free(&c->memory, &c->clusters);
    bosc_kdtree_free(c->tree);
    bi_memory_release(&c->host, c, sizeof *c);
}

bosc_status bosc_hdbscan_get_model(bosc_ctx *ctx, const bosc_hdbscan *c, bosc_hdbscan_model *model,
                                   bosc_hdbscan_opts *opts, bosc_hdbscan_info *info, const double **z)
{
    BI_ENTER(ctx);
    /* 1. Check the sizes of all structs first. */
    BI_TRY(check_clustering(ctx, c));
    if (model) BI_TRY(bi_check_info(ctx, "model", "bosc_hdbscan_model", model->size, sizeof *model));
    if (opts) BI_TRY(bi_check_info(ctx, "opts", "bosc_hdbscan_opts", opts->size, sizeof *opts));
    if (info) BI_TRY(bi_check_info(ctx, "info", "bosc_hdbscan_info", info->size, sizeof *info));
    /* 2. Fill them. */
    const bosc_hdbscan_model full = {.size = sizeof full,
                                     .tree = c->tree,
                                     .core_dist2 = c->core.data,
                                     .leaves = c->leaves.data,
                                     .densities = c->densities.data,
                                     .clusters = c->clusters.data,
                                     .cluster_count = c->info.condensed};
    if (model) bi_copy_info(model, &full, sizeof full);
    if (opts) bi_copy_info(opts, &c->opts, sizeof c->opts);
    if (info) bi_copy_info(info, &c->info, sizeof c->info);
    if (z) *z = c->z.data;
    return BOSC_OK;
}
