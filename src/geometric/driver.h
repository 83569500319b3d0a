/* Between the front door and the drivers of geometric hashing. */
#ifndef BI_GEOMETRIC_DRIVER_H
#define BI_GEOMETRIC_DRIVER_H

#include <boscage/kdtree.h>

#include "core/check.h"
#include "geometric/steps.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Copies n points to host memory; BOSC_ERR_DATA with the row of one that is not finite, or too large. */
bosc_status bi_geo_fetch(bosc_ctx *ctx, const char *array, const double *points, int64_t n, double *copy);

/* How many near points take part in bases of a model of n points; 0: all of them. */
int64_t bi_geo_near_count(const bosc_geometric_opts *opts, int64_t n);

/* Near points without rows yet: `count` of them, or all others if n points have fewer. n >= 2 (affine: 3). */
struct bi_geo_near bi_geo_near_of(int64_t count, int64_t n, bool affine);

/* The number of bases of n points. */
uint64_t bi_geo_count_bases(int64_t n, const struct bi_geo_near *near, bool affine);

/* Which bases a model of n points gets: all fields but those that point to memory, and least. */
bosc_status bi_geo_plan(bosc_ctx *ctx, const bosc_geometric_opts *opts, int64_t n, struct bi_geo_choose *choose);

/* Bytes of a build so planned; either pointer may be NULL. */
bosc_status bi_geo_plan_bytes(bosc_ctx *ctx, const struct bi_geo_choose *choose, int64_t *kept, int64_t *scratch);

/* A grid, still empty, for coordinates whose votes reach so far. */
bosc_status bi_geo_make_grid(bosc_ctx *ctx, double cell, bosc_grid **grid);

/* A tree of n points with ids of 32 bits. *tree is the caller's to free, also on failure. */
bosc_status bi_geo_make_tree(bosc_ctx *ctx, const double *points, int64_t n, bosc_kdtree **tree);

/* The rows of near points of the base points: of all points of a model, or of `rows` bases of a scene. */
bosc_status bi_geo_find_near(bosc_ctx *ctx, const bosc_kdtree *tree, int64_t rows, struct bi_geo_choose *choose);

bosc_status bi_geo_build(bosc_ctx *ctx, bosc_geometric *table, const double *points, int64_t n);
bosc_status bi_geo_find(bosc_ctx *ctx, const bosc_geometric *table, const double *scene, int64_t m, int64_t *ids,
                        bosc_geometric_match *match);

/* The transform of the kind that takes model points to those scene points (none where -1) with the least squared
 * error; false if they do not fix one. */
bool bi_geo_fit(const double *model, int64_t n, const double *scene, const int64_t *ids, bool affine,
                double transform[6]);

#ifdef __cplusplus
}
#endif
#endif
