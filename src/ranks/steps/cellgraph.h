/* Steps of distributed cell graphs: hashes that name owners, equal vectors that met, edges on their way. */
#ifndef BI_RANKS_STEPS_CELLGRAPH_H
#define BI_RANKS_STEPS_CELLGRAPH_H

#include "base/atomic.h"
#include "base/bits.h"
#include "base/search.h"
#include "base/words.h"

/* hashes[i]: of the bits of vector i that are in `mask`, which is the same for each word. */
struct bi_ranks_cellgraph_hash {
    const uint64_t *vectors; /* (n x words) */
    int64_t words;
    uint64_t mask;
    uint64_t *hashes;
};

BI_FN void bi_step_cellgraph_hash(const struct bi_ranks_cellgraph_hash *a, int64_t i)
{
    uint64_t h = 0;
    for (int64_t s = 0; s < a->words; s++)
        h = bi_mix_u64(h + 0x9e3779b97f4a7c15ull + (a->vectors[i * a->words + s] & a->mask));
    a->hashes[i] = h;
}

/* out[i] = in[i] + more. */
struct bi_ranks_cellgraph_widen {
    const uint32_t *in;
    int64_t more;
    int64_t *out;
};

BI_FN void bi_step_cellgraph_widen(const struct bi_ranks_cellgraph_widen *a, int64_t i)
{
    a->out[i] = a->in[i] + a->more;
}

/* Vectors that met: vertex_of[i] is the number of vector i among the distinct ones, and firsts[v] the first vector that
 * is number v. */
struct bi_ranks_cellgraph_met {
    const uint32_t *vertex_of, *firsts;
    const int64_t *counts; /* of each vector: rows that are equal */
    uint64_t *sums;        /* of each distinct one; 0 before */
    int64_t *all_counts;   /* of each vector: rows of all ranks that are equal */
    uint8_t *is_first;
};

BI_FN void bi_step_cellgraph_sum(const struct bi_ranks_cellgraph_met *a, int64_t i)
{
    bi_atomic_fetch_add_u64(&a->sums[a->vertex_of[i]], (uint64_t)a->counts[i]);
}

BI_FN void bi_step_cellgraph_answer(const struct bi_ranks_cellgraph_met *a, int64_t i)
{
    const uint32_t v = a->vertex_of[i];
    a->all_counts[i] = (int64_t)a->sums[v];
    a->is_first[i] = a->firsts[v] == (uint32_t)i;
}

/* out[i] = in[index[i]], or, unless `then` is NULL, in[then[index[i]]]. */
struct bi_ranks_cellgraph_gather {
    const uint32_t *index, *then;
    const int64_t *in;
    int64_t *out;
};

BI_FN void bi_step_cellgraph_gather(const struct bi_ranks_cellgraph_gather *a, int64_t i)
{
    const uint32_t at = a->index[i];
    a->out[i] = a->in[a->then ? a->then[at] : at];
}

/* keep[e]: whether the letter in which the ends of edge e differ is in half `half` of the letters: 0, those at even
 * places of their words, or 1. */
struct bi_ranks_cellgraph_in_half {
    const uint32_t *positions;
    int32_t per_word, half;
    uint8_t *keep;
};

BI_FN void bi_step_cellgraph_in_half(const struct bi_ranks_cellgraph_in_half *a, int64_t e)
{
    a->keep[e] = a->positions[e] % (uint32_t)a->per_word % 2 == (uint32_t)a->half;
}

/* An edge goes to the rank that has the row of its lower end: highs[e] is the row of the higher one, and lows[e] that
 * of the lower one, counted on its rank, above 32 bits of the letter's number. */
struct bi_ranks_cellgraph_send_edge {
    const uint64_t *edges; /* keys of ends among the vectors that met */
    const uint32_t *positions;
    int32_t vertex_bits;
    const int64_t *rows;    /* of the vectors that met: their representatives */
    const int64_t *offsets; /* (ranks + 1) of rows of ranks */
    int64_t ranks;
    uint32_t *owners;
    int64_t *highs;
    uint64_t *lows;
};

