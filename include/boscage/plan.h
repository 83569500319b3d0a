/* boscage/plan.h - motion planning in SO(3): constraints of a scene, their signs at rotations, samples, a roadmap.
 * SPDX-License-Identifier: Apache-2.0
 *
 * A robot rotates about the origin among obstacles that stand still. A rotation is a quaternion (w, x, y, z), which
 * need not be of length 1: q and c q are one rotation for every c other than 0, and R(q) turns the robot's point a into
 * the vector part of q a q* / |q|^2. Components are 0 or of magnitude 2^-110 to 2^100, not all 0; so are coordinates,
 * which may all be 0.
 *
 * Whether robot and obstacle touch depends on the signs of quadratic forms q'Mq alone (constraints). M is symmetric; a
 * form is kept as the ten coefficients of ww, wx, wy, wz, xx, xy, xz, yy, yz and zz, with both halves of M in one, so
 * that it is their sum of products. A half-space has N . R(B) + d, where B is a vertex and N, d a facet's plane, of
 * either side; a screw has the orientation of an edge K L of the obstacle and an edge A B of the robot,
 * (K x L) . R(A - B) + (K - L) . R(A x B); balls of radii r and s about a and b have
 * 2 b . R(a) + (r + s)^2 - |a|^2 - |b|^2, which is 0 or more where they touch. The cells into which the forms divide
 * SO(3) are vectors of signs for boscage/cellgraph.h, a bit each: 1 where a form is 0 or more.
 *
 * Exact: a sign is that of the real number that a form, with the real coefficients that follow from the given
 * coordinates, has at the given quaternion. Coefficients handed out are those rounded to double.
 * Sources: Kaczmarski, Rzazewski, Wolant, Massively Parallel Construction of the Cell Graph (PPAM 2015); Dobrowolski,
 * An Efficient Method of Constructing Cell Graph (SII 2013); Shoemake, Uniform Random Rotations (Graphics Gems III,
 * 1992); Shewchuk, Adaptive Precision Floating-Point Arithmetic (1997); Harper, Optimal Assignments of Numbers to
 * Vertices (1964). */
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
     * more, counterclockwise as seen from outside. Its plane is that of its first vertex and the two that follow each
     * other and make the largest triangle with it; where the others are beside that plane, the facet is what its edges
     * seem to bound. */
    const int64_t *facet_offsets;  /* (facets + 1) from 0 */
    const int64_t *facet_vertices; /* (facet_offsets[facets]) */
} bosc_plan_bodies;

/* A scene. Balls meet balls, and triangles and polytopes meet each other. Zero bytes mean nothing there; set `size`. */
typedef struct bosc_plan_scene {
    size_t size;
    bosc_plan_bodies robot, obstacle;
    const double *forms; /* (form_count x 10) more constraints: rotations where one is 0 or more are forbidden */
    int64_t form_count;
} bosc_plan_scene;

/* ---- constraints ---- */

/* The constraints of a scene in the memory of one backend and device, and which signs of them are a collision. Any
 * number of contexts of that device may read it at once, while none rebuilds it. It may outlive its context. */
typedef struct bosc_plan bosc_plan;

typedef enum bosc_plan_kind {
    BOSC_PLAN_BALL = 1,         /* a ball of the robot, one of the obstacle */
    BOSC_PLAN_VERTEX_FACET = 2, /* half-space: a vertex of the robot, a facet of the obstacle */
    BOSC_PLAN_FACET_VERTEX = 3, /* half-space: a facet of the robot, a vertex of the obstacle */
    BOSC_PLAN_SCREW = 4,        /* an edge of the robot, one of the obstacle */
    BOSC_PLAN_FORM = 5          /* of scene->forms */
} bosc_plan_kind;

/* Zero bytes mean the default; set `size`. Fields are only appended. */
typedef struct bosc_plan_opts {
    size_t size;
    int32_t id_bits;         /* of rows in the caller's arrays: 64 (int64_t, default) or 32 (uint32_t) */
    int32_t keep_duplicates; /* 1: constraints that are multiples of each other stay apart */
} bosc_plan_opts;

/* Makes a handle without constraints.
 * opts: NULL: all defaults.
 * plan: set on success. */
BOSC_API bosc_status bosc_plan_create(bosc_ctx *ctx, const bosc_plan_opts *opts, bosc_plan **plan);

