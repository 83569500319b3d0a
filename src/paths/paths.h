/* The table of operations of shortest paths. Each backend defines one. */
#ifndef BI_PATHS_PATHS_H
#define BI_PATHS_PATHS_H

#include <boscage/paths.h>

#include "core/call.h"
#include "paths/steps/rows.h"

#ifdef __cplusplus
extern "C" {
#endif

struct bi_paths_steps; /* one bi_step_fn for each line of steps.def: see steps/steps.h */

/* A search: distances of `count` listed vertices, all different, are final or will fall; those of others are
 * rows.none. */
struct bi_paths_search {
    struct bi_paths_rows rows;
    uint64_t *distances; /* n */
    uint32_t *list;      /* count */
    int64_t count;
    double mean_length; /* of a sample of arcs; 0: not known */
    double width;       /* of a range of distances; 0: the backend chooses */
    /* NULL, or n: for each vertex the smallest vertex at a smaller distance with an arc that attains its distance, if
     * the search sets has_tree; else unchanged. Listed vertices are their own; BI_PATHS_NONE elsewhere before. */
    uint32_t *predecessors;
    bool has_tree;
};

/* A breadth-first search with one queue, begun: the source is listed, and its own predecessor; others have
 * BI_PATHS_NONE. Lists the others and sets their predecessors. Distances stay below rows.bound. */
struct bi_paths_order {
    struct bi_paths_rows rows;
    uint32_t *vertices; /* n + 1: the last one is for the search */
    uint32_t *predecessors;
    int64_t count;
};

struct bi_paths_ops {
    const struct bi_paths_steps *steps;

    /* Lowers distances, range by range, until no arc leads to less. May overwrite the list. Allocates scratch. For
     * offsets of 64 bits the driver calls it only if searches_64bit is set; otherwise it runs rounds. */
    bool searches_64bit;
    bosc_status (*search)(bosc_ctx *ctx, struct bi_paths_search *search);

    /* NULL: the driver does it by steps. */
    bosc_status (*order)(bosc_ctx *ctx, struct bi_paths_order *order);

    /* The most scratch of a search. */
    int64_t (*search_bytes)(const bosc_ctx *ctx, int64_t n, int64_t arcs);
};

extern const struct bi_paths_ops bi_paths_ops_cpu; /* cpu/table.c */
bosc_status bi_paths_cpu_search(bosc_ctx *ctx, struct bi_paths_search *search);
bosc_status bi_paths_cpu_order(bosc_ctx *ctx, struct bi_paths_order *order);
int64_t bi_paths_cpu_search_bytes(const bosc_ctx *ctx, int64_t n, int64_t arcs);
#ifdef BOSC_HAVE_CUDA
extern const struct bi_paths_ops bi_paths_ops_cuda; /* cuda/table.cu */
bosc_status bi_paths_cuda_search(bosc_ctx *ctx, struct bi_paths_search *search);
int64_t bi_paths_cuda_search_bytes(const bosc_ctx *ctx, int64_t n, int64_t arcs);
#endif

/* Returns the end of the range of `width` that begins at distance word `begin`: more than `begin`, or UINT64_MAX. */
BI_FN uint64_t bi_paths_range_end(const struct bi_paths_rows *r, uint64_t begin, double width)
{
    uint64_t end;
    if (!r->plateau && !r->unweighted && (r->weight == BOSC_F32 || r->weight == BOSC_F64))
        end = bi_f64_bits(bi_f64_from_bits(begin) + width);
    else
        end = width < 0x1p63 ? begin + (uint64_t)width : UINT64_MAX;
    if (end < begin) return UINT64_MAX; /* the sum of integers overflows */
    return end > begin ? end : begin == UINT64_MAX ? begin : begin + 1;
}

#ifdef __cplusplus
}
#endif
#endif
