/* The steps of terrains: what happens to item i, for the CPU and the device. */
#ifndef BI_CBT_TERRAIN_STEPS_H
#define BI_CBT_TERRAIN_STEPS_H

#include "cbt/terrain_mesh_steps.h"
#include "core/backend.h"

#ifdef __cplusplus
extern "C" {
#endif

struct bi_terrain_steps {
#define BI_STEP(name, args_t) bi_step_fn name;
#include "cbt/terrain_steps.def"
#undef BI_STEP
};

const struct bi_terrain_steps *bi_terrain_cpu(const bosc_ctx *ctx);
#ifdef BOSC_HAVE_CUDA
extern const struct bi_terrain_steps bi_terrain_cuda;
#endif

#ifdef __cplusplus
}
#endif
#endif
