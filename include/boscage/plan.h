/* boscage/plan.h - motion planning in SO(3): constraints of a scene, their signs at rotations, samples, a roadmap.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Family: motion
 * Start with: bosc_plan_build
 *
 * A robot rotates about the origin among fixed obstacles. A rotation is a quaternion (w, x, y, z) of any length: q and
 * c q are one rotation for every c other than 0, and R(q) turns the robot's point a into the vector part of q a q* /
 * |q|^2. Components are 0 or of magnitude 2^-110 to 2^100, not all 0; so are coordinates, which may all be 0.
 *
 * Robot and obstacle touch or not by the signs of quadratic forms q'Mq alone (constraints). M is symmetric. A form is
 * stored as the ten coefficients of ww, wx, wy, wz, xx, xy, xz, yy, yz and zz, with both halves of M added, so that it
 * is their sum of products. Three kinds of constraints follow from a scene:
 *   - a half-space has N . R(B) + d, where B is a vertex and N, d a facet's plane; either body has the facet;
 *   - a screw is the orientation of an edge K L of the obstacle and an edge A B of the robot, (K x L) . R(A - B) + (K -
 *     L) . R(A x B);
 *   - balls of radii r and s about a and b have 2 b . R(a) + (r + s)^2 - |a|^2 - |b|^2, which is 0 or more where they
 *     touch.
 * The forms divide SO(3) into cells: vectors of signs for boscage/cellgraph.h, with a bit for each form, 1 where it is
 * 0 or more.
 *
 * Signs are exact: a form's sign is that of its real value, with the real coefficients that follow from the given
 * coordinates, at the given quaternion. Coefficients in results are rounded to double.
 * Sources: Kaczmarski, Rzazewski, Wolant, Massively Parallel Construction of the Cell Graph (PPAM 2015); Dobrowolski,
 *     An Efficient Method of Constructing Cell Graph (SII 2013); Shoemake, Uniform Random Rotations (Graphics Gems III,
 *     1992); Shewchuk, Adaptive Precision Floating-Point Arithmetic (1997); Harper, Optimal Assignments of Numbers to
 *     Vertices (1964). */
#ifndef BOSCAGE_PLAN_H
#define BOSCAGE_PLAN_H

#include <boscage/cellgraph.h>
#include <boscage/context.h>

BOSC_BEGIN_DECLS

/* ---- scenes: in the caller's host memory ---- */

/* The bodies of a robot or of an obstacle. Surfaces and solids are closed: touching is a collision. All arrays may be
 * NULL where their counts are 0. */
typedef struct bosc_plan_bodies {
    const double *balls; /* (ball_count x 4) center and radius, which is 0 or more */
    int64_t ball_count;
    const double *vertices; /* (vertex_count x 3) of triangles and polytopes */
    int64_t vertex_count;
    const int64_t *triangles; /* (triangle_count x 3) vertices; surfaces without an inside */
    int64_t triangle_count;
    /* Convex solids: polytope p has the facets polytope_offsets[p] to polytope_offsets[p + 1] - 1. */
    const int64_t *polytope_offsets; /* (polytope_count + 1) from 0 */
    int64_t polytope_count;
    /* Facet f has the vertices facet_vertices[facet_offsets[f]] to facet_vertices[facet_offsets[f + 1] - 1], three or
     * more, counter-clockwise seen from outside. Its plane is that of the largest triangle of its first vertex and two
     * consecutive ones. Vertices beside the plane are allowed: the facet is the region that its edges seem to bound. */
    const int64_t *facet_offsets;  /* (facets + 1) from 0 */
    const int64_t *facet_vertices; /* (facet_offsets[facets]) */
} bosc_plan_bodies;

/* A scene. Set `size`; zero bytes elsewhere mean an empty one. Balls are tested against balls, triangles and polytopes
 * against each other. */
typedef struct bosc_plan_scene {
    size_t size;
    bosc_plan_bodies robot, obstacle;
    const double *forms; /* (form_count x 10) more constraints; rotations where one is 0 or more are forbidden */
    int64_t form_count;
} bosc_plan_scene;

/* ---- constraints ---- */

/* The constraints of a scene and the signs that mean a collision, in the memory of one backend and device. Any number
 * of contexts of that device may read it at once, while none rebuilds it. It may outlive its context. */
typedef struct bosc_plan bosc_plan;

