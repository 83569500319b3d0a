/* CPU levels: hot files are compiled once for each (cmake/bosc_compile.cmake), and a context chooses when it opens. */
#ifndef BI_CORE_CPU_LEVEL_H
#define BI_CORE_CPU_LEVEL_H

#include <stdbool.h>

#include <boscage/context.h>

/* BI_LEVEL_NAME(foo) in a hot file is foo_v1, foo_v3 or foo_v4. */
#define BI_LEVEL_JOIN_(name, level) name##_v##level
#define BI_LEVEL_JOIN(name, level) BI_LEVEL_JOIN_(name, level)
#define BI_LEVEL_NAME(name) BI_LEVEL_JOIN(name, BI_LEVEL)

/* Chooses one of the three tables; on machines other than x86-64 there is only v1. */
#if defined(__x86_64__)
#define BI_LEVEL_PICK(level, name) \
    ((level) == BOSC_CPU_V4 ? &name##_v4 : (level) == BOSC_CPU_V3 ? &name##_v3 : &name##_v1)
#else
#define BI_LEVEL_PICK(level, name) ((void)(level), &name##_v1)
#endif

bosc_cpu_level bi_cpu_best_level(void);

/* Whether stores wait long for lines that the first cache has not, those behind them too, so that it pays to ask for
 * lines ahead: on processors of Intel it does, on a Zen 4 it did not (bench/results/hash.md). */
bool bi_cpu_stores_wait(void);

#endif
