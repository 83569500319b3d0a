/* Builds the shard: its rows become a tree of this rank, and the boxes of all shards are gathered. */
#include "ranks/kdtree/kdtree.h"

bosc_status bi_ranks_kdtree_reserve_shard(bosc_ctx *ctx, bosc_ranks_kdtree *tree, int64_t n)
{
    tree->n = tree->nodes = tree->begin = tree->end = tree->row_begin = tree->input_count = 0;
    BI_TRY(bi_block_reserve(ctx, &tree->memory, &tree->ids, (size_t)n * sizeof(int64_t)));
    return bi_block_reserve(ctx, &tree->memory, &tree->parts, (size_t)n * sizeof(uint32_t));
}

bosc_status bi_ranks_kdtree_build_shard(bosc_ctx *ctx, bosc_ranks_kdtree *tree, bosc_status local_status,
                                        const void *rows, const struct bi_ranks_points *points, int64_t nodes)
{
    const struct bi_ranks_kdtree_partition partition = bi_ranks_kdtree_make_partition(nodes, tree->comm->rank_count);
    const struct bi_kdtree_range range = bi_ranks_kdtree_shard_range(&partition, tree->comm->rank);
    const int64_t count = range.end - range.begin;
    if (local_status == BOSC_OK) local_status = bosc_kdtree_build(ctx, tree->shard, rows, count, 0);
    BI_TRY(bi_ranks_kdtree_gather_boxes(ctx, tree, local_status, &partition, rows, count));
    tree->n = points->total;
    tree->nodes = nodes;
    tree->begin = range.begin;
    tree->end = range.end;
    tree->row_begin = points->first;
    tree->input_count = points->input_count;
    return BOSC_OK;
}
