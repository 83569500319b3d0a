/* boscage/device/hash.h - queries of a table of boscage/hash.h in your own loop or kernel.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Family: points, graphs and keys
 * Start with: bosc_hash_get_view
 *
 * bosc_hash_get_view describes a BUCKETED table; create it with that layout, since AUTO may choose ORDERED. The
 * functions below read it, in C and C++ on the CPU for a table of the CPU backend, and in CUDA kernels for one of the
 * CUDA backend. A view is valid until the table is written to or freed.
 *
 * The table: a key is mapped one to one to its hash, of the same number of bits. The top partition_bits of the hash
 * choose a partition, which is a run of buckets. Two numbers mixed from the hash and the partition's seed choose the
 * key's first and second bucket in it. A bucket is four hashes, then the four values, and bytes up to `stride`. An
 * empty slot holds a filler: a hash of another partition, which no query in this partition has. A bucket is spilled if
 * a key with this first bucket lies in its second one. A spilled bucket holds a filler that ends in 1, or is full with
 * hash[0] < hash[1]. On a device and in bosc_hash_find this mark limits most absent keys to one read. */
#ifndef BOSCAGE_DEVICE_HASH_H
#define BOSCAGE_DEVICE_HASH_H

#include <boscage/device/function.h>
#include <boscage/hash.h>

/* Queries for CPUs with branch prediction, by gcc and clang. The emulator runs the device's. */
#if defined(__GNUC__) && !defined(__CUDACC__) && !defined(BI_EMULATE)
#define BOSC_HASH_HOST
#endif

#if defined(__SSE2__) && defined(__has_builtin) && !defined(__CUDACC__)
#if __has_builtin(__builtin_shufflevector) /* vectors, as gcc 12 and clang know them */
#define BOSC_HASH_SSE2
typedef int32_t bosc_hash_4 __attribute__((vector_size(16)));
typedef int64_t bosc_hash_2 __attribute__((vector_size(16)));
typedef float bosc_hash_4f __attribute__((vector_size(16)));
#endif
#endif

enum {
    BOSC_HASH_VIEW_VERSION = 1,
    BOSC_HASH_WIDTH = 4,    /* slots of a bucket */
    BOSC_HASH_SEEDS = 63,   /* seeds of a partition: 0 to 62 */
    BOSC_HASH_LINEAR = 63,  /* in place of a seed: the partition is searched linearly */
    BOSC_HASH_SEED_BITS = 6 /* of bosc_hash_partition.buckets_seed */
};

typedef struct bosc_hash_partition {
    uint32_t first;        /* its first bucket */
    uint32_t buckets_seed; /* the number of its buckets (1 or more) << BOSC_HASH_SEED_BITS | its seed */
} bosc_hash_partition;

/* A hash or a key of any width; 32 and 64 bits are in low, with high 0. */
typedef struct bosc_hash_word {
    uint64_t low, high;
} bosc_hash_word;

typedef struct bosc_hash_view {
    uint32_t version; /* BOSC_HASH_VIEW_VERSION */
    int32_t key_bits;
    int32_t value_size; /* bytes stored with a key: a counted map has 4 more, a uint32_t; a multimap 8, see
                         * bosc_hash_get_view */
    int32_t stride;     /* bytes of a bucket */
    int32_t partition_bits;
    uint64_t seed;
    const bosc_hash_partition *partitions;
    const unsigned char *buckets;
    const unsigned char *values; /* multimap: all values, grouped by key; else NULL */
} bosc_hash_view;

BOSC_BEGIN_DECLS

/* Describes a BUCKETED table by a view.
 * A multimap stores two uint32_t with a key: the index of its first value in `values`, and their number.
 * Errors: BOSC_ERR_ARG for other layouts; BOSC_ERR_DATA before a build and after a failed one.
 * Cost: O(1). */
BOSC_API bosc_status bosc_hash_get_view(bosc_ctx *ctx, const bosc_hash *table, bosc_hash_view *view);

BOSC_END_DECLS

/* A one-to-one mix. Source: Wellons, Prospecting for Hash Functions (2018). */
BOSC_DEVICE_INLINE uint32_t bosc_hash_mix32(uint32_t x)
{
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    x *= 0x846ca68bu;
    return x ^ (x >> 16);
}

