/* The surface: points of the octahedron, directions, heights. All is computed in one fixed order, so that a vertex has
 * the same bits in all triangles. */
#ifndef BI_PLANET_STEPS_SURFACE_H
#define BI_PLANET_STEPS_SURFACE_H

#include "base/elementary.h"
#include "bisector/steps/node.h"
#include "planet/steps/inset.h"

/* The axis of corner v of a root, then its sign: roots 0 to 3 are the faces from longitude 0 to the east on the north,
 * 4 to 7 those on the south. */
BI_FN int bi_planet_axis(int64_t root, int v) { return v == 2 ? 2 : (int)((root + (root < 4 ? v : 1 - v)) & 1); }

BI_FN bool bi_planet_is_negative(int64_t root, int v)
{
    if (v == 2) return root >= 4;
    return ((root + (root < 4 ? v : 1 - v)) & 3) >= 2;
}

/* A point of a face of the octahedron from its coordinates (x, y) in the root; exact. Adding 0 turns -0 into 0. */
BI_FN void bi_planet_point(int64_t root, double x, double y, double p[3])
{
    const double b[3] = {(1 - x) - y, x, y};
    for (int v = 0; v < 3; v++) p[bi_planet_axis(root, v)] = (bi_planet_is_negative(root, v) ? -b[v] : b[v]) + 0.0;
}

