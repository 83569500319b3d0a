/* The steps that group pairs by key (see group.c). */
#ifndef BI_HASH_STEPS_GROUP_H
#define BI_HASH_STEPS_GROUP_H

#include "base/atomic.h"
#include "base/bits.h"
#include "base/search.h"
#include "core/tiles.h"
#include "hash/hash.h"

/* Copies a value; values whose size is a multiple of 4 are aligned to 4. */
BI_FN void bi_hash_copy(void *to, const void *from, int32_t size)
{
#ifdef __CUDA_ARCH__
    if (size % 4 == 0) {
        for (int32_t i = 0; i < size / 4; i++) ((uint32_t *)to)[i] = ((const uint32_t *)from)[i];
    } else {
        for (int32_t i = 0; i < size; i++) ((unsigned char *)to)[i] = ((const unsigned char *)from)[i];
    }
#else
    if (size == 4)
        memcpy(to, from, 4);
    else if (size == 8)
        memcpy(to, from, 8);
    else if (size > 0)
        memcpy(to, from, (size_t)size);
#endif
}

BI_FN void bi_hash_clear(void *to, int32_t size)
{
    for (int32_t i = 0; i < size; i++) ((unsigned char *)to)[i] = 0;
}

/* Row i of an array, or NULL. */
BI_FN char *bi_hash_row(const void *array, int32_t size, uint64_t i)
{
    return array ? (char *)(uintptr_t)array + i * (uint64_t)(uint32_t)size : NULL;
}

/* Writes a count behind a value; bytewise, as the size of the value gives no alignment. */
BI_FN void bi_hash_write_count(char *to, uint32_t count)
{
    for (int b = 0; b < 4; b++) to[b] = (char)(count >> 8 * b);
}

BI_FN uint32_t bi_hash_read_count(const char *from)
{
    uint32_t count = 0;
    for (int b = 0; b < 4; b++) count |= (uint32_t)(unsigned char)from[b] << 8 * b;
    return count;
}

/* out[i] = the hash of key rows[i] (rows NULL: i), or one half of it. */
enum { BI_HASH_WHOLE, BI_HASH_LOW, BI_HASH_HIGH };
struct bi_hash_rows {
    const void *keys;
    const uint32_t *rows;
    int32_t key_bits, half;
    uint64_t seed;
    void *out;
};

BI_FN void bi_step_hash_rows(const struct bi_hash_rows *a, int64_t i)
{
    bosc_hash_word key = bosc_hash_word_at(a->keys, a->rows ? (int64_t)a->rows[i] : i, a->key_bits);
    bosc_hash_word hash = bosc_hash_of(key, a->key_bits, a->seed);
    if (a->half == BI_HASH_WHOLE)
        bi_hash_store(a->out, a->key_bits, i, hash);
    else
        ((uint64_t *)a->out)[i] = a->half == BI_HASH_LOW ? hash.low : hash.high;
}

/* *descents: not 0 if a hash is less than the one before it, at every step-th position. */
struct bi_hash_order {
    const void *hashes;
    int64_t n, step;
    int32_t key_bits;
    uint32_t *descents;
};

BI_FN void bi_step_check_order(const struct bi_hash_order *a, int64_t i)
{
    const int64_t at = i * a->step;
    if (at + 1 < a->n &&
        bosc_hash_less(bosc_hash_word_at(a->hashes, at + 1, a->key_bits),
                       bosc_hash_word_at(a->hashes, at, a->key_bits)) &&
        !bi_atomic_load_u32(a->descents))
        bi_atomic_or_u32(a->descents, 1);
}

/* heads[i] = 1 for the first of equal, adjacent hashes. */
struct bi_hash_heads {
    const void *hashes;
    int32_t key_bits;
    uint8_t *heads;
};

BI_FN void bi_step_mark_heads(const struct bi_hash_heads *a, int64_t i)
{
    a->heads[i] = i == 0 || !bi_hash_same(bosc_hash_word_at(a->hashes, i - 1, a->key_bits),
                                          bosc_hash_word_at(a->hashes, i, a->key_bits));
}

/* *bad: the least row whose key occurred in an earlier row. */
struct bi_hash_repeat {
    const uint8_t *heads;
    const uint32_t *rows;
    int64_t *bad;
};

BI_FN void bi_step_first_repeat(const struct bi_hash_repeat *a, int64_t i)
{
    if (!a->heads[i]) bi_atomic_min_i64(a->bad, a->rows[i]);
}

