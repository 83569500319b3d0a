/* What sort_hot.c and sort_wide_hot.c give to the radix sort: sorts in vectors. */
#ifndef BI_CORE_CPU_SORT_KERNELS_H
#define BI_CORE_CPU_SORT_KERNELS_H

#include <stdbool.h>

#include "core/cpu/radix_kernels.h"

enum {
    BI_SORT_ROWS = 1 << 13,   /* most rows ordered at once */
    BI_SORT_CACHED = 1 << 19, /* bytes of keys that a cache holds, and as many again */
    BI_SORT_BLOCK = 1 << 15,  /* most keys divided at once */
    BI_SORT_GROUP_BITS = 8    /* into 2^8 groups at most */
};

/* Bits of the ordered keys, and of how many bits numbers of rows are: 32 in all, or fewer. */
struct bi_sort_window {
    uint64_t mask; /* the bits that decide */
    int low;       /* the lowest of those that are looked at */
    int row_bits;
};

/* Sorts of keys of 4 bytes, or of 8; NULL where a level has none. */
struct bi_word_kernels {
    /* Sorts keys by all their bits, stably; `from` may be `to`. `spare` has room for n keys, and may be `from` if that
     * is not `to`. */
    void (*keys)(bosc_dtype dtype, const void *from, void *to, void *spare, int64_t n);
    /* Splitters of 2^bits groups of about the same size, by a sample: group g is above splitters[g - 1], up to
     * splitters[g]; the last one has no end. n: 2^14 or more. They are words that order as keys do, as below. */
    void (*splitters)(bosc_dtype dtype, const void *keys, int64_t n, int bits, void *splitters);
    /* Makes words of up to BI_SORT_BLOCK keys and moves those of each group together, in any order: group g ends at
     * ends[g]. `spare` has room for n words. Returns whether there is a -0, which became +0. */
    bool (*divide)(bosc_dtype dtype, const void *keys, void *words, void *spare, int64_t n, const void *splitters,
                   int bits, uint16_t *ends);
    /* Sorts words and makes keys of them. `spare` has room for n words, BI_SORT_CACHED bytes at most. */
    void (*words)(bosc_dtype dtype, void *words, void *spare, int64_t n);
};

struct bi_sort_kernels {
    struct bi_word_kernels words; /* of keys of 4 bytes */
    /* The numbers of up to BI_SORT_ROWS rows, in the order of the bits of their keys in a window, stably. Returns how
     * many of them have the same bits there as the row before. */
    int64_t (*rows)(bosc_dtype dtype, const void *keys, int64_t n, struct bi_sort_window window,
                    uint32_t *rows); /* or NULL */
};

struct bi_wide_kernels {
    struct bi_word_kernels words; /* of keys of 8 bytes */
    /* Sorts pairs of keys of 4 bytes, by all their bits, and values of 4 or 8, stably; outputs are not the inputs.
     * `words` has room for 8 bytes a row (of fewer than 2^32), `spare` for as many, BI_SORT_CACHED bytes at most. */
    void (*pairs)(bosc_dtype dtype, const void *keys, size_t value_size, const void *values, int64_t n, void *words,
                  void *spare, void *keys_out, void *values_out); /* or NULL */
};

extern const struct bi_sort_kernels bi_sort_kernels_v1, bi_sort_kernels_v3, bi_sort_kernels_v4;
extern const struct bi_wide_kernels bi_wide_kernels_v1, bi_wide_kernels_v3, bi_wide_kernels_v4;

#endif
