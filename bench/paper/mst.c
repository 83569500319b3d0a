/* The spanning tree paper's tables: bench_paper_mst [-s scale] [-o file] [-g graph]. The published method on
 * primitives, with a segmented scan and with an atomic minimum, and the fast one, on random graphs, R-MAT, SSCA#2 and
 * road networks of the sizes of the 9th DIMACS Challenge; the vertices and arcs of each round; splits and sorts by the
 * width of keys and records. -g: the graph of a file (.gr, .mtx, ...) beside the generated ones. Every forest is proved
 * minimum.
 * Source: Vineet, Harish, Patidar, Narayanan, Fast Minimum Spanning Tree for Large Graphs on the GPU (HPG 2009). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/road.h"
#include "paper/table.h"
#ifdef PAPER_READS_GRAPHS
#include <boscage/io.h>
#endif

enum { ALGORITHMS = 4, DEGREES = 6 };

/* Scans, an atomic minimum, scans without the removal of duplicate edges; the fast one. */
static const struct {
    bosc_msf_algorithm algorithm;
    int32_t keep_parallel;
} algorithms[ALGORITHMS] = {
    {BOSC_MSF_PRIMITIVES, 0}, {BOSC_MSF_ATOMIC, 0}, {BOSC_MSF_PRIMITIVES, 1}, {BOSC_MSF_AUTO, 0}};
enum algorithm { SCANS, ATOMIC, SCANS_KEEP, FAST };

struct subject {
    int64_t n, m;
    bosc_graph *graph;
    void *edges; /* the backend's, (n) of 32 bits */
    bosc_msf_opts opts;
    bosc_msf_info info;
};

/* --- Graphs ------------------------------------------------------------------------------------------------------- */

static void open_graph(struct subject *s, const uint32_t *u, const uint32_t *v, const void *weights, bosc_dtype type)
{
    bosc_graph_opts o = {.size = sizeof o, .id_bits = 32, .weight = type};
    BENCH(bosc_graph_create(bench.ctx, &o, &s->graph));
    BENCH(bosc_graph_build(bench.ctx, s->graph, u, v, weights, s->n, s->m));
    s->edges = bench_array(NULL, (size_t)s->n * 4);
}

static void close_graph(struct subject *s)
{
    bench_release(s->edges);
    bosc_graph_free(s->graph);
}

static struct subject generate_graph(bosc_graph_kind kind, int64_t n, int64_t m)
{
    struct subject s = {0};
    bosc_graph_generate_opts o = {.size = sizeof o, .kind = kind, .seed = 1, .n = n, .m = m, .id_bits = 32};
    BENCH(bosc_graph_generate(bench.ctx, &o, &s.n, &s.m, NULL, NULL, NULL, 0));
    uint32_t *u = bench_host((size_t)s.m * 4), *v = bench_host((size_t)s.m * 4);
    int64_t *weights = bench_host((size_t)s.m * 8);
    BENCH(bosc_graph_generate(bench.ctx, &o, &s.n, &s.m, u, v, weights, s.m));
    uint32_t *narrow = (uint32_t *)(void *)weights; /* weights have 24 bits */
    for (int64_t i = 0; i < s.m; i++) narrow[i] = (uint32_t)weights[i];
    open_graph(&s, u, v, narrow, BOSC_U32);
    free(u);
    free(v);
    free(weights);
    return s;
}

static struct subject make_road(int64_t n, int64_t m)
{
    struct subject s = {.n = n, .m = m};
    uint32_t *u = bench_host((size_t)m * 4), *v = bench_host((size_t)m * 4), *weights = bench_host((size_t)m * 4);
    bench_road(1, n, m, u, v, weights);
    open_graph(&s, u, v, weights, BOSC_U32);
    free(u);
    free(v);
    free(weights);
    return s;
}

static struct subject read_graph(const char *path)
{
    struct subject s = {0};
#ifdef PAPER_READS_GRAPHS
    bosc_edges edges;
    bosc_io_error error;
    if (bosc_edges_read(path, &edges, &error) != BOSC_OK) bench_fail("%s", error.text);
    s.n = edges.n;
    s.m = edges.m;
    open_graph(&s, edges.u, edges.v, edges.weights, edges.dtype);
    bosc_edges_free(&edges);
#else
    bench_fail("-g: %s: this program was built without the library that reads files", path);
#endif
    return s;
}

/* --- Measurements ------------------------------------------------------------------------------------------------- */

