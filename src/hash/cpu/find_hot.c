/* Looks keys up in a bucketed table, in a pipeline of three chunks of queries: one is hashed, the buckets of the
 * second are computed, those of the third are compared, each in vectors. So no step waits for memory, and buckets
 * are prefetched while others are compared. Queries whose first bucket is spilled are queued, and compared as chunks
 * of their own. With AVX-512: find_avx512.h. */
#include <string.h>
#ifdef __SSE2__
#include <immintrin.h>
#endif

#include "hash/cpu/bucketed.h"
#if BI_LEVEL >= 3
#include "hash/cpu/find_avx2.h"
#endif
#if BI_LEVEL >= 4
#include "hash/cpu/find_avx512.h"
#endif

enum { WIDTH = BOSC_HASH_WIDTH, LINEAR = BOSC_HASH_LINEAR, CHUNK = 64, MOST_BYTES = 68 /* stored with a key */ };

/* A chunk of queries: CHUNK in the order of the input, or the queued ones, less than 2 CHUNK. */
struct chunk {
    int count;
    uint64_t hashes[2 * 2 * CHUNK]; /* up to two words each */
    bosc_hash_partition partitions[2 * CHUNK];
    uint64_t offsets[2 * CHUNK]; /* of their buckets, in bytes */
};
struct waiting {
    struct chunk c;
    int64_t rows[2 * CHUNK]; /* of the queries */
};

/* A table, and the arrays of a call. */
struct look_up {
    bosc_hash_view view;
    bool far; /* the table exceeds a core's own caches */
    char *values;
    uint8_t *found;
};

/* Returns a word whose bit i is 1 if slot i holds this hash; at most one does. */
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

/* Returns 1 if a bucket is spilled, else 0, without a branch: a mispredicted branch costs more than a bucket. */
BI_FN uint32_t spilled(const char *bucket, int32_t bits, int32_t partition_bits, uint32_t partition)
{
    bosc_hash_word last = bosc_hash_word_at(bucket, WIDTH - 1, bits);
    uint32_t rising = (uint32_t)bosc_hash_less(bosc_hash_word_at(bucket, 0, bits), bosc_hash_word_at(bucket, 1, bits));
    uint32_t full = bosc_hash_partition_of(last, bits, partition_bits) == partition;
    return (full & rising) | (~full & (uint32_t)last.low & 1);
}