/* All but the last step of bosc_hash_mix64. The top 31 bits are as after it. */
BOSC_DEVICE_INLINE uint64_t bosc_hash_begin_mix64(uint64_t x)
{
    x ^= x >> 30;
    x *= 0xbf58476d1ce4e5b9ull;
    x ^= x >> 27;
    return x * 0x94d049bb133111ebull;
}

BOSC_DEVICE_INLINE uint64_t bosc_hash_end_mix64(uint64_t x) { return x ^ (x >> 31); }

/* A one-to-one mix. Source: Stafford, Better Bit Mixing (2011), variant 13. */
BOSC_DEVICE_INLINE uint64_t bosc_hash_mix64(uint64_t x) { return bosc_hash_end_mix64(bosc_hash_begin_mix64(x)); }

/* The hash of a key, one to one. For 128 bits: four rounds of a Feistel network. */
BOSC_DEVICE_INLINE bosc_hash_word bosc_hash_of(bosc_hash_word key, int32_t key_bits, uint64_t seed)
{
    if (key_bits == 32) {
        key.low = bosc_hash_mix32((uint32_t)key.low ^ (uint32_t)(seed ^ seed >> 32));
    } else if (key_bits == 64) {
        key.low = bosc_hash_mix64(key.low ^ seed);
    } else {
        key.high ^= bosc_hash_mix64(key.low ^ seed);
        key.low ^= bosc_hash_mix64(key.high + 0x9e3779b97f4a7c15ull);
        key.high ^= bosc_hash_mix64(key.low + seed);
        key.low ^= bosc_hash_mix64(key.high ^ 0xd1b54a32d192ed03ull);
    }
    return key;
}

/* Returns the word with the partition's bits on top, left-aligned in 64 bits. */
BOSC_DEVICE_INLINE uint64_t bosc_hash_top(bosc_hash_word hash, int32_t key_bits)
{
    return key_bits == 32 ? hash.low << 32 : key_bits == 64 ? hash.low : hash.high;
}

BOSC_DEVICE_INLINE uint32_t bosc_hash_partition_of(bosc_hash_word hash, int32_t key_bits, int32_t partition_bits)
{
    return (uint32_t)(bosc_hash_top(hash, key_bits) >> (64 - partition_bits));
}

/* The 32 bits of a hash that choose its buckets. */
BOSC_DEVICE_INLINE uint32_t bosc_hash_fold(bosc_hash_word hash, int32_t key_bits)
{
    if (key_bits == 32) return (uint32_t)hash.low;
    if (key_bits == 128) hash.low ^= hash.high * 0x9e3779b97f4a7c15ull;
    return (uint32_t)(hash.low ^ hash.low >> 32);
}

BOSC_DEVICE_INLINE uint32_t bosc_hash_scatter(uint32_t x)
{
    x *= 0x9e3779b1u;
    x ^= x >> 15;
    x *= 0xd168aaadu;
    return x ^ (x >> 14);
}

/* The first and second bucket of a fold, counted from the partition's first one. They may be the same. */
BOSC_DEVICE_INLINE void bosc_hash_buckets(uint32_t fold, uint32_t seed, uint32_t buckets, uint32_t pick[2])
{
    uint32_t g = bosc_hash_scatter(fold + seed * 0x9e3779b9u);
    pick[0] = (uint32_t)((uint64_t)g * buckets >> 32);
    pick[1] = (uint32_t)((uint64_t)bosc_hash_scatter(g ^ 0x5bd1e995u) * buckets >> 32);
}

/* True if a < b as numbers. */
BOSC_DEVICE_INLINE int bosc_hash_less(bosc_hash_word a, bosc_hash_word b)
{
    return a.high < b.high || (a.high == b.high && a.low < b.low);
}

/* Element `at` of an array of keys or hashes. */
BOSC_DEVICE_INLINE bosc_hash_word bosc_hash_word_at(const void *words, int64_t at, int32_t key_bits)
{
    bosc_hash_word word = {0, 0};
    if (key_bits == 32) {
        word.low = ((const uint32_t *)words)[at];
    } else if (key_bits == 64) {
        word.low = ((const uint64_t *)words)[at];
    } else {
        word.low = ((const uint64_t *)words)[2 * at];
        word.high = ((const uint64_t *)words)[2 * at + 1];
    }
    return word;
}

