/* Promises about memory hold for any number of threads: a build takes no more scratch than its _bytes function says,
 * and after a reserve, builds and queries of that shape allocate nothing. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/counted.h"
#include "support/faults.h"

enum { MOST = 60000, WORDS = 2 };

/* A context with counted memory, and the amounts held when the watch started. reserved: the structure reserves its
 * memory first. */
struct watch {
    bosc_ctx *ctx;
    bool reserved;
    int64_t live[2], before[2], scratch, promised;
};

/* Distinct keys; rows, each pair of them joined by an edge; and points. */
static uint64_t keys[MOST], rows[WORDS * MOST], outputs[MOST];
static double reals[2 * MOST];
static float corners[9 * MOST]; /* of triangles, when they are made */
static uint32_t numbers[3 * MOST];
static int64_t numbers_of_systems[MOST + 1];

/* Starts the watch. promised: the scratch of a build. */
static void start_watch(struct watch *w, int64_t promised)
{
    memcpy(w->before, w->live, sizeof w->before);
    w->scratch = counted_scratch(w->ctx);
    w->promised = promised;
}

static void check(const struct watch *w)
{
    enum { SMALLEST_CHUNK = 1 << 16 };
    if (w->reserved)
        CHECK(w->live[0] == w->before[0] && w->live[1] == w->before[1] && counted_scratch(w->ctx) == w->scratch);
    else
        CHECK(counted_scratch(w->ctx) <= w->promised + SMALLEST_CHUNK);
}

static void hash(struct watch *w, int64_t n)
{
    static const bosc_hash_opts all[] = {{.layout = BOSC_HASH_AUTO},
                                         {.layout = BOSC_HASH_BUCKETED},
                                         {.layout = BOSC_HASH_PERFECT},
                                         {.layout = BOSC_HASH_HYBRID},
                                         {.layout = BOSC_HASH_FKS},
                                         {.layout = BOSC_HASH_CUCKOO},
                                         {.layout = BOSC_HASH_CHAINED},
                                         {.layout = BOSC_HASH_CUCKOO, .functions = 2, .load_factor = 0.5},
                                         {.layout = BOSC_HASH_ORDERED},
                                         {.kind = BOSC_HASH_MULTIMAP},
                                         {.counted = 1}};
    for (size_t k = 0; k < sizeof all / sizeof all[0]; k++) {
        /* Each layout and kind: the build keeps its promise; after a reserve, look-ups allocate nothing either. */
        bosc_hash_opts o = all[k];
        bosc_hash *table = NULL;
        int64_t scratch;
        o.size = sizeof o;
        o.key_bits = 64;
        o.value_size = 8;
        CHECK_OK(w->ctx, bosc_ctx_trim(w->ctx));
        CHECK_OK(w->ctx, bosc_hash_create(w->ctx, &o, &table));
        CHECK_OK(w->ctx, bosc_hash_bytes(w->ctx, &o, n, NULL, &scratch));
        if (w->reserved) CHECK_OK(w->ctx, bosc_hash_reserve(w->ctx, table, n, n));
        start_watch(w, scratch);
        CHECK_OK(w->ctx, bosc_hash_build(w->ctx, table, keys, keys, n));
        check(w);
        if (w->reserved) CHECK_OK(w->ctx, bosc_hash_find(w->ctx, table, keys, n, outputs, NULL));
        if (w->reserved) CHECK_OK(w->ctx, bosc_hash_count(w->ctx, table, keys, n, (int64_t *)outputs));
        check(w);
        bosc_hash_free(table);
    }
}

static void voxelgrid(struct watch *w, int64_t n)
{
    for (int dtype = 0; dtype < 2; dtype++) {
        bosc_voxelgrid_opts o = {
            .size = sizeof o, .dim = 2, .cell = dtype ? 0.01 : 1e-4, .dtype = dtype ? BOSC_F64 : BOSC_I64};
        const void *points = dtype ? (const void *)reals : rows;
        bosc_voxelgrid *grid = NULL;
        int64_t scratch;
        if (!dtype) o.cell = 1e13; /* keys of 64 bits at most */
        CHECK_OK(w->ctx, bosc_ctx_trim(w->ctx));
        CHECK_OK(w->ctx, bosc_voxelgrid_create(w->ctx, &o, &grid));
        CHECK_OK(w->ctx, bosc_voxelgrid_bytes(w->ctx, &o, n, NULL, &scratch));
        if (w->reserved) CHECK_OK(w->ctx, bosc_voxelgrid_reserve(w->ctx, grid, n, n));
        start_watch(w, scratch);
        CHECK_OK(w->ctx, bosc_voxelgrid_build(w->ctx, grid, points, n, 0));
        check(w);
        if (w->reserved)
            CHECK_OK(w->ctx, bosc_voxelgrid_radius_count(w->ctx, grid, points, n, 0, o.cell, (int64_t *)outputs));
        check(w);
        bosc_voxelgrid_free(grid);
    }
}

