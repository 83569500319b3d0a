/* boscage/forest.h - minimum spanning forests and their proof, components, Euclidean trees, dendrograms, tours.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Family: points, graphs and keys
 * Start with: bosc_msf_compute, bosc_components_compute, bosc_emst_compute
 *
 * Edges are ordered by (weight, edge id), so the minimum spanning forest is one set of edges: every algorithm, backend
 * and number of threads finds the same. A maximum forest orders by (weight descending, edge id). Self loops are never
 * in a forest. */
#ifndef BOSCAGE_FOREST_H
#define BOSCAGE_FOREST_H

#include <boscage/graph.h>

BOSC_BEGIN_DECLS

typedef enum bosc_msf_algorithm {
    BOSC_MSF_AUTO = 0,       /* the fastest of the backend */
    BOSC_MSF_PRIMITIVES = 1, /* Boruvka by segmented scans, splits and sorts. Source: Vineet, Harish, Patidar,
                                Narayanan, Fast Minimum Spanning Tree for Large Graphs on the GPU (HPG 2009) */
    BOSC_MSF_ATOMIC = 2      /* the same with an atomic minimum for each vertex in place of the segmented scan */
} bosc_msf_algorithm;

/* Set `size`; zero bytes elsewhere mean the defaults. */
typedef struct bosc_msf_opts {
    size_t size;
    bosc_msf_algorithm algorithm;
    int32_t maximum;            /* not 0: the maximum spanning forest */
    const uint8_t *vertex_mask; /* (n) 0 removes the vertex and its edges; NULL: all stay */
    const uint8_t *edge_mask;   /* (entries) 0 removes the edge; NULL: all stay */
    int64_t trees;              /* stop at this many trees, without the heaviest edges; 0: never */
    const void *limit;          /* one weight in host memory: only edges of weight <= *limit (maximum: >=); NULL: all */
    int32_t keep_parallel;      /* PRIMITIVES, ATOMIC: never remove duplicate edges between supervertices */
    int64_t replicated_bytes;   /* over ranks (boscage/ranks/forest.h): most memory for vertices that every rank holds;
                                 * 0: any amount. Unused by one context */
    /* PRIMITIVES, ATOMIC; not 0: duplicate edges are removed as published, by sorts of {u, v, weight}: the first of
     * each {u, v} stays; else by a sort of {u, v} and a minimum. For weights and ids of 32 bits; ignored with
     * others, and by ranks. */
    int32_t split_duplicates;
} bosc_msf_opts;

/* The size of the graph at the start of a round of PRIMITIVES or ATOMIC. */
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

/* Finds the minimum spanning forest.
 * opts: NULL means the defaults.
 * edges (min(n - 1, m)): of the graph's id_bits, the edge ids of the forest, ascending; may be NULL.
 * labels (n): of id_bits, the smallest vertex of each vertex's tree; none (-1, UINT32_MAX) for a masked vertex; may be
 *     NULL.
 * info: may be NULL. Set `size`.
 * Cost: AUTO: O(m) work expected, plus a part near n log n, and scratch of about the size of the graph. PRIMITIVES and
 *     ATOMIC: O(m log n) work, about 100 bytes of scratch an edge. A second call of the same shape allocates nothing.
 * Waits. */
BOSC_API bosc_status bosc_msf_compute(bosc_ctx *ctx, const bosc_graph *graph, const bosc_msf_opts *opts, void *edges,
                                      void *labels, bosc_msf_info *info);

/* Proves that edges are the forest that bosc_msf_compute finds with these options, without computing it.
 * The proof: every id is an edge of the graph and occurs once; there is no cycle; the ends of every edge of the graph
 * are in one tree; each edge not given is heavier, by (weight, edge id), than every given edge between its ends. The
 * heaviest edge of a path is found on the tree of Boruvka's rounds over the given edges.
 * edges (count): ids of the graph's id_bits, in any order.
 * opts: as given to bosc_msf_compute; `trees` must be 0.
 * edge: host; receives the offending edge's id; may be NULL.
 * Errors: BOSC_ERR_DATA with the reason.
 * Cost: O((n + m) log n) work at most, parallel; scratch of about 150 bytes a given edge, 28 n and 4 an entry.
 * Waits.
 * Source: King, A Simpler Minimum Spanning Tree Verification Algorithm (1997). */
