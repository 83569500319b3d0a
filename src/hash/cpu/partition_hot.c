/* Radix partition: hashes of keys are counted by partition, then moved with their payloads to the partitions' lists.
 * Stores go through a write-combining line of each partition, as in the radix sort (core/cpu/radix_hot.c). */
#include <string.h>
#ifdef __SSE2__
#include <immintrin.h>
#endif

#include "hash/cpu/bucketed.h"
#if BI_LEVEL >= 4
#include "hash/cpu/hash_avx512.h"
#endif

/* Hashes `count` keys from `begin` on, and finds their partitions. */
BI_FN void hash_chunk(const struct bi_hash_shape *s, int32_t bits, const void *keys, int64_t begin, int count,
                      void *hashes, uint32_t *partitions)
{
    const int shift = 64 - s->partition_bits;
    const uint64_t seed = s->seed;
    int j = 0;
#if BI_LEVEL >= 4
    for (; bits != 128 && j < count; j += 16) {
        const __mmask16 live = bi_hash_lanes_16(count - j);
        const size_t at = (size_t)bits / 8 * (size_t)(begin + j);
        bi_hash_hash_16((const char *)keys + at, bits, s->partition_bits, seed, live,
                        (char *)hashes + (size_t)bits / 8 * (size_t)j, partitions + j);
    }
#endif
    for (; j < count; j++) {
        bosc_hash_word h = bosc_hash_of(bosc_hash_word_at(keys, begin + j, bits), bits, seed);
        bi_hash_store(hashes, bits, j, h);
        partitions[j] = bits == 32 ? (uint32_t)h.low >> (shift - 32) : (uint32_t)(bosc_hash_top(h, bits) >> shift);
    }
}

/* Writes a hash and its payload as pair p: adjacent (paired), or to two arrays. */
BI_FN void write_pair(char *hashes, char *payloads, int32_t bits, size_t payload, bool paired, uint32_t p,
                      const char *hash, const char *value)
{
    const size_t key = (size_t)bits / 8;
    if (!paired) {
        memcpy(hashes + p * key, hash, key);
        if (payload) memcpy(payloads + p * payload, value, payload);
        return;
    }
#ifdef __SSE2__
    if (key == 8) { /* in one store */
        const __m128d low = _mm_load_sd((const double *)(const void *)hash);
        _mm_storeu_pd((double *)(void *)(hashes + p * (size_t)16),
                      _mm_loadh_pd(low, (const double *)(const void *)value));
        return;
    }
#endif
    memcpy(hashes + 2 * key * p, hash, key);
    memcpy(hashes + 2 * key * p + key, value, key);
}

/* Interleaves hashes and values of 32 bits. */
BI_FN void interleave_pairs(int count, const void *hashes, const void *values, void *pairs)
{
    int j = 0;
#if BI_LEVEL >= 4
    for (; j + 16 <= count; j += 16) {
        const __m512i low = _mm512_set_epi32(23, 7, 22, 6, 21, 5, 20, 4, 19, 3, 18, 2, 17, 1, 16, 0);
        const __m512i hash = _mm512_loadu_si512((const char *)hashes + 4 * j);
        const __m512i value = _mm512_loadu_si512((const char *)values + 4 * j);
        _mm512_storeu_si512((char *)pairs + 8 * j, _mm512_permutex2var_epi32(hash, low, value));
        _mm512_storeu_si512((char *)pairs + 8 * j + 64,
                            _mm512_permutex2var_epi32(hash, _mm512_add_epi32(low, _mm512_set1_epi32(8)), value));
    }
#endif
    for (; j < count; j++)
        write_pair(pairs, NULL, 32, 4, true, (uint32_t)j, (const char *)hashes + 4 * j, (const char *)values + 4 * j);
}

#if BI_LEVEL >= 4
/* Counts of up to 16 partitions, without a counter for each pair. For each subset q of the bits of a partition's
 * number counts[q] is the number of pairs in which all bits of q are 1: a popcount of the AND of bit masks of a
 * chunk. Inclusion and exclusion then gives the counts of the partitions. */
