/* Structs that grow from version to version: the sizes of newer and of older callers. */
#include <stddef.h>
#include <string.h>

#include <boscage/boscage.h>
#include <boscage/cbt.h>
#include <boscage/cellgraph.h>
#include <boscage/forest.h>
#include <boscage/geometric.h>
#include <boscage/hash.h>
#include <boscage/planet.h>
#include <boscage/terrain.h>
#include <boscage/plan.h>
#include <boscage/planner.h>
#include <boscage/trie.h>
#include <boscage/voxelgrid.h>

#include "support/suite.h"

/* `call`, which fills the struct `is`, says the same in a larger one of a later version, whose new fields become zero;
 * sizes that no struct has are refused. */
#define CHECK_INFO(type, call)                                                                                        \
    do {                                                                                                              \
        union {                                                                                                       \
            type known;                                                                                               \
            char bytes[sizeof(type) + 24];                                                                            \
        } ours, later;                                                                                                \
        static const size_t wrong[] = {                                                                               \
            0, 4, 12, sizeof(type) - 4, sizeof(type) + 4, sizeof(type) + (1 << 20), SIZE_MAX - 7};                    \
        memset(&ours, 0, sizeof ours);                                                                                \
        memset(&later, 0x5a, sizeof later);                                                                           \
        ours.known.size = sizeof ours.known;                                                                          \
        later.known.size = sizeof later;                                                                              \
        type *is = &ours.known;                                                                                       \
        CHECK_OK(ctx, call);                                                                                          \
        is = &later.known;                                                                                            \
        CHECK_OK(ctx, call);                                                                                          \
        CHECK_EQ(later.known.size, sizeof later);                                                                     \
        CHECK(memcmp(ours.bytes + sizeof(size_t), later.bytes + sizeof(size_t), sizeof(type) - sizeof(size_t)) == 0); \
        for (size_t b = sizeof(type); b < sizeof later; b++) CHECK_EQ(later.bytes[b], 0);                             \
        for (size_t w = 0; w < sizeof wrong / sizeof *wrong; w++) {                                                   \
            is->size = wrong[w];                                                                                      \
            CHECK_EQ(call, BOSC_ERR_ARG);                                                                             \
        }                                                                                                             \
    } while (0)

static void information_of_points(bosc_ctx *ctx)
{
    float points[40] = {0};
    for (int i = 0; i < 40; i++) points[i] = (float)(i * i % 37);
    bosc_kdtree_opts tree_opts = {.size = sizeof tree_opts, .dim = 2};
    bosc_voxelgrid_opts grid_opts = {.size = sizeof grid_opts, .dim = 2, .cell = 3};
    const bosc_clouds_opts clouds_opts = {.size = sizeof clouds_opts, .dim = 2};
    const bosc_voxels_opts voxels_opts = {.size = sizeof voxels_opts, .dim = 1, .cell = {1}};
    bosc_voxels *voxels = NULL;
    const bosc_emst_opts emst = {.size = sizeof emst, .dim = 2};
    bosc_kdtree *tree = NULL;
    bosc_voxelgrid *grid = NULL;
    bosc_clouds *clouds = NULL;
    bosc_collision *collision = NULL;
    const bosc_neighborlist_opts list_opts = {.size = sizeof list_opts, .cutoff = 3};
    bosc_neighborlist *list = NULL;
    /* 1. Structures. */
    CHECK_OK(ctx, bosc_neighborlist_create(ctx, &list_opts, &list));
    CHECK_OK(ctx, bosc_collision_create(ctx, NULL, &collision));
    CHECK_OK(ctx, bosc_kdtree_create(ctx, &tree_opts, &tree));
    CHECK_OK(ctx, bosc_kdtree_build(ctx, tree, points, 20, 0));
    CHECK_OK(ctx, bosc_voxelgrid_create(ctx, &grid_opts, &grid));
    CHECK_INFO(bosc_ctx_info, bosc_ctx_get_info(ctx, is));
    CHECK_INFO(bosc_dbscan_info, bosc_dbscan_compute_tree(ctx, tree, 3, 2, NULL, (int64_t[20]){0}, NULL, is));
    CHECK_INFO(bosc_emst_fault, bosc_emst_verify(ctx, points, 2, 0, &emst, 0, (int64_t[]){0, 1}, is));
    CHECK_INFO(bosc_kdtree_info, bosc_kdtree_get_info(ctx, tree, is));
    CHECK_INFO(bosc_kdtree_times, bosc_kdtree_get_times(ctx, tree, is));
    CHECK_INFO(bosc_voxelgrid_info, bosc_voxelgrid_get_info(ctx, grid, is));
    CHECK_OK(ctx, bosc_clouds_create(ctx, &clouds_opts, &clouds));
    CHECK_INFO(bosc_clouds_info, bosc_clouds_get_info(ctx, clouds, is));
    CHECK_OK(ctx, bosc_voxels_create(ctx, &voxels_opts, &voxels));
    CHECK_INFO(bosc_voxels_info, bosc_voxels_get_info(ctx, voxels, is));
    bosc_voxels_free(voxels);
    CHECK_INFO(bosc_collision_info, bosc_collision_get_info(ctx, collision, is));
    CHECK_INFO(bosc_neighborlist_info, bosc_neighborlist_get_info(ctx, list, is));
    bosc_neighborlist_free(list);
    bosc_clouds_free(clouds);
    bosc_kdtree_free(tree);
    bosc_voxelgrid_free(grid);
    bosc_collision_free(collision);
}

