/* Partitions the pairs of large ORDERED tables into groups of homes, so that the caches hold the part of the table
 * of a group. It works by batches: first all places are computed; then eight rows are reserved in groups, and eight
 * pairs copied. One pair after the other takes nearly twice as long with any number of groups (measured:
 * docs/design/hash.md), as if the load of a counter waited for the addresses of all earlier stores, which themselves
 * come from counters. */
#ifndef BI_HASH_CPU_ORDERED_PARTITION_H
#define BI_HASH_CPU_ORDERED_PARTITION_H

#include "hash/cpu/ordered_blocks.h"

enum {
    BI_HASH_ORDERED_AT_ONCE = 8,      /* pairs whose rows are kept in registers; measured */
    BI_HASH_ORDERED_PAIRS_AHEAD = 8,  /* distance in a group, in rows, at which lines are prefetched; measured */
    BI_HASH_ORDERED_PLACES_AHEAD = 24 /* the same for places */
};

/* Pairs of a batch, their groups and places. */
struct bi_hash_batch {
    uint32_t groups[BI_HASH_ORDERED_BATCH], places[BI_HASH_ORDERED_BATCH];
    char
        pairs[BI_HASH_ORDERED_BATCH * 2 * sizeof(uint64_t)]; /* hashes with their values behind them, of `step` bytes */
};

/* Copies `count` pairs of a batch, from the k-th on, and their places to their groups. Prefetches the lines that
 * these groups write next. */
BI_FN void bi_hash_copy_pairs(const struct bi_hash_ordered_job *b, const struct bi_hash_batch *batch, size_t step,
                              int k, int count)
{
    const uint32_t *restrict const groups = batch->groups + k, *restrict const places = batch->places + k;
    const char *restrict const pairs = batch->pairs + (size_t)k * step;
    uint32_t *restrict const to = b->places, *restrict const ends = b->ends;
    char *restrict const to_pairs = b->hashes;
    size_t rows[BI_HASH_ORDERED_AT_ONCE];
#pragma GCC unroll 8
    for (int i = 0; i < count; i++) {
        rows[i] = ends[groups[i]];
        ends[groups[i]] = (uint32_t)rows[i] + 1;
    }
#pragma GCC unroll 8
    for (int i = 0; i < count; i++) {
        __builtin_prefetch(to + rows[i] + BI_HASH_ORDERED_PLACES_AHEAD, 1);
        __builtin_prefetch(to_pairs + (rows[i] + BI_HASH_ORDERED_PAIRS_AHEAD) * step, 1);
        to[rows[i]] = places[i];
        memcpy(to_pairs + rows[i] * step, pairs + (size_t)i * step, step);
    }
}

/* Finds the groups and places of the rows r, at most a batch, and interleaves their hashes and values. */
BI_FN void bi_hash_fill_batch(struct bi_hash_ordered_job *b, int32_t bits, size_t size, struct bi_hash_row_range r,
                              struct bi_hash_batch *batch)
{
    const size_t step = (size_t)bits / 8 + size;
    const uint32_t last = b->groups - 1; /* the greatest hash belongs there too */
    const int shift = BI_HASH_ORDERED_RANGE_BITS + b->group_bits;
    char hashes[BI_HASH_ORDERED_BLOCK * sizeof(uint64_t)];
    for (int64_t row = r.begin; row < r.end; row += BI_HASH_ORDERED_BLOCK) {
        const int count = bi_hash_block_size(r, row);
        const size_t at = (size_t)(row - r.begin);
        bi_hash_find_places(b, bits, row, count, batch->places + at, hashes);
        bi_hash_interleave_block(b, bits, size, row, count, hashes, batch->pairs + at * step);
    }
    for (int64_t i = 0; i < r.end - r.begin; i++) {
        const uint32_t group = batch->places[i] >> shift;
        batch->groups[i] = group < last ? group : last;
    }
}

/* True if all groups have room for a batch. */
BI_FN bool bi_hash_groups_have_room(const struct bi_hash_ordered_job *b)
{
    bool room = true;
    for (uint32_t g = 0; g < b->groups; g++) room &= b->ends[g] + BI_HASH_ORDERED_BATCH <= b->ends[b->groups + g];
    return room;
}

/* Partitions the pairs and their places. Returns false if a group exceeds the mean and six standard deviations. */
BI_FN bool bi_hash_partition_by_group(struct bi_hash_ordered_job *b, int32_t bits, size_t size)
{
    const size_t step = (size_t)bits / 8 + size;
    struct bi_hash_batch batch;
    for (struct bi_hash_row_range r = {0, 0}; r.begin < b->n; r.begin = r.end) {
        r.end = b->n - r.begin < BI_HASH_ORDERED_BATCH ? b->n : r.begin + BI_HASH_ORDERED_BATCH;
        if (!bi_hash_groups_have_room(b)) return false;
        bi_hash_fill_batch(b, bits, size, r, &batch);
        int i = 0, count = (int)(r.end - r.begin);
        for (; i + BI_HASH_ORDERED_AT_ONCE <= count; i += BI_HASH_ORDERED_AT_ONCE)
            bi_hash_copy_pairs(b, &batch, step, i, BI_HASH_ORDERED_AT_ONCE);
        for (; i < count; i++) bi_hash_copy_pairs(b, &batch, step, i, 1);
    }
    return true;
}

#endif
