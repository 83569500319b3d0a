/* Bad arguments of the functions on forests, and allocations, copies and launches that fail in turn. */
#include "cases/forest/forest_data.h"

#include "support/counted.h"
#include "support/faults.h"

enum { N = 40 };

static struct forest_graph make_graph(bosc_dtype type)
{
    struct suite_random r = {41};
    return forest_make(&r, FOREST_RANDOM, WEIGHTS_RANDOM, type, N);
}

static const size_t bad_sizes[] = {0, 1, sizeof(size_t) - 1, sizeof(bosc_msf_info) + 1, SIZE_MAX};
static const int64_t negative[] = {-1, -2, INT32_MIN, INT64_MIN};

/* Options that every function refuses. */
static int bad_options(bosc_msf_opts list[16])
{
    static const float nan[] = {NAN, -NAN, 0};
    static const int algorithms[] = {-1, 3, 4, 77, INT32_MIN, INT32_MAX};
    int count = 0;
    for (size_t i = 0; i < 6; i++)
        list[count++] = (bosc_msf_opts){.size = sizeof list[0], .algorithm = (bosc_msf_algorithm)algorithms[i]};
    for (size_t i = 0; i < 4; i++) list[count++] = (bosc_msf_opts){.size = sizeof list[0], .trees = negative[i]};
    for (size_t i = 0; i < 3; i++) list[count++] = (bosc_msf_opts){.size = i ? sizeof list[0] + i : 7};
    list[count++] = (bosc_msf_opts){.size = sizeof list[0], .limit = &nan[0]};
    list[count++] = (bosc_msf_opts){.size = sizeof list[0], .limit = &nan[1]};
    list[count++] = (bosc_msf_opts){.size = sizeof list[0], .limit = (const char *)&nan[1] + 2};
    return count;
}

static void refuses_forest_arguments(bosc_ctx *ctx)
{
    struct forest_graph g = make_graph(BOSC_F32);
    bosc_graph *graph = forest_build(ctx, &g.e, 64, 0);
    int64_t edges[N], labels[N], count = 5, edge = 5, valid[N];
    bosc_msf_opts bad[16], cut = {.size = sizeof cut, .trees = 2};
    bosc_msf_info info = {.size = sizeof info, .edges = 77};
    memset(edges, 0x55, sizeof edges);
    memset(labels, 0x55, sizeof labels);
    /* 1. No context, no graph, bad options. */
    CHECK_EQ(bosc_msf_compute(NULL, graph, NULL, edges, labels, &info), BOSC_ERR_ARG);
    CHECK_EQ(bosc_components_compute(NULL, graph, NULL, labels, &count), BOSC_ERR_ARG);
    CHECK_EQ(bosc_msf_verify(NULL, graph, NULL, edges, 0, &edge), BOSC_ERR_ARG);
    CHECK_ARG(ctx, bosc_msf_compute(ctx, NULL, NULL, edges, labels, &info), "graph");
    CHECK_ARG(ctx, bosc_components_compute(ctx, NULL, NULL, labels, &count), "graph");
    CHECK_ARG(ctx, bosc_msf_verify(ctx, NULL, NULL, edges, 0, &edge), "graph");
    int options = bad_options(bad);
    for (int i = 0; i < options; i++) {
        CHECK_ARG(ctx, bosc_msf_compute(ctx, graph, &bad[i], edges, labels, &info), "opts");
        CHECK_ARG(ctx, bosc_components_compute(ctx, graph, &bad[i], labels, &count), "opts");
        CHECK_ARG(ctx, bosc_msf_verify(ctx, graph, &bad[i], edges, 0, &edge), "opts");
    }
    /* 2. Misaligned arrays and bad sizes. */
    for (int i = 1; i < 8; i++) {
        CHECK_ARG(ctx, bosc_msf_compute(ctx, graph, NULL, (char *)edges + i, labels, &info), "edges");
        CHECK_ARG(ctx, bosc_msf_compute(ctx, graph, NULL, edges, (char *)labels + i, &info), "labels");
        CHECK_ARG(ctx, bosc_components_compute(ctx, graph, NULL, (char *)labels + i, &count), "labels");
        CHECK_ARG(ctx, bosc_msf_verify(ctx, graph, NULL, (char *)edges + i, 1, &edge), "edges");
    }
    for (size_t i = 0; i < sizeof bad_sizes / sizeof bad_sizes[0]; i++) {
        bosc_msf_info wrong = {.size = bad_sizes[i]};
        CHECK_ARG(ctx, bosc_msf_compute(ctx, graph, NULL, edges, labels, &wrong), "info");
    }
    for (size_t i = 0; i < 4; i++)
        CHECK_ARG(ctx, bosc_msf_verify(ctx, graph, NULL, edges, negative[i], &edge), "count");
    CHECK_ARG(ctx, bosc_msf_verify(ctx, graph, NULL, NULL, 1, &edge), "edges");
    CHECK_ARG(ctx, bosc_msf_verify(ctx, graph, &cut, edges, 0, &edge), "opts: trees");
    CHECK_STATUS(ctx, bosc_msf_verify(ctx, graph, NULL, edges, UINT32_MAX, &edge), BOSC_ERR_LIMIT);
    CHECK_STATUS(ctx, bosc_msf_verify(ctx, graph, NULL, edges, INT64_MAX, &edge), BOSC_ERR_LIMIT);
    /* 3. No output has changed, and a valid call still succeeds. */
    for (int i = 0; i < N; i++) CHECK(edges[i] == 0x5555555555555555 && labels[i] == 0x5555555555555555);
    CHECK(info.edges == 77 && count == 5 && edge == 5);
    CHECK_OK(ctx, bosc_msf_compute(ctx, graph, NULL, valid, NULL, &info));
    CHECK_OK(ctx, bosc_msf_verify(ctx, graph, NULL, valid, info.edges, &edge));
    CHECK_EQ(edge, 5);
    bosc_graph_free(graph);
    forest_free(&g);
}

