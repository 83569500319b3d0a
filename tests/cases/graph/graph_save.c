/* Saved graphs: the same bytes on every backend, read back completely; damaged and hostile files are refused. */
#include "graph/save.h"
#include "cases/graph/graph_data.h"
#include "support/saved.h"

SAVED_KIND(graph, "saved graph: ", bi_graph_header)

static bosc_graph *make_graph(bosc_ctx *ctx, const bosc_graph_opts *o, const struct graph_entries *e)
{
    bosc_graph *graph = NULL;
    CHECK_OK(ctx, bosc_graph_create(ctx, o, &graph));
    CHECK_OK(ctx, graph_build(ctx, o, graph, e, false));
    return graph;
}

/* A read graph equals the saved one, and can be rebuilt. */
static void round_trip(bosc_ctx *ctx)
{
    static const int64_t sizes[][2] = {{0, 0}, {1, 0}, {1, 2}, {40, 100}};
    for (int k = 0; k < 24; k++) {
        const bosc_graph_opts o = graph_trial_opts(k);
        struct graph_entries e =
            graph_make((uint64_t)k, k % GRAPH_SHAPES, sizes[k / 6][0], sizes[k / 6][1], o.weight, SPECIAL);
        bosc_graph *graph = make_graph(ctx, &o, &e);
        bosc_graph *back = saved_again(ctx, &saved_graph, graph, 0);
        graph_check(ctx, &o, back, &e, false);
        CHECK_EQ(back->ids_in_order, graph->ids_in_order);
        CHECK_EQ(back->is_64bit, graph->is_64bit);
        CHECK_OK(ctx, graph_build(ctx, &o, back, &e, false));
        graph_check(ctx, &o, back, &e, false);
        bosc_graph_free(graph);
        bosc_graph_free(back);
        graph_free_entries(&e);
    }
}

/* Every truncation, and every bit flipped. */
static void damage(bosc_ctx *ctx)
{
    for (int wide = 0; wide < 2; wide++) {
        bosc_graph_opts o = {.size = sizeof o, .weight = BOSC_F32, .id_bits = 64, .wide = wide};
        struct graph_entries e = graph_make(3, GRAPH_SPARSE, 5, suite_slow(ctx) ? 3 : 7, o.weight, RANDOM);
        bosc_graph *graph = make_graph(ctx, &o, &e);
        saved_damage(ctx, &saved_graph, graph, 1);
        bosc_graph_free(graph);
        graph_free_entries(&e);
    }
}

static void check_hostile(bosc_ctx *ctx, struct saved *f, const char *reason)
{
    saved_seal(f->bytes, f->size, saved_graph.header);
    saved_refused(ctx, &saved_graph, f, reason);
}

enum { IN_OFFSETS = 32, IN_PADDING = 37, IN_NEIGHBOURS = 48, IN_WEIGHTS = 64, IN_IDS = 80 };

static const struct saved_lie lies[] = {
    {0, 7, "not the bytes of one"},
    {2, 2, "version 2"},
    {2, 0, "version 0"},
    {3, 8, "unknown flags"},
    {3, 1, NULL}, /* arrays of another width */
    {4, 0, "type of its weights"},
    {4, BOSC_U8, "type of its weights"},
    {4, BOSC_F64, NULL},
    {5, 16, "neither 32 nor 64"},
    {6, 2, "options"},
    {7, 4, "options"},
    {8, 3, "options"},
    {9, 1, "unknown flags"},
    {10, 0, "arcs"},
    {10, 5, NULL},
    {10, UINT32_MAX, "vertices"},
    {10, UINT32_MAX - 1, "ends within its offsets"},
    {11, 0x80000000u, "vertices"},
    {11, 1, "vertices"},
    {12, 4, "arcs"},
    {12, UINT32_MAX, "entries"},
    {13, 0x100, "entries"},
    {13, 0x80000000u, "entries"},
    {14, 6, "arcs"},
    {14, 4, "arcs"},
    {15, 0x80000000u, "arcs"},
    {16, 4, "arcs"},
    {16, 11, "arcs"},
    {17, 0x80000000u, "arcs"},
    {18, 1, "unknown flags"},
    {29, 1, "unknown flags"},
    {IN_OFFSETS, 1, "offsets"},
    {IN_OFFSETS + 1, 0, NULL},
    {IN_OFFSETS + 2, 9, "offsets"},
    {IN_OFFSETS + 3, 0x80000000u, "offsets"},
    {IN_OFFSETS + 4, 8, "offsets"},
    {IN_NEIGHBOURS, 4, "neighbour is out of range"},
    {IN_NEIGHBOURS, UINT32_MAX, "neighbour is out of range"},
    {IN_NEIGHBOURS + 1, 0, "does not ascend"},
    {IN_NEIGHBOURS + 8, 2, "lacks its way back"},
    {IN_WEIGHTS + 3, 0x3f800001u, "lacks its way back"},
    {IN_WEIGHTS, 0x7fc00000u, "NaN"},
    {IN_WEIGHTS, 0xff800001u, "NaN"},
    {IN_IDS, 5, "id is out of range"},
    {IN_IDS + 2, 0, "does not ascend"},
    {IN_IDS + 8, 0, "lacks its way back"},
    {IN_PADDING, 1, "between its arrays"},
};

