/* Several queries at once, by AVX2. Buckets are compared transposed: lane i of vector s is slot s of query i's
 * bucket. */
#ifndef BI_HASH_CPU_FIND_AVX2_H
#define BI_HASH_CPU_FIND_AVX2_H

#include <immintrin.h>

#include "hash/hash.h"

/* Result of comparing a vector of queries: lanes as wide as a hash, all ones or zero. */
struct bi_hash_lanes {
    __m256i match[BOSC_HASH_WIDTH]; /* the slot holds the hash; at most one does */
    __m256i more;                   /* no slot matches, and another bucket may */
};

BI_FN __m256i bi_hash_load_256(const void *at) { return _mm256_loadu_si256((const __m256i *)at); }

/* Loads 16 bytes from each of two addresses. */
BI_FN __m256i bi_hash_load_halves(const char *low, const char *high)
{
    return _mm256_inserti128_si256(_mm256_castsi128_si256(_mm_loadu_si128((const __m128i *)(const void *)low)),
                                   _mm_loadu_si128((const __m128i *)(const void *)high), 1);
}

/* Loads words 0 to 3 from each of eight addresses, transposed: column[s] has the words s. */
BI_FN void bi_hash_transpose_32(const char *const at[8], size_t offset, __m256i column[BOSC_HASH_WIDTH])
{
    __m256i row[4];
    for (int i = 0; i < 4; i++) row[i] = bi_hash_load_halves(at[i] + offset, at[i + 4] + offset);
    __m256i a = _mm256_unpacklo_epi32(row[0], row[1]), b = _mm256_unpackhi_epi32(row[0], row[1]);
    __m256i c = _mm256_unpacklo_epi32(row[2], row[3]), d = _mm256_unpackhi_epi32(row[2], row[3]);
    column[0] = _mm256_unpacklo_epi64(a, c);
    column[1] = _mm256_unpackhi_epi64(a, c);
    column[2] = _mm256_unpacklo_epi64(b, d);
    column[3] = _mm256_unpackhi_epi64(b, d);
}

/* As above, words of 64 bits from four addresses. */
BI_FN void bi_hash_transpose_64(const char *const at[4], size_t offset, __m256i column[BOSC_HASH_WIDTH])
{
    for (int s = 0; s < BOSC_HASH_WIDTH; s += 2, offset += 16) {
        __m256i a = bi_hash_load_halves(at[0] + offset, at[2] + offset);
        __m256i b = bi_hash_load_halves(at[1] + offset, at[3] + offset);
        column[s] = _mm256_unpacklo_epi64(a, b);
        column[s + 1] = _mm256_unpackhi_epi64(a, b);
    }
}

BI_FN __m256i bi_hash_any(const __m256i match[BOSC_HASH_WIDTH])
{
    return _mm256_or_si256(_mm256_or_si256(match[0], match[1]), _mm256_or_si256(match[2], match[3]));
}

/* Returns the odd words of 16 (sizes and seeds of eight partitions) or the even ones (their first buckets). */
BI_FN __m256i bi_hash_every_other(__m256i a, __m256i b, bool odd)
{
    __m256 low = _mm256_castsi256_ps(a), high = _mm256_castsi256_ps(b);
    __m256 mixed = odd ? _mm256_shuffle_ps(low, high, 0xdd) : _mm256_shuffle_ps(low, high, 0x88);
    return _mm256_permute4x64_epi64(_mm256_castps_si256(mixed), 0xd8);
}

/* Compares eight buckets with eight queries. A bucket is full if its last hash is of the query's partition; spilled:
 * see boscage/device/hash.h. */
