/* Looks keys up in tables of the layout ORDERED, in chunks of queries: while one is compared, the homes of the next are
 * on their way from memory. Most keys are in the window of eight slots from their home on (device/hash_slots.h), or a
 * greater hash is; the few others are looked for one by one. With AVX-512 ("wide") a window of keys and values of the
 * same width is compared at once, and 16 answers are made at once. */
#include <string.h>

#include "hash/cpu/ordered.h"
#include "hash/steps/slots.h"
#if BI_LEVEL >= 4
#include "hash/cpu/wide.h"
#endif

enum { CHUNK = 128, NEAR_BYTES = 1 << 19 /* of a table that a core's own caches hold */ };

struct chunk {
    int count;
    bool greatest; /* of a wide look-up: a hash is the greatest */
    uint64_t hashes[CHUNK];
    uint32_t homes[CHUNK]; /* a wide look-up has in their place where windows begin, in words of a hash's width */
};

BI_FN bosc_hash_word hash_at(const struct chunk *c, int32_t bits, int i)
{
    return bosc_hash_word_at(c->hashes, i, bits);
}

#if BI_LEVEL >= 4
/* A window has eight slots: 64 bytes from the home on, or where slots have 16 bytes the two lines of a cache from that
 * of the home on. */
enum { LINE = 64, WINDOW = BOSC_HASH_WINDOW };

/* As bi_hash_homes_16, of 64 bits: the homes, or the ones before. A search from there finds the same. */
BI_FN __m512i homes_near_16(const char *keys, uint64_t seed, uint32_t homes, __mmask16 live, __m512i hash[2])
{
    const __m512i odd = _mm512_set_epi32(31, 29, 27, 25, 23, 21, 19, 17, 15, 13, 11, 9, 7, 5, 3, 1);
    const __m512i spread = _mm512_set1_epi64((long long)seed), count = _mm512_set1_epi64(homes);
    const __m512i low = _mm512_maskz_loadu_epi64((__mmask8)live, keys);
    const __m512i high = _mm512_maskz_loadu_epi64((__mmask8)(live >> 8), keys + 64);
    hash[0] = bi_hash_mix_8(_mm512_xor_si512(low, spread));
    hash[1] = bi_hash_mix_8(_mm512_xor_si512(high, spread));
    return _mm512_permutex2var_epi32(_mm512_mul_epu32(_mm512_srli_epi64(hash[0], 32), count), odd,
                                     _mm512_mul_epu32(_mm512_srli_epi64(hash[1], 32), count));
}

/* Hashes queries 16 at a time. */
BI_FN void hash_vectors(const struct bi_hash_slots_find *a, int32_t bits, bool wide, const char *queries,
                        struct chunk *c)
{
    const __m512i all = _mm512_set1_epi32(-1), even = _mm512_set1_epi32(bits == 32 ? -1 : -LINE / 8);
    __mmask16 others = 0xffff;
    for (int i = 0; i < c->count; i += 16) {
        __m512i hash[2];
        const char *keys = queries + (size_t)i * (size_t)bits / 8;
        const __mmask16 live = bi_hash_lanes_16(c->count - i);
        const __m512i homes = bits == 32 ? bi_hash_homes_16(keys, bits, a->view.seed, a->view.homes, live, hash)
                                         : homes_near_16(keys, a->view.seed, a->view.homes, live, hash);
        _mm512_storeu_si512(c->homes + i, wide ? _mm512_and_si512(_mm512_slli_epi32(homes, 1), even) : homes);
        _mm512_storeu_si512((char *)c->hashes + (size_t)i * (size_t)bits / 8, hash[0]);
        if (bits == 64) {
            _mm512_storeu_si512(c->hashes + i + 8, hash[1]);
            others = _mm512_mask_cmpneq_epi64_mask((__mmask8)others, hash[0], all);
            others = _mm512_mask_cmpneq_epi64_mask((__mmask8)others, hash[1], all);
        } else {
            others = _mm512_mask_cmpneq_epi32_mask(others, hash[0], all);
        }
    }
    c->greatest = others != (bits == 32 ? 0xffff : 0xff);
}
#endif

/* Hashes queries from `row` on. */
BI_FN void hash_chunk(const struct bi_hash_slots_find *a, int32_t bits, size_t stride, bool wide, bool far, int64_t row,
                      int64_t end, struct chunk *c)
{
    const char *queries = (const char *)a->queries + (size_t)row * (size_t)bits / 8;
    c->count = end <= row ? 0 : end - row < CHUNK ? (int)(end - row) : CHUNK;
#if BI_LEVEL >= 4
    hash_vectors(a, bits, wide, queries, c);
#else
    for (int i = 0; i < c->count; i++) {
        const bosc_hash_word hash = bosc_hash_of(bosc_hash_word_at(queries, i, bits), bits, a->view.seed);
        bi_hash_store(c->hashes, bits, i, hash);
        c->homes[i] = bosc_hash_home(hash, bits, a->view.homes);
    }
#endif
    for (int i = 0; far && i < c->count; i++) {
        const unsigned char *slots = a->view.slots + c->homes[i] * (wide ? (size_t)(bits / 8) : stride);
        __builtin_prefetch(slots);
        if (wide) __builtin_prefetch(slots + 64);
    }
}

