/* Data for the calls of progress_data.h: arrays and structures of every room. */
#ifndef TESTS_CASES_CORE_PROGRESS_WORLD_H
#define TESTS_CASES_CORE_PROGRESS_WORLD_H

#include <math.h>
#include <stdlib.h>

#include <boscage/ranks.h>
#include <boscage/planner.h>

#include "support/suite.h"

/* Some thousand items on the CPU: their number sets the least number of reports; the time taken adds more. */
enum {
    N = 20000,
    FEW = 1000,
    K = 4,
    SIDE = 150,
    LETTERS = 24,
    PLACES = 120, /* of models and scenes */
    FAN = 60,
    DEPTH = 21,
    LEVEL = 15,
    OUT = 8 * N * 8
};

/* The data of the calls. Arrays lie in host memory. */
struct world {
    bosc_ctx *ctx;
    bosc_comm *comm; /* of this rank alone */
    int64_t n, side, place_count;
    int32_t depth, level; /* of the bisection, and of its leaves */
    float *points, *heights, *boxes;
    uint32_t *keys, *bins, *values;
    uint64_t *vectors, *bits, *heap;
    uint8_t *keep;
    int64_t *u, *v, *weights, *pairs, *numbers;
    double *lengths, *places;
    bosc_kdtree *tree, *unbuilt_tree, *published_tree;
    bosc_ranks_kdtree *ranks_tree, *unbuilt_ranks_tree;
    bosc_voxelgrid *grid, *unbuilt_grid;
    bosc_clouds *clouds, *unbuilt_clouds;
    bosc_voxels *voxels, *unbuilt_voxels;
    bosc_hash *map, *multimap, *unbuilt_map;
    bosc_ranks_hash *ranks_map, *ranks_multimap;
    bosc_graph *graph, *unbuilt_graph;
    bosc_cellgraph *cells, *unbuilt_cells[6];
    bosc_ranks_cellgraph *ranks_cells;
    bosc_trie *trie, *unbuilt_trie, *published;
    bosc_hdbscan *clustering;
    bosc_terrain *terrain;
    bosc_geometric *model;
    bosc_collision *collision;
    bosc_neighborlist *neighbors;
    bosc_collision_mesh mesh;
    bosc_cbt *bisection;
    bosc_bisectors *bisectors;
    bosc_planet *planet;
    bosc_plan *plan, *unbuilt_plan;
    bosc_planner *planner;
    bosc_roadmap *roadmap;
    bosc_plan_scene scene, fans; /* fans: triangles that may all touch */
    double fan[2][3 * (FAN + 1)];
    int64_t fan_triangles[3 * FAN];
    double balls[4 * 46 + 4]; /* of a robot, and of a wall around it */
    double *rotations;        /* (n x 4) */
    int64_t offsets[N + 1], more[N + 1];
    int64_t edges;        /* of the graph */
    int64_t tree_edges;   /* of its forest */
    int64_t *tree_ids;    /* which ones */
    int64_t *emst_pairs;  /* of the points' Euclidean tree */
    int64_t *order_pairs; /* of their tree of order 1 */
    unsigned char *saved; /* bytes of a structure, OUT at most */
    size_t at;            /* in them */
    unsigned char *out;   /* OUT bytes, of every call's answer */
    unsigned char *copy;  /* of the expected answer */
};

