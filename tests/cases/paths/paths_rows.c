/* Paths along directed rows of the caller equal the reference; wrong rows are refused. */
#include "cases/paths/paths_data.h"

/* CSR rows of directed edges, in the order of their numbers; weights follow. */
struct rows {
    int64_t *offsets, *neighbours, *ids;
    void *weights;
};

static struct rows rows_of(const struct reference_edges *e)
{
    const size_t size = bosc_dtype_size(e->dtype);
    struct rows r = {suite_alloc((size_t)(e->n + 2) * 8), suite_alloc((size_t)e->m * 8), suite_alloc((size_t)e->m * 8),
                     suite_alloc((size_t)e->m * 8)};
    memset(r.offsets, 0, (size_t)(e->n + 2) * 8);
    for (int64_t i = 0; i < e->m; i++) r.offsets[e->u[i] + 2]++;
    for (int64_t v = 1; v <= e->n; v++) r.offsets[v + 1] += r.offsets[v];
    for (int64_t i = 0; i < e->m; i++) {
        const int64_t at = r.offsets[e->u[i] + 1]++;
        r.neighbours[at] = e->v[i];
        r.ids[at] = i;
        memcpy((char *)r.weights + (size_t)at * size, (const char *)e->weights + (size_t)i * size, size);
    }
    return r;
}

static void rows_free(struct rows *r)
{
    free(r->offsets);
    free(r->neighbours);
    free(r->ids);
    free(r->weights);
}

static void check_directed(bosc_ctx *ctx, struct suite_random *random, enum forest_shape shape, bosc_dtype dtype,
                           int64_t n)
{
    struct forest_graph g =
        paths_make(random, shape, (enum forest_weights)suite_below(random, WEIGHTS_EXTREME), dtype, n);
    struct rows r = rows_of(&g.e);
    const int32_t id_bits = suite_below(random, 2) ? 64 : 32;
    const bosc_graph_opts graph_opts = {.size = sizeof graph_opts, .weight = dtype, .id_bits = id_bits};
    const bool unweighted = suite_below(random, 3) == 0;
    const bosc_paths_opts hops = {.size = sizeof hops, .unweighted = 1};
    const bosc_paths_opts words = {.size = sizeof words, .offset_bits = suite_below(random, 2) ? 32 : 64};
    const int64_t sources[2] = {(int64_t)suite_below(random, (uint64_t)n), (int64_t)suite_below(random, (uint64_t)n)};
    void *given = forest_narrow(sources, 2, id_bits), *to = forest_narrow(r.neighbours, g.e.m, id_bits);
    void *offsets = forest_narrow(r.offsets, n + 1, words.offset_bits);
    struct reference_paths right;
    struct paths_outputs o = paths_outputs_of(n);
    CHECK(reference_paths(&g.e, true, sources, 2, unweighted ? &hops : NULL, &right));
    CHECK_OK(ctx, bosc_paths_compute_rows(ctx, &graph_opts, offsets, to, unweighted ? NULL : r.weights, n, given, 2,
                                          &words, o.distances, o.predecessors, o.edges, o.nearest, &o.info));
    /* Numbers of arcs to ids of the reference's edges: rows keep their order. */
    for (int64_t v = 0; v < n; v++) {
        const int64_t arc = forest_id(o.edges, id_bits, v);
        if (arc < 0) continue;
        if (id_bits == 64)
            ((int64_t *)o.edges)[v] = r.ids[arc];
        else
            ((uint32_t *)o.edges)[v] = (uint32_t)r.ids[arc];
    }
    paths_check(&o, &right, n, id_bits);
    paths_outputs_free(&o);
    reference_paths_free(&right);
    free(given);
    free(to);
    free(offsets);
    rows_free(&r);
    forest_free(&g);
}

