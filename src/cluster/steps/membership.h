/* Steps of soft clustering: exemplars, and the memberships of points in all clusters, as in the hdbscan package. */
#ifndef BI_CLUSTER_STEPS_MEMBERSHIP_H
#define BI_CLUSTER_STEPS_MEMBERSHIP_H

#include <boscage/device/kdtree.h>

#include "base/elementary.h"
#include "cluster/steps/members.h"
#include "cluster/steps/predict.h"

/* Exemplars: the points of greatest density in condensed clusters without clusters below. */
struct bi_hdbscan_exemplars {
    const int64_t *leaves;
    const double *densities;
    const bosc_hdbscan_cluster *clusters;
    int64_t n, count, labels; /* points, condensed clusters, selected clusters */
    uint8_t *is_split;        /* by condensed cluster */
    int64_t *bad;             /* [0]: the lowest cluster with a label that is not below `labels` */
    uint32_t *label;          /* by point; `labels`: no exemplar */
    const uint32_t *row;      /* by position */
    int64_t *rows;            /* the caller's */
};

/* Marks the parent of condensed cluster c, and checks the label. */
BI_FN void bi_step_exemplars_find_split(const struct bi_hdbscan_exemplars *a, int64_t c)
{
    const bosc_hdbscan_cluster *cluster = &a->clusters[c];
    if (cluster->parent >= 0) a->is_split[cluster->parent] = 1; /* all writers store 1 */
    if (cluster->label < -1 || cluster->label >= a->labels) bi_atomic_min_i64(a->bad, c);
}

/* Writes the label of point v if it is an exemplar. */
BI_FN void bi_step_exemplars_find(const struct bi_hdbscan_exemplars *a, int64_t v)
{
    const int64_t c = a->leaves[v];
    const bool found =
        c >= 0 && !a->is_split[c] && a->clusters[c].label >= 0 && a->densities[v] == a->clusters[c].death;
    a->label[v] = (uint32_t)(found ? a->clusters[c].label : a->labels);
}

BI_FN void bi_step_exemplars_write(const struct bi_hdbscan_exemplars *a, int64_t p) { a->rows[p] = a->row[p]; }

#define BI_MEMBERSHIP_SLACK \
    1e-8 /* of a density: no division by 0. The hdbscan package adds it to densities of any scale */
#define BI_MEMBERSHIP_LARGEST 0x1.fffffffffffffp1023
#define BI_MEMBERSHIP_NONE 0x7f7f7f7f7f7f7f7f /* no condensed cluster: beyond all, of equal bytes */

struct bi_hdbscan_membership {
    struct bi_hdbscan_predict p; /* the model, and the nearest points of queries */
    int64_t labels;
    int64_t *chosen; /* by label: the selected condensed cluster; BI_MEMBERSHIP_NONE */
    /* Nodes of the tree in order, and their rows as doubles. */
    const void *nodes, *ids;
    bosc_dtype dtype;
    int32_t dim;
    double *x; /* (n, dim) by row, times a power of two: memberships are ratios of distances */
    /* Exemplars by label, and their first positions. */
    const uint32_t *exemplars;
    const int64_t *begin;
    const double *queries; /* (points or queries, dim): x, or the queries times the same power of two */
    double *memberships;   /* (points or queries, labels) */
};

/* Writes node i to the row of its point. */
BI_FN void bi_step_membership_scatter(const struct bi_hdbscan_membership *a, int64_t i)
{
    const int64_t row = (int64_t)bi_word(a->ids, a->p.ids_64bit, i);
    for (int32_t c = 0; c < a->dim; c++)
        a->x[row * a->dim + c] = bosc_kdtree_number(a->nodes, i * a->dim + c, a->dtype);
}

