/* Walks of a thread over nodes in the order by extent: for near queries, for far queries, and for boxes.
 *
 * The walk begins in the leaf of a query. Then it visits the siblings of the leaf and of its ancestors, from the lowest
 * on, down to their leaves, unless the box of a heap node is farther than the worst distance that still counts. Bounds
 * are exact (bi_kdtree_box_reader). */
#ifndef BI_KDTREE_CUDA_SEARCH_EXTENT_WALK_CUH
#define BI_KDTREE_CUDA_SEARCH_EXTENT_WALK_CUH

#include "kdtree/cuda/search/extent_index.cuh"
#include "kdtree/cuda/search/index_walk.cuh"

/* A stacked heap node. */
template <class D> struct bi_kdtree_waiting_node {
    D bound; /* no node in its box is nearer */
    uint32_t node;
};

/* COLLECTOR: as for bi_kdtree_walk. */
template <class T, int DIM, class COLLECTOR>
struct bi_kdtree_extent_walk : bi_kdtree_walk<T, DIM, COLLECTOR, bi_kdtree_extent_index> {
    typedef bi_kdtree_walk<T, DIM, COLLECTOR, bi_kdtree_extent_index> base;
    typedef typename base::D D;
    using base::found;
    using base::helpers;
    using base::index;
    using base::measure;
    using base::n;
    using base::nodes;
    using base::q;
    using base::skips;

    const bi_kdtree_box_reader<T, DIM> boxes;
    bi_kdtree_waiting_node<D> *stack; /* in local memory; the other members stay in registers */
    int depth;
    uint32_t home, siblings; /* heap node of the query's leaf; levels of its ancestors whose other child remains */

    __device__ __forceinline__ bi_kdtree_extent_walk(const bi_kdtree_array &array, const bi_kdtree_extent_index &made,
                                                     uint32_t count, bi_kdtree_waiting_node<D> *waiting)
        : base(array, made, count), boxes(array, made, count), stack(waiting)
    {
    }

    __device__ __forceinline__ uint32_t first_leaf() const { return 1u << index.levels; }

    __device__ __forceinline__ uint32_t leaf_begin(uint32_t leaf) const { return bi_kdtree_begin_of_leaf(leaf, n); }
    __device__ __forceinline__ uint32_t leaf_end(uint32_t leaf) const
    {
        return leaf_begin(leaf) + bi_kdtree_size_of_leaf(leaf_begin(leaf), n);
    }

    /* Marks the nodes of this lane's leaf, from *start on, that count: see bi_kdtree_mark_nodes. */
    __device__ __forceinline__ uint32_t mark(bool any, uint32_t leaf, uint32_t *start) const
    {
        uint32_t count = 0;
        if (any) {
            *start = leaf_begin(leaf);
            count = bi_kdtree_size_of_leaf(*start, n);
        }
        return bi_kdtree_mark_nodes<T, DIM>(nodes, n, q, found, any, *start, count);
    }

    /* Adds the near nodes of a leaf, as bi_kdtree_index_walk does. */
    __device__ __forceinline__ void measure_near(bool any, uint32_t leaf)
    {
        uint32_t start = 0;
        for (uint32_t marks = mark(any, leaf, &start); marks; marks &= marks - 1)
            measure(start + __ffs((int)marks) - 1);
    }

    /* Returns the other child of the home leaf's ancestor of a level. */
    __device__ __forceinline__ uint32_t sibling_below(int level) const
    {
        return (home >> (index.levels - level - 1)) ^ 1;
    }

    /* Returns the levels, as bits, of ancestors whose other child is near enough. Heap nodes are arithmetic, so that
     * loads overlap. */
    __device__ __forceinline__ uint32_t near_siblings() const
    {
        const D worst = found.worst();
        uint32_t near = 0;
#pragma unroll 4
        for (int level = index.levels - 1; level >= 0; level--)
            near |= (uint32_t) !(boxes.bound(boxes.of(sibling_below(level)), q) > worst) << level;
        return near;
    }

    /* Pops the next heap node that counts. */
    __device__ __forceinline__ bool pop(uint32_t *h)
    {
        while (depth > 0) {
            depth--;
            *h = stack[depth].node;
            if (!skips(stack[depth].bound, *h)) return true;
        }
        return false;
    }

    /* Finds the next heap node that counts: the last one stacked, else the sibling below the deepest ancestor left. */
    __device__ __forceinline__ bool next(uint32_t *h)
    {
        if (pop(h)) return true;
        while (siblings) {
            const int level = 31 - __clz((int)siblings);
            siblings -= 1u << level;
            *h = sibling_below(level);
            if (!skips(boxes.bound(boxes.of(*h), q), *h)) return true;
        }
        return false;
    }

    /* Descends to the nearer child of h, and stacks the other. Returns false if neither counts. */
    __device__ __forceinline__ bool step(uint32_t *h)
    {
        const bi_kdtree_box_pair<DIM> p = boxes.pairs[*h];
        const D less = boxes.bound(p.child[0], q), more = boxes.bound(p.child[1], q);
        const bool greater = more < less;
        const D near = greater ? more : less, far = greater ? less : more;
        if (!(far > found.worst())) stack[depth++] = {far, 2 * *h + !greater};
        *h = 2 * *h + greater;
        return !skips(near, *h);
    }

