/* Hashes and keys of any width in memory. */
#ifndef BI_HASH_KEY_H
#define BI_HASH_KEY_H

#include <stdbool.h>

#include <boscage/device/hash.h>

#include "base/step.h"

/* Writes element i of an array of hashes or keys. */
BI_FN void bi_hash_store(void *array, int32_t key_bits, int64_t i, bosc_hash_word w)
{
    if (key_bits == 32) {
        ((uint32_t *)array)[i] = (uint32_t)w.low;
    } else if (key_bits == 64) {
        ((uint64_t *)array)[i] = w.low;
    } else {
        ((uint64_t *)array)[2 * i] = w.low;
        ((uint64_t *)array)[2 * i + 1] = w.high;
    }
}

BI_FN bool bi_hash_same(bosc_hash_word a, bosc_hash_word b) { return a.low == b.low && a.high == b.high; }

/* Undo bosc_hash_mix32 and bosc_hash_mix64: the multipliers are the inverses of theirs modulo 2^32 and 2^64, and each
 * shift is repeated until it leaves the word. */
BI_FN uint32_t bi_hash_unmix32(uint32_t x)
{
    x ^= x >> 16;
    x *= 0x43021123u;
    x ^= x >> 15 ^ x >> 30;
    x *= 0x1d69e2a5u;
    return x ^ (x >> 16);
}

BI_FN uint64_t bi_hash_unmix64(uint64_t x)
{
    x ^= x >> 31 ^ x >> 62;
    x *= 0x319642b2d24d8ec3ull;
    x ^= x >> 27 ^ x >> 54;
    x *= 0x96de1b173f119089ull;
    return x ^ (x >> 30 ^ x >> 60);
}

/* The key of a hash: the inverse of bosc_hash_of. */
BI_FN bosc_hash_word bi_hash_key_of(bosc_hash_word hash, int32_t key_bits, uint64_t seed)
{
    if (key_bits == 32) {
        hash.low = bi_hash_unmix32((uint32_t)hash.low) ^ (uint32_t)(seed ^ seed >> 32);
    } else if (key_bits == 64) {
        hash.low = bi_hash_unmix64(hash.low) ^ seed;
    } else {
        hash.low ^= bosc_hash_mix64(hash.high ^ 0xd1b54a32d192ed03ull);
        hash.high ^= bosc_hash_mix64(hash.low + seed);
        hash.low ^= bosc_hash_mix64(hash.high + 0x9e3779b97f4a7c15ull);
        hash.high ^= bosc_hash_mix64(hash.low ^ seed);
    }
    return hash;
}

#endif
