/* What sort_hot.c gives to the radix sort: sorts in vectors. */
#ifndef BI_CORE_CPU_SORT_KERNELS_H
#define BI_CORE_CPU_SORT_KERNELS_H

#include <stdbool.h>

#include "core/cpu/radix_kernels.h"

enum {
    BI_SORT_ROWS = 1 << 13 /* most rows ordered at once */
};

/* Bits of the ordered keys, and of how many bits numbers of rows are: 32 in all, or fewer. */
struct bi_sort_window {
    uint64_t mask; /* the bits that decide */
    int low;       /* the lowest of those that are looked at */
    int row_bits;
};

/* NULL where a level has none. */
struct bi_sort_kernels {
    /* Sorts keys of 4 bytes by all their bits, stably; `from` may be `to`. `spare` has room for n
     * keys, and may be `from` if that is not `to`. */
    void (*keys)(bosc_dtype dtype, const void *from, void *to, void *spare, int64_t n);
    /* The numbers of up to BI_SORT_ROWS rows, in the order of the bits of their keys in a window, stably. */
    void (*rows)(bosc_dtype dtype, const void *keys, int64_t n, struct bi_sort_window window, uint32_t *rows);
};

extern const struct bi_sort_kernels bi_sort_kernels_v1, bi_sort_kernels_v3, bi_sort_kernels_v4;

#endif
