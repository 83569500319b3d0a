/* Times spanning forests: bench_forest [-k kind] [-n vertices] [-m edges] [-w type] [-t threads] [-r repeats]
 * [-b backend] [-a algorithms] [-s]. The graph is generated; arrays are in the backend's memory, handles are warm. One
 * row an algorithm: the least and the median time, scratch memory, the forest's edges and weight, and with -s the time
 * of each stage; for PRIMITIVES and ATOMIC what each round began with. The answer of each is checked with
 * bosc_msf_verify. */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <boscage/boscage.h>
#include <boscage/forest.h>
#include <boscage/graph.h>

#include "timing.h"

struct setting {
    int64_t n, m, most;
    int threads, repeats;
    const char *kind, *backend, *weight, *algorithms;
    bool stages;
};

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
};

static void fail(bosc_ctx *ctx, const char *what)
{
    fprintf(stderr, "bench_forest: %s: %s\n", what, ctx ? bosc_message(ctx) : "no context");
    exit(1);
}

#define DO(b, call)                                   \
    do {                                              \
        if ((call) != BOSC_OK) fail((b)->ctx, #call); \
    } while (0)

static int find(const char *const *names, int count, const char *name)
{
    for (int i = 0; i < count; i++)
        if (strcmp(names[i], name) == 0) return i;
    fprintf(stderr, "bench_forest: %s is not known\n", name);
    exit(2);
}

static void *host(size_t bytes)
{
    void *p = malloc(bytes ? bytes : 1);
    if (!p) fail(NULL, "out of memory");
    return p;
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
    printf("%-12s %10.3f %10.3f %10.1f", name, 1e3 * t.least, 1e3 * t.median, 1e-6 * (double)info.scratch_bytes);
    DO(b, bosc_ctx_trim(b->ctx));
}

static void run_forests(struct bench *b)
{
    static const char *const names[] = {"auto", "primitives", "atomic", "primitives, parallel edges kept"};
    for (int a = 0; a < 4; a++) {
        if (!strchr(b->set.algorithms, "apts"[a])) continue;
        b->opts = (bosc_msf_opts){
            .size = sizeof b->opts, .algorithm = (bosc_msf_algorithm)(a == 3 ? 1 : a), .keep_parallel = a == 3};
        b->info = (bosc_msf_info){.size = sizeof b->info};
        print(b, names[a], timing_of(NULL, forest, b, b->set.repeats));
        printf("   %" PRId64 " edges, %" PRId64 " trees, weight %.17g\n", b->info.edges, b->info.trees, b->info.weight);
        tell_stages = b->set.stages;
        forest(b);
        tell_stages = false;
        for (int k = 0; k < b->info.rounds_told && b->set.stages; k++)
            printf("    round %d: %" PRId64 " vertices, %" PRId64 " arcs\n", k, b->info.round[k].vertices,
                   b->info.round[k].arcs);
        if (a == 0 || b->set.stages) {
            print(b, "  proof", timing_of(NULL, verify, b, b->set.repeats < 3 ? b->set.repeats : 3));
            printf("\n");
        }
    }
}

static struct setting parse(int argc, char **argv)
{
    struct setting s = {
        .n = 1000000, .m = -1, .repeats = 5, .kind = "random", .backend = "cpu", .weight = "u32", .algorithms = "aptc"};
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
        default:
            fprintf(stderr, "usage: bench_forest [-k random|rmat|ssca2|grid|road|geometric] [-n vertices] [-m edges]\n"
                            "       [-x heaviest weight] [-w u32|i32|f32|u64|i64|f64] [-t threads] [-r repeats]\n"
                            "       [-b cpu|cuda] [-s] [-a letters: auto, primitives, aTomic, s: primitives with\n"
                            "       parallel edges kept, components]\n");
            exit(2);
        }
        i++;
    }
    if (s.m < 0) s.m = strcmp(s.kind, "random") == 0 || strcmp(s.kind, "rmat") == 0 ? 6 * s.n : 0;
    return s;
}

int main(int argc, char **argv)
{
    struct bench b = {.set = parse(argc, argv)};
    bosc_ctx_opts o = {.size = sizeof o,
                       .threads = b.set.threads,
                       .backend = strcmp(b.set.backend, "cuda") == 0 ? BOSC_BACKEND_CUDA : BOSC_BACKEND_CPU,
                       .progress = on_progress};
    if (bosc_ctx_create(&o, &b.ctx) != BOSC_OK) fail(NULL, bosc_backend_reason(o.backend));
    generate(&b);
    bosc_graph_opts go = {.size = sizeof go, .id_bits = 32, .weight = dtypes[find(types, 6, b.set.weight)]};
    bosc_graph_info info = {.size = sizeof info};
    DO(&b, bosc_graph_create(b.ctx, &go, &b.graph));
    printf("%s, %" PRId64 " vertices, %" PRId64 " edges, weights %s, %s\n%-12s %10s %10s %10s\n", b.set.kind, b.n, b.m,
           b.set.weight, b.set.backend, "", "least ms", "median ms", "scratch MB");
    print(&b, "build", timing_of(NULL, build, &b, b.set.repeats));
    if (bosc_graph_get_info(b.graph, &info) != BOSC_OK) fail(NULL, "bosc_graph_get_info");
    printf("   %.1f MB kept\n", 1e-6 * (double)info.bytes);
    run_forests(&b);
    if (strchr(b.set.algorithms, 'c')) {
        print(&b, "components", timing_of(NULL, components, &b, b.set.repeats));
        printf("\n");
    }
    bosc_graph_free(b.graph);
    bosc_ctx_free(b.ctx);
    return 0;
}
