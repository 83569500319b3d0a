/* Times spanning forests: bench_forest [-k kind] [-n vertices] [-m edges] [-w type] [-a algorithms] [-s] [-p size]. The
 * graph is generated; arrays are in the backend's memory, handles are warm. One row an algorithm: the least and the
 * median time, scratch memory, the forest's edges and weight, and with -s the time of each stage; for PRIMITIVES with
 * and without the removal of duplicate edges, the vertices and arcs at the begin of each round. Each answer is checked
 * with bosc_msf_verify. -p small, paper or large: graphs of the kinds and sizes of the tables in Vineet, Harish,
 * Patidar, Narayanan (HPG 2009), one after another; "paper" has the paper's sizes. */
#include <stdlib.h>
#include <string.h>

#include "harness/bench.h"
#include "harness/shapes.h"

struct setting {
    int64_t n, m, most;
    const char *kind, *weight, *algorithms, *tables;
    bool stages;
};

/* The graphs of the tables. Roads are generated with as many vertices as the DIMACS networks of these names have. */
static const struct table {
    const char *name, *kind;
    double n[3]; /* small, paper, large; 0: not of that size */
} tables[] = {
    {"Random", "random", {2e5, 1e6, 16e6}},
    {"Random", "random", {0, 2e6, 32e6}},
    {"Random", "random", {0, 3e6, 0}},
    {"Random", "random", {0, 4e6, 0}},
    {"Random", "random", {0, 5e6, 0}},
    {"R-MAT", "rmat", {2e5, 1e6, 16e6}},
    {"R-MAT", "rmat", {0, 2e6, 0}},
    {"R-MAT", "rmat", {0, 4e6, 0}},
    {"SSCA#2", "ssca2", {2e5, 1e6, 16e6}},
    {"SSCA#2", "ssca2", {0, 2e6, 32e6}},
    {"SSCA#2", "ssca2", {0, 3e6, 0}},
    {"SSCA#2", "ssca2", {0, 4e6, 0}},
    {"SSCA#2", "ssca2", {0, 5e6, 0}},
    {"New York", "road", {264346, 264346, 0}},
    {"San Francisco Bay", "road", {0, 321270, 0}},
    {"Colorado", "road", {0, 435666, 0}},
    {"Florida", "road", {0, 1070376, 0}},
    {"Northwest USA", "road", {0, 1207945, 0}},
    {"Northeast USA", "road", {0, 1524453, 0}},
    {"California and Nevada", "road", {0, 1890815, 0}},
    {"Great Lakes", "road", {0, 2758119, 0}},
    {"Eastern USA", "road", {0, 3598623, 0}},
    {"Western USA", "road", {0, 6262104, 0}},
    {"Full USA", "road", {0, 0, 23947347}},
    {"beside the paper's", "grid", {2e5, 6.25e6, 32e6}},
};
enum { TABLES = sizeof tables / sizeof tables[0] };

struct subject {
    struct setting set;
    bosc_graph_opts graph_opts;
    bosc_graph *graph;
    int64_t n, m;
    void *u, *v, *weights, *edges, *labels; /* the backend's */
    bosc_msf_opts opts;
    bosc_msf_info info;
    bosc_msf_info removed, kept; /* of PRIMITIVES with and without the removal of duplicates */
};

static int find_name(const char *const *names, int count, const char *name)
{
    for (int i = 0; i < count; i++)
        if (strcmp(names[i], name) == 0) return i;
    bench_fail("'%s' is not known", name);
    return 0;
}

/* Each progress call ends a stage. */
static double stage_began;
static bool print_stages;
static int on_progress(void *user, const char *stage, double part)
{
    (void)user;
    if (!print_stages) return 0;
    double now = bench_now();
    bench_say("%s up to %.2f: %.3f ms", stage, part, 1e3 * (now - stage_began));
    stage_began = now;
    return 0;
}

static void generate_graph(struct subject *b)
{
    const bosc_graph_generate_opts o = {.size = sizeof o,
                                        .kind = bench_graph_kind(b->set.kind),
                                        .seed = 1,
                                        .n = b->set.n,
                                        .m = b->set.m,
                                        .most = b->set.most,
                                        .id_bits = 32};
    const struct bench_edges e = bench_graph_list(&o);
    const bosc_dtype type = bench_weight_type(b->set.weight);
    void *weights = bench_weights(e.weights, e.m, type);
    b->n = e.n;
    b->m = e.m;
    b->u = bench_array(e.u, 4 * (size_t)e.m);
    b->v = bench_array(e.v, 4 * (size_t)e.m);
    b->weights = bench_array(weights, bosc_dtype_size(type) * (size_t)e.m);
    b->edges = bench_array(NULL, 4 * (size_t)b->n);
    b->labels = bench_array(NULL, 4 * (size_t)b->n);
    free(e.u);
    free(e.v);
    free(e.weights);
    free(weights);
}

