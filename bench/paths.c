/* Times shortest paths: bench_paths [-k kind] [-n vertices] [-m edges] [-w type] [-s sources] [-d width] [-a
 * algorithms]. Where Boost is installed, its Dijkstra and breadth-first search stand beside them, with one thread, for
 * one source and u32 weights on the CPU; distances must be equal. The graph is generated (kind "network": as the road
 * network of that many vertices); arrays are in the backend's memory, handles are warm. Rows: distances, the tree, and
 * the proof of both. */
#include <stdlib.h>
#include <string.h>

#include "harness/bench.h"
#include "harness/road.h"
#include "harness/shapes.h"
#include "peers/paths.h"

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
    void *peer; /* NULL: none */
    uint32_t source;
    uint64_t *peer_distances;
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
    /* 1. The graph. */
    const bosc_graph_opts o = {.size = sizeof o, .id_bits = 32, .weight = bench_weight_type(b->set.weight)};
    const struct bench_edges e = make_edges(&b->set);
    void *weights = bench_weights(e.weights, e.m, o.weight);
    b->n = e.n;
    b->m = e.m;
    BENCH(bosc_graph_create(bench.ctx, &o, &b->graph));
    BENCH(bosc_graph_build(bench.ctx, b->graph, e.u, e.v, weights, b->n, b->m));
    /* 2. Sources, outputs, and the peer's graph. */
    uint32_t *sources = bench_host(4 * (size_t)b->set.sources);
    for (int64_t i = 0; i < b->set.sources; i++)
        sources[i] = (uint32_t)((double)b->n * (double)(2 * i + 1) / (double)(2 * b->set.sources));
    b->sources = bench_array(sources, 4 * (size_t)b->set.sources);
    b->distances = bench_array(NULL, 8 * (size_t)b->n);
    b->predecessors = bench_array(NULL, 4 * (size_t)b->n);
    b->edges = bench_array(NULL, 4 * (size_t)b->n);
    b->nearest = bench_array(NULL, 4 * (size_t)b->n);
    b->source = sources[0];
    if (bench.opts.backend != BOSC_BACKEND_CUDA && b->set.sources == 1 && o.weight == BOSC_U32) {
        b->peer = peer_paths_open(e.u, e.v, weights, b->n, b->m);
        b->peer_distances = bench_host(8 * (size_t)b->n);
    }
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

static void compute_by_peer(void *user)
{
    struct subject *b = user;
    if (b->opts.unweighted)
        peer_paths_breadth_first(b->peer, b->source, b->peer_distances);
    else
        peer_paths_dijkstra(b->peer, b->source, b->peer_distances);
}

static void print_row(const struct subject *b, const char *name, struct bench_times t, struct bench_times peer)
{
    bosc_ctx_info info = {.size = sizeof info};
    BENCH(bosc_ctx_get_info(bench.ctx, &info));
    const struct bench_row row = {.name = name,
                                  .data = b->set.kind,
                                  .n = b->n,
                                  .bytes = 16.0 * (double)b->m + 12.0 * (double)b->n, /* arcs; distances */
                                  .ours = t,
                                  .peer = peer.median > 0 ? "Boost, 1 thread" : NULL,
                                  .theirs = peer,
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
        const struct bench_times ours = bench_time(NULL, compute_distances, &b, bench.repeats), none = {0, 0};
        const struct bench_times peer = b.peer && a < 2 ? bench_time(NULL, compute_by_peer, &b, bench.repeats) : none;
        if (peer.median > 0)
            bench_check(memcmp(b.distances, b.peer_distances, 8 * (size_t)b.n) == 0, "Boost has other distances");
        print_row(&b, names[a], ours, peer);
        if (a == 2) continue;
        print_row(&b, "  with the tree", bench_time(NULL, compute_tree, &b, bench.repeats), none);
        print_row(&b, "  with edges and sources", bench_time(NULL, compute_all, &b, bench.repeats), none);
        print_row(&b, "  proof", bench_time(NULL, verify_paths, &b, bench.repeats), none);
    }
    void *const arrays[] = {b.sources, b.distances, b.predecessors, b.edges, b.nearest};
    for (int k = 0; k < 5; k++) bench_release(arrays[k]);
    if (b.peer) peer_paths_close(b.peer);
    free(b.peer_distances);
    bosc_graph_free(b.graph);
    return bench_close();
}
