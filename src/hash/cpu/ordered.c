/* The layout ORDERED on the CPU: one thread builds tables at once; larger ones are sorted (hash/ordered.c). */
#include "hash/cpu/ordered.h"

#include <string.h>

#include "base/fault.h"
#include "core/call.h"
#include "core/cpu/collectives.h"
#include "hash/cpu/bucketed.h"

enum {
    MOST_PAIRS = 1 << 21, /* of a table that is built at once */
    MANY_PAIRS = 1 << 16, /* that many threads sort sooner */
    MANY_THREADS = 6,
    MOST_KEPT = 1 << 15, /* of one whose hashes are not made twice */
    PAIR_ITEMS = 8       /* a pair takes as long as this many simple items */
};

static bosc_status build(bosc_ctx *ctx, const bosc_hash *table, struct bi_hash_ordered_build *b,
                         struct bi_hash_report *found)
{
    uint64_t *descriptors = table->blocks[BI_HASH_DESCRIPTORS].data;
    BI_TRY(bi_scratch_of(ctx, (int64_t)b->slot_count, sizeof *b->taken, &b->taken));
    BI_TRY(bi_scratch_of(ctx, (int64_t)b->slot_count, sizeof *b->further, &b->further));
    BI_TRY(bi_scratch_of(ctx, b->n + BI_HASH_ORDERED_BEYOND, sizeof *b->late, &b->late));
    b->keeps = b->n <= MOST_KEPT;
    BI_TRY(bi_scratch_of(ctx, b->keeps ? bi_div_up(b->n, BI_HASH_ORDERED_CHUNK) : 1, sizeof *b->chunks, &b->chunks));
    memset(b->taken, 0, b->slot_count);
    memset(b->further, 0, b->slot_count);
    BI_LEVEL_PICK(ctx->level, bi_hash_build_ordered)(b);
    descriptors[0] = descriptors[1] = 0;
    descriptors[2] = b->slot_count << BOSC_HASH_SEED_BITS;
    *found = (struct bi_hash_report){.repeats = b->failed, .buckets = 1, .extra_probes = b->extra_probes};
    return BOSC_OK;
}

/* Keys that repeat, or pairs that do not fit in, are reported as repeats: the driver then sorts the pairs. */
bosc_status bi_hash_build_ordered_cpu(bosc_ctx *ctx, const bosc_hash *table, const void *keys, const void *values,
                                      int64_t n, struct bi_hash_report *found, bool *built)
{
    const struct bi_hash_shape *s = &table->shape;
    const int32_t size = s->value_bytes;
    *built = false;
    if (n > MANY_PAIRS && bi_thread_count(ctx, n, BI_HASH_GRAIN) >= MANY_THREADS) return BOSC_OK;
    if (n == 0 || n > MOST_PAIRS || s->key_bits == 128 || (size != 0 && size != 4 && size != 8)) return BOSC_OK;
    if (bi_fault(BI_FAULT_LAUNCH)) return bi_fail(ctx, BOSC_ERR_DEVICE, "hash build: injected fault");
    struct bi_hash_ordered_build b = {.view = bi_hash_slots_view_of(table, n),
                                      .keys = keys,
                                      .values = values,
                                      .n = n,
                                      .slots = table->blocks[BI_HASH_TABLE].data,
                                      .slot_count = bi_hash_max_slots(BOSC_HASH_ORDERED, s->load, n, 1)};
    b.view.homes = bi_hash_homes(s->load, n);
    struct bi_parts p = bi_parts_of(ctx, 1, PAIR_ITEMS * (double)n);
    while (bi_next_part(ctx, &p)) BI_TRY_WITH_SCRATCH(ctx, build(ctx, table, &b, found));
    *built = p.status == BOSC_OK;
    return p.status;
}
