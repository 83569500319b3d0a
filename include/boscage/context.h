/* boscage/context.h - contexts: backend, threads or device, memory, messages.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Family: points, graphs and keys
 * Start with: bosc_ctx_create, _message, _free */
#ifndef BOSCAGE_CONTEXT_H
#define BOSCAGE_CONTEXT_H

#include <boscage/base.h>

BOSC_BEGIN_DECLS

/* A context: a queue of work on one backend, with its scratch memory and its last message. One thread uses it at a
 * time; any number of contexts work in parallel. Structures may be read through any context of the same backend and
 * device, and may outlive the context that built them. After fork(), calls in the child run single-threaded if the
 * calling thread had used several threads. */
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

/* The caller's allocator. `alloc` returns memory aligned to 64 bytes (256 on a device), or NULL when there is none.
 * `release` receives the size that was requested. Any thread that uses a context, or frees a structure made with it,
 * may call both; so `user` must outlive those structures. */
typedef struct bosc_allocator {
    void *(*alloc)(void *user, size_t bytes);
    void (*release)(void *user, void *memory, size_t bytes);
    void *user;
} bosc_allocator;

typedef enum bosc_log_level { BOSC_LOG_INFO = 1, BOSC_LOG_WARNING = 2 } bosc_log_level;

/* Receives one line of text without a line break. */
typedef void (*bosc_log_fn)(void *user, bosc_log_level level, const char *text);

/* Progress callback.
 * stage: the function that was called, without "bosc_": "kdtree_knn".
 * fraction: ascends, about as the work does; 1 once, when the call succeeds.
 * Calls that take a context report after some ten thousand items: about 20 times a second on one thread, at most 0.2
 * seconds apart unless one pass over an array takes longer (from about 10^7 items). Smaller calls may not report.
 * The callback runs on the thread that made the call, during the call. It must not use the context or change the call's
 * inputs.
 * A result other than 0 cancels the call (ignored at fraction 1): it returns BOSC_ERR_CANCELLED once its queued work is
 * done. Outputs are then undefined. A structure being built or changed is unchanged or empty (a terrain has no raster)
 * and can be rebuilt; the context stays usable.
 * Results have the same bits with and without a callback. Small calls take some nanoseconds longer, long ones up to a
 * few percent, and CUDA calls that queue wait now and then. While a stream records a graph, nothing is reported. */
typedef int (*bosc_progress_fn)(void *user, const char *stage, double fraction);

/* Set `size`; zero bytes elsewhere mean the defaults. */
typedef struct bosc_ctx_opts {
    size_t size;
    bosc_backend backend;
    int32_t device;           /* CUDA device number; calls make it the thread's current device */
    int32_t threads;          /* CPU threads; 0: OpenMP's default. Fewer where the system limits them */
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
 * opts: NULL means the defaults.
 * ctx: set on success.
 * Errors: BOSC_ERR_ARG for bad options; BOSC_ERR_BACKEND where the build or the machine lacks the backend, the device
 *     or the CPU level; BOSC_ERR_NOMEM. On failure no context holds a message: bosc_backend_reason has the text. */
BOSC_API bosc_status bosc_ctx_create(const bosc_ctx_opts *opts, bosc_ctx **ctx);

/* Frees the context once its work is done; NULL is allowed. Structures built in it live on.
 * Waits. */
BOSC_API void bosc_ctx_free(bosc_ctx *ctx);

/* Waits until all work queued on the context is done, and returns its first failure. */
BOSC_API bosc_status bosc_ctx_sync(bosc_ctx *ctx);

/* Queues later work on another stream of the context's device, after the work queued so far.
 * One context can serve all streams of a program in turn, and need not outlive them.
 * stream: a cudaStream_t of the caller's; NULL: the context's own. The stream that the context leaves must still exist
 *     and must not be recording a graph (BOSC_ERR_ARG). A CPU context ignores it.
 * Errors: BOSC_ERR_DEVICE.
 * Cost: an event, some microseconds.
 * Queues. */
BOSC_API bosc_status bosc_ctx_set_stream(bosc_ctx *ctx, void *stream);

/* Returns the text of the last failure of a call with this context; "" if there was none.
 * The text names the values of the case and is valid until the next call with the context. Never NULL. */
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

/* Describes the context. Set `size`. */
BOSC_API bosc_status bosc_ctx_get_info(const bosc_ctx *ctx, bosc_ctx_info *info);

/* Frees the scratch memory that the context keeps between calls; the next call allocates again.
 * Waits. */
BOSC_API bosc_status bosc_ctx_trim(bosc_ctx *ctx);

/* Returns the number of usable CUDA devices; 0 without CUDA in the build or a driver. */
BOSC_API int32_t bosc_device_count(void);

/* Returns one phrase that says why this build or machine cannot open the backend; "" if it can. Never NULL. */
BOSC_API const char *bosc_backend_reason(bosc_backend backend);

/* Returns the best CPU level of this machine and build. */
BOSC_API bosc_cpu_level bosc_cpu_best_level(void);

/* Allocates memory of the context's backend (device memory on CUDA) through the context's allocator.
 * memory: set on success; 0 bytes give NULL. */
BOSC_API bosc_status bosc_ctx_alloc(bosc_ctx *ctx, size_t bytes, void **memory);

/* Frees memory of bosc_ctx_alloc, through any context of that backend.
 * bytes: the size that was requested. */
BOSC_API void bosc_ctx_release(bosc_ctx *ctx, void *memory, size_t bytes);

/* Copies between any of host and device memory.
 * Cost: O(bytes). Copies of large ordinary host arrays use up to 12 MiB of page-locked memory of the context.
 * Queues. */
BOSC_API bosc_status bosc_ctx_copy(bosc_ctx *ctx, void *to, const void *from, size_t bytes);

BOSC_END_DECLS
#endif
