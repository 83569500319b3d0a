/* boscage/bisector.h - pools of bisectors: adaptive longest-edge bisection of a triangle mesh to depth 60, without
 * cracks.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Family: meshes
 * Start with: bosc_bisectors_update
 *
 * The roots are the triangles of a mesh. A bisector is a triangle (v0, v1, v2), counter-clockwise, with edges numbered
 * 0, the base, from v0 to v1; 1, from v1 to v2; and 2, from v2 to v0. It is split from v2 to the midpoint m of its
 * base, into (v2, v0, m) and (v1, v2, m). A pool is the array of the leaves of these binary trees, one tree a root, in
 * the order of the trees. Its cost follows the number of leaves; the cost of a bit field (boscage/cbt.h) follows 2^D.
 *
 * The leaves conform: an edge of a leaf is an edge of another leaf, or lies on the border of the mesh; no corner lies
 * inside an edge. The two triangles at a base, a diamond, are only split together. So a split also splits, in the same
 * pass, all triangles that must be split first. The four leaves around a midpoint (two on the border) are only merged
 * together.
 *
 * Nodes are numbered as in a heap: root r is node R + r, where R is the least power of 2 that is not less than the
 * number of roots; 2 k and 2 k + 1 are the children of k. Roots are on level 0. Leaves are numbered from 0 in the order
 * of the trees: root 0 first, and leaves below 2 k before leaves below 2 k + 1.
 *
 * A pool is changed in passes. Threads record commands in any order; an update then applies all of them at once, by
 * rules independent of their order:
 *   - a leaf with a split becomes two, together with its diamond and all leaves that must be split first. If such a
 *     leaf is one level too coarse, its child at the edge is split too. On level D the command does nothing;
 *   - the leaves around a midpoint become two, or one on the border, if all of them are leaves of the same level, at
 *     least one has a merge, and none is split;
 *   - other commands do nothing.
 * Results have the same bits on every backend and number of threads.
 *
 * Sources: Benyoub and Dupuy, Concurrent Binary Trees for Large-Scale Game Components (HPG 2024), for the pool of
 *     bisectors and their neighbours; Dupuy, Concurrent Binary Trees (PACMCGIT 2020); Duchaineau et al., ROAMing
 *     Terrain (1997), for diamonds; Maubach, Local Bisection Refinement for N-Simplicial Grids (1995). */
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

/* Set `size`; zero bytes elsewhere mean the defaults. */
typedef struct bosc_bisectors_opts {
    size_t size;
    int32_t depth;      /* D, the deepest level: 0 to 60, and with R = 2^b roots (above) at most 63 - b */
    int32_t level;      /* the nodes of this level are the first leaves: 0 to depth */
    int64_t root_count; /* 1 to 2^28; 0: 1 */
    /* host, (root_count x 3): 3 s + f where edge e of root r is glued to edge f of root s, and -1 on the border. Edges
     * are glued in opposite directions, both ways, bases to bases and others to others, so that all leaves of a level
     * conform. NULL: no edge is glued. Copied. */
    const int64_t *glued;
} bosc_bisectors_opts;

/* Makes a pool.
 * opts: NULL: one root of depth 0.
 * bisectors: set on success.
 * Errors: BOSC_ERR_ARG with the root and the edge if `glued` breaks its rules; BOSC_ERR_LIMIT for 2^30 leaves or more.
 * Cost: O(leaves D).
 * Waits. */
BOSC_API bosc_status bosc_bisectors_create(bosc_ctx *ctx, const bosc_bisectors_opts *opts, bosc_bisectors **bisectors);

/* Frees the pool once the work queued on it is done; NULL is allowed. */
BOSC_API void bosc_bisectors_free(bosc_bisectors *bisectors);

/* Reserves memory and scratch for this many leaves, so that calls with device arrays allocate nothing up to them.
 * The pool keeps its leaves and recorded commands.
 * Cost: bosc_bisectors_bytes gives the memory; a copy of the leaves.
 * Waits. */
BOSC_API bosc_status bosc_bisectors_reserve(bosc_ctx *ctx, bosc_bisectors *bisectors, int64_t leaves);

/* Computes the backend memory, in bytes, of a pool of this many leaves. Needs no device. Either pointer may be NULL.
 * kept: held by the pool: 44 a leaf (on CUDA 48, and 4 KiB), and 12 a root.
 * scratch: of the context, at most, for a call with arrays in the backend's memory. */
BOSC_API bosc_status bosc_bisectors_bytes(const bosc_ctx *ctx, const bosc_bisectors_opts *opts, int64_t leaves,
                                          int64_t *kept, int64_t *scratch);

/* Makes the nodes of a level (0 to depth) the leaves, and discards recorded commands.
 * Errors: BOSC_ERR_LIMIT for 2^30 leaves or more; the pool is then unchanged.
 * Cost: O(leaves D).
 * Waits. */
BOSC_API bosc_status bosc_bisectors_reset(bosc_ctx *ctx, bosc_bisectors *bisectors, int32_t level);

/* Records splits of leaves, or merges. The next update applies them.
 * nodes (node_count): numbers of no leaf do nothing; repeated commands count once.
 * Cost: O(node_count log leaves), and the further triangles that must be split.
 * Queues. */
BOSC_API bosc_status bosc_bisectors_split(bosc_ctx *ctx, bosc_bisectors *bisectors, const uint64_t *nodes,
                                          int64_t node_count);
BOSC_API bosc_status bosc_bisectors_merge(bosc_ctx *ctx, bosc_bisectors *bisectors, const uint64_t *nodes,
                                          int64_t node_count);

