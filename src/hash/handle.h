/* Shared by the drivers of hash tables, host C for all backends and layouts: checks of arguments, handles and their
 * blocks; builds from pairs, groups and lists; lists of pairs. */
#ifndef BI_HASH_HANDLE_H
#define BI_HASH_HANDLE_H

#include "core/check.h"
#include "hash/steps/steps.h"

/* Copies the options to *full with the defaults filled in. The layout may be AUTO. */
bosc_status bi_hash_check_opts(bosc_ctx *ctx, const bosc_hash_opts *opts, bosc_hash_opts *full);
struct bi_hash_shape bi_hash_shape_of(const bosc_hash_opts *opts);
/* Checks the handle and waits for a pending build. */
bosc_status bi_hash_check_table(bosc_ctx *ctx, const bosc_hash *table);
/* Checks a number of pairs. */
bosc_status bi_hash_check_n(bosc_ctx *ctx, const char *name, int64_t n);
/* Checks an array of n elements of `bytes` bytes: not NULL, aligned. */
bosc_status bi_hash_check_array(bosc_ctx *ctx, const char *name, const void *array, int64_t n, int64_t bytes,
                                int64_t alignment);
/* Checks pairs to build from or to insert. */
bosc_status bi_hash_check_pairs(bosc_ctx *ctx, const bosc_hash *table, const void *keys, const void *values, int64_t n);
/* The alignment of keys of this many bits. */
int64_t bi_hash_key_alignment(int32_t key_bits);
/* The alignment of elements of this many bytes: 8, 4, 2 or 1. */
int64_t bi_hash_alignment(int64_t bytes);

/* Creates an empty table with these (full) options and without blocks. */
bosc_status bi_hash_new(bosc_ctx *ctx, const bosc_hash_opts *full, bosc_hash **table);
/* Empties the table. */
static inline void bi_hash_set_empty(bosc_hash *table)
{
    table->keys = table->pairs = table->buckets = table->extra_probes = 0;
    table->reseeded = table->linear = table->rounds = 0;
}
/* Replaces *table by *next, which began as a copy of it. */
void bi_hash_replace(bosc_hash *table, const bosc_hash *next);

/* Waits for a pending build, completes it, and returns its failure. Of several threads one does so; the others wait for
 * it. */
bosc_status bi_hash_wait_pending(bosc_ctx *ctx, const bosc_hash *table);
void bi_hash_set_pending(bosc_hash *table, int32_t state);

/* Sets the layout of an AUTO table for n pairs; leaves other tables. */
void bi_hash_choose_layout(const bosc_ctx *ctx, bosc_hash *table, int64_t n);
/* Returns the most pairs for which an AUTO table is ORDERED; -1: it never is. */
int64_t bi_hash_max_ordered_pairs(const bosc_ctx *ctx, const bosc_hash_opts *o);
/* Plans the table for n keys: *shape, and the bytes of all blocks except VALUES. */
void bi_hash_plan(const bosc_hash *table, int64_t n, struct bi_hash_shape *shape, size_t bytes[BI_HASH_BLOCKS]);
/* Reserves new blocks for *next, a copy of *table, where its own are smaller than `bytes`. On failure it has none. */
bosc_status bi_hash_reserve_blocks(bosc_ctx *ctx, const bosc_hash *table, const size_t bytes[BI_HASH_BLOCKS],
                                   bosc_hash *next);
/* Frees the blocks of *drop that *keep does not share. */
void bi_hash_drop_blocks(const bosc_hash *keep, bosc_hash *drop);
/* Computes the bytes of each block that hold the table. */
void bi_hash_used_bytes(const bosc_hash *table, size_t bytes[BI_HASH_BLOCKS]);

#define BI_HASH_STEP(ctx, name, n, args) (ctx->ops->hash->steps->name((ctx), (n), (args)))

/* The largest load factor at which inserted keys go into the buckets that a partition has. */
#define BI_HASH_MAX_LOAD_FACTOR 0.97

/* Pairs to build from, in reach of the backend. */
struct bi_hash_input {
    const void *keys;
    const void *values;     /* (n x value_size), or NULL */
    const uint32_t *counts; /* (n) number of pairs that each stands for; NULL: 1 */
    int64_t n;
    int64_t old;   /* the first `old` of them come from the table itself */
    int64_t pairs; /* sum of the counts */
    /* The outcome of a launched build of these pairs in their order, which is not tried again; UNTOUCHED: none. */
    enum bi_hash_outcome launched;
};

/* Fills *next from lists and copies the report to it. *outcome: BUILT or NEEDS_GROUPING. */
bosc_status bi_hash_fill_lists(bosc_ctx *ctx, bosc_hash *next, const struct bi_hash_lists *lists, bool distinct,
                               enum bi_hash_outcome *outcome);
/* Builds *next, a copy of *table with other options or blocks, from pairs. *outcome: BUILT; after a failure UNTOUCHED,
 * or another one if blocks that may be those of *table were written to. */
