#include "reference/cluster.h"

#include <stdlib.h>

#include "support/suite.h"

static const void *row_at(const struct reference_points *p, int64_t i)
{
    return (const char *)p->data + (size_t)(i * p->stride) * bosc_dtype_size(p->dtype);
}

struct reference_neighbours reference_neighbours_of(const struct reference_points *p,
                                                    const struct reference_metric *metric, double eps)
{
    struct reference_neighbours near = {p->n, suite_alloc((size_t)(p->n + 1) * 8),
                                        suite_alloc((size_t)(p->n * p->n) * 8)};
    near.offsets[0] = 0;
    for (int64_t i = 0; i < p->n; i++) {
        int64_t at = near.offsets[i];
        for (int64_t j = 0; j < p->n; j++)
            if (reference_within(p, metric, reference_measure(p, j, row_at(p, i), metric), eps)) near.ids[at++] = j;
        near.offsets[i + 1] = at;
    }
    return near;
}

int64_t reference_dbscan(const struct reference_neighbours *near, const double *weights, double min_samples,
                         int64_t *labels, uint8_t *core)
{
    int64_t clusters = 0, *stack = suite_alloc((size_t)near->n * 8);
    /* 1. Core rows. */
    for (int64_t i = 0; i < near->n; i++) {
        double sum = 0;
        for (int64_t e = near->offsets[i]; e < near->offsets[i + 1]; e++) sum += weights ? weights[near->ids[e]] : 1;
        core[i] = sum >= min_samples;
        labels[i] = -1;
    }
    /* 2. A search from each core row without a label. */
    for (int64_t i = 0; i < near->n; i++) {
        int64_t count = 0;
        if (labels[i] >= 0 || !core[i]) continue;
        labels[i] = clusters;
        stack[count++] = i;
        while (count > 0) {
            const int64_t at = stack[--count];
            for (int64_t e = near->offsets[at]; e < near->offsets[at + 1] && core[at]; e++) {
                if (labels[near->ids[e]] >= 0) continue;
                labels[near->ids[e]] = clusters;
                stack[count++] = near->ids[e];
            }
        }
        clusters++;
    }
    free(stack);
    return clusters;
}
