/* Forests and components of edge lists equal those of the graph built from the same edges, with all its options. */
#include "cases/graph/graph_data.h"

#include <boscage/forest.h>
#include <math.h>
#include <stdio.h>

static const bosc_dtype types[] = {BOSC_U32, BOSC_I32, BOSC_F32, BOSC_U64, BOSC_I64, BOSC_F64};

struct answer {
    bosc_status status;
    char message[200];
    int64_t edges[1800], labels[1800], parts;
    bosc_msf_info info;
};

static void init_answer(struct answer *a)
{
    memset(a, 0, sizeof *a);
    a->info.size = sizeof a->info;
    memset(a->edges, 0x55, sizeof a->edges);
    memset(a->labels, 0x55, sizeof a->labels);
}

static void record_status(bosc_ctx *ctx, struct answer *a, bosc_status status)
{
    a->status = status;
    strncpy(a->message, bosc_ctx_message(ctx), sizeof a->message - 1);
}

static void compute_from_graph(bosc_ctx *ctx, const bosc_graph_opts *o, const bosc_msf_opts *opts,
                               const struct graph_entries *e, bool forest, struct answer *a)
{
    bosc_graph *graph = NULL;
    init_answer(a);
    CHECK_OK(ctx, bosc_graph_create(ctx, o, &graph));
    bosc_status status = graph_build(ctx, o, graph, e, false);
    if (!status && forest) status = bosc_msf_compute(ctx, graph, opts, a->edges, a->labels, &a->info);
    if (!status && !forest) status = bosc_components_compute(ctx, graph, opts, a->labels, &a->parts);
    record_status(ctx, a, status);
    bosc_graph_free(graph);
}

static void compute_from_edges(bosc_ctx *ctx, const bosc_graph_opts *o, const bosc_msf_opts *opts,
                               const struct graph_entries *e, bool on_device, bool forest, struct answer *a)
{
    struct array u = graph_ids(ctx, o, e->u, e->m, on_device), v = graph_ids(ctx, o, e->v, e->m, on_device);
    struct array w = array_make(ctx, e->weights, (size_t)e->m * bosc_dtype_size(e->dtype), on_device);
    init_answer(a);
    record_status(ctx, a,
                  forest
                      ? bosc_msf_compute_edges(ctx, o, opts, u.p, v.p, w.p, e->n, e->m, a->edges, a->labels, &a->info)
                      : bosc_components_compute_edges(ctx, o, opts, u.p, v.p, w.p, e->n, e->m, a->labels, &a->parts));
    array_free(ctx, &u);
    array_free(ctx, &v);
    array_free(ctx, &w);
}

static void check_same(bosc_ctx *ctx, const bosc_graph_opts *o, const bosc_msf_opts *opts,
                       const struct graph_entries *e, bool on_device)
{
    static struct answer want, got;
    for (int forest = 0; forest < 2; forest++) {
        compute_from_graph(ctx, o, opts, e, forest, &want);
        compute_from_edges(ctx, o, opts, e, on_device, forest, &got);
        got.info.rounds = want.info.rounds; /* rounds of Boruvka: an edge list may take none */
        CHECK(got.status == want.status && strcmp(got.message, want.message) == 0);
        CHECK(memcmp(&got, &want, sizeof got) == 0);
    }
}

/* Follows every entry by its reverse, with the same weight. */
static void pair_up(struct graph_entries *e)
{
    const size_t size = bosc_dtype_size(e->dtype);
    for (int64_t i = 0; i + 1 < e->m; i += 2) {
        if (e->u[i] == e->v[i]) e->v[i] = (e->u[i] + 1) % e->n;
        e->u[i + 1] = e->v[i];
        e->v[i + 1] = e->u[i];
        memcpy((char *)e->weights + (size_t)(i + 1) * size, (char *)e->weights + (size_t)i * size, size);
    }
}