    /* Descends to the next leaf that counts. Returns false if there is none below h, nor in the stack. */
    __device__ __forceinline__ bool descend(uint32_t *h)
    {
        while (*h < first_leaf())
            if (!step(h) && !pop(h)) return false;
        return true;
    }

    /* Searches from the leaf of the query. All lanes of a warp call this. Warp barriers reconverge lanes before and
     * after each leaf. */
    __device__ __forceinline__ void walk(uint32_t leaf, bool live)
    {
        found.first(*this, live, leaf);
        if (COLLECTOR::SHARES && helpers > 1) found.split_list(helpers);
        depth = 0;
        home = first_leaf() + leaf;
        siblings = near_siblings();
        if (COLLECTOR::SHARES && helpers > 1)
            siblings = bi_kdtree_select_share(siblings, threadIdx.x % helpers, helpers);
        while (__any_sync(~0u, live)) {
            if (COLLECTOR::SHARES && helpers > 1) found.share_limit(helpers);
            uint32_t h = home;
            bool any = live = live && next(&h);
            __syncwarp();
            if (any) any = descend(&h);
            __syncwarp();
            found.scan(*this, any, h - first_leaf());
            __syncwarp();
        }
        if (COLLECTOR::SHARES && helpers > 1) found.merge_lists(helpers);
    }

    /* Levels that lanes descend between warp barriers. Measured with another index, H100, 2^20 far queries, 8 of 2^24
     * points: without a limit 3,336 us, with four levels 3,000. */
    enum { FAR_STEPS = 5 };

    /* Searches from the root, for a query far from all nodes: the leaf that is nearest to it says little. Samples give
     * it a limit, which alone decides its visits. Lanes descend some levels, or to a leaf; then the warp measures the
     * leaves found. All lanes of a warp call this. Warp barriers reconverge lanes. */
    __device__ __forceinline__ void walk_from_root(bool live)
    {
        uint32_t h = 1;
        depth = 0;
        while (__any_sync(~0u, live)) {
#pragma unroll 1
            for (int s = 0; live && h < first_leaf() && s < FAR_STEPS; s++) live = step(&h) || pop(&h);
            __syncwarp();
            const bool any = live && h >= first_leaf();
            found.scan(*this, any, h - first_leaf());
            if (any) live = pop(&h);
            __syncwarp();
        }
    }
};

/* Searches boxes: a thread a box, down from the root; the lanes of a warp test leaves together. SINK: as for
 * bi_kdtree_box_search. */
template <class T, int DIM, class SINK> struct bi_kdtree_extent_box_search {
    typedef typename bi_kdtree_distance_of<T>::type D;

    const bi_kdtree_array nodes;
    const bi_kdtree_extent_index index;
    const uint32_t n;
    const bi_kdtree_box_reader<T, DIM> boxes;
    T low[DIM], high[DIM];
    SINK found;
    int stacked;

    __device__ __forceinline__ bi_kdtree_extent_box_search(const bi_kdtree_array &array,
                                                           const bi_kdtree_extent_index &made, uint32_t count)
        : nodes(array), index(made), n(count), boxes(array, made, count)
    {
    }

    /* True if the box of a heap node intersects the one searched. Doubles of integers are rounded, but monotonically:
     * a node that is inside stays inside. */
    __device__ __forceinline__ bool intersects(const bi_kdtree_float_box<DIM> &b) const
    {
        bool both = true;
#pragma unroll
        for (int c = 0; c < DIM; c++) both = both && (D)low[c] <= boxes.high(b, c) && boxes.low(b, c) <= (D)high[c];
        return both;
    }

    /* Descends to the next leaf that intersects the box, and stacks other heap nodes. Returns false if there is
     * none. */
    __device__ __forceinline__ bool next_leaf(uint32_t *stack, uint32_t *leaf)
    {
        const uint32_t first_leaf = 1u << index.levels;
        while (stacked > 0) {
            /* Descend from the heap node on top: to the second child only if the first one does not intersect. */
            uint32_t h = stack[--stacked];
            bool any = true;
            while (any && h < first_leaf) {
                const bi_kdtree_box_pair<DIM> p = boxes.pairs[h];
                const bool less = intersects(p.child[0]), greater = intersects(p.child[1]);
                if (less && greater) stack[stacked++] = 2 * h + 1;
                any = less || greater;
                h = 2 * h + !less;
            }
            if (!any) continue;
            *leaf = h - first_leaf;
            return true;
        }
        return false;
    }

    /* Searches the box. All lanes of a warp call this. */
    __device__ __forceinline__ void walk(bool live)
    {
        uint32_t stack[BI_KDTREE_MOST_LEVELS], leaf = 0;
        stack[0] = 1;
        stacked = 1;
        for (bool more = live; __any_sync(~0u, more);) {
            more = more && next_leaf(stack, &leaf);
            __syncwarp();
            const uint32_t start = more ? bi_kdtree_begin_of_leaf(leaf, n) : n;
            bi_kdtree_scan_leaves<T, DIM>(nodes, n, low, high, found, more, start, bi_kdtree_size_of_leaf(start, n));
            __syncwarp();
        }
    }
};

#endif
