/* Builds tables of the layout ORDERED at once, for keys of 32 and 64 bits and values of 4 or 8 bytes or none. Each home
 * is parted into eight ranges of hashes, which are the bits of a byte:
 * - the bit of each pair is set; the few pairs that find theirs set are late;
 * - a sweep over the homes turns numbers of pairs into places: a home's first pair is pushed on by as many slots as
 *   pairs wait there (Lindley, The Theory of Queues with a Single Server (1952));
 * - each pair goes behind those of its home whose bits are lower;
 * - late pairs are inserted among those of their home, for which there is room: there keys that repeat are seen. */
#include <string.h>

#include "hash/cpu/ordered.h"
#if BI_LEVEL >= 4
#include "hash/cpu/wide.h"
#endif

enum {
    CHUNK = BI_HASH_ORDERED_CHUNK,
    RANGES = BI_HASH_ORDERED_RANGES,
    MOST_LATE = 100, /* of a home */
    MOST_PUSHED = INT8_MAX - 1
};

BI_FN uint32_t count_bits(uint32_t byte)
{
#if BI_LEVEL >= 3
    return (uint32_t)__builtin_popcount(byte);
#else
    byte -= byte >> 1 & 0x55;
    byte = (byte & 0x33) + (byte >> 2 & 0x33);
    return (byte + (byte >> 4)) & 15;
#endif
}

/* The greatest hash's home is the last slot. */
BI_FN uint32_t range_of(const struct bi_hash_ordered_build *b, int32_t bits, bosc_hash_word hash)
{
    if (bi_hash_same(hash, bosc_hash_greatest(bits))) return (uint32_t)(b->slot_count - 1) * RANGES;
    return bosc_hash_home(hash, bits, b->view.homes * RANGES);
}

#if BI_LEVEL >= 4
/* Hashes keys, `live` of 16, into a vector of 32 bits or two of 64; gives their ranges. */
BI_FN __m512i hash_16(const struct bi_hash_ordered_build *b, int32_t bits, const char *keys, __mmask16 live,
                      __m512i hash[2])
{
    const __m512i last = _mm512_set1_epi32((int)((uint32_t)(b->slot_count - 1) * RANGES)), all = _mm512_set1_epi32(-1);
    const __m512i range = bi_hash_homes_16(keys, bits, b->view.seed, b->view.homes * RANGES, live, hash);
    const __mmask16 greatest =
        bits == 32 ? _mm512_cmpeq_epi32_mask(hash[0], all)
                   : (__mmask16)(_mm512_cmpeq_epi64_mask(hash[0], all) | _mm512_cmpeq_epi64_mask(hash[1], all) << 8);
    return _mm512_mask_mov_epi32(range, greatest, last);
}
#endif

/* Hashes `count` keys from `begin` on. */
BI_FN void hash_chunk(const struct bi_hash_ordered_build *b, int32_t bits, int64_t begin, int count,
                      struct bi_hash_ordered_chunk *c)
{
    const char *keys = b->keys + (size_t)begin * (size_t)bits / 8;
    int i = 0;
#if BI_LEVEL >= 4
    const __m512i one = _mm512_set1_epi32(1), low = _mm512_set1_epi32(RANGES - 1);
    for (; i < count; i += 16) {
        __m512i hash[2];
        const __mmask16 live = bi_hash_lanes_16(count - i);
        const __m512i range = hash_16(b, bits, keys + (size_t)i * (size_t)bits / 8, live, hash);
        const __m512i bit = _mm512_sllv_epi32(one, _mm512_and_si512(range, low));
        _mm512_storeu_si512(c->homes + i, _mm512_srli_epi32(range, 3));
        _mm_storeu_si128((__m128i *)(void *)(c->bits + i), _mm512_cvtepi32_epi8(bit));
        _mm512_storeu_si512((char *)c->hashes + (size_t)i * (size_t)bits / 8, hash[0]);
        if (bits == 64) _mm512_storeu_si512(c->hashes + i + 8, hash[1]);
    }
#endif
    for (; i < count; i++) {
        const bosc_hash_word hash = bosc_hash_of(bosc_hash_word_at(keys, i, bits), bits, b->view.seed);
        bi_hash_store(c->hashes, bits, i, hash);
        const uint32_t range = range_of(b, bits, hash);
        c->homes[i] = range / RANGES;
        c->bits[i] = (uint8_t)(1u << range % RANGES);
    }
}

