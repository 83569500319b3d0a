/* What sort_hot.c, sort_wide_hot.c and sort_doubles_hot.c give to the radix sort: sorts in vectors. */
#ifndef BI_CORE_CPU_SORT_KERNELS_H
#define BI_CORE_CPU_SORT_KERNELS_H

#include <stdbool.h>

#include "core/cpu/radix_kernels.h"

enum {
    BI_SORT_ROWS = 1 << 13,   /* most rows ordered at once */
    BI_SORT_CACHED = 1 << 14, /* bytes of keys that the nearest cache holds, or nearly, with as many again */
    BI_SORT_BLOCK = 1 << 15,  /* most keys divided at once */
    BI_SORT_GROUP_BITS = 8,   /* into 2^8 groups at most */
    BI_SORT_WIDE = 1 << 18,   /* most pairs of a group that are sorted as words */
    BI_PAIR_GROUPS = 512,     /* most groups of pairs that a scatter makes */
    BI_PAIR_LINES = 2,        /* of 64 bytes that it stores at once */
    BI_PAIR_ROWS = 1 << 14,   /* most pairs of a group whose rows are ordered at once */
    BI_SORT_ROW_BITS = 28     /* of the row of a pair that is sorted as a word */
};

/* Bits of the ordered keys, and of how many bits numbers of rows are: 32 in all, or fewer. */
struct bi_sort_window {
    uint64_t mask; /* the bits that decide */
    int low;       /* the lowest of those that are looked at */
    int row_bits;
};

/* Sorts of keys of 4 bytes, or of 8; NULL where a level has none. */
struct bi_word_kernels {
    /* Sorts keys by all their bits, stably; `from` may be `to`, and then `spare` has room for a bit a key, and 8 bytes
     * more. */
    void (*keys)(bosc_dtype dtype, const void *from, void *to, void *spare, int64_t n);
    /* Splitters of 2^bits groups of about the same size, by a sample: group g is above splitters[g - 1], up to
     * splitters[g]; the last one has no end. n: 2^14 or more. They are words that order as keys do, as below. */
    void (*splitters)(bosc_dtype dtype, const void *keys, int64_t n, int bits, void *splitters);
    /* Makes words of up to BI_SORT_BLOCK keys and moves those of each group together, in any order: group g ends at
     * ends[g]. `spare` has room for n words. Returns whether there is a -0, which became +0. */
    bool (*divide)(bosc_dtype dtype, const void *keys, void *words, void *spare, int64_t n, const void *splitters,
                   int bits, uint16_t *ends);
    /* Sorts words and makes keys of them. */
    void (*words)(bosc_dtype dtype, void *words, int64_t n);
};

struct bi_sort_kernels {
    struct bi_word_kernels words; /* of keys of 4 bytes */
    /* The numbers of up to BI_SORT_ROWS rows, in the order of the bits of their keys in a window, stably. Returns how
     * many of them have the same bits there as the row before. */
    int64_t (*rows)(bosc_dtype dtype, const void *keys, int64_t n, struct bi_sort_window window,
                    uint32_t *rows); /* or NULL */
    /* The same of up to BI_PAIR_ROWS pairs, words with a key of 4 bytes above a value. */
    int64_t (*pair_rows)(bosc_dtype dtype, const uint64_t *pairs, int64_t n, struct bi_sort_window window,
                         uint32_t *rows);
};

/* Pairs of 4 and 4 bytes that go to groups, as words with the key above the value. */
struct bi_pair_move {
    const uint32_t *keys, *values;
    int64_t n;
    uint64_t *to;
    struct bi_radix_digit digit;
    const uint16_t *map; /* the group of each value of the digit */
    int64_t *offsets;    /* (BI_PAIR_GROUPS) where the next pair of each group goes; moved on */
    bool streams;        /* past the caches */
};

/* Sorts of pairs of keys of 4 bytes, by all their bits, stably, as words of 64 bits. */
struct bi_pair_kernels {
    /* Values have 4 bytes or 8; outputs are not the inputs. `words` has room for a word a row, of 2^BI_SORT_ROW_BITS at
     * most. */
    void (*pairs)(const void *keys, size_t value_size, const void *values, int64_t n, uint64_t *words, void *keys_out,
                  void *values_out); /* or NULL */
    /* Stores BI_PAIR_LINES lines of 64 bytes at once: each group has such of its own, and so many before them. */
    void (*scatter)(const struct bi_pair_move *m);
    /* The bits in which ordered keys of such words differ. */
    uint32_t (*varying)(const uint64_t *pairs, int64_t n);
    /* The pair of row rows[i] becomes pair i. */
    void (*fetch)(const uint64_t *pairs, const uint32_t *rows, int64_t n, uint32_t *keys, uint32_t *values);
    void (*unpack)(const uint64_t *pairs, int64_t n, uint32_t *keys, uint32_t *values);
};

struct bi_pair_table {
    struct bi_pair_kernels of[3]; /* U32, I32, F32 */
};

/* Sorts doubles. Returns false if there is a NaN, or, in place, a -0: the keys are then as they were. */
bool bi_sort_doubles_v4(const void *from, void *to, int64_t n);

extern const struct bi_sort_kernels bi_sort_kernels_v1, bi_sort_kernels_v3, bi_sort_kernels_v4;
extern const struct bi_word_kernels bi_wide_kernels_v1, bi_wide_kernels_v3, bi_wide_kernels_v4; /* of 8 bytes */
extern const struct bi_pair_table bi_pair_table_v1, bi_pair_table_v3, bi_pair_table_v4;

#endif
