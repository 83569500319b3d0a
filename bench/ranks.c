/* Times structures over ranks: bench_ranks [-n items] [-m edges] [-d dimensions] [-p most ranks] [-c case] [-w] [-x].
 * Each rank is a thread with one CPU thread, or with a CUDA device of its own where there are several; 1, 2, 4, ...
 * ranks get slices of the same input in their memory. One context with one thread runs first, by the ordinary calls:
 * all answers must have the same bits. The notes have the speed-up against it, the speed-up divided by the number of
 * ranks (efficiency), and the bytes and exchanges of rank 0. Times begin and end at barriers. With -w the sizes are
 * those of each rank (weak scaling; vertices are those of all): one context has as many items as one rank, the speed-up
 * is that of items a second, and only the answers of one rank are compared. With -x also processes run as ranks, which
 * exchange device memory by handles; host memory goes through shared memory. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "harness/bench.h"
#include "harness/processes.h"

enum { K = 8, MOST_RANKS = 64, MOST_RUNS = 32 };

/* The whole input, in host memory. */
static struct input {
    int64_t n, m, dim; /* points, keys and vertices; edges */
    float *points;
    uint64_t *keys, *vectors; /* vectors: 64 bits, in walks that flip one bit a step */
    uint32_t *u, *v, *weights;
    char *saved; /* the saved graph, written by the first case that needs it */
    size_t saved_bytes;
} input;

/* A rank, or the single context (comm NULL). Slices of inputs and outputs are in the backend's memory. */
struct rank {
    bosc_ctx *ctx;
    bosc_comm *comm;
    int number, count;
    void *in, *out;
    bosc_kdtree *tree;
    bosc_ranks_kdtree *ranks_tree;
    bosc_graph *graph;
    bosc_hash *table;
    bosc_ranks_hash *ranks_table;
    bosc_cellgraph *cells;
    bosc_ranks_cellgraph *ranks_cells;
    int64_t found; /* edges of the forest or the tree */
    char *answer;  /* this rank's answer in host memory, answer_bytes */
    size_t answer_bytes;
    int64_t sent, exchanges;
    double seconds[MOST_RUNS];
};

#define RANK(call)                                                                             \
    do {                                                                                       \
        if ((call) != BOSC_OK) bench_fail("rank %d: %s", r->number, bosc_ctx_message(r->ctx)); \
    } while (0)

static int64_t slice_of(const struct rank *r, int64_t n, int64_t *begin)
{
    *begin = n * r->number / r->count;
    return n * (r->number + 1) / r->count - *begin;
}

/* Copies this rank's rows of an array to its backend's memory; rows NULL: allocates only. */
static void *copy_slice(struct rank *r, const void *rows, int64_t n, size_t size)
{
    int64_t at, own = slice_of(r, n, &at);
    void *memory;
    RANK(bosc_ctx_alloc(r->ctx, (size_t)own * size, &memory));
    if (rows) RANK(bosc_ctx_copy(r->ctx, memory, (const char *)rows + (size_t)at * size, (size_t)own * size));
    RANK(bosc_ctx_sync(r->ctx));
    return memory;
}

static void release_slice(struct rank *r, void *memory, int64_t n, size_t size)
{
    int64_t at;
    bosc_ctx_release(r->ctx, memory, (size_t)slice_of(r, n, &at) * size);
}

static void store_answer(struct rank *r, const void *memory, size_t bytes)
{
    r->answer = bench_host(bytes ? bytes : 1);
    r->answer_bytes = bytes;
    RANK(bosc_ctx_copy(r->ctx, r->answer, memory, bytes));
    RANK(bosc_ctx_sync(r->ctx));
}

/* ---- sort ---- */

static void open_sort(struct rank *r)
{
    r->in = copy_slice(r, input.keys, input.n, 8);
    r->out = copy_slice(r, NULL, input.n, 8);
}

static void run_sort(struct rank *r)
{
    int64_t at, n = slice_of(r, input.n, &at);
    if (r->comm)
        RANK(bosc_ranks_sort_keys(r->ctx, r->comm, BOSC_U64, r->in, n, r->out));
    else
        RANK(bosc_sort_keys(r->ctx, BOSC_U64, r->in, n, r->out));
}

