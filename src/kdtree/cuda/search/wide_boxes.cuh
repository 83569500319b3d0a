/* The index of searches in 5 to 16 dimensions: the nodes in the order by widest extent, boxes of leaves of 32 nodes,
 * and boxes of 32 boxes each, level by level. */
#ifndef BI_KDTREE_CUDA_SEARCH_WIDE_BOXES_CUH
#define BI_KDTREE_CUDA_SEARCH_WIDE_BOXES_CUH

#include "kdtree/cuda/cuda.cuh"
#include "kdtree/cuda/search/extent_order.cuh"

struct bi_kdtree_cuda_search; /* index.cuh */

enum {
    BI_KDTREE_WIDE = BI_KDTREE_RUN, /* nodes of a leaf, which is a run of the order, and boxes of a group: one a lane */
    BI_KDTREE_WIDE_LEVELS = 6,      /* most levels: 32^6 leaves are more than trees have */
    BI_KDTREE_WIDE_MOST_DIM = BI_KDTREE_ORDER_MOST_DIM
};

/* True if trees have wide boxes: for the k nearest (k of at most 32), counts and rows within radii. */
static inline bool bi_kdtree_has_wide_boxes(const bosc_kdtree_opts *opts)
{
    return opts->dim >= 5 && opts->dim <= BI_KDTREE_WIDE_MOST_DIM;
}

/* Level 0 has the boxes of leaves. Groups are contiguous, coordinate by coordinate, so that lanes read neighbours. */
struct bi_kdtree_wide_index {
    void *points;  /* T: coordinate c of node i of leaf l is element (l dim + c) 32 + i; the last leaf repeats a node */
    uint32_t *ids; /* by position in the order; BI_KDTREE_NONE: a repeated node */
    void *boxes[BI_KDTREE_WIDE_LEVELS]; /* D: of box 32 g + j the low end of coordinate c is element (g dim + c) 64 + j;
                                           the high end is 32 elements behind it */
    uint32_t counts[BI_KDTREE_WIDE_LEVELS]; /* boxes of each level; at most 32 of the last */
    int32_t levels;
};

/* Returns the arrays of the index in a block at `base`; *bytes = its size. The scratch of the order is in the memory of
 * the points, which are written after it. */
static inline bi_kdtree_wide_index bi_kdtree_wide_index_at(char *base, const bosc_kdtree_opts *opts, int64_t n,
                                                           size_t *bytes)
{
    bi_kdtree_wide_index index = {};
    const size_t dim = (size_t)opts->dim, leaves = (size_t)bi_div_up(n, BI_KDTREE_WIDE),
                 points = leaves * dim * BI_KDTREE_WIDE * bosc_dtype_size(opts->dtype),
                 order = bi_round_up(bi_kdtree_extent_order_bytes(n, opts->dim), 256),
                 end = opts->dtype == BOSC_F32 ? sizeof(float) : sizeof(double);
    char *at = base + (points > order ? points : order);
    size_t count = leaves;
    index.points = base;
    do {
        index.boxes[index.levels] = at;
        index.counts[index.levels++] = (uint32_t)count;
        count = (size_t)bi_div_up((int64_t)count, BI_KDTREE_WIDE);
        at += count * dim * 2 * BI_KDTREE_WIDE * end;
    } while (count > 1);
    index.ids = reinterpret_cast<uint32_t *>(at);
    *bytes = (size_t)(at - base) + leaves * BI_KDTREE_WIDE * sizeof(uint32_t);
    return index;
}

/* Makes the index of a tree with nodes, in tree->index. Queues; does not wait. */
bosc_status bi_kdtree_make_wide_boxes(bosc_ctx *ctx, const bosc_kdtree *tree);

/* The number of leaves that some queries open, on the device, and the most with which boxes serve all queries; more:
 * the filter does. Kernels of both methods are launched, and one sort ends at once. count NULL: there is no choice. */
struct bi_kdtree_choice {
    uint32_t *count;
    uint32_t most;
};

static __device__ __forceinline__ bool bi_kdtree_chooses_boxes(const bi_kdtree_choice &choice)
{
    return !choice.count || *choice.count <= choice.most;
}
static __device__ __forceinline__ bool bi_kdtree_chooses_filter(const bi_kdtree_choice &choice)
{
    return !choice.count || *choice.count > choice.most;
}

/* Sets *choice for a search of the k nearest, in scratch. Queues. */
bosc_status bi_kdtree_choose(bosc_ctx *ctx, const bosc_kdtree *tree, const bi_kdtree_cuda_search &a,
                             bi_kdtree_choice *choice);

/* Runs a search of `a` among the nodes of the tree: FIND_NEAREST (k of at most 32), FIND_COUNT or FIND_ROWS.
 * a.long_rows: m + 1 words, for rows. */
bosc_status bi_kdtree_search_wide(bosc_ctx *ctx, const bosc_kdtree *tree, const bi_kdtree_cuda_search &a,
                                  const bi_kdtree_choice &choice);

#endif
