/* Looks keys up in ORDERED tables by their directories (device/hash_slots.h): an entry gives the slot of a hash or
 * shows its absence; the few other hashes are searched for. With AVX-512, if values are as wide as keys, the entries
 * of a chunk of queries are read first, 16 at a time, then the slots. Entries and slots of tables larger than a
 * core's caches are prefetched a chunk ahead. */
#include <string.h>

#include "hash/cpu/ordered.h"
#include "hash/steps/slots.h"
#if BI_LEVEL >= 4
#include "hash/cpu/hash_avx512.h"
#endif

enum {
    CHUNK = 128, /* measured: chunks of 256 are no faster */
    /* At most this many marked queries of a chunk are answered one by one. Measured: 1.25 ns a miss, without 1.47. */
    FEW_LISTED = 16,
    LINE = 64,
    NEAR_BYTES = 1 << 19,       /* tables of more bytes are prefetched; not measured */
    AVX512_NEAR_BYTES = 4 << 20 /* the same with gathers, which hide some of the latency (docs/design/hash.md) */
};

/* Prefetches the entries and slots of the queries of the chunk from `row` on. */
BI_FN void prefetch_queries(const struct bi_hash_slots_find *a, int32_t bits, size_t stride, int64_t row, int64_t end)
{
    for (int64_t q = row; q < end && q < row + CHUNK; q++) {
        const bosc_hash_word hash = bosc_hash_of(bosc_hash_word_at(a->queries, q, bits), bits, a->view.seed);
        const uint64_t home = bosc_hash_place_of(hash.low, bits, a->view.homes).home;
        const unsigned char *slot = a->view.slots + home * stride;
        __builtin_prefetch(a->view.directory + home);
        __builtin_prefetch(slot);
        __builtin_prefetch(slot + LINE);
    }
}

/* Answers queries one by one. */
BI_FN void find_each(const struct bi_hash_slots_find *a, int32_t bits, size_t stride, int64_t begin, int64_t end)
{
    const bool far = a->view.homes * (uint64_t)stride > NEAR_BYTES;
    if (far) prefetch_queries(a, bits, stride, begin, end);
    for (int64_t q = begin; q < end; q++) {
        const bosc_hash_word key = bosc_hash_word_at(a->queries, q, bits);
        if (far && (q - begin) % CHUNK == 0) prefetch_queries(a, bits, stride, q + CHUNK, end);
        bi_hash_slots_answer(a, q, bosc_hash_look_up_indexed(&a->view, bits, (uint32_t)stride, key).number);
    }
}

#if BI_LEVEL >= 4
/* Entries of a chunk of queries. marked: the range of the query has keys; slots: the slot of its first one, else 0;
 * list: numbers of marked queries; last: the query is in the last range of its home, where an empty slot does not
 * prove absence. */
struct chunk {
    int count, listed;
    uint64_t hashes[CHUNK];
    uint32_t slots[CHUNK], list[CHUNK + 16];
    uint16_t marked[CHUNK / 16], last[CHUNK / 16];
};

/* True if marked queries are listed: for short keys in near slots vectors of all queries are as fast. */
BI_FN bool lists(int32_t bits, bool far) { return bits == 64 || far; }

/* Appends the numbers of the queries `which` of 16 from the i-th on to a list of `count`, without a branch; returns
 * the new count. Stores a whole vector behind the list. */
BI_FN int list_16(__mmask16 which, int i, uint32_t *list, int count)
{
    const __m512i lane = _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
    _mm512_storeu_si512(list + count, _mm512_maskz_compress_epi32(which, _mm512_add_epi32(lane, _mm512_set1_epi32(i))));
    return count + __builtin_popcount(which);
}

/* Counts the bits of 16 words by a table of nibbles. */
BI_FN __m512i count_bits_16(__m512i x)
{
    const __m512i counts = _mm512_broadcast_i32x4(_mm_set_epi8(4, 3, 3, 2, 3, 2, 2, 1, 3, 2, 2, 1, 2, 1, 1, 0));
    const __m512i low_nibbles = _mm512_set1_epi8(15), one = _mm512_set1_epi8(1);
    const __m512i high = _mm512_and_si512(_mm512_srli_epi32(x, 4), low_nibbles);
    const __m512i bytes = _mm512_add_epi8(_mm512_shuffle_epi8(counts, _mm512_and_si512(x, low_nibbles)),
                                          _mm512_shuffle_epi8(counts, high));
    return _mm512_madd_epi16(_mm512_maddubs_epi16(bytes, one), _mm512_set1_epi16(1));
}