/* Random combinations of graph and forest options, on entries of every shape and type. */
static void random_options(bosc_ctx *ctx)
{
    struct suite_random r = {1};
    const int trials = suite_slow(ctx) ? 60 : 400;
    for (int trial = 0; trial < trials; trial++) {
        if (suite_leaves_out()) continue;
        /* An even number of entries: pair_up uses them two by two. */
        const int64_t n = 2 + (int64_t)suite_below(&r, 120), m = 2 * (int64_t)suite_below(&r, 220);
        struct graph_entries e = graph_make(suite_next(&r), (enum graph_shape)suite_below(&r, GRAPH_SHAPES), n, m,
                                            types[suite_below(&r, 6)], (enum pattern)suite_below(&r, PATTERNS));
        bosc_graph_opts o = {.size = sizeof o,
                             .weight = e.dtype,
                             .id_bits = suite_below(&r, 2) ? 64 : 32,
                             .arcs = (bosc_graph_arcs)(suite_below(&r, 3) == 0),
                             .parallel = (bosc_graph_parallel)(suite_below(&r, 2) ? 0 : suite_below(&r, 4)),
                             .nan = (bosc_graph_nan)suite_below(&r, 3),
                             .drop_loops = (int32_t)suite_below(&r, 2),
                             .wide = suite_below(&r, 5) == 0};
        bosc_msf_opts f = {.size = sizeof f, .maximum = (int32_t)suite_below(&r, 2)};
        uint8_t vertices[130], edges[440];
        /* Masks that drop one vertex and one edge in six. */
        for (int i = 0; i < 130; i++) vertices[i] = suite_below(&r, 6) > 0;
        for (int i = 0; i < 440; i++) edges[i] = suite_below(&r, 6) > 0;
        if (suite_below(&r, 3) == 0) f.vertex_mask = vertices;
        if (suite_below(&r, 3) == 0) f.edge_mask = edges;
        if (suite_below(&r, 5) == 0) f.trees = 3;
        /* Paired arcs are valid, others must be refused by both in the same words. */
        if (o.arcs == BOSC_GRAPH_ARCS_BOTH && suite_below(&r, 5)) {
            pair_up(&e);
            o.assume_valid = o.nan != BOSC_GRAPH_NAN_REFUSE && suite_below(&r, 2);
        }
        check_same(ctx, &o, &f, &e, suite_below(&r, 2));
        graph_free_entries(&e);
    }
}

/* Many edges a vertex; light edges join most vertices. The vertices exceed the bits of the emulator's kernels; the CPU
 * filters lists of more than 4,096 entries. */
static void more_vertices_than_bitmap(bosc_ctx *ctx)
{
    struct suite_random r = {2};
    const int trials = suite_slow(ctx) ? 24 : 80;
    for (int trial = 0; trial < trials; trial++) {
        if (suite_leaves_out()) continue;
        const int64_t more = trial % 2 && !suite_slow(ctx) ? 1400 : 40, n = more + (int64_t)suite_below(&r, 400),
                      m = n * (3 + (int64_t)suite_below(&r, 5));
        struct graph_entries e = graph_make(suite_next(&r), (enum graph_shape)suite_below(&r, GRAPH_SHAPES), n, m,
                                            types[suite_below(&r, 6)], (enum pattern)suite_below(&r, PATTERNS));
        const bosc_graph_opts o = {.size = sizeof o, .weight = e.dtype, .id_bits = suite_below(&r, 2) ? 64 : 32};
        const bosc_msf_opts f = {.size = sizeof f};
        check_same(ctx, &o, &f, &e, suite_below(&r, 2));
        graph_free_entries(&e);
    }
}

/* Only the last of the entries is invalid; there are enough of them for several blocks. */
static void refused_last(bosc_ctx *ctx)
{
    enum { MOST = 400 };
    const bosc_graph_opts o = {.size = sizeof o, .weight = BOSC_F32, .id_bits = 32};
    uint32_t u[MOST], v[MOST], edges[MOST] = {7}, labels[MOST] = {7};
    float w[MOST];
    for (int fault = 0; fault < 6; fault++) {
        const int m = fault < 3 ? 180 : MOST;
        char entry[32];
        snprintf(entry, sizeof entry, "entry %d is", m - 1);
        for (int i = 0; i < m; i++) u[i] = (uint32_t)i / 3, v[i] = (uint32_t)i / 2, w[i] = (float)(i % 7);
        if (fault % 3 == 0) u[m - 1] = (uint32_t)m;
        if (fault % 3 == 1) v[m - 1] = (uint32_t)m;
        if (fault % 3 == 2) w[m - 1] = NAN;
        CHECK_STATUS(ctx, bosc_msf_compute_edges(ctx, &o, NULL, u, v, w, m, m, edges, labels, NULL), BOSC_ERR_DATA);
        CHECK(strstr(bosc_ctx_message(ctx), entry) && edges[0] == 7 && labels[0] == 7);
    }
}

