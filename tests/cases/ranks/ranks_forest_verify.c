/* Verification of forests over ranks: the verdict, edge and message of one context. */
#include <stdio.h>

#include "cases/ranks/ranks_forest_data.h"
#include "support/counted.h"

/* Each rank passes a slice of the list, and has a slice of the edges; in the other form vertices are distributed. */
static void prove(struct rank *r)
{
    const struct partitioned_graph *d = r->user;
    struct graph_slice p = build_graph_slice(r);
    int64_t begin, end, edge = -77;
    p.opts.replicated_bytes = d->seed % 2;
    edge_slice(r, d->seed * 3 + 1, d->given_count, &begin, &end);
    void *given = forest_narrow(d->given + begin, end - begin, d->graph_opts.id_bits);
    struct array list = array_make(r->ctx, given, (size_t)((end - begin) * d->graph_opts.id_bits / 8), r->rank % 2);
    CHECK_STATUS(r->ctx, bosc_ranks_msf_verify(r->ctx, r->comm, p.graph, &p.opts, list.p, end - begin, &edge),
                 d->verdict);
    CHECK_EQ(edge, d->edge);
    CHECK(strcmp(bosc_ctx_message(r->ctx), d->message) == 0);
    p.opts.replicated_bytes = !p.opts.replicated_bytes;
    CHECK_STATUS(r->ctx, bosc_ranks_msf_verify(r->ctx, r->comm, p.graph, &p.opts, list.p, end - begin, NULL),
                 d->verdict);
    CHECK(strcmp(bosc_ctx_message(r->ctx), d->message) == 0);
    array_free(r->ctx, &list);
    free(given);
    bosc_graph_free(p.graph);
}

enum { PLAIN_MOST = 200 /* vertices; the plain check searches all edges for each one's path */ };

/* One context, the plain check and all ranks agree on these ids. */
static void check(bosc_ctx *ctx, struct partitioned_graph *d, const int64_t *ids, int64_t count)
{
    bosc_graph *graph = build_edges(ctx, d, 0, d->e.m);
    void *given = forest_narrow(ids, count, d->graph_opts.id_bits);
    int64_t right = -77;
    d->given = ids;
    d->given_count = count;
    d->edge = -77;
    d->verdict = bosc_msf_verify(ctx, graph, &d->opts, given, count, &d->edge);
    CHECK(d->verdict == BOSC_OK || d->verdict == BOSC_ERR_DATA);
    snprintf(d->message, sizeof d->message, "%s", bosc_ctx_message(ctx));
    if (d->e.n <= PLAIN_MOST) {
        CHECK_EQ(d->verdict == BOSC_OK, reference_verify(&d->e, &d->opts, ids, count, &right) == REFERENCE_GOOD);
        CHECK_EQ(d->edge, right);
    }
    d->seed++;
    ranks_run(ctx, rank_counts[d->seed % 5], 0, prove, d);
    free(given);
    bosc_graph_free(graph);
}

static void shuffle(struct suite_random *r, int64_t *ids, int64_t count)
{
    for (int64_t i = count - 1; i > 0; i--) {
        const int64_t j = (int64_t)suite_below(r, (uint64_t)i + 1), t = ids[i];
        ids[i] = ids[j];
        ids[j] = t;
    }
}

/* The forest, whole and made wrong in each way. */
static void mutate(bosc_ctx *ctx, struct suite_random *r, struct partitioned_graph *d)
{
    static const int64_t none[] = {-1, INT64_MIN, INT64_MAX, UINT32_MAX, INT32_MIN};
    const struct reference_edges *e = &d->e;
    int64_t *ids = suite_alloc((size_t)(e->n + 4) * 8), *labels = suite_alloc((size_t)e->n * 8);
    const int64_t count = reference_msf(e, &d->opts, ids, labels);
    check(ctx, d, ids, count);
    shuffle(r, ids, count);
    check(ctx, d, ids, count);
    for (int k = 0; k < 3 && e->m; k++) { /* others, which may be loops or stand there already */
        ids[count] = (int64_t)suite_below(r, (uint64_t)e->m);
        ids[count + 1] = (int64_t)suite_below(r, (uint64_t)e->m);
        check(ctx, d, ids, count + 1 + k % 2);
        if (count == 0) continue;
        const int64_t at = (int64_t)suite_below(r, (uint64_t)count), kept = ids[at];
        ids[at] = ids[count];
        check(ctx, d, ids, count);
        ids[at] = kept;
    }
    for (int64_t i = 0, loops = 0; i < e->m && loops < 3; i++) { /* self loops, of any weight */
        if (e->u[i] != e->v[i]) continue;
        ids[count] = i;
        check(ctx, d, ids, count + 1);
        loops++;
    }
    for (int k = 0; k < 2 && k < count; k++) { /* some missing */
        shuffle(r, ids, count);
        check(ctx, d, ids, count - 1 - k);
    }
    if (count) { /* one twice, and one that is none */
        ids[count] = ids[suite_below(r, (uint64_t)count)];
        check(ctx, d, ids, count + 1);
        ids[count + 1] = d->graph_opts.id_bits == 64 ? none[suite_below(r, 5)] : UINT32_MAX;
        ids[count] = e->m + 7;
        check(ctx, d, ids, count + 2);
    }
    check(ctx, d, NULL, 0);
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
    struct suite_random r = {81};
    for (int shape = 0; shape < FOREST_SHAPES; shape++)
        for (int weights = shape % 2; weights < WEIGHTS_KINDS; weights += quick(ctx) ? 4 : 2) {
            if (suite_leaves_out()) continue;
            const int64_t n = 2 + (int64_t)suite_below(&r, quick(ctx) ? 8 : 40);
            const bosc_dtype type = weight_types[suite_below(&r, 6)];
            struct forest_graph g = forest_make(&r, (enum forest_shape)shape, (enum forest_weights)weights, type, n);
            const bosc_msf_opts o = {.size = sizeof o, .maximum = (int32_t)suite_below(&r, 2)};
            struct partitioned_graph d =
                partition_graph(&g.e, &o, suite_below(&r, 2) ? 64 : 32, (int64_t)suite_below(&r, 90));
            mutate(ctx, &r, &d);
            forest_free(&g);
        }
}

