/* Declarations shared by the drivers of planets. */
#ifndef BI_PLANET_DRIVERS_H
#define BI_PLANET_DRIVERS_H

#include "planet/handle.h"
#include "planet/steps/steps.h"

#define BI_PLANET_STEP(ctx, name, n, args) (ctx->ops->planet->steps->planet_##name((ctx), (n), (args)))

/* Converts `rows` rows of values to samples. *bad: the first value out of range, or INT64_MAX. Waits. */
bosc_status bi_planet_copy_samples(bosc_ctx *ctx, struct bi_planet_copy *copy, int64_t rows, int64_t *bad);

/* Checks a raster's type, scale and offset, and fills defaults in. name: the argument in messages. */
bosc_status bi_planet_check_values(bosc_ctx *ctx, const char *name, bosc_dtype *dtype, double *scale, double offset);

/* Detaches the raster. */
void bi_planet_release_raster(bosc_planet *planet);

/* Computes poles and bounds of the raster of a view, makes it the planet's, and the octahedron its mesh. */
bosc_status bi_planet_survey(bosc_ctx *ctx, bosc_planet *planet, struct bi_planet_view *view);

/* Makes the octahedron the mesh. */
bosc_status bi_planet_reset(bosc_ctx *ctx, bosc_planet *planet);

/* Recomputes all leaves if they are stale. */
bosc_status bi_planet_refresh(bosc_ctx *ctx, bosc_planet *planet);

/* Applies commands in reach. *changed (or NULL): true if any leaf is new, for which the call waits. */
bosc_status bi_planet_change(bosc_ctx *ctx, bosc_planet *planet, const uint8_t *commands, int64_t command_count,
                             bool *changed);

/* Applies commands in reach that only split leaves. If the pool then has more than `max_leaves` leaves
 * (BI_PLANET_TOO_MANY), the planet is stale. */
enum bi_planet_growth { BI_PLANET_SAME, BI_PLANET_MORE, BI_PLANET_TOO_MANY };
bosc_status bi_planet_split(bosc_ctx *ctx, bosc_planet *planet, const uint8_t *commands, int64_t max_leaves,
                            enum bi_planet_growth *growth);

/* Selects the finest mesh within a goal's budget of triangles. */
bosc_status bi_planet_select_budget(bosc_ctx *ctx, bosc_planet *planet, const bosc_planet_goal *goal,
                                    struct bi_planet_criterion *criterion);

/* Measures the distance of all samples from the mesh. errors (leaves, or NULL): the largest of each leaf, as bits of
 * f32. *worst: the complement of the bits of the largest, and the first sample that has it. Waits. */
bosc_status bi_planet_measure_samples(bosc_ctx *ctx, const bosc_planet *planet, uint32_t *errors, uint64_t *worst);

/* Checks a goal: a full copy, and the criterion that steps read. */
bosc_status bi_planet_check_goal(bosc_ctx *ctx, const bosc_planet *planet, const bosc_planet_goal *goal,
                                 bosc_planet_goal *full, struct bi_planet_criterion *criterion);

/* Sets the limits of a criterion to the goal's bounds times `times`. */
void bi_planet_set_limits(const bosc_planet_goal *goal, double times, struct bi_planet_criterion *criterion);

#endif
