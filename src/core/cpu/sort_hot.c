/* A quicksort of 32-bit words in vectors of AVX-512 (Bramas, A Novel Hybrid Quicksort Algorithm Vectorized using
 * AVX-512, 2017; Blacher et al., Vectorized and performance-portable Quicksort, 2022): keys are partitioned by
 * comparing and compressing vectors, and runs of up to 256 keys sorted by networks. Words that a cache holds go to and
 * fro between two arrays, so that every load and store moves forwards; more are partitioned in place, from both
 * ends. */
#include "core/cpu/sort_kernels.h"

#include <string.h>

#include "core/cpu/key_types.h"
#include "core/cpu/level.h"

#if BI_LEVEL == 4
#include "core/cpu/sort_network.h"

#define TOP_BIT _mm512_set1_epi32(INT32_MIN)

enum {
    FEW = 1024, /* keys of which a small sample is taken */
    SAMPLE = 64,
    LARGE_SAMPLE = 128,
    CACHED = BI_SORT_CACHED,
    SAMPLED = 32,         /* keys of a sample for a splitter */
    CHUNK = 128,          /* keys that a partition in place reads at once */
    LOCAL_ZEROS = 1 << 18 /* keys of which the signs of zeros have room on the stack */
};

/* One vector: what stays goes to `at`, the others to where those before them went. */
#define PARTITION(keys, stays)                                                             \
    do {                                                                                   \
        const __mmask16 stays_ = (stays);                                                  \
        _mm512_storeu_si512(data + at, _mm512_maskz_compress_epi32(stays_, keys));         \
        _mm512_storeu_si512(other + (i - at), _mm512_maskz_compress_epi32(~stays_, keys)); \
        at += _mm_popcnt_u32(stays_);                                                      \
        i += BI_LANES;                                                                     \
    } while (0)

/* Keys up to the pivot stay in `data`, at its front, if `low_stay`, else the others do; those that go move to the front
 * of `other`. Returns how many stay. Whole vectors are stored, never beyond what was read, and so within n. */
BI_FN int64_t partition(uint32_t *data, uint32_t *other, int64_t n, uint32_t key, bool low_stay)
{
#define STAY(keys) (low_stay ? _mm512_cmple_epu32_mask(keys, pivot) : _mm512_cmpgt_epu32_mask(keys, pivot))
    const __m512i pivot = _mm512_set1_epi32((int)key);
    int64_t at = 0, i = 0;
    while (i + 4 * BI_LANES <= n) {
        const __m512i a = _mm512_loadu_si512(data + i), b = _mm512_loadu_si512(data + i + BI_LANES);
        const __m512i c = _mm512_loadu_si512(data + i + 2 * BI_LANES), d = _mm512_loadu_si512(data + i + 3 * BI_LANES);
        PARTITION(a, STAY(a));
        PARTITION(b, STAY(b));
        PARTITION(c, STAY(c));
        PARTITION(d, STAY(d));
    }
    while (i + BI_LANES <= n) {
        const __m512i a = _mm512_loadu_si512(data + i);
        PARTITION(a, STAY(a));
    }
    const __mmask16 valid = bi_row_mask(n - i, 0);
    const __m512i a = _mm512_maskz_loadu_epi32(valid, data + i);
    const __mmask16 stay = STAY(a) & valid, go = ~stay & valid;
    const int staying = _mm_popcnt_u32(stay), going = _mm_popcnt_u32(go);
    _mm512_mask_storeu_epi32(data + at, (__mmask16)((1u << staying) - 1), _mm512_maskz_compress_epi32(stay, a));
    _mm512_mask_storeu_epi32(other + (i - at), (__mmask16)((1u << going) - 1), _mm512_maskz_compress_epi32(go, a));
    return at + staying;
}

/* About the median, by a sample of vectors that lie at equal distances. */
static uint32_t sampled_pivot(const uint32_t *data, int64_t n)
{
    uint32_t sample[LARGE_SAMPLE];
    const int64_t vectors = n <= FEW ? SAMPLE / BI_LANES : LARGE_SAMPLE / BI_LANES, step = n / vectors;
    for (int64_t s = 0; s < vectors; s++)
        _mm512_storeu_si512(sample + s * BI_LANES, _mm512_loadu_si512(data + s * step + (step - BI_LANES) / 2));
    bi_network_sort(sample, sample, vectors * BI_LANES);
    return sample[vectors * BI_LANES / 2 - 1];
}

