/* Times tries: bench_trie [-n vectors] [-l letters] [-k layouts] [-t threads] [-r repeats] [-b backend] [-s scene].
 * Layouts are letters: c compact, p published. Vectors are those of a motion planning scene (cells_scene.h), or uniform
 * bits (-s random), in the backend's memory; handles are warm. Queries: the vectors themselves in another order (hits),
 * the same with one letter replaced (mostly misses), and the neighbours of each vector at distance 1: all layouts must
 * find the same. */
#include <inttypes.h>
#include <string.h>

#include <boscage/boscage.h>

#include "cells_scene.h"
#include "timing.h"

struct bench {
    bosc_ctx *ctx;
    bosc_trie *trie;
    const bosc_trie_opts *opts;
    uint64_t *rows, *hits, *misses; /* the backend's */
    int64_t n, *ranks, *offsets, *near, pairs, all;
    uint32_t *positions;
};

static void fail(bosc_ctx *ctx, const char *what)
{
    fprintf(stderr, "bench_trie: %s: %s\n", what, ctx ? bosc_message(ctx) : "no context");
    exit(1);
}

#define DO(b, call)                                   \
    do {                                              \
        if ((call) != BOSC_OK) fail((b)->ctx, #call); \
    } while (0)

static void build(void *user)
{
    struct bench *b = user;
    DO(b, bosc_trie_build(b->ctx, b->trie, b->rows, NULL, b->n, 0));
}

static void find_hits(void *user)
{
    struct bench *b = user;
    DO(b, bosc_trie_find(b->ctx, b->trie, b->hits, b->n, 0, b->ranks, NULL, NULL));
    DO(b, bosc_sync(b->ctx));
}

static void find_misses(void *user)
{
    struct bench *b = user;
    DO(b, bosc_trie_find(b->ctx, b->trie, b->misses, b->n, 0, b->ranks, NULL, NULL));
    DO(b, bosc_sync(b->ctx));
}

static void prefixes(void *user)
{
    struct bench *b = user;
    DO(b, bosc_trie_longest(b->ctx, b->trie, b->misses, b->n, 0, NULL, b->ranks, NULL));
    DO(b, bosc_sync(b->ctx));
}

static void count_near(void *user)
{
    struct bench *b = user;
    DO(b, bosc_trie_neighbours(b->ctx, b->trie, b->hits, b->n, 0, b->offsets, NULL, NULL, 0));
}

static void list_near(void *user)
{
    struct bench *b = user;
    DO(b, bosc_trie_neighbours(b->ctx, b->trie, b->hits, b->n, 0, b->offsets, b->near, b->positions, b->pairs));
}

static void count_pairs(void *user)
{
    struct bench *b = user;
    DO(b, bosc_trie_pairs(b->ctx, b->trie, NULL, NULL, 0, &b->all));
}

static void list_pairs(void *user)
{
    struct bench *b = user;
    DO(b, bosc_trie_pairs(b->ctx, b->trie, b->near, b->positions, b->all, &b->all));
}

static void insert_and_erase(void *user)
{
    struct bench *b = user;
    DO(b, bosc_trie_insert(b->ctx, b->trie, b->misses, NULL, b->n / 16, 0));
    DO(b, bosc_trie_erase(b->ctx, b->trie, b->misses, b->n / 16, 0, NULL));
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
    DO(b, bosc_reduce(b->ctx, BOSC_SUM, BOSC_I64, from, count, &sum));
    return sum;
}

static int64_t run(struct bench *b, int repeats)
{
    bosc_trie_info info = {.size = sizeof info};
    DO(b, bosc_trie_create(b->ctx, b->opts, &b->trie));
    print("build", timing_of(NULL, build, b, repeats), b->n);
    DO(b, bosc_trie_get_info(b->ctx, b->trie, &info));
    printf("  %" PRId64 " keys, %" PRId64 " nodes, %.1f MB of which nodes %.1f MB, depth %.2f, at most %" PRId64 "\n",
           info.keys, info.nodes, 1e-6 * (double)info.bytes, 1e-6 * (double)info.node_bytes, info.depth,
           info.depth_most);
    print("find, hits", timing_of(NULL, find_hits, b, repeats), b->n);
    int64_t check = sum_of(b, b->ranks, b->n);
    print("find, one letter replaced", timing_of(NULL, find_misses, b, repeats), b->n);
    check = 31 * check + sum_of(b, b->ranks, b->n);
    print("longest match", timing_of(NULL, prefixes, b, repeats), b->n);
    check = 31 * check + sum_of(b, b->ranks, b->n);
    print("neighbours, counted", timing_of(NULL, count_near, b, repeats), b->n);
    DO(b, bosc_copy(b->ctx, &b->pairs, b->offsets + b->n, 8));
    DO(b, bosc_alloc(b->ctx, (size_t)b->pairs * 8, (void **)&b->near));
    DO(b, bosc_alloc(b->ctx, (size_t)b->pairs * 4, (void **)&b->positions));
    print("neighbours, listed", timing_of(NULL, list_near, b, repeats), b->n);
    check = 31 * (31 * check + b->pairs) + sum_of(b, b->near, b->pairs);
    bosc_release(b->ctx, b->near, (size_t)b->pairs * 8);
    bosc_release(b->ctx, b->positions, (size_t)b->pairs * 4);
    print("all pairs, counted", timing_of(NULL, count_pairs, b, repeats), b->n);
    DO(b, bosc_alloc(b->ctx, (size_t)b->all * 16, (void **)&b->near));
    DO(b, bosc_alloc(b->ctx, (size_t)b->all * 4, (void **)&b->positions));
    print("all pairs, listed", timing_of(NULL, list_pairs, b, repeats), b->n);
    check = 31 * (31 * check + b->all) + sum_of(b, b->near, 2 * b->all);
    bosc_release(b->ctx, b->near, (size_t)b->all * 16);
    bosc_release(b->ctx, b->positions, (size_t)b->all * 4);
    print("insert and erase n / 16", timing_of(NULL, insert_and_erase, b, repeats), b->n / 8);
    bosc_trie_free(b->trie);
    return check;
}

/* The vectors in another order, and with one letter replaced. */
static void make_queries(struct bench *b, const uint64_t *rows, int64_t words)
{
    struct scene_random r = {7};
    size_t bytes = (size_t)(b->n * words) * 8;
    uint64_t *queries = malloc(bytes);
    if (!queries) fail(NULL, "out of memory");
    for (int64_t i = 0; i < b->n; i++) {
        int64_t from = (int64_t)(scene_next(&r) % (uint64_t)b->n);
        memcpy(queries + i * words, rows + from * words, (size_t)words * 8);
    }
    DO(b, bosc_alloc(b->ctx, bytes, (void **)&b->hits));
    DO(b, bosc_copy(b->ctx, b->hits, queries, bytes));
    for (int64_t i = 0; i < b->n; i++) {
        int k = (int)(scene_next(&r) % (uint64_t)b->opts->length);
        queries[i * words + k / 64] ^= 1ull << k % 64;
    }
    DO(b, bosc_alloc(b->ctx, bytes, (void **)&b->misses));
    DO(b, bosc_copy(b->ctx, b->misses, queries, bytes));
    free(queries);
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
    bosc_trie_opts opts = {.size = sizeof opts, .length = 256, .value_bits = 32};
    struct bench b = {.n = 1000000, .opts = &opts};
    bosc_ctx_opts o = {.size = sizeof o, .backend = BOSC_BACKEND_CPU, .threads = 1};
    const char *layouts = "c", *scene = "screws";
    int repeats = 5;
    for (int i = 1; i + 1 < argc; i += 2) {
        switch (argv[i][0] == '-' ? argv[i][1] : 0) {
        case 'n': b.n = (int64_t)atof(argv[i + 1]); break;
        case 'l': opts.length = atoi(argv[i + 1]); break;
        case 'k': layouts = argv[i + 1]; break;
        case 't': o.threads = atoi(argv[i + 1]); break;
        case 'r': repeats = atoi(argv[i + 1]); break;
        case 's': scene = argv[i + 1]; break;
        case 'b': o.backend = strcmp(argv[i + 1], "cuda") == 0 ? BOSC_BACKEND_CUDA : BOSC_BACKEND_CPU; break;
        default:
            fprintf(stderr, "usage: bench_trie [-n vectors] [-l letters] [-k cp] [-t threads] [-r repeats] "
                            "[-b cpu|cuda] [-s screws|random]\n");
            return 2;
        }
    }
    int64_t words = bosc_trie_words(opts.length, 1), check = 0;
    if (words == 0 || b.n < 1 || repeats < 1) fail(NULL, "bad sizes");
    if (bosc_ctx_create(&o, &b.ctx) != BOSC_OK) fail(NULL, bosc_backend_reason(o.backend));
    size_t bytes = (size_t)(b.n * words) * 8;
    uint64_t *rows = strcmp(scene, "random") == 0 ? random_vectors(words, b.n) : scene_vectors(1, opts.length, b.n);
    if (!rows) fail(NULL, "out of memory");
    DO(&b, bosc_alloc(b.ctx, bytes, (void **)&b.rows));
    DO(&b, bosc_copy(b.ctx, b.rows, rows, bytes));
    make_queries(&b, rows, words);
    DO(&b, bosc_alloc(b.ctx, (size_t)b.n * 8, (void **)&b.ranks));
    DO(&b, bosc_alloc(b.ctx, (size_t)(b.n + 1) * 8, (void **)&b.offsets));
    for (const char *k = layouts; *k; k++) {
        opts.layout = *k == 'p' ? BOSC_TRIE_PUBLISHED : BOSC_TRIE_COMPACT;
        printf("%s, %" PRId64 " vectors of %d letters (%s), %d threads\n%-34s %12s %12s %10s\n",
               *k == 'p' ? "published" : "compact", b.n, (int)opts.length, scene, (int)o.threads, "", "least ms",
               "median ms", "M/s");
        int64_t found = run(&b, repeats);
        if (k > layouts && found != check) fail(NULL, "the layouts do not agree");
        check = found;
    }
    bosc_release(b.ctx, b.rows, bytes);
    bosc_release(b.ctx, b.hits, bytes);
    bosc_release(b.ctx, b.misses, bytes);
    bosc_release(b.ctx, b.ranks, (size_t)b.n * 8);
    bosc_release(b.ctx, b.offsets, (size_t)(b.n + 1) * 8);
    bosc_ctx_free(b.ctx);
    free(rows);
    return 0;
}
