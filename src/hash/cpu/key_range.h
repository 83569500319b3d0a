/* The range of a table's keys, on the CPU: queries outside it are absent, and are answered without a look-up. */
#ifndef BI_HASH_CPU_KEY_RANGE_H
#define BI_HASH_CPU_KEY_RANGE_H

#include "core/cpu/level.h"
#include "hash/hash.h"

/* Queries of a call, with its outputs. */
struct bi_hash_ranged_queries {
    struct bi_hash_key_range range;
    const void *queries;
    int32_t key_bits;
    int32_t value_bytes;
    void *values;   /* or NULL */
    uint8_t *found; /* or NULL */
};

/* Entry of bi_hash_ops_cpu. */
void bi_hash_find_key_range_cpu(const bosc_ctx *, const void *keys, int64_t n, int32_t key_bits,
                                struct bi_hash_key_range *range);

/* find_range computes the range of n >= 1 keys of 32 or 64 bits. next_run finds the next queries to look up, from
 * *begin up to *run_end - 1, and answers those before them, which are outside the range. Returns false if all up to
 * end - 1 are answered. */
#define BI_HASH_KEY_RANGE_DECLARE(level)                                                                             \
    void bi_hash_find_range_##level(const void *keys, int64_t n, int32_t key_bits, struct bi_hash_key_range *range); \
    bool bi_hash_next_run_##level(const struct bi_hash_ranged_queries *q, int64_t *begin, int64_t end,               \
                                  int64_t *run_end);
BI_HASH_KEY_RANGE_DECLARE(v1)
#if defined(__x86_64__)
BI_HASH_KEY_RANGE_DECLARE(v3)
BI_HASH_KEY_RANGE_DECLARE(v4)
#endif

#endif
