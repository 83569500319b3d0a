/* Steps that count votes of scene bases for model bases. */
#ifndef BI_GEOMETRIC_STEPS_VOTING_H
#define BI_GEOMETRIC_STEPS_VOTING_H

#include "base/atomic.h"
#include "geometric/steps/basis.h"

/* Votes of query i, a point in scene basis i / points_per_basis: one for each model basis with an entry in its row,
 * where entries of one basis are consecutive. Further entries of the same basis go to the unused last bin. */
struct bi_geometric_vote {
    const int64_t *offsets;
    const uint32_t *ids;
    int64_t points_per_basis, model_points_per_basis; /* of a scene basis; of a basis of the only model */
    int64_t bases;                                    /* of all models */
    const uint32_t *basis_of;                         /* NULL: one model */
    uint32_t unused_bin;                              /* the last bin */
    uint32_t *bins;
};

BI_FN void bi_step_vote(const struct bi_geometric_vote *a, int64_t i)
{
    int64_t previous = -1;
    for (int64_t t = a->offsets[i]; t < a->offsets[i + 1]; t++) {
        int64_t basis = a->basis_of ? a->basis_of[a->ids[t]] : a->ids[t] / a->model_points_per_basis;
        a->bins[t] = basis == previous ? a->unused_bin : (uint32_t)(i / a->points_per_basis * a->bases + basis);
        previous = basis;
    }
}

/* Finds for each scene basis the winner: the model basis with the most votes, the first of equals. best[k] becomes the
 * smallest (UINT32_MAX - votes) << 32 | basis. Bases of closed models cannot win; of rigid models, bases whose first
 * edges differ in length by more than two tolerances, one for each end, cannot either. */
struct bi_geometric_best {
    const int64_t *votes;
    int64_t bases;
    uint64_t *best;
    const struct bi_geometric_corners *list, *scene_list;
    const uint8_t *closed; /* (models) NULL: none */
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
