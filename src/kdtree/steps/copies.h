/* Steps that find copies: points whose coordinates all equal those of an earlier row, as distances read them. So -0
 * equals 0, and large I64 numbers equal others that round to the same double. */
#ifndef BI_KDTREE_STEPS_COPIES_H
#define BI_KDTREE_STEPS_COPIES_H

#include <stdbool.h>

#include <boscage/device/kdtree.h>

#include "base/step.h"

/* Lengths of runs of equal nodes, sampled: item s looks at node BI_KDTREE_RUN_STRIDE * s, and finds its length up to a
 * factor of 2; 0 if it is less than BI_KDTREE_SHORTEST_RUN. Both limits are not measured. The in-order array holds the
 * copies of a point in a few runs, as all but a few of its subtrees with copies hold nothing else. */
enum { BI_KDTREE_RUN_STRIDE = 16, BI_KDTREE_SHORTEST_RUN = 8 };

struct bi_kdtree_run_lengths {
    bosc_kdtree_view view;
    int64_t *lengths;
};

BI_FN bool bi_kdtree_nodes_equal(const bosc_kdtree_view *view, int64_t i, int64_t j)
{
    int32_t c = 0;
    while (c < view->dim && bosc_kdtree_coordinate(view, i, c) == bosc_kdtree_coordinate(view, j, c)) c++;
    return c == view->dim;
}

BI_FN void bi_step_run_lengths(const struct bi_kdtree_run_lengths *a, int64_t s)
{
    int64_t node = s * BI_KDTREE_RUN_STRIDE, length = 0, next = BI_KDTREE_SHORTEST_RUN;
    for (; node + next < a->view.nodes && bi_kdtree_nodes_equal(&a->view, node, node + next); next *= 2) length = next;
    a->lengths[s] = length;
}

/* Marks copies: first[i] is the smallest other row at distance 0 of row i, or none. Where distances underflow it may
 * differ from row i; then row i counts as no copy. */
struct bi_kdtree_mark_copies {
    const void *rows;
    bosc_dtype dtype;
    int32_t dim;
    const uint32_t *first;
    uint8_t *is_copy, *is_kept; /* is_kept: the opposite */
};

BI_FN void bi_step_mark_copies(const struct bi_kdtree_mark_copies *a, int64_t i)
{
    const int64_t first = a->first[i];
    bool is_copy = first < i;
    for (int32_t c = 0; is_copy && c < a->dim; c++)
        is_copy = bosc_kdtree_number(a->rows, first * a->dim + c, a->dtype) ==
                  bosc_kdtree_number(a->rows, i * a->dim + c, a->dtype);
    a->is_copy[i] = is_copy;
    a->is_kept[i] = !is_copy;
}

#endif
