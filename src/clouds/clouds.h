/* Inside a batch of clouds: the points, cloud after cloud, in an order in which near points are mostly close; an
 * implicit tree of boxes over them; and the room's table.
 *
 * A leaf is BI_CLOUDS_LEAF consecutive points of one cloud, a node of level l + 1 is BI_CLOUDS_FANOUT consecutive nodes
 * of level l. Level l has a slot for each node: those of cloud c begin at offsets[c] / (points of a node) + c, so that
 * slots are found without a scan over the clouds, and no host waits for their sizes. Answers do not depend on the order
 * of the points. */
#ifndef BI_CLOUDS_CLOUDS_H
#define BI_CLOUDS_CLOUDS_H

#include <boscage/clouds.h>

#include "core/call.h"

#ifdef __cplusplus
extern "C" {
#endif

/* LEAF: 128 bytes of 3-D floats, a line of caches. FANOUT: four boxes of 32 bytes are one too. Both are measured on
 * CUDA (docs/design/clouds.md). LEVELS: for 2^32 points. AXES: coordinates of Morton codes. */
enum {
    BI_CLOUDS_LEAF_BITS = 3,
    BI_CLOUDS_LEAF = 1 << BI_CLOUDS_LEAF_BITS,
    BI_CLOUDS_FANOUT_BITS = 2,
    BI_CLOUDS_FANOUT = 1 << BI_CLOUDS_FANOUT_BITS,
    BI_CLOUDS_LEVELS = 16,
    BI_CLOUDS_AXES = 3,
    BI_CLOUDS_DIM = 1024
};

/* The part of a batch that steps read. Coordinates are floats, or doubles if `is_f64`. Rows of points and boxes have
 * `pitch` of them: dim, but 4 for 3-D floats, with 0 behind them. */
struct bi_clouds_view {
    const void *points;        /* (n x pitch) */
    const uint32_t *ids;       /* (n) */
    const void *boxes;         /* (slots x 2 x pitch) low and high corner */
    const uint32_t *least_ids; /* (slots) smallest id of each node */
    const int64_t *offsets;    /* (cloud_count + 1) */
    const uint64_t *extents;   /* (cloud_count x 2 x axes) ordered keys of least coordinates, complements of greatest */
    int64_t n, cloud_count;
    int64_t smallest, largest; /* no cloud has fewer or more points */
    int64_t first_slot[BI_CLOUDS_LEVELS];
    int64_t slots;
    int32_t dim, pitch, levels; /* levels: the last has one node a cloud at most */
    bool is_f64;
    bool sorted; /* by Morton code; else by id */
};

/* Rows of the caller's points. */
struct bi_clouds_rows {
    const void *data;
    int64_t n, stride;
    int32_t dim;
    bool is_f64;
};

struct bosc_clouds {
    struct bi_memory memory, host;
    bosc_clouds_opts opts; /* every field set */
    struct bi_clouds_view view;
    struct bi_block points, ids, boxes, least_ids, offsets, extents;
};

struct bi_row_out;
struct bi_clouds_steps; /* one bi_step_fn for each line of steps.def: see steps/steps.h */

/* The table of batches of clouds that each backend gives. */
struct bi_clouds_ops {
    const struct bi_clouds_steps *steps;
    int64_t sort_from; /* clouds with more points are sorted */

    /* Fused operations; NULL where steps serve. Arguments as those of the steps of the same names. knn returns
     * *served = false, having done nothing, for a search that it has no kernel for. */
    bosc_status (*extent)(bosc_ctx *ctx, const void *args);
    bosc_status (*knn)(bosc_ctx *ctx, int64_t n, const void *args, bool *served);
    bosc_status (*sample)(bosc_ctx *ctx, int64_t n, const void *args);
    /* As knn; counts, or rows if `fill` is set. */
    bosc_status (*radius)(bosc_ctx *ctx, int64_t n, const void *args, bool fill, bool *served);

    /* Sorts the long rows that a fill listed (core/csr_row_out.h). NULL: fills list none. */
    bosc_status (*sort_rows)(bosc_ctx *ctx, const struct bi_row_out *rows, const int64_t *offsets,
                             const uint32_t *long_rows);
};

#ifdef __cplusplus
}
#endif
#endif
