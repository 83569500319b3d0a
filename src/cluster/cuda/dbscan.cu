/* DBSCAN with a warp a block: a lane has a node of the block, and all lanes walk the same boxes. A box is entered if it
 * is in reach of a lane, so that no lane waits for the walk of another one; the nodes of a block in reach are loaded
 * once for all lanes. The walks keep no stack: box h + 1, in binary, is its path from the root. */
#include "cluster/cuda/dbscan.cuh"
#include "core/cuda/warp.cuh"

enum {
    THREADS = 128, /* not measured */
    WARPS = THREADS / 32
};

static_assert((int)BI_KDTREE_BLOCK_NODES <= 32, "a lane has one node");

/* --- Distances ---------------------------------------------------------------------------------------------------- */

/* A lane's node compared with a box. */
struct reach {
    bool some; /* a node of the box may be within eps */
    bool all;  /* all nodes of the box are within eps */
};

/* Squares of floats in 2 to 4 dimensions, from the vectors that trees keep: by the operations of bi_kdtree_measure_row.
 * Rounding is monotonic, so no node in a box is nearer than the box, nor farther than its farthest corner. */
template <int DIM> struct float_space {
    float q[DIM], limit;

    static __device__ __forceinline__ void load(const bi_dbscan &a, int64_t i, float (&x)[DIM])
    {
        if (DIM == 2) {
            const float2 v = static_cast<const float2 *>(a.blocks.view.points)[i];
            x[0] = v.x;
            x[1] = v.y;
            return;
        }
        const float4 v = static_cast<const float4 *>(a.blocks.view.points)[i];
        const float all[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
        for (int c = 0; c < DIM; c++) x[c] = all[c];
    }

    __device__ __forceinline__ float_space(const bi_dbscan &a, int64_t i) : limit((float)a.limit) { load(a, i, q); }

    __device__ __forceinline__ bool is_within(const bi_dbscan &a, int64_t j) const
    {
        float x[DIM], sum = 0;
        load(a, j, x);
#pragma unroll
        for (int c = 0; c < DIM; c++) sum += (q[c] - x[c]) * (q[c] - x[c]);
        return (sum == sum ? sum : (float)INFINITY) <= limit;
    }

    __device__ __forceinline__ reach compare(const bi_dbscan &a, int64_t h) const
    {
        const float *box = static_cast<const float *>(a.blocks.boxes) + 2 * h * DIM;
        float near = 0, far = 0;
        bool finite = true;
#pragma unroll
        for (int c = 0; c < DIM; c++) {
            const float low = box[c], high = box[DIM + c], up = q[c] - low, down = high - q[c],
                        gap = q[c] < low    ? low - q[c]
                              : q[c] > high ? q[c] - high
                                            : 0,
                        most = up > down ? up : down;
            finite = finite && up == up && down == down;
            near += gap * gap;
            far += most * most;
        }
        return {near <= limit, finite && far <= limit};
    }
};

/* Any metric, type and dimension, by the functions of the steps. */
struct any_space {
    int64_t node;

    __device__ __forceinline__ any_space(const bi_dbscan &, int64_t i) : node(i) {}

    __device__ __forceinline__ bool is_within(const bi_dbscan &a, int64_t j) const
    {
        return bi_dbscan_is_within(&a, node, j);
    }

    __device__ __forceinline__ reach compare(const bi_dbscan &a, int64_t h) const
    {
        const int32_t used = a.blocks.used;
        const double *q = a.points + node * a.blocks.view.dim;
        double gaps[BI_KDTREE_BOX_COORDINATES];
        if (!bi_dbscan_may_reach(&a, node, h)) return {false, false};
        if (used < a.blocks.view.dim) return {true, false};
        for (int32_t c = 0; c < used; c++)
            gaps[c] = bi_kdtree_most_gap(&a.metric, c, q[c], bi_kdtree_box_coordinate(&a.blocks, h, c),
                                         bi_kdtree_box_coordinate(&a.blocks, h, used + c));
        const double grow = bi_kdtree_is_relative(a.metric.kind) ? a.metric.grow : 1;
        return {true, bi_kdtree_measure_gaps(&a.metric, gaps, used) * grow <= a.limit};
    }
};

/* --- Walks -------------------------------------------------------------------------------------------------------- */

/* The nodes of a warp's block. Lanes without a node have the first one, and are not `live`. */
struct warp_block {
    int64_t box, begin, node;
    bool live;

    __device__ __forceinline__ bool find(const bi_dbscan &a, int64_t s)
    {
        const uint32_t lane = threadIdx.x % 32;
        begin = a.blocks.begins[s];
        const int64_t end = a.blocks.begins[s + 1];
        box = bi_dbscan_first_block(&a) + s;
        live = begin + lane < end;
        node = live ? begin + lane : begin;
        return begin < end;
    }
};

/* Returns the warp's number in the grid. */
static __device__ __forceinline__ int64_t warp_number() { return blockIdx.x * (int64_t)WARPS + threadIdx.x / 32; }

/* Visits boxes of the subtree of `top`, in depth-first order. visit.enter(h): true if the boxes below h are visited
 * too; it is called by all lanes, which all return the same. visit.is_done(): ends the walk. */
template <class VISIT> static __device__ __forceinline__ void walk_subtree(int64_t top, VISIT &visit)
{
    const uint64_t root = (uint64_t)top + 1;
    for (uint64_t path = root; !visit.is_done();) {
        if (visit.enter((int64_t)path - 1)) {
            path *= 2;
            continue;
        }
        while (path > root && path % 2 == 1) path /= 2;
        if (path == root) return;
        path++;
    }
}

/* Visits the block, then the subtrees of the siblings on the path to the root. */
template <class VISIT> static __device__ __forceinline__ void walk_all(int64_t box, VISIT &visit)
{
    walk_subtree(box, visit);
    for (int64_t h = box; h > 0 && !visit.is_done(); h = (h - 1) / 2) walk_subtree(h % 2 ? h + 1 : h - 1, visit);
}

/* --- Core nodes --------------------------------------------------------------------------------------------------- */

/* Counts the nodes within eps of the lane's node, up to `need`. */
template <class SPACE> struct count_visit {
    const bi_dbscan &a;
    SPACE space;
    uint32_t count, need; /* a node is within eps of fewer than 2^32 - 1 nodes */
    bool open;            /* the lane's node may still become core */

    __device__ __forceinline__ bool is_done() const { return !__any_sync(~0u, open); }

    __device__ __forceinline__ bool enter(int64_t h)
    {
        const reach r = space.compare(a, h);
        const bool in_reach = open && r.some;
        if (!__any_sync(~0u, in_reach)) return false;
        const bool whole = __all_sync(~0u, !in_reach || r.all);
        if (!whole && h < bi_dbscan_first_block(&a)) return true;
        const bi_kdtree_range nodes = bi_kdtree_box_nodes(&a.blocks, h);
        if (whole) {
            if (in_reach) count += (uint32_t)(nodes.end - nodes.begin);
        } else {
            for (int64_t j = nodes.begin; j < nodes.end; j++)
                if (in_reach && space.is_within(a, j)) count++;
        }
        open = open && count < need;
        return false;
    }
};

/* Marks the core nodes of a block. */
template <class SPACE> static __global__ void __launch_bounds__(THREADS) bi_cluster_count(const bi_dbscan a)
{
    warp_block own;
    const int64_t s = warp_number();
    if (s >> a.blocks.levels || !own.find(a, s)) return;
    count_visit<SPACE> visit = {a, SPACE(a, own.node), 0,
                                a.min_samples < (double)UINT32_MAX ? (uint32_t)a.min_samples : UINT32_MAX, own.live};
    walk_all(own.box, visit);
    if (own.live) a.core[own.node] = visit.count >= visit.need;
}

/* --- Sets of core nodes ------------------------------------------------------------------------------------------- */

/* Unites the lane's node with node j, unless they are known to be in one set. *root: the lane's, as last seen. */
static __device__ __forceinline__ void unite(const bi_dbscan &a, int64_t node, int64_t j, uint32_t *root)
{
    if (bi_atomic_load_u32(&a.parent[j]) == *root) return;
    bi_uf_union(a.parent, (uint32_t)node, (uint32_t)j);
    *root = bi_uf_find(a.parent, (uint32_t)node);
}

/* Unites core nodes of a block within eps of each other, and stores the first core node of the block. */
template <class SPACE> static __global__ void __launch_bounds__(THREADS) bi_cluster_join_blocks(const bi_dbscan a)
{
    warp_block own;
    const int64_t s = warp_number();
    if (s >> a.blocks.levels) return;
    /* 1. Find the core nodes of the block. */
    const bool some = own.find(a, s), core = some && own.live && a.core[own.node];
    const uint32_t cores = __ballot_sync(~0u, core);
    if (threadIdx.x % 32 == 0) {
        a.some_core[own.box] = cores ? (uint32_t)(own.begin + __ffs((int)cores) - 1) : BI_CLUSTER_NONE;
        a.joined[own.box] = false;
    }
    if (!core) return;
    /* 2. Unite the lane's node with the core nodes of lower lanes. */
    const SPACE space(a, own.node);
    uint32_t root = (uint32_t)own.node;
    for (uint32_t others = cores & bi_lanes_below(); others; others &= others - 1) {
        const int64_t j = own.begin + __ffs((int)others) - 1;
        if (space.is_within(a, j)) unite(a, own.node, j, &root);
    }
}

/* Unites the core nodes of the warp's block with those of the boxes visited. */
template <class SPACE> struct join_visit {
    const bi_dbscan &a;
    SPACE space;
    int64_t box, node;
    uint32_t root; /* of the lane's node, as last seen */
    bool core;

    __device__ __forceinline__ bool is_done() const { return false; }

    /* True if the core nodes of the block and those of box h are in one set: as lane 0 sees it. */
    __device__ __forceinline__ bool is_one_set(int64_t h) const
    {
        bool one = a.joined[box] && a.joined[h];
        if (one) one = __shfl_sync(~0u, threadIdx.x % 32 == 0 && bi_dbscan_are_one_set(&a, box, h), 0);
        return one;
    }

    /* Unites the core nodes of the block with those of block h. Two joined blocks need one pair. */
    __device__ __forceinline__ void join_block(int64_t h, bool in_reach)
    {
        const bool one_is_enough = a.joined[box] && a.joined[h];
        const bi_kdtree_range nodes = bi_kdtree_box_nodes(&a.blocks, h);
        for (int64_t j = nodes.begin; j < nodes.end; j++) {
            if (!a.core[j]) continue;
            const bool near = in_reach && space.is_within(a, j);
            if (near) unite(a, node, j, &root);
            if (one_is_enough && __any_sync(~0u, near)) return;
        }
    }

    __device__ __forceinline__ bool enter(int64_t h)
    {
        if (a.some_core[h] == BI_CLUSTER_NONE) return false;
        const reach r = space.compare(a, h);
        const bool in_reach = core && r.some;
        if (!__any_sync(~0u, in_reach) || is_one_set(h)) return false;
        if (a.joined[box] && a.joined[h] && __any_sync(~0u, core && r.all)) {
            if (threadIdx.x % 32 == 0) bi_uf_union(a.parent, a.some_core[box], a.some_core[h]);
            return false;
        }
        if (h < bi_dbscan_first_block(&a)) return true;
        join_block(h, in_reach);
        return false;
    }
};

/* Unites the core nodes of a block with those of the greater siblings on its path, from a.level up to `last`. */
template <class SPACE>
static __global__ void __launch_bounds__(THREADS) bi_cluster_join_siblings(const bi_dbscan a, int32_t last)
{
    warp_block own;
    const int64_t s = warp_number();
    if (s >> a.blocks.levels || !own.find(a, s) || a.some_core[own.box] == BI_CLUSTER_NONE) return;
    const bool core = own.live && a.core[own.node];
    join_visit<SPACE> visit = {
        a, SPACE(a, own.node), own.box, own.node, core ? bi_uf_find(a.parent, (uint32_t)own.node) : 0, core};
    for (int32_t level = a.level; level >= last; level--) {
        const int64_t h = ((own.box + 1) >> (a.blocks.levels - level)) - 1;
        if (h % 2 == 0 || a.some_core[h + 1] == BI_CLUSTER_NONE) continue;
        const bool one = threadIdx.x % 32 == 0 && bi_dbscan_are_one_set(&a, h, h + 1);
        if (!__any_sync(~0u, one)) walk_subtree(h + 1, visit);
    }
}

/* --- Borders ------------------------------------------------------------------------------------------------------ */

/* Finds the lowest cluster of the core nodes within eps of the lane's node. */
template <class SPACE> struct border_visit {
    const bi_dbscan &a;
    SPACE space;
    uint32_t cluster; /* the lowest so far */
    bool open;

    __device__ __forceinline__ bool is_done() const { return false; }

    __device__ __forceinline__ bool enter(int64_t h)
    {
        const uint32_t some = a.some_core[h];
        if (some == BI_CLUSTER_NONE) return false;
        /* One set has one number, which lowers no other. */
        const bool in_reach = open && !(a.joined[h] && a.cluster[some] >= cluster) && space.compare(a, h).some;
        if (!__any_sync(~0u, in_reach)) return false;
        if (h < bi_dbscan_first_block(&a)) return true;
        const bi_kdtree_range nodes = bi_kdtree_box_nodes(&a.blocks, h);
        for (int64_t j = nodes.begin; j < nodes.end; j++)
            if (a.core[j] && in_reach && a.cluster[j] < cluster && space.is_within(a, j)) cluster = a.cluster[j];
        return false;
    }
};

/* Stores the clusters of a block's other nodes. */
template <class SPACE> static __global__ void __launch_bounds__(THREADS) bi_cluster_label_borders(const bi_dbscan a)
{
    warp_block own;
    const int64_t s = warp_number();
    if (s >> a.blocks.levels || !own.find(a, s)) return;
    border_visit<SPACE> visit = {a, SPACE(a, own.node), BI_CLUSTER_NONE, own.live && !a.core[own.node]};
    if (!__any_sync(~0u, visit.open)) return;
    walk_all(own.box, visit);
    if (visit.open) a.cluster[own.node] = visit.cluster;
}

/* --- Launches ----------------------------------------------------------------------------------------------------- */

enum pass { COUNT, JOIN_BLOCKS, JOIN_SIBLINGS, LABEL_BORDERS };

template <class SPACE> static bosc_status launch_pass(bosc_ctx *ctx, const bi_dbscan &a, enum pass pass, int32_t last)
{
    const unsigned grid = (unsigned)bi_div_up((int64_t)1 << a.blocks.levels, WARPS);
    auto count = bi_cluster_count<SPACE>;
    auto join_blocks = bi_cluster_join_blocks<SPACE>;
    auto join_siblings = bi_cluster_join_siblings<SPACE>;
    auto label_borders = bi_cluster_label_borders<SPACE>;
    switch (pass) {
    case COUNT: return BI_RUN(ctx, count, grid, THREADS, 0, a);
    case JOIN_BLOCKS: return BI_RUN(ctx, join_blocks, grid, THREADS, 0, a);
    case JOIN_SIBLINGS: return BI_RUN(ctx, join_siblings, grid, THREADS, 0, a, last);
    default: return BI_RUN(ctx, label_borders, grid, THREADS, 0, a);
    }
}

static bosc_status launch(bosc_ctx *ctx, const bi_dbscan &a, enum pass pass, int32_t last)
{
    if (a.metric.kind != BI_KDTREE_SQUARES_F32) return launch_pass<any_space>(ctx, a, pass, last);
    switch (a.blocks.view.dim) {
    case 2: return launch_pass<float_space<2>>(ctx, a, pass, last);
    case 3: return launch_pass<float_space<3>>(ctx, a, pass, last);
    case 4: return launch_pass<float_space<4>>(ctx, a, pass, last);
    default: return launch_pass<any_space>(ctx, a, pass, last);
    }
}

bosc_status bi_cluster_cuda_count(bosc_ctx *ctx, const bi_dbscan &a) { return launch(ctx, a, COUNT, 0); }

bosc_status bi_cluster_cuda_join_blocks(bosc_ctx *ctx, const bi_dbscan &a) { return launch(ctx, a, JOIN_BLOCKS, 0); }

bosc_status bi_cluster_cuda_join_siblings(bosc_ctx *ctx, const bi_dbscan &a, int32_t last)
{
    return launch(ctx, a, JOIN_SIBLINGS, last);
}

bosc_status bi_cluster_cuda_label_borders(bosc_ctx *ctx, const bi_dbscan &a)
{
    return launch(ctx, a, LABEL_BORDERS, 0);
}
