/* Checks of arguments, for the public functions of all rooms. Each returns BOSC_OK, or BOSC_ERR_ARG and a message that
 * begins with the argument's name. */
#ifndef BI_CORE_CHECK_H
#define BI_CORE_CHECK_H

#include "core/call.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Checks that the context can access the handle's memory. `memory` is NULL if the handle is. */
bosc_status bi_check_handle(bosc_ctx *ctx, const char *name, const struct bi_memory *memory);

/* True if `size`, set by the caller, is plausible for a public struct: whole words, so that no field of up to one word
 * is cut, and not so large that it is more likely uninitialised. */
bool bi_is_struct_size(size_t size, size_t ours);

/* Checks the size of a struct that the caller fills. A smaller one comes from an older version. `type` is its name. */
bosc_status bi_check_size(bosc_ctx *ctx, const char *name, const char *type, size_t size, size_t ours);

/* Checks the size of a struct that the call fills. A larger one comes from a newer version. bi_copy_info then copies
 * `full`, of `ours` bytes, as far as the caller's struct goes, zeroes the rest of it, and keeps its size. */
bosc_status bi_check_info(bosc_ctx *ctx, const char *name, const char *type, size_t size, size_t ours);
void bi_copy_info(void *info, const void *full, size_t ours);

/* The same for the argument `info`, a pointer to `type`, which may not be NULL. */
#define BI_CHECK_INFO(ctx, info, type)                                          \
    ((info) ? bi_check_info((ctx), "info", #type, (info)->size, sizeof *(info)) \
            : bi_fail((ctx), BOSC_ERR_ARG, "info: NULL"))

/* Copies the caller's options, whose first member is their size, to *full, of `size` bytes; missing members become
 * zero. NULL options are all zero. */
bosc_status bi_read_opts(bosc_ctx *ctx, const char *type, const void *opts, void *full, size_t size);

/* Checks that `first`, which `count` items begin with, is at least 0, and that their end is a number. count: 0 or
 * more. */
bosc_status bi_check_range(bosc_ctx *ctx, int64_t first, int64_t count);

/* Checks that an array (or NULL) of elements of `size` bytes is aligned to them. */
bosc_status bi_check_aligned(bosc_ctx *ctx, const char *name, const void *array, size_t size);

/* Checks the numbers of points and clouds of a batch, or BOSC_ERR_LIMIT. holder: the structure, in messages. */
bosc_status bi_check_batch_sizes(bosc_ctx *ctx, const char *holder, int64_t n, int64_t cloud_count);

/* Checks the findings about offsets (cloud_count + 1), which ascend from 0 to n. bad: the first faulty cloud, as
 * bi_core_ops.check_offsets finds it, INT64_MAX: none; last: the last offset. Messages begin with `name`. */
bosc_status bi_check_batch_offsets(bosc_ctx *ctx, const char *name, int64_t cloud_count, int64_t bad, int64_t last,
                                   int64_t n);

#ifdef __cplusplus
}
#endif
#endif
