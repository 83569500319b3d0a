/* Steps that build nodes from sorted keys. */
#ifndef BI_TRIE_STEPS_NODES_H
#define BI_TRIE_STEPS_NODES_H

#include "base/atomic.h"
#include "trie/steps/descent.h"

/* ---- splits: where neighbouring keys differ ---- */

/* splits[k]: the place of the digit at which keys k - 1 and k differ; -1 for k = 0 and k = count. Above them a tree
 * of minima over BI_TRIE_FAN each finds the nearest smaller split in logarithmic time. Levels are padded to whole
 * fans by large numbers. */
enum { BI_TRIE_FAN = 8, BI_TRIE_MIN_LEVELS = 11 };

struct bi_trie_splits {
    int32_t *minima[BI_TRIE_MIN_LEVELS];
    int64_t counts[BI_TRIE_MIN_LEVELS];
};

struct bi_trie_split {
    struct bi_trie_shape shape;
    const uint64_t *keys;
    int64_t count;
    int32_t *splits;  /* (count + 1) */
    uint16_t *digits; /* NULL, or (count) the digits there of key k and, above it, of key k - 1 */
};

BI_FN void bi_step_trie_split(const struct bi_trie_split *a, int64_t k)
{
    int32_t split = k <= a->count ? -1 : INT32_MAX;
    const uint64_t *y = a->keys + k * a->shape.letters.words, *x = y - a->shape.letters.words;
    for (int32_t s = 0; k > 0 && k < a->count && split < 0; s++) {
        if (x[s] == y[s]) continue; /* keys differ in one of them */
        split = (int32_t)bi_trie_digit_place(&a->shape, (uint32_t)s * 64 + (uint32_t)bi_leading_zeros(x[s] ^ y[s]));
        if (a->digits)
            a->digits[k] = (uint16_t)(bi_trie_digit(&a->shape, x[s], (uint32_t)split) << 8 |
                                      bi_trie_digit(&a->shape, y[s], (uint32_t)split));
    }
    a->splits[k] = split;
}

struct bi_trie_minima {
    const int32_t *below;
    int64_t count; /* below */
    int32_t *to;
};

BI_FN void bi_step_trie_minima(const struct bi_trie_minima *a, int64_t i)
{
    int32_t least = INT32_MAX;
    for (int64_t k = i * BI_TRIE_FAN; k < (i + 1) * BI_TRIE_FAN && k < a->count; k++)
        least = a->below[k] < least ? a->below[k] : least;
    a->to[i] = least;
}

/* Bit mask of the numbers of a fan up to `most`. */
BI_FN uint32_t bi_trie_fan_at_most(const int32_t *level, int64_t fan, int32_t most)
{
    const int32_t *splits = (const int32_t *)__builtin_assume_aligned(level + fan * BI_TRIE_FAN, 4 * BI_TRIE_FAN);
    uint32_t which = 0;
    for (int b = 0; b < BI_TRIE_FAN; b++) which |= (uint32_t)(splits[b] <= most) << b;
    return which;
}

/* The last k before `from` with splits[k] <= most; exists, as splits[0] is the least. */
BI_FN int64_t bi_trie_previous_at_most(const struct bi_trie_splits *p, int64_t from, int32_t most)
{
    int level = 0;
    uint32_t which;
    /* Ascend until a fan has one on this side; then descend to it. */
    for (;; level++, from /= BI_TRIE_FAN) {
        which = bi_trie_fan_at_most(p->minima[level], from / BI_TRIE_FAN, most) & ((1u << from % BI_TRIE_FAN) - 1);
        if (which) break;
    }
    int64_t k = from / BI_TRIE_FAN * BI_TRIE_FAN + 63 - bi_leading_zeros(which);
    while (level-- > 0) k = k * BI_TRIE_FAN + 63 - bi_leading_zeros(bi_trie_fan_at_most(p->minima[level], k, most));
    return k;
}

/* The first k after `from` with splits[k] <= most; exists, as splits[count] is the least. */
BI_FN int64_t bi_trie_next_at_most(const struct bi_trie_splits *p, int64_t from, int32_t most)
{
    int level = 0;
    uint32_t which;
    for (;; level++, from /= BI_TRIE_FAN) {
        which = bi_trie_fan_at_most(p->minima[level], from / BI_TRIE_FAN, most) & (~1u << from % BI_TRIE_FAN);
        if (which) break;
    }
    int64_t k = from / BI_TRIE_FAN * BI_TRIE_FAN + bi_lowest_bit(which);
    while (level-- > 0) k = k * BI_TRIE_FAN + bi_lowest_bit(bi_trie_fan_at_most(p->minima[level], k, most));
    return k;
}

/* ---- compact nodes ---- */