/* Frees the handle once the work queued on it is done; NULL is allowed. */
BOSC_API void bosc_plan_free(bosc_plan *plan);

/* Makes the constraints of a scene, in place of those of before.
 * Each pair of a robot's and an obstacle's feature is a candidate: balls; vertices and facets, both ways; edges. (A
 * triangle is a facet. Vertices of equal coordinates are one, and so are edges with the same ends.) Candidates whose
 * sign is the same at all rotations are culled, decided exactly, and so are those on which no collision depends, since
 * their features are not equally far from the origin anywhere. Of those that are multiples of each other, decided
 * exactly too, the first stays; others are merged into it.
 * Errors: BOSC_ERR_DATA for balls against anything else, for coordinates outside the range above, vertices that there
 * are not, and polytopes that are not closed, not convex (by more than 2^-30 of their size), or flat; BOSC_ERR_LIMIT
 * for over 2^22 candidates or 65,536 constraints. On failure the handle holds what it held before; or nothing, where
 * the device failed. A further build of the same shape allocates nothing.
 * Cost: O(c log c) for c candidates, on one thread. Waits. */
BOSC_API bosc_status bosc_plan_build(bosc_ctx *ctx, bosc_plan *plan, const bosc_plan_scene *scene);

/* Reserves memory, so that builds of scenes, and then calls with up to n rotations that lie beside each other, allocate
 * nothing: of scenes that have, robot and obstacle each, no more balls, given and different vertices, triangles,
 * facets, vertices of facets, edges and polytopes than this one, no more forms, and give no more constraints. Excepted
 * are what bosc_plan_crossings needs for its entries, and functions that copy out. The handle keeps what it holds.
 * scene: its coordinates do not matter, but which vertices and edges are the same.
 * constraints: 0: as many as candidates, 65,536 at most.
 * n: below 2^32 - 1.
 * Errors: as bosc_plan_build.
 * Cost: the allocations, and a copy of what the handle holds. Waits. */
BOSC_API bosc_status bosc_plan_reserve(bosc_ctx *ctx, bosc_plan *plan, const bosc_plan_scene *scene,
                                       int64_t constraints, int64_t n);

/* Upper bounds on the backend memory of the builds and calls for which bosc_plan_reserve with these numbers reserves.
 * kept: bytes the handle keeps; may be NULL.
 * scratch: bytes of the context's scratch; may be NULL.
 * Errors: as bosc_plan_build. Needs no device. */
BOSC_API bosc_status bosc_plan_bytes(const bosc_ctx *ctx, const bosc_plan_opts *opts, const bosc_plan_scene *scene,
                                     int64_t constraints, int64_t n, int64_t *kept, int64_t *scratch);

typedef struct bosc_plan_info {
    size_t size;
    int64_t constraints; /* l: letters of a vector (bosc_cellgraph_opts.length); 0 where nothing can change */
    int64_t words;       /* of a packed row: (l + 63) / 64 */
    int64_t candidates;  /* pairs of features */
    int64_t culled;      /* of constant sign, or no collision depends on them */
    int64_t merged;      /* into one before them */
    int64_t balls, half_spaces, screws, forms; /* among the constraints */
    int64_t robot_edges, obstacle_edges;       /* see bosc_plan_get_edges */
    int32_t always;                            /* 1: every rotation is a collision, by pairs of constant signs alone */
    int32_t id_bits;
    int64_t bytes; /* backend memory held by the handle */
} bosc_plan_info;

/* Describes the constraints. Set `size`. */
BOSC_API bosc_status bosc_plan_get_info(bosc_ctx *ctx, const bosc_plan *plan, bosc_plan_info *info);

/* Copies the constraints out. Any array may be NULL.
 * forms: (constraints x 10) coefficients, rounded to double.
 * kinds: (constraints, uint8_t) bosc_plan_kind.
 * robot, obstacle: (constraints, int64_t) the features: balls; vertices (the first given one with its coordinates);
 *     facets (triangles, then facets of polytopes); edges by bosc_plan_get_edges. Of BOSC_PLAN_FORM both are the form.
 * Cost: O(constraints). Waits. */
BOSC_API bosc_status bosc_plan_get_constraints(bosc_ctx *ctx, const bosc_plan *plan, double *forms, uint8_t *kinds,
                                               int64_t *robot, int64_t *obstacle);

