/* boscage/random.h - numbers, points and relief from a counter-based generator: the same on every machine and backend.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BOSCAGE_RANDOM_H
#define BOSCAGE_RANDOM_H

#include <boscage/context.h>

BOSC_BEGIN_DECLS

typedef enum bosc_points_kind {
    BOSC_POINTS_UNIFORM = 0,   /* each coordinate uniform in [0, 1) */
    BOSC_POINTS_NORMAL = 1,    /* each coordinate of mean 0 and variance 1 */
    BOSC_POINTS_CLUSTERED = 2, /* normal, sigma 0.01, around 64 centres uniform in [0, 1) */
    BOSC_POINTS_SPHERE = 3     /* uniform on the unit sphere of the dimension */
} bosc_points_kind;

/* Fills `bits` with n words of Philox4x32-10: word i is output i % 4 of counter i / 4 (as 64 bits, the upper half
 * of the counter `stream`) under the key `seed`. `bits` in host memory or the context's; waits if host.
 * Source: Salmon et al., Parallel Random Numbers: As Easy as 1, 2, 3 (SC'11). */
BOSC_API bosc_status bosc_random_bits(bosc_ctx *ctx, uint64_t seed, uint64_t stream, int64_t n, uint32_t *bits);

/* Fills `points`, n rows of dim coordinates, C order, of dtype F32, F64, I32 or I64. Integer points are the
 * floating ones times 2^20, rounded to the nearest (uniform: 0 to 2^20). Row i depends on (kind, seed, dim, i)
 * alone. dim 1 to 1024. `points` in host memory or the context's; waits if host. O(n dim). */
BOSC_API bosc_status bosc_random_points(bosc_ctx *ctx, bosc_points_kind kind, uint64_t seed, int64_t n, int32_t dim,
                                        bosc_dtype dtype, void *points);

typedef enum bosc_heights_kind {
    BOSC_HEIGHTS_MOUNTAINS = 0, /* plains and ridges */
    BOSC_HEIGHTS_HILLS = 1,     /* rounded land */
    BOSC_HEIGHTS_ISLANDS = 2    /* the mountains, in a sea of height 0 */
} bosc_heights_kind;

/* Fills `heights`, h rows of w, with fractal relief: metres, from 0 to about 4,000, for samples 30 m apart. The height
 * of a column and row depends on them, the kind and the seed alone. w and h are 0 or more. `heights` in host memory or
 * the context's; waits if host. O(w h). Sources: Perlin, Improving Noise (2002); Musgrave, in Ebert et al., Texturing
 * and Modeling (2003). */
BOSC_API bosc_status bosc_random_heights(bosc_ctx *ctx, bosc_heights_kind kind, uint64_t seed, int64_t w, int64_t h,
                                         float *heights);

BOSC_END_DECLS
#endif
