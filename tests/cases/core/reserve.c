/* A structure's reservation is enough for the calls that it is made for, whatever the options and the number of
 * threads. Its _bytes function gives the bytes that it keeps, and enough scratch for a build. */
#include "cases/collision/collision_data.h"
#include "cases/graph/graph_data.h"
#include "cases/kdtree/kdtree_data.h"
#include "cases/terrain/terrain_data.h"
#include "core/call.h"
#include "support/counted.h"

/* A context with the threads of the configuration, or in some trials with many. */
static void open_trial(struct counted *c, bosc_ctx *like, int trial)
{
    bosc_ctx_opts o = suite_opts_like(like);
    counted_open(c, like, o.backend == BOSC_BACKEND_CPU && o.threads == 1 && trial % 3 == 0 ? 100 : 0);
}

struct tree_trial {
    bosc_kdtree_opts opts;
    struct reference_points points, queries;
    int64_t k;
};

static struct tree_trial tree_trial(struct suite_random *r, int trial, bool slow)
{
    int64_t n = (int64_t)suite_below(r, suite_below(r, 2) ? 20 : slow ? 600 : 5000), m = n < 300 ? n + 4 : 300;
    struct tree_trial t = {
        .opts = {.size = sizeof t.opts,
                 .dtype = trial % 8 < 4 ? BOSC_F32 : number_types[suite_below(r, 4)],
                 .dim = 1 + (int32_t)suite_below(r, 6),
                 .duplicates = trial & 2 ? BOSC_KDTREE_DUPLICATES_REMOVE : BOSC_KDTREE_DUPLICATES_KEEP,
                 .id_bits = suite_below(r, 2) ? 32 : 64},
        .k = 1 + (int64_t)suite_below(r, suite_below(r, 3) ? 7 : (uint64_t)n + 1)};
    kd_set_builder(&t.opts, trial & 1 ? 1 + (int)suite_below(r, KD_BUILDERS - 1) : KD_AUTO);
    if (t.k > 100) m = 4;
    t.points = kd_points(r, t.opts.dtype, t.opts.dim, n, t.opts.dim, suite_below(r, 2) ? KD_RANDOM : KD_GRID);
    t.queries = kd_points(r, t.opts.dtype, t.opts.dim, m, t.opts.dim, KD_GRID);
    return t;
}

/* Answers that take more than the tree. */
static struct tree_trial many_answers(struct suite_random *r)
{
    struct tree_trial t = {.opts = {.size = sizeof t.opts, .dim = 3}, .k = 32};
    t.points = kd_points(r, BOSC_F32, 3, 40, 3, KD_RANDOM);
    t.queries = kd_points(r, BOSC_F32, 3, 2000, 3, KD_GRID);
    return t;
}

static void search_tree(bosc_ctx *ctx, const bosc_kdtree *tree, const struct tree_trial *t)
{
    int64_t m = t->queries.n, k = t->k, *offsets = suite_alloc((size_t)(m + 1) * 8);
    void *ids = suite_alloc((size_t)(m * k) * 8), *dist2 = suite_alloc((size_t)(m * k) * 8);
    CHECK_OK(ctx, bosc_kdtree_knn(ctx, tree, t->queries.data, m, 0, k, ids, dist2));
    CHECK_OK(ctx, bosc_kdtree_knn(ctx, tree, t->queries.data, m, 0, k, ids, NULL));
    CHECK_OK(ctx, bosc_kdtree_knn_within(ctx, tree, t->queries.data, m, 0, k, 1, ids, dist2));
    CHECK_OK(ctx, bosc_kdtree_radius(ctx, tree, t->queries.data, m, 0, 1, offsets, NULL, NULL, 0));
    CHECK_OK(ctx, bosc_kdtree_radius_count(ctx, tree, t->queries.data, m, 0, 1, offsets));
    if (t->points.n <= m && t->opts.duplicates == BOSC_KDTREE_DUPLICATES_KEEP)
        CHECK_OK(ctx, bosc_kdtree_knn_self(ctx, tree, k, ids, dist2));
    free(offsets);
    free(ids);
    free(dist2);
}

