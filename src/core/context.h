/* The state of a context: backend, queue, memory, progress, message. */
#ifndef BI_CORE_CONTEXT_H
#define BI_CORE_CONTEXT_H

#include "core/backend.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A memory space and the functions that allocate in it. Copied into structures, which may outlive their context. */
struct bi_memory {
    const struct bi_backend *backend;
    int32_t device;
    bosc_allocator hooks; /* all zero: the backend's own */
};

/* A block that a structure keeps between builds and that only grows. */
struct bi_block {
    void *data;
    size_t bytes;
};

struct bi_chunk;      /* one allocation of the arena (core/arena.c) */
struct bi_host_lanes; /* of core/cuda/backend.cu */

/* Scratch memory that lives until the end of a call. The same sequence of requests gets the same addresses, so a
 * second call of the same shape allocates nothing. */
struct bi_arena {
    struct bi_chunk *first, *current;
    size_t held;
};

/* A structure that serves as scratch: created by the first call that needs it, rebuilt by later ones. */
struct bi_cached_structure {
    void *handle; /* NULL: none yet */
    void (*release)(void *handle);
};

/* Progress of the public call that runs (core/progress.h). */
struct bi_progress {
    bosc_progress_fn function; /* NULL: none */
    void *user;
    double (*clock)(void); /* seconds, monotonic */
    const char *stage;     /* the outermost public call that runs, without "bosc_" */
    int32_t depth;         /* nesting of public calls: inner ones are part of the outermost */
    int32_t whole;         /* nesting of sections that cancellation must not interrupt */
    bool stop;             /* the caller cancelled the call */
    bool active;           /* this call reports: false while a stream records a graph, where nothing may wait */
    double done, expected; /* items of the call */
    double weight;         /* cost of the items that now run, in simple items */
    double since, grain;   /* items since the function was called, and the number that triggers its next call */
    double unseen;         /* items since the clock was read */
    double fraction;       /* last reported; less than 0: none in this call */
    double time;           /* seconds, of the last call of the function or the first reading of the clock; 0: neither */
};

/* CUDA: handles of the driver (core/cuda/backend.cu). */
struct bi_cuda_driver {
    void *context;                      /* the driver's, of the device; NULL: not known */
    void *get_current, *get_attributes; /* functions of the driver; NULL: not known */
};

/* Items per thread from which another CPU thread pays, in simple items of 1 to 2 ns. Waking a thread and waiting for it
 * takes 5 to 30 us; starting it, in the first parallel loop, 100 us. */
enum { BI_THREAD_ITEMS = 1 << 15 };

struct bosc_ctx {
    const struct bi_backend *backend;
    const struct bi_ops *ops;      /* the rooms' tables, of the backend and level */
    struct bi_memory host, memory; /* memory: the backend's, == host on the CPU */
    struct bi_arena arena;         /* in `memory` */
    struct bi_block host_scratch;
    struct bi_cached_structure kept;
    int32_t threads, max_threads; /* of this call, and of any */
    int64_t thread_items;         /* BI_THREAD_ITEMS; tests set less, to get several threads for small inputs */
    int32_t cache_shift;          /* 0; tests divide the assumed cache sizes by 2^cache_shift */
    bool stores_wait;             /* bi_cpu_stores_wait(); tests set both */
    bosc_cpu_level level;
    void *stream;     /* CUDA */
    void *own_stream; /* NULL until it is needed */
    void *turn;   /* CUDA: an event; orders the next stream after the previous one, and serves waits within a call */
    void *pinned; /* CUDA: a small page-locked block for reading counters back */
    struct bi_host_lanes *lanes; /* CUDA: buffers for copies of large pageable arrays; NULL until the first */
    int32_t multiprocessors;
    bosc_log_fn log;
    void *log_user;
    struct bi_progress progress;
    char message[512];
    struct bi_cuda_driver driver;
};

#ifdef __cplusplus
}
#endif
#endif
