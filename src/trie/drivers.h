/* Shared by the drivers of tries. */
#ifndef BI_TRIE_DRIVERS_H
#define BI_TRIE_DRIVERS_H

#include "core/check.h"
#include "trie/handle.h"
#include "trie/steps/steps.h"

/* Runs a step for items 0 to n - 1. */
#define BI_TRIE_STEP(ctx, name, n, args) (ctx->ops->trie->steps->name((ctx), (n), (args)))

/* Rows in lexicographic order, equal ones in their own. */
struct bi_trie_order {
    struct bi_trie_rows rows;
    const int64_t *reversed;  /* NULL, or the rows as struct bi_trie_reversing has them */
    uint32_t *order, *starts; /* starts: of each distinct key */
    int64_t count;            /* distinct keys */
};

/* Slots of a dictionary of the words of n rows; 0 where rows are not sorted by prefixes, as on the CPU, whose own
 * sort exploits repeated words. */
int64_t bi_trie_dictionary_slots(const bosc_ctx *ctx, const struct bi_trie_shape *shape, int64_t n);
/* *repetitive: words of the rows repeat, so that numbers for them are short. */
bosc_status bi_trie_words_repeat(bosc_ctx *ctx, const struct bi_trie_shape *shape, const struct bi_trie_rows *rows,
                                 bool *repetitive);
/* Numbers the rows' words: columns in scratch; no columns if the words do not repeat. */
bosc_status bi_trie_number_rows(bosc_ctx *ctx, const struct bi_trie_shape *shape, const struct bi_trie_rows *rows,
                                struct bi_trie_columns *to);
/* Reverses the rows into columns in scratch. */
bosc_status bi_trie_reverse_rows(bosc_ctx *ctx, const struct bi_trie_shape *shape, const struct bi_trie_rows *rows,
                                 struct bi_trie_columns *to);
/* Sorts n members (NULL: all rows) stably by the last column, then by the one before, and so on; first (n) gets the
 * sorted first column. Allocates scratch. */
bosc_status bi_trie_sort_columns(bosc_ctx *ctx, const struct bi_trie_columns *rows, const uint32_t *members, int64_t n,
                                 uint32_t *order, int64_t *first);
/* Fills o->order, o->starts (allocated) and o->count from o->rows. */
bosc_status bi_trie_sort_by_prefix(bosc_ctx *ctx, const struct bi_trie_shape *shape, bool repetitive,
                                   struct bi_trie_order *o);
/* Sorts one or more reachable rows; results in scratch. */
bosc_status bi_trie_sort_rows(bosc_ctx *ctx, const struct bi_trie_shape *shape, const struct bi_trie_rows *rows,
                              struct bi_trie_order *o);
/* Gathers the distinct keys of sorted rows, with reachable values or NULL. */
bosc_status bi_trie_gather_keys(bosc_ctx *ctx, const bosc_trie *trie, const struct bi_trie_order *o, const void *values,
                                int64_t first_row, const struct bi_trie_sorted *to);

/* Builds the nodes of the trie's keys. */
bosc_status bi_trie_build_nodes(bosc_ctx *ctx, bosc_trie *trie);

#endif
