/* The CUDA backend: device memory, one stream a context, copies in every direction. */
#include <cstdio>
#include <cstring>

#include "core/cuda/collectives.cuh"
#include "core/cuda/driver.cuh"
#include "core/cuda/host_copy.cuh"
#include "core/cuda/launch.cuh"

/* Counts devices. The first call starts the runtime; its error says why there are none. */
static cudaError_t count_devices(int *count)
{
    *count = 0;
    cudaError_t error = cudaGetDeviceCount(count);
    (void)cudaGetLastError();
    return error;
}

extern "C" int32_t bi_cuda_device_count(void)
{
    int count;
    return count_devices(&count) == cudaSuccess ? count : 0;
}

extern "C" const char *bi_cuda_reason(void)
{
    int count;
    cudaError_t error = count_devices(&count);
    if (error == cudaErrorInsufficientDriver) return "no CUDA driver here, or one older than this build";
    if (error != cudaSuccess) return cudaGetErrorString(error);
    return count > 0 ? "" : "no CUDA device here";
}

extern "C" void bi_cuda_device_name(int32_t device, char *name, size_t size)
{
    cudaDeviceProp properties;
    bool known = cudaGetDeviceProperties(&properties, device) == cudaSuccess;
    if (!known) (void)cudaGetLastError();
    snprintf(name, size, "%s", known ? properties.name : "");
}

static void cuda_enter(bosc_ctx *ctx)
{
    if (!bi_cuda_driver_is_entered(ctx)) (void)cudaSetDevice(ctx->memory.device);
}

/* Allocates the block that counters are read back through. */
static bosc_status allocate_pinned(bosc_ctx *ctx)
{
    if (!bi_fault(BI_FAULT_ALLOC) && cudaMallocHost(&ctx->pinned, BI_PINNED_BYTES) == cudaSuccess) return BOSC_OK;
    (void)cudaGetLastError();
    return BOSC_ERR_NOMEM;
}

/* Selects the caller's stream, or the context's own, which it creates when first needed. */
static bosc_status select_stream(bosc_ctx *ctx, void *callers, void **found)
{
    *found = callers ? callers : ctx->own_stream;
    if (*found) return BOSC_OK;
    cudaStream_t stream;
    if (bi_fault(BI_FAULT_STREAM) || cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) != cudaSuccess) {
        (void)cudaGetLastError();
        return bi_fail(ctx, BOSC_ERR_DEVICE, "stream: the device gives none");
    }
    *found = ctx->own_stream = stream;
    return BOSC_OK;
}

/* Makes the caller's stream the context's. Its work waits for the work on the present one: both use the same scratch
 * memory. */
static bosc_status cuda_use_stream(bosc_ctx *ctx, void *callers)
{
    void *next;
    BI_TRY(select_stream(ctx, callers, &next));
    if (next == ctx->stream) return BOSC_OK;
    if (!ctx->turn) {
        cudaEvent_t turn;
        BI_TRY(bi_cuda_check(ctx, cudaEventCreateWithFlags(&turn, cudaEventDisableTiming), "stream"));
        ctx->turn = turn;
    }
    BI_TRY(bi_cuda_check(ctx, cudaEventRecord((cudaEvent_t)ctx->turn, (cudaStream_t)ctx->stream), "stream"));
    BI_TRY(bi_cuda_check(ctx, cudaStreamWaitEvent((cudaStream_t)next, (cudaEvent_t)ctx->turn, 0), "stream"));
    ctx->stream = next;
    return BOSC_OK;
}

static bosc_status cuda_open(bosc_ctx *ctx, const bosc_ctx_opts *opts)
{
    if (opts->device >= bi_cuda_device_count()) return BOSC_ERR_BACKEND;
    if (cudaSetDevice(opts->device) != cudaSuccess) return BOSC_ERR_BACKEND;
    int value = 0;
    if (cudaDeviceGetAttribute(&value, cudaDevAttrMultiProcessorCount, opts->device) != cudaSuccess)
        return BOSC_ERR_DEVICE;
    ctx->multiprocessors = value;
    BI_TRY(allocate_pinned(ctx));
    bi_cuda_driver_open(ctx);
    bosc_status status = select_stream(ctx, opts->stream, &ctx->stream);
    if (status != BOSC_OK) (void)cudaFreeHost(ctx->pinned);
    return status;
}

