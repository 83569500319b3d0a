/* boscage/cbt.h - concurrent binary trees: adaptive bisection as a bit field, decoded at memory speed.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Family: meshes
 * Start with: bosc_cbt_create, _update_and_decode
 *
 * A tree of depth D is a binary tree whose leaves lie on levels 0 to D. Nodes are numbered as in a heap: 1 is the root,
 * 2 k and 2 k + 1 are the children of k. Node k of level d covers 2^(D-d) bits of a bit field of 2^D bits, from bit k
 * 2^(D-d) - 2^D on. A bit is set where a leaf begins. Leaves are numbered from 0 in the order of their bits.
 *
 * A tree is changed in passes. Threads record commands in any order while the leaves are read. A reduction then applies
 * all commands at once, by rules independent of their order:
 *   - a leaf with a split becomes two; on level D the command does nothing;
 *   - a leaf with a merge becomes one with its sibling if the sibling is a leaf too and neither has a split;
 *   - commands for nodes that were not leaves after the last reduction do nothing.
 * The result is always a tree, and has the same bits on every backend and number of threads.
 *
 * Calls that queue can be captured in a CUDA graph. There a reduction applies the commands recorded by calls of the
 * same graph. For commands recorded elsewhere, get a view (boscage/device/cbt.h) before the capture.
 *
 * Arrays of nodes are uint32_t or uint64_t, by id_bits; 0 means no node. Leaf numbers and counts are int64_t.
 * Sources: Dupuy, Concurrent Binary Trees (with Application to Longest Edge Bisection) (PACMCGIT 2020), for the tree
 *     and the published layout; Jacobson, Space-efficient Static Trees and Graphs (1989), for ranks over a bit
 *     field. */
#ifndef BOSCAGE_CBT_H
#define BOSCAGE_CBT_H

#include <boscage/context.h>

BOSC_BEGIN_DECLS

/* A tree in the memory of one backend and device. Any number of contexts of that device may read it at once while none
 * writes to it. It may outlive the context that made it. */
typedef struct bosc_cbt bosc_cbt;

enum { BOSC_CBT_MAX_DEPTH = 36 };

typedef enum bosc_cbt_layout {
    BOSC_CBT_RANKED = 0,   /* the bit field, and the number of leaves before every 1,024 of its bits */
    BOSC_CBT_PUBLISHED = 1 /* the article's heap of 2^(D+2) bits alone: commands change bits of its deepest level, every
                            * reduction recomputes all sums in O(2^D), and leaves are found by descent */
} bosc_cbt_layout;

/* Methods of bosc_cbt_decode. */
typedef enum bosc_cbt_decoding {
    BOSC_CBT_BY_LAYOUT = 0, /* by words of bits (RANKED) or by descent (PUBLISHED) */
    BOSC_CBT_SEQUENTIAL = 1 /* the article's second method: one thread walks all 2^D bits */
} bosc_cbt_decoding;

typedef enum bosc_cbt_command { BOSC_CBT_KEEP = 0, BOSC_CBT_SPLIT = 1, BOSC_CBT_MERGE = 2 } bosc_cbt_command;

/* Set `size`; zero bytes elsewhere mean the defaults. */
typedef struct bosc_cbt_opts {
    size_t size;
    int32_t depth; /* D: 0 to BOSC_CBT_MAX_DEPTH */
    int32_t level; /* the nodes of this level are the first leaves, 0 to depth */
    bosc_cbt_layout layout;
    int32_t id_bits;            /* of nodes: 32 (depth up to 31) or 64 (default) */
    bosc_cbt_decoding decoding; /* not saved */
} bosc_cbt_opts;

/* Makes a tree.
 * tree: set on success.
 * Cost: O(2^D / 64) work; bosc_cbt_bytes gives the memory.
 * Queues. */
BOSC_API bosc_status bosc_cbt_create(bosc_ctx *ctx, const bosc_cbt_opts *opts, bosc_cbt **tree);

