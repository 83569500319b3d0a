/* Two queries that CUDA's driver answers faster than the runtime, by about .1 us of a call's 7 (measured): whether the
 * thread's device is current, and where memory lies. Without the driver's entry points the runtime is used. */
#ifndef BI_CORE_CUDA_DRIVER_CUH
#define BI_CORE_CUDA_DRIVER_CUH

#include "core/context.h"
#include "core/cuda/simt.cuh"

#ifndef BI_EMULATE
#include <cuda.h>

static inline void *bi_cuda_driver_entry(const char *name)
{
    void *entry = nullptr;
    cudaDriverEntryPointQueryResult found;
    /* 12000: the interface of CUDA 12.0. */
    if (cudaGetDriverEntryPointByVersion(name, &entry, 12000, cudaEnableDefault, &found) != cudaSuccess) {
        (void)cudaGetLastError();
        return nullptr;
    }
    return found == cudaDriverEntryPointSuccess ? entry : nullptr;
}

static inline void *bi_cuda_driver_context(const bi_cuda_driver *driver)
{
    CUcontext current = nullptr;
    const auto get = reinterpret_cast<decltype(&cuCtxGetCurrent)>(driver->get_current);
    return get && get(&current) == CUDA_SUCCESS ? current : nullptr;
}

/* Called when the context opens: its device is the thread's and has been used. */
static inline void bi_cuda_driver_open(bosc_ctx *ctx)
{
    ctx->driver.get_attributes = bi_cuda_driver_entry("cuPointerGetAttributes");
    ctx->driver.get_current = bi_cuda_driver_entry("cuCtxGetCurrent");
    ctx->driver.context = bi_cuda_driver_context(&ctx->driver);
}

static inline bool bi_cuda_driver_is_entered(const bosc_ctx *ctx)
{
    return ctx->driver.context && bi_cuda_driver_context(&ctx->driver) == ctx->driver.context;
}

/* Returns true if the driver knows the answer: *reached is then true if kernels of the context can access p. For memory
 * that is not CUDA's the type stays 0. */
static inline bool bi_cuda_driver_is_reachable(const bosc_ctx *ctx, const void *p, bool *reached)
{
    CUmemorytype type = static_cast<CUmemorytype>(0);
    int device = -1;
    unsigned managed = 0;
    CUpointer_attribute queried[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL,
                                     CU_POINTER_ATTRIBUTE_IS_MANAGED};
    void *answers[] = {&type, &device, &managed};
    const auto get = reinterpret_cast<decltype(&cuPointerGetAttributes)>(ctx->driver.get_attributes);
    if (!get || get(3, queried, answers, (CUdeviceptr)p) != CUDA_SUCCESS) return false;
    *reached = managed || (type == CU_MEMORYTYPE_DEVICE && device == ctx->memory.device);
    return true;
}
#else
static inline void bi_cuda_driver_open(bosc_ctx *) {}
static inline bool bi_cuda_driver_is_entered(const bosc_ctx *) { return false; }
static inline bool bi_cuda_driver_is_reachable(const bosc_ctx *, const void *, bool *) { return false; }
#endif

#endif
