/* Every call that can take long, on data that make it report progress. */
#ifndef TESTS_CASES_CORE_PROGRESS_DATA_H
#define TESTS_CASES_CORE_PROGRESS_DATA_H

#include "cases/core/progress_clouds.h"
#include "cases/core/progress_cluster.h"
#include "cases/core/progress_kdtree.h"
#include "cases/core/progress_neighborlist.h"
#include "cases/core/progress_plan.h"
#include "cases/core/progress_planet.h"
#include "cases/core/progress_voxels.h"

#include <string.h>

#include "core/call.h"

/* ---- saved structures ---- */

static int append_bytes(void *user, const void *bytes, size_t count)
{
    struct world *w = user;
    if (count > OUT - w->at) return 1;
    memcpy(w->saved + w->at, bytes, count);
    w->at += count;
    return 0;
}
static int deliver_bytes(void *user, void *bytes, size_t count)
{
    struct world *w = user;
    if (count > OUT - w->at) return 1;
    memcpy(bytes, w->saved + w->at, count);
    w->at += count;
    return 0;
}

/* Writing is compared by its bytes; reading by the bytes of the structure read, written again. */
#define SAVED(type, handle)                                                               \
    static bosc_status type##_write(struct world *w)                                      \
    {                                                                                     \
        w->at = 0;                                                                        \
        bosc_status status = bosc_##type##_write(w->ctx, handle, append_bytes, w);        \
        if (status == BOSC_OK) memcpy(w->out, w->saved, w->at);                           \
        return status;                                                                    \
    }                                                                                     \
    static bosc_status type##_read(struct world *w)                                       \
    {                                                                                     \
        bosc_##type *fresh = NULL;                                                        \
        w->at = 0;                                                                        \
        bosc_status status = bosc_##type##_read(w->ctx, deliver_bytes, w, &fresh);        \
        CHECK((status == BOSC_OK) == (fresh != NULL));                                    \
        bosc_progress_fn function = w->ctx->progress.function;                            \
        w->ctx->progress.function = NULL;                                                 \
        w->at = 0;                                                                        \
        if (fresh) CHECK_OK(w->ctx, bosc_##type##_write(w->ctx, fresh, append_bytes, w)); \
        w->ctx->progress.function = function;                                             \
        if (fresh) memcpy(w->out, w->saved, w->at);                                       \
        bosc_##type##_free(fresh);                                                        \
        return status;                                                                    \
    }
SAVED(kdtree, w->tree)
SAVED(graph, w->graph)
SAVED(hash, w->map)
SAVED(trie, w->trie)
SAVED(hdbscan, w->clustering)
SAVED(cbt, w->bisection)
SAVED(bisectors, w->bisectors)
SAVED(planet, w->planet)

/* ---- distributed k-d trees ---- */

static bosc_status ranks_kdtree_build(struct world *w)
{
    return bosc_ranks_kdtree_build(w->ctx, w->unbuilt_ranks_tree, w->points, w->n, 3);
}
static bosc_status ranks_kdtree_get_nodes(struct world *w)
{
    return bosc_ranks_kdtree_get_nodes(w->ctx, w->ranks_tree, NULL, w->out);
}
static bosc_status ranks_kdtree_knn(struct world *w)
{
    return bosc_ranks_kdtree_knn(w->ctx, w->ranks_tree, w->points, w->n, 3, K, w->out, NULL);
}
static bosc_status ranks_kdtree_offsets(struct world *w)
{
    return bosc_ranks_kdtree_radius(w->ctx, w->ranks_tree, w->points, w->n, 3, NEAR, w->offsets, NULL, NULL, 0);
}
static bosc_status ranks_kdtree_radius(struct world *w)
{
    return bosc_ranks_kdtree_radius(w->ctx, w->ranks_tree, w->points, w->n, 3, NEAR, w->offsets, w->out, NULL, OUT / 8);
}
static bosc_status ranks_kdtree_box_offsets(struct world *w)
{
    return bosc_ranks_kdtree_box(w->ctx, w->ranks_tree, w->boxes, w->n, w->offsets, NULL, 0);
}
static bosc_status ranks_kdtree_box(struct world *w)
{
    return bosc_ranks_kdtree_box(w->ctx, w->ranks_tree, w->boxes, w->n, w->offsets, w->out, OUT / 8);
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

static bosc_status ranks_reduce(struct world *w)
{
    return bosc_ranks_reduce(w->ctx, w->comm, BOSC_SUM, BOSC_F32, w->points, 3 * w->n, w->out);
}
static bosc_status ranks_scan(struct world *w)
{
    return bosc_ranks_scan(w->ctx, w->comm, BOSC_SUM, BOSC_EXCLUSIVE, BOSC_F32, w->points, 3 * w->n, w->out);
}
static bosc_status ranks_sort_keys(struct world *w)
{
    return bosc_ranks_sort_keys(w->ctx, w->comm, BOSC_F32, w->points, w->n, w->out);
}
static bosc_status ranks_sort_pairs(struct world *w)
{
    return bosc_ranks_sort_pairs(w->ctx, w->comm, BOSC_U32, w->keys, 4, w->values, w->n, w->out, w->out + 4 * w->n);
}
static bosc_status ranks_unique(struct world *w)
{
    int64_t count;
    return bosc_ranks_unique(w->ctx, w->comm, w->bins, w->n, 32, (int64_t *)(void *)w->out, NULL, &count, NULL);
}
static bosc_status ranks_hash_build(struct world *w)
{
    return bosc_ranks_hash_build(w->ctx, w->ranks_map, w->keys, w->values, w->n);
}
static bosc_status ranks_hash_build_multimap(struct world *w)
{
    return bosc_ranks_hash_build(w->ctx, w->ranks_multimap, w->bins, w->values, w->n);
}
static bosc_status ranks_hash_find(struct world *w)
{
    return bosc_ranks_hash_find(w->ctx, w->ranks_map, w->keys, w->n, w->out, w->out + 4 * w->n);
}
static bosc_status ranks_hash_count(struct world *w)
{
    return bosc_ranks_hash_count(w->ctx, w->ranks_multimap, w->bins, w->n, (int64_t *)(void *)w->out);
}
static bosc_status ranks_hash_offsets(struct world *w)
{
    return bosc_ranks_hash_retrieve(w->ctx, w->ranks_multimap, w->bins, w->n / 8, w->offsets, NULL, 0);
}
static bosc_status ranks_hash_retrieve(struct world *w)
{
    return bosc_ranks_hash_retrieve(w->ctx, w->ranks_multimap, w->bins, w->n / 8, w->offsets, w->out, OUT / 4);
}
static bosc_status ranks_hash_insert(struct world *w)
{
    return bosc_ranks_hash_insert(w->ctx, w->ranks_map, w->bins, w->values, w->n);
}
static bosc_status ranks_hash_erase(struct world *w)
{
    return bosc_ranks_hash_erase(w->ctx, w->ranks_map, w->keys, w->n / 2, (int64_t *)(void *)w->out);
}

static bosc_status random_bits(struct world *w)
{
    return bosc_random_bits(w->ctx, 1, 2, 8 * w->n, (uint32_t *)(void *)w->out);
}
static bosc_status random_points(struct world *w)
{
    return bosc_random_points(w->ctx, BOSC_RANDOM_POINTS_NORMAL, 1, w->n, 3, BOSC_F64, w->out);
}
static bosc_status random_lidar(struct world *w)
{
    return bosc_random_points(w->ctx, BOSC_RANDOM_POINTS_LIDAR, 1, w->n, 3, BOSC_F64, w->out);
}
static bosc_status random_keys(struct world *w)
{
    return bosc_random_keys(w->ctx, BOSC_RANDOM_KEYS_ZIPF, 1, w->n, 64, w->out);
}
static bosc_status random_words(struct world *w)
{
    return bosc_random_words(w->ctx, BOSC_RANDOM_WORDS_PAIRS, 1, w->n, 12, 4, (uint8_t *)(void *)w->out);
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
static bosc_status paths_compute(struct world *w)
{
    const int64_t source = 0;
    return bosc_paths_compute(w->ctx, w->graph, &source, 1, NULL, w->out, w->out + 8 * w->n, NULL, NULL, NULL);
}
static bosc_status paths_verify(struct world *w)
{
    const int64_t source = 0;
    const bosc_paths_opts far = {.size = sizeof far, .limit = &(uint64_t){0}};
    uint64_t *distances = (uint64_t *)(void *)w->out;
    memset(distances, 0xff, (size_t)w->n * sizeof *distances);
    distances[0] = 0;
    return bosc_paths_verify(w->ctx, w->graph, &source, 1, &far, distances, NULL, NULL);
}
static bosc_status ranks_msf_compute(struct world *w)
{
    return bosc_ranks_msf_compute(w->ctx, w->comm, w->graph, NULL, w->out, NULL, w->out + 8 * w->n, NULL);
}
static bosc_status ranks_msf_verify(struct world *w)
{
    return bosc_ranks_msf_verify(w->ctx, w->comm, w->graph, NULL, w->tree_ids, w->tree_edges, NULL);
}
static bosc_status ranks_components_compute(struct world *w)
{
    return bosc_ranks_components_compute(w->ctx, w->comm, w->graph, NULL, w->out, NULL);
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
static bosc_status cellgraph_table(struct world *w) { return build_cells(w, BOSC_CELLGRAPH_TABLE); }
static bosc_status cellgraph_components(struct world *w)
{
    return bosc_cellgraph_components(w->ctx, w->cells, w->out, NULL);
}
static bosc_status ranks_cellgraph_build(struct world *w)
{
    return bosc_ranks_cellgraph_build(w->ctx, w->ranks_cells, w->vectors, w->n, 0);
}
static bosc_status ranks_cellgraph_components(struct world *w)
{
    return bosc_ranks_cellgraph_components(w->ctx, w->ranks_cells, w->out, NULL);
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
static bosc_status geometric_build(struct world *w)
{
    return bosc_geometric_build(w->ctx, w->model, w->places, w->place_count);
}
static bosc_status geometric_find(struct world *w)
{
    bosc_geometric_match match = {.size = sizeof match};
    return bosc_geometric_find(w->ctx, w->model, w->places, w->place_count, w->out, &match);
}
static bosc_status geometric_build_models(struct world *w)
{
    const int64_t offsets[] = {0, w->place_count / 3, w->place_count / 2, w->place_count};
    return bosc_geometric_build_models(w->ctx, w->model, w->places, offsets, 3);
}
static bosc_status geometric_find_models(struct world *w)
{
    bosc_geometric_match matches[3] = {{.size = sizeof *matches}};
    int64_t count;
    return bosc_geometric_find_models(w->ctx, w->model, w->places, w->place_count, w->out, matches, 3, &count);
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
    return bosc_cbt_update_and_decode(w->ctx, w->bisection, w->keep, w->n, NULL, w->out, 2 * w->n);
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
static bosc_status bisectors_reset(struct world *w) { return bosc_bisectors_reset(w->ctx, w->bisectors, w->level); }
static bosc_status bisectors_update(struct world *w)
{
    return bosc_bisectors_update(w->ctx, w->bisectors, w->keep, w->n, (int64_t *)(void *)w->out, 2 * w->n);
}
static bosc_status bisectors_encode(struct world *w)
{
    return bosc_bisectors_encode(w->ctx, w->bisectors, (const uint64_t *)w->numbers + 1, w->n,
                                 (int64_t *)(void *)w->out);
}
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
    {"kdtree_knn_metric", kdtree_query_knn, NULL, false},
    {"kdtree_radius_count_metric", kdtree_query_count, NULL, false},
    {"kdtree_radius_metric", kdtree_query_offsets, NULL, false},
    {"kdtree_radius_metric", kdtree_query_radius, kdtree_query_offsets, false},
    {"kdtree_pairs", kdtree_pair_offsets, NULL, false},
    {"kdtree_pairs", kdtree_pairs, kdtree_pair_offsets, false},
    {"kdtree_count_pairs", kdtree_count_pairs, NULL, false},
    {"kdtree_verify", kdtree_verify, NULL, false},
    {"kdtree_write", kdtree_write, NULL, false},
    {"kdtree_read", kdtree_read, kdtree_write, false},
    {"graph_write", graph_write, NULL, false},
    {"graph_read", graph_read, graph_write, false},
    {"hash_write", hash_write, NULL, false},
    {"hash_read", hash_read, hash_write, false},
    {"trie_write", trie_write, NULL, false},
    {"trie_read", trie_read, trie_write, false},
    {"hdbscan_write", hdbscan_write, NULL, false},
    {"hdbscan_read", hdbscan_read, hdbscan_write, false},
    {"hdbscan_create", hdbscan_create, NULL, false},
    {"cbt_write", cbt_write, cbt_reset, false},
    {"cbt_read", cbt_read, cbt_write, false},
    {"ranks_kdtree_build", ranks_kdtree_build, NULL, false},
    {"ranks_kdtree_get_nodes", ranks_kdtree_get_nodes, NULL, false},
    {"ranks_kdtree_knn", ranks_kdtree_knn, NULL, false},
    {"ranks_kdtree_radius", ranks_kdtree_offsets, NULL, false},
    {"ranks_kdtree_radius", ranks_kdtree_radius, ranks_kdtree_offsets, false},
    {"ranks_kdtree_box", ranks_kdtree_box_offsets, NULL, false},
    {"ranks_kdtree_box", ranks_kdtree_box, ranks_kdtree_box_offsets, false},
    {"clouds_build", clouds_build, NULL, false},
    {"clouds_build_from_batch", clouds_build_from_batch, NULL, false},
    {"clouds_knn", clouds_knn, NULL, false},
    {"clouds_knn_edges", clouds_knn_edges, NULL, false},
    {"clouds_radius_count", clouds_radius_count, NULL, false},
    {"clouds_radius", clouds_offsets, NULL, false},
    {"clouds_radius", clouds_radius, clouds_offsets, false},
    {"clouds_radius_edges", clouds_radius_edges, NULL, false},
    {"clouds_sample_farthest", clouds_sample_farthest, NULL, false},
    {"clouds_sample_ratio", clouds_sample_ratio, NULL, false},
    {"voxels_build", voxels_build, NULL, false},
    {"voxels_mean", voxels_mean, NULL, false},
    {"voxels_mean_gradient", voxels_mean_gradient, NULL, false},
    {"voxels_nearest", voxels_nearest, NULL, false},
    {"voxels_pad", voxels_pad, NULL, false},
    {"voxels_members", voxels_members, NULL, false},
    {"voxels_kernel_map", voxels_kernel_map, NULL, false},
    {"voxelgrid_build", voxelgrid_build, NULL, false},
    {"voxelgrid_radius_count", voxelgrid_radius_count, NULL, false},
    {"voxelgrid_voxel_count", voxelgrid_voxel_count, NULL, false},
    {"voxelgrid_radius", voxelgrid_offsets, NULL, false},
    {"voxelgrid_radius", voxelgrid_radius, voxelgrid_offsets, false},
    {"voxelgrid_pairs", voxelgrid_pairs, NULL, false},
    {"voxelgrid_components", voxelgrid_components, NULL, false},
    {"voxelgrid_voxels", voxelgrid_voxels, NULL, false},
    {"neighborlist_build", neighborlist_build, NULL, false},
    {"neighborlist_pairs", neighborlist_pairs, neighborlist_build, false},
    {"neighborlist_rows", neighborlist_rows, neighborlist_build, false},
    {"neighborlist_padded", neighborlist_padded, neighborlist_build, false},
    {"neighborlist_move", neighborlist_move, neighborlist_build, false},
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
    {"ranks_reduce", ranks_reduce, NULL, false},
    {"ranks_scan", ranks_scan, NULL, false},
    {"ranks_sort_keys", ranks_sort_keys, NULL, false},
    {"ranks_sort_pairs", ranks_sort_pairs, NULL, false},
    {"ranks_unique", ranks_unique, NULL, false},
    {"ranks_hash_build", ranks_hash_build, NULL, false},
    {"ranks_hash_build", ranks_hash_build_multimap, NULL, false},
    {"ranks_hash_find", ranks_hash_find, ranks_hash_build, false},
    {"ranks_hash_count", ranks_hash_count, ranks_hash_build_multimap, false},
    {"ranks_hash_retrieve", ranks_hash_offsets, ranks_hash_build_multimap, false},
    {"ranks_hash_retrieve", ranks_hash_retrieve, ranks_hash_offsets, false},
    {"ranks_hash_insert", ranks_hash_insert, ranks_hash_build, false},
    {"ranks_hash_erase", ranks_hash_erase, ranks_hash_build, false},
    {"random_bits", random_bits, NULL, false},
    {"random_points", random_points, NULL, false},
    {"random_points", random_lidar, NULL, false},
    {"random_keys", random_keys, NULL, false},
    {"random_words", random_words, NULL, false},
    {"random_heights", random_heights, NULL, false},
    {"graph_generate", graph_generate, NULL, false},
    {"graph_generate", graph_generate_geometric, NULL, false},
    {"graph_build", graph_build, NULL, false},
    {"graph_get_rows", graph_get_rows, NULL, false},
    {"msf_compute", msf_compute, NULL, false},
    {"msf_compute", msf_compute_by_primitives, NULL, false},
    {"msf_verify", msf_verify, NULL, false},
    {"components_compute", components_compute, NULL, false},
    {"paths_compute", paths_compute, NULL, false},
    {"paths_verify", paths_verify, NULL, false},
    {"ranks_msf_compute", ranks_msf_compute, NULL, false},
    {"ranks_msf_verify", ranks_msf_verify, NULL, false},
    {"ranks_components_compute", ranks_components_compute, NULL, false},
    {"dbscan_compute", dbscan_compute, NULL, false},
    {"dbscan_compute_tree", dbscan_compute_tree, NULL, false},
    {"emst_compute", emst_compute, NULL, false},
    {"emst_compute_mutual", emst_compute_mutual, NULL, false},
    {"emst_compute_minkowski", emst_compute_minkowski, NULL, false},
    {"emst_verify", emst_verify, NULL, false},
    {"emst_find_replacements", emst_find_replacements, NULL, false},
    {"emst_verify_minkowski", emst_verify_minkowski, NULL, false},
    {"emst_find_replacements_minkowski", emst_find_replacements_minkowski, NULL, false},
    {"hdbscan_compute", hdbscan_compute, NULL, false},
    {"hdbscan_compute_linkage", hdbscan_compute_linkage, NULL, false},
    {"hdbscan_predict", hdbscan_predict, NULL, false},
    {"hdbscan_predict_memberships", hdbscan_predict_memberships, NULL, false},
    {"hdbscan_compute_memberships", hdbscan_compute_memberships, NULL, false},
    {"hdbscan_list_exemplars", hdbscan_list_exemplars, NULL, false},
    {"cluster_compute_centers", cluster_compute_centers, NULL, false},
    {"cluster_compute_validity", cluster_compute_validity, NULL, false},
    {"ranks_emst_compute", ranks_emst_compute, NULL, false},
    {"ranks_emst_compute_mutual", ranks_emst_compute_mutual, NULL, false},
    {"ranks_emst_compute_minkowski", ranks_emst_compute_minkowski, NULL, false},
    {"ranks_dbscan_compute", ranks_dbscan_compute, NULL, false},
    {"ranks_hdbscan_compute", ranks_hdbscan_compute, NULL, false},
    {"linkage_compute", linkage_compute, NULL, false},
    {"tour_compute", tour_compute, NULL, false},
    {"cellgraph_build", cellgraph_auto, NULL, false},
    {"cellgraph_build", cellgraph_heuristic, NULL, false},
    {"cellgraph_build", cellgraph_trie, NULL, false},
    {"cellgraph_build", cellgraph_zobrist, NULL, false},
    {"cellgraph_build", cellgraph_join, NULL, false},
    {"cellgraph_build", cellgraph_table, NULL, false},
    {"cellgraph_components", cellgraph_components, NULL, false},
    {"cellgraph_get_vertices", cellgraph_get_vertices, NULL, false},
    {"ranks_cellgraph_build", ranks_cellgraph_build, NULL, false},
    {"ranks_cellgraph_components", ranks_cellgraph_components, ranks_cellgraph_build, false},
    {"trie_build", trie_build, NULL, false},
    {"trie_build", trie_build_published, NULL, false},
    {"trie_insert", trie_insert, NULL, false},
    {"trie_erase", trie_erase, trie_build, false},
    {"trie_find", trie_find, NULL, false},
    {"trie_longest", trie_longest, NULL, false},
    {"trie_neighbours", trie_neighbours, NULL, false},
    {"trie_pairs", trie_pairs, NULL, false},
    {"plan_build", plan_build, NULL, false},
    {"plan_signs", plan_signs, NULL, false},
    {"plan_collides", plan_collides, NULL, false},
    {"plan_sample", plan_sample, NULL, false},
    {"plan_labels", plan_labels, NULL, false},
    {"plan_arcs", plan_arcs, NULL, false},
    {"plan_crossings", plan_crossings, NULL, false},
    {"roadmap_add", roadmap_add, roadmap_reset, false},
    {"roadmap_explore", roadmap_explore, roadmap_reset, false},
    {"planner_build", planner_build, NULL, false},
    {"planner_add", planner_add, planner_build, false},
    {"planner_locate", planner_locate, planner_add, false},
    {"planner_certify", planner_certify, planner_build, false},
    {"planner_route", planner_route, planner_build, false},
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
    {"cbt_update_and_decode", cbt_cycle, cbt_reset, true},
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
    {"bisectors_reset", bisectors_reset, NULL, false},
    {"bisectors_update", bisectors_update, bisectors_reset, false},
    {"bisectors_encode", bisectors_encode, NULL, false},
    {"bisectors_write", bisectors_write, bisectors_reset, false},
    {"bisectors_read", bisectors_read, bisectors_write, false},
    {"planet_build", planet_build, NULL, false},
    {"planet_select", planet_select, NULL, false},
    {"planet_update", planet_update, planet_select, false},
    {"planet_get_mesh", planet_get_mesh, planet_select, false},
    {"planet_get_part", planet_get_part, planet_select, false},
    {"planet_sample", planet_sample, NULL, false},
    {"planet_measure", planet_measure, NULL, false},
    {"planet_add_inset", planet_add_inset, planet_build, false},
    {"planet_write", planet_write, planet_build, false},
    {"planet_read", planet_read, planet_write, false},
    {"planet_build_tiles", planet_build_tiles, NULL, false},
};
enum { CALLS = sizeof calls / sizeof calls[0] };

#endif