typedef enum bosc_plan_kind {
    BOSC_PLAN_BALL = 1,         /* a ball of the robot, one of the obstacle */
    BOSC_PLAN_VERTEX_FACET = 2, /* half-space: a vertex of the robot, a facet of the obstacle */
    BOSC_PLAN_FACET_VERTEX = 3, /* half-space: a facet of the robot, a vertex of the obstacle */
    BOSC_PLAN_SCREW = 4,        /* an edge of the robot, one of the obstacle */
    BOSC_PLAN_FORM = 5          /* of scene->forms */
} bosc_plan_kind;

/* Set `size`; zero bytes elsewhere mean the defaults. */
typedef struct bosc_plan_opts {
    size_t size;
    int32_t id_bits;         /* of rows in the caller's arrays: 64 (int64_t, default) or 32 (uint32_t) */
    int32_t keep_duplicates; /* 1: does not merge multiples of a constraint */
} bosc_plan_opts;

/* Makes a handle without constraints.
 * opts: NULL means the defaults.
 * plan: set on success. */
BOSC_API bosc_status bosc_plan_create(bosc_ctx *ctx, const bosc_plan_opts *opts, bosc_plan **plan);

/* Frees the handle once the work queued on it is done; NULL is allowed. */
BOSC_API void bosc_plan_free(bosc_plan *plan);

/* Builds the constraints of a scene; they replace the earlier ones.
 * Each pair of a robot's and an obstacle's feature is a candidate: two balls; a vertex and a facet, both ways; two
 * edges. A triangle is a facet; vertices of equal coordinates are one, and so are edges with the same ends. Two kinds
 * of candidates are culled, decided exactly: those with one sign at all rotations, and those on which no collision
 * depends, because their features are nowhere equally far from the origin. Multiples of an earlier candidate are merged
 * into it, decided exactly too.
 * Errors: BOSC_ERR_DATA for balls against anything else, for coordinates outside the range above, vertex numbers out of
 *     range, and open, flat or non-convex polytopes (by more than 2^-30 of their size); BOSC_ERR_LIMIT for over
 *     2^22 candidates or 65,536 constraints. On failure the handle is unchanged, but empty after BOSC_ERR_DEVICE.
 * Cost: O(c log c) for c candidates, on one thread. A further build of the same shape allocates nothing.
 * Waits. */
BOSC_API bosc_status bosc_plan_build(bosc_ctx *ctx, bosc_plan *plan, const bosc_plan_scene *scene);

/* Reserves memory so that builds of scenes no larger than this one, and calls with up to n contiguous rotations,
 * allocate nothing.
 * No larger means: robot and obstacle each have no more balls, given and different vertices, triangles, facets,
 * vertices of facets, edges and polytopes, and there are no more forms and constraints. Excepted are the entries of
 * bosc_plan_crossings, and functions that copy results. The handle keeps its contents.
 * scene: only counts, and equalities of vertices and edges, matter.
 * constraints: 0: the number of candidates, 65,536 at most.
 * n: below 2^32 - 1.
 * Errors: as bosc_plan_build.
 * Cost: the allocations, and a copy of the handle's contents.
 * Waits. */
BOSC_API bosc_status bosc_plan_reserve(bosc_ctx *ctx, bosc_plan *plan, const bosc_plan_scene *scene,
                                       int64_t constraints, int64_t n);

/* Computes upper bounds on the backend memory, in bytes, that bosc_plan_reserve with these numbers reserves. Needs no
 * device.
 * kept: held by the handle; may be NULL.
 * scratch: of the context; may be NULL.
 * Errors: as bosc_plan_build. */
BOSC_API bosc_status bosc_plan_bytes(const bosc_ctx *ctx, const bosc_plan_opts *opts, const bosc_plan_scene *scene,
                                     int64_t constraints, int64_t n, int64_t *kept, int64_t *scratch);

typedef struct bosc_plan_info {
    size_t size;
    int64_t constraints; /* l: letters of a vector (bosc_cellgraph_opts.length); 0 if no sign can change */
    int64_t words;       /* of a packed row: (l + 63) / 64 */
    int64_t candidates;  /* pairs of features */
    int64_t culled;      /* of constant sign, or irrelevant to collisions */
    int64_t merged;      /* into an earlier one */
    int64_t balls, half_spaces, screws, forms; /* among the constraints */
    int64_t robot_edges, obstacle_edges;       /* see bosc_plan_get_edges */
    int32_t always;                            /* 1: every rotation is a collision, by pairs of constant signs alone */
    int32_t id_bits;
    int64_t bytes; /* backend memory held by the handle */
} bosc_plan_info;

/* Describes the constraints. Set `size`. */
BOSC_API bosc_status bosc_plan_get_info(bosc_ctx *ctx, const bosc_plan *plan, bosc_plan_info *info);

