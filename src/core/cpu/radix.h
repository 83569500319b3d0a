/* Radix sorts of keys and pairs. */
#ifndef BI_CORE_CPU_RADIX_H
#define BI_CORE_CPU_RADIX_H

#include "core/backend.h"

/* Sorts pairs whose values have 0, 4 or 8 bytes. */
bosc_status bi_radix_sort_pairs(bosc_ctx *ctx, bosc_dtype dtype, const void *keys, size_t value_size,
                                const void *values, int64_t n, void *keys_out, void *values_out, int first_bit,
                                int last_bit);

#endif