static void reserve_tree(bosc_ctx *like, const struct tree_trial *t, int trial)
{
    struct counted c;
    bosc_kdtree *tree = NULL;
    open_trial(&c, like, trial);
    CHECK_OK(c.ctx, bosc_kdtree_create(c.ctx, &t->opts, &tree));
    if (trial & 4) CHECK_OK(c.ctx, bosc_kdtree_build(c.ctx, tree, t->points.data, t->points.n * 7 / 8, 0));
    CHECK_OK(c.ctx, bosc_kdtree_reserve(c.ctx, tree, t->points.n, t->queries.n, t->k));
    int64_t before = c.allocations;
    CHECK_OK(c.ctx, bosc_kdtree_build(c.ctx, tree, t->points.data, t->points.n, 0));
    CHECK_EQ(c.allocations, before);
    search_tree(c.ctx, tree, t);
    CHECK_EQ(c.allocations, before);
    bosc_kdtree_free(tree);
    counted_close(&c);
}

static void measure_tree(bosc_ctx *like, const struct tree_trial *t, int trial)
{
    struct counted c;
    bosc_kdtree *tree = NULL;
    bosc_kdtree_info info = {.size = sizeof info};
    int64_t kept, scratch;
    open_trial(&c, like, trial);
    CHECK_OK(c.ctx, bosc_kdtree_bytes(c.ctx, &t->opts, t->points.n, &kept, &scratch));
    int64_t held = counted_take_scratch(c.ctx, scratch);
    CHECK_OK(c.ctx, bosc_kdtree_create(c.ctx, &t->opts, &tree));
    CHECK_OK(c.ctx, bosc_kdtree_build(c.ctx, tree, t->points.data, t->points.n, 0));
    CHECK_EQ(counted_scratch(c.ctx), held);
    CHECK_OK(c.ctx, bosc_kdtree_get_info(c.ctx, tree, &info));
    CHECK_EQ(info.bytes, kept);
    bosc_kdtree_free(tree);
    counted_close(&c);
}

static void kdtree(bosc_ctx *like)
{
    struct suite_random r = {1};
    for (int trial = 0; trial < 33; trial++) {
        struct tree_trial t = trial < 32 ? tree_trial(&r, trial, suite_slow(like)) : many_answers(&r);
        if (trial == 32 || !suite_leaves_out()) {
            reserve_tree(like, &t, trial);
            measure_tree(like, &t, trial);
        }
        free((void *)t.points.data);
        free((void *)t.queries.data);
    }
}

static bosc_graph_opts graph_opts(struct suite_random *r, int trial)
{
    static const bosc_dtype weights[] = {BOSC_U32, BOSC_I32, BOSC_F32, BOSC_U64, BOSC_I64, BOSC_F64};
    return (bosc_graph_opts){.size = sizeof(bosc_graph_opts),
                             .weight = weights[suite_below(r, 6)],
                             .id_bits = trial & 1 ? 32 : 64,
                             .arcs = trial & 2 ? BOSC_GRAPH_ARCS_BOTH : BOSC_GRAPH_ARCS_ONE,
                             .parallel = (bosc_graph_parallel)(trial >> 2 & 3),
                             .nan = (bosc_graph_nan)suite_below(r, 3),
                             .drop_loops = (int32_t)suite_below(r, 2),
                             .wide = (int32_t)suite_below(r, 2)};
}

/* Entries; every second one is the reverse arc or a parallel one. */
static struct graph_entries graph_trial(struct suite_random *r, const bosc_graph_opts *o, bool slow)
{
    int64_t most = suite_below(r, 2) ? 20 : slow ? 900 : 20000, m = 2 * (int64_t)suite_below(r, (uint64_t)most);
    struct graph_entries e =
        graph_make(suite_next(r), GRAPH_DENSE, 2 + (int64_t)suite_below(r, 500), m, o->weight, SMALL_INTEGERS);
    size_t size = bosc_dtype_size(o->weight);
    for (int64_t i = 1; i < m; i += 2) {
        if (e.u[i - 1] == e.v[i - 1]) e.v[i - 1] = (e.u[i - 1] + 1) % e.n;
        e.u[i] = e.v[i - 1];
        e.v[i] = e.u[i - 1];
        memcpy((char *)e.weights + (size_t)i * size, (char *)e.weights + (size_t)(i - 1) * size, size);
    }
    return e;
}

