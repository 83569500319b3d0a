/* Spanning trees of points, for the cases of Euclidean trees and of mutual reachability. */
#ifndef TESTS_CASES_FOREST_EMST_DATA_H
#define TESTS_CASES_FOREST_EMST_DATA_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cases/kdtree/kdtree_metric_data.h"

/* A trial: points, squared core distances, and a spanning tree of ids. */
struct emst_trial {
    struct reference_points points;
    int64_t min_samples; /* 0: Euclidean lengths */
    int32_t id_bits;
    double *core; /* n; 0 without min_samples */
    void *pairs;
};

static inline bosc_emst_opts emst_opts_of(const struct emst_trial *t)
{
    return (bosc_emst_opts){sizeof(bosc_emst_opts), t->points.dtype, t->points.dim, t->id_bits};
}

static inline int64_t emst_end_of(const struct emst_trial *t, int64_t row, int k)
{
    return kd_id(t->pairs, t->id_bits, 2 * row + k);
}

static inline void emst_set_pair(const struct emst_trial *t, int64_t row, int64_t i, int64_t j)
{
    for (int k = 0; k < 2; k++) {
        const int64_t id = k ? j : i;
        if (t->id_bits == 64)
            ((int64_t *)t->pairs)[2 * row + k] = id;
        else
            ((uint32_t *)t->pairs)[2 * row + k] = (uint32_t)id;
    }
}

/* Computes the minimum tree. The trial owns the points. */
static inline struct emst_trial emst_make_trial(bosc_ctx *ctx, struct reference_points points, int64_t min_samples,
                                                int32_t id_bits)
{
    struct emst_trial t = {points, min_samples, id_bits, NULL, NULL};
    const bosc_emst_opts o = emst_opts_of(&t);
    const struct reference_points *p = &t.points;
    const bosc_dtype type = p->dtype == BOSC_F32 ? BOSC_F32 : BOSC_F64;
    void *core = suite_alloc((size_t)p->n * 8);
    t.core = suite_alloc((size_t)p->n * sizeof *t.core);
    t.pairs = suite_alloc((size_t)(2 * p->n) * 8);
    if (min_samples)
        CHECK_OK(ctx, bosc_emst_compute_mutual(ctx, p->data, p->n, p->stride, &o, min_samples, t.pairs, NULL, core));
    else
        CHECK_OK(ctx, bosc_emst_compute(ctx, p->data, p->n, p->stride, &o, t.pairs, NULL));
    for (int64_t i = 0; i < p->n; i++) t.core[i] = min_samples ? kd_get(core, type, i) : 0;
    free(core);
    return t;
}

static inline void emst_free_trial(struct emst_trial *t)
{
    free(t->core);
    free(t->pairs);
    free((void *)t->points.data);
}

static inline double emst_length_of(const struct emst_trial *t, int64_t i, int64_t j)
{
    return fmax(reference_dist2(&t->points, j, kd_row(&t->points, i)), fmax(t->core[i], t->core[j]));
}

/* side[v] = 1: v is in one component with `from` by the edges but `row`. */
static inline void emst_find_side(const struct emst_trial *t, int64_t row, int64_t from, uint8_t *side)
{
    memset(side, 0, (size_t)t->points.n);
    side[from] = 1;
    for (bool more = true; more;) {
        more = false;
        for (int64_t e = 0; e < t->points.n - 1; e++) {
            const int64_t i = emst_end_of(t, e, 0), j = emst_end_of(t, e, 1);
            if (e == row || side[i] == side[j]) continue;
            side[i] = side[j] = 1;
            more = true;
        }
    }
}

#endif
