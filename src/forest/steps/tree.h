/* Steps of tours along a given spanning tree. */
#ifndef BI_FOREST_STEPS_TREE_H
#define BI_FOREST_STEPS_TREE_H

#include "base/atomic.h"
#include "forest/steps/results.h"

/* Arcs: both of each pair, sorted by (from, to). An arc's position is its index in this order; its twin is the opposite
 * arc. */

/* Writes arcs 2 i and 2 i + 1 of pair i, as from << 32 | to. *bad = the first pair that does not name two vertices. */
struct bi_tour_arcs {
    const void *pairs;
    bool is_64bit;
    int64_t n;
    uint64_t *ends;
    uint32_t *arcs;
    int64_t *bad;
};

BI_FN void bi_step_tour_arcs(const struct bi_tour_arcs *a, int64_t i)
{
    uint64_t u = bi_word(a->pairs, a->is_64bit, 2 * i), v = bi_word(a->pairs, a->is_64bit, 2 * i + 1);
    if (u == v || u >= (uint64_t)a->n || v >= (uint64_t)a->n) bi_atomic_min_i64(a->bad, i);
    a->ends[2 * i] = u << 32 | (v & UINT32_MAX);
    a->ends[2 * i + 1] = v << 32 | (u & UINT32_MAX);
    a->arcs[2 * i] = (uint32_t)(2 * i);
    a->arcs[2 * i + 1] = (uint32_t)(2 * i + 1);
}

/* Unites the ends of each arc. */
struct bi_tour_join_ends {
    const uint64_t *ends;
    uint32_t *parent;
};

BI_FN void bi_step_tour_join_ends(const struct bi_tour_join_ends *a, int64_t i)
{
    bi_uf_union(a->parent, (uint32_t)(a->ends[i] >> 32), (uint32_t)a->ends[i]);
}

/* The first and last position of each vertex's row, and the position of each arc. */
struct bi_tour_rows {
    const uint64_t *ends;
    const uint32_t *arcs;
    int64_t count;
    uint32_t *first, *last, *position_of;
};

BI_FN void bi_step_tour_rows(const struct bi_tour_rows *a, int64_t p)
{
    uint32_t from = (uint32_t)(a->ends[p] >> 32);
    if (p == 0 || (uint32_t)(a->ends[p - 1] >> 32) != from) a->first[from] = (uint32_t)p;
    if (p + 1 == a->count || (uint32_t)(a->ends[p + 1] >> 32) != from) a->last[from] = (uint32_t)p;
    a->position_of[a->arcs[p]] = (uint32_t)p;
}

/* The Euler walk: it leaves a vertex by the arc after the twin of the arriving arc, cyclically. It begins at position
 * 0; the last arc is its own successor. `hops` counts the arcs to the end. */
struct bi_tour_link {
    const uint64_t *ends;
    const uint32_t *arcs, *position_of, *first, *last;
    uint32_t *twin, *next, *hops;
};

BI_FN void bi_step_tour_link(const struct bi_tour_link *a, int64_t p)
{
    uint32_t twin = a->position_of[a->arcs[p] ^ 1], to = (uint32_t)a->ends[p];
    uint32_t next = twin == a->last[to] ? a->first[to] : twin + 1;
    a->twin[p] = twin;
    a->next[p] = next == 0 ? (uint32_t)p : next;
    a->hops[p] = next != 0;
}

/* One step of list ranking. Source: Wyllie, The Complexity of Parallel Computations (1979). */
struct bi_tour_jump {
    const uint32_t *next, *hops;
    uint32_t *next_out, *hops_out;
};

BI_FN void bi_step_tour_jump(const struct bi_tour_jump *a, int64_t p)
{
    uint32_t next = a->next[p];
    a->next_out[p] = a->next[next];
    a->hops_out[p] = a->hops[p] + a->hops[next];
}

/* The arc to a vertex's parent comes after its twin in the walk. */
struct bi_tour_parents {
    const uint64_t *ends;
    const uint32_t *twin, *hops;
    uint32_t *up;
};

BI_FN void bi_step_tour_parents(const struct bi_tour_parents *a, int64_t p)
{
    if (a->hops[p] < a->hops[a->twin[p]]) a->up[a->ends[p] >> 32] = (uint32_t)p;
}

/* The walk again: each row from its first arc, the arc to the parent last. */
struct bi_tour_order {
    const uint64_t *ends;
    const uint32_t *twin, *first, *last, *up;
    uint32_t *next, *hops;
};

BI_FN void bi_step_tour_order(const struct bi_tour_order *a, int64_t p)
{
    uint32_t to = (uint32_t)a->ends[p], up = a->up[to], twin = a->twin[p];
    uint32_t next = twin == up ? a->first[to] : twin + 1; /* down to a new vertex, or back to it */
    if (next == up) next++;
    if (next > a->last[to]) next = up;
    a->next[p] = next == BI_FOREST_NONE ? (uint32_t)p : next;
    a->hops[p] = next != BI_FOREST_NONE;
}

/* Vertices in depth-first order: keep marks the arcs that lead to a vertex for the first time. */
struct bi_tour_visit {
    const uint64_t *ends;
    const uint32_t *twin, *up, *hops;
    int64_t count;
    uint32_t *vertex;
    uint8_t *keep;
};

BI_FN void bi_step_tour_visit(const struct bi_tour_visit *a, int64_t p)
{
    uint32_t to = (uint32_t)a->ends[p];
    int64_t turn = a->count - 1 - (int64_t)a->hops[p];
    a->vertex[turn] = to;
    a->keep[turn] = a->twin[p] == a->up[to];
}

#endif
