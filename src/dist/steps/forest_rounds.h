/* Steps of Boruvka's rounds over ranks. Components are numbered from 0 in every round; each has a vertex that stands
 * for it. A record of a component is its lightest edge: two words (rank and other component, id) where ranks have 32
 * bits, else three (rank, id, other component). "Rank" is that of a weight here (forest/forest.h). */
#ifndef BI_DIST_STEPS_FOREST_ROUNDS_H
#define BI_DIST_STEPS_FOREST_ROUNDS_H

#include "dist/steps/forest_edges.h"

#define BI_DIST_NO_EDGE UINT64_MAX /* the id of a component's record that has no edge */

BI_FN int bi_dist_record_words(bool wide) { return wide ? 3 : 2; }
BI_FN uint64_t bi_dist_record_rank(const uint64_t *r, bool wide) { return wide ? r[0] : r[0] >> 32; }
BI_FN uint32_t bi_dist_record_other(const uint64_t *r, bool wide) { return (uint32_t)(wide ? r[2] : r[0]); }

/* Record number c. */
BI_FN const uint64_t *bi_dist_record_at(const uint64_t *records, bool wide, int64_t c)
{
    return records + c * bi_dist_record_words(wide);
}

/* The first of this rank's edges, which ascend by (rank, id), at each component. */
struct bi_dist_forest_choose {
    const struct bi_dist_edge *edges;
    uint32_t *best;
};

BI_FN void bi_step_forest_choose(const struct bi_dist_forest_choose *a, int64_t i)
{
    const struct bi_dist_edge *e = &a->edges[i];
    if (bi_atomic_load_u32(&a->best[e->a]) > (uint32_t)i) bi_atomic_min_u32(&a->best[e->a], (uint32_t)i);
    if (bi_atomic_load_u32(&a->best[e->b]) > (uint32_t)i) bi_atomic_min_u32(&a->best[e->b], (uint32_t)i);
}

/* Components' records, and records without an edge behind the last one. */
struct bi_dist_forest_record {
    const struct bi_dist_edge *edges;
    const uint64_t *ranks;
    const uint32_t *best;
    int64_t components;
    bool wide;
    uint64_t *records;
};

BI_FN void bi_step_forest_record(const struct bi_dist_forest_record *a, int64_t c)
{
    const int words = bi_dist_record_words(a->wide);
    uint64_t *r = a->records + c * words;
    const uint32_t at = c < a->components ? a->best[c] : BI_FOREST_NONE;
    if (at == BI_FOREST_NONE) {
        for (int k = 0; k < words; k++) r[k] = BI_DIST_NO_EDGE;
        return;
    }
    const struct bi_dist_edge *e = &a->edges[at];
    const uint32_t other = e->a == (uint32_t)c ? e->b : e->a;
    r[0] = a->wide ? a->ranks[at] : a->ranks[at] << 32 | other;
    r[1] = e->id;
    if (a->wide) r[2] = other;
}

/* The lightest of the records that the ranks have for a component, written for each of them. */
struct bi_dist_forest_least {
    const uint64_t *records; /* (rank_count, each) */
    int64_t each;
    int32_t rank_count;
    bool wide;
    uint64_t *out; /* (rank_count, each) */
};

BI_FN void bi_step_forest_least(const struct bi_dist_forest_least *a, int64_t i)
{
    const uint64_t *least = bi_dist_record_at(a->records, a->wide, i);
    for (int32_t k = 1; k < a->rank_count; k++) {
        const uint64_t *r = bi_dist_record_at(a->records, a->wide, k * a->each + i);
        const uint64_t x = bi_dist_record_rank(r, a->wide), y = bi_dist_record_rank(least, a->wide);
        if (x < y || (x == y && r[1] < least[1])) least = r;
    }
    for (int32_t k = 0; k < a->rank_count; k++)
        for (int w = 0; w < bi_dist_record_words(a->wide); w++)
            a->out[(k * a->each + i) * bi_dist_record_words(a->wide) + w] = least[w];
}

