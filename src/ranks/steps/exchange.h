/* Steps on items that move between ranks: their ids, owners and rows, the first items of equal keys, CSR rows. */
#ifndef BI_RANKS_STEPS_EXCHANGE_H
#define BI_RANKS_STEPS_EXCHANGE_H

#include <stdbool.h>

#include <boscage/device/hash.h>

#include "base/bits.h"
#include "base/search.h"

/* ---- ids ---- */

struct bi_ranks_global_ids {
    int64_t first; /* number of items on lower ranks */
    int64_t *ids;  /* (n) */
};

BI_FN void bi_step_global_ids(const struct bi_ranks_global_ids *a, int64_t i) { a->ids[i] = a->first + i; }

/* out[i] = first + i. */
struct bi_ranks_number_from {
    uint32_t first;
    uint32_t *out;
};

BI_FN void bi_step_number_from(const struct bi_ranks_number_from *a, int64_t i) { a->out[i] = a->first + (uint32_t)i; }

/* out[i] = in[i] + offset. */
struct bi_ranks_offset_ids {
    const uint32_t *in;
    int64_t offset;
    int64_t *out;
};

BI_FN void bi_step_offset_ids(const struct bi_ranks_offset_ids *a, int64_t i) { a->out[i] = a->in[i] + a->offset; }

/* out[i] = in[i], as words of 64 or 32 bits. */
struct bi_ranks_resize_ids {
    const int64_t *in;
    void *out;
    bool is_64bit;
};

BI_FN void bi_step_resize_ids(const struct bi_ranks_resize_ids *a, int64_t i)
{
    bi_set_word(a->out, a->is_64bit, i, (uint64_t)a->in[i]);
}

/* ---- owners and rows of items ---- */

/* Returns the rank that owns a key, from the top bits of a hash. The hash differs from that of the tables: otherwise
 * the keys of a rank would fill some partitions of its table only. The constant is 2^64 / the golden ratio. */
BI_FN uint32_t bi_ranks_owner_of(bosc_hash_word key, uint32_t rank_count)
{
    const uint64_t hash = bi_mix_u64(key.low ^ bi_mix_u64(key.high + 0x9e3779b97f4a7c15ull));
    return (uint32_t)((hash >> 32) * rank_count >> 32);
}

/* Position of the first item of rank i in sending order. */
struct bi_ranks_first_positions {
    const int64_t *positions; /* (ranks, tiles) */
    int64_t tiles;
    int64_t *out; /* (ranks) */
};

BI_FN void bi_step_first_positions(const struct bi_ranks_first_positions *a, int64_t i)
{
    a->out[i] = a->positions[i * a->tiles];
}

/* Copies an item. Its alignment is the largest of 1, 2, 4 and 8 that divides its size. */
BI_FN void bi_ranks_copy(void *to, const void *from, int64_t bytes)
{
    if (bytes % 8 == 0)
        for (int64_t b = 0; b < bytes / 8; b++) ((uint64_t *)to)[b] = ((const uint64_t *)from)[b];
    else if (bytes % 4 == 0)
        for (int64_t b = 0; b < bytes / 4; b++) ((uint32_t *)to)[b] = ((const uint32_t *)from)[b];
    else
        for (int64_t b = 0; b < bytes; b++) ((char *)to)[b] = ((const char *)from)[b];
}

/* out[i] = in[rows[i]]. */
struct bi_ranks_move_rows {
    const int64_t *rows;
    const void *in;
    int64_t item_size;
    void *out;
};

BI_FN void bi_step_gather_rows(const struct bi_ranks_move_rows *a, int64_t i)
{
    bi_ranks_copy((char *)a->out + i * a->item_size, (const char *)a->in + a->rows[i] * a->item_size, a->item_size);
}

/* out[i] = item h n >> 32 of n, where h has 32 bits of a hash of i: the same items in every call. */
struct bi_ranks_sample_rows {
    int64_t n; /* 1 to 2^32 - 1, which the caller ensures: h n then fits 64 bits */
    const void *in;
    int64_t item_size;
    void *out;
};