static void build_graph(void *user)
{
    struct subject *b = user;
    BENCH(bosc_graph_build(bench.ctx, b->graph, b->u, b->v, b->weights, b->n, b->m));
}

static void compute_forest(void *user)
{
    struct subject *b = user;
    stage_began = bench_now();
    BENCH(bosc_msf_compute(bench.ctx, b->graph, &b->opts, b->edges, NULL, &b->info));
}

static void compute_forest_of_edges(void *user)
{
    struct subject *b = user;
    BENCH(bosc_msf_compute_edges(bench.ctx, &b->graph_opts, NULL, b->u, b->v, b->weights, b->n, b->m, b->edges, NULL,
                                 &b->info));
}

static void compute_components_of_edges(void *user)
{
    struct subject *b = user;
    BENCH(bosc_components_compute_edges(bench.ctx, &b->graph_opts, NULL, b->u, b->v, b->weights, b->n, b->m, b->labels,
                                        NULL));
}

static void compute_components(void *user)
{
    struct subject *b = user;
    BENCH(bosc_components_compute(bench.ctx, b->graph, NULL, b->labels, NULL));
}

static void verify_forest(void *user)
{
    struct subject *b = user;
    BENCH(bosc_msf_verify(bench.ctx, b->graph, NULL, b->edges, b->info.edges, NULL));
}

/* A copy of `count` ids in host memory. */
static void *copy_to_host(const void *ids, int64_t count)
{
    const size_t bytes = 4 * (size_t)count;
    void *copy = malloc(bytes + 1);
    if (!copy) bench_fail("out of memory");
    BENCH(bosc_ctx_copy(bench.ctx, copy, ids, bytes));
    return copy;
}

/* Times a call that writes to `ids`, and checks that it writes the answer that is there already. */
static struct bench_times time_equal(void (*call)(void *), struct subject *b, const void *ids, int64_t count)
{
    void *want = copy_to_host(ids, count);
    struct bench_times t = bench_time(NULL, call, b, bench.repeats);
    void *got = copy_to_host(ids, count);
    bench_check(memcmp(want, got, 4 * (size_t)count) == 0, "the edge list has another answer than the graph");
    free(want);
    free(got);
    return t;
}

/* A row of the graph's edges, with the call's scratch memory. */
static void print_row(struct subject *b, const char *name, struct bench_times t, const char *note)
{
    bosc_ctx_info info = {.size = sizeof info};
    BENCH(bosc_ctx_get_info(bench.ctx, &info));
    struct bench_row row = {.name = name, .data = b->set.kind, .n = b->m, .ours = t};
    row.bytes = 12.0 * (double)b->m; /* ends and weights are read */
    row.note = bench_text("scratch %.1f MB%s%s", 1e-6 * (double)info.scratch_bytes, *note ? ", " : "", note);
    bench_print(&row);
    BENCH(bosc_ctx_trim(bench.ctx));
}

/* On the CPU the published method takes seconds: it runs once. */
static struct bench_times time_forest(struct subject *b, int algorithm)
{
    if (algorithm == 0 || bench.opts.backend == BOSC_BACKEND_CUDA)
        return bench_time(NULL, compute_forest, b, bench.repeats);
    return bench_once(compute_forest, b);
}

static void run_forests(struct subject *b)
{
    static const char *const names[] = {"auto", "primitives", "atomic", "duplicates kept"};
    for (int a = 0; a < 4; a++) {
        if (!strchr(b->set.algorithms, "apts"[a])) continue;
        b->opts = (bosc_msf_opts){
            .size = sizeof b->opts, .algorithm = (bosc_msf_algorithm)(a == 3 ? 1 : a), .keep_parallel = a == 3};
        b->info = (bosc_msf_info){.size = sizeof b->info};
        struct bench_times t = time_forest(b, a);
        print_row(b, names[a], t,
                  bench_text("%" PRId64 " edges, %" PRId64 " trees, weight %.17g", b->info.edges, b->info.trees,
                             b->info.weight));
        print_stages = b->set.stages;
        if (print_stages) compute_forest(b);
        print_stages = false;
        if (a == 1) b->removed = b->info;
        if (a == 3) b->kept = b->info;
        if (a == 0) {
            t = time_equal(compute_forest_of_edges, b, b->edges, b->info.edges);
            print_row(b, "  of the edge list", t, "without a graph, the same edges");
        }
        if (a == 0 || b->set.stages)
            print_row(b, "  proof", bench_time(NULL, verify_forest, b, bench.repeats < 3 ? bench.repeats : 3), "");
    }
}

