/* A graph's rows, or the caller's edge list, as the steps of spanning forests read them. The index of an arc in the
 * rows stands for the arc. */
#ifndef BI_FOREST_STEPS_ROWS_H
#define BI_FOREST_STEPS_ROWS_H

#include "base/union_find.h"
#include "forest/forest.h"

struct bi_msf_rows {
    int64_t n, arcs;
    const void *offsets, *edge_ids; /* 64-bit words if `is_64bit`, else 32-bit */
    const uint32_t *neighbours;
    const void *keys;
    bool is_64bit, keys_64bit;
    struct bi_msf_order order;
};

static inline struct bi_msf_rows bi_msf_rows_in(const struct bi_graph_view *graph, const struct bi_msf_order *order)
{
    struct bi_msf_rows rows;
    rows.n = graph->n;
    rows.arcs = graph->arcs;
    rows.offsets = graph->offsets;
    rows.edge_ids = graph->edge_ids;
    rows.neighbours = (const uint32_t *)graph->neighbours;
    rows.keys = graph->keys;
    rows.is_64bit = graph->is_64bit;
    rows.keys_64bit = bi_graph_has_64bit_keys(graph->weight);
    rows.order = *order;
    return rows;
}

BI_FN uint64_t bi_msf_arc_id(const struct bi_msf_rows *r, int64_t arc)
{
    return bi_word(r->edge_ids, r->is_64bit, arc);
}

BI_FN uint64_t bi_msf_arc_rank(const struct bi_msf_rows *r, int64_t arc)
{
    return bi_msf_rank(&r->order, bi_word(r->keys, r->keys_64bit, arc));
}

/* The row that contains an arc, by binary search. */
BI_FN uint32_t bi_msf_row_at(const struct bi_msf_rows *r, int64_t arc)
{
    int64_t low = 0, high = r->n; /* offsets[low] <= arc < offsets[high] */
    while (high - low > 1) {
        int64_t mid = low + (high - low) / 2;
        if ((int64_t)bi_word(r->offsets, r->is_64bit, mid) <= arc)
            low = mid;
        else
            high = mid;
    }
    return (uint32_t)low;
}

/* True if the limit and the masks admit the arc of row u; a self loop passes. */
BI_FN bool bi_msf_arc_allowed(const struct bi_msf_rows *r, uint32_t u, int64_t arc)
{
    const struct bi_msf_order *o = &r->order;
    if (bi_msf_arc_rank(r, arc) > o->limit) return false;
    if (o->vertex_mask && !(o->vertex_mask[u] && o->vertex_mask[r->neighbours[arc]])) return false;
    return !o->edge_mask || o->edge_mask[bi_msf_arc_id(r, arc)];
}

/* The same, and the arc is no self loop. */
BI_FN bool bi_msf_arc_is_edge(const struct bi_msf_rows *r, uint32_t u, int64_t arc)
{
    return r->neighbours[arc] != u && bi_msf_arc_allowed(r, u, arc);
}

/* Steps over all arcs process BI_MSF_ITEM_ARCS arcs an item: one search for the first row, then a walk. */
enum { BI_MSF_ITEM_ARCS = 32 };

struct bi_msf_walk {
    int64_t arc, end, row_end;
    uint32_t row;
};

/* Starts at an existing arc and covers `arcs` arcs, fewer at the end of the rows. */
BI_FN struct bi_msf_walk bi_msf_walk_from(const struct bi_msf_rows *r, int64_t arc, int64_t arcs)
{
    struct bi_msf_walk w;
    w.arc = arc;
    w.end = arc + arcs < r->arcs ? arc + arcs : r->arcs;
    w.row = bi_msf_row_at(r, w.arc);
    w.row_end = (int64_t)bi_word(r->offsets, r->is_64bit, (int64_t)w.row + 1);
    return w;
}

BI_FN struct bi_msf_walk bi_msf_walk_tile(const struct bi_msf_rows *r, int64_t tile)
{
    return bi_msf_walk_from(r, tile * BI_MSF_ITEM_ARCS, BI_MSF_ITEM_ARCS);
}

/* Advances to a later existing arc. */
BI_FN void bi_msf_walk_to(const struct bi_msf_rows *r, struct bi_msf_walk *w, int64_t arc)
{
    w->arc = arc;
    while (arc >= w->row_end) {
        w->row++;
        w->row_end = (int64_t)bi_word(r->offsets, r->is_64bit, (int64_t)w->row + 1);
    }
}

/* Advances to the next arc; false at the end of the tile. */
BI_FN bool bi_msf_walk_on(const struct bi_msf_rows *r, struct bi_msf_walk *w)
{
    if (w->arc + 1 >= w->end) return false;
    bi_msf_walk_to(r, w, w->arc + 1);
    return true;
}

/* ---- edge lists ---- */

/* An edge list, and all options that concern its entries. */
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
