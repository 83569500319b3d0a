/* The steps of concurrent binary trees: what happens to item i, for the CPU and the device. */
#ifndef BI_CBT_STEPS_H
#define BI_CBT_STEPS_H

#include "cbt/heap_steps.h"

#ifdef __cplusplus
extern "C" {
#endif

struct bi_cbt_steps {
#define BI_STEP(name, args_t) bi_step_fn name;
#include "cbt/steps.def"
#undef BI_STEP
};

/* What a backend does for trees. */
struct bi_cbt_ops {
    const struct bi_cbt_steps *steps;
    bool tells; /* reading a flag back does not wait */
    /* Calls `visit` for every leaf and records what it returns; NULL where the caller's functions cannot be called. */
    bosc_status (*for_each)(bosc_ctx *ctx, const bosc_cbt_view *view, bosc_cbt_visit_fn visit, void *user);
};

const struct bi_cbt_ops *bi_cbt_cpu(const bosc_ctx *ctx);
#ifdef BOSC_HAVE_CUDA
extern const struct bi_cbt_ops bi_cbt_cuda;
#endif

#ifdef __cplusplus
}
#endif
#endif
