/* Inside a context: backend, queue, memory, message; and how a call takes scratch and stages arrays. */
#ifndef BI_CORE_CONTEXT_H
#define BI_CORE_CONTEXT_H

#include "core/backend.h"
#include "core/dispatch.h"
#include "core/progress.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Memory and who it came from; copied into structures, which may outlive their context. */
struct bi_memory {
    const struct bi_backend *backend;
    int32_t device;
    bosc_allocator hooks; /* all zero: the backend's own */
};

void *bi_memory_alloc(const struct bi_memory *m, size_t bytes); /* NULL when there is none, or for 0 bytes */
/* The context's host memory: NULL when there is none, and a message; the caller returns BOSC_ERR_NOMEM then. */
void *bi_host_alloc(bosc_ctx *ctx, size_t bytes);
void bi_memory_release(const struct bi_memory *m, void *p, size_t bytes);

/* A block that a structure keeps between builds and that only grows. */
struct bi_block {
    void *data;
    size_t bytes;
};
bosc_status bi_block_reserve(bosc_ctx *ctx, const struct bi_memory *m, struct bi_block *block, size_t bytes);
void bi_block_free(const struct bi_memory *m, struct bi_block *block);

struct bi_chunk;      /* one allocation of the arena */
struct bi_host_lanes; /* of core/cuda/host_copy.cu */

/* Scratch memory that lives until the end of a call. The same sequence of requests finds the same places, so a
 * second call of the same shape allocates nothing. */
struct bi_arena {
    struct bi_chunk *first, *current;
    size_t held;
};
struct bi_mark {
    struct bi_chunk *chunk;
    size_t used;
};

/* A structure that is scratch as well: made by the first call that needs it, built again by the others. */
struct bi_kept {
    void *handle; /* NULL: none yet */
    void (*release)(void *handle);
};

/* CUDA: what core/cuda/driver.cuh asks. */
struct bi_cuda_driver {
    void *context;                      /* the driver's, of the device; NULL: not known */
    void *get_current, *get_attributes; /* functions of the driver; NULL: not known */
};

/* What a thread of the CPU is worth, in simple items of a nanosecond or two. To wake one and to wait for it takes 5 to
 * 30 us; to start it, in the first loop that has two, 100. */
enum { BI_THREAD_ITEMS = 1 << 15 };

struct bosc_ctx {
    const struct bi_backend *backend;
    const struct bi_ops *ops;      /* the rooms' tables, of the backend and level */
    struct bi_memory host, memory; /* memory: the backend's, == host on the CPU */
    struct bi_arena arena;         /* in `memory` */
    struct bi_block host_scratch;
    struct bi_kept kept;
    int32_t threads, most_threads; /* of this call, and of any */
    int64_t thread_items;          /* BI_THREAD_ITEMS; tests have several threads for less */
    int32_t cache_shift;           /* 0; in tests a core's caches count as smaller by as many powers of two */
    bool stores_wait;              /* bi_cpu_stores_wait(); tests have both */
    bosc_cpu_level level;
    void *stream;                /* CUDA */
    void *own_stream;            /* NULL until it is needed */
    void *turn;                  /* an event: from one stream to the next */
    void *pinned;                /* CUDA: a small page-locked block for reading counters back */
    struct bi_host_lanes *lanes; /* CUDA: what large host arrays go through; NULL until one does */
    int32_t multiprocessors;
    bosc_log_fn log;
    void *log_user;
    struct bi_progress progress;
    char message[512];
    struct bi_cuda_driver driver;
};

/* n items, each of which takes as long as `weight` simple ones. */
static inline struct bi_parts bi_parts_of(const bosc_ctx *ctx, int64_t n, double weight)
{
    const struct bi_parts all = {0, 0, n, n, weight, 0, BOSC_OK, false};
    return ctx->progress.listens ? bi_reported_parts_of(ctx, n, weight) : all;
}

/* Waits for what a call that fails has queued, unless its stream records a graph: kernels may write to the host's words
 * later (bi_notify_host, bi_read_back), which the next call reads. Whether waiting fails is not told. */
void bi_await_queued(bosc_ctx *ctx);

/* Sets the message and returns the status: return bi_fail(ctx, BOSC_ERR_ARG, "k: %lld is less than 1", k). */
bosc_status bi_fail(bosc_ctx *ctx, bosc_status status, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Scratch of the backend's memory, aligned to 256 bytes, until bi_arena_rewind. *p is set on success. 0 bytes
 * give NULL and success. */
bosc_status bi_scratch(bosc_ctx *ctx, size_t bytes, void **p);
/* The same for `count` elements of `size` bytes; `p` is the address of a pointer of any type. */
bosc_status bi_scratch_of(bosc_ctx *ctx, int64_t count, size_t size, void *p);
/* Scratch of the host's memory. There is one block of it, so a call takes it once. */
bosc_status bi_host_scratch(bosc_ctx *ctx, size_t bytes, void **p);
struct bi_mark bi_arena_mark(const bosc_ctx *ctx);
void bi_arena_rewind(bosc_ctx *ctx, struct bi_mark mark);
void bi_scratch_free(bosc_ctx *ctx); /* all that is kept between calls */

/* A caller's array where kernels can reach it: itself, or a copy in scratch (and *staged is set). */
bosc_status bi_stage_in(bosc_ctx *ctx, const void *array, size_t bytes, const void **reachable, bool *staged);

/* A place for results: the caller's array, or scratch that bi_stage_back copies to it. */
struct bi_out {
    void *user, *reachable;
    size_t bytes;
};
bosc_status bi_stage_out(bosc_ctx *ctx, void *array, size_t bytes, struct bi_out *out, bool *staged);
bosc_status bi_stage_back(bosc_ctx *ctx, const struct bi_out *out);

/* Reads a small result (up to 64 bytes) back to the host and waits for it. */
bosc_status bi_read_back(bosc_ctx *ctx, void *to, const void *from, size_t bytes);

void bi_log(bosc_ctx *ctx, bosc_log_level level, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Runs f and returns its status from the calling function if it is a failure. */
#define BI_TRY(f)                               \
    do {                                        \
        bosc_status bi_try_ = (f);              \
        if (bi_try_ != BOSC_OK) return bi_try_; \
    } while (0)

#ifdef __cplusplus
}
#endif
#endif
