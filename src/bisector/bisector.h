/* Inside a pool of bisectors, and the room's table. */
#ifndef BI_BISECTOR_BISECTOR_H
#define BI_BISECTOR_BISECTOR_H

#include <boscage/bisector.h>

#include "core/context.h"

#ifdef __cplusplus
extern "C" {
#endif

/* An edge as seen from the other side: 4 x leaf (or root) + edge. */
#define BI_BISECTOR_BORDER UINT32_MAX
enum { BI_BISECTOR_MOST_LEAVES = (1 << 30) - 1, BI_BISECTOR_MOST_ROOTS = 1 << 28 };

/* What steps read of a pool. The leaves ascend by the place where they begin: the first node of the deepest level that
 * lies below them. */
struct bi_bisector_view {
    const uint64_t *nodes;      /* (leaves) */
    const uint32_t *neighbours; /* (leaves x 3) the edges that theirs are glued to */
    const uint32_t *roots;      /* (root_count x 3) the same of the roots */
    int64_t leaves, root_count;
    int32_t depth, root_bits; /* R = 2^root_bits */
};

/* The arrays of leaves: there are two, and an update writes the other one. */
struct bi_bisector_leaves {
    struct bi_block nodes, neighbours;
};

struct bosc_bisectors {
    struct bi_memory memory, host;
    struct bi_bisector_view view;
    struct bi_bisector_leaves now, next;
    struct bi_block roots, marks; /* marks: 4 bytes a leaf, see steps/mark.h; set while commands are pending */
    struct bi_block exchange;     /* of the backend, see below */
    struct bi_block spare;        /* marks of the next update, where updates are one pass */
    uint32_t turn;                /* of these: 0 and 1 */
    bool pending, clear;          /* clear: no mark is set */
};

/* Makes leaves that the pool had before its leaves again; the arrays are in reach. */
bosc_status bi_bisector_put_back(bosc_ctx *ctx, bosc_bisectors *bisectors, const uint64_t *nodes,
                                 const uint32_t *neighbours, int64_t leaves);

struct bi_bisector_steps;  /* one bi_step_fn for each line of steps.def: see steps/steps.h */
struct bi_bisector_update; /* steps/change.h */

/* The table of pools of bisectors that each backend gives. */
struct bi_bisector_ops {
    const struct bi_bisector_steps *steps;
    size_t exchange_bytes; /* that each pool keeps for `update`, zeroed */
    /* Capability, or NULL: an update of at most so many leaves in one pass. *leaves: how many there are then. If they
     * are more than there is room for, none is written, and offsets are those that the step `write` takes. Waits. */
    bosc_status (*update)(bosc_ctx *ctx, struct bi_bisector_update *update, uint32_t *leaves);
    int64_t update_most;
};

#ifdef __cplusplus
}
#endif
#endif
