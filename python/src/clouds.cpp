/* Batches of point clouds.
 * SPDX-License-Identifier: Apache-2.0 */
#include "core.hpp"

namespace
{

using Clouds = Handle<bosc_clouds, bosc_clouds_free>;

bosc_clouds_info info_of(Call &call, Clouds &clouds)
{
    return described<bosc_clouds_info, bosc_clouds_get_info>(call, clouds);
}

void create(Clouds *self, const Where &where, int dtype, int32_t dim)
{
    auto opts = sized<bosc_clouds_opts>();
    opts.dtype = static_cast<bosc_dtype>(dtype);
    opts.dim = dim;
    construct_handle(self, where, [&](bosc_ctx *ctx, bosc_clouds **of) { return bosc_clouds_create(ctx, &opts, of); });
}

nb::dict info(Clouds &clouds, const Where &where)
{
    Reading call(where, clouds);
    const bosc_clouds_info about = info_of(call, clouds);
    nb::dict d;
    d["n"] = about.n;
    d["clouds"] = about.cloud_count;
    d["largest"] = about.largest;
    d["dim"] = about.dim;
    d["bytes"] = about.bytes;
    return d;
}

/* The queries x of clouds that `offsets` separates; None: the points of the batch, each with itself unless excluded. */
bosc_clouds_queries queries_of(const Where &where, const In &x, const In &offsets, bool exclude_self,
                               const bosc_clouds_info &about)
{
    auto q = sized<bosc_clouds_queries>();
    q.exclude_self = exclude_self;
    q.count = about.n;
    if (!x.is_valid()) return q;
    const Rows rows = rows_of(where, x, about.dtype, about.dim, "queries");
    q.points = rows.data;
    q.count = rows.n;
    q.stride = rows.stride;
    q.offsets = typed<int64_t>(where, offsets, BOSC_I64, about.cloud_count + 1, "query_offsets");
    return q;
}

void knn(Clouds &clouds, const Where &where, const In &queries, const In &offsets, bool exclude_self, int64_t k,
         double radius, const Out &ids, const Out &dist2)
{
    Reading call(where, clouds);
    const bosc_clouds_info about = info_of(call, clouds);
    const bosc_clouds_queries q = queries_of(where, queries, offsets, exclude_self, about);
    if (k < 1 || k > INT32_MAX) throw nb::value_error("k: not 1 to 2^31 - 1");
    void *id = room(where, ids, BOSC_I64, q.count * k, "ids");
    void *d = room(where, dist2, about.dtype, q.count * k, "dist2");
    call.run([&](bosc_ctx *ctx) { return bosc_clouds_knn(ctx, clouds.of, &q, k, radius, id, d); });
}

void radius_count(Clouds &clouds, const Where &where, const In &queries, const In &offsets, bool exclude_self,
                  double radius, const Out &counts)
{
    Reading call(where, clouds);
    const bosc_clouds_queries q = queries_of(where, queries, offsets, exclude_self, info_of(call, clouds));
    int64_t *to = typed_room<int64_t>(where, counts, BOSC_I64, q.count, "counts");
    call.run([&](bosc_ctx *ctx) { return bosc_clouds_radius_count(ctx, clouds.of, &q, radius, to); });
}

void radius(Clouds &clouds, const Where &where, const In &queries, const In &offsets, bool exclude_self, double radius,
            const Out &rows, const Out &ids, const Out &dist2)
{
    Reading call(where, clouds);
    const bosc_clouds_info about = info_of(call, clouds);
    const bosc_clouds_queries q = queries_of(where, queries, offsets, exclude_self, about);
    int64_t *starts = typed_room<int64_t>(where, rows, BOSC_I64, q.count + 1, "rows");
    void *id = room(where, ids, BOSC_I64, size_of(ids), "ids");
    void *d = room(where, dist2, about.dtype, size_of(ids), "dist2");
    call.run(
        [&](bosc_ctx *ctx) { return bosc_clouds_radius(ctx, clouds.of, &q, radius, starts, id, d, size_of(ids)); });
}

void sample_farthest(Clouds &clouds, const Where &where, const In &offsets, const In &starts, const Out &ids)
{
    Reading call(where, clouds);
    const bosc_clouds_info about = info_of(call, clouds);
    const int64_t *from = typed<int64_t>(where, offsets, BOSC_I64, about.cloud_count + 1, "offsets");
    const int64_t *first = typed<int64_t>(where, starts, BOSC_I64, about.cloud_count, "starts");
    void *id = room(where, ids, BOSC_I64, size_of(ids), "ids");
    call.run([&](bosc_ctx *ctx) { return bosc_clouds_sample_farthest(ctx, clouds.of, from, size_of(ids), first, id); });
}

/* --- Arrays by address ---------------------------------------------------------------------------------------------
 * Tensors that boscage.torch has checked: without gaps, of the type and at the place of the call. */

/* Builds from n points and the cloud of each; `single`: all are one cloud. count: -1 for as many clouds as the vector
 * has, and as many as `other` has, the vector of the queries. Returns the number of clouds, and the points of the
 * smallest and of the largest one. */
nb::tuple build_at(Clouds &clouds, const Where &where, uintptr_t points, int64_t n, bool single, uintptr_t batch,
                   int64_t count, uintptr_t other, int64_t other_n)
{
    Writing call(where, clouds);
    auto about = sized<bosc_clouds_info>();
    const int64_t offsets[] = {0, n};
    int64_t last = -1;
    call.run([&](bosc_ctx *ctx) {
        auto build = [&](int64_t clouds_of_all) {
            return single ? bosc_clouds_build(ctx, clouds.of, at<void>(points), n, 0, offsets, 1)
                          : bosc_clouds_build_from_batch(ctx, clouds.of, at<void>(points), n, 0, at<int64_t>(batch),
                                                         clouds_of_all);
        };
        bosc_status status = build(count);
        if (!status) status = bosc_clouds_get_info(ctx, clouds.of, &about);
        if (!status && !single && count < 0 && other_n > 0)
            status = bosc_ctx_copy(ctx, &last, at<int64_t>(other) + other_n - 1, sizeof last);
        if (status || last < about.cloud_count || last >= UINT32_MAX - 1) return status;
        status = build(last + 1); // the queries have more clouds than the points
        return status ? status : bosc_clouds_get_info(ctx, clouds.of, &about);
    });
    return nb::make_tuple(about.cloud_count, about.smallest, about.largest);
}

/* Queries at an address and the cloud of each, or none if there is one cloud. n = -1: the points of the batch. */
struct QueriesAt {
    int64_t offsets[2];
    bosc_clouds_queries q;
    QueriesAt(uintptr_t points, int64_t n, uintptr_t batch, bool exclude_self, const bosc_clouds_info &about)
        : offsets{0, n}, q(sized<bosc_clouds_queries>())
    {
        q.exclude_self = exclude_self;
        q.count = n;
        if (n < 0) return;
        if (!batch && about.cloud_count != 1) throw nb::value_error("queries: the clouds of the queries are needed");
        q.points = at<void>(points);
        q.batch = at<int64_t>(batch);
        if (!batch) q.offsets = offsets;
    }
    QueriesAt(const QueriesAt &) = delete;
    QueriesAt &operator=(const QueriesAt &) = delete;
};

void knn_at(Clouds &clouds, const Where &where, uintptr_t queries, int64_t n, uintptr_t batch, bool exclude_self,
            int64_t k, double radius, uintptr_t ids)
{
    Reading call(where, clouds);
    const QueriesAt of(queries, n, batch, exclude_self, info_of(call, clouds));
    call.run([&](bosc_ctx *ctx) { return bosc_clouds_knn(ctx, clouds.of, &of.q, k, radius, at<void>(ids), nullptr); });
}

/* Edges to the k nearest, in an array for 2 x k numbers a query. */
void knn_edges_at(Clouds &clouds, const Where &where, uintptr_t queries, int64_t n, uintptr_t batch, bool exclude_self,
                  int64_t k, double radius, bool ids_first, uintptr_t to)
{
    Reading call(where, clouds);
    const QueriesAt of(queries, n, batch, exclude_self, info_of(call, clouds));
    call.run([&](bosc_ctx *ctx) {
        return bosc_clouds_knn_edges(ctx, clouds.of, &of.q, k, radius, at<int64_t>(to), ids_first);
    });
}

/* Edges within the radius, in an array for 2 x capacity numbers. Returns their number, and the most of one query. None
 * is written if there are more than capacity, or a query has more than `most`. */
nb::tuple edges_at(Clouds &clouds, const Where &where, uintptr_t queries, int64_t n, uintptr_t batch, bool exclude_self,
                   double radius, int64_t most, bool ids_first, uintptr_t to, int64_t capacity)
{
    Reading call(where, clouds);
    const QueriesAt of(queries, n, batch, exclude_self, info_of(call, clouds));
    auto edges = sized<bosc_clouds_edges>();
    edges.edges = at<int64_t>(to);
    edges.capacity = capacity;
    edges.max_edges = most;
    edges.ids_first = ids_first;
    call.run([&](bosc_ctx *ctx) { return bosc_clouds_radius_edges(ctx, clouds.of, &of.q, radius, &edges); });
    return nb::make_tuple(edges.total, edges.longest);
}

/* draws: an address, of the host or the device. Returns the number of samples. */
int64_t sample_ratio_at(Clouds &clouds, const Where &where, double ratio, uintptr_t draws, uintptr_t ids,
                        int64_t capacity)
{
    Reading call(where, clouds);
    int64_t count = 0;
    call.run([&](bosc_ctx *ctx) {
        return bosc_clouds_sample_ratio(ctx, clouds.of, ratio, at<double>(draws), nullptr, at<void>(ids), capacity,
                                        &count);
    });
    return count;
}

} // namespace

