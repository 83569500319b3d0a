/* Steps of queries, an item each: find, prefix, longest match; neighbours at distance 1, matches with wildcards, and
 * all pairs. */
#ifndef BI_TRIE_STEPS_QUERY_H
#define BI_TRIE_STEPS_QUERY_H

#include "trie/append_pairs.h"
#include "trie/steps/descent.h"
#include "trie/steps/sort.h"

/* ---- one result ---- */

BI_FN struct bi_trie_query bi_trie_query_of(const struct bi_trie_shape *shape, const struct bi_trie_rows *rows,
                                            int64_t q)
{
    return (struct bi_trie_query){shape, rows->data + q * rows->stride, NULL, NULL, 0, false};
}

/* Writes the value of a rank, or 0 for an invalid one. */
BI_FN void bi_trie_write_value(const void *stored_values, int32_t bits, int64_t count, int64_t rank, void *values,
                               int64_t at)
{
    bool is = rank >= 0 && rank < count;
    if (bits == 64)
        ((uint64_t *)values)[at] = is ? ((const uint64_t *)stored_values)[rank] : 0;
    else
        ((uint32_t *)values)[at] = is ? ((const uint32_t *)stored_values)[rank] : 0;
}

struct bi_trie_find {
    struct bi_trie_view view;
    struct bi_trie_rows queries;
    const void *stored_values;
    int32_t value_bits;
    int64_t *ranks; /* these may be NULL */
    void *values;
    uint8_t *found;
};

BI_FN void bi_trie_write_found(const struct bi_trie_find *a, int64_t q, int64_t rank)
{
    if (a->ranks) a->ranks[q] = rank;
    if (a->values) bi_trie_write_value(a->stored_values, a->value_bits, a->view.count, rank, a->values, q);
    if (a->found) a->found[q] = rank >= 0;
}

BI_FN void bi_step_trie_find(const struct bi_trie_find *a, int64_t q)
{
    struct bi_trie_query x = bi_trie_query_of(&a->view.shape, &a->queries, q);
    bi_trie_write_found(a, q, bi_trie_find_rank(&a->view, &x));
}

/* The same for BI_TRIE_FIND_GROUP queries by the table, interleaved by prefetches. */
BI_FN void bi_step_trie_find_group(const struct bi_trie_find *a, int64_t g)
{
#ifdef __CUDA_ARCH__
    (void)a, (void)g; /* warps interleave by themselves */
#else
    const struct bi_trie_view *v = &a->view;
    const struct bi_trie_table *t = &v->table;
    int64_t first = g * BI_TRIE_FIND_GROUP, count = a->queries.n - first;
    struct bi_trie_query x[BI_TRIE_FIND_GROUP];
    uint64_t hashes[BI_TRIE_FIND_GROUP];
    if (count > BI_TRIE_FIND_GROUP) count = BI_TRIE_FIND_GROUP;
    for (int64_t q = 0; q < count; q++) {
        x[q] = bi_trie_query_of(&v->shape, &a->queries, first + q);
        hashes[q] = bi_trie_hash(&x[q]);
        __builtin_prefetch(t->slots + (uint64_t)bi_trie_home(t, hashes[q]) * BI_TRIE_BUCKET);
    }
    for (int64_t q = 0; q < count; q++) {
        bool open;
        uint32_t home = bi_trie_home(t, hashes[q]), which = bi_trie_candidates(t, home, hashes[q], &open);
        if (which) __builtin_prefetch(bi_trie_key(v, bi_trie_rank_in(t, home, which)));
    }
    for (int64_t q = 0; q < count; q++) {
        int64_t rank = bi_trie_find_hashed(v, &x[q], hashes[q]);
        bi_trie_write_found(a, first + q, rank == BI_TRIE_UNKNOWN ? bi_trie_find_leaf(v, &x[q]) : rank);
    }
#endif
}

struct bi_trie_values {
    const int64_t *ranks;
    const void *stored_values;
    int64_t count; /* keys */
    int32_t value_bits;
    void *values;
};

BI_FN void bi_step_trie_value(const struct bi_trie_values *a, int64_t q)
{
    bi_trie_write_value(a->stored_values, a->value_bits, a->count, a->ranks[q], a->values, q);
}

struct bi_trie_prefix {
    struct bi_trie_view view;
    struct bi_trie_rows queries;
    int32_t *lengths; /* read, may be NULL; of the longest match written, may be NULL */
    int64_t *begins, *ends;
};

BI_FN void bi_trie_write_range(const struct bi_trie_prefix *a, int64_t q, struct bi_trie_range range)
{
    if (a->begins) a->begins[q] = range.begin;
    if (a->ends) a->ends[q] = range.end;
}

