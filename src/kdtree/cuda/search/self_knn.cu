/* The k nearest nodes of every node. A warp takes a leaf, one query a lane, and all lanes walk the tree of tight boxes
 * together: up from their own leaf, down wherever a box is within the worst distance of any lane. Of the nodes of a
 * leaf, only those near enough to the box of the queries are measured. Bounds are made by the operations of distances,
 * so they are exact (see index_walk.cuh). The nodes above the leaves, far from any leaf, are queries of the usual kind.
 */
#include "core/cuda/warp.cuh"
#include "kdtree/cuda/search/index.cuh"
#include "kdtree/cuda/search/nearest_list.cuh"

enum {
    SELF_KNN_THREADS = 128,
    SELF_KNN_WARPS = SELF_KNN_THREADS / 32,
    SELF_KNN_STACK = 64 /* at most two boxes a level wait */
};

template <int DIM> struct self_knn_args {
    bi_kdtree_array nodes;
    bi_kdtree_cuda_index index;
    const bi_kdtree_box<float, DIM> *boxes; /* by heap index */
    int32_t k;
    void *ids;
    float *dist2;
    bool wide;
};

/* How far two intervals are apart, 0 if they meet. */
__device__ __forceinline__ float gap(float low, float high, float other_low, float other_high)
{
    return fmaxf(fmaxf(low - other_high, other_low - high), 0.0f);
}

/* No point of box b is nearer to any point of box a, by distances as they are computed. */
template <int DIM>
__device__ __forceinline__ float box_bound(const bi_kdtree_box<float, DIM> &a, const float *low, const float *high)
{
    float s = 0;
#pragma unroll
    for (int c = 0; c < DIM; c++) {
        const float d = gap(a.low[c], a.high[c], low[c], high[c]);
        s = c == 0 ? d * d : s + d * d;
    }
    return s;
}

/* No point of box b is nearer to q; NaN only where all distances from q are infinite. */
template <int DIM> __device__ __forceinline__ float point_bound(const float *q, const bi_kdtree_box<float, DIM> &b)
{
    float s = 0;
#pragma unroll
    for (int c = 0; c < DIM; c++)
        s = c == 0 ? bi_kdtree_gap(q[c], b.low[c], b.high[c]) : s + bi_kdtree_gap(q[c], b.low[c], b.high[c]);
    return s;
}

template <int DIM, int K> struct self_knn_shared {
    bi_kdtree_point<DIM> points[SELF_KNN_WARPS][32];
    uint32_t stack[SELF_KNN_WARPS][SELF_KNN_STACK];
    uint32_t rows[SELF_KNN_WARPS][32];
    uint32_t out[SELF_KNN_WARPS][32 * K];
};

