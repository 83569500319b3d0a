#include "harness/small_calls.h"

#include <math.h>
#include <stdlib.h>

#include "harness/bench.h"
#include "harness/random.h"
#include "harness/shapes.h"

enum { LETTERS = 64, DEPTH = 10, K = SMALL_K };

struct small small;

/* --- Handles, new for each first call ----------------------------------------------------------------------------- */

void small_create_handles(void)
{
    bench_open();
    BENCH(bosc_kdtree_create(bench.ctx, &(bosc_kdtree_opts){.size = sizeof(bosc_kdtree_opts), .dim = 3, .id_bits = 32},
                             &small.handles.tree));
    bosc_hash_opts table = {.size = sizeof table, .layout = BOSC_HASH_BUCKETED, .value_size = sizeof *small.values};
    BENCH(bosc_hash_create(bench.ctx, &table, &small.handles.table)); /* views are of BUCKETED tables */
    BENCH(bosc_graph_create(bench.ctx, &(bosc_graph_opts){.size = sizeof(bosc_graph_opts), .id_bits = 32},
                            &small.handles.graph));
    bosc_voxelgrid_opts grid = {.size = sizeof grid, .dim = 3, .cell = 1 / cbrt((double)small.many), .id_bits = 32};
    BENCH(bosc_voxelgrid_create(bench.ctx, &grid, &small.handles.grid));
    BENCH(bosc_cbt_create(
        bench.ctx, &(bosc_cbt_opts){.size = sizeof(bosc_cbt_opts), .depth = DEPTH, .level = DEPTH - 2, .id_bits = 32},
        &small.handles.cbt));
    bosc_cellgraph_opts cells = {.size = sizeof cells, .length = LETTERS, .id_bits = 32};
    BENCH(bosc_cellgraph_create(bench.ctx, &cells, &small.handles.cells));
}

void small_free_handles(void)
{
    bosc_kdtree_free(small.handles.tree);
    bosc_hash_free(small.handles.table);
    bosc_graph_free(small.handles.graph);
    bosc_voxelgrid_free(small.handles.grid);
    bosc_cbt_free(small.handles.cbt);
    bosc_cellgraph_free(small.handles.cells);
    bosc_ctx_free(bench.ctx);
    bench.ctx = NULL;
}

/* --- Calls -------------------------------------------------------------------------------------------------------- */

static void build_tree(void) { BENCH(bosc_kdtree_build(bench.ctx, small.handles.tree, small.points, small.n, 0)); }
void small_build_whole_tree(void)
{
    BENCH(bosc_kdtree_build(bench.ctx, small.handles.tree, small.points, small.many, 0));
}

static void knn(void)
{
    BENCH(bosc_kdtree_knn(bench.ctx, small.handles.tree, small.points, small.n, 0, K, small.out32, NULL));
}

static void knn_self(void) { BENCH(bosc_kdtree_knn_self(bench.ctx, small.handles.tree, K, small.out32, NULL)); }

double small_radius(void) { return 1.2 / cbrt((double)small.many); }

static void radius_count(void)
{
    BENCH(
        bosc_kdtree_radius_count(bench.ctx, small.handles.tree, small.points, small.n, 0, small_radius(), small.out64));
}

static void radius_offsets(void)
{
    BENCH(bosc_kdtree_radius(bench.ctx, small.handles.tree, small.points, small.n, 0, small_radius(), small.offsets,
                             NULL, NULL, 0));
}

static void build_table(void)
{
    BENCH(bosc_hash_build(bench.ctx, small.handles.table, small.keys, small.values, small.n));
}
void small_build_whole_table(void)
{
    BENCH(bosc_hash_build(bench.ctx, small.handles.table, small.keys, small.values, small.many));
}

static void find_keys(void)
{
    BENCH(bosc_hash_find(bench.ctx, small.handles.table, small.keys, small.n, small.out32, small.flags));
}

static void insert_keys(void)
{
    BENCH(bosc_hash_insert(bench.ctx, small.handles.table, small.keys, small.values, small.n));
}

static void erase_keys(void) { BENCH(bosc_hash_erase(bench.ctx, small.handles.table, small.keys, small.n, NULL)); }

static void find_unique(void)
{
    int64_t count;
    BENCH(bosc_hash_unique(bench.ctx, small.keys, small.n, 32, small.out64, NULL, &count));
}

static void build_graph(void)
{
    BENCH(bosc_graph_build(bench.ctx, small.handles.graph, small.u, small.v, small.weights, small.many, small.n));
}

static const bosc_msf_opts msf = {.size = sizeof msf};

static void forest(void) { BENCH(bosc_msf_compute(bench.ctx, small.handles.graph, &msf, small.edges, NULL, NULL)); }

static void forest_edges(void)
{
    bosc_graph_opts o = {.size = sizeof o, .id_bits = 32};
    BENCH(bosc_msf_compute_edges(bench.ctx, &o, &msf, small.u, small.v, small.weights, small.many, small.n, small.edges,
                                 NULL, NULL));
}

static void components(void)
{
    int64_t count;
    BENCH(bosc_components_compute(bench.ctx, small.handles.graph, NULL, small.out32, &count));
}

static void components_edges(void)
{
    int64_t count;
    bosc_graph_opts o = {.size = sizeof o, .id_bits = 32};
    BENCH(bosc_components_compute_edges(bench.ctx, &o, NULL, small.u, small.v, NULL, small.many, small.n, small.out32,
                                        &count));
}

static void emst(void)
{
    bosc_emst_opts o = {.size = sizeof o, .dim = 3, .id_bits = 32};
    BENCH(bosc_emst_compute(bench.ctx, small.points, small.n, 0, &o, small.out32, NULL));
}

