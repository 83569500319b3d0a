/* Shapes of a side's features: planes of facets, distances from the origin, convexity of solids. */
#ifndef BI_PLAN_SHAPE_H
#define BI_PLAN_SHAPE_H

#include "plan/scene.h"

/* Chooses the plane of a facet: its first vertex, and the two consecutive ones that make the largest triangle with it.
 * */
void bi_plan_choose_plane(const double *vertices, const int32_t *ends, int32_t count, int32_t *plane);

/* Computes the shells of vertices, edges and facets. */
void bi_plan_compute_shells(struct bi_plan_side *side);

/* Refuses open, nonconvex and flat solids. */
bosc_status bi_plan_check_solids(bosc_ctx *ctx, const char *name, const struct bi_plan_side *side);

#endif