BOSC_API bosc_status bosc_msf_verify(bosc_ctx *ctx, const bosc_graph *graph, const bosc_msf_opts *opts,
                                     const void *edges, int64_t count, int64_t *edge);

/* Finds the connected components.
 * opts: masks, limit and maximum count; NULL means the defaults.
 * labels (n): as in bosc_msf_compute; may be NULL.
 * count: host; the number of components; may be NULL.
 * Cost: O(n + m) work expected; at most 8 n bytes of scratch.
 * Waits. */
BOSC_API bosc_status bosc_components_compute(bosc_ctx *ctx, const bosc_graph *graph, const bosc_msf_opts *opts,
                                             void *labels, int64_t *count);

/* Finds the minimum spanning forest of a list of edges, as bosc_graph_build and bosc_msf_compute together do.
 * It is faster if the graph serves nothing else.
 * graph_opts: of the entries; NULL means the defaults.
 * u, v, weights, n, m: as in bosc_graph_build.
 * opts, edges, labels, info: as in bosc_msf_compute.
 * Errors: as bosc_graph_build.
 * Cost: O(m) work expected, plus a part near n log n. Scratch of about 30 bytes an entry, 45 with 64-bit weights; on
 *     CUDA at most 40 n and 21 an entry, 48 n and 33 with 64-bit weights. The call builds a graph, and frees it, for
 *     ARCS_BOTH without assume_valid or with an edge mask, for PARALLEL other than KEEP, for `wide`, m >= 2^32 - 1, n
 *     >= 2^30, `trees`, and algorithms other than AUTO.
 * Waits.
 * Source: Osipov, Sanders, Singler, The Filter-Kruskal Minimum Spanning Tree Algorithm (2009). */
BOSC_API bosc_status bosc_msf_compute_edges(bosc_ctx *ctx, const bosc_graph_opts *graph_opts, const bosc_msf_opts *opts,
                                            const void *u, const void *v, const void *weights, int64_t n, int64_t m,
                                            void *edges, void *labels, bosc_msf_info *info);

/* Finds the connected components of a list of edges, without a graph.
 * graph_opts, u, v, weights, n, m: as in bosc_msf_compute_edges.
 * opts, labels, count: as in bosc_components_compute.
 * Errors: as bosc_graph_build.
 * Cost: O(n + m) work expected; at most 5 n bytes of scratch. The call builds a graph, and frees it, for ARCS_BOTH
 *     without assume_valid or with an edge mask, and for PARALLEL other than KEEP.
 * Waits. */
BOSC_API bosc_status bosc_components_compute_edges(bosc_ctx *ctx, const bosc_graph_opts *graph_opts,
                                                   const bosc_msf_opts *opts, const void *u, const void *v,
                                                   const void *weights, int64_t n, int64_t m, void *labels,
                                                   int64_t *count);

/* Set `size`; zero bytes elsewhere mean the defaults. */
typedef struct bosc_emst_opts {
    size_t size;
    bosc_dtype dtype; /* of the coordinates: F32 (default), F64, I32 or I64 */
    int32_t dim;      /* coordinates of a point: 1 to 1024 */
    int32_t id_bits;  /* of pairs: 64 (int64_t, default) or 32 (uint32_t) */
} bosc_emst_opts;

