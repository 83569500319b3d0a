/* Farthest point sampling. */
#ifndef BI_CLOUDS_STEPS_SAMPLE_H
#define BI_CLOUDS_STEPS_SAMPLE_H

#include "base/atomic.h"
#include "clouds/steps/cloud.h"
#include "core/csr_row_out.h"

/* Samples of all clouds. Scratch: the squared distance of each point to the nearest sample, -1 for samples, and the
 * position of the farthest point of each node. */
struct bi_clouds_sample {
    struct bi_clouds_view view;
    const int64_t *offsets; /* (cloud_count + 1) of the samples */
    const int64_t *starts;  /* (cloud_count) ids, or NULL */
    double *dist2;          /* (n) */
    uint32_t *farthest;     /* (slots) */
    void *ids;
    bool ids_64bit;
};

/* Numbers of samples, ceil(ratio n) of the n points of cloud i, and the first ones by draws in [0, 1). Item cloud_count
 * writes 0, so that an exclusive scan ends with the sum. */
struct bi_clouds_share {
    const int64_t *points; /* (cloud_count + 1) offsets of the points */
    int64_t cloud_count;
    double ratio;
    const double *draws; /* (cloud_count), or NULL */
    int64_t *counts;     /* (cloud_count + 1) */
    int64_t *starts;     /* (cloud_count), or NULL */
};

BI_FN void bi_step_share(const struct bi_clouds_share *a, int64_t i)
{
    if (i == a->cloud_count) {
        a->counts[i] = 0;
        return;
    }
    const int64_t first = a->points[i], n = a->points[i + 1] - first;
    const double share = a->ratio * (double)n;
    const int64_t whole = (int64_t)share;
    a->counts[i] = whole + ((double)whole < share);
    if (!a->draws) return;
    const double at = a->draws[i] * (double)n; /* of draws outside of [0, 1) and NaN: the first or the last row */
    int64_t row = 0;
    if (at > 0 && n > 0) row = at < (double)n ? (int64_t)at : n - 1;
    a->starts[i] = first + row;
}

/* True if the point at position p comes before the one at position q: farther, or with the smaller id. */
BI_FN bool bi_clouds_is_farther(const struct bi_clouds_sample *a, uint32_t p, uint32_t q)
{
    return a->dist2[p] > a->dist2[q] || (a->dist2[p] == a->dist2[q] && a->view.ids[p] < a->view.ids[q]);
}

/* A cloud that is sampled. */
struct bi_clouds_sampled {
    int64_t cloud, offset, n;
    int top; /* level of the root */
};

/* Sets the farthest point of a node from those of the nodes below. */
BI_FN void bi_clouds_update_node(const struct bi_clouds_sample *a, const struct bi_clouds_sampled *s, int level,
                                 int64_t node)
{
    const struct bi_clouds_view *v = &a->view;
    const int64_t below = bi_clouds_node_slot(v, level - 1, s->offset, s->cloud);
    const int64_t first = node << BI_CLOUDS_FANOUT_BITS, count = bi_clouds_node_count(s->n, level - 1);
    uint32_t best = a->farthest[below + first];
    for (int64_t j = first + 1; j < first + BI_CLOUDS_FANOUT && j < count; j++)
        if (bi_clouds_is_farther(a, a->farthest[below + j], best)) best = a->farthest[below + j];
    a->farthest[bi_clouds_node_slot(v, level, s->offset, s->cloud) + node] = best;
}

/* Measures the points of a leaf to the sample at position `sample`, and sets its farthest point. */
BI_FN void bi_clouds_update_leaf(const struct bi_clouds_sample *a, const struct bi_clouds_sampled *s, int64_t leaf,
                                 uint32_t sample, const void *q, bool first)
{
    const struct bi_clouds_view *v = &a->view;
    const int64_t begin = s->offset + (leaf << BI_CLOUDS_LEAF_BITS), limit = s->offset + s->n;
    const int64_t end = begin + BI_CLOUDS_LEAF < limit ? begin + BI_CLOUDS_LEAF : limit;
    uint32_t best = (uint32_t)begin;
    for (int64_t p = begin; p < end; p++) {
        const double d = p == (int64_t)sample ? -1 : bi_clouds_dist2(v, p, q);
        if (first || d < a->dist2[p]) a->dist2[p] = d;
        if (bi_clouds_is_farther(a, (uint32_t)p, best)) best = (uint32_t)p;
    }
    a->farthest[bi_clouds_node_slot(v, 0, s->offset, s->cloud) + leaf] = best;
}

