/* Kernels of sums and scans, in vectors of the level's width: reads at the memory's speed on one core. */
#include <math.h>
#include <string.h>

#include "core/cpu/level.h"
#include "core/cpu/scan_kernels.h"

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

/* EVEN(bits), ODD(bits): every other lane of two vectors.
 * BI_UP(bits, k, v, w): lane i with bit k set gets the last lane of v before its aligned block of 2^k lanes, the
 * others get the lane of w. BI_LAST(bits, v): the last lane in every lane. */
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
/* Levels beyond the width are not reached. */
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
#define EVEN(bits) PASTE2(EVEN_, PASTE2(LANES_, bits))
#define ODD(bits) PASTE2(ODD_, PASTE2(LANES_, bits))
#define BI_LAST(bits, v) __builtin_shufflevector(v, v, PASTE2(LAST_, PASTE2(LANES_, bits)))

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

/* Floats in sums: a NaN in a result is the canonical one. */
#define QUIET_32 0x7fc00000
#define QUIET_64 0x7ff8000000000000
#define CANONICAL(bits, v)                                                                  \
    ((PASTE2(vec_f, bits))(((PASTE2(vec_i, bits))((v) == (v)) & (PASTE2(vec_i, bits))(v)) | \
                           ((PASTE2(vec_i, bits))((v) != (v)) & (((PASTE2(vec_i, bits)){0}) + PASTE2(QUIET_, bits)))))
typedef vec_float vec_f32;
typedef vec_double vec_f64;
typedef vec_int32_t vec_i32;
typedef vec_int64_t vec_i64;

#define ADD(a, b) ((a) + (b))
#define S sum_f32
#define E float
#define T float
#define I int32_t
#define BITS 32
#define OP(a, b) ADD(a, b)
#define VOP(a, b) ADD(a, b)
#define IDENTITY (-0.0f)
#define NOTHING 0
#define LOAD(v) PLAIN(v)
#define STORE(v) CANONICAL(32, v)
#include "core/cpu/scan_tile.inc"

#define S sum_f64
#define E double
#define T double
#define I int64_t
#define BITS 64
#define OP(a, b) ADD(a, b)
#define VOP(a, b) ADD(a, b)
#define IDENTITY (-0.0)
#define NOTHING 0
#define LOAD(v) PLAIN(v)
#define STORE(v) CANONICAL(64, v)
#include "core/cpu/scan_tile.inc"

#define S sum_u32
#define E uint32_t
#define T uint32_t
#define I int32_t
#define BITS 32
#define OP(a, b) ADD(a, b)
#define VOP(a, b) ADD(a, b)
#define IDENTITY 0
#define NOTHING 0
#define LOAD(v) PLAIN(v)
#define STORE(v) PLAIN(v)
#include "core/cpu/scan_tile.inc"

#define S sum_u64
#define E uint64_t
#define T uint64_t
#define I int64_t
#define BITS 64
#define OP(a, b) ADD(a, b)
#define VOP(a, b) ADD(a, b)
#define IDENTITY 0
#define NOTHING 0
#define LOAD(v) PLAIN(v)
#define STORE(v) PLAIN(v)
#include "core/cpu/scan_tile.inc"