BOSC_DEVICE_INLINE const unsigned char *bosc_hash_bucket(const bosc_hash_view *view, uint32_t bucket)
{
    return view->buckets + (uint64_t)bucket * (uint32_t)view->stride;
}

/* Returns the slots of a bucket, given its hashes, that hold this hash: bit i for slot i. */
BOSC_DEVICE_INLINE uint32_t bosc_hash_match(const unsigned char *hashes, int32_t key_bits, bosc_hash_word hash)
{
    uint32_t match = 0;
#ifdef BOSC_HASH_SSE2
    /* Compare all four hashes at once; the sign bits of the result are the mask. */
    bosc_hash_4 first, last;
    __builtin_memcpy(&first, hashes, sizeof first);
    if (key_bits == 32) {
        const int32_t low = (int32_t)hash.low;
        const bosc_hash_4 wanted = {low, low, low, low};
        return (uint32_t)__builtin_ia32_movmskps((bosc_hash_4f)(first == wanted));
    }
    if (key_bits == 64) {
        const bosc_hash_2 both = {(int64_t)hash.low, (int64_t)hash.low};
        const bosc_hash_4 wanted = (bosc_hash_4)both;
        __builtin_memcpy(&last, hashes + sizeof first, sizeof last);
        first = first == wanted;
        last = last == wanted;
        /* A hash of 64 bits matches if both of its 32-bit halves do. */
        const bosc_hash_4 lows = __builtin_shufflevector(first, last, 0, 2, 4, 6);
        const bosc_hash_4 highs = __builtin_shufflevector(first, last, 1, 3, 5, 7);
        return (uint32_t)__builtin_ia32_movmskps((bosc_hash_4f)(lows & highs));
    }
#endif
    for (int32_t i = 0; i < BOSC_HASH_WIDTH; i++) {
        const bosc_hash_word here = bosc_hash_word_at(hashes, i, key_bits);
        match |= (uint32_t)(((here.low ^ hash.low) | (here.high ^ hash.high)) == 0) << i;
    }
    return match;
}

/* Returns the lowest slot of a match that is not 0, without a branch, which would be unpredictable. */
BOSC_DEVICE_INLINE int32_t bosc_hash_lowest(uint32_t match)
{
#ifdef BOSC_HASH_HOST
    return __builtin_ctz(match);
#else
    return (int32_t)(0x12131210u >> 2 * match & 3); /* two bits for each match */
#endif
}

/* The slot of a hash within a bucket, or -1. */
BOSC_DEVICE_INLINE int32_t bosc_hash_slot_in(const bosc_hash_view *view, uint32_t bucket, bosc_hash_word hash)
{
    const uint32_t match = bosc_hash_match(bosc_hash_bucket(view, bucket), view->key_bits, hash);
    return match ? bosc_hash_lowest(match) : -1;
}

/* True if a bucket is spilled. Fillers are last. Branch-free in the test for a full bucket. */
BOSC_DEVICE_INLINE int bosc_hash_is_spilled(const bosc_hash_view *view, uint32_t partition, uint32_t bucket)
{
    const unsigned char *hashes = bosc_hash_bucket(view, bucket);
    const bosc_hash_word last = bosc_hash_word_at(hashes, BOSC_HASH_WIDTH - 1, view->key_bits);
    const int full = bosc_hash_partition_of(last, view->key_bits, view->partition_bits) == partition;
    const int rising =
        bosc_hash_less(bosc_hash_word_at(hashes, 0, view->key_bits), bosc_hash_word_at(hashes, 1, view->key_bits));
    return (full & rising) | (~full & (int)(last.low & 1));
}

/* The slot of a hash in `count` buckets, as BOSC_HASH_WIDTH * bucket + slot, or -1. */
BOSC_DEVICE_INLINE int64_t bosc_hash_scan(const bosc_hash_view *view, uint32_t first, uint32_t count,
                                          bosc_hash_word hash)
{
    for (uint32_t bucket = first; bucket - first < count; bucket++) {
        int32_t slot = bosc_hash_slot_in(view, bucket, hash);
        if (slot >= 0) return (int64_t)bucket * BOSC_HASH_WIDTH + slot;
    }
    return -1;
}