BI_FN void bi_step_trie_prefix(const struct bi_trie_prefix *a, int64_t q)
{
    struct bi_trie_query x = bi_trie_query_of(&a->view.shape, &a->queries, q);
    int32_t length_limit = a->view.shape.letters.length, length = a->lengths ? a->lengths[q] : length_limit;
    length = length < 0 ? 0 : length > length_limit ? length_limit : length;
    bi_trie_write_range(a, q, bi_trie_locate(&a->view, &x, bi_trie_letter_place(&a->view.shape, length)));
}

BI_FN int32_t bi_trie_write_length(const struct bi_trie_prefix *a, int64_t q, uint32_t common)
{
    int32_t length_limit = a->view.shape.letters.length, length = bi_trie_letter(&a->view.shape, common);
    if (length > length_limit) length = length_limit; /* behind the last word */
    if (a->lengths) a->lengths[q] = length;
    return length;
}

BI_FN void bi_step_trie_longest(const struct bi_trie_prefix *a, int64_t q)
{
    struct bi_trie_query x = bi_trie_query_of(&a->view.shape, &a->queries, q);
    int32_t length = bi_trie_write_length(a, q, a->view.count > 0 ? bi_trie_longest(&a->view, &x) : 0);
    bi_trie_write_range(a, q, bi_trie_locate_prefix(&a->view, &x, bi_trie_letter_place(&a->view.shape, length)));
}

/* The same by the sorted keys of a non-empty trie. */
BI_FN void bi_step_trie_longest_search(const struct bi_trie_prefix *a, int64_t q)
{
    struct bi_trie_query x = bi_trie_query_of(&a->view.shape, &a->queries, q);
    struct bi_trie_longest_match match = bi_trie_longest_search(&a->view, &x, a->ends);
    bi_trie_write_length(a, q, match.common);
    bi_trie_write_range(a, q, match.range);
}

/* ---- many results ---- */

/* One row of results: counted, or written as far as there is room. Smaller ranks are written from the begin of the
 * row on, larger ones from its end. */
struct bi_trie_result_row {
    int64_t *ranks;      /* NULL: not written */
    uint32_t *positions; /* NULL: not written */
    int64_t count, begin, end;
    int64_t own_keys; /* all pairs of a compact trie: keys below x's child; 0: not compared */
    bool larger_only; /* all pairs of a published trie: only ranks above x's */
};

