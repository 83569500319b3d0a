/* A graph's rows as the steps of spanning forests read them. */
#ifndef BI_FOREST_STEPS_ROWS_H
#define BI_FOREST_STEPS_ROWS_H

#include "forest/forest.h"

struct bi_msf_rows {
    int64_t n, arcs;
    const void *offsets, *edge_ids; /* words of 64 bits if `wide`, else of 32 */
    const uint32_t *neighbours;
    const void *keys;
    bool wide, wide_keys;
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
    rows.wide = graph->wide;
    rows.wide_keys = bi_graph_has_wide_keys(graph->weight);
    rows.order = *order;
    return rows;
}

BI_FN uint64_t bi_msf_arc_id(const struct bi_msf_rows *r, int64_t place)
{
    return bi_word(r->edge_ids, r->wide, place);
}

BI_FN uint64_t bi_msf_arc_rank(const struct bi_msf_rows *r, int64_t place)
{
    return bi_msf_rank(&r->order, bi_word(r->keys, r->wide_keys, place));
}

/* The row that holds a place. */
BI_FN uint32_t bi_msf_row_at(const struct bi_msf_rows *r, int64_t place)
{
    int64_t low = 0, high = r->n; /* offsets[low] <= place < offsets[high] */
    while (high - low > 1) {
        int64_t mid = low + (high - low) / 2;
        if ((int64_t)bi_word(r->offsets, r->wide, mid) <= place)
            low = mid;
        else
            high = mid;
    }
    return (uint32_t)low;
}

/* Whether the options let the edge of row u at a place count, and whether it is there: no self loop, too. */
BI_FN bool bi_msf_counts(const struct bi_msf_rows *r, uint32_t u, int64_t place)
{
    const struct bi_msf_order *o = &r->order;
    if (bi_msf_arc_rank(r, place) > o->limit) return false;
    if (o->vertex_mask && !(o->vertex_mask[u] && o->vertex_mask[r->neighbours[place]])) return false;
    return !o->edge_mask || o->edge_mask[bi_msf_arc_id(r, place)];
}

BI_FN bool bi_msf_there(const struct bi_msf_rows *r, uint32_t u, int64_t place)
{
    return r->neighbours[place] != u && bi_msf_counts(r, u, place);
}

/* Items that go over all arcs take BI_MSF_ITEM_ARCS of them: one search for the first row, then a walk. */
enum { BI_MSF_ITEM_ARCS = 32 };

struct bi_msf_walk {
    int64_t place, end, row_end;
    uint32_t row;
};

/* From a place there is, over so many arcs or to the last one. */
BI_FN struct bi_msf_walk bi_msf_walk_from(const struct bi_msf_rows *r, int64_t place, int64_t arcs)
{
    struct bi_msf_walk w;
    w.place = place;
    w.end = place + arcs < r->arcs ? place + arcs : r->arcs;
    w.row = bi_msf_row_at(r, w.place);
    w.row_end = (int64_t)bi_word(r->offsets, r->wide, (int64_t)w.row + 1);
    return w;
}

BI_FN struct bi_msf_walk bi_msf_walk_tile(const struct bi_msf_rows *r, int64_t tile)
{
    return bi_msf_walk_from(r, tile * BI_MSF_ITEM_ARCS, BI_MSF_ITEM_ARCS);
}

/* Goes on to a place there is. */
BI_FN void bi_msf_walk_to(const struct bi_msf_rows *r, struct bi_msf_walk *w, int64_t place)
{
    w->place = place;
    while (place >= w->row_end) {
        w->row++;
        w->row_end = (int64_t)bi_word(r->offsets, r->wide, (int64_t)w->row + 1);
    }
}

/* Goes to the next place; false at the end of the tile. */
BI_FN bool bi_msf_walk_on(const struct bi_msf_rows *r, struct bi_msf_walk *w)
{
    if (w->place + 1 >= w->end) return false;
    bi_msf_walk_to(r, w, w->place + 1);
    return true;
}

#endif
