/* What the drivers of geometric hashing share. */
#ifndef BI_GEOMETRIC_DRIVERS_H
#define BI_GEOMETRIC_DRIVERS_H

#include <boscage/kdtree.h>

#include "geometric/handle.h"
#include "geometric/steps/steps.h"

/* plan.c: what bases are like with these options. */
struct bi_geometric_form bi_geometric_form_of(const bosc_geometric_opts *opts);

/* The number of bases of n points; neighbours: of each point that take part, 0: all do. */
uint64_t bi_geometric_count_bases(int64_t n, int64_t neighbours, int corners);

/* How far votes reach in a table of that many neighbours (0: of all points). */
double bi_geometric_vote_radius(const bosc_geometric_opts *opts, int64_t neighbours);

/* How models are hashed: their number, points in all and of the largest, neighbours that take part (0: all points do),
 * and how many bases and entries are looked at in all. */
struct bi_geometric_plan {
    struct bi_geometric_form form;
    int64_t count, n, largest, neighbours, candidates, entries;
};

/* models: (count) gets each model's share, all but what is known once bases are chosen; may be NULL. The offsets are
 * checked. */
bosc_status bi_geometric_plan(bosc_ctx *ctx, const bosc_geometric_opts *opts, const int64_t *offsets, int64_t count,
                              struct bi_geometric_plan *plan, struct bi_geometric_model *models);

/* Bytes of a build so planned; kept: all of the table's, entries: in the grid. The tree lives while building. */
struct bi_geometric_bytes {
    int64_t kept, scratch, tree, points, models, list, basis_of, entries;
};
bosc_status bi_geometric_plan_bytes(bosc_ctx *ctx, const struct bi_geometric_plan *plan,
                                    struct bi_geometric_bytes *bytes);

/* neighbours.c: a tree of n points with ids of 32 bits. It is the context's, and holds them until the next one of so
 * many coordinates, of which there are 2 to 4. */
bosc_kdtree_opts bi_geometric_tree_opts(int32_t dim);
bosc_status bi_geometric_make_tree(bosc_ctx *ctx, const double *points, int64_t n, int32_t dim,
                                   const bosc_kdtree **tree);
/* Takes the memory of the tree by which neighbours are found in a build so planned, and of these. */
bosc_status bi_geometric_reserve_tree(bosc_ctx *ctx, const struct bi_geometric_plan *plan);
/* The coordinates of that tree: those of several models lie apart in one more. */
int32_t bi_geometric_tree_dim(const struct bi_geometric_plan *plan);

/* The rows of neighbours of all points of the models, which are `apart` (see bi_geometric_set_apart); or of `rows`
 * bases of a scene, whose tree that is. */
bosc_status bi_geometric_model_neighbours(bosc_ctx *ctx, const struct bi_geometric_plan *plan, double apart,
                                          struct bi_geometric_choice *choice);
bosc_status bi_geometric_scene_neighbours(bosc_ctx *ctx, const bosc_kdtree *tree, int64_t rows,
                                          struct bi_geometric_choice *choice);

/* reserve.c: takes host memory for copies of so many bytes: of the models and points in use, and of a build's. */
bosc_status bi_geometric_reserve_copies(bosc_ctx *ctx, bosc_geometric *table, size_t bytes);

/* spread.c: min_size and tolerance of a model from its points; false if they are in one place, on a line or in a plane
 * and make no basis. */
bool bi_geometric_measure(const double *points, const struct bi_geometric_form *form, double tolerance,
                          struct bi_geometric_model *model);
/* The cube root of a number that is not negative, of up to 1e200. */
double bi_geometric_cube_root(double x);

/* fit.c: the transform that takes n model points to those scene points (none where -1) with the least squared error;
 * false if they do not determine one. */
bool bi_geometric_fit(const double *model, int64_t n, const double *scene, const int64_t *ids,
                      const struct bi_geometric_form *form, double transform[12]);
/* fit_space.c: the same in 3-D. */
bool bi_geometric_fit_space(const double *model, int64_t n, const double *scene, const int64_t *ids,
                            const struct bi_geometric_form *form, double transform[12]);
/* By how much a transform scales: 1 of rigid ones. */
double bi_geometric_scale_of(const double transform[12], const struct bi_geometric_form *form);

#endif
