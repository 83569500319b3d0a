/* Builds ORDERED tables without a sort, for keys of 32 and 64 bits and values of 4 or 8 bytes or none, by their
 * directory:
 * 1. Set the bit of each pair's range in the entry of its home, and count it there. Pairs whose bit was set are late.
 * 2. Sweep over the homes, turning counts into positions: the first pair of a home is pushed on by as many slots as
 *    pairs wait there (Lindley, The Theory of Queues with a Single Server (1952)).
 * 3. Write each pair behind those of its home whose bits are lower.
 * 4. Insert the late pairs among those of their home, for which there is room; this detects keys that repeat.
 * Pairs of larger tables are partitioned into groups of homes first, and the steps run group by group. */
#include <string.h>

#include "hash/cpu/ordered_blocks.h"
#if BI_LEVEL >= 3
#include <immintrin.h>
#endif

enum {
    BLOCK = BI_HASH_ORDERED_BLOCK,
    AHEAD = 2 * BLOCK,    /* distance in rows at which blocks are hashed ahead; measured */
    PREFETCHED_PAIRS = 8, /* pairs whose slots are prefetched before the first is written; measured: 5 % less than 32 */
    LATE_AHEAD = 8,       /* the same for late pairs */
    LINE = 64,            /* bytes */
    SWEEP_HOMES = 64,     /* homes of a step of the vector sweep: one byte each */
    ONE = BI_HASH_ORDERED_ONE,
    LAST_RANGE = BI_HASH_ORDERED_LAST_RANGE,
    MAX_HOME_PAIRS = 100, /* limit of pairs with one home: a signed byte holds 127, which leaves 27 for pushed ones */
    MAX_PUSHED = INT8_MAX - 1,
    FRONT = 2 * SWEEP_HOMES /* slots emptied ahead of the swept homes: at least MAX_PUSHED + 1 */
};

/* Returns the bit of a place's range. */
BI_FN uint32_t bit_of(uint32_t place) { return 1u << (place & 31); }
BI_FN uint32_t bits_below(uint32_t entry, uint32_t place)
{
#if BI_LEVEL >= 3
    return _bzhi_u32(entry, place); /* uses the low eight bits of the place */
#else
    return entry & (bit_of(place) - 1);
#endif
}

BI_FN uint32_t count_bits(uint32_t bits)
{
#if BI_LEVEL >= 3
    return (uint32_t)__builtin_popcount(bits);
#else
    bits -= bits >> 1 & 0x55555555;
    bits = (bits & 0x33333333) + (bits >> 2 & 0x33333333);
    return ((bits + (bits >> 4)) & 0x0f0f0f0f) * 0x01010101 >> 24;
#endif
}

/* Stores the places of a block of the input, and its hashes if they are kept. */
BI_FN void store_places(struct bi_hash_ordered_job *b, int32_t bits, int64_t row, int count)
{
    bi_hash_find_places(b, bits, row, count, b->places + row,
                        b->hashes ? bi_hash_stored_at(b, bits, 0, false, row) : NULL);
}

/* Appends the late pairs of a block (bits of `among`) to `late`, which has `count`; returns the new count. With
 * AVX-512 no branch depends on the number. */
BI_FN uint32_t add_late(uint32_t among, int64_t row, uint32_t *late, uint32_t count)
{
#if BI_LEVEL >= 4
    const __m512i lane = _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
    const __m512i rows = _mm512_add_epi32(lane, _mm512_set1_epi32((int)row));
    _mm512_storeu_si512(late + count, _mm512_maskz_compress_epi32((__mmask16)among, rows));
    return count + (uint32_t)__builtin_popcount(among);
#else
    for (; among; among &= among - 1) late[count++] = (uint32_t)row + (uint32_t)__builtin_ctz(among);
    return count;
#endif
}

/* Returns an entry with the bit of a place set and its count raised. *late is doubled, plus one if the bit was set;
 * on x86 by the carry of bts, which needs fewer instructions. */
BI_FN uint32_t count_pair(uint32_t entry, uint32_t place, uint32_t *late)
{
#if defined(__x86_64__)
    __asm__("btsl %2, %0\n\tadcl %1, %1"
            : "+r"(entry), "+r"(*late)
            : "r"(place)
            : "cc"); /* bts uses the low five bits */
    return entry + ONE;
#else
    *late = 2 * *late + ((entry & bit_of(place)) != 0);
    return (entry | bit_of(place)) + ONE;
#endif
}

