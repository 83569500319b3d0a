/* Each allocation, copy and launch of each call on cell graphs over ranks fails in turn, on one rank and on one of
 * several. The graph is then as before, or empty. */
#include "cases/plan/cells_data.h"
#include "cases/ranks/ranks_faults.h"

enum { N = 60, WORDS = 2, EDGES = 8 * N, OUT = (3 * N + 2 * EDGES) * 8 };

enum verb { CREATE, BUILD, RESERVE, GET_VERTICES, GET_PAIRS, COMPONENTS };

static const bosc_cellgraph_opts options = {.size = sizeof options, .length = 40, .letter_bits = 3, .id_bits = 64};

/* A graph of rows of its rank, and more of them. */
struct subject {
    bosc_ranks_cellgraph *graph;
    struct reference_cells cells;
};

static enum verb verb_of_ranks;

static struct subject *open_subject(bosc_ctx *ctx, bosc_comm *comm, int rank)
{
    struct subject *s = suite_alloc(sizeof *s);
    struct suite_random r = {71 + (uint64_t)rank % 2}; /* ranks 0 and 2 have equal rows */
    s->cells = cells_make(&r, CELLS_WALK, options.length, options.letter_bits, 2 * N, 0);
    CHECK_EQ(s->cells.stride, WORDS);
    CHECK_OK(ctx, bosc_ranks_cellgraph_create(ctx, comm, &options, &s->graph));
    CHECK_OK(ctx, bosc_ranks_cellgraph_build(ctx, s->graph, s->cells.rows, N, 0));
    return s;
}

static void close_subject(struct subject *s)
{
    bosc_ranks_cellgraph_free(s->graph);
    free(s->cells.rows);
    free(s);
}

static bosc_status get_pairs(bosc_ctx *ctx, const struct subject *s, unsigned char *out)
{
    bosc_ranks_cellgraph_info info = {.size = sizeof info};
    CHECK_OK(ctx, bosc_ranks_cellgraph_get_info(ctx, s->graph, &info));
    CHECK(info.own_edges > 0 && info.own_edges <= EDGES);
    return bosc_ranks_cellgraph_get_pairs(ctx, s->graph, out, (uint32_t *)(void *)(out + (size_t)info.own_edges * 16));
}

static bosc_status run_verb(bosc_ctx *ctx, bosc_comm *comm, struct subject *s, enum verb verb, unsigned char *out)
{
    static const uint8_t mask[2 * N] = {1, 0, 1, 1, 1, 0, 1, 1, 0, 1, 1}; /* more than the rank's vertices */
    bosc_ranks_cellgraph *made = NULL;
    bosc_status status;
    switch (verb) {
    case CREATE:
        status = bosc_ranks_cellgraph_create(ctx, comm, &options, &made);
        CHECK((status == BOSC_OK) == (made != NULL));
        bosc_ranks_cellgraph_free(made);
        return status;
    case BUILD: return bosc_ranks_cellgraph_build(ctx, s->graph, s->cells.rows, 2 * N, 0);
    case RESERVE: return bosc_ranks_cellgraph_reserve(ctx, s->graph, 3 * N, 9 * N, EDGES);
    case GET_VERTICES:
        return bosc_ranks_cellgraph_get_vertices(ctx, s->graph, (uint64_t *)(void *)out, out + 16 * N,
                                                 (int64_t *)(void *)(out + 24 * N), out + 32 * N);
    case GET_PAIRS: return get_pairs(ctx, s, out);
    default: return bosc_ranks_cellgraph_components_masked(ctx, s->graph, mask, out + 8, (int64_t *)(void *)out);
    }
}

/* After a failed build the graph is whole or empty. */
static void check_left(bosc_ctx *ctx, const struct subject *s)
{
    bosc_ranks_cellgraph_info info = {.size = sizeof info};
    CHECK_OK(ctx, bosc_ranks_cellgraph_get_info(ctx, s->graph, &info));
    if (verb_of_ranks != BUILD)
        CHECK_EQ(info.own_n, N);
    else if (info.n == 0)
        CHECK(!info.vertices && !info.edges && !info.own_n && !info.own_vertices && !info.own_edges);
    else
        CHECK(info.vertices && info.edges && (info.own_n == N || info.own_n == 2 * N));
}

/* ---- one rank ---- */

