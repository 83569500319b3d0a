/* Declarations shared by the drivers of pools of bisectors. */
#ifndef BI_BISECTOR_DRIVERS_H
#define BI_BISECTOR_DRIVERS_H

#include "bisector/handle.h"
#include "bisector/steps/steps.h"

#define BI_BISECTOR_STEP(ctx, name, n, args) (ctx->ops->bisector->steps->name((ctx), (n), (args)))

#ifdef __cplusplus
extern "C" {
#endif

/* Finds the neighbours of the nodes in `next` and makes them the leaves. The nodes are sorted and tile the roots. *bad:
 * the first node without a neighbour, and the pool is unchanged; else INT64_MAX. Waits. */
bosc_status bi_bisector_find_neighbours(bosc_ctx *ctx, bosc_bisectors *bisectors, int64_t leaves, int64_t *bad);

/* Makes nodes in reach the leaves, after checking that they are sorted and tile the roots. */
bosc_status bi_bisector_install(bosc_ctx *ctx, bosc_bisectors *bisectors, const uint64_t *nodes, int64_t leaves,
                                int64_t *bad);

/* Makes the nodes of a level the leaves. */
bosc_status bi_bisector_set_level(bosc_ctx *ctx, bosc_bisectors *bisectors, int32_t level);

#ifdef __cplusplus
}
#endif
#endif
