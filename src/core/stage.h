/* Staging: arrays of the caller, in any memory, copied to the backend's memory and back. */
#ifndef BI_CORE_STAGE_H
#define BI_CORE_STAGE_H

#include "core/context.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A caller's array where kernels can reach it: the array itself, or a copy in scratch (and *staged is set). */
bosc_status bi_stage_in(bosc_ctx *ctx, const void *array, size_t bytes, const void **reachable, bool *staged);

/* Memory for results: the caller's array, or scratch that bi_stage_back copies to it. */
struct bi_out {
    void *user, *reachable;
    size_t bytes;
};
bosc_status bi_stage_out(bosc_ctx *ctx, void *array, size_t bytes, struct bi_out *out, bool *staged);
bosc_status bi_stage_back(bosc_ctx *ctx, const struct bi_out *out);

/* Bytes up to which bi_read_back goes through the context's page-locked block. On CUDA a kernel of one thread block
 * writes them, a thread a byte; the hardware's limit is 1,024 threads. */
enum { BI_MAX_PINNED_READ = 1024 };

/* Copies a result from the backend's memory to the host's and waits for it. Small ones take the faster path above. */
bosc_status bi_read_back(bosc_ctx *ctx, void *to, const void *from, size_t bytes);

/* Sums n > 0 numbers in the backend's memory. Waits. */
bosc_status bi_sum_i64(bosc_ctx *ctx, const int64_t *values, int64_t n, int64_t *sum);

#ifdef __cplusplus
}
#endif
#endif
