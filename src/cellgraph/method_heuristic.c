/* HEURISTIC: all pairs, less those that pivots rule out. */
#include "cellgraph/drivers.h"

bosc_status bi_cell_compare_all(bosc_ctx *ctx, const struct bi_cell_view *view, int32_t pivots,
                                const struct bi_cell_found *found)
{
    struct bi_cell_all all = {.view = *view, .found = *found, .pivots = pivots};
    if (all.pivots > view->count) all.pivots = (int32_t)view->count;
    BI_TRY(bi_scratch_of(ctx, view->count * all.pivots, 4, &all.distances));
    BI_TRY(BI_CELL_STEP(ctx, cell_pivot, view->count, &all));
    return BI_CELL_STEP(ctx, cell_compare, (view->count + 1) / 2, &all);
}
