/* Fills buckets by AVX-512: hashes of 32 or 64 bits, values of 4 or 8 bytes or none. */
#ifndef BI_HASH_CPU_FILL_AVX512_H
#define BI_HASH_CPU_FILL_AVX512_H

#include <string.h>

#include "hash/cpu/matching.h"

/* Computes both buckets of 16 folds. */
BI_FN void bi_hash_choose_16(const struct bi_hash_matching *m, __m512i fold, __m512i pick[2])
{
    const __m512i mixed = bi_hash_scatter_16(_mm512_add_epi32(fold, m->seeds));
    pick[0] = bi_hash_below_16(mixed, m->sizes);
    pick[1] = bi_hash_below_16(bi_hash_remix_16(mixed), m->sizes);
}

/* Computes the first buckets of 16 keys from i on. */
BI_FN void bi_hash_first_16(const struct bi_hash_matching *m, int32_t bits, uint32_t i)
{
    const __mmask16 live = bi_hash_lanes_16(m->keys - i < 16 ? (int)(m->keys - i) : 16);
    const char *hashes = m->hashes + ((size_t)i << m->paired) * (size_t)bits / 8;
    __m512i top_bits, pick[2],
        fold = m->paired ? bi_hash_load_folds_of_pairs_16(hashes, bits, live)
                         : bi_hash_load_folds_16(hashes, bits, 1, live, &top_bits);
    bi_hash_choose_16(m, fold, pick);
    _mm512_mask_storeu_epi32(m->first_buckets + i, live, pick[0]);
}

/* Gathers hashes at 8 indices; 0 in lanes outside `live`. */
BI_FN __m512i bi_hash_gather_8(const char *hashes, __m256i index, __mmask16 live)
{
    return _mm512_mask_i32gather_epi64(_mm512_setzero_si512(), (__mmask8)live, index, hashes, 8);
}

/* Turns positions into indices of the array of hashes, where a pair may take two elements. */
BI_FN __m512i bi_hash_scale_positions_16(const struct bi_hash_matching *m, __m512i position)
{
    return _mm512_sll_epi32(position, _mm_cvtsi32_si128(m->paired));
}

/* Gathers the hashes at 16 positions. Returns their folds. */
BI_FN __m512i bi_hash_gather_folds_16(const struct bi_hash_matching *m, int32_t bits, __m512i position, __mmask16 live)
{
    position = bi_hash_scale_positions_16(m, position);
    if (bits == 32) return _mm512_mask_i32gather_epi32(_mm512_setzero_si512(), live, position, m->hashes, 4);
    const __m512i a = bi_hash_gather_8(m->hashes, _mm512_castsi512_si256(position), live);
    const __m512i b = bi_hash_gather_8(m->hashes, _mm512_extracti64x4_epi64(position, 1), live >> 8);
    return bi_hash_fold_16(a, b);
}

/* Writes the selected lanes contiguously. */
BI_FN void bi_hash_append_16(uint32_t *to, __mmask16 which, __m512i x)
{
    _mm512_mask_storeu_epi32(to, bi_hash_lanes_16(__builtin_popcount(which)), _mm512_maskz_compress_epi32(which, x));
}

