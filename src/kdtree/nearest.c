#include "kdtree/nearest.h"

#include "core/call.h"
#include "kdtree/steps/steps.h"

bosc_status bi_kdtree_own_rows(bosc_ctx *ctx, const bosc_kdtree *tree, struct bi_kdtree_rows *rows)
{
    int32_t size = (int32_t)bosc_dtype_size(tree->opts.dtype), dim = tree->opts.dim;
    void *points, *ordered;
    uint32_t *ids, *where;
    BI_TRY(bi_scratch_of(ctx, tree->nodes * dim, (size_t)size, &ordered));
    BI_TRY(bi_scratch_of(ctx, tree->nodes * dim, (size_t)size, &points));
    BI_TRY(bi_scratch_of(ctx, tree->nodes, sizeof *ids, &ids));
    BI_TRY(bi_scratch_of(ctx, tree->nodes, sizeof *where, &where));
    BI_TRY(tree->ops->fetch(ctx, tree, points, ids));
    struct bi_kdtree_place_ids positions = {ids, 1, where};
    struct bi_kdtree_gather_rows gather = {{points, tree->nodes, dim}, dim, size, where, ordered};
    BI_TRY(tree->ops->steps->place_ids(ctx, tree->nodes, &positions));
    BI_TRY(tree->ops->steps->gather_rows(ctx, tree->nodes * dim, &gather));
    rows->data = ordered;
    return BOSC_OK;
}

bosc_status bi_kdtree_query_own_nodes(bosc_ctx *ctx, const bosc_kdtree *tree, const bosc_kdtree *searched,
                                      struct bi_kdtree_query *query)
{
    query->self = searched == tree && searched->ops->searches_self;
    return query->self ? BOSC_OK : bi_kdtree_own_rows(ctx, tree, &query->rows);
}

bosc_status bi_kdtree_nearest(bosc_ctx *ctx, const bosc_kdtree *tree, struct bi_kdtree_query *query)
{
    if (!query->self || tree->ops->searches_self) return tree->ops->knn(ctx, tree, query);
    if (tree->ops->supports_self_knn && tree->ops->supports_self_knn(tree, query->k))
        return tree->ops->knn_self(ctx, tree, query);
    BI_TRY(bi_kdtree_own_rows(ctx, tree, &query->rows));
    return tree->ops->knn(ctx, tree, query);
}
