/* The steps of random arrays that each backend gives. */
#ifndef BI_RANDOM_RANDOM_H
#define BI_RANDOM_RANDOM_H

#include "core/context.h"

#ifdef __cplusplus
extern "C" {
#endif

struct bi_random_steps {
#define BI_STEP(name, args_t) bi_step_fn name;
#include "random/steps.def"
#undef BI_STEP
};

extern const struct bi_random_steps bi_random_steps_cpu;
#ifdef BOSC_HAVE_CUDA
extern const struct bi_random_steps bi_random_steps_cuda;
#endif

#ifdef __cplusplus
}
#endif
#endif
