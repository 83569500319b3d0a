/* The longest match by the sorted keys: it is shared with the key before x or the one after it. Where there are few
 * nodes for the keys, the descent (descent.h) is shorter. */
#ifndef BI_TRIE_STEPS_LONGEST_MATCH_H
#define BI_TRIE_STEPS_LONGEST_MATCH_H

#include "trie/steps/descent.h"

/* Words of x in registers on a device; chosen. */
enum { BI_TRIE_CACHED_WORDS = 4 };

struct bi_trie_longest_match {
    uint32_t common; /* the first place at which every key differs from x; behind the last one if x is a key */
    struct bi_trie_range range; /* of the keys that agree with x in the letters before it */
};

struct bi_trie_cached {
    const struct bi_trie_query *x;
    uint64_t words[BI_TRIE_CACHED_WORDS];
};

BI_FN struct bi_trie_cached bi_trie_cache_words(const struct bi_trie_query *x)
{
    struct bi_trie_cached h = {x, {0}};
    for (int32_t s = 0; s < BI_TRIE_CACHED_WORDS; s++)
        if (s < x->shape->letters.words) h.words[s] = bi_trie_word(x, s);
    return h;
}

BI_FN uint64_t bi_trie_cached_word(const struct bi_trie_cached *h, int32_t word)
{
    uint64_t cached = h->words[0];
    if (word >= BI_TRIE_CACHED_WORDS) return bi_trie_word(h->x, word);
    for (int32_t s = 1; s < BI_TRIE_CACHED_WORDS; s++) cached = s == word ? h->words[s] : cached;
    return cached;
}

/* The first place at which the key and x differ, given that they agree in all words before that of `from`; the end
 * of a key if there is none. */
BI_FN uint32_t bi_trie_first_difference_from(const struct bi_trie_view *v, const struct bi_trie_cached *h, int64_t rank,
                                             uint32_t from)
{
    const uint64_t *key = bi_trie_key(v, rank);
    for (int32_t s = (int32_t)(from >> 6); s < v->shape.letters.words; s++) {
        uint64_t differ = key[s] ^ bi_trie_cached_word(h, s);
        if (differ) return (uint32_t)s * 64 + (uint32_t)bi_leading_zeros(differ);
    }
    return bi_trie_key_bits(&v->shape);
}

/* One end of a binary search: key `at` shares `common` places with x. So do all keys from `in` to it; `out`, further
 * from x, shares fewer. While `found` is false, `at` is outside the keys. */
struct bi_trie_search_end {
    int64_t at, in, out;
    uint32_t common, common_out;
    bool found;
};

BI_FN void bi_trie_update_end(struct bi_trie_search_end *e, int64_t rank, uint32_t common)
{
    if (!e->found || common > e->common) {
        e->out = e->at;
        e->common_out = e->common;
        e->in = rank;
    }
    e->at = rank;
    e->common = common;
    e->found = true;
}

/* The last key from `in` towards `past` that agrees with x before `limit`: `in` does, `past` does not or is outside.
 * Keys between agree with x before `from`. Steps grow exponentially, as the key is mostly near. */
BI_FN int64_t bi_trie_gallop(const struct bi_trie_view *v, const struct bi_trie_cached *h, uint32_t limit, int64_t in,
                             int64_t past, uint32_t from)
{
    int64_t step = past < in ? -1 : 1;
    while (step < 0 ? past < in + step : past > in + step) {
        if (bi_trie_first_difference_from(v, h, in + step, from) < limit) {
            past = in + step;
            break;
        }
        in += step;
        step *= 2;
    }
    while (past - in > 1 || in - past > 1) {
        int64_t middle = in + (past - in) / 2;
        if (bi_trie_first_difference_from(v, h, middle, from) < limit)
            past = middle;
        else
            in = middle;
    }
    return in;
}

/* The last key on this side that agrees with x before `limit`, as one end of the search does. */
BI_FN int64_t bi_trie_find_last(const struct bi_trie_view *v, const struct bi_trie_cached *h, uint32_t limit,
                                const struct bi_trie_search_end *e, const struct bi_trie_search_end *other,
                                int64_t outside)
{
    if (!e->found || e->common < limit) return other->at;
    bool known = e->common_out < limit; /* within the last letter more keys may agree */
    return bi_trie_gallop(v, h, limit, e->in, known ? e->out : outside, known ? e->common_out : 0);
}

/* Longest match in a non-empty trie. Keys between the two ends of the search share with x at least what both ends
 * do: Manber, Myers, Suffix Arrays (1993). */
BI_FN struct bi_trie_longest_match bi_trie_longest_search(const struct bi_trie_view *v, const struct bi_trie_query *x,
                                                          bool with_end)
{
    struct bi_trie_cached h = bi_trie_cache_words(x);
    struct bi_trie_search_end low = {.at = -1}, high = {.at = v->count};
    uint32_t whole = bi_trie_key_bits(&v->shape);
    /* 1. Binary search for x. */
    while (high.at - low.at > 1) {
        int64_t middle = low.at + (high.at - low.at) / 2;
        uint32_t common =
            bi_trie_first_difference_from(v, &h, middle, low.common < high.common ? low.common : high.common);
        if (common == whole) return (struct bi_trie_longest_match){whole, {middle, middle + 1}};
        if (bi_trie_cached_word(&h, (int32_t)(common >> 6)) << (common & 63) >> 63)
            bi_trie_update_end(&low, middle, common);
        else
            bi_trie_update_end(&high, middle, common);
    }
    /* 2. Extend to all keys that share as many letters. */
    uint32_t common = low.common > high.common ? low.common : high.common;
    uint32_t limit = bi_trie_letter_place(&v->shape, bi_trie_letter(&v->shape, common));
    struct bi_trie_longest_match match = {common, {0, 0}};
    match.range.begin = bi_trie_find_last(v, &h, limit, &low, &high, -1);
    if (with_end) match.range.end = bi_trie_find_last(v, &h, limit, &high, &low, v->count) + 1;
    return match;
}

#endif
