/* How well the method AUTO fits: bench_cellgraph_auto [-n most vectors] [-l most letters]. Over vectors of many shapes,
 * AUTO and each method are timed; a row has AUTO's time beside the best of the methods', and tells which one AUTO
 * chose, how much longer that method takes than the best (pick), and the least times of all in us. Methods that would
 * take many times the best of those before are left out (-). All must find as many edges. */
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

static void change(const struct shape *s, uint64_t *r, uint64_t *row)
{
    set_letter(s, row, (int32_t)(bench_next(r) % (uint64_t)s->length), bench_next(r));
}

/* The free letters of a cube: so many that a quarter to a half of their values occur; all over the vector, or beside
 * each other. */
static void cube(const struct shape *s, uint64_t *r, uint64_t *row, bool wide)
{
    int32_t free_letters = 1;
    while (free_letters * s->letter_bits < 40 && 1ll << free_letters * s->letter_bits < 2 * s->n) free_letters++;
    if (free_letters > s->length) free_letters = s->length;
    for (int32_t k = 0; k < free_letters; k++)
        set_letter(s, row, wide ? (int32_t)((int64_t)k * s->length / free_letters) : k, bench_next(r));
}

static uint64_t *make(const struct shape *s)
{
    int64_t words = bosc_cellgraph_words(s->length, s->letter_bits), centres = 1;
    uint64_t r = (uint64_t)s->n + (uint64_t)s->length;
    uint64_t *rows = calloc((size_t)(s->n * words), 8);
    while (centres * centres < s->n) centres++;
    for (int64_t i = 0; rows && i < s->n; i++) {
        uint64_t *row = rows + i * words;
        int64_t from = i ? (int64_t)(bench_next(&r) % (uint64_t)i) : 0, distinct = s->n / 16 + 1;
        switch (s->name[0]) {
        case 'c': from %= centres; break;
        case 'd': from = i < distinct ? from : i % distinct; break;
        default: break;
        }
        if (s->name[0] == 'b' || s->name[0] == 'h') {
            cube(s, &r, row, s->name[0] == 'h');
            continue;
        }
        if (i == 0 || s->name[0] == 'r' || (s->name[0] == 'c' && i < centres)) {
            for (int64_t w = 0; w < words; w++) row[w] = bench_next(&r);
            continue;
        }
        memcpy(row, rows + from * words, (size_t)words * 8);
        if (s->name[0] == 'd' && i >= distinct) continue;
        for (uint64_t k = s->name[0] == 'c' ? 1 + bench_next(&r) % 3 : 1; k > 0; k--) change(s, &r, row);
    }
    return rows;
}

static void build(void *user)
{
    struct subject *b = user;
    BENCH(bosc_cellgraph_build(bench.ctx, b->graph, b->rows, b->n, 0));
}

/* The times of a method; `info` gets what it found. */
static struct bench_times time_of(struct subject *b, const struct shape *s, bosc_cellgraph_method method,
                                  bosc_cellgraph_info *info)
{
    bosc_cellgraph_opts o = {.size = sizeof o, .length = s->length, .letter_bits = s->letter_bits, .method = method};
    BENCH(bosc_cellgraph_create(bench.ctx, &o, &b->graph));
    struct bench_times t = bench_once(build, b);
    if (t.least < 0.5) t = bench_time(NULL, build, b, t.least < 0.02 ? bench.repeats : 1);
    *info = (bosc_cellgraph_info){.size = sizeof *info};
    BENCH(bosc_cellgraph_get_info(bench.ctx, b->graph, info));
    bosc_cellgraph_free(b->graph);
    return t;
}

/* Far more steps than another method would take? */
static bool hopeless(const struct shape *s, bosc_cellgraph_method method, int64_t vertices)
{
    double u = (double)vertices, letters = (double)s->length * (double)((1 << s->letter_bits) - 1);
    double join = u * (double)bosc_cellgraph_words(s->length, s->letter_bits) + 100000;
    if (method == BOSC_CELLGRAPH_HEURISTIC) return u * u / 8 > 20 * join;
    return method == BOSC_CELLGRAPH_ZOBRIST && u * letters > 400 * join;
}

/* How many times the best method's time AUTO takes. */
static double measure(struct subject *b, const struct shape *s)
{
    static const char *const names[] = {"auto", "heuristic", "trie", "zobrist", "join"};
    static const bosc_cellgraph_method order[] = {BOSC_CELLGRAPH_JOIN, BOSC_CELLGRAPH_ZOBRIST, BOSC_CELLGRAPH_HEURISTIC,
                                                  BOSC_CELLGRAPH_TRIE};
    struct bench_times times[5] = {{0, 0}}, best = {1e30, 1e30};
    const char *all = "", *best_name = NULL;
    bosc_cellgraph_info info, other;
    uint64_t *rows = make(s);
    if (!rows) bench_fail("out of memory");
    b->n = s->n;
    b->rows = bench_array(rows, (size_t)(s->n * bosc_cellgraph_words(s->length, s->letter_bits)) * 8);
    times[0] = time_of(b, s, BOSC_CELLGRAPH_AUTO, &info);
    for (int m = 0; m < 4; m++) {
        if (hopeless(s, order[m], info.vertices)) {
            all = bench_text("%s, %s -", all, names[order[m]]);
            continue;
        }
        struct bench_times t = times[order[m]] = time_of(b, s, order[m], &other);
        if (t.least < best.least) best = t, best_name = names[order[m]];
        all = bench_text("%s, %s %.1f", all, names[order[m]], 1e6 * t.least);
        bench_check(other.edges == info.edges, "%s finds %" PRId64 " edges, not %" PRId64, names[order[m]], other.edges,
                    info.edges);
    }
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
    static const int32_t lengths[][2] = {{8, 1},   {32, 1},   {64, 1}, {128, 1}, {256, 1},
                                         {512, 1}, {1024, 1}, {32, 2}, {64, 8}};
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
    for (int c = 0; c < 6; c++)
        for (int l = 0; l < 9; l++)
            for (int k = 0; k < 6; k++) {
                struct shape s = {names[k], counts[c], lengths[l][0], lengths[l][1]};
                if (s.n > bench.n || s.length > longest || s.n * s.length * s.letter_bits > 1ll << 30) continue;
                double ratio = measure(&b, &s);
                shapes++;
                missed += ratio > 1.3;
                if (ratio > worst) worst = ratio;
            }
    bench_say("%d shapes; AUTO takes more than 1.3 times the best for %d, at most %.2f times", shapes, missed, worst);
    return bench_close();
}
