/* One short operation a room, of random size and data. */
#include <stdlib.h>
#include <string.h>

#include <boscage/cbt.h>
#include <boscage/cellgraph.h>
#include <boscage/collision.h>
#include <boscage/forest.h>
#include <boscage/graph.h>
#include <boscage/hash.h>
#include <boscage/kdtree.h>
#include <boscage/prims.h>
#include <boscage/terrain.h>
#include <boscage/trie.h>
#include <boscage/voxelgrid.h>

#include "soak/soak.h"

enum { MOST = 6000, BYTES = MOST * 64 };

/* Memory of an operation: its inputs and outputs. */
struct memory {
    struct suite_random random;
    int64_t n;
    union {
        float f[BYTES / 4];
        uint32_t u[BYTES / 4];
        uint64_t w[BYTES / 8];
        uint8_t b[BYTES];
    } in;
    union {
        float f[BYTES / 4];
        uint32_t u[BYTES / 4];
        int64_t i[BYTES / 8];
        uint8_t b[BYTES];
    } out[3];
};

static void add(struct digest *d, const void *bytes, size_t count)
{
    const uint8_t *p = bytes;
    for (size_t i = 0; i < count; i++) d->value = (d->value ^ p[i]) * 0x100000001b3U;
}

#define TRY(call)                               \
    do {                                        \
        if (status == BOSC_OK) status = (call); \
    } while (0)

static void make_floats(struct memory *m, int64_t count)
{
    uint64_t grid = suite_below(&m->random, 2) ? 20 : 1 << 20; /* many equal ones, or hardly any */
    for (int64_t i = 0; i < count; i++) m->in.f[i] = (float)suite_below(&m->random, grid) / (float)grid;
}

static void make_words(struct memory *m, int64_t count)
{
    uint64_t mask = suite_below(&m->random, 2) ? 0xfff : UINT64_MAX >> 24;
    for (int64_t i = 0; i < count; i++) m->in.w[i] = suite_next(&m->random) & mask;
}

static bosc_status kdtree(bosc_ctx *ctx, struct memory *m, struct digest *d)
{
    bosc_kdtree *tree = NULL;
    const bosc_kdtree_opts opts = {.size = sizeof opts, .dtype = BOSC_F32, .dim = 3};
    make_floats(m, m->n * 3);
    bosc_status status = bosc_kdtree_create(ctx, &opts, &tree);
    TRY(bosc_kdtree_build(ctx, tree, m->in.f, m->n, 3));
    TRY(bosc_kdtree_knn(ctx, tree, m->in.f, m->n, 3, 4, m->out[0].i, m->out[1].f));
    bosc_kdtree_free(tree);
    if (status == BOSC_OK) add(d, m->out[0].i, (size_t)m->n * 4 * 8), add(d, m->out[1].f, (size_t)m->n * 4 * 4);
    return status;
}

static bosc_status hash(bosc_ctx *ctx, struct memory *m, struct digest *d)
{
    static const bosc_hash_layout layouts[] = {BOSC_HASH_AUTO, BOSC_HASH_BUCKETED, BOSC_HASH_PERFECT,
                                               BOSC_HASH_ORDERED};
    bosc_hash *table = NULL;
    const bosc_hash_opts opts = {.size = sizeof opts,
                                 .layout = layouts[suite_below(&m->random, 4)],
                                 .key_bits = 64,
                                 .value_size = 8,
                                 .load_factor = 0.5 + 0.4 * suite_unit(&m->random)};
    make_words(m, m->n);
    int64_t half = m->n / 2;
    bosc_status status = bosc_hash_create(ctx, &opts, &table);
    TRY(bosc_hash_build(ctx, table, m->in.w, m->in.w, half));
    if (opts.layout == BOSC_HASH_BUCKETED) TRY(bosc_hash_insert(ctx, table, m->in.w + half, m->in.w, m->n - half));
    TRY(bosc_hash_find(ctx, table, m->in.w, m->n, m->out[0].i, m->out[1].b));
    bosc_hash_free(table);
    if (status == BOSC_OK) add(d, m->out[0].i, (size_t)m->n * 8), add(d, m->out[1].b, (size_t)m->n);
    return status;
}

