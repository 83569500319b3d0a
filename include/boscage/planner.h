/* boscage/planner.h - motion planning in SO(3): a route of rotations from a start to a goal, certified free of
 * collision.
 * SPDX-License-Identifier: Apache-2.0
 *
 * The robot of a scene (boscage/plan.h) rotates about the origin. A planner samples rotations, and takes those in which
 * all constraints have the same signs for one cell. Cells whose vectors of signs differ in one are neighbours. A cell
 * is free if its signs are no collision (bosc_plan_labels). Routes lead through the representatives of free cells, the
 * first rotations that were sampled in them.
 *
 * That is a heuristic: rotations with the same signs need not be connected, and the bodies may touch between two
 * neighbours. So each step of a route, which is a slerp, is proved: a step is certified if the signs of certain
 * quadratic forms q'Mq hold all along it with the rounding errors of their evaluation included. From them follows that
 * for every pair of a robot's and an obstacle's body, in each piece of the step, a plane or a ball lies between the
 * two. A certified step is free of collision in exact arithmetic, for the bodies and rotations as given in doubles. The
 * proof does not depend on constraints or cells. Bodies are closed, so those that touch collide; triangles are
 * surfaces, so what is inside of a closed mesh of them collides with nothing.
 *
 * Rotations are quaternions as in boscage/plan.h: of any length, and q and -q are the same one.
 * Sources: Dobrowolski, An Efficient Method of Constructing Cell Graph (SII 2013); Shoemake, Animating Rotation with
 * Quaternion Curves (SIGGRAPH '85); Gilbert, Johnson, Keerthi, A Fast Procedure for Computing the Distance Between
 * Complex Objects (1988); Bohlin, Kavraki, Path Planning Using Lazy PRM (ICRA 2000); Kuffner, LaValle, RRT-Connect
 * (ICRA 2000); Zhu, Latombe, New Heuristic Algorithms for Efficient Hierarchical Path Planning (1991); Wang, Chiang,
 * Yap, On Soft Predicates in Subdivision Motion Planning (2015). */
#ifndef BOSCAGE_PLANNER_H
#define BOSCAGE_PLANNER_H

#include <boscage/plan.h>

BOSC_BEGIN_DECLS

/* A scene with its cells, in the memory of one backend and device. It is used by one context at a time, and may outlive
 * the one that made it. */
typedef struct bosc_planner bosc_planner;

/* Zero bytes mean the default; set `size`. Fields are only appended. */
typedef struct bosc_planner_opts {
    size_t size;
    bosc_plan_sampling sampling; /* CIRCLES (default) or UNIFORM */
    int32_t lazy;                /* 1: cells are made by the first call that needs them, not by the build */
    uint64_t seed;               /* of all that is random */
    int64_t max_rows;            /* rotations sampled by a build, at most; 0: 65,536 */
    int64_t batch;               /* as in bosc_roadmap_explore_opts; 0: 16,384, and as many as there are already */
    double new_rate;             /* likewise: 0: 0.01; < 0: max_rows rotations, however rare new cells get */
} bosc_planner_opts;

/* Makes a planner without a scene.
 * opts: NULL: all defaults.
 * planner: set on success. */
BOSC_API bosc_status bosc_planner_create(bosc_ctx *ctx, const bosc_planner_opts *opts, bosc_planner **planner);

/* Frees the planner once the work queued on it is done; NULL is allowed. */
BOSC_API void bosc_planner_free(bosc_planner *planner);

/* Reserves memory, so that builds of scenes, and then bosc_planner_add, locate, certify and get_cells with no more
 * rotations, allocate nothing: of scenes no larger in any number of bosc_plan_reserve than this one. Routes take host
 * memory of their own. The planner is empty then.
 * constraints: that scenes give, at most 65,536; 0: as many as this one.
 * rows: with those that are added; 0, or less than opts.max_rows: as many.
 * edges: 0: as many as can be, rows log2(rows) / 2.
 * Errors: as bosc_plan_build; on BOSC_ERR_ARG, BOSC_ERR_DATA and BOSC_ERR_LIMIT the planner holds what it held before.
 * Cost: the allocations, and for 0 constraints bosc_plan_build. Waits. */
BOSC_API bosc_status bosc_planner_reserve(bosc_ctx *ctx, bosc_planner *planner, const bosc_plan_scene *scene,
                                          int64_t constraints, int64_t rows, int64_t edges);

