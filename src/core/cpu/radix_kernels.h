/* Kernels of the radix sort: count the digits of keys, and move keys (with values) to their digits' offsets. */
#ifndef BI_CORE_CPU_RADIX_KERNELS_H
#define BI_CORE_CPU_RADIX_KERNELS_H

#include <stdbool.h>

#include <boscage/base.h>

enum { BI_RADIX_BITS = 8, BI_RADIX = 256, BI_RADIX_DIGITS = 8, BI_RADIX_TOP_BITS = 12, BI_RADIX_TOP = 4096 };

/* One digit of the ordered key: (key >> shift) & mask. */
struct bi_radix_digit {
    int shift;
    uint32_t mask;
};

/* A run of keys, and of values (value size 0: none), to be moved. */
struct bi_radix_move {
    const void *keys, *values;
    int64_t n;
    void *keys_out, *values_out;
    struct bi_radix_digit digit;
    const uint8_t *map; /* the bucket of each value of the digit, or NULL for the value itself */
    int64_t *offsets;   /* where the next key of each digit goes; moved on */
    bool streams;       /* the output is larger than caches: write whole lines past them */
};

struct bi_radix_kernels {
    size_t key_size, value_size;
    /* counts[digit * stride + value] += ... */
    void (*count)(const void *keys, int64_t n, const struct bi_radix_digit *digits, int n_digits, int64_t *counts,
                  int64_t stride);
    /* counts[value] += ... for one digit of up to BI_RADIX_TOP_BITS bits */
    void (*count_top)(const void *keys, int64_t n, struct bi_radix_digit digit, int64_t *counts);
    void (*move)(const struct bi_radix_move *);
    /* The bits of the ordered keys that differ from the key at `reference` somewhere. */
    uint64_t (*varying)(const void *keys, int64_t n, const void *reference);
    /* Insertion sort in place, stable, by the bits of `mask`. Gives up (false) after `most` moves: the items are then
     * in some order in which equal keys are as they were. */
    bool (*insert)(void *keys, void *values, int64_t n, uint64_t mask, int64_t most);
    /* Item i becomes that of row rows[i]. */
    void (*fetch)(const void *keys, const void *values, const uint32_t *rows, int64_t n, void *keys_out,
                  void *values_out);
};

struct bi_radix_table {
    struct bi_radix_kernels of[6][3]; /* [dtype - 1][value_size / 4] */
};
extern const struct bi_radix_table bi_radix_table_v1, bi_radix_table_v3, bi_radix_table_v4;

#endif
