/* The frame of a public call: what each begins with, and scratch that is given back when it ends. */
#ifndef BI_CORE_CALL_H
#define BI_CORE_CALL_H

#include "base/caller.h"
#include "core/context.h"

/* A public call that runs. */
struct bi_call {
    bosc_ctx *ctx;
};

/* Begins a public call: clears the message, enters the backend. `function` is its name, for the progress function. */
struct bi_call bi_begin(bosc_ctx *ctx, const char *function);
void bi_end(const struct bi_call *call);

/* The first statement of every public function that takes a context: what it returns to has the errno and the
 * floating-point environment it had. bi_end runs wherever the function returns. */
#define BI_ENTER(ctx)                    \
    if (!(ctx)) return BOSC_ERR_ARG;     \
    BI_KEEP_CALLER((ctx)->most_threads); \
    const struct bi_call bi_call_ __attribute__((cleanup(bi_end), unused)) = bi_begin((ctx), __func__)

/* Runs a statement and gives back the scratch it took. */
#define BI_WITH_SCRATCH(ctx, ...)                           \
    do {                                                    \
        const struct bi_mark bi_mark_ = bi_arena_mark(ctx); \
        __VA_ARGS__;                                        \
        bi_arena_rewind((ctx), bi_mark_);                   \
    } while (0)

/* The same for a call: returns its status from the calling function; or, BI_TRY_..., only if the call failed. */
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

/* Runs a call that changes a structure in place: who cancels within it stops what comes after it. Returns its status
 * from the calling function if it failed. */
#define BI_TRY_UNINTERRUPTIBLE(ctx, ...)              \
    do {                                              \
        (ctx)->progress.whole++;                      \
        bosc_status bi_status_ = (__VA_ARGS__);       \
        (ctx)->progress.whole--;                      \
        if (bi_status_ != BOSC_OK) return bi_status_; \
    } while (0)

/* Runs a call whose items take as long as `weight` simple ones, for progress. Likewise. */
#define BI_TRY_WITH_COST(ctx, weight_, ...)           \
    do {                                              \
        (ctx)->progress.weight *= (weight_);          \
        bosc_status bi_status_ = (__VA_ARGS__);       \
        (ctx)->progress.weight /= (weight_);          \
        if (bi_status_ != BOSC_OK) return bi_status_; \
    } while (0)

#endif