/* Prepares the next proposals of up to 16 rejected codes from k on: prepare_proposals of fill_hot.c. */
BI_FN bool bi_hash_prepare_16(struct bi_hash_matching *m, int32_t bits, bool fresh, uint32_t k, uint32_t count,
                              uint32_t *position)
{
    const __mmask16 live = bi_hash_lanes_16(count - k < 16 ? (int)(count - k) : 16);
    const __m512i most = _mm512_set1_epi32(BI_HASH_POSITIONS), one = _mm512_set1_epi32(1 << BI_HASH_POSITION_BITS);
    const __m512i last = _mm512_set1_epi32((int)((BI_HASH_PRIORITIES - 1u) << BI_HASH_POSITION_BITS));
    /* 1. Find both buckets of the keys; those whose first bucket rejected them propose to their second one. */
    __m512i code = _mm512_mask_loadu_epi32(most, live, m->rejected + k), pick[2];
    const __m512i at = _mm512_andnot_si512(code, most);
    bi_hash_choose_16(m, bi_hash_gather_folds_16(m, bits, at, live), pick);
    __mmask16 to_second = _mm512_mask_cmpneq_epi32_mask(live, pick[0], pick[1]);
    if (!fresh)
        to_second = _mm512_mask_cmpeq_epi32_mask(to_second, pick[0], _mm512_maskz_loadu_epi32(live, m->from + k));
    const __mmask16 moves = _mm512_mask_cmplt_epu32_mask(to_second, code, one); /* once a key */
    const __mmask16 again = live & ~to_second, fails = _mm512_mask_cmpge_epu32_mask(again, code, last);
    /* 2. Record keys that move to their second bucket for the first time; raise the priority of the others. */
    bi_hash_append_16(m->moved + m->n_moved, moves, at);
    bi_hash_append_16(m->moved_to + m->n_moved, moves, pick[1]);
    m->n_moved += (uint32_t)__builtin_popcount(moves);
    if (fails) *position = bi_hash_position(m->rejected[k + (uint32_t)__builtin_ctz(fails)]);
    code = _mm512_mask_add_epi32(code, again, code, one);
    _mm512_mask_storeu_epi32(m->rejected + k, live, code);
    _mm512_mask_storeu_epi32(m->from + k, live, _mm512_mask_mov_epi32(pick[0], to_second, pick[1]));
    return !fails;
}

/* Permutes the lanes of each bucket: 0xe1 exchanges the first two; 0x39 and 0x4e rotate by one and by two. */
#define BI_HASH_PERMUTE_BUCKET(bits, x, order) \
    ((bits) == 32 ? _mm512_shuffle_epi32(x, (_MM_PERM_ENUM)(order)) : _mm512_permutex_epi64(x, order))

/* Hashes to write: of four buckets of 32 bits, or two of 64. */
struct bi_hash_bucket_lanes {
    __m512i at; /* positions, in lanes of 32 bits */
    __m512i hash;
    __mmask16 valid, exchanged;
    bool same; /* two hashes of a bucket are equal */
};

/* Loads the pairs of 16 bytes at four indices: a gets the first and third, b the others. */
BI_FN void bi_hash_load_pairs_4(const char *words, const uint32_t *at, __m256i *a, __m256i *b)
{
    const __m128i *const x = (const __m128i *)(const void *)words;
    *a = _mm256_inserti128_si256(_mm256_castsi128_si256(_mm_loadu_si128(x + at[0])), _mm_loadu_si128(x + at[2]), 1);
    *b = _mm256_inserti128_si256(_mm256_castsi128_si256(_mm_loadu_si128(x + at[1])), _mm_loadu_si128(x + at[3]), 1);
}

/* Loads the pairs of 8 bytes at 8 indices. */
BI_FN __m512i bi_hash_load_pairs_8(const char *words, const uint32_t *at)
{
    __m128i two[4];
#pragma GCC unroll 4
    for (int i = 0; i < 4; i++) {
        const __m128d first = _mm_load_sd((const double *)(const void *)(words + 8 * (size_t)at[2 * i]));
        two[i] =
            _mm_castpd_si128(_mm_loadh_pd(first, (const double *)(const void *)(words + 8 * (size_t)at[2 * i + 1])));
    }
    const __m256i low = _mm256_inserti128_si256(_mm256_castsi128_si256(two[0]), two[1], 1);
    const __m256i high = _mm256_inserti128_si256(_mm256_castsi128_si256(two[2]), two[3], 1);
    return _mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1);
}

/* Loads the hashes at 16 positions, or 8 of 64 bits, and the values behind them, without gathers, which were slower.
 * Invalid positions load the first pair. */
BI_FN void bi_hash_load_pairs(const struct bi_hash_matching *m, int32_t bits, __m512i position, __mmask16 valid,
                              __m512i *hash, __m512i *value)
{
    uint32_t at[16];
    _mm512_storeu_si512(at, _mm512_maskz_mov_epi32(valid, position));
    if (bits == 32) {
        const __m512i a = bi_hash_load_pairs_8(m->hashes, at), b = bi_hash_load_pairs_8(m->hashes, at + 8);
        *hash = bi_hash_every_other_16(a, b, false);
        *value = bi_hash_every_other_16(a, b, true);
        return;
    }
    __m256i a, b, c, d;
    bi_hash_load_pairs_4(m->hashes, at, &a, &b);
    bi_hash_load_pairs_4(m->hashes, at + 4, &c, &d);
    *hash = _mm512_inserti64x4(_mm512_castsi256_si512(_mm256_unpacklo_epi64(a, b)), _mm256_unpacklo_epi64(c, d), 1);
    *value = _mm512_inserti64x4(_mm512_castsi256_si512(_mm256_unpackhi_epi64(a, b)), _mm256_unpackhi_epi64(c, d), 1);
}

