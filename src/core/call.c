/* Begins and ends public calls. */
#include "core/call.h"

#include <string.h>

#include "base/threads.h"

/* Items of a call that sets no total: some 20 ms. It affects the fraction only, which never reaches 1 before the
 * end. */
enum { UNKNOWN_TOTAL = 1 << 24 };

struct bi_call bi_call_begin(bosc_ctx *ctx, const char *function)
{
    struct bi_progress *p = &ctx->progress;
    ctx->message[0] = 0;
    ctx->threads = bi_threads_of_call(ctx->max_threads);
    if (ctx->backend->enter) ctx->backend->enter(ctx);
    if (p->depth++ == 0 && p->function) {
        p->stage = function + strlen("bosc_"); /* names of stages have no prefix */
        p->active = !ctx->backend->records || !ctx->backend->records(ctx);
        p->stop = false;
        p->weight = 1;
        p->done = p->since = p->unseen = 0;
        p->expected = UNKNOWN_TOTAL;
        p->grain = (double)ctx->backend->first_batch;
        p->fraction = -1;
        p->time = 0;
    }
    return (struct bi_call){ctx};
}

/* A call that reported progress and did not fail reports 1 at its end; the answer is ignored. */
void bi_call_end(const struct bi_call *call)
{
    bosc_ctx *ctx = call->ctx;
    struct bi_progress *p = &ctx->progress;
    if (--p->depth > 0 || !p->active) return;
    p->active = false;
    if (p->fraction >= 0 && !p->stop && ctx->message[0] == 0) (void)p->function(p->user, p->stage, 1);
}
