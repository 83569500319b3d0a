/* The higher neighbours of the vertices of a table, in the order of words, so that the neighbours of consecutive
 * vertices are near each other in memory. */
#include "cellgraph/cpu/table_edges.h"
#include "cellgraph/steps/steps.h"

enum { MOST_NEIGHBOURS = 3 * 255 }; /* letters of 8 bits: the most within BOSC_CELLGRAPH_TABLE_BITS */

/* Writes the higher neighbours of vertex v with word x, and in the low half their positions; returns their number.
 * Without a branch for each: which words are present is hard to predict. */
static uint32_t find_neighbours(const struct bi_cellgraph_table *t, uint32_t x, uint32_t v,
                                uint64_t *restrict neighbours)
{
    const uint64_t *restrict groups = t->groups;
    const uint32_t *restrict ids = t->ids;
    const int32_t letter_bits = t->shape.letter_bits, bits = t->bits;
    uint32_t count = 0, k = 0;
    for (int32_t at = 0; at < bits; at += letter_bits, k++)
        for (uint32_t d = 1u << at, end = d << letter_bits; d != end; d += 1u << at) {
            const uint32_t word = x ^ d;
            const uint64_t group = groups[word >> BI_CELLGRAPH_GROUP_BITS];
            const uint32_t present = bi_cellgraph_is_present(group, word);
            const uint32_t other = ids[bi_cellgraph_rank(group, word)] & (0u - present); /* 0 is not higher */
            neighbours[count] = (uint64_t)other << 32 | k;
            count += other > v;
        }
    return count;
}

void BI_LEVEL_NAME(bi_cellgraph_count_edges)(const struct bi_cellgraph_table_edges *a, int64_t begin, int64_t end)
{
    uint64_t neighbours[MOST_NEIGHBOURS + 1];
    for (int64_t rank = begin; rank < end; rank++) {
        const uint32_t v = a->table->ids[rank];
        a->starts[v] = find_neighbours(a->table, a->table->words[rank], v, neighbours);
    }
}

void BI_LEVEL_NAME(bi_cellgraph_write_edges)(const struct bi_cellgraph_table_edges *a, int64_t begin, int64_t end)
{
    uint64_t neighbours[MOST_NEIGHBOURS + 1];
    for (int64_t rank = begin; rank < end; rank++) {
        const uint32_t v = a->table->ids[rank];
        const uint32_t n = find_neighbours(a->table, a->table->words[rank], v, neighbours);
        if (n > BI_CELLGRAPH_INSERTION_LIMIT)
            bi_cellgraph_heapsort(neighbours, n);
        else
            bi_cellgraph_insertion_sort(neighbours, n);
        uint64_t *edges = a->edges + a->starts[v];
        uint32_t *positions = a->positions + a->starts[v];
        for (uint32_t i = 0; i < n; i++) {
            edges[i] = (uint64_t)v << a->vertex_bits | neighbours[i] >> 32;
            positions[i] = (uint32_t)neighbours[i];
        }
    }
}
