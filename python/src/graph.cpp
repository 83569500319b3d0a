/* Graphs, and the forests and components of one.
 * SPDX-License-Identifier: Apache-2.0 */
#include "core.hpp"

namespace
{

bosc_graph_info info_of(Call &call, Graph &graph)
{
    return described<bosc_graph_info, bosc_graph_get_info>(call, graph);
}

void create(Graph *self, const Where &where, int weight, int arcs, int parallel, int nan, bool drop_loops)
{
    auto opts = sized<bosc_graph_opts>();
    opts.weight = static_cast<bosc_dtype>(weight);
    opts.arcs = static_cast<bosc_graph_arcs>(arcs);
    opts.parallel = static_cast<bosc_graph_parallel>(parallel);
    opts.nan = static_cast<bosc_graph_nan>(nan);
    opts.drop_loops = drop_loops;
    construct_handle(self, where, [&](bosc_ctx *ctx, bosc_graph **of) { return bosc_graph_create(ctx, &opts, of); });
}

nb::dict info(Graph &graph, const Where &where)
{
    Reading call(where, graph);
    bosc_graph_info about = info_of(call, graph);
    nb::dict d;
    d["n"] = about.n;
    d["entries"] = about.entries;
    d["m"] = about.m;
    d["bytes"] = about.bytes;
    return d;
}

void build_graph(Graph &graph, const Where &where, const In &u, const In &v, const In &weights, int64_t n)
{
    Writing call(where, graph);
    bosc_graph_info about = info_of(call, graph);
    int64_t m = size_of(u);
    const void *from = elements(where, u, BOSC_I64, m, "u"), *to = elements(where, v, BOSC_I64, m, "v");
    const void *w = elements(where, weights, about.weight, m, "weights");
    call.run([&](bosc_ctx *ctx) { return bosc_graph_build(ctx, graph.of, from, to, w, n, m); });
}

void build_rows(Graph &graph, const Where &where, const In &offsets, const In &neighbours, const In &weights)
{
    Writing call(where, graph);
    bosc_graph_info about = info_of(call, graph);
    int64_t n = size_of(offsets) - 1, m = size_of(neighbours);
    if (n < 0) throw nb::value_error("offsets: none");
    const int64_t *starts = typed<int64_t>(where, offsets, BOSC_I64, n + 1, "offsets");
    const void *to = elements(where, neighbours, BOSC_I64, m, "neighbours");
    const void *w = elements(where, weights, about.weight, m, "weights");
    int64_t last = 0;
    call.run([&](bosc_ctx *ctx) { return bosc_ctx_copy(ctx, &last, starts + n, sizeof last); });
    if (last != m) throw nb::value_error("offsets: the last one is not the number of neighbours");
    call.run([&](bosc_ctx *ctx) { return bosc_graph_build_rows(ctx, graph.of, starts, to, w, n); });
}

struct Forest {
    bosc_msf_opts opts = sized<bosc_msf_opts>();
    explicit Forest(bool maximum) { opts.maximum = maximum; }
};

/* (edges, trees, weight); ids are written to the front of `edges`. */
nb::tuple forest(Graph &graph, const Where &where, bool maximum, const Out &edges, const Out &labels)
{
    Reading call(where, graph);
    bosc_graph_info about = info_of(call, graph);
    int64_t most = about.n > 0 && about.n - 1 < about.m ? about.n - 1 : about.m;
    Forest forest(maximum);
    void *ids = room(where, edges, BOSC_I64, about.n > 0 ? most : 0, "edges");
    void *tree_of = room(where, labels, BOSC_I64, about.n, "labels");
    auto info = sized<bosc_msf_info>();
    call.run([&](bosc_ctx *ctx) { return bosc_msf_compute(ctx, graph.of, &forest.opts, ids, tree_of, &info); });
    return nb::make_tuple(info.edges, info.trees, info.weight);
}

void verify(Graph &graph, const Where &where, bool maximum, const In &edges)
{
    Reading call(where, graph);
    Forest forest(maximum);
    const void *ids = elements(where, edges, BOSC_I64, size_of(edges), "edges");
    call.run([&](bosc_ctx *ctx) { return bosc_msf_verify(ctx, graph.of, &forest.opts, ids, size_of(edges), nullptr); });
}

int64_t components(Graph &graph, const Where &where, const Out &labels)
{
    Reading call(where, graph);
    bosc_graph_info about = info_of(call, graph);
    void *to = room(where, labels, BOSC_I64, about.n, "labels");
    int64_t count = 0;
    call.run([&](bosc_ctx *ctx) { return bosc_components_compute(ctx, graph.of, nullptr, to, &count); });
    return count;
}

} // namespace

void bind_graph(nb::module_ &m)
{
    nb::class_<Graph, Lock>(m, "Graph")
        .def("__init__", &create, "where"_a, "weight"_a, "arcs"_a = 0, "parallel"_a = 0, "nan"_a = 0,
             "drop_loops"_a = false)
        .def("info", &info, "where"_a)
        .def("build", &build_graph, "where"_a, "u"_a, "v"_a, "weights"_a.none(), "n"_a)
        .def("build_rows", &build_rows, "where"_a, "offsets"_a, "neighbours"_a, "weights"_a.none())
        .def("forest", &forest, "where"_a, "maximum"_a, "edges"_a.none(), "labels"_a.none())
        .def("verify", &verify, "where"_a, "maximum"_a, "edges"_a)
        .def("components", &components, "where"_a, "labels"_a.none());
}
