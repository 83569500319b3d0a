/* boscage/cluster.h - clusters of points: DBSCAN, friends of friends, HDBSCAN*.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Family: points, graphs and keys
 * Start with: bosc_dbscan_compute
 *
 * Labels are a function of the points: every backend and number of threads returns the same. */
#ifndef BOSCAGE_CLUSTER_H
#define BOSCAGE_CLUSTER_H

#include <boscage/forest.h>
#include <boscage/kdtree.h>

BOSC_BEGIN_DECLS

typedef enum bosc_cluster_metric {
    BOSC_CLUSTER_MINKOWSKI = 0, /* of order p, as bosc_kdtree_query_opts */
    /* The angle between points of a sphere, in radians; a row is latitude and longitude in radians: dim is 2. */
    BOSC_CLUSTER_HAVERSINE = 1,
    BOSC_CLUSTER_COSINE = 2 /* 1 - the cosine of the angle between rows; no row is zero */
} bosc_cluster_metric;

/* --- DBSCAN ------------------------------------------------------------------------------------------------------- */

/* Set `size`; zero bytes elsewhere mean the defaults. */
typedef struct bosc_dbscan_opts {
    size_t size;
    bosc_dtype dtype; /* of the coordinates: F32 (default), F64, I32 or I64 */
    int32_t dim;      /* coordinates of a point: 1 to 1024; required with points */
    bosc_cluster_metric metric;
    int32_t label_bits;    /* of labels: 64 (int64_t, default) or 32 (int32_t) */
    double p;              /* of MINKOWSKI: 1 or more, INFINITY among them; 0: 2 */
    const double *periods; /* of MINKOWSKI: (dim) host, as in bosc_kdtree_query_opts; NULL: none */
    const double *weights; /* (weight_count) finite: a point counts as its weight; NULL: as 1 */
    int64_t weight_count;  /* n, with weights */
} bosc_dbscan_opts;

typedef struct bosc_dbscan_info {
    size_t size;
    int64_t clusters;
    int64_t core;   /* points */
    int64_t border; /* other points of clusters */
    int64_t noise;  /* points in no cluster */
} bosc_dbscan_info;

/* Finds the clusters of n points: points with dense neighbourhoods, and the points near them.
 * A point is core if at least min_samples points, itself among them, are within eps. Core points within eps of each
 * other are in one cluster. Another point within eps of core points is in the first of their clusters. Clusters are
 * numbered from 0 by their smallest core row, so labels equal scikit-learn's. With min_samples 1 the clusters are those
 * of friends of friends: the connected components of the points within eps of each other. A point with an infinite
 * coordinate is noise, whatever min_samples is, unless eps is infinite in the type of the coordinates.
 * points (n x dim): rows `stride` elements apart (0: dim). n < 2^32 - 1.
 * eps: the largest distance between neighbours, 0 or more. Distances are those of bosc_kdtree_pairs. HAVERSINE and
 *     COSINE compare chords, in double. HAVERSINE includes all pairs whose distance in double is eps, and chords up to
 *     2^-48 longer; under COSINE a pair whose distance is eps within a few roundings may be on either side.
 * min_samples: 1 or more; with weights, the least sum of weights, added in the order of the tree.
 * opts: required, as dim has no default.
 * labels (n): of label_bits; -1 for noise.
 * core (n): 1 for core points, else 0; may be NULL.
 * info: may be NULL. Set `size`.
 * Errors: BOSC_ERR_DATA with the row for a NaN, a weight that is not finite, a zero row under COSINE, and a point
 *     outside the periodic box; BOSC_ERR_LIMIT for n beyond the range of labels.
 * Cost: no neighbours are stored. O(n log n) work for well-spread points of few dimensions, at worst O(n^2); subtrees
 *     of one cluster are not searched for pairs. bosc_dbscan_bytes gives the memory. Each call builds a k-d tree.
 * Waits.
 * Source: Ester, Kriegel, Sander, Xu, A Density-Based Algorithm for Discovering Clusters (KDD 1996). */
BOSC_API bosc_status bosc_dbscan_compute(bosc_ctx *ctx, const void *points, int64_t n, int64_t stride, double eps,
                                         int64_t min_samples, const bosc_dbscan_opts *opts, void *labels, uint8_t *core,
                                         bosc_dbscan_info *info);

