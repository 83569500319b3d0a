/* What scan_hot.c gives to the drivers of sums and scans: kernels for each operation and type. */
#ifndef BI_CORE_CPU_SCAN_KERNELS_H
#define BI_CORE_CPU_SCAN_KERNELS_H

#include <boscage/prims.h>

#include "core/tiles.h"

/* A run of whole tiles (the last one of an array may be short). */
struct bi_scan_piece {
    const void *in;
    const uint8_t *heads; /* or NULL */
    int64_t n;
    const void *carries; /* C(t - 1) for each tile; NULL: they come from `state`, which goes on */
    void *state;
    void *last; /* in: the inclusive result before the piece (exclusive scans); out: the last one of the piece */
    void *out;  /* may be `in` */
    bool exclusive;
};

/* Sums of tiles and carries are of the element's size, in the form in which the kernel adds: ranks of floats for MIN
 * and MAX. */
struct bi_scan_kernels {
    size_t size, state_size; /* state: zero bytes to begin with */
    void (*nothing)(void *result);
    /* totals[t], flags[t]: the sum of tile t, and whether it has a head. Flags only where there are heads. */
    void (*totals)(const void *in, const uint8_t *heads, int64_t n, void *totals, uint8_t *flags);
    /* Turns totals into carries. */
    void (*carries)(void *state, void *totals, const uint8_t *flags, int64_t tiles);
    /* The sum of all totals; at least one. */
    void (*total)(const void *totals, int64_t tiles, void *result);
    void (*scan)(const struct bi_scan_piece *);
};

struct bi_scan_table {
    struct bi_scan_kernels of[3][6]; /* [op][dtype - 1] */
};
extern const struct bi_scan_table bi_scan_table_v1, bi_scan_table_v3, bi_scan_table_v4;

enum { BI_SCAN_STATE_MOST = 8192 };

#endif
