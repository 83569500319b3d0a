/* Graphs refuse bad arguments by name, and stay unchanged. */
#include "cases/graph/graph_data.h"

static const bosc_graph_opts defaults = {.size = sizeof defaults};
static const int64_t negative[] = {-1, -2, INT32_MIN, INT64_MIN};

static void refuses_bad_options(bosc_ctx *ctx)
{
    bosc_graph *graph = NULL;
    int64_t kept = 5;
    static const int weights[] = {-1, BOSC_U8, 8, 1000}, id_bits[] = {1, 16, 31, 33, 65, -64};
    static const int arcs[] = {-1, 2}, parallels[] = {-1, 4}, nans[] = {-1, 3};
    static const size_t sizes[] = {0, 1, 7, sizeof defaults + 1, SIZE_MAX};
    CHECK_EQ(bosc_graph_create(NULL, &defaults, &graph), BOSC_ERR_ARG);
    CHECK_EQ(bosc_graph_bytes(NULL, &defaults, 1, 1, &kept, NULL), BOSC_ERR_ARG);
    CHECK_ARG(ctx, bosc_graph_create(ctx, &defaults, NULL), "graph");
    CHECK_ARG(ctx, bosc_graph_create(ctx, NULL, NULL), "graph");
/* Sets one option to each bad value. */
#define REFUSED(field, type, values, name)                                            \
    for (size_t i = 0; i < sizeof(values) / sizeof *(values); i++) {                  \
        bosc_graph_opts o = defaults;                                                 \
        o.field = (type)(values)[i];                                                  \
        CHECK_ARG(ctx, bosc_graph_create(ctx, &o, &graph), "opts: " name);            \
        CHECK_ARG(ctx, bosc_graph_bytes(ctx, &o, 1, 1, &kept, &kept), "opts: " name); \
    }
    REFUSED(size, size_t, sizes, "size")
    REFUSED(weight, bosc_dtype, weights, "weight")
    REFUSED(id_bits, int32_t, id_bits, "id_bits")
    REFUSED(arcs, bosc_graph_arcs, arcs, "arcs")
    REFUSED(parallel, bosc_graph_parallel, parallels, "parallel")
    REFUSED(nan, bosc_graph_nan, nans, "nan")
#undef REFUSED
    CHECK(graph == NULL && kept == 5);
    bosc_graph_free(NULL);
}

static bosc_graph *triangle(bosc_ctx *ctx, const bosc_graph_opts *o)
{
    static const int64_t u[3] = {0, 1, 2}, v[3] = {1, 2, 0};
    static const uint32_t w[3] = {5, 6, 7};
    bosc_graph *graph = NULL;
    CHECK_OK(ctx, bosc_graph_create(ctx, o, &graph));
    CHECK_OK(ctx, bosc_graph_build(ctx, graph, u, v, w, 3, 3));
    return graph;
}

static void check_triangle(bosc_ctx *ctx, bosc_graph *graph)
{
    uint32_t weights[6];
    int64_t neighbours[6];
    CHECK_OK(ctx, bosc_graph_get_rows(ctx, graph, NULL, neighbours, weights, NULL));
    CHECK(neighbours[0] == 1 && neighbours[5] == 1 && weights[0] == 5 && weights[1] == 7 && weights[5] == 6);
    bosc_graph_free(graph);
}