enum { COUNTED_BITS = 4 };
struct bit_subset_counts {
    uint64_t counts[1 << COUNTED_BITS];
};

BI_FN void count_bit_subsets(const uint32_t *partitions, int32_t partition_bits, int count, struct bit_subset_counts *t)
{
    uint64_t ones[1 << COUNTED_BITS] = {count < 64 ? ((uint64_t)1 << count) - 1 : UINT64_MAX};
    for (int k = 0; k < partition_bits; k++) {
        const __m512i bit = _mm512_set1_epi32(1 << k);
        uint64_t word = 0;
#pragma GCC unroll 4
        for (int j = 0; j < BI_HASH_CHUNK; j += 16)
            word |= (uint64_t)_mm512_test_epi32_mask(_mm512_loadu_si512(partitions + j), bit) << j;
        ones[1 << k] = word & ones[0];
    }
#pragma GCC unroll 16
    for (int q = 1; q < 1 << COUNTED_BITS; q++) {
        if (q >> partition_bits) break;
        ones[q] = ones[q & (q - 1)] & ones[q & -q];
        t->counts[q] += (uint64_t)__builtin_popcountll(ones[q]);
    }
    t->counts[0] += (uint64_t)count;
}

/* Turns counts of "these bits are 1" into counts of "exactly these bits are 1" (the Moebius transform). */
BI_FN void add_partition_counts(struct bit_subset_counts *t, int32_t partition_bits, uint32_t *counts)
{
    for (int k = 0; k < partition_bits; k++)
        for (int q = 0; q >> partition_bits == 0; q++)
            if (!(q >> k & 1)) t->counts[q] -= t->counts[q | 1 << k];
    for (int q = 0; q >> partition_bits == 0; q++) counts[q] += (uint32_t)t->counts[q];
}

/* Counts the pairs of up to 16 partitions. */
BI_FN void count_few_partitions(const struct bi_hash_share *s, int32_t bits)
{
    const int32_t partition_bits = s->shape->partition_bits;
    uint64_t hashes[2 * BI_HASH_CHUNK];
    uint32_t partitions[BI_HASH_CHUNK] = {0};
    struct bit_subset_counts t = {{0}};
    for (int64_t i = s->begin; i < s->end; i += BI_HASH_CHUNK) {
        const int count = s->end - i < BI_HASH_CHUNK ? (int)(s->end - i) : BI_HASH_CHUNK;
        hash_chunk(s->shape, bits, s->keys, i, count, (char *)hashes, partitions);
        count_bit_subsets(partitions, partition_bits, count, &t);
    }
    add_partition_counts(&t, partition_bits, s->positions);
}
#endif

/* Counts the pairs of each partition. Few partitions have four rows of counters, so that no addition waits for the
 * one before it. */
BI_FN void count_pairs(const struct bi_hash_share *s, int32_t bits)
{
    enum { ROWS = 4, FEW = 8 };
    uint64_t hashes[2 * BI_HASH_CHUNK];
    uint32_t partitions[BI_HASH_CHUNK], rows[ROWS << FEW], *counts = s->positions;
    const size_t number = (size_t)1 << s->shape->partition_bits;
    const size_t row = s->shape->partition_bits <= FEW ? number : 0;
#if BI_LEVEL >= 4
    if (s->shape->partition_bits <= COUNTED_BITS) {
        count_few_partitions(s, bits);
        return;
    }
#endif
    /* 1. Count, a chunk of hashes at a time. */
    if (row) counts = memset(rows, 0, ROWS * row * sizeof *rows);
    for (int64_t i = s->begin; i < s->end; i += BI_HASH_CHUNK) {
        int count = s->end - i < BI_HASH_CHUNK ? (int)(s->end - i) : BI_HASH_CHUNK, j = 0;
        hash_chunk(s->shape, bits, s->keys, i, count, (char *)hashes, partitions);
        for (; j + ROWS <= count; j += ROWS) {
            counts[partitions[j]]++;
            counts[row + partitions[j + 1]]++;
            counts[2 * row + partitions[j + 2]]++;
            counts[3 * row + partitions[j + 3]]++;
        }
        for (; j < count; j++) counts[partitions[j]]++;
    }
    /* 2. Add up the rows. */
    for (size_t p = 0; p < ROWS * row; p++) s->positions[p & (number - 1)] += rows[p];
}

