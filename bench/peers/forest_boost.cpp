// Boost's Kruskal and Prim beside our spanning forest, on one random graph with 6 edges a vertex and one thread; the
// weights are to be equal: bench_forest_boost [-n vertices]
#include <algorithm>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/kruskal_min_spanning_tree.hpp>
#include <boost/graph/prim_minimum_spanning_tree.hpp>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include <boscage/boscage.h>

namespace
{

typedef boost::adjacency_list<boost::vecS, boost::vecS, boost::undirectedS, boost::no_property,
                              boost::property<boost::edge_weight_t, int64_t>>
    Graph;

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

void check(bosc_ctx *ctx, bosc_status status)
{
    if (status == BOSC_OK) return;
    std::fprintf(stderr, "bench_forest_boost: %s\n", bosc_message(ctx));
    std::exit(1);
}

struct Edges {
    int64_t n, m;
    std::vector<uint32_t> u, v, forest;
    std::vector<int64_t> weights;
};

Edges generate(bosc_ctx *ctx, int64_t n)
{
    Edges e;
    bosc_generate_opts o = {};
    o.size = sizeof o;
    o.seed = 1;
    o.n = n;
    o.m = 6 * n;
    o.id_bits = 32;
    e.u.resize(o.m);
    e.v.resize(o.m);
    e.weights.resize(o.m);
    e.forest.resize(n);
    check(ctx, bosc_graph_generate(ctx, &o, &e.n, &e.m, e.u.data(), e.v.data(), e.weights.data(), o.m));
    return e;
}

/* The least of three runs, and the weight. */
void run_ours(bosc_ctx *ctx, Edges &e)
{
    std::vector<uint32_t> weights(e.weights.begin(), e.weights.end());
    bosc_graph_opts opts = {};
    bosc_graph *graph;
    bosc_msf_info info = {};
    opts.size = sizeof opts;
    opts.id_bits = 32;
    info.size = sizeof info;
    double build = 1e9, forest = 1e9;
    check(ctx, bosc_graph_create(ctx, &opts, &graph));
    for (int i = 0; i < 3; i++) {
        double begin = now();
        check(ctx, bosc_graph_build(ctx, graph, e.n, e.m, e.u.data(), e.v.data(), weights.data()));
        build = std::min(build, now() - begin);
        begin = now();
        check(ctx, bosc_msf(ctx, graph, nullptr, e.forest.data(), nullptr, &info));
        forest = std::min(forest, now() - begin);
    }
    bosc_graph_free(graph);
    std::printf("%-16s %12.3f %12.3f %20.0f\n", "boscage", 1e3 * build, 1e3 * forest, info.weight);
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
    double begin = now();
    Graph graph(e.n);
    for (int64_t i = 0; i < e.m; i++) boost::add_edge(e.u[i], e.v[i], e.weights[i], graph);
    double build = now() - begin;
    auto weight = boost::get(boost::edge_weight, graph);
    std::vector<Graph::edge_descriptor> found;
    found.reserve(e.n);
    begin = now();
    boost::kruskal_minimum_spanning_tree(graph, std::back_inserter(found));
    double kruskal = now() - begin;
    int64_t sum = 0;
    for (const auto &edge : found) sum += weight[edge];
    std::printf("%-16s %12.3f %12.3f %20lld\n", "Boost, Kruskal", 1e3 * build, 1e3 * kruskal, (long long)sum);
    begin = now();
    sum = prim(graph);
    std::printf("%-16s %12s %12.3f %20lld   (the component of vertex 0)\n", "Boost, Prim", "", 1e3 * (now() - begin),
                (long long)sum);
}

} // namespace

int main(int argc, char **argv)
{
    int64_t n = 1 << 20;
    bosc_ctx *ctx;
    bosc_ctx_opts o = {};
    for (int i = 1; i + 1 < argc; i += 2)
        if (!std::strcmp(argv[i], "-n")) n = std::atoll(argv[i + 1]);
    o.size = sizeof o;
    o.threads = 1;
    if (bosc_ctx_create(&o, &ctx) != BOSC_OK) return 1;
    Edges e = generate(ctx, n);
    std::printf("random, %lld vertices, %lld edges, one thread\n%-16s %12s %12s %20s\n", (long long)e.n, (long long)e.m,
                "", "build ms", "forest ms", "weight");
    run_ours(ctx, e);
    run_boost(e);
    bosc_ctx_free(ctx);
    return 0;
}
