/* ORDERED tables on the CPU: one thread builds tables of up to 2^23 pairs with their directories; larger ones are
 * sorted (hash/ordered.c) and indexed afterwards. */
#include "hash/cpu/ordered.h"

#include <math.h>
#include <string.h>

#include "base/fault.h"
#include "core/call.h"
#include "core/cpu/collectives.h"
#include "hash/cpu/bucketed.h"
#include "hash/steps/slot_store.h"

enum {
    MAX_PAIRS = 1 << 23,                                /* above, pairs are sorted (docs/design/hash.md) */
    MAX_SLOTS = 1 << (32 - BI_HASH_ORDERED_RANGE_BITS), /* as a place has 32 bits */
    MIN_SORTED_PAIRS = 1 << 16,                         /* above, this many threads sort faster */
    MIN_SORTING_THREADS = 6,
    MAX_STORED = 1 << 13,           /* hashes of larger tables are computed twice, not stored; */
    MAX_STORED_64 = 1 << 16,        /* 64-bit hashes take longer to compute; measured: stored, 1 to 10 % less */
    MIN_PREFETCHED_BYTES = 1 << 15, /* bytes of slots that an L1 cache may not hold */
    MAX_ONE_GROUP_BYTES = 1 << 20,  /* pairs of more bytes are partitioned into groups (docs/design/hash.md) */
    GROUP_BITS = 13,                /* homes of a group, 2^13, */
    EXTRA_GROUP_BITS = 2,           /* or up to 2^2 times as many */
    MANY_GROUPS = 32,               /* where there would be this many groups, */
    MAX_GROUPS = 256,               /* and more to stay below this many; measured: 2^12 homes take 8 % more than 2^13 */
    MIN_GROUP_BITS = 6,             /* a sweep processes 64 homes at once */
    PAIR_ITEMS = 8,                 /* cost of a pair, in simple items; estimated */
    INDEX_ITEMS = 2,                /* and of entering it in a directory */
    INDEX_HOMES = 1 << 14,          /* homes that a thread processes at once */
    LAST_RANGE = BI_HASH_ORDERED_LAST_RANGE
};

/* Returns the bytes of the directory: an entry for each slot, so that the greatest hash, whose slot is the last one,
 * has an entry during a build. */
size_t bi_hash_directory_bytes_cpu(const bosc_hash_opts *o, int64_t n)
{
    const uint32_t homes = o->layout == BOSC_HASH_ORDERED && o->key_bits != 128 ? bi_hash_homes(o->load_factor, n) : 0;
    if (homes == 0 || homes > BOSC_HASH_INDEXED) return 0;
    return bi_hash_max_slots(BOSC_HASH_ORDERED, o->load_factor, n, 1) * sizeof(uint32_t);
}

