/* Waits for queued work before a call fails. */
#ifndef BI_CORE_AWAIT_H
#define BI_CORE_AWAIT_H

#include "core/context.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Waits for the work that a failing call has queued, unless its stream records a graph. Kernels may otherwise write to
 * host words (bi_notify_host, bi_read_back) that the next call reads. A failure to wait is ignored. */
void bi_await_queued(bosc_ctx *ctx);

#ifdef __cplusplus
}
#endif
#endif
