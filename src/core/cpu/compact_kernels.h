/* The kernels of compact_hot.c. */
#ifndef BI_CORE_CPU_COMPACT_KERNELS_H
#define BI_CORE_CPU_COMPACT_KERNELS_H

#include <stddef.h>
#include <stdint.h>

struct bi_compact_kernels {
    /* Counts the nonzero flags among n. */
    int64_t (*count)(const uint8_t *keep, int64_t n);
    /* Copies the kept ones of n items; there are `kept`. */
    void (*copy)(size_t size, const char *in, const uint8_t *keep, int64_t n, char *out, int64_t kept);
};
extern const struct bi_compact_kernels bi_compact_kernels_v1, bi_compact_kernels_v3, bi_compact_kernels_v4;

#endif
