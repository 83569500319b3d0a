/* Times spanning forests: bench_forest [-k kind] [-n vertices] [-m edges] [-w type] [-t threads] [-r repeats]
 * [-b backend] [-a algorithms] [-s] [-p size]. The graph is generated; arrays are in the backend's memory, handles are
 * warm. One row an algorithm: the least and the median time, scratch memory, the forest's edges and weight, and with -s
 * the time of each stage; for PRIMITIVES with and without the removal of duplicate edges, what each round began with.
 * The answer of each is checked with bosc_msf_verify. -p small, paper or large: graphs of the kinds and sizes of the
 * tables in Vineet, Harish, Patidar, Narayanan (HPG 2009), one after another; "paper" has the paper's sizes. */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <boscage/boscage.h>
#include <boscage/forest.h>
#include <boscage/graph.h>

#include "harness/calls.h"
#include "harness/timing.h"

struct setting {
    int64_t n, m, most;
    int threads, repeats;
    const char *kind, *backend, *weight, *algorithms, *tables;
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

static const char *const kinds[] = {"random", "rmat", "ssca2", "grid", "road", "geometric"};
static const char *const types[] = {"u32", "i32", "f32", "u64", "i64", "f64"};
static const bosc_dtype dtypes[] = {BOSC_U32, BOSC_I32, BOSC_F32, BOSC_U64, BOSC_I64, BOSC_F64};

struct bench {
    struct setting set;
    bosc_ctx *ctx;
    bosc_graph *graph;
    int64_t n, m;
    void *u, *v, *weights, *edges, *labels; /* the backend's */
    bosc_msf_opts opts;
    bosc_msf_info info;
    bosc_msf_info removed, kept; /* of PRIMITIVES with and without the removal of duplicates */
};

static int find(const char *const *names, int count, const char *name)
{
    for (int i = 0; i < count; i++)
        if (strcmp(names[i], name) == 0) return i;
    fprintf(stderr, "bench_forest: %s is not known\n", name);
    exit(2);
}

/* Stages are told by the progress calls: each ends one. */
static double stage_began;
static bool tell_stages;
static int on_progress(void *user, const char *stage, double part)
{
    (void)user;
    if (!tell_stages) return 0;
    double now = timing_now();
    printf("    %s up to %.2f: %.3f ms\n", stage, part, 1e3 * (now - stage_began));
    stage_began = now;
    return 0;
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

static void *send(struct bench *b, const void *from, size_t bytes)
{
    void *to = NULL;
    DO(b, bosc_alloc(b->ctx, bytes, &to));
    if (from && bytes) DO(b, bosc_copy(b->ctx, to, from, bytes));
    return to;
}

static void generate(struct bench *b)
{
    bosc_dtype t = dtypes[find(types, 6, b->set.weight)];
    bosc_generate_opts o = {.size = sizeof o,
                            .kind = (bosc_graph_kind)find(kinds, 6, b->set.kind),
                            .seed = 1,
                            .n = b->set.n,
                            .m = b->set.m,
                            .most = b->set.most,
                            .id_bits = 32};
    bosc_ctx *cpu;
    bosc_ctx_opts cpu_opts = {.size = sizeof cpu_opts};
    if (bosc_ctx_create(&cpu_opts, &cpu) != BOSC_OK) fail(NULL, "no context");
    if (bosc_graph_generate(cpu, &o, &b->n, &b->m, NULL, NULL, NULL, 0) != BOSC_OK) fail(cpu, "bosc_graph_generate");
    size_t m = (size_t)b->m, size = bosc_dtype_size(t);
    uint32_t *u = host(4 * m), *v = host(4 * m);
    int64_t *w = host(8 * m);
    void *weights = host(size * m);
    if (bosc_graph_generate(cpu, &o, &b->n, &b->m, u, v, w, b->m) != BOSC_OK) fail(cpu, "bosc_graph_generate");
    for (int64_t i = 0; i < b->m; i++) set_weight(weights, t, i, w[i]);
    b->u = send(b, u, 4 * m);
    b->v = send(b, v, 4 * m);
    b->weights = send(b, weights, size * m);
    b->edges = send(b, NULL, 4 * (size_t)b->n);
    b->labels = send(b, NULL, 4 * (size_t)b->n);
    free(u);
    free(v);
    free(w);
    free(weights);
    bosc_ctx_free(cpu);
}

static void build(void *user)
{
    struct bench *b = user;
    DO(b, bosc_graph_build(b->ctx, b->graph, b->n, b->m, b->u, b->v, b->weights));
}

static void forest(void *user)
{
    struct bench *b = user;
    stage_began = timing_now();
    DO(b, bosc_msf(b->ctx, b->graph, &b->opts, b->edges, NULL, &b->info));
}

static void components(void *user)
{
    struct bench *b = user;
    DO(b, bosc_components(b->ctx, b->graph, NULL, b->labels, NULL));
}

static void verify(void *user)
{
    struct bench *b = user;
    DO(b, bosc_msf_verify(b->ctx, b->graph, NULL, b->edges, b->info.edges, NULL));
}

static void print(struct bench *b, const char *name, struct timing t)
{
    bosc_ctx_info info = {.size = sizeof info};
    DO(b, bosc_ctx_get_info(b->ctx, &info));
    printf("%-15s %10.3f %10.3f %10.1f", name, 1e3 * t.least, 1e3 * t.median, 1e-6 * (double)info.scratch_bytes);
    DO(b, bosc_ctx_trim(b->ctx));
}

/* On the CPU the published method takes seconds: it runs once. */
static struct timing time_forest(struct bench *b, int algorithm)
{
    if (algorithm == 0 || strcmp(b->set.backend, "cuda") == 0) return timing_of(NULL, forest, b, b->set.repeats);
    double begin = timing_now();
    forest(b);
    double seconds = timing_now() - begin;
    return (struct timing){seconds, seconds};
}

static void run_forests(struct bench *b)
{
    static const char *const names[] = {"auto", "primitives", "atomic", "duplicates kept"};
    for (int a = 0; a < 4; a++) {
        if (!strchr(b->set.algorithms, "apts"[a])) continue;
        b->opts = (bosc_msf_opts){
            .size = sizeof b->opts, .algorithm = (bosc_msf_algorithm)(a == 3 ? 1 : a), .keep_parallel = a == 3};
        b->info = (bosc_msf_info){.size = sizeof b->info};
        print(b, names[a], time_forest(b, a));
        printf("   %" PRId64 " edges, %" PRId64 " trees, weight %.17g\n", b->info.edges, b->info.trees, b->info.weight);
        tell_stages = b->set.stages;
        if (tell_stages) forest(b);
        tell_stages = false;
        if (a == 1) b->removed = b->info;
        if (a == 3) b->kept = b->info;
        if (a == 0 || b->set.stages) {
            print(b, "  proof", timing_of(NULL, verify, b, b->set.repeats < 3 ? b->set.repeats : 3));
            printf("\n");
        }
    }
}

static void print_round(const bosc_msf_info *info, int k)
{
    if (k < info->rounds_told)
        printf(" %12" PRId64 " %12" PRId64, info->round[k].vertices, info->round[k].arcs);
    else
        printf(" %12s %12s", "", "");
}

/* What each round began with. */
static void print_rounds(const struct bench *b)
{
    int most = b->removed.rounds_told > b->kept.rounds_told ? b->removed.rounds_told : b->kept.rounds_told;
    if (most == 0) return;
    printf("  %-5s %25s %25s\n  %-5s %12s %12s %12s %12s\n", "", "duplicates removed", "duplicates kept", "round",
           "vertices", "arcs", "vertices", "arcs");
    for (int k = 0; k < most; k++) {
        printf("  %-5d", k + 1);
        print_round(&b->removed, k);
        print_round(&b->kept, k);
        printf("\n");
    }
}

static struct setting parse(int argc, char **argv)
{
    struct setting s = {.n = 1000000,
                        .m = -1,
                        .repeats = 5,
                        .kind = "random",
                        .backend = "cpu",
                        .weight = "u32",
                        .algorithms = "aptsc"};
    for (int i = 1; i < argc; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : "";
        if (strcmp(argv[i], "-s") == 0) {
            s.stages = true;
            continue;
        }
        switch (argv[i][0] == '-' ? argv[i][1] : 0) {
        case 'k': s.kind = value; break;
        case 'n': s.n = (int64_t)atof(value); break;
        case 'm': s.m = (int64_t)atof(value); break;
        case 'x': s.most = (int64_t)atof(value); break;
        case 'w': s.weight = value; break;
        case 't': s.threads = atoi(value); break;
        case 'r': s.repeats = atoi(value); break;
        case 'b': s.backend = value; break;
        case 'a': s.algorithms = value; break;
        case 'p': s.tables = value; break;
        default:
            fprintf(stderr, "usage: bench_forest [-k random|rmat|ssca2|grid|road|geometric] [-n vertices] [-m edges]\n"
                            "       [-x heaviest weight] [-w u32|i32|f32|u64|i64|f64] [-t threads] [-r repeats]\n"
                            "       [-b cpu|cuda] [-s] [-a letters: auto, primitives, aTomic, s: primitives with\n"
                            "       duplicate edges kept, components] [-p small|paper|large: the paper's tables]\n");
            exit(2);
        }
        i++;
    }
    return s;
}

static int64_t default_edges(const struct setting *s)
{
    return strcmp(s->kind, "random") == 0 || strcmp(s->kind, "rmat") == 0 ? 6 * s->n : 0;
}

/* Times everything on one graph; `name` is the table's, or NULL. */
static void run_graph(bosc_ctx *ctx, const struct setting *set, const char *name)
{
    struct bench b = {.set = *set, .ctx = ctx};
    if (b.set.m < 0) b.set.m = default_edges(set);
    generate(&b);
    bosc_graph_opts go = {.size = sizeof go, .id_bits = 32, .weight = dtypes[find(types, 6, b.set.weight)]};
    bosc_graph_info info = {.size = sizeof info};
    DO(&b, bosc_graph_create(b.ctx, &go, &b.graph));
    printf("%s%s%s, %" PRId64 " vertices, %" PRId64 " edges, weights %s, %s\n%-15s %10s %10s %10s\n", name ? name : "",
           name ? ": " : "", b.set.kind, b.n, b.m, b.set.weight, b.set.backend, "", "least ms", "median ms",
           "scratch MB");
    print(&b, "build", timing_of(NULL, build, &b, b.set.repeats));
    if (bosc_graph_get_info(b.graph, &info) != BOSC_OK) fail(NULL, "bosc_graph_get_info");
    printf("   %.1f MB kept\n", 1e-6 * (double)info.bytes);
    run_forests(&b);
    if (strchr(b.set.algorithms, 'c')) {
        print(&b, "components", timing_of(NULL, components, &b, b.set.repeats));
        printf("\n");
    }
    print_rounds(&b);
    fflush(stdout);
    bosc_graph_free(b.graph);
    bosc_release(ctx, b.u, 4 * (size_t)b.m);
    bosc_release(ctx, b.v, 4 * (size_t)b.m);
    bosc_release(ctx, b.weights, bosc_dtype_size(go.weight) * (size_t)b.m);
    bosc_release(ctx, b.edges, 4 * (size_t)b.n);
    bosc_release(ctx, b.labels, 4 * (size_t)b.n);
}

static void run_tables(bosc_ctx *ctx, struct setting set)
{
    static const char *const sizes[] = {"small", "paper", "large"};
    int size = find(sizes, 3, set.tables);
    for (int i = 0; i < TABLES; i++) {
        if (tables[i].n[size] == 0) continue;
        set.kind = tables[i].kind;
        set.n = (int64_t)tables[i].n[size];
        run_graph(ctx, &set, tables[i].name);
        printf("\n");
    }
}

int main(int argc, char **argv)
{
    struct setting set = parse(argc, argv);
    bosc_ctx *ctx;
    bosc_ctx_opts o = {.size = sizeof o,
                       .threads = set.threads,
                       .backend = strcmp(set.backend, "cuda") == 0 ? BOSC_BACKEND_CUDA : BOSC_BACKEND_CPU,
                       .progress = on_progress};
    if (bosc_ctx_create(&o, &ctx) != BOSC_OK) fail(NULL, bosc_backend_reason(o.backend));
    if (set.tables)
        run_tables(ctx, set);
    else
        run_graph(ctx, &set, NULL);
    bosc_ctx_free(ctx);
    return 0;
}
