/* Forests over ranks when every allocation, copy, launch and exchange of a call fails in turn: on a communicator of
 * one rank, and on any of three. */
#include <stdlib.h>
#include <string.h>

#include "cases/ranks/ranks_forest_data.h"
#include "support/counted.h"
#include "support/faults.h"

enum {
    N = 24,
    COMPONENTS = 0,
    VERIFY,
    FOREST,
    CUT,
    SHARDED_COMPONENTS,
    SHARDED_CUT,
    SHARDED_REST,
    SHARDED_VERIFY,
    CALLS
};

static bosc_msf_opts opts_of(int which)
{
    return (bosc_msf_opts){.size = sizeof(bosc_msf_opts),
                           .trees = which == CUT || which == SHARDED_CUT ? 3 : 0,
                           .replicated_bytes = which == SHARDED_REST ? 170 * N / 2 : which >= SHARDED_COMPONENTS};
}

/* Arguments and outputs of a call. */
struct faulty {
    int which;
    bosc_graph *graph;
    bosc_comm *comm;
    bosc_msf_opts opts;
    int64_t given[N], given_count;
    struct {
        int64_t edges[N], labels[N], count;
        bosc_msf_info info;
    } out;
};

static bosc_status call_any(bosc_ctx *ctx, void *user)
{
    struct faulty *f = user;
    f->out.info.size = sizeof f->out.info;
    switch (f->which) {
    case COMPONENTS:
    case SHARDED_COMPONENTS:
        return bosc_ranks_components_compute(ctx, f->comm, f->graph, &f->opts, f->out.labels, &f->out.count);
    case SHARDED_VERIFY:
    case VERIFY: return bosc_ranks_msf_verify(ctx, f->comm, f->graph, &f->opts, f->given, f->given_count, NULL);
    default:
        return bosc_ranks_msf_compute(ctx, f->comm, f->graph, &f->opts, f->out.edges, &f->out.count, f->out.labels,
                                      &f->out.info);
    }
}

static void prepare(void *user)
{
    struct faulty *f = user;
    memset(&f->out, FAULT_PATTERN, sizeof f->out);
}

static bool untouched(void *user)
{
    struct faulty *f = user;
    static unsigned char pattern[sizeof f->out];
    memset(pattern, FAULT_PATTERN, sizeof pattern);
    f->out.info.size = 0;
    memset(&f->out.info.size, FAULT_PATTERN, sizeof f->out.info.size);
    return memcmp(&f->out, pattern, sizeof pattern) == 0;
}

static void one_rank(bosc_ctx *ctx)
{
    struct suite_random r = {95};
    for (int which = 0; which < SHARDED_COMPONENTS; which++) { /* one rank has no other form */
        struct forest_graph g = forest_make(&r, FOREST_RANDOM, WEIGHTS_FEW, which % 2 ? BOSC_F64 : BOSC_U32, N);
        struct faulty f = {.which = which, .graph = forest_build(ctx, &g.e, 64, 0)};
        int64_t labels[N];
        f.opts = opts_of(which);
        f.given_count = reference_msf(&g.e, &(bosc_msf_opts){.size = sizeof f.opts}, f.given, labels);
        CHECK_OK(ctx, bosc_comm_create_self(ctx, NULL, &f.comm));
        CHECK(fault_sweep(ctx, &(struct fault_sweep){
                                   .call = call_any, .prepare = prepare, .untouched = untouched, .user = &f}) > 0);
        bosc_comm_free(f.comm);
        bosc_graph_free(f.graph);
        forest_free(&g);
    }
}

#ifdef BOSC_FAULTS
/* ---- three ranks ---- */

/* The k-th passage of any rank fails: all end with one status, and the next call is right. */
struct broken {
    struct forest_graph g;
    int which;
    int64_t k;
    bool for_good;
    _Atomic int statuses[3];
    _Atomic int reached;
};

static struct faulty rank_call(struct rank *r, const struct broken *b)
{
    struct faulty f = {.which = b->which, .comm = r->comm};
    int64_t all[N], labels[N], begin, end;
    const int64_t count = reference_msf(&b->g.e, &(bosc_msf_opts){.size = sizeof f.opts}, all, labels);
    ranks_slice(r, 5, b->g.e.m, &begin, &end);
    const struct reference_edges part = {
        N, end - begin, b->g.e.u + begin, b->g.e.v + begin, b->g.e.dtype, (const uint32_t *)b->g.e.weights + begin};
    f.graph = forest_build(r->ctx, &part, 64, 0);
    f.opts = opts_of(b->which);
    for (int64_t i = r->rank; i < count; i += r->rank_count) f.given[f.given_count++] = all[i];
    return f;
}

