/* Steps that find and write the labels of components: the smallest vertex of each. parent[v] is a smaller vertex of
 * the same component, or v itself (base/union_find.h). */
#ifndef BI_FOREST_STEPS_LABELS_H
#define BI_FOREST_STEPS_LABELS_H

#include "forest/steps/rows.h"
#include "base/union_find.h"

/* out[i] = i: labels and numbers before any union. */
struct bi_msf_iota {
    uint32_t *out;
};

BI_FN void bi_step_msf_iota(const struct bi_msf_iota *a, int64_t i) { a->out[i] = (uint32_t)i; }

/* Items are tiles of arcs. Unites the ends of edges whose id is marked. */
struct bi_msf_join_marked {
    struct bi_msf_rows rows;
    const uint8_t *marks;
    uint32_t *parent;
};

BI_FN void bi_step_msf_join_marked(const struct bi_msf_join_marked *a, int64_t tile)
{
    struct bi_msf_walk w = bi_msf_walk_tile(&a->rows, tile);
    do {
        uint32_t v = a->rows.neighbours[w.arc];
        if (w.row < v && a->marks[bi_msf_arc_id(&a->rows, w.arc)]) bi_uf_union(a->parent, w.row, v);
    } while (bi_msf_walk_on(&a->rows, &w));
}

struct bi_msf_mark_ids {
    const void *ids;
    bool is_64bit;
    uint8_t *marks;
};

BI_FN void bi_step_msf_mark_ids(const struct bi_msf_mark_ids *a, int64_t i)
{
    a->marks[bi_word(a->ids, a->is_64bit, i)] = 1;
}

/* The smallest vertex of each tree, at its root, in a flat forest with arbitrary roots. */
struct bi_msf_smallest {
    const uint32_t *root;
    uint32_t *smallest;
};

BI_FN void bi_step_msf_smallest(const struct bi_msf_smallest *a, int64_t v)
{
    if ((uint32_t)v < bi_atomic_load_u32(&a->smallest[a->root[v]]))
        bi_atomic_min_u32(&a->smallest[a->root[v]], (uint32_t)v);
}

struct bi_msf_gather_labels {
    const uint32_t *root, *smallest;
    uint32_t *labels;
};

BI_FN void bi_step_msf_gather_labels(const struct bi_msf_gather_labels *a, int64_t v)
{
    a->labels[v] = a->smallest[a->root[v]];
}

/* Labels in the caller's words; all ones for a vertex excluded by the mask. */
struct bi_msf_write_labels {
    const uint32_t *labels;
    const uint8_t *mask;
    void *out;
    bool is_64bit;
};

BI_FN void bi_step_msf_write_labels(const struct bi_msf_write_labels *a, int64_t v)
{
    bi_set_word(a->out, a->is_64bit, v, a->mask && !a->mask[v] ? UINT64_MAX : a->labels[v]);
}

/* out[v] = 1 for vertices left by the mask, with labels only for the smallest of each component. */
struct bi_msf_mark_roots {
    const uint32_t *labels; /* NULL: every vertex counts */
    const uint8_t *mask;
    uint8_t *out;
};

BI_FN void bi_step_msf_mark_roots(const struct bi_msf_mark_roots *a, int64_t v)
{
    a->out[v] = (!a->mask || a->mask[v]) && (!a->labels || a->labels[v] == (uint32_t)v);
}

#endif