/* Answers the queries of a chunk, of rows from `row` on. */
BI_FN void answer_chunk(const struct bi_hash_slots_find *a, int32_t bits, size_t stride, const struct chunk *c,
                        int64_t row)
{
    for (int i = 0; i < c->count; i++)
        bi_hash_slots_answer(a, row + i,
                             bosc_hash_search_window(&a->view, bits, (uint32_t)stride, hash_at(c, bits, i)).number);
}

#if BI_LEVEL >= 4
/* Of each query, two bits for each slot of its window, of which the lower ones count: the slot holds its hash. And
 * whether the last slot's hash is not less: then the window tells. */
struct windows {
    uint8_t equal[CHUNK][2];
    uint8_t reached[CHUNK];
};
enum { LOWER_BITS = 0x5555 };

/* Masks go to memory as they are, which takes no port of the vectors. */
BI_FN void compare_window(int32_t bits, const unsigned char *window, uint64_t hash, uint8_t equal[2])
{
    if (bits == 32) {
        const __m512i hashes = _mm512_set1_epi32((int)hash);
        _store_mask16((__mmask16 *)(void *)equal, _mm512_cmpeq_epi32_mask(_mm512_loadu_si512(window), hashes));
    } else {
        const __m512i hashes = _mm512_set1_epi64((long long)hash);
        _store_mask8(equal, _mm512_cmpeq_epi64_mask(_mm512_loadu_si512(window), hashes));
        _store_mask8(equal + 1, _mm512_cmpeq_epi64_mask(_mm512_loadu_si512(window + LINE), hashes));
    }
}

/* Whether the last slot of a window has a hash that is not less. */
BI_FN bool window_reaches(int32_t bits, const unsigned char *window, uint64_t hash)
{
    return bosc_hash_word_at(window + (WINDOW - 1) * (bits / 4), 0, bits).low >= hash;
}

BI_FN const unsigned char *window_of(const struct bi_hash_slots_find *a, int32_t bits, const struct chunk *c, int i)
{
    return a->view.slots + c->homes[i] * (size_t)(bits / 8);
}

BI_FN void compare_windows(const struct bi_hash_slots_find *a, int32_t bits, const struct chunk *c, struct windows *w)
{
    for (int i = 0; i < c->count; i++) {
        const uint64_t hash = hash_at(c, bits, i).low;
        const unsigned char *window = window_of(a, bits, c, i);
        compare_window(bits, window, hash, w->equal[i]);
        w->reached[i] = window_reaches(bits, window, hash);
    }
}

/* Writes the values of eight or sixteen queries, of those `there`; `at` tells their words. */
BI_FN void write_values(const struct bi_hash_slots_find *a, int32_t bits, __m512i at, __mmask16 there, __mmask16 live,
                        int64_t row)
{
    const __m512i zero = _mm512_setzero_si512();
    const unsigned char *values = a->view.slots + bits / 8;
    if (bits == 32) {
        const __m512i value = there ? _mm512_mask_i32gather_epi32(zero, there, at, values, 4) : zero;
        _mm512_mask_storeu_epi32((uint32_t *)a->values + row, live, value);
        return;
    }
    const __m256i low = _mm512_castsi512_si256(at);
    const __m512i value = there ? _mm512_mask_i32gather_epi64(zero, (__mmask8)there, low, values, 8) : zero;
    _mm512_mask_storeu_epi64((uint64_t *)a->values + row, (__mmask8)live, value);
}

/* Answers 16 queries from i on. Gives those that are to be looked for further. */
BI_FN __mmask16 answer_lanes(const struct bi_hash_slots_find *a, int32_t bits, const struct chunk *c,
                             const struct windows *w, int i, int64_t row)
{
    const __mmask16 live = bi_hash_lanes_16(c->count - i);
    const __m512i lower = _mm512_set1_epi32(LOWER_BITS), zero = _mm512_setzero_si512();
    const __m512i equal = _mm512_and_si512(lower, _mm512_cvtepu16_epi32(_mm256_maskz_loadu_epi16(live, w->equal + i)));
    const __mmask16 there = _mm512_test_epi32_mask(equal, equal);
    const __mmask16 unknown = _mm512_mask_testn_epi32_mask(live, equal, equal);
    const __mmask16 further =
        _mm_mask_testn_epi8_mask(unknown, _mm_maskz_loadu_epi8(live, w->reached + i), _mm_set1_epi8(-1));
    if (a->values) { /* the lowest bit's number is twice that of the slot */
        const __m512i lowest = _mm512_and_si512(equal, _mm512_sub_epi32(zero, equal));
        const __m512i bit = _mm512_sub_epi32(_mm512_set1_epi32(31), _mm512_lzcnt_epi32(lowest));
        const __m512i at = _mm512_add_epi32(_mm512_maskz_loadu_epi32(live, c->homes + i), bit);
        write_values(a, bits, at, there, live, row);
        if (bits == 64)
            write_values(a, bits, _mm512_castsi256_si512(_mm512_extracti64x4_epi64(at, 1)), there >> 8, live >> 8,
                         row + 8);
    }
    if (a->found) _mm_mask_storeu_epi8(a->found + row, live, _mm_maskz_set1_epi8(there, 1));
    return further;
}

