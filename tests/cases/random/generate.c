/* Generated graphs: the right shape, numbers in range, the same bits on every backend and in every version. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <boscage/graph.h>

#include "support/arrays.h"
#include "base/philox.h"
#include "core/save.h"
#include "support/faults.h"

enum { KINDS = 12 };

struct generated {
    int64_t n, m, *u, *v, *weights;
};

static struct generated generate(bosc_ctx *ctx, bosc_graph_generate_opts o)
{
    struct generated g;
    o.size = sizeof o;
    o.id_bits = 64;
    CHECK_OK(ctx, bosc_graph_generate(ctx, &o, &g.n, &g.m, NULL, NULL, NULL, 0));
    int64_t n = -1, m = -1;
    g.u = suite_alloc((size_t)g.m * 8);
    g.v = suite_alloc((size_t)g.m * 8);
    g.weights = suite_alloc((size_t)g.m * 8);
    CHECK_OK(ctx, bosc_graph_generate(ctx, &o, &n, &m, g.u, g.v, g.weights, g.m));
    CHECK(n == g.n && m == g.m);
    for (int64_t i = 0; i < m; i++) CHECK(g.u[i] >= 0 && g.u[i] < g.v[i] && g.v[i] < n);
    for (int64_t i = 1; i < m && o.kind >= BOSC_GRAPH_GRID && o.kind <= BOSC_GRAPH_STAR; i++)
        CHECK(g.u[i - 1] < g.u[i] || (g.u[i - 1] == g.u[i] && g.v[i - 1] < g.v[i]));
    return g;
}

static void release(struct generated *g)
{
    free(g->u);
    free(g->v);
    free(g->weights);
}

static int64_t *degrees_of(const struct generated *g)
{
    int64_t *degrees = calloc((size_t)g->n + 1, sizeof *degrees);
    if (!degrees) abort();
    for (int64_t i = 0; i < g->m; i++) {
        degrees[g->u[i]]++;
        degrees[g->v[i]]++;
    }
    return degrees;
}

static bosc_ctx *plain_context(void)
{
    bosc_ctx_opts o = {.size = sizeof o, .threads = 1, .cpu_level = BOSC_CPU_V1};
    bosc_ctx *ctx = NULL;
    CHECK_EQ(bosc_ctx_create(&o, &ctx), BOSC_OK);
    return ctx;
}

static const bosc_graph_generate_opts samples[] = {
    {.kind = BOSC_GRAPH_RANDOM, .seed = 7, .n = 300, .m = 900},
    {.kind = BOSC_GRAPH_RMAT, .seed = 7, .n = 200, .m = 900, .least = -5, .most = 5},
    {.kind = BOSC_GRAPH_SSCA2, .seed = 7, .n = 300},
    {.kind = BOSC_GRAPH_GRID, .seed = 7, .n = 400, .least = INT64_MIN, .most = INT64_MAX},
    {.kind = BOSC_GRAPH_ROAD, .seed = 7, .n = 900},
    {.kind = BOSC_GRAPH_GEOMETRIC, .seed = 7, .n = 300},
    {.kind = BOSC_GRAPH_GEOMETRIC, .seed = 7, .n = 40, .m = 100000, .least = 3, .most = 3},
    {.kind = BOSC_GRAPH_RMAT, .seed = 8, .n = 2, .m = 90},
    {.kind = BOSC_GRAPH_SSCA2, .seed = 9, .n = 1000, .m = 1},
    {.kind = BOSC_GRAPH_SSCA2, .seed = 9, .n = 150, .m = 60},
    {.kind = BOSC_GRAPH_STAR, .seed = 7, .n = 300},
    {.kind = BOSC_GRAPH_PATH, .seed = 7, .n = 300},
    {.kind = BOSC_GRAPH_HUBS, .seed = 7, .n = 300},
    {.kind = BOSC_GRAPH_BIPARTITE, .seed = 7, .n = 301, .m = 900, .least = -5, .most = 5},
    {.kind = BOSC_GRAPH_TREES, .seed = 7, .n = 300},
    {.kind = BOSC_GRAPH_EQUAL, .seed = 7, .n = 300, .m = 900},
};
enum { SAMPLES = sizeof samples / sizeof samples[0] };

/* Arrays of either width, on host or device, equal the output of one baseline thread; each output is optional. */
static void same_bits(bosc_ctx *ctx)
{
    bosc_ctx *plain = plain_context();
    for (int s = 0; s < SAMPLES; s++) {
        struct generated expected = generate(plain, samples[s]);
        /* Bits of k: device arrays, 64-bit ids; 4, 5 and 6 omit an output. */
        for (int k = 0; k < 8; k++) {
            bool device = k & 1 && has_device_memory(ctx), wide = k & 2;
            bosc_graph_generate_opts o = samples[s];
            o.size = sizeof o;
            o.id_bits = wide ? 64 : 32;
            size_t bytes = (size_t)expected.m * (wide ? 8 : 4);
            struct array u = array_make(ctx, NULL, bytes, device), v = array_make(ctx, NULL, bytes, device);
            struct array w = array_make(ctx, NULL, (size_t)expected.m * 8, device);
            CHECK_OK(ctx, bosc_graph_generate(ctx, &o, NULL, NULL, k == 4 ? NULL : u.p, k == 5 ? NULL : v.p,
                                              k == 6 ? NULL : w.p, expected.m + k));
            const void *a = array_get(ctx, &u), *b = array_get(ctx, &v);
            const int64_t *c = array_get(ctx, &w);
            for (int64_t i = 0; i < expected.m; i++) {
                if (k != 4) CHECK_EQ(wide ? ((const int64_t *)a)[i] : ((const uint32_t *)a)[i], expected.u[i]);
                if (k != 5) CHECK_EQ(wide ? ((const int64_t *)b)[i] : ((const uint32_t *)b)[i], expected.v[i]);
                if (k != 6) CHECK_EQ(c[i], expected.weights[i]);
            }
            array_free(ctx, &u);
            array_free(ctx, &v);
            array_free(ctx, &w);
        }
        release(&expected);
    }
    bosc_ctx_free(plain);
}

