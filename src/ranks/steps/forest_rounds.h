/* Steps of Boruvka's rounds over ranks. Components are numbered from 0 in every round, vertices in the
 * first. A record of a component is its lightest edge: two words (rank and other component, id) where ranks have 32
 * bits, else three (rank, id, other component). "Rank" is that of a weight here (forest/forest.h). */
#ifndef BI_RANKS_STEPS_FOREST_ROUNDS_H
#define BI_RANKS_STEPS_FOREST_ROUNDS_H

#include "ranks/steps/forest_edges.h"

#define BI_RANKS_NO_EDGE UINT64_MAX /* the id of a component's record that has no edge */

BI_FN int bi_ranks_record_words(bool wide) { return wide ? 3 : 2; }
BI_FN uint64_t bi_ranks_record_rank(const uint64_t *r, bool wide) { return wide ? r[0] : r[0] >> 32; }
BI_FN uint32_t bi_ranks_record_other(const uint64_t *r, bool wide) { return (uint32_t)(wide ? r[2] : r[0]); }

/* Record number c. */
BI_FN const uint64_t *bi_ranks_record_at(const uint64_t *records, bool wide, int64_t c)
{
    return records + c * bi_ranks_record_words(wide);
}

/* A rank's edges in a round. */
struct bi_ranks_forest_edges {
    uint64_t *keys; /* rank << 32 | id - first; with ids: the ranks */
    uint64_t *ends; /* a << 32 | b */
    uint64_t *ids;  /* or NULL */
    uint64_t first;
};

/* The least key of the edges at each component; then the least id of those that have it. */
struct bi_ranks_forest_choose {
    struct bi_ranks_forest_edges edges;
    uint64_t *best, *best_id;
};

BI_FN void bi_ranks_forest_lower(uint64_t *to, uint64_t value)
{
    if (bi_atomic_load_u64(to) > value) bi_atomic_min_u64(to, value);
}

BI_FN void bi_step_forest_choose(const struct bi_ranks_forest_choose *a, int64_t i)
{
    const uint64_t ends = a->edges.ends[i], key = a->edges.keys[i];
    bi_ranks_forest_lower(&a->best[ends >> 32], key);
    bi_ranks_forest_lower(&a->best[(uint32_t)ends], key);
}

BI_FN void bi_step_forest_choose_id(const struct bi_ranks_forest_choose *a, int64_t i)
{
    const uint64_t ends = a->edges.ends[i], key = a->edges.keys[i], id = a->edges.ids[i];
    if (a->best[ends >> 32] == key) bi_ranks_forest_lower(&a->best_id[ends >> 32], id);
    if (a->best[(uint32_t)ends] == key) bi_ranks_forest_lower(&a->best_id[(uint32_t)ends], id);
}

/* The edges chosen become records of their components. */
struct bi_ranks_forest_record {
    struct bi_ranks_forest_edges edges;
    const uint64_t *best, *best_id;
    bool wide;
    uint64_t *records;
};

BI_FN void bi_ranks_forest_write(const struct bi_ranks_forest_record *a, int64_t i, uint32_t c, uint32_t other)
{
    const uint64_t key = a->edges.keys[i];
    const uint64_t id = a->edges.ids ? a->edges.ids[i] : a->edges.first + (uint32_t)key;
    const uint64_t rank = a->edges.ids ? key : key >> 32;
    uint64_t *r = a->records + (int64_t)c * bi_ranks_record_words(a->wide);
    if (a->best[c] != key || (a->edges.ids && a->best_id[c] != id)) return;
    r[0] = a->wide ? rank : rank << 32 | other;
    r[1] = id;
    if (a->wide) r[2] = other;
}

BI_FN void bi_step_forest_record(const struct bi_ranks_forest_record *a, int64_t i)
{
    const uint32_t u = (uint32_t)(a->edges.ends[i] >> 32), v = (uint32_t)a->edges.ends[i];
    bi_ranks_forest_write(a, i, u, v);
    bi_ranks_forest_write(a, i, v, u);
}

/* The lightest of the records that the ranks have for a component, written for each of them. */
struct bi_ranks_forest_least {
    const uint64_t *records; /* (rank_count, each) */
    int64_t each;
    int32_t rank_count;
    bool wide;
    uint64_t *out; /* (rank_count, each) */
};

BI_FN void bi_step_forest_least(const struct bi_ranks_forest_least *a, int64_t i)
{
    const uint64_t *least = bi_ranks_record_at(a->records, a->wide, i);
    for (int32_t k = 1; k < a->rank_count; k++) {
        const uint64_t *r = bi_ranks_record_at(a->records, a->wide, k * a->each + i);
        const uint64_t x = bi_ranks_record_rank(r, a->wide), y = bi_ranks_record_rank(least, a->wide);
        if (x < y || (x == y && r[1] < least[1])) least = r;
    }
    for (int32_t k = 0; k < a->rank_count; k++)
        for (int w = 0; w < bi_ranks_record_words(a->wide); w++)
            a->out[(k * a->each + i) * bi_ranks_record_words(a->wide) + w] = least[w];
}

/* Each component points to the one at the other end of its edge, but for one of each tree that becomes of them: of two
 * that have the same edge the smaller stays, and the larger lists the edge. One without an edge is a whole tree; or it
 * stays, where it may find one later (`unfinished`). */
struct bi_ranks_forest_link {
    const uint64_t *records;
    bool wide;
    uint32_t *parent;
    uint32_t *stays; /* 1 or 0 */
    uint8_t *listed;
    bool unfinished;
};

