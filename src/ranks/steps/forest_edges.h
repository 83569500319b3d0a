/* Steps on the edges that a rank contributes to a spanning forest, and on labels of vertices. */
#ifndef BI_RANKS_STEPS_FOREST_EDGES_H
#define BI_RANKS_STEPS_FOREST_EDGES_H

#include "base/bits.h"
#include "base/search.h"
#include "base/union_find.h"
#include "forest/steps/rows.h"

/* An edge on its own, without its weight. Ends are vertices, or components in a round of Boruvka's. */
struct bi_ranks_edge {
    uint64_t id; /* over all ranks */
    uint32_t a, b;
};

/* Whether vertex v is left out goes into a sum that tells masks apart. */
struct bi_ranks_forest_hash_mask {
    const uint8_t *mask;
    uint64_t *hashes;
};

BI_FN void bi_step_forest_hash_mask(const struct bi_ranks_forest_hash_mask *a, int64_t v)
{
    a->hashes[v] = a->mask[v] ? 0 : bi_mix_u64((uint64_t)v + 1);
}

/* Ids among a rank's entries become those over all ranks. */
struct bi_ranks_forest_ids {
    const void *in;
    bool wide;
    uint64_t first;
    uint64_t *out;
};

BI_FN void bi_step_forest_ids(const struct bi_ranks_forest_ids *a, int64_t i)
{
    a->out[i] = a->first + bi_word(a->in, a->wide, i);
}

/* Which of 64 successive ids are in an ascending list, and where the first of them stands. */
struct bi_ranks_forest_word {
    uint64_t bits;
    int64_t place;
};

/* The words of a rank's entries. */
struct bi_ranks_forest_index {
    const uint64_t *ids; /* ascending; ids may stand more than once */
    int64_t count;
    uint64_t first;
    struct bi_ranks_forest_word *words; /* (entries / 64, rounded up) */
};

BI_FN void bi_step_forest_index(const struct bi_ranks_forest_index *a, int64_t w)
{
    const uint64_t begin = a->first + 64 * (uint64_t)w;
    int64_t at = bi_lower_bound_u64(a->ids, a->count, begin);
    a->words[w].place = at;
    a->words[w].bits = 0;
    for (; at < a->count && a->ids[at] - begin < 64; at++) a->words[w].bits |= (uint64_t)1 << (a->ids[at] - begin);
}

BI_FN bool bi_ranks_forest_has(const struct bi_ranks_forest_word *words, uint64_t entry)
{
    return words[entry / 64].bits >> entry % 64 & 1;
}

/* Where an entry that is in the list stands first, if none stands twice. */
BI_FN int64_t bi_ranks_forest_place(const struct bi_ranks_forest_word *words, uint64_t entry)
{
    const struct bi_ranks_forest_word *w = &words[entry / 64];
    return w->place + bi_popcount(w->bits & (((uint64_t)1 << entry % 64) - 1));
}

/* Parts of the arcs, which are long, since each begins with a search for its row: ends and rank of each edge in the
 * list that the options let count, by the place of its id. */
enum { BI_RANKS_FOREST_ARCS = 256 };

struct bi_ranks_forest_fetch {
    struct bi_msf_rows rows;
    const struct bi_ranks_forest_word *words;
    const uint64_t *ids; /* ascending; of equal ones the first is found */
    uint64_t first;
    struct bi_ranks_edge *edges;
    uint64_t *ranks;
    uint8_t *found;
};

BI_FN void bi_step_forest_fetch(const struct bi_ranks_forest_fetch *a, int64_t part)
{
    struct bi_msf_walk w = bi_msf_walk_from(&a->rows, part * BI_RANKS_FOREST_ARCS, BI_RANKS_FOREST_ARCS);
    do {
        uint32_t v = a->rows.neighbours[w.place];
        if (v < w.row) continue;
        uint64_t entry = bi_msf_arc_id(&a->rows, w.place);
        if (!bi_ranks_forest_has(a->words, entry) || !bi_msf_counts(&a->rows, w.row, w.place)) continue;
        int64_t at = bi_ranks_forest_place(a->words, entry);
        while (a->ids[at] < a->first + entry) at++; /* ids before it stand more than once */
        a->edges[at].id = a->first + entry;
        a->edges[at].a = w.row;
        a->edges[at].b = v;
        a->ranks[at] = bi_msf_arc_rank(&a->rows, w.place);
        a->found[at] = 1;
    } while (bi_msf_walk_on(&a->rows, &w));
}

