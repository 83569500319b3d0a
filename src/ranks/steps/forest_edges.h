/* Steps on the edges that a rank contributes to a spanning forest, and on labels of vertices. */
#ifndef BI_RANKS_STEPS_FOREST_EDGES_H
#define BI_RANKS_STEPS_FOREST_EDGES_H

#include "base/bits.h"
#include "base/search.h"
#include "base/union_find.h"
#include "forest/steps/rows.h"

/* An edge without its weight. Its ends are vertices, or components in a round of Boruvka's. */
struct bi_ranks_edge {
    uint64_t id; /* among the entries of all ranks */
    uint32_t a, b;
};

/* hashes[v]: 0 for a vertex that stays, a hash of v for an excluded one. The sum identifies the mask. */
struct bi_ranks_forest_hash_mask {
    const uint8_t *mask;
    uint64_t *hashes;
};

BI_FN void bi_step_forest_hash_mask(const struct bi_ranks_forest_hash_mask *a, int64_t v)
{
    a->hashes[v] = a->mask[v] ? 0 : bi_mix_u64((uint64_t)v + 1);
}

/* Translates ids among a rank's entries to ids among those of all ranks. */
struct bi_ranks_forest_ids {
    const void *in;
    bool is_64bit;
    uint64_t first;
    uint64_t *out;
};

BI_FN void bi_step_forest_ids(const struct bi_ranks_forest_ids *a, int64_t i)
{
    a->out[i] = a->first + bi_word(a->in, a->is_64bit, i);
}

/* Membership of 64 successive ids in an ascending list, and the position of the first of them in it. */
struct bi_ranks_forest_word {
    uint64_t bits;
    int64_t position;
};

/* The index of a rank's entries: one such word for each 64. */
struct bi_ranks_forest_index_ids {
    const uint64_t *ids; /* ascending, repetitions allowed */
    int64_t count;
    uint64_t first;
    struct bi_ranks_forest_word *words; /* (entries / 64, rounded up) */
};

BI_FN void bi_step_forest_index_ids(const struct bi_ranks_forest_index_ids *a, int64_t w)
{
    const uint64_t begin = a->first + 64 * (uint64_t)w;
    int64_t at = bi_lower_bound_u64(a->ids, a->count, begin);
    a->words[w].position = at;
    a->words[w].bits = 0;
    for (; at < a->count && a->ids[at] - begin < 64; at++) a->words[w].bits |= (uint64_t)1 << (a->ids[at] - begin);
}

BI_FN bool bi_ranks_forest_contains(const struct bi_ranks_forest_word *words, uint64_t entry)
{
    return words[entry / 64].bits >> entry % 64 & 1;
}

/* Returns the position of an entry in the list, if no id is repeated. */
BI_FN int64_t bi_ranks_forest_position(const struct bi_ranks_forest_word *words, uint64_t entry)
{
    const struct bi_ranks_forest_word *w = &words[entry / 64];
    return w->position + bi_popcount(w->bits & (((uint64_t)1 << entry % 64) - 1));
}

/* Item: a chunk of arcs, long because each begins with a search for its row; the length is chosen. Fetches the ends
 * and the rank of
 * each listed edge that the options admit, at the position of its id. */
enum { BI_RANKS_FOREST_ARCS = 256 };

struct bi_ranks_forest_fetch_edges {
    struct bi_msf_rows rows;
    const struct bi_ranks_forest_word *words;
    const uint64_t *ids; /* ascending; of equal ids the first is filled */
    uint64_t first;
    struct bi_ranks_edge *edges;
    uint64_t *ranks;
    uint8_t *found;
};

BI_FN void bi_step_forest_fetch_edges(const struct bi_ranks_forest_fetch_edges *a, int64_t chunk)
{
    struct bi_msf_walk w = bi_msf_walk_from(&a->rows, chunk * BI_RANKS_FOREST_ARCS, BI_RANKS_FOREST_ARCS);
    do {
        uint32_t v = a->rows.neighbours[w.arc];
        if (v < w.row) continue;
        uint64_t entry = bi_msf_arc_id(&a->rows, w.arc);
        if (!bi_ranks_forest_contains(a->words, entry) || !bi_msf_arc_allowed(&a->rows, w.row, w.arc)) continue;
        int64_t at = bi_ranks_forest_position(a->words, entry);
        while (a->ids[at] < a->first + entry) at++; /* skips repeated ids */
        a->edges[at].id = a->first + entry;
        a->edges[at].a = w.row;
        a->edges[at].b = v;
        a->ranks[at] = bi_msf_arc_rank(&a->rows, w.arc);
        a->found[at] = 1;
    } while (bi_msf_walk_on(&a->rows, &w));
}