/* The middle between the least and the largest key: no sequence of keys needs more than 32 of these. */
static uint32_t middle_pivot(const uint32_t *data, int64_t n)
{
    __m512i least = _mm512_set1_epi32(-1), most = _mm512_setzero_si512();
    for (int64_t i = 0; i < n; i += BI_LANES) {
        const __mmask16 valid = bi_row_mask(n - i, 0);
        least = _mm512_mask_min_epu32(least, valid, least, _mm512_maskz_loadu_epi32(valid, data + i));
        most = _mm512_mask_max_epu32(most, valid, most, _mm512_maskz_loadu_epi32(valid, data + i));
    }
    const uint32_t low = _mm512_reduce_min_epu32(least), high = _mm512_reduce_max_epu32(most);
    return low + (high - low) / 2;
}

static void fill(uint32_t *to, int64_t n, uint32_t key)
{
    for (int64_t i = 0; i < n; i++) to[i] = key;
}

/* Sorts n keys, which lie in `home` or else in `away`, into `home`; both are overwritten. After so many levels pivots
 * are no longer guessed. */
static void quicksort(uint32_t *home, uint32_t *away, int64_t n, bool is_home, int levels)
{
    for (; n > BI_NETWORK_KEYS; levels--) {
        const uint32_t *const data = is_home ? home : away;
        const uint32_t pivot = levels > 0 ? sampled_pivot(data, n) : middle_pivot(data, n);
        int64_t low = is_home ? partition(home, away, n, pivot, true) : n - partition(away, home, n, pivot, false);
        if (low == n) { /* the pivot is the largest key: those that equal it are done */
            if (pivot == 0) return;
            low = partition(home, away, n, pivot - 1, true);
            fill(home + low, n - low, pivot);
            n = low;
            is_home = true;
            continue;
        }
        quicksort(home, away + (n - low), low, true, levels - 1);
        home += low;
        n -= low;
        is_home = false;
    }
    bi_network_sort(is_home ? home : away, home, n);
}

/* Keys up to the pivot to the front, the others behind them; returns how many go to the front. A chunk of each end is
 * set aside, and the next one is always read at the end that has less room, so that both have room for a chunk. */
static int64_t partition_in_place(uint32_t *keys, int64_t n, uint32_t key)
{
    uint32_t aside[3 * CHUNK];
    const __m512i pivot = _mm512_set1_epi32((int)key);
    int64_t begin = CHUNK, end = n - CHUNK, low = 0, high = n; /* keys to be read; room is before and behind them */
    memcpy(aside, keys, CHUNK * sizeof *keys);
    memcpy(aside + CHUNK, keys + end, CHUNK * sizeof *keys);
    while (end - begin >= CHUNK) {
        const bool front = begin - low <= high - end;
        const uint32_t *from = front ? keys + begin : keys + end - CHUNK;
        __m512i v[CHUNK / BI_LANES];
        LOAD_8_ROWS;
        begin += front ? CHUNK : 0;
        end -= front ? 0 : CHUNK;
#define MOVE(r)                                                                     \
    do {                                                                            \
        const __mmask16 is_low = _mm512_cmple_epu32_mask(v[r], pivot);              \
        const int lows = _mm_popcnt_u32(is_low);                                    \
        _mm512_storeu_si512(keys + low, _mm512_maskz_compress_epi32(is_low, v[r])); \
        low += lows;                                                                \
        high -= BI_LANES - lows;                                                    \
        _mm512_mask_storeu_epi32(keys + high, (__mmask16)(0xffffu >> lows),         \
                                 _mm512_maskz_compress_epi32(~is_low, v[r]));       \
    } while (0);
        MOVE(0) MOVE(1) MOVE(2) MOVE(3) MOVE(4) MOVE(5) MOVE(6) MOVE(7)
    }
    memcpy(aside + 2 * CHUNK, keys + begin, (size_t)(end - begin) * sizeof *keys);
    const int64_t rest = 2 * CHUNK + end - begin;
    for (int64_t i = 0; i < rest; i += BI_LANES) {
        const __mmask16 valid = bi_row_mask(rest - i, 0);
        const __m512i x = _mm512_maskz_loadu_epi32(valid, aside + i);
        const __mmask16 is_low = _mm512_mask_cmple_epu32_mask(valid, x, pivot), is_high = valid & ~is_low;
        const int lows = _mm_popcnt_u32(is_low), highs = _mm_popcnt_u32(is_high);
        _mm512_mask_storeu_epi32(keys + low, (__mmask16)((1u << lows) - 1), _mm512_maskz_compress_epi32(is_low, x));
        low += lows;
        high -= highs;
        _mm512_mask_storeu_epi32(keys + high, (__mmask16)((1u << highs) - 1), _mm512_maskz_compress_epi32(is_high, x));
    }
    return low;
}

