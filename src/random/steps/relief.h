/* Steps that compute fractal relief, sample by sample. The noise is Perlin's: random gradients at the points of a
 * lattice, and smooth interpolation between them. Octaves are rotated against each other to hide the lattice. Sources:
 * Perlin, Improving Noise (2002); Musgrave, in Ebert et al., Texturing and Modeling (2003), for ridges; Quilez, Value
 * Noise Derivatives (2008), for slopes that damp finer octaves, which imitates erosion. */
#ifndef BI_RANDOM_STEPS_RELIEF_H
#define BI_RANDOM_STEPS_RELIEF_H

#include <boscage/random.h>

#include "base/philox.h"

enum { BI_RANDOM_RELIEF_ENTRIES = 4096, BI_RANDOM_RELIEF_OCTAVES = 9 };

/* Entry of the hash table of gradients: the index of a random entry, and a gradient in [-1, 1)^2. */
struct bi_random_relief_entry {
    uint32_t next;
    float gx, gy;
};

struct bi_random_relief_args {
    uint64_t seed;
    bosc_random_heights_kind kind;
    int64_t width;
    struct bi_random_relief_entry *entries;
    float *heights;
};

BI_FN void bi_step_relief_entries(const struct bi_random_relief_args *a, int64_t i)
{
    struct bi_philox block = bi_philox_at(a->seed, 0xb05ca9e0e1ef0000ull, (uint64_t)i);
    a->entries[i].next = block.v[0] % BI_RANDOM_RELIEF_ENTRIES;
    a->entries[i].gx = 2 * bi_unit_f32(block.v[1]) - 1;
    a->entries[i].gy = 2 * bi_unit_f32(block.v[2]) - 1;
}

struct bi_random_relief_noise {
    double value, dx, dy; /* the value, about -0.7 to 0.7, and its derivatives */
};

/* Returns the entry of a lattice point; `field` selects one of several independent noise functions. */
BI_FN struct bi_random_relief_entry bi_random_relief_at(const struct bi_random_relief_entry *entries, int field,
                                                        int64_t x, int64_t y)
{
    uint32_t e = entries[((uint32_t)x + (uint32_t)field * 97) % BI_RANDOM_RELIEF_ENTRIES].next;
    return entries[(entries[(e + (uint32_t)y) % BI_RANDOM_RELIEF_ENTRIES].next + (uint32_t)field) %
                   BI_RANDOM_RELIEF_ENTRIES];
}

BI_FN int64_t bi_random_relief_floor(double x)
{
    int64_t i = (int64_t)x;
    return x < (double)i ? i - 1 : i;
}

/* Perlin noise and its derivatives. */
BI_FN struct bi_random_relief_noise bi_random_relief_noise_at(const struct bi_random_relief_entry *entries, int field,
                                                              double x, double y)
{
    int64_t i = bi_random_relief_floor(x), j = bi_random_relief_floor(y);
    double u = x - (double)i, v = y - (double)j;
    /* The gradients of the four corners, and their linear functions at (u, v). */
    struct bi_random_relief_entry a = bi_random_relief_at(entries, field, i, j),
                                  b = bi_random_relief_at(entries, field, i + 1, j);
    struct bi_random_relief_entry c = bi_random_relief_at(entries, field, i, j + 1),
                                  d = bi_random_relief_at(entries, field, i + 1, j + 1);
    double p = a.gx * u + a.gy * v, q = b.gx * (u - 1) + b.gy * v;
    double r = c.gx * u + c.gy * (v - 1), s = d.gx * (u - 1) + d.gy * (v - 1);
    /* Quintic interpolation weights and their derivatives (Perlin, 2002). */
    double fu = u * u * u * (u * (u * 6 - 15) + 10), fv = v * v * v * (v * (v * 6 - 15) + 10);
    double du = 30 * u * u * (u * (u - 2) + 1), dv = 30 * v * v * (v * (v - 2) + 1);
    double cross = p - q - r + s, fuv = fu * fv;
    struct bi_random_relief_noise n;
    n.value = p + fu * (q - p) + fv * (r - p) + fuv * cross;
    n.dx =
        a.gx + fu * (b.gx - a.gx) + fv * (c.gx - a.gx) + fuv * (a.gx - b.gx - c.gx + d.gx) + du * (q - p + fv * cross);
    n.dy =
        a.gy + fu * (b.gy - a.gy) + fv * (c.gy - a.gy) + fuv * (a.gy - b.gy - c.gy + d.gy) + dv * (r - p + fu * cross);
    return n;
}