/* Stores condensed cluster c if it is selected: the highest one with its label. */
BI_FN void bi_step_membership_choose(const struct bi_hdbscan_membership *a, int64_t c)
{
    const bosc_hdbscan_cluster *cluster = &a->p.clusters[c];
    if (cluster->label < 0) return;
    if (cluster->parent >= 0 && a->p.clusters[cluster->parent].label == cluster->label) return;
    bi_atomic_min_i64(&a->chosen[cluster->label], c);
}

/* Returns x / y of numbers of 0 or more: 1 if both are infinite, 0 if both are 0. */
BI_FN double bi_membership_ratio(double x, double y) { return x == y ? (x > 0 ? 1 : 0) : x / y; }

/* Returns the density at which a point of condensed cluster c, which leaves at `density`, joins label k: 0 without
 * one. A cluster has a lesser number than those below it, so the greater of two ascends until they are one. */
BI_FN double bi_membership_height(const struct bi_hdbscan_membership *a, int64_t c, double density, int64_t k)
{
    int64_t left = c, right = a->chosen[k], last = c;
    bool from_left = false, from_right = false;
    if (right == BI_MEMBERSHIP_NONE || c < 0) return 0;
    while (left != right) {
        if (left > right) {
            from_left = true;
            last = left;
            left = a->p.clusters[left].parent;
        } else {
            from_right = true;
            last = right;
            right = a->p.clusters[right].parent;
        }
    }
    return from_left && from_right ? a->p.clusters[last].birth : density;
}

/* Returns the squared distance from query q to the nearest exemplar of label k. */
BI_FN double bi_membership_dist2(const struct bi_hdbscan_membership *a, int64_t q, int64_t k)
{
    double least = BI_INFINITY;
    for (int64_t e = a->begin[k]; e < a->begin[k + 1]; e++) {
        const double *y = a->x + (int64_t)a->exemplars[e] * a->dim;
        double sum = 0;
        for (int32_t c = 0; c < a->dim; c++) {
            const double gap = a->queries[q * a->dim + c] - y[c];
            sum += gap * gap;
        }
        least = sum < least ? sum : least;
    }
    return least;
}

/* Writes the distance part of the memberships of query q to `to`: the inverse distances, with sum 1. */
BI_FN void bi_membership_distances(const struct bi_hdbscan_membership *a, int64_t q, double *to)
{
    const double largest = BI_MEMBERSHIP_LARGEST / (double)a->labels;
    double sum = 0;
    for (int64_t k = 0; k < a->labels; k++) {
        const double d2 = bi_membership_dist2(a, q, k), inverse = d2 > 0 ? 1 / bi_sqrt(d2) : largest;
        to[k] = inverse < largest ? inverse : largest;
        sum += to[k];
    }
    for (int64_t k = 0; k < a->labels; k++) to[k] = sum > 0 ? to[k] / sum : 0;
}

/* Scales `to` to the sum `whole`. */
BI_FN void bi_membership_scale(const struct bi_hdbscan_membership *a, double *to, double whole)
{
    double sum = 0;
    for (int64_t k = 0; k < a->labels; k++) sum += to[k];
    for (int64_t k = 0; k < a->labels; k++) to[k] = sum > 0 ? to[k] / sum * whole : 0;
}

/* Finds the label that a point of condensed cluster c joins at the greatest density, and that density: the one that is
 * born first of several. */
BI_FN int64_t bi_membership_nearest(const struct bi_hdbscan_membership *a, int64_t c, double density, double *height)
{
    int64_t nearest = -1;
    *height = 0;
    for (int64_t k = 0; k < a->labels; k++) {
        const double h = bi_membership_height(a, c, density, k);
        if (a->chosen[k] == BI_MEMBERSHIP_NONE) continue;
        if (nearest >= 0 && !(h > *height || (h == *height && a->chosen[k] < a->chosen[nearest]))) continue;
        nearest = k;
        *height = h;
    }
    return nearest;
}

