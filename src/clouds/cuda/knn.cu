/* The k nearest of 2-D and 3-D floats, for k up to 32: a thread a query, its list in registers. */
#include "clouds/cuda/clouds.cuh"

enum { THREADS = 128, MOST_K = 32 }; /* THREADS: not measured */

/* Squared distance and id in one word, in their order: bits of floats from 0 on ascend as the floats do. */
static __device__ __forceinline__ uint64_t neighbour_of(float d, uint32_t id)
{
    return (uint64_t)bi_f32_bits(d) << 32 | id;
}

/* The K nearest so far, ascending. For k below K the first K - k entries are 0, which stay before all others. */
template <int K> struct nearest_list {
    uint64_t at[K];

    __device__ __forceinline__ void clear(int k)
    {
#pragma unroll
        for (int i = 0; i < K; i++) at[i] = i < K - k ? 0 : neighbour_of(INFINITY, UINT32_MAX);
    }
    __device__ __forceinline__ float bound() const { return bi_f32_from_bits((uint32_t)(at[K - 1] >> 32)); }
    __device__ __forceinline__ void add(uint64_t x)
    {
        bool before = x < at[K - 1];
        if (!before) return;
#pragma unroll
        for (int i = K - 1; i > 0; i--) {
            const bool further = x < at[i - 1];
            at[i] = further ? at[i - 1] : before ? x : at[i];
            before = further;
        }
        if (before) at[0] = x;
    }
};

/* Coordinates of a query, a point or a corner; the last is 0. */
struct coordinates {
    float x, y, z;
};

template <int DIM> static __device__ __forceinline__ coordinates load_coordinates(const float *data, int64_t row)
{
    if (DIM == 3) {
        const float4 p = reinterpret_cast<const float4 *>(data)[row];
        return {p.x, p.y, p.z};
    }
    const float2 p = reinterpret_cast<const float2 *>(data)[row];
    return {p.x, p.y, 0};
}

/* As bi_clouds_dist2: adding the square of a last 0 changes no bit. fminf drops a NaN. */
static __device__ __forceinline__ float squared_distance(const coordinates &q, const coordinates &p)
{
    const float x = q.x - p.x, y = q.y - p.y, z = q.z - p.z;
    return fminf(x * x + y * y + z * z, INFINITY);
}

static __device__ __forceinline__ float distance_outside(float q, float low, float high)
{
    return fmaxf(fmaxf(low - q, q - high), 0.0f);
}

/* As bi_clouds_box_dist2. */
template <int DIM>
static __device__ __forceinline__ float squared_box_distance(const float *boxes, int64_t slot, const coordinates &q)
{
    const coordinates low = load_coordinates<DIM>(boxes, 2 * slot), high = load_coordinates<DIM>(boxes, 2 * slot + 1);
    const float x = distance_outside(q.x, low.x, high.x), y = distance_outside(q.y, low.y, high.y);
    const float z = DIM == 3 ? distance_outside(q.z, low.z, high.z) : 0;
    return x * x + y * y + z * z;
}

/* Adds the points of a leaf: first a mask of near ones, so that a warp inserts as often as the lane with most of them,
 * not once a point. */
template <int DIM, int K>
static __device__ __forceinline__ void scan_leaf(const bi_clouds_view &v, const coordinates &q, float r2,
                                                 uint32_t skipped, int64_t begin, int64_t end, nearest_list<K> *list)
{
    const float *points = static_cast<const float *>(v.points);
    const float bound = fminf(list->bound(), r2);
    unsigned near = 0;
#pragma unroll
    for (int j = 0; j < BI_CLOUDS_LEAF; j++) {
        const int64_t p = begin + j < end ? begin + j : end - 1;
        const float d = squared_distance(q, load_coordinates<DIM>(points, p));
        near |= (unsigned)(d <= bound && begin + j < end) << j;
    }
    while (near) {
        const int64_t p = begin + __ffs((int)near) - 1;
        near &= near - 1;
        const uint32_t id = v.ids[p];
        if (id != skipped) list->add(neighbour_of(squared_distance(q, load_coordinates<DIM>(points, p)), id));
    }
}

