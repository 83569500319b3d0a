/* Walks of a thread over nodes in the order of the tree: over the index, for far queries, and for boxes.
 *
 * The walk over the index goes from the leaf of a query upward. At each node the far side is visited unless its
 * bound exceeds the worst distance that still counts. Bounds are computed from intervals by the operations of
 * distances, in the same order, and rounding is monotonic, so pruning is exact. A node of the heap lies on its own
 * splitting plane: it is measured when its far side is considered. */
#ifndef BI_KDTREE_CUDA_SEARCH_INDEX_WALK_CUH
#define BI_KDTREE_CUDA_SEARCH_INDEX_WALK_CUH

#include "kdtree/cuda/search/index.cuh"

enum { BI_KDTREE_WALK_STACK = 29 }; /* one far side a level; entry 0 is the path to the root if a level is odd */

/* Squared distances from the intervals on the path to a side, by coordinate; their sum is the bound of the side. */
template <class D, int DIM> struct bi_kdtree_path {
    D away[DIM];

    __device__ __forceinline__ D bound() const
    {
        D s = away[0];
#pragma unroll
        for (int c = 1; c < DIM; c++) s = s + away[c];
        return s;
    }
    __device__ __forceinline__ bi_kdtree_path with(int d, D squared) const
    {
        bi_kdtree_path other;
#pragma unroll
        for (int c = 0; c < DIM; c++) other.away[c] = c == d ? squared : away[c];
        return other;
    }
};

/* A stacked far side: its heap index, and the path to its parent's plane. */
template <class D, int DIM> struct alignas(sizeof(D) == 4 && DIM == 3 ? 16 : sizeof(D)) bi_kdtree_deferred_side {
    bi_kdtree_path<D, DIM> path_to_side;
    uint32_t side;
};

/* True if q is nearer to the greater side; on ties the less side, which has smaller ids. */
template <class T, class D>
__device__ __forceinline__ bool bi_kdtree_greater_is_nearer(D q, const bi_kdtree_sides<T> &s)
{
    return bi_kdtree_gap<D>(q, (D)s.beyond, (D)s.high) < bi_kdtree_gap<D>(q, (D)s.low, (D)s.split);
}

/* Returns the share of helper `own` of some bits: every `helpers`-th set bit, from the highest on. */
static __device__ __forceinline__ uint32_t bi_kdtree_select_share(uint32_t bits, uint32_t own, uint32_t helpers)
{
    uint32_t share = 0;
    for (uint32_t i = 0; bits; i++) {
        const uint32_t highest = 1u << (31 - __clz((int)bits));
        if (i % helpers == own) share |= highest;
        bits -= highest;
    }
    return share;
}

/* Returns marks of the nodes of this lane's leaf, `count` from `start` on, that count for `found`. All lanes of a warp
 * call this, with `any` false if they have no leaf. Together they measure the leaf of one lane after the other, a node
 * each: reads are contiguous, and no lane idles. q: this lane's query; n: nodes of the tree. BY_ID: ids are compared
 * too. */
