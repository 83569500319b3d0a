/* Voxelisation of batches of point clouds.
 * SPDX-License-Identifier: Apache-2.0 */
#include "core.hpp"

namespace
{

using Voxels = Handle<bosc_voxels, bosc_voxels_free>;

bosc_voxels_info info_of(Call &call, Voxels &voxels)
{
    return described<bosc_voxels_info, bosc_voxels_get_info>(call, voxels);
}

/* The three numbers of a tuple. */
template <class T> void set_axes(T to[3], const std::tuple<T, T, T> &from)
{
    to[0] = std::get<0>(from);
    to[1] = std::get<1>(from);
    to[2] = std::get<2>(from);
}

using Reals = std::tuple<double, double, double>;
using Integers = std::tuple<int64_t, int64_t, int64_t>;

void create(Voxels *self, const Where &where, int dtype, int32_t dim, const Reals &cell, const Reals &low,
            const Integers &shape, int64_t max_points, int64_t max_voxels)
{
    auto opts = sized<bosc_voxels_opts>();
    opts.dtype = static_cast<bosc_dtype>(dtype);
    opts.dim = dim;
    set_axes(opts.cell, cell);
    set_axes(opts.low, low);
    set_axes(opts.shape, shape);
    opts.max_points = max_points;
    opts.max_voxels = max_voxels;
    construct_handle(self, where, [&](bosc_ctx *ctx, bosc_voxels **of) { return bosc_voxels_create(ctx, &opts, of); });
}

nb::dict info(Voxels &voxels, const Where &where)
{
    Reading call(where, voxels);
    const bosc_voxels_info about = info_of(call, voxels);
    nb::dict d;
    d["n"] = about.n;
    d["clouds"] = about.cloud_count;
    d["voxels"] = about.voxel_count;
    d["dim"] = about.dim;
    d["bytes"] = about.bytes;
    return d;
}

void list(Voxels &voxels, const Where &where, const Out &coords, const Out &counts, const Out &firsts,
          const Out &offsets)
{
    Reading call(where, voxels);
    const bosc_voxels_info about = info_of(call, voxels);
    const int64_t v = about.voxel_count;
    int32_t *at = typed_room<int32_t>(where, coords, BOSC_I32, v * about.dim, "coords");
    int64_t *sizes = typed_room<int64_t>(where, counts, BOSC_I64, v, "counts");
    void *ids = room(where, firsts, BOSC_I64, v, "firsts");
    int64_t *starts = typed_room<int64_t>(where, offsets, BOSC_I64, about.cloud_count + 1, "offsets");
    call.run([&](bosc_ctx *ctx) { return bosc_voxels_list(ctx, voxels.of, at, sizes, ids, starts, v); });
}

void inverse(Voxels &voxels, const Where &where, const Out &ids)
{
    Reading call(where, voxels);
    void *to = room(where, ids, BOSC_I64, info_of(call, voxels).n, "ids");
    call.run([&](bosc_ctx *ctx) { return bosc_voxels_inverse(ctx, voxels.of, to); });
}

void members(Voxels &voxels, const Where &where, const Out &offsets, const Out &ids)
{
    Reading call(where, voxels);
    const bosc_voxels_info about = info_of(call, voxels);
    int64_t *starts = typed_room<int64_t>(where, offsets, BOSC_I64, about.voxel_count + 1, "offsets");
    void *to = room(where, ids, BOSC_I64, about.n, "ids");
    call.run([&](bosc_ctx *ctx) { return bosc_voxels_members(ctx, voxels.of, starts, to, about.voxel_count); });
}

/* The features of a build's rows. */
Rows features_of(const Where &where, const In &features, bosc_dtype dtype, int64_t width, const bosc_voxels_info &about)
{
    const Rows rows = rows_of(where, features, dtype, width, "features");
    if (rows.n != about.n) throw nb::value_error("features: not a row a point");
    return rows;
}

void mean(Voxels &voxels, const Where &where, const In &features, int dtype, int64_t width, const Out &means)
{
    Reading call(where, voxels);
    const bosc_voxels_info about = info_of(call, voxels);
    const auto type = static_cast<bosc_dtype>(dtype);
    const Rows rows = features_of(where, features, type, width, about);
    void *to = room(where, means, type, about.voxel_count * width, "means");
    call.run([&](bosc_ctx *ctx) {
        return bosc_voxels_mean(ctx, voxels.of, type, rows.data, width, rows.stride, to, about.voxel_count);
    });
}

void mean_gradient(Voxels &voxels, const Where &where, const In &of_means, int dtype, int64_t width,
                   const Out &of_features)
{
    Reading call(where, voxels);
    const bosc_voxels_info about = info_of(call, voxels);
    const auto type = static_cast<bosc_dtype>(dtype);
    const Rows rows = rows_of(where, of_means, type, width, "of_means");
    if (rows.n != about.voxel_count || (rows.n > 0 && rows.stride != width))
        throw nb::value_error("of_means: not a contiguous row a voxel");
    void *to = room(where, of_features, type, about.n * width, "of_features");
    call.run([&](bosc_ctx *ctx) {
        return bosc_voxels_mean_gradient(ctx, voxels.of, type, rows.data, width, to, about.voxel_count);
    });
}

void nearest(Voxels &voxels, const Where &where, const In &points, const Out &ids)
{
    Reading call(where, voxels);
    const bosc_voxels_info about = info_of(call, voxels);
    const Rows rows = features_of(where, points, about.dtype, about.dim, about);
    void *to = room(where, ids, BOSC_I64, about.voxel_count, "ids");
    call.run([&](bosc_ctx *ctx) {
        return bosc_voxels_nearest(ctx, voxels.of, rows.data, rows.stride, to, about.voxel_count);
    });
}

void pad(Voxels &voxels, const Where &where, const In &features, int dtype, int64_t width, int64_t rows_of_voxel,
         const Out &padded)
{
    Reading call(where, voxels);
    const bosc_voxels_info about = info_of(call, voxels);
    const auto type = static_cast<bosc_dtype>(dtype);
    const Rows rows = features_of(where, features, type, width, about);
    if (rows_of_voxel < 1 || rows_of_voxel > INT32_MAX) throw nb::value_error("rows: not 1 to 2^31 - 1");
    void *to = room(where, padded, type, about.voxel_count * rows_of_voxel * width, "padded");
    call.run([&](bosc_ctx *ctx) {
        return bosc_voxels_pad(ctx, voxels.of, type, rows.data, width, rows.stride, rows_of_voxel, to,
                               about.voxel_count);
    });
}

/* Sets the three numbers of a kernel, which C has in 32 bits. */
void set_kernel(int32_t to[3], const Integers &from, const char *name)
{
    int64_t numbers[3];
    set_axes(numbers, from);
    for (int c = 0; c < 3; c++) {
        if (numbers[c] < 1 || numbers[c] > INT32_MAX) throw nb::value_error(name);
        to[c] = static_cast<int32_t>(numbers[c]);
    }
}

void kernel_map(Voxels &in, const Where &where, Voxels &out, const Integers &shape, const Integers &stride,
                const Integers &dilation, const Out &map)
{
    Call call(where);
    HoldBoth hold(in, out);
    auto kernel = sized<bosc_voxels_kernel>();
    set_kernel(kernel.shape, shape, "shape: not positive");
    set_kernel(kernel.stride, stride, "stride: not positive");
    set_kernel(kernel.dilation, dilation, "dilation: not positive");
    const bosc_voxels_info about = info_of(call, in);
    const int64_t v = info_of(call, out).voxel_count;
    int64_t volume = 1; /* the library refuses shapes from 16 on, before it writes */
    for (int32_t c = 0; c < about.dim; c++) volume *= kernel.shape[c] < 16 ? kernel.shape[c] : 1;
    void *to = room(where, map, BOSC_I64, v * volume, "map");
    call.run([&](bosc_ctx *ctx) { return bosc_voxels_kernel_map(ctx, in.of, out.of, &kernel, to, v); });
}

} // namespace

