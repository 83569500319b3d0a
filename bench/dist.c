/* Times structures over ranks: bench_dist [-n items] [-p most ranks]. Each rank is a thread with one CPU thread, or with a
 * CUDA device of its own where there are several; 1, 2, 4, ... ranks take the same input, whose slices they hold. One
 * context takes it first, by the ordinary calls with one thread: every answer must be the same bits, and the notes tell
 * the speed-up against it, its share of the ranks (efficiency), and the bytes that a rank sends. A rank's times begin
 * and end at barriers. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "harness/bench.h"
#include "harness/points.h"
#include "harness/random.h"

enum { DIM = 3, K = 8, DEGREE = 4, MOST_RANKS = 64, CASES = 5 };

/* The whole input in host memory, and whole outputs, of which each rank fills its slice. */
static struct input {
    int64_t n, m; /* points, keys and vertices; edges */
    float *points;
    uint64_t *keys;
    uint32_t *u, *v, *weights;
    int64_t *ids;     /* (n x K) */
    uint64_t *sorted; /* (n) */
    uint32_t *forest, *labels;
    int64_t forest_count;
} input;

/* A rank, or the one context (comm NULL). */
struct rank {
    bosc_ctx *ctx;
    bosc_comm *comm;
    int number, count;
    bosc_kdtree *tree;
    bosc_dist_kdtree *dist_tree;
    bosc_graph *graph;
    int64_t sent;
    double seconds[CASES][32];
};

#define RANK(call)                                                                         \
    do {                                                                                   \
        if ((call) != BOSC_OK) bench_fail("rank %d: %s", r->number, bosc_message(r->ctx)); \
    } while (0)

static int64_t slice(const struct rank *r, int64_t n, int64_t *begin)
{
    *begin = n * r->number / r->count;
    return n * (r->number + 1) / r->count - *begin;
}

/* ---- the cases ---- */

static void sort(struct rank *r)
{
    int64_t at, n = slice(r, input.n, &at);
    if (r->comm)
        RANK(bosc_dist_sort_keys(r->ctx, r->comm, BOSC_U64, input.keys + at, n, input.sorted + at));
    else
        RANK(bosc_sort_keys(r->ctx, BOSC_U64, input.keys, n, input.sorted));
}

static void build_tree(struct rank *r)
{
    int64_t at, n = slice(r, input.n, &at);
    if (r->comm)
        RANK(bosc_dist_kdtree_build(r->ctx, r->dist_tree, input.points + at * DIM, n, 0));
    else
        RANK(bosc_kdtree_build(r->ctx, r->tree, input.points, n, 0));
}

static void search(struct rank *r)
{
    int64_t at, n = slice(r, input.n, &at);
    if (r->comm)
        RANK(bosc_dist_kdtree_knn(r->ctx, r->dist_tree, input.points + at * DIM, n, 0, K, input.ids + at * K, NULL));
    else
        RANK(bosc_kdtree_knn(r->ctx, r->tree, input.points, n, 0, K, input.ids, NULL));
}

static void find_forest(struct rank *r)
{
    int64_t at, count;
    slice(r, input.m, &at);
    if (!r->comm) {
        bosc_msf_info info = {.size = sizeof info};
        RANK(bosc_msf_compute(r->ctx, r->graph, NULL, input.forest, NULL, &info));
        input.forest_count = info.edges;
        return;
    }
    RANK(bosc_dist_msf_compute(r->ctx, r->comm, r->graph, NULL, input.forest + at, &count, NULL, NULL));
    for (int64_t i = at + count, n = slice(r, input.m, &at); i < at + n; i++) input.forest[i] = UINT32_MAX;
}

static void find_components(struct rank *r)
{
    uint32_t *labels = r->number == 0 ? input.labels : bench_host((size_t)input.n * 4);
    if (r->comm)
        RANK(bosc_dist_components_compute(r->ctx, r->comm, r->graph, NULL, labels, NULL));
    else
        RANK(bosc_components_compute(r->ctx, r->graph, NULL, labels, NULL));
    if (labels != input.labels) free(labels);
}

