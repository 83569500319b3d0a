/* Lifetime of graphs: rebuilds, reserve, use beyond their context, concurrent readers, failed allocations. */
#include "cases/graph/graph_data.h"
#include "support/counted.h"
#include "support/faults.h"
#include "support/saved.h"

static bosc_graph *new_graph(bosc_ctx *ctx, const bosc_graph_opts *o)
{
    bosc_graph *graph = NULL;
    CHECK_OK(ctx, bosc_graph_create(ctx, o, &graph));
    return graph;
}

/* One handle for graphs that grow, shrink and become empty. */
static void rebuild(bosc_ctx *ctx)
{
    static const int64_t sizes[][2] = {{10, 20}, {200, 500}, {0, 0}, {3, 1}, {50, 0}, {200, 500}, {300, 400}, {1, 5}};
    for (int both = 0; both < 2; both++) {
        bosc_graph_opts o = {.size = sizeof o, .weight = BOSC_F64, .id_bits = 64, .wide = both};
        bosc_graph *graph = new_graph(ctx, &o);
        for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
            struct graph_entries e =
                graph_make(k, k % GRAPH_SHAPES, sizes[k][0], sizes[k][1], o.weight, k % 2 ? FEW_VALUES : RANDOM);
            CHECK_OK(ctx, graph_build(ctx, &o, graph, &e, both && has_device_memory(ctx)));
            graph_check(ctx, &o, graph, &e, false);
            graph_free_entries(&e);
        }
        bosc_graph_free(graph);
    }
}

/* A graph that was never built has no vertices. */
static void fresh(bosc_ctx *ctx)
{
    bosc_graph_opts o = {.size = sizeof o, .weight = BOSC_U32, .id_bits = 64};
    struct graph_entries nothing = {0};
    bosc_graph *graph = NULL;
    CHECK_OK(ctx, bosc_graph_create(ctx, NULL, &graph));
    graph_check(ctx, &o, graph, &nothing, false);
    bosc_graph_free(graph);
}

static bosc_graph_opts options(int k)
{
    return (bosc_graph_opts){.size = sizeof(bosc_graph_opts),
                             .weight = k & 1 ? BOSC_F64 : BOSC_I32,
                             .id_bits = 32 << (k & 1),
                             .arcs = k & 2 ? BOSC_GRAPH_ARCS_BOTH : BOSC_GRAPH_ARCS_ONE,
                             .parallel = (bosc_graph_parallel)(k >> 2 & 3),
                             .nan = k & 1 ? BOSC_GRAPH_NAN_DROP : BOSC_GRAPH_NAN_REFUSE,
                             .drop_loops = k >> 4 & 1,
                             .wide = k >> 4 & 1};
}

/* Entries for these options; if arcs are given in both directions, the second ones are in another order. */
static struct graph_entries entries_for(const bosc_graph_opts *o, uint64_t seed, int64_t n, int64_t m)
{
    struct graph_entries e = graph_make(seed, GRAPH_DENSE, n, m, o->weight, SMALL_INTEGERS);
    size_t size = bosc_dtype_size(o->weight);
    int64_t half = m / 2;
    if (o->arcs == BOSC_GRAPH_ARCS_ONE) return e;
    for (int64_t i = 0; i < half; i++) {
        e.u[i] = e.u[i] == e.v[i] ? (e.v[i] + 1) % n : e.u[i];
        int64_t j = m - 1 - i;
        e.u[j] = e.v[i];
        e.v[j] = e.u[i];
        memcpy((char *)e.weights + (size_t)j * size, (char *)e.weights + (size_t)i * size, size);
    }
    return e;
}

/* A build after a reserve, or after a build of the same size, allocates nothing. */
static void second_build(bosc_ctx *like)
{
    for (int k = 0; k < 64; k++) {
        if (suite_leaves_out()) continue;
        struct counted c;
        counted_open(&c, like, 0);
        bosc_ctx *ctx = c.ctx;
        bosc_graph_opts o = options(k % 32);
        int64_t n = 300, m = suite_slow(like) ? 400 : 3000;
        bosc_graph *graph = new_graph(ctx, &o);
        struct graph_entries e = entries_for(&o, (uint64_t)k, n, m), part = entries_for(&o, 9, n / 2, m / 3 / 2 * 2);
        if (k < 32)
            CHECK_OK(ctx, bosc_graph_reserve(ctx, graph, n, m));
        else
            CHECK_OK(ctx, graph_build(ctx, &o, graph, &e, false));
        int64_t before = c.allocations;
        CHECK_OK(ctx, graph_build(ctx, &o, graph, &e, false));
        CHECK_EQ(c.allocations, before);
        CHECK_OK(ctx, graph_build(ctx, &o, graph, &part, false));
        if (k < 32) CHECK_EQ(c.allocations, before);
        bosc_graph_free(graph);
        graph_free_entries(&e);
        graph_free_entries(&part);
        counted_close(&c);
    }
}

