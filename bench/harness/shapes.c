#include "harness/shapes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/bench.h"

/* A context on the CPU, so that programs for any backend have the same input. */
static bosc_ctx *open_cpu(void)
{
    const bosc_ctx_opts opts = {.size = sizeof opts};
    bosc_ctx *cpu = NULL;
    if (bosc_ctx_create(&opts, &cpu) != BOSC_OK) bench_fail("no context of the CPU");
    return cpu;
}

static void check_call(bosc_ctx *cpu, bosc_status status)
{
    if (status != BOSC_OK) bench_fail("%s", bosc_ctx_message(cpu));
}

static int find_shape(const char *name, const char *const *names, size_t count)
{
    for (size_t k = 0; k < count; k++)
        if (strcmp(name, names[k]) == 0) return (int)k;
    bench_fail("'%s' is no shape of this program's data", name);
    return 0;
}

/* ---- points ---- */

bosc_random_points_kind bench_points_kind(const char *shape)
{
    static const char *const names[] = {SHAPE_LIST(POINT_SHAPES)};
    return (bosc_random_points_kind)find_shape(shape, names, sizeof names / sizeof *names);
}

float *bench_points(const char *shape, int64_t n, int dim, uint64_t seed)
{
    bosc_ctx *cpu = open_cpu();
    float *points = bench_host((size_t)n * (size_t)dim * sizeof *points);
    check_call(cpu, bosc_random_points(cpu, bench_points_kind(shape), seed, n, dim, BOSC_F32, points));
    bosc_ctx_free(cpu);
    return points;
}

float *bench_points_and_queries(const char *shape, int64_t n, int64_t m, int dim, float **queries)
{
    const size_t row = (size_t)dim * sizeof(float);
    float *points = bench_points(shape, n + m, dim, 1);
    *queries = bench_host((size_t)m * row);
    int64_t done = 0;
    for (int64_t i = 0; i < n + m; i++) {
        const bool is_query = (done + 1) * (n + m) <= (i + 1) * m;
        memmove(is_query ? *queries + done * dim : points + (i - done) * dim, points + i * dim, row);
        done += is_query;
    }
    return points;
}

int bench_sets(int64_t n)
{
    enum { MOST = 16, ITEMS = 1 << 17 }; /* sets, and items of all: 1.5 MB of points in 3-D. Chosen */
    return n * MOST <= ITEMS ? MOST : n < ITEMS ? (int)(ITEMS / n) : 1;
}

float *bench_points_and_query_sets(const char *shape, int64_t n, int64_t m, int sets, int dim, float **queries)
{
    const size_t row = (size_t)dim * sizeof(float);
    float *all, *points = bench_points_and_queries(shape, n, m * sets, dim, &all);
    *queries = bench_host((size_t)(m * sets) * row);
    for (int64_t i = 0; i < m * sets; i++) memcpy(*queries + (i % sets * m + i / sets) * dim, all + i * dim, row);
    free(all);
    return points;
}

/* Points other than itself within the radius of each sampled point, in the mean. */
static double mean_neighbours(bosc_ctx *cpu, const bosc_kdtree *tree, const float *sample, int64_t m, double radius,
                              int64_t *counts)
{
    double sum = 0;
    check_call(cpu, bosc_kdtree_radius_count(cpu, tree, sample, m, 0, radius, counts));
    for (int64_t i = 0; i < m; i++) sum += (double)counts[i] - 1;
    return sum / (double)m;
}

