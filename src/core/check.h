/* Checks of arguments that the front doors of all rooms make. Each gives BOSC_OK, or BOSC_ERR_ARG and a message that
 * begins with the argument's name. */
#ifndef BI_CORE_CHECK_H
#define BI_CORE_CHECK_H

#include "core/call.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Whether the context can reach what a handle holds. `memory` is the handle's, NULL where the handle is. */
bosc_status bi_check_handle(bosc_ctx *ctx, const char *name, const struct bi_memory *memory);

/* Whether a public struct may have this `size`, which its caller set: it holds the member itself and whole words, so
 * that no field of one word or less is cut, and is far from what memory that nobody set would say. */
bool bi_is_struct_size(size_t size, size_t ours);

/* The size of a struct that a caller fills against ours: less is an older caller's. `type` is its name. */
bosc_status bi_check_size(bosc_ctx *ctx, const char *name, const char *type, size_t size, size_t ours);

/* The size of a struct that the call fills: more is a newer caller's. bi_copy_info then copies `full`, of `ours` bytes,
 * as far as the caller's struct goes, and zeroes what it has more; the size stays. */
bosc_status bi_check_info(bosc_ctx *ctx, const char *name, const char *type, size_t size, size_t ours);
void bi_copy_info(void *info, const void *full, size_t ours);

/* *full, of `size` bytes, gets the caller's options, whose first member is their size; what they lack is zero. NULL
 * options are all zero. */
bosc_status bi_read_opts(bosc_ctx *ctx, const char *type, const void *opts, void *full, size_t size);

/* An array (may be NULL) whose elements have `size` bytes must be aligned to them. */
bosc_status bi_check_aligned(bosc_ctx *ctx, const char *name, const void *array, size_t size);

#ifdef __cplusplus
}
#endif
#endif
