/* boscage/geometric.h - geometric hashing: finds models of points in a scene of points, and their transforms.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Family: motion
 * Start with: bosc_geometric_build, _find
 *
 * A basis is a few points of a model: two (in 3-D three) for similarities and rigid motions, three (in 3-D four) for
 * affine maps. For many bases of every model, the table stores the coordinates of the model's other points in the
 * basis; moving, turning and scaling the model (or an affine map) does not change them. A search takes a basis of scene
 * points, finds the coordinates of all scene points in the table, and counts a vote for each basis of any model with a
 * point near there. The basis of most votes gives a model and a transform, which least squares over the matched points
 * refine. The scene may lack points and contain others. One search serves all models of the table.
 *
 * A table of all bases of n points has n^2 (n^3, n^4) bases of n points each. For large models, bases consist of points
 * near each other and store the coordinates of neighbours alone, so tables grow with n. Votes are integers, and the
 * smaller number wins ties, so all backends give the same bits.
 * Sources: Wolfson and Rigoutsos, Geometric Hashing: An Overview (1997); Alcantara et al., Real-time Parallel Hashing
 *     on the GPU (SIGGRAPH Asia 2009), section 6; Horn, Closed-form solution of absolute orientation using unit
 *     quaternions (1987). */
#ifndef BOSCAGE_GEOMETRIC_H
#define BOSCAGE_GEOMETRIC_H

#include <boscage/context.h>

BOSC_BEGIN_DECLS

/* A table of models, in the memory of one backend and device. Any number of contexts of that device may search with
 * it at once, while none rebuilds it. It may outlive the context that made it. */
typedef struct bosc_geometric bosc_geometric;

typedef enum bosc_geometric_kind {
    BOSC_GEOMETRIC_SIMILARITY = 0, /* bases of dim points; no reflections */
    BOSC_GEOMETRIC_AFFINE = 1,     /* bases of dim + 1 points */
    BOSC_GEOMETRIC_RIGID = 2       /* similarities without scaling; bases of dim points */
} bosc_geometric_kind;

/* Set `size`; zero bytes elsewhere mean the defaults. */
typedef struct bosc_geometric_opts {
    size_t size;
    bosc_geometric_kind kind;
    /* Bases consist of a point and this many nearest ones of its model, and store the coordinates of these alone; at
     * least 8. 0: 24, but all points in tables whose models have up to 64. */
    int32_t neighbours;
    /* Largest distance of a matched model and scene point, in units of the model. 0: 0.03 times the root of the model
     * points' mean squared distance from their centre; for n > 256 points divided by the root (in 3-D the cube root) of
     * n / 256. */
    double tolerance;
    double vote_radius;   /* largest distance of coordinates in a basis for a vote; 0: 0.02, with neighbours 0.05 */
    int64_t max_bases;    /* of each model, in the table; 0: 16,384, fewer if the table had more than 2^22 entries, but
                          * at least 64; with neighbours 4 a point (16 for bases of three points, 48 of four) */
    int64_t max_trials;   /* bases of the scene that a search tries; 0: 4,096, with neighbours 1,024 */
    double min_fraction;  /* fraction of a model's points needed for a match; 0: 0.4 */
    double stop_fraction; /* fraction of a model's points that ends the search for it; 0: 0.9 */
    uint64_t seed;        /* chooses the bases if not all are used */
    int32_t id_bits;      /* ids in the caller's arrays: 64 (int64_t, default) or 32 (uint32_t) */
    int32_t dim;          /* coordinates of a point: 2 (default) or 3 */
    int32_t instances;    /* 1: a model may be in a scene several times; implies `exclusive` */
    int32_t exclusive;    /* 1: later matches cannot use scene points of a match, else models may share them */
} bosc_geometric_opts;

/* Makes a table without a model.
 * opts: NULL means the defaults.
 * table: set on success. */
BOSC_API bosc_status bosc_geometric_create(bosc_ctx *ctx, const bosc_geometric_opts *opts, bosc_geometric **table);

