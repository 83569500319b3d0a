/* Reads blocks of pairs for builds of ORDERED tables: their hashes, values, homes and ranges, 16 at once with
 * AVX-512. */
#ifndef BI_HASH_CPU_ORDERED_BLOCKS_H
#define BI_HASH_CPU_ORDERED_BLOCKS_H

#include <string.h>

#include "hash/cpu/ordered.h"
#if BI_LEVEL >= 4
#include "hash/cpu/hash_avx512.h"
#endif

BI_FN uint32_t bi_hash_ordered_home(uint32_t place) { return place >> BI_HASH_ORDERED_RANGE_BITS; }

/* Returns the place of a hash. The home of the greatest hash is the last slot. Where the exact home is not that of
 * bosc_hash_place_of but the next one, the hash counts in range 0 there, and the previous home is listed to be
 * marked. */
BI_FN uint32_t bi_hash_ordered_place(struct bi_hash_ordered_job *b, int32_t bits, bosc_hash_word hash)
{
    if (bi_hash_same(hash, bosc_hash_greatest(bits)))
        return (uint32_t)(b->slot_count - 1) << BI_HASH_ORDERED_RANGE_BITS;
    const bosc_hash_place place = bosc_hash_place_of(hash.low, bits, b->view.homes);
    const uint32_t home = bosc_hash_home(hash, bits, b->view.homes);
    if (home == place.home) return home << BI_HASH_ORDERED_RANGE_BITS | place.range;
    b->marked[b->marked_count++] = place.home;
    return home << BI_HASH_ORDERED_RANGE_BITS;
}

#if BI_LEVEL >= 4
/* As bi_hash_ordered_place for 16 hashes, those of `keys`. bosc_hash_place_of ignores low bits of 64-bit hashes, so
 * those at the end of a home may belong to the next one. They are few, and are computed one by one; the greatest
 * hash is among them. */
BI_FN void bi_hash_ordered_places_16(struct bi_hash_ordered_job *b, int32_t bits, const __m512i hash[2],
                                     const char *keys, int count, uint32_t *places)
{
    const struct bi_hash_entries p = bi_hash_entries_16(hash, bits, b->view.homes);
    __m512i place = _mm512_or_si512(_mm512_slli_epi32(p.home, BI_HASH_ORDERED_RANGE_BITS), p.range);
    if (bits == 32) {
        const __m512i last = _mm512_set1_epi32((int)((uint32_t)(b->slot_count - 1) << BI_HASH_ORDERED_RANGE_BITS));
        place = _mm512_mask_mov_epi32(place, _mm512_cmpeq_epi32_mask(hash[0], _mm512_set1_epi32(-1)), last);
    }
    _mm512_storeu_si512(places, place);
    if (bits == 32) return;
    /* The ignored bits add less than 2 homes to a part, a fraction of 32 bits. */
    const __m512i end = _mm512_set1_epi32((int)-(2 * b->view.homes));
    uint32_t doubtful = _mm512_mask_cmpge_epu32_mask(bi_hash_lanes_16(count), p.part, end);
    for (; __builtin_expect(doubtful != 0, 0); doubtful &= doubtful - 1) {
        const int i = __builtin_ctz(doubtful);
        places[i] = bi_hash_ordered_place(b, bits, bosc_hash_of(bosc_hash_word_at(keys, i, bits), bits, b->view.seed));
    }
}
#endif

/* Rows of the input, or of a group. */
struct bi_hash_row_range {
    int64_t begin, end;
};

BI_FN struct bi_hash_row_range bi_hash_row_range_of(const struct bi_hash_ordered_job *b, uint32_t group)
{
    const int64_t begin = (int64_t)group * b->capacity;
    return b->ends ? (struct bi_hash_row_range){begin, b->ends[group]} : (struct bi_hash_row_range){0, b->n};
}

BI_FN int bi_hash_block_size(struct bi_hash_row_range r, int64_t row)
{
    return r.end - row < BI_HASH_ORDERED_BLOCK ? (int)(r.end - row) : BI_HASH_ORDERED_BLOCK;
}

BI_FN const char *bi_hash_keys_at(const struct bi_hash_ordered_job *b, int32_t bits, int64_t row)
{
    return b->keys + (size_t)row * (size_t)bits / 8;
}