void bind_voxels(nb::module_ &m)
{
    nb::class_<Voxels, Lock>(m, "Voxels")
        .def("__init__", &create, "where"_a, "dtype"_a, "dim"_a, "cell"_a, "low"_a, "shape"_a, "max_points"_a,
             "max_voxels"_a)
        .def("info", &info, "where"_a)
        .def("build", &build_batch<bosc_voxels_info, bosc_voxels_get_info, bosc_voxels_build, Voxels>, "where"_a,
             "points"_a, "offsets"_a.none())
        .def("list", &list, "where"_a, "coords"_a.none(), "counts"_a.none(), "firsts"_a.none(), "offsets"_a.none())
        .def("inverse", &inverse, "where"_a, "ids"_a)
        .def("members", &members, "where"_a, "offsets"_a, "ids"_a)
        .def("mean", &mean, "where"_a, "features"_a, "dtype"_a, "width"_a, "means"_a)
        .def("mean_gradient", &mean_gradient, "where"_a, "of_means"_a, "dtype"_a, "width"_a, "of_features"_a)
        .def("nearest", &nearest, "where"_a, "points"_a, "ids"_a)
        .def("pad", &pad, "where"_a, "features"_a, "dtype"_a, "width"_a, "rows"_a, "padded"_a)
        .def("kernel_map", &kernel_map, "where"_a, "out"_a, "shape"_a, "stride"_a, "dilation"_a, "map"_a);
}