/* Copies the candidates out. Any array may be NULL.
 * kinds, robot, obstacle: (candidates) as above.
 * constraints: (candidates, int64_t) the constraint that each became or was merged into; -1: culled.
 * signs: (candidates, int8_t) 1, or -1 where its sign is the opposite of that constraint's; of a culled one the sign
 *     it has everywhere: 1, -1 or 0; 2: no collision depends on it.
 * Cost: O(candidates). Waits. */
BOSC_API bosc_status bosc_plan_get_candidates(bosc_ctx *ctx, const bosc_plan *plan, uint8_t *kinds, int64_t *robot,
                                              int64_t *obstacle, int64_t *constraints, int8_t *signs);

/* Copies the edges of triangles and polytopes out. Either array may be NULL.
 * robot, obstacle: (robot_edges x 2, obstacle_edges x 2) vertices, first and second as in the first facet that has the
 *     edge. Waits. */
BOSC_API bosc_status bosc_plan_get_edges(bosc_ctx *ctx, const bosc_plan *plan, int64_t *robot, int64_t *obstacle);

/* ---- signs and collisions ---- */

/* Evaluates all constraints at n rotations.
 * rotations: (n x 4). stride: from a rotation to the next, in doubles; 0: 4.
 * vectors: (n x words) bit k of a row is 1 where constraint k is 0 or more; exact. Bits beyond them are 0.
 * Errors: BOSC_ERR_DATA with the row for components outside the range above; then the vectors are undefined.
 * Cost: 19 operations a sign, and more for those whose rounding errors may decide. Waits. */
BOSC_API bosc_status bosc_plan_signs(bosc_ctx *ctx, const bosc_plan *plan, const double *rotations, int64_t n,
                                     int64_t stride, uint64_t *vectors);

/* Tells cells that are in collision from their vectors.
 * vectors: (n x words), `stride` words from a row to the next; 0: as many as a row has.
 * labels: (n, uint8_t) 1 where the signs are a collision, which is then one at every rotation where no constraint is 0.
 * Where one is 0, bosc_plan_collides knows whether bodies touch.
 * Cost: O(n c) at most for c candidates. Waits unless both arrays are on the device. */
BOSC_API bosc_status bosc_plan_labels(bosc_ctx *ctx, const bosc_plan *plan, const uint64_t *vectors, int64_t n,
                                      int64_t stride, uint8_t *labels);

/* Tells which rotations are collisions; exact where bodies only touch too, for the given coordinates.
 * rotations: (n x 4), stride as in bosc_plan_signs.
 * collides: (n, uint8_t) 1 or 0.
 * Errors: as bosc_plan_signs.
 * Cost: that of bosc_plan_signs and bosc_plan_labels. Waits. */
BOSC_API bosc_status bosc_plan_collides(bosc_ctx *ctx, const bosc_plan *plan, const double *rotations, int64_t n,
                                        int64_t stride, uint8_t *collides);

/* ---- arcs: constraints between two rotations ---- */

/* The arc from p to q has the rotations (1 - u) p + u q for u in 0 to 1. For p and q of one length it is the way of
 * slerp: after the fraction f of the angle t between p and q, u = sin(f t) / (sin(f t) + sin((1 - f) t)). The arc from
 * p to -q is the other one; the shorter has p . q >= 0. Along it a form is (1 - u)^2 P + 2 u (1 - u) B + u^2 Q, with
 * P = p'Mp, B = p'Mq and Q = q'Mq: in the closed form that is C + A cos(2t - phi). */

/* Tells whose sign is certain to stay along arcs, rounding errors included.
 * from, to: (n x 4), dense.
 * vectors: (n x words, may be NULL) signs at `from`; bits of constraints that are not kept mean nothing.
 * kept: (n x words) bit k is 1 where constraint k is certain to be other than 0 on the whole arc, its ends included.
 * Errors: as bosc_plan_signs.
 * Cost: three times that of bosc_plan_signs. Waits. */
BOSC_API bosc_status bosc_plan_arcs(bosc_ctx *ctx, const bosc_plan *plan, const double *from, const double *to,
                                    int64_t n, uint64_t *vectors, uint64_t *kept);

