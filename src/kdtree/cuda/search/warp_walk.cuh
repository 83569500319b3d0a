/* Walks by a whole warp: for the queries of its lanes, balanced among them, or for one query. */
#ifndef BI_KDTREE_CUDA_SEARCH_WARP_WALK_CUH
#define BI_KDTREE_CUDA_SEARCH_WARP_WALK_CUH

#include "core/cuda/shared.cuh"
#include "kdtree/cuda/search/index_walk.cuh"
#include "kdtree/cuda/search/nearest_list.cuh"

/* --- Pooled walks ------------------------------------------------------------------------------------------------- */

/* The walks of a warp's queries, balanced among its lanes, for one nearest each. After the first leaf most queries have
 * at most one far side that is near enough, and some have several: idle lanes walk far sides of other lanes' queries.
 * The nearest of each query so far is in shared memory. */

/* The shared memory of a warp. */
struct bi_kdtree_pool {
    unsigned long long nearest[32]; /* by query: bits of a bi_kdtree_neighbour<float> */
    uint32_t assigned[32];          /* far sides for idle lanes: lane of the query, and level of the plane << 5 */
};

/* WALK: a bi_kdtree_index_walk of floats with a list of one. It walks for the query of lane `owner`. All lanes of a
 * warp call these. */
template <class WALK, int DIM> struct bi_kdtree_pooled_walk {
    WALK &w;
    bi_kdtree_pool *pool;
    float own_query[DIM], limit; /* of the query of this lane */
    uint32_t home, planes;       /* its leaf; levels above it whose far sides are unassigned */
    uint32_t owner;

    __device__ __forceinline__ bi_kdtree_pooled_walk(WALK &index_walk, bi_kdtree_pool *of_warp)
        : w(index_walk), pool(of_warp)
    {
    }

    /* Assigns the deepest far side of each query with any to an idle lane. Returns false if either is lacking. The warp
     * barriers publish the assignments, and end their use. */
    __device__ __forceinline__ bool assign_sides(bool idle)
    {
        const uint32_t lanes = __ballot_sync(~0u, idle), donors = __ballot_sync(~0u, planes != 0);
        const int count = min(__popc(lanes), __popc(donors)), donor_rank = __popc(donors & bi_lanes_below()),
                  idle_rank = __popc(lanes & bi_lanes_below());
        if (planes && donor_rank < count) {
            const int level = 31 - __clz((int)planes);
            planes -= 1u << level;
            pool->assigned[donor_rank] = (uint32_t)level << 5 | threadIdx.x % 32;
        }
        __syncwarp();
        if (idle && idle_rank < count) {
            owner = pool->assigned[idle_rank] % 32;
            w.planes = 1u << (pool->assigned[idle_rank] >> 5);
        }
        __syncwarp();
        return count > 0;
    }

    /* Returns the nearest known to this lane; smaller numbers are nearer. */
    __device__ __forceinline__ unsigned long long bits() const { return bi_f64_bits(w.found.nearest.at[0].bits); }
    __device__ __forceinline__ void load_nearest(uint32_t lane)
    {
        w.found.nearest.at[0].bits = bi_f64_from_bits(bi_load_shared_relaxed(&pool->nearest[lane]));
    }

    /* Switches the walk to the query of the owner, and reloads the nearest so far. */
    __device__ __forceinline__ void switch_query()
    {
#pragma unroll
        for (int c = 0; c < DIM; c++) w.q[c] = __shfl_sync(~0u, own_query[c], (int)owner);
        w.found.limit = __shfl_sync(~0u, limit, (int)owner);
        w.home = __shfl_sync(~0u, home, (int)owner);
        load_nearest(owner);
    }

    /* Walks all far sides. A lane takes the next side of its own stack, descends to a leaf, and the warp measures the
     * leaves; improvements go to shared memory. Warp barriers reconverge lanes. ODD: see bi_kdtree_index_walk. */
    template <bool ODD> __device__ __forceinline__ void walk_sides()
    {
        w.depth = ODD;
        w.planes = 0;
        for (;;) {
            /* 1. Assign sides to idle lanes, as long as both exist. */
            while (assign_sides(w.depth <= ODD && !w.planes)) {
            }
            const bool busy = w.planes || w.depth > ODD;
            if (!__any_sync(~0u, busy)) break;
            switch_query();
            if (ODD && w.planes) w.start_path();
            /* 2. Search a side, and publish an improvement. */
            uint32_t side, leaf = 0;
            typename WALK::path path_to_side;
            const unsigned long long previous = bits();
            bool any = busy && w.template next<ODD>(&side, &path_to_side);
            __syncwarp();
            if (any) any = w.template descend<ODD>(side, path_to_side, &leaf);
            __syncwarp();
            w.found.scan(w, any, leaf);
            if (bits() != previous) atomicMin(&pool->nearest[owner], bits());
            __syncwarp();
        }
    }

    /* Searches from the leaf of each query; the warp barrier publishes the nearest of first leaves. */
    __device__ __forceinline__ void walk(uint32_t leaf, bool live)
    {
        const uint32_t lane = threadIdx.x % 32;
        w.found.first(w, live, leaf);
        w.odd_levels = w.root().odd_levels;
        planes = live ? w.near_planes(leaf) : 0;
        home = leaf;
        owner = lane;
        limit = w.found.limit;
#pragma unroll
        for (int c = 0; c < DIM; c++) own_query[c] = w.q[c];
        pool->nearest[lane] = bits();
        __syncwarp();
        if (w.odd_levels)
            walk_sides<true>();
        else
            walk_sides<false>();
        load_nearest(lane);
    }
};

