/* Times cell graphs: bench_cellgraph [-n vectors] [-l letters] [-m methods] [-t threads] [-r repeats] [-b backend].
 * Methods are letters: j join (and searches in its graph), z zobrist, h heuristic with 3 pivots, 0 the naive one, t
 * trie, p trie as published, d Dobrowolski's search, u std::unordered_map; on the CPU jzu unless told otherwise, on
 * CUDA jz. Vectors are those of a motion planning scene (harness/scene.h), in the backend's memory; handles are warm; all
 * methods must find as many edges. A build is from the rows to the sorted edges. Source of the comparison: Kaczmarski,
 * Rzazewski, Wolant, Massively Parallel Construction of the Cell Graph (2015). */
#include "harness/cells.h"
#include "peers/cellgraph.h"

struct bench {
    struct cells_bench in;
    bosc_cellgraph *graph;
    uint64_t *host;
    int64_t found;
    int64_t from, to, reached, depth, steps;
    void *offsets, *neighbours; /* the backend's */
};

#define DO(b, call) CELLS_DO((b)->in.ctx, call)

static void print(const char *name, struct timing t)
{
    printf("%-34s %12.3f %12.3f\n", name, 1e3 * t.least, 1e3 * t.median);
    fflush(stdout);
}

static void build(void *user)
{
    struct bench *b = user;
    DO(b, bosc_cellgraph_build(b->in.ctx, b->graph, b->in.rows, b->in.n, 0));
}

static void rows_out(void *user)
{
    struct bench *b = user;
    DO(b, bosc_cellgraph_get_rows(b->in.ctx, b->graph, b->offsets, b->neighbours, NULL));
}

static void time_rows(struct bench *b, const bosc_cellgraph_info *info, int repeats)
{
    const size_t of_offsets = (size_t)(info->vertices + 1) * 8,
                 of_neighbours = (size_t)(info->edges * info->id_bits / 4 + 1);
    DO(b, bosc_alloc(b->in.ctx, of_offsets, &b->offsets));
    DO(b, bosc_alloc(b->in.ctx, of_neighbours, &b->neighbours));
    print("  rows (CSR) of the finished graph", timing_of(NULL, rows_out, b, repeats));
    bosc_release(b->in.ctx, b->offsets, of_offsets);
    bosc_release(b->in.ctx, b->neighbours, of_neighbours);
}

static void levels(void *user)
{
    struct bench *b = user;
    DO(b, bosc_cellgraph_levels(b->in.ctx, b->graph, b->from, NULL, NULL, &b->reached, &b->depth));
}

static void path(void *user)
{
    struct bench *b = user;
    DO(b, bosc_cellgraph_path(b->in.ctx, b->graph, b->from, b->to, NULL, 0, &b->steps));
}

static void flips(void *user)
{
    struct bench *b = user;
    b->found = peer_unordered_map(b->host, b->in.n, b->in.length);
}

static void agree(const struct bench *b, const char *name, int64_t *edges)
{
    if (*edges < 0) *edges = b->found;
    if (*edges == b->found) return;
    fprintf(stderr, "bench_cellgraph: %s: %" PRId64 " edges, not %" PRId64 "\n", name, b->found, *edges);
    exit(1);
}

/* From a vertex of the largest part of the graph to the first one in its last level. */
static void searches(struct bench *b, const bosc_cellgraph_info *info, int repeats)
{
    int64_t *level = malloc((size_t)info->vertices * sizeof *level);
    if (!level) cells_fail(NULL, "out of memory");
    DO(b, bosc_cellgraph_prepare(b->in.ctx, b->graph));
    for (b->from = b->reached = 0; b->from < info->vertices && 2 * b->reached < info->vertices; b->from += 7) levels(b);
    b->from -= 7;
    DO(b, bosc_cellgraph_levels(b->in.ctx, b->graph, b->from, level, NULL, NULL, NULL));
    for (b->to = 0; level[b->to] != b->depth;) b->to++;
    print("  breadth-first search", timing_of(NULL, levels, b, repeats));
    print("  shortest path to the last level", timing_of(NULL, path, b, repeats));
    printf("  %" PRId64 " vertices reached in %" PRId64 " levels; a path of %" PRId64 "\n", b->reached, b->depth,
           b->steps);
    if (b->steps != b->depth + 1) cells_fail(NULL, "the path is not as long as the level says");
    free(level);
}

