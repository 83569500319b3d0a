/* Minimum spanning forests: every algorithm against Kruskal's, on every kind of graph, weight and option. */
#include "cases/forest/forest_data.h"

#include "support/arrays.h"
#include "forest/cpu/msf_state.h"

static const bosc_msf_algorithm algorithms[] = {BOSC_MSF_AUTO, BOSC_MSF_PRIMITIVES, BOSC_MSF_ATOMIC};

/* The expected outputs of bosc_msf_compute. */
struct expected {
    int64_t *edges, *labels, count, trees;
};

static struct expected expect(const struct reference_edges *e, const bosc_msf_opts *opts)
{
    struct expected x = {.edges = suite_alloc((size_t)e->n * 8), .labels = suite_alloc((size_t)e->n * 8)};
    x.count = reference_msf(e, opts, x.edges, x.labels);
    for (int64_t v = 0; v < e->n; v++) x.trees += x.labels[v] == v;
    return x;
}

static void free_expected(struct expected *x)
{
    free(x->edges);
    free(x->labels);
}

static void check_sum(bosc_ctx *ctx, const struct reference_edges *e, const struct expected *x,
                      const bosc_msf_info *info)
{
    uint64_t low = 0;
    int64_t high = 0;
    if (e->dtype != BOSC_F32 && e->dtype != BOSC_F64) {
        reference_sum(e, x->edges, x->count, &low, &high);
        CHECK_EQ(info->weight_low, low);
        CHECK_EQ(info->weight_high, high);
        double sum = ldexp((double)high, 64) + (double)low;
        CHECK(fabs(info->weight - sum) <= fabs(sum) * 1e-15 + (high ? 4096 : 0));
        return;
    }
    double *weights = suite_alloc((size_t)x->count * 8), sum = 0;
    for (int64_t i = 0; i < x->count; i++) weights[i] = reference_weight(e, x->edges[i]) + 0.0;
    if (x->count) CHECK_OK(ctx, bosc_reduce(ctx, BOSC_SUM, BOSC_F64, weights, x->count, &sum));
    CHECK(memcmp(&sum, &info->weight, sizeof sum) == 0);
    CHECK(info->weight_low == 0 && info->weight_high == 0);
    free(weights);
}

static void check_rounds(const struct reference_edges *e, bosc_msf_algorithm algorithm, const bosc_msf_info *info)
{
    CHECK(info->rounds >= 0 && info->rounds <= 32 && info->rounds_recorded <= BOSC_MSF_ROUNDS_MAX);
    if (algorithm == BOSC_MSF_AUTO) return;
    CHECK_EQ(info->rounds, info->rounds_recorded);
    for (int32_t k = 0; k < info->rounds; k++) {
        const bosc_msf_round *round = &info->round[k];
        CHECK(round->vertices >= 2 && round->arcs >= round->vertices);
        CHECK(round->vertices <= (k ? round[-1].vertices / 2 : e->n));
        CHECK(round->arcs <= (k ? round[-1].arcs : 2 * e->m));
    }
}

/* The call of a graph, or of the edges that it was built of. */
static bosc_status compute(bosc_ctx *ctx, const bosc_graph *graph, const struct reference_edges *e,
                           const bosc_msf_opts *opts, int32_t id_bits, void *edges, void *labels, bosc_msf_info *info)
{
    if (graph) return bosc_msf_compute(ctx, graph, opts, edges, labels, info);
    const bosc_graph_opts o = forest_graph_opts(e, id_bits, 0);
    void *u = forest_narrow(e->u, e->m, id_bits), *v = forest_narrow(e->v, e->m, id_bits);
    bosc_status status = bosc_msf_compute_edges(ctx, &o, opts, u, v, e->weights, e->n, e->m, edges, labels, info);
    free(u);
    free(v);
    return status;
}

/* One call, with all outputs. */
static void check_msf(bosc_ctx *ctx, const bosc_graph *graph, const struct reference_edges *e,
                      const bosc_msf_opts *opts, const struct expected *x, int32_t id_bits)
{
    int64_t room = e->n - 1 < e->m ? e->n - 1 : e->m;
    size_t size = (size_t)id_bits / 8;
    struct array edges = array_make(ctx, NULL, (size_t)(room > 0 ? room : 0) * size, false);
    struct array labels = array_make(ctx, NULL, (size_t)e->n * size, false);
    bosc_msf_info info = {.size = sizeof info};
    CHECK_OK(ctx, compute(ctx, graph, e, opts, id_bits, edges.p, labels.p, &info));
    array_get(ctx, &edges);
    array_get(ctx, &labels);
    CHECK_EQ(info.edges, x->count);
    for (int64_t i = 0; i < x->count; i++) CHECK_EQ(forest_id(edges.host, id_bits, i), x->edges[i]);
    for (int64_t v = 0; v < e->n; v++) CHECK_EQ(forest_id(labels.host, id_bits, v), x->labels[v]);
    CHECK_EQ(info.trees, x->trees);
    check_sum(ctx, e, x, &info);
    check_rounds(e, opts->algorithm, &info);
    array_free(ctx, &edges);
    array_free(ctx, &labels);
}

