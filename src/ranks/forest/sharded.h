/* Boruvka's rounds over ranks with distributed components: the second form of forests, for vertices that do not fit
 * one rank, until the remaining components do.
 * `local_status`: this rank's own status, which is exchanged at the next agreement. */
#ifndef BI_RANKS_FOREST_SHARDED_H
#define BI_RANKS_FOREST_SHARDED_H

#include "ranks/forest/forest.h"
#include "ranks/forest/proof.h"

/* The components of a round: each rank owns `each` consecutive ones; this rank owns `own` from `first` on. */
struct bi_ranks_sharded_level {
    int64_t count, each, first, own;
    int64_t at; /* offset of this rank's in the arrays over levels */
};

struct bi_ranks_sharded {
    bosc_ctx *ctx;
    bosc_comm *comm;
    const struct bi_ranks_forest_slice *slice;
    const struct bi_ranks_steps *steps;
    const struct bi_core_ops *core;
    bool labels; /* labels may be requested afterwards */

    struct bi_ranks_list edges, spare;       /* of this rank; ends are compact ids within a round, else components */
    struct bi_ranks_sharded_compact compact; /* room for the first round */
    int64_t compact_count;

    struct bi_ranks_sharded_level levels[BI_RANKS_FOREST_LEVELS];
    int32_t rounds;            /* levels[rounds]: the components at the end */
    int32_t replicated_rounds; /* further rounds within the last level, with replicated components */
    uint32_t *next, *smallest; /* by this rank's components of all levels; smallest: with labels only */
    uint64_t *found;           /* records of the edges that this rank's components list */
    int64_t found_count;
    int64_t *counter;
    struct bi_ranks_sharded_path_max *path_max; /* NULL: no edges follow the rounds */
};

/* Edges of a rank that follow the rounds over other edges. */
struct bi_ranks_sharded_path_max {
    struct bi_ranks_list edges;
    uint64_t *heaviest;   /* two words an edge: rank and id of the heaviest chosen edge on the path between its ends */
    uint32_t *components; /* room for the first round */
    int64_t *faults;      /* the proof's */
};

/* ---- sharded_lookup.c ---- */

/* answers[i] = the item of components[i] in the owners' tables; zeros for BI_FOREST_NONE. *local_status: this rank's
 * own status; all ranks continue, or none. */
bosc_status bi_ranks_sharded_query(const struct bi_ranks_sharded *s, bosc_status *local_status,
                                   const struct bi_ranks_sharded_level *level, const uint32_t *components,
                                   int64_t count, const void *table, size_t item_size, void *answers);

/* ---- sharded_compact_ids.c ---- */

/* Replaces the components in the edges' ends by compact ids: *count of them. */
bosc_status bi_ranks_sharded_compact_ends(struct bi_ranks_sharded *s, const struct bi_ranks_list *edges,
                                          struct bi_ranks_sharded_compact *compact, int64_t *count);

/* ---- sharded.c ---- */

/* Lists this rank's edges that the options admit in s->edges, with room for all of the graph. Takes scratch. */
bosc_status bi_ranks_sharded_list_edges(struct bi_ranks_sharded *s);

/* Runs all rounds over s->edges, which are overwritten. Takes scratch. Waits. */
bosc_status bi_ranks_sharded_run_rounds(struct bi_ranks_sharded *s, bosc_status local_status);

/* ---- sharded_path_max.c ---- */

/* Updates s->path_max after a round, by the records of this rank's components (overwritten) and their numbers in the
 * next round. */
bosc_status bi_ranks_sharded_update_path_max(struct bi_ranks_sharded *s, bosc_status *local_status, uint64_t *records,
                                             const uint32_t *next);

/* Reports the edges that connect two trees, after all rounds. */
bosc_status bi_ranks_sharded_finish_path_max(const struct bi_ranks_sharded *s);

/* ---- sharded_contract.c ---- */

/* Contracts components by the records of this rank's: lists the chosen edges and numbers the roots. next: (this rank's
 * components) the new numbers, BI_FOREST_NONE for whole trees. *components: number of roots on all ranks. */
bosc_status bi_ranks_sharded_contract(struct bi_ranks_sharded *s, bosc_status *local_status, const uint64_t *records,
                                      uint32_t *next, int64_t *components);

/* ---- sharded_finish.c ---- */

/* True if the remaining components may be replicated on each rank. */
bool bi_ranks_sharded_fits_replicated(const struct bi_ranks_sharded *s);

/* Runs the remaining rounds with replicated components: one more level, which keeps the numbers of this one. */
bosc_status bi_ranks_sharded_run_replicated(struct bi_ranks_sharded *s, bosc_status *local_status);

/* ---- sharded_labels.c ---- */

/* Writes the labels of all vertices on ranks that request them, after all rounds with s->labels set. requested:
 * (ranks), host: nonzero for such ranks. labels: (n). */
bosc_status bi_ranks_sharded_label_vertices(const struct bi_ranks_sharded *s, bosc_status local_status,
                                            const int64_t *requested, uint32_t *labels);

/* ---- msf_sharded.c ---- */

/* A request for a forest, and its results. */
struct bi_ranks_sharded_forest {
    bosc_ctx *ctx;
    bosc_comm *comm;
    struct bi_ranks_forest_slice *slice;
    bool components_only; /* no edges, no sums, all edges that the options admit; equal on all ranks */
    bool sum, labels;     /* this rank requests them */
    uint64_t *ids;        /* of this rank's edges in the forest, ascending */
    int64_t count;        /* number of ids */
    uint32_t *tree_of;    /* n: labels; NULL unless requested */
    bosc_msf_info info;
};

/* True if the options select this form, given that the other one takes `bytes` bytes per vertex. */
bool bi_ranks_forest_is_sharded(const struct bi_ranks_forest_slice *slice, int64_t bytes);

/* Sends the chosen edges to the ranks that have them: *records, scratch. */
bosc_status bi_ranks_sharded_return_edges(const struct bi_ranks_sharded *s, uint64_t **records, int64_t *count);

/* Computes the forest, between bi_ranks_forest_begin and _end. Takes scratch. Waits. */
bosc_status bi_ranks_sharded_compute(struct bi_ranks_sharded_forest *f);

#endif
