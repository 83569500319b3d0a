/* Copies between pageable host memory and the device, at the speed of the link. */
#ifndef BI_CORE_CUDA_HOST_COPY_CUH
#define BI_CORE_CUDA_HOST_COPY_CUH

#include "core/context.h"

/* True if bi_cuda_host_copy should make this copy: it is large, and one side is pageable. */
bool bi_cuda_is_host_copy(const void *to, const void *from, size_t bytes);

/* Copies in chunks through page-locked memory: several threads, each with two buffers, fill or empty one while the
 * device copies the other. To the device it returns once `from` was read; to the host once `to` is written, so it waits
 * for the stream. The first call allocates the buffers. If that fails, or a graph is recorded, *made is false and
 * nothing is done. */
bosc_status bi_cuda_host_copy(bosc_ctx *ctx, void *to, const void *from, size_t bytes, bool *made);

/* Frees the buffers. */
void bi_cuda_host_copy_close(bosc_ctx *ctx);

#endif