static void directed(bosc_ctx *ctx)
{
    static const bosc_dtype dtypes[] = {BOSC_U32, BOSC_F64, BOSC_U64, BOSC_F32, BOSC_I32, BOSC_I64};
    for (int shape = 0; shape < FOREST_SHAPES; shape++)
        for (int k = 0; k < 6; k++) {
            struct suite_random r = {(uint64_t)(shape * 10 + k)};
            if (suite_leaves_out()) continue;
            check_directed(ctx, &r, (enum forest_shape)shape, dtypes[k], k % 2 ? 40 : 150);
        }
}

/* Searches of one call equal calls of their own. Lengths of 0 are among them, and a limit. */
static void each_source(bosc_ctx *ctx)
{
    enum { N = 1500, SOURCES = 3 };
    const int64_t sources[SOURCES] = {1, N - 1, 1};
    const double limit = 5;
    struct suite_random random = {8};
    for (int trial = 0; trial < 3; trial++) {
        struct forest_graph g = paths_make(&random, FOREST_RANDOM, WEIGHTS_FEW, BOSC_F64, N);
        struct rows r = rows_of(&g.e);
        const bosc_graph_opts graph_opts = {.size = sizeof graph_opts, .weight = BOSC_F64, .id_bits = 64};
        bosc_paths_opts opts = {.size = sizeof opts, .each = 1, .limit = trial == 1 ? &limit : NULL};
        const void *weights = trial == 2 ? NULL : r.weights;
        struct paths_outputs all = paths_outputs_of(SOURCES * N), one = paths_outputs_of(N);
        int64_t reached = 0;
        /* 1. All in one call. */
        CHECK_OK(ctx,
                 bosc_paths_compute_rows(ctx, &graph_opts, r.offsets, r.neighbours, weights, N, sources, SOURCES, &opts,
                                         all.distances, all.predecessors, all.edges, all.nearest, &all.info));
        /* 2. One after the other. */
        opts.each = 0;
        for (int64_t k = 0; k < SOURCES; k++) {
            CHECK_OK(ctx, bosc_paths_compute_rows(ctx, &graph_opts, r.offsets, r.neighbours, weights, N, sources + k, 1,
                                                  &opts, one.distances, one.predecessors, one.edges, one.nearest,
                                                  &one.info));
            reached += one.info.reached;
            CHECK(memcmp(all.distances + k * N, one.distances, N * 8) == 0);
            CHECK(memcmp((int64_t *)all.predecessors + k * N, one.predecessors, N * 8) == 0);
            CHECK(memcmp((int64_t *)all.edges + k * N, one.edges, N * 8) == 0);
            CHECK(memcmp((int64_t *)all.nearest + k * N, one.nearest, N * 8) == 0);
        }
        CHECK_EQ(all.info.reached, reached);
        /* 3. A wrong source has its number in the caller's array. */
        const int64_t wrong[SOURCES] = {1, N, 1};
        opts.each = 1;
        CHECK_STATUS(ctx,
                     bosc_paths_compute_rows(ctx, &graph_opts, r.offsets, r.neighbours, weights, N, wrong, SOURCES,
                                             &opts, all.distances, NULL, NULL, NULL, NULL),
                     BOSC_ERR_DATA);
        CHECK(suite_begins(bosc_ctx_message(ctx), "sources: number 1 "));
        paths_outputs_free(&all);
        paths_outputs_free(&one);
        rows_free(&r);
        forest_free(&g);
    }
}

/* The order of one queue, by its definition. Returns the number of vertices listed. */
static int64_t list_plainly(const struct rows *r, int64_t n, int64_t source, int64_t depth, int64_t *order,
                            int64_t *before)
{
    int64_t count = 1, *level = suite_alloc((size_t)n * 8);
    for (int64_t v = 0; v < n; v++) before[v] = level[v] = -1;
    order[0] = source;
    level[source] = 0;
    for (int64_t i = 0; i < count && level[order[i]] < depth; i++)
        for (int64_t arc = r->offsets[order[i]]; arc < r->offsets[order[i] + 1]; arc++) {
            const int64_t v = r->neighbours[arc];
            if (level[v] >= 0) continue;
            level[v] = level[order[i]] + 1;
            before[v] = order[i];
            order[count++] = v;
        }
    free(level);
    return count;
}

