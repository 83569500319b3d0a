/* Kernels of sums and scans in vectors of the level's width. One core reads at the memory's speed. */
#include <math.h>
#include <string.h>

#include "core/cpu/kernels.h"
#include "core/cpu/level.h"

#if BI_LEVEL == 4
#define BI_VECTOR_BYTES 64
#elif BI_LEVEL == 3
#define BI_VECTOR_BYTES 32
#else
#define BI_VECTOR_BYTES 16
#endif

#define VECTOR(type) typedef type vec_##type __attribute__((vector_size(BI_VECTOR_BYTES)))
VECTOR(float);
VECTOR(double);
VECTOR(int32_t);
VECTOR(uint32_t);
VECTOR(int64_t);
VECTOR(uint64_t);

/* Shuffles of vectors of 32-bit or 64-bit lanes:
 *
 *     EVEN_LANES(bits), ODD_LANES(bits)   indices of every other lane of two vectors
 *     BI_UP(bits, k, v, w)                lane i with bit k set gets the last lane of v before its aligned block of 2^k
 *                                         lanes; other lanes get that of w (a level of Sklansky's scan)
 *     BI_LAST(bits, v)                    the last lane, in every lane */
#define UP_2_0 2, 0
#define UP_4_0 4, 0, 6, 2
#define UP_4_1 4, 5, 1, 1
#define UP_8_0 8, 0, 10, 2, 12, 4, 14, 6
#define UP_8_1 8, 9, 1, 1, 12, 13, 5, 5
#define UP_8_2 8, 9, 10, 11, 3, 3, 3, 3
#define UP_16_0 16, 0, 18, 2, 20, 4, 22, 6, 24, 8, 26, 10, 28, 12, 30, 14
#define UP_16_1 16, 17, 1, 1, 20, 21, 5, 5, 24, 25, 9, 9, 28, 29, 13, 13
#define UP_16_2 16, 17, 18, 19, 3, 3, 3, 3, 24, 25, 26, 27, 11, 11, 11, 11
#define UP_16_3 16, 17, 18, 19, 20, 21, 22, 23, 7, 7, 7, 7, 7, 7, 7, 7
#define EVEN_2 0, 2
#define EVEN_4 0, 2, 4, 6
#define EVEN_8 0, 2, 4, 6, 8, 10, 12, 14
#define EVEN_16 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30
#define ODD_2 1, 3
#define ODD_4 1, 3, 5, 7
#define ODD_8 1, 3, 5, 7, 9, 11, 13, 15
#define ODD_16 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31
#define LAST_2 1, 1
#define LAST_4 3, 3, 3, 3
#define LAST_8 7, 7, 7, 7, 7, 7, 7, 7
#define LAST_16 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15
/* Levels beyond the width are never used, but must expand. */
#define UP_2_1 UP_2_0
#define UP_2_2 UP_2_0
#define UP_2_3 UP_2_0
#define UP_4_2 UP_4_0
#define UP_4_3 UP_4_0
#define UP_8_3 UP_8_0

#if BI_VECTOR_BYTES == 64
#define LANES_32 16
#define LANES_64 8
#elif BI_VECTOR_BYTES == 32
#define LANES_32 8
#define LANES_64 4
#else
#define LANES_32 4
#define LANES_64 2
#endif
#define PASTE3_(a, b, c) a##b##_##c
#define PASTE3(a, b, c) PASTE3_(a, b, c)
#define PASTE2_(a, b) a##b
#define PASTE2(a, b) PASTE2_(a, b)
#define BI_UP(bits, k, v, w) __builtin_shufflevector(v, w, PASTE3(UP_, PASTE2(LANES_, bits), k))
#define EVEN_LANES(bits) PASTE2(EVEN_, PASTE2(LANES_, bits))
#define ODD_LANES(bits) PASTE2(ODD_, PASTE2(LANES_, bits))
#define BI_LAST(bits, v) __builtin_shufflevector(v, v, PASTE2(LAST_, PASTE2(LANES_, bits)))