/* Encloses where constraints may be 0 along arcs, as CSR rows: outside of its enclosures the sign of a constraint is
 * certain, and constraints without one keep theirs.
 * from, to: (n x 4), dense.
 * offsets: (n + 1, int64_t) arc i has entries offsets[i] to offsets[i + 1] - 1, ascending by (lower, constraint).
 * lower, upper: (capacity) ends of the enclosures, of u; an enclosure may be the whole arc. At most two a constraint.
 * constraints: (capacity, int64_t). The three arrays may be NULL together, to get offsets alone.
 * capacity: entries that the arrays hold; BOSC_ERR_SPACE if less than offsets[n], which are then there.
 * Errors: as bosc_plan_signs.
 * Cost: O(n l), and O(e^2) for an arc of e entries. Waits. */
BOSC_API bosc_status bosc_plan_crossings(bosc_ctx *ctx, const bosc_plan *plan, const double *from, const double *to,
                                         int64_t n, int64_t *offsets, double *lower, double *upper,
                                         int64_t *constraints, int64_t capacity);

/* ---- samples ---- */

typedef enum bosc_plan_sampling {
    /* Random great circles, each through a random rotation of one before it. A row is a rotation in the middle between
     * two sign changes along a circle, so that a circle has as many rows as sign changes (but one row if there is
     * none), and consecutive rows are neighbours. Circle 0 is random, circle c > 0 begins at a random rotation of
     * circle (c - 1) / 2: together they are connected. */
    BOSC_PLAN_CIRCLES = 0,
    /* Shoemake's uniform random rotations. */
    BOSC_PLAN_UNIFORM = 1
} bosc_plan_sampling;

/* Zero bytes mean the default; set `size`. Fields are only appended. */
typedef struct bosc_plan_sample_opts {
    size_t size;
    bosc_plan_sampling sampling;
    int32_t reserved;
    uint64_t seed;
    int64_t first; /* the first circle, or uniform rotation */
    int64_t limit; /* circles or uniform rotations, at most; 0: as many as fit */
} bosc_plan_sample_opts;

/* Samples rotations: whole circles, as many as fit. Circle i is a function of the constraints, the seed and i, and so
 * is uniform rotation i.
 * opts: NULL: all defaults.
 * capacity: rows that the arrays hold; a circle has up to 2 l of them. Below 2^32 - 1.
 * rotations: (capacity x 4) of length 1, but for rounding.
 * vectors: (capacity x words, may be NULL) what bosc_plan_signs gives for them.
 * next: (capacity, of id_bits, may be NULL) the row after a crossing in which one sign changes, as was seen: the
 *     following row of the circle, or of its last row the first; -1 where signs do not say so, and for uniform rows.
 * rows: (host) rows made. last: (host, may be NULL) the circle or uniform rotation that comes next.
 * Errors: BOSC_ERR_SPACE if the first circle does not fit. Arrays are undefined beyond *rows, and on failure.
 * Cost: per circle O(l) and, for r crossings, O(r (r + l)); scratch of 20 bytes and as many as there are words a row,
 * 88 a circle, beside copies of arrays that the backend cannot reach. Waits. */
BOSC_API bosc_status bosc_plan_sample(bosc_ctx *ctx, const bosc_plan *plan, const bosc_plan_sample_opts *opts,
                                      int64_t capacity, double *rotations, uint64_t *vectors, void *next, int64_t *rows,
                                      int64_t *last);

/* ---- roadmaps ---- */

/* Samples that are kept, and the cell graph of their vectors. Contexts share it as they do a bosc_plan. */
typedef struct bosc_roadmap bosc_roadmap;

/* Makes an empty roadmap for the constraints of a plan, which must hold one at least.
 * It does not keep the plan; calls that get both must be given the plan with the constraints of now.
 * roadmap: set on success. */
BOSC_API bosc_status bosc_roadmap_create(bosc_ctx *ctx, const bosc_plan *plan, bosc_roadmap **roadmap);

/* Frees the roadmap once the work queued on it is done; NULL is allowed. */
BOSC_API void bosc_roadmap_free(bosc_roadmap *roadmap);

/* Takes all rows out of a roadmap, for the constraints of a plan, which must hold one at least. It keeps its memory, so
 * that batches and additions no larger than those of before, in their order, allocate nothing.
 * Errors: on BOSC_ERR_ARG the roadmap is as it was. */
BOSC_API bosc_status bosc_roadmap_reset(bosc_ctx *ctx, bosc_roadmap *roadmap, const bosc_plan *plan);

/* Reserves memory, so that explorations and additions, and resets between them, up to `rows` rows of up to so many
 * constraints, with up to `edges` edges, allocate nothing. The roadmap keeps what it holds.
 * constraints: 1 to 65,536; while the roadmap has rows, no more than those.
 * rows: below 2^32 - 1.
 * edges: 0: as many as can be, rows log2(rows) / 2.
 * Cost: the allocations, and a copy of what the roadmap holds. Waits. */
