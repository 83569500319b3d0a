/* HEURISTIC: compares all pairs of vertices that pivots do not rule out. */
#ifndef BI_CELLGRAPH_STEPS_HEURISTIC_H
#define BI_CELLGRAPH_STEPS_HEURISTIC_H

#include "cellgraph/steps/vectors.h"

struct bi_cellgraph_heuristic {
    struct bi_cellgraph_view view;
    struct bi_cellgraph_edge_list found;
    int32_t pivots;
    uint32_t *distances; /* (vertices x pivots) */
    int64_t first;       /* number of item 0 */
    bool published;
    bool ends_early;         /* as published too: comparisons end at the second differing letter */
    int32_t blocks, threads; /* of a launch, as published */
};

/* Pivots are spaced evenly over the vertices; as published they are the first ones. */
BI_FN int64_t bi_cellgraph_pivot_vertex(const struct bi_cellgraph_heuristic *a, int32_t k)
{
    return a->published ? k : k * (a->view.count / a->pivots);
}

BI_FN void bi_step_cellgraph_pivot_distances(const struct bi_cellgraph_heuristic *a, int64_t i)
{
    const struct bi_cellgraph_view *v = &a->view;
    for (int32_t k = 0; k < a->pivots; k++) {
        const uint64_t *x = bi_cellgraph_row(v, i), *y = bi_cellgraph_row(v, bi_cellgraph_pivot_vertex(a, k));
        uint32_t distance = 0;
        for (int32_t s = 0; s < v->shape.words; s++) distance += bi_cellgraph_distance(x[s] ^ y[s], &v->shape);
        a->distances[i * a->pivots + k] = distance;
    }
}

/* True if the distances of i and j to a pivot differ by more than 1: by the triangle inequality, i and j then differ
 * in more than one letter. */
BI_FN bool bi_cellgraph_ruled_out(const struct bi_cellgraph_heuristic *a, int64_t i, int64_t j)
{
    if (a->pivots == 0) return false;
    const uint32_t *of_i = a->distances + i * a->pivots, *of_j = a->distances + j * a->pivots;
    int32_t k = 0;
    /* Unsigned: at most 2 for differences of -1, 0 and 1 alone. */
    while (k < a->pivots && of_i[k] - of_j[k] + 1 <= 2) k++;
    return k < a->pivots;
}

/* As published: counts differing letters, all of them or up to the second one. */
BI_FN void bi_cellgraph_compare_pair(const struct bi_cellgraph_heuristic *a, int64_t i, int64_t j)
{
    const struct bi_cellgraph_view *v = &a->view;
    const uint64_t *x = bi_cellgraph_row(v, i), *y = bi_cellgraph_row(v, j);
    uint32_t distance = 0;
    int32_t at = 0;
    for (int32_t s = 0; s < v->shape.words && !(a->ends_early && distance > 1); s++) {
        const uint32_t letters = bi_cellgraph_distance(x[s] ^ y[s], &v->shape);
        distance += letters;
        if (letters) at = s;
    }
    if (distance == 1) bi_cellgraph_append_edge(&a->found, i, j, bi_cellgraph_position(&v->shape, at, x[at] ^ y[at]));
}

BI_FN void bi_cellgraph_compare_row(const struct bi_cellgraph_heuristic *a, int64_t i)
{
    const struct bi_cellgraph_view *v = &a->view;
    const uint64_t *x = bi_cellgraph_row(v, i);
    for (int64_t j = i + 1; j < v->count; j++) {
        const uint64_t *y = bi_cellgraph_row(v, j);
        int32_t s = 0;
        if (bi_cellgraph_ruled_out(a, i, j)) continue;
        if (a->published) {
            bi_cellgraph_compare_pair(a, i, j);
            continue;
        }
        while (x[s] == y[s]) s++; /* vertices differ */
        bi_cellgraph_compare_vertices(v, &a->found, i, j, s);
    }
}

/* Compares rows i and count - 1 - i, which have the same number of pairs together for every i. */
BI_FN void bi_step_cellgraph_compare(const struct bi_cellgraph_heuristic *a, int64_t k)
{
    const int64_t i = a->first + k;
    bi_cellgraph_compare_row(a, i);
    if (a->view.count - 1 - i != i) bi_cellgraph_compare_row(a, a->view.count - 1 - i);
}

#endif