static void voxels(struct watch *w, int64_t n)
{
    for (int dtype = 0; dtype < 2; dtype++) {
        const bosc_voxels_opts o = {
            .size = sizeof o, .dim = 2, .dtype = dtype ? BOSC_F64 : BOSC_F32, .cell = {.1, .1}, .max_voxels = 9};
        const void *points = dtype ? (const void *)reals : corners;
        const int64_t offsets[] = {0, n / 4, n / 3, n};
        bosc_voxels *v = NULL;
        int64_t scratch;
        CHECK_OK(w->ctx, bosc_ctx_trim(w->ctx));
        CHECK_OK(w->ctx, bosc_voxels_create(w->ctx, &o, &v));
        CHECK_OK(w->ctx, bosc_voxels_bytes(w->ctx, &o, n, 3, NULL, &scratch));
        if (w->reserved) CHECK_OK(w->ctx, bosc_voxels_reserve(w->ctx, v, n, 3));
        start_watch(w, scratch);
        CHECK_OK(w->ctx, bosc_voxels_build(w->ctx, v, points, n, 0, offsets, 3));
        check(w);
        bosc_voxels_free(v);
    }
}

static void clouds(struct watch *w, int64_t n)
{
    for (int dtype = 0; dtype < 2; dtype++) {
        const bosc_clouds_opts o = {.size = sizeof o, .dim = 2, .dtype = dtype ? BOSC_F64 : BOSC_F32};
        const void *points = dtype ? (const void *)reals : corners;
        const int64_t offsets[] = {0, n / 4, n / 3, n};
        const bosc_clouds_queries q = {.size = sizeof q, .points = points, .count = n, .offsets = offsets};
        bosc_clouds *batch = NULL;
        int64_t scratch;
        CHECK_OK(w->ctx, bosc_ctx_trim(w->ctx));
        CHECK_OK(w->ctx, bosc_clouds_create(w->ctx, &o, &batch));
        CHECK_OK(w->ctx, bosc_clouds_bytes(w->ctx, &o, n, 3, NULL, &scratch));
        if (w->reserved) CHECK_OK(w->ctx, bosc_clouds_reserve(w->ctx, batch, n, 3, n));
        start_watch(w, scratch);
        CHECK_OK(w->ctx, bosc_clouds_build(w->ctx, batch, points, n, 0, offsets, 3));
        check(w);
        if (w->reserved) CHECK_OK(w->ctx, bosc_clouds_radius_count(w->ctx, batch, &q, 1e-9, (int64_t *)outputs));
        if (w->reserved)
            CHECK_OK(w->ctx,
                     bosc_clouds_sample_farthest(w->ctx, batch, (const int64_t[]){0, 2, 3, 5}, 5, NULL, outputs));
        check(w);
        bosc_clouds_free(batch);
    }
}

static void geometric(struct watch *w, int64_t n)
{
    for (int t = 0; t < 8; t++) { /* one model or three, of either kind in either dimension */
        bosc_geometric_opts o = {.size = sizeof o, .kind = (bosc_geometric_kind)(t % 2), .dim = 2 + t / 2 % 2};
        bosc_geometric *table = NULL;
        int64_t scratch, some = n < 50 ? n : t % 2 ? 50 : 500; /* of all points, and of neighbours */
        const int64_t count = t < 4 ? 1 : 3, third = some / 3, all[] = {0, t < 4 ? some : third, 2 * third, some};
        o.max_bases = 2000;
        if (third < 5) continue;
        CHECK_OK(w->ctx, bosc_ctx_trim(w->ctx));
        CHECK_OK(w->ctx, bosc_geometric_create(w->ctx, &o, &table));
        CHECK_OK(w->ctx, bosc_geometric_bytes_models(w->ctx, &o, all, count, NULL, &scratch));
        if (w->reserved) CHECK_OK(w->ctx, bosc_geometric_reserve_models(w->ctx, table, all, count));
        start_watch(w, scratch);
        CHECK_OK(w->ctx, bosc_geometric_build_models(w->ctx, table, reals, all, count));
        check(w);
        bosc_geometric_free(table);
    }
}

