/* Each allocation, copy and launch of the calls fails in turn. */
#include "cases/paths/paths_data.h"
#include "support/faults.h"

enum { N = 80 };

struct subject {
    struct forest_graph g;
    bosc_graph *graph;
    bosc_paths_opts opts;
    int64_t source;
    uint64_t distances[N];
    int64_t predecessors[N];
    struct {
        uint64_t distances[N];
        int64_t predecessors[N], edges[N], nearest[N];
    } out;
};

static void open_graph(bosc_ctx *ctx, void *user)
{
    struct subject *s = user;
    s->graph = forest_build(ctx, &s->g.e, 64, 0);
}

static void close_graph(void *user) { bosc_graph_free(((struct subject *)user)->graph); }

static bosc_status compute(bosc_ctx *ctx, void *user)
{
    struct subject *s = user;
    return bosc_paths_compute(ctx, s->graph, &s->source, 1, &s->opts, s->out.distances, s->out.predecessors,
                              s->out.edges, s->out.nearest, NULL);
}

static bosc_status compute_rows(bosc_ctx *ctx, void *user)
{
    static const int64_t offsets[5] = {0, 2, 3, 4, 4}, neighbours[4] = {1, 2, 3, 3};
    static const float weights[4] = {1, 0, 2, 0};
    struct subject *s = user;
    const bosc_graph_opts o = {.size = sizeof o, .weight = BOSC_F32};
    const int64_t source = 0;
    return bosc_paths_compute_rows(ctx, &o, offsets, neighbours, weights, 4, &source, 1, &s->opts, s->out.distances,
                                   s->out.predecessors, NULL, NULL, NULL);
}

static bosc_status order_rows(bosc_ctx *ctx, void *user)
{
    static const int64_t offsets[5] = {0, 2, 3, 4, 4}, neighbours[4] = {1, 2, 3, 3};
    struct subject *s = user;
    int64_t count;
    return bosc_paths_order_rows(ctx, NULL, offsets, neighbours, 4, 0, &s->opts, s->out.edges, s->out.predecessors,
                                 &count);
}

static bosc_status verify(bosc_ctx *ctx, void *user)
{
    struct subject *s = user;
    return bosc_paths_verify(ctx, s->graph, &s->source, 1, &s->opts, s->distances, s->predecessors, NULL);
}

static bosc_status route(bosc_ctx *ctx, void *user)
{
    struct subject *s = user;
    int64_t length;
    return bosc_paths_route(ctx, s->predecessors, N, 64, N - 1, s->out.predecessors, N, &length);
}

/* Some lengths are 0, so that all phases run. In builds without fault points a call on CUDA may pass none: a sweep
 * checks by itself that calls pass some in the other builds. */
static void faults(bosc_ctx *ctx)
{
    for (int trial = 0; trial < 3; trial++) {
        struct suite_random r = {(uint64_t)trial};
        struct subject s = {.g = paths_make(&r, FOREST_COMB, WEIGHTS_FEW, trial == 1 ? BOSC_F32 : BOSC_U64, N)};
        s.opts = (bosc_paths_opts){.size = sizeof s.opts, .algorithm = trial == 2, .width = trial == 0 ? 1 : 0};
        /* 1. The computation. */
        struct fault_sweep sweep = {.step = suite_emulated(ctx) ? 5 : 1,
                                    .open = open_graph,
                                    .close = close_graph,
                                    .call = compute,
                                    .user = &s,
                                    .outputs = &s.out,
                                    .output_bytes = sizeof s.out};
        fault_sweep(ctx, &sweep);
        /* 2. The other calls, on its results. */
        open_graph(ctx, &s);
        CHECK_OK(ctx, compute(ctx, &s));
        memcpy(s.distances, s.out.distances, sizeof s.distances);
        memcpy(s.predecessors, s.out.predecessors, sizeof s.predecessors);
        close_graph(&s);
        sweep.call = verify;
        fault_sweep(ctx, &sweep);
        sweep.call = compute_rows;
        fault_sweep(ctx, &sweep);
        sweep.call = order_rows;
        fault_sweep(ctx, &sweep);
        sweep.call = route;
        sweep.may_pass_none = true;
        fault_sweep(ctx, &sweep);
        forest_free(&s.g);
    }
}

static const struct suite_case suite_cases_paths_faults[] = {
    {"faults", faults, NULL},
};
SUITE(paths_faults);
