#include "reference/planet.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const long double PI = 3.14159265358979323846264338327950288L;

static long double sample_at(const struct reference_planet *p, int64_t row, int64_t column)
{
    if (row >= 0 && row < p->height) return p->heights[row * p->width + (column + p->width) % p->width];
    long double sum = 0;
    for (int64_t c = 0; c < p->width; c++) sum += p->heights[(row < 0 ? 0 : p->height - 1) * p->width + c];
    return sum / p->width;
}

/* Computes gradient noise: gradients from hashed lattice points, interpolated by quintic weights (Perlin 2002). */
static long double gradient_noise(const struct reference_planet *p, int octave, const long double q[3])
{
    long double sum = 0, t[3];
    int64_t base[3];
    for (int c = 0; c < 3; c++) {
        base[c] = (int64_t)floorl(q[c]);
        t[c] = q[c] - base[c];
    }
    for (int corner = 0; corner < 8; corner++) {
        const int at[3] = {corner & 1, corner / 2 & 1, corner / 4};
        uint32_t e = (uint32_t)(octave * 97);
        long double weight = 1, value = 0;
        for (int c = 0; c < 3; c++) {
            const long double fade = t[c] * t[c] * t[c] * (10 - 15 * t[c] + 6 * t[c] * t[c]);
            e = (e + (uint32_t)(base[c] + at[c])) % 4096;
            if (c < 2) e = p->bits[4 * e] % 4096;
            weight *= at[c] ? fade : 1 - fade;
        }
        for (int c = 0; c < 3; c++) value += (2 * ((p->bits[4 * e + 1 + c] >> 8) / 16777216.0L) - 1) * (t[c] - at[c]);
        sum += weight * value;
    }
    return sum;
}

static long double detail_at(const struct reference_planet *p, const long double d[3])
{
    long double q[3], sum = 0, size = p->amplitude;
    for (int c = 0; c < 3; c++) q[c] = d[c] * p->radius / p->wavelength;
    for (int octave = 0; octave < p->octaves && p->amplitude > 0; octave++, size /= 2) {
        sum += size * gradient_noise(p, octave, q);
        const long double turned[3] = {2 * (-0.6L * q[0] + 0.8L * q[1]), 2 * q[2], 2 * (0.8L * q[0] + 0.6L * q[1])};
        memcpy(q, turned, sizeof q);
    }
    return sum;
}

/* From 0 to 1 over the border. */
static long double ramp(long double x, long double border)
{
    const long double t = fminl(fmaxl(x / border, 0), 1);
    return 3 * t * t - 2 * t * t * t;
}

/* Lays an inset over a height. */
static long double lay_inset(const struct reference_inset *inset, long double longitude, long double latitude,
                             long double below)
{
    while (longitude < inset->west) longitude += 360;
    while (longitude >= inset->west + 360) longitude -= 360;
    const int64_t w = inset->width, h = inset->height;
    const long double u = (longitude - inset->west) / (inset->east - inset->west) * w - 0.5L,
                      v = (inset->north - latitude) / (inset->north - inset->south) * h - 0.5L;
    if (u <= 0 || u >= w - 1 || v <= 0 || v >= h - 1) return below;
    const int64_t i = (int64_t)floorl(u), j = (int64_t)floorl(v);
    const float *z = inset->heights + j * w + i;
    const long double a = u - i, b = v - j,
                      own = (1 - b) * ((1 - a) * z[0] + a * z[1]) + b * ((1 - a) * z[w] + a * z[w + 1]);
    const long double weight = ramp(u, inset->border) * ramp(w - 1 - u, inset->border) * ramp(v, inset->border) *
                               ramp(h - 1 - v, inset->border);
    return below + weight * (own - below);
}

long double reference_planet_height(const struct reference_planet *p, const long double d[3])
{
    const long double length = sqrtl(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
    const long double u = (atan2l(d[1], d[0]) / (2 * PI) + 0.5L) * p->width - 0.5L;
    const long double v = (0.5L - atan2l(d[2], hypotl(d[0], d[1])) / PI) * p->height - 0.5L;
    const int64_t c = (int64_t)floorl(u), r = (int64_t)floorl(v);
    long double f = v - r, part[2];
    if (v < 0) f = 2 * v + 1; /* the pole is half a row away */
    if (v > p->height - 1) f = 2 * (v - (p->height - 1));
    for (int k = 0; k < 2; k++)
        part[k] = sample_at(p, r + k, c) + (sample_at(p, r + k, c + 1) - sample_at(p, r + k, c)) * (u - c);
    const long double unit[3] = {d[0] / length, d[1] / length, d[2] / length};
    long double height = part[0] + (part[1] - part[0]) * f;
    for (int k = 0; k < p->inset_count; k++)
        height = lay_inset(p->insets + k, atan2l(d[1], d[0]) / PI * 180, atan2l(d[2], hypotl(d[0], d[1])) / PI * 180,
                           height);
    return height + detail_at(p, unit);
}

void reference_planet_vertex(const struct reference_planet *p, int64_t root, long double x, long double y,
                             long double at[3])
{
    static const int equator[4][2] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}};
    const int *west = equator[root % 4], *east = equator[(root + 1) % 4];
    const int *v0 = root < 4 ? west : east, *v1 = root < 4 ? east : west;
    for (int c = 0; c < 2; c++) at[c] = (1 - x - y) * v0[c] + x * v1[c];
    at[2] = root < 4 ? y : -y;
    const long double length = sqrtl(at[0] * at[0] + at[1] * at[1] + at[2] * at[2]);
    const long double r = (p->radius + reference_planet_height(p, at)) / length;
    for (int c = 0; c < 3; c++) at[c] *= r;
}

