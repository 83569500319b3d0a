/* Functions that the drivers of geometric hashing share. */
#ifndef BI_GEOMETRIC_DRIVERS_H
#define BI_GEOMETRIC_DRIVERS_H

#include <boscage/kdtree.h>

#include "geometric/handle.h"
#include "geometric/steps/steps.h"

/* plan.c: the form of bases with these options. */
struct bi_geometric_form bi_geometric_form_of(const bosc_geometric_opts *opts);

/* Returns the number of possible bases of n points, made of `neighbours` of each point; 0: of all points. */
uint64_t bi_geometric_count_bases(int64_t n, int64_t neighbours, int corners);

/* Returns the vote radius of a table with this number of neighbours (0: all points). */
double bi_geometric_vote_radius(const bosc_geometric_opts *opts, int64_t neighbours);

/* Sizes of a build: models, points in all and of the largest model, neighbours in a basis (0: all points), candidate
 * bases and their entries in all. */
struct bi_geometric_plan {
    struct bi_geometric_form form;
    int64_t count, n, largest, neighbours, candidates, entries;
};

/* Plans a build of models with checked offsets. models: (count) gets the sizes of each, as far as they do not depend
 * on the chosen bases; may be NULL. */
bosc_status bi_geometric_plan_build(bosc_ctx *ctx, const bosc_geometric_opts *opts, const int64_t *offsets,
                                    int64_t count, struct bi_geometric_plan *plan, struct bi_geometric_model *models);

/* Bytes of a planned build. kept: of the whole table; entries: of the grid, a number. The tree only lives in builds. */
struct bi_geometric_bytes {
    int64_t kept, scratch, tree, points, models, list, basis_of, entries;
};
bosc_status bi_geometric_plan_bytes(bosc_ctx *ctx, const struct bi_geometric_plan *plan,
                                    struct bi_geometric_bytes *bytes);

/* neighbours.c: the options of the context's trees, of 2 to 4 coordinates, with 32-bit ids. */
bosc_kdtree_opts bi_geometric_tree_opts(int32_t dim);
/* Builds the context's tree of `dim` coordinates; it is valid until the next such call. */
bosc_status bi_geometric_build_tree(bosc_ctx *ctx, const double *points, int64_t n, int32_t dim,
                                    const bosc_kdtree **tree);
/* Reserves the memory of a planned build's tree and of its query for neighbours. */
bosc_status bi_geometric_reserve_tree(bosc_ctx *ctx, const struct bi_geometric_plan *plan);
/* Returns the dimension of that tree: several models are separated along one more coordinate. */
int32_t bi_geometric_tree_dim(const struct bi_geometric_plan *plan);

/* Finds the neighbours of all model points, with models `distance` apart (see bi_geometric_separate_models); and those
 * of the first points of `rows` scene bases in the scene's tree. */
bosc_status bi_geometric_find_model_neighbours(bosc_ctx *ctx, const struct bi_geometric_plan *plan, double distance,
                                               struct bi_geometric_choice *choice);
bosc_status bi_geometric_find_scene_neighbours(bosc_ctx *ctx, const bosc_kdtree *tree, int64_t rows,
                                               struct bi_geometric_choice *choice);

/* reserve.c: reserves host memory for the table's copy of models and points, and for that of a build. */
bosc_status bi_geometric_reserve_copies(bosc_ctx *ctx, bosc_geometric *table, size_t bytes);

/* fit.c: returns the cube root of x, 0 <= x <= 1e200. */
double bi_geometric_cube_root(double x);

/* Computes the least-squares transform of n model points to the scene points ids (-1: none); false if the pairs do not
 * determine one. */
bool bi_geometric_fit(const double *model, int64_t n, const double *scene, const int64_t *ids,
                      const struct bi_geometric_form *form, double transform[12]);
/* Returns the scale of a transform; 1 of rigid ones. */
double bi_geometric_scale_of(const double transform[12], const struct bi_geometric_form *form);

#endif
