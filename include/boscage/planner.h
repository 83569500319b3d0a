/* boscage/planner.h - motion planning in SO(3): routes of rotations, certified free of collision, and proofs of none.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Family: motion
 * Start with: bosc_planner_build, _route
 *
 * The robot of a scene (boscage/plan.h) rotates about the origin. A planner samples rotations and groups them into
 * cells, in which all constraints have the same signs. Cells with one different sign are neighbours. A cell is free if
 * its signs are no collision (bosc_plan_labels). Routes lead through the representatives of free cells, the first
 * rotations sampled in them.
 *
 * That is a heuristic: rotations with the same signs need not be connected, and the bodies may touch between two
 * neighbours. So each step of a route, a slerp, is proved. A step is certified if the signs of certain quadratic forms
 * q'Mq hold all along it, with the rounding errors of their evaluation included. They imply that, in each piece of the
 * step, a plane or a ball separates every pair of a robot's and an obstacle's body. A certified step is free of
 * collision in exact arithmetic, for the bodies and rotations as given in doubles. The proof does not depend on
 * constraints or cells. Bodies are closed, so touching is a collision. Triangles are surfaces, so a body inside a
 * closed mesh of triangles does not collide with it.
 *
 * Rotations are quaternions as in boscage/plan.h: of any length, and q and -q are the same one.
 * Sources: Dobrowolski, An Efficient Method of Constructing Cell Graph (SII 2013); Shoemake, Animating Rotation with
 *     Quaternion Curves (SIGGRAPH '85); Gilbert, Johnson, Keerthi, A Fast Procedure for Computing the Distance Between
 *     Complex Objects (1988); Bohlin, Kavraki, Path Planning Using Lazy PRM (ICRA 2000); Kuffner, LaValle, RRT-Connect
 *     (ICRA 2000); Zhu, Latombe, New Heuristic Algorithms for Efficient Hierarchical Path Planning (1991); Wang,
 *     Chiang, Yap, On Soft Predicates in Subdivision Motion Planning (2015). */
#ifndef BOSCAGE_PLANNER_H
#define BOSCAGE_PLANNER_H

#include <boscage/plan.h>

BOSC_BEGIN_DECLS

/* A scene with its cells, in the memory of one backend and device. It is used by one context at a time, and may outlive
 * the one that made it. */
typedef struct bosc_planner bosc_planner;

/* Set `size`; zero bytes elsewhere mean the defaults. */
typedef struct bosc_planner_opts {
    size_t size;
    bosc_plan_sampling sampling; /* CIRCLES (default) or UNIFORM */
    int32_t lazy;                /* 1: the first call that needs cells makes them, not the build */
    uint64_t seed;               /* of all random choices */
    int64_t max_rows;            /* rotations sampled by a build, at most; 0: 65,536 */
    int64_t batch;               /* as in bosc_roadmap_explore_opts; 0: 16,384, or the number of present rows if that is
                                  * more */
    double new_rate;             /* as in bosc_roadmap_explore_opts; 0: 0.01; < 0: always max_rows rotations */
} bosc_planner_opts;

/* Makes a planner without a scene.
 * opts: NULL means the defaults.
 * planner: set on success. */
BOSC_API bosc_status bosc_planner_create(bosc_ctx *ctx, const bosc_planner_opts *opts, bosc_planner **planner);

/* Frees the planner once the work queued on it is done; NULL is allowed. */
BOSC_API void bosc_planner_free(bosc_planner *planner);

/* Reserves memory so that builds of scenes no larger than this one allocate nothing. The planner is then empty.
 * This holds, with no more rotations, for bosc_planner_add, locate, certify and get_cells too. No larger means in every
 * number of bosc_plan_reserve. Routes allocate host memory.
 * constraints: most constraints of a scene, up to 65,536; 0: those of this scene.
 * rows: most rotations, added ones included; at least opts.max_rows.
 * edges: 0: the most possible, rows log2(rows) / 2.
 * Errors: as bosc_plan_build; on BOSC_ERR_ARG, BOSC_ERR_DATA and BOSC_ERR_LIMIT the planner is unchanged.
 * Cost: the allocations, and for 0 constraints bosc_plan_build.
 * Waits. */
BOSC_API bosc_status bosc_planner_reserve(bosc_ctx *ctx, bosc_planner *planner, const bosc_plan_scene *scene,
                                          int64_t constraints, int64_t rows, int64_t edges);