static void refuses_tree_arguments(bosc_ctx *ctx)
{
    static const int32_t bits[] = {8, 1, 16, 31, 33, 63, 65, -32, -64, 128, INT32_MAX, INT32_MIN};
    int64_t pairs[] = {0, 1, 1, 2, 2, 3}, order[4];
    double lengths[3] = {1, 2, 3}, z[12];
    /* No context, bad numbers of vertices, bad widths of ids. */
    CHECK_EQ(bosc_tour_compute(NULL, pairs, 4, &(bosc_tour_opts){sizeof(bosc_tour_opts), 64}, order), BOSC_ERR_ARG);
    CHECK_EQ(bosc_linkage_compute(NULL, pairs, lengths, 4, &(bosc_linkage_opts){sizeof(bosc_linkage_opts), 64}, z),
             BOSC_ERR_ARG);
    for (size_t i = 0; i < 4; i++) {
        CHECK_ARG(ctx, bosc_tour_compute(ctx, pairs, negative[i], &(bosc_tour_opts){sizeof(bosc_tour_opts), 64}, order),
                  "n");
        CHECK_ARG(ctx,
                  bosc_linkage_compute(ctx, pairs, lengths, negative[i],
                                       &(bosc_linkage_opts){sizeof(bosc_linkage_opts), 64}, z),
                  "n");
    }
    for (size_t i = 0; i < sizeof bits / sizeof bits[0]; i++) {
        CHECK_ARG(ctx, bosc_tour_compute(ctx, pairs, 4, &(bosc_tour_opts){sizeof(bosc_tour_opts), bits[i]}, order),
                  "opts");
        CHECK_ARG(
            ctx,
            bosc_linkage_compute(ctx, pairs, lengths, 4, &(bosc_linkage_opts){sizeof(bosc_linkage_opts), bits[i]}, z),
            "opts");
    }
    /* Missing and misaligned arrays. */
    CHECK_ARG(ctx, bosc_tour_compute(ctx, NULL, 4, &(bosc_tour_opts){sizeof(bosc_tour_opts), 64}, order), "pairs");
    CHECK_ARG(ctx, bosc_tour_compute(ctx, pairs, 4, &(bosc_tour_opts){sizeof(bosc_tour_opts), 64}, NULL), "order");
    CHECK_ARG(ctx, bosc_linkage_compute(ctx, NULL, lengths, 4, &(bosc_linkage_opts){sizeof(bosc_linkage_opts), 64}, z),
              "pairs");
    CHECK_ARG(ctx, bosc_linkage_compute(ctx, pairs, NULL, 4, &(bosc_linkage_opts){sizeof(bosc_linkage_opts), 64}, z),
              "lengths");
    CHECK_ARG(ctx,
              bosc_linkage_compute(ctx, pairs, lengths, 4, &(bosc_linkage_opts){sizeof(bosc_linkage_opts), 64}, NULL),
              "z");
    for (int i = 1; i < 8; i++) {
        CHECK_ARG(ctx,
                  bosc_tour_compute(ctx, (char *)pairs + i, 4, &(bosc_tour_opts){sizeof(bosc_tour_opts), 64}, order),
                  "pairs");
        CHECK_ARG(ctx,
                  bosc_tour_compute(ctx, pairs, 4, &(bosc_tour_opts){sizeof(bosc_tour_opts), 64}, (char *)order + i),
                  "order");
        CHECK_ARG(ctx,
                  bosc_linkage_compute(ctx, (char *)pairs + i, lengths, 4,
                                       &(bosc_linkage_opts){sizeof(bosc_linkage_opts), 64}, z),
                  "pairs");
        CHECK_ARG(ctx,
                  bosc_linkage_compute(ctx, pairs, (double *)((char *)lengths + i), 4,
                                       &(bosc_linkage_opts){sizeof(bosc_linkage_opts), 64}, z),
                  "lengths");
        CHECK_ARG(ctx,
                  bosc_linkage_compute(ctx, pairs, lengths, 4, &(bosc_linkage_opts){sizeof(bosc_linkage_opts), 64},
                                       (double *)((char *)z + i)),
                  "z");
    }
    /* More vertices than the functions support. */
    static const int64_t large[] = {((int64_t)1 << 31) + 1, (int64_t)1 << 32, INT64_MAX};
    for (int i = 0; i < 3; i++) {
        CHECK_STATUS(ctx, bosc_tour_compute(ctx, pairs, large[i], &(bosc_tour_opts){sizeof(bosc_tour_opts), 64}, order),
                     BOSC_ERR_LIMIT);
        CHECK_STATUS(
            ctx,
            bosc_linkage_compute(ctx, pairs, lengths, large[i], &(bosc_linkage_opts){sizeof(bosc_linkage_opts), 64}, z),
            BOSC_ERR_LIMIT);
    }
}

