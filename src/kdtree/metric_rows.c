/* Queries of the searches by any metric: rows of doubles, wrapped into the periodic box. */
#include "core/call.h"
#include "kdtree/metric.h"
#include "kdtree/steps/steps.h"

bosc_status bi_kdtree_place_rows(bosc_ctx *ctx, const bosc_kdtree *tree, const struct bi_kdtree_rows *rows,
                                 const struct bi_kdtree_metric *metric, const double **queries)
{
    const int32_t dim = tree->opts.dim;
    struct bi_kdtree_place_queries place = {*rows, tree->opts.dtype, dim, metric->periods, NULL};
    BI_TRY(bi_scratch_of(ctx, rows->n * dim, sizeof *place.to, &place.to));
    *queries = place.to;
    return tree->ops->steps->place_queries(ctx, rows->n * dim, &place);
}

bosc_status bi_kdtree_place_nodes(bosc_ctx *ctx, const bosc_kdtree *tree, const struct bi_kdtree_metric *metric,
                                  const double **queries, const uint32_t **numbers)
{
    const int32_t dim = tree->opts.dim;
    struct bi_kdtree_rows rows = {NULL, tree->nodes, dim};
    void *points;
    uint32_t *ids;
    BI_TRY(bi_scratch_of(ctx, tree->nodes * dim, bosc_dtype_size(tree->opts.dtype), &points));
    BI_TRY(bi_scratch_of(ctx, tree->nodes, sizeof *ids, &ids));
    BI_TRY(tree->ops->fetch(ctx, tree, points, ids));
    rows.data = points;
    *numbers = ids;
    return bi_kdtree_place_rows(ctx, tree, &rows, metric, queries);
}