BI_FN void bi_trie_append_result(struct bi_trie_result_row *row, int64_t rank, int32_t position, bool above)
{
    if (row->larger_only && !above) return;
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
    if (row->own_keys > 0) { /* all pairs: search from the smaller child, or the first of two of equal size */
        struct bi_trie_range range = bi_trie_keys_below(v, child);
        int64_t keys = range.end - range.begin;
        if (keys < row->own_keys || (keys == row->own_keys && other < digit)) return;
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
        row->own_keys = range.end - range.begin;
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

struct bi_trie_lists {
    struct bi_trie_view view;
    struct bi_trie_rows queries;
    const uint64_t *masks;  /* matches: masks, in rows like the queries */
    const int64_t *offsets; /* (m + 1) NULL: rows are counted */
    int64_t *counts;        /* where they are counted */
    int64_t *ranks;         /* these may be NULL */
    uint32_t *positions;
    int64_t *bad; /* smallest query whose row does not have the expected length */
};

BI_FN struct bi_trie_result_row bi_trie_begin_row(const struct bi_trie_lists *a, int64_t q)
{
    if (!a->offsets) return (struct bi_trie_result_row){NULL, NULL, 0, 0, 0, 0, false};
    return (struct bi_trie_result_row){a->ranks, a->positions, 0, a->offsets[q], a->offsets[q + 1], 0, false};
}

BI_FN void bi_trie_finish_row(const struct bi_trie_lists *a, int64_t q, int64_t count)
{
    if (!a->offsets)
        a->counts[q] = count;
    else if (count != a->offsets[q + 1] - a->offsets[q])
        bi_atomic_min_i64(a->bad, q);
}

BI_FN void bi_step_trie_neighbours(const struct bi_trie_lists *a, int64_t q)
{
    struct bi_trie_query x = bi_trie_query_of(&a->view.shape, &a->queries, q);
    struct bi_trie_result_row row = bi_trie_begin_row(a, q);
    if (a->view.published)
        bi_trie_neighbours_published(&a->view, &x, &row);
    else
        bi_trie_neighbours(&a->view, &x, &row);
    bi_trie_finish_row(a, q, row.count);
}

BI_FN void bi_step_trie_matches(const struct bi_trie_lists *a, int64_t q)
{
    struct bi_trie_query x = bi_trie_query_of(&a->view.shape, &a->queries, q);
    struct bi_trie_result_row row = bi_trie_begin_row(a, q);
    x.mask = a->masks + q * a->queries.stride;
    bi_trie_matches(&a->view, &x, &row);
    bi_trie_finish_row(a, q, row.count);
}

/* All pairs: item k is a key, whose pairs are counted first, then written. */
struct bi_trie_pairs {
    struct bi_trie_view view;
    int64_t *offsets; /* (keys + 1) the pairs of each key: counted, then summed */
    int64_t *others;  /* NULL: they are counted */
    uint32_t *positions;
    int64_t *pairs; /* (pairs x 2), may be NULL */
};

BI_FN void bi_step_trie_pairs(const struct bi_trie_pairs *a, int64_t k)
{
    const struct bi_trie_view *v = &a->view;
    struct bi_trie_query x = bi_trie_query_of_key(&v->shape, bi_trie_key(v, k));
    struct bi_trie_result_row row = {NULL, NULL, 0, 0, 0, 0, v->published};
    if (a->others && a->offsets[k] == a->offsets[k + 1]) return;
    if (a->others)
        row =
            (struct bi_trie_result_row){a->others, a->positions, 0, a->offsets[k], a->offsets[k + 1], 0, v->published};
    if (v->published)
        bi_trie_neighbours_published(v, &x, &row);
    else
        bi_trie_find_pairs(v, &x, &row);
    if (!a->others) a->offsets[k] = row.count;
    for (int64_t e = a->offsets[k]; a->others && a->pairs && e < a->offsets[k + 1]; e++) {
        int64_t other = a->others[e];
        a->pairs[2 * e] = other < k ? other : k;
        a->pairs[2 * e + 1] = other < k ? k : other;
    }
}

/* All pairs of a published trie in any order: key k is looked up once with each letter replaced. */
struct bi_trie_append {
    struct bi_trie_view view;
    const uint32_t *values;
    struct bi_trie_pair_list to;
};

/* Looks up key k with its letter number `position` replaced; appends the pairs with larger keys. */
BI_FN void bi_trie_append_replaced(const struct bi_trie_append *a, int64_t k, int32_t position)
{
    const struct bi_trie_view *v = &a->view;
    const struct bi_trie_pair_list *to = &a->to;
    const struct bi_trie_query x = bi_trie_query_of_key(&v->shape, bi_trie_key(v, k));
    const uint32_t letters = 1u << v->shape.letters.letter_bits, place = bi_trie_letter_place(&v->shape, position);
    const int32_t shift = 64 - v->shape.letters.letter_bits - (int32_t)(place & 63);
    const uint32_t own = (uint32_t)(bi_trie_word(&x, (int32_t)(place >> 6)) >> shift) & (letters - 1);
    for (uint32_t letter = 0; letter < letters; letter++) {
        if (letter == own) continue;
        /* As published, smaller letters are looked up too: the pair then is that of the other key. */
        const int64_t rank = bi_trie_find_replaced(v, &x, place, (uint64_t)(own ^ letter) << shift);
        if (rank < 0 || letter < own) continue;
        const uint64_t at = bi_atomic_fetch_add_u64(to->count, 1), one = a->values[k], other = a->values[rank];
        if (at >= (uint64_t)to->capacity) continue;
        to->pairs[at] = one < other ? one << to->value_bits | other : other << to->value_bits | one;
        to->positions[at] = (uint32_t)position;
    }
}

BI_FN void bi_step_trie_append_pairs(const struct bi_trie_append *a, int64_t k)
{
    for (int32_t p = 0; p < a->view.shape.letters.length; p++) bi_trie_append_replaced(a, k, p);
}

/* Copies keys to the caller's format. */
struct bi_trie_copy {
    struct bi_trie_shape shape;
    const uint64_t *reversed; /* of the first key */
    const uint32_t *counts;
    uint64_t *keys; /* these may be NULL */
    int64_t *counts_64bit;
};

BI_FN void bi_step_trie_copy_out(const struct bi_trie_copy *a, int64_t k)
{
    int32_t words = a->shape.letters.words;
    for (int32_t s = 0; s < words && a->keys; s++)
        a->keys[k * words + s] = bi_trie_restore(&a->shape, a->reversed[k * words + s]);
    if (a->counts_64bit) a->counts_64bit[k] = a->counts[k];
}

/* Counts the nodes above each key. */
struct bi_trie_depths {
    struct bi_trie_view view;
    int64_t *depths;
};

BI_FN void bi_step_trie_depth(const struct bi_trie_depths *a, int64_t k)
{
    const struct bi_trie_view *v = &a->view;
    struct bi_trie_query x = bi_trie_query_of_key(&v->shape, bi_trie_key(v, k));
    struct bi_trie_cursor c = {&x, 0, -1};
    int64_t depth = v->published ? v->shape.levels : 0;
    for (uint32_t child = bi_trie_root(v); !v->published && !(child & BI_TRIE_LEAF); depth++)
        child = bi_trie_child(v, v->nodes + child, bi_trie_digit_of(&c, v->nodes[child].depth));
    a->depths[k] = depth;
}

#endif
