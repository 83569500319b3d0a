/* boscage/geometric.h - geometric hashing: where is a model of 2-D points in a scene of points?
 * SPDX-License-Identifier: Apache-2.0
 *
 * For each basis, a pair (similarities) or a triple (affine maps) of model points, the table keeps the coordinates that
 * all other model points have in it: they do not change when the model is moved, turned and scaled (or mapped
 * affinely). A search takes a basis of scene points, looks up the coordinates of all scene points in it, and counts a
 * vote for each model basis that has a point near there; the model basis of most votes gives a transform, which least
 * squares over the points it brings together refine. Points may be missing from the scene, and others may be in it.
 *
 * A table of all bases of n points has n^2 (n^3) of them, each with n points. For large models, bases are made of
 * points near each other and have the coordinates of neighbours alone, so that tables grow with n. Votes are integers,
 * and the smaller number wins ties, so all backends give the same bits.
 * Sources: Wolfson and Rigoutsos, Geometric Hashing: An Overview (1997); Alcantara et al., Real-time Parallel Hashing
 * on the GPU (SIGGRAPH Asia 2009), section 6. */
#ifndef BOSCAGE_GEOMETRIC_H
#define BOSCAGE_GEOMETRIC_H

#include <boscage/context.h>

BOSC_BEGIN_DECLS

/* A table of one model, in the memory of one backend and device. Any number of contexts of that device may search with
 * it at once, while none rebuilds it. It may outlive the context that made it. */
typedef struct bosc_geometric bosc_geometric;

typedef enum bosc_geometric_kind {
    BOSC_GEOMETRIC_SIMILARITY = 0, /* bases of two points; no reflections */
    BOSC_GEOMETRIC_AFFINE = 1      /* bases of three points */
} bosc_geometric_kind;

/* Zero bytes mean the default; set `size`. Fields are only appended. */
typedef struct bosc_geometric_opts {
    size_t size;
    bosc_geometric_kind kind;
    /* Bases are made of each point and this many nearest ones, and have coordinates of these alone; at least 8. 0: of 24,
     * but of all points in models of up to 64. */
    int32_t neighbours;
    /* How far apart a model and a scene point may be that belong together, in units of the model. 0: 0.03 times the root
     * of the model points' mean squared distance from their centre; for n > 256 points less by the root of n / 256, as
     * they lie closer to each other. */
    double tolerance;
    double vote_radius;   /* how far apart coordinates in a basis may be for a vote; 0: 0.02, of neighbours 0.05 */
    int64_t max_bases;    /* of the model, in the table; 0: 16,384, less for more than 256 points; of neighbours 4
                             (affine: 16) for each point */
    int64_t max_trials;   /* bases of the scene that a search tries; 0: 4,096, of neighbours 1,024 */
    double min_fraction;  /* of the model's points must be found for a match; 0: 0.4 */
    double stop_fraction; /* of the model's points, when found, ends the search; 0: 0.9 */
    uint64_t seed;        /* chooses the bases where not all are taken */
    int32_t id_bits;      /* ids in the caller's arrays: 64 (int64_t, default) or 32 (uint32_t) */
    int32_t reserved;
} bosc_geometric_opts;

/* Makes a table without a model.
 * opts: may be NULL. table: set on success. */
BOSC_API bosc_status bosc_geometric_create(bosc_ctx *ctx, const bosc_geometric_opts *opts, bosc_geometric **table);

/* Frees the table once the work queued on it is done; NULL is allowed. */
BOSC_API void bosc_geometric_free(bosc_geometric *table);

/* Takes memory beforehand for builds of up to n points: they then take no more backend memory, but for the context's
 * tree of the points, by which neighbours are found. The table keeps its model.
 * n: as for bosc_geometric_build.
 * Errors: BOSC_ERR_LIMIT as for a build.
 * Cost: copies the table's arrays where they grow. Waits. */
BOSC_API bosc_status bosc_geometric_reserve(bosc_ctx *ctx, bosc_geometric *table, int64_t n);

