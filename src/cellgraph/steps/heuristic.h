/* HEURISTIC: all pairs of vertices are compared, less those that pivots rule out. */
#ifndef BI_CELLGRAPH_STEPS_HEURISTIC_H
#define BI_CELLGRAPH_STEPS_HEURISTIC_H

#include "cellgraph/steps/edge_list.h"

struct bi_cellgraph_heuristic {
    struct bi_cellgraph_view view;
    struct bi_cellgraph_edge_list found;
    int32_t pivots;
    uint32_t *distances; /* (vertices x pivots) */
    int64_t first;       /* item that is compared first */
};

/* Pivots are spread evenly over the vertices. */
BI_FN void bi_step_cellgraph_pivot(const struct bi_cellgraph_heuristic *a, int64_t i)
{
    const struct bi_cellgraph_view *v = &a->view;
    for (int32_t k = 0; k < a->pivots; k++) {
        const uint64_t *x = bi_cellgraph_row(v, i), *y = bi_cellgraph_row(v, k * (v->count / a->pivots));
        uint32_t distance = 0;
        for (int32_t s = 0; s < v->shape.words; s++) distance += bi_cellgraph_distance(x[s] ^ y[s], &v->shape);
        a->distances[i * a->pivots + k] = distance;
    }
}

BI_FN void bi_cellgraph_compare_row(const struct bi_cellgraph_heuristic *a, int64_t i)
{
    const struct bi_cellgraph_view *v = &a->view;
    const uint64_t *x = bi_cellgraph_row(v, i);
    const int64_t of_x = i * a->pivots;
    for (int64_t j = i + 1; j < v->count; j++) {
        const uint64_t *y = bi_cellgraph_row(v, j);
        const int64_t of_y = j * a->pivots;
        int32_t k = 0, s = 0;
        while (k < a->pivots && a->distances[of_x + k] - a->distances[of_y + k] + 1 <= 2) k++;
        if (k < a->pivots) continue;
        while (x[s] == y[s]) s++; /* vertices differ */
        bi_cellgraph_compare(v, &a->found, i, j, s);
    }
}

/* Rows i and count - 1 - i have the same number of pairs together, whatever i. */
BI_FN void bi_step_cellgraph_compare(const struct bi_cellgraph_heuristic *a, int64_t k)
{
    const int64_t i = a->first + k;
    bi_cellgraph_compare_row(a, i);
    if (a->view.count - 1 - i != i) bi_cellgraph_compare_row(a, a->view.count - 1 - i);
}

#endif
