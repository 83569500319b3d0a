/* Saved graphs read by ranks: their slices together are the saved graph, each rank reads only its share of the bytes,
 * and every file that one context refuses is refused on all ranks. */
#include <boscage/ranks/forest.h>
#include <boscage/ranks/graph.h>

#include "cases/ranks/ranks_faults.h"
#include "cases/graph/graph_data.h"
#include "comm/comm.h"
#include "graph/save.h"
#include "support/ranks.h"
#include "support/saved.h"

SAVED_KIND(graph, "saved graph: ", bi_graph_header)

/* Edges in the order of their ids, which are of 64 bits; and the forest's. */
struct edges {
    int64_t m, *ids, *u, *v;
    char *weights;
};

struct trial {
    struct saved file;
    bosc_status verdict; /* of one context */
    struct edges edges;
    int64_t n, entries, forest_count, *forest;
    bosc_dtype weight;
    int32_t id_bits;
};

static struct edges get_edges(bosc_ctx *ctx, const bosc_graph *graph)
{
    bosc_graph_info info = {.size = sizeof info};
    CHECK_OK(ctx, bosc_graph_get_info(ctx, graph, &info));
    const size_t m = (size_t)info.m;
    struct edges e = {.m = info.m,
                      .ids = suite_alloc(m * 8),
                      .u = suite_alloc(m * 8),
                      .v = suite_alloc(m * 8),
                      .weights = suite_alloc(m * bosc_dtype_size(info.weight))};
    CHECK_OK(ctx, bosc_graph_get_edges(ctx, graph, e.ids, e.u, e.v, e.weights));
    for (int64_t i = info.m; info.id_bits == 32 && i-- > 0;) {
        e.ids[i] = ((uint32_t *)e.ids)[i];
        e.u[i] = ((uint32_t *)e.u)[i];
        e.v[i] = ((uint32_t *)e.v)[i];
    }
    return e;
}

static void free_edges(struct edges *e)
{
    free(e->ids);
    free(e->u);
    free(e->v);
    free(e->weights);
}

/* The verdict of one context on the bytes. */
static void expect(bosc_ctx *ctx, struct trial *t)
{
    bosc_graph *graph = NULL;
    bosc_graph_info info = {.size = sizeof info};
    bosc_msf_info forest = {.size = sizeof forest};
    t->file.at = 0;
    t->verdict = bosc_graph_read(ctx, saved_deliver, &t->file, &graph);
    t->edges = (struct edges){0};
    t->forest = NULL;
    if (t->verdict != BOSC_OK) return;
    CHECK_OK(ctx, bosc_graph_get_info(ctx, graph, &info));
    t->n = info.n;
    t->entries = info.entries;
    t->weight = info.weight;
    t->id_bits = info.id_bits;
    t->edges = get_edges(ctx, graph);
    t->forest = suite_alloc((size_t)info.m * 8);
    CHECK_OK(ctx, bosc_msf_compute(ctx, graph, NULL, t->forest, NULL, &forest));
    t->forest_count = forest.edges;
    bosc_graph_free(graph);
}

static void forget(struct trial *t)
{
    free_edges(&t->edges);
    free(t->forest);
}

/* ---- a rank ---- */

enum { MOST_ENTRIES = 1 << 20 /* forests take memory for each */ };

struct source {
    const struct saved *file;
    int64_t bytes; /* read */
};

/* A bosc_read_at_fn. */
static int deliver_at(void *user, int64_t offset, void *bytes, size_t count)
{
    struct source *s = user;
    if (offset < 0 || (size_t)offset > s->file->size || s->file->size - (size_t)offset < count) return 1;
    memcpy(bytes, s->file->bytes + offset, count);
    s->bytes += (int64_t)count;
    return 0;
}

/* This rank's edges are those of the whole graph that have its entries' ids. */
static void check_edges(const struct rank *r, const struct trial *t, const bosc_graph *graph,
                        const bosc_ranks_graph_info *info)
{
    const size_t size = bosc_dtype_size(t->weight);
    struct edges e = get_edges(r->ctx, graph);
    int64_t at = 0;
    while (at < t->edges.m && t->edges.ids[at] < info->first_entry) at++;
    for (int64_t i = 0; i < e.m; i++) {
        CHECK_EQ(info->first_entry + e.ids[i], t->edges.ids[at + i]);
        CHECK(e.u[i] == t->edges.u[at + i] && e.v[i] == t->edges.v[at + i]);
    }
    CHECK(memcmp(e.weights, t->edges.weights + (size_t)at * size, (size_t)e.m * size) == 0);
    CHECK(at + e.m == t->edges.m || t->edges.ids[at + e.m] >= info->first_entry + info->own_entries);
    free_edges(&e);
}