static void try_graph(bosc_ctx *like, const bosc_graph_opts *o, const struct graph_entries *e, int trial)
{
    for (int by_bytes = 0; by_bytes < 2; by_bytes++) {
        struct counted c;
        bosc_graph *graph = NULL;
        bosc_graph_info info = {.size = sizeof info};
        int64_t kept, scratch;
        open_trial(&c, like, trial);
        CHECK_OK(c.ctx, bosc_graph_create(c.ctx, o, &graph));
        CHECK_OK(c.ctx, bosc_graph_bytes(c.ctx, o, e->n, e->m, &kept, &scratch));
        if (by_bytes)
            counted_take_scratch(c.ctx, scratch);
        else
            CHECK_OK(c.ctx, bosc_graph_reserve(c.ctx, graph, e->n, e->m));
        int64_t before = c.allocations, held = counted_scratch(c.ctx);
        CHECK_OK(c.ctx, graph_build(c.ctx, o, graph, e, false));
        CHECK_EQ(counted_scratch(c.ctx), held);
        if (!by_bytes) CHECK_EQ(c.allocations, before);
        CHECK_OK(c.ctx, bosc_graph_get_info(c.ctx, graph, &info));
        CHECK_EQ(info.bytes, kept);
        bosc_graph_free(graph);
        counted_close(&c);
    }
}

static void graph(bosc_ctx *like)
{
    struct suite_random r = {2};
    for (int trial = 0; trial < 48; trial++) {
        bosc_graph_opts o = graph_opts(&r, trial);
        struct graph_entries e = graph_trial(&r, &o, suite_slow(like));
        if (!suite_leaves_out()) try_graph(like, &o, &e, trial);
        graph_free_entries(&e);
    }
}

/* All calls on a tree, with arrays of the context. */
static void call_cbt(bosc_ctx *ctx, bosc_cbt *tree, int32_t depth, void *memory)
{
    enum { NODES = 64 };
    uint64_t *words = memory;
    int64_t *sources = (int64_t *)memory + NODES;
    uint8_t *commands = (uint8_t *)memory + 16 * NODES;
    CHECK_OK(ctx, bosc_cbt_split(ctx, tree, words, NODES));
    CHECK_OK(ctx, bosc_cbt_reduce(ctx, tree));
    CHECK_OK(ctx, bosc_cbt_merge(ctx, tree, words, NODES));
    CHECK_OK(ctx, bosc_cbt_update(ctx, tree, commands, NODES, sources, NODES));
    CHECK_OK(ctx, bosc_cbt_update(ctx, tree, commands, NODES, NULL, 0));
    CHECK_OK(ctx, bosc_cbt_update_and_decode(ctx, tree, commands, NODES, sources, words, NODES));
    CHECK_OK(ctx, bosc_cbt_decode(ctx, tree, 0, NODES, words));
    CHECK_OK(ctx, bosc_cbt_decode_at(ctx, tree, sources, NODES, words));
    CHECK_OK(ctx, bosc_cbt_encode(ctx, tree, words, NODES, sources));
    CHECK_OK(ctx, bosc_cbt_heap_read(ctx, tree, words, NODES, sources));
    CHECK_OK(ctx, bosc_cbt_recount(ctx, tree));
    CHECK_OK(ctx, bosc_cbt_get_bits(ctx, tree, words));
    CHECK_OK(ctx, bosc_cbt_set_bits(ctx, tree, words));
    CHECK_OK(ctx, bosc_cbt_get_heap(ctx, tree, words));
    CHECK_OK(ctx, bosc_cbt_set_heap(ctx, tree, words));
    CHECK_OK(ctx, bosc_cbt_reset(ctx, tree, depth / 2));
}

static void try_cbt(bosc_ctx *like, const bosc_cbt_opts *o, int trial)
{
    /* Twice: with a reserve, then with the scratch that the _bytes function gives. Calls take no more of either. */
    size_t bytes = ((size_t)4 << o->depth) / 8 + 4096;
    for (int by_bytes = 0; by_bytes < 2; by_bytes++) {
        struct counted c;
        bosc_cbt *tree = NULL;
        bosc_cbt_info info = {.size = sizeof info};
        int64_t kept, commanded, scratch;
        open_trial(&c, like, trial);
        struct array memory = array_make(c.ctx, NULL, bytes, true);
        CHECK_OK(c.ctx, bosc_cbt_bytes(c.ctx, o, &kept, &commanded, &scratch));
        CHECK_OK(c.ctx, bosc_cbt_create(c.ctx, o, &tree));
        CHECK_OK(c.ctx, bosc_cbt_get_info(c.ctx, tree, &info));
        CHECK_EQ(info.bytes, kept);
        if (by_bytes)
            counted_take_scratch(c.ctx, scratch);
        else
            CHECK_OK(c.ctx, bosc_cbt_reserve(c.ctx, tree));
        int64_t before = c.allocations, held = counted_scratch(c.ctx);
        call_cbt(c.ctx, tree, o->depth, memory.p);
        CHECK_EQ(counted_scratch(c.ctx), held);
        if (!by_bytes) CHECK_EQ(c.allocations, before);
        CHECK_OK(c.ctx, bosc_cbt_get_info(c.ctx, tree, &info));
        CHECK_EQ(info.bytes, commanded);
        bosc_cbt_free(tree);
        array_free(c.ctx, &memory);
        counted_close(&c);
    }
}

