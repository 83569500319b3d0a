/* Shapes of a side's features: planes of facets, distances from the origin, and whether solids are convex. */
#ifndef BI_PLAN_SHAPE_H
#define BI_PLAN_SHAPE_H

#include "plan/scene.h"

/* The first vertex of a facet, and the two that follow each other and make the largest triangle with it. */
void bi_plan_choose_plane(const double *vertices, const int32_t *ends, int32_t count, int32_t *plane);

/* The shells of vertices, edges and facets. */
void bi_plan_make_shells(struct bi_plan_side *side);

/* Refuses solids that are not closed, not convex, or flat. */
bosc_status bi_plan_check_solids(bosc_ctx *ctx, const char *name, const struct bi_plan_side *side);

#endif
