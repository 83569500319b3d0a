/* The search for a route: paths on the host, the state of the search, its methods, and random rotations. */
#ifndef BI_PLANNER_ROUTE_SEARCH_H
#define BI_PLANNER_ROUTE_SEARCH_H

#include "base/philox.h"
#include "planner/drivers.h"

/* ---- paths ---- */

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

/* ---- the search ---- */

struct bi_planner_search {
    bosc_planner *planner;
    bosc_planner_route_opts opts; /* with defaults */
    double start[4], goal[4];
    bosc_planner_route_info info; /* outcome 0: open */
    uint64_t counter;             /* of random numbers */
};

/* rrt_connect.c: grows trees of certified steps from start and goal. *path stays empty if they do not connect. */
bosc_status bi_planner_rrt_connect(bosc_ctx *ctx, struct bi_planner_search *search, struct bi_planner_path *path);

/* cell_path.c: finds a path through free cells; *path stays empty if there is none. */
bosc_status bi_planner_find_cell_path(bosc_ctx *ctx, struct bi_planner_search *search, struct bi_planner_path *path);

/* path.c: certifies each step. */
bosc_status bi_planner_certify_path(bosc_ctx *ctx, struct bi_planner_search *search, struct bi_planner_path *path);
/* Removes rotations: each is followed by the farthest tested one that a certified step reaches. */
bosc_status bi_planner_shorten_path(bosc_ctx *ctx, struct bi_planner_search *search, struct bi_planner_path *path);

/* Replaces uncertified steps by certified detours, where these are found. */
bosc_status bi_planner_repair_path(bosc_ctx *ctx, struct bi_planner_search *search, struct bi_planner_path *path);

/* subdivide_so3.c: subdivides SO(3) into boxes. *path: a path through free boxes, if found; the outcome in
 * search->info: BOSC_PLANNER_PROVED_NO_ROUTE if boxes separate start and goal. */
bosc_status bi_planner_subdivide_so3(bosc_ctx *ctx, struct bi_planner_search *search, struct bi_planner_path *path);

/* ---- random rotations ---- */

/* Returns a random number in [0, 1), a function of the planner's seed and the counter. */
static inline double bi_planner_random_unit(struct bi_planner_search *search)
{
    enum { STREAM = 0x6d656e64 }; /* any constant: keeps these numbers apart from other uses of the seed */
    struct bi_philox words = bi_philox_at(search->planner->opts.seed, STREAM, search->counter++);
    return (double)(((uint64_t)words.v[0] << 32 | words.v[1]) >> 11) * 0x1p-53;
}

/* Draws a uniform random rotation. Rejection from a 4-cube gives a point in the unit ball, whose direction is
 * uniform. */
static inline void bi_planner_sample_rotation(struct bi_planner_search *search, double *to)
{
    double q[4], length2;
    do {
        for (int k = 0; k < 4; k++) q[k] = 2 * bi_planner_random_unit(search) - 1;
        length2 = bi_planner_dot4(q, q);
    } while (length2 > 1 || length2 < 0x1p-20);
    bi_planner_normalize(q, to);
}

/* Draws a rotation near q, in a ball of about `radius` (of quaternions). Rejection from a cube gives a point in the
 * unit ball, which offsets q in its tangent space. */
static inline void bi_planner_sample_near(struct bi_planner_search *search, const double *q, double radius, double *to)
{
    double v[3], length2;
    do {
        for (int k = 0; k < 3; k++) v[k] = 2 * bi_planner_random_unit(search) - 1;
        length2 = bi_planner_dot(v, v);
    } while (length2 > 1);
    double w = 1, x = radius * v[0], y = radius * v[1], z = radius * v[2];
    double p[4] = {(q[0] * w - q[1] * x) - (q[2] * y + q[3] * z), (q[0] * x + q[1] * w) + (q[2] * z - q[3] * y),
                   (q[0] * y + q[2] * w) + (q[3] * x - q[1] * z), (q[0] * z + q[3] * w) + (q[1] * y - q[2] * x)};
    bi_planner_normalize(p, to);
}

#endif