/* Outputs of a call that lacked memory are as before. */
static void run_with_fault(struct rank *r)
{
    struct broken *b = r->user;
    struct faulty f = rank_call(r, b);
    bosc_status status;
    prepare(&f);
    CHECK_OK(r->ctx, call_any(r->ctx, &f)); /* so that scratch is there */
    const struct faulty right = f;
    bosc_ctx_trim(r->ctx);
    prepare(&f);
    CHECK_OK(r->ctx, bosc_comm_barrier(r->ctx, r->comm));
    if (r->rank == 0) bi_fault_arm(FAULTS_OF_CALLS, b->k, b->for_good);
    (void)bosc_comm_barrier(r->ctx, r->comm); /* the fault may strike here too */
    status = call_any(r->ctx, &f);
    b->statuses[r->rank] = status;
    (void)bosc_comm_barrier(r->ctx, r->comm);
    if (r->rank == 0) b->reached = bi_fault_passages() > b->k;
    if (r->rank == 0) bi_fault_disarm();
    (void)bosc_comm_barrier(r->ctx, r->comm); /* the others may have come before that */
    CHECK_OK(r->ctx, bosc_comm_barrier(r->ctx, r->comm));
    for (int32_t k = 0; k < 3; k++) CHECK_EQ(b->statuses[k], (int)status);
    CHECK(status == BOSC_OK || status == BOSC_ERR_NOMEM || status == BOSC_ERR_DEVICE);
    if (status == BOSC_ERR_NOMEM) CHECK(untouched(&f));
    CHECK(b->reached || status == BOSC_OK);
    prepare(&f);
    CHECK_OK(r->ctx, call_any(r->ctx, &f));
    CHECK(memcmp(&f.out, &right.out, sizeof f.out) == 0);
    bosc_graph_free(f.graph);
}

static void three_ranks(bosc_ctx *ctx)
{
    struct suite_random r = {96};
    static struct broken b;
    b.g = forest_make(&r, FOREST_RANDOM, WEIGHTS_FEW, BOSC_U32, N);
    for (b.which = 0; b.which < CALLS; b.which++) {
        const bool sharded = b.which >= SHARDED_COMPONENTS; /* has thousands of points */
        const int64_t step = suite_slow(ctx) ? sharded ? 127 : 11 : sharded ? 61 : 1;
        b.reached = 1;
        for (b.k = 0; b.reached; b.k += step) {
            if (suite_leaves_out()) continue;
            b.for_good = b.k % 2;
            ranks_run(ctx, 3, 60, run_with_fault, &b);
        }
        CHECK(b.k > 4);
    }
    forest_free(&b.g);
}

#endif

/* A second call of the same shape takes no new scratch. */
static void second_call(bosc_ctx *like)
{
    struct suite_random r = {97};
    struct counted c;
    bosc_comm *comm;
    const int64_t n = suite_slow(like) ? 200 : 3000;
    struct forest_graph g = forest_make(&r, FOREST_RANDOM, WEIGHTS_RANDOM, BOSC_F32, n);
    int64_t *edges = suite_alloc((size_t)n * 8), *labels = suite_alloc((size_t)n * 8), count;
    bosc_ctx_info info = {.size = sizeof info};
    counted_open(&c, like, 0);
    bosc_graph *graph = forest_build(c.ctx, &g.e, 64, 0);
    CHECK_OK(c.ctx, bosc_comm_create_self(c.ctx, NULL, &comm));
    for (int64_t turn = 0, held = 0; turn < 2; turn++, held = info.scratch_bytes) {
        CHECK_OK(c.ctx, bosc_ranks_msf_compute(c.ctx, comm, graph, NULL, edges, &count, labels, NULL));
        CHECK_OK(c.ctx, bosc_ranks_components_compute(c.ctx, comm, graph, NULL, labels, NULL));
        CHECK_OK(c.ctx, bosc_ranks_msf_verify(c.ctx, comm, graph, NULL, edges, count, NULL));
        CHECK_OK(c.ctx, bosc_ctx_get_info(c.ctx, &info));
        if (turn) CHECK_EQ(info.scratch_bytes, held);
    }
    bosc_comm_free(comm);
    bosc_graph_free(graph);
    counted_close(&c);
    forest_free(&g);
    free(edges);
    free(labels);
}

