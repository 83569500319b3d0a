/* Calls report progress often, never a whole pass over all items at once, and end at the report whose listener stops
 * them. The
 * test's clock advances by the same amount at each reading, so chunks of loops keep their first length. */
#include <stdlib.h>
#include <string.h>

#include "core/call.h"
#include "support/suite.h"

enum { N = 1 << 18 /* 16 parts */, WIDE = 16, BUCKETS = 1 << 17, LETTERS = 32, OUT = N * 32 };

struct world {
    bosc_ctx *ctx;
    uint32_t *keys, *buckets;
    unsigned char *items; /* (N x WIDE) */
    uint64_t *vectors;
    bosc_graph *graph[2]; /* sparse with short weights, dense with long ones */
    bosc_cellgraph *cells[2];
    int64_t offsets[BUCKETS + 1];
    unsigned char *out, *copy; /* the answer of a call, and the expected one */
};

/* ---- calls ---- */

static bosc_status sort_records(struct world *w)
{
    return bosc_sort_pairs(w->ctx, BOSC_U32, w->keys, WIDE, w->items, N, w->out, w->out + 4 * N);
}
static bosc_status sort_records_in_place(struct world *w)
{
    memcpy(w->out + 4 * N, w->items, N * WIDE);
    return bosc_sort_pairs(w->ctx, BOSC_U32, w->keys, WIDE, w->out + 4 * N, N, w->out, w->out + 4 * N);
}
static bosc_status split_by_sort(struct world *w)
{
    bosc_status status = bosc_split(w->ctx, 4, w->keys, w->buckets, N, BUCKETS, w->out, w->offsets);
    if (status == BOSC_OK) memcpy(w->out + 4 * N, w->offsets, sizeof w->offsets);
    return status;
}
static bosc_status msf(struct world *w, bosc_graph *graph)
{
    bosc_msf_info info = {.size = sizeof info};
    bosc_status status = bosc_msf_compute(w->ctx, graph, NULL, w->out, w->out + 8 * N, &info);
    if (status == BOSC_OK) memcpy(w->out + 16 * N, &info, sizeof info);
    return status;
}
static bosc_status msf_sparse(struct world *w) { return msf(w, w->graph[0]); }
static bosc_status msf_dense(struct world *w) { return msf(w, w->graph[1]); }
static bosc_status components(struct world *w)
{
    return bosc_components_compute(w->ctx, w->graph[0], NULL, w->out, NULL);
}
static bosc_status cells_join(struct world *w) { return bosc_cellgraph_build(w->ctx, w->cells[0], w->vectors, N, 0); }
static bosc_status cells_zobrist(struct world *w)
{
    return bosc_cellgraph_build(w->ctx, w->cells[1], w->vectors, N, 0);
}
static bosc_status positions(struct world *w, const bosc_cellgraph *cells)
{
    bosc_cellgraph_info info = {.size = sizeof info};
    CHECK_OK(w->ctx, bosc_cellgraph_get_info(w->ctx, cells, &info));
    CHECK(info.edges > 0 && 4 * info.edges <= OUT);
    return bosc_cellgraph_get_pairs(w->ctx, cells, NULL, (uint32_t *)(void *)w->out);
}
static bosc_status cells_rows(struct world *w)
{
    return bosc_cellgraph_get_rows(w->ctx, w->cells[0], (int64_t *)(void *)w->out, NULL, NULL);
}

static bosc_status join_positions(struct world *w) { return positions(w, w->cells[0]); }
static bosc_status zobrist_positions(struct world *w) { return positions(w, w->cells[1]); }

static const struct call {
    const char *stage;
    bosc_status (*run)(struct world *w);
    double most;                         /* most items in one report, divided by N: fewer than a whole pass has */
    bosc_status (*get)(struct world *w); /* writes the built structure to the output */
} calls[] = {
    {"sort_pairs", sort_records, 0.3, NULL}, /* by whole groups of some 2,000 */
    {"sort_pairs", sort_records_in_place, 0.3, NULL},
    {"split", split_by_sort, 0.25, NULL},
    {"msf_compute", msf_sparse, 0.3, NULL},
    {"msf_compute", msf_dense, 1, NULL},
    {"components_compute", components, 0.5, NULL},
    {"cellgraph_build", cells_join, 2, join_positions},
    {"cellgraph_build", cells_zobrist, 2, zobrist_positions},
    {"cellgraph_get_rows", cells_rows, 2, NULL},
};

/* ---- world ---- */

static double seconds;
static double even_clock(void) { return seconds += 0.02; }

static void make_graphs(struct world *w)
{
    int64_t *u = suite_alloc(8 * N), *v = suite_alloc(8 * N), *weights = suite_alloc(8 * N);
    for (int k = 0; k < 2; k++) {
        const bosc_graph_generate_opts o = {.size = sizeof o, .n = k ? N / 4 : N, .m = N};
        const bosc_graph_opts opts = {.size = sizeof opts, .weight = BOSC_I64};
        CHECK_OK(w->ctx, bosc_graph_generate(w->ctx, &o, NULL, NULL, u, v, weights, N));
        for (int64_t i = 0; k && i < N; i++) weights[i] = (int64_t)((uint64_t)weights[i] << 32);
        CHECK_OK(w->ctx, bosc_graph_create(w->ctx, &opts, &w->graph[k]));
        CHECK_OK(w->ctx, bosc_graph_build(w->ctx, w->graph[k], u, v, weights, o.n, N));
    }
    free(u);
    free(v);
    free(weights);
}

