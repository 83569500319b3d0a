/* Blocks that grow with what is in them: what the reserves of structures share. */
#ifndef BI_CORE_BLOCKS_H
#define BI_CORE_BLOCKS_H

#include "core/context.h"

enum { BI_BLOCKS_MOST = 16 };

/* Makes each of up to BI_BLOCKS_MOST blocks at least bytes[b] long; its first used[b] bytes stay. All blocks are as
 * they were if one cannot be had. Waits. */
bosc_status bi_blocks_grow(bosc_ctx *ctx, const struct bi_memory *m, struct bi_block *const blocks[], int count,
                           const size_t bytes[], const size_t used[]);

#endif
