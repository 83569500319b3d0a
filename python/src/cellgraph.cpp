/* Cell graphs.
 * SPDX-License-Identifier: Apache-2.0 */
#include "core.hpp"

namespace
{

bosc_cellgraph_info info_of(Call &call, Cells &graph)
{
    return described<bosc_cellgraph_info, bosc_cellgraph_get_info>(call, graph);
}

void create(Cells *self, const Where &where, int32_t length, int32_t letter_bits, int method, bool implied_edges)
{
    auto opts = sized<bosc_cellgraph_opts>();
    opts.length = length;
    opts.letter_bits = letter_bits;
    opts.method = static_cast<bosc_cellgraph_method>(method);
    opts.implied_edges = implied_edges;
    construct_handle(self, where,
                     [&](bosc_ctx *ctx, bosc_cellgraph **of) { return bosc_cellgraph_create(ctx, &opts, of); });
}

nb::dict info(Cells &graph, const Where &where)
{
    Reading call(where, graph);
    bosc_cellgraph_info about = info_of(call, graph);
    nb::dict d;
    d["n"] = about.n;
    d["vertices"] = about.vertices;
    d["edges"] = about.edges;
    d["words"] = about.words;
    d["method"] = static_cast<int>(about.method);
    d["bytes"] = about.bytes;
    return d;
}

template <auto CHANGE> void write_vectors(Cells &graph, const Where &where, const In &vectors)
{
    Writing call(where, graph);
    Rows rows = rows_of(where, vectors, BOSC_U64, info_of(call, graph).words, "vectors");
    call.run([&](bosc_ctx *ctx) {
        return CHANGE(ctx, graph.of, static_cast<const uint64_t *>(rows.data), rows.n, rows.stride);
    });
}

void get_vertices(Cells &graph, const Where &where, const Out &vectors, const Out &representatives,
                  const Out &multiplicities, const Out &vertex_of)
{
    Reading call(where, graph);
    bosc_cellgraph_info about = info_of(call, graph);
    uint64_t *v = typed_room<uint64_t>(where, vectors, BOSC_U64, about.vertices * about.words, "vectors");
    void *r = room(where, representatives, BOSC_I64, about.vertices, "representatives");
    int64_t *m = typed_room<int64_t>(where, multiplicities, BOSC_I64, about.vertices, "multiplicities");
    void *of = room(where, vertex_of, BOSC_I64, about.n, "vertex_of");
    call.run([&](bosc_ctx *ctx) { return bosc_cellgraph_get_vertices(ctx, graph.of, v, r, m, of); });
}

void get_pairs(Cells &graph, const Where &where, const Out &pairs, const Out &positions)
{
    Reading call(where, graph);
    bosc_cellgraph_info about = info_of(call, graph);
    void *p = room(where, pairs, BOSC_I64, 2 * about.edges, "pairs");
    uint32_t *at = typed_room<uint32_t>(where, positions, BOSC_U32, about.edges, "positions");
    call.run([&](bosc_ctx *ctx) { return bosc_cellgraph_get_pairs(ctx, graph.of, p, at); });
}

void get_rows(Cells &graph, const Where &where, const Out &offsets, const Out &neighbours, const Out &positions)
{
    Reading call(where, graph);
    bosc_cellgraph_info about = info_of(call, graph);
    int64_t *starts = typed_room<int64_t>(where, offsets, BOSC_I64, about.vertices + 1, "offsets");
    void *to = room(where, neighbours, BOSC_I64, 2 * about.edges, "neighbours");
    uint32_t *at = typed_room<uint32_t>(where, positions, BOSC_U32, 2 * about.edges, "positions");
    call.run([&](bosc_ctx *ctx) { return bosc_cellgraph_get_rows(ctx, graph.of, starts, to, at); });
}

int64_t components(Cells &graph, const Where &where, const In &mask, const Out &labels)
{
    Reading call(where, graph);
    bosc_cellgraph_info about = info_of(call, graph);
    const uint8_t *there = typed<uint8_t>(where, mask, BOSC_U8, about.vertices, "mask");
    void *to = room(where, labels, BOSC_I64, about.vertices, "labels");
    int64_t count = 0;
    call.run([&](bosc_ctx *ctx) { return bosc_cellgraph_components_masked(ctx, graph.of, there, to, &count); });
    return count;
}

nb::tuple levels(Cells &graph, const Where &where, int64_t source, const In &mask, const Out &levels,
                 const Out &parents)
{
    Reading call(where, graph);
    bosc_cellgraph_info about = info_of(call, graph);
    const uint8_t *there = typed<uint8_t>(where, mask, BOSC_U8, about.vertices, "mask");
    void *level = room(where, levels, BOSC_I64, about.vertices, "levels");
    void *parent = room(where, parents, BOSC_I64, about.vertices, "parents");
    int64_t reached = 0, depth = 0;
    call.run([&](bosc_ctx *ctx) {
        return bosc_cellgraph_levels_masked(ctx, graph.of, source, there, level, parent, &reached, &depth);
    });
    return nb::make_tuple(reached, depth);
}

int64_t path(Cells &graph, const Where &where, int64_t from, int64_t to, const In &mask, const Out &path)
{
    Reading call(where, graph);
    const uint8_t *there = typed<uint8_t>(where, mask, BOSC_U8, info_of(call, graph).vertices, "mask");
    void *way = room(where, path, BOSC_I64, size_of(path), "path");
    int64_t length = 0;
    call.run([&](bosc_ctx *ctx) {
        return bosc_cellgraph_path_masked(ctx, graph.of, from, to, there, way, size_of(path), &length);
    });
    return length;
}

} // namespace

void bind_cellgraph(nb::module_ &m)
{
    m.def("cellgraph_table_bits", [] { return BOSC_CELLGRAPH_TABLE_BITS; });
    nb::class_<Cells, Lock>(m, "CellGraph")
        .def("__init__", &create, "where"_a, "length"_a, "letter_bits"_a, "method"_a, "implied_edges"_a)
        .def("info", &info, "where"_a)
        .def("build", &write_vectors<bosc_cellgraph_build>, "where"_a, "vectors"_a)
        .def("add", &write_vectors<bosc_cellgraph_add>, "where"_a, "vectors"_a)
        .def("get_vertices", &get_vertices, "where"_a, "vectors"_a.none(), "representatives"_a.none(),
             "multiplicities"_a.none(), "vertex_of"_a.none())
        .def("get_pairs", &get_pairs, "where"_a, "pairs"_a.none(), "positions"_a.none())
        .def("get_rows", &get_rows, "where"_a, "offsets"_a.none(), "neighbours"_a.none(), "positions"_a.none())
        .def("components", &components, "where"_a, "mask"_a.none(), "labels"_a.none())
        .def("levels", &levels, "where"_a, "source"_a, "mask"_a.none(), "levels"_a.none(), "parents"_a.none())
        .def("path", &path, "where"_a, "source"_a, "target"_a, "mask"_a.none(), "path"_a.none());
    m.def("words", &bosc_cellgraph_words, "length"_a, "letter_bits"_a);
}
