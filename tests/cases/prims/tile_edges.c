/* Structures in this context give the bits of the CPU with one thread at sizes around the edges of tiles, warps and
 * blocks: at, below and above powers of two and multiples of 192. The other suites check that these bits are right. */
#include <stdlib.h>
#include <string.h>

#include "support/suite.h"

enum { MOST = 8193, WORDS = 2 };

static const int64_t sizes[] = {31,   32,   33,   63,   64,   65,   127,  128,  129,  191,  192,  193,
                                255,  256,  257,  383,  384,  385,  511,  512,  513,  575,  576,  577,
                                767,  768,  769,  1023, 1024, 1025, 1535, 1536, 1537, 2047, 2048, 2049,
                                3071, 3072, 3073, 4095, 4096, 4097, 6143, 6144, 6145, 8191, 8192, 8193};

/* The data of all structures; each uses the first n rows. */
static float points[4 * MOST];
static int64_t u[MOST], v[MOST], keys[MOST], pairs[2 * MOST];
static float weights[MOST];
static double lengths[MOST];
static uint64_t vectors[WORDS * MOST];

static void make_data(void)
{
    struct suite_random r = {41};
    for (int64_t i = 0; i < MOST; i++) {
        for (int k = 0; k < 4; k++) points[4 * i + k] = (float)suite_below(&r, 500) / 500;
        keys[i] = (int64_t)suite_next(&r);
        weights[i] = (float)(int)((MOST - i) / 16); /* the last edges are in the forest */
        lengths[i] = suite_unit(&r);
        /* Most vectors differ in one letter from one before. */
        memcpy(vectors + WORDS * i, vectors + WORDS * (i ? (int64_t)suite_below(&r, (uint64_t)i) : 0), WORDS * 8);
        vectors[WORDS * i + (int64_t)suite_below(&r, WORDS)] ^= (uint64_t)1 << suite_below(&r, 64);
        pairs[2 * i] = (int64_t)suite_below(&r, (uint64_t)i + 1);
        pairs[2 * i + 1] = i + 1;
    }
}

/* The output of a structure: two arrays to compare. */
struct answer {
    void *first, *second;
    size_t bytes[2]; /* capacities of the arrays */
};

static void kdtree(bosc_ctx *ctx, int64_t n, const struct answer *out)
{
    const bosc_kdtree_opts o = {.size = sizeof o, .dim = 3};
    const int64_t queries = n < 600 ? n : 600;
    bosc_kdtree *tree = NULL;
    CHECK_OK(ctx, bosc_kdtree_create(ctx, &o, &tree));
    CHECK_OK(ctx, bosc_kdtree_build(ctx, tree, points, n, 4));
    CHECK_OK(ctx, bosc_kdtree_get_nodes(ctx, tree, NULL, out->first));
    CHECK_OK(ctx, bosc_kdtree_knn(ctx, tree, points, queries, 4, 4, out->second, NULL));
    CHECK_OK(ctx, bosc_kdtree_radius_count(ctx, tree, points, queries, 4, 0.1, (int64_t *)out->second + 4 * queries));
    bosc_kdtree_free(tree);
}

static void kdtree_published(bosc_ctx *ctx, int64_t n, const struct answer *out)
{
    const bosc_kdtree_opts o = {
        .size = sizeof o, .dim = 4, .builder = BOSC_KDTREE_BROWN, .duplicates = BOSC_KDTREE_DUPLICATES_REMOVE};
    bosc_kdtree *tree = NULL;
    CHECK_OK(ctx, bosc_kdtree_create(ctx, &o, &tree));
    CHECK_OK(ctx, bosc_kdtree_build(ctx, tree, points, n, 0));
    CHECK_OK(ctx, bosc_kdtree_get_nodes(ctx, tree, NULL, out->first));
    CHECK_OK(ctx, bosc_kdtree_get_duplicates(ctx, tree, out->second, NULL));
    bosc_kdtree_free(tree);
}

static void kdtree_self(bosc_ctx *ctx, int64_t n, const struct answer *out)
{
    const bosc_kdtree_opts o = {.size = sizeof o, .dim = 2};
    bosc_kdtree *tree = NULL;
    CHECK_OK(ctx, bosc_kdtree_create(ctx, &o, &tree));
    CHECK_OK(ctx, bosc_kdtree_build(ctx, tree, points, n, 4));
    CHECK_OK(ctx, bosc_kdtree_knn_self(ctx, tree, 3, out->first, out->second));
    bosc_kdtree_free(tree);
}