/* What a warp's walk needs beside its lanes' lists. */
template <int DIM, int K> struct self_knn_walk {
    const self_knn_args<DIM> &a;
    self_knn_shared<DIM, K> &sh;
    const bi_kdtree_box<float, DIM> own; /* of the queries */
    const bi_kdtree_point<DIM> q;
    const bool live;
    bi_kdtree_nearest_list<float, K> nearest;

    __device__ __forceinline__ float worst() const { return nearest.last().distance(); }

    /* The worst distance of all lanes; distances are not negative, so their bits order them. */
    __device__ __forceinline__ float worst_of_all() const
    {
        return bi_f32_from_bits(bi_warp_greatest(live ? bi_f32_bits(worst()) : 0u));
    }

    __device__ __forceinline__ uint32_t load(uint32_t leaf)
    {
        const uint32_t begin = a.index.leaves[leaf], count = a.index.leaves[leaf + 1] - 1 - begin;
        const uint32_t lane = threadIdx.x % 32;
        __syncwarp();
        sh.points[threadIdx.x / 32][lane] = bi_kdtree_load_point<DIM>(a.nodes, begin + min(lane, count - 1));
        __syncwarp();
        return count;
    }

    /* All nodes of the own leaf, taken in many at a time. */
    __device__ __forceinline__ void first(uint32_t count)
    {
        enum { BATCH = bi_kdtree_nearest_list<float, K>::BATCH };
        const bi_kdtree_point<DIM> *points = sh.points[threadIdx.x / 32];
        nearest.clear();
#pragma unroll
        for (uint32_t group = 0; group < 32; group += BATCH) {
            bi_kdtree_neighbour<float> x[BATCH];
#pragma unroll
            for (uint32_t i = 0; i < BATCH; i++)
                x[i] = group + i < count ? bi_kdtree_neighbour<float>::of(
                                               bi_kdtree_node_reader<float, DIM>::distance(q.x, points[group + i].x),
                                               points[group + i].id)
                                         : bi_kdtree_neighbour<float>::of(INFINITY, BI_KDTREE_NONE);
            nearest.add_all(x);
        }
    }

    /* Measures the nodes of a leaf that are near the box of the queries: near ones are marked, and then taken in lane
     * by lane. */
    __device__ __forceinline__ void scan(uint32_t leaf)
    {
        const uint32_t count = load(leaf), lane = threadIdx.x % 32;
        const bi_kdtree_point<DIM> *points = sh.points[threadIdx.x / 32];
        const float most = live ? worst() : -1, most_of_all = worst_of_all();
        const bool mine = lane < count && !(box_bound<DIM>(own, points[lane].x, points[lane].x) > most_of_all);
        uint32_t near = 0;
        for (uint32_t some = __ballot_sync(~0u, mine); some; some &= some - 1) {
            const int c = __ffs((int)some) - 1;
            near |= bi_kdtree_node_reader<float, DIM>::distance(q.x, points[c].x) > most ? 0 : 1u << c;
        }
        for (near = live ? near : 0; near; near &= near - 1) {
            const bi_kdtree_point<DIM> &p = points[__ffs((int)near) - 1];
            nearest.add(bi_kdtree_neighbour<float>::of(bi_kdtree_node_reader<float, DIM>::distance(q.x, p.x), p.id));
        }
    }

    /* Measures the node h above the leaves. */
    __device__ __forceinline__ void measure(uint32_t h)
    {
        const bi_kdtree_point<DIM> p =
            bi_kdtree_load_point<DIM>(a.nodes, bi_kdtree_heap_position(a.index, h, bi_kdtree_heap_level(h)));
        const float d = bi_kdtree_node_reader<float, DIM>::distance(q.x, p.x);
        if (live && !(d > worst())) nearest.add(bi_kdtree_neighbour<float>::of(d, p.id));
    }

    __device__ __forceinline__ bool needs(uint32_t h) const
    {
        const float b = point_bound<DIM>(q.x, a.boxes[h]);
        if (!live || b > worst()) return false;
        return b < worst() || bi_kdtree_neighbour<float>::of(b, bi_kdtree_floor_of(a.index, h)).before(nearest.last());
    }

    /* Visits what any lane needs below box h. Nearer children come first. */
    __device__ __forceinline__ void visit(uint32_t h)
    {
        const uint32_t lane = threadIdx.x % 32, leaves = (1u << a.index.levels) - 1;
        uint32_t *stack = sh.stack[threadIdx.x / 32];
        int waiting = 0;
        while (true) {
            if (__any_sync(~0u, needs(h))) {
                if (h < leaves) {
                    measure(h);
                    const bi_kdtree_box<float, DIM> &l = a.boxes[2 * h + 1], &g = a.boxes[2 * h + 2];
                    const bool less = box_bound<DIM>(own, l.low, l.high) <= box_bound<DIM>(own, g.low, g.high);
                    if (lane == 0) stack[waiting] = less ? 2 * h + 2 : 2 * h + 1;
                    waiting++;
                    h = less ? 2 * h + 1 : 2 * h + 2;
                    continue;
                }
                scan(h - leaves);
            }
            if (waiting == 0) return;
            __syncwarp();
            h = stack[--waiting];
            __syncwarp();
        }
    }

    /* The words of all rows, side by side, so that a row is written by neighbouring lanes. */
    __device__ __forceinline__ void write_words(uint32_t lanes, uint32_t *to, int spread)
    {
        const uint32_t w = threadIdx.x / 32, k = (uint32_t)a.k;
        __syncwarp();
        for (uint32_t e = threadIdx.x % 32; e < lanes * k; e += 32) {
            const uint32_t lane = e / k, i = e - lane * k, word = sh.out[w][lane * K + i];
            const size_t at = (size_t)sh.rows[w][lane] * k + i;
            if (spread == 1)
                to[at] = word;
            else
                reinterpret_cast<int64_t *>(to)[at] = word == BI_KDTREE_NONE ? -1 : (int64_t)word;
        }
        __syncwarp();
    }

    __device__ __forceinline__ void write(uint32_t lanes)
    {
        const uint32_t w = threadIdx.x / 32, lane = threadIdx.x % 32;
        sh.rows[w][lane] = q.id;
#pragma unroll
        for (int i = 0; i < K; i++) sh.out[w][lane * K + i] = nearest.at[i].id();
        write_words(lanes, static_cast<uint32_t *>(a.ids), a.wide ? 2 : 1);
        if (!a.dist2) return;
#pragma unroll
        for (int i = 0; i < K; i++) sh.out[w][lane * K + i] = bi_f32_bits(nearest.at[i].distance());
        write_words(lanes, reinterpret_cast<uint32_t *>(a.dist2), 1);
    }
};

