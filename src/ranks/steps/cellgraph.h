/* Steps of cell graphs over ranks: hashes that choose owners, groups of equal vectors, edges between ranks. */
#ifndef BI_RANKS_STEPS_CELLGRAPH_H
#define BI_RANKS_STEPS_CELLGRAPH_H

#include "base/atomic.h"
#include "base/bits.h"
#include "base/search.h"

/* hashes[i] = hash of the bits of vector i in `mask`, which applies to every word. The constant, 2^64 / the golden
 * ratio, lets words of 0 count. */
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

/* Groups of equal vectors on their owner. vertex_of[i]: group of vector i; representative_ids[v]: the first vector of
 * group v. */
struct bi_ranks_cellgraph_groups {
    const uint32_t *vertex_of, *representative_ids;
    const int64_t *counts; /* by vector: number of equal rows on its rank */
    uint64_t *group_sums;  /* by group: sum of counts; 0 at the start */
    int64_t *all_counts;   /* by vector: number of equal rows on all ranks */
    uint8_t *is_first;
};

BI_FN void bi_step_cellgraph_sum_groups(const struct bi_ranks_cellgraph_groups *a, int64_t i)
{
    bi_atomic_fetch_add_u64(&a->group_sums[a->vertex_of[i]], (uint64_t)a->counts[i]);
}

BI_FN void bi_step_cellgraph_write_answers(const struct bi_ranks_cellgraph_groups *a, int64_t i)
{
    const uint32_t v = a->vertex_of[i];
    a->all_counts[i] = (int64_t)a->group_sums[v];
    a->is_first[i] = a->representative_ids[v] == (uint32_t)i;
}

/* out[i] = in[index[i]], or in[via[index[i]]] if `via` is not NULL. */
struct bi_ranks_cellgraph_gather {
    const uint32_t *index, *via;
    const int64_t *in;
    int64_t *out;
};

BI_FN void bi_step_cellgraph_gather(const struct bi_ranks_cellgraph_gather *a, int64_t i)
{
    const uint32_t at = a->index[i];
    a->out[i] = a->in[a->via ? a->via[at] : at];
}

/* is_kept[e] = 1 if the ends of edge e differ in a letter of half `half`: the letters at even (0) or odd (1) positions
 * of their words. */
struct bi_ranks_cellgraph_in_half {
    const uint32_t *positions;
    int32_t per_word, half;
    uint8_t *is_kept;
};

BI_FN void bi_step_cellgraph_in_half(const struct bi_ranks_cellgraph_in_half *a, int64_t e)
{
    a->is_kept[e] = a->positions[e] % (uint32_t)a->per_word % 2 == (uint32_t)a->half;
}

/* Packs an edge for the rank that has the row of its lower end, the end of the smaller row. high_rows[e]: row of the
 * higher end over all ranks. low_rows[e]: row of the lower end on its rank, << 32 | the letter's position. */
struct bi_ranks_cellgraph_pack_edges {
    const uint64_t *edges; /* keys of ends among the gathered vectors */
    const uint32_t *positions;
    int32_t vertex_bits;
    const int64_t *rows;    /* by gathered vector: its representative's row */
    const int64_t *offsets; /* (ranks + 1): first row of each rank */
    int64_t ranks;
    uint32_t *owners;
    int64_t *high_rows;
    uint64_t *low_rows;
};

BI_FN void bi_step_cellgraph_pack_edges(const struct bi_ranks_cellgraph_pack_edges *a, int64_t e)
{
    const uint64_t low = a->edges[e] >> a->vertex_bits, high = a->edges[e] ^ low << a->vertex_bits;
    const int64_t row = a->rows[low], owner = bi_upper_bound_i64(a->offsets, a->ranks, row) - 1;
    a->owners[e] = (uint32_t)owner;
    a->high_rows[e] = a->rows[high];
    a->low_rows[e] = (uint64_t)(row - a->offsets[owner]) << 32 | a->positions[e];
}

/* Unpacks this rank's edges for the caller: pairs of 64 (`is_64bit`) or 32 bits, and positions; either may be NULL. */
struct bi_ranks_cellgraph_unpack_edges {
    const int64_t *high_rows;
    const uint64_t *low_rows;
    int64_t first_row;
    bool is_64bit;
    void *pairs;
    uint32_t *positions;
};

BI_FN void bi_step_cellgraph_unpack_edges(const struct bi_ranks_cellgraph_unpack_edges *a, int64_t e)
{
    if (a->positions) a->positions[e] = (uint32_t)a->low_rows[e];
    if (!a->pairs) return;
    bi_set_word(a->pairs, a->is_64bit, 2 * e, (a->low_rows[e] >> 32) + (uint64_t)a->first_row);
    bi_set_word(a->pairs, a->is_64bit, 2 * e + 1, (uint64_t)a->high_rows[e]);
}

/* owners[e] = the rank that has the row of edge e's higher end. */
struct bi_ranks_cellgraph_owner_of_high {
    const int64_t *high_rows, *offsets;
    int64_t ranks;
    uint32_t *owners;
};

BI_FN void bi_step_cellgraph_owner_of_high(const struct bi_ranks_cellgraph_owner_of_high *a, int64_t e)
{
    a->owners[e] = (uint32_t)(bi_upper_bound_i64(a->offsets, a->ranks, a->high_rows[e]) - 1);
}

/* vertices[i] = the vertex (32 bits) of row rows[i] of this rank, or of the lower end of edge i;
 * BI_RANKS_CELLGRAPH_NONE if the mask excludes it. */
#define BI_RANKS_CELLGRAPH_NONE UINT32_MAX

struct bi_ranks_cellgraph_end {
    const int64_t *rows;
    const uint64_t *low_rows;
    int64_t first_row, first_vertex;
    const int64_t *vertex_of;
    const uint8_t *mask; /* NULL: no vertex is excluded */
    uint32_t *vertices;
};

/* `row` is that of a representative, so its vertex is one of this rank's own. */
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
    a->vertices[i] = bi_ranks_cellgraph_vertex(a, (int64_t)(a->low_rows[i] >> 32));
}

/* Edges with an excluded end become self loops, which connect nothing. */
struct bi_ranks_cellgraph_drop_edges {
    uint32_t *low_vertices, *high_vertices;
};

BI_FN void bi_step_cellgraph_drop_edges(const struct bi_ranks_cellgraph_drop_edges *a, int64_t e)
{
    if (a->low_vertices[e] != BI_RANKS_CELLGRAPH_NONE && a->high_vertices[e] != BI_RANKS_CELLGRAPH_NONE) return;
    a->low_vertices[e] = a->high_vertices[e] = 0;
}

/* Excluded vertices get no label. */
struct bi_ranks_cellgraph_clear_label {
    const uint8_t *mask;
    bool is_64bit; /* labels have 64 bits */
    void *labels;
};

BI_FN void bi_step_cellgraph_clear_label(const struct bi_ranks_cellgraph_clear_label *a, int64_t v)
{
    if (!a->mask[v]) bi_set_word(a->labels, a->is_64bit, v, UINT64_MAX);
}

#endif