/* Copies the constraints. Any array may be NULL.
 * forms (constraints x 10): coefficients, rounded to double.
 * kinds (constraints): bosc_plan_kind.
 * robot, obstacle (constraints): the features: balls; vertices (the first given one with its coordinates); facets
 *     (triangles, then facets of polytopes); edges as in bosc_plan_get_edges. For BOSC_PLAN_FORM both are the form.
 * Cost: O(constraints).
 * Waits. */
BOSC_API bosc_status bosc_plan_get_constraints(bosc_ctx *ctx, const bosc_plan *plan, double *forms, uint8_t *kinds,
                                               int64_t *robot, int64_t *obstacle);

/* Copies the candidates. Any array may be NULL.
 * kinds, robot, obstacle (candidates): as in bosc_plan_get_constraints.
 * constraints (candidates): the constraint that each became or was merged into; -1: culled.
 * signs (candidates): 1, or -1 if its sign is the opposite of that constraint's. For a culled one its constant sign, 1,
 *     -1 or 0; 2: no collision depends on it.
 * Cost: O(candidates).
 * Waits. */
BOSC_API bosc_status bosc_plan_get_candidates(bosc_ctx *ctx, const bosc_plan *plan, uint8_t *kinds, int64_t *robot,
                                              int64_t *obstacle, int64_t *constraints, int8_t *signs);

/* Copies the edges of triangles and polytopes. Either array may be NULL.
 * robot (robot_edges x 2), obstacle (obstacle_edges x 2): vertices, in the order of the first facet that has the edge.
 * Cost: O(edges).
 * Waits. */
BOSC_API bosc_status bosc_plan_get_edges(bosc_ctx *ctx, const bosc_plan *plan, int64_t *robot, int64_t *obstacle);

/* ---- signs and collisions ---- */

/* Computes the signs of all constraints at n rotations; exact.
 * rotations (n x 4): rows `stride` doubles apart (0: 4).
 * vectors (n x words): bit k of a row is 1 if constraint k is 0 or more. Bits beyond the constraints are 0.
 * Errors: BOSC_ERR_DATA with the row for components outside the range above; then the vectors are undefined.
 * Cost: 19 operations a sign, and more where rounding errors may decide.
 * Waits. */
BOSC_API bosc_status bosc_plan_signs(bosc_ctx *ctx, const bosc_plan *plan, const double *rotations, int64_t n,
                                     int64_t stride, uint64_t *vectors);

/* Computes which vectors of signs are collisions.
 * vectors (n x words): rows `stride` words apart (0: words of a row).
 * labels (n): 1 for a collision. The label holds at every rotation where no constraint is 0; elsewhere use
 *     bosc_plan_collides.
 * Cost: O(n c) at most for c candidates.
 * Queues. */
BOSC_API bosc_status bosc_plan_labels(bosc_ctx *ctx, const bosc_plan *plan, const uint64_t *vectors, int64_t n,
                                      int64_t stride, uint8_t *labels);

/* Computes which rotations are collisions; exact, also where bodies only touch, for the given coordinates.
 * rotations, stride: as in bosc_plan_signs.
 * collides (n): 1 or 0.
 * Errors: as bosc_plan_signs.
 * Cost: bosc_plan_signs and bosc_plan_labels.
 * Waits. */
BOSC_API bosc_status bosc_plan_collides(bosc_ctx *ctx, const bosc_plan *plan, const double *rotations, int64_t n,
                                        int64_t stride, uint8_t *collides);

/* ---- arcs: constraints between two rotations ---- */

/* The arc from p to q has the rotations (1 - u) p + u q for u in 0 to 1. For p and q of one length it is the path of
 * slerp: after the fraction f of the angle t between p and q, u = sin(f t) / (sin(f t) + sin((1 - f) t)). The arc from
 * p to -q is the other one; the shorter has p . q >= 0. Along it a form is (1 - u)^2 P + 2 u (1 - u) B + u^2 Q, with P
 * = p'Mp, B = p'Mq and Q = q'Mq: in the closed form that is C + A cos(2t - phi). */

/* Finds constraints whose sign certainly stays along arcs, rounding errors included.
 * from, to (n x 4): dense.
 * vectors (n x words): signs at `from`, valid for kept constraints only; may be NULL.
 * kept (n x words): bit k is 1 if constraint k is certainly not 0 on the whole arc, ends included.
 * Errors: as bosc_plan_signs.
 * Cost: three times bosc_plan_signs.
 * Waits. */
