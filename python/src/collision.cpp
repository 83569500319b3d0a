/* Collisions of triangle meshes.
 * SPDX-License-Identifier: Apache-2.0 */
#include "core.hpp"

namespace
{

using Collision = Handle<bosc_collision, bosc_collision_free>;

bosc_collision_info info_of(Call &call, Collision &collision)
{
    return described<bosc_collision_info, bosc_collision_get_info>(call, collision);
}

void create(Collision *self, const Where &where, int dtype, int32_t index_bits, double cell)
{
    auto opts = sized<bosc_collision_opts>();
    opts.dtype = static_cast<bosc_dtype>(dtype);
    opts.index_bits = index_bits;
    opts.cell = cell;
    construct_handle(self, where,
                     [&](bosc_ctx *ctx, bosc_collision **of) { return bosc_collision_create(ctx, &opts, of); });
}

nb::dict info(Collision &collision, const Where &where)
{
    Reading call(where, collision);
    bosc_collision_info about = info_of(call, collision);
    nb::dict d;
    d["a_count"] = about.a_count;
    d["b_count"] = about.b_count;
    d["pairs"] = about.pairs;
    d["candidates"] = about.candidates;
    d["cell"] = about.cell;
    d["bytes"] = about.bytes;
    return d;
}

bosc_collision_mesh mesh_of(const Where &where, const bosc_collision_info &about, const In &vertices,
                            const In &triangles, const In &transform)
{
    auto mesh = sized<bosc_collision_mesh>();
    Rows rows = rows_of(where, vertices, about.dtype, 3, "vertices");
    mesh.vertices = rows.data;
    mesh.vertex_count = rows.n;
    mesh.stride = rows.stride;
    mesh.triangle_count = size_of(triangles) / 3;
    mesh.triangles =
        elements(where, triangles, about.index_bits == 64 ? BOSC_I64 : BOSC_U32, 3 * mesh.triangle_count, "triangles");
    mesh.transform = typed<double>(Where(), transform, BOSC_F64, 12, "transform");
    return mesh;
}

void build_pairs(Collision &collision, const Where &where, const In &a_vertices, const In &a_triangles,
                 const In &a_transform, const In &b_vertices, const In &b_triangles, const In &b_transform)
{
    Writing call(where, collision);
    bosc_collision_info about = info_of(call, collision);
    bosc_collision_mesh a = mesh_of(where, about, a_vertices, a_triangles, a_transform);
    bosc_collision_mesh b = mesh_of(where, about, b_vertices, b_triangles, b_transform);
    call.run([&](bosc_ctx *ctx) { return bosc_collision_build(ctx, collision.of, &a, &b); });
}

void pairs(Collision &collision, const Where &where, const Out &pairs)
{
    Reading call(where, collision);
    int64_t capacity = size_of(pairs) / 2, count = 0;
    void *to = room(where, pairs, BOSC_I64, 2 * capacity, "pairs");
    call.run([&](bosc_ctx *ctx) { return bosc_collision_pairs(ctx, collision.of, to, capacity, &count); });
}

void rows(Collision &collision, const Where &where, const Out &offsets, const Out &ids)
{
    Reading call(where, collision);
    bosc_collision_info about = info_of(call, collision);
    int64_t *begins = typed_room<int64_t>(where, offsets, BOSC_I64, about.a_count + 1, "offsets");
    void *id = room(where, ids, BOSC_I64, size_of(ids), "ids");
    call.run([&](bosc_ctx *ctx) { return bosc_collision_rows(ctx, collision.of, begins, id, size_of(ids)); });
}

} // namespace

void bind_collision(nb::module_ &m)
{
    nb::class_<Collision, Lock>(m, "Collision")
        .def("__init__", &create, "where"_a, "dtype"_a, "index_bits"_a, "cell"_a)
        .def("info", &info, "where"_a)
        .def("build", &build_pairs, "where"_a, "a_vertices"_a, "a_triangles"_a, "a_transform"_a.none(), "b_vertices"_a,
             "b_triangles"_a, "b_transform"_a.none())
        .def("pairs", &pairs, "where"_a, "pairs"_a)
        .def("rows", &rows, "where"_a, "offsets"_a, "ids"_a.none());
}
