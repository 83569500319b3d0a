/* Every call that can last, on data for which it has to tell how far it is. */
#ifndef TESTS_CASES_PROGRESS_DATA_H
#define TESTS_CASES_PROGRESS_DATA_H

#include <stdlib.h>

#include <boscage/dist.h>

#include "support/suite.h"

/* Some thousand items on the CPU: what is told at least depends on their number, what more on time. */
enum { N = 20000, FEW = 1000, K = 4, SIDE = 150, LETTERS = 24, MODEL = 300, DEPTH = 21, LEVEL = 15, OUT = 8 * N * 8 };

/* What the calls work on. Arrays lie in host memory. */
struct world {
    bosc_ctx *ctx;
    bosc_comm *comm; /* of this rank alone */
    int64_t n, side;
    int32_t depth, level; /* of the bisection, and of its leaves */
    float *points, *heights, *boxes;
    uint32_t *keys, *bins, *values;
    uint64_t *vectors, *bits, *heap;
    uint8_t *keep;
    int64_t *u, *v, *weights, *pairs, *numbers;
    double *lengths, *places;
    bosc_kdtree *tree, *unbuilt_tree, *published_tree;
    bosc_dist_kdtree *dist_tree, *unbuilt_dist_tree;
    bosc_voxelgrid *grid, *unbuilt_grid;
    bosc_hash *map, *multimap, *unbuilt_map;
    bosc_dist_hash *dist_map, *dist_multimap;
    bosc_graph *graph, *unbuilt_graph;
    bosc_cellgraph *cells, *unbuilt_cells[5];
    bosc_trie *trie, *unbuilt_trie, *published;
    bosc_terrain *terrain;
    bosc_geometric *model;
    bosc_collision *collision;
    bosc_collision_mesh mesh;
    bosc_cbt *bisection;
    int64_t offsets[N + 1], more[N + 1];
    int64_t edges;       /* of the graph */
    int64_t tree_edges;  /* of its forest */
    int64_t *tree_ids;   /* which ones */
    unsigned char *out;  /* OUT bytes, of every call's answer */
    unsigned char *copy; /* of what the answer must be */
};

static const double NEAR = 0.03;

/* ---- k-d trees ---- */

static bosc_status kdtree_build(struct world *w)
{
    return bosc_kdtree_build(w->ctx, w->unbuilt_tree, w->points, w->n, 3);
}
static bosc_status kdtree_build_published(struct world *w)
{
    return bosc_kdtree_build(w->ctx, w->published_tree, w->points, w->n, 3);
}
static bosc_status kdtree_knn(struct world *w)
{
    return bosc_kdtree_knn(w->ctx, w->tree, w->points, w->n, 3, K, w->out, w->out + 8 * w->n * K);
}
static bosc_status kdtree_knn_self(struct world *w) { return bosc_kdtree_knn_self(w->ctx, w->tree, K, w->out, NULL); }
static bosc_status kdtree_knn_within(struct world *w)
{
    return bosc_kdtree_knn_within(w->ctx, w->tree, w->points, w->n, 3, K, NEAR, w->out, NULL);
}
static bosc_status kdtree_nearest_other(struct world *w)
{
    return bosc_kdtree_nearest_other(w->ctx, w->tree, w->bins, NULL, w->out, NULL);
}
static bosc_status kdtree_radius_count(struct world *w)
{
    return bosc_kdtree_radius_count(w->ctx, w->tree, w->points, w->n, 3, NEAR, (int64_t *)(void *)w->out);
}
static bosc_status kdtree_offsets(struct world *w)
{
    return bosc_kdtree_radius(w->ctx, w->tree, w->points, w->n, 3, NEAR, w->offsets, NULL, NULL, 0);
}
static bosc_status kdtree_radius(struct world *w)
{
    return bosc_kdtree_radius(w->ctx, w->tree, w->points, w->n, 3, NEAR, w->offsets, w->out, NULL, OUT / 8);
}
static bosc_status kdtree_box_offsets(struct world *w)
{
    return bosc_kdtree_box(w->ctx, w->tree, w->boxes, w->n, w->offsets, NULL, 0);
}
static bosc_status kdtree_box(struct world *w)
{
    return bosc_kdtree_box(w->ctx, w->tree, w->boxes, w->n, w->offsets, w->out, OUT / 4);
}
static bosc_status kdtree_verify(struct world *w) { return bosc_kdtree_verify(w->ctx, w->tree, NULL); }

/* ---- distributed k-d trees ---- */

static bosc_status dist_kdtree_build(struct world *w)
{
    return bosc_dist_kdtree_build(w->ctx, w->unbuilt_dist_tree, w->points, w->n, 3);
}
static bosc_status dist_kdtree_get_nodes(struct world *w)
{
    return bosc_dist_kdtree_get_nodes(w->ctx, w->dist_tree, NULL, w->out);
}
static bosc_status dist_kdtree_knn(struct world *w)
{
    return bosc_dist_kdtree_knn(w->ctx, w->dist_tree, w->points, w->n, 3, K, w->out, NULL);
}
static bosc_status dist_kdtree_offsets(struct world *w)
{
    return bosc_dist_kdtree_radius(w->ctx, w->dist_tree, w->points, w->n, 3, NEAR, w->offsets, NULL, NULL, 0);
}
static bosc_status dist_kdtree_radius(struct world *w)
{
    return bosc_dist_kdtree_radius(w->ctx, w->dist_tree, w->points, w->n, 3, NEAR, w->offsets, w->out, NULL, OUT / 8);
}
static bosc_status dist_kdtree_box_offsets(struct world *w)
{
    return bosc_dist_kdtree_box(w->ctx, w->dist_tree, w->boxes, w->n, w->offsets, NULL, 0);
}
static bosc_status dist_kdtree_box(struct world *w)
{
    return bosc_dist_kdtree_box(w->ctx, w->dist_tree, w->boxes, w->n, w->offsets, w->out, OUT / 8);
}

