/* Verification of forests: the right one is accepted; each kind of wrong one is refused, with the right edge. */
#include "cases/forest/forest_data.h"

#include "support/arrays.h"

/* bosc_msf_verify must report the same fault as the reference. */
static void check(bosc_ctx *ctx, const bosc_graph *graph, const struct reference_edges *e, const bosc_msf_opts *opts,
                  const int64_t *ids, int64_t count, int32_t id_bits, enum reference_fault fault)
{
    static const char *const words[] = {"", "is no edge", "more than once", "a cycle", "two trees", "lighter"};
    int64_t right = -77, edge = -77;
    void *given = forest_narrow(ids, count, id_bits);
    CHECK_EQ(reference_verify(e, opts, ids, count, &right), fault);
    CHECK_STATUS(ctx, bosc_msf_verify(ctx, graph, opts, given, count, &edge), fault ? BOSC_ERR_DATA : BOSC_OK);
    CHECK_EQ(edge, right);
    CHECK(strstr(bosc_ctx_message(ctx), words[fault]) != NULL);
    CHECK_STATUS(ctx, bosc_msf_verify(ctx, graph, opts, given, count, NULL), fault ? BOSC_ERR_DATA : BOSC_OK);
    free(given);
}

static void shuffle(struct suite_random *r, int64_t *ids, int64_t count)
{
    for (int64_t i = count - 1; i > 0; i--) {
        int64_t j = (int64_t)suite_below(r, (uint64_t)i + 1), t = ids[i];
        ids[i] = ids[j];
        ids[j] = t;
    }
}

/* A valid edge outside ids, no self loop; -1 if there is none. */
static int64_t find_other(struct suite_random *r, const struct reference_edges *e, const bosc_msf_opts *o,
                          const int64_t *ids, int64_t count, bool loop)
{
    for (int tries = 0; tries < 100 && e->m; tries++) {
        int64_t i = (int64_t)suite_below(r, (uint64_t)e->m), k = 0;
        if (o->edge_mask && !o->edge_mask[i]) continue;
        while (k < count && ids[k] != i) k++;
        if (k == count && (e->u[i] == e->v[i]) == loop) return i;
    }
    return -1;
}

/* The forest of a graph, whole and made wrong in each way. */
static void mutate(bosc_ctx *ctx, struct suite_random *r, const struct reference_edges *e, const bosc_msf_opts *o,
                   int32_t id_bits)
{
    bosc_graph *graph = forest_build(ctx, e, id_bits, (int32_t)suite_below(r, 2));
    int64_t *ids = suite_alloc((size_t)(e->n + 2) * 8), *labels = suite_alloc((size_t)e->n * 8), right = 0;
    int64_t count = reference_msf(e, o, ids, labels), other = find_other(r, e, o, ids, count, false);
    int64_t loop = find_other(r, e, o, ids, count, true);
    shuffle(r, ids, count);
    check(ctx, graph, e, o, ids, count, id_bits, REFERENCE_GOOD);
    if (other >= 0) { /* an additional edge closes a cycle; as a replacement it is too heavy, or leaves two trees */
        ids[count] = other;
        check(ctx, graph, e, o, ids, count + 1, id_bits, REFERENCE_CYCLE);
        for (int64_t k = 0; k < count; k++) {
            int64_t kept = ids[k];
            ids[k] = other;
            check(ctx, graph, e, o, ids, count, id_bits, reference_verify(e, o, ids, count, &right));
            ids[k] = kept;
        }
    }
    if (loop >= 0) {
        ids[count] = loop;
        check(ctx, graph, e, o, ids, count + 1, id_bits, REFERENCE_CYCLE);
    }
    for (int64_t k = 0; k < 3 && k < count; k++) { /* an edge is missing */
        shuffle(r, ids, count);
        check(ctx, graph, e, o, ids, count - 1, id_bits, REFERENCE_APART);
    }
    if (count) { /* an edge twice; an invalid id */
        static const int64_t none[] = {-1, INT64_MIN, INT64_MAX - 1, UINT32_MAX, INT32_MIN};
        ids[count] = ids[suite_below(r, (uint64_t)count)];
        check(ctx, graph, e, o, ids, count + 1, id_bits, REFERENCE_REPEATED);
        for (int k = 0; k < (id_bits == 64 ? 5 : 0); k++) {
            ids[count] = none[k];
            check(ctx, graph, e, o, ids, count + 1, id_bits, REFERENCE_NO_EDGE);
        }
        ids[count] = e->m;
        check(ctx, graph, e, o, ids, count + 1, id_bits, REFERENCE_NO_EDGE);
        check(ctx, graph, e, o, NULL, 0, id_bits, REFERENCE_APART);
    }
    bosc_graph_free(graph);
    free(ids);
    free(labels);
}