/* Reads the entries of the queries `live` of 16 from the i-th of a chunk on. */
BI_FN void read_entries_16(const struct bi_hash_slots_find *a, int32_t bits, int64_t row, int i, __mmask16 live,
                           struct chunk *c)
{
    const __m512i one = _mm512_set1_epi32(1), last = _mm512_set1_epi32(BOSC_HASH_HOME_RANGES - 1);
    __m512i hash[2];
    bi_hash_of_16((const char *)a->queries + (size_t)(row + i) * (size_t)bits / 8, bits, a->view.seed, live, hash);
    const struct bi_hash_entries e = bi_hash_entries_16(hash, bits, a->view.homes);
    const __m512i entry = _mm512_i32gather_epi32(e.home, a->view.directory, 4), bit = _mm512_sllv_epi32(one, e.range);
    const __m512i below = count_bits_16(_mm512_and_si512(entry, _mm512_sub_epi32(bit, one)));
    const __m512i first = _mm512_add_epi32(e.home, _mm512_srli_epi32(entry, BOSC_HASH_HOME_RANGES));
    const __mmask16 marked = _mm512_mask_test_epi32_mask(live, entry, bit);
    _mm512_storeu_si512(c->slots + i, _mm512_maskz_add_epi32(marked, first, below));
    _mm512_storeu_si512((char *)c->hashes + (size_t)i * (size_t)bits / 8, hash[0]);
    if (bits == 64) _mm512_storeu_si512(c->hashes + i + 8, hash[1]);
    c->marked[i / 16] = marked;
    c->last[i / 16] = _mm512_cmpeq_epi32_mask(e.range, last);
}

/* Reads the entries of a chunk of queries from `row` on; prefetches the marked slots of far tables. */
BI_FN void read_chunk(const struct bi_hash_slots_find *a, int32_t bits, int64_t row, int64_t end, bool far,
                      struct chunk *c)
{
    c->count = end <= row ? 0 : end - row < CHUNK ? (int)(end - row) : CHUNK;
    int i = 0, listed = 0;
    for (; i + 16 <= c->count; i += 16) read_entries_16(a, bits, row, i, 0xffff, c);
    if (i < c->count) read_entries_16(a, bits, row, i, bi_hash_lanes_16(c->count - i), c);
    if (!lists(bits, far)) return;
    for (i = 0; i < c->count; i += 16) listed = list_16(c->marked[i / 16], i, c->list, listed);
    for (i = 0; far && i < listed; i++) __builtin_prefetch(a->view.slots + c->slots[c->list[i]] * (size_t)(bits / 4));
    c->listed = listed;
}

/* Masks of 16 queries. there: the slot holds the hash; further: to be searched for, as the slot has a lesser hash,
 * or is empty without proving absence. */
struct compared {
    __mmask16 there, further;
};

/* Hashes and values of slots. A pair is read by one load. */
struct pairs {
    __m512i hash, value;
};

/* Loads 16 slots, in lanes of 32 bits. */
BI_FN struct pairs load_pairs_32(const unsigned char *slots, __m512i slot, __mmask16 marked)
{
    const __m512i zero = _mm512_setzero_si512();
    const __m512i low = _mm512_mask_i32gather_epi64(zero, (__mmask8)marked, _mm512_castsi512_si256(slot), slots, 8);
    const __m512i high =
        _mm512_mask_i32gather_epi64(zero, (__mmask8)(marked >> 8), _mm512_extracti64x4_epi64(slot, 1), slots, 8);
    return (struct pairs){bi_hash_every_other_16(low, high, false), bi_hash_every_other_16(low, high, true)};
}

/* Loads 8 slots, in lanes of 64 bits. */
BI_FN struct pairs load_pairs_64(const unsigned char *slots, const uint32_t slot[8])
{
    enum { STRIDE = 16 };
    __m512i pair[2];
    for (int i = 0; i < 2; i++) { /* the slots 4 i to 4 i + 3 */
        const __m128i *at[4];
        for (int k = 0; k < 4; k++) at[k] = (const __m128i *)(const void *)(slots + (size_t)slot[4 * i + k] * STRIDE);
        const __m512i two =
            _mm512_inserti64x2(_mm512_castsi128_si512(_mm_loadu_si128(at[0])), _mm_loadu_si128(at[1]), 1);
        pair[i] = _mm512_inserti64x2(_mm512_inserti64x2(two, _mm_loadu_si128(at[2]), 2), _mm_loadu_si128(at[3]), 3);
    }
    const __m512i odd = _mm512_set_epi64(15, 13, 11, 9, 7, 5, 3, 1);
    return (struct pairs){bi_hash_every_other_8(pair[0], pair[1]), _mm512_permutex2var_epi64(pair[0], odd, pair[1])};
}