/* Loads the hashes of the codes (lanes of 32 bits) in the order of their buckets, with fillers in empty slots, and
 * exchanges the first two where the mark requires it. codes: 0 in empty slots. marks: 1 in the four lanes of a spilled
 * bucket, else 0; a bucket that is not full has its mark in the low bit of its fillers. *value: with `paired` the
 * values, not yet exchanged. */
BI_FN struct bi_hash_bucket_lanes bi_hash_load_bucket_hashes(const struct bi_hash_matching *m, int32_t bits,
                                                             bool paired, __m512i codes, __m512i marks, __m512i filler,
                                                             __m512i *value)
{
    struct bi_hash_bucket_lanes w = {.at = _mm512_andnot_si512(codes, _mm512_set1_epi32(BI_HASH_POSITIONS))};
    const __mmask16 lanes = bi_hash_lanes_16(512 / bits), marked = _mm512_test_epi32_mask(marks, marks);
    w.valid = _mm512_test_epi32_mask(codes, codes) & lanes;
    __mmask16 rising, same;
    __m512i hash, exchanged, found;
    if (paired) bi_hash_load_pairs(m, bits, w.at, w.valid, &found, value);
    if (bits == 32) {
        const __m512i marked_filler = _mm512_or_si512(filler, marks);
        hash = paired ? _mm512_mask_mov_epi32(marked_filler, w.valid, found)
                      : _mm512_mask_i32gather_epi32(marked_filler, w.valid, w.at, m->hashes, 4);
        exchanged = BI_HASH_PERMUTE_BUCKET(32, hash, 0xe1);
        rising = _mm512_cmplt_epu32_mask(hash, exchanged);
        same = _mm512_mask_cmpeq_epi32_mask(w.valid, hash, BI_HASH_PERMUTE_BUCKET(32, hash, 0x39)) |
               _mm512_mask_cmpeq_epi32_mask(w.valid, hash, BI_HASH_PERMUTE_BUCKET(32, hash, 0x4e));
    } else {
        const __m512i wide = _mm512_or_si512(filler, _mm512_cvtepu32_epi64(_mm512_castsi512_si256(marks)));
        hash = paired
                   ? _mm512_mask_mov_epi64(wide, (__mmask8)w.valid, found)
                   : _mm512_mask_i32gather_epi64(wide, (__mmask8)w.valid, _mm512_castsi512_si256(w.at), m->hashes, 8);
        exchanged = BI_HASH_PERMUTE_BUCKET(64, hash, 0xe1);
        rising = _mm512_cmplt_epu64_mask(hash, exchanged);
        same = _mm512_mask_cmpeq_epi64_mask((__mmask8)w.valid, hash, BI_HASH_PERMUTE_BUCKET(64, hash, 0x39)) |
               _mm512_mask_cmpeq_epi64_mask((__mmask8)w.valid, hash, BI_HASH_PERMUTE_BUCKET(64, hash, 0x4e));
    }
    w.same = same != 0;
    const uint32_t wrong = (uint32_t)w.valid >> 3 & (uint32_t)(rising ^ marked) &
                           0x1111; /* full buckets whose order contradicts their mark */
    w.exchanged = (__mmask16)(wrong | wrong << 1);
    w.hash = bits == 32 ? _mm512_mask_mov_epi32(hash, w.exchanged, exchanged)
                        : _mm512_mask_mov_epi64(hash, (__mmask8)w.exchanged, exchanged);
    return w;
}

/* Loads the values of these hashes, of 4 or 8 bytes. value[1]: the second half of four buckets with values of 8
 * bytes. With `paired`, value[0] is loaded already. */
