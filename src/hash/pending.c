/* Pending builds: a launched build completes in the next call that uses its table. The checks of handle.c wait for it;
 * build.c launches. */
#include <sched.h>
#include <string.h>

#include "hash/handle.h"

void bi_hash_set_pending(bosc_hash *table, int32_t state)
{
    __atomic_store_n(&table->pending.state, state, __ATOMIC_RELEASE);
}

static bosc_status report_failed_build(bosc_ctx *ctx, bosc_status status)
{
    char text[sizeof ctx->message];
    memcpy(text, ctx->message, sizeof text);
    return bi_fail(ctx, status, "table: its build failed: %s", text);
}

/* Returns true if this thread has to complete the build; false once another thread has completed it. */
static bool claim_pending(struct bi_hash_pending *p)
{
    for (;;) {
        int32_t state = __atomic_load_n(&p->state, __ATOMIC_ACQUIRE);
        if (state == BI_HASH_IDLE) return false;
        if (state == BI_HASH_LAUNCHED && __atomic_compare_exchange_n(&p->state, &state, BI_HASH_FINISHING, false,
                                                                     __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
            return true;
        (void)sched_yield();
    }
}

bosc_status bi_hash_wait_pending(bosc_ctx *ctx, const bosc_hash *table)
{
    bosc_hash *t = (bosc_hash *)(uintptr_t)table; /* logically const: callers see the table as it is after the build */
    if (__atomic_load_n(&t->pending.state, __ATOMIC_ACQUIRE) == BI_HASH_IDLE) return BOSC_OK;
    if (ctx->backend->records && ctx->backend->records(ctx))
        return bi_fail(ctx, BOSC_ERR_ARG, "table: its build is not waited for yet, and the stream records a graph");
    if (!claim_pending(&t->pending)) return BOSC_OK;
    const bosc_status status = t->pending.finish(ctx, t);
    if (status != BOSC_OK) bi_hash_set_empty(t);
    bi_hash_set_pending(t, BI_HASH_IDLE); /* a release: threads that read IDLE see the completed table */
    return status == BOSC_OK ? BOSC_OK : report_failed_build(ctx, status);
}