BI_FN void bi_hash_compare_32(const char *const at[8], const uint32_t *hashes, const bosc_hash_partition *partitions,
                              int32_t partition_bits, struct bi_hash_lanes *l)
{
    const __m256i hash = bi_hash_load_256(hashes), linear = _mm256_set1_epi32(BOSC_HASH_LINEAR);
    const __m128i shift = _mm_cvtsi32_si128(32 - partition_bits);
    __m256i slot[BOSC_HASH_WIDTH];
    bi_hash_transpose_32(at, 0, slot);
    for (int s = 0; s < BOSC_HASH_WIDTH; s++) l->match[s] = _mm256_cmpeq_epi32(slot[s], hash);
    __m256i full = _mm256_cmpeq_epi32(_mm256_srl_epi32(slot[3], shift), _mm256_srl_epi32(hash, shift));
    __m256i falling = _mm256_cmpeq_epi32(_mm256_max_epu32(slot[0], slot[1]), slot[0]);
    __m256i odd = _mm256_srai_epi32(_mm256_slli_epi32(slot[3], 31), 31);
    __m256i spilled = _mm256_blendv_epi8(odd, _mm256_xor_si256(falling, _mm256_set1_epi32(-1)), full);
    __m256i sizes = bi_hash_every_other(bi_hash_load_256(partitions), bi_hash_load_256(partitions + 4), true);
    __m256i seeds = _mm256_and_si256(sizes, linear);
    l->more = _mm256_andnot_si256(bi_hash_any(l->match), _mm256_or_si256(spilled, _mm256_cmpeq_epi32(seeds, linear)));
}

BI_FN void bi_hash_compare_64(const char *const at[4], const uint64_t *hashes, const bosc_hash_partition *partitions,
                              int32_t partition_bits, struct bi_hash_lanes *l)
{
    const __m256i hash = bi_hash_load_256(hashes), linear = _mm256_set1_epi64x((int64_t)BOSC_HASH_LINEAR << 32);
    const __m256i sign = _mm256_set1_epi64x(INT64_MIN);
    const __m128i shift = _mm_cvtsi32_si128(64 - partition_bits);
    __m256i slot[BOSC_HASH_WIDTH];
    bi_hash_transpose_64(at, 0, slot);
    for (int s = 0; s < BOSC_HASH_WIDTH; s++) l->match[s] = _mm256_cmpeq_epi64(slot[s], hash);
    __m256i full = _mm256_cmpeq_epi64(_mm256_srl_epi64(slot[3], shift), _mm256_srl_epi64(hash, shift));
    __m256i rising = _mm256_cmpgt_epi64(_mm256_xor_si256(slot[1], sign), _mm256_xor_si256(slot[0], sign));
    __m256i odd = _mm256_slli_epi64(slot[3], 63); /* the blend by doubles selects by the sign */
    __m256i spilled = _mm256_castpd_si256(
        _mm256_blendv_pd(_mm256_castsi256_pd(odd), _mm256_castsi256_pd(rising), _mm256_castsi256_pd(full)));
    __m256i seeds = _mm256_and_si256(bi_hash_load_256(partitions), linear);
    l->more = _mm256_andnot_si256(bi_hash_any(l->match), _mm256_or_si256(spilled, _mm256_cmpeq_epi64(seeds, linear)));
}

/* Returns a word whose bit i is the sign of lane i. */
BI_FN uint32_t bi_hash_bits_of(__m256i lanes, int32_t bits)
{
    return bits == 32 ? (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(lanes))
                      : (uint32_t)_mm256_movemask_pd(_mm256_castsi256_pd(lanes));
}

/* Stores the values of matching slots, zeros without a match; values are as wide as hashes. */
BI_FN void bi_hash_store_values(const char *const at[8], int32_t bits, const struct bi_hash_lanes *l, char *values)
{
    const size_t offset = BOSC_HASH_WIDTH * (size_t)bits / 8;
    __m256i column[BOSC_HASH_WIDTH];
    if (bits == 32)
        bi_hash_transpose_32(at, offset, column);
    else
        bi_hash_transpose_64(at, offset, column);
    for (int s = 0; s < BOSC_HASH_WIDTH; s++) column[s] = _mm256_and_si256(l->match[s], column[s]);
    _mm256_storeu_si256((__m256i *)(void *)values, bi_hash_any(column));
}

