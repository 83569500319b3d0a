/* Sorts of doubles in vectors, and of pairs by words that are doubles. Vectors of doubles compare faster than vectors
 * of 64-bit integers: on Intel processors an integer minimum or maximum takes two steps. */
#include "core/cpu/key_types.h"
#include "core/cpu/level.h"
#include "core/cpu/sort_kernels.h"

#if BI_LEVEL == 4
#define BI_SORT_BITS 64
#define BI_SORT_DOUBLES 1
#define BI_SORT_FLOAT BOSC_F64
#define BI_SORT_INTEGER BOSC_I64
#include "core/cpu/sort_network.h"

/* The word of a pair is a double between 2 and infinity. Its fraction holds, from the top: the key, the row number, and
 * a bit that marks a -0, whose key is that of +0. No two words are equal, so that the order of rows is stable. */
#define TWO 0x4000000000000000u
enum { KEY_AT = BI_SORT_ROW_BITS + 1 };

BI_FN __m512i pair_words(bosc_dtype dtype, const uint32_t *keys, int64_t i, bi_lanes valid)
{
    const __m512i rows = _mm512_add_epi64(SPLAT(i), _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7));
    __m256i key = _mm256_maskz_loadu_epi32(valid, keys + i);
    __m512i x = _mm512_or_si512(_mm512_slli_epi64(rows, 1), SPLAT(TWO));
    if (dtype == BOSC_F32) {
        const __mmask8 negative_zero = _mm256_cmpeq_epi32_mask(key, _mm256_set1_epi32(INT32_MIN));
        key = _mm256_mask_mov_epi32(key, negative_zero, _mm256_setzero_si256());
        key = _mm256_xor_si256(key, _mm256_srli_epi32(_mm256_srai_epi32(key, 31), 1));
        x = _mm512_mask_or_epi64(x, negative_zero, x, SPLAT(1));
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

static int64_t row_of(bi_sort_word word) { return (int64_t)(word >> 1 & (((bi_sort_word)1 << BI_SORT_ROW_BITS) - 1)); }

static void fetch_4(const bi_sort_word *words, int64_t n, const uint32_t *values, uint32_t *to)
{
    for (int64_t i = 0; i < n; i++) to[i] = values[row_of(words[i])];
}

static void fetch_8(const bi_sort_word *words, int64_t n, const uint64_t *values, uint64_t *to)
{
    for (int64_t i = 0; i < n; i++) to[i] = values[row_of(words[i])];
}

/* Destination of sorted pairs. */
struct pairs_out {
    const bi_sort_word *words;
    size_t value_size;
    const void *values;
    uint32_t *keys_out;
    void *values_out;
};

BI_FN void store_keys(bosc_dtype dtype, const bi_sort_word *words, int64_t n, uint32_t *keys)
{
    for (int64_t i = 0; i < n; i += BI_LANES) {
        const bi_lanes valid = bi_row_mask(n - i, 0);
        _mm256_mask_storeu_epi32(keys + i, valid, pair_keys(dtype, _mm512_maskz_loadu_epi64(valid, words + i)));
    }
}

static void store_pairs(bosc_dtype dtype, const bi_sort_word *words, int64_t n, const struct pairs_out *out)
{
    const int64_t at = words - out->words;
    if (dtype == BOSC_F32)
        store_keys(BOSC_F32, words, n, out->keys_out + at);
    else if (dtype == BOSC_I32)
        store_keys(BOSC_I32, words, n, out->keys_out + at);
    else
        store_keys(BOSC_U32, words, n, out->keys_out + at);
    if (out->value_size == 4)
        fetch_4(words, n, out->values, (uint32_t *)out->values_out + at);
    else
        fetch_8(words, n, out->values, (uint64_t *)out->values_out + at);
}

#include "core/cpu/sort_words.inc"

static bool has_zero_sign_or_nan(const bi_sort_word *keys, int64_t n)
{
    struct special_values f = {0, 0};
    for (int64_t i = 0; i < n; i += BI_LANES)
        to_words(BI_SORT_FLOAT, EPI(maskz_loadu)(bi_row_mask(n - i, 0), keys + i), &f);
    return f.negative_zero | f.nan;
}

bool bi_sort_doubles_v4(const void *from, void *to, int64_t n)
{
    if (from == to) {
        if (has_zero_sign_or_nan(to, n)) return false;
        sort_words(BI_SORT_FLOAT, to, n);
        return true;
    }
    const struct special_values f = convert_and_sort(BI_SORT_FLOAT, from, to, n, NULL);
    if (f.negative_zero && !f.nan) copy_zeros(from, n, (bi_sort_word *)to + first_zero(to, n));
    return !f.nan;
}

#define SORT(kind, dtype)                                                                                         \
    static void pairs_##kind(const void *keys, size_t value_size, const void *values, int64_t n, uint64_t *words, \
                             void *keys_out, void *values_out)                                                    \
    {                                                                                                             \
        const struct pairs_out out = {words, value_size, values, keys_out, values_out};                           \
        convert_and_sort(dtype, keys, words, n, &out);                                                            \
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

enum { PAIRS = BI_PAIR_LINES * BI_LANES }; /* pairs stored at once */

/* Stores full lines of a group. Called when the group's next lines begin, so that the last store to the buffer has left
 * the store queue before whole lines are loaded. */
BI_FN void store_lines(bi_sort_word *to, const bi_sort_word *lines, bool streams)
{
    for (int i = 0; i < PAIRS; i += BI_LANES) {
        if (streams)
            _mm512_stream_si512((__m512i *)(to + i), _mm512_load_si512(lines + i));
        else
            _mm512_store_si512(to + i, _mm512_load_si512(lines + i));
    }
}

/* First slot of the lines that hold the pair before slot `at`. */
BI_FN int64_t line_start(int64_t at) { return (at - 1) & -PAIRS; }

#define SCATTER(kind)                                                                                            \
    BI_FN void scatter_as_##kind(const struct bi_pair_scatter *m, bool streams)                                  \
    {                                                                                                            \
        _Alignas(64) bi_sort_word lines[BI_PAIR_GROUPS][PAIRS];                                                  \
        int64_t offsets[BI_PAIR_GROUPS];                                                                         \
        const uint32_t *const keys = m->keys, *const values = m->values, mask = m->digit.mask;                   \
        bi_sort_word *const to = m->to;                                                                          \
        const uint16_t *const map = m->map;                                                                      \
        const int shift = m->digit.shift;                                                                        \
        const int64_t n = m->n;                                                                                  \
        memcpy(offsets, m->offsets, sizeof offsets);                                                             \
        for (int g = 0; g < BI_PAIR_GROUPS; g++) memcpy(lines[g], to + line_start(offsets[g]), sizeof lines[g]); \
        /* Buffer the pairs of each group; store its lines when the next ones begin. */                          \
        for (int64_t i = 0; i < n; i++) {                                                                        \
            const int g = map[(ORDERED_##kind(keys[i]) >> shift) & mask];                                        \
            const int64_t at = offsets[g]++;                                                                     \
            if (at % PAIRS == 0) store_lines(to + at - PAIRS, lines[g], streams);                                \
            lines[g][at % PAIRS] = (bi_sort_word)keys[i] << 32 | values[i];                                      \
        }                                                                                                        \
        for (int g = 0; g < BI_PAIR_GROUPS; g++) memcpy(to + line_start(offsets[g]), lines[g], sizeof lines[g]); \
        memcpy(m->offsets, offsets, sizeof offsets);                                                             \
        /* Orders streaming stores before later ones: the next barrier makes them visible to other threads. */   \
        _mm_sfence();                                                                                            \
    }                                                                                                            \
    static void scatter_##kind(const struct bi_pair_scatter *m)                                                  \
    {                                                                                                            \
        if (m->streams)                                                                                          \
            scatter_as_##kind(m, true);                                                                          \
        else                                                                                                     \
            scatter_as_##kind(m, false);                                                                         \
    }                                                                                                            \
    static uint32_t varying_##kind(const uint64_t *pairs, int64_t n)                                             \
    {                                                                                                            \
        uint32_t bits = 0, first = (uint32_t)(pairs[0] >> 32);                                                   \
        for (int64_t i = 0; i < n; i++) {                                                                        \
            const uint32_t key = (uint32_t)(pairs[i] >> 32);                                                     \
            bits |= ORDERED_##kind(key) ^ ORDERED_##kind(first);                                                 \
        }                                                                                                        \
        return bits;                                                                                             \
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