/* Sets the bits of a block's pairs and counts them, the last pair first. Bit i of the result: pair i is late. */
BI_FN uint32_t set_bits_of(uint32_t *restrict directory, const uint32_t *restrict places, int size)
{
    uint32_t late = 0;
#pragma GCC unroll 16
    for (int i = size; i-- > 0;) {
        uint32_t *entry = directory + bi_hash_ordered_home(places[i]);
        *entry = count_pair(*entry, places[i], &late);
    }
    return late;
}

BI_FN size_t stride_of(int32_t bits, size_t size)
{
    const size_t key = (size_t)bits / 8;
    return (key + size + key - 1) / key * key;
}

/* Sets the bits of a group's pairs and counts them, the last pair first; returns the number of late pairs. Blocks of
 * the input are hashed AHEAD of their turn, as vector code takes long to complete. With partitioned pairs the slots
 * that the sweep empties next, from `emptied` on, are prefetched. */
BI_FN uint32_t set_bits(struct bi_hash_ordered_job *b, int32_t bits, size_t size, bool partitioned,
                        struct bi_hash_row_range r, uint64_t emptied)
{
    const size_t stride = stride_of(bits, size);
    const size_t prefetched =
        b->stores_wait ? stride * BLOCK * 5 / 4 : 0; /* slots of a block of pairs at the default load factor 0.8 */
    const char *slots = b->slots + emptied * stride;
    uint32_t *restrict const directory = b->directory;
    const int64_t last = r.end > r.begin ? (r.end - 1) / BLOCK * BLOCK : r.begin - 1;
    uint32_t count = 0;
    for (int64_t row = last; !partitioned && row >= 0 && row > last - AHEAD; row -= BLOCK)
        store_places(b, bits, row, bi_hash_block_size(r, row));
    for (int64_t row = last; row >= r.begin; row -= BLOCK) {
        const uint32_t *places = b->places + row;
        const int size_here = bi_hash_block_size(r, row);
        for (size_t i = 0; partitioned && i < prefetched; i += LINE) __builtin_prefetch(slots + i, 0, 2);
        slots += prefetched;
        if (!partitioned && row >= AHEAD) store_places(b, bits, row - AHEAD, BLOCK);
        const uint32_t late = size_here == BLOCK ? set_bits_of(directory, places, BLOCK) /* a constant count */
                                                 : set_bits_of(directory, places, size_here);
        count = add_late(late, row, b->late, count);
    }
    return count;
}

/* Loads a hash; one of 64 bits may be aligned to 4 bytes only. */
BI_FN bosc_hash_word load_hash(const char *at, int32_t bits)
{
    bosc_hash_word hash = {0, 0};
    uint32_t half;
    if (bits == 64) {
        memcpy(&hash.low, at, sizeof hash.low);
    } else {
        memcpy(&half, at, sizeof half);
        hash.low = half;
    }
    return hash;
}

BI_FN bosc_hash_word hash_of_row(const struct bi_hash_ordered_job *b, int32_t bits, size_t size, bool partitioned,
                                 uint32_t row)
{
    if (b->hashes) return load_hash(bi_hash_stored_at(b, bits, size, partitioned, row), bits);
    return bosc_hash_of(bosc_hash_word_at(b->keys, row, bits), bits, b->view.seed);
}

/* Returns the first slot of a row's home. */
BI_FN size_t first_of_row(const struct bi_hash_ordered_job *b, uint32_t row)
{
    const uint32_t home = bi_hash_ordered_home(b->places[row]);
    return home + (size_t)(b->directory[home] / ONE);
}

enum { PATTERN = 192 /* bytes of empty slots: a multiple of all strides */ };

/* Fills a pattern of empty slots: the greatest hash, zeros as values. */
BI_FN void make_pattern(int32_t bits, size_t stride, char pattern[PATTERN])
{
    memset(pattern, 0, PATTERN);
    for (size_t i = 0; i < PATTERN; i += stride) memset(pattern + i, 0xff, (size_t)bits / 8);
}

