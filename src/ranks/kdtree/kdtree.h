/* Inside a distributed k-d tree, and what its drivers share.
 *
 * The in-order array of all points is cut into pieces: the subtrees of a level (even pieces: 2 j is subtree j) and the
 * nodes above it (odd ones: 2 j + 1 is the node after subtree j, if there is one). A rank's shard are the pieces of
 * successive subtrees. Where all of this lies is arithmetic on the number of nodes and ranks. */
#ifndef BI_RANKS_KDTREE_KDTREE_H
#define BI_RANKS_KDTREE_KDTREE_H

#include <boscage/ranks/kdtree.h>

#include "ranks/ranks.h"
#include "kdtree/handle.h"
#include "kdtree/shape.h"

#ifdef __cplusplus
extern "C" {
#endif

struct bosc_ranks_kdtree {
    bosc_comm *comm;
    struct bi_memory memory, host;
    bosc_kdtree_opts opts;
    bosc_kdtree *shard;     /* of this rank's points; its ids are their rows, in the order of their ids */
    int64_t n, nodes;       /* of all ranks */
    int64_t begin, end;     /* this rank's nodes; where they are none, the shard has no meaning */
    int64_t first, given;   /* the rows that this rank gave to the build: their number, and the id of the first */
    struct bi_block firsts; /* int64 (given): where duplicates are removed, the id of the point that each row equals */
    struct bi_block ids;    /* int64 (end - begin): by row of the shard, ascending */
    struct bi_block pieces; /* uint32 (end - begin): likewise */
    struct bi_block boxes;  /* uint64 (ranks x 2 x dim): ordered keys, low and high; low > high: an empty shard */
    struct bi_block parts;  /* uint64 (ranks x part_count x 2 x dim): likewise of the shards' subtrees; where these are
                               one each they are the shards, and there is no such block */
    int64_t part_count;
    /* Of the published build of two halves; else NULL: this rank's side of the root, whose coordinates begin with the
     * second one and whose ids are the places of its points in the order of theirs. */
    bosc_kdtree *side;
    bosc_kdtree *root; /* with it: a tree of one point, that of the root, on rank 0 */
    bosc_ranks_kdtree_times times;
};

/* ---- cuts ---- */

struct bi_ranks_cuts {
    int64_t nodes;
    int64_t rank_count;
    int level; /* of the subtrees */
};

struct bi_ranks_cuts bi_ranks_kdtree_cuts(int64_t nodes, int32_t rank_count);
/* The first subtree of a rank; of rank_count: the number of subtrees. */
int64_t bi_ranks_kdtree_first_subtree(const struct bi_ranks_cuts *cuts, int64_t rank);
/* Where a piece, and what a rank holds, lies in the in-order array. */
struct bi_kdtree_range bi_ranks_kdtree_piece(const struct bi_ranks_cuts *cuts, int64_t piece);
struct bi_kdtree_range bi_ranks_kdtree_shard(const struct bi_ranks_cuts *cuts, int64_t rank);

/* Subtrees of a shard at most. */
int64_t bi_ranks_kdtree_most_parts(const struct bi_ranks_cuts *cuts);

/* The range of subtree i of a level. Unlike bi_kdtree_subtree it may be empty. */
struct bi_kdtree_range bi_ranks_kdtree_subtree(int64_t nodes, int level, int64_t i);

/* ---- points ---- */

/* Points of this rank, in reach, and their ids. */
struct bi_ranks_points {
    struct bi_kdtree_rows rows;
    int64_t first;      /* the id of row 0, where ids is NULL: then they ascend by one */
    const int64_t *ids; /* ascending */
    int64_t *firsts;    /* of all rows given, where duplicates were removed: the id of the one that stays; else NULL */
    int64_t given;      /* these, before any was removed */
    int64_t total;      /* points of all ranks */
    double since;       /* when the build began */
};

/* Whether the context can reach the tree. */
bosc_status bi_ranks_kdtree_check(bosc_ctx *ctx, const bosc_ranks_kdtree *tree);

/* As bi_kdtree_check_opts, and whether a tree over so many ranks may have them. */
bosc_status bi_ranks_kdtree_check_opts(bosc_ctx *ctx, const bosc_comm *comm, const bosc_kdtree_opts *opts,
                                       bosc_kdtree_opts *full);

/* The options of a rank's own tree. */
bosc_kdtree_opts bi_ranks_kdtree_shard_opts(const bosc_kdtree_opts *opts);

/* Brings this rank's rows in reach and looks for a NaN in them, unless assume_valid; `array` and the row's number among
 * those of all ranks are in the message. */
bosc_status bi_ranks_kdtree_stage(bosc_ctx *ctx, const bosc_ranks_kdtree *tree, const char *array, int64_t first,
                                  struct bi_kdtree_rows *rows);

/* Replaces *points by those of them that stay where duplicates are removed, the rows of the smallest ids; firsts are
 * taken. *nodes: how many stay on all ranks. */
bosc_status bi_ranks_kdtree_unique(bosc_ctx *ctx, const bosc_ranks_kdtree *tree, bosc_status local_status,
                                   struct bi_ranks_points *points, int64_t *nodes);

/* Makes the tree of points of which none is to be removed any more; `nodes`: of all ranks. */
bosc_status bi_ranks_kdtree_build_kept(bosc_ctx *ctx, bosc_ranks_kdtree *tree, bosc_status local_status,
                                       const struct bi_ranks_points *points, int64_t nodes);

/* The most counters of a round of the selection, over so many levels; none if there are no levels. */
int64_t bi_ranks_kdtree_counters(int levels);

/* *pieces = scratch: the piece of each point of a tree of `nodes`, by selection of the medians above the cut. */
bosc_status bi_ranks_kdtree_select(bosc_ctx *ctx, const bosc_ranks_kdtree *tree, bosc_status local_status,
                                   const struct bi_ranks_points *points, int64_t nodes, uint32_t **pieces);

/* The published build on two ranks, each with half of the points, which are in reach. */
bosc_status bi_ranks_kdtree_build_halves(bosc_ctx *ctx, bosc_ranks_kdtree *tree, bosc_status local_status,
                                         const struct bi_ranks_points *points);

/* ---- items to ranks ---- */

struct bi_ranks_deal {
    struct bi_exchange x;
    uint32_t *order; /* scratch: rows in the order in which they are sent */
};

/* Begins an exchange in which item i goes to rank bucket[i].
 * rows: what the deal's order is of; NULL: 0, 1, 2, ... Ended by bi_exchange_end(&deal->x), on a failure too. */
bosc_status bi_ranks_kdtree_deal(bosc_ctx *ctx, bosc_comm *comm, bosc_status local_status, const uint32_t *bucket,
                                 const uint32_t *rows, int64_t n, struct bi_ranks_deal *deal);

/* Sends rows of `width` elements of `size` (4 or 8) bytes, `stride` elements apart, in the deal's order; those that
 * come are put to `received`, which has x.received rows. */
bosc_status bi_ranks_kdtree_send(bosc_ctx *ctx, bosc_comm *comm, bosc_status local_status,
                                 const struct bi_ranks_deal *deal, const struct bi_kdtree_rows *rows, int64_t width,
                                 size_t size, void *received);

/* ---- shards ---- */

/* Empties the tree, and makes room for the ids and pieces of n rows. */
bosc_status bi_ranks_kdtree_begin_install(bosc_ctx *ctx, bosc_ranks_kdtree *tree, int64_t n);

/* Makes the rows of this rank, in reach and in the order of their ids, its shard of a tree of `nodes` of the points;
 * and all ranks learn the boxes. The ids and pieces are in their blocks already. On a failure the tree stays empty. */
bosc_status bi_ranks_kdtree_install(bosc_ctx *ctx, bosc_ranks_kdtree *tree, bosc_status local_status, const void *rows,
                                    const struct bi_ranks_points *points, int64_t nodes);

/* All ranks learn the boxes of their shards, of which this one has n rows, and of the shards' subtrees. */
bosc_status bi_ranks_kdtree_share_boxes(bosc_ctx *ctx, bosc_ranks_kdtree *tree, bosc_status local_status,
                                        const struct bi_ranks_cuts *cuts, const void *rows, int64_t n);

/* Which node stands for which row. ids: those of this rank's nodes, of 64 (`wide`) or 32 bits; starts: (ranks + 1),
 * host: the first row of each rank. inverse: (given): the node of each row of this rank; counts: (end - begin): how
 * many rows each node stands for. In reach, all of them. */
bosc_status bi_ranks_kdtree_find_duplicates(bosc_ctx *ctx, const bosc_ranks_kdtree *tree, bosc_status local_status,
                                            const void *ids, bool wide, const int64_t *starts, int64_t *inverse,
                                            int64_t *counts);

/* starts: see above. Collective. */
bosc_status bi_ranks_kdtree_share_starts(bosc_ctx *ctx, const bosc_ranks_kdtree *tree, bosc_status local_status,
                                         int64_t *starts);

/* Whether it is known which rows were removed as duplicates. */
bosc_status bi_ranks_kdtree_check_firsts(bosc_ctx *ctx, const bosc_ranks_kdtree *tree);

/* This rank's range of the in-order array, to backend memory: points (end - begin) x dim, ids of 64 (`wide`) or 32
 * bits. */
bosc_status bi_ranks_kdtree_nodes(bosc_ctx *ctx, const bosc_ranks_kdtree *tree, void *points, void *ids, bool wide);

#ifdef __cplusplus
}
#endif
#endif
