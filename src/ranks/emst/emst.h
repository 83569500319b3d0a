/* Shared by the drivers of Euclidean spanning trees over ranks: a rank's points, edges and components, and queries to
 * other shards.
 * `local_status`: this rank's own status, which is exchanged at the next agreement. */
#ifndef BI_RANKS_EMST_EMST_H
#define BI_RANKS_EMST_EMST_H

#include "kdtree/nearest_other_label.h"
#include "ranks/forest/forest.h"
#include "ranks/kdtree/search.h"

/* Records of the tree's edges that a rank found, of three words each. */
struct bi_ranks_emst_found {
    uint64_t *records;
    int64_t count;
};

/* A rank's state. Arrays are scratch. */
struct bi_ranks_emst {
    bosc_ctx *ctx;
    bosc_comm *comm;
    const struct bi_ranks_steps *steps;
    const struct bi_core_ops *core;
    const bosc_ranks_kdtree *tree; /* of all points: this rank's are those of its shard, in the order of their ids */
    bool single;                   /* squared lengths are float */
    double p;                      /* as in struct bi_emst_lengths */
    int64_t n;
    int64_t min_samples; /* 0: plain lengths; else under mutual reachability */
    void *cores;         /* n: core distances, as lengths; NULL: none */
    void *rows;          /* n x dim: the coordinates */
    uint32_t *all;       /* n: 0, 1, 2, ... */
    struct bi_ranks_emst_points points;
    struct bi_ranks_list edges, spare; /* room for 2 n: per point one of the shard's tree, one to a foreign point */
    struct bi_ranks_emst_found found;  /* room for n: within the shard */
    bosc_kdtree order;                 /* of rounds: the nodes of the shard, for the walks */
    struct bi_kdtree_blocks blocks;    /* of it; with its core distances, if there are some */
};

/* ---- rounds.c ---- */

/* Components of this rank or of all ranks, in scratch. */
struct bi_ranks_emst_components {
    int64_t count;            /* number of remaining components */
    int64_t ranks, each;      /* number of ranks that divide them; at most `each` per rank */
    uint64_t *best, *best_id; /* (ranks x each; count): length of the shortest edge; its pair */
    uint64_t *records;        /* (ranks x each) of three words */
    uint32_t *others;         /* count: the component at the other end of the shortest edge of all ranks */
    uint8_t *is_own;          /* count: 1 if it is this rank's */
    uint32_t *parent, *survives, *next;
    uint8_t *flags; /* as many as edges or components */
    int64_t *counter;
    bool is_unfinished; /* some may lack an edge in a round */
};

/* Allocates scratch for `count` components, which `ranks` ranks divide. */
bosc_status bi_ranks_emst_allocate(const struct bi_ranks_emst *e, int64_t count, int32_t ranks,
                                   struct bi_ranks_emst_components *c);

/* Writes the records of the shortest of this rank's edges at each component; c->best: their lengths. */
bosc_status bi_ranks_emst_record_edges(const struct bi_ranks_emst *e, struct bi_ranks_emst_components *c);

/* Reduces the records over the ranks; comm NULL: this rank's are all. counts, blocks: bi_ranks_forest_reduction. */
bosc_status bi_ranks_emst_reduce_records(const struct bi_ranks_emst *e, bosc_comm *comm,
                                         const struct bi_ranks_emst_components *c, int64_t *counts, void **blocks);

/* Contracts the components by the reduced edges, and appends this rank's edges to *found. */
bosc_status bi_ranks_emst_merge_components(struct bi_ranks_emst *e, struct bi_ranks_emst_components *c,
                                           struct bi_ranks_emst_found *found);

/* Returns the step arguments of queries against the shards of other ranks, subtree by subtree. */
struct bi_ranks_kdtree_reach bi_ranks_emst_reach_of(const struct bi_ranks_emst *e, const void *rows, int64_t n);

/* Runs all rounds. count: this rank's components; *found: the edges that it has. */
bosc_status bi_ranks_emst_run_rounds(struct bi_ranks_emst *e, bosc_status local_status, int64_t count,
                                     struct bi_ranks_emst_found *found);

#endif
