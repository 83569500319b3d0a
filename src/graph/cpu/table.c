/* The table of graphs on the CPU. */
#include "core/steps.h"
#include "graph/graph.h"
#include "graph/steps/steps.h"

#define BI_STEP BI_STEP_CPU
#define BI_QUICK_STEP BI_QUICK_STEP_CPU
#include "graph/steps/steps.def"
#undef BI_STEP

static const struct bi_graph_steps steps = {
#define BI_STEP(name, args_t) .name = cpu_step_##name,
#include "graph/steps/steps.def"
#undef BI_STEP
};

const struct bi_graph_ops bi_graph_ops_cpu = {.steps = &steps, .back_arcs = bi_graph_cpu_back_arcs};
