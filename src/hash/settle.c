/* Settles builds that were not waited for: what they found, and what they left to do. */
#include <sched.h>
#include <string.h>

#include "hash/drivers.h"

void bi_hash_set_pending(bosc_hash *table, int32_t state)
{
    __atomic_store_n(&table->pending.state, state, __ATOMIC_RELEASE);
}

/* Keys that repeat, or a partition that the launched build does not take: the table is made again, and waited for. */
static bosc_status settle(bosc_ctx *ctx, bosc_hash *table)
{
    const struct bi_hash_pending *p = &table->pending;
    struct bi_hash_report found;
    bool built = false, retry = true;
    BI_TRY(table->ops->await_build(ctx, &p->outcome, &found, &built));
    if (built) bi_hash_take_report(table, &found, p->n, &retry);
    if (retry) {
        bi_hash_set_empty(table);
        bi_expect(ctx, 25 * (double)p->n);
        BI_RETURN_WITH_SCRATCH(ctx, bi_hash_build(ctx, table, p->keys, p->values, p->n, true));
    }
    table->pairs = table->keys;
    return BOSC_OK;
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
    const bosc_status status = settle(ctx, t);
    if (status != BOSC_OK) bi_hash_set_empty(t);
    bi_hash_set_pending(t, BI_HASH_SETTLED);
    return status == BOSC_OK ? BOSC_OK : name_build(ctx, status);
}

bosc_status bosc_hash_wait(bosc_ctx *ctx, const bosc_hash *table)
{
    BI_ENTER(ctx);
    return bi_hash_check_table(ctx, table);
}
