/* The features of a scene, numbered: vertices of equal coordinates are merged, and so are edges between them. */
#ifndef BI_PLAN_SCENE_H
#define BI_PLAN_SCENE_H

#include "plan/plan.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Bounds of a feature's distance from the origin, rounded outwards. */
struct bi_plan_shell {
    double low, high;
};

/* A robot or an obstacle. Its arrays are in its two blocks, in host memory. */
struct bi_plan_side {
    struct bi_plan_surface surface;
    const double *balls; /* the caller's */
    int64_t ball_count;
    const int64_t *vertex_ids;  /* (vertex_count) the first input vertex of each */
    const int32_t *planes;      /* (facet_count x 3) vertices that span the plane of each */
    const int32_t *end_offsets; /* (facet_count + 1) */
    const int32_t *ends;        /* vertices of a facet, in their order */
    struct bi_plan_shell *edge_shells, *facet_shells, *vertex_shells;
    struct bi_block numbers, doubles;
};

/* Checks the bodies, named "robot" or "obstacle" in messages, and numbers their features, in blocks of `host`. */
bosc_status bi_plan_read_side(bosc_ctx *ctx, const struct bi_memory *host, const char *name,
                              const bosc_plan_bodies *bodies, struct bi_plan_side *side);

/* True if exact arithmetic can represent x and its products: 0, or of size 2^-110 to 2^100. */
bool bi_plan_is_coordinate(double x);

#ifdef __cplusplus
}
#endif
#endif
