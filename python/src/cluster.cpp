/* Clusters of points.
 * SPDX-License-Identifier: Apache-2.0 */
#include "core.hpp"

namespace
{

void dbscan(const Where &where, const In &points, double eps, int64_t min_samples, int metric, double p,
            const In &periods, const In &weights, const Out &labels, const Out &core)
{
    bosc_dbscan_opts opts = {};
    opts.size = sizeof opts;
    opts.dtype = dtype_of(points, "X");
    Rows rows = rows_of(where, points, opts.dtype, -1, "X");
    opts.dim = static_cast<int32_t>(rows.dim);
    opts.metric = static_cast<bosc_cluster_metric>(metric);
    opts.p = p;
    opts.weight_count = size_of(weights);
    opts.periods = typed<double>(where, periods, BOSC_F64, rows.dim, "boxsize");
    opts.weights = typed<double>(where, weights, BOSC_F64, rows.n, "sample_weight");
    void *to = room(where, labels, BOSC_I64, rows.n, "labels");
    auto *flags = static_cast<uint8_t *>(item_room(where, core, 1, rows.n, "core"));
    Call(where).run([&](bosc_ctx *ctx) {
        return bosc_dbscan_compute(ctx, rows.data, rows.n, rows.stride, eps, min_samples, &opts, to, flags, nullptr);
    });
}

/* The options of HDBSCAN*. */
struct Selection {
    bosc_hdbscan_opts opts = {};
    Selection(int64_t min_cluster_size, bool leaf, double epsilon, int64_t max_cluster_size, bool allow_single_cluster)
    {
        opts.size = sizeof opts;
        opts.selection = leaf ? BOSC_HDBSCAN_LEAF : BOSC_HDBSCAN_EOM;
        opts.allow_single_cluster = allow_single_cluster;
        opts.min_cluster_size = min_cluster_size;
        opts.max_cluster_size = max_cluster_size;
        opts.epsilon = epsilon;
    }
};

void hdbscan_linkage(const Where &where, const In &points, int64_t min_samples, const Out &z)
{
    bosc_hdbscan_opts opts = {};
    opts.size = sizeof opts;
    opts.dtype = dtype_of(points, "X");
    opts.min_samples = min_samples;
    Rows rows = rows_of(where, points, opts.dtype, -1, "X");
    opts.dim = static_cast<int32_t>(rows.dim);
    double *to = typed_room<double>(where, z, BOSC_F64, rows.n > 0 ? 4 * (rows.n - 1) : 0, "z");
    Call(where).run(
        [&](bosc_ctx *ctx) { return bosc_hdbscan_compute_linkage(ctx, rows.data, rows.n, rows.stride, &opts, to); });
}

void hdbscan_select(const Where &where, const In &z, int64_t n, int64_t min_cluster_size, bool leaf, double epsilon,
                    int64_t max_cluster_size, bool allow_single_cluster, const Out &labels, const Out &probabilities,
                    const Out &outlier_scores)
{
    Selection s(min_cluster_size, leaf, epsilon, max_cluster_size, allow_single_cluster);
    const double *from = typed<double>(where, z, BOSC_F64, n > 0 ? 4 * (n - 1) : 0, "z");
    void *to = room(where, labels, BOSC_I64, n, "labels");
    double *p = typed_room<double>(where, probabilities, BOSC_F64, n, "probabilities");
    double *scores = typed_room<double>(where, outlier_scores, BOSC_F64, n, "outlier_scores");
    Call(where).run([&](bosc_ctx *ctx) { return bosc_hdbscan_select(ctx, from, n, &s.opts, to, p, scores, nullptr); });
}

/* Writes the condensed tree, and returns the number of its clusters. */
int64_t hdbscan_condense(const Where &where, const In &z, int64_t n, int64_t min_cluster_size, bool leaf,
                         double epsilon, int64_t max_cluster_size, bool allow_single_cluster, const Out &leaves,
                         const Out &densities, const Out &clusters)
{
    Selection s(min_cluster_size, leaf, epsilon, max_cluster_size, allow_single_cluster);
    const double *from = typed<double>(where, z, BOSC_F64, n > 0 ? 4 * (n - 1) : 0, "z");
    int64_t most = min_cluster_size < 2 ? 1 : 2 * (n / min_cluster_size) - 1;
    auto *to = typed_room<int64_t>(where, leaves, BOSC_I64, n, "leaves");
    double *d = typed_room<double>(where, densities, BOSC_F64, n, "densities");
    auto *c = static_cast<bosc_hdbscan_cluster *>(
        item_room(where, clusters, sizeof(bosc_hdbscan_cluster), most < 1 ? 1 : most, "clusters"));
    bosc_hdbscan_info info = {};
    info.size = sizeof info;
    Call(where).run([&](bosc_ctx *ctx) { return bosc_hdbscan_condense(ctx, from, n, &s.opts, to, d, c, &info); });
    return info.condensed;
}

/* Predicts the clusters of queries in the condensed tree of points. */
void hdbscan_predict(const Where &where, const In &points, int64_t min_samples, double epsilon, const In &leaves,
                     const In &densities, const In &clusters, int64_t cluster_count, const In &queries,
                     const Out &labels, const Out &probabilities)
{
    /* 1. Check the arrays. */
    bosc_kdtree_opts tree = {};
    tree.size = sizeof tree;
    tree.dtype = dtype_of(points, "X");
    Rows rows = rows_of(where, points, tree.dtype, -1, "X"),
         to = rows_of(where, queries, tree.dtype, rows.dim, "points");
    tree.dim = static_cast<int32_t>(rows.dim);
    bosc_hdbscan_opts opts = {};
    opts.size = sizeof opts;
    opts.min_samples = min_samples;
    opts.epsilon = epsilon;
    bosc_hdbscan_model model = {};
    model.size = sizeof model;
    model.leaves = typed<int64_t>(where, leaves, BOSC_I64, rows.n, "leaves");
    model.densities = typed<double>(where, densities, BOSC_F64, rows.n, "densities");
    model.clusters = static_cast<const bosc_hdbscan_cluster *>(
        items(where, clusters, sizeof(bosc_hdbscan_cluster), cluster_count, "clusters"));
    model.cluster_count = cluster_count;
    void *l = room(where, labels, BOSC_I64, to.n, "labels");
    double *p = typed_room<double>(where, probabilities, BOSC_F64, to.n, "probabilities");
    /* 2. Build the tree, and predict. */
    Call(where).run([&](bosc_ctx *ctx) {
        bosc_kdtree *built = nullptr;
        bosc_status status = bosc_kdtree_create(ctx, &tree, &built);
        if (!status) status = bosc_kdtree_build(ctx, built, rows.data, rows.n, rows.stride);
        model.tree = built;
        if (!status) status = bosc_hdbscan_predict(ctx, &model, &opts, to.data, to.n, to.stride, l, p);
        bosc_kdtree_free(built);
        return status;
    });
}

void linkage_cut(const Where &where, const In &z, int64_t n, double distance, const Out &labels)
{
    const double *from = typed<double>(where, z, BOSC_F64, n > 0 ? 4 * (n - 1) : 0, "Z");
    auto *to = typed_room<int64_t>(where, labels, BOSC_I64, n, "labels");
    Call(where).run([&](bosc_ctx *ctx) { return bosc_linkage_cut(ctx, from, n, distance, to, nullptr); });
}

} // namespace