/* --- Walks of a warp ---------------------------------------------------------------------------------------------- */

/* A warp's walk for one query, as few queries do not fill a device with a thread each. A step opens a subtree of some
 * levels of the index: each lane computes the bound of one of the sides below. These are visited, the nearest first:
 * leaves are measured, a node a lane; other sides are opened in turn, and the remainder is stacked. Lane i holds the
 * i-th nearest so far. Bounds are those of index_walk.cuh. */

enum {
    BI_KDTREE_OPENED_LEVELS = 5, /* levels of a step: 32 sides, one a lane */
    BI_KDTREE_MAX_OPEN = 6,      /* depth of the stack: levels of the deepest index / 5 */
    /* Nodes of a leaf inserted singly; more are merged by a sort. Measured, 2^12 queries, k = 8: 35.5 us, 8 nodes
     * 41.7. */
    BI_KDTREE_MAX_SINGLE_INSERTS = 16
};

template <class D>
__device__ __forceinline__ bi_kdtree_neighbour<D> bi_kdtree_of_lane(const bi_kdtree_neighbour<D> &x, int lane)
{
    return {__shfl_sync(~0u, x.d, lane), __shfl_sync(~0u, x.name, lane)};
}
__device__ __forceinline__ bi_kdtree_neighbour<float> bi_kdtree_of_lane(const bi_kdtree_neighbour<float> &x, int lane)
{
    return {__shfl_sync(~0u, x.bits, lane)};
}

/* Return integers that order distances, which are not negative. */
__device__ __forceinline__ uint32_t bi_kdtree_ordered_bits(float d) { return bi_f32_bits(d); }
__device__ __forceinline__ uint64_t bi_kdtree_ordered_bits(double d) { return bi_f64_bits(d); }