static bool quick(bosc_ctx *ctx)
{
    bosc_ctx_info info = {.size = sizeof info};
    CHECK_OK(ctx, bosc_ctx_get_info(ctx, &info));
    return suite_slow(ctx) || info.threads > 1 || info.cpu_level != bosc_cpu_best_level();
}

static void mutations(bosc_ctx *ctx)
{
    static const bosc_dtype types[] = {BOSC_U32, BOSC_I32, BOSC_F32, BOSC_U64, BOSC_I64, BOSC_F64};
    struct suite_random r = {21};
    for (int shape = 0; shape < FOREST_SHAPES; shape++)
        for (int weights = 0; weights < WEIGHTS_KINDS; weights += quick(ctx) ? 3 : 1) {
            if (suite_leaves_out()) continue;
            int64_t n = 2 + (int64_t)suite_below(&r, quick(ctx) ? 8 : 22);
            struct forest_graph g =
                forest_make(&r, (enum forest_shape)shape, (enum forest_weights)weights, types[suite_below(&r, 6)], n);
            bosc_msf_opts o = {.size = sizeof o, .maximum = (int32_t)suite_below(&r, 2)};
            mutate(ctx, &r, &g.e, &o, suite_below(&r, 2) ? 64 : 32);
            forest_free(&g);
        }
}

/* Masks and limits: the verifier must neither accept an excluded edge nor miss one. */
static void masks_and_limits(bosc_ctx *ctx)
{
    struct suite_random r = {22};
    for (int which = 0; which < (quick(ctx) ? 8 : 40); which++) {
        if (suite_leaves_out()) continue;
        struct forest_graph g = forest_make(&r, FOREST_RANDOM, which % 2 ? WEIGHTS_FEW : WEIGHTS_RANDOM, BOSC_I32, 12);
        uint8_t vertices[12], *edges = suite_alloc((size_t)g.e.m);
        int64_t ids[16], labels[12], right = 0;
        int32_t limit = ((int32_t *)g.w)[3];
        for (int i = 0; i < 12; i++) vertices[i] = suite_below(&r, 6) > 0;
        for (int64_t i = 0; i < g.e.m; i++) edges[i] = suite_below(&r, 4) > 0;
        /* Every combination of minimum/maximum, vertex mask, edge mask and weight limit. */
        bosc_msf_opts o = {.size = sizeof o, .maximum = which & 1}, plain = o;
        if (which & 2) o.vertex_mask = vertices;
        if (which & 4) o.edge_mask = edges;
        if (which & 8) o.limit = &limit;
        bosc_graph *graph = forest_build(ctx, &g.e, 64, 0);
        int64_t count = reference_msf(&g.e, &o, ids, labels);
        /* Each option set's forest is also checked against the other sets. */
        check(ctx, graph, &g.e, &o, ids, count, 64, REFERENCE_GOOD);
        check(ctx, graph, &g.e, &plain, ids, count, 64, reference_verify(&g.e, &plain, ids, count, &right));
        plain.maximum = !plain.maximum;
        check(ctx, graph, &g.e, &plain, ids, count, 64, reference_verify(&g.e, &plain, ids, count, &right));
        count = reference_msf(&g.e, &plain, ids, labels);
        check(ctx, graph, &g.e, &o, ids, count, 64, reference_verify(&g.e, &o, ids, count, &right));
        if (!o.limit) mutate(ctx, &r, &g.e, &(bosc_msf_opts){.size = sizeof o, .edge_mask = o.edge_mask}, 64);
        bosc_graph_free(graph);
        forest_free(&g);
        free(edges);
    }
}