static void forest(bosc_ctx *ctx, int64_t n, const struct answer *out)
{
    const bosc_graph_opts o = {.size = sizeof o, .weight = BOSC_F32};
    for (int64_t i = 0; i < n; i++) {
        u[i] = (keys[i] & INT32_MAX) % (n / 2);
        v[i] = (keys[i] >> 32 & INT32_MAX) % (n / 2);
    }
    bosc_graph *graph = NULL;
    CHECK_OK(ctx, bosc_graph_create(ctx, &o, &graph));
    CHECK_OK(ctx, bosc_graph_build(ctx, graph, u, v, weights, n / 2, n));
    CHECK_OK(ctx, bosc_msf_compute(ctx, graph, NULL, out->first, out->second, NULL));
    CHECK_OK(ctx, bosc_components_compute(ctx, graph, NULL, (int64_t *)out->second + n, NULL));
    CHECK_OK(ctx,
             bosc_msf_compute_edges(ctx, &o, NULL, u, v, weights, n / 2, n, (int64_t *)out->first + n, NULL, NULL));
    CHECK_OK(ctx, bosc_graph_get_rows(ctx, graph, (int64_t *)out->second + 2 * n, NULL, NULL, NULL));
    bosc_graph_free(graph);
}

static void forest_of_points(bosc_ctx *ctx, int64_t n, const struct answer *out)
{
    const bosc_emst_opts o = {.size = sizeof o, .dim = 2};
    CHECK_OK(ctx, bosc_emst_compute(ctx, points, n, 4, &o, out->first, out->second));
}

static void walks(bosc_ctx *ctx, int64_t n, const struct answer *out)
{
    CHECK_OK(ctx, bosc_tour_compute(ctx, pairs, n, NULL, out->first));
    CHECK_OK(ctx, bosc_linkage_compute(ctx, pairs, lengths, n, NULL, out->second));
}

static void hash(bosc_ctx *ctx, int64_t n, const struct answer *out)
{
    static const bosc_hash_opts all[] = {{.layout = BOSC_HASH_BUCKETED},
                                         {.layout = BOSC_HASH_PERFECT},
                                         {.layout = BOSC_HASH_HYBRID},
                                         {.kind = BOSC_HASH_MULTIMAP}};
    for (size_t k = 0; k < sizeof all / sizeof all[0]; k++) {
        bosc_hash_opts o = all[k];
        bosc_hash *table = NULL;
        o.size = sizeof o, o.key_bits = 64, o.value_size = 8;
        CHECK_OK(ctx, bosc_hash_create(ctx, &o, &table));
        CHECK_OK(ctx, bosc_hash_build(ctx, table, keys, pairs, n));
        CHECK_OK(ctx, bosc_hash_find(ctx, table, keys, n, (int64_t *)out->first + (int64_t)k * n, NULL));
        bosc_hash_free(table);
    }
}

static void voxelgrid(bosc_ctx *ctx, int64_t n, const struct answer *out)
{
    const bosc_voxelgrid_opts o = {.size = sizeof o, .dim = 3, .cell = 0.07};
    bosc_voxelgrid *grid = NULL;
    CHECK_OK(ctx, bosc_voxelgrid_create(ctx, &o, &grid));
    CHECK_OK(ctx, bosc_voxelgrid_build(ctx, grid, points, n, 4));
    CHECK_OK(ctx, bosc_voxelgrid_radius_count(ctx, grid, points, n, 4, 0.07, out->first));
    CHECK_OK(ctx, bosc_voxelgrid_components(ctx, grid, 0.03, out->second, (int64_t *)out->second + n));
    CHECK_OK(ctx, bosc_voxelgrid_pairs(ctx, grid, 0.03, NULL, NULL, 0, (int64_t *)out->second + n + 1));
    bosc_voxelgrid_free(grid);
}

static void cellgraph(bosc_ctx *ctx, int64_t n, const struct answer *out)
{
    static const bosc_cellgraph_method all[] = {BOSC_CELLGRAPH_JOIN, BOSC_CELLGRAPH_ZOBRIST};
    for (size_t k = 0; k < sizeof all / sizeof all[0]; k++) {
        const bosc_cellgraph_opts o = {.size = sizeof o, .length = 64 * WORDS, .method = all[k]};
        bosc_cellgraph *graph = NULL;
        CHECK_OK(ctx, bosc_cellgraph_create(ctx, &o, &graph));
        CHECK_OK(ctx, bosc_cellgraph_build(ctx, graph, vectors, n, 0));
        CHECK_OK(ctx, bosc_cellgraph_get_rows(ctx, graph, (int64_t *)out->first + (int64_t)k * (n + 1), NULL, NULL));
        CHECK_OK(ctx, bosc_cellgraph_components(ctx, graph, (int64_t *)out->second + (int64_t)k * n, NULL));
        bosc_cellgraph_free(graph);
    }
}

static void trie(bosc_ctx *ctx, int64_t n, const struct answer *out)
{
    const bosc_trie_opts o = {.size = sizeof o, .length = 64 * WORDS};
    bosc_trie *trie = NULL;
    CHECK_OK(ctx, bosc_trie_create(ctx, &o, &trie));
    CHECK_OK(ctx, bosc_trie_build(ctx, trie, vectors, NULL, n, 0));
    CHECK_OK(ctx, bosc_trie_find(ctx, trie, vectors, n, 0, out->first, NULL, NULL));
    CHECK_OK(ctx, bosc_trie_pairs(ctx, trie, NULL, NULL, 0, out->second));
    bosc_trie_free(trie);
}