/* Frees the table once the work queued on it is done; NULL is allowed. */
BOSC_API void bosc_geometric_free(bosc_geometric *table);

/* Reserves memory so that builds of up to n points allocate no more of the backend's. The table keeps its models.
 * The context's tree of the points, which finds neighbours, is excepted.
 * n: as in bosc_geometric_build.
 * Errors: BOSC_ERR_LIMIT as for a build.
 * Cost: copies the table's arrays if they grow.
 * Waits. */
BOSC_API bosc_status bosc_geometric_reserve(bosc_ctx *ctx, bosc_geometric *table, int64_t n);

/* Reserves memory as bosc_geometric_reserve does, for builds of models of these sizes.
 * offsets, model_count: as in bosc_geometric_build_models.
 * Cost: copies the table's arrays if they grow.
 * Waits. */
BOSC_API bosc_status bosc_geometric_reserve_models(bosc_ctx *ctx, bosc_geometric *table, const int64_t *offsets,
                                                   int64_t model_count);

/* Computes the backend memory, in bytes, of a build of n points. Needs no device.
 * opts: NULL means the defaults.
 * kept: held by the table, at most; may be NULL.
 * scratch: of the context and a tree of the points, while building; may be NULL.
 * Errors: BOSC_ERR_LIMIT as for a build. */
BOSC_API bosc_status bosc_geometric_bytes(bosc_ctx *ctx, const bosc_geometric_opts *opts, int64_t n, int64_t *kept,
                                          int64_t *scratch);

/* Computes the memory as bosc_geometric_bytes does, for a build of many models.
 * offsets: host, as in bosc_geometric_build_models.
 * model_count: as in bosc_geometric_build_models.
 * Cost: O(model_count). */
BOSC_API bosc_status bosc_geometric_bytes_models(bosc_ctx *ctx, const bosc_geometric_opts *opts, const int64_t *offsets,
                                                 int64_t model_count, int64_t *kept, int64_t *scratch);

/* Builds or rebuilds the table from one model of n points.
 * Short and flat bases are left out, as noise would blur their coordinates.
 * points (n x dim): finite, of magnitude up to 1e60 (in 3-D 1e40). The largest is at least 1e-60 (1e-40), or all are 0.
 * n: at least one more than the points of a basis, at most 65,536.
 * Errors: BOSC_ERR_LIMIT for more points, and for 2^32 entries (bases times points) or more. BOSC_ERR_DATA with the row
 *     for a coordinate out of range, and if no basis is left (all points in one place or, for bases of three points, on
 *     a line, of four in a plane). On these and BOSC_ERR_ARG the table is unchanged; on any other failure it is empty.
 * Cost: O(bases n) work; with neighbours O(bases neighbours + n log n). bosc_geometric_bytes gives the memory; a copy
 *     of the points stays in host memory.
 * Waits. */
BOSC_API bosc_status bosc_geometric_build(bosc_ctx *ctx, bosc_geometric *table, const double *points, int64_t n);

/* Builds or rebuilds the table from many models, as bosc_geometric_build does from one.
 * points (offsets[model_count] x dim): of all models, one model after the other.
 * offsets (model_count + 1): ascending from 0; model k has the points offsets[k] to offsets[k + 1] - 1, of a number as
 *     in bosc_geometric_build.
 * model_count: 1 to 2^20, of 2^24 points in all.
 * Errors: as bosc_geometric_build. The message names a model whose points make no basis.
 * Cost: as bosc_geometric_build, summed over the models.
 * Waits. */
BOSC_API bosc_status bosc_geometric_build_models(bosc_ctx *ctx, bosc_geometric *table, const double *points,
                                                 const int64_t *offsets, int64_t model_count);