void BI_LEVEL_NAME(bi_hash_count)(const struct bi_hash_share *s)
{
    BI_HASH_BY_KEY(s->shape->key_bits, count_pairs(s, 8 * KEY));
}

/* Stores a line past the caches. */
BI_FN void stream_line(char *to, const char *line)
{
#if BI_LEVEL == 4
    _mm512_stream_si512((__m512i *)(void *)to, _mm512_load_si512(line));
#elif defined(__SSE2__)
    for (int i = 0; i < BI_HASH_LINE; i += 16)
        _mm_stream_si128((__m128i *)(void *)(to + i), _mm_load_si128((const __m128i *)(const void *)(line + i)));
#else
    memcpy(to, line, BI_HASH_LINE);
#endif
}

/* Writes `size` bytes to position p of `out`, which is aligned to a line, through the line of its partition. */
BI_FN void write_combined(char *line, char *out, size_t size, uint32_t begin, uint32_t p, const void *x)
{
    const uint32_t per_line = (uint32_t)(BI_HASH_LINE / size), slot = p & (per_line - 1);
    memcpy(line + slot * size, x, size);
    if (slot != per_line - 1) return; /* the line is not full yet */
    uint32_t first = p - slot;
    if (first >= begin) /* else the front of the line belongs to another share */
        stream_line(out + (size_t)first * size, line);
    else
        memcpy(out + (size_t)begin * size, line + (begin - first) * size, (p + 1 - begin) * size);
}

/* Writes the last, partial line of a partition. */
static void flush_line(const char *line, char *out, size_t size, uint32_t begin, uint32_t end)
{
    const uint32_t per_line = (uint32_t)(BI_HASH_LINE / size);
    uint32_t first = end & ~(per_line - 1), from = first > begin ? first : begin;
    memcpy(out + (size_t)from * size, line + (from - first) * size, (size_t)(end - from) * size);
}

/* Scatters pairs to the lists of their partitions, stably, at s->positions, which it advances. `rows`: the payload is
 * row numbers. `streams`: s->lines and s->begins are used, and both outputs are aligned to a line. */
BI_FN void scatter_pairs(const struct bi_hash_share *s, int32_t bits, size_t payload, bool rows, bool streams)
{
    enum { PER = BI_HASH_CHUNK };
    const size_t key = (size_t)bits / 8;
    uint64_t hashes[2 * PER];
    uint32_t partitions[PER], *positions = s->positions;
    for (int64_t i = s->begin; i < s->end; i += PER) {
        int count = s->end - i < PER ? (int)(s->end - i) : PER;
        hash_chunk(s->shape, bits, s->keys, i, count, hashes, partitions);
        /* Move the pairs of the chunk, through write-combining lines if the output streams. */
        for (int j = 0; j < count; j++) {
            uint32_t partition = partitions[j], p = positions[partition]++, row = (uint32_t)(i + j);
            const char *hash = (const char *)hashes + (size_t)j * key;
            const char *value = (const char *)&row;
            if (payload && !rows) value = (const char *)s->values + (size_t)(i + j) * payload;
            if (streams) {
                char *lines = s->lines + (size_t)partition * 2 * BI_HASH_LINE;
                write_combined(lines, s->hashes, key, s->begins[partition], p, hash);
                if (payload) write_combined(lines + BI_HASH_LINE, s->payload, payload, s->begins[partition], p, value);
            } else {
                memcpy((char *)s->hashes + (size_t)p * key, hash, key);
                if (payload) memcpy((char *)s->payload + (size_t)p * payload, value, payload);
            }
        }
    }
    /* Write the partial lines. The fence completes the streaming stores before the pass ends. */
    if (!streams) return;
    for (uint32_t partition = 0; partition >> s->shape->partition_bits == 0; partition++) {
        char *lines = s->lines + (size_t)partition * 2 * BI_HASH_LINE;
        flush_line(lines, s->hashes, key, s->begins[partition], positions[partition]);
        if (payload) flush_line(lines + BI_HASH_LINE, s->payload, payload, s->begins[partition], positions[partition]);
    }
#ifdef __SSE2__
    _mm_sfence();
#endif
}