static void check_components(bosc_ctx *ctx, const bosc_graph *graph, const struct reference_edges *e,
                             const bosc_msf_opts *opts, const struct expected *x, int32_t id_bits)
{
    const bosc_graph_opts o = forest_graph_opts(e, id_bits, 0);
    void *labels = suite_alloc((size_t)e->n * 8);
    void *u = forest_narrow(e->u, e->m, id_bits), *v = forest_narrow(e->v, e->m, id_bits);
    for (int of_edges = 0; of_edges < 2; of_edges++) {
        int64_t count = -1;
        memset(labels, 0x55, (size_t)e->n * 8);
        CHECK_OK(ctx, of_edges
                          ? bosc_components_compute_edges(ctx, &o, opts, u, v, e->weights, e->n, e->m, labels, &count)
                          : bosc_components_compute(ctx, graph, opts, labels, &count));
        for (int64_t i = 0; i < e->n; i++) CHECK_EQ(forest_id(labels, id_bits, i), x->labels[i]);
        CHECK_EQ(count, x->trees);
    }
    free(u);
    free(v);
    free(labels);
}

/* Runs every algorithm with these options, and verifies the forest found. */
static void check_all(bosc_ctx *ctx, const bosc_graph *graph, const struct reference_edges *e,
                      const bosc_msf_opts *opts, int32_t id_bits)
{
    struct expected x = expect(e, opts);
    for (int a = 0; a < 3; a++)
        for (int keep = 0; keep < (algorithms[a] == BOSC_MSF_AUTO ? 1 : 3); keep++) {
            bosc_msf_opts o = *opts;
            o.algorithm = algorithms[a];
            o.keep_parallel = keep == 1;
            o.split_duplicates = keep == 2;
            check_msf(ctx, graph, e, &o, &x, id_bits);
        }
    check_msf(ctx, NULL, e, opts, &x, id_bits);
    if (opts->trees == 0) check_components(ctx, graph, e, opts, &x, id_bits);
    free_expected(&x);
}

/* True where fewer graphs suffice: calls are slow, or an earlier configuration has run the same code. */
static bool quick(bosc_ctx *ctx)
{
    bosc_ctx_info info = {.size = sizeof info};
    CHECK_OK(ctx, bosc_ctx_get_info(ctx, &info));
    return suite_slow(ctx) || info.threads > 1 || info.cpu_level != bosc_cpu_best_level();
}

/* Graph number `code` of n vertices: each pair has no edge, or one of weight 0 to values - 1. */
static void check_code(bosc_ctx *ctx, int64_t n, int64_t values, int64_t code)
{
    if (suite_leaves_out()) return;
    int64_t u[10], v[10], m = 0;
    uint32_t w[10];
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < i; j++, code /= values + 1)
            if (code % (values + 1)) {
                u[m] = i;
                v[m] = j;
                w[m++] = (uint32_t)(code % (values + 1)) - 1;
            }
    struct reference_edges e = {n, m, u, v, BOSC_U32, w};
    bosc_graph *graph = forest_build(ctx, &e, 64, 0);
    check_all(ctx, graph, &e, &(bosc_msf_opts){.size = sizeof(bosc_msf_opts)}, 64);
    bosc_graph_free(graph);
}

/* All graphs of up to 4 vertices with weights 0 to 2; where calls are slow, some of them. */
static void exhaustive(bosc_ctx *ctx)
{
    int64_t step = quick(ctx) ? 61 : 1, codes = 1;
    for (int64_t n = 0; n <= 4; n++) {
        for (int64_t code = 0; code < codes; code += step) check_code(ctx, n, 3, code);
        for (int64_t k = 0; k < n; k++) codes *= 4;
    }
    if (step > 1) return;
    for (int64_t code = 0; code < 59049; code += 29) check_code(ctx, 5, 2, code);
}

static const bosc_dtype weight_types[] = {BOSC_U32, BOSC_I32, BOSC_F32, BOSC_U64, BOSC_I64, BOSC_F64};

