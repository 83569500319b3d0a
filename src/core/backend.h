/* Tables of functions between the algorithms and the hardware. A driver (a room's build.c, query.c) uses a backend
 * through these alone. All pointers to data are in the backend's memory unless a comment says "host"; work is queued on
 * the context's stream in the order of the calls. */
#ifndef BI_CORE_BACKEND_H
#define BI_CORE_BACKEND_H

#include <stdbool.h>

#include <boscage/context.h>
#include <boscage/prims.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Runs one step for items 0 to n - 1. `args` is the step's argument struct, copied before the call returns. */
typedef bosc_status (*bi_step_fn)(bosc_ctx *ctx, int64_t n, const void *args);

/* Collectives: data moves between items. The contracts are those of boscage/prims.h, less the checks, with results
 * and counts in the backend's memory, and nothing waits. Scratch comes from the context's arena. */
struct bi_core_ops {
    bosc_status (*reduce)(bosc_ctx *, bosc_op, bosc_dtype, const void *in, int64_t n, void *result);
    bosc_status (*scan)(bosc_ctx *, bosc_op, bosc_scan_kind, bosc_dtype, const void *in, int64_t n, void *out);
    bosc_status (*scan_segmented)(bosc_ctx *, bosc_op, bosc_scan_kind, bosc_dtype, const void *in, const uint8_t *heads,
                                  int64_t n, void *out);
    bosc_status (*compact)(bosc_ctx *, size_t item_size, const void *in, const uint8_t *keep, int64_t n, void *out,
                           int64_t *count);
    /* *bad gets 1 if any bin is out of range (and is left alone otherwise). */
    bosc_status (*histogram)(bosc_ctx *, const uint32_t *bins, int64_t n, int64_t n_bins, int64_t *counts,
                             uint32_t *bad);
    bosc_status (*split)(bosc_ctx *, size_t item_size, const void *in, const uint32_t *bucket, int64_t n,
                         int64_t n_buckets, void *out, int64_t *offsets, uint32_t *bad);
    /* Sorts by bits [first_bit, last_bit) of the ordered key. in == out is allowed; values have any size. */
    bosc_status (*sort_keys)(bosc_ctx *, bosc_dtype, const void *keys, int64_t n, void *out, int first_bit,
                             int last_bit);
    bosc_status (*sort_pairs)(bosc_ctx *, bosc_dtype, const void *keys, size_t value_size, const void *values,
                              int64_t n, void *keys_out, void *values_out, int first_bit, int last_bit);
    /* Values may all be NULL (value_size 0): keys only. */
    bosc_status (*merge_pairs)(bosc_ctx *, bosc_dtype, size_t value_size, const void *a_keys, const void *a_values,
                               int64_t na, const void *b_keys, const void *b_values, int64_t nb, void *keys_out,
                               void *values_out);
    bosc_status (*search_sorted)(bosc_ctx *, bosc_dtype, const void *keys, int64_t n, const void *queries,
                                 int64_t query_count, int64_t *ranks);
    /* keys, if not NULL: the ordered keys of the first coordinates, in the order of perm. */
    bosc_status (*sort_superkey)(bosc_ctx *, bosc_dtype, const void *points, int64_t n, int32_t dim, int64_t stride,
                                 int32_t first, uint32_t *perm, void *keys);
    /* Writes 0, 1, ..., n - 1 as integers of `size` bytes, 4 or 8. */
    bosc_status (*iota)(bosc_ctx *, size_t size, void *numbers, int64_t n);
    /* *bad becomes the lowest row whose CSR offsets (rows + 1) do not ascend, from 0, if it is less. */
    bosc_status (*check_offsets)(bosc_ctx *, const int64_t *offsets, int64_t rows, int64_t *bad);
};

/* Memory and the queue. */
struct bi_backend {
    bosc_backend id;
    const char *name; /* "cpu", "cuda" */
    bosc_status (*open)(bosc_ctx *ctx, const bosc_ctx_opts *opts);
    void (*close)(bosc_ctx *ctx);
    bosc_status (*sync)(bosc_ctx *ctx);
    /* Called at the start of every public call: makes the context's device the thread's current one. May be NULL. */
    void (*enter)(bosc_ctx *ctx);
    /* Used when the caller gives no hooks; `device` as in the context. */
    void *(*alloc)(int32_t device, size_t bytes);
    void (*release)(int32_t device, void *memory, size_t bytes);
    /* Between any two memories; queued. With host memory on either side the caller must sync before using it. */
    bosc_status (*copy)(bosc_ctx *ctx, void *to, const void *from, size_t bytes);
    bosc_status (*fill)(bosc_ctx *ctx, void *memory, int byte, size_t bytes);
    /* True if kernels of this backend can access `p`. CUDA: not host memory, unless it is mapped. CPU: always. */
    bool (*reaches)(bosc_ctx *ctx, const void *p);
    /* Queues further work on the caller's stream (NULL: the context's own), after the work queued so far. NULL for
     * backends without streams. */
    bosc_status (*use_stream)(bosc_ctx *ctx, void *callers);
    /* True while the context's stream records a graph, so that nothing may wait. NULL: never. */
    bool (*records)(bosc_ctx *ctx);
    /* Items of the first batch of a loop that reports progress (core/progress.h): enough to occupy the hardware. */
    int64_t first_batch;
    const struct bi_core_ops *core;
};

/* The rooms' tables of operations on one backend. A driver calls ctx->ops->ROOM->operation and never tests which
 * backend it runs on: an operation of only one backend is an entry that the other leaves NULL or zero. */
struct bi_ops {
#define BI_TABLE(name, type) const struct type *name;
#define BI_TABLE_BY_LEVEL BI_TABLE
#include "core/tables.def"
#undef BI_TABLE_BY_LEVEL
#undef BI_TABLE
};

/* The tables of a backend; on the CPU, those of a level. */
const struct bi_ops *bi_ops_of(bosc_backend backend, bosc_cpu_level level);

extern const struct bi_backend bi_backend_cpu;
#ifdef BOSC_HAVE_CUDA
extern const struct bi_backend bi_backend_cuda;
int32_t bi_cuda_device_count(void);
const char *bi_cuda_reason(void); /* why there is no device, "" if there is one */
void bi_cuda_device_name(int32_t device, char *name, size_t size);
#endif

#ifdef __cplusplus
}
#endif
#endif
