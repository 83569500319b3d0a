/* Small calls run on the thread that makes them: no other thread is started, whatever the context allows. */
#include <dirent.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "support/suite.h"

enum { MANY = 1000, LETTERS = 64, DEPTH = 10, K = 8 };

static struct {
    bosc_ctx *ctx;
    int64_t n; /* items of a call */
    float points[MANY][3];
    uint32_t keys[MANY], u[MANY], v[MANY], weights[MANY], bins[MANY], out[MANY * K], more[MANY];
    uint64_t vectors[MANY];
    uint8_t flags[MANY];
    int64_t counts[MANY + 1];
    bosc_kdtree *tree;
    bosc_hash *table;
    bosc_graph *graph;
    bosc_voxelgrid *grid;
    bosc_cbt *cbt;
    bosc_cellgraph *cells;
} s;

static bosc_status kdtree_build(void) { return bosc_kdtree_build(s.ctx, s.tree, s.points, s.n, 0); }
static bosc_status kdtree_knn(void) { return bosc_kdtree_knn(s.ctx, s.tree, s.points, s.n, 0, K, s.out, NULL); }
static bosc_status kdtree_knn_self(void) { return bosc_kdtree_knn_self(s.ctx, s.tree, K, s.out, NULL); }
static bosc_status kdtree_count(void)
{
    return bosc_kdtree_radius_count(s.ctx, s.tree, s.points, s.n, 0, 0.1, s.counts);
}
static bosc_status kdtree_box(void) { return bosc_kdtree_box(s.ctx, s.tree, s.points, s.n / 2, s.counts, NULL, 0); }
static bosc_status hash_build(void) { return bosc_hash_build(s.ctx, s.table, s.keys, s.weights, s.n); }
static bosc_status hash_find(void) { return bosc_hash_find(s.ctx, s.table, s.keys, s.n, s.out, s.flags); }
static bosc_status hash_insert(void) { return bosc_hash_insert(s.ctx, s.table, s.keys, s.weights, s.n); }
static bosc_status hash_erase(void) { return bosc_hash_erase(s.ctx, s.table, s.keys, s.n, NULL); }
static bosc_status hash_unique(void)
{
    int64_t count;
    return bosc_hash_unique(s.ctx, s.keys, s.n, 32, s.counts, NULL, &count);
}
static bosc_status graph_build(void) { return bosc_graph_build(s.ctx, s.graph, s.u, s.v, s.weights, MANY, s.n); }
static bosc_status msf(void) { return bosc_msf_compute(s.ctx, s.graph, NULL, s.counts, NULL, NULL); }
static bosc_status components(void) { return bosc_components_compute(s.ctx, s.graph, NULL, s.counts, NULL); }
static const bosc_graph_opts narrow = {.size = sizeof narrow, .id_bits = 32};
static bosc_status msf_edges(void)
{
    return bosc_msf_compute_edges(s.ctx, &narrow, NULL, s.u, s.v, s.weights, MANY, s.n, s.counts, NULL, NULL);
}
static bosc_status components_edges(void)
{
    return bosc_components_compute_edges(s.ctx, &narrow, NULL, s.u, s.v, NULL, MANY, s.n, s.counts, NULL);
}
static bosc_status emst(void)
{
    bosc_emst_opts o = {.size = sizeof o, .dim = 3, .id_bits = 32};
    return bosc_emst_compute(s.ctx, s.points, s.n, 0, &o, s.out, NULL);
}
static bosc_status grid_build(void) { return bosc_voxelgrid_build(s.ctx, s.grid, s.points, s.n, 0); }
static bosc_status grid_count(void)
{
    return bosc_voxelgrid_radius_count(s.ctx, s.grid, s.points, s.n, 0, 0.1, s.counts);
}
static bosc_status grid_pairs(void)
{
    int64_t count;
    return bosc_voxelgrid_pairs(s.ctx, s.grid, 0.1, NULL, NULL, 0, &count);
}
static bosc_status cbt_cycle(void)
{
    return bosc_cbt_update_and_decode(s.ctx, s.cbt, s.flags, s.n, NULL, s.out, 1 << (DEPTH - 2));
}
static bosc_status cells_build(void) { return bosc_cellgraph_build(s.ctx, s.cells, s.vectors, s.n, 0); }
static bosc_status reduce(void) { return bosc_reduce(s.ctx, BOSC_SUM, BOSC_F32, s.points, s.n, s.out); }
static bosc_status scan(void) { return bosc_scan(s.ctx, BOSC_SUM, BOSC_EXCLUSIVE, BOSC_U32, s.weights, s.n, s.out); }
static bosc_status compact(void)
{
    int64_t count;
    return bosc_compact(s.ctx, 4, s.keys, s.flags, s.n, s.out, &count);
}
static bosc_status histogram(void) { return bosc_histogram(s.ctx, s.bins, s.n, 256, s.counts); }
static bosc_status split(void) { return bosc_split(s.ctx, 4, s.keys, s.bins, s.n, 256, s.out, s.counts); }
static bosc_status sort_keys(void) { return bosc_sort_keys(s.ctx, BOSC_U32, s.keys, s.n, s.out); }
static bosc_status sort_pairs(void)
{
    return bosc_sort_pairs(s.ctx, BOSC_U32, s.keys, 4, s.weights, s.n, s.out, s.more);
}
static bosc_status search_sorted(void)
{
    return bosc_search_sorted(s.ctx, BOSC_U32, s.bins, s.n, s.keys, s.n, s.counts);
}

