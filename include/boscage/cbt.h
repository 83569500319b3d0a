/* boscage/cbt.h - concurrent binary trees: adaptive bisection as a bit field, decoded at memory speed.
 * SPDX-License-Identifier: Apache-2.0
 *
 * A tree of depth D is a binary tree whose leaves lie on levels 0 to D. Nodes are numbered as in a heap: 1 is the root,
 * 2 k and 2 k + 1 are the children of k. Node k of level d covers 2^(D-d) bits of a bit field of 2^D bits, from bit
 * k 2^(D-d) - 2^D on; a bit is set where a leaf begins. Leaves are numbered from 0 in the order of their bits.
 *
 * A tree is changed in passes. Any number of threads record commands, in any order, while the leaves are read; a
 * reduction then carries out all of them at once, by rules that do not depend on the order:
 *   - a leaf that is to be split becomes two; on level D the command does nothing;
 *   - a leaf that is to be merged becomes one with its sibling if that is a leaf too and neither is to be split;
 *   - commands for nodes that are not leaves of the tree, as the last reduction left it, do nothing.
 * The result is always a tree, and has the same bits on every backend and for every number of threads.
 *
 * In a CUDA graph a reduction carries out the commands that calls in the same graph recorded. For commands recorded
 * elsewhere, take a view (boscage/device/cbt.h) before the capture.
 *
 * Arrays of nodes are uint32_t or uint64_t, as id_bits says; 0 means no node. Leaf numbers and counts are int64_t.
 * "Queues" below means that a call with arrays in the backend's memory returns before the work is done, and that a
 * CUDA graph can capture it.
 *
 * Sources: Dupuy, Concurrent Binary Trees (with Application to Longest Edge Bisection) (PACMCGIT 2020), for the tree
 * and the published layout; Jacobson, Space-efficient Static Trees and Graphs (1989), for ranks over a bit field. */
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
    BOSC_CBT_PUBLISHED = 1 /* the article's heap of 2^(D+2) bits and nothing else: commands change bits of its deepest
                              level, every reduction makes all sums anew in O(2^D), and leaves are found by descending
                              them */
} bosc_cbt_layout;

/* How bosc_cbt_decode finds leaves. */
typedef enum bosc_cbt_decoding {
    BOSC_CBT_BY_LAYOUT = 0, /* by words of bits (RANKED) or by descent (PUBLISHED) */
    BOSC_CBT_SEQUENTIAL = 1 /* the article's other way: one thread walks all 2^D bits, for any number of leaves */
} bosc_cbt_decoding;

typedef enum bosc_cbt_command { BOSC_CBT_KEEP = 0, BOSC_CBT_SPLIT = 1, BOSC_CBT_MERGE = 2 } bosc_cbt_command;

/* Zero bytes mean the default; set `size`. Fields are only appended. */
typedef struct bosc_cbt_opts {
    size_t size;
    int32_t depth; /* D: 0 to BOSC_CBT_MAX_DEPTH */
    int32_t level; /* the nodes of this level are the first leaves, 0 to depth */
    bosc_cbt_layout layout;
    int32_t id_bits;            /* of nodes: 32 (depth up to 31) or 64 (default) */
    bosc_cbt_decoding decoding; /* not saved */
} bosc_cbt_opts;

/* Makes a tree.
 * *tree: set on success.
 * Cost: O(2^D / 64) work; bosc_cbt_bytes gives the memory. Does not wait. */
BOSC_API bosc_status bosc_cbt_create(bosc_ctx *ctx, const bosc_cbt_opts *opts, bosc_cbt **tree);

/* Frees the tree once the work queued on it is done. NULL is allowed. */
BOSC_API void bosc_cbt_free(bosc_cbt *tree);

/* Takes memory for commands (RANKED), and scratch, so that later calls on the tree with arrays in the backend's memory
 * allocate nothing. Recorded commands stay.
 * Cost: bosc_cbt_bytes gives the memory; O(2^D / 64) work the first time. Does not wait. */
BOSC_API bosc_status bosc_cbt_reserve(bosc_ctx *ctx, bosc_cbt *tree);

/* Bytes of backend memory for a tree with these options. Needs no device. Any pointer may be NULL.
 * *kept: by the tree as it is made: 2^D / 8 + 2^D / 128; a PUBLISHED one 2^D / 2.
 * *commanded: by the tree from its first command on: 2^D / 4 + 2^D / 1024 more; a PUBLISHED one takes no more.
 * *scratch: the most that a call with arrays in the backend's memory takes of the context. */
BOSC_API bosc_status bosc_cbt_bytes(const bosc_ctx *ctx, const bosc_cbt_opts *opts, int64_t *kept, int64_t *commanded,
                                    int64_t *scratch);

/* Makes the nodes of a level (0 to depth) the leaves, and forgets recorded commands.
 * Cost: O(2^D / 64) work, PUBLISHED O(2^D); no scratch worth counting. Queues. */