/* Frees the tree once the work queued on it is done; NULL is allowed. */
BOSC_API void bosc_cbt_free(bosc_cbt *tree);

/* Reserves memory for commands (RANKED) and scratch, so that later calls with device arrays allocate nothing.
 * Recorded commands stay.
 * Cost: bosc_cbt_bytes gives the memory; O(2^D / 64) work the first time.
 * Queues. */
BOSC_API bosc_status bosc_cbt_reserve(bosc_ctx *ctx, bosc_cbt *tree);

/* Computes the backend memory, in bytes, of a tree with these options. Needs no device. Any pointer may be NULL.
 * kept: held by the tree at first: 2^D / 8 + 2^D / 128; PUBLISHED 2^D / 2.
 * commanded: held from the first command on, in addition: 2^D / 4 + 2^D / 1024; PUBLISHED 0.
 * scratch: of the context, at most, for a call with arrays in the backend's memory. */
BOSC_API bosc_status bosc_cbt_bytes(const bosc_ctx *ctx, const bosc_cbt_opts *opts, int64_t *kept, int64_t *commanded,
                                    int64_t *scratch);

/* Makes the nodes of a level (0 to depth) the leaves, and discards recorded commands.
 * Cost: O(2^D / 64) work, PUBLISHED O(2^D); almost no scratch.
 * Queues. */
BOSC_API bosc_status bosc_cbt_reset(bosc_ctx *ctx, bosc_cbt *tree, int32_t level);

/* Records splits of leaves, or merges of leaves with their siblings. The next reduction applies them.
 * nodes (node_count): numbers of no leaf, 0 included, do nothing; repeated commands count once.
 * Cost: O(node_count) work. In RANKED trees the first command allocates memory (bosc_cbt_bytes).
 * Queues. */
BOSC_API bosc_status bosc_cbt_split(bosc_ctx *ctx, bosc_cbt *tree, const void *nodes, int64_t node_count);
BOSC_API bosc_status bosc_cbt_merge(bosc_ctx *ctx, bosc_cbt *tree, const void *nodes, int64_t node_count);

/* Applies the recorded commands and counts the leaves.
 * Cost: O(2^D / 1024) work, and O(1) a 64-bit word of the blocks of 1,024 bits that have commands; PUBLISHED O(2^D),
 *     the full reduction of the article; none if no command was recorded. Scratch of 2^D / 128 bytes.
 * Queues. */
BOSC_API bosc_status bosc_cbt_reduce(bosc_ctx *ctx, bosc_cbt *tree);

/* Records one command for each leaf, and reduces.
 * commands (command_count): commands[l], a bosc_cbt_command, is for leaf l; other values and missing ones mean KEEP.
 *     Commands recorded before count too.
 * sources (capacity): for each leaf of the new tree its old leaf: itself, its parent, or the left one of two merged
 *     leaves; -1 beyond the leaves. May be NULL. For bosc_cbt_gather_payload.
 * Cost: as bosc_cbt_reduce, and O(command_count + capacity) work, PUBLISHED O(command_count D + capacity). Scratch of
 *     2^D / 128 bytes; on CUDA with sources, up to 2^D / 7 (RANKED).
 * Queues. */
BOSC_API bosc_status bosc_cbt_update(bosc_ctx *ctx, bosc_cbt *tree, const uint8_t *commands, int64_t command_count,
                                     int64_t *sources, int64_t capacity);

/* Updates the tree as bosc_cbt_update does, and decodes its leaves as bosc_cbt_decode does from the first one on.
 * commands, command_count: as in bosc_cbt_update.
 * nodes, sources (capacity): nodes beyond the last leaf are 0; sources may be NULL.
 * Cost: as the two calls. On CUDA one launch for RANKED trees of depth up to about 20 and nodes in device memory.
 * Queues. */
BOSC_API bosc_status bosc_cbt_update_and_decode(bosc_ctx *ctx, bosc_cbt *tree, const uint8_t *commands,
                                                int64_t command_count, int64_t *sources, void *nodes, int64_t capacity);

