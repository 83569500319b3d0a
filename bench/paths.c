/* Times shortest paths: bench_paths [-k kind] [-n vertices] [-m edges] [-w type] [-s sources] [-d width] [-a
 * algorithms]. The graph is generated (kind "network": as the road network of that many vertices); arrays are in the
 * backend's memory, handles are warm. Rows: distances, the tree, and the proof of both. */
#include <stdlib.h>
#include <string.h>

#include "harness/bench.h"
#include "harness/road.h"
#include "harness/shapes.h"

struct setting {
    int64_t m, sources;
    const char *kind, *weight, *algorithms;
    double width;
};

static const char *const types[] = {"u32", "i32", "f32", "u64", "i64", "f64"};
static const bosc_dtype dtypes[] = {BOSC_U32, BOSC_I32, BOSC_F32, BOSC_U64, BOSC_I64, BOSC_F64};

struct subject {
    struct setting set;
    bosc_graph *graph;
    int64_t n, m;
    void *sources, *distances, *predecessors, *edges, *nearest; /* the backend's */
    bosc_paths_opts opts;
    bosc_paths_info info;
};

static bosc_dtype type_of(const char *name)
{
    for (int i = 0; i < 6; i++)
        if (strcmp(types[i], name) == 0) return dtypes[i];
    bench_fail("'%s' is not known", name);
    return BOSC_U32;
}

static void set_weight(void *to, bosc_dtype t, int64_t i, int64_t w)
{
    switch (t) {
    case BOSC_I32: ((int32_t *)to)[i] = (int32_t)w; break;
    case BOSC_F32: ((float *)to)[i] = (float)w; break;
    case BOSC_F64: ((double *)to)[i] = (double)w; break;
    case BOSC_U64:
    case BOSC_I64: ((int64_t *)to)[i] = w; break;
    default: ((uint32_t *)to)[i] = (uint32_t)w; break;
    }
}

/* Fills arrays of the host, which the caller frees. */
static void generate_edges(struct subject *b, uint32_t **u, uint32_t **v, int64_t **w)
{
    const bool network = strcmp(b->set.kind, "network") == 0;
    bosc_graph_generate_opts o = {.size = sizeof o, .seed = 1, .n = bench.n, .m = b->set.m, .id_bits = 32};
    b->n = bench.n;
    b->m = b->set.m < 0 ? (int64_t)(1.218 * (double)bench.n) : b->set.m; /* as the network of the whole USA */
    if (!network) {
        o.kind = bench_graph_kind(b->set.kind);
        if (o.m < 0) o.m = bench_graph_edges(b->set.kind, bench.n);
        BENCH(bosc_graph_generate(bench.ctx, &o, &b->n, &b->m, NULL, NULL, NULL, 0));
    }
    *u = bench_host(4 * (size_t)b->m);
    *v = bench_host(4 * (size_t)b->m);
    *w = bench_host(8 * (size_t)b->m);
    if (!network) {
        BENCH(bosc_graph_generate(bench.ctx, &o, &b->n, &b->m, *u, *v, *w, b->m));
        return;
    }
    uint32_t *narrow = bench_host(4 * (size_t)b->m);
    bench_road(1, b->n, b->m, *u, *v, narrow);
    for (int64_t i = 0; i < b->m; i++) (*w)[i] = narrow[i];
    free(narrow);
}

static void open_graph(struct subject *b)
{
    const bosc_dtype t = type_of(b->set.weight);
    const bosc_graph_opts o = {.size = sizeof o, .id_bits = 32, .weight = t};
    uint32_t *u, *v;
    int64_t *w;
    generate_edges(b, &u, &v, &w);
    void *weights = bench_host(8 * (size_t)b->m);
    for (int64_t i = 0; i < b->m; i++) set_weight(weights, t, i, w[i]);
    BENCH(bosc_graph_create(bench.ctx, &o, &b->graph));
    BENCH(bosc_graph_build(bench.ctx, b->graph, u, v, weights, b->n, b->m));
    uint32_t *sources = bench_host(4 * (size_t)b->set.sources);
    for (int64_t i = 0; i < b->set.sources; i++)
        sources[i] = (uint32_t)((double)b->n * (double)(2 * i + 1) / (double)(2 * b->set.sources));
    b->sources = bench_array(sources, 4 * (size_t)b->set.sources);
    b->distances = bench_array(NULL, 8 * (size_t)b->n);
    b->predecessors = bench_array(NULL, 4 * (size_t)b->n);
    b->edges = bench_array(NULL, 4 * (size_t)b->n);
    b->nearest = bench_array(NULL, 4 * (size_t)b->n);
    free(u);
    free(v);
    free(w);
    free(weights);
    free(sources);
}

