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
    int64_t trees;              /* stop at this many trees (0: never): the heaviest edges are missing then */
    const void *limit;          /* one weight in host memory: only edges of weight <= *limit (maximum: >=); NULL: all */
    int32_t keep_parallel;      /* PRIMITIVES, ATOMIC: never remove duplicate edges between supervertices */
    int64_t replicated_bytes;   /* over ranks (boscage/ranks/forest.h): how much memory vertices that every rank has may
                                   take; 0: any amount. One context does not ask */
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
    int32_t rounds_recorded;
    bosc_msf_round round[BOSC_MSF_ROUNDS_MAX]; /* the first rounds_recorded: PRIMITIVES and ATOMIC only */
} bosc_msf_info;

/* Finds the minimum spanning forest. opts may be NULL.
 * edges: room for min(n - 1, m) of the graph's id_bits, or NULL: the edge ids, ascending. labels: (n) of id_bits, or
 * NULL: the smallest vertex of each vertex's tree, none (-1, UINT32_MAX) for a vertex that the mask leaves out. *info:
 * may be NULL; set its size.
 * Cost: AUTO: O(m) work expected, plus a part near n log n, and scratch of about the size of the graph. PRIMITIVES and
 * ATOMIC: O(m log n) work, about 100 bytes of scratch an edge. A second call of the same shape allocates nothing.
 * Waits. */
BOSC_API bosc_status bosc_msf_compute(bosc_ctx *ctx, const bosc_graph *graph, const bosc_msf_opts *opts, void *edges,
                                      void *labels, bosc_msf_info *info);

/* Proves that edges are the minimum spanning forest, without computing one of the graph: they are those that
 * bosc_msf_compute with these options finds. Every id is an edge of the graph and stands once, there is no cycle, every
 * edge's ends are in one tree, and each edge not given is heavier, by (weight, edge id), than every given edge between
 * its ends. The heaviest edge of a path is found on the tree of Boruvka's rounds over the given edges. Source: King, A
 * Simpler Minimum Spanning Tree Verification Algorithm (1997).
 * edges: (count) ids of the graph's id_bits, in any order. opts: as given to bosc_msf_compute; `trees` must be 0.
 * Errors: BOSC_ERR_DATA with the reason in the message and the offending edge's id in *edge (host; may be NULL).
 * Cost: O((n + m) log n) work at most, parallel; about 150 bytes of scratch an edge given, 28 n and 4 an entry.
 * Waits. */
BOSC_API bosc_status bosc_msf_verify(bosc_ctx *ctx, const bosc_graph *graph, const bosc_msf_opts *opts,
                                     const void *edges, int64_t count, int64_t *edge);

/* Finds the connected components. Of opts the masks, limit and maximum count; NULL: all.
 * labels: (n) of id_bits, or NULL: as those of bosc_msf_compute. *count: host; may be NULL: their number.
 * Cost: O(n + m) work expected; 4 n bytes of scratch, 8 n on CUDA. Waits. */
BOSC_API bosc_status bosc_components_compute(bosc_ctx *ctx, const bosc_graph *graph, const bosc_msf_opts *opts,
                                             void *labels, int64_t *count);

/* Finds the minimum spanning forest of edges that are in no graph: what bosc_graph_build with these arguments and then
 * bosc_msf_compute would find, in less time where the graph is needed for nothing else.
 * graph_opts: of the entries; NULL: the defaults. u, v, weights, n, m, and errors: as those of bosc_graph_build. opts,
 * edges (room for min(n - 1, m)), labels and *info: as those of bosc_msf_compute.
 * Cost: O(m) work expected, plus a part near n log n, and about 30 bytes of scratch an entry, 45 where weights have 64
 * bits; on CUDA 40 n and 21 an entry at most, 48 n and 33. But a graph is built for the call, and freed: for ARCS_BOTH
 * without assume_valid or with an edge mask; for PARALLEL other than KEEP; for `wide`, m >= 2^32 - 1 or n >= 2^30; for
 * algorithms other than AUTO; for `trees`. Waits. Source: Osipov, Sanders, Singler, The Filter-Kruskal Minimum Spanning
 * Tree Algorithm (2009). */
BOSC_API bosc_status bosc_msf_compute_edges(bosc_ctx *ctx, const bosc_graph_opts *graph_opts, const bosc_msf_opts *opts,
                                            const void *u, const void *v, const void *weights, int64_t n, int64_t m,
                                            void *edges, void *labels, bosc_msf_info *info);

