/* Inside a table of geometric hashing, and the room's table of operations. The hash table proper is a voxel grid of the
 * coordinates (float) of the points in every basis: the entries of a basis are its points, or the neighbours of its
 * first point, one after the other, and those near a scene point's coordinates vote for their bases. Bases of one model
 * follow each other, and models their numbers. */
#ifndef BI_GEOMETRIC_GEOMETRIC_H
#define BI_GEOMETRIC_GEOMETRIC_H

#include <boscage/geometric.h>
#include <boscage/voxelgrid.h>

#include "core/context.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { BI_GEOMETRIC_CORNERS = 4 }; /* points of a basis at most */

/* A basis: its points, numbered through all models, and its model; of a scene, its number in the batch. */
struct bi_geometric_corners {
    uint32_t point[BI_GEOMETRIC_CORNERS], model;
};

/* A model, in host memory and in the backend's. */
struct bi_geometric_model {
    int64_t first, n;         /* its points among those of all models */
    int64_t per;              /* points with coordinates in one of its bases */
    int64_t candidate, count; /* its bases among those of all models that are looked at, and how many they are */
    uint64_t all;             /* bases that it has */
    int64_t basis, bases;     /* those in the table */
    int64_t entry;            /* their first entry */
    double min_size;          /* of bases of any points; see bi_geometric_is_large */
    double tolerance;
};

struct bosc_geometric {
    struct bi_memory memory, host;
    bosc_geometric_opts opts;  /* every field set but those whose default depends on n */
    int64_t count, n, largest; /* models (0: the table is empty), points of all and of the largest one */
    int64_t bases, entries;
    int64_t neighbours; /* points with coordinates in a basis, at most; 0: all */
    double vote_radius;
    bosc_voxelgrid *grid;
    struct bi_block points;   /* (n x dim) double */
    struct bi_block models;   /* (count) struct bi_geometric_model */
    struct bi_block list;     /* (bases) struct bi_geometric_corners */
    struct bi_block basis_of; /* (entries) uint32, of several models */
    struct bi_block copy;     /* models and points in host memory */
    struct bi_block
        next_copy; /* where a build puts the next ones: until they are hashed, the table holds the old ones */
};

/* What is in a copy. */
static inline struct bi_geometric_model *bi_geometric_models_in(const struct bi_block *copy)
{
    return (struct bi_geometric_model *)copy->data;
}
static inline double *bi_geometric_points_in(const struct bi_block *copy, int64_t models)
{
    return (double *)(void *)(bi_geometric_models_in(copy) + models);
}

struct bi_geometric_steps; /* one bi_step_fn for each line of steps.def: see steps/steps.h */

/* The table of geometric hashing that each backend gives. */
struct bi_geometric_ops {
    const struct bi_geometric_steps *steps;
};

#ifdef __cplusplus
}
#endif
#endif
