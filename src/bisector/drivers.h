/* What the drivers of pools of bisectors share. */
#ifndef BI_BISECTOR_DRIVERS_H
#define BI_BISECTOR_DRIVERS_H

#include "bisector/handle.h"
#include "bisector/steps/steps.h"

#define BI_BISECTOR_STEP(ctx, name, n, args) (ctx->ops->bisector->steps->name((ctx), (n), (args)))

#ifdef __cplusplus
extern "C" {
#endif

/* Takes over the nodes in `next`, this many, which are in order and are those of a level or were checked: finds their
 * neighbours. *bad: the first one without, then the pool stays as it was; else INT64_MAX. Waits. */
bosc_status bi_bisector_connect(bosc_ctx *ctx, bosc_bisectors *bisectors, int64_t leaves, int64_t *bad);

/* The same with nodes in reach, which are checked first. */
bosc_status bi_bisector_install(bosc_ctx *ctx, bosc_bisectors *bisectors, const uint64_t *nodes, int64_t leaves,
                                int64_t *bad);

/* Makes the nodes of a level the leaves. */
bosc_status bi_bisector_set_level(bosc_ctx *ctx, bosc_bisectors *bisectors, int32_t level);

#ifdef __cplusplus
}
#endif
#endif
