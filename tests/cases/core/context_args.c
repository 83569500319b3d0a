/* Calls without a context: each is refused by its status alone, as there is no place for a message. */
#include <boscage/boscage.h>
#include <boscage/bisector.h>
#include <boscage/cbt.h>
#include <boscage/arrangement.h>
#include <boscage/tour.h>
#include <boscage/cellgraph.h>
#include <boscage/collision.h>
#include <boscage/neighborlist.h>
#include <boscage/ranks.h>
#include <boscage/forest.h>
#include <boscage/geometric.h>
#include <boscage/graph.h>
#include <boscage/hash.h>
#include <boscage/plan.h>
#include <boscage/planner.h>
#include <boscage/trie.h>
#include <boscage/voxelgrid.h>

#include "support/suite.h"

#define REFUSED(call) CHECK_EQ(call, BOSC_ERR_ARG)

static void of_bisector(void)
{
    REFUSED(bosc_bisectors_create(NULL, NULL, NULL));
    REFUSED(bosc_bisectors_reserve(NULL, NULL, 0));
    REFUSED(bosc_bisectors_bytes(NULL, NULL, 0, NULL, NULL));
    REFUSED(bosc_bisectors_reset(NULL, NULL, 0));
    REFUSED(bosc_bisectors_split(NULL, NULL, NULL, 0));
    REFUSED(bosc_bisectors_merge(NULL, NULL, NULL, 0));
    REFUSED(bosc_bisectors_update(NULL, NULL, NULL, 0, NULL, 0));
    REFUSED(bosc_bisectors_decode(NULL, NULL, 0, 0, NULL));
    REFUSED(bosc_bisectors_encode(NULL, NULL, NULL, 0, NULL));
    REFUSED(bosc_bisectors_get_neighbours(NULL, NULL, NULL, 0, NULL));
    REFUSED(bosc_bisectors_get_corners(NULL, NULL, 0, 0, NULL, NULL));
    REFUSED(bosc_bisectors_locate(NULL, NULL, NULL, NULL, 0, NULL));
    REFUSED(bosc_bisectors_set_nodes(NULL, NULL, NULL, 0));
    REFUSED(bosc_bisectors_get_info(NULL, NULL, NULL));
    REFUSED(bosc_bisectors_write(NULL, NULL, NULL, NULL));
    REFUSED(bosc_bisectors_read(NULL, NULL, NULL, NULL));
}

static void of_cbt(void)
{
    /* All functions of cbt.h. */
    REFUSED(bosc_cbt_create(NULL, NULL, NULL));
    REFUSED(bosc_cbt_reserve(NULL, NULL));
    REFUSED(bosc_cbt_bytes(NULL, NULL, NULL, NULL, NULL));
    REFUSED(bosc_cbt_reset(NULL, NULL, 0));
    REFUSED(bosc_cbt_split(NULL, NULL, NULL, 0));
    REFUSED(bosc_cbt_merge(NULL, NULL, NULL, 0));
    REFUSED(bosc_cbt_reduce(NULL, NULL));
    REFUSED(bosc_cbt_update(NULL, NULL, NULL, 0, NULL, 0));
    REFUSED(bosc_cbt_update_and_decode(NULL, NULL, NULL, 0, NULL, NULL, 0));
    REFUSED(bosc_cbt_gather_payload(NULL, NULL, 0, NULL, 0, 0, NULL));
    REFUSED(bosc_cbt_for_each(NULL, NULL, NULL, NULL));
    REFUSED(bosc_cbt_decode(NULL, NULL, 0, 0, NULL));
    REFUSED(bosc_cbt_decode_at(NULL, NULL, NULL, 0, NULL));
    REFUSED(bosc_cbt_encode(NULL, NULL, NULL, 0, NULL));
    REFUSED(bosc_cbt_heap_read(NULL, NULL, NULL, 0, NULL));
    REFUSED(bosc_cbt_get_bits(NULL, NULL, NULL));
    REFUSED(bosc_cbt_set_bits(NULL, NULL, NULL));
    REFUSED(bosc_cbt_recount(NULL, NULL));
    REFUSED(bosc_cbt_get_heap(NULL, NULL, NULL));
    REFUSED(bosc_cbt_set_heap(NULL, NULL, NULL));
    REFUSED(bosc_cbt_validate(NULL, NULL, 0, NULL));
    REFUSED(bosc_cbt_repair(NULL, NULL, 0));
    REFUSED(bosc_cbt_get_info(NULL, NULL, NULL));
    REFUSED(bosc_cbt_write(NULL, NULL, NULL, NULL));
    REFUSED(bosc_cbt_read(NULL, NULL, NULL, NULL));
}

static void of_tour(void)
{
    REFUSED(bosc_tour_improve(NULL, NULL, 0, 0, NULL, NULL, NULL));
    REFUSED(bosc_tour_bound(NULL, NULL, 0, 0, NULL, NULL));
}

static void of_arrangement(void) { REFUSED(bosc_arrangement_build(NULL, NULL, 1, 2, NULL, NULL)); }

