#include "core/blocks.h"

#include "core/arena.h"

bosc_status bi_blocks_grow(bosc_ctx *ctx, const struct bi_memory *m, struct bi_block *const blocks[], int count,
                           const size_t bytes[], const size_t used[])
{
    /* 1. Allocate the larger blocks and copy the contents. */
    struct bi_block fresh[BI_MAX_BLOCKS] = {{0}};
    bosc_status status = BOSC_OK;
    for (int b = 0; b < count && status == BOSC_OK; b++) {
        if (bytes[b] <= blocks[b]->bytes) continue;
        status = bi_block_reserve(ctx, m, &fresh[b], bytes[b]);
        if (status == BOSC_OK && used[b]) status = ctx->backend->copy(ctx, fresh[b].data, blocks[b]->data, used[b]);
    }
    /* 2. Replace the old blocks, or free the new ones. */
    if (status == BOSC_OK) status = ctx->backend->sync(ctx);
    for (int b = 0; b < count; b++) {
        if (!fresh[b].data) continue;
        bi_block_free(m, status == BOSC_OK ? blocks[b] : &fresh[b]);
        if (status == BOSC_OK) *blocks[b] = fresh[b];
    }
    return status;
}
