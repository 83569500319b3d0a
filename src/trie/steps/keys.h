/* Keys of tries: letters, digits and places in their reversed words, query vectors, and the hash table of keys. */
#ifndef BI_TRIE_STEPS_KEYS_H
#define BI_TRIE_STEPS_KEYS_H

#include <stdbool.h>

#include "base/atomic.h"
#include "base/bits.h"
#include "base/search.h"
#include "trie/trie.h"

/* ---- words ---- */

/* Reverses the bits of each letter of a reversed word: swaps bits i and letter_bits - 1 - i, `gap` apart. */
BI_FN uint64_t bi_trie_mirror(const struct bi_trie_shape *s, uint64_t x)
{
    for (int32_t i = 0, gap = s->letters.letter_bits - 1; gap > 0; i++, gap -= 2) {
        uint64_t differ = (x >> gap ^ x) & s->reversed_lows << i;
        x ^= differ | differ << gap;
    }
    return x;
}

/* Reverses a packed word: letters from the top bit down; bi_trie_restore is the inverse. */
BI_FN uint64_t bi_trie_reverse(const struct bi_trie_shape *s, uint64_t word)
{
    return bi_trie_mirror(s, bi_reverse_bits(word));
}
BI_FN uint64_t bi_trie_restore(const struct bi_trie_shape *s, uint64_t reversed)
{
    return bi_reverse_bits(bi_trie_mirror(s, reversed));
}

/* The digit at a place of its reversed word. */
BI_FN uint32_t bi_trie_digit(const struct bi_trie_shape *s, uint64_t reversed, uint32_t place)
{
    return (uint32_t)(reversed << (place & 63) >> (64 - s->digit_bits));
}

/* The begin of the digit that contains a place. */
BI_FN uint32_t bi_trie_digit_place(const struct bi_trie_shape *s, uint32_t place)
{
    uint32_t bit = place & 63;
    return place - bit + bit / (uint32_t)s->digit_bits * (uint32_t)s->digit_bits;
}

/* The place of digit `level` of a key. */
BI_FN uint32_t bi_trie_level_place(const struct bi_trie_shape *s, int32_t level)
{
    return (uint32_t)(level / s->digits * 64 + level % s->digits * s->digit_bits);
}
BI_FN int32_t bi_trie_level(const struct bi_trie_shape *s, uint32_t place)
{
    return (int32_t)(place >> 6) * s->digits + (int32_t)(place & 63) / s->digit_bits;
}

BI_FN int32_t bi_trie_letter(const struct bi_trie_shape *s, uint32_t place)
{
    return (int32_t)(place >> 6) * s->letters.per_word + (int32_t)(place & 63) / s->letters.letter_bits;
}
BI_FN uint32_t bi_trie_letter_place(const struct bi_trie_shape *s, int32_t letter)
{
    return (uint32_t)(letter / s->letters.per_word * 64 + letter % s->letters.per_word * s->letters.letter_bits);
}

/* A query vector: a row of the caller, or a reversed one. Or the smallest vector above a key that matches a row:
 * equal to `above` before place `split`, 1 there, and equal to the row behind. */
struct bi_trie_query {
    const struct bi_trie_shape *shape;
    const uint64_t *row, *mask; /* mask: NULL, or the bits of a packed row that count */
    const uint64_t *above;      /* NULL, or a reversed row */
    uint32_t split;
    bool reversed;
};

/* Key `row` of a trie, reversed, as a query vector. */
BI_FN struct bi_trie_query bi_trie_query_of_key(const struct bi_trie_shape *shape, const uint64_t *row)
{
    return (struct bi_trie_query){shape, row, NULL, NULL, 0, true};
}

BI_FN uint64_t bi_trie_row_word(const struct bi_trie_query *x, int32_t word)
{
    if (x->reversed) return x->row[word];
    uint64_t packed = x->row[word] & bi_letters_mask(&x->shape->letters, word);
    return bi_trie_reverse(x->shape, x->mask ? packed & x->mask[word] : packed);
}

