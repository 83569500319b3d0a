/* boscage/cbt.h - concurrent binary trees: adaptive bisection as a bit field that is decoded at memory speed.
 * SPDX-License-Identifier: Apache-2.0
 *
 * A tree of depth D is a binary tree whose leaves lie on levels 0 to D. Nodes are numbered as in a heap: 1 is the root,
 * 2 k and 2 k + 1 are the children of k; node k of level d covers the places k 2^(D-d) - 2^D and on, 2^(D-d) of them,
 * of a bit field of 2^D bits, in which a bit is set where a leaf begins. Leaves are numbered from 0 in the order of
 * their places. A tree is split and merged in passes: commands are recorded in any order by any number of threads while
 * the leaves are read, and a reduction carries them all out at once, by rules in which no order shows:
 *   - a leaf that is to be split becomes two; on level D such a command does nothing;
 *   - a leaf that is to be merged becomes one with its sibling if that is a leaf too and neither is to be split;
 *   - commands for what is not a leaf of the tree as the last reduction left it do nothing.
 * So each state is a tree, whatever was asked for, with the same bits on every backend and number of threads.
 *
 * In a CUDA graph, a reduction carries out what was recorded by calls in the same graph; for commands from elsewhere,
 * take a view (boscage/device/cbt.h) before the capture.
 *
 * Arrays of nodes are uint32_t or uint64_t, as id_bits says; 0 is no node. Numbers of leaves are int64_t.
 * Sources: Dupuy, Concurrent Binary Trees (with Application to Longest Edge Bisection) (PACMCGIT 2020), for the tree
 * and the published layout; Jacobson, Space-efficient Static Trees and Graphs (1989), for ranks over a bit field. */
#ifndef BOSCAGE_CBT_H
#define BOSCAGE_CBT_H

#include <boscage/context.h>

BOSC_BEGIN_DECLS

/* A tree in the memory of one backend and device. Any number of contexts of that device may read it at once, while
 * none writes to it. It may outlive the context that made it. */
typedef struct bosc_cbt bosc_cbt;

enum { BOSC_CBT_MAX_DEPTH = 36 };

typedef enum bosc_cbt_layout {
    BOSC_CBT_RANKED = 0,   /* the bit field, and the number of leaves before every 1,024 of its bits */
    BOSC_CBT_PUBLISHED = 1 /* beside them the article's heap of 2^(D+2) bits; leaves are found by descending it */
} bosc_cbt_layout;

/* How leaves are found. */
typedef enum bosc_cbt_decoding {
    BOSC_CBT_BY_LAYOUT = 0, /* by words of bits (RANKED) or by descent (PUBLISHED) */
    BOSC_CBT_SEQUENTIAL = 1 /* the article's other way: one thread walks all 2^depth bits, whatever is asked for */
} bosc_cbt_decoding;

/* What is to become of a leaf. */
typedef enum bosc_cbt_command { BOSC_CBT_KEEP = 0, BOSC_CBT_SPLIT = 1, BOSC_CBT_MERGE = 2 } bosc_cbt_command;

/* Zero bytes mean the default; set `size`. Fields are only appended. */
typedef struct bosc_cbt_opts {
    size_t size;
    int32_t depth; /* 0 to BOSC_CBT_MAX_DEPTH */
    int32_t level; /* the tree begins with the nodes of this level as leaves, 0 to depth */
    bosc_cbt_layout layout;
    int32_t id_bits;            /* of nodes: 32 (depth up to 31) or 64 (default) */
    bosc_cbt_decoding decoding; /* of bosc_cbt_decode; not saved */
} bosc_cbt_opts;

/* Makes a tree. *tree is set on success. O(2^D / 64). With device memory it only queues. */
BOSC_API bosc_status bosc_cbt_create(bosc_ctx *ctx, const bosc_cbt_opts *opts, bosc_cbt **tree);

/* Frees the tree once the work queued on it is done; NULL is allowed. */
BOSC_API void bosc_cbt_free(bosc_cbt *tree);

/* Bytes of backend memory of a tree with these options: kept by it, before and with the first command, and scratch
 * of a reduction (the context's). Any pointer may be NULL. Needs no device. */
BOSC_API bosc_status bosc_cbt_bytes(const bosc_ctx *ctx, const bosc_cbt_opts *opts, int64_t *kept, int64_t *commanded,
                                    int64_t *scratch);