static void check_order(bosc_ctx *ctx, struct suite_random *random, enum forest_shape shape, int64_t n)
{
    struct forest_graph g = paths_make(random, shape, WEIGHTS_FEW, BOSC_U32, n);
    struct rows r = rows_of(&g.e);
    const int64_t source = (int64_t)suite_below(random, (uint64_t)n);
    const uint64_t depth = suite_below(random, 4);
    const int32_t id_bits = suite_below(random, 2) ? 64 : 32;
    const bosc_graph_opts graph_opts = {.size = sizeof graph_opts, .id_bits = id_bits};
    const bosc_paths_opts opts = {.size = sizeof opts,
                                  .algorithm = (bosc_paths_algorithm)suite_below(random, 2),
                                  .offset_bits = suite_below(random, 2) ? 32 : 64,
                                  .limit = suite_below(random, 3) ? NULL : &depth};
    void *offsets = forest_narrow(r.offsets, n + 1, opts.offset_bits),
         *to = forest_narrow(r.neighbours, g.e.m, id_bits);
    void *order = suite_alloc((size_t)n * 8), *before = suite_alloc((size_t)n * 8);
    int64_t *right = suite_alloc((size_t)n * 8), *right_before = suite_alloc((size_t)n * 8), count = -7;
    /* With and without outputs. */
    const int64_t listed = list_plainly(&r, n, source, opts.limit ? (int64_t)depth : n, right, right_before);
    CHECK_OK(ctx, bosc_paths_order_rows(ctx, &graph_opts, offsets, to, n, source, &opts, order, before, &count));
    CHECK_EQ(count, listed);
    for (int64_t i = 0; i < count; i++) CHECK_EQ(forest_id(order, id_bits, i), right[i]);
    for (int64_t v = 0; v < n; v++) CHECK_EQ(forest_id(before, id_bits, v), right_before[v]);
    CHECK_OK(ctx, bosc_paths_order_rows(ctx, &graph_opts, offsets, to, n, source, &opts, NULL, NULL, &count));
    CHECK_EQ(count, listed);
    void *const arrays[] = {offsets, to, order, before, right, right_before};
    for (int k = 0; k < 6; k++) free(arrays[k]);
    rows_free(&r);
    forest_free(&g);
}

static void orders(bosc_ctx *ctx)
{
    for (int shape = 0; shape < FOREST_SHAPES; shape++)
        for (int k = 0; k < 4; k++) {
            struct suite_random r = {(uint64_t)(shape * 10 + k)};
            if (suite_leaves_out()) continue;
            check_order(ctx, &r, (enum forest_shape)shape, k % 2 ? 1 + k : 170);
        }
}

static void refuses_orders(bosc_ctx *ctx)
{
    const int64_t offsets[4] = {0, 2, 3, 3}, ids[3] = {1, 2, 0}, beyond[3] = {1, 3, 0};
    const bosc_paths_opts each = {.size = sizeof each, .each = 1};
    int64_t order[3] = {-7, -7, -7}, before[3] = {-7, -7, -7}, count = -7;
#define ORDER(offsets, ids, n, source, opts, order, before, count) \
    bosc_paths_order_rows(ctx, NULL, offsets, ids, n, source, opts, order, before, count)
    CHECK_ARG(ctx, ORDER(NULL, ids, 3, 0, NULL, order, before, &count), "offsets");
    CHECK_ARG(ctx, ORDER((const char *)offsets + 4, ids, 3, 0, NULL, order, before, &count), "offsets");
    CHECK_ARG(ctx, ORDER(offsets, NULL, 3, 0, NULL, order, before, &count), "neighbours");
    CHECK_ARG(ctx, ORDER(offsets, (const char *)ids + 4, 3, 0, NULL, order, before, &count), "neighbours");
    CHECK_ARG(ctx, ORDER(offsets, ids, -1, 0, NULL, order, before, &count), "n");
    CHECK_ARG(ctx, ORDER(offsets, ids, 3, 3, NULL, order, before, &count), "source");
    CHECK_ARG(ctx, ORDER(offsets, ids, 3, -1, NULL, order, before, &count), "source");
    CHECK_ARG(ctx, ORDER(offsets, ids, 3, 0, &each, order, before, &count), "opts");
    CHECK_ARG(ctx, ORDER(offsets, ids, 3, 0, NULL, (char *)order + 4, before, &count), "order");
    CHECK_ARG(ctx, ORDER(offsets, ids, 3, 0, NULL, order, (char *)before + 4, &count), "predecessors");
    CHECK_ARG(ctx, ORDER(offsets, ids, 3, 0, NULL, order, before, NULL), "count");
    CHECK_STATUS(ctx, ORDER(offsets, beyond, 3, 0, NULL, order, before, &count), BOSC_ERR_DATA);
    for (int v = 0; v < 3; v++) CHECK(order[v] == -7 && before[v] == -7);
    CHECK_EQ(count, -7);
#undef ORDER
}

