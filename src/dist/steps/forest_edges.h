/* Steps on the edges that a rank contributes to a spanning forest, and on labels of vertices. */
#ifndef BI_DIST_STEPS_FOREST_EDGES_H
#define BI_DIST_STEPS_FOREST_EDGES_H

#include "base/search.h"
#include "base/union_find.h"
#include "forest/steps/rows.h"

/* An edge on its own, without its weight. Ends are vertices, or components in a round of Boruvka's. */
struct bi_dist_edge {
    uint64_t id; /* over all ranks */
    uint32_t a, b;
};

/* Whether vertex v is left out goes into a sum that tells masks apart. */
struct bi_dist_forest_hash_mask {
    const uint8_t *mask;
    uint64_t *hashes;
};

BI_FN void bi_step_forest_hash_mask(const struct bi_dist_forest_hash_mask *a, int64_t v)
{
    a->hashes[v] = a->mask[v] ? 0 : bi_mix_u64((uint64_t)v + 1);
}

/* Ids among a rank's entries become those over all ranks. */
struct bi_dist_forest_ids {
    const void *in;
    bool wide;
    uint64_t first;
    uint64_t *out;
};

BI_FN void bi_step_forest_ids(const struct bi_dist_forest_ids *a, int64_t i)
{
    a->out[i] = a->first + bi_word(a->in, a->wide, i);
}

/* Of equal ids beside each other the first is marked, so that none is written twice at once. */
struct bi_dist_forest_mark {
    const uint64_t *ids;
    uint64_t first;
    uint8_t *marks;
};

BI_FN void bi_step_forest_mark(const struct bi_dist_forest_mark *a, int64_t i)
{
    if (i == 0 || a->ids[i] != a->ids[i - 1]) a->marks[a->ids[i] - a->first] = 1;
}

/* Tiles of arcs: ends and rank of each marked edge that the options let count, by the place of its id. */
struct bi_dist_forest_fetch {
    struct bi_msf_rows rows;
    const uint8_t *marks; /* by entry */
    const uint64_t *ids;  /* ascending; of equal ones the first is found */
    int64_t count;
    uint64_t first;
    struct bi_dist_edge *edges;
    uint64_t *ranks;
    uint8_t *found;
};

BI_FN void bi_step_forest_fetch(const struct bi_dist_forest_fetch *a, int64_t tile)
{
    struct bi_msf_walk w = bi_msf_walk_tile(&a->rows, tile);
    do {
        uint32_t v = a->rows.neighbours[w.place];
        if (v < w.row) continue;
        uint64_t entry = bi_msf_arc_id(&a->rows, w.place);
        if (!a->marks[entry] || !bi_msf_counts(&a->rows, w.row, w.place)) continue;
        int64_t at = bi_lower_bound_u64(a->ids, a->count, a->first + entry);
        a->edges[at].id = a->first + entry;
        a->edges[at].a = w.row;
        a->edges[at].b = v;
        a->ranks[at] = bi_msf_arc_rank(&a->rows, w.place);
        a->found[at] = 1;
    } while (bi_msf_walk_on(&a->rows, &w));
}

/* Ranks become weights' keys again, of the keys' size. */
struct bi_dist_forest_keys {
    struct bi_msf_order order;
    const uint64_t *ranks;
    bool wide;
    void *keys;
};

BI_FN void bi_step_forest_keys(const struct bi_dist_forest_keys *a, int64_t i)
{
    bi_set_word(a->keys, a->wide, i, bi_msf_rank(&a->order, a->ranks[i]));
}

/* ---- labels: `parent` points to smaller vertices of the same component, or to the vertex itself ---- */

/* Labels in words; a vertex that a mask leaves out is by itself. */
struct bi_dist_forest_parents {
    const void *labels;
    bool wide;
    uint32_t *parent;
};

BI_FN void bi_step_forest_parents(const struct bi_dist_forest_parents *a, int64_t v)
{
    uint32_t label = (uint32_t)bi_word(a->labels, a->wide, v);
    a->parent[v] = label == BI_FOREST_NONE ? (uint32_t)v : label;
}

/* A vertex and its label on another rank are in one component. */
struct bi_dist_forest_join_labels {
    const uint32_t *labels;
    uint32_t *parent;
};

BI_FN void bi_step_forest_join_labels(const struct bi_dist_forest_join_labels *a, int64_t v)
{
    if (a->labels[v] != (uint32_t)v) bi_uf_union(a->parent, (uint32_t)v, a->labels[v]);
}

struct bi_dist_forest_join_edges {
    const struct bi_dist_edge *edges;
    uint32_t *parent;
};

BI_FN void bi_step_forest_join_edges(const struct bi_dist_forest_join_edges *a, int64_t i)
{
    bi_uf_union(a->parent, a->edges[i].a, a->edges[i].b);
}

#endif