/* ---- voxel grids ---- */

static bosc_status voxelgrid_build(struct world *w)
{
    return bosc_voxelgrid_build(w->ctx, w->unbuilt_grid, w->points, w->n, 3);
}
static bosc_status voxelgrid_radius_count(struct world *w)
{
    return bosc_voxelgrid_radius_count(w->ctx, w->grid, w->points, w->n, 3, NEAR, (int64_t *)(void *)w->out);
}
static bosc_status voxelgrid_voxel_count(struct world *w)
{
    return bosc_voxelgrid_voxel_count(w->ctx, w->grid, w->points, w->n, 3, (int64_t *)(void *)w->out);
}
static bosc_status voxelgrid_offsets(struct world *w)
{
    return bosc_voxelgrid_radius(w->ctx, w->grid, w->points, w->n, 3, NEAR, w->offsets, NULL, NULL, 0);
}
static bosc_status voxelgrid_radius(struct world *w)
{
    return bosc_voxelgrid_radius(w->ctx, w->grid, w->points, w->n, 3, NEAR, w->offsets, w->out, NULL, OUT / 8);
}
static bosc_status voxelgrid_pairs(struct world *w)
{
    int64_t count;
    return bosc_voxelgrid_pairs(w->ctx, w->grid, NEAR, w->out, NULL, OUT / 16, &count);
}
static bosc_status voxelgrid_components(struct world *w)
{
    return bosc_voxelgrid_components(w->ctx, w->grid, NEAR, w->out, NULL);
}
static bosc_status voxelgrid_voxels(struct world *w)
{
    int64_t count, *coords = (int64_t *)(void *)w->out;
    return bosc_voxelgrid_voxels(w->ctx, w->grid, coords, NULL, w->n, &count);
}

/* ---- collisions ---- */

static bosc_status collision_build(struct world *w)
{
    static const double moved[12] = {1, 0, 0, 0.5, 0, 1, 0, 0.5, 0, 0, 1, 2.5};
    bosc_collision_mesh other = w->mesh;
    other.transform = moved;
    return bosc_collision_build(w->ctx, w->collision, &w->mesh, &other);
}
static bosc_status collision_pairs(struct world *w)
{
    int64_t count;
    return bosc_collision_pairs(w->ctx, w->collision, w->out, OUT / 16, &count);
}
static bosc_status collision_offsets(struct world *w)
{
    return bosc_collision_rows(w->ctx, w->collision, w->more, NULL, 0);
}
static bosc_status collision_rows(struct world *w)
{
    return bosc_collision_rows(w->ctx, w->collision, w->more, w->out, OUT / 8);
}

/* ---- hash tables ---- */

static bosc_status hash_build(struct world *w)
{
    return bosc_hash_build(w->ctx, w->unbuilt_map, w->keys, w->values, w->n);
}
static bosc_status hash_build_multimap(struct world *w)
{
    return bosc_hash_build(w->ctx, w->multimap, w->bins, w->values, w->n);
}
static bosc_status hash_find(struct world *w)
{
    return bosc_hash_find(w->ctx, w->map, w->keys, w->n, w->out, w->out + 4 * w->n);
}
static bosc_status hash_count(struct world *w)
{
    return bosc_hash_count(w->ctx, w->multimap, w->bins, w->n, (int64_t *)(void *)w->out);
}
static bosc_status hash_offsets(struct world *w)
{
    return bosc_hash_retrieve(w->ctx, w->multimap, w->keys, w->n, w->more, NULL, 0);
}
static bosc_status hash_retrieve(struct world *w)
{
    return bosc_hash_retrieve(w->ctx, w->multimap, w->keys, w->n, w->more, w->out, OUT / 4);
}
static bosc_status hash_insert(struct world *w)
{
    return bosc_hash_insert(w->ctx, w->unbuilt_map, w->bins, w->values, w->n);
}
static bosc_status hash_erase(struct world *w)
{
    int64_t erased;
    return bosc_hash_erase(w->ctx, w->unbuilt_map, w->keys, w->n, &erased);
}
static bosc_status hash_rehash(struct world *w) { return bosc_hash_rehash(w->ctx, w->map, 0.9, 0); }
static bosc_status hash_get_pairs(struct world *w)
{
    return bosc_hash_get_pairs(w->ctx, w->map, w->out, w->out + 4 * w->n, NULL);
}
static bosc_status hash_unique(struct world *w)
{
    int64_t count;
    return bosc_hash_unique(w->ctx, w->bins, w->n, 32, (int64_t *)(void *)w->out, NULL, &count);
}

/* ---- primitives and random numbers ---- */

static bosc_status reduce(struct world *w) { return bosc_reduce(w->ctx, BOSC_SUM, BOSC_U32, w->keys, w->n, w->out); }
static bosc_status scan(struct world *w)
{
    return bosc_scan(w->ctx, BOSC_SUM, BOSC_INCLUSIVE, BOSC_U32, w->keys, w->n, w->out);
}
static bosc_status compact(struct world *w)
{
    int64_t count;
    return bosc_compact(w->ctx, 4, w->keys, w->keep, w->n, w->out, &count);
}
static bosc_status histogram(struct world *w)
{
    return bosc_histogram(w->ctx, w->bins, w->n, w->n, (int64_t *)(void *)w->out);
}
static bosc_status split(struct world *w)
{
    return bosc_split(w->ctx, 4, w->keys, w->bins, w->n, FEW, w->out, w->more);
}
static bosc_status sort_pairs(struct world *w)
{
    return bosc_sort_pairs(w->ctx, BOSC_U32, w->keys, 4, w->values, w->n, w->out, w->out + 4 * w->n);
}
static bosc_status sort_superkey(struct world *w)
{
    return bosc_sort_superkey(w->ctx, BOSC_F32, w->points, w->n, 3, 0, (uint32_t *)(void *)w->out);
}

