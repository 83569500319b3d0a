/* The functions of boscage/device/hash.h for 16 hashes at once, by AVX-512. */
#ifndef BI_HASH_CPU_HASH_AVX512_H
#define BI_HASH_CPU_HASH_AVX512_H

#include <immintrin.h>

#include "hash/hash.h"

/* Returns a mask of the first `count` lanes. */
BI_FN __mmask16 bi_hash_lanes_16(int count) { return (__mmask16)(count >= 16 ? 0xffff : (1u << count) - 1); }

/* As bosc_hash_scatter. */
BI_FN __m512i bi_hash_scatter_16(__m512i x)
{
    x = _mm512_mullo_epi32(x, _mm512_set1_epi32((int)0x9e3779b1u));
    x = _mm512_xor_si512(x, _mm512_srli_epi32(x, 15));
    x = _mm512_mullo_epi32(x, _mm512_set1_epi32((int)0xd168aaadu));
    return _mm512_xor_si512(x, _mm512_srli_epi32(x, 14));
}

/* As bosc_hash_mix32. */
BI_FN __m512i bi_hash_mix_16(__m512i x)
{
    x = _mm512_xor_si512(x, _mm512_srli_epi32(x, 16));
    x = _mm512_mullo_epi32(x, _mm512_set1_epi32(0x7feb352d));
    x = _mm512_xor_si512(x, _mm512_srli_epi32(x, 15));
    x = _mm512_mullo_epi32(x, _mm512_set1_epi32((int)0x846ca68bu));
    return _mm512_xor_si512(x, _mm512_srli_epi32(x, 16));
}

/* As bosc_hash_mix64. */
BI_FN __m512i bi_hash_mix_8(__m512i x)
{
    x = _mm512_xor_si512(x, _mm512_srli_epi64(x, 30));
    x = _mm512_mullo_epi64(x, _mm512_set1_epi64((long long)0xbf58476d1ce4e5b9ull));
    x = _mm512_xor_si512(x, _mm512_srli_epi64(x, 27));
    x = _mm512_mullo_epi64(x, _mm512_set1_epi64((long long)0x94d049bb133111ebull));
    return _mm512_xor_si512(x, _mm512_srli_epi64(x, 31));
}

/* Scales 32 bits to a number below `bound`. */
BI_FN __m512i bi_hash_below_16(__m512i x, __m512i bound)
{
    __m512i even = _mm512_srli_epi64(_mm512_mul_epu32(x, bound), 32);
    __m512i odd = _mm512_mul_epu32(_mm512_srli_epi64(x, 32), _mm512_srli_epi64(bound, 32));
    return _mm512_mask_blend_epi32(0xaaaa, even, odd);
}

/* Returns the words at even or odd positions of two vectors. */
BI_FN __m512i bi_hash_every_other_16(__m512i a, __m512i b, bool odd)
{
    const __m512i even = _mm512_set_epi32(30, 28, 26, 24, 22, 20, 18, 16, 14, 12, 10, 8, 6, 4, 2, 0);
    return _mm512_permutex2var_epi32(a, odd ? _mm512_add_epi32(even, _mm512_set1_epi32(1)) : even, b);
}

/* bosc_hash_fold of 16 hashes of 64 bits. */
BI_FN __m512i bi_hash_fold_16(__m512i a, __m512i b)
{
    a = _mm512_xor_si512(a, _mm512_srli_epi64(a, 32));
    b = _mm512_xor_si512(b, _mm512_srli_epi64(b, 32));
    return bi_hash_every_other_16(a, b, false);
}

/* Returns the addends of the seeds to folds, from words of a number of buckets and a seed. */
BI_FN __m512i bi_hash_scale_seeds(__m512i sizes)
{
    __m512i seed = _mm512_and_si512(sizes, _mm512_set1_epi32(BOSC_HASH_LINEAR));
    return _mm512_mullo_epi32(seed, _mm512_set1_epi32((int)0x9e3779b9u));
}

/* Derives the words that choose second buckets from the words of the first ones. */
BI_FN __m512i bi_hash_remix_16(__m512i mixed)
{
    return bi_hash_scatter_16(_mm512_xor_si512(mixed, _mm512_set1_epi32(0x5bd1e995)));
}

