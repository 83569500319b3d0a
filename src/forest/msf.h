/* Between the front door of spanning forests and the algorithms: what is asked for, and what is found. */
#ifndef BI_FOREST_MSF_H
#define BI_FOREST_MSF_H

#include <boscage/forest.h>

#include "base/step.h"
#include "forest/graph.h"

#ifdef __cplusplus
extern "C" {
#endif

#define BI_NONE UINT32_MAX /* no vertex */

/* Which edges there are, and their order: by (bi_msf_rank of the key, edge id), lightest first. Self loops are not
 * there, nor edges whose rank is above `limit`, nor those that a mask leaves out. */
struct bi_msf_order {
    uint64_t flip;   /* all ones (of the key's size) for a maximum forest, else 0 */
    uint64_t number; /* the largest key of a number; those above are NaN, and heaviest whatever `flip` is */
    uint64_t limit;  /* a rank; all ones (of the key's size) where there is none */
    const uint8_t *vertex_mask, *edge_mask; /* the backend's memory; by vertex, by edge id; NULL: all are there */
};

BI_FN uint64_t bi_msf_rank(const struct bi_msf_order *o, uint64_t key) { return key > o->number ? key : key ^ o->flip; }

/* What the caller needs of a forest; the rest may be left undone. */
struct bi_msf_want {
    bool ids;    /* the list of edges */
    bool keys;   /* and their keys */
    bool sums;   /* the sums of their keys */
    bool labels; /* the trees */
};

/* A forest, in scratch of the caller's mark. What was not wanted may be NULL. */
struct bi_msf_found {
    int64_t count;      /* edges */
    void *ids;          /* count edge ids, of the graph's size */
    void *keys;         /* count keys, of the graph's size and as it keeps them: keys[i] of ids[i] */
    bool ascending;     /* ids ascend; else they are in any order */
    bool summed;        /* low and high are filled; else they follow from keys, which are there then */
    uint64_t low, high; /* sums of the low 32 bits and of the high 32 bits of the keys */
    uint32_t *labels;   /* n: the smallest vertex of each vertex's tree, itself where the mask leaves it out; may be
                           NULL even if wanted: they then follow from ids, which are there then */
};

/* What a backend has beside the steps. */
struct bi_msf_rows;
struct bi_back_list;
struct bi_forest_ops {
    /* The AUTO algorithm: finds the forest. NULL, or *found untouched and *served false: the driver takes the ATOMIC
     * one. Neither the graph nor anything of the caller's is written. *rounds gets the rounds of Boruvka. */
    bosc_status (*msf)(bosc_ctx *, const bosc_graph *, const struct bi_msf_order *, const struct bi_msf_want *,
                       struct bi_msf_found *found, int32_t *rounds, bool *served);

    /* The smallest vertex of each vertex's component, itself where the mask leaves it out, and how many components
     * there are. */
    bosc_status (*components)(bosc_ctx *, const struct bi_msf_rows *, uint32_t *labels, int64_t *count);

    /* Of a graph's build: the back arcs of the `count` edges of a list, stably sorted, to list->from and list->places,
     * and where each vertex's end to ends[v + 1] (ends[0] is 0). NULL, or *served false: the driver sorts. */
    bosc_status (*back)(bosc_ctx *, const struct bi_back_list *list, int64_t count, void *ends, bool *served);
};

extern const struct bi_forest_ops bi_forest_ops_cpu; /* cpu_table.c */
bosc_status bi_cpu_components(bosc_ctx *ctx, const struct bi_msf_rows *rows, uint32_t *labels, int64_t *count);
bosc_status bi_cpu_graph_back(bosc_ctx *ctx, const struct bi_back_list *list, int64_t count, void *ends, bool *served);
#ifdef BOSC_HAVE_CUDA
extern const struct bi_forest_ops bi_forest_ops_cuda; /* cuda_msf.cu */
bosc_status bi_cuda_components(bosc_ctx *ctx, const struct bi_msf_rows *rows, uint32_t *labels, int64_t *count);
#endif

#ifdef __cplusplus
}
#endif
#endif