/* The same for the rows of a k-d tree.
 * opts: NULL means the defaults; dtype and dim are the tree's, metric is MINKOWSKI.
 * Errors: BOSC_ERR_ARG if duplicates are removed.
 * Cost: as bosc_dbscan_compute, without the tree. */
BOSC_API bosc_status bosc_dbscan_compute_tree(bosc_ctx *ctx, const bosc_kdtree *tree, double eps, int64_t min_samples,
                                              const bosc_dbscan_opts *opts, void *labels, uint8_t *core,
                                              bosc_dbscan_info *info);

/* Computes the most backend memory, in bytes, of bosc_dbscan_compute for n host points. Needs no device.
 * bytes: receives their number.
 * Cost: O(1). */
BOSC_API bosc_status bosc_dbscan_bytes(const bosc_ctx *ctx, const bosc_dbscan_opts *opts, int64_t n, int64_t *bytes);

/* --- HDBSCAN* ----------------------------------------------------------------------------------------------------- */

typedef enum bosc_hdbscan_selection {
    BOSC_HDBSCAN_EOM = 0, /* excess of mass: the disjoint clusters with the greatest sum of stabilities */
    BOSC_HDBSCAN_LEAF = 1 /* clusters without clusters in them */
} bosc_hdbscan_selection;

/* Set `size`; zero bytes elsewhere mean the defaults. */
typedef struct bosc_hdbscan_opts {
    size_t size;
    bosc_dtype dtype;   /* of the coordinates: F32 (default), F64, I32 or I64 */
    int32_t dim;        /* coordinates of a point: 1 to 1024; required with points */
    int32_t label_bits; /* of labels: 64 (int64_t, default) or 32 (int32_t) */
    bosc_hdbscan_selection selection;
    int32_t allow_single_cluster; /* not 0: the root may be selected */
    int64_t min_cluster_size;     /* points of the smallest cluster: 2 or more; 0: 5 */
    int64_t min_samples;          /* as in bosc_emst_compute_mutual; 0: min_cluster_size */
    int64_t max_cluster_size;     /* EOM does not select larger clusters; 0: no limit */
    double epsilon;               /* clusters that separate at smaller distances are joined; 0: none */
    bosc_cluster_metric metric;   /* of points; dendrograms have its distances */
    double p;                     /* of MINKOWSKI: 1 or more, INFINITY among them; 0: 2 */
} bosc_hdbscan_opts;

typedef struct bosc_hdbscan_info {
    size_t size;
    int64_t clusters;  /* selected */
    int64_t noise;     /* points in no cluster */
    int64_t condensed; /* clusters of the condensed tree, the root among them */
} bosc_hdbscan_info;

/* Finds clusters of varying density: bosc_emst_compute_mutual, bosc_linkage_compute and bosc_hdbscan_select.
 * points (n x dim): rows `stride` elements apart (0: dim). n <= 2^31.
 * opts: required, as dim has no default.
 * labels, probabilities, outlier_scores, info: as in bosc_hdbscan_select.
 * Errors: as those calls. BOSC_ERR_ARG if min_samples is more than n. BOSC_ERR_DATA with the row for one without a
 *     direction under HAVERSINE and COSINE. Under MINKOWSKI of p 2 points with squares out of range are multiplied by
 *     a power of two; BOSC_ERR_LIMIT if their magnitudes are more than a factor of 2^950 apart, or one is infinite.
 * Metrics: HAVERSINE and COSINE compare chords, in double, which have the order of the distances. MINKOWSKI of other p
 *     than 2 compares distances in double: bosc_emst_compute_minkowski.
 * Cost: the sum of the three calls. The dendrogram takes 32 n bytes of scratch.
 * Ties: with min_samples of 3 and more, many edges have the core distance of one point as their length. Clusters depend
 *     on the order of such ties, which is by rows here. scikit-learn and the hdbscan package order them otherwise, each
 *     `algorithm` in its own way, so labels of points in no clear cluster differ: in half of random sets of 400 points.
 *     Labels of one dendrogram are equal; those of points too if lengths are distinct, as with min_samples 1 or 2.
 * Waits.
 * Sources: Campello, Moulavi, Zimek, Sander, Hierarchical Density Estimates for Data Clustering, Visualization, and
 *     Outlier Detection (2015); McInnes, Healy, Accelerated Hierarchical Density Based Clustering (2017). */
