/* boscage/bisector.h - pools of bisectors: adaptive longest-edge bisection of a triangle mesh, without cracks, to depth
 * 60.
 * SPDX-License-Identifier: Apache-2.0
 *
 * The roots are the triangles of a mesh. A bisector is a triangle (v0, v1, v2), counter-clockwise, with edges numbered
 * 0, the base, from v0 to v1; 1, from v1 to v2; and 2, from v2 to v0. It is split from v2 to the midpoint m of its
 * base, into (v2, v0, m) and (v1, v2, m). The leaves of these binary trees, one a root, are kept in a pool: an array in
 * the order of the trees, whose cost follows the number of leaves, where a bit field's (boscage/cbt.h) follows 2^D.
 *
 * The leaves conform: an edge of one is an edge of another one, or lies at the border of the mesh; no corner lies
 * inside an edge. The two triangles at a base, a diamond, are only ever split together. So a split takes along whatever
 * must be split first, in the same pass; and four leaves around a midpoint (two at the border) are only ever merged
 * together.
 *
 * Nodes are numbered as in a heap: root r is node R + r, where R is the least power of 2 that is not less than the
 * number of roots; 2 k and 2 k + 1 are the children of k. Roots are on level 0. Leaves are numbered from 0 in the order
 * of the trees: of root 0 first, and those below 2 k before those below 2 k + 1.
 *
 * A pool is changed in passes. Any number of threads record commands, in any order; an update then carries out all of
 * them at once, by rules that do not depend on the order:
 *   - a leaf that is to be split becomes two, and with it so do its diamond and whatever must be split first: of those
 *     leaves that are one level too coarse, the child in question is split too; on level D the command does nothing;
 *   - the leaves around a midpoint become two, or one at the border, if all of them are leaves of the same level, one
 *     of them is to be merged, and none is split;
 *   - commands for nodes that are not leaves do nothing.
 * The answers have the same bits on every backend and for every number of threads.
 *
 * Sources: Benyoub and Dupuy, Concurrent Binary Trees for Large-Scale Game Components (HPG 2024), for the pool of
 * bisectors and their neighbours; Dupuy, Concurrent Binary Trees (PACMCGIT 2020); Duchaineau et al., ROAMing Terrain
 * (1997), for diamonds; Maubach, Local Bisection Refinement for N-Simplicial Grids (1995). */
#ifndef BOSCAGE_BISECTOR_H
#define BOSCAGE_BISECTOR_H

#include <boscage/context.h>

BOSC_BEGIN_DECLS

/* A pool in the memory of one backend and device. Any number of contexts of that device may read it at once while none
 * writes to it. It may outlive the context that made it. */
typedef struct bosc_bisectors bosc_bisectors;

enum { BOSC_BISECTORS_MAX_DEPTH = 60 };

typedef enum bosc_bisector_command {
    BOSC_BISECTOR_KEEP = 0,
    BOSC_BISECTOR_SPLIT = 1,
    BOSC_BISECTOR_MERGE = 2
} bosc_bisector_command;

/* Zero bytes mean the default; set `size`. Fields are only appended. */
typedef struct bosc_bisectors_opts {
    size_t size;
    int32_t depth;      /* D, the deepest level: 0 to 60, and with R = 2^b roots (above) at most 63 - b */
    int32_t level;      /* the nodes of this level are the first leaves: 0 to depth */
    int64_t root_count; /* 1 to 2^28; 0: 1 */
    /* host, (root_count x 3): 3 s + f where edge e of root r is glued to edge f of root s, and -1 at the border. Edges
     * are glued in opposite directions, both ways; bases to bases, and others to others, so that all leaves of a level
     * conform. NULL: no edge is glued. Copied. */
    const int64_t *glued;
} bosc_bisectors_opts;

/* Makes a pool.
 * opts: NULL: one root of depth 0.
 * bisectors: set on success.
 * Errors: BOSC_ERR_ARG for roots that are glued otherwise, with the root and the edge; BOSC_ERR_LIMIT for 2^30 leaves
 * or more.
 * Cost: O(leaves D). Waits. */
