/* The CPU's table of cell graphs. */
#include "core/steps.h"
#include "cellgraph/cpu/cpu.h"

#define BI_CELLGRAPH_WITHOUT_PROBES
#define BI_STEP BI_STEP_CPU
#define BI_QUICK_STEP BI_QUICK_STEP_CPU
#include "cellgraph/steps/steps.def"
#undef BI_STEP
#undef BI_CELLGRAPH_WITHOUT_PROBES

/* A step whose lookups a thread queues; `probe` of its arguments, a copy named local_args. */
#define PROBE_STEP(name, args_t, probe)                                                                               \
    static void probe_part_##name(bosc_ctx *ctx, int64_t begin, int64_t end, const void *args)                        \
    {                                                                                                                 \
        _Pragma("omp parallel num_threads(bi_thread_count_by_cost(ctx, end - begin, BI_STEP_COST))")                  \
        {                                                                                                             \
            args_t local_args = *(const args_t *)args;                                                                \
            struct bi_cellgraph_probe_queue pending;                                                                  \
            pending.count = 0;                                                                                        \
            pending.flush = bi_cellgraph_cpu_flush_probes;                                                            \
            probe.pending = &pending;                                                                                 \
            _Pragma("omp for schedule(static)") for (int64_t i = begin; i < end; i++) bi_step_##name(&local_args, i); \
            bi_cellgraph_cpu_flush_probes(&probe);                                                                    \
        }                                                                                                             \
        (void)ctx;                                                                                                    \
    }                                                                                                                 \
    static bosc_status cpu_step_##name(bosc_ctx *ctx, int64_t n, const void *args)                                    \
    {                                                                                                                 \
        if (bi_fault(BI_FAULT_LAUNCH)) return bi_fail(ctx, BOSC_ERR_DEVICE, #name ": injected fault");                \
        struct bi_batches p = bi_batches_of(ctx, n, 8);                                                               \
        while (bi_next_batch(ctx, &p)) probe_part_##name(ctx, p.begin, p.end, args);                                  \
        return p.status;                                                                                              \
    }
PROBE_STEP(cellgraph_probe_neighbours, struct bi_cellgraph_probe, local_args)
PROBE_STEP(cellgraph_probe_new, struct bi_cellgraph_probe, local_args)
PROBE_STEP(cellgraph_probe_long_run, struct bi_cellgraph_join, local_args.probe)

static const struct bi_cellgraph_steps steps = {
#define BI_STEP(name, args_t) .name = cpu_step_##name,
#include "cellgraph/steps/steps.def"
#undef BI_STEP
};

static struct bi_cellgraph_sizes sizes(const bosc_ctx *ctx, const struct bi_letters *shape, int64_t n,
                                       int64_t max_bytes)
{
    (void)shape, (void)max_bytes;
    return (struct bi_cellgraph_sizes){bi_cellgraph_cpu_unique_bytes(n, ctx->threads),
                                       bi_cellgraph_cpu_join_bytes(n, BI_CELLGRAPH_SEGMENTS, ctx->threads)};
}

const struct bi_cellgraph_ops bi_cellgraph_ops_cpu = {.steps = &steps,
                                                      .costs = &bi_cellgraph_costs_cpu,
                                                      .sizes = sizes,
                                                      .unique = bi_cellgraph_cpu_unique,
                                                      .join = bi_cellgraph_cpu_join,
                                                      .search = bi_cellgraph_cpu_search,
                                                      .order = bi_cellgraph_cpu_order,
                                                      .dobrowolski = bi_cellgraph_cpu_dobrowolski,
                                                      .rows = bi_cellgraph_cpu_rows};