/* Copies data of leaves across an update: out[i] = in[sources[i]] for i < count.
 * Zero bytes where sources[i] is not in 0 to in_count - 1.
 * in (in_count), out (count): items of item_size bytes, 1 to 256; they must not overlap.
 * Cost: O(count item_size) work, no scratch.
 * Queues. */
BOSC_API bosc_status bosc_cbt_gather_payload(bosc_ctx *ctx, const int64_t *sources, int64_t count, const void *in,
                                             int64_t in_count, size_t item_size, void *out);

/* Called for each leaf, by several threads at once and in any order; its result is recorded for that leaf. */
typedef bosc_cbt_command (*bosc_cbt_visit_fn)(void *user, int64_t leaf, uint64_t node);

/* Visits the leaves of a tree of the CPU backend and records commands. The next reduction applies them.
 * Errors: BOSC_ERR_BACKEND on CUDA; use a kernel over a view there (boscage/device/cbt.h).
 * Cost: O(2^D / 64 + leaves) work, no scratch. */
BOSC_API bosc_status bosc_cbt_for_each(bosc_ctx *ctx, bosc_cbt *tree, bosc_cbt_visit_fn visit, void *user);

/* Writes the nodes of the leaves first, first + 1, ....
 * nodes (count): 0 beyond the last leaf.
 * Cost: RANKED O(2^D / 1024 + count) work, PUBLISHED O(count D), SEQUENTIAL O(2^D) by one thread; no scratch.
 * Queues. */
BOSC_API bosc_status bosc_cbt_decode(bosc_ctx *ctx, const bosc_cbt *tree, int64_t first, int64_t count, void *nodes);

/* Writes the nodes of single leaves.
 * leaves (leaf_count): numbers of leaves.
 * nodes (leaf_count): nodes[i] is the node of leaf leaves[i], or 0 if there is no such leaf.
 * Cost: O(leaf_count D) work, no scratch.
 * Queues. */
BOSC_API bosc_status bosc_cbt_decode_at(bosc_ctx *ctx, const bosc_cbt *tree, const int64_t *leaves, int64_t leaf_count,
                                        void *nodes);

/* Finds the numbers of leaves.
 * nodes (node_count): nodes of leaves.
 * leaves (node_count): leaves[i] is the number of the leaf nodes[i], or -1 if the node is not a leaf.
 * Cost: O(node_count) work, at most 16 words of bits each, PUBLISHED O(node_count D); no scratch.
 * Queues. */
BOSC_API bosc_status bosc_cbt_encode(bosc_ctx *ctx, const bosc_cbt *tree, const void *nodes, int64_t node_count,
                                     int64_t *leaves);

/* Reads nodes of the article's heap: the number of leaves below each node.
 * nodes (node_count): heap numbers.
 * counts (node_count): the number of bits set in the range of the node; 2^D for node 0; 0 beyond the tree.
 * Cost: O(node_count) work, no scratch.
 * Queues. */
BOSC_API bosc_status bosc_cbt_heap_read(bosc_ctx *ctx, const bosc_cbt *tree, const void *nodes, int64_t node_count,
                                        int64_t *counts);

/* Copies the bit field as of the last reduction.
 * bits ((2^D + 63) / 64): words of 64 bits, the lowest one first.
 * Cost: O(2^D / 64) work, no scratch.
 * Queues. */
BOSC_API bosc_status bosc_cbt_get_bits(bosc_ctx *ctx, const bosc_cbt *tree, uint64_t *bits);

/* Replaces the bit field, and discards recorded commands.
 * bits ((2^D + 63) / 64): as in bosc_cbt_get_bits.
 * Errors: BOSC_ERR_DATA with the first invalid bit if the field encodes no tree; the tree is then unchanged.
 * Cost: O(2^D / 64) work; scratch of 2^D / 8 + 2^D / 128 bytes.
 * Waits. */
BOSC_API bosc_status bosc_cbt_set_bits(bosc_ctx *ctx, bosc_cbt *tree, const uint64_t *bits);