template <bool BY_ID, class T, int DIM, class COLLECTOR>
__device__ __forceinline__ uint32_t bi_kdtree_mark_nodes_by(const bi_kdtree_array &nodes, uint32_t n,
                                                            const typename bi_kdtree_distance_of<T>::type *q,
                                                            const COLLECTOR &found, bool any, uint32_t start,
                                                            uint32_t count)
{
    typedef bi_kdtree_node_reader<T, DIM> space;
    typedef typename space::D D;
    /* Leaves that a warp reads at once, so that loads overlap. Measured, floats, k = 8: 1,009 us, 8 leaves 1,070. */
    enum { TOGETHER = sizeof(D) == 4 ? 4 : 2 };
    const uint32_t lane = threadIdx.x % 32;
    const auto most = [&] {
        if constexpr (BY_ID)
            return found.reach();
        else
            return found.worst();
    }();
    uint32_t marks = 0;
    /* 1. Load a node of each of the next leaves; fewer leaves repeat the first. */
    for (uint32_t left = __ballot_sync(~0u, any); left;) {
        int owner[TOGETHER];
        typename space::node p[TOGETHER];
#pragma unroll
        for (int i = 0; i < TOGETHER; i++) {
            owner[i] = left ? __ffs((int)left) - 1 : owner[0];
            left &= left - 1;
            p[i] = space::load(nodes, min(__shfl_sync(~0u, start, owner[i]) + lane, n - 1));
        }
        /* 2. Measure it from the query of the leaf's owner, which keeps the ballot. */
#pragma unroll
        for (int i = 0; i < TOGETHER; i++) {
            D x[DIM];
#pragma unroll
            for (int c = 0; c < DIM; c++) x[c] = __shfl_sync(~0u, q[c], owner[i]);
            const D distance = space::distance(x, p[i].x);
            bool near;
            if constexpr (BY_ID)
                near = found.reaches(distance, p[i].word, __shfl_sync(~0u, most, owner[i]));
            else
                near = found.near(distance, __shfl_sync(~0u, most, owner[i]));
            const uint32_t all = __ballot_sync(~0u, near);
            marks = (int)lane == owner[i] ? all : marks;
        }
    }
    return marks & (count < 32 ? (1u << count) - 1 : ~0u);
}

/* The same, by id where nodes at one distance are many and ids are at hand: fewer nodes are then marked for nothing. */
template <class T, int DIM, class COLLECTOR>
__device__ __forceinline__ uint32_t bi_kdtree_mark_nodes(const bi_kdtree_array &nodes, uint32_t n,
                                                         const typename bi_kdtree_distance_of<T>::type *q,
                                                         const COLLECTOR &found, bool any, uint32_t start,
                                                         uint32_t count)
{
    if constexpr (COLLECTOR::BY_ID)
        if (found.has_ties) return bi_kdtree_mark_nodes_by<true, T, DIM>(nodes, n, q, found, any, start, count);
    return bi_kdtree_mark_nodes_by<false, T, DIM>(nodes, n, q, found, any, start, count);
}

/* Base of the walks over both orders of nodes. INDEX has bi_kdtree_floor_of. COLLECTOR stores the nodes found:
 *   POSITIONS              positions of nodes replace their ids
 *   worst()                the largest distance that counts
 *   below(bound)           true if every node at that distance counts, whatever its id; false is always allowed
 *   beyond(bound, floor)   true if no node counts with at least that distance and id
 *   add(distance, id)      adds a node whose distance does not exceed worst()
 *   near(distance, worst)  true if a node of another lane counts there
 *   BY_ID                  the same by ids too, if has_ties: reach(), and reaches(distance, id, reach)
 *   first(walk, any, leaf) and scan(walk, any, leaf) add the nodes of a leaf, if `any`; all lanes of a warp call them
 *   SHARES                 neighbouring lanes may share a query: split_list, share_limit, merge_lists are called */
template <class T, int DIM, class COLLECTOR, class INDEX> struct bi_kdtree_walk {
    typedef bi_kdtree_node_reader<T, DIM> space;
    typedef typename space::D D;

    const bi_kdtree_array nodes;
    const INDEX index;
    const uint32_t n;
    D q[DIM];
    COLLECTOR found;
    uint32_t helpers = 1; /* neighbouring lanes with the same query, a power of 2 */

    __device__ __forceinline__ bi_kdtree_walk(const bi_kdtree_array &array, const INDEX &made, uint32_t count)
        : nodes(array), index(made), n(count)
    {
    }

    __device__ __forceinline__ void measure(uint32_t at)
    {
        const typename space::node p = space::load(nodes, at);
        const D d = space::distance(q, p.x);
        if (!(d > found.worst())) found.add(d, COLLECTOR::POSITIONS ? at : space::id(nodes, at, p));
    }

    /* True if no node below heap node h counts. The smallest id decides among equal distances. */
    __device__ __forceinline__ bool skips(D bound, uint32_t h) const
    {
        if (found.below(bound)) return false;
        return bound > found.worst() || found.beyond(bound, bi_kdtree_floor_of(index, h));
    }
};

