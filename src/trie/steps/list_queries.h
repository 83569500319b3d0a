/* Queries with many results: neighbours at distance 1, and matches with wildcards. */
#ifndef BI_TRIE_STEPS_LIST_QUERIES_H
#define BI_TRIE_STEPS_LIST_QUERIES_H

#include "trie/steps/descent.h"

/* One row of results: counted, or written as far as there is room. Smaller ranks are written from the begin of the
 * row on, larger ones from its end. */
struct bi_trie_result_row {
    int64_t *ranks;      /* NULL: not written */
    uint32_t *positions; /* NULL: not written */
    int64_t count, begin, end;
    int64_t own; /* all pairs: keys below x's child; -1: larger ranks only; 0: all neighbours */
};

BI_FN void bi_trie_append_result(struct bi_trie_result_row *row, int64_t rank, int32_t position, bool above)
{
    if (row->own < 0 && !above) return;
    row->count++;
    if (row->begin >= row->end) return;
    int64_t at = above ? --row->end : row->begin++;
    if (row->ranks) row->ranks[at] = rank;
    if (row->positions) row->positions[at] = (uint32_t)position;
}

/* True if the key differs from x by `bits` in one word alone. */
BI_FN bool bi_trie_equals_except(const struct bi_trie_view *v, const struct bi_trie_query *x, int64_t rank,
                                 int32_t word, uint64_t bits)
{
    const uint64_t *key = bi_trie_key(v, rank);
    if ((key[word] ^ bi_trie_word(x, word)) != bits) return false;
    for (int32_t s = 0; s < v->shape.letters.words; s++)
        if (s != word && key[s] != bi_trie_word(x, s)) return false;
    return true;
}

/* Looks up x with its digit at the node replaced by `other`. */
BI_FN void bi_trie_probe_child(const struct bi_trie_view *v, const struct bi_trie_node *node, struct bi_trie_cursor *c,
                               uint32_t digit, uint32_t other, struct bi_trie_result_row *row)
{
    const struct bi_trie_shape *s = &v->shape;
    uint64_t bits = (uint64_t)(digit ^ other) << (64 - s->digit_bits);
    uint32_t child = bi_trie_child(v, node, other);
    if (row->own > 0) { /* all pairs: search from the smaller child, or the first of two of equal size */
        struct bi_trie_range range = bi_trie_keys_below(v, child);
        int64_t keys = range.end - range.begin;
        if (keys < row->own || (keys == row->own && other < digit)) return;
    }
    uint32_t leaf = bi_trie_descend(v, child, c);
    if (leaf == BI_TRIE_NONE) return;
    int64_t rank = leaf & ~BI_TRIE_LEAF;
    uint32_t place = node->depth + (uint32_t)bi_leading_zeros(bits);
    if (!bi_trie_equals_except(v, c->x, rank, (int32_t)(node->depth >> 6), bits >> (node->depth & 63))) return;
    bi_trie_append_result(row, rank, bi_trie_letter(s, place), other > digit);
}

/* Looks up x with each digit that differs in one letter: smaller digits ascending, then larger ones descending, so
 * that ranks below and above x's own child come in these orders. */
