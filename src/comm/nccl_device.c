/* Whether a context's device is one that NCCL knows. */
#include "comm/nccl.h"
#include "core/context.h"

#ifdef BOSC_HAVE_CUDA
extern const struct bi_nccl_device bi_nccl_device_cuda;
#endif

const struct bi_nccl_device *bi_nccl_device_of(const bosc_ctx *ctx)
{
#ifdef BOSC_HAVE_CUDA
    if (ctx->memory.backend != ctx->host.backend) return &bi_nccl_device_cuda;
#endif
    (void)ctx;
    return NULL;
}
