/* Selection of clusters from a condensed tree, as scikit-learn does: by excess of mass or leaves, joined below a
 * distance. Sources: Campello, Moulavi, Zimek, Sander (2015); Malzer, Baum, A Hybrid Approach to Hierarchical
 * Density-based Cluster Selection (2020). */
#include "cluster/condensed.h"

#include <math.h>

enum { UNSELECTED = 0, SELECTED = 1, COVERED = 2 };

/* Returns the distance at which a cluster separates from its sibling. */
static double separation(const struct bi_condensed *t, int64_t c) { return 1 / t->birth[c]; }

/* Marks the clusters without clusters in them, if there are several clusters. */
static void select_leaves(struct bi_condensed *t)
{
    for (int64_t c = 0; c < t->count; c++) t->marks[c] = t->count > 1 ? SELECTED : UNSELECTED;
    for (int64_t c = 1; c < t->count; c++) t->marks[t->above[c]] = UNSELECTED;
}

/* Marks the disjoint clusters of the greatest stability. */
static void select_eom(struct bi_condensed *t, const bosc_hdbscan_opts *o)
{
    const double most = o->max_cluster_size ? (double)o->max_cluster_size : (double)t->n + 1;
    double split_points = 0;
    for (int64_t c = 0; c < t->count; c++) t->below[c] = 0;
    for (int64_t c = 1; c < t->count; c++)
        if (t->above[c] == 0) split_points += t->size[c];
    /* 1. From the leaves up: a cluster stays if it is as stable as the selected ones in it. */
    for (int64_t c = t->count - 1; c >= (o->allow_single_cluster ? 0 : 1); c--) {
        const double size = c == 0 ? split_points : t->size[c]; /* of the root: without points that leave it */
        t->marks[c] = !(t->below[c] > t->stability[c] || size > most);
        if (!t->marks[c]) t->stability[c] = t->below[c];
        if (c > 0) t->below[t->above[c]] += t->stability[c];
    }
    if (!o->allow_single_cluster) t->marks[0] = UNSELECTED;
    /* 2. From the root down: a cluster in a selected one is not selected. */
    for (int64_t c = 1; c < t->count; c++)
        if (t->marks[t->above[c]] != UNSELECTED) t->marks[c] = COVERED;
    for (int64_t c = 0; c < t->count; c++)
        if (t->marks[c] == COVERED) t->marks[c] = UNSELECTED;
}

/* Returns the lowest cluster above c that separates farther than epsilon. Without one: the root if it may be selected,
 * else the cluster below the root. */
static int64_t ascend_to(const struct bi_condensed *t, int64_t c, const bosc_hdbscan_opts *o)
{
    while (t->above[c] != 0) {
        c = t->above[c];
        if (separation(t, c) > o->epsilon) return c;
    }
    return o->allow_single_cluster ? 0 : c;
}

/* Replaces selected clusters that separate at less than epsilon by those of ascend_to(). A selected root stays. */
static void join_near(struct bi_condensed *t, const bosc_hdbscan_opts *o)
{
    if (t->marks[0] == SELECTED) return;
    for (int64_t c = 0; c < t->count; c++) t->selected[c] = 0;
    for (int64_t c = 1; c < t->count; c++)
        if (t->marks[c] == SELECTED) t->selected[separation(t, c) < o->epsilon ? ascend_to(t, c, o) : c] = 1;
    for (int64_t c = 0; c < t->count; c++) t->marks[c] = (uint8_t)t->selected[c];
}

void bi_condensed_select(struct bi_condensed *t, const bosc_hdbscan_opts *o)
{
    int64_t chosen = 0;
    /* 1. Mark the selected clusters. */
    if (o->selection == BOSC_HDBSCAN_LEAF)
        select_leaves(t);
    else
        select_eom(t, o);
    if (o->epsilon != 0 && t->count > 1) join_near(t, o);
    /* 2. Find the selected cluster over each cluster: the nearest one. */
    for (int64_t c = 0; c < t->count; c++) {
        t->selected[c] = t->marks[c] ? (uint32_t)c : c == 0 ? BI_HDBSCAN_NONE : t->selected[t->above[c]];
        chosen += t->marks[c];
        t->greatest[c] = t->death[c];
    }
    /* 3. Find the greatest densities, and the least one at which points stay in the selected root. NaN: no point stays,
     * as scikit-learn keeps points in the root only if no other cluster is selected. */
    for (int64_t c = t->count - 1; c > 0; c--)
        if (t->greatest[c] > t->greatest[t->above[c]]) t->greatest[t->above[c]] = t->greatest[c];
    t->root_density = chosen > 1 ? (double)NAN : o->epsilon != 0 ? 1 / o->epsilon : t->death[0];
}