/* A graph keeps its rows when it reserves more; bosc_graph_bytes returns the size. */
static void reserve(bosc_ctx *ctx)
{
    for (int k = 0; k < 4; k++) {
        bosc_graph_opts o = options(k);
        struct graph_entries e = entries_for(&o, 4, 20, 40);
        bosc_graph *graph = new_graph(ctx, &o);
        bosc_graph_info info = {.size = sizeof info};
        int64_t kept = 0, scratch = 0;
        CHECK_OK(ctx, graph_build(ctx, &o, graph, &e, false));
        CHECK_OK(ctx, bosc_graph_reserve(ctx, graph, 10, 10));
        CHECK_OK(ctx, bosc_graph_reserve(ctx, graph, 1000, 2000));
        graph_check(ctx, &o, graph, &e, false);
        CHECK_OK(ctx, bosc_graph_bytes(ctx, &o, 1000, 2000, &kept, &scratch));
        CHECK_EQ(bosc_graph_get_info(ctx, graph, &info), BOSC_OK);
        CHECK(kept == info.bytes && scratch > 0);
        bosc_graph_free(graph);
        graph_free_entries(&e);
    }
}

static bosc_ctx *open_like(bosc_ctx *like)
{
    bosc_ctx_opts o = suite_opts_like(like);
    return suite_open(&o);
}

static void outlive(bosc_ctx *ctx)
{
    bosc_graph_opts o = options(0);
    struct graph_entries e = entries_for(&o, 4, 20, 40);
    bosc_ctx *first = open_like(ctx);
    bosc_graph *graph = new_graph(first, &o);
    CHECK_OK(first, graph_build(first, &o, graph, &e, false));
    bosc_ctx_free(first);
    graph_check(ctx, &o, graph, &e, false);
    bosc_graph_free(graph);
    graph_free_entries(&e);
}

/* Several contexts read one graph at once. */
static void many_contexts(bosc_ctx *ctx)
{
    enum { CONTEXTS = 4, N = 100, M = 300 };
    bosc_graph_opts o = options(1);
    struct graph_entries e = entries_for(&o, 4, N, M);
    bosc_graph *graph = new_graph(ctx, &o);
    bosc_ctx *contexts[CONTEXTS];
    static int64_t ids[CONTEXTS][M];
    bosc_status status[CONTEXTS];
    CHECK_OK(ctx, graph_build(ctx, &o, graph, &e, false));
    for (int i = 0; i < CONTEXTS; i++) contexts[i] = open_like(ctx);
#pragma omp parallel for num_threads(CONTEXTS) schedule(static, 1)
    for (int i = 0; i < CONTEXTS; i++) status[i] = bosc_graph_get_edges(contexts[i], graph, ids[i], NULL, NULL, NULL);
    for (int i = 0; i < CONTEXTS; i++) {
        CHECK_EQ(status[i], BOSC_OK);
        CHECK(memcmp(ids[i], ids[0], sizeof ids[0]) == 0);
        bosc_ctx_free(contexts[i]);
    }
    bosc_graph_free(graph);
    graph_free_entries(&e);
}

/* The subject of a fault sweep: a graph of 20 edges is rebuilt with 50. After a lack of memory it is unchanged or
 * empty. */
struct faulty {
    bosc_graph_opts opts;
    struct graph_entries small, large;
    struct reference_graph expected;
    int64_t ids[64], degrees[16], small_degrees[16];
    bool reserve;
    bosc_ctx *ctx; /* of `failed`: the graph that ran out of memory, checked after the message was read */
    bosc_graph *failed;
};

