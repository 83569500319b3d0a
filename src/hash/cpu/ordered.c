/* The layout ORDERED on the CPU: one thread builds tables at once, with their directories; larger ones are sorted
 * (hash/ordered.c), and get theirs afterwards. */
#include "hash/cpu/ordered.h"

#include <math.h>
#include <string.h>

#include "base/fault.h"
#include "core/call.h"
#include "core/cpu/collectives.h"
#include "hash/cpu/bucketed.h"
#include "hash/steps/slot_store.h"

enum {
    MOST_PAIRS = 1 << 23,                                /* of a table that is built without a sort */
    MOST_SLOTS = 1 << (32 - BI_HASH_ORDERED_RANGE_BITS), /* for a place has 32 bits */
    MANY_PAIRS = 1 << 16,                                /* that many threads sort sooner */
    MANY_THREADS = 6,
    MOST_KEPT = 1 << 13,    /* of one whose hashes are not made twice, */
    MOST_KEPT_64 = 1 << 16, /* of 64 bits, which take longer to make */
    LEAST_ASKED = 1 << 15,  /* bytes of slots that the first cache may lack */
    MOST_AT_ONCE = 1 << 20, /* bytes of the pairs of one that are not dealt to groups */
    GROUP_BITS = 13,        /* 2^13 homes are a group, */
    LARGER = 2,             /* or up to 2^2 times as many, */
    MANY_GROUPS = 32,       /* where there would be so many groups, */
    MOST_GROUPS = 256,      /* and more where there would still be so many */
    LEAST_GROUP_BITS = 6,   /* a sweep takes so many homes at once */
    PAIR_ITEMS = 8,         /* a pair takes as long as this many simple items */
    INDEX_ITEMS = 2,        /* and telling a directory of it */
    INDEX_HOMES = 1 << 14,  /* that a thread takes at once */
    LAST_RANGE = BI_HASH_ORDERED_LAST_RANGE
};

/* An entry for each slot, so that the greatest hash, whose slot is the last one, has one while a table is built. */
size_t bi_hash_directory_bytes_cpu(const bosc_hash_opts *o, int64_t n)
{
    const uint32_t homes = o->layout == BOSC_HASH_ORDERED && o->key_bits != 128 ? bi_hash_homes(o->load, n) : 0;
    if (homes == 0 || homes > BOSC_HASH_INDEXED) return 0;
    return bi_hash_max_slots(BOSC_HASH_ORDERED, o->load, n, 1) * sizeof(uint32_t);
}

/* Makes the entries of homes begin to end - 1, from their pairs, which stand by ascending hash. A pair whose place is
 * in the home before its own is in the range 0 of its own, and sets the last bit of the home before. */
static void index_homes(const bosc_hash_slots_view *v, uint64_t slots, uint32_t *directory, uint32_t begin,
                        uint32_t end)
{
    const uint64_t empty = bosc_hash_greatest(v->key_bits).low;
    memset(directory + begin, 0, (end - begin) * sizeof *directory);
    for (uint64_t slot = begin; slot < slots - 1; slot++) {
        const bosc_hash_word hash = bosc_hash_at_slot(v, slot);
        if (hash.low == empty) continue;
        const uint32_t home = bosc_hash_home(hash, v->key_bits, v->homes);
        const bosc_hash_place place = bosc_hash_place_of(hash.low, v->key_bits, v->homes);
        if (home != place.home && place.home >= begin && place.home < end) directory[place.home] |= LAST_RANGE;
        if (home >= end) break;
        if (home < begin) continue;
        const uint64_t pushed = slot - home < UINT8_MAX ? slot - home : UINT8_MAX;
        if (!directory[home]) directory[home] = (uint32_t)pushed << BOSC_HASH_HOME_RANGES;
        directory[home] |= 1u << (home == place.home ? place.range : 0);
    }
}

bosc_status bi_hash_index_slots_cpu(bosc_ctx *ctx, const bosc_hash_slots_view *v, uint64_t slots, uint32_t *directory)
{
    const int64_t parts = bi_div_up(v->homes, INDEX_HOMES);
    if (bi_fault(BI_FAULT_LAUNCH)) return bi_fail(ctx, BOSC_ERR_DEVICE, "hash index: injected fault");
    struct bi_parts p = bi_parts_of(ctx, parts, INDEX_ITEMS * (double)INDEX_HOMES);
    while (bi_next_part(ctx, &p)) {
        const int threads = bi_thread_count(ctx, (p.end - p.begin) * INDEX_HOMES, BI_THREAD_ITEMS / INDEX_ITEMS);
        BI_PARALLEL_FOR(threads, (static), k, p.begin, p.end,
                        index_homes(v, slots, directory, (uint32_t)k * INDEX_HOMES,
                                    v->homes - (uint32_t)k * INDEX_HOMES < INDEX_HOMES
                                        ? v->homes
                                        : ((uint32_t)k + 1) * INDEX_HOMES));
    }
    if (p.status == BOSC_OK && bi_hash_is_occupied(v, slots - 1)) directory[v->homes - 1] |= LAST_RANGE;
    return p.status;
}

