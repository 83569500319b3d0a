/* The sorts of sort_hot.c for words of 64 bits, and a sort of pairs by such words. */
#include "core/cpu/key_types.h"
#include "core/cpu/level.h"
#include "core/cpu/sort_kernels.h"

#if BI_LEVEL == 4
#define BI_SORT_BITS 64
#define FLOAT BOSC_F64
#define INTEGER BOSC_I64
#define ORDERED_FLOAT ORDERED_f64
typedef int64_t word_int;
#include "core/cpu/sort_words.inc"

/* A key of 4 bytes over the number of its row: no two are equal, so that their order is a stable one of rows. */
static void words_of_rows(bosc_dtype dtype, const uint32_t *keys, int64_t n, uint64_t *words)
{
    const __m512i top = EVERY(TOP_BIT), upper = EVERY(~(uint64_t)UINT32_MAX);
    __m512i row = _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7);
    for (int64_t i = 0; i < n; i += BI_LANES, row = _mm512_add_epi64(row, EVERY(BI_LANES))) {
        const __mmask8 valid = bi_row_mask(n - i, 0);
        __m512i x = _mm512_slli_epi64(_mm512_cvtepu32_epi64(_mm256_maskz_loadu_epi32(valid, keys + i)), 32);
        if (dtype == BOSC_F32) {
            x = _mm512_mask_mov_epi64(x, _mm512_cmpeq_epi64_mask(x, top), _mm512_setzero_si512());
            x = _mm512_xor_si512(x, _mm512_or_si512(_mm512_and_si512(_mm512_srai_epi64(x, 63), upper), top));
        } else if (dtype == BOSC_I32)
            x = _mm512_xor_si512(x, top);
        _mm512_mask_storeu_epi64(words + i, valid, _mm512_or_si512(x, row));
    }
}

/* Floats are read again, for the signs of zeros. */
static void keys_of_rows(bosc_dtype dtype, const uint32_t *keys, int64_t n, const uint64_t *words, uint32_t *to)
{
    const uint32_t flip = dtype == BOSC_I32 ? 0x80000000u : 0;
    if (dtype == BOSC_F32)
        for (int64_t i = 0; i < n; i++) to[i] = keys[(uint32_t)words[i]];
    else
        for (int64_t i = 0; i < n; i++) to[i] = (uint32_t)(words[i] >> 32) ^ flip;
}

static void sort_pairs(bosc_dtype dtype, const void *keys, size_t value_size, const void *values, int64_t n,
                       void *words, void *spare, void *keys_out, void *values_out)
{
    const uint64_t *const sorted = words, *const from = values;
    uint64_t *const to = values_out;
    words_of_rows(dtype, keys, n, words);
    sort_words(BOSC_U64, words, spare, n, LEVELS_A_BIT * bi_bit_length((uint64_t)n));
    keys_of_rows(dtype, keys, n, words, keys_out);
    if (value_size == 4)
        for (int64_t i = 0; i < n; i++) ((uint32_t *)values_out)[i] = ((const uint32_t *)values)[(uint32_t)sorted[i]];
    else
        for (int64_t i = 0; i < n; i++) to[i] = from[(uint32_t)sorted[i]];
}

const struct bi_wide_kernels bi_wide_kernels_v4 = {{sort_keys, splitters, divide, sort_group}, sort_pairs};
#else
const struct bi_wide_kernels BI_LEVEL_NAME(bi_wide_kernels) = {{NULL, NULL, NULL, NULL}, NULL};
#endif
