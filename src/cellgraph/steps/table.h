/* TABLE: a table of all words of a few bits, in which rows and neighbours are found by their words. Words form groups
 * of 32, with a bit for each word and the number of vertices before the group. Source of ranks in a bit vector:
 * Jacobson, Space-efficient Static Trees and Graphs (1989). */
#ifndef BI_CELLGRAPH_STEPS_TABLE_H
#define BI_CELLGRAPH_STEPS_TABLE_H

#include "cellgraph/steps/vectors.h"

enum {
    BI_CELLGRAPH_GROUP_BITS = 5,   /* of a word in its group */
    BI_CELLGRAPH_POSITION_BITS = 5 /* of a position: words have at most BOSC_CELLGRAPH_TABLE_BITS letters */
};

BI_FN int64_t bi_cellgraph_group_count(int32_t bits)
{
    return bits > BI_CELLGRAPH_GROUP_BITS ? (int64_t)1 << (bits - BI_CELLGRAPH_GROUP_BITS) : 1;
}

/* Neighbours of a word, present or not. */
BI_FN int32_t bi_cellgraph_neighbour_count(const struct bi_letters *s)
{
    return s->length * ((1 << s->letter_bits) - 1);
}

/* The word of row i. */
BI_FN uint32_t bi_cellgraph_word(const struct bi_cellgraph_table *t, int64_t i)
{
    return (uint32_t)(t->rows.data[i * t->rows.stride] & t->shape.last_mask);
}

BI_FN bool bi_cellgraph_is_present(uint64_t group, uint32_t x) { return (uint32_t)group >> (x & 31) & 1; }

/* The number of present words before word x of a group. */
BI_FN uint32_t bi_cellgraph_rank(uint64_t group, uint32_t x)
{
    return (uint32_t)(group >> 32) + (uint32_t)bi_popcount((uint32_t)group & ((1u << (x & 31)) - 1));
}

/* ---- the table ---- */

/* Loads the words of the rows of an item: BI_CELLGRAPH_AT_ONCE, a quarter of all rows apart, so that memory accesses of
 * a step overlap. Words of rows beyond the last are that of the first one. Measured on an H200 with one row an item,
 * 4 M rows: 0.10 ms to mark them. Other numbers are not measured. */
BI_FN void bi_cellgraph_load_words(const struct bi_cellgraph_table *t, int64_t item,
                                   uint32_t words[BI_CELLGRAPH_AT_ONCE])
{
    const int64_t apart = bi_cellgraph_items(t->rows.n);
    BI_CELLGRAPH_UNROLL
    for (int32_t k = 0; k < BI_CELLGRAPH_AT_ONCE; k++) {
        const int64_t i = item + k * apart;
        words[k] = bi_cellgraph_word(t, i < t->rows.n ? i : item);
    }
}

BI_FN void bi_step_cellgraph_mark_word(const struct bi_cellgraph_table *t, int64_t item)
{
    uint32_t words[BI_CELLGRAPH_AT_ONCE];
    bi_cellgraph_load_words(t, item, words);
    BI_CELLGRAPH_UNROLL
    for (int32_t k = 0; k < BI_CELLGRAPH_AT_ONCE; k++)
        bi_atomic_or_u32(&t->present[words[k] >> BI_CELLGRAPH_GROUP_BITS], 1u << (words[k] & 31));
}

BI_FN void bi_step_cellgraph_count_group(const struct bi_cellgraph_table *t, int64_t g)
{
    t->ranks[g] = (uint32_t)bi_popcount(t->present[g]);
}

/* Joins the bits and the rank of a group, and lists its words. */
BI_FN void bi_step_cellgraph_list_words(const struct bi_cellgraph_table *t, int64_t g)
{
    uint32_t *to = t->words + t->ranks[g];
    t->groups[g] = (uint64_t)t->ranks[g] << 32 | t->present[g];
    for (uint32_t left = t->present[g]; left; left &= left - 1)
        *to++ = (uint32_t)g << BI_CELLGRAPH_GROUP_BITS | (uint32_t)bi_lowest_bit(left);
}

/* Finds the ranks of rows, and updates the first row of each. */
BI_FN void bi_step_cellgraph_first_row(const struct bi_cellgraph_table *t, int64_t item)
{
    const int64_t apart = bi_cellgraph_items(t->rows.n);
    uint32_t words[BI_CELLGRAPH_AT_ONCE], ranks[BI_CELLGRAPH_AT_ONCE], first[BI_CELLGRAPH_AT_ONCE];
    /* 1. Words, ranks and the first rows so far; the loads of all rows overlap. */
    bi_cellgraph_load_words(t, item, words);
    BI_CELLGRAPH_UNROLL
    for (int32_t k = 0; k < BI_CELLGRAPH_AT_ONCE; k++)
        ranks[k] = bi_cellgraph_rank(t->groups[words[k] >> BI_CELLGRAPH_GROUP_BITS], words[k]);
    BI_CELLGRAPH_UNROLL
    for (int32_t k = 0; k < BI_CELLGRAPH_AT_ONCE; k++) first[k] = bi_atomic_load_u32(&t->first[ranks[k]]);
    /* 2. Write the ranks, and reduce the first rows. */
    BI_CELLGRAPH_UNROLL
    for (int32_t k = 0; k < BI_CELLGRAPH_AT_ONCE; k++) {
        const int64_t i = item + k * apart;
        if (i >= t->rows.n) break;
        t->slots[i] = ranks[k];
        if (first[k] > (uint32_t)i + 1) bi_atomic_min_u32(&t->first[ranks[k]], (uint32_t)i + 1);
    }
}

/* The vertices of a graph and their table. */
struct bi_cellgraph_table_vertices {
    struct bi_cellgraph_table table;
    const uint64_t *vectors; /* a word each */
};

BI_FN void bi_step_cellgraph_table_id(const struct bi_cellgraph_table_vertices *a, int64_t v)
{
    const uint32_t x = (uint32_t)a->vectors[v];
    a->table.ids[bi_cellgraph_rank(a->table.groups[x >> BI_CELLGRAPH_GROUP_BITS], x)] = (uint32_t)v;
}

#endif
