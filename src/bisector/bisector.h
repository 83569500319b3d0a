/* The inside of a pool of bisectors, the functions that its drivers share, and the room's table. */
#ifndef BI_BISECTOR_BISECTOR_H
#define BI_BISECTOR_BISECTOR_H

#include <boscage/bisector.h>

#include "core/call.h"

#ifdef __cplusplus
extern "C" {
#endif

/* An edge of a leaf (or root) is stored as 4 x leaf + edge, in 32 bits: so a pool has less than 2^30 leaves. This
 * value: no edge. */
#define BI_BISECTOR_BORDER UINT32_MAX
enum { BI_BISECTOR_MAX_LEAVES = (1 << 30) - 1, BI_BISECTOR_MAX_ROOTS = 1 << 28 };

/* The view of a pool that steps read. Leaves are sorted by position: the first node of the deepest level below them. */
struct bi_bisector_view {
    const uint64_t *nodes;      /* (leaves) */
    const uint32_t *neighbours; /* (leaves x 3) the edge across each of their edges */
    const uint32_t *roots;      /* (root_count x 3) the same for the roots */
    int64_t leaves, root_count;
    int32_t depth, root_bits; /* the roots are nodes 2^root_bits, 2^root_bits + 1, ... */
};

/* The arrays of leaves. A pool has two: an update reads one and writes the other. */
struct bi_bisector_leaves {
    struct bi_block nodes, neighbours;
};

struct bosc_bisectors {
    struct bi_memory memory, host;
    struct bi_bisector_view view;
    struct bi_bisector_leaves current, next;
    struct bi_block roots, marks; /* marks: 4 bytes a leaf, see steps/change.h; valid while commands are pending */
    struct bi_block exchange;     /* memory of the backend, see exchange_bytes */
    struct bi_block next_marks;   /* marks of the next update, for backends that update in one pass */
    uint32_t parity;              /* 0 or 1 in turn: the barrier of the next of these updates */
    bool pending, marks_clear;    /* marks_clear: all marks are 0 */
};

/* ---- handle.c ---- */

/* A copy of the options with the defaults filled in. */
bosc_status bi_bisector_check_opts(bosc_ctx *ctx, const bosc_bisectors_opts *opts, bosc_bisectors_opts *full);

/* Checks that the context can reach the pool. */
bosc_status bi_bisector_check(bosc_ctx *ctx, const bosc_bisectors *bisectors);

/* Checks an array of n elements of `size` bytes: present, aligned, and no larger than memory. */
bosc_status bi_bisector_check_array(bosc_ctx *ctx, const char *n_name, int64_t n, const char *name, const void *array,
                                    size_t size);

/* BOSC_ERR_LIMIT if a pool cannot have this many leaves. */
bosc_status bi_bisector_check_leaves(bosc_ctx *ctx, int64_t leaves);

/* Number of nodes of a level; BOSC_ERR_LIMIT if a pool cannot have them as leaves. */
bosc_status bi_bisector_level_size(bosc_ctx *ctx, int64_t root_count, int32_t level, int64_t *leaves);

/* Allocates a pool without leaves, with these (full) options. glued: the edge across each edge of the roots, 4 s + f or
 * the border. */
bosc_status bi_bisector_allocate(bosc_ctx *ctx, const bosc_bisectors_opts *full, const uint32_t *glued,
                                 bosc_bisectors **bisectors);

/* Reserves the arrays for this many leaves; their contents are lost. */
bosc_status bi_bisector_reserve_leaves(bosc_ctx *ctx, const bosc_bisectors *bisectors,
                                       struct bi_bisector_leaves *leaves, int64_t count);

/* Makes `next` the current leaves, of this number, and discards the recorded commands. */
void bi_bisector_swap(bosc_bisectors *bisectors, int64_t leaves);

/* ---- create.c, change.c ---- */

/* Makes nodes in reach the leaves, after checking that they are sorted and tile the roots. *bad: the first node that is
 * none or has no neighbour, and the pool is unchanged; else INT64_MAX. Waits. */
bosc_status bi_bisector_install(bosc_ctx *ctx, bosc_bisectors *bisectors, const uint64_t *nodes, int64_t leaves,
                                int64_t *bad);

/* As bosc_bisectors_update, of arrays in reach; sources (capacity) beyond the new leaves are not set. */
bosc_status bi_bisector_apply(bosc_ctx *ctx, bosc_bisectors *bisectors, const uint8_t *commands, int64_t command_count,
                              int64_t *sources, int64_t capacity);

/* Restores leaves of the pool from a copy; the arrays are in reach. */
bosc_status bi_bisector_restore_leaves(bosc_ctx *ctx, bosc_bisectors *bisectors, const uint64_t *nodes,
                                       const uint32_t *neighbours, int64_t leaves);

/* ---- the table ---- */

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
