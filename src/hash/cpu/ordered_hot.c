/* Builds tables of the layout ORDERED at once, for keys of 32 and 64 bits and values of 4 or 8 bytes or none, by their
 * directory:
 * - the bit of each pair's range is set, and it is counted; the few pairs that find theirs set are late;
 * - a sweep over the homes turns numbers of pairs into places: a home's first pair is pushed on by as many slots as
 *   pairs wait there (Lindley, The Theory of Queues with a Single Server (1952));
 * - each pair goes behind those of its home whose bits are lower;
 * - late pairs are inserted among those of their home, for which there is room: there keys that repeat are seen.
 * Pairs of larger tables are dealt to groups of homes first, and all this is done for one group after the other. */
#include <string.h>

#include "hash/cpu/ordered_deal.h"
#if BI_LEVEL >= 3
#include <immintrin.h>
#endif

enum {
    SOME = BI_HASH_ORDERED_BLOCK,
    AHEAD = 2 * SOME, /* pairs that are hashed before their turn */
    ASKED = 8,        /* pairs whose slots are asked for before one is written */
    LATE_AHEAD = 8,   /* late pairs, likewise */
    LINE = 64,        /* bytes */
    SWEPT = 64,       /* homes at once */
    ONE = BI_HASH_ORDERED_ONE,
    LAST_RANGE = BI_HASH_ORDERED_LAST_RANGE,
    MOST_PAIRS = 100, /* of a home */
    MOST_PUSHED = INT8_MAX - 1,
    FRONT = 2 * SWEPT /* at least MOST_PUSHED + 1 */
};