/* Upper bounds on the backend memory of the builds and calls for which bosc_planner_reserve with these numbers
 * reserves.
 * kept: bytes the planner keeps; may be NULL. scratch: bytes of the context's scratch; may be NULL.
 * Errors and cost: as bosc_planner_reserve, less the allocations. */
BOSC_API bosc_status bosc_planner_bytes(const bosc_ctx *ctx, const bosc_planner_opts *opts,
                                        const bosc_plan_scene *scene, int64_t constraints, int64_t rows, int64_t edges,
                                        int64_t *kept, int64_t *scratch);

/* Takes a scene, which is copied, and makes its cells: constraints (bosc_plan_build), rotations sampled in batches
 * (bosc_roadmap_explore), which cells are free, and the components of these. A lazy planner has no cells at first:
 * bosc_planner_add makes them, and bosc_planner_route where it finds no certified route without.
 * Errors: as bosc_plan_build. On BOSC_ERR_ARG, BOSC_ERR_DATA and BOSC_ERR_LIMIT the planner holds what it held before;
 * on any other failure it is empty. A further build of the same shape allocates nothing.
 * Cost: that of the two; the labels of all cells; O(cells + edges). Waits. */
BOSC_API bosc_status bosc_planner_build(bosc_ctx *ctx, bosc_planner *planner, const bosc_plan_scene *scene);

/* Adds cells of the caller's rotations.
 * rotations: (n x 4).
 * Errors: as bosc_plan_signs; BOSC_ERR_ARG for a planner without a scene. On failure the planner is as it was, or empty
 * for want of memory.
 * Cost: as bosc_roadmap_add; the components anew. Waits. */
BOSC_API bosc_status bosc_planner_add(bosc_ctx *ctx, bosc_planner *planner, const double *rotations, int64_t n);

typedef struct bosc_planner_info {
    size_t size;
    int64_t rows;        /* rotations that cells were made of; 0 while a lazy planner has none */
    int64_t constraints; /* signs of each; 0: no cells, all rotations are alike */
    int64_t cells, free_cells, edges;
    int64_t components; /* of free cells */
    int64_t robot_bodies, obstacle_bodies;
    int64_t bytes; /* backend memory held by the planner */
} bosc_planner_info;

/* Describes the planner. Set info->size before the call. */
BOSC_API bosc_status bosc_planner_get_info(bosc_ctx *ctx, const bosc_planner *planner, bosc_planner_info *info);

/* Copies the cells out. Any array may be NULL.
 * rotations: (cells x 4) the representatives.
 * free_mask: (cells) 1: free.
 * components: (cells) the smallest cell of each free cell's component; -1 for forbidden cells.
 * Cost: O(cells). Waits unless all arrays are on the device. */
BOSC_API bosc_status bosc_planner_get_cells(bosc_ctx *ctx, const bosc_planner *planner, double *rotations,
                                            uint8_t *free_mask, int64_t *components);

/* Give the constraints and the roadmap, for reading until the planner is built anew or added to; the vertices of the
 * roadmap's graph are the cells. NULL before a build; the roadmap is NULL where there are no constraints, or no cells
 * yet. */
BOSC_API const bosc_plan *bosc_planner_plan(const bosc_planner *planner);
BOSC_API const bosc_roadmap *bosc_planner_roadmap(const bosc_planner *planner);

/* Finds the cells of rotations, of a few at once.
 * rotations: (n x 4).
 * cells: (n) the cell with the same signs; -1 where none was sampled.
 * Errors: as bosc_plan_signs.
 * Cost: that of bosc_plan_signs; a comparison of each of the n vectors with those of all cells. Waits. */
BOSC_API bosc_status bosc_planner_locate(bosc_ctx *ctx, const bosc_planner *planner, const double *rotations, int64_t n,
                                         int64_t *cells);

/* Certifies steps: the slerps, by the shorter way, between each rotation and the next one.
 * rotations: (n x 4); a step of a half turn, but for 10^-6, has no shorter way and is not certified.
 * certified: (n - 1) 1: free of collision, proved; 0: not.
 * where: (n - 1, may be NULL) where the first piece is that no proof was found for, as a fraction of the step; -1 for
 *     certified steps.
 * Cost: O(n r o) for r and o bodies, and where two are close more, the closer they are. Waits unless all arrays are on
 * the device. */