/* Finds the Euclidean minimum spanning tree of n points. Edges are ordered by (squared length, i, j).
 * points (n x dim): rows `stride` elements apart (0: dim). n < 2^32 - 1.
 * pairs (n - 1, 2): of id_bits, i < j in each, ascending by (i, j).
 * dist2 (n - 1): the squared lengths, float for F32, else double, computed as by bosc_kdtree_knn; may be NULL.
 * Points with squares out of range are multiplied by a power of two (the ranges of boscage/kdtree.h).
 * Errors: BOSC_ERR_DATA with the row for a NaN; BOSC_ERR_LIMIT for a squared length that does not fit the type of
 *     dist2, and for points that differ by too little beside a coordinate with a square that overflows.
 * Cost: O(n log^2 n) work for well-spread points of few dimensions; about 200 bytes of memory a point, and 12 a
 *     coordinate. Each call allocates a k-d tree. Copies of points are joined first if there are many, at O(log n)
 *     each; then a second tree holds the other points.
 * Waits.
 * Source: March, Ram, Gray, Fast Euclidean Minimum Spanning Tree (KDD 2010): Boruvka's rounds over lists of nearest
 *     neighbours, then over nearest points of other components in the tree. */
BOSC_API bosc_status bosc_emst_compute(bosc_ctx *ctx, const void *points, int64_t n, int64_t stride,
                                       const bosc_emst_opts *opts, void *pairs, void *dist2);

/* Finds the minimum spanning tree under mutual reachability, as HDBSCAN* needs it. The squared length of edge (i, j) is
 * the largest of the squared distance and both squared core distances. Edges are ordered by (squared length, i, j).
 * points, n, stride, opts, pairs, dist2: as in bosc_emst_compute.
 * min_samples: the core distance of a point is that of its min_samples-th nearest point. The point itself counts, as in
 *     scikit-learn. 1 to n, and at most 2^31 - 9.
 * core_dist2 (n): the squared core distances, of the type of dist2; may be NULL.
 * Errors: as bosc_emst_compute.
 * Cost: as bosc_emst_compute, with 8 (16 for other types than F32) min_samples more bytes a point. Of equal points
 *     the first min_samples have lists; the others cost O(log n) each.
 * Waits.
 * Source: Campello, Moulavi, Zimek, Sander, Hierarchical Density Estimates (2015). */
BOSC_API bosc_status bosc_emst_compute_mutual(bosc_ctx *ctx, const void *points, int64_t n, int64_t stride,
                                              const bosc_emst_opts *opts, int64_t min_samples, void *pairs, void *dist2,
                                              void *core_dist2);

/* Finds the minimum spanning tree under Minkowski distances, and under mutual reachability by them.
 * Lengths are distances of order p in double, as bosc_kdtree_knn_metric computes them for points of F64; for p 2 they
 * are roots of squared lengths. Edges are ordered by (length, i, j); for p 2 by (squared length, i, j).
 * points, n, stride, opts, pairs: as in bosc_emst_compute. Coordinates are rounded to double.
 * p: 1 or more; INFINITY: the largest difference.
 * min_samples: as in bosc_emst_compute_mutual; 0: plain distances.
 * lengths (n - 1): of the edges; may be NULL.
 * core_distances (n): with min_samples; may be NULL.
 * Errors: BOSC_ERR_DATA with the row for a NaN; BOSC_ERR_LIMIT with the row for an infinite coordinate, and for a
 *     length that is out of the range of double. For p 2 also for points that differ by too little, as
 *     bosc_emst_compute, but squared lengths need not fit.
 * Cost: as bosc_emst_compute_mutual with F64, and 32 bytes of memory a coordinate more. Other p than 1, 2 and INFINITY
 *     take several times as long; on CUDA 1 and INFINITY are searched as these.
 * Waits. */
BOSC_API bosc_status bosc_emst_compute_minkowski(bosc_ctx *ctx, const void *points, int64_t n, int64_t stride,
                                                 const bosc_emst_opts *opts, double p, int64_t min_samples, void *pairs,
                                                 double *lengths, double *core_distances);

/* Computes the most backend memory, in bytes, of bosc_emst_compute (min_samples 0) or bosc_emst_compute_mutual.
 * For n host points with squares in range. Needs no device.
 * opts, min_samples: as in the call.
 * bytes: receives their number.
 * Cost: O(1). */
BOSC_API bosc_status bosc_emst_bytes(const bosc_ctx *ctx, const bosc_emst_opts *opts, int64_t n, int64_t min_samples,
                                     int64_t *bytes);

