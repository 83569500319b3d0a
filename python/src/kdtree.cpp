/* k-d trees.
 * SPDX-License-Identifier: Apache-2.0 */
#include "core.hpp"

#include <cmath>

namespace
{

bosc_kdtree_info info_of(Call &call, KDTree &tree)
{
    return described<bosc_kdtree_info, bosc_kdtree_get_info>(call, tree);
}

void create(KDTree *self, const Where &where, int dtype, int32_t dim, int builder)
{
    auto opts = sized<bosc_kdtree_opts>();
    opts.dtype = static_cast<bosc_dtype>(dtype);
    opts.dim = dim;
    opts.builder = static_cast<bosc_kdtree_builder>(builder);
    construct_handle(self, where, [&](bosc_ctx *ctx, bosc_kdtree **of) { return bosc_kdtree_create(ctx, &opts, of); });
}

nb::dict info(KDTree &tree, const Where &where)
{
    Reading call(where, tree);
    bosc_kdtree_info about = info_of(call, tree);
    nb::dict d;
    d["n"] = about.n;
    d["dim"] = about.dim;
    d["depth"] = about.depth;
    d["dtype"] = static_cast<int>(about.dtype);
    d["bytes"] = about.bytes;
    return d;
}

void build_tree(KDTree &tree, const Where &where, const In &points)
{
    Writing call(where, tree);
    bosc_kdtree_info about = info_of(call, tree);
    Rows rows = rows_of(where, points, about.dtype, about.dim, "data");
    call.run_or_clear([&](bosc_ctx *ctx) { return bosc_kdtree_build(ctx, tree.of, rows.data, rows.n, rows.stride); },
                      [&](bosc_ctx *ctx) { return bosc_kdtree_build(ctx, tree.of, nullptr, 0, 0); });
}

void get_nodes(KDTree &tree, const Where &where, const Out &points, const Out &ids)
{
    Reading call(where, tree);
    bosc_kdtree_info about = info_of(call, tree);
    void *to = room(where, points, about.dtype, about.nodes * about.dim, "points");
    void *id = room(where, ids, BOSC_I64, about.nodes, "ids");
    call.run([&](bosc_ctx *ctx) { return bosc_kdtree_get_nodes(ctx, tree.of, to, id); });
}

void verify(KDTree &tree, const Where &where)
{
    Reading call(where, tree);
    call.run([&](bosc_ctx *ctx) { return bosc_kdtree_verify(ctx, tree.of, nullptr); });
}

void knn_self(KDTree &tree, const Where &where, int64_t k, const Out &ids, const Out &dist2)
{
    Reading call(where, tree);
    bosc_kdtree_info about = info_of(call, tree);
    void *id = room(where, ids, BOSC_I64, about.n * k, "ids");
    void *d = room(where, dist2, distance_type(about.dtype), about.n * k, "dist2");
    call.run([&](bosc_ctx *ctx) { return bosc_kdtree_knn_self(ctx, tree.of, k, id, d); });
}

/* The options shared by the query methods, and the memory they point to. */
struct Query {
    bosc_kdtree_query_opts opts = sized<bosc_kdtree_query_opts>();
    Query(const Where &where, const bosc_kdtree_info &about, double p, double epsilon, const In &periods)
    {
        opts.p = p;
        opts.epsilon = epsilon;
        opts.periods = typed<double>(where, periods, BOSC_F64, about.dim, "boxsize");
    }
};

/* A call that reads a tree and perhaps a second one. */
class ReadingBoth : public Call
{
  public:
    ReadingBoth(const Where &where, KDTree &tree, KDTree *other) : Call(where), hold(tree, other ? *other : tree) {}

