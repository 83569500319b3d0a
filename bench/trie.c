/* Times tries: bench_trie [-n vectors] [-l letters] [-k layouts] [-s scene].
 * Layouts are letters: c compact, p published, and s, the standard library's dictionaries. Vectors are those of a
 * motion planning scene, uniform ones (-s random), pairs of them (-s pairs; harness/scene.h), or words
 * (harness/shapes.h), in the backend's memory; handles are warm.
 * Queries: the vectors themselves in another order (hits), the same with one letter replaced (mostly misses), and the
 * neighbours of each vector at distance 1: all layouts must find the same. */
#include <stdlib.h>
#include <string.h>

#include "harness/bench.h"
#include "harness/random.h"
#include "harness/scene.h"
#include "harness/shapes.h"
#include "peers/trie.h"

struct subject {
    int64_t n, words;
    uint64_t *rows; /* the backend's */
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

static void build_trie(void *user)
{
    struct subject *b = user;
    BENCH(bosc_trie_build(bench.ctx, b->trie, b->rows, NULL, b->n, 0));
}

static void find_hits(void *user)
{
    struct subject *b = user;
    BENCH(bosc_trie_find(bench.ctx, b->trie, b->hits, b->n, 0, b->ranks, NULL, NULL));
    BENCH(bosc_ctx_sync(bench.ctx));
}

static void find_misses(void *user)
{
    struct subject *b = user;
    BENCH(bosc_trie_find(bench.ctx, b->trie, b->misses, b->n, 0, b->ranks, NULL, NULL));
    BENCH(bosc_ctx_sync(bench.ctx));
}

static void find_longest(void *user)
{
    struct subject *b = user;
    BENCH(bosc_trie_longest(bench.ctx, b->trie, b->misses, b->n, 0, NULL, b->ranks, NULL));
    BENCH(bosc_ctx_sync(bench.ctx));
}

static void count_near(void *user)
{
    struct subject *b = user;
    BENCH(bosc_trie_neighbours(bench.ctx, b->trie, b->hits, b->n, 0, b->offsets, NULL, NULL, 0));
}

static void list_near(void *user)
{
    struct subject *b = user;
    BENCH(bosc_trie_neighbours(bench.ctx, b->trie, b->hits, b->n, 0, b->offsets, b->near, b->positions, b->pairs));
}

static void count_pairs(void *user)
{
    struct subject *b = user;
    BENCH(bosc_trie_pairs(bench.ctx, b->trie, NULL, NULL, 0, &b->all));
}

static void list_pairs(void *user)
{
    struct subject *b = user;
    BENCH(bosc_trie_pairs(bench.ctx, b->trie, b->near, b->positions, b->all, &b->all));
}

static void insert_and_erase(void *user)
{
    struct subject *b = user;
    BENCH(bosc_trie_insert(bench.ctx, b->trie, b->misses, NULL, b->n / 16, 0));
    BENCH(bosc_trie_erase(bench.ctx, b->trie, b->misses, b->n / 16, 0, NULL));
}

static void build_peer(void *user)
{
    struct subject *b = user;
    if (b->peer) peer_dictionary_free(b->peer);
    b->peer = peer_dictionary_make(b->kind, b->host_rows, b->n, (int32_t)b->words);
}

static void find_hits_of_peer(void *user)
{
    struct subject *b = user;
    b->found = peer_dictionary_find(b->peer, b->host_hits, b->n, b->values);
}

static void find_misses_of_peer(void *user)
{
    struct subject *b = user;
    b->found = peer_dictionary_find(b->peer, b->host_misses, b->n, b->values);
}

static void time_case(struct subject *b, const char *name, void (*time_layout)(void *), int64_t items)
{
    const double rows = 8.0 * (double)(items * b->words); /* bytes read */
    const struct bench_row row = {.name = name,
                                  .library = b->peer ? peer_dictionary_names[b->kind] : NULL,
                                  .n = items,
                                  .bytes = b->peer ? 0 : rows,
                                  .ours = bench_time(NULL, time_layout, b, bench.repeats)};
    bench_print(&row);
}

/* The sum of `count` integers of the backend's memory. */
static int64_t sum_of(const int64_t *from, int64_t count)
{
    int64_t sum = 0;
    BENCH(bosc_reduce(bench.ctx, BOSC_SUM, BOSC_I64, from, count, &sum));
    return sum;
}

/* Times all calls of one layout. Returns a checksum of the answers, which all layouts must share. */
static int64_t time_layout(struct subject *b)
{
    bosc_trie_info info = {.size = sizeof info};
    /* 1. Build. */
    BENCH(bosc_trie_create(bench.ctx, b->opts, &b->trie));
    time_case(b, "build", build_trie, b->n);
    BENCH(bosc_trie_get_info(bench.ctx, b->trie, &info));
    bench_say("%" PRId64 " keys, %" PRId64 " nodes, %.1f MB of which nodes %.1f MB, depth %.2f, at most %" PRId64 "",
              info.keys, info.nodes, 1e-6 * (double)info.bytes, 1e-6 * (double)info.node_bytes, info.depth,
              info.depth_most);
    /* 2. Find. */
    time_case(b, "find, hits", find_hits, b->n);
    int64_t check = sum_of(b->ranks, b->n);
    time_case(b, "find, one letter replaced", find_misses, b->n);
    check = 31 * check + sum_of(b->ranks, b->n);
    time_case(b, "longest match", find_longest, b->n);
    check = 31 * check + sum_of(b->ranks, b->n);
    /* 3. Neighbours at distance 1, and all pairs: counted, then listed in arrays of that size. */
    time_case(b, "neighbours, counted", count_near, b->n);
    BENCH(bosc_ctx_copy(bench.ctx, &b->pairs, b->offsets + b->n, 8));
    b->near = bench_array(NULL, (size_t)b->pairs * 8);
    b->positions = bench_array(NULL, (size_t)b->pairs * 4);
    time_case(b, "neighbours, listed", list_near, b->n);
    check = 31 * (31 * check + b->pairs) + sum_of(b->near, b->pairs);
    bench_release(b->near);
    bench_release(b->positions);
    time_case(b, "all pairs, counted", count_pairs, b->n);
    b->near = bench_array(NULL, (size_t)b->all * 16);
    b->positions = bench_array(NULL, (size_t)b->all * 4);
    time_case(b, "all pairs, listed", list_pairs, b->n);
    check = 31 * (31 * check + b->all) + sum_of(b->near, 2 * b->all);
    bench_release(b->near);
    bench_release(b->positions);
    time_case(b, "insert and erase n / 16", insert_and_erase, b->n / 8);
    bosc_trie_free(b->trie);
    return check;
}

/* Times the standard library's dictionaries; all must find the same number of queries. */
static void time_peers(struct subject *b)
{
    int64_t misses = -1;
    b->values = bench_host((size_t)b->n * sizeof *b->values);
    for (int k = 0; k < PEER_DICTIONARIES; k++) {
        b->kind = (enum peer_dictionary_kind)k;
        build_peer(b);
        if (!b->peer) break; /* not in this build */
        time_case(b, "build", build_peer, b->n);
        time_case(b, "find, hits", find_hits_of_peer, b->n);
        bench_check(b->found == b->n, "%s does not find a row", peer_dictionary_names[k]);
        time_case(b, "find, one letter replaced", find_misses_of_peer, b->n);
        bench_check(k == 0 || misses == b->found, "the dictionaries do not agree");
        misses = b->found;
        peer_dictionary_free(b->peer);
        b->peer = NULL;
    }
    free(b->values);
}

/* The vectors in another order, and with one letter replaced. */
static void make_queries(struct subject *b)
{
    const int per_word = 64 / b->opts->letter_bits;
    uint64_t r = 7;
    size_t bytes = (size_t)(b->n * b->words) * 8;
    b->host_hits = bench_host(bytes);
    b->host_misses = bench_host(bytes);
    for (int64_t i = 0; i < b->n; i++) {
        int64_t from = (int64_t)(bench_next(&r) % (uint64_t)b->n);
        memcpy(b->host_hits + i * b->words, b->host_rows + from * b->words, (size_t)b->words * 8);
    }
    memcpy(b->host_misses, b->host_hits, bytes);
    for (int64_t i = 0; i < b->n; i++) {
        int k = (int)(bench_next(&r) % (uint64_t)b->opts->length);
        b->host_misses[i * b->words + k / per_word] ^= 1ull << k % per_word * b->opts->letter_bits;
    }
    b->hits = bench_array(b->host_hits, bytes);
    b->misses = bench_array(b->host_misses, bytes);
}

int main(int argc, char **argv)
{
    bosc_trie_opts opts = {.size = sizeof opts, .value_bits = 32};
    struct subject b = {.opts = &opts};
    const char *layouts = "c", *scene = "screws";
    int64_t length = 256, check = 0;
    int runs = 0;
    const struct bench_option own[] = {
        {'l', BENCH_INTEGER, &length, "letters of a vector"},
        {'k', BENCH_TEXT, &layouts, "layouts: letters of cps"},
        {'s', BENCH_TEXT, &scene, "vectors: " SHAPE_TEXT(SCENE_SHAPES) "; " SHAPE_TEXT(WORD_SHAPES)}};
    bench.n = 1000000;
    bench.repeats = 5;
    bench.opts.threads = 1;
    bench_options(argc, argv, "vectors", own, 3);
    /* 1. Vectors and queries. */
    bench_open();
    bench_time_one_thread();
    opts.length = (int32_t)length;
    opts.letter_bits = 1;
    bench_word_shape(scene, &opts.length, &opts.letter_bits);
    b.n = bench.n;
    b.words = bosc_cellgraph_words(opts.length, opts.letter_bits);
    b.host_rows = bench_vectors(scene, opts.length, b.n);
    b.rows = bench_array(b.host_rows, (size_t)(b.n * b.words) * 8);
    make_queries(&b);
    b.ranks = bench_array(NULL, (size_t)b.n * 8);
    b.offsets = bench_array(NULL, (size_t)(b.n + 1) * 8);
    /* 2. Time each layout. */
    for (const char *k = layouts; *k; k++) {
        if (*k == 's') {
            time_peers(&b);
            continue;
        }
        opts.layout = *k == 'p' ? BOSC_TRIE_PUBLISHED : BOSC_TRIE_COMPACT;
        bench_say("%s, %s: %" PRId64 " vectors of %d letters (%s)", *k == 'p' ? "published" : "compact", bench_device(),
                  b.n, (int)opts.length, scene);
        int64_t found = time_layout(&b);
        bench_check(runs++ == 0 || found == check, "the layouts do not agree");
        check = found;
    }
    free(b.host_rows);
    free(b.host_hits);
    free(b.host_misses);
    return bench_close();
}
