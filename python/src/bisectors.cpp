/* Pools of bisectors.
 * SPDX-License-Identifier: Apache-2.0 */
#include "core.hpp"

namespace
{

using Pool = Handle<bosc_bisectors, bosc_bisectors_free>;

bosc_bisectors_info info_of(Call &call, Pool &pool)
{
    return described<bosc_bisectors_info, bosc_bisectors_get_info>(call, pool);
}

void create(Pool *self, const Where &where, int32_t depth, int32_t level, const In &glued, int64_t root_count)
{
    auto opts = sized<bosc_bisectors_opts>();
    opts.depth = depth;
    opts.level = level;
    opts.root_count = root_count;
    opts.glued = typed<int64_t>(Where(), glued, BOSC_I64, 3 * root_count, "glued");
    construct_handle(self, where,
                     [&](bosc_ctx *ctx, bosc_bisectors **of) { return bosc_bisectors_create(ctx, &opts, of); });
}

nb::dict info(Pool &pool, const Where &where)
{
    Reading call(where, pool);
    bosc_bisectors_info about = info_of(call, pool);
    nb::dict d;
    d["leaves"] = about.leaves;
    d["root_count"] = about.root_count;
    d["depth"] = about.depth;
    d["deepest"] = about.deepest;
    d["bytes"] = about.bytes;
    return d;
}

void reset(Pool &pool, const Where &where, int32_t level)
{
    Writing call(where, pool);
    call.run([&](bosc_ctx *ctx) { return bosc_bisectors_reset(ctx, pool.of, level); });
}

/* Records commands for nodes: bosc_bisectors_split or _merge; _set_nodes replaces the leaves. */
template <auto CHANGE> void with_nodes(Pool &pool, const Where &where, const In &nodes)
{
    Writing call(where, pool);
    const int64_t n = size_of(nodes);
    const uint64_t *node = typed<uint64_t>(where, nodes, BOSC_U64, n, "nodes");
    call.run([&](bosc_ctx *ctx) { return CHANGE(ctx, pool.of, node, n); });
}

void update(Pool &pool, const Where &where, const In &commands, const Out &sources)
{
    Writing call(where, pool);
    const int64_t n = size_of(commands);
    const uint8_t *command = static_cast<const uint8_t *>(items(where, commands, 1, n, "commands"));
    int64_t *from = typed_room<int64_t>(where, sources, BOSC_I64, size_of(sources), "sources");
    call.run([&](bosc_ctx *ctx) { return bosc_bisectors_update(ctx, pool.of, command, n, from, size_of(sources)); });
}

void decode(Pool &pool, const Where &where, int64_t first, const Out &nodes)
{
    Reading call(where, pool);
    uint64_t *to = typed_room<uint64_t>(where, nodes, BOSC_U64, size_of(nodes), "nodes");
    call.run([&](bosc_ctx *ctx) { return bosc_bisectors_decode(ctx, pool.of, first, size_of(nodes), to); });
}

void encode(Pool &pool, const Where &where, const In &nodes, const Out &leaves)
{
    Reading call(where, pool);
    const int64_t n = size_of(nodes);
    const uint64_t *node = typed<uint64_t>(where, nodes, BOSC_U64, n, "nodes");
    int64_t *to = typed_room<int64_t>(where, leaves, BOSC_I64, n, "leaves");
    call.run([&](bosc_ctx *ctx) { return bosc_bisectors_encode(ctx, pool.of, node, n, to); });
}

void neighbours(Pool &pool, const Where &where, const In &leaves, const Out &neighbours)
{
    Reading call(where, pool);
    const int64_t n = size_of(leaves);
    const int64_t *leaf = typed<int64_t>(where, leaves, BOSC_I64, n, "leaves");
    int64_t *to = typed_room<int64_t>(where, neighbours, BOSC_I64, 3 * n, "neighbours");
    call.run([&](bosc_ctx *ctx) { return bosc_bisectors_get_neighbours(ctx, pool.of, leaf, n, to); });
}

void corners(Pool &pool, const Where &where, int64_t first, const Out &roots, const Out &corners)
{
    Reading call(where, pool);
    const int64_t n = size_of(corners) / 6;
    int64_t *root = typed_room<int64_t>(where, roots, BOSC_I64, n, "roots");
    double *to = typed_room<double>(where, corners, BOSC_F64, 6 * n, "corners");
    call.run([&](bosc_ctx *ctx) { return bosc_bisectors_get_corners(ctx, pool.of, first, n, root, to); });
}

void locate(Pool &pool, const Where &where, const In &roots, const In &points, const Out &leaves)
{
    Reading call(where, pool);
    const int64_t n = size_of(roots);
    const int64_t *root = typed<int64_t>(where, roots, BOSC_I64, n, "roots");
    const double *point = typed<double>(where, points, BOSC_F64, 2 * n, "points");
    int64_t *to = typed_room<int64_t>(where, leaves, BOSC_I64, n, "leaves");
    call.run([&](bosc_ctx *ctx) { return bosc_bisectors_locate(ctx, pool.of, root, point, n, to); });
}

} // namespace

void bind_bisectors(nb::module_ &m)
{
    nb::class_<Pool, Lock>(m, "Bisectors")
        .def("__init__", &create, "where"_a, "depth"_a, "level"_a, "glued"_a.none(), "root_count"_a)
        .def("info", &info, "where"_a)
        .def("reset", &reset, "where"_a, "level"_a)
        .def("split", &with_nodes<bosc_bisectors_split>, "where"_a, "nodes"_a)
        .def("merge", &with_nodes<bosc_bisectors_merge>, "where"_a, "nodes"_a)
        .def("set_nodes", &with_nodes<bosc_bisectors_set_nodes>, "where"_a, "nodes"_a)
        .def("update", &update, "where"_a, "commands"_a, "sources"_a.none())
        .def("decode", &decode, "where"_a, "first"_a, "nodes"_a)
        .def("encode", &encode, "where"_a, "nodes"_a, "leaves"_a)
        .def("neighbours", &neighbours, "where"_a, "leaves"_a, "neighbours"_a)
        .def("corners", &corners, "where"_a, "first"_a, "roots"_a, "corners"_a)
        .def("locate", &locate, "where"_a, "roots"_a, "points"_a, "leaves"_a)
        .def("save", &saved<Pool, bosc_bisectors_write>, "where"_a)
        .def_static("load", &loaded<Pool, bosc_bisectors_read>);
}