/* All shapes, weights and types, minimum and maximum, ids of both sizes, long offsets. */
static void every_shape_and_weight(bosc_ctx *ctx)
{
    struct suite_random r = {11};
    bool few = quick(ctx);
    for (int shape = 0; shape < FOREST_SHAPES; shape++)
        for (int weights = 0; weights < WEIGHTS_KINDS; weights++) {
            if (suite_leaves_out()) continue;
            int64_t n = 2 + (int64_t)suite_below(&r, few ? 30 : 150);
            bosc_dtype type = weight_types[suite_below(&r, 6)];
            int32_t id_bits = suite_below(&r, 2) ? 64 : 32, wide = (int32_t)suite_below(&r, 2);
            struct forest_graph g = forest_make(&r, (enum forest_shape)shape, (enum forest_weights)weights, type, n);
            bosc_graph *graph = forest_build(ctx, &g.e, id_bits, wide);
            for (int maximum = 0; maximum < 2; maximum++)
                check_all(ctx, graph, &g.e, &(bosc_msf_opts){.size = sizeof(bosc_msf_opts), .maximum = maximum},
                          id_bits);
            bosc_graph_free(graph);
            forest_free(&g);
        }
}

/* Weights of every type that test both ends of its order, in graphs with many equal ones. */
static void ends_of_every_weight_type(bosc_ctx *ctx)
{
    struct suite_random r = {12};
    for (int t = 0; t < 6; t++)
        for (int wide = 0; wide < 2; wide++)
            for (int weights = quick(ctx) ? t / 2 + wide : 0; weights < WEIGHTS_KINDS; weights++) {
                if (suite_leaves_out()) continue;
                int64_t n = quick(ctx) ? 20 : 60;
                struct forest_graph g =
                    forest_make(&r, FOREST_RANDOM, (enum forest_weights)weights, weight_types[t], n);
                bosc_graph *graph = forest_build(ctx, &g.e, 64, wide);
                for (int maximum = 0; maximum < 2; maximum++)
                    check_all(ctx, graph, &g.e, &(bosc_msf_opts){.size = sizeof(bosc_msf_opts), .maximum = maximum},
                              64);
                bosc_graph_free(graph);
                forest_free(&g);
            }
}

/* Masks, limits and a requested number of trees, in all combinations. */
static void masks_limits_and_tree_counts(bosc_ctx *ctx)
{
    struct suite_random r = {13};
    for (int t = 0; t < 6; t++)
        for (int which = 0; which < 16; which += quick(ctx) ? 3 : 1) {
            if (suite_leaves_out()) continue;
            int64_t n = quick(ctx) ? 15 : 40;
            struct forest_graph g = forest_make(&r, (enum forest_shape)suite_below(&r, FOREST_SHAPES),
                                                which & 2 ? WEIGHTS_FEW : WEIGHTS_RANDOM, weight_types[t], n);
            bosc_graph *graph = forest_build(ctx, &g.e, 32, which & 1);
            uint8_t *vertices = suite_alloc((size_t)n), *edges = suite_alloc((size_t)g.e.m);
            for (int64_t i = 0; i < n; i++) vertices[i] = (uint8_t)(suite_below(&r, 5) * 51);
            for (int64_t i = 0; i < g.e.m; i++) edges[i] = (uint8_t)suite_below(&r, 4);
            bosc_msf_opts o = {.size = sizeof o, .maximum = (which & 1) ^ (t & 1)};
            if (which & 2) o.vertex_mask = vertices;
            if (which & 4) o.edge_mask = edges;
            if ((which & 8) && g.e.m)
                o.limit = (char *)g.w + suite_below(&r, (uint64_t)g.e.m) * bosc_dtype_size(g.e.dtype);
            check_all(ctx, graph, &g.e, &o, 32);
            for (o.trees = 1; o.trees < n + 3; o.trees += o.trees < 3 ? 1 : n / 3) check_all(ctx, graph, &g.e, &o, 32);
            bosc_graph_free(graph);
            forest_free(&g);
            free(vertices);
            free(edges);
        }
}

