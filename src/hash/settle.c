/* Settles builds that were not waited for: one call does, the others wait for it. */
#include <sched.h>
#include <string.h>

#include "hash/handle.h"

void bi_hash_set_pending(bosc_hash *table, int32_t state)
{
    __atomic_store_n(&table->pending.state, state, __ATOMIC_RELEASE);
}

static bosc_status name_build(bosc_ctx *ctx, bosc_status status)
{
    char text[sizeof ctx->message];
    memcpy(text, ctx->message, sizeof text);
    return bi_fail(ctx, status, "table: its build failed: %s", text);
}

/* Whether this thread is to settle the build; else it is settled, when this returns. */
static bool take_pending(struct bi_hash_pending *p)
{
    for (;;) {
        int32_t state = __atomic_load_n(&p->state, __ATOMIC_ACQUIRE);
        if (state == BI_HASH_SETTLED) return false;
        if (state == BI_HASH_LAUNCHED &&
            __atomic_compare_exchange_n(&p->state, &state, BI_HASH_SETTLING, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
            return true;
        (void)sched_yield();
    }
}

bosc_status bi_hash_settle(bosc_ctx *ctx, const bosc_hash *table)
{
    bosc_hash *t = (bosc_hash *)(uintptr_t)table; /* the caller of a build sees the same table before and after */
    if (__atomic_load_n(&t->pending.state, __ATOMIC_ACQUIRE) == BI_HASH_SETTLED) return BOSC_OK;
    if (ctx->backend->records && ctx->backend->records(ctx))
        return bi_fail(ctx, BOSC_ERR_ARG, "table: its build is not waited for yet, and the stream records a graph");
    if (!take_pending(&t->pending)) return BOSC_OK;
    const bosc_status status = t->pending.finish(ctx, t);
    if (status != BOSC_OK) bi_hash_set_empty(t);
    bi_hash_set_pending(t, BI_HASH_SETTLED);
    return status == BOSC_OK ? BOSC_OK : name_build(ctx, status);
}
