/* What the drivers of spanning forests ask of a backend and what they get, and the table of operations that each
 * backend gives. */
#ifndef BI_FOREST_FOREST_H
#define BI_FOREST_FOREST_H

#include <boscage/forest.h>

#include "base/step.h"
#include "core/context.h"
#include "graph/view.h"

#ifdef __cplusplus
extern "C" {
#endif

#define BI_FOREST_NONE UINT32_MAX                /* no vertex */
#define BI_FOREST_MOST_LISTED (INT64_C(1) << 30) /* vertices of lists without a graph */

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
    bool ids;        /* the list of edges */
    bool keys;       /* and their keys */
    bool sums;       /* the sums of their keys */
    bool labels;     /* the trees */
    uint32_t *edges; /* where the list may be made at once; NULL: in scratch */
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

struct bi_forest_steps;
struct bi_msf_rows;
struct bi_msf_entries;

struct bi_forest_ops {
    const struct bi_forest_steps *steps;

    /* The AUTO algorithm: finds the forest. NULL, or *found untouched and *served false: the driver takes the ATOMIC
     * one. Neither the graph nor any of the caller's arrays is written. *rounds gets the number of Boruvka's rounds. */
    bosc_status (*msf)(bosc_ctx *, const struct bi_graph_view *, const struct bi_msf_order *,
                       const struct bi_msf_want *, struct bi_msf_found *found, int32_t *rounds, bool *served);

    /* The same of entries that are in no graph, of ids of 32 bits and fewer than BI_FOREST_MOST_LISTED vertices, which
     * it checks. NULL: the driver builds a graph. */
    bosc_status (*msf_entries)(bosc_ctx *, const struct bi_msf_entries *, const struct bi_msf_want *,
                               struct bi_msf_found *found, int32_t *rounds);

    /* The smallest vertex of each vertex's component, itself where the mask leaves it out, and the number of
     * components. */
    bosc_status (*components)(bosc_ctx *, const struct bi_msf_rows *, uint32_t *labels, int64_t *count);

    /* The same of entries that are in no graph, all of them edges, but for NaNs where these are dropped; weighed:
     * weights matter. */
    bosc_status (*components_entries)(bosc_ctx *, const struct bi_msf_entries *, bool weighed, uint32_t *labels,
                                      int64_t *count);

    /* The same of few entries whose ends may be no vertices. *done: they are edges, all is as above; else nothing was
     * written. NULL: the driver checks them first. */
    bosc_status (*components_few_entries)(bosc_ctx *, const struct bi_msf_entries *, bool weighed, uint32_t *labels,
                                          int64_t *count, bool *done);
};

extern const struct bi_forest_ops bi_forest_ops_cpu; /* cpu/table.c */
bosc_status bi_msf_cpu(bosc_ctx *ctx, const struct bi_graph_view *graph, const struct bi_msf_order *order,
                       const struct bi_msf_want *want, struct bi_msf_found *found, int32_t *rounds, bool *served);
bosc_status bi_msf_cpu_entries(bosc_ctx *ctx, const struct bi_msf_entries *entries, const struct bi_msf_want *want,
                               struct bi_msf_found *found, int32_t *rounds);
bosc_status bi_components_cpu(bosc_ctx *ctx, const struct bi_msf_rows *rows, uint32_t *labels, int64_t *count);
bosc_status bi_components_cpu_entries(bosc_ctx *ctx, const struct bi_msf_entries *entries, bool weighed,
                                      uint32_t *labels, int64_t *count);
#ifdef BOSC_HAVE_CUDA
extern const struct bi_forest_ops bi_forest_ops_cuda; /* cuda/table.cu */
bosc_status bi_msf_cuda(bosc_ctx *ctx, const struct bi_graph_view *graph, const struct bi_msf_order *order,
                        const struct bi_msf_want *want, struct bi_msf_found *found, int32_t *rounds, bool *served);
bosc_status bi_msf_cuda_entries(bosc_ctx *ctx, const struct bi_msf_entries *entries, const struct bi_msf_want *want,
                                struct bi_msf_found *found, int32_t *rounds);
bosc_status bi_components_cuda(bosc_ctx *ctx, const struct bi_msf_rows *rows, uint32_t *labels, int64_t *count);
bosc_status bi_components_cuda_entries(bosc_ctx *ctx, const struct bi_msf_entries *entries, bool weighed,
                                       uint32_t *labels, int64_t *count);
bosc_status bi_components_cuda_few_entries(bosc_ctx *ctx, const struct bi_msf_entries *entries, bool weighed,
                                           uint32_t *labels, int64_t *count, bool *done);
#endif

#ifdef __cplusplus
}
#endif
#endif
