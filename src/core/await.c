/* Waiting for what a call that fails has left in its stream. */
#include "core/context.h"

void bi_await_queued(bosc_ctx *ctx)
{
    const bool records = ctx->backend->records && ctx->backend->records(ctx);
    if (!records) (void)ctx->backend->sync(ctx);
}