BI_FN void bi_trie_probe_children(const struct bi_trie_view *v, const struct bi_trie_node *node,
                                  struct bi_trie_cursor *c, uint32_t digit, struct bi_trie_result_row *row)
{
    int32_t bits = v->shape.letters.letter_bits, letters = v->shape.digit_bits / bits;
    if (letters == 1) { /* all others */
        for (uint32_t d = bi_trie_next_digit(node, 0); d < digit; d = bi_trie_next_digit(node, d + 1))
            bi_trie_probe_child(v, node, c, digit, d, row);
        for (uint32_t d = bi_trie_last_digit(node, 256); d < 256 && d > digit; d = bi_trie_last_digit(node, d))
            bi_trie_probe_child(v, node, c, digit, d, row);
        return;
    }
    for (int32_t shift = (letters - 1) * bits; shift >= 0; shift -= bits) {
        uint32_t own = digit >> shift & ((1u << bits) - 1), rest = digit ^ own << shift;
        for (uint32_t letter = 0; letter < own; letter++)
            if (bi_trie_has_digit(node, rest | letter << shift))
                bi_trie_probe_child(v, node, c, digit, rest | letter << shift, row);
    }
    for (int32_t shift = (letters - 1) * bits; shift >= 0; shift -= bits) {
        uint32_t own = digit >> shift & ((1u << bits) - 1), rest = digit ^ own << shift;
        for (uint32_t letter = (1u << bits) - 1; letter > own; letter--)
            if (bi_trie_has_digit(node, rest | letter << shift))
                bi_trie_probe_child(v, node, c, digit, rest | letter << shift, row);
    }
}

/* The pairs of a key with keys below children at least as large as its own. */
BI_FN void bi_trie_find_pairs(const struct bi_trie_view *v, const struct bi_trie_query *x,
                              struct bi_trie_result_row *row)
{
    struct bi_trie_cursor c = {x, 0, -1};
    uint32_t child = bi_trie_root(v);
    while (!(child & BI_TRIE_LEAF)) {
        const struct bi_trie_node *node = v->nodes + child;
        uint32_t digit = bi_trie_digit_of(&c, node->depth);
        child = bi_trie_child(v, node, digit);
        struct bi_trie_range range = bi_trie_keys_below(v, child);
        row->own = range.end - range.begin;
        bi_trie_probe_children(v, node, &c, digit, row);
    }
}

/* Neighbours of x. If a node branches at the letter that differs, the neighbour is in another child of that node;
 * otherwise it is at the end of x's own descent. */
BI_FN void bi_trie_neighbours(const struct bi_trie_view *v, const struct bi_trie_query *x,
                              struct bi_trie_result_row *row)
{
    struct bi_trie_cursor c = {x, 0, -1};
    uint32_t child = bi_trie_root(v), whole = bi_trie_key_bits(&v->shape);
    if (v->count == 0) return;
    while (!(child & BI_TRIE_LEAF)) {
        const struct bi_trie_node *node = v->nodes + child;
        uint32_t digit = bi_trie_digit_of(&c, node->depth);
        bi_trie_probe_children(v, node, &c, digit, row);
        if (!bi_trie_has_digit(node, digit)) return;
        child = bi_trie_child(v, node, digit);
    }
    int64_t rank = child & ~BI_TRIE_LEAF;
    uint32_t place = bi_trie_first_difference(v, x, rank, whole);
    if (place == whole) return;
    int32_t word = (int32_t)(place >> 6), bits = v->shape.letters.letter_bits,
            first = (int32_t)(place & 63) / bits * bits;
    uint64_t differ = bi_trie_key(v, rank)[word] ^ bi_trie_word(x, word);
    if (differ << first << bits) return; /* several letters differ; two shifts, as one by 64 is undefined */
    if (bi_trie_equals_except(v, x, rank, word, differ))
        bi_trie_append_result(row, rank, bi_trie_letter(&v->shape, place), false);
}

/* The rank of x with `bits` changed in the letter at `place`, or -1. */
BI_FN int64_t bi_trie_find_replaced(const struct bi_trie_view *v, const struct bi_trie_query *x, uint32_t place,
                                    uint64_t bits)
{
    const struct bi_trie_shape *s = &v->shape;
    struct bi_trie_cursor c = {x, 0, -1};
    uint32_t node = 0;
    for (int32_t level = 0; level < s->levels; level++) {
        uint32_t at = bi_trie_level_place(s, level), digit = bi_trie_digit_of(&c, at);
        if (at >> 6 == place >> 6) digit ^= bi_trie_digit(s, bits, at);
        node = v->children[(v->levels[level] + node) << s->digit_bits | digit];
        if (node == BI_TRIE_NONE) return -1;
    }
    return node;
}

