/* Voxel grids.
 * SPDX-License-Identifier: Apache-2.0 */
#include "core.hpp"

namespace
{

using Grid = Handle<bosc_voxelgrid, bosc_voxelgrid_free>;

bosc_voxelgrid_info info_of(Call &call, Grid &grid)
{
    return described<bosc_voxelgrid_info, bosc_voxelgrid_get_info>(call, grid);
}

void create(Grid *self, const Where &where, int dtype, int32_t dim, double cell)
{
    auto opts = sized<bosc_voxelgrid_opts>();
    opts.dtype = static_cast<bosc_dtype>(dtype);
    opts.dim = dim;
    opts.cell = cell;
    construct_handle(self, where,
                     [&](bosc_ctx *ctx, bosc_voxelgrid **of) { return bosc_voxelgrid_create(ctx, &opts, of); });
}

nb::dict info(Grid &grid, const Where &where)
{
    Reading call(where, grid);
    bosc_voxelgrid_info about = info_of(call, grid);
    nb::dict d;
    d["n"] = about.n;
    d["dim"] = about.dim;
    d["cell"] = about.cell;
    d["bytes"] = about.bytes;
    return d;
}

void build_grid(Grid &grid, const Where &where, const In &points)
{
    Writing call(where, grid);
    bosc_voxelgrid_info about = info_of(call, grid);
    Rows rows = rows_of(where, points, about.dtype, about.dim, "data");
    call.run_or_clear([&](bosc_ctx *ctx) { return bosc_voxelgrid_build(ctx, grid.of, rows.data, rows.n, rows.stride); },
                      [&](bosc_ctx *ctx) { return bosc_voxelgrid_build(ctx, grid.of, nullptr, 0, 0); });
}

int64_t voxels(Grid &grid, const Where &where, const Out &coords, const Out &counts)
{
    Reading call(where, grid);
    bosc_voxelgrid_info about = info_of(call, grid);
    int64_t capacity = size_of(counts), count = 0;
    int64_t *at = typed_room<int64_t>(where, coords, BOSC_I64, capacity * about.dim, "coords");
    int64_t *many = typed_room<int64_t>(where, counts, BOSC_I64, capacity, "counts");
    call.run([&](bosc_ctx *ctx) { return bosc_voxelgrid_voxels(ctx, grid.of, at, many, capacity, &count); });
    return count;
}

/* The queries x; None: the points of the build. */
Rows queries_of(const Where &where, const In &x, const bosc_voxelgrid_info &about)
{
    if (!x.is_valid()) return {nullptr, about.n, about.dim, 0};
    return rows_of(where, x, about.dtype, about.dim, "x");
}

void voxel_count(Grid &grid, const Where &where, const In &queries, const Out &counts)
{
    Reading call(where, grid);
    bosc_voxelgrid_info about = info_of(call, grid);
    Rows rows = queries_of(where, queries, about);
    int64_t *to = typed_room<int64_t>(where, counts, BOSC_I64, rows.n, "counts");
    call.run(
        [&](bosc_ctx *ctx) { return bosc_voxelgrid_voxel_count(ctx, grid.of, rows.data, rows.n, rows.stride, to); });
}

void radius_count(Grid &grid, const Where &where, const In &queries, double radius, const Out &counts)
{
    Reading call(where, grid);
    bosc_voxelgrid_info about = info_of(call, grid);
    Rows rows = queries_of(where, queries, about);
    int64_t *to = typed_room<int64_t>(where, counts, BOSC_I64, rows.n, "counts");
    call.run([&](bosc_ctx *ctx) {
        return bosc_voxelgrid_radius_count(ctx, grid.of, rows.data, rows.n, rows.stride, radius, to);
    });
}

void radius(Grid &grid, const Where &where, const In &queries, double radius, const Out &offsets, const Out &ids,
            const Out &dist2)
{
    Reading call(where, grid);
    bosc_voxelgrid_info about = info_of(call, grid);
    Rows rows = queries_of(where, queries, about);
    int64_t *starts = typed_room<int64_t>(where, offsets, BOSC_I64, rows.n + 1, "offsets");
    void *id = room(where, ids, BOSC_I64, size_of(ids), "ids");
    void *d = room(where, dist2, distance_type(about.dtype), size_of(ids), "dist2");
    call.run([&](bosc_ctx *ctx) {
        return bosc_voxelgrid_radius(ctx, grid.of, rows.data, rows.n, rows.stride, radius, starts, id, d, size_of(ids));
    });
}

/* Returns the number of pairs, and writes them if arrays of at least that size are given. */
int64_t pairs(Grid &grid, const Where &where, double radius, const Out &pairs, const Out &dist2)
{
    Reading call(where, grid);
    bosc_voxelgrid_info about = info_of(call, grid);
    int64_t capacity = size_of(pairs) / 2, count = 0;
    void *to = room(where, pairs, BOSC_I64, 2 * capacity, "pairs");
    void *d = room(where, dist2, distance_type(about.dtype), capacity, "dist2");
    call.run([&](bosc_ctx *ctx) {
        const bosc_status status = bosc_voxelgrid_pairs(ctx, grid.of, radius, to, d, capacity, &count);
        return status == BOSC_ERR_SPACE ? BOSC_OK : status; /* count exceeds the capacity, and nothing is written */
    });
    return count;
}

int64_t components(Grid &grid, const Where &where, double radius, const Out &labels)
{
    Reading call(where, grid);
    bosc_voxelgrid_info about = info_of(call, grid);
    int64_t count = 0;
    void *to = room(where, labels, BOSC_I64, about.n, "labels");
    call.run([&](bosc_ctx *ctx) { return bosc_voxelgrid_components(ctx, grid.of, radius, to, &count); });
    return count;
}

} // namespace

void bind_voxelgrid(nb::module_ &m)
{
    nb::class_<Grid, Lock>(m, "VoxelGrid")
        .def("__init__", &create, "where"_a, "dtype"_a, "dim"_a, "cell"_a)
        .def("info", &info, "where"_a)
        .def("build", &build_grid, "where"_a, "points"_a)
        .def("voxels", &voxels, "where"_a, "coords"_a.none(), "counts"_a.none())
        .def("voxel_count", &voxel_count, "where"_a, "queries"_a.none(), "counts"_a)
        .def("radius_count", &radius_count, "where"_a, "queries"_a.none(), "radius"_a, "counts"_a)
        .def("radius", &radius, "where"_a, "queries"_a.none(), "radius"_a, "offsets"_a, "ids"_a.none(),
             "dist2"_a.none())
        .def("pairs", &pairs, "where"_a, "radius"_a, "pairs"_a.none(), "dist2"_a.none())
        .def("components", &components, "where"_a, "radius"_a, "labels"_a.none());
}