BOSC_API bosc_status bosc_plan_arcs(bosc_ctx *ctx, const bosc_plan *plan, const double *from, const double *to,
                                    int64_t n, uint64_t *vectors, uint64_t *kept);

/* Encloses the zeros of constraints along arcs, as CSR rows.
 * Outside its enclosures the sign of a constraint is certain; a constraint without one keeps its sign.
 * from, to (n x 4): dense.
 * offsets (n + 1): arc i has entries offsets[i] to offsets[i + 1] - 1, ascending by (lower, constraint).
 * lower, upper (capacity): ends of the enclosures, in u; an enclosure may be the whole arc. At most two a constraint.
 * constraints (capacity): the constraint of each entry. The three arrays may be NULL together, to get offsets alone.
 * capacity: entries that the arrays hold.
 * Errors: as bosc_plan_signs; BOSC_ERR_SPACE if capacity is less than offsets[n]; the offsets are then set.
 * Cost: O(n l), and O(e^2) for an arc of e entries.
 * Waits. */
BOSC_API bosc_status bosc_plan_crossings(bosc_ctx *ctx, const bosc_plan *plan, const double *from, const double *to,
                                         int64_t n, int64_t *offsets, double *lower, double *upper,
                                         int64_t *constraints, int64_t capacity);

/* ---- samples ---- */

typedef enum bosc_plan_sampling {
    /* Random great circles, each through a random rotation of an earlier one. A row is a rotation midway between two
     * sign changes along a circle, so a circle has one row for each sign change (at least one), and consecutive rows
     * are neighbours. Circle 0 is random; circle c > 0 begins at a random rotation of circle (c - 1) / 2, so together
     * they are connected. */
    BOSC_PLAN_CIRCLES = 0,
    /* Shoemake's uniform random rotations. */
    BOSC_PLAN_UNIFORM = 1
} bosc_plan_sampling;

/* Set `size`; zero bytes elsewhere mean the defaults. */
typedef struct bosc_plan_sample_opts {
    size_t size;
    bosc_plan_sampling sampling;
    int32_t reserved;
    uint64_t seed;
    int64_t first; /* the first circle, or uniform rotation */
    int64_t limit; /* most circles or uniform rotations; 0: no limit but the capacity */
} bosc_plan_sample_opts;

/* Samples rotations: whole circles, up to the capacity.
 * Circle i depends on the constraints, the seed and i alone, and so does uniform rotation i.
 * opts: NULL means the defaults.
 * capacity: rows that the arrays hold; a circle has up to 2 l. Below 2^32 - 1.
 * rotations (capacity x 4): of length 1, but for rounding.
 * vectors (capacity x words): their signs, as bosc_plan_signs gives them; may be NULL.
 * next (capacity): of id_bits, the next row of the circle (after the last the first) if their vectors differ in the one
 *     sign that was seen to change; else, and for uniform rows, -1. May be NULL.
 * rows: host; the number of rows.
 * last: host; the circle or uniform rotation to continue with; may be NULL.
 * Errors: BOSC_ERR_SPACE if the first circle does not fit. Arrays are undefined beyond *rows, and on failure.
 * Cost: O(l) a circle and, for r crossings, O(r (r + l)); scratch of 20 bytes and a packed row a row, 88 a circle.
 * Waits. */
BOSC_API bosc_status bosc_plan_sample(bosc_ctx *ctx, const bosc_plan *plan, const bosc_plan_sample_opts *opts,
                                      int64_t capacity, double *rotations, uint64_t *vectors, void *next, int64_t *rows,
                                      int64_t *last);

/* ---- roadmaps ---- */

/* Stored samples, and the cell graph of their vectors. Contexts share it as they do a bosc_plan. */
typedef struct bosc_roadmap bosc_roadmap;

/* Makes an empty roadmap for the constraints of a plan, which must have at least one.
 * The roadmap does not store the plan: pass the plan, with unchanged constraints, to calls that need both.
 * roadmap: set on success. */
BOSC_API bosc_status bosc_roadmap_create(bosc_ctx *ctx, const bosc_plan *plan, bosc_roadmap **roadmap);

/* Frees the roadmap once the work queued on it is done; NULL is allowed. */
BOSC_API void bosc_roadmap_free(bosc_roadmap *roadmap);

/* Removes all rows from a roadmap, and prepares it for the constraints of a plan, which must have at least one.
 * It keeps its memory, so batches and additions no larger than the earlier ones, in their order, allocate nothing.
 * Errors: on BOSC_ERR_ARG the roadmap is unchanged. */
BOSC_API bosc_status bosc_roadmap_reset(bosc_ctx *ctx, bosc_roadmap *roadmap, const bosc_plan *plan);