static void close_sort(struct rank *r)
{
    int64_t at;
    store_answer(r, r->out, (size_t)slice_of(r, input.n, &at) * 8);
    release_slice(r, r->in, input.n, 8);
    release_slice(r, r->out, input.n, 8);
}

/* ---- k-d trees ---- */

static void make_tree(struct rank *r, bosc_kdtree_duplicates duplicates, bosc_kdtree_builder builder)
{
    const bosc_kdtree_opts opts = {.size = sizeof opts,
                                   .dtype = BOSC_F32,
                                   .dim = (int32_t)input.dim,
                                   .id_bits = 32,
                                   .duplicates = duplicates,
                                   .builder = builder,
                                   .sort_halves = builder == BOSC_KDTREE_BROWN && r->comm && r->count > 1};
    r->in = copy_slice(r, input.points, input.n, (size_t)input.dim * 4);
    if (r->comm)
        RANK(bosc_ranks_kdtree_create(r->ctx, r->comm, &opts, &r->ranks_tree));
    else
        RANK(bosc_kdtree_create(r->ctx, &opts, &r->tree));
}

static void open_tree(struct rank *r) { make_tree(r, BOSC_KDTREE_DUPLICATES_KEEP, BOSC_KDTREE_AUTO); }

static void open_unique(struct rank *r) { make_tree(r, BOSC_KDTREE_DUPLICATES_REMOVE, BOSC_KDTREE_AUTO); }

/* The published build; on 2, 4, 8, ... ranks by sorted halves. */
static void open_published(struct rank *r) { make_tree(r, BOSC_KDTREE_DUPLICATES_KEEP, BOSC_KDTREE_BROWN); }

static void run_tree(struct rank *r)
{
    int64_t at, n = slice_of(r, input.n, &at);
    if (r->comm)
        RANK(bosc_ranks_kdtree_build(r->ctx, r->ranks_tree, r->in, n, 0));
    else
        RANK(bosc_kdtree_build(r->ctx, r->tree, r->in, n, 0));
}

static void free_tree(struct rank *r)
{
    release_slice(r, r->in, input.n, (size_t)input.dim * 4);
    bosc_kdtree_free(r->tree);
    bosc_ranks_kdtree_free(r->ranks_tree);
    r->tree = NULL;
    r->ranks_tree = NULL;
}

/* Answer: the ids of the in-order array. */
static void close_tree(struct rank *r)
{
    bosc_ranks_kdtree_info info = {.size = sizeof info};
    bosc_kdtree_info alone = {.size = sizeof alone};
    if (r->comm)
        RANK(bosc_ranks_kdtree_get_info(r->ctx, r->ranks_tree, &info));
    else
        RANK(bosc_kdtree_get_info(r->ctx, r->tree, &alone));
    info.end += alone.nodes;
    r->answer_bytes = (size_t)(info.end - info.begin) * 4;
    r->answer = bench_host(r->answer_bytes + 1);
    if (r->comm)
        RANK(bosc_ranks_kdtree_get_nodes(r->ctx, r->ranks_tree, NULL, r->answer));
    else
        RANK(bosc_kdtree_get_nodes(r->ctx, r->tree, NULL, r->answer));
    free_tree(r);
}

static void open_search(struct rank *r)
{
    open_tree(r);
    run_tree(r);
    r->out = copy_slice(r, NULL, input.n, K * 4);
}

static void run_search(struct rank *r)
{
    int64_t at, n = slice_of(r, input.n, &at);
    if (r->comm)
        RANK(bosc_ranks_kdtree_knn(r->ctx, r->ranks_tree, r->in, n, 0, K, r->out, NULL));
    else
        RANK(bosc_kdtree_knn(r->ctx, r->tree, r->in, n, 0, K, r->out, NULL));
}

static void close_search(struct rank *r)
{
    int64_t at;
    store_answer(r, r->out, (size_t)slice_of(r, input.n, &at) * K * 4);
    release_slice(r, r->out, input.n, K * 4);
    free_tree(r);
}