static void check_forest(const struct rank *r, const struct trial *t, const bosc_graph *graph)
{
    int64_t *edges = suite_alloc((size_t)t->edges.m * 8), count, before = 0, at = 0;
    CHECK_OK(r->ctx, bosc_ranks_msf_compute(r->ctx, r->comm, graph, NULL, edges, &count, NULL, NULL));
    int64_t counts[8];
    CHECK_OK(r->ctx, bi_comm_all_gather(r->ctx, r->comm, &count, sizeof count, counts));
    for (int32_t k = 0; k < r->rank; k++) before += counts[k];
    const size_t id = (size_t)t->id_bits / 8;
    CHECK(memcmp(edges, (char *)t->forest + (size_t)before * id, (size_t)count * id) == 0);
    for (int32_t k = 0; k < r->rank_count; k++) at += counts[k];
    CHECK_EQ(at, t->forest_count);
    free(edges);
}

static void read_rank(struct rank *r)
{
    const struct trial *t = r->user;
    struct source source = {.file = &t->file};
    bosc_graph *graph = NULL;
    bosc_ranks_graph_info info = {.size = sizeof info};
    const bosc_status status = bosc_ranks_graph_read(r->ctx, r->comm, deliver_at, &source, &graph, &info);
    CHECK_EQ(status, t->verdict);
    CHECK((status == BOSC_OK) == (graph != NULL));
    if (status != BOSC_OK) CHECK(strstr(bosc_ctx_message(r->ctx), "saved graph: "));
    if (status != BOSC_OK) return;
    CHECK(info.n == t->n && info.m == t->edges.m && info.entries == t->entries);
    check_edges(r, t, graph, &info);
    if (t->entries <= MOST_ENTRIES) check_forest(r, t, graph);
    bosc_graph_free(graph);
}

/* ---- cases ---- */

static struct saved save_built_graph(bosc_ctx *ctx, const bosc_graph_opts *o, const struct graph_entries *e)
{
    bosc_graph *graph = NULL;
    CHECK_OK(ctx, bosc_graph_create(ctx, o, &graph));
    CHECK_OK(ctx, graph_build(ctx, o, graph, e, false));
    const struct saved file = graph_save(ctx, graph);
    bosc_graph_free(graph);
    return file;
}

static void round_trip(bosc_ctx *ctx)
{
    static const int64_t sizes[][2] = {{0, 0}, {1, 0}, {1, 2}, {40, 100}, {300, 90}, {70, 500}};
    for (int k = 0; k < 42; k++) {
        const bosc_graph_opts o = graph_trial_opts(k);
        if (suite_leaves_out()) continue;
        struct graph_entries e =
            graph_make((uint64_t)k, k % GRAPH_SHAPES, sizes[k / 7][0], sizes[k / 7][1], o.weight, SPECIAL);
        struct trial t = {.file = save_built_graph(ctx, &o, &e)};
        expect(ctx, &t);
        CHECK_EQ(t.verdict, BOSC_OK);
        EACH_RANK_COUNT((uint64_t)k, ranks) ranks_run(ctx, ranks, 0, read_rank, &t);
        forget(&t);
        free(t.file.bytes);
        graph_free_entries(&e);
    }
}

/* Every truncation, and a flipped bit of each byte: the ranks return the verdict of one context. */
static void damage_rank(struct rank *r)
{
    const struct trial *whole = r->user;
    struct trial t = {.verdict = BOSC_ERR_FORMAT};
    saved_append(&t.file, whole->file.bytes, whole->file.size);
    struct rank own = *r;
    own.user = &t;
    for (t.file.size = 0; t.file.size < whole->file.size; t.file.size++) {
        read_rank(&own);
        CHECK(strstr(bosc_ctx_message(r->ctx), "it ends within its "));
    }
    for (size_t at = 0; at < t.file.size; at++) {
        t.file.bytes[at] ^= (char)(1 << at % 8);
        read_rank(&own);
        t.file.bytes[at] ^= (char)(1 << at % 8);
    }
    free(t.file.bytes);
}

