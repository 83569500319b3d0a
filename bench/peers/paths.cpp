// Boost's Dijkstra and breadth-first search, on compressed rows, for bench_paths; nothing where Boost is missing.
#include "peers/paths.h"

#ifdef BENCH_BOOST_GRAPH
#include <algorithm>
#include <boost/graph/breadth_first_search.hpp>
#include <boost/graph/compressed_sparse_row_graph.hpp>
#include <boost/graph/dijkstra_shortest_paths.hpp>
#include <utility>
#include <vector>

namespace
{

struct arc {
    uint32_t length;
};
typedef boost::compressed_sparse_row_graph<boost::directedS, boost::no_property, arc, boost::no_property, uint32_t,
                                           uint32_t>
    rows;

} // namespace

void *peer_paths_open(const uint32_t *u, const uint32_t *v, const uint32_t *weights, int64_t n, int64_t m)
{
    std::vector<std::pair<uint32_t, uint32_t>> ends;
    std::vector<arc> arcs;
    ends.reserve(2 * m);
    arcs.reserve(2 * m);
    for (int64_t i = 0; i < m; i++) {
        ends.emplace_back(u[i], v[i]);
        ends.emplace_back(v[i], u[i]);
        arcs.insert(arcs.end(), 2, arc{weights[i]});
    }
    return new rows(boost::edges_are_unsorted_multi_pass, ends.begin(), ends.end(), arcs.begin(), (uint32_t)n);
}

void peer_paths_close(void *graph) { delete static_cast<rows *>(graph); }

void peer_paths_dijkstra(const void *graph, uint32_t source, uint64_t *distances)
{
    const rows &g = *static_cast<const rows *>(graph);
    const auto index = boost::get(boost::vertex_index, g);
    boost::dijkstra_shortest_paths(g, source,
                                   boost::weight_map(boost::get(&arc::length, g))
                                       .distance_map(boost::make_iterator_property_map(distances, index))
                                       .distance_inf(UINT64_MAX)
                                       .distance_zero((uint64_t)0));
}

void peer_paths_breadth_first(const void *graph, uint32_t source, uint64_t *distances)
{
    const rows &g = *static_cast<const rows *>(graph);
    const auto index = boost::get(boost::vertex_index, g);
    std::fill(distances, distances + boost::num_vertices(g), UINT64_MAX);
    distances[source] = 0;
    const auto written = boost::make_iterator_property_map(distances, index);
    boost::breadth_first_search(
        g, source, boost::visitor(boost::make_bfs_visitor(boost::record_distances(written, boost::on_tree_edge()))));
}
#else
void *peer_paths_open(const uint32_t *, const uint32_t *, const uint32_t *, int64_t, int64_t) { return nullptr; }
void peer_paths_close(void *) {}
void peer_paths_dijkstra(const void *, uint32_t, uint64_t *) {}
void peer_paths_breadth_first(const void *, uint32_t, uint64_t *) {}
#endif
