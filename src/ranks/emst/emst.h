/* What the drivers of Euclidean spanning trees over ranks share: a rank's points, edges and components, and questions
 * to other shards. */
#ifndef BI_RANKS_EMST_EMST_H
#define BI_RANKS_EMST_EMST_H

#include "ranks/forest/forest.h"
#include "ranks/kdtree/search.h"

/* Records of the edges of the tree that a rank has found, of three words each. */
struct bi_ranks_emst_found {
    uint64_t *records;
    int64_t count;
};

/* A rank's part. Arrays are scratch. */
struct bi_ranks_emst {
    bosc_ctx *ctx;
    bosc_comm *comm;
    const struct bi_ranks_steps *steps;
    const struct bi_core_ops *core;
    const bosc_ranks_kdtree *tree; /* of all points: the rank's are those of its shard, in the order of their ids */
    bool single;                   /* squared lengths are float */
    int64_t n;
    void *rows;    /* n x dim: the coordinates */
    uint32_t *all; /* n: 0, 1, 2, ... */
    struct bi_ranks_emst_points points;
    struct bi_ranks_list edges, spare; /* room for 2 n: an edge of the shard's own tree, or to a foreign point, each */
    struct bi_ranks_emst_found found;  /* room for n: within the shard */
};

/* ---- emst_components.c ---- */

/* Components of this rank or of all, in scratch. */
struct bi_ranks_emst_components {
    int64_t count;                     /* that are left */
    int64_t ranks, each;               /* these ranks share them out: so many each at most */
    uint64_t *best, *best_id;          /* (ranks x each; count): the length of the shortest edge; and its pair */
    uint64_t *records, *other_records; /* (ranks x each) of three words */
    uint32_t *parent, *numbers, *next;
    uint8_t *flags; /* as many as edges or components */
    int64_t *counted;
    bool unfinished; /* some may have no edge in a round */
};

/* Takes scratch for this many components, which `ranks` ranks share out. */
bosc_status bi_ranks_emst_take(const struct bi_ranks_emst *e, int64_t count, int32_t ranks,
                               struct bi_ranks_emst_components *c);

/* best = the length of the shortest of this rank's edges at each component; UINT64_MAX: none. */
bosc_status bi_ranks_emst_shortest(const struct bi_ranks_emst *e, struct bi_ranks_emst_components *c);

/* The records of these edges. */
bosc_status bi_ranks_emst_record(const struct bi_ranks_emst *e, struct bi_ranks_emst_components *c);

/* Joins the components by their records, and lists the edges of those from `first` to `end` - 1 in *found. */
bosc_status bi_ranks_emst_join(struct bi_ranks_emst *e, struct bi_ranks_emst_components *c, int64_t first, int64_t end,
                               struct bi_ranks_emst_found *found);

/* Components become c->next of them: of points and of ends of edges. Edges within one go. */
bosc_status bi_ranks_emst_rename(struct bi_ranks_emst *e, struct bi_ranks_emst_components *c);

/* ---- emst_shard.c ---- */

/* This rank's points in the order of their ids. */
bosc_status bi_ranks_emst_fetch(struct bi_ranks_emst *e);

/* Queries against the shards of other ranks, part by part. */
struct bi_ranks_kdtree_reach bi_ranks_emst_reach_of(const struct bi_ranks_emst *e, const void *rows, int64_t n);

/* The tree of this rank's shard, contracted by all edges that no other rank can beat. *count: the components left. */
bosc_status bi_ranks_emst_contract(struct bi_ranks_emst *e, int64_t *count);

/* ---- emst_ask.c ---- */

/* The points that do not know their nearest foreign point ask for it, if it may be as near as c->best; of each
 * component all, or (`first`) only the one that is nearest to another shard. shard_labels: by rank, the one component
 * of its points or BI_FOREST_NONE. What they find is added to this rank's edges. *local_status: before, how this rank
 * is;
 * after, what failed on it alone at the end. */
bosc_status bi_ranks_emst_ask(struct bi_ranks_emst *e, const struct bi_ranks_emst_components *c,
                              const uint32_t *shard_labels, bool first, bosc_status *local_status);

/* ---- emst_rounds.c ---- */

/* Runs all rounds. count: this rank's components; *found: its share of the edges. */
bosc_status bi_ranks_emst_run_rounds(struct bi_ranks_emst *e, bosc_status local_status, int64_t count,
                                     struct bi_ranks_emst_found *found);

#endif