static void build_grid(void) { BENCH(bosc_voxelgrid_build(bench.ctx, small.handles.grid, small.points, small.n, 0)); }

static void grid_count(void)
{
    BENCH(bosc_voxelgrid_radius_count(bench.ctx, small.handles.grid, small.points, small.n, 0, small_radius(),
                                      small.out64));
}

static void grid_pairs(void)
{
    int64_t count;
    BENCH(bosc_voxelgrid_pairs(bench.ctx, small.handles.grid, small_radius(), NULL, NULL, 0, &count));
}

static void cbt_cycle(void)
{
    BENCH(
        bosc_cbt_update_and_decode(bench.ctx, small.handles.cbt, small.flags, 0, NULL, small.out32, 1 << (DEPTH - 2)));
}

static void build_cells(void) { BENCH(bosc_cellgraph_build(bench.ctx, small.handles.cells, small.words, small.n, 0)); }

static void reduce(void) { BENCH(bosc_reduce(bench.ctx, BOSC_SUM, BOSC_F32, small.points, small.n, small.out_double)); }

static void scan(void)
{
    BENCH(bosc_scan(bench.ctx, BOSC_SUM, BOSC_EXCLUSIVE, BOSC_U32, small.values, small.n, small.out32));
}

static void compact(void)
{
    int64_t count;
    BENCH(bosc_compact(bench.ctx, sizeof *small.keys, small.keys, (const uint8_t *)small.keys, small.n, small.out32,
                       &count));
}

static void histogram(void) { BENCH(bosc_histogram(bench.ctx, small.bins, small.n, 256, small.out64)); }

static void split(void)
{
    BENCH(bosc_split(bench.ctx, sizeof *small.keys, small.keys, small.bins, small.n, 256, small.out32, small.offsets));
}

static void sort_keys(void) { BENCH(bosc_sort_keys(bench.ctx, BOSC_U32, small.keys, small.n, small.out32)); }

static void sort_pairs(void)
{
    BENCH(bosc_sort_pairs(bench.ctx, BOSC_U32, small.keys, 4, small.values, small.n, small.out32, small.edges));
}

static void search_sorted(void)
{
    BENCH(bosc_search_sorted(bench.ctx, BOSC_U32, small.bins, small.n, small.keys, small.n, small.out64));
}

const struct small_call small_calls[] = {
    {"kdtree build", NULL, build_tree},
    {"kdtree knn, k = 8", small_build_whole_tree, knn},
    {"kdtree knn of all", build_tree, knn_self},
    {"kdtree radius count", small_build_whole_tree, radius_count},
    {"kdtree radius offsets", small_build_whole_tree, radius_offsets},
    {"hash build", NULL, build_table},
    {"hash find", small_build_whole_table, find_keys},
    {"hash insert", small_build_whole_table, insert_keys},
    {"hash erase", small_build_whole_table, erase_keys},
    {"hash unique", NULL, find_unique},
    {"graph build", NULL, build_graph},
    {"forest", build_graph, forest},
    {"forest of a list", NULL, forest_edges},
    {"components", build_graph, components},
    {"components of a list", NULL, components_edges},
    {"euclidean tree", NULL, emst},
    {"voxel grid build", NULL, build_grid},
    {"voxel grid counts", build_grid, grid_count},
    {"voxel grid pairs", build_grid, grid_pairs},
    {"binary tree cycle", NULL, cbt_cycle},
    {"cell graph build", NULL, build_cells},
    {"reduce", NULL, reduce},
    {"scan", NULL, scan},
    {"compact", NULL, compact},
    {"histogram", NULL, histogram},
    {"split", NULL, split},
    {"sort keys", NULL, sort_keys},
    {"sort pairs", NULL, sort_pairs},
    {"search sorted", NULL, search_sorted},
};
const int small_call_count = sizeof small_calls / sizeof small_calls[0];

void small_make_input(int64_t many)
{
    small.many = many;
    uint64_t state = 1;
    size_t n = (size_t)small.many;
    small.points = bench_points("uniform", small.many, 3, 5);
    uint32_t **words[] = {&small.keys, &small.values, &small.u, &small.v, &small.weights, &small.bins, &small.edges};
    for (size_t k = 0; k < sizeof words / sizeof words[0]; k++) *words[k] = bench_host(n * sizeof(uint32_t));
    small.out32 = bench_host((n * K + (1 << DEPTH)) * sizeof *small.out32);
    small.words = bench_host(n * sizeof *small.words);
    small.out64 = bench_host((n + 256) * sizeof *small.out64);
    small.offsets = bench_host((n + 257) * sizeof *small.offsets);
    small.flags = bench_host(n);
    small.out_double = bench_host(sizeof *small.out_double);
    for (int64_t i = 0; i < small.many; i++) {
        small.keys[i] = (uint32_t)i * 0x9e3779b1u;
        small.values[i] = (uint32_t)i;
        small.u[i] = (uint32_t)(bench_next(&state) % (uint64_t)small.many);
        small.v[i] = (uint32_t)(bench_next(&state) % (uint64_t)small.many);
        small.weights[i] = (uint32_t)bench_next(&state) >> 8;
        small.bins[i] = (uint32_t)(256 * i / small.many);
        small.words[i] = i % 2 ? small.words[i - 1] ^ (uint64_t)1 << i % LETTERS : bench_next(&state);
    }
}

void small_free_input(void)
{
    void *arrays[] = {small.points,  small.keys,    small.values, small.u,         small.v,
                      small.weights, small.bins,    small.edges,  small.out32,     small.words,
                      small.out64,   small.offsets, small.flags,  small.out_double};
    for (size_t k = 0; k < sizeof arrays / sizeof arrays[0]; k++) free(arrays[k]);
}
