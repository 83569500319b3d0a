/* Times small calls on the CPU, of one item and of a few thousand: bench_small [-n items] [-m points of the tree that
 * single queries search]. First: the first call of a fresh context and handle; then: the same call again. All times are
 * processor time of all threads, least of many. */
#include <math.h>
#include <stdlib.h>

#include <boscage/device/hash.h>
#include <boscage/device/kdtree_box.h>

#include "harness/bench.h"
#include "harness/points.h"
#include "harness/random.h"

enum { K = 8, LETTERS = 64, DEPTH = 10, AT_ONCE = 64, SINGLE_QUERIES = 2000 };

static struct {
    int64_t m;     /* points of the large tree */
    int64_t many;  /* items of the handles */
    int64_t n;     /* items of a call, at most many */
    float *points; /* (many x 3) */
    uint32_t *keys, *values, *u, *v, *weights, *bins, *out32, *edges;
    uint64_t *words;
    uint8_t *flags;
    int64_t *out64, *offsets;
    double *out_double;
    bosc_kdtree *tree;
    bosc_hash *table;
    bosc_graph *graph;
    bosc_voxelgrid *grid;
    bosc_cbt *cbt;
    bosc_cellgraph *cells;
} set = {.m = 1000000};

/* --- Handles, new for each first call ----------------------------------------------------------------------------- */

static void create_handles(void)
{
    bench_open();
    BENCH(bosc_kdtree_create(bench.ctx, &(bosc_kdtree_opts){.size = sizeof(bosc_kdtree_opts), .dim = 3, .id_bits = 32},
                             &set.tree));
    bosc_hash_opts table = {.size = sizeof table, .layout = BOSC_HASH_BUCKETED, .value_size = sizeof *set.values};
    BENCH(bosc_hash_create(bench.ctx, &table, &set.table)); /* views are of BUCKETED tables */
    BENCH(bosc_graph_create(bench.ctx, &(bosc_graph_opts){.size = sizeof(bosc_graph_opts), .id_bits = 32}, &set.graph));
    bosc_voxelgrid_opts grid = {.size = sizeof grid, .dim = 3, .cell = 1 / cbrt((double)set.many), .id_bits = 32};
    BENCH(bosc_voxelgrid_create(bench.ctx, &grid, &set.grid));
    BENCH(bosc_cbt_create(
        bench.ctx, &(bosc_cbt_opts){.size = sizeof(bosc_cbt_opts), .depth = DEPTH, .level = DEPTH - 2, .id_bits = 32},
        &set.cbt));
    bosc_cellgraph_opts cells = {.size = sizeof cells, .length = LETTERS, .id_bits = 32};
    BENCH(bosc_cellgraph_create(bench.ctx, &cells, &set.cells));
}

static void free_handles(void)
{
    bosc_kdtree_free(set.tree);
    bosc_hash_free(set.table);
    bosc_graph_free(set.graph);
    bosc_voxelgrid_free(set.grid);
    bosc_cbt_free(set.cbt);
    bosc_cellgraph_free(set.cells);
    bosc_ctx_free(bench.ctx);
    bench.ctx = NULL;
}

/* --- Calls -------------------------------------------------------------------------------------------------------- */

static void build_tree(void) { BENCH(bosc_kdtree_build(bench.ctx, set.tree, set.points, set.n, 0)); }
static void build_whole_tree(void) { BENCH(bosc_kdtree_build(bench.ctx, set.tree, set.points, set.many, 0)); }

static void knn(void) { BENCH(bosc_kdtree_knn(bench.ctx, set.tree, set.points, set.n, 0, K, set.out32, NULL)); }

static void knn_self(void) { BENCH(bosc_kdtree_knn_self(bench.ctx, set.tree, K, set.out32, NULL)); }

static double radius(void) { return 1.2 / cbrt((double)set.many); }

static void radius_count(void)
{
    BENCH(bosc_kdtree_radius_count(bench.ctx, set.tree, set.points, set.n, 0, radius(), set.out64));
}

static void radius_offsets(void)
{
    BENCH(bosc_kdtree_radius(bench.ctx, set.tree, set.points, set.n, 0, radius(), set.offsets, NULL, NULL, 0));
}

