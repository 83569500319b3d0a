/* The build: every point finds its part of the in-order array by selection of medians, moves to the part's rank, and
 * becomes a row of that rank's shard. */
#include "base/clock.h"
#include "ranks/kdtree/kdtree.h"
#include "ranks/steps/steps.h"

/* ---- points ---- */

static bosc_status store_representatives(bosc_ctx *ctx, bosc_ranks_kdtree *tree, const struct bi_ranks_points *points)
{
    const size_t bytes = (size_t)points->input_count * sizeof *points->representative_ids;
    BI_TRY(bi_block_reserve(ctx, &tree->memory, &tree->representative_ids, bytes));
    return bytes ? ctx->backend->copy(ctx, tree->representative_ids.data, points->representative_ids, bytes) : BOSC_OK;
}

/* Sends points, ids and parts to their ranks, and builds the shards. */
static bosc_status scatter_points(bosc_ctx *ctx, bosc_ranks_kdtree *tree, const struct bi_ranks_points *points,
                                  const uint32_t *parts, int64_t nodes, const struct bi_ranks_scatter *scatter)
{
    const int64_t dim = tree->opts.dim, received = scatter->x.received;
    const size_t size = bosc_dtype_size(tree->opts.dtype);
    const struct bi_kdtree_rows part_rows = {parts, points->rows.n, 1};
    struct bi_kdtree_rows id_rows = {points->ids, points->rows.n, 1};
    void *rows = NULL;
    int64_t *ids = NULL;
    bosc_status local_status = bi_scratch_of(ctx, received * dim, size, &rows);
    BI_TRY(bi_ranks_kdtree_scatter_rows(ctx, tree->comm, local_status, scatter, &points->rows, dim, size, rows));
    local_status = bi_ranks_kdtree_reserve_shard(ctx, tree, received);
    if (local_status == BOSC_OK && points->representative_ids) local_status = store_representatives(ctx, tree, points);
    if (local_status == BOSC_OK && !points->ids) {
        local_status = bi_scratch_of(ctx, points->rows.n, sizeof *ids, &ids);
        const struct bi_ranks_global_ids number = {points->first, ids};
        if (local_status == BOSC_OK && points->rows.n)
            local_status = ctx->ops->dist->steps->global_ids(ctx, points->rows.n, &number);
        id_rows.data = ids;
    }
    BI_TRY(
        bi_ranks_kdtree_scatter_rows(ctx, tree->comm, local_status, scatter, &id_rows, 1, sizeof *ids, tree->ids.data));
    BI_TRY(bi_ranks_kdtree_scatter_rows(ctx, tree->comm, BOSC_OK, scatter, &part_rows, 1, sizeof *parts,
                                        tree->parts.data));
    return bi_ranks_kdtree_build_shard(ctx, tree, BOSC_OK, rows, points, nodes);
}

/* *bucket = the rank of each point. */
static bosc_status find_owners(bosc_ctx *ctx, const struct bi_ranks_kdtree_partition *partition, const uint32_t *parts,
                               int64_t n, uint32_t *host, uint32_t **bucket)
{
    const int64_t subtrees = (int64_t)1 << partition->level;
    uint32_t *rank_of;
    for (int64_t r = 0, j = 0; r < partition->rank_count; r++)
        while (j < bi_ranks_kdtree_first_subtree(partition, r + 1)) host[j++] = (uint32_t)r;
    BI_TRY(bi_scratch_of(ctx, n, sizeof **bucket, bucket));
    BI_TRY(bi_scratch_of(ctx, subtrees, sizeof *rank_of, &rank_of));
    BI_TRY(ctx->backend->copy(ctx, rank_of, host, (size_t)subtrees * sizeof *rank_of));
    const struct bi_ranks_kdtree_part_owner owner = {parts, rank_of, *bucket};
    if (n) BI_TRY(ctx->ops->dist->steps->kdtree_part_owner(ctx, n, &owner));
    return ctx->backend->sync(ctx); /* `host` may be freed afterwards */
}