/* ---- Euclidean spanning trees ---- */

static void open_emst(struct rank *r)
{
    r->in = copy_slice(r, input.points, input.n, (size_t)input.dim * 4);
    r->out = copy_slice(r, NULL, input.n, 8);
}

static void run_emst(struct rank *r)
{
    const bosc_emst_opts opts = {.size = sizeof opts, .dtype = BOSC_F32, .dim = (int32_t)input.dim, .id_bits = 32};
    int64_t at, n = slice_of(r, input.n, &at);
    r->found = input.n - 1;
    if (r->comm)
        RANK(bosc_ranks_emst_compute(r->ctx, r->comm, r->in, n, 0, &opts, r->out, NULL, &r->found));
    else
        RANK(bosc_emst_compute(r->ctx, r->in, n, 0, &opts, r->out, NULL));
}

static void close_emst(struct rank *r)
{
    store_answer(r, r->out, (size_t)r->found * 8);
    release_slice(r, r->in, input.n, (size_t)input.dim * 4);
    release_slice(r, r->out, input.n, 8);
}

/* ---- cell graphs ---- */

static void open_cells(struct rank *r)
{
    const bosc_cellgraph_opts opts = {.size = sizeof opts, .length = 64};
    r->in = copy_slice(r, input.vectors, input.n, 8);
    if (r->comm)
        RANK(bosc_ranks_cellgraph_create(r->ctx, r->comm, &opts, &r->ranks_cells));
    else
        RANK(bosc_cellgraph_create(r->ctx, &opts, &r->cells));
}

static void run_cells(struct rank *r)
{
    int64_t at, n = slice_of(r, input.n, &at);
    if (r->comm)
        RANK(bosc_ranks_cellgraph_build(r->ctx, r->ranks_cells, r->in, n, 0));
    else
        RANK(bosc_cellgraph_build(r->ctx, r->cells, r->in, n, 0));
}

/* Answer: the pairs. */
static void close_cells(struct rank *r)
{
    bosc_ranks_cellgraph_info info = {.size = sizeof info};
    bosc_cellgraph_info whole = {.size = sizeof whole};
    if (r->comm)
        RANK(bosc_ranks_cellgraph_get_info(r->ctx, r->ranks_cells, &info));
    else
        RANK(bosc_cellgraph_get_info(r->ctx, r->cells, &whole));
    r->answer_bytes = (size_t)(r->comm ? info.own_edges : whole.edges) * 16;
    r->answer = bench_host(r->answer_bytes + 1);
    if (r->comm)
        RANK(bosc_ranks_cellgraph_get_pairs(r->ctx, r->ranks_cells, r->answer, NULL));
    else
        RANK(bosc_cellgraph_get_pairs(r->ctx, r->cells, r->answer, NULL));
    release_slice(r, r->in, input.n, 8);
    bosc_cellgraph_free(r->cells);
    bosc_ranks_cellgraph_free(r->ranks_cells);
    r->cells = NULL;
    r->ranks_cells = NULL;
}

/* ---- forests and components ---- */

static void open_graph(struct rank *r)
{
    const bosc_graph_opts opts = {.size = sizeof opts, .weight = BOSC_U32, .id_bits = 32};
    int64_t at, m = slice_of(r, input.m, &at);
    RANK(bosc_graph_create(r->ctx, &opts, &r->graph));
    RANK(bosc_graph_build(r->ctx, r->graph, input.u + at, input.v + at, input.weights + at, input.n, m));
    r->out = copy_slice(r, NULL, input.m, 4);
}

/* The forest with sharded vertices, until the remaining ones fit into replicated_bytes. */
static void run_sharded_forest(struct rank *r, int64_t replicated_bytes)
{
    const bosc_msf_opts sharded = {.size = sizeof sharded, .replicated_bytes = replicated_bytes};
    bosc_msf_info info = {.size = sizeof info};
    if (r->comm) {
        RANK(bosc_ranks_msf_compute(r->ctx, r->comm, r->graph, &sharded, r->out, &r->found, NULL, NULL));
        return;
    }
    RANK(bosc_msf_compute(r->ctx, r->graph, NULL, r->out, NULL, &info));
    r->found = info.edges;
}