/* Finds the connected components of edges that are in no graph.
 * graph_opts, u, v, weights, n, m, and errors: as those of bosc_graph_build. opts, labels and *count: as those of
 * bosc_components_compute.
 * Cost: O(n + m) work expected; 5 n bytes of scratch, 4 n at most on CUDA. But a graph is built for the call, and
 * freed, for ARCS_BOTH without assume_valid or with an edge mask, and for PARALLEL other than KEEP. Waits. */
BOSC_API bosc_status bosc_components_compute_edges(bosc_ctx *ctx, const bosc_graph_opts *graph_opts,
                                                   const bosc_msf_opts *opts, const void *u, const void *v,
                                                   const void *weights, int64_t n, int64_t m, void *labels,
                                                   int64_t *count);

/* Zero bytes mean the default; set `size`. Fields are only appended. */
typedef struct bosc_emst_opts {
    size_t size;
    bosc_dtype dtype; /* of the coordinates: F32 (default), F64, I32 or I64 */
    int32_t dim;      /* coordinates of a point: 1 to 1024 */
    int32_t id_bits;  /* of pairs: 64 (int64_t, default) or 32 (uint32_t) */
} bosc_emst_opts;

/* Finds the Euclidean minimum spanning tree of n points. Edges are ordered by (squared length, i, j). Boruvka's rounds
 * over short lists of nearest neighbours and, where these end, the nearest points of other components in a k-d tree.
 * Source: March, Ram, Gray, Fast Euclidean Minimum Spanning Tree (KDD 2010).
 * points: n rows of dim coordinates, `stride` elements apart (0: dim). n < 2^32 - 1.
 * pairs: (n - 1, 2) of id_bits, i < j in each, ascending by (i, j). dist2: (n - 1), or NULL: the squared lengths, float
 * for F32, else double, computed as bosc_kdtree_knn does.
 * Errors: BOSC_ERR_DATA with the row for a NaN.
 * Cost: O(n log^2 n) work for points of few dimensions that are spread out; about 200 bytes of memory a point, and 12 a
 * coordinate. Each call allocates the k-d tree. Waits. */
BOSC_API bosc_status bosc_emst_compute(bosc_ctx *ctx, const void *points, int64_t n, int64_t stride,
                                       const bosc_emst_opts *opts, void *pairs, void *dist2);

/* Zero bytes mean the default; set `size`. Fields are only appended. */
typedef struct bosc_linkage_opts {
    size_t size;
    int32_t id_bits; /* of pairs: 64 (int64_t, default) or 32 (uint32_t) */
} bosc_linkage_opts;

/* Makes the single-linkage dendrogram of a spanning tree of n vertices, as scipy.cluster.hierarchy.linkage gives it.
 * opts may be NULL.
 * pairs: (n - 1, 2) of id_bits. lengths: (n - 1), no NaN. n <= 2^31.
 * z: (n - 1, 4). Row t is the t-th merge, in the order of (length, row): the two clusters, smaller number first (below
 * n: vertices; n + s: the cluster of row s), their distance, and the number of vertices in the new one.
 * Errors: BOSC_ERR_DATA with the row of a NaN or if the pairs are no tree; then z is as it was.
 * Cost: O(n) work nearly, of which one host thread merges; 24 n bytes of scratch and 72 n of host memory. Waits. */
BOSC_API bosc_status bosc_linkage_compute(bosc_ctx *ctx, const void *pairs, const double *lengths, int64_t n,
                                          const bosc_linkage_opts *opts, double *z);

/* Zero bytes mean the default; set `size`. Fields are only appended. */
typedef struct bosc_tour_opts {
    size_t size;
    int32_t id_bits; /* of pairs and order: 64 (int64_t, default) or 32 (uint32_t) */
} bosc_tour_opts;

/* Makes a closed tour of the n vertices of a spanning tree: the order of a depth-first walk from vertex 0, neighbours
 * ascending. For a minimum spanning tree of points in a metric the tour is at most twice the shortest one. opts may be
 * NULL. Sources: Rosenkrantz, Stearns, Lewis (1977); Tarjan and Vishkin, Euler tours (1985).
 * pairs: (n - 1, 2) of id_bits. n <= 2^31. order: (n) of id_bits; it begins with 0.
 * Errors: BOSC_ERR_DATA if the pairs are no tree.
 * Cost: O(n log n) work: list ranking by pointer jumping; about 120 n bytes of scratch. Waits. */
BOSC_API bosc_status bosc_tour_compute(bosc_ctx *ctx, const void *pairs, int64_t n, const bosc_tour_opts *opts,
                                       void *order);

BOSC_END_DECLS
#endif
