/* HEURISTIC: all pairs, less those that pivots rule out. */
#include "cellgraph/drivers.h"

bosc_status bi_cellgraph_find_by_heuristic(bosc_ctx *ctx, const struct bi_cellgraph_view *view, int32_t pivots,
                                           const struct bi_cellgraph_edge_list *found)
{
    struct bi_cellgraph_heuristic all = {.view = *view, .found = *found, .pivots = pivots};
    if (all.pivots > view->count) all.pivots = (int32_t)view->count;
    BI_TRY(bi_scratch_of(ctx, view->count * all.pivots, 4, &all.distances));
    BI_TRY(BI_CELLGRAPH_STEP(ctx, cellgraph_pivot, view->count, &all));
    struct bi_parts p = bi_parts_of(ctx, (view->count + 1) / 2, 2 * (double)view->count);
    while (bi_next_part(ctx, &p)) {
        all.first = p.begin;
        BI_TRY(BI_CELLGRAPH_STEP(ctx, cellgraph_compare, p.end - p.begin, &all));
    }
    return p.status;
}
