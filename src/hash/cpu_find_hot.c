/* Looks keys up in a bucketed table: queries go through in chunks, whose buckets are fetched while others are hashed;
 * those that their first bucket sends on go through once more. */
#include <string.h>
#ifdef __SSE2__
#include <immintrin.h>
#endif

#include "hash/cpu.h"

enum { WIDTH = BOSC_HASH_WIDTH, LINEAR = BOSC_HASH_LINEAR, CHUNK = 32 };

/* A chunk of queries on its way. */
struct chunk {
    uint64_t hashes[2 * CHUNK];
    uint32_t parts[CHUNK], firsts[CHUNK];
    const char *buckets[CHUNK];
    uint8_t late[CHUNK]; /* those that may be elsewhere */
    int n_late;
};

/* Bit i: the hash at place i is this one. At most one is. */
BI_FN uint32_t matches(const char *bucket, int32_t bits, bosc_hash_word hash)
{
#ifdef __SSE2__
    if (bits == 32) {
        __m128i there = _mm_loadu_si128((const __m128i *)(const void *)bucket);
        return (uint32_t)_mm_movemask_ps(_mm_castsi128_ps(_mm_cmpeq_epi32(there, _mm_set1_epi32((int)hash.low))));
    }
#endif
#if BI_LEVEL >= 3
    if (bits == 64) {
        __m256i there = _mm256_loadu_si256((const __m256i *)(const void *)bucket);
        return (uint32_t)_mm256_movemask_pd(
            _mm256_castsi256_pd(_mm256_cmpeq_epi64(there, _mm256_set1_epi64x((long long)hash.low))));
    }
#endif
    uint32_t bit = 0;
    for (int i = 0; i < WIDTH; i++) bit |= (uint32_t)bi_hash_same(bosc_hash_load(bucket, i, bits), hash) << i;
    return bit;
}

BI_FN bool overflowed(const char *bucket, int32_t bits, int32_t part_bits, uint32_t part)
{
    bosc_hash_word last = bosc_hash_load(bucket, WIDTH - 1, bits);
    bool rising = bosc_hash_less(bosc_hash_load(bucket, 0, bits), bosc_hash_load(bucket, 1, bits));
    bool full = bosc_hash_part_of(last, bits, part_bits) == part;
    return full ? rising : last.low & 1;
}

/* What stands at a place is the answer, or nothing is. */
BI_FN void answer(const char *bucket, int32_t bits, size_t size, uint32_t match, int64_t q, char *values,
                  uint8_t *found)
{
    uint32_t place = (uint32_t)__builtin_ctz(match | 1u << (WIDTH - 1));
    if (found) found[q] = match != 0;
    if (!values) return;
    const char *value = bucket + WIDTH * (bits / 8) + place * size;
    if (size == 4) {
        uint32_t v;
        memcpy(&v, value, 4);
        v &= match ? UINT32_MAX : 0;
        memcpy(values + q * 4, &v, 4);
    } else if (size == 8) {
        uint64_t v;
        memcpy(&v, value, 8);
        v &= match ? UINT64_MAX : 0;
        memcpy(values + q * 8, &v, 8);
    } else if (match) {
        memcpy(values + (size_t)q * size, value, size);
    } else {
        memset(values + (size_t)q * size, 0, size);
    }
}

BI_FN void hash_chunk(const struct bi_hash_shape *s, int32_t bits, const void *queries, int64_t begin, int count,
                      struct chunk *c)
{
    const int shift = 64 - s->part_bits;
    const uint64_t seed = s->seed;
    for (int j = 0; j < count; j++) {
        bosc_hash_word h = bosc_hash_of(bosc_hash_load(queries, begin + j, bits), bits, seed);
        bi_hash_store(c->hashes, bits, j, h);
        c->parts[j] = bits == 32 ? (uint32_t)h.low >> (shift - 32) : (uint32_t)(bosc_hash_top(h, bits) >> shift);
        c->firsts[j] = bosc_hash_fold(h, bits);
    }
}

