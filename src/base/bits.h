/* Bits: counts, hash mixers, keys that order numbers as unsigned integers do, and arrays of words of either width. */
#ifndef BI_BASE_BITS_H
#define BI_BASE_BITS_H

#include <stdbool.h>
#include <string.h>

#include "base/step.h"

BI_FN uint32_t bi_f32_bits(float x)
{
    uint32_t u;
    memcpy(&u, &x, sizeof u);
    return u;
}

BI_FN float bi_f32_from_bits(uint32_t u)
{
    float x;
    memcpy(&x, &u, sizeof x);
    return x;
}

BI_FN uint64_t bi_f64_bits(double x)
{
    uint64_t u;
    memcpy(&u, &x, sizeof u);
    return u;
}

BI_FN double bi_f64_from_bits(uint64_t u)
{
    double x;
    memcpy(&x, &u, sizeof x);
    return x;
}

/* Mixes the bits of a number (a bijection). Source: Wellons, Prospecting for Hash Functions (2018), lowbias32. */
BI_FN uint32_t bi_mix_u32(uint32_t x)
{
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    x *= 0x846ca68bu;
    return x ^ (x >> 16);
}

/* The same for 64 bits. Source: Steele, Lea, Flood, Fast Splittable Pseudorandom Number Generators (2014). */
BI_FN uint64_t bi_mix_u64(uint64_t x)
{
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
    return x ^ (x >> 31);
}

/* Number of set bits. */
BI_FN int bi_popcount(uint64_t x)
{
#ifdef __CUDA_ARCH__
    return __popcll(x);
#else
    return __builtin_popcountll(x);
#endif
}

/* Index of the lowest bit that is set; x is not 0. */
BI_FN int bi_lowest_bit(uint64_t x)
{
#ifdef __CUDA_ARCH__
    return __ffsll((long long)x) - 1;
#else
    return __builtin_ctzll(x);
#endif
}

/* Number of clear bits above the highest set one; x is not 0. */
BI_FN int bi_leading_zeros(uint64_t x)
{
#ifdef __CUDA_ARCH__
    return __clzll((long long)x);
#else
    return __builtin_clzll(x);
#endif
}

/* Reverses the order of the bits. */
BI_FN uint64_t bi_reverse_bits(uint64_t x)
{
#ifdef __CUDA_ARCH__
    return __brevll(x);
#else
    /* Swap neighbouring bits, pairs and nibbles; then the bytes. */
    x = (x >> 1 & 0x5555555555555555ull) | (x & 0x5555555555555555ull) << 1;
    x = (x >> 2 & 0x3333333333333333ull) | (x & 0x3333333333333333ull) << 2;
    x = (x >> 4 & 0x0f0f0f0f0f0f0f0full) | (x & 0x0f0f0f0f0f0f0f0full) << 4;
    return __builtin_bswap64(x);
#endif
}

/* Ordered keys: a < b as numbers exactly if key(a) < key(b) as unsigned integers; -0 and +0 have the key of +0.
 * NaNs order by their bits, beyond the infinity of their sign. */
BI_FN uint32_t bi_key_u32_of_f32(float x)
{
    uint32_t u = bi_f32_bits(x);
    if (u == 0x80000000u) u = 0;
    return u ^ ((u >> 31) ? 0xffffffffu : 0x80000000u);
}

BI_FN uint64_t bi_key_u64_of_f64(double x)
{
    uint64_t u = bi_f64_bits(x);
    if (u == 0x8000000000000000ull) u = 0;
    return u ^ ((u >> 63) ? 0xffffffffffffffffull : 0x8000000000000000ull);
}

BI_FN uint32_t bi_key_u32_of_i32(int32_t x) { return (uint32_t)x ^ 0x80000000u; }

BI_FN uint64_t bi_key_u64_of_i64(int64_t x) { return (uint64_t)x ^ 0x8000000000000000ull; }

BI_FN float bi_f32_of_key(uint32_t k) { return bi_f32_from_bits((k >> 31) ? k ^ 0x80000000u : ~k); }

BI_FN double bi_f64_of_key(uint64_t k) { return bi_f64_from_bits((k >> 63) ? k ^ 0x8000000000000000ull : ~k); }

/* Number of bits of x: the smallest b with x < 2^b. */
BI_FN int bi_bit_length(uint64_t x)
{
#ifdef __CUDA_ARCH__
    return 64 - __clzll((long long)x);
#else
    return x ? 64 - __builtin_clzll(x) : 0;
#endif
}

BI_FN int64_t bi_max_i64(int64_t a, int64_t b) { return a > b ? a : b; }

BI_FN int64_t bi_div_up(int64_t a, int64_t b) { return (a + b - 1) / b; }

BI_FN uint64_t bi_round_up(uint64_t a, uint64_t unit) { return (a + unit - 1) / unit * unit; }

/* ---- arrays of 32-bit or 64-bit words; a flag selects the width ---- */

/* Returns word i. */
BI_FN uint64_t bi_word(const void *array, bool is_64bit, int64_t i)
{
    return is_64bit ? ((const uint64_t *)array)[i] : ((const uint32_t *)array)[i];
}

BI_FN void bi_set_word(void *array, bool is_64bit, int64_t i, uint64_t x)
{
    if (is_64bit)
        ((uint64_t *)array)[i] = x;
    else
        ((uint32_t *)array)[i] = (uint32_t)x;
}

#endif
