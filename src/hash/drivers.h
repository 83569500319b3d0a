/* Shared by the drivers of hash tables: host C, the same for all backends and layouts. */
#ifndef BI_HASH_DRIVERS_H
#define BI_HASH_DRIVERS_H

#include "hash/handle.h"

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
};

/* Fills *next from lists and copies the report to it. *retry: a key repeats or a partition is oversized, so that the
 * lists must be made again, of distinct keys. */
bosc_status bi_hash_fill_lists(bosc_ctx *ctx, bosc_hash *next, const struct bi_hash_lists *lists, bool distinct,
                               bool *retry);
/* Builds *next, a copy of *table with other options or blocks, from pairs. *written: blocks that may be those of *table
 * were written to. */
bosc_status bi_hash_build_from(bosc_ctx *ctx, const bosc_hash *table, bosc_hash *next, const struct bi_hash_input *in,
                               bool *written);

/* Distinct keys by ascending hash; the pairs of one key form a group. */
struct bi_hash_groups {
    int64_t count;
    void *hashes, *values;  /* (count), values of value_bytes */
    const uint32_t *rows;   /* (n) of the input, by hash */
    uint32_t *numbers;      /* (n) 0, 1, 2, ... */
    uint32_t *group_begins; /* (count) index in `rows` of each group's first row */
    uint8_t *heads;         /* (n) 1 where a group begins */
};

/* Sorts the hashes of the keys and finds the groups, without their hashes and values. *sorted gets the hashes. */
bosc_status bi_hash_sort(bosc_ctx *ctx, int32_t key_bits, uint64_t seed, const void *keys, int64_t n,
                         struct bi_hash_groups *groups, void **sorted);
/* One pair for each group: hashes and values of *g. BOSC_ERR_DATA if the table refuses repeated keys. */
bosc_status bi_hash_reduce_groups(bosc_ctx *ctx, const bosc_hash *next, const struct bi_hash_input *in,
                                  const void *sorted, struct bi_hash_groups *g);
/* The groups as lists of the shape's partitions. */
bosc_status bi_hash_lists_of(bosc_ctx *ctx, const struct bi_hash_shape *shape, const struct bi_hash_groups *g,
                             struct bi_hash_lists *lists);
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
