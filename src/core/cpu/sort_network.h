/* Sorting networks for up to 256 words of 32 bits or 128 words of 64 bits in vectors of AVX-512 (files of level 4
 * only). Parameters: BI_SORT_BITS and BI_SORT_DOUBLES (sort_words.inc).
 *
 * Words are in 2^R rows (vectors) of 2^L lanes: 16 or 8. A network first sorts the column of each lane; then L bitonic
 * merges make runs of 2, 4, 8 and 16 columns (Batcher, Sorting networks and their applications, 1968). A comparison of
 * two positions whose indices differ in one bit is a minimum and a maximum of two rows, if that bit belongs to the row
 * index. So merges move index bits between rows and lanes as needed: EXCHANGE swaps lane bit l with the row bit in
 * which two rows differ, by two shuffles.
 *
 * The index of a position in the sorted order has R + L bits; at first the R low ones number rows. The merge of 2^k
 * columns fetches index bit R + k - 1 from lane bit k - 1 in exchange for bit 0 and compares positions that differ in
 * all lower bits (one half is mirrored). Then it compares positions that differ in one bit: R bits of rows, and k bits
 * that are fetched from lane bits 0 to k - 1, each in exchange for the previous one. A last exchange leaves the low L
 * bits in the lanes, with bits 1 and L - 1 swapped, which it undoes. */
#ifndef BI_CORE_CPU_SORT_NETWORK_H
#define BI_CORE_CPU_SORT_NETWORK_H

#include <immintrin.h>
#include <stdint.h>

#if BI_SORT_BITS == 64
typedef uint64_t bi_sort_word;
typedef int64_t bi_signed_word;
typedef __mmask8 bi_lanes;
#define EPI(op) _mm512_##op##_epi64
#define EPU(op) _mm512_##op##_epu64
#define EPI_MASK(op) _mm512_##op##_epi64_mask
#define EPU_MASK(op) _mm512_##op##_epu64_mask
#else
typedef uint32_t bi_sort_word;
typedef int32_t bi_signed_word;
typedef __mmask16 bi_lanes;
#define EPI(op) _mm512_##op##_epi32
#define EPU(op) _mm512_##op##_epu32
#define EPI_MASK(op) _mm512_##op##_epi32_mask
#define EPU_MASK(op) _mm512_##op##_epu32_mask
#endif
#define SPLAT(word) EPI(set1)((bi_signed_word)(word))
enum {
    BI_LANES = 512 / BI_SORT_BITS,
    BI_ALL_LANES = (1 << BI_LANES) - 1,
    BI_NETWORK_ROWS = 16,
    BI_NETWORK_KEYS = BI_NETWORK_ROWS * BI_LANES
};

/* The order of words: unsigned integers, or doubles if BI_SORT_DOUBLES is set. Doubles must not be NaN, and zeros are
 * equal: a comparison of -0 and +0 may duplicate one of them. */
#if BI_SORT_DOUBLES
#define DOUBLES(x) _mm512_castsi512_pd(x)
#define MIN_WORDS(a, b) _mm512_castpd_si512(_mm512_min_pd(DOUBLES(a), DOUBLES(b)))
#define MAX_WORDS(a, b) _mm512_castpd_si512(_mm512_max_pd(DOUBLES(a), DOUBLES(b)))
#define IS_UP_TO(a, b) _mm512_cmp_pd_mask(DOUBLES(a), DOUBLES(b), _CMP_LE_OQ)
#define FIRST_WORD 0xfff0000000000000u
#define LAST_WORD 0x7ff0000000000000u
#else
#define MIN_WORDS(a, b) EPU(min)(a, b)
#define MAX_WORDS(a, b) EPU(max)(a, b)
#define IS_UP_TO(a, b) EPU_MASK(cmple)(a, b)
#define FIRST_WORD 0
#define LAST_WORD -1
#endif

