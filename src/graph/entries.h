/* The caller's entries: edges or arcs, with weights. */
#ifndef BI_GRAPH_ENTRIES_H
#define BI_GRAPH_ENTRIES_H

#include "graph/weight_keys.h"

/* In the backend's memory. */
struct bi_graph_entries {
    int64_t n, m;
    const void *u, *v;
    bool u_is_64bit, v_is_64bit; /* ids are 64-bit, else 32-bit */
    const void *weights;         /* NULL: all 1 */
    bosc_dtype dtype;
};

BI_FN uint64_t bi_graph_entry_weight(const struct bi_graph_entries *e, int64_t i)
{
    return e->weights ? bi_graph_weight_key(e->weights, e->dtype, i) : bi_graph_key_of_one(e->dtype);
}

#endif
