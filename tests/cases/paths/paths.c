/* Shortest paths equal Dijkstra's algorithm and breadth-first search, with their predecessors, edges and sources. */
#include "cases/paths/paths_data.h"
#include "paths/paths.h"

static const bosc_dtype dtypes[] = {BOSC_U32, BOSC_F64, BOSC_U64, BOSC_F32, BOSC_I32, BOSC_I64};

/* The graph's paths, from `count` sources, must be those of the reference; and they are proved. */
static void check(bosc_ctx *ctx, const struct reference_edges *e, const int64_t *sources, int64_t count,
                  const bosc_paths_opts *opts, int32_t id_bits, int32_t wide)
{
    bosc_graph *graph = forest_build(ctx, e, id_bits, wide);
    void *given = forest_narrow(sources, count, id_bits);
    struct reference_paths right;
    struct paths_outputs o = paths_outputs_of(e->n);
    const bool good = reference_paths(e, false, sources, count, opts, &right);
    CHECK_STATUS(
        ctx,
        bosc_paths_compute(ctx, graph, given, count, opts, o.distances, o.predecessors, o.edges, o.nearest, &o.info),
        good ? BOSC_OK : BOSC_ERR_LIMIT);
    if (good) {
        paths_check(&o, &right, e->n, id_bits);
        CHECK_OK(ctx, bosc_paths_verify(ctx, graph, given, count, opts, o.distances, o.predecessors, NULL));
        CHECK_OK(ctx, bosc_paths_verify(ctx, graph, given, count, opts, o.distances, NULL, NULL));
    }
    paths_outputs_free(&o);
    reference_paths_free(&right);
    free(given);
    bosc_graph_free(graph);
}

static void check_shape(bosc_ctx *ctx, struct suite_random *r, enum forest_shape shape, int64_t n)
{
    for (int kind = 0; kind < WEIGHTS_KINDS; kind++) {
        int64_t sources[5];
        const int64_t count = 1 + (int64_t)suite_below(r, 5);
        const bosc_dtype dtype = dtypes[suite_below(r, sizeof dtypes / sizeof dtypes[0])];
        struct forest_graph g = paths_make(r, shape, (enum forest_weights)kind, dtype, n);
        bosc_paths_opts opts = {.size = sizeof opts, .unweighted = suite_below(r, 4) == 0};
        if (suite_below(r, 3) == 0) opts.algorithm = BOSC_PATHS_ROUNDS;
        if (suite_below(r, 2)) opts.width = suite_below(r, 2) ? 2 : 3e5;
        for (int64_t i = 0; i < count; i++) sources[i] = (int64_t)suite_below(r, (uint64_t)n);
        check(ctx, &g.e, sources, count, &opts, suite_below(r, 2) ? 64 : 32, (int32_t)suite_below(r, 2));
        forest_free(&g);
    }
}

static void shapes(bosc_ctx *ctx)
{
    static const int64_t sizes[] = {1, 2, 3, 31, 64, 100, 257};
    for (int shape = 0; shape < FOREST_SHAPES; shape++)
        for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
            struct suite_random r = {(uint64_t)(shape * 100) + k};
            if (suite_leaves_out()) continue;
            check_shape(ctx, &r, (enum forest_shape)shape, sizes[k]);
        }
}

/* Vertices enough for several threads and blocks. The reference is slow: the graph is proved, and two algorithms
 * agree. */