/* Gathers the partitions of 16 hashes: first bucket, number of buckets, addend of the seed to a fold. */
BI_FN void bi_hash_gather_partitions_16(const bosc_hash_partition *partitions, __m512i number, __m512i *first,
                                        __m512i *size, __m512i *seed)
{
    __m512i a = _mm512_i32gather_epi64(_mm512_castsi512_si256(number), partitions, 8);
    __m512i b = _mm512_i32gather_epi64(_mm512_extracti64x4_epi64(number, 1), partitions, 8);
    __m512i both = bi_hash_every_other_16(a, b, true);
    *first = bi_hash_every_other_16(a, b, false);
    *size = _mm512_srli_epi32(both, BOSC_HASH_SEED_BITS);
    *seed = bi_hash_scale_seeds(both);
}

/* Hashes keys of 32 or 64 bits, `live` of 16; writes the hashes and their top bits. */
BI_FN void bi_hash_hash_16(const char *keys, int32_t bits, int32_t partition_bits, uint64_t seed, __mmask16 live,
                           char *hashes, uint32_t *numbers)
{
    const __m128i shift = _mm_cvtsi32_si128(bits - partition_bits);
    if (bits == 32) {
        const __m512i spread = _mm512_set1_epi32((int)(seed ^ seed >> 32));
        const __m512i hash = bi_hash_mix_16(_mm512_xor_si512(_mm512_maskz_loadu_epi32(live, keys), spread));
        _mm512_mask_storeu_epi32(hashes, live, hash);
        _mm512_mask_storeu_epi32(numbers, live, _mm512_srl_epi32(hash, shift));
        return;
    }
    const __mmask8 low = (__mmask8)live, high = (__mmask8)(live >> 8);
    const __m512i spread = _mm512_set1_epi64((long long)seed);
    const __m512i a = bi_hash_mix_8(_mm512_xor_si512(_mm512_maskz_loadu_epi64(low, keys), spread));
    const __m512i b = bi_hash_mix_8(_mm512_xor_si512(_mm512_maskz_loadu_epi64(high, keys + 64), spread));
    _mm512_mask_storeu_epi64(hashes, low, a);
    _mm512_mask_storeu_epi64(hashes + 64, high, b);
    _mm512_mask_storeu_epi32(numbers, live,
                             bi_hash_every_other_16(_mm512_srl_epi64(a, shift), _mm512_srl_epi64(b, shift), false));
}

/* Up to 32 partitions in registers: first buckets, numbers of buckets, addends of their seeds to a fold. */
enum { BI_HASH_REGISTER_BITS = 5 };
struct bi_hash_partition_registers {
    __m512i first_buckets[2], sizes[2], seeds[2];
};

/* Loads 2^partition_bits partitions, if the registers hold as many. */
BI_FN void bi_hash_load_partitions(const bosc_hash_partition *partitions, int32_t partition_bits,
                                   struct bi_hash_partition_registers *registers)
{
    __m512i pairs[4];
    if (partition_bits > BI_HASH_REGISTER_BITS) return;
    for (int i = 0; i < 4; i++) {
        const int words = (2 << partition_bits) - 16 * i;
        pairs[i] = _mm512_maskz_loadu_epi32(bi_hash_lanes_16(words > 0 ? words : 0), partitions + 8 * i);
    }
    for (int i = 0; i < 2; i++) {
        registers->first_buckets[i] = bi_hash_every_other_16(pairs[2 * i], pairs[2 * i + 1], false);
        registers->sizes[i] = bi_hash_every_other_16(pairs[2 * i], pairs[2 * i + 1], true);
        registers->seeds[i] = bi_hash_scale_seeds(registers->sizes[i]);
        registers->sizes[i] = _mm512_srli_epi32(registers->sizes[i], BOSC_HASH_SEED_BITS);
    }
}

/* As bi_hash_gather_partitions_16, by permutations of the registers. */
BI_FN void bi_hash_permute_partitions_16(const struct bi_hash_partition_registers *registers, __m512i number,
                                         __m512i *first, __m512i *size, __m512i *seed)
{
    *first = _mm512_permutex2var_epi32(registers->first_buckets[0], number, registers->first_buckets[1]);
    *size = _mm512_permutex2var_epi32(registers->sizes[0], number, registers->sizes[1]);
    *seed = _mm512_permutex2var_epi32(registers->seeds[0], number, registers->seeds[1]);
}

/* Returns the words of 64 bits at even positions of two vectors. */
BI_FN __m512i bi_hash_every_other_8(__m512i a, __m512i b)
{
    return _mm512_permutex2var_epi64(a, _mm512_set_epi64(14, 12, 10, 8, 6, 4, 2, 0), b);
}

