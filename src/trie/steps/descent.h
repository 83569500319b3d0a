/* Searches in a trie. Compact nodes hold only the digits at which keys differ, so a descent skips the places between;
 * they are compared at its end, with one key. */
#ifndef BI_TRIE_STEPS_DESCENT_H
#define BI_TRIE_STEPS_DESCENT_H

#include "trie/steps/keys.h"

struct bi_trie_range {
    int64_t begin, end;
};

BI_FN bool bi_trie_has_digit(const struct bi_trie_node *node, uint32_t digit)
{
    return node->bits[digit >> 6] >> (digit & 63) & 1;
}

/* Number of the node's digits below `digit` (0 to 256). */
BI_FN uint32_t bi_trie_digits_before(const struct bi_trie_node *node, uint32_t digit)
{
    uint32_t count = 0;
    for (uint32_t k = 0; k < 4; k++) {
        uint64_t bits = node->bits[k];
        if (64 * (k + 1) > digit) bits = 64 * k < digit ? bits & ~(~0ull << (digit & 63)) : 0;
        count += (uint32_t)bi_popcount(bits);
    }
    return count;
}

/* The node's smallest digit of at least `digit` (0 to 256), or 256. */
BI_FN uint32_t bi_trie_next_digit(const struct bi_trie_node *node, uint32_t digit)
{
    for (uint32_t k = digit >> 6; k < 4; k++) {
        uint64_t bits = node->bits[k];
        if (k == digit >> 6) bits &= ~0ull << (digit & 63);
        if (bits) return 64 * k + (uint32_t)bi_lowest_bit(bits);
    }
    return 256;
}

/* The node's largest digit below `digit`, or 256. */
BI_FN uint32_t bi_trie_last_digit(const struct bi_trie_node *node, uint32_t digit)
{
    for (uint32_t k = 4; k-- > 0;) {
        uint64_t bits = node->bits[k];
        if (64 * (k + 1) > digit) bits = 64 * k < digit ? bits & ~(~0ull << (digit & 63)) : 0;
        if (bits) return 64 * k + 63 - (uint32_t)bi_leading_zeros(bits);
    }
    return 256;
}

/* The child of a digit of the node. */
BI_FN uint32_t bi_trie_child(const struct bi_trie_view *v, const struct bi_trie_node *node, uint32_t digit)
{
    return v->children[node->base + bi_trie_digits_before(node, digit)];
}

/* The keys below a child. */
BI_FN struct bi_trie_range bi_trie_keys_below(const struct bi_trie_view *v, uint32_t child)
{
    int64_t rank = (int64_t)(child & ~BI_TRIE_LEAF);
    if (child & BI_TRIE_LEAF) return (struct bi_trie_range){rank, rank + 1};
    return (struct bi_trie_range){v->nodes[child].first, v->nodes[child].end};
}

/* The root of a non-empty compact trie. */
BI_FN uint32_t bi_trie_root(const struct bi_trie_view *v) { return v->count == 1 ? BI_TRIE_LEAF : 0; }

/* The current word of x, as consecutive digits of a descent share it; begins as {x, 0, -1}, without a word. */
struct bi_trie_cursor {
    const struct bi_trie_query *x;
    uint64_t reversed;
    int32_t word;
};

BI_FN uint32_t bi_trie_digit_of(struct bi_trie_cursor *c, uint32_t place)
{
    if (c->word != (int32_t)(place >> 6)) {
        c->word = (int32_t)(place >> 6);
        c->reversed = bi_trie_word(c->x, c->word);
    }
    return bi_trie_digit(c->x->shape, c->reversed, place);
}

/* Descends from a child to the leaf where x may be; BI_TRIE_NONE where a digit is missing. */
BI_FN uint32_t bi_trie_descend(const struct bi_trie_view *v, uint32_t child, struct bi_trie_cursor *c)
{
    while (!(child & BI_TRIE_LEAF)) {
        const struct bi_trie_node *node = v->nodes + child;
        uint32_t digit = bi_trie_digit_of(c, node->depth);
        if (!bi_trie_has_digit(node, digit)) return BI_TRIE_NONE;
        child = bi_trie_child(v, node, digit);
    }
    return child;
}

