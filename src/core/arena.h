/* Memory: allocators, blocks that only grow, and the arena of scratch memory. */
#ifndef BI_CORE_ARENA_H
#define BI_CORE_ARENA_H

#include "core/context.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Returns NULL when there is none, or for 0 bytes. */
void *bi_memory_alloc(const struct bi_memory *m, size_t bytes);
/* Allocates host memory of the context. Returns NULL when there is none, and sets the message: the caller returns
 * BOSC_ERR_NOMEM then. */
void *bi_host_alloc(bosc_ctx *ctx, size_t bytes);
void bi_memory_release(const struct bi_memory *m, void *p, size_t bytes);

/* Makes the block at least `bytes` long. Its contents are lost if it grows; it stays as it was on failure. */
bosc_status bi_block_reserve(bosc_ctx *ctx, const struct bi_memory *m, struct bi_block *block, size_t bytes);
void bi_block_free(const struct bi_memory *m, struct bi_block *block);

/* Scratch of the backend's memory, aligned to 256 bytes, valid until bi_arena_rewind. *p is set on success. 0 bytes
 * give NULL and success. */
bosc_status bi_scratch(bosc_ctx *ctx, size_t bytes, void **p);
/* The same for `count` elements of `size` bytes; `p` is the address of a pointer of any type. */
bosc_status bi_scratch_of(bosc_ctx *ctx, int64_t count, size_t size, void *p);
/* Scratch of the host's memory. There is one block of it, so a call requests it once. */
bosc_status bi_host_scratch(bosc_ctx *ctx, size_t bytes, void **p);

/* A position in the arena, to which bi_arena_rewind returns. */
struct bi_mark {
    struct bi_chunk *chunk;
    size_t used;
};
struct bi_mark bi_arena_mark(const bosc_ctx *ctx);
void bi_arena_rewind(bosc_ctx *ctx, struct bi_mark mark);

/* Frees all scratch memory that is kept between calls. */
void bi_scratch_free(bosc_ctx *ctx);

#ifdef __cplusplus
}
#endif
#endif
