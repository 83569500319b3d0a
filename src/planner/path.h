/* Paths on the host: rotations, and which of the steps between them are certified. */
#ifndef BI_PLANNER_PATH_H
#define BI_PLANNER_PATH_H

#include "planner/drivers.h"

/* Grows a host block; its first `used` bytes stay. */
bosc_status bi_planner_grow_block(bosc_ctx *ctx, struct bi_block *block, size_t used, size_t bytes);

static inline double *bi_planner_path_at(const struct bi_planner_path *path, int64_t i)
{
    return (double *)path->rotations.data + 4 * i;
}

static inline uint8_t *bi_planner_path_steps(const struct bi_planner_path *path) { return path->certified.data; }

/* Appends a rotation, with the sign of q that is closer to the last one; certified: the step to it. */
bosc_status bi_planner_path_add(bosc_ctx *ctx, struct bi_planner_path *path, const double *q, bool certified);
void bi_planner_path_free(bosc_ctx *ctx, struct bi_planner_path *path);

/* True if the path has rotations and all its steps are certified; *count: number of certified steps. */
bool bi_planner_path_certified(const struct bi_planner_path *path, int64_t *count);

/* Returns the total angle of the robot's rotation along the path. */
double bi_planner_path_angle(const struct bi_planner_path *path);

#endif