static bosc_status forest(bosc_ctx *ctx, struct memory *m, struct digest *d)
{
    bosc_graph *graph = NULL;
    const bosc_graph_opts opts = {.size = sizeof opts, .id_bits = 32};
    const bosc_msf_opts msf = {.size = sizeof msf};
    bosc_msf_info info = {.size = sizeof info};
    int64_t edges = m->n * 4;
    for (int64_t i = 0; i < edges * 2; i++) m->in.u[i] = (uint32_t)suite_below(&m->random, (uint64_t)m->n);
    for (int64_t i = 0; i < edges; i++) m->in.u[edges * 2 + i] = (uint32_t)suite_below(&m->random, 1000);
    bosc_status status = bosc_graph_create(ctx, &opts, &graph);
    TRY(bosc_graph_build(ctx, graph, m->in.u, m->in.u + edges, m->in.u + edges * 2, m->n, edges));
    TRY(bosc_msf_compute(ctx, graph, &msf, m->out[0].u, m->out[1].u, &info));
    bosc_graph_free(graph);
    if (status == BOSC_OK) add(d, m->out[0].u, (size_t)info.edges * 4), add(d, m->out[1].u, (size_t)m->n * 4);
    return status;
}

static bosc_status cellgraph(bosc_ctx *ctx, struct memory *m, struct digest *d)
{
    bosc_cellgraph *graph = NULL;
    const bosc_cellgraph_opts opts = {
        .size = sizeof opts, .length = 40, .method = (bosc_cellgraph_method)suite_below(&m->random, 5)};
    bosc_cellgraph_info info = {.size = sizeof info};
    m->n = m->n / 4 + 1; /* one method looks at all pairs */
    for (int64_t i = 0; i < m->n; i++)
        m->in.w[i] = i == 0 || suite_below(&m->random, 4) == 0
                         ? suite_next(&m->random) >> 24
                         : m->in.w[suite_below(&m->random, (uint64_t)i)] ^ UINT64_C(1) << suite_below(&m->random, 40);
    bosc_status status = bosc_cellgraph_create(ctx, &opts, &graph);
    TRY(bosc_cellgraph_build(ctx, graph, m->in.w, m->n, 0));
    TRY(bosc_cellgraph_get_info(ctx, graph, &info));
    if (status == BOSC_OK && info.edges <= BYTES / 16) TRY(bosc_cellgraph_get_pairs(ctx, graph, m->out[0].i, NULL));
    bosc_cellgraph_free(graph);
    if (status == BOSC_OK && info.edges <= BYTES / 16) add(d, m->out[0].i, (size_t)info.edges * 16);
    return status;
}

static bosc_status trie(bosc_ctx *ctx, struct memory *m, struct digest *d)
{
    bosc_trie *t = NULL;
    const bosc_trie_opts opts = {.size = sizeof opts, .length = 40};
    int64_t half = m->n / 2;
    make_words(m, m->n);
    bosc_status status = bosc_trie_create(ctx, &opts, &t);
    TRY(bosc_trie_build(ctx, t, m->in.w, NULL, half, 0));
    TRY(bosc_trie_insert(ctx, t, m->in.w + half, NULL, m->n - half, 0));
    TRY(bosc_trie_find(ctx, t, m->in.w, m->n, 0, m->out[0].i, NULL, m->out[1].b));
    bosc_trie_free(t);
    if (status == BOSC_OK) add(d, m->out[0].i, (size_t)m->n * 8), add(d, m->out[1].b, (size_t)m->n);
    return status;
}

