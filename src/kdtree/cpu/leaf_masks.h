/* Small subtrees by masks of their points, of which there are at most 32: which of them lie below which, and the
 * medians of subsets. With AVX-512 alone; elsewhere leaf.inc selects medians among copied keys. */
#ifndef BI_KDTREE_CPU_LEAF_MASKS_H
#define BI_KDTREE_CPU_LEAF_MASKS_H

#include <stdbool.h>

#include "kdtree/cpu/lanes.h"

#if BI_LEVEL == 4

enum { LEAF_LEVELS = 5 }; /* of 32 points that have more than one in a subtree */

/* Bit j of below[i] tells that key j is less than key i, for i and j below m, which is at most 32. */
static inline void below_masks32(const uint32_t *keys, int m, uint32_t *below)
{
    const __m512i rest = _mm512_set1_epi32(-1);
    __m512i low = _mm512_mask_loadu_epi32(rest, first_lanes(m), keys);
    __m512i high = m > 16 ? _mm512_mask_loadu_epi32(rest, first_lanes(m - 16), keys + 16) : rest;
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

/* 16 of the points, while they are put to their places: the subset of each, where it begins and how many it has. */
struct subsets {
    __m512i members, begin, count, place;
    __mmask16 open; /* points that have no place yet */
};

static inline struct subsets one_subset(int m, int first)
{
    const __mmask16 lanes = m > first ? first_lanes(m - first) : 0;
    const __m512i all = _mm512_set1_epi32(m == 32 ? -1 : (int)((1u << m) - 1));
    return (struct subsets){_mm512_maskz_mov_epi32(lanes, all), _mm512_setzero_si512(), _mm512_set1_epi32(m),
                            _mm512_set1_epi32(32), lanes};
}

/* Which points are the medians of their subsets, and which of the others lie below theirs. */
struct level_masks {
    uint32_t medians, less;
};

/* Equal keys may leave points in a subset that has no place: they get none. */
static inline struct level_masks rank_subsets(struct subsets *s, const uint32_t *below)
{
    const __m512i ranks = count_bits(_mm512_and_si512(_mm512_load_si512(below), s->members));
    const __m512i half = _mm512_srli_epi32(s->count, 1);
    const __mmask16 some = _mm512_mask_test_epi32_mask(s->open, s->count, s->count);
    const __mmask16 medians = _mm512_mask_cmpeq_epi32_mask(some, ranks, half);
    s->place = _mm512_mask_add_epi32(s->place, medians, s->begin, half);
    s->open &= (__mmask16)~medians;
    return (struct level_masks){medians, _mm512_mask_cmplt_epi32_mask(s->open, ranks, half)};
}

/* Each subset falls apart into those below its median and those above. */
static inline void part_subsets(struct subsets *s, struct level_masks all, __mmask16 less)
{
    const __m512i half = _mm512_srli_epi32(s->count, 1), one = _mm512_set1_epi32(1),
                  below = _mm512_set1_epi32((int)all.less);
    const __m512i above = _mm512_set1_epi32((int)~(all.less | all.medians)), behind = _mm512_add_epi32(half, one);
    s->members = _mm512_and_si512(s->members, _mm512_mask_blend_epi32(less, above, below));
    s->begin = _mm512_mask_add_epi32(_mm512_add_epi32(s->begin, behind), less, s->begin, _mm512_setzero_si512());
    s->count = _mm512_mask_mov_epi32(_mm512_sub_epi32(s->count, behind), less, half);
}

/* The places that are taken, as bits, once subsets of one point have theirs. */
static inline __m512i take_places(struct subsets *s)
{
    const __m512i one = _mm512_set1_epi32(1);
    s->place = _mm512_mask_mov_epi32(s->place, _mm512_mask_cmpeq_epi32_mask(s->open, s->count, one), s->begin);
    return _mm512_sllv_epi32(one, s->place);
}

/* Puts m points, at most 32, to their places in a subtree, whole levels at a time: order[] names them. by: the masks of
 * each level. False where a subset has not exactly one median, because of equal keys, so that two points have one place
 * or one has none; order[] then tells nothing. */
static inline bool order_by_levels(const uint32_t *const by[], int m, uint8_t *order)
{
    struct subsets low = one_subset(m, 0), high = one_subset(m, 16);
    uint8_t place[32];
    for (int t = 0; m >> t > 1; t++) {
        const struct level_masks a = rank_subsets(&low, by[t]), b = rank_subsets(&high, by[t] + 16);
        const struct level_masks all = {a.medians | b.medians << 16, a.less | b.less << 16};
        part_subsets(&low, all, (__mmask16)a.less);
        part_subsets(&high, all, (__mmask16)b.less);
    }
    const __m512i taken = _mm512_or_si512(take_places(&low), take_places(&high));
    _mm_storeu_si128((__m128i *)place, _mm512_cvtepi32_epi8(low.place));
    _mm_storeu_si128((__m128i *)(place + 16), _mm512_cvtepi32_epi8(high.place));
    for (int i = 0; i < m; i++) order[place[i] & 31] = (uint8_t)i;
    return (uint32_t)_mm512_reduce_or_epi32(taken) == (m == 32 ? ~0u : (1u << m) - 1);
}

#endif
#endif
