/* The way that a search from two ends found. */
#ifndef BI_CELLGRAPH_STEPS_TRACE_H
#define BI_CELLGRAPH_STEPS_TRACE_H

#include "cellgraph/cellgraph.h"
#include "base/step.h"

/* The way from where the sides of a search met to the source of a side is written: to that of side 0 backwards, so that
 * the path is in order. */
BI_FN void bi_cellgraph_trace(const struct bi_cellgraph_search *s, const struct bi_cellgraph_searched *r, int side)
{
    uint32_t at = r->meeting, to = r->depth[0];
    if (side == 0) s->path[to] = at;
    while (at != s->source[side]) {
        at = (uint32_t)s->reach[side][at];
        to = side == 0 ? to - 1 : to + 1;
        s->path[to] = at;
    }
}

#endif
