/* Steps of predictions: the cluster of a new point, by its nearest points. */
#ifndef BI_CLUSTER_STEPS_PREDICT_H
#define BI_CLUSTER_STEPS_PREDICT_H

#include <math.h>

#include <boscage/cluster.h>

#include "base/atomic.h"
#include "base/elementary.h"

struct bi_hdbscan_predict {
    const int64_t *leaves;
    const double *densities;
    const bosc_hdbscan_cluster *clusters;
    int64_t n, count; /* points, clusters */
    int64_t *bad; /* [0]: the lowest row of leaves that names no cluster; [1]: of clusters, without earlier parent */
    const void *core; /* (n) squared core distances of the points */
    const void *near; /* (k for each query) the nearest points, and their squared distances */
    const void *dist2;
    int64_t k, own; /* own: the neighbour whose distance is a query's core distance; -1: the core distance is 0 */
    bool distances_64bit, ids_64bit, labels_64bit;
    double root_density; /* a query that leaves the selected root at a lesser density is noise */
    void *labels;
    double *probabilities; /* may be NULL */
};

/* Returns element i as a double. */
BI_FN double bi_hdbscan_real(const void *values, bool is_64bit, int64_t i)
{
    return is_64bit ? ((const double *)values)[i] : (double)((const float *)values)[i];
}

/* Checks row i of leaves, and of clusters. */
BI_FN void bi_step_predict_check(const struct bi_hdbscan_predict *a, int64_t i)
{
    if (i < a->n && (a->leaves[i] < -1 || a->leaves[i] >= a->count)) bi_atomic_min_i64(&a->bad[0], i);
    if (i >= a->count) return;
    const int64_t parent = a->clusters[i].parent;
    if (i == 0 ? parent != -1 : parent < 0 || parent >= i) bi_atomic_min_i64(&a->bad[1], i);
}

/* Core distances of points. */
struct bi_hdbscan_cores {
    const void *dist2; /* (k for each point) squared distances of its neighbours, ascending */
    int64_t k;
    bool is_64bit;
    void *core; /* squared, one for each point */
};

/* Stores the core distance of point i: that of the last of k neighbours. */
BI_FN void bi_step_predict_core(const struct bi_hdbscan_cores *a, int64_t i)
{
    const double d = bi_hdbscan_real(a->dist2, a->is_64bit, i * a->k + a->k - 1);
    if (a->is_64bit)
        ((double *)a->core)[i] = d;
    else
        ((float *)a->core)[i] = (float)d;
}

/* Nodes of a tree in order, to be copied to rows: elements of 4 or 8 bytes. */
struct bi_clustering_rows {
    const void *nodes;
    const int64_t *ids;
    bool is_64bit;
    int32_t dim;
    void *to; /* (n, dim) */
};

/* Copies node i to the row of its point. */
BI_FN void bi_step_clustering_rows(const struct bi_clustering_rows *a, int64_t i)
{
    for (int32_t c = 0; c < a->dim; c++)
        bi_set_word(a->to, a->is_64bit, a->ids[i] * a->dim + c, bi_word(a->nodes, a->is_64bit, i * a->dim + c));
}

/* The neighbour of query q that is nearest under mutual reachability, the first of several; -1: none. */
BI_FN int64_t bi_hdbscan_nearest(const struct bi_hdbscan_predict *a, int64_t q, double *distance2)
{
    const double own = a->own < 0 || a->k == 0 ? 0 : bi_hdbscan_real(a->dist2, a->distances_64bit, q * a->k + a->own);
    int64_t nearest = -1;
    for (int64_t e = q * a->k; e < (q + 1) * a->k; e++) {
        const int64_t point = a->ids_64bit ? ((const int64_t *)a->near)[e] : (int64_t)((const uint32_t *)a->near)[e];
        if (point < 0 || point >= a->n) continue; /* none */
        const double core = bi_hdbscan_real(a->core, a->distances_64bit, point);
        double d = bi_hdbscan_real(a->dist2, a->distances_64bit, e);
        d = d > core ? d : core;
        d = d > own ? d : own;
        if (nearest >= 0 && !(d < *distance2)) continue;
        nearest = point;
        *distance2 = d;
    }
    return nearest;
}

/* Predicts query q: it joins the nearest point, at a density. If that point has left its cluster at a greater density,
 * the query is in the lowest cluster above that was born at a lesser one. */
BI_FN void bi_step_predict(const struct bi_hdbscan_predict *a, int64_t q)
{
    double distance2 = 0, probability = 0;
    const int64_t nearest = bi_hdbscan_nearest(a, q, &distance2);
    int64_t c = nearest < 0 ? -1 : a->leaves[nearest], label = -1;
    if (c >= 0) {
        const double density = distance2 > 0 ? 1 / bi_sqrt(distance2) : (double)INFINITY,
                     leaves = density < a->densities[nearest] ? density : a->densities[nearest];
        if (leaves == density)
            while (a->clusters[c].parent >= 0 && a->clusters[c].birth >= density) c = a->clusters[c].parent;
        label = a->clusters[c].label;
        /* The selected cluster is the highest one with the label. */
        while (label >= 0 && a->clusters[c].parent >= 0 && a->clusters[a->clusters[c].parent].label == label)
            c = a->clusters[c].parent;
        if (c == 0 && !(leaves >= a->root_density)) label = -1;
        const double death = a->clusters[c].death;
        probability = label < 0 ? 0 : death == 0 || density >= death ? 1 : density / death;
    }
    bi_set_word(a->labels, a->labels_64bit, q, (uint64_t)label);
    if (a->probabilities) a->probabilities[q] = probability;
}

#endif