static void refuses_bad_sizes(bosc_ctx *ctx)
{
    bosc_graph *graph = triangle(ctx, &defaults);
    int64_t a[4] = {0}, kept = 5;
    static const int64_t many_vertices[] = {UINT32_MAX, (int64_t)UINT32_MAX + 1, INT64_MAX};
    static const int64_t many_entries[] = {(int64_t)1 << 40, INT64_MAX / 2, INT64_MAX};
    /* Negative numbers are errors of the argument, too large ones exceed a limit. */
    for (size_t i = 0; i < 4; i++) {
        CHECK_ARG(ctx, bosc_graph_build(ctx, graph, a, a, a, negative[i], 1), "n");
        CHECK_ARG(ctx, bosc_graph_build(ctx, graph, a, a, a, 1, negative[i]), "m");
        CHECK_ARG(ctx, bosc_graph_build_rows(ctx, graph, a, a, a, negative[i]), "n");
        CHECK_ARG(ctx, bosc_graph_reserve(ctx, graph, negative[i], 1), "n");
        CHECK_ARG(ctx, bosc_graph_reserve(ctx, graph, 1, negative[i]), "m");
        CHECK_ARG(ctx, bosc_graph_bytes(ctx, NULL, negative[i], 1, &kept, NULL), "n");
        CHECK_ARG(ctx, bosc_graph_bytes(ctx, NULL, 1, negative[i], &kept, NULL), "m");
    }
    for (size_t i = 0; i < 3; i++) {
        CHECK_STATUS(ctx, bosc_graph_build(ctx, graph, a, a, a, many_vertices[i], 1), BOSC_ERR_LIMIT);
        CHECK_STATUS(ctx, bosc_graph_build(ctx, graph, a, a, a, 1, many_entries[i]), BOSC_ERR_LIMIT);
        CHECK_STATUS(ctx, bosc_graph_build_rows(ctx, graph, a, a, a, many_vertices[i]), BOSC_ERR_LIMIT);
        CHECK_STATUS(ctx, bosc_graph_reserve(ctx, graph, many_vertices[i], 1), BOSC_ERR_LIMIT);
        CHECK_STATUS(ctx, bosc_graph_reserve(ctx, graph, 1, many_entries[i]), BOSC_ERR_LIMIT);
        CHECK_STATUS(ctx, bosc_graph_bytes(ctx, NULL, many_vertices[i], 1, &kept, NULL), BOSC_ERR_LIMIT);
        CHECK_STATUS(ctx, bosc_graph_bytes(ctx, NULL, 1, many_entries[i], NULL, &kept), BOSC_ERR_LIMIT);
    }
    CHECK_EQ(bosc_graph_reserve(NULL, graph, 1, 1), BOSC_ERR_ARG);
    CHECK_ARG(ctx, bosc_graph_reserve(ctx, NULL, 1, 1), "graph");
    CHECK_EQ(kept, 5);
    /* With ids of 32 bits UINT32_MAX - 1 entries are the most. */
    bosc_graph_opts narrow = {.size = sizeof narrow, .id_bits = 32};
    CHECK_STATUS(ctx, bosc_graph_bytes(ctx, &narrow, 1, UINT32_MAX, NULL, &kept), BOSC_ERR_LIMIT);
    CHECK_OK(ctx, bosc_graph_bytes(ctx, &narrow, 1, (int64_t)UINT32_MAX - 1, &kept, NULL));
    CHECK_OK(ctx, bosc_graph_bytes(ctx, NULL, 1, UINT32_MAX, &kept, &kept));
    check_triangle(ctx, graph);
}

static void refuses_bad_arrays(bosc_ctx *ctx)
{
    bosc_graph *graph = triangle(ctx, &defaults);
    int64_t a[8] = {0, 1, 1, 1, 1, 1, 1, 1};
    const char *off = (const char *)a;
    CHECK_EQ(bosc_graph_build(NULL, graph, a, a, a, 2, 2), BOSC_ERR_ARG);
    CHECK_ARG(ctx, bosc_graph_build(ctx, NULL, a, a, a, 2, 2), "graph");
    CHECK_ARG(ctx, bosc_graph_build(ctx, graph, NULL, a, a, 2, 2), "u");
    CHECK_ARG(ctx, bosc_graph_build(ctx, graph, a, NULL, a, 2, 2), "v");
    for (int shift = 1; shift < 8; shift++) {
        CHECK_ARG(ctx, bosc_graph_build(ctx, graph, off + shift, a, a, 2, 2), "u");
        CHECK_ARG(ctx, bosc_graph_build(ctx, graph, a, off + shift, a, 2, 2), "v");
        CHECK_ARG(ctx, bosc_graph_build_rows(ctx, graph, (const int64_t *)(off + shift), a, a, 2), "offsets");
        CHECK_ARG(ctx, bosc_graph_build_rows(ctx, graph, a, off + shift, a, 2), "neighbours");
        if (shift % 4 == 0) continue;
        CHECK_ARG(ctx, bosc_graph_build(ctx, graph, a, a, off + shift, 2, 2), "weights");
        CHECK_ARG(ctx, bosc_graph_build_rows(ctx, graph, a, a, off + shift, 2), "weights");
    }
    CHECK_EQ(bosc_graph_build_rows(NULL, graph, a, a, a, 2), BOSC_ERR_ARG);
    CHECK_ARG(ctx, bosc_graph_build_rows(ctx, NULL, a, a, a, 2), "graph");
    CHECK_ARG(ctx, bosc_graph_build_rows(ctx, graph, NULL, a, a, 2), "offsets");
    CHECK_ARG(ctx, bosc_graph_build_rows(ctx, graph, NULL, a, a, 0), "offsets");
    CHECK_ARG(ctx, bosc_graph_build_rows(ctx, graph, a, NULL, a, 2), "neighbours");
    check_triangle(ctx, graph);
}