/* The nearest so far, in order, one a lane; only the first k count. All lanes of a warp call these. */
template <class D> struct bi_kdtree_nearest_lanes {
    typedef bi_kdtree_neighbour<D> neighbour;
    neighbour own, last; /* own: of this lane; last: of lane k - 1 */
    int k;

    __device__ __forceinline__ void clear(int count)
    {
        k = count;
        own = last = neighbour::of((D)INFINITY, BI_KDTREE_NONE);
    }

    /* Compares with another lane: one of the two keeps the nearer, the other the farther. */
    static __device__ __forceinline__ void exchange(neighbour &x, int step, bool nearer)
    {
        const neighbour other = bi_kdtree_of_lane(x, (int)(threadIdx.x % 32) ^ step);
        x = other.precedes(x) == nearer ? other : x;
    }

    /* Adds a neighbour of each lane: sorts them by a bitonic network, then merges as bi_kdtree_nearest_list does. */
    __device__ __forceinline__ void add_all(neighbour x)
    {
        const int lane = threadIdx.x % 32;
#pragma unroll
        for (int run = 2; run <= 32; run *= 2)
#pragma unroll
            for (int step = run / 2; step > 0; step /= 2) exchange(x, step, !(lane & step) == !(lane & run));
        const neighbour other = bi_kdtree_of_lane(x, 31 - lane);
        own = other.precedes(own) ? other : own;
#pragma unroll
        for (int step = 16; step > 0; step /= 2) exchange(own, step, !(lane & step));
    }

    __device__ __forceinline__ void add(const neighbour &x)
    {
        const int lane = threadIdx.x % 32;
        const neighbour left_neighbour = bi_kdtree_of_lane(own, lane > 0 ? lane - 1 : 0);
        if (x.precedes(own)) own = lane > 0 && x.precedes(left_neighbour) ? left_neighbour : x;
    }

    /* Adds a neighbour of each lane if it is near enough. */
    __device__ __forceinline__ void add_near(const neighbour &x)
    {
        const uint32_t near = __ballot_sync(~0u, x.precedes(last));
        if (__popc(near) > BI_KDTREE_MAX_SINGLE_INSERTS)
            add_all(x);
        else
            for (uint32_t left = near; left; left &= left - 1) add(bi_kdtree_of_lane(x, __ffs((int)left) - 1));
        if (near) last = bi_kdtree_of_lane(own, k - 1);
    }

    __device__ __forceinline__ void write(int64_t row, void *ids, D *dist2, bool wide) const
    {
        const int lane = threadIdx.x % 32;
        if (lane < k) bi_kdtree_write_neighbour(own, row * k + lane, ids, dist2, wide);
    }
};

/* An open subtree, and a side below it for each lane. */
template <class D, int DIM> struct bi_kdtree_open_subtree {
    uint32_t root;
    int level, levels;                   /* level of the root; levels down to the sides */
    bool unvisited;                      /* the side is not visited yet */
    D bound;                             /* no node of the side is nearer */
    bi_kdtree_path<D, DIM> path_to_side; /* to the side */
    uint32_t start, end;                 /* nodes of the side, if it is a leaf */
};

