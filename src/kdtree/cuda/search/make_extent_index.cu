/* Makes the index of nodes in the order by extent: boxes from the leaves up, a block for each subtree of some levels.
 * Heap nodes above are made from the subtrees of blocks. */
#include "core/cuda/warp.cuh"
#include "kdtree/cuda/search/extent_index.cuh"
#include "kdtree/cuda/search/index_levels.cuh"

/* A subtree of the heap. */
template <int DIM> struct subtree {
    bi_kdtree_float_box<DIM> box;
    uint32_t floor; /* smallest id */
};

struct index_args {
    bi_kdtree_array nodes;
    bi_kdtree_extent_index index;
    uint32_t n;
};

/* Writes the entries of a subtree that do not depend on its children. */
template <int DIM> __device__ __forceinline__ void write_subtree(const index_args &a, const subtree<DIM> &s, uint32_t h)
{
    if (bi_kdtree_level_of(h) <= a.index.floor_levels) a.index.floors[h] = s.floor;
    if (h == 1) static_cast<bi_kdtree_box_pair<DIM> *>(a.index.pairs)[0].child[1] = s.box;
}

/* Find the bounds of one coordinate of the nodes of a warp. */
__device__ __forceinline__ void find_warp_bounds(float, float x, float *low, float *high)
{
    const uint32_t key = bi_key_u32_of_f32(x);
    *low = bi_f32_of_key(bi_warp_min(key));
    *high = bi_f32_of_key(bi_warp_max(key));
}
__device__ __forceinline__ void find_warp_bounds(double origin, double x, float *low, float *high)
{
    *low = bi_f32_of_key(bi_warp_min(bi_key_u32_of_f32(bi_kdtree_round_low(origin, x))));
    *high = bi_f32_of_key(bi_warp_max(bi_key_u32_of_f32(bi_kdtree_round_high(origin, x))));
}

/* Returns the subtree of a leaf; called by a warp. The box of no nodes is far from all. */
template <class T, int DIM>
__device__ __forceinline__ subtree<DIM>
reduce_leaf(const index_args &a, const typename bi_kdtree_distance_of<T>::type *origin, uint32_t leaf)
{
    typedef typename bi_kdtree_distance_of<T>::type D;
    const uint32_t begin = bi_kdtree_begin_of_leaf(leaf, a.n);
    subtree<DIM> s = {};
    if (begin == a.n) {
#pragma unroll
        for (int c = 0; c < DIM; c++) s.box.low[c] = -(s.box.high[c] = -INFINITY);
        s.floor = BI_KDTREE_NONE;
        return s;
    }
    const uint32_t at = begin + min(threadIdx.x % 32, bi_kdtree_size_of_leaf(begin, a.n) - 1);
    const bi_kdtree_node<T, DIM> p = bi_kdtree_node_reader<T, DIM>::load(a.nodes, at);
#pragma unroll
    for (int c = 0; c < DIM; c++) find_warp_bounds(origin[c], (D)p.x[c], &s.box.low[c], &s.box.high[c]);
    s.floor = bi_warp_min(bi_kdtree_node_reader<T, DIM>::id(a.nodes, at, p));
    return s;
}

/* Writes heap node h, given its children. Returns its subtree. The plane that splits it is about the least of the
 * second child in the widest coordinate. */
template <int DIM>
__device__ __forceinline__ subtree<DIM> combine_children(const index_args &a, const subtree<DIM> &less,
                                                         const subtree<DIM> &greater, uint32_t h)
{
    const subtree<DIM> s = {bi_kdtree_join<DIM>(less.box, greater.box), min(less.floor, greater.floor)};
    static_cast<bi_kdtree_box_pair<DIM> *>(a.index.pairs)[h] = {{less.box, greater.box}};
    if (bi_kdtree_level_of(h) < a.index.split_levels) {
        const int axis = bi_kdtree_widest<DIM>(s.box);
        const float split = bi_kdtree_component<float, DIM>(greater.box.low, axis);
        a.index.splits[h] = (bi_f32_bits(split) & ~3u) | (uint32_t)axis;
    }
    write_subtree<DIM>(a, s, h);
    return s;
}

