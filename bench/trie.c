/* Times tries: bench_trie [-n vectors] [-l letters] [-k layouts] [-t threads] [-r repeats] [-b backend] [-s scene].
 * Layouts are letters: c compact, p published, and s, the standard library's dictionaries. Vectors are those of a
 * motion planning scene (harness/scene.h), or uniform bits (-s random), in the backend's memory; handles are warm.
 * Queries: the vectors themselves in another order (hits), the same with one letter replaced (mostly misses), and the
 * neighbours of each vector at distance 1: all layouts must find the same. */
#include "harness/cells.h"
#include "peers/trie.h"

struct bench {
    struct cells_bench in;
    bosc_trie *trie;
    const bosc_trie_opts *opts;
    uint64_t *hits, *misses; /* the backend's */
    uint64_t *host_rows, *host_hits, *host_misses;
    enum peer_dictionary_kind kind;
    struct peer_dictionary *peer;
    int64_t *values, found;
    int64_t *ranks, *offsets, *near, pairs, all;
    uint32_t *positions;
};

#define DO(b, call) CELLS_DO((b)->in.ctx, call)

static void build(void *user)
{
    struct bench *b = user;
    DO(b, bosc_trie_build(b->in.ctx, b->trie, b->in.rows, NULL, b->in.n, 0));
}

static void find_hits(void *user)
{
    struct bench *b = user;
    DO(b, bosc_trie_find(b->in.ctx, b->trie, b->hits, b->in.n, 0, b->ranks, NULL, NULL));
    DO(b, bosc_sync(b->in.ctx));
}

static void find_misses(void *user)
{
    struct bench *b = user;
    DO(b, bosc_trie_find(b->in.ctx, b->trie, b->misses, b->in.n, 0, b->ranks, NULL, NULL));
    DO(b, bosc_sync(b->in.ctx));
}

static void prefixes(void *user)
{
    struct bench *b = user;
    DO(b, bosc_trie_longest(b->in.ctx, b->trie, b->misses, b->in.n, 0, NULL, b->ranks, NULL));
    DO(b, bosc_sync(b->in.ctx));
}

static void count_near(void *user)
{
    struct bench *b = user;
    DO(b, bosc_trie_neighbours(b->in.ctx, b->trie, b->hits, b->in.n, 0, b->offsets, NULL, NULL, 0));
}

static void list_near(void *user)
{
    struct bench *b = user;
    DO(b, bosc_trie_neighbours(b->in.ctx, b->trie, b->hits, b->in.n, 0, b->offsets, b->near, b->positions, b->pairs));
}

static void count_pairs(void *user)
{
    struct bench *b = user;
    DO(b, bosc_trie_pairs(b->in.ctx, b->trie, NULL, NULL, 0, &b->all));
}

static void list_pairs(void *user)
{
    struct bench *b = user;
    DO(b, bosc_trie_pairs(b->in.ctx, b->trie, b->near, b->positions, b->all, &b->all));
}

static void insert_and_erase(void *user)
{
    struct bench *b = user;
    DO(b, bosc_trie_insert(b->in.ctx, b->trie, b->misses, NULL, b->in.n / 16, 0));
    DO(b, bosc_trie_erase(b->in.ctx, b->trie, b->misses, b->in.n / 16, 0, NULL));
}

static void make_peer(void *user)
{
    struct bench *b = user;
    if (b->peer) peer_dictionary_free(b->peer);
    b->peer = peer_dictionary_make(b->kind, b->host_rows, b->in.n, (int32_t)b->in.words);
}

static void find_hits_of_peer(void *user)
{
    struct bench *b = user;
    b->found = peer_dictionary_find(b->peer, b->host_hits, b->in.n, b->values);
}

static void find_misses_of_peer(void *user)
{
    struct bench *b = user;
    b->found = peer_dictionary_find(b->peer, b->host_misses, b->in.n, b->values);
}

static void print(const char *name, struct timing t, int64_t items)
{
    printf("%-34s %12.3f %12.3f %10.1f\n", name, 1e3 * t.least, 1e3 * t.median, 1e-6 * (double)items / t.median);
    fflush(stdout);
}

