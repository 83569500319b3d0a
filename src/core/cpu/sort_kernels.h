/* Sorts in vectors for the radix sort: the kernels of sort_hot.c, sort_64_hot.c and sort_doubles_hot.c. */
#ifndef BI_CORE_CPU_SORT_KERNELS_H
#define BI_CORE_CPU_SORT_KERNELS_H

#include <stdbool.h>

#include "core/cpu/radix_kernels.h"

/* Limits, chosen for the sizes of caches. */
enum {
    BI_SORT_ROWS = 1 << 13,        /* rows ordered at once */
    BI_SORT_CACHED = 1 << 14,      /* bytes of keys that fit in the first-level cache together with as many again */
    BI_SORT_BLOCK = 1 << 15,       /* keys partitioned at once */
    BI_SORT_GROUP_BITS = 8,        /* into at most 2^8 groups */
    BI_SORT_GROUP_PAIRS = 1 << 18, /* pairs of a group that is sorted as words */
    BI_PAIR_GROUPS = 512,          /* groups of a scatter of pairs */
    BI_PAIR_LINES = 2,             /* cache lines that it stores at once */
    BI_PAIR_ROWS = 1 << 14,        /* pairs of a group whose rows are ordered at once */
    BI_SORT_ROW_BITS = 28          /* bits of the row of a pair that is sorted as a word */
};

/* A word of at most 32 bits: some bits of an ordered key above the number of its row. */
struct bi_sort_window {
    uint64_t mask; /* the bits of the key to sort by */
    int low;       /* the lowest bit of the key that the word holds */
    int row_bits;
};

/* Sorts of keys of 4 bytes, or of 8; NULL where a level has none. */
struct bi_word_kernels {
    /* Sorts keys by all their bits, stably; `from` may be `to`, and then `spare` has room for a bit a key, and 8 bytes
     * more. */
    void (*sort_keys)(bosc_dtype dtype, const void *from, void *to, void *spare, int64_t n);
    /* Chooses splitters of 2^bits groups of about the same size from a sample: group g holds words above
     * splitters[g - 1], up to splitters[g] (no limit for the last). n: 2^14 or more. Splitters are words that order as
     * keys do, as below. */
    void (*choose_splitters)(bosc_dtype dtype, const void *keys, int64_t n, int bits, void *splitters);
    /* Converts up to BI_SORT_BLOCK keys to words and partitions them into the groups, in any order within a group:
     * group g ends at ends[g]. `spare` has room for n words. Returns true if there is a -0, which became +0. */
    bool (*partition)(bosc_dtype dtype, const void *keys, void *words, void *spare, int64_t n, const void *splitters,
                      int bits, uint16_t *ends);
    /* Sorts words and converts them to keys. */
    void (*sort_words)(bosc_dtype dtype, void *words, int64_t n);
};

struct bi_sort_kernels {
    struct bi_word_kernels words; /* of 4-byte keys */
    /* Sorts up to BI_SORT_ROWS rows stably by the bits of their keys in a window and stores their numbers. Returns the
     * number of rows that have the same bits there as the row before. */
    int64_t (*rows)(bosc_dtype dtype, const void *keys, int64_t n, struct bi_sort_window window,
                    uint32_t *rows); /* or NULL */
    /* The same for up to BI_PAIR_ROWS pairs: words with a 4-byte key above a value. */
    int64_t (*pair_rows)(bosc_dtype dtype, const uint64_t *pairs, int64_t n, struct bi_sort_window window,
                         uint32_t *rows);
};

/* A scatter of pairs of 4-byte keys and values to groups, as words with the key above the value. */
struct bi_pair_scatter {
    const uint32_t *keys, *values;
    int64_t n;
    uint64_t *to;
    struct bi_radix_digit digit;
    const uint16_t *map; /* the group of each value of the digit */
    int64_t *offsets;    /* (BI_PAIR_GROUPS) the next slot of each group; advanced */
    bool streams;        /* store past the caches */
};

/* Stable sorts of pairs by all bits of 4-byte keys, as 64-bit words. */
struct bi_pair_kernels {
    /* Values have 4 or 8 bytes; outputs are not the inputs. `words` has room for one word a row; n is at most
     * 2^BI_SORT_ROW_BITS. */
    void (*sort)(const void *keys, size_t value_size, const void *values, int64_t n, uint64_t *words, void *keys_out,
                 void *values_out); /* or NULL */
    /* Stores BI_PAIR_LINES cache lines at once. Each group has its own lines, with as many unused ones before them. */
    void (*scatter)(const struct bi_pair_scatter *m);
    /* The bits in which the ordered keys of such words differ. */
    uint32_t (*varying)(const uint64_t *pairs, int64_t n);
    /* Pair i becomes pair rows[i] of the input. */
    void (*gather)(const uint64_t *pairs, const uint32_t *rows, int64_t n, uint32_t *keys, uint32_t *values);
    void (*unpack)(const uint64_t *pairs, int64_t n, uint32_t *keys, uint32_t *values);
};

struct bi_pair_table {
    struct bi_pair_kernels of[3]; /* U32, I32, F32 */
};

/* Sorts doubles. Returns false, and changes nothing, if there is a NaN or, in place, a -0. */
bool bi_sort_doubles_v4(const void *from, void *to, int64_t n);

extern const struct bi_sort_kernels bi_sort_kernels_v1, bi_sort_kernels_v3, bi_sort_kernels_v4;
extern const struct bi_word_kernels bi_word_64_kernels_v1, bi_word_64_kernels_v3,
    bi_word_64_kernels_v4; /* of 8-byte keys */
extern const struct bi_pair_table bi_pair_table_v1, bi_pair_table_v3, bi_pair_table_v4;

#endif
