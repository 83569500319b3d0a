/* Saved graphs: the same bytes everywhere, read back whole, and neither damage nor malice goes unseen. */
#include "forest/graph_save.h"
#include "graph_data.h"
#include "saved.h"

static int refuse(void *user, const void *bytes, size_t count)
{
    (void)user, (void)bytes, (void)count;
    return 1;
}

static struct saved save(bosc_ctx *ctx, const bosc_graph *graph)
{
    struct saved f = {0};
    CHECK_OK(ctx, bosc_graph_write(ctx, graph, saved_append, &f));
    return f;
}

static bosc_graph *load(bosc_ctx *ctx, struct saved *f)
{
    bosc_graph *graph = NULL;
    f->at = 0;
    CHECK_OK(ctx, bosc_graph_read(ctx, saved_deliver, f, &graph));
    CHECK_EQ(f->at, f->size);
    return graph;
}

static bosc_graph *make(bosc_ctx *ctx, const bosc_graph_opts *o, const struct graph_entries *e)
{
    bosc_graph *graph = NULL;
    CHECK_OK(ctx, bosc_graph_create(ctx, o, &graph));
    CHECK_OK(ctx, graph_build(ctx, o, graph, e, false));
    return graph;
}

static const bosc_dtype weight_types[] = {BOSC_U32, BOSC_I32, BOSC_F32, BOSC_U64, BOSC_I64, BOSC_F64};

/* What is read is what was built, and is rebuilt in the same way. */
static void round_trip(bosc_ctx *ctx)
{
    static const int64_t sizes[][2] = {{0, 0}, {1, 0}, {1, 2}, {40, 100}};
    for (int k = 0; k < 24; k++) {
        bosc_graph_opts o = {.size = sizeof o,
                             .weight = weight_types[k % 6],
                             .id_bits = k % 5 < 2 ? 32 : 64,
                             .nan = BOSC_NAN_LAST,
                             .parallel = k % 4 == 3 ? BOSC_PARALLEL_MIN : BOSC_PARALLEL_KEEP,
                             .drop_loops = k % 7 == 0,
                             .wide = k % 3 == 0};
        struct graph_entries e =
            graph_make((uint64_t)k, k % GRAPH_SHAPES, sizes[k / 6][0], sizes[k / 6][1], o.weight, SPECIAL);
        bosc_graph *graph = make(ctx, &o, &e);
        struct saved f = save(ctx, graph);
        bosc_graph *back = load(ctx, &f);
        graph_check(ctx, &o, back, &e, false);
        CHECK_EQ(back->ids_in_order, graph->ids_in_order);
        CHECK_EQ(back->wide, graph->wide);
        struct saved g = save(ctx, back);
        CHECK(f.size == g.size && memcmp(f.bytes, g.bytes, f.size) == 0);
        CHECK_OK(ctx, graph_build(ctx, &o, back, &e, false));
        graph_check(ctx, &o, back, &e, false);
        CHECK_STATUS(ctx, bosc_graph_write(ctx, graph, refuse, NULL), BOSC_ERR_IO);
        bosc_graph_free(graph);
        bosc_graph_free(back);
        graph_free_entries(&e);
        free(f.bytes);
        free(g.bytes);
    }
}

static void check_refused(bosc_ctx *ctx, struct saved *f, const char *reason)
{
    bosc_graph *graph = NULL;
    f->at = 0;
    bosc_status status = bosc_graph_read(ctx, saved_deliver, f, &graph);
    saved_refused(ctx, status, graph, "saved graph: ", reason);
}

/* Every truncation, and every bit flipped. */
static void damage(bosc_ctx *ctx)
{
    for (int wide = 0; wide < 2; wide++) {
        bosc_graph_opts o = {.size = sizeof o, .weight = BOSC_F32, .id_bits = 64, .wide = wide};
        struct graph_entries e = graph_make(3, GRAPH_SPARSE, 5, suite_slow(ctx) ? 3 : 7, o.weight, RANDOM);
        bosc_graph *graph = make(ctx, &o, &e);
        struct saved f = save(ctx, graph);
        saved_damage(ctx, &f, 1, check_refused);
        bosc_graph_free(load(ctx, &f));
        bosc_graph_free(graph);
        graph_free_entries(&e);
        free(f.bytes);
    }
}

/* Makes the hashes right again. */
static void seal(struct saved *f) { saved_seal(f->bytes, f->size, offsetof(struct bi_graph_header, hash)); }

enum { IN_HEADER, IN_OFFSETS, IN_NEIGHBOURS, IN_WEIGHTS, IN_IDS, IN_PADDING };