/* Compares rows i and j: the lesser words go to row i. */
#define COMPARE(i, j)                                 \
    do {                                              \
        const __m512i least_ = MIN_WORDS(v[i], v[j]); \
        v[j] = MAX_WORDS(v[i], v[j]);                 \
        v[i] = least_;                                \
    } while (0);

/* Masks of the 32-bit pieces whose index has the bit. */
#define BIT_0 0xaaaa
#define BIT_1 0xcccc
#define BIT_2 0xf0f0
#define BIT_3 0xff00
/* Pieces of a, and, under the mask, pieces of b moved by 2^bit. */
#define MIXED_0(a, mask, b) _mm512_mask_shuffle_epi32(a, mask, b, _MM_PERM_CDAB)
#define MIXED_1(a, mask, b) _mm512_mask_shuffle_epi32(a, mask, b, _MM_PERM_BADC)
#define MIXED_2(a, mask, b) _mm512_mask_shuffle_i32x4(a, mask, b, b, 0xb1)
#define MIXED_3(a, mask, b) _mm512_mask_shuffle_i32x4(a, mask, b, b, 0x4e)

/* Swaps bit l of the index of a piece in rows i and j with the bit in which the row indices differ. */
#define EXCHANGE(l, i, j)                                    \
    do {                                                     \
        const __m512i low_ = MIXED_##l(v[i], BIT_##l, v[j]); \
        v[j] = MIXED_##l(v[j], (__mmask16)~BIT_##l, v[i]);   \
        v[i] = low_;                                         \
    } while (0);
#define PERMUTED(a, order, b) EPI(permutex2var)(a, _mm512_loadu_si512(order), b)
/* Bits of lane indices: a 64-bit word is two pieces. */
#if BI_SORT_BITS == 64
#define EXCHANGE_0(i, j) EXCHANGE(1, i, j)
#define EXCHANGE_1(i, j) EXCHANGE(2, i, j)
#define EXCHANGE_2(i, j) EXCHANGE(3, i, j)
#define MIRROR_LOW_1(a, b) MIXED_1(a, BIT_1, b)
#define MIRROR_LOW_2(a, b) MIXED_2(a, BIT_2, b)
#define MIRROR_LOW_3(a, b) MIXED_3(a, BIT_3, b)
#else
#define EXCHANGE_0(i, j) EXCHANGE(0, i, j)
#define EXCHANGE_1(i, j) EXCHANGE(1, i, j)
#define EXCHANGE_2(i, j) EXCHANGE(2, i, j)
#define EXCHANGE_3(i, j) EXCHANGE(3, i, j)
#define MIRROR_LOW_1(a, b) MIXED_0(a, BIT_0, b)
#define MIRROR_LOW_2(a, b) MIXED_1(a, BIT_1, b)
#define MIRROR_LOW_3(a, b) MIXED_2(a, BIT_2, b)
#define MIRROR_LOW_4(a, b) MIXED_3(a, BIT_3, b)
#endif

/* As EXCHANGE_(k - 1)(i, j), with lanes 0 to 2^k - 1 of row j mirrored. */
#define MIRROR(k, i, j)                                  \
    do {                                                 \
        const __m512i low_ = MIRROR_LOW_##k(v[i], v[j]); \
        v[j] = PERMUTED(v[i], mirrored[k - 1], v[j]);    \
        v[i] = low_;                                     \
    } while (0);
#define MIRROR_1(i, j) MIRROR(1, i, j)
#define MIRROR_2(i, j) MIRROR(2, i, j)
#define MIRROR_3(i, j) MIRROR(3, i, j)
#define MIRROR_4(i, j) MIRROR(4, i, j)

/* As EXCHANGE_0(i, j), after which lane bits 1 and L - 1 are swapped. */
#define RESTORE(i, j)                                           \
    do {                                                        \
        const __m512i low_ = PERMUTED(v[i], restored[0], v[j]); \
        v[j] = PERMUTED(v[i], restored[1], v[j]);               \
        v[i] = low_;                                            \
    } while (0);

