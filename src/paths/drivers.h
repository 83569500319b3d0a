/* Shared by the drivers of shortest paths. */
#ifndef BI_PATHS_DRIVERS_H
#define BI_PATHS_DRIVERS_H

#include "core/check.h"
#include "graph/view.h"
#include "paths/paths.h"
#include "paths/steps/steps.h"

/* A call's arguments, checked. */
struct bi_paths_call {
    bosc_ctx *ctx;
    const struct bi_paths_steps *steps;
    struct bi_paths_rows rows;
    bosc_paths_opts opts;
    int32_t id_bits;     /* of the caller's arrays */
    const void *sources; /* of the present search: source_count of the caller's, from number first_source on */
    int64_t source_count;
    int64_t first_source;
    double mean_length; /* of arcs; 0: not known */
    bool may_overflow;  /* sums of lengths */
};

/* ---- checks.c ---- */

/* Checks the options and fills c->opts and the members of c->rows that follow from them and the type of weights.
 * unweighted: there are no weights, whatever the options say. */
bosc_status bi_paths_check_opts(struct bi_paths_call *c, const bosc_paths_opts *opts, bosc_dtype weight,
                                bool unweighted);

/* Checks the sources' count and array. */
bosc_status bi_paths_check_sources(struct bi_paths_call *c, const void *sources, int64_t count, int64_t n);

/* Checks a call on rows of the caller: c->rows.n, the options, and the pointers of offsets and neighbours. Sets
 * c->id_bits, and fills what bi_paths_check_opts fills. */
bosc_status bi_paths_check_rows(struct bi_paths_call *c, const bosc_graph_opts *graph_opts, const bosc_paths_opts *opts,
                                const void *offsets, const void *neighbours, bool unweighted);

/* Checks that an array (or NULL) is aligned to elements of `bits`. */
bosc_status bi_paths_check_array(bosc_ctx *ctx, const char *name, const void *array, int32_t bits);

/* Fills the rows from a graph. */
void bi_paths_set_rows(struct bi_paths_call *c, const struct bi_graph_view *graph);

/* Stages rows of the caller, checks their ends, and converts them where searches need that. weights: NULL if
 * unweighted. Allocates scratch. Waits. */
bosc_status bi_paths_convert_rows(struct bi_paths_call *c, const void *offsets, const void *neighbours,
                                  const void *weights);

/* Stages the sources and checks all weights; sets mean_length, that of a sample, and may_overflow. Allocates scratch.
 * Waits. */
bosc_status bi_paths_check_data(struct bi_paths_call *c);

/* ---- distances.c ---- */

/* Computes distances (n) from the sources. predecessors (n): NULL, or room for the tree: *has_tree is set if the search
 * has written it, as bi_paths_search says. Allocates scratch. Waits. */
bosc_status bi_paths_find_distances(struct bi_paths_call *c, uint64_t *distances, uint32_t *predecessors,
                                    bool *has_tree);

/* BOSC_ERR_LIMIT if a distance overflows. Sums of 64-bit integers and large doubles can: a path has fewer than 2^32
 * arcs. Allocates scratch. Waits. */
bosc_status bi_paths_check_overflow(struct bi_paths_call *c, const uint64_t *distances);

/* Runs a search: AUTO or ROUNDS. */
bosc_status bi_paths_run_search(bosc_ctx *ctx, struct bi_paths_search *search, bosc_paths_algorithm algorithm);

/* ---- tree.c ---- */

/* Computes predecessors (n) from distances; sources are their own. has_tree: they are there, as a search writes them.
 * *unrooted = the vertices with a distance that no path attains. Allocates scratch. Waits. */
bosc_status bi_paths_find_tree(struct bi_paths_call *c, const uint64_t *distances, uint32_t *predecessors,
                               bool has_tree, uint64_t *unrooted);

/* Replaces predecessors by their roots: sources, if there is no cycle. Waits. */
bosc_status bi_paths_find_roots(struct bi_paths_call *c, uint32_t *above);

#endif
