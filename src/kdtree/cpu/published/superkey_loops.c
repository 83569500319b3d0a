/* The loops of the published method that compare rows by superkey (superkey_loops.inc), for each type of coordinate. */
#include "kdtree/cpu/published/published.h"
#include "kdtree/order.h"

enum { PREFETCH_DISTANCE = 16 }; /* references ahead, as their rows are in random positions; chosen */

#define LOOPS_SUFFIX f32
#define LOOPS_COORDINATE float
#define LOOPS_KEY uint32_t
#define LOOPS_KEY_OF(x) bi_key_u32_of_f32(x)
#include "kdtree/cpu/published/superkey_loops.inc"

#define LOOPS_SUFFIX f64
#define LOOPS_COORDINATE double
#define LOOPS_KEY uint64_t
#define LOOPS_KEY_OF(x) bi_key_u64_of_f64(x)
#include "kdtree/cpu/published/superkey_loops.inc"

#define LOOPS_SUFFIX i32
#define LOOPS_COORDINATE int32_t
#define LOOPS_KEY uint32_t
#define LOOPS_KEY_OF(x) bi_key_u32_of_i32(x)
#include "kdtree/cpu/published/superkey_loops.inc"

#define LOOPS_SUFFIX i64
#define LOOPS_COORDINATE int64_t
#define LOOPS_KEY uint64_t
#define LOOPS_KEY_OF(x) bi_key_u64_of_i64(x)
#include "kdtree/cpu/published/superkey_loops.inc"

const struct bi_kdtree_superkey_loops *bi_kdtree_superkey_loops(bosc_dtype dtype)
{
    switch (dtype) {
    case BOSC_F32: return &loops_f32;
    case BOSC_F64: return &loops_f64;
    case BOSC_I32: return &loops_i32;
    default: return &loops_i64;
    }
}
