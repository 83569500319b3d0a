/* Deals the pairs of large tables of the layout ORDERED to groups of homes, whose part of the table fits in the caches:
 * by batches, of which first all places are found; then eight rows in groups are read, and then eight pairs copied. One
 * pair after the other takes nearly twice as long, however many groups there are: as if the load of a counter waited
 * for the addresses of all stores before it, which for those of the pairs before come from counters too. */
#ifndef BI_HASH_CPU_ORDERED_DEAL_H
#define BI_HASH_CPU_ORDERED_DEAL_H

#include "hash/cpu/ordered_places.h"

enum {
    BI_HASH_ORDERED_AT_ONCE = 8,      /* pairs */
    BI_HASH_ORDERED_PAIRS_AHEAD = 8,  /* in a group, whose lines are asked for */
    BI_HASH_ORDERED_PLACES_AHEAD = 24 /* likewise */
};

/* Pairs of a batch, and where they go. */
struct bi_hash_batch {
    uint32_t groups[BI_HASH_ORDERED_BATCH], places[BI_HASH_ORDERED_BATCH];
    char pairs[BI_HASH_ORDERED_BATCH * 2 * sizeof(uint64_t)]; /* hashes, and values behind them, of `step` bytes */
};

/* Copies some pairs of a batch, from the k-th on, and their places to their groups. The lines that these are written to
 * next are asked for. */
BI_FN void bi_hash_copy_pairs(const struct bi_hash_ordered_build *b, const struct bi_hash_batch *batch, size_t step,
                              int k, int count)
{
    const uint32_t *restrict const groups = batch->groups + k, *restrict const places = batch->places + k;
    const char *restrict const pairs = batch->pairs + (size_t)k * step;
    uint32_t *restrict const to = b->places, *restrict const ends = b->ends;
    char *restrict const dealt = b->hashes;
    size_t rows[BI_HASH_ORDERED_AT_ONCE];
#pragma GCC unroll 8
    for (int i = 0; i < count; i++) {
        rows[i] = ends[groups[i]];
        ends[groups[i]] = (uint32_t)rows[i] + 1;
    }
#pragma GCC unroll 8
    for (int i = 0; i < count; i++) {
        __builtin_prefetch(to + rows[i] + BI_HASH_ORDERED_PLACES_AHEAD, 1);
        __builtin_prefetch(dealt + (rows[i] + BI_HASH_ORDERED_PAIRS_AHEAD) * step, 1);
        to[rows[i]] = places[i];
        memcpy(dealt + rows[i] * step, pairs + (size_t)i * step, step);
    }
}

/* Finds the groups and places of rows r, a batch at most, and brings their hashes and values side by side. */
BI_FN void bi_hash_fill_batch(struct bi_hash_ordered_build *b, int32_t bits, size_t size, struct bi_hash_rows r,
                              struct bi_hash_batch *batch)
{
    const size_t step = (size_t)bits / 8 + size;
    const uint32_t last = b->groups - 1; /* also of the greatest hash */
    const int shift = BI_HASH_ORDERED_RANGE_BITS + b->group_bits;
    char hashes[BI_HASH_ORDERED_BLOCK * sizeof(uint64_t)];
    for (int64_t row = r.begin; row < r.end; row += BI_HASH_ORDERED_BLOCK) {
        const int count = bi_hash_block_size(r, row);
        const size_t at = (size_t)(row - r.begin);
        bi_hash_find_places(b, bits, row, count, batch->places + at, hashes);
        bi_hash_join_block(b, bits, size, row, count, hashes, batch->pairs + at * step);
    }
    for (int64_t i = 0; i < r.end - r.begin; i++) {
        const uint32_t group = batch->places[i] >> shift;
        batch->groups[i] = group < last ? group : last;
    }
}

/* Whether all groups have room for a batch. */
BI_FN bool bi_hash_have_room(const struct bi_hash_ordered_build *b)
{
    bool room = true;
    for (uint32_t g = 0; g < b->groups; g++) room &= b->ends[g] + BI_HASH_ORDERED_BATCH <= b->ends[b->groups + g];
    return room;
}

/* Deals the pairs to groups of homes, with their places. False: a group has more than chance lets expect. */
BI_FN bool bi_hash_deal(struct bi_hash_ordered_build *b, int32_t bits, size_t size)
{
    const size_t step = (size_t)bits / 8 + size;
    struct bi_hash_batch batch;
    for (struct bi_hash_rows r = {0, 0}; r.begin < b->n; r.begin = r.end) {
        r.end = b->n - r.begin < BI_HASH_ORDERED_BATCH ? b->n : r.begin + BI_HASH_ORDERED_BATCH;
        if (!bi_hash_have_room(b)) return false;
        bi_hash_fill_batch(b, bits, size, r, &batch);
        int i = 0, count = (int)(r.end - r.begin);
        for (; i + BI_HASH_ORDERED_AT_ONCE <= count; i += BI_HASH_ORDERED_AT_ONCE)
            bi_hash_copy_pairs(b, &batch, step, i, BI_HASH_ORDERED_AT_ONCE);
        for (; i < count; i++) bi_hash_copy_pairs(b, &batch, step, i, 1);
    }
    return true;
}

#endif