template <class T, int DIM, class COLLECTOR>
struct bi_kdtree_index_walk : bi_kdtree_walk<T, DIM, COLLECTOR, bi_kdtree_cuda_index> {
    typedef bi_kdtree_walk<T, DIM, COLLECTOR, bi_kdtree_cuda_index> base;
    typedef typename base::D D;
    typedef bi_kdtree_path<D, DIM> path;
    using base::found;
    using base::helpers;
    using base::index;
    using base::measure;
    using base::n;
    using base::nodes;
    using base::q;
    using base::skips;

    bi_kdtree_deferred_side<D, DIM> *stack; /* in local memory; the other members stay in registers */
    uint32_t odd_levels;                    /* see bi_kdtree_root */
    int depth;
    uint32_t home, planes; /* the leaf of the query; levels above it whose far sides remain */

    __device__ __forceinline__ bi_kdtree_index_walk(const bi_kdtree_array &array, const bi_kdtree_cuda_index &made,
                                                    uint32_t count, bi_kdtree_deferred_side<D, DIM> *waiting)
        : base(array, made, count), stack(waiting)
    {
    }

    __device__ __forceinline__ const bi_kdtree_root<T, DIM> &root() const
    {
        return *static_cast<const bi_kdtree_root<T, DIM> *>(index.root);
    }

    __device__ __forceinline__ bi_kdtree_sides<T> sides_of(uint32_t node) const
    {
        return static_cast<const bi_kdtree_sides<T> *>(index.sides)[node];
    }

    /* Returns the axis of a node of a level, whose coordinate is d. ODD: some level has nodes of another axis; trees
     * without have a walk of their own, which saves a test per node. */
    template <bool ODD> __device__ __forceinline__ int axis(uint32_t node, int level, int d) const
    {
        return ODD && (odd_levels >> level & 1) ? index.axes[node] : d;
    }

    __device__ __forceinline__ uint32_t leaf_begin(uint32_t leaf) const { return index.leaves[leaf]; }
    __device__ __forceinline__ uint32_t leaf_end(uint32_t leaf) const { return index.leaves[leaf + 1] - 1; }

    /* Marks the nodes of this lane's leaf, from *start on, that count: see bi_kdtree_mark_nodes. */
    __device__ __forceinline__ uint32_t mark(bool any, uint32_t leaf, uint32_t *start) const
    {
        uint32_t count = 0;
        if (any) {
            *start = leaf_begin(leaf);
            count = leaf_end(leaf) - *start;
        }
        return bi_kdtree_mark_nodes<T, DIM>(nodes, n, q, found, any, *start, count);
    }

    /* Adds the near nodes of a leaf. Marking them first limits the warp's rounds to the count of its busiest lane. */
    __device__ __forceinline__ void measure_near(bool any, uint32_t leaf)
    {
        uint32_t start = 0;
        for (uint32_t marks = mark(any, leaf, &start); marks; marks &= marks - 1)
            measure(start + __ffs((int)marks) - 1);
    }

    /* Returns the levels, as bits, whose ancestor of the leaf has a plane that is near enough. Indices of ancestors are
     * arithmetic, so that loads overlap. */
    __device__ __forceinline__ uint32_t near_planes(uint32_t leaf) const
    {
        const D worst = found.worst();
        uint32_t near = 0;
#pragma unroll 4
        for (int level = index.levels - 1; level >= 0; level--) {
            const uint32_t node = ((leaf + (1u << index.levels)) >> (index.levels - level)) - 1;
            const int c = axis<true>(node, level, (level + index.first) % DIM);
            const D away = bi_kdtree_component<D, DIM>(q, c) - (D)sides_of(node).split;
            near |= (uint32_t) !(away * away > worst) << level;
        }
        return near;
    }