/* As published: looks up x with each letter replaced. */
BI_FN void bi_trie_neighbours_published(const struct bi_trie_view *v, const struct bi_trie_query *x,
                                        struct bi_trie_result_row *row)
{
    uint32_t letters = 1u << v->shape.letters.letter_bits;
    if (v->count == 0) return;
    for (int32_t k = 0; k < v->shape.letters.length; k++) {
        uint32_t place = bi_trie_letter_place(&v->shape, k);
        int32_t shift = 64 - v->shape.letters.letter_bits - (int32_t)(place & 63);
        uint32_t own = (uint32_t)(bi_trie_word(x, (int32_t)(place >> 6)) >> shift) & (letters - 1);
        for (uint32_t letter = 0; letter < own; letter++) {
            int64_t rank = bi_trie_find_replaced(v, x, place, (uint64_t)(own ^ letter) << shift);
            if (rank >= 0) bi_trie_append_result(row, rank, k, false);
        }
        for (uint32_t letter = letters - 1; letter > own; letter--) {
            int64_t rank = bi_trie_find_replaced(v, x, place, (uint64_t)(own ^ letter) << shift);
            if (rank >= 0) bi_trie_append_result(row, rank, k, true);
        }
    }
}

/* The compared bits of a query with wildcards. */
BI_FN uint64_t bi_trie_mask_word(const struct bi_trie_query *x, int32_t word)
{
    return bi_trie_reverse(x->shape, x->mask[word] & bi_letters_mask(&x->shape->letters, word));
}

/* The last place before `place` where the key has a 0 and the mask a wildcard; BI_TRIE_NONE if there is none. */
BI_FN uint32_t bi_trie_last_free(const struct bi_trie_query *x, const uint64_t *key, uint32_t place)
{
    for (int32_t s = (int32_t)(place >> 6); s >= 0; s--) {
        uint64_t all = bi_trie_reverse(x->shape, bi_letters_mask(&x->shape->letters, s));
        uint64_t bits = ~key[s] & ~bi_trie_mask_word(x, s) & all;
        if (s == (int32_t)(place >> 6)) bits &= (place & 63) ? ~0ull << (64 - (place & 63)) : 0;
        if (bits) return (uint32_t)s * 64 + 63 - (uint32_t)bi_lowest_bit(bits);
    }
    return BI_TRIE_NONE;
}

/* True if the key matches. Otherwise *split is the first place at which the smallest match above the key differs
 * from it, by a 1 in place of a 0; BI_TRIE_NONE if there is none. */
BI_FN bool bi_trie_match(const struct bi_trie_query *x, const uint64_t *key, uint32_t *split)
{
    for (int32_t s = 0; s < x->shape->letters.words; s++) {
        uint64_t differ = (key[s] ^ bi_trie_row_word(x, s)) & bi_trie_mask_word(x, s);
        if (!differ) continue;
        uint32_t bit = (uint32_t)bi_leading_zeros(differ), place = (uint32_t)s * 64 + bit;
        *split = key[s] << bit >> 63 ? bi_trie_last_free(x, key, place) : place;
        return false;
    }
    return true;
}

/* Enumerates matches: from a key that does not match it jumps to the smallest possible match above. */
BI_FN void bi_trie_matches(const struct bi_trie_view *v, const struct bi_trie_query *x, struct bi_trie_result_row *row)
{
    uint32_t whole = bi_trie_key_bits(&v->shape), split = 0;
    int64_t rank = bi_trie_locate(v, x, whole).begin;
    while (rank < v->count) {
        const uint64_t *key = bi_trie_key(v, rank);
        if (bi_trie_match(x, key, &split)) {
            bi_trie_append_result(row, rank++, 0, false);
            continue;
        }
        if (split == BI_TRIE_NONE) return;
        struct bi_trie_query next = {x->shape, x->row, x->mask, key, split, false};
        rank = bi_trie_locate(v, &next, whole).begin;
    }
}

#endif
