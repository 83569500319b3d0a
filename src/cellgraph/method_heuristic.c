/* HEURISTIC: compares all pairs that pivots do not rule out. */
#include "cellgraph/drivers.h"

/* An item has a row from each end, so that all items have equally many pairs. */
static bosc_status compare_rows(bosc_ctx *ctx, struct bi_cellgraph_heuristic *all)
{
    struct bi_batches p = bi_batches_of(ctx, (all->view.count + 1) / 2, 2 * (double)all->view.count);
    while (bi_next_batch(ctx, &p)) {
        all->first = p.begin;
        BI_TRY(BI_CELLGRAPH_STEP(ctx, cellgraph_compare, p.end - p.begin, all));
    }
    return p.status;
}

bosc_status bi_cellgraph_find_by_heuristic(bosc_ctx *ctx, const struct bi_cellgraph_view *view,
                                           const bosc_cellgraph_opts *opts, const struct bi_cellgraph_edge_list *found)
{
    struct bi_cellgraph_heuristic all = {.view = *view,
                                         .found = *found,
                                         .pivots = opts->pivots,
                                         .published = opts->heuristic_search == BOSC_CELLGRAPH_HEURISTIC_PUBLISHED,
                                         .blocks = opts->blocks,
                                         .threads = opts->threads};
    if (opts->method == BOSC_CELLGRAPH_AUTO) all.pivots = all.published = 0;
    if (all.pivots > view->count) all.pivots = (int32_t)view->count;
    BI_TRY(bi_scratch_of(ctx, view->count * all.pivots, 4, &all.distances));
    BI_TRY(BI_CELLGRAPH_STEP(ctx, cellgraph_pivot_distances, view->count, &all));
    if (all.published && ctx->ops->cellgraph->compare_pairs) return ctx->ops->cellgraph->compare_pairs(ctx, &all);
    return compare_rows(ctx, &all);
}
