/* Ways on the host: rotations, and which of the steps between them are certified. */
#ifndef BI_PLANNER_WAY_H
#define BI_PLANNER_WAY_H

#include "planner/drivers.h"

/* Grows a block of the host, whose first `used` bytes stay. */
bosc_status bi_planner_grow(bosc_ctx *ctx, struct bi_block *block, size_t used, size_t bytes);

static inline double *bi_planner_way_at(const struct bi_planner_way *way, int64_t i)
{
    return (double *)way->rotations.data + 4 * i;
}

static inline uint8_t *bi_planner_way_steps(const struct bi_planner_way *way) { return way->certified.data; }

/* Appends a rotation, on the side of the last one; the step to it is not certified, or is. */
bosc_status bi_planner_way_add(bosc_ctx *ctx, struct bi_planner_way *way, const double *q, bool certified);
void bi_planner_way_free(bosc_ctx *ctx, struct bi_planner_way *way);

/* Whether all steps are certified; *count gets how many are. */
bool bi_planner_way_certified(const struct bi_planner_way *way, int64_t *count);

/* The angle that the robot turns along it. */
double bi_planner_way_angle(const struct bi_planner_way *way);

/* A search for a route: what all parts of it share. */
struct bi_planner_search {
    bosc_planner *planner;
    bosc_planner_route_opts opts; /* every field set */
    double start[4], goal[4];
    bosc_planner_route_info info;
    uint64_t counter; /* of random numbers */
};

/* A random number in 0 to 1, of the planner's seed. */
double bi_planner_unit(struct bi_planner_search *search);

/* Grows trees of certified steps from start and goal. *way stays empty if they do not meet. */
bosc_status bi_planner_connect(bosc_ctx *ctx, struct bi_planner_search *search, struct bi_planner_way *way);

/* A way through free cells: *way is empty if there is none. */
bosc_status bi_planner_cells_way(bosc_ctx *ctx, struct bi_planner_search *search, struct bi_planner_way *way);

/* One of the least angle; cells (host) gets the cells of it, *n their number. */
bosc_status bi_planner_least_angle(bosc_ctx *ctx, const bosc_planner *planner, const int64_t ends[2],
                                   struct bi_block *cells, int64_t *n);

/* Certifies each step. */
bosc_status bi_planner_certify_way(bosc_ctx *ctx, struct bi_planner_search *search, struct bi_planner_way *way);

/* The same way with as few rotations as certified steps allow: from each, to the farthest that a certified step leads
 * to among those that are tried. */
bosc_status bi_planner_shorten(bosc_ctx *ctx, struct bi_planner_search *search, struct bi_planner_way *way);

/* Puts rotations into steps that are not certified, where that leads to certified ones. */
bosc_status bi_planner_mend(bosc_ctx *ctx, struct bi_planner_search *search, struct bi_planner_way *way);

/* Divides SO(3) into boxes. *way gets a way through free boxes, if there is one; *apart says whether there is proved to
 * be none. */
bosc_status bi_planner_divide(bosc_ctx *ctx, struct bi_planner_search *search, struct bi_planner_way *way, bool *apart);

#endif