static void information_of_tables(bosc_ctx *ctx)
{
    /* Fills each info struct of the tables, in its own size and in a larger one. */
    double model[10] = {0, 0, 5, 0, 0, 3, 7, 7, 2, 4};
    int64_t count;
    bosc_hash_opts hash_opts = {.size = sizeof hash_opts};
    bosc_cellgraph_opts cell_opts = {.size = sizeof cell_opts, .length = 10};
    bosc_trie_opts trie_opts = {.size = sizeof trie_opts, .length = 10};
    bosc_hash *table = NULL;
    bosc_geometric *geometric = NULL;
    bosc_cellgraph *cells = NULL;
    bosc_trie *trie = NULL;
    CHECK_OK(ctx, bosc_hash_create(ctx, &hash_opts, &table));
    CHECK_OK(ctx, bosc_geometric_create(ctx, NULL, &geometric));
    CHECK_OK(ctx, bosc_geometric_build(ctx, geometric, model, 5));
    CHECK_OK(ctx, bosc_cellgraph_create(ctx, &cell_opts, &cells));
    CHECK_OK(ctx, bosc_trie_create(ctx, &trie_opts, &trie));
    CHECK_INFO(bosc_hash_info, bosc_hash_get_info(ctx, table, is));
    CHECK_INFO(bosc_geometric_info, bosc_geometric_get_info(ctx, geometric, is));
    CHECK_INFO(bosc_geometric_match, bosc_geometric_find(ctx, geometric, model, 5, NULL, is));
    CHECK_INFO(bosc_geometric_match, bosc_geometric_find_models(ctx, geometric, model, 5, NULL, is, 1, &count));
    CHECK_INFO(bosc_cellgraph_info, bosc_cellgraph_get_info(ctx, cells, is));
    CHECK_INFO(bosc_trie_info, bosc_trie_get_info(ctx, trie, is));
    CHECK_INFO(bosc_trie_times, bosc_trie_get_times(ctx, trie, is));
    bosc_hash_free(table);
    bosc_geometric_free(geometric);
    bosc_cellgraph_free(cells);
    bosc_trie_free(trie);
}