/* Hashes that no later version may change. */
static void golden(void)
{
    static const struct {
        int64_t n, m;
        uint64_t hash;
    } known[SAMPLES] = {
        {300, 900, 0x85e30bd37dfc4c71},  {256, 900, 0x7299f99ea6f16d08}, {300, 1590, 0x2d4942ca96ac1238},
        {400, 760, 0x5c7f3ce035d269b2},  {788, 941, 0xb75464a76a32395d}, {300, 1277, 0x60d2243ad8ed947e},
        {40, 780, 0x508a12ee61358a1a},   {2, 90, 0xd17bf90134707b7e},    {1000, 1016, 0xb001fd1384a8018d},
        {150, 3099, 0x9bcb71c194d79e56}, {300, 299, 0x6228593c2b54415f}, {300, 299, 0xef12c627c516f7c7},
        {300, 1200, 0x17db067bc0fb2cfe}, {301, 900, 0x1c3c81056b62ca87}, {300, 281, 0x737c29ce53fff379},
        {300, 900, 0x74533129732ee6f0}};
    bosc_ctx *ctx = plain_context();
    for (int s = 0; s < SAMPLES; s++) {
        struct generated g = generate(ctx, samples[s]);
        uint64_t hash[3] = {bi_xxh3(g.u, (size_t)g.m * 8), bi_xxh3(g.v, (size_t)g.m * 8),
                            bi_xxh3(g.weights, (size_t)g.m * 8)};
        uint64_t all = bi_xxh3(hash, sizeof hash);
        if (g.n != known[s].n || g.m != known[s].m || all != known[s].hash)
            suite_fail(__FILE__, __LINE__, "sample %d is {%lld, %lld, 0x%016llx}", s, (long long)g.n, (long long)g.m,
                       (unsigned long long)all);
        release(&g);
    }
    bosc_ctx_free(ctx);
}

