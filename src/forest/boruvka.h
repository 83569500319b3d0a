/* Boruvka's rounds over a list of arcs: the published method on core operations and steps. */
#ifndef BI_FOREST_BORUVKA_H
#define BI_FOREST_BORUVKA_H

#include "forest/forest.h"
#include "forest/steps/steps.h"

enum { BI_MSF_MAX_ROUNDS = 34 /* each at least halves the supervertices, of less than 2^32 */ };

/* The tree of rounds: the supervertices of round k are the nodes begin[k] to begin[k + 1] - 1. */
struct bi_msf_tree {
    int32_t levels;
    int64_t begin[BI_MSF_MAX_ROUNDS + 1];
    uint32_t *leaf;   /* n: each vertex as a supervertex of round 0; none where it has no edges */
    uint32_t *parent; /* of each node: its supervertex in the next round, counted from 0 there. What has no edges left
                         then has a number beyond those, the same if it is the same supervertex */
    uint32_t *rank;   /* of each node: the rank of the edge that it chose */
};

struct bi_msf_rounds {
    struct bi_msf_list list; /* ends and places are those of the array in use */
    uint64_t *ends[2];       /* list.count each */
    void *places[2];
    int64_t n;                /* vertices: labels of the list */
    bool atomic;              /* an atomic minimum in place of the segmented scan */
    bool keep_parallel;       /* never drop duplicate edges between supervertices */
    uint32_t *parent;         /* n, or NULL: becomes a forest over the trees of the spanning forest */
    void *chosen;             /* room for min(n - 1, count): the places of the edges chosen */
    struct bi_msf_tree *tree; /* NULL, or with room for 2 n supervertices */

    int64_t found; /* results */
    int32_t count;
    bosc_msf_round told[BI_MSF_MAX_ROUNDS];
};

/* Runs all rounds. Scratch is taken from the arena and left to the caller's mark. */
bosc_status bi_msf_run_rounds(bosc_ctx *ctx, struct bi_msf_rounds *rounds);
#endif
