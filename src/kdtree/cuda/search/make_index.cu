/* Makes the index of searches: boxes from the leaves up, a block for each subtree of some levels. From the boxes of its
 * two sides each node takes the intervals that the index stores. */
#include "core/cuda/warp.cuh"
#include "kdtree/cuda/search/index_levels.cuh"
#include "kdtree/cuda/search/wide_boxes.cuh"

size_t bi_kdtree_cuda_index_bytes(const bosc_kdtree_opts *opts, int64_t n)
{
    size_t bytes = 0;
    if (n <= 0) return 0;
    if (bi_kdtree_has_index(opts)) bi_kdtree_cuda_index_at(nullptr, opts, n, &bytes);
    if (bi_kdtree_has_wide_boxes(opts)) bi_kdtree_wide_index_at(nullptr, opts, n, &bytes);
    return bytes;
}

template <class T, int DIM> struct subtree {
    bi_kdtree_box<T, DIM> box;
    uint32_t floor, odd_levels; /* floor: smallest id; odd_levels: as in bi_kdtree_root */
};

template <class T, int DIM> struct index_args {
    bi_kdtree_array nodes;
    bi_kdtree_cuda_index index;
    int64_t n;
};

/* Extends a subtree by a box and its smallest id. */
template <class T, int DIM>
__device__ __forceinline__ void extend_subtree(subtree<T, DIM> &a, const T *low, const T *high, uint32_t floor)
{
#pragma unroll
    for (int c = 0; c < DIM; c++) {
        a.box.low[c] = low[c] < a.box.low[c] ? low[c] : a.box.low[c];
        a.box.high[c] = high[c] > a.box.high[c] ? high[c] : a.box.high[c];
    }
    a.floor = min(a.floor, floor);
}

/* Writes the entries of a subtree that do not depend on its sides. */
template <class T, int DIM>
__device__ __forceinline__ void write_subtree(const index_args<T, DIM> &a, const subtree<T, DIM> &s, uint32_t h,
                                              int level)
{
    if (level <= a.index.floor_levels) a.index.floors[h] = s.floor;
    if (h == 0) *static_cast<bi_kdtree_root<T, DIM> *>(a.index.root) = {s.box, s.odd_levels};
}

/* Find the least and the greatest element of a warp. */
__device__ __forceinline__ void find_warp_range(float x, float *low, float *high)
{
    const uint32_t key = bi_key_u32_of_f32(x);
    *low = bi_f32_of_key(bi_warp_min(key));
    *high = bi_f32_of_key(bi_warp_max(key));
}
template <class T> __device__ __forceinline__ void find_warp_range(T x, T *low, T *high)
{
    *low = bi_warp_min(x);
    *high = bi_warp_max(x);
}

/* Returns the subtree of a leaf, the nodes [begin, end), not empty; called by a warp. */
template <class T, int DIM>
__device__ __forceinline__ subtree<T, DIM> reduce_leaf(const bi_kdtree_array &nodes, uint32_t begin, uint32_t end)
{
    const uint32_t at = min(begin + threadIdx.x % 32, end - 1);
    const bi_kdtree_node<T, DIM> p = bi_kdtree_node_reader<T, DIM>::load(nodes, at);
    subtree<T, DIM> s = {};
#pragma unroll
    for (int c = 0; c < DIM; c++) find_warp_range(p.x[c], &s.box.low[c], &s.box.high[c]);
    s.floor = bi_warp_min(bi_kdtree_node_reader<T, DIM>::id(nodes, at, p));
    return s;
}

/* A node of the heap, with its id. */
template <class T, int DIM> struct heap_node {
    T x[DIM];
    uint32_t id;
};

template <class T, int DIM>
__device__ __forceinline__ heap_node<T, DIM> load_heap_node(const bi_kdtree_array &nodes, uint32_t at)
{
    const bi_kdtree_node<T, DIM> p = bi_kdtree_node_reader<T, DIM>::load(nodes, at);
    heap_node<T, DIM> n;
#pragma unroll
    for (int c = 0; c < DIM; c++) n.x[c] = p.x[c];
    n.id = bi_kdtree_node_reader<T, DIM>::id(nodes, at, p);
    return n;
}

/* Returns the first coordinate, from `own` on, in which a box has extent; `own` if there is none. */
template <class T, int DIM> __device__ __forceinline__ int axis_of(const bi_kdtree_box<T, DIM> &box, int own)
{
    uint32_t flat = 0;
#pragma unroll
    for (int c = 0; c < DIM; c++) flat |= (uint32_t)(box.low[c] == box.high[c]) << c;
    if (flat == (1u << DIM) - 1) return own;
    while (flat >> own & 1) own = own + 1 == DIM ? 0 : own + 1;
    return own;
}

