/* boscage/geometric.h - geometric hashing: where is a model of 2-D points in a scene of points?
 * SPDX-License-Identifier: Apache-2.0
 *
 * Of each basis, a pair (similarities) or a triple (affine maps) of model points, the table keeps the coordinates that
 * all other model points have in it: they do not change when the model is moved, turned and scaled (or mapped
 * affinely). A match takes a basis of scene points, looks up the coordinates of all scene points in it, and counts a
 * vote for each model basis that has a point near there; the model basis of most votes gives a transform, which is
 * refined by least squares over the points it brings together. Points may be missing from the scene, and others may be
 * in it. A table of all bases of n points has n^2 (n^3) of them, each with n points: for large models bases are made of
 * points near each other, and have the coordinates of near points alone, so that tables grow with n. Votes are integers
 * and ties go to the smaller number, so all backends give the same bits. Sources: Wolfson and Rigoutsos, Geometric
 * Hashing: An Overview (1997); Alcantara et al., Real-time Parallel Hashing on the GPU (SIGGRAPH Asia 2009), section 6.
 */
#ifndef BOSCAGE_GEOMETRIC_H
#define BOSCAGE_GEOMETRIC_H

#include <boscage/context.h>

BOSC_BEGIN_DECLS

/* A table of one model, in the memory of one backend and device. Any number of contexts of that device may match it at
 * once, while none rebuilds it. It may outlive the context that made it. */
typedef struct bosc_geometric bosc_geometric;

typedef enum bosc_geometric_kind {
    BOSC_GEOMETRIC_SIMILARITY = 0, /* bases of two points; no reflections */
    BOSC_GEOMETRIC_AFFINE = 1      /* bases of three points */
} bosc_geometric_kind;

/* Zero bytes mean the default; set `size`. Fields are only appended. */
typedef struct bosc_geometric_opts {
    size_t size;
    bosc_geometric_kind kind;
    int32_t near; /* bases are made of each point and so many near ones, of which alone they have coordinates; 0: 24,
                     but all points for up to 64 of them; else at least 8 */
    double tolerance; /* how far apart a model and a scene point may be that belong together, in units of the model;
                         0: 0.03 times the root of the model points' mean squared distance from their centre, for n >
                         256 points less by the root of n / 256, as they lie closer to each other */
    double vote;      /* how far apart the coordinates in a basis may be for a vote; 0: 0.02; of near points 0.05 */
    int64_t bases;    /* of the model in the table at most; 0: 16,384, less for more than 256 points; of near points 4
                         (affine: 16) for each point */
    int64_t tries;    /* of bases of the scene at most; 0: 4,096; of near points 1,024 */
    double least;     /* part of the model's points that must be found for a match; 0: 0.4 */
    double enough;    /* part that ends the search; 0: 0.9 */
    uint64_t seed;    /* which bases are taken where not all are */
} bosc_geometric_opts;

/* Makes a table without a model. opts may be NULL. *table is set on success. */
BOSC_API bosc_status bosc_geometric_create(bosc_ctx *ctx, const bosc_geometric_opts *opts, bosc_geometric **table);

/* Frees the table once the work queued on it is done; NULL is allowed. */
BOSC_API void bosc_geometric_free(bosc_geometric *table);

/* Bytes of backend memory for a build of n points with these options: kept by the table at most, and scratch while
 * building (the context's, and a tree of the points). Either pointer may be NULL. Needs no device. BOSC_ERR_LIMIT as in
 * a build. */
BOSC_API bosc_status bosc_geometric_bytes(const bosc_ctx *ctx, const bosc_geometric_opts *opts, int64_t n,
                                          int64_t *kept, int64_t *scratch);

/* Builds or rebuilds the table from the model's n points (n x 2 doubles), 3 (affine: 4) to 65,536 of them. Short and
 * flat bases, whose coordinates noise would blur, are left out. O(bases * n), of near points O(bases * near + n log n).
 * BOSC_ERR_LIMIT for more points, and for 2^32 entries (bases times points) or more. BOSC_ERR_DATA with the row for a
 * coordinate that is not finite or beyond 1e60, and if no basis is left (all points in one place or, for affine maps,
 * on a line). On BOSC_ERR_ARG, BOSC_ERR_LIMIT and BOSC_ERR_DATA the table holds what it held before; on any other
 * failure it is empty. Waits. */
BOSC_API bosc_status bosc_geometric_build(bosc_ctx *ctx, bosc_geometric *table, const double *points, int64_t n);

typedef struct bosc_geometric_match {
    size_t size;
    int32_t found; /* 1: at least the part `least` of the model's points is in the scene; else 0 */
    int32_t reserved;
    double transform[6]; /* x' = t[0] x + t[1] y + t[2], y' = t[3] x + t[4] y + t[5]: model to scene; the best one */
    int64_t votes;       /* that its bases had; 0: none was tried, and the transform is all zeros */
    int64_t inliers; /* model points that it brings within the tolerance of a scene point, the nearest one of each; a
                        scene point that is the nearest of several counts for the nearest of them alone */
    double error;    /* root of the inliers' mean squared distance, in units of the scene */
    int64_t tried;   /* bases of the scene */
} bosc_geometric_match;

/* Looks for the model in a scene of m points (m x 2 doubles), m <= 2^20: *match (host; set `size`), and ids (n, int64,
 * or NULL): the scene point of each model point, or -1. Distances are in units of the model, that is divided by the
 * transform's scale, the root of its determinant. Bases of the scene are tried in batches until one brings `enough`
 * points together, or there is a match and a better one would have been seen but for a chance of 0.001 (Fischler and
 * Bolles, Random Sample Consensus, 1981), or all or `tries` of them were. O(tries * m) look-ups, of near points
 * O(tries * near); what has enough votes is tried on the points, in O(n log m), of near points only where it holds near
 * its basis. A scene without a match is no failure. BOSC_ERR_DATA as in a build. On failure *match and ids are as they
 * were. Waits. */
BOSC_API bosc_status bosc_geometric_find(bosc_ctx *ctx, const bosc_geometric *table, const double *scene, int64_t m,
                                         int64_t *ids, bosc_geometric_match *match);

typedef struct bosc_geometric_info {
    size_t size;
    int64_t n;
    int64_t bases;   /* in the table */
    int64_t entries; /* bases times points, or near points */
    double tolerance;
    int64_t bytes; /* backend memory held by the table */
} bosc_geometric_info;
BOSC_API bosc_status bosc_geometric_get_info(const bosc_geometric *table, bosc_geometric_info *info);

BOSC_END_DECLS
#endif
