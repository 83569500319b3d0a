/* The CPU's table of arrangements. */
#define BI_STEP_COST 65536 /* an item is a flat: all planes are sorted along it */

#include "arrangement/steps/steps.h"
#include "core/steps.h"

#define STEP_LIST "arrangement/steps/steps.def"
#define STEP_TABLE static const struct bi_arrangement_steps cpu_steps
#include "core/step_table.inc"

const struct bi_arrangement_ops bi_arrangement_ops_cpu = {.steps = &cpu_steps};
