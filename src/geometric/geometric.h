/* Inside a table of geometric hashing, and the room's table of operations. The hash table proper is a voxel grid of
 * coordinates (float): those of each model point in each basis, or of the neighbours of the basis's first point. The
 * entries of a basis are consecutive, so are the bases of a model. Entries near the coordinates of a scene point vote
 * for their bases. */
#ifndef BI_GEOMETRIC_GEOMETRIC_H
#define BI_GEOMETRIC_GEOMETRIC_H

#include <boscage/geometric.h>
#include <boscage/voxelgrid.h>

#include "core/call.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { BI_GEOMETRIC_CORNERS = 4 }; /* points of a basis at most: of affine maps in 3-D */

/* A basis: its points, numbered across all models, and its model. For a basis of a scene, `model` is its number in the
 * batch. */
struct bi_geometric_corners {
    uint32_t point[BI_GEOMETRIC_CORNERS], model;
};

/* A model, in host memory and in the backend's. */
struct bi_geometric_model {
    int64_t first_point, n;              /* its points among those of all models */
    int64_t points_per_basis;            /* points with coordinates in one of its bases */
    int64_t first_candidate, candidates; /* its candidate bases among those of all models */
    uint64_t possible_bases;             /* all ordered tuples of its points that could be a basis */
    int64_t first_basis, bases;          /* its bases in the table */
    int64_t first_entry;                 /* of its first basis */
    double min_size;                     /* of a basis without neighbours; see bi_geometric_is_large */
    double tolerance;                    /* largest distance of an inlier */
};

struct bosc_geometric {
    struct bi_memory memory, host;
    bosc_geometric_opts opts;  /* with the defaults independent of n */
    int64_t count, n, largest; /* models (0: the table is empty), points in all, points of the largest model */
    int64_t bases, entries;
    int64_t neighbours; /* points with coordinates in a basis, at most; 0: all points */
    double vote_radius;
    bosc_voxelgrid *grid;
    struct bi_block points;    /* (n x dim) double */
    struct bi_block models;    /* (count) struct bi_geometric_model */
    struct bi_block list;      /* (bases) struct bi_geometric_corners */
    struct bi_block basis_of;  /* (entries) uint32; only with several models */
    struct bi_block copy;      /* models and points in host memory */
    struct bi_block next_copy; /* those of a build in progress; swapped with `copy` once it cannot fail on its data */
};

/* The models in a copy, and the points behind them. */
static inline struct bi_geometric_model *bi_geometric_models_in(const struct bi_block *copy)
{
    return (struct bi_geometric_model *)copy->data;
}
static inline double *bi_geometric_points_in(const struct bi_block *copy, int64_t models)
{
    return (double *)(void *)(bi_geometric_models_in(copy) + models);
}

struct bi_geometric_steps; /* one bi_step_fn for each line of steps.def: see steps/steps.h */

/* The room's table. */
struct bi_geometric_ops {
    const struct bi_geometric_steps *steps;
};

#ifdef __cplusplus
}
#endif
#endif
