/* Sorts of doubles in vectors, and of pairs by words that are doubles. Processors compare vectors of them in less time
 * than vectors of integers of 64 bits: Intel's take the least and the largest of two vectors of integers in two steps
 * each. */
#include "core/cpu/key_types.h"
#include "core/cpu/level.h"
#include "core/cpu/sort_kernels.h"

#if BI_LEVEL == 4
#define BI_SORT_BITS 64
#define BI_SORT_DOUBLES 1
#define FLOAT BOSC_F64
#define INTEGER BOSC_I64
#include "core/cpu/sort_network.h"

/* The word of a pair is a double between 2 and infinity: of its fraction, the key over the number of its row, and
 * whether it is a -0, whose key is that of +0. No two are equal, so that their order is a stable one of rows. */
#define TWO 0x4000000000000000u
enum { KEY_AT = BI_SORT_ROW_BITS + 1 };

BI_FN __m512i pair_words(bosc_dtype dtype, const uint32_t *keys, int64_t i, bi_lanes valid)
{
    const __m512i rows = _mm512_add_epi64(EVERY(i), _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7));
    __m256i key = _mm256_maskz_loadu_epi32(valid, keys + i);
    __m512i x = _mm512_or_si512(_mm512_slli_epi64(rows, 1), EVERY(TWO));
    if (dtype == BOSC_F32) {
        const __mmask8 negative_zero = _mm256_cmpeq_epi32_mask(key, _mm256_set1_epi32(INT32_MIN));
        key = _mm256_mask_mov_epi32(key, negative_zero, _mm256_setzero_si256());
        key = _mm256_xor_si256(key, _mm256_srli_epi32(_mm256_srai_epi32(key, 31), 1));
        x = _mm512_mask_or_epi64(x, negative_zero, x, EVERY(1));
    }
    if (dtype != BOSC_U32) key = _mm256_xor_si256(key, _mm256_set1_epi32(INT32_MIN));
    return _mm512_or_si512(x, _mm512_slli_epi64(_mm512_cvtepu32_epi64(key), KEY_AT));
}

BI_FN __m256i pair_keys(bosc_dtype dtype, __m512i x)
{
    __m256i key = _mm512_cvtepi64_epi32(_mm512_srli_epi64(x, KEY_AT));
    if (dtype != BOSC_U32) key = _mm256_xor_si256(key, _mm256_set1_epi32(INT32_MIN));
    if (dtype != BOSC_F32) return key;
    key = _mm256_xor_si256(key, _mm256_srli_epi32(_mm256_srai_epi32(key, 31), 1));
    return _mm256_or_si256(key, _mm512_cvtepi64_epi32(_mm512_slli_epi64(x, 31)));
}

static int64_t row_of(bi_word word) { return (int64_t)(word >> 1 & (((bi_word)1 << BI_SORT_ROW_BITS) - 1)); }

static void fetch_4(const bi_word *words, int64_t n, const uint32_t *values, uint32_t *to)
{
    for (int64_t i = 0; i < n; i++) to[i] = values[row_of(words[i])];
}

static void fetch_8(const bi_word *words, int64_t n, const uint64_t *values, uint64_t *to)
{
    for (int64_t i = 0; i < n; i++) to[i] = values[row_of(words[i])];
}

/* Where sorted pairs go. */
struct pairs_out {
    const bi_word *words;
    size_t value_size;
    const void *values;
    uint32_t *keys_out;
    void *values_out;
};

BI_FN void write_keys(bosc_dtype dtype, const bi_word *words, int64_t n, uint32_t *keys)
{
    for (int64_t i = 0; i < n; i += BI_LANES) {
        const bi_lanes valid = bi_row_mask(n - i, 0);
        _mm256_mask_storeu_epi32(keys + i, valid, pair_keys(dtype, _mm512_maskz_loadu_epi64(valid, words + i)));
    }
}

static void finish_pairs(bosc_dtype dtype, const bi_word *words, int64_t n, const struct pairs_out *out)
{
    const int64_t at = words - out->words;
    if (dtype == BOSC_F32)
        write_keys(BOSC_F32, words, n, out->keys_out + at);
    else if (dtype == BOSC_I32)
        write_keys(BOSC_I32, words, n, out->keys_out + at);
    else
        write_keys(BOSC_U32, words, n, out->keys_out + at);
    if (out->value_size == 4)
        fetch_4(words, n, out->values, (uint32_t *)out->values_out + at);
    else
        fetch_8(words, n, out->values, (uint64_t *)out->values_out + at);
}

#include "core/cpu/sort_words.inc"

static bool has_odd(const bi_word *keys, int64_t n)
{
    struct found f = {0, 0};
    for (int64_t i = 0; i < n; i += BI_LANES) words_of(FLOAT, EPI(maskz_loadu)(bi_row_mask(n - i, 0), keys + i), &f);
    return f.negative_zero | f.nan;
}

bool bi_sort_doubles_v4(const void *from, void *to, int64_t n)
{
    if (from == to) {
        if (has_odd(to, n)) return false;
        sort_words(FLOAT, to, n);
        return true;
    }
    const struct found f = sort_from(FLOAT, from, to, n, NULL);
    if (f.negative_zero && !f.nan) copy_zeros(from, n, (bi_word *)to + first_zero(to, n));
    return !f.nan;
}

