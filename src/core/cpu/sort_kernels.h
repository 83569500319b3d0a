/* What sort_hot.c gives to the radix sort: sorts in vectors. */
#ifndef BI_CORE_CPU_SORT_KERNELS_H
#define BI_CORE_CPU_SORT_KERNELS_H

#include <stdbool.h>

#include "core/cpu/radix_kernels.h"

enum {
    BI_SORT_ROWS = 1 << 13,   /* most rows ordered at once */
    BI_SORT_CACHED = 1 << 17, /* keys that a cache holds, and as many again */
    BI_SORT_BLOCK = 1 << 15,  /* most keys divided at once */
    BI_SORT_GROUP_BITS = 8    /* into 2^8 groups at most */
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
    /* Splitters of 2^bits groups of about the same size, by a sample: group g is above splitters[g - 1], up to
     * splitters[g]; the last one has no end. n: 2^14 or more. They are words that order as keys do, as below. */
    void (*splitters)(bosc_dtype dtype, const void *keys, int64_t n, int bits, uint32_t *splitters);
    /* Makes words of up to BI_SORT_BLOCK keys and moves those of each group together, in any order: group g ends at
     * ends[g]. `spare` has room for n words. Returns whether there is a -0, which became +0. */
    bool (*divide)(bosc_dtype dtype, const void *keys, uint32_t *words, uint32_t *spare, int64_t n,
                   const uint32_t *splitters, int bits, uint16_t *ends);
    /* Sorts words and makes keys of them. `spare` has room for n words, BI_SORT_CACHED at most. */
    void (*words)(bosc_dtype dtype, uint32_t *words, uint32_t *spare, int64_t n);
    /* The numbers of up to BI_SORT_ROWS rows, in the order of the bits of their keys in a window, stably. Returns how
     * many of them have the same bits there as the row before. */
    int64_t (*rows)(bosc_dtype dtype, const void *keys, int64_t n, struct bi_sort_window window, uint32_t *rows);
};

extern const struct bi_sort_kernels bi_sort_kernels_v1, bi_sort_kernels_v3, bi_sort_kernels_v4;

#endif
