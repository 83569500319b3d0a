/* The CPU's table of motion planning, for each level; signs are its hot loop. */
#include "core/cpu/level.h"
#include "core/steps.h"
#include "plan/cpu/fast_signs.h"
#include "plan/cpu/order_roots.h"
#include "plan/steps/steps.h"

#undef BI_STEP_COST
#define BI_STEP_COST 1024 /* an item is a row of signs, or more */

#define BI_STEP BI_STEP_CPU
#include "plan/steps/steps.def"
#undef BI_STEP

static const struct bi_plan_steps cpu_steps = {
#define BI_STEP(name, args_t) .name = cpu_step_##name,
#include "plan/steps/steps.def"
#undef BI_STEP
};

const struct bi_plan_ops BI_LEVEL_NAME(bi_plan_ops_cpu) = {
    .steps = &cpu_steps, .fast_signs = fast_signs, .order_roots = order_roots};
