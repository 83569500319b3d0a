/* Steps that find the lightest pair across the cut of every edge of a rooted tree. The edge above a vertex leads to its
 * parent. Pairs have ranks, in their order. A pair covers the edges of the path between its points: it crosses the cuts
 * of these. */
#ifndef BI_FOREST_STEPS_REPLACEMENTS_H
#define BI_FOREST_STEPS_REPLACEMENTS_H

#include "base/atomic.h"
#include "base/bits.h"

enum { BI_EMST_LEVELS = 33 }; /* 2^32 edges from a vertex to the root at most */

struct bi_emst_cover {
    const uint64_t *arcs; /* of struct bi_rooted_tree */
    const uint32_t *up;
    int32_t level;                       /* of the step */
    uint32_t *ancestors[BI_EMST_LEVELS]; /* by level k and vertex: the vertex 2^k edges above, or the root */
    uint32_t *least[BI_EMST_LEVELS];     /* by level k and vertex: the least rank that covers the 2^k edges above */
    const uint32_t *depths;              /* edges to the root; in doublings: those of the level before */
    uint32_t *next_depths;
    const uint64_t *pairs; /* by rank */
    uint32_t *flag;        /* set if some vertex of a level is not below the root */
};

/* Items are vertices: level 0. */
BI_FN void bi_step_emst_set_parents(const struct bi_emst_cover *a, int64_t v)
{
    const uint32_t up = a->up[v];
    a->ancestors[0][v] = up == UINT32_MAX ? (uint32_t)v : (uint32_t)a->arcs[up];
    a->next_depths[v] = up != UINT32_MAX;
    if (a->ancestors[0][v] != 0) bi_atomic_or_u32(a->flag, 1);
}

/* Items are vertices: a further level from the one before. */
BI_FN void bi_step_emst_double_paths(const struct bi_emst_cover *a, int64_t v)
{
    const uint32_t half = a->ancestors[a->level - 1][v], top = a->ancestors[a->level - 1][half];
    a->ancestors[a->level][v] = top;
    a->next_depths[v] = a->depths[v] + a->depths[half];
    if (top != 0) bi_atomic_or_u32(a->flag, 1);
}

/* Returns the vertex `edges` edges above v. */
BI_FN uint32_t bi_emst_ascend_path(const struct bi_emst_cover *a, uint32_t v, uint32_t edges)
{
    for (int k = 0; edges; k++, edges >>= 1)
        if (edges & 1) v = a->ancestors[k][v];
    return v;
}

/* Covers `edges` edges above v by two runs of a power of two, which may overlap. */
BI_FN void bi_emst_cover_path(const struct bi_emst_cover *a, uint32_t v, uint32_t edges, uint32_t rank)
{
    if (edges == 0) return;
    const int k = bi_bit_length(edges) - 1;
    uint32_t *const first = &a->least[k][v];
    uint32_t *const second = &a->least[k][bi_emst_ascend_path(a, v, edges - (1u << k))];
    if (rank < bi_atomic_load_u32(first)) bi_atomic_min_u32(first, rank);
    if (rank < bi_atomic_load_u32(second)) bi_atomic_min_u32(second, rank);
}

/* Items are ranks. Covers the paths from both points up to their lowest common ancestor. */
BI_FN void bi_step_emst_cover_paths(const struct bi_emst_cover *a, int64_t rank)
{
    const uint32_t u = (uint32_t)(a->pairs[rank] >> 32), v = (uint32_t)a->pairs[rank], u_depth = a->depths[u],
                   v_depth = a->depths[v];
    /* 1. Ascend from both to the same depth, then to the children of the ancestor. */
    uint32_t x = bi_emst_ascend_path(a, u, u_depth > v_depth ? u_depth - v_depth : 0),
             y = bi_emst_ascend_path(a, v, v_depth > u_depth ? v_depth - u_depth : 0);
    for (int k = bi_bit_length(a->depths[x]) - 1; k >= 0 && x != y; k--) {
        if (a->ancestors[k][x] == a->ancestors[k][y]) continue;
        x = a->ancestors[k][x];
        y = a->ancestors[k][y];
    }
    /* 2. Cover. */
    const uint32_t top = a->depths[x] - (x != y);
    bi_emst_cover_path(a, u, u_depth - top, (uint32_t)rank);
    bi_emst_cover_path(a, v, v_depth - top, (uint32_t)rank);
}

/* Items are vertices. Moves the ranks of a level to both runs of the level below. */
BI_FN void bi_step_emst_split_runs(const struct bi_emst_cover *a, int64_t v)
{
    const uint32_t rank = a->least[a->level][v];
    if (rank == UINT32_MAX) return;
    bi_atomic_min_u32(&a->least[a->level - 1][v], rank);
    bi_atomic_min_u32(&a->least[a->level - 1][a->ancestors[a->level - 1][v]], rank);
}

/* The replacement of given edge i. */
struct bi_emst_replace {
    const void *given; /* the caller's edges */
    bool ids_64bit;
    const uint32_t *parents, *least; /* of level 0 */
    const uint64_t *pairs, *words;   /* by rank */
    uint64_t *found, *found_words;
};

BI_FN void bi_step_emst_replace(const struct bi_emst_replace *a, int64_t i)
{
    const uint32_t u = (uint32_t)bi_word(a->given, a->ids_64bit, 2 * i),
                   v = (uint32_t)bi_word(a->given, a->ids_64bit, 2 * i + 1),
                   rank = a->least[u != 0 && a->parents[u] == v ? u : v];
    a->found[i] = a->pairs[rank];
    a->found_words[i] = a->words[rank];
}

/* Items are vertices. *hub = the vertex of all edges, if there is one. */
struct bi_emst_find_hub {
    const uint32_t *first, *last;
    int64_t edges;
    uint32_t *hub;
};

BI_FN void bi_step_emst_find_hub(const struct bi_emst_find_hub *a, int64_t v)
{
    if ((int64_t)a->last[v] - a->first[v] + 1 == a->edges) bi_atomic_min_u32(a->hub, (uint32_t)v);
}

#endif