/* Compares the hashes in the slots of 16 queries from the i-th on, and gets their values, in lanes of 32 bits. sure:
 * the slot is not empty, or the range is not the last one, so that the comparison decides; known: it has decided. */
BI_FN struct compared compare_32(const struct bi_hash_slots_find *a, const struct chunk *c, int i, __mmask16 marked,
                                 __m512i *value)
{
    const __m512i all = _mm512_set1_epi32(-1), hash = _mm512_loadu_si512((const uint32_t *)c->hashes + i);
    const struct pairs here = load_pairs_32(a->view.slots, _mm512_loadu_si512(c->slots + i), marked);
    const __mmask16 sure = _mm512_mask_cmpneq_epi32_mask(marked, here.hash, all) | (__mmask16)~c->last[i / 16];
    const __mmask16 there = _mm512_mask_cmpeq_epi32_mask(marked & sure, here.hash, hash);
    const __mmask16 known = _mm512_mask_cmpge_epu32_mask(marked & sure, here.hash, hash);
    *value = _mm512_maskz_mov_epi32(there, here.value);
    return (struct compared){there, (__mmask16)(marked & ~known)};
}

/* As compare_32 for 8 queries, in lanes of 64 bits. */
BI_FN struct compared compare_64(const struct bi_hash_slots_find *a, const struct chunk *c, int i, __mmask8 marked,
                                 __mmask8 last, __m512i *value)
{
    const __m512i all = _mm512_set1_epi32(-1), hash = _mm512_loadu_si512(c->hashes + i);
    const struct pairs here = load_pairs_64(a->view.slots, c->slots + i);
    const __mmask8 sure = _mm512_mask_cmpneq_epi64_mask(marked, here.hash, all) | (__mmask8)~last;
    const __mmask8 there = _mm512_mask_cmpeq_epi64_mask(marked & sure, here.hash, hash);
    const __mmask8 known = _mm512_mask_cmpge_epu64_mask(marked & sure, here.hash, hash);
    *value = _mm512_maskz_mov_epi64(there, here.value);
    return (struct compared){there, (__mmask16)(marked & ~known)};
}

/* Answers the queries `live` of 16 from the i-th of a chunk on. Returns a mask: queries to be searched for further. */
BI_FN __mmask16 answer_16(const struct bi_hash_slots_find *a, int32_t bits, const struct chunk *c, int i, int64_t row,
                          __mmask16 live)
{
    const __mmask16 marked = c->marked[i / 16], last = c->last[i / 16];
    __m512i value[2] = {_mm512_setzero_si512(), _mm512_setzero_si512()};
    struct compared low = {0, 0}, high = {0, 0};
    if (marked && bits == 32) low = compare_32(a, c, i, marked, &value[0]);
    if (marked && bits == 64) {
        low = compare_64(a, c, i, (__mmask8)marked, (__mmask8)last, &value[0]);
        high = compare_64(a, c, i + 8, (__mmask8)(marked >> 8), (__mmask8)(last >> 8), &value[1]);
    }
    if (a->values && bits == 32) _mm512_mask_storeu_epi32((uint32_t *)a->values + row + i, live, value[0]);
    if (a->values && bits == 64) {
        _mm512_mask_storeu_epi64((uint64_t *)a->values + row + i, (__mmask8)live, value[0]);
        _mm512_mask_storeu_epi64((uint64_t *)a->values + row + i + 8, (__mmask8)(live >> 8), value[1]);
    }
    const __mmask16 there = (__mmask16)(low.there | high.there << 8);
    if (a->found) _mm_mask_storeu_epi8(a->found + row + i, live, _mm_maskz_set1_epi8(there, 1));
    return (__mmask16)(low.further | high.further << 8);
}

/* Answers the i-th query of a chunk by a search: its slot has a lesser hash, or is empty though the key may be
 * present. */
