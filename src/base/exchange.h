/* Words of 64 bits that steps fill while others look: an addition to base/atomic.h. */
#ifndef BI_BASE_EXCHANGE_H
#define BI_BASE_EXCHANGE_H

#include "base/atomic.h"

/* A word that other items may write meanwhile, or what it was before: the device may have that near. */
BI_FN uint64_t bi_glance_u64(const uint64_t *from)
{
#ifdef __CUDA_ARCH__
    return bi_load_hint((const unsigned long long *)from);
#else
    return bi_peek_u64(from);
#endif
}

/* *to = value if it is `expected`; what it was. */
BI_FN uint64_t bi_exchange_u64(uint64_t *to, uint64_t expected, uint64_t value)
{
#ifdef __CUDA_ARCH__
    return atomicCAS((unsigned long long *)to, (unsigned long long)expected, (unsigned long long)value);
#else
    __atomic_compare_exchange_n(to, &expected, value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    return expected;
#endif
}

#endif
