/* How a step is declared: one function, compiled by the C compiler for the CPU and by nvcc for the device. */
#ifndef BI_BASE_STEP_H
#define BI_BASE_STEP_H

#include <stdint.h>

#if defined(__CUDACC__)
#define BI_FN static __host__ __device__ __forceinline__
#elif defined(BI_ONE_COPY) /* where coverage is counted, copies would have counts of their own */
#define BI_FN static __attribute__((unused))
#elif defined(BI_CALL_STEPS) /* tests alone (sanitizers, emulator, no OpenMP): copies take minutes to compile */
#define BI_FN static inline __attribute__((unused))
#else
#define BI_FN static inline __attribute__((always_inline))
#endif

/* The same for what is long and called from many places: it stays a function. */
#if defined(__CUDACC__)
#define BI_CALLED_FN static __host__ __device__ __noinline__
#else
#define BI_CALLED_FN static __attribute__((noinline, unused))
#endif

#endif
