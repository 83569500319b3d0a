/* The steps of hash tables: what happens to item i, for the CPU and the device. */
#ifndef BI_HASH_STEPS_STEPS_H
#define BI_HASH_STEPS_STEPS_H

#include "core/call.h"
#include "hash/steps/change.h"
#include "hash/steps/chained.h"
#include "hash/steps/check.h"
#include "hash/steps/cuckoo.h"
#include "hash/steps/group.h"
#include "hash/steps/ordered.h"
#include "hash/steps/read.h"
#include "hash/steps/slots.h"

#ifdef __cplusplus
extern "C" {
#endif

struct bi_hash_steps {
#define BI_STEP(name, args_t) bi_step_fn name;
#include "hash/steps/steps.def"
#undef BI_STEP
};

#ifdef BOSC_HAVE_CUDA
extern const struct bi_hash_steps bi_hash_steps_cuda;
#endif

#ifdef __cplusplus
}
#endif
#endif
