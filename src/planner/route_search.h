/* The search for a route: its state, and its methods, each in a file of its own. */
#ifndef BI_PLANNER_ROUTE_SEARCH_H
#define BI_PLANNER_ROUTE_SEARCH_H

#include "planner/path.h"

struct bi_planner_search {
    bosc_planner *planner;
    bosc_planner_route_opts opts; /* with defaults */
    double start[4], goal[4];
    bosc_planner_route_info info;
    uint64_t counter; /* of random numbers */
};

/* sample_rotation.c: a uniform random rotation; and one near q, in a ball of about `radius` (of quaternions). */
void bi_planner_sample_rotation(struct bi_planner_search *search, double *to);
void bi_planner_sample_near(struct bi_planner_search *search, const double *q, double radius, double *to);

/* rrt_connect.c: grows trees of certified steps from start and goal. *path stays empty if they do not connect. */
bosc_status bi_planner_rrt_connect(bosc_ctx *ctx, struct bi_planner_search *search, struct bi_planner_path *path);

/* cell_path.c: finds a path through free cells; *path stays empty if there is none. */
bosc_status bi_planner_find_cell_path(bosc_ctx *ctx, struct bi_planner_search *search, struct bi_planner_path *path);

/* dijkstra_angle.c: finds the path of least angle through free cells: its *n cells (host), from ends[0] to ends[1]. */
bosc_status bi_planner_find_least_angle_path(bosc_ctx *ctx, const bosc_planner *planner, const int64_t ends[2],
                                             struct bi_block *cells, int64_t *n);

/* shorten_path.c: certifies each step. */
bosc_status bi_planner_certify_path(bosc_ctx *ctx, struct bi_planner_search *search, struct bi_planner_path *path);
/* Removes rotations: each is followed by the farthest tested one that a certified step reaches. */
bosc_status bi_planner_shorten_path(bosc_ctx *ctx, struct bi_planner_search *search, struct bi_planner_path *path);

/* repair_path.c: replaces uncertified steps by certified detours, where these are
 * found. */
bosc_status bi_planner_repair_path(bosc_ctx *ctx, struct bi_planner_search *search, struct bi_planner_path *path);

/* subdivide_so3.c: subdivides SO(3) into boxes. *path: a path through free boxes, if found; *apart: no route exists,
 * proved. */
bosc_status bi_planner_subdivide_so3(bosc_ctx *ctx, struct bi_planner_search *search, struct bi_planner_path *path,
                                     bool *apart);

#endif