#define SORT(kind, dtype)                                                                                         \
    static void pairs_##kind(const void *keys, size_t value_size, const void *values, int64_t n, uint64_t *words, \
                             void *keys_out, void *values_out)                                                    \
    {                                                                                                             \
        const struct pairs_out out = {words, value_size, values, keys_out, values_out};                           \
        sort_from(dtype, keys, words, n, &out);                                                                   \
    }
SORT(u32, BOSC_U32)
SORT(i32, BOSC_I32)
SORT(f32, BOSC_F32)

static void unpack(const uint64_t *pairs, int64_t n, uint32_t *keys, uint32_t *values)
{
    for (int64_t i = 0; i < n; i += BI_LANES) {
        const bi_lanes valid = bi_row_mask(n - i, 0);
        const __m512i pair = _mm512_maskz_loadu_epi64(valid, pairs + i);
        _mm256_mask_storeu_epi32(keys + i, valid, _mm512_cvtepi64_epi32(_mm512_srli_epi64(pair, 32)));
        _mm256_mask_storeu_epi32(values + i, valid, _mm512_cvtepi64_epi32(pair));
    }
}

static void fetch(const uint64_t *pairs, const uint32_t *rows, int64_t n, uint32_t *keys, uint32_t *values)
{
    for (int64_t i = 0; i < n; i++) {
        const uint64_t pair = pairs[rows[i]];
        keys[i] = (uint32_t)(pair >> 32);
        values[i] = (uint32_t)pair;
    }
}

enum { PAIRS = BI_PAIR_LINES * BI_LANES }; /* that are stored at once */

/* They are stored when the next ones begin: what was put there last is then in the cache, of which whole lines are
 * loaded. */
BI_FN void store_lines(bi_word *to, const bi_word *lines, bool streams)
{
    for (int i = 0; i < PAIRS; i += BI_LANES) {
        if (streams)
            _mm512_stream_si512((__m512i *)(to + i), _mm512_load_si512(lines + i));
        else
            _mm512_store_si512(to + i, _mm512_load_si512(lines + i));
    }
}

/* Of the pair before place `at`. */
BI_FN int64_t lines_before(int64_t at) { return (at - 1) & -PAIRS; }

#define SCATTER(kind)                                                                                              \
    BI_FN void scatter_as_##kind(const struct bi_pair_move *m, bool streams)                                       \
    {                                                                                                              \
        _Alignas(64) bi_word lines[BI_PAIR_GROUPS][PAIRS];                                                         \
        int64_t offsets[BI_PAIR_GROUPS];                                                                           \
        const uint32_t *const keys = m->keys, *const values = m->values, mask = m->digit.mask;                     \
        bi_word *const to = m->to;                                                                                 \
        const uint16_t *const map = m->map;                                                                        \
        const int shift = m->digit.shift;                                                                          \
        const int64_t n = m->n;                                                                                    \
        memcpy(offsets, m->offsets, sizeof offsets);                                                               \
        for (int g = 0; g < BI_PAIR_GROUPS; g++) memcpy(lines[g], to + lines_before(offsets[g]), sizeof lines[g]); \
        for (int64_t i = 0; i < n; i++) {                                                                          \
            const int g = map[(ORDERED_##kind(keys[i]) >> shift) & mask];                                          \
            const int64_t at = offsets[g]++;                                                                       \
            if (at % PAIRS == 0) store_lines(to + at - PAIRS, lines[g], streams);                                  \
            lines[g][at % PAIRS] = (bi_word)keys[i] << 32 | values[i];                                             \
        }                                                                                                          \
        for (int g = 0; g < BI_PAIR_GROUPS; g++) memcpy(to + lines_before(offsets[g]), lines[g], sizeof lines[g]); \
        memcpy(m->offsets, offsets, sizeof offsets);                                                               \
        _mm_sfence();                                                                                              \
    }                                                                                                              \
    static void scatter_##kind(const struct bi_pair_move *m)                                                       \
    {                                                                                                              \
        if (m->streams)                                                                                            \
            scatter_as_##kind(m, true);                                                                            \
        else                                                                                                       \
            scatter_as_##kind(m, false);                                                                           \
    }                                                                                                              \
    static uint32_t varying_##kind(const uint64_t *pairs, int64_t n)                                               \
    {                                                                                                              \
        uint32_t bits = 0, first = (uint32_t)(pairs[0] >> 32);                                                     \
        for (int64_t i = 0; i < n; i++) {                                                                          \
            const uint32_t key = (uint32_t)(pairs[i] >> 32);                                                       \
            bits |= ORDERED_##kind(key) ^ ORDERED_##kind(first);                                                   \
        }                                                                                                          \
        return bits;                                                                                               \
    }
SCATTER(u32)
SCATTER(i32)
SCATTER(f32)

#define KERNELS(kind)                                               \
    {                                                               \
        pairs_##kind, scatter_##kind, varying_##kind, fetch, unpack \
    }
const struct bi_pair_table bi_pair_table_v4 = {{KERNELS(u32), KERNELS(i32), KERNELS(f32)}};
#else
const struct bi_pair_table BI_LEVEL_NAME(bi_pair_table) = {{{NULL, NULL, NULL, NULL, NULL}}};
#endif