/* Writes the answer: the value in the matching slot, or zeros. */
BI_FN void write_answer(const char *bucket, int32_t bits, size_t size, uint32_t match, int64_t q, char *values,
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

/* Computes the first or second buckets of all queries of a chunk. */
BI_FN void pick_buckets(const struct look_up *u, int32_t bits, bool second, struct chunk *c)
{
    int j = 0;
#if BI_LEVEL >= 3
    for (; bits != 128 && j + 8 <= c->count; j += 8)
        bi_hash_pick_8(&u->view, c->hashes, bits, j, c->partitions + j, second, c->offsets + j);
#endif
    for (; j < c->count; j++) {
        uint32_t pick[2], size = c->partitions[j].buckets_seed;
        bosc_hash_buckets(bosc_hash_fold(bosc_hash_word_at(c->hashes, j, bits), bits), size & LINEAR,
                          size >> BOSC_HASH_SEED_BITS, pick);
        c->offsets[j] = (c->partitions[j].first + pick[second]) * (uint64_t)u->view.stride;
    }
}

/* Hashes queries and finds the partition of each. */
BI_FN void hash_queries(const struct look_up *u, int32_t bits, const void *queries, int count, struct chunk *c)
{
    const uint64_t seed = u->view.seed;
    int j = 0;
    for (int i = 0; i < count; i++)
        bi_hash_store(c->hashes, bits, i, bosc_hash_of(bosc_hash_word_at(queries, i, bits), bits, seed));
#if BI_LEVEL >= 3
    for (; bits != 128 && j + 4 <= count; j += 4) bi_hash_partitions_4(&u->view, c->hashes, bits, j, c->partitions + j);
#endif
    for (; j < count; j++) {
        bosc_hash_word hash = bosc_hash_word_at(c->hashes, j, bits);
        c->partitions[j] = u->view.partitions[bosc_hash_partition_of(hash, bits, u->view.partition_bits)];
    }
}

BI_FN void hash_chunk(const struct look_up *u, int32_t bits, const void *queries, int64_t rest, struct chunk *c)
{
    c->count = rest < 0 ? 0 : rest < CHUNK ? (int)rest : CHUNK;
    if (c->count == CHUNK) /* a constant for the compiler */
        hash_queries(u, bits, queries, CHUNK, c);
    else
        hash_queries(u, bits, queries, c->count, c);
}

/* Answers query j of a chunk from its bucket. Returns 1 if it has no match and another bucket may have one. */
BI_FN uint32_t compare_one(const struct look_up *u, int32_t bits, size_t size, const struct chunk *c, int j,
                           char *values, uint8_t *found)
{
    const char *bucket = (const char *)u->view.buckets + c->offsets[j];
    bosc_hash_word hash = bosc_hash_word_at(c->hashes, j, bits);
    uint32_t match = matches(bucket, bits, hash), linear = (c->partitions[j].buckets_seed & LINEAR) == LINEAR;
    uint32_t partition = bosc_hash_partition_of(hash, bits, u->view.partition_bits);
    uint32_t more = spilled(bucket, bits, u->view.partition_bits, partition) | linear;
    write_answer(bucket, bits, size, match, j, values, found);
    return more & (uint32_t)(match == 0);
}

#if BI_LEVEL >= 3
/* As compare_one for the queries of a vector, from j on: bit i is query j + i. */
BI_FN uint32_t compare_lanes(const struct look_up *u, int32_t bits, size_t size, const struct chunk *c, int j,
                             char *values, uint8_t *found)
{
    /* 1. Compare, with the buckets transposed. */
    const char *at[8];
    struct bi_hash_lanes l;
    for (int i = 0; i < 256 / bits; i++) at[i] = (const char *)u->view.buckets + c->offsets[j + i];
    if (bits == 32)
        bi_hash_compare_32(at, (const uint32_t *)c->hashes + j, c->partitions + j, u->view.partition_bits, &l);
    else
        bi_hash_compare_64(at, c->hashes + j, c->partitions + j, u->view.partition_bits, &l);
    /* 2. Store values as wide as hashes by vectors, and the other answers one by one. */
    if (values && size == (size_t)bits / 8) {
        bi_hash_store_values(at, bits, &l, values + (size_t)j * size);
        values = NULL;
    }
    if (!values && !found) return bi_hash_bits_of(l.more, bits);
    uint32_t match[WIDTH];
    for (int s = 0; s < WIDTH; s++) match[s] = bi_hash_bits_of(l.match[s], bits);
    for (int i = 0; i < 256 / bits; i++) {
        uint32_t m = 0;
        for (int s = 0; s < WIDTH; s++) m |= (match[s] >> i & 1) << s;
        write_answer(at[i], bits, size, m, j + i, values, found);
    }
    return bi_hash_bits_of(l.more, bits);
}
#endif

/* Answers the queries of a chunk from their buckets, and prefetches the buckets of `next`. Bit j of the result:
 * query j is unanswered. Of a queue, which may have more than CHUNK queries, the result is not used. */
BI_FN uint64_t compare_chunk(const struct look_up *u, int32_t bits, size_t size, const struct chunk *restrict c,
                             const struct chunk *restrict next, char *restrict values, uint8_t *restrict found)
{
    uint64_t more = 0;
    int j = 0;
#if BI_LEVEL >= 3
    for (const int lanes = 256 / bits; bits != 128 && j + lanes <= c->count; j += lanes) {
        if (u->far && j + lanes <= next->count)
            for (int i = 0; i < lanes; i++) __builtin_prefetch(u->view.buckets + next->offsets[j + i]);
        more |= (uint64_t)compare_lanes(u, bits, size, c, j, values, found) << (j % CHUNK);
    }
#endif
    for (; j < c->count; j++) {
        if (u->far && j < next->count) __builtin_prefetch(u->view.buckets + next->offsets[j]);
        more |= (uint64_t)compare_one(u, bits, size, c, j, values, found) << (j % CHUNK);
    }
    return more;
}

/* Searches all of a linear partition for query j of a chunk. */
BI_FN void answer_linear(const struct look_up *u, int32_t bits, size_t size, const struct chunk *c, int j, int64_t q)
{
    bosc_hash_word hash = bosc_hash_word_at(c->hashes, j, bits);
    const bosc_hash_partition partition = c->partitions[j];
    const size_t stride = (size_t)u->view.stride;
    const char *bucket = (const char *)u->view.buckets + partition.first * stride;
    const char *end = bucket + (partition.buckets_seed >> BOSC_HASH_SEED_BITS) * stride;
    uint32_t match = matches(bucket, bits, hash);
    while (!match && bucket + stride < end) {
        bucket += stride;
        match = matches(bucket, bits, hash);
    }
    write_answer(bucket, bits, size, match, q, u->values, u->found);
}

/* Queues the unanswered queries of a chunk, which begins at row `begin`. */
BI_FN void queue_for_second(const struct look_up *u, int32_t bits, size_t size, const struct chunk *restrict c,
                            uint64_t more, int64_t begin, struct waiting *restrict w)
{
    int k = w->c.count;
    for (; more; more &= more - 1) {
        const int j = __builtin_ctzll(more);
        if ((c->partitions[j].buckets_seed & LINEAR) == LINEAR) {
            answer_linear(u, bits, size, c, j, begin + j);
            continue;
        }
        bi_hash_store(w->c.hashes, bits, k, bosc_hash_word_at(c->hashes, j, bits));
        memcpy(w->c.partitions + k, c->partitions + j, sizeof c->partitions[j]);
        w->rows[k++] = begin + j;
    }
    w->c.count = k;
}

/* Prefetches the second buckets of the queued queries. */
BI_FN void prefetch_second(const struct look_up *u, int32_t bits, struct chunk *c)
{
    pick_buckets(u, bits, true, c);
    for (int j = 0; u->far && j < c->count; j++) __builtin_prefetch(u->view.buckets + c->offsets[j]);
}

/* Answers the queued queries, whose second buckets were prefetched. */
BI_FN void answer_second(const struct look_up *u, int32_t bits, size_t size, struct waiting *w)
{
    static const struct chunk none = {.count = 0};
    char values[2 * CHUNK * MOST_BYTES];
    uint8_t found[2 * CHUNK];
    compare_chunk(u, bits, size, &w->c, &none, u->values ? values : NULL, u->found ? found : NULL);
    for (int k = 0; u->values && k < w->c.count; k++)
        memcpy(u->values + (size_t)w->rows[k] * size, values + (size_t)k * size, size);
    for (int k = 0; u->found && k < w->c.count; k++) u->found[w->rows[k]] = found[k];
    w->c.count = 0;
}

/* Runs the pipeline. Two queues alternate: one is filled while the buckets of the other are being prefetched. */
BI_FN void find_sized(const struct look_up *u, int32_t bits, size_t size, const char *queries, int64_t begin,
                      int64_t end)
{
    struct chunk ring[3];
    struct waiting waits[2], *collected = &waits[0], *prefetched = &waits[1];
    collected->c.count = prefetched->c.count = ring[1].count = ring[2].count = 0;
    for (int64_t k = 0, row = begin - 2 * CHUNK; row < end; k++, row += CHUNK) { /* row of `now` */
        struct chunk *hashed = &ring[k % 3], *next = &ring[(k + 2) % 3], *now = &ring[(k + 1) % 3];
        hash_chunk(u, bits, queries + (row + 2 * CHUNK) * (bits / 8), end - row - 2 * CHUNK, hashed);
        pick_buckets(u, bits, false, next);
        if (now->count == 0) continue; /* the pipeline is filling */
        uint64_t more = compare_chunk(u, bits, size, now, next, u->values ? u->values + row * (int64_t)size : NULL,
                                      u->found ? u->found + row : NULL);
        queue_for_second(u, bits, size, now, more, row, collected);
        if (collected->c.count < CHUNK && row + CHUNK < end) continue;
        answer_second(u, bits, size, prefetched);
        prefetch_second(u, bits, &collected->c);
        struct waiting *empty = prefetched;
        prefetched = collected;
        collected = empty;
    }
    answer_second(u, bits, size, prefetched);
}

BI_FN void find_key(const struct look_up *u, int32_t bits, const char *queries, int64_t begin, int64_t end)
{
    size_t size = (size_t)u->view.value_size;
    if (u->values && size == 4)
        find_sized(u, bits, 4, queries, begin, end);
    else if (u->values && size == 8)
        find_sized(u, bits, 8, queries, begin, end);
    else
        find_sized(u, bits, size, queries, begin, end);
}

#if BI_LEVEL >= 4
BI_FN void find_avx512_sized(const struct bi_hash_avx512_look_up *u, int32_t bits, size_t size, const void *queries,
                             int64_t begin, int64_t end)
{
    if (u->view.partition_bits <= BI_HASH_REGISTER_BITS)
        bi_hash_find_pieces(*u, bits, size, true, queries, begin, end);
    else
        bi_hash_find_pieces(*u, bits, size, false, queries, begin, end);
}

BI_FN void find_avx512(struct bi_hash_avx512_look_up *u, int32_t bits, const void *queries, int64_t begin, int64_t end)
{
    bi_hash_load_partitions(u->view.partitions, u->view.partition_bits, &u->registers);
    if (!u->values)
        find_avx512_sized(u, bits, 0, queries, begin, end);
    else if (u->view.value_size == 4)
        find_avx512_sized(u, bits, 4, queries, begin, end);
    else
        find_avx512_sized(u, bits, 8, queries, begin, end);
}
#endif

void BI_LEVEL_NAME(bi_hash_find)(const bosc_hash *t, const void *queries, int64_t begin, int64_t end, void *values,
                                 uint8_t *found)
{
    /* Tables of more bytes are prefetched: they exceed a first-level cache. The limits are not measured. */
    enum { NEAR_BYTES = 1 << 18, AVX512_NEAR_BYTES = 1 << 19 };
#if BI_LEVEL >= 4
    if (bi_hash_suits_avx512(t, values)) {
        struct bi_hash_avx512_look_up avx512 = {.view = bi_hash_view_of(t),
                                                .far = t->buckets * t->shape.stride > AVX512_NEAR_BYTES,
                                                .values = values,
                                                .found = found};
        t->shape.key_bits == 32 ? find_avx512(&avx512, 32, queries, begin, end)
                                : find_avx512(&avx512, 64, queries, begin, end);
        return;
    }
#endif
    const struct look_up u = {bi_hash_view_of(t), t->buckets * t->shape.stride > NEAR_BYTES, values, found};
    BI_HASH_BY_KEY(t->shape.key_bits, find_key(&u, 8 * KEY, queries, begin, end));
}