template <int DIM, int K>
static __global__ void __launch_bounds__(SELF_KNN_THREADS, K > 9 ? 4 : 8) bi_kdtree_self_knn(const self_knn_args<DIM> a)
{
    typedef self_knn_shared<DIM, K> shared;
    BI_SHARED(shared, sh);
    const uint32_t w = threadIdx.x / 32, lane = threadIdx.x % 32, leaf = blockIdx.x * SELF_KNN_WARPS + w;
    if (leaf >> a.index.levels) return;
    const uint32_t own = (1u << a.index.levels) - 1 + leaf;
    const uint32_t begin = a.index.leaves[leaf], count = a.index.leaves[leaf + 1] - 1 - begin;
    self_knn_walk<DIM, K> walk = {
        a, sh, a.boxes[own], bi_kdtree_load_point<DIM>(a.nodes, begin + min(lane, count - 1)), lane < count, {}};
    walk.load(leaf);
    walk.first(count);
    for (uint32_t h = own; h > 0; h = (h - 1) / 2) {
        walk.measure((h - 1) / 2);
        walk.visit(((h - 1) ^ 1) + 1);
    }
    walk.write(count);
}

template <int DIM, int K> static bosc_status launch_self_knn(bosc_ctx *ctx, const self_knn_args<DIM> &a)
{
    auto kernel = bi_kdtree_self_knn<DIM, K>;
    return BI_RUN(ctx, kernel, (unsigned)bi_div_up((int64_t)1 << a.index.levels, SELF_KNN_WARPS), SELF_KNN_THREADS, 0,
                  a);
}

/* Sizes have room for a node itself beside 8 or 16 neighbours. */
template <int DIM>
static bosc_status self_knn_of_dim(bosc_ctx *ctx, const bosc_kdtree *tree, const struct bi_kdtree_query *query)
{
    void *boxes;
    self_knn_args<DIM> a = {};
    BI_TRY(bi_kdtree_cuda_make_boxes(ctx, tree, &boxes));
    a.nodes = bi_kdtree_array_of(tree);
    a.index = bi_kdtree_cuda_index_of(tree);
    a.boxes = static_cast<const bi_kdtree_box<float, DIM> *>(boxes);
    a.k = (int32_t)query->k;
    a.ids = query->ids;
    a.dist2 = static_cast<float *>(query->dist2);
    a.wide = tree->opts.id_bits == 64;
    if (a.k <= 2) return launch_self_knn<DIM, 2>(ctx, a);
    if (a.k <= 5) return launch_self_knn<DIM, 5>(ctx, a);
    if (a.k <= 9) return launch_self_knn<DIM, 9>(ctx, a);
    if (a.k <= 17) return launch_self_knn<DIM, 17>(ctx, a);
    return launch_self_knn<DIM, 32>(ctx, a);
}

bosc_status bi_kdtree_cuda_knn_self(bosc_ctx *ctx, const bosc_kdtree *tree, const struct bi_kdtree_query *query)
{
    BI_TRY(bi_kdtree_cuda_knn_inner(ctx, tree, query));
    if (tree->opts.dim == 2) return self_knn_of_dim<2>(ctx, tree, query);
    return tree->opts.dim == 3 ? self_knn_of_dim<3>(ctx, tree, query) : self_knn_of_dim<4>(ctx, tree, query);
}
