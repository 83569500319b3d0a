/* The figures of a paper with today's methods: bench_cellgraph_figures [-n vectors] [-l letters] [-t threads]
 * [-r repeats] [-b backend]. Stages of the published trie (its nodes made, and each vector looked up with each letter
 * replaced) against n, beside the compact trie and the join; one thread and more of them; and the heuristic with 0, 3
 * and 5 pivots against n. The least of the repeats, in ms. Blocks and threads of a launch: bench_cellgraph_launch.
 * Source: Kaczmarski, Rzazewski, Wolant, Massively Parallel Construction of the Cell Graph (2015). */
#include "harness/cells.h"

struct bench {
    struct cells_bench in;
    bosc_cellgraph *graph;
    bosc_trie *trie;
    int64_t n; /* of the rows */
};

#define DO(b, call) CELLS_DO((b)->in.ctx, call)

static void build(void *user)
{
    struct bench *b = user;
    DO(b, bosc_cellgraph_build(b->in.ctx, b->graph, b->in.rows, b->n, 0));
}

static void make_trie(void *user)
{
    struct bench *b = user;
    DO(b, bosc_trie_build(b->in.ctx, b->trie, b->in.rows, NULL, b->n, 0));
}

static void search_trie(void *user)
{
    struct bench *b = user;
    int64_t pairs;
    DO(b, bosc_trie_pairs(b->in.ctx, b->trie, NULL, NULL, 0, &pairs));
}

static double graph_ms(struct bench *b, bosc_cell_method method, bosc_cell_trie_search search, int32_t pivots)
{
    bosc_cellgraph_opts o = {.size = sizeof o, .length = b->in.length, .method = method};
    o.trie_search = search;
    o.pivots = pivots;
    DO(b, bosc_cellgraph_create(b->in.ctx, &o, &b->graph));
    struct timing t = timing_of(NULL, build, b, b->in.repeats);
    bosc_cellgraph_free(b->graph);
    return 1e3 * t.least;
}

static void print_stages(struct bench *b, bosc_trie_layout layout)
{
    bosc_trie_opts o = {.size = sizeof o, .length = b->in.length, .value_bits = 32, .layout = layout};
    DO(b, bosc_trie_create(b->in.ctx, &o, &b->trie));
    struct timing made = timing_of(NULL, make_trie, b, b->in.repeats);
    struct timing searched = timing_of(NULL, search_trie, b, b->in.repeats);
    bosc_trie_free(b->trie);
    printf(" %11.2f %11.2f", 1e3 * made.least, 1e3 * searched.least);
    fflush(stdout);
}

static void stages(struct bench *b)
{
    printf("\nstages, ms: sort and build, then search for all pairs\n%10s %23s %23s %11s %11s\n", "n", "published trie",
           "compact trie", "zobrist", "join");
    for (int64_t part = 16; part >= 1; part /= 2) {
        b->n = b->in.n / part;
        if (b->n < 1) continue;
        printf("%10" PRId64, b->n);
        print_stages(b, BOSC_TRIE_PUBLISHED);
        print_stages(b, BOSC_TRIE_COMPACT);
        printf(" %11.2f", graph_ms(b, BOSC_CELL_ZOBRIST, BOSC_CELL_TRIE_WALK, 0));
        printf(" %11.2f\n", graph_ms(b, BOSC_CELL_JOIN, BOSC_CELL_TRIE_WALK, 0));
    }
}

static void pivots(struct bench *b)
{
    static const int32_t counts[] = {0, 3, 5};
    printf("\nheuristic, ms, by its pivots\n%10s %11s %11s %11s\n", "n", "h = 0", "h = 3", "h = 5");
    for (int64_t n = 2500; n <= 20000 && n <= b->in.n; n *= 2) {
        b->n = n;
        printf("%10" PRId64, n);
        for (int k = 0; k < 3; k++) printf(" %11.2f", graph_ms(b, BOSC_CELL_HEURISTIC, BOSC_CELL_TRIE_WALK, counts[k]));
        printf("\n");
        fflush(stdout);
    }
}

/* The same on 1, 2, 4... threads, by the clock: how much faster is a method on more of them. */
static void threads(struct bench *b)
{
    static const struct {
        const char *name;
        bosc_cell_method method;
        bosc_cell_trie_search search;
        int64_t most;
    } ways[] = {{"join", BOSC_CELL_JOIN, BOSC_CELL_TRIE_WALK, INT64_MAX},
                {"zobrist", BOSC_CELL_ZOBRIST, BOSC_CELL_TRIE_WALK, INT64_MAX},
                {"trie", BOSC_CELL_TRIE, BOSC_CELL_TRIE_WALK, INT64_MAX},
                {"trie as published", BOSC_CELL_TRIE, BOSC_CELL_TRIE_LOOKUP, 20000},
                {"heuristic, h = 3", BOSC_CELL_HEURISTIC, BOSC_CELL_TRIE_WALK, 20000},
                {"Dobrowolski (sequential)", BOSC_CELL_TRIE, BOSC_CELL_TRIE_DOBROWOLSKI, INT64_MAX}};
    bosc_ctx *one = b->in.ctx;
    uint64_t *rows = b->in.rows;
    const int32_t most = b->in.threads;
    printf("\nsequential and parallel, ms by the clock\n%-26s %10s", "", "n");
    for (int32_t t = 1; t <= most; t *= 2) printf(" %5d thr", (int)t);
    printf("\n");
    timing_thread_time = false;
    for (size_t w = 0; w < sizeof ways / sizeof ways[0]; w++) {
        b->n = b->in.n < ways[w].most ? b->in.n : ways[w].most;
        printf("%-26s %10" PRId64, ways[w].name, b->n);
        for (int32_t t = 1; t <= most; t *= 2) {
            b->in.threads = t;
            cells_open(&b->in);
            printf(" %9.2f",
                   graph_ms(b, ways[w].method, ways[w].search, ways[w].method == BOSC_CELL_HEURISTIC ? 3 : 0));
            fflush(stdout);
            timing_thread_time = false;
            bosc_ctx_free(b->in.ctx);
            if (ways[w].search == BOSC_CELL_TRIE_DOBROWOLSKI) break;
        }
        printf("\n");
    }
    b->in.ctx = one;
    b->in.rows = rows;
}

int main(int argc, char **argv)
{
    struct bench b = {.in = {.n = 44000, .length = 256, .threads = 1, .repeats = 3, .backend = BOSC_BACKEND_CPU}};
    for (int i = 1; i + 1 < argc; i += 2)
        if (!cells_option(&b.in, argv[i], argv[i + 1])) {
            fprintf(stderr, "usage: bench_cellgraph_figures [-n vectors] [-l letters] [-t threads] [-r repeats] "
                            "[-b cpu|cuda]\n");
            return 2;
        }
    cells_open(&b.in);
    uint64_t *host = scene_vectors(1, b.in.length, b.in.n);
    b.in.rows = cells_copy(&b.in, host, b.in.n * b.in.words);
    printf("%" PRId64 " vectors of %d letters, %d threads\n", b.in.n, (int)b.in.length, (int)b.in.threads);
    stages(&b);
    pivots(&b);
    if (b.in.backend == BOSC_BACKEND_CPU) threads(&b);
    bosc_release(b.in.ctx, b.in.rows, (size_t)(b.in.n * b.in.words) * 8);
    bosc_ctx_free(b.in.ctx);
    free(host);
    return 0;
}
