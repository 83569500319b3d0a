/* The inside of a pool of bisectors, and the room's table. */
#ifndef BI_BISECTOR_BISECTOR_H
#define BI_BISECTOR_BISECTOR_H

#include <boscage/bisector.h>

#include "core/call.h"

#ifdef __cplusplus
extern "C" {
#endif

/* An edge of a leaf (or root) is stored as 4 x leaf + edge; this value: no edge. */
#define BI_BISECTOR_BORDER UINT32_MAX
enum { BI_BISECTOR_MAX_LEAVES = (1 << 30) - 1, BI_BISECTOR_MAX_ROOTS = 1 << 28 };

/* The view of a pool that steps read. Leaves are sorted by position: the first node of the deepest level below them. */
struct bi_bisector_view {
    const uint64_t *nodes;      /* (leaves) */
    const uint32_t *neighbours; /* (leaves x 3) the edge across each of their edges */
    const uint32_t *roots;      /* (root_count x 3) the same for the roots */
    int64_t leaves, root_count;
    int32_t depth, root_bits; /* R = 2^root_bits */
};

/* The arrays of leaves. A pool has two: an update reads one and writes the other. */
struct bi_bisector_leaves {
    struct bi_block nodes, neighbours;
};

struct bosc_bisectors {
    struct bi_memory memory, host;
    struct bi_bisector_view view;
    struct bi_bisector_leaves current, next;
    struct bi_block roots, marks; /* marks: 4 bytes a leaf, see steps/mark.h; valid while commands are pending */
    struct bi_block exchange;     /* memory of the backend, see exchange_bytes */
    struct bi_block next_marks;   /* marks of the next update, for backends that update in one pass */
    uint32_t parity;              /* of the number of these updates */
    bool pending, marks_clear;    /* marks_clear: all marks are 0 */
};

/* Restores leaves of the pool from a copy; the arrays are in reach. */
bosc_status bi_bisector_restore_leaves(bosc_ctx *ctx, bosc_bisectors *bisectors, const uint64_t *nodes,
                                       const uint32_t *neighbours, int64_t leaves);

struct bi_bisector_steps;  /* one bi_step_fn for each line of steps.def: see steps/steps.h */
struct bi_bisector_update; /* steps/change.h */

/* The table of operations on pools of bisectors. */
struct bi_bisector_ops {
    const struct bi_bisector_steps *steps;
    size_t exchange_bytes; /* zeroed memory of each pool for `update` */
    /* Capability, or NULL: an update of at most update_max_leaves leaves in one pass. *leaves: their new number. If it
     * exceeds the capacity no leaf is written, and offsets are set as the step `write` expects them. Waits. */
    bosc_status (*update)(bosc_ctx *ctx, struct bi_bisector_update *update, uint32_t *leaves);
    int64_t update_max_leaves;
};

#ifdef __cplusplus
}
#endif
#endif
