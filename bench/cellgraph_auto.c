/* How well the method AUTO fits: bench_cellgraph_auto [-n most vectors] [-l most letters] [-t threads] [-r repeats]
 * [-b backend]. Over vectors of many shapes, AUTO and each method are timed; a row has the least times in us, how much
 * longer AUTO takes than the best, and how much longer the method that it chose takes (its own choice is in the
 * first). Methods that would take many times the best of those before are left out (-). All must find as many edges. */
#include "harness/cells.h"

struct shape {
    const char *name;
    int64_t n;
    int32_t length, letter_bits;
};

struct bench {
    struct cells_bench in;
    bosc_cellgraph *graph;
    int64_t n;
};

#define DO(b, call) CELLS_DO((b)->in.ctx, call)

static int32_t per_word(const struct shape *s) { return 64 / s->letter_bits; }

static void set_letter(const struct shape *s, uint64_t *row, int32_t k, uint64_t letter)
{
    int32_t at = k % per_word(s) * s->letter_bits;
    uint64_t *word = &row[k / per_word(s)];
    *word = (*word & ~(((1ull << s->letter_bits) - 1) << at)) | (letter & ((1ull << s->letter_bits) - 1)) << at;
}

static void change(const struct shape *s, struct scene_random *r, uint64_t *row)
{
    set_letter(s, row, (int32_t)(scene_next(r) % (uint64_t)s->length), scene_next(r));
}

/* The free letters of a cube: so many that a quarter to a half of their values occur; all over the vector, or beside
 * each other. */
static void cube(const struct shape *s, struct scene_random *r, uint64_t *row, bool wide)
{
    int32_t free_letters = 1;
    while (free_letters * s->letter_bits < 40 && 1ll << free_letters * s->letter_bits < 2 * s->n) free_letters++;
    if (free_letters > s->length) free_letters = s->length;
    for (int32_t k = 0; k < free_letters; k++)
        set_letter(s, row, wide ? (int32_t)((int64_t)k * s->length / free_letters) : k, scene_next(r));
}

static uint64_t *make(const struct shape *s)
{
    int64_t words = bosc_cellgraph_words(s->length, s->letter_bits), centres = 1;
    struct scene_random r = {(uint64_t)s->n + (uint64_t)s->length};
    uint64_t *rows = calloc((size_t)(s->n * words), 8);
    while (centres * centres < s->n) centres++;
    for (int64_t i = 0; rows && i < s->n; i++) {
        uint64_t *row = rows + i * words;
        int64_t from = i ? (int64_t)(scene_next(&r) % (uint64_t)i) : 0, distinct = s->n / 16 + 1;
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
            for (int64_t w = 0; w < words; w++) row[w] = scene_next(&r);
            continue;
        }
        memcpy(row, rows + from * words, (size_t)words * 8);
        if (s->name[0] == 'd' && i >= distinct) continue;
        for (uint64_t k = s->name[0] == 'c' ? 1 + scene_next(&r) % 3 : 1; k > 0; k--) change(s, &r, row);
    }
    return rows;
}

static void build(void *user)
{
    struct bench *b = user;
    DO(b, bosc_cellgraph_build(b->in.ctx, b->graph, b->in.rows, b->n, 0));
}

/* Seconds of a method, the least; `info` gets what it found. */
static double time_of(struct bench *b, const struct shape *s, bosc_cell_method method, bosc_cellgraph_info *info)
{
    bosc_cellgraph_opts o = {.size = sizeof o, .length = s->length, .letter_bits = s->letter_bits, .method = method};
    DO(b, bosc_cellgraph_create(b->in.ctx, &o, &b->graph));
    double begin = timing_now();
    build(b);
    double first = timing_now() - begin;
    struct timing t = {first, first};
    if (first < 0.5) t = timing_of(NULL, build, b, first < 0.02 ? b->in.repeats : 1);
    *info = (bosc_cellgraph_info){.size = sizeof *info};
    if (bosc_cellgraph_get_info(b->graph, info) != BOSC_OK) cells_fail(NULL, "bosc_cellgraph_get_info");
    bosc_cellgraph_free(b->graph);
    return t.least;
}