/* ---- over ranks ---- */

static bosc_status dist_reduce(struct world *w)
{
    return bosc_dist_reduce(w->ctx, w->comm, BOSC_SUM, BOSC_F32, w->points, 3 * w->n, w->out);
}
static bosc_status dist_scan(struct world *w)
{
    return bosc_dist_scan(w->ctx, w->comm, BOSC_SUM, BOSC_EXCLUSIVE, BOSC_F32, w->points, 3 * w->n, w->out);
}
static bosc_status dist_sort_keys(struct world *w)
{
    return bosc_dist_sort_keys(w->ctx, w->comm, BOSC_F32, w->points, w->n, w->out);
}
static bosc_status dist_sort_pairs(struct world *w)
{
    return bosc_dist_sort_pairs(w->ctx, w->comm, BOSC_U32, w->keys, 4, w->values, w->n, w->out, w->out + 4 * w->n);
}
static bosc_status dist_unique(struct world *w)
{
    int64_t count;
    return bosc_dist_unique(w->ctx, w->comm, w->bins, w->n, 32, (int64_t *)(void *)w->out, NULL, &count, NULL);
}
static bosc_status dist_hash_build(struct world *w)
{
    return bosc_dist_hash_build(w->ctx, w->dist_map, w->keys, w->values, w->n);
}
static bosc_status dist_hash_build_multimap(struct world *w)
{
    return bosc_dist_hash_build(w->ctx, w->dist_multimap, w->bins, w->values, w->n);
}
static bosc_status dist_hash_find(struct world *w)
{
    return bosc_dist_hash_find(w->ctx, w->dist_map, w->keys, w->n, w->out, w->out + 4 * w->n);
}
static bosc_status dist_hash_count(struct world *w)
{
    return bosc_dist_hash_count(w->ctx, w->dist_multimap, w->bins, w->n, (int64_t *)(void *)w->out);
}
static bosc_status dist_hash_offsets(struct world *w)
{
    return bosc_dist_hash_retrieve(w->ctx, w->dist_multimap, w->bins, w->n / 8, w->offsets, NULL, 0);
}
static bosc_status dist_hash_retrieve(struct world *w)
{
    return bosc_dist_hash_retrieve(w->ctx, w->dist_multimap, w->bins, w->n / 8, w->offsets, w->out, OUT / 4);
}
static bosc_status dist_hash_insert(struct world *w)
{
    return bosc_dist_hash_insert(w->ctx, w->dist_map, w->bins, w->values, w->n);
}
static bosc_status dist_hash_erase(struct world *w)
{
    return bosc_dist_hash_erase(w->ctx, w->dist_map, w->keys, w->n / 2, (int64_t *)(void *)w->out);
}

static bosc_status random_bits(struct world *w)
{
    return bosc_random_bits(w->ctx, 1, 2, 8 * w->n, (uint32_t *)(void *)w->out);
}
static bosc_status random_points(struct world *w)
{
    return bosc_random_points(w->ctx, BOSC_RANDOM_POINTS_NORMAL, 1, w->n, 3, BOSC_F64, w->out);
}
static bosc_status random_heights(struct world *w)
{
    return bosc_random_heights(w->ctx, BOSC_RANDOM_HEIGHTS_HILLS, 1, w->side, w->side, (float *)(void *)w->out);
}

/* ---- graphs and forests ---- */

static bosc_status generate(struct world *w, bosc_graph_kind kind)
{
    const bosc_graph_generate_opts o = {.size = sizeof o, .kind = kind, .seed = 1, .n = w->n / 2, .m = w->n};
    int64_t n, m, *out = (int64_t *)(void *)w->out;
    return bosc_graph_generate(w->ctx, &o, &n, &m, out, out + 2 * w->n, out + 4 * w->n, 2 * w->n);
}
static bosc_status graph_generate(struct world *w) { return generate(w, BOSC_GRAPH_RANDOM); }
static bosc_status graph_generate_geometric(struct world *w) { return generate(w, BOSC_GRAPH_GEOMETRIC); }
static bosc_status graph_build(struct world *w)
{
    return bosc_graph_build(w->ctx, w->unbuilt_graph, w->u, w->v, w->weights, w->n / 2, w->n);
}
static bosc_status graph_get_rows(struct world *w)
{
    int64_t *out = (int64_t *)(void *)w->out;
    return bosc_graph_get_rows(w->ctx, w->graph, out, out + w->n, NULL, NULL);
}
static bosc_status msf(struct world *w, bosc_msf_algorithm algorithm)
{
    const bosc_msf_opts o = {.size = sizeof o, .algorithm = algorithm};
    return bosc_msf_compute(w->ctx, w->graph, &o, w->out, w->out + 8 * w->n, NULL);
}
static bosc_status msf_compute(struct world *w) { return msf(w, BOSC_MSF_AUTO); }
static bosc_status msf_compute_by_primitives(struct world *w) { return msf(w, BOSC_MSF_PRIMITIVES); }
static bosc_status msf_verify(struct world *w)
{
    return bosc_msf_verify(w->ctx, w->graph, NULL, w->tree_ids, w->tree_edges, NULL);
}
static bosc_status components_compute(struct world *w)
{
    return bosc_components_compute(w->ctx, w->graph, NULL, w->out, NULL);
}
static bosc_status dist_msf_compute(struct world *w)
{
    return bosc_dist_msf_compute(w->ctx, w->comm, w->graph, NULL, w->out, NULL, w->out + 8 * w->n, NULL);
}
static bosc_status dist_msf_verify(struct world *w)
{
    return bosc_dist_msf_verify(w->ctx, w->comm, w->graph, NULL, w->tree_ids, w->tree_edges, NULL);
}
static bosc_status dist_components_compute(struct world *w)
{
    return bosc_dist_components_compute(w->ctx, w->comm, w->graph, NULL, w->out, NULL);
}
static bosc_status emst_compute(struct world *w)
{
    const bosc_emst_opts o = {.size = sizeof o, .dim = 3};
    return bosc_emst_compute(w->ctx, w->points, w->n, 3, &o, w->out, NULL);
}
static bosc_status linkage_compute(struct world *w)
{
    return bosc_linkage_compute(w->ctx, w->pairs, w->lengths, w->n, NULL, (double *)(void *)w->out);
}
static bosc_status tour_compute(struct world *w) { return bosc_tour_compute(w->ctx, w->pairs, w->n, NULL, w->out); }

