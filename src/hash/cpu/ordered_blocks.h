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

#endif