bosc_status bi_hash_build_from(bosc_ctx *ctx, const bosc_hash *table, bosc_hash *next, const struct bi_hash_input *in,
                               enum bi_hash_outcome *outcome);

/* Distinct keys by ascending hash; the pairs of one key form a group. */
struct bi_hash_groups {
    int64_t count;
    void *hashes, *values;  /* (count), values of value_bytes */
    const uint32_t *rows;   /* (n) of the input, by hash; NULL if `carried` is set */
    void *carried;          /* NULL, or (n) the values of the input, by hash */
    uint32_t *numbers;      /* (n) 0, 1, 2, ... */
    uint32_t *group_begins; /* (count) index in `rows` of each group's first row */
    uint8_t *heads;         /* (n) 1 where a group begins */
    const uint32_t *starts; /* NULL, or (2^starts_bits + 1) index of the first group of each value of the top bits */
    int32_t starts_bits;
    /* NULL, or in place of values: index in `carried` or `rows` of a group's first pair. Hashes and spans then are in
     * 2^starts_bits pieces, each of the groups of a value of the top bits. */
    const uint32_t *spans;
    const uint32_t *begins; /* (2^starts_bits + 1) with spans: index of each piece in `hashes` and in `spans`, and of
                             * its first pair; pieces need not be adjacent */
};

/* Sorts the hashes of the keys and finds the groups, without their hashes and values. *sorted gets the hashes. values:
 * NULL, or (n x value_size), which the sort may carry in place of the rows. may_ascend: finds out first if the hashes
 * ascend already. */
bosc_status bi_hash_sort(bosc_ctx *ctx, int32_t key_bits, uint64_t seed, const void *keys, int64_t n, bool may_ascend,
                         const void *values, int32_t value_size, struct bi_hash_groups *groups, void **sorted);
/* One pair for each group: hashes and values of *g. BOSC_ERR_DATA if the table refuses repeated keys. */
bosc_status bi_hash_reduce_groups(bosc_ctx *ctx, const bosc_hash *next, const struct bi_hash_input *in,
                                  const void *sorted, struct bi_hash_groups *g);
/* The groups as lists of the shape's partitions. */
bosc_status bi_hash_lists_of(bosc_ctx *ctx, const struct bi_hash_shape *shape, const struct bi_hash_groups *g,
                             struct bi_hash_lists *lists);
/* True if a table holds each key once, with its first or last value or none. */
bool bi_hash_keeps_one_value(const bosc_hash_opts *o);
/* Makes an input of one pair a key, in scratch, for such tables. *removed: false, and *fewer is not set, for other
 * tables, on backends without number_keys, and where keys repeat rarely. */
bosc_status bi_hash_remove_repeats(bosc_ctx *ctx, const bosc_hash *next, const struct bi_hash_input *in,
                                   struct bi_hash_input *fewer, bool *removed);
/* Sorts, reduces and lists the pairs: plans *next for the number of distinct keys, reserves its blocks, and makes the
 * lists to fill it from. Writes the block of values of a multimap. */
bosc_status bi_hash_group(bosc_ctx *ctx, const bosc_hash *table, bosc_hash *next, const struct bi_hash_input *in,
                          struct bi_hash_lists *lists);

/* Counts the pairs of a bucketed table in its touched partitions (NULL: in all); *begins: index of each bucket's first
 * pair in a list of them. The second function writes that list. */
bosc_status bi_hash_count_touched(bosc_ctx *ctx, const bosc_hash *table, const uint32_t *touched, uint32_t **begins,
                                  int64_t *count);
bosc_status bi_hash_list_touched(bosc_ctx *ctx, const bosc_hash *table, const uint32_t *touched, const uint32_t *begins,
                                 void *hashes, void *values);
/* Sets extra_probes, reseeded and linear to the figures of the touched partitions (NULL: of all). */
bosc_status bi_hash_recount(bosc_ctx *ctx, bosc_hash *table, const uint32_t *touched);

/* The pairs of a table as input of a build, a multimap's one for each value; in scratch, with capacity for `more`
 * behind them. touched: only those of some partitions of a bucketed map. */
bosc_status bi_hash_list_input(bosc_ctx *ctx, const bosc_hash *table, const uint32_t *touched, int64_t more,
                               struct bi_hash_input *in);
/* Lists all hashes and the bytes stored with them, in scratch. */
bosc_status bi_hash_list_stored(bosc_ctx *ctx, const bosc_hash *table, void **hashes, void **stored);

/* Describes the stored bytes of keys for the reading steps. */
static inline struct bi_hash_stored bi_hash_stored_of(const bosc_hash *table, const void *stored)
{
    return (struct bi_hash_stored){stored,
                                   table->shape.value_bytes,
                                   table->opts.value_size,
                                   table->opts.kind == BOSC_HASH_MULTIMAP,
                                   table->opts.counted != 0,
                                   table->blocks[BI_HASH_VALUES].data};
}

#endif