/* ---- cell graphs and tries ---- */

static bosc_status build_cells(struct world *w, int method)
{
    return bosc_cellgraph_build(w->ctx, w->unbuilt_cells[method], w->vectors, method == 1 ? FEW : w->n, 0);
}
static bosc_status cellgraph_auto(struct world *w) { return build_cells(w, BOSC_CELLGRAPH_AUTO); }
static bosc_status cellgraph_heuristic(struct world *w) { return build_cells(w, BOSC_CELLGRAPH_HEURISTIC); }
static bosc_status cellgraph_trie(struct world *w) { return build_cells(w, BOSC_CELLGRAPH_TRIE); }
static bosc_status cellgraph_zobrist(struct world *w) { return build_cells(w, BOSC_CELLGRAPH_ZOBRIST); }
static bosc_status cellgraph_join(struct world *w) { return build_cells(w, BOSC_CELLGRAPH_JOIN); }
static bosc_status cellgraph_components(struct world *w)
{
    return bosc_cellgraph_components(w->ctx, w->cells, w->out, NULL);
}
static bosc_status cellgraph_get_vertices(struct world *w)
{
    return bosc_cellgraph_get_vertices(w->ctx, w->cells, NULL, w->out, NULL, NULL);
}
static bosc_status trie_build(struct world *w)
{
    return bosc_trie_build(w->ctx, w->unbuilt_trie, w->vectors, NULL, w->n, 0);
}
static bosc_status trie_build_published(struct world *w)
{
    return bosc_trie_build(w->ctx, w->published, w->vectors, NULL, w->n, 0);
}
static bosc_status trie_insert(struct world *w)
{
    return bosc_trie_insert(w->ctx, w->unbuilt_trie, w->vectors, NULL, w->n, 0);
}
static bosc_status trie_erase(struct world *w)
{
    int64_t erased;
    return bosc_trie_erase(w->ctx, w->unbuilt_trie, w->vectors, w->n / 2, 0, &erased);
}
static bosc_status trie_find(struct world *w)
{
    return bosc_trie_find(w->ctx, w->trie, w->vectors, w->n, 0, (int64_t *)(void *)w->out, NULL, NULL);
}
static bosc_status trie_longest(struct world *w)
{
    int64_t *out = (int64_t *)(void *)w->out;
    return bosc_trie_longest(w->ctx, w->trie, w->vectors, w->n, 0, (int32_t *)(void *)(out + 2 * w->n), out,
                             out + w->n);
}
static bosc_status trie_neighbours(struct world *w)
{
    return bosc_trie_neighbours(w->ctx, w->trie, w->vectors, (w->n + 7) / 8, 0, w->more, NULL, NULL, 0);
}
static bosc_status trie_pairs(struct world *w)
{
    int64_t count;
    return bosc_trie_pairs(w->ctx, w->trie, (int64_t *)(void *)w->out, NULL, OUT / 16, &count);
}

/* ---- terrain and geometric hashing ---- */

static bosc_status terrain_build(struct world *w)
{
    return bosc_terrain_build(w->ctx, w->terrain, w->heights, w->side, w->side, w->side);
}
static bosc_status terrain_select(struct world *w)
{
    const bosc_terrain_goal goal = {.size = sizeof goal, .error = 1};
    return bosc_terrain_select(w->ctx, w->terrain, &goal);
}
static bosc_status terrain_get_mesh(struct world *w)
{
    int64_t counts[2];
    float *out = (float *)(void *)w->out;
    uint32_t *triangles = (uint32_t *)(void *)(w->out + OUT / 2);
    return bosc_terrain_get_mesh(w->ctx, w->terrain, out, NULL, OUT / 24, triangles, OUT / 24, counts);
}
static bosc_status terrain_measure(struct world *w)
{
    bosc_terrain_stats stats = {.size = sizeof stats};
    return bosc_terrain_measure(w->ctx, w->terrain, &stats);
}
static bosc_status geometric_build(struct world *w) { return bosc_geometric_build(w->ctx, w->model, w->places, MODEL); }
static bosc_status geometric_find(struct world *w)
{
    bosc_geometric_match match = {.size = sizeof match};
    return bosc_geometric_find(w->ctx, w->model, w->places, MODEL, w->out, &match);
}
static bosc_status geometric_build_models(struct world *w)
{
    const int64_t offsets[] = {0, MODEL / 3, MODEL / 2, MODEL};
    return bosc_geometric_build_models(w->ctx, w->model, w->places, offsets, 3);
}
static bosc_status geometric_find_models(struct world *w)
{
    bosc_geometric_match matches[3] = {{.size = sizeof *matches}};
    int64_t count;
    return bosc_geometric_find_models(w->ctx, w->model, w->places, MODEL, w->out, matches, 3, &count);
}