/* Invalid entries are refused by their number. */
static void refused(bosc_ctx *ctx)
{
    int64_t u[] = {0, 1, 2, 0}, v[] = {1, 2, 0, 2}, labels[3] = {7, 7, 7}, edges[2] = {7, 7}, count = 7;
    float w[] = {1, 2, 3, 4};
    const bosc_graph_opts o = {.size = sizeof o, .weight = BOSC_F32};
    bosc_graph_opts bad = o;
#define BOTH(expected, opts, n, m)                                                                                  \
    do {                                                                                                            \
        CHECK_STATUS(ctx, bosc_msf_compute_edges(ctx, opts, NULL, u, v, w, n, m, edges, labels, NULL), expected);   \
        CHECK_STATUS(ctx, bosc_components_compute_edges(ctx, opts, NULL, u, v, w, n, m, labels, &count), expected); \
        CHECK(count == 7 && labels[0] == 7 && labels[2] == 7 && edges[0] == 7);                                     \
    } while (0)
    u[2] = 3;
    BOTH(BOSC_ERR_DATA, &o, 3, 4);
    CHECK(suite_begins(bosc_ctx_message(ctx), "u: entry 2 is 3"));
    u[2] = 2;
    v[3] = -1;
    BOTH(BOSC_ERR_DATA, &o, 3, 4);
    CHECK(suite_begins(bosc_ctx_message(ctx), "v: entry 3 is -1"));
    v[3] = 2;
    w[1] = NAN;
    BOTH(BOSC_ERR_DATA, &o, 3, 4);
    CHECK(suite_begins(bosc_ctx_message(ctx), "weights: entry 1"));
    w[1] = 2;
    BOTH(BOSC_ERR_ARG, &o, -1, 4);
    BOTH(BOSC_ERR_ARG, &o, 3, -4);
    BOTH(BOSC_ERR_LIMIT, &o, UINT32_MAX, 4);
    bad.id_bits = 16;
    BOTH(BOSC_ERR_ARG, &bad, 3, 4);
#undef BOTH
    CHECK_EQ(bosc_msf_compute_edges(NULL, &o, NULL, u, v, w, 3, 4, edges, labels, NULL), BOSC_ERR_ARG);
    CHECK_EQ(bosc_components_compute_edges(NULL, &o, NULL, u, v, w, 3, 4, labels, &count), BOSC_ERR_ARG);
    CHECK_ARG(ctx, bosc_msf_compute_edges(ctx, &o, NULL, NULL, v, w, 3, 4, edges, labels, NULL), "u");
    CHECK_ARG(ctx, bosc_components_compute_edges(ctx, &o, NULL, u, NULL, w, 3, 4, labels, &count), "v");
    CHECK_ARG(ctx, bosc_msf_compute_edges(ctx, &o, NULL, u, v, (float *)((char *)w + 1), 3, 4, edges, labels, NULL),
              "weights");
    CHECK_ARG(ctx, bosc_msf_compute_edges(ctx, &o, NULL, u, v, w, 3, 4, (char *)edges + 1, labels, NULL), "edges");
    CHECK_ARG(ctx, bosc_components_compute_edges(ctx, &o, NULL, u, v, w, 3, 4, (char *)labels + 1, &count), "labels");
    CHECK_OK(ctx, bosc_msf_compute_edges(ctx, &o, NULL, u, v, NULL, 3, 4, edges, NULL, NULL)); /* weights: all 1 */
    CHECK(edges[0] == 0 && edges[1] == 1);
    CHECK_OK(ctx, bosc_components_compute_edges(ctx, NULL, NULL, NULL, NULL, NULL, 0, 0, NULL, &count));
    CHECK_EQ(count, 0);
}

/* Entries whose weights descend, each or two by two, among equal ones. */
static void descending_weights(bosc_ctx *ctx)
{
    enum { VERTICES = 40, ENTRIES = 200 };
    for (int trial = 0; trial < 24; trial++) {
        const bosc_dtype type = types[trial % 6];
        const int ties = 1 + trial / 6 % 2;
        struct graph_entries e =
            graph_make((uint64_t)trial, (enum graph_shape)0, VERTICES, ENTRIES, type, (enum pattern)0);
        const bosc_graph_opts o = {.size = sizeof o, .weight = type, .id_bits = 32};
        const bosc_msf_opts f = {.size = sizeof f, .maximum = trial / 12};
        for (int64_t i = 0; i < e.m; i++) {
            const int64_t weight = (f.maximum ? i : e.m - i) / ties;
            if (type == BOSC_F32) ((float *)e.weights)[i] = (float)weight;
            if (type == BOSC_F64) ((double *)e.weights)[i] = (double)weight;
            if (type == BOSC_I32 || type == BOSC_U32) ((int32_t *)e.weights)[i] = (int32_t)weight;
            if (type == BOSC_I64 || type == BOSC_U64) ((int64_t *)e.weights)[i] = weight;
        }
        check_same(ctx, &o, &f, &e, false);
        graph_free_entries(&e);
    }
}

/* All edges of a path are in its forest: those at the ends of blocks too. */
static void long_path(bosc_ctx *ctx)
{
    enum { EDGES = 1500 };
    struct suite_random r = {7};
    uint32_t u[EDGES], v[EDGES], found[EDGES];
    double weights[EDGES];
    for (uint32_t i = 0; i < EDGES; i++) {
        u[i] = i;
        v[i] = i + 1;
        weights[i] = suite_unit(&r);
    }
    const bosc_graph_opts o = {.size = sizeof o, .weight = BOSC_F64, .id_bits = 32};
    bosc_msf_info info = {.size = sizeof info};
    CHECK_OK(ctx, bosc_msf_compute_edges(ctx, &o, NULL, u, v, weights, EDGES + 1, EDGES, found, NULL, &info));
    CHECK_EQ(info.edges, EDGES);
    for (uint32_t i = 0; i < EDGES; i++) CHECK_EQ(found[i], i);
}

static const struct suite_case suite_cases_msf_edges[] = {
    {"options", random_options, NULL}, {"dense", more_vertices_than_bitmap, NULL},
    {"refused", refused, NULL},        {"refused_last", refused_last, NULL},
    {"long_path", long_path, NULL},    {"descending_weights", descending_weights, NULL},
};
SUITE(msf_edges);
