/* Searches of boxes: a thread a box, down from the root; the lanes of a warp test leaves together. Coordinates are
 * compared in their own type, so 64-bit integers stay exact. */
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

/* SINK receives nodes found: add(id) a node; add(nodes, start, marks) the marked ones of the nodes from `start`
 * on. */
template <class T, int DIM, class SINK> struct bi_kdtree_box_search {
    typedef bi_kdtree_node_reader<T, DIM> space;

    const bi_kdtree_array nodes;
    const bi_kdtree_cuda_index index;
    const uint32_t n;
    T low[DIM], high[DIM];
    SINK found;
    uint32_t odd_levels; /* see bi_kdtree_root */
    int stacked;

    __device__ __forceinline__ bool intersects(int axis, T begin, T end) const
    {
        return bi_kdtree_component<T, DIM>(low, axis) <= end && begin <= bi_kdtree_component<T, DIM>(high, axis);
    }

    /* Passes node `at` of the heap to the sink if it is inside. */
    __device__ __forceinline__ void test_heap_node(uint32_t at)
    {
        const typename space::node p = space::load(nodes, at);
        if (bi_kdtree_in_box<T, DIM>(p.x, low, high)) found.add(space::id(nodes, at, p));
    }

    /* Descends to the next leaf that intersects the box, and stacks other sides. Returns false if there is none. */
    __device__ __forceinline__ bool next_leaf(uint32_t *stack, uint32_t *leaf)
    {
        while (stacked > 0) {
            /* Descend from the side on top: to the greater one only if the less one does not intersect. */
            uint32_t h = stack[--stacked];
            int level = bi_kdtree_heap_level(h);
            bool any = true;
            for (; any && level < index.levels; level++) {
                const bi_kdtree_sides<T> s = static_cast<const bi_kdtree_sides<T> *>(index.sides)[h];
                const int axis = odd_levels >> level & 1 ? index.axes[h] : level % DIM;
                const bool less = intersects(axis, s.low, s.split), greater = intersects(axis, s.beyond, s.high);
                if (intersects(axis, s.split, s.split)) test_heap_node(bi_kdtree_heap_position(index, h, level));
                if (less && greater) stack[stacked++] = 2 * h + 2;
                any = less || greater;
                h = 2 * h + 2 - less;
            }
            if (!any) continue;
            *leaf = h + 1 - (1u << index.levels);
            return true;
        }
        return false;
    }

    /* Tests the leaf of each lane in turn, all lanes together, so that reads are contiguous. All lanes call this. */
    __device__ __forceinline__ void scan_leaves(bool any, uint32_t leaf)
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
        found.add(nodes, start, marks);
    }

    /* Searches the box. All lanes of a warp call this. */
    __device__ __forceinline__ void walk(bool live)
    {
        const bi_kdtree_root<T, DIM> &root = *static_cast<const bi_kdtree_root<T, DIM> *>(index.root);
        uint32_t stack[BI_KDTREE_MOST_LEVELS], leaf = 0;
        odd_levels = root.odd_levels;
        stack[0] = 0;
        stacked = 1;
        for (bool more = live; __any_sync(~0u, more);) {
            more = more && next_leaf(stack, &leaf);
            __syncwarp();
            scan_leaves(more, leaf);
            __syncwarp();
        }
    }
};

#endif