static void build_table(void) { BENCH(bosc_hash_build(bench.ctx, set.table, set.keys, set.values, set.n)); }
static void build_whole_table(void) { BENCH(bosc_hash_build(bench.ctx, set.table, set.keys, set.values, set.many)); }

static void find_keys(void) { BENCH(bosc_hash_find(bench.ctx, set.table, set.keys, set.n, set.out32, set.flags)); }

static void insert_keys(void) { BENCH(bosc_hash_insert(bench.ctx, set.table, set.keys, set.values, set.n)); }

static void erase_keys(void) { BENCH(bosc_hash_erase(bench.ctx, set.table, set.keys, set.n, NULL)); }

static void find_unique(void)
{
    int64_t count;
    BENCH(bosc_hash_unique(bench.ctx, set.keys, set.n, 32, set.out64, NULL, &count));
}

static void build_graph(void)
{
    BENCH(bosc_graph_build(bench.ctx, set.graph, set.u, set.v, set.weights, set.many, set.n));
}

static const bosc_msf_opts msf = {.size = sizeof msf};

static void forest(void) { BENCH(bosc_msf_compute(bench.ctx, set.graph, &msf, set.edges, NULL, NULL)); }

static void forest_edges(void)
{
    bosc_graph_opts o = {.size = sizeof o, .id_bits = 32};
    BENCH(
        bosc_msf_compute_edges(bench.ctx, &o, &msf, set.u, set.v, set.weights, set.many, set.n, set.edges, NULL, NULL));
}

static void components(void)
{
    int64_t count;
    BENCH(bosc_components_compute(bench.ctx, set.graph, NULL, set.out32, &count));
}

static void components_edges(void)
{
    int64_t count;
    bosc_graph_opts o = {.size = sizeof o, .id_bits = 32};
    BENCH(bosc_components_compute_edges(bench.ctx, &o, NULL, set.u, set.v, NULL, set.many, set.n, set.out32, &count));
}

static void emst(void)
{
    bosc_emst_opts o = {.size = sizeof o, .dim = 3, .id_bits = 32};
    BENCH(bosc_emst_compute(bench.ctx, set.points, set.n, 0, &o, set.out32, NULL));
}

static void build_grid(void) { BENCH(bosc_voxelgrid_build(bench.ctx, set.grid, set.points, set.n, 0)); }

static void grid_count(void)
{
    BENCH(bosc_voxelgrid_radius_count(bench.ctx, set.grid, set.points, set.n, 0, radius(), set.out64));
}

static void grid_pairs(void)
{
    int64_t count;
    BENCH(bosc_voxelgrid_pairs(bench.ctx, set.grid, radius(), NULL, NULL, 0, &count));
}

static void cbt_cycle(void)
{
    BENCH(bosc_cbt_update_and_decode(bench.ctx, set.cbt, set.flags, 0, NULL, set.out32, 1 << (DEPTH - 2)));
}

static void build_cells(void) { BENCH(bosc_cellgraph_build(bench.ctx, set.cells, set.words, set.n, 0)); }

static void reduce(void) { BENCH(bosc_reduce(bench.ctx, BOSC_SUM, BOSC_F32, set.points, set.n, set.out_double)); }

static void scan(void)
{
    BENCH(bosc_scan(bench.ctx, BOSC_SUM, BOSC_EXCLUSIVE, BOSC_U32, set.values, set.n, set.out32));
}

static void compact(void)
{
    int64_t count;
    BENCH(bosc_compact(bench.ctx, sizeof *set.keys, set.keys, (const uint8_t *)set.keys, set.n, set.out32, &count));
}

static void histogram(void) { BENCH(bosc_histogram(bench.ctx, set.bins, set.n, 256, set.out64)); }

static void split(void)
{
    BENCH(bosc_split(bench.ctx, sizeof *set.keys, set.keys, set.bins, set.n, 256, set.out32, set.offsets));
}

static void sort_keys(void) { BENCH(bosc_sort_keys(bench.ctx, BOSC_U32, set.keys, set.n, set.out32)); }

static void sort_pairs(void)
{
    BENCH(bosc_sort_pairs(bench.ctx, BOSC_U32, set.keys, 4, set.values, set.n, set.out32, set.edges));
}

static void search_sorted(void)
{
    BENCH(bosc_search_sorted(bench.ctx, BOSC_U32, set.bins, set.n, set.keys, set.n, set.out64));
}