template <int DIM>
__device__ __forceinline__ void write_fork(const bi_kdtree_cuda_index &index, const subtree<float, DIM> &less,
                                           const subtree<float, DIM> &greater, uint32_t h,
                                           const heap_node<float, DIM> &own)
{
    bi_kdtree_fork<DIM> f;
#pragma unroll
    for (int c = 0; c < DIM; c++) {
        f.less_low[c] = less.box.low[c];
        f.less_high[c] = less.box.high[c];
        f.greater_low[c] = greater.box.low[c];
        f.greater_high[c] = greater.box.high[c];
        f.x[c] = own.x[c];
    }
    f.id = own.id;
    static_cast<bi_kdtree_fork<DIM> *>(index.forks)[h] = f;
}
template <class T, int DIM>
__device__ __forceinline__ void write_fork(const bi_kdtree_cuda_index &, const subtree<T, DIM> &,
                                           const subtree<T, DIM> &, uint32_t, const heap_node<T, DIM> &)
{
}

/* Writes node h of `level`, given its two sides and itself. Returns its subtree. */
template <class T, int DIM>
__device__ __forceinline__ subtree<T, DIM> combine_sides(const index_args<T, DIM> &a, const subtree<T, DIM> &less,
                                                         const subtree<T, DIM> &greater, uint32_t h, int level,
                                                         const heap_node<T, DIM> &own)
{
    bi_kdtree_sides<T> sides = {};
    subtree<T, DIM> s = less;
    extend_subtree<T, DIM>(s, greater.box.low, greater.box.high, greater.floor);
    extend_subtree<T, DIM>(s, own.x, own.x, own.id);
    const int coordinate = (level + a.index.first) % DIM, axis = axis_of<T, DIM>(s.box, coordinate);
#pragma unroll
    for (int c = 0; c < DIM; c++)
        if (c == axis) sides = {less.box.low[c], own.x[c], greater.box.low[c], greater.box.high[c]};
    static_cast<bi_kdtree_sides<T> *>(a.index.sides)[h] = sides;
    a.index.axes[h] = (uint8_t)axis;
    s.odd_levels |= greater.odd_levels | (uint32_t)(axis != coordinate) << level;
    write_fork(a.index, less, greater, h, own);
    write_subtree<T, DIM>(a, s, h, level);
    return s;
}

template <class T, int DIM> struct leaves_shared {
    uint32_t begins[BI_KDTREE_INDEX_LEAVES + 1];
    subtree<T, DIM> at[2 * BI_KDTREE_INDEX_LEAVES]; /* by heap index + 1, within the block */
    heap_node<T, DIM> own[BI_KDTREE_INDEX_LEAVES];  /* between leaf i and the next */
};

/* A block makes the subtree of 2^depth leaves, and writes its summary to a.index.tops. The grid covers all leaves.
 * bi_kdtree_index_tops makes the nodes above. */
template <class T, int DIM>
static __global__ void __launch_bounds__(BI_KDTREE_INDEX_THREADS)
    bi_kdtree_index_leaves(const index_args<T, DIM> a, int depth)
{
    typedef leaves_shared<T, DIM> shared;
    BI_SHARED(shared, sh);
    const int count = 1 << depth, root_level = a.index.levels - depth;
    const uint32_t first = blockIdx.x << depth, leaves = 1u << a.index.levels;
    /* 1. Find the begins of the leaves; the barrier makes them visible. */
    for (int i = (int)threadIdx.x; i <= count; i += BI_KDTREE_INDEX_THREADS) {
        const uint32_t leaf = first + (uint32_t)i;
        sh.begins[i] = (uint32_t)(leaf < leaves ? bi_kdtree_subtree(a.n, a.index.levels, leaf).begin : a.n + 1);
        if (i < count || leaf == leaves) a.index.leaves[leaf] = sh.begins[i];
    }
    __syncthreads();
    /* 2. Load the nodes between leaves; a warp reduces a leaf. The barrier makes both visible. */
    if ((int)threadIdx.x < count - 1)
        sh.own[threadIdx.x] = load_heap_node<T, DIM>(a.nodes, sh.begins[threadIdx.x + 1] - 1);
    for (int i = (int)threadIdx.x / 32; i < count; i += BI_KDTREE_INDEX_THREADS / 32) {
        const subtree<T, DIM> s = reduce_leaf<T, DIM>(a.nodes, sh.begins[i], sh.begins[i + 1] - 1);
        if (threadIdx.x % 32 != 0) continue;
        sh.at[count + i] = s;
        write_subtree<T, DIM>(a, s, leaves - 1 + first + (uint32_t)i, a.index.levels);
    }
    __syncthreads();
    /* 3. Combine sides. A node lies between the leaves of its sides. */
    auto combine = [&](int l, int i, const subtree<T, DIM> &less, const subtree<T, DIM> &greater) {
        return combine_sides<T, DIM>(a, less, greater, (1u << (root_level + l)) - 1 + (blockIdx.x << l) + (uint32_t)i,
                                     root_level + l, sh.own[((2 * i + 1) << (depth - l - 1)) - 1]);
    };
    bi_kdtree_combine_levels(sh.at, sh.at + count, depth, combine);
    if (threadIdx.x == 0) static_cast<subtree<T, DIM> *>(a.index.tops)[blockIdx.x] = sh.at[1];
}