/* Numbers of items at which a call is small; calls that take about a microsecond an item have fewer. The calls run in
 * this order: later ones use the structures of earlier ones. */
static const struct small_call {
    const char *name;
    int64_t n;
    bosc_status (*run)(void);
} calls[] = {
    {"kdtree build", MANY, kdtree_build},
    {"kdtree box", 2, kdtree_box},
    {"kdtree knn", 64, kdtree_knn},
    {"kdtree radius count", 64, kdtree_count},
    {"kdtree build of few", 100, kdtree_build},
    {"kdtree knn of all", 100, kdtree_knn_self},
    {"hash build", MANY, hash_build},
    {"hash find", MANY, hash_find},
    {"hash insert", MANY, hash_insert},
    {"hash erase", MANY, hash_erase},
    {"hash unique", MANY, hash_unique},
    {"graph build", MANY, graph_build},
    {"forest", MANY, msf},
    {"forest of a list", MANY, msf_edges},
    {"components", MANY, components},
    {"components of a list", MANY, components_edges},
    {"euclidean tree", 64, emst},
    {"grid build", MANY, grid_build},
    {"grid counts", 64, grid_count},
    {"grid build of few", 64, grid_build},
    {"grid pairs", 64, grid_pairs},
    {"binary tree cycle", 1 << (DEPTH - 2), cbt_cycle},
    {"cell graph build", 64, cells_build},
    {"reduce", MANY, reduce},
    {"scan", MANY, scan},
    {"compact", MANY, compact},
    {"histogram", MANY, histogram},
    {"split", MANY, split},
    {"sort keys", MANY, sort_keys},
    {"sort pairs", MANY, sort_pairs},
    {"search sorted", MANY, search_sorted},
};

static void fill(void)
{
    struct suite_random r = {3};
    for (int i = 0; i < MANY; i++) {
        for (int c = 0; c < 3; c++) s.points[i][c] = (float)suite_unit(&r);
        s.keys[i] = (uint32_t)suite_next(&r);
        s.u[i] = (uint32_t)suite_below(&r, MANY);
        s.v[i] = (uint32_t)suite_below(&r, MANY);
        s.weights[i] = (uint32_t)suite_next(&r);
        s.bins[i] = (uint32_t)(i * 256 / MANY);
        s.vectors[i] = i % 2 ? s.vectors[i - 1] ^ (uint64_t)1 << i % LETTERS : suite_next(&r);
        s.flags[i] = (uint8_t)(i % 2);
    }
}

static void create(void)
{
    bosc_kdtree_opts tree = {.size = sizeof tree, .dim = 3, .id_bits = 32};
    bosc_hash_opts table = {.size = sizeof table, .value_size = 4};
    bosc_voxelgrid_opts grid = {.size = sizeof grid, .dim = 3, .cell = 0.1};
    bosc_cbt_opts cbt = {.size = sizeof cbt, .depth = DEPTH, .level = DEPTH - 2, .id_bits = 32};
    bosc_cellgraph_opts cells = {.size = sizeof cells, .length = LETTERS};
    CHECK_OK(s.ctx, bosc_kdtree_create(s.ctx, &tree, &s.tree));
    CHECK_OK(s.ctx, bosc_hash_create(s.ctx, &table, &s.table));
    CHECK_OK(s.ctx, bosc_graph_create(s.ctx, &narrow, &s.graph));
    CHECK_OK(s.ctx, bosc_voxelgrid_create(s.ctx, &grid, &s.grid));
    CHECK_OK(s.ctx, bosc_cbt_create(s.ctx, &cbt, &s.cbt));
    CHECK_OK(s.ctx, bosc_cellgraph_create(s.ctx, &cells, &s.cells));
}

static void release(void)
{
    bosc_kdtree_free(s.tree);
    bosc_hash_free(s.table);
    bosc_graph_free(s.graph);
    bosc_voxelgrid_free(s.grid);
    bosc_cbt_free(s.cbt);
    bosc_cellgraph_free(s.cells);
    bosc_ctx_free(s.ctx);
}

static int threads_of_process(void)
{
    int count = 0;
    DIR *tasks = opendir("/proc/self/task");
    if (!tasks) return 0; /* no such system: nothing is seen */
    for (const struct dirent *d; (d = readdir(tasks));) count += d->d_name[0] != '.';
    closedir(tasks);
    return count;
}

/* In a thread of its own, which has no helpers from cases before. */
static void make_calls(void *user)
{
    bosc_ctx_opts opts = {.size = sizeof opts, .threads = 8};
    (void)user;
    CHECK_EQ(bosc_ctx_create(&opts, &s.ctx), BOSC_OK);
    create();
    int before = threads_of_process();
    for (size_t c = 0; c < sizeof calls / sizeof calls[0]; c++) {
        s.n = calls[c].n;
        CHECK_OK(s.ctx, calls[c].run());
        int after = threads_of_process();
        if (after > before) suite_fail(__FILE__, __LINE__, "%s starts %d threads", calls[c].name, after - before);
        before = after;
    }
    release();
}

static void *run_calls_in_thread(void *failure)
{
    suite_try(make_calls, NULL, failure);
    return NULL;
}

static void start_nothing(void)
{
    static char failure[SUITE_FAILURE];
    pthread_t thread;
    fill();
    CHECK_EQ(pthread_create(&thread, NULL, run_calls_in_thread, failure), 0);
    pthread_join(thread, NULL);
    if (failure[0]) suite_fail(__FILE__, __LINE__, "%s", failure);
}

static const struct suite_case suite_cases_small_calls[] = {{"start no thread", NULL, start_nothing}};
SUITE(small_calls);
