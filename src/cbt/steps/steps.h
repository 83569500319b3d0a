/* The steps of concurrent binary trees: what happens to item i, on the CPU and on the device. */
#ifndef BI_CBT_STEPS_STEPS_H
#define BI_CBT_STEPS_STEPS_H

#include "cbt/steps/bits.h"
#include "cbt/steps/change.h"
#include "cbt/steps/decode.h"
#include "cbt/steps/published/heap.h"
#include "core/backend.h"

#ifdef __cplusplus
extern "C" {
#endif

struct bi_cbt_steps {
#define BI_STEP(name, args_t) bi_step_fn name;
#include "cbt/steps/steps.def"
#undef BI_STEP
};

/* Runs a step over n items. */
#define BI_CBT_STEP(ctx, name, n, args) (ctx->ops->cbt->steps->cbt_##name((ctx), (n), (args)))

#ifdef __cplusplus
}
#endif
#endif
