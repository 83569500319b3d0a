/* boscage._core: the library's calls, for the modules of the package.
 * SPDX-License-Identifier: Apache-2.0 */
#include "core.hpp"

NB_MODULE(_core, m)
{
    m.doc() = "The calls of libboscage, on arrays that are checked here. The modules of the package are for people.";
    nb::set_leak_warnings(false); // modules keep places of theirs until the interpreter ends
    bind_context(m);
    bind_lock(m);
    bind_prims(m);
    bind_kdtree(m);
    bind_voxelgrid(m);
    bind_neighborlist(m);
    bind_clouds(m);
    bind_ffi(m);
    bind_voxels(m);
    bind_graph(m);
    bind_forest(m);
    bind_paths(m);
    bind_cluster(m);
    bind_hash(m);
    bind_cellgraph(m);
    bind_trie(m);
    bind_cbt(m);
    bind_terrain(m);
    bind_arrangement(m);
    bind_bisectors(m);
    bind_collision(m);
    bind_geometric(m);
    bind_planet(m);
    bind_planner(m);
    bind_random(m);
    bind_ranks(m);
}