static void run_sharded(struct rank *r) { run_sharded_forest(r, 1); }

/* Replicates from an eighth of the vertices on, at 170 bytes a vertex. */
static void run_eighth(struct rank *r) { run_sharded_forest(r, 1 + 170 * (input.n / 8)); }

static void run_forest(struct rank *r)
{
    bosc_msf_info info = {.size = sizeof info};
    if (r->comm) {
        RANK(bosc_ranks_msf_compute(r->ctx, r->comm, r->graph, NULL, r->out, &r->found, NULL, NULL));
        return;
    }
    RANK(bosc_msf_compute(r->ctx, r->graph, NULL, r->out, NULL, &info));
    r->found = info.edges;
}

static void free_graph(struct rank *r)
{
    release_slice(r, r->out, input.m, 4);
    bosc_graph_free(r->graph);
    r->graph = NULL;
}

/* ---- a saved graph ---- */

static int append_saved(void *user, const void *bytes, size_t count)
{
    size_t *room = user;
    if (input.saved_bytes + count > *room) {
        *room = 2 * (input.saved_bytes + count);
        input.saved = realloc(input.saved, *room);
        if (!input.saved) return 1;
    }
    memcpy(input.saved + input.saved_bytes, bytes, count);
    input.saved_bytes += count;
    return 0;
}

static int read_saved_at(void *user, int64_t offset, void *bytes, size_t count)
{
    (void)user;
    if ((size_t)offset + count > input.saved_bytes) return 1;
    memcpy(bytes, input.saved + offset, count);
    return 0;
}

static int read_saved_next(void *user, void *bytes, size_t count)
{
    int64_t *at = user;
    const int failed = read_saved_at(NULL, *at, bytes, count);
    *at += (int64_t)count;
    return failed;
}

/* The single context, which runs first, saves the graph. */
static void open_saved(struct rank *r)
{
    size_t room = 0;
    if (input.saved) return;
    open_graph(r);
    RANK(bosc_graph_write(r->ctx, r->graph, append_saved, &room));
    free_graph(r);
}

static void run_read(struct rank *r)
{
    int64_t at = 0;
    bosc_graph_free(r->graph);
    r->graph = NULL;
    if (r->comm)
        RANK(bosc_ranks_graph_read(r->ctx, r->comm, read_saved_at, NULL, &r->graph, NULL));
    else
        RANK(bosc_graph_read(r->ctx, read_saved_next, &at, &r->graph));
}

/* Answer: the ends of its edges. */
static void close_saved(struct rank *r)
{
    bosc_graph_info info = {.size = sizeof info};
    RANK(bosc_graph_get_info(r->ctx, r->graph, &info));
    r->answer_bytes = (size_t)info.m * 4;
    r->answer = bench_host(r->answer_bytes + 1);
    RANK(bosc_graph_get_edges(r->ctx, r->graph, NULL, r->answer, NULL, NULL));
    bosc_graph_free(r->graph);
    r->graph = NULL;
}

/* ---- proofs ---- */

/* Each rank passes the forest's edges that it has. */
static void open_proof(struct rank *r)
{
    open_graph(r);
    run_forest(r);
}

static void verify_forest(struct rank *r, int64_t replicated_bytes)
{
    const bosc_msf_opts opts = {.size = sizeof opts, .replicated_bytes = replicated_bytes};
    if (r->comm)
        RANK(bosc_ranks_msf_verify(r->ctx, r->comm, r->graph, &opts, r->out, r->found, NULL));
    else
        RANK(bosc_msf_verify(r->ctx, r->graph, NULL, r->out, r->found, NULL));
}

static void run_proof(struct rank *r) { verify_forest(r, 0); }

static void run_sharded_proof(struct rank *r) { verify_forest(r, 1); }

static void close_forest(struct rank *r)
{
    store_answer(r, r->out, (size_t)r->found * 4);
    free_graph(r);
}

