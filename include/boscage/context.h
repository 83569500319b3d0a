/* boscage/context.h - where work runs: backend, threads or device, memory, messages.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BOSCAGE_CONTEXT_H
#define BOSCAGE_CONTEXT_H

#include <boscage/base.h>

BOSC_BEGIN_DECLS

/* A context is a queue of work on one backend, with its scratch memory and its last message. One thread uses it
 * at a time; any number of contexts work in parallel. Structures built in a context may be read through any
 * context of the same backend and device, and may outlive the context that built them. In the child of a
 * fork() a thread that had called with several threads has one. */
typedef struct bosc_ctx bosc_ctx;

typedef enum bosc_backend {
    BOSC_BACKEND_DEFAULT = 0, /* CPU */
    BOSC_BACKEND_CPU = 1,
    BOSC_BACKEND_CUDA = 2,
    BOSC_BACKEND_AUTO = 3 /* CUDA where the build and the machine have it, else CPU */
} bosc_backend;

/* The instruction sets that the CPU backend's hot loops are compiled for. Answers do not depend on it. */
typedef enum bosc_cpu_level {
    BOSC_CPU_BEST = 0, /* the best this machine has */
    BOSC_CPU_V1 = 1,   /* the baseline: x86-64, or arm64 */
    BOSC_CPU_V3 = 3,   /* x86-64-v3: AVX2, BMI2 */
    BOSC_CPU_V4 = 4    /* x86-64-v4: AVX-512 */
} bosc_cpu_level;

/* The caller's allocator. `alloc` returns memory aligned to 64 bytes (256 on a device), or NULL when there is none;
 * `release` gets the size that was asked for. Both may be called from any thread that uses a context or frees a
 * structure made with it, so `user` must outlive those structures. */
typedef struct bosc_allocator {
    void *(*alloc)(void *user, size_t bytes);
    void (*release)(void *user, void *memory, size_t bytes);
    void *user;
} bosc_allocator;

typedef enum bosc_log_level { BOSC_LOG_INFO = 1, BOSC_LOG_WARNING = 2 } bosc_log_level;

/* Receives one line of text without a line break. */
typedef void (*bosc_log_fn)(void *user, bosc_log_level level, const char *text);

/* Hears how far a call is. Every call that takes a context tells, once it has passed over some ten thousand items:
 * about 20 times a second on one thread, at most 0.2 seconds apart but where one pass over an array takes longer (from
 * some 10^7 items on). Calls of less may tell nothing.
 * stage: the function that was called, without "bosc_": "kdtree_knn". fraction: ascends, about as the work does; 1
 *     once, when the call ends well.
 * The function runs in the thread that made the call, while the call waits for it. It may do anything but use the
 * context or change what the call reads.
 * A result other than 0 cancels the call (but not any more at 1): it returns BOSC_ERR_CANCELLED as soon as it can, once
 * what it has queued is done. Then its outputs are undefined; a structure that it built or changed is as before or
 * empty (a terrain is without a raster) and can be built again; the context can be used on.
 * Answers are the same bits whether a function is set or not. If it is, a small call takes some nanoseconds longer and
 * a long one up to a few percent, and on a CUDA device calls that would only queue wait now and then. While a stream
 * records a graph, nothing is told. */
typedef int (*bosc_progress_fn)(void *user, const char *stage, double fraction);

/* Zero bytes mean the default; set `size` to sizeof(bosc_ctx_opts). Fields are only appended. */
typedef struct bosc_ctx_opts {
    size_t size;
    bosc_backend backend;
    int32_t device;           /* CUDA device number; calls make it the thread's current device */
    int32_t threads;          /* CPU threads; 0: as many as OpenMP would use. Fewer where the system limits them */
    bosc_cpu_level cpu_level; /* refused (BOSC_ERR_BACKEND) where the machine lacks it */
    int32_t reserved;
    void *stream;                 /* a cudaStream_t of the caller's to queue on; NULL: one of the context's own */
    bosc_allocator host;          /* all zero: the C library's memory */
    bosc_allocator device_memory; /* all zero: cudaMalloc; unused on the CPU backend */
    bosc_log_fn log;
    void *log_user;
    bosc_progress_fn progress;
    void *progress_user;
} bosc_ctx_opts;