  private:
    HoldBoth hold;
};

/* None: the points of the build. */
Rows queries_of(const Where &where, const In &queries, const bosc_kdtree_info &about, Query *query)
{
    if (queries.is_valid()) return rows_of(where, queries, about.dtype, about.dim, "x");
    query->opts.self = 1;
    return {nullptr, about.n, about.dim, 0};
}

void query_knn(KDTree &tree, const Where &where, const In &queries, int64_t k, double p, double epsilon,
               const In &periods, const In &bounds, bool exclude_self, const Out &ids, const Out &distances)
{
    Reading call(where, tree);
    bosc_kdtree_info about = info_of(call, tree);
    Query query(where, about, p, epsilon, periods);
    Rows rows = queries_of(where, queries, about, &query);
    query.opts.bounds = typed<double>(where, bounds, BOSC_F64, size_of(bounds), "distance_upper_bound");
    query.opts.bound_count = size_of(bounds);
    query.opts.exclude_self = exclude_self;
    void *id = room(where, ids, BOSC_I64, rows.n * k, "ids");
    double *d = typed_room<double>(where, distances, BOSC_F64, rows.n * k, "distances");
    call.run([&](bosc_ctx *ctx) {
        return bosc_kdtree_knn_metric(ctx, tree.of, rows.data, rows.n, rows.stride, k, &query.opts, id, d);
    });
}

/* Squared distances of the tree's type: the fastest way for float. */
void knn(KDTree &tree, const Where &where, const In &queries, int64_t k, double radius, const Out &ids,
         const Out &dist2)
{
    Reading call(where, tree);
    bosc_kdtree_info about = info_of(call, tree);
    Rows rows = rows_of(where, queries, about.dtype, about.dim, "x");
    void *id = room(where, ids, BOSC_I64, rows.n * k, "ids");
    void *d = room(where, dist2, distance_type(about.dtype), rows.n * k, "dist2");
    call.run([&](bosc_ctx *ctx) {
        return radius < HUGE_VAL
                   ? bosc_kdtree_knn_within(ctx, tree.of, rows.data, rows.n, rows.stride, k, radius, id, d)
                   : bosc_kdtree_knn(ctx, tree.of, rows.data, rows.n, rows.stride, k, id, d);
    });
}

void query_radius(KDTree &tree, const Where &where, const In &queries, const In &radii, double p, double epsilon,
                  const In &periods, bool exclude_self, const Out &offsets, const Out &ids, const Out &distances)
{
    Reading call(where, tree);
    bosc_kdtree_info about = info_of(call, tree);
    Query query(where, about, p, epsilon, periods);
    Rows rows = queries_of(where, queries, about, &query);
    query.opts.exclude_self = exclude_self;
    const double *r = typed<double>(where, radii, BOSC_F64, size_of(radii), "r");
    int64_t *starts = typed_room<int64_t>(where, offsets, BOSC_I64, rows.n + 1, "offsets");
    void *id = room(where, ids, BOSC_I64, size_of(ids), "ids");
    double *d = typed_room<double>(where, distances, BOSC_F64, size_of(ids), "distances");
    call.run([&](bosc_ctx *ctx) {
        return bosc_kdtree_radius_metric(ctx, tree.of, rows.data, rows.n, rows.stride, r, size_of(radii), &query.opts,
                                         starts, id, d, size_of(ids));
    });
}

nb::object radius_lists(KDTree &tree, const Where &where, const In &queries, const In &radii, double p, double epsilon,
                        const In &periods)
{
    Reading call(where, tree);
    bosc_kdtree_info about = info_of(call, tree);
    Query query(where, about, p, epsilon, periods);
    Rows rows = rows_of(where, queries, about.dtype, about.dim, "x");
    const double *r = typed<double>(where, radii, BOSC_F64, size_of(radii), "r");
    return list_rows(FoundRows(call, rows.n, [&](bosc_ctx *ctx, int64_t *offsets, int64_t *ids, int64_t capacity) {
        return bosc_kdtree_radius_metric(ctx, tree.of, rows.data, rows.n, rows.stride, r, size_of(radii), &query.opts,
                                         offsets, ids, nullptr, capacity);
    }));
}

void query_radius_count(KDTree &tree, const Where &where, const In &queries, const In &radii, double p, double epsilon,
                        const In &periods, bool exclude_self, const Out &counts)
{
    Reading call(where, tree);
    bosc_kdtree_info about = info_of(call, tree);
    Query query(where, about, p, epsilon, periods);
    Rows rows = queries_of(where, queries, about, &query);
    query.opts.exclude_self = exclude_self;
    const double *r = typed<double>(where, radii, BOSC_F64, size_of(radii), "r");
    int64_t *to = typed_room<int64_t>(where, counts, BOSC_I64, rows.n, "counts");
    call.run([&](bosc_ctx *ctx) {
        return bosc_kdtree_radius_count_metric(ctx, tree.of, rows.data, rows.n, rows.stride, r, size_of(radii),
                                               &query.opts, to);
    });
}

void pairs(KDTree &tree, const Where &where, KDTree *other, double radius, double p, double epsilon, const In &periods,
           const Out &offsets, const Out &ids, const Out &distances)
{
    ReadingBoth call(where, tree, other);
    bosc_kdtree_info about = info_of(call, tree);
    Query query(where, about, p, epsilon, periods);
    int64_t *starts = typed_room<int64_t>(where, offsets, BOSC_I64, about.n + 1, "offsets");
    void *id = room(where, ids, BOSC_I64, size_of(ids), "ids");
    double *d = typed_room<double>(where, distances, BOSC_F64, size_of(ids), "distances");
    call.run([&](bosc_ctx *ctx) {
        return bosc_kdtree_pairs(ctx, tree.of, other ? other->of : nullptr, radius, &query.opts, starts, id, d,
                                 size_of(ids));
    });
}

/* The pairs of a tree, or of two, as CSR rows. */
FoundRows rows_of_pairs(Call &call, const Where &where, KDTree &tree, KDTree *other, double radius, double p,
                        double epsilon, const In &periods)
{
    bosc_kdtree_info about = info_of(call, tree);
    Query query(where, about, p, epsilon, periods);
    return FoundRows(call, about.n, [&](bosc_ctx *ctx, int64_t *offsets, int64_t *ids, int64_t capacity) {
        return bosc_kdtree_pairs(ctx, tree.of, other ? other->of : nullptr, radius, &query.opts, offsets, ids, nullptr,
                                 capacity);
    });
}

nb::object pair_lists(KDTree &tree, const Where &where, KDTree *other, double radius, double p, double epsilon,
                      const In &periods)
{
    ReadingBoth call(where, tree, other);
    return list_rows(rows_of_pairs(call, where, tree, other, radius, p, epsilon, periods));
}

nb::object pair_set(KDTree &tree, const Where &where, double radius, double p, double epsilon, const In &periods)
{
    Reading call(where, tree);
    return set_of_pairs(rows_of_pairs(call, where, tree, nullptr, radius, p, epsilon, periods));
}

/* Returns the number of pairs, which are written if the array has as many rows or more. */
int64_t pair_array(KDTree &tree, const Where &where, double radius, double p, double epsilon, const In &periods,
                   const Out &pairs)
{
    Reading call(where, tree);
    const FoundRows rows = rows_of_pairs(call, where, tree, nullptr, radius, p, epsilon, periods);
    int64_t *to = typed_room<int64_t>(where, pairs, BOSC_I64, size_of(pairs), "pairs");
    const int64_t count = rows.offsets[rows.count];
    if (2 * count <= size_of(pairs)) write_pairs(rows, to);
    return count;
}

void count_pairs(KDTree &tree, const Where &where, KDTree &other, const In &radii, double p, const In &periods,
                 const In &weights, const In &other_weights, bool cumulative, const Out &counts, const Out &sums)
{
    ReadingBoth call(where, tree, &other);
    bosc_kdtree_info about = info_of(call, tree), others = info_of(call, other);
    Query query(where, about, p, 0, periods);
    const double *r = typed<double>(where, radii, BOSC_F64, size_of(radii), "r");
    const double *w = typed<double>(where, weights, BOSC_F64, about.n, "weights");
    const double *v = typed<double>(where, other_weights, BOSC_F64, others.n, "weights");
    int64_t *to = typed_room<int64_t>(where, counts, BOSC_I64, size_of(radii), "counts");
    double *sum = typed_room<double>(where, sums, BOSC_F64, size_of(radii), "sums");
    call.run([&](bosc_ctx *ctx) {
        return bosc_kdtree_count_pairs(ctx, tree.of, other.of, r, size_of(radii), &query.opts, w, v, cumulative, to,
                                       sum);
    });
}

void box(KDTree &tree, const Where &where, const In &boxes, const Out &offsets, const Out &ids)
{
    Reading call(where, tree);
    bosc_kdtree_info about = info_of(call, tree);
    int64_t count = size_of(offsets) - 1;
    const void *corners = elements(where, boxes, about.dtype, 2 * about.dim * count, "boxes");
    int64_t *starts = typed_room<int64_t>(where, offsets, BOSC_I64, count + 1, "offsets");
    void *id = room(where, ids, BOSC_I64, size_of(ids), "ids");
    call.run([&](bosc_ctx *ctx) { return bosc_kdtree_box(ctx, tree.of, corners, count, starts, id, size_of(ids)); });
}

} // namespace