/* With masks and limits: excluded edges are neither allowed in a forest nor required. */
static void options(bosc_ctx *ctx)
{
    struct suite_random r = {82};
    for (int which = 0; which < 16; which += quick(ctx) ? 3 : 1) {
        if (suite_leaves_out()) continue;
        struct forest_graph g = forest_make(&r, FOREST_RANDOM, which % 2 ? WEIGHTS_FEW : WEIGHTS_RANDOM, BOSC_I32, 14);
        uint8_t vertices[14], *edges = suite_alloc((size_t)g.e.m);
        int64_t ids[16], labels[14];
        for (int i = 0; i < 14; i++) vertices[i] = suite_below(&r, 6) > 0;
        for (int64_t i = 0; i < g.e.m; i++) edges[i] = suite_below(&r, 4) > 0;
        const bosc_msf_opts plain = {.size = sizeof plain, .maximum = which & 1};
        bosc_msf_opts o = plain;
        if (which & 2) o.vertex_mask = vertices;
        if (which & 4) o.edge_mask = edges;
        if (which & 8) o.limit = (const int32_t *)g.w + 3;
        struct partitioned_graph d = partition_graph(&g.e, &o, 64, 1 + which);
        mutate(ctx, &r, &d);
        check(ctx, &d, ids, reference_msf(&g.e, &plain, ids, labels));
        forest_free(&g);
        free(edges);
    }
}

/* A large grid: trees grow over many rounds. */
static void many_rounds(bosc_ctx *ctx)
{
    struct suite_random r = {83};
    const int64_t n = suite_slow(ctx) ? 100 : quick(ctx) ? 1000 : 10000;
    struct forest_graph g = forest_make(&r, FOREST_GRID, WEIGHTS_RANDOM, BOSC_F32, n);
    struct partitioned_graph d = partition_graph(&g.e, &(bosc_msf_opts){.size = sizeof d.opts}, 32, 0);
    mutate(ctx, &r, &d);
    forest_free(&g);
}

/* No rank allocates memory for all vertices if they are distributed. */
static void prove_in_share(struct rank *r)
{
    const struct partitioned_graph *d = r->user;
    struct graph_slice p = build_graph_slice(r);
    int64_t begin, end, scratch[2];
    edge_slice(r, 0, d->given_count, &begin, &end);
    void *given = forest_narrow(d->given + begin, end - begin, 32);
    for (int spread = 0; spread < 2; spread++) {
        p.opts.replicated_bytes = spread;
        CHECK_OK(r->ctx, bosc_ctx_trim(r->ctx));
        CHECK_OK(r->ctx, bosc_ranks_msf_verify(r->ctx, r->comm, p.graph, &p.opts, given, end - begin, NULL));
        scratch[spread] = counted_scratch(r->ctx);
    }
    CHECK(scratch[0] > 170 * d->e.n);
    CHECK(scratch[1] < d->e.n / 2 + 350 * (p.end - p.begin) + (1 << 16));
    free(given);
    bosc_graph_free(p.graph);
}

static void in_shares(bosc_ctx *ctx)
{
    struct suite_random r = {84};
    const int64_t n = suite_slow(ctx) ? 2000 : 100000;
    struct forest_graph g = forest_make(&r, FOREST_GRID, WEIGHTS_RANDOM, BOSC_F32, n);
    struct partitioned_graph d = partition_graph(&g.e, &(bosc_msf_opts){.size = sizeof d.opts}, 32, 0);
    int64_t *ids = suite_alloc((size_t)n * 8), *labels = suite_alloc((size_t)n * 8);
    d.given = ids;
    d.given_count = reference_msf(&g.e, &d.opts, ids, labels);
    ranks_run(ctx, 8, 0, prove_in_share, &d);
    free(ids);
    free(labels);
    forest_free(&g);
}

static const struct suite_case suite_cases_ranks_forest_verify[] = {
    {"mutations", mutations, NULL},
    {"options", options, NULL},
    {"large", many_rounds, NULL},
    {"in_shares", in_shares, NULL},
};
SUITE(ranks_forest_verify);