/* Sizes at which little or nothing remains. */
static void smallest_sizes(bosc_ctx *ctx)
{
    for (int kind = 0; kind < KINDS; kind++)
        for (int64_t n = 0; n < 12; n++) {
            const bool pairs = kind == BOSC_GRAPH_RANDOM || kind == BOSC_GRAPH_RMAT || kind == BOSC_GRAPH_HUBS ||
                               kind == BOSC_GRAPH_BIPARTITE || kind == BOSC_GRAPH_EQUAL;
            struct generated g =
                generate(ctx, (bosc_graph_generate_opts){
                                  .kind = (bosc_graph_kind)kind, .seed = 1, .n = n, .m = pairs && n < 2 ? 0 : n});
            if (kind == BOSC_GRAPH_RANDOM || kind >= BOSC_GRAPH_GEOMETRIC || kind == BOSC_GRAPH_SSCA2) CHECK_EQ(g.n, n);
            if (kind == BOSC_GRAPH_STAR || kind == BOSC_GRAPH_PATH || kind == BOSC_GRAPH_TREES)
                CHECK_EQ(g.m, n > 0 ? n - 1 : 0);
            if (kind == BOSC_GRAPH_GRID) CHECK_EQ(g.n, n < 1 ? 0 : n < 4 ? 1 : n < 9 ? 4 : 9);
            if (kind == BOSC_GRAPH_RMAT) CHECK_EQ(g.n, n < 3 ? n : n < 5 ? 4 : n < 9 ? 8 : 16);
            if (kind == BOSC_GRAPH_ROAD) CHECK((n == 0) == (g.n == 0));
            if (pairs) CHECK_EQ(g.m, n < 2 ? 0 : n);
            release(&g);
        }
}

static void weights(void)
{
    /* Single values, small ranges, and the limits of the type. */
    static const int64_t ranges[][2] = {{0, 0},
                                        {5, 5},
                                        {-1, 0},
                                        {1, 100},
                                        {INT64_MIN, INT64_MAX},
                                        {INT64_MIN, INT64_MIN + 1},
                                        {INT64_MAX - 2, INT64_MAX}};
    enum { M = 20000 };
    bosc_ctx *ctx = plain_context();
    for (size_t k = 0; k < sizeof ranges / sizeof ranges[0]; k++) {
        struct generated g = generate(
            ctx, (bosc_graph_generate_opts){.seed = k, .n = 100, .m = M, .least = ranges[k][0], .most = ranges[k][1]});
        int64_t least = k ? ranges[k][0] : 1, most = k ? ranges[k][1] : (1 << 24) - 1;
        double mean = 0, expected = ((double)least + (double)most) / 2, width = (double)most - (double)least;
        bool ends[2] = {false, false};
        /* All weights are in range, their mean is in the middle, and small ranges reach both ends. */
        for (int64_t i = 0; i < M; i++) {
            CHECK(g.weights[i] >= least && g.weights[i] <= most);
            ends[0] |= g.weights[i] == least;
            ends[1] |= g.weights[i] == most;
            mean += ((double)g.weights[i] - expected) / M;
        }
        CHECK(fabs(mean) <= 0.02 * width);
        if (width < 1000) CHECK(ends[0] && ends[1]);
        release(&g);
    }
    bosc_ctx_free(ctx);
}

/* Degrees of G(n, m) are close to Poisson's: mean and variance 2 m / n. */
static void random_degrees(void)
{
    bosc_ctx *ctx = plain_context();
    struct generated g = generate(ctx, (bosc_graph_generate_opts){.seed = 3, .n = 20000, .m = 100000});
    int64_t *degrees = degrees_of(&g);
    double variance = 0;
    for (int64_t u = 0; u < g.n; u++) variance += ((double)degrees[u] - 10) * ((double)degrees[u] - 10) / (double)g.n;
    CHECK(fabs(variance - 10) < 0.5);
    free(degrees);
    release(&g);
    bosc_ctx_free(ctx);
}

