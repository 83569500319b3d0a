/* The frame of a public call: its first statement, and scratch that is released when a call within it ends. Drivers
 * include this one header for all that calls need: the context, scratch, staging, messages and progress. */
#ifndef BI_CORE_CALL_H
#define BI_CORE_CALL_H

#include "base/caller.h"
#include "core/arena.h"
#include "core/context.h"
#include "core/message.h"
#include "core/progress.h"
#include "core/stage.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A public call that runs. */
struct bi_call {
    bosc_ctx *ctx;
};

/* Begins a public call: clears the message, enters the backend. `function` is its name, for the progress function. */
struct bi_call bi_call_begin(bosc_ctx *ctx, const char *function);
void bi_call_end(const struct bi_call *call);

#ifdef __cplusplus
}
#endif

/* The first statement of every public function that takes a context. The caller's errno and floating-point environment
 * are restored, and bi_call_end runs, wherever the function returns. */
#define BI_ENTER(ctx)                   \
    if (!(ctx)) return BOSC_ERR_ARG;    \
    BI_SAVE_CALLER((ctx)->max_threads); \
    const struct bi_call bi_call_ __attribute__((cleanup(bi_call_end), unused)) = bi_call_begin((ctx), __func__)

/* Runs a statement and releases the scratch that it allocated. */
#define BI_WITH_SCRATCH(ctx, ...)                           \
    do {                                                    \
        const struct bi_mark bi_mark_ = bi_arena_mark(ctx); \
        __VA_ARGS__;                                        \
        bi_arena_rewind((ctx), bi_mark_);                   \
    } while (0)

/* The same for a call: returns its status from the calling function; BI_TRY_WITH_SCRATCH only if the call failed. */
#define BI_RETURN_WITH_SCRATCH(ctx, ...)                    \
    do {                                                    \
        bosc_status bi_status_;                             \
        BI_WITH_SCRATCH((ctx), bi_status_ = (__VA_ARGS__)); \
        return bi_status_;                                  \
    } while (0)
#define BI_TRY_WITH_SCRATCH(ctx, ...)                       \
    do {                                                    \
        bosc_status bi_status_;                             \
        BI_WITH_SCRATCH((ctx), bi_status_ = (__VA_ARGS__)); \
        if (bi_status_ != BOSC_OK) return bi_status_;       \
    } while (0)

/* Runs a call that changes a structure in place: cancellation during it takes effect after it. Returns its status from
 * the calling function if it failed. */
#define BI_TRY_UNINTERRUPTIBLE(ctx, ...)              \
    do {                                              \
        (ctx)->progress.whole++;                      \
        bosc_status bi_status_ = (__VA_ARGS__);       \
        (ctx)->progress.whole--;                      \
        if (bi_status_ != BOSC_OK) return bi_status_; \
    } while (0)

/* Runs a call whose items cost as much as `weight_` simple ones, for progress. Returns likewise. */
#define BI_TRY_WITH_COST(ctx, weight_, ...)           \
    do {                                              \
        (ctx)->progress.weight *= (weight_);          \
        bosc_status bi_status_ = (__VA_ARGS__);       \
        (ctx)->progress.weight /= (weight_);          \
        if (bi_status_ != BOSC_OK) return bi_status_; \
    } while (0)

#endif
