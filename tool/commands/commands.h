/* The commands. Each returns an exit code and has reported the error unless it is EXIT_DONE. */
#ifndef TOOL_COMMANDS_COMMANDS_H
#define TOOL_COMMANDS_COMMANDS_H

#include "tool/tool.h"

int run_info(struct job *job);
int run_generate_points(struct job *job);
int run_generate_graph(struct job *job);
int run_generate_pairs(struct job *job);
int run_generate_heights(struct job *job);
int run_generate_scene(struct job *job);
int run_generate_vectors(struct job *job);
int run_generate_words(struct job *job);
int run_mst(struct job *job);
int run_components(struct job *job);
int run_paths(struct job *job);
int run_emst(struct job *job);
int run_linkage(struct job *job);
int run_cluster_dbscan(struct job *job);
int run_cluster_fof(struct job *job);
int run_cluster_predict(struct job *job);
int run_cluster_validity(struct job *job);
int run_cluster_hdbscan(struct job *job);
int run_cluster_cut(struct job *job);
int run_tour(struct job *job);
int run_voxels(struct job *job);
int run_neighbors(struct job *job);
int run_clouds_knn(struct job *job);
int run_clouds_radius(struct job *job);
int run_clouds_sample(struct job *job);
int run_kdtree_build(struct job *job);
int run_kdtree_verify(struct job *job);
int run_kdtree_knn(struct job *job);
int run_kdtree_radius(struct job *job);
int run_kdtree_box(struct job *job);
int run_kdtree_pairs(struct job *job);
int run_hash_lookup(struct job *job);
int run_hash_member(struct job *job);
int run_hash_build(struct job *job);
int run_hash_insert(struct job *job);
int run_hash_erase(struct job *job);
int run_hash_groups(struct job *job);
int run_hash_unique(struct job *job);
int run_hash_pairs(struct job *job);
int run_hash_collide(struct job *job);
int run_hash_match(struct job *job);
int run_cellgraph(struct job *job);
int run_cellgraph_cells(struct job *job);
int run_cellgraph_path(struct job *job);
int run_cellgraph_components(struct job *job);
int run_cellgraph_levels(struct job *job);
int run_trie(struct job *job);
int run_trie_build(struct job *job);
int run_trie_insert(struct job *job);
int run_trie_erase(struct job *job);
int run_umi(struct job *job);
int run_cbt_create(struct job *job);
int run_cbt_split(struct job *job);
int run_cbt_merge(struct job *job);
int run_cbt_decode(struct job *job);
int run_plan(struct job *job);
int run_terrain(struct job *job);
int run_planet(struct job *job);
int run_bench(struct job *job);
int run_bench_paper(struct job *job);
int run_demo(struct job *job);
int run_viewer(struct job *job);
int run_help(struct job *job);

#endif
