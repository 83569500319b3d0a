/* boscage/boscage.h - all of libboscage.
 * SPDX-License-Identifier: Apache-2.0
 *
 * The API has three families. Start with these functions; _NAME has the prefix of the first name of the line. Files are
 * in libboscage_io and MPI is in libboscage_mpi; io.h, mpi.h and device/ are included by themselves.
 *
 * Points, graphs and keys:
 *   base.h               status codes, types, conventions: bosc_status_text
 *   context.h            backend, threads or device, memory: bosc_ctx_create, _message, _free
 *   io.h                 files (libboscage_io): bosc_points_read, bosc_npy_write, bosc_edges_read, bosc_kdtree_save,
 *                        bosc_kdtree_load
 *   prims.h              scan, sort, merge, ...: bosc_scan, bosc_sort_pairs
 *   random.h             random points and relief: bosc_random_points
 *   kdtree.h             k-d trees: bosc_kdtree_create, _build, _knn, _radius
 *   voxelgrid.h          voxel grids: bosc_voxelgrid_build, _pairs
 *   neighborlist.h       neighbour lists of atoms: bosc_neighborlist_build, _pairs
 *   clouds.h             batches of point clouds: bosc_clouds_build, _knn, _sample_farthest
 *   voxels.h             voxelisation: bosc_voxels_build, _mean
 *   graph.h              weighted graphs: bosc_graph_build
 *   forest.h             spanning forests, components: bosc_msf_compute, bosc_components_compute, bosc_emst_compute
 *   cluster.h            clusters of points: bosc_dbscan_compute
 *   paths.h              shortest paths: bosc_paths_compute
 *   tour.h               short tours of points, lower bounds: bosc_tour_improve, _bound
 *   hash.h               hash tables, unique ids: bosc_hash_create, _build, _find, _unique
 *   comm.h               communicators: bosc_comm_create_threads
 *   nccl.h               communicators over NCCL: bosc_comm_create_nccl_over
 *   mpi.h                communicators over MPI (libboscage_mpi): bosc_mpi_transport
 *   ranks/kdtree.h       k-d trees over ranks: bosc_ranks_kdtree_build
 *   ranks/graph.h        saved graphs over ranks: bosc_ranks_graph_read
 *   ranks/cluster.h      clusters over ranks: bosc_ranks_dbscan_compute
 *   ranks/forest.h       forests over ranks: bosc_ranks_msf_compute
 *   ranks/hash.h         hash tables over ranks: bosc_ranks_hash_build
 *   ranks/prims.h        sorts and scans over ranks: bosc_ranks_sort_pairs
 *   device/kdtree.h      k-d trees in your kernels: bosc_kdtree_get_view
 *   device/kdtree_box.h  boxes in your kernels: bosc_kdtree_get_view
 *   device/hash.h        hash tables in your kernels: bosc_hash_get_view
 *   device/hash_slots.h  other layouts in your kernels: bosc_hash_get_slots_view
 *
 * Meshes:
 *   cbt.h                concurrent binary trees: bosc_cbt_create, _update_and_decode
 *   bisector.h           pools of bisectors: bosc_bisectors_update
 *   terrain.h            meshes of height rasters: bosc_terrain_build, _select, _get_mesh
 *   planet.h             meshes of planets: bosc_planet_build, _select
 *   collision.h          triangles that touch: bosc_collision_build, _pairs
 *   device/cbt.h         trees in your kernels: bosc_cbt_get_view
 *   device/cbt_heap.h    the published heap in your kernels: bosc_cbt_get_heap_view
 *
 * Motion:
 *   plan.h               constraints of scenes in SO(3): bosc_plan_build
 *   planner.h            routes and proofs: bosc_planner_build, _route
 *   cellgraph.h          pairs at Hamming distance 1: bosc_cellgraph_build, _get_pairs
 *   arrangement.h        cells between planes, exact: bosc_arrangement_build
 *   geometric.h          models of points in a scene: bosc_geometric_build, _find
 *   trie.h               dictionaries of long vectors: bosc_trie_build, _find
 *   ranks/cellgraph.h    cell graphs over ranks: bosc_ranks_cellgraph_build */
#ifndef BOSCAGE_BOSCAGE_H
#define BOSCAGE_BOSCAGE_H

#include <boscage/arrangement.h>
#include <boscage/base.h>
#include <boscage/bisector.h>
#include <boscage/cbt.h>
#include <boscage/cellgraph.h>
#include <boscage/clouds.h>
#include <boscage/collision.h>
#include <boscage/cluster.h>
#include <boscage/comm.h>
#include <boscage/context.h>
#include <boscage/ranks.h>
#include <boscage/forest.h>
#include <boscage/geometric.h>
#include <boscage/graph.h>
#include <boscage/hash.h>
#include <boscage/kdtree.h>
#include <boscage/nccl.h>
#include <boscage/neighborlist.h>
#include <boscage/paths.h>
#include <boscage/plan.h>
#include <boscage/planet.h>
#include <boscage/planner.h>
#include <boscage/prims.h>
#include <boscage/random.h>
#include <boscage/terrain.h>
#include <boscage/tour.h>
#include <boscage/trie.h>
#include <boscage/voxelgrid.h>
#include <boscage/voxels.h>

#endif
