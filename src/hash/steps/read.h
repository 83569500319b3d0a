/* The steps that read tables: what find brought, as the caller wants it, and lists of all pairs. */
#ifndef BI_HASH_STEPS_READ_H
#define BI_HASH_STEPS_READ_H

#include "hash/steps/group.h"

/* What a table keeps with a key, from find or a list of pairs: (n) of value_bytes, zeros for an absent key. */
struct bi_hash_kept {
    const void *kept;
    int32_t value_bytes, value_size;
    bool multimap, counted;
    const void *values; /* of a multimap */
};

BI_FN uint32_t bi_hash_kept_first(const struct bi_hash_kept *k, int64_t i)
{
    return ((const uint32_t *)k->kept)[2 * i];
}

BI_FN uint32_t bi_hash_kept_count(const struct bi_hash_kept *k, int64_t i)
{
    if (k->multimap) return ((const uint32_t *)k->kept)[2 * i + 1];
    return bi_hash_get_count(bi_hash_row(k->kept, k->value_bytes, (uint64_t)i) + k->value_size);
}

/* out[i] = the value, or a multimap's first one. */
struct bi_hash_unpack {
    struct bi_hash_kept kept;
    void *out;
};

BI_FN void bi_step_unpack(const struct bi_hash_unpack *a, int64_t i)
{
    const struct bi_hash_kept *k = &a->kept;
    char *to = bi_hash_row(a->out, k->value_size, (uint64_t)i);
    if (!k->multimap)
        bi_hash_copy(to, bi_hash_row(k->kept, k->value_bytes, (uint64_t)i), k->value_size);
    else if (bi_hash_kept_count(k, i))
        bi_hash_copy(to, bi_hash_row(k->values, k->value_size, bi_hash_kept_first(k, i)), k->value_size);
    else
        bi_hash_clear(to, k->value_size);
}

/* counts[i] = how many pairs the key came with; of a map that is not counted, found[i] (NULL: 1). */
struct bi_hash_take_counts {
    struct bi_hash_kept kept;
    const uint8_t *found;
    int64_t *counts;
    uint32_t *narrow; /* in lieu of counts; may be NULL */
};

BI_FN void bi_step_take_counts(const struct bi_hash_take_counts *a, int64_t i)
{
    const struct bi_hash_kept *k = &a->kept;
    uint32_t count = k->multimap || k->counted ? bi_hash_kept_count(k, i) : a->found ? a->found[i] : 1;
    if (a->narrow)
        a->narrow[i] = count;
    else
        a->counts[i] = count;
}

/* Value i of rows in compressed sparse form: offsets (m + 1). Offsets that are not those of the keys give some value,
 * or none. */
struct bi_hash_fetch {
    struct bi_hash_kept kept;
    const int64_t *offsets;
    int64_t m;
    void *out;
    const void *keys; /* (m): each value gets a copy of its key in out_keys; NULL: none does */
    int32_t key_bits;
    void *out_keys;
};

BI_FN void bi_step_fetch_values(const struct bi_hash_fetch *a, int64_t i)
{
    const struct bi_hash_kept *k = &a->kept;
    int64_t low = 0, high = a->m - 1; /* the last row that begins at or before i */
    while (low < high) {
        int64_t mid = low + (high - low + 1) / 2;
        if (a->offsets[mid] <= i)
            low = mid;
        else
            high = mid - 1;
    }
    int64_t nth = i - a->offsets[low];
    if (a->keys) bi_hash_store(a->out_keys, a->key_bits, i, bosc_hash_load(a->keys, low, a->key_bits));
    char *to = bi_hash_row(a->out, k->value_size, (uint64_t)i);
    if (!k->multimap)
        bi_hash_copy(to, bi_hash_row(k->kept, k->value_bytes, (uint64_t)low), k->value_size);
    else if (nth >= 0 && nth < (int64_t)bi_hash_kept_count(k, low))
        bi_hash_copy(to, bi_hash_row(k->values, k->value_size, (uint64_t)bi_hash_kept_first(k, low) + (uint64_t)nth),
                     k->value_size);
    else
        bi_hash_clear(to, k->value_size);
}

