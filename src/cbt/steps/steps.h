/* The steps of concurrent binary trees: what happens to item i, on the CPU and on the device. */
#ifndef BI_CBT_STEPS_STEPS_H
#define BI_CBT_STEPS_STEPS_H

#include "cbt/steps/bits.h"
#include "cbt/steps/change.h"
#include "cbt/steps/decode.h"
#include "cbt/steps/published/heap.h"
#include "cbt/steps/published/tree.h"
#include "cbt/steps/query.h"
#include "core/backend.h"

#ifdef __cplusplus
extern "C" {
#endif

struct bi_cbt_steps {
#define BI_STEP(name, args_t) bi_step_fn name;
#include "cbt/steps/steps.def"
#undef BI_STEP
};

#ifdef __cplusplus
}
#endif
#endif