static int32_t group_bits_of(const bosc_ctx *ctx, uint32_t homes)
{
    int32_t bits = GROUP_BITS - ctx->cache_shift > LEAST_GROUP_BITS ? GROUP_BITS - ctx->cache_shift : LEAST_GROUP_BITS;
    for (int k = 0; k < LARGER && homes >> bits >= MANY_GROUPS; k++) bits++;
    while (homes >> bits >= MOST_GROUPS) bits++;
    return bits;
}

/* Lays out groups of homes, whose part of a table a core's caches hold: each has room for as many pairs as there are on
 * average, six standard deviations more, and a batch. */
static bosc_status lay_out_groups(bosc_ctx *ctx, struct bi_hash_ordered_build *b)
{
    const uint32_t homes = b->view.homes;
    b->group_bits = group_bits_of(ctx, homes);
    const double mean = (double)b->n / homes * (double)(1u << b->group_bits);
    b->groups = ((homes - 1) >> b->group_bits) + 1;
    b->capacity =
        (uint32_t)bi_round_up((uint64_t)(mean + 6 * sqrt(mean)) + 1, BI_HASH_ORDERED_BLOCK) + BI_HASH_ORDERED_BATCH;
    BI_TRY(bi_scratch_of(ctx, 2 * (int64_t)b->groups, sizeof *b->ends, &b->ends));
    for (uint32_t g = 0; g < b->groups; g++) {
        b->ends[g] = g * b->capacity;
        b->ends[b->groups + g] = (g + 1) * b->capacity;
    }
    return BOSC_OK;
}

static bosc_status build(bosc_ctx *ctx, const bosc_hash *table, struct bi_hash_ordered_build *b,
                         struct bi_hash_report *found)
{
    uint64_t *descriptors = table->blocks[BI_HASH_DESCRIPTORS].data;
    const size_t key = table->shape.key_bytes, value = (size_t)b->view.value_size;
    int64_t rows = (int64_t)bi_round_up((uint64_t)b->n, BI_HASH_ORDERED_BLOCK);
    BI_TRY(bi_scratch_of(ctx, b->n + BI_HASH_ORDERED_BEYOND, sizeof *b->late, &b->late));
    BI_TRY(bi_scratch_of(ctx, b->n, sizeof *b->marked, &b->marked));
    if (b->n * (int64_t)(key + value) > MOST_AT_ONCE >> ctx->cache_shift) {
        BI_TRY(lay_out_groups(ctx, b));
        rows = (int64_t)b->groups * b->capacity;
        BI_TRY(bi_scratch_of(ctx, rows, key + value, &b->hashes));
    } else if (b->n <= (key == sizeof(uint32_t) ? MOST_KEPT : MOST_KEPT_64)) {
        BI_TRY(bi_scratch_of(ctx, rows, key, &b->hashes));
    }
    BI_TRY(bi_scratch_of(ctx, rows, sizeof *b->places, &b->places));
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
    const uint64_t slots = bi_hash_max_slots(BOSC_HASH_ORDERED, s->load, n, 1);
    *built = false;
    if (n > MANY_PAIRS && bi_thread_count(ctx, n, BI_HASH_GRAIN) >= MANY_THREADS) return BOSC_OK;
    if (n == 0 || n > MOST_PAIRS || slots > MOST_SLOTS || s->key_bits == 128 || (size != 0 && size != 4 && size != 8))
        return BOSC_OK;
    if (bi_fault(BI_FAULT_LAUNCH)) return bi_fail(ctx, BOSC_ERR_DEVICE, "hash build: injected fault");
    struct bi_hash_ordered_build b = {.view = bi_hash_slots_view_of(table, n),
                                      .keys = keys,
                                      .values = values,
                                      .n = n,
                                      .groups = 1,
                                      .slots = table->blocks[BI_HASH_TABLE].data,
                                      .directory = table->blocks[BI_HASH_DIRECTORY].data,
                                      .slot_count = slots};
    b.view.homes = bi_hash_homes(s->load, n);
    b.stores_wait = ctx->stores_wait && slots * (uint32_t)b.view.stride > (uint64_t)LEAST_ASKED >> ctx->cache_shift;
    struct bi_parts p = bi_parts_of(ctx, 1, PAIR_ITEMS * (double)n);
    while (bi_next_part(ctx, &p)) BI_TRY_WITH_SCRATCH(ctx, build(ctx, table, &b, found));
    *built = p.status == BOSC_OK;
    return p.status;
}
