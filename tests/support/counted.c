#include "support/counted.h"

#include <stdlib.h>

#include "core/call.h"

static void count(struct counted *c, int64_t made)
{
    if (made > 0) __atomic_add_fetch(&c->allocations, made, __ATOMIC_RELAXED);
    __atomic_add_fetch(&c->live, made, __ATOMIC_RELAXED);
}

static void *alloc_host(void *user, size_t bytes)
{
    count(user, 1);
    return aligned_alloc(64, (bytes + 63) / 64 * 64);
}

static void release_host(void *user, void *memory, size_t bytes)
{
    (void)bytes;
    count(user, -1);
    free(memory);
}

static void *alloc_device(void *user, size_t bytes)
{
    struct counted *c = user;
    void *memory = NULL;
    count(c, 1);
    CHECK_OK(c->like, bosc_ctx_alloc(c->like, bytes, &memory));
    return memory;
}

static void release_device(void *user, void *memory, size_t bytes)
{
    struct counted *c = user;
    count(c, -1);
    bosc_ctx_release(c->like, memory, bytes);
}

void counted_open(struct counted *c, bosc_ctx *like, int32_t threads)
{
    bosc_ctx_opts o = suite_opts_like(like);
    *c = (struct counted){.like = like};
    if (threads) o.threads = threads;
    o.host = (bosc_allocator){alloc_host, release_host, c};
    if (o.backend == BOSC_BACKEND_CUDA) o.device_memory = (bosc_allocator){alloc_device, release_device, c};
    c->ctx = suite_open(&o);
}

void counted_close(struct counted *c)
{
    bosc_ctx_free(c->ctx);
    CHECK_EQ(c->live, 0);
}

int64_t counted_scratch(const bosc_ctx *ctx)
{
    bosc_ctx_info info = {.size = sizeof info};
    CHECK_EQ(bosc_ctx_get_info(ctx, &info), BOSC_OK);
    return info.scratch_bytes;
}

int64_t counted_take_scratch(bosc_ctx *ctx, int64_t bytes)
{
    void *memory;
    bosc_ctx_trim(ctx);
    const struct bi_mark mark = bi_arena_mark(ctx);
    CHECK_OK(ctx, bi_scratch(ctx, (size_t)bytes, &memory));
    bi_arena_rewind(ctx, mark);
    return counted_scratch(ctx);
}
