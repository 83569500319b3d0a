/* boscage/forest.h - minimum spanning forests, their proof, components, and what is made of them.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Edges are ordered by (weight, edge id), so that the minimum spanning forest is one set of edges: every algorithm,
 * backend and number of threads finds the same. A maximum forest orders by (weight descending, edge id). Self loops are
 * never in a forest. */
#ifndef BOSCAGE_FOREST_H
#define BOSCAGE_FOREST_H

#include <boscage/graph.h>

BOSC_BEGIN_DECLS

typedef enum bosc_msf_algorithm {
    BOSC_MSF_AUTO = 0,       /* the fast one of the backend */
    BOSC_MSF_PRIMITIVES = 1, /* Boruvka by segmented scans, splits and sorts. Source: Vineet, Harish, Patidar,
                                Narayanan, Fast Minimum Spanning Tree for Large Graphs on the GPU (HPG 2009) */
    BOSC_MSF_ATOMIC = 2      /* the same with an atomic minimum for each vertex in place of the segmented scan */
} bosc_msf_algorithm;

/* Zero bytes mean the default; set `size`. Fields are only appended. */
typedef struct bosc_msf_opts {
    size_t size;
    bosc_msf_algorithm algorithm;
    int32_t maximum;            /* not 0: the maximum spanning forest */
    const uint8_t *vertex_mask; /* (n): vertices with 0 are not there, nor are their edges; NULL: all are */
    const uint8_t *edge_mask;   /* (entries): edges with 0 are not there; NULL: all are */
    int64_t trees;              /* stop when so many trees are left (0: never): the heaviest edges are missing then */
    const void *limit;          /* one weight in host memory: only edges of weight <= *limit (maximum: >=); NULL: all */
    int32_t keep_parallel;      /* PRIMITIVES, ATOMIC: never remove duplicate edges between supervertices */
} bosc_msf_opts;

/* What one round of PRIMITIVES or ATOMIC began with. */
typedef struct bosc_msf_round {
    int64_t vertices, arcs;
} bosc_msf_round;

enum { BOSC_MSF_ROUNDS_MAX = 40 };

typedef struct bosc_msf_info {
    size_t size;
    int64_t edges; /* of the forest */
    int64_t trees; /* vertices (of the mask) less edges: isolated vertices are trees */
    /* The sum of the weights: exact for integers, as the 128-bit number weight_high * 2^64 + weight_low; for floats the
     * sum in double by the fixed tree of bosc_reduce over ascending edge ids. `weight` is the nearest double of either.
     */
    uint64_t weight_low;
    int64_t weight_high;
    double weight;
    int32_t rounds; /* of Boruvka */
    int32_t rounds_told;
    bosc_msf_round round[BOSC_MSF_ROUNDS_MAX]; /* the first rounds_told: PRIMITIVES and ATOMIC only */
} bosc_msf_info;

/* Finds the minimum spanning forest. edges (room for min(n - 1, m) of the graph's id_bits, or NULL) gets its edge ids,
 * ascending; labels (n of id_bits, or NULL) the smallest vertex of each vertex's tree, none (-1, UINT32_MAX) for a
 * vertex that the mask leaves out; *info (may be NULL; set `size`) what was found. opts may be NULL. A second call of
 * the same shape allocates nothing. PRIMITIVES: O(m log n) work. AUTO: O(m) expected, plus a part near n log n. Waits.
 */
BOSC_API bosc_status bosc_msf(bosc_ctx *ctx, const bosc_graph *graph, const bosc_msf_opts *opts, void *edges,
                              void *labels, bosc_msf_info *info);

/* Decides, without computing a forest of the graph, whether edges (count ids of the graph's id_bits, any order) are
 * the one that bosc_msf with these options finds (`trees` must be 0): every id is an edge of the graph and stands
 * once, there is no cycle, every edge's ends are in one tree, and each edge not given is heavier, by (weight, edge id),
 * than every given edge between its ends. BOSC_OK, or BOSC_ERR_DATA with the reason in the message and the offending
 * edge's id in *edge (host; may be NULL). O((n + m) log n) work at most, parallel; the heaviest edge of a path is
 * found on the tree of Boruvka's rounds over the given edges. Source: King, A Simpler Minimum Spanning Tree
 * Verification Algorithm (1997). Waits. */
BOSC_API bosc_status bosc_msf_verify(bosc_ctx *ctx, const bosc_graph *graph, const bosc_msf_opts *opts,
                                     const void *edges, int64_t count, int64_t *edge);

/* Connected components: labels (n of id_bits, or NULL) as bosc_msf; *count (host; may be NULL) their number. Of opts
 * the masks, limit and maximum count; NULL: all. Waits. */
BOSC_API bosc_status bosc_components(bosc_ctx *ctx, const bosc_graph *graph, const bosc_msf_opts *opts, void *labels,
                                     int64_t *count);

/* Finds the Euclidean minimum spanning tree of n points (rows of dim coordinates of dtype F32, F64, I32 or I64,
 * `stride` elements apart, 0: dim): pairs ((n - 1) x 2, of id_bits 32 or 64), i < j in each, ascending by (i, j); dist2
 * (n - 1, or NULL) their squared lengths, float for F32, else double, computed as bosc_kdtree_knn does. Edges are
 * ordered by (squared length, i, j). Boruvka's rounds over short lists of nearest neighbours and, where these end, the
 * nearest points of other components in a k-d tree, which each call allocates; about 200 bytes of scratch a point, and
 * 12 a coordinate. n < 2^32 - 1. BOSC_ERR_DATA with the row for a NaN. Waits. Source: March, Ram, Gray, Fast Euclidean
 * Minimum Spanning Tree (KDD 2010). */
BOSC_API bosc_status bosc_emst(bosc_ctx *ctx, bosc_dtype dtype, int32_t dim, const void *points, int64_t n,
                               int64_t stride, int32_t id_bits, void *pairs, void *dist2);

/* The single-linkage dendrogram of a spanning tree of n vertices, as scipy.cluster.hierarchy.linkage gives it:
 * row t of z (n - 1 rows of 4 doubles) is the t-th merge: the two clusters, smaller number first (below n: vertices;
 * n + s: the cluster of row s), their distance, and the vertices in the new one. pairs ((n - 1) x 2 of id_bits),
 * lengths (n - 1, double, no NaN); merges in the order of (length, row). n <= 2^31. BOSC_ERR_DATA with the row of a NaN
 * or if the pairs are no tree; then *z is as it was. The backend sorts; one host thread merges, with 72 bytes of
 * host memory a vertex. Waits. */
BOSC_API bosc_status bosc_linkage(bosc_ctx *ctx, int64_t n, int32_t id_bits, const void *pairs, const double *lengths,
                                  double *z);

/* A closed tour of the n vertices of a spanning tree in the order of a depth-first walk from vertex 0, neighbours
 * ascending: order (n of id_bits) begins with 0. For a minimum spanning tree of points in a metric the tour is at most
 * twice the shortest one. n <= 2^31. BOSC_ERR_DATA if the pairs ((n - 1) x 2) are no tree. O(n log n) work: list
 * ranking by pointer jumping. Waits. Sources: Rosenkrantz, Stearns, Lewis (1977); Tarjan and Vishkin, Euler tours
 * (1985). */
BOSC_API bosc_status bosc_tour(bosc_ctx *ctx, int64_t n, int32_t id_bits, const void *pairs, void *order);

BOSC_END_DECLS
#endif