static void open_components(struct rank *r)
{
    open_graph(r);
    RANK(bosc_ctx_alloc(r->ctx, (size_t)input.n * 4, &r->in));
}

static void run_components(struct rank *r)
{
    if (r->comm)
        RANK(bosc_ranks_components_compute(r->ctx, r->comm, r->graph, NULL, r->in, NULL));
    else
        RANK(bosc_components_compute(r->ctx, r->graph, NULL, r->in, NULL));
}

/* All ranks have all labels: rank 0 gives the answer. */
static void close_components(struct rank *r)
{
    store_answer(r, r->in, r->number == 0 ? (size_t)input.n * 4 : 0);
    bosc_ctx_release(r->ctx, r->in, (size_t)input.n * 4);
    free_graph(r);
}

/* ---- hash tables ---- */

static void open_table(struct rank *r)
{
    const bosc_hash_opts opts = {.size = sizeof opts, .key_bits = 64, .value_size = 8};
    r->in = copy_slice(r, input.keys, input.n, 8);
    r->out = copy_slice(r, NULL, input.n, 8);
    if (r->comm)
        RANK(bosc_ranks_hash_create(r->ctx, r->comm, &opts, &r->ranks_table));
    else
        RANK(bosc_hash_create(r->ctx, &opts, &r->table));
}

/* Keys are their own values. */
static void run_table(struct rank *r)
{
    int64_t at, n = slice_of(r, input.n, &at);
    if (r->comm)
        RANK(bosc_ranks_hash_build(r->ctx, r->ranks_table, r->in, r->in, n));
    else
        RANK(bosc_hash_build(r->ctx, r->table, r->in, r->in, n));
}

static void open_find(struct rank *r)
{
    open_table(r);
    run_table(r);
}

static void run_find(struct rank *r)
{
    int64_t at, n = slice_of(r, input.n, &at);
    if (r->comm)
        RANK(bosc_ranks_hash_find(r->ctx, r->ranks_table, r->in, n, r->out, NULL));
    else
        RANK(bosc_hash_find(r->ctx, r->table, r->in, n, r->out, NULL));
}

static void close_table(struct rank *r)
{
    int64_t at;
    run_find(r);
    store_answer(r, r->out, (size_t)slice_of(r, input.n, &at) * 8);
    release_slice(r, r->in, input.n, 8);
    release_slice(r, r->out, input.n, 8);
    bosc_hash_free(r->table);
    bosc_ranks_hash_free(r->ranks_table);
    r->table = NULL;
    r->ranks_table = NULL;
}

/* ---- unique ids ---- */

/* Each key occurs about `copies` times. */
static void open_keys(struct rank *r, int64_t copies)
{
    int64_t at, n = slice_of(r, input.n, &at);
    int64_t *keys = bench_host((size_t)(n + 1) * 8);
    for (int64_t i = 0; i < n; i++) keys[i] = input.keys[(at + i) * 7919 % (input.n / copies + 1) % input.n];
    r->in = copy_slice(r, NULL, input.n, 8);
    r->out = copy_slice(r, NULL, input.n, 8);
    RANK(bosc_ctx_copy(r->ctx, r->in, keys, (size_t)n * 8));
    RANK(bosc_ctx_sync(r->ctx));
    free(keys);
}

static void open_different(struct rank *r) { open_keys(r, 1); }
static void open_repeated(struct rank *r) { open_keys(r, 16); }

static void run_unique(struct rank *r)
{
    int64_t at, n = slice_of(r, input.n, &at);
    if (r->comm)
        RANK(bosc_ranks_unique(r->ctx, r->comm, r->in, n, 64, r->out, NULL, &r->found, NULL));
    else
        RANK(bosc_hash_unique(r->ctx, r->in, n, 64, r->out, NULL, &r->found));
}

static void close_keys(struct rank *r)
{
    int64_t at;
    store_answer(r, r->out, (size_t)slice_of(r, input.n, &at) * 8);
    release_slice(r, r->in, input.n, 8);
    release_slice(r, r->out, input.n, 8);
}