BOSC_API bosc_status bosc_hdbscan_compute(bosc_ctx *ctx, const void *points, int64_t n, int64_t stride,
                                          const bosc_hdbscan_opts *opts, void *labels, double *probabilities,
                                          double *outlier_scores, bosc_hdbscan_info *info);

/* Computes the most backend memory, in bytes, of bosc_hdbscan_compute for n host points with squares in range, and of
 * bosc_hdbscan_compute_linkage. Needs no device.
 * opts: as in bosc_hdbscan_compute.
 * bytes: receives their number.
 * Cost: O(1). */
BOSC_API bosc_status bosc_hdbscan_bytes(const bosc_ctx *ctx, const bosc_hdbscan_opts *opts, int64_t n, int64_t *bytes);

/* Computes the dendrogram from which bosc_hdbscan_compute selects: single linkage under mutual reachability.
 * points, n, stride: as in bosc_hdbscan_compute.
 * opts: required, as dim has no default; dtype, dim, metric, p, min_cluster_size and min_samples are used.
 * z (n - 1, 4): merges, as bosc_linkage_compute writes them.
 * Errors: as bosc_hdbscan_compute.
 * Cost: that of bosc_emst_compute_mutual and bosc_linkage_compute.
 * Waits. */
BOSC_API bosc_status bosc_hdbscan_compute_linkage(bosc_ctx *ctx, const void *points, int64_t n, int64_t stride,
                                                  const bosc_hdbscan_opts *opts, double *z);

/* Selects the clusters of a dendrogram of n points.
 * A merge of two clusters of min_cluster_size points or more is a split of the condensed tree; other merges are points
 * that leave a cluster. Density is 1 / distance. The stability of a cluster is the sum over its points of the densities
 * from that of its birth to that at which the point leaves.
 * z (n - 1, 4): of bosc_linkage_compute, or scipy's. Distances are 0 or more and do not descend: those of
 *     scipy's centroid and median methods may descend.
 * opts: NULL means the defaults; dtype, dim, metric, p and min_samples are unused.
 * labels (n): of label_bits; -1 for noise. Clusters are numbered from 0 by their smallest rows.
 * probabilities (n): the density at which the point leaves over the greatest one of its cluster; 0 for noise; may be
 *     NULL.
 * outlier_scores (n): GLOSH: 1 less the density at which the point leaves over the greatest one in the cluster that it
 *     leaves; may be NULL.
 * info: may be NULL. Set `size`.
 * Errors: BOSC_ERR_DATA with the row if z is no dendrogram.
 * Cost: O(n log n) work, and O(clusters) on one host thread; about 60 n bytes of scratch.
 * Waits. */
BOSC_API bosc_status bosc_hdbscan_select(bosc_ctx *ctx, const double *z, int64_t n, const bosc_hdbscan_opts *opts,
                                         void *labels, double *probabilities, double *outlier_scores,
                                         bosc_hdbscan_info *info);

/* A cluster of the condensed tree. */
typedef struct bosc_hdbscan_cluster {
    int64_t parent;   /* the cluster that it is split from; -1: none, it is the root */
    int64_t label;    /* of the selected cluster that it is or lies in; -1: none */
    int64_t points;   /* all that it holds at its birth */
    double birth;     /* the density at which it is split from its parent; of the root: 0 */
    double death;     /* the greatest density at which a point leaves it, or at which it is split */
    double stability; /* its own, before the selection */
} bosc_hdbscan_cluster;

/* Computes the condensed tree of a dendrogram: bosc_hdbscan_select selects among its clusters.
 * z, n, opts: as in bosc_hdbscan_select.
 * leaves (n): the condensed cluster that each point leaves last; -1 if n is 1. May be NULL.
 * densities (n): the density at which it leaves; 0 if n is 1. May be NULL.
 * clusters: room for the greater of 1 and 2 * (n / min_cluster_size) - 1. The condensed clusters, each after its
 *     parent: the root is the first. info->condensed is their number. May be NULL.
 * info: may be NULL. Set `size`.
 * Errors: as bosc_hdbscan_select.
 * Cost: as bosc_hdbscan_select.
 * Waits. */