/* Changes every word, and corrects the hash: the ranks accept the file exactly if one context accepts it. */
static void lie(bosc_ctx *ctx, const struct saved *file, int32_t ranks)
{
    static const uint32_t lies[] = {0, 1, 2, 5, 9, UINT32_MAX};
    const size_t words = file->size / 4 - 2, header = saved_graph.header / 4;
    int64_t believed = 0, left_out = 0;
    for (size_t at = 0; at < words; at++)
        for (int k = 0; k < 7; k++) {
            uint32_t word;
            memcpy(&word, file->bytes + 4 * at, 4);
            const uint32_t value = k == 6 ? word + 1 : lies[k];
            if (at == header || at == header + 1 || value == word) continue;
            if (suite_leaves_out()) {
                left_out++;
                continue;
            }
            struct trial t = {.file = {NULL, 0, 0, 0}};
            saved_append(&t.file, file->bytes, file->size);
            memcpy(t.file.bytes + 4 * at, &value, 4);
            saved_seal(t.file.bytes, t.file.size, saved_graph.header);
            expect(ctx, &t);
            believed += t.verdict == BOSC_OK;
            ranks_run(ctx, ranks, 0, read_rank, &t);
            forget(&t);
            free(t.file.bytes);
        }
    CHECK(believed > 0 || left_out > 0);
}

static void swap_items(char *array, int64_t i, size_t size)
{
    char item[8], *a = array + (size_t)i * size;
    memcpy(item, a, size);
    memcpy(a, a + size, size);
    memcpy(a + size, item, size);
}

/* Exchanges two neighbouring arcs: an error exactly if they are in one row, wherever the splitters are. */
static void swap_arcs(bosc_ctx *ctx, const struct saved *file)
{
    struct bi_graph_header h;
    memcpy(&h, file->bytes, sizeof h);
    const size_t word = h.flags & BI_GRAPH_SAVE_WIDE ? 8 : 4, sizes[4] = {word, 4, 4, word};
    for (int64_t j = 0; j + 1 < h.arcs; j++) {
        struct trial t = {.file = {NULL, 0, 0, 0}};
        saved_append(&t.file, file->bytes, file->size);
        size_t at = sizeof h;
        for (int k = 0; k < 4; k++) {
            const size_t bytes = (size_t)(k ? h.arcs : h.n + 1) * sizes[k];
            if (k) swap_items(t.file.bytes + at, j, sizes[k]);
            at += (bytes + 63) / 64 * 64;
        }
        saved_seal(t.file.bytes, t.file.size, saved_graph.header);
        expect(ctx, &t);
        for (int32_t ranks = 2; ranks < 5; ranks++) ranks_run(ctx, ranks, 0, read_rank, &t);
        forget(&t);
        free(t.file.bytes);
    }
}

static void damage(bosc_ctx *ctx)
{
    for (int wide = 0; wide < 2; wide++) {
        const bosc_graph_opts o = {.size = sizeof o, .weight = BOSC_F32, .id_bits = 64, .wide = wide};
        struct graph_entries e = graph_make(3, GRAPH_SPARSE, 5, suite_slow(ctx) ? 3 : 7, o.weight, RANDOM);
        struct trial t = {.file = save_built_graph(ctx, &o, &e)};
        ranks_run(ctx, wide ? 1 : 3, 0, damage_rank, &t);
        lie(ctx, &t.file, wide ? 3 : 2);
        swap_arcs(ctx, &t.file);
        free(t.file.bytes);
        graph_free_entries(&e);
    }
}

/* No rank reads more than its part, whatever the rows: of a star all arcs from the middle are in one, and rows may be
 * empty. */
static void part_rank(struct rank *r)
{
    const struct trial *t = r->user;
    struct source source = {.file = &t->file};
    bosc_graph *graph = NULL;
    CHECK_OK(r->ctx, bosc_ranks_graph_read(r->ctx, r->comm, deliver_at, &source, &graph, NULL));
    CHECK(source.bytes < (int64_t)t->file.size * 3 / 2 / r->rank_count + 1000); /* rows and arcs differ in bytes */
    bosc_graph_free(graph);
}