static void large(bosc_ctx *ctx)
{
    static const bosc_graph_kind kinds[] = {BOSC_GRAPH_ROAD, BOSC_GRAPH_RMAT, BOSC_GRAPH_GRID, BOSC_GRAPH_STAR,
                                            BOSC_GRAPH_PATH};
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++)
        for (int trial = 0; trial < 2; trial++) {
            const bosc_graph_generate_opts what = {
                .size = sizeof what, .kind = kinds[k], .seed = k, .n = 3000, .m = 12000};
            const bosc_graph_opts opts = {.size = sizeof opts, .weight = trial ? BOSC_F64 : BOSC_U32};
            bosc_paths_opts auto_opts = {.size = sizeof auto_opts, .width = kinds[k] == BOSC_GRAPH_PATH ? 1e9 : 0},
                            rounds = {.size = sizeof rounds, .algorithm = BOSC_PATHS_ROUNDS};
            int64_t n, m;
            if (suite_leaves_out()) continue;
            /* 1. The graph. */
            CHECK_OK(ctx, bosc_graph_generate(ctx, &what, &n, &m, NULL, NULL, NULL, 0));
            int64_t *u = suite_alloc((size_t)m * 8), *v = suite_alloc((size_t)m * 8), *w = suite_alloc((size_t)m * 8);
            CHECK_OK(ctx, bosc_graph_generate(ctx, &what, &n, &m, u, v, w, m));
            void *weights = suite_alloc((size_t)m * 8);
            for (int64_t i = 0; i < m; i++) forest_set_weight(weights, opts.weight, i, (double)w[i]);
            const struct reference_edges e = {n, m, u, v, opts.weight, weights};
            bosc_graph *graph = forest_build(ctx, &e, 64, 0);
            struct paths_outputs a = paths_outputs_of(n), b = paths_outputs_of(n);
            /* 2. Both algorithms, and the proof. */
            const int64_t sources[2] = {n / 2, 7};
            CHECK_OK(ctx, bosc_paths_compute(ctx, graph, sources, 2, &auto_opts, a.distances, a.predecessors, a.edges,
                                             a.nearest, &a.info));
            CHECK_OK(ctx, bosc_paths_compute(ctx, graph, sources, 2, &rounds, b.distances, b.predecessors, b.edges,
                                             b.nearest, &b.info));
            CHECK_EQ(a.info.reached, b.info.reached);
            CHECK(memcmp(a.distances, b.distances, (size_t)n * 8) == 0);
            CHECK(memcmp(a.predecessors, b.predecessors, (size_t)n * 8) == 0);
            CHECK(memcmp(a.edges, b.edges, (size_t)n * 8) == 0);
            CHECK(memcmp(a.nearest, b.nearest, (size_t)n * 8) == 0);
            CHECK_OK(ctx, bosc_paths_verify(ctx, graph, sources, 2, NULL, a.distances, a.predecessors, NULL));
            paths_outputs_free(&a);
            paths_outputs_free(&b);
            bosc_graph_free(graph);
            free(u), free(v), free(w), free(weights);
        }
}

/* Arcs of length 0 at many distances: the second search, along them, is one of ranges too. */
static void zero_lengths(bosc_ctx *ctx)
{
    struct suite_random r = {5};
    struct forest_graph g = paths_make(&r, FOREST_PATH_SHUFFLED, WEIGHTS_FEW, BOSC_U32, 2000);
    const int64_t sources[2] = {3, 1999};
    for (int64_t i = 0; i < g.e.m; i++)
        if (suite_below(&r, 4)) ((uint32_t *)g.w)[i] = 0;
    check(ctx, &g.e, sources, 2, NULL, 64, 0);
    forest_free(&g);
}

/* A range is not empty, and one whose end overflows has all distances left. */
static void range_ends(bosc_ctx *ctx)
{
    const struct bi_paths_rows integers = {.weight = BOSC_U64}, floats = {.weight = BOSC_F64};
    (void)ctx;
    CHECK_EQ(bi_paths_range_end(&integers, 10, 5), 15);
    CHECK_EQ(bi_paths_range_end(&integers, 10, .5), 11);
    CHECK_EQ(bi_paths_range_end(&floats, bi_f64_bits(1), 2), bi_f64_bits(3));
    CHECK_EQ(bi_paths_range_end(&floats, bi_f64_bits(1), 1e-30), bi_f64_bits(1) + 1);
    CHECK(bi_paths_range_end(&integers, UINT64_MAX - 4, 8) == UINT64_MAX);
    CHECK(bi_paths_range_end(&integers, 0, INFINITY) == UINT64_MAX);
}

static const struct suite_case suite_cases_paths[] = {
    {"shapes", shapes, NULL},
    {"large", large, NULL},
    {"zero lengths", zero_lengths, NULL},
    {"range ends", range_ends, NULL},
};
SUITE(paths);