template <int DIM> struct leaves_shared {
    subtree<DIM> at[2 * BI_KDTREE_INDEX_LEAVES]; /* by heap node, within the block */
};

/* A block makes the subtree of 2^depth leaves, and writes its summary to a.index.tops. The grid covers all leaves.
 * bi_kdtree_extent_tops makes the heap nodes above. */
template <class T, int DIM>
static __global__ void __launch_bounds__(BI_KDTREE_INDEX_THREADS) bi_kdtree_extent_leaves(const index_args a, int depth)
{
    BI_SHARED(leaves_shared<DIM>, sh);
    typename bi_kdtree_distance_of<T>::type origin[DIM];
    const int count = 1 << depth;
    const uint32_t first = blockIdx.x << depth, leaves = 1u << a.index.levels;
    /* 1. A warp reduces a leaf; the barrier makes them visible. */
    bi_kdtree_load_origin<T, DIM>(a.nodes, a.n, origin);
    for (int i = (int)threadIdx.x / 32; i < count; i += BI_KDTREE_INDEX_THREADS / 32) {
        const subtree<DIM> s = reduce_leaf<T, DIM>(a, origin, first + (uint32_t)i);
        if (threadIdx.x % 32 != 0) continue;
        sh.at[count + i] = s;
        write_subtree<DIM>(a, s, leaves + first + (uint32_t)i);
    }
    __syncthreads();
    /* 2. Combine children. */
    auto combine = [&](int l, int i, const subtree<DIM> &less, const subtree<DIM> &greater) {
        return combine_children<DIM>(a, less, greater, ((leaves + first) >> (depth - l)) + (uint32_t)i);
    };
    bi_kdtree_combine_levels(sh.at, sh.at + count, depth, combine);
    if (threadIdx.x == 0) static_cast<subtree<DIM> *>(a.index.tops)[blockIdx.x] = sh.at[1];
}

template <int DIM> struct tops_shared {
    subtree<DIM> at[BI_KDTREE_INDEX_TOP_ITEMS];
};

/* A block combines 2^depth subtrees of level `from`, the array `in`, to one. Shared memory holds half of them. */
template <int DIM>
static __global__ void __launch_bounds__(BI_KDTREE_INDEX_THREADS)
    bi_kdtree_extent_tops(const index_args a, const subtree<DIM> *in, int from, int depth, subtree<DIM> *out)
{
    BI_SHARED(tops_shared<DIM>, sh);
    auto combine = [&](int l, int i, const subtree<DIM> &less, const subtree<DIM> &greater) {
        return combine_children<DIM>(a, less, greater, (1u << (from - depth + l)) + (blockIdx.x << l) + (uint32_t)i);
    };
    bi_kdtree_combine_levels(sh.at, in + ((size_t)blockIdx.x << depth), depth, combine);
    if (threadIdx.x == 0) out[blockIdx.x] = sh.at[1];
}

template <class T, int DIM> static bosc_status launch_levels(bosc_ctx *ctx, const index_args &a)
{
    return bi_kdtree_launch_levels<subtree<DIM>>(ctx, a, bi_kdtree_extent_leaves<T, DIM>, bi_kdtree_extent_tops<DIM>);
}

template <class T> static bosc_status launch_dim(bosc_ctx *ctx, const bosc_kdtree *order)
{
    const index_args a = {bi_kdtree_array_of(order), bi_kdtree_extent_index_of(order), (uint32_t)order->nodes};
    switch (order->opts.dim) {
    case 2: return launch_levels<T, 2>(ctx, a);
    case 3: return launch_levels<T, 3>(ctx, a);
    default: return launch_levels<T, 4>(ctx, a);
    }
}

bosc_status bi_kdtree_make_extent_index(bosc_ctx *ctx, const bosc_kdtree *order)
{
    switch (order->opts.dtype) {
    case BOSC_F32: return launch_dim<float>(ctx, order);
    case BOSC_F64: return launch_dim<double>(ctx, order);
    case BOSC_I32: return launch_dim<int32_t>(ctx, order);
    default: return launch_dim<int64_t>(ctx, order);
    }
}