static void cbt(bosc_ctx *like)
{
    static const int32_t depths[] = {0, 3, 6, 11, 15, 20};
    for (int trial = 0; trial < 12; trial++) {
        bosc_cbt_opts o = {.size = sizeof o,
                           .depth = depths[trial / 2],
                           .level = depths[trial / 2] / 2,
                           .layout = trial % 2 ? BOSC_CBT_PUBLISHED : BOSC_CBT_RANKED};
        if (suite_slow(like) && o.depth > 15) continue;
        if (!suite_leaves_out()) try_cbt(like, &o, trial);
    }
}

/* Everything that a terrain does with arrays of the context's. */
static void call_terrain(bosc_ctx *ctx, bosc_terrain *terrain, const struct array *heights, int64_t w, int64_t h,
                         const struct array *memory)
{
    const bosc_terrain_region region = {.high = {9, 9}, .error = 1};
    bosc_terrain_goal goals[] = {
        {.error = 5}, {.triangles = w * h}, {.error = 2, .regions = &region, .region_count = 1, .hysteresis = 0.2}};
    bosc_terrain_stats stats = {.size = sizeof stats};
    int64_t counts[2], capacity = (int64_t)memory->bytes / 16;
    CHECK_OK(ctx, bosc_terrain_build(ctx, terrain, heights->p, w, h, w));
    for (int g = 0; g < 3; g++) {
        goals[g].size = sizeof goals[g];
        CHECK_OK(ctx, bosc_terrain_select(ctx, terrain, &goals[g]));
    }
    CHECK_OK(ctx, bosc_terrain_update(ctx, terrain, memory->p, (int64_t)memory->bytes));
    CHECK_OK(ctx, bosc_terrain_get_mesh(ctx, terrain, memory->p, NULL, capacity, NULL, 0, counts));
    CHECK_OK(ctx, bosc_terrain_get_mesh(ctx, terrain, NULL, NULL, 0, memory->p, capacity, counts));
    CHECK_OK(ctx, bosc_terrain_get_corners(ctx, terrain, 0, 16, memory->p));
    CHECK_OK(ctx, bosc_terrain_measure(ctx, terrain, &stats));
}

static void try_terrain(bosc_ctx *like, const bosc_terrain_opts *o, int64_t w, int64_t h, int trial)
{
    /* Twice: with a reserve, then with the scratch that the _bytes function gives. Calls take no more of either. */
    float *raster = terrain_heights(ROUGH, w, h, 1);
    for (int by_bytes = 0; by_bytes < 2; by_bytes++) {
        struct counted c;
        bosc_terrain *terrain = NULL;
        bosc_terrain_info info = {.size = sizeof info};
        int64_t kept, scratch;
        open_trial(&c, like, trial);
        struct array heights = array_make(c.ctx, raster, (size_t)(w * h) * sizeof *raster, true);
        struct array memory = array_make(c.ctx, NULL, (size_t)(w * h) * 32 + 4096, true);
        CHECK_OK(c.ctx, bosc_terrain_create(c.ctx, o, &terrain));
        CHECK_OK(c.ctx, bosc_terrain_bytes(c.ctx, o, w, h, &kept, &scratch));
        if (by_bytes)
            counted_take_scratch(c.ctx, scratch);
        else
            CHECK_OK(c.ctx, bosc_terrain_reserve(c.ctx, terrain, w, h));
        int64_t before = c.allocations, held = counted_scratch(c.ctx);
        call_terrain(c.ctx, terrain, &heights, w, h, &memory);
        CHECK_EQ(counted_scratch(c.ctx), held);
        if (!by_bytes) CHECK_EQ(c.allocations, before);
        CHECK_OK(c.ctx, bosc_terrain_get_info(c.ctx, terrain, &info));
        CHECK_EQ(info.bytes, kept);
        bosc_terrain_free(terrain);
        array_free(c.ctx, &heights);
        array_free(c.ctx, &memory);
        counted_close(&c);
    }
    free(raster);
}