/* Offsets are data: a bad one is refused by its position, and nothing beyond it is read. */
static void offsets(bosc_ctx *ctx)
{
    static const int64_t wrong[][4] = {{1, 2, 3, 4},         {-1, 0, 0, 0}, {0, 2, 1, 3},         {0, 1, 2, 1},
                                       {0, -1, 2, 3},        {0, 4, 4, 3},  {0, INT64_MAX, 2, 2}, {0, 0, 0, -1},
                                       {0, INT64_MIN, 1, 1}, {0, 1, 0, 0}};
    bosc_graph *graph = triangle(ctx, &defaults);
    const int64_t neighbours[4] = {1, 2, 0, 0};
    for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; k++)
        for (int device = 0; device <= has_device_memory(ctx); device++) {
            struct array from = array_make(ctx, wrong[k], sizeof wrong[k], device);
            CHECK_STATUS(ctx, bosc_graph_build_rows(ctx, graph, from.p, neighbours, NULL, 3), BOSC_ERR_DATA);
            CHECK(suite_begins(bosc_ctx_message(ctx), "offsets: they "));
            array_free(ctx, &from);
        }
    const int64_t huge[2] = {0, (int64_t)1 << 40};
    CHECK_STATUS(ctx, bosc_graph_build_rows(ctx, graph, huge, neighbours, NULL, 1), BOSC_ERR_LIMIT);
    check_triangle(ctx, graph);
}

static void refuses_bad_outputs(bosc_ctx *ctx)
{
    bosc_graph *graph = triangle(ctx, &defaults);
    int64_t a[9];
    char *off = (char *)a;
    memset(a, 0x11, sizeof a);
    CHECK_EQ(bosc_graph_get_rows(NULL, graph, a, a, a, a), BOSC_ERR_ARG);
    CHECK_EQ(bosc_graph_get_edges(NULL, graph, a, a, a, a), BOSC_ERR_ARG);
    CHECK_EQ(bosc_graph_get_degrees(NULL, graph, a), BOSC_ERR_ARG);
    CHECK_ARG(ctx, bosc_graph_get_rows(ctx, NULL, a, a, a, a), "graph");
    CHECK_ARG(ctx, bosc_graph_get_edges(ctx, NULL, a, a, a, a), "graph");
    CHECK_ARG(ctx, bosc_graph_get_degrees(ctx, NULL, a), "graph");
    CHECK_ARG(ctx, bosc_graph_get_degrees(ctx, graph, NULL), "degrees");
    /* Misaligned outputs: ids and offsets need 8 bytes, weights 4. */
    for (int shift = 1; shift < 8; shift++) {
        CHECK_ARG(ctx, bosc_graph_get_rows(ctx, graph, (int64_t *)(off + shift), NULL, NULL, NULL), "offsets");
        CHECK_ARG(ctx, bosc_graph_get_rows(ctx, graph, NULL, off + shift, NULL, NULL), "neighbours");
        CHECK_ARG(ctx, bosc_graph_get_rows(ctx, graph, NULL, NULL, NULL, off + shift), "edges");
        CHECK_ARG(ctx, bosc_graph_get_edges(ctx, graph, off + shift, NULL, NULL, NULL), "ids");
        CHECK_ARG(ctx, bosc_graph_get_edges(ctx, graph, NULL, off + shift, NULL, NULL), "u");
        CHECK_ARG(ctx, bosc_graph_get_edges(ctx, graph, NULL, NULL, off + shift, NULL), "v");
        CHECK_ARG(ctx, bosc_graph_get_degrees(ctx, graph, (int64_t *)(off + shift)), "degrees");
        if (shift % 4 == 0) continue;
        CHECK_ARG(ctx, bosc_graph_get_rows(ctx, graph, NULL, NULL, off + shift, NULL), "weights");
        CHECK_ARG(ctx, bosc_graph_get_edges(ctx, graph, NULL, NULL, NULL, off + shift), "weights");
    }
    /* No output has changed; all outputs are optional. */
    for (int i = 0; i < 9; i++) CHECK_EQ(a[i], 0x1111111111111111);
    CHECK_OK(ctx, bosc_graph_get_rows(ctx, graph, NULL, NULL, NULL, NULL));
    CHECK_OK(ctx, bosc_graph_get_edges(ctx, graph, NULL, NULL, NULL, NULL));
    check_triangle(ctx, graph);
}

