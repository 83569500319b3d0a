/* The foundation of pools of bisectors: checks of options, handles and arrays, and the pool's blocks. */
#ifndef BI_BISECTOR_HANDLE_H
#define BI_BISECTOR_HANDLE_H

#include "bisector/bisector.h"
#include "core/check.h"

#ifdef __cplusplus
extern "C" {
#endif

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

#ifdef __cplusplus
}
#endif
#endif