#ifdef BOSC_HASH_HOST
/* A bucket and the slots in it that hold a hash, as bosc_hash_match gives them. */
typedef struct bosc_hash_hit {
    const unsigned char *bucket;
    uint32_t number, match;
} bosc_hash_hit;

BOSC_DEVICE_INLINE bosc_hash_hit bosc_hash_hit_in(const bosc_hash_view *view, uint32_t bucket, bosc_hash_word hash)
{
    bosc_hash_hit hit = {bosc_hash_bucket(view, bucket), bucket, 0};
    hit.match = bosc_hash_match(hit.bucket, view->key_bits, hash);
    return hit;
}

BOSC_DEVICE_INLINE bosc_hash_hit bosc_hash_hit_linear(const bosc_hash_view *view, uint32_t first, uint32_t count,
                                                      bosc_hash_word hash)
{
    bosc_hash_hit hit = {view->buckets, first, 0};
    for (uint32_t i = 0; i < count && !hit.match; i++) hit = bosc_hash_hit_in(view, first + i, hash);
    return hit;
}

/* Searches the first and the second bucket of a fold mixed by bosc_hash_scatter. The second one is read whatever the
 * first one's mark: on a CPU the read is cheaper than a mispredicted branch. In a large table it is prefetched before
 * the first one arrives. */
BOSC_DEVICE_INLINE bosc_hash_hit bosc_hash_hit_in_two(const bosc_hash_view *view, uint32_t first, uint32_t count,
                                                      uint32_t mixed, bosc_hash_word hash)
{
    const uint32_t one = first + (uint32_t)((uint64_t)mixed * count >> 32), again = mixed ^ 0x5bd1e995u;
    if (view->partition_bits >= 8) {
        const uint32_t two = first + (uint32_t)((uint64_t)bosc_hash_scatter(again) * count >> 32);
        __builtin_prefetch(bosc_hash_bucket(view, two));
        const bosc_hash_hit hit = bosc_hash_hit_in(view, one, hash);
        return hit.match ? hit : bosc_hash_hit_in(view, two, hash);
    }
    const bosc_hash_hit hit = bosc_hash_hit_in(view, one, hash);
    if (hit.match) return hit;
    return bosc_hash_hit_in(view, first + (uint32_t)((uint64_t)bosc_hash_scatter(again) * count >> 32), hash);
}

/* Finds a hash; match is 0 if it is absent. Nearly all partitions have seed 0, so that branch is predictable, and a CPU
 * mixes on while the partition is still being read. */
BOSC_DEVICE_INLINE bosc_hash_hit bosc_hash_hit_of(const bosc_hash_view *view, bosc_hash_word hash)
{
    const uint32_t number = view->key_bits == 32 ? (uint32_t)hash.low >> (32 - view->partition_bits)
                                                 : bosc_hash_partition_of(hash, view->key_bits, view->partition_bits);
    const bosc_hash_partition *partition = &view->partitions[number];
    const uint32_t count = partition->buckets_seed >> BOSC_HASH_SEED_BITS;
    const uint32_t seed = partition->buckets_seed & ((1u << BOSC_HASH_SEED_BITS) - 1);
    uint32_t mixed = bosc_hash_fold(hash, view->key_bits);
    if (__builtin_expect(seed != 0, 0)) {
        if (seed == BOSC_HASH_LINEAR) return bosc_hash_hit_linear(view, partition->first, count, hash);
        mixed = bosc_hash_scatter(mixed + seed * 0x9e3779b9u);
    } else {
        mixed = bosc_hash_scatter(mixed);
    }
    return bosc_hash_hit_in_two(view, partition->first, count, mixed, hash);
}