static void cellgraph(struct watch *w, int64_t n)
{
    static const bosc_cellgraph_method methods[] = {BOSC_CELLGRAPH_JOIN, BOSC_CELLGRAPH_ZOBRIST, BOSC_CELLGRAPH_TRIE,
                                                    BOSC_CELLGRAPH_AUTO};
    for (size_t k = 0; k < sizeof methods / sizeof methods[0]; k++) {
        bosc_cellgraph_opts o = {.size = sizeof o, .length = 64 * WORDS, .method = methods[k]};
        bosc_cellgraph *graph = NULL;
        int64_t scratch;
        CHECK_OK(w->ctx, bosc_ctx_trim(w->ctx));
        CHECK_OK(w->ctx, bosc_cellgraph_create(w->ctx, &o, &graph));
        CHECK_OK(w->ctx, bosc_cellgraph_bytes(w->ctx, &o, n, n, NULL, &scratch));
        if (w->reserved) CHECK_OK(w->ctx, bosc_cellgraph_reserve(w->ctx, graph, n, n));
        start_watch(w, scratch);
        CHECK_OK(w->ctx, bosc_cellgraph_build(w->ctx, graph, rows, n, 0));
        check(w);
        bosc_cellgraph_free(graph);
    }
}

static void trie(struct watch *w, int64_t n)
{
    bosc_trie_opts o = {.size = sizeof o, .length = 64 * WORDS};
    bosc_trie *trie = NULL;
    int64_t scratch;
    CHECK_OK(w->ctx, bosc_ctx_trim(w->ctx));
    CHECK_OK(w->ctx, bosc_trie_create(w->ctx, &o, &trie));
    CHECK_OK(w->ctx, bosc_trie_bytes(w->ctx, &o, n, NULL, &scratch));
    if (w->reserved) CHECK_OK(w->ctx, bosc_trie_reserve(w->ctx, trie, n));
    start_watch(w, scratch);
    CHECK_OK(w->ctx, bosc_trie_build(w->ctx, trie, rows, NULL, n, 0));
    check(w);
    bosc_trie_free(trie);
}

/* n triangles of about this extent; every second one belongs to the other mesh. */
static void make_triangles(int64_t n, double extent, bosc_collision_mesh mesh[2])
{
    struct suite_random r = {73};
    for (int64_t t = 0; t < n; t++) {
        double at[3] = {suite_unit(&r), suite_unit(&r), suite_unit(&r)};
        for (int k = 0; k < 9; k++) corners[9 * t + k] = (float)(at[k % 3] + extent * suite_unit(&r));
    }
    for (int64_t k = 0; k < 3 * n; k++) numbers[k] = (uint32_t)(k % (3 * (n / 2)));
    for (int which = 0; which < 2; which++)
        mesh[which] = (bosc_collision_mesh){.size = sizeof *mesh,
                                            .vertices = corners + 9 * (which * (n / 2)),
                                            .vertex_count = 3 * (n / 2),
                                            .triangles = numbers,
                                            .triangle_count = n / 2};
}

/* The sizes of a frame, from the frame itself. */
static bosc_collision_sizes measure(struct watch *w, const bosc_collision_mesh mesh[2])
{
    bosc_collision_info info = {.size = sizeof info};
    bosc_collision *collision = NULL;
    CHECK_OK(w->ctx, bosc_collision_create(w->ctx, NULL, &collision));
    CHECK_OK(w->ctx, bosc_collision_build(w->ctx, collision, &mesh[0], &mesh[1]));
    CHECK_OK(w->ctx, bosc_collision_get_info(w->ctx, collision, &info));
    bosc_collision_free(collision);
    return (bosc_collision_sizes){.size = sizeof(bosc_collision_sizes),
                                  .vertices = mesh[0].vertex_count + mesh[1].vertex_count,
                                  .triangles = mesh[0].triangle_count + mesh[1].triangle_count,
                                  .near_count = info.near_count,
                                  .box_voxels = info.box_voxels,
                                  .entries = info.entries,
                                  .candidates = info.candidates,
                                  .pairs = info.pairs};
}

static void collision(struct watch *w, int64_t n)
{
    static const double extents[] = {0.15, 0.8}; /* in distances of triangles: where many voxels are empty, and few */
    for (int k = 0; k < 2; k++) {
        bosc_collision_mesh mesh[2];
        bosc_collision *collision = NULL;
        int64_t scratch;
        make_triangles(n, extents[k] / cbrt((double)n), mesh);
        const bosc_collision_sizes sizes = measure(w, mesh);
        CHECK_OK(w->ctx, bosc_ctx_trim(w->ctx));
        CHECK_OK(w->ctx, bosc_collision_create(w->ctx, NULL, &collision));
        CHECK_OK(w->ctx, bosc_collision_bytes(w->ctx, NULL, &sizes, NULL, &scratch));
        if (w->reserved) CHECK_OK(w->ctx, bosc_collision_reserve(w->ctx, collision, &sizes));
        start_watch(w, scratch);
        CHECK_OK(w->ctx, bosc_collision_build(w->ctx, collision, &mesh[0], &mesh[1]));
        check(w);
        bosc_collision_free(collision);
    }
}