/* Lane l of the mirrored row comes from lane order[l] of row i, or order[l] - BI_LANES of row j. */
#define MIRRORED(l, bit, ones) ((l) & (bit) ? ((l) ^ (ones)) | (bit) : BI_LANES + ((l) ^ (ones)))
#define MIRRORED_4(l, bit, ones) \
    MIRRORED(l, bit, ones), MIRRORED((l) + 1, bit, ones), MIRRORED((l) + 2, bit, ones), MIRRORED((l) + 3, bit, ones)
#if BI_SORT_BITS == 64
#define MIRRORED_8(bit, ones)                              \
    {                                                      \
        MIRRORED_4(0, bit, ones), MIRRORED_4(4, bit, ones) \
    }
static const int64_t mirrored[3][BI_LANES] = {MIRRORED_8(1, 1), MIRRORED_8(2, 3), MIRRORED_8(4, 7)};
static const int64_t restored[2][BI_LANES] = {{0, 8, 4, 12, 2, 10, 6, 14}, {1, 9, 5, 13, 3, 11, 7, 15}};
#else
#define MIRRORED_16(bit, ones)                                                                                  \
    {                                                                                                           \
        MIRRORED_4(0, bit, ones), MIRRORED_4(4, bit, ones), MIRRORED_4(8, bit, ones), MIRRORED_4(12, bit, ones) \
    }
static const int32_t mirrored[4][BI_LANES] = {MIRRORED_16(1, 1), MIRRORED_16(2, 3), MIRRORED_16(4, 7),
                                              MIRRORED_16(8, 15)};
static const int32_t restored[2][BI_LANES] = {{0, 16, 8, 24, 4, 20, 12, 28, 2, 18, 10, 26, 6, 22, 14, 30},
                                              {1, 17, 9, 25, 5, 21, 13, 29, 3, 19, 11, 27, 7, 23, 15, 31}};
#endif

/* clang-format off */
/* Pairs of rows whose indices differ in one bit; and in all bits, the row with that bit 0 first. */
#define ROWS_2_BIT_0(DO) DO(0, 1)
#define ROWS_4_BIT_0(DO) DO(0, 1) DO(2, 3)
#define ROWS_4_BIT_1(DO) DO(0, 2) DO(1, 3)
#define ROWS_8_BIT_0(DO) ROWS_4_BIT_0(DO) DO(4, 5) DO(6, 7)
#define ROWS_8_BIT_1(DO) ROWS_4_BIT_1(DO) DO(4, 6) DO(5, 7)
#define ROWS_8_BIT_2(DO) DO(0, 4) DO(1, 5) DO(2, 6) DO(3, 7)
#define ROWS_16_BIT_0(DO) ROWS_8_BIT_0(DO) DO(8, 9) DO(10, 11) DO(12, 13) DO(14, 15)
#define ROWS_16_BIT_1(DO) ROWS_8_BIT_1(DO) DO(8, 10) DO(9, 11) DO(12, 14) DO(13, 15)
#define ROWS_16_BIT_2(DO) ROWS_8_BIT_2(DO) DO(8, 12) DO(9, 13) DO(10, 14) DO(11, 15)
#define ROWS_16_BIT_3(DO) DO(0, 8) DO(1, 9) DO(2, 10) DO(3, 11) DO(4, 12) DO(5, 13) DO(6, 14) DO(7, 15)
#define ROWS_4_ALL_0(DO) DO(0, 3) DO(2, 1)
#define ROWS_4_ALL_1(DO) DO(0, 3) DO(1, 2)
#define ROWS_8_ALL_0(DO) DO(0, 7) DO(2, 5) DO(4, 3) DO(6, 1)
#define ROWS_8_ALL_1(DO) DO(0, 7) DO(1, 6) DO(4, 3) DO(5, 2)
#define ROWS_8_ALL_2(DO) DO(0, 7) DO(1, 6) DO(2, 5) DO(3, 4)
#define ROWS_16_ALL_0(DO) DO(0, 15) DO(2, 13) DO(4, 11) DO(6, 9) DO(8, 7) DO(10, 5) DO(12, 3) DO(14, 1)
#define ROWS_16_ALL_1(DO) DO(0, 15) DO(1, 14) DO(4, 11) DO(5, 10) DO(8, 7) DO(9, 6) DO(12, 3) DO(13, 2)
#define ROWS_16_ALL_2(DO) DO(0, 15) DO(1, 14) DO(2, 13) DO(3, 12) DO(8, 7) DO(9, 6) DO(10, 5) DO(11, 4)
#define ROWS_16_ALL_3(DO) DO(0, 15) DO(1, 14) DO(2, 13) DO(3, 12) DO(4, 11) DO(5, 10) DO(6, 9) DO(7, 8)

