/* Steps that sort edges: grouped by lower vertex, then each vertex sorts its own. */
#ifndef BI_CELLGRAPH_STEPS_ORDER_H
#define BI_CELLGRAPH_STEPS_ORDER_H

#include "cellgraph/steps/vectors.h"

/* Drops the edges of skewed segments. */
struct bi_cellgraph_edge_filter {
    uint64_t *edges;
    uint32_t *positions;
    struct bi_letters shape;
    int32_t span;
    const uint32_t *skewed;
    struct bi_cellgraph_edge_list found;
};

BI_FN void bi_step_cellgraph_filter_edge(const struct bi_cellgraph_edge_filter *a, int64_t e)
{
    if (a->skewed[a->positions[e] / (uint32_t)a->shape.per_word / (uint32_t)a->span]) return;
    const uint64_t low = a->edges[e] >> a->found.vertex_bits, high = a->edges[e] ^ low << a->found.vertex_bits;
    bi_cellgraph_write_edge(&a->found, bi_atomic_fetch_add_u64(a->found.count, 1), low, high, a->positions[e]);
}

/* Counts an edge by its lower vertex; the old count is its rank. */
BI_FN void bi_step_cellgraph_rank_edge(const struct bi_cellgraph_edge_list *a, int64_t e)
{
    a->ranks[e] = bi_atomic_fetch_add_u32(&a->counts[a->edges[e] >> a->vertex_bits], 1);
}

struct bi_cellgraph_edge_sort {
    const uint64_t *edges;
    const uint32_t *positions;
    int32_t vertex_bits;
    const uint32_t *ranks; /* rank of each edge among those of its lower vertex */
    uint32_t *starts;      /* (vertices + 1) begins of the vertices' edges */
    uint64_t *packed;      /* grouped edges: higher end, and position in the low half */
    uint64_t *edges_out;
    uint32_t *positions_out;
    uint64_t first, last; /* lower vertices of this pass */
};

/* Writes an edge to the group of its lower vertex, if that is in this pass. */
BI_FN void bi_step_cellgraph_scatter_edge(const struct bi_cellgraph_edge_sort *a, int64_t e)
{
    const uint64_t low = a->edges[e] >> a->vertex_bits, high = a->edges[e] ^ low << a->vertex_bits;
    if (low < a->first || low > a->last) return;
    a->packed[a->starts[low] + a->ranks[e]] = high << 32 | a->positions[e];
}

/* Restores the heap of n items below item `at`. Source: Williams, Algorithm 232: Heapsort (1964). */
BI_FN void bi_cellgraph_sift_down(uint64_t *items, uint32_t at, uint32_t n)
{
    const uint64_t item = items[at];
    uint32_t child;
    while ((child = 2 * at + 1) < n) {
        if (child + 1 < n && items[child] < items[child + 1]) child++;
        if (items[child] <= item) break;
        items[at] = items[child];
        at = child;
    }
    items[at] = item;
}

BI_FN void bi_cellgraph_heapsort(uint64_t *items, uint32_t n)
{
    for (uint32_t i = n / 2; i > 0; i--) bi_cellgraph_sift_down(items, i - 1, n);
    for (uint32_t end = n - 1; end > 0; end--) {
        const uint64_t item = items[end];
        items[end] = items[0];
        items[0] = item;
        bi_cellgraph_sift_down(items, 0, end);
    }
}

/* Longest row (or group) sorted by insertion, not by a heap. Insertion moves n^2 / 4 items, a heap 2 n log2 n: equal at
 * about 36, and insertion has simpler steps. Not measured. */
enum { BI_CELLGRAPH_INSERTION_LIMIT = 24 };

BI_FN void bi_cellgraph_insertion_sort(uint64_t *items, uint32_t n)
{
    for (uint32_t i = 1; i < n; i++) {
        const uint64_t item = items[i];
        uint32_t j = i;
        for (; j > 0 && items[j - 1] > item; j--) items[j] = items[j - 1];
        items[j] = item;
    }
}

/* Sorts the edges of a vertex by their higher ends. */
BI_FN void bi_step_cellgraph_sort_row(const struct bi_cellgraph_edge_sort *a, int64_t v)
{
    const uint32_t begin = a->starts[v], n = a->starts[v + 1] - begin;
    uint64_t *items = a->packed + begin;
    if (n > BI_CELLGRAPH_INSERTION_LIMIT)
        bi_cellgraph_heapsort(items, n);
    else
        bi_cellgraph_insertion_sort(items, n);
    for (uint32_t i = 0; i < n; i++) {
        a->edges_out[begin + i] = (uint64_t)v << a->vertex_bits | items[i] >> 32;
        a->positions_out[begin + i] = (uint32_t)items[i];
    }
}

#endif