static void of_cellgraph(void)
{
    REFUSED(bosc_cellgraph_create(NULL, NULL, NULL));
    REFUSED(bosc_cellgraph_reset(NULL, NULL, 1));
    REFUSED(bosc_cellgraph_reserve(NULL, NULL, 0, 0));
    REFUSED(bosc_cellgraph_bytes(NULL, NULL, 0, 0, NULL, NULL));
    REFUSED(bosc_cellgraph_build(NULL, NULL, NULL, 0, 0));
    REFUSED(bosc_cellgraph_add(NULL, NULL, NULL, 0, 0));
    REFUSED(bosc_cellgraph_get_info(NULL, NULL, NULL));
    REFUSED(bosc_cellgraph_get_vertices(NULL, NULL, NULL, NULL, NULL, NULL));
    REFUSED(bosc_cellgraph_get_pairs(NULL, NULL, NULL, NULL));
    REFUSED(bosc_cellgraph_get_rows(NULL, NULL, NULL, NULL, NULL));
    REFUSED(bosc_cellgraph_components(NULL, NULL, NULL, NULL));
    REFUSED(bosc_cellgraph_components_masked(NULL, NULL, NULL, NULL, NULL));
    REFUSED(bosc_cellgraph_prepare(NULL, NULL));
    REFUSED(bosc_cellgraph_levels(NULL, NULL, 0, NULL, NULL, NULL, NULL));
    REFUSED(bosc_cellgraph_levels_masked(NULL, NULL, 0, NULL, NULL, NULL, NULL, NULL));
    REFUSED(bosc_cellgraph_path(NULL, NULL, 0, 0, NULL, 0, NULL));
    REFUSED(bosc_cellgraph_path_masked(NULL, NULL, 0, 0, NULL, NULL, 0, NULL));
}

static void of_collision(void)
{
    REFUSED(bosc_collision_create(NULL, NULL, NULL));
    REFUSED(bosc_collision_reserve(NULL, NULL, NULL));
    REFUSED(bosc_collision_bytes(NULL, NULL, NULL, NULL, NULL));
    REFUSED(bosc_collision_build(NULL, NULL, NULL, NULL));
    REFUSED(bosc_collision_get_info(NULL, NULL, NULL));
    REFUSED(bosc_collision_pairs(NULL, NULL, NULL, 0, NULL));
    REFUSED(bosc_collision_rows(NULL, NULL, NULL, NULL, 0));
}

static void of_comm(void)
{
    REFUSED(bosc_comm_create_self(NULL, NULL, NULL));
    REFUSED(bosc_comm_create_threads(NULL, 0, NULL, NULL));
    REFUSED(bosc_comm_create(NULL, NULL, 0, 0, NULL, NULL));
    REFUSED(bosc_comm_barrier(NULL, NULL));
    REFUSED(bosc_comm_get_info(NULL, NULL, NULL));
}

static void of_context(void)
{
    REFUSED(bosc_ctx_sync(NULL));
    REFUSED(bosc_ctx_set_stream(NULL, NULL));
    REFUSED(bosc_ctx_get_info(NULL, NULL));
    REFUSED(bosc_ctx_trim(NULL));
    REFUSED(bosc_ctx_alloc(NULL, 0, NULL));
    REFUSED(bosc_ctx_copy(NULL, NULL, NULL, 0));
}

static void of_hdbscan(void)
{
    REFUSED(bosc_cluster_compute_centers(NULL, NULL, 0, 0, NULL, NULL, NULL, 0, NULL, NULL));
    REFUSED(bosc_cluster_compute_validity(NULL, NULL, 0, 0, NULL, NULL, 0, NULL, NULL));
    REFUSED(bosc_hdbscan_create(NULL, NULL, 0, 0, NULL, NULL));
    REFUSED(bosc_hdbscan_get_model(NULL, NULL, NULL, NULL, NULL, NULL));
    REFUSED(bosc_hdbscan_write(NULL, NULL, NULL, NULL));
    REFUSED(bosc_hdbscan_read(NULL, NULL, NULL, NULL));
    REFUSED(bosc_hdbscan_compute_memberships(NULL, NULL, 0, NULL));
    REFUSED(bosc_hdbscan_list_exemplars(NULL, NULL, 0, NULL, NULL, NULL));
    REFUSED(bosc_hdbscan_predict_memberships(NULL, NULL, NULL, NULL, 0, 0, 0, NULL));
    REFUSED(bosc_hdbscan_compute(NULL, NULL, 0, 0, NULL, NULL, NULL, NULL, NULL));
    REFUSED(bosc_hdbscan_compute_linkage(NULL, NULL, 0, 0, NULL, NULL));
    REFUSED(bosc_hdbscan_condense(NULL, NULL, 0, NULL, NULL, NULL, NULL, NULL));
    REFUSED(bosc_hdbscan_predict(NULL, NULL, NULL, NULL, 0, 0, NULL, NULL));
    REFUSED(bosc_hdbscan_select(NULL, NULL, 0, NULL, NULL, NULL, NULL, NULL));
    REFUSED(bosc_linkage_order(NULL, NULL, 0, NULL));
    REFUSED(bosc_linkage_cophenet(NULL, NULL, 0, NULL));
    REFUSED(bosc_linkage_cut(NULL, NULL, 0, 0, NULL, NULL));
}

