/* Appends to the list of edges. */
#ifndef BI_CELLGRAPH_STEPS_EDGE_LIST_H
#define BI_CELLGRAPH_STEPS_EDGE_LIST_H

#include "base/atomic.h"
#include "cellgraph/steps/vectors.h"

/* Writes edge number `at`, if the list has capacity. */
BI_FN void bi_cellgraph_write_edge(const struct bi_cellgraph_edge_list *f, uint64_t at, uint64_t low, uint64_t high,
                                   uint32_t position)
{
    if (at >= (uint64_t)f->capacity) return;
    if (f->ranks) f->ranks[at] = bi_atomic_fetch_add_u32(&f->counts[low], 1);
    f->edges[at] = low << f->vertex_bits | high;
    f->positions[at] = position;
}

/* Appends an edge. */
BI_FN void bi_cellgraph_append_edge(const struct bi_cellgraph_edge_list *f, int64_t a, int64_t b, uint32_t position)
{
    bi_cellgraph_write_edge(f, bi_atomic_fetch_add_u64(f->count, 1), (uint64_t)(a < b ? a : b),
                            (uint64_t)(a < b ? b : a), position);
}

/* Appends the edge between a and b if they differ in one letter, which is in word s. */
BI_FN void bi_cellgraph_compare_vertices(const struct bi_cellgraph_view *v, const struct bi_cellgraph_edge_list *f,
                                         int64_t a, int64_t b, int32_t s)
{
    const uint64_t *x = bi_cellgraph_row(v, a), *y = bi_cellgraph_row(v, b);
    uint64_t bits = x[s] ^ y[s];
    if (!bits || !bi_cellgraph_is_one_letter(bits, v->shape.letter_bits)) return;
    if (bi_cellgraph_equal_except(x, y, v->shape.words, s))
        bi_cellgraph_append_edge(f, a, b, bi_cellgraph_position(&v->shape, s, bits));
}

#endif
