/* Sorts a long row of neighbours by id: a radix sort in place (McIlroy, Bostic, McIlroy, Engineering Radix Sort, 1993),
 * whose digits follow the row's length. Or the row is a set of bits, one for each id. Ids of a row differ. */
#ifndef BI_KDTREE_CPU_SORT_ROW_H
#define BI_KDTREE_CPU_SORT_ROW_H

#include "core/csr_row_out.h"

enum {
    BI_KDTREE_ROW_BUCKETS = 256, /* at most: their begins and ends fit the first-level cache */
    BI_KDTREE_ROW_BUCKET = 8,    /* entries of a bucket, if ids are spread evenly; not measured */
    BI_KDTREE_ROW_INSERTED = 24  /* entries sorted by insertion, at most; not measured */
};

/* Sets the bit of an id, and its distance unless `values` is NULL. */
static inline void bi_kdtree_set_bit(uint64_t *bits, double *values, uint32_t id, double d)
{
    bits[id >> 6] |= (uint64_t)1 << (id & 63);
    if (values) values[id] = d;
}

/* Writes the ids whose bits are set to a row, and clears the bits. Returns false, with nothing written, if their number
 * is not `capacity`. later: ids up to own_id are left out. values: distances by id; NULL: the row has none. */
static bool bi_kdtree_write_bits(uint64_t *bits, const double *values, int64_t words, bool later, uint32_t own_id,
                                 const struct bi_row_out *row, int64_t capacity)
{
    int64_t count = 0, at = 0;
    /* 1. Count them. */
    if (later) {
        const int64_t own = own_id >> 6;
        for (int64_t w = 0; w < own; w++) bits[w] = 0;
        bits[own] &= ~(uint64_t)1 << (own_id & 63);
    }
    for (int64_t w = 0; w < words; w++) count += __builtin_popcountll(bits[w]);
    /* 2. Write them. */
    for (int64_t w = 0; w < words && count == capacity; w++)
        for (uint64_t word = bits[w]; word; word &= word - 1, at++) {
            const int64_t id = 64 * w + __builtin_ctzll(word);
            if (values)
                bi_row_set(row, at, values[id], (uint32_t)id);
            else if (row->ids_64bit)
                ((int64_t *)row->ids)[row->at + at] = id;
            else
                ((uint32_t *)row->ids)[row->at + at] = (uint32_t)id;
        }
    for (int64_t w = 0; w < words; w++) bits[w] = 0;
    return count == capacity;
}

static inline void bi_kdtree_insert_row(const struct bi_row_out *o, int64_t begin, int64_t end)
{
    for (int64_t i = begin + 1; i < end; i++) {
        const uint32_t id = bi_row_id(o, i);
        const double d = bi_row_dist2(o, i);
        int64_t to = i;
        for (uint32_t other; to > begin && (other = bi_row_id(o, to - 1)) > id; to--)
            bi_row_set(o, to, bi_row_dist2(o, to - 1), other);
        if (to != i) bi_row_set(o, to, d, id);
    }
}

/* Sorts entries begin to end - 1, whose ids are low to high. */
static void bi_kdtree_sort_entries(const struct bi_row_out *o, int64_t begin, int64_t end, uint32_t low, uint32_t high)
{
    if (end - begin <= BI_KDTREE_ROW_INSERTED || low == high) {
        bi_kdtree_insert_row(o, begin, end);
        return;
    }
    int64_t begins[BI_KDTREE_ROW_BUCKETS + 1] = {0}, ends[BI_KDTREE_ROW_BUCKETS];
    /* 1. Buckets of equal ranges of ids: at least 2, so that ranges become shorter. */
    int64_t most = (end - begin) / BI_KDTREE_ROW_BUCKET;
    if (most > BI_KDTREE_ROW_BUCKETS) most = BI_KDTREE_ROW_BUCKETS;
    int shift = 0;
    while ((int64_t)((high - low) >> shift) >= most) shift++;
    const int buckets = (int)((high - low) >> shift) + 1;
    /* 2. Count their entries. */
    for (int64_t i = begin; i < end; i++) begins[((bi_row_id(o, i) - low) >> shift) + 1]++;
    begins[0] = begin;
    for (int b = 0; b < buckets; b++) ends[b] = begins[b + 1] += begins[b];
    /* 3. Move each entry to the next slot of its bucket; the one that was there moves on. begins[b]: that slot. */
    for (int b = 0; b < buckets; b++)
        while (begins[b] < ends[b]) {
            uint32_t id = bi_row_id(o, begins[b]), other;
            double d = bi_row_dist2(o, begins[b]), other_d;
            for (int to; to = (int)((id - low) >> shift), to != b; id = other, d = other_d) {
                other = bi_row_id(o, begins[to]);
                other_d = bi_row_dist2(o, begins[to]);
                bi_row_set(o, begins[to]++, d, id);
            }
            bi_row_set(o, begins[b]++, d, id);
        }
    /* 4. Sort the buckets. */
    for (int b = 0; b < buckets; b++) {
        const uint32_t first = low + ((uint32_t)b << shift), last = first + (uint32_t)(((uint64_t)1 << shift) - 1);
        bi_kdtree_sort_entries(o, b ? ends[b - 1] : begin, ends[b], first, last < high && last >= first ? last : high);
    }
}

static void bi_kdtree_sort_row(const struct bi_row_out *o, int64_t count)
{
    uint32_t low = UINT32_MAX, high = 0;
    for (int64_t i = 0; i < count; i++) {
        const uint32_t id = bi_row_id(o, i);
        low = id < low ? id : low;
        high = id > high ? id : high;
    }
    bi_kdtree_sort_entries(o, 0, count, low, high);
}

#endif