BI_FN void bi_step_sample_rows(const struct bi_ranks_sample_rows *a, int64_t i)
{
    const int64_t row = (int64_t)((bi_mix_u64((uint64_t)i + 1) >> 32) * (uint64_t)a->n >> 32);
    bi_ranks_copy((char *)a->out + i * a->item_size, (const char *)a->in + row * a->item_size, a->item_size);
}

/* ---- first items of equal keys ---- */

/* Item i is the first with its id if all earlier ids are smaller. exclusive_max: prefix maxima of ids. */
struct bi_ranks_mark_representatives {
    const int64_t *ids, *exclusive_max; /* (n) */
    uint8_t *is_first;                  /* (n) */
    int64_t *representative_ids;        /* (distinct keys): the first item of each */
};

BI_FN void bi_step_mark_representatives(const struct bi_ranks_mark_representatives *a, int64_t i)
{
    const bool first = a->ids[i] > a->exclusive_max[i];
    a->is_first[i] = first;
    if (first) a->representative_ids[a->ids[i]] = i;
}

/* numbers[i] = 1 if flags[i] is set, else 0. */
struct bi_ranks_widen_flags {
    const uint8_t *flags;
    int64_t *numbers;
};

BI_FN void bi_step_widen_flags(const struct bi_ranks_widen_flags *a, int64_t i) { a->numbers[i] = a->flags[i] != 0; }

/* numbers[i] += offset. */
struct bi_ranks_add_offset {
    int64_t *numbers, offset;
};

BI_FN void bi_step_add_offset(const struct bi_ranks_add_offset *a, int64_t i) { a->numbers[i] += a->offset; }

/* Marks items whose key is in the table already (`found`) or belongs to an earlier item. */
struct bi_ranks_mark_repeats {
    const uint8_t *is_first, *found;
    uint8_t *is_repeat;
};

BI_FN void bi_step_mark_repeats(const struct bi_ranks_mark_repeats *a, int64_t i)
{
    a->is_repeat[i] = !a->is_first[i] || a->found[i];
}

/* ---- CSR rows, whose entries arrive from the owners of their queries ---- */

/* lengths[i] = length of row i. */
struct bi_ranks_row_lengths {
    const int64_t *offsets; /* (n + 1) */
    int64_t *lengths;       /* (n) */
};

BI_FN void bi_step_row_lengths(const struct bi_ranks_row_lengths *a, int64_t i)
{
    a->lengths[i] = a->offsets[i + 1] - a->offsets[i];
}

/* positions[i] = i if numbers[i] differs from expected[i], else INT64_MAX. */
struct bi_ranks_mark_differences {
    const int64_t *numbers, *expected;
    int64_t *positions;
};

BI_FN void bi_step_mark_differences(const struct bi_ranks_mark_differences *a, int64_t i)
{
    a->positions[i] = a->numbers[i] == a->expected[i] ? INT64_MAX : i;
}

/* Received entry i, in the order in which queries were sent, goes to the row of its own query. */
struct bi_ranks_scatter_entries {
    const int64_t *received_offsets; /* (rows + 1): offsets of the rows among the received entries */
    const int64_t *queries;          /* (rows): the query of each received row */
    const int64_t *offsets;          /* (rows + 1) */
    int64_t rows, entry_size;
    const void *entries;
    void *out;
};

BI_FN void bi_step_scatter_entries(const struct bi_ranks_scatter_entries *a, int64_t i)
{
    const int64_t row = bi_upper_bound_i64(a->received_offsets, a->rows + 1, i) - 1;
    const int64_t to = a->offsets[a->queries[row]] + (i - a->received_offsets[row]);
    bi_ranks_copy((char *)a->out + to * a->entry_size, (const char *)a->entries + i * a->entry_size, a->entry_size);
}

#endif