BOSC_API bosc_status bosc_cbt_reset(bosc_ctx *ctx, bosc_cbt *tree, int32_t level);

/* Records that leaves are to be split, or merged with their siblings. The tree stays as it is until it is reduced.
 * nodes (node_count): numbers that are not leaves of the tree, 0 included, do nothing; repeated commands count once.
 * Cost: O(node_count) work. The first command takes memory for commands (bosc_cbt_bytes), RANKED. Queues. */
BOSC_API bosc_status bosc_cbt_split(bosc_ctx *ctx, bosc_cbt *tree, const void *nodes, int64_t node_count);
BOSC_API bosc_status bosc_cbt_merge(bosc_ctx *ctx, bosc_cbt *tree, const void *nodes, int64_t node_count);

/* Carries out the recorded commands and counts the leaves.
 * Cost: O(2^D / 1024) work, and O(1) a 64-bit word of the blocks of 1,024 bits that have commands; PUBLISHED O(2^D),
 * the full reduction of the article; nothing at all if no command was recorded. Scratch of 2^D / 128 bytes. Queues. */
BOSC_API bosc_status bosc_cbt_reduce(bosc_ctx *ctx, bosc_cbt *tree);

/* Takes one command for each leaf, and reduces.
 * commands (command_count): commands[l], a bosc_cbt_command, is for leaf l; other values and missing ones mean KEEP.
 *     Commands recorded before count too.
 * sources (capacity, or NULL): for each leaf of the new tree the old leaf that it was or was split from, of two merged
 *     leaves the left one; -1 beyond the leaves. For bosc_cbt_gather_payload.
 * Cost: as bosc_cbt_reduce, and O(command_count + capacity) work, PUBLISHED O(command_count D + capacity). Scratch of
 * 2^D / 128 bytes on the CPU and of PUBLISHED trees; on CUDA with sources, up to 2^D / 7. Queues. */
BOSC_API bosc_status bosc_cbt_update(bosc_ctx *ctx, bosc_cbt *tree, const uint8_t *commands, int64_t command_count,
                                     int64_t *sources, int64_t capacity);

/* bosc_cbt_update, then bosc_cbt_decode from the first leaf on. On CUDA one launch does both for trees of depth up to
 * about 20, if the layout is RANKED and nodes are in device memory.
 * nodes, sources (capacity): nodes beyond the last leaf are 0; sources may be NULL.
 * Cost: as the two calls. Queues. */
BOSC_API bosc_status bosc_cbt_update_and_decode(bosc_ctx *ctx, bosc_cbt *tree, const uint8_t *commands,
                                                int64_t command_count, int64_t *sources, void *nodes, int64_t capacity);

/* Carries data of leaves across an update: out[i] = in[sources[i]] for i < count, and zero bytes where sources[i] is
 * not in 0 to in_count - 1.
 * in (in_count), out (count): items of item_size bytes, 1 to 256; they must not overlap.
 * Cost: O(count item_size) work, no scratch. Queues. */
BOSC_API bosc_status bosc_cbt_gather_payload(bosc_ctx *ctx, const int64_t *sources, int64_t count, const void *in,
                                             int64_t in_count, size_t item_size, void *out);

/* Called for each leaf, by several threads at once and in any order; its result is recorded for that leaf. */
typedef bosc_cbt_command (*bosc_cbt_visit_fn)(void *user, int64_t leaf, uint64_t node);

/* Visits the leaves of a tree of the CPU backend and records commands. The tree stays as it is until it is reduced.
 * Errors: BOSC_ERR_BACKEND on CUDA, where kernels of one's own do this (boscage/device/cbt.h).
 * Cost: O(2^D / 64 + leaves) work, no scratch. */
BOSC_API bosc_status bosc_cbt_for_each(bosc_ctx *ctx, bosc_cbt *tree, bosc_cbt_visit_fn visit, void *user);

/* Decodes the leaves first, first + 1, ...
 * nodes (count): 0 beyond the last leaf.
 * Cost: RANKED O(2^D / 1024 + count) work, PUBLISHED O(count D), SEQUENTIAL O(2^D) by one thread; no scratch. Queues.
 * */
BOSC_API bosc_status bosc_cbt_decode(bosc_ctx *ctx, const bosc_cbt *tree, int64_t first, int64_t count, void *nodes);

/* Decodes single leaves: nodes[i] is the node of leaf leaves[i], or 0 if there is no such leaf.
 * Cost: O(leaf_count D) work, no scratch. Queues. */
BOSC_API bosc_status bosc_cbt_decode_at(bosc_ctx *ctx, const bosc_cbt *tree, const int64_t *leaves, int64_t leaf_count,
                                        void *nodes);

