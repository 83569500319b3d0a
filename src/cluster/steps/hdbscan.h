/* Steps of HDBSCAN*: the condensed tree of a dendrogram, its stabilities, and the labels of points. */
#ifndef BI_CLUSTER_STEPS_HDBSCAN_H
#define BI_CLUSTER_STEPS_HDBSCAN_H

#include <math.h>

#include <boscage/cluster.h>
#include <boscage/device/kdtree.h>

#include "base/atomic.h"
#include "base/bits.h"
#include "base/elementary.h"
#include "base/union_find.h"

#define BI_HDBSCAN_NONE UINT32_MAX /* no merge, no cluster, no row */

/* Writes length i as a double. */
struct bi_hdbscan_lengths {
    const float *dist2;
    double *lengths;
};

BI_FN void bi_step_hdbscan_lengths(const struct bi_hdbscan_lengths *a, int64_t i)
{
    a->lengths[i] = (double)a->dist2[i];
}

/* Replaces the squared distance of merge t by the distance, times two powers of two: their product may be no double. */
struct bi_hdbscan_roots {
    double *z;
    double factor[2];
};

BI_FN void bi_step_hdbscan_roots(const struct bi_hdbscan_roots *a, int64_t t)
{
    a->z[4 * t + 2] = sqrt(a->z[4 * t + 2]) * a->factor[0] * a->factor[1];
}

/* Converts merge t's squared chord to the distance of a metric, in `heights`; later stores it. */
struct bi_hdbscan_chords {
    double *z;
    double *heights; /* (n - 1) */
    bosc_cluster_metric metric;
};

BI_FN void bi_step_hdbscan_chords(const struct bi_hdbscan_chords *a, int64_t t)
{
    const double square = a->z[4 * t + 2], other = square < 4 ? 4 - square : 0;
    a->heights[t] =
        a->metric == BOSC_CLUSTER_HAVERSINE ? 2 * bi_atan2_f64(bi_sqrt(square), bi_sqrt(other)) : square / 2;
}

BI_FN void bi_step_hdbscan_store_heights(const struct bi_hdbscan_chords *a, int64_t t)
{
    a->z[4 * t + 2] = a->heights[t];
}

/* Rows of the caller, to be multiplied by two powers of two. */
struct bi_hdbscan_rows {
    const void *data;
    int64_t stride;
    bosc_dtype dtype;
    int32_t dim;
    uint32_t *exponents; /* the largest one, and the least one of numbers other than 0; biased by 1023 */
    double factor[2];
    double *to; /* (n x dim) */
};

/* Raises the largest exponent, and lowers the least one, to those of row i. */
BI_FN void bi_step_hdbscan_find_exponents(const struct bi_hdbscan_rows *a, int64_t i)
{
    for (int32_t c = 0; c < a->dim; c++) {
        const double x = bosc_kdtree_number(a->data, i * a->stride + c, a->dtype);
        const uint32_t exponent = (uint32_t)(bi_f64_bits(x) >> 52) & 2047;
        if (exponent > bi_atomic_load_u32(&a->exponents[0])) bi_atomic_max_u32(&a->exponents[0], exponent);
        if (x != 0 && exponent < bi_atomic_load_u32(&a->exponents[1])) bi_atomic_min_u32(&a->exponents[1], exponent);
    }
}

/* Writes row i times the factors, as doubles. */
BI_FN void bi_step_hdbscan_scale(const struct bi_hdbscan_rows *a, int64_t i)
{
    for (int32_t c = 0; c < a->dim; c++)
        a->to[i * a->dim + c] = bosc_kdtree_number(a->data, i * a->stride + c, a->dtype) * a->factor[0] * a->factor[1];
}

/* Arguments of the steps below. A merge is a row of z. It is big if it has min_size points, or is the last one. The
 * merges of a condensed cluster are big, each below the next: the top one first, as a sibling of another big merge. */
struct bi_hdbscan {
    const double *z;
    int64_t n;
    double min_size;
    int64_t *bad;      /* the lowest row that is no merge */
    uint32_t *flag;    /* set if a search for tops goes on */
    uint32_t *parent;  /* by point, then by merge: the merge of it; BI_HDBSCAN_NONE: none */
    uint32_t *cluster; /* by merge: in the search for tops a merge above; then the cluster; BI_HDBSCAN_NONE: not big */
    uint32_t *number;  /* by merge, the last first: 1 for a top, then the inclusive sums */
    uint8_t *big;      /* by merge */