static const double NEAR = 0.03;

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
    /* 1. Allocate all arrays. */
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
    w->places = suite_alloc(2 * (size_t)w->place_count * sizeof *w->places);
    w->rotations = suite_alloc((size_t)w->n * 4 * sizeof *w->rotations);
    w->tree_ids = suite_alloc(8 * n);
    w->emst_pairs = suite_alloc(16 * n);
    w->order_pairs = suite_alloc(16 * n);
    w->boxes = suite_alloc(6 * n * sizeof *w->boxes);
    w->numbers = suite_alloc(8 * (n + (1u << LEVEL)));
    w->bits = suite_alloc(((size_t)1 << DEPTH) / 8);
    w->heap = suite_alloc(((size_t)1 << DEPTH) / 2);
    w->saved = suite_alloc(OUT);
    w->out = suite_alloc(OUT);
    w->copy = suite_alloc(OUT);
    /* 2. Random points, heights and keys. */
    CHECK_OK(ctx, bosc_random_points(ctx, BOSC_RANDOM_POINTS_UNIFORM, 1, w->n, 3, BOSC_F32, w->points));
    CHECK_OK(ctx, bosc_random_points(ctx, BOSC_RANDOM_POINTS_UNIFORM, 2, w->place_count, 2, BOSC_F64, w->places));
    CHECK_OK(ctx, bosc_random_heights(ctx, BOSC_RANDOM_HEIGHTS_HILLS, 1, w->side, w->side, w->heights));
    CHECK_OK(ctx, bosc_random_bits(ctx, 1, 0, w->n, w->keys));
    CHECK_OK(ctx, bosc_random_bits(ctx, 1, 1, w->n, w->values));
    /* 3. Derived from the keys: bins, vectors, masks, a binary tree of edges, boxes around the points. */
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
    /* 4. A random graph. */
    const bosc_graph_generate_opts o = {.size = sizeof o, .n = w->n / 2, .m = w->n};
    CHECK_OK(ctx, bosc_graph_generate(ctx, &o, NULL, NULL, w->u, w->v, w->weights, w->n));
}

/* Two triangles that a turn brings together, and rotations. */
static void make_plan(struct world *w)
{
    static const double vertices[2][9] = {{1, 0, 0, 0, 1, 0, 0, 0, 1}, {1, 0.5, 0, 0, 1, 0.5, 0.5, 0, 1}};
    static const int64_t triangle[3] = {0, 1, 2};
    const bosc_plan_sample_opts uniform = {.size = sizeof uniform, .sampling = BOSC_PLAN_UNIFORM};
    bosc_plan_scene scene = {.size = sizeof scene};
    int64_t rows;
    /* 1. A robot and an obstacle of one triangle each; some rotations make them touch. */
    scene.robot =
        (bosc_plan_bodies){.vertices = vertices[0], .vertex_count = 3, .triangles = triangle, .triangle_count = 1};
    scene.obstacle = scene.robot;
    scene.obstacle.vertices = vertices[1];
    CHECK_OK(w->ctx, bosc_plan_build(w->ctx, w->plan, &scene));
    CHECK_OK(w->ctx, bosc_roadmap_create(w->ctx, w->plan, &w->roadmap));
    /* 2. A scene for the planner: one ball, and a ring of 45 balls. */
    w->balls[0] = 1;
    w->balls[3] = 0.3;
    for (int k = 0; k < 45; k++) {
        double *ball = w->balls + 4 * (k + 1), angle = k * (2 * 3.14159265358979323846 / 45);
        ball[0] = 0;
        ball[1] = cos(angle);
        ball[2] = sin(angle);
        ball[3] = 0.1;
    }
    w->scene = (bosc_plan_scene){.size = sizeof w->scene};
    w->scene.robot = (bosc_plan_bodies){.balls = w->balls, .ball_count = 1};
    w->scene.obstacle = (bosc_plan_bodies){.balls = w->balls + 4, .ball_count = 45};
    CHECK_OK(w->ctx, bosc_planner_build(w->ctx, w->planner, &w->scene));
    /* 3. Random rotations. */
    CHECK_OK(w->ctx, bosc_plan_sample(w->ctx, w->plan, &uniform, w->n, w->rotations, NULL, NULL, &rows, NULL));
}