/* Set `size`. */
typedef struct bosc_geometric_match {
    size_t size;
    int32_t found;        /* 1: at least min_fraction of the model's points are in the scene; else 0 */
    int32_t model;        /* its number, from 0 */
    double transform[12]; /* best transform (dim x (dim + 1)), row-major, model to scene: x' = t[0] x + t[1] y + t[2],
                           * y' = t[3] x + t[4] y + t[5], or three rows of four; then zeros */
    int64_t votes;        /* of its bases; 0: no basis was tried, the transform is zero */
    int64_t inliers;      /* model points that the transform brings within the tolerance of their nearest scene point; a
                      * scene point counts once, for the nearest model point */
    double error;         /* root of the inliers' mean squared distance, in units of the scene */
    int64_t trials;       /* bases of the scene tried until it was found, or in all */
} bosc_geometric_match;

/* Finds the model in a scene. A scene without a match is no failure.
 * In a table of many models: one of them, the best of the first found. Distances are in units of the model: divided by
 * the transform's scale, the root (in 3-D the cube root) of its determinant. Bases of the scene are tried in batches.
 * The search ends when one matches stop_fraction of the points; when there is a match, and a better one would have been
 * seen with probability 0.999 (Fischler and Bolles, Random Sample Consensus, 1981); or when all or max_trials bases
 * were tried.
 * scene (scene_count x dim): scene_count <= 2^20; in 3-D, for affine maps without neighbours, <= 65,536.
 * ids (points of the largest model): of id_bits, the scene point of each model point, or none; may be NULL.
 * match: host. Set `size`.
 * Errors: BOSC_ERR_DATA as for a build. On failure *match and ids are unchanged.
 * Cost: O(trials scene_count) queries of the table, with neighbours O(trials neighbours); a counter for each basis of
 *     the table a trial; O(n log scene_count) to verify a basis with enough votes. Scratch of up to 2^24 coordinates
 *     and 2^26 votes; host memory of 40 bytes a scene point, 56 a point of the largest model, 16 a point of all models,
 *     and 350 a model.
 * Waits. */
BOSC_API bosc_status bosc_geometric_find(bosc_ctx *ctx, const bosc_geometric *table, const double *scene,
                                         int64_t scene_count, void *ids, bosc_geometric_match *match);

/* Finds all models of the table in a scene, in one search: up to `capacity` matches with found 1, the best first.
 * Better means more inliers, then less error, then the smaller model number. A match is accepted when it has
 * stop_fraction of its points, or a better one of its model would have been seen, as in bosc_geometric_find. Its model
 * then leaves the search, unless `instances` is set. With `exclusive` or `instances` its points leave too, and other
 * models' matches are refined without them. When max_trials bases of the scene were tried since the last accepted
 * match, all remaining matches are accepted and the search ends; with `instances`, once none remains. It also ends with
 * `capacity` matches.
 * ids (capacity x points of the largest model): of id_bits: row k has the scene points of match k, then none; rows
 *     beyond *count are unchanged. May be NULL.
 * matches (capacity): host. Set `size` of matches[0], which applies to all.
 * capacity: at least 1.
 * count: host; the number of matches.
 * Errors: as bosc_geometric_find.
 * Cost: as bosc_geometric_find with max_trials bases, and with up to as many after each match. A match that removes
 *     points rebuilds the tree of the scene.
 * Waits. */
BOSC_API bosc_status bosc_geometric_find_models(bosc_ctx *ctx, const bosc_geometric *table, const double *scene,
                                                int64_t scene_count, void *ids, bosc_geometric_match *matches,
                                                int64_t capacity, int64_t *count);

typedef struct bosc_geometric_info {
    size_t size;
    int64_t n;        /* points of all models */
    int64_t bases;    /* in the table */
    int64_t entries;  /* bases times points, or times neighbours */
    double tolerance; /* the largest of the models' */
    int64_t bytes;    /* backend memory held by the table */
    int32_t id_bits;
    int32_t dim;
    int64_t models;
    int64_t largest; /* points of the largest model */
} bosc_geometric_info;

/* Describes the table. Set `size`. */
BOSC_API bosc_status bosc_geometric_get_info(bosc_ctx *ctx, const bosc_geometric *table, bosc_geometric_info *info);

BOSC_END_DECLS
#endif