static void other_backend(void)
{
    bosc_ctx_opts cuda = {.size = sizeof cuda, .backend = BOSC_BACKEND_CUDA};
    bosc_ctx *a = NULL, *b = NULL;
    struct forest_graph g = make_graph(BOSC_U32);
    if (bosc_device_count() > 0) {
        CHECK_EQ(bosc_ctx_create(NULL, &a), BOSC_OK);
        CHECK_EQ(bosc_ctx_create(&cuda, &b), BOSC_OK);
        bosc_graph *graph = forest_build(a, &g.e, 64, 0);
        CHECK_ARG(b, bosc_msf_compute(b, graph, NULL, NULL, NULL, NULL), "graph");
        CHECK_ARG(b, bosc_components_compute(b, graph, NULL, NULL, NULL), "graph");
        CHECK_ARG(b, bosc_msf_verify(b, graph, NULL, NULL, 0, NULL), "graph");
        bosc_graph_free(graph);
        bosc_ctx_free(a);
        bosc_ctx_free(b);
    }
    forest_free(&g);
}

/* One call under faults; which of the functions. The graph is built in a context of its own. */
struct faulty {
    int which;
    bosc_graph *graph;
    bosc_msf_opts opts;
    const struct reference_edges *e;
    int64_t edges[N], labels[N], right_edges[N], right_labels[N], right_count;
    bosc_msf_info info;
};

static bosc_status call_any(bosc_ctx *ctx, void *user)
{
    struct faulty *f = user;
    static const double lengths[N] = {0};
    int64_t pairs[2 * N];
    for (int64_t i = 0; i < N - 1; i++) {
        pairs[2 * i] = i;
        pairs[2 * i + 1] = i + 1;
    }
    /* Cases 10 and 11 build from edge lists; the others above 3 compute a forest in different ways. */
    switch (f->which) {
    case 0: return bosc_components_compute(ctx, f->graph, &f->opts, f->labels, &f->info.trees);
    case 1: return bosc_msf_verify(ctx, f->graph, &f->opts, f->right_edges, f->right_count, NULL);
    case 2: return bosc_tour_compute(ctx, pairs, N, &(bosc_tour_opts){sizeof(bosc_tour_opts), 64}, f->labels);
    /* f->edges stands for z: the sweep checks these bytes. */
    case 3: {
        double z[4 * N];
        memcpy(z, f->edges, sizeof f->edges);
        bosc_status status =
            bosc_linkage_compute(ctx, pairs, lengths, N, &(bosc_linkage_opts){sizeof(bosc_linkage_opts), 64}, z);
        memcpy(f->edges, z, sizeof f->edges);
        return status;
    }
    case 10:
    case 11: {
        const bosc_graph_opts o = forest_graph_opts(f->e, 64, 0);
        return bosc_msf_compute_edges(ctx, &o, &f->opts, f->e->u, f->e->v, f->e->weights, f->e->n, f->e->m, f->edges,
                                      f->labels, &f->info);
    }
    default: return bosc_msf_compute(ctx, f->graph, &f->opts, f->edges, f->labels, &f->info);
    }
}