static void compute_forest(void *user)
{
    struct subject *s = user;
    BENCH(bosc_msf_compute(bench.ctx, s->graph, &s->opts, s->edges, NULL, &s->info));
}

/* Proves the forest minimum (a failure ends the program). True if it has this weight. */
static bool is_right(struct subject *s, double weight)
{
    BENCH(bosc_msf_verify(bench.ctx, s->graph, NULL, s->edges, s->info.edges, NULL));
    return s->info.weight == weight;
}

static struct bench_times time_forest(struct subject *s, enum algorithm a)
{
    s->opts = (bosc_msf_opts){
        .size = sizeof s->opts, .algorithm = algorithms[a].algorithm, .keep_parallel = algorithms[a].keep_parallel};
    s->info = (bosc_msf_info){.size = sizeof s->info};
    if (a == FAST || bench.opts.backend == BOSC_BACKEND_CUDA) return bench_time(NULL, compute_forest, s, bench.repeats);
    return bench_once(compute_forest, s); /* seconds on the CPU */
}

static struct table *open_times(const char *name, const char *title)
{
    return table_open(
        name, title,
        "graph|vertices|edges|paper, ms|segmented scan, ms|atomic minimum, ms|fast, ms|scan / fast|answer");
}

static void time_row(struct table *t, const char *name, struct subject *s, double paper)
{
    struct bench_times scans = time_forest(s, SCANS);
    const double weight = s->info.weight;
    bool right = is_right(s, weight);
    struct bench_times atomic = time_forest(s, ATOMIC);
    right = is_right(s, weight) && right;
    struct bench_times fast = time_forest(s, FAST);
    right = is_right(s, weight) && right;
    table_text(t, "%s", name);
    table_integer(t, s->n);
    table_integer(t, s->m);
    table_number(t, paper);
    table_ms(t, scans);
    table_ms(t, atomic);
    table_ms(t, fast);
    table_number(t, scans.median / fast.median);
    table_answer(t, right, "proved minimum");
}

/* --- Tables ------------------------------------------------------------------------------------------------------- */

static void table_of_generated(void)
{
    static const struct {
        const char *name;
        bosc_graph_kind kind;
        int64_t n;
        double edges, paper; /* edges a vertex; 0: the generator's own number */
    } rows[] = {{"random", BOSC_GRAPH_RANDOM, 1000000, 6, NAN},  {"random", BOSC_GRAPH_RANDOM, 2000000, 6, NAN},
                {"random", BOSC_GRAPH_RANDOM, 3000000, 6, NAN},  {"random", BOSC_GRAPH_RANDOM, 4000000, 6, NAN},
                {"random", BOSC_GRAPH_RANDOM, 5000000, 6, 1000}, {"R-MAT", BOSC_GRAPH_RMAT, 1000000, 6, NAN},
                {"R-MAT", BOSC_GRAPH_RMAT, 2000000, 6, NAN},     {"R-MAT", BOSC_GRAPH_RMAT, 4000000, 6, NAN},
                {"SSCA#2", BOSC_GRAPH_SSCA2, 1000000, 0, NAN},   {"SSCA#2", BOSC_GRAPH_SSCA2, 3000000, 0, NAN},
                {"SSCA#2", BOSC_GRAPH_SSCA2, 5000000, 0, NAN}};
    struct table *t = open_times("synthetic", "spanning forests of generated graphs");
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
        const int64_t n = paper_size(rows[k].n, 64);
        struct subject s = generate_graph(rows[k].kind, n, (int64_t)(rows[k].edges * (double)n));
        time_row(t, rows[k].name, &s, rows[k].paper);
        close_graph(&s);
    }
    table_note(t, "paper: one GPU of a Tesla S1070; 5 M vertices and 30 M edges in under 1 s; here: %s",
               bench_device());
    table_close(t);
}

static void note_degrees(struct table *t, const char *name, const struct subject *s)
{
    int64_t *degree = bench_host((size_t)s->n * 8), counts[DEGREES] = {0};
    BENCH(bosc_graph_get_degrees(bench.ctx, s->graph, degree));
    for (int64_t i = 0; i < s->n; i++) counts[degree[i] < DEGREES ? degree[i] : DEGREES - 1]++;
    table_note(t, "%s: %.0f, %.0f, %.0f, %.0f %% of the vertices have degree 1, 2, 3, 4", name,
               100.0 * (double)counts[1] / (double)s->n, 100.0 * (double)counts[2] / (double)s->n,
               100.0 * (double)counts[3] / (double)s->n, 100.0 * (double)counts[4] / (double)s->n);
    free(degree);
}