/* A component joins the one at the other end of its edge. Of two that have the same edge the smaller one lists it. */
struct bi_dist_forest_join {
    const uint64_t *records;
    bool wide;
    const uint32_t *vertex_of;
    uint32_t *parent;
    uint64_t *ranks, *ids; /* by component */
    uint8_t *listed;
};

BI_FN void bi_step_forest_join(const struct bi_dist_forest_join *a, int64_t c)
{
    const uint64_t *r = bi_dist_record_at(a->records, a->wide, c);
    a->listed[c] = 0;
    if (r[1] == BI_DIST_NO_EDGE) return;
    const uint32_t other = bi_dist_record_other(r, a->wide);
    a->ranks[c] = bi_dist_record_rank(r, a->wide);
    a->ids[c] = r[1];
    a->listed[c] = !(other < c && bi_dist_record_at(a->records, a->wide, other)[1] == r[1]);
    bi_uf_union(a->parent, a->vertex_of[c], a->vertex_of[other]);
}

/* The vertex of each component points to that of the component which it is in now. */
struct bi_dist_forest_compress {
    const uint32_t *vertex_of;
    uint32_t *parent;
};

BI_FN void bi_step_forest_compress(const struct bi_dist_forest_compress *a, int64_t c)
{
    bi_uf_compress(a->parent, a->vertex_of[c]);
}

/* Which vertices stand for the components of the next round: those without an edge are whole trees. */
struct bi_dist_forest_stay {
    const uint64_t *records;
    bool wide;
    const uint32_t *vertex_of, *parent;
    uint8_t *stays;
};

BI_FN void bi_step_forest_stay(const struct bi_dist_forest_stay *a, int64_t c)
{
    const uint32_t v = a->vertex_of[c];
    a->stays[c] = a->parent[v] == v && bi_dist_record_at(a->records, a->wide, c)[1] != BI_DIST_NO_EDGE;
}

struct bi_dist_forest_number {
    const uint32_t *vertex_of; /* in the next round */
    uint32_t *component_of;    /* by vertex */
};

BI_FN void bi_step_forest_number(const struct bi_dist_forest_number *a, int64_t c)
{
    a->component_of[a->vertex_of[c]] = (uint32_t)c;
}

/* How components of a round are numbered in the next one. */
struct bi_dist_forest_renaming {
    const uint32_t *vertex_of; /* in the round */
    const uint32_t *parent, *component_of;
};

BI_FN uint32_t bi_dist_forest_renamed(const struct bi_dist_forest_renaming *a, uint32_t c)
{
    return a->component_of[a->parent[a->vertex_of[c]]];
}

/* Ends of edges get the next round's numbers; edges within a component go. */
struct bi_dist_forest_relabel {
    struct bi_dist_forest_renaming renaming;
    struct bi_dist_edge *edges;
    uint8_t *stays;
};

BI_FN void bi_step_forest_relabel(const struct bi_dist_forest_relabel *a, int64_t i)
{
    struct bi_dist_edge *e = &a->edges[i];
    e->a = bi_dist_forest_renamed(&a->renaming, e->a);
    e->b = bi_dist_forest_renamed(&a->renaming, e->b);
    a->stays[i] = e->a != e->b;
}

/* The round's nodes of the tree of rounds: the rank of the edge that a component has, and its number in the next round;
 * none of both for a whole tree. */
struct bi_dist_forest_grow {
    struct bi_dist_forest_renaming renaming;
    const uint64_t *records;
    bool wide;
    uint64_t *nodes; /* rank << 32 | number */
};

BI_FN void bi_step_forest_grow(const struct bi_dist_forest_grow *a, int64_t c)
{
    const uint64_t *r = bi_dist_record_at(a->records, a->wide, c);
    if (r[1] == BI_DIST_NO_EDGE)
        a->nodes[c] = UINT64_MAX;
    else
        a->nodes[c] = bi_dist_record_rank(r, a->wide) << 32 | bi_dist_forest_renamed(&a->renaming, (uint32_t)c);
}

#endif
