/* Declares steps: functions compiled both by the C compiler for the CPU and by nvcc for the device. */
#ifndef BI_BASE_STEP_H
#define BI_BASE_STEP_H

#include <stdint.h>

#if defined(__CUDACC__)
#define BI_FN static __host__ __device__ __forceinline__
#elif defined(BI_ONE_COPY) /* builds that measure coverage: inlined copies would each have their own counters */
#define BI_FN static __attribute__((unused))
#elif defined(BI_CALL_STEPS) /* test builds (sanitizers, emulator): forced inlining takes minutes to compile */
#define BI_FN static inline __attribute__((unused))
#else
#define BI_FN static inline __attribute__((always_inline))
#endif

/* The same for long functions with many callers: never inlined. */
#if defined(__CUDACC__)
#define BI_CALLED_FN static __host__ __device__ __noinline__
#else
#define BI_CALLED_FN static __attribute__((noinline, unused))
#endif

/* The same for long functions that the CPU calls, where copies take minutes to compile and save nothing, but that a
 * device needs inlined: a call there spills registers. */
#if defined(__CUDACC__)
#define BI_LONG_FN BI_FN
#else
#define BI_LONG_FN BI_CALLED_FN
#endif

#endif