/* ---- concurrent binary trees ---- */

static bosc_status cbt_reset(struct world *w) { return bosc_cbt_reset(w->ctx, w->bisection, w->level); }
static bosc_status cbt_split(struct world *w)
{
    return bosc_cbt_split(w->ctx, w->bisection, w->numbers + ((int64_t)1 << w->level), w->n);
}
static bosc_status cbt_reset_and_split(struct world *w)
{
    bosc_status status = cbt_reset(w);
    return status ? status : cbt_split(w);
}
static bosc_status cbt_reduce(struct world *w) { return bosc_cbt_reduce(w->ctx, w->bisection); }
static bosc_status cbt_update(struct world *w)
{
    return bosc_cbt_update(w->ctx, w->bisection, w->keep, w->n, (int64_t *)(void *)w->out, 2 * w->n);
}
static bosc_status cbt_cycle(struct world *w)
{
    return bosc_cbt_cycle(w->ctx, w->bisection, w->keep, w->n, NULL, w->out, 2 * w->n);
}
static bosc_status cbt_decode(struct world *w) { return bosc_cbt_decode(w->ctx, w->bisection, 0, 2 * w->n, w->out); }
static bosc_status cbt_decode_at(struct world *w)
{
    return bosc_cbt_decode_at(w->ctx, w->bisection, w->numbers, w->n, w->out);
}
static bosc_status cbt_encode(struct world *w)
{
    return bosc_cbt_encode(w->ctx, w->bisection, w->numbers + 1, w->n, (int64_t *)(void *)w->out);
}
static bosc_status cbt_heap_read(struct world *w)
{
    return bosc_cbt_heap_read(w->ctx, w->bisection, w->numbers + 1, w->n, (int64_t *)(void *)w->out);
}
static bosc_status cbt_get_heap(struct world *w)
{
    return bosc_cbt_get_heap(w->ctx, w->bisection, (uint64_t *)(void *)w->out);
}
static bosc_status cbt_set_heap(struct world *w) { return bosc_cbt_set_heap(w->ctx, w->bisection, w->heap); }
static bosc_status cbt_set_bits(struct world *w) { return bosc_cbt_set_bits(w->ctx, w->bisection, w->bits); }
static bosc_status cbt_validate(struct world *w)
{
    int64_t invalid;
    return bosc_cbt_validate(w->ctx, w->bits, w->depth, &invalid);
}
static bosc_status cbt_repair(struct world *w) { return bosc_cbt_repair(w->ctx, w->bits, w->depth); }
static bosc_status cbt_recount(struct world *w) { return bosc_cbt_recount(w->ctx, w->bisection); }

/* ---- the table ---- */

/* `prepare` runs before each call of `run`, and nobody listens to it. whole: it may be too late to stop it from the
 * beginning on. */