/* Computes upper bounds on the backend memory, in bytes, that bosc_planner_reserve with these numbers reserves.
 * kept: held by the planner; may be NULL.
 * scratch: of the context; may be NULL.
 * Errors: as bosc_planner_reserve.
 * Cost: as bosc_planner_reserve, without the allocations. */
BOSC_API bosc_status bosc_planner_bytes(const bosc_ctx *ctx, const bosc_planner_opts *opts,
                                        const bosc_plan_scene *scene, int64_t constraints, int64_t rows, int64_t edges,
                                        int64_t *kept, int64_t *scratch);

/* Copies a scene and makes its cells.
 * The build makes constraints (bosc_plan_build), samples rotations in batches (bosc_roadmap_explore), and finds the
 * free cells and their components. A lazy planner makes cells later: in bosc_planner_add, and in bosc_planner_route if
 * it finds no certified route without.
 * Errors: as bosc_plan_build. On BOSC_ERR_ARG, BOSC_ERR_DATA and BOSC_ERR_LIMIT the planner is unchanged; on any other
 *     failure it is empty.
 * Cost: the two calls, the labels of all cells, and O(cells + edges). A further build of the same shape allocates
 *     nothing.
 * Waits. */
BOSC_API bosc_status bosc_planner_build(bosc_ctx *ctx, bosc_planner *planner, const bosc_plan_scene *scene);

/* Adds cells of the caller's rotations.
 * rotations (n x 4): dense.
 * Errors: as bosc_plan_signs; BOSC_ERR_ARG for a planner without a scene. On failure the planner is unchanged, or empty
 *     after BOSC_ERR_NOMEM.
 * Cost: as bosc_roadmap_add; recomputes the components.
 * Waits. */
BOSC_API bosc_status bosc_planner_add(bosc_ctx *ctx, bosc_planner *planner, const double *rotations, int64_t n);

typedef struct bosc_planner_info {
    size_t size;
    int64_t rows;        /* sampled and added rotations; 0 while a lazy planner has no cells */
    int64_t constraints; /* signs of each; 0: no cells, as no sign can change */
    int64_t cells, free_cells, edges;
    int64_t components; /* of free cells */
    int64_t robot_bodies, obstacle_bodies;
    int64_t bytes; /* backend memory held by the planner */
} bosc_planner_info;

/* Describes the planner. Set `size`. */
BOSC_API bosc_status bosc_planner_get_info(bosc_ctx *ctx, const bosc_planner *planner, bosc_planner_info *info);

/* Copies the cells. Any array may be NULL.
 * rotations (cells x 4): the representatives.
 * free_mask (cells): 1: free.
 * components (cells): the smallest cell of each free cell's component; -1 for forbidden cells.
 * Cost: O(cells).
 * Queues. */
BOSC_API bosc_status bosc_planner_get_cells(bosc_ctx *ctx, const bosc_planner *planner, double *rotations,
                                            uint8_t *free_mask, int64_t *components);

/* Returns the constraints, or the roadmap, for reading until the planner is rebuilt or added to.
 * The vertices of the roadmap's graph are the cells. NULL before a build; the roadmap is also NULL without constraints
 * or cells. */
BOSC_API const bosc_plan *bosc_planner_plan(const bosc_planner *planner);
BOSC_API const bosc_roadmap *bosc_planner_roadmap(const bosc_planner *planner);

/* Finds the cells of rotations; for few rotations at once.
 * rotations (n x 4): dense.
 * cells (n): the cell with the same signs; -1 if none was sampled.
 * Errors: as bosc_plan_signs.
 * Cost: bosc_plan_signs, and a comparison of each vector with all cells.
 * Waits. */
BOSC_API bosc_status bosc_planner_locate(bosc_ctx *ctx, const bosc_planner *planner, const double *rotations, int64_t n,
                                         int64_t *cells);

/* Certifies steps: the shorter slerp between each rotation and the next one.
 * rotations (n x 4): dense. A step of a half turn, within 10^-6, has no shorter slerp and is not certified.
 * certified (n - 1): 1: proved free of collision; 0: not.
 * where (n - 1): the first piece without a proof, as a fraction of the step; -1 for certified steps; may be NULL.
 * Cost: O(n r o) for r and o bodies, more the closer two bodies are.
 * Queues. */
