#include "harness/scene.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "harness/bench.h"
#include "harness/random.h"
#include "harness/shapes.h"

static double unit(uint64_t *r) { return (double)(bench_next(r) >> 11) * 0x1p-53; }

static double normal(uint64_t *r)
{
    double u = unit(r) + 1e-18;
    return sqrt(-2 * log(u)) * cos(6.283185307179586 * unit(r));
}

struct form { /* a symmetric 4 x 4 matrix */
    double m[4][4];
};

static double product(const struct form *f, const double *p, const double *q)
{
    double sum = 0;
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) sum += p[i] * f->m[i][j] * q[j];
    return sum;
}

static void cross_product(double *out, const double *a, const double *b)
{
    for (int c = 0; c < 3; c++) out[c] = a[(c + 1) % 3] * b[(c + 2) % 3] - a[(c + 2) % 3] * b[(c + 1) % 3];
}

/* Adds N . R(q) B. */
static void add(struct form *f, const double *n, const double *b)
{
    double dot = n[0] * b[0] + n[1] * b[1] + n[2] * b[2], cross[3];
    cross_product(cross, b, n);
    f->m[0][0] += dot;
    for (int i = 0; i < 3; i++) {
        f->m[0][i + 1] += cross[i];
        f->m[i + 1][0] += cross[i];
        for (int j = 0; j < 3; j++) f->m[i + 1][j + 1] += n[i] * b[j] + b[i] * n[j] - (i == j ? dot : 0);
    }
}

/* An edge near the unit sphere. */
static void make_edge(uint64_t *r, double *a, double *b)
{
    double length = 0, scale = 0.7 + 0.6 * unit(r);
    for (int c = 0; c < 3; c++) {
        a[c] = normal(r);
        length += a[c] * a[c];
    }
    for (int c = 0; c < 3; c++) {
        a[c] *= scale / sqrt(length);
        b[c] = a[c] + 0.8 * normal(r);
    }
}

/* Predicate k is that of robot edge k % 16 and obstacle edge k / 16. */
static struct form *make_forms(uint64_t *r, int length)
{
    struct form *forms = (struct form *)calloc((size_t)length, sizeof *forms);
    double robot[16][2][3], k[3] = {0}, l[3] = {0};
    if (!forms) return NULL;
    for (int i = 0; i < 16; i++) make_edge(r, robot[i][0], robot[i][1]);
    for (int i = 0; i < length; i++) {
        const double *a = robot[i % 16][0], *b = robot[i % 16][1];
        double kl[3], ab[3], cross[3];
        if (i % 16 == 0) make_edge(r, k, l);
        cross_product(kl, k, l);
        cross_product(cross, a, b);
        for (int c = 0; c < 3; c++) ab[c] = a[c] - b[c];
        add(&forms[i], kl, ab);
        for (int c = 0; c < 3; c++) kl[c] = k[c] - l[c];
        add(&forms[i], kl, cross);
    }
    return forms;
}

static void make_basis(uint64_t *r, double *g, double *h)
{
    double gg = 0, gh = 0, hh = 0;
    for (int c = 0; c < 4; c++) {
        g[c] = normal(r);
        gg += g[c] * g[c];
    }
    for (int c = 0; c < 4; c++) {
        g[c] /= sqrt(gg);
        h[c] = normal(r);
        gh += g[c] * h[c];
    }
    for (int c = 0; c < 4; c++) {
        h[c] -= gh * g[c];
        hh += h[c] * h[c];
    }
    for (int c = 0; c < 4; c++) h[c] /= sqrt(hh);
}

struct root {
    double t;
    int form;
};

static int by_t(const void *a, const void *b)
{
    double x = ((const struct root *)a)->t, y = ((const struct root *)b)->t;
    return x < y ? -1 : x > y;
}

/* The signs at g, and the roots along the circle in order; returns their number. */
static int walk(uint64_t *r, const struct form *forms, int length, uint64_t *signs, struct root *roots)
{
    double g[4], h[4];
    int count = 0;
    make_basis(r, g, h);
    memset(signs, 0, (size_t)(length + 63) / 64 * 8);
    for (int k = 0; k < length; k++) {
        double p = product(&forms[k], g, g), q = product(&forms[k], h, h);
        double b = product(&forms[k], g, h), c = (p + q) / 2, d = (p - q) / 2, a = sqrt(d * d + b * b);
        if (p >= 0) signs[k / 64] |= 1ull << k % 64;
        for (int side = -1; side <= 1 && fabs(c) < a; side += 2) {
            double t = (atan2(b, d) + side * acos(-c / a)) / 2;
            roots[count].t = t - 3.141592653589793 * floor(t / 3.141592653589793);
            roots[count++].form = k;
        }
    }
    qsort(roots, (size_t)count, sizeof *roots, by_t);
    return count;
}

uint64_t *bench_scene_vectors(uint64_t seed, int length, int64_t n)
{
    uint64_t r = seed;
    int64_t words = (length + 63) / 64, done = 0;
    struct form *forms = make_forms(&r, length);
    struct root *roots = (struct root *)malloc((size_t)length * 2 * sizeof *roots);
    uint64_t *vectors = (uint64_t *)malloc((size_t)(n * words) * 8), *signs = (uint64_t *)malloc((size_t)words * 8);
    while (forms && roots && vectors && signs && done < n) {
        int count = walk(&r, forms, length, signs, roots);
        for (int i = 0; i < count && done < n; i++) {
            int64_t to = (int64_t)(bench_next(&r) % (uint64_t)(done + 1)); /* the one there goes to the end */
            memcpy(vectors + done * words, vectors + to * words, (size_t)words * 8);
            memcpy(vectors + to * words, signs, (size_t)words * 8);
            signs[roots[i].form / 64] ^= 1ull << roots[i].form % 64;
            done++;
        }
    }
    free(forms);
    free(roots);
    free(signs);
    if (done < n) bench_fail("out of memory");
    return vectors;
}

uint64_t *bench_vectors(const char *name, int length, int64_t n)
{
    int32_t letters, letter_bits;
    if (bench_word_shape(name, &letters, &letter_bits)) return bench_words(name, n);
    if (strcmp(name, "screws") == 0) return bench_scene_vectors(1, length, n);
    if (strcmp(name, "random") != 0 && strcmp(name, "pairs") != 0) bench_fail("-s: %s are no vectors", name);
    uint64_t r = 3;
    int64_t words = (length + 63) / 64;
    uint64_t *vectors = (uint64_t *)malloc((size_t)(n * words) * 8), *last = (uint64_t *)malloc((size_t)words * 8);
    if (!vectors || !last) bench_fail("out of memory");
    for (int64_t i = 0; i < n; i++) {
        const bool flips = name[0] == 'p' && i % 2 == 1;
        const int64_t to = (int64_t)(bench_next(&r) % (uint64_t)(i + 1)); /* the one there goes to the end */
        const int letter = (int)(bench_next(&r) % (uint64_t)length);
        for (int64_t s = 0; s < words && !flips; s++) last[s] = bench_next(&r);
        if (flips) last[letter / 64] ^= 1ull << letter % 64;
        memcpy(vectors + i * words, vectors + to * words, (size_t)words * 8);
        memcpy(vectors + to * words, last, (size_t)words * 8);
    }
    free(last);
    return vectors;
}
