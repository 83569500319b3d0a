/* Clusters of points.
 * SPDX-License-Identifier: Apache-2.0 */
#include "core.hpp"

namespace
{

void dbscan(const Where &where, const In &points, double eps, int64_t min_samples, int metric, double p,
            const In &periods, const In &weights, const Out &labels, const Out &core)
{
    auto opts = sized<bosc_dbscan_opts>();
    const Rows rows = described_rows(where, points, "X", opts);
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

void hdbscan_linkage(const Where &where, const In &points, int metric, double p, int64_t min_samples, const Out &z)
{
    auto opts = sized<bosc_hdbscan_opts>();
    opts.metric = static_cast<bosc_cluster_metric>(metric);
    opts.p = p;
    opts.min_samples = min_samples;
    const Rows rows = described_rows(where, points, "X", opts);
    double *to = typed_room<double>(where, z, BOSC_F64, rows.n > 0 ? 4 * (rows.n - 1) : 0, "z");
    Call(where).run(
        [&](bosc_ctx *ctx) { return bosc_hdbscan_compute_linkage(ctx, rows.data, rows.n, rows.stride, &opts, to); });
}

void hdbscan_select(const Where &where, const In &z, int64_t n, int64_t min_cluster_size, bool leaf, double epsilon,
                    int64_t max_cluster_size, bool allow_single_cluster, const Out &labels, const Out &probabilities,
                    const Out &outlier_scores)
{
    HdbscanOptions s(min_cluster_size, leaf, epsilon, max_cluster_size, allow_single_cluster);
    const double *from = typed<double>(where, z, BOSC_F64, n > 0 ? 4 * (n - 1) : 0, "z");
    void *to = room(where, labels, BOSC_I64, n, "labels");
    double *p = typed_room<double>(where, probabilities, BOSC_F64, n, "probabilities");
    double *scores = typed_room<double>(where, outlier_scores, BOSC_F64, n, "outlier_scores");
    Call(where).run([&](bosc_ctx *ctx) { return bosc_hdbscan_select(ctx, from, n, &s.opts, to, p, scores, nullptr); });
}

/* --- Saved clusterings -------------------------------------------------------------------------------------------- */

using Clustering = Handle<bosc_hdbscan, bosc_hdbscan_free>;

void create_clustering(Clustering *self, const Where &where, const In &points, int64_t min_samples,
                       int64_t min_cluster_size, bool leaf, double epsilon, int64_t max_cluster_size,
                       bool allow_single_cluster)
{
    HdbscanOptions s(min_cluster_size, leaf, epsilon, max_cluster_size, allow_single_cluster);
    s.opts.min_samples = min_samples;
    const Rows rows = described_rows(where, points, "X", s.opts);
    construct_handle(self, where, [&](bosc_ctx *ctx, bosc_hdbscan **of) {
        return bosc_hdbscan_create(ctx, rows.data, rows.n, rows.stride, &s.opts, of);
    });
}

/* The parts of a clustering, with the description of its tree. */
struct Parts {
    bosc_hdbscan_model model = sized<bosc_hdbscan_model>();
    bosc_hdbscan_opts opts = sized<bosc_hdbscan_opts>();
    bosc_kdtree_info info = sized<bosc_kdtree_info>();
    const double *z = nullptr;
    Parts(Call &call, Clustering &c)
    {
        call.run([&](bosc_ctx *ctx) {
            const bosc_status status = bosc_hdbscan_get_model(ctx, c.of, &model, &opts, nullptr, &z);
            return status == BOSC_OK ? bosc_kdtree_get_info(ctx, model.tree, &info) : status;
        });
    }
};

/* Rows, coordinates, min_samples, and the options of a selection in the order of hdbscan_select. */
nb::tuple describe_clustering(Clustering &c, const Where &where)
{
    Reading call(where, c);
    const Parts p(call, c);
    return nb::make_tuple(p.info.n, p.info.dim, static_cast<int>(p.info.dtype), p.opts.min_samples,
                          p.opts.min_cluster_size, p.opts.selection == BOSC_HDBSCAN_LEAF, p.opts.epsilon,
                          p.opts.max_cluster_size, p.opts.allow_single_cluster != 0);
}

/* Writes the points in the order of the tree, their rows, and the dendrogram. */
void fetch_clustering(Clustering &c, const Where &where, const Out &points, const Out &rows, const Out &z)
{
    Reading call(where, c);
    const Parts p(call, c);
    void *to = room(where, points, p.info.dtype, p.info.n * p.info.dim, "points");
    void *ids = item_room(where, rows, static_cast<size_t>(p.info.id_bits) / 8, p.info.n, "rows");
    double *merges = typed_room<double>(where, z, BOSC_F64, p.info.n > 0 ? 4 * (p.info.n - 1) : 0, "z");
    call.run([&](bosc_ctx *ctx) {
        bosc_status status = bosc_kdtree_get_nodes(ctx, p.model.tree, to, ids);
        if (status != BOSC_OK || p.info.n < 2) return status;
        status = bosc_ctx_copy(ctx, merges, p.z, 4 * static_cast<size_t>(p.info.n - 1) * sizeof *merges);
        return status == BOSC_OK ? bosc_ctx_sync(ctx) : status;
    });
}

/* Writes the condensed tree, and returns the number of its clusters. */
int64_t hdbscan_condense(const Where &where, const In &z, int64_t n, int64_t min_cluster_size, bool leaf,
                         double epsilon, int64_t max_cluster_size, bool allow_single_cluster, const Out &leaves,
                         const Out &densities, const Out &clusters)
{
    HdbscanOptions s(min_cluster_size, leaf, epsilon, max_cluster_size, allow_single_cluster);
    const double *from = typed<double>(where, z, BOSC_F64, n > 0 ? 4 * (n - 1) : 0, "z");
    int64_t most = min_cluster_size < 2 ? 1 : 2 * (n / min_cluster_size) - 1;
    auto *to = typed_room<int64_t>(where, leaves, BOSC_I64, n, "leaves");
    double *d = typed_room<double>(where, densities, BOSC_F64, n, "densities");
    auto *c = static_cast<bosc_hdbscan_cluster *>(
        item_room(where, clusters, sizeof(bosc_hdbscan_cluster), most < 1 ? 1 : most, "clusters"));
    auto info = sized<bosc_hdbscan_info>();
    Call(where).run([&](bosc_ctx *ctx) { return bosc_hdbscan_condense(ctx, from, n, &s.opts, to, d, c, &info); });
    return info.condensed;
}

/* A condensed tree of points, and the tree that is built of them. */
struct Model {
    Rows rows;
    bosc_kdtree_opts tree = sized<bosc_kdtree_opts>();
    bosc_hdbscan_model model = sized<bosc_hdbscan_model>();
    Model(const Where &where, const In &points, const In &leaves, const In &densities, const In &clusters,
          int64_t cluster_count)
    {
        tree.dtype = dtype_of(points, "X");
        rows = rows_of(where, points, tree.dtype, -1, "X");
        tree.dim = static_cast<int32_t>(rows.dim);
        model.leaves = typed<int64_t>(where, leaves, BOSC_I64, rows.n, "leaves");
        model.densities = typed<double>(where, densities, BOSC_F64, rows.n, "densities");
        model.clusters = static_cast<const bosc_hdbscan_cluster *>(
            items(where, clusters, sizeof(bosc_hdbscan_cluster), cluster_count, "clusters"));
        model.cluster_count = cluster_count;
    }
    /* Builds the tree, and calls use(ctx). */
    template <class F> void run(const Where &where, F &&use)
    {
        Call(where).run([&](bosc_ctx *ctx) {
            bosc_kdtree *built = nullptr;
            bosc_status status = bosc_kdtree_create(ctx, &tree, &built);
            if (!status) status = bosc_kdtree_build(ctx, built, rows.data, rows.n, rows.stride);
            model.tree = built;
            if (!status) status = use(ctx);
            bosc_kdtree_free(built);
            return status;
        });
    }
};

/* Predicts the clusters of queries in the condensed tree of points. */
void hdbscan_predict(const Where &where, const In &points, int64_t min_samples, double epsilon, const In &leaves,
                     const In &densities, const In &clusters, int64_t cluster_count, const In &queries,
                     const Out &labels, const Out &probabilities)
{
    Model m(where, points, leaves, densities, clusters, cluster_count);
    Rows from = rows_of(where, queries, m.tree.dtype, m.rows.dim, "points");
    auto opts = sized<bosc_hdbscan_opts>();
    opts.min_samples = min_samples;
    opts.epsilon = epsilon;
    void *to = room(where, labels, BOSC_I64, from.n, "labels");
    double *p = typed_room<double>(where, probabilities, BOSC_F64, from.n, "probabilities");
    m.run(where, [&](bosc_ctx *ctx) {
        return bosc_hdbscan_predict(ctx, &m.model, &opts, from.data, from.n, from.stride, to, p);
    });
}

/* Writes the memberships of the points. */
void hdbscan_memberships(const Where &where, const In &points, const In &leaves, const In &densities,
                         const In &clusters, int64_t cluster_count, int64_t labels, const Out &memberships)
{
    Model m(where, points, leaves, densities, clusters, cluster_count);
    double *to = typed_room<double>(where, memberships, BOSC_F64, labels < 0 ? 0 : m.rows.n * labels, "memberships");
    m.run(where, [&](bosc_ctx *ctx) { return bosc_hdbscan_compute_memberships(ctx, &m.model, labels, to); });
}

/* Writes the memberships of new points. */
void hdbscan_predict_memberships(const Where &where, const In &points, int64_t min_samples, const In &leaves,
                                 const In &densities, const In &clusters, int64_t cluster_count, const In &queries,
                                 int64_t labels, const Out &memberships)
{
    Model m(where, points, leaves, densities, clusters, cluster_count);
    Rows from = rows_of(where, queries, m.tree.dtype, m.rows.dim, "points");
    double *to = typed_room<double>(where, memberships, BOSC_F64, labels < 0 ? 0 : from.n * labels, "memberships");
    auto opts = sized<bosc_hdbscan_opts>();
    opts.min_samples = min_samples;
    m.run(where, [&](bosc_ctx *ctx) {
        return bosc_hdbscan_predict_memberships(ctx, &m.model, &opts, from.data, from.n, from.stride, labels, to);
    });
}

/* Labelled points. */
struct Labelled {
    bosc_cluster_opts opts = sized<bosc_cluster_opts>();
    Rows rows;
    const int64_t *labels;
    Labelled(const Where &where, const In &points, const In &of)
    {
        rows = described_rows(where, points, "X", opts);
        labels = typed<int64_t>(where, of, BOSC_I64, rows.n, "labels");
    }
};

void cluster_centers(const Where &where, const In &points, const In &labels, const In &weights, int64_t clusters,
                     const Out &centroids, const Out &medoids)
{
    Labelled l(where, points, labels);
    const int64_t count = clusters < 0 ? 0 : clusters;
    const double *w = typed<double>(where, weights, BOSC_F64, l.rows.n, "weights");
    double *means = typed_room<double>(where, centroids, BOSC_F64, count * l.rows.dim, "centroids");
    auto *rows = typed_room<int64_t>(where, medoids, BOSC_I64, count, "medoids");
    Call(where).run([&](bosc_ctx *ctx) {
        return bosc_cluster_compute_centers(ctx, l.rows.data, l.rows.n, l.rows.stride, &l.opts, l.labels, w, clusters,
                                            means, rows);
    });
}

/* Writes the scores of the clusters, and returns their mean by points. */
double cluster_validity(const Where &where, const In &points, const In &labels, int64_t clusters, bool raw_distances,
                        const Out &scores)
{
    Labelled l(where, points, labels);
    double *to = typed_room<double>(where, scores, BOSC_F64, clusters < 0 ? 0 : clusters, "scores"), index = 0;
    l.opts.raw_distances = raw_distances;
    Call(where).run([&](bosc_ctx *ctx) {
        return bosc_cluster_compute_validity(ctx, l.rows.data, l.rows.n, l.rows.stride, &l.opts, l.labels, clusters, to,
                                             &index);
    });
    return index;
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
    /* Saved clusterings. */
    nb::class_<Clustering, Lock>(m, "Clustering")
        .def("__init__", &create_clustering, "where"_a, "points"_a, "min_samples"_a, "min_cluster_size"_a, "leaf"_a,
             "epsilon"_a, "max_cluster_size"_a, "allow_single_cluster"_a)
        .def("describe", &describe_clustering, "where"_a)
        .def("fetch", &fetch_clustering, "where"_a, "points"_a, "rows"_a, "z"_a)
        .def("save", &saved<Clustering, bosc_hdbscan_write>, "where"_a)
        .def_static("load", &loaded<Clustering, bosc_hdbscan_read>, "where"_a, "data"_a);
    /* Dendrograms and selections. */
    m.def("hdbscan_linkage", &hdbscan_linkage, "where"_a, "points"_a, "metric"_a, "p"_a, "min_samples"_a, "z"_a);
    m.def("hdbscan_select", &hdbscan_select, "where"_a, "z"_a, "n"_a, "min_cluster_size"_a, "leaf"_a, "epsilon"_a,
          "max_cluster_size"_a, "allow_single_cluster"_a, "labels"_a, "probabilities"_a.none(),
          "outlier_scores"_a.none());
    m.def("hdbscan_condense", &hdbscan_condense, "where"_a, "z"_a, "n"_a, "min_cluster_size"_a, "leaf"_a, "epsilon"_a,
          "max_cluster_size"_a, "allow_single_cluster"_a, "leaves"_a, "densities"_a, "clusters"_a);
    m.def("hdbscan_predict", &hdbscan_predict, "where"_a, "points"_a, "min_samples"_a, "epsilon"_a, "leaves"_a,
          "densities"_a, "clusters"_a, "cluster_count"_a, "queries"_a, "labels"_a, "probabilities"_a.none());
    m.def("hdbscan_memberships", &hdbscan_memberships, "where"_a, "points"_a, "leaves"_a, "densities"_a, "clusters"_a,
          "cluster_count"_a, "labels"_a, "memberships"_a);
    m.def("hdbscan_predict_memberships", &hdbscan_predict_memberships, "where"_a, "points"_a, "min_samples"_a,
          "leaves"_a, "densities"_a, "clusters"_a, "cluster_count"_a, "queries"_a, "labels"_a, "memberships"_a);
    m.def("cluster_centers", &cluster_centers, "where"_a, "points"_a, "labels"_a, "weights"_a.none(), "clusters"_a,
          "centroids"_a.none(), "medoids"_a.none());
    m.def("cluster_validity", &cluster_validity, "where"_a, "points"_a, "labels"_a, "clusters"_a, "raw_distances"_a,
          "scores"_a);
    m.def("linkage_cut", &linkage_cut, "where"_a, "z"_a, "n"_a, "distance"_a, "labels"_a);
}