static void compute_distances(void *user)
{
    struct subject *b = user;
    BENCH(bosc_paths_compute(bench.ctx, b->graph, b->sources, b->set.sources, &b->opts, b->distances, NULL, NULL, NULL,
                             &b->info));
}

static void compute_tree(void *user)
{
    struct subject *b = user;
    BENCH(bosc_paths_compute(bench.ctx, b->graph, b->sources, b->set.sources, &b->opts, b->distances, b->predecessors,
                             NULL, NULL, &b->info));
}

static void compute_all(void *user)
{
    struct subject *b = user;
    BENCH(bosc_paths_compute(bench.ctx, b->graph, b->sources, b->set.sources, &b->opts, b->distances, b->predecessors,
                             b->edges, b->nearest, &b->info));
}

static void verify_paths(void *user)
{
    struct subject *b = user;
    BENCH(bosc_paths_verify(bench.ctx, b->graph, b->sources, b->set.sources, &b->opts, b->distances, b->predecessors,
                            NULL));
}

static void print_row(const struct subject *b, const char *name, struct bench_times t)
{
    bosc_ctx_info info = {.size = sizeof info};
    BENCH(bosc_ctx_get_info(bench.ctx, &info));
    const struct bench_row row = {.name = name,
                                  .data = b->set.kind,
                                  .n = b->n,
                                  .bytes = 16.0 * (double)b->m + 12.0 * (double)b->n, /* arcs; distances */
                                  .ours = t,
                                  .note = bench_text("%" PRId64 " reached, scratch %.1f MB, distances %016" PRIx64,
                                                     b->info.reached, 1e-6 * (double)info.scratch_bytes,
                                                     bench_sum(b->distances, 8 * (size_t)b->n, 0))};
    bench_print(&row);
}

int main(int argc, char **argv)
{
    struct subject b = {.set = {.m = -1, .sources = 1, .kind = "network", .weight = "u32", .algorithms = "wu"},
                        .info = {sizeof b.info, 0}};
    const struct bench_option own[] = {{'k', BENCH_TEXT, &b.set.kind, "network, or " SHAPE_TEXT(GRAPH_SHAPES)},
                                       {'m', BENCH_INTEGER, &b.set.m, "edges"},
                                       {'w', BENCH_TEXT, &b.set.weight, "u32, i32, f32, u64, i64 or f64"},
                                       {'s', BENCH_INTEGER, &b.set.sources, "sources"},
                                       {'d', BENCH_NUMBER, &b.set.width, "width of a range of distances"},
                                       {'a', BENCH_TEXT, &b.set.algorithms, "letters: weighted, unweighted, rounds"}};
    static const char *const names[] = {"weighted", "unweighted", "rounds"};
    /* 1. Options and the graph. */
    bench.n = 1000000;
    bench.repeats = 5;
    bench_options(argc, argv, "vertices", own, sizeof own / sizeof own[0]);
    bench_open();
    open_graph(&b);
    bench_say("%s, %" PRId64 " vertices, %" PRId64 " edges, weights %s, %" PRId64 " sources, %s", b.set.kind, b.n, b.m,
              b.set.weight, b.set.sources, bench_device());
    /* 2. Rows. */
    for (int a = 0; a < 3; a++) {
        if (!strchr(b.set.algorithms, "wur"[a])) continue;
        b.opts = (bosc_paths_opts){.size = sizeof b.opts, .width = b.set.width, .unweighted = a == 1};
        if (a == 2) b.opts.algorithm = BOSC_PATHS_ROUNDS;
        print_row(&b, names[a], bench_time(NULL, compute_distances, &b, bench.repeats));
        if (a == 2) continue;
        print_row(&b, "  with the tree", bench_time(NULL, compute_tree, &b, bench.repeats));
        print_row(&b, "  with edges and sources", bench_time(NULL, compute_all, &b, bench.repeats));
        print_row(&b, "  proof", bench_time(NULL, verify_paths, &b, bench.repeats));
    }
    void *const arrays[] = {b.sources, b.distances, b.predecessors, b.edges, b.nearest};
    for (int k = 0; k < 5; k++) bench_release(arrays[k]);
    bosc_graph_free(b.graph);
    return bench_close();
}
