/* Memory: the allocator behind a context, blocks that only grow, and the arena of scratch memory. */
#include "core/arena.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/fault.h"
#include "core/message.h"

enum { ALIGNMENT = 256 /* of cudaMalloc */, SMALLEST_CHUNK = 1 << 16 /* less: more allocations by small calls */ };

struct bi_chunk {
    struct bi_chunk *next;
    char *data;
    size_t bytes, used;
};

void *bi_memory_alloc(const struct bi_memory *m, size_t bytes)
{
    if (bytes == 0 || bytes > (size_t)PTRDIFF_MAX || bi_fault(BI_FAULT_ALLOC)) return NULL;
    if (m->hooks.alloc) return m->hooks.alloc(m->hooks.user, bytes);
    return m->backend->alloc(m->device, bytes);
}

void *bi_host_alloc(bosc_ctx *ctx, size_t bytes)
{
    void *memory = bi_memory_alloc(&ctx->host, bytes);
    if (memory) return memory;
    bi_await_queued(ctx);
    bi_fail(ctx, BOSC_ERR_NOMEM, "out of host memory: %zu bytes were refused", bytes);
    return NULL;
}

bosc_status bi_host_new(bosc_ctx *ctx, const void *contents, size_t bytes, void *p)
{
    void *fresh = bi_host_alloc(ctx, bytes);
    if (!fresh) return BOSC_ERR_NOMEM;
    memcpy(fresh, contents, bytes);
    memcpy(p, &fresh, sizeof fresh);
    return BOSC_OK;
}

void bi_memory_release(const struct bi_memory *m, void *p, size_t bytes)
{
    if (!p) return;
    const int number = errno; /* callers free after a failure, and may then read errno */
    if (m->hooks.alloc)
        m->hooks.release(m->hooks.user, p, bytes);
    else
        m->backend->release(m->device, p, bytes);
    errno = number;
}

static bosc_status fail_out_of_memory(bosc_ctx *ctx, size_t bytes)
{
    bi_await_queued(ctx);
    return bi_fail(ctx, BOSC_ERR_NOMEM, "out of %s memory: %zu bytes were refused", ctx->backend->name, bytes);
}

bosc_status bi_block_reserve(bosc_ctx *ctx, const struct bi_memory *m, struct bi_block *block, size_t bytes)
{
    if (bytes <= block->bytes) return BOSC_OK;
    void *fresh = bi_memory_alloc(m, bytes);
    if (!fresh) return fail_out_of_memory(ctx, bytes);
    bi_memory_release(m, block->data, block->bytes);
    block->data = fresh;
    block->bytes = bytes;
    return BOSC_OK;
}

void bi_block_free(const struct bi_memory *m, struct bi_block *block)
{
    bi_memory_release(m, block->data, block->bytes);
    *block = (struct bi_block){0};
}

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

/* Chunk records come from the host allocator; only their data is the backend's. */
static struct bi_chunk *allocate_chunk(bosc_ctx *ctx, size_t bytes)
{
    struct bi_chunk *chunk = bi_memory_alloc(&ctx->host, sizeof *chunk);
    if (!chunk) return NULL;
    *chunk = (struct bi_chunk){.bytes = bytes > SMALLEST_CHUNK ? bytes : SMALLEST_CHUNK};
    chunk->data = bi_memory_alloc(&ctx->memory, chunk->bytes);
    if (!chunk->data) {
        bi_memory_release(&ctx->host, chunk, sizeof *chunk);
        return NULL;
    }
    ctx->arena.held += chunk->bytes;
    return chunk;
}

bosc_status bi_scratch(bosc_ctx *ctx, size_t bytes, void **p)
{
    struct bi_arena *arena = &ctx->arena;
    *p = NULL;
    if (bytes == 0) return BOSC_OK;
    if (bytes > (size_t)PTRDIFF_MAX - ALIGNMENT || bi_fault(BI_FAULT_ALLOC)) return fail_out_of_memory(ctx, bytes);
    bytes = bi_round_up(bytes, ALIGNMENT);
    /* Find the next chunk with room, or append one. */
    struct bi_chunk *chunk = arena->current ? arena->current : arena->first, *last = NULL;
    while (chunk && chunk->bytes - chunk->used < bytes) {
        last = chunk;
        chunk = chunk->next;
    }
    if (!chunk) {
        chunk = allocate_chunk(ctx, bytes);
        if (!chunk) return fail_out_of_memory(ctx, bytes);
        if (last)
            last->next = chunk;
        else
            arena->first = chunk;
    }
    *p = chunk->data + chunk->used;
    chunk->used += bytes;
    arena->current = chunk;
    return BOSC_OK;
}

bosc_status bi_scratch_of(bosc_ctx *ctx, int64_t count, size_t size, void *p)
{
    void *memory;
    if (count > 0 && size > 0 && (size_t)count > (size_t)PTRDIFF_MAX / size)
        return bi_fail(ctx, BOSC_ERR_NOMEM, "out of %s memory: %lld elements of %zu bytes", ctx->backend->name,
                       (long long)count, size);
    BI_TRY(bi_scratch(ctx, (size_t)count * size, &memory));
    memcpy(p, &memory, sizeof memory);
    return BOSC_OK;
}

bosc_status bi_host_scratch(bosc_ctx *ctx, size_t bytes, void **p)
{
    struct bi_block *block = &ctx->host_scratch;
    if (bytes > block->bytes) {
        void *fresh = bi_host_alloc(ctx, bytes);
        if (!fresh) return BOSC_ERR_NOMEM;
        bi_block_free(&ctx->host, block);
        *block = (struct bi_block){fresh, bytes};
    }
    *p = block->data;
    return BOSC_OK;
}

struct bi_mark bi_arena_mark(const bosc_ctx *ctx)
{
    struct bi_chunk *chunk = ctx->arena.current;
    return (struct bi_mark){.chunk = chunk, .used = chunk ? chunk->used : 0};
}

void bi_arena_rewind(bosc_ctx *ctx, struct bi_mark mark)
{
    struct bi_chunk *chunk = mark.chunk ? mark.chunk->next : ctx->arena.first;
    for (; chunk; chunk = chunk->next) chunk->used = 0;
    if (mark.chunk) mark.chunk->used = mark.used;
    ctx->arena.current = mark.chunk;
}

void bi_scratch_free(bosc_ctx *ctx)
{
    if (ctx->kept.handle) ctx->kept.release(ctx->kept.handle);
    ctx->kept = (struct bi_cached_structure){0};
    bi_block_free(&ctx->host, &ctx->host_scratch);
    for (struct bi_chunk *chunk = ctx->arena.first, *next; chunk; chunk = next) {
        next = chunk->next;
        bi_memory_release(&ctx->memory, chunk->data, chunk->bytes);
        bi_memory_release(&ctx->host, chunk, sizeof *chunk);
    }
    ctx->arena = (struct bi_arena){0};
}