BOSC_API bosc_status bosc_hdbscan_condense(bosc_ctx *ctx, const double *z, int64_t n, const bosc_hdbscan_opts *opts,
                                           int64_t *leaves, double *densities, bosc_hdbscan_cluster *clusters,
                                           bosc_hdbscan_info *info);

/* Clustered points, for predictions. Set `size`. */
typedef struct bosc_hdbscan_model {
    size_t size;
    const bosc_kdtree *tree; /* of the points */
    /* (n) squared core distances by bosc_emst_compute_mutual; NULL: each call finds them, with 8 (16 for other types
     * than F32) min_samples bytes of scratch a point. */
    const void *core_dist2;
    const int64_t *leaves; /* these and the clusters: of bosc_hdbscan_condense */
    const double *densities;
    const bosc_hdbscan_cluster *clusters;
    int64_t cluster_count;
} bosc_hdbscan_model;

/* Predicts the clusters of new points, as approximate_predict of the hdbscan package: the clusters stay as they are.
 * A query joins the nearest of its 2 min_samples nearest points, by mutual reachability, at that distance. Its core
 * distance is that of its min_samples-th nearest, itself counted.
 * model: its arrays are read only.
 * opts: as those of bosc_hdbscan_condense; NULL means the defaults. min_samples, label_bits and epsilon are used;
 *     metric is MINKOWSKI, of p 2.
 * queries (query_count x dim): of the tree's dtype, rows `stride` elements apart (0: dim).
 * labels (query_count): of label_bits; those of the clusters, -1 for noise.
 * probabilities (query_count): the density at which a query joins over the greatest one of its cluster, at most 1; 0
 *     for noise; may be NULL.
 * Errors: BOSC_ERR_DATA with the row for leaves or parents that name no cluster; BOSC_ERR_ARG if min_samples is more
 *     than the points; else as bosc_kdtree_knn.
 * Cost: a search of 2 min_samples neighbours and as many items of scratch a query.
 * Waits. */
BOSC_API bosc_status bosc_hdbscan_predict(bosc_ctx *ctx, const bosc_hdbscan_model *model, const bosc_hdbscan_opts *opts,
                                          const void *queries, int64_t query_count, int64_t stride, void *labels,
                                          double *probabilities);

/* Lists the exemplars of clusters, as exemplars_ of the hdbscan package: the points of the greatest density in each
 * condensed cluster that is not split.
 * model: as in bosc_hdbscan_predict; core_dist2 is unused.
 * labels: the number of selected clusters: info->clusters of bosc_hdbscan_condense.
 * rows (n): receives the exemplars, by label, then ascending.
 * offsets (labels + 1): those of label k are rows[offsets[k]] to rows[offsets[k + 1] - 1].
 * count: receives their number; may be NULL.
 * Errors: BOSC_ERR_DATA with the row for leaves, parents or labels that name no cluster.
 * Cost: one sort of n labels; about 30 n bytes of scratch.
 * Waits. */
BOSC_API bosc_status bosc_hdbscan_list_exemplars(bosc_ctx *ctx, const bosc_hdbscan_model *model, int64_t labels,
                                                 int64_t *rows, int64_t *offsets, int64_t *count);

/* Computes the memberships of the clustered points in all clusters, as all_points_membership_vectors of the hdbscan
 * package. A membership is the product of two parts, scaled to the probability that the point is in any cluster: one
 * falls with the distance to the nearest exemplar, the other with the density at which point and cluster join. The
 * probability is that density over the greatest one of the cluster that joins first, of several the one born first.
 * model, labels: as in bosc_hdbscan_list_exemplars.
 * memberships (n, labels): 0 to 1. In hdbscan columns follow its own numbers of clusters.
 * Errors: as bosc_hdbscan_list_exemplars.
 * Cost: O(n exemplars dim); per membership an ascent in the condensed tree. 8 n dim bytes of scratch.
 * Waits. */
BOSC_API bosc_status bosc_hdbscan_compute_memberships(bosc_ctx *ctx, const bosc_hdbscan_model *model, int64_t labels,
                                                      double *memberships);