static void information_of_trees(bosc_ctx *ctx)
{
    /* Fills each info struct of trees, terrain, planets and graphs, in its own size and in a larger one. */
    const float heights[9] = {0, 1, 0, 2, 5, 2, 0, 1, 0};
    bosc_cbt_opts opts = {.size = sizeof opts, .depth = 5};
    bosc_graph_opts graph_opts = {.size = sizeof graph_opts};
    bosc_cbt *tree = NULL;
    bosc_bisectors *bisectors = NULL;
    bosc_terrain *terrain = NULL;
    bosc_planet *planet = NULL;
    bosc_graph *graph = NULL;
    CHECK_OK(ctx, bosc_cbt_create(ctx, &opts, &tree));
    CHECK_OK(ctx, bosc_bisectors_create(ctx, NULL, &bisectors));
    CHECK_OK(ctx, bosc_terrain_create(ctx, NULL, &terrain));
    CHECK_OK(ctx, bosc_terrain_build(ctx, terrain, heights, 3, 3, 3));
    const bosc_planet_raster raster = {.size = sizeof raster, .heights = heights, .width = 3, .height = 3};
    CHECK_OK(ctx, bosc_planet_create(ctx, NULL, &planet));
    CHECK_OK(ctx, bosc_planet_build(ctx, planet, &raster));
    CHECK_OK(ctx, bosc_graph_create(ctx, &graph_opts, &graph));
    CHECK_INFO(bosc_cbt_info, bosc_cbt_get_info(ctx, tree, is));
    CHECK_INFO(bosc_bisectors_info, bosc_bisectors_get_info(ctx, bisectors, is));
    CHECK_INFO(bosc_terrain_info, bosc_terrain_get_info(ctx, terrain, is));
    CHECK_INFO(bosc_terrain_stats, bosc_terrain_measure(ctx, terrain, is));
    CHECK_INFO(bosc_planet_info, bosc_planet_get_info(ctx, planet, is));
    CHECK_INFO(bosc_planet_stats, bosc_planet_measure(ctx, planet, is));
    CHECK_INFO(bosc_graph_info, bosc_graph_get_info(ctx, graph, is));
    CHECK_INFO(bosc_paths_info, bosc_paths_compute(ctx, graph, NULL, 0, NULL, NULL, NULL, NULL, NULL, is));
    CHECK_INFO(bosc_paths_fault, bosc_paths_verify(ctx, graph, NULL, 0, NULL, NULL, NULL, is));
    CHECK_INFO(bosc_msf_info, bosc_msf_compute(ctx, graph, NULL, NULL, NULL, is));
    bosc_cbt_free(tree);
    bosc_bisectors_free(bisectors);
    bosc_terrain_free(terrain);
    bosc_planet_free(planet);
    bosc_graph_free(graph);
}

/* `call`, with the options `o`, refuses sizes that end within a field and those of a later version. */
#define CHECK_OPTS(type, call)                                                        \
    do {                                                                              \
        union {                                                                       \
            type known;                                                               \
            char bytes[sizeof(type) + 24];                                            \
        } later;                                                                      \
        memset(&later, 0, sizeof later);                                              \
        type *o = &later.known;                                                       \
        for (size_t size = 1; size <= sizeof later; size++) {                         \
            o->size = size;                                                           \
            if (size % sizeof size || size > sizeof *o) CHECK_EQ(call, BOSC_ERR_ARG); \
        }                                                                             \
    } while (0)

static void information_of_plans(bosc_ctx *ctx)
{
    static const double form[10] = {1, 0, 0, 0, -1, 0, 0, -1, 0, -1};
    const bosc_plan_scene scene = {.size = sizeof scene, .forms = form, .form_count = 1};
    bosc_plan *plan = NULL;
    bosc_roadmap *roadmap = NULL;
    double q[4 * 8];
    int64_t rows;
    CHECK_OK(ctx, bosc_plan_create(ctx, NULL, &plan));
    CHECK_OK(ctx, bosc_plan_build(ctx, plan, &scene));
    CHECK_OK(ctx, bosc_roadmap_create(ctx, plan, &roadmap));
    CHECK_INFO(bosc_plan_info, bosc_plan_get_info(ctx, plan, is));
    CHECK_INFO(bosc_roadmap_info, bosc_roadmap_get_info(ctx, roadmap, is));
    CHECK_OPTS(bosc_plan_scene, bosc_plan_build(ctx, plan, o));
    CHECK_OPTS(bosc_plan_sample_opts, bosc_plan_sample(ctx, plan, o, 8, q, NULL, NULL, &rows, NULL));
    bosc_plan_free(plan);
    bosc_roadmap_free(roadmap);
}

