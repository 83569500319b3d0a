/* Between the front door of spanning forests and their drivers: arguments are checked, masks are in reach. */
#ifndef BI_FOREST_MSF_DRIVER_H
#define BI_FOREST_MSF_DRIVER_H

#include "forest/msf_rounds.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A copy of the caller's options (NULL: the defaults), checked. */
bosc_status bi_msf_check_opts(bosc_ctx *ctx, const bosc_graph *graph, const bosc_msf_opts *opts, bosc_msf_opts *full);

/* The rows of the graph in the order that the options say; brings the masks in reach. */
bosc_status bi_msf_rows_of(bosc_ctx *ctx, const bosc_graph *graph, const bosc_msf_opts *opts, struct bi_msf_rows *rows);

/* Lists the arcs that are there in places[0] and ends[0] of *rounds, with room for the second arrays. */
bosc_status bi_msf_list_rows(bosc_ctx *ctx, const struct bi_msf_rows *rows, struct bi_msf_rounds *rounds);

/* Sorts ids, ascending, with their keys. */
bosc_status bi_msf_sort_found(bosc_ctx *ctx, const struct bi_msf_rows *rows, struct bi_msf_found *found);

/* Keeps the `count` lightest edges. */
bosc_status bi_msf_keep_lightest(bosc_ctx *ctx, const struct bi_msf_rows *rows, int64_t count,
                                 struct bi_msf_found *found);

/* Fills weight_low, weight_high and weight; float types: ids ascend. */
bosc_status bi_msf_sum(bosc_ctx *ctx, const bosc_graph *graph, const struct bi_msf_rows *rows,
                       const struct bi_msf_found *found, bosc_msf_info *info);

/* labels (n) = the smallest vertex of each component of the edges in a list of ids. */
bosc_status bi_label_edges(bosc_ctx *ctx, const struct bi_msf_rows *rows, int64_t entries, const void *ids,
                           int64_t count, uint32_t *labels);

/* The same of a flat or deep forest of parents (n), which is lost. */
bosc_status bi_label_parents(bosc_ctx *ctx, int64_t n, uint32_t *parent, uint32_t *labels);

/* *count = the vertices that the mask leaves; with labels, those of them that are labels. */
bosc_status bi_count_roots(bosc_ctx *ctx, const struct bi_msf_rows *rows, const uint32_t *labels, int64_t *count);

/* Writes labels to the caller's array of id_bits; waits if it is not in reach. */
bosc_status bi_give_labels(bosc_ctx *ctx, const bosc_graph *graph, const struct bi_msf_rows *rows,
                           const uint32_t *labels, const struct bi_out *out);

/* The arguments that say what a spanning tree is. */
bosc_status bi_tree_check(bosc_ctx *ctx, int64_t n, int32_t id_bits, const void *pairs);

#ifdef __cplusplus
}
#endif
#endif
