// Boost's Kruskal, Prim and components beside our spanning forest and components, on the graph of bench_forest and with
// one thread; weights and numbers of components must be equal (compare the notes): bench_forest_boost [-n vertices] [-k
// kind]
#include <algorithm>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/connected_components.hpp>
#include <boost/graph/kruskal_min_spanning_tree.hpp>
#include <boost/graph/prim_minimum_spanning_tree.hpp>
#include <boost/pending/disjoint_sets.hpp>
#include <numeric>
#include <vector>

#include "harness/bench.h"
#include "harness/shapes.h"

namespace
{

typedef boost::adjacency_list<boost::vecS, boost::vecS, boost::undirectedS, boost::no_property,
                              boost::property<boost::edge_weight_t, int64_t>>
    Graph;

struct Edges {
    int64_t n, m;
    std::vector<uint32_t> u, v, forest;
    std::vector<int64_t> weights;
};

const char *kind = "random";

Edges generate(int64_t n)
{
    Edges e;
    bosc_graph_generate_opts o = {};
    o.size = sizeof o;
    o.seed = 1;
    o.n = n;
    o.m = bench_graph_edges(kind, n);
    o.kind = bench_graph_kind(kind);
    o.id_bits = 32;
    BENCH(bosc_graph_generate(bench.ctx, &o, &e.n, &e.m, nullptr, nullptr, nullptr, 0));
    e.u.resize(e.m);
    e.v.resize(e.m);
    e.weights.resize(e.m);
    e.forest.resize(e.n);
    BENCH(bosc_graph_generate(bench.ctx, &o, &e.n, &e.m, e.u.data(), e.v.data(), e.weights.data(), e.m));
    return e;
}

template <class F> bench_times time_of(int repeats, const F &f)
{
    std::vector<double> seconds;
    for (int i = 0; i < repeats; i++) {
        const double begin = bench_now();
        f();
        seconds.push_back(bench_now() - begin);
    }
    return bench_median_of(seconds.data(), repeats);
}

void print(const char *library, const char *name, int64_t m, bench_times times, const char *note)
{
    struct bench_row row = {};
    row.name = name;
    row.library = library;
    row.data = kind;
    row.n = m;
    row.ours = times;
    row.note = note;
    bench_print(&row);
}

// Ours, of the graph and of the list of edges, whose labels must be equal.
void run_our_components(const Edges &e, const bosc_graph_opts &opts, const bosc_graph *graph)
{
    std::vector<uint32_t> labels(e.n), labels_of_list(e.n);
    int64_t count = 0, count_of_list = 0;
    const bench_times of_graph = time_of(
        bench.repeats, [&] { BENCH(bosc_components_compute(bench.ctx, graph, nullptr, labels.data(), &count)); });
    const bench_times of_list = time_of(bench.repeats, [&] {
        BENCH(bosc_components_compute_edges(bench.ctx, &opts, nullptr, e.u.data(), e.v.data(), nullptr, e.n, e.m,
                                            labels_of_list.data(), &count_of_list));
    });
    bench_check(labels == labels_of_list && count == count_of_list, "the edge list has other components");
    print("boscage, one thread", "components", e.m, of_graph, bench_text("%lld components", (long long)count));
    print("boscage, one thread", "components of the edge list", e.m, of_list, "");
}

void run_ours(Edges &e)
{
    std::vector<uint32_t> weights(e.weights.begin(), e.weights.end());
    bosc_graph_opts opts = {};
    bosc_graph *graph;
    bosc_msf_info info = {};
    opts.size = sizeof opts;
    opts.id_bits = 32;
    info.size = sizeof info;
    BENCH(bosc_graph_create(bench.ctx, &opts, &graph));
    const bench_times build = time_of(bench.repeats, [&] {
        BENCH(bosc_graph_build(bench.ctx, graph, e.u.data(), e.v.data(), weights.data(), e.n, e.m));
    });
    const bench_times forest = time_of(
        bench.repeats, [&] { BENCH(bosc_msf_compute(bench.ctx, graph, nullptr, e.forest.data(), nullptr, &info)); });
    print("boscage, one thread", "build", e.m, build, "");
    print("boscage, one thread", "auto", e.m, forest, bench_text("weight %.0f", info.weight));
    run_our_components(e, opts, graph);
    bosc_graph_free(graph);
}

// Components by a search of the graph, and by disjoint sets of the list of edges, labelled with their least vertex.
void run_boost_components(const Edges &e, const Graph &graph)
{
    std::vector<uint32_t> labels(e.n), ranks(e.n), parents(e.n);
    int64_t count = 0;
    const bench_times search =
        time_of(bench.repeats, [&] { count = boost::connected_components(graph, labels.data()); });
    print("Boost", "components", e.m, search, bench_text("%lld components", (long long)count));
    const bench_times sets = time_of(bench.repeats, [&] {
        boost::disjoint_sets<uint32_t *, uint32_t *> all(ranks.data(), parents.data());
        std::fill(ranks.begin(), ranks.end(), 0);
        std::iota(parents.begin(), parents.end(), 0);
        for (int64_t i = 0; i < e.m; i++) all.union_set(e.u[i], e.v[i]);
        all.normalize_sets(parents.begin(), parents.end());
        all.compress_sets(parents.begin(), parents.end());
        count = 0;
        for (int64_t i = 0; i < e.n; i++) count += parents[i] == (uint32_t)i;
    });
    print("Boost", "components of the edge list", e.m, sets, bench_text("%lld components", (long long)count));
}

int64_t prim(const Graph &graph)
{
    auto weight = boost::get(boost::edge_weight, graph);
    std::vector<Graph::vertex_descriptor> above(boost::num_vertices(graph));
    boost::prim_minimum_spanning_tree(graph, above.data());
    int64_t sum = 0;
    for (size_t v = 0; v < above.size(); v++) {
        if (above[v] == v) continue;
        int64_t least = INT64_MAX; /* of parallel edges */
        for (auto range = boost::out_edges(v, graph); range.first != range.second; ++range.first)
            if (boost::target(*range.first, graph) == above[v]) least = std::min(least, weight[*range.first]);
        sum += least;
    }
    return sum;
}

void run_boost(const Edges &e)
{
    /* 1. The graph, and the forest by Kruskal. */
    Graph graph(e.n);
    const bench_times build = time_of(1, [&] {
        for (int64_t i = 0; i < e.m; i++) boost::add_edge(e.u[i], e.v[i], e.weights[i], graph);
    });
    print("Boost", "build", e.m, build, "");
    auto weight = boost::get(boost::edge_weight, graph);
    std::vector<Graph::edge_descriptor> found;
    found.reserve(e.n);
    const bench_times kruskal =
        time_of(1, [&] { boost::kruskal_minimum_spanning_tree(graph, std::back_inserter(found)); });
    int64_t sum = 0;
    for (const auto &edge : found) sum += weight[edge];
    print("Boost, Kruskal", "auto", e.m, kruskal, bench_text("weight %lld", (long long)sum));
    /* 2. By Prim, if there is one tree: others are not reached. Then components. */
    if ((int64_t)found.size() + 1 == e.n) {
        const bench_times prims = time_of(1, [&] { sum = prim(graph); });
        print("Boost, Prim", "auto", e.m, prims, bench_text("weight %lld", (long long)sum));
    }
    run_boost_components(e, graph);
}

} // namespace

int main(int argc, char **argv)
{
    bench.n = 1 << 20;
    bench.repeats = 3;
    bench.opts.threads = 1;
    const bench_option own[] = {{'k', BENCH_TEXT, &kind, SHAPE_TEXT(GRAPH_SHAPES)}};
    bench_options(argc, argv, "vertices", own, 1);
    bench_open();
    Edges e = generate(bench.n);
    bench_say("%s, %lld vertices, %lld edges", kind, (long long)e.n, (long long)e.m);
    run_ours(e);
    run_boost(e);
    return bench_close();
}