static void method(struct bench *b, char letter, int repeats, int64_t *edges)
{
    static const struct {
        char letter;
        const char *name;
        bosc_cell_method method;
        int32_t pivots;
        bosc_cell_trie_search search;
    } methods[] = {{'j', "join", BOSC_CELL_JOIN, 0, BOSC_CELL_TRIE_WALK},
                   {'z', "zobrist", BOSC_CELL_ZOBRIST, 0, BOSC_CELL_TRIE_WALK},
                   {'h', "heuristic, 3 pivots", BOSC_CELL_HEURISTIC, 3, BOSC_CELL_TRIE_WALK},
                   {'0', "naive", BOSC_CELL_HEURISTIC, 0, BOSC_CELL_TRIE_WALK},
                   {'t', "trie", BOSC_CELL_TRIE, 0, BOSC_CELL_TRIE_WALK},
                   {'p', "trie, as published", BOSC_CELL_TRIE, 0, BOSC_CELL_TRIE_LOOKUP},
                   {'d', "trie, Dobrowolski", BOSC_CELL_TRIE, 0, BOSC_CELL_TRIE_DOBROWOLSKI}};
    for (size_t m = 0; m < sizeof methods / sizeof methods[0]; m++) {
        if (methods[m].letter != letter) continue;
        bosc_cellgraph_opts o = {.size = sizeof o, .length = b->in.length, .method = methods[m].method};
        bosc_cellgraph_info info = {.size = sizeof info};
        o.pivots = methods[m].pivots;
        o.trie_search = methods[m].search;
        DO(b, bosc_cellgraph_create(b->in.ctx, &o, &b->graph));
        print(methods[m].name, timing_of(NULL, build, b, repeats));
        if (bosc_cellgraph_get_info(b->graph, &info) != BOSC_OK) cells_fail(NULL, "bosc_cellgraph_get_info");
        if (letter == 'j') time_rows(b, &info, repeats);
        if (*edges < 0) printf("  %" PRId64 " vertices, %" PRId64 " edges\n", info.vertices, info.edges);
        if (letter == 'j') searches(b, &info, repeats);
        b->found = info.edges;
        bosc_cellgraph_free(b->graph);
        agree(b, methods[m].name, edges);
        return;
    }
    if (letter != 'u') cells_fail(NULL, "no such method");
    double begin = timing_now(); /* once, since it takes a minute where others take a tenth of a second */
    flips(b);
    double once = timing_now() - begin;
    print("std::unordered_map, flips", (struct timing){once, once});
    agree(b, "std::unordered_map", edges);
}

int main(int argc, char **argv)
{
    struct bench b = {.in = {.n = 1000000, .length = 256, .threads = 1, .repeats = 5, .backend = BOSC_BACKEND_CPU}};
    const char *methods = NULL;
    int64_t edges = -1;
    for (int i = 1; i + 1 < argc; i += 2) {
        if (cells_option(&b.in, argv[i], argv[i + 1])) continue;
        if (strcmp(argv[i], "-m") != 0) {
            fprintf(stderr, "usage: bench_cellgraph [-n vectors] [-l letters] [-m jzh0tpdu] [-t threads] [-r repeats] "
                            "[-b cpu|cuda]\n");
            return 2;
        }
        methods = argv[i + 1];
    }
    if (!methods) methods = b.in.backend == BOSC_BACKEND_CPU ? "jzu" : "jz";
    cells_open(&b.in);
    b.host = scene_vectors(1, b.in.length, b.in.n);
    b.in.rows = cells_copy(&b.in, b.host, b.in.n * b.in.words);
    printf("%" PRId64 " vectors of %d letters, %d threads\n%-34s %12s %12s\n", b.in.n, (int)b.in.length,
           (int)b.in.threads, "", "least ms", "median ms");
    for (const char *m = methods; *m; m++) method(&b, *m, b.in.repeats, &edges);
    bosc_release(b.in.ctx, b.in.rows, (size_t)(b.in.n * b.in.words) * 8);
    bosc_ctx_free(b.in.ctx);
    free(b.host);
    return 0;
}