static void information_of_planners(bosc_ctx *ctx)
{
    static const double form[10] = {1, 0, 0, 0, -1, 0, 0, -1, 0, -1}, start[4] = {0, 1, 0, 0};
    const bosc_plan_scene scene = {.size = sizeof scene, .forms = form, .form_count = 1};
    bosc_planner *planner = NULL;
    CHECK_OK(ctx, bosc_planner_create(ctx, NULL, &planner));
    CHECK_OK(ctx, bosc_planner_build(ctx, planner, &scene));
    CHECK_INFO(bosc_planner_info, bosc_planner_get_info(ctx, planner, is));
    CHECK_INFO(bosc_planner_route_info, bosc_planner_route(ctx, planner, start, start, NULL, is));
    CHECK_OPTS(bosc_plan_scene, bosc_planner_build(ctx, planner, o));
    CHECK_OPTS(bosc_planner_route_opts, bosc_planner_route(ctx, planner, start, start, o, NULL));
    bosc_planner_free(planner);
}

static void options(bosc_ctx *ctx)
{
    void *made = NULL;
    int64_t n = 0, m = 0, u[1], v[1];
#define MAKE(room) CHECK_OPTS(bosc_##room##_opts, bosc_##room##_create(ctx, o, (bosc_##room **)&made))
    MAKE(kdtree);
    MAKE(voxelgrid);
    MAKE(clouds);
    MAKE(voxels);
    MAKE(hash);
    MAKE(geometric);
    MAKE(collision);
    MAKE(neighborlist);
    MAKE(cellgraph);
    MAKE(trie);
    MAKE(plan);
    MAKE(planner);
    MAKE(cbt);
    MAKE(bisectors);
    MAKE(terrain);
    MAKE(planet);
    MAKE(graph);
    CHECK_OPTS(bosc_graph_generate_opts, bosc_graph_generate(ctx, o, &n, &m, u, v, NULL, 1));
    CHECK_OPTS(bosc_ctx_opts, bosc_ctx_create(o, (bosc_ctx **)&made));
    CHECK(made == NULL);
}

/* Contexts' options have members of several words, which are whole or missing; reserved members are for later. */
static void members(void)
{
    const size_t inside[] = {8, 16}, at[] = {offsetof(bosc_ctx_opts, host), offsetof(bosc_ctx_opts, device_memory)};
    bosc_ctx *made = NULL;
    for (int i = 0; i < 4; i++) {
        bosc_ctx_opts o = {.size = at[i / 2] + inside[i % 2]};
        CHECK_EQ(bosc_ctx_create(&o, &made), BOSC_ERR_ARG);
    }
    bosc_ctx_opts o = {.size = sizeof o, .reserved = 1};
    CHECK_EQ(bosc_ctx_create(&o, &made), BOSC_ERR_ARG);
    CHECK(made == NULL);
}

static const struct suite_case suite_cases_structs_args[] = {{"information_of_points", information_of_points, NULL},
                                                             {"information_of_tables", information_of_tables, NULL},
                                                             {"information_of_trees", information_of_trees, NULL},
                                                             {"information_of_plans", information_of_plans, NULL},
                                                             {"information_of_planners", information_of_planners, NULL},
                                                             {"options", options, NULL},
                                                             {"members", NULL, members}};
SUITE(structs_args);
