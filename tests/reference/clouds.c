#include "reference/clouds.h"

#include <math.h>
#include <stdlib.h>

static const void *row_at(const struct reference_points *p, int64_t i)
{
    return (const char *)p->data + (size_t)(i * p->stride) * bosc_dtype_size(p->dtype);
}

int64_t reference_clouds_knn(const struct reference_points *p, int64_t begin, int64_t end, const void *query, int64_t k,
                             double r2, int64_t skipped, int64_t *ids, double *dist2)
{
    int64_t count = 0, within = 0;
    for (int64_t i = begin; i < end; i++) {
        const double d = reference_dist2(p, i, query);
        if (i == skipped || !(d <= r2)) continue;
        within++;
        if (count == k && d >= dist2[k - 1]) continue;
        int64_t at = count < k ? count++ : k - 1;
        for (; at > 0 && dist2[at - 1] > d; at--) {
            dist2[at] = dist2[at - 1];
            ids[at] = ids[at - 1];
        }
        dist2[at] = d;
        ids[at] = i;
    }
    for (; count < k; count++) {
        ids[count] = -1;
        dist2[count] = (double)INFINITY;
    }
    return within;
}

void reference_clouds_sample(const struct reference_points *p, int64_t begin, int64_t end, int64_t start, int64_t count,
                             int64_t *ids)
{
    double *nearest = malloc((size_t)(end - begin + 1) * sizeof *nearest);
    for (int64_t i = begin; i < end && nearest; i++) nearest[i - begin] = (double)INFINITY;
    for (int64_t j = 0; j < count && nearest; j++) {
        ids[j] = j < end - begin ? start : -1;
        if (ids[j] < 0) continue;
        nearest[start - begin] = -1;
        int64_t next = begin;
        for (int64_t i = begin; i < end; i++) {
            const double d = reference_dist2(p, i, row_at(p, ids[j]));
            if (d < nearest[i - begin]) nearest[i - begin] = d;
            if (nearest[i - begin] > nearest[next - begin]) next = i;
        }
        start = next;
    }
    free(nearest);
}
