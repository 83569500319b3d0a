/* Return the distances of 16, as bits, that do not exceed a limit; NaN does not exceed it. */
#ifndef BI_KDTREE_CPU_WITHIN_LIMIT_H
#define BI_KDTREE_CPU_WITHIN_LIMIT_H

#include <stdint.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#if BI_LEVEL == 4

static inline uint32_t near_f32(const float *s, float limit)
{
    return _mm512_cmp_ps_mask(_mm512_load_ps(s), _mm512_set1_ps(limit), _CMP_NGT_UQ);
}

static inline uint32_t near_f64(const double *s, double limit)
{
    __m512d x = _mm512_set1_pd(limit);
    return _mm512_cmp_pd_mask(_mm512_load_pd(s), x, _CMP_NGT_UQ) |
           (uint32_t)_mm512_cmp_pd_mask(_mm512_load_pd(s + 8), x, _CMP_NGT_UQ) << 8;
}

#elif BI_LEVEL == 3

static inline uint32_t near_f32(const float *s, float limit)
{
    __m256 x = _mm256_set1_ps(limit);
    return (uint32_t)_mm256_movemask_ps(_mm256_cmp_ps(_mm256_load_ps(s), x, _CMP_NGT_UQ)) |
           (uint32_t)_mm256_movemask_ps(_mm256_cmp_ps(_mm256_load_ps(s + 8), x, _CMP_NGT_UQ)) << 8;
}

static inline uint32_t near_f64(const double *s, double limit)
{
    __m256d x = _mm256_set1_pd(limit);
    uint32_t bits = 0;
    for (int i = 0; i < 16; i += 4)
        bits |= (uint32_t)_mm256_movemask_pd(_mm256_cmp_pd(_mm256_load_pd(s + i), x, _CMP_NGT_UQ)) << i;
    return bits;
}

#elif defined(__x86_64__)

static inline uint32_t near_f32(const float *s, float limit)
{
    __m128 x = _mm_set1_ps(limit);
    uint32_t bits = 0;
    for (int i = 0; i < 16; i += 4) bits |= (uint32_t)_mm_movemask_ps(_mm_cmpngt_ps(_mm_load_ps(s + i), x)) << i;
    return bits;
}

static inline uint32_t near_f64(const double *s, double limit)
{
    __m128d x = _mm_set1_pd(limit);
    uint32_t bits = 0;
    for (int i = 0; i < 16; i += 2) bits |= (uint32_t)_mm_movemask_pd(_mm_cmpngt_pd(_mm_load_pd(s + i), x)) << i;
    return bits;
}

#else

static inline uint32_t near_f32(const float *s, float limit)
{
    uint32_t bits = 0;
    for (int i = 0; i < 16; i++) bits |= (uint32_t) !(s[i] > limit) << i;
    return bits;
}

static inline uint32_t near_f64(const double *s, double limit)
{
    uint32_t bits = 0;
    for (int i = 0; i < 16; i++) bits |= (uint32_t) !(s[i] > limit) << i;
    return bits;
}

#endif

#endif