static void set_direction(long double latitude, long double longitude, long double d[3])
{
    d[0] = cosl(latitude) * cosl(longitude);
    d[1] = cosl(latitude) * sinl(longitude);
    d[2] = sinl(latitude);
}

void reference_planet_direction(const struct reference_planet *p, int64_t row, int64_t column, long double d[3])
{
    set_direction((0.5L - (row + 0.5L) / p->height) * PI, ((column + 0.5L) / p->width - 0.5L) * 2 * PI, d);
}

void reference_inset_direction(const struct reference_inset *i, int64_t row, int64_t column, long double d[3])
{
    set_direction((i->north - (row + 0.5L) / i->height * (i->north - i->south)) * PI / 180,
                  (i->west + (column + 0.5L) / i->width * (i->east - i->west)) * PI / 180, d);
}

static long double det(const long double a[3], const long double b[3], const long double c[3])
{
    return a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0]) + a[2] * (b[0] * c[1] - b[1] * c[0]);
}

/* Returns the distance at which a ray from the origin intersects a triangle; negative: never. Borders count, with a
 * tolerance. */
static long double intersect_ray(const double *vertices, const uint32_t *t, const long double d[3])
{
    long double v[3][3];
    for (int k = 0; k < 3; k++)
        for (int c = 0; c < 3; c++) v[k][c] = vertices[3 * t[k] + c];
    const long double a = det(d, v[1], v[2]), b = det(v[0], d, v[2]), c = det(v[0], v[1], d), sum = a + b + c;
    if (a < -1e-12L * sum || b < -1e-12L * sum || c < -1e-12L * sum || sum <= 0) return -1;
    return det(v[0], v[1], v[2]) / sum;
}

/* Returns the distance of the surface from a mesh in a direction. */
static long double error_in(const struct reference_planet *p, const double *vertices, const uint32_t *triangles,
                            int64_t triangle_count, const long double d[3])
{
    long double r = -1;
    for (int64_t t = 0; t < triangle_count && r < 0; t++) r = intersect_ray(vertices, triangles + 3 * t, d);
    return r < 0 ? INFINITY : fabsl(r - p->radius - reference_planet_height(p, d));
}

long double reference_planet_error(const struct reference_planet *p, const double *vertices, const uint32_t *triangles,
                                   int64_t triangle_count)
{
    long double most = 0, d[3];
    for (int64_t i = 0; i < p->width * p->height; i++) {
        reference_planet_direction(p, i / p->width, i % p->width, d);
        most = fmaxl(most, error_in(p, vertices, triangles, triangle_count, d));
    }
    for (int k = 0; k < p->inset_count; k++)
        for (int64_t i = 0; i < p->insets[k].width * p->insets[k].height; i++) {
            reference_inset_direction(p->insets + k, i / p->insets[k].width, i % p->insets[k].width, d);
            most = fmaxl(most, error_in(p, vertices, triangles, triangle_count, d));
        }
    return most;
}

static int compare_edges(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static uint32_t find_root(uint32_t *parents, uint32_t v)
{
    while (parents[v] != v) v = parents[v] = parents[parents[v]];
    return v;
}

bool reference_mesh_is_sphere(const uint32_t *triangles, int64_t triangle_count, int64_t vertex_count)
{
    const int64_t n = 3 * triangle_count;
    uint64_t *edges = malloc((size_t)n * 8), *reverses = malloc((size_t)n * 8);
    uint32_t *parents = malloc((size_t)vertex_count * 4);
    /* 1. Directed edges and their reverses; unite the ends. */
    bool right = edges && reverses && parents && n % 2 == 0 && vertex_count - n / 2 + triangle_count == 2;
    for (int64_t v = 0; right && v < vertex_count; v++) parents[v] = (uint32_t)v;
    for (int64_t e = 0; right && e < n; e++) {
        const uint64_t a = triangles[e], b = triangles[e % 3 == 2 ? e - 2 : e + 1];
        right = a < (uint64_t)vertex_count && b < (uint64_t)vertex_count && a != b;
        edges[e] = a << 32 | b;
        reverses[e] = b << 32 | a;
        if (right) parents[find_root(parents, (uint32_t)a)] = find_root(parents, (uint32_t)b);
    }
    /* 2. Every edge has its reverse, none is repeated, and all vertices are connected. */
    if (right) {
        qsort(edges, (size_t)n, 8, compare_edges);
        qsort(reverses, (size_t)n, 8, compare_edges);
        right = memcmp(edges, reverses, (size_t)n * 8) == 0;
        for (int64_t e = 1; e < n; e++) right = right && edges[e] != edges[e - 1];
        for (int64_t v = 1; v < vertex_count; v++)
            right = right && find_root(parents, (uint32_t)v) == find_root(parents, 0);
    }
    free(edges);
    free(reverses);
    free(parents);
    return right;
}
