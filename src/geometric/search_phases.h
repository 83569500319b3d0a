/* The phases of a search, each in a file of its own. */
#ifndef BI_GEOMETRIC_SEARCH_PHASES_H
#define BI_GEOMETRIC_SEARCH_PHASES_H

#include "geometric/search.h"

/* ransac_budget.c: sets the number of trials on the remaining points, and the size of a batch. */
void bi_geometric_set_trial_budget(struct bi_geometric_search *f);

/* search_loop.c: tries bases until enough matches are accepted or the budget is spent. */
bosc_status bi_geometric_search_models(struct bi_geometric_search *f);

/* voting.c: lets the next *bases scene bases vote; trials.words[k] is the winner of basis k. If the batch has too many
 * votes, only halves *bases. */
bosc_status bi_geometric_vote_batch(struct bi_geometric_search *f, int64_t *bases);

/* verify.c: verifies the scene bases with the most votes in a batch of `count`, the first of equals first, and keeps
 * the best match of each model. */
bosc_status bi_geometric_verify_best(struct bi_geometric_search *f, int64_t count);

/* refine.c: refines the match in pairs.ids by least squares and stores it if it is better than the model's best. With
 * neighbours, model points within `reach` of `centre` are fitted first. */
bosc_status bi_geometric_refine(struct bi_geometric_search *f, int64_t model, const double *centre, double reach,
                                int64_t votes);
/* Refines a best match that has lost points from its remaining ones; it may be dropped. */
bosc_status bi_geometric_refine_remaining(struct bi_geometric_search *f, int64_t model);

/* remove_inliers.c: removes the scene points of a model's best match from the scene, and refines the other matches that
 * used some of them. */
bosc_status bi_geometric_remove_inliers(struct bi_geometric_search *f, int64_t model);

#endif
