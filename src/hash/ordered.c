/* ORDERED: writes pairs sorted by hash to their slots, which are a running maximum (steps/ordered.h). Backends build
 * tables that fit in a cache in one operation, without a sort. */
#include "hash/handle.h"
#include "hash/slots.h"

/* Computes the slots of the pairs. If the last pair would leave the table, the table gets as many slots as pairs. */
static bosc_status assign_slots(bosc_ctx *ctx, struct bi_hash_ordered *o)
{
    const int64_t n = o->fill.lists.n;
    int64_t last = -1;
    BI_TRY(bi_scratch_of(ctx, n, sizeof *o->extra, &o->extra));
    if (o->fill.view.homes) {
        BI_TRY(bi_scratch_of(ctx, n, sizeof *o->reach, &o->reach));
        BI_TRY(BI_HASH_STEP(ctx, ordered_reach, n, o));
        BI_TRY(ctx->backend->core->scan(ctx, BOSC_MAX, BOSC_INCLUSIVE, BOSC_I64, o->reach, n, o->reach));
        BI_TRY(bi_read_back(ctx, &last, o->reach + n - 1, sizeof last));
    }
    if (last + n - 1 < (int64_t)o->slots - 2) return BOSC_OK;
    o->fill.view.homes = 0;
    o->slots = (uint64_t)n;
    return BOSC_OK;
}

/* Writes the slots, and zeros in the rest of the block. */
static bosc_status write_slots(bosc_ctx *ctx, const struct bi_hash_ordered *o)
{
    const struct bi_hash_slots_fill *f = &o->fill;
    const uint64_t most = bi_hash_max_slots(f->view.layout, f->load_factor, f->lists.n, 1),
                   stride = (uint64_t)f->view.stride;
    if (f->view.homes) BI_TRY(BI_HASH_STEP(ctx, ordered_clear, (int64_t)o->slots, o));
    if (most > o->slots) BI_TRY(ctx->backend->fill(ctx, f->slots + o->slots * stride, 0, (most - o->slots) * stride));
    BI_TRY(BI_HASH_STEP(ctx, ordered_write, f->lists.n, o));
    if (f->directory && f->view.homes && f->view.homes <= BOSC_HASH_INDEXED)
        BI_TRY(ctx->ops->hash->index_slots(ctx, &f->view, o->slots, f->directory));
    return ctx->backend->core->reduce(ctx, BOSC_SUM, BOSC_U64, o->extra, f->lists.n, &f->report->extra_probes);
}

bosc_status bi_hash_ordered_fill(bosc_ctx *ctx, const struct bi_hash_slots_fill *f)
{
    static const uint32_t yes = 1;
    const int64_t n = f->lists.n;
    struct bi_hash_ordered o = {.fill = *f, .slots = bi_hash_max_slots(f->view.layout, f->load_factor, n, 1)};
    o.fill.view.homes = bi_hash_homes(f->load_factor, n);
    if (!f->distinct) return ctx->backend->copy(ctx, &f->report->repeats, &yes, sizeof yes); /* the driver then sorts */
    if (n) BI_TRY(assign_slots(ctx, &o));
    BI_TRY(BI_HASH_STEP(ctx, ordered_describe, 1, &o));
    return n ? write_slots(ctx, &o) : BOSC_OK;
}

size_t bi_hash_ordered_fill_bytes(int64_t n) { return (size_t)n * 2 * sizeof(uint64_t) + 1024; }

bosc_status bi_hash_ordered_job(bosc_ctx *ctx, const bosc_hash *table, const void *keys, const void *values, int64_t n,
                                struct bi_hash_report *found, enum bi_hash_outcome *outcome)
{
    *outcome = BI_HASH_UNFINISHED;
    if (table->ops->build) BI_TRY(table->ops->build(ctx, table, keys, values, n, found, outcome));
    if (*outcome == BI_HASH_BUILT) return BOSC_OK;
    *found = (struct bi_hash_report){.repeats = 1}; /* as keys may; the sort shows if they do */
    *outcome = BI_HASH_BUILT;
    return BOSC_OK;
}
