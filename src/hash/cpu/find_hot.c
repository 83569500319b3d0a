/* Looks keys up in a bucketed table, in chunks of queries. All hashes and buckets of a chunk are computed first, in
 * vectors; then its buckets are prefetched one by one while those of the chunk before are compared, so that memory and
 * processor are both busy. Queries whose first bucket is spilled wait for one chunk more. */
#include <string.h>
#ifdef __SSE2__
#include <immintrin.h>
#endif

#include "hash/cpu/bucketed.h"

enum { WIDTH = BOSC_HASH_WIDTH, LINEAR = BOSC_HASH_LINEAR, CHUNK = 64 };

/* A chunk of queries on its way. */
struct chunk {
    uint64_t hashes[2 * CHUNK];
    uint32_t partitions[CHUNK], folds[CHUNK];
    uint32_t buckets[CHUNK], sizes[CHUNK]; /* sizes: buckets_seed of the partitions */
    uint8_t deferred[CHUNK];               /* those that may be in their second bucket */
    int n_deferred;
};

/* Bit i: slot i holds this hash. At most one does. */
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
    for (int i = 0; i < WIDTH; i++) bit |= (uint32_t)bi_hash_same(bosc_hash_word_at(bucket, i, bits), hash) << i;
    return bit;
}

/* 1 or 0, without a branch: a mispredicted branch costs more than a bucket. */
BI_FN uint32_t spilled(const char *bucket, int32_t bits, int32_t partition_bits, uint32_t partition)
{
    bosc_hash_word last = bosc_hash_word_at(bucket, WIDTH - 1, bits);
    uint32_t rising = (uint32_t)bosc_hash_less(bosc_hash_word_at(bucket, 0, bits), bosc_hash_word_at(bucket, 1, bits));
    uint32_t full = bosc_hash_partition_of(last, bits, partition_bits) == partition;
    return (full & rising) | (~full & (uint32_t)last.low & 1);
}

