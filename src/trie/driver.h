/* Between the front door and the drivers of tries. */
#ifndef BI_TRIE_DRIVER_H
#define BI_TRIE_DRIVER_H

#include "core/check.h"
#include "trie/steps.h"

/* Runs a step for items 0 to n - 1. */
#define BI_TRIE_STEP(ctx, name, n, args) (ctx->ops->trie->name((ctx), (n), (args)))

/* A copy of the options with the defaults filled in. */
bosc_status bi_trie_check_opts(bosc_ctx *ctx, const bosc_trie_opts *opts, bosc_trie_opts *full);
struct bi_trie_shape bi_trie_shape_of(const bosc_trie_opts *full);

/* Whether the context can reach the trie; BOSC_ERR_ARG with the reason. */
bosc_status bi_trie_check(bosc_ctx *ctx, const bosc_trie *trie);

/* The caller's rows, of which there are `count` (the argument of that name). */
bosc_status bi_trie_check_rows(bosc_ctx *ctx, const struct bi_trie_shape *shape, const char *name, const uint64_t *data,
                               const char *count, int64_t n, int64_t stride, struct bi_trie_rows *rows);
bosc_status bi_trie_stage_rows(bosc_ctx *ctx, const struct bi_trie_shape *shape, struct bi_trie_rows *rows,
                               bool *staged);
/* Rows with their values, or NULL. */
struct bi_trie_given {
    struct bi_trie_rows rows;
    const void *values;
};
bosc_status bi_trie_check_given(bosc_ctx *ctx, const bosc_trie *trie, const uint64_t *keys, const void *values,
                                int64_t n, int64_t stride, struct bi_trie_given *given);
bosc_status bi_trie_stage_given(bosc_ctx *ctx, const bosc_trie *trie, struct bi_trie_given *given);

/* An array of the caller's with elements of `size` bytes: there if it has to be, and aligned to them. */
bosc_status bi_trie_check_array(bosc_ctx *ctx, const char *name, const void *array, bool needed, size_t size);

/* A new, empty trie with these (full) options. */
bosc_status bi_trie_new(bosc_ctx *ctx, const bosc_trie_opts *full, bosc_trie **trie);

/* Scratch for `count` elements of `size` bytes; *at, a pointer, is set on success. */
bosc_status bi_trie_scratch(bosc_ctx *ctx, int64_t count, size_t size, void *at);

/* Room in a block of the trie. */
bosc_status bi_trie_reserve(bosc_ctx *ctx, bosc_trie *trie, int block, int64_t count, size_t size);
/* Room for so many keys, values and multiplicities. */
bosc_status bi_trie_reserve_keys(bosc_ctx *ctx, bosc_trie *trie, int64_t count, struct bi_trie_sorted *keys);
void bi_trie_free_blocks(bosc_trie *trie);

/* Buckets of the table for so many keys; 0 where there is none. */
uint32_t bi_trie_buckets(const bosc_trie_opts *full, const struct bi_trie_shape *shape, int64_t keys);

struct bi_trie_view bi_trie_view_of(const bosc_trie *trie);
struct bi_trie_sorted bi_trie_sorted_of(const bosc_trie *trie);

/* Rows in lexicographic order, equal ones in their own. */
struct bi_trie_order {
    struct bi_trie_rows rows;
    const int64_t *turned;    /* NULL, or the rows as struct bi_trie_turning has them */
    uint32_t *order, *starts; /* starts: of each distinct key */
    int64_t count;            /* distinct keys */
};

/* Slots of a dictionary of the words of n rows; 0 where the sort would not ask for one: on the CPU, whose own sort sees
 * that the words of a column are alike. */
int64_t bi_trie_slots(const bosc_ctx *ctx, const struct bi_trie_shape *shape, int64_t n);
/* Sorts rows that are in reach, in scratch. There are some. */
bosc_status bi_trie_sort(bosc_ctx *ctx, const struct bi_trie_shape *shape, const struct bi_trie_rows *rows,
                         struct bi_trie_order *o);
/* The distinct keys of sorted rows, with values in reach or NULL. */
bosc_status bi_trie_gather(bosc_ctx *ctx, const bosc_trie *trie, const struct bi_trie_order *o, const void *values,
                           int64_t first_row, const struct bi_trie_sorted *to);

/* Makes the nodes of the trie's keys. */
bosc_status bi_trie_make_nodes(bosc_ctx *ctx, bosc_trie *trie);

#endif
