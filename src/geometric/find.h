/* Inside a search for a model in a scene. */
#ifndef BI_GEOMETRIC_FIND_H
#define BI_GEOMETRIC_FIND_H

#include "geometric/drivers.h"

enum { BI_GEOMETRIC_BATCH = 256 }; /* scene bases in a batch at most */

struct bi_geometric_search {
    bosc_ctx *ctx;
    const bosc_geometric *table;
    bool affine;
    int64_t n, m, trials, batch;
    int64_t per;                               /* points with coordinates in a scene basis */
    struct bi_geometric_neighbours neighbours; /* count 0: all points take part */
    uint64_t all;
    const double *points;    /* the scene where kernels reach it */
    const bosc_kdtree *tree; /* of the scene */
    /* host memory */
    const double *model;
    double *scene, *dist2, *moved;
    int64_t *ids, *last, *best, *owner;
    uint32_t *moved_ids, *nearest; /* the model points that were moved, and the scene points found */
    uint64_t words[BI_GEOMETRIC_BATCH];
    uint32_t corners[BI_GEOMETRIC_BATCH * BI_GEOMETRIC_CORNERS];
    bosc_geometric_match match;
};

static inline int bi_geometric_basis_size(const struct bi_geometric_search *f) { return f->affine ? 3 : 2; }

/* voting.c: lets *bases scene bases from `from` on vote; words[k] is the best of each, as bi_geometric_best has it. If
 * they had too many votes, *bases is halved and nothing else is done. */
bosc_status bi_geometric_vote_batch(struct bi_geometric_search *f, int64_t from, int64_t *bases);

/* refine.c: verifies the bases of most votes of a batch of `count` on the points, the first of equals first, and keeps
 * the best match. */
bosc_status bi_geometric_verify_best(struct bi_geometric_search *f, int64_t count);

#endif
