/* Plain concurrent binary trees: lists of leaf nodes, from left to right. */
#ifndef TESTS_REFERENCE_CBT_H
#define TESTS_REFERENCE_CBT_H

#include <stdbool.h>
#include <stdint.h>

struct reference_cbt {
    int32_t depth;
    int64_t n;
    uint64_t *nodes; /* (n) */
};

/* Creates the tree with all nodes of a level as leaves. */
struct reference_cbt reference_cbt_level(int32_t depth, int32_t level);
/* Creates tree number `index` of all trees of this depth; and returns their number (depth up to 4). */
struct reference_cbt reference_cbt_number(int32_t depth, int64_t index);
int64_t reference_cbt_count(int32_t depth);
void reference_cbt_free(struct reference_cbt *t);

/* Executes a command (0 keep, 1 split, 2 merge) for each leaf. sources (room for twice as many leaves; or NULL): set
 * to the old leaf of each new one. */
void reference_cbt_update(struct reference_cbt *t, const uint8_t *commands, int64_t *sources);

/* Writes the bit field, (2^depth + 63) / 64 words. */
void reference_cbt_bits(const struct reference_cbt *t, uint64_t *bits);
/* Returns the number of a leaf, or -1; and the number of leaves that begin within a node. */
int64_t reference_cbt_encode(const struct reference_cbt *t, uint64_t node);
int64_t reference_cbt_heap(const struct reference_cbt *t, uint64_t node);

int32_t reference_cbt_node_level(uint64_t node);

/* True if a field of up to 64 bits is a tree; and the field without bits outside the largest tree in it. */
bool reference_cbt_is_tree(int32_t depth, uint64_t bits);
uint64_t reference_cbt_repaired(int32_t depth, uint64_t bits);

#endif
