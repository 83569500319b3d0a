/* The spanning tree paper's tables: bench_paper_mst [-s scale] [-o file] [-g graph]. The published method on
 * primitives, with a segmented scan and with an atomic minimum, and the fast one, on random graphs, R-MAT, SSCA#2 and
 * road networks of the sizes of the 9th DIMACS Challenge; the vertices and arcs of each round; splits and sorts by the
 * width of keys and records; sequential baselines. -g: the graph of a file (.gr, .mtx, ...) beside the generated ones.
 * Every forest is proved minimum.
 * Source: Vineet, Harish, Patidar, Narayanan, Fast Minimum Spanning Tree for Large Graphs on the GPU (HPG 2009). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/road.h"
#include "paper/table.h"
#include "peers/forest.h"
#ifdef PAPER_READS_GRAPHS
#include <boscage/io.h>
#endif

enum { ALGORITHMS = 5, DEGREES = 6 };

/* Scans, an atomic minimum, scans without the removal of duplicate edges and with that of the paper; the fast one. */
static const struct {
    bosc_msf_algorithm algorithm;
    int32_t keep_parallel, split_duplicates;
} algorithms[ALGORITHMS] = {{BOSC_MSF_PRIMITIVES, 0, 0},
                            {BOSC_MSF_ATOMIC, 0, 0},
                            {BOSC_MSF_PRIMITIVES, 1, 0},
                            {BOSC_MSF_PRIMITIVES, 0, 1},
                            {BOSC_MSF_AUTO, 0, 0}};
enum algorithm { SCANS, ATOMIC, SCANS_KEEP, SCANS_SPLIT, FAST };

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

#ifdef PAPER_READS_GRAPHS
/* An edge of a file, with its ends in ascending order. */
struct road {
    uint32_t low, high;
    uint64_t weight; /* its bits */
    int64_t row;     /* of the file */
    bool descends;   /* from high to low in the file */
};

static int compare_roads(const void *a, const void *b)
{
    const struct road *x = a, *y = b;
    if (x->low != y->low) return x->low < y->low ? -1 : 1;
    if (x->high != y->high) return x->high < y->high ? -1 : 1;
    if (x->weight != y->weight) return x->weight < y->weight ? -1 : 1;
    if (x->descends != y->descends) return x->descends ? 1 : -1;
    return (x->row > y->row) - (x->row < y->row);
}

/* Removes the second arc of each road that the file has in both directions with one weight, as DIMACS files do.
 * Returns the number of removed arcs. */
static int64_t remove_return_arcs(bosc_edges *e)
{
    const size_t size = e->weights ? bosc_dtype_size(e->dtype) : 0;
    struct road *roads = bench_host((size_t)e->m * sizeof *roads);
    bool *removed = bench_host((size_t)e->m);
    int64_t kept = 0;
    /* 1. Sort the edges, so that arcs between two ends with one weight are neighbours, ascending ones first. */
    for (int64_t i = 0; i < e->m; i++) {
        const bool descends = e->u[i] > e->v[i];
        roads[i] = (struct road){descends ? e->v[i] : e->u[i], descends ? e->u[i] : e->v[i], 0, i, descends};
        if (size) memcpy(&roads[i].weight, (const char *)e->weights + (size_t)i * size, size);
        removed[i] = false;
    }
    qsort(roads, (size_t)e->m, sizeof *roads, compare_roads);
    /* 2. Remove one descending arc for each ascending one. */
    for (int64_t i = 0, ascending = 0; i < e->m; i++) {
        const struct road *x = &roads[i], *before = i ? x - 1 : NULL;
        if (!before || before->low != x->low || before->high != x->high || before->weight != x->weight) ascending = 0;
        if (!x->descends)
            ascending++;
        else if (ascending > 0)
            ascending--, removed[x->row] = true;
    }
    /* 3. Keep the others in the order of the file. */
    for (int64_t i = 0; i < e->m; i++) {
        if (removed[i]) continue;
        e->u[kept] = e->u[i];
        e->v[kept] = e->v[i];
        if (size) memmove((char *)e->weights + (size_t)kept * size, (char *)e->weights + (size_t)i * size, size);
        kept++;
    }
    const int64_t returns = e->m - kept;
    e->m = kept;
    free(roads);
    free(removed);
    return returns;
}
#endif

