/* CUDA functions of communicators: peer access, events between ranks, and for NCCL a stream, an event to poll, and
 * page-locked buffers. A copy to pageable memory would block the host, for ever if a rank is lost. */
#include <cstring>

#include "comm/device.h"
#include "core/cuda/launch.cuh"
#include "core/cuda/processes.cuh"

/* Lets the current device, that of the context, access the memory of `device`. */
static bool open_peer(bosc_ctx *ctx, int32_t device)
{
    if (device == ctx->memory.device) return true;
    const cudaError_t error = cudaDeviceEnablePeerAccess(device, 0);
    (void)cudaGetLastError(); /* without access, copies go through the host */
    return error == cudaSuccess || error == cudaErrorPeerAccessAlreadyEnabled;
}

static bool can_access(int32_t from, int32_t to)
{
    int can = 0;
    if (from == to) return true;
    if (cudaDeviceCanAccessPeer(&can, from, to) == cudaSuccess) return can != 0;
    (void)cudaGetLastError();
    return false;
}

static bool succeeded(cudaError_t error)
{
    if (error != cudaSuccess) (void)cudaGetLastError();
    return error == cudaSuccess;
}

/* ---- events between ranks ---- */

static void free_event(struct bi_comm_event *event)
{
    if (event->event) (void)cudaEventDestroy((cudaEvent_t)event->event);
    *event = {};
}

static bosc_status record_queued(bosc_ctx *ctx, struct bi_comm_event *event)
{
    cudaEvent_t fresh;
    if (bi_fault(BI_FAULT_STREAM)) return bi_fail(ctx, BOSC_ERR_DEVICE, "comm: event: injected fault");
    /* The rank may now use a context of another device. */
    if (event->event && event->device != ctx->memory.device) free_event(event);
    if (!event->event) {
        BI_CUDA_TRY(ctx, cudaEventCreateWithFlags(&fresh, cudaEventDisableTiming));
        *event = {fresh, ctx->memory.device};
    }
    return bi_cuda_check(ctx, cudaEventRecord((cudaEvent_t)event->event, (cudaStream_t)ctx->stream), "comm: event");
}

static bosc_status await_event(bosc_ctx *ctx, const struct bi_comm_event *event)
{
    return bi_cuda_check(ctx, cudaStreamWaitEvent((cudaStream_t)ctx->stream, (cudaEvent_t)event->event, 0),
                         "comm: event of another rank");
}

/* ---- memory of other processes ---- */

static bool find_allocation(const bosc_ctx *ctx, const void *p, struct bi_comm_allocation *allocation)
{
    return bi_cuda_find_allocation(ctx, p, &allocation->begin, &allocation->id);
}

static_assert(sizeof(cudaIpcMemHandle_t) == BI_COMM_HANDLE, "handles fit");

static bool export_allocation(const struct bi_comm_allocation *allocation, void *to)
{
    cudaIpcMemHandle_t handle;
    if (!succeeded(cudaIpcGetMemHandle(&handle, allocation->begin))) return false;
    memcpy(to, &handle, sizeof handle);
    return true;
}

static void *import_allocation(const void *from)
{
    cudaIpcMemHandle_t handle;
    void *mapped = nullptr;
    memcpy(&handle, from, sizeof handle);
    return succeeded(cudaIpcOpenMemHandle(&mapped, handle, cudaIpcMemLazyEnablePeerAccess)) ? mapped : nullptr;
}

static void close_import(int32_t device, void *mapped)
{
    (void)cudaSetDevice(device);
    (void)cudaIpcCloseMemHandle(mapped);
    (void)cudaGetLastError();
}

/* ---- channels ---- */

static void free_buffers(struct bi_comm_channel *channel)
{
    if (channel->pinned) (void)cudaFreeHost(channel->pinned);
    if (channel->staging) (void)cudaFree(channel->staging);
    channel->pinned = channel->staging = nullptr;
    channel->bytes = 0;
}

static bosc_status grow_channel(bosc_ctx *ctx, struct bi_comm_channel *channel, size_t bytes)
{
    struct bi_comm_channel larger = {};
    if (bytes <= channel->bytes) return BOSC_OK;
    if (bi_fault(BI_FAULT_ALLOC) || cudaMallocHost(&larger.pinned, bytes) != cudaSuccess ||
        cudaMalloc(&larger.staging, bytes) != cudaSuccess) {
        (void)cudaGetLastError();
        free_buffers(&larger);
        return bi_fail(ctx, BOSC_ERR_NOMEM, "comm: no memory for %zu bytes on their way to other ranks", bytes);
    }
    free_buffers(channel);
    channel->pinned = larger.pinned;
    channel->staging = larger.staging;
    channel->bytes = bytes;
    return BOSC_OK;
}

/* Leaves `device` as the current one. */
static void close_channel(int32_t device, struct bi_comm_channel *channel)
{
    (void)cudaSetDevice(device);
    if (channel->event) (void)cudaEventDestroy((cudaEvent_t)channel->event);
    if (channel->stream) (void)cudaStreamDestroy((cudaStream_t)channel->stream);
    channel->event = channel->stream = nullptr;
    free_buffers(channel);
}

static bosc_status create_stream(bosc_ctx *ctx, struct bi_comm_channel *channel)
{
    cudaStream_t stream;
    cudaEvent_t event;
    if (bi_fault(BI_FAULT_STREAM)) return bi_fail(ctx, BOSC_ERR_DEVICE, "stream: injected fault");
    BI_CUDA_TRY(ctx, cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    channel->stream = stream;
    BI_CUDA_TRY(ctx, cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    channel->event = event;
    return BOSC_OK;
}

static bosc_status open_channel(bosc_ctx *ctx, struct bi_comm_channel *channel, size_t bytes)
{
    *channel = {};
    bosc_status status = create_stream(ctx, channel);
    if (status == BOSC_OK) status = grow_channel(ctx, channel, bytes);
    if (status != BOSC_OK) close_channel(ctx->memory.device, channel);
    return status;
}

static bool copy_on_channel(struct bi_comm_channel *channel, void *to, const void *from, size_t bytes)
{
    return bytes == 0 || succeeded(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, (cudaStream_t)channel->stream));
}

static bool record_event(struct bi_comm_channel *channel)
{
    return succeeded(cudaEventRecord((cudaEvent_t)channel->event, (cudaStream_t)channel->stream));
}

/* An event that was not recorded yet counts as done. */
static enum bi_comm_work poll_event(struct bi_comm_channel *channel)
{
    const cudaError_t error = cudaEventQuery((cudaEvent_t)channel->event);
    if (error == cudaSuccess) return BI_COMM_DONE;
    (void)cudaGetLastError(); /* also clears "not ready" */
    return error == cudaErrorNotReady ? BI_COMM_PENDING : BI_COMM_FAILED;
}

extern "C" const struct bi_comm_device bi_comm_device_cuda;
const struct bi_comm_device bi_comm_device_cuda = {
    open_peer,       can_access,        record_queued,     await_event,  free_event,
    find_allocation, export_allocation, import_allocation, close_import, open_channel,
    close_channel,   grow_channel,      copy_on_channel,   record_event, poll_event};
