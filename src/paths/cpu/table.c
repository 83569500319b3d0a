/* The CPU's table of shortest paths. */
#include "core/steps.h"
#include "paths/paths.h"
#include "paths/steps/steps.h"

#define STEP_LIST "paths/steps/steps.def"
#define STEP_TABLE static const struct bi_paths_steps steps
#include "core/step_table.inc"

const struct bi_paths_ops bi_paths_ops_cpu = {.steps = &steps,
                                              .searches_64bit = true,
                                              .search = bi_paths_cpu_search,
                                              .order = bi_paths_cpu_order,
                                              .search_bytes = bi_paths_cpu_search_bytes};