static void of_forest(void)
{
    REFUSED(bosc_msf_compute(NULL, NULL, NULL, NULL, NULL, NULL));
    REFUSED(bosc_msf_verify(NULL, NULL, NULL, NULL, 0, NULL));
    REFUSED(bosc_components_compute(NULL, NULL, NULL, NULL, NULL));
    REFUSED(bosc_emst_compute(NULL, NULL, 0, 0, NULL, NULL, NULL));
    REFUSED(bosc_emst_compute_mutual(NULL, NULL, 0, 0, NULL, 1, NULL, NULL, NULL));
    REFUSED(bosc_emst_compute_minkowski(NULL, NULL, 0, 0, NULL, 1, 0, NULL, NULL, NULL));
    REFUSED(bosc_emst_verify(NULL, NULL, 0, 0, NULL, 0, NULL, NULL));
    REFUSED(bosc_emst_find_replacements(NULL, NULL, 0, 0, NULL, 0, NULL, NULL, NULL));
    REFUSED(bosc_linkage_compute(NULL, NULL, NULL, 0, NULL, NULL));
    REFUSED(bosc_tour_compute(NULL, NULL, 0, NULL, NULL));
}

static void of_cluster(void)
{
    REFUSED(bosc_dbscan_compute(NULL, NULL, 0, 0, 0, 1, NULL, NULL, NULL, NULL));
    REFUSED(bosc_dbscan_compute_tree(NULL, NULL, 0, 1, NULL, NULL, NULL, NULL));
    REFUSED(bosc_dbscan_bytes(NULL, NULL, 0, NULL));
    REFUSED(bosc_hdbscan_bytes(NULL, NULL, 0, NULL));
    REFUSED(bosc_emst_bytes(NULL, NULL, 0, 0, NULL));
    REFUSED(bosc_linkage_bytes(NULL, NULL, 0, NULL));
    REFUSED(bosc_emst_verify_minkowski(NULL, NULL, 0, 0, NULL, 1, 0, NULL, NULL));
    REFUSED(bosc_emst_find_replacements_minkowski(NULL, NULL, 0, 0, NULL, 1, 0, NULL, NULL, NULL));
}

static void of_paths(void)
{
    REFUSED(bosc_paths_compute(NULL, NULL, NULL, 0, NULL, NULL, NULL, NULL, NULL, NULL));
    REFUSED(bosc_paths_compute_rows(NULL, NULL, NULL, NULL, NULL, 0, NULL, 0, NULL, NULL, NULL, NULL, NULL, NULL));
    REFUSED(bosc_paths_order_rows(NULL, NULL, NULL, NULL, 0, 0, NULL, NULL, NULL, NULL));
    REFUSED(bosc_paths_verify(NULL, NULL, NULL, 0, NULL, NULL, NULL, NULL));
    REFUSED(bosc_paths_route(NULL, NULL, 1, 64, 0, NULL, 0, NULL));
    REFUSED(bosc_paths_bytes(NULL, 0, 0, 0, NULL));
}

static void of_geometric(void)
{
    REFUSED(bosc_geometric_create(NULL, NULL, NULL));
    REFUSED(bosc_geometric_reserve(NULL, NULL, 0));
    REFUSED(bosc_geometric_reserve_models(NULL, NULL, NULL, 0));
    REFUSED(bosc_geometric_bytes(NULL, NULL, 0, NULL, NULL));
    REFUSED(bosc_geometric_bytes_models(NULL, NULL, NULL, 0, NULL, NULL));
    REFUSED(bosc_geometric_build(NULL, NULL, NULL, 0));
    REFUSED(bosc_geometric_build_models(NULL, NULL, NULL, NULL, 0));
    REFUSED(bosc_geometric_find(NULL, NULL, NULL, 0, NULL, NULL));
    REFUSED(bosc_geometric_find_models(NULL, NULL, NULL, 0, NULL, NULL, 0, NULL));
    REFUSED(bosc_geometric_get_info(NULL, NULL, NULL));
}

static void of_graph(void)
{
    REFUSED(bosc_graph_create(NULL, NULL, NULL));
    REFUSED(bosc_graph_reserve(NULL, NULL, 0, 0));
    REFUSED(bosc_graph_bytes(NULL, NULL, 0, 0, NULL, NULL));
    REFUSED(bosc_graph_build(NULL, NULL, NULL, NULL, NULL, 0, 0));
    REFUSED(bosc_graph_build_rows(NULL, NULL, NULL, NULL, NULL, 0));
    REFUSED(bosc_graph_get_info(NULL, NULL, NULL));
    REFUSED(bosc_graph_get_rows(NULL, NULL, NULL, NULL, NULL, NULL));
    REFUSED(bosc_graph_get_edges(NULL, NULL, NULL, NULL, NULL, NULL));
    REFUSED(bosc_graph_get_degrees(NULL, NULL, NULL));
    REFUSED(bosc_graph_write(NULL, NULL, NULL, NULL));
    REFUSED(bosc_graph_read(NULL, NULL, NULL, NULL));
    REFUSED(bosc_graph_generate(NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0));
}