/* A NaN is heavier than any number in a minimum forest, lighter in a maximum one; no limit lets it in. */
static void nan_weights(bosc_ctx *ctx)
{
    struct suite_random r = {14};
    for (int t = 0; t < 2; t++)
        for (int which = 0; which < 6; which++) {
            if (suite_leaves_out()) continue;
            struct forest_graph g =
                forest_make(&r, FOREST_RANDOM, WEIGHTS_EXTREME, t ? BOSC_F64 : BOSC_F32, which < 2 ? 12 : 30);
            for (int64_t i = 0; i < g.e.m; i++)
                if (suite_below(&r, 3)) forest_set_weight(g.w, g.e.dtype, i, (double)(i % 2 ? NAN : -NAN));
            double limit = which % 3 ? 1e300 * 1e300 : 1;
            float single = (float)limit;
            bosc_graph *graph = forest_build(ctx, &g.e, 64, 0);
            bosc_msf_opts o = {.size = sizeof o, .maximum = which & 1};
            check_all(ctx, graph, &g.e, &o, 64);
            o.limit = t ? (void *)&limit : (void *)&single;
            check_all(ctx, graph, &g.e, &o, 64);
            bosc_graph_free(graph);
            forest_free(&g);
        }
}

/* Sizes at which tiles and parts end, and graphs large enough that threads share the work. */
static void tile_and_thread_borders(bosc_ctx *ctx)
{
    static const int64_t edge[] = {0, 1, 2, 3, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 255, 256, 257, 1023, 1025};
    struct suite_random r = {15};
    for (size_t i = 0; i < sizeof edge / sizeof edge[0]; i++) {
        if (suite_slow(ctx) && edge[i] > 70) break;
        if (suite_leaves_out()) continue;
        enum forest_shape shape = (enum forest_shape)(i % FOREST_SHAPES);
        struct forest_graph g = forest_make(&r, shape, WEIGHTS_FEW, BOSC_U32, edge[i]);
        bosc_graph *graph = forest_build(ctx, &g.e, 64, 0);
        check_all(ctx, graph, &g.e, &(bosc_msf_opts){.size = sizeof(bosc_msf_opts)}, 64);
        bosc_graph_free(graph);
        forest_free(&g);
    }
    if (suite_slow(ctx)) return;
    for (int shape = 0; shape < FOREST_SHAPES; shape++)
        for (int weights = shape % 2; weights < WEIGHTS_KINDS; weights += quick(ctx) ? 4 : 2) {
            bosc_dtype type = weights % 3 ? BOSC_U32 : weight_types[shape % 6];
            struct forest_graph g =
                forest_make(&r, (enum forest_shape)shape, (enum forest_weights)weights, type, 20000);
            bosc_graph *graph = forest_build(ctx, &g.e, 64, 0);
            check_all(ctx, graph, &g.e, &(bosc_msf_opts){.size = sizeof(bosc_msf_opts), .maximum = shape & 1}, 64);
            bosc_graph_free(graph);
            forest_free(&g);
        }
}

/* Edges dropped or merged by the graph's build are not in the forest, and edge ids stay those of the input. */
static void built_otherwise(bosc_ctx *ctx)
{
    static const int64_t u[] = {0, 1, 1, 2, 2, 0}, v[] = {1, 0, 1, 1, 0, 0}, row[] = {0, 3, 5, 7},
                         next[] = {1, 1, 2, 0, 0, 0, 2};
    static const int32_t w[] = {5, 3, -9, 4, 10, -8}, row_w[] = {5, 3, 10, 5, 3, 10, -1};
    bosc_graph_opts go = {.size = sizeof go, .weight = BOSC_I32, .parallel = BOSC_GRAPH_PARALLEL_SUM, .drop_loops = 1};
    bosc_graph *graph = NULL;
    bosc_msf_info info = {.size = sizeof info};
    int64_t edges[2], labels[3];
    CHECK_OK(ctx, bosc_graph_create(ctx, &go, &graph));
    CHECK_OK(ctx, bosc_graph_build(ctx, graph, u, v, w, 3, 6));
    for (int a = 0; a < 3; a++) {
        bosc_msf_opts o = {.size = sizeof o, .algorithm = algorithms[a]};
        CHECK_OK(ctx, bosc_msf_compute(ctx, graph, &o, edges, labels, &info)); /* 0-1: 8, 1-2: 4, 0-2: 10 */
        CHECK(info.edges == 2 && edges[0] == 0 && edges[1] == 3 && info.weight_low == 12 && info.trees == 1);
        o.limit = &w[3];
        CHECK_OK(ctx, bosc_msf_compute(ctx, graph, &o, edges, labels, &info));
        CHECK(info.edges == 1 && edges[0] == 3 && labels[0] == 0 && labels[1] == 1 && labels[2] == 1);
    }
    bosc_graph_free(graph);
    go = (bosc_graph_opts){.size = sizeof go, .weight = BOSC_I32, .arcs = BOSC_GRAPH_ARCS_BOTH};
    CHECK_OK(ctx, bosc_graph_create(ctx, &go, &graph));
    CHECK_OK(ctx, bosc_graph_build_rows(ctx, graph, row, next, row_w, 3));
    CHECK_OK(ctx, bosc_msf_compute(ctx, graph, NULL, edges, labels, &info));
    CHECK(info.edges == 2 && edges[0] == 1 && edges[1] == 2 && info.weight_low == 13);
    bosc_graph_free(graph);
}