struct call {
    const char *stage;
    bosc_status (*run)(struct world *), (*prepare)(struct world *);
    bool whole;
};
static const struct call calls[] = {
    {"kdtree_build", kdtree_build, NULL, false},
    {"kdtree_build", kdtree_build_published, NULL, false},
    {"kdtree_knn", kdtree_knn, NULL, false},
    {"kdtree_knn_self", kdtree_knn_self, NULL, false},
    {"kdtree_knn_within", kdtree_knn_within, NULL, false},
    {"kdtree_nearest_other", kdtree_nearest_other, NULL, false},
    {"kdtree_radius_count", kdtree_radius_count, NULL, false},
    {"kdtree_radius", kdtree_offsets, NULL, false},
    {"kdtree_radius", kdtree_radius, kdtree_offsets, false},
    {"kdtree_box", kdtree_box_offsets, NULL, false},
    {"kdtree_box", kdtree_box, kdtree_box_offsets, false},
    {"kdtree_verify", kdtree_verify, NULL, false},
    {"dist_kdtree_build", dist_kdtree_build, NULL, false},
    {"dist_kdtree_get_nodes", dist_kdtree_get_nodes, NULL, false},
    {"dist_kdtree_knn", dist_kdtree_knn, NULL, false},
    {"dist_kdtree_radius", dist_kdtree_offsets, NULL, false},
    {"dist_kdtree_radius", dist_kdtree_radius, dist_kdtree_offsets, false},
    {"dist_kdtree_box", dist_kdtree_box_offsets, NULL, false},
    {"dist_kdtree_box", dist_kdtree_box, dist_kdtree_box_offsets, false},
    {"voxelgrid_build", voxelgrid_build, NULL, false},
    {"voxelgrid_radius_count", voxelgrid_radius_count, NULL, false},
    {"voxelgrid_voxel_count", voxelgrid_voxel_count, NULL, false},
    {"voxelgrid_radius", voxelgrid_offsets, NULL, false},
    {"voxelgrid_radius", voxelgrid_radius, voxelgrid_offsets, false},
    {"voxelgrid_pairs", voxelgrid_pairs, NULL, false},
    {"voxelgrid_components", voxelgrid_components, NULL, false},
    {"voxelgrid_voxels", voxelgrid_voxels, NULL, false},
    {"collision_build", collision_build, NULL, false},
    {"collision_pairs", collision_pairs, collision_build, false},
    {"collision_rows", collision_offsets, collision_build, false},
    {"collision_rows", collision_rows, collision_offsets, false},
    {"hash_build", hash_build, NULL, false},
    {"hash_build", hash_build_multimap, NULL, false},
    {"hash_find", hash_find, NULL, false},
    {"hash_count", hash_count, NULL, false},
    {"hash_retrieve", hash_offsets, NULL, false},
    {"hash_retrieve", hash_retrieve, hash_offsets, false},
    {"hash_insert", hash_insert, hash_build, false},
    {"hash_erase", hash_erase, hash_build, false},
    {"hash_rehash", hash_rehash, NULL, false},
    {"hash_get_pairs", hash_get_pairs, NULL, false},
    {"hash_unique", hash_unique, NULL, false},
    {"reduce", reduce, NULL, false},
    {"scan", scan, NULL, false},
    {"compact", compact, NULL, false},
    {"histogram", histogram, NULL, false},
    {"split", split, NULL, false},
    {"sort_pairs", sort_pairs, NULL, false},
    {"sort_superkey", sort_superkey, NULL, false},
    {"dist_reduce", dist_reduce, NULL, false},
    {"dist_scan", dist_scan, NULL, false},
    {"dist_sort_keys", dist_sort_keys, NULL, false},
    {"dist_sort_pairs", dist_sort_pairs, NULL, false},
    {"dist_unique", dist_unique, NULL, false},
    {"dist_hash_build", dist_hash_build, NULL, false},
    {"dist_hash_build", dist_hash_build_multimap, NULL, false},
    {"dist_hash_find", dist_hash_find, dist_hash_build, false},
    {"dist_hash_count", dist_hash_count, dist_hash_build_multimap, false},
    {"dist_hash_retrieve", dist_hash_offsets, dist_hash_build_multimap, false},
    {"dist_hash_retrieve", dist_hash_retrieve, dist_hash_offsets, false},
    {"dist_hash_insert", dist_hash_insert, dist_hash_build, false},
    {"dist_hash_erase", dist_hash_erase, dist_hash_build, false},
    {"random_bits", random_bits, NULL, false},
    {"random_points", random_points, NULL, false},
    {"random_heights", random_heights, NULL, false},
    {"graph_generate", graph_generate, NULL, false},
    {"graph_generate", graph_generate_geometric, NULL, false},
    {"graph_build", graph_build, NULL, false},
    {"graph_get_rows", graph_get_rows, NULL, false},
    {"msf_compute", msf_compute, NULL, false},
    {"msf_compute", msf_compute_by_primitives, NULL, false},
    {"msf_verify", msf_verify, NULL, false},
    {"components_compute", components_compute, NULL, false},
    {"dist_msf_compute", dist_msf_compute, NULL, false},
    {"dist_msf_verify", dist_msf_verify, NULL, false},
    {"dist_components_compute", dist_components_compute, NULL, false},
    {"emst_compute", emst_compute, NULL, false},
    {"linkage_compute", linkage_compute, NULL, false},
    {"tour_compute", tour_compute, NULL, false},
    {"cellgraph_build", cellgraph_auto, NULL, false},
    {"cellgraph_build", cellgraph_heuristic, NULL, false},
    {"cellgraph_build", cellgraph_trie, NULL, false},
    {"cellgraph_build", cellgraph_zobrist, NULL, false},
    {"cellgraph_build", cellgraph_join, NULL, false},
    {"cellgraph_components", cellgraph_components, NULL, false},
    {"cellgraph_get_vertices", cellgraph_get_vertices, NULL, false},
    {"trie_build", trie_build, NULL, false},
    {"trie_build", trie_build_published, NULL, false},
    {"trie_insert", trie_insert, NULL, false},
    {"trie_erase", trie_erase, trie_build, false},
    {"trie_find", trie_find, NULL, false},
    {"trie_longest", trie_longest, NULL, false},
    {"trie_neighbours", trie_neighbours, NULL, false},
    {"trie_pairs", trie_pairs, NULL, false},
    {"terrain_build", terrain_build, NULL, false},
    {"terrain_select", terrain_select, terrain_build, false},
    {"terrain_get_mesh", terrain_get_mesh, terrain_select, false},
    {"terrain_measure", terrain_measure, terrain_select, false},
    {"geometric_build", geometric_build, NULL, false},
    {"geometric_find", geometric_find, geometric_build, false},
    {"geometric_build_models", geometric_build_models, NULL, false},
    {"geometric_find_models", geometric_find_models, geometric_build_models, false},
    {"cbt_split", cbt_split, cbt_reset, true},
    {"cbt_reduce", cbt_reduce, cbt_reset_and_split, true},
    {"cbt_update", cbt_update, cbt_reset, true},
    {"cbt_cycle", cbt_cycle, cbt_reset, true},
    {"cbt_decode", cbt_decode, cbt_reset, false},
    {"cbt_decode_at", cbt_decode_at, NULL, false},
    {"cbt_encode", cbt_encode, NULL, false},
    {"cbt_heap_read", cbt_heap_read, NULL, false},
    {"cbt_get_heap", cbt_get_heap, NULL, false},
    {"cbt_set_heap", cbt_set_heap, NULL, true},
    {"cbt_set_bits", cbt_set_bits, NULL, true},
    {"cbt_validate", cbt_validate, NULL, false},
    {"cbt_repair", cbt_repair, NULL, false},
    {"cbt_recount", cbt_recount, NULL, true},
};
enum { CALLS = sizeof calls / sizeof calls[0] };

/* ---- making the world ---- */