BOSC_API bosc_status bosc_bisectors_create(bosc_ctx *ctx, const bosc_bisectors_opts *opts, bosc_bisectors **bisectors);

/* Frees the pool once the work queued on it is done. NULL is allowed. */
BOSC_API void bosc_bisectors_free(bosc_bisectors *bisectors);

/* Takes memory, and scratch, so that calls on the pool allocate nothing while it has at most this many leaves and their
 * arrays are in the backend's memory. The pool keeps its leaves and recorded commands.
 * Cost: bosc_bisectors_bytes gives the memory; a copy of the leaves. Waits. */
BOSC_API bosc_status bosc_bisectors_reserve(bosc_ctx *ctx, bosc_bisectors *bisectors, int64_t leaves);

/* Bytes of backend memory for a pool of this many leaves. Needs no device. Either pointer may be NULL.
 * kept: by the pool: 44 a leaf (on CUDA 48, and 4 KiB), and 12 a root.
 * scratch: the most that a call with arrays in the backend's memory takes of the context. */
BOSC_API bosc_status bosc_bisectors_bytes(const bosc_ctx *ctx, const bosc_bisectors_opts *opts, int64_t leaves,
                                          int64_t *kept, int64_t *scratch);

/* Makes the nodes of a level (0 to depth) the leaves, and forgets recorded commands.
 * Errors: BOSC_ERR_LIMIT for 2^30 leaves or more; the pool then stays as it was.
 * Cost: O(leaves D). Waits. */
BOSC_API bosc_status bosc_bisectors_reset(bosc_ctx *ctx, bosc_bisectors *bisectors, int32_t level);

/* Record that leaves are to be split, or merged. The pool stays as it is until it is updated.
 * nodes (node_count): numbers that are not leaves do nothing; repeated commands count once.
 * Cost: O(node_count log leaves), and what a split takes along. With the nodes in the backend's memory, queues. */
BOSC_API bosc_status bosc_bisectors_split(bosc_ctx *ctx, bosc_bisectors *bisectors, const uint64_t *nodes,
                                          int64_t node_count);
BOSC_API bosc_status bosc_bisectors_merge(bosc_ctx *ctx, bosc_bisectors *bisectors, const uint64_t *nodes,
                                          int64_t node_count);

/* Takes one command for each leaf, and carries out all that were recorded.
 * commands (command_count): commands[l], a bosc_bisector_command, is for leaf l; other values and missing ones mean
 *     KEEP.
 * sources (capacity, or NULL): for each leaf of the new pool the old leaf that it was or was split from, of two merged
 *     leaves the first one; -1 beyond the leaves. For bosc_cbt_gather_payload, which carries data of leaves.
 * Errors: BOSC_ERR_LIMIT for 2^30 leaves or more; on this and other failures the leaves are as before and the recorded
 * commands forgotten.
 * Cost: O(leaves + capacity), and what splits take along, at most D each; scratch of 4 bytes a leaf, and the scan's.
 * Waits once, for the number of leaves. */
BOSC_API bosc_status bosc_bisectors_update(bosc_ctx *ctx, bosc_bisectors *bisectors, const uint8_t *commands,
                                           int64_t command_count, int64_t *sources, int64_t capacity);

/* The nodes of the leaves first, first + 1, ...
 * nodes (count): 0 beyond the last leaf.
 * Cost: O(count). Queues, if `nodes` is in the backend's memory. */
BOSC_API bosc_status bosc_bisectors_decode(bosc_ctx *ctx, const bosc_bisectors *bisectors, int64_t first, int64_t count,
                                           uint64_t *nodes);

/* Finds the numbers of leaves: leaves[i] is that of the leaf nodes[i], or -1 if the node is not a leaf.
 * Cost: O(node_count log leaves). Queues, if both are in the backend's memory. */