    /* Finds the next far side whose parent's plane is near enough: the last one stacked, else that of the deepest
     * ancestor in `planes`. With ODD, entry 0 of the stack is not a side (start_path). */
    template <bool ODD> __device__ __forceinline__ bool next(uint32_t *side, bi_kdtree_path<D, DIM> *path_to_side)
    {
        const D worst = found.worst();
        while (depth > ODD) {
            depth--;
            *path_to_side = stack[depth].path_to_side;
            *side = stack[depth].side;
            if (!(path_to_side->bound() > worst)) return true;
        }
        while (planes) {
            const int level = 31 - __clz((int)planes);
            /* Heap index + 1 of the ancestor's child above the leaf; its sibling is the far side. */
            const uint32_t own = (home + (1u << index.levels)) >> (index.levels - level - 1);
            planes -= 1u << level;
            const int c = axis<ODD>(own / 2 - 1, level, (level + index.first) % DIM);
            const D away = bi_kdtree_component<D, DIM>(q, c) - (D)sides_of(own / 2 - 1).split;
            if (away * away > worst) continue;
            const bi_kdtree_path<D, DIM> none = {};
            *path_to_side = (ODD ? stack[0].path_to_side : none).with(c, away * away);
            *side = (own ^ 1) - 1;
            return true;
        }
        return false;
    }

    /* Measures the parent of a far side and descends from the side to its nearest leaf, stacking other far sides.
     * Returns false if no leaf counts. */
    template <bool ODD>
    __device__ __forceinline__ bool descend(uint32_t side, bi_kdtree_path<D, DIM> path_to_side, uint32_t *leaf)
    {
        /* 1. Measure the parent, and bound the side. */
        const uint32_t parent = (side - 1) / 2;
        int level = bi_kdtree_heap_level(side), d = (level - 1 + index.first) % DIM;
        const uint32_t at = bi_kdtree_heap_position(index, parent, level - 1);
        const bi_kdtree_sides<T> above = sides_of(parent);
        bi_kdtree_sides<T> next_sides =
            sides_of(level < index.levels ? side : 0); /* read ahead, so that loads overlap */
        measure(at);
        {
            const bool less = side & 1;
            const int c = axis<ODD>(parent, level - 1, d);
            path_to_side = path_to_side.with(c, bi_kdtree_gap<D>(bi_kdtree_component<D, DIM>(q, c),
                                                                 (D)(less ? above.low : above.beyond),
                                                                 (D)(less ? above.split : above.high)));
        }
        if (skips(path_to_side.bound(), side)) return false;
        /* 2. Descend to the nearer sides. */
        for (; level < index.levels; level++) {
            const bi_kdtree_sides<T> s = next_sides;
            d = d + 1 == DIM ? 0 : d + 1;
            const int c = axis<ODD>(side, level, d);
            const D x = bi_kdtree_component<D, DIM>(q, c), plane = x - (D)s.split;
            const D less = bi_kdtree_gap<D>(x, (D)s.low, (D)s.split),
                    more = bi_kdtree_gap<D>(x, (D)s.beyond, (D)s.high);
            const bool greater = more < less;
            const bi_kdtree_path<D, DIM> beyond = path_to_side.with(c, plane * plane);
            if (!(beyond.bound() > found.worst())) {
                stack[depth].path_to_side = beyond;
                stack[depth++].side = 2 * side + 2 - greater;
            }
            side = 2 * side + 1 + greater;
            next_sides = sides_of(level + 1 < index.levels ? side : 0);
            path_to_side = path_to_side.with(c, greater ? more : less);
            if (skips(path_to_side.bound(), side)) return false;
        }
        *leaf = side + 1 - (1u << index.levels);
        return true;
    }

    /* Begins the path of all sides with the distance of the query from the box of all nodes: in a coordinate without
     * extent it never changes. */
    __device__ __forceinline__ void start_path()
    {
#pragma unroll
        for (int c = 0; c < DIM; c++)
            stack[0].path_to_side.away[c] = bi_kdtree_gap<D>(q[c], (D)root().box.low[c], (D)root().box.high[c]);
        depth = 1;
    }

