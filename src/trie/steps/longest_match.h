/* The longest match by the sorted keys: x is placed among them, and the key before it or the one behind it has most in
 * common with it. Where nodes are few for their keys, the way down them (descent.h) is shorter. */
#ifndef BI_TRIE_STEPS_LONGEST_MATCH_H
#define BI_TRIE_STEPS_LONGEST_MATCH_H

#include "trie/steps/descent.h"

enum { BI_TRIE_CACHED_WORDS = 4 /* words that are at hand: registers of a device */ };

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

/* The first place at which the key and x differ, of which it is known that they agree in the words before that of
 * `from`; as many places as there are if there is none. */
BI_FN uint32_t bi_trie_differ_from(const struct bi_trie_view *v, const struct bi_trie_cached *h, int64_t rank,
                                   uint32_t from)
{
    const uint64_t *key = bi_trie_key(v, rank);
    for (int32_t s = (int32_t)(from >> 6); s < v->shape.letters.words; s++) {
        uint64_t differ = key[s] ^ bi_trie_cached_word(h, s);
        if (differ) return (uint32_t)s * 64 + (uint32_t)bi_leading_zeros(differ);
    }
    return bi_trie_key_bits(&v->shape);
}

/* One end of a search: key `at`, which has `common` places in common with x. The same have all keys from `in` to it,
 * and `out`, on the way away from x, has fewer. Before a key is met, `at` is beyond all keys. */
struct bi_trie_end {
    int64_t at, in, out;
    uint32_t common, common_out;
    bool met;
};

BI_FN void bi_trie_approach(struct bi_trie_end *e, int64_t rank, uint32_t common)
{
    if (!e->met || common > e->common) {
        e->out = e->at;
        e->common_out = e->common;
        e->in = rank;
    }
    e->at = rank;
    e->common = common;
    e->met = true;
}

/* The last key on the way from `in` to `past` that agrees with x before `limit`: `in` does, and `past` does not, or is
 * beyond all keys. What is between them agrees with x in the places before `from`. By steps that grow, since mostly it
 * is near. */
BI_FN int64_t bi_trie_reach(const struct bi_trie_view *v, const struct bi_trie_cached *h, uint32_t limit, int64_t in,
                            int64_t past, uint32_t from)
{
    int64_t step = past < in ? -1 : 1;
    while (step < 0 ? past < in + step : past > in + step) {
        if (bi_trie_differ_from(v, h, in + step, from) < limit) {
            past = in + step;
            break;
        }
        in += step;
        step *= 2;
    }
    while (past - in > 1 || in - past > 1) {
        int64_t middle = in + (past - in) / 2;
        if (bi_trie_differ_from(v, h, middle, from) < limit)
            past = middle;
        else
            in = middle;
    }
    return in;
}

/* The last key on this side that agrees with x before `limit`, as one of the two ends of a search does. */
BI_FN int64_t bi_trie_last_of(const struct bi_trie_view *v, const struct bi_trie_cached *h, uint32_t limit,
                              const struct bi_trie_end *e, const struct bi_trie_end *other, int64_t beyond)
{
    if (!e->met || e->common < limit) return other->at;
    bool known = e->common_out < limit; /* letters of several bits may agree where the end did not yet */
    return bi_trie_reach(v, h, limit, e->in, known ? e->out : beyond, known ? e->common_out : 0);
}

/* There are keys. Of a search for x among sorted keys it is known how far its two ends agree with x, and what is
 * between them agrees as far as both: Manber, Myers, Suffix Arrays (1993). */
BI_FN struct bi_trie_longest_match bi_trie_longest_search(const struct bi_trie_view *v, const struct bi_trie_query *x,
                                                          bool with_end)
{
    struct bi_trie_cached h = bi_trie_cache_words(x);
    struct bi_trie_end low = {.at = -1}, high = {.at = v->count};
    uint32_t whole = bi_trie_key_bits(&v->shape);
    while (high.at - low.at > 1) {
        int64_t middle = low.at + (high.at - low.at) / 2;
        uint32_t common = bi_trie_differ_from(v, &h, middle, low.common < high.common ? low.common : high.common);
        if (common == whole) return (struct bi_trie_longest_match){whole, {middle, middle + 1}};
        if (bi_trie_cached_word(&h, (int32_t)(common >> 6)) << (common & 63) >> 63)
            bi_trie_approach(&low, middle, common);
        else
            bi_trie_approach(&high, middle, common);
    }
    uint32_t common = low.common > high.common ? low.common : high.common;
    uint32_t limit = bi_trie_letter_place(&v->shape, bi_trie_letter(&v->shape, common));
    struct bi_trie_longest_match match = {common, {0, 0}};
    match.range.begin = bi_trie_last_of(v, &h, limit, &low, &high, -1);
    if (with_end) match.range.end = bi_trie_last_of(v, &h, limit, &high, &low, v->count) + 1;
    return match;
}

#endif
