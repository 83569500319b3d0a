/* A thread's walk over the index, from the leaf of its query upward. At each node the far side is visited unless its
 * bound is beyond what still counts. Bounds are made of distances from intervals by the operations of distances in the
 * same order, and rounding is monotonic, so nothing that counts is ever left out. A node of the heap lies on its own
 * splitting plane: it is measured when its far side comes up. */
#ifndef BI_KDTREE_CUDA_SEARCH_INDEX_WALK_CUH
#define BI_KDTREE_CUDA_SEARCH_INDEX_WALK_CUH

#include "kdtree/cuda/search/index.cuh"
#include "kdtree/cuda/search/node_distance.cuh"

enum { BI_KDTREE_WALK_STACK = 29 }; /* one far side a level waits; below them is the way to the root */

/* Squared distances from the intervals on the way to a side, by coordinate. */
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

/* A far side that waits: its heap index, and the way to its parent's plane. */
template <class D, int DIM> struct alignas(sizeof(D) == 4 && DIM == 3 ? 16 : sizeof(D)) bi_kdtree_deferred_side {
    bi_kdtree_path<D, DIM> way;
    uint32_t side;
};

/* Whether q is nearer to the greater side; where both are as near, smaller ids are in the less one. */
template <class T, class D>
__device__ __forceinline__ bool bi_kdtree_greater_is_nearer(D q, const bi_kdtree_sides<T> &s)
{
    return bi_kdtree_gap<D>(q, (D)s.beyond, (D)s.high) < bi_kdtree_gap<D>(q, (D)s.low, (D)s.split);
}

/* The part of helper `own` of some bits: every `helpers`-th that is set, from the highest on. */
static __device__ __forceinline__ uint32_t bi_kdtree_share(uint32_t bits, uint32_t own, uint32_t helpers)
{
    uint32_t part = 0;
    for (uint32_t i = 0; bits; i++) {
        const uint32_t highest = 1u << (31 - __clz((int)bits));
        if (i % helpers == own) part |= highest;
        bits -= highest;
    }
    return part;
}

/* COLLECTOR keeps what is found: PLACES tells that places of nodes stand for their ids, worst() is the largest distance
 * that counts, beyond(bound, floor) tells that no node with that distance at least and that id at least counts,
 * take(distance, id) takes a node whose distance is not above worst(), near(distance, worst) tells of any lane's node
 * whether it counts there, first(walk, any, leaf) and scan(walk, any, leaf) take the nodes of a leaf, if any: all lanes
 * of a warp call them. SHARES tells that neighbouring lanes may have the same query: keep_by_first, limit_together and
 * join are of those. */