/* Tests the node of a walk as bi_clouds_walk_next does. */
template <int DIM, int K>
static __device__ __forceinline__ bool is_near(const bi_clouds_view &v, const bi_clouds_walk &w, const coordinates &q,
                                               float r2, const nearest_list<K> &list)
{
    const int64_t slot = bi_clouds_node_slot(&v, w.level, w.offset, w.cloud) + w.index;
    const float d = squared_box_distance<DIM>(static_cast<const float *>(v.boxes), slot, q), bound = list.bound();
    return d <= r2 && (d < bound || (d == bound && v.least_ids[slot] <= (uint32_t)list.at[K - 1]));
}

template <int DIM, int K>
static __global__ void __launch_bounds__(THREADS) bi_clouds_knn_kernel(const bi_clouds_query a)
{
    /* 1. The query, its leaf, and an empty list. */
    const int64_t i = blockIdx.x * (int64_t)THREADS + threadIdx.x;
    const bi_clouds_view &v = a.view;
    if (i >= a.rows.n) return;
    const float *row = static_cast<const float *>(a.rows.data) + i * a.rows.stride;
    const coordinates q = {row[0], row[1], DIM == 3 ? row[DIM - 1] : 0};
    const float r2 = (float)a.r2;
    const uint32_t skipped = bi_clouds_skipped_id(&a, i);
    bi_clouds_walk w = bi_clouds_query_walk(&a, &v, i, row);
    nearest_list<K> list;
    list.clear((int)a.k);
    /* 2. Its leaf first, then all near ones. */
    int64_t begin, end;
    bool more = w.n > 0;
    w.index = w.path;
    while (more) {
        bi_clouds_leaf_range(&w, &begin, &end);
        scan_leaf<DIM, K>(v, q, r2, skipped, begin, end, &list);
        if (!w.begun) w.index = (w.path & ~(int64_t)(BI_CLOUDS_FANOUT - 1)) - 1;
        w.begun = true;
        for (more = bi_clouds_walk_on(&w); more; more = bi_clouds_walk_on(&w)) {
            bool near;
            while ((near = is_near<DIM, K>(v, w, q, r2, list)) && w.level > 0) {
                w.level--;
                w.index <<= BI_CLOUDS_FANOUT_BITS;
            }
            if (near) break;
        }
    }
    /* 3. The row. */
    const bi_row_out out = {a.ids, a.dist2, bi_clouds_query_index(&a, i) * a.k, a.ids_64bit, true, false};
#pragma unroll
    for (int j = 0; j < K; j++) {
        const int64_t e = j - (K - a.k);
        if (e >= 0) bi_row_set(&out, e, (double)bi_f32_from_bits((uint32_t)(list.at[j] >> 32)), (uint32_t)list.at[j]);
    }
}

template <int DIM, int K> static bosc_status launch_knn(bosc_ctx *ctx, int64_t n, const bi_clouds_query &a)
{
    const auto kernel = bi_clouds_knn_kernel<DIM, K>;
    return BI_RUN(ctx, kernel, (unsigned)bi_div_up(n, THREADS), THREADS, 0, a);
}

template <int DIM> static bosc_status launch_of_k(bosc_ctx *ctx, int64_t n, const bi_clouds_query &a)
{
    if (a.k == 1) return launch_knn<DIM, 1>(ctx, n, a);
    if (a.k <= 4) return launch_knn<DIM, 4>(ctx, n, a);
    if (a.k <= 8) return launch_knn<DIM, 8>(ctx, n, a);
    if (a.k <= 16) return launch_knn<DIM, 16>(ctx, n, a);
    return launch_knn<DIM, MOST_K>(ctx, n, a);
}

bosc_status bi_cuda_clouds_knn(bosc_ctx *ctx, int64_t n, const void *args, bool *served)
{
    const bi_clouds_query *a = static_cast<const bi_clouds_query *>(args);
    const int64_t most_blocks = INT32_MAX;
    const bool has_kernel = !a->view.is_f64 && (a->view.dim == 2 || a->view.dim == 3) && a->k <= MOST_K;
    if (!has_kernel || n > most_blocks * THREADS) return BOSC_OK;
    *served = true;
    if (n == 0) return BOSC_OK;
    return a->view.dim == 2 ? launch_of_k<2>(ctx, n, *a) : launch_of_k<3>(ctx, n, *a);
}