/* Comparisons by lane bits 0 to k - 1, exchanged with row bit `bit` of `rows` rows. */
#define FROM_LANES(rows, bit, l) ROWS_##rows##_BIT_##bit(EXCHANGE_##l) ROWS_##rows##_BIT_##bit(COMPARE)
#define LANES_1(rows, bit) FROM_LANES(rows, bit, 0)
#define LANES_2(rows, bit) LANES_1(rows, bit) FROM_LANES(rows, bit, 1)
#define LANES_3(rows, bit) LANES_2(rows, bit) FROM_LANES(rows, bit, 2)
#define LANES_4(rows, bit) LANES_3(rows, bit) FROM_LANES(rows, bit, 3)
#define TOP(k, rows, bit) ROWS_##rows##_BIT_##bit(MIRROR_##k) ROWS_##rows##_ALL_##bit(COMPARE)

/* Columns of 16 rows by 60 comparisons (Green), of 8 by 19. */
#define COLUMNS_16                                                                             \
    ROWS_16_BIT_0(COMPARE) ROWS_16_BIT_1(COMPARE) ROWS_16_BIT_2(COMPARE) ROWS_16_BIT_3(COMPARE) \
    COMPARE(5, 10) COMPARE(6, 9) COMPARE(3, 12) COMPARE(13, 14) COMPARE(4, 8) COMPARE(7, 11)   \
    COMPARE(1, 2) COMPARE(1, 4) COMPARE(7, 13) COMPARE(2, 8) COMPARE(11, 14) COMPARE(2, 4)     \
    COMPARE(5, 6) COMPARE(9, 10) COMPARE(11, 13) COMPARE(3, 8) COMPARE(7, 12) COMPARE(6, 8)    \
    COMPARE(10, 12) COMPARE(3, 5) COMPARE(7, 9) COMPARE(3, 4) COMPARE(5, 6) COMPARE(7, 8)      \
    COMPARE(9, 10) COMPARE(11, 12) COMPARE(6, 7) COMPARE(8, 9)
#define COLUMNS_8                                                                              \
    ROWS_8_BIT_1(COMPARE) ROWS_8_BIT_2(COMPARE) ROWS_8_BIT_0(COMPARE)                          \
    COMPARE(2, 4) COMPARE(3, 5) COMPARE(1, 4) COMPARE(3, 6) COMPARE(1, 2) COMPARE(3, 4) COMPARE(5, 6)
#define COLUMNS_4 ROWS_4_BIT_0(COMPARE) ROWS_4_BIT_1(COMPARE) COMPARE(1, 2)

/* Merges to runs of 8 columns, 16 and all; REGISTER_n(r): the register that then holds row r. */
#define MERGES_16_ROWS                                                                                       \
    COLUMNS_16                                                                                               \
    TOP(1, 16, 0) ROWS_16_BIT_3(COMPARE) ROWS_16_BIT_2(COMPARE) ROWS_16_BIT_1(COMPARE) LANES_1(16, 1)         \
    TOP(2, 16, 1) ROWS_16_BIT_0(COMPARE) ROWS_16_BIT_3(COMPARE) ROWS_16_BIT_2(COMPARE) LANES_2(16, 2)         \
    TOP(3, 16, 2) ROWS_16_BIT_1(COMPARE) ROWS_16_BIT_0(COMPARE) ROWS_16_BIT_3(COMPARE) LANES_3(16, 3)
