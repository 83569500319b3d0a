/* The path that a search from two ends found. */
#ifndef BI_CELLGRAPH_STEPS_TRACE_H
#define BI_CELLGRAPH_STEPS_TRACE_H

#include "cellgraph/cellgraph.h"
#include "base/step.h"

/* Writes the part of the path from the junction to the source of a side. That of side 0 is written backwards, so
 * that the path is in order. */
BI_FN void bi_cellgraph_write_path(const struct bi_cellgraph_search *s, const struct bi_cellgraph_search_result *r,
                                   int side)
{
    uint32_t at = r->junction, to = r->depth[0];
    if (side == 0) s->path[to] = at;
    while (at != s->source[side]) {
        at = (uint32_t)s->level_parent[side][at];
        to = side == 0 ? to - 1 : to + 1;
        s->path[to] = at;
    }
}

#endif
