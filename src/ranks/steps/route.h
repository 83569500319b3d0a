/* Steps that route items to the owners of their keys, and answers back. */
#ifndef BI_RANKS_STEPS_ROUTE_H
#define BI_RANKS_STEPS_ROUTE_H

#include <boscage/device/hash.h>

#include "base/bits.h"

/* Returns the rank that owns a key, from the top bits of a hash. The hash differs from that of the tables: otherwise
 * the keys of a rank would fill some partitions of its table only. */
BI_FN uint32_t bi_ranks_owner_of(bosc_hash_word key, uint32_t rank_count)
{
    const uint64_t hash = bi_mix_u64(key.low ^ bi_mix_u64(key.high + 0x9e3779b97f4a7c15ull));
    return (uint32_t)((hash >> 32) * rank_count >> 32);
}

struct bi_ranks_hash_owners {
    const void *keys;
    int32_t key_bits;
    uint32_t rank_count;
    uint32_t *owners; /* (n) */
};

BI_FN void bi_step_hash_owners(const struct bi_ranks_hash_owners *a, int64_t i)
{
    a->owners[i] = bi_ranks_owner_of(bosc_hash_word_at(a->keys, i, a->key_bits), a->rank_count);
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

/* gather_rows: out[i] = in[rows[i]]. scatter_rows: out[rows[i]] = in[i]. */
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

BI_FN void bi_step_scatter_rows(const struct bi_ranks_move_rows *a, int64_t i)
{
    bi_ranks_copy((char *)a->out + a->rows[i] * a->item_size, (const char *)a->in + i * a->item_size, a->item_size);
}

#endif