static void of_hash(void)
{
    REFUSED(bosc_hash_create(NULL, NULL, NULL));
    REFUSED(bosc_hash_reserve(NULL, NULL, 0, 0));
    REFUSED(bosc_hash_bytes(NULL, NULL, 0, NULL, NULL));
    REFUSED(bosc_hash_build(NULL, NULL, NULL, NULL, 0));
    REFUSED(bosc_hash_find(NULL, NULL, NULL, 0, NULL, NULL));
    REFUSED(bosc_hash_count(NULL, NULL, NULL, 0, NULL));
    REFUSED(bosc_hash_retrieve(NULL, NULL, NULL, 0, NULL, NULL, 0));
    REFUSED(bosc_hash_insert(NULL, NULL, NULL, NULL, 0));
    REFUSED(bosc_hash_erase(NULL, NULL, NULL, 0, NULL));
    REFUSED(bosc_hash_rehash(NULL, NULL, 0, 0));
    REFUSED(bosc_hash_get_pairs(NULL, NULL, NULL, NULL, NULL));
    REFUSED(bosc_hash_get_info(NULL, NULL, NULL));
    REFUSED(bosc_hash_unique(NULL, NULL, 0, 0, NULL, NULL, NULL));
    REFUSED(bosc_hash_write(NULL, NULL, NULL, NULL));
    REFUSED(bosc_hash_read(NULL, NULL, NULL, NULL));
}

static void of_kdtree(void)
{
    REFUSED(bosc_kdtree_create(NULL, NULL, NULL));
    REFUSED(bosc_kdtree_reserve(NULL, NULL, 0, 0, 0));
    REFUSED(bosc_kdtree_bytes(NULL, NULL, 0, NULL, NULL));
    REFUSED(bosc_kdtree_build(NULL, NULL, NULL, 0, 0));
    REFUSED(bosc_kdtree_get_times(NULL, NULL, NULL));
    REFUSED(bosc_kdtree_get_info(NULL, NULL, NULL));
    REFUSED(bosc_kdtree_get_nodes(NULL, NULL, NULL, NULL));
    REFUSED(bosc_kdtree_get_links(NULL, NULL, NULL, NULL, NULL));
    REFUSED(bosc_kdtree_get_duplicates(NULL, NULL, NULL, NULL));
    REFUSED(bosc_kdtree_verify(NULL, NULL, NULL));
    REFUSED(bosc_kdtree_knn(NULL, NULL, NULL, 0, 0, 0, NULL, NULL));
    REFUSED(bosc_kdtree_knn_self(NULL, NULL, 0, NULL, NULL));
    REFUSED(bosc_kdtree_nearest_other(NULL, NULL, NULL, NULL, NULL, NULL));
    REFUSED(bosc_kdtree_knn_within(NULL, NULL, NULL, 0, 0, 0, 0, NULL, NULL));
    REFUSED(bosc_kdtree_radius(NULL, NULL, NULL, 0, 0, 0, NULL, NULL, NULL, 0));
    REFUSED(bosc_kdtree_radius_count(NULL, NULL, NULL, 0, 0, 0, NULL));
    REFUSED(bosc_kdtree_box(NULL, NULL, NULL, 0, NULL, NULL, 0));
    REFUSED(bosc_kdtree_knn_metric(NULL, NULL, NULL, 0, 0, 0, NULL, NULL, NULL));
    REFUSED(bosc_kdtree_radius_metric(NULL, NULL, NULL, 0, 0, NULL, 0, NULL, NULL, NULL, NULL, 0));
    REFUSED(bosc_kdtree_radius_count_metric(NULL, NULL, NULL, 0, 0, NULL, 0, NULL, NULL));
    REFUSED(bosc_kdtree_pairs(NULL, NULL, NULL, 0, NULL, NULL, NULL, NULL, 0));
    REFUSED(bosc_kdtree_count_pairs(NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL, 0, NULL, NULL));
    REFUSED(bosc_kdtree_write(NULL, NULL, NULL, NULL));
    REFUSED(bosc_kdtree_read(NULL, NULL, NULL, NULL));
}

