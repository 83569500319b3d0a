/* The steps that read tables: they convert results of find to the caller's form, and list all pairs. */
#ifndef BI_HASH_STEPS_READ_H
#define BI_HASH_STEPS_READ_H

#include "base/search.h"
#include "hash/steps/group.h"

/* The bytes that a table stores with its keys, from find or a list of pairs: (n) of value_bytes, zeros for an absent
 * key. */
struct bi_hash_stored {
    const void *stored;
    int32_t value_bytes, value_size;
    bool multimap, counted;
    const void *values; /* of a multimap */
};

BI_FN uint32_t bi_hash_stored_first(const struct bi_hash_stored *k, int64_t i)
{
    return ((const uint32_t *)k->stored)[2 * i];
}

BI_FN uint32_t bi_hash_stored_count(const struct bi_hash_stored *k, int64_t i)
{
    if (k->multimap) return ((const uint32_t *)k->stored)[2 * i + 1];
    return bi_hash_read_count(bi_hash_row(k->stored, k->value_bytes, (uint64_t)i) + k->value_size);
}

/* out[i] = the value, or the first value of a multimap. */
struct bi_hash_unpack {
    struct bi_hash_stored stored;
    void *out;
};

BI_FN void bi_step_unpack(const struct bi_hash_unpack *a, int64_t i)
{
    const struct bi_hash_stored *k = &a->stored;
    char *to = bi_hash_row(a->out, k->value_size, (uint64_t)i);
    if (!k->multimap)
        bi_hash_copy(to, bi_hash_row(k->stored, k->value_bytes, (uint64_t)i), k->value_size);
    else if (bi_hash_stored_count(k, i))
        bi_hash_copy(to, bi_hash_row(k->values, k->value_size, bi_hash_stored_first(k, i)), k->value_size);
    else
        bi_hash_clear(to, k->value_size);
}

/* Returns the number of pairs of a key; of a map that is not counted, found[i] (NULL: 1). */
BI_FN uint32_t bi_hash_count_of(const struct bi_hash_stored *k, const uint8_t *found, int64_t i)
{
    return k->multimap || k->counted ? bi_hash_stored_count(k, i) : found ? found[i] : 1;
}

struct bi_hash_read_counts {
    struct bi_hash_stored stored;
    const uint8_t *found;
    int64_t *counts;
    uint32_t *narrow; /* counts of 32 bits, instead of `counts`; may be NULL */
};

BI_FN void bi_step_read_counts(const struct bi_hash_read_counts *a, int64_t i)
{
    uint32_t count = bi_hash_count_of(&a->stored, a->found, i);
    if (a->narrow)
        a->narrow[i] = count;
    else
        a->counts[i] = count;
}

/* *bad: the lowest row of CSR offsets whose length differs from the number of its key's values. */
struct bi_hash_check_rows {
    struct bi_hash_stored stored;
    const uint8_t *found;
    const int64_t *offsets;
    int64_t *bad;
};

BI_FN void bi_step_check_rows(const struct bi_hash_check_rows *a, int64_t i)
{
    if (a->offsets[i + 1] - a->offsets[i] != (int64_t)bi_hash_count_of(&a->stored, a->found, i))
        bi_atomic_min_i64(a->bad, i);
}

/* Value i of the CSR rows. The offsets ascend from 0; a row longer than its key's values ends in zeros. */
struct bi_hash_fetch {
    struct bi_hash_stored stored;
    const int64_t *offsets; /* (rows) */
    int64_t rows;
    void *out;
    const void *keys; /* (rows): each value gets a copy of its key in out_keys; NULL: none does */
    int32_t key_bits;
    void *out_keys;
};

BI_FN void bi_step_fetch_values(const struct bi_hash_fetch *a, int64_t i)
{
    const struct bi_hash_stored *k = &a->stored;
    int64_t row = bi_upper_bound_i64(a->offsets + 1, a->rows - 1, i); /* the last row that begins at or before i */
    int64_t nth = i - a->offsets[row];
    if (a->keys) bi_hash_store(a->out_keys, a->key_bits, i, bosc_hash_word_at(a->keys, row, a->key_bits));
    char *to = bi_hash_row(a->out, k->value_size, (uint64_t)i);
    if (!k->multimap)
        bi_hash_copy(to, bi_hash_row(k->stored, k->value_bytes, (uint64_t)row), k->value_size);
    else if (nth >= 0 && nth < (int64_t)bi_hash_stored_count(k, row))
        bi_hash_copy(to, bi_hash_row(k->values, k->value_size, (uint64_t)bi_hash_stored_first(k, row) + (uint64_t)nth),
                     k->value_size);
    else
        bi_hash_clear(to, k->value_size);
}