static const struct benchmark_case {
    const char *name;
    void (*open)(struct rank *r);
    void (*run)(struct rank *r);
    void (*close)(struct rank *r); /* stores the answer */
    bool of_edges;
} cases[] = {{"sort", open_sort, run_sort, close_sort, false},
             {"kdtree build", open_tree, run_tree, close_tree, false},
             {"kdtree build, unique", open_unique, run_tree, close_tree, false},
             {"kdtree build, published", open_published, run_tree, close_tree, false},
             {"kdtree knn 8", open_search, run_search, close_search, false},
             {"emst", open_emst, run_emst, close_emst, false},
             {"cellgraph build", open_cells, run_cells, close_cells, false},
             {"forest", open_graph, run_forest, close_forest, true},
             {"forest sharded", open_graph, run_sharded, close_forest, true},
             {"forest sharded, to 1/8", open_graph, run_eighth, close_forest, true},
             {"forest proof", open_proof, run_proof, close_forest, true},
             {"forest proof, sharded", open_proof, run_sharded_proof, close_forest, true},
             {"graph read", open_saved, run_read, close_saved, true},
             {"components", open_components, run_components, close_components, true},
             {"unique", open_different, run_unique, close_keys, false},
             {"unique, each 16 times", open_repeated, run_unique, close_keys, false},
             {"hash build", open_table, run_table, close_table, false},
             {"hash find", open_find, run_find, close_table, false}};
enum { CASES = sizeof cases / sizeof cases[0] };

/* ---- ranks ---- */

static struct rank ranks[MOST_RANKS];
static const struct benchmark_case *current;
static bool is_weak;         /* the sizes are those of a rank */
static int own_process = -1; /* the rank of this process; -1: it runs the others */

static bosc_comm_info info_of(struct rank *r)
{
    bosc_comm_info info = {.size = sizeof info};
    if (r->comm) RANK(bosc_comm_get_info(r->ctx, r->comm, &info));
    return info;
}

static void wait_for_ranks(struct rank *r)
{
    if (r->comm)
        RANK(bosc_comm_barrier(r->ctx, r->comm));
    else
        RANK(bosc_ctx_sync(r->ctx));
}

static void open_context(struct rank *r)
{
    bosc_ctx_opts opts = bench.opts;
    opts.threads = 1;
    if (opts.backend == BOSC_BACKEND_CUDA) opts.device = r->number % bosc_device_count();
    if (bosc_ctx_create(&opts, &r->ctx) != BOSC_OK) bench_fail("rank %d has no context", r->number);
}

static void *run_rank(void *user)
{
    struct rank *r = user;
    open_context(r);
    if (own_process >= 0) {
        const bosc_comm_transport transport = bench_process_transport();
        RANK(bosc_comm_create(r->ctx, &transport, r->number, r->count, NULL, &r->comm));
    }
    current->open(r);
    for (int i = -1; i < bench.repeats; i++) { /* the first run allocates */
        wait_for_ranks(r);
        const bosc_comm_info before = info_of(r);
        const double begin = bench_now();
        current->run(r);
        const bosc_comm_info after = info_of(r);
        wait_for_ranks(r);
        if (i >= 0) r->seconds[i] = bench_now() - begin;
        r->sent = after.bytes - before.bytes;
        r->exchanges = after.exchanges - before.exchanges;
    }
    current->close(r);
    bosc_comm_free(r->comm);
    bosc_ctx_free(r->ctx);
    return NULL;
}

/* Runs the current case on all ranks at once; 0: on the single context. */
static void run_ranks(int count)
{
    pthread_t threads[MOST_RANKS];
    bosc_comm *comms[MOST_RANKS] = {NULL};
    const int threads_count = count ? count : 1;
    if (count) BENCH(bosc_comm_create_threads(bench.ctx, count, NULL, comms));
    for (int i = 0; i < threads_count; i++)
        ranks[i] = (struct rank){.comm = comms[i], .number = i, .count = threads_count};
    for (int i = 0; i < threads_count; i++)
        if (pthread_create(&threads[i], NULL, run_rank, &ranks[i]) != 0) bench_fail("no thread for rank %d", i);
    for (int i = 0; i < threads_count; i++) pthread_join(threads[i], NULL);
}

