#include "core/cpu/level.h"

bosc_cpu_level bi_cpu_best_level(void)
{
#if defined(__x86_64__)
    __builtin_cpu_init();
    int v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
             __builtin_cpu_supports("fma") && __builtin_cpu_supports("popcnt");
    int v4 = v3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
             __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
             __builtin_cpu_supports("avx512vl");
    return v4 ? BOSC_CPU_V4 : v3 ? BOSC_CPU_V3 : BOSC_CPU_V1;
#else
    return BOSC_CPU_V1;
#endif
}