BI_FN uint64_t bi_trie_word(const struct bi_trie_query *x, int32_t word)
{
    if (!x->above) return bi_trie_row_word(x, word);
    int32_t split = (int32_t)(x->split >> 6);
    if (word < split) return x->above[word];
    uint64_t row = bi_trie_row_word(x, word);
    if (word > split) return row;
    uint64_t bit = 1ull << (63 - (x->split & 63)), below = bit - 1;
    return (x->above[word] & ~(bit | below)) | bit | (row & below);
}

BI_FN const uint64_t *bi_trie_key(const struct bi_trie_view *v, int64_t rank)
{
    return v->keys + rank * v->shape.letters.words;
}

/* The first place below `limit` at which the key and x differ, or `limit`. */
BI_FN uint32_t bi_trie_first_difference(const struct bi_trie_view *v, const struct bi_trie_query *x, int64_t rank,
                                        uint32_t limit)
{
    const uint64_t *key = bi_trie_key(v, rank);
    for (int32_t s = 0; (uint32_t)s * 64 < limit; s++) {
        uint64_t differ = key[s] ^ bi_trie_word(x, s);
        if (!differ) continue;
        uint32_t place = (uint32_t)s * 64 + (uint32_t)bi_leading_zeros(differ);
        return place < limit ? place : limit;
    }
    return limit;
}

/* The bit of x at a place. */
BI_FN bool bi_trie_bit(const struct bi_trie_query *x, uint32_t place)
{
    return bi_trie_word(x, (int32_t)(place >> 6)) << (place & 63) >> 63;
}

/* The place behind the last one of a key. */
BI_FN uint32_t bi_trie_key_bits(const struct bi_trie_shape *s) { return (uint32_t)s->letters.words * 64; }

/* ---- the hash table ---- */

/* Of the keys of a compact trie: a lookup reads two memory locations whatever the depth. A bucket is one sector of
 * device memory, filled from its begin. A key is in its home bucket or, if that is full, in one of the next. Keys that
 * find all of these full are left out, and found by the nodes; only adversarial input makes many. */
enum { BI_TRIE_PROBES = 4 /* buckets */ };
#define BI_TRIE_EMPTY 0xffffffffu

/* Neither a rank nor -1: search the nodes. */
enum { BI_TRIE_UNKNOWN = -2 };

BI_FN uint64_t bi_trie_hash(const struct bi_trie_query *x)
{
    uint64_t hash = 0;
    for (int32_t s = 0; s < x->shape->letters.words; s++) {
        hash = (hash ^ bi_trie_word(x, s)) * 0x9e3779b97f4a7c15ull;
        hash ^= hash >> 32;
    }
    return bi_mix_u64(hash);
}

BI_FN uint32_t bi_trie_home(const struct bi_trie_table *t, uint64_t hash)
{
    return (uint32_t)((hash >> 32) * t->buckets >> 32);
}

/* A key's slot: bits of its hash above its rank. Never BI_TRIE_EMPTY, as ranks are less than 2^rank_bits - 1. */
BI_FN uint32_t bi_trie_make_slot(const struct bi_trie_table *t, uint64_t hash, int64_t rank)
{
    return (uint32_t)(hash << t->rank_bits) | (uint32_t)rank;
}

BI_FN uint32_t bi_trie_bucket_after(const struct bi_trie_table *t, uint32_t bucket)
{
    return bucket + 1 < t->buckets ? bucket + 1 : 0;
}

