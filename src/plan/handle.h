/* The foundation of motion planning: checks of options, handles and arrays. */
#ifndef BI_PLAN_HANDLE_H
#define BI_PLAN_HANDLE_H

#include "core/check.h"
#include "plan/plan.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Checks the options and fills in defaults. */
bosc_status bi_plan_check_opts(bosc_ctx *ctx, const bosc_plan_opts *opts, bosc_plan_opts *full);

/* Checks that the context can reach the handle. */
bosc_status bi_plan_check(bosc_ctx *ctx, const bosc_plan *plan);
bosc_status bi_roadmap_check(bosc_ctx *ctx, const bosc_roadmap *roadmap);

/* Checks an array of n elements: NULL, alignment. */
bosc_status bi_plan_check_array(bosc_ctx *ctx, const char *name, const void *array, int64_t n, size_t size);

/* Checks n rotations and their stride; sets its default. */
bosc_status bi_plan_check_rotations(bosc_ctx *ctx, const char *name, const double *rotations, int64_t n,
                                    int64_t *stride);

/* Removes the constraints from the handle. Keeps its memory. */
void bi_plan_clear(bosc_plan *plan);

#ifdef __cplusplus
}
#endif
#endif
