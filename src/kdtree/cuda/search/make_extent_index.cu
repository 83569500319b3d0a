/* Makes the index of nodes in the order by extent: boxes from the leaves up, a block for each subtree of some levels.
 * Heap nodes above are made from the subtrees of blocks. */
#include "core/cuda/warp.cuh"
#include "kdtree/cuda/search/extent_index.cuh"

enum {
    INDEX_THREADS = 256,
    INDEX_LEAVES = 1 << BI_KDTREE_EXTENT_BLOCK_LEVELS,
    TOP_LEVELS = 8,
    TOP_BOXES = 1 << TOP_LEVELS
};

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
    subtree<DIM> at[2 * INDEX_LEAVES]; /* by heap node, within the block */
};

/* A block makes the subtree of 2^depth leaves, and writes its summary to a.index.tops. The grid covers all leaves.
 * bi_kdtree_extent_tops makes the heap nodes above. */
template <class T, int DIM>
static __global__ void __launch_bounds__(INDEX_THREADS) bi_kdtree_extent_leaves(const index_args a, int depth)
{
    BI_SHARED(leaves_shared<DIM>, sh);
    typename bi_kdtree_distance_of<T>::type origin[DIM];
    const int count = 1 << depth;
    const uint32_t first = blockIdx.x << depth, leaves = 1u << a.index.levels;
    /* 1. A warp reduces a leaf; the barrier makes them visible. */
    bi_kdtree_load_origin<T, DIM>(a.nodes, a.n, origin);
    for (int i = (int)threadIdx.x / 32; i < count; i += INDEX_THREADS / 32) {
        const subtree<DIM> s = reduce_leaf<T, DIM>(a, origin, first + (uint32_t)i);
        if (threadIdx.x % 32 != 0) continue;
        sh.at[count + i] = s;
        write_subtree<DIM>(a, s, leaves + first + (uint32_t)i);
    }
    __syncthreads();
    /* 2. Combine children level by level, a thread a heap node; each barrier completes a level. */
    for (int l = depth - 1; l >= 0; l--) {
        const int i = (int)threadIdx.x, t = (1 << l) + i;
        if (i >> l == 0)
            sh.at[t] = combine_children<DIM>(a, sh.at[2 * t], sh.at[2 * t + 1],
                                             ((leaves + first) >> (depth - l)) + (uint32_t)i);
        __syncthreads();
    }
    if (threadIdx.x == 0) static_cast<subtree<DIM> *>(a.index.tops)[blockIdx.x] = sh.at[1];
}

template <int DIM> struct tops_shared {
    subtree<DIM> at[TOP_BOXES];
};

/* A block combines 2^depth subtrees of level `from`, the array `in`, to one. Shared memory holds half of them, so the
 * first level reads `in`; each barrier completes a level. */
template <int DIM>
static __global__ void __launch_bounds__(INDEX_THREADS)
    bi_kdtree_extent_tops(const index_args a, const subtree<DIM> *in, int from, int depth, subtree<DIM> *out)
{
    BI_SHARED(tops_shared<DIM>, sh);
    in += (size_t)blockIdx.x << depth;
    for (int l = depth - 1; l >= 0; l--) {
        const int i = (int)threadIdx.x, t = (1 << l) + i, level = from - depth + l;
        if (i >> l == 0) {
            const bool first = l == depth - 1;
            const uint32_t h = (1u << level) + (blockIdx.x << l) + (uint32_t)i;
            sh.at[t] =
                combine_children<DIM>(a, first ? in[2 * i] : sh.at[2 * t], first ? in[2 * i + 1] : sh.at[2 * t + 1], h);
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) out[blockIdx.x] = sh.at[1];
}

template <class T, int DIM> static bosc_status launch_levels(bosc_ctx *ctx, const index_args &a)
{
    typedef subtree<DIM> item;
    auto leaves = bi_kdtree_extent_leaves<T, DIM>;
    auto tops = bi_kdtree_extent_tops<DIM>;
    int depth = a.index.levels < BI_KDTREE_EXTENT_BLOCK_LEVELS ? a.index.levels : BI_KDTREE_EXTENT_BLOCK_LEVELS,
        level = a.index.levels - depth;
    item *in = static_cast<item *>(a.index.tops), *out = in + ((size_t)1 << level);
    BI_TRY(BI_RUN(ctx, leaves, 1u << level, INDEX_THREADS, 0, a, depth));
    while (level > 0) {
        depth = level < TOP_LEVELS ? level : TOP_LEVELS;
        BI_TRY(BI_RUN(ctx, tops, 1u << (level - depth), INDEX_THREADS, 0, a, in, level, depth, out));
        level -= depth;
        item *made = out;
        out = in;
        in = made;
    }
    return BOSC_OK;
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