/* Far more steps than another method would take? */
static bool hopeless(const struct shape *s, bosc_cell_method method, int64_t vertices)
{
    double u = (double)vertices, letters = (double)s->length * (double)((1 << s->letter_bits) - 1);
    double join = u * (double)bosc_cellgraph_words(s->length, s->letter_bits) + 100000;
    if (method == BOSC_CELL_HEURISTIC) return u * u / 8 > 20 * join;
    return method == BOSC_CELL_ZOBRIST && u * letters > 400 * join;
}

static double measure(struct bench *b, const struct shape *s)
{
    static const char *const names[] = {"auto", "heuristic", "trie", "zobrist", "join"};
    static const bosc_cell_method order[] = {BOSC_CELL_JOIN, BOSC_CELL_ZOBRIST, BOSC_CELL_HEURISTIC, BOSC_CELL_TRIE};
    double times[5] = {0}, best = 1e30;
    bosc_cellgraph_info info, other;
    uint64_t *rows = make(s);
    b->n = s->n;
    b->in.rows = cells_copy(&b->in, rows, s->n * bosc_cellgraph_words(s->length, s->letter_bits));
    times[0] = time_of(b, s, BOSC_CELL_AUTO, &info);
    printf("%-10s %8" PRId64 " %5d %d %8" PRId64 " %9" PRId64, s->name, s->n, (int)s->length, (int)s->letter_bits,
           info.vertices, info.edges);
    for (int m = 0; m < 4; m++) {
        if (hopeless(s, order[m], info.vertices)) {
            printf(" %11s", "-");
            continue;
        }
        times[order[m]] = time_of(b, s, order[m], &other);
        if (times[order[m]] < best) best = times[order[m]];
        printf(" %11.1f", 1e6 * times[order[m]]);
        if (other.edges != info.edges) cells_fail(NULL, "the methods do not agree");
    }
    printf(" %11.1f %-9s %5.2f %5.2f\n", 1e6 * times[0], names[info.method], times[0] / best,
           times[info.method] / best);
    fflush(stdout);
    bosc_release(b->in.ctx, b->in.rows, (size_t)(s->n * bosc_cellgraph_words(s->length, s->letter_bits)) * 8);
    free(rows);
    return times[0] / best;
}

int main(int argc, char **argv)
{
    static const char *const names[] = {"random", "walk", "clustered", "hypercube", "block", "duplicates"};
    static const int64_t counts[] = {100, 1000, 10000, 100000, 1000000, 4000000};
    static const int32_t lengths[][2] = {{8, 1},   {32, 1},   {64, 1}, {128, 1}, {256, 1},
                                         {512, 1}, {1024, 1}, {32, 2}, {64, 8}};
    struct bench b = {.in = {.n = 4000000, .length = 1024, .threads = 1, .repeats = 5, .backend = BOSC_BACKEND_CPU}};
    double worst = 0;
    int shapes = 0, missed = 0;
    for (int i = 1; i + 1 < argc; i += 2)
        if (!cells_option(&b.in, argv[i], argv[i + 1])) {
            fprintf(stderr, "usage: bench_cellgraph_auto [-n vectors] [-l letters] [-t threads] [-r repeats] "
                            "[-b cpu|cuda]\n");
            return 2;
        }
    cells_open(&b.in);
    printf("%-10s %8s %5s %s %8s %9s %11s %11s %11s %11s %11s %-9s %5s %5s\n", "", "n", "l", "r", "vertices", "edges",
           "join", "zobrist", "heuristic", "trie", "auto", "", "ratio", "pick");
    for (int c = 0; c < 6; c++)
        for (int l = 0; l < 9; l++)
            for (int k = 0; k < 6; k++) {
                struct shape s = {names[k], counts[c], lengths[l][0], lengths[l][1]};
                if (s.n > b.in.n || s.length > b.in.length || s.n * s.length * s.letter_bits > 1ll << 30) continue;
                double ratio = measure(&b, &s);
                shapes++;
                missed += ratio > 1.3;
                if (ratio > worst) worst = ratio;
            }
    printf("%d shapes; AUTO takes more than 1.3 times the best for %d, at most %.2f times\n", shapes, missed, worst);
    bosc_ctx_free(b.in.ctx);
    return 0;
}
