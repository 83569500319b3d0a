/* A caller's entries as spanning forests read them, and the step that joins their ends. */
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

/* Items `first` and on: the ends of each entry join. */
struct bi_msf_join_entries {
    struct bi_msf_entries entries;
    int64_t first;
    bool weighed; /* weights matter */
    uint32_t *parent;
};

BI_FN void bi_step_msf_join_entries(const struct bi_msf_join_entries *a, int64_t item)
{
    int64_t i = a->first + item;
    const struct bi_graph_entries *e = &a->entries.of;
    uint32_t u = (uint32_t)bi_word(e->u, e->wide_u, i), v = (uint32_t)bi_word(e->v, e->wide_v, i);
    uint64_t key = a->weighed ? bi_graph_entry_weight(e, i) : 0;
    if (bi_msf_entry_there(&a->entries, i, key, u, v)) bi_uf_union(a->parent, u, v);
}

#endif
