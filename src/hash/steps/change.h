/* The steps that change tables, number keys, and check what was read from a file. */
#ifndef BI_HASH_STEPS_CHANGE_H
#define BI_HASH_STEPS_CHANGE_H

#include "hash/steps/read.h"

struct bi_hash_ones {
    uint32_t *counts;
};

BI_FN void bi_step_ones(const struct bi_hash_ones *a, int64_t i) { a->counts[i] = 1; }

/* touched[part] = 1 where a key belongs to the part. */
struct bi_hash_touch {
    const void *keys;
    int32_t key_bits, part_bits;
    uint64_t seed;
    uint32_t *touched;
};

BI_FN void bi_step_touch(const struct bi_hash_touch *a, int64_t i)
{
    bosc_hash_word hash = bosc_hash_of(bosc_hash_load(a->keys, i, a->key_bits), a->key_bits, a->seed);
    bi_atomic_or_u32(&a->touched[bosc_hash_part_of(hash, a->key_bits, a->part_bits)], 1);
}

/* *over = 1 if the list of a part is too long for its buckets. */
struct bi_hash_room {
    const bosc_hash_part *parts;
    const uint32_t *starts;
    double load;
    uint32_t *over;
};

BI_FN void bi_step_check_room(const struct bi_hash_room *a, int64_t part)
{
    uint32_t keys = a->starts[part + 1] - a->starts[part];
    uint32_t buckets = a->parts[part].buckets_seed >> BOSC_HASH_SEED_BITS;
    if (keys && bi_hash_part_buckets(a->load, keys) > buckets) bi_atomic_or_u32(a->over, 1);
}

BI_FN bool bi_hash_is_linear(bosc_hash_part part) { return (part.buckets_seed & BOSC_HASH_LINEAR) == BOSC_HASH_LINEAR; }

/* Is a hash that lies in this bucket, from its part's first one, in its second bucket? */
BI_FN bool bi_hash_is_second(bosc_hash_part part, bosc_hash_word hash, int32_t key_bits, uint32_t bucket)
{
    uint32_t pick[2];
    if (bi_hash_is_linear(part)) return false;
    bosc_hash_buckets(bosc_hash_fold(hash, key_bits), part.buckets_seed & BOSC_HASH_LINEAR,
                      part.buckets_seed >> BOSC_HASH_SEED_BITS, pick);
    return pick[0] != bucket;
}

/* The keys of each bucket that are in their second one; of the touched parts (NULL: of all). */
struct bi_hash_second {
    bosc_hash_view view;
    const uint32_t *touched;
    uint32_t *seconds;
};

BI_FN void bi_step_count_second(const struct bi_hash_second *a, int64_t bucket)
{
    const bosc_hash_view *v = &a->view;
    int32_t pairs = bi_hash_bucket_pairs(v, (uint32_t)bucket);
    uint32_t seconds = 0;
    for (int32_t i = 0; i < pairs; i++) {
        bosc_hash_word hash = bosc_hash_load(bosc_hash_bucket(v, (uint32_t)bucket), i, v->key_bits);
        uint32_t number = bosc_hash_part_of(hash, v->key_bits, v->part_bits);
        bosc_hash_part part = v->parts[number];
        if (a->touched && !a->touched[number]) break;
        seconds += bi_hash_is_second(part, hash, v->key_bits, (uint32_t)bucket - part.first);
    }
    a->seconds[bucket] = seconds;
}

/* 1 for a part with another seed than 0, 2^32 for a linear one. */
struct bi_hash_seeds {
    const bosc_hash_part *parts;
    const uint32_t *touched; /* NULL: all */
    uint64_t *seeds;
};

BI_FN void bi_step_count_seeds(const struct bi_hash_seeds *a, int64_t i)
{
    bool other = (a->parts[i].buckets_seed & BOSC_HASH_LINEAR) != 0;
    a->seeds[i] = bi_hash_is_linear(a->parts[i]) ? (uint64_t)1 << 32 : other;
    if (a->touched && !a->touched[i]) a->seeds[i] = 0;
}