static void parts(bosc_ctx *ctx)
{
    static const int shapes[] = {GRAPH_STAR, GRAPH_LAST, GRAPH_PATH, GRAPH_PARALLEL};
    for (int k = 0; k < 4; k++) {
        const bosc_graph_opts o = {.size = sizeof o, .weight = BOSC_I32, .id_bits = 32};
        const int64_t m = suite_slow(ctx) ? 3000 : 20000;
        struct graph_entries e = graph_make((uint64_t)k, shapes[k], k == 1 ? 2 * m : m / 2, m, o.weight, RANDOM);
        struct trial t = {.file = save_built_graph(ctx, &o, &e)};
        expect(ctx, &t);
        ranks_run(ctx, 8, 0, part_rank, &t);
        ranks_run(ctx, 3, 0, read_rank, &t);
        forget(&t);
        free(t.file.bytes);
        graph_free_entries(&e);
    }
}

/* ---- failures ---- */

enum { FAULT_EDGES = 20, FAULT_BYTES = 64 * FAULT_EDGES };

struct reading {
    struct saved file;
    struct source source;
};

static void *open_reading(struct rank *r)
{
    const bosc_graph_opts o = {.size = sizeof o, .weight = BOSC_F64, .id_bits = 64};
    struct graph_entries e = graph_make(5, GRAPH_SPARSE, 9, FAULT_EDGES, o.weight, RANDOM);
    struct reading *reading = suite_alloc(sizeof *reading);
    *reading = (struct reading){.file = save_built_graph(r->ctx, &o, &e)};
    reading->source.file = &reading->file;
    graph_free_entries(&e);
    return reading;
}

static bosc_status call_reading(struct rank *r, void *state, unsigned char *out)
{
    struct reading *reading = state;
    bosc_graph *graph = NULL;
    bosc_status status = bosc_ranks_graph_read(r->ctx, r->comm, deliver_at, &reading->source, &graph, NULL);
    CHECK((status == BOSC_OK) == (graph != NULL));
    bosc_graph_info info = {.size = sizeof info};
    if (graph) bosc_graph_get_info(r->ctx, graph, &info);
    if (graph) memcpy(out, &info, sizeof info < FAULT_BYTES ? sizeof info : FAULT_BYTES);
    bosc_graph_free(graph);
    return status;
}

static void close_reading(struct rank *r, void *state)
{
    (void)r;
    free(((struct reading *)state)->file.bytes);
    free(state);
}

static void faults(bosc_ctx *ctx)
{
    struct ranks_fault f = {.open = open_reading, .call = call_reading, .close = close_reading, .bytes = FAULT_BYTES};
    ranks_fault_sweep(ctx, &f);
    f.rank_count = 1;
    ranks_fault_sweep(ctx, &f);
}

static void bad_rank(struct rank *r)
{
    const struct trial *t = r->user;
    struct source source = {.file = &t->file};
    bosc_graph *graph = NULL;
    bosc_ranks_graph_info info = {.size = 3};
    CHECK_EQ(bosc_ranks_graph_read(NULL, r->comm, deliver_at, &source, &graph, NULL), BOSC_ERR_ARG);
    CHECK_ARG(r->ctx, bosc_ranks_graph_read(r->ctx, NULL, deliver_at, &source, &graph, NULL), "comm");
    const bool to_blame = r->rank == 1;
    ranks_check_blame(r, bosc_ranks_graph_read(r->ctx, r->comm, to_blame ? NULL : deliver_at, &source, &graph, NULL),
                      BOSC_ERR_ARG, "read");
    ranks_check_blame(r, bosc_ranks_graph_read(r->ctx, r->comm, deliver_at, &source, to_blame ? NULL : &graph, NULL),
                      BOSC_ERR_ARG, "graph");
    ranks_check_blame(r, bosc_ranks_graph_read(r->ctx, r->comm, deliver_at, &source, &graph, to_blame ? &info : NULL),
                      BOSC_ERR_ARG, "info");
    CHECK(!graph);
}

static void bad_arguments(bosc_ctx *ctx)
{
    struct trial t = {.file = {NULL, 0, 0, 0}};
    ranks_run(ctx, 3, 0, bad_rank, &t);
}

static const struct suite_case suite_cases_ranks_graph[] = {
    {"round_trip", round_trip, NULL},       {"damage", damage, NULL}, {"parts", parts, NULL}, {"faults", faults, NULL},
    {"bad_arguments", bad_arguments, NULL},
};
SUITE(ranks_graph);