/* Many edges a vertex, few of them light. */
static void many_edges_few_light(bosc_ctx *ctx)
{
    struct suite_random r = {18};
    int64_t n = quick(ctx) ? 300 : 2000, m = 60 * n;
    for (int t = 0; t < 6; t++) {
        if (suite_leaves_out()) continue;
        int64_t *u = suite_alloc((size_t)m * 8), *v = suite_alloc((size_t)m * 8);
        void *w = suite_alloc((size_t)m * 8);
        for (int64_t i = 0; i < m; i++) {
            u[i] = (int64_t)suite_below(&r, (uint64_t)n);
            v[i] = (int64_t)suite_below(&r, t % 2 ? (uint64_t)n : (uint64_t)u[i] / 50 + 1);
            forest_set_weight(w, weight_types[t], i, suite_unit(&r) * 1e5);
        }
        struct reference_edges e = {n, m, u, v, weight_types[t], w};
        bosc_graph *graph = forest_build(ctx, &e, 64, 0);
        check_all(ctx, graph, &e, &(bosc_msf_opts){.size = sizeof(bosc_msf_opts), .maximum = t & 1}, 64);
        bosc_graph_free(graph);
        free(u);
        free(v);
        free(w);
    }
}

/* Numbers of edges at which a backend changes its method: one block, one launch of many blocks, the grid with one
 * level and with two; and more than one edge a thread. */
static void borders_between_methods(bosc_ctx *ctx)
{
    static const int64_t edges[] = {1,   2,   99,  100,  101,  199,  200,   201,   249,    250,    251,
                                    299, 300, 301, 4096, 4097, 8193, 14000, 65537, 200000, 540000, 180000};
    struct suite_random r = {20};
    for (size_t i = 0; i < sizeof edges / sizeof edges[0]; i++) {
        const int64_t m = edges[i], n = m / (i % 3 == 0 ? 1 : 6) + 2;
        if (quick(ctx) && m > 1000) break;
        if (suite_leaves_out()) continue;
        int64_t *u = suite_alloc((size_t)m * 8), *v = suite_alloc((size_t)m * 8);
        void *w = suite_alloc((size_t)m * 8);
        for (int64_t k = 0; k < m; k++) {
            u[k] = (int64_t)suite_below(&r, (uint64_t)n);
            v[k] = suite_below(&r, 9) ? (int64_t)suite_below(&r, (uint64_t)n) : i % 2 ? u[k] : n - 1;
            forest_set_weight(w, weight_types[i % 6], k, (double)suite_below(&r, i % 4 ? 1000 : 2));
        }
        struct reference_edges e = {n, m, u, v, weight_types[i % 6], w};
        bosc_graph *graph = forest_build(ctx, &e, 32, 0);
        check_all(ctx, graph, &e, &(bosc_msf_opts){.size = sizeof(bosc_msf_opts), .maximum = i & 1}, 32);
        bosc_graph_free(graph);
        free(u);
        free(v);
        free(w);
    }
}

/* Every arc in the sample is heavy, so far more edges are light than the sample predicts. */
static void misleading_sample(bosc_ctx *ctx)
{
    struct suite_random r = {19};
    int64_t n = suite_slow(ctx) ? 1500 : 9000, m = 12 * n;
    int64_t *u = suite_alloc((size_t)m * 8), *v = suite_alloc((size_t)m * 8), *ids = suite_alloc((size_t)m * 16);
    uint32_t *w = suite_alloc((size_t)m * 4);
    struct reference_edges e = {n, m, u, v, BOSC_U32, w};
    for (int64_t i = 0; i < m; i++) {
        u[i] = (int64_t)suite_below(&r, (uint64_t)n);
        v[i] = (u[i] + 1 + (int64_t)suite_below(&r, (uint64_t)n - 1)) % n;
        w[i] = (uint32_t)suite_below(&r, 1000);
    }
    bosc_graph *graph = forest_build(ctx, &e, 64, 0);
    CHECK_OK(ctx, bosc_graph_get_rows(ctx, graph, NULL, NULL, NULL, ids));
    bosc_graph_free(graph);
    for (int64_t i = 0; i < BI_MSF_CPU_SAMPLES; i++) w[ids[bi_msf_cpu_sample_index(i, 2 * m)]] += 5000;
    graph = forest_build(ctx, &e, 64, 0);
    check_all(ctx, graph, &e, &(bosc_msf_opts){.size = sizeof(bosc_msf_opts)}, 64);
    bosc_graph_free(graph);
    free(u);
    free(v);
    free(w);
    free(ids);
}

