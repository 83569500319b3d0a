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

/* Checks the options and copies them with their defaults. */
bosc_status bi_geometric_check_opts(bosc_ctx *ctx, const bosc_geometric_opts *opts, bosc_geometric_opts *full);

/* Checks the number of points of a model. */
bosc_status bi_geometric_check_model(bosc_ctx *ctx, const bosc_geometric_opts *opts, int64_t n);

/* Checks the number of models and the pointer to their offsets; and the offsets, in host memory. */
bosc_status bi_geometric_check_count(bosc_ctx *ctx, const int64_t *offsets, int64_t count);
bosc_status bi_geometric_check_offsets(bosc_ctx *ctx, const bosc_geometric_opts *opts, const int64_t *offsets,
                                       int64_t count);

/* Checks the pointer of an array of points. */
bosc_status bi_geometric_check_points(bosc_ctx *ctx, const char *array, const double *points);

/* Copies n points to host memory; BOSC_ERR_DATA with the row if a coordinate is not finite or too large. */
bosc_status bi_geometric_fetch_points(bosc_ctx *ctx, const char *array, const double *points, int64_t n, int32_t dim,
                                      double *copy);

/* Replaces the table's grid by an empty one if its voxels differ from the vote radius. */
bosc_status bi_geometric_resize_grid(bosc_ctx *ctx, bosc_geometric *table, double vote_radius);

#endif
