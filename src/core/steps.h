/* Expands a room's list of steps (steps.def: BI_STEP(name, argument struct)) into functions of a backend: an OpenMP
 * loop here, a grid-stride kernel in core/cuda/steps.cuh. Define BI_STEP as one of these, include the list, and
 * undefine it. A step is `BI_FN void bi_step_NAME(const ARGS *a, int64_t i)`. */
#ifndef BI_CORE_STEPS_H
#define BI_CORE_STEPS_H

#include "base/fault.h"
#include "core/cpu/threads.h"

/* Items of a thread at least: waking one takes as long as some hundred quick steps. A room whose items are quicker or
 * slower says so before. */
#ifndef BI_STEP_ITEMS
#define BI_STEP_ITEMS 128
#endif
/* How many simple items one takes as long as (core/progress.h). */
#ifndef BI_STEP_WEIGHT
#define BI_STEP_WEIGHT 1
#endif
#define BI_STEP_THREADS \
    _Pragma("omp parallel for schedule(static) num_threads(bi_thread_count(ctx, end - begin, BI_STEP_ITEMS))")

#define BI_STEP_CPU(name, args_t)                                                                      \
    static bosc_status cpu_step_##name(bosc_ctx *ctx, int64_t n, const void *args)                     \
    {                                                                                                  \
        const args_t *a = (const args_t *)args;                                                        \
        if (bi_fault(BI_FAULT_LAUNCH)) return bi_fail(ctx, BOSC_ERR_DEVICE, #name ": injected fault"); \
        struct bi_parts p = bi_parts_of(ctx, n, BI_STEP_WEIGHT);                                       \
        while (bi_next_part(ctx, &p)) {                                                                \
            const int64_t begin = p.begin, end = p.end;                                                \
            BI_STEP_THREADS for (int64_t i = begin; i < end; i++) bi_step_##name(a, i);                \
        }                                                                                              \
        return p.status;                                                                               \
    }

#endif
