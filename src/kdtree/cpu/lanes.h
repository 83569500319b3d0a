/* The loops of the builder over keys of 4 and of 8 bytes: with AVX-512 by vectors, else without branches. Most move
 * keys by a condition, in one pass each. The last two sections order small subtrees, and store them to the tree. */
#ifndef BI_KDTREE_CPU_LANES_H
#define BI_KDTREE_CPU_LANES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/bits.h"

#if BI_LEVEL == 4
#include <immintrin.h>
#endif

/* Result of pack_range, which packs the keys in [lo, hi] to the front of `out` (which may be `keys`): the numbers of
 * keys below lo, and inside. */
struct range_counts {
    int64_t less, inside;
};

/* Bits of 16 keys: below `v`, and equal to it. */
struct compare_masks {
    uint32_t less, equal;
};

#if BI_LEVEL == 4

static inline __mmask16 first_lanes(int64_t count) { return count >= 16 ? 0xffff : (__mmask16)((1u << count) - 1); }

/* first_lanes for counts of 0 to 16. */
static inline __mmask16 lanes_below(int count) { return (__mmask16)_bzhi_u32(0xffff, (uint32_t)count); }

/* Stores whole vectors, so beyond the packed keys, but never beyond the keys read. */
static inline struct range_counts pack_range32(const uint32_t *keys, int64_t m, uint32_t lo, uint32_t hi, uint32_t *out)
{
    struct range_counts s = {0, 0};
    int64_t i = 0;
    __m512i low = _mm512_set1_epi32((int)lo), width = _mm512_set1_epi32((int)(hi - lo));
    for (; i + 16 <= m; i += 16) {
        __m512i k = _mm512_loadu_si512(keys + i);
        __mmask16 in = _mm512_cmple_epu32_mask(_mm512_sub_epi32(k, low), width);
        s.less += __builtin_popcount(_mm512_cmplt_epu32_mask(k, low));
        _mm512_storeu_si512(out + s.inside, _mm512_maskz_compress_epi32(in, k));
        s.inside += __builtin_popcount(in);
    }
    if (i < m) {
        __mmask16 valid = lanes_below((int)(m - i));
        __m512i k = _mm512_maskz_loadu_epi32(valid, keys + i);
        __mmask16 in = _mm512_mask_cmple_epu32_mask(valid, _mm512_sub_epi32(k, low), width);
        int count = __builtin_popcount(in);
        s.less += __builtin_popcount(_mm512_mask_cmplt_epu32_mask(valid, k, low));
        _mm512_mask_storeu_epi32(out + s.inside, lanes_below(count), _mm512_maskz_compress_epi32(in, k));
        s.inside += count;
    }
    return s;
}

static inline struct range_counts pack_range64(const uint64_t *keys, int64_t m, uint64_t lo, uint64_t hi, uint64_t *out)
{
    struct range_counts s = {0, 0};
    __m512i low = _mm512_set1_epi64((long long)lo), width = _mm512_set1_epi64((long long)(hi - lo));
    for (int64_t i = 0; i < m; i += 8) {
        __mmask8 valid = (__mmask8)first_lanes(m - i);
        __m512i k = _mm512_maskz_loadu_epi64(valid, keys + i);
        __mmask8 in = _mm512_mask_cmple_epu64_mask(valid, _mm512_sub_epi64(k, low), width);
        int count = __builtin_popcount(in);
        s.less += __builtin_popcount(_mm512_mask_cmplt_epu64_mask(valid, k, low));
        _mm512_mask_storeu_epi64(out + s.inside, (__mmask8)first_lanes(count), _mm512_maskz_compress_epi64(in, k));
        s.inside += count;
    }
    return s;
}

static inline struct compare_masks compare32(const uint32_t *keys, int64_t count, uint32_t v)
{
    __mmask16 valid = first_lanes(count);
    __m512i k = _mm512_maskz_loadu_epi32(valid, keys), x = _mm512_set1_epi32((int)v);
    return (struct compare_masks){_mm512_mask_cmplt_epu32_mask(valid, k, x), _mm512_mask_cmpeq_epu32_mask(valid, k, x)};
}