/* Records one command for each leaf, and applies all recorded commands.
 * commands (command_count): commands[l], a bosc_bisector_command, is for leaf l; other values and missing ones mean
 *     KEEP.
 * sources (capacity): for each leaf of the new pool its old leaf: itself, its ancestor, or the first one of two merged
 *     leaves; -1 beyond the leaves. May be NULL. For bosc_cbt_gather_payload, which moves data of leaves.
 * Errors: BOSC_ERR_LIMIT for 2^30 leaves or more. On failure the leaves are unchanged and the recorded commands are
 *     discarded.
 * Cost: O(leaves + capacity), and at most D further triangles a split; scratch of 4 bytes a leaf, and the scan's.
 * Waits. */
BOSC_API bosc_status bosc_bisectors_update(bosc_ctx *ctx, bosc_bisectors *bisectors, const uint8_t *commands,
                                           int64_t command_count, int64_t *sources, int64_t capacity);

/* Writes the nodes of the leaves first, first + 1, ....
 * nodes (count): 0 beyond the last leaf.
 * Cost: O(count).
 * Queues. */
BOSC_API bosc_status bosc_bisectors_decode(bosc_ctx *ctx, const bosc_bisectors *bisectors, int64_t first, int64_t count,
                                           uint64_t *nodes);

/* Finds the numbers of leaves.
 * nodes (node_count): nodes of leaves.
 * leaves (node_count): leaves[i] is the number of the leaf nodes[i], or -1 if the node is not a leaf.
 * Cost: O(node_count log leaves).
 * Queues. */
BOSC_API bosc_status bosc_bisectors_encode(bosc_ctx *ctx, const bosc_bisectors *bisectors, const uint64_t *nodes,
                                           int64_t node_count, int64_t *leaves);

/* Writes the neighbours of leaves.
 * leaves (leaf_count): numbers of leaves.
 * neighbours (leaf_count x 3): for each leaf and edge 3 n + f if the edge is edge f of leaf n; -1 on the border, and
 *     for numbers of no leaf.
 * Cost: O(leaf_count).
 * Queues. */
BOSC_API bosc_status bosc_bisectors_get_neighbours(bosc_ctx *ctx, const bosc_bisectors *bisectors,
                                                   const int64_t *leaves, int64_t leaf_count, int64_t *neighbours);

/* Writes the corners of the leaves first, first + 1, ... within their roots.
 * roots (count): -1 beyond the last leaf; may be NULL.
 * corners (count x 3 x 2): v0, v1, v2 of each, as (x, y) where the root's corners are (0, 0), (1, 0) and (0, 1); exact.
 *     0 beyond the last leaf.
 * Cost: O(count D).
 * Queues. */
BOSC_API bosc_status bosc_bisectors_get_corners(bosc_ctx *ctx, const bosc_bisectors *bisectors, int64_t first,
                                                int64_t count, int64_t *roots, double *corners);

/* Finds the leaves at points.
 * roots (point_count): the root of each point.
 * points (point_count x 2): x and y as in bosc_bisectors_get_corners.
 * leaves (point_count): -1 outside the root, and for NaN; on an edge the lower one of the two within the root.
 * Cost: O(point_count (D + log leaves)).
 * Queues. */
BOSC_API bosc_status bosc_bisectors_locate(bosc_ctx *ctx, const bosc_bisectors *bisectors, const int64_t *roots,
                                           const double *points, int64_t point_count, int64_t *leaves);

/* Replaces the leaves, in their order, and discards recorded commands.
 * nodes (node_count): the new leaves.
 * Errors: BOSC_ERR_DATA with the first wrong one: it is no node, does not begin where the one before ends, or has an
 *     edge that is not one edge of another leaf. The pool is then unchanged.
 * Cost: O(node_count (D + log node_count)); scratch of 28 bytes a node.
 * Waits. */
BOSC_API bosc_status bosc_bisectors_set_nodes(bosc_ctx *ctx, bosc_bisectors *bisectors, const uint64_t *nodes,
                                              int64_t node_count);

typedef struct bosc_bisectors_info {
    size_t size;
    int64_t leaves;
    int64_t bytes;    /* kept by the pool */
    int64_t capacity; /* leaves that its memory can hold */
    int64_t root_count;
    int32_t depth;
    int32_t deepest; /* level of the deepest leaf */
} bosc_bisectors_info;

/* Describes the pool. Set `size`.
 * Cost: O(leaves).
 * Waits. */
BOSC_API bosc_status bosc_bisectors_get_info(bosc_ctx *ctx, const bosc_bisectors *bisectors, bosc_bisectors_info *info);

/* Saves the pool as of the last update: versioned, little-endian, with an xxHash checksum; the same bytes on every
 * backend.
 * Errors: BOSC_ERR_IO if write fails.
 * Cost: O(leaves); 8 bytes a leaf, and 12 a root.
 * Waits. */
BOSC_API bosc_status bosc_bisectors_write(bosc_ctx *ctx, const bosc_bisectors *bisectors, bosc_write_fn write,
                                          void *user);

/* Reads a saved pool into a new handle on the context's backend.
 * bisectors: set on success.
 * Errors: BOSC_ERR_FORMAT, with the reason, for damaged, truncated or hostile bytes. Memory grows only with the bytes
 *     read.
 * Cost: as bosc_bisectors_set_nodes.
 * Waits. */
BOSC_API bosc_status bosc_bisectors_read(bosc_ctx *ctx, bosc_read_fn read, void *user, bosc_bisectors **bisectors);

BOSC_END_DECLS
#endif
