/* The entries that a caller gives: edges, or arcs, with weights. */
#ifndef BI_GRAPH_ENTRIES_H
#define BI_GRAPH_ENTRIES_H

#include "graph/weight_keys.h"

/* In reach of the backend. */
struct bi_graph_entries {
    int64_t n, m;
    const void *u, *v;
    bool wide_u, wide_v; /* 64 bits */
    const void *weights; /* NULL: all 1 */
    bosc_dtype dtype;
};

BI_FN uint64_t bi_graph_entry_weight(const struct bi_graph_entries *e, int64_t i)
{
    return e->weights ? bi_graph_weight_key(e->weights, e->dtype, i) : bi_graph_key_of_one(e->dtype);
}

#endif
