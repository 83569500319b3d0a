/* A warp's walk for one query: few queries do not fill a device with a thread each. A step opens a subtree of the index
 * of some levels: each lane finds how far one of the sides below is. These are then visited, the nearest first: leaves
 * are measured, a node a lane; other sides are opened, while the rest waits. Lane i keeps the i-th nearest so far.
 * Bounds are those of index_walk.cuh. */
#ifndef BI_KDTREE_CUDA_SEARCH_WARP_WALK_CUH
#define BI_KDTREE_CUDA_SEARCH_WARP_WALK_CUH

#include "kdtree/cuda/search/index_walk.cuh"
#include "kdtree/cuda/search/nearest_list.cuh"

enum {
    BI_KDTREE_OPENED_LEVELS = 5, /* at a time, so that each lane has a side */
    BI_KDTREE_MOST_OPENED = 6,   /* at once, one below the other */
    BI_KDTREE_FEW_NEARER = 16    /* nodes of a leaf that are taken one after the other */
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

/* Numbers that order distances, which are not negative. */
__device__ __forceinline__ uint32_t bi_kdtree_ordered_bits(float d) { return bi_f32_bits(d); }
__device__ __forceinline__ uint64_t bi_kdtree_ordered_bits(double d) { return bi_f64_bits(d); }

/* The nearest so far, in order, one a lane; the first k count. All lanes of a warp call these. */
template <class D> struct bi_kdtree_nearest_lanes {
    typedef bi_kdtree_neighbour<D> neighbour;
    neighbour mine, last; /* last: that of lane k - 1 */
    int k;

    __device__ __forceinline__ void clear(int count)
    {
        k = count;
        mine = last = neighbour::of((D)INFINITY, BI_KDTREE_NONE);
    }

    /* Of two lanes the one keeps the nearer, the other the farther. */
    static __device__ __forceinline__ void exchange(neighbour &x, int step, bool nearer)
    {
        const neighbour other = bi_kdtree_of_lane(x, (int)(threadIdx.x % 32) ^ step);
        x = other.before(x) == nearer ? other : x;
    }

    /* Takes one of each lane in, as bi_kdtree_nearest_list does. */
    __device__ __forceinline__ void add_all(neighbour x)
    {
        const int lane = threadIdx.x % 32;
#pragma unroll
        for (int run = 2; run <= 32; run *= 2)
#pragma unroll
            for (int step = run / 2; step > 0; step /= 2) exchange(x, step, !(lane & step) == !(lane & run));
        const neighbour other = bi_kdtree_of_lane(x, 31 - lane);
        mine = other.before(mine) ? other : mine;
#pragma unroll
        for (int step = 16; step > 0; step /= 2) exchange(mine, step, !(lane & step));
    }

    __device__ __forceinline__ void add(const neighbour &x)
    {
        const int lane = threadIdx.x % 32;
        const neighbour before = bi_kdtree_of_lane(mine, lane > 0 ? lane - 1 : 0);
        if (x.before(mine)) mine = lane > 0 && x.before(before) ? before : x;
    }

    /* Takes what is near enough of one of each lane. */
    __device__ __forceinline__ void take(const neighbour &x)
    {
        const uint32_t near = __ballot_sync(~0u, x.before(last));
        if (__popc(near) > BI_KDTREE_FEW_NEARER)
            add_all(x);
        else
            for (uint32_t left = near; left; left &= left - 1) add(bi_kdtree_of_lane(x, __ffs((int)left) - 1));
        if (near) last = bi_kdtree_of_lane(mine, k - 1);
    }

    __device__ __forceinline__ void write(int64_t row, void *ids, D *dist2, bool wide) const
    {
        const int lane = threadIdx.x % 32;
        if (lane < k) bi_kdtree_write_neighbour(mine, row * k + lane, ids, dist2, wide);
    }
};

/* A subtree that is opened, and a side below it for each lane. */
template <class D, int DIM> struct bi_kdtree_opened {
    uint32_t root;
    int level, levels;          /* of the root; down to the sides */
    bool waits;                 /* the side is not visited */
    D bound;                    /* no node of the side is nearer */
    bi_kdtree_path<D, DIM> way; /* to the side */
    uint32_t start, end;        /* nodes of the side, if it is a leaf */
};

template <class T, int DIM> struct bi_kdtree_warp_walk {
    typedef bi_kdtree_node_reader<T, DIM> space;
    typedef typename space::D D;
    typedef bi_kdtree_opened<D, DIM> opened;

    const bi_kdtree_array nodes;
    const bi_kdtree_cuda_index index;
    D q[DIM];
    D limit;
    uint32_t odd_levels;
    bi_kdtree_nearest_lanes<D> nearest;

    __device__ __forceinline__ int lane() const { return threadIdx.x % 32; }

    /* Node `at` as a neighbour. */
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
               !bi_kdtree_neighbour<D>::of(bound, bi_kdtree_floor_of(index, side)).before(nearest.last);
    }

