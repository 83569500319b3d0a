/* Looks keys up in a bucketed table: queries go through in chunks, whose buckets are fetched while others are hashed
 * and compared; those that their first bucket sends on wait once more. */
#include <string.h>
#ifdef __SSE2__
#include <immintrin.h>
#endif

#include "hash/cpu.h"

enum { WIDTH = BOSC_HASH_WIDTH, LINEAR = BOSC_HASH_LINEAR, CHUNK = 64 };

/* A chunk of queries on its way. */
struct chunk {
    uint64_t hashes[2 * CHUNK];
    uint32_t parts[CHUNK], folds[CHUNK];
    const char *buckets[CHUNK];
    uint8_t linear[CHUNK];
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

BI_FN void hash_chunk(const bosc_hash_view *s, int32_t bits, const void *queries, int64_t begin, int count,
                      struct chunk *c)
{
    const int shift = 64 - s->part_bits;
    const uint64_t seed = s->seed;
    for (int j = 0; j < count; j++) {
        bosc_hash_word h = bosc_hash_of(bosc_hash_load(queries, begin + j, bits), bits, seed);
        bi_hash_store(c->hashes, bits, j, h);
        c->parts[j] = bits == 32 ? (uint32_t)h.low >> (shift - 32) : (uint32_t)(bosc_hash_top(h, bits) >> shift);
        c->folds[j] = bosc_hash_fold(h, bits);
    }
}

/* The second bucket of a query, or all of a linear part. */
BI_FN void answer_late(const bosc_hash_view *view, int32_t bits, size_t size, const struct chunk *c, int j, int64_t q,
                       char *values, uint8_t *found)
{
    bosc_hash_word hash = bosc_hash_load(c->hashes, j, bits);
    const char *bucket = c->buckets[j];
    uint32_t match = 0;
    if (!c->linear[j]) {
        match = matches(bucket, bits, hash);
    } else {
        bosc_hash_part part = view->parts[c->parts[j]];
        for (uint32_t b = 0; b < part.buckets_seed >> BOSC_HASH_SEED_BITS && !match; b++) {
            bucket = (const char *)bosc_hash_bucket(view, part.first + b);
            match = matches(bucket, bits, hash);
        }
    }
    answer(bucket, bits, size, match, q, values, found);
}

/* Hashes a chunk, and asks for its first buckets. */
BI_FN void begin_chunk(const bosc_hash_view *view, int32_t bits, const void *queries, int64_t begin, int count,
                       struct chunk *c)
{
    const size_t stride = (size_t)view->stride;
    const bosc_hash_part *parts = view->parts;
    const char *table = (const char *)view->buckets;
    hash_chunk(view, bits, queries, begin, count, c);
    for (int j = 0; j < count; j++) {
        bosc_hash_part part = parts[c->parts[j]];
        uint32_t seed = part.buckets_seed & LINEAR, buckets = part.buckets_seed >> BOSC_HASH_SEED_BITS;
        uint32_t g = bosc_hash_scatter(c->folds[j] + seed * 0x9e3779b9u);
        c->buckets[j] = table + (part.first + (size_t)((uint64_t)g * buckets >> 32)) * stride;
        __builtin_prefetch(c->buckets[j]);
        c->linear[j] = seed == LINEAR;
    }
}

/* Answers what the first buckets can, and asks for the second ones of the others. */
BI_FN void answer_first(const bosc_hash_view *view, int32_t bits, size_t size, int64_t begin, int count,
                        struct chunk *c, char *values, uint8_t *found)
{
    const int32_t part_bits = view->part_bits;
    int late = 0;
    for (int j = 0; j < count; j++) {
        const char *bucket = c->buckets[j];
        uint32_t match = matches(bucket, bits, bosc_hash_load(c->hashes, j, bits));
        uint32_t more = (uint32_t)overflowed(bucket, bits, part_bits, c->parts[j]) | c->linear[j];
        c->late[late] = (uint8_t)j;
        late += (int)(more & (uint32_t)(match == 0));
        answer(bucket, bits, size, match, begin + j, values, found);
    }
    c->n_late = late;
    for (int k = 0; k < late; k++) {
        int j = c->late[k];
        uint32_t pick[2];
        bosc_hash_part part = view->parts[c->parts[j]];
        bosc_hash_buckets(c->folds[j], part.buckets_seed & LINEAR, part.buckets_seed >> BOSC_HASH_SEED_BITS, pick);
        c->buckets[j] = (const char *)view->buckets + ((size_t)part.first + pick[1]) * (size_t)view->stride;
        __builtin_prefetch(c->buckets[j]);
    }
}

/* While one chunk waits for its first buckets and another for its second ones, a third is hashed. */
BI_FN void find_sized(const bosc_hash *t, int32_t bits, size_t size, const void *queries, int64_t begin, int64_t end,
                      char *values, uint8_t *found)
{
    const bosc_hash_view view = bi_hash_view(t);
    const int64_t chunks = (end - begin + CHUNK - 1) / CHUNK;
    struct chunk ring[3];
    for (int64_t k = 0; k < chunks + 2; k++) {
        int64_t from = begin + k * CHUNK, rest = end - from;
        if (k < chunks) begin_chunk(&view, bits, queries, from, rest < CHUNK ? (int)rest : CHUNK, &ring[k % 3]);
        if (k > 0 && k <= chunks) {
            from -= CHUNK, rest += CHUNK;
            answer_first(&view, bits, size, from, rest < CHUNK ? (int)rest : CHUNK, &ring[(k - 1) % 3], values, found);
            from += CHUNK;
        }
        if (k < 2) continue;
        const struct chunk *c = &ring[(k - 2) % 3];
        for (int j = 0; j < c->n_late; j++)
            answer_late(&view, bits, size, c, c->late[j], from - 2 * CHUNK + c->late[j], values, found);
    }
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