/* Split k (1 to count - 1) belongs to the node where keys k - 1 and k differ; the first split of a node is its head. */
struct bi_trie_nodes {
    struct bi_trie_splits splits;
    int64_t count;          /* keys */
    const uint16_t *digits; /* of struct bi_trie_split */
    uint32_t *heads;        /* (count) of each k */
    uint32_t *firsts;       /* (count) of each k: the first key of its node */
    uint64_t *node_counts;  /* (count + 1) by head: 1 << 32 for the node, plus its children; then exclusive sums */
    uint32_t *root;         /* the head of the root */
    struct bi_trie_node *nodes;
    uint32_t *children;
};

/* Finds the node of split i + 1. */
BI_FN void bi_step_trie_node_head(const struct bi_trie_nodes *a, int64_t i)
{
    int64_t k = i + 1, head = k;
    int32_t place = a->splits.minima[0][k];
    int64_t first = bi_trie_previous_at_most(&a->splits, k, place);
    if (a->splits.minima[0][first] == place) {
        first = bi_trie_previous_at_most(&a->splits, first, place - 1);
        head = bi_trie_next_at_most(&a->splits, first, place);
    }
    a->heads[k] = (uint32_t)head;
    a->firsts[k] = (uint32_t)first;
    bi_atomic_fetch_add_u64(&a->node_counts[head], head == k ? (1ull << 32) + 2 : 1);
    if (head == k && first == 0 && bi_trie_next_at_most(&a->splits, k, place - 1) == a->count) *a->root = (uint32_t)k;
}

/* The number of a node: that of earlier heads, except that the root is 0. */
BI_FN uint32_t bi_trie_node_number(const struct bi_trie_nodes *a, uint32_t head)
{
    return head == *a->root ? 0 : (uint32_t)(a->node_counts[head] >> 32) + (head < *a->root);
}

/* The digit of key k where it differs from the key before. */
BI_FN uint32_t bi_trie_split_digit(const struct bi_trie_nodes *a, int64_t k) { return a->digits[k] & 0xffu; }

BI_FN uint32_t bi_trie_child_count(const struct bi_trie_nodes *a, uint32_t head)
{
    return (uint32_t)(a->node_counts[head + 1] - a->node_counts[head]);
}

/* Writes nodes, zeroed before. Nodes with more than two children get their bits from several items. */
BI_FN void bi_step_trie_node(const struct bi_trie_nodes *a, int64_t i)
{
    int64_t k = i + 1;
    uint32_t head = a->heads[k], place = (uint32_t)a->splits.minima[0][k], digit = bi_trie_split_digit(a, k);
    struct bi_trie_node *to = a->nodes + bi_trie_node_number(a, head), node = {{0}, 0, place, 0, 0};
    /* A later split only adds its digit; the head writes the rest, whole if no other split shares the node. */
    if (head != k) {
        bi_atomic_or_u64(&to->bits[digit >> 6], 1ull << (digit & 63));
        return;
    }
    uint32_t before = a->digits[k] >> 8;
    node.base = (uint32_t)a->node_counts[k];
    node.first = a->firsts[k];
    node.end = (uint32_t)bi_trie_next_at_most(&a->splits, k, (int32_t)place - 1);
    if (bi_trie_child_count(a, head) == 2) {
        for (uint32_t w = 0; w < 4; w++)
            node.bits[w] = (uint64_t)(digit >> 6 == w) << (digit & 63) | (uint64_t)(before >> 6 == w) << (before & 63);
        *to = node;
        return;
    }
    bi_atomic_or_u64(&to->bits[digit >> 6], 1ull << (digit & 63));
    bi_atomic_or_u64(&to->bits[before >> 6], 1ull << (before & 63));
    to->base = node.base;
    to->depth = node.depth;
    to->first = node.first;
    to->end = node.end;
}

/* Attaches the child with keys [first, end) to its parent: the node at the deeper of its two end splits. The first
 * child is before the head, the second at it; the rank of the digit gives the others. */
BI_FN void bi_trie_attach(const struct bi_trie_nodes *a, int64_t first, int64_t end, uint32_t child)
{
    const int32_t *splits = a->splits.minima[0];
    bool later = splits[first] >= splits[end];
    uint32_t head = a->heads[later ? first : end], which = later;
    if (later && head != first) {
        which = bi_trie_digits_before(a->nodes + bi_trie_node_number(a, head), bi_trie_split_digit(a, first));
    }
    a->children[(uint32_t)a->node_counts[head] + which] = child;
}

/* Attaches leaf k, and the node with head k; runs after the nodes are written. */
BI_FN void bi_step_trie_attach_child(const struct bi_trie_nodes *a, int64_t k)
{
    bi_trie_attach(a, k, k + 1, BI_TRIE_LEAF | (uint32_t)k);
    if (k == 0 || a->heads[k] != k || *a->root == k) return;
    uint32_t number = bi_trie_node_number(a, (uint32_t)k);
    bi_trie_attach(a, a->nodes[number].first, a->nodes[number].end, number);
}