/* Finds the numbers of leaves: leaves[i] is that of the leaf nodes[i], or -1 if the node is not a leaf.
 * Cost: O(node_count) work, at most 16 words of bits for each, PUBLISHED O(node_count D); no scratch. Queues. */
BOSC_API bosc_status bosc_cbt_encode(bosc_ctx *ctx, const bosc_cbt *tree, const void *nodes, int64_t node_count,
                                     int64_t *leaves);

/* Reads the article's heap: counts[i] is the number of bits set among those of node nodes[i], which is the number of
 * leaves below it; 2^D for node 0; 0 for numbers beyond the tree.
 * Cost: O(node_count) work, no scratch. Queues. */
BOSC_API bosc_status bosc_cbt_heap_read(bosc_ctx *ctx, const bosc_cbt *tree, const void *nodes, int64_t node_count,
                                        int64_t *counts);

/* Copies the bit field out, as of the last reduction.
 * bits ((2^D + 63) / 64): words of 64 bits, the lowest one first.
 * Cost: O(2^D / 64) work, no scratch but for staging. Waits only for a host array. */
BOSC_API bosc_status bosc_cbt_get_bits(bosc_ctx *ctx, const bosc_cbt *tree, uint64_t *bits);

/* Takes a bit field over, and forgets recorded commands.
 * Errors: BOSC_ERR_DATA with the first invalid bit if it does not encode a tree; the tree then stays as it was.
 * Cost: O(2^D / 64) work; scratch of 2^D / 8 bytes and 2^D / 128. Waits. */
BOSC_API bosc_status bosc_cbt_set_bits(bosc_ctx *ctx, bosc_cbt *tree, const uint64_t *bits);

/* Counts the leaves of a tree whose bits were changed where they lie, through a view (boscage/device/cbt.h,
 * cbt_heap.h), as the article's kernels do; forgets recorded commands. The bits must encode a tree (bosc_cbt_validate).
 * Between the change and this call no other call may use the tree.
 * Cost: O(2^D / 64) work, PUBLISHED O(2^D); scratch of 2^D / 128 bytes. Queues. */
BOSC_API bosc_status bosc_cbt_recount(bosc_ctx *ctx, bosc_cbt *tree);

/* Writes the article's heap of 2^(D+2) bits, for either layout.
 * heap ((2^(D+2) + 63) / 64): node k of level d has D - d + 1 bits from bit 2^(d+1) + k (D - d + 1) on; node 0 holds
 * 2^D
 *     in the bits before.
 * Cost: O(2^D) work, no scratch. Waits only for a host array. */
BOSC_API bosc_status bosc_cbt_get_heap(bosc_ctx *ctx, const bosc_cbt *tree, uint64_t *heap);

/* As bosc_cbt_set_bits, from a heap: node 0 and the bit field are read; the sums are made anew.
 * Cost: as bosc_cbt_set_bits. Waits. */
BOSC_API bosc_status bosc_cbt_set_heap(bosc_ctx *ctx, bosc_cbt *tree, const uint64_t *heap);

/* Tests whether a bit field encodes a tree of this depth. Bit 0 must be set; any other bit may be set only if the
 * parent of the node that it splits is split; bits beyond the tree must be clear.
 * bits ((2^depth + 63) / 64).
 * *invalid (host): the lowest invalid bit, or -1.
 * Cost: O(2^D / 64) work for valid fields, no scratch. Waits. */
BOSC_API bosc_status bosc_cbt_validate(bosc_ctx *ctx, const uint64_t *bits, int32_t depth, int64_t *invalid);

/* Turns a bit field into the largest tree in it: sets bit 0, and clears bits that split nodes which do not exist.
 * bits ((2^depth + 63) / 64): read and written.
 * Cost: O(D) work for each bit that is set, at most; scratch of 2^D / 8 bytes. Waits only for a host array. */
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

/* Describes the tree. Set info->size. Waits. */
BOSC_API bosc_status bosc_cbt_get_info(bosc_ctx *ctx, const bosc_cbt *tree, bosc_cbt_info *info);

/* Saves the tree as the last reduction left it: versioned, little-endian, with an xxHash checksum; the same bytes on
 * every backend.
 * Cost: O(2^D / 64) work and 2^D / 8 + 72 bytes of output. Waits. */
BOSC_API bosc_status bosc_cbt_write(bosc_ctx *ctx, const bosc_cbt *tree, bosc_write_fn write, void *user);

/* Reads a saved tree into a new handle on the context's backend.
 * *tree: set on success.
 * Errors: BOSC_ERR_FORMAT with the reason for damaged, truncated or hostile bytes; memory grows only with the bytes
 * that were really read.
 * Cost: O(2^D / 64) work; 2^D / 8 bytes of host memory, and scratch as bosc_cbt_set_bits. Waits. */
BOSC_API bosc_status bosc_cbt_read(bosc_ctx *ctx, bosc_read_fn read, void *user, bosc_cbt **tree);

BOSC_END_DECLS
#endif
