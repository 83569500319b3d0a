/* The k nearest nodes of every node. A warp takes a run of nodes (a leaf and the node after it), one query a lane, and
 * all lanes walk the tree of the runs' tight boxes together: up from their own run, down wherever a box is within the
 * worst distance of any lane. Bounds are made by the operations of distances, so they are exact (see cuda_knn.cu). */
#include "kdtree/cuda_index.cuh"
#include "kdtree/cuda_near.cuh"

enum {
    ALL_THREADS = 128,
    ALL_WARPS = ALL_THREADS / 32,
    ALL_STACK = 64,   /* at most two boxes a level wait */
    MOST_POINTS = 64, /* of a run: KD_LEAF + 1, in whole rows of 32 */
    BOX_THREADS = 256,
    TOP_LEVELS = 11, /* of boxes, made by one block */
    TOP_THREADS = 1024
};

struct box {
    float4 low, high; /* the last of four is not used below 4 dimensions */
};

struct all_args {
    kd_array nodes;
    kd_index index;
    uint32_t n;
    box *boxes; /* by heap index; of runs too */
    int32_t k;
    void *ids;
    float *dist2;
    bool wide;
};

__device__ __forceinline__ box join(const box &a, const box &b)
{
    return {
        make_float4(fminf(a.low.x, b.low.x), fminf(a.low.y, b.low.y), fminf(a.low.z, b.low.z), fminf(a.low.w, b.low.w)),
        make_float4(fmaxf(a.high.x, b.high.x), fmaxf(a.high.y, b.high.y), fmaxf(a.high.z, b.high.z),
                    fmaxf(a.high.w, b.high.w))};
}

/* The places [begin, end) of run r. */
__device__ __forceinline__ uint2 run_of(const all_args &a, uint32_t r)
{
    return make_uint2(a.index.leaves[r], min(a.index.leaves[r + 1], a.n));
}

