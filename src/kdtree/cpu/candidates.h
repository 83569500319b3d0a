/* Packs candidates of searches from blocks of 16 nodes, and writes lists of neighbours. */
#ifndef BI_KDTREE_CPU_CANDIDATES_H
#define BI_KDTREE_CPU_CANDIDATES_H

#include <math.h>

#include "base/bits.h"
#include "kdtree/cpu/query.h"
#include "kdtree/cpu/within_limit.h"

/* A neighbour as one number, ordered by (distance, id): distances are not negative, so their bits order them. */
static inline uint64_t entry_f32(float d, uint32_t id) { return (uint64_t)bi_f32_bits(d) << 32 | id; }
static inline unsigned __int128 entry_f64(double d, uint32_t id)
{
    return (unsigned __int128)bi_f64_bits(d) << 32 | id;
}
static inline float distance_f32(uint64_t e) { return bi_f32_from_bits((uint32_t)(e >> 32)); }
static inline double distance_f64(unsigned __int128 e) { return bi_f64_from_bits((uint64_t)(e >> 32)); }

/* Packs the masked elements of a block to to[0], ...; may overwrite up to 16 elements. */
#define BI_PACK_LANES(NAME, T)                                    \
    static inline void NAME(const T *from, uint32_t in, T *to)    \
    {                                                             \
        for (; in; in &= in - 1) *to++ = from[__builtin_ctz(in)]; \
    }

/* Packs distances and ids of the masked nodes of a block whose distance is not NaN, to to[0], to_ids[0], ... Returns
 * their number; may overwrite up to 16 elements behind them. */
#define BI_PACK(NAME, T, ID)                                                                      \
    static inline int NAME(const T *dist2, uint32_t near, const uint32_t *ids, T *to, ID *to_ids) \
    {                                                                                             \
        int count = 0;                                                                            \
        for (; near; near &= near - 1) {                                                          \
            int lane = __builtin_ctz(near);                                                       \
            to[count] = dist2[lane];                                                              \
            to_ids[count] = ids[lane];                                                            \
            count += dist2[lane] == dist2[lane];                                                  \
        }                                                                                         \
        return count;                                                                             \
    }

/* Writes sorted entries (distance, id) to a row; entries without an id are infinitely far. */
#define BI_WRITE_LIST(NAME, ENTRY, DISTANCE)                                                            \
    static inline void NAME(const struct bi_row_out *row, const ENTRY *list, int64_t count)             \
    {                                                                                                   \
        for (int64_t i = 0; i < count; i++) {                                                           \
            const bool none = (uint32_t)list[i] == BI_KDTREE_NONE;                                      \
            bi_row_set(row, i, none ? (double)INFINITY : (double)DISTANCE(list[i]), (uint32_t)list[i]); \
        }                                                                                               \
    }

BI_WRITE_LIST(write_list_f64, unsigned __int128, distance_f64)
BI_PACK_LANES(pack_lanes_f64, double)
BI_PACK(pack_f64, double, double)

#if BI_LEVEL == 4

static inline void pack_lanes_f32(const float *from, uint32_t in, float *to)
{
    _mm512_storeu_ps(to, _mm512_maskz_compress_ps((__mmask16)in, _mm512_maskz_loadu_ps((__mmask16)in, from)));
}

static inline void pack_ids(const uint32_t *ids, uint32_t in, uint32_t *to)
{
    _mm512_storeu_si512(to, _mm512_maskz_compress_epi32((__mmask16)in, _mm512_maskz_loadu_epi32((__mmask16)in, ids)));
}

static inline int pack_f32(const float *dist2, uint32_t near, const uint32_t *ids, float *to, uint32_t *to_ids)
{
    __m512 d = _mm512_maskz_load_ps((__mmask16)near, dist2); /* other lanes may hold no node */
    __mmask16 in = _mm512_mask_cmp_ps_mask((__mmask16)near, d, d, _CMP_ORD_Q);
    _mm512_storeu_ps(to, _mm512_maskz_compress_ps(in, d));
    pack_ids(ids, in, to_ids);
    return __builtin_popcount(in);
}

/* BI_WRITE_LIST by vectors of 8. */
static inline void write_list_f32(const struct bi_row_out *row, const uint64_t *list, int64_t count)
{
    const __m256i none = _mm256_set1_epi32(-1), infinity = _mm256_set1_epi32(0x7f800000);
    for (int64_t i = 0; i < count; i += 8) {
        const __mmask8 valid = count - i < 8 ? (__mmask8)((1u << (count - i)) - 1) : 0xff;
        const int64_t at = row->at + i;
        __m512i e = _mm512_maskz_loadu_epi64(valid, list + i);
        __m256i ids = _mm512_cvtepi64_epi32(e), d = _mm512_cvtepi64_epi32(_mm512_srli_epi64(e, 32));
        __mmask8 without = _mm256_cmpeq_epi32_mask(ids, none);
        if (row->ids_64bit)
            _mm512_mask_storeu_epi64((int64_t *)row->ids + at, valid,
                                     _mm512_mask_set1_epi64(_mm512_cvtepu32_epi64(ids), without, -1));
        else
            _mm256_mask_storeu_epi32((uint32_t *)row->ids + at, valid, ids);
        if (row->dist2)
            _mm256_mask_storeu_epi32((float *)row->dist2 + at, valid, _mm256_mask_mov_epi32(d, without, infinity));
    }
}

#else
BI_PACK_LANES(pack_lanes_f32, float)
BI_PACK_LANES(pack_ids, uint32_t)
BI_PACK(pack_f32, float, uint32_t)
BI_WRITE_LIST(write_list_f32, uint64_t, distance_f32)
#endif

#endif