static void terrain(bosc_ctx *like)
{
    static const int64_t sides[][2] = {{2, 2}, {65, 65}, {33, 20}, {3, 120}, {200, 190}};
    for (int trial = 0; trial < 10; trial++) {
        bosc_terrain_opts o = {.size = sizeof o,
                               .roots = trial < 4 && trial % 2 ? BOSC_TERRAIN_TRIANGLE : BOSC_TERRAIN_SQUARE,
                               .assume_valid = trial % 2};
        const int64_t *side = sides[trial / 2];
        if (suite_slow(like) && side[0] > 100) continue;
        if (!suite_leaves_out()) try_terrain(like, &o, side[0], side[1], trial);
    }
}

/* Two meshes, and the sizes of their frame. */
struct frame_trial {
    bosc_collision_opts opts;
    bosc_collision_mesh a, b;
    bosc_collision_sizes sizes;
};

static void free_frame(struct frame_trial *t)
{
    collide_free_arrays(&t->a);
    collide_free_arrays(&t->b);
}

static struct frame_trial frame_trial(struct suite_random *r, int trial, bool slow)
{
    static const double cells[] = {0, 0, 1, 1e-300, 1e300};
    const enum collision_kind kind = (enum collision_kind)(trial % COLLIDE_KINDS);
    const bool many = trial / COLLIDE_KINDS == 2;
    int64_t n = (int64_t)suite_below(r, many ? 400 : 60), map[3][3];
    if (kind == COLLIDE_SURFACES && many) n = slow ? 900 : 20000;
    if (trial / COLLIDE_KINDS == 1 && trial % 2) n = 0;
    struct frame_trial t = {.opts = {.size = sizeof t.opts,
                                     .dtype = suite_below(r, 2) ? BOSC_F64 : BOSC_F32,
                                     .index_bits = suite_below(r, 2) ? 64 : 32,
                                     .id_bits = suite_below(r, 2) ? 64 : 32,
                                     .cell = cells[suite_below(r, 5)]}};
    struct reference_mesh a = collide_mesh(r, kind, n, false), b = collide_mesh(r, kind, n + n / 3, true);
    collide_unimodular(r, 0, 0, map);
    t.a = collide_arrays(&a, &t.opts, map, 0, 3);
    t.b = collide_arrays(&b, &t.opts, map, 0, 3);
    t.sizes = (bosc_collision_sizes){.size = sizeof t.sizes,
                                     .vertices = a.vertex_count + b.vertex_count,
                                     .triangles = a.triangle_count + b.triangle_count};
    collide_free(&a);
    collide_free(&b);
    return t;
}

/* The frame, and its answers, into host memory. */
static bosc_collision_info call_collision(bosc_ctx *ctx, bosc_collision *collision, const struct frame_trial *t)
{
    bosc_collision_info info = {.size = sizeof info};
    int64_t count, *offsets = suite_alloc((size_t)(t->a.triangle_count + 1) * sizeof *offsets);
    CHECK_OK(ctx, bosc_collision_build(ctx, collision, &t->a, &t->b));
    CHECK_OK(ctx, bosc_collision_get_info(ctx, collision, &info));
    void *ids = suite_alloc((size_t)info.pairs * 16);
    CHECK_OK(ctx, bosc_collision_pairs(ctx, collision, ids, info.pairs, &count));
    CHECK_OK(ctx, bosc_collision_rows(ctx, collision, offsets, NULL, 0));
    CHECK_OK(ctx, bosc_collision_rows(ctx, collision, offsets, ids, info.pairs));
    free(offsets);
    free(ids);
    return info;
}

/* The sizes that a frame reports are enough to reserve for it. Returns the scratch that it took. */
static int64_t measure_frame(bosc_ctx *like, struct frame_trial *t, int trial)
{
    struct counted c;
    bosc_collision *collision = NULL;
    open_trial(&c, like, trial);
    CHECK_OK(c.ctx, bosc_collision_create(c.ctx, &t->opts, &collision));
    bosc_collision_info info = call_collision(c.ctx, collision, t);
    CHECK(info.near_count <= t->sizes.triangles && info.entries <= info.box_voxels &&
          info.box_voxels <= 32 * info.near_count + 65536);
    t->sizes.near_count = info.near_count;
    t->sizes.box_voxels = info.box_voxels;
    t->sizes.entries = info.entries;
    t->sizes.candidates = info.candidates;
    t->sizes.pairs = info.pairs;
    int64_t taken = counted_scratch(c.ctx);
    bosc_collision_free(collision);
    counted_close(&c);
    return taken;
}

