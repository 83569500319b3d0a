/* Checks of arguments that the primitives share. Each returns BOSC_OK, or BOSC_ERR_ARG with the argument's name. */
#ifndef BI_PRIMS_CHECK_H
#define BI_PRIMS_CHECK_H

#include "core/call.h"

enum { BI_MAX_ITEM_SIZE = 256 }; /* of compaction (boscage/prims.h) */

bosc_status bi_check_numeric_type(bosc_ctx *ctx, bosc_dtype dtype); /* F32 to U64 */
bosc_status bi_check_op(bosc_ctx *ctx, bosc_op op);
bosc_status bi_check_scan_kind(bosc_ctx *ctx, bosc_scan_kind kind);
bosc_status bi_check_item_size(bosc_ctx *ctx, size_t item_size);
bosc_status bi_check_value_size(bosc_ctx *ctx, size_t value_size); /* 4 or 8 */

/* Items of a record: 1 byte or more. */
bosc_status bi_check_record_size(bosc_ctx *ctx, const char *name, size_t size);

/* A number of items: not negative, and their size in bytes does not overflow. */
bosc_status bi_check_count(bosc_ctx *ctx, const char *name, int64_t n, size_t item_size);

/* n items at p, aligned to `alignment`; p may be NULL if there are none. */
bosc_status bi_check_array(bosc_ctx *ctx, const char *name, const void *p, int64_t n, size_t alignment);

/* Arrays must not overlap; if `same` is set, they may begin at the same address. */
bosc_status bi_check_disjoint(bosc_ctx *ctx, const char *name, const void *p, size_t bytes, const char *other_name,
                              const void *other, size_t other_bytes, bool same);

/* Ends a call: waits if any array was staged. */
bosc_status bi_finish_staged(bosc_ctx *ctx, bool staged);

#endif
