/* Steps of the centers of clusters: weighted means, and medoids. */
#ifndef BI_CLUSTER_STEPS_CENTERS_H
#define BI_CLUSTER_STEPS_CENTERS_H

#include "base/elementary.h"
#include "cluster/steps/members.h"

#define BI_CENTERS_NONE UINT32_MAX

struct bi_cluster_centers {
    struct bi_cluster_members m;
    int32_t coordinate; /* that is summed; -1: the weights are */
    uint8_t *heads;     /* by position: 1 for the first one of a cluster */
    double *sums;       /* by position: terms, then the inclusive sums of each cluster */
    double *mass;       /* by label: the sum of weights */
    double *centroids;  /* (clusters, dim) */
    double *cost;       /* by position: the weighted sum of distances */
    uint64_t *least;    /* by label: the bits of the least cost */
    uint32_t *first;    /* by label: the first position with it */
    int64_t *medoids;   /* by label: the row; -1: no point */
};

/* Writes the term of position p. */
BI_FN void bi_step_centers_weigh(const struct bi_cluster_centers *a, int64_t p)
{
    const double w = a->m.weight[p];
    a->heads[p] = p == a->m.begin[a->m.label[p]];
    a->sums[p] = a->coordinate < 0 ? w : w * a->m.x[p * a->m.dim + a->coordinate];
}

/* Stores the sum of cluster c, or its mean in the coordinate: NaN without weight. */
BI_FN void bi_step_centers_store(const struct bi_cluster_centers *a, int64_t c)
{
    const int64_t end = a->m.begin[c + 1];
    const double sum = end == a->m.begin[c] ? 0 : a->sums[end - 1];
    if (a->coordinate < 0)
        a->mass[c] = sum;
    else
        a->centroids[c * a->m.dim + a->coordinate] = a->mass[c] > 0 ? sum / a->mass[c] : BI_QUIET_NAN;
}

/* Sums the weighted distances from position p to its cluster, by ascending positions. */
BI_FN void bi_step_medoids_measure(const struct bi_cluster_centers *a, int64_t p)
{
    const struct bi_cluster_members *m = &a->m;
    const uint32_t c = m->label[p];
    const double *x = m->x + p * m->dim;
    double sum = 0;
    for (int64_t q = m->begin[c]; q < m->begin[c + 1]; q++)
        if (m->weight[q] > 0) sum += m->weight[q] * bi_sqrt(bi_cluster_dist2(x, m->x + q * m->dim, m->dim));
    a->cost[p] = sum;
    const uint64_t bits = bi_f64_bits(sum);
    if (bits < bi_atomic_load_u64(&a->least[c])) bi_atomic_min_u64(&a->least[c], bits);
}

/* Proposes position p as the first one of the least cost. */
BI_FN void bi_step_medoids_choose(const struct bi_cluster_centers *a, int64_t p)
{
    const uint32_t c = a->m.label[p];
    if (bi_f64_bits(a->cost[p]) == a->least[c]) bi_atomic_min_u32(&a->first[c], (uint32_t)p);
}

/* Writes the medoid of cluster c. */
BI_FN void bi_step_medoids_write(const struct bi_cluster_centers *a, int64_t c)
{
    a->medoids[c] = a->first[c] == BI_CENTERS_NONE ? -1 : (int64_t)a->m.row[a->first[c]];
}

#endif
