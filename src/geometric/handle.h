/* The foundation of geometric hashing: checks of options, tables and points, and the grid of a table. */
#ifndef BI_GEOMETRIC_HANDLE_H
#define BI_GEOMETRIC_HANDLE_H

#include "core/check.h"
#include "geometric/geometric.h"

enum {
    BI_GEOMETRIC_MAX_POINTS = 65536,   /* of a model */
    BI_GEOMETRIC_MAX_MODELS = 1 << 20, /* of a table */
    BI_GEOMETRIC_MAX_TOTAL = 1 << 24,  /* points of all models */
    BI_GEOMETRIC_MAX_SCENE = 1 << 20
};

/* Checks that the context can reach the table. */
bosc_status bi_geometric_check(bosc_ctx *ctx, const bosc_geometric *table);

/* A copy of the caller's options with the defaults filled in. */
bosc_status bi_geometric_check_opts(bosc_ctx *ctx, const bosc_geometric_opts *opts, bosc_geometric_opts *full);

/* Checks that n points make a model of this kind. */
bosc_status bi_geometric_check_model(bosc_ctx *ctx, const bosc_geometric_opts *opts, int64_t n);

/* Checks the number of models and the pointer to their offsets; and the offsets, in host memory. */
bosc_status bi_geometric_check_count(bosc_ctx *ctx, const int64_t *offsets, int64_t count);
bosc_status bi_geometric_check_offsets(bosc_ctx *ctx, const bosc_geometric_opts *opts, const int64_t *offsets,
                                       int64_t count);

/* Checks the pointer of an array of points. */
bosc_status bi_geometric_check_points(bosc_ctx *ctx, const char *array, const double *points);

/* Copies n points to host memory; BOSC_ERR_DATA with the row of one that is not finite, or too large. */
bosc_status bi_geometric_fetch(bosc_ctx *ctx, const char *array, const double *points, int64_t n, int32_t dim,
                               double *copy);

/* A new, empty grid whose voxels are as wide as votes reach. */
bosc_status bi_geometric_make_grid(bosc_ctx *ctx, int32_t dim, double vote_radius, bosc_voxelgrid **grid);

/* Gives the table a grid of such voxels, empty, if its own has others. */
bosc_status bi_geometric_fit_grid(bosc_ctx *ctx, bosc_geometric *table, double vote_radius);

#endif