/* Sorted words to keys, while a cache holds them. */
static void keys_of_words(bosc_dtype dtype, uint32_t *words, int64_t n)
{
    for (int64_t i = 0; i < n && dtype == BOSC_F32; i++) words[i] ^= words[i] >> 31 ? 0x80000000u : UINT32_MAX;
    for (int64_t i = 0; i < n && dtype == BOSC_I32; i++) words[i] ^= 0x80000000u;
}

/* Sorts words and makes keys of them. `spare` has room for n words, CACHED at most. */
static void sort_words(bosc_dtype dtype, uint32_t *words, uint32_t *spare, int64_t n, int levels)
{
    for (; n > CACHED; levels--) {
        const uint32_t pivot = levels > 0 ? sampled_pivot(words, n) : middle_pivot(words, n);
        int64_t low = partition_in_place(words, n, pivot);
        if (low == n) { /* the pivot is the largest key */
            low = pivot == 0 ? 0 : partition_in_place(words, n, pivot - 1);
            keys_of_words(dtype, words + low, n - low);
            n = low;
            continue;
        }
        sort_words(dtype, words, spare, low, levels - 1);
        words += low;
        n -= low;
    }
    quicksort(words, spare, n, true, levels > 0 ? levels : 0);
    keys_of_words(dtype, words, n);
}

/* The signs of zeros in their order: to sorts they are equal. */
struct zeros {
    int64_t count;
    bool negative;   /* there is one */
    uint32_t *signs; /* bits */
};

static void add_zeros(struct zeros *z, uint32_t are_zero, uint32_t are_negative)
{
    const int64_t word = z->count / 32;
    const uint64_t signs = (uint64_t)_pext_u32(are_negative, are_zero) << z->count % 32;
    if (z->count % 32 == 0) z->signs[word] = 0;
    z->signs[word] |= (uint32_t)signs;
    z->signs[word + 1] = (uint32_t)(signs >> 32);
    z->count += _mm_popcnt_u32(are_zero);
    z->negative |= are_negative != 0;
}

/* The words of the lanes that hold keys. */
BI_FN __m512i word_of_f32(__m512i x, __mmask16 valid, struct zeros *z)
{
    const __mmask16 zero = _mm512_mask_testn_epi32_mask(valid, x, _mm512_set1_epi32(INT32_MAX));
    if (zero) {
        const __mmask16 negative = _mm512_mask_cmpeq_epi32_mask(zero, x, TOP_BIT);
        add_zeros(z, zero, negative);
        x = _mm512_mask_mov_epi32(x, negative, _mm512_setzero_si512());
    }
    return _mm512_xor_si512(x, _mm512_or_si512(_mm512_srai_epi32(x, 31), TOP_BIT));
}

static void words_of_f32(const uint32_t *from, uint32_t *to, int64_t n, struct zeros *z)
{
    int64_t i = 0;
    for (; i + BI_LANES <= n; i += BI_LANES)
        _mm512_storeu_si512(to + i, word_of_f32(_mm512_loadu_si512(from + i), 0xffff, z));
    const __mmask16 valid = bi_row_mask(n - i, 0);
    _mm512_mask_storeu_epi32(to + i, valid, word_of_f32(_mm512_maskz_loadu_epi32(valid, from + i), valid, z));
}

