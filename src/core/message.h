/* Failures: their messages, and the wait for queued work before them. Log lines. */
#ifndef BI_CORE_MESSAGE_H
#define BI_CORE_MESSAGE_H

#include "core/context.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Sets the message and returns the status: return bi_fail(ctx, BOSC_ERR_ARG, "k: %lld is less than 1", k). */
bosc_status bi_fail(bosc_ctx *ctx, bosc_status status, const char *format, ...) __attribute__((format(printf, 3, 4)));

void bi_log(bosc_ctx *ctx, bosc_log_level level, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Waits for the work that a failing call has queued, unless its stream records a graph. Kernels may otherwise write to
 * host words (bi_notify_host, bi_read_back) that the next call reads. A failure to wait is ignored. */
void bi_await_queued(bosc_ctx *ctx);

/* Evaluates f and returns its status from the calling function if it is a failure. */
#define BI_TRY(f)                               \
    do {                                        \
        bosc_status bi_try_ = (f);              \
        if (bi_try_ != BOSC_OK) return bi_try_; \
    } while (0)

#ifdef __cplusplus
}
#endif
#endif
