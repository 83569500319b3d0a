/* Stores the points of a small subtree from columns to the blocks of the tree. */
#ifndef BI_KDTREE_CPU_LEAF_STORE_H
#define BI_KDTREE_CPU_LEAF_STORE_H

#include <stdbool.h>

#include "kdtree/cpu/lanes.h"

/* store_ordered32 and 64 write points order[0], ... order[m - 1] of a column to lanes at, at + 1, ... of blocks of 16
 * elements, `pitch` apart. top: the sign bit, which turns keys into elements; 0 for ids. floating: elements are floats.
 * They may read 16 bytes before `order` and 48 behind its first m. */
#define PLAIN_STORE(KEY, bits)                                                                            \
    static inline void store_ordered##bits(const KEY *from, int m, const uint8_t *order, KEY *to, int at, \
                                           int64_t pitch, KEY top, bool floating)                         \
    {                                                                                                     \
        for (int i = 0; i < m; i++) {                                                                     \
            KEY key = from[order[i]];                                                                     \
            to[(at + i) / 16 * pitch + (at + i) % 16] = floating && !(key & top) ? (KEY)~key : key ^ top; \
        }                                                                                                 \
    }

#if BI_LEVEL == 4
static inline void store_ordered32(const uint32_t *from, int m, const uint8_t *order, uint32_t *to, int at,
                                   int64_t pitch, uint32_t top, bool floating)
{
    /* The key of a positive float has the sign bit set: that bit is flipped; of a negative one, all bits are. */
    const __m512i sign = _mm512_set1_epi32((int)top), all = _mm512_set1_epi32(floating ? -1 : (int)top);
    __m512i low = _mm512_maskz_loadu_epi32(first_lanes(m), from), high = low;
    if (m > 16) high = _mm512_maskz_loadu_epi32(first_lanes(m - 16), from + 16);
    for (int first = -at; first < m; first += 16, to += pitch) {
        __m512i slots = _mm512_cvtepu8_epi32(_mm_loadu_si128((const __m128i *)(order + first)));
        __m512i x = _mm512_permutex2var_epi32(low, slots, high);
        __mmask16 positive = _mm512_test_epi32_mask(x, sign);
        __mmask16 lanes = (__mmask16)(first_lanes(m - first) & (first < 0 ? 0xffff << -first : 0xffff));
        x = _mm512_xor_si512(x, _mm512_mask_blend_epi32(positive, all, sign));
        _mm512_mask_storeu_epi32(to, lanes, x);
    }
}

#else

PLAIN_STORE(uint32_t, 32)

#endif

PLAIN_STORE(uint64_t, 64)

#endif