/* prepare: builds the handle that the call reads; NULL: none */
static const struct call {
    const char *name;
    void (*prepare)(void), (*run)(void);
} calls[] = {
    {"kdtree build", NULL, build_tree},
    {"kdtree knn, k = 8", build_whole_tree, knn},
    {"kdtree knn of all", build_tree, knn_self},
    {"kdtree radius count", build_whole_tree, radius_count},
    {"kdtree radius offsets", build_whole_tree, radius_offsets},
    {"hash build", NULL, build_table},
    {"hash find", build_whole_table, find_keys},
    {"hash insert", build_whole_table, insert_keys},
    {"hash erase", build_whole_table, erase_keys},
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
enum { CALLS = sizeof calls / sizeof calls[0] };

static void make_input(void)
{
    uint64_t state = 1;
    size_t n = (size_t)set.many;
    set.points = bench_points("uniform", set.many, 3, 5);
    uint32_t **words[] = {&set.keys, &set.values, &set.u, &set.v, &set.weights, &set.bins, &set.edges};
    for (size_t k = 0; k < sizeof words / sizeof words[0]; k++) *words[k] = bench_host(n * sizeof(uint32_t));
    set.out32 = bench_host((n * K + (1 << DEPTH)) * sizeof *set.out32);
    set.words = bench_host(n * sizeof *set.words);
    set.out64 = bench_host((n + 256) * sizeof *set.out64);
    set.offsets = bench_host((n + 257) * sizeof *set.offsets);
    set.flags = bench_host(n);
    set.out_double = bench_host(sizeof *set.out_double);
    for (int64_t i = 0; i < set.many; i++) {
        set.keys[i] = (uint32_t)i * 0x9e3779b1u;
        set.values[i] = (uint32_t)i;
        set.u[i] = (uint32_t)(bench_next(&state) % (uint64_t)set.many);
        set.v[i] = (uint32_t)(bench_next(&state) % (uint64_t)set.many);
        set.weights[i] = (uint32_t)bench_next(&state) >> 8;
        set.bins[i] = (uint32_t)(256 * i / set.many);
        set.words[i] = i % 2 ? set.words[i - 1] ^ (uint64_t)1 << i % LETTERS : bench_next(&state);
    }
}

static void free_input(void)
{
    void *arrays[] = {set.points, set.keys,  set.values, set.u,     set.v,       set.weights, set.bins,
                      set.edges,  set.out32, set.words,  set.out64, set.offsets, set.flags,   set.out_double};
    for (size_t k = 0; k < sizeof arrays / sizeof arrays[0]; k++) free(arrays[k]);
}

/* --- Measurements ------------------------------------------------------------------------------------------------- */

static void print_row(const char *name, const char *what, int64_t n, struct bench_times t, int times)
{
    bench_print(&(struct bench_row){
        .name = name, .data = what, .n = n, .ours = {.least = t.least / times, .median = t.median / times}});
}

/* Times the first call of a fresh context and handle; the process made such calls before. */
static void time_first(const struct call *call)
{
    double *seconds = bench_host((size_t)bench.repeats * sizeof *seconds);
    for (int r = 0; r < bench.repeats; r++) {
        create_handles();
        if (call->prepare) call->prepare();
        double since = bench_now();
        call->run();
        seconds[r] = bench_now() - since;
        free_handles();
    }
    print_row(call->name, "first", set.n, bench_median_of(seconds, bench.repeats), 1);
    free(seconds);
}

static void run_batch(void *user)
{
    const struct call *call = user;
    for (int i = 0; i < AT_ONCE; i++) call->run();
}

static void time_again(const struct call *call)
{
    create_handles();
    if (call->prepare) call->prepare();
    print_row(call->name, "again", set.n, bench_time(NULL, run_batch, (void *)call, bench.repeats), AT_ONCE);
    free_handles();
}

static void time_calls(int64_t n)
{
    set.n = n;
    for (int c = 0; c < CALLS; c++) {
        time_first(&calls[c]);
        time_again(&calls[c]);
    }
}

/* --- Single queries ----------------------------------------------------------------------------------------------- */

static struct {
    bosc_kdtree_view tree;
    bosc_hash_view table;
    const float *queries; /* (SINGLE_QUERIES x 3) */
    uint32_t ids[K];
    double dist2[K];
    int64_t sum; /* of the answers */
} one;

static void view_nearest(void *user)
{
    (void)user;
    for (int q = 0; q < SINGLE_QUERIES; q++)
        one.sum += bosc_kdtree_view_nearest(&one.tree, one.queries + 3 * q, (double)INFINITY, NULL);
}

static void view_knn(void *user)
{
    (void)user;
    for (int q = 0; q < SINGLE_QUERIES; q++) {
        bosc_kdtree_view_knn(&one.tree, one.queries + 3 * q, K, (double)INFINITY, one.ids, one.dist2);
        one.sum += one.ids[0];
    }
}

static void view_within(void *user)
{
    bosc_kdtree_walk walk;
    (void)user;
    for (int q = 0; q < SINGLE_QUERIES; q++) {
        bosc_kdtree_walk_begin(&walk, &one.tree, one.queries + 3 * q);
        while (bosc_kdtree_walk_within(&walk, radius() * radius(), NULL) >= 0) one.sum++;
    }
}

static void view_box(void *user)
{
    bosc_kdtree_box_walk walk;
    (void)user;
    for (int q = 0; q < SINGLE_QUERIES; q++) {
        float low[3], high[3], r = (float)radius();
        for (int c = 0; c < 3; c++) {
            low[c] = one.queries[3 * q + c] - r;
            high[c] = one.queries[3 * q + c] + r;
        }
        bosc_kdtree_box_begin(&walk, &one.tree, low, high);
        while (bosc_kdtree_box_next(&walk) >= 0) one.sum++;
    }
}

static void view_look_up(void *user)
{
    (void)user;
    for (int q = 0; q < SINGLE_QUERIES; q++) {
        bosc_hash_word key = {set.keys[set.many / SINGLE_QUERIES * q], 0};
        one.sum += *(const uint32_t *)bosc_hash_value_at(&one.table, bosc_hash_look_up(&one.table, key));
    }
}

static void call_knn(void *user)
{
    const int64_t *k = user;
    for (int q = 0; q < SINGLE_QUERIES; q++)
        BENCH(bosc_kdtree_knn(bench.ctx, set.tree, one.queries + 3 * q, 1, 0, *k, one.ids, NULL));
}

static void call_find(void *user)
{
    (void)user;
    for (int q = 0; q < SINGLE_QUERIES; q++)
        BENCH(bosc_hash_find(bench.ctx, set.table, set.keys + set.many / SINGLE_QUERIES * q, 1, set.out32, NULL));
}

static void time_one(const char *name, const char *what, void (*run)(void *), void *user)
{
    print_row(name, what, 1, bench_time(NULL, run, user, bench.repeats / 10 + 1), SINGLE_QUERIES);
}

static void time_single_queries(void)
{
    int64_t nearest = 1, k = K;
    create_handles();
    build_whole_tree();
    build_whole_table();
    BENCH(bosc_kdtree_get_view(bench.ctx, set.tree, &one.tree));
    BENCH(bosc_hash_get_view(bench.ctx, set.table, &one.table));
    one.queries = bench_points("uniform", SINGLE_QUERIES, 3, 77);
    time_one("nearest of one", "view", view_nearest, NULL);
    time_one("nearest of one", "call", call_knn, &nearest);
    time_one("knn of one, k = 8", "view", view_knn, NULL);
    time_one("knn of one, k = 8", "call", call_knn, &k);
    time_one("within a radius of one", "view", view_within, NULL);
    time_one("in one box", "view", view_box, NULL);
    time_one("find one", "view", view_look_up, NULL);
    time_one("find one", "call", call_find, NULL);
    bench_check(one.sum > 0, "no answers");
    free_handles();
}

int main(int argc, char **argv)
{
    const struct bench_option own[] = {{'m', BENCH_INTEGER, &set.m, "points and keys that single queries search"}};
    bench.n = 1000;
    bench.repeats = 200;
    bench_options(argc, argv, "items of a call", own, 1);
    if (bench.opts.backend == BOSC_BACKEND_CUDA) bench_fail("small calls are timed on the CPU");
    bench.clock = BENCH_PROCESS;
    set.many = bench.n;
    make_input();
    time_calls(bench.n);
    time_calls(1);
    free_input();
    set.many = set.m;
    make_input();
    time_single_queries();
    free_input();
    bench_open();
    return bench_close();
}