static inline struct compare_masks compare64(const uint64_t *keys, int64_t count, uint64_t v)
{
    __mmask16 valid = first_lanes(count);
    __m512i x = _mm512_set1_epi64((long long)v);
    __m512i a = _mm512_maskz_loadu_epi64((__mmask8)valid, keys);
    __m512i b = _mm512_maskz_loadu_epi64((__mmask8)(valid >> 8), keys + 8);
    uint32_t less = _mm512_mask_cmplt_epu64_mask((__mmask8)valid, a, x) |
                    (uint32_t)_mm512_mask_cmplt_epu64_mask((__mmask8)(valid >> 8), b, x) << 8;
    uint32_t equal = _mm512_mask_cmpeq_epu64_mask((__mmask8)valid, a, x) |
                     (uint32_t)_mm512_mask_cmpeq_epu64_mask((__mmask8)(valid >> 8), b, x) << 8;
    return (struct compare_masks){less, equal};
}

/* bi_key_u32_of_f32 of 16 floats. */
static inline __m512i keys_of_f32(__m512i x)
{
    const __m512i top = _mm512_set1_epi32(INT32_MIN);
    x = _mm512_mask_mov_epi32(x, _mm512_cmpeq_epi32_mask(x, top), _mm512_setzero_si512());
    return _mm512_xor_si512(x, _mm512_or_si512(_mm512_srai_epi32(x, 31), top));
}

/* Converts elements `stride` apart to ordered keys, as bi_key_u32_of_f32. */
static inline void load_f32(const float *from, int32_t stride, int64_t n, uint32_t *keys)
{
    const __m512i top = _mm512_set1_epi32(INT32_MIN);
    const __m512i lanes = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    const __m512i slots = _mm512_mullo_epi32(lanes, _mm512_set1_epi32(stride));
    for (int64_t i = 0; i < n; i += 16) {
        __mmask16 valid = first_lanes(n - i);
        __m512i x = _mm512_mask_i32gather_epi32(top, valid, slots, from + i * stride, 4);
        _mm512_mask_storeu_epi32(keys + i, valid, keys_of_f32(x));
    }
}

/* Converts contiguous rows of 3 elements to 3 columns of keys, `pitch` apart, by permutations: faster than gathers. */
static inline void load_rows_of_3(const float *from, int64_t n, uint32_t *keys, int64_t pitch)
{
    const __m512i lanes = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    const __m512i triples = _mm512_add_epi32(lanes, _mm512_add_epi32(lanes, lanes));
    for (int64_t i = 0; i < n; i += 16, from += 48) {
        const int64_t left = 3 * (n - i);
        const __m512i a = _mm512_maskz_loadu_epi32(first_lanes(left), from);
        const __m512i b = _mm512_maskz_loadu_epi32(left > 16 ? first_lanes(left - 16) : 0, from + 16);
        const __m512i c = _mm512_maskz_loadu_epi32(left > 32 ? first_lanes(left - 32) : 0, from + 32);
        for (int column = 0; column < 3; column++) {
            /* The element of each row, by its position in a, b and c: selected from a and b, in_c from c. */
            const __m512i at = _mm512_add_epi32(triples, _mm512_set1_epi32(column));
            const __mmask16 third = _mm512_cmpgt_epi32_mask(at, _mm512_set1_epi32(31));
            const __m512i in_c = _mm512_mask_sub_epi32(lanes, third, at, _mm512_set1_epi32(16));
            const __m512i x = _mm512_permutex2var_epi32(_mm512_permutex2var_epi32(a, at, b), in_c, c);
            _mm512_mask_storeu_epi32(keys + column * pitch + i, first_lanes(n - i), keys_of_f32(x));
        }
    }
}

/* Returns the key of a rank, given the number of keys below each of `padded` keys, a multiple of 16: the largest key
 * with at most `rank` below it. */
static inline uint32_t key_of_rank32(const uint32_t *keys, const uint32_t *below, int padded, int64_t rank)
{
    __m512i most = _mm512_setzero_si512(), requested = _mm512_set1_epi32((int)rank);
    for (int at = 0; at < padded; at += 16) {
        __mmask16 in = _mm512_cmple_epu32_mask(_mm512_loadu_si512(below + at), requested);
        most = _mm512_mask_max_epu32(most, in, most, _mm512_loadu_si512(keys + at));
    }
    return _mm512_reduce_max_epu32(most);
}