static void run_components(struct subject *b)
{
    print_row(b, "components", bench_time(NULL, compute_components, b, bench.repeats), "");
    struct bench_times t = time_equal(compute_components_of_edges, b, b->labels, b->n);
    print_row(b, "  of the edge list", t, "without a graph, the same labels");
}

static const char *round_text(const bosc_msf_info *info, int k)
{
    if (k >= info->rounds_recorded) return "-";
    return bench_text("%" PRId64 " vertices, %" PRId64 " arcs", info->round[k].vertices, info->round[k].arcs);
}

/* Vertices and arcs at the begin of each round of PRIMITIVES. */
static void print_rounds(const struct subject *b)
{
    int most =
        b->removed.rounds_recorded > b->kept.rounds_recorded ? b->removed.rounds_recorded : b->kept.rounds_recorded;
    for (int k = 0; k < most; k++)
        bench_say("round %d: duplicates removed %s; kept %s", k + 1, round_text(&b->removed, k),
                  round_text(&b->kept, k));
}

/* Times everything on one graph; `name` is the table's, or NULL. */
static void run_graph(const struct setting *set, const char *name)
{
    struct subject b = {.set = *set};
    if (b.set.m < 0) b.set.m = bench_graph_edges(set->kind, set->n);
    generate_graph(&b);
    b.graph_opts =
        (bosc_graph_opts){.size = sizeof b.graph_opts, .id_bits = 32, .weight = bench_weight_type(b.set.weight)};
    bosc_graph_info info = {.size = sizeof info};
    BENCH(bosc_graph_create(bench.ctx, &b.graph_opts, &b.graph));
    bench_say("%s%s%s, %" PRId64 " vertices, %" PRId64 " edges, weights %s, %s", name ? name : "", name ? ": " : "",
              b.set.kind, b.n, b.m, b.set.weight, bench_device());
    struct bench_times t = bench_time(NULL, build_graph, &b, bench.repeats);
    BENCH(bosc_graph_get_info(bench.ctx, b.graph, &info));
    print_row(&b, "build", t, bench_text("%.1f MB kept", 1e-6 * (double)info.bytes));
    run_forests(&b);
    if (strchr(b.set.algorithms, 'c')) run_components(&b);
    print_rounds(&b);
    bosc_graph_free(b.graph);
    void *const arrays[] = {b.u, b.v, b.weights, b.edges, b.labels};
    for (int k = 0; k < 5; k++) bench_release(arrays[k]);
}

static void run_tables(struct setting set)
{
    static const char *const sizes[] = {"small", "paper", "large"};
    int size = find_name(sizes, 3, set.tables);
    for (int i = 0; i < TABLES; i++) {
        if (tables[i].n[size] == 0) continue;
        set.kind = tables[i].kind;
        set.n = (int64_t)tables[i].n[size];
        run_graph(&set, tables[i].name);
    }
}

int main(int argc, char **argv)
{
    struct setting set = {.m = -1, .kind = "random", .weight = "u32", .algorithms = "aptsc"};
    const struct bench_option own[] = {
        {'k', BENCH_TEXT, &set.kind, SHAPE_TEXT(GRAPH_SHAPES)},
        {'m', BENCH_INTEGER, &set.m, "edges"},
        {'x', BENCH_INTEGER, &set.most, "heaviest weight"},
        {'w', BENCH_TEXT, &set.weight, "u32, i32, f32, u64, i64 or f64"},
        {'a', BENCH_TEXT, &set.algorithms,
         "letters: auto, primitives, aTomic, s: primitives with duplicate edges kept, components"},
        {'p', BENCH_TEXT, &set.tables, "small, paper or large: the paper's tables"},
        {'s', BENCH_FLAG, &set.stages, "the time of each stage"}};
    bench.n = 1000000;
    bench.repeats = 5;
    bench.opts.progress = on_progress;
    bench_options(argc, argv, "vertices", own, sizeof own / sizeof own[0]);
    set.n = bench.n;
    bench_open();
    if (set.tables)
        run_tables(set);
    else
        run_graph(&set, NULL);
    return bench_close();
}
