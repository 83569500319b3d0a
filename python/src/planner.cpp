/* Motion planning in SO(3).
 * SPDX-License-Identifier: Apache-2.0 */
#include "core.hpp"

namespace
{

using Planner = Handle<bosc_planner, bosc_planner_free>;

const void *part(const nb::tuple &bodies, size_t k, bosc_dtype dtype, int64_t *count, const char *name)
{
    const In array = nb::cast<In>(bodies[k]);
    *count = size_of(array);
    return elements(Where(), array, dtype, *count, name);
}

bosc_plan_bodies bodies_of(const nb::tuple &given)
{
    bosc_plan_bodies bodies = {};
    int64_t count;
    if (nb::len(given) != 6) throw nb::value_error("bodies: not six arrays");
    bodies.balls = static_cast<const double *>(part(given, 0, BOSC_F64, &count, "balls"));
    bodies.ball_count = count / 4;
    bodies.vertices = static_cast<const double *>(part(given, 1, BOSC_F64, &count, "vertices"));
    bodies.vertex_count = count / 3;
    bodies.triangles = static_cast<const int64_t *>(part(given, 2, BOSC_I64, &count, "triangles"));
    bodies.triangle_count = count / 3;
    bodies.polytope_offsets = static_cast<const int64_t *>(part(given, 3, BOSC_I64, &count, "polytope offsets"));
    bodies.polytope_count = count > 0 ? count - 1 : 0;
    bodies.facet_offsets = static_cast<const int64_t *>(part(given, 4, BOSC_I64, &count, "facet offsets"));
    const int64_t facets = count - 1;
    bodies.facet_vertices = static_cast<const int64_t *>(part(given, 5, BOSC_I64, &count, "facet vertices"));
    if (bodies.polytope_count > 0 &&
        (facets < bodies.polytope_offsets[bodies.polytope_count] || count < bodies.facet_offsets[facets]))
        throw nb::value_error("polytopes: offsets beyond the arrays");
    return bodies;
}

void create(Planner *self, const Where &where, int sampling, bool lazy, uint64_t seed, int64_t max_rows,
            double new_rate)
{
    auto opts = sized<bosc_planner_opts>();
    opts.sampling = static_cast<bosc_plan_sampling>(sampling);
    opts.lazy = lazy;
    opts.seed = seed;
    opts.max_rows = max_rows;
    opts.new_rate = new_rate;
    construct_handle(self, where,
                     [&](bosc_ctx *ctx, bosc_planner **of) { return bosc_planner_create(ctx, &opts, of); });
}

void build_scene(Planner &planner, const Where &where, const nb::tuple &robot, const nb::tuple &obstacle,
                 const In &forms)
{
    Writing call(where, planner);
    auto scene = sized<bosc_plan_scene>();
    scene.robot = bodies_of(robot);
    scene.obstacle = bodies_of(obstacle);
    scene.form_count = size_of(forms) / 10;
    scene.forms = typed<double>(Where(), forms, BOSC_F64, 10 * scene.form_count, "forms");
    call.run([&](bosc_ctx *ctx) { return bosc_planner_build(ctx, planner.of, &scene); });
}

bosc_planner_info info_of(Call &call, Planner &planner)
{
    return described<bosc_planner_info, bosc_planner_get_info>(call, planner);
}

nb::dict info(Planner &planner, const Where &where)
{
    Writing call(where, planner);
    bosc_planner_info about = info_of(call, planner);
    nb::dict d;
    d["rows"] = about.rows;
    d["constraints"] = about.constraints;
    d["cells"] = about.cells;
    d["free_cells"] = about.free_cells;
    d["edges"] = about.edges;
    d["components"] = about.components;
    d["robot_bodies"] = about.robot_bodies;
    d["obstacle_bodies"] = about.obstacle_bodies;
    d["bytes"] = about.bytes;
    return d;
}

void add(Planner &planner, const Where &where, const In &rotations)
{
    Writing call(where, planner);
    const int64_t n = size_of(rotations) / 4;
    const double *q = typed<double>(where, rotations, BOSC_F64, 4 * n, "rotations");
    call.run([&](bosc_ctx *ctx) { return bosc_planner_add(ctx, planner.of, q, n); });
}

void get_cells(Planner &planner, const Where &where, const Out &rotations, const Out &free_mask, const Out &components)
{
    Writing call(where, planner);
    const int64_t cells = info_of(call, planner).cells;
    double *q = typed_room<double>(where, rotations, BOSC_F64, 4 * cells, "rotations");
    uint8_t *is_free = static_cast<uint8_t *>(item_room(where, free_mask, 1, cells, "free_mask"));
    int64_t *of = typed_room<int64_t>(where, components, BOSC_I64, cells, "components");
    call.run([&](bosc_ctx *ctx) { return bosc_planner_get_cells(ctx, planner.of, q, is_free, of); });
}

void locate(Planner &planner, const Where &where, const In &rotations, const Out &cells)
{
    Writing call(where, planner);
    const int64_t n = size_of(rotations) / 4;
    const double *q = typed<double>(where, rotations, BOSC_F64, 4 * n, "rotations");
    int64_t *to = typed_room<int64_t>(where, cells, BOSC_I64, n, "cells");
    call.run([&](bosc_ctx *ctx) { return bosc_planner_locate(ctx, planner.of, q, n, to); });
}

void collides(Planner &planner, const Where &where, const In &rotations, const Out &mask)
{
    Writing call(where, planner);
    const int64_t n = size_of(rotations) / 4;
    const double *q = typed<double>(where, rotations, BOSC_F64, 4 * n, "rotations");
    uint8_t *to = static_cast<uint8_t *>(item_room(where, mask, 1, n, "mask"));
    const bosc_plan *plan = bosc_planner_plan(planner.of);
    if (!plan) throw nb::value_error("planner: without a scene");
    call.run([&](bosc_ctx *ctx) { return bosc_plan_collides(ctx, plan, q, n, 0, to); });
}

void certify(Planner &planner, const Where &where, const In &rotations, const Out &certified, const Out &fractions)
{
    Writing call(where, planner);
    const int64_t n = size_of(rotations) / 4, steps = n > 0 ? n - 1 : 0;
    const double *q = typed<double>(where, rotations, BOSC_F64, 4 * n, "rotations");
    uint8_t *mask = static_cast<uint8_t *>(item_room(where, certified, 1, steps, "certified"));
    double *at = typed_room<double>(where, fractions, BOSC_F64, steps, "fractions");
    call.run([&](bosc_ctx *ctx) { return bosc_planner_certify(ctx, planner.of, q, n, mask, at); });
}

nb::dict route(Planner &planner, const Where &where, const In &start, const In &goal, int weights, bool keep_steps,
               int32_t rounds, int64_t max_boxes, int64_t max_tested)
{
    Writing call(where, planner);
    auto opts = sized<bosc_planner_route_opts>();
    auto about = sized<bosc_planner_route_info>();
    opts.weights = static_cast<bosc_planner_weights>(weights);
    opts.keep_steps = keep_steps;
    opts.rounds = rounds;
    opts.max_boxes = max_boxes;
    opts.max_tested = max_tested;
    const double *from = typed<double>(Where(), start, BOSC_F64, 4, "start");
    const double *to = typed<double>(Where(), goal, BOSC_F64, 4, "goal");
    call.run([&](bosc_ctx *ctx) { return bosc_planner_route(ctx, planner.of, from, to, &opts, &about); });
    nb::dict d;
    d["outcome"] = static_cast<int>(about.outcome);
    d["rotations"] = about.rotations;
    d["certified"] = about.certified;
    d["tested"] = about.tested;
    d["boxes"] = about.boxes;
    d["free_boxes"] = about.free_boxes;
    d["forbidden_boxes"] = about.forbidden_boxes;
    d["angle"] = about.angle;
    return d;
}

void get_route(Planner &planner, const Where &where, const Out &rotations, const Out &certified)
{
    Writing call(where, planner);
    const int64_t n = size_of(rotations) / 4;
    double *q = typed_room<double>(where, rotations, BOSC_F64, 4 * n, "rotations");
    uint8_t *mask = static_cast<uint8_t *>(item_room(where, certified, 1, n > 0 ? n - 1 : 0, "certified"));
    call.run([&](bosc_ctx *ctx) { return bosc_planner_get_route(ctx, planner.of, q, mask); });
}

} // namespace

void bind_planner(nb::module_ &m)
{
    nb::class_<Planner, Lock>(m, "Planner")
        .def("__init__", &create, "where"_a, "sampling"_a, "lazy"_a, "seed"_a, "max_rows"_a, "new_rate"_a)
        .def("build", &build_scene, "where"_a, "robot"_a, "obstacle"_a, "forms"_a)
        .def("info", &info, "where"_a)
        .def("add", &add, "where"_a, "rotations"_a)
        .def("get_cells", &get_cells, "where"_a, "rotations"_a.none(), "free_mask"_a.none(), "components"_a.none())
        .def("locate", &locate, "where"_a, "rotations"_a, "cells"_a)
        .def("collides", &collides, "where"_a, "rotations"_a, "mask"_a)
        .def("certify", &certify, "where"_a, "rotations"_a, "certified"_a, "fractions"_a)
        .def("route", &route, "where"_a, "start"_a, "goal"_a, "weights"_a, "keep_steps"_a, "rounds"_a, "max_boxes"_a,
             "max_tested"_a)
        .def("get_route", &get_route, "where"_a, "rotations"_a, "certified"_a);
}
