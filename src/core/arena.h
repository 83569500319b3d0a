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
/* Frees memory of bi_memory_alloc (or NULL) of the same size; errno stays. `m` may lie in it, as in a structure that
 * frees itself: `m` is read before the memory is freed, and not after. */
void bi_memory_release(const struct bi_memory *m, void *p, size_t bytes);

/* Allocates host memory of the context with a copy of *contents. `p` is the address of a pointer of any type, which is
 * set on success alone. */
bosc_status bi_host_new(bosc_ctx *ctx, const void *contents, size_t bytes, void *p);

/* Allocates a struct in host memory, of the type that *out points to, and returns the status. The other arguments are
 * its initialiser: `.member = value, ...`; other members are 0. *out is set on success alone. BI_NEW_HANDLE is for
 * structures behind handles: it also copies the context's `memory` and `host` to their members of these names. */
#define BI_NEW(ctx, out, ...) \
    bi_host_new((ctx), &(__typeof__(**(out))){__VA_ARGS__}, sizeof(__typeof__(**(out))), (out))
#define BI_NEW_HANDLE(ctx, out, ...) BI_NEW(ctx, out, .memory = (ctx)->memory, .host = (ctx)->host, __VA_ARGS__)

/* Makes the block at least `bytes` long. Its contents are lost if it grows; it stays as it was on failure. */
bosc_status bi_block_reserve(bosc_ctx *ctx, const struct bi_memory *m, struct bi_block *block, size_t bytes);
void bi_block_free(const struct bi_memory *m, struct bi_block *block);

enum { BI_MAX_BLOCKS = 16 };

/* Makes each of up to BI_MAX_BLOCKS blocks at least bytes[b] long and keeps its first used[b] bytes. All blocks stay
 * unchanged if an allocation fails. Waits. */
bosc_status bi_blocks_grow(bosc_ctx *ctx, const struct bi_memory *m, struct bi_block *const blocks[], int count,
                           const size_t bytes[], const size_t used[]);

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