static void of_neighborlist(void)
{
    REFUSED(bosc_neighborlist_create(NULL, NULL, NULL));
    REFUSED(bosc_neighborlist_reserve(NULL, NULL, 0, 0, 0));
    REFUSED(bosc_neighborlist_bytes(NULL, NULL, 0, 0, 0, NULL, NULL));
    REFUSED(bosc_neighborlist_build(NULL, NULL, NULL));
    REFUSED(bosc_neighborlist_move(NULL, NULL, NULL, 0, NULL));
    REFUSED(bosc_neighborlist_get_info(NULL, NULL, NULL));
    REFUSED(bosc_neighborlist_pairs(NULL, NULL, 0, NULL, NULL));
    REFUSED(bosc_neighborlist_rows(NULL, NULL, 0, NULL));
    REFUSED(bosc_neighborlist_padded(NULL, NULL, 0, 0, NULL, NULL));
}

static void of_plan(void)
{
    REFUSED(bosc_plan_create(NULL, NULL, NULL));
    REFUSED(bosc_plan_build(NULL, NULL, NULL));
    REFUSED(bosc_plan_get_info(NULL, NULL, NULL));
    REFUSED(bosc_plan_get_constraints(NULL, NULL, NULL, NULL, NULL, NULL));
    REFUSED(bosc_plan_get_candidates(NULL, NULL, NULL, NULL, NULL, NULL, NULL));
    REFUSED(bosc_plan_get_edges(NULL, NULL, NULL, NULL));
    REFUSED(bosc_plan_signs(NULL, NULL, NULL, 0, 0, NULL));
    REFUSED(bosc_plan_labels(NULL, NULL, NULL, 0, 0, NULL));
    REFUSED(bosc_plan_collides(NULL, NULL, NULL, 0, 0, NULL));
    REFUSED(bosc_plan_arcs(NULL, NULL, NULL, NULL, 0, NULL, NULL));
    REFUSED(bosc_plan_crossings(NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL, NULL, 0));
    REFUSED(bosc_plan_sample(NULL, NULL, NULL, 0, NULL, NULL, NULL, NULL, NULL));
    REFUSED(bosc_roadmap_create(NULL, NULL, NULL));
    REFUSED(bosc_roadmap_add(NULL, NULL, NULL, NULL, 0, 0));
    REFUSED(bosc_roadmap_explore(NULL, NULL, NULL, NULL));
    REFUSED(bosc_roadmap_get_info(NULL, NULL, NULL));
    REFUSED(bosc_roadmap_get_rows(NULL, NULL, 0, 0, NULL, NULL));
    REFUSED(bosc_roadmap_get_cells(NULL, NULL, NULL));
    REFUSED(bosc_plan_reserve(NULL, NULL, NULL, 0, 0));
    REFUSED(bosc_plan_bytes(NULL, NULL, NULL, 0, 0, NULL, NULL));
    REFUSED(bosc_roadmap_reserve(NULL, NULL, 0, 0, 0));
    REFUSED(bosc_roadmap_bytes(NULL, 0, 0, 0, NULL, NULL));
}

static void of_planner(void)
{
    REFUSED(bosc_planner_create(NULL, NULL, NULL));
    REFUSED(bosc_planner_reserve(NULL, NULL, NULL, 0, 0, 0));
    REFUSED(bosc_planner_bytes(NULL, NULL, NULL, 0, 0, 0, NULL, NULL));
    REFUSED(bosc_planner_build(NULL, NULL, NULL));
    REFUSED(bosc_planner_add(NULL, NULL, NULL, 0));
    REFUSED(bosc_planner_get_info(NULL, NULL, NULL));
    REFUSED(bosc_planner_get_cells(NULL, NULL, NULL, NULL, NULL));
    REFUSED(bosc_planner_locate(NULL, NULL, NULL, 0, NULL));
    REFUSED(bosc_planner_certify(NULL, NULL, NULL, 0, NULL, NULL));
    REFUSED(bosc_planner_route(NULL, NULL, NULL, NULL, NULL, NULL));
    REFUSED(bosc_planner_get_route(NULL, NULL, NULL, NULL));
}

static void of_prims(void)
{
    REFUSED(bosc_reduce(NULL, 0, 0, NULL, 0, NULL));
    REFUSED(bosc_scan(NULL, 0, 0, 0, NULL, 0, NULL));
    REFUSED(bosc_scan_segmented(NULL, 0, 0, 0, NULL, NULL, 0, NULL));
    REFUSED(bosc_compact(NULL, 0, NULL, NULL, 0, NULL, NULL));
    REFUSED(bosc_histogram(NULL, NULL, 0, 0, NULL));
    REFUSED(bosc_split(NULL, 0, NULL, NULL, 0, 0, NULL, NULL));
    REFUSED(bosc_sort_keys(NULL, 0, NULL, 0, NULL));
    REFUSED(bosc_sort_pairs(NULL, 0, NULL, 0, NULL, 0, NULL, NULL));
    REFUSED(bosc_merge(NULL, 0, NULL, 0, NULL, 0, NULL));
    REFUSED(bosc_merge_pairs(NULL, 0, 0, NULL, NULL, 0, NULL, NULL, 0, NULL, NULL));
    REFUSED(bosc_search_sorted(NULL, 0, NULL, 0, NULL, 0, NULL));
    REFUSED(bosc_sort_superkey(NULL, 0, NULL, 0, 0, 0, NULL));
}

