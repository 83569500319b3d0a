/* boscage/geometric.h - geometric hashing: which models of points are in a scene of points, and where?
 * SPDX-License-Identifier: Apache-2.0
 *
 * A basis is a few points of a model: two (in 3-D three) for similarities and rigid motions, three (in 3-D four) for
 * affine maps. For each of many bases of every model, the table keeps the coordinates that the model's other points
 * have in it: they do not change when the model is moved, turned and scaled (or mapped affinely). A search takes a
 * basis of scene points, looks up the coordinates of all scene points in it, and counts a vote for each basis, of
 * whichever model, that has a point near there; the basis of most votes gives a model and a transform, which least
 * squares over the points it brings together refine. Points may be missing from the scene, and others may be in it. All
 * models vote at once: a search of a table of many is one search, not one for each.
 *
 * A table of all bases of n points has n^2 (n^3, n^4) of them, each with n points. For large models, bases are made of
 * points near each other and have the coordinates of neighbours alone, so that tables grow with n. Votes are integers,
 * and the smaller number wins ties, so all backends give the same bits.
 * Sources: Wolfson and Rigoutsos, Geometric Hashing: An Overview (1997); Alcantara et al., Real-time Parallel Hashing
 * on the GPU (SIGGRAPH Asia 2009), section 6; Horn, Closed-form solution of absolute orientation using unit quaternions
 * (1987). */
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
    BOSC_GEOMETRIC_RIGID = 2       /* similarities that do not scale; bases as theirs */
} bosc_geometric_kind;

/* Zero bytes mean the default; set `size`. Fields are only appended. */
typedef struct bosc_geometric_opts {
    size_t size;
    bosc_geometric_kind kind;
    /* Bases are made of each point and this many nearest ones of its model, and have coordinates of these alone; at
     * least 8. 0: of 24, but of all points in tables whose models have up to 64. */
    int32_t neighbours;
    /* How far apart a model and a scene point may be that belong together, in units of the model. 0: 0.03 times the
     * root of the model points' mean squared distance from their centre; for n > 256 points less by the root (in 3-D
     * the cube root) of n / 256, as they lie closer to each other. */
    double tolerance;
    double vote_radius;  /* how far apart coordinates in a basis may be for a vote; 0: 0.02, of neighbours 0.05 */
    int64_t max_bases;   /* of each model, in the table; 0: 16,384, less where the table had more than 2^22 entries, but
                             at least 64; of neighbours 4 (of bases of three points 16, of four 48) for each point */
    int64_t max_trials;  /* bases of the scene that a search tries; 0: 4,096, of neighbours 1,024 */
    double min_fraction; /* of a model's points must be found for a match; 0: 0.4 */
    double stop_fraction; /* of a model's points, when found, ends the search for it; 0: 0.9 */
    uint64_t seed;        /* chooses the bases where not all are taken */
    int32_t id_bits;      /* ids in the caller's arrays: 64 (int64_t, default) or 32 (uint32_t) */
    int32_t dim;          /* coordinates of a point: 2 (default) or 3 */
    int32_t instances;    /* 1: a model may be in a scene several times; implies `exclusive` */
    int32_t exclusive;    /* 1: scene points of a match are left out for the next ones, else models may share them */
} bosc_geometric_opts;

/* Makes a table without a model.
 * opts: may be NULL. table: set on success. */
BOSC_API bosc_status bosc_geometric_create(bosc_ctx *ctx, const bosc_geometric_opts *opts, bosc_geometric **table);

/* Frees the table once the work queued on it is done; NULL is allowed. */
BOSC_API void bosc_geometric_free(bosc_geometric *table);

/* Takes memory beforehand for builds of up to n points: they then take no more backend memory, but for the context's
 * tree of the points, by which neighbours are found. The table keeps its models.
 * n: as for bosc_geometric_build.
 * Errors: BOSC_ERR_LIMIT as for a build.
 * Cost: copies the table's arrays where they grow. Waits. */
BOSC_API bosc_status bosc_geometric_reserve(bosc_ctx *ctx, bosc_geometric *table, int64_t n);

/* The same for builds of models of these sizes.
 * offsets, model_count: as for bosc_geometric_build_models.
 * Cost: copies the table's arrays where they grow. Waits. */
BOSC_API bosc_status bosc_geometric_reserve_models(bosc_ctx *ctx, bosc_geometric *table, const int64_t *offsets,
                                                   int64_t model_count);

/* Tells the bytes of backend memory that a build of n points with these options takes. Needs no device.
 * kept: held by the table at most. May be NULL.
 * scratch: while building, the context's and a tree of the points. May be NULL.
 * Errors: BOSC_ERR_LIMIT as for a build. */
BOSC_API bosc_status bosc_geometric_bytes(bosc_ctx *ctx, const bosc_geometric_opts *opts, int64_t n, int64_t *kept,
                                          int64_t *scratch);

/* The same for a build of many models.
 * offsets: host. model_count: as for bosc_geometric_build_models.
 * Cost: O(model_count). */
BOSC_API bosc_status bosc_geometric_bytes_models(bosc_ctx *ctx, const bosc_geometric_opts *opts, const int64_t *offsets,
                                                 int64_t model_count, int64_t *kept, int64_t *scratch);

