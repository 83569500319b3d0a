/* Searches among 2-D and 3-D floats, a lane a query: the k nearest for k up to 32, in registers; counts, and rows
 * within a radius. */
#include "clouds/cuda/clouds.cuh"

enum { THREADS = 128, MOST_K = 32 }; /* THREADS: measured (docs/design/clouds.md) */

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

/* Writes the row of the query in row i. */
template <int K>
static __device__ __forceinline__ void write_row(const bi_clouds_query &a, int64_t i, const nearest_list<K> &list)
{
    const bi_row_out out = {a.ids, a.dist2, bi_clouds_query_index(&a, i) * a.k, a.ids_64bit, true, false};
#pragma unroll
    for (int j = 0; j < K; j++) {
        const int64_t e = j - (K - a.k);
        if (e >= 0) bi_row_set(&out, e, (double)bi_f32_from_bits((uint32_t)(list.at[j] >> 32)), (uint32_t)list.at[j]);
    }
}

/* The coordinates of row i. */
template <int DIM> static __device__ __forceinline__ coordinates query_at(const bi_clouds_query &a, int64_t i)
{
    const float *row = static_cast<const float *>(a.rows.data) + i * a.rows.stride;
    return {row[0], row[1], DIM == 3 ? row[DIM - 1] : 0};
}

/* Walks from the query in row i, and calls visit(begin, end) for its leaf and for others whose test(walk) is true. A
 * node whose test is false is skipped with all below it. */
template <class TEST, class VISIT>
static __device__ __forceinline__ void walk_leaves(const bi_clouds_query &a, int64_t i, const TEST &test,
                                                   const VISIT &visit)
{
    const float *row = static_cast<const float *>(a.rows.data) + i * a.rows.stride;
    bi_clouds_walk w = bi_clouds_query_walk(&a, &a.view, i, row);
    int64_t begin, end;
    bool more = w.n > 0;
    w.index = w.path;
    while (more) {
        bi_clouds_leaf_range(&w, &begin, &end);
        visit(begin, end);
        if (!w.begun) w.index = (w.path & ~(int64_t)(BI_CLOUDS_FANOUT - 1)) - 1;
        w.begun = true;
        for (more = bi_clouds_walk_on(&w); more; more = bi_clouds_walk_on(&w)) {
            bool near;
            while ((near = test(w)) && w.level > 0) {
                w.level--;
                w.index <<= BI_CLOUDS_FANOUT_BITS;
            }
            if (near) break;
        }
    }
}

/* A thread a query, for few queries in any order. */
template <int DIM, int K>
static __global__ void __launch_bounds__(THREADS) bi_clouds_knn_by_thread(const bi_clouds_query a)
{
    const int64_t i = blockIdx.x * (int64_t)THREADS + threadIdx.x;
    if (i >= a.rows.n) return;
    const coordinates q = query_at<DIM>(a, i);
    const float r2 = (float)a.r2;
    const uint32_t skipped = bi_clouds_skipped_id(&a, i);
    nearest_list<K> list;
    list.clear((int)a.k);
    walk_leaves(
        a, i, [&](const bi_clouds_walk &w) { return is_near<DIM, K>(a.view, w, q, r2, list); },
        [&](int64_t begin, int64_t end) { scan_leaf<DIM, K>(a.view, q, r2, skipped, begin, end, &list); });
    write_row<K>(a, i, list);
}

/* The queries of a warp are near each other, or their clouds are small: they walk together, cloud by cloud, into each
 * node that is near for one of them. So lanes load the same boxes and points at once, and none waits for another. */
template <int DIM, int K>
static __global__ void __launch_bounds__(THREADS) bi_clouds_knn_by_warp(const bi_clouds_query a)
{
    /* 1. The query of the lane, its cloud, and an empty list. */
    const int64_t i = blockIdx.x * (int64_t)THREADS + threadIdx.x;
    const bool active = i < a.rows.n;
    const coordinates q = query_at<DIM>(a, active ? i : 0);
    const float r2 = (float)a.r2;
    const uint32_t skipped = active ? bi_clouds_skipped_id(&a, i) : UINT32_MAX;
    const int64_t number = !active ? 0 : a.self ? i : bi_clouds_query_index(&a, i);
    const int64_t cloud = bi_clouds_cloud_of(a.offsets, a.view.cloud_count, number);
    nearest_list<K> list;
    list.clear((int)a.k);
    /* 2. The lanes of a cloud walk from the leaf of the first of them. */
    for (unsigned waiting = __ballot_sync(~0u, active); waiting;) {
        const int first = __ffs((int)waiting) - 1;
        const int64_t first_cloud = __shfl_sync(~0u, cloud, first), first_row = __shfl_sync(~0u, i, first);
        const bool member = active && cloud == first_cloud;
        waiting &= ~__ballot_sync(~0u, member);
        walk_leaves(
            a, first_row,
            [&](const bi_clouds_walk &w) {
                return __any_sync(~0u, member && is_near<DIM, K>(a.view, w, q, r2, list)) != 0;
            },
            [&](int64_t begin, int64_t end) {
                if (member) scan_leaf<DIM, K>(a.view, q, r2, skipped, begin, end, &list);
            });
    }
    /* 3. The row. */
    if (active) write_row<K>(a, i, list);
}

