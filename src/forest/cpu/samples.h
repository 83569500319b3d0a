/* Sample positions among `count` items: multiplicative (Fibonacci) hashing spreads them evenly. */
#ifndef BI_FOREST_CPU_SAMPLES_H
#define BI_FOREST_CPU_SAMPLES_H

#include <stdint.h>

enum { BI_MSF_CPU_SAMPLES = 2048 };

static inline int64_t bi_msf_cpu_sample_index(int64_t i, int64_t count)
{
    return (int64_t)(((uint64_t)(i + 1) * 0x9e3779b97f4a7c15u >> 32) * (uint64_t)count >> 32);
}

#endif