/* A sum over what was found: that of the ranks, and their number. */
static int64_t sum_of(struct bench *b, const int64_t *from, int64_t count)
{
    int64_t sum = 0;
    DO(b, bosc_reduce(b->in.ctx, BOSC_SUM, BOSC_I64, from, count, &sum));
    return sum;
}

static int64_t run(struct bench *b, int repeats)
{
    bosc_trie_info info = {.size = sizeof info};
    DO(b, bosc_trie_create(b->in.ctx, b->opts, &b->trie));
    print("build", timing_of(NULL, build, b, repeats), b->in.n);
    DO(b, bosc_trie_get_info(b->in.ctx, b->trie, &info));
    printf("  %" PRId64 " keys, %" PRId64 " nodes, %.1f MB of which nodes %.1f MB, depth %.2f, at most %" PRId64 "\n",
           info.keys, info.nodes, 1e-6 * (double)info.bytes, 1e-6 * (double)info.node_bytes, info.depth,
           info.depth_most);
    print("find, hits", timing_of(NULL, find_hits, b, repeats), b->in.n);
    int64_t check = sum_of(b, b->ranks, b->in.n);
    print("find, one letter replaced", timing_of(NULL, find_misses, b, repeats), b->in.n);
    check = 31 * check + sum_of(b, b->ranks, b->in.n);
    print("longest match", timing_of(NULL, prefixes, b, repeats), b->in.n);
    check = 31 * check + sum_of(b, b->ranks, b->in.n);
    print("neighbours, counted", timing_of(NULL, count_near, b, repeats), b->in.n);
    DO(b, bosc_copy(b->in.ctx, &b->pairs, b->offsets + b->in.n, 8));
    DO(b, bosc_alloc(b->in.ctx, (size_t)b->pairs * 8, (void **)&b->near));
    DO(b, bosc_alloc(b->in.ctx, (size_t)b->pairs * 4, (void **)&b->positions));
    print("neighbours, listed", timing_of(NULL, list_near, b, repeats), b->in.n);
    check = 31 * (31 * check + b->pairs) + sum_of(b, b->near, b->pairs);
    bosc_release(b->in.ctx, b->near, (size_t)b->pairs * 8);
    bosc_release(b->in.ctx, b->positions, (size_t)b->pairs * 4);
    print("all pairs, counted", timing_of(NULL, count_pairs, b, repeats), b->in.n);
    DO(b, bosc_alloc(b->in.ctx, (size_t)b->all * 16, (void **)&b->near));
    DO(b, bosc_alloc(b->in.ctx, (size_t)b->all * 4, (void **)&b->positions));
    print("all pairs, listed", timing_of(NULL, list_pairs, b, repeats), b->in.n);
    check = 31 * (31 * check + b->all) + sum_of(b, b->near, 2 * b->all);
    bosc_release(b->in.ctx, b->near, (size_t)b->all * 16);
    bosc_release(b->in.ctx, b->positions, (size_t)b->all * 4);
    print("insert and erase n / 16", timing_of(NULL, insert_and_erase, b, repeats), b->in.n / 8);
    bosc_trie_free(b->trie);
    return check;
}

/* The standard library's dictionaries must find as many. */
static void run_peers(struct bench *b, int repeats)
{
    int64_t misses = -1;
    b->values = malloc((size_t)b->in.n * sizeof *b->values);
    if (!b->values) cells_fail(NULL, "out of memory");
    for (int k = 0; k < PEER_DICTIONARIES; k++) {
        b->kind = (enum peer_dictionary_kind)k;
        printf("%s\n", peer_dictionary_names[k]);
        print("build", timing_of(NULL, make_peer, b, repeats), b->in.n);
        print("find, hits", timing_of(NULL, find_hits_of_peer, b, repeats), b->in.n);
        if (b->found != b->in.n) cells_fail(NULL, "a row is not found");
        print("find, one letter replaced", timing_of(NULL, find_misses_of_peer, b, repeats), b->in.n);
        if (k > 0 && misses != b->found) cells_fail(NULL, "the dictionaries do not agree");
        misses = b->found;
        peer_dictionary_free(b->peer);
        b->peer = NULL;
    }
    free(b->values);
}