static void try_collision(bosc_ctx *like, const struct frame_trial *t, int trial, int64_t taken)
{
    for (int by_bytes = 0; by_bytes < 2; by_bytes++) {
        struct counted c;
        bosc_collision *collision = NULL;
        int64_t kept, scratch;
        open_trial(&c, like, trial);
        CHECK_OK(c.ctx, bosc_collision_create(c.ctx, &t->opts, &collision));
        CHECK_OK(c.ctx, bosc_collision_bytes(c.ctx, &t->opts, &t->sizes, &kept, &scratch));
        if (by_bytes)
            counted_take_scratch(c.ctx, scratch);
        else
            CHECK_OK(c.ctx, bosc_collision_reserve(c.ctx, collision, &t->sizes));
        int64_t before = c.allocations, held = counted_scratch(c.ctx);
        CHECK(held >= scratch && held < scratch + 256);
        CHECK(scratch <= 3 * taken + (2 << 20) + ((int64_t)c.ctx->threads << 18));
        bosc_collision_info info = call_collision(c.ctx, collision, t);
        CHECK_EQ(counted_scratch(c.ctx), held);
        if (!by_bytes) CHECK_EQ(c.allocations, before);
        CHECK_EQ(info.bytes, kept);
        CHECK_EQ(kept, 8 * t->sizes.pairs);
        bosc_collision_free(collision);
        counted_close(&c);
    }
}

static void collision(bosc_ctx *like)
{
    struct suite_random r = {3};
    for (int trial = 0; trial < 3 * COLLIDE_KINDS; trial++) {
        struct frame_trial t = frame_trial(&r, trial, suite_slow(like));
        if (!suite_leaves_out()) try_collision(like, &t, trial, measure_frame(like, &t, trial));
        free_frame(&t);
    }
}

/* Tables that hundreds of threads build, of distinct keys and of few. */
static void hash(bosc_ctx *like)
{
    enum { KEYS = 5000000, THREADS = 320 };
    const bosc_ctx_opts first = suite_opts_like(like);
    if (first.backend != BOSC_BACKEND_CPU || first.threads != 1) return;
    uint32_t *keys = suite_alloc(KEYS * sizeof *keys);
    for (int trial = 0; trial < 8; trial++) {
        if (trial && suite_leaves_out()) continue;
        struct counted c;
        bosc_hash *table = NULL;
        int64_t kept, scratch;
        const bosc_hash_opts o = {
            .size = sizeof o, .layout = trial & 2 ? BOSC_HASH_AUTO : BOSC_HASH_BUCKETED, .duplicates = BOSC_HASH_LAST};
        /* 1. Reserve, or in every second trial allocate the scratch that bosc_hash_bytes gives. */
        for (uint32_t i = 0; i < KEYS; i++) keys[i] = trial & 4 ? i % 10 : i;
        counted_open(&c, like, THREADS);
        CHECK_OK(c.ctx, bosc_hash_create(c.ctx, &o, &table));
        CHECK_OK(c.ctx, bosc_hash_bytes(c.ctx, &o, KEYS, &kept, &scratch));
        if (trial & 1)
            CHECK_OK(c.ctx, bosc_hash_reserve(c.ctx, table, KEYS, 1));
        else
            counted_take_scratch(c.ctx, scratch);
        const int64_t before = c.allocations, held = counted_scratch(c.ctx);
        /* 2. Build: no more scratch is allocated, nor anything after a reserve. */
        CHECK_OK(c.ctx, bosc_hash_build(c.ctx, table, keys, NULL, KEYS));
        CHECK_EQ(counted_scratch(c.ctx), held);
        if (trial & 1) CHECK_EQ(c.allocations, before);
        bosc_hash_free(table);
        counted_close(&c);
    }
    free(keys);
}

static const struct suite_case suite_cases_reserve[] = {
    {"k-d tree", kdtree, NULL}, {"graph", graph, NULL},          {"bisections", cbt, NULL},
    {"terrain", terrain, NULL}, {"collisions", collision, NULL}, {"hash", hash, NULL},
};
SUITE(reserve);
