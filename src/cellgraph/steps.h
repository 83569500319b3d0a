/* The steps of cell graphs: what happens to item i, for the CPU and the device. */
#ifndef BI_CELLGRAPH_STEPS_H
#define BI_CELLGRAPH_STEPS_H

#include "cellgraph/order_steps.h"
#include "cellgraph/output_steps.h"
#include "cellgraph/pair_steps.h"
#include "cellgraph/sample_steps.h"
#include "cellgraph/trie_steps.h"
#include "cellgraph/unique_steps.h"

#ifdef __cplusplus
extern "C" {
#endif

struct bi_cell_steps {
#define BI_STEP(name, args_t) bi_step_fn name;
#include "cellgraph/steps.def"
#undef BI_STEP
};

extern const struct bi_cell_steps bi_cell_steps_cpu;
#ifdef BOSC_HAVE_CUDA
extern const struct bi_cell_steps bi_cell_steps_cuda;
#endif

#ifdef __cplusplus
}
#endif
#endif
