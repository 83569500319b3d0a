/* Compares the method AUTO with each fixed method: bench_cellgraph_auto [-n most vectors] [-l most letters]. Vectors
 * have many shapes. A row has AUTO's time beside the best method's, the method that AUTO chose, the ratio of that
 * method's time to the best (pick), and the least times of all in us. Methods estimated to take many times longer than
 * the join are left out (-). All must find the same number of edges. */
#include <stdlib.h>
#include <string.h>

#include "harness/bench.h"
#include "harness/random.h"

struct shape {
    const char *name;
    int64_t n;
    int32_t length, letter_bits;
};

struct subject {
    uint64_t *rows; /* the backend's */
    bosc_cellgraph *graph;
    int64_t n;
};

static int32_t per_word(const struct shape *s) { return 64 / s->letter_bits; }

static void set_letter(const struct shape *s, uint64_t *row, int32_t k, uint64_t letter)
{
    int32_t at = k % per_word(s) * s->letter_bits;
    uint64_t *word = &row[k / per_word(s)];
    *word = (*word & ~(((1ull << s->letter_bits) - 1) << at)) | (letter & ((1ull << s->letter_bits) - 1)) << at;
}

static void replace_letter(const struct shape *s, uint64_t *r, uint64_t *row)
{
    set_letter(s, row, (int32_t)(bench_next(r) % (uint64_t)s->length), bench_next(r));
}

/* Draws the free letters of a cube. Their number is chosen so that a quarter to a half of their values occur. spread:
 * they are spread over the vector, else they are adjacent. */
static void fill_cube(const struct shape *s, uint64_t *r, uint64_t *row, bool spread)
{
    int32_t free_letters = 1;
    while (free_letters * s->letter_bits < 40 && 1ll << free_letters * s->letter_bits < 2 * s->n) free_letters++;
    if (free_letters > s->length) free_letters = s->length;
    for (int32_t k = 0; k < free_letters; k++)
        set_letter(s, row, spread ? (int32_t)((int64_t)k * s->length / free_letters) : k, bench_next(r));
}

static uint64_t *make_vectors(const struct shape *s)
{
    int64_t words = bosc_cellgraph_words(s->length, s->letter_bits), centres = 1;
    uint64_t r = (uint64_t)s->n + (uint64_t)s->length;
    uint64_t *rows = calloc((size_t)(s->n * words), 8);
    while (centres * centres < s->n) centres++;
    for (int64_t i = 0; rows && i < s->n; i++) {
        uint64_t *row = rows + i * words;
        /* 1. Choose the earlier row that this one is a copy of: any, a cluster's centre, or a distinct one. */
        int64_t from = i ? (int64_t)(bench_next(&r) % (uint64_t)i) : 0, distinct = s->n / 16 + 1;
        switch (s->name[0]) {
        case 'c': from %= centres; break;
        case 'd': from = i < distinct ? from : i % distinct; break;
        default: break;
        }
        /* 2. New vectors: of a cube (block, hypercube), or random. */
        if (s->name[0] == 'b' || s->name[0] == 'h') {
            fill_cube(s, &r, row, s->name[0] == 'h');
            continue;
        }
        if (i == 0 || s->name[0] == 'r' || (s->name[0] == 'c' && i < centres)) {
            for (int64_t w = 0; w < words; w++) row[w] = bench_next(&r);
            continue;
        }
        /* 3. Copy, and replace 1 to 3 letters in clusters, none in duplicates, else one. */
        memcpy(row, rows + from * words, (size_t)words * 8);
        if (s->name[0] == 'd' && i >= distinct) continue;
        for (uint64_t k = s->name[0] == 'c' ? 1 + bench_next(&r) % 3 : 1; k > 0; k--) replace_letter(s, &r, row);
    }
    return rows;
}

static void build_graph(void *user)
{
    struct subject *b = user;
    BENCH(bosc_cellgraph_build(bench.ctx, b->graph, b->rows, b->n, 0));
}

/* Times a method and returns the graph's info; slow builds run once. */
static struct bench_times time_method(struct subject *b, const struct shape *s, bosc_cellgraph_method method,
                                      bosc_cellgraph_info *info)
{
    bosc_cellgraph_opts o = {.size = sizeof o, .length = s->length, .letter_bits = s->letter_bits, .method = method};
    BENCH(bosc_cellgraph_create(bench.ctx, &o, &b->graph));
    struct bench_times t = bench_once(build_graph, b);
    if (t.least < 0.5) t = bench_time(NULL, build_graph, b, t.least < 0.02 ? bench.repeats : 1);
    *info = (bosc_cellgraph_info){.size = sizeof *info};
    BENCH(bosc_cellgraph_get_info(bench.ctx, b->graph, info));
    bosc_cellgraph_free(b->graph);
    return t;
}