template <class T, int DIM> struct tops_shared {
    subtree<T, DIM> at[BI_KDTREE_INDEX_TOP_ITEMS];
};

/* A block combines 2^depth subtrees of level `from`, the array `in`, to one. Shared memory holds half of them. */
template <class T, int DIM>
static __global__ void __launch_bounds__(BI_KDTREE_INDEX_THREADS)
    bi_kdtree_index_tops(const index_args<T, DIM> a, const subtree<T, DIM> *in, int from, int depth,
                         subtree<T, DIM> *out)
{
    typedef tops_shared<T, DIM> shared;
    BI_SHARED(shared, sh);
    auto combine = [&](int l, int i, const subtree<T, DIM> &less, const subtree<T, DIM> &greater) {
        const int level = from - depth + l;
        const uint32_t h = (1u << level) - 1 + (blockIdx.x << l) + (uint32_t)i;
        return combine_sides<T, DIM>(a, less, greater, h, level,
                                     load_heap_node<T, DIM>(a.nodes, bi_kdtree_heap_position(a.index, h, level)));
    };
    bi_kdtree_combine_levels(sh.at, in + ((size_t)blockIdx.x << depth), depth, combine);
    if (threadIdx.x == 0) out[blockIdx.x] = sh.at[1];
}

template <class T, int DIM> static bosc_status launch_tree(bosc_ctx *ctx, const bosc_kdtree *tree)
{
    const index_args<T, DIM> a = {bi_kdtree_array_of(tree), bi_kdtree_cuda_index_of(tree), tree->nodes};
    return bi_kdtree_launch_levels<subtree<T, DIM>>(ctx, a, bi_kdtree_index_leaves<T, DIM>,
                                                    bi_kdtree_index_tops<T, DIM>);
}

template <class T> static bosc_status launch_dim(bosc_ctx *ctx, const bosc_kdtree *tree)
{
    switch (tree->opts.dim) {
    case 1: return launch_tree<T, 1>(ctx, tree);
    case 2: return launch_tree<T, 2>(ctx, tree);
    case 3: return launch_tree<T, 3>(ctx, tree);
    default: return launch_tree<T, 4>(ctx, tree);
    }
}

static bosc_status launch_typed(bosc_ctx *ctx, const bosc_kdtree *tree)
{
    switch (tree->opts.dtype) {
    case BOSC_F32: return launch_dim<float>(ctx, tree);
    case BOSC_F64: return launch_dim<double>(ctx, tree);
    case BOSC_I32: return launch_dim<int32_t>(ctx, tree);
    default: return launch_dim<int64_t>(ctx, tree);
    }
}

/* Samples a tree that the builder of AUTO has not sampled: it was sorted or loaded, and so waited for. The scratch of
 * the index holds the sums. */
static bosc_status sample_tree(bosc_ctx *ctx, bosc_kdtree *tree)
{
    uint32_t *at = static_cast<uint32_t *>(bi_kdtree_cuda_index_of(tree).tops), narrow[2];
    BI_TRY(ctx->backend->fill(ctx, at, 0, sizeof narrow));
    BI_TRY(bi_kdtree_cuda_count_narrow(ctx, tree, at));
    BI_TRY(bi_read_back(ctx, narrow, at, sizeof narrow));
    tree->mixing = bi_kdtree_cuda_mixing_of(narrow);
    return BOSC_OK;
}

bosc_status bi_kdtree_cuda_launch_index(bosc_ctx *ctx, const bosc_kdtree *tree) { return launch_typed(ctx, tree); }

bosc_status bi_kdtree_cuda_make_index(bosc_ctx *ctx, bosc_kdtree *tree)
{
    if (tree->nodes == 0) return BOSC_OK;
    if (bi_kdtree_has_wide_boxes(&tree->opts)) return bi_kdtree_make_wide_boxes(ctx, tree);
    if (!bi_kdtree_has_index(&tree->opts)) return BOSC_OK;
    if (!tree->indexed) BI_TRY(launch_typed(ctx, tree));
    if (tree->mixing != BI_KDTREE_NOT_SAMPLED || !bi_kdtree_cuda_samples_order(ctx, &tree->opts, tree->nodes) ||
        ctx->backend->records(ctx))
        return BOSC_OK;
    return sample_tree(ctx, tree);
}