BI_FN double bi_planet_dot(const double a[3], const double b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

BI_FN void bi_planet_unit(const double p[3], double d[3])
{
    const double length = bi_sqrt(bi_planet_dot(p, p));
    for (int c = 0; c < 3; c++) d[c] = p[c] / length;
}

BI_FN struct bi_planet_texel bi_planet_texel_of(const struct bi_planet_view *s, const double d[3])
{
    const double longitude = bi_atan2_f64(d[1], d[0]), across = bi_sqrt(d[0] * d[0] + d[1] * d[1]);
    struct bi_planet_texel t;
    t.u = (longitude / (2 * BI_PI) + 0.5) * s->width - 0.5;
    t.v = (0.5 - bi_atan2_f64(d[2], across) / BI_PI) * s->height - 0.5;
    return t;
}

/* Interpolates a row; its last and first sample are neighbours. */
BI_FN double bi_planet_row_height(const struct bi_planet_view *s, int64_t row, double u)
{
    const double whole = bi_floor(u);
    int64_t left = (int64_t)whole, right = left + 1;
    if (left < 0) left += s->width;
    if (right >= s->width) right = 0;
    const double a = bi_planet_stored(s, row, left), b = bi_planet_stored(s, row, right);
    return a + (b - a) * (u - whole);
}

/* Interpolates bilinearly; beyond the first and the last row, to the poles. */
BI_FN double bi_planet_raster_height(const struct bi_planet_view *s, struct bi_planet_texel t)
{
    const int64_t last = s->height - 1;
    if (t.v < 0) return s->poles[0] + (bi_planet_row_height(s, 0, t.u) - s->poles[0]) * (2 * (t.v + 0.5));
    if (t.v >= (double)last) {
        const double row = bi_planet_row_height(s, last, t.u);
        return row + (s->poles[1] - row) * (2 * (t.v - (double)last));
    }
    const double whole = bi_floor(t.v), a = bi_planet_row_height(s, (int64_t)whole, t.u),
                 b = bi_planet_row_height(s, (int64_t)whole + 1, t.u);
    return a + (b - a) * (t.v - whole);
}

/* An entry of the table. A lattice point is hashed by its coordinates through the permutation, one after another. 97
 * shifts octaves apart; it is arbitrary, but other shifts give other terrain. */
BI_FN const struct bi_planet_noise *bi_planet_noise_at(const struct bi_planet_view *s, uint32_t at)
{
    return s->noise + at % BI_PLANET_NOISE;
}

/* From 0 to 1, with zero first and second derivatives at both ends. */
BI_FN double bi_planet_fade(double t) { return t * t * t * (t * (t * 6 - 15) + 10); }

/* One octave at a point of its lattice: about -1 to 1. Source: Perlin, Improving Noise (2002). */
BI_FN double bi_planet_octave(const struct bi_planet_view *s, uint32_t octave, const double q[3])
{
    int64_t at[3];
    double t[3], sum = 0;
    /* 1. The cell of the lattice, and the point in it. */
    for (int c = 0; c < 3; c++) {
        const double whole = bi_floor(q[c]);
        at[c] = (int64_t)whole;
        t[c] = q[c] - whole;
    }
    /* 2. Weights of the corners along each axis. */
    double weight[3][2];
    for (int c = 0; c < 3; c++) {
        weight[c][1] = bi_planet_fade(t[c]);
        weight[c][0] = 1 - weight[c][1];
    }
    /* 3. Hashes of x and y, shared by corners: two of x, four of both. */
    uint32_t x[2], y[2][2];
    for (uint32_t i = 0; i < 2; i++) x[i] = bi_planet_noise_at(s, (uint32_t)at[0] + i + octave * 97)->next;
    for (uint32_t j = 0; j < 2; j++)
        for (int i = 0; i < 2; i++) y[j][i] = bi_planet_noise_at(s, x[i] + (uint32_t)at[1] + j)->next;
    /* 4. Sum over the corners. */
    for (int corner = 0; corner < 8; corner++) {
        const int i = corner & 1, j = corner >> 1 & 1, k = corner >> 2;
        const float *g = bi_planet_noise_at(s, y[j][i] + (uint32_t)at[2] + (uint32_t)k)->gradient;
        const double value = g[0] * (t[0] - i) + g[1] * (t[1] - j) + g[2] * (t[2] - k);
        sum += weight[0][i] * weight[1][j] * weight[2][k] * value;
    }
    return sum;
}

/* Sum of the octaves, each of half the amplitude and twice the frequency of the last. Each is rotated against the last,
 * by the angle of a 3-4-5 triangle and a permutation of axes, so that the lattice is not visible. */
BI_FN double bi_planet_detail(const struct bi_planet_view *s, const double d[3])
{
    double q[3] = {d[0] * s->frequency, d[1] * s->frequency, d[2] * s->frequency}, sum = 0, size = s->amplitude;
    for (int32_t octave = 0; octave < s->octaves; octave++, size *= 0.5) {
        sum += size * bi_planet_octave(s, (uint32_t)octave, q);
        const double x = q[0], y = q[1], z = q[2];
        q[0] = -1.2 * x + 1.6 * y;
        q[1] = 2 * z;
        q[2] = 1.6 * x + 1.2 * y;
    }
    return sum;
}

BI_LONG_FN double bi_planet_height(const struct bi_planet_view *s, const double d[3])
{
    const struct bi_planet_texel t = bi_planet_texel_of(s, d);
    double height = bi_planet_raster_height(s, t);
    if (s->inset_count) height = bi_planet_apply_insets(s, t, height);
    return height + bi_planet_detail(s, d);
}

/* The position of the surface in the direction of a point. */
BI_FN void bi_planet_surface_position(const struct bi_planet_view *s, const double p[3], double at[3])
{
    double d[3];
    bi_planet_unit(p, d);
    const double r = s->radius + bi_planet_height(s, d);
    for (int c = 0; c < 3; c++) at[c] = d[c] * r;
}

/* Positions that were computed last, by their points of the octahedron: up to four triangles share a new vertex. */
enum { BI_PLANET_RECENT_BITS = 9 }; /* 24 KB */
struct bi_planet_recent {
    double point[1 << BI_PLANET_RECENT_BITS][3], position[1 << BI_PLANET_RECENT_BITS][3];
};

BI_FN uint32_t bi_planet_recent_slot(const double p[3])
{
    uint64_t hash = 0;
    for (int c = 0; c < 3; c++) hash = (hash ^ bi_f64_bits(p[c])) * 0x9e3779b97f4a7c15u; /* the golden ratio */
    return (uint32_t)(hash >> (64 - BI_PLANET_RECENT_BITS));
}

/* As bi_planet_surface_position. recent: NULL, or cleared before its first use; no point of the octahedron is 0. */
BI_FN void bi_planet_recent_position(const struct bi_planet_view *s, struct bi_planet_recent *recent, const double p[3],
                                     double at[3])
{
    if (!recent) {
        bi_planet_surface_position(s, p, at);
        return;
    }
    const uint32_t slot = bi_planet_recent_slot(p);
    double *point = recent->point[slot], *position = recent->position[slot];
    if (point[0] != p[0] || point[1] != p[1] || point[2] != p[2]) {
        bi_planet_surface_position(s, p, position);
        for (int c = 0; c < 3; c++) point[c] = p[c];
    }
    for (int c = 0; c < 3; c++) at[c] = position[c];
}

/* Item i: a direction. */
struct bi_planet_sample {
    struct bi_planet_view view;
    const double *directions;
    double *heights, *positions; /* or NULL */
};

/* NaN for directions that cannot be normalised: 0, very short or long ones, NaN. */
BI_FN void bi_step_planet_sample(const struct bi_planet_sample *a, int64_t i)
{
    const double *p = a->directions + 3 * i;
    const double square = bi_planet_dot(p, p);
    double d[3] = {BI_QUIET_NAN, BI_QUIET_NAN, BI_QUIET_NAN}, height = BI_QUIET_NAN;
    if (square >= 0x1p-1000 && square <= 0x1p1000) {
        bi_planet_unit(p, d);
        height = bi_planet_height(&a->view, d);
    }
    if (a->heights) a->heights[i] = height;
    for (int c = 0; c < 3 && a->positions; c++) a->positions[3 * i + c] = d[c] * (a->view.radius + height);
}
BI_PLANET_TILED(sample, bi_planet_sample)

#endif