struct structure {
    const char *name;
    void (*answer)(bosc_ctx *ctx, int64_t n, const struct answer *out);
    size_t turn; /* index of the structure */
};

/* Tries every edge, but leaves sizes out under sanitizers. In the emulator sizes above 2049 are three quarters of the
 * work: each structure tries one of four of them, chosen by its turn. */
static bool left_out(bosc_ctx *ctx, const struct structure *of, size_t s)
{
#if defined SUITE_SLOW || defined SUITE_FEW
    (void)ctx, (void)of, (void)s;
    return suite_leaves_out();
#else
    return suite_emulated(ctx) && sizes[s] > 2049 && s % 4 != of->turn % 4 && suite_leaves_out();
#endif
}

/* Both contexts' arrays hold one pattern first, so that unwritten bytes are equal. */
static void compare(bosc_ctx *ctx, bosc_ctx *plain, const struct structure *of, int64_t n,
                    const struct answer answers[2])
{
    for (int i = 0; i < 2; i++) {
        memset(answers[i].first, 0x55, answers[i].bytes[0]);
        memset(answers[i].second, 0x55, answers[i].bytes[1]);
        of->answer(i ? plain : ctx, n, &answers[i]);
    }
    if (memcmp(answers[0].first, answers[1].first, answers[0].bytes[0]) != 0 ||
        memcmp(answers[0].second, answers[1].second, answers[0].bytes[1]) != 0)
        suite_fail(__FILE__, __LINE__, "%s of %lld", of->name, (long long)n);
}

static void compare_at_all_sizes(bosc_ctx *ctx, const struct structure *of)
{
    const bosc_ctx_opts o = {.size = sizeof o, .backend = BOSC_BACKEND_CPU, .threads = 1, .cpu_level = BOSC_CPU_V1};
    bosc_ctx *plain = suite_open(&o);
    struct answer answers[2];
    make_data();
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 2; k++) {
            answers[i].bytes[k] = (size_t)MOST * 4 * 8 + 64;
            *(k ? &answers[i].second : &answers[i].first) = suite_alloc(answers[i].bytes[k]);
        }
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++)
        if (!left_out(ctx, of, s)) compare(ctx, plain, of, sizes[s], answers);
    for (int i = 0; i < 2; i++) free(answers[i].first), free(answers[i].second);
    bosc_ctx_free(plain);
}

/* On a device several passes precede the blocks, and the sizes decide how many levels the passes leave to them. */
static void edges_of_build_passes(bosc_ctx *ctx)
{
    static const int64_t at[] = {65535, 65536, 65551, 65552, 131071, 131072, 131087, 131088, 131089, 131103, 131104};
    const bosc_kdtree_opts o = {.size = sizeof o, .dim = 2};
    const int64_t most = at[sizeof at / sizeof at[0] - 1];
    struct suite_random r = {43};
    if (suite_slow(ctx)) return;
    float *many = suite_alloc((size_t)most * 2 * sizeof *many);
    bosc_kdtree *tree = NULL;
    for (int64_t i = 0; i < 2 * most; i++) many[i] = (float)suite_below(&r, 5000);
    CHECK_OK(ctx, bosc_kdtree_create(ctx, &o, &tree));
    for (size_t s = 0; s < sizeof at / sizeof at[0]; s++) {
        CHECK_OK(ctx, bosc_kdtree_build(ctx, tree, many, at[s], 0));
        CHECK_OK(ctx, bosc_kdtree_verify(ctx, tree, NULL));
    }
    bosc_kdtree_free(tree);
    free(many);
}

#define EDGES_OF(of, turn) \
    static void edges_of_##of(bosc_ctx *ctx) { compare_at_all_sizes(ctx, &(struct structure){#of, of, turn}); }
EDGES_OF(kdtree, 0)
EDGES_OF(kdtree_published, 1)
EDGES_OF(kdtree_self, 2)
EDGES_OF(forest, 3)
EDGES_OF(forest_of_points, 4)
EDGES_OF(walks, 5)
EDGES_OF(hash, 6)
EDGES_OF(voxelgrid, 7)
EDGES_OF(cellgraph, 8)
EDGES_OF(trie, 9)

static const struct suite_case suite_cases_tile_edges[] = {
    {"k-d trees", edges_of_kdtree, NULL},
    {"k-d trees beyond a block", edges_of_build_passes, NULL},
    {"k-d trees by the published build", edges_of_kdtree_published, NULL},
    {"neighbours of all points", edges_of_kdtree_self, NULL},
    {"graphs and forests", edges_of_forest, NULL},
    {"forests of points", edges_of_forest_of_points, NULL},
    {"tours and dendrograms", edges_of_walks, NULL},
    {"tables", edges_of_hash, NULL},
    {"voxel grids", edges_of_voxelgrid, NULL},
    {"cell graphs", edges_of_cellgraph, NULL},
    {"tries", edges_of_trie, NULL},
};
SUITE(tile_edges);