/* Makes the nodes of a level (0 to depth) the leaves, and forgets commands. O(2^D / 64). Queues; capturable. */
BOSC_API bosc_status bosc_cbt_reset(bosc_ctx *ctx, bosc_cbt *tree, int32_t level);

/* Records that the nodes (m) are to be split, or merged with their siblings. Nodes that are not leaves, 0, and numbers
 * beyond the tree do nothing; so does a command that was there before. The tree stays as it is until it is reduced.
 * The first command takes memory for commands (2 x 2^D bits). O(m). With device arrays it only queues; capturable. */
BOSC_API bosc_status bosc_cbt_split(bosc_ctx *ctx, bosc_cbt *tree, const void *nodes, int64_t m);
BOSC_API bosc_status bosc_cbt_merge(bosc_ctx *ctx, bosc_cbt *tree, const void *nodes, int64_t m);

/* Carries out the commands and counts the leaves anew: only where bits changed, and not at all if no command was
 * recorded (on the CPU: if none changes the tree). O(2^D / 64). Queues; capturable. */
BOSC_API bosc_status bosc_cbt_reduce(bosc_ctx *ctx, bosc_cbt *tree);

/* Commands for all leaves: commands[l] (uint8_t, a bosc_cbt_command; others keep) is for leaf l < count, leaves beyond
 * keep (those recorded before count too); then a reduction. sources (room, int64; or NULL) gets for each leaf of the
 * new tree, up to `room`, the old leaf that it was, or was split from; of two merged leaves the left one; -1 beyond the
 * leaves. To be given to bosc_cbt_carry. O(2^D / 64 + leaves). With device arrays it only queues; capturable. */
BOSC_API bosc_status bosc_cbt_update(bosc_ctx *ctx, bosc_cbt *tree, const uint8_t *commands, int64_t count,
                                     int64_t *sources, int64_t room);

/* The same, and then a decode of the leaves of the new tree: nodes (room) gets them, 0 beyond the last one; sources
 * (room, or NULL) has the same room. On CUDA one launch does it all for trees of depth up to about 20, where the layout
 * is RANKED and nodes are device memory. */
BOSC_API bosc_status bosc_cbt_cycle(bosc_ctx *ctx, bosc_cbt *tree, const uint8_t *commands, int64_t count,
                                    int64_t *sources, void *nodes, int64_t room);

/* Carries what belongs to leaves across an update: out[i] = in[sources[i]] for i < count, items of item_size bytes
 * (1 to 256); zero bytes where a source is not in 0 to n - 1. in and out must not overlap. O(count). With device arrays
 * it only queues; capturable. */
BOSC_API bosc_status bosc_cbt_carry(bosc_ctx *ctx, const int64_t *sources, int64_t count, size_t item_size,
                                    const void *in, int64_t n, void *out);

/* Called for each leaf, by several threads at once and in any order; what it returns is recorded for that leaf. */
typedef bosc_cbt_command (*bosc_cbt_visit_fn)(void *user, int64_t leaf, uint64_t node);

/* Visits the leaves of a tree of the CPU backend, and records commands; the tree stays as it is until it is reduced.
 * BOSC_ERR_BACKEND on CUDA, where kernels of one's own do it (boscage/device/cbt.h). O(2^D / 64 + leaves). */
BOSC_API bosc_status bosc_cbt_for_each(bosc_ctx *ctx, bosc_cbt *tree, bosc_cbt_visit_fn visit, void *user);

/* nodes (count) gets the nodes of the leaves first, first + 1, ...; 0 beyond the last leaf. O(2^D / 1024 + count), a
 * machine word of leaves at a time; PUBLISHED: O(count D); SEQUENTIAL: O(2^D). With device arrays it only queues;
 * capturable. */
BOSC_API bosc_status bosc_cbt_decode(bosc_ctx *ctx, const bosc_cbt *tree, int64_t first, int64_t count, void *nodes);

/* nodes[i] = the node of leaf leaves[i], or 0 if there is none. O(D) each. With device arrays it only queues;
 * capturable. */
BOSC_API bosc_status bosc_cbt_decode_at(bosc_ctx *ctx, const bosc_cbt *tree, const int64_t *leaves, int64_t m,
                                        void *nodes);

