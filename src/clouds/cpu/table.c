/* The CPU's table of batches of clouds. */
#include "clouds/cpu/knn.h"
#include "clouds/steps/steps.h"
#include "core/steps.h"

#define STEP_LIST "clouds/steps/steps.def"
#define STEP_TABLE static const struct bi_clouds_steps cpu_steps
#include "core/step_table.inc"

/* SORT_FROM: with fewer points a search measures about as many in any order; not measured. */
enum { SORT_FROM = 64 };

const struct bi_clouds_ops bi_clouds_ops_cpu = {
    .steps = &cpu_steps, .sort_from = SORT_FROM, .knn = bi_cpu_clouds_knn, .radius = bi_cpu_clouds_radius};
