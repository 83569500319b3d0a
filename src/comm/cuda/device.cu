/* What communicators have on a CUDA device: ways to others; for NCCL a stream, an event that is polled, and memory that
 * copies reach without waiting. A copy to pageable memory would wait in the host for a rank that never comes. */
#include "comm/device.h"
#include "core/cuda/launch.cuh"

static void open_peer(bosc_ctx *ctx, int32_t device)
{
    if (device == ctx->memory.device) return;
    (void)cudaDeviceEnablePeerAccess(device, 0);
    (void)cudaGetLastError(); /* open already, or no way between them: then copies go through the host */
}

static void free_memory(struct bi_comm_room *room)
{
    if (room->pinned) (void)cudaFreeHost(room->pinned);
    if (room->staging) (void)cudaFree(room->staging);
    room->pinned = room->staging = nullptr;
    room->bytes = 0;
}

static bosc_status room_grow(bosc_ctx *ctx, struct bi_comm_room *room, size_t bytes)
{
    struct bi_comm_room larger = {};
    if (bytes <= room->bytes) return BOSC_OK;
    if (bi_fault(BI_FAULT_ALLOC) || cudaMallocHost(&larger.pinned, bytes) != cudaSuccess ||
        cudaMalloc(&larger.staging, bytes) != cudaSuccess) {
        (void)cudaGetLastError();
        free_memory(&larger);
        return bi_fail(ctx, BOSC_ERR_NOMEM, "comm: no memory for %zu bytes on their way to other ranks", bytes);
    }
    free_memory(room);
    room->pinned = larger.pinned;
    room->staging = larger.staging;
    room->bytes = bytes;
    return BOSC_OK;
}

static void room_close(int32_t device, struct bi_comm_room *room)
{
    (void)cudaSetDevice(device);
    if (room->event) (void)cudaEventDestroy((cudaEvent_t)room->event);
    if (room->stream) (void)cudaStreamDestroy((cudaStream_t)room->stream);
    free_memory(room);
}

static bosc_status take_stream(bosc_ctx *ctx, struct bi_comm_room *room)
{
    cudaStream_t stream;
    cudaEvent_t event;
    if (bi_fault(BI_FAULT_STREAM)) return bi_fail(ctx, BOSC_ERR_DEVICE, "stream: injected fault");
    BI_CUDA_TRY(ctx, cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    room->stream = stream;
    BI_CUDA_TRY(ctx, cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    room->event = event;
    return BOSC_OK;
}

static bosc_status room_open(bosc_ctx *ctx, struct bi_comm_room *room, size_t bytes)
{
    *room = {};
    bosc_status status = take_stream(ctx, room);
    if (status == BOSC_OK) status = room_grow(ctx, room, bytes);
    if (status != BOSC_OK) room_close(ctx->memory.device, room);
    return status;
}

static bool succeeded(cudaError_t error)
{
    if (error != cudaSuccess) (void)cudaGetLastError();
    return error == cudaSuccess;
}

static bool room_copy(struct bi_comm_room *room, void *to, const void *from, size_t bytes)
{
    return bytes == 0 || succeeded(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, (cudaStream_t)room->stream));
}

static bool room_mark(struct bi_comm_room *room)
{
    return succeeded(cudaEventRecord((cudaEvent_t)room->event, (cudaStream_t)room->stream));
}

static bool room_done(struct bi_comm_room *room, bool *failed)
{
    const cudaError_t error = cudaEventQuery((cudaEvent_t)room->event);
    if (error != cudaSuccess) (void)cudaGetLastError(); /* that it is not ready, too */
    *failed = error != cudaSuccess && error != cudaErrorNotReady;
    return error != cudaErrorNotReady;
}

extern "C" const struct bi_comm_device bi_comm_device_cuda;
const struct bi_comm_device bi_comm_device_cuda = {open_peer, room_open, room_close, room_grow,
                                                   room_copy, room_mark, room_done};
