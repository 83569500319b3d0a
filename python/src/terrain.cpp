/* Terrains.
 * SPDX-License-Identifier: Apache-2.0 */
#include "core.hpp"

#include <vector>

namespace
{

using Terrain = Handle<bosc_terrain, bosc_terrain_free>;

bosc_terrain_info info_of(Call &call, Terrain &terrain)
{
    return described<bosc_terrain_info, bosc_terrain_get_info>(call, terrain);
}

void create(Terrain *self, const Where &where, double spacing, double spacing_y)
{
    auto opts = sized<bosc_terrain_opts>();
    opts.spacing = spacing;
    opts.spacing_y = spacing_y;
    construct_handle(self, where,
                     [&](bosc_ctx *ctx, bosc_terrain **of) { return bosc_terrain_create(ctx, &opts, of); });
}

nb::dict info(Terrain &terrain, const Where &where)
{
    Reading call(where, terrain);
    bosc_terrain_info about = info_of(call, terrain);
    nb::dict d;
    d["width"] = about.width;
    d["height"] = about.height;
    d["depth"] = about.depth;
    d["bytes"] = about.bytes;
    return d;
}

void build_terrain(Terrain &terrain, const Where &where, const In &heights)
{
    Writing call(where, terrain);
    Rows rows = rows_of(where, heights, BOSC_F32, -1, "heights");
    call.run([&](bosc_ctx *ctx) {
        return bosc_terrain_build(ctx, terrain.of, static_cast<const float *>(rows.data), rows.dim, rows.n,
                                  rows.stride);
    });
}

/* camera: position, direction, up, fov, pixels, width, height, cull, or empty; regions: rows of x0, y0, x1, y1, error,
 * on the host. */
void select_mesh(Terrain &terrain, const Where &where, double error, int64_t triangles, const nb::tuple &camera,
                 const In &regions, double hysteresis)
{
    Writing call(where, terrain);
    auto goal = sized<bosc_terrain_goal>();
    goal.error = error;
    goal.triangles = triangles;
    goal.hysteresis = hysteresis;
    /* 1. The camera. */
    bosc_terrain_camera eye = {};
    if (nb::len(camera) == 14) {
        double numbers[11];
        for (int i = 0; i < 11; i++) numbers[i] = nb::cast<double>(camera[i]);
        for (int i = 0; i < 3; i++) {
            eye.position[i] = numbers[i];
            eye.direction[i] = numbers[3 + i];
            eye.up[i] = numbers[6 + i];
        }
        eye.fov = numbers[9];
        eye.pixels = numbers[10];
        eye.width = nb::cast<int32_t>(camera[11]);
        eye.height = nb::cast<int32_t>(camera[12]);
        eye.cull = nb::cast<bool>(camera[13]);
        goal.camera = &eye;
    }
    /* 2. The regions. */
    int64_t count = size_of(regions) / 5;
    const double *r = typed<double>(where, regions, BOSC_F64, 5 * count, "regions");
    std::vector<bosc_terrain_region> places(static_cast<size_t>(count));
    for (int64_t i = 0; i < count; i++)
        places[i] = {{r[5 * i], r[5 * i + 1]}, {r[5 * i + 2], r[5 * i + 3]}, r[5 * i + 4]};
    goal.regions = places.data();
    goal.region_count = count;
    call.run([&](bosc_ctx *ctx) { return bosc_terrain_select(ctx, terrain.of, &goal); });
}

void update(Terrain &terrain, const Where &where, const In &commands)
{
    Writing call(where, terrain);
    const uint8_t *command = typed<uint8_t>(where, commands, BOSC_U8, size_of(commands), "commands");
    call.run([&](bosc_ctx *ctx) { return bosc_terrain_update(ctx, terrain.of, command, size_of(commands)); });
}

/* Returns the numbers of vertices and triangles, and writes them if arrays are given. */
nb::tuple get_mesh(Terrain &terrain, const Where &where, const Out &vertices, const Out &normals, const Out &triangles)
{
    Reading call(where, terrain);
    int64_t points = size_of(vertices) / 3, faces = size_of(triangles) / 3, counts[2] = {0, 0};
    float *at = typed_room<float>(where, vertices, BOSC_F32, 3 * points, "vertices");
    float *normal = typed_room<float>(where, normals, BOSC_F32, 3 * points, "normals");
    uint32_t *corner = typed_room<uint32_t>(where, triangles, BOSC_U32, 3 * faces, "triangles");
    call.run([&](bosc_ctx *ctx) {
        return bosc_terrain_get_mesh(ctx, terrain.of, at, normal, points, corner, faces, counts);
    });
    return nb::make_tuple(counts[0], counts[1]);
}

void corners(Terrain &terrain, const Where &where, int64_t first, const Out &samples)
{
    Reading call(where, terrain);
    int64_t count = size_of(samples) / 3;
    int64_t *to = typed_room<int64_t>(where, samples, BOSC_I64, 3 * count, "samples");
    call.run([&](bosc_ctx *ctx) { return bosc_terrain_get_corners(ctx, terrain.of, first, count, to); });
}

void locate(Terrain &terrain, const Where &where, const In &points, const Out &leaves, const Out &heights)
{
    Reading call(where, terrain);
    int64_t count = size_of(points) / 2;
    const double *at = typed<double>(where, points, BOSC_F64, 2 * count, "points");
    int64_t *leaf = typed_room<int64_t>(where, leaves, BOSC_I64, count, "leaves");
    double *height = typed_room<double>(where, heights, BOSC_F64, count, "heights");
    call.run([&](bosc_ctx *ctx) { return bosc_terrain_locate(ctx, terrain.of, at, count, leaf, height); });
}

void neighbours(Terrain &terrain, const Where &where, const In &leaves, const Out &neighbours)
{
    Reading call(where, terrain);
    int64_t count = size_of(leaves);
    const int64_t *leaf = typed<int64_t>(where, leaves, BOSC_I64, count, "leaves");
    int64_t *to = typed_room<int64_t>(where, neighbours, BOSC_I64, 3 * count, "neighbours");
    call.run([&](bosc_ctx *ctx) { return bosc_terrain_get_neighbours(ctx, terrain.of, leaf, count, to); });
}

nb::dict measure(Terrain &terrain, const Where &where)
{
    Reading call(where, terrain);
    auto stats = described<bosc_terrain_stats, bosc_terrain_measure>(call, terrain);
    nb::dict d;
    d["leaves"] = stats.leaves;
    d["vertices"] = stats.vertices;
    d["triangles"] = stats.triangles;
    d["max_error"] = stats.max_error;
    d["depth"] = stats.depth;
    return d;
}

/* The terrain's own tree; the call must hold the terrain's lock. */
const bosc_cbt *tree_of(Terrain &terrain)
{
    const bosc_cbt *tree = bosc_terrain_get_tree(terrain.of);
    if (!tree) throw nb::value_error("the terrain has no raster");
    return tree;
}

int64_t leaves(Terrain &terrain, const Where &where)
{
    Reading call(where, terrain);
    const bosc_cbt *tree = tree_of(terrain);
    auto info = sized<bosc_cbt_info>();
    call.run([&](bosc_ctx *ctx) { return bosc_cbt_get_info(ctx, tree, &info); });
    return info.leaves;
}

void decode(Terrain &terrain, const Where &where, int64_t first, const Out &nodes)
{
    Reading call(where, terrain);
    const bosc_cbt *tree = tree_of(terrain);
    void *to = room(where, nodes, BOSC_U64, size_of(nodes), "nodes");
    call.run([&](bosc_ctx *ctx) { return bosc_cbt_decode(ctx, tree, first, size_of(nodes), to); });
}

} // namespace

void bind_terrain(nb::module_ &m)
{
    nb::class_<Terrain, Lock>(m, "Terrain")
        .def("__init__", &create, "where"_a, "spacing"_a, "spacing_y"_a)
        .def("info", &info, "where"_a)
        .def("build", &build_terrain, "where"_a, "heights"_a)
        .def("select", &select_mesh, "where"_a, "error"_a, "triangles"_a, "camera"_a, "regions"_a.none(),
             "hysteresis"_a)
        .def("update", &update, "where"_a, "commands"_a)
        .def("get_mesh", &get_mesh, "where"_a, "vertices"_a.none(), "normals"_a.none(), "triangles"_a.none())
        .def("corners", &corners, "where"_a, "first"_a, "samples"_a)
        .def("locate", &locate, "where"_a, "points"_a, "leaves"_a.none(), "heights"_a.none())
        .def("neighbours", &neighbours, "where"_a, "leaves"_a, "neighbours"_a)
        .def("measure", &measure, "where"_a)
        .def("leaves", &leaves, "where"_a)
        .def("decode", &decode, "where"_a, "first"_a, "nodes"_a);
}