template <int DIM> static __global__ void __launch_bounds__(BOX_THREADS) box_runs(const all_args a)
{
    const uint32_t r = (blockIdx.x * BOX_THREADS + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (r >> a.index.levels) return;
    const uint2 run = run_of(a, r);
    box b = {make_float4(INFINITY, INFINITY, INFINITY, INFINITY),
             make_float4(-INFINITY, -INFINITY, -INFINITY, -INFINITY)};
    for (uint32_t at = run.x + lane; at < run.y; at += 32) {
        const kd_point<DIM> p = kd_load<DIM>(a.nodes, at);
        const float4 x = make_float4(p.x[0], p.x[1], DIM > 2 ? p.x[2 % DIM] : 0, DIM > 3 ? p.x[3 % DIM] : 0);
        b = join(b, {x, x});
    }
    for (int o = 16; o > 0; o >>= 1) {
        box other;
        other.low.x = __shfl_xor_sync(~0u, b.low.x, o);
        other.low.y = __shfl_xor_sync(~0u, b.low.y, o);
        other.low.z = __shfl_xor_sync(~0u, b.low.z, o);
        other.low.w = __shfl_xor_sync(~0u, b.low.w, o);
        other.high.x = __shfl_xor_sync(~0u, b.high.x, o);
        other.high.y = __shfl_xor_sync(~0u, b.high.y, o);
        other.high.z = __shfl_xor_sync(~0u, b.high.z, o);
        other.high.w = __shfl_xor_sync(~0u, b.high.w, o);
        b = join(b, other);
    }
    if (lane == 0) a.boxes[((1u << a.index.levels) - 1) + r] = b;
}

static __global__ void __launch_bounds__(BOX_THREADS) join_level(box *boxes, int level)
{
    const uint32_t i = blockIdx.x * BOX_THREADS + threadIdx.x, h = (1u << level) - 1 + i;
    if (i >> level) return;
    boxes[h] = join(boxes[2 * h + 1], boxes[2 * h + 2]);
}

/* Levels `level` to 0. */
static __global__ void __launch_bounds__(TOP_THREADS) join_top(box *boxes, int level)
{
    for (; level >= 0; level--) {
        for (uint32_t i = threadIdx.x; i < 1u << level; i += TOP_THREADS) {
            const uint32_t h = (1u << level) - 1 + i;
            boxes[h] = join(boxes[2 * h + 1], boxes[2 * h + 2]);
        }
        __syncthreads();
    }
}

/* How far two intervals are apart, 0 if they meet. */
__device__ __forceinline__ float gap(float low, float high, float other_low, float other_high)
{
    return fmaxf(fmaxf(low - other_high, other_low - high), 0.0f);
}

/* No point of box b is nearer to any point of box a, by distances as they are computed. */
template <int DIM> __device__ __forceinline__ float bound(const box &a, const box &b)
{
    const float x = gap(a.low.x, a.high.x, b.low.x, b.high.x), y = gap(a.low.y, a.high.y, b.low.y, b.high.y);
    float s = x * x;
    s = s + y * y;
    if (DIM > 2) {
        const float z = gap(a.low.z, a.high.z, b.low.z, b.high.z);
        s = s + z * z;
    }
    if (DIM > 3) {
        const float w = gap(a.low.w, a.high.w, b.low.w, b.high.w);
        s = s + w * w;
    }
    return s;
}

template <int DIM> struct all_shared {
    kd_point<DIM> points[ALL_WARPS][MOST_POINTS];
    uint32_t stack[ALL_WARPS][ALL_STACK];
};

/* Measures all of run r: near points are marked first, and then taken in lane by lane. */
template <int DIM, int K>
static __device__ __forceinline__ void scan_run(const all_args &a, kd_point<DIM> *points, uint32_t r,
                                                const kd_point<DIM> &q, bool live, kd_nearest<K> &nearest)
{
    const uint2 run = run_of(a, r);
    const uint32_t lane = threadIdx.x % 32, count = run.y - run.x;
    __syncwarp();
    for (uint32_t c = lane; c < count; c += 32) points[c] = kd_load<DIM>(a.nodes, run.x + c);
    __syncwarp();
    for (uint32_t first = 0; first < count; first += 32) {
        const uint32_t here = min(count - first, 32u);
        const float worst = nearest.worst(INFINITY);
        /* All 32 places without branches; what lies beyond the run is masked. */
        uint32_t near = 0;
#pragma unroll
        for (uint32_t c = 0; c < 32; c++) near |= kd_distance<DIM>(q.x, points[first + c].x) > worst ? 0 : 1u << c;
        near &= ~0u >> (32 - here);
        for (near = live ? near : 0; near; near &= near - 1) {
            const kd_point<DIM> &p = points[first + __ffs((int)near) - 1];
            const float distance = kd_distance<DIM>(q.x, p.x);
            if (!(distance > nearest.worst(INFINITY))) nearest.add(distance, p.id, INFINITY);
        }
    }
}

/* Visits the runs below box h that any lane needs. `own` is the box of the lanes' run: nearer children come first. */
template <int DIM, int K>
static __device__ __forceinline__ void visit(const all_args &a, all_shared<DIM> &sh, uint32_t h, const box &own,
                                             const kd_point<DIM> &q, bool live, kd_nearest<K> &nearest)
{
    const uint32_t w = threadIdx.x / 32, lane = threadIdx.x % 32, runs = (1u << a.index.levels) - 1;
    uint32_t *stack = sh.stack[w];
    const float4 x = make_float4(q.x[0], q.x[1], DIM > 2 ? q.x[2 % DIM] : 0, DIM > 3 ? q.x[3 % DIM] : 0);
    const box point = {x, x};
    int waiting = 0;
    while (true) {
        if (__any_sync(~0u, live && !(bound<DIM>(point, a.boxes[h]) > nearest.worst(INFINITY)))) {
            if (h < runs) {
                const bool less = bound<DIM>(own, a.boxes[2 * h + 1]) <= bound<DIM>(own, a.boxes[2 * h + 2]);
                if (lane == 0) stack[waiting] = less ? 2 * h + 2 : 2 * h + 1;
                waiting++;
                h = less ? 2 * h + 1 : 2 * h + 2;
                continue;
            }
            scan_run<DIM, K>(a, sh.points[w], h - runs, q, live, nearest);
        }
        if (waiting == 0) return;
        __syncwarp();
        h = stack[--waiting];
        __syncwarp();
    }
}

template <int DIM, int K> static __global__ void __launch_bounds__(ALL_THREADS) walk_all(const all_args a)
{
    using shared = struct all_shared<DIM>;
    BI_SHARED(shared, sh);
    const uint32_t w = threadIdx.x / 32, lane = threadIdx.x % 32, r = blockIdx.x * ALL_WARPS + w;
    if (r >> a.index.levels) return;
    const uint32_t own = (1u << a.index.levels) - 1 + r;
    const uint2 run = run_of(a, r);
    const box own_box = a.boxes[own];
    for (uint32_t first = run.x; first < run.y; first += 32) { /* twice for the rare run of 33 */
        const bool live = first + lane < run.y;
        const kd_point<DIM> q = kd_load<DIM>(a.nodes, live ? first + lane : first);
        kd_nearest<K> nearest;
        nearest.clear();
        scan_run<DIM, K>(a, sh.points[w], r, q, live, nearest);
        for (uint32_t h = own; h > 0; h = (h - 1) / 2)
            visit<DIM, K>(a, sh, ((h - 1) ^ 1) + 1, own_box, q, live, nearest);
        if (live) nearest.write(q.id, a.k, a.ids, a.dist2, a.wide);
    }
}

template <int DIM> static bosc_status make_boxes(bosc_ctx *ctx, const all_args &a)
{
    auto runs = box_runs<DIM>;
    int level = a.index.levels - 1;
    BI_TRY(BI_RUN(ctx, runs, (unsigned)bi_div_up((int64_t)32 << a.index.levels, BOX_THREADS), BOX_THREADS, 0, a));
    for (; level >= TOP_LEVELS; level--)
        BI_TRY(BI_RUN(ctx, join_level, (1u << level) / BOX_THREADS, BOX_THREADS, 0, a.boxes, level));
    return level >= 0 ? BI_RUN(ctx, join_top, 1, TOP_THREADS, 0, a.boxes, level) : BOSC_OK;
}

template <int DIM, int K> static bosc_status run_walk(bosc_ctx *ctx, const all_args &a)
{
    auto kernel = walk_all<DIM, K>;
    return BI_RUN(ctx, kernel, (unsigned)bi_div_up((int64_t)1 << a.index.levels, ALL_WARPS), ALL_THREADS, 0, a);
}

/* Sizes have room for a node itself beside 8 or 16 neighbours. */
template <int DIM> static bosc_status run_all(bosc_ctx *ctx, const all_args &a)
{
    BI_TRY(make_boxes<DIM>(ctx, a));
    if (a.k <= 2) return run_walk<DIM, 2>(ctx, a);
    if (a.k <= 5) return run_walk<DIM, 5>(ctx, a);
    if (a.k <= 9) return run_walk<DIM, 9>(ctx, a);
    if (a.k <= 17) return run_walk<DIM, 17>(ctx, a);
    return run_walk<DIM, 32>(ctx, a);
}

bosc_status kd_fast_knn_all(bosc_ctx *ctx, const bosc_kdtree *tree, const struct bi_kd_query *query)
{
    void *boxes;
    all_args a = {};
    a.nodes = kd_array_of(tree);
    a.index = kd_index_of(tree);
    a.n = (uint32_t)tree->nodes;
    BI_TRY(bi_scratch(ctx, sizeof(box) << (a.index.levels + 1), &boxes));
    a.boxes = static_cast<box *>(boxes);
    a.k = (int32_t)query->k;
    a.ids = query->ids;
    a.dist2 = static_cast<float *>(query->dist2);
    a.wide = tree->opts.id_bits == 64;
    if (tree->opts.dim == 2) return run_all<2>(ctx, a);
    return tree->opts.dim == 3 ? run_all<3>(ctx, a) : run_all<4>(ctx, a);
}