/* Calls visit(begin, end) for the leaves of a cloud whose test(slot) is true, in the order of their points. */
template <class TEST, class VISIT>
static __device__ __forceinline__ void scan_leaves(const bi_clouds_view &v, int64_t cloud, const TEST &test,
                                                   const VISIT &visit)
{
    const int64_t offset = v.offsets[cloud], end = v.offsets[cloud + 1];
    int64_t slot = bi_clouds_node_slot(&v, 0, offset, cloud);
    for (int64_t p = offset; p < end; p += BI_CLOUDS_LEAF, slot++)
        if (test(slot)) visit(p, p + BI_CLOUDS_LEAF < end ? p + BI_CLOUDS_LEAF : end);
}

/* The same walk for all points within the radius: counts, or rows as bi_clouds_fill_within fills them. Small clouds are
 * in the order of their ids: their leaves are tested one after the other, so that rows need no sort. */
template <int DIM, bool FILL>
static __global__ void __launch_bounds__(THREADS) bi_clouds_radius_by_warp(const bi_clouds_query a)
{
    /* 1. The query of the lane, its cloud and its row. */
    const int64_t i = blockIdx.x * (int64_t)THREADS + threadIdx.x;
    const bool active = i < a.rows.n;
    const coordinates q = query_at<DIM>(a, active ? i : 0);
    const float r2 = (float)a.r2, *points = static_cast<const float *>(a.view.points);
    const uint32_t skipped = active ? bi_clouds_skipped_id(&a, i) : UINT32_MAX;
    const int64_t number = !active ? 0 : a.self ? i : bi_clouds_query_index(&a, i);
    const int64_t cloud = bi_clouds_cloud_of(a.offsets, a.view.cloud_count, number);
    const int64_t index = active ? bi_clouds_query_index(&a, i) : 0, at = FILL && active ? a.row_offsets[index] : 0;
    const int64_t capacity = FILL && active ? a.row_offsets[index + 1] - at : 0;
    const bi_row_out out = {a.ids, a.dist2, at, a.ids_64bit, true, false};
    int64_t count = 0;
    /* 2. The lanes of a cloud walk from the leaf of the first of them. */
    for (unsigned waiting = __ballot_sync(~0u, active); waiting;) {
        const int first = __ffs((int)waiting) - 1;
        const int64_t first_cloud = __shfl_sync(~0u, cloud, first), first_row = __shfl_sync(~0u, i, first);
        const bool member = active && cloud == first_cloud;
        waiting &= ~__ballot_sync(~0u, member);
        const auto test = [&](int64_t slot) {
            const float d = squared_box_distance<DIM>(static_cast<const float *>(a.view.boxes), slot, q);
            return __any_sync(~0u, member && d <= r2) != 0;
        };
        const auto visit = [&](int64_t begin, int64_t end) {
            for (int64_t p = begin; member && p < end; p++) {
                const float d = squared_distance(q, load_coordinates<DIM>(points, p));
                if (!(d <= r2) || a.view.ids[p] == skipped) continue;
                if (FILL && count < capacity) bi_row_set(&out, count, (double)d, a.view.ids[p]);
                count++;
            }
        };
        if (a.view.sorted)
            walk_leaves(
                a, first_row,
                [&](const bi_clouds_walk &w) {
                    return test(bi_clouds_node_slot(&a.view, w.level, w.offset, w.cloud) + w.index);
                },
                visit);
        else
            scan_leaves(a.view, first_cloud, test, visit);
    }
    /* 3. The count, or the row in order. */
    if (!active) return;
    if (!FILL)
        a.counts[index] = count;
    else if (count != capacity)
        bi_atomic_min_i64(a.bad, index);
    else if (a.view.sorted && !bi_row_list_long(a.long_rows, index, count))
        bi_row_sort(&out, count);
}

template <int DIM, int K> static bosc_status launch_knn(bosc_ctx *ctx, int64_t n, const bi_clouds_query &a)
{
    const bool is_coherent = a.self || a.order || !a.view.sorted;
    const auto kernel = is_coherent ? bi_clouds_knn_by_warp<DIM, K> : bi_clouds_knn_by_thread<DIM, K>;
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

bosc_status bi_cuda_clouds_radius(bosc_ctx *ctx, int64_t n, const void *args, bool fill, bool *served)
{
    const bi_clouds_query *a = static_cast<const bi_clouds_query *>(args);
    const int64_t most_blocks = INT32_MAX;
    const bool is_coherent = a->self || a->order || !a->view.sorted;
    const bool has_kernel = !a->view.is_f64 && (a->view.dim == 2 || a->view.dim == 3) && is_coherent;
    if (!has_kernel || n > most_blocks * THREADS) return BOSC_OK;
    *served = true;
    if (n == 0) return BOSC_OK;
    const auto kernel = a->view.dim == 2
                            ? (fill ? bi_clouds_radius_by_warp<2, true> : bi_clouds_radius_by_warp<2, false>)
                            : (fill ? bi_clouds_radius_by_warp<3, true> : bi_clouds_radius_by_warp<3, false>);
    return BI_RUN(ctx, kernel, (unsigned)bi_div_up(n, THREADS), THREADS, 0, *a);
}
