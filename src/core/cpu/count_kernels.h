/* The kernels of count_hot.c, for histograms and splits. */
#ifndef BI_CORE_CPU_COUNT_KERNELS_H
#define BI_CORE_CPU_COUNT_KERNELS_H

#include <stdbool.h>
#include <stdint.h>

struct bi_count_kernels {
    /* counts[bins[i]] += 1 for n bins. Returns false, with some not counted, if one is not less than n_bins. */
    bool (*count)(const uint32_t *bins, int64_t n, int64_t n_bins, int64_t *counts);
};
extern const struct bi_count_kernels bi_count_kernels_v1, bi_count_kernels_v3, bi_count_kernels_v4;

#endif