/* Answers a query that its window does not tell, by the windows behind it. */
BI_FN void answer_further(const struct bi_hash_slots_find *a, int32_t bits, const struct chunk *c, int i, int64_t q)
{
    const size_t bytes = (size_t)WINDOW * (size_t)bits / 4;
    const uint64_t hash = hash_at(c, bits, i).low;
    const unsigned char *window = window_of(a, bits, c, i) + bytes;
    const unsigned char *const last = a->view.slots + a->slots * (size_t)bits / 4 - bytes;
    while (window <= last && !window_reaches(bits, window, hash)) window += bytes;
    if (__builtin_expect(window > last, 0)) {
        bi_hash_slots_answer(a, q, bosc_hash_search_ordered(&a->view, hash_at(c, bits, i)));
        return;
    }
    uint16_t equal;
    compare_window(bits, window, hash, (uint8_t *)&equal);
    equal &= LOWER_BITS;
    const bool there = equal != 0;
    const uint64_t value = bosc_hash_word_at(window, 1 + (there ? __builtin_ctz(equal) : 0), bits).low;
    if (a->values) bi_hash_store(a->values, bits, q, (bosc_hash_word){there ? value : 0, 0});
    if (a->found) a->found[q] = there;
}

/* What windows do not tell is left until all of the chunk are compared: a branch for each cannot be guessed. */
BI_FN void answer_wide(const struct bi_hash_slots_find *a, int32_t bits, const struct chunk *c, int64_t row)
{
    const __m512i lane = _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
    struct windows w;
    uint32_t left[CHUNK + 16];
    int count = 0;
    compare_windows(a, bits, c, &w);
    for (int i = 0; i < c->count; i += 16) {
        const __mmask16 further = answer_lanes(a, bits, c, &w, i, row + i);
        _mm512_storeu_si512(left + count,
                            _mm512_maskz_compress_epi32(further, _mm512_add_epi32(lane, _mm512_set1_epi32(i))));
        count += __builtin_popcount(further);
    }
    for (int k = 0; k < count; k++) answer_further(a, bits, c, (int)left[k], row + left[k]);
}

/* Whether windows and values are as answer_wide has them. */
BI_FN bool is_wide(const struct bi_hash_slots_find *a, int32_t bits)
{
    return a->view.stride == bits / 4 && a->view.homes <= INT32_MAX / 4 &&
           (!a->values || a->view.value_size == bits / 8);
}
#endif

BI_FN void find(const struct bi_hash_slots_find *a, int32_t bits, size_t stride, bool wide, int64_t begin, int64_t end)
{
    const bool far = a->view.homes * (uint64_t)stride > NEAR_BYTES;
    struct chunk chunks[2];
    hash_chunk(a, bits, stride, wide, far, begin, end, &chunks[0]);
    for (int64_t k = 0, row = begin; row < end; k++, row += CHUNK) {
        hash_chunk(a, bits, stride, wide, far, row + CHUNK, end, &chunks[(k + 1) % 2]);
#if BI_LEVEL >= 4
        if (wide && !chunks[k % 2].greatest) {
            answer_wide(a, bits, &chunks[k % 2], row);
            continue;
        }
#endif
        answer_chunk(a, bits, stride, &chunks[k % 2], row);
    }
}

BI_FN void find_key(const struct bi_hash_slots_find *given, int32_t bits, int64_t begin, int64_t end)
{
    struct bi_hash_slots_find a = *given;
    a.view.key_bits = bits; /* which the compiler knows */
#if BI_LEVEL >= 4
    if (is_wide(&a, bits)) {
        find(&a, bits, (size_t)bits / 4, true, begin, end);
        return;
    }
#endif
    if (a.view.stride == bits / 4)
        find(&a, bits, (size_t)bits / 4, false, begin, end);
    else
        find(&a, bits, (size_t)a.view.stride, false, begin, end);
}

void BI_LEVEL_NAME(bi_hash_find_ordered)(const struct bi_hash_slots_find *a, int64_t begin, int64_t end)
{
    if (a->view.key_bits == 32)
        find_key(a, 32, begin, end);
    else
        find_key(a, 64, begin, end);
}
