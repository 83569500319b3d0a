/* A caller's entries as spanning forests read them. */
#ifndef BI_FOREST_STEPS_ENTRIES_H
#define BI_FOREST_STEPS_ENTRIES_H

#include "base/union_find.h"
#include "forest/forest.h"

struct bi_msf_entries {
    struct bi_graph_entries of;
    struct bi_msf_order order;
    bool drop_nan;
    const bosc_graph_opts *unchecked; /* of the host: by which they are to be checked yet */
    bool refuse_nan;                  /* by these a weight must not be NaN */
};

/* Whether the options let an entry with this key and these ends count, and whether it is no self loop. */
BI_FN bool bi_msf_entry_there(const struct bi_msf_entries *e, int64_t i, uint64_t key, uint32_t u, uint32_t v)
{
    const struct bi_msf_order *o = &e->order;
    if (u == v || bi_msf_rank(o, key) > o->limit || (e->drop_nan && bi_graph_is_nan_key(e->of.dtype, key)))
        return false;
    if (o->vertex_mask && !(o->vertex_mask[u] && o->vertex_mask[v])) return false;
    return !o->edge_mask || o->edge_mask[i];
}

#endif