/* Edges 0-1, 0-2 twice, 1-3, 2-2: rows 0: 1 2 2; 1: 0 3; 2: 0 0 2; 3: 1. */
static void malice(bosc_ctx *ctx)
{
    int64_t u[5] = {0, 0, 2, 1, 2}, v[5] = {1, 2, 0, 3, 2};
    float w[5] = {1, 2, 3, 4, 5};
    bosc_graph_opts o = {.size = sizeof o, .weight = BOSC_F32, .id_bits = 64};
    struct graph_entries e = {4, 5, u, v, w, BOSC_F32};
    bosc_graph *graph = make_graph(ctx, &o, &e);
    struct saved f = graph_save(ctx, graph);
    CHECK_EQ(f.size, 128 + 64 + 64 + 64 + 64 + 8);
    saved_lies(ctx, &saved_graph, &f, lies, sizeof lies / sizeof lies[0], NULL);
    struct bi_graph_header *h = (struct bi_graph_header *)f.bytes;
    h->entries = h->m = 6;
    check_hostile(ctx, &f, "edges is wrong");
    bosc_graph_free(graph);
    free(f.bytes);
}

/* Two edges with one id, in both rows. */
static void repeated_ids(bosc_ctx *ctx)
{
    int64_t u[2] = {0, 2}, v[2] = {1, 3};
    uint32_t w[2] = {1, 1}, one = 1;
    bosc_graph_opts o = {.size = sizeof o, .weight = BOSC_U32, .id_bits = 64};
    struct graph_entries e = {4, 2, u, v, w, BOSC_U32};
    bosc_graph *graph = make_graph(ctx, &o, &e);
    struct saved f = graph_save(ctx, graph);
    for (int j = 0; j < 2; j++) memcpy(f.bytes + 320 + 4 * j, &one, 4); /* the arcs of edge 0 */
    check_hostile(ctx, &f, "an edge id is repeated");
    bosc_graph_free(graph);
    free(f.bytes);
}

/* A file whose header claims a huge graph takes little memory. */
static void huge_header(bosc_ctx *ctx)
{
    bosc_graph_opts o = {.size = sizeof o, .id_bits = 64, .wide = 1};
    struct graph_entries e = graph_make(1, GRAPH_PATH, 4, 4, BOSC_U32, RANDOM);
    bosc_graph *graph = make_graph(ctx, &o, &e);
    struct saved f = graph_save(ctx, graph);
    struct bi_graph_header *h = (struct bi_graph_header *)f.bytes;
    h->n = (int64_t)UINT32_MAX - 1;
    h->entries = h->m = ((int64_t)1 << 40) - 1;
    h->arcs = 2 * h->m;
    check_hostile(ctx, &f, "ends within its offsets");
    h->n = 4;
    check_hostile(ctx, &f, "ends within its");
    bosc_graph_free(graph);
    graph_free_entries(&e);
    free(f.bytes);
}

static const unsigned char golden_bytes[] = {
#include "golden/graph-v1.bosc.inc"
};

/* Edges of both signs of zero, parallel ones, a loop, and a vertex without any. */
static void golden(bosc_ctx *ctx)
{
    int64_t u[7] = {0, 3, 3, 2, 1, 4, 4}, v[7] = {1, 1, 1, 2, 4, 0, 0};
    double w[7] = {1.5, -0.0, 0.0, 1e300, -7, 3, 3};
    bosc_graph_opts o = {.size = sizeof o, .weight = BOSC_F64, .id_bits = 64};
    struct graph_entries e = {6, 7, u, v, w, BOSC_F64};
    bosc_graph *graph = make_graph(ctx, &o, &e);
    bosc_graph *back = saved_golden(ctx, &saved_graph, graph, "graph-v1.bosc", golden_bytes, sizeof golden_bytes);
    graph_check(ctx, &o, back, &e, false);
    bosc_graph_free(back);
    bosc_graph_free(graph);
}

static const struct suite_case suite_cases_graph_save[] = {
    {"round trip", round_trip, NULL},     {"damage", damage, NULL},           {"malice", malice, NULL},
    {"repeated ids", repeated_ids, NULL}, {"huge header", huge_header, NULL}, {"golden", golden, NULL},
};
SUITE(graph_save);
