/* Answers as CSR rows (row offsets, then entries) by two calls, alike in every room. The first call, without arrays for
 * entries, returns the queries + 1 offsets, ascending from 0. The caller allocates as many entries as the last offset;
 * the second call fills the rows. */
#ifndef BI_CORE_CSR_H
#define BI_CORE_CSR_H

#include "core/call.h"

/* Counts the entries of each row into counts[0 .. rows - 1], in reach. Not called for 0 rows. */
typedef bosc_status (*bi_csr_count_fn)(bosc_ctx *ctx, void *query, int64_t *counts);

/* The first call: fills the caller's offsets (rows + 1) from the counts. Waits. */
bosc_status bi_csr_offsets(bosc_ctx *ctx, int64_t rows, bi_csr_count_fn count, void *query, int64_t *offsets);

/* A caller's array for entries of `size` bytes, or NULL. */
struct bi_csr_column {
    void *array;
    size_t size;
};

enum { BI_CSR_COLUMNS = 2 };

/* Arguments of the fill function of the second call. A row whose answer does not have the length of its offsets lowers
 * *bad to its number and is left unfinished. */
struct bi_csr_rows {
    int64_t rows, total;
    const int64_t *offsets;        /* (rows + 1), in reach, checked */
    void *columns[BI_CSR_COLUMNS]; /* in reach, or NULL */
    int64_t *bad;                  /* in reach */
};
typedef bosc_status (*bi_csr_fill_fn)(bosc_ctx *ctx, void *query, const struct bi_csr_rows *to);

/* The second call: checks that the offsets ascend from 0 and that their last one is at most `capacity` (else
 * BOSC_ERR_SPACE), and fills. Outputs are untouched on failure where they are staged. Waits. */
bosc_status bi_csr_fill(bosc_ctx *ctx, int64_t rows, const int64_t *offsets, int64_t capacity,
                        const struct bi_csr_column columns[BI_CSR_COLUMNS], bi_csr_fill_fn fill, void *query);

/* Checks arguments of both calls; `capacity` only if `filling`. */
bosc_status bi_csr_check(bosc_ctx *ctx, int64_t rows, const int64_t *offsets, bool filling, int64_t capacity);

#endif
