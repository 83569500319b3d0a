/* Steps of the density-based validity of clusters. */
#ifndef BI_CLUSTER_STEPS_VALIDITY_H
#define BI_CLUSTER_STEPS_VALIDITY_H

#include "base/elementary.h"
#include "cluster/steps/members.h"

#define BI_VALIDITY_NONE UINT32_MAX

/* Distances are doubles of 0 or more: the order of their bits is theirs. */
struct bi_cluster_validity {
    struct bi_cluster_members m;
    bool raw;             /* core distances are 0 */
    double *core;         /* by position */
    double *distance;     /* by position: to the tree when it joins */
    uint32_t *turn;       /* by position: when it joins the tree of its cluster; BI_VALIDITY_NONE: not yet */
    uint32_t *parent;     /* by position: the first position in the tree at that distance */
    uint32_t *degree;     /* by position */
    uint8_t *inner;       /* by position: 1 if it counts for separations */
    uint32_t now;         /* the turn */
    uint32_t *last;       /* by label: the position that joined last */
    uint32_t *next;       /* by label: the first position at the least distance */
    uint64_t *least;      /* by label: the least distance to the tree; then the separation */
    uint64_t *all;        /* by label: the complement of the longest edge */
    uint64_t *within;     /* the same of edges between inner points */
    const uint32_t *list; /* the inner positions, ascending */
    int64_t inner_count;
};

/* Returns x^k, k >= 1, by squares. */
BI_FN double bi_cluster_power(double x, int32_t k)
{
    double y = 1;
    for (; k > 1; k >>= 1) {
        if (k & 1) y *= x;
        x *= x;
    }
    return x * y;
}

/* Computes the core distance of position p over all points of its cluster: ((sum of d^-dim) / (m - 1))^(-1 / dim).
 * Distances are relative to the least one, so that powers do not overflow. Equal points do not count in the sum. */
BI_FN void bi_step_validity_core(const struct bi_cluster_validity *a, int64_t p)
{
    const struct bi_cluster_members *m = &a->m;
    const int64_t begin = m->begin[m->label[p]], end = m->begin[m->label[p] + 1];
    const double *x = m->x + p * m->dim;
    double least = BI_INFINITY, sum = 0;
    /* 1. The least distance other than 0. */
    for (int64_t q = begin; q < end && !a->raw; q++) {
        const double d2 = bi_cluster_dist2(x, m->x + q * m->dim, m->dim);
        if (d2 > 0 && d2 < least) least = d2;
    }
    a->core[p] = 0;
    if (!(least < BI_INFINITY)) return;
    /* 2. The sum of powers. */
    for (int64_t q = begin; q < end; q++) {
        const double d2 = bi_cluster_dist2(x, m->x + q * m->dim, m->dim);
        if (d2 > 0) sum += bi_cluster_power(bi_sqrt(least / d2), m->dim);
    }
    a->core[p] = bi_sqrt(least) * bi_exp_f64(-bi_log_f64(sum / (double)(end - begin - 1)) / m->dim);
}

/* Returns the length of edge (p, q) under mutual reachability. */
BI_FN double bi_validity_length(const struct bi_cluster_validity *a, int64_t p, int64_t q)
{
    const double d = bi_sqrt(bi_cluster_dist2(a->m.x + p * a->m.dim, a->m.x + q * a->m.dim, a->m.dim)),
                 core = a->core[p] > a->core[q] ? a->core[p] : a->core[q];
    return d > core ? d : core;
}

/* Begins: position p is outside of its tree, but the first one of a cluster is the tree. */
BI_FN void bi_step_validity_begin(const struct bi_cluster_validity *a, int64_t p)
{
    const uint32_t c = a->m.label[p];
    const bool first = p == a->m.begin[c];
    a->distance[p] = BI_INFINITY;
    a->turn[p] = first ? 0 : BI_VALIDITY_NONE;
    a->degree[p] = 0;
    if (first) a->last[c] = (uint32_t)p;
}