/* The lesser of two, and the greater: numbers, and lanes of vectors of integers. */
#define LESS(a, b) ((a) < (b) ? (a) : (b))
#define MORE(a, b) ((a) > (b) ? (a) : (b))
#define LESS_LANES(type, bits, a, b) PICK(type, bits, (a) < (b), a, b)
#define MORE_LANES(type, bits, a, b) PICK(type, bits, (a) > (b), a, b)
#define PICK(type, bits, mask, a, b) \
    ((vec_##type)(((vec_i##bits)(mask) & (vec_i##bits)(a)) | (~(vec_i##bits)(mask) & (vec_i##bits)(b))))

#define S min_i32
#define E int32_t
#define T int32_t
#define I int32_t
#define BITS 32
#define OP(a, b) LESS(a, b)
#define VOP(a, b) LESS_LANES(int32_t, 32, a, b)
#define IDENTITY INT32_MAX
#define NOTHING INT32_MAX
#define LOAD(v) PLAIN(v)
#define STORE(v) PLAIN(v)
#include "core/cpu/scan_tile.inc"

#define S max_i32
#define E int32_t
#define T int32_t
#define I int32_t
#define BITS 32
#define OP(a, b) MORE(a, b)
#define VOP(a, b) MORE_LANES(int32_t, 32, a, b)
#define IDENTITY INT32_MIN
#define NOTHING INT32_MIN
#define LOAD(v) PLAIN(v)
#define STORE(v) PLAIN(v)
#include "core/cpu/scan_tile.inc"

#define S min_i64
#define E int64_t
#define T int64_t
#define I int64_t
#define BITS 64
#define OP(a, b) LESS(a, b)
#define VOP(a, b) LESS_LANES(int64_t, 64, a, b)
#define IDENTITY INT64_MAX
#define NOTHING INT64_MAX
#define LOAD(v) PLAIN(v)
#define STORE(v) PLAIN(v)
#include "core/cpu/scan_tile.inc"

#define S max_i64
#define E int64_t
#define T int64_t
#define I int64_t
#define BITS 64
#define OP(a, b) MORE(a, b)
#define VOP(a, b) MORE_LANES(int64_t, 64, a, b)
#define IDENTITY INT64_MIN
#define NOTHING INT64_MIN
#define LOAD(v) PLAIN(v)
#define STORE(v) PLAIN(v)
#include "core/cpu/scan_tile.inc"

#define S min_u32
#define E uint32_t
#define T uint32_t
#define I int32_t
#define BITS 32
#define OP(a, b) LESS(a, b)
#define VOP(a, b) LESS_LANES(uint32_t, 32, a, b)
#define IDENTITY UINT32_MAX
#define NOTHING UINT32_MAX
#define LOAD(v) PLAIN(v)
#define STORE(v) PLAIN(v)
#include "core/cpu/scan_tile.inc"

#define S max_u32
#define E uint32_t
#define T uint32_t
#define I int32_t
#define BITS 32
#define OP(a, b) MORE(a, b)
#define VOP(a, b) MORE_LANES(uint32_t, 32, a, b)
#define IDENTITY 0
#define NOTHING 0
#define LOAD(v) PLAIN(v)
#define STORE(v) PLAIN(v)
#include "core/cpu/scan_tile.inc"

#define S min_u64
#define E uint64_t
#define T uint64_t
#define I int64_t
#define BITS 64
#define OP(a, b) LESS(a, b)
#define VOP(a, b) LESS_LANES(uint64_t, 64, a, b)
#define IDENTITY UINT64_MAX
#define NOTHING UINT64_MAX
#define LOAD(v) PLAIN(v)
#define STORE(v) PLAIN(v)
#include "core/cpu/scan_tile.inc"

#define S max_u64
#define E uint64_t
#define T uint64_t
#define I int64_t
#define BITS 64
#define OP(a, b) MORE(a, b)
#define VOP(a, b) MORE_LANES(uint64_t, 64, a, b)
#define IDENTITY 0
#define NOTHING 0
#define LOAD(v) PLAIN(v)
#define STORE(v) PLAIN(v)
#include "core/cpu/scan_tile.inc"

/* MIN and MAX of floats are those of their ranks (core/tiles.h). */
#define FLIP(bits, i) ((i) ^ (((i) >> (bits - 1)) & INT##bits##_MAX))
#define RANK(type, bits, v, nan) PICK(type, bits, (v) == (v), FLIP(bits, (vec_i##bits)(v)), ((vec_i##bits){0}) + (nan))
#define UNRANK(bits, v) CANONICAL(bits, (vec_f##bits)FLIP(bits, v))

#define S min_f32
#define E float
#define T int32_t
#define I int32_t
#define BITS 32
#define OP(a, b) LESS(a, b)
#define VOP(a, b) LESS_LANES(int32_t, 32, a, b)
#define IDENTITY 0x7f800000
#define NOTHING INFINITY
#define LOAD(v) RANK(int32_t, 32, v, INT32_MIN)
#define STORE(v) UNRANK(32, v)
#include "core/cpu/scan_tile.inc"

#define S max_f32
#define E float
#define T int32_t
#define I int32_t
#define BITS 32
#define OP(a, b) MORE(a, b)
#define VOP(a, b) MORE_LANES(int32_t, 32, a, b)
#define IDENTITY (int32_t)(0xff800000 ^ INT32_MAX)
#define NOTHING -INFINITY
#define LOAD(v) RANK(int32_t, 32, v, INT32_MAX)
#define STORE(v) UNRANK(32, v)
#include "core/cpu/scan_tile.inc"

#define S min_f64
#define E double
#define T int64_t
#define I int64_t
#define BITS 64
#define OP(a, b) LESS(a, b)
#define VOP(a, b) LESS_LANES(int64_t, 64, a, b)
#define IDENTITY 0x7ff0000000000000
#define NOTHING INFINITY
#define LOAD(v) RANK(int64_t, 64, v, INT64_MIN)
#define STORE(v) UNRANK(64, v)
#include "core/cpu/scan_tile.inc"

#define S max_f64
#define E double
#define T int64_t
#define I int64_t
#define BITS 64
#define OP(a, b) MORE(a, b)
#define VOP(a, b) MORE_LANES(int64_t, 64, a, b)
#define IDENTITY (int64_t)(0xfff0000000000000 ^ INT64_MAX)
#define NOTHING -INFINITY
#define LOAD(v) RANK(int64_t, 64, v, INT64_MAX)
#define STORE(v) UNRANK(64, v)
#include "core/cpu/scan_tile.inc"

#define KERNELS(s, element)                                                                                  \
    {                                                                                                        \
        sizeof(element), sizeof(struct state_##s), nothing_##s, totals_##s, carries_##s, total_##s, scan_##s \
    }
const struct bi_scan_table BI_LEVEL_NAME(bi_scan_table) = {{
    {KERNELS(sum_f32, float), KERNELS(sum_f64, double), KERNELS(sum_u32, uint32_t), KERNELS(sum_u64, uint64_t),
     KERNELS(sum_u32, uint32_t), KERNELS(sum_u64, uint64_t)},
    {KERNELS(min_f32, float), KERNELS(min_f64, double), KERNELS(min_i32, int32_t), KERNELS(min_i64, int64_t),
     KERNELS(min_u32, uint32_t), KERNELS(min_u64, uint64_t)},
    {KERNELS(max_f32, float), KERNELS(max_f64, double), KERNELS(max_i32, int32_t), KERNELS(max_i64, int64_t),
     KERNELS(max_u32, uint32_t), KERNELS(max_u64, uint64_t)},
}};
