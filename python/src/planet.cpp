/* Meshes of planets.
 * SPDX-License-Identifier: Apache-2.0 */
#include "core.hpp"

namespace
{

using Planet = Handle<bosc_planet, bosc_planet_free>;

bosc_planet_info info_of(Call &call, Planet &planet)
{
    return described<bosc_planet_info, bosc_planet_get_info>(call, planet);
}

void create(Planet *self, const Where &where, double radius, int32_t depth, int32_t detail_octaves,
            double detail_amplitude, double detail_wavelength, uint64_t detail_seed)
{
    auto opts = sized<bosc_planet_opts>();
    opts.radius = radius;
    opts.depth = depth;
    opts.detail_octaves = detail_octaves;
    opts.detail_amplitude = detail_amplitude;
    opts.detail_wavelength = detail_wavelength;
    opts.detail_seed = detail_seed;
    construct_handle(self, where, [&](bosc_ctx *ctx, bosc_planet **of) { return bosc_planet_create(ctx, &opts, of); });
}

nb::dict info(Planet &planet, const Where &where)
{
    Reading call(where, planet);
    bosc_planet_info about = info_of(call, planet);
    nb::dict d;
    d["width"] = about.width;
    d["height"] = about.height;
    d["triangles"] = about.triangles;
    d["vertices"] = about.vertices;
    d["radius"] = about.radius;
    d["low"] = about.low;
    d["high"] = about.high;
    d["depth"] = about.depth;
    d["deepest"] = about.deepest;
    d["insets"] = about.insets;
    d["bytes"] = about.bytes;
    return d;
}

/* A struct of the library with heights, rows of float32: bosc_planet_raster or _inset. */
template <class R> R with_heights(const Where &where, const In &heights)
{
    Rows rows = rows_of(where, heights, BOSC_F32, -1, "heights");
    auto raster = sized<R>();
    raster.heights = rows.data;
    raster.width = rows.dim;
    raster.height = rows.n;
    raster.stride = rows.stride;
    return raster;
}

void build_raster(Planet &planet, const Where &where, const In &heights)
{
    Writing call(where, planet);
    auto raster = with_heights<bosc_planet_raster>(where, heights);
    call.run([&](bosc_ctx *ctx) { return bosc_planet_build(ctx, planet.of, &raster); });
}

void add_inset(Planet &planet, const Where &where, const In &heights, double west, double south, double east,
               double north, int32_t border)
{
    Writing call(where, planet);
    auto inset = with_heights<bosc_planet_inset>(where, heights);
    inset.border = border;
    inset.west = west;
    inset.south = south;
    inset.east = east;
    inset.north = north;
    call.run([&](bosc_ctx *ctx) { return bosc_planet_add_inset(ctx, planet.of, &inset); });
}

/* Position, direction and up of a camera over the ground. */
nb::tuple place_camera(Planet &planet, const Where &where, double latitude, double longitude, double altitude,
                       double heading, double pitch)
{
    Reading call(where, planet);
    bosc_planet_camera camera = {};
    call.run([&](bosc_ctx *ctx) {
        return bosc_planet_place(ctx, planet.of, latitude, longitude, altitude, heading, pitch, &camera);
    });
    const auto vector = [](const double *x) { return nb::make_tuple(x[0], x[1], x[2]); };
    return nb::make_tuple(vector(camera.position), vector(camera.direction), vector(camera.up));
}

/* camera: of 9 + 2 numbers, and width, height, cull; empty: none. */
void select_mesh(Planet &planet, const Where &where, double error, int64_t triangles, const nb::tuple &camera,
                 double hysteresis, int32_t level)
{
    Writing call(where, planet);
    auto goal = sized<bosc_planet_goal>();
    bosc_planet_camera view = {};
    goal.error = error;
    goal.triangles = triangles;
    goal.hysteresis = hysteresis;
    goal.level = level;
    if (nb::len(camera) > 0) {
        if (nb::len(camera) != 14) throw nb::value_error("camera: not 14 numbers");
        for (size_t i = 0; i < 3; i++) {
            view.position[i] = nb::cast<double>(camera[i]);
            view.direction[i] = nb::cast<double>(camera[3 + i]);
            view.up[i] = nb::cast<double>(camera[6 + i]);
        }
        view.fov = nb::cast<double>(camera[9]);
        view.pixels = nb::cast<double>(camera[10]);
        view.width = nb::cast<int32_t>(camera[11]);
        view.height = nb::cast<int32_t>(camera[12]);
        view.cull = nb::cast<bool>(camera[13]);
        goal.camera = &view;
    }
    call.run([&](bosc_ctx *ctx) { return bosc_planet_select(ctx, planet.of, &goal); });
}

void update(Planet &planet, const Where &where, const In &commands)
{
    Writing call(where, planet);
    const int64_t n = size_of(commands);
    const uint8_t *command = static_cast<const uint8_t *>(items(where, commands, 1, n, "commands"));
    call.run([&](bosc_ctx *ctx) { return bosc_planet_update(ctx, planet.of, command, n); });
}

void get_mesh(Planet &planet, const Where &where, const In &origin, const Out &vertices, const Out &positions,
              const Out &normals, const Out &triangles)
{
    Reading call(where, planet);
    bosc_planet_info about = info_of(call, planet);
    const int64_t v = 3 * about.vertices;
    int64_t counts[2];
    const double *from = typed<double>(Where(), origin, BOSC_F64, 3, "origin");
    float *vertex = typed_room<float>(where, vertices, BOSC_F32, v, "vertices");
    double *position = typed_room<double>(where, positions, BOSC_F64, v, "positions");
    float *normal = typed_room<float>(where, normals, BOSC_F32, v, "normals");
    uint32_t *triangle = typed_room<uint32_t>(where, triangles, BOSC_U32, 3 * about.triangles, "triangles");
    call.run([&](bosc_ctx *ctx) {
        return bosc_planet_get_mesh(ctx, planet.of, from, vertex, position, normal, about.vertices, triangle,
                                    about.triangles, counts);
    });
}

void sample(Planet &planet, const Where &where, const In &directions, const Out &heights, const Out &positions)
{
    Reading call(where, planet);
    const int64_t n = size_of(directions) / 3;
    const double *d = typed<double>(where, directions, BOSC_F64, 3 * n, "directions");
    double *height = typed_room<double>(where, heights, BOSC_F64, n, "heights");
    double *position = typed_room<double>(where, positions, BOSC_F64, 3 * n, "positions");
    call.run([&](bosc_ctx *ctx) { return bosc_planet_sample(ctx, planet.of, d, n, height, position); });
}

nb::dict measure(Planet &planet, const Where &where)
{
    Reading call(where, planet);
    auto stats = sized<bosc_planet_stats>();
    call.run([&](bosc_ctx *ctx) { return bosc_planet_measure(ctx, planet.of, &stats); });
    nb::dict d;
    d["max_error"] = stats.max_error;
    d["row"] = stats.row;
    d["column"] = stats.column;
    d["inset"] = stats.inset;
    return d;
}

/* Nodes of the leaves, as bosc_bisectors_decode gives them. */
void decode(Planet &planet, const Where &where, const Out &nodes)
{
    Reading call(where, planet);
    uint64_t *to = typed_room<uint64_t>(where, nodes, BOSC_U64, size_of(nodes), "nodes");
    call.run([&](bosc_ctx *ctx) {
        return bosc_bisectors_decode(ctx, bosc_planet_get_pool(planet.of), 0, size_of(nodes), to);
    });
}

} // namespace