static inline uint64_t key_of_rank64(const uint64_t *keys, const uint64_t *below, int padded, int64_t rank)
{
    __m512i most = _mm512_setzero_si512(), requested = _mm512_set1_epi64(rank);
    for (int at = 0; at < padded; at += 8) {
        __mmask8 in = _mm512_cmple_epu64_mask(_mm512_loadu_si512(below + at), requested);
        most = _mm512_mask_max_epu64(most, in, most, _mm512_loadu_si512(keys + at));
    }
    return _mm512_reduce_max_epu64(most);
}

/* A key, and the numbers of keys less than it and equal to it. */
struct ranked_key {
    uint32_t key;
    int less, equal;
};

/* Returns the key of a rank among `count` keys, at most 32. Lanes without a key hold the largest one, which changes no
 * rank. */
static inline struct ranked_key key_among_32(const uint32_t *keys, int count, int rank)
{
    /* 1. Rank all keys: count the keys below each. */
    const __m512i padding = _mm512_set1_epi32(-1), one = _mm512_set1_epi32(1), requested = _mm512_set1_epi32(rank);
    const __mmask16 first = first_lanes(count), second = count > 16 ? lanes_below(count - 16) : 0;
    const __m512i low = _mm512_mask_loadu_epi32(padding, first, keys),
                  high = _mm512_mask_loadu_epi32(padding, second, keys + 16);
    __m512i low_ranks = _mm512_setzero_si512(), high_ranks = low_ranks;
    for (int i = 0; i < count; i++) {
        const __m512i key = _mm512_set1_epi32((int)keys[i]);
        low_ranks = _mm512_mask_add_epi32(low_ranks, _mm512_cmplt_epu32_mask(key, low), low_ranks, one);
        high_ranks = _mm512_mask_add_epi32(high_ranks, _mm512_cmplt_epu32_mask(key, high), high_ranks, one);
    }
    /* 2. If some key has the rank, return it. */
    const uint32_t in = first | (uint32_t)second << 16;
    const uint32_t at = in & (_mm512_cmpeq_epi32_mask(low_ranks, requested) |
                              (uint32_t)_mm512_cmpeq_epi32_mask(high_ranks, requested) << 16);
    if (at != 0) return (struct ranked_key){keys[__builtin_ctz(at)], rank, __builtin_popcount(at)};
    /* 3. Else equal keys span the rank: the largest key with at most `rank` below it. */
    const __m512i fit = _mm512_maskz_mov_epi32(_mm512_cmple_epi32_mask(low_ranks, requested), low);
    const uint32_t most =
        _mm512_reduce_max_epu32(_mm512_mask_max_epu32(fit, _mm512_cmple_epi32_mask(high_ranks, requested), fit, high));
    const __m512i key = _mm512_set1_epi32((int)most);
    const uint32_t less = _mm512_cmplt_epu32_mask(low, key) | (uint32_t)_mm512_cmplt_epu32_mask(high, key) << 16;
    const uint32_t equal = _mm512_cmpeq_epu32_mask(low, key) | (uint32_t)_mm512_cmpeq_epu32_mask(high, key) << 16;
    return (struct ranked_key){most, __builtin_popcount(less & in), __builtin_popcount(equal & in)};
}

/* Returns, for each of 16 keys, the number of keys less than it: compares with all rotations. */
static inline __m512i ranks_of_16(__m512i keys)
{
    __m512i ranks = _mm512_setzero_si512();
    const __m512i one = _mm512_set1_epi32(1);
#define TURN(by) \
    ranks = _mm512_mask_add_epi32(ranks, _mm512_cmplt_epu32_mask(_mm512_alignr_epi32(keys, keys, by), keys), ranks, one)
    TURN(1), TURN(2), TURN(3), TURN(4), TURN(5), TURN(6), TURN(7), TURN(8);
    TURN(9), TURN(10), TURN(11), TURN(12), TURN(13), TURN(14), TURN(15);
#undef TURN
    return ranks;
}

/* *lo and *hi = the keys of two ranks in a sample of 16 of m < 65,536 keys, at a random position in each sixteenth;
 * unchanged if the rank is outside. So small a sample leaves more keys between the two, but it fits registers. */
