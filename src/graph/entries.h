/* The caller's entries, edges or arcs with weights, and weights as keys: unsigned integers of the weight's size with
 * the order of the weights. */
#ifndef BI_GRAPH_ENTRIES_H
#define BI_GRAPH_ENTRIES_H

#include <boscage/base.h>

#include "base/bits.h"
#include "base/search.h"

/* ---- weights as keys ---- */

BI_FN bool bi_graph_has_64bit_keys(bosc_dtype dtype)
{
    return dtype == BOSC_F64 || dtype == BOSC_I64 || dtype == BOSC_U64;
}

/* The key of a NaN: above the key of infinity, and of no number of a float type. */
BI_FN uint64_t bi_graph_nan_key(bosc_dtype dtype) { return dtype == BOSC_F32 ? UINT32_MAX : UINT64_MAX; }

BI_FN bool bi_graph_is_nan_key(bosc_dtype dtype, uint64_t key)
{
    return (dtype == BOSC_F32 || dtype == BOSC_F64) && key == bi_graph_nan_key(dtype);
}

BI_FN uint64_t bi_graph_key_of_f32(float x) { return x != x ? bi_graph_nan_key(BOSC_F32) : bi_key_u32_of_f32(x); }
BI_FN uint64_t bi_graph_key_of_f64(double x) { return x != x ? bi_graph_nan_key(BOSC_F64) : bi_key_u64_of_f64(x); }

/* Weight i as a key. -0 becomes +0. */
BI_FN uint64_t bi_graph_weight_key(const void *weights, bosc_dtype dtype, int64_t i)
{
    switch (dtype) {
    case BOSC_F32: return bi_graph_key_of_f32(((const float *)weights)[i]);
    case BOSC_F64: return bi_graph_key_of_f64(((const double *)weights)[i]);
    case BOSC_I32: return bi_key_u32_of_i32(((const int32_t *)weights)[i]);
    case BOSC_I64: return bi_key_u64_of_i64(((const int64_t *)weights)[i]);
    case BOSC_U64: return ((const uint64_t *)weights)[i];
    default: return ((const uint32_t *)weights)[i];
    }
}

/* The key of the weight 1. */
BI_FN uint64_t bi_graph_key_of_one(bosc_dtype dtype)
{
    switch (dtype) {
    case BOSC_F32: return bi_key_u32_of_f32(1);
    case BOSC_F64: return bi_key_u64_of_f64(1);
    case BOSC_I32: return bi_key_u32_of_i32(1);
    case BOSC_I64: return bi_key_u64_of_i64(1);
    default: return 1;
    }
}

/* Stores the weight of a key; a NaN is quiet, without sign and payload. */
BI_FN void bi_graph_set_weight(void *weights, bosc_dtype dtype, int64_t i, uint64_t key)
{
    switch (dtype) {
    case BOSC_F32:
        ((float *)weights)[i] =
            bi_graph_is_nan_key(dtype, key) ? bi_f32_from_bits(0x7fc00000u) : bi_f32_of_key((uint32_t)key);
        break;
    case BOSC_F64:
        ((double *)weights)[i] =
            bi_graph_is_nan_key(dtype, key) ? bi_f64_from_bits(0x7ff8000000000000ull) : bi_f64_of_key(key);
        break;
    case BOSC_I32: ((uint32_t *)weights)[i] = (uint32_t)key ^ 0x80000000u; break;
    case BOSC_I64: ((uint64_t *)weights)[i] = key ^ 0x8000000000000000ull; break;
    case BOSC_U64: ((uint64_t *)weights)[i] = key; break;
    default: ((uint32_t *)weights)[i] = (uint32_t)key; break;
    }
}

/* ---- entries ---- */

/* In the backend's memory. */
struct bi_graph_entries {
    int64_t n, m;
    const void *u, *v;
    bool u_is_64bit, v_is_64bit; /* ids are 64-bit, else 32-bit */
    const void *weights;         /* NULL: all 1 */
    bosc_dtype dtype;
};

BI_FN uint64_t bi_graph_entry_weight(const struct bi_graph_entries *e, int64_t i)
{
    return e->weights ? bi_graph_weight_key(e->weights, e->dtype, i) : bi_graph_key_of_one(e->dtype);
}

#endif
