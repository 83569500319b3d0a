/* Inside a search for models in a scene. */
#ifndef BI_GEOMETRIC_FIND_H
#define BI_GEOMETRIC_FIND_H

#include "geometric/drivers.h"

enum { BI_GEOMETRIC_BATCH = 256 }; /* scene bases in a batch at most */

/* A match that stands, and its number as it was found. */
struct bi_geometric_rank {
    const bosc_geometric_match *match;
    int64_t number;
};

struct bi_geometric_search {
    bosc_ctx *ctx;
    const bosc_geometric *table;
    struct bi_geometric_form form;
    const struct bi_geometric_model *models; /* host */
    bool instances, exclusive;
    /* The scene: as it was given, and the m points that no match has taken. */
    int64_t scene_count, m;
    const double *points; /* where kernels reach it */
    double *rest;         /* the backend's, for points that are left */
    const bosc_kdtree *tree;
    /* Its bases. */
    int64_t tried, since;                      /* in all; at the last match */
    int64_t trials, batch;                     /* how many from then on, and at once */
    int64_t per;                               /* points with coordinates in a scene basis */
    struct bi_geometric_neighbours neighbours; /* count 0: all points take part */
    uint64_t all;
    uint64_t words[BI_GEOMETRIC_BATCH]; /* of a batch: its bases' votes, and their points */
    struct bi_geometric_corners corners[BI_GEOMETRIC_BATCH];
    /* Models: the best match of each so far (votes 0: none), and which are out of the search. */
    bosc_geometric_match *best;
    int64_t *best_ids;                   /* (n of all models) */
    int64_t *active, active_count, open; /* models that have a match; how many are still looked for */
    uint8_t *closed, *closed_there;      /* there: the backend's, NULL while none is */
    bool closed_changed;
    /* Matches that stand, in the order in which they were found. */
    bosc_geometric_match *stand;
    int64_t *stand_ids, *stand_first, stand_count, capacity;
    struct bi_geometric_rank *ranks; /* the best first */
    bool gives_ids;
    char *rows; /* of ids, as the caller gets them */
    /* Host memory of a verification. */
    double *scene, *dist2, *moved;
    int64_t *place; /* the numbers, in the scene as it was given, of the points that are left */
    int64_t *ids, *last, *owner;
    uint32_t *moved_ids, *nearest; /* the model points that were moved, and the scene points found */
};

/* start.c: takes memory and searches. */
bosc_status bi_geometric_search_scene(struct bi_geometric_search *f, const double *scene);

/* trials.c: how many bases of the points that are left are tried, and how many of them at once. */
void bi_geometric_plan_search(struct bi_geometric_search *f);

/* search.c: looks for models until as many matches stand as are wanted, or there are no more. */
bosc_status bi_geometric_run_search(struct bi_geometric_search *f);
/* Whether match a is better than b: found, of more inliers, less error, of the smaller model. */
bool bi_geometric_is_better(const bosc_geometric_match *a, const bosc_geometric_match *b);

/* voting.c: lets *bases scene bases from number f->tried on vote; words[k] is the best of each, as bi_geometric_best
 * has it. If they had too many votes, *bases is halved and nothing else is done. */
bosc_status bi_geometric_vote_batch(struct bi_geometric_search *f, int64_t *bases);

/* verify.c: verifies the bases of most votes of a batch of `count` on the points, the first of equals first, and keeps
 * the best match of each model. */
bosc_status bi_geometric_verify_best(struct bi_geometric_search *f, int64_t count);

/* refine.c: a model's match from its points f->ids by least squares; kept if it is better than the one before. Where
 * neighbours take part, model points near `centre` count first. */
bosc_status bi_geometric_refine(struct bi_geometric_search *f, int64_t model, const double *centre, double reach,
                                int64_t votes);
/* The same of a match that has lost points, from those that are left; it may be lost. */
bosc_status bi_geometric_refine_rest(struct bi_geometric_search *f, int64_t model);

/* remove.c: leaves the scene points of a model's best match out of the search; other matches that had some of them are
 * refined without. */
bosc_status bi_geometric_leave_out(struct bi_geometric_search *f, int64_t model);

static inline const double *bi_geometric_model_points(const struct bi_geometric_search *f, int64_t model)
{
    const double *points = bi_geometric_points_in(&f->table->copy, f->table->count);
    return points + f->form.dim * f->models[model].first;
}

#endif
