/* Kernels of sorts for each CPU level: passes of the radix sort (radix_hot.c), and sorts in vectors (sort_hot.c,
 * sort_64_hot.c, sort_doubles_hot.c). */
#ifndef BI_CORE_CPU_SORT_KERNELS_H
#define BI_CORE_CPU_SORT_KERNELS_H

#include <stdbool.h>

#include <boscage/base.h>

/* ---- radix_hot.c ---- */

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

/* ---- sorts in vectors ---- */

/* Limits follow from the sizes of caches where nothing else is said; those are not measured. */
enum {
    BI_SORT_ROWS = 1 << 13, /* rows ordered at once; measured: 4.2 ns a pair; 2^14, which leave fewer key bits, 5.9 */
    /* Bytes of keys that fit in the first-level cache twice; measured: 2^15 and 2^16 are no faster. */
    BI_SORT_CACHED = 1 << 14,
    BI_SORT_BLOCK = 1 << 15,       /* keys partitioned at once */
    BI_SORT_GROUP_BITS = 8,        /* into at most 2^8 groups */
    BI_SORT_GROUP_PAIRS = 1 << 18, /* pairs of a group that is sorted as words */
    BI_PAIR_GROUPS = 512,          /* groups of a scatter of pairs; measured, 2^21 pairs: 3.8 ns, 256 groups 5.4 */
    BI_PAIR_LINES = 2,             /* cache lines that it stores at once; measured: 2.5 ns, single lines 3.3 */
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