/* Computes the memberships of new points, as membership_vector of the hdbscan package. A query joins the condensed tree
 * as in bosc_hdbscan_predict.
 * model, opts, queries, query_count, stride: as in bosc_hdbscan_predict; labels: as in bosc_hdbscan_list_exemplars.
 * memberships (query_count, labels): 0 to 1.
 * Errors: as bosc_hdbscan_predict and bosc_hdbscan_list_exemplars.
 * Cost: that of bosc_hdbscan_predict, and O(query_count exemplars dim). 8 (n + query_count) dim bytes of scratch.
 * Waits. */
BOSC_API bosc_status bosc_hdbscan_predict_memberships(bosc_ctx *ctx, const bosc_hdbscan_model *model,
                                                      const bosc_hdbscan_opts *opts, const void *queries,
                                                      int64_t query_count, int64_t stride, int64_t labels,
                                                      double *memberships);

/* Clustered points with all that predictions need: their k-d tree, core distances, dendrogram and condensed tree. */
typedef struct bosc_hdbscan bosc_hdbscan;

/* Clusters points, and keeps the result. It is not changed afterwards.
 * points, n, stride: as in bosc_hdbscan_compute; copied.
 * opts: required, as dim has no default; metric is MINKOWSKI.
 * clustering: receives the handle, to be freed by bosc_hdbscan_free.
 * Errors: as bosc_hdbscan_compute; BOSC_ERR_LIMIT for core distances with squares out of range.
 * Cost: that of bosc_hdbscan_compute_linkage, a k-d tree and one search of min_samples neighbours a point.
 * Waits. */
BOSC_API bosc_status bosc_hdbscan_create(bosc_ctx *ctx, const void *points, int64_t n, int64_t stride,
                                         const bosc_hdbscan_opts *opts, bosc_hdbscan **clustering);

/* Frees a clustering; NULL is allowed. */
BOSC_API void bosc_hdbscan_free(bosc_hdbscan *clustering);

/* Gives access to the parts of a clustering, valid until it is freed. Set `size` of each struct; all may be NULL.
 * model: for predictions and memberships. Its arrays are in the backend's memory.
 * opts: those of the creation, with all defaults filled in.
 * info: the numbers of clusters.
 * z: receives the dendrogram (n - 1, 4), for bosc_hdbscan_select; in the backend's memory. */
BOSC_API bosc_status bosc_hdbscan_get_model(bosc_ctx *ctx, const bosc_hdbscan *clustering, bosc_hdbscan_model *model,
                                            bosc_hdbscan_opts *opts, bosc_hdbscan_info *info, const double **z);

/* Writes a clustering as a stream of bytes, the same on every backend.
 * Errors: BOSC_ERR_IO if `write` fails.
 * Cost: O(bytes). Waits. */
BOSC_API bosc_status bosc_hdbscan_write(bosc_ctx *ctx, const bosc_hdbscan *clustering, bosc_write_fn write, void *user);

/* Reads a clustering that bosc_hdbscan_write has written, from a source that need not be trusted.
 * clustering: receives a new handle.
 * Errors: BOSC_ERR_FORMAT with the reason for other bytes.
 * Cost: O(bytes), a build of the k-d tree, and bosc_hdbscan_condense. Waits. */
BOSC_API bosc_status bosc_hdbscan_read(bosc_ctx *ctx, bosc_read_fn read, void *user, bosc_hdbscan **clustering);

/* --- Labelled points ---------------------------------------------------------------------------------------------- */

/* Set `size`; zero bytes elsewhere mean the defaults. */
typedef struct bosc_cluster_opts {
    size_t size;
    bosc_dtype dtype;      /* of the coordinates: F32 (default), F64, I32 or I64 */
    int32_t dim;           /* coordinates of a point: 1 to 1024; required */
    int32_t label_bits;    /* of labels: 64 (int64_t, default) or 32 (int32_t) */
    int32_t raw_distances; /* of bosc_cluster_compute_validity; not 0: distances, without mutual reachability */
} bosc_cluster_opts;