static void prepare(void *user)
{
    struct faulty *f = user;
    memset(f->edges, 0x55, sizeof f->edges);
    memset(f->labels, 0x55, sizeof f->labels);
    f->info = (bosc_msf_info){.size = sizeof f->info, .edges = 77, .trees = 77};
}

static bool untouched(void *user)
{
    struct faulty *f = user;
    for (int i = 0; i < N; i++)
        if (f->edges[i] != 0x5555555555555555 || f->labels[i] != 0x5555555555555555) return false;
    return f->info.edges == 77 && f->info.trees == 77;
}

static bool right(void *user)
{
    struct faulty *f = user;
    bool same = true;
    if (f->which == 0 || f->which > 3) same = memcmp(f->labels, f->right_labels, sizeof f->labels) == 0;
    if (f->which == 2)
        for (int i = 0; i < N; i++) same = same && f->labels[i] == i;
    if (f->which > 3)
        same = same && f->info.edges == f->right_count &&
               memcmp(f->edges, f->right_edges, (size_t)f->right_count * 8) == 0;
    return same;
}

/* The number of threads does not change the allocations, but slows small calls: fewer thread numbers then. */
static void faults(bosc_ctx *ctx)
{
    bosc_ctx_info info = {.size = sizeof info};
    CHECK_OK(ctx, bosc_ctx_get_info(ctx, &info));
    for (int which = info.threads > 2 ? 6 : 0; which<12; which += info.threads> 1 ? 3 : 1) {
        struct forest_graph g = make_graph(which % 2 ? BOSC_F64 : BOSC_U32);
        struct faulty f = {.which = which, .graph = forest_build(ctx, &g.e, 64, which % 3 == 0), .e = &g.e};
        f.opts = (bosc_msf_opts){.size = sizeof f.opts,
                                 .algorithm = (bosc_msf_algorithm)(which > 3 ? which % 3 : 0),
                                 .trees = which > 6 && which < 10 ? 3 : 0};
        f.right_count = reference_msf(&g.e, &f.opts, f.right_edges, f.right_labels);
        int64_t swept = fault_sweep(
            ctx, &(struct fault_sweep){
                     .call = call_any, .prepare = prepare, .untouched = untouched, .right = right, .user = &f});
        CHECK(swept > 0);
        bosc_graph_free(f.graph);
        forest_free(&g);
    }
}

/* A second call of the same shape allocates nothing. */
static void second_call(bosc_ctx *like)
{
    struct suite_random r = {42};
    struct counted c;
    counted_open(&c, like, 0);
    bosc_ctx *ctx = c.ctx;
    int64_t n = suite_slow(like) ? 300 : 5000, *edges = suite_alloc((size_t)n * 8),
            *labels = suite_alloc((size_t)n * 8);
    for (int a = 0; a < 3; a++) {
        struct forest_graph g = forest_make(&r, FOREST_RANDOM, WEIGHTS_RANDOM, a ? BOSC_U32 : BOSC_F32, n);
        bosc_graph *graph = forest_build(ctx, &g.e, 64, 0);
        bosc_msf_opts opts = {.size = sizeof opts, .algorithm = (bosc_msf_algorithm)a};
        for (int turn = 0, before = 0; turn < 2; turn++) {
            bosc_msf_info found = {.size = sizeof found};
            CHECK_OK(ctx, bosc_msf_compute(ctx, graph, &opts, edges, labels, &found));
            CHECK_OK(ctx, bosc_components_compute(ctx, graph, NULL, labels, NULL));
            CHECK_OK(ctx, bosc_msf_verify(ctx, graph, NULL, edges, found.edges, NULL));
            if (turn) CHECK_EQ(c.allocations, before);
            before = (int)c.allocations;
        }
        bosc_graph_free(graph);
        forest_free(&g);
    }
    counted_close(&c);
    free(edges);
    free(labels);
}

static const struct suite_case suite_cases_msf_args[] = {
    {"forests", refuses_forest_arguments, NULL}, {"trees", refuses_tree_arguments, NULL},
    {"another backend", NULL, other_backend},    {"faults", faults, NULL},
    {"second call", second_call, NULL},
};
SUITE(msf_args);