/* The bit of a place's range; and those below it of an entry. */
BI_FN uint32_t bit_of(uint32_t place) { return 1u << (place & 31); }
BI_FN uint32_t bits_below(uint32_t entry, uint32_t place)
{
#if BI_LEVEL >= 3
    return _bzhi_u32(entry, place); /* by its low eight bits */
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

/* The same of a block whose pairs are placed as they come. */
BI_FN void keep_places(struct bi_hash_ordered_build *b, int32_t bits, int64_t row, int count)
{
    bi_hash_find_places(b, bits, row, count, b->places + row,
                        b->hashes ? bi_hash_kept_at(b, bits, 0, false, row) : NULL);
}

/* Adds the late pairs among a block's to `late`, which has `count`; gives how many it has then. With AVX-512 no branch
 * depends on how many there are. */
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

/* An entry with the bit of a place, and one pair more; *late is doubled, and one more if the bit was set: on x86 by the
 * carry, which takes less. */
BI_FN uint32_t count_pair(uint32_t entry, uint32_t place, uint32_t *late)
{
#if defined(__x86_64__)
    __asm__("btsl %2, %0\n\tadcl %1, %1" : "+r"(entry), "+r"(*late) : "r"(place) : "cc"); /* by the low five bits */
    return entry + ONE;
#else
    *late = 2 * *late + ((entry & bit_of(place)) != 0);
    return (entry | bit_of(place)) + ONE;
#endif
}

/* Sets the bits of a block's pairs and counts them, the last ones first. Bit i of what it gives: pair i is late, as its
 * bit was set before. */
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

/* Sets the bits of a group's pairs and counts them, the last ones first; gives the number of late ones. Blocks that
 * were not dealt are hashed before their turn, as their vectors take long; of those that were the slots to be emptied
 * next, from `emptied` on, are asked for. */
BI_FN uint32_t set_bits(struct bi_hash_ordered_build *b, int32_t bits, size_t size, bool dealt, struct bi_hash_rows r,
                        uint64_t emptied)
{
    const size_t stride = stride_of(bits, size);
    const size_t asked = b->stores_wait ? stride * SOME * 5 / 4 : 0; /* of a block, at the default load */
    const char *slots = b->slots + emptied * stride;
    uint32_t *restrict const directory = b->directory;
    const int64_t last = r.end > r.begin ? (r.end - 1) / SOME * SOME : r.begin - 1;
    uint32_t count = 0;
    for (int64_t row = last; !dealt && row >= 0 && row > last - AHEAD; row -= SOME)
        keep_places(b, bits, row, bi_hash_block_size(r, row));
    for (int64_t row = last; row >= r.begin; row -= SOME) {
        const uint32_t *places = b->places + row;
        const int size_here = bi_hash_block_size(r, row);
        for (size_t i = 0; dealt && i < asked; i += LINE) __builtin_prefetch(slots + i, 0, 2);
        slots += asked;
        if (!dealt && row >= AHEAD) keep_places(b, bits, row - AHEAD, SOME);
        const uint32_t late = size_here == SOME ? set_bits_of(directory, places, SOME) /* without a test for the end */
                                                : set_bits_of(directory, places, size_here);
        count = add_late(late, row, b->late, count);
    }
    return count;
}

/* A hash that a value of half its size may stand before. */
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

BI_FN bosc_hash_word hash_of_row(const struct bi_hash_ordered_build *b, int32_t bits, size_t size, bool dealt,
                                 uint32_t row)
{
    if (b->hashes) return load_hash(bi_hash_kept_at(b, bits, size, dealt, row), bits);
    return bosc_hash_of(bosc_hash_word_at(b->keys, row, bits), bits, b->view.seed);
}

/* The first slot of a row's home. */
BI_FN size_t first_of_row(const struct bi_hash_ordered_build *b, uint32_t row)
{
    const uint32_t home = bi_hash_ordered_home(b->places[row]);
    return home + (size_t)(b->directory[home] / ONE);
}

enum { PATTERN = 192 /* bytes of empty slots: a multiple of all strides */ };

BI_FN void make_pattern(int32_t bits, size_t stride, char pattern[PATTERN])
{
    memset(pattern, 0, PATTERN);
    for (size_t i = 0; i < PATTERN; i += stride) memset(pattern + i, 0xff, (size_t)bits / 8);
}

/* What a sweep has found so far. */
struct swept {
    uint32_t waiting;  /* pairs behind the last home */
    int64_t counted;   /* pairs */
    uint64_t extra;    /* slots that pairs read more than one */
    bool too_many;     /* pairs of a home, to be counted, or they are pushed too far */
    uint64_t emptied;  /* slots: FRONT more than homes, as pairs are pushed there */
    uint32_t greatest; /* pairs of the greatest hash, behind all homes */
};

/* Empties slots up to `end`. */
BI_FN void empty_slots(const struct bi_hash_ordered_build *b, int32_t bits, size_t size, uint64_t end, struct swept *w)
{
    const size_t stride = stride_of(bits, size), to = end * stride;
    char pattern[PATTERN];
    make_pattern(bits, stride, pattern);
    size_t at = w->emptied * stride;
    for (; at + PATTERN <= to; at += PATTERN) memcpy(b->slots + at, pattern, PATTERN);
    if (at < to) memcpy(b->slots + at, pattern, to - at);
    w->emptied = end;
}

/* Empties the slots that the pairs of homes up to `end` may have; at last all, and puts zeros in the last one. */
BI_FN void empty_for(const struct bi_hash_ordered_build *b, int32_t bits, size_t size, uint32_t end, struct swept *w)
{
    const size_t stride = stride_of(bits, size);
    const uint64_t last = b->slot_count - 1, wanted = end == b->view.homes ? last : (uint64_t)end + FRONT;
    empty_slots(b, bits, size, wanted < last ? wanted : last, w);
    if (end == b->view.homes) memset(b->slots + last * stride, 0, stride);
}

#if BI_LEVEL >= 4
/* Each byte, one or two further on, and zeros before. */
BI_FN __m512i shift_bytes(__m512i x, bool two)
{
    const __m512i before = _mm512_alignr_epi32(x, _mm512_setzero_si512(), 12);
    return two ? _mm512_alignr_epi8(x, before, 14) : _mm512_alignr_epi8(x, before, 15);
}

/* The sums of bytes up to each of 64, and the least of those sums and 0. *most: where a sum gets too large. */
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

/* The transpose of four by four words. */
BI_FN __m512i transpose(__m512i x)
{
    return _mm512_permutexvar_epi32(_mm512_set_epi32(15, 11, 7, 3, 14, 10, 6, 2, 13, 9, 5, 1, 12, 8, 4, 0), x);
}

/* The bytes above the ranges' bits of 64 entries, in their order. */
BI_FN __m512i load_tops(const __m512i entries[4])
{
    __m512i top[4];
    for (int i = 0; i < 4; i++) top[i] = _mm512_srli_epi32(entries[i], BOSC_HASH_HOME_RANGES);
    return transpose(_mm512_packus_epi16(_mm512_packus_epi32(top[0], top[1]), _mm512_packus_epi32(top[2], top[3])));
}

/* Brings 64 bytes to where load_tops finds them. */
BI_FN void spread_tops(__m512i bytes, __m512i top[4])
{
    const __m512i zero = _mm512_setzero_si512(), lanes = transpose(bytes);
    const __m512i low = _mm512_unpacklo_epi8(zero, lanes), high = _mm512_unpackhi_epi8(zero, lanes);
    top[0] = _mm512_unpacklo_epi16(zero, low);
    top[1] = _mm512_unpackhi_epi16(zero, low);
    top[2] = _mm512_unpacklo_epi16(zero, high);
    top[3] = _mm512_unpackhi_epi16(zero, high);
}

/* As below, 64 homes at once. If `before` pairs wait in front of the first, behind a home wait the sum up to it and
 * `before`, or the sum less the least one if that is more. Empties as many slots on the way, which takes less than to
 * do so apart. */
BI_FN void sweep(struct bi_hash_ordered_build *b, int32_t bits, size_t size, uint32_t begin, uint32_t end,
                 struct swept *w)
{
    const size_t stride = stride_of(bits, size);
    char pattern[PATTERN];
    make_pattern(bits, stride, pattern);
    const __m512i one = _mm512_set1_epi8(1), zero = _mm512_setzero_si512(), ranges = _mm512_set1_epi32(ONE - 1);
    __m512i before = _mm512_set1_epi8((char)w->waiting), most = zero, extra = zero, counted = zero, many = zero;
    for (uint32_t h = begin; h < end; h += SWEPT) {
        uint32_t *const at = b->directory + h;
        const __mmask64 live = end - h < SWEPT ? ((__mmask64)1 << (end - h)) - 1 : UINT64_MAX;
        __m512i entries[4], sum, least, pushed[4];
        if (w->emptied + SWEPT < b->slot_count) {
            for (size_t i = 0; i < stride; i++)
                memcpy(b->slots + w->emptied * stride + i * SWEPT, pattern + i * SWEPT % PATTERN, SWEPT);
            w->emptied += SWEPT;
        }
        for (int i = 0; i < 4; i++) entries[i] = _mm512_maskz_loadu_epi32((__mmask16)(live >> 16 * i), at + 16 * i);
        const __m512i count = load_tops(entries);
        scan_64(_mm512_sub_epi8(count, _mm512_maskz_mov_epi8(live, one)), &sum, &least, &most);
        const __m512i behind = _mm512_max_epi8(_mm512_adds_epi8(sum, before), _mm512_subs_epi8(sum, least));
        spread_tops(_mm512_alignr_epi8(behind, _mm512_alignr_epi32(behind, before, 12), 15), pushed);
        for (int i = 0; i < 4; i++) {
            const __m512i told = _mm512_or_si512(_mm512_and_si512(entries[i], ranges), pushed[i]);
            _mm512_mask_storeu_epi32(at + 16 * i, (__mmask16)(live >> 16 * i), told);
        }
        extra = _mm512_add_epi64(extra, _mm512_sad_epu8(_mm512_maskz_mov_epi8(live, behind), zero));
        counted = _mm512_add_epi64(counted, _mm512_sad_epu8(count, zero));
        many = _mm512_max_epu8(many, count);
        most = _mm512_max_epi8(most, behind);
        before = _mm512_shuffle_epi8(_mm512_shuffle_i64x2(behind, behind, 0xff), _mm512_set1_epi8(15));
    }
    w->waiting = (uint32_t)_mm_cvtsi128_si32(_mm512_castsi512_si128(before)) & UINT8_MAX;
    w->extra += (uint64_t)_mm512_reduce_add_epi64(extra);
    w->counted += _mm512_reduce_add_epi64(counted);
    w->too_many |= _mm512_cmpgt_epu8_mask(many, _mm512_set1_epi8(MOST_PAIRS)) != 0;
    w->too_many |= _mm512_cmpgt_epi8_mask(most, _mm512_set1_epi8(MOST_PUSHED)) != 0;
    empty_for(b, bits, size, end, w);
}
#else
/* Notes by how much the first pair of each home from `begin` to `end` - 1 is pushed on, and sets the bits of marked
 * last ranges. A pair reads a slot more for each home behind which it waits. Empties slots. */
BI_FN void sweep(struct bi_hash_ordered_build *b, int32_t bits, size_t size, uint32_t begin, uint32_t end,
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
    w->too_many |= many > MOST_PAIRS || most > MOST_PUSHED;
    empty_for(b, bits, size, end, w);
}
#endif

/* Whether no pair would take the last but one slot or more, if the greatest hash were one like others. */
BI_FN bool fit(const struct bi_hash_ordered_build *b, uint32_t waiting, uint32_t greatest)
{
    return waiting + greatest <= b->slot_count - 2 - b->view.homes;
}

BI_FN const char *value_at(const struct bi_hash_ordered_build *b, int32_t bits, size_t size, bool dealt, int64_t row)
{
    return dealt ? bi_hash_kept_at(b, bits, size, dealt, row) + bits / 8 : b->values + (size_t)row * size;
}

/* A set has no values. */
BI_FN void copy_value(const struct bi_hash_ordered_build *b, int32_t bits, char *to, size_t size, bool dealt,
                      int64_t row)
{
    if (size) memcpy(to, value_at(b, bits, size, dealt, row), size);
}

/* The slot of a pair that is not late. */
BI_FN size_t slot_of(const uint32_t *directory, uint32_t place)
{
    const uint32_t home = bi_hash_ordered_home(place), entry = directory[home];
    return home + (size_t)(entry / ONE) + count_bits(bits_below(entry, place));
}

#if BI_LEVEL >= 4
/* Writes the pairs of a block, hashes and values side by side, to their slots. */
BI_FN void write_pairs(const struct bi_hash_ordered_build *b, size_t stride, const uint32_t *restrict places, int count,
                       const char *restrict pairs)
{
    const uint32_t *restrict const directory = b->directory;
    char *restrict const slots = b->slots;
#pragma GCC unroll 16
    for (int i = 0; i < count; i++)
        memcpy(slots + slot_of(directory, places[i]) * stride, pairs + (size_t)i * stride, stride);
}

/* A block's hashes and values, of one width, side by side: as they were dealt, or in `joined`. */
BI_FN const char *pairs_of(const struct bi_hash_ordered_build *b, int32_t bits, bool dealt, int64_t row, int count,
                           char *joined)
{
    const size_t key = (size_t)bits / 8;
    char again[SOME * sizeof(uint64_t)];
    if (dealt) return bi_hash_kept_at(b, bits, key, true, row);
    if (!b->hashes) bi_hash_hash_block(b, bits, row, count, again);
    const char *hashes = b->hashes ? bi_hash_kept_at(b, bits, 0, false, row) : again;
    bi_hash_join(bits, hashes, b->values + (size_t)row * key, count, joined);
    return joined;
}

/* As place_wide, whole blocks alone: finds the slots of some pairs, and asks for them, before they are written. Gives
 * the row behind the last one. */
BI_FN int64_t place_ahead(const struct bi_hash_ordered_build *b, int32_t bits, bool dealt, struct bi_hash_rows r)
{
    const size_t stride = (size_t)bits / 4;
    const int64_t end = r.begin + (r.end - r.begin) / SOME * SOME;
    const uint32_t *restrict const directory = b->directory;
    char *restrict const slots = b->slots;
    char joined[SOME * 2 * sizeof(uint64_t)];
    for (int64_t row = r.begin; row < end; row += SOME) {
        const uint32_t *restrict const places = b->places + row;
        const char *restrict const pairs = pairs_of(b, bits, dealt, row, SOME, joined);
#pragma GCC unroll 2
        for (int k = 0; k < SOME; k += ASKED) {
            char *to[ASKED];
#pragma GCC unroll 8
            for (int i = 0; i < ASKED; i++) {
                to[i] = slots + slot_of(directory, places[k + i]) * stride;
                __builtin_prefetch(to[i], 1);
            }
#pragma GCC unroll 8
            for (int i = 0; i < ASKED; i++) memcpy(to[i], pairs + (size_t)(k + i) * stride, stride);
        }
    }
    return end;
}

/* As place, of values as wide as their keys. */
BI_FN void place_wide(const struct bi_hash_ordered_build *b, int32_t bits, bool dealt, struct bi_hash_rows r)
{
    const size_t stride = (size_t)bits / 4;
    char joined[SOME * 2 * sizeof(uint64_t)];
    for (int64_t row = b->stores_wait ? place_ahead(b, bits, dealt, r) : r.begin; row < r.end; row += SOME) {
        const int count = bi_hash_block_size(r, row);
        const char *pairs = pairs_of(b, bits, dealt, row, count, joined);
        if (count == SOME)
            write_pairs(b, stride, b->places + row, SOME, pairs);
        else
            write_pairs(b, stride, b->places + row, count, pairs);
    }
}
#endif

/* Writes the pairs of a block, of which these are the hashes. */
BI_FN void place_block(const struct bi_hash_ordered_build *b, int32_t bits, size_t size, bool dealt, int64_t row,
                       int count, const char *hashes)
{
    char *restrict const slots = b->slots;
    const size_t key = (size_t)bits / 8, stride = stride_of(bits, size), step = key + (dealt ? size : 0);
    for (int i = 0; i < count; i++) {
        char *slot = slots + slot_of(b->directory, b->places[row + i]) * stride;
        memcpy(slot, hashes + (size_t)i * step, key);
        copy_value(b, bits, slot + key, size, dealt, row + i);
    }
}

/* Writes a group's pairs. A late one goes where the pair before it in its range does, which comes behind it and
 * stays. */
BI_FN void place(const struct bi_hash_ordered_build *b, int32_t bits, size_t size, bool dealt, struct bi_hash_rows r)
{
    char again[SOME * sizeof(uint64_t)];
#if BI_LEVEL >= 4
    if (size == (size_t)bits / 8) {
        place_wide(b, bits, dealt, r);
        return;
    }
#endif
    for (int64_t row = r.begin; row < r.end; row += SOME) {
        const int count = bi_hash_block_size(r, row);
        if (!b->hashes) bi_hash_hash_block(b, bits, row, count, again);
        place_block(b, bits, size, dealt, row, count, b->hashes ? bi_hash_kept_at(b, bits, size, dealt, row) : again);
    }
}

/* As insert_late, slot by slot. */
BI_FN bool insert(const struct bi_hash_ordered_build *b, int32_t bits, size_t size, bool dealt, uint32_t row)
{
    const size_t key = (size_t)bits / 8, stride = stride_of(bits, size);
    const bosc_hash_word hash = hash_of_row(b, bits, size, dealt, row), empty = bosc_hash_greatest(bits);
    char *slot = b->slots + first_of_row(b, row) * stride, *end;
    while (bosc_hash_less(bosc_hash_word_at(slot, 0, bits), hash)) slot += stride;
    if (bi_hash_same(bosc_hash_word_at(slot, 0, bits), hash)) return false;
    for (end = slot; !bi_hash_same(bosc_hash_word_at(end, 0, bits), empty);) end += stride;
    for (; end > slot; end -= stride) memcpy(end, end - stride, stride);
    bi_hash_store(slot, bits, 0, hash);
    copy_value(b, bits, slot + key, size, dealt, row);
    return true;
}

#if BI_LEVEL >= 4
/* Of the words of a vector of slots, those of hashes: equal to the wanted one, less, and of empty slots. */
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

/* As insert, of a value as wide as its key, at once if there is an empty slot within 64 bytes of the home's first. */
BI_FN bool insert_wide(const struct bi_hash_ordered_build *b, int32_t bits, bool dealt, uint32_t row)
{
    const size_t key = (size_t)bits / 8, stride = 2 * key;
    const uint64_t hash = hash_of_row(b, bits, key, dealt, row).low;
    const uint64_t value = bosc_hash_word_at(value_at(b, bits, key, dealt, row), 0, bits).low;
    const size_t first = first_of_row(b, row);
    if (first + LINE / stride > b->slot_count) return insert(b, bits, key, dealt, row);
    char *at = b->slots + first * stride;
    const __m512i here = _mm512_loadu_si512(at);
    const struct line l = compare_line(bits, here, hash);
    if (!l.empty) return insert(b, bits, key, dealt, row);
    if (l.equal) return false;
    /* The pair goes to the first slot that is not less; the ones from there to the empty slot move on. */
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

/* Puts a late pair among those of its home. False: its key is there. */
BI_FN bool insert_late(const struct bi_hash_ordered_build *b, int32_t bits, size_t size, bool dealt, uint32_t row)
{
#if BI_LEVEL >= 4
    if (size == (size_t)bits / 8) return insert_wide(b, bits, dealt, row);
#endif
    return insert(b, bits, size, dealt, row);
}

/* Puts the first late pairs among those of their homes. False: a key is there. */
BI_FN bool insert_all_late(const struct bi_hash_ordered_build *b, int32_t bits, size_t size, bool dealt, uint32_t count)
{
    const size_t stride = stride_of(bits, size);
    for (uint32_t k = 0; k < count; k++) {
        if (b->stores_wait && k + LATE_AHEAD < count)
            __builtin_prefetch(b->slots + first_of_row(b, b->late[k + LATE_AHEAD]) * stride, 1);
        if (!insert_late(b, bits, size, dealt, b->late[k])) return false;
    }
    return true;
}

/* Whether the pairs of homes from `begin` to `end` - 1, in rows r, are put in their slots. */
BI_FN bool build_group(struct bi_hash_ordered_build *b, int32_t bits, size_t size, bool dealt, struct bi_hash_rows r,
                       uint32_t begin, uint32_t end, struct swept *w)
{
    const int64_t counted = w->counted + (r.end - r.begin);
    const uint64_t cleared = end < b->view.homes ? end : b->slot_count;
    memset(b->directory + begin, 0, (size_t)(cleared - begin) * sizeof *b->directory);
    const uint32_t late = set_bits(b, bits, size, dealt, r, w->emptied);
    sweep(b, bits, size, begin, end, w);
    if (end == b->view.homes) w->greatest = b->directory[b->slot_count - 1] / ONE;
    if (w->too_many || w->greatest > 1 || w->counted + w->greatest != counted) return false;
    if (end == b->view.homes) {
        if (!fit(b, w->waiting, w->greatest)) return false;
        b->directory[b->slot_count - 1] = 0;
    }
    place(b, bits, size, dealt, r);
    return insert_all_late(b, bits, size, dealt, late);
}

BI_FN void build(struct bi_hash_ordered_build *b, int32_t bits, size_t size, bool dealt)
{
    const uint32_t homes = b->view.homes;
    struct swept w = {0};
    b->failed = dealt && !bi_hash_deal(b, bits, size);
    for (uint32_t g = 0; g < b->groups && !b->failed; g++) {
        const uint32_t begin = g << b->group_bits, end = g + 1 < b->groups ? (g + 1) << b->group_bits : homes;
        b->failed = !build_group(b, bits, size, dealt, bi_hash_rows_of(b, g), begin, end, &w);
    }
    if (b->failed) return;
    /* Pairs are looked for in the last range of these homes. */
    for (uint32_t i = 0; i < b->marked_count; i++) b->directory[b->marked[i]] |= LAST_RANGE;
    b->directory[homes - 1] |= w.greatest * LAST_RANGE;
    b->extra_probes = w.extra + w.waiting * (w.waiting - 1) / 2;
}

BI_FN void build_either(struct bi_hash_ordered_build *b, int32_t bits, size_t size)
{
    if (b->ends)
        build(b, bits, size, true);
    else
        build(b, bits, size, false);
}

BI_FN void build_key(struct bi_hash_ordered_build *b, int32_t bits)
{
    if (b->view.value_size == 0)
        build_either(b, bits, 0);
    else if (b->view.value_size == 4)
        build_either(b, bits, 4);
    else
        build_either(b, bits, 8);
}

void BI_LEVEL_NAME(bi_hash_build_ordered)(struct bi_hash_ordered_build *b)
{
    if (b->view.key_bits == 32)
        build_key(b, 32);
    else
        build_key(b, 64);
}