/* Loads up to 16 hashes, each with a value of as many bytes behind it. Returns their folds. */
BI_FN __m512i bi_hash_load_folds_of_pairs_16(const char *pairs, int32_t bits, __mmask16 live)
{
    const __mmask8 low = (__mmask8)live, high = (__mmask8)(live >> 8);
    if (bits == 32)
        return bi_hash_every_other_16(_mm512_maskz_loadu_epi64(low, pairs), _mm512_maskz_loadu_epi64(high, pairs + 64),
                                      false);
    __m512i pair[4];
#pragma GCC unroll 4
    for (int i = 0; i < 4; i++) { /* a word of 64 bits twice for each live lane */
        const __mmask8 two = (__mmask8)_pdep_u32(live >> 4 * i, 0x55);
        pair[i] = _mm512_maskz_loadu_epi64((__mmask8)(two | two << 1), pairs + 64 * i);
    }
    return bi_hash_fold_16(bi_hash_every_other_8(pair[0], pair[1]), bi_hash_every_other_8(pair[2], pair[3]));
}

/* Hashes keys, `live` of 16, into a vector of 32 bits or two of 64. */
BI_FN void bi_hash_of_16(const char *keys, int32_t bits, uint64_t seed, __mmask16 live, __m512i hash[2])
{
    if (bits == 32) {
        const __m512i spread = _mm512_set1_epi32((int)(seed ^ seed >> 32));
        hash[0] = bi_hash_mix_16(_mm512_xor_si512(_mm512_maskz_loadu_epi32(live, keys), spread));
        return;
    }
    const __m512i spread = _mm512_set1_epi64((long long)seed);
    const __m512i low = _mm512_maskz_loadu_epi64((__mmask8)live, keys);
    const __m512i high = _mm512_maskz_loadu_epi64((__mmask8)(live >> 8), keys + 64);
    hash[0] = bi_hash_mix_8(_mm512_xor_si512(low, spread));
    hash[1] = bi_hash_mix_8(_mm512_xor_si512(high, spread));
}

/* bosc_hash_place_of of 16 hashes, for at most BOSC_HASH_INDEXED homes; part: the part of a home from which
 * bosc_hash_range computes the range. */
struct bi_hash_entries {
    __m512i home, range, part;
};

BI_FN struct bi_hash_entries bi_hash_entries_16(const __m512i hash[2], int32_t bits, uint32_t homes)
{
    __m512i home, part;
    if (bits == 32) {
        const __m512i count = _mm512_set1_epi64(homes), even = _mm512_mul_epu32(hash[0], count);
        const __m512i odd = _mm512_mul_epu32(_mm512_srli_epi64(hash[0], 32), count);
        home = _mm512_mask_mov_epi32(_mm512_srli_epi64(even, 32), 0xaaaa, odd);
        part = _mm512_mask_mov_epi32(even, 0xaaaa, _mm512_slli_epi64(odd, 32));
    } else {
        const __m512i count = _mm512_set1_epi64(2 * (long long)homes);
        const __m512i low = _mm512_mul_epu32(_mm512_srli_epi64(hash[0], 33), count);
        const __m512i high = _mm512_mul_epu32(_mm512_srli_epi64(hash[1], 33), count);
        home = bi_hash_every_other_16(low, high, true);
        part = bi_hash_every_other_16(low, high, false);
    }
    const __m512i top = _mm512_srli_epi32(part, 27), thrice = _mm512_add_epi32(top, _mm512_add_epi32(top, top));
    return (struct bi_hash_entries){home, _mm512_srli_epi32(thrice, 2), part};
}

/* Loads up to 16 hashes of 32 or 64 bits. Returns their folds; *number: their top bits. */
BI_FN __m512i bi_hash_load_folds_16(const char *hashes, int32_t bits, int32_t partition_bits, __mmask16 live,
                                    __m512i *number)
{
    const __m128i shift = _mm_cvtsi32_si128(bits - partition_bits);
    if (bits == 32) {
        const __m512i hash = _mm512_maskz_loadu_epi32(live, hashes);
        *number = _mm512_srl_epi32(hash, shift);
        return hash;
    }
    const __m512i a = _mm512_maskz_loadu_epi64((__mmask8)live, hashes);
    const __m512i b = _mm512_maskz_loadu_epi64((__mmask8)(live >> 8), hashes + 64);
    *number = bi_hash_every_other_16(_mm512_srl_epi64(a, shift), _mm512_srl_epi64(b, shift), false);
    return bi_hash_fold_16(a, b);
}

#endif