/* Triangles that have the origin's neighbourhood in common, of both sides. */
static void make_fans(struct world *w)
{
    const int64_t n = w->n > FEW ? FAN : 8;
    for (int side = 0; side < 2; side++) {
        double *v = w->fan[side];
        for (int64_t k = 0; k <= n; k++) {
            const double angle = (double)k * 0.1 + side, radius = 1 + 0.01 * (double)(k % 7);
            v[3 * k] = k == n ? 0.1 : radius * cos(angle);
            v[3 * k + 1] = k == n ? 0.2 : radius * sin(angle);
            v[3 * k + 2] = k == n ? 0.3 : 0.05 * (double)k - 1;
        }
        bosc_plan_bodies *bodies = side ? &w->fans.obstacle : &w->fans.robot;
        *bodies = (bosc_plan_bodies){
            .vertices = v, .vertex_count = n + 1, .triangles = w->fan_triangles, .triangle_count = n - 1};
    }
    for (int64_t t = 0; t + 1 < n; t++) {
        w->fan_triangles[3 * t] = n;
        w->fan_triangles[3 * t + 1] = t;
        w->fan_triangles[3 * t + 2] = t + 1;
    }
    w->fans.size = sizeof w->fans;
    CHECK_OK(w->ctx, bosc_plan_create(w->ctx, NULL, &w->unbuilt_plan));
}

static void make_structures(struct world *w)
{
    bosc_ctx *ctx = w->ctx;
    const bosc_kdtree_opts tree = {.size = sizeof tree, .dim = 3, .id_bits = 32};
    const bosc_kdtree_opts brown = {.size = sizeof brown, .dim = 3, .builder = BOSC_KDTREE_BROWN};
    const bosc_clouds_opts clouds = {.size = sizeof clouds, .dim = 3, .id_bits = 32};
    const bosc_voxels_opts voxels = {.size = sizeof voxels, .dim = 3, .cell = {NEAR, NEAR, NEAR}, .id_bits = 32};
    const bosc_voxelgrid_opts grid = {.size = sizeof grid, .dim = 3, .cell = NEAR, .id_bits = 32};
    const bosc_hash_opts map = {.size = sizeof map, .value_size = 4};
    const bosc_hash_opts multimap = {.size = sizeof multimap, .value_size = 4, .kind = BOSC_HASH_MULTIMAP};
    const bosc_graph_opts graph = {.size = sizeof graph, .weight = BOSC_I64};
    const bosc_trie_opts compact_trie = {.size = sizeof compact_trie, .length = LETTERS};
    const bosc_trie_opts published = {.size = sizeof published, .length = LETTERS, .layout = BOSC_TRIE_PUBLISHED};
    /* 1. Structures in pairs: unbuilt_... for the calls that build, the other one for queries. */
    for (int k = 0; k < 2; k++) {
        CHECK_OK(ctx, bosc_kdtree_create(ctx, &tree, k ? &w->tree : &w->unbuilt_tree));
        CHECK_OK(ctx, bosc_voxelgrid_create(ctx, &grid, k ? &w->grid : &w->unbuilt_grid));
        CHECK_OK(ctx, bosc_clouds_create(ctx, &clouds, k ? &w->clouds : &w->unbuilt_clouds));
        CHECK_OK(ctx, bosc_voxels_create(ctx, &voxels, k ? &w->voxels : &w->unbuilt_voxels));
        CHECK_OK(ctx, bosc_hash_create(ctx, &map, k ? &w->map : &w->unbuilt_map));
        CHECK_OK(ctx, bosc_graph_create(ctx, &graph, k ? &w->graph : &w->unbuilt_graph));
        CHECK_OK(ctx, bosc_trie_create(ctx, &compact_trie, k ? &w->trie : &w->unbuilt_trie));
    }
    /* 2. Published variants, multimaps and structures over ranks. */
    CHECK_OK(ctx, bosc_kdtree_create(ctx, &brown, &w->published_tree));
    CHECK_OK(ctx, bosc_hash_create(ctx, &multimap, &w->multimap));
    CHECK_OK(ctx, bosc_comm_create_self(ctx, NULL, &w->comm));
    CHECK_OK(ctx, bosc_ranks_hash_create(ctx, w->comm, &map, &w->ranks_map));
    CHECK_OK(ctx, bosc_ranks_hash_create(ctx, w->comm, &multimap, &w->ranks_multimap));
    CHECK_OK(ctx, bosc_trie_create(ctx, &published, &w->published));
    CHECK_OK(ctx, bosc_terrain_create(ctx, NULL, &w->terrain));
    CHECK_OK(ctx, bosc_geometric_create(ctx, NULL, &w->model));
    const bosc_kdtree_opts dist = {.size = sizeof dist, .dim = 3};
    CHECK_OK(ctx, bosc_ranks_kdtree_create(ctx, w->comm, &dist, &w->ranks_tree));
    CHECK_OK(ctx, bosc_ranks_kdtree_create(ctx, w->comm, &dist, &w->unbuilt_ranks_tree));
    /* 3. Structures of motion planning, bisections and planets. */
    CHECK_OK(ctx, bosc_collision_create(ctx, NULL, &w->collision));
    const bosc_neighborlist_opts neighbors = {.size = sizeof neighbors, .cutoff = NEAR, .skin = 1e-4};
    CHECK_OK(ctx, bosc_neighborlist_create(ctx, &neighbors, &w->neighbors));
    CHECK_OK(ctx, bosc_plan_create(ctx, NULL, &w->plan));
    const bosc_planner_opts planner = {.size = sizeof planner, .max_rows = w->n, .batch = w->n};
    CHECK_OK(ctx, bosc_planner_create(ctx, &planner, &w->planner));
    const bosc_cbt_opts bisection = {.size = sizeof bisection, .depth = w->depth, .level = w->level, .id_bits = 64};
    CHECK_OK(ctx, bosc_cbt_create(ctx, &bisection, &w->bisection));
    const bosc_bisectors_opts bisectors = {.size = sizeof bisectors, .depth = w->depth, .level = w->level};
    CHECK_OK(ctx, bosc_bisectors_create(ctx, &bisectors, &w->bisectors));
    CHECK_OK(ctx, bosc_planet_create(ctx, NULL, &w->planet));
    const bosc_cellgraph_opts ranks_cells = {.size = sizeof ranks_cells, .length = LETTERS};
    CHECK_OK(ctx, bosc_ranks_cellgraph_create(ctx, w->comm, &ranks_cells, &w->ranks_cells));
    /* 4. A cell graph to build by each method, and one for queries. */
    for (int method = 0; method < 7; method++) {
        const bosc_cellgraph_opts cells = {
            .size = sizeof cells, .length = LETTERS, .method = (bosc_cellgraph_method)(method % 6)};
        bosc_cellgraph **to = method < 6 ? &w->unbuilt_cells[method] : &w->cells;
        CHECK_OK(ctx, bosc_cellgraph_create(ctx, &cells, to));
    }
}