static void info(bosc_ctx *ctx)
{
    bosc_graph *graph = triangle(ctx, &defaults);
    bosc_graph_info i = {.size = sizeof i, .n = 77};
    static const size_t sizes[] = {0, 1, 7, sizeof i + 1, SIZE_MAX, SIZE_MAX / 2};
    CHECK_EQ(bosc_graph_get_info(ctx, NULL, &i), BOSC_ERR_ARG);
    CHECK_EQ(bosc_graph_get_info(ctx, graph, NULL), BOSC_ERR_ARG);
    CHECK_EQ(bosc_graph_get_info(ctx, NULL, NULL), BOSC_ERR_ARG);
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
        i.size = sizes[k];
        CHECK_EQ(bosc_graph_get_info(ctx, graph, &i), BOSC_ERR_ARG);
    }
    CHECK_EQ(i.n, 77);
    i.size = 2 * sizeof(size_t); /* an older, shorter struct */
    i.entries = 78;
    CHECK_EQ(bosc_graph_get_info(ctx, graph, &i), BOSC_OK);
    CHECK(i.n == 3 && i.entries == 78);
    bosc_graph_free(graph);
}

static int stop_writing(void *user, const void *bytes, size_t count)
{
    (void)user, (void)bytes, (void)count;
    return -1;
}

static int stop_reading(void *user, void *bytes, size_t count)
{
    (void)user, (void)bytes, (void)count;
    return -1;
}

static void files(bosc_ctx *ctx)
{
    bosc_graph *graph = triangle(ctx, &defaults), *back = NULL;
    CHECK_EQ(bosc_graph_write(NULL, graph, stop_writing, NULL), BOSC_ERR_ARG);
    CHECK_ARG(ctx, bosc_graph_write(ctx, NULL, stop_writing, NULL), "graph");
    CHECK_ARG(ctx, bosc_graph_write(ctx, graph, NULL, NULL), "write");
    CHECK_EQ(bosc_graph_read(NULL, stop_reading, NULL, &back), BOSC_ERR_ARG);
    CHECK_ARG(ctx, bosc_graph_read(ctx, NULL, NULL, &back), "read");
    CHECK_ARG(ctx, bosc_graph_read(ctx, stop_reading, NULL, NULL), "graph");
    CHECK_STATUS(ctx, bosc_graph_write(ctx, graph, stop_writing, NULL), BOSC_ERR_IO);
    CHECK_STATUS(ctx, bosc_graph_read(ctx, stop_reading, NULL, &back), BOSC_ERR_FORMAT);
    CHECK(back == NULL);
    check_triangle(ctx, graph);
}

/* A graph of the other backend stays unchanged. */
static void other_backend(bosc_ctx *ctx)
{
    if (!has_device_memory(ctx)) return;
    bosc_ctx *cpu = NULL;
    int64_t a[9] = {0};
    CHECK_EQ(bosc_ctx_create(NULL, &cpu), BOSC_OK);
    bosc_graph *graph = triangle(cpu, &defaults);
    CHECK_ARG(ctx, bosc_graph_build(ctx, graph, a, a, a, 1, 1), "graph");
    CHECK_ARG(ctx, bosc_graph_build_rows(ctx, graph, a, a, a, 1), "graph");
    CHECK_ARG(ctx, bosc_graph_reserve(ctx, graph, 1, 1), "graph");
    CHECK_ARG(ctx, bosc_graph_get_rows(ctx, graph, a, a, a, a), "graph");
    CHECK_ARG(ctx, bosc_graph_get_edges(ctx, graph, a, a, a, a), "graph");
    CHECK_ARG(ctx, bosc_graph_get_degrees(ctx, graph, a), "graph");
    CHECK_ARG(ctx, bosc_graph_write(ctx, graph, stop_writing, NULL), "graph");
    check_triangle(cpu, graph);
    bosc_ctx_free(cpu);
}

/* With assume_valid entries are not checked, except against a graph without vertices. */
static void assumed(bosc_ctx *ctx)
{
    bosc_graph_opts o = {.size = sizeof o, .assume_valid = 1};
    bosc_graph *graph = triangle(ctx, &o);
    const int64_t a[2] = {0, 0};
    CHECK_STATUS(ctx, bosc_graph_build(ctx, graph, a, a, NULL, 0, 2), BOSC_ERR_DATA);
    check_triangle(ctx, graph);
}

static const struct suite_case suite_cases_graph_args[] = {
    {"create", refuses_bad_options, NULL},
    {"sizes", refuses_bad_sizes, NULL},
    {"build", refuses_bad_arrays, NULL},
    {"offsets", offsets, NULL},
    {"copy out", refuses_bad_outputs, NULL},
    {"info", info, NULL},
    {"files", files, NULL},
    {"other backend", other_backend, NULL},
    {"assumed", assumed, NULL},
};
SUITE(graph_args);