/* The pairs of a bucketed table, bucket after bucket. */
struct bi_hash_list_pairs {
    bosc_hash_view view;
    const uint32_t *touched; /* (partitions) not 0: the pairs of this one; NULL: all */
    uint32_t *counts;        /* count_pairs: (buckets) */
    const uint32_t *begins;  /* list_pairs: (buckets) */
    void *hashes, *values;
};

/* Counts the pairs in a bucket: fillers stand last, and those of a bucket are equal. */
BI_FN int32_t bi_hash_bucket_pairs(const bosc_hash_view *view, uint32_t bucket)
{
    const unsigned char *hashes = bosc_hash_bucket(view, bucket);
    bosc_hash_word first = bosc_hash_word_at(hashes, 0, view->key_bits);
    if (bi_hash_same(first, bosc_hash_word_at(hashes, 1, view->key_bits))) return 0;
    uint32_t partition = bosc_hash_partition_of(first, view->key_bits, view->partition_bits);
    int32_t count = 1;
    while (count < BOSC_HASH_WIDTH && bosc_hash_partition_of(bosc_hash_word_at(hashes, count, view->key_bits),
                                                             view->key_bits, view->partition_bits) == partition)
        count++;
    return count;
}

/* The same, but 0 for a partition that is not touched. */
BI_FN int32_t bi_hash_touched_pairs(const struct bi_hash_list_pairs *a, uint32_t bucket)
{
    const bosc_hash_view *v = &a->view;
    bosc_hash_word first = bosc_hash_word_at(bosc_hash_bucket(v, bucket), 0, v->key_bits);
    if (a->touched && !a->touched[bosc_hash_partition_of(first, v->key_bits, v->partition_bits)]) return 0;
    return bi_hash_bucket_pairs(v, bucket);
}

BI_FN void bi_step_count_pairs(const struct bi_hash_list_pairs *a, int64_t bucket)
{
    a->counts[bucket] = (uint32_t)bi_hash_touched_pairs(a, (uint32_t)bucket);
}

BI_FN void bi_step_list_pairs(const struct bi_hash_list_pairs *a, int64_t bucket)
{
    const bosc_hash_view *v = &a->view;
    const unsigned char *from = bosc_hash_bucket(v, (uint32_t)bucket);
    int32_t count = bi_hash_touched_pairs(a, (uint32_t)bucket);
    for (int32_t i = 0; i < count; i++) {
        int64_t at = (int64_t)a->begins[bucket] + i;
        bi_hash_store(a->hashes, v->key_bits, at, bosc_hash_word_at(from, i, v->key_bits));
        if (a->values)
            bi_hash_copy(bi_hash_row(a->values, v->value_size, (uint64_t)at),
                         bosc_hash_value_at(v, bucket * BOSC_HASH_WIDTH + i), v->value_size);
    }
}

/* The buckets of each linear partition; 0 of others. */
struct bi_hash_linear_lengths {
    const bosc_hash_partition *partitions;
    uint32_t *lengths;
};

BI_FN void bi_step_linear_lengths(const struct bi_hash_linear_lengths *a, int64_t i)
{
    uint32_t word = a->partitions[i].buckets_seed;
    a->lengths[i] = (word & BOSC_HASH_LINEAR) == BOSC_HASH_LINEAR ? word >> BOSC_HASH_SEED_BITS : 0;
}

BI_FN bool bi_hash_is_linear(bosc_hash_partition partition)
{
    return (partition.buckets_seed & BOSC_HASH_LINEAR) == BOSC_HASH_LINEAR;
}

/* True if this bucket (counted from its partition's first one) is the second bucket of a hash in it. */
BI_FN bool bi_hash_is_second(bosc_hash_partition partition, bosc_hash_word hash, int32_t key_bits, uint32_t bucket)
{
    uint32_t pick[2];
    if (bi_hash_is_linear(partition)) return false;
    bosc_hash_buckets(bosc_hash_fold(hash, key_bits), partition.buckets_seed & BOSC_HASH_LINEAR,
                      partition.buckets_seed >> BOSC_HASH_SEED_BITS, pick);
    return pick[0] != bucket;
}

/* Turns hashes back into keys. */
struct bi_hash_keys {
    const void *hashes;
    int32_t key_bits;
    uint64_t seed;
    void *keys;
};

BI_FN void bi_step_keys_of(const struct bi_hash_keys *a, int64_t i)
{
    bosc_hash_word hash = bosc_hash_word_at(a->hashes, i, a->key_bits);
    bi_hash_store(a->keys, a->key_bits, i, bi_hash_key_of(hash, a->key_bits, a->seed));
}

#endif