/* State of the sweep. */
struct swept {
    uint32_t waiting;  /* pairs that wait behind the last home */
    int64_t counted;   /* pairs */
    uint64_t extra;    /* slots between pairs and their homes */
    bool too_many;     /* a home has too many pairs, or they are pushed too far */
    uint64_t emptied;  /* slots emptied: FRONT more than homes, as pairs may be pushed there */
    uint32_t greatest; /* pairs of the greatest hash, which are behind all homes */
};

/* Empties slots below `end`. */
BI_FN void empty_slots(const struct bi_hash_ordered_job *b, int32_t bits, size_t size, uint64_t end, struct swept *w)
{
    const size_t stride = stride_of(bits, size), to = end * stride;
    char pattern[PATTERN];
    make_pattern(bits, stride, pattern);
    size_t at = w->emptied * stride;
    for (; at + PATTERN <= to; at += PATTERN) memcpy(b->slots + at, pattern, PATTERN);
    if (at < to) memcpy(b->slots + at, pattern, to - at);
    w->emptied = end;
}

/* Empties the slots that the pairs of homes below `end` may get. At the last home empties all, and zeros the last
 * slot. */
BI_FN void empty_for(const struct bi_hash_ordered_job *b, int32_t bits, size_t size, uint32_t end, struct swept *w)
{
    const size_t stride = stride_of(bits, size);
    const uint64_t last = b->slot_count - 1, wanted = end == b->view.homes ? last : (uint64_t)end + FRONT;
    empty_slots(b, bits, size, wanted < last ? wanted : last, w);
    if (end == b->view.homes) memset(b->slots + last * stride, 0, stride);
}

#if BI_LEVEL >= 4
/* Shifts all bytes up by one or two, with zeros below. */
BI_FN __m512i shift_bytes(__m512i x, bool two)
{
    const __m512i lower = _mm512_alignr_epi32(x, _mm512_setzero_si512(), 12); /* the preceding 16 bytes of each lane */
    return two ? _mm512_alignr_epi8(x, lower, 14) : _mm512_alignr_epi8(x, lower, 15);
}

/* Computes inclusive prefix sums of 64 signed bytes, and prefix minima of the sums with 0. *most: maximum of the
 * sums, to detect overflow. Each scan combines at the distances 1, 2, 4, ..., 32; only the sums (`adds`) raise
 * *most. */
