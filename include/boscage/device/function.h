/* boscage/device/function.h - declarations of the device headers' functions: inline, in C, C++ and CUDA.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Family: points, graphs and keys
 * Start with: boscage/device/kdtree.h, boscage/device/hash.h */
#ifndef BOSCAGE_DEVICE_FUNCTION_H
#define BOSCAGE_DEVICE_FUNCTION_H

#include <stdint.h>

#if defined(__CUDACC__)
#define BOSC_DEVICE_FN static __host__ __device__ __forceinline__
#else
#define BOSC_DEVICE_FN static inline
#endif

/* Like BOSC_DEVICE_FN, for functions called for one item: always inlined on the CPU too. */
#if defined(__GNUC__) && !defined(__CUDACC__)
#define BOSC_DEVICE_INLINE static inline __attribute__((always_inline))
#else
#define BOSC_DEVICE_INLINE BOSC_DEVICE_FN
#endif

/* Encloses functions that read arrays of a dtype known at run time only. gcc otherwise warns that a wider type would
 * read beyond the caller's small array. */
#if defined(__GNUC__) && !defined(__clang__) && !defined(__CUDACC__)
#define BOSC_BEGIN_DTYPES _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Wmaybe-uninitialized\"")
#define BOSC_END_DTYPES _Pragma("GCC diagnostic pop")
#else
#define BOSC_BEGIN_DTYPES
#define BOSC_END_DTYPES
#endif

#endif