static void neighborlist(struct watch *w, int64_t n)
{
    const double edge = cbrt((double)n), cell[9] = {edge, 0, 0, 0, edge, 0, 0, 0, edge};
    for (int k = 0; k < 2; k++) { /* one system, and systems of one atom */
        const bosc_neighborlist_opts o = {.size = sizeof o, .dtype = BOSC_F64, .cutoff = 1.2, .skin = k ? 0.1 : 0};
        const int64_t atoms = n < 2 * MOST / 3 ? n : 2 * MOST / 3;
        bosc_neighborlist_systems s = {.size = sizeof s, .positions = reals, .n = atoms, .cells = cell};
        bosc_neighborlist *list = NULL;
        int64_t scratch, pairs;
        for (int64_t i = 0; i < 3 * atoms; i++) reals[i] = reals[i] - floor(reals[i]);
        if (k) { /* in the box of the first atoms, which no cell repeats */
            s.cells = NULL;
            s.n = s.system_count = atoms;
            for (int64_t i = 0; i <= atoms; i++) numbers_of_systems[i] = i;
            s.offsets = numbers_of_systems;
        } else {
            for (int64_t i = 0; i < 3 * atoms; i++) reals[i] *= edge;
        }
        CHECK_OK(w->ctx, bosc_neighborlist_create(w->ctx, &o, &list));
        CHECK_OK(w->ctx, bosc_neighborlist_build(w->ctx, list, &s));
        CHECK_OK(w->ctx, bosc_neighborlist_pairs(w->ctx, list, 0, NULL, &pairs));
        bosc_neighborlist_free(list);
        CHECK_OK(w->ctx, bosc_ctx_trim(w->ctx));
        CHECK_OK(w->ctx, bosc_neighborlist_create(w->ctx, &o, &list));
        CHECK_OK(w->ctx, bosc_neighborlist_bytes(w->ctx, &o, s.n, s.system_count, pairs, NULL, &scratch));
        if (w->reserved) CHECK_OK(w->ctx, bosc_neighborlist_reserve(w->ctx, list, s.n, k ? atoms : 1, pairs));
        start_watch(w, scratch);
        CHECK_OK(w->ctx, bosc_neighborlist_build(w->ctx, list, &s));
        check(w);
        bosc_neighborlist_free(list);
    }
}

/* A structure at sizes below and far above a chunk of scratch, with few threads and more than there are cores. */
static void hold(void (*of)(struct watch *w, int64_t n))
{
    static const int threads[] = {1, 8, 100};
    struct suite_random r = {71};
    for (int i = 0; i < MOST; i++) keys[i] = suite_next(&r);
    for (int i = 0; i < WORDS * MOST; i++)
        rows[i] = i % (2 * WORDS) < WORDS ? suite_next(&r) : rows[i - WORDS] ^ (i % WORDS);
    for (int i = 0; i < 2 * MOST; i++) reals[i] = suite_unit(&r);
    for (int t = 0; t < (suite_slow(NULL) ? 2 : 3); t++)
        for (int k = 0; k < 4; k++) {
            bosc_ctx_opts opts = {.size = sizeof opts, .threads = threads[t]};
            bosc_ctx *like = suite_open(&opts);
            struct watch w = {.reserved = k % 2};
            w.ctx = counted_context(like, w.live);
            of(&w, k < 2 ? 100 : suite_slow(NULL) ? 5000 : MOST);
            bosc_ctx_free(w.ctx);
            bosc_ctx_free(like);
            CHECK(w.live[0] == 0 && w.live[1] == 0);
        }
}

static void of_hash(void) { hold(hash); }
static void of_voxelgrid(void) { hold(voxelgrid); }
static void of_clouds(void) { hold(clouds); }
static void of_voxels(void) { hold(voxels); }
static void of_geometric(void) { hold(geometric); }
static void of_collision(void) { hold(collision); }
static void of_neighborlist(void) { hold(neighborlist); }
static void of_cellgraph(void) { hold(cellgraph); }
static void of_trie(void) { hold(trie); }

static const struct suite_case suite_cases_promises[] = {
    {"hash", NULL, of_hash},           {"voxelgrid", NULL, of_voxelgrid},       {"clouds", NULL, of_clouds},
    {"geometric", NULL, of_geometric}, {"collision", NULL, of_collision},       {"cellgraph", NULL, of_cellgraph},
    {"trie", NULL, of_trie},           {"neighborlist", NULL, of_neighborlist}, {"voxels", NULL, of_voxels},
};
SUITE(promises);
