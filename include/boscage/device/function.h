/* boscage/device/function.h - how the functions of the device headers are declared: inline, in C, C++ and CUDA.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BOSCAGE_DEVICE_FUNCTION_H
#define BOSCAGE_DEVICE_FUNCTION_H

#include <stdint.h>

#if defined(__CUDACC__)
#define BOSC_DEVICE_FN static __host__ __device__ __forceinline__
#else
#define BOSC_DEVICE_FN static inline
#endif

/* The same for functions that are called for one item: on the CPU too the compiler is not to weigh their size. */
#if defined(__GNUC__) && !defined(__CUDACC__)
#define BOSC_DEVICE_INLINE static inline __attribute__((always_inline))
#else
#define BOSC_DEVICE_INLINE BOSC_DEVICE_FN
#endif

/* Around functions that read arrays of a dtype told at run time: gcc, which does not know it, warns of the ends of a
 * caller's small array that a wider type would have. */
#if defined(__GNUC__) && !defined(__clang__) && !defined(__CUDACC__)
#define BOSC_BEGIN_DTYPES _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Wmaybe-uninitialized\"")
#define BOSC_END_DTYPES _Pragma("GCC diagnostic pop")
#else
#define BOSC_BEGIN_DTYPES
#define BOSC_END_DTYPES
#endif

#endif
