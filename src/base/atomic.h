/* Relaxed atomic operations of steps, on the CPU and on the device: they order no other access. They are used only
 * where the order of threads cannot show in a result. */
#ifndef BI_BASE_ATOMIC_H
#define BI_BASE_ATOMIC_H

#include <stdbool.h>

#include "base/step.h"

#ifdef __CUDA_ARCH__
#define BI_ATOMIC_MIN(type, device_type, to, value) atomicMin((device_type *)(to), (device_type)(value))
#else
#define BI_ATOMIC_MIN(type, device_type, to, value)                                                         \
    do {                                                                                                    \
        type seen_ = __atomic_load_n(to, __ATOMIC_RELAXED);                                                 \
        while ((value) < seen_ &&                                                                           \
               !__atomic_compare_exchange_n(to, &seen_, value, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) { \
        }                                                                                                   \
    } while (0)
#endif

/* *to = min(*to, value). */
BI_FN void bi_atomic_min_i64(int64_t *to, int64_t value) { BI_ATOMIC_MIN(int64_t, long long, to, value); }
BI_FN void bi_atomic_min_u32(uint32_t *to, uint32_t value) { BI_ATOMIC_MIN(uint32_t, unsigned, to, value); }
BI_FN void bi_atomic_min_u64(uint64_t *to, uint64_t value) { BI_ATOMIC_MIN(uint64_t, unsigned long long, to, value); }

#undef BI_ATOMIC_MIN

/* *to = min(*to, value). Returns the previous value. */
BI_FN uint64_t bi_atomic_fetch_min_u64(uint64_t *to, uint64_t value)
{
#ifdef __CUDA_ARCH__
    return atomicMin((unsigned long long *)to, (unsigned long long)value);
#else
    uint64_t seen = __atomic_load_n(to, __ATOMIC_RELAXED);
    while (value < seen && !__atomic_compare_exchange_n(to, &seen, value, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    }
    return seen;
#endif
}

/* *to = max(*to, value). Reads first, which is cheap where *to is large enough already. */
BI_FN void bi_atomic_max_u32(uint32_t *to, uint32_t value)
{
#ifdef __CUDA_ARCH__
    if (__ldcg(to) < value) atomicMax(to, value);
#else
    uint32_t seen = __atomic_load_n(to, __ATOMIC_RELAXED);
    while (seen < value && !__atomic_compare_exchange_n(to, &seen, value, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    }
#endif
}

/* *to |= bits. Reads first, which is cheap where the bits are set already. */
BI_FN void bi_atomic_or_u32(uint32_t *to, uint32_t bits)
{
#ifdef __CUDA_ARCH__
    if ((__ldcg(to) & bits) != bits) atomicOr(to, bits);
#else
    if ((__atomic_load_n(to, __ATOMIC_RELAXED) & bits) != bits) __atomic_fetch_or(to, bits, __ATOMIC_RELAXED);
#endif
}

BI_FN void bi_atomic_or_u64(uint64_t *to, uint64_t bits)
{
#ifdef __CUDA_ARCH__
    if ((__ldcg((const unsigned long long *)to) & bits) != bits)
        atomicOr((unsigned long long *)to, (unsigned long long)bits);
#else
    if ((__atomic_load_n(to, __ATOMIC_RELAXED) & bits) != bits) __atomic_fetch_or(to, bits, __ATOMIC_RELAXED);
#endif
}

/* *to |= bits. Returns the previous value. */
BI_FN uint32_t bi_atomic_fetch_or_u32(uint32_t *to, uint32_t bits)
{
#ifdef __CUDA_ARCH__
    return atomicOr(to, bits);
#else
    return __atomic_fetch_or(to, bits, __ATOMIC_RELAXED);
#endif
}

/* *to += amount. Returns the previous value. The order in which items reserve slots must not show in a result. */
BI_FN uint64_t bi_atomic_fetch_add_u64(uint64_t *to, uint64_t amount)
{
#ifdef __CUDA_ARCH__
    return atomicAdd((unsigned long long *)to, (unsigned long long)amount);
#else
    return __atomic_fetch_add(to, amount, __ATOMIC_RELAXED);
#endif
}

BI_FN uint32_t bi_atomic_fetch_add_u32(uint32_t *to, uint32_t amount)
{
#ifdef __CUDA_ARCH__
    return atomicAdd(to, amount);
#else
    return __atomic_fetch_add(to, amount, __ATOMIC_RELAXED);
#endif
}

/* Loads and stores of words that other items may write concurrently. On the device they use core/cuda/simt.cuh, which
 * .cu files include first. */
BI_FN uint32_t bi_atomic_load_u32(const uint32_t *from)
{
#ifdef __CUDA_ARCH__
    return bi_load_relaxed((const unsigned *)from);
#else
    return __atomic_load_n(from, __ATOMIC_RELAXED);
#endif
}

BI_FN uint64_t bi_atomic_load_u64(const uint64_t *from)
{
#ifdef __CUDA_ARCH__
    return bi_load_relaxed((const unsigned long long *)from);
#else
    return __atomic_load_n(from, __ATOMIC_RELAXED);
#endif
}

BI_FN void bi_atomic_store_u32(uint32_t *to, uint32_t value)
{
#ifdef __CUDA_ARCH__
    bi_store_relaxed((unsigned *)to, value);
#else
    __atomic_store_n(to, value, __ATOMIC_RELAXED);
#endif
}

/* Compare-and-swap: *to = value if it is `expected`. Returns true if it was. */
BI_FN bool bi_atomic_cas_u32(uint32_t *to, uint32_t expected, uint32_t value)
{
#ifdef __CUDA_ARCH__
    return atomicCAS(to, expected, value) == expected;
#else
    return __atomic_compare_exchange_n(to, &expected, value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
#endif
}

/* Loads a word that other items may write concurrently. The device may return an older value from its L1 cache. */
BI_FN uint64_t bi_atomic_load_hint_u64(const uint64_t *from)
{
#ifdef __CUDA_ARCH__
    return bi_load_hint((const unsigned long long *)from);
#else
    return bi_atomic_load_u64(from);
#endif
}

/* Compare-and-swap: *to = value if it is `expected`. Returns the previous value. */
BI_FN uint64_t bi_atomic_fetch_cas_u64(uint64_t *to, uint64_t expected, uint64_t value)
{
#ifdef __CUDA_ARCH__
    return atomicCAS((unsigned long long *)to, (unsigned long long)expected, (unsigned long long)value);
#else
    __atomic_compare_exchange_n(to, &expected, value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    return expected;
#endif
}

#endif