static void table_of_roads(const char *path)
{
    static const struct {
        const char *name;
        int64_t n, arcs;
        double paper;
    } rows[] = {{"New York", 264346, 733846, NAN},
                {"San Francisco Bay", 321270, 800172, NAN},
                {"Colorado", 435666, 1057066, NAN},
                {"Florida", 1070376, 2712798, NAN},
                {"Northwest USA", 1207945, 2840208, NAN},
                {"Northeast USA", 1524453, 3897636, NAN},
                {"California and Nevada", 1890815, 4657742, NAN},
                {"Great Lakes", 2758119, 6885658, NAN},
                {"Eastern USA", 3598623, 8778114, NAN},
                {"Western USA", 6262104, 15248146, 412}};
    const size_t count = sizeof rows / sizeof rows[0];
    /* 1. Generated networks: at a smaller scale the cycle space shrinks in proportion. */
    struct table *t = open_times("roads", "spanning trees of road networks");
    for (size_t k = 0; k < count; k++) {
        const int64_t n = paper_size(rows[k].n, 256), m = n - 1 + paper_size(rows[k].arcs / 2 - rows[k].n + 1, 64);
        struct subject s = make_road(n, m);
        time_row(t, rows[k].name, &s, rows[k].paper);
        if (k == 0 || k + 1 == count) note_degrees(t, rows[k].name, &s);
        close_graph(&s);
    }
    /* 2. The file of -g. */
    if (path) {
        struct subject s = read_graph(path);
        time_row(t, path, &s, NAN);
        note_degrees(t, "the file's graph", &s);
        close_graph(&s);
    }
    table_note(
        t,
        "paper: the networks themselves, one GPU of a Tesla S1070; here connected graphs of as many vertices and "
        "edges, or the file of --graph; %s",
        bench_device());
    table_close(t);
}

/* Vertices and arcs at the begin of each round. */
static void table_of_rounds(const char *name, const char *title, int64_t vertices, int64_t edges)
{
    const int64_t n = paper_size(vertices, 64);
    struct subject s = generate_graph(BOSC_GRAPH_RANDOM, n, (int64_t)((double)n * ((double)edges / (double)vertices)));
    struct table *t = table_open(name, title, "round|vertices|arcs, duplicates removed|arcs, duplicates kept|answer");
    struct bench_times removed = time_forest(&s, SCANS);
    const bosc_msf_info first = s.info;
    bool right = is_right(&s, first.weight);
    struct bench_times kept = time_forest(&s, SCANS_KEEP);
    right = is_right(&s, first.weight) && right;
    for (int k = 0; k < first.rounds_recorded || k < s.info.rounds_recorded; k++) {
        const struct bosc_msf_round *a = &first.round[k], *b = &s.info.round[k];
        table_integer(t, k + 1);
        table_integer(t, k < first.rounds_recorded ? a->vertices : b->vertices);
        k < first.rounds_recorded ? table_integer(t, a->arcs) : table_none(t);
        k < s.info.rounds_recorded ? table_integer(t, b->arcs) : table_none(t);
        table_answer(t, right, "proved minimum");
    }
    table_plot(t, 1, 3, TABLE_LINEAR_LOG, "vertices, arcs");
    table_note(t, "random, %" PRId64 " vertices, %" PRId64 " edges: %.4g ms with the removal, %.4g ms without; %s", s.n,
               s.m, 1e3 * removed.median, 1e3 * kept.median, bench_device());
    table_close(t);
    close_graph(&s);
}

/* --- Splits and sorts --------------------------------------------------------------------------------------------- */

struct movement {
    bosc_dtype dtype;
    size_t record;
    int64_t n, buckets;
    void *keys, *bucket, *records, *keys_out, *records_out;
    int64_t *offsets;
};

static void run_split(void *user)
{
    struct movement *w = user;
    BENCH(bosc_split(bench.ctx, w->record, w->records, w->bucket, w->n, w->buckets, w->records_out, w->offsets));
    BENCH(bosc_ctx_sync(bench.ctx));
}

static void run_sort(void *user)
{
    struct movement *w = user;
    BENCH(bosc_sort_pairs(bench.ctx, w->dtype, w->keys, w->record, w->records, w->n, w->keys_out, w->records_out));
    BENCH(bosc_ctx_sync(bench.ctx));
}