/* out[i] = items[rows[i]] */
struct bi_hash_gather {
    const void *items;
    const uint32_t *rows;
    int32_t size;
    void *out;
};

BI_FN void bi_step_gather(const struct bi_hash_gather *a, int64_t i)
{
    bi_hash_copy(bi_hash_row(a->out, a->size, (uint64_t)i), bi_hash_row(a->items, a->size, a->rows[i]), a->size);
}

/* Values with their counts (NULL: 1 each), as a counted map stores them. */
struct bi_hash_attach {
    const void *values;
    const uint32_t *counts;
    int32_t value_size;
    void *out;
};

BI_FN void bi_step_attach(const struct bi_hash_attach *a, int64_t i)
{
    uint32_t count = a->counts ? a->counts[i] : 1;
    char *to = bi_hash_row(a->out, a->value_size + 4, (uint64_t)i);
    if (a->value_size) bi_hash_copy(to, bi_hash_row(a->values, a->value_size, (uint64_t)i), a->value_size);
    bi_hash_write_count(to + a->value_size, count);
}

/* One pair for each group of equal keys. */
struct bi_hash_reduce {
    const void *hashes;           /* (n) sorted */
    const uint32_t *rows;         /* (n) */
    const uint32_t *group_begins; /* (groups) */
    int64_t groups, n;
    int32_t key_bits, value_size, value_bytes;
    bosc_hash_duplicates duplicates;
    bosc_dtype dtype;
    const void *values;     /* by row */
    const void *running;    /* (n) the sums or minima of each group up to there; NULL: floats are added here */
    const uint32_t *counts; /* (n) likewise of the counts; NULL: all were 1 */
    bool multimap, counted;
    void *out_hashes, *out_values;
};

/* Adds floats in the order of the rows. */
BI_FN void bi_hash_add_floats(const struct bi_hash_reduce *a, int64_t begin, int64_t end, void *to)
{
    if (a->dtype == BOSC_F32) {
        const float *values = (const float *)a->values;
        float sum = values[a->rows[begin]];
        for (int64_t i = begin + 1; i < end; i++) sum += values[a->rows[i]];
        sum = bi_canonical_f32(sum);
        bi_hash_copy(to, &sum, 4);
    } else {
        const double *values = (const double *)a->values;
        double sum = values[a->rows[begin]];
        for (int64_t i = begin + 1; i < end; i++) sum += values[a->rows[i]];
        sum = bi_canonical_f64(sum);
        bi_hash_copy(to, &sum, 8);
    }
}

BI_FN void bi_step_reduce(const struct bi_hash_reduce *a, int64_t g)
{
    int64_t begin = a->group_begins[g], end = g + 1 < a->groups ? (int64_t)a->group_begins[g + 1] : a->n;
    char *to = bi_hash_row(a->out_values, a->value_bytes, (uint64_t)g);
    uint32_t count = a->counts ? a->counts[end - 1] : (uint32_t)(end - begin), first = (uint32_t)begin;
    bi_hash_store(a->out_hashes, a->key_bits, g, bosc_hash_word_at(a->hashes, begin, a->key_bits));
    if (a->multimap) {
        bi_hash_copy(to, &first, 4);
        bi_hash_copy(to + 4, &count, 4);
        return;
    }
    bool sums = a->duplicates == BOSC_HASH_SUM || a->duplicates == BOSC_HASH_MIN;
    if (sums && end - begin > 1 && a->running) {
        bi_hash_copy(to, bi_hash_row(a->running, a->value_size, (uint64_t)end - 1), a->value_size);
    } else if (sums && end - begin > 1) {
        bi_hash_add_floats(a, begin, end, to);
    } else if (a->value_size) {
        int64_t at = a->duplicates == BOSC_HASH_LAST ? end - 1 : begin;
        bi_hash_copy(to, bi_hash_row(a->values, a->value_size, a->rows[at]), a->value_size);
    }
    if (a->counted) bi_hash_write_count(to + a->value_size, count);
}

/* Finds the start of each partition among sorted hashes. known: NULL, or (2^known_bits + 1) starts of other partitions,
 * by the top known_bits of the hashes: no search is needed where these partitions are finer. */
struct bi_hash_find_starts {
    const void *hashes;
    int64_t n;
    int32_t key_bits, partition_bits;
    uint32_t *starts;
    const uint32_t *known;
    int32_t known_bits;
};