/* An edge that is not minimal, and one that replaces it. Squared lengths are those of the points, rounded to double. */
typedef struct bosc_emst_fault {
    size_t size;
    int64_t row; /* of pairs; -1: none */
    int64_t better[2];
    double dist2, better_dist2;
} bosc_emst_fault;

/* Proves that edges are the tree that bosc_emst_compute or bosc_emst_compute_mutual finds, whatever program made them.
 * The proof: Boruvka's rounds over the given edges. In each round a search of the points shows that the lightest given
 * edge that leaves a component is the lightest of all pairs that do, by (squared length, i, j). So it is in the tree
 * (cut property), and every edge of a spanning tree is the lightest one of some component in some round.
 * points, n, stride, opts: as in bosc_emst_compute.
 * min_samples: as in bosc_emst_compute_mutual; 0: Euclidean lengths.
 * pairs (n - 1, 2): of id_bits; in any order, and either point first.
 * fault: receives the row of an edge that is the longest on the path between the points of a better edge; or the row
 *     of an edge that names no two points or closes a cycle, with `better` -1. Size 0: not written; may be NULL. Set
 *     `size`.
 * Errors: BOSC_ERR_DATA with the reason if the edges are not that tree; else as bosc_emst_compute_mutual.
 * Cost: as bosc_emst_compute_mutual, without lists of neighbours where min_samples is 0; a faulty tree takes about 40 n
 *     bytes of host memory, 60 n if some edges close a cycle.
 * Waits.
 * Sources: Tarjan, Data Structures and Network Algorithms (1983), cuts and cycles; Boruvka (1926). */
BOSC_API bosc_status bosc_emst_verify(bosc_ctx *ctx, const void *points, int64_t n, int64_t stride,
                                      const bosc_emst_opts *opts, int64_t min_samples, const void *pairs,
                                      bosc_emst_fault *fault);

/* Proves that edges are the tree that bosc_emst_compute_minkowski finds.
 * points, n, stride, opts, p, min_samples: as in bosc_emst_compute_minkowski.
 * pairs, fault: as in bosc_emst_verify. `dist2` and `better_dist2` are lengths, not squared.
 * Errors: BOSC_ERR_DATA with the reason if the edges are not that tree; else as bosc_emst_compute_minkowski.
 * Cost: as bosc_emst_verify with F64, and 32 bytes of memory a coordinate more.
 * Waits. */
BOSC_API bosc_status bosc_emst_verify_minkowski(bosc_ctx *ctx, const void *points, int64_t n, int64_t stride,
                                                const bosc_emst_opts *opts, double p, int64_t min_samples,
                                                const void *pairs, bosc_emst_fault *fault);

/* Finds the best replacement of every edge of a spanning tree of points.
 * It is the first pair, by (squared length, i, j), that joins the two components which the tree without the edge has.
 * The longer it is than the edge, the less the tree depends on small changes of the points.
 * points, n, stride, opts: as in bosc_emst_compute, but n is at most 2^31.
 * min_samples: as in bosc_emst_compute_mutual; 0: Euclidean lengths.
 * pairs (n - 1, 2): of id_bits; any spanning tree, in any order, and either point first.
 * replacements (n - 1, 2): of id_bits, i < j in each: row r is the replacement of row r of pairs. The only edge of two
 *     points has none: all bits are set.
 * dist2 (n - 1): the squared lengths of the replacements, as in bosc_emst_compute; infinite without one; may be NULL.
 * Errors: BOSC_ERR_DATA with the reason if the pairs are no spanning tree; else as bosc_emst_compute_mutual.
 * Cost: as bosc_emst_verify, and about 120 bytes of memory a point and 8 for each doubling of the longest path to point
 *     0. On CUDA the kernels of bosc_emst_compute for 2 to 4 dimensions do not serve it; not timed there.
 * Waits.
 * Source: Tarjan, Sensitivity Analysis of Minimum Spanning Trees and Shortest Path Trees (1982). */
