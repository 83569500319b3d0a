/* Exact distances for the filter, in the order of coordinates, and the nearest by them. */
#include "core/cuda/warp.cuh"
#include "kdtree/cuda/search/filter_measure.cuh"
#include "kdtree/cuda/search/warp_walk.cuh"

enum {
    THREADS = 128, /* not measured */
    WARPS = THREADS / 32
};

/* Coordinates of 32 nodes, in turn, and of the query, for a warp. A row has a word more, so that lanes access
 * different banks. */
template <class T> struct warp_rows {
    T x[32][33];
    typename bi_kdtree_distance_of<T>::type query[32];
    uint32_t positions[32];
};

/* Returns the squared distance of node `position`, one a lane, terms in the order of coordinates: bit for bit
 * bosc_kdtree_dist2, but for NaN. All lanes call it. */
template <class T>
static __device__ __forceinline__ typename bi_kdtree_distance_of<T>::type
measure_nodes(const bi_kdtree_cuda_search &a, const T *query, uint32_t position, warp_rows<T> &rows)
{
    typedef typename bi_kdtree_distance_of<T>::type D;
    const T *points = static_cast<const T *>(a.nodes.points);
    const int lane = (int)threadIdx.x % 32;
    D sum = 0;
    rows.positions[lane] = position;
    for (int first = 0; first < a.dim; first += 32) {
        const int width = min(32, a.dim - first);
        __syncwarp(); /* positions are written; the coordinates before have been read */
        if (lane < width) {
            rows.query[lane] = (D)query[first + lane];
#pragma unroll 8
            for (int r = 0; r < 32; r++)
                rows.x[r][lane] = points[rows.positions[r] * (size_t)(uint32_t)a.dim + (uint32_t)(first + lane)];
        }
        __syncwarp(); /* the coordinates of all lanes are written */
        for (int c = 0; c < width; c++) {
            const D d = rows.query[c] - (D)rows.x[lane][c];
            sum = first + c == 0 ? d * d : sum + d * d;
        }
    }
    __syncwarp(); /* all lanes have read the last coordinates */
    return sum;
}

/* Adds node `position` of each lane, if `any`, to the nearest. */
template <class T>
static __device__ __forceinline__ void
add_nodes(const bi_kdtree_cuda_search &a, const T *query, bool any, uint32_t position, warp_rows<T> &rows,
          bi_kdtree_nearest_lanes<typename bi_kdtree_distance_of<T>::type> &nearest)
{
    typedef typename bi_kdtree_distance_of<T>::type D;
    const D d = measure_nodes<T>(a, query, any ? position : 0, rows);
    bi_kdtree_neighbour<D> x = bi_kdtree_neighbour<D>::of(d, any ? a.nodes.ids[position] : BI_KDTREE_NONE);
    if (!any || x.distance() > (D)a.limit) x = bi_kdtree_neighbour<D>::of((D)INFINITY, BI_KDTREE_NONE);
    nearest.add_near(x);
}

template <class T> static __device__ __forceinline__ const T *query_of(const bi_kdtree_filter_batch &m, uint32_t number)
{
    return static_cast<const T *>(m.a.queries) + (m.first + number) * m.a.stride;
}

template <class T> struct measure_shared {
    warp_rows<T> rows[WARPS];
    bi_kdtree_neighbour<typename bi_kdtree_distance_of<T>::type> nearest[WARPS][32];
};

/* Selects the nearest candidates, a warp a query. Queries whose list lacks some are listed. */
template <class T>
static __global__ void __launch_bounds__(THREADS) bi_kdtree_filter_measure_listed(const bi_kdtree_filter_batch m)
{
    typedef typename bi_kdtree_distance_of<T>::type D;
    BI_SHARED(measure_shared<T>, sh);
    const uint32_t number = blockIdx.x * WARPS + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (number >= m.count || bi_kdtree_has_bad_query(m.a) || !bi_kdtree_chooses_filter(m.choice)) return;
    const uint32_t count = m.counts[number];
    if (count > (uint32_t)m.capacity) {
        if (lane == 0) m.unlisted[atomicAdd(m.unlisted_count, 1u)] = number;
        return;
    }
    bi_kdtree_nearest_lanes<D> nearest;
    nearest.clear(m.a.k);
    const uint32_t *list = m.lists + (size_t)number * (uint32_t)m.capacity;
    for (uint32_t i = lane; i - lane < count; i += 32)
        add_nodes<T>(m.a, query_of<T>(m, number), i < count, i < count ? list[i] : 0, sh.rows[threadIdx.x / 32],
                     nearest);
    nearest.write(bi_kdtree_row_of(m.a, (uint32_t)(m.first + number)), m.a.ids, static_cast<D *>(m.a.dist2), m.a.wide);
}