/* A mesh of at most n triangles over a square grid. */
static void make_relief(struct world *w)
{
    int64_t side = 1, t = 0;
    while (2 * (side + 1) * (side + 1) <= w->n) side++;
    float *vertices = suite_alloc((size_t)(3 * (side + 1) * (side + 1)) * sizeof *vertices);
    uint32_t *triangles = suite_alloc((size_t)(6 * side * side) * sizeof *triangles);
    for (int64_t v = 0; v < (side + 1) * (side + 1); v++) {
        vertices[3 * v] = (float)(v % (side + 1));
        vertices[3 * v + 1] = (float)(v / (side + 1));
        vertices[3 * v + 2] = (float)(w->values[v % w->n] % 4);
    }
    for (int64_t s = 0; s < side * side; s++) {
        int64_t v = s / side * (side + 1) + s % side;
        const int64_t corners[6] = {v, v + 1, v + side + 1, v + 1, v + side + 2, v + side + 1};
        for (int k = 0; k < 6; k++) triangles[t++] = (uint32_t)corners[k];
    }
    w->mesh = (bosc_collision_mesh){.size = sizeof w->mesh,
                                    .vertices = vertices,
                                    .vertex_count = (side + 1) * (side + 1),
                                    .triangles = triangles,
                                    .triangle_count = 2 * side * side};
}

static void make_arrays(struct world *w)
{
    bosc_ctx *ctx = w->ctx;
    const size_t n = (size_t)w->n;
    w->points = suite_alloc(3 * n * sizeof *w->points);
    w->heights = suite_alloc((size_t)(w->side * w->side) * sizeof *w->heights);
    w->keys = suite_alloc(4 * n);
    w->bins = suite_alloc(4 * n);
    w->values = suite_alloc(4 * n);
    w->vectors = suite_alloc(8 * n);
    w->keep = suite_alloc(n);
    w->u = suite_alloc(8 * n);
    w->v = suite_alloc(8 * n);
    w->weights = suite_alloc(8 * n);
    w->pairs = suite_alloc(16 * n);
    w->lengths = suite_alloc(8 * n);
    w->places = suite_alloc(2 * MODEL * sizeof *w->places);
    w->tree_ids = suite_alloc(8 * n);
    w->boxes = suite_alloc(6 * n * sizeof *w->boxes);
    w->numbers = suite_alloc(8 * (n + (1u << LEVEL)));
    w->bits = suite_alloc(((size_t)1 << DEPTH) / 8);
    w->heap = suite_alloc(((size_t)1 << DEPTH) / 2);
    w->out = suite_alloc(OUT);
    w->copy = suite_alloc(OUT);
    CHECK_OK(ctx, bosc_random_points(ctx, BOSC_RANDOM_POINTS_UNIFORM, 1, w->n, 3, BOSC_F32, w->points));
    CHECK_OK(ctx, bosc_random_points(ctx, BOSC_RANDOM_POINTS_UNIFORM, 2, MODEL, 2, BOSC_F64, w->places));
    CHECK_OK(ctx, bosc_random_heights(ctx, BOSC_RANDOM_HEIGHTS_HILLS, 1, w->side, w->side, w->heights));
    CHECK_OK(ctx, bosc_random_bits(ctx, 1, 0, w->n, w->keys));
    CHECK_OK(ctx, bosc_random_bits(ctx, 1, 1, w->n, w->values));
    for (int64_t i = 0; i < w->n; i++) {
        w->bins[i] = w->values[i] % FEW;
        w->vectors[i] = w->keys[i] >> (32 - LETTERS);
        w->keep[i] = w->keys[i] & 1;
        w->pairs[2 * i] = (i + 1) / 2;
        w->pairs[2 * i + 1] = i + 1;
        w->lengths[i] = w->values[i];
        for (int c = 0; c < 6; c++) w->boxes[6 * i + c] = w->points[3 * i + c % 3] + (c < 3 ? -NEAR / 2 : NEAR / 2);
    }
    make_relief(w);
    for (int64_t i = 0; i < w->n + (1 << LEVEL); i++) w->numbers[i] = i;
    const bosc_graph_generate_opts o = {.size = sizeof o, .n = w->n / 2, .m = w->n};
    CHECK_OK(ctx, bosc_graph_generate(ctx, &o, NULL, NULL, w->u, w->v, w->weights, w->n));
}