/* All sets of up to 4 edges of some small graphs with equal weights. */
static void all_sets(bosc_ctx *ctx)
{
    struct suite_random r = {23};
    for (int trial = 0; trial < (quick(ctx) ? 2 : 12); trial++) {
        struct forest_graph g = forest_make(&r, FOREST_PARALLEL, trial % 2 ? WEIGHTS_FEW : WEIGHTS_EQUAL, BOSC_U32, 9);
        g.e.m = 7;
        bosc_graph *graph = forest_build(ctx, &g.e, 64, 0);
        bosc_msf_opts o = {.size = sizeof o};
        for (int set = 0; set < 128; set++) {
            if (suite_leaves_out()) continue;
            int64_t ids[7], count = 0, right = 0;
            for (int i = 0; i < 7; i++)
                if (set >> i & 1) ids[count++] = i;
            check(ctx, graph, &g.e, &o, ids, count, 64, reference_verify(&g.e, &o, ids, count, &right));
        }
        bosc_graph_free(graph);
        forest_free(&g);
    }
}

/* Large graphs of each shape: the computed forest verifies; with one tie broken the other way it does not. */
static void large_forests_and_broken_ties(bosc_ctx *ctx)
{
    struct suite_random r = {24};
    int64_t n = quick(ctx) ? 300 : 30000;
    for (int shape = 0; shape < FOREST_SHAPES; shape++) {
        if (suite_leaves_out()) continue;
        struct forest_graph g = forest_make(&r, (enum forest_shape)shape, WEIGHTS_FEW, BOSC_F32, n);
        bosc_graph *graph = forest_build(ctx, &g.e, 64, 0);
        struct array edges = array_make(ctx, NULL, (size_t)n * 8, has_device_memory(ctx));
        bosc_msf_info info = {.size = sizeof info};
        int64_t edge = -1;
        CHECK_OK(ctx, bosc_msf_compute(ctx, graph, NULL, edges.p, NULL, &info));
        CHECK_OK(ctx, bosc_msf_verify(ctx, graph, NULL, edges.p, info.edges, &edge));
        CHECK_EQ(edge, -1);
        array_free(ctx, &edges);
        bosc_graph_free(graph);
        forest_free(&g);
    }
    int64_t u[] = {0, 0, 0, 1}, v[] = {1, 1, 1, 2}, given[] = {1, 3};
    uint32_t w[] = {5, 5, 5, 5};
    struct reference_edges e = {3, 4, u, v, BOSC_U32, w};
    bosc_graph *graph = forest_build(ctx, &e, 64, 0);
    check(ctx, graph, &e, NULL, given, 2, 64, REFERENCE_LIGHTER);
    bosc_graph_free(graph);
}

/* No vertices; no edges. */
static void no_edges(bosc_ctx *ctx)
{
    for (int64_t n = 0; n < 4; n++) {
        struct reference_edges e = {n, 0, NULL, NULL, BOSC_U32, NULL};
        int64_t ids[] = {0};
        bosc_graph *graph = forest_build(ctx, &e, 64, 0);
        check(ctx, graph, &e, NULL, NULL, 0, 64, REFERENCE_GOOD);
        check(ctx, graph, &e, NULL, ids, 1, 64, REFERENCE_NO_EDGE);
        bosc_graph_free(graph);
    }
}

static const struct suite_case suite_cases_msf_verify[] = {
    {"mutations", mutations, NULL}, {"options", masks_and_limits, NULL},
    {"all sets", all_sets, NULL},   {"large", large_forests_and_broken_ties, NULL},
    {"nothing", no_edges, NULL},
};
SUITE(msf_verify);