/* Computes the centers of clusters, as store_centers of scikit-learn's HDBSCAN does.
 * points (n x dim): rows `stride` elements apart (0: dim). n < 2^32 - 1.
 * opts: required, as dim has no default.
 * labels (n): of label_bits, less than `clusters`; less than 0 for noise, of any coordinates.
 * weights (n): 0 or more, finite: the probabilities of bosc_hdbscan_compute; NULL: 1.
 * clusters: 0 to n.
 * centroids (clusters, dim): the weighted means; NaN for clusters without weight; may be NULL.
 * medoids (clusters): the row with the least weighted sum of distances to the points of its cluster, the first one of
 *     several; -1 for clusters without points; may be NULL. Distances are computed in double.
 * Errors: BOSC_ERR_DATA with the row for a label or weight out of range, and a coordinate that is not finite.
 * Cost: centroids: O(n dim); medoids: O(m^2 dim) for a cluster of m points. 8 n dim bytes of scratch.
 * Waits. */
BOSC_API bosc_status bosc_cluster_compute_centers(bosc_ctx *ctx, const void *points, int64_t n, int64_t stride,
                                                  const bosc_cluster_opts *opts, const void *labels,
                                                  const double *weights, int64_t clusters, double *centroids,
                                                  int64_t *medoids);

/* Computes the density-based validity of clusters (DBCV), as validity_index of the hdbscan package. The validity of a
 * cluster compares its least separation from another cluster with its sparseness, the longest edge of its spanning tree
 * between points of several edges. Both are under mutual reachability, with core distances over all points of the
 * cluster. The trees are Prim's from the first rows; of equal edges the first rows are joined.
 * points, n, stride, opts, labels, clusters: as in bosc_cluster_compute_centers.
 * scores (clusters): -1 to 1; 0 for clusters of one point or none; NaN where separation and sparseness are 0, and for
 *     the only cluster of several points; may be NULL.
 * index: receives the mean of the scores by numbers of points, noise counted as 0; may be NULL.
 * Errors: as bosc_cluster_compute_centers.
 * Cost: O(m^2 dim) for a cluster of m points; one step over all points for each point of the largest cluster;
 *     O(n^2 dim) for the separations. 8 n dim bytes of scratch.
 * Waits.
 * Source: Moulavi, Jaskowiak, Campello, Zimek, Sander, Density-Based Clustering Validation (2014). */
BOSC_API bosc_status bosc_cluster_compute_validity(bosc_ctx *ctx, const void *points, int64_t n, int64_t stride,
                                                   const bosc_cluster_opts *opts, const void *labels, int64_t clusters,
                                                   double *scores, double *index);

/* --- Dendrograms -------------------------------------------------------------------------------------------------- */

/* Cuts a dendrogram of n points at a distance, as scipy's fcluster does by the criterion "distance".
 * z, n: as in bosc_hdbscan_select.
 * distance: merges at this distance or less join clusters.
 * labels (n): clusters are numbered from 0 by their smallest rows.
 * count: receives the number of clusters; may be NULL.
 * Errors: BOSC_ERR_ARG if distance is NaN; BOSC_ERR_DATA with the row if z is no dendrogram.
 * Cost: O(n log n) work; about 30 n bytes of scratch.
 * Waits. */
BOSC_API bosc_status bosc_linkage_cut(bosc_ctx *ctx, const double *z, int64_t n, double distance, int64_t *labels,
                                      int64_t *count);

/* Orders the points of a dendrogram from left to right, as scipy's leaves_list: those of every cluster are consecutive,
 * the points of the first cluster of a merge before those of the second.
 * z, n: as in bosc_hdbscan_select.
 * order (n): the points.
 * Errors: BOSC_ERR_DATA with the row if z is no dendrogram.
 * Cost: O(n log n) work; about 50 n bytes of scratch.
 * Waits. */
BOSC_API bosc_status bosc_linkage_order(bosc_ctx *ctx, const double *z, int64_t n, int64_t *order);

/* Computes the cophenetic distances of all pairs of points, as scipy's cophenet: the distance at which they join.
 * z, n: as in bosc_hdbscan_select.
 * distances (n (n - 1) / 2): of (0, 1), (0, 2) to (n - 2, n - 1).
 * Errors: BOSC_ERR_DATA with the row if z is no dendrogram.
 * Cost: O(n^2); about 60 n bytes of scratch.
 * Waits. */
BOSC_API bosc_status bosc_linkage_cophenet(bosc_ctx *ctx, const double *z, int64_t n, double *distances);

BOSC_END_DECLS
#endif