/* Writes the answer: the value in the matching slot, or zeros. */
BI_FN void answer(const char *bucket, int32_t bits, size_t size, uint32_t match, int64_t q, char *values,
                  uint8_t *found)
{
    uint32_t slot = (uint32_t)__builtin_ctz(match | 1u << (WIDTH - 1));
    if (found) found[q] = match != 0;
    if (!values) return;
    const char *value = bucket + WIDTH * (bits / 8) + slot * size;
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

BI_FN const char *bucket_at(const bosc_hash_view *view, uint32_t bucket)
{
    return (const char *)view->buckets + (size_t)bucket * (size_t)view->stride;
}

/* Hashes a chunk and computes the first bucket of each query, one loop for each step, so that each is done in
 * vectors. */
BI_FN void begin_chunk(const bosc_hash_view *view, int32_t bits, const void *queries, int64_t begin, int count,
                       struct chunk *c)
{
    const int shift = 64 - view->partition_bits;
    const uint64_t seed = view->seed;
    const bosc_hash_partition *partitions = view->partitions;
    for (int j = 0; j < count; j++) {
        bosc_hash_word h = bosc_hash_of(bosc_hash_word_at(queries, begin + j, bits), bits, seed);
        bi_hash_store(c->hashes, bits, j, h);
        c->partitions[j] = bits == 32 ? (uint32_t)h.low >> (shift - 32) : (uint32_t)(bosc_hash_top(h, bits) >> shift);
        c->folds[j] = bosc_hash_fold(h, bits);
    }
    for (int j = 0; j < count; j++) {
        c->buckets[j] = partitions[c->partitions[j]].first;
        c->sizes[j] = partitions[c->partitions[j]].buckets_seed;
    }
    for (int j = 0; j < count; j++) {
        uint32_t g = bosc_hash_scatter(c->folds[j] + (c->sizes[j] & LINEAR) * 0x9e3779b9u);
        c->buckets[j] += (uint32_t)((uint64_t)g * (c->sizes[j] >> BOSC_HASH_SEED_BITS) >> 32);
    }
}

/* Answers query j of a chunk if its first bucket can; 1 if it cannot, and there may be another one. */
BI_FN int answer_first(const char *bucket, int32_t bits, size_t size, int32_t partition_bits, const struct chunk *c,
                       int j, int64_t q, char *values, uint8_t *found)
{
    uint32_t match = matches(bucket, bits, bosc_hash_word_at(c->hashes, j, bits));
    uint32_t linear = (c->sizes[j] & LINEAR) == LINEAR;
    uint32_t more = spilled(bucket, bits, partition_bits, c->partitions[j]) | linear;
    answer(bucket, bits, size, match, q, values, found);
    return (int)(more & (uint32_t)(match == 0));
}

/* Prefetches the buckets of `next`, and answers what the first buckets of `now` can. */
BI_FN void compare_chunk(const bosc_hash_view *view, int32_t bits, size_t size, const struct chunk *restrict next,
                         int next_count, struct chunk *restrict now, int64_t begin, int count, char *restrict values,
                         uint8_t *restrict found)
{
    const char *const table = (const char *)view->buckets;
    const size_t stride = (size_t)view->stride;
    const int32_t partition_bits = view->partition_bits;
    int both = count < next_count ? count : next_count, j = 0, deferred = 0;
    for (; j < both; j++) {
        __builtin_prefetch(table + next->buckets[j] * stride);
        now->deferred[deferred] = (uint8_t)j;
        deferred += answer_first(table + now->buckets[j] * stride, bits, size, partition_bits, now, j, begin + j,
                                 values, found);
    }
    for (int i = j; i < next_count; i++) __builtin_prefetch(table + next->buckets[i] * stride);
    for (; j < count; j++) {
        now->deferred[deferred] = (uint8_t)j;
        deferred += answer_first(table + now->buckets[j] * stride, bits, size, partition_bits, now, j, begin + j,
                                 values, found);
    }
    now->n_deferred = deferred;
}

/* Prefetches the second buckets of the deferred queries. */
BI_FN void fetch_second(const bosc_hash_view *view, struct chunk *c)
{
    for (int k = 0; k < c->n_deferred; k++) {
        int j = c->deferred[k];
        uint32_t pick[2];
        bosc_hash_buckets(c->folds[j], c->sizes[j] & LINEAR, c->sizes[j] >> BOSC_HASH_SEED_BITS, pick);
        c->buckets[j] = view->partitions[c->partitions[j]].first + pick[1];
        __builtin_prefetch(bucket_at(view, c->buckets[j]));
    }
}

/* The second bucket of a query, or all of a linear partition. */
BI_FN void answer_deferred(const bosc_hash_view *view, int32_t bits, size_t size, const struct chunk *c, int j,
                           int64_t q, char *values, uint8_t *found)
{
    bosc_hash_word hash = bosc_hash_word_at(c->hashes, j, bits);
    const char *bucket = bucket_at(view, c->buckets[j]);
    uint32_t match = 0;
    if ((c->sizes[j] & LINEAR) != LINEAR) {
        match = matches(bucket, bits, hash);
    } else {
        uint32_t first = view->partitions[c->partitions[j]].first;
        for (uint32_t b = 0; b < c->sizes[j] >> BOSC_HASH_SEED_BITS && !match; b++) {
            bucket = bucket_at(view, first + b);
            match = matches(bucket, bits, hash);
        }
    }
    answer(bucket, bits, size, match, q, values, found);
}

BI_FN int chunk_count(int64_t rest) { return rest < 0 ? 0 : rest < CHUNK ? (int)rest : CHUNK; }

/* While one chunk waits for its first buckets and another for its second ones, a third is hashed. */
BI_FN void find_sized(const bosc_hash *t, int32_t bits, size_t size, const void *queries, int64_t begin, int64_t end,
                      char *values, uint8_t *found)
{
    const bosc_hash_view view = bi_hash_view_of(t);
    struct chunk ring[3];
    for (int64_t k = 0, from = begin; from < end + 2 * CHUNK; k++, from += CHUNK) {
        struct chunk *next = &ring[k % 3], *now = &ring[(k + 2) % 3], *deferred = &ring[(k + 1) % 3];
        int count = chunk_count(end - from);
        begin_chunk(&view, bits, queries, from, count, next);
        if (k == 0) deferred->n_deferred = 0;
        compare_chunk(&view, bits, size, next, count, now, from - CHUNK, k > 0 ? chunk_count(end - from + CHUNK) : 0,
                      values, found);
        fetch_second(&view, now);
        for (int i = 0; i < deferred->n_deferred; i++)
            answer_deferred(&view, bits, size, deferred, deferred->deferred[i],
                            from - 2 * CHUNK + deferred->deferred[i], values, found);
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