BI_FN void answer_further(const struct bi_hash_slots_find *a, int32_t bits, const struct chunk *c, int i, int64_t row)
{
    const bosc_hash_word hash = bosc_hash_word_at(c->hashes, i, bits);
    const uint64_t empty = bosc_hash_greatest(bits).low;
    uint64_t slot = c->slots[i], here;
    while (here = bosc_hash_word_at(a->view.slots, 2 * (int64_t)slot, bits).low, here < hash.low) slot++;
    int64_t number = here == hash.low ? (int64_t)slot : -1;
    if (here == empty && c->last[i / 16] >> i % 16 & 1) number = bosc_hash_search_ordered(&a->view, hash);
    bi_hash_slots_answer(a, row + i, number);
}

/* Answers a chunk with few marked queries, as where most keys are absent: marks all as absent, then answers the
 * listed ones. A branch for each 16 would be mispredicted. */
BI_FN void answer_listed(const struct bi_hash_slots_find *a, int32_t bits, const struct chunk *c, int64_t row)
{
    const size_t key = (size_t)bits / 8, count = (uint32_t)c->count;
    if (a->values) memset((char *)a->values + (size_t)row * key, 0, count * key);
    if (a->found) memset(a->found + row, 0, count);
    for (int k = 0; k < c->listed; k++) answer_further(a, bits, c, (int)c->list[k], row);
}

/* Answers a chunk. Queries that their entries do not decide are left to the end: a branch for each would be
 * mispredicted. */
BI_FN void answer_chunk(const struct bi_hash_slots_find *a, int32_t bits, const struct chunk *c, int64_t row, bool far)
{
    uint32_t left[CHUNK + 16];
    int count = 0;
    if (lists(bits, far) && c->listed <= FEW_LISTED) {
        answer_listed(a, bits, c, row);
        return;
    }
    for (int i = 0; i < c->count; i += 16) {
        const __mmask16 further = i + 16 <= c->count ? answer_16(a, bits, c, i, row, 0xffff)
                                                     : answer_16(a, bits, c, i, row, bi_hash_lanes_16(c->count - i));
        count = list_16(further, i, left, count);
    }
    for (int k = 0; k < count; k++) answer_further(a, bits, c, (int)left[k], row);
}

/* Answers queries chunk by chunk; of far tables the entries of the next chunk are read before a chunk is answered. */
BI_FN void find_avx512(const struct bi_hash_slots_find *a, int32_t bits, int64_t begin, int64_t end)
{
    const bool far = a->view.homes * (uint64_t)(bits / 4) > AVX512_NEAR_BYTES;
    struct chunk chunks[2];
    if (!far) {
        for (int64_t row = begin; row < end; row += CHUNK) {
            read_chunk(a, bits, row, end, false, &chunks[0]);
            answer_chunk(a, bits, &chunks[0], row, false);
        }
        return;
    }
    read_chunk(a, bits, begin, end, true, &chunks[0]);
    for (int64_t k = 0, row = begin; row < end; k++, row += CHUNK) {
        read_chunk(a, bits, row + CHUNK, end, true, &chunks[(k + 1) % 2]);
        answer_chunk(a, bits, &chunks[k % 2], row, true);
    }
}

/* True if slots and values have the widths that find_avx512 requires. */
BI_FN bool suits_avx512(const struct bi_hash_slots_find *a, int32_t bits)
{
    return a->view.stride == bits / 4 && (!a->values || a->view.value_size == bits / 8);
}
#endif

BI_FN void find_key(const struct bi_hash_slots_find *find, int32_t bits, int64_t begin, int64_t end)
{
    struct bi_hash_slots_find a = *find;
    a.view.key_bits = bits; /* a constant for the compiler */
#if BI_LEVEL >= 4
    if (suits_avx512(&a, bits)) {
        find_avx512(&a, bits, begin, end);
        return;
    }
#endif
    if (a.view.stride == bits / 4)
        find_each(&a, bits, (size_t)bits / 4, begin, end);
    else
        find_each(&a, bits, (size_t)a.view.stride, begin, end);
}

void BI_LEVEL_NAME(bi_hash_find_ordered)(const struct bi_hash_slots_find *a, int64_t begin, int64_t end)
{
    if (a->view.key_bits == 32)
        find_key(a, 32, begin, end);
    else
        find_key(a, 64, begin, end);
}
