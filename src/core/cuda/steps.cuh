/* Expands a room's list of steps into grid-stride kernels (see core/steps.h for the CPU's side). */
#ifndef BI_CORE_CUDA_STEPS_CUH
#define BI_CORE_CUDA_STEPS_CUH

#include "core/cuda/launch.cuh"

#ifndef BI_STEP_ROOM
#error "define BI_STEP_ROOM: kernels are called bi_ROOM_step_NAME, so that a profiler shows the room"
#endif
#define BI_STEP_KERNEL_OF_(room, name) bi_##room##_step_##name
#define BI_STEP_KERNEL_OF(room, name) BI_STEP_KERNEL_OF_(room, name)
#define BI_STEP_KERNEL(name) BI_STEP_KERNEL_OF(BI_STEP_ROOM, name)

#define BI_STEP_CUDA(name, args_t)                                                                          \
    static __global__ void BI_STEP_KERNEL(name)(const args_t a, int64_t begin, int64_t end)                 \
    {                                                                                                       \
        int64_t i = begin + blockIdx.x * (int64_t)blockDim.x + threadIdx.x;                                 \
        for (; i < end; i += (int64_t)gridDim.x * blockDim.x) bi_step_##name(&a, i);                        \
    }                                                                                                       \
    static bosc_status cuda_step_##name(bosc_ctx *ctx, int64_t n, const void *args)                         \
    {                                                                                                       \
        struct bi_batches p = bi_batches_of(ctx, n, 1);                                                     \
        while (bi_next_batch(ctx, &p))                                                                      \
            BI_TRY(BI_RUN_BATCH(ctx, BI_STEP_KERNEL(name), bi_grid_size(ctx, p.end - p.begin, 256), 256, 0, \
                                *(const args_t *)args, p.begin, p.end));                                    \
        return p.status;                                                                                    \
    }

#endif