template <class T, int DIM, class COLLECTOR> struct bi_kdtree_index_walk {
    typedef bi_kdtree_node_reader<T, DIM> space;
    typedef typename space::D D;
    typedef bi_kdtree_path<D, DIM> path;

    enum { TOGETHER = sizeof(D) == 4 ? 4 : 2 }; /* leaves that a warp reads at a time */

    const bi_kdtree_array nodes;
    const bi_kdtree_cuda_index index;
    const uint32_t n;
    bi_kdtree_deferred_side<D, DIM> *stack; /* apart from the rest, which stays in registers */
    D q[DIM];
    COLLECTOR found;
    uint32_t odd_levels; /* see bi_kdtree_root */
    int depth;
    uint32_t home, planes; /* the leaf of the query; levels above it whose far sides are to come */
    uint32_t helpers = 1;  /* neighbouring lanes that have the same query, a power of 2 */

    __device__ __forceinline__ bi_kdtree_index_walk(const bi_kdtree_array &array, const bi_kdtree_cuda_index &made,
                                                    uint32_t count, bi_kdtree_deferred_side<D, DIM> *waiting)
        : nodes(array), index(made), n(count), stack(waiting)
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

    /* The axis of a node of a level, whose coordinate is d. ODD: some level is odd. What only flat subtrees need is
     * left out of the walk for the others. */
    template <bool ODD> __device__ __forceinline__ int axis(uint32_t node, int level, int d) const
    {
        return ODD && (odd_levels >> level & 1) ? index.axes[node] : d;
    }

    __device__ __forceinline__ void measure(uint32_t at)
    {
        const typename space::node p = space::load(nodes, at);
        const D d = space::distance(q, p.x);
        if (!(d > found.worst())) found.take(d, COLLECTOR::PLACES ? at : space::id(nodes, at, p));
    }

    __device__ __forceinline__ bool skips(D bound, uint32_t side) const
    {
        const D worst = found.worst();
        if (bound < worst) return false;
        return bound > worst || found.beyond(bound, bi_kdtree_floor_of(index, side));
    }

    /* Which of the nodes from *start on are nodes of the leaf of this lane, as near as its COLLECTOR tells. All lanes
     * of a warp call this, those without a leaf with `any` false. Together they measure the nodes of one lane's leaf
     * after the other's, a node each: so what they read lies together, and no lane waits for those with a leaf. */
    __device__ __forceinline__ uint32_t mark(bool any, uint32_t leaf, uint32_t *start) const
    {
        const uint32_t lane = threadIdx.x % 32;
        const D most = found.worst();
        uint32_t count = 0, marks = 0;
        if (any) {
            *start = index.leaves[leaf];
            count = index.leaves[leaf + 1] - 1 - *start;
        }
        for (uint32_t left = __ballot_sync(~0u, any); left;) {
            int owner[TOGETHER];
            typename space::node p[TOGETHER];
#pragma unroll
            for (int i = 0; i < TOGETHER; i++) {
                owner[i] = left ? __ffs((int)left) - 1 : owner[0];
                left &= left - 1;
                p[i] = space::load(nodes, min(__shfl_sync(~0u, *start, owner[i]) + lane, n - 1));
            }
#pragma unroll
            for (int i = 0; i < TOGETHER; i++) {
                D x[DIM];
#pragma unroll
                for (int c = 0; c < DIM; c++) x[c] = __shfl_sync(~0u, q[c], owner[i]);
                const bool near = found.near(space::distance(x, p[i].x), __shfl_sync(~0u, most, owner[i]));
                const uint32_t all = __ballot_sync(~0u, near);
                marks = (int)lane == owner[i] ? all : marks;
            }
        }
        return marks & (count < 32 ? (1u << count) - 1 : ~0u);
    }

    /* Takes the nodes of a leaf that are near enough. They are marked first: so a warp takes nodes in as often as its
     * busiest lane has them, not as often as any lane has. */
    __device__ __forceinline__ void measure_near(bool any, uint32_t leaf)
    {
        uint32_t start = 0;
        for (uint32_t marks = mark(any, leaf, &start); marks; marks &= marks - 1)
            measure(start + __ffs((int)marks) - 1);
    }

    /* Bit `level` tells that the plane of the ancestor of that level is near enough. Where planes are is arithmetic, so
     * many are read at a time. */
    __device__ __forceinline__ uint32_t near_planes(uint32_t leaf) const
    {
        const D worst = found.worst();
        uint32_t near = 0;
#pragma unroll 4
        for (int level = index.levels - 1; level >= 0; level--) {
            const uint32_t node = ((leaf + (1u << index.levels)) >> (index.levels - level)) - 1;
            const int c = axis<true>(node, level, level % DIM);
            const D away = bi_kdtree_component<D, DIM>(q, c) - (D)sides_of(node).split;
            near |= (uint32_t) !(away * away > worst) << level;
        }
        return near;
    }

    /* The next far side whose parent's plane is near enough: the last one left on the way down, else that of an
     * ancestor, the deepest of `planes`. */
    template <bool ODD> __device__ __forceinline__ bool next(uint32_t *side, bi_kdtree_path<D, DIM> *way)
    {
        const D worst = found.worst();
        while (depth > ODD) {
            depth--;
            *way = stack[depth].way;
            *side = stack[depth].side;
            if (!(way->bound() > worst)) return true;
        }
        while (planes) {
            const int level = 31 - __clz((int)planes);
            const uint32_t own = (home + (1u << index.levels)) >> (index.levels - level - 1);
            planes -= 1u << level;
            const int c = axis<ODD>(own / 2 - 1, level, level % DIM);
            const D away = bi_kdtree_component<D, DIM>(q, c) - (D)sides_of(own / 2 - 1).split;
            if (away * away > worst) continue;
            const bi_kdtree_path<D, DIM> none = {};
            *way = (ODD ? stack[0].way : none).with(c, away * away);
            *side = (own ^ 1) - 1;
            return true;
        }
        return false;
    }

    /* From a far side down to its nearest leaf, past its parent; other far sides wait on the stack. Whether there is
     * one that counts. */
    template <bool ODD>
    __device__ __forceinline__ bool descend(uint32_t side, bi_kdtree_path<D, DIM> way, uint32_t *leaf)
    {
        const uint32_t parent = (side - 1) / 2;
        int level = bi_kdtree_heap_level(side), d = (level - 1) % DIM;
        const uint32_t at = bi_kdtree_heap_position(index, parent, level - 1);
        const bi_kdtree_sides<T> above = sides_of(parent);
        bi_kdtree_sides<T> ahead = sides_of(level < index.levels ? side : 0); /* loads do not wait for each other */
        measure(at);
        {
            const bool less = side & 1;
            const int c = axis<ODD>(parent, level - 1, d);
            way = way.with(c, bi_kdtree_gap<D>(bi_kdtree_component<D, DIM>(q, c), (D)(less ? above.low : above.beyond),
                                               (D)(less ? above.split : above.high)));
        }
        if (skips(way.bound(), side)) return false;
        for (; level < index.levels; level++) {
            const bi_kdtree_sides<T> s = ahead;
            d = d + 1 == DIM ? 0 : d + 1;
            const int c = axis<ODD>(side, level, d);
            const D x = bi_kdtree_component<D, DIM>(q, c), plane = x - (D)s.split;
            const D less = bi_kdtree_gap<D>(x, (D)s.low, (D)s.split),
                    more = bi_kdtree_gap<D>(x, (D)s.beyond, (D)s.high);
            const bool greater = more < less;
            const bi_kdtree_path<D, DIM> beyond = way.with(c, plane * plane);
            if (!(beyond.bound() > found.worst())) {
                stack[depth].way = beyond;
                stack[depth++].side = 2 * side + 2 - greater;
            }
            side = 2 * side + 1 + greater;
            ahead = sides_of(level + 1 < index.levels ? side : 0);
            way = way.with(c, greater ? more : less);
            if (skips(way.bound(), side)) return false;
        }
        *leaf = side + 1 - (1u << index.levels);
        return true;
    }

    /* All ways begin with how far the query is from the box of all nodes: in a coordinate without extent that never
     * changes. */
    __device__ __forceinline__ void begin()
    {
#pragma unroll
        for (int c = 0; c < DIM; c++)
            stack[0].way.away[c] = bi_kdtree_gap<D>(q[c], (D)root().box.low[c], (D)root().box.high[c]);
        depth = 1;
    }

    template <bool ODD> __device__ __forceinline__ void walk(uint32_t leaf, bool more)
    {
        home = leaf;
        planes = near_planes(leaf);
        if (COLLECTOR::SHARES && helpers > 1) planes = bi_kdtree_share(planes, threadIdx.x % helpers, helpers);
        while (__any_sync(~0u, more)) {
            if (COLLECTOR::SHARES && helpers > 1) found.limit_together(helpers);
            uint32_t side;
            bi_kdtree_path<D, DIM> way;
            bool any = more = more && next<ODD>(&side, &way);
            __syncwarp();
            if (any) any = descend<ODD>(side, way, &leaf);
            __syncwarp();
            found.scan(*this, any, leaf);
            __syncwarp();
        }
    }

    /* From the leaf of the query. All lanes of a warp call this, and meet again at every leaf. */
    __device__ __forceinline__ void run(uint32_t leaf, bool live)
    {
        found.first(*this, live, leaf);
        if (COLLECTOR::SHARES && helpers > 1) found.keep_by_first(helpers);
        odd_levels = root().odd_levels;
        depth = 0;
        if (odd_levels) {
            begin();
            walk<true>(leaf, live);
        } else {
            walk<false>(leaf, live);
        }
        if (COLLECTOR::SHARES && helpers > 1) found.join(helpers);
    }
};

#endif