/* Measures all nodes for each unlisted query, a block a query. */
template <class T>
static __global__ void __launch_bounds__(THREADS) bi_kdtree_filter_measure_all(const bi_kdtree_filter_batch m)
{
    typedef typename bi_kdtree_distance_of<T>::type D;
    BI_SHARED(measure_shared<T>, sh);
    const uint32_t warp = threadIdx.x / 32, lane = threadIdx.x % 32, count = m.unlisted ? *m.unlisted_count : m.count;
    if (bi_kdtree_has_bad_query(m.a) || !bi_kdtree_chooses_filter(m.choice)) return;
    for (uint32_t i = blockIdx.x; i < count; i += gridDim.x) {
        /* 1. Each warp finds the nearest in its share of the nodes. */
        const uint32_t number = m.unlisted ? m.unlisted[i] : i;
        bi_kdtree_nearest_lanes<D> nearest;
        nearest.clear(m.a.k);
        for (uint64_t at = warp * 32; at < m.a.n; at += THREADS)
            add_nodes<T>(m.a, query_of<T>(m, number), at + lane < m.a.n, (uint32_t)at + lane, sh.rows[warp], nearest);
        /* 2. The first warp merges them, and writes the row. The barriers make the lists visible, and end their use. */
        sh.nearest[warp][lane] =
            (int)lane < m.a.k ? nearest.own : bi_kdtree_neighbour<D>::of((D)INFINITY, BI_KDTREE_NONE);
        __syncthreads();
        if (warp == 0) {
            for (int w = 1; w < WARPS; w++) nearest.add_near(sh.nearest[w][lane]);
            nearest.write(bi_kdtree_row_of(m.a, (uint32_t)(m.first + number)), m.a.ids, static_cast<D *>(m.a.dist2),
                          m.a.wide);
        }
        __syncthreads();
    }
}

/* --- Launches ----------------------------------------------------------------------------------------------------- */

template <class T> static bosc_status measure_all(bosc_ctx *ctx, const bi_kdtree_filter_batch &m)
{
    auto kernel = bi_kdtree_filter_measure_all<T>;
    return BI_RUN(ctx, kernel, bi_grid_size(ctx, m.count, 1), THREADS, 0, m);
}

template <class T> static bosc_status measure_listed(bosc_ctx *ctx, const bi_kdtree_filter_batch &m)
{
    auto kernel = bi_kdtree_filter_measure_listed<T>;
    BI_TRY(ctx->backend->fill(ctx, m.unlisted_count, 0, sizeof *m.unlisted_count));
    BI_TRY(BI_RUN(ctx, kernel, (unsigned)bi_div_up(m.count, WARPS), THREADS, 0, m));
    return measure_all<T>(ctx, m);
}

bosc_status bi_kdtree_filter_measure(bosc_ctx *ctx, bosc_dtype dtype, const bi_kdtree_filter_batch &m)
{
    switch (dtype) {
    case BOSC_F32: return m.lists ? measure_listed<float>(ctx, m) : measure_all<float>(ctx, m);
    case BOSC_F64: return m.lists ? measure_listed<double>(ctx, m) : measure_all<double>(ctx, m);
    case BOSC_I32: return m.lists ? measure_listed<int32_t>(ctx, m) : measure_all<int32_t>(ctx, m);
    default: return m.lists ? measure_listed<int64_t>(ctx, m) : measure_all<int64_t>(ctx, m);
    }
}
