/* Boruvka's rounds over a list of arcs: the published method (PRIMITIVES and ATOMIC), on core operations and steps. */
#ifndef BI_FOREST_BORUVKA_H
#define BI_FOREST_BORUVKA_H

#include "forest/forest.h"
#include "forest/steps/steps.h"

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
    uint32_t *parent;         /* n, or NULL: receives parents, a forest with one tree for each tree of the result */
    void *chosen;             /* capacity min(n - 1, count): positions of the chosen edges */
    struct bi_msf_tree *tree; /* NULL, or with capacity for 2 n supervertices */

    int64_t found; /* results: edges, rounds, and sizes of each round */
    int32_t count;
    bosc_msf_round recorded[BI_MSF_MAX_ROUNDS];
};

/* Runs all rounds. Allocates scratch, which the caller's arena mark releases. */
bosc_status bi_msf_run_rounds(bosc_ctx *ctx, struct bi_msf_rounds *rounds);
#endif
