/* Quicksort of 32-bit words in vectors of AVX-512 (Bramas, A Novel Hybrid Quicksort Algorithm Vectorized using AVX-512,
 * 2017; Blacher et al., Vectorized and performance-portable Quicksort, 2022): keys are partitioned by comparing and
 * compressing vectors, and runs of up to 256 keys sorted by networks. Words that fit in a cache alternate between two
 * arrays, so that all loads and stores move forwards; more are partitioned in place, from both ends. */
#include "core/cpu/sort_kernels.h"

#include "core/cpu/key_types.h"
#include "core/cpu/level.h"

#if BI_LEVEL == 4
#define BI_SORT_BITS 32
#define BI_SORT_DOUBLES 0
#define BI_SORT_FLOAT BOSC_F32
#define BI_SORT_INTEGER BOSC_I32
#include "core/cpu/sort_words.inc"
#include "core/cpu/sort_keys.inc"

#define WORDS(kind, key_t)                                                                             \
    static void words_##kind(const void *keys, int64_t n, struct bi_sort_window w, uint32_t *words)    \
    {                                                                                                  \
        const key_t *k = keys, mask = (key_t)w.mask;                                                   \
        for (int64_t i = 0; i < n; i++)                                                                \
            words[i] = (uint32_t)((ORDERED_##kind(k[i]) & mask) >> w.low) << w.row_bits | (uint32_t)i; \
    }
EACH_KEY(WORDS)

#define PAIR_WORDS(kind)                                                                                      \
    static void pair_words_##kind(const uint64_t *pairs, int64_t n, struct bi_sort_window w, uint32_t *words) \
    {                                                                                                         \
        const uint32_t mask = (uint32_t)w.mask;                                                               \
        for (int64_t i = 0; i < n; i++) {                                                                     \
            const uint32_t key = (uint32_t)(pairs[i] >> 32);                                                  \
            words[i] = (ORDERED_##kind(key) & mask) >> w.low << w.row_bits | (uint32_t)i;                     \
        }                                                                                                     \
    }
PAIR_WORDS(f32)
PAIR_WORDS(i32)
PAIR_WORDS(u32)

/* Sorts words and reduces them to row numbers. Returns the number of rows with the same key bits as the one before. */
static int64_t sort_row_words(uint32_t *words, int64_t n, int row_bits)
{
    sort_words(BOSC_U32, words, n);
    int64_t same = 0;
    for (int64_t i = 1; i < n; i++) same += (words[i - 1] ^ words[i]) >> row_bits == 0;
    for (int64_t i = 0; i < n; i++) words[i] &= ((uint32_t)1 << row_bits) - 1;
    return same;
}

static int64_t sort_rows(bosc_dtype dtype, const void *keys, int64_t n, struct bi_sort_window w, uint32_t *rows)
{
    switch (dtype) {
    case BOSC_F32: words_f32(keys, n, w, rows); break;
    case BOSC_F64: words_f64(keys, n, w, rows); break;
    case BOSC_I32: words_i32(keys, n, w, rows); break;
    case BOSC_I64: words_i64(keys, n, w, rows); break;
    case BOSC_U32: words_u32(keys, n, w, rows); break;
    default: words_u64(keys, n, w, rows); break;
    }
    return sort_row_words(rows, n, w.row_bits);
}

static int64_t sort_pair_rows(bosc_dtype dtype, const uint64_t *pairs, int64_t n, struct bi_sort_window w,
                              uint32_t *rows)
{
    switch (dtype) {
    case BOSC_F32: pair_words_f32(pairs, n, w, rows); break;
    case BOSC_I32: pair_words_i32(pairs, n, w, rows); break;
    default: pair_words_u32(pairs, n, w, rows); break;
    }
    return sort_row_words(rows, n, w.row_bits);
}

const struct bi_sort_kernels bi_sort_kernels_v4 = {
    {sort_keys, choose_splitters, partition_block, sort_group}, sort_rows, sort_pair_rows};
#else
const struct bi_sort_kernels BI_LEVEL_NAME(bi_sort_kernels) = {{NULL, NULL, NULL, NULL}, NULL, NULL};
#endif