/* leaves[i] = the number of the leaf nodes[i], or -1 if that is no leaf. O(1) each. With device arrays it only queues;
 * capturable. */
BOSC_API bosc_status bosc_cbt_encode(bosc_ctx *ctx, const bosc_cbt *tree, const void *nodes, int64_t m,
                                     int64_t *leaves);

/* counts[i] = what the article's heap holds for node nodes[i]: the number of bits set in its places, which is that of
 * the leaves below it; 2^D for 0; 0 for numbers beyond the tree. O(1) each. With device arrays it only queues;
 * capturable. */
BOSC_API bosc_status bosc_cbt_heap_read(bosc_ctx *ctx, const bosc_cbt *tree, const void *nodes, int64_t m,
                                        int64_t *counts);

/* Copies the bit field out: words of 64 bits, the lowest one first, (2^D + 63) / 64 of them. bosc_cbt_set_bits puts one
 * in and forgets commands; BOSC_ERR_DATA with the first bit that is wrong if it is no tree, which then stays as it
 * was. O(2^D / 64). The second waits. */
BOSC_API bosc_status bosc_cbt_get_bits(bosc_ctx *ctx, const bosc_cbt *tree, uint64_t *bits);
BOSC_API bosc_status bosc_cbt_set_bits(bosc_ctx *ctx, bosc_cbt *tree, const uint64_t *bits);

/* Counts the leaves anew, of a tree whose bits were changed where they lie, through a view (boscage/device/cbt.h), as
 * the article's kernels do; forgets commands. The bits must be those of a tree: bosc_cbt_validate says whether they
 * are. Until then nothing else may be called on the tree. O(2^D / 64). Queues; capturable. */
BOSC_API bosc_status bosc_cbt_recount(bosc_ctx *ctx, bosc_cbt *tree);

/* As bosc_cbt_get_bits and bosc_cbt_set_bits for the article's heap of 2^(D+2) bits, whatever the tree's layout:
 * (2^(D+2) + 63) / 64 words. Node k of level d has D - d + 1 bits from bit 2^(d+1) + k (D - d + 1) on; node 0 holds 2^D
 * in the bits before. Of a heap that is put in, node 0 and the bit field are read; the sums are made anew. */
BOSC_API bosc_status bosc_cbt_get_heap(bosc_ctx *ctx, const bosc_cbt *tree, uint64_t *heap);
BOSC_API bosc_status bosc_cbt_set_heap(bosc_ctx *ctx, bosc_cbt *tree, const uint64_t *heap);

/* Is a bit field that of a tree of this depth? *bad (host) gets the first bit that is wrong, or -1: bit 0 must be set,
 * and any other one only where the parent of the node that it splits is split. Bits beyond the tree must be clear.
 * O(1) a bit. Waits. */
BOSC_API bosc_status bosc_cbt_validate(bosc_ctx *ctx, int32_t depth, const uint64_t *bits, int64_t *bad);

/* Makes a bit field that of a tree: sets bit 0 and clears bits that split what is not there. What remains is the
 * largest tree in it. O(D) a bit at most. With device arrays it only queues. */
BOSC_API bosc_status bosc_cbt_repair(bosc_ctx *ctx, int32_t depth, uint64_t *bits);

typedef struct bosc_cbt_info {
    size_t size;
    int64_t leaves; /* at the last reduction */
    int64_t bytes;  /* kept by the tree */
    int32_t depth;
    bosc_cbt_layout layout;
    int32_t id_bits;
    int32_t reserved;
} bosc_cbt_info;

/* Set `size`. Waits. */
BOSC_API bosc_status bosc_cbt_get_info(bosc_ctx *ctx, const bosc_cbt *tree, bosc_cbt_info *info);

/* Saves the tree as the last reduction left it: versioned, little-endian, with an xxHash checksum. The bytes are the
 * same on every backend. Waits. */
BOSC_API bosc_status bosc_cbt_write(bosc_ctx *ctx, const bosc_cbt *tree, bosc_write_fn write, void *user);

/* Reads a saved tree into a new handle on the context's backend. BOSC_ERR_FORMAT with the reason for damaged,
 * truncated or hostile bytes; memory grows with what was really read. *tree is set on success. */
BOSC_API bosc_status bosc_cbt_read(bosc_ctx *ctx, bosc_read_fn read, void *user, bosc_cbt **tree);

BOSC_END_DECLS
#endif
