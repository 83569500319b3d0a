/* Checks of queries, and the pairs of queries and shards that they reach. */
#include "ranks/kdtree/search.h"

bosc_status bi_ranks_kdtree_check_queries(bosc_ctx *ctx, const bosc_ranks_kdtree *tree, const char *array,
                                          const void *data, const char *count_name, int64_t count, int64_t stride,
                                          struct bi_kdtree_rows *rows)
{
    BI_TRY(bi_ranks_kdtree_check(ctx, tree));
    BI_TRY(bi_kdtree_check_rows(ctx, tree->shard, array, data, count_name, count, stride, rows));
    if (count < (int64_t)UINT32_MAX) return BOSC_OK;
    return bi_fail(ctx, BOSC_ERR_LIMIT, "%s: %lld of one rank; less than 2^32 - 1 can be searched for", count_name,
                   (long long)count);
}

bosc_status bi_ranks_kdtree_check_radius(bosc_ctx *ctx, double radius)
{
    return radius >= 0 ? BOSC_OK : bi_fail(ctx, BOSC_ERR_ARG, "radius: %g is not 0 or more", radius);
}

bosc_status bi_ranks_kdtree_same_radius(bosc_ctx *ctx, const bosc_ranks_kdtree *tree, bosc_status local_status,
                                        double radius)
{
    const double *radii = tree->comm->gather;
    BI_TRY(bi_comm_agree(ctx, tree->comm, local_status));
    BI_TRY(bi_comm_all_gather(ctx, tree->comm, &radius, sizeof radius, tree->comm->gather));
    if (radii[0] != radius)
        local_status = bi_fail(ctx, BOSC_ERR_ARG, "radius: %g is not the %g of rank 0", radius, radii[0]);
    return bi_comm_agree(ctx, tree->comm, local_status);
}

double bi_ranks_kdtree_square(const bosc_ranks_kdtree *tree, double radius)
{
    const float r = (float)radius;
    return tree->opts.dtype == BOSC_F32 ? (double)(r * r) : radius * radius;
}

struct bi_ranks_kdtree_reach bi_ranks_kdtree_reach_of(const bosc_ranks_kdtree *tree, const struct bi_kdtree_rows *rows)
{
    return (struct bi_ranks_kdtree_reach){.boxes = tree->boxes.data,
                                          .subtree_boxes =
                                              tree->subtrees_per_shard > 1 ? tree->subtree_boxes.data : NULL,
                                          .subtrees_per_shard = tree->subtrees_per_shard,
                                          .rank_count = (uint32_t)tree->comm->rank_count,
                                          .dim = tree->opts.dim,
                                          .dtype = tree->opts.dtype,
                                          .rows = *rows};
}

bosc_status bi_ranks_kdtree_find_pairs(bosc_ctx *ctx, struct bi_ranks_kdtree_reach *reach,
                                       struct bi_ranks_kdtree_pairs *pairs)
{
    const struct bi_ranks_steps *steps = ctx->ops->dist->steps;
    const int64_t n = reach->rows.n;
    int64_t *offsets; /* counts and a final zero, then their exclusive scan */
    *pairs = (struct bi_ranks_kdtree_pairs){.count = 0};
    if (n == 0) return BOSC_OK;
    BI_TRY(bi_scratch_of(ctx, n + 1, sizeof *offsets, &offsets));
    BI_TRY(ctx->backend->fill(ctx, offsets + n, 0, sizeof *offsets));
    reach->counts = offsets;
    reach->offsets = offsets;
    BI_TRY(steps->kdtree_reach_count(ctx, n, reach));
    BI_TRY(ctx->backend->core->scan(ctx, BOSC_SUM, BOSC_EXCLUSIVE, BOSC_I64, offsets, n + 1, offsets));
    BI_TRY(bi_read_back(ctx, &pairs->count, offsets + n, sizeof pairs->count));
    BI_TRY(bi_scratch_of(ctx, pairs->count, sizeof *pairs->ranks, &pairs->ranks));
    BI_TRY(bi_scratch_of(ctx, pairs->count, sizeof *pairs->queries, &pairs->queries));
    reach->ranks = pairs->ranks;
    reach->queries = pairs->queries;
    return pairs->count ? steps->kdtree_reach_fill(ctx, n, reach) : BOSC_OK;
}