BI_FN void bi_step_find_starts(const struct bi_hash_find_starts *a, int64_t partition)
{
    int64_t low = 0, high = a->n;
    if (a->known && a->known_bits >= a->partition_bits) {
        a->starts[partition] = a->known[partition << (a->known_bits - a->partition_bits)];
        return;
    }
    BI_PARTITION_POINT(low, high, mid,
                       (int64_t)bosc_hash_partition_of(bosc_hash_word_at(a->hashes, mid, a->key_bits), a->key_bits,
                                                       a->partition_bits) < partition);
    a->starts[partition] = (uint32_t)low;
}

/* Numbers keys by first occurrence. */
struct bi_hash_ids {
    const uint8_t *heads;             /* (n) sorted by hash */
    const uint32_t *rows;             /* (n) */
    const uint32_t *group_begins;     /* (groups) */
    const uint32_t *groups;           /* (n) by position in the order, from 1 on */
    uint8_t *is_first;                /* (n) by row */
    const uint32_t *exclusive_prefix; /* (n) number of earlier rows with a new key */
    int64_t *ids;
};

BI_FN void bi_step_mark_first(const struct bi_hash_ids *a, int64_t i) { a->is_first[a->rows[i]] = a->heads[i]; }

/* The key of the row at position i has the number of keys that occurred before the first row of its group. */
BI_FN void bi_step_write_ids(const struct bi_hash_ids *a, int64_t i)
{
    a->ids[a->rows[i]] = a->exclusive_prefix[a->rows[a->group_begins[a->groups[i] - 1]]];
}

/* Ranks of numbered keys among their hashes, and of rows by their keys' ranks. */
struct bi_hash_ranks {
    const uint32_t *numbers; /* (n) of each row's key */
    const uint32_t *order;   /* (count) the numbers by ascending hash */
    const void *hashes;      /* (count) ascending */
    int32_t key_bits;
    uint32_t *ranks;     /* (count) of each number */
    uint32_t *row_ranks; /* (n) */
    void *sorted;        /* (n) the hashes of row_ranks */
};

BI_FN void bi_step_rank_numbers(const struct bi_hash_ranks *a, int64_t rank)
{
    a->ranks[a->order[rank]] = (uint32_t)rank;
}

BI_FN void bi_step_rank_rows(const struct bi_hash_ranks *a, int64_t i) { a->row_ranks[i] = a->ranks[a->numbers[i]]; }

BI_FN void bi_step_hash_ranks(const struct bi_hash_ranks *a, int64_t i)
{
    bi_hash_store(a->sorted, a->key_bits, i, bosc_hash_word_at(a->hashes, a->row_ranks[i], a->key_bits));
}

/* ids[i] = numbers[i] */
struct bi_hash_numbered_ids {
    const uint32_t *numbers;
    int64_t *ids;
};

BI_FN void bi_step_number_ids(const struct bi_hash_numbered_ids *a, int64_t i) { a->ids[i] = a->numbers[i]; }

/* Lists groups in pieces (struct bi_hash_groups) with their values: the first pair's position, and the number of
 * pairs. */
struct bi_hash_expand_spans {
    const void *hashes;
    const uint32_t *spans, *starts, *begins;
    int32_t starts_bits, key_bits;
    void *out_hashes; /* (groups) */
    uint32_t *values; /* two a group */
};

BI_FN void bi_step_expand_spans(const struct bi_hash_expand_spans *a, int64_t i)
{
    int64_t low = 0, high = ((int64_t)1 << a->starts_bits) + 1;
    BI_PARTITION_POINT(low, high, mid, (int64_t)a->starts[mid] <= i);
    const int64_t piece = low - 1, from = (int64_t)a->begins[piece] + i - (int64_t)a->starts[piece];
    const bool last = i + 1 == (int64_t)a->starts[piece + 1];
    bi_hash_store(a->out_hashes, a->key_bits, i, bosc_hash_word_at(a->hashes, from, a->key_bits));
    a->values[2 * i] = a->spans[from];
    a->values[2 * i + 1] = (last ? a->begins[piece + 1] : a->spans[from + 1]) - a->spans[from];
}

struct bi_hash_widen {
    const uint8_t *flags;
    uint32_t *words;
};

BI_FN void bi_step_widen(const struct bi_hash_widen *a, int64_t i) { a->words[i] = a->flags[i]; }

#endif