void bind_clouds(nb::module_ &m)
{
    nb::class_<Clouds, Lock>(m, "Clouds")
        .def("__init__", &create, "where"_a, "dtype"_a, "dim"_a)
        .def("info", &info, "where"_a)
        .def("build", &build_batch<bosc_clouds_info, bosc_clouds_get_info, bosc_clouds_build, Clouds>, "where"_a,
             "points"_a, "offsets"_a)
        .def("knn", &knn, "where"_a, "queries"_a.none(), "query_offsets"_a.none(), "exclude_self"_a, "k"_a, "radius"_a,
             "ids"_a, "dist2"_a.none())
        .def("radius_count", &radius_count, "where"_a, "queries"_a.none(), "query_offsets"_a.none(), "exclude_self"_a,
             "radius"_a, "counts"_a)
        .def("radius", &radius, "where"_a, "queries"_a.none(), "query_offsets"_a.none(), "exclude_self"_a, "radius"_a,
             "rows"_a, "ids"_a.none(), "dist2"_a.none())
        .def("sample_farthest", &sample_farthest, "where"_a, "offsets"_a, "starts"_a.none(), "ids"_a)
        .def("build_at", &build_at, "where"_a, "points"_a, "n"_a, "single"_a, "batch"_a, "count"_a, "other"_a,
             "other_n"_a)
        .def("knn_at", &knn_at, "where"_a, "queries"_a, "n"_a, "batch"_a, "exclude_self"_a, "k"_a, "radius"_a, "ids"_a)
        .def("knn_edges_at", &knn_edges_at, "where"_a, "queries"_a, "n"_a, "batch"_a, "exclude_self"_a, "k"_a,
             "radius"_a, "ids_first"_a, "to"_a)
        .def("edges_at", &edges_at, "where"_a, "queries"_a, "n"_a, "batch"_a, "exclude_self"_a, "radius"_a, "most"_a,
             "ids_first"_a, "to"_a, "capacity"_a)
        .def("sample_ratio_at", &sample_ratio_at, "where"_a, "ratio"_a, "draws"_a, "ids"_a, "capacity"_a);
}