/* The chunk that begins at a row: where it is kept, or in scratch. */
BI_FN struct bi_hash_ordered_chunk *chunk_at(const struct bi_hash_ordered_build *b, int64_t begin)
{
    return b->chunks + (b->keeps ? begin / CHUNK : 0);
}

BI_FN int chunk_size(const struct bi_hash_ordered_build *b, int64_t begin)
{
    return b->n - begin < CHUNK ? (int)(b->n - begin) : CHUNK;
}

/* Bit i: pair i of a chunk is late, as its bit was among those of its home before. */
BI_FN uint64_t late_among(const uint8_t before[CHUNK], const uint8_t bits[CHUNK], int count)
{
    const uint64_t all = count == CHUNK ? UINT64_MAX : (1ull << count) - 1;
#if BI_LEVEL >= 4
    return _mm512_test_epi8_mask(_mm512_maskz_loadu_epi8(all, before), _mm512_maskz_loadu_epi8(all, bits));
#else
    uint64_t late = 0;
    for (int i = 0; i < count; i++) late |= (uint64_t)((before[i] & bits[i]) != 0) << i;
    return late & all;
#endif
}

/* Adds the late pairs among a chunk's, from row `begin` on, to `late`, which has `count`; gives how many it has then.
 * With AVX-512 no branch depends on how many there are. */
BI_FN uint32_t add_late(uint64_t among, int64_t begin, uint32_t *late, uint32_t count)
{
#if BI_LEVEL >= 4
    const __m512i lane = _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
#pragma GCC unroll 4
    for (int i = 0; i < CHUNK; i += 16) {
        const __mmask16 some = (__mmask16)(among >> i);
        const __m512i rows = _mm512_add_epi32(lane, _mm512_set1_epi32((int)begin + i));
        _mm512_storeu_si512(late + count, _mm512_maskz_compress_epi32(some, rows));
        count += (uint32_t)__builtin_popcount(some);
    }
#else
    for (; among; among &= among - 1) late[count++] = (uint32_t)begin + (uint32_t)__builtin_ctzll(among);
#endif
    return count;
}

/* Sets the bits of all pairs, the last ones first; gives the number of late ones. */
BI_FN uint32_t set_bits(struct bi_hash_ordered_build *b, int32_t bits)
{
    uint8_t *restrict const taken = b->taken;
    uint32_t count = 0;
    for (int64_t begin = (b->n - 1) / CHUNK * CHUNK; begin >= 0; begin -= CHUNK) {
        struct bi_hash_ordered_chunk *restrict const c = chunk_at(b, begin);
        const int size = chunk_size(b, begin);
        uint8_t before[CHUNK];
        hash_chunk(b, bits, begin, size, c);
#pragma GCC unroll 4
        for (int i = size; i-- > 0;) {
            const uint8_t here = taken[c->homes[i]];
            before[i] = here;
            taken[c->homes[i]] = here | c->bits[i];
        }
        count = add_late(late_among(before, c->bits, size), begin, b->late, count);
    }
    return count;
}

BI_FN bosc_hash_word hash_of_row(const struct bi_hash_ordered_build *b, int32_t bits, uint32_t row)
{
    if (b->keeps) return bosc_hash_word_at(b->chunks[row / CHUNK].hashes, row % CHUNK, bits);
    return bosc_hash_of(bosc_hash_word_at(b->keys, row, bits), bits, b->view.seed);
}

BI_FN uint32_t home_of_row(const struct bi_hash_ordered_build *b, int32_t bits, uint32_t row)
{
    return b->keeps ? b->chunks[row / CHUNK].homes[row % CHUNK] : range_of(b, bits, hash_of_row(b, bits, row)) / RANGES;
}