/* RMAT probabilities: on the highest level .45, .3 and .25 of the pairs have no, one or both ends in the upper half;
 * the same holds for the next level within a quadrant. */
static void rmat_quadrants(void)
{
    bosc_ctx *ctx = plain_context();
    enum { M = 100000, N = 1 << 12 };
    struct generated g =
        generate(ctx, (bosc_graph_generate_opts){.kind = BOSC_GRAPH_RMAT, .seed = 3, .n = N - 7, .m = M});
    CHECK_EQ(g.n, N);
    CHECK_EQ(g.m, M);
    double top[3] = {0}, next[3] = {0};
    for (int64_t i = 0; i < M; i++) {
        top[(g.u[i] >= N / 2) + (g.v[i] >= N / 2)] += 1;
        if (g.v[i] < N / 2) next[(g.u[i] >= N / 4) + (g.v[i] >= N / 4)] += 1;
    }
    double all = next[0] + next[1] + next[2];
    static const double share[3] = {0.45, 0.3, 0.25};
    for (int k = 0; k < 3; k++) CHECK(fabs(top[k] / M - share[k]) < 0.01 && fabs(next[k] / all - share[k]) < 0.015);
    release(&g);
    bosc_ctx_free(ctx);
}

static void grid_edges(bosc_ctx *ctx)
{
    for (int64_t side = 1; side < 9; side++) {
        struct generated g = generate(
            ctx, (bosc_graph_generate_opts){.kind = BOSC_GRAPH_GRID, .n = side * side + 2 * (side > 1), .m = 5});
        CHECK_EQ(g.n, side * side);
        CHECK_EQ(g.m, 2 * side * (side - 1));
        bool seen[2][64] = {{false}};
        for (int64_t i = 0; i < g.m; i++) {
            bool down = g.v[i] - g.u[i] == side && side > 1;
            CHECK(down || (g.v[i] - g.u[i] == 1 && g.v[i] % side != 0));
            CHECK(!seen[down][g.u[i]]);
            seen[down][g.u[i]] = true;
        }
        release(&g);
    }
}

/* Like road networks: 1.2 edges a vertex, most vertices of degree 2, none above 4. */
static void road_degrees(void)
{
    bosc_ctx *ctx = plain_context();
    struct generated g = generate(ctx, (bosc_graph_generate_opts){.kind = BOSC_GRAPH_ROAD, .seed = 5, .n = 50000});
    int64_t *degrees = degrees_of(&g), count[5] = {0};
    CHECK(fabs((double)g.n / 50000 - 1) < 0.05);
    CHECK(fabs((double)g.m / (double)g.n - 1.217) < 0.02);
    for (int64_t u = 0; u < g.n; u++) {
        CHECK(degrees[u] <= 4);
        count[degrees[u]]++;
    }
    CHECK(count[2] > g.n / 2 && count[3] > g.n / 20 && count[4] > g.n / 20 && count[0] < g.n / 100);
    free(degrees);
    release(&g);
    bosc_ctx_free(ctx);
}

/* Half of a clique's edges lead to earlier vertices: (25.5 - 4.5) / 4.5 / 2 pairs a vertex for sizes 1 to 8, of 2 edges
 * each in the mean, and about one edge that leaves the clique. */
static void clique_degrees(void)
{
    bosc_ctx *ctx = plain_context();
    struct generated g = generate(ctx, (bosc_graph_generate_opts){.kind = BOSC_GRAPH_SSCA2, .seed = 5, .n = 20000});
    int64_t *degrees = degrees_of(&g), isolated = 0;
    CHECK_EQ(g.n, 20000);
    CHECK((double)g.m / 20000 > 5.0 && (double)g.m / 20000 < 5.8);
    for (int64_t u = 0; u < g.n; u++) isolated += degrees[u] == 0;
    CHECK(isolated < g.n / 50);
    free(degrees);
    release(&g);
    bosc_ctx_free(ctx);
}

