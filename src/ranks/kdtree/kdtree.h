/* Inside a k-d tree over ranks: the handle, and functions that its drivers share.
 *
 * The in-order array of all points is partitioned into parts: the subtrees of a level (even parts: 2 j is subtree j)
 * and the nodes above it (odd parts: 2 j + 1 is the node after subtree j, if there is one). A rank's shard consists of
 * the parts of consecutive subtrees. All bounds are arithmetic on the numbers of nodes and ranks.
 * `local_status`: this rank's own status, which is exchanged at the next agreement. */
#ifndef BI_RANKS_KDTREE_KDTREE_H
#define BI_RANKS_KDTREE_KDTREE_H

#include <boscage/ranks/kdtree.h>

#include "ranks/ranks.h"
#include "kdtree/handle.h"
#include "kdtree/shape.h"

/* Bytes of a tree that rank 0 reads or writes at a time, so that its memory stays small. Less: more exchanges. */
enum { BI_RANKS_CHUNK_BYTES = 1 << 20 };

#ifdef __cplusplus
extern "C" {
#endif

struct bosc_ranks_kdtree {
    bosc_comm *comm;
    struct bi_memory memory, host;
    bosc_kdtree_opts opts;
    bosc_kdtree *shard;                 /* over this rank's points; its ids are their rows, in the order of their ids */
    int64_t n, nodes;                   /* over all ranks */
    int64_t begin, end;                 /* this rank's nodes; if there are none the shard is undefined */
    int64_t row_begin, input_count;     /* this rank's slice of the build: id of its first row, number of rows */
    struct bi_block representative_ids; /* int64 (input_count), if duplicates were removed: by row */
    struct bi_block ids;                /* of opts.id_bits (end - begin): by row of the shard, ascending */
    struct bi_block cuts;  /* uint64 (2^level x (dim + 1)): local cuts of the partition (steps/kdtree_build.h) */
    struct bi_block boxes; /* uint64 (ranks x 2 x dim): ordered keys, low and high; low > high: an empty shard */
    struct bi_block subtree_boxes; /* uint64 (ranks x subtrees_per_shard x 2 x dim), likewise; absent if that is 1 */
    int64_t subtrees_per_shard;    /* at most */
    /* Only with the options of the published build, else NULL: this rank's subtree. Its coordinates are rotated to
     * begin with the one that splits its root; its ids are positions of its points in the order of their ids. */
    bosc_kdtree *side;
    bosc_kdtree *root; /* likewise; on all ranks but the last a tree of one point, the node above the subtree */
    bosc_ranks_kdtree_times times;
};

/* ---- the partition ---- */

struct bi_ranks_kdtree_partition {
    int64_t nodes;
    int64_t rank_count;
    int level; /* level of the subtrees */
};

struct bi_ranks_kdtree_partition bi_ranks_kdtree_make_partition(int64_t nodes, int32_t rank_count);
/* Returns the first subtree of a rank; for rank_count, the number of subtrees. */
int64_t bi_ranks_kdtree_first_subtree(const struct bi_ranks_kdtree_partition *partition, int64_t rank);
/* Return the range of a part, and of a rank's shard, in the in-order array. */
struct bi_kdtree_range bi_ranks_kdtree_part_range(const struct bi_ranks_kdtree_partition *partition, int64_t part);
struct bi_kdtree_range bi_ranks_kdtree_shard_range(const struct bi_ranks_kdtree_partition *partition, int64_t rank);

/* Returns the greatest number of subtrees of a shard. */
int64_t bi_ranks_kdtree_max_subtrees(const struct bi_ranks_kdtree_partition *partition);

/* Returns the range of subtree i of a level. Unlike bi_kdtree_subtree it may be empty. */
struct bi_kdtree_range bi_ranks_kdtree_subtree_range(int64_t nodes, int level, int64_t i);

/* ---- points ---- */

/* Points of this rank, in reach, and their ids. */
struct bi_ranks_points {
    struct bi_kdtree_rows rows;
    int64_t first;               /* the id of row 0 unless has_ids: ids then ascend by one */
    bool has_ids;                /* the same on all ranks */
    const int64_t *ids;          /* ascending; NULL without rows too */
    int64_t *representative_ids; /* by input row, where duplicates were removed; else NULL */
    int64_t input_count;         /* number of rows before removal */
    int64_t total;               /* points of all ranks */
    double since;                /* start of the build */
    bool checks_nan;             /* rows may have a NaN, which the selection finds */
};

/* Makes rows in reach dense, of `dim` elements each: replaces others by a copy in scratch. */
bosc_status bi_ranks_kdtree_make_dense(bosc_ctx *ctx, const bosc_ranks_kdtree *tree, struct bi_kdtree_rows *rows);

/* Returns the step arguments for the points and cuts. */
struct bi_ranks_kdtree_cuts bi_ranks_kdtree_points_of(const bosc_ranks_kdtree *tree,
                                                      const struct bi_ranks_points *points, const uint64_t *cuts);

/* The same for n rows of a shard, in the order of their ids, and its local cuts. */
struct bi_ranks_kdtree_cuts bi_ranks_kdtree_shard_points(const bosc_ranks_kdtree *tree, const void *rows, int64_t n);

/* Checks that the context can reach the tree. */
bosc_status bi_ranks_kdtree_check(bosc_ctx *ctx, const bosc_ranks_kdtree *tree);

/* As bi_kdtree_check_opts; also checks that the number of ranks admits the options. */
bosc_status bi_ranks_kdtree_check_opts(bosc_ctx *ctx, const bosc_comm *comm, const bosc_kdtree_opts *opts,
                                       bosc_kdtree_opts *full);

/* Checks that ids can number the points of all ranks, which `argument` gives. */
bosc_status bi_ranks_kdtree_check_total(bosc_ctx *ctx, const bosc_kdtree_opts *opts, const char *argument,
                                        int64_t total);

/* Returns the options of a rank's own tree. */
bosc_kdtree_opts bi_ranks_kdtree_shard_opts(const bosc_kdtree_opts *opts);

/* True if points and queries must be checked for NaNs. */
bool bi_ranks_kdtree_may_have_nan(const bosc_ranks_kdtree *tree);

/* Stages this rank's rows, and checks them for NaNs if checks_nan. `array` and the row's number over all ranks
 * appear in the message. */
bosc_status bi_ranks_kdtree_stage(bosc_ctx *ctx, const bosc_ranks_kdtree *tree, const char *array, int64_t row_begin,
                                  bool checks_nan, struct bi_kdtree_rows *rows);

/* Builds the tree of distinct points; `nodes`: number of points over all ranks. */
bosc_status bi_ranks_kdtree_build_distinct(bosc_ctx *ctx, bosc_ranks_kdtree *tree, bosc_status local_status,
                                           const struct bi_ranks_points *points, int64_t nodes);

/* Selects the cuts of a tree of `nodes`: (2^level, dim + 1), in reach; and the rank that owns each of this rank's
 * points: owners. offsets: (ranks + 1), host: set to the number of points on lower ranks. */
bosc_status bi_ranks_kdtree_select_cuts(bosc_ctx *ctx, const bosc_ranks_kdtree *tree, bosc_status local_status,
                                        const struct bi_ranks_points *points, int64_t nodes, uint64_t *cuts,
                                        uint32_t *owners, int64_t *offsets);

/* Returns the bytes of the cuts. */
static inline size_t bi_ranks_kdtree_cut_bytes(const bosc_kdtree_opts *opts,
                                               const struct bi_ranks_kdtree_partition *partition)
{
    return ((size_t)(opts->dim + 1) << partition->level) * sizeof(uint64_t);
}

enum { BI_RANKS_KDTREE_SAMPLES = 2048 }; /* of the selection, for each subtree (select.c) */

/* Returns the greatest number of counters of a round of the selection at any of `levels` levels; 0 without levels. */
int64_t bi_ranks_kdtree_max_counters(int levels);

/* The published build on 2, 4, 8, ... ranks, each with its points, which are in reach. */
bosc_status bi_ranks_kdtree_build_published(bosc_ctx *ctx, bosc_ranks_kdtree *tree, bosc_status local_status,
                                            const struct bi_ranks_points *points);

/* Stores the ids in reach of the shard's n rows. */
bosc_status bi_ranks_kdtree_store_ids(bosc_ctx *ctx, bosc_ranks_kdtree *tree, const int64_t *ids, int64_t n);

/* Stores the cuts in reach as local ones. The ids of the shard's n rows are in their block already. */
bosc_status bi_ranks_kdtree_store_cuts(bosc_ctx *ctx, bosc_ranks_kdtree *tree, const uint64_t *cuts, int64_t n,
                                       const struct bi_ranks_kdtree_partition *partition);

/* ---- items to ranks ---- */

struct bi_ranks_scatter {
    struct bi_exchange x;
    uint32_t *order; /* scratch: rows in sending order */
};

/* Begins an exchange in which item i goes to rank bucket[i]. rows: the rows that `order` lists; NULL: 0, 1, 2, ...
 * bi_exchange_end(&scatter->x) ends it, after a failure too. */
bosc_status bi_ranks_kdtree_begin_scatter(bosc_ctx *ctx, bosc_comm *comm, bosc_status local_status,
                                          const uint32_t *bucket, const uint32_t *rows, int64_t n,
                                          struct bi_ranks_scatter *scatter);

/* Sends rows of `width` elements of `size` (4 or 8) bytes, `stride` elements apart, in the order of the scatter.
 * received: room for x.received rows. */
bosc_status bi_ranks_kdtree_scatter_rows(bosc_ctx *ctx, bosc_comm *comm, bosc_status local_status,
                                         const struct bi_ranks_scatter *scatter, const struct bi_kdtree_rows *rows,
                                         int64_t width, size_t size, void *received);

/* ---- shards ---- */

/* Returns the bytes of an id. */
static inline size_t bi_ranks_kdtree_id_size(const bosc_kdtree_opts *opts) { return (size_t)opts->id_bits / 8; }

/* Empties the tree, and reserves the ids of n rows and the cuts of a partition. */
bosc_status bi_ranks_kdtree_reserve_shard(bosc_ctx *ctx, bosc_ranks_kdtree *tree, int64_t n,
                                          const struct bi_ranks_kdtree_partition *partition);

/* Builds this rank's shard of a tree of `nodes` from its rows, in reach and ordered by id, and gathers the boxes. Ids
 * and cuts are in their blocks already. After a failure the tree is empty. */
bosc_status bi_ranks_kdtree_build_shard(bosc_ctx *ctx, bosc_ranks_kdtree *tree, bosc_status local_status,
                                        const void *rows, const struct bi_ranks_points *points, int64_t nodes);

/* The same of a shard that is built already. */
bosc_status bi_ranks_kdtree_finish_shard(bosc_ctx *ctx, bosc_ranks_kdtree *tree, bosc_status local_status,
                                         const void *rows, const struct bi_ranks_points *points, int64_t nodes);

/* Finds the node that represents each row. ids: of this rank's nodes, of 64 (`is_64bit`) or 32 bits; row_begins:
 * (ranks + 1), host: the first row of each rank. inverse: (input_count): the node of each row of this rank; counts:
 * (end - begin): rows that each node represents. All but row_begins in reach. */
bosc_status bi_ranks_kdtree_find_duplicates(bosc_ctx *ctx, const bosc_ranks_kdtree *tree, bosc_status local_status,
                                            const void *ids, bool is_64bit, const int64_t *row_begins, int64_t *inverse,
                                            int64_t *counts);

/* Gathers row_begins, as above. Collective. */
bosc_status bi_ranks_kdtree_gather_row_begins(bosc_ctx *ctx, const bosc_ranks_kdtree *tree, bosc_status local_status,
                                              int64_t *row_begins);

/* Checks that the removed duplicates are recorded. */
bosc_status bi_ranks_kdtree_check_representatives(bosc_ctx *ctx, const bosc_ranks_kdtree *tree);

/* Writes the points of the shard, in the order of their ids, to backend memory: (end - begin) x dim. */
bosc_status bi_ranks_kdtree_fetch_rows(bosc_ctx *ctx, const bosc_ranks_kdtree *tree, void *rows);

/* Writes this rank's range of the in-order array to backend memory: points (end - begin) x dim, ids of 64 (`is_64bit`)
 * or 32 bits. */
bosc_status bi_ranks_kdtree_write_nodes(bosc_ctx *ctx, const bosc_ranks_kdtree *tree, void *points, void *ids,
                                        bool is_64bit);

#ifdef __cplusplus
}
#endif
#endif