static bosc_status begin_point_scatter(bosc_ctx *ctx, const bosc_ranks_kdtree *tree, int64_t n, int64_t nodes,
                                       const uint32_t *parts, struct bi_ranks_scatter *scatter)
{
    const struct bi_ranks_kdtree_partition partition = bi_ranks_kdtree_make_partition(nodes, tree->comm->rank_count);
    const size_t bytes = sizeof(uint32_t) << partition.level;
    uint32_t *host = bi_host_alloc(ctx, bytes), *bucket = NULL;
    bosc_status local_status = host ? find_owners(ctx, &partition, parts, n, host, &bucket) : BOSC_ERR_NOMEM;
    bi_memory_release(&ctx->host, host, bytes);
    return bi_ranks_kdtree_begin_scatter(ctx, tree->comm, local_status, bucket, NULL, n, scatter);
}

/* ---- the call ---- */

bosc_status bi_ranks_kdtree_build_distinct(bosc_ctx *ctx, bosc_ranks_kdtree *tree, bosc_status local_status,
                                           const struct bi_ranks_points *points, int64_t nodes)
{
    uint32_t *parts = NULL;
    struct bi_ranks_scatter scatter;
    BI_TRY(bi_ranks_kdtree_select(ctx, tree, local_status, points, nodes, &parts));
    bosc_status status = begin_point_scatter(ctx, tree, points->rows.n, nodes, parts, &scatter);
    if (status == BOSC_OK) status = scatter_points(ctx, tree, points, parts, nodes, &scatter);
    bi_exchange_end(ctx, &scatter.x);
    return status;
}

static bosc_status build_tree(bosc_ctx *ctx, bosc_ranks_kdtree *tree, struct bi_ranks_points *points,
                              bosc_status local_status)
{
    int64_t nodes = points->total;
    if (tree->side) return bi_ranks_kdtree_build_published(ctx, tree, local_status, points);
    if (tree->opts.duplicates == BOSC_KDTREE_DUPLICATES_REMOVE) {
        BI_TRY(bi_ranks_kdtree_remove_duplicates(ctx, tree, local_status, points, &nodes));
        local_status = BOSC_OK;
    }
    return bi_ranks_kdtree_build_distinct(ctx, tree, local_status, points, nodes);
}

static bosc_status build_staged(bosc_ctx *ctx, bosc_ranks_kdtree *tree, struct bi_ranks_points *points,
                                bosc_status local_status)
{
    const int64_t n = local_status == BOSC_OK ? points->rows.n : 0;
    BI_TRY(bi_comm_offset(ctx, tree->comm, local_status, n, &points->first, &points->total));
    if (tree->opts.id_bits == 32 && points->total >= (int64_t)UINT32_MAX)
        return bi_fail(ctx, BOSC_ERR_LIMIT, "n: %lld points of all ranks; ids of 32 bits name less than 2^32 - 1",
                       (long long)points->total);
    points->input_count = n;
    local_status = bi_ranks_kdtree_stage(ctx, tree, "points", points->first, &points->rows);
    return build_tree(ctx, tree, points, local_status);
}

static bosc_status check_build(bosc_ctx *ctx, const bosc_ranks_kdtree *tree, const void *points, int64_t n,
                               int64_t stride, struct bi_kdtree_rows *rows)
{
    BI_TRY(bi_ranks_kdtree_check(ctx, tree));
    BI_TRY(bi_kdtree_check_size(ctx, n));
    return bi_kdtree_check_rows(ctx, tree->shard, "points", points, "n", n, stride, rows);
}

bosc_status bosc_ranks_kdtree_build(bosc_ctx *ctx, bosc_ranks_kdtree *tree, const void *points, int64_t n,
                                    int64_t stride)
{
    struct bi_ranks_points input = {.since = bi_now()};
    BI_ENTER(ctx);
    if (!tree) return bi_ranks_kdtree_check(ctx, tree);
    bosc_status local_status = check_build(ctx, tree, points, n, stride, &input.rows);
    bi_progress_set_total(ctx, 80 * (double)input.rows.n);
    BI_RETURN_WITH_SCRATCH(ctx, build_staged(ctx, tree, &input, local_status));
}
