/* Checks of arguments, handles, and their blocks, for every driver. */
#ifndef BI_HASH_HANDLE_H
#define BI_HASH_HANDLE_H

#include "core/check.h"
#include "hash/steps/steps.h"

/* Copies the options to *full with the defaults filled in, and finds the layout's operations. */
bosc_status bi_hash_check_opts(bosc_ctx *ctx, const bosc_hash_opts *opts, bosc_hash_opts *full,
                               const struct bi_hash_layout **layout);
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
bosc_status bi_hash_new(bosc_ctx *ctx, const bosc_hash_opts *full, const struct bi_hash_layout *layout,
                        bosc_hash **table);
/* Empties the table. */
static inline void bi_hash_set_empty(bosc_hash *table)
{
    table->keys = table->pairs = table->buckets = table->extra_probes = 0;
    table->reseeded = table->linear = 0;
}
/* Replaces *table by *next, which began as a copy of it. */
void bi_hash_replace(bosc_hash *table, const bosc_hash *next);

/* Waits for a pending build, completes it, and returns its failure. Of several threads one does so; the others wait for
 * it. */
bosc_status bi_hash_wait_pending(bosc_ctx *ctx, const bosc_hash *table);
void bi_hash_set_pending(bosc_hash *table, int32_t state);

/* Plans the table for n keys: *shape, and the bytes of all blocks except VALUES. */
void bi_hash_plan(const bosc_hash *table, int64_t n, struct bi_hash_shape *shape, size_t bytes[BI_HASH_BLOCKS]);
/* Reserves new blocks for *next, a copy of *table, where its own are smaller than `bytes`. On failure it has none. */
bosc_status bi_hash_reserve_blocks(bosc_ctx *ctx, const bosc_hash *table, const size_t bytes[BI_HASH_BLOCKS],
                                   bosc_hash *next);
/* Frees the blocks of *drop that *keep does not share. */
void bi_hash_drop_blocks(const bosc_hash *keep, bosc_hash *drop);
/* Computes the bytes of each block that hold the table. */
void bi_hash_used_bytes(const bosc_hash *table, size_t bytes[BI_HASH_BLOCKS]);

#endif
