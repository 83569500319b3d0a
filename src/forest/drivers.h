/* Shared by the drivers of spanning forests: checks, labels, Euclidean trees, and selections and sums of a forest's
 * edges. */
#ifndef BI_FOREST_DRIVERS_H
#define BI_FOREST_DRIVERS_H

#include <boscage/kdtree.h>

#include "core/check.h"
#include "forest/forest.h"
#include "forest/steps/steps.h"

/* A word of ids, positions or keys. */
static inline bosc_dtype bi_msf_word_type(bool is_64bit) { return is_64bit ? BOSC_U64 : BOSC_U32; }
static inline size_t bi_msf_word_bytes(bool is_64bit) { return is_64bit ? 8 : 4; }

/* ---- checks.c ---- */

/* A copy of the caller's options (NULL: the defaults), checked. */
bosc_status bi_msf_check_opts(bosc_ctx *ctx, const struct bi_graph_view *graph, const bosc_msf_opts *opts,
                              bosc_msf_opts *full);

/* Fills *rows with the graph's rows and the edge order of the options; stages the masks. */
bosc_status bi_msf_rows_of(bosc_ctx *ctx, const struct bi_graph_view *graph, const bosc_msf_opts *opts,
                           struct bi_msf_rows *rows);

/* Checks that an array of ids is aligned to its elements. */
bosc_status bi_forest_check_ids(bosc_ctx *ctx, const struct bi_graph_view *graph, const char *name, const void *array);

/* Checks that id_bits is 32 or 64. */
bosc_status bi_forest_check_id_bits(bosc_ctx *ctx, int32_t id_bits);

/* Checks the arguments that describe a spanning tree. */
bosc_status bi_forest_check_tree(bosc_ctx *ctx, const void *pairs, int64_t n, int32_t id_bits);

/* ---- msf.c ---- */

/* Sorts ids, ascending, with their keys. */
bosc_status bi_msf_sort_found(bosc_ctx *ctx, const struct bi_msf_rows *rows, struct bi_msf_found *found);

/* Reduces *found to its `count` lightest edges. */
bosc_status bi_msf_select_lightest(bosc_ctx *ctx, const struct bi_msf_rows *rows, int64_t count,
                                   struct bi_msf_found *found);

/* Fills weight_low, weight_high and weight. For float types the ids must ascend. */
bosc_status bi_msf_sum(bosc_ctx *ctx, const struct bi_graph_view *graph, const struct bi_msf_rows *rows,
                       const struct bi_msf_found *found, bosc_msf_info *info);

/* The caller's arrays; any may be NULL. */
struct bi_msf_outputs {
    void *edges, *labels;
    bosc_msf_info *info;
};
bosc_status bi_msf_check_outputs(bosc_ctx *ctx, const struct bi_graph_view *graph, const struct bi_msf_outputs *to);

/* Computes the forest of a graph, or of entries if not NULL; `graph` then holds only their counts and types. All
 * arguments are checked. */
bosc_status bi_msf_compute_checked(bosc_ctx *ctx, const struct bi_graph_view *graph,
                                   const struct bi_msf_entries *entries, const bosc_msf_opts *opts,
                                   const struct bi_msf_outputs *to);

/* ---- boruvka.c ---- */

/* Boruvka's rounds over a list of arcs: the published method (PRIMITIVES and ATOMIC), on core operations and steps. */
enum { BI_MSF_MAX_ROUNDS = 34 /* each round at least halves the supervertices, fewer than 2^32 */ };

/* The tree of rounds: supervertex i of round k is node begin[k] + i; the nodes of round k end at begin[k + 1]. */
struct bi_msf_tree {
    int32_t levels;
    int64_t begin[BI_MSF_MAX_ROUNDS + 1];
    uint32_t *leaf;   /* n: each vertex's supervertex of round 0; BI_FOREST_NONE if it has no edges */
    uint32_t *parent; /* by node: its supervertex in the next round, counted from 0 there. A supervertex without
                         edges gets a number beyond those of the next round, unique to it */
    uint32_t *rank;   /* by node: the rank of the edge that it chose */
};

struct bi_msf_rounds {
    struct bi_msf_list list;  /* its ends and positions point into the arrays in use below */
    uint64_t *ends[2];        /* list.count each */
    void *positions[2];       /* list.count each: of arcs in the rows, or ranks */
    int64_t n;                /* vertices, and labels of the initial list */
    bool atomic;              /* ATOMIC: atomic minima replace the segmented scan */
    bool keep_parallel;       /* skip the removal of duplicate edges between supervertices */
    bool split_duplicates;    /* remove them by sorts of {u, v, weight}, where {weight, id} is one word */
    uint32_t *parent;         /* n, or NULL: receives parents, a forest with one tree for each tree of the result */
    void *chosen;             /* capacity min(n - 1, count): positions of the chosen edges */
    struct bi_msf_tree *tree; /* NULL, or with capacity for 2 n supervertices */

    int64_t found; /* results: edges, rounds, and sizes of each round */
    int32_t count;
    bosc_msf_round recorded[BI_MSF_MAX_ROUNDS];
};

/* Runs all rounds. Allocates scratch, which the caller's arena mark releases. */
bosc_status bi_msf_run_rounds(bosc_ctx *ctx, struct bi_msf_rounds *rounds);

/* ---- components.c ---- */