static bosc_status cbt(bosc_ctx *ctx, struct memory *m, struct digest *d)
{
    bosc_cbt *tree = NULL;
    const bosc_cbt_opts opts = {.size = sizeof opts, .depth = 16};
    bosc_cbt_info info = {.size = sizeof info};
    bosc_status status = bosc_cbt_create(ctx, &opts, &tree);
    for (int round = 0; round < 8 && status == BOSC_OK; round++) {
        TRY(bosc_cbt_get_info(ctx, tree, &info));
        for (int64_t i = 0; i < info.leaves; i++) m->in.b[i] = (uint8_t)suite_below(&m->random, 3);
        TRY(bosc_cbt_update(ctx, tree, m->in.b, info.leaves, NULL, 0));
    }
    TRY(bosc_cbt_get_info(ctx, tree, &info));
    TRY(bosc_cbt_decode(ctx, tree, 0, info.leaves, m->out[0].i));
    bosc_cbt_free(tree);
    if (status == BOSC_OK) add(d, m->out[0].i, (size_t)info.leaves * 8);
    return status;
}

static bosc_status voxelgrid(bosc_ctx *ctx, struct memory *m, struct digest *d)
{
    bosc_voxelgrid *grid = NULL;
    const bosc_voxelgrid_opts opts = {.size = sizeof opts, .dtype = BOSC_F32, .dim = 2, .cell = 0.01};
    int64_t count = 0;
    make_floats(m, m->n * 2);
    bosc_status status = bosc_voxelgrid_create(ctx, &opts, &grid);
    TRY(bosc_voxelgrid_build(ctx, grid, m->in.f, m->n, 2));
    TRY(bosc_voxelgrid_radius_count(ctx, grid, m->in.f, m->n, 2, 0.01, m->out[0].i));
    TRY(bosc_voxelgrid_pairs(ctx, grid, 0.001, NULL, NULL, 0, &count));
    bosc_voxelgrid_free(grid);
    if (status == BOSC_OK) add(d, m->out[0].i, (size_t)m->n * 8), add(d, &count, sizeof count);
    return status;
}

/* Clusters of vertices, whose triangles are those of one mesh or of the other. */
static void make_meshes(struct memory *m, bosc_collision_mesh mesh[2])
{
    enum { CLUSTER = 48 };
    uint32_t *triangles = m->in.u + 3 * m->n;
    float at[3] = {0};
    make_floats(m, 3 * m->n);
    for (int64_t v = 0; v < m->n; v++)
        for (int c = 0; c < 3; c++) {
            if (v % CLUSTER == 0) at[c] = (float)suite_unit(&m->random);
            m->in.f[3 * v + c] = at[c] + m->in.f[3 * v + c] / 10;
        }
    for (int64_t k = 0; k < 3 * m->n; k++) {
        int64_t first = k / 3 % ((m->n + 1) / 2) * 2 / CLUSTER * CLUSTER;
        int64_t size = m->n - first < CLUSTER ? m->n - first : CLUSTER;
        triangles[k] = (uint32_t)(first + (int64_t)suite_below(&m->random, (uint64_t)size));
    }
    for (int which = 0; which < 2; which++)
        mesh[which] = (bosc_collision_mesh){.size = sizeof *mesh,
                                            .vertices = m->in.f,
                                            .vertex_count = m->n,
                                            .triangles = triangles + (which ? 3 * (m->n / 2) : 0),
                                            .triangle_count = which ? m->n - m->n / 2 : m->n / 2};
}