/* Hashes the keys of a block. */
BI_FN void bi_hash_hash_block(const struct bi_hash_ordered_job *b, int32_t bits, int64_t row, int count, char *hashes)
{
#if BI_LEVEL >= 4
    __m512i hash[2];
    bi_hash_of_16(bi_hash_keys_at(b, bits, row), bits, b->view.seed, bi_hash_lanes_16(count), hash);
    for (int i = 0; i < bits / 32; i++) _mm512_storeu_si512(hashes + 64 * i, hash[i]);
#else
    for (int i = 0; i < count; i++) {
        const bosc_hash_word key = bosc_hash_word_at(bi_hash_keys_at(b, bits, row), i, bits);
        bi_hash_store(hashes, bits, i, bosc_hash_of(key, bits, b->view.seed));
    }
#endif
}

/* Returns the stored hash of a row; its value is behind it if pairs are partitioned. */
BI_FN char *bi_hash_stored_at(const struct bi_hash_ordered_job *b, int32_t bits, size_t size, bool partitioned,
                              int64_t row)
{
    return b->hashes + (size_t)row * ((size_t)bits / 8 + (partitioned ? size : 0));
}

/* Finds the places of a block, and stores its hashes unless `hashes` is NULL. */
BI_FN void bi_hash_find_places(struct bi_hash_ordered_job *b, int32_t bits, int64_t row, int count, uint32_t *places,
                               char *hashes)
{
#if BI_LEVEL >= 4
    __m512i hash[2];
    bi_hash_of_16(bi_hash_keys_at(b, bits, row), bits, b->view.seed, bi_hash_lanes_16(count), hash);
    bi_hash_ordered_places_16(b, bits, hash, bi_hash_keys_at(b, bits, row), count, places);
    for (int i = 0; hashes && i < bits / 32; i++) _mm512_storeu_si512(hashes + 64 * i, hash[i]);
#else
    for (int i = 0; i < count; i++) {
        const bosc_hash_word key = bosc_hash_word_at(bi_hash_keys_at(b, bits, row), i, bits);
        const bosc_hash_word hash = bosc_hash_of(key, bits, b->view.seed);
        if (hashes) bi_hash_store(hashes, bits, i, hash);
        places[i] = bi_hash_ordered_place(b, bits, hash);
    }
#endif
}

#if BI_LEVEL >= 4
/* Interleaves the hashes and values of a block, of one width. */
BI_FN void bi_hash_interleave(int32_t bits, const char *hashes, const char *values, int count, char *pairs)
{
    const __m512i low = bits == 32 ? _mm512_set_epi32(23, 7, 22, 6, 21, 5, 20, 4, 19, 3, 18, 2, 17, 1, 16, 0)
                                   : _mm512_set_epi64(11, 3, 10, 2, 9, 1, 8, 0);
    const __m512i high = _mm512_add_epi32(low, bits == 32 ? _mm512_set1_epi32(8) : _mm512_set1_epi64(4));
    for (int i = 0; i < bits / 32; i++) {
        const int rest = count * (bits / 32) - 16 * i;
        const __mmask16 live = bi_hash_lanes_16(rest > 0 ? rest : 0);
        const __m512i hash = _mm512_loadu_si512(hashes + 64 * i);
        const __m512i value = _mm512_maskz_loadu_epi32(live, values + 64 * i);
        _mm512_storeu_si512(pairs + 128 * i, bits == 32 ? _mm512_permutex2var_epi32(hash, low, value)
                                                        : _mm512_permutex2var_epi64(hash, low, value));
        _mm512_storeu_si512(pairs + 128 * i + 64, bits == 32 ? _mm512_permutex2var_epi32(hash, high, value)
                                                             : _mm512_permutex2var_epi64(hash, high, value));
    }
}
#endif

/* Interleaves the hashes of a block of the input and its values. */
BI_FN void bi_hash_interleave_block(const struct bi_hash_ordered_job *b, int32_t bits, size_t size, int64_t row,
                                    int count, const char *hashes, char *pairs)
{
    const size_t key = (size_t)bits / 8;
    const char *values = b->values + (size_t)row * size;
#if BI_LEVEL >= 4
    if (size == key) {
        bi_hash_interleave(bits, hashes, values, count, pairs);
        return;
    }
#endif
    for (size_t i = 0; i < (size_t)count; i++) {
        memcpy(pairs + i * (key + size), hashes + i * key, key);
        if (size) memcpy(pairs + i * (key + size) + key, values + i * size, size);
    }
}

/* Partitions the pairs of large ORDERED tables into groups of homes, so that the caches hold the part of the table
 * of a group. It works by batches: first all places are computed; then eight rows are reserved in groups, and eight
 * pairs copied. One pair after the other takes nearly twice as long with any number of groups (measured:
 * docs/design/hash.md), as if the load of a counter waited for the addresses of all earlier stores, which themselves
 * come from counters. */

