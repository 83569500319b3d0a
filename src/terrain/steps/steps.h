/* The steps of terrains: what happens to item i, for the CPU and the device. */
#ifndef BI_TERRAIN_STEPS_STEPS_H
#define BI_TERRAIN_STEPS_STEPS_H

#include "terrain/steps/mesh.h"
#include "core/backend.h"

#ifdef __cplusplus
extern "C" {
#endif

struct bi_terrain_steps {
#define BI_STEP(name, args_t) bi_step_fn name;
#include "terrain/steps/steps.def"
#undef BI_STEP
};

/* What a backend does for terrains: steps, and what it can do faster; each of these may be NULL. */
struct bi_terrain_ops {
    const struct bi_terrain_steps *steps;
    /* Takes a raster with squares of 64 or more intervals, both triangles of them, and its errors. */
    bosc_status (*read)(bosc_ctx *ctx, const struct bi_terrain_reading *a);
    /* As the steps of these names, for trees of which bi_terrain_word is anchored. */
    bosc_status (*grow)(bosc_ctx *ctx, const struct bi_terrain_grow *a);
    bosc_status (*weigh)(bosc_ctx *ctx, const struct bi_terrain_weigh *a);
    bosc_status (*use)(bosc_ctx *ctx, const struct bi_terrain_mesh *a);
    bosc_status (*live)(bosc_ctx *ctx, const struct bi_terrain_mesh *a);
    bosc_status (*vertices)(bosc_ctx *ctx, const struct bi_terrain_mesh *a);
    bosc_status (*triangles)(bosc_ctx *ctx, const struct bi_terrain_mesh *a);
};

#ifdef BOSC_HAVE_CUDA
extern const struct bi_terrain_ops bi_terrain_ops_cuda;
#endif

#ifdef __cplusplus
}
#endif
#endif