/* Opens a context.
 * opts: may be NULL for the defaults. ctx: set on success.
 * Errors: BOSC_ERR_ARG for bad options, BOSC_ERR_BACKEND where the build or the machine lacks the backend, the device
 * or the CPU level, BOSC_ERR_NOMEM. There is no context yet to hold a message: bosc_backend_reason has the text. */
BOSC_API bosc_status bosc_ctx_create(const bosc_ctx_opts *opts, bosc_ctx **ctx);

/* Frees the context once its work is done; NULL is allowed. Structures built in it live on. Waits. */
BOSC_API void bosc_ctx_free(bosc_ctx *ctx);

/* Waits until everything queued on the context is done, and returns the first failure among it. */
BOSC_API bosc_status bosc_ctx_sync(bosc_ctx *ctx);

/* Queues what follows on another stream of the context's device, after what is queued so far. One context can so serve
 * all streams of a program, and need not outlive them.
 * stream: a cudaStream_t of the caller's; NULL: the context's own. The stream that the context leaves must still be
 *     there, and not record a graph (BOSC_ERR_ARG). A CPU context has no streams, and ignores it.
 * Does not wait. Cost: an event, some microseconds. Errors: BOSC_ERR_DEVICE. */
BOSC_API bosc_status bosc_ctx_set_stream(bosc_ctx *ctx, void *stream);

/* Tells the text of the last failure of a call with this context, with the values of the case; "" if there was none.
 * Valid until the next call with the context. Never NULL. */
BOSC_API const char *bosc_ctx_message(const bosc_ctx *ctx);

typedef struct bosc_ctx_info {
    size_t size;
    bosc_backend backend;     /* CPU or CUDA */
    bosc_cpu_level cpu_level; /* in use */
    int32_t threads;
    int32_t device;        /* CUDA device number, or -1 */
    int64_t scratch_bytes; /* held by the arena now, in the backend's memory */
    char device_name[128]; /* "" on the CPU backend */
} bosc_ctx_info;

/* Describes the context. Set info->size before the call. */
BOSC_API bosc_status bosc_ctx_get_info(const bosc_ctx *ctx, bosc_ctx_info *info);

/* Frees the scratch memory that the context keeps between calls; the next call takes what it needs. Waits. */
BOSC_API bosc_status bosc_ctx_trim(bosc_ctx *ctx);

/* Counts the CUDA devices that a context can be opened on; 0 without CUDA in the build or a driver here. */
BOSC_API int32_t bosc_device_count(void);

/* Tells why this build or machine cannot open the backend, as one phrase; "" if it can. Never NULL. */
BOSC_API const char *bosc_backend_reason(bosc_backend backend);

/* Tells the best CPU level of this machine and build. */
BOSC_API bosc_cpu_level bosc_cpu_best_level(void);

/* Allocates memory of the context's backend (device memory on CUDA) through the context's allocator.
 * memory: set on success; 0 bytes give NULL. */
BOSC_API bosc_status bosc_ctx_alloc(bosc_ctx *ctx, size_t bytes, void **memory);

/* Frees memory of bosc_ctx_alloc, through any context of that backend. `bytes` is the size that was asked for. */
BOSC_API void bosc_ctx_release(bosc_ctx *ctx, void *memory, size_t bytes);

/* Copies between any of host and device memory. Large arrays in ordinary host memory, of this call and of all others,
 * go through page-locked memory by several threads; the context keeps 1 MiB of it for each, 12 at most.
 * Cost: O(bytes). Waits when either side is host memory. */
BOSC_API bosc_status bosc_ctx_copy(bosc_ctx *ctx, void *to, const void *from, size_t bytes);

BOSC_END_DECLS
#endif
