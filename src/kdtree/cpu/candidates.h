/* Candidates of searches, packed from blocks of 16 nodes. */
#ifndef BI_KDTREE_CPU_CANDIDATES_H
#define BI_KDTREE_CPU_CANDIDATES_H

#include "kdtree/cpu/within_limit.h"

/* Packs those of 16 times `blocks` nodes that are in a mask and whose distance is a number: distances and ids to to[0],
 * to_ids[0], ... Returns how many there are; up to 16 places behind them are written too. */
#define BI_PACK(NAME, T, ID)                                                                                \
    static inline int NAME(const T *far, uint64_t near, int blocks, const uint32_t *ids, T *to, ID *to_ids) \
    {                                                                                                       \
        int count = 0;                                                                                      \
        for (; near; near &= near - 1) {                                                                    \
            int lane = __builtin_ctzll(near);                                                               \
            to[count] = far[lane];                                                                          \
            to_ids[count] = ids[lane];                                                                      \
            count += far[lane] == far[lane];                                                                \
        }                                                                                                   \
        (void)blocks;                                                                                       \
        return count;                                                                                       \
    }

BI_PACK(pack_f64, double, double)

#if BI_LEVEL == 4

static inline int pack_f32(const float *far, uint64_t near, int blocks, const uint32_t *ids, float *to,
                           uint32_t *to_ids)
{
    int count = 0;
    for (int b = 0; b < blocks; b++, far += 16, ids += 16, near >>= 16) {
        __m512 d = _mm512_maskz_load_ps((__mmask16)near, far); /* what is not near may be of no node */
        __mmask16 in = _mm512_mask_cmp_ps_mask((__mmask16)near, d, d, _CMP_ORD_Q);
        _mm512_storeu_ps(to + count, _mm512_maskz_compress_ps(in, d));
        _mm512_storeu_si512(to_ids + count, _mm512_maskz_compress_epi32(in, _mm512_maskz_loadu_epi32(in, ids)));
        count += __builtin_popcount(in);
    }
    return count;
}

#else
BI_PACK(pack_f32, float, uint32_t)
#endif

#endif