/* Words of keys: those up to the pivot to the front of `to`, the others behind them; returns how many are in front. */
BI_FN int64_t partition_keys(const uint32_t *from, uint32_t *to, int64_t n, uint32_t key, uint32_t flip,
                             struct zeros *z)
{
    const __m512i pivot = _mm512_set1_epi32((int)key), flips = _mm512_set1_epi32((int)flip);
    int64_t low = 0, high = n;
    for (int64_t i = 0; i < n; i += BI_LANES) {
        const __mmask16 valid = bi_row_mask(n - i, 0);
        __m512i x = _mm512_maskz_loadu_epi32(valid, from + i);
        x = z ? word_of_f32(x, valid, z) : _mm512_xor_si512(x, flips);
        const __mmask16 is_low = _mm512_mask_cmple_epu32_mask(valid, x, pivot), is_high = valid & ~is_low;
        const int lows = _mm_popcnt_u32(is_low), highs = _mm_popcnt_u32(is_high);
        _mm512_mask_storeu_epi32(to + low, (__mmask16)((1u << lows) - 1), _mm512_maskz_compress_epi32(is_low, x));
        low += lows;
        high -= highs;
        _mm512_mask_storeu_epi32(to + high, (__mmask16)((1u << highs) - 1), _mm512_maskz_compress_epi32(is_high, x));
    }
    return low;
}

/* Zeros are sorted and positive. */
static void restore_zeros(const struct zeros *z, uint32_t *keys, int64_t n)
{
    int64_t first = 0;
    for (int64_t end = n; first < end;) {
        const int64_t middle = first + (end - first) / 2;
        if (keys[middle] >> 31)
            first = middle + 1;
        else
            end = middle;
    }
    for (int64_t i = 0; i < z->count; i++) keys[first + i] = (z->signs[i / 32] >> i % 32 & 1) << 31;
}

