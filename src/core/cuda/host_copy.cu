#include "core/cuda/host_copy.cuh"

#include <cstring>

#include "base/threads.h"
#include "core/cuda/collectives.cuh"
#include "core/cuda/launch.cuh"

#ifdef BOSC_EMULATOR /* so that the sizes of tests take this way too */
enum { PIECE = 1 << 14, LEAST = 3 << 14, MOST_LANES = 2 };
#else
enum { PIECE = 1 << 19, LEAST = 1 << 20, MOST_LANES = 12 };
#endif

/* What a thread copies through. */
struct lane {
    char *buffer[2];
    cudaEvent_t done[2]; /* what the device has to do with the buffer */
};

/* It begins the page-locked memory that has the buffers. */
struct bi_host_lanes {
    int32_t count;
    lane lanes[MOST_LANES];
};
enum { BUFFERS_AT = 4096 };
static_assert(sizeof(bi_host_lanes) <= BUFFERS_AT, "the buffers come after it");

static bool is_pageable(const void *p)
{
    cudaPointerAttributes attributes;
    if (cudaPointerGetAttributes(&attributes, p) == cudaSuccess) return attributes.type == cudaMemoryTypeUnregistered;
    (void)cudaGetLastError();
    return false;
}

bool bi_cuda_is_host_copy(const void *to, const void *from, size_t bytes)
{
    return bytes >= LEAST && (is_pageable(to) != is_pageable(from));
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

static bool make_events(bi_host_lanes *lanes)
{
    char *const buffers = reinterpret_cast<char *>(lanes) + BUFFERS_AT;
    for (int32_t t = 0; t < lanes->count; t++)
        for (int b = 0; b < 2; b++) {
            lanes->lanes[t].buffer[b] = buffers + (size_t)(2 * t + b) * PIECE;
            if (cudaEventCreateWithFlags(&lanes->lanes[t].done[b], cudaEventDisableTiming) != cudaSuccess) return false;
        }
    return true;
}

static bool take_lanes(bosc_ctx *ctx)
{
    if (ctx->lanes) return true;
    const int32_t count = ctx->most_threads < MOST_LANES ? ctx->most_threads : MOST_LANES;
    void *memory = nullptr;
    if (bi_fault(BI_FAULT_ALLOC)) return false;
    if (cudaMallocHost(&memory, BUFFERS_AT + (size_t)count * 2 * PIECE) != cudaSuccess) {
        (void)cudaGetLastError();
        return false;
    }
    memset(memory, 0, sizeof(bi_host_lanes));
    ctx->lanes = static_cast<bi_host_lanes *>(memory);
    ctx->lanes->count = count;
    if (make_events(ctx->lanes)) return true;
    (void)cudaGetLastError();
    bi_cuda_host_copy_close(ctx);
    return false;
}

/* A copy that all lanes make: piece p is lane p % lanes' of that. */
struct host_copy {
    bosc_ctx *ctx;
    char *to;
    const char *from;
    size_t bytes;
    int32_t lanes;
    cudaError_t errors[MOST_LANES];

    size_t pieces() const { return (bytes + PIECE - 1) / PIECE; }
    size_t size(size_t p) const { return (p + 1) * PIECE <= bytes ? (size_t)PIECE : bytes - p * PIECE; }
    cudaStream_t stream() const { return static_cast<cudaStream_t>(ctx->stream); }
    /* The device's part of piece p, and a mark after it. */
    cudaError_t queue(void *piece_to, const void *piece_from, size_t p, cudaEvent_t done) const
    {
        cudaError_t error = cudaMemcpyAsync(piece_to, piece_from, size(p), cudaMemcpyDefault, stream());
        return error == cudaSuccess ? cudaEventRecord(done, stream()) : error;
    }
};

static cudaError_t send(const host_copy &copy, const lane &own, size_t first)
{
    int b = 0;
    for (size_t p = first; p < copy.pieces(); p += (size_t)copy.lanes, b ^= 1) {
        cudaError_t error = cudaEventSynchronize(own.done[b]);
        if (error != cudaSuccess) return error;
        memcpy(own.buffer[b], copy.from + p * PIECE, copy.size(p));
        error = copy.queue(copy.to + p * PIECE, own.buffer[b], p, own.done[b]);
        if (error != cudaSuccess) return error;
    }
    return cudaSuccess;
}

static cudaError_t receive(const host_copy &copy, const lane &own, size_t first)
{
    const size_t pieces = copy.pieces(), step = (size_t)copy.lanes;
    cudaError_t error =
        first < pieces ? copy.queue(own.buffer[0], copy.from + first * PIECE, first, own.done[0]) : cudaSuccess;
    int b = 0;
    for (size_t p = first; error == cudaSuccess && p < pieces; p += step, b ^= 1) {
        if (p + step < pieces)
            error = copy.queue(own.buffer[b ^ 1], copy.from + (p + step) * PIECE, p + step, own.done[b ^ 1]);
        if (error == cudaSuccess) error = cudaEventSynchronize(own.done[b]);
        if (error == cudaSuccess) memcpy(copy.to + p * PIECE, own.buffer[b], copy.size(p));
    }
    return error;
}

/* The part of one thread. */
template <cudaError_t (*PART)(const host_copy &, const lane &, size_t)> static void run_lane(void *user, int32_t t)
{
    host_copy &copy = *static_cast<host_copy *>(user);
    copy.errors[t] = cudaSetDevice(copy.ctx->memory.device);
    if (copy.errors[t] == cudaSuccess) copy.errors[t] = PART(copy, copy.ctx->lanes->lanes[t], (size_t)t);
}

bosc_status bi_cuda_host_copy(bosc_ctx *ctx, void *to, const void *from, size_t bytes, bool *made)
{
    *made = !ctx->backend->records(ctx) && take_lanes(ctx);
    if (!*made) return BOSC_OK;
    const bool to_host = is_pageable(to);
    host_copy copy = {ctx, static_cast<char *>(to), static_cast<const char *>(from), bytes, ctx->lanes->count, {}};
    if (copy.lanes > ctx->threads) copy.lanes = ctx->threads;
    if ((size_t)copy.lanes > copy.pieces()) copy.lanes = (int32_t)copy.pieces();
    /* One thread waits for the work before, and not all of them. */
    if (to_host) BI_TRY(bi_cuda_check(ctx, cudaStreamSynchronize(copy.stream()), "copy"));
    bi_threads_run(copy.lanes, to_host ? run_lane<receive> : run_lane<send>, &copy);
    for (int32_t t = 0; t < copy.lanes; t++) BI_TRY(bi_cuda_check(ctx, copy.errors[t], "copy"));
    return BOSC_OK;
}