static int ascending(const void *x, const void *y)
{
    int64_t a = *(const int64_t *)x, b = *(const int64_t *)y;
    return (a > b) - (a < b);
}

/* The edges are the shortest of all pairs of points. */
static void geometric_edges_are_shortest(bosc_ctx *ctx)
{
    static const int64_t sizes[][2] = {{2, 1}, {3, 2}, {60, 0}, {60, 3}, {60, 700}, {60, 1770}, {200, 400}};
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
        int64_t n = sizes[k][0], pairs = n * (n - 1) / 2, p = 0;
        struct generated g = generate(
            ctx, (bosc_graph_generate_opts){.kind = BOSC_GRAPH_GEOMETRIC, .seed = k, .n = n, .m = sizes[k][1]});
        int64_t *lengths = suite_alloc((size_t)pairs * 8);
        double x[200], y[200];
        /* 1. The generator's points, from its stream of random numbers. */
        for (int64_t i = 0; i < n; i++) {
            struct bi_philox b = bi_philox_at(k, 0xb05c6a9600000000u | 5u << 24, (uint64_t)i);
            x[i] = (double)(((uint64_t)b.v[0] << 32 | b.v[1]) >> 11) * 0x1p-53;
            y[i] = (double)(((uint64_t)b.v[2] << 32 | b.v[3]) >> 11) * 0x1p-53;
        }
        /* 2. Lengths of all pairs; volatile keeps the compiler from fusing. */
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = 0; j < i; j++) {
                volatile double a = (x[i] - x[j]) * (x[i] - x[j]), b = (y[i] - y[j]) * (y[i] - y[j]);
                lengths[p++] = (int64_t)rint(sqrt(a + b) * 0x1p24);
            }
        /* 3. The graph's weights are the first of the sorted lengths. */
        qsort(lengths, (size_t)pairs, 8, ascending);
        if (g.m) qsort(g.weights, (size_t)g.m, 8, ascending);
        CHECK(g.m <= pairs);
        for (int64_t i = 0; i < g.m; i++) CHECK_EQ(g.weights[i], lengths[i]);
        if (sizes[k][1] == pairs) CHECK_EQ(g.m, pairs);
        if (n == 200) CHECK(g.m > 300 && g.m < 520);
        free(lengths);
        release(&g);
    }
}

/* The mean number of edges is close to the requested one. */
static void edge_count_near_request(void)
{
    bosc_ctx *ctx = plain_context();
    struct generated g = generate(ctx, (bosc_graph_generate_opts){.kind = BOSC_GRAPH_GEOMETRIC, .seed = 1, .n = 10000});
    CHECK(fabs((double)g.m / 40000 - 1) < 0.03);
    release(&g);
    g = generate(ctx, (bosc_graph_generate_opts){.kind = BOSC_GRAPH_GEOMETRIC, .seed = 1, .n = 1000, .m = 250000});
    CHECK(fabs((double)g.m / 250000 - 1) < 0.05);
    release(&g);
    bosc_ctx_free(ctx);
}

/* ---- shapes ---- */

static void star_edges(bosc_ctx *ctx)
{
    struct generated g = generate(ctx, (bosc_graph_generate_opts){.kind = BOSC_GRAPH_STAR, .n = 500});
    for (int64_t i = 0; i < g.m; i++) CHECK(g.u[i] == 0 && g.v[i] == i + 1);
    release(&g);
}

/* The root of vertex v, after the edges of g joined their ends. */
static int64_t root_of(int64_t *above, int64_t v)
{
    while (above[v] != v) v = above[v] = above[above[v]];
    return v;
}