    /* By condensed cluster, the root first: one is after the one above it. */
    uint32_t *top, *lowest; /* merges */
    uint32_t *above;        /* the cluster that it is split from; BI_HDBSCAN_NONE: the root */
    double *birth, *death;  /* the least and the greatest density */
    double *size, *stability;

    /* Big merges in the order of (cluster, merge). */
    int64_t merges;
    uint32_t *cluster_at, *merge_at;
    double *stability_at; /* the part of the cluster's stability; then the inclusive sums */
    uint8_t *heads;       /* 1: the first one of its cluster */

    /* Selection, by condensed cluster. */
    const uint32_t *selected; /* the selected cluster that holds it; BI_HDBSCAN_NONE: none */
    const double *greatest;   /* the greatest density in it and in the clusters below */
    double root_density;      /* points that leave the selected root at less are noise */
    uint32_t *first_row;

    /* By point. */
    uint32_t *leaves;   /* the merge at which it leaves its cluster */
    uint32_t *is_first; /* 1: the first row of a selected cluster; then the exclusive sums */
    uint8_t *noise;
    void *labels;
    bool is_64bit;
    double *probabilities, *outlier_scores; /* may be NULL */

    /* The condensed tree of the caller; each may be NULL. */
    int64_t *leaves_of; /* by point: the condensed cluster */
    double *densities;
    bosc_hdbscan_cluster *clusters;

    double distance; /* of a cut; first_row is then by merge */
};

/* Returns the density at the distance of a merge. */
BI_FN double bi_hdbscan_density(const struct bi_hdbscan *a, int64_t merge)
{
    const double distance = a->z[4 * merge + 2];
    return distance > 0 ? 1 / distance : (double)INFINITY;
}

/* Returns the points of a node: a point, or n + a merge. */
BI_FN double bi_hdbscan_size(const struct bi_hdbscan *a, int64_t node)
{
    return node < a->n ? 1 : a->z[4 * (node - a->n) + 3];
}

BI_FN bool bi_hdbscan_is_big(const struct bi_hdbscan *a, int64_t merge)
{
    return a->z[4 * merge + 3] >= a->min_size || merge == a->n - 2;
}

/* True if z names two earlier nodes in row t. */
BI_FN bool bi_hdbscan_names_nodes(const struct bi_hdbscan *a, int64_t t)
{
    const double x = a->z[4 * t], y = a->z[4 * t + 1], end = (double)(a->n + t);
    return x >= 0 && x < end && y >= 0 && y < end && x == (double)(int64_t)x && y == (double)(int64_t)y;
}

/* Sets the parents of the two nodes of merge t: the first of several merges. */
BI_FN void bi_step_hdbscan_link(const struct bi_hdbscan *a, int64_t t)
{
    if (!bi_hdbscan_names_nodes(a, t)) {
        bi_atomic_min_i64(a->bad, t);
        return;
    }
    bi_atomic_min_u32(&a->parent[(int64_t)a->z[4 * t]], (uint32_t)t);
    bi_atomic_min_u32(&a->parent[(int64_t)a->z[4 * t + 1]], (uint32_t)t);
}

/* Checks merge t: its nodes have no earlier merge, distances ascend, and sizes add up. */
BI_FN void bi_step_hdbscan_check(const struct bi_hdbscan *a, int64_t t)
{
    if (!bi_hdbscan_names_nodes(a, t)) return;
    const int64_t x = (int64_t)a->z[4 * t], y = (int64_t)a->z[4 * t + 1];
    const double distance = a->z[4 * t + 2], least = t > 0 ? a->z[4 * t - 2] : 0;
    const bool ok = x != y && a->parent[x] == (uint32_t)t && a->parent[y] == (uint32_t)t && distance >= least &&
                    a->z[4 * t + 3] == bi_hdbscan_size(a, x) + bi_hdbscan_size(a, y);
    if (!ok) bi_atomic_min_i64(a->bad, t);
}

/* Sets cluster[t] to the merge above t in the same condensed cluster; a top stores itself. Item i is merge n - 2 - i:
 * a loop visits the merges above first. */
BI_FN void bi_step_hdbscan_find_above(const struct bi_hdbscan *a, int64_t i)
{
    const int64_t t = a->n - 2 - i, node = a->n + t;
    const bool big = bi_hdbscan_is_big(a, t);
    uint32_t above = big ? (uint32_t)t : BI_HDBSCAN_NONE;
    if (big && i > 0) {
        const int64_t p = a->parent[node], x = (int64_t)a->z[4 * p], y = (int64_t)a->z[4 * p + 1];
        if (!(bi_hdbscan_size(a, x == node ? y : x) >= a->min_size)) above = (uint32_t)p;
    }
    a->big[t] = big;
    a->cluster[t] = above;
}