/* A position in the lattice of an octave. The next octave has half the cell size and is rotated by the angle of the
 * 3-4-5 triangle. */
struct bi_random_relief_position {
    double x, y;
};
BI_FN struct bi_random_relief_position bi_random_relief_next_octave(struct bi_random_relief_position p)
{
    struct bi_random_relief_position next = {1.6 * p.x + 1.2 * p.y, -1.2 * p.x + 1.6 * p.y};
    return next;
}

/* Eroded land: the steeper the sum of coarser octaves, the less a finer one contributes. About -0.5 to 0.6. */
BI_FN double bi_random_relief_eroded(const struct bi_random_relief_entry *entries, struct bi_random_relief_position p,
                                     double gain)
{
    double z = 0, slope_x = 0, slope_y = 0, size = 1, cosine = 1, sine = 0;
    for (int k = 0; k < BI_RANDOM_RELIEF_OCTAVES; k++) {
        struct bi_random_relief_noise n = bi_random_relief_noise_at(entries, k, p.x, p.y);
        slope_x += cosine * n.dx - sine * n.dy; /* rotated back to the first octave's axes */
        slope_y += sine * n.dx + cosine * n.dy;
        z += size * n.value / (1 + 0.6 * (slope_x * slope_x + slope_y * slope_y));
        size *= gain;
        p = bi_random_relief_next_octave(p);
        double rotated = cosine * 0.8 - sine * 0.6;
        sine = sine * 0.8 + cosine * 0.6;
        cosine = rotated;
    }
    return z;
}

/* Ridged noise: crests where the noise is 0, rougher the higher they are. About 0.2 to 2. */
BI_FN double bi_random_relief_ridged(const struct bi_random_relief_entry *entries, struct bi_random_relief_position p,
                                     double gain)
{
    enum { WARP = 20, FIRST = 30 }; /* fields that eroded land does not use */
    double z = 0, size = 1, weight = 1;
    /* Distort the position a little, so that crests are not straight. */
    double bend_x = bi_random_relief_noise_at(entries, WARP, 2 * p.x, 2 * p.y).value;
    double bend_y = bi_random_relief_noise_at(entries, WARP + 1, 2 * p.x, 2 * p.y).value;
    p.x += 0.15 * bend_x;
    p.y += 0.15 * bend_y;
    for (int k = 0; k < BI_RANDOM_RELIEF_OCTAVES; k++) {
        double n = bi_random_relief_noise_at(entries, FIRST + k, p.x, p.y).value;
        double crest = 1 - 1.4 * (n < 0 ? -n : n);
        double s = crest * crest * weight;
        weight = s > 0.625 ? 1 : 1.6 * s;
        z += size * s;
        size *= gain;
        p = bi_random_relief_next_octave(p);
    }
    return z;
}

/* Eroded land with ridges on its high areas. The numbers of this and the next function are a matter of looks. */
BI_FN double bi_random_relief_mountains(const struct bi_random_relief_entry *entries, double x, double y)
{
    struct bi_random_relief_position wide = {x / 700, y / 700}, narrow = {x / 400, y / 400};
    double base = bi_random_relief_eroded(entries, wide, 0.5), m = 1.3 * base + 0.45;
    m = m < 0 ? 0 : m > 1 ? 1 : m;
    return 0.35 * base + 0.15 + m * m * (3 - 2 * m) * 0.55 * bi_random_relief_ridged(entries, narrow, 0.48);
}

BI_FN void bi_step_relief(const struct bi_random_relief_args *a, int64_t i)
{
    int64_t row = i / a->width, column = i % a->width;
    double x = (double)column, y = (double)row, z;
    if (a->kind == BOSC_RANDOM_HEIGHTS_HILLS) {
        struct bi_random_relief_position p = {x / 300, y / 300};
        z = 600 + 1300 * bi_random_relief_eroded(a->entries, p, 0.45);
    } else {
        z = 3400 * bi_random_relief_mountains(a->entries, x, y);
    }
    if (a->kind == BOSC_RANDOM_HEIGHTS_ISLANDS) z = z < 1500 ? 0 : z - 1500;
    a->heights[i] = (float)(z < 0 ? 0 : z);
}

#endif
