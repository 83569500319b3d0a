#include "core/cpu/level.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

#if BI_LAST_LEVEL > 1
/* F16C, MOVBE and LZCNT, which __builtin_cpu_supports of some compilers does not know. */
static bool has_f16c_movbe_lzcnt(void)
{
    const unsigned f16c = 1U << 29, movbe = 1U << 22, lzcnt = 1U << 5;
    unsigned a = 0, b = 0, c = 0, d = 0;
    if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & f16c) || !(c & movbe)) return false;
    return __get_cpuid(0x80000001, &a, &b, &c, &d) && (c & lzcnt);
}
#endif

bosc_cpu_level bi_cpu_best_level(void)
{
#if BI_LAST_LEVEL > 1
    __builtin_cpu_init();
    int v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
             __builtin_cpu_supports("fma") && __builtin_cpu_supports("popcnt") && has_f16c_movbe_lzcnt();
    int v4 = v3 && BI_LAST_LEVEL == 4 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
             __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
             __builtin_cpu_supports("avx512vl");
    return v4 ? BOSC_CPU_V4 : v3 ? BOSC_CPU_V3 : BOSC_CPU_V1;
#else
    return BOSC_CPU_V1;
#endif
}

bool bi_cpu_stores_wait(void)
{
#if defined(__x86_64__)
    __builtin_cpu_init();
    return __builtin_cpu_is("intel");
#else
    return false;
#endif
}
