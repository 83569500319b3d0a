/* Makes an implicit heap above leaves, the shape of both indices of searches, from the leaves up: a block makes each
 * subtree of some levels, further blocks combine these. */
#ifndef BI_KDTREE_CUDA_SEARCH_INDEX_LEVELS_CUH
#define BI_KDTREE_CUDA_SEARCH_INDEX_LEVELS_CUH

#include "core/cuda/launch.cuh"
#include "kdtree/cuda/search/index.cuh"

enum {
    BI_KDTREE_INDEX_THREADS = 256,
    BI_KDTREE_INDEX_LEAVES = 1 << BI_KDTREE_INDEX_BLOCK_LEVELS, /* of a block */
    BI_KDTREE_INDEX_TOP_LEVELS = 8,                             /* that a block combines */
    BI_KDTREE_INDEX_TOP_ITEMS = 1 << BI_KDTREE_INDEX_TOP_LEVELS
};
static_assert(BI_KDTREE_INDEX_TOP_ITEMS / 2 <= (int)BI_KDTREE_INDEX_THREADS, "a thread a heap node");

/* Combines 2^depth subtrees, the array `in`, to at[1], level by level: node t of the block has the children 2 t and
 * 2 t + 1. combine(l, i, less, greater) returns node i of level l of the block, the root being level 0. A thread a
 * node; all threads call it. Each barrier completes a level; the caller's barrier has completed `in`. Depth 0 writes
 * nothing. */
template <class ITEM, class COMBINE>
__device__ __forceinline__ void bi_kdtree_combine_levels(ITEM *at, const ITEM *in, int depth, COMBINE combine)
{
    for (int l = depth - 1; l >= 0; l--) {
        const int i = (int)threadIdx.x, t = (1 << l) + i;
        if (i >> l == 0) {
            const ITEM *pair = l == depth - 1 ? in + 2 * i : at + 2 * t;
            at[t] = combine(l, i, pair[0], pair[1]);
        }
        __syncthreads();
    }
}

/* Launches `leaves`, whose blocks make the subtrees of 2^depth leaves each and write them to args.index.tops. Then
 * launches `tops` until one is left: a block combines 2^depth subtrees of level `from`. The array has room for the
 * input and the output of a launch. */
template <class ITEM, class ARGS>
static bosc_status bi_kdtree_launch_levels(bosc_ctx *ctx, const ARGS &args, void (*leaves)(ARGS args, int depth),
                                           void (*tops)(ARGS args, const ITEM *in, int from, int depth, ITEM *out))
{
    int depth = args.index.levels < BI_KDTREE_INDEX_BLOCK_LEVELS ? args.index.levels : BI_KDTREE_INDEX_BLOCK_LEVELS,
        level = args.index.levels - depth;
    ITEM *in = static_cast<ITEM *>(args.index.tops), *out = in + ((size_t)1 << level);
    BI_TRY(BI_RUN(ctx, leaves, 1u << level, BI_KDTREE_INDEX_THREADS, 0, args, depth));
    while (level > 0) {
        depth = level < BI_KDTREE_INDEX_TOP_LEVELS ? level : BI_KDTREE_INDEX_TOP_LEVELS;
        BI_TRY(BI_RUN(ctx, tops, 1u << (level - depth), BI_KDTREE_INDEX_THREADS, 0, args, in, level, depth, out));
        level -= depth;
        ITEM *made = out;
        out = in;
        in = made;
    }
    return BOSC_OK;
}

#endif