void bind_cluster(nb::module_ &m)
{
    m.def("dbscan", &dbscan, "where"_a, "points"_a, "eps"_a, "min_samples"_a, "metric"_a, "p"_a, "periods"_a.none(),
          "weights"_a.none(), "labels"_a, "core"_a);
    m.def("hdbscan_linkage", &hdbscan_linkage, "where"_a, "points"_a, "min_samples"_a, "z"_a);
    m.def("hdbscan_select", &hdbscan_select, "where"_a, "z"_a, "n"_a, "min_cluster_size"_a, "leaf"_a, "epsilon"_a,
          "max_cluster_size"_a, "allow_single_cluster"_a, "labels"_a, "probabilities"_a.none(),
          "outlier_scores"_a.none());
    m.def("hdbscan_condense", &hdbscan_condense, "where"_a, "z"_a, "n"_a, "min_cluster_size"_a, "leaf"_a, "epsilon"_a,
          "max_cluster_size"_a, "allow_single_cluster"_a, "leaves"_a, "densities"_a, "clusters"_a);
    m.def("hdbscan_predict", &hdbscan_predict, "where"_a, "points"_a, "min_samples"_a, "epsilon"_a, "leaves"_a,
          "densities"_a, "clusters"_a, "cluster_count"_a, "queries"_a, "labels"_a, "probabilities"_a.none());
    m.def("linkage_cut", &linkage_cut, "where"_a, "z"_a, "n"_a, "distance"_a, "labels"_a);
}
