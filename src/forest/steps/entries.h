/* A caller's edge list as spanning forests read it. */
#ifndef BI_FOREST_STEPS_ENTRIES_H
#define BI_FOREST_STEPS_ENTRIES_H

#include "base/union_find.h"
#include "forest/forest.h"

struct bi_msf_entries {
    struct bi_graph_entries list;
    struct bi_msf_order order;
    bool drop_nan;
    const bosc_graph_opts *check_opts; /* in host memory: the options by which the entries must still be checked */
    bool refuse_nan;                   /* by these options a NaN weight is an error */
};

/* True if the options admit an entry with this key and these ends, and it is no self loop. */
BI_FN bool bi_msf_entry_is_edge(const struct bi_msf_entries *e, int64_t i, uint64_t key, uint32_t u, uint32_t v)
{
    const struct bi_msf_order *o = &e->order;
    if (u == v || bi_msf_rank(o, key) > o->limit || (e->drop_nan && bi_graph_is_nan_key(e->list.dtype, key)))
        return false;
    if (o->vertex_mask && !(o->vertex_mask[u] && o->vertex_mask[v])) return false;
    return !o->edge_mask || o->edge_mask[i];
}

#endif