static inline void sample_16(const uint32_t *keys, int m, uint32_t seed, int first, int last, uint32_t *lo,
                             uint32_t *hi)
{
    const __m512i lanes = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    const __m512i step = _mm512_set1_epi32(m / 16);
    __m512i random =
        _mm512_mullo_epi32(_mm512_add_epi32(lanes, _mm512_set1_epi32((int)seed)), _mm512_set1_epi32((int)0x9e3779b1u));
    random = _mm512_srli_epi32(_mm512_mullo_epi32(_mm512_srli_epi32(random, 16), step), 16);
    const __m512i sample = _mm512_i32gather_epi32(_mm512_add_epi32(_mm512_mullo_epi32(lanes, step), random), keys, 4);
    const __m512i ranks = ranks_of_16(sample);
    const __mmask16 low = _mm512_cmple_epi32_mask(ranks, _mm512_set1_epi32(first));
    const __mmask16 high = _mm512_cmple_epi32_mask(ranks, _mm512_set1_epi32(last));
    if (first >= 0) *lo = _mm512_mask_reduce_max_epu32(low, sample);
    if (last < 16) *hi = _mm512_mask_reduce_max_epu32(high, sample);
}

/* Splits m elements by their mask bits: ones to `less`, zeros to `greater`, in their order. */
static inline void split32(const uint32_t *from, int64_t m, const uint16_t *masks, uint32_t *less, uint32_t *greater)
{
    int64_t i = 0;
    for (; i + 16 <= m; i += 16) {
        const uint32_t ones = masks[i >> 4];
        const __m512i k = _mm512_loadu_si512(from + i);
        const int count = __builtin_popcount(ones);
        _mm512_mask_storeu_epi32(less, lanes_below(count), _mm512_maskz_compress_epi32((__mmask16)ones, k));
        _mm512_mask_storeu_epi32(greater, lanes_below(16 - count), _mm512_maskz_compress_epi32((__mmask16)~ones, k));
        less += count;
        greater += 16 - count;
    }
    if (i < m) {
        __mmask16 valid = first_lanes(m - i), ones = (__mmask16)(masks[i >> 4] & valid);
        __m512i k = _mm512_maskz_loadu_epi32(valid, from + i);
        int count = __builtin_popcount(ones), others = __builtin_popcount(valid) - count;
        _mm512_mask_storeu_epi32(less, lanes_below(count), _mm512_maskz_compress_epi32(ones, k));
        _mm512_mask_storeu_epi32(greater, lanes_below(others),
                                 _mm512_maskz_compress_epi32((__mmask16)(valid & ~ones), k));
    }
}

static inline void split64(const uint64_t *from, int64_t m, const uint16_t *masks, uint64_t *less, uint64_t *greater)
{
    for (int64_t i = 0; i < m; i += 8) {
        __mmask8 valid = (__mmask8)first_lanes(m - i), ones = (__mmask8)((masks[i >> 4] >> (i & 8)) & valid);
        __m512i k = _mm512_maskz_loadu_epi64(valid, from + i);
        int count = __builtin_popcount(ones), others = __builtin_popcount(valid) - count;
        _mm512_mask_storeu_epi64(less, (__mmask8)first_lanes(count), _mm512_maskz_compress_epi64(ones, k));
        _mm512_mask_storeu_epi64(greater, (__mmask8)first_lanes(others),
                                 _mm512_maskz_compress_epi64((__mmask8)(valid & ~ones), k));
        less += count;
        greater += others;
    }
}

#else

static inline void load_f32(const float *from, int32_t stride, int64_t n, uint32_t *keys)
{
    for (int64_t i = 0; i < n; i++) keys[i] = bi_key_u32_of_f32(from[i * stride]);
}

/* An element is written before its test, and overwritten by the next one if it fails. The last position is written only
 * by elements that pass, so nothing beyond an array is written. */
