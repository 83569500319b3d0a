/* The steps that change tables. */
#ifndef BI_HASH_STEPS_CHANGE_H
#define BI_HASH_STEPS_CHANGE_H

#include "hash/steps/read.h"

struct bi_hash_ones {
    uint32_t *counts;
};

BI_FN void bi_step_ones(const struct bi_hash_ones *a, int64_t i) { a->counts[i] = 1; }

/* touched[partition] = 1 if a key belongs to the partition. */
struct bi_hash_touch {
    const void *keys;
    int32_t key_bits, partition_bits;
    uint64_t seed;
    uint32_t *touched;
};

BI_FN void bi_step_touch(const struct bi_hash_touch *a, int64_t i)
{
    bosc_hash_word hash = bosc_hash_of(bosc_hash_word_at(a->keys, i, a->key_bits), a->key_bits, a->seed);
    bi_atomic_or_u32(&a->touched[bosc_hash_partition_of(hash, a->key_bits, a->partition_bits)], 1);
}

/* *over = 1 if the list of a partition is too long for its buckets at this load factor. */
struct bi_hash_capacity {
    const bosc_hash_partition *partitions;
    const uint32_t *starts;
    double load_factor;
    uint32_t *over;
};

BI_FN void bi_step_check_capacity(const struct bi_hash_capacity *a, int64_t partition)
{
    uint32_t keys = a->starts[partition + 1] - a->starts[partition];
    uint32_t buckets = a->partitions[partition].buckets_seed >> BOSC_HASH_SEED_BITS;
    if (keys && bi_hash_partition_buckets(a->load_factor, keys) > buckets) bi_atomic_or_u32(a->over, 1);
}

/* Counts, for each bucket of the touched partitions (NULL: of all), the keys for which it is the second one. */
struct bi_hash_count_second {
    bosc_hash_view view;
    const uint32_t *touched;
    uint32_t *seconds;
};

BI_FN void bi_step_count_second(const struct bi_hash_count_second *a, int64_t bucket)
{
    const bosc_hash_view *v = &a->view;
    int32_t pairs = bi_hash_bucket_pairs(v, (uint32_t)bucket);
    uint32_t seconds = 0;
    for (int32_t i = 0; i < pairs; i++) {
        bosc_hash_word hash = bosc_hash_word_at(bosc_hash_bucket(v, (uint32_t)bucket), i, v->key_bits);
        uint32_t number = bosc_hash_partition_of(hash, v->key_bits, v->partition_bits);
        bosc_hash_partition partition = v->partitions[number];
        if (a->touched && !a->touched[number]) break;
        seconds += bi_hash_is_second(partition, hash, v->key_bits, (uint32_t)bucket - partition.first);
    }
    a->seconds[bucket] = seconds;
}

/* 1 for a partition with another seed than 0, 2^32 for a linear one. */
struct bi_hash_count_seeds {
    const bosc_hash_partition *partitions;
    const uint32_t *touched; /* NULL: all */
    uint64_t *seeds;
};

BI_FN void bi_step_count_seeds(const struct bi_hash_count_seeds *a, int64_t i)
{
    bool reseeded = (a->partitions[i].buckets_seed & BOSC_HASH_LINEAR) != 0;
    a->seeds[i] = bi_hash_is_linear(a->partitions[i]) ? (uint64_t)1 << 32 : reseeded;
    if (a->touched && !a->touched[i]) a->seeds[i] = 0;
}

/* Erasing: mark_slots sets a bit for each slot whose key is erased; an item of the other steps is a word of 32 slots,
 * which are whole buckets. */
struct bi_hash_erase {
    bosc_hash_view view;
    const void *keys;
    uint32_t *bits;
    int64_t buckets;
    unsigned char *table; /* the buckets, to be written */
    int32_t value_size;   /* of the options */
    bool counted;
    uint64_t *keys_gone, *pairs_gone, *seconds_gone; /* of each word of bits; seconds: keys in their second bucket */
};

BI_FN void bi_step_mark_slots(const struct bi_hash_erase *a, int64_t i)
{
    int64_t slot = bosc_hash_look_up(&a->view, bosc_hash_word_at(a->keys, i, a->view.key_bits));
    if (slot >= 0) bi_atomic_or_u32(&a->bits[slot / 32], 1u << slot % 32);
}

/* Removes the pairs whose bits are set in `gone` from a bucket: the others move up, and the fillers preserve its
 * spilled mark. */
BI_FN void bi_hash_clear_bucket(const struct bi_hash_erase *a, uint32_t bucket, uint32_t gone)
{
    const bosc_hash_view *v = &a->view;
    unsigned char *to = a->table + (uint64_t)bucket * (uint32_t)v->stride;
    unsigned char *values = to + BOSC_HASH_WIDTH * (v->key_bits / 8);
    uint32_t partition = bosc_hash_partition_of(bosc_hash_word_at(to, 0, v->key_bits), v->key_bits, v->partition_bits);
    bool mark = !bi_hash_is_linear(v->partitions[partition]) && bosc_hash_is_spilled(v, partition, bucket);
    int32_t pairs = bi_hash_bucket_pairs(v, bucket), kept = 0;
    for (int32_t i = 0; i < pairs; i++) {
        if (gone >> i & 1) continue;
        if (kept != i) {
            bi_hash_store(to, v->key_bits, kept, bosc_hash_word_at(to, i, v->key_bits));
            bi_hash_copy(values + kept * v->value_size, values + i * v->value_size, v->value_size);
        }
        kept++;
    }
    for (; kept < pairs; kept++) {
        bi_hash_store(to, v->key_bits, kept, bi_hash_filler(partition, v->key_bits, v->partition_bits, mark));
        bi_hash_clear(values + kept * v->value_size, v->value_size);
    }
}

BI_FN void bi_step_count_gone(const struct bi_hash_erase *a, int64_t w)
{
    const bosc_hash_view *v = &a->view;
    uint64_t keys = 0, pairs = 0, seconds = 0;
    for (int i = 0; i < 32; i++) {
        if (!(a->bits[w] >> i & 1)) continue;
        uint32_t bucket = (uint32_t)((w * 32 + i) / BOSC_HASH_WIDTH);
        const char *value = (const char *)bosc_hash_value_at(v, w * 32 + i);
        bosc_hash_word hash = bosc_hash_word_at(bosc_hash_bucket(v, bucket), i % BOSC_HASH_WIDTH, v->key_bits);
        bosc_hash_partition partition = v->partitions[bosc_hash_partition_of(hash, v->key_bits, v->partition_bits)];
        pairs += a->counted ? bi_hash_read_count(value + a->value_size) : 1;
        seconds += bi_hash_is_second(partition, hash, v->key_bits, bucket - partition.first);
        keys++;
    }
    a->keys_gone[w] = keys;
    a->pairs_gone[w] = pairs;
    a->seconds_gone[w] = seconds;
}

BI_FN void bi_step_clear_slots(const struct bi_hash_erase *a, int64_t w)
{
    for (int b = 0; b < 32 / BOSC_HASH_WIDTH; b++) {
        uint32_t gone = a->bits[w] >> BOSC_HASH_WIDTH * b & 15;
        if (gone) bi_hash_clear_bucket(a, (uint32_t)(w * (32 / BOSC_HASH_WIDTH) + b), gone);
    }
}

/* flags[i] = !flags[i] */
struct bi_hash_invert {
    uint8_t *flags;
};

BI_FN void bi_step_invert(const struct bi_hash_invert *a, int64_t i) { a->flags[i] = !a->flags[i]; }

#endif