BOSC_API bosc_status bosc_emst_find_replacements(bosc_ctx *ctx, const void *points, int64_t n, int64_t stride,
                                                 const bosc_emst_opts *opts, int64_t min_samples, const void *pairs,
                                                 void *replacements, void *dist2);

/* The same under Minkowski distances: the first pair by (length, i, j); for p 2 by (squared length, i, j).
 * points, n, stride, opts, p, min_samples: as in bosc_emst_compute_minkowski, but n is at most 2^31.
 * pairs, replacements: as in bosc_emst_find_replacements.
 * lengths (n - 1): of the replacements; infinite without one; may be NULL.
 * Errors: BOSC_ERR_DATA with the reason if the pairs are no spanning tree; else as bosc_emst_compute_minkowski.
 * Cost: as bosc_emst_find_replacements with F64, and 32 bytes of memory a coordinate more.
 * Waits. */
BOSC_API bosc_status bosc_emst_find_replacements_minkowski(bosc_ctx *ctx, const void *points, int64_t n, int64_t stride,
                                                           const bosc_emst_opts *opts, double p, int64_t min_samples,
                                                           const void *pairs, void *replacements, double *lengths);

/* Set `size`; zero bytes elsewhere mean the defaults. */
typedef struct bosc_linkage_opts {
    size_t size;
    int32_t id_bits; /* of pairs: 64 (int64_t, default) or 32 (uint32_t) */
} bosc_linkage_opts;

/* Makes the single-linkage dendrogram of a spanning tree of n vertices, as scipy.cluster.hierarchy.linkage does.
 * opts: NULL means the defaults.
 * pairs (n - 1, 2): of id_bits.
 * lengths (n - 1): no NaN.
 * n: at most 2^31.
 * z (n - 1, 4): row t is the t-th merge, in the order of (length, row): the two clusters, smaller number first (below
 *     n: vertices; n + s: the cluster of row s), their distance, and the number of vertices in the new cluster.
 * Errors: BOSC_ERR_DATA with the row of a NaN, or if the pairs are no tree.
 * Cost: two sorts and O(n log n) work, nearly O(n) for most trees; about 110 n bytes of scratch.
 * Waits.
 * Source: Sao, Prokopenko, Lebrun-Grandie, PANDORA: A Parallel Dendrogram Construction Algorithm (2024). */
BOSC_API bosc_status bosc_linkage_compute(bosc_ctx *ctx, const void *pairs, const double *lengths, int64_t n,
                                          const bosc_linkage_opts *opts, double *z);

/* Computes the most backend memory, in bytes, of bosc_linkage_compute for host arrays. Needs no device.
 * opts: NULL means the defaults.
 * bytes: receives their number.
 * Cost: O(1). */
BOSC_API bosc_status bosc_linkage_bytes(const bosc_ctx *ctx, const bosc_linkage_opts *opts, int64_t n, int64_t *bytes);

/* Set `size`; zero bytes elsewhere mean the defaults. */
typedef struct bosc_tour_opts {
    size_t size;
    int32_t id_bits; /* of pairs and order: 64 (int64_t, default) or 32 (uint32_t) */
} bosc_tour_opts;

/* Makes a closed tour of the n vertices of a spanning tree: the order of a depth-first walk from vertex 0.
 * Neighbours are visited in ascending order. For a minimum spanning tree of points in a metric the tour is at most
 * twice the shortest one.
 * opts: NULL means the defaults.
 * pairs (n - 1, 2): of id_bits.
 * n: at most 2^31.
 * order (n): of id_bits; it begins with 0.
 * Errors: BOSC_ERR_DATA if the pairs are no tree.
 * Cost: O(n log n) work: list ranking by pointer jumping; about 120 n bytes of scratch.
 * Waits.
 * Sources: Rosenkrantz, Stearns, Lewis (1977); Tarjan and Vishkin, Euler tours (1985). */
BOSC_API bosc_status bosc_tour_compute(bosc_ctx *ctx, const void *pairs, int64_t n, const bosc_tour_opts *opts,
                                       void *order);

BOSC_END_DECLS
#endif
