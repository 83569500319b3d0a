/* The CPU's operations of structures over ranks. */
#include "core/steps.h"
#include "ranks/cpu/filter.h"
#include "ranks/cpu/owned.h"
#include "ranks/cpu/queries.h"
#include "ranks/cpu/splitter.h"
#include "ranks/steps/steps.h"

#define STEP_LIST "ranks/steps/steps.def"
#define STEP_TABLE static const struct bi_ranks_steps cpu_steps
#include "core/step_table.inc"

const struct bi_ranks_ops bi_ranks_ops_cpu = {.steps = &cpu_steps,
                                              .count_owned = bi_ranks_cpu_count_owned,
                                              .move_owned = bi_ranks_cpu_move_owned,
                                              .find_splitter = bi_ranks_cpu_find_splitter,
                                              .filter_points = bi_ranks_cpu_filter_points,
                                              .find_box = bi_ranks_cpu_find_box,
                                              .pools_threads = true,
                                              .order_queries = bi_ranks_cpu_order_queries,
                                              .return_answers = bi_ranks_cpu_return_answers};