BOSC_API bosc_status bosc_planner_certify(bosc_ctx *ctx, const bosc_planner *planner, const double *rotations,
                                          int64_t n, uint8_t *certified, double *where);

typedef enum bosc_planner_outcome {
    BOSC_PLANNER_CERTIFIED = 1,       /* a route, of which all steps are certified */
    BOSC_PLANNER_UNCERTIFIED = 2,     /* a route through free cells, of which some steps are not certified */
    BOSC_PLANNER_NO_ROUTE = 3,        /* none through the cells that there are, nor found otherwise */
    BOSC_PLANNER_START_COLLIDES = 4,  /* the start is in collision (the goal may be, too) */
    BOSC_PLANNER_GOAL_COLLIDES = 5,   /* the goal is, and the start is not */
    BOSC_PLANNER_PROVED_NO_ROUTE = 6, /* none exists: proved */
} bosc_planner_outcome;

/* What a route should be. */
typedef enum bosc_planner_weights {
    BOSC_PLANNER_CELLS = 0, /* through the fewest cells */
    BOSC_PLANNER_ANGLE = 1  /* of the least angle between the representatives of its cells */
} bosc_planner_weights;

/* Zero bytes mean the default; set `size`. Fields are only appended. */
typedef struct bosc_planner_route_opts {
    size_t size;
    bosc_planner_weights weights;
    int32_t keep_steps; /* 1: one rotation a cell. 0 (default): steps are left out where what takes their place is
                           certified */
    int32_t rounds;     /* of rotations sampled where steps are not certified; 0: 24; -1: none */
    /* Boxes of rotations into which SO(3) is divided to find a way, or to prove that there is none, where all else
     * found no certified one. 0: 200,000, or 2^26 / (r o) for r and o bodies, but 4,096 at least; -1: none. */
    int64_t max_boxes;
    /* Steps that are tested to grow trees of them from start and goal. 0: 4,096, or 2^24 / (r o) where that is less,
     * but 1,024 at least; -1: none. */
    int64_t max_tested;
} bosc_planner_route_opts;

typedef struct bosc_planner_route_info {
    size_t size;
    bosc_planner_outcome outcome;
    int64_t rotations; /* of the route, with start and goal; 0 without a route */
    int64_t certified; /* of its steps, which are one less */
    int64_t cells;     /* N of "no route among N cells" */
    int64_t on_way;    /* free cells on the way that was found first; 0: none */
    int64_t added;     /* rotations that were sampled to mend it */
    int64_t tested;    /* steps that were tested */
    int64_t boxes, free_boxes,
        forbidden_boxes; /* into which SO(3) was divided; proved to be free; to be in collision */
    double angle;        /* that the robot turns on the route, in radians */
    int64_t nodes;       /* of the trees grown from start and goal; 0: none were */
} bosc_planner_route_info;

/* Looks for a route. The planner keeps it until the next call.
 * A single step is tried first. Then a shortest way through free cells; start and goal become cells where they are
 * none. Steps of it that are not certified are mended by rotations sampled near them, and around. Where this does not
 * lead to a certified route, trees of certified steps grow from start and goal towards random rotations and each other
 * (a lazy planner without cells does this before it makes them). Where these do not meet, SO(3)
 * is divided into boxes that are free, forbidden or neither, level by level. If free boxes join start and goal, a route
 * leads through them; if forbidden ones part them, there is none, which is proved as steps are, by bounds with the
 * rounding errors included.
 * start, goal: (4) host.
 * opts: NULL: all defaults. info: may be NULL; set `size`.
 * Errors: BOSC_ERR_DATA for a start or goal that is no rotation. That there is no route is none.
 * Cost: O(cells + edges) for the way; each step tested as by bosc_planner_certify; boxes O(r o) each at most. Waits. */
BOSC_API bosc_status bosc_planner_route(bosc_ctx *ctx, bosc_planner *planner, const double start[4],
                                        const double goal[4], const bosc_planner_route_opts *opts,
                                        bosc_planner_route_info *info);

/* Copies the route out. Any array may be NULL.
 * rotations: (rotations x 4) from the start, as given, to the goal or its negative; products of neighbours are not
 *     negative.
 * certified: (rotations - 1) 1: the step from each to the next one is certified.
 * Cost: O(rotations). Waits. */
BOSC_API bosc_status bosc_planner_get_route(bosc_ctx *ctx, const bosc_planner *planner, double *rotations,
                                            uint8_t *certified);

BOSC_END_DECLS

#endif
