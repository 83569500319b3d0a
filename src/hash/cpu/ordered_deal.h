/* Deals the pairs of large tables of the layout ORDERED to groups of homes, whose part of the table fits in the caches:
 * by batches, of which first all hashes are made, then all places in groups, and then all pairs copied. One pair after
 * the other takes half as long again: where a pair goes is read from a counter, and a CPU that has guessed wrong once
 * that no store before changes it waits for the addresses of all stores of the pairs before. */
#ifndef BI_HASH_CPU_ORDERED_DEAL_H
#define BI_HASH_CPU_ORDERED_DEAL_H

#include "hash/cpu/ordered_places.h"

enum {
    BI_HASH_ORDERED_BATCH = 256,      /* pairs: whole blocks */
    BI_HASH_ORDERED_PAIRS_AHEAD = 8,  /* in a group, whose lines are asked for */
    BI_HASH_ORDERED_PLACES_AHEAD = 24 /* likewise */
};

/* Tells where in their groups the pairs of a batch go. False: a group has more than chance lets expect. */
BI_FN bool bi_hash_find_rows(const struct bi_hash_ordered_build *b, const uint32_t *restrict places, int count,
                             uint32_t *restrict rows)
{
    const uint32_t last = b->groups - 1; /* also of the greatest hash */
    const int shift = BI_HASH_ORDERED_RANGE_BITS + b->group_bits;
    uint32_t *restrict const ends = b->ends;
    bool fit_in = true;
    for (int i = 0; i < count; i++) rows[i] = places[i] >> shift < last ? places[i] >> shift : last;
#pragma GCC unroll 8
    for (int i = 0; i < count; i++) rows[i] = ends[rows[i]]++;
    for (uint32_t g = 0; g < b->groups; g++) fit_in &= ends[g] <= ends[b->groups + g];
    return fit_in;
}

/* Copies the pairs of a batch and their places to these rows. The lines that a group is written to next are asked
 * for. */
BI_FN void bi_hash_copy_to_rows(const struct bi_hash_ordered_build *b, const uint32_t *restrict rows,
                                const uint32_t *restrict places, const char *restrict pairs, size_t step, int count)
{
    uint32_t *restrict const to = b->places;
    char *restrict const dealt = b->hashes;
#pragma GCC unroll 8
    for (int i = 0; i < count; i++) {
        const size_t row = rows[i];
        __builtin_prefetch(to + row + BI_HASH_ORDERED_PLACES_AHEAD, 1);
        __builtin_prefetch(dealt + (row + BI_HASH_ORDERED_PAIRS_AHEAD) * step, 1);
        to[row] = places[i];
        memcpy(dealt + row * step, pairs + (size_t)i * step, step);
    }
}

/* Deals the pairs of rows r, a batch at most. False as of bi_hash_find_rows. */
BI_FN bool bi_hash_deal_batch(const struct bi_hash_ordered_build *b, int32_t bits, size_t size, struct bi_hash_rows r)
{
    const size_t step = (size_t)bits / 8 + size;
    uint32_t places[BI_HASH_ORDERED_BATCH], rows[BI_HASH_ORDERED_BATCH];
    char hashes[BI_HASH_ORDERED_BLOCK * sizeof(uint64_t)], pairs[BI_HASH_ORDERED_BATCH * 2 * sizeof(uint64_t)];
    for (int64_t row = r.begin; row < r.end; row += BI_HASH_ORDERED_BLOCK) {
        const int count = bi_hash_block_size(r, row);
        bi_hash_find_places(b, bits, row, count, places + (row - r.begin), hashes);
        bi_hash_join_block(b, bits, size, row, count, hashes, pairs + (size_t)(row - r.begin) * step);
    }
    const int count = (int)(r.end - r.begin);
    if (!bi_hash_find_rows(b, places, count, rows)) return false;
    bi_hash_copy_to_rows(b, rows, places, pairs, step, count);
    return true;
}

/* Deals the pairs to groups of homes, with their places. False: a group has more than chance lets expect. */
BI_FN bool bi_hash_deal(const struct bi_hash_ordered_build *b, int32_t bits, size_t size)
{
    for (struct bi_hash_rows r = {0, 0}; r.begin < b->n; r.begin = r.end) {
        r.end = b->n - r.begin < BI_HASH_ORDERED_BATCH ? b->n : r.begin + BI_HASH_ORDERED_BATCH;
        if (!bi_hash_deal_batch(b, bits, size, r)) return false;
    }
    return true;
}

#endif
