/* Small subtrees by masks of their points, of which there are at most 32: which of them lie below which, and the
 * medians of subsets. With AVX-512 alone; elsewhere leaf.inc selects medians among copied keys. */
#ifndef BI_KDTREE_CPU_LEAF_MASKS_H
#define BI_KDTREE_CPU_LEAF_MASKS_H

#include "kdtree/cpu/lanes.h"

#if BI_LEVEL == 4

enum { LEAF_LEVELS = 5 }; /* of 32 points that have more than one in a subtree */

/* Bit j of below[i] tells that key j is less than key i, for i and j below m, which is at most 32. */
static inline void below_masks32(const uint32_t *keys, int m, uint32_t *below)
{
    const __m512i rest = _mm512_set1_epi32(-1);
    __m512i low = _mm512_mask_loadu_epi32(rest, first_lanes(m), keys);
    __m512i high = m > 16 ? _mm512_mask_loadu_epi32(rest, first_lanes(m - 16), keys + 16) : rest;
    __m512i low_masks = _mm512_setzero_si512(), high_masks = low_masks;
    __m512i bit = _mm512_set1_epi32(1);
    for (int i = 0; i < m; i++, bit = _mm512_add_epi32(bit, bit)) {
        __m512i key = _mm512_set1_epi32((int)keys[i]);
        low_masks = _mm512_mask_or_epi32(low_masks, _mm512_cmplt_epu32_mask(key, low), low_masks, bit);
        high_masks = _mm512_mask_or_epi32(high_masks, _mm512_cmplt_epu32_mask(key, high), high_masks, bit);
    }
    _mm512_store_si512(below, low_masks);
    _mm512_store_si512(below + 16, high_masks);
}

static inline void below_masks64(const uint64_t *keys, int m, uint32_t *below)
{
    __m512i lanes[4], masks[2] = {_mm512_setzero_si512(), _mm512_setzero_si512()};
    for (int v = 0; v < 4; v++) {
        __mmask8 valid = (__mmask8)(m > 8 * v ? first_lanes(m - 8 * v) : 0);
        lanes[v] = _mm512_mask_loadu_epi64(_mm512_set1_epi64(-1), valid, keys + (valid ? 8 * v : 0));
    }
    for (int i = 0; i < m; i++) {
        __m512i key = _mm512_set1_epi64((long long)keys[i]), bit = _mm512_set1_epi32((int)(1u << i));
        for (int v = 0; v < 2; v++) {
            __mmask16 above = _mm512_kunpackb(_mm512_cmplt_epu64_mask(key, lanes[2 * v + 1]),
                                              _mm512_cmplt_epu64_mask(key, lanes[2 * v]));
            masks[v] = _mm512_mask_or_epi32(masks[v], above, masks[v], bit);
        }
    }
    _mm512_store_si512(below, masks[0]);
    _mm512_store_si512(below + 16, masks[1]);
}

/* The set bits of each lane. */
static inline __m512i count_bits(__m512i x)
{
    const __m512i nibble = _mm512_set1_epi8(15), ones = _mm512_set1_epi8(1);
    const __m512i counts = _mm512_broadcast_i32x4(_mm_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4));
    __m512i low = _mm512_shuffle_epi8(counts, _mm512_and_si512(x, nibble));
    __m512i high = _mm512_shuffle_epi8(counts, _mm512_and_si512(_mm512_srli_epi32(x, 4), nibble));
    __m512i pairs = _mm512_maddubs_epi16(_mm512_add_epi8(low, high), ones);
    return _mm512_madd_epi16(pairs, _mm512_set1_epi16(1));
}

/* Those points of a subset that have `rank` points of it below them: one if its median has a key of its own. */
static inline uint32_t points_of_rank(const uint32_t *below, uint32_t subset, int rank)
{
    const __m512i in = _mm512_set1_epi32((int)subset), wanted = _mm512_set1_epi32(rank);
    __m512i low = count_bits(_mm512_and_si512(_mm512_load_si512(below), in));
    __m512i high = count_bits(_mm512_and_si512(_mm512_load_si512(below + 16), in));
    return subset & (_mm512_cmpeq_epi32_mask(low, wanted) | (uint32_t)_mm512_cmpeq_epi32_mask(high, wanted) << 16);
}

#endif
#endif
