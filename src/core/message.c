/* What a context says: the message of a failure, log lines, progress. */
#include <stdarg.h>
#include <stdio.h>

#include "base/threads.h"
#include "core/context.h"

bosc_status bi_fail(bosc_ctx *ctx, bosc_status status, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(ctx->message, sizeof ctx->message, format, args);
    va_end(args);
    return status;
}

void bi_begin(bosc_ctx *ctx)
{
    ctx->message[0] = 0;
    ctx->threads = bi_threads_of_call(ctx->most_threads);
    if (ctx->backend->enter) ctx->backend->enter(ctx);
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

bosc_status bi_progress(bosc_ctx *ctx, const char *stage, double part)
{
    if (ctx->progress && ctx->progress(ctx->progress_user, stage, part) != 0)
        return bi_fail(ctx, BOSC_ERR_CANCELLED, "%s: cancelled by the caller", stage);
    return BOSC_OK;
}

const char *bosc_message(const bosc_ctx *ctx) { return ctx ? ctx->message : ""; }