#define MERGES_8_ROWS                                                                                        \
    COLUMNS_8                                                                                                \
    TOP(1, 8, 0) ROWS_8_BIT_2(COMPARE) ROWS_8_BIT_1(COMPARE) LANES_1(8, 1)                                    \
    TOP(2, 8, 1) ROWS_8_BIT_0(COMPARE) ROWS_8_BIT_2(COMPARE) LANES_2(8, 2)                                    \
    TOP(3, 8, 2) ROWS_8_BIT_1(COMPARE) ROWS_8_BIT_0(COMPARE) LANES_3(8, 0)
#define MERGES_4_ROWS                                                                                        \
    COLUMNS_4                                                                                                \
    TOP(1, 4, 0) ROWS_4_BIT_1(COMPARE) LANES_1(4, 1)                                                          \
    TOP(2, 4, 1) ROWS_4_BIT_0(COMPARE) LANES_2(4, 0)                                                          \
    TOP(3, 4, 0) ROWS_4_BIT_1(COMPARE) LANES_3(4, 1)
#define ROWS_2_ALL_0(DO) DO(0, 1)
#define MERGES_2_ROWS                                                                                        \
    COMPARE(0, 1)                                                                                            \
    TOP(1, 2, 0) LANES_1(2, 0) TOP(2, 2, 0) LANES_2(2, 0) TOP(3, 2, 0) LANES_3(2, 0)
#if BI_SORT_BITS == 64
#define SORT_16_ROWS MERGES_16_ROWS ROWS_16_BIT_3(RESTORE)
#define SORT_8_ROWS MERGES_8_ROWS ROWS_8_BIT_0(RESTORE)
#define SORT_4_ROWS MERGES_4_ROWS ROWS_4_BIT_1(RESTORE)
#define SORT_2_ROWS MERGES_2_ROWS ROWS_2_BIT_0(RESTORE)
#define REGISTER_16(r) (((r) & 1) << 3 | (r) >> 1)
#define REGISTER_8(r) (r)
#define REGISTER_4(r) (((r) & 1) << 1 | (r) >> 1)
#else
#define SORT_16_ROWS                                                                                         \
    MERGES_16_ROWS                                                                                           \
    TOP(4, 16, 3) ROWS_16_BIT_2(COMPARE) ROWS_16_BIT_1(COMPARE) ROWS_16_BIT_0(COMPARE) LANES_4(16, 0)         \
    ROWS_16_BIT_0(RESTORE)
#define SORT_8_ROWS                                                                                          \
    MERGES_8_ROWS                                                                                            \
    TOP(4, 8, 0) ROWS_8_BIT_2(COMPARE) ROWS_8_BIT_1(COMPARE) LANES_4(8, 1)                                    \
    ROWS_8_BIT_1(RESTORE)
#define SORT_4_ROWS                                                                                          \
    MERGES_4_ROWS                                                                                            \
    TOP(4, 4, 1) ROWS_4_BIT_0(COMPARE) LANES_4(4, 0)                                                          \
    ROWS_4_BIT_0(RESTORE)
#define SORT_2_ROWS MERGES_2_ROWS TOP(4, 2, 0) LANES_4(2, 0) ROWS_2_BIT_0(RESTORE)
#define REGISTER_16(r) (r)
#define REGISTER_8(r) (((r) & 3) << 1 | (r) >> 2)
#define REGISTER_4(r) (r)
#endif
/* clang-format on */

/* Mask of the lanes of row r that hold one of n words. */
static inline bi_lanes bi_row_mask(int64_t n, int r)
{
    const int64_t left = n - (int64_t)r * BI_LANES;
    return left >= BI_LANES ? BI_ALL_LANES : left <= 0 ? 0 : (bi_lanes)((1u << left) - 1);
}