static void *as_ids(const bosc_graph_opts *o, const int64_t *from, int64_t m)
{
    void *ids = suite_alloc((size_t)m * 8);
    for (int64_t i = 0; i < m; i++)
        if (o->id_bits == 32)
            ((uint32_t *)ids)[i] = (uint32_t)from[i];
        else
            ((int64_t *)ids)[i] = from[i];
    return ids;
}

static bosc_status build_host(bosc_ctx *ctx, const struct faulty *f, bosc_graph *graph, const struct graph_entries *e)
{
    void *u = as_ids(&f->opts, e->u, e->m), *v = as_ids(&f->opts, e->v, e->m);
    bosc_status status = bosc_graph_build(ctx, graph, u, v, e->weights, e->n, e->m);
    free(u);
    free(v);
    return status;
}

static bosc_status rebuild_with_faults(bosc_ctx *ctx, void *user)
{
    struct faulty *f = user;
    bosc_graph *graph = NULL;
    f->failed = NULL;
    bosc_status status = bosc_graph_create(ctx, &f->opts, &graph);
    if (status != BOSC_OK) return status;
    status = build_host(ctx, f, graph, &f->small);
    if (status == BOSC_OK && f->reserve) status = bosc_graph_reserve(ctx, graph, 20, 100);
    if (status == BOSC_OK) status = bosc_graph_get_degrees(ctx, graph, f->small_degrees);
    if (status == BOSC_OK) status = build_host(ctx, f, graph, &f->large);
    if (status == BOSC_ERR_NOMEM) {
        f->ctx = ctx;
        f->failed = graph;
        return status;
    }
    if (status == BOSC_OK) status = bosc_graph_get_degrees(ctx, graph, f->degrees);
    if (status == BOSC_OK) status = bosc_graph_get_edges(ctx, graph, f->ids, NULL, NULL, NULL);
    bosc_graph_free(graph);
    return status;
}

static void prepare(void *user) { memset(((struct faulty *)user)->ids, 0x77, sizeof((struct faulty *)user)->ids); }

static bool untouched(void *user)
{
    struct faulty *f = user;
    bosc_graph_info info = {.size = sizeof info};
    int64_t degrees[16];
    for (int i = 0; i < 64; i++)
        if (f->ids[i] != 0x7777777777777777) return false;
    if (!f->failed) return true;
    bool intact = bosc_graph_get_info(f->ctx, f->failed, &info) == BOSC_OK;
    if (intact && info.entries > 0)
        intact = info.entries == f->small.m && info.n == f->small.n &&
                 bosc_graph_get_degrees(f->ctx, f->failed, degrees) == BOSC_OK &&
                 memcmp(degrees, f->small_degrees, (size_t)info.n * sizeof *degrees) == 0;
    bosc_graph_free(f->failed);
    return intact;
}

static bool right(void *user)
{
    struct faulty *f = user;
    for (int64_t e = 0; e < f->expected.m; e++)
        if (graph_id(&f->opts, f->ids, e) != f->expected.edges[e].id) return false;
    return true;
}

static void faults(bosc_ctx *ctx)
{
    static const int kinds[] = {0, 7, 11, 14, 18, 29};
    for (int k = 0; k < 6; k++) {
        struct faulty f = {.opts = options(kinds[k]), .reserve = k % 3 == 0};
        f.small = entries_for(&f.opts, 1, 9, 20);
        f.large = entries_for(&f.opts, 2, 12, 50);
        struct reference_entries in = graph_reference(&f.large);
        int64_t bad;
        CHECK(reference_build(&f.opts, &in, &f.expected, &bad));
        struct fault_sweep sweep = {
            .call = rebuild_with_faults, .prepare = prepare, .untouched = untouched, .right = right, .user = &f};
        CHECK(fault_sweep(ctx, &sweep) > 3);
        sweep.kinds = BI_FAULT_LAUNCH_MEMORY; /* on CUDA */
        sweep.may_pass_none = true;
        fault_sweep(ctx, &sweep);
        reference_graph_free(&f.expected);
        graph_free_entries(&f.small);
        graph_free_entries(&f.large);
    }
}

