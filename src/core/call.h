/* The frame of a public call: what each begins with, and scratch that is given back when it ends. */
#ifndef BI_CORE_CALL_H
#define BI_CORE_CALL_H

#include "core/context.h"

/* The first statement of every public function that takes a context. */
#define BI_ENTER(ctx)                    \
    do {                                 \
        if (!(ctx)) return BOSC_ERR_ARG; \
        bi_begin(ctx);                   \
    } while (0)

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