static bool on_device(bosc_ctx *ctx) { return suite_opts_like(ctx).backend == BOSC_BACKEND_CUDA; }

static void make_world(struct world *w, bosc_ctx *ctx)
{
    bosc_msf_info info = {.size = sizeof info};
    const bosc_hdbscan_opts clusters = {.size = sizeof clusters, .dim = 3};
    const bosc_emst_opts emst = {.size = sizeof emst, .dim = 3};
    *w = (struct world){.ctx = ctx, .n = N, .side = SIDE, .place_count = PLACES, .depth = DEPTH, .level = LEVEL};
    if (on_device(ctx))
        w->n = FEW, w->side = 32, w->place_count = 40, w->depth = 13,
        w->level = 10; /* many for the emulator; the number of reports depends on time */
    make_arrays(w);
    make_structures(w);
    CHECK_OK(ctx, bosc_kdtree_build(ctx, w->tree, w->points, w->n, 3));
    CHECK_OK(ctx, bosc_ranks_kdtree_build(ctx, w->ranks_tree, w->points, w->n, 3));
    CHECK_OK(ctx, bosc_voxelgrid_build(ctx, w->grid, w->points, w->n, 3));
    CHECK_OK(ctx, bosc_clouds_build(ctx, w->clouds, w->points, w->n, 3, (const int64_t[]){0, w->n / 3, w->n}, 2));
    CHECK_OK(ctx, bosc_voxels_build(ctx, w->voxels, w->points, w->n, 3, NULL, 1));
    CHECK_OK(ctx, bosc_hash_build(ctx, w->map, w->keys, w->values, w->n));
    CHECK_OK(ctx, bosc_hash_build(ctx, w->multimap, w->bins, w->values, w->n));
    CHECK_OK(ctx, bosc_graph_build(ctx, w->graph, w->u, w->v, w->weights, w->n / 2, w->n));
    CHECK_OK(ctx, bosc_cellgraph_build(ctx, w->cells, w->vectors, w->n, 0));
    CHECK_OK(ctx, bosc_trie_build(ctx, w->trie, w->vectors, NULL, w->n, 0));
    CHECK_OK(ctx, bosc_hdbscan_create(ctx, w->points, w->n, 3, &clusters, &w->clustering));
    CHECK_OK(ctx, bosc_msf_compute(ctx, w->graph, NULL, w->tree_ids, NULL, &info));
    w->tree_edges = info.edges;
    CHECK_OK(ctx, bosc_emst_compute(ctx, w->points, w->n, 3, &emst, w->emst_pairs, NULL));
    CHECK_OK(ctx, bosc_emst_compute_minkowski(ctx, w->points, w->n, 3, &emst, 1, 0, w->order_pairs, NULL, NULL));
    make_plan(w);
    make_fans(w);
    CHECK_OK(ctx, bosc_cbt_get_bits(ctx, w->bisection, w->bits));
    CHECK_OK(ctx, bosc_cbt_get_heap(ctx, w->bisection, w->heap));
}