BI_FN void bi_step_cellgraph_send_edge(const struct bi_ranks_cellgraph_send_edge *a, int64_t e)
{
    const uint64_t low = a->edges[e] >> a->vertex_bits, high = a->edges[e] ^ low << a->vertex_bits;
    const int64_t row = a->rows[low], owner = bi_upper_bound_i64(a->offsets, a->ranks, row) - 1;
    a->owners[e] = (uint32_t)owner;
    a->highs[e] = a->rows[high];
    a->lows[e] = (uint64_t)(row - a->offsets[owner]) << 32 | a->positions[e];
}

/* This rank's edges as callers have them: pairs, of 64 (`wide`) or 32 bits, and positions; either may be NULL. */
struct bi_ranks_cellgraph_pair {
    const int64_t *highs;
    const uint64_t *lows;
    int64_t first_row;
    bool wide;
    void *pairs;
    uint32_t *positions;
};

BI_FN void bi_step_cellgraph_pair(const struct bi_ranks_cellgraph_pair *a, int64_t e)
{
    if (a->positions) a->positions[e] = (uint32_t)a->lows[e];
    if (!a->pairs) return;
    bi_set_word(a->pairs, a->wide, 2 * e, (a->lows[e] >> 32) + (uint64_t)a->first_row);
    bi_set_word(a->pairs, a->wide, 2 * e + 1, (uint64_t)a->highs[e]);
}

/* Components: owners[e] is the rank that has the row of the higher end of edge e. */
struct bi_ranks_cellgraph_owner_of_high {
    const int64_t *highs, *offsets;
    int64_t ranks;
    uint32_t *owners;
};

BI_FN void bi_step_cellgraph_owner_of_high(const struct bi_ranks_cellgraph_owner_of_high *a, int64_t e)
{
    a->owners[e] = (uint32_t)(bi_upper_bound_i64(a->offsets, a->ranks, a->highs[e]) - 1);
}

/* vertices[i], of 32 bits: the vertex of row rows[i], which is this rank's, or of the lower end of edge i;
 * BI_RANKS_CELLGRAPH_NONE if it is not in the mask of this rank's vertices. */
#define BI_RANKS_CELLGRAPH_NONE UINT32_MAX

struct bi_ranks_cellgraph_end {
    const int64_t *rows;
    const uint64_t *lows;
    int64_t first_row, first_vertex;
    const int64_t *vertex_of;
    const uint8_t *mask; /* NULL: all */
    uint32_t *vertices;
};

BI_FN uint32_t bi_ranks_cellgraph_vertex(const struct bi_ranks_cellgraph_end *a, int64_t row)
{
    const int64_t v = a->vertex_of[row];
    return a->mask && !a->mask[v - a->first_vertex] ? BI_RANKS_CELLGRAPH_NONE : (uint32_t)v;
}

BI_FN void bi_step_cellgraph_high_end(const struct bi_ranks_cellgraph_end *a, int64_t i)
{
    a->vertices[i] = bi_ranks_cellgraph_vertex(a, a->rows[i] - a->first_row);
}

BI_FN void bi_step_cellgraph_low_end(const struct bi_ranks_cellgraph_end *a, int64_t i)
{
    a->vertices[i] = bi_ranks_cellgraph_vertex(a, (int64_t)(a->lows[i] >> 32));
}

/* Edges with an end that is not there become self loops, which join nothing. */
struct bi_ranks_cellgraph_drop {
    uint32_t *lows, *highs;
};

BI_FN void bi_step_cellgraph_drop(const struct bi_ranks_cellgraph_drop *a, int64_t e)
{
    if (a->lows[e] != BI_RANKS_CELLGRAPH_NONE && a->highs[e] != BI_RANKS_CELLGRAPH_NONE) return;
    a->lows[e] = a->highs[e] = 0;
}

/* Vertices that are not there have no label. */
struct bi_ranks_cellgraph_clear_label {
    const uint8_t *mask;
    bool wide; /* labels have 64 bits */
    void *labels;
};

BI_FN void bi_step_cellgraph_clear_label(const struct bi_ranks_cellgraph_clear_label *a, int64_t v)
{
    if (!a->mask[v]) bi_set_word(a->labels, a->wide, v, UINT64_MAX);
}

#endif