/* Item: a chunk of arcs. Collects edges in the order of rows: the listed ones, or, without a list, all that the
 * options admit. Keys are rank << 32 | entry where both fit; otherwise they are the ranks, with ids beside them. */
struct bi_ranks_forest_collect_edges {
    struct bi_msf_rows rows;
    const struct bi_ranks_forest_word *words; /* NULL: no list */
    uint64_t first;
    uint64_t *arc_bits;          /* by 64 arcs: a bit for each collected edge */
    int64_t *chunk_begins;       /* by chunk: number of edges, then their offset */
    uint64_t *keys, *ends, *ids; /* ends: a << 32 | b; ids: NULL if the keys contain them */
};

BI_FN void bi_step_forest_count_edges(const struct bi_ranks_forest_collect_edges *a, int64_t chunk)
{
    struct bi_msf_walk w = bi_msf_walk_from(&a->rows, chunk * BI_RANKS_FOREST_ARCS, BI_RANKS_FOREST_ARCS);
    uint64_t bits = 0;
    int64_t count = 0;
    bool more;
    do { /* with a list, no branch depends on the data */
        const uint64_t is_forward = a->rows.neighbours[w.arc] > w.row;
        const bool is_in = a->words ? bi_ranks_forest_contains(a->words, bi_msf_arc_id(&a->rows, w.arc))
                                    : bi_msf_arc_allowed(&a->rows, w.row, w.arc);
        bits |= (is_forward & is_in) << w.arc % 64;
        const int64_t at = w.arc;
        more = bi_msf_walk_on(&a->rows, &w);
        if (more && w.arc % 64) continue;
        a->arc_bits[at / 64] = bits;
        count += bi_popcount(bits);
        bits = 0;
    } while (more);
    a->chunk_begins[chunk] = count;
}

BI_FN void bi_step_forest_collect_edges(const struct bi_ranks_forest_collect_edges *a, int64_t chunk)
{
    struct bi_msf_walk w = bi_msf_walk_from(&a->rows, chunk * BI_RANKS_FOREST_ARCS, BI_RANKS_FOREST_ARCS);
    int64_t at = a->chunk_begins[chunk];
    for (int64_t k = w.arc / 64; k * 64 < w.end; k++)
        for (uint64_t bits = a->arc_bits[k]; bits; bits &= bits - 1) {
            bi_msf_walk_to(&a->rows, &w, k * 64 + bi_lowest_bit(bits));
            const uint64_t entry = bi_msf_arc_id(&a->rows, w.arc), rank = bi_msf_arc_rank(&a->rows, w.arc);
            a->keys[at] = a->ids ? rank : rank << 32 | entry;
            a->ends[at] = (uint64_t)w.row << 32 | a->rows.neighbours[w.arc];
            if (a->ids) a->ids[at] = a->first + entry;
            at++;
        }
}

/* ---- labels: `parent` points to smaller vertices of the same component, or to the vertex itself ---- */

/* Narrows labels to 32 bits. An excluded vertex becomes its own parent. */
struct bi_ranks_forest_parents {
    const void *labels;
    bool is_64bit;
    uint32_t *parent;
};

BI_FN void bi_step_forest_parents(const struct bi_ranks_forest_parents *a, int64_t v)
{
    uint32_t label = (uint32_t)bi_word(a->labels, a->is_64bit, v);
    a->parent[v] = label == BI_FOREST_NONE ? (uint32_t)v : label;
}

/* Unites each vertex with its label on another rank. */
struct bi_ranks_forest_union_labels {
    const uint32_t *labels;
    uint32_t *parent;
};

BI_FN void bi_step_forest_union_labels(const struct bi_ranks_forest_union_labels *a, int64_t v)
{
    if (a->labels[v] != (uint32_t)v) bi_uf_union(a->parent, (uint32_t)v, a->labels[v]);
}

/* Unites the ends of each edge. */
struct bi_ranks_forest_union_edges {
    const struct bi_ranks_edge *edges;
    uint32_t *parent;
};

BI_FN void bi_step_forest_union_edges(const struct bi_ranks_forest_union_edges *a, int64_t i)
{
    bi_uf_union(a->parent, a->edges[i].a, a->edges[i].b);
}

#endif
