/* The foundation of planners: options, handles, and the checks of arguments. */
#ifndef BI_PLANNER_HANDLE_H
#define BI_PLANNER_HANDLE_H

#include "core/call.h"
#include "core/check.h"
#include "planner/planner.h"

/* The options with every field set. */
bosc_status bi_planner_check_opts(bosc_ctx *ctx, const bosc_planner_opts *opts, bosc_planner_opts *full);

/* Whether the context can reach the planner, and whether it has a scene; BOSC_ERR_ARG with the reason. */
bosc_status bi_planner_check(bosc_ctx *ctx, const bosc_planner *planner);
bosc_status bi_planner_check_built(bosc_ctx *ctx, const bosc_planner *planner);

/* Rotations in the caller's memory: n, not NULL, aligned. */
bosc_status bi_planner_check_rotations(bosc_ctx *ctx, const double *rotations, int64_t n);

/* The planner becomes one without cells, or without a scene. Its blocks stay. */
void bi_planner_forget_cells(bosc_planner *planner);
void bi_planner_forget(bosc_planner *planner);

bosc_status bi_planner_reserve_block(bosc_ctx *ctx, bosc_planner *planner, int block, int64_t count, size_t size);

#endif
