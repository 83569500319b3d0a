/* Inside a search for a model in a scene. */
#ifndef BI_GEOMETRIC_FINDER_H
#define BI_GEOMETRIC_FINDER_H

#include "geometric/driver.h"

enum { BI_GEOMETRIC_BATCH = 256 }; /* scene bases in a batch at most */

struct bi_geo_finder {
    bosc_ctx *ctx;
    const bosc_geometric *table;
    bool affine;
    int64_t n, m, tries, batch;
    int64_t per;             /* points of a scene basis */
    struct bi_geo_near near; /* count 0: all points take part */
    uint64_t all;
    const double *points; /* the scene where kernels reach it */
    bosc_kdtree *tree;    /* of the scene */
    /* host memory */
    void *memory;
    size_t bytes;
    const double *model;
    double *scene, *dist2, *moved;
    int64_t *ids, *last, *best, *owner;
    uint32_t *asked, *nearest; /* the model points that were moved, and the scene points found */
    uint64_t words[BI_GEOMETRIC_BATCH];
    uint32_t corners[BI_GEOMETRIC_BATCH * BI_GEOMETRIC_CORNERS];
    bosc_geometric_match match;
};

static inline int bi_geo_basis_size(const struct bi_geo_finder *f) { return f->affine ? 3 : 2; }

/* Votes of the scene bases from, from + 1, ..., *bases of them: words[k] is the best of each, as bi_geo_best has it.
 * Where those would have too many votes *bases is halved, and nothing else done. */
bosc_status bi_geo_ballot(struct bi_geo_finder *f, int64_t from, int64_t *bases);

/* Tries those of a batch of `count` that have the most votes, of several the first. */
bosc_status bi_geo_try_best(struct bi_geo_finder *f, int64_t count);

#endif