double bench_radius(const float *points, int64_t n, int dim, double neighbours)
{
    enum { SAMPLE = 2048, STEPS = 40 };
    const int64_t m = n < SAMPLE ? n : SAMPLE;
    const bosc_kdtree_opts opts = {.size = sizeof opts, .dtype = BOSC_F32, .dim = dim};
    bosc_ctx *cpu = open_cpu();
    bosc_kdtree *tree = NULL;
    /* 1. A tree of all points, and a sample of them. */
    check_call(cpu, bosc_kdtree_create(cpu, &opts, &tree));
    check_call(cpu, bosc_kdtree_build(cpu, tree, points, n, 0));
    float *sample = bench_host((size_t)(m * dim) * sizeof *sample);
    int64_t *counts = bench_host((size_t)m * sizeof *counts);
    double high = 0;
    for (int64_t i = 0; i < m; i++)
        for (int c = 0; c < dim; c++) {
            sample[i * dim + c] = points[(int64_t)((double)i / (double)m * (double)n) * dim + c];
            high = fmax(high, fabs((double)sample[i * dim + c]));
        }
    /* 2. Bisect its logarithm, from 1e-9 of the greatest coordinate up to this. */
    double low = high * 1e-9;
    const bool any = m > 0 && mean_neighbours(cpu, tree, sample, m, low, counts) <= neighbours;
    for (int step = 0; any && step < STEPS; step++) {
        const double middle = sqrt(low * high);
        if (mean_neighbours(cpu, tree, sample, m, middle, counts) <= neighbours)
            low = middle;
        else
            high = middle;
    }
    free(sample);
    free(counts);
    bosc_kdtree_free(tree);
    bosc_ctx_free(cpu);
    return any ? low : 0;
}

double bench_usual_radius(const char *shape, const float *points, int64_t n, int dim)
{
    if (strcmp(shape, "uniform") == 0) return 1.24 * pow((double)n, -1 / (double)dim);
    return bench_radius(points, n, dim, 8);
}

/* ---- graphs ---- */

bosc_graph_kind bench_graph_kind(const char *shape)
{
    static const char *const names[] = {SHAPE_LIST(GRAPH_SHAPES)};
    return (bosc_graph_kind)find_shape(shape, names, sizeof names / sizeof *names);
}

int64_t bench_graph_edges(const char *shape, int64_t n)
{
    switch (bench_graph_kind(shape)) {
    case BOSC_GRAPH_RANDOM:
    case BOSC_GRAPH_RMAT:
    case BOSC_GRAPH_HUBS:
    case BOSC_GRAPH_BIPARTITE:
    case BOSC_GRAPH_EQUAL: return 6 * n;
    default: return 0;
    }
}

struct bench_edges bench_graph_list(const bosc_graph_generate_opts *opts)
{
    struct bench_edges e;
    bosc_ctx *cpu = open_cpu();
    /* The first call counts; the second one fills the arrays. */
    check_call(cpu, bosc_graph_generate(cpu, opts, &e.n, &e.m, NULL, NULL, NULL, 0));
    e.u = bench_host((size_t)e.m * sizeof *e.u);
    e.v = bench_host((size_t)e.m * sizeof *e.v);
    e.weights = bench_host((size_t)e.m * sizeof *e.weights);
    check_call(cpu, bosc_graph_generate(cpu, opts, &e.n, &e.m, e.u, e.v, e.weights, e.m));
    bosc_ctx_free(cpu);
    return e;
}

bosc_dtype bench_weight_type(const char *name)
{
    static const char *const names[] = {"u32", "i32", "f32", "u64", "i64", "f64"};
    static const bosc_dtype types[] = {BOSC_U32, BOSC_I32, BOSC_F32, BOSC_U64, BOSC_I64, BOSC_F64};
    for (size_t k = 0; k < sizeof types / sizeof *types; k++)
        if (strcmp(name, names[k]) == 0) return types[k];
    bench_fail("'%s' is no type of weights", name);
    return BOSC_U32;
}

static void set_weight(void *to, bosc_dtype type, int64_t i, int64_t weight)
{
    switch (type) {
    case BOSC_I32: ((int32_t *)to)[i] = (int32_t)weight; break;
    case BOSC_F32: ((float *)to)[i] = (float)weight; break;
    case BOSC_F64: ((double *)to)[i] = (double)weight; break;
    case BOSC_U64:
    case BOSC_I64: ((int64_t *)to)[i] = weight; break;
    default: ((uint32_t *)to)[i] = (uint32_t)weight; break;
    }
}

