/* The steps of voxel grids: what happens to item i, for the CPU and the device. */
#ifndef BI_SPATIAL_STEPS_H
#define BI_SPATIAL_STEPS_H

#include "spatial/build_steps.h"
#include "spatial/query_steps.h"

#ifdef __cplusplus
extern "C" {
#endif

struct bi_grid_steps {
#define BI_STEP(name, args_t) bi_step_fn name;
#include "spatial/steps.def"
#undef BI_STEP
    /* Sorts the rows that a fill left: those that begin and end at `offsets`, of `rows`, whose `at` does not matter.
     * NULL: fills shall leave none. */
    bosc_status (*sort_rows)(bosc_ctx *ctx, const struct bi_row_out *rows, const int64_t *offsets,
                             const uint32_t *long_rows);
};

extern const struct bi_grid_steps bi_grid_steps_cpu;
#ifdef BOSC_HAVE_CUDA
extern const struct bi_grid_steps bi_grid_steps_cuda;
#endif

#ifdef __cplusplus
}
#endif
#endif
