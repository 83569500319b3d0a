/* The drivers of hash tables: host C, the same for all backends and layouts. */
#ifndef BI_HASH_DRIVERS_H
#define BI_HASH_DRIVERS_H

#include "core/check.h"
#include "hash/steps/steps.h"

/* Pairs to build from, in reach of the backend. */
struct bi_hash_input {
    const void *keys;
    const void *values;     /* (n x value_size), or NULL */
    const uint32_t *counts; /* (n) how many pairs each stands for; NULL: 1 */
    int64_t n;
    int64_t old;   /* the first so many come from the table itself */
    int64_t pairs; /* sum of the counts */
};

/* Pairs for each place at most: more are not put into the buckets that a part has. */
#define BI_HASH_MOST_LOAD 0.97

/* A copy of the options with the defaults filled in, and the layout's table. */
bosc_status bi_hash_check_opts(bosc_ctx *ctx, const bosc_hash_opts *opts, bosc_hash_opts *full,
                               const struct bi_hash_layout **layout);
struct bi_hash_shape bi_hash_shape_of(const bosc_hash_opts *opts);
bosc_status bi_hash_check_table(bosc_ctx *ctx, const bosc_hash *table);
bosc_status bi_hash_check_n(bosc_ctx *ctx, const char *name, int64_t n);
/* An array of n elements of `bytes` bytes that must be there and aligned. */
bosc_status bi_hash_check_array(bosc_ctx *ctx, const char *name, const void *array, int64_t n, int64_t bytes,
                                int64_t alignment);
/* What elements of that many bytes are aligned to: 8, 4, 2 or 1. */
int64_t bi_hash_alignment(int64_t bytes);

/* A new, empty table with these (full) options and without blocks. */
bosc_status bi_hash_new(bosc_ctx *ctx, const bosc_hash_opts *full, const struct bi_hash_layout *layout,
                        bosc_hash **table);

/* Scratch for n items of `size` bytes; never NULL. */
bosc_status bi_hash_scratch(bosc_ctx *ctx, int64_t n, int64_t size, void *p);

/* Makes room in *next: where a block of *table is too small, or `fresh`, a new one. On failure *next has none of them.
 */
bosc_status bi_hash_reserve_blocks(bosc_ctx *ctx, const bosc_hash *table, const size_t bytes[BI_HASH_BLOCKS],
                                   bosc_hash *next);
/* Frees the blocks of *drop that *keep has not. */
void bi_hash_drop_blocks(const bosc_hash *keep, bosc_hash *drop);

/* The table is empty from here on. */
void bi_hash_forget(bosc_hash *table);

/* Fills *next from lists, and takes over what was found; *again: the lists must be of distinct keys first. */
bosc_status bi_hash_fill_lists(bosc_ctx *ctx, bosc_hash *next, const struct bi_hash_lists *lists, bool any,
                               bool *again);
/* Builds *next, a copy of *table with other options or blocks, from pairs. *written: whether blocks that may be those
 * of *table were written to. */
bosc_status bi_hash_make(bosc_ctx *ctx, const bosc_hash *table, bosc_hash *next, const struct bi_hash_input *in,
                         bool *written);

/* Distinct keys, by ascending hash, with their pairs together. */
struct bi_hash_groups {
    int64_t count;
    void *hashes, *values; /* (count), values of value_bytes */
    const uint32_t *rows;  /* (n) of the input, by hash */
    uint32_t *numbers;     /* (n) 0, 1, 2, ... */
    uint32_t *firsts;      /* (count) places in rows */
    uint8_t *heads;        /* (n) */
};
/* Sorts and finds the groups; hashes and values of the groups are not made yet. *sorted gets the hashes. */
bosc_status bi_hash_sort(bosc_ctx *ctx, int32_t key_bits, uint64_t seed, const void *keys, int64_t n,
                         struct bi_hash_groups *groups, void **sorted);
/* One pair for each group: hashes and values of *g. BOSC_ERR_DATA if the table refuses repeated keys. */
bosc_status bi_hash_reduce(bosc_ctx *ctx, const bosc_hash *next, const struct bi_hash_input *in, const void *sorted,
                           struct bi_hash_groups *g);
/* Lists of groups, of the shape's part_bits. */
bosc_status bi_hash_lists_of(bosc_ctx *ctx, const struct bi_hash_shape *shape, const struct bi_hash_groups *g,
                             struct bi_hash_lists *lists);
/* Lists for fill, of part_bits for so many keys; and of a multimap the block of values. */
bosc_status bi_hash_group(bosc_ctx *ctx, const bosc_hash *table, bosc_hash *next, const struct bi_hash_input *in,
                          struct bi_hash_lists *lists);

/* Of a bucketed table: the number of pairs in the parts that `touched` (or NULL: all) tells, and where those of each
 * bucket go in a list of them; then the list. */
bosc_status bi_hash_count_touched(bosc_ctx *ctx, const bosc_hash *table, const uint32_t *touched, uint32_t **begins,
                                  int64_t *count);
bosc_status bi_hash_list_touched(bosc_ctx *ctx, const bosc_hash *table, const uint32_t *touched, const uint32_t *begins,
                                 void *hashes, void *values);
/* Sets second, reseeded and linear to those of what stands in the touched parts (NULL: in all). */
bosc_status bi_hash_recount(bosc_ctx *ctx, bosc_hash *table, const uint32_t *touched);

/* Pairs of a table as input of a build, of a multimap one for each value, in scratch with room for `more` behind them.
 * touched: of a bucketed map, those of some parts alone. */
bosc_status bi_hash_pairs_of(bosc_ctx *ctx, const bosc_hash *table, const uint32_t *touched, int64_t more,
                             struct bi_hash_input *in);

/* Hashes of all keys and what is kept with them, in scratch. */
bosc_status bi_hash_list(bosc_ctx *ctx, const bosc_hash *table, void **hashes, void **kept);
/* Bytes of the blocks that tell what the table is. */
void bi_hash_used(const bosc_hash *table, size_t bytes[BI_HASH_BLOCKS]);
/* What the steps of reading need to know. */
struct bi_hash_kept bi_hash_kept_of(const bosc_hash *table, const void *kept);

#define BI_HASH_STEP(ctx, name, n, args) (ctx->ops->hash->steps->name((ctx), (n), (args)))

#endif