BI_FN void scan_64(__m512i x, __m512i *sum, __m512i *least, __m512i *most)
{
    const __m512i zero = _mm512_setzero_si512();
#define STEP(operation, shifted)               \
    x = _mm512_##operation##_epi8(x, shifted); \
    if (*#operation == 'a') *most = _mm512_max_epi8(*most, x)
#define STEPS(operation)                               \
    STEP(operation, shift_bytes(x, false));            \
    STEP(operation, shift_bytes(x, true));             \
    STEP(operation, _mm512_alignr_epi32(x, zero, 15)); \
    STEP(operation, _mm512_alignr_epi32(x, zero, 14)); \
    STEP(operation, _mm512_alignr_epi32(x, zero, 12)); \
    STEP(operation, _mm512_alignr_epi32(x, zero, 8))
    STEPS(adds);
    *sum = x;
    STEPS(min);
    *least = x;
#undef STEPS
#undef STEP
}

/* Transposes four by four words. */
BI_FN __m512i transpose(__m512i x)
{
    return _mm512_permutexvar_epi32(_mm512_set_epi32(15, 11, 7, 3, 14, 10, 6, 2, 13, 9, 5, 1, 12, 8, 4, 0), x);
}

/* Extracts the bytes above the bits of the ranges of 64 entries, in their order. */
BI_FN __m512i load_tops(const __m512i entries[4])
{
    __m512i top[4];
    for (int i = 0; i < 4; i++) top[i] = _mm512_srli_epi32(entries[i], BOSC_HASH_HOME_RANGES);
    return transpose(_mm512_packus_epi16(_mm512_packus_epi32(top[0], top[1]), _mm512_packus_epi32(top[2], top[3])));
}

/* Moves 64 bytes back to where load_tops found them. */
BI_FN void spread_tops(__m512i bytes, __m512i top[4])
{
    const __m512i zero = _mm512_setzero_si512(), lanes = transpose(bytes);
    const __m512i low = _mm512_unpacklo_epi8(zero, lanes), high = _mm512_unpackhi_epi8(zero, lanes);
    top[0] = _mm512_unpacklo_epi16(zero, low);
    top[1] = _mm512_unpackhi_epi16(zero, low);
    top[2] = _mm512_unpacklo_epi16(zero, high);
    top[3] = _mm512_unpackhi_epi16(zero, high);
}

/* As the scalar form below, 64 homes at once. Let `in_front` pairs wait in front of the first home. Then max(sum +
 * in_front, sum - least) pairs wait behind a home, with sum the prefix sum of (count - 1) and least its prefix minimum.
 * Empties as many slots on the way, which is faster than a separate pass. Bytes may saturate: too_many is then set, and
 * the positions are not used. */
BI_FN void sweep_homes(struct bi_hash_ordered_job *b, int32_t bits, size_t size, uint32_t begin, uint32_t end,
                       struct swept *w)
{
    const size_t stride = stride_of(bits, size);
    char pattern[PATTERN];
    make_pattern(bits, stride, pattern);
    const __m512i one = _mm512_set1_epi8(1), zero = _mm512_setzero_si512(), ranges = _mm512_set1_epi32(ONE - 1);
    __m512i in_front = _mm512_set1_epi8((char)w->waiting), most = zero, extra = zero, counted = zero, many = zero;
    for (uint32_t h = begin; h < end; h += SWEEP_HOMES) {
        /* 1. Empty 64 slots, then load the counts of 64 homes. */
        uint32_t *const at = b->directory + h;
        const __mmask64 live = end - h < SWEEP_HOMES ? ((__mmask64)1 << (end - h)) - 1 : UINT64_MAX;
        __m512i entries[4], sum, least, pushed[4];
        if (w->emptied + SWEEP_HOMES < b->slot_count) {
            for (size_t i = 0; i < stride; i++)
                memcpy(b->slots + w->emptied * stride + i * SWEEP_HOMES, pattern + i * SWEEP_HOMES % PATTERN,
                       SWEEP_HOMES);
            w->emptied += SWEEP_HOMES;
        }
        for (int i = 0; i < 4; i++) entries[i] = _mm512_maskz_loadu_epi32((__mmask16)(live >> 16 * i), at + 16 * i);
        const __m512i count = load_tops(entries);
        /* 2. Scan the counts; `behind` holds the pairs that wait behind each home. */
        scan_64(_mm512_sub_epi8(count, _mm512_maskz_mov_epi8(live, one)), &sum, &least, &most);
        const __m512i behind = _mm512_max_epi8(_mm512_adds_epi8(sum, in_front), _mm512_subs_epi8(sum, least));
        /* 3. The distance of a home is the number of pairs that wait behind the previous one. */
        spread_tops(_mm512_alignr_epi8(behind, _mm512_alignr_epi32(behind, in_front, 12), 15), pushed);
        for (int i = 0; i < 4; i++) {
            const __m512i swept_entries = _mm512_or_si512(_mm512_and_si512(entries[i], ranges), pushed[i]);
            _mm512_mask_storeu_epi32(at + 16 * i, (__mmask16)(live >> 16 * i), swept_entries);
        }
        /* 4. Update the sums, the maxima, and the pairs that wait in front of the next 64 homes. */
        extra = _mm512_add_epi64(extra, _mm512_sad_epu8(_mm512_maskz_mov_epi8(live, behind), zero));
        counted = _mm512_add_epi64(counted, _mm512_sad_epu8(count, zero));
        many = _mm512_max_epu8(many, count);
        most = _mm512_max_epi8(most, behind);
        in_front = _mm512_shuffle_epi8(_mm512_shuffle_i64x2(behind, behind, 0xff), _mm512_set1_epi8(15));
    }
    w->waiting = (uint32_t)_mm_cvtsi128_si32(_mm512_castsi512_si128(in_front)) & UINT8_MAX;
    w->extra += (uint64_t)_mm512_reduce_add_epi64(extra);
    w->counted += _mm512_reduce_add_epi64(counted);
    w->too_many |= _mm512_cmpgt_epu8_mask(many, _mm512_set1_epi8(MAX_HOME_PAIRS)) != 0;
    w->too_many |= _mm512_cmpgt_epi8_mask(most, _mm512_set1_epi8(MAX_PUSHED)) != 0;
    empty_for(b, bits, size, end, w);
}
#else
/* Replaces the count of each home from `begin` to `end` - 1 by the distance that its first pair is pushed on. Each
 * home behind which a pair waits costs it one more slot. Empties slots. */
BI_FN void sweep_homes(struct bi_hash_ordered_job *b, int32_t bits, size_t size, uint32_t begin, uint32_t end,
                       struct swept *w)
{
    uint32_t pushed = w->waiting, most = 0, many = 0;
    for (uint32_t h = begin; h < end; h++) {
        const uint32_t entry = b->directory[h], count = entry / ONE, next = pushed + count;
        b->directory[h] = entry % ONE + (pushed & UINT8_MAX) * ONE;
        pushed = next ? next - 1 : 0;
        most = pushed > most ? pushed : most;
        many = count > many ? count : many;
        w->counted += count;
        w->extra += pushed;
    }
    w->waiting = pushed;
    w->too_many |= many > MAX_HOME_PAIRS || most > MAX_PUSHED;
    empty_for(b, bits, size, end, w);
}
#endif

/* True if no pair gets the last slot but one or a later one, counting the greatest hash as a pair like others. */
BI_FN bool pairs_fit(const struct bi_hash_ordered_job *b, uint32_t waiting, uint32_t greatest)
{
    return waiting + greatest <= b->slot_count - 2 - b->view.homes;
}

BI_FN const char *value_at(const struct bi_hash_ordered_job *b, int32_t bits, size_t size, bool partitioned,
                           int64_t row)
{
    return partitioned ? bi_hash_stored_at(b, bits, size, partitioned, row) + bits / 8 : b->values + (size_t)row * size;
}

/* Copies a value; a set has none. */
BI_FN void copy_value(const struct bi_hash_ordered_job *b, int32_t bits, char *to, size_t size, bool partitioned,
                      int64_t row)
{
    if (size) memcpy(to, value_at(b, bits, size, partitioned, row), size);
}

/* Returns the slot of a pair that is not late. */
BI_FN size_t slot_of(const uint32_t *directory, uint32_t place)
{
    const uint32_t home = bi_hash_ordered_home(place), entry = directory[home];
    return home + (size_t)(entry / ONE) + count_bits(bits_below(entry, place));
}

#if BI_LEVEL >= 4
/* Writes the pairs of a block, interleaved hashes and values, to their slots. */
BI_FN void write_pairs(const struct bi_hash_ordered_job *b, size_t stride, const uint32_t *restrict places, int count,
                       const char *restrict pairs)
{
    const uint32_t *restrict const directory = b->directory;
    char *restrict const slots = b->slots;
#pragma GCC unroll 16
    for (int i = 0; i < count; i++)
        memcpy(slots + slot_of(directory, places[i]) * stride, pairs + (size_t)i * stride, stride);
}

/* Returns a block's hashes and values, of one width, interleaved: as partitioned, or in `interleaved`. */
BI_FN const char *pairs_of(const struct bi_hash_ordered_job *b, int32_t bits, bool partitioned, int64_t row, int count,
                           char *interleaved)
{
    const size_t key = (size_t)bits / 8;
    char again[BLOCK * sizeof(uint64_t)];
    if (partitioned) return bi_hash_stored_at(b, bits, key, true, row);
    if (!b->hashes) bi_hash_hash_block(b, bits, row, count, again);
    const char *hashes = b->hashes ? bi_hash_stored_at(b, bits, 0, false, row) : again;
    bi_hash_interleave(bits, hashes, b->values + (size_t)row * key, count, interleaved);
    return interleaved;
}

/* As write_group_avx512 for whole blocks: computes the slots of some pairs and prefetches them before it writes.
 * Returns the row behind the last one. */
BI_FN int64_t write_blocks_prefetched(const struct bi_hash_ordered_job *b, int32_t bits, bool partitioned,
                                      struct bi_hash_row_range r)
{
    const size_t stride = (size_t)bits / 4;
    const int64_t end = r.begin + (r.end - r.begin) / BLOCK * BLOCK;
    const uint32_t *restrict const directory = b->directory;
    char *restrict const slots = b->slots;
    char interleaved[BLOCK * 2 * sizeof(uint64_t)];
    for (int64_t row = r.begin; row < end; row += BLOCK) {
        const uint32_t *restrict const places = b->places + row;
        const char *restrict const pairs = pairs_of(b, bits, partitioned, row, BLOCK, interleaved);
#pragma GCC unroll 2
        for (int k = 0; k < BLOCK; k += PREFETCHED_PAIRS) {
            char *to[PREFETCHED_PAIRS];
#pragma GCC unroll 8
            for (int i = 0; i < PREFETCHED_PAIRS; i++) {
                to[i] = slots + slot_of(directory, places[k + i]) * stride;
                __builtin_prefetch(to[i], 1);
            }
#pragma GCC unroll 8
            for (int i = 0; i < PREFETCHED_PAIRS; i++) memcpy(to[i], pairs + (size_t)(k + i) * stride, stride);
        }
    }
    return end;
}

/* As write_group, for values as wide as their keys. */
BI_FN void write_group_avx512(const struct bi_hash_ordered_job *b, int32_t bits, bool partitioned,
                              struct bi_hash_row_range r)
{
    const size_t stride = (size_t)bits / 4;
    char interleaved[BLOCK * 2 * sizeof(uint64_t)];
    for (int64_t row = b->stores_wait ? write_blocks_prefetched(b, bits, partitioned, r) : r.begin; row < r.end;
         row += BLOCK) {
        const int count = bi_hash_block_size(r, row);
        const char *pairs = pairs_of(b, bits, partitioned, row, count, interleaved);
        if (count == BLOCK)
            write_pairs(b, stride, b->places + row, BLOCK, pairs);
        else
            write_pairs(b, stride, b->places + row, count, pairs);
    }
}
#endif

/* Writes the pairs of a block with these hashes. */
BI_FN void write_block(const struct bi_hash_ordered_job *b, int32_t bits, size_t size, bool partitioned, int64_t row,
                       int count, const char *hashes)
{
    char *restrict const slots = b->slots;
    const size_t key = (size_t)bits / 8, stride = stride_of(bits, size), step = key + (partitioned ? size : 0);
    for (int i = 0; i < count; i++) {
        char *slot = slots + slot_of(b->directory, b->places[row + i]) * stride;
        memcpy(slot, hashes + (size_t)i * step, key);
        copy_value(b, bits, slot + key, size, partitioned, row + i);
    }
}

/* Writes a group's pairs in ascending rows. A late pair is written to the slot of the last pair of its range, whose
 * later row then overwrites it. */
BI_FN void write_group(const struct bi_hash_ordered_job *b, int32_t bits, size_t size, bool partitioned,
                       struct bi_hash_row_range r)
{
    char again[BLOCK * sizeof(uint64_t)];
#if BI_LEVEL >= 4
    if (size == (size_t)bits / 8) {
        write_group_avx512(b, bits, partitioned, r);
        return;
    }
#endif
    for (int64_t row = r.begin; row < r.end; row += BLOCK) {
        const int count = bi_hash_block_size(r, row);
        if (!b->hashes) bi_hash_hash_block(b, bits, row, count, again);
        write_block(b, bits, size, partitioned, row, count,
                    b->hashes ? bi_hash_stored_at(b, bits, size, partitioned, row) : again);
    }
}

/* As insert_late, slot by slot. */
BI_FN bool insert_by_slots(const struct bi_hash_ordered_job *b, int32_t bits, size_t size, bool partitioned,
                           uint32_t row)
{
    const size_t key = (size_t)bits / 8, stride = stride_of(bits, size);
    const bosc_hash_word hash = hash_of_row(b, bits, size, partitioned, row), empty = bosc_hash_greatest(bits);
    char *slot = b->slots + first_of_row(b, row) * stride, *end;
    while (bosc_hash_less(bosc_hash_word_at(slot, 0, bits), hash)) slot += stride;
    if (bi_hash_same(bosc_hash_word_at(slot, 0, bits), hash)) return false;
    for (end = slot; !bi_hash_same(bosc_hash_word_at(end, 0, bits), empty);) end += stride;
    for (; end > slot; end -= stride) memcpy(end, end - stride, stride);
    bi_hash_store(slot, bits, 0, hash);
    copy_value(b, bits, slot + key, size, partitioned, row);
    return true;
}

#if BI_LEVEL >= 4
/* Masks of the hashes in a vector of slots: equal to the wanted one, less, or of empty slots. */
struct line {
    uint32_t equal, less, empty;
};

BI_FN struct line compare_line(int32_t bits, __m512i here, uint64_t hash)
{
    const __m512i all = _mm512_set1_epi32(-1);
    if (bits == 32) {
        const __m512i wanted = _mm512_set1_epi32((int)hash);
        return (struct line){_mm512_mask_cmpeq_epi32_mask(0x5555, here, wanted),
                             _mm512_mask_cmplt_epu32_mask(0x5555, here, wanted),
                             _mm512_mask_cmpeq_epi32_mask(0x5555, here, all)};
    }
    const __m512i wanted = _mm512_set1_epi64((long long)hash);
    return (struct line){_mm512_mask_cmpeq_epi64_mask(0x55, here, wanted),
                         _mm512_mask_cmplt_epu64_mask(0x55, here, wanted),
                         _mm512_mask_cmpeq_epi64_mask(0x55, here, all)};
}

/* As insert_by_slots for a value as wide as its key, in one vector if there is an empty slot within 64 bytes of the
 * home's first slot. Returns false, with nothing written, if the key is there: equal hashes mean equal keys. The hash
 * is not the greatest, which marks empty slots; build_group has checked that all pairs fit. */
BI_FN bool insert_avx512(const struct bi_hash_ordered_job *b, int32_t bits, bool partitioned, uint32_t row)
{
    const size_t key = (size_t)bits / 8, stride = 2 * key;
    const uint64_t hash = hash_of_row(b, bits, key, partitioned, row).low;
    const uint64_t value = bosc_hash_word_at(value_at(b, bits, key, partitioned, row), 0, bits).low;
    const size_t first = first_of_row(b, row);
    /* The last slot, which is zeroed, would look like one of hash 0. */
    if (first + LINE / stride >= b->slot_count) return insert_by_slots(b, bits, key, partitioned, row);
    char *at = b->slots + first * stride;
    const __m512i here = _mm512_loadu_si512(at);
    const struct line l = compare_line(bits, here, hash);
    if (!l.empty) return insert_by_slots(b, bits, key, partitioned, row);
    if (l.equal) return false;
    /* The pair goes to the first slot that is not less; the slots from there to the empty one move up. Slots ascend,
     * so `less` is a run of bits, two lanes apart; the bit behind it, times 3, masks both lanes of the pair. The
     * difference masks all lanes behind the pair, up to those of the empty slot. */
    const uint32_t pair = 3 * ((l.less << 2 | 1) & ~l.less), moved = 4 * (l.empty & -l.empty) - (pair & -pair) * 4;
    const __mmask16 changed = (__mmask16)(pair | moved), high = 0xaaaa;
    if (bits == 32) {
        const __m512i both = _mm512_mask_set1_epi32(_mm512_set1_epi32((int)hash), high, (int)value);
        const __m512i on = _mm512_mask_mov_epi32(_mm512_alignr_epi32(here, here, 14), (__mmask16)pair, both);
        _mm512_mask_storeu_epi32(at, changed, on);
    } else {
        const __m512i both =
            _mm512_mask_set1_epi64(_mm512_set1_epi64((long long)hash), (__mmask8)high, (long long)value);
        const __m512i on = _mm512_mask_mov_epi64(_mm512_alignr_epi64(here, here, 6), (__mmask8)pair, both);
        _mm512_mask_storeu_epi64(at, (__mmask8)changed, on);
    }
    return true;
}
#endif

/* Inserts a late pair among those of its home. Returns false if its key is there. */
BI_FN bool insert_late(const struct bi_hash_ordered_job *b, int32_t bits, size_t size, bool partitioned, uint32_t row)
{
#if BI_LEVEL >= 4
    if (size == (size_t)bits / 8) return insert_avx512(b, bits, partitioned, row);
#endif
    return insert_by_slots(b, bits, size, partitioned, row);
}

/* Inserts the first `count` late pairs. Returns false if a key repeats. */
BI_FN bool insert_all_late(const struct bi_hash_ordered_job *b, int32_t bits, size_t size, bool partitioned,
                           uint32_t count)
{
    const size_t stride = stride_of(bits, size);
    for (uint32_t k = 0; k < count; k++) {
        if (b->stores_wait && k + LATE_AHEAD < count)
            __builtin_prefetch(b->slots + first_of_row(b, b->late[k + LATE_AHEAD]) * stride, 1);
        if (!insert_late(b, bits, size, partitioned, b->late[k])) return false;
    }
    return true;
}

/* Writes the pairs of homes from `begin` to `end` - 1, in rows r, to their slots. Returns false if they do not fit
 * or keys repeat. */
BI_FN bool build_group(struct bi_hash_ordered_job *b, int32_t bits, size_t size, bool partitioned,
                       struct bi_hash_row_range r, uint32_t begin, uint32_t end, struct swept *w)
{
    /* 1. Count the pairs of each home, then turn counts into positions. */
    const int64_t counted = w->counted + (r.end - r.begin);
    const uint64_t cleared = end < b->view.homes ? end : b->slot_count;
    memset(b->directory + begin, 0, (size_t)(cleared - begin) * sizeof *b->directory);
    const uint32_t late = set_bits(b, bits, size, partitioned, r, w->emptied);
    sweep_homes(b, bits, size, begin, end, w);
    /* 2. Check the limits of counts and of the table. */
    if (end == b->view.homes) w->greatest = b->directory[b->slot_count - 1] / ONE;
    if (w->too_many || w->greatest > 1 || w->counted + w->greatest != counted) return false;
    if (end == b->view.homes) {
        if (!pairs_fit(b, w->waiting, w->greatest)) return false;
        b->directory[b->slot_count - 1] = 0;
    }
    /* 3. Write the pairs, and insert late ones. */
    write_group(b, bits, size, partitioned, r);
    return insert_all_late(b, bits, size, partitioned, late);
}

/* Builds the table group by group. */
BI_FN void build_groups(struct bi_hash_ordered_job *b, int32_t bits, size_t size, bool partitioned)
{
    const uint32_t homes = b->view.homes;
    struct swept w = {0};
    b->failed = partitioned && !bi_hash_partition_by_group(b, bits, size);
    for (uint32_t g = 0; g < b->groups && !b->failed; g++) {
        const uint32_t begin = g << b->group_bits, end = g + 1 < b->groups ? (g + 1) << b->group_bits : homes;
        b->failed = !build_group(b, bits, size, partitioned, bi_hash_row_range_of(b, g), begin, end, &w);
    }
    if (b->failed) return;
    /* Look-ups of listed hashes read the last range of the previous home. */
    for (uint32_t i = 0; i < b->marked_count; i++) b->directory[b->marked[i]] |= LAST_RANGE;
    b->directory[homes - 1] |= w.greatest * LAST_RANGE; /* `greatest` is 0 or 1 */
    b->extra_probes = w.extra + w.waiting * (w.waiting - 1) / 2;
}

BI_FN void build_from_rows(struct bi_hash_ordered_job *b, int32_t bits, size_t size)
{
    if (b->ends)
        build_groups(b, bits, size, true);
    else
        build_groups(b, bits, size, false);
}

/* Builds by compiled constants: functions of their own, since gcc's time for a function grows faster than its size. */
#define BUILD_COPY(bits, size)                                                                              \
    static __attribute__((noinline)) void build_##bits##_bits_##size##_bytes(struct bi_hash_ordered_job *b) \
    {                                                                                                       \
        build_from_rows(b, bits, size);                                                                     \
    }
BUILD_COPY(32, 0)
BUILD_COPY(32, 4)
BUILD_COPY(32, 8)
BUILD_COPY(64, 0)
BUILD_COPY(64, 4)
BUILD_COPY(64, 8)

void BI_LEVEL_NAME(bi_hash_build_ordered)(struct bi_hash_ordered_job *b)
{
    static void (*const builds[2][3])(struct bi_hash_ordered_job *) = {
        {build_32_bits_0_bytes, build_32_bits_4_bytes, build_32_bits_8_bytes},
        {build_64_bits_0_bytes, build_64_bits_4_bytes, build_64_bits_8_bytes}};
    builds[b->view.key_bits == 64][b->view.value_size / 4](b);
}
