/* What the drivers of geometric hashing share. */
#ifndef BI_GEOMETRIC_DRIVERS_H
#define BI_GEOMETRIC_DRIVERS_H

#include <boscage/kdtree.h>

#include "geometric/handle.h"
#include "geometric/steps/steps.h"

/* plan.c: how many neighbours take part in bases of a model of n points; 0: all points do. */
int64_t bi_geometric_neighbour_count(const bosc_geometric_opts *opts, int64_t n);

/* Neighbours without rows yet: `count` of them, or all others if n points have fewer. n >= 2 (affine: 3). */
struct bi_geometric_neighbours bi_geometric_neighbours_of(int64_t count, int64_t n, bool affine);

/* The number of bases of n points. */
uint64_t bi_geometric_count_bases(int64_t n, const struct bi_geometric_neighbours *neighbours, bool affine);

/* How far votes reach in a table of that many neighbours (0: of all points). */
double bi_geometric_vote_radius(const bosc_geometric_opts *opts, int64_t neighbours);

/* Which bases a model of n points gets: all fields but those that point to memory, and min_size. */
bosc_status bi_geometric_plan(bosc_ctx *ctx, const bosc_geometric_opts *opts, int64_t n,
                              struct bi_geometric_choice *choice);

/* Bytes of a build so planned; kept: points, list and the grid of `entries` points. The tree lives while building. */
struct bi_geometric_bytes {
    int64_t kept, scratch, tree, points, list, entries;
};
bosc_status bi_geometric_plan_bytes(bosc_ctx *ctx, const struct bi_geometric_choice *choice,
                                    struct bi_geometric_bytes *bytes);

/* neighbours.c: a tree of n points with ids of 32 bits. It is the context's, and holds them until the next one. */
extern const bosc_kdtree_opts bi_geometric_tree_opts;
bosc_status bi_geometric_make_tree(bosc_ctx *ctx, const double *points, int64_t n, const bosc_kdtree **tree);
/* Takes the memory of such a tree, and of the neighbours of all its points; 0 neighbours: none. */
bosc_status bi_geometric_reserve_tree(bosc_ctx *ctx, int64_t n, int64_t neighbours);

/* The rows of neighbours of the base points: of all points of a model, or of `rows` bases of a scene. */
bosc_status bi_geometric_find_neighbours(bosc_ctx *ctx, const bosc_kdtree *tree, int64_t rows,
                                         struct bi_geometric_choice *choice);

/* fit.c: the transform of the kind that takes model points to those scene points (none where -1) with the least
 * squared error; false if they do not determine one. */
bool bi_geometric_fit(const double *model, int64_t n, const double *scene, const int64_t *ids, bool affine,
                      double transform[6]);

#endif
