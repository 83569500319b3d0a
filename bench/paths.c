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

struct subject {
    struct setting set;
    bosc_graph *graph;
    int64_t n, m;
    void *sources, *distances, *predecessors, *edges, *nearest; /* the backend's */
    bosc_paths_opts opts;
    bosc_paths_info info;
};

/* The edges of a network of roads, with as many for each vertex as that of the whole USA unless `m` is 0 or more. */
static struct bench_edges make_network(int64_t n, int64_t m)
{
    struct bench_edges e = {.n = n, .m = m < 0 ? (int64_t)(1.218 * (double)n) : m};
    uint32_t *narrow = bench_host(4 * (size_t)e.m);
    e.u = bench_host(4 * (size_t)e.m);
    e.v = bench_host(4 * (size_t)e.m);
    e.weights = bench_host(8 * (size_t)e.m);
    bench_road(1, e.n, e.m, e.u, e.v, narrow);
    for (int64_t i = 0; i < e.m; i++) e.weights[i] = narrow[i];
    free(narrow);
    return e;
}

static struct bench_edges make_edges(const struct setting *set)
{
    if (strcmp(set->kind, "network") == 0) return make_network(bench.n, set->m);
    const bosc_graph_generate_opts o = {.size = sizeof o,
                                        .kind = bench_graph_kind(set->kind),
                                        .seed = 1,
                                        .n = bench.n,
                                        .m = set->m < 0 ? bench_graph_edges(set->kind, bench.n) : set->m,
                                        .id_bits = 32};
    return bench_graph_list(&o);
}

static void open_graph(struct subject *b)
{
    const bosc_graph_opts o = {.size = sizeof o, .id_bits = 32, .weight = bench_weight_type(b->set.weight)};
    const struct bench_edges e = make_edges(&b->set);
    void *weights = bench_weights(e.weights, e.m, o.weight);
    b->n = e.n;
    b->m = e.m;
    BENCH(bosc_graph_create(bench.ctx, &o, &b->graph));
    BENCH(bosc_graph_build(bench.ctx, b->graph, e.u, e.v, weights, b->n, b->m));
    uint32_t *sources = bench_host(4 * (size_t)b->set.sources);
    for (int64_t i = 0; i < b->set.sources; i++)
        sources[i] = (uint32_t)((double)b->n * (double)(2 * i + 1) / (double)(2 * b->set.sources));
    b->sources = bench_array(sources, 4 * (size_t)b->set.sources);
    b->distances = bench_array(NULL, 8 * (size_t)b->n);
    b->predecessors = bench_array(NULL, 4 * (size_t)b->n);
    b->edges = bench_array(NULL, 4 * (size_t)b->n);
    b->nearest = bench_array(NULL, 4 * (size_t)b->n);
    free(e.u);
    free(e.v);
    free(e.weights);
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
