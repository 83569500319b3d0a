/* The CUDA backend: device memory, one stream a context, copies in every direction. */
#ifndef BI_EMULATE
#include <cuda.h>
#endif

#include <cstdio>
#include <cstring>

#include "base/threads.h"
#include "core/cuda/collectives.cuh"
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

/* The oldest driver that the runtime in the library works with. */
#if defined(CUDART_VERSION) && CUDART_VERSION < 13000
#define OLDEST_DRIVER "525"
#else
#define OLDEST_DRIVER "580"
#endif

extern "C" const char *bi_cuda_reason(void)
{
    int count;
    cudaError_t error = count_devices(&count);
    if (error == cudaErrorInsufficientDriver) {
#ifndef BI_EMULATE
        int version = 0; /* stays 0 without a driver */
        if (cudaDriverGetVersion(&version) == cudaSuccess && version > 0)
            return "the CUDA driver here is too old: this build needs driver " OLDEST_DRIVER " or newer";
#endif
        return "no CUDA driver here: this build needs driver " OLDEST_DRIVER " or newer";
    }
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

/* ---- queries of the driver ---- */

/* The driver's answer about memory: none, or whether kernels of the context can access it. */
enum reach { REACH_UNKNOWN, NOT_REACHED, REACHED };

/* Two queries that CUDA's driver answers faster than the runtime, by about .1 us of a call's 7 (measured): whether the
 * thread's device is current, and where memory lies. Without the driver's entry points the runtime is used. */
#ifndef BI_EMULATE
static void *driver_entry(const char *name)
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

static void *driver_context(const bi_cuda_driver *driver)
{
    CUcontext current = nullptr;
    const auto get = reinterpret_cast<decltype(&cuCtxGetCurrent)>(driver->get_current);
    return get && get(&current) == CUDA_SUCCESS ? current : nullptr;
}

/* Called when the context opens: its device is the thread's and has been used. */
static void open_driver(bosc_ctx *ctx)
{
    ctx->driver.get_attributes = driver_entry("cuPointerGetAttributes");
    ctx->driver.get_current = driver_entry("cuCtxGetCurrent");
    ctx->driver.context = driver_context(&ctx->driver);
}

static bool driver_is_entered(const bosc_ctx *ctx)
{
    return ctx->driver.context && driver_context(&ctx->driver) == ctx->driver.context;
}

/* Queries the driver about memory at p. For memory that is not CUDA's the type stays 0. */
static enum reach query_driver(const bosc_ctx *ctx, const void *p)
{
    CUmemorytype type = static_cast<CUmemorytype>(0);
    int device = -1;
    unsigned managed = 0;
    CUpointer_attribute queried[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL,
                                     CU_POINTER_ATTRIBUTE_IS_MANAGED};
    void *answers[] = {&type, &device, &managed};
    const auto get = reinterpret_cast<decltype(&cuPointerGetAttributes)>(ctx->driver.get_attributes);
    if (!get || get(3, queried, answers, (CUdeviceptr)p) != CUDA_SUCCESS) return REACH_UNKNOWN;
    return managed || (type == CU_MEMORYTYPE_DEVICE && device == ctx->memory.device) ? REACHED : NOT_REACHED;
}
#else
static void open_driver(bosc_ctx *) {}
static bool driver_is_entered(const bosc_ctx *) { return false; }
static enum reach query_driver(const bosc_ctx *, const void *) { return REACH_UNKNOWN; }
#endif

/* ---- copies of large pageable arrays, at the speed of the link ---- */

/* 12 lanes of two buffers of 512 KiB (docs/design/core.md, Staging). More lanes: more page-locked memory, 1 MiB each.
 * The emulator copies small arrays in chunks too, so that tests cover this file. */
#ifdef BI_EMULATE
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

/* True if copy_in_chunks should make this copy: it is large, and one side is pageable. */
static bool is_host_copy(const void *to, const void *from, size_t bytes)
{
    return bytes >= MIN_BYTES && (is_pageable(to) != is_pageable(from));
}

/* Frees the buffers. */
static void close_lanes(bosc_ctx *ctx)
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
    close_lanes(ctx);
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

/* NOT_IN_CHUNKS: nothing was done, and another copy has to be made. */
enum chunks_outcome { NOT_IN_CHUNKS, COPIED_IN_CHUNKS };

/* Copies in chunks through page-locked memory: several threads, each with two buffers, fill or empty one while the
 * device copies the other. To the device it returns once `from` was read; to the host once `to` is written, so it waits
 * for the stream. The first call allocates the buffers. If that fails, or a graph is recorded, nothing is copied. */
static bosc_status copy_in_chunks(bosc_ctx *ctx, void *to, const void *from, size_t bytes, enum chunks_outcome *outcome)
{
    *outcome = NOT_IN_CHUNKS;
    if (ctx->backend->records(ctx) || !allocate_lanes(ctx)) return BOSC_OK;
    *outcome = COPIED_IN_CHUNKS;
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

/* ---- the backend ---- */

static void cuda_enter(bosc_ctx *ctx)
{
    if (!driver_is_entered(ctx)) (void)cudaSetDevice(ctx->memory.device);
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
    open_driver(ctx);
    bosc_status status = select_stream(ctx, opts->stream, &ctx->stream);
    if (status != BOSC_OK) (void)cudaFreeHost(ctx->pinned);
    return status;
}

static void cuda_close(bosc_ctx *ctx)
{
    cuda_enter(ctx);
    (void)cudaFreeHost(ctx->pinned);
    close_lanes(ctx);
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

static_assert((int)BI_MAX_PINNED_READ <= (int)BI_PINNED_BYTES, "such a result fits the pinned block");

/* Copies with one thread a byte. */
static __global__ void bi_core_to_pinned(unsigned char *to, const unsigned char *from)
{
    to[threadIdx.x] = from[threadIdx.x];
}

/* Small copies to the pinned block (bi_read_back) use a kernel, which starts sooner than a copy engine. Large pageable
 * arrays are copied in chunks. */
static bosc_status cuda_copy(bosc_ctx *ctx, void *to, const void *from, size_t bytes)
{
    if (bi_fault(BI_FAULT_COPY)) return bi_fail(ctx, BOSC_ERR_DEVICE, "copy: injected fault");
    if (to == ctx->pinned && bytes > 0 && bytes <= BI_MAX_PINNED_READ)
        return BI_RUN(ctx, bi_core_to_pinned, 1, (unsigned)bytes, 0, (unsigned char *)to, (const unsigned char *)from);
    if (is_host_copy(to, from, bytes)) {
        enum chunks_outcome outcome;
        BI_TRY(copy_in_chunks(ctx, to, from, bytes, &outcome));
        if (outcome == COPIED_IN_CHUNKS) return BOSC_OK;
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
    cudaPointerAttributes attributes;
    const enum reach reach = query_driver(ctx, p);
    if (reach != REACH_UNKNOWN) return reach == REACHED;
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

/* 1 << 18 is first_batch: about an item for each of the 2,048 threads of the 132 multiprocessors of an H200. */
extern "C" const bi_backend bi_backend_cuda = {
    BOSC_BACKEND_CUDA, "cuda",    cuda_open,    cuda_close,      cuda_sync,    cuda_enter, cuda_alloc,    cuda_release,
    cuda_copy,         cuda_fill, cuda_reaches, cuda_use_stream, cuda_records, 1 << 18,    &bi_core_cuda,
};