    static __device__ __forceinline__ uint32_t side_of(const opened &o, int number)
    {
        return ((o.root + 1) << o.levels) + (uint32_t)number - 1;
    }

    /* Opens the subtree of a node of the index, to which `way` leads. */
    __device__ __forceinline__ void open(uint32_t root, int level, bi_kdtree_path<D, DIM> way, opened *o) const
    {
        o->root = root;
        o->level = level;
        o->levels = (index.levels - level) % BI_KDTREE_OPENED_LEVELS;
        if (o->levels == 0 && level < index.levels) o->levels = BI_KDTREE_OPENED_LEVELS;
        o->waits = lane() >> o->levels == 0;
        const int number = o->waits ? lane() : 0;
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
            const int c = odd_levels >> (level + i) & 1 ? index.axes[node] : (level + i) % DIM;
            const bool less = !(own & 1);
            way = way.with(c, bi_kdtree_gap<D>(bi_kdtree_component<D, DIM>(q, c), (D)(less ? s.low : s.beyond),
                                               (D)(less ? s.split : s.high)));
        }
        o->way = way;
        o->bound = way.bound();
        if (!(o->bound < (D)INFINITY)) o->bound = (D)INFINITY; /* not NaN */
    }

    /* The next side to visit; -1: none is left. */
    __device__ __forceinline__ int next(opened *o) const
    {
        const auto none = ~bi_kdtree_ordered_bits((D)0);
        o->waits = o->waits && !skips(o->bound, side_of(*o, lane()));
        const auto mine = o->waits ? bi_kdtree_ordered_bits(o->bound) : none, least = bi_warp_least(mine);
        if (least == none) return -1;
        const int chosen = __ffs((int)__ballot_sync(~0u, mine == least)) - 1;
        if (lane() == chosen) o->waits = false;
        return chosen;
    }

    /* Measures the nodes of the index that were opened. */
    __device__ __forceinline__ void measure_opened(const opened &o)
    {
        const uint32_t number = (uint32_t)lane() + 1, level = 31 - __clz((int)number),
                       node = ((o.root + 1) << level | (number - (1u << level))) - 1;
        const bool any = number >> o.levels == 0;
        nearest.take(measure(any, any ? bi_kdtree_heap_position(index, node, o.level + (int)level) : 0));
    }

    __device__ __forceinline__ void run()
    {
        const bi_kdtree_root<T, DIM> &root = *static_cast<const bi_kdtree_root<T, DIM> *>(index.root);
        bi_kdtree_path<D, DIM> way;
        opened o, waiting[BI_KDTREE_MOST_OPENED];
        int depth = 0;
        odd_levels = root.odd_levels;
#pragma unroll
        for (int c = 0; c < DIM; c++) way.away[c] = bi_kdtree_gap<D>(q[c], (D)root.box.low[c], (D)root.box.high[c]);
        open(0, 0, way, &o);
        while (true) {
            const int side = next(&o);
            if (side < 0) {
                measure_opened(o);
                if (depth == 0) return;
                o = waiting[--depth];
            } else if (o.level + o.levels == index.levels) {
                const uint32_t at = __shfl_sync(~0u, o.start, side) + (uint32_t)lane();
                nearest.take(measure(at < __shfl_sync(~0u, o.end, side), at));
            } else {
#pragma unroll
                for (int c = 0; c < DIM; c++) way.away[c] = __shfl_sync(~0u, o.way.away[c], side);
                waiting[depth++] = o;
                open(side_of(o, side), o.level + o.levels, way, &o);
            }
        }
    }
};

#endif
