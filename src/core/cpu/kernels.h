/* Kernels of collectives for each CPU level: reductions and scans, compactions, counts of bins. Kernels of sorts are in
 * sort_kernels.h. */
#ifndef BI_CORE_CPU_KERNELS_H
#define BI_CORE_CPU_KERNELS_H

#include <stdbool.h>
#include <stddef.h>

#include <boscage/prims.h>

#include "core/tiles.h"

/* ---- scan_hot.c: by operation and type ---- */

/* A run of whole tiles (the last one of an array may be short). */
struct bi_scan_run {
    const void *in;
    const uint8_t *heads; /* or NULL */
    int64_t n;
    const void *carries; /* C(t - 1) for each tile; NULL: computed from `state`, which advances */
    void *state;
    void *last; /* in: the inclusive result before the run (exclusive scans); out: the last one of the run */
    void *out;  /* may be `in` */
    bool exclusive;
};

/* Sums of tiles and carries have the element's size and the kernel's type: ranks of floats for MIN and MAX. */
struct bi_scan_kernels {
    size_t size, state_size; /* a state starts as zero bytes */
    /* Stores the result of an empty reduction. */
    void (*empty)(void *result);
    /* totals[t]: the sum of tile t; flags[t]: 1 if it has a head (written only if there are heads). */
    void (*totals)(const void *in, const uint8_t *heads, int64_t n, void *totals, uint8_t *flags);
    /* Replaces totals by carries. */
    void (*carries)(void *state, void *totals, const uint8_t *flags, int64_t tiles);
    /* The sum of all totals; at least one. */
    void (*total)(const void *totals, int64_t tiles, void *result);
    void (*scan)(const struct bi_scan_run *);
};

struct bi_scan_table {
    struct bi_scan_kernels of[3][6]; /* [op][dtype - 1] */
};
extern const struct bi_scan_table bi_scan_table_v1, bi_scan_table_v3, bi_scan_table_v4;

enum { BI_SCAN_STATE_BYTES = 8192 };

/* ---- compact_hot.c ---- */

struct bi_compact_kernels {
    /* Counts the nonzero flags among n. */
    int64_t (*count)(const uint8_t *keep, int64_t n);
    /* Copies the kept ones of n items; there are `kept`. */
    void (*copy)(size_t size, const char *in, const uint8_t *keep, int64_t n, char *out, int64_t kept);
};
extern const struct bi_compact_kernels bi_compact_kernels_v1, bi_compact_kernels_v3, bi_compact_kernels_v4;

/* ---- count_hot.c: for histograms and splits ---- */

struct bi_count_kernels {
    /* counts[bins[i]] += 1 for n bins. Returns false, with some not counted, if one is not less than n_bins. */
    bool (*count)(const uint32_t *bins, int64_t n, int64_t n_bins, int64_t *counts);
};
extern const struct bi_count_kernels bi_count_kernels_v1, bi_count_kernels_v3, bi_count_kernels_v4;

#endif
