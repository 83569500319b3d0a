/* boscage/random.h - random bits, points, keys, words and relief by a counter-based generator: the same on every
 * machine and backend.
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
    BOSC_RANDOM_POINTS_SPHERE = 3,    /* uniform on the unit sphere of the dimension */
    BOSC_RANDOM_POINTS_MIXTURE = 4,   /* normal around 1,000 centres uniform in [0, 1), chosen with weight 1 / rank;
                                         each has its sigma, uniform in [0.0005, 0.005) */
    BOSC_RANDOM_POINTS_PLANE = 5,     /* uniform, but the last of several coordinates is 0 */
    BOSC_RANDOM_POINTS_LINE = 6,      /* the first coordinate uniform, the others 0 */
    BOSC_RANDOM_POINTS_LIDAR = 7,     /* scans of a room in metres, z up, coordinates after the third 0: four poses in
                                         a square of 40 m, 64 beams each from -25 to +3 degrees, 1.7 m above the ground
                                         z = 0; walls 20 to 45 m from the pose in a smooth curve; uniform angles. Rows
                                         ascend by (pose, beam, angle) */
    BOSC_RANDOM_POINTS_LATTICE = 8,   /* each coordinate k / 64, k uniform in 0 to 63: many points are equal */
    BOSC_RANDOM_POINTS_HALF_EQUAL = 9 /* uniform; each row is with probability 1 / 2 the same point */
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
 * Row i depends on (kind, seed, dim, i) alone, for LIDAR also on n. Integer points are the floating ones times 2^20,
 * rounded to the nearest (uniform: 0 to 2^20).
 * dim: 1 to 1024.
 * dtype: F32, F64, I32 or I64.
 * points (n x dim): of dtype.
 * Cost: O(n dim) work; no scratch. LIDAR: a sort of n 64-bit keys, about 24 n bytes of scratch.
 * Queues. */
BOSC_API bosc_status bosc_random_points(bosc_ctx *ctx, bosc_random_points_kind kind, uint64_t seed, int64_t n,
                                        int32_t dim, bosc_dtype dtype, void *points);

typedef enum bosc_random_keys_kind {
    BOSC_RANDOM_KEYS_DISTINCT = 0,   /* random, all distinct */
    BOSC_RANDOM_KEYS_SEQUENTIAL = 1, /* 0, 1, 2, ... */
    BOSC_RANDOM_KEYS_MULTIPLES = 2,  /* distinct: i * 2^8 of 32 bits, from 2^24 on with i / 2^24 added; i * 2^32 of 64
                                        bits */
    BOSC_RANDOM_KEYS_ZIPF = 3,       /* one of 10^6 distinct random keys; the r-th with a probability proportional to
                                        1 / r */
    BOSC_RANDOM_KEYS_EQUAL = 4       /* all the same random key */
} bosc_random_keys_kind;

/* Fills an array with keys.
 * Key i depends on (kind, seed, key_bits, i) alone. The r-th key of ZIPF, from 1, is key r - 1 of DISTINCT of the seed,
 * and the key of EQUAL is key 0.
 * n: below 2^32.
 * key_bits: 32 or 64.
 * keys (n): of key_bits.
 * Cost: O(n) work and 2^19 random words; 2 MiB of scratch.
 * Queues. */
BOSC_API bosc_status bosc_random_keys(bosc_ctx *ctx, bosc_random_keys_kind kind, uint64_t seed, int64_t n,
                                      int32_t key_bits, void *keys);

typedef enum bosc_random_words_kind {
    BOSC_RANDOM_WORDS_UNIFORM = 0, /* each letter uniform */
    BOSC_RANDOM_WORDS_PAIRS = 1    /* the same, but each odd row is the row before it with one letter replaced */
} bosc_random_words_kind;

/* Fills an array with words over an alphabet.
 * Row i depends on (kind, seed, length, letters, i) alone.
 * length: letters of a word, 1 to 65,536.
 * letters: of the alphabet, 2 to 256.
 * words (n x length): numbers of letters, from 0 to letters - 1.
 * Cost: O(n length) work; no scratch.
 * Queues. */
BOSC_API bosc_status bosc_random_words(bosc_ctx *ctx, bosc_random_words_kind kind, uint64_t seed, int64_t n,
                                       int32_t length, int32_t letters, uint8_t *words);

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