void *bench_weights(const int64_t *integers, int64_t count, bosc_dtype type)
{
    void *weights = bench_host((size_t)count * bosc_dtype_size(type));
    for (int64_t i = 0; i < count; i++) set_weight(weights, type, i, integers[i]);
    return weights;
}

/* ---- keys ---- */

void *bench_keys(const char *shape, int64_t n, int key_bits, void **absent)
{
    static const char *const names[] = {SHAPE_LIST(KEY_SHAPES)};
    enum { RANKS = 1000000 }; /* of Zipf: the first keys of the distinct ones */
    const bosc_random_keys_kind kind = (bosc_random_keys_kind)find_shape(shape, names, sizeof names / sizeof *names);
    const bool repeats = kind == BOSC_RANDOM_KEYS_ZIPF || kind == BOSC_RANDOM_KEYS_EQUAL;
    const int64_t first = repeats ? RANKS : n;
    const size_t size = (size_t)key_bits / 8;
    bosc_ctx *cpu = open_cpu();
    char *keys = bench_host((size_t)n * size), *all = bench_host((size_t)(first + n) * size);
    *absent = bench_host((size_t)n * size);
    check_call(cpu, bosc_random_keys(cpu, kind, 1, n, key_bits, keys));
    check_call(cpu, bosc_random_keys(cpu, repeats ? BOSC_RANDOM_KEYS_DISTINCT : kind, 1, first + n, key_bits, all));
    memcpy(*absent, all + (size_t)first * size, (size_t)n * size);
    free(all);
    bosc_ctx_free(cpu);
    return keys;
}

/* ---- words ---- */

static const char *const word_names[] = {SHAPE_LIST(WORD_SHAPES)};

static const struct word_shape {
    bosc_random_words_kind kind;
    int32_t length, letters, letter_bits;
} word_shapes[] = {{BOSC_RANDOM_WORDS_UNIFORM, 4, 20, 5},  /* words-4 */
                   {BOSC_RANDOM_WORDS_PAIRS, 20, 20, 5},   /* words-20 */
                   {BOSC_RANDOM_WORDS_UNIFORM, 12, 4, 2}}; /* dna-12 */
enum { WORD_SHAPE_COUNT = sizeof word_shapes / sizeof word_shapes[0] };
_Static_assert(sizeof word_names / sizeof *word_names == WORD_SHAPE_COUNT, "a shape of words for each name");

/* Returns NULL if the name is no shape of words. */
static const struct word_shape *find_word_shape(const char *name)
{
    for (int k = 0; k < WORD_SHAPE_COUNT; k++)
        if (strcmp(name, word_names[k]) == 0) return &word_shapes[k];
    return NULL;
}

bool bench_word_shape(const char *name, int32_t *length, int32_t *letter_bits)
{
    const struct word_shape *s = find_word_shape(name);
    if (!s) return false;
    *length = s->length;
    *letter_bits = s->letter_bits;
    return true;
}

uint64_t *bench_words(const char *name, int64_t n)
{
    const struct word_shape *s = find_word_shape(name);
    if (!s) {
        bench_fail("'%s' is no shape of words", name);
        return NULL;
    }
    const int64_t words = bosc_cellgraph_words(s->length, s->letter_bits), per_word = 64 / s->letter_bits;
    bosc_ctx *cpu = open_cpu();
    uint8_t *letters = bench_host((size_t)(n * s->length));
    uint64_t *rows = bench_host((size_t)(n * words) * 8);
    check_call(cpu, bosc_random_words(cpu, s->kind, 1, n, s->length, s->letters, letters));
    memset(rows, 0, (size_t)(n * words) * 8);
    for (int64_t i = 0; i < n; i++)
        for (int64_t k = 0; k < s->length; k++)
            rows[i * words + k / per_word] |= (uint64_t)letters[i * s->length + k] << k % per_word * s->letter_bits;
    free(letters);
    bosc_ctx_free(cpu);
    return rows;
}