/* Replaces the merge above by the top one. If the path is long: by one nearer to the top, and sets the flag. */
BI_FN void bi_step_hdbscan_ascend(const struct bi_hdbscan *a, int64_t i)
{
    const int64_t t = a->n - 2 - i;
    if (a->cluster[t] == BI_HDBSCAN_NONE) return;
    if (!bi_uf_ascend(a->cluster, (uint32_t)t)) bi_atomic_or_u32(a->flag, 1);
}

/* Marks the tops. Item i is merge n - 2 - i here and in the next step. */
BI_FN void bi_step_hdbscan_mark_tops(const struct bi_hdbscan *a, int64_t i)
{
    const int64_t t = a->n - 2 - i;
    a->number[i] = a->cluster[t] == (uint32_t)t;
}

/* Stores the top of each cluster. */
BI_FN void bi_step_hdbscan_list_tops(const struct bi_hdbscan *a, int64_t i)
{
    const int64_t t = a->n - 2 - i;
    if (a->cluster[t] == (uint32_t)t) a->top[a->number[i] - 1] = (uint32_t)t;
}

/* Replaces tops by the numbers of their clusters. */
BI_FN void bi_step_hdbscan_number(const struct bi_hdbscan *a, int64_t t)
{
    if (a->cluster[t] == BI_HDBSCAN_NONE) return;
    const uint32_t cluster = a->number[a->n - 2 - a->cluster[t]] - 1;
    a->cluster[t] = cluster;
    if ((uint32_t)t < bi_atomic_load_u32(&a->lowest[cluster])) bi_atomic_min_u32(&a->lowest[cluster], (uint32_t)t);
}

/* Sets the fields of condensed cluster c. */
BI_FN void bi_step_hdbscan_describe(const struct bi_hdbscan *a, int64_t c)
{
    const uint32_t split = a->parent[a->n + a->top[c]];
    a->above[c] = c == 0 ? BI_HDBSCAN_NONE : a->cluster[split];
    a->birth[c] = c == 0 ? 0 : bi_hdbscan_density(a, split);
    a->death[c] = bi_hdbscan_density(a, a->lowest[c]);
    a->size[c] = a->z[4 * (int64_t)a->top[c] + 3];
    a->first_row[c] = BI_HDBSCAN_NONE;
}

/* Gathers the clusters of big merges. Items are positions. */
BI_FN void bi_step_hdbscan_gather(const struct bi_hdbscan *a, int64_t p)
{
    a->cluster_at[p] = a->cluster[a->merge_at[p]];
}

/* The stability of the points that leave the cluster at a merge: all points, or all outside of its one big node. */
BI_FN void bi_step_hdbscan_measure(const struct bi_hdbscan *a, int64_t p)
{
    const uint32_t t = a->merge_at[p], c = a->cluster_at[p];
    const double x = bi_hdbscan_size(a, (int64_t)a->z[4 * (int64_t)t]),
                 y = bi_hdbscan_size(a, (int64_t)a->z[4 * (int64_t)t + 1]), least = a->min_size;
    const double points = x >= least && y < least ? y : y >= least && x < least ? x : x + y;
    a->stability_at[p] = (bi_hdbscan_density(a, t) - a->birth[c]) * points;
    a->heads[p] = p == 0 || a->cluster_at[p - 1] != c;
}

/* Stores the sum at the last merge of each cluster. */
BI_FN void bi_step_hdbscan_store_stability(const struct bi_hdbscan *a, int64_t p)
{
    const uint32_t c = a->cluster_at[p];
    if (p == a->merges - 1 || a->cluster_at[p + 1] != c) a->stability[c] = a->stability_at[p];
}

/* The selected cluster of point v; BI_HDBSCAN_NONE: noise. */
BI_FN uint32_t bi_hdbscan_selected_of(const struct bi_hdbscan *a, int64_t v)
{
    const uint32_t leaves = a->leaves[v], selected = a->selected[a->cluster[leaves]];
    if (selected == 0 && !(bi_hdbscan_density(a, leaves) >= a->root_density)) return BI_HDBSCAN_NONE;
    return selected;
}

/* Finds the merge at which point v leaves: the lowest big one above it. The loop passes fewer than min_size merges. */
BI_FN void bi_step_hdbscan_find_leaving(const struct bi_hdbscan *a, int64_t v)
{
    uint32_t t = a->parent[v];
    while (!a->big[t]) t = a->parent[a->n + t];
    a->leaves[v] = t;
    const uint32_t selected = bi_hdbscan_selected_of(a, v);
    a->is_first[v] = 0;
    a->noise[v] = selected == BI_HDBSCAN_NONE;
    if (selected == BI_HDBSCAN_NONE) return;
    if ((uint32_t)v < bi_atomic_load_u32(&a->first_row[selected]))
        bi_atomic_min_u32(&a->first_row[selected], (uint32_t)v);
}