/* Reserves memory so that explorations, additions and resets within these sizes allocate nothing.
 * The roadmap keeps its contents.
 * constraints: 1 to 65,536; at most the roadmap's own while it has rows.
 * rows: below 2^32 - 1.
 * edges: 0: the most possible, rows log2(rows) / 2.
 * Cost: the allocations, and a copy of the roadmap's contents.
 * Waits. */
BOSC_API bosc_status bosc_roadmap_reserve(bosc_ctx *ctx, bosc_roadmap *roadmap, int64_t constraints, int64_t rows,
                                          int64_t edges);

/* Computes upper bounds on the backend memory, in bytes, of a roadmap with these numbers. Needs no device.
 * kept: held by the roadmap; may be NULL.
 * scratch: of the context; may be NULL. */
BOSC_API bosc_status bosc_roadmap_bytes(const bosc_ctx *ctx, int64_t constraints, int64_t rows, int64_t edges,
                                        int64_t *kept, int64_t *scratch);

/* Adds n rotations of the caller's, such as a start and a goal: rows in their order, with `next` -1.
 * rotations, stride: as in bosc_plan_signs.
 * Errors: as bosc_plan_signs, and BOSC_ERR_ARG for a plan with another number of constraints; on failure the roadmap is
 *     unchanged.
 * Cost: bosc_plan_signs and bosc_cellgraph_add.
 * Waits. */
BOSC_API bosc_status bosc_roadmap_add(bosc_ctx *ctx, bosc_roadmap *roadmap, const bosc_plan *plan,
                                      const double *rotations, int64_t n, int64_t stride);

/* Set `size`; zero bytes elsewhere mean the defaults. */
typedef struct bosc_roadmap_explore_opts {
    size_t size;
    bosc_plan_sampling sampling;
    int32_t reserved;
    uint64_t seed;
    int64_t batch;    /* rows of a batch, about; 0: 65,536, or the number of present rows if that is more */
    int64_t max_rows; /* of the roadmap; 0: 4,194,304 */
    double new_rate;  /* stop when less than this fraction of a batch's rows are new cells; 0: 0.01; < 0: never */
} bosc_roadmap_explore_opts;

/* Samples in batches until new cells get rare or the roadmap has max_rows rows.
 * A further call with the same seed and sampling continues the last one; another seed or sampling starts from its
 * beginning.
 * opts: NULL means the defaults.
 * Errors: as bosc_roadmap_add; the roadmap then has the earlier batches.
 * Cost: bosc_plan_sample and bosc_cellgraph_add for each batch.
 * Waits. */
BOSC_API bosc_status bosc_roadmap_explore(bosc_ctx *ctx, bosc_roadmap *roadmap, const bosc_plan *plan,
                                          const bosc_roadmap_explore_opts *opts);

typedef struct bosc_roadmap_info {
    size_t size;
    int64_t rows, cells, edges; /* cells: vertices of the graph */
    int64_t witnessed;          /* rows with `next` other than -1 */
    int64_t batches;            /* of the last exploration */
    double new_rate;            /* new cells of its last batch over rows */
    int64_t constraints, words;
    int32_t id_bits;
    int32_t saturated; /* 1: the last exploration ended because new cells were rare */
    int64_t bytes;     /* backend memory held, with the graph's */
} bosc_roadmap_info;

/* Describes the roadmap. Set `size`. */
BOSC_API bosc_status bosc_roadmap_get_info(bosc_ctx *ctx, const bosc_roadmap *roadmap, bosc_roadmap_info *info);

/* Returns the graph. It belongs to the roadmap and lives until that is freed; additions change it. NULL for NULL. */
BOSC_API const bosc_cellgraph *bosc_roadmap_graph(const bosc_roadmap *roadmap);

/* Copies rows. Any array may be NULL.
 * first, n: rows first to first + n - 1.
 * rotations (n x 4): of the rows.
 * next (n): of id_bits, as in bosc_plan_sample, rows of the roadmap.
 * Cost: O(n).
 * Queues. */
BOSC_API bosc_status bosc_roadmap_get_rows(bosc_ctx *ctx, const bosc_roadmap *roadmap, int64_t first, int64_t n,
                                           double *rotations, void *next);

/* Copies a rotation of each cell: that of its first row.
 * rotations (cells x 4): of the cells.
 * Cost: O(cells).
 * Queues. */
BOSC_API bosc_status bosc_roadmap_get_cells(bosc_ctx *ctx, const bosc_roadmap *roadmap, double *rotations);

BOSC_END_DECLS
#endif