/* Joins the ends of all edges; returns the number of edges whose ends were apart. */
static int64_t join_edges(const struct generated *g, int64_t *above)
{
    int64_t joined = 0;
    for (int64_t v = 0; v < g->n; v++) above[v] = v;
    for (int64_t i = 0; i < g->m; i++) {
        const int64_t a = root_of(above, g->u[i]), b = root_of(above, g->v[i]);
        joined += a != b;
        above[a] = b;
    }
    return joined;
}

/* One path through all vertices: no degree above 2, two ends, connected. Neighbours and edges are in no order. */
static void path_is_one_path(bosc_ctx *ctx)
{
    for (int64_t n = 2; n < 3000; n = 3 * n + 1) {
        struct generated g = generate(ctx, (bosc_graph_generate_opts){.kind = BOSC_GRAPH_PATH, .seed = 3, .n = n});
        int64_t *degrees = degrees_of(&g), *above = suite_alloc((size_t)n * sizeof *above), ends = 0, steps = 0;
        CHECK(g.n == n && g.m == n - 1 && join_edges(&g, above) == n - 1);
        for (int64_t v = 0; v < n; v++) {
            CHECK(degrees[v] == 1 || degrees[v] == 2);
            ends += degrees[v] == 1;
        }
        CHECK_EQ(ends, 2);
        for (int64_t i = 0; i < g.m; i++) steps += g.v[i] - g.u[i] == 1;
        if (n > 500) CHECK(steps < n / 50);
        free(degrees);
        free(above);
        release(&g);
    }
}

/* Trees of 16 vertices and a smaller one: components of these sizes without a cycle. */
static void trees_are_small(bosc_ctx *ctx)
{
    enum { N = 16 * 40 + 5 };
    struct generated g = generate(ctx, (bosc_graph_generate_opts){.kind = BOSC_GRAPH_TREES, .seed = 3, .n = N});
    int64_t above[N], sizes[N] = {0}, full = 0, small = 0;
    CHECK(g.n == N && g.m == N - 41 && join_edges(&g, above) == g.m);
    for (int64_t v = 0; v < N; v++) sizes[root_of(above, v)]++;
    for (int64_t v = 0; v < N; v++) {
        CHECK(sizes[v] == 0 || sizes[v] == 16 || sizes[v] == 5);
        full += sizes[v] == 16;
        small += sizes[v] == 5;
    }
    CHECK(full == 40 && small == 1);
    release(&g);
}

/* Each edge has a hub among the first sqrt(n) vertices; vertex 0 is the hub of 1 / (1 + 1/2 + ... + 1/100) of them. */
static void hubs_have_most_edges(void)
{
    enum { N = 10000 };
    bosc_ctx *ctx = plain_context();
    struct generated g = generate(ctx, (bosc_graph_generate_opts){.kind = BOSC_GRAPH_HUBS, .seed = 3, .n = N});
    int64_t *degrees = degrees_of(&g), others = 0;
    CHECK(g.n == N && g.m == 4 * N);
    for (int64_t i = 0; i < g.m; i++) CHECK(g.u[i] < 100);
    for (int v = 1; v <= 4; v *= 2) CHECK(fabs((double)degrees[v - 1] / (4 * N / (5.18738 * v)) - 1) < 0.05);
    for (int64_t v = 100; v < N; v++) others += degrees[v];
    CHECK(others > 0.98 * 4 * N);
    free(degrees);
    release(&g);
    bosc_ctx_free(ctx);
}

static void bipartite_sides(bosc_ctx *ctx)
{
    for (int64_t n = 2; n < 40; n += 37) {
        struct generated g = generate(ctx, (bosc_graph_generate_opts){.kind = BOSC_GRAPH_BIPARTITE, .seed = 3, .n = n});
        CHECK_EQ(g.m, 4 * n);
        for (int64_t i = 0; i < g.m; i++) CHECK(g.u[i] < n / 2 && g.v[i] >= n / 2);
        release(&g);
    }
}