/* As bosc_hash_scatter. */
BI_FN __m256i bi_hash_scatter_8(__m256i x)
{
    x = _mm256_mullo_epi32(x, _mm256_set1_epi32((int)0x9e3779b1u));
    x = _mm256_xor_si256(x, _mm256_srli_epi32(x, 15));
    x = _mm256_mullo_epi32(x, _mm256_set1_epi32((int)0xd168aaadu));
    return _mm256_xor_si256(x, _mm256_srli_epi32(x, 14));
}

/* Scales 32 bits to a number below `bound`. */
BI_FN __m256i bi_hash_below_8(__m256i x, __m256i bound)
{
    __m256i even = _mm256_srli_epi64(_mm256_mul_epu32(x, bound), 32);
    __m256i odd = _mm256_mul_epu32(_mm256_srli_epi64(x, 32), _mm256_srli_epi64(bound, 32));
    return _mm256_blend_epi32(even, odd, 0xaa);
}

/* bosc_hash_fold of eight hashes. */
BI_FN __m256i bi_hash_fold_8(const uint64_t *hashes, int32_t bits, int j)
{
    if (bits == 32) return bi_hash_load_256((const uint32_t *)hashes + j);
    __m256i a = bi_hash_load_256(hashes + j), b = bi_hash_load_256(hashes + j + 4);
    a = _mm256_xor_si256(a, _mm256_srli_epi64(a, 32));
    b = _mm256_xor_si256(b, _mm256_srli_epi64(b, 32));
    return bi_hash_every_other(a, b, false);
}

/* Gathers the partitions of four hashes, from j on. */
BI_FN void bi_hash_partitions_4(const bosc_hash_view *view, const uint64_t *hashes, int32_t bits, int j,
                                bosc_hash_partition partitions[4])
{
    const __m128i shift = _mm_cvtsi32_si128(bits - view->partition_bits);
    const uint32_t *of_32 = (const uint32_t *)hashes + j;
    __m256i at =
        bits == 64 ? _mm256_srl_epi64(bi_hash_load_256(hashes + j), shift)
                   : _mm256_cvtepu32_epi64(_mm_srl_epi32(_mm_loadu_si128((const __m128i *)(const void *)of_32), shift));
    at = _mm256_i64gather_epi64((const long long *)(const void *)view->partitions, at, 8);
    _mm256_storeu_si256((__m256i *)(void *)partitions, at);
}

/* Computes the first or second buckets of eight hashes, from j on, as byte offsets in the table. */
BI_FN void bi_hash_pick_8(const bosc_hash_view *view, const uint64_t *hashes, int32_t bits, int j,
                          const bosc_hash_partition partitions[8], bool second, uint64_t offsets[8])
{
    __m256i a = bi_hash_load_256(partitions), b = bi_hash_load_256(partitions + 4);
    __m256i sizes = bi_hash_every_other(a, b, true), first = bi_hash_every_other(a, b, false);
    __m256i seeds = _mm256_and_si256(sizes, _mm256_set1_epi32(BOSC_HASH_LINEAR));
    seeds = _mm256_mullo_epi32(seeds, _mm256_set1_epi32((int)0x9e3779b9u));
    __m256i mixed = bi_hash_scatter_8(_mm256_add_epi32(bi_hash_fold_8(hashes, bits, j), seeds));
    if (second) mixed = bi_hash_scatter_8(_mm256_xor_si256(mixed, _mm256_set1_epi32(0x5bd1e995)));
    mixed = bi_hash_below_8(mixed, _mm256_srli_epi32(sizes, BOSC_HASH_SEED_BITS));
    __m256i bucket = _mm256_add_epi32(first, mixed);
    const __m256i bytes = _mm256_set1_epi64x(view->stride);
    __m256i low = _mm256_cvtepu32_epi64(_mm256_castsi256_si128(bucket));
    __m256i high = _mm256_cvtepu32_epi64(_mm256_extracti128_si256(bucket, 1));
    _mm256_storeu_si256((__m256i *)(void *)offsets, _mm256_mul_epu32(low, bytes));
    _mm256_storeu_si256((__m256i *)(void *)(offsets + 4), _mm256_mul_epu32(high, bytes));
}

#endif