BI_FN void bi_step_forest_link(const struct bi_ranks_forest_link *a, int64_t c)
{
    const uint64_t *r = bi_ranks_record_at(a->records, a->wide, c);
    const bool has_edge = r[1] != BI_RANKS_NO_EDGE;
    const uint32_t other = has_edge ? bi_ranks_record_other(r, a->wide) : (uint32_t)c;
    const bool stays =
        has_edge ? c < other && bi_ranks_record_at(a->records, a->wide, other)[1] == r[1] : a->unfinished;
    a->parent[c] = stays ? (uint32_t)c : other;
    a->stays[c] = stays;
    a->listed[c] = has_edge && !stays;
}

/* The number that a component has in the next round. */
struct bi_ranks_forest_renumber {
    const uint64_t *records;
    bool wide;
    uint32_t *parent;
    const uint32_t *numbers; /* how many stay up to this one */
    uint32_t *next;          /* BI_FOREST_NONE for a whole tree */
    bool unfinished;         /* as when they were linked */
};

BI_FN void bi_step_forest_renumber(const struct bi_ranks_forest_renumber *a, int64_t c)
{
    const bool whole = !a->unfinished && bi_ranks_record_at(a->records, a->wide, c)[1] == BI_RANKS_NO_EDGE;
    a->next[c] = whole ? BI_FOREST_NONE : a->numbers[bi_uf_find(a->parent, (uint32_t)c)] - 1;
}

/* Ends of edges get the next round's numbers; edges within a component go. next NULL: ends stay. */
struct bi_ranks_forest_relabel {
    const uint32_t *next;
    uint64_t *ends;
    uint8_t *stays;
};

BI_FN void bi_step_forest_relabel(const struct bi_ranks_forest_relabel *a, int64_t i)
{
    uint64_t u = a->ends[i] >> 32, v = (uint32_t)a->ends[i];
    if (a->next) {
        u = a->next[u];
        v = a->next[v];
        a->ends[i] = u << 32 | v;
    }
    a->stays[i] = u != v;
}

/* ---- what the rounds have found: records of edges ---- */

/* Which places of a rank's list the edges found by all ranks have. */
struct bi_ranks_forest_own {
    const uint64_t *records;
    bool wide;
    const struct bi_ranks_forest_word *words;
    uint64_t first, entries;
    uint8_t *chosen;
};

BI_FN void bi_step_forest_own(const struct bi_ranks_forest_own *a, int64_t i)
{
    const uint64_t entry = bi_ranks_record_at(a->records, a->wide, i)[1] - a->first;
    if (entry < a->entries) a->chosen[bi_ranks_forest_place(a->words, entry)] = 1;
}

/* Ids, and weights' keys of the keys' size. */
struct bi_ranks_forest_list {
    struct bi_msf_order order;
    const uint64_t *records;
    bool wide, wide_keys; /* the records; the keys */
    uint64_t *ids;        /* may be NULL */
    void *keys;
};

BI_FN void bi_step_forest_list(const struct bi_ranks_forest_list *a, int64_t i)
{
    const uint64_t *r = bi_ranks_record_at(a->records, a->wide, i);
    if (a->ids) a->ids[i] = r[1];
    bi_set_word(a->keys, a->wide_keys, i, bi_msf_rank(&a->order, bi_ranks_record_rank(r, a->wide)));
}

/* ---- the tree of rounds: its leaves are the vertices ---- */

enum { BI_RANKS_FOREST_LEVELS = 34 /* each round at least halves the components, of less than 2^32 */ };

struct bi_ranks_forest_tree {
    int64_t begin[BI_RANKS_FOREST_LEVELS]; /* of each round's components */
    const uint32_t *next;
    uint32_t *smallest; /* by node: of a whole tree, the smallest vertex in it */
    uint32_t *labels;   /* by vertex */
};

/* The node of the whole tree that vertex v is in. */
BI_FN int64_t bi_ranks_forest_top(const struct bi_ranks_forest_tree *a, int64_t v)
{
    int64_t at = v;
    for (int level = 1; a->next[at] != BI_FOREST_NONE; level++) at = a->begin[level] + a->next[at];
    return at;
}

BI_FN void bi_step_forest_smallest(const struct bi_ranks_forest_tree *a, int64_t v)
{
    uint32_t *smallest = &a->smallest[bi_ranks_forest_top(a, v)];
    if ((uint32_t)v < bi_atomic_load_u32(smallest)) bi_atomic_min_u32(smallest, (uint32_t)v);
}

BI_FN void bi_step_forest_label(const struct bi_ranks_forest_tree *a, int64_t v)
{
    a->labels[v] = a->smallest[bi_ranks_forest_top(a, v)];
}

/* The round's nodes with the ranks of the edges on the way up: the rank of the edge that a component has, and its
 * number in the next round; none of both for a whole tree. */
struct bi_ranks_forest_grow {
    const uint64_t *records;
    bool wide;
    const uint32_t *next;
    uint64_t *nodes; /* rank << 32 | number */
};

BI_FN void bi_step_forest_grow(const struct bi_ranks_forest_grow *a, int64_t c)
{
    const uint64_t *r = bi_ranks_record_at(a->records, a->wide, c);
    if (r[1] == BI_RANKS_NO_EDGE)
        a->nodes[c] = UINT64_MAX;
    else
        a->nodes[c] = bi_ranks_record_rank(r, a->wide) << 32 | a->next[c];
}

#endif