BOSC_API bosc_status bosc_planner_certify(bosc_ctx *ctx, const bosc_planner *planner, const double *rotations,
                                          int64_t n, uint8_t *certified, double *where);

typedef enum bosc_planner_outcome {
    BOSC_PLANNER_CERTIFIED = 1,       /* a route with all steps certified */
    BOSC_PLANNER_UNCERTIFIED = 2,     /* a route through free cells with some steps not certified */
    BOSC_PLANNER_NO_ROUTE = 3,        /* none found, through the present cells or otherwise */
    BOSC_PLANNER_START_COLLIDES = 4,  /* the start is in collision (the goal may be, too) */
    BOSC_PLANNER_GOAL_COLLIDES = 5,   /* the goal is in collision, the start is not */
    BOSC_PLANNER_PROVED_NO_ROUTE = 6, /* none exists: proved */
} bosc_planner_outcome;

/* Criteria of a route. */
typedef enum bosc_planner_weights {
    BOSC_PLANNER_CELLS = 0, /* through the fewest cells */
    BOSC_PLANNER_ANGLE = 1  /* with the least angle between the representatives of its cells */
} bosc_planner_weights;

/* Set `size`; zero bytes elsewhere mean the defaults. */
typedef struct bosc_planner_route_opts {
    size_t size;
    bosc_planner_weights weights;
    int32_t keep_steps; /* 1: one rotation a cell. 0 (default): drops steps if a certified step replaces them */
    int32_t rounds;     /* rounds of sampling around uncertified steps; 0: 24; -1: none */
    /* Most boxes into which SO(3) is divided to find a path, or to prove that there is none, after all else found no
     * certified one. 0: 200,000, or 2^26 / (r o) for r and o bodies, but 4,096 at least; -1: none. */
    int64_t max_boxes;
    /* Most steps tested to grow trees from start and goal. 0: 4,096, or 2^24 / (r o) if that is less, but 1,024 at
     * least; -1: none. */
    int64_t max_tested;
} bosc_planner_route_opts;

typedef struct bosc_planner_route_info {
    size_t size;
    bosc_planner_outcome outcome;
    int64_t rotations; /* of the route, with start and goal; 0 without a route */
    int64_t certified; /* certified steps among rotations - 1 */
    int64_t cells;     /* present cells */
    int64_t on_way;    /* free cells on the path found first; 0: none */
    int64_t added;     /* rotations sampled to repair it */
    int64_t tested;    /* steps tested */
    /* Boxes of the division of SO(3): all, proved free, proved in collision. */
    int64_t boxes, free_boxes, forbidden_boxes;
    double angle;  /* total turn along the route, in radians */
    int64_t nodes; /* of the trees grown from start and goal; 0: no trees */
} bosc_planner_route_info;

/* Finds a route. The planner stores it until the next call.
 * The methods, each tried if the ones before it found no certified route:
 *   - a single step;
 *   - a shortest path through free cells; start and goal become cells if they are none; uncertified steps are repaired
 *     by rotations sampled near them, and around;
 *   - trees of certified steps that grow from start and goal towards random rotations and each other (a lazy planner
 *     without cells tries these before it makes cells);
 *   - a division of SO(3) into free, forbidden and undecided boxes, level by level. If free boxes connect start and
 *     goal, a route leads through them. If forbidden ones separate them, there is none; this is proved as steps are, by
 *     bounds with the rounding errors included.
 * start, goal (4): host.
 * opts: NULL means the defaults.
 * info: may be NULL. Set `size`.
 * Errors: BOSC_ERR_DATA for a start or goal that is no rotation. The lack of a route is an outcome, not an error.
 * Cost: O(cells + edges) for the path; a step as in bosc_planner_certify; at most O(r o) a box.
 * Waits. */
BOSC_API bosc_status bosc_planner_route(bosc_ctx *ctx, bosc_planner *planner, const double start[4],
                                        const double goal[4], const bosc_planner_route_opts *opts,
                                        bosc_planner_route_info *info);

/* Copies the route. Any array may be NULL.
 * rotations (rotations x 4): from the start, as given, to the goal or its negative; dot products of neighbours are not
 *     negative.
 * certified (rotations - 1): 1: the step from each to the next one is certified.
 * Cost: O(rotations).
 * Waits. */
BOSC_API bosc_status bosc_planner_get_route(bosc_ctx *ctx, const bosc_planner *planner, double *rotations,
                                            uint8_t *certified);

BOSC_END_DECLS

#endif