void bind_kdtree(nb::module_ &m)
{
    /* Handles, nearest neighbours and balls; then pairs. */
    nb::class_<KDTree, Lock>(m, "KDTree")
        .def("__init__", &create, "where"_a, "dtype"_a, "dim"_a, "builder"_a = 0)
        .def("info", &info, "where"_a)
        .def("build", &build_tree, "where"_a, "points"_a)
        .def("get_nodes", &get_nodes, "where"_a, "points"_a.none(), "ids"_a.none())
        .def("verify", &verify, "where"_a)
        .def("knn_self", &knn_self, "where"_a, "k"_a, "ids"_a, "dist2"_a.none())
        .def("box", &box, "where"_a, "boxes"_a, "offsets"_a, "ids"_a.none())
        .def("save", &saved<KDTree, bosc_kdtree_write>, "where"_a)
        .def("query_knn", &query_knn, "where"_a, "queries"_a.none(), "k"_a, "p"_a, "epsilon"_a, "periods"_a.none(),
             "bounds"_a.none(), "exclude_self"_a, "ids"_a, "distances"_a.none())
        .def("knn", &knn, "where"_a, "queries"_a, "k"_a, "radius"_a, "ids"_a, "dist2"_a.none())
        .def("query_radius", &query_radius, "where"_a, "queries"_a.none(), "radii"_a, "p"_a, "epsilon"_a,
             "periods"_a.none(), "exclude_self"_a, "offsets"_a, "ids"_a.none(), "distances"_a.none())
        .def("query_radius_count", &query_radius_count, "where"_a, "queries"_a.none(), "radii"_a, "p"_a, "epsilon"_a,
             "periods"_a.none(), "exclude_self"_a, "counts"_a)
        .def("pairs", &pairs, "where"_a, "other"_a.none(), "radius"_a, "p"_a, "epsilon"_a, "periods"_a.none(),
             "offsets"_a, "ids"_a.none(), "distances"_a.none())
        .def("pair_lists", &pair_lists, "where"_a, "other"_a.none(), "radius"_a, "p"_a, "epsilon"_a, "periods"_a.none())
        .def("pair_set", &pair_set, "where"_a, "radius"_a, "p"_a, "epsilon"_a, "periods"_a.none())
        .def("pair_array", &pair_array, "where"_a, "radius"_a, "p"_a, "epsilon"_a, "periods"_a.none(), "pairs"_a)
        .def("radius_lists", &radius_lists, "where"_a, "queries"_a, "radii"_a, "p"_a, "epsilon"_a, "periods"_a.none())
        .def("count_pairs", &count_pairs, "where"_a, "other"_a, "radii"_a, "p"_a, "periods"_a.none(),
             "weights"_a.none(), "other_weights"_a.none(), "cumulative"_a, "counts"_a.none(), "sums"_a.none())
        .def_static("load", &loaded<KDTree, bosc_kdtree_read>);
}
