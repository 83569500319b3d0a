/* The walk of queries far from all nodes, a thread each: from the root down over the bounding boxes of subtrees, the
 * nearer of two first. Samples give such a query its limit, which alone decides what it visits. Boxes bound distances
 * better than planes on the way, which leave some coordinates unbounded. */
#ifndef BI_KDTREE_CUDA_SEARCH_FAR_WALK_CUH
#define BI_KDTREE_CUDA_SEARCH_FAR_WALK_CUH

#include "kdtree/cuda/search/index_walk.cuh"

enum { BI_KDTREE_FAR_STEPS = 5 }; /* levels that lanes descend between warp barriers; chosen */

struct bi_kdtree_waiting_box {
    float bound; /* no node in it is nearer */
    uint32_t side;
};

/* WALK: a bi_kdtree_index_walk of floats, which holds query, list and limit. All lanes of a warp call these. */
template <class WALK, int DIM> struct bi_kdtree_far_walk {
    WALK &w;
    bi_kdtree_waiting_box *stack;
    int depth = 0;

    __device__ __forceinline__ bi_kdtree_far_walk(WALK &index_walk, bi_kdtree_waiting_box *boxes)
        : w(index_walk), stack(boxes)
    {
    }

    __device__ __forceinline__ float bound_of(const float *low, const float *high) const
    {
        float s = bi_kdtree_gap(w.q[0], low[0], high[0]);
#pragma unroll
        for (int c = 1; c < DIM; c++) s = s + bi_kdtree_gap(w.q[c], low[c], high[c]);
        return s;
    }

    /* Pops the next box that is near enough. */
    __device__ __forceinline__ bool next(uint32_t *side)
    {
        while (depth > 0) {
            depth--;
            *side = stack[depth].side;
            if (!w.skips(stack[depth].bound, *side)) return true;
        }
        return false;
    }

    /* Descends from a node to the nearer of its sides, and stacks the other. Returns false if neither counts. */
    __device__ __forceinline__ bool descend(uint32_t *side)
    {
        const bi_kdtree_fork<DIM> f = static_cast<const bi_kdtree_fork<DIM> *>(w.index.forks)[*side];
        const float d = bi_kdtree_node_reader<float, DIM>::distance(w.q, f.x);
        if (!(d > w.found.worst())) w.found.add(d, f.id);
        const float less = bound_of(f.less_low, f.less_high), more = bound_of(f.greater_low, f.greater_high);
        const bool greater = more < less;
        const float near = greater ? more : less, far = greater ? less : more;
        if (!(far > w.found.worst())) stack[depth++] = {far, 2 * *side + 2 - greater};
        *side = 2 * *side + 1 + greater;
        return !w.skips(near, *side);
    }

    /* Lanes descend some levels, or to a leaf; then the warp measures the leaves found. Warp barriers reconverge
     * lanes. */
    __device__ __forceinline__ void walk(bool live)
    {
        const uint32_t leaves = 1u << w.index.levels;
        uint32_t side = 0;
        bool has = live;
        while (__any_sync(~0u, has)) {
#pragma unroll 1
            for (int s = 0; has && side + 1 < leaves && s < BI_KDTREE_FAR_STEPS; s++)
                has = descend(&side) || next(&side);
            __syncwarp();
            const bool any = has && side + 1 >= leaves;
            w.found.scan(w, any, side + 1 - leaves);
            if (any) has = next(&side);
            __syncwarp();
        }
    }
};

#endif
