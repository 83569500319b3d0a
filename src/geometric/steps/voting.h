/* Steps that count votes of scene bases for model bases. */
#ifndef BI_GEOMETRIC_STEPS_VOTING_H
#define BI_GEOMETRIC_STEPS_VOTING_H

#include "base/atomic.h"

/* The votes of query i, of scene basis i / per: one for each model basis among the entries of its row, in which those
 * of one basis lie together. Entries that are no vote go to the last bin. */
struct bi_geometric_vote {
    const int64_t *offsets;
    const uint32_t *ids;
    int64_t per, model_per, bases; /* points of a scene basis and of a model basis */
    uint32_t none;                 /* the last bin */
    uint32_t *bins;
};

BI_FN void bi_step_vote(const struct bi_geometric_vote *a, int64_t i)
{
    int64_t before = -1;
    for (int64_t t = a->offsets[i]; t < a->offsets[i + 1]; t++) {
        int64_t basis = a->ids[t] / a->model_per;
        a->bins[t] = basis == before ? a->none : (uint32_t)(i / a->per * a->bases + basis);
        before = basis;
    }
}

/* For each scene basis, the model basis of most votes, the first of equals: best[k] becomes the smallest
 * (UINT32_MAX - votes) << 32 | basis. */
struct bi_geometric_best {
    const int64_t *votes;
    int64_t bases;
    uint64_t *best;
};

BI_FN void bi_step_best_basis(const struct bi_geometric_best *a, int64_t i)
{
    if (a->votes[i] == 0) return;
    uint64_t word = (uint64_t)(UINT32_MAX - (uint32_t)a->votes[i]) << 32 | (uint64_t)(i % a->bases);
    bi_atomic_min_u64(&a->best[i / a->bases], word);
}

#endif
