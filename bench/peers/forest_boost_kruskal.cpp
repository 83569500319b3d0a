// Boost's Kruskal, for bench_paper_mst.
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/kruskal_min_spanning_tree.hpp>
#include <vector>

#include "harness/bench.h"
#include "peers/forest.h"

double peer_forest_boost(const struct forest_edges *e, double *seconds)
{
    typedef boost::adjacency_list<boost::vecS, boost::vecS, boost::undirectedS, boost::no_property,
                                  boost::property<boost::edge_weight_t, uint32_t>>
        Graph;
    Graph graph(e->n);
    for (int64_t i = 0; i < e->m; i++) boost::add_edge(e->u[i], e->v[i], e->weights[i], graph);
    auto weight = boost::get(boost::edge_weight, graph);
    std::vector<Graph::edge_descriptor> found;
    found.reserve(e->n);
    const double begin = bench_now();
    boost::kruskal_minimum_spanning_tree(graph, std::back_inserter(found));
    *seconds = bench_now() - begin;
    uint64_t sum = 0;
    for (const auto &edge : found) sum += weight[edge];
    return (double)sum;
}
