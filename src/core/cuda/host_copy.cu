#include "core/cuda/host_copy.cuh"

#include <cstring>

#include "base/threads.h"
#include "core/cuda/collectives.cuh"
#include "core/cuda/launch.cuh"

/* Chosen. The emulator copies small arrays in chunks too, so that tests cover this file. */
#ifdef BOSC_EMULATOR
enum { CHUNK = 1 << 14, MIN_BYTES = 3 << 14, MAX_LANES = 2 };
#else
enum { CHUNK = 1 << 19, MIN_BYTES = 1 << 20, MAX_LANES = 12 };
#endif

/* The two buffers of a thread. */
struct lane {
    char *buffer[2];
    cudaEvent_t done[2]; /* the device has finished with the buffer */
};

/* Header of the page-locked memory, before the buffers. */
struct bi_host_lanes {
    int32_t count;
    lane lanes[MAX_LANES];
};
enum { BUFFERS_AT = 4096 };
static_assert(sizeof(bi_host_lanes) <= BUFFERS_AT, "the buffers follow it");

static bool is_pageable(const void *p)
{
    cudaPointerAttributes attributes;
    if (cudaPointerGetAttributes(&attributes, p) == cudaSuccess) return attributes.type == cudaMemoryTypeUnregistered;
    (void)cudaGetLastError();
    return false;
}

bool bi_cuda_is_host_copy(const void *to, const void *from, size_t bytes)
{
    return bytes >= MIN_BYTES && (is_pageable(to) != is_pageable(from));
}

void bi_cuda_host_copy_close(bosc_ctx *ctx)
{
    if (!ctx->lanes) return;
    for (lane &l : ctx->lanes->lanes)
        for (cudaEvent_t event : l.done)
            if (event) (void)cudaEventDestroy(event);
    (void)cudaFreeHost(ctx->lanes);
    ctx->lanes = nullptr;
}

static bool create_events(bi_host_lanes *lanes)
{
    char *const buffers = reinterpret_cast<char *>(lanes) + BUFFERS_AT;
    for (int32_t t = 0; t < lanes->count; t++)
        for (int b = 0; b < 2; b++) {
            lanes->lanes[t].buffer[b] = buffers + (size_t)(2 * t + b) * CHUNK;
            if (cudaEventCreateWithFlags(&lanes->lanes[t].done[b], cudaEventDisableTiming) != cudaSuccess) return false;
        }
    return true;
}

static bool allocate_lanes(bosc_ctx *ctx)
{
    if (ctx->lanes) return true;
    const int32_t count = ctx->max_threads < MAX_LANES ? ctx->max_threads : MAX_LANES;
    void *memory = nullptr;
    if (bi_fault(BI_FAULT_ALLOC)) return false;
    if (cudaMallocHost(&memory, BUFFERS_AT + (size_t)count * 2 * CHUNK) != cudaSuccess) {
        (void)cudaGetLastError();
        return false;
    }
    memset(memory, 0, sizeof(bi_host_lanes));
    ctx->lanes = static_cast<bi_host_lanes *>(memory);
    ctx->lanes->count = count;
    if (create_events(ctx->lanes)) return true;
    (void)cudaGetLastError();
    bi_cuda_host_copy_close(ctx);
    return false;
}

/* A copy by all lanes: lane p % lanes copies chunk p. */
struct host_copy {
    bosc_ctx *ctx;
    char *to;
    const char *from;
    size_t bytes;
    int32_t lanes;
    cudaError_t errors[MAX_LANES];

    size_t chunks() const { return (bytes + CHUNK - 1) / CHUNK; }
    size_t size(size_t p) const { return (p + 1) * CHUNK <= bytes ? (size_t)CHUNK : bytes - p * CHUNK; }
    cudaStream_t stream() const { return static_cast<cudaStream_t>(ctx->stream); }
    /* Queues the device's copy of chunk p, and an event after it. */
    cudaError_t queue(void *chunk_to, const void *chunk_from, size_t p, cudaEvent_t done) const
    {
        cudaError_t error = cudaMemcpyAsync(chunk_to, chunk_from, size(p), cudaMemcpyDefault, stream());
        return error == cudaSuccess ? cudaEventRecord(done, stream()) : error;
    }
};

/* Host to device: fills one buffer while the device copies the other. */
static cudaError_t send_chunks(const host_copy &copy, const lane &own, size_t first)
{
    int b = 0;
    for (size_t p = first; p < copy.chunks(); p += (size_t)copy.lanes, b ^= 1) {
        cudaError_t error = cudaEventSynchronize(own.done[b]); /* returns at once if never recorded */
        if (error != cudaSuccess) return error;
        memcpy(own.buffer[b], copy.from + p * CHUNK, copy.size(p));
        error = copy.queue(copy.to + p * CHUNK, own.buffer[b], p, own.done[b]);
        if (error != cudaSuccess) return error;
    }
    return cudaSuccess;
}

/* Device to host: queues the next chunk, then empties the buffer of this one. */
static cudaError_t receive_chunks(const host_copy &copy, const lane &own, size_t first)
{
    const size_t chunks = copy.chunks(), step = (size_t)copy.lanes;
    cudaError_t error =
        first < chunks ? copy.queue(own.buffer[0], copy.from + first * CHUNK, first, own.done[0]) : cudaSuccess;
    int b = 0;
    for (size_t p = first; error == cudaSuccess && p < chunks; p += step, b ^= 1) {
        if (p + step < chunks)
            error = copy.queue(own.buffer[b ^ 1], copy.from + (p + step) * CHUNK, p + step, own.done[b ^ 1]);
        if (error == cudaSuccess) error = cudaEventSynchronize(own.done[b]);
        if (error == cudaSuccess) memcpy(copy.to + p * CHUNK, own.buffer[b], copy.size(p));
    }
    return error;
}

/* The work of one thread. */
template <cudaError_t (*COPY)(const host_copy &, const lane &, size_t)> static void copy_lane(void *user, int32_t t)
{
    host_copy &copy = *static_cast<host_copy *>(user);
    copy.errors[t] = cudaSetDevice(copy.ctx->memory.device);
    if (copy.errors[t] == cudaSuccess) copy.errors[t] = COPY(copy, copy.ctx->lanes->lanes[t], (size_t)t);
}

bosc_status bi_cuda_host_copy(bosc_ctx *ctx, void *to, const void *from, size_t bytes, bool *made)
{
    *made = !ctx->backend->records(ctx) && allocate_lanes(ctx);
    if (!*made) return BOSC_OK;
    const bool to_host = is_pageable(to);
    host_copy copy = {ctx, static_cast<char *>(to), static_cast<const char *>(from), bytes, ctx->lanes->count, {}};
    if (copy.lanes > ctx->threads) copy.lanes = ctx->threads;
    if ((size_t)copy.lanes > copy.chunks()) copy.lanes = (int32_t)copy.chunks();
    /* One thread waits for earlier work, so that not all of them poll. */
    if (to_host) BI_TRY(bi_cuda_check(ctx, cudaStreamSynchronize(copy.stream()), "copy"));
    bi_threads_run(copy.lanes, to_host ? copy_lane<receive_chunks> : copy_lane<send_chunks>, &copy);
    for (int32_t t = 0; t < copy.lanes; t++) BI_TRY(bi_cuda_check(ctx, copy.errors[t], "copy"));
    return BOSC_OK;
}