/* ---- published nodes ---- */

struct bi_trie_levels {
    struct bi_trie_shape shape;
    const uint64_t *keys;
    const int32_t *splits;
    int64_t count;   /* keys */
    uint32_t *bins;  /* (count) level at which each key differs from the one before */
    int64_t *counts; /* (levels + 1) keys that differ at each level; then nodes of each level; then nodes before it */
    int32_t level;
    uint32_t *numbers[2]; /* (count) nodes up to that of each key, in this level and in the next */
    uint32_t *children;
};

BI_FN void bi_step_trie_level_of(const struct bi_trie_levels *a, int64_t k)
{
    a->bins[k] = k == 0 ? 0 : (uint32_t)bi_trie_level(&a->shape, (uint32_t)a->splits[k]);
}

/* Item 0. After the first sum counts[h] is the number of keys that differ before level h, key 0 included: each begins a
 * node of level h. Level 0 itself has one node, the root. */
BI_FN void bi_step_trie_level_size(const struct bi_trie_levels *a, int64_t h) { a->counts[h] += h == 0; }

/* Marks key k if it begins a node of the next level. */
BI_FN void bi_step_trie_level_head(const struct bi_trie_levels *a, int64_t k)
{
    a->numbers[1][k] = k == 0 || (int32_t)a->bins[k] <= a->level;
}

BI_FN void bi_step_trie_level_child(const struct bi_trie_levels *a, int64_t k)
{
    const struct bi_trie_shape *s = &a->shape;
    uint32_t below = a->numbers[1][k], place = bi_trie_level_place(s, a->level);
    if (k > 0 && a->numbers[1][k - 1] == below) return;
    uint64_t word = a->keys[k * s->letters.words + (int32_t)(place >> 6)];
    int64_t node = a->counts[a->level] + (a->numbers[0] ? a->numbers[0][k] - 1 : 0);
    a->children[node << s->digit_bits | bi_trie_digit(s, word, place)] = below - 1;
}

/* ---- published nodes, by an item for each node and value (Algorithm 3) ---- */

/* The vectors of node v of a level are two indices: keys begins[v] to begins[v + 1] - 1, which share a prefix. Item
 * v << digit_bits | d is the child of node v for value d. */
struct bi_trie_value_levels {
    struct bi_trie_shape shape;
    const uint64_t *keys;
    int64_t count; /* keys */
    int32_t level;
    int64_t nodes_before; /* nodes of levels 0 to level - 1 */
    uint32_t *begins[2];  /* (nodes + 1) of this level and of the next; [1] NULL: this is the last level */
    uint32_t *numbers;    /* (nodes << digit_bits) of items: 1 if the child exists, else 0; then inclusive sums */
    uint32_t *children;
};

/* Returns the first key of the item's node whose digit is not less than `digit`. */
BI_FN uint32_t bi_trie_first_of_value(const struct bi_trie_value_levels *a, int64_t node, uint32_t digit)
{
    const uint32_t place = bi_trie_level_place(&a->shape, a->level);
    const uint64_t *words = a->keys + (place >> 6);
    uint32_t low = a->begins[0][node], high = a->begins[0][node + 1];
    while (low < high) {
        const uint32_t mid = low + (high - low) / 2;
        if (bi_trie_digit(&a->shape, words[(int64_t)mid * a->shape.letters.words], place) < digit)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

/* Marks the item if a vector of its node has its value. */
BI_FN void bi_step_trie_value_child(const struct bi_trie_value_levels *a, int64_t i)
{
    const int64_t node = i >> a->shape.digit_bits;
    const uint32_t digit = (uint32_t)(i - (node << a->shape.digit_bits)),
                   place = bi_trie_level_place(&a->shape, a->level);
    const uint32_t first = bi_trie_first_of_value(a, node, digit);
    a->numbers[i] =
        first < a->begins[0][node + 1] &&
        bi_trie_digit(&a->shape, a->keys[(int64_t)first * a->shape.letters.words + (place >> 6)], place) == digit;
}

/* Writes the child of the item, and its vectors for the next level. A child of the last level is a key's rank. */
BI_FN void bi_step_trie_value_node(const struct bi_trie_value_levels *a, int64_t i)
{
    const uint32_t number = a->numbers[i], before = i ? a->numbers[i - 1] : 0;
    const int64_t node = i >> a->shape.digit_bits;
    if (number == before) return;
    a->children[(a->nodes_before << a->shape.digit_bits) + i] = number - 1;
    if (!a->begins[1]) return;
    a->begins[1][number - 1] = bi_trie_first_of_value(a, node, (uint32_t)(i - (node << a->shape.digit_bits)));
}

#endif
