/* Looks keys up in tables of the layout ORDERED, in chunks of queries: while one is compared, the homes of the next are
 * on their way from memory. Most keys are in the window of eight slots from their home on (device/hash_slots.h), or a
 * greater hash is; the few others are looked for one by one. With AVX-512 a window of keys and values of the same width
 * is compared at once, and 16 answers (eight of 64 bits) are made at once. */
#include <string.h>

#include "hash/cpu/ordered.h"
#include "hash/steps/slots.h"
#if BI_LEVEL >= 4
#include "hash/cpu/wide.h"
#endif

enum { CHUNK = 64, NEAR_BYTES = 1 << 19 /* of a table that a core's own caches hold */ };

struct chunk {
    int count;
    uint64_t hashes[CHUNK];
    uint32_t homes[CHUNK];
};

BI_FN bosc_hash_word hash_at(const struct chunk *c, int32_t bits, int i)
{
    return bosc_hash_word_at(c->hashes, i, bits);
}

/* Hashes queries from `row` on. */
BI_FN void hash_chunk(const struct bi_hash_slots_find *a, int32_t bits, size_t stride, bool far, int64_t row,
                      int64_t end, struct chunk *c)
{
    const char *queries = (const char *)a->queries + (size_t)row * (size_t)bits / 8;
    c->count = end <= row ? 0 : end - row < CHUNK ? (int)(end - row) : CHUNK;
    int i = 0;
#if BI_LEVEL >= 4
    for (; i < c->count; i += 16) {
        __m512i hash[2];
        const __m512i homes = bi_hash_homes_16(queries + (size_t)i * (size_t)bits / 8, bits, a->view.seed,
                                               a->view.homes, bi_hash_lanes_16(c->count - i), hash);
        _mm512_storeu_si512(c->homes + i, homes);
        _mm512_storeu_si512((char *)c->hashes + (size_t)i * (size_t)bits / 8, hash[0]);
        if (bits == 64) _mm512_storeu_si512(c->hashes + i + 8, hash[1]);
    }
#endif
    for (; i < c->count; i++) {
        const bosc_hash_word hash = bosc_hash_of(bosc_hash_word_at(queries, i, bits), bits, a->view.seed);
        bi_hash_store(c->hashes, bits, i, hash);
        c->homes[i] = bosc_hash_home(hash, bits, a->view.homes);
    }
    for (i = 0; far && i < c->count; i++) __builtin_prefetch(a->view.slots + c->homes[i] * stride);
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
/* Of each query, two bits for each slot of its window, of which the lower ones count: the slot holds its hash; or a
 * hash that is not less. */
struct windows {
    uint8_t equal[CHUNK][2];
    uint16_t reached[CHUNK];
};
enum { LOWER_BITS = 0x5555 };

BI_FN void compare_windows(const struct bi_hash_slots_find *a, int32_t bits, const struct chunk *c, struct windows *w)
{
    for (int i = 0; i < c->count; i++) {
        const unsigned char *slots = a->view.slots + (size_t)c->homes[i] * (size_t)bits / 4;
        const __m512i first = _mm512_loadu_si512(slots);
        if (bits == 32) {
            const __m512i hash = _mm512_set1_epi32((int)((const uint32_t *)c->hashes)[i]);
            const uint16_t equal = _mm512_cmpeq_epi32_mask(first, hash);
            memcpy(w->equal[i], &equal, sizeof equal);
            w->reached[i] = _mm512_cmpge_epu32_mask(first, hash);
        } else {
            const __m512i hash = _mm512_set1_epi64((long long)c->hashes[i]), last = _mm512_loadu_si512(slots + 64);
            w->equal[i][0] = _mm512_cmpeq_epi64_mask(first, hash);
            w->equal[i][1] = _mm512_cmpeq_epi64_mask(last, hash);
            w->reached[i] = _mm512_cmpge_epu64_mask(last, hash);
        }
    }
}

/* Answers the queries of a vector, from i on. Gives those that are to be looked for further. */
BI_FN __mmask16 answer_lanes(const struct bi_hash_slots_find *a, int32_t bits, const struct chunk *c,
                             const struct windows *w, int i, int64_t row)
{
    const __mmask16 live = bi_hash_lanes_16(c->count - i) & bi_hash_lanes_16(512 / bits);
    const __m512i lower = _mm512_set1_epi32(LOWER_BITS), zero = _mm512_setzero_si512(), all = _mm512_set1_epi32(-1);
    const __m512i equal = _mm512_and_si512(lower, _mm512_cvtepu16_epi32(_mm256_maskz_loadu_epi16(live, w->equal + i)));
    const __m512i reached = _mm512_cvtepu16_epi32(_mm256_maskz_loadu_epi16(live, w->reached + i));
    const __mmask16 there = _mm512_mask_test_epi32_mask(live, equal, lower);
    const __m512i hashes = _mm512_loadu_si512((const char *)c->hashes + (size_t)i * (size_t)bits / 8);
    const __mmask16 greatest =
        bits == 32 ? _mm512_cmpeq_epi32_mask(hashes, all) : (__mmask16)_mm512_cmpeq_epi64_mask(hashes, all);
    const __mmask16 further = live & (_mm512_testn_epi32_mask(reached, lower) | greatest) & (~there | greatest);
    if (a->values) {
        __m512i value = zero;
        if (there) { /* the lowest bit's number is twice that of the slot */
            const __m512i lowest = _mm512_and_si512(equal, _mm512_sub_epi32(zero, equal));
            const __m512i bit = _mm512_sub_epi32(_mm512_set1_epi32(31), _mm512_lzcnt_epi32(lowest));
            const __m512i at =
                _mm512_add_epi32(_mm512_slli_epi32(_mm512_maskz_loadu_epi32(live, c->homes + i), 1), bit);
            const unsigned char *values = a->view.slots + bits / 8;
            value = bits == 32
                        ? _mm512_mask_i32gather_epi32(zero, there, at, values, 4)
                        : _mm512_mask_i32gather_epi64(zero, (__mmask8)there, _mm512_castsi512_si256(at), values, 8);
        }
        if (bits == 32)
            _mm512_mask_storeu_epi32((uint32_t *)a->values + row, live, value);
        else
            _mm512_mask_storeu_epi64((uint64_t *)a->values + row, (__mmask8)live, value);
    }
    if (a->found) _mm_mask_storeu_epi8(a->found + row, live, _mm_maskz_set1_epi8(there, 1));
    return further;
}

/* The slot of a hash that its window does not tell, or -1. */
BI_FN int64_t search_further(const bosc_hash_slots_view *v, int32_t bits, uint32_t home, uint64_t hash)
{
    if (hash == bosc_hash_greatest(bits).low) return bosc_hash_search_ordered(v, (bosc_hash_word){hash, 0});
    uint64_t slot = home + (uint64_t)BOSC_HASH_WINDOW, here;
    while ((here = bosc_hash_word_at(v->slots + slot * (size_t)(bits / 4), 0, bits).low) < hash) slot++;
    return here == hash ? (int64_t)slot : -1;
}

/* What windows do not tell is left until all of the chunk are compared: a branch for each cannot be guessed. */
BI_FN void answer_wide(const struct bi_hash_slots_find *a, int32_t bits, const struct chunk *c, int64_t row)
{
    const __m512i lane = _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
    struct windows w = {{{0}}, {0}};
    uint32_t left[CHUNK + 16];
    int count = 0;
    compare_windows(a, bits, c, &w);
    for (int i = 0; i < c->count; i += 512 / bits) {
        const __mmask16 further = answer_lanes(a, bits, c, &w, i, row + i);
        _mm512_storeu_si512(left + count,
                            _mm512_maskz_compress_epi32(further, _mm512_add_epi32(lane, _mm512_set1_epi32(i))));
        count += __builtin_popcount(further);
    }
    for (int k = 0; k < count; k++) {
        const int i = (int)left[k];
        const int64_t slot = search_further(&a->view, bits, c->homes[i], hash_at(c, bits, i).low);
        bi_hash_slots_answer(a, row + i, slot);
    }
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
    hash_chunk(a, bits, stride, far, begin, end, &chunks[0]);
    for (int64_t k = 0, row = begin; row < end; k++, row += CHUNK) {
        hash_chunk(a, bits, stride, far, row + CHUNK, end, &chunks[(k + 1) % 2]);
#if BI_LEVEL >= 4
        if (wide) {
            answer_wide(a, bits, &chunks[k % 2], row);
            continue;
        }
#endif
        (void)wide;
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