static void make_world(struct world *w, bosc_ctx *like)
{
    const bosc_cellgraph_method methods[2] = {BOSC_CELLGRAPH_JOIN, BOSC_CELLGRAPH_ZOBRIST};
    const bosc_ctx_opts opts = suite_opts_like(like);
    *w = (struct world){.ctx = suite_open(&opts)};
    w->keys = suite_alloc(4 * N);
    w->buckets = suite_alloc(4 * N);
    w->items = suite_alloc(N * WIDE);
    w->vectors = suite_alloc(8 * N);
    w->out = suite_alloc(OUT);
    w->copy = suite_alloc(OUT);
    CHECK_OK(w->ctx, bosc_random_bits(w->ctx, 1, 0, N, w->keys));
    CHECK_OK(w->ctx, bosc_random_bits(w->ctx, 1, 1, N * WIDE / 4, (uint32_t *)(void *)w->items));
    for (int64_t i = 0; i < N; i++) {
        w->buckets[i] = w->keys[i] % BUCKETS;
        w->vectors[i] = w->keys[i] % (2 * N); /* many differ in one letter */
    }
    make_graphs(w);
    for (int k = 0; k < 2; k++) {
        const bosc_cellgraph_opts cells = {.size = sizeof cells, .length = LETTERS, .method = methods[k]};
        CHECK_OK(w->ctx, bosc_cellgraph_create(w->ctx, &cells, &w->cells[k]));
    }
    w->ctx->progress.clock = even_clock;
}

static void free_world(struct world *w)
{
    for (int k = 0; k < 2; k++) {
        bosc_graph_free(w->graph[k]);
        bosc_cellgraph_free(w->cells[k]);
    }
    bosc_ctx_free(w->ctx);
    free(w->keys);
    free(w->buckets);
    free(w->items);
    free(w->vectors);
    free(w->out);
    free(w->copy);
}

/* ---- listening ---- */

struct listener {
    const struct world *w;
    int calls, stop_at;    /* index of the report that returns 1, to stop; -1: none */
    double done, most, at; /* items reported; the most in one report, and the items reported before it */
};

static int on_progress(void *user, const char *stage, double fraction)
{
    struct listener *l = user;
    double done = l->w->ctx->progress.done;
    (void)stage, (void)fraction;
    if (done - l->done > l->most) {
        l->most = done - l->done;
        l->at = l->done;
    }
    l->done = done;
    return l->calls++ == l->stop_at;
}

static bosc_status run_call(struct world *w, const struct call *c, struct listener *l)
{
    memset(w->out, 0, OUT);
    memset(w->offsets, 0, sizeof w->offsets);
    w->ctx->progress.function = l ? on_progress : NULL;
    w->ctx->progress.user = l;
    bosc_status status = c->run(w);
    w->ctx->progress.function = NULL;
    if (status == BOSC_OK && c->get) CHECK_OK(w->ctx, c->get(w));
    return status;
}

static void reports_are_even(bosc_ctx *like)
{
    static struct world w;
    /* Kernels are queued as a whole, and several threads have longer parts. */
    if (suite_slow(like) || suite_opts_like(like).backend == BOSC_BACKEND_CUDA || suite_opts_like(like).threads > 1)
        return;
    make_world(&w, like);
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
        const struct call *c = &calls[i];
        struct listener l = {.w = &w, .stop_at = -1};
        CHECK_OK(w.ctx, run_call(&w, c, NULL));
        memcpy(w.copy, w.out, OUT);
        CHECK_OK(w.ctx, run_call(&w, c, &l));
        CHECK(memcmp(w.copy, w.out, OUT) == 0);
        if (l.most > c->most * N)
            suite_fail(__FILE__, __LINE__, "%s, call %d of the table: reported %.2f n items at once, after %.2f n",
                       c->stage, (int)i, l.most / N, l.at / N);
        const int reports = l.calls;
        for (int k = 1; k < 4; k++) {
            l = (struct listener){.w = &w, .stop_at = reports * k / 4};
            CHECK_STATUS(w.ctx, run_call(&w, c, &l), BOSC_ERR_CANCELLED);
            CHECK_EQ(l.calls, l.stop_at + 1);
            CHECK(suite_begins(bosc_ctx_message(w.ctx), c->stage));
            CHECK_OK(w.ctx, run_call(&w, c, NULL));
            CHECK(memcmp(w.copy, w.out, OUT) == 0);
        }
    }
    free_world(&w);
}

static const struct suite_case suite_cases_progress_even[] = {
    {"even reports", reports_are_even, NULL},
};
SUITE(progress_even);
