/* Commands over ranks, called once the ranks are open. Each function returns an exit code, and has reported the error
 * unless it is EXIT_DONE. */
#ifndef TOOL_COMMANDS_OVER_RANKS_H
#define TOOL_COMMANDS_OVER_RANKS_H

#include "tool/ranks.h"

/* ---- kdtree_ranks.c ---- */

int kdtree_build_over_ranks(struct job *job, const struct ranks *ranks, const bosc_kdtree_opts *opts);
int kdtree_verify_over_ranks(struct job *job, const struct ranks *ranks);
int kdtree_knn_over_ranks(struct job *job, const struct ranks *ranks, int64_t k, double within);
int kdtree_radius_over_ranks(struct job *job, const struct ranks *ranks, double radius);
int kdtree_box_over_ranks(struct job *job, const struct ranks *ranks);
int kdtree_pairs_over_ranks(struct job *job, const struct ranks *ranks, double radius);

/* ---- mst_ranks.c ---- */

/* replicated: bytes of --replicated; 0: no limit. */
int mst_over_ranks(struct job *job, const struct ranks *ranks, int64_t replicated);
int components_over_ranks(struct job *job, const struct ranks *ranks, int64_t replicated);

/* ---- cellgraph_ranks.c ---- */

int cellgraph_pairs_over_ranks(struct job *job, const struct ranks *ranks, const bosc_vectors *vectors,
                               const bosc_cellgraph_opts *opts, bosc_array *pairs);

/* allowed: (rows) 0: excluded; NULL: all rows are allowed. labels: for each row the first allowed row of its
 * component. */
int cellgraph_components_over_ranks(struct job *job, const struct ranks *ranks, const bosc_vectors *vectors,
                                    const uint8_t *allowed, const bosc_cellgraph_opts *opts, bosc_array *labels);

#endif