/* The rank of x by the levels of a published trie, or -1. */
BI_FN int64_t bi_trie_find_level(const struct bi_trie_view *v, const struct bi_trie_query *x)
{
    struct bi_trie_cursor c = {x, 0, -1};
    uint32_t node = 0;
    for (int32_t level = 0; level < v->shape.levels; level++) {
        uint32_t digit = bi_trie_digit_of(&c, bi_trie_level_place(&v->shape, level));
        node = v->children[(v->levels[level] + node) << v->shape.digit_bits | digit];
        if (node == BI_TRIE_NONE) return -1;
    }
    return node;
}

/* The same by the nodes of a non-empty compact trie. */
BI_FN int64_t bi_trie_find_leaf(const struct bi_trie_view *v, const struct bi_trie_query *x)
{
    struct bi_trie_cursor c = {x, 0, -1};
    uint32_t leaf = bi_trie_descend(v, bi_trie_root(v), &c), whole = bi_trie_key_bits(&v->shape);
    if (leaf == BI_TRIE_NONE) return -1;
    int64_t rank = leaf & ~BI_TRIE_LEAF;
    return bi_trie_first_difference(v, x, rank, whole) == whole ? rank : -1;
}

/* The rank of x, or -1. */
BI_FN int64_t bi_trie_find_rank(const struct bi_trie_view *v, const struct bi_trie_query *x)
{
    int64_t rank = BI_TRIE_UNKNOWN;
    if (v->count == 0) return -1;
    if (v->published) return bi_trie_find_level(v, x);
    if (v->table.slots) rank = bi_trie_find_hashed(v, x, bi_trie_hash(x));
    return rank == BI_TRIE_UNKNOWN ? bi_trie_find_leaf(v, x) : rank;
}

