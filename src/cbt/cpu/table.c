/* Trees on the CPU: the tables of the context's level. */
#include "cbt/cpu/cpu.h"
#include "core/cpu/level.h"

extern const struct bi_cbt_cpu_steps bi_cbt_cpu_steps_v1, bi_cbt_cpu_steps_v3, bi_cbt_cpu_steps_v4;

const struct bi_cbt_cpu_steps *bi_cbt_cpu_steps_of(const bosc_ctx *ctx)
{
    return BI_LEVEL_PICK(ctx->level, bi_cbt_cpu_steps);
}
