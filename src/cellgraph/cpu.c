/* The steps of cell graphs on the CPU. */
#include "core/steps.h"
#include "cellgraph/cpu.h"

#define BI_STEP BI_STEP_CPU
#include "cellgraph/steps.def"
#undef BI_STEP

const struct bi_cell_steps bi_cell_cpu = {
#define BI_STEP(name, args_t) .name = cpu_step_##name,
#include "cellgraph/steps.def"
#undef BI_STEP
};

static struct bi_cell_sizes sizes(const bosc_ctx *ctx, const struct bi_cell_shape *shape, int64_t n, int64_t max_bytes)
{
    (void)shape, (void)max_bytes;
    return (struct bi_cell_sizes){bi_cell_cpu_unique_bytes(n, ctx->threads),
                                  bi_cell_cpu_join_bytes(n, BI_CELL_SEGMENTS, ctx->threads)};
}

const struct bi_cell_team bi_cell_team_cpu = {.sizes = sizes,
                                              .unique = bi_cell_cpu_unique,
                                              .join = bi_cell_cpu_join,
                                              .look = bi_cell_cpu_look,
                                              .search = bi_cell_cpu_search,
                                              .order = bi_cell_cpu_order,
                                              .rows = bi_cell_cpu_rows};
