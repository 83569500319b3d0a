#include "core/await.h"

void bi_await_queued(bosc_ctx *ctx)
{
    const bool records = ctx->backend->records && ctx->backend->records(ctx);
    if (!records) (void)ctx->backend->sync(ctx);
}
