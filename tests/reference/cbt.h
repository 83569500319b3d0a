/* Concurrent binary trees as what they are: the nodes of the leaves, from left to right. */
#ifndef TESTS_REFERENCE_CBT_H
#define TESTS_REFERENCE_CBT_H

#include <stdbool.h>
#include <stdint.h>

struct reference_cbt {
    int32_t depth;
    int64_t n;
    uint64_t *nodes; /* (n) */
};

/* The tree whose leaves are the nodes of a level. */
struct reference_cbt reference_cbt_level(int32_t depth, int32_t level);
/* Tree number `index` of all those of this depth, counted from 0; and how many there are (depth up to 4). */
struct reference_cbt reference_cbt_number(int32_t depth, int64_t index);
int64_t reference_cbt_count(int32_t depth);
void reference_cbt_free(struct reference_cbt *t);

/* Carries out a command (0 keep, 1 split, 2 merge) for each leaf; sources (room for twice as many; or NULL) gets where
 * the new leaves come from. */
void reference_cbt_update(struct reference_cbt *t, const uint8_t *commands, int64_t *sources);

/* The bit field, (2^depth + 63) / 64 words. */
void reference_cbt_bits(const struct reference_cbt *t, uint64_t *bits);
/* The number of a leaf, or -1; leaves that begin within a node. */
int64_t reference_cbt_encode(const struct reference_cbt *t, uint64_t node);
int64_t reference_cbt_heap(const struct reference_cbt *t, uint64_t node);

int32_t reference_cbt_node_level(uint64_t node);

/* Is a field of up to 64 bits a tree? Leaves out the bits that no largest tree in it has. */
bool reference_cbt_is_tree(int32_t depth, uint64_t bits);
uint64_t reference_cbt_repaired(int32_t depth, uint64_t bits);

#endif