/* Counts the leaves after the caller changed bits in place through a view, and discards recorded commands.
 * Views: boscage/device/cbt.h and cbt_heap.h, for kernels as the article's. The bits must encode a tree
 * (bosc_cbt_validate). Between the change and this call no other call may use the tree.
 * Cost: O(2^D / 64) work, PUBLISHED O(2^D); scratch of 2^D / 128 bytes.
 * Queues. */
BOSC_API bosc_status bosc_cbt_recount(bosc_ctx *ctx, bosc_cbt *tree);

/* Writes the article's heap of 2^(D+2) bits, for either layout.
 * heap ((2^(D+2) + 63) / 64): node k of level d has D - d + 1 bits from bit 2^(d+1) + k (D - d + 1) on; the bits before
 *     the root's have the number 2^D of node 0.
 * Cost: O(2^D) work, no scratch.
 * Queues. */
BOSC_API bosc_status bosc_cbt_get_heap(bosc_ctx *ctx, const bosc_cbt *tree, uint64_t *heap);

/* Replaces the tree by the one of a heap. Reads node 0 and the bit field, and recomputes the sums.
 * heap ((2^(D+2) + 63) / 64): as in bosc_cbt_get_heap.
 * Errors: as bosc_cbt_set_bits.
 * Cost: as bosc_cbt_set_bits.
 * Waits. */
BOSC_API bosc_status bosc_cbt_set_heap(bosc_ctx *ctx, bosc_cbt *tree, const uint64_t *heap);

/* Tests whether a bit field encodes a tree of this depth.
 * Bit 0 must be set. Another bit may be set only if its node's parent is split. Bits beyond the tree must be clear.
 * bits ((2^depth + 63) / 64): as in bosc_cbt_get_bits.
 * invalid: host; the lowest invalid bit, or -1.
 * Cost: O(2^D / 64) work for valid fields, no scratch.
 * Waits. */
BOSC_API bosc_status bosc_cbt_validate(bosc_ctx *ctx, const uint64_t *bits, int32_t depth, int64_t *invalid);

/* Reduces a bit field to the largest tree in it: sets bit 0, and clears bits that split missing nodes.
 * bits ((2^depth + 63) / 64): read and written.
 * Cost: at most O(D) work for each set bit; scratch of 2^D / 8 bytes.
 * Queues. */
BOSC_API bosc_status bosc_cbt_repair(bosc_ctx *ctx, uint64_t *bits, int32_t depth);

typedef struct bosc_cbt_info {
    size_t size;
    int64_t leaves; /* as of the last reduction */
    int64_t bytes;  /* kept by the tree */
    int32_t depth;
    bosc_cbt_layout layout;
    int32_t id_bits;
    int32_t reserved;
} bosc_cbt_info;

/* Describes the tree. Set `size`.
 * Waits. */
BOSC_API bosc_status bosc_cbt_get_info(bosc_ctx *ctx, const bosc_cbt *tree, bosc_cbt_info *info);

/* Saves the tree as of the last reduction: versioned, little-endian, with an xxHash checksum; the same bytes on every
 * backend.
 * Errors: BOSC_ERR_IO if write fails.
 * Cost: O(2^D / 64) work and 2^D / 8 + 72 bytes of output.
 * Waits. */
BOSC_API bosc_status bosc_cbt_write(bosc_ctx *ctx, const bosc_cbt *tree, bosc_write_fn write, void *user);

/* Reads a saved tree into a new handle on the context's backend.
 * tree: set on success.
 * Errors: BOSC_ERR_FORMAT, with the reason, for damaged, truncated or hostile bytes. Memory grows only with the bytes
 *     read.
 * Cost: O(2^D / 64) work; 2^D / 8 bytes of host memory, and scratch as bosc_cbt_set_bits.
 * Waits. */
BOSC_API bosc_status bosc_cbt_read(bosc_ctx *ctx, bosc_read_fn read, void *user, bosc_cbt **tree);

BOSC_END_DECLS
#endif