BI_FN void bi_hash_load_bucket_values(const struct bi_hash_bucket_lanes *w, int32_t bits, size_t size, bool paired,
                                      const char *values, __m512i value[2])
{
    const __m512i zero = _mm512_setzero_si512();
    if (size == 4) {
        const __m512i v = paired ? _mm512_maskz_mov_epi32(w->valid, value[0])
                                 : _mm512_mask_i32gather_epi32(zero, w->valid, w->at, values, 4);
        value[0] = _mm512_mask_shuffle_epi32(v, w->exchanged, v, (_MM_PERM_ENUM)0xe1);
        return;
    }
    __m512i v = paired ? _mm512_maskz_mov_epi64((__mmask8)w->valid, value[0])
                       : bi_hash_gather_8(values, _mm512_castsi512_si256(w->at), w->valid);
    value[0] = _mm512_mask_permutex_epi64(v, (__mmask8)w->exchanged, v, 0xe1);
    if (bits == 64) return;
    v = bi_hash_gather_8(values, _mm512_extracti64x4_epi64(w->at, 1), w->valid >> 8);
    value[1] = _mm512_mask_permutex_epi64(v, (__mmask8)(w->exchanged >> 8), v, 0xe1);
}

/* Stores `count` buckets: the hashes of each, then its values. */
BI_FN void bi_hash_store_buckets(const struct bi_hash_bucket_lanes *w, int32_t bits, size_t size,
                                 const __m512i value[2], char *to, size_t stride, uint32_t count)
{
    char hashes[64], values[128];
    if (bits == 32 && size == 4 && count == 4) {
        const __m512i low = _mm512_set_epi64(11, 10, 3, 2, 9, 8, 1, 0), four = _mm512_set1_epi64(4);
        _mm512_storeu_si512(to, _mm512_permutex2var_epi64(w->hash, low, value[0]));
        _mm512_storeu_si512(to + 64, _mm512_permutex2var_epi64(w->hash, _mm512_add_epi64(low, four), value[0]));
        return;
    }
    if (bits == 64 && size == 8 && count == 2) {
        _mm512_storeu_si512(to, _mm512_shuffle_i64x2(w->hash, value[0], 0x44));
        _mm512_storeu_si512(to + 64, _mm512_shuffle_i64x2(w->hash, value[0], 0xee));
        return;
    }
    _mm512_storeu_si512(hashes, w->hash);
    if (size) _mm512_storeu_si512(values, value[0]);
    if (size == 8 && bits == 32) _mm512_storeu_si512(values + 64, value[1]);
    const size_t key = (size_t)bits / 8 * BOSC_HASH_WIDTH, stored = size * BOSC_HASH_WIDTH;
    for (uint32_t b = 0; b < count; b++, to += stride) {
        memcpy(to, hashes + b * key, key);
        memcpy(to + key, values + b * stored, stored);
    }
}

/* Writes the buckets of a partition. Returns true if a key is in one of them twice. */
BI_FN bool bi_hash_write_buckets_avx512(const struct bi_hash_matching *m, int32_t bits, size_t size, bool paired,
                                        const uint8_t *marks, uint64_t filler, char *to, size_t stride)
{
    const uint32_t each = bits == 32 ? 4 : 2; /* buckets at once */
    const __m512i fillers = bits == 32 ? _mm512_set1_epi32((int)filler) : _mm512_set1_epi64((long long)filler);
    const __m512i spread = _mm512_set_epi32(3, 3, 3, 3, 2, 2, 2, 2, 1, 1, 1, 1, 0, 0, 0, 0);
    bool same = false;
    for (uint32_t b = 0; b < m->buckets; b += each, to += each * stride) {
        const uint32_t count = m->buckets - b < each ? m->buckets - b : each;
        const __m128i four = _mm_maskz_loadu_epi8((__mmask16)bi_hash_lanes_16((int)count), marks + b);
        const __m512i mark = _mm512_permutexvar_epi32(spread, _mm512_castsi128_si512(_mm_cvtepu8_epi32(four)));
        const __m512i codes = _mm512_maskz_loadu_epi32(bi_hash_lanes_16((int)count * BOSC_HASH_WIDTH),
                                                       m->codes + (size_t)BOSC_HASH_WIDTH * b);
        __m512i value[2];
        const struct bi_hash_bucket_lanes w = bi_hash_load_bucket_hashes(m, bits, paired, codes, mark, fillers, value);
        if (size) bi_hash_load_bucket_values(&w, bits, size, paired, m->values, value);
        bi_hash_store_buckets(&w, bits, size, value, to, stride, count);
        same |= w.same;
    }
    return same;
}

#endif