/* head_mask_BITS: all ones in the lanes of heads. */
#define HEAD_MASK(bits, type)                                                    \
    static inline vec_##type head_mask_##bits(const uint8_t *heads)              \
    {                                                                            \
        typedef int8_t bytes __attribute__((vector_size(PASTE2(LANES_, bits)))); \
        bytes h;                                                                 \
        memcpy(&h, heads, sizeof h);                                             \
        return __builtin_convertvector((bytes)(h != 0), vec_##type);             \
    }
HEAD_MASK(32, int32_t)
HEAD_MASK(64, int64_t)

#define PLAIN(v) (v)

/* Replaces every NaN in a vector by the canonical one. */
#define QUIET_32 0x7fc00000
#define QUIET_64 0x7ff8000000000000
#define CANONICAL(bits, v)                                                                  \
    ((PASTE2(vec_f, bits))(((PASTE2(vec_i, bits))((v) == (v)) & (PASTE2(vec_i, bits))(v)) | \
                           ((PASTE2(vec_i, bits))((v) != (v)) & (((PASTE2(vec_i, bits)){0}) + PASTE2(QUIET_, bits)))))
#define CANONICAL_32(v) CANONICAL(32, v)
#define CANONICAL_64(v) CANONICAL(64, v)
typedef vec_float vec_f32;
typedef vec_double vec_f64;
typedef vec_int32_t vec_i32;
typedef vec_int64_t vec_i64;

#define ADD(a, b) ((a) + (b))
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define MAX(a, b) ((a) > (b) ? (a) : (b))
/* The same for lanes of vectors of the current row of the table. */
#define SELECT(mask, a, b) \
    ((SCAN_VALUES)(((SCAN_MASKS)(mask) & (SCAN_MASKS)(a)) | (~(SCAN_MASKS)(mask) & (SCAN_MASKS)(b))))
#define MIN_LANES(a, b) SELECT((a) < (b), a, b)
#define MAX_LANES(a, b) SELECT((a) > (b), a, b)

/* MIN and MAX of floats are those of their ranks (core/tiles.h); a NaN gets the rank that wins. */
#define FLIP(bits, i) ((i) ^ (((i) >> (bits - 1)) & INT##bits##_MAX))
#define RANK(bits, v, nan) SELECT((v) == (v), FLIP(bits, (SCAN_MASKS)(v)), ((SCAN_MASKS){0}) + (nan))
#define RANK_LOW_32(v) RANK(32, v, INT32_MIN)
#define RANK_LOW_64(v) RANK(64, v, INT64_MIN)
#define RANK_HIGH_32(v) RANK(32, v, INT32_MAX)
#define RANK_HIGH_64(v) RANK(64, v, INT64_MAX)
#define UNRANK_32(v) CANONICAL(32, (vec_f32)FLIP(32, v))
#define UNRANK_64(v) CANONICAL(64, (vec_f64)FLIP(64, v))

/* clang-format off */
/* The kernels' parameters; scan_tile.inc describes the columns:
 *                       element   value     bits op   vector op  identity    empty       load          store */
#define SCAN_ROW_sum_f32 float,    float,    32,  ADD, ADD,       (-0.0f),    0,          PLAIN,        CANONICAL_32
#define SCAN_ROW_sum_f64 double,   double,   64,  ADD, ADD,       (-0.0),     0,          PLAIN,        CANONICAL_64
#define SCAN_ROW_sum_u32 uint32_t, uint32_t, 32,  ADD, ADD,       0,          0,          PLAIN,        PLAIN
#define SCAN_ROW_sum_u64 uint64_t, uint64_t, 64,  ADD, ADD,       0,          0,          PLAIN,        PLAIN
#define SCAN_ROW_min_i32 int32_t,  int32_t,  32,  MIN, MIN_LANES, INT32_MAX,  INT32_MAX,  PLAIN,        PLAIN
#define SCAN_ROW_max_i32 int32_t,  int32_t,  32,  MAX, MAX_LANES, INT32_MIN,  INT32_MIN,  PLAIN,        PLAIN
#define SCAN_ROW_min_i64 int64_t,  int64_t,  64,  MIN, MIN_LANES, INT64_MAX,  INT64_MAX,  PLAIN,        PLAIN
#define SCAN_ROW_max_i64 int64_t,  int64_t,  64,  MAX, MAX_LANES, INT64_MIN,  INT64_MIN,  PLAIN,        PLAIN
#define SCAN_ROW_min_u32 uint32_t, uint32_t, 32,  MIN, MIN_LANES, UINT32_MAX, UINT32_MAX, PLAIN,        PLAIN
#define SCAN_ROW_max_u32 uint32_t, uint32_t, 32,  MAX, MAX_LANES, 0,          0,          PLAIN,        PLAIN
#define SCAN_ROW_min_u64 uint64_t, uint64_t, 64,  MIN, MIN_LANES, UINT64_MAX, UINT64_MAX, PLAIN,        PLAIN
#define SCAN_ROW_max_u64 uint64_t, uint64_t, 64,  MAX, MAX_LANES, 0,          0,          PLAIN,        PLAIN
#define SCAN_ROW_min_f32 float,    int32_t,  32,  MIN, MIN_LANES, POS_INF_32, INFINITY,   RANK_LOW_32,  UNRANK_32
#define SCAN_ROW_max_f32 float,    int32_t,  32,  MAX, MAX_LANES, NEG_INF_32, -INFINITY,  RANK_HIGH_32, UNRANK_32
#define SCAN_ROW_min_f64 double,   int64_t,  64,  MIN, MIN_LANES, POS_INF_64, INFINITY,   RANK_LOW_64,  UNRANK_64
#define SCAN_ROW_max_f64 double,   int64_t,  64,  MAX, MAX_LANES, NEG_INF_64, -INFINITY,  RANK_HIGH_64, UNRANK_64
/* clang-format on */
/* Ranks of the infinities. */
#define POS_INF_32 0x7f800000
#define NEG_INF_32 ((int32_t)(0xff800000 ^ INT32_MAX))
#define POS_INF_64 0x7ff0000000000000
#define NEG_INF_64 ((int64_t)(0xfff0000000000000 ^ INT64_MAX))

/* Columns of the row of the current SCAN_NAME. */
#define SCAN_ROW PASTE2(SCAN_ROW_, SCAN_NAME)
#define SCAN_ELEMENT SCAN_ELEMENT_OF(SCAN_ROW)
#define SCAN_ELEMENT_OF(...) SCAN_ELEMENT_OF_(__VA_ARGS__)
#define SCAN_ELEMENT_OF_(a, ...) a
#define SCAN_VALUE SCAN_VALUE_OF(SCAN_ROW)
#define SCAN_VALUE_OF(...) SCAN_VALUE_OF_(__VA_ARGS__)
#define SCAN_VALUE_OF_(a, b, ...) b
#define SCAN_BITS SCAN_BITS_OF(SCAN_ROW)
#define SCAN_BITS_OF(...) SCAN_BITS_OF_(__VA_ARGS__)
#define SCAN_BITS_OF_(a, b, c, ...) c
#define SCAN_OP(a, b) SCAN_OP_OF(SCAN_ROW)(a, b)
#define SCAN_OP_OF(...) SCAN_OP_OF_(__VA_ARGS__)
#define SCAN_OP_OF_(a, b, c, d, ...) d
#define SCAN_VECTOR_OP(a, b) SCAN_VECTOR_OP_OF(SCAN_ROW)(a, b)
#define SCAN_VECTOR_OP_OF(...) SCAN_VECTOR_OP_OF_(__VA_ARGS__)
#define SCAN_VECTOR_OP_OF_(a, b, c, d, e, ...) e
#define SCAN_IDENTITY SCAN_IDENTITY_OF(SCAN_ROW)
#define SCAN_IDENTITY_OF(...) SCAN_IDENTITY_OF_(__VA_ARGS__)
#define SCAN_IDENTITY_OF_(a, b, c, d, e, f, ...) f
#define SCAN_EMPTY SCAN_EMPTY_OF(SCAN_ROW)
#define SCAN_EMPTY_OF(...) SCAN_EMPTY_OF_(__VA_ARGS__)
#define SCAN_EMPTY_OF_(a, b, c, d, e, f, g, ...) g
#define SCAN_LOAD(v) SCAN_LOAD_OF(SCAN_ROW)(v)
#define SCAN_LOAD_OF(...) SCAN_LOAD_OF_(__VA_ARGS__)
#define SCAN_LOAD_OF_(a, b, c, d, e, f, g, h, ...) h
#define SCAN_STORE(v) SCAN_STORE_OF(SCAN_ROW)(v)
#define SCAN_STORE_OF(...) SCAN_STORE_OF_(__VA_ARGS__)
#define SCAN_STORE_OF_(a, b, c, d, e, f, g, h, i, ...) i

#define SCAN_NAME sum_f32
#include "core/cpu/scan_tile.inc"
#define SCAN_NAME sum_f64
#include "core/cpu/scan_tile.inc"
#define SCAN_NAME sum_u32
#include "core/cpu/scan_tile.inc"
#define SCAN_NAME sum_u64
#include "core/cpu/scan_tile.inc"
#define SCAN_NAME min_i32
#include "core/cpu/scan_tile.inc"
#define SCAN_NAME max_i32
#include "core/cpu/scan_tile.inc"
#define SCAN_NAME min_i64
#include "core/cpu/scan_tile.inc"
#define SCAN_NAME max_i64
#include "core/cpu/scan_tile.inc"
#define SCAN_NAME min_u32
#include "core/cpu/scan_tile.inc"
#define SCAN_NAME max_u32
#include "core/cpu/scan_tile.inc"
#define SCAN_NAME min_u64
#include "core/cpu/scan_tile.inc"
#define SCAN_NAME max_u64
#include "core/cpu/scan_tile.inc"
#define SCAN_NAME min_f32
#include "core/cpu/scan_tile.inc"
#define SCAN_NAME max_f32
#include "core/cpu/scan_tile.inc"
#define SCAN_NAME min_f64
#include "core/cpu/scan_tile.inc"
#define SCAN_NAME max_f64
#include "core/cpu/scan_tile.inc"

/* By operation and type; sums of signed integers wrap, so the unsigned kernels serve them. */
#define KERNELS(s, element)                                                                                      \
    {                                                                                                            \
        sizeof(element), sizeof(struct state_##s), store_empty_##s, totals_##s, carries_##s, total_##s, scan_##s \
    }
const struct bi_scan_table BI_LEVEL_NAME(bi_scan_table) = {{
    {KERNELS(sum_f32, float), KERNELS(sum_f64, double), KERNELS(sum_u32, uint32_t), KERNELS(sum_u64, uint64_t),
     KERNELS(sum_u32, uint32_t), KERNELS(sum_u64, uint64_t)},
    {KERNELS(min_f32, float), KERNELS(min_f64, double), KERNELS(min_i32, int32_t), KERNELS(min_i64, int64_t),
     KERNELS(min_u32, uint32_t), KERNELS(min_u64, uint64_t)},
    {KERNELS(max_f32, float), KERNELS(max_f64, double), KERNELS(max_i32, int32_t), KERNELS(max_i64, int64_t),
     KERNELS(max_u32, uint32_t), KERNELS(max_u64, uint64_t)},
}};
