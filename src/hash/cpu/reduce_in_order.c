/* Reduces pairs to one a key through one hash table, on one thread, for ORDERED tables. Their bytes do not depend on
 * the order of the pairs, so the list may have any order. */
#include "hash/cpu/reduce_in_order.h"

#include "base/bits.h"
#include "base/fault.h"
#include "core/call.h"
#include "hash/cpu/bucketed.h"

enum {
    /* Rows whose number of keys may be unknown: the table has room for as many keys. Measured up to 2^19, where it
     * takes three quarters of the time by partitions. */
    MOST_UNKNOWN = 1 << 19,
    PREFETCHED_BYTES = 1 << 17, /* of a table, from which on its slots are prefetched; not measured */
    ROW_ITEMS = 2               /* cost of a row, in simple items; estimated */
};

/* Allocates the table and the list, for `keys` keys. */
static bosc_status allocate(bosc_ctx *ctx, struct bi_hash_rows_in_order *j, int64_t keys)
{
    j->room = keys + BI_HASH_ROW_BLOCK;
    const int bits = bi_bit_length((uint64_t)(2 * j->room - 1));
    j->slot_bits = bits < 32 ? bits : 32; /* a home has 32 bits, and rows are fewer than 2^32 */
    const int64_t slots = ((int64_t)1 << j->slot_bits) + BI_HASH_ROW_PROBES + 1;
    const size_t bytes = (size_t)slots * (size_t)(j->key_bits / 4);
    BI_TRY(bi_scratch(ctx, bytes, (void **)&j->slots));
    BI_TRY(bi_scratch_of(ctx, j->room, (size_t)j->key_bits / 8, &j->list_keys));
    BI_TRY(bi_scratch_of(ctx, j->room, (size_t)j->payload_bytes, &j->list_payload));
    j->prefetches = bytes > PREFETCHED_BYTES;
    return ctx->backend->fill(ctx, j->slots, 0, bytes);
}

bosc_status bi_hash_reduce_in_order_cpu(bosc_ctx *ctx, const bosc_hash *table, const void *keys, const void *values,
                                        int64_t n, struct bi_hash_reduction *r, bool *fits)
{
    const struct bi_hash_shape *s = &table->shape;
    const bool rows = s->value_bytes > 0 && s->value_bytes != 4 && s->value_bytes != 8;
    const int64_t some = r->expected + r->expected / 4, most = r->expected > 0 && some < n ? some : n;
    struct bi_hash_rows_in_order j = {.keys = keys,
                                      .values = rows ? NULL : values,
                                      .key_bits = s->key_bits,
                                      .payload_bytes = rows ? 4 : s->value_bytes,
                                      .last = table->opts.duplicates == BOSC_HASH_LAST && table->opts.value_size > 0,
                                      .seed = s->seed};
    int64_t count = 0;
    *fits = false;
    /* 1. Decline keys that may be too many. */
    if (r->expected > r->max_ordered || (r->expected <= 0 && n > MOST_UNKNOWN)) return BOSC_OK;
    BI_TRY(allocate(ctx, &j, most));
    /* 2. Add the rows. */
    struct bi_batches batches = bi_batches_of(ctx, n, ROW_ITEMS);
    while (bi_next_batch(ctx, &batches))
        if (count >= 0)
            count = BI_LEVEL_PICK(ctx->level, bi_hash_add_rows)(&j, j.last ? n - batches.end : batches.begin,
                                                                j.last ? n - batches.begin : batches.end, count);
    BI_TRY(batches.status);
    if (count < 0 || count > r->max_ordered) return BOSC_OK;
    /* 3. Return the list. */
    r->keys = count;
    r->listed = true;
    r->rows = rows;
    r->list_keys = j.list_keys;
    r->list_payload = j.payload_bytes ? j.list_payload : NULL;
    *fits = true;
    return BOSC_OK;
}