/* All light edges are among few vertices, so the heavy ones between the others exceed the list that a backend expects.
 */
static void few_vertices_have_light_edges(bosc_ctx *ctx)
{
    enum { DENSE = 100, N = 1100, LIGHT = 4500, M = 7500 };
    struct suite_random r = {21};
    int64_t u[M], v[M];
    uint32_t w[M];
    for (int64_t i = 0; i < M; i++) {
        const int64_t first = i < LIGHT ? 0 : DENSE, count = i < LIGHT ? DENSE : N - DENSE;
        u[i] = first + (int64_t)suite_below(&r, (uint64_t)count);
        v[i] = first + (u[i] - first + 1 + (int64_t)suite_below(&r, (uint64_t)count - 1)) % count;
        w[i] = (uint32_t)suite_below(&r, 1000) + (i < LIGHT ? 0 : 5000);
    }
    struct reference_edges e = {N, M, u, v, BOSC_U32, w};
    bosc_graph *graph = forest_build(ctx, &e, 64, 0);
    check_all(ctx, graph, &e, &(bosc_msf_opts){.size = sizeof(bosc_msf_opts)}, 64);
    bosc_graph_free(graph);
}

/* Two stars, whose centres have long rows: one of them is outside the largest component. */
static void stars(bosc_ctx *ctx)
{
    enum { FEW = 2100, MANY = 2600, LEAVES = FEW + MANY };
    int64_t u[LEAVES], v[LEAVES];
    uint32_t w[LEAVES];
    for (int low = 0; low < 2; low++) { /* centres of the lowest or of the highest numbers */
        for (int64_t i = 0; i < LEAVES; i++) {
            u[i] = i + 2 * low;
            v[i] = (low ? 0 : LEAVES) + (i >= FEW);
            w[i] = (uint32_t)i % 7;
        }
        struct reference_edges e = {LEAVES + 2, LEAVES, u, v, BOSC_U32, w};
        bosc_msf_opts o = {.size = sizeof o};
        struct expected x = expect(&e, &o);
        bosc_graph *graph = forest_build(ctx, &e, 64, low);
        check_msf(ctx, graph, &e, &o, &x, 64);
        check_components(ctx, graph, &e, &o, &x, 64);
        free_expected(&x);
        o.limit = &w[5];
        x = expect(&e, &o);
        check_components(ctx, graph, &e, &o, &x, 64);
        free_expected(&x);
        bosc_graph_free(graph);
    }
}

/* A path and two stars: the largest component of a small graph, and long rows outside it. The edge that joins each
 * centre to the rest is neither the first nor the last of its row, and no other vertex has it. */
static void hubs(bosc_ctx *ctx)
{
    enum { MOST = 1100 };
    const int64_t leaves = quick(ctx) ? 45 : MOST, path = leaves + 6, all = path + 2 * leaves + 2, m = all - 2;
    int64_t u[3 * MOST + 8], v[3 * MOST + 8], at = 0;
    uint32_t w[3 * MOST + 8];
    const int64_t hub = path + leaves; /* and hub + 1; equally many leaves before and behind them */
    if (suite_leaves_out()) return;
    for (int64_t i = 1; i < path; i++) u[at] = i - 1, v[at++] = i;
    for (int64_t i = path; i < all; i++)
        if (i != hub && i != hub + 1) u[at] = i, v[at++] = hub + i % 2;
    u[at] = hub, v[at++] = hub + 1;
    CHECK_EQ(at, m);
    for (int64_t i = 0; i < m; i++) w[i] = (uint32_t)(i * 7 % 11);
    struct reference_edges e = {all, m, u, v, BOSC_U32, w};
    bosc_graph *graph = forest_build(ctx, &e, 32, 0);
    check_all(ctx, graph, &e, &(bosc_msf_opts){.size = sizeof(bosc_msf_opts)}, 32);
    bosc_graph_free(graph);
}

/* Checks components alone, of a graph with ids of 32 bits. */
static void check_components_of(bosc_ctx *ctx, const struct reference_edges *e)
{
    const bosc_msf_opts o = {.size = sizeof o};
    struct expected x = expect(e, &o);
    bosc_graph *graph = forest_build(ctx, e, 32, 0);
    check_components(ctx, graph, e, &o, &x, 32);
    free_expected(&x);
    bosc_graph_free(graph);
}