/* Parts of the arcs: the edges in a list of ids, of which every one is there, or without one all that the options let
 * count, go to another list in the order of rows.
 * Their keys are rank << 32 | entry where both fit, else the ranks, and ids go beside them. */
struct bi_ranks_forest_take {
    struct bi_msf_rows rows;
    const struct bi_ranks_forest_word *words; /* NULL: no list */
    uint64_t first;
    uint64_t *arcs;              /* by 64 arcs: which of them are of such edges */
    int64_t *begins;             /* by part: how many there are; then where they go */
    uint64_t *keys, *ends, *ids; /* ends: a << 32 | b; ids: NULL where they are in the keys */
};

BI_FN void bi_step_forest_count(const struct bi_ranks_forest_take *a, int64_t part)
{
    struct bi_msf_walk w = bi_msf_walk_from(&a->rows, part * BI_RANKS_FOREST_ARCS, BI_RANKS_FOREST_ARCS);
    uint64_t bits = 0;
    int64_t count = 0;
    bool more;
    do { /* without a branch that depends on chance, where there is a list */
        const uint64_t is_forward = a->rows.neighbours[w.place] > w.row;
        const bool is_in = a->words ? bi_ranks_forest_has(a->words, bi_msf_arc_id(&a->rows, w.place))
                                    : bi_msf_counts(&a->rows, w.row, w.place);
        bits |= (is_forward & is_in) << w.place % 64;
        const int64_t at = w.place;
        more = bi_msf_walk_on(&a->rows, &w);
        if (more && w.place % 64) continue;
        a->arcs[at / 64] = bits;
        count += bi_popcount(bits);
        bits = 0;
    } while (more);
    a->begins[part] = count;
}

BI_FN void bi_step_forest_take(const struct bi_ranks_forest_take *a, int64_t part)
{
    struct bi_msf_walk w = bi_msf_walk_from(&a->rows, part * BI_RANKS_FOREST_ARCS, BI_RANKS_FOREST_ARCS);
    int64_t at = a->begins[part];
    for (int64_t k = w.place / 64; k * 64 < w.end; k++)
        for (uint64_t bits = a->arcs[k]; bits; bits &= bits - 1) {
            bi_msf_walk_to(&a->rows, &w, k * 64 + bi_lowest_bit(bits));
            const uint64_t entry = bi_msf_arc_id(&a->rows, w.place), rank = bi_msf_arc_rank(&a->rows, w.place);
            a->keys[at] = a->ids ? rank : rank << 32 | entry;
            a->ends[at] = (uint64_t)w.row << 32 | a->rows.neighbours[w.place];
            if (a->ids) a->ids[at] = a->first + entry;
            at++;
        }
}

/* ---- labels: `parent` points to smaller vertices of the same component, or to the vertex itself ---- */

/* Labels in words; a vertex that a mask leaves out is by itself. */
struct bi_ranks_forest_parents {
    const void *labels;
    bool wide;
    uint32_t *parent;
};

BI_FN void bi_step_forest_parents(const struct bi_ranks_forest_parents *a, int64_t v)
{
    uint32_t label = (uint32_t)bi_word(a->labels, a->wide, v);
    a->parent[v] = label == BI_FOREST_NONE ? (uint32_t)v : label;
}

/* A vertex and its label on another rank are in one component. */
struct bi_ranks_forest_join_labels {
    const uint32_t *labels;
    uint32_t *parent;
};

BI_FN void bi_step_forest_join_labels(const struct bi_ranks_forest_join_labels *a, int64_t v)
{
    if (a->labels[v] != (uint32_t)v) bi_uf_union(a->parent, (uint32_t)v, a->labels[v]);
}

struct bi_ranks_forest_join_edges {
    const struct bi_ranks_edge *edges;
    uint32_t *parent;
};

BI_FN void bi_step_forest_join_edges(const struct bi_ranks_forest_join_edges *a, int64_t i)
{
    bi_uf_union(a->parent, a->edges[i].a, a->edges[i].b);
}

#endif
