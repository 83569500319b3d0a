/* Boruvka's rounds over points: shared by the computation of Euclidean spanning trees and by their proof. */
#ifndef BI_FOREST_EMST_H
#define BI_FOREST_EMST_H

#include <boscage/kdtree.h>

#include "forest/drivers.h"
#include "kdtree/copies.h"
#include "kdtree/nearest_other_label.h"

struct bi_emst_rounds {
    bosc_ctx *ctx;
    const struct bi_forest_steps *steps;
    const bosc_kdtree *tree;
    bosc_kdtree order; /* of its nodes, for the walks */
    struct bi_kdtree_blocks blocks;
    int64_t n, edges;
    int64_t components; /* elements of args.roots */
    struct bi_emst args;
    bool mutual;    /* lengths are under mutual reachability; args.core is the caller's */
    bool has_cores; /* args.core has the core distances */
    double p;       /* as in struct bi_emst_lengths */
    uint32_t *found, *other_roots;
    void *found_dist2;
    uint64_t *pairs, *words; /* n - 1: edges found so far and their squared lengths */
    int64_t *count;
};

/* Progress weight of a step with random reads of other points or components; estimated. */
enum { BI_EMST_LOOKUP_ITEMS = 8 };

/* Allocates all arrays of *e and e->args, without contents, for n >= 2; but pairs and words of *e, for all edges, are
 * the caller's. Pairs and words of args hold the edges of one round. The caller has set n, args.k and args.is_64bit,
 * and releases the scratch, also after a failure. */
bosc_status bi_emst_allocate(struct bi_emst_rounds *e);

/* Runs a step over all components; *raised = the step set the flag. */
bosc_status bi_emst_run_flag_step(struct bi_emst_rounds *e, bi_step_fn step, bool *raised);

/* Searches within the components' best lengths, and finds the first pair at the shortest length of each. */
bosc_status bi_emst_search(struct bi_emst_rounds *e);

/* Finds the shortest edge of every component, by lists and searches. */
bosc_status bi_emst_find_shortest(struct bi_emst_rounds *e);

/* Adds the components' edges to the tree, merges the components and relabels the points. */
bosc_status bi_emst_join(struct bi_emst_rounds *e);

/* Neighbour lists, and rounds until one component is left. */
bosc_status bi_emst_find_edges(struct bi_emst_rounds *e);

/* The points of a call. */
struct bi_emst_points {
    const bosc_kdtree *tree; /* of the points times `scale`, a power of two */
    int64_t n;
    const bosc_emst_opts *opts;
    double scale;
    bool exact;          /* no scaled coordinate is rounded */
    int64_t min_samples; /* 0: Euclidean lengths */
    void *core_dist2;    /* the caller's array; NULL: none */
    double p;            /* as in struct bi_emst_lengths */
    bool roots;          /* the caller's arrays receive the roots of squared lengths */
};

/* Builds the tree of the points, scales it where squares are needed and out of range, and calls `use` for 2 points or
 * more; all arguments are checked, but for the points. `use` has scratch of its own. */
typedef bosc_status (*bi_emst_use)(bosc_ctx *ctx, const struct bi_emst_points *p, void *user);
bosc_status bi_emst_with_tree(bosc_ctx *ctx, const void *points, int64_t stride, struct bi_emst_points *p,
                              bi_emst_use use, void *user);

/* Converts the squared lengths of n - 1 pairs to those of the points, or to lengths if p->roots. Fails if one is not
 * exact or (`lengths`) does not fit. */
bosc_status bi_emst_unscale_lengths(bosc_ctx *ctx, const struct bi_emst_points *p, const uint64_t *pairs,
                                    uint64_t *words, bool lengths);

/* The same under distances of order p, of rows converted to doubles; opts, p and roots of *rows are not read. The
 * caller has checked all arguments but the points. */
bosc_status bi_emst_with_order(bosc_ctx *ctx, const void *points, int64_t stride, const bosc_emst_opts *opts, double p,
                               const struct bi_emst_points *rows, bi_emst_use use, void *user);

/* Sorts edges by their points. */
bosc_status bi_emst_sort_edges(bosc_ctx *ctx, int64_t edges, uint64_t *pairs, uint64_t *words);

/* Keeps the first min_samples of equal rows of a tree, in scratch: core distances of these do not need the others. */
bosc_status bi_emst_keep_rows(bosc_ctx *ctx, const bosc_kdtree *tree, int64_t min_samples,
                              struct bi_kdtree_copies *copies);

/* Finds the core distances of all points, to scratch, and sets those of the blocks; e->args.k is min_samples. */
bosc_status bi_emst_find_cores(struct bi_emst_rounds *e);

/* Fails unless squares of distances are in the range of their type. */
bosc_status bi_emst_check_magnitude(bosc_ctx *ctx, const bosc_kdtree *tree, bool is_64bit);

/* Returns the neighbours in the list of a point; min_samples 0: under Euclidean lengths. */
int64_t bi_emst_list_length(int64_t n, int64_t min_samples);

#endif
