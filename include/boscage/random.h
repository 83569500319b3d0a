/* boscage/random.h - random bits, points and relief by a counter-based generator: the same on every machine and
 * backend.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Family: points, graphs and keys
 * Start with: bosc_random_points */
#ifndef BOSCAGE_RANDOM_H
#define BOSCAGE_RANDOM_H

#include <boscage/context.h>

BOSC_BEGIN_DECLS

typedef enum bosc_random_points_kind {
    BOSC_RANDOM_POINTS_UNIFORM = 0,   /* each coordinate uniform in [0, 1) */
    BOSC_RANDOM_POINTS_NORMAL = 1,    /* each coordinate of mean 0 and variance 1 */
    BOSC_RANDOM_POINTS_CLUSTERED = 2, /* normal, sigma 0.01, around 64 centres uniform in [0, 1) */
    BOSC_RANDOM_POINTS_SPHERE = 3     /* uniform on the unit sphere of the dimension */
} bosc_random_points_kind;

/* Fills an array with random words of 32 bits.
 * Word i is output i % 4 of Philox4x32-10 at counter i / 4 (64 bits; `stream` is the counter's upper half) under the
 * key `seed`.
 * bits (n): the words.
 * Cost: O(n) work; no scratch.
 * Queues.
 * Source: Salmon et al., Parallel Random Numbers: As Easy as 1, 2, 3 (SC'11). */
BOSC_API bosc_status bosc_random_bits(bosc_ctx *ctx, uint64_t seed, uint64_t stream, int64_t n, uint32_t *bits);

/* Fills an array with random points.
 * Row i depends on (kind, seed, dim, i) alone. Integer points are the floating ones times 2^20, rounded to the nearest
 * (uniform: 0 to 2^20).
 * dim: 1 to 1024.
 * dtype: F32, F64, I32 or I64.
 * points (n x dim): of dtype.
 * Cost: O(n dim) work; no scratch.
 * Queues. */
BOSC_API bosc_status bosc_random_points(bosc_ctx *ctx, bosc_random_points_kind kind, uint64_t seed, int64_t n,
                                        int32_t dim, bosc_dtype dtype, void *points);

typedef enum bosc_random_heights_kind {
    BOSC_RANDOM_HEIGHTS_MOUNTAINS = 0, /* plains and ridges */
    BOSC_RANDOM_HEIGHTS_HILLS = 1,     /* rounded land */
    BOSC_RANDOM_HEIGHTS_ISLANDS = 2    /* the mountains, in a sea of height 0 */
} bosc_random_heights_kind;

/* Fills an array with fractal relief: metres, from 0 to about 4,000, for samples 30 m apart.
 * The height at a column and row depends on these, the kind and the seed alone.
 * width, height: 0 or more.
 * heights (height x width): in metres.
 * Cost: O(width height) work, up to 20 noise samples each; 48 KiB of scratch.
 * Queues.
 * Sources: Perlin, Improving Noise (2002); Musgrave, in Ebert et al., Texturing and Modeling (2003). */
BOSC_API bosc_status bosc_random_heights(bosc_ctx *ctx, bosc_random_heights_kind kind, uint64_t seed, int64_t width,
                                         int64_t height, float *heights);

BOSC_END_DECLS
#endif
