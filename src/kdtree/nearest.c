#include "kdtree/nearest.h"

#include "core/call.h"
#include "kdtree/steps/steps.h"

bosc_status bi_kdtree_own_rows(bosc_ctx *ctx, const bosc_kdtree *tree, struct bi_kdtree_rows *rows)
{
    struct bi_kdtree_place_points place = {tree->ops->view(tree), NULL};
    BI_TRY(bi_scratch_of(ctx, tree->n * tree->opts.dim, bosc_dtype_size(tree->opts.dtype), &place.rows));
    rows->data = place.rows;
    return tree->ops->steps->place_points(ctx, tree->nodes, &place);
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
