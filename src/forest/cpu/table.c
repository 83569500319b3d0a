/* The table of spanning forests on the CPU. */
#include "core/steps.h"
#include "forest/forest.h"
#include "forest/steps/steps.h"

#define BI_STEP BI_STEP_CPU
#define BI_QUICK_STEP BI_QUICK_STEP_CPU
#include "forest/steps/steps.def"
#undef BI_STEP

static const struct bi_forest_steps steps = {
#define BI_STEP(name, args_t) .name = cpu_step_##name,
#include "forest/steps/steps.def"
#undef BI_STEP
};

const struct bi_forest_ops bi_forest_ops_cpu = {.steps = &steps,
                                                .msf = bi_msf_cpu,
                                                .msf_entries = bi_msf_cpu_entries,
                                                .components = bi_components_cpu,
                                                .components_entries = bi_components_cpu_entries};
