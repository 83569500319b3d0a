/* Squared distances to leaves and boxes of 3-D floats, as vectors. Hot files include it, compiled once a level. */
#ifndef BI_CLOUDS_CPU_MEASURE_H
#define BI_CLOUDS_CPU_MEASURE_H

#include <string.h>

#include "clouds/clouds.h"

#if defined(__AVX2__)
#include <immintrin.h>
#endif

typedef float bi_float4 __attribute__((vector_size(16)));
typedef int32_t bi_int4 __attribute__((vector_size(16)));

static inline bi_float4 bi_load4(const float *from)
{
    bi_float4 x;
    memcpy(&x, from, sizeof x);
    return x;
}

/* The larger of each pair; b where one is NaN. */
static inline bi_float4 bi_max4(bi_float4 a, bi_float4 b)
{
    const bi_int4 is_more = a > b;
    return (bi_float4)(((bi_int4)a & is_more) | ((bi_int4)b & ~is_more));
}

/* As bi_clouds_box_dist2. */
static inline float bi_clouds_box_distance(const float *box, bi_float4 q)
{
    const bi_float4 zero = {0, 0, 0, 0}, low = bi_load4(box), high = bi_load4(box + 4);
    const bi_float4 out = bi_max4(bi_max4(low - q, q - high), zero), square = out * out;
    return square[0] + square[1] + square[2];
}

/* Squared distances of the rows of a leaf, as bi_clouds_dist2; their coordinates are transposed. */
#if defined(__AVX2__)
static inline __m256 bi_load_pair(const float *a, const float *b, __m128 q)
{
    return _mm256_set_m128(_mm_sub_ps(_mm_loadu_ps(b), q), _mm_sub_ps(_mm_loadu_ps(a), q));
}

static inline void bi_clouds_measure_rows(const float *const row[BI_CLOUDS_LEAF], bi_float4 query,
                                          float d[BI_CLOUDS_LEAF])
{
    const __m128 q = (__m128)query;
    const __m256 p0 = bi_load_pair(row[0], row[4], q), p1 = bi_load_pair(row[1], row[5], q);
    const __m256 p2 = bi_load_pair(row[2], row[6], q), p3 = bi_load_pair(row[3], row[7], q);
    const __m256 xy01 = _mm256_unpacklo_ps(p0, p1), xy23 = _mm256_unpacklo_ps(p2, p3);
    const __m256 z01 = _mm256_unpackhi_ps(p0, p1), z23 = _mm256_unpackhi_ps(p2, p3);
    const __m256 x = _mm256_shuffle_ps(xy01, xy23, 0x44), y = _mm256_shuffle_ps(xy01, xy23, 0xee);
    const __m256 z = _mm256_shuffle_ps(z01, z23, 0x44);
    const __m256 plane = _mm256_add_ps(_mm256_mul_ps(x, x), _mm256_mul_ps(y, y));
    _mm256_storeu_ps(d, _mm256_add_ps(plane, _mm256_mul_ps(z, z)));
}
#else
static inline void bi_clouds_measure_rows(const float *const row[BI_CLOUDS_LEAF], bi_float4 q, float d[BI_CLOUDS_LEAF])
{
    for (int j = 0; j < BI_CLOUDS_LEAF; j += 4) {
        const bi_float4 p0 = bi_load4(row[j]) - q, p1 = bi_load4(row[j + 1]) - q;
        const bi_float4 p2 = bi_load4(row[j + 2]) - q, p3 = bi_load4(row[j + 3]) - q;
        const bi_float4 xy01 = __builtin_shufflevector(p0, p1, 0, 4, 1, 5);
        const bi_float4 xy23 = __builtin_shufflevector(p2, p3, 0, 4, 1, 5);
        const bi_float4 z01 = __builtin_shufflevector(p0, p1, 2, 6, 3, 7);
        const bi_float4 z23 = __builtin_shufflevector(p2, p3, 2, 6, 3, 7);
        const bi_float4 x = __builtin_shufflevector(xy01, xy23, 0, 1, 4, 5);
        const bi_float4 y = __builtin_shufflevector(xy01, xy23, 2, 3, 6, 7);
        const bi_float4 z = __builtin_shufflevector(z01, z23, 0, 1, 4, 5), square = x * x + y * y + z * z;
        memcpy(d + j, &square, sizeof square);
    }
}
#endif

/* The distances of the `count` points from `begin` on, a leaf; the first stands in for missing ones. */
static inline void bi_clouds_measure_leaf(const struct bi_clouds_view *v, bi_float4 q, int64_t begin, int count,
                                          float d[BI_CLOUDS_LEAF])
{
    const float *row[BI_CLOUDS_LEAF];
    for (int j = 0; j < BI_CLOUDS_LEAF; j++) row[j] = (const float *)v->points + 4 * (j < count ? begin + j : begin);
    bi_clouds_measure_rows(row, q, d);
}

#endif
