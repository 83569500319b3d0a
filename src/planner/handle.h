/* The foundation of planners: options, handles, and the checks of arguments. */
#ifndef BI_PLANNER_HANDLE_H
#define BI_PLANNER_HANDLE_H

#include "core/call.h"
#include "core/check.h"
#include "planner/planner.h"

/* Checks the options and fills in defaults. */
bosc_status bi_planner_check_opts(bosc_ctx *ctx, const bosc_planner_opts *opts, bosc_planner_opts *full);

/* Checks that the context can reach the planner, and that it has a scene. */
bosc_status bi_planner_check(bosc_ctx *ctx, const bosc_planner *planner);
bosc_status bi_planner_check_built(bosc_ctx *ctx, const bosc_planner *planner);

/* Checks an array of n rotations: count, NULL, alignment. */
bosc_status bi_planner_check_rotations(bosc_ctx *ctx, const double *rotations, int64_t n);

/* Removes the cells, or the scene, from the planner. Keeps its memory. */
void bi_planner_clear_cells(bosc_planner *planner);
void bi_planner_clear(bosc_planner *planner);

bosc_status bi_planner_reserve_block(bosc_ctx *ctx, bosc_planner *planner, int block, int64_t count, size_t size);

#endif