void bind_planet(nb::module_ &m)
{
    nb::class_<Planet, Lock>(m, "Planet")
        .def("__init__", &create, "where"_a, "radius"_a, "depth"_a, "detail_octaves"_a, "detail_amplitude"_a,
             "detail_wavelength"_a, "detail_seed"_a)
        .def("info", &info, "where"_a)
        .def("build", &build_raster, "where"_a, "heights"_a)
        .def("add_inset", &add_inset, "where"_a, "heights"_a, "west"_a, "south"_a, "east"_a, "north"_a, "border"_a)
        .def("place_camera", &place_camera, "where"_a, "latitude"_a, "longitude"_a, "altitude"_a, "heading"_a,
             "pitch"_a)
        .def("select", &select_mesh, "where"_a, "error"_a, "triangles"_a, "camera"_a, "hysteresis"_a, "level"_a)
        .def("update", &update, "where"_a, "commands"_a)
        .def("get_mesh", &get_mesh, "where"_a, "origin"_a.none(), "vertices"_a.none(), "positions"_a.none(),
             "normals"_a.none(), "triangles"_a.none())
        .def("sample", &sample, "where"_a, "directions"_a, "heights"_a.none(), "positions"_a.none())
        .def("measure", &measure, "where"_a)
        .def("decode", &decode, "where"_a, "nodes"_a)
        .def("save", &saved<Planet, bosc_planet_write>, "where"_a)
        .def_static("load", &loaded<Planet, bosc_planet_read>);
}