/* True if the method needs far more steps than the join, or is not for such words. */
static bool is_too_slow(const struct shape *s, bosc_cellgraph_method method, int64_t vertices)
{
    double u = (double)vertices, letters = (double)s->length * (double)((1 << s->letter_bits) - 1);
    double join = u * (double)bosc_cellgraph_words(s->length, s->letter_bits) + 100000;
    if (method == BOSC_CELLGRAPH_HEURISTIC) return u * u / 8 > 20 * join;
    if (method == BOSC_CELLGRAPH_TABLE)
        return s->length * s->letter_bits > BOSC_CELLGRAPH_TABLE_BITS; /* not for longer words */
    return method == BOSC_CELLGRAPH_ZOBRIST && u * letters > 400 * join;
}

/* Times AUTO and each method on one shape. Returns the ratio of AUTO's time to the best. */
static double compare_methods(struct subject *b, const struct shape *s)
{
    static const char *const names[] = {"auto", "heuristic", "trie", "zobrist", "join", "table"};
    static const bosc_cellgraph_method order[] = {BOSC_CELLGRAPH_JOIN, BOSC_CELLGRAPH_ZOBRIST, BOSC_CELLGRAPH_HEURISTIC,
                                                  BOSC_CELLGRAPH_TRIE, BOSC_CELLGRAPH_TABLE};
    struct bench_times times[6] = {{0, 0}}, best = {1e30, 1e30};
    const char *all = "", *best_name = NULL;
    bosc_cellgraph_info info, other;
    uint64_t *rows = make_vectors(s);
    if (!rows) bench_fail("out of memory");
    b->n = s->n;
    b->rows = bench_array(rows, (size_t)(s->n * bosc_cellgraph_words(s->length, s->letter_bits)) * 8);
    /* 1. Time AUTO, then each method; all find the same edges. */
    times[0] = time_method(b, s, BOSC_CELLGRAPH_AUTO, &info);
    for (int m = 0; m < 5; m++) {
        if (is_too_slow(s, order[m], info.vertices)) {
            all = bench_text("%s, %s -", all, names[order[m]]);
            continue;
        }
        struct bench_times t = times[order[m]] = time_method(b, s, order[m], &other);
        if (t.least < best.least) best = t, best_name = names[order[m]];
        all = bench_text("%s, %s %.1f", all, names[order[m]], 1e6 * t.least);
        bench_check(other.edges == info.edges, "%s finds %" PRId64 " edges, not %" PRId64, names[order[m]], other.edges,
                    info.edges);
    }
    /* 2. Print AUTO beside the best method. */
    struct bench_row row = {.name = bench_text("%s, %d of %d bits", s->name, (int)s->length, (int)s->letter_bits),
                            .data = names[info.method],
                            .n = s->n,
                            .ours = times[0],
                            .peer = best_name,
                            .theirs = best};
    row.note = bench_text("%" PRId64 " vertices, %" PRId64 " edges, auto %.2f, pick %.2f%s", info.vertices, info.edges,
                          times[0].least / best.least, times[info.method].least / best.least, all);
    bench_print(&row);
    bench_release(b->rows);
    free(rows);
    return times[0].least / best.least;
}

int main(int argc, char **argv)
{
    static const char *const names[] = {"random", "walk", "clustered", "hypercube", "block", "duplicates"};
    static const int64_t counts[] = {100, 1000, 10000, 100000, 1000000, 4000000};
    static const int32_t lengths[][2] = {{8, 1},   {20, 1},   {26, 1}, {32, 1}, {64, 1}, {128, 1}, {256, 1},
                                         {512, 1}, {1024, 1}, {8, 2},  {12, 2}, {32, 2}, {5, 5},   {64, 8}};
    struct subject b = {0};
    int64_t longest = 1024;
    double worst = 0;
    int shapes = 0, missed = 0;
    const struct bench_option own[] = {{'l', BENCH_INTEGER, &longest, "most letters"}};
    bench.n = 4000000;
    bench.repeats = 5;
    bench.opts.threads = 1;
    bench_options(argc, argv, "most vectors", own, 1);
    bench_open();
    bench_time_one_thread();
    /* All shapes up to the limits, and up to 2^30 bits of vectors. */
    for (int c = 0; c < 6; c++)
        for (int l = 0; l < 14; l++)
            for (int k = 0; k < 6; k++) {
                struct shape s = {names[k], counts[c], lengths[l][0], lengths[l][1]};
                if (s.n > bench.n || s.length > longest || s.n * s.length * s.letter_bits > 1ll << 30) continue;
                double ratio = compare_methods(&b, &s);
                shapes++;
                missed += ratio > 1.3;
                if (ratio > worst) worst = ratio;
            }
    bench_say("%d shapes; AUTO takes more than 1.3 times the best for %d, at most %.2f times", shapes, missed, worst);
    return bench_close();
}