/* *paired: roads that the file has in both directions. */
static struct subject read_graph(const char *path, int64_t *paired)
{
    struct subject s = {0};
#ifdef PAPER_READS_GRAPHS
    bosc_edges edges;
    bosc_io_error error;
    if (bosc_edges_read(path, &edges, &error) != BOSC_OK) bench_fail("%s", error.text);
    *paired = remove_return_arcs(&edges);
    s.n = edges.n;
    s.m = edges.m;
    open_graph(&s, edges.u, edges.v, edges.weights, edges.dtype);
    bosc_edges_free(&edges);
#else
    *paired = 0;
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
    s->opts = (bosc_msf_opts){.size = sizeof s->opts,
                              .algorithm = algorithms[a].algorithm,
                              .keep_parallel = algorithms[a].keep_parallel,
                              .split_duplicates = algorithms[a].split_duplicates};
    s->info = (bosc_msf_info){.size = sizeof s->info};
    if (a == FAST || bench.opts.backend == BOSC_BACKEND_CUDA) return bench_time(NULL, compute_forest, s, bench.repeats);
    return bench_once(compute_forest, s); /* seconds on the CPU */
}

/* The paper's figures of a graph, ms; NaN: none. */
struct paper_row {
    double cpu, hvn, gpu;
};
static const struct paper_row no_figures = {NAN, NAN, NAN};

/* The edges come first: the plots are over them, as the vertices of R-MAT are a power of two. */
static struct table *open_times(const char *name, const char *title)
{
    return table_open(name, title,
                      "edges|vertices|graph|paper: CPU, ms|paper: HVN, ms|paper: GPU, ms|segmented scan, ms|"
                      "atomic minimum, ms|fast, ms|scan / fast|ahead of the paper|answer");
}

/* Plots the paper's series that the table has, and ours. */
static void close_times(struct table *t, bool has_cpu)
{
    table_plot(t, has_cpu ? 3 : 5, 8, TABLE_LOG_LOG, "ms");
    table_note(t, "ahead of the paper: of its %s; times of the segmented scan and of the fast method; here: %s",
               bench.opts.backend == BOSC_BACKEND_CUDA ? "GPU" : "CPU", bench_device());
    table_close(t);
}

static void time_row(struct table *t, const char *name, struct subject *s, const struct paper_row *paper)
{
    struct bench_times scans = time_forest(s, SCANS);
    const double weight = s->info.weight;
    bool right = is_right(s, weight);
    struct bench_times atomic = time_forest(s, ATOMIC);
    right = is_right(s, weight) && right;
    struct bench_times fast = time_forest(s, FAST);
    right = is_right(s, weight) && right;
    table_integer(t, s->m);
    table_integer(t, s->n);
    table_text(t, "%s", name);
    table_number(t, paper->cpu);
    table_number(t, paper->hvn);
    table_number(t, paper->gpu);
    table_ms(t, scans);
    table_ms(t, atomic);
    table_ms(t, fast);
    table_number(t, scans.median / fast.median);
    table_ahead(t, bench.opts.backend == BOSC_BACKEND_CUDA ? paper->gpu : paper->cpu, 1e3 * scans.median,
                1e3 * fast.median);
    table_answer(t, right, "proved minimum");
}

/* --- Tables ------------------------------------------------------------------------------------------------------- */

