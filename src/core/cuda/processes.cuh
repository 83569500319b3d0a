/* Memory of a device that other processes map, by CUDA's handles. The emulator replaces the calls. */
#ifndef BI_CORE_CUDA_PROCESSES_CUH
#define BI_CORE_CUDA_PROCESSES_CUH

#ifdef BI_EMULATE
#include "processes.hpp"
#else
#include <cuda.h>
#include <cuda_runtime.h>
#endif

#include "core/context.h"

/* Finds the allocation that has address p, and its number, which differs from those of all earlier ones. False: it has
 * no handle, for example memory of a pool. */
static inline bool bi_cuda_find_allocation(const bosc_ctx *ctx, const void *p, void **begin, uint64_t *id)
{
#ifdef BI_EMULATE
    (void)ctx;
    return emulated_find_allocation(p, begin, id);
#else
    unsigned has_handle = 0;
    CUdeviceptr first = 0;
    unsigned long long number = 0;
    CUpointer_attribute queried[] = {CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE,
                                     CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, CU_POINTER_ATTRIBUTE_BUFFER_ID};
    void *answers[] = {&has_handle, &first, &number};
    const auto get = reinterpret_cast<decltype(&cuPointerGetAttributes)>(ctx->driver.get_attributes);
    if (!get || get(3, queried, answers, (CUdeviceptr)p) != CUDA_SUCCESS || !has_handle) return false;
    *begin = reinterpret_cast<void *>(first);
    *id = number;
    return first != 0;
#endif
}

#endif