/* Erasing: a bit for each place whose key goes; then 32 places, which are whole buckets, are gone through at once. */
struct bi_hash_erase {
    bosc_hash_view view;
    const void *keys;
    uint32_t *bits;
    int64_t buckets;
    unsigned char *table; /* the buckets, to be written */
    int32_t value_size;   /* of the options */
    bool counted;
    uint64_t *keys_gone, *pairs_gone, *seconds_gone; /* of each word of bits */
};

BI_FN void bi_step_mark_places(const struct bi_hash_erase *a, int64_t i)
{
    int64_t place = bosc_hash_look_up(&a->view, bosc_hash_load(a->keys, i, a->view.key_bits));
    if (place >= 0) bi_atomic_or_u32(&a->bits[place / 32], 1u << place % 32);
}

/* Takes pairs out of a bucket: the others move up, and fillers keep the mark. */
BI_FN void bi_hash_clear_places(const struct bi_hash_erase *a, uint32_t bucket, uint32_t gone)
{
    const bosc_hash_view *v = &a->view;
    unsigned char *to = a->table + (uint64_t)bucket * (uint32_t)v->stride;
    unsigned char *values = to + BOSC_HASH_WIDTH * (v->key_bits / 8);
    uint32_t part = bosc_hash_part_of(bosc_hash_load(to, 0, v->key_bits), v->key_bits, v->part_bits);
    bool mark = !bi_hash_is_linear(v->parts[part]) && bosc_hash_is_overflowed(v, part, bucket);
    int32_t pairs = bi_hash_bucket_pairs(v, bucket), kept = 0;
    for (int32_t i = 0; i < pairs; i++) {
        if (gone >> i & 1) continue;
        if (kept != i) {
            bi_hash_store(to, v->key_bits, kept, bosc_hash_load(to, i, v->key_bits));
            bi_hash_copy(values + kept * v->value_size, values + i * v->value_size, v->value_size);
        }
        kept++;
    }
    for (; kept < pairs; kept++) {
        bi_hash_store(to, v->key_bits, kept, bi_hash_filler(part, v->key_bits, v->part_bits, mark));
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
        bosc_hash_word hash = bosc_hash_load(bosc_hash_bucket(v, bucket), i % BOSC_HASH_WIDTH, v->key_bits);
        bosc_hash_part part = v->parts[bosc_hash_part_of(hash, v->key_bits, v->part_bits)];
        pairs += a->counted ? bi_hash_get_count(value + a->value_size) : 1;
        seconds += bi_hash_is_second(part, hash, v->key_bits, bucket - part.first);
        keys++;
    }
    a->keys_gone[w] = keys;
    a->pairs_gone[w] = pairs;
    a->seconds_gone[w] = seconds;
}

BI_FN void bi_step_clear_places(const struct bi_hash_erase *a, int64_t w)
{
    for (int b = 0; b < 32 / BOSC_HASH_WIDTH; b++) {
        uint32_t gone = a->bits[w] >> BOSC_HASH_WIDTH * b & 15;
        if (gone) bi_hash_clear_places(a, (uint32_t)(w * (32 / BOSC_HASH_WIDTH) + b), gone);
    }
}

/* flags[i] = !flags[i] */
struct bi_hash_invert {
    uint8_t *flags;
};

BI_FN void bi_step_invert(const struct bi_hash_invert *a, int64_t i) { a->flags[i] = !a->flags[i]; }

/* Numbers by first occurrence. */
struct bi_hash_ids {
    const uint8_t *heads;   /* (n) sorted by hash */
    const uint32_t *rows;   /* (n) */
    const uint32_t *firsts; /* (groups) */
    const uint32_t *groups; /* (n) of each place, from 1 on */
    uint8_t *is_first;      /* (n) by row */
    const uint32_t *before; /* (n) by row: rows before it that are the first of their key */
    int64_t *ids;
};

BI_FN void bi_step_mark_first(const struct bi_hash_ids *a, int64_t i) { a->is_first[a->rows[i]] = a->heads[i]; }