BOSC_API bosc_status bosc_bisectors_encode(bosc_ctx *ctx, const bosc_bisectors *bisectors, const uint64_t *nodes,
                                           int64_t node_count, int64_t *leaves);

/* The leaves beside leaves.
 * leaves (leaf_count).
 * neighbours (leaf_count x 3): for each leaf and edge 3 n + f, where the edge is edge f of leaf n; -1 at the border,
 *     and for numbers that are not leaves.
 * Cost: O(leaf_count). Queues, if both are in the backend's memory. */
BOSC_API bosc_status bosc_bisectors_get_neighbours(bosc_ctx *ctx, const bosc_bisectors *bisectors,
                                                   const int64_t *leaves, int64_t leaf_count, int64_t *neighbours);

/* The corners of the leaves first, first + 1, ... within their roots.
 * roots (count, or NULL): -1 beyond the last leaf.
 * corners (count x 3 x 2): v0, v1, v2 of each, as (x, y) where the root's corners are (0, 0), (1, 0) and (0, 1); exact.
 *     0 beyond the last leaf.
 * Cost: O(count D). Queues, if both are in the backend's memory. */
BOSC_API bosc_status bosc_bisectors_get_corners(bosc_ctx *ctx, const bosc_bisectors *bisectors, int64_t first,
                                                int64_t count, int64_t *roots, double *corners);

/* Finds the leaves at points.
 * roots (point_count), points (point_count x 2): the root, and x and y as above.
 * leaves (point_count): -1 outside the root, and for NaN; at an edge the lower one of the two within the root.
 * Cost: O(point_count (D + log leaves)). Queues, if all are in the backend's memory. */
BOSC_API bosc_status bosc_bisectors_locate(bosc_ctx *ctx, const bosc_bisectors *bisectors, const int64_t *roots,
                                           const double *points, int64_t point_count, int64_t *leaves);

/* Takes leaves over, in their order, and forgets recorded commands.
 * nodes (node_count).
 * Errors: BOSC_ERR_DATA with the first one that is wrong: that is no node, does not begin where the one before ends, or
 * has an edge that is not one edge of another leaf. The pool then stays as it was.
 * Cost: O(node_count (D + log node_count)); scratch of 28 bytes a node. Waits. */
BOSC_API bosc_status bosc_bisectors_set_nodes(bosc_ctx *ctx, bosc_bisectors *bisectors, const uint64_t *nodes,
                                              int64_t node_count);

typedef struct bosc_bisectors_info {
    size_t size;
    int64_t leaves;
    int64_t bytes;    /* kept by the pool */
    int64_t capacity; /* leaves that its memory is for */
    int64_t root_count;
    int32_t depth;
    int32_t deepest; /* level of the deepest leaf */
} bosc_bisectors_info;

/* Describes the pool. Set info->size.
 * Cost: O(leaves). Waits. */
BOSC_API bosc_status bosc_bisectors_get_info(bosc_ctx *ctx, const bosc_bisectors *bisectors, bosc_bisectors_info *info);

/* Saves the pool as the last update left it: versioned, little-endian, with an xxHash checksum; the same bytes on every
 * backend.
 * Cost: O(leaves); 8 bytes a leaf, and 12 a root. Waits. */
BOSC_API bosc_status bosc_bisectors_write(bosc_ctx *ctx, const bosc_bisectors *bisectors, bosc_write_fn write,
                                          void *user);

/* Reads a saved pool into a new handle on the context's backend.
 * bisectors: set on success.
 * Errors: BOSC_ERR_FORMAT with the reason for damaged, truncated or hostile bytes; memory grows only with the bytes
 * that were really read.
 * Cost: as bosc_bisectors_set_nodes. Waits. */
BOSC_API bosc_status bosc_bisectors_read(bosc_ctx *ctx, bosc_read_fn read, void *user, bosc_bisectors **bisectors);

BOSC_END_DECLS
#endif