static const struct {
    const char *name;
    void (*run)(struct rank *r);
} cases[CASES] = {{"sort", sort},
                  {"kdtree build", build_tree},
                  {"kdtree knn 8", search},
                  {"forest", find_forest},
                  {"components", find_components}};

/* ---- ranks ---- */

static void open_rank(struct rank *r)
{
    const bosc_kdtree_opts of_tree = {.size = sizeof of_tree, .dtype = BOSC_F32, .dim = DIM};
    const bosc_graph_opts of_graph = {.size = sizeof of_graph, .weight = BOSC_U32, .id_bits = 32};
    bosc_ctx_opts opts = bench.opts;
    int64_t at, m = slice(r, input.m, &at);
    opts.threads = 1;
    if (opts.backend == BOSC_BACKEND_CUDA) opts.device = r->number % bosc_device_count();
    if (bosc_ctx_create(&opts, &r->ctx) != BOSC_OK) bench_fail("rank %d has no context", r->number);
    if (r->comm)
        RANK(bosc_dist_kdtree_create(r->ctx, r->comm, &of_tree, &r->dist_tree));
    else
        RANK(bosc_kdtree_create(r->ctx, &of_tree, &r->tree));
    RANK(bosc_graph_create(r->ctx, &of_graph, &r->graph));
    RANK(bosc_graph_build(r->ctx, r->graph, input.u + at, input.v + at, input.weights + at, input.n, m));
}

static void close_rank(struct rank *r)
{
    bosc_comm_info info = {.size = sizeof info};
    if (r->comm) RANK(bosc_comm_get_info(r->ctx, r->comm, &info));
    bosc_kdtree_free(r->tree);
    bosc_dist_kdtree_free(r->dist_tree);
    bosc_graph_free(r->graph);
    bosc_comm_free(r->comm);
    bosc_ctx_free(r->ctx);
}

static int64_t bytes_sent(struct rank *r)
{
    bosc_comm_info info = {.size = sizeof info};
    if (r->comm) RANK(bosc_comm_get_info(r->ctx, r->comm, &info));
    return info.bytes;
}

static int64_t sent[CASES]; /* by rank 0 in one run */

static void *run_rank(void *user)
{
    struct rank *r = user;
    open_rank(r);
    for (int c = 0; c < CASES; c++)
        for (int i = -1; i < bench.repeats; i++) { /* the first run takes memory */
            const int64_t before = bytes_sent(r);
            if (r->comm) RANK(bosc_comm_barrier(r->ctx, r->comm));
            const double begin = bench_now();
            cases[c].run(r);
            if (r->comm) RANK(bosc_comm_barrier(r->ctx, r->comm));
            if (i >= 0) r->seconds[c][i] = bench_now() - begin;
            if (r->number == 0) sent[c] = bytes_sent(r) - before;
        }
    close_rank(r);
    return NULL;
}

static struct bench_times times_of(struct rank *first, int c)
{
    return bench_median_of(first->seconds[c], bench.repeats);
}

/* ---- answers ---- */

static uint64_t hash_of(const void *bytes, size_t count)
{
    uint64_t hash = 14695981039346656037u;
    for (size_t i = 0; i < count; i++) hash = (hash ^ ((const unsigned char *)bytes)[i]) * 1099511628211u;
    return hash;
}

/* The forest's edges stand at the front; behind each rank's are marks. */
static void pack_forest(void)
{
    int64_t count = 0;
    for (int64_t i = 0; i < input.m; i++)
        if (input.forest[i] != UINT32_MAX) input.forest[count++] = input.forest[i];
    input.forest_count = count;
}

static void hash_answers(uint64_t hashes[4])
{
    hashes[0] = hash_of(input.sorted, (size_t)input.n * 8);
    hashes[1] = hash_of(input.ids, (size_t)(input.n * K) * 8);
    hashes[2] = hash_of(input.forest, (size_t)input.forest_count * 4);
    hashes[3] = hash_of(input.labels, (size_t)input.n * 4);
}