/* Builds or rebuilds the table from one model of n points.
 * Short and flat bases, whose coordinates noise would blur, are left out.
 * points: (n x dim). n: from the points of a basis and one more to 65,536.
 * Errors: BOSC_ERR_LIMIT for more points, and for 2^32 entries (bases times points) or more. BOSC_ERR_DATA with the row
 * for a coordinate that is not finite or beyond 1e60 (in 3-D 1e40), and if no basis is left (all points in one place
 * or, for bases of three points, on a line, of four in a plane). On BOSC_ERR_ARG, BOSC_ERR_LIMIT and BOSC_ERR_DATA the
 * table holds what it held before; on any other failure it is empty.
 * Cost: O(bases n) work; with neighbours O(bases neighbours + n log n). bosc_geometric_bytes tells the memory; a copy
 * of the points stays in host memory. Waits. */
BOSC_API bosc_status bosc_geometric_build(bosc_ctx *ctx, bosc_geometric *table, const double *points, int64_t n);

/* Builds or rebuilds the table from many models, as bosc_geometric_build does from one. One model whose points make no
 * basis fails the build, and the message tells its number.
 * points: (offsets[model_count] x dim), those of all models in a row.
 * offsets: (model_count + 1), ascending from 0: the points of model k are offsets[k] to offsets[k + 1] - 1, of a number
 * as for bosc_geometric_build.
 * model_count: 1 to 2^20, of 2^24 points in all.
 * Cost: that of a build, summed over the models; neighbours are found for all at once. */
BOSC_API bosc_status bosc_geometric_build_models(bosc_ctx *ctx, bosc_geometric *table, const double *points,
                                                 const int64_t *offsets, int64_t model_count);

/* Set `size` before the call. */
typedef struct bosc_geometric_match {
    size_t size;
    int32_t found;        /* 1: at least min_fraction of the model's points is in the scene; else 0 */
    int32_t model;        /* its number, from 0 */
    double transform[12]; /* (dim x (dim + 1)), row-major, model to scene: x' = t[0] x + t[1] y + t[2], y' = t[3] x +
                             t[4] y + t[5], or three rows of four; zeros follow it. The best one */
    int64_t votes;        /* that its bases had; 0: none was tried, and the transform is all zeros */
    int64_t inliers; /* model points that it brings within the tolerance of a scene point, the nearest one of each; a
                        scene point that is the nearest of several counts for the nearest of them alone */
    double error;    /* root of the inliers' mean squared distance, in units of the scene */
    int64_t trials;  /* bases of the scene that were tried until it was found, or in all */
} bosc_geometric_match;

/* Looks for the model in a scene. A scene without a match is no failure. Of a table of many models: for one of them,
 * the best of those that are found first.
 * Distances are in units of the model: divided by the transform's scale, the root (in 3-D the cube root) of its
 * determinant. Bases of the scene are tried in batches until one brings stop_fraction of the points together; or there
 * is a match, and a better one would have been seen with probability 0.999 (Fischler and Bolles, Random Sample
 * Consensus, 1981); or all or max_trials of them were tried.
 * scene: (scene_count x dim). scene_count <= 2^20; in 3-D, for affine maps without neighbours, <= 65,536.
 * ids: (n, that of the largest model) of id_bits, the scene point of each model point, or -1 (32 bits: all ones); may
 * be NULL.
 * match: host.
 * Errors: BOSC_ERR_DATA as for a build. On failure *match and ids are as they were.
 * Cost: O(trials scene_count) look-ups, with neighbours O(trials neighbours), each of which has the fewer votes the
 * fewer bases the table has; a counter for each basis of the table a trial; a basis of enough votes is verified on
 * the points in O(n log scene_count), with neighbours only where it holds near its basis. Up to 2^24 coordinates and
 * 2^26 votes of a batch are in scratch at once; of host memory 40 bytes for each point of the scene, 56 for each of the
 * largest model, 16 for each of all models, and 350 for each model. Waits. */
BOSC_API bosc_status bosc_geometric_find(bosc_ctx *ctx, const bosc_geometric *table, const double *scene,
                                         int64_t scene_count, void *ids, bosc_geometric_match *match);

/* Looks for all models of the table in a scene, by votes for all of them together: up to `capacity` matches, each with
 * found 1, the best first: by more inliers, then less error, then the smaller model.
 * A match stands when it has stop_fraction of its points, or a better one of its model would have been seen, as for
 * bosc_geometric_find; of several the best first. Its model is then out of the search, unless `instances` is set; and
 * with `exclusive` or `instances` its points are: matches of other models that had some of them are refined without.
 * When max_trials bases of the scene have been tried since the last such match, all matches that are left stand, and
 * the search ends; with `instances`, once there is none. It also ends with `capacity` matches.
 * ids: (capacity x n, that of the largest model) of id_bits: row k has the scene points of the model points of match k,
 * then -1; rows beyond *count stay. May be NULL.
 * matches: (capacity), host; set matches[0].size, which is the size of each.
 * capacity: at least 1. count: host.
 * Errors: as for bosc_geometric_find.
 * Cost: that of bosc_geometric_find with max_trials bases, or, with matches, with up to as many after each. A match
 * that leaves points out makes the tree of the scene anew. Waits. */
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

/* Describes the table. Set info->size before the call. */
BOSC_API bosc_status bosc_geometric_get_info(bosc_ctx *ctx, const bosc_geometric *table, bosc_geometric_info *info);

BOSC_END_DECLS
#endif
