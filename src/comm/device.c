/* Selects the device functions of a context for communicators. */
#include "comm/device.h"

#ifdef BOSC_HAVE_CUDA
extern const struct bi_comm_device bi_comm_device_cuda;
#endif

const struct bi_comm_device *bi_comm_device_of(const bosc_ctx *ctx)
{
#ifdef BOSC_HAVE_CUDA
    if (ctx->memory.backend != ctx->host.backend) return &bi_comm_device_cuda;
#endif
    (void)ctx;
    return NULL;
}