/* Faults while a ring whose vertices name two others each is taken from CSR rows, and copied out in every way. */
enum { VERTICES = 12, ENTRIES = 2 * VERTICES, ARCS = 2 * ENTRIES };
struct ring {
    int64_t offsets[VERTICES + 1], neighbours[ENTRIES];
    float weights[ENTRIES];
    struct ring_outputs {
        int64_t offsets[VERTICES + 1], neighbours[ARCS], edges[ARCS], u[ENTRIES], v[ENTRIES];
        float arc_weights[ARCS], weights[ENTRIES];
    } out;
};

static bosc_status copy_out(bosc_ctx *ctx, void *user)
{
    struct ring *r = user;
    bosc_graph *graph = NULL;
    bosc_graph_opts o = {.size = sizeof o, .weight = BOSC_F32, .id_bits = 64};
    bosc_status status = bosc_graph_create(ctx, &o, &graph);
    if (status == BOSC_OK) status = bosc_graph_build_rows(ctx, graph, r->offsets, r->neighbours, r->weights, VERTICES);
    const struct ring_outputs kept = r->out;
    if (status == BOSC_OK)
        status = bosc_graph_get_rows(ctx, graph, r->out.offsets, r->out.neighbours, r->out.arc_weights, r->out.edges);
    if (status == BOSC_OK) {
        status = bosc_graph_get_edges(ctx, graph, NULL, r->out.u, r->out.v, r->out.weights);
        if (status != BOSC_OK) r->out = kept; /* undo what the first of the two calls wrote */
    }
    bosc_graph_free(graph);
    return status;
}

static void ring_faults(bosc_ctx *ctx)
{
    struct ring *r = suite_alloc(sizeof *r);
    for (int64_t i = 0; i <= VERTICES; i++) r->offsets[i] = 2 * i;
    for (int64_t i = 0; i < ENTRIES; i++) {
        r->neighbours[i] = (i / 2 + 1 + i % 2) % VERTICES;
        r->weights[i] = (float)(i * 7 % 5);
    }
    struct fault_sweep sweep = {.call = copy_out, .user = r, .outputs = &r->out, .output_bytes = sizeof r->out};
    CHECK(fault_sweep(ctx, &sweep) > 3);
    free(r);
}

/* Faults while a graph is saved and read back. */
struct stream {
    struct saved file;
    struct graph_entries entries;
    bosc_graph_opts opts;
    int64_t degrees[16];
};

static bosc_status save_and_read(bosc_ctx *ctx, void *user)
{
    struct stream *s = user;
    bosc_graph *graph = NULL, *back = NULL;
    s->file.size = s->file.at = 0;
    bosc_status status = bosc_graph_create(ctx, &s->opts, &graph);
    if (status != BOSC_OK) return status;
    status = bosc_graph_build(ctx, graph, s->entries.u, s->entries.v, NULL, s->entries.n, s->entries.m);
    if (status == BOSC_OK) status = bosc_graph_write(ctx, graph, saved_append, &s->file);
    if (status == BOSC_OK) status = bosc_graph_read(ctx, saved_deliver, &s->file, &back);
    if (status == BOSC_OK) status = bosc_graph_get_degrees(ctx, back, s->degrees);
    bosc_graph_free(graph);
    bosc_graph_free(back);
    return status;
}

static bool read_right(void *user)
{
    struct stream *s = user;
    int64_t sum = 0;
    for (int64_t u = 0; u < s->entries.n; u++) sum += s->degrees[u];
    return s->file.at == s->file.size && sum == 2 * s->entries.m;
}

static void file_faults(bosc_ctx *ctx)
{
    struct stream s = {.opts = {.size = sizeof s.opts, .weight = BOSC_F32}};
    s.entries = graph_make(2, GRAPH_DENSE, 12, 30, BOSC_F32, RANDOM);
    struct fault_sweep sweep = {.call = save_and_read, .right = read_right, .user = &s};
    CHECK(fault_sweep(ctx, &sweep) > 3);
    graph_free_entries(&s.entries);
    free(s.file.bytes);
}

static const struct suite_case suite_cases_graph_life[] = {
    {"rebuild", rebuild, NULL},
    {"fresh", fresh, NULL},
    {"second build", second_build, NULL},
    {"reserve", reserve, NULL},
    {"outlive", outlive, NULL},
    {"many contexts", many_contexts, NULL},
    {"faults", faults, NULL},
    {"ring faults", ring_faults, NULL},
    {"file faults", file_faults, NULL},
};
SUITE(graph_life);
