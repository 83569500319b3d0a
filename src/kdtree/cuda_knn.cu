/* The k nearest nodes of many queries. Queries are located in the heap of split values and sorted by leaf, so that the
 * threads of a warp walk nearly the same way. Each thread begins with its own leaf and climbs; at each level the far
 * side is visited unless its bound is above the worst distance so far. Bounds are made by the operations of distances
 * in the same order, and rounding is monotonic, so nothing nearer is ever left out. A node of the heap lies on its own
 * splitting plane: it is measured when its far side is visited. */
#include "kdtree/cuda_index.cuh"
#include "kdtree/cuda_near.cuh"

enum { LOCATE_THREADS = 256, WALK_THREADS = 128, WALK_STACK = 28 };

struct walk_args {
    kd_array nodes;
    kd_index index;
    const float *queries;
    int64_t stride;
    uint32_t m;
    int32_t k;
    const uint32_t *leaves, *order; /* of the sorted queries: leaf, and number of the query */
    float limit;
    void *ids;
    float *dist2;
    bool wide;
};

template <int DIM>
static __global__ void __launch_bounds__(LOCATE_THREADS)
    locate(const float *queries, int64_t stride, uint32_t m, const kd_index index, uint32_t *leaves, uint32_t *numbers)
{
    const uint32_t i = blockIdx.x * LOCATE_THREADS + threadIdx.x;
    if (i >= m) return;
    kd_point<DIM> q;
#pragma unroll
    for (int c = 0; c < DIM; c++) q.x[c] = queries[i * stride + c];
    uint32_t h = 0;
    for (int level = 0, d = 0; level < index.levels; level++, d = kd_next<DIM>(d))
        h = 2 * h + 1 + (kd_coordinate<DIM>(q, d) >= index.splits[h]);
    leaves[i] = h + 1 - (1u << index.levels);
    numbers[i] = i;
}

/* Squared distances to the planes crossed on the way to a side, by coordinate. */
template <int DIM> struct crossed {
    float away[DIM];

    __device__ __forceinline__ float bound() const
    {
        float s = away[0];
#pragma unroll
        for (int c = 1; c < DIM; c++) s = s + away[c];
        return s;
    }
    __device__ __forceinline__ crossed with(int d, float squared) const
    {
        crossed other;
#pragma unroll
        for (int c = 0; c < DIM; c++) other.away[c] = c == d ? squared : away[c];
        return other;
    }
};

/* A far side that waits: its heap index, and what is crossed on the way to it. */
template <int DIM> struct waiting {
    crossed<DIM> way;
    uint32_t side;
};

template <int DIM, int K> struct walker {
    const walk_args &a;
    waiting<DIM> *stack; /* apart from the rest, which stays in registers */
    kd_point<DIM> q;
    kd_nearest<K> nearest;
    int depth;
    uint32_t h; /* all of this subtree is done or on the stack */

    __device__ __forceinline__ walker(const walk_args &args, waiting<DIM> *waiting_sides)
        : a(args), stack(waiting_sides)
    {
    }

    __device__ __forceinline__ float worst() const { return nearest.worst(a.limit); }

    __device__ __forceinline__ void measure(uint32_t at)
    {
        kd_located<DIM> p;
        p.load(a.nodes, at);
        float distance = kd_distance<DIM>(q.x, p.x);
        if (!(distance > worst())) nearest.add(distance, p.id(a.nodes, at), a.limit);
    }

    /* For one neighbour the nearest is kept as points come. For more, the points near enough are marked first: so a
     * warp takes points in as often as its busiest lane has them, not as often as any lane has. */
    __device__ __forceinline__ void scan(uint32_t leaf)
    {
        const uint32_t begin = a.index.leaves[leaf], end = a.index.leaves[leaf + 1] - 1;
        if (K == 1) {
#pragma unroll 8
            for (uint32_t at = begin; at < end; at++) measure(at);
            return;
        }
        const float limit = worst();
        uint32_t near = 0;
#pragma unroll 8
        for (uint32_t at = begin; at < end; at++) {
            kd_located<DIM> p;
            p.load(a.nodes, at);
            near |= (uint32_t) !(kd_distance<DIM>(q.x, p.x) > limit) << (at - begin);
        }
        for (; near; near &= near - 1) measure(begin + __ffs((int)near) - 1);
    }

    /* The next side to visit: the last one left on the way down, else the far side of an ancestor. */
    __device__ __forceinline__ bool next(uint32_t *side, int *level, crossed<DIM> *way)
    {
        while (depth > 0) {
            depth--;
            *way = stack[depth].way;
            if (way->bound() > worst()) continue;
            *side = stack[depth].side;
            *level = 31 - __clz((int)(*side + 1));
            measure(kd_place_of(a.index, (*side - 1) / 2, *level - 1));
            return true;
        }
        while (h > 0) {
            const uint32_t parent = (h - 1) / 2, other = ((h - 1) ^ 1) + 1;
            const int up = 31 - __clz((int)(parent + 1)), d = up % DIM;
            const float away = kd_coordinate<DIM>(q, d) - a.index.splits[parent];
            h = parent;
            if (away * away > worst()) continue;
            crossed<DIM> none = {};
            *side = other;
            *way = none.with(d, away * away);
            *level = up + 1;
            measure(kd_place_of(a.index, parent, up));
            return true;
        }
        return false;
    }

    /* From a side down to its nearest leaf; far sides wait on the stack. */
    __device__ __forceinline__ uint32_t descend(uint32_t side, int level, crossed<DIM> way)
    {
        for (int d = level % DIM; level < a.index.levels; level++, d = kd_next<DIM>(d)) {
            const float away = kd_coordinate<DIM>(q, d) - a.index.splits[side];
            const crossed<DIM> beyond = way.with(d, away * away);
            const bool greater = away >= 0;
            if (!(beyond.bound() > worst())) {
                stack[depth].way = beyond;
                stack[depth++].side = 2 * side + 2 - greater;
            }
            side = 2 * side + 1 + greater;
        }
        return side + 1 - (1u << a.index.levels);
    }
};

