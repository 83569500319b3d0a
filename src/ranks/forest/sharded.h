/* Boruvka's rounds over ranks with distributed components: the second form of forests, for vertices that do not fit
 * one rank, until the remaining components do.
 * `local_status`: this rank's own status, which is exchanged at the next agreement. */
#ifndef BI_RANKS_FOREST_SHARDED_H
#define BI_RANKS_FOREST_SHARDED_H

#include "ranks/forest/forest.h"

/* The components of a round: each rank owns `each` consecutive ones; this rank owns `own` from `first` on. */
struct bi_ranks_sharded_level {
    int64_t count, each, first, own; /* count: of all ranks */
    int64_t at;                      /* offset of this rank's in the arrays over levels */
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
    int64_t *apart, *lighter; /* backend memory: the smallest edge id of each fault of the proof */
};

/* ---- sharded.c ---- */

/* answers[i] = the item of components[i] in the owners' tables; zeros for BI_FOREST_NONE. *local_status: this rank's
 * own status; all ranks continue, or none. */
bosc_status bi_ranks_sharded_query(const struct bi_ranks_sharded *s, bosc_status *local_status,
                                   const struct bi_ranks_sharded_level *level, const uint32_t *components,
                                   int64_t count, const void *table, size_t item_size, void *answers);

/* Lists this rank's edges that the options admit in s->edges, with room for all of the graph. Allocates scratch. */
bosc_status bi_ranks_sharded_list_edges(struct bi_ranks_sharded *s);

/* Runs all rounds over s->edges, which are overwritten. Allocates scratch. Waits. */
bosc_status bi_ranks_sharded_run_rounds(struct bi_ranks_sharded *s, bosc_status local_status);

/* Reports the edges that connect two trees, after all rounds. */
bosc_status bi_ranks_sharded_finish_path_max(const struct bi_ranks_sharded *s);

/* ---- msf_sharded.c ---- */

/* True if the options select this form, given that the other one takes `bytes` bytes per vertex. */
bool bi_ranks_forest_is_sharded(const struct bi_ranks_forest_slice *slice, int64_t bytes);

/* Sends the chosen edges to the ranks that have them: *records, scratch. */
bosc_status bi_ranks_sharded_return_edges(const struct bi_ranks_sharded *s, uint64_t **records, int64_t *count);

/* Computes the forest, between bi_ranks_forest_begin and _end. Allocates scratch. Waits. */
bosc_status bi_ranks_sharded_compute(struct bi_ranks_forest_call *f);

#endif