/* The vectors in another order, and with one letter replaced. */
static void make_queries(struct bench *b, const uint64_t *rows, int64_t words)
{
    struct scene_random r = {7};
    size_t bytes = (size_t)(b->in.n * words) * 8;
    uint64_t *queries = malloc(bytes);
    b->host_misses = malloc(bytes);
    if (!queries || !b->host_misses) cells_fail(NULL, "out of memory");
    for (int64_t i = 0; i < b->in.n; i++) {
        int64_t from = (int64_t)(scene_next(&r) % (uint64_t)b->in.n);
        memcpy(queries + i * words, rows + from * words, (size_t)words * 8);
    }
    b->hits = cells_copy(&b->in, queries, b->in.n * words);
    b->host_hits = queries;
    memcpy(b->host_misses, queries, bytes);
    queries = b->host_misses;
    for (int64_t i = 0; i < b->in.n; i++) {
        int k = (int)(scene_next(&r) % (uint64_t)b->opts->length);
        queries[i * words + k / 64] ^= 1ull << k % 64;
    }
    b->misses = cells_copy(&b->in, queries, b->in.n * words);
}

static uint64_t *random_vectors(int64_t words, int64_t n)
{
    struct scene_random r = {3};
    uint64_t *vectors = malloc((size_t)(n * words) * 8);
    for (int64_t i = 0; vectors && i < n * words; i++) vectors[i] = scene_next(&r);
    return vectors;
}

int main(int argc, char **argv)
{
    bosc_trie_opts opts = {.size = sizeof opts, .value_bits = 32};
    struct bench b = {.in = {.n = 1000000, .length = 256, .threads = 1, .repeats = 5, .backend = BOSC_BACKEND_CPU},
                      .opts = &opts};
    const char *layouts = "c", *scene = "screws";
    int runs = 0;
    for (int i = 1; i + 1 < argc; i += 2) {
        if (cells_option(&b.in, argv[i], argv[i + 1])) continue;
        if (strcmp(argv[i], "-k") == 0) {
            layouts = argv[i + 1];
        } else if (strcmp(argv[i], "-s") == 0) {
            scene = argv[i + 1];
        } else {
            fprintf(stderr, "usage: bench_trie [-n vectors] [-l letters] [-k cps] [-t threads] [-r repeats] "
                            "[-b cpu|cuda] [-s screws|random]\n");
            return 2;
        }
    }
    cells_open(&b.in);
    opts.length = b.in.length;
    int64_t words = b.in.words, check = 0;
    size_t bytes = (size_t)(b.in.n * words) * 8;
    uint64_t *rows =
        strcmp(scene, "random") == 0 ? random_vectors(words, b.in.n) : scene_vectors(1, opts.length, b.in.n);
    b.in.rows = cells_copy(&b.in, rows, b.in.n * words);
    make_queries(&b, rows, words);
    DO(&b, bosc_alloc(b.in.ctx, (size_t)b.in.n * 8, (void **)&b.ranks));
    DO(&b, bosc_alloc(b.in.ctx, (size_t)(b.in.n + 1) * 8, (void **)&b.offsets));
    b.host_rows = rows;
    for (const char *k = layouts; *k; k++) {
        if (*k == 's') {
            run_peers(&b, b.in.repeats);
            continue;
        }
        opts.layout = *k == 'p' ? BOSC_TRIE_PUBLISHED : BOSC_TRIE_COMPACT;
        printf("%s, %" PRId64 " vectors of %d letters (%s), %d threads\n%-34s %12s %12s %10s\n",
               *k == 'p' ? "published" : "compact", b.in.n, (int)opts.length, scene, (int)b.in.threads, "", "least ms",
               "median ms", "M/s");
        int64_t found = run(&b, b.in.repeats);
        if (runs++ > 0 && found != check) cells_fail(NULL, "the layouts do not agree");
        check = found;
    }
    bosc_release(b.in.ctx, b.in.rows, bytes);
    bosc_release(b.in.ctx, b.hits, bytes);
    bosc_release(b.in.ctx, b.misses, bytes);
    bosc_release(b.in.ctx, b.ranks, (size_t)b.in.n * 8);
    bosc_release(b.in.ctx, b.offsets, (size_t)(b.in.n + 1) * 8);
    bosc_ctx_free(b.in.ctx);
    free(rows);
    free(b.host_hits);
    free(b.host_misses);
    return 0;
}
