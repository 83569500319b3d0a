/* What the drivers of tries share. */
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

/* Slots of a dictionary of the words of n rows; 0 where rows are not sorted by prefixes, as on the CPU, whose own sort
 * sees that the words of a column are alike. */
int64_t bi_trie_dictionary_slots(const bosc_ctx *ctx, const struct bi_trie_shape *shape, int64_t n);
/* Are the rows' words alike, so that numbers for them are short? */
bosc_status bi_trie_are_alike(bosc_ctx *ctx, const struct bi_trie_shape *shape, const struct bi_trie_rows *rows,
                              bool *alike);
/* Columns of the numbers of the rows' words, in scratch; no columns if the words are not alike. */
bosc_status bi_trie_number_rows(bosc_ctx *ctx, const struct bi_trie_shape *shape, const struct bi_trie_rows *rows,
                                struct bi_trie_columns *to);
/* The rows reversed as columns, in scratch. */
bosc_status bi_trie_reverse_rows(bosc_ctx *ctx, const struct bi_trie_shape *shape, const struct bi_trie_rows *rows,
                                 struct bi_trie_columns *to);
/* Sorts n members, or all rows, where these are NULL, by the last column, then stably by the one before, and so on;
 * first (n) gets the first column in order. Takes scratch. */
bosc_status bi_trie_sort_columns(bosc_ctx *ctx, const struct bi_trie_columns *rows, const uint32_t *members, int64_t n,
                                 uint32_t *order, int64_t *first);
/* Fills o->order and o->starts, in reach, and o->count, from o->rows, whose words are alike or not. */
bosc_status bi_trie_sort_by_prefix(bosc_ctx *ctx, const struct bi_trie_shape *shape, bool alike,
                                   struct bi_trie_order *o);
/* Sorts rows that are in reach, in scratch. There are some. */
bosc_status bi_trie_sort(bosc_ctx *ctx, const struct bi_trie_shape *shape, const struct bi_trie_rows *rows,
                         struct bi_trie_order *o);
/* The distinct keys of sorted rows, with values in reach or NULL. */
bosc_status bi_trie_gather(bosc_ctx *ctx, const bosc_trie *trie, const struct bi_trie_order *o, const void *values,
                           int64_t first_row, const struct bi_trie_sorted *to);

/* Makes the nodes of the trie's keys. */
bosc_status bi_trie_make_nodes(bosc_ctx *ctx, bosc_trie *trie);

#endif
