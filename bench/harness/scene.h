/* Vectors as motion planning makes them: the signs of screw predicates (edges of a robot against edges of obstacles)
 * along random great circles of rotations, one vector for each arc between two sign changes. A rotation by the unit
 * quaternion q turns N . R(q) B into q' M q; along q = g cos t + h sin t that is C + A cos(2 t - phi), which has at
 * most two roots in a half turn. */
#ifndef BENCH_CELLS_SCENE_H
#define BENCH_CELLS_SCENE_H

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct scene_random {
    uint64_t state;
};

static inline uint64_t scene_next(struct scene_random *r)
{
    uint64_t z = r->state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static inline double scene_unit(struct scene_random *r) { return (double)(scene_next(r) >> 11) * 0x1p-53; }

static inline double scene_normal(struct scene_random *r)
{
    double u = scene_unit(r) + 1e-18;
    return sqrt(-2 * log(u)) * cos(6.283185307179586 * scene_unit(r));
}

struct scene_form { /* a symmetric 4 x 4 matrix */
    double m[4][4];
};

static inline double scene_product(const struct scene_form *f, const double *p, const double *q)
{
    double sum = 0;
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) sum += p[i] * f->m[i][j] * q[j];
    return sum;
}

static inline void scene_cross(double *out, const double *a, const double *b)
{
    for (int c = 0; c < 3; c++) out[c] = a[(c + 1) % 3] * b[(c + 2) % 3] - a[(c + 2) % 3] * b[(c + 1) % 3];
}

/* Adds N . R(q) B. */
static inline void scene_add(struct scene_form *f, const double *n, const double *b)
{
    double dot = n[0] * b[0] + n[1] * b[1] + n[2] * b[2], cross[3];
    scene_cross(cross, b, n);
    f->m[0][0] += dot;
    for (int i = 0; i < 3; i++) {
        f->m[0][i + 1] += cross[i];
        f->m[i + 1][0] += cross[i];
        for (int j = 0; j < 3; j++) f->m[i + 1][j + 1] += n[i] * b[j] + b[i] * n[j] - (i == j ? dot : 0);
    }
}

/* An edge near the unit sphere. */
static inline void scene_edge(struct scene_random *r, double *a, double *b)
{
    double length = 0, scale = 0.7 + 0.6 * scene_unit(r);
    for (int c = 0; c < 3; c++) {
        a[c] = scene_normal(r);
        length += a[c] * a[c];
    }
    for (int c = 0; c < 3; c++) {
        a[c] *= scale / sqrt(length);
        b[c] = a[c] + 0.8 * scene_normal(r);
    }
}

/* Predicate k is that of robot edge k % 16 and obstacle edge k / 16. */
static inline struct scene_form *scene_make(struct scene_random *r, int length)
{
    struct scene_form *forms = (struct scene_form *)calloc((size_t)length, sizeof *forms);
    double robot[16][2][3], k[3] = {0}, l[3] = {0};
    if (!forms) return NULL;
    for (int i = 0; i < 16; i++) scene_edge(r, robot[i][0], robot[i][1]);
    for (int i = 0; i < length; i++) {
        const double *a = robot[i % 16][0], *b = robot[i % 16][1];
        double kl[3], ab[3], cross[3];
        if (i % 16 == 0) scene_edge(r, k, l);
        scene_cross(kl, k, l);
        scene_cross(cross, a, b);
        for (int c = 0; c < 3; c++) ab[c] = a[c] - b[c];
        scene_add(&forms[i], kl, ab);
        for (int c = 0; c < 3; c++) kl[c] = k[c] - l[c];
        scene_add(&forms[i], kl, cross);
    }
    return forms;
}

static inline void scene_basis(struct scene_random *r, double *g, double *h)
{
    double gg = 0, gh = 0, hh = 0;
    for (int c = 0; c < 4; c++) {
        g[c] = scene_normal(r);
        gg += g[c] * g[c];
    }
    for (int c = 0; c < 4; c++) {
        g[c] /= sqrt(gg);
        h[c] = scene_normal(r);
        gh += g[c] * h[c];
    }
    for (int c = 0; c < 4; c++) {
        h[c] -= gh * g[c];
        hh += h[c] * h[c];
    }
    for (int c = 0; c < 4; c++) h[c] /= sqrt(hh);
}

struct scene_root {
    double t;
    int form;
};

static inline int scene_by_t(const void *a, const void *b)
{
    double x = ((const struct scene_root *)a)->t, y = ((const struct scene_root *)b)->t;
    return x < y ? -1 : x > y;
}

/* The signs at g, and the roots along the circle in order; returns their number. */
static inline int scene_walk(struct scene_random *r, const struct scene_form *forms, int length, uint64_t *signs,
                             struct scene_root *roots)
{
    double g[4], h[4];
    int count = 0;
    scene_basis(r, g, h);
    memset(signs, 0, (size_t)(length + 63) / 64 * 8);
    for (int k = 0; k < length; k++) {
        double p = scene_product(&forms[k], g, g), q = scene_product(&forms[k], h, h);
        double b = scene_product(&forms[k], g, h), c = (p + q) / 2, d = (p - q) / 2, a = sqrt(d * d + b * b);
        if (p >= 0) signs[k / 64] |= 1ull << k % 64;
        for (int side = -1; side <= 1 && fabs(c) < a; side += 2) {
            double t = (atan2(b, d) + side * acos(-c / a)) / 2;
            roots[count].t = t - 3.141592653589793 * floor(t / 3.141592653589793);
            roots[count++].form = k;
        }
    }
    qsort(roots, (size_t)count, sizeof *roots, scene_by_t);
    return count;
}

/* n vectors of `length` signs, in an order that has no meaning; NULL for lack of memory. */
static inline uint64_t *scene_vectors(uint64_t seed, int length, int64_t n)
{
    struct scene_random r = {seed};
    int64_t words = (length + 63) / 64, done = 0;
    struct scene_form *forms = scene_make(&r, length);
    struct scene_root *roots = (struct scene_root *)malloc((size_t)length * 2 * sizeof *roots);
    uint64_t *vectors = (uint64_t *)malloc((size_t)(n * words) * 8), *signs = (uint64_t *)malloc((size_t)words * 8);
    while (forms && roots && vectors && signs && done < n) {
        int count = scene_walk(&r, forms, length, signs, roots);
        for (int i = 0; i < count && done < n; i++) {
            int64_t to = (int64_t)(scene_next(&r) % (uint64_t)(done + 1)); /* the one there goes to the end */
            memcpy(vectors + done * words, vectors + to * words, (size_t)words * 8);
            memcpy(vectors + to * words, signs, (size_t)words * 8);
            signs[roots[i].form / 64] ^= 1ull << roots[i].form % 64;
            done++;
        }
    }
    free(forms);
    free(roots);
    free(signs);
    return vectors;
}

#endif
