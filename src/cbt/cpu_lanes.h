/* Decodes a block of a tree with 16 lanes (AVX-512): where leaves begin, packed by their bits; then the nodes, from how
 * far it is to the next one. */
#ifndef BI_CBT_CPU_LANES_H
#define BI_CBT_CPU_LANES_H

#include <immintrin.h>
#include <stdbool.h>

#include "base/step.h"

#define BI_CBT_DECODE_MIXED bi_cbt_decode_lanes

/* The places (from the block's first) where leaves begin; lanes behind the last one are written too. */
static inline uint32_t bi_cbt_lanes_begins(const uint64_t bits[16], uint32_t begins[1024 + 16])
{
    const __m512i step = _mm512_set1_epi32(16);
    __m512i places = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    uint32_t n = 0;
    for (int w = 0; w < 16; w++) {
        for (int part = 0; part < 4; part++) {
            __mmask16 set = (__mmask16)(bits[w] >> 16 * part);
            _mm512_storeu_si512(begins + n, _mm512_maskz_compress_epi32(set, places));
            n += (uint32_t)__builtin_popcount(set);
            places = _mm512_add_epi32(places, step);
        }
    }
    return n;
}

/* As bi_cbt_decode_mixed. */
static inline void bi_cbt_decode_lanes(const uint64_t bits[16], uint64_t base, uint32_t end, void *nodes, int64_t at,
                                       bool wide)
{
    const __m512i most = _mm512_set1_epi32(31), base32 = _mm512_set1_epi32((int)(uint32_t)base);
    const __m512i base64 = _mm512_set1_epi64((long long)base);
    uint32_t begins[1024 + 16 + 1], n = bi_cbt_lanes_begins(bits, begins);
    begins[n] = end;
    for (uint32_t i = 0; i < n; i += 16) {
        __mmask16 some = (__mmask16)(n - i < 16 ? (1u << (n - i)) - 1 : 0xffffu);
        __m512i begin = _mm512_maskz_loadu_epi32(some, begins + i);
        __m512i length = _mm512_sub_epi32(_mm512_maskz_loadu_epi32(some, begins + i + 1), begin);
        __m512i size = _mm512_sub_epi32(most, _mm512_lzcnt_epi32(length));
        if (!wide) {
            __m512i node = _mm512_srlv_epi32(_mm512_add_epi32(begin, base32), size);
            _mm512_mask_storeu_epi32((uint32_t *)nodes + at + i, some, node);
            continue;
        }
        for (int half = 0; half < 2; half++) {
            __m256i b = half ? _mm512_extracti64x4_epi64(begin, 1) : _mm512_castsi512_si256(begin);
            __m256i s = half ? _mm512_extracti64x4_epi64(size, 1) : _mm512_castsi512_si256(size);
            __m512i node =
                _mm512_srlv_epi64(_mm512_add_epi64(_mm512_cvtepu32_epi64(b), base64), _mm512_cvtepu32_epi64(s));
            _mm512_mask_storeu_epi64((uint64_t *)nodes + at + i + 8 * half, (__mmask8)(some >> 8 * half), node);
        }
    }
}

#endif