/* The second bucket of a query, or all of a linear part. */
BI_FN void answer_late(const bosc_hash_view *view, int32_t bits, size_t size, const struct chunk *c, int j, int64_t q,
                       char *values, uint8_t *found)
{
    bosc_hash_word hash = bosc_hash_load(c->hashes, j, bits);
    bosc_hash_part part = view->parts[c->parts[j]];
    const char *bucket = c->buckets[j];
    uint32_t match = 0;
    if ((part.buckets_seed & LINEAR) != LINEAR) {
        match = matches(bucket, bits, hash);
    } else {
        for (uint32_t b = 0; b < part.buckets_seed >> BOSC_HASH_SEED_BITS && !match; b++) {
            bucket = (const char *)bosc_hash_bucket(view, part.first + b);
            match = matches(bucket, bits, hash);
        }
    }
    answer(bucket, bits, size, match, q, values, found);
}

BI_FN void find_chunk(const bosc_hash_view *view, const struct bi_hash_shape *s, int32_t bits, size_t size,
                      const void *queries, int64_t begin, int count, char *values, uint8_t *found)
{
    struct chunk c = {.n_late = 0};
    const size_t stride = (size_t)s->stride;
    hash_chunk(s, bits, queries, begin, count, &c);
    for (int j = 0; j < count; j++) {
        bosc_hash_part part = view->parts[c.parts[j]];
        uint32_t seed = part.buckets_seed & LINEAR, buckets = part.buckets_seed >> BOSC_HASH_SEED_BITS;
        uint32_t g = bosc_hash_scatter(c.firsts[j] + seed * 0x9e3779b9u);
        uint32_t first = (uint32_t)((uint64_t)g * buckets >> 32);
        c.buckets[j] = (const char *)view->buckets + (size_t)(part.first + first) * stride;
        __builtin_prefetch(c.buckets[j]);
    }
    for (int j = 0; j < count; j++) {
        const char *bucket = c.buckets[j];
        uint32_t match = matches(bucket, bits, bosc_hash_load(c.hashes, j, bits));
        bool linear = (view->parts[c.parts[j]].buckets_seed & LINEAR) == LINEAR;
        c.late[c.n_late] = (uint8_t)j;
        c.n_late += match == 0 && (overflowed(bucket, bits, s->part_bits, c.parts[j]) | linear);
        answer(bucket, bits, size, match, begin + j, values, found);
    }
    for (int k = 0; k < c.n_late; k++) {
        int j = c.late[k];
        uint32_t pick[2];
        bosc_hash_part part = view->parts[c.parts[j]];
        bosc_hash_buckets(c.firsts[j], part.buckets_seed & LINEAR, part.buckets_seed >> BOSC_HASH_SEED_BITS, pick);
        c.buckets[j] = (const char *)view->buckets + (size_t)(part.first + pick[1]) * stride;
        __builtin_prefetch(c.buckets[j]);
    }
    for (int k = 0; k < c.n_late; k++) answer_late(view, bits, size, &c, c.late[k], begin + c.late[k], values, found);
}

BI_FN void find_sized(const bosc_hash *t, int32_t bits, size_t size, const void *queries, int64_t begin, int64_t end,
                      char *values, uint8_t *found)
{
    bosc_hash_view view = bi_hash_view(t);
    for (int64_t i = begin; i < end; i += CHUNK)
        find_chunk(&view, &t->shape, bits, size, queries, i, end - i < CHUNK ? (int)(end - i) : CHUNK, values, found);
}

BI_FN void find_key(const bosc_hash *t, int32_t bits, const void *queries, int64_t begin, int64_t end, char *values,
                    uint8_t *found)
{
    size_t size = (size_t)t->shape.value_bytes;
    if (!values)
        find_sized(t, bits, size, queries, begin, end, NULL, found);
    else if (size == 4)
        find_sized(t, bits, 4, queries, begin, end, values, found);
    else if (size == 8)
        find_sized(t, bits, 8, queries, begin, end, values, found);
    else
        find_sized(t, bits, size, queries, begin, end, values, found);
}

void BI_LEVEL_NAME(bi_hash_find)(const bosc_hash *t, const void *queries, int64_t begin, int64_t end, void *values,
                                 uint8_t *found)
{
    BI_HASH_BY_KEY(t->shape.key_bits, find_key(t, 8 * KEY, queries, begin, end, values, found));
}
