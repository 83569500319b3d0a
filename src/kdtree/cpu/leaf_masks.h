/* Orders small subtrees, of at most 32 points, by bit masks: for each point and coordinate the points below it. The
 * median of a subset has half of the subset below it. AVX-512 only; elsewhere leaf.inc selects medians among copied
 * keys. */
#ifndef BI_KDTREE_CPU_LEAF_MASKS_H
#define BI_KDTREE_CPU_LEAF_MASKS_H

#include <stdbool.h>

#include "kdtree/cpu/lanes.h"

#if BI_LEVEL == 4

enum { LEAF_LEVELS = 5 }; /* levels of 32 points whose subtrees have more than one */

/* Sets bit j of below[i] if key j is less than key i, for i, j < m <= 32. */
static inline void below_masks32(const uint32_t *keys, int m, uint32_t *below)
{
    const __m512i padding = _mm512_set1_epi32(-1);
    __m512i low = _mm512_mask_loadu_epi32(padding, first_lanes(m), keys);
    __m512i high = m > 16 ? _mm512_mask_loadu_epi32(padding, first_lanes(m - 16), keys + 16) : padding;
    uint16_t *halves = (uint16_t *)below;
    for (int i = 0; i < m; i++) {
        const __m512i key = _mm512_set1_epi32((int)keys[i]);
        halves[2 * i] = _mm512_cmplt_epu32_mask(low, key);
        halves[2 * i + 1] = _mm512_cmplt_epu32_mask(high, key);
    }
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

/* Counts the set bits of each lane. */
static inline __m512i count_bits(__m512i x)
{
    const __m512i nibble = _mm512_set1_epi8(15), ones = _mm512_set1_epi8(1);
    const __m512i counts = _mm512_broadcast_i32x4(_mm_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4));
    __m512i low = _mm512_shuffle_epi8(counts, _mm512_and_si512(x, nibble));
    __m512i high = _mm512_shuffle_epi8(counts, _mm512_and_si512(_mm512_srli_epi32(x, 4), nibble));
    __m512i pairs = _mm512_maddubs_epi16(_mm512_add_epi8(low, high), ones);
    return _mm512_madd_epi16(pairs, _mm512_set1_epi16(1));
}

/* 16 of the points, while their slots are assigned: the subset of each, its begin and its size. */
struct subsets {
    __m512i members, begin, count, slot;
    __mmask16 open; /* points without a slot */
};

static inline struct subsets one_subset(int m, int first)
{
    const __mmask16 lanes = m > first ? first_lanes(m - first) : 0;
    const __m512i all = _mm512_set1_epi32(m == 32 ? -1 : (int)((1u << m) - 1));
    return (struct subsets){_mm512_maskz_mov_epi32(lanes, all), _mm512_setzero_si512(), _mm512_set1_epi32(m),
                            _mm512_set1_epi32(32), lanes};
}

/* The medians of the subsets, and the points below their medians. */
struct level_masks {
    uint32_t medians, less;
};

/* Assigns slots to the medians of subsets. Equal keys may leave points in an empty subset: they get no slot. */
static inline struct level_masks rank_subsets(struct subsets *s, const uint32_t *below)
{
    const __m512i ranks = count_bits(_mm512_and_si512(_mm512_load_si512(below), s->members));
    const __m512i half = _mm512_srli_epi32(s->count, 1);
    const __mmask16 some = _mm512_mask_test_epi32_mask(s->open, s->count, s->count);
    const __mmask16 medians = _mm512_mask_cmpeq_epi32_mask(some, ranks, half);
    s->slot = _mm512_mask_add_epi32(s->slot, medians, s->begin, half);
    s->open &= (__mmask16)~medians;
    return (struct level_masks){medians, _mm512_mask_cmplt_epi32_mask(s->open, ranks, half)};
}

/* Splits each subset into the points below its median and the points above. */
static inline void split_subsets(struct subsets *s, struct level_masks all, __mmask16 less)
{
    const __m512i half = _mm512_srli_epi32(s->count, 1), one = _mm512_set1_epi32(1),
                  below = _mm512_set1_epi32((int)all.less);
    const __m512i above = _mm512_set1_epi32((int)~(all.less | all.medians)), behind = _mm512_add_epi32(half, one);
    s->members = _mm512_and_si512(s->members, _mm512_mask_blend_epi32(less, above, below));
    s->begin = _mm512_mask_add_epi32(_mm512_add_epi32(s->begin, behind), less, s->begin, _mm512_setzero_si512());
    s->count = _mm512_mask_mov_epi32(_mm512_sub_epi32(s->count, behind), less, half);
}

/* Assigns slots to subsets of one point. Returns the slots assigned, as bits. */
static inline __m512i assign_slots(struct subsets *s)
{
    const __m512i one = _mm512_set1_epi32(1);
    s->slot = _mm512_mask_mov_epi32(s->slot, _mm512_mask_cmpeq_epi32_mask(s->open, s->count, one), s->begin);
    return _mm512_sllv_epi32(one, s->slot);
}

/* Orders the m <= 32 points of a subtree, a whole level at a time. by: the masks of each level. Returns false, with
 * order[] undefined, if a subset has not exactly one median because of equal keys: then two points share a slot, or one
 * has none. */
static inline bool order_by_levels(const uint32_t *const by[], int m, uint8_t *order)
{
    struct subsets low = one_subset(m, 0), high = one_subset(m, 16);
    uint8_t slot[32];
    for (int t = 0; m >> t > 1; t++) {
        const struct level_masks a = rank_subsets(&low, by[t]), b = rank_subsets(&high, by[t] + 16);
        const struct level_masks all = {a.medians | b.medians << 16, a.less | b.less << 16};
        split_subsets(&low, all, (__mmask16)a.less);
        split_subsets(&high, all, (__mmask16)b.less);
    }
    const __m512i taken = _mm512_or_si512(assign_slots(&low), assign_slots(&high));
    _mm_storeu_si128((__m128i *)slot, _mm512_cvtepi32_epi8(low.slot));
    _mm_storeu_si128((__m128i *)(slot + 16), _mm512_cvtepi32_epi8(high.slot));
    for (int i = 0; i < m; i++) order[slot[i] & 31] = (uint8_t)i;
    return (uint32_t)_mm512_reduce_or_epi32(taken) == (m == 32 ? ~0u : (1u << m) - 1);
}

#endif
#endif