BI_FN void bi_step_give_ids(const struct bi_hash_ids *a, int64_t i)
{
    a->ids[a->rows[i]] = a->before[a->rows[a->firsts[a->groups[i] - 1]]];
}

struct bi_hash_widen {
    const uint8_t *flags;
    uint32_t *words;
};

BI_FN void bi_step_widen(const struct bi_hash_widen *a, int64_t i) { a->words[i] = a->flags[i]; }

/* Of a bucketed table that was read: parts follow one another; then every hash is where it is looked for. */
enum { BI_HASH_BAD_PART = 1, BI_HASH_BAD_PLACE = 2, BI_HASH_BAD_MARK = 4 };
struct bi_hash_check {
    bosc_hash_view view;
    uint32_t buckets;
    uint32_t *found;
    bool buckets_too;
};

BI_FN uint32_t bi_hash_check_bucket(const bosc_hash_view *v, uint32_t number, uint32_t b)
{
    bosc_hash_part part = v->parts[number];
    uint32_t bucket = part.first + b, pick[2] = {b, b};
    const unsigned char *hashes = bosc_hash_bucket(v, bucket);
    bosc_hash_word last = bosc_hash_load(hashes, BOSC_HASH_WIDTH - 1, v->key_bits);
    bool ended = false;
    for (int32_t i = 0; i < BOSC_HASH_WIDTH; i++) {
        bosc_hash_word hash = bosc_hash_load(hashes, i, v->key_bits);
        if (bosc_hash_part_of(hash, v->key_bits, v->part_bits) != number) {
            ended = true;
            if (!bi_hash_same(hash, last) ||
                !bi_hash_same(hash, bi_hash_filler(number, v->key_bits, v->part_bits, hash.low & 1)))
                return BI_HASH_BAD_PLACE;
            continue;
        }
        if (ended) return BI_HASH_BAD_PLACE;
        if (bi_hash_is_linear(part)) continue;
        bosc_hash_buckets(bosc_hash_fold(hash, v->key_bits), part.buckets_seed & BOSC_HASH_LINEAR,
                          part.buckets_seed >> BOSC_HASH_SEED_BITS, pick);
        if (pick[0] != b && pick[1] != b) return BI_HASH_BAD_PLACE;
        if (pick[0] != b && !bosc_hash_is_overflowed(v, number, part.first + pick[0])) return BI_HASH_BAD_MARK;
    }
    return 0;
}

BI_FN void bi_step_check_part(const struct bi_hash_check *a, int64_t i)
{
    const bosc_hash_view *v = &a->view;
    bosc_hash_part part = v->parts[i];
    uint32_t buckets = part.buckets_seed >> BOSC_HASH_SEED_BITS;
    if (!a->buckets_too) {
        bool last = i + 1 == (int64_t)1 << v->part_bits;
        uint32_t next = last ? a->buckets : v->parts[i + 1].first;
        if (buckets == 0 || (i == 0 && part.first != 0) || (uint64_t)part.first + buckets != next)
            bi_atomic_or_u32(a->found, BI_HASH_BAD_PART);
        return;
    }
    uint32_t found = 0;
    for (uint32_t b = 0; b < buckets; b++) found |= bi_hash_check_bucket(v, (uint32_t)i, b);
    if (found) bi_atomic_or_u32(a->found, found);
}

/* What is kept with key i: counts go to a sum, and a multimap's values must be there. */
struct bi_hash_check_kept {
    struct bi_hash_kept kept;
    int64_t pairs;
    int64_t *counts;
    uint32_t *found;
};

BI_FN void bi_step_check_kept(const struct bi_hash_check_kept *a, int64_t i)
{
    const struct bi_hash_kept *k = &a->kept;
    uint32_t count = bi_hash_kept_count(k, i);
    a->counts[i] = count;
    if (count == 0 || (k->multimap && (int64_t)bi_hash_kept_first(k, i) + count > a->pairs)) bi_atomic_or_u32(a->found, 1);
}

#endif