/* labels (n) = the smallest vertex of each component of the edges in a list of ids. */
bosc_status bi_msf_label_edges(bosc_ctx *ctx, const struct bi_msf_rows *rows, int64_t entries, const void *ids,
                               int64_t count, uint32_t *labels);

/* The same of a forest of parents (n) of any depth, which is overwritten. */
bosc_status bi_msf_label_parents(bosc_ctx *ctx, int64_t n, uint32_t *parent, uint32_t *labels);

/* *count = the number of vertices left by the mask; with labels, only of vertices that equal their label. */
bosc_status bi_msf_count_roots(bosc_ctx *ctx, const struct bi_msf_rows *rows, const uint32_t *labels, int64_t *count);

/* Provides memory for labels: the caller's array if labels can be made in place, else scratch. After computing in
 * place, nothing may fail. */
bosc_status bi_msf_allocate_labels(bosc_ctx *ctx, const struct bi_graph_view *graph, const struct bi_msf_rows *rows,
                                   const struct bi_out *out, uint32_t **labels);
/* Writes labels to the caller's array of id_bits unless they are in it already; waits if the array was staged. */
bosc_status bi_msf_store_labels(bosc_ctx *ctx, const struct bi_graph_view *graph, const struct bi_msf_rows *rows,
                                const uint32_t *labels, const struct bi_out *out);

/* ---- tour.c ---- */

/* A spanning tree with root 0, in scratch. */
struct bi_rooted_tree {
    const uint64_t *arcs;         /* 2 (n - 1): both of each pair, from << 32 | to, ascending */
    const uint32_t *first, *last; /* n: the positions of a vertex's arcs */
    const uint32_t *up;           /* n: the position of the arc to the parent; BI_FOREST_NONE of the root */
};

/* Roots the tree of n - 1 pairs, which are in reach; n >= 2. */
bosc_status bi_tour_root_tree(bosc_ctx *ctx, const void *pairs, bool is_64bit, int64_t n, struct bi_rooted_tree *tree);

/* ---- emst.c ---- */

/* A copy of the caller's options, checked. */
bosc_status bi_emst_check_opts(bosc_ctx *ctx, const bosc_emst_opts *opts, bosc_emst_opts *full);

/* Checks the output arrays of n points with `room` pairs at least. */
bosc_status bi_emst_check_arrays(bosc_ctx *ctx, const bosc_emst_opts *opts, int64_t n, int64_t room, const void *pairs,
                                 const void *dist2);

/* The lengths of edges: 32-bit or 64-bit floats, squared or of an order p. */
struct bi_emst_lengths {
    bool is_64bit;
    double p;       /* 0: squared, of order 2. Else lengths are distances of that order, and the tree has doubles */
    bool has_cores; /* core distances are the caller's: at most those of the tree's own points */
};

/* Computes the spanning tree of the n points of a k-d tree with 32-bit ids, to scratch: pairs (n - 1) as smaller << 32
 * | greater, ascending, and the bits of their lengths. */
bosc_status bi_emst_of_tree(bosc_ctx *ctx, const bosc_kdtree *tree, int64_t n, struct bi_emst_lengths lengths,
                            uint64_t *pairs, uint64_t *words);

/* The same under mutual reachability: core (n) becomes the core distances, of the distance type, or has them.
 * 1 <= min_samples, and <= n unless lengths.has_cores. */
bosc_status bi_emst_of_tree_mutual(bosc_ctx *ctx, const bosc_kdtree *tree, int64_t n, int64_t min_samples,
                                   struct bi_emst_lengths lengths, void *core, uint64_t *pairs, uint64_t *words);

/* Lists the rows of a non-empty tree whose core distances need a search, in scratch. *rows = NULL: all. Other rows
 * equal min_samples rows or more, so theirs are 0. */
bosc_status bi_emst_list_core_rows(bosc_ctx *ctx, const bosc_kdtree *tree, int64_t min_samples, uint32_t **rows,
                                   int64_t *count);

/* Checks min_samples of n points. */
bosc_status bi_emst_check_min_samples(bosc_ctx *ctx, int64_t min_samples, int64_t n);

/* Checks an order, and the caller's rows. */
bosc_status bi_emst_check_order(bosc_ctx *ctx, double p);
bosc_status bi_emst_check_rows(bosc_ctx *ctx, const bosc_emst_opts *opts, const void *points, int64_t n,
                               int64_t stride);

/* Converts n > 0 rows to doubles, in scratch; `first`: the row of the first one, for the message of an infinite one. */
bosc_status bi_emst_convert_rows(bosc_ctx *ctx, const void *points, int64_t n, int64_t stride,
                                 const bosc_emst_opts *opts, int64_t first, const double **to);

/* Fails if a length of order p is infinite: a distance of finite points is more than a double holds. */
bosc_status bi_emst_refuse_infinite(bosc_ctx *ctx, const uint64_t *words, int64_t edges);

/* The caller's output arrays for such edges. */
struct bi_emst_outputs {
    bool ids_64bit, is_64bit, lengths;
    bool roots; /* squared lengths, doubles, are replaced by their roots */
    struct bi_out pairs, dist2;
};
bosc_status bi_emst_stage(bosc_ctx *ctx, const bosc_emst_opts *opts, void *pairs, void *dist2, int64_t edges,
                          struct bi_emst_outputs *out);
bosc_status bi_emst_store(bosc_ctx *ctx, const uint64_t *pairs, const uint64_t *words, int64_t edges,
                          const struct bi_emst_outputs *out);

#endif