/* Tells the bytes of backend memory that a build of n points with these options takes. Needs no device.
 * kept: held by the table at most. May be NULL.
 * scratch: while building, the context's and a tree of the points. May be NULL.
 * Errors: BOSC_ERR_LIMIT as for a build. */
BOSC_API bosc_status bosc_geometric_bytes(bosc_ctx *ctx, const bosc_geometric_opts *opts, int64_t n, int64_t *kept,
                                          int64_t *scratch);

/* Builds or rebuilds the table from the model's n points.
 * Short and flat bases, whose coordinates noise would blur, are left out.
 * points: (n x 2). n: 3 (affine: 4) to 65,536.
 * Errors: BOSC_ERR_LIMIT for more points, and for 2^32 entries (bases times points) or more. BOSC_ERR_DATA with the row
 * for a coordinate that is not finite or beyond 1e60, and if no basis is left (all points in one place or, for affine
 * maps, on a line). On BOSC_ERR_ARG, BOSC_ERR_LIMIT and BOSC_ERR_DATA the table holds what it held before; on any other
 * failure it is empty.
 * Cost: O(bases n) work; with neighbours O(bases neighbours + n log n). bosc_geometric_bytes tells the memory; a copy
 * of the points stays in host memory. Waits. */
BOSC_API bosc_status bosc_geometric_build(bosc_ctx *ctx, bosc_geometric *table, const double *points, int64_t n);

/* Set `size` before the call. */
typedef struct bosc_geometric_match {
    size_t size;
    int32_t found; /* 1: at least min_fraction of the model's points is in the scene; else 0 */
    int32_t reserved;
    double transform[6]; /* x' = t[0] x + t[1] y + t[2], y' = t[3] x + t[4] y + t[5]: model to scene; the best one */
    int64_t votes;       /* that its bases had; 0: none was tried, and the transform is all zeros */
    int64_t inliers; /* model points that it brings within the tolerance of a scene point, the nearest one of each; a
                        scene point that is the nearest of several counts for the nearest of them alone */
    double error;    /* root of the inliers' mean squared distance, in units of the scene */
    int64_t trials;  /* bases of the scene that were tried */
} bosc_geometric_match;

/* Looks for the model in a scene. A scene without a match is no failure.
 * Distances are in units of the model: divided by the transform's scale, the root of its determinant. Bases of the
 * scene are tried in batches until one brings stop_fraction of the points together; or there is a match, and a better
 * one would have been seen with probability 0.999 (Fischler and Bolles, Random Sample Consensus, 1981); or all or
 * max_trials of them were tried.
 * scene: (scene_count x 2). scene_count <= 2^20.
 * ids: (n) of id_bits, the scene point of each model point, or -1 (32 bits: all ones); may be NULL.
 * match: host.
 * Errors: BOSC_ERR_DATA as for a build. On failure *match and ids are as they were.
 * Cost: O(trials scene_count) look-ups, with neighbours O(trials neighbours); a basis of enough votes is verified on
 * the points in O(n log scene_count), with neighbours only where it holds near its basis. Up to 2^24 coordinates and
 * 2^26 votes of a batch are in scratch at once; 24 scene_count + 56 n bytes of host memory. Waits. */
BOSC_API bosc_status bosc_geometric_find(bosc_ctx *ctx, const bosc_geometric *table, const double *scene,
                                         int64_t scene_count, void *ids, bosc_geometric_match *match);

typedef struct bosc_geometric_info {
    size_t size;
    int64_t n;
    int64_t bases;   /* in the table */
    int64_t entries; /* bases times points, or times neighbours */
    double tolerance;
    int64_t bytes; /* backend memory held by the table */
    int32_t id_bits;
    int32_t reserved;
} bosc_geometric_info;

/* Describes the table. Set info->size before the call. */
BOSC_API bosc_status bosc_geometric_get_info(bosc_ctx *ctx, const bosc_geometric *table, bosc_geometric_info *info);

BOSC_END_DECLS
#endif
