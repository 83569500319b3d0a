/* Expands a room's list of steps (steps.def: BI_STEP(name, argument struct)) into functions of a backend: an OpenMP
 * loop here, a grid-stride kernel in core/cuda/steps.cuh. Define BI_STEP as one of these, include the list, and
 * undefine it. A list lists quick steps, of some nanoseconds an item, as BI_QUICK_STEP, and long ones, of microseconds,
 * as BI_LONG_STEP; both default to BI_STEP. A step is `BI_FN void bi_step_NAME(const ARGS *a, int64_t i)`. */
#ifndef BI_CORE_STEPS_H
#define BI_CORE_STEPS_H

#include "base/fault.h"
#include "core/call.h"
#include "core/cpu/threads.h"

/* Cost of an item of a step in simple items, which determines the number of threads: of most steps, of quick ones, and
 * of long ones. A room with other costs defines BI_STEP_COST before. */
#ifndef BI_STEP_COST
#define BI_STEP_COST 128
#endif
enum { BI_QUICK_STEP_COST = 4, BI_LONG_STEP_COST = 1 << 13 };
/* The same for progress (core/progress.h). */
#ifndef BI_STEP_WEIGHT
#define BI_STEP_WEIGHT 1
#endif

/* A single thread bypasses OpenMP, whose loop costs more than a short step. */
#define BI_STEP_LOOP(name, args_t, cost)                                                                    \
    static void cpu_items_##name(const args_t *a, int64_t begin, int64_t end)                               \
    {                                                                                                       \
        for (int64_t i = begin; i < end; i++) bi_step_##name(a, i);                                         \
    }                                                                                                       \
    static void cpu_part_##name(const bosc_ctx *ctx, const args_t *a, int64_t begin, int64_t end)           \
    {                                                                                                       \
        const int threads = bi_thread_count_by_cost(ctx, end - begin, cost);                                \
        if (threads == 1) {                                                                                 \
            cpu_items_##name(a, begin, end);                                                                \
            return;                                                                                         \
        }                                                                                                   \
        _Pragma("omp parallel for schedule(static) num_threads(threads)") for (int t = 0; t < threads; t++) \
            cpu_items_##name(a, begin + bi_chunk_begin(end - begin, threads, t),                            \
                             begin + bi_chunk_begin(end - begin, threads, t + 1));                          \
    }

#define BI_STEP_CPU_OF(name, args_t, cost)                                                             \
    BI_STEP_LOOP(name, args_t, cost)                                                                   \
    static bosc_status cpu_step_##name(bosc_ctx *ctx, int64_t n, const void *args)                     \
    {                                                                                                  \
        if (bi_fault(BI_FAULT_LAUNCH)) return bi_fail(ctx, BOSC_ERR_DEVICE, #name ": injected fault"); \
        struct bi_batches p = bi_batches_of(ctx, n, BI_STEP_WEIGHT);                                   \
        while (bi_next_batch(ctx, &p)) cpu_part_##name(ctx, (const args_t *)args, p.begin, p.end);     \
        return p.status;                                                                               \
    }

#define BI_STEP_CPU(name, args_t) BI_STEP_CPU_OF(name, args_t, BI_STEP_COST)
#define BI_QUICK_STEP_CPU(name, args_t) BI_STEP_CPU_OF(name, args_t, BI_QUICK_STEP_COST)
#define BI_LONG_STEP_CPU(name, args_t) BI_STEP_CPU_OF(name, args_t, BI_LONG_STEP_COST)

#endif
