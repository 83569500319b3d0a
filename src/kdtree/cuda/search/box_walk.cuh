/* Searches of boxes: a thread walks for a box, down from the root, and the lanes of a warp measure leaves together.
 * Coordinates are compared as they are, so that integers of 64 bits are told apart. */
#ifndef BI_KDTREE_CUDA_SEARCH_BOX_WALK_CUH
#define BI_KDTREE_CUDA_SEARCH_BOX_WALK_CUH

#include "kdtree/cuda/search/index.cuh"
#include "kdtree/cuda/search/node_distance.cuh"

template <class T, int DIM> __device__ __forceinline__ bool bi_kdtree_in_box(const T *x, const T *low, const T *high)
{
    bool inside = true;
#pragma unroll
    for (int c = 0; c < DIM; c++) inside = inside && low[c] <= x[c] && x[c] <= high[c];
    return inside;
}

/* SINK takes what is found: take(id) a node, take(nodes, start, marks) those marked of the nodes from `start` on. */
template <class T, int DIM, class SINK> struct bi_kdtree_box_search {
    typedef bi_kdtree_node_reader<T, DIM> space;

    const bi_kdtree_array nodes;
    const bi_kdtree_cuda_index index;
    const uint32_t n;
    T low[DIM], high[DIM];
    SINK found;
    uint32_t odd_levels; /* see bi_kdtree_root */
    int waiting;

    __device__ __forceinline__ bool meets(int axis, T begin, T end) const
    {
        return bi_kdtree_component<T, DIM>(low, axis) <= end && begin <= bi_kdtree_component<T, DIM>(high, axis);
    }

    /* Takes node `at` above the leaves if it is inside. */
    __device__ __forceinline__ void measure(uint32_t at)
    {
        const typename space::node p = space::load(nodes, at);
        if (bi_kdtree_in_box<T, DIM>(p.x, low, high)) found.take(space::id(nodes, at, p));
    }

    /* From subtree h down to the next leaf that meets the box; other sides wait. Whether there is one. */
    __device__ __forceinline__ bool next(uint32_t *stack, uint32_t *leaf)
    {
        while (waiting > 0) {
            uint32_t h = stack[--waiting];
            int level = bi_kdtree_heap_level(h);
            bool any = true;
            for (; any && level < index.levels; level++) {
                const bi_kdtree_sides<T> s = static_cast<const bi_kdtree_sides<T> *>(index.sides)[h];
                const int axis = odd_levels >> level & 1 ? index.axes[h] : level % DIM;
                const bool less = meets(axis, s.low, s.split), greater = meets(axis, s.beyond, s.high);
                if (meets(axis, s.split, s.split)) measure(bi_kdtree_heap_position(index, h, level));
                if (less && greater) stack[waiting++] = 2 * h + 2;
                any = less || greater;
                h = 2 * h + 2 - less;
            }
            if (!any) continue;
            *leaf = h + 1 - (1u << index.levels);
            return true;
        }
        return false;
    }

    /* All lanes of a warp call this. Together they measure one lane's leaf after the other's. */
    __device__ __forceinline__ void scan(bool any, uint32_t leaf)
    {
        const uint32_t lane = threadIdx.x % 32;
        uint32_t start = 0, count = 0, marks = 0;
        if (any) {
            start = index.leaves[leaf];
            count = index.leaves[leaf + 1] - 1 - start;
        }
        for (uint32_t left = __ballot_sync(~0u, any); left; left &= left - 1) {
            const int owner = __ffs((int)left) - 1;
            const typename space::node p = space::load(nodes, min(__shfl_sync(~0u, start, owner) + lane, n - 1));
            T from[DIM], to[DIM];
#pragma unroll
            for (int c = 0; c < DIM; c++) {
                from[c] = __shfl_sync(~0u, low[c], owner);
                to[c] = __shfl_sync(~0u, high[c], owner);
            }
            const uint32_t all = __ballot_sync(~0u, bi_kdtree_in_box<T, DIM>(p.x, from, to));
            marks = (int)lane == owner ? all : marks;
        }
        marks &= count < 32 ? (1u << count) - 1 : ~0u;
        found.take(nodes, start, marks);
    }

    __device__ __forceinline__ void run(bool live)
    {
        const bi_kdtree_root<T, DIM> &root = *static_cast<const bi_kdtree_root<T, DIM> *>(index.root);
        uint32_t stack[BI_KDTREE_MOST_LEVELS], leaf = 0;
        odd_levels = root.odd_levels;
        stack[0] = 0;
        waiting = 1;
        for (bool more = live; __any_sync(~0u, more);) {
            more = more && next(stack, &leaf);
            __syncwarp();
            scan(more, leaf);
            __syncwarp();
        }
    }
};

#endif
