/* Terrains on the CPU: the table of the context's level. */
#include "cbt/terrain_steps.h"
#include "core/context.h"
#include "core/cpu/level.h"

extern const struct bi_terrain_ops bi_terrain_cpu_v1, bi_terrain_cpu_v3, bi_terrain_cpu_v4;

const struct bi_terrain_ops *bi_terrain_cpu(const bosc_ctx *ctx) { return BI_LEVEL_PICK(ctx->level, bi_terrain_cpu); }