template <class T, int DIM> struct bi_kdtree_warp_walk {
    typedef bi_kdtree_node_reader<T, DIM> space;
    typedef typename space::D D;
    typedef bi_kdtree_open_subtree<D, DIM> opened;

    const bi_kdtree_array nodes;
    const bi_kdtree_cuda_index index;
    D q[DIM];
    D limit;
    uint32_t odd_levels;
    bi_kdtree_nearest_lanes<D> nearest;

    __device__ __forceinline__ int lane() const { return threadIdx.x % 32; }

    /* Returns node `at` as a neighbour; the empty one if `any` is false or it is beyond the limit. */
    __device__ __forceinline__ bi_kdtree_neighbour<D> measure(bool any, uint32_t at) const
    {
        if (any) {
            const typename space::node p = space::load(nodes, at);
            const bi_kdtree_neighbour<D> x =
                bi_kdtree_neighbour<D>::of(space::distance(q, p.x), space::id(nodes, at, p));
            if (!(x.distance() > limit)) return x;
        }
        return bi_kdtree_neighbour<D>::of((D)INFINITY, BI_KDTREE_NONE);
    }

    __device__ __forceinline__ bool skips(D bound, uint32_t side) const
    {
        const D worst = nearest.last.distance();
        if (bound > limit) return true;
        if (bound < worst) return false;
        return bound > worst ||
               !bi_kdtree_neighbour<D>::of(bound, bi_kdtree_floor_of(index, side)).precedes(nearest.last);
    }

    static __device__ __forceinline__ uint32_t side_of(const opened &o, int number)
    {
        return ((o.root + 1) << o.levels) + (uint32_t)number - 1;
    }

    /* Opens the subtree of a node of the index, at the end of `path_to_side`. Levels are chosen so that a step ends at
     * the leaves. */
    __device__ __forceinline__ void open_side(uint32_t root, int level, bi_kdtree_path<D, DIM> path_to_side,
                                              opened *o) const
    {
        o->root = root;
        o->level = level;
        o->levels = (index.levels - level) % BI_KDTREE_OPENED_LEVELS;
        if (o->levels == 0 && level < index.levels) o->levels = BI_KDTREE_OPENED_LEVELS;
        o->unvisited = lane() >> o->levels == 0;
        const int number = o->unvisited ? lane() : 0;
        const uint32_t side = side_of(*o, number);
        if (level + o->levels == index.levels) {
            const uint32_t leaf = side + 1 - (1u << index.levels);
            o->start = index.leaves[leaf];
            o->end = index.leaves[leaf + 1] - 1;
        }
#pragma unroll
        for (int i = 0; i < BI_KDTREE_OPENED_LEVELS; i++) {
            if (i >= o->levels) break;
            const uint32_t own = (side + 1) >> (o->levels - i - 1), node = own / 2 - 1;
            const bi_kdtree_sides<T> s = static_cast<const bi_kdtree_sides<T> *>(index.sides)[node];
            const int c = odd_levels >> (level + i) & 1 ? index.axes[node] : (level + i + index.first) % DIM;
            const bool less = !(own & 1);
            path_to_side =
                path_to_side.with(c, bi_kdtree_gap<D>(bi_kdtree_component<D, DIM>(q, c), (D)(less ? s.low : s.beyond),
                                                      (D)(less ? s.split : s.high)));
        }
        o->path_to_side = path_to_side;
        o->bound = path_to_side.bound();
        if (!(o->bound < (D)INFINITY)) o->bound = (D)INFINITY; /* replaces NaN, which compares with nothing */
    }

    /* Returns the nearest unvisited side that counts; -1 if none. */
    __device__ __forceinline__ int next_side(opened *o) const
    {
        const auto none = ~bi_kdtree_ordered_bits((D)0);
        o->unvisited = o->unvisited && !skips(o->bound, side_of(*o, lane()));
        const auto bits = o->unvisited ? bi_kdtree_ordered_bits(o->bound) : none, least = bi_warp_min(bits);
        if (least == none) return -1;
        const int nearest_lane = __ffs((int)__ballot_sync(~0u, bits == least)) - 1;
        if (lane() == nearest_lane) o->unvisited = false;
        return nearest_lane;
    }

    /* Measures the nodes of the index inside an open subtree, one a lane. */
    __device__ __forceinline__ void measure_inner(const opened &o)
    {
        const uint32_t number = (uint32_t)lane() + 1, level = 31 - __clz((int)number),
                       node = ((o.root + 1) << level | (number - (1u << level))) - 1;
        const bool any = number >> o.levels == 0;
        nearest.add_near(measure(any, any ? bi_kdtree_heap_position(index, node, o.level + (int)level) : 0));
    }

    /* Finds the nearest. All lanes of a warp call this. */
    __device__ __forceinline__ void walk()
    {
        const bi_kdtree_root<T, DIM> &root = *static_cast<const bi_kdtree_root<T, DIM> *>(index.root);
        bi_kdtree_path<D, DIM> path_to_side;
        opened o, stack[BI_KDTREE_MAX_OPEN];
        int depth = 0;
        odd_levels = root.odd_levels;
#pragma unroll
        for (int c = 0; c < DIM; c++)
            path_to_side.away[c] = bi_kdtree_gap<D>(q[c], (D)root.box.low[c], (D)root.box.high[c]);
        /* Depth first. A subtree whose sides are visited measures its own nodes, then its parent continues. */
        open_side(0, 0, path_to_side, &o);
        while (true) {
            const int side = next_side(&o);
            if (side < 0) {
                measure_inner(o);
                if (depth == 0) return;
                o = stack[--depth];
            } else if (o.level + o.levels == index.levels) {
                const uint32_t at = __shfl_sync(~0u, o.start, side) + (uint32_t)lane();
                nearest.add_near(measure(at < __shfl_sync(~0u, o.end, side), at));
            } else {
#pragma unroll
                for (int c = 0; c < DIM; c++) path_to_side.away[c] = __shfl_sync(~0u, o.path_to_side.away[c], side);
                stack[depth++] = o;
                open_side(side_of(o, side), o.level + o.levels, path_to_side, &o);
            }
        }
    }
};

#endif