static void forget_answers(void)
{
    memset(input.sorted, 0, (size_t)input.n * 8);
    memset(input.ids, 0, (size_t)(input.n * K) * 8);
    memset(input.forest, 0, (size_t)input.m * 4);
    memset(input.labels, 0, (size_t)input.n * 4);
}

/* ---- rows ---- */

static void make_input(int64_t n)
{
    uint64_t seed = 7;
    input = (struct input){.n = n, .m = n * DEGREE, .points = bench_points("uniform", n, DIM, 7)};
    input.keys = bench_host((size_t)n * 8);
    input.sorted = bench_host((size_t)n * 8);
    input.ids = bench_host((size_t)(n * K) * 8);
    input.u = bench_host((size_t)input.m * 4);
    input.v = bench_host((size_t)input.m * 4);
    input.weights = bench_host((size_t)input.m * 4);
    input.forest = bench_host((size_t)input.m * 4);
    input.labels = bench_host((size_t)n * 4);
    for (int64_t i = 0; i < n; i++) input.keys[i] = bench_next(&seed);
    for (int64_t i = 0; i < input.m; i++) {
        input.u[i] = (uint32_t)(bench_next(&seed) % (uint64_t)n);
        input.v[i] = (uint32_t)(bench_next(&seed) % (uint64_t)n);
        input.weights[i] = (uint32_t)(bench_next(&seed) >> 40);
    }
}

static struct rank ranks[MOST_RANKS];

static void run_ranks(int count)
{
    pthread_t threads[MOST_RANKS];
    bosc_comm *comms[MOST_RANKS];
    BENCH(bosc_comm_create_threads(bench.ctx, count, NULL, comms));
    for (int i = 0; i < count; i++) ranks[i] = (struct rank){.comm = comms[i], .number = i, .count = count};
    for (int i = 0; i < count; i++)
        if (pthread_create(&threads[i], NULL, run_rank, &ranks[i]) != 0) bench_fail("no thread for rank %d", i);
    for (int i = 0; i < count; i++) pthread_join(threads[i], NULL);
}

static void print_rows(int count, const struct bench_times one[CASES])
{
    for (int c = 0; c < CASES; c++) {
        struct bench_row row = {.name = cases[c].name,
                                .data = bench_text("%d rank%s", count, count > 1 ? "s" : ""),
                                .n = c >= 3 ? input.m : input.n,
                                .ours = times_of(&ranks[0], c),
                                .peer = "one context",
                                .theirs = one[c]};
        const double speed = one[c].median / row.ours.median;
        row.note = bench_text("speed-up %.2f, efficiency %.2f; rank 0 sends %.1f MB", speed, speed / count,
                              1e-6 * (double)sent[c]);
        bench_print(&row);
    }
}

int main(int argc, char **argv)
{
    int64_t most = 4;
    const struct bench_option own[] = {{'p', BENCH_INTEGER, &most, "most ranks (default 4)"}};
    struct bench_times one[CASES];
    uint64_t right[4], got[4];
    bench.n = 1000000;
    bench.repeats = 5;
    bench_options(argc, argv, "points, keys and vertices; four times as many edges", own, 1);
    if (bench.repeats > 32 || most < 1 || most > MOST_RANKS) bench_fail("at most 32 runs and %d ranks", MOST_RANKS);
    bench_open();
    bench_say("%s", bench_device());
    make_input(bench.n);
    ranks[0] = (struct rank){.count = 1};
    run_rank(&ranks[0]);
    hash_answers(right);
    for (int c = 0; c < CASES; c++) one[c] = times_of(&ranks[0], c);
    for (int count = 1; count <= most; count *= 2) {
        forget_answers();
        run_ranks(count);
        pack_forest();
        hash_answers(got);
        bench_check(memcmp(right, got, sizeof got) == 0, "%d ranks give other bits than one context", count);
        print_rows(count, one);
    }
    return bench_close();
}