template <int DIM, int K> static __global__ void __launch_bounds__(WALK_THREADS) walk_knn(const walk_args a)
{
    const uint32_t i = blockIdx.x * WALK_THREADS + threadIdx.x;
    const bool live = i < a.m;
    const uint32_t number = a.order[live ? i : a.m - 1];
    uint32_t leaf = a.leaves[live ? i : a.m - 1];
    waiting<DIM> stack[WALK_STACK];
    walker<DIM, K> w(a, stack);
#pragma unroll
    for (int c = 0; c < DIM; c++) w.q.x[c] = a.queries[number * a.stride + c];
    w.nearest.clear();
    w.depth = 0;
    w.h = leaf + (1u << a.index.levels) - 1;
    bool more = live;
    /* Lanes meet again at every leaf. */
    while (__any_sync(~0u, more)) {
        if (more) w.scan(leaf);
        __syncwarp();
        if (more) {
            uint32_t side;
            int level;
            crossed<DIM> way;
            more = w.next(&side, &level, &way);
            if (more) leaf = w.descend(side, level, way);
        }
        __syncwarp();
    }
    if (live) w.nearest.write(number, a.k, a.ids, a.dist2, a.wide);
}

template <int DIM, int K> static bosc_status run_walk(bosc_ctx *ctx, const walk_args &a)
{
    auto kernel = walk_knn<DIM, K>;
    return BI_RUN(ctx, kernel, (unsigned)bi_div_up(a.m, WALK_THREADS), WALK_THREADS, 0, a);
}

template <int DIM> static bosc_status run_knn(bosc_ctx *ctx, const walk_args &given, uint32_t *scratch)
{
    walk_args a = given;
    const size_t m = a.m;
    uint32_t *leaves = scratch, *numbers = scratch + m, *sorted = scratch + 2 * m, *order = scratch + 3 * m;
    auto kernel = locate<DIM>;
    BI_TRY(BI_RUN(ctx, kernel, (unsigned)bi_div_up(a.m, LOCATE_THREADS), LOCATE_THREADS, 0, a.queries, a.stride, a.m,
                  a.index, leaves, numbers));
    BI_TRY(ctx->backend->core->sort_pairs(ctx, BOSC_U32, leaves, 4, numbers, a.m, sorted, order, 0,
                                          a.index.levels > 0 ? a.index.levels : 1));
    a.leaves = sorted;
    a.order = order;
    if (a.k == 1) return run_walk<DIM, 1>(ctx, a);
    if (a.k <= 4) return run_walk<DIM, 4>(ctx, a);
    if (a.k <= 8) return run_walk<DIM, 8>(ctx, a);
    if (a.k <= 16) return run_walk<DIM, 16>(ctx, a);
    return run_walk<DIM, 32>(ctx, a);
}

/* Batches keep numbers of queries in 32 bits and scratch small. */
static int64_t batch_size(int64_t m)
{
    const int64_t most = (int64_t)1 << 24;
    return m < most ? m : most;
}

/* The sort takes as much again at most. */
size_t kd_fast_knn_bytes(int64_t m) { return (size_t)batch_size(m) * 32 + 65536; }

bosc_status kd_fast_knn(bosc_ctx *ctx, const bosc_kdtree *tree, const struct bi_kd_query *query)
{
    void *scratch;
    const int64_t batch = batch_size(query->rows.n);
    BI_TRY(bi_scratch(ctx, (size_t)batch * 16, &scratch));
    const int64_t id_size = tree->opts.id_bits / 8;
    for (int64_t first = 0; first < query->rows.n; first += batch) {
        walk_args a = {};
        a.nodes = kd_array_of(tree);
        a.index = kd_index_of(tree);
        a.queries = static_cast<const float *>(query->rows.data) + first * query->rows.stride;
        a.stride = query->rows.stride;
        a.m = (uint32_t)(query->rows.n - first < batch ? query->rows.n - first : batch);
        a.k = (int32_t)query->k;
        a.limit = query->within ? (float)query->r2 : INFINITY;
        a.ids = static_cast<char *>(query->ids) + first * query->k * id_size;
        a.dist2 = query->dist2 ? static_cast<float *>(query->dist2) + first * query->k : nullptr;
        a.wide = tree->opts.id_bits == 64;
        uint32_t *memory = static_cast<uint32_t *>(scratch);
        if (tree->opts.dim == 2)
            BI_TRY(run_knn<2>(ctx, a, memory));
        else if (tree->opts.dim == 3)
            BI_TRY(run_knn<3>(ctx, a, memory));
        else
            BI_TRY(run_knn<4>(ctx, a, memory));
    }
    return BOSC_OK;
}