static void of_random(void)
{
    REFUSED(bosc_random_bits(NULL, 0, 0, 0, NULL));
    REFUSED(bosc_random_points(NULL, 0, 0, 0, 0, 0, NULL));
    REFUSED(bosc_random_keys(NULL, 0, 0, 0, 0, NULL));
    REFUSED(bosc_random_words(NULL, 0, 0, 0, 0, 0, NULL));
    REFUSED(bosc_random_heights(NULL, 0, 0, 0, 0, NULL));
}

static void of_terrain(void)
{
    REFUSED(bosc_terrain_create(NULL, NULL, NULL));
    REFUSED(bosc_terrain_reserve(NULL, NULL, 0, 0));
    REFUSED(bosc_terrain_bytes(NULL, NULL, 0, 0, NULL, NULL));
    REFUSED(bosc_terrain_build(NULL, NULL, NULL, 0, 0, 0));
    REFUSED(bosc_terrain_select(NULL, NULL, NULL));
    REFUSED(bosc_terrain_update(NULL, NULL, NULL, 0));
    REFUSED(bosc_terrain_get_corners(NULL, NULL, 0, 0, NULL));
    REFUSED(bosc_terrain_locate(NULL, NULL, NULL, 0, NULL, NULL));
    REFUSED(bosc_terrain_get_neighbours(NULL, NULL, NULL, 0, NULL));
    REFUSED(bosc_terrain_get_mesh(NULL, NULL, NULL, NULL, 0, NULL, 0, NULL));
    REFUSED(bosc_terrain_measure(NULL, NULL, NULL));
    REFUSED(bosc_terrain_get_info(NULL, NULL, NULL));
}

static void of_trie(void)
{
    REFUSED(bosc_trie_create(NULL, NULL, NULL));
    REFUSED(bosc_trie_reserve(NULL, NULL, 0));
    REFUSED(bosc_trie_bytes(NULL, NULL, 0, NULL, NULL));
    REFUSED(bosc_trie_build(NULL, NULL, NULL, NULL, 0, 0));
    REFUSED(bosc_trie_insert(NULL, NULL, NULL, NULL, 0, 0));
    REFUSED(bosc_trie_erase(NULL, NULL, NULL, 0, 0, NULL));
    REFUSED(bosc_trie_find(NULL, NULL, NULL, 0, 0, NULL, NULL, NULL));
    REFUSED(bosc_trie_prefix(NULL, NULL, NULL, NULL, 0, 0, NULL, NULL));
    REFUSED(bosc_trie_longest(NULL, NULL, NULL, 0, 0, NULL, NULL, NULL));
    REFUSED(bosc_trie_matches(NULL, NULL, NULL, NULL, 0, 0, NULL, NULL, 0));
    REFUSED(bosc_trie_neighbours(NULL, NULL, NULL, 0, 0, NULL, NULL, NULL, 0));
    REFUSED(bosc_trie_pairs(NULL, NULL, NULL, NULL, 0, NULL));
    REFUSED(bosc_trie_get_keys(NULL, NULL, 0, 0, NULL, NULL, NULL));
    REFUSED(bosc_trie_get_values(NULL, NULL, NULL, 0, NULL));
    REFUSED(bosc_trie_get_info(NULL, NULL, NULL));
    REFUSED(bosc_trie_get_times(NULL, NULL, NULL));
    REFUSED(bosc_trie_write(NULL, NULL, NULL, NULL));
    REFUSED(bosc_trie_read(NULL, NULL, NULL, NULL));
}

static void of_clouds(void)
{
    REFUSED(bosc_clouds_create(NULL, NULL, NULL));
    REFUSED(bosc_clouds_reserve(NULL, NULL, 0, 0, 0));
    REFUSED(bosc_clouds_bytes(NULL, NULL, 0, 0, NULL, NULL));
    REFUSED(bosc_clouds_build(NULL, NULL, NULL, 0, 0, NULL, 0));
    REFUSED(bosc_clouds_build_from_batch(NULL, NULL, NULL, 0, 0, NULL, 0));
    REFUSED(bosc_clouds_get_info(NULL, NULL, NULL));
    REFUSED(bosc_clouds_knn(NULL, NULL, NULL, 1, 1, NULL, NULL));
    REFUSED(bosc_clouds_knn_edges(NULL, NULL, NULL, 1, 1, NULL, 0));
    REFUSED(bosc_clouds_radius_count(NULL, NULL, NULL, 1, NULL));
    REFUSED(bosc_clouds_radius(NULL, NULL, NULL, 1, NULL, NULL, NULL, 0));
    REFUSED(bosc_clouds_radius_edges(NULL, NULL, NULL, 1, NULL));
    REFUSED(bosc_clouds_sample_farthest(NULL, NULL, NULL, 0, NULL, NULL));
    REFUSED(bosc_clouds_sample_ratio(NULL, NULL, 1, NULL, NULL, NULL, 0, NULL));
}