    /* Walks the far sides of all ancestors. Warp barriers reconverge lanes before and after each leaf. */
    template <bool ODD> __device__ __forceinline__ void walk_sides(uint32_t leaf, bool more)
    {
        home = leaf;
        planes = near_planes(leaf);
        if (COLLECTOR::SHARES && helpers > 1) planes = bi_kdtree_select_share(planes, threadIdx.x % helpers, helpers);
        while (__any_sync(~0u, more)) {
            if (COLLECTOR::SHARES && helpers > 1) found.share_limit(helpers);
            uint32_t side;
            bi_kdtree_path<D, DIM> path_to_side;
            bool any = more = more && next<ODD>(&side, &path_to_side);
            __syncwarp();
            if (any) any = descend<ODD>(side, path_to_side, &leaf);
            __syncwarp();
            found.scan(*this, any, leaf);
            __syncwarp();
        }
    }

    /* Searches from the leaf of the query. All lanes of a warp call this. */
    __device__ __forceinline__ void walk(uint32_t leaf, bool live)
    {
        found.first(*this, live, leaf);
        if (COLLECTOR::SHARES && helpers > 1) found.split_list(helpers);
        odd_levels = root().odd_levels;
        depth = 0;
        if (odd_levels) {
            start_path();
            walk_sides<true>(leaf, live);
        } else {
            walk_sides<false>(leaf, live);
        }
        if (COLLECTOR::SHARES && helpers > 1) found.merge_lists(helpers);
    }
};

/* --- Far queries -------------------------------------------------------------------------------------------------- */

/* Queries far from all nodes walk from the root down over the bounding boxes of subtrees, the nearer of two first; a
 * thread each. Samples give such a query its limit, and the limit alone decides its visits. Boxes are better bounds
 * than the planes of a path: planes leave some coordinates unbounded. */

/* Levels that lanes descend between warp barriers. Measured, H100, 2^20 far queries, 8 of 2^24 points: without a limit
 * 3,336 us, with four levels 3,000; five were not compared with four alone. */
enum { BI_KDTREE_FAR_STEPS = 5 };

struct bi_kdtree_waiting_box {
    float bound; /* no node in it is nearer */
    uint32_t side;
};

/* WALK: a bi_kdtree_index_walk of floats; it holds query, list and limit. All lanes of a warp call walk(). */
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

/* --- Boxes -------------------------------------------------------------------------------------------------------- */

/* Searches of boxes: a thread a box, down from the root; the lanes of a warp test leaves together. Coordinates are
 * compared in their own type, so 64-bit integers stay exact. */

template <class T, int DIM> __device__ __forceinline__ bool bi_kdtree_in_box(const T *x, const T *low, const T *high)
{
    bool inside = true;
#pragma unroll
    for (int c = 0; c < DIM; c++) inside = inside && low[c] <= x[c] && x[c] <= high[c];
    return inside;
}

/* Tests the leaf of each lane in turn, `count` nodes from `start` on, all lanes together, so that reads are contiguous.
 * Passes the nodes inside to the lane's sink. All lanes of a warp call this, with `any` false and no nodes if they have
 * no leaf. low, high: this lane's box; n: nodes of the tree. */
template <class T, int DIM, class SINK>
__device__ __forceinline__ void bi_kdtree_scan_leaves(const bi_kdtree_array &nodes, uint32_t n, const T *low,
                                                      const T *high, SINK &found, bool any, uint32_t start,
                                                      uint32_t count)
{
    typedef bi_kdtree_node_reader<T, DIM> space;
    const uint32_t lane = threadIdx.x % 32;
    uint32_t marks = 0;
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

    __device__ __forceinline__ bi_kdtree_box_search(const bi_kdtree_array &array, const bi_kdtree_cuda_index &made,
                                                    uint32_t count)
        : nodes(array), index(made), n(count)
    {
    }

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
                const int axis = odd_levels >> level & 1 ? index.axes[h] : (level + index.first) % DIM;
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

    /* Tests the nodes of the leaf of each lane: see bi_kdtree_scan_leaves. */
    __device__ __forceinline__ void scan_leaves(bool any, uint32_t leaf)
    {
        uint32_t start = 0, count = 0;
        if (any) {
            start = index.leaves[leaf];
            count = index.leaves[leaf + 1] - 1 - start;
        }
        bi_kdtree_scan_leaves<T, DIM>(nodes, n, low, high, found, any, start, count);
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
