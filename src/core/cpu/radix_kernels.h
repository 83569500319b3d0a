/* Kernels of the radix sort: count digits of keys, and scatter keys (with values) to the offsets of their digits. */
#ifndef BI_CORE_CPU_RADIX_KERNELS_H
#define BI_CORE_CPU_RADIX_KERNELS_H

#include <stdbool.h>

#include <boscage/base.h>

/* Digits of full passes (of the sort from the least significant digit), and the top digit of splits. */
enum { BI_RADIX_BITS = 8, BI_RADIX = 256, BI_RADIX_DIGITS = 8, BI_RADIX_TOP_BITS = 12, BI_RADIX_TOP = 4096 };

/* One digit of the ordered key: (key >> shift) & mask. */
struct bi_radix_digit {
    int shift;
    uint32_t mask;
};

/* A scatter of keys, and of values (none if the value size is 0). */
struct bi_radix_scatter {
    const void *keys, *values;
    int64_t n;
    void *keys_out, *values_out;
    struct bi_radix_digit digit;
    const uint8_t *map; /* the bucket of each value of the digit, or NULL for the value itself */
    int64_t *offsets;   /* the next slot of each digit; advanced */
    bool streams;       /* the output exceeds the caches: store whole lines past them */
};

struct bi_radix_kernels {
    size_t key_size, value_size;
    /* counts[digit * stride + value] += ... */
    void (*count)(const void *keys, int64_t n, const struct bi_radix_digit *digits, int n_digits, int64_t *counts,
                  int64_t stride);
    /* counts[value] += ... for one digit of up to BI_RADIX_TOP_BITS bits */
    void (*count_top)(const void *keys, int64_t n, struct bi_radix_digit digit, int64_t *counts);
    void (*scatter)(const struct bi_radix_scatter *);
    /* The bits of the ordered keys that differ from the key at `reference` somewhere. */
    uint64_t (*varying)(const void *keys, int64_t n, const void *reference);
    /* Stable insertion sort in place, by the bits of `mask`. Stops and returns false after `max_moves` moves: the items
     * are then partly sorted, and equal keys still in their order. */
    bool (*insert)(void *keys, void *values, int64_t n, uint64_t mask, int64_t max_moves);
    /* Item i becomes item rows[i] of the input. */
    void (*gather)(const void *keys, const void *values, const uint32_t *rows, int64_t n, void *keys_out,
                   void *values_out);
};

struct bi_radix_table {
    struct bi_radix_kernels of[6][3]; /* [dtype - 1][value_size / 4] */
};
extern const struct bi_radix_table bi_radix_table_v1, bi_radix_table_v3, bi_radix_table_v4;

#endif