/* Computes the entries of homes begin to end - 1 from their pairs, which ascend by hash. A pair whose place is in
 * the previous home counts in range 0 of its own home, and sets the last bit of the previous one. */
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
    struct bi_batches p = bi_batches_of(ctx, parts, INDEX_ITEMS * (double)INDEX_HOMES);
    while (bi_next_batch(ctx, &p)) {
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

/* Returns the bits of the number of homes in a group. */
static int32_t group_bits_of(const bosc_ctx *ctx, uint32_t homes)
{
    int32_t bits = GROUP_BITS - ctx->cache_shift > MIN_GROUP_BITS ? GROUP_BITS - ctx->cache_shift : MIN_GROUP_BITS;
    for (int k = 0; k < EXTRA_GROUP_BITS && homes >> bits >= MANY_GROUPS; k++) bits++;
    while (homes >> bits >= MAX_GROUPS) bits++;
    return bits;
}

/* Lays out the groups of homes; a core's caches hold the part of a table that belongs to a group. Each has the
 * capacity for the mean, six standard deviations, and a batch. */
static bosc_status lay_out_groups(bosc_ctx *ctx, struct bi_hash_ordered_job *b)
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

/* Allocates the arrays of a build and runs it. */
static bosc_status build_in_scratch(bosc_ctx *ctx, const bosc_hash *table, struct bi_hash_ordered_job *b,
                                    struct bi_hash_report *found)
{
    uint64_t *descriptors = table->blocks[BI_HASH_DESCRIPTORS].data;
    const size_t key = table->shape.key_bytes, value = (size_t)b->view.value_size;
    int64_t rows = (int64_t)bi_round_up((uint64_t)b->n, BI_HASH_ORDERED_BLOCK);
    BI_TRY(bi_scratch_of(ctx, b->n + BI_HASH_ORDERED_BEYOND, sizeof *b->late, &b->late));
    BI_TRY(bi_scratch_of(ctx, b->n, sizeof *b->marked, &b->marked));
    if (b->n * (int64_t)(key + value) > MAX_ONE_GROUP_BYTES >> ctx->cache_shift) {
        BI_TRY(lay_out_groups(ctx, b));
        rows = (int64_t)b->groups * b->capacity;
        BI_TRY(bi_scratch_of(ctx, rows, key + value, &b->hashes));
    } else if (b->n <= (key == sizeof(uint32_t) ? MAX_STORED : MAX_STORED_64)) {
        BI_TRY(bi_scratch_of(ctx, rows, key, &b->hashes));
    }
    BI_TRY(bi_scratch_of(ctx, rows, sizeof *b->places, &b->places));
    BI_LEVEL_PICK(ctx->level, bi_hash_build_ordered)(b);
    descriptors[0] = descriptors[1] = 0;
    descriptors[2] = b->slot_count << BOSC_HASH_SEED_BITS;
    *found = (struct bi_hash_report){.repeats = b->failed, .buckets = 1, .extra_probes = b->extra_probes};
    return BOSC_OK;
}

/* Reports repeated keys, and pairs that do not fit, as repeats; the driver then sorts the pairs. */
bosc_status bi_hash_build_ordered_cpu(bosc_ctx *ctx, const bosc_hash *table, const void *keys, const void *values,
                                      int64_t n, struct bi_hash_report *found, enum bi_hash_outcome *outcome)
{
    const struct bi_hash_shape *s = &table->shape;
    const uint64_t slots = bi_hash_max_slots(BOSC_HASH_ORDERED, s->load_factor, n, 1);
    *outcome = BI_HASH_UNFINISHED;
    if (n > MIN_SORTED_PAIRS && bi_thread_count(ctx, n, BI_HASH_GRAIN) >= MIN_SORTING_THREADS) return BOSC_OK;
    if (n == 0 || n > MAX_PAIRS || slots > MAX_SLOTS || s->key_bits == 128 || !bi_hash_fits_payload(s->value_bytes))
        return BOSC_OK;
    if (bi_fault(BI_FAULT_LAUNCH)) return bi_fail(ctx, BOSC_ERR_DEVICE, "hash build: injected fault");
    struct bi_hash_ordered_job b = {.view = bi_hash_slots_view_of(table, n),
                                    .keys = keys,
                                    .values = values,
                                    .n = n,
                                    .groups = 1,
                                    .slots = table->blocks[BI_HASH_TABLE].data,
                                    .directory = table->blocks[BI_HASH_DIRECTORY].data,
                                    .slot_count = slots};
    b.view.homes = bi_hash_homes(s->load_factor, n);
    b.stores_wait =
        ctx->stores_wait && slots * (uint32_t)b.view.stride > (uint64_t)MIN_PREFETCHED_BYTES >> ctx->cache_shift;
    struct bi_batches p = bi_batches_of(ctx, 1, PAIR_ITEMS * (double)n);
    while (bi_next_batch(ctx, &p)) BI_TRY_WITH_SCRATCH(ctx, build_in_scratch(ctx, table, &b, found));
    if (p.status == BOSC_OK) *outcome = BI_HASH_BUILT;
    return p.status;
}
