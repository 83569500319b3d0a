/* Descents in a trie. Compact nodes hold only the digits at which keys differ, so a descent skips the places
 * between; they are compared at its end, with one key. */
#ifndef BI_TRIE_STEPS_DESCENT_H
#define BI_TRIE_STEPS_DESCENT_H

#include "trie/steps/key_table.h"

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

/* The current word of x, as consecutive digits of a descent share it. */
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

#endif