/* The pairs of a bucketed table, bucket after bucket. */
struct bi_hash_places {
    bosc_hash_view view;
    const uint32_t *touched; /* (parts) not 0: the pairs of this one; NULL: all */
    uint32_t *counts;        /* count_places: (buckets) */
    const uint32_t *begins;  /* list_places: (buckets) */
    void *hashes, *values;
};

/* Pairs in a bucket: fillers stand last, and two of them are the same. */
BI_FN int32_t bi_hash_bucket_pairs(const bosc_hash_view *view, uint32_t bucket)
{
    const unsigned char *hashes = bosc_hash_bucket(view, bucket);
    bosc_hash_word first = bosc_hash_load(hashes, 0, view->key_bits);
    if (bi_hash_same(first, bosc_hash_load(hashes, 1, view->key_bits))) return 0;
    uint32_t part = bosc_hash_part_of(first, view->key_bits, view->part_bits);
    int32_t count = 1;
    while (count < BOSC_HASH_WIDTH &&
           bosc_hash_part_of(bosc_hash_load(hashes, count, view->key_bits), view->key_bits, view->part_bits) == part)
        count++;
    return count;
}

/* How many of them are asked for. */
BI_FN int32_t bi_hash_asked_pairs(const struct bi_hash_places *a, uint32_t bucket)
{
    const bosc_hash_view *v = &a->view;
    bosc_hash_word first = bosc_hash_load(bosc_hash_bucket(v, bucket), 0, v->key_bits);
    if (a->touched && !a->touched[bosc_hash_part_of(first, v->key_bits, v->part_bits)]) return 0;
    return bi_hash_bucket_pairs(v, bucket);
}

BI_FN void bi_step_count_places(const struct bi_hash_places *a, int64_t bucket)
{
    a->counts[bucket] = (uint32_t)bi_hash_asked_pairs(a, (uint32_t)bucket);
}

BI_FN void bi_step_list_places(const struct bi_hash_places *a, int64_t bucket)
{
    const bosc_hash_view *v = &a->view;
    const unsigned char *from = bosc_hash_bucket(v, (uint32_t)bucket);
    int32_t count = bi_hash_asked_pairs(a, (uint32_t)bucket);
    for (int32_t i = 0; i < count; i++) {
        int64_t at = (int64_t)a->begins[bucket] + i;
        bi_hash_store(a->hashes, v->key_bits, at, bosc_hash_load(from, i, v->key_bits));
        if (a->values)
            bi_hash_copy(bi_hash_row(a->values, v->value_size, (uint64_t)at),
                         bosc_hash_value_at(v, bucket * BOSC_HASH_WIDTH + i), v->value_size);
    }
}

/* The buckets of each linear part; 0 of others. */
struct bi_hash_lengths {
    const bosc_hash_part *parts;
    uint32_t *lengths;
};

BI_FN void bi_step_linear_lengths(const struct bi_hash_lengths *a, int64_t i)
{
    uint32_t word = a->parts[i].buckets_seed;
    a->lengths[i] = (word & BOSC_HASH_LINEAR) == BOSC_HASH_LINEAR ? word >> BOSC_HASH_SEED_BITS : 0;
}

/* Hashes back to keys. */
struct bi_hash_keys {
    const void *hashes;
    int32_t key_bits;
    uint64_t seed;
    void *keys;
};

BI_FN void bi_step_keys_of(const struct bi_hash_keys *a, int64_t i)
{
    bosc_hash_word hash = bosc_hash_load(a->hashes, i, a->key_bits);
    bi_hash_store(a->keys, a->key_bits, i, bi_hash_key_of(hash, a->key_bits, a->seed));
}

#endif