struct alone {
    enum verb verb;
    bosc_ctx *ctx;
    bosc_comm *comm;
    struct subject *subject;
    unsigned char out[OUT];
};

static void open_alone(bosc_ctx *ctx, void *user)
{
    struct alone *a = user;
    a->ctx = ctx;
    CHECK_OK(ctx, bosc_comm_create_self(ctx, NULL, &a->comm));
    a->subject = open_subject(ctx, a->comm, 0);
}

static void close_alone(void *user)
{
    struct alone *a = user;
    close_subject(a->subject);
    bosc_comm_free(a->comm);
}

/* Each call gets the same graph. */
static void prepare_alone(void *user)
{
    struct alone *a = user;
    check_left(a->ctx, a->subject);
    close_subject(a->subject);
    a->subject = open_subject(a->ctx, a->comm, 0);
}

static bosc_status call_alone(bosc_ctx *ctx, void *user)
{
    struct alone *a = user;
    return run_verb(ctx, a->comm, a->subject, a->verb, a->out);
}

/* ---- three ---- */

static void *open_rank(struct rank *r) { return open_subject(r->ctx, r->comm, r->rank); }

static void close_rank(struct rank *r, void *state)
{
    check_left(r->ctx, state);
    close_subject(state);
}

static bosc_status call_rank(struct rank *r, void *state, unsigned char *out)
{
    return run_verb(r->ctx, r->comm, state, verb_of_ranks, out);
}

/* Copies are a rank's own: one of three makes them while the others wait. */
static void copy_on_one(struct rank *r)
{
#ifdef BOSC_FAULTS
    struct subject *s = open_subject(r->ctx, r->comm, r->rank);
    static unsigned char out[OUT], want[OUT];
    bool met = r->rank == 1;
    if (met) {
        memset(want, FAULT_PATTERN, OUT);
        CHECK_OK(r->ctx, call_rank(r, s, want));
    }
    for (int64_t k = 0; met; k++) {
        memset(out, FAULT_PATTERN, OUT);
        bi_fault_arm(FAULTS_OF_CALLS, k, false);
        const bosc_status status = call_rank(r, s, out);
        met = bi_fault_passages() > k;
        bi_fault_disarm();
        CHECK(status == BOSC_OK || (met && (status == BOSC_ERR_NOMEM || status == BOSC_ERR_DEVICE)));
        for (size_t i = 0; i < OUT && status == BOSC_ERR_NOMEM; i++) CHECK(out[i] == FAULT_PATTERN);
        if (status == BOSC_OK) CHECK(memcmp(out, want, OUT) == 0);
    }
    ranks_fault_barrier(r);
    close_subject(s);
#else
    (void)r;
#endif
}

static void sweep(bosc_ctx *ctx, enum verb verb)
{
    static struct alone a;
    a.verb = verb_of_ranks = verb;
    const struct fault_sweep alone = {.call = call_alone,
                                      .open = open_alone,
                                      .close = close_alone,
                                      .prepare = prepare_alone,
                                      .user = &a,
                                      .outputs = a.out,
                                      .output_bytes = OUT};
    struct ranks_fault ranks = {.open = open_rank, .call = call_rank, .close = close_rank, .bytes = OUT};
    fault_sweep(ctx, &alone);
    if (verb == GET_VERTICES || verb == GET_PAIRS)
        ranks_run(ctx, RANKS_FAULT_COUNT, 0, copy_on_one, &ranks);
    else
        ranks_fault_sweep(ctx, &ranks);
}

static void create(bosc_ctx *ctx) { sweep(ctx, CREATE); }
static void build(bosc_ctx *ctx) { sweep(ctx, BUILD); }
static void reserve(bosc_ctx *ctx) { sweep(ctx, RESERVE); }
static void get_vertices(bosc_ctx *ctx) { sweep(ctx, GET_VERTICES); }
static void pairs(bosc_ctx *ctx) { sweep(ctx, GET_PAIRS); }
static void components(bosc_ctx *ctx) { sweep(ctx, COMPONENTS); }

static const struct suite_case suite_cases_ranks_cellgraph_faults[] = {
    {"create", create, NULL},         {"reserve", reserve, NULL}, {"build", build, NULL},
    {"vertices", get_vertices, NULL}, {"pairs", pairs, NULL},     {"components", components, NULL},
};
SUITE(ranks_cellgraph_faults);
