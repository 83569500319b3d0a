#include "reference/cbt.h"

#include <stdlib.h>
#include <string.h>

#include "support/suite.h"

int32_t reference_cbt_node_level(uint64_t node)
{
    int32_t level = 0;
    while (node >>= 1) level++;
    return level;
}

/* Returns the position in the bit field at which a node begins. */
static uint64_t first_position(uint64_t node, int32_t depth)
{
    return (node << (depth - reference_cbt_node_level(node))) - ((uint64_t)1 << depth);
}

struct reference_cbt reference_cbt_level(int32_t depth, int32_t level)
{
    struct reference_cbt t = {depth, (int64_t)1 << level, suite_alloc(sizeof(uint64_t) << level)};
    for (int64_t i = 0; i < t.n; i++) t.nodes[i] = (uint64_t)(t.n + i);
    return t;
}

/* A tree is a leaf, or a pair of trees of depth - 1. */
int64_t reference_cbt_count(int32_t depth)
{
    int64_t subtrees = depth ? reference_cbt_count(depth - 1) : 0;
    return 1 + subtrees * subtrees;
}

static void add_leaves(struct reference_cbt *t, uint64_t node, int32_t depth, int64_t index)
{
    if (index == 0) {
        t->nodes[t->n++] = node;
        return;
    }
    int64_t subtrees = reference_cbt_count(depth - 1);
    add_leaves(t, 2 * node, depth - 1, (index - 1) / subtrees);
    add_leaves(t, 2 * node + 1, depth - 1, (index - 1) % subtrees);
}

struct reference_cbt reference_cbt_number(int32_t depth, int64_t index)
{
    struct reference_cbt t = {depth, 0, suite_alloc(sizeof(uint64_t) << depth)};
    add_leaves(&t, 1, depth, index);
    return t;
}

void reference_cbt_free(struct reference_cbt *t) { free(t->nodes); }

void reference_cbt_update(struct reference_cbt *t, const uint8_t *commands, int64_t *sources)
{
    uint64_t *nodes = suite_alloc(2 * (size_t)t->n * sizeof *nodes);
    int64_t n = 0;
    /* Copy the leaves, split or merged. A pair merges if either has the command and the second is not split. */
    for (int64_t l = 0; l < t->n; l++) {
        uint64_t node = t->nodes[l];
        bool deepest = reference_cbt_node_level(node) == t->depth;
        bool pair = node % 2 == 0 && l + 1 < t->n && t->nodes[l + 1] == node + 1;
        if (commands[l] == 1 && !deepest) {
            for (uint64_t c = 0; c < 2; c++) {
                if (sources) sources[n] = l;
                nodes[n++] = 2 * node + c;
            }
            continue;
        }
        if (sources) sources[n] = l;
        bool splits = !deepest && pair && commands[l + 1] == 1;
        if (pair && !splits && (commands[l] == 2 || commands[l + 1] == 2)) {
            nodes[n++] = node / 2;
            l++;
        } else {
            nodes[n++] = node;
        }
    }
    free(t->nodes);
    t->nodes = nodes;
    t->n = n;
}

void reference_cbt_bits(const struct reference_cbt *t, uint64_t *bits)
{
    memset(bits, 0, t->depth > 6 ? (size_t)1 << (t->depth - 3) : 8);
    for (int64_t l = 0; l < t->n; l++) {
        uint64_t position = first_position(t->nodes[l], t->depth);
        bits[position / 64] |= (uint64_t)1 << position % 64;
    }
}

int64_t reference_cbt_encode(const struct reference_cbt *t, uint64_t node)
{
    for (int64_t l = 0; l < t->n; l++)
        if (t->nodes[l] == node) return l;
    return -1;
}

int64_t reference_cbt_heap(const struct reference_cbt *t, uint64_t node)
{
    int64_t count = 0;
    if (node == 0) return (int64_t)1 << t->depth;
    if (node >> t->depth > 1) return 0;
    uint64_t begin = first_position(node, t->depth);
    uint64_t end = begin + ((uint64_t)1 << (t->depth - reference_cbt_node_level(node)));
    for (int64_t l = 0; l < t->n; l++) {
        uint64_t position = first_position(t->nodes[l], t->depth);
        count += position >= begin && position < end;
    }
    return count;
}

/* Returns the bits of the subtree at an existing node, which is split if the bit of its right child is set. */
static uint64_t reachable_bits(int32_t depth, uint64_t bits, uint64_t node)
{
    uint64_t begins = (uint64_t)1 << first_position(node, depth);
    if (reference_cbt_node_level(node) == depth) return begins;
    if (!(bits >> first_position(2 * node + 1, depth) & 1)) return begins;
    return reachable_bits(depth, bits, 2 * node) | reachable_bits(depth, bits, 2 * node + 1);
}

uint64_t reference_cbt_repaired(int32_t depth, uint64_t bits) { return reachable_bits(depth, bits, 1); }

bool reference_cbt_is_tree(int32_t depth, uint64_t bits) { return reachable_bits(depth, bits, 1) == bits; }
