/* The operations of reductions and scans as types: conversion of elements to values and back, and the combination of
 * two values. Sums of floats keep the order of core/tiles.h; minima and maxima of floats compare their ranks as
 * integers. */
#ifndef BI_CORE_CUDA_OPS_CUH
#define BI_CORE_CUDA_OPS_CUH

#include <limits.h>

#include "core/cuda/launch.cuh"
#include "core/tiles.h"

template <class T> struct bi_sum_of { /* T is unsigned, for signed elements too: sums wrap */
    typedef T element;
    typedef T value;
    static __host__ __device__ __forceinline__ value to_value(element x) { return x; }
    static __host__ __device__ __forceinline__ value combine(value a, value b) { return a + b; }
    static __host__ __device__ __forceinline__ element to_element(value x) { return x; }
    static __host__ __device__ __forceinline__ value identity() { return 0; }
    static __host__ __device__ __forceinline__ element empty_result() { return 0; }
};

template <class T> struct bi_sum_of_floats {
    typedef T element;
    typedef T value;
    static __host__ __device__ __forceinline__ value to_value(element x) { return x; }
    static __host__ __device__ __forceinline__ value combine(value a, value b) { return a + b; }
    static __host__ __device__ __forceinline__ element to_element(value x) { return canonical(x); }
    static __host__ __device__ __forceinline__ value identity() { return T(-0.0); } /* x + -0 is x for every x */
    static __host__ __device__ __forceinline__ element empty_result() { return 0; }

  private:
    static __host__ __device__ __forceinline__ float canonical(float x) { return bi_canonical_f32(x); }
    static __host__ __device__ __forceinline__ double canonical(double x) { return bi_canonical_f64(x); }
};

/* Minimum or maximum of integers; LOW and HIGH are the limits of the type. */
template <class T, bool MAX, T LOW, T HIGH> struct bi_extreme_of {
    typedef T element;
    typedef T value;
    static __host__ __device__ __forceinline__ value to_value(element x) { return x; }
    static __host__ __device__ __forceinline__ value combine(value a, value b) { return (b < a) == MAX ? a : b; }
    static __host__ __device__ __forceinline__ element to_element(value x) { return x; }
    static __host__ __device__ __forceinline__ value identity() { return MAX ? LOW : HIGH; }
    static __host__ __device__ __forceinline__ element empty_result() { return identity(); }
};

template <bool MAX> struct bi_extreme_of_f32 : bi_extreme_of<int32_t, MAX, INT32_MIN, INT32_MAX> {
    typedef float element;
    static __host__ __device__ __forceinline__ int32_t to_value(element x)
    {
        return bi_rank_i32_of_f32(x, MAX ? INT32_MAX : INT32_MIN);
    }
    static __host__ __device__ __forceinline__ element to_element(int32_t x) { return bi_f32_of_rank(x); }
    static __host__ __device__ __forceinline__ element empty_result()
    {
        return bi_f32_from_bits(MAX ? 0xff800000u : 0x7f800000u);
    }
};

template <bool MAX> struct bi_extreme_of_f64 : bi_extreme_of<int64_t, MAX, INT64_MIN, INT64_MAX> {
    typedef double element;
    static __host__ __device__ __forceinline__ int64_t to_value(element x)
    {
        return bi_rank_i64_of_f64(x, MAX ? INT64_MAX : INT64_MIN);
    }
    static __host__ __device__ __forceinline__ element to_element(int64_t x) { return bi_f64_of_rank(x); }
    static __host__ __device__ __forceinline__ element empty_result()
    {
        return bi_f64_from_bits(MAX ? 0xfff0000000000000ull : 0x7ff0000000000000ull);
    }
};

template <bool MAX, class F> bosc_status bi_with_extreme(bosc_ctx *ctx, bosc_dtype dtype, const F &f)
{
    switch (dtype) {
    case BOSC_F32: return f.template launch<bi_extreme_of_f32<MAX>>(ctx);
    case BOSC_F64: return f.template launch<bi_extreme_of_f64<MAX>>(ctx);
    case BOSC_I32: return f.template launch<bi_extreme_of<int32_t, MAX, INT32_MIN, INT32_MAX>>(ctx);
    case BOSC_I64: return f.template launch<bi_extreme_of<int64_t, MAX, INT64_MIN, INT64_MAX>>(ctx);
    case BOSC_U32: return f.template launch<bi_extreme_of<uint32_t, MAX, 0, UINT32_MAX>>(ctx);
    case BOSC_U64: return f.template launch<bi_extreme_of<uint64_t, MAX, 0, UINT64_MAX>>(ctx);
    default: break;
    }
    return bi_fail(ctx, BOSC_ERR_INTERNAL, "dtype: %d has no order here", (int)dtype);
}

/* Calls f.launch<operation>(ctx) for the operation that op and dtype name. */
template <class F> bosc_status bi_with_operation(bosc_ctx *ctx, bosc_op op, bosc_dtype dtype, const F &f)
{
    if (op == BOSC_MIN) return bi_with_extreme<false>(ctx, dtype, f);
    if (op == BOSC_MAX) return bi_with_extreme<true>(ctx, dtype, f);
    switch (dtype) {
    case BOSC_F32: return f.template launch<bi_sum_of_floats<float>>(ctx);
    case BOSC_F64: return f.template launch<bi_sum_of_floats<double>>(ctx);
    case BOSC_I32:
    case BOSC_U32: return f.template launch<bi_sum_of<uint32_t>>(ctx);
    case BOSC_I64:
    case BOSC_U64: return f.template launch<bi_sum_of<uint64_t>>(ctx);
    default: break;
    }
    return bi_fail(ctx, BOSC_ERR_INTERNAL, "dtype: %d has no sum here", (int)dtype);
}

/* Elements of 16 bytes. */
template <class T> static constexpr int bi_vector_length = (int)(16 / sizeof(T));
template <class T> struct alignas(16) bi_vector {
    T of[bi_vector_length<T>];
};

/* Loads COUNT vectors, `step` elements apart, from element i on; elements beyond n are `other`. All loads are issued
 * before the first is used. */
template <int COUNT, class T>
__device__ __forceinline__ void bi_load_vectors(const T *in, int64_t i, int64_t step, int64_t n, T other,
                                                bi_vector<T> x[COUNT])
{
    const bool whole = i + (COUNT - 1) * step + bi_vector_length<T> <= n;
    if (whole && reinterpret_cast<uintptr_t>(in) % 16 == 0) {
#pragma unroll
        for (int c = 0; c < COUNT; c++) x[c] = *reinterpret_cast<const bi_vector<T> *>(in + i + c * step);
        return;
    }
#pragma unroll
    for (int c = 0; c < COUNT; c++)
        for (int k = 0; k < bi_vector_length<T>; k++) x[c].of[k] = i + c * step + k < n ? in[i + c * step + k] : other;
}

/* Stores a vector; elements beyond n are left out. */
template <class T> __device__ __forceinline__ void bi_store_vector(T *out, int64_t i, int64_t n, const bi_vector<T> &x)
{
    if (i + bi_vector_length<T> <= n && reinterpret_cast<uintptr_t>(out) % 16 == 0) {
        *reinterpret_cast<bi_vector<T> *>(out + i) = x;
        return;
    }
    for (int k = 0; k < bi_vector_length<T>; k++)
        if (i + k < n) out[i + k] = x.of[k];
}

#endif
