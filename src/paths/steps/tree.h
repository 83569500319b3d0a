/* The steps of trees of shortest paths. While a tree is made, sources are their own predecessors. */
#ifndef BI_PATHS_STEPS_TREE_H
#define BI_PATHS_STEPS_TREE_H

#include "paths/steps/rows.h"

struct bi_paths_tree {
    struct bi_paths_rows rows;
    const uint64_t *distances;
    uint32_t *predecessors;
    const void *sources;
    bool sources_64bit;
    const uint64_t *hops; /* arcs of length 0 at the end of the path */
    uint64_t *edges;      /* ids */
    uint8_t *flags;
};

BI_FN void bi_step_paths_set_roots(const struct bi_paths_tree *a, int64_t i)
{
    const uint32_t s = (uint32_t)bi_word(a->sources, a->sources_64bit, i);
    bi_atomic_store_u32(&a->predecessors[s], s);
}

/* Proposes predecessors at smaller distances, by the arcs that attain a distance. */
BI_FN void bi_step_paths_propose(const struct bi_paths_tree *a, int64_t item)
{
    const struct bi_paths_rows *r = &a->rows;
    struct bi_paths_walk w = bi_paths_walk_item(r, item);
    while (bi_paths_walk_next(r, &w)) {
        const uint64_t from = a->distances[w.row], to = a->distances[r->neighbours[w.arc]];
        if (from < to && to < r->none && bi_paths_add(r, from, w.arc) == to)
            bi_atomic_min_u32(&a->predecessors[r->neighbours[w.arc]], w.row);
    }
}

/* A reached vertex without a predecessor is flat: only arcs of length 0 attain its distance. *count: flat vertices.
 * flags[v] = 1 for all other reached vertices: they have 0 hops; flat and unreached vertices have UINT64_MAX. */
struct bi_paths_flat {
    const uint64_t *distances;
    const uint32_t *predecessors;
    uint64_t none, *hops; /* hops, flags and count may be NULL */
    uint8_t *flags;
    uint64_t *count;
};

BI_FN void bi_step_paths_find_flat(const struct bi_paths_flat *a, int64_t v)
{
    const bool flat = a->distances[v] < a->none && a->predecessors[v] == BI_PATHS_NONE;
    if (a->hops) a->hops[v] = flat || a->distances[v] == a->none ? UINT64_MAX : 0;
    if (a->flags) a->flags[v] = !flat && a->distances[v] < a->none;
    if (flat && a->count) bi_atomic_fetch_add_u64(a->count, 1);
}

/* Proposes predecessors at the same distance: those with one hop less. */
BI_FN void bi_step_paths_propose_flat(const struct bi_paths_tree *a, int64_t item)
{
    const struct bi_paths_rows *r = &a->rows;
    struct bi_paths_walk w = bi_paths_walk_item(r, item);
    while (bi_paths_walk_next(r, &w)) {
        const uint32_t v = r->neighbours[w.arc];
        const uint64_t at = a->distances[v], hops = a->hops[w.row];
        if (hops == UINT64_MAX || hops + 1 != a->hops[v]) continue;
        if (a->distances[w.row] == at && bi_paths_add(r, at, w.arc) == at)
            bi_atomic_min_u32(&a->predecessors[v], w.row);
    }
}

/* edges[v] = the least id of the arcs from the predecessor that attain the distance. */
BI_FN void bi_step_paths_choose_edges(const struct bi_paths_tree *a, int64_t item)
{
    const struct bi_paths_rows *r = &a->rows;
    struct bi_paths_walk w = bi_paths_walk_item(r, item);
    while (bi_paths_walk_next(r, &w)) {
        const uint32_t v = r->neighbours[w.arc];
        if (a->predecessors[v] == w.row && v != w.row && bi_paths_add(r, a->distances[w.row], w.arc) == a->distances[v])
            bi_atomic_min_u64(&a->edges[v], bi_paths_edge_id(r, w.arc));
    }
}

/* Pointer jumping: above[v] becomes the vertex above it; *moved = 1 if that is another. Source: Wyllie (1979). */
struct bi_paths_jump {
    uint32_t *above;
    uint32_t *moved;
};

BI_FN void bi_step_paths_jump(const struct bi_paths_jump *a, int64_t v)
{
    const uint32_t up = bi_atomic_load_u32(&a->above[v]);
    if (up == BI_PATHS_NONE) return;
    const uint32_t next = bi_atomic_load_u32(&a->above[up]);
    if (next == up || next == BI_PATHS_NONE) return;
    bi_atomic_store_u32(&a->above[v], next);
    bi_atomic_store_u32(a->moved, 1);
}

/* Copies to the caller's arrays; any may be NULL. Roots have no predecessor. */
struct bi_paths_write {
    const uint32_t *predecessors, *roots;
    const uint64_t *ids;
    void *to, *nearest, *edges;
    bool is_64bit;
};

BI_FN void bi_step_paths_write(const struct bi_paths_write *a, int64_t v)
{
    const uint32_t p = a->predecessors ? a->predecessors[v] : BI_PATHS_NONE;
    if (a->to) bi_set_word(a->to, a->is_64bit, v, p == BI_PATHS_NONE || p == v ? UINT64_MAX : p);
    if (a->nearest) bi_set_word(a->nearest, a->is_64bit, v, a->roots[v] == BI_PATHS_NONE ? UINT64_MAX : a->roots[v]);
    if (a->edges) bi_set_word(a->edges, a->is_64bit, v, a->ids[v]);
}

/* Follows predecessors from the target: one item. A route of `length` vertices is filled from its end; without a route
 * (NULL) they are counted. A cycle and a predecessor out of range are faults: -1. */
struct bi_paths_follow {
    const void *predecessors;
    bool is_64bit;
    int64_t n, target, length;
    void *route;
    int64_t *result;
};

BI_FN void bi_step_paths_follow(const struct bi_paths_follow *a, int64_t i)
{
    const uint64_t none = a->is_64bit ? UINT64_MAX : UINT32_MAX;
    int64_t count = 0;
    uint64_t v = (uint64_t)a->target;
    (void)i;
    while (v != none && v < (uint64_t)a->n && count <= a->n) {
        count++;
        if (a->route) bi_set_word(a->route, a->is_64bit, a->length - count, v);
        if (a->route && count == a->length) break;
        v = bi_word(a->predecessors, a->is_64bit, (int64_t)v);
    }
    *a->result = a->route || (v == none && count <= a->n) ? count : -1;
}

#endif