static void equal_weights(bosc_ctx *ctx)
{
    for (int64_t w = -3; w < 4; w += 3) {
        struct generated g = generate(
            ctx, (bosc_graph_generate_opts){.kind = BOSC_GRAPH_EQUAL, .n = 50, .m = 200, .least = w, .most = w});
        for (int64_t i = 0; i < g.m; i++) CHECK_EQ(g.weights[i], w ? w : 1);
        release(&g);
    }
    const bosc_graph_generate_opts bad = {
        .size = sizeof bad, .kind = BOSC_GRAPH_EQUAL, .n = 50, .m = 200, .least = 1, .most = 2};
    CHECK_ARG(ctx, bosc_graph_generate(ctx, &bad, NULL, NULL, NULL, NULL, NULL, 0), "opts: least");
}

static void bad_arguments(bosc_ctx *ctx)
{
    const bosc_graph_generate_opts good = {.size = sizeof good, .n = 10, .m = 20};
    static const size_t sizes[] = {0, 1, 7, sizeof good + 1, SIZE_MAX};
    static const int kinds[] = {-1, 12, 1000}, id_bits[] = {1, 31, 33, 128, -32};
    static const int64_t negative[] = {-1, INT64_MIN};
    static const int64_t large[] = {UINT32_MAX, INT64_MAX};
    int64_t n = 5, m = 5, u[20], v[20], w[20];
#define GENERATE(o) bosc_graph_generate(ctx, &(o), &n, &m, u, v, w, 20)
    CHECK_EQ(bosc_graph_generate(NULL, &good, &n, &m, u, v, w, 20), BOSC_ERR_ARG);
    CHECK_ARG(ctx, bosc_graph_generate(ctx, NULL, &n, &m, u, v, w, 20), "opts");
    CHECK_ARG(ctx, bosc_graph_generate(ctx, &good, &n, &m, u, v, w, -1), "capacity");
    CHECK_ARG(ctx, bosc_graph_generate(ctx, &good, &n, &m, (char *)u + 4, v, w, 20), "u");
    CHECK_ARG(ctx, bosc_graph_generate(ctx, &good, &n, &m, u, (char *)v + 1, w, 20), "v");
    CHECK_ARG(ctx, bosc_graph_generate(ctx, &good, &n, &m, u, v, (int64_t *)((char *)w + 4), 20), "weights");
    for (size_t i = 0; i < 5; i++) {
        bosc_graph_generate_opts o = good, p = good;
        o.size = sizes[i];
        p.id_bits = id_bits[i];
        CHECK_ARG(ctx, GENERATE(o), "opts: size");
        CHECK_ARG(ctx, GENERATE(p), "opts: id_bits");
    }
    for (size_t i = 0; i < 3; i++) {
        bosc_graph_generate_opts o = good;
        o.kind = (bosc_graph_kind)kinds[i];
        CHECK_ARG(ctx, GENERATE(o), "opts: kind");
    }
    for (int kind = 0; kind < KINDS; kind++)
        for (size_t i = 0; i < 2; i++) {
            bosc_graph_generate_opts o = good, p = good;
            o.kind = p.kind = (bosc_graph_kind)kind;
            o.n = negative[i];
            p.m = negative[i];
            CHECK_ARG(ctx, GENERATE(o), "opts: n");
            CHECK_ARG(ctx, GENERATE(p), "opts: m");
            o.n = large[i];
            p.m = INT64_MAX - (int64_t)i;
            CHECK_STATUS(ctx, GENERATE(o), BOSC_ERR_LIMIT);
            CHECK_STATUS(ctx, GENERATE(p), BOSC_ERR_LIMIT);
        }
    bosc_graph_generate_opts o = good;
    o.least = 3;
    o.most = 2;
    CHECK_ARG(ctx, GENERATE(o), "opts: least");
    o = good;
    for (o.n = 0; o.n < 2; o.n++) CHECK_ARG(ctx, GENERATE(o), "opts: n");
    o.kind = BOSC_GRAPH_RMAT;
    o.n = ((int64_t)1 << 31) + 1; /* rounded up it is too large */
    CHECK_STATUS(ctx, GENERATE(o), BOSC_ERR_LIMIT);
    o.kind = BOSC_GRAPH_SSCA2;
    o.n = 10;
    o.m = 65537;
    CHECK_STATUS(ctx, GENERATE(o), BOSC_ERR_LIMIT);
    CHECK(n == 5 && m == 5);
#undef GENERATE
}