static void make_structures(struct world *w)
{
    bosc_ctx *ctx = w->ctx;
    const bosc_kdtree_opts tree = {.size = sizeof tree, .dim = 3, .id_bits = 32};
    const bosc_kdtree_opts brown = {.size = sizeof brown, .dim = 3, .builder = BOSC_KDTREE_BROWN};
    const bosc_voxelgrid_opts grid = {.size = sizeof grid, .dim = 3, .cell = NEAR, .id_bits = 32};
    const bosc_hash_opts map = {.size = sizeof map, .value_size = 4};
    const bosc_hash_opts multimap = {.size = sizeof multimap, .value_size = 4, .kind = BOSC_HASH_MULTIMAP};
    const bosc_graph_opts graph = {.size = sizeof graph, .weight = BOSC_I64};
    const bosc_trie_opts compact_trie = {.size = sizeof compact_trie, .length = LETTERS};
    const bosc_trie_opts published = {.size = sizeof published, .length = LETTERS, .layout = BOSC_TRIE_PUBLISHED};
    for (int k = 0; k < 2; k++) {
        CHECK_OK(ctx, bosc_kdtree_create(ctx, &tree, k ? &w->tree : &w->unbuilt_tree));
        CHECK_OK(ctx, bosc_voxelgrid_create(ctx, &grid, k ? &w->grid : &w->unbuilt_grid));
        CHECK_OK(ctx, bosc_hash_create(ctx, &map, k ? &w->map : &w->unbuilt_map));
        CHECK_OK(ctx, bosc_graph_create(ctx, &graph, k ? &w->graph : &w->unbuilt_graph));
        CHECK_OK(ctx, bosc_trie_create(ctx, &compact_trie, k ? &w->trie : &w->unbuilt_trie));
    }
    CHECK_OK(ctx, bosc_kdtree_create(ctx, &brown, &w->published_tree));
    CHECK_OK(ctx, bosc_hash_create(ctx, &multimap, &w->multimap));
    CHECK_OK(ctx, bosc_comm_create_self(ctx, NULL, &w->comm));
    CHECK_OK(ctx, bosc_dist_hash_create(ctx, w->comm, &map, &w->dist_map));
    CHECK_OK(ctx, bosc_dist_hash_create(ctx, w->comm, &multimap, &w->dist_multimap));
    CHECK_OK(ctx, bosc_trie_create(ctx, &published, &w->published));
    CHECK_OK(ctx, bosc_terrain_create(ctx, NULL, &w->terrain));
    CHECK_OK(ctx, bosc_geometric_create(ctx, NULL, &w->model));
    const bosc_kdtree_opts dist = {.size = sizeof dist, .dim = 3};
    CHECK_OK(ctx, bosc_dist_kdtree_create(ctx, w->comm, &dist, &w->dist_tree));
    CHECK_OK(ctx, bosc_dist_kdtree_create(ctx, w->comm, &dist, &w->unbuilt_dist_tree));
    CHECK_OK(ctx, bosc_collision_create(ctx, NULL, &w->collision));
    const bosc_cbt_opts bisection = {.size = sizeof bisection, .depth = w->depth, .level = w->level, .id_bits = 64};
    CHECK_OK(ctx, bosc_cbt_create(ctx, &bisection, &w->bisection));
    for (int method = 0; method < 6; method++) {
        const bosc_cellgraph_opts cells = {
            .size = sizeof cells, .length = LETTERS, .method = (bosc_cellgraph_method)(method % 5)};
        bosc_cellgraph **to = method < 5 ? &w->unbuilt_cells[method] : &w->cells;
        CHECK_OK(ctx, bosc_cellgraph_create(ctx, &cells, to));
    }
}

static bool on_device(bosc_ctx *ctx) { return suite_opts_like(ctx).backend == BOSC_BACKEND_CUDA; }

static void make_world(struct world *w, bosc_ctx *ctx)
{
    bosc_msf_info info = {.size = sizeof info};
    *w = (struct world){.ctx = ctx, .n = N, .side = SIDE, .depth = DEPTH, .level = LEVEL};
    if (on_device(ctx))
        w->n = FEW, w->side = 32, w->depth = 13,
        w->level = 10; /* in the emulator that is much; what is told depends on time */
    make_arrays(w);
    make_structures(w);
    CHECK_OK(ctx, bosc_kdtree_build(ctx, w->tree, w->points, w->n, 3));
    CHECK_OK(ctx, bosc_dist_kdtree_build(ctx, w->dist_tree, w->points, w->n, 3));
    CHECK_OK(ctx, bosc_voxelgrid_build(ctx, w->grid, w->points, w->n, 3));
    CHECK_OK(ctx, bosc_hash_build(ctx, w->map, w->keys, w->values, w->n));
    CHECK_OK(ctx, bosc_hash_build(ctx, w->multimap, w->bins, w->values, w->n));
    CHECK_OK(ctx, bosc_graph_build(ctx, w->graph, w->u, w->v, w->weights, w->n / 2, w->n));
    CHECK_OK(ctx, bosc_cellgraph_build(ctx, w->cells, w->vectors, w->n, 0));
    CHECK_OK(ctx, bosc_trie_build(ctx, w->trie, w->vectors, NULL, w->n, 0));
    CHECK_OK(ctx, bosc_msf_compute(ctx, w->graph, NULL, w->tree_ids, NULL, &info));
    w->tree_edges = info.edges;
    CHECK_OK(ctx, bosc_cbt_get_bits(ctx, w->bisection, w->bits));
    CHECK_OK(ctx, bosc_cbt_get_heap(ctx, w->bisection, w->heap));
}

static void free_world(struct world *w)
{
    void *arrays[] = {w->points, w->heights, w->keys,    w->bins,    w->values,  w->vectors, w->keep,
                      w->u,      w->v,       w->weights, w->pairs,   w->lengths, w->places,  w->tree_ids,
                      w->out,    w->copy,    w->boxes,   w->numbers, w->bits,    w->heap};
    bosc_kdtree_free(w->tree);
    bosc_kdtree_free(w->unbuilt_tree);
    bosc_kdtree_free(w->published_tree);
    bosc_dist_kdtree_free(w->dist_tree);
    bosc_dist_kdtree_free(w->unbuilt_dist_tree);
    bosc_voxelgrid_free(w->grid);
    bosc_voxelgrid_free(w->unbuilt_grid);
    bosc_hash_free(w->map);
    bosc_hash_free(w->unbuilt_map);
    bosc_hash_free(w->multimap);
    bosc_dist_hash_free(w->dist_map);
    bosc_dist_hash_free(w->dist_multimap);
    bosc_comm_free(w->comm);
    bosc_graph_free(w->graph);
    bosc_graph_free(w->unbuilt_graph);
    bosc_cellgraph_free(w->cells);
    for (int method = 0; method < 5; method++) bosc_cellgraph_free(w->unbuilt_cells[method]);
    bosc_trie_free(w->trie);
    bosc_trie_free(w->unbuilt_trie);
    bosc_trie_free(w->published);
    bosc_terrain_free(w->terrain);
    bosc_geometric_free(w->model);
    bosc_collision_free(w->collision);
    free((void *)(uintptr_t)w->mesh.vertices);
    free((void *)(uintptr_t)w->mesh.triangles);
    bosc_cbt_free(w->bisection);
    for (size_t a = 0; a < sizeof arrays / sizeof arrays[0]; a++) free(arrays[a]);
}

#endif
