#include "core/message.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bosc_status bi_fail(bosc_ctx *ctx, bosc_status status, const char *format, ...)
{
    char message[sizeof ctx->message]; /* arguments may point to the context's */
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    memcpy(ctx->message, message, sizeof message);
    return status;
}

void bi_await_queued(bosc_ctx *ctx)
{
    const bool records = ctx->backend->records && ctx->backend->records(ctx);
    if (!records) (void)ctx->backend->sync(ctx);
}

void bi_log(bosc_ctx *ctx, bosc_log_level level, const char *format, ...)
{
    if (!ctx->log) return;
    char line[512];
    va_list args;
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    ctx->log(ctx->log_user, level, line);
}

const char *bosc_ctx_message(const bosc_ctx *ctx) { return ctx ? ctx->message : ""; }