static void free_world(struct world *w)
{
    /* Everything that make_world and the calls allocated. */
    void *arrays[] = {w->points,  w->heights,  w->keys,  w->bins,      w->values,     w->vectors,
                      w->keep,    w->u,        w->v,     w->weights,   w->pairs,      w->lengths,
                      w->places,  w->tree_ids, w->saved, w->out,       w->copy,       w->boxes,
                      w->numbers, w->bits,     w->heap,  w->rotations, w->emst_pairs, w->order_pairs};
    bosc_kdtree_free(w->tree);
    bosc_kdtree_free(w->unbuilt_tree);
    bosc_kdtree_free(w->published_tree);
    bosc_ranks_kdtree_free(w->ranks_tree);
    bosc_ranks_kdtree_free(w->unbuilt_ranks_tree);
    bosc_voxelgrid_free(w->grid);
    bosc_voxelgrid_free(w->unbuilt_grid);
    bosc_clouds_free(w->clouds);
    bosc_clouds_free(w->unbuilt_clouds);
    bosc_voxels_free(w->voxels);
    bosc_voxels_free(w->unbuilt_voxels);
    bosc_hash_free(w->map);
    bosc_hash_free(w->unbuilt_map);
    bosc_hash_free(w->multimap);
    bosc_ranks_hash_free(w->ranks_map);
    bosc_ranks_hash_free(w->ranks_multimap);
    bosc_ranks_cellgraph_free(w->ranks_cells);
    bosc_comm_free(w->comm);
    bosc_graph_free(w->graph);
    bosc_graph_free(w->unbuilt_graph);
    bosc_cellgraph_free(w->cells);
    for (int method = 0; method < 6; method++) bosc_cellgraph_free(w->unbuilt_cells[method]);
    bosc_trie_free(w->trie);
    bosc_trie_free(w->unbuilt_trie);
    bosc_trie_free(w->published);
    bosc_hdbscan_free(w->clustering);
    bosc_terrain_free(w->terrain);
    bosc_geometric_free(w->model);
    bosc_collision_free(w->collision);
    bosc_neighborlist_free(w->neighbors);
    bosc_roadmap_free(w->roadmap);
    bosc_planner_free(w->planner);
    bosc_plan_free(w->plan);
    bosc_plan_free(w->unbuilt_plan);
    free((void *)(uintptr_t)w->mesh.vertices);
    free((void *)(uintptr_t)w->mesh.triangles);
    bosc_cbt_free(w->bisection);
    bosc_bisectors_free(w->bisectors);
    bosc_planet_free(w->planet);
    for (size_t a = 0; a < sizeof arrays / sizeof arrays[0]; a++) free(arrays[a]);
}

#endif
