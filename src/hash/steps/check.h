/* The steps that check a table read from a file. */
#ifndef BI_HASH_STEPS_CHECK_H
#define BI_HASH_STEPS_CHECK_H

#include "hash/steps/read.h"

/* Checks of a bucketed table: partitions follow one another; with buckets_too, a look-up finds every hash where it
 * is. */
enum { BI_HASH_BAD_PARTITION = 1, BI_HASH_BAD_SLOT = 2, BI_HASH_BAD_MARK = 4 };
struct bi_hash_check {
    bosc_hash_view view;
    uint32_t buckets;
    uint32_t *found;
    bool buckets_too;
};

/* Checks bucket b of a partition: equal fillers follow the hashes; each hash has this bucket, and its first bucket is
 * marked if this is its second one. Returns one of the bits above, or 0. */
BI_FN uint32_t bi_hash_check_bucket(const bosc_hash_view *v, uint32_t number, uint32_t b)
{
    bosc_hash_partition partition = v->partitions[number];
    uint32_t bucket = partition.first + b, pick[2] = {b, b};
    const unsigned char *hashes = bosc_hash_bucket(v, bucket);
    bosc_hash_word last = bosc_hash_word_at(hashes, BOSC_HASH_WIDTH - 1, v->key_bits);
    bool ended = false;
    for (int32_t i = 0; i < BOSC_HASH_WIDTH; i++) {
        bosc_hash_word hash = bosc_hash_word_at(hashes, i, v->key_bits);
        if (bosc_hash_partition_of(hash, v->key_bits, v->partition_bits) != number) {
            ended = true;
            if (!bi_hash_same(hash, last) ||
                !bi_hash_same(hash, bi_hash_filler(number, v->key_bits, v->partition_bits, hash.low & 1)))
                return BI_HASH_BAD_SLOT;
            continue;
        }
        if (ended) return BI_HASH_BAD_SLOT;
        if (bi_hash_is_linear(partition)) continue;
        bosc_hash_buckets(bosc_hash_fold(hash, v->key_bits), partition.buckets_seed & BOSC_HASH_LINEAR,
                          partition.buckets_seed >> BOSC_HASH_SEED_BITS, pick);
        if (pick[0] != b && pick[1] != b) return BI_HASH_BAD_SLOT;
        if (pick[0] != b && !bosc_hash_is_spilled(v, number, partition.first + pick[0])) return BI_HASH_BAD_MARK;
    }
    return 0;
}

BI_FN void bi_step_check_partition(const struct bi_hash_check *a, int64_t i)
{
    const bosc_hash_view *v = &a->view;
    bosc_hash_partition partition = v->partitions[i];
    uint32_t buckets = partition.buckets_seed >> BOSC_HASH_SEED_BITS;
    if (!a->buckets_too) {
        bool last = i + 1 == (int64_t)1 << v->partition_bits;
        uint32_t next = last ? a->buckets : v->partitions[i + 1].first;
        if (buckets == 0 || (i == 0 && partition.first != 0) || (uint64_t)partition.first + buckets != next)
            bi_atomic_or_u32(a->found, BI_HASH_BAD_PARTITION);
        return;
    }
    uint32_t found = 0;
    for (uint32_t b = 0; b < buckets; b++) found |= bi_hash_check_bucket(v, (uint32_t)i, b);
    if (found) bi_atomic_or_u32(a->found, found);
}

/* Checks the bytes stored with key i: collects its count; a multimap's values must exist. */
struct bi_hash_check_stored {
    struct bi_hash_stored stored;
    int64_t pairs;
    int64_t *counts;
    uint32_t *found;
};

BI_FN void bi_step_check_stored(const struct bi_hash_check_stored *a, int64_t i)
{
    const struct bi_hash_stored *k = &a->stored;
    uint32_t count = bi_hash_stored_count(k, i);
    a->counts[i] = count;
    if (count == 0 || (k->multimap && (int64_t)bi_hash_stored_first(k, i) + count > a->pairs))
        bi_atomic_or_u32(a->found, 1);
}

#endif