#define WORDS(kind, key_t)                                                                             \
    static void words_##kind(const void *keys, int64_t n, struct bi_sort_window w, uint32_t *words)    \
    {                                                                                                  \
        const key_t *k = keys, mask = (key_t)w.mask;                                                   \
        for (int64_t i = 0; i < n; i++)                                                                \
            words[i] = (uint32_t)((ORDERED_##kind(k[i]) & mask) >> w.low) << w.row_bits | (uint32_t)i; \
    }
EACH_KEY(WORDS)

static int64_t sort_rows(bosc_dtype dtype, const void *keys, int64_t n, struct bi_sort_window w, uint32_t *rows)
{
    uint32_t spare[BI_SORT_ROWS];
    switch (dtype) {
    case BOSC_F32: words_f32(keys, n, w, rows); break;
    case BOSC_F64: words_f64(keys, n, w, rows); break;
    case BOSC_I32: words_i32(keys, n, w, rows); break;
    case BOSC_I64: words_i64(keys, n, w, rows); break;
    case BOSC_U32: words_u32(keys, n, w, rows); break;
    default: words_u64(keys, n, w, rows); break;
    }
    sort_words(BOSC_U32, rows, spare, n, 2 * bi_bit_length((uint64_t)n));
    int64_t same = 0;
    for (int64_t i = 1; i < n; i++) same += (rows[i - 1] ^ rows[i]) >> w.row_bits == 0;
    for (int64_t i = 0; i < n; i++) rows[i] &= ((uint32_t)1 << w.row_bits) - 1;
    return same;
}

/* Words of keys; of floats all, with -0 as +0: returns whether there is one. */
static bool words_of_keys(bosc_dtype dtype, const uint32_t *keys, uint32_t *words, int64_t n)
{
    const uint32_t flip = dtype == BOSC_I32 ? 0x80000000u : 0;
    if (dtype != BOSC_F32) {
        for (int64_t i = 0; i < n; i++) words[i] = keys[i] ^ flip;
        return false;
    }
    bool negative = false;
    for (int64_t i = 0; i < n; i++) {
        negative |= keys[i] == 0x80000000u;
        words[i] = ORDERED_f32(keys[i]);
    }
    return negative;
}

static void splitters(bosc_dtype dtype, const void *keys, int64_t n, int bits, uint32_t *to)
{
    uint32_t sample[SAMPLED << BI_SORT_GROUP_BITS], spare[SAMPLED << BI_SORT_GROUP_BITS];
    const int64_t size = (int64_t)SAMPLED << bits, step = n / (size / BI_LANES);
    for (int64_t i = 0; i < size; i += BI_LANES)
        words_of_keys(dtype, (const uint32_t *)keys + i / BI_LANES * step, sample + i, BI_LANES);
    quicksort(sample, spare, size, true, 2 * bi_bit_length((uint64_t)size));
    for (int64_t g = 0; g + 1 < 1 << bits; g++) to[g] = sample[(g + 1) * SAMPLED - 1];
}

/* Keys to words, and these partitioned on the way if a cache does not hold them; returns how many are in front. */
static int64_t first_pass(bosc_dtype dtype, const uint32_t *from, uint32_t *to, int64_t n, struct zeros *z)
{
    const uint32_t flip = dtype == BOSC_I32 ? 0x80000000u : 0;
    if (n > CACHED && from != to) {
        uint32_t pivot;
        splitters(dtype, from, n, 1, &pivot);
        return dtype == BOSC_F32 ? partition_keys(from, to, n, pivot, flip, z)
                                 : partition_keys(from, to, n, pivot, flip, NULL);
    }
    if (dtype == BOSC_F32)
        words_of_f32(from, to, n, z);
    else if (flip || from != to)
        words_of_keys(dtype, from, to, n);
    return n;
}

static void sort_keys(bosc_dtype dtype, const void *from, void *to, void *spare, int64_t n)
{
    uint32_t local[LOCAL_ZEROS / 32 + 2], *words = to;
    struct zeros z = {.signs = n <= LOCAL_ZEROS ? local : (uint32_t *)spare + CACHED};
    const int levels = 2 * bi_bit_length((uint64_t)n);
    const int64_t low = first_pass(dtype, from, words, n, &z);
    sort_words(dtype, words, spare, low, levels);
    sort_words(dtype, words + low, spare, n - low, levels);
    if (z.negative) restore_zeros(&z, words, n);
}

/* Groups [first, end) of n words, which lie in `home` or else in `away`, become runs of `home`, of which word 0 is word
 * `at` of its block. */
static void divide_groups(uint32_t *home, uint32_t *away, int64_t n, bool is_home, const uint32_t *splitters, int first,
                          int end, int64_t at, uint16_t *ends)
{
    if (end - first == 1) {
        if (!is_home) memcpy(home, away, (size_t)n * sizeof *home);
        ends[first] = (uint16_t)(at + n);
        return;
    }
    const int middle = (first + end) / 2;
    const uint32_t pivot = splitters[middle - 1];
    const int64_t low = is_home ? partition(home, away, n, pivot, true) : n - partition(away, home, n, pivot, false);
    divide_groups(home, away + (n - low), low, true, splitters, first, middle, at, ends);
    divide_groups(home + low, away, n - low, false, splitters, middle, end, at + low, ends);
}

static bool divide(bosc_dtype dtype, const void *keys, uint32_t *words, uint32_t *spare, int64_t n,
                   const uint32_t *splitters, int bits, uint16_t *ends)
{
    const bool negative_zero = words_of_keys(dtype, keys, words, n);
    divide_groups(words, spare, n, true, splitters, 0, 1 << bits, 0, ends);
    return negative_zero;
}

static void sort_group(bosc_dtype dtype, uint32_t *words, uint32_t *spare, int64_t n)
{
    sort_words(dtype, words, spare, n, 2 * bi_bit_length((uint64_t)n));
}

const struct bi_sort_kernels bi_sort_kernels_v4 = {sort_keys, splitters, divide, sort_group, sort_rows};
#else
const struct bi_sort_kernels BI_LEVEL_NAME(bi_sort_kernels) = {NULL, NULL, NULL, NULL, NULL};
#endif