/* ---- answers ---- */

struct whole {
    char *bytes;
    size_t count;
};

/* Concatenates the ranks' answers. */
static struct whole join_answers(int count)
{
    struct whole w = {NULL, 0};
    for (int i = 0; i < count; i++) w.count += ranks[i].answer_bytes;
    w.bytes = bench_host(w.count + 1);
    for (size_t i = 0, at = 0; i < (size_t)count; at += ranks[i++].answer_bytes) {
        memcpy(w.bytes + at, ranks[i].answer, ranks[i].answer_bytes);
        free(ranks[i].answer);
    }
    return w;
}

/* ---- rows ---- */

static void print_row(int count, const char *kind, struct bench_times one)
{
    struct bench_row row = {.name = current->name,
                            .data = bench_text("%d %s%s", count, kind,
                                               count == 1       ? ""
                                               : kind[0] == 'p' ? "es"
                                                                : "s"),
                            .n = current->of_edges ? input.m : input.n,
                            .ours = bench_median_of(ranks[0].seconds, bench.repeats),
                            .peer = "one context",
                            .theirs = one};
    const double speed = (is_weak ? count : 1) * one.median / row.ours.median;
    row.note = bench_text("speed-up %.2f, efficiency %.2f; rank 0 sends %.3f MB in %" PRId64 " exchanges", speed,
                          speed / count, 1e-6 * (double)ranks[0].sent, ranks[0].exchanges);
    bench_print(&row);
}

static void check_answers(int count, struct whole right, struct whole got)
{
    bench_check(right.count == got.count && memcmp(right.bytes, got.bytes, got.count) == 0,
                "%s: %d ranks give other bits than one context", current->name, count);
}

static void time_processes(int count, struct bench_times one, struct whole right)
{
    bench_run_processes((int)(current - cases));
    for (int i = 0; i < count; i++) {
        const struct bench_process_result result = bench_read_process_result(i, &ranks[i].answer);
        ranks[i].answer_bytes = result.answer_bytes;
        ranks[i].sent = result.sent;
        ranks[i].exchanges = result.exchanges;
        memcpy(ranks[i].seconds, result.seconds, sizeof result.seconds);
    }
    const struct whole got = join_answers(count);
    check_answers(count, right, got);
    print_row(count, "process", one);
    free(got.bytes);
}

static void time_case(int64_t most, bool processes)
{
    const int64_t n = input.n, m = input.m;
    run_ranks(0);
    const struct bench_times one = bench_median_of(ranks[0].seconds, bench.repeats);
    const struct whole right = join_answers(1);
    for (int count = 1; count <= most; count *= 2) {
        if (is_weak && current->of_edges)
            input.m = m * count; /* of as many vertices */
        else if (is_weak)
            input.n = n * count;
        run_ranks(count);
        const struct whole got = join_answers(count);
        if (!is_weak || count == 1) check_answers(count, right, got);
        print_row(count, "rank", one);
        free(got.bytes);
    }
    input.n = n;
    input.m = m;
    if (processes && current->open != open_saved) /* the graph is in the memory of one process */
        time_processes((int)most, one, right);
    free(right.bytes);
}

/* A rank that is a process: runs cases until the first process ends. */
static void serve_runs(int count)
{
    for (int c; (c = bench_await_run()) >= 0;) {
        struct rank *r = &ranks[0];
        current = &cases[c];
        *r = (struct rank){.number = own_process, .count = count};
        run_rank(r);
        struct bench_process_result result = {
            .sent = r->sent, .exchanges = r->exchanges, .answer_bytes = r->answer_bytes};
        memcpy(result.seconds, r->seconds, sizeof result.seconds);
        bench_finish_run(&result, r->answer);
        free(r->answer);
    }
}

/* True if -c chooses the case: by its name, or, if no case has that name, by its beginning. */
static bool is_chosen(const char *name, const char *only)
{
    bool is_name = false;
    for (int c = 0; c < CASES && only; c++) is_name = is_name || strcmp(cases[c].name, only) == 0;
    return !only || (is_name ? strcmp(name, only) : strncmp(name, only, strlen(only))) == 0;
}