/* A component with centres 1 and n - 2, and a hub outside it with `arcs` arcs. Its first and last ones lead to `own`
 * leaves, those between them to the component. No other edge joins the two. */
static void check_row_length(bosc_ctx *ctx, int64_t n, int64_t arcs, int64_t own)
{
    const int64_t hub = own;
    int64_t m = 0, *u = suite_alloc((size_t)(3 * n) * 8), *v = suite_alloc((size_t)(3 * n) * 8);
    uint32_t *w = suite_alloc((size_t)(3 * n) * sizeof *w);
    for (int64_t i = hub + 1; i < n - 2; i++) {
        u[m] = 1, v[m++] = i;
        u[m] = i, v[m++] = n - 2;
    }
    u[m] = 0, v[m++] = hub;
    u[m] = hub, v[m++] = n - 1;
    for (int64_t i = 2; i < own; i++) u[m] = hub, v[m++] = i;
    for (int64_t i = 1; i <= arcs - own; i++) u[m] = hub, v[m++] = hub + i;
    for (int64_t i = 0; i < m; i++) w[i] = (uint32_t)(i * 5 % 13);
    check_components_of(ctx, &(struct reference_edges){n, m, u, v, BOSC_U32, w});
    free(u);
    free(v);
    free(w);
}

/* Rows around the lengths at which the work of a lane, a warp and a chunk ends, in small graphs and in large ones. */
static void rows_of_every_length(bosc_ctx *ctx)
{
    static const int64_t lengths[] = {24, 25, 26, 40, 41, 42}, long_lengths[] = {2049, 2051};
    for (size_t k = 0; k < sizeof lengths / sizeof lengths[0]; k++) {
        check_row_length(ctx, 48, lengths[k], 2);
        check_row_length(ctx, 400, lengths[k], 2);
        check_row_length(ctx, 400, lengths[k], lengths[k] - 1);
    }
    for (size_t k = 0; k < sizeof long_lengths / sizeof long_lengths[0]; k++)
        check_row_length(ctx, 3 * long_lengths[k], long_lengths[k], long_lengths[k] - 1); /* one arc leads out */
}

/* Components of forests and of a grid, beyond the sizes of one block, with masks and without. */
static void large_forests(bosc_ctx *ctx)
{
    static const enum forest_shape shapes[] = {FOREST_PATH_SHUFFLED, FOREST_COMB,   FOREST_TREES, FOREST_STAR,
                                               FOREST_BINARY,        FOREST_SPARSE, FOREST_GRID};
    struct suite_random r = {18};
    for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++)
        for (int masked = 0; masked < 2; masked++) {
            const int64_t n = shapes[s] == FOREST_GRID ? 9216 : suite_slow(ctx) ? 900 : 40000;
            struct forest_graph g = forest_make(&r, shapes[s], WEIGHTS_FEW, BOSC_U32, n);
            uint8_t *vertices = suite_alloc((size_t)n), *edges = suite_alloc((size_t)g.e.m);
            for (int64_t i = 0; i < n; i++) vertices[i] = suite_below(&r, 9) > 0;
            for (int64_t i = 0; i < g.e.m; i++) edges[i] = suite_below(&r, 9) > 0;
            bosc_msf_opts o = {.size = sizeof o};
            if (masked) o.vertex_mask = vertices, o.edge_mask = edges;
            struct expected x = expect(&g.e, &o);
            bosc_graph *graph = forest_build(ctx, &g.e, 32, 0);
            check_components(ctx, graph, &g.e, &o, &x, 32);
            free_expected(&x);
            bosc_graph_free(graph);
            forest_free(&g);
            free(vertices);
            free(edges);
        }
}

/* Forests of two stars, the first with a row of each length at which the work of a lane, a warp and a chunk ends. Its
 * centre is the last vertex, so that all of its edges are read there. */
static void forest_rows_of_every_length(bosc_ctx *ctx)
{
    static const int64_t lengths[] = {23, 24, 25, 32, 33, 64, 2047, 2048, 2049, 4097};
    enum { MOST = 4097, OTHERS = 400 };
    static int64_t u[MOST + OTHERS], v[MOST + OTHERS];
    static uint32_t w[MOST + OTHERS];
    for (size_t k = 0; k < sizeof lengths / sizeof lengths[0]; k++) {
        const int64_t length = lengths[k], m = length + OTHERS, n = m + 2;
        int64_t first = 0; /* edges of the first star so far */
        for (int64_t i = 0; i < m; i++) {
            const bool in_first = first < length && (i % 3 == 0 || m - i <= length - first);
            u[i] = i;
            v[i] = in_first ? n - 1 : n - 2;
            w[i] = (uint32_t)i % 5;
            first += in_first;
        }
        check_components_of(ctx, &(struct reference_edges){n, m, u, v, BOSC_U32, w});
    }
}