/* Two frames; the second one moves a mesh, and may have its memory reserved. */
static bosc_status collision(bosc_ctx *ctx, struct memory *m, struct digest *d)
{
    const double transform[12] = {1, 0, 0, suite_unit(&m->random) / 10, 0, 1, 0, 0, 0, 0, 1, 0};
    bosc_collision *collision = NULL;
    bosc_collision_mesh mesh[2];
    bosc_collision_sizes sizes = {.size = sizeof sizes,
                                  .vertices = 2 * m->n,
                                  .triangles = m->n,
                                  .near_count = INT64_MAX,
                                  .box_voxels = INT64_MAX,
                                  .candidates = (int64_t)suite_below(&m->random, 100000)};
    int64_t count[2] = {0};
    make_meshes(m, mesh);
    bosc_status status = bosc_collision_create(ctx, NULL, &collision);
    /* 1. The first frame; its pairs set the size of a reserve. */
    TRY(bosc_collision_build(ctx, collision, &mesh[0], &mesh[1]));
    TRY(bosc_collision_pairs(ctx, collision, NULL, 0, &count[0]));
    sizes.pairs = 2 * count[0];
    if (suite_below(&m->random, 2)) TRY(bosc_collision_reserve(ctx, collision, &sizes));
    if (status == BOSC_OK && count[0] <= BYTES / 16)
        TRY(bosc_collision_pairs(ctx, collision, m->out[0].i, BYTES / 16, &count[0]));
    /* 2. The second frame, with a moved mesh: pairs counted, and rows. */
    mesh[1].transform = transform;
    TRY(bosc_collision_build(ctx, collision, &mesh[0], &mesh[1]));
    TRY(bosc_collision_pairs(ctx, collision, NULL, 0, &count[1]));
    TRY(bosc_collision_rows(ctx, collision, m->out[1].i, NULL, 0));
    bosc_collision_free(collision);
    if (status != BOSC_OK) return status;
    if (count[0] <= BYTES / 16) add(d, m->out[0].i, (size_t)count[0] * 16);
    add(d, m->out[1].i, (size_t)(mesh[0].triangle_count + 1) * 8);
    add(d, count, sizeof count);
    return BOSC_OK;
}

static bosc_status terrain(bosc_ctx *ctx, struct memory *m, struct digest *d)
{
    bosc_terrain *land = NULL;
    int64_t w = 2 + (int64_t)suite_below(&m->random, 70), h = 2 + (int64_t)suite_below(&m->random, 70), counts[2];
    const bosc_terrain_goal goal = {.size = sizeof goal, .error = suite_unit(&m->random) / 4};
    make_floats(m, w * h);
    bosc_status status = bosc_terrain_create(ctx, NULL, &land);
    TRY(bosc_terrain_build(ctx, land, m->in.f, w, h, w));
    TRY(bosc_terrain_select(ctx, land, &goal));
    TRY(bosc_terrain_get_mesh(ctx, land, m->out[0].f, m->out[1].f, w * h, m->out[2].u, w * h * 2, counts));
    bosc_terrain_free(land);
    if (status != BOSC_OK) return status;
    add(d, m->out[0].f, (size_t)counts[0] * 12);
    add(d, m->out[1].f, (size_t)counts[0] * 12);
    add(d, m->out[2].u, (size_t)counts[1] * 12);
    return status;
}

static bosc_status prims(bosc_ctx *ctx, struct memory *m, struct digest *d)
{
    make_floats(m, m->n);
    bosc_status status = bosc_sort_pairs(ctx, BOSC_F32, m->in.f, 4, m->in.f, m->n, m->out[0].f, m->out[1].f);
    TRY(bosc_scan(ctx, BOSC_SUM, BOSC_EXCLUSIVE, BOSC_F32, m->in.f, m->n, m->out[2].f));
    for (int o = 0; o < 3 && status == BOSC_OK; o++) add(d, m->out[o].f, (size_t)m->n * 4);
    return status;
}

static const struct {
    const char *name;
    bosc_status (*run)(bosc_ctx *ctx, struct memory *m, struct digest *d);
} operations[] = {
    {"kdtree", kdtree}, {"hash", hash},   {"forest", forest},       {"cellgraph", cellgraph}, {"trie", trie},
    {"cbt", cbt},       {"prims", prims}, {"voxelgrid", voxelgrid}, {"terrain", terrain},     {"collision", collision}};
enum { OPERATIONS = sizeof operations / sizeof operations[0] };

const char *operation_name(uint64_t seed) { return operations[seed % OPERATIONS].name; }

bosc_status operation_run(bosc_ctx *ctx, uint64_t seed, struct digest *digest)
{
    struct memory *m = suite_alloc(sizeof *m);
    m->random = (struct suite_random){seed};
    m->n = 1 + (int64_t)suite_below(&m->random, suite_below(&m->random, 2) ? 60 : MOST);
    digest->value = 0xcbf29ce484222325U;
    bosc_status status = operations[seed % OPERATIONS].run(ctx, m, digest);
    free(m);
    return status;
}