/* Marks the first row of condensed cluster c. */
BI_FN void bi_step_hdbscan_mark_first(const struct bi_hdbscan *a, int64_t c)
{
    if (a->first_row[c] != BI_HDBSCAN_NONE) a->is_first[a->first_row[c]] = 1;
}

/* Writes the results of point v. */
BI_FN void bi_step_hdbscan_write(const struct bi_hdbscan *a, int64_t v)
{
    const uint32_t selected = bi_hdbscan_selected_of(a, v);
    const double density = bi_hdbscan_density(a, a->leaves[v]);
    const int64_t label = selected == BI_HDBSCAN_NONE ? -1 : (int64_t)a->is_first[a->first_row[selected]];
    bi_set_word(a->labels, a->is_64bit, v, (uint64_t)label);
    if (a->probabilities) {
        const double death = label < 0 ? 0 : a->death[selected];
        a->probabilities[v] = label < 0 ? 0 : death == 0 || density >= death ? 1 : density / death;
    }
    if (a->outlier_scores) {
        const double most = a->greatest[a->cluster[a->leaves[v]]];
        a->outlier_scores[v] = most == 0 || density >= most ? 0 : most < (double)INFINITY ? (most - density) / most : 1;
    }
}

/* Writes the condensed cluster that point v leaves, and the density. */
BI_FN void bi_step_hdbscan_write_leaving(const struct bi_hdbscan *a, int64_t v)
{
    if (a->leaves_of) a->leaves_of[v] = a->cluster[a->leaves[v]];
    if (a->densities) a->densities[v] = bi_hdbscan_density(a, a->leaves[v]);
}

/* Writes condensed cluster c. A selected cluster without a first row has no points: the root beside others. */
BI_FN void bi_step_hdbscan_write_cluster(const struct bi_hdbscan *a, int64_t c)
{
    bosc_hdbscan_cluster *to = &a->clusters[c];
    const uint32_t selected = a->selected[c],
                   first = selected == BI_HDBSCAN_NONE ? BI_HDBSCAN_NONE : a->first_row[selected];
    to->parent = c == 0 ? -1 : (int64_t)a->above[c];
    to->label = first == BI_HDBSCAN_NONE ? -1 : (int64_t)a->is_first[first];
    to->points = (int64_t)a->size[c];
    to->birth = a->birth[c];
    to->death = a->death[c];
    to->stability = a->stability[c];
}

/* ---- cuts ---- */

/* The merge above merge n - 2 - i within the distance; BI_HDBSCAN_NONE: it is farther itself. */
BI_FN void bi_step_cut_find_above(const struct bi_hdbscan *a, int64_t i)
{
    const int64_t t = a->n - 2 - i, above = i > 0 ? (int64_t)a->parent[a->n + t] : t;
    a->first_row[t] = BI_HDBSCAN_NONE;
    a->cluster[t] = !(a->z[4 * t + 2] <= a->distance)    ? BI_HDBSCAN_NONE
                    : a->z[4 * above + 2] <= a->distance ? (uint32_t)above
                                                         : (uint32_t)t;
}

/* Proposes row v as the first of its cluster. */
BI_FN void bi_step_cut_find_first(const struct bi_hdbscan *a, int64_t v)
{
    const uint32_t top = a->cluster[a->parent[v]];
    a->is_first[v] = top == BI_HDBSCAN_NONE;
    if (top == BI_HDBSCAN_NONE) return;
    if ((uint32_t)v < bi_atomic_load_u32(&a->first_row[top])) bi_atomic_min_u32(&a->first_row[top], (uint32_t)v);
}

/* Marks the first row of the cluster of top merge t. */
BI_FN void bi_step_cut_mark_first(const struct bi_hdbscan *a, int64_t t)
{
    if (a->first_row[t] != BI_HDBSCAN_NONE) a->is_first[a->first_row[t]] = 1;
}

/* Writes the label of point v. A point without a merge within the distance is a cluster. */
BI_FN void bi_step_cut_write(const struct bi_hdbscan *a, int64_t v)
{
    const uint32_t top = a->cluster[a->parent[v]];
    ((int64_t *)a->labels)[v] = a->is_first[top == BI_HDBSCAN_NONE ? (uint32_t)v : a->first_row[top]];
}

#endif