/* Slides 31 to 33: graphs of a kind. edges: of a vertex; 0: the generator's own number. */
static void table_of_generated(const char *name, bosc_graph_kind kind, double edges)
{
    enum { ROWS = 5 };
    struct table *t = open_times(name, bench_text("spanning forests of %s graphs", name));
    for (int k = 1; k <= ROWS; k++) {
        const struct paper_row limit = {NAN, NAN, k == ROWS ? 1000 : NAN};
        const int64_t n = paper_size((int64_t)k * 1000000, 64);
        struct subject s = generate_graph(kind, n, (int64_t)(edges * (double)n));
        time_row(t, name, &s, &limit);
        close_graph(&s);
    }
    table_note(t, "paper: one GPU of a Tesla S1070, 5 M vertices and 30 M edges in under 1 s: 1,000 ms is a bound");
    table_note(t,
               "paper: 20 to 50 times as fast as Boost, 3 to 10 times as fast as HVN, by the kind of graph; its other "
               "points are in a picture");
    close_times(t, false);
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

static void table_of_roads(void)
{
    static const struct {
        const char *name;
        int64_t n, arcs;
        struct paper_row paper;
    } rows[] = {{"New York", 264346, 733846, {780, 76, 39}},
                {"San Francisco Bay", 321270, 800172, {870, 85, 57}},
                {"Colorado", 435666, 1057066, {1280, 116, 62}},
                {"Florida", 1070376, 2712798, {3840, 261, 101}},
                {"Northwest USA", 1207945, 2840208, {4290, 299, 124}},
                {"Northeast USA", 1524453, 3897636, {6050, 383, 126}},
                {"California and Nevada", 1890815, 4657742, {7750, 435, 148}},
                {"Great Lakes", 2758119, 6885658, {12300, 671, 204}},
                {"Eastern USA", 3598623, 8778114, {16280, 1222, 253}},
                {"Western USA", 6262104, 15248146, {32050, 1178, 412}}};
    const size_t count = sizeof rows / sizeof rows[0];
    struct table *t = open_times("roads", "spanning trees of generated substitutes of road networks");
    for (size_t k = 0; k < count; k++) { /* at a smaller scale the cycle space shrinks in proportion */
        const int64_t n = paper_size(rows[k].n, 256), m = n - 1 + paper_size(rows[k].arcs / 2 - rows[k].n + 1, 64);
        struct subject s = make_road(n, m);
        time_row(t, bench_text("like %s", rows[k].name), &s, &rows[k].paper);
        if (k == 0 || k + 1 == count) note_degrees(t, rows[k].name, &s);
        close_graph(&s);
    }
    table_note(t,
               "paper: the networks themselves (slide 34); CPU: Boost; HVN: Harish, Vineet, Narayanan; GPU: one of a "
               "Tesla S1070");
    table_note(t, "here: connected graphs of as many vertices and edges, with degrees 1 to 4, or --graph");
    close_times(t, true);
}

/* Adds a baseline's time, unless its library is not here. */
static bool add_baseline(struct table *t, double (*forest)(const struct forest_edges *e, double *seconds),
                         const struct forest_edges *e, double weight, double *seconds)
{
    *seconds = NAN;
    const bool right = !forest || forest(e, seconds) == weight;
    table_number(t, 1e3 * *seconds);
    return right;
}

/* The baselines that the paper compares with, on one thread of this machine. */
static void table_of_baselines(void)
{
    static const struct {
        const char *name;
        bosc_graph_kind kind;
    } rows[] = {{"random", BOSC_GRAPH_RANDOM}, {"R-MAT", BOSC_GRAPH_RMAT}, {"SSCA#2", BOSC_GRAPH_SSCA2}};
    const size_t count = sizeof rows / sizeof rows[0];
#ifdef PAPER_HAS_BOOST
    double (*const boost)(const struct forest_edges *, double *) = peer_forest_boost;
#else
    double (*const boost)(const struct forest_edges *, double *) = NULL;
#endif
    struct table *t = table_open("baselines", "spanning forests by sequential baselines, one CPU thread",
                                 "edges|vertices|graph|Boost, Kruskal, ms|plain Kruskal, ms|plain Boruvka, ms|"
                                 "segmented scan, ms|fast, ms|Boost / scan|Boruvka / scan|answer");
    for (size_t k = 0; k <= count; k++) {
        /* 1. The graph, and its edges on the host. */
        const int64_t n = paper_size(k < count ? 1000000 : 1524453, 256);
        struct subject s = k < count ? generate_graph(rows[k].kind, n, rows[k].kind == BOSC_GRAPH_SSCA2 ? 0 : 6 * n)
                                     : make_road(n, n - 1 + n / 4);
        bosc_graph_info info = {.size = sizeof info};
        BENCH(bosc_graph_get_info(bench.ctx, s.graph, &info));
        const size_t bytes = (size_t)info.m * 4;
        uint32_t *u = bench_host(bytes), *v = bench_host(bytes), *weights = bench_host(bytes);
        BENCH(bosc_graph_get_edges(bench.ctx, s.graph, NULL, u, v, weights));
        const struct forest_edges e = {info.n, info.m, u, v, weights};
        /* 2. Ours, proved, and the others, of the same weight. */
        double seconds[3];
        const struct bench_times scans = time_forest(&s, SCANS);
        const double weight = s.info.weight;
        bool right = is_right(&s, weight);
        const struct bench_times fast = time_forest(&s, FAST);
        right = is_right(&s, weight) && right;
        table_integer(t, e.m);
        table_integer(t, e.n);
        table_text(t, "%s", k < count ? rows[k].name : "like Northeast USA");
        right = add_baseline(t, boost, &e, weight, &seconds[0]) && right;
        right = add_baseline(t, peer_forest_kruskal, &e, weight, &seconds[1]) && right;
        right = add_baseline(t, peer_forest_boruvka, &e, weight, &seconds[2]) && right;
        table_ms(t, scans);
        table_ms(t, fast);
        table_number(t, seconds[0] / scans.median);
        table_number(t, seconds[2] / scans.median);
        table_answer(t, right, "proved minimum, equal weights");
        free(u);
        free(v);
        free(weights);
        close_graph(&s);
    }
    table_note(t,
               "plain Kruskal and Boruvka: our own, sequential; Boruvka in place of HVN (Harish, Vineet, Narayanan), "
               "an earlier GPU program of the same method, not at hand. Boost: without the time to build its graph");
    table_note(t,
               "paper: 20 to 50 times as fast as Boost, 3 to 10 times as fast as HVN, on its GPU; segmented scan and "
               "fast here: %s",
               bench_device());
    table_close(t);
}

/* The file of -g, in a table of its own. */
static void table_of_file(const char *path)
{
    struct table *t = open_times("file", "spanning forest of a file's graph");
    int64_t paired;
    struct subject s = read_graph(path, &paired);
    time_row(t, path, &s, &no_figures);
    note_degrees(t, "the file's graph", &s);
    table_note(t, "%" PRId64 " edges that the file has in both directions are one road each", paired);
    table_note(t, "%s", bench_device());
    table_close(t);
    close_graph(&s);
}

/* Slide 29: vertices, edges without self edges, and of these the ones left without duplicates, where it has them. */
enum { SLIDE_ROUNDS = 6 };
static const double slide[SLIDE_ROUNDS][3] = {{1000000, 9999930, NAN}, {233592, 8467090, 646584},
                                              {38002, 8075560, 79802}, {2810, 7991444, 22641},
                                              {77, 2006114, 541},      {1, 0, 0}};

/* Vertices and arcs at the beginning of each round. has_slide: beside those of the slide. */
static void table_of_rounds(const char *name, bosc_graph_kind kind, int64_t vertices, int64_t edges, bool has_slide)
{
    const int64_t n = paper_size(vertices, 64);
    struct subject s = generate_graph(kind, n, (int64_t)((double)n * ((double)edges / (double)vertices)));
    struct table *t = table_open(name,
                                 bench_text("rounds of the published method, %s graph, %" PRId64 " edges",
                                            kind == BOSC_GRAPH_RMAT ? "R-MAT" : "random", s.m),
                                 has_slide ? "round|paper: vertices|paper: edges|paper: edges, duplicates removed|"
                                             "vertices|arcs, duplicates removed|arcs, duplicates kept|answer"
                                           : "round|vertices|arcs, duplicates removed|arcs, duplicates kept|answer");
    /* 1. Forests with and without the removal of duplicates. */
    struct bench_times removed = time_forest(&s, SCANS);
    const bosc_msf_info first = s.info;
    bool right = is_right(&s, first.weight);
    struct bench_times split = time_forest(&s, SCANS_SPLIT);
    right = is_right(&s, first.weight) && right && s.info.rounds == first.rounds &&
            memcmp(s.info.round, first.round, sizeof first.round) == 0;
    struct bench_times kept = time_forest(&s, SCANS_KEEP);
    right = is_right(&s, first.weight) && right;
    const int recorded =
        first.rounds_recorded > s.info.rounds_recorded ? first.rounds_recorded : s.info.rounds_recorded;
    /* 2. A row a round of any of them, or of the slide. */
    for (int k = 0; k < recorded || (has_slide && k < SLIDE_ROUNDS); k++) {
        const bool has_removed = k < first.rounds_recorded, has_kept = k < s.info.rounds_recorded;
        table_integer(t, k + 1);
        for (int c = 0; has_slide && c < 3; c++) table_number(t, k < SLIDE_ROUNDS ? slide[k][c] : NAN);
        has_removed || has_kept ? table_integer(t, has_removed ? first.round[k].vertices : s.info.round[k].vertices)
                                : table_none(t);
        has_removed ? table_integer(t, first.round[k].arcs) : table_none(t);
        has_kept ? table_integer(t, s.info.round[k].arcs) : table_none(t);
        table_answer(t, right, "proved minimum");
    }
    table_plot(t, 1, has_slide ? 6 : 3, TABLE_LINEAR_LOG, "vertices, arcs");
    if (has_slide)
        table_note(t, "paper: slide 29, iterations 0 to 5 of a graph of 1 M vertices; two arcs are an edge here");
    table_note(t,
               "%" PRId64 " vertices, %" PRId64 " edges: %.4g ms with the removal by {u, v} and a minimum, %.4g ms by "
               "{u, v, w} as published, %.4g ms without; %s",
               s.n, s.m, 1e3 * removed.median, 1e3 * split.median, 1e3 * kept.median, bench_device());
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

/* Times of a record size: a split by 8 bits, and sorts by 32 and by 64 bits. */
struct movement_times {
    double split, sort[2]; /* seconds */
    bool right;
};

static struct movement_times time_movement(size_t record, int64_t n)
{
    static const bosc_dtype keys[] = {BOSC_U32, BOSC_U64};
    struct movement_times times = {.right = true};
    for (int k = 0; k < 2; k++) {
        struct movement w = {.dtype = keys[k], .record = record, .n = n, .buckets = 256};
        make_records(&w);
        /* Time and check both, on the same records. */
        if (k == 0) {
            times.split = bench_time(NULL, run_split, &w, bench.repeats).median;
            times.right = is_stable(&w, w.bucket, BOSC_U32, w.records_out);
        }
        times.sort[k] = bench_time(NULL, run_sort, &w, bench.repeats).median;
        times.right = is_stable(&w, w.keys, w.dtype, w.records_out) && times.right;
        void *const arrays[] = {w.keys, w.bucket, w.records, w.keys_out, w.records_out, w.offsets};
        for (int a = 0; a < 6; a++) bench_release(arrays[a]);
    }
    return times;
}

/* Slide 14. */
static void table_of_splits(void)
{
    static const size_t records[] = {4, 8, 16, 32, 64};
    const int64_t n = paper_size(16000000, 1024);
    struct table *t =
        table_open("split", bench_text("%" PRId64 " records split and sorted by their keys", n),
                   "record, bytes|split, 8 bits, ms|sort, 32 bits, ms|sort, 64 bits, ms|split, M records/s|"
                   "sort, 32 bits, M records/s|sort, 64 bits, M records/s|answer");
    for (size_t r = 0; r < sizeof records / sizeof records[0]; r++) {
        const struct movement_times times = time_movement(records[r], n);
        const double seconds[] = {times.split, times.sort[0], times.sort[1]};
        table_integer(t, (int64_t)records[r]);
        for (int k = 0; k < 3; k++) table_number(t, 1e3 * seconds[k]);
        for (int k = 0; k < 3; k++) table_number(t, 1e-6 * (double)n / seconds[k]);
        table_answer(t, times.right, "stable order");
    }
    table_plot(t, 1, 3, TABLE_LOG_LOG, "ms");
    table_note(t, "split: by 256 buckets; sort: by all bits of the key; paper: GTX 280, slides 13 and 14, a picture");
    table_note(t, "%s", bench_device());
    table_close(t);
}

int main(int argc, char **argv)
{
    const char *graph = NULL;
    const struct bench_option own[] = {{'g', BENCH_TEXT, &graph, "a graph's file"}};
    paper_open(argc, argv, own, 1);
    table_of_rounds("rounds-6", BOSC_GRAPH_RANDOM, 1000000, 6000000, false);
    table_of_rounds("rounds-10", BOSC_GRAPH_RANDOM, 1000000, 10000000, false);
    table_of_rounds("rounds-rmat", BOSC_GRAPH_RMAT, 1000000, 10000000, true);
    table_of_generated("random", BOSC_GRAPH_RANDOM, 6);
    table_of_generated("R-MAT", BOSC_GRAPH_RMAT, 6);
    table_of_generated("SSCA#2", BOSC_GRAPH_SSCA2, 0);
    table_of_roads();
    table_of_baselines();
    if (graph) table_of_file(graph);
    table_of_splits();
    return paper_close();
}