/* The sums of the heaviest forests do not overflow; nor do negative ones. */
static void large_sums(bosc_ctx *ctx)
{
    struct suite_random r = {16};
    static const double values[] = {0x1p64, -0x1p63, 0x1p32, 0x1p31};
    for (int t = 0; t < 6; t++)
        for (int k = 0; k < 4; k++) {
            struct forest_graph g = forest_make(&r, FOREST_PATH, WEIGHTS_EQUAL, weight_types[t], 40);
            if (weight_types[t] != BOSC_F32 && weight_types[t] != BOSC_F64)
                for (int64_t i = 0; i < g.e.m; i++) forest_set_weight(g.w, g.e.dtype, i, values[k]);
            bosc_graph *graph = forest_build(ctx, &g.e, 64, 0);
            check_all(ctx, graph, &g.e, &(bosc_msf_opts){.size = sizeof(bosc_msf_opts), .maximum = k & 1}, 64);
            bosc_graph_free(graph);
            forest_free(&g);
        }
}

/* Optional outputs: every subset of them, in host memory and in the context's memory. */
static void optional_outputs(bosc_ctx *ctx)
{
    struct suite_random r = {17};
    for (int weights = 0; weights < 2; weights++) {
        struct forest_graph g =
            forest_make(&r, FOREST_SPARSE, WEIGHTS_RANDOM, weights ? BOSC_F32 : BOSC_U32, suite_slow(ctx) ? 50 : 500);
        bosc_msf_opts plain = {.size = sizeof plain};
        struct expected x = expect(&g.e, &plain);
        bosc_graph *graph = forest_build(ctx, &g.e, 64, 0);
        for (int which = 0; which < 64; which++) {
            /* Bits of `which`: edges, labels, info (full or old size), device arrays; then the algorithm, and no
             * options. */
            struct array edges = array_make(ctx, NULL, (size_t)(g.e.n - 1) * 8, (which & 8) && has_device_memory(ctx));
            struct array labels = array_make(ctx, NULL, (size_t)g.e.n * 8, (which & 8) && has_device_memory(ctx));
            bosc_msf_info info = {.size = which & 4 ? sizeof info : offsetof(bosc_msf_info, weight_low)};
            bosc_msf_opts o = {.size = sizeof o, .algorithm = algorithms[which / 16 % 3]};
            CHECK_OK(ctx, bosc_msf_compute(ctx, graph, which & 32 ? NULL : &o, which & 1 ? edges.p : NULL,
                                           which & 2 ? labels.p : NULL, which & 12 ? &info : NULL));
            array_get(ctx, &edges);
            array_get(ctx, &labels);
            for (int64_t i = 0; i < x.count && (which & 1); i++) CHECK_EQ(((int64_t *)edges.host)[i], x.edges[i]);
            for (int64_t v = 0; v < g.e.n && (which & 2); v++) CHECK_EQ(((int64_t *)labels.host)[v], x.labels[v]);
            if (which & 12) CHECK_EQ(info.trees, x.trees);
            array_free(ctx, &edges);
            array_free(ctx, &labels);
        }
        int64_t count = 0;
        CHECK_OK(ctx, bosc_components_compute(ctx, graph, NULL, NULL, &count));
        CHECK_EQ(count, x.trees);
        CHECK_OK(ctx, bosc_components_compute(ctx, graph, NULL, NULL, NULL));
        bosc_graph_free(graph);
        free_expected(&x);
        forest_free(&g);
    }
}

static const struct suite_case suite_cases_msf[] = {
    {"exhaustive", exhaustive, NULL},
    {"kinds", every_shape_and_weight, NULL},
    {"types", ends_of_every_weight_type, NULL},
    {"options", masks_limits_and_tree_counts, NULL},
    {"NaN", nan_weights, NULL},
    {"sizes", tile_and_thread_borders, NULL},
    {"built otherwise", built_otherwise, NULL},
    {"ways", borders_between_methods, NULL},
    {"dense", many_edges_few_light, NULL},
    {"misleading sample", misleading_sample, NULL},
    {"few light", few_vertices_have_light_edges, NULL},
    {"stars", stars, NULL},
    {"hubs", hubs, NULL},
    {"row lengths", rows_of_every_length, NULL},
    {"large forests", large_forests, NULL},
    {"rows of forests", forest_rows_of_every_length, NULL},
    {"large sums", large_sums, NULL},
    {"places", optional_outputs, NULL},
};
SUITE(msf);