/* ---- input ---- */

/* n random numbers below `limit`. */
static uint32_t *make_numbers(uint64_t seed, int64_t n, uint64_t limit)
{
    uint32_t *numbers = bench_host((size_t)n * 4);
    BENCH(bosc_random_bits(bench.ctx, seed, 0, n, numbers));
    for (int64_t i = 0; i < n; i++) numbers[i] = (uint32_t)(numbers[i] * limit >> 32);
    return numbers;
}

/* copies: times the sizes. */
static void make_input(const char *only, int64_t copies)
{
    const bool edges = !only || strncmp(only, "forest", 6) == 0 || strncmp(only, "components", 10) == 0 ||
                       strncmp(only, "graph", 5) == 0;
    const bool points = !only || strncmp(only, "kdtree", 6) == 0 || strncmp(only, "emst", 4) == 0;
    const bool keys = !only || !(edges || points);
    const int64_t n = input.n * copies, m = input.m * copies;
    if (points) {
        input.points = bench_host((size_t)(n * input.dim) * 4);
        BENCH(bosc_random_points(bench.ctx, BOSC_RANDOM_POINTS_UNIFORM, 7, n, (int32_t)input.dim, BOSC_F32,
                                 input.points));
    }
    if (keys) {
        input.vectors = bench_host((size_t)n * 8);
        input.keys = bench_host((size_t)n * 8);
        BENCH(bosc_random_bits(bench.ctx, 8, 0, 2 * n, (uint32_t *)(void *)input.keys));
        for (int64_t i = 0; i < n; i++)
            input.vectors[i] = i % 64 ? input.vectors[i - 1] ^ (uint64_t)1 << (input.keys[i] & 63) : input.keys[i];
    }
    if (edges) {
        input.u = make_numbers(9, m, (uint64_t)input.n);
        input.v = make_numbers(10, m, (uint64_t)input.n);
        input.weights = make_numbers(11, m, 1 << 24);
    }
}

int main(int argc, char **argv)
{
    int64_t most = 4;
    const char *only = NULL;
    bool processes = false;
    const struct bench_option own[] = {{'p', BENCH_INTEGER, &most, "most ranks (default 4)"},
                                       {'m', BENCH_INTEGER, &input.m, "edges (default: four times as many)"},
                                       {'d', BENCH_INTEGER, &input.dim, "dimensions of points (default 3)"},
                                       {'c', BENCH_TEXT, &only, "only this case, or cases whose names begin so"},
                                       {'w', BENCH_FLAG, &is_weak, "sizes are those of each rank"},
                                       {'x', BENCH_FLAG, &processes, "also as many processes"}};
    input.dim = 3;
    bench.n = 1000000;
    bench.repeats = 5;
    bench_options(argc, argv, "points, keys and vertices", own, 6);
    if (bench.repeats > MOST_RUNS || most < 1 || most > MOST_RANKS)
        bench_fail("at most %d runs and %d ranks", MOST_RUNS, MOST_RANKS);
    if (is_weak && processes) bench_fail("-w is of ranks that are threads");
    if (processes) own_process = bench_start_processes((int)most);
    /* 1. Make the inputs of the chosen cases. */
    bench_open();
    if (own_process < 0) bench_say("%s", bench_device());
    input.n = bench.n;
    if (input.m == 0) input.m = 4 * input.n;
    make_input(only, is_weak ? most : 1);
    BENCH(bosc_ctx_trim(bench.ctx)); /* ranks need the memory in which the input was made */
    /* 2. Time the cases. */
    if (own_process >= 0) serve_runs((int)most);
    for (int c = 0; c < CASES && own_process < 0; c++) {
        current = &cases[c];
        if (is_chosen(current->name, only)) time_case(most, processes);
    }
    if (processes && own_process < 0) bench_end_processes();
    free(input.points);
    free(input.keys);
    free(input.vectors);
    free(input.u);
    free(input.v);
    free(input.weights);
    free(input.saved);
    return bench_close();
}
