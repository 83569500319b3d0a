/* Concurrent binary trees.
 * SPDX-License-Identifier: Apache-2.0 */
#include "core.hpp"

namespace
{

using Tree = Handle<bosc_cbt, bosc_cbt_free>;

bosc_cbt_info info_of(Call &call, Tree &tree) { return described<bosc_cbt_info, bosc_cbt_get_info>(call, tree); }

void create(Tree *self, const Where &where, int32_t depth, int32_t level)
{
    auto opts = sized<bosc_cbt_opts>();
    opts.depth = depth;
    opts.level = level;
    construct_handle(self, where, [&](bosc_ctx *ctx, bosc_cbt **of) { return bosc_cbt_create(ctx, &opts, of); });
}

nb::dict info(Tree &tree, const Where &where)
{
    Reading call(where, tree);
    bosc_cbt_info about = info_of(call, tree);
    nb::dict d;
    d["leaves"] = about.leaves;
    d["depth"] = about.depth;
    d["bytes"] = about.bytes;
    return d;
}

template <auto RECORD> void record(Tree &tree, const Where &where, const In &nodes)
{
    Writing call(where, tree);
    const void *node = elements(where, nodes, BOSC_U64, size_of(nodes), "nodes");
    call.run([&](bosc_ctx *ctx) { return RECORD(ctx, tree.of, node, size_of(nodes)); });
}

void reset(Tree &tree, const Where &where, int32_t level)
{
    Writing(where, tree).run([&](bosc_ctx *ctx) { return bosc_cbt_reset(ctx, tree.of, level); });
}

void reduce(Tree &tree, const Where &where)
{
    Writing(where, tree).run([&](bosc_ctx *ctx) { return bosc_cbt_reduce(ctx, tree.of); });
}

void update(Tree &tree, const Where &where, const In &commands, const Out &sources)
{
    Writing call(where, tree);
    const uint8_t *command = typed<uint8_t>(where, commands, BOSC_U8, size_of(commands), "commands");
    int64_t *from = typed_room<int64_t>(where, sources, BOSC_I64, size_of(sources), "sources");
    call.run([&](bosc_ctx *ctx) {
        return bosc_cbt_update(ctx, tree.of, command, size_of(commands), from, size_of(sources));
    });
}

void decode(Tree &tree, const Where &where, int64_t first, const Out &nodes)
{
    Reading call(where, tree);
    void *to = room(where, nodes, BOSC_U64, size_of(nodes), "nodes");
    call.run([&](bosc_ctx *ctx) { return bosc_cbt_decode(ctx, tree.of, first, size_of(nodes), to); });
}

void encode(Tree &tree, const Where &where, const In &nodes, const Out &leaves)
{
    Reading call(where, tree);
    const void *node = elements(where, nodes, BOSC_U64, size_of(nodes), "nodes");
    int64_t *to = typed_room<int64_t>(where, leaves, BOSC_I64, size_of(nodes), "leaves");
    call.run([&](bosc_ctx *ctx) { return bosc_cbt_encode(ctx, tree.of, node, size_of(nodes), to); });
}

void heap_read(Tree &tree, const Where &where, const In &nodes, const Out &counts)
{
    Reading call(where, tree);
    const void *node = elements(where, nodes, BOSC_U64, size_of(nodes), "nodes");
    int64_t *to = typed_room<int64_t>(where, counts, BOSC_I64, size_of(nodes), "counts");
    call.run([&](bosc_ctx *ctx) { return bosc_cbt_heap_read(ctx, tree.of, node, size_of(nodes), to); });
}

int64_t words_of(int32_t depth) { return ((int64_t{1} << depth) + 63) / 64; }

void get_bits(Tree &tree, const Where &where, const Out &bits)
{
    Reading call(where, tree);
    uint64_t *to = typed_room<uint64_t>(where, bits, BOSC_U64, words_of(info_of(call, tree).depth), "bits");
    call.run([&](bosc_ctx *ctx) { return bosc_cbt_get_bits(ctx, tree.of, to); });
}

void set_bits(Tree &tree, const Where &where, const In &bits)
{
    Writing call(where, tree);
    const uint64_t *from = typed<uint64_t>(where, bits, BOSC_U64, words_of(info_of(call, tree).depth), "bits");
    call.run([&](bosc_ctx *ctx) { return bosc_cbt_set_bits(ctx, tree.of, from); });
}

} // namespace

void bind_cbt(nb::module_ &m)
{
    nb::class_<Tree, Lock>(m, "ConcurrentBinaryTree")
        .def("__init__", &create, "where"_a, "depth"_a, "level"_a)
        .def("info", &info, "where"_a)
        .def("split", &record<bosc_cbt_split>, "where"_a, "nodes"_a)
        .def("merge", &record<bosc_cbt_merge>, "where"_a, "nodes"_a)
        .def("reset", &reset, "where"_a, "level"_a)
        .def("reduce", &reduce, "where"_a)
        .def("update", &update, "where"_a, "commands"_a, "sources"_a.none())
        .def("decode", &decode, "where"_a, "first"_a, "nodes"_a)
        .def("encode", &encode, "where"_a, "nodes"_a, "leaves"_a)
        .def("heap_read", &heap_read, "where"_a, "nodes"_a, "counts"_a)
        .def("get_bits", &get_bits, "where"_a, "bits"_a)
        .def("set_bits", &set_bits, "where"_a, "bits"_a)
        .def("save", &saved<Tree, bosc_cbt_write>, "where"_a)
        .def_static("load", &loaded<Tree, bosc_cbt_read>, "where"_a, "bytes"_a);
}