/* Nor on each of two ranks. */
static void call_twice(struct rank *r)
{
    const struct partitioned_graph *d = r->user;
    const bosc_msf_opts sharded = opts_of(SHARDED_COMPONENTS);
    struct graph_slice p = build_graph_slice(r);
    int64_t *edges = suite_alloc((size_t)d->e.n * 8), *labels = suite_alloc((size_t)d->e.n * 8), count;
    bosc_ctx_info info = {.size = sizeof info};
    bosc_ctx_trim(r->ctx);
    for (int64_t turn = 0, held = 0; turn < 2; turn++, held = info.scratch_bytes) {
        CHECK_OK(r->ctx, bosc_ranks_msf_compute(r->ctx, r->comm, p.graph, NULL, edges, &count, labels, NULL));
        CHECK_OK(r->ctx, bosc_ranks_components_compute(r->ctx, r->comm, p.graph, NULL, labels, NULL));
        CHECK_OK(r->ctx, bosc_ranks_msf_verify(r->ctx, r->comm, p.graph, NULL, edges, count, NULL));
        CHECK_OK(r->ctx, bosc_ranks_msf_compute(r->ctx, r->comm, p.graph, &sharded, edges, &count, labels, NULL));
        CHECK_OK(r->ctx, bosc_ctx_get_info(r->ctx, &info));
        if (turn) CHECK_EQ(info.scratch_bytes, held);
    }
    bosc_graph_free(p.graph);
    free(edges);
    free(labels);
}

static void second_call_of_two(bosc_ctx *ctx)
{
    struct suite_random r = {98};
    struct forest_graph g = forest_make(&r, FOREST_RANDOM, WEIGHTS_RANDOM, BOSC_F32, suite_slow(ctx) ? 200 : 3000);
    struct partitioned_graph d = partition_graph(&g.e, &(bosc_msf_opts){.size = sizeof d.opts}, 64, 0);
    ranks_run(ctx, 2, 0, call_twice, &d);
    forest_free(&g);
}

/* Vertices without edges need almost no memory if vertices are distributed over the ranks. */
static void measure_sharded(struct rank *r)
{
    static const int64_t u[] = {0, 0, 65536}, v[] = {99999, 31, 99999};
    const bosc_msf_opts sharded = opts_of(SHARDED_COMPONENTS);
    const int64_t n = 100000, m = r->rank ? 3 : 0;
    const bosc_graph_opts opts = {.size = sizeof opts};
    bosc_ctx_info info = {.size = sizeof info};
    bosc_msf_info forest = {.size = sizeof forest};
    bosc_graph *graph;
    CHECK_OK(r->ctx, bosc_graph_create(r->ctx, &opts, &graph));
    CHECK_OK(r->ctx, bosc_graph_build(r->ctx, graph, u, v, NULL, n, m));
    bosc_ctx_trim(r->ctx);
    CHECK_OK(r->ctx, bosc_ranks_msf_compute(r->ctx, r->comm, graph, &sharded, NULL, NULL, NULL, &forest));
    CHECK_OK(r->ctx, bosc_ctx_get_info(r->ctx, &info));
    CHECK(forest.edges == 3 && forest.trees == n - 3);
    CHECK(info.scratch_bytes < 2 * n + 200 * n / r->rank_count);
    bosc_graph_free(graph);
}

static void scratch_of_eight(bosc_ctx *ctx) { ranks_run(ctx, 8, 0, measure_sharded, NULL); }

static const struct suite_case suite_cases_ranks_forest_faults[] = {
    {"one rank", one_rank, NULL},
#ifdef BOSC_FAULTS
    {"three ranks", three_ranks, NULL},
#endif
    {"second call", second_call, NULL},
    {"second call of two ranks", second_call_of_two, NULL},
    {"scratch of eight ranks", scratch_of_eight, NULL},
};
SUITE(ranks_forest_faults);