#define LOAD(r) v[r] = _mm512_loadu_si512(from + (r)*BI_LANES);
#define LOAD_SOME(r) v[r] = EPI(mask_loadu)(SPLAT(LAST_WORD), bi_row_mask(n, r), from + (r)*BI_LANES);
#define STORE(r, own) _mm512_storeu_si512(to + (r)*BI_LANES, v[own]);
#define STORE_SOME(r, own) EPI(mask_storeu)(to + (r)*BI_LANES, bi_row_mask(n, r), v[own]);

/* clang-format off */
#define LOAD_8_ROWS LOAD(0) LOAD(1) LOAD(2) LOAD(3) LOAD(4) LOAD(5) LOAD(6) LOAD(7)
#define STORE_4(r) STORE(r, REGISTER_4(r))
#define STORE_8(r) STORE(r, REGISTER_8(r))
#define STORE_16(r) STORE(r, REGISTER_16(r))
#define STORE_SOME_4(r) STORE_SOME(r, REGISTER_4(r))
#define STORE_SOME_8(r) STORE_SOME(r, REGISTER_8(r))
#define STORE_SOME_16(r) STORE_SOME(r, REGISTER_16(r))

/* Networks for up to 2, 4, 8 and 16 rows; `to` may be `from`. */
static void bi_network_2(const bi_sort_word *from, bi_sort_word *to, int64_t n)
{
    __m512i v[2];
    LOAD_SOME(0) LOAD_SOME(1)
    SORT_2_ROWS
    STORE_SOME(0, 0) STORE_SOME(1, 1)
}

/* More than 2 rows. */
static void bi_network_4(const bi_sort_word *from, bi_sort_word *to, int64_t n)
{
    __m512i v[4];
    LOAD(0) LOAD(1) LOAD_SOME(2) LOAD_SOME(3)
    SORT_4_ROWS
    STORE_4(0) STORE_4(1) STORE_SOME_4(2) STORE_SOME_4(3)
}

/* More than 4 rows. */
static void bi_network_8(const bi_sort_word *from, bi_sort_word *to, int64_t n)
{
    __m512i v[8];
    LOAD(0) LOAD(1) LOAD(2) LOAD(3) LOAD_SOME(4) LOAD_SOME(5) LOAD_SOME(6) LOAD_SOME(7)
    SORT_8_ROWS
    STORE_8(0) STORE_8(1) STORE_8(2) STORE_8(3)
    STORE_SOME_8(4) STORE_SOME_8(5) STORE_SOME_8(6) STORE_SOME_8(7)
}

/* More than 8 rows. */
static void bi_network_16(const bi_sort_word *from, bi_sort_word *to, int64_t n)
{
    __m512i v[16];
    LOAD_8_ROWS
    LOAD_SOME(8) LOAD_SOME(9) LOAD_SOME(10) LOAD_SOME(11) LOAD_SOME(12) LOAD_SOME(13) LOAD_SOME(14) LOAD_SOME(15)
    SORT_16_ROWS
    STORE_16(0) STORE_16(1) STORE_16(2) STORE_16(3) STORE_16(4) STORE_16(5) STORE_16(6) STORE_16(7)
    STORE_SOME_16(8) STORE_SOME_16(9) STORE_SOME_16(10) STORE_SOME_16(11)
    STORE_SOME_16(12) STORE_SOME_16(13) STORE_SOME_16(14) STORE_SOME_16(15)
}
/* clang-format on */

static void bi_network_sort(const bi_sort_word *from, bi_sort_word *to, int64_t n)
{
    if (n > 8 * BI_LANES)
        bi_network_16(from, to, n);
    else if (n > 4 * BI_LANES)
        bi_network_8(from, to, n);
    else if (n > 2 * BI_LANES)
        bi_network_4(from, to, n);
    else
        bi_network_2(from, to, n);
}

#endif