/* The first 4 bytes of a record are its row number. True if the records of `out` ascend by (key, row). */
static bool is_stable(const struct movement *w, const void *keys, bosc_dtype dtype, const char *out)
{
    const size_t size = bosc_dtype_size(dtype);
    uint64_t last = 0, key = 0;
    uint32_t last_row = 0, row;
    char *host = bench_host((size_t)w->n * w->record), *all = bench_host((size_t)w->n * size);
    BENCH(bosc_ctx_copy(bench.ctx, host, out, (size_t)w->n * w->record));
    BENCH(bosc_ctx_copy(bench.ctx, all, keys, (size_t)w->n * size));
    bool stable = true;
    for (int64_t i = 0; i < w->n; i++, last = key, last_row = row) {
        memcpy(&row, host + (size_t)i * w->record, 4);
        memcpy(&key, all + (size_t)row * size, size);
        stable = stable && (i == 0 || key > last || (key == last && row > last_row));
    }
    free(host);
    free(all);
    return stable;
}

static void make_records(struct movement *w)
{
    const size_t size = bosc_dtype_size(w->dtype), bytes = (size_t)w->n * w->record;
    uint32_t *bits = bench_host((size_t)w->n * size);
    char *records = bench_host(bytes);
    for (int64_t i = 0; i < w->n; i++) {
        memset(records + (size_t)i * w->record, 0, w->record);
        memcpy(records + (size_t)i * w->record, &(uint32_t){(uint32_t)i}, 4);
    }
    BENCH(bosc_random_bits(bench.ctx, 1, 0, w->n * (int64_t)size / 4, bits));
    w->keys = bench_array(bits, (size_t)w->n * size);
    for (int64_t i = 0; i < w->n; i++) bits[i] = (uint32_t)((uint64_t)bits[i] * (uint64_t)w->buckets >> 32);
    w->bucket = bench_array(bits, (size_t)w->n * 4);
    w->records = bench_array(records, bytes);
    w->records_out = bench_array(NULL, bytes);
    w->keys_out = bench_array(NULL, (size_t)w->n * size);
    w->offsets = bench_array(NULL, (size_t)(w->buckets + 1) * 8);
    free(bits);
    free(records);
}

static void table_of_splits(void)
{
    static const size_t records[] = {4, 8, 16, 32, 64};
    static const bosc_dtype keys[] = {BOSC_U32, BOSC_U64};
    const int64_t n = paper_size(16000000, 1024);
    struct table *t =
        table_open("split", bench_text("%" PRId64 " records split and sorted by their keys", n),
                   "key, bits|record, bytes|split, ms|split, M records/s|sort, ms|sort, M records/s|answer");
    for (int k = 0; k < 2; k++)
        for (size_t r = 0; r < sizeof records / sizeof records[0]; r++) {
            struct movement w = {.dtype = keys[k], .record = records[r], .n = n, .buckets = 256};
            make_records(&w);
            /* Time and check both, on the same records. */
            struct bench_times split = bench_time(NULL, run_split, &w, bench.repeats);
            bool right = is_stable(&w, w.bucket, BOSC_U32, w.records_out);
            struct bench_times sort = bench_time(NULL, run_sort, &w, bench.repeats);
            right = is_stable(&w, w.keys, w.dtype, w.records_out) && right;
            table_integer(t, 8 * (int64_t)bosc_dtype_size(w.dtype));
            table_integer(t, (int64_t)w.record);
            table_ms(t, split);
            table_number(t, 1e-6 * (double)n / split.median);
            table_ms(t, sort);
            table_number(t, 1e-6 * (double)n / sort.median);
            table_answer(t, right, "stable order");
            void *const arrays[] = {w.keys, w.bucket, w.records, w.keys_out, w.records_out, w.offsets};
            for (int a = 0; a < 6; a++) bench_release(arrays[a]);
        }
    table_note(t, "split: by 8 bits, 256 buckets; sort: by all bits of the key; %s", bench_device());
    table_close(t);
}

int main(int argc, char **argv)
{
    const char *graph = NULL;
    const struct bench_option own[] = {{'g', BENCH_TEXT, &graph, "a graph's file"}};
    paper_open(argc, argv, own, 1);
    table_of_rounds("rounds-6", "what each round of the published method begins with", 1000000, 6000000);
    table_of_rounds("rounds-10", "the same with more edges", 1000000, 10000000);
    table_of_generated();
    table_of_roads(graph);
    table_of_splits();
    return paper_close();
}