/* Counts the late pairs of each home. False: they are too many, or the greatest hash comes twice. */
BI_FN bool count_late(const struct bi_hash_ordered_build *b, int32_t bits, uint32_t count)
{
    for (uint32_t k = 0; k < count; k++) {
        const uint32_t home = home_of_row(b, bits, b->late[k]);
        if (home == b->slot_count - 1 || b->further[home] == MOST_LATE) return false;
        b->further[home]++;
    }
    return true;
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

/* The numbers of bits of bytes. */
BI_FN __m512i count_bits_64(__m512i bytes)
{
    const __m512i counts = _mm512_broadcast_i32x4(_mm_set_epi8(4, 3, 3, 2, 3, 2, 2, 1, 3, 2, 2, 1, 2, 1, 1, 0));
    const __m512i four = _mm512_set1_epi8(15), high = _mm512_and_si512(_mm512_srli_epi16(bytes, 4), four);
    return _mm512_add_epi8(_mm512_shuffle_epi8(counts, _mm512_and_si512(bytes, four)),
                           _mm512_shuffle_epi8(counts, high));
}

/* As below, 64 homes at once. If `before` pairs wait in front of the first, behind a home wait the sum up to it and
 * `before`, or the sum less the least one if that is more. */
BI_FN bool sweep(struct bi_hash_ordered_build *b, uint32_t *waiting)
{
    const __m512i one = _mm512_set1_epi8(1), zero = _mm512_setzero_si512();
    const uint32_t homes = b->view.homes;
    __m512i before = zero, most = zero, extra = zero;
    for (uint32_t h = 0; h < homes; h += 64) {
        const __mmask64 live = homes - h < 64 ? ((__mmask64)1 << (homes - h)) - 1 : UINT64_MAX;
        const __m512i taken = _mm512_maskz_loadu_epi8(live, b->taken + h);
        const __m512i late = _mm512_maskz_loadu_epi8(live, b->further + h);
        const __m512i served = _mm512_maskz_mov_epi8(live, one);
        __m512i sum, least;
        scan_64(_mm512_sub_epi8(_mm512_add_epi8(count_bits_64(taken), late), served), &sum, &least, &most);
        const __m512i behind = _mm512_max_epi8(_mm512_adds_epi8(sum, before), _mm512_subs_epi8(sum, least));
        const __m512i shifted = _mm512_alignr_epi8(behind, _mm512_alignr_epi32(behind, before, 12), 15);
        _mm512_mask_storeu_epi8(b->further + h, live, shifted);
        extra = _mm512_add_epi64(extra, _mm512_sad_epu8(_mm512_maskz_mov_epi8(live, behind), zero));
        most = _mm512_max_epi8(most, behind);
        before = _mm512_shuffle_epi8(_mm512_shuffle_i64x2(behind, behind, 0xff), _mm512_set1_epi8(15));
    }
    *waiting = (uint32_t)_mm_cvtsi128_si32(_mm512_castsi512_si128(before)) & UINT8_MAX;
    b->extra_probes = (uint64_t)_mm512_reduce_add_epi64(extra) + *waiting * (*waiting - 1) / 2;
    return _mm512_cmpgt_epi8_mask(most, _mm512_set1_epi8(MOST_PUSHED)) == 0;
}
#else
/* Notes by how much the first pair of each home is pushed on; *waiting: the pairs beyond the last home. A pair reads a
 * slot more for each home behind which it waits. False: some are pushed too far. */
BI_FN bool sweep(struct bi_hash_ordered_build *b, uint32_t *waiting)
{
    uint8_t *restrict const further = b->further;
    const uint32_t count = b->view.homes;
    uint32_t pushed = 0, most = 0;
    uint64_t extra = 0;
    for (uint32_t h = 0; h < count; h++) {
        const uint32_t next = pushed + count_bits(b->taken[h]) + further[h];
        further[h] = (uint8_t)pushed;
        pushed = next ? next - 1 : 0;
        most = pushed > most ? pushed : most;
        extra += pushed;
    }
    *waiting = pushed;
    b->extra_probes = extra + pushed * (pushed - 1) / 2;
    return most <= MOST_PUSHED;
}
#endif

/* Whether no pair would take the last but one slot or more, if the greatest hash were one like others. */
BI_FN bool fit(const struct bi_hash_ordered_build *b, uint32_t waiting)
{
    const uint64_t behind = b->slot_count - 2 - b->view.homes;
    return waiting + b->taken[b->slot_count - 1] <= behind;
}

BI_FN size_t stride_of(int32_t bits, size_t size)
{
    const size_t key = (size_t)bits / 8;
    return (key + size + key - 1) / key * key;
}

/* All slots, as if they were empty. */
BI_FN void clear(const struct bi_hash_ordered_build *b, int32_t bits, size_t size)
{
    enum { PATTERN = 192 }; /* a multiple of all strides */
    const size_t stride = stride_of(bits, size), end = (b->slot_count - 1) * stride;
    char pattern[PATTERN] = {0};
    for (size_t i = 0; i < PATTERN; i += stride) memset(pattern + i, 0xff, (size_t)bits / 8);
    size_t at = 0;
    for (; at + PATTERN <= end; at += PATTERN) memcpy(b->slots + at, pattern, PATTERN);
    memcpy(b->slots + at, pattern, end - at);
    memset(b->slots + end, 0, stride);
}

/* A set has no values. */
BI_FN void copy_value(const struct bi_hash_ordered_build *b, char *to, size_t size, int64_t row)
{
    if (size) memcpy(to, b->values + (size_t)row * size, size);
}

/* The slot of pair i of a chunk. */
BI_FN size_t slot_of(const uint8_t *further, const uint8_t *taken, const struct bi_hash_ordered_chunk *c, int i)
{
    const uint32_t home = c->homes[i];
    return home + (size_t)further[home] + count_bits(taken[home] & (c->bits[i] - 1u));
}

#if BI_LEVEL >= 4
/* Brings the hashes and values of a chunk, of one width, side by side. */
BI_FN void join(int32_t bits, const char *hashes, const char *values, int count, char *pairs)
{
    const size_t key = (size_t)bits / 8;
    const __m512i low = bits == 32 ? _mm512_set_epi32(23, 7, 22, 6, 21, 5, 20, 4, 19, 3, 18, 2, 17, 1, 16, 0)
                                   : _mm512_set_epi64(11, 3, 10, 2, 9, 1, 8, 0);
    const __m512i high = _mm512_add_epi32(low, bits == 32 ? _mm512_set1_epi32(8) : _mm512_set1_epi64(4));
    for (size_t i = 0; i < (size_t)count * key; i += 64) {
        const size_t rest = (size_t)count * key - i;
        const __mmask16 live = bi_hash_lanes_16((int)(rest < 64 ? rest / 4 : 16));
        const __m512i hash = _mm512_loadu_si512(hashes + i), value = _mm512_maskz_loadu_epi32(live, values + i);
        _mm512_storeu_si512(pairs + 2 * i, bits == 32 ? _mm512_permutex2var_epi32(hash, low, value)
                                                      : _mm512_permutex2var_epi64(hash, low, value));
        _mm512_storeu_si512(pairs + 2 * i + 64, bits == 32 ? _mm512_permutex2var_epi32(hash, high, value)
                                                           : _mm512_permutex2var_epi64(hash, high, value));
    }
}

/* As place_chunk, of values as wide as their keys. */
BI_FN void place_wide(const struct bi_hash_ordered_build *b, int32_t bits, int64_t begin, int count,
                      const struct bi_hash_ordered_chunk *c)
{
    const uint8_t *restrict const further = b->further, *restrict const taken = b->taken;
    char *restrict const slots = b->slots;
    const size_t key = (size_t)bits / 8, stride = 2 * key;
    char pairs[CHUNK * 2 * sizeof(uint64_t)];
    join(bits, (const char *)c->hashes, b->values + (size_t)begin * key, count, pairs);
#pragma GCC unroll 4
    for (int i = 0; i < count; i++)
        memcpy(slots + slot_of(further, taken, c, i) * stride, pairs + (size_t)i * stride, stride);
}
#endif

/* Writes `count` pairs from row `begin` on. */
BI_FN void place_chunk(const struct bi_hash_ordered_build *b, int32_t bits, size_t size, int64_t begin, int count,
                       const struct bi_hash_ordered_chunk *c)
{
    const uint8_t *restrict const further = b->further, *restrict const taken = b->taken;
    char *restrict const slots = b->slots;
    const size_t key = (size_t)bits / 8, stride = stride_of(bits, size);
#if BI_LEVEL >= 4
    if (size == key) {
        place_wide(b, bits, begin, count, c);
        return;
    }
#endif
    for (int i = 0; i < count; i++) {
        char *slot = slots + slot_of(further, taken, c, i) * stride;
        memcpy(slot, (const char *)c->hashes + (size_t)i * key, key);
        copy_value(b, slot + key, size, begin + i);
    }
}

/* Writes all pairs. A late one goes where the pair before it in its range does, which comes behind it and stays. */
BI_FN void place(const struct bi_hash_ordered_build *b, int32_t bits, size_t size)
{
    for (int64_t begin = 0; begin < b->n; begin += CHUNK) {
        struct bi_hash_ordered_chunk *c = chunk_at(b, begin);
        const int count = chunk_size(b, begin);
        if (!b->keeps) hash_chunk(b, bits, begin, count, c);
        place_chunk(b, bits, size, begin, count, c);
    }
}

/* As insert_late, slot by slot. */
BI_FN bool insert(const struct bi_hash_ordered_build *b, int32_t bits, size_t size, uint32_t row)
{
    const size_t key = (size_t)bits / 8, stride = stride_of(bits, size);
    const bosc_hash_word hash = hash_of_row(b, bits, row), empty = bosc_hash_greatest(bits);
    const uint32_t home = home_of_row(b, bits, row);
    char *slot = b->slots + (home + (size_t)b->further[home]) * stride, *end;
    while (bosc_hash_less(bosc_hash_word_at(slot, 0, bits), hash)) slot += stride;
    if (bi_hash_same(bosc_hash_word_at(slot, 0, bits), hash)) return false;
    for (end = slot; !bi_hash_same(bosc_hash_word_at(end, 0, bits), empty);) end += stride;
    for (; end > slot; end -= stride) memcpy(end, end - stride, stride);
    bi_hash_store(slot, bits, 0, hash);
    copy_value(b, slot + key, size, row);
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
BI_FN bool insert_wide(const struct bi_hash_ordered_build *b, int32_t bits, uint32_t row)
{
    enum { LINE = 64 };
    const size_t key = (size_t)bits / 8, stride = 2 * key;
    const uint64_t hash = hash_of_row(b, bits, row).low, value = bosc_hash_word_at(b->values, row, bits).low;
    const uint32_t home = home_of_row(b, bits, row);
    const size_t first = home + (size_t)b->further[home];
    if (first + LINE / stride > b->slot_count) return insert(b, bits, key, row);
    char *at = b->slots + first * stride;
    const __m512i here = _mm512_loadu_si512(at);
    const struct line l = compare_line(bits, here, hash);
    if (!l.empty) return insert(b, bits, key, row);
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
BI_FN bool insert_late(const struct bi_hash_ordered_build *b, int32_t bits, size_t size, uint32_t row)
{
#if BI_LEVEL >= 4
    if (size == (size_t)bits / 8) return insert_wide(b, bits, row);
#endif
    return insert(b, bits, size, row);
}

BI_FN void build(struct bi_hash_ordered_build *b, int32_t bits, size_t size)
{
    uint32_t waiting;
    const uint32_t late = set_bits(b, bits);
    b->failed = !count_late(b, bits, late) || !sweep(b, &waiting) || !fit(b, waiting);
    if (b->failed) return;
    clear(b, bits, size);
    place(b, bits, size);
    for (uint32_t k = 0; k < late && !b->failed; k++) b->failed = !insert_late(b, bits, size, b->late[k]);
}

BI_FN void build_key(struct bi_hash_ordered_build *b, int32_t bits)
{
    if (b->view.value_size == 0)
        build(b, bits, 0);
    else if (b->view.value_size == 4)
        build(b, bits, 4);
    else
        build(b, bits, 8);
}

void BI_LEVEL_NAME(bi_hash_build_ordered)(struct bi_hash_ordered_build *b)
{
    if (b->view.key_bits == 32)
        build_key(b, 32);
    else
        build_key(b, 64);
}