BOSC_API bosc_status bosc_roadmap_reserve(bosc_ctx *ctx, bosc_roadmap *roadmap, int64_t constraints, int64_t rows,
                                          int64_t edges);

/* Upper bounds on the backend memory of a roadmap with these numbers.
 * kept: bytes the roadmap keeps; may be NULL. scratch: bytes of the context's scratch; may be NULL.
 * Needs no device. */
BOSC_API bosc_status bosc_roadmap_bytes(const bosc_ctx *ctx, int64_t constraints, int64_t rows, int64_t edges,
                                        int64_t *kept, int64_t *scratch);

/* Adds n rotations of the caller's, such as a start and a goal: rows in their order, without witnessed crossings.
 * rotations: (n x 4), stride as in bosc_plan_signs.
 * Errors: as bosc_plan_signs, and BOSC_ERR_ARG for a plan with another number of constraints; on failure the roadmap is
 * as it was.
 * Cost: that of bosc_plan_signs and bosc_cellgraph_add. Waits. */
BOSC_API bosc_status bosc_roadmap_add(bosc_ctx *ctx, bosc_roadmap *roadmap, const bosc_plan *plan,
                                      const double *rotations, int64_t n, int64_t stride);

/* Zero bytes mean the default; set `size`. Fields are only appended. */
typedef struct bosc_roadmap_explore_opts {
    size_t size;
    bosc_plan_sampling sampling;
    int32_t reserved;
    uint64_t seed;
    int64_t batch;    /* rows of a batch, about; 0: 65,536, and as many as there are already where these are more */
    int64_t max_rows; /* of the roadmap; 0: 4,194,304 */
    double new_rate;  /* stop when less than this fraction of a batch's rows are new cells; 0: 0.01; < 0: never */
} bosc_roadmap_explore_opts;

/* Samples in batches until new cells get rare or the roadmap has max_rows rows. A further call with the same seed and
 * sampling goes on where the last one with them ended; another seed or sampling begins at its beginning.
 * opts: NULL: all defaults.
 * Errors: as bosc_roadmap_add; the roadmap then has the batches before.
 * Cost: a batch costs bosc_plan_sample and bosc_cellgraph_add. Waits. */
BOSC_API bosc_status bosc_roadmap_explore(bosc_ctx *ctx, bosc_roadmap *roadmap, const bosc_plan *plan,
                                          const bosc_roadmap_explore_opts *opts);

typedef struct bosc_roadmap_info {
    size_t size;
    int64_t rows, cells, edges; /* cells: vertices of the graph */
    int64_t witnessed;          /* rows whose `next` is not -1 */
    int64_t batches;            /* of the last exploration */
    double new_rate;            /* new cells of its last batch over rows */
    int64_t constraints, words;
    int32_t id_bits;
    int32_t saturated; /* 1: the last exploration ended because new cells were rare */
    int64_t bytes;     /* backend memory held, with the graph's */
} bosc_roadmap_info;

/* Describes the roadmap. Set `size`. */
BOSC_API bosc_status bosc_roadmap_get_info(bosc_ctx *ctx, const bosc_roadmap *roadmap, bosc_roadmap_info *info);

/* Gives the graph, which belongs to the roadmap and lives until that is freed; additions change it. NULL for NULL. */
BOSC_API const bosc_cellgraph *bosc_roadmap_graph(const bosc_roadmap *roadmap);

/* Copies rows out. Any array may be NULL.
 * first, n: rows first to first + n - 1.
 * rotations: (n x 4). next: (n, of id_bits) as in bosc_plan_sample, rows of the roadmap.
 * Cost: O(n). Waits unless all arrays are on the device. */
BOSC_API bosc_status bosc_roadmap_get_rows(bosc_ctx *ctx, const bosc_roadmap *roadmap, int64_t first, int64_t n,
                                           double *rotations, void *next);

/* Copies a rotation of each cell out: that of its first row.
 * rotations: (cells x 4).
 * Cost: O(cells). Waits unless the array is on the device. */
BOSC_API bosc_status bosc_roadmap_get_cells(bosc_ctx *ctx, const bosc_roadmap *roadmap, double *rotations);

BOSC_END_DECLS
#endif