/* Scatters pairs to the regions of their partitions, at s->positions, which it advances. If a hash and its payload have
 * one size, they are adjacent in s->hashes, and s->payload is not used. Pairs beyond s->begins, the limit of a region,
 * are counted and not written; a position above the limit reports them, and the caller then partitions with counts.
 * Each thread has regions of its own. `rows` implies a payload of 4 bytes. The last three arguments are constants. */
BI_FN void scatter_to_regions(const struct bi_hash_share *s, int32_t bits, size_t payload, bool rows)
{
    enum { PER = BI_HASH_CHUNK };
    const size_t key = (size_t)bits / 8;
    const bool paired = payload == key;
    const uint32_t *restrict const ends = s->begins;
    uint32_t *restrict const positions = s->positions;
    char *const to = s->hashes, *const payloads = s->payload;
    uint64_t hashes[2 * PER], pairs[2 * PER];
    uint32_t partitions[PER], numbers[PER];
    for (int64_t i = s->begin; i < s->end; i += PER) {
        const int count = s->end - i < PER ? (int)(s->end - i) : PER;
        const char *values = (const char *)numbers;
        hash_chunk(s->shape, bits, s->keys, i, count, hashes, partitions);
        for (int j = 0; rows && j < count; j++) numbers[j] = (uint32_t)(i + j);
        if (payload && !rows) values = (const char *)s->values + (size_t)i * payload;
        if (paired && key == 4) interleave_pairs(count, hashes, values, pairs);
        /* Write the pairs of the chunk up to the limits of their regions. */
        for (int j = 0; j < count; j++) {
            const uint32_t partition = partitions[j], p = positions[partition]++;
            if (p >= ends[partition]) continue;
            if (paired && key == 4)
                memcpy(to + 8 * (size_t)p, pairs + j, 8);
            else
                write_pair(to, payloads, bits, payload, paired, p, (const char *)hashes + (size_t)j * key,
                           values + (size_t)j * payload);
        }
    }
}

/* Calls a function of (s, bits, payload, rows) with constants for the payload. */
#define BY_PAYLOAD(function, s, bits)     \
    do {                                  \
        if ((s)->payload_bytes == 0)      \
            function(s, bits, 0, false);  \
        else if ((s)->rows)               \
            function(s, bits, 4, true);   \
        else if ((s)->payload_bytes == 4) \
            function(s, bits, 4, false);  \
        else                              \
            function(s, bits, 8, false);  \
    } while (0)

BI_FN void scatter_regions_key(const struct bi_hash_share *s, int32_t bits) { BY_PAYLOAD(scatter_to_regions, s, bits); }

void BI_LEVEL_NAME(bi_hash_scatter_regions)(const struct bi_hash_share *s)
{
    BI_HASH_BY_KEY(s->shape->key_bits, scatter_regions_key(s, 8 * KEY));
}

BI_FN void scatter_either(const struct bi_hash_share *s, int32_t bits, size_t payload, bool rows)
{
    if (s->streams)
        scatter_pairs(s, bits, payload, rows, true);
    else
        scatter_pairs(s, bits, payload, rows, false);
}

BI_FN void scatter_key(const struct bi_hash_share *s, int32_t bits) { BY_PAYLOAD(scatter_either, s, bits); }

void BI_LEVEL_NAME(bi_hash_scatter)(const struct bi_hash_share *s)
{
    BI_HASH_BY_KEY(s->shape->key_bits, scatter_key(s, 8 * KEY));
}