static void of_voxels(void)
{
    REFUSED(bosc_voxels_create(NULL, NULL, NULL));
    REFUSED(bosc_voxels_reserve(NULL, NULL, 0, 0));
    REFUSED(bosc_voxels_bytes(NULL, NULL, 0, 0, NULL, NULL));
    REFUSED(bosc_voxels_build(NULL, NULL, NULL, 0, 0, NULL, 1));
    REFUSED(bosc_voxels_get_info(NULL, NULL, NULL));
    REFUSED(bosc_voxels_count(NULL, NULL, NULL));
    REFUSED(bosc_voxels_list(NULL, NULL, NULL, NULL, NULL, NULL, 0));
    REFUSED(bosc_voxels_inverse(NULL, NULL, NULL));
    REFUSED(bosc_voxels_members(NULL, NULL, NULL, NULL, 0));
    REFUSED(bosc_voxels_mean(NULL, NULL, BOSC_F32, NULL, 1, 0, NULL, 0));
    REFUSED(bosc_voxels_mean_gradient(NULL, NULL, BOSC_F32, NULL, 1, NULL, 0));
    REFUSED(bosc_voxels_nearest(NULL, NULL, NULL, 0, NULL, 0));
    REFUSED(bosc_voxels_pad(NULL, NULL, BOSC_F32, NULL, 1, 0, 1, NULL, 0));
    REFUSED(bosc_voxels_kernel_map(NULL, NULL, NULL, NULL, NULL, 0));
}

static void of_voxelgrid(void)
{
    REFUSED(bosc_voxelgrid_create(NULL, NULL, NULL));
    REFUSED(bosc_voxelgrid_reserve(NULL, NULL, 0, 0));
    REFUSED(bosc_voxelgrid_bytes(NULL, NULL, 0, NULL, NULL));
    REFUSED(bosc_voxelgrid_build(NULL, NULL, NULL, 0, 0));
    REFUSED(bosc_voxelgrid_get_info(NULL, NULL, NULL));
    REFUSED(bosc_voxelgrid_voxels(NULL, NULL, NULL, NULL, 0, NULL));
    REFUSED(bosc_voxelgrid_voxel_count(NULL, NULL, NULL, 0, 0, NULL));
    REFUSED(bosc_voxelgrid_radius_count(NULL, NULL, NULL, 0, 0, 0, NULL));
    REFUSED(bosc_voxelgrid_radius(NULL, NULL, NULL, 0, 0, 0, NULL, NULL, NULL, 0));
    REFUSED(bosc_voxelgrid_pairs(NULL, NULL, 0, NULL, NULL, 0, NULL));
    REFUSED(bosc_voxelgrid_components(NULL, NULL, 0, NULL, NULL));
}

static void of_ranks_cellgraph(void)
{
    REFUSED(bosc_ranks_cellgraph_create(NULL, NULL, NULL, NULL));
    REFUSED(bosc_ranks_cellgraph_reserve(NULL, NULL, 0, 0, 0));
    REFUSED(bosc_ranks_cellgraph_bytes(NULL, NULL, NULL, 0, 0, 0, NULL, NULL));
    REFUSED(bosc_ranks_cellgraph_build(NULL, NULL, NULL, 0, 0));
    REFUSED(bosc_ranks_cellgraph_get_info(NULL, NULL, NULL));
    REFUSED(bosc_ranks_cellgraph_get_vertices(NULL, NULL, NULL, NULL, NULL, NULL));
    REFUSED(bosc_ranks_cellgraph_get_pairs(NULL, NULL, NULL, NULL));
    REFUSED(bosc_ranks_cellgraph_components(NULL, NULL, NULL, NULL));
    REFUSED(bosc_ranks_cellgraph_components_masked(NULL, NULL, NULL, NULL, NULL));
}

static void of_ranks_forest(void)
{
    REFUSED(bosc_ranks_msf_compute(NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL));
    REFUSED(bosc_ranks_components_compute(NULL, NULL, NULL, NULL, NULL, NULL));
    REFUSED(bosc_ranks_msf_verify(NULL, NULL, NULL, NULL, NULL, 0, NULL));
    REFUSED(bosc_ranks_emst_compute(NULL, NULL, NULL, 0, 0, NULL, NULL, NULL, NULL));
    REFUSED(bosc_ranks_emst_compute_mutual(NULL, NULL, NULL, 0, 0, NULL, 1, NULL, NULL, NULL));
    REFUSED(bosc_ranks_emst_compute_minkowski(NULL, NULL, NULL, 0, 0, NULL, 1, 1, NULL, NULL, NULL));
}

static void of_ranks_cluster(void)
{
    REFUSED(bosc_ranks_dbscan_compute(NULL, NULL, NULL, 0, 0, 1, 1, NULL, NULL, NULL, NULL));
    REFUSED(bosc_ranks_hdbscan_compute(NULL, NULL, NULL, 0, 0, NULL, NULL, NULL, NULL, NULL));
}

