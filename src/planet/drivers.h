/* What the drivers of planets share. */
#ifndef BI_PLANET_DRIVERS_H
#define BI_PLANET_DRIVERS_H

#include "planet/handle.h"
#include "planet/steps/steps.h"

#define BI_PLANET_STEP(ctx, name, n, args) (ctx->ops->planet->steps->planet_##name((ctx), (n), (args)))

/* Makes the copy, of so many rows; *bad: the first value that is no height, or INT64_MAX. Waits. */
bosc_status bi_planet_copy_samples(bosc_ctx *ctx, struct bi_planet_copy *copy, int64_t rows, int64_t *bad);

/* Checks a raster's type, scale and offset, for messages about the argument `name`; fills defaults in. */
bosc_status bi_planet_check_values(bosc_ctx *ctx, const char *name, bosc_dtype *dtype, double *scale, double offset);

/* The planet has no raster, until the new one is there. */
void bi_planet_forget_raster(bosc_planet *planet);

/* Finds what is known of the raster of a view, which becomes the planet's, and makes the octahedron the mesh. */
bosc_status bi_planet_survey(bosc_ctx *ctx, bosc_planet *planet, struct bi_planet_view *view);

/* Makes the octahedron the mesh. */
bosc_status bi_planet_reset(bosc_ctx *ctx, bosc_planet *planet);

/* Finds all leaves of the pool anew if a failure left it without them. */
bosc_status bi_planet_refresh(bosc_ctx *ctx, bosc_planet *planet);

/* Carries commands out, which are in reach. *changed (or NULL): whether any leaf is new; waits once more. */
bosc_status bi_planet_change(bosc_ctx *ctx, bosc_planet *planet, const uint8_t *commands, int64_t command_count,
                             bool *changed);

/* Carries out commands that only split leaves, which are in reach; but what leaves are is not known after that if there
 * are more than `most`. */
enum bi_planet_growth { BI_PLANET_SAME, BI_PLANET_MORE, BI_PLANET_TOO_MANY };
bosc_status bi_planet_split(bosc_ctx *ctx, bosc_planet *planet, const uint8_t *commands, int64_t most,
                            enum bi_planet_growth *growth);

/* Selects the mesh that keeps to a goal's budget. */
bosc_status bi_planet_select_budget(bosc_ctx *ctx, bosc_planet *planet, const bosc_planet_goal *goal,
                                    struct bi_planet_criterion *criterion);

/* Measures all samples. errors (leaves, or NULL): the largest of each leaf, as bits of f32. *worst: the complement of
 * the largest of all, and its first sample. Waits. */
bosc_status bi_planet_measure_samples(bosc_ctx *ctx, const bosc_planet *planet, uint32_t *errors, uint64_t *worst);

/* A checked copy of a goal, and what steps read of it. */
bosc_status bi_planet_check_goal(bosc_ctx *ctx, const bosc_planet *planet, const bosc_planet_goal *goal,
                                 bosc_planet_goal *full, struct bi_planet_criterion *criterion);

/* Sets its limits to the goal's bounds, so many times. */
void bi_planet_set_limits(const bosc_planet_goal *goal, double times, struct bi_planet_criterion *criterion);

#endif
