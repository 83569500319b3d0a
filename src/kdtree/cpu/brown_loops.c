/* The loops of the published method that compare rows by superkey, for each type of coordinate. */
#include "kdtree/cpu/brown.h"
#include "kdtree/order.h"

enum { AHEAD = 16 }; /* references whose rows, in random places, are on their way to the cache */

#define S f32
#define C float
#define K uint32_t
#define KEY(x) bi_key_u32_of_f32(x)
#include "kdtree/cpu/brown_loops.inc"

#define S f64
#define C double
#define K uint64_t
#define KEY(x) bi_key_u64_of_f64(x)
#include "kdtree/cpu/brown_loops.inc"

#define S i32
#define C int32_t
#define K uint32_t
#define KEY(x) bi_key_u32_of_i32(x)
#include "kdtree/cpu/brown_loops.inc"

#define S i64
#define C int64_t
#define K uint64_t
#define KEY(x) bi_key_u64_of_i64(x)
#include "kdtree/cpu/brown_loops.inc"

const struct bi_kdtree_brown_loops *bi_kdtree_brown_loops(bosc_dtype dtype)
{
    switch (dtype) {
    case BOSC_F32: return &loops_f32;
    case BOSC_F64: return &loops_f64;
    case BOSC_I32: return &loops_i32;
    default: return &loops_i64;
    }
}