#define PLAIN_LANES(KEY, bits)                                                                                 \
    static inline struct range_counts pack_range##bits(const KEY *keys, int64_t m, KEY lo, KEY hi, KEY *out)   \
    {                                                                                                          \
        struct range_counts s = {0, 0};                                                                        \
        for (int64_t i = 0; i < m; i++) {                                                                      \
            KEY k = keys[i];                                                                                   \
            out[s.inside] = k;                                                                                 \
            s.inside += k - lo <= hi - lo;                                                                     \
            s.less += k < lo;                                                                                  \
        }                                                                                                      \
        return s;                                                                                              \
    }                                                                                                          \
    static inline struct compare_masks compare##bits(const KEY *keys, int64_t count, KEY v)                    \
    {                                                                                                          \
        struct compare_masks b = {0, 0};                                                                       \
        int lanes = count < 16 ? (int)count : 16;                                                              \
        for (int i = 0; i < lanes; i++) {                                                                      \
            b.less |= (uint32_t)(keys[i] < v) << i;                                                            \
            b.equal |= (uint32_t)(keys[i] == v) << i;                                                          \
        }                                                                                                      \
        return b;                                                                                              \
    }                                                                                                          \
    static inline KEY key_of_rank##bits(const KEY *keys, const KEY *below, int padded, int64_t rank)           \
    {                                                                                                          \
        KEY most[16] = {0};                                                                                    \
        for (int at = 0; at < padded; at += 16)                                                                \
            for (int j = 0; j < 16; j++) {                                                                     \
                KEY key = below[at + j] <= (KEY)rank ? keys[at + j] : 0;                                       \
                most[j] = key > most[j] ? key : most[j];                                                       \
            }                                                                                                  \
        for (int j = 1; j < 16; j++) most[0] = most[j] > most[0] ? most[j] : most[0];                          \
        return most[0];                                                                                        \
    }                                                                                                          \
    static inline void split##bits(const KEY *from, int64_t m, const uint16_t *masks, KEY *less, KEY *greater) \
    {                                                                                                          \
        for (int64_t i = 0; i < m; i++) {                                                                      \
            int one = (masks[i >> 4] >> (i & 15)) & 1;                                                         \
            KEY *to = one ? less : greater;                                                                    \
            *to = from[i];                                                                                     \
            less += one;                                                                                       \
            greater += !one;                                                                                   \
        }                                                                                                      \
    }

PLAIN_LANES(uint32_t, 32)
PLAIN_LANES(uint64_t, 64)

#endif

/* --- Masks of leaves ---------------------------------------------------------------------------------------------- */

/* Orders small subtrees, of at most 32 points, by bit masks: for each point and coordinate the points below it. The
 * median of a subset has half of the subset below it. AVX-512 only; elsewhere build.inc selects medians among copied
 * keys. */

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

/* Sets bit j of equal[i] if key j is equal to key i, for i, j < m <= 32; bits from m on are undefined. */
static inline void equal_masks32(const uint32_t *keys, int m, uint32_t *equal)
{
    const __m512i low = _mm512_maskz_loadu_epi32(first_lanes(m), keys),
                  high = _mm512_maskz_loadu_epi32(m > 16 ? first_lanes(m - 16) : 0, keys + (m > 16 ? 16 : 0));
    uint16_t *halves = (uint16_t *)equal;
    for (int i = 0; i < m; i++) {
        const __m512i key = _mm512_set1_epi32((int)keys[i]);
        halves[2 * i] = _mm512_cmpeq_epi32_mask(low, key);
        halves[2 * i + 1] = _mm512_cmpeq_epi32_mask(high, key);
    }
}

static inline void equal_masks64(const uint64_t *keys, int m, uint32_t *equal)
{
    __m512i lanes[4];
    for (int v = 0; v < 4; v++) {
        const __mmask8 valid = (__mmask8)(m > 8 * v ? first_lanes(m - 8 * v) : 0);
        lanes[v] = _mm512_maskz_loadu_epi64(valid, keys + (valid ? 8 * v : 0));
    }
    for (int i = 0; i < m; i++) {
        const __m512i key = _mm512_set1_epi64((long long)keys[i]);
        uint32_t bits = 0;
        for (int v = 0; v < 4; v++) bits |= (uint32_t)_mm512_cmpeq_epi64_mask(lanes[v], key) << (8 * v);
        equal[i] = bits;
    }
}

/* Masks of an order by one key, then by others, for 32 points. below: points less by the key; equal: points with the
 * same key; chain: points less by the other keys, which becomes below | (equal & chain). */
static inline void chain_masks(const uint32_t *below, const uint32_t *equal, uint32_t *chain)
{
    for (int i = 0; i < 32; i += 16) {
        const __m512i tied = _mm512_and_si512(_mm512_load_si512(equal + i), _mm512_load_si512(chain + i));
        _mm512_store_si512(chain + i, _mm512_or_si512(_mm512_load_si512(below + i), tied));
    }
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

/* --- Stores of leaves --------------------------------------------------------------------------------------------- */

/* Stores the points of a small subtree from columns to the blocks of the tree. */

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
