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
        .def("sample_farthest", &sample_farthest, "where"_a, "offsets"_a, "starts"_a.none(), "ids"_a);
}