/* Number of keys less than x in the places below `limit`; with `upper`, not greater. */
BI_FN int64_t bi_trie_count_less(const struct bi_trie_view *v, const struct bi_trie_query *x, uint32_t limit,
                                 bool upper)
{
    int64_t low = 0, high = v->count;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        uint32_t place = bi_trie_first_difference(v, x, middle, limit);
        if (place == limit ? upper : bi_trie_bit(x, place))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* End of a descent: the keys that may have the prefix; or, if a digit is missing, an empty range at the position of
 * the prefix. */
struct bi_trie_descent {
    struct bi_trie_range range;
    int64_t sample;   /* a key below the last node */
    uint32_t checked; /* places below it must be compared with the sample */
};

/* Descends along x to place `limit`. */
BI_FN struct bi_trie_descent bi_trie_descend_prefix(const struct bi_trie_view *v, const struct bi_trie_query *x,
                                                    uint32_t limit)
{
    struct bi_trie_cursor c = {x, 0, -1};
    uint32_t child = bi_trie_root(v);
    while (!(child & BI_TRIE_LEAF)) {
        const struct bi_trie_node *node = v->nodes + child;
        uint32_t past = node->depth + (uint32_t)v->shape.digit_bits;
        if (node->depth >= limit) break;
        uint32_t low = bi_trie_digit_of(&c, node->depth), high = low;
        if (past > limit) { /* the digits with the last letters of the prefix */
            low = low >> (past - limit) << (past - limit);
            high = low | ((1u << (past - limit)) - 1);
        }
        uint32_t from = bi_trie_next_digit(node, low), to = bi_trie_next_digit(node, high + 1);
        if (from == low && low == high) {
            child = bi_trie_child(v, node, low);
            continue;
        }
        struct bi_trie_range range = {node->end, node->end};
        if (from < 256) range.begin = bi_trie_keys_below(v, bi_trie_child(v, node, from)).begin;
        if (to < 256) range.end = bi_trie_keys_below(v, bi_trie_child(v, node, to)).begin;
        return (struct bi_trie_descent){range, node->first, node->depth};
    }
    struct bi_trie_range range = bi_trie_keys_below(v, child);
    return (struct bi_trie_descent){range, range.begin, limit};
}

/* The keys that agree with x in the places below `limit`, a letter boundary; if there are none, an empty range at
 * their position. */
BI_FN struct bi_trie_range bi_trie_locate(const struct bi_trie_view *v, const struct bi_trie_query *x, uint32_t limit)
{
    if (v->count == 0) return (struct bi_trie_range){0, 0};
    if (v->published) {
        int64_t begin = bi_trie_count_less(v, x, limit, false);
        return (struct bi_trie_range){begin, bi_trie_count_less(v, x, limit, true)};
    }
    struct bi_trie_descent stop = bi_trie_descend_prefix(v, x, limit);
    uint32_t place = bi_trie_first_difference(v, x, stop.sample, stop.checked);
    if (place == stop.checked) return stop.range;
    /* The keys differ from x at `place`, which the descent skipped: descend again to there. */
    struct bi_trie_cursor c = {x, 0, -1};
    uint32_t child = bi_trie_root(v);
    while (!(child & BI_TRIE_LEAF) && v->nodes[child].depth <= place)
        child = bi_trie_child(v, v->nodes + child, bi_trie_digit_of(&c, v->nodes[child].depth));
    struct bi_trie_range range = bi_trie_keys_below(v, child);
    int64_t at = bi_trie_bit(x, place) ? range.end : range.begin;
    return (struct bi_trie_range){at, at};
}

/* The same if such keys are known to exist. */
BI_FN struct bi_trie_range bi_trie_locate_prefix(const struct bi_trie_view *v, const struct bi_trie_query *x,
                                                 uint32_t limit)
{
    if (v->published || v->count == 0) return bi_trie_locate(v, x, limit);
    return bi_trie_descend_prefix(v, x, limit).range;
}

/* The first place at which every key differs from x; the end of a key if x is one. The trie is not empty. */
BI_FN uint32_t bi_trie_longest_by_bound(const struct bi_trie_view *v, const struct bi_trie_query *x)
{
    uint32_t whole = bi_trie_key_bits(&v->shape), longest = 0;
    int64_t at = bi_trie_count_less(v, x, whole, false);
    for (int64_t rank = at - 1; rank <= at; rank++) {
        if (rank < 0 || rank >= v->count) continue;
        uint32_t place = bi_trie_first_difference(v, x, rank, whole);
        if (place > longest) longest = place;
    }
    return longest;
}

/* The same by the nodes. */
BI_FN uint32_t bi_trie_longest(const struct bi_trie_view *v, const struct bi_trie_query *x)
{
    struct bi_trie_cursor c = {x, 0, -1};
    uint32_t child = bi_trie_root(v), whole = bi_trie_key_bits(&v->shape);
    if (v->published) return bi_trie_longest_by_bound(v, x);
    while (!(child & BI_TRIE_LEAF)) {
        const struct bi_trie_node *node = v->nodes + child;
        uint32_t digit = bi_trie_digit_of(&c, node->depth), near = 0;
        if (bi_trie_has_digit(node, digit)) {
            child = bi_trie_child(v, node, digit);
            continue;
        }
        /* x has no such digit here: it may differ before; otherwise the nearest digits share most bits. */
        uint32_t place = bi_trie_first_difference(v, x, node->first, node->depth);
        if (place < node->depth) return place;
        uint32_t others[2] = {bi_trie_last_digit(node, digit), bi_trie_next_digit(node, digit)};
        for (int k = 0; k < 2; k++) {
            if (others[k] == 256) continue;
            uint32_t same = (uint32_t)bi_leading_zeros((uint64_t)(others[k] ^ digit) << (64 - v->shape.digit_bits));
            if (same > near) near = same;
        }
        return node->depth + near;
    }
    return bi_trie_first_difference(v, x, child & ~BI_TRIE_LEAF, whole);
}

/* ---- the longest match by the sorted keys ---- */

/* It is shared with the key before x or the one after it. Where there are few nodes for the keys, the descent above is
 * shorter. */

/* Words of x in registers on a device. More: fewer reads of long rows, more registers. Not measured. */
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
    struct bi_trie_search_end low = {-1, 0, 0, 0, 0, false}, high = {v->count, 0, 0, 0, 0, false};
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
