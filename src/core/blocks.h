/* Growth of blocks with their contents, for the _reserve functions of structures. */
#ifndef BI_CORE_BLOCKS_H
#define BI_CORE_BLOCKS_H

#include "core/context.h"

enum { BI_MAX_BLOCKS = 16 };

/* Makes each of up to BI_MAX_BLOCKS blocks at least bytes[b] long and keeps its first used[b] bytes. All blocks stay
 * unchanged if an allocation fails. Waits. */
bosc_status bi_blocks_grow(bosc_ctx *ctx, const struct bi_memory *m, struct bi_block *const blocks[], int count,
                           const size_t bytes[], const size_t used[]);

#endif