/* Adds a sample: in depth-first order, updates the nodes that hold the sample or points that may now be nearer to it
 * than to the samples before. `first`: all nodes. */
BI_FN void bi_clouds_add_sample(const struct bi_clouds_sample *a, const struct bi_clouds_sampled *s, uint32_t sample,
                                bool first)
{
    const struct bi_clouds_view *v = &a->view;
    const void *q =
        (const char *)v->points + (int64_t)sample * v->pitch * (int64_t)(v->is_f64 ? sizeof(double) : sizeof(float));
    const int64_t last = BI_CLOUDS_FANOUT - 1, local = (int64_t)sample - s->offset;
    int level = s->top;
    int64_t node = 0;
    for (;;) {
        /* 1. Descend where points may be nearer, and measure leaves. */
        const int64_t slot = bi_clouds_node_slot(v, level, s->offset, s->cloud) + node;
        const bool holds = local >> bi_clouds_node_bits(level) == node;
        if (first || holds || bi_clouds_box_dist2(v, slot, q) < a->dist2[a->farthest[slot]]) {
            if (level > 0) {
                level--;
                node <<= BI_CLOUDS_FANOUT_BITS;
                continue;
            }
            bi_clouds_update_leaf(a, s, node, sample, q, first);
        }
        /* 2. Behind the last child comes its parent, which is complete then. */
        while (level < s->top && ((node & last) == last || node + 1 == bi_clouds_node_count(s->n, level))) {
            level++;
            node >>= BI_CLOUDS_FANOUT_BITS;
            bi_clouds_update_node(a, s, level, node);
        }
        if (level == s->top) return;
        node++;
    }
}

/* The position of the first sample: of the start, or of the smallest id. */
BI_FN uint32_t bi_clouds_first_sample(const struct bi_clouds_sample *a, const struct bi_clouds_sampled *s)
{
    const int64_t start = a->starts ? a->starts[s->cloud] : s->offset;
    uint32_t position = (uint32_t)s->offset;
    for (int64_t p = s->offset; p < s->offset + s->n; p++)
        if (a->view.ids[p] == start) position = (uint32_t)p;
    return position;
}

/* Samples cloud i. */
BI_FN void bi_clouds_sample_cloud(const struct bi_clouds_sample *a, int64_t i)
{
    const struct bi_clouds_view *v = &a->view;
    struct bi_clouds_sampled s = {i, v->offsets[i], v->offsets[i + 1] - v->offsets[i], 0};
    const struct bi_row_out out = {a->ids, NULL, a->offsets[i], a->ids_64bit, false, false};
    const int64_t count = a->offsets[i + 1] - a->offsets[i], m = count < s.n ? count : s.n;
    while (bi_clouds_node_count(s.n, s.top) > 1) s.top++;
    uint32_t sample = m > 0 ? bi_clouds_first_sample(a, &s) : 0;
    for (int64_t j = 0; j < m; j++) {
        bi_row_set(&out, j, 0, v->ids[sample]);
        if (j + 1 == m) break;
        bi_clouds_add_sample(a, &s, sample, j == 0);
        sample = a->farthest[bi_clouds_node_slot(v, s.top, s.offset, s.cloud)];
    }
    for (int64_t j = m; j < count; j++) bi_row_set(&out, j, 0, UINT32_MAX);
}

BI_FN void bi_step_sample(const struct bi_clouds_sample *a, int64_t i)
{
    struct bi_clouds_sample b = *a;
    BI_CLOUDS_WITH_VIEW(a->view, view, {
        b.view = view;
        bi_clouds_sample_cloud(&b, i);
    });
}

/* Sets *bad to the smallest cloud with more samples than points, or with a start that is not one of its points. */
struct bi_clouds_check_samples {
    struct bi_clouds_view view;
    const int64_t *offsets, *starts;
    int64_t *bad;
};

BI_FN void bi_step_check_samples(const struct bi_clouds_check_samples *a, int64_t i)
{
    const int64_t low = a->view.offsets[i], high = a->view.offsets[i + 1], count = a->offsets[i + 1] - a->offsets[i];
    const bool outside = a->starts && (a->starts[i] < low || a->starts[i] >= high);
    if (count > high - low || (count > 0 && outside)) bi_atomic_min_i64(a->bad, i);
}

#endif
