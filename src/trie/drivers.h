/* Shared by the drivers of tries. */
#ifndef BI_TRIE_DRIVERS_H
#define BI_TRIE_DRIVERS_H

#include "core/check.h"
#include "trie/steps/steps.h"

/* Runs a step for items 0 to n - 1. */
#define BI_TRIE_STEP(ctx, name, n, args) (ctx->ops->trie->steps->name((ctx), (n), (args)))

/* ---- handle.c ---- */

/* Copies the options with defaults filled in. */
bosc_status bi_trie_check_opts(bosc_ctx *ctx, const bosc_trie_opts *opts, bosc_trie_opts *full);
struct bi_trie_shape bi_trie_shape_of(const bosc_trie_opts *full);

/* Bits of the most letters that a digit holds. */
static inline int32_t bi_trie_widest_digit(int32_t letter_bits) { return BI_TRIE_DIGIT / letter_bits * letter_bits; }

/* Checks that the context can reach the trie. */
bosc_status bi_trie_check(bosc_ctx *ctx, const bosc_trie *trie);

/* Checks the caller's rows, `n` in the argument named `count`, and describes them in *rows. */
bosc_status bi_trie_check_rows(bosc_ctx *ctx, const struct bi_trie_shape *shape, const char *name, const uint64_t *data,
                               const char *count, int64_t n, int64_t stride, struct bi_trie_rows *rows);
bosc_status bi_trie_stage_rows(bosc_ctx *ctx, const struct bi_trie_shape *shape, struct bi_trie_rows *rows,
                               bool *staged);
/* Rows, and their values or NULL. */
struct bi_trie_input {
    struct bi_trie_rows rows;
    const void *values;
};
bosc_status bi_trie_check_input(bosc_ctx *ctx, const bosc_trie *trie, const uint64_t *keys, const void *values,
                                int64_t n, int64_t stride, struct bi_trie_input *input);
bosc_status bi_trie_stage_input(bosc_ctx *ctx, const bosc_trie *trie, struct bi_trie_input *input);

/* Checks an array of the caller with elements of `size` bytes: not NULL if needed, and aligned. */
bosc_status bi_trie_check_array(bosc_ctx *ctx, const char *name, const void *array, bool needed, size_t size);

/* Creates an empty trie with full options. */
bosc_status bi_trie_new(bosc_ctx *ctx, const bosc_trie_opts *full, bosc_trie **trie);

/* Grows a block of the trie. */
bosc_status bi_trie_reserve_block(bosc_ctx *ctx, bosc_trie *trie, int block, int64_t count, size_t size);
/* Grows the blocks for this many keys, values and multiplicities. */
bosc_status bi_trie_reserve_keys(bosc_ctx *ctx, bosc_trie *trie, int64_t count, struct bi_trie_sorted *keys);
void bi_trie_free_blocks(bosc_trie *trie);

/* Buckets of the table for this many keys; 0: no table. */
uint32_t bi_trie_buckets(const bosc_trie_opts *full, const struct bi_trie_shape *shape, int64_t keys);

struct bi_trie_view bi_trie_view_of(const bosc_trie *trie);
struct bi_trie_sorted bi_trie_sorted_of(const bosc_trie *trie);

/* Slots of a dictionary of the words of n rows; 0 where rows are not sorted by prefixes, as on the CPU, whose own
 * sort exploits repeated words. */
int64_t bi_trie_dictionary_slots(const bosc_ctx *ctx, const struct bi_trie_shape *shape, int64_t n);

/* ---- sort.c ---- */

/* Rows in lexicographic order, equal ones in their own. */
struct bi_trie_order {
    struct bi_trie_rows rows;
    const int64_t *reversed;  /* NULL, or the rows as struct bi_trie_reversing has them */
    uint32_t *order, *starts; /* starts: of each distinct key */
    int64_t count;            /* distinct keys */
};

/* Sorts one or more reachable rows; results in scratch. by_columns: by radix sorts of all columns of words, as
 * published. */
bosc_status bi_trie_sort_rows(bosc_ctx *ctx, const struct bi_trie_shape *shape, const struct bi_trie_rows *rows,
                              bool by_columns, struct bi_trie_order *o);
/* Gathers the distinct keys of sorted rows, with reachable values or NULL. */
bosc_status bi_trie_gather_keys(bosc_ctx *ctx, const bosc_trie *trie, const struct bi_trie_order *o, const void *values,
                                int64_t first_row, const struct bi_trie_sorted *to);

/* ---- build.c ---- */

/* Builds the nodes of the trie's keys. */
bosc_status bi_trie_build_nodes(bosc_ctx *ctx, bosc_trie *trie);

#endif