/* Writes the memberships of clustered point v: by distances to exemplars, and by the densities of joins. */
BI_FN void bi_step_membership_points(const struct bi_hdbscan_membership *a, int64_t v)
{
    const int64_t c = a->p.leaves[v];
    double *to = a->memberships + v * a->labels;
    const double density = a->p.densities[v], most = c < 0 ? 0 : a->p.clusters[c].death * (1 + BI_MEMBERSHIP_SLACK);
    double height, sum = 0;
    /* 1. Both parts. The second one is a softmax of scores below 1: no exponent overflows. */
    bi_membership_distances(a, v, to);
    for (int64_t k = 0; k < a->labels; k++) {
        const double h = bi_membership_height(a, c, density, k);
        sum += bi_exp_f64(bi_exp_f64(h > 0 ? -bi_membership_ratio(most, h) : -BI_INFINITY));
    }
    for (int64_t k = 0; k < a->labels; k++) {
        const double h = bi_membership_height(a, c, density, k);
        to[k] *= bi_exp_f64(bi_exp_f64(h > 0 ? -bi_membership_ratio(most, h) : -BI_INFINITY)) / sum;
    }
    /* 2. The probability of any cluster. */
    const int64_t nearest = bi_membership_nearest(a, c, density, &height);
    const double death = nearest < 0 ? 0 : a->p.clusters[a->chosen[nearest]].death;
    bi_membership_scale(a, to, bi_membership_ratio(height, death > density ? death : density));
}

/* The score of a join at density h, of clusters with points to density `most`. */
BI_FN double bi_membership_score(double most, double h)
{
    const double gap = most - h;
    if (!(most < BI_INFINITY)) return h < BI_INFINITY ? 1 : BI_MEMBERSHIP_LARGEST;
    return gap > 0 ? most / gap : 1 / BI_MEMBERSHIP_SLACK;
}

/* Writes the memberships of query q, which joins the nearest point by mutual reachability. */
BI_FN void bi_step_membership_queries(const struct bi_hdbscan_membership *a, int64_t q)
{
    double distance2 = 0, height, greatest = 0, sum = 0;
    double *to = a->memberships + q * a->labels;
    const int64_t nearest = bi_hdbscan_nearest(&a->p, q, &distance2), c = nearest < 0 ? -1 : a->p.leaves[nearest];
    /* 1. The density at which it joins. */
    double density = distance2 > 0 ? 1 / bi_sqrt(distance2) : BI_MEMBERSHIP_LARGEST;
    if (nearest >= 0 && a->p.densities[nearest] <= density) density = a->p.densities[nearest];
    const double most = c < 0 ? 0 : a->p.clusters[c].death;
    /* 2. Both parts: the root of the one, the square of the other. */
    bi_membership_distances(a, q, to);
    for (int64_t k = 0; k < a->labels; k++) {
        const double score = bi_membership_score(most, bi_membership_height(a, c, density, k));
        greatest = k == 0 || score > greatest ? score : greatest;
    }
    for (int64_t k = 0; k < a->labels; k++)
        sum += bi_exp_f64(bi_membership_score(most, bi_membership_height(a, c, density, k)) - greatest);
    for (int64_t k = 0; k < a->labels; k++) {
        const double part =
            bi_exp_f64(bi_membership_score(most, bi_membership_height(a, c, density, k)) - greatest) / sum;
        to[k] = bi_sqrt(to[k]) * (part * part);
    }
    /* 3. The probability of any cluster. */
    const int64_t label = bi_membership_nearest(a, c, density, &height);
    const double death = label < 0 ? 0 : a->p.clusters[a->chosen[label]].death;
    const double top = death > density ? death : density;
    /* A query at distance 0 has the largest density, in place of infinity, and is in a cluster as its points are. */
    const bool is_apart = height < BI_MEMBERSHIP_LARGEST;
    bi_membership_scale(a, to, is_apart ? bi_membership_ratio(height, top * (1 + BI_MEMBERSHIP_SLACK)) : 1);
}

#endif