/* A capacity too small leaves the outputs unchanged. */
static void room(bosc_ctx *ctx)
{
    for (int s = 0; s < SAMPLES; s++) {
        bosc_graph_generate_opts o = samples[s];
        int64_t n = 0, m = 0, none = -9, one[2] = {7, 7};
        o.size = sizeof o;
        CHECK_OK(ctx, bosc_graph_generate(ctx, &o, &n, &m, NULL, NULL, NULL, 0));
        CHECK(m > 1);
        CHECK_STATUS(ctx, bosc_graph_generate(ctx, &o, &none, &none, one, NULL, NULL, m - 1), BOSC_ERR_SPACE);
        CHECK_STATUS(ctx, bosc_graph_generate(ctx, &o, &none, &none, NULL, NULL, one, 0), BOSC_ERR_SPACE);
        CHECK(none == -9 && one[0] == 7 && one[1] == 7 && suite_begins(bosc_ctx_message(ctx), "capacity: 0 elements"));
    }
}

enum { ROOM = 400 };
static int64_t made[3 * ROOM];
static int faulty_kind;

static bosc_status call(bosc_ctx *ctx, void *user)
{
    (void)user;
    bosc_graph_generate_opts o = {.size = sizeof o, .kind = (bosc_graph_kind)faulty_kind, .n = 40, .m = 5};
    return bosc_graph_generate(ctx, &o, NULL, NULL, made, made + ROOM, made + 2 * ROOM, ROOM);
}

static void prepare(void *user)
{
    (void)user;
    memset(made, 0x33, sizeof made);
}

static bool untouched(void *user)
{
    (void)user;
    for (int i = 0; i < 3 * ROOM; i++)
        if (made[i] != 0x3333333333333333) return false;
    return true;
}

static bool right(void *user)
{
    (void)user;
    return made[0] >= 0 && made[0] < made[ROOM];
}

static void faults(bosc_ctx *ctx)
{
    for (faulty_kind = 0; faulty_kind < KINDS; faulty_kind++) {
        struct fault_sweep sweep = {.call = call, .prepare = prepare, .untouched = untouched, .right = right};
        fault_sweep(ctx, &sweep);
    }
}

static const struct suite_case suite_cases_generate[] = {
    {"same bits", same_bits, NULL},
    {"every version", NULL, golden},
    {"small", smallest_sizes, NULL},
    {"weights", NULL, weights},
    {"random degrees", NULL, random_degrees},
    {"rmat quadrants", NULL, rmat_quadrants},
    {"grid edges", grid_edges, NULL},
    {"road degrees", NULL, road_degrees},
    {"clique degrees", NULL, clique_degrees},
    {"all near", geometric_edges_are_shortest, NULL},
    {"near enough", NULL, edge_count_near_request},
    {"star", star_edges, NULL},
    {"path", path_is_one_path, NULL},
    {"small trees", trees_are_small, NULL},
    {"hubs", NULL, hubs_have_most_edges},
    {"bipartite", bipartite_sides, NULL},
    {"equal weights", equal_weights, NULL},
    {"bad arguments", bad_arguments, NULL},
    {"capacity", room, NULL},
    {"faults", faults, NULL},
};
SUITE(generate);