static void of_ranks_hash(void)
{
    REFUSED(bosc_ranks_hash_create(NULL, NULL, NULL, NULL));
    REFUSED(bosc_ranks_hash_reserve(NULL, NULL, 0, 0));
    REFUSED(bosc_ranks_hash_bytes(NULL, NULL, NULL, 0, 0, NULL, NULL));
    REFUSED(bosc_ranks_hash_build(NULL, NULL, NULL, NULL, 0));
    REFUSED(bosc_ranks_hash_find(NULL, NULL, NULL, 0, NULL, NULL));
    REFUSED(bosc_ranks_hash_count(NULL, NULL, NULL, 0, NULL));
    REFUSED(bosc_ranks_hash_retrieve(NULL, NULL, NULL, 0, NULL, NULL, 0));
    REFUSED(bosc_ranks_hash_insert(NULL, NULL, NULL, NULL, 0));
    REFUSED(bosc_ranks_hash_erase(NULL, NULL, NULL, 0, NULL));
    REFUSED(bosc_ranks_hash_get_info(NULL, NULL, NULL));
}

static void of_ranks_kdtree(void)
{
    REFUSED(bosc_ranks_kdtree_create(NULL, NULL, NULL, NULL));
    REFUSED(bosc_ranks_kdtree_reserve(NULL, NULL, 0, 0));
    REFUSED(bosc_ranks_kdtree_bytes(NULL, NULL, NULL, 0, 0, NULL, NULL));
    REFUSED(bosc_ranks_kdtree_build(NULL, NULL, NULL, 0, 0));
    REFUSED(bosc_ranks_kdtree_get_times(NULL, NULL, NULL));
    REFUSED(bosc_ranks_kdtree_get_info(NULL, NULL, NULL));
    REFUSED(bosc_ranks_kdtree_get_nodes(NULL, NULL, NULL, NULL));
    REFUSED(bosc_ranks_kdtree_verify(NULL, NULL, NULL));
    REFUSED(bosc_ranks_kdtree_knn(NULL, NULL, NULL, 0, 0, 0, NULL, NULL));
    REFUSED(bosc_ranks_kdtree_knn_within(NULL, NULL, NULL, 0, 0, 0, 0, NULL, NULL));
    REFUSED(bosc_ranks_kdtree_radius(NULL, NULL, NULL, 0, 0, 0, NULL, NULL, NULL, 0));
    REFUSED(bosc_ranks_kdtree_box(NULL, NULL, NULL, 0, NULL, NULL, 0));
    REFUSED(bosc_ranks_kdtree_write(NULL, NULL, NULL, NULL));
    REFUSED(bosc_ranks_kdtree_read(NULL, NULL, NULL, NULL, NULL));
}

static void of_ranks_prims(void)
{
    REFUSED(bosc_ranks_reduce(NULL, NULL, 0, 0, NULL, 0, NULL));
    REFUSED(bosc_ranks_scan(NULL, NULL, 0, 0, 0, NULL, 0, NULL));
    REFUSED(bosc_ranks_sort_keys(NULL, NULL, 0, NULL, 0, NULL));
    REFUSED(bosc_ranks_sort_pairs(NULL, NULL, 0, NULL, 0, NULL, 0, NULL, NULL));
    REFUSED(bosc_ranks_unique(NULL, NULL, NULL, 0, 0, NULL, NULL, NULL, NULL));
}

static const struct suite_case suite_cases_context_args[] = {
    {"bisector", NULL, of_bisector},
    {"cbt", NULL, of_cbt},
    {"arrangement", NULL, of_arrangement},
    {"tour", NULL, of_tour},
    {"cellgraph", NULL, of_cellgraph},
    {"collision", NULL, of_collision},
    {"comm", NULL, of_comm},
    {"context", NULL, of_context},
    {"cluster", NULL, of_cluster},
    {"paths", NULL, of_paths},
    {"hdbscan", NULL, of_hdbscan},
    {"forest", NULL, of_forest},
    {"geometric", NULL, of_geometric},
    {"graph", NULL, of_graph},
    {"hash", NULL, of_hash},
    {"kdtree", NULL, of_kdtree},
    {"neighborlist", NULL, of_neighborlist},
    {"plan", NULL, of_plan},
    {"planner", NULL, of_planner},
    {"prims", NULL, of_prims},
    {"random", NULL, of_random},
    {"terrain", NULL, of_terrain},
    {"trie", NULL, of_trie},
    {"clouds", NULL, of_clouds},
    {"voxels", NULL, of_voxels},
    {"voxelgrid", NULL, of_voxelgrid},
    {"ranks_cellgraph", NULL, of_ranks_cellgraph},
    {"ranks_forest", NULL, of_ranks_forest},
    {"ranks_cluster", NULL, of_ranks_cluster},
    {"ranks_hash", NULL, of_ranks_hash},
    {"ranks_kdtree", NULL, of_ranks_kdtree},
    {"ranks_prims", NULL, of_ranks_prims},
};
SUITE(context_args);
