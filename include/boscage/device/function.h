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

#endif