/* Lies with right hashes: where, which 32-bit word, what it becomes, what is said. */
static const struct lie {
    int where, at;
    uint32_t value;
    const char *reason;
} lies[] = {
    {IN_HEADER, 0, 7, "not the bytes of one"},
    {IN_HEADER, 2, 2, "version 2"},
    {IN_HEADER, 2, 0, "version 0"},
    {IN_HEADER, 3, 8, "unknown flags"},
    {IN_HEADER, 3, 1, ""}, /* arrays of another width */
    {IN_HEADER, 4, 0, "type of its weights"},
    {IN_HEADER, 4, BOSC_U8, "type of its weights"},
    {IN_HEADER, 4, BOSC_F64, ""},
    {IN_HEADER, 5, 16, "neither 32 nor 64"},
    {IN_HEADER, 6, 2, "options"},
    {IN_HEADER, 7, 4, "options"},
    {IN_HEADER, 8, 3, "options"},
    {IN_HEADER, 9, 1, "unknown flags"},
    {IN_HEADER, 10, 0, "arcs"},
    {IN_HEADER, 10, 5, ""},
    {IN_HEADER, 10, UINT32_MAX, "vertices"},
    {IN_HEADER, 10, UINT32_MAX - 1, "ends within its offsets"},
    {IN_HEADER, 11, 0x80000000u, "vertices"},
    {IN_HEADER, 11, 1, "vertices"},
    {IN_HEADER, 12, 4, "arcs"},
    {IN_HEADER, 12, UINT32_MAX, "entries"},
    {IN_HEADER, 13, 0x100, "entries"},
    {IN_HEADER, 13, 0x80000000u, "entries"},
    {IN_HEADER, 14, 6, "arcs"},
    {IN_HEADER, 14, 4, "arcs"},
    {IN_HEADER, 15, 0x80000000u, "arcs"},
    {IN_HEADER, 16, 4, "arcs"},
    {IN_HEADER, 16, 11, "arcs"},
    {IN_HEADER, 17, 0x80000000u, "arcs"},
    {IN_HEADER, 18, 1, "unknown flags"},
    {IN_HEADER, 29, 1, "unknown flags"},
    {IN_OFFSETS, 0, 1, "offsets"},
    {IN_OFFSETS, 1, 0, ""},
    {IN_OFFSETS, 2, 9, "offsets"},
    {IN_OFFSETS, 3, 0x80000000u, "offsets"},
    {IN_OFFSETS, 4, 8, "offsets"},
    {IN_NEIGHBOURS, 0, 4, "neighbour is out of range"},
    {IN_NEIGHBOURS, 0, UINT32_MAX, "neighbour is out of range"},
    {IN_NEIGHBOURS, 1, 0, "does not ascend"},
    {IN_NEIGHBOURS, 8, 2, "lacks its way back"},
    {IN_WEIGHTS, 3, 0x3f800001u, "lacks its way back"},
    {IN_WEIGHTS, 0, 0x7fc00000u, "NaN"},
    {IN_WEIGHTS, 0, 0xff800001u, "NaN"},
    {IN_IDS, 0, 5, "id is out of range"},
    {IN_IDS, 2, 0, "does not ascend"},
    {IN_IDS, 8, 0, "lacks its way back"},
    {IN_PADDING, 0, 1, "between its arrays"},
};

/* Edges 0-1, 0-2 twice, 1-3, 2-2: rows 0: 1 2 2; 1: 0 3; 2: 0 0 2; 3: 1. */
static void malice(bosc_ctx *ctx)
{
    int64_t u[5] = {0, 0, 2, 1, 2}, v[5] = {1, 2, 0, 3, 2};
    float w[5] = {1, 2, 3, 4, 5};
    bosc_graph_opts o = {.size = sizeof o, .weight = BOSC_F32, .id_bits = 64};
    struct graph_entries e = {4, 5, u, v, w, BOSC_F32};
    bosc_graph *graph = make(ctx, &o, &e);
    struct saved f = save(ctx, graph);
    CHECK_EQ(f.size, 128 + 64 + 64 + 64 + 64 + 8);
    for (size_t k = 0; k < sizeof lies / sizeof lies[0]; k++) {
        static const size_t begin[] = {0, 128, 192, 256, 320, 128 + 20};
        struct saved bad = {0};
        saved_append(&bad, f.bytes, f.size);
        memcpy(bad.bytes + begin[lies[k].where] + 4 * lies[k].at, &lies[k].value, 4);
        seal(&bad);
        check_refused(ctx, &bad, lies[k].reason);
        free(bad.bytes);
    }
    bosc_graph_free(load(ctx, &f));
    struct bi_graph_header *h = (struct bi_graph_header *)f.bytes;
    h->entries = h->m = 6;
    seal(&f);
    check_refused(ctx, &f, "edges is wrong");
    bosc_graph_free(graph);
    free(f.bytes);
}

/* Two edges of one id, in both rows. */
static void repeated_ids(bosc_ctx *ctx)
{
    int64_t u[2] = {0, 2}, v[2] = {1, 3};
    uint32_t w[2] = {1, 1}, one = 1;
    bosc_graph_opts o = {.size = sizeof o, .weight = BOSC_U32, .id_bits = 64};
    struct graph_entries e = {4, 2, u, v, w, BOSC_U32};
    bosc_graph *graph = make(ctx, &o, &e);
    struct saved f = save(ctx, graph);
    for (int j = 0; j < 2; j++) memcpy(f.bytes + 320 + 4 * j, &one, 4); /* the arcs of edge 0 */
    seal(&f);
    check_refused(ctx, &f, "an edge id is repeated");
    bosc_graph_free(graph);
    free(f.bytes);
}

/* A file that tells of a huge graph and ends takes little memory. */
static void huge_header(bosc_ctx *ctx)
{
    bosc_graph_opts o = {.size = sizeof o, .id_bits = 64, .wide = 1};
    struct graph_entries e = graph_make(1, GRAPH_PATH, 4, 4, BOSC_U32, RANDOM);
    bosc_graph *graph = make(ctx, &o, &e);
    struct saved f = save(ctx, graph);
    struct bi_graph_header *h = (struct bi_graph_header *)f.bytes;
    h->n = (int64_t)UINT32_MAX - 1;
    h->entries = h->m = ((int64_t)1 << 40) - 1;
    h->arcs = 2 * h->m;
    seal(&f);
    check_refused(ctx, &f, "ends within its offsets");
    h->n = 4;
    seal(&f);
    check_refused(ctx, &f, "ends within its");
    bosc_graph_free(graph);
    graph_free_entries(&e);
    free(f.bytes);
}

static const struct suite_case suite_cases_graph_save[] = {
    {"round trip", round_trip, NULL},     {"damage", damage, NULL},           {"malice", malice, NULL},
    {"repeated ids", repeated_ids, NULL}, {"huge header", huge_header, NULL},
};
SUITE(graph_save);
