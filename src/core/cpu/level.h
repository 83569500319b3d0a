/* CPU levels: hot files are compiled once for each level (cmake/bosc_compile.cmake); a context selects one. */
#ifndef BI_CORE_CPU_LEVEL_H
#define BI_CORE_CPU_LEVEL_H

#include <stdbool.h>

#include <boscage/context.h>

/* BI_LEVEL_NAME(foo) in a hot file is foo_v1, foo_v3 or foo_v4. */
#define BI_LEVEL_JOIN_(name, level) name##_v##level
#define BI_LEVEL_JOIN(name, level) BI_LEVEL_JOIN_(name, level)
#define BI_LEVEL_NAME(name) BI_LEVEL_JOIN(name, BI_LEVEL)

/* The highest level that is compiled: BOSC_CPU_LEVEL of the build. Machines other than x86-64 have only v1. */
#if !defined(__x86_64__)
#undef BI_LAST_LEVEL
#define BI_LAST_LEVEL 1
#elif !defined(BI_LAST_LEVEL)
#define BI_LAST_LEVEL 4
#endif

/* Selects one of the compiled tables. */
#if BI_LAST_LEVEL == 4
#define BI_LEVEL_PICK(level, name) \
    ((level) == BOSC_CPU_V4 ? &name##_v4 : (level) == BOSC_CPU_V3 ? &name##_v3 : &name##_v1)
#elif BI_LAST_LEVEL == 3
#define BI_LEVEL_PICK(level, name) ((level) == BOSC_CPU_V3 ? &name##_v3 : &name##_v1)
#else
#define BI_LEVEL_PICK(level, name) ((void)(level), &name##_v1)
#endif

/* Returns the highest level that is compiled and that this machine's instructions allow. */
bosc_cpu_level bi_cpu_best_level(void);

/* True on CPUs where a store that misses the first-level cache stalls later stores, so that prefetching for writes
 * pays: measured on Intel, not on Zen 4 (docs/performance.md). */
bool bi_cpu_stores_wait(void);

#endif
