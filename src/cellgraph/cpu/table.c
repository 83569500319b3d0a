/* The CPU's table of cell graphs. */
#include "core/steps.h"
#include "cellgraph/cpu/cpu.h"

#define BI_CELL_LOOKS_APART
#define BI_STEP BI_STEP_CPU
#include "cellgraph/steps/steps.def"
#undef BI_STEP
#undef BI_CELL_LOOKS_APART

/* A step whose lookups a thread collects; `probe` of its arguments, which are `mine`. */
#define LOOKS(name, args_t, probe)                                                                        \
    static bosc_status cpu_step_##name(bosc_ctx *ctx, int64_t n, const void *args)                        \
    {                                                                                                     \
        if (bi_fault(BI_FAULT_LAUNCH)) return bi_fail(ctx, BOSC_ERR_DEVICE, #name ": injected fault");    \
        _Pragma("omp parallel num_threads(bi_thread_count(ctx, n, BI_STEP_ITEMS))")                       \
        {                                                                                                 \
            args_t mine = *(const args_t *)args;                                                          \
            struct bi_cell_waiting waiting;                                                               \
            waiting.count = 0;                                                                            \
            waiting.look_up = bi_cell_cpu_look_up;                                                        \
            probe.waiting = &waiting;                                                                     \
            _Pragma("omp for schedule(static)") for (int64_t i = 0; i < n; i++) bi_step_##name(&mine, i); \
            bi_cell_cpu_look_up(&probe);                                                                  \
        }                                                                                                 \
        (void)ctx;                                                                                        \
        return BOSC_OK;                                                                                   \
    }
LOOKS(cell_flip, struct bi_cell_probe, mine)
LOOKS(cell_flip_new, struct bi_cell_probe, mine)
LOOKS(cell_long_run, struct bi_cell_join, mine.probe)

static const struct bi_cell_steps steps = {
#define BI_STEP(name, args_t) .name = cpu_step_##name,
#include "cellgraph/steps/steps.def"
#undef BI_STEP
};

static struct bi_cell_sizes sizes(const bosc_ctx *ctx, const struct bi_cell_shape *shape, int64_t n, int64_t max_bytes)
{
    (void)shape, (void)max_bytes;
    return (struct bi_cell_sizes){bi_cell_cpu_unique_bytes(n, ctx->threads),
                                  bi_cell_cpu_join_bytes(n, BI_CELL_SEGMENTS, ctx->threads)};
}

const struct bi_cellgraph_ops bi_cellgraph_ops_cpu = {.steps = &steps,
                                                      .costs = &bi_cell_costs_cpu,
                                                      .sizes = sizes,
                                                      .unique = bi_cell_cpu_unique,
                                                      .join = bi_cell_cpu_join,
                                                      .search = bi_cell_cpu_search,
                                                      .order = bi_cell_cpu_order,
                                                      .dobrowolski = bi_cell_cpu_dobrowolski,
                                                      .rows = bi_cell_cpu_rows};