static void cuda_close(bosc_ctx *ctx)
{
    cuda_enter(ctx);
    (void)cudaFreeHost(ctx->pinned);
    bi_cuda_host_copy_close(ctx);
    if (ctx->turn) (void)cudaEventDestroy((cudaEvent_t)ctx->turn);
    if (ctx->own_stream) (void)cudaStreamDestroy((cudaStream_t)ctx->own_stream);
}

static bosc_status cuda_sync(bosc_ctx *ctx)
{
    BI_TRY(bi_cuda_check(ctx, cudaStreamSynchronize((cudaStream_t)ctx->stream), "waiting for the device"));
    return bi_fault(BI_FAULT_STREAM) ? bi_fail(ctx, BOSC_ERR_DEVICE, "waiting: injected fault") : BOSC_OK;
}

static void *cuda_alloc(int32_t device, size_t bytes)
{
    void *p = nullptr;
    if (cudaSetDevice(device) != cudaSuccess || cudaMalloc(&p, bytes) != cudaSuccess) {
        (void)cudaGetLastError();
        return nullptr;
    }
    return p;
}

static void cuda_release(int32_t device, void *memory, size_t)
{
    (void)cudaSetDevice(device);
    (void)cudaFree(memory);
}

/* One thread a byte: bi_read_back copies at most 64. */
static __global__ void bi_core_to_pinned(unsigned char *to, const unsigned char *from)
{
    to[threadIdx.x] = from[threadIdx.x];
}

/* Copies to the pinned block use a kernel, which starts sooner than a copy engine. Large pageable arrays are copied in
 * chunks. */
static bosc_status cuda_copy(bosc_ctx *ctx, void *to, const void *from, size_t bytes)
{
    if (bi_fault(BI_FAULT_COPY)) return bi_fail(ctx, BOSC_ERR_DEVICE, "copy: injected fault");
    if (to == ctx->pinned && bytes > 0)
        return BI_RUN(ctx, bi_core_to_pinned, 1, (unsigned)bytes, 0, (unsigned char *)to, (const unsigned char *)from);
    if (bi_cuda_is_host_copy(to, from, bytes)) {
        bool made;
        bosc_status status = bi_cuda_host_copy(ctx, to, from, bytes, &made);
        if (made || status != BOSC_OK) return status;
    }
    return bi_cuda_check(ctx, cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, (cudaStream_t)ctx->stream), "copy");
}

static bosc_status cuda_fill(bosc_ctx *ctx, void *memory, int byte, size_t bytes)
{
    if (bi_fault(BI_FAULT_COPY)) return bi_fail(ctx, BOSC_ERR_DEVICE, "fill: injected fault");
    return bi_cuda_check(ctx, cudaMemsetAsync(memory, byte, bytes, (cudaStream_t)ctx->stream), "fill");
}

static bool cuda_reaches(bosc_ctx *ctx, const void *p)
{
    bool reached;
    cudaPointerAttributes attributes;
    if (bi_cuda_driver_is_reachable(ctx, p, &reached)) return reached;
    if (cudaPointerGetAttributes(&attributes, p) != cudaSuccess) {
        (void)cudaGetLastError();
        return false;
    }
    return attributes.type == cudaMemoryTypeManaged ||
           (attributes.type == cudaMemoryTypeDevice && attributes.device == ctx->memory.device);
}

/* True while the stream is captured to a graph, or if the query fails: the caller then does not wait. */
static bool cuda_records(bosc_ctx *ctx)
{
    cudaStreamCaptureStatus status;
    if (cudaStreamIsCapturing((cudaStream_t)ctx->stream, &status) == cudaSuccess)
        return status != cudaStreamCaptureStatusNone;
    (void)cudaGetLastError();
    return true;
}

/* 1 << 18 is first_batch: chosen. */
extern "C" const bi_backend bi_backend_cuda = {
    BOSC_BACKEND_CUDA, "cuda",    cuda_open,    cuda_close,      cuda_sync,    cuda_enter, cuda_alloc,    cuda_release,
    cuda_copy,         cuda_fill, cuda_reaches, cuda_use_stream, cuda_records, 1 << 18,    &bi_core_cuda,
};