/* As bosc_hash_look_up. */
BOSC_DEVICE_INLINE int64_t bosc_hash_look_up_in(const bosc_hash_view *view, bosc_hash_word key)
{
    const bosc_hash_hit hit = bosc_hash_hit_of(view, bosc_hash_of(key, view->key_bits, view->seed));
    return hit.match ? (int64_t)hit.number * BOSC_HASH_WIDTH + bosc_hash_lowest(hit.match) : -1;
}

/* As bosc_hash_look_up_value. */
BOSC_DEVICE_INLINE const void *bosc_hash_look_up_value_in(const bosc_hash_view *view, bosc_hash_word key)
{
    const bosc_hash_hit hit = bosc_hash_hit_of(view, bosc_hash_of(key, view->key_bits, view->seed));
    if (!hit.match) return NULL;
    return hit.bucket + (uint32_t)view->key_bits / 2 + (uint32_t)(bosc_hash_lowest(hit.match) * view->value_size);
}
#else
/* As bosc_hash_look_up. */
BOSC_DEVICE_INLINE int64_t bosc_hash_look_up_in(const bosc_hash_view *view, bosc_hash_word key)
{
    bosc_hash_word hash = bosc_hash_of(key, view->key_bits, view->seed);
    uint32_t number = bosc_hash_partition_of(hash, view->key_bits, view->partition_bits), pick[2];
    bosc_hash_partition partition = view->partitions[number];
    uint32_t count = partition.buckets_seed >> BOSC_HASH_SEED_BITS;
    uint32_t seed = partition.buckets_seed & ((1u << BOSC_HASH_SEED_BITS) - 1);
    if (seed == BOSC_HASH_LINEAR) return bosc_hash_scan(view, partition.first, count, hash);
    bosc_hash_buckets(bosc_hash_fold(hash, view->key_bits), seed, count, pick);
    int64_t slot = bosc_hash_scan(view, partition.first + pick[0], 1, hash);
    if (slot >= 0) return slot;
    if (!bosc_hash_is_spilled(view, number, partition.first + pick[0])) return slot;
    return bosc_hash_scan(view, partition.first + pick[1], 1, hash);
}
#endif

/* Returns the slot of a key, as BOSC_HASH_WIDTH * bucket + slot, or -1 if the table does not hold it. */
BOSC_DEVICE_INLINE int64_t bosc_hash_look_up(const bosc_hash_view *view, bosc_hash_word key)
{
    bosc_hash_view by_width = *view; /* with a width known at compile time */
    if (view->key_bits == 32) {
        by_width.key_bits = 32;
        return bosc_hash_look_up_in(&by_width, key);
    }
    if (view->key_bits == 64) {
        by_width.key_bits = 64;
        return bosc_hash_look_up_in(&by_width, key);
    }
    by_width.key_bits = 128;
    return bosc_hash_look_up_in(&by_width, key);
}

/* The value in a slot that bosc_hash_look_up found. */
BOSC_DEVICE_INLINE const void *bosc_hash_value_at(const bosc_hash_view *view, int64_t slot)
{
    const uint64_t at = (uint64_t)slot;
    const unsigned char *values =
        bosc_hash_bucket(view, (uint32_t)(at / BOSC_HASH_WIDTH)) + BOSC_HASH_WIDTH * ((uint32_t)view->key_bits / 8);
    return values + at % BOSC_HASH_WIDTH * (uint32_t)view->value_size;
}

/* Returns the value stored with a key, as bosc_hash_value_at does, or NULL if the table does not hold the key. Faster
 * on a CPU than by the slot. */
BOSC_DEVICE_INLINE const void *bosc_hash_look_up_value(const bosc_hash_view *view, bosc_hash_word key)
{
#ifdef BOSC_HASH_HOST
    bosc_hash_view by_width = *view; /* with a width known at compile time */
    if (view->key_bits == 32) {
        by_width.key_bits = 32;
        return bosc_hash_look_up_value_in(&by_width, key);
    }
    if (view->key_bits == 64) {
        by_width.key_bits = 64;
        return bosc_hash_look_up_value_in(&by_width, key);
    }
    by_width.key_bits = 128;
    return bosc_hash_look_up_value_in(&by_width, key);
#else
    const int64_t slot = bosc_hash_look_up(view, key);
    return slot >= 0 ? bosc_hash_value_at(view, slot) : NULL;
#endif
}

#endif