enum {
    BI_HASH_ORDERED_AT_ONCE = 8,      /* pairs whose rows are kept in registers; measured */
    BI_HASH_ORDERED_PAIRS_AHEAD = 8,  /* distance in a group, in rows, at which lines are prefetched; measured */
    BI_HASH_ORDERED_PLACES_AHEAD = 24 /* the same for places; measured: 12 and 32 rows take as long */
};

/* Pairs of a batch, their groups and places. */
struct bi_hash_batch {
    uint32_t groups[BI_HASH_ORDERED_BATCH], places[BI_HASH_ORDERED_BATCH];
    char
        pairs[BI_HASH_ORDERED_BATCH * 2 * sizeof(uint64_t)]; /* hashes with their values behind them, of `step` bytes */
};

/* Copies `count` pairs of a batch, from the k-th on, and their places to their groups. Prefetches the lines that
 * these groups write next. */
BI_FN void bi_hash_copy_pairs(const struct bi_hash_ordered_job *b, const struct bi_hash_batch *batch, size_t step,
                              int k, int count)
{
    const uint32_t *restrict const groups = batch->groups + k, *restrict const places = batch->places + k;
    const char *restrict const pairs = batch->pairs + (size_t)k * step;
    uint32_t *restrict const to = b->places, *restrict const ends = b->ends;
    char *restrict const to_pairs = b->hashes;
    size_t rows[BI_HASH_ORDERED_AT_ONCE];
#pragma GCC unroll 8
    for (int i = 0; i < count; i++) {
        rows[i] = ends[groups[i]];
        ends[groups[i]] = (uint32_t)rows[i] + 1;
    }
#pragma GCC unroll 8
    for (int i = 0; i < count; i++) {
        __builtin_prefetch(to + rows[i] + BI_HASH_ORDERED_PLACES_AHEAD, 1);
        __builtin_prefetch(to_pairs + (rows[i] + BI_HASH_ORDERED_PAIRS_AHEAD) * step, 1);
        to[rows[i]] = places[i];
        memcpy(to_pairs + rows[i] * step, pairs + (size_t)i * step, step);
    }
}

/* Finds the groups and places of the rows r, at most a batch, and interleaves their hashes and values. */
BI_FN void bi_hash_fill_batch(struct bi_hash_ordered_job *b, int32_t bits, size_t size, struct bi_hash_row_range r,
                              struct bi_hash_batch *batch)
{
    const size_t step = (size_t)bits / 8 + size;
    const uint32_t last = b->groups - 1; /* the greatest hash belongs there too */
    const int shift = BI_HASH_ORDERED_RANGE_BITS + b->group_bits;
    char hashes[BI_HASH_ORDERED_BLOCK * sizeof(uint64_t)];
    for (int64_t row = r.begin; row < r.end; row += BI_HASH_ORDERED_BLOCK) {
        const int count = bi_hash_block_size(r, row);
        const size_t at = (size_t)(row - r.begin);
        bi_hash_find_places(b, bits, row, count, batch->places + at, hashes);
        bi_hash_interleave_block(b, bits, size, row, count, hashes, batch->pairs + at * step);
    }
    for (int64_t i = 0; i < r.end - r.begin; i++) {
        const uint32_t group = batch->places[i] >> shift;
        batch->groups[i] = group < last ? group : last;
    }
}

/* True if all groups have room for a batch. */
BI_FN bool bi_hash_groups_have_room(const struct bi_hash_ordered_job *b)
{
    bool room = true;
    for (uint32_t g = 0; g < b->groups; g++) room &= b->ends[g] + BI_HASH_ORDERED_BATCH <= b->ends[b->groups + g];
    return room;
}

/* Partitions the pairs and their places. Returns false if a group exceeds the mean and six standard deviations. */
BI_FN bool bi_hash_partition_by_group(struct bi_hash_ordered_job *b, int32_t bits, size_t size)
{
    const size_t step = (size_t)bits / 8 + size;
    struct bi_hash_batch batch;
    for (struct bi_hash_row_range r = {0, 0}; r.begin < b->n; r.begin = r.end) {
        r.end = b->n - r.begin < BI_HASH_ORDERED_BATCH ? b->n : r.begin + BI_HASH_ORDERED_BATCH;
        if (!bi_hash_groups_have_room(b)) return false;
        bi_hash_fill_batch(b, bits, size, r, &batch);
        int i = 0, count = (int)(r.end - r.begin);
        for (; i + BI_HASH_ORDERED_AT_ONCE <= count; i += BI_HASH_ORDERED_AT_ONCE)
            bi_hash_copy_pairs(b, &batch, step, i, BI_HASH_ORDERED_AT_ONCE);
        for (; i < count; i++) bi_hash_copy_pairs(b, &batch, step, i, 1);
    }
    return true;
}

#endif
