/* What the drivers of spanning forests share: checks, labels, what is made of the edges of a forest, Euclidean trees.
 */
#ifndef BI_FOREST_DRIVERS_H
#define BI_FOREST_DRIVERS_H

#include <boscage/kdtree.h>

#include "core/check.h"
#include "forest/forest.h"
#include "forest/steps/steps.h"

/* ---- checks.c ---- */

/* A copy of the caller's options (NULL: the defaults), checked. */
bosc_status bi_msf_check_opts(bosc_ctx *ctx, const struct bi_graph_view *graph, const bosc_msf_opts *opts,
                              bosc_msf_opts *full);

/* The rows of the graph in the order that the options say; brings the masks in reach. */
bosc_status bi_msf_rows_of(bosc_ctx *ctx, const struct bi_graph_view *graph, const bosc_msf_opts *opts,
                           struct bi_msf_rows *rows);

/* Whether an array of ids is aligned to its elements. */
bosc_status bi_forest_check_ids(bosc_ctx *ctx, const struct bi_graph_view *graph, const char *name, const void *array);

/* Whether ids may have this many bits. */
bosc_status bi_forest_check_id_bits(bosc_ctx *ctx, int32_t id_bits);

/* The arguments that describe a spanning tree. */
bosc_status bi_forest_check_tree(bosc_ctx *ctx, const void *pairs, int64_t n, int32_t id_bits);

/* ---- msf.c ---- */

/* The caller's arrays; any may be NULL. */
struct bi_msf_outputs {
    void *edges, *labels;
    bosc_msf_info *info;
};
bosc_status bi_msf_check_outputs(bosc_ctx *ctx, const struct bi_graph_view *graph, const struct bi_msf_outputs *to);

/* The forest of a graph, or of entries (whose order is filled) of which `graph` tells their numbers and types alone. */
bosc_status bi_msf_answer(bosc_ctx *ctx, const struct bi_graph_view *graph, struct bi_msf_entries *entries,
                          const bosc_msf_opts *opts, const struct bi_msf_outputs *to);

/* ---- labels.c ---- */

/* labels (n) = the smallest vertex of each component of the edges in a list of ids. */
bosc_status bi_msf_label_edges(bosc_ctx *ctx, const struct bi_msf_rows *rows, int64_t entries, const void *ids,
                               int64_t count, uint32_t *labels);

/* The same of a flat or deep forest of parents (n), which is lost. */
bosc_status bi_msf_label_parents(bosc_ctx *ctx, int64_t n, uint32_t *parent, uint32_t *labels);

/* *count = the number of vertices that the mask leaves; with labels, of those that are their own label. */
bosc_status bi_msf_count_roots(bosc_ctx *ctx, const struct bi_msf_rows *rows, const uint32_t *labels, int64_t *count);

/* Room for labels: the caller's array itself where they can be made in it, which nothing may fail after; or scratch. */
bosc_status bi_msf_take_labels(bosc_ctx *ctx, const struct bi_graph_view *graph, const struct bi_msf_rows *rows,
                               const struct bi_out *out, uint32_t **labels);
/* Writes labels to the caller's array of id_bits, if they are not there; waits if it is not in reach. */
bosc_status bi_msf_give_labels(bosc_ctx *ctx, const struct bi_graph_view *graph, const struct bi_msf_rows *rows,
                               const uint32_t *labels, const struct bi_out *out);

/* ---- selection.c ---- */

/* Sorts ids, ascending, with their keys. */
bosc_status bi_msf_sort_found(bosc_ctx *ctx, const struct bi_msf_rows *rows, struct bi_msf_found *found);

/* Keeps the `count` lightest edges. */
bosc_status bi_msf_keep_lightest(bosc_ctx *ctx, const struct bi_msf_rows *rows, int64_t count,
                                 struct bi_msf_found *found);

/* Fills weight_low, weight_high and weight; float types: ids ascend. */
bosc_status bi_msf_sum(bosc_ctx *ctx, const struct bi_graph_view *graph, const struct bi_msf_rows *rows,
                       const struct bi_msf_found *found, bosc_msf_info *info);

/* ---- emst.c ---- */

/* A copy of the caller's options, checked. */
bosc_status bi_emst_check_opts(bosc_ctx *ctx, const bosc_emst_opts *opts, bosc_emst_opts *full);

/* The outputs of n points, `room` pairs among them at least. */
bosc_status bi_emst_check_arrays(bosc_ctx *ctx, const bosc_emst_opts *opts, int64_t n, int64_t room, const void *pairs,
                                 const void *dist2);

/* The spanning tree of the n points of a k-d tree whose ids have 32 bits, to scratch: pairs (n - 1) as smaller << 32 |
 * greater, ascending, and the bits of their squared lengths, of 64 bits each (`wide`) or 32. */
bosc_status bi_emst_of_tree(bosc_ctx *ctx, const bosc_kdtree *tree, int64_t n, bool wide, uint64_t *pairs,
                            uint64_t *words);

/* Where such edges go to: the caller's arrays, of this many. */
struct bi_emst_outputs {
    bool wide_ids, wide, lengths;
    struct bi_out pairs, dist2;
};
bosc_status bi_emst_stage(bosc_ctx *ctx, const bosc_emst_opts *opts, void *pairs, void *dist2, int64_t edges,
                          struct bi_emst_outputs *out);
bosc_status bi_emst_give(bosc_ctx *ctx, const uint64_t *pairs, const uint64_t *words, int64_t edges,
                         const struct bi_emst_outputs *out);

#endif
