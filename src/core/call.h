/* The frame of a public call: what each begins with, and scratch that is given back when it ends. */
#ifndef BI_CORE_CALL_H
#define BI_CORE_CALL_H

#include "base/caller.h"
#include "core/context.h"

/* The first statement of every public function that takes a context: what it returns to has the errno and the
 * floating-point environment it had. */
#define BI_ENTER(ctx)                    \
    if (!(ctx)) return BOSC_ERR_ARG;     \
    BI_KEEP_CALLER((ctx)->most_threads); \
    bi_begin(ctx)

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

#endif