/* Lowers the distance of position p to its tree. */
BI_FN void bi_step_validity_advance(const struct bi_cluster_validity *a, int64_t p)
{
    if (a->turn[p] != BI_VALIDITY_NONE) return;
    const uint32_t c = a->m.label[p];
    const double d = bi_validity_length(a, p, a->last[c]);
    if (d < a->distance[p]) a->distance[p] = d;
    const uint64_t bits = bi_f64_bits(a->distance[p]);
    if (bits < bi_atomic_load_u64(&a->least[c])) bi_atomic_min_u64(&a->least[c], bits);
}

/* Proposes position p to join its tree. */
BI_FN void bi_step_validity_propose(const struct bi_cluster_validity *a, int64_t p)
{
    if (a->turn[p] != BI_VALIDITY_NONE) return;
    const uint32_t c = a->m.label[p];
    if (bi_f64_bits(a->distance[p]) == a->least[c] && (uint32_t)p < bi_atomic_load_u32(&a->next[c]))
        bi_atomic_min_u32(&a->next[c], (uint32_t)p);
}

/* Joins the proposed position to the tree of cluster c. */
BI_FN void bi_step_validity_join(const struct bi_cluster_validity *a, int64_t c)
{
    const uint32_t p = a->next[c];
    if (p == BI_VALIDITY_NONE) return;
    a->turn[p] = a->now;
    a->last[c] = p;
    a->next[c] = BI_VALIDITY_NONE;
    a->least[c] = UINT64_MAX;
}

/* Finds the parent of position p: the first earlier one at its distance. */
BI_FN void bi_step_validity_attach(const struct bi_cluster_validity *a, int64_t p)
{
    const uint32_t c = a->m.label[p];
    a->parent[p] = BI_VALIDITY_NONE;
    if (a->turn[p] == 0) return;
    for (int64_t q = a->m.begin[c]; q < a->m.begin[c + 1] && a->parent[p] == BI_VALIDITY_NONE; q++)
        if (a->turn[q] < a->turn[p] && bi_validity_length(a, p, q) == a->distance[p]) a->parent[p] = (uint32_t)q;
    if (a->parent[p] == BI_VALIDITY_NONE) return; /* never: distances are computed again by the same operations */
    bi_atomic_fetch_add_u32(&a->degree[p], 1);
    bi_atomic_fetch_add_u32(&a->degree[a->parent[p]], 1);
}

/* Marks position p if it is inner: of several edges, or the first one of two points. */
BI_FN void bi_step_validity_mark(const struct bi_cluster_validity *a, int64_t p)
{
    const uint32_t c = a->m.label[p];
    const int64_t begin = a->m.begin[c];
    a->inner[p] = a->degree[p] > 1 || (p == begin && a->m.begin[c + 1] == begin + 2);
}

/* Raises the longest edges of a cluster to that of position p. */
BI_FN void bi_step_validity_measure(const struct bi_cluster_validity *a, int64_t p)
{
    const uint32_t c = a->m.label[p], q = a->parent[p];
    if (q == BI_VALIDITY_NONE) return;
    const uint64_t bits = ~bi_f64_bits(a->distance[p]);
    bi_atomic_min_u64(&a->all[c], bits);
    if (a->inner[p] && a->inner[q]) bi_atomic_min_u64(&a->within[c], bits);
}

/* Begins the separation of cluster c: infinite. */
BI_FN void bi_step_validity_clear(const struct bi_cluster_validity *a, int64_t c)
{
    a->least[c] = bi_f64_bits(BI_INFINITY);
}

/* Lowers the separation of a cluster to the least distance from inner point i to those of other clusters. */
BI_FN void bi_step_validity_separate(const struct bi_cluster_validity *a, int64_t i)
{
    const uint32_t p = a->list[i], c = a->m.label[p];
    double least = bi_f64_from_bits(bi_atomic_load_u64(&a->least[c]));
    bool found = false;
    for (int64_t k = 0; k < a->inner_count; k++) {
        const uint32_t q = a->list[k];
        if (a->m.label[q] == c || a->core[p] >= least || a->core[q] >= least) continue;
        const double d = bi_validity_length(a, p, q);
        found = found || d < least;
        least = d < least ? d : least;
    }
    if (found) bi_atomic_min_u64(&a->least[c], bi_f64_bits(least));
}

#endif