/* Bit mask of the slots of a bucket that may hold a key with this hash; *open: the bucket is not full. */
BI_FN uint32_t bi_trie_candidates(const struct bi_trie_table *t, uint32_t bucket, uint64_t hash, bool *open)
{
    uint32_t tag = bi_trie_make_slot(t, hash, 0), which = 0, slots[BI_TRIE_BUCKET];
    const uint32_t *from = t->slots + (uint64_t)bucket * BI_TRIE_BUCKET;
#ifdef __CUDA_ARCH__
    const uint4 low = ((const uint4 *)from)[0], high = ((const uint4 *)from)[1];
    slots[0] = low.x, slots[1] = low.y, slots[2] = low.z, slots[3] = low.w;
    slots[4] = high.x, slots[5] = high.y, slots[6] = high.z, slots[7] = high.w;
#else
    memcpy(slots, from, sizeof slots);
#endif
    *open = slots[BI_TRIE_BUCKET - 1] == BI_TRIE_EMPTY;
    for (uint32_t j = 0; j < BI_TRIE_BUCKET; j++)
        which |= (uint32_t)((slots[j] ^ tag) >> t->rank_bits == 0 && slots[j] != BI_TRIE_EMPTY) << j;
    return which;
}

/* The rank in the first slot of a mask. */
BI_FN int64_t bi_trie_rank_in(const struct bi_trie_table *t, uint32_t bucket, uint32_t which)
{
    return t->slots[(uint64_t)bucket * BI_TRIE_BUCKET + (uint32_t)bi_lowest_bit(which)] & ((1u << t->rank_bits) - 1);
}

/* The rank of x by the table, -1, or BI_TRIE_UNKNOWN. */
BI_FN int64_t bi_trie_find_hashed(const struct bi_trie_view *v, const struct bi_trie_query *x, uint64_t hash)
{
    const struct bi_trie_table *t = &v->table;
    uint32_t bucket = bi_trie_home(t, hash), whole = bi_trie_key_bits(&v->shape);
    for (int probe = 0; probe < BI_TRIE_PROBES; probe++, bucket = bi_trie_bucket_after(t, bucket)) {
        bool open;
        for (uint32_t which = bi_trie_candidates(t, bucket, hash, &open); which; which &= which - 1) {
            int64_t rank = bi_trie_rank_in(t, bucket, which);
            if (bi_trie_first_difference(v, x, rank, whole) == whole) return rank;
        }
        if (open) return -1;
    }
    return BI_TRIE_UNKNOWN;
}

struct bi_trie_table_insert {
    struct bi_trie_view view;
};

/* A slot of the bucket; all before it are occupied. */
BI_FN uint32_t bi_trie_open_slot(const struct bi_trie_table *t, uint32_t bucket)
{
#ifdef __CUDA_ARCH__ /* counts the occupied slots by two wide loads */
    const uint4 *from = (const uint4 *)(t->slots + (uint64_t)bucket * BI_TRIE_BUCKET);
    const uint4 low = bi_load_hint(from), high = bi_load_hint(from + 1);
    uint32_t open = (low.x != BI_TRIE_EMPTY) + (low.y != BI_TRIE_EMPTY) + (low.z != BI_TRIE_EMPTY);
    open += (low.w != BI_TRIE_EMPTY) + (high.x != BI_TRIE_EMPTY) + (high.y != BI_TRIE_EMPTY);
    return open + (high.z != BI_TRIE_EMPTY) + (high.w != BI_TRIE_EMPTY);
#else
    (void)t, (void)bucket;
    return 0;
#endif
}

BI_FN void bi_step_trie_table_insert(const struct bi_trie_table_insert *a, int64_t k)
{
    const struct bi_trie_table *t = &a->view.table;
    struct bi_trie_query x = bi_trie_query_of_key(&a->view.shape, bi_trie_key(&a->view, k));
    uint64_t hash = bi_trie_hash(&x);
    uint32_t bucket = bi_trie_home(t, hash), slot = bi_trie_make_slot(t, hash, k);
    for (int probe = 0; probe < BI_TRIE_PROBES; probe++, bucket = bi_trie_bucket_after(t, bucket))
        for (uint32_t j = bi_trie_open_slot(t, bucket); j < BI_TRIE_BUCKET; j++) {
            uint32_t *to = t->slots + (uint64_t)bucket * BI_TRIE_BUCKET + j;
            if (bi_atomic_load_u32(to) == BI_TRIE_EMPTY && bi_atomic_cas_u32(to, BI_TRIE_EMPTY, slot)) return;
        }
}

#endif