static void refuses_rows(bosc_ctx *ctx)
{
    const int64_t good[4] = {0, 2, 3, 3}, first[4] = {1, 2, 3, 3}, falls[4] = {0, 2, 1, 3}, ids[3] = {1, 2, 0},
                  beyond[3] = {1, 3, 0}, below[3] = {1, 2, -1}, source = 0;
    const float weights[3] = {1, 2, 3}, negative[3] = {1, -2, 3}, nan[3] = {1, 2, NAN};
    const bosc_graph_opts o = {.size = sizeof o, .weight = BOSC_F32};
    double distances[3] = {-7, -7, -7};
#define CALL(offsets, neighbours, w) \
    bosc_paths_compute_rows(ctx, &o, offsets, neighbours, w, 3, &source, 1, NULL, distances, NULL, NULL, NULL, NULL)
    /* Wrong rows, then bad arrays; nothing has changed. */
    CHECK_STATUS(ctx, CALL(first, ids, weights), BOSC_ERR_DATA);
    CHECK(suite_begins(bosc_ctx_message(ctx), "offsets"));
    CHECK_STATUS(ctx, CALL(falls, ids, weights), BOSC_ERR_DATA);
    CHECK(suite_begins(bosc_ctx_message(ctx), "offsets"));
    CHECK_STATUS(ctx, CALL(good, beyond, weights), BOSC_ERR_DATA);
    CHECK(suite_begins(bosc_ctx_message(ctx), "neighbours: number 1"));
    CHECK_STATUS(ctx, CALL(good, below, weights), BOSC_ERR_DATA);
    CHECK(suite_begins(bosc_ctx_message(ctx), "neighbours: number 2"));
    CHECK_STATUS(ctx, CALL(good, ids, negative), BOSC_ERR_DATA);
    CHECK(suite_begins(bosc_ctx_message(ctx), "edge 1"));
    CHECK_STATUS(ctx, CALL(good, ids, nan), BOSC_ERR_DATA);
    CHECK(suite_begins(bosc_ctx_message(ctx), "edge 2"));
    CHECK_ARG(ctx, CALL(NULL, ids, weights), "offsets");
    CHECK_ARG(ctx, CALL(good, NULL, weights), "neighbours");
    CHECK_ARG(ctx, CALL(good, (const char *)ids + 4, weights), "neighbours");
    CHECK_ARG(ctx, CALL(good, ids, (const char *)weights + 2), "weights");
    for (int v = 0; v < 3; v++) CHECK(distances[v] == -7);
    CHECK_OK(ctx, CALL(good, ids, weights));
    CHECK(distances[0] == 0 && distances[1] == 1 && distances[2] == 2);
#undef CALL
}

static const struct suite_case suite_cases_paths_rows[] = {
    {"directed", directed, NULL},
    {"each source", each_source, NULL},
    {"orders", orders, NULL},
    {"refuses orders", refuses_orders, NULL},
    {"refuses rows", refuses_rows, NULL},
};
SUITE(paths_rows);
