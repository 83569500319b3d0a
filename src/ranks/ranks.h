/* The room of structures over ranks: its table of operations. */
#ifndef BI_RANKS_RANKS_H
#define BI_RANKS_RANKS_H

#include "comm/comm.h"
#include "core/call.h"

#ifdef __cplusplus
extern "C" {
#endif

struct bi_ranks_steps; /* one bi_step_fn for each line of steps.def: see steps/steps.h */

struct bi_ranks_owned;
struct bi_ranks_owned_move;
struct bi_ranks_queries;
struct bi_ranks_splitter;
struct bi_ranks_kdtree_filter;
struct bi_ranks_kdtree_box;

/* The table of operations that each backend provides. */
struct bi_ranks_ops {
    const struct bi_ranks_steps *steps;
    /* Sets the positions of n > 0 items to the tiles' counts (exchange/owned.h). */
    bosc_status (*count_owned)(bosc_ctx *ctx, const struct bi_ranks_owned *items);
    /* Moves n > 0 items between rows and blocks. */
    bosc_status (*move_owned)(bosc_ctx *ctx, const struct bi_ranks_owned *items,
                              const struct bi_ranks_owned_move *move);
    /* Finds a splitter (prims/splitter.h). Waits. */
    bosc_status (*find_splitter)(bosc_ctx *ctx, const struct bi_ranks_splitter *splitter);
    /* Counts n > 0 points and lists the candidates for medians (steps/kdtree_build.h). */
    bosc_status (*filter_points)(bosc_ctx *ctx, const struct bi_ranks_kdtree_filter *filter);
    /* Finds the bounding box of n > 0 dense rows: dim lowest keys, then dim highest, on the host. Waits. */
    bosc_status (*find_box)(bosc_ctx *ctx, const struct bi_ranks_kdtree_box *rows, uint64_t *box);
    /* Searches write lists in random order, where distances cost more than their computation from positions. */
    bool omits_distances;
    /* Ranks that share memory may pool their threads (exchange/pool.h). */
    bool pools_threads;
    /* Order a block of a rank's queries by owner, for the structures of all ranks, and return the answers to the rows
     * (exchange/queries.h), where ranks share memory. NULL: a rank's queries go to their owners. */
    bosc_status (*order_queries)(bosc_ctx *ctx, const struct bi_ranks_queries *queries);
    bosc_status (*return_answers)(bosc_ctx *ctx, const struct bi_ranks_queries *queries, int64_t item_size,
                                  const void *answers, void *rows);
};

/* The status of work that writes outputs. It cannot be BOSC_ERR_NOMEM: callers may repeat such a call, but the outputs
 * may have changed, on this rank or on others. */
static inline bosc_status bi_ranks_status_of_outputs(bosc_status status)
{
    return status == BOSC_ERR_NOMEM ? BOSC_ERR_DEVICE : status;
}

#ifdef __cplusplus
}
#endif
#endif
