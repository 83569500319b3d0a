/* Steps that count votes of scene bases for model bases. */
#ifndef BI_GEOMETRIC_STEPS_VOTING_H
#define BI_GEOMETRIC_STEPS_VOTING_H

#include "base/atomic.h"
#include "geometric/steps/basis.h"

/* The votes of query i, of scene basis i / per: one for each model basis among the entries of its row, in which those
 * of one basis lie together. Entries that are no vote go to the last bin. */
struct bi_geometric_vote {
    const int64_t *offsets;
    const uint32_t *ids;
    int64_t per, model_per, bases; /* points of a scene basis and of a basis of the only model */
    const uint32_t *basis_of;      /* of several models, else NULL */
    uint32_t none;                 /* the last bin */
    uint32_t *bins;
};

BI_FN void bi_step_vote(const struct bi_geometric_vote *a, int64_t i)
{
    int64_t before = -1;
    for (int64_t t = a->offsets[i]; t < a->offsets[i + 1]; t++) {
        int64_t basis = a->basis_of ? a->basis_of[a->ids[t]] : a->ids[t] / a->model_per;
        a->bins[t] = basis == before ? a->none : (uint32_t)(i / a->per * a->bases + basis);
        before = basis;
    }
}

/* For each scene basis, the model basis of most votes, the first of equals: best[k] becomes the smallest
 * (UINT32_MAX - votes) << 32 | basis. Bases of models that are closed have none; rigid ones only where the lengths of
 * their first edges may be equal, each end of which may be a tolerance away. */
struct bi_geometric_best {
    const int64_t *votes;
    int64_t bases;
    uint64_t *best;
    const struct bi_geometric_corners *list, *scene_list;
    const uint8_t *closed; /* NULL: none is */
    struct bi_geometric_form form;
    const struct bi_geometric_model *models;
    const double *points, *scene;
};

BI_FN double bi_geometric_first_edge(const double *points, const uint32_t *point, int32_t dim)
{
    double sum = 0;
    for (int k = 0; k < dim; k++) {
        double d = points[dim * (int64_t)point[1] + k] - points[dim * (int64_t)point[0] + k];
        sum += d * d;
    }
    return sqrt(sum);
}

BI_FN void bi_step_best_basis(const struct bi_geometric_best *a, int64_t i)
{
    int64_t basis = i % a->bases;
    if (a->votes[i] == 0) return;
    if (a->closed && a->closed[a->list[basis].model]) return;
    if (a->form.rigid) {
        double length = bi_geometric_first_edge(a->points, a->list[basis].point, a->form.dim),
               other = bi_geometric_first_edge(a->scene, a->scene_list[i / a->bases].point, a->form.dim),
               off = length < other ? other - length : length - other;
        if (!(off <= 2 * a->models[a->list[basis].model].tolerance)) return;
    }
    uint64_t word = (uint64_t)(UINT32_MAX - (uint32_t)a->votes[i]) << 32 | (uint64_t)basis;
    bi_atomic_min_u64(&a->best[i / a->bases], word);
}

#endif
