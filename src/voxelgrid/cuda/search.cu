/* Searches around queries in dense and sparse voxel grids on CUDA. */
#include <algorithm>
#include <cmath>

#include "voxelgrid/cuda/visit_bricks.cuh"
#include "voxelgrid/cuda/visit_voxels.cuh"
#include "voxelgrid/cuda/dense_view.cuh"
#include "voxelgrid/steps/steps.h"

/* Reads the query of an item; returns the row of its answer. */
__device__ __forceinline__ int64_t read_query(const search_view &g, const bi_voxelgrid_query &a, int64_t item, float *q)
{
    if (a.self) return (int64_t)bi_voxelgrid_read_point(g.points[item], q);
    const int64_t own = a.same_source ? (int64_t)g.points[item].w : item;
    bi_voxelgrid_read_row(a.rows, own, q);
    return a.order ? (int64_t)a.order[item] : own;
}

/* Counts points within the radius by fused operations. In doubt, the query is counted again by squared_distance. */
struct fused_count {
    float least_excess; /* in magnitude */
    uint32_t count;

    __device__ __forceinline__ void add_point(const search_view &g, const float *q, uint4 point)
    {
        const float excess = fused_excess(g, q, point);
        least_excess = fminf(least_excess, fabsf(excess));
        count += __float_as_uint(excess) >> 31; /* the sign: within the radius */
    }
    __device__ bool is_in_doubt(const search_view &g) const { return !(least_excess > doubt_limit(g)); }
};

/* Counts by squared_distance around an item, by STEP threads, this one being number `own`. */
template <unsigned STEP, class VIEW>
static __device__ uint32_t recount(const VIEW &g, const bi_voxelgrid_query &a, int64_t item, uint32_t own)
{
    float q[BI_VOXELGRID_DIM];
    near_box box;
    uint32_t count = 0;
    read_query(g, a, item, q);
    if (box_around(g, q, &box))
        visit_by_thread<STEP>(g, box, 0, own, [&](uint4 point) { count += squared_distance(q, point) <= g.r2; });
    return count;
}

enum { MAX_WARP_RECOUNTS = 4 }; /* less: more lanes wait for one; more: more recounts in turn. Not measured */

/* Recounts the queries in doubt. Up to MAX_WARP_RECOUNTS are recounted one after the other by the whole warp, which
 * would otherwise wait for single threads. `item`: of this thread. */
template <class VIEW>
static __device__ void recount_doubtful(const VIEW &g, const bi_voxelgrid_query &a, int64_t item, bool doubt,
                                        uint32_t *count)
{
    const unsigned lane = threadIdx.x % 32;
    unsigned left = __ballot_sync(~0u, doubt); /* lanes whose queries remain */
    if (__popc(left) > MAX_WARP_RECOUNTS) {
        if (doubt) *count = recount<1>(g, a, item, 0);
        return;
    }
    for (; left; left &= left - 1) {
        const int of = __ffs((int)left) - 1;
        const uint32_t all = bi_warp_sum(recount<32>(g, a, __shfl_sync(~0u, item, of), lane));
        if ((int)lane == of) *count = all;
    }
}

/* Counts by LANES threads a query, each on its own. */
template <unsigned LANES, int COUNT_THREADS, int BLOCKS, class VIEW>
static __global__ void __launch_bounds__(COUNT_THREADS, BLOCKS)
    bi_voxelgrid_count_per_thread(const VIEW g, const bi_voxelgrid_query a, int64_t begin, int64_t end)
{
    const int64_t i = begin + (blockIdx.x * (int64_t)COUNT_THREADS + threadIdx.x) / LANES;
    const bool active = i < end;
    float q[BI_VOXELGRID_DIM];
    near_box box;
    fused_count near = {INFINITY, 0};
    /* 1. Count by fused operations. */
    const int64_t row = active ? read_query(g, a, i, q) : 0;
    if (active && box_around(g, q, &box))
        visit_by_thread<LANES>(g, box, 0, threadIdx.x % LANES, [&](uint4 point) { near.add_point(g, q, point); });
#pragma unroll
    /* 2. Sum over the threads of the query. */
    for (unsigned d = LANES / 2; d > 0; d /= 2) {
        near.count += __shfl_xor_sync(~0u, near.count, d);
        near.least_excess = fminf(near.least_excess, __shfl_xor_sync(~0u, near.least_excess, d));
    }
    /* 3. Recount in doubt, and write. __stcs: the counts are not read again. */
    const bool writes = active && threadIdx.x % LANES == 0;
    recount_doubtful(g, a, i, writes && near.is_in_doubt(g), &near.count);
    if (writes) __stcs(a.counts + row, (int64_t)near.count);
}

/* A view and a radius with coordinates times a power of two, so that a squared distance is in doubt if it is within
 * 2 of the squared radius: that is then one bit of a float. */
struct scaled_view : search_view {
    float scale, scaled_r2;
};

static scaled_view make_scaled_view(const bi_voxelgrid_query &a)
{
    /* Largest binary exponents of scaled_r2 (rounding errors below 2), coordinates and the scale. */
    enum { RADIUS_EXPONENT = 22, COORDINATE_EXPONENT = 100, SCALE_EXPONENT = 60 };
    scaled_view s;
    double farthest = 0;
    int r2_exponent, farthest_exponent;
    static_cast<search_view &>(s) = make_view<search_view>(a.view, a.r2, a.reach);
    for (int c = 0; c < BI_VOXELGRID_DIM; c++)
        farthest = fmax(farthest, fmax(fabs(s.low[c]), fabs(s.low[c] + s.side[c])) * s.cell);
    frexp(s.r2, &r2_exponent);
    frexp(farthest, &farthest_exponent);
    const int scale = std::min({(int)floor((RADIUS_EXPONENT - r2_exponent) / 2.0),
                                COORDINATE_EXPONENT - farthest_exponent, (int)SCALE_EXPONENT});
    s.scale = ldexpf(1, scale);
    s.scaled_r2 = s.r2 * s.scale * s.scale;
    return s;
}

/* The count around a scaled query. *sure is the AND of the bits of all excesses: a bit is set if all have it. */
struct scaled_count {
    float q[BI_VOXELGRID_DIM];
    uint32_t count;

    __device__ __forceinline__ void add_point(const scaled_view &g, uint4 point, uint32_t *sure)
    {
        const float x = fmaf(__uint_as_float(point.x), -g.scale, q[0]);
        const float y = fmaf(__uint_as_float(point.y), -g.scale, q[1]);
        const float z = fmaf(__uint_as_float(point.z), -g.scale, q[2]);
        const uint32_t excess = __float_as_uint(fmaf(z, z, fmaf(y, y, fmaf(x, x, -g.scaled_r2))));
        *sure &= excess;
        count += excess >> 31; /* the sign: within the radius */
    }
};

/* Counts by pairs of threads: each compares half of the points near two neighbouring queries with both. Pairs of
 * queries far apart are recounted like those in doubt. begin < end. Threads beyond `end` repeat the last query, and
 * write nothing. */
template <int COUNT_THREADS, int BLOCKS>
static __global__ void __launch_bounds__(COUNT_THREADS, BLOCKS)
    bi_voxelgrid_dense_count_paired(const scaled_view g, const bi_voxelgrid_query a, int64_t begin, int64_t end)
{
    const int64_t i = begin + blockIdx.x * (int64_t)COUNT_THREADS + threadIdx.x;
    const bool active = i < end;
    const uint32_t certain_bit = 1u << 30; /* set in floats of magnitude 2 or more */
    uint32_t sure = ~0u;
    near_box box;
    scaled_count own = {{0, 0, 0}, 0}, other = {{0, 0, 0}, 0};
    /* 1. Own query, that of the other thread, and their common box. */
    const int64_t row = read_query(g, a, active ? i : end - 1, own.q);
#pragma unroll
    for (int c = 0; c < BI_VOXELGRID_DIM; c++) other.q[c] = __shfl_xor_sync(~0u, own.q[c], 1);
    const bool has_common_box = box_around_both(g, own.q, other.q, &box);
#pragma unroll
    for (int c = 0; c < BI_VOXELGRID_DIM; c++) {
        own.q[c] *= g.scale;
        other.q[c] *= g.scale;
    }
    /* 2. Compare half of the points with both queries. */
    if (has_common_box)
        visit_by_thread<2>(g, box, 0, threadIdx.x % 2, [&](uint4 point) {
            own.add_point(g, point, &sure);
            other.add_point(g, point, &sure);
        });
    /* 3. Add the other thread's half, recount in doubt, and write. */
    own.count += __shfl_xor_sync(~0u, other.count, 1);
    sure &= __shfl_xor_sync(~0u, sure, 1);
    recount_doubtful(g, a, i, active && !(has_common_box && sure & certain_bit), &own.count);
    if (active) __stcs(a.counts + row, (int64_t)own.count);
}

/* Counts by whole warps. */
static __global__ void __launch_bounds__(THREADS)
    bi_voxelgrid_dense_count_per_warp(const search_view g, const bi_voxelgrid_query a, int64_t begin, int64_t end)
{
    BI_SHARED(visit_shared, visited);
    for_each_item<PER_WARP>(begin, end, [&](int64_t i, bool active) {
        float q[BI_VOXELGRID_DIM];
        fused_count near = {INFINITY, 0};
        /* Count by fused operations, recount in doubt. */
        const int64_t row = active ? read_query(g, a, i, q) : 0;
        visit_around<PER_WARP>(g, visited.stage(), q, active, 0, [&](uint4 point) { near.add_point(g, q, point); });
        recount_doubtful(g, a, i, active && near.is_in_doubt(g), &near.count);
        if (active) a.counts[row] = near.count;
    });
}

/* Counts by warps that share queries. */
static __global__ void __launch_bounds__(THREADS)
    bi_voxelgrid_dense_count_shared(const search_view g, const bi_voxelgrid_query a, int64_t begin, int64_t end)
{
    BI_SHARED(visit_shared, visited);
    BI_SHARED(query_counts, counts);
    for_each_item<SHARED_QUERIES>(begin, end, [&](int64_t i, bool active) {
        float q[BI_VOXELGRID_DIM];
        uint32_t count = 0;
        /* Each warp counts its share of the rows of voxels; the first warp gets the sum. */
        const int64_t row = active ? read_query(g, a, i, q) : 0;
        visit_around<SHARED_QUERIES>(g, visited.stage(), q, active, 0,
                                     [&](uint4 point) { count += squared_distance(q, point) <= g.r2; });
        count = counts.sum(count);
        if (active && threadIdx.x < 32) a.counts[row] = count;
    });
}

/* Fills the rows of points within the radius. */
template <bool DISTANCES, visit_mode MODE, class VIEW>
static __global__ void __launch_bounds__(THREADS)
    bi_voxelgrid_radius_fill(const VIEW g, const bi_voxelgrid_query a, int64_t begin, int64_t end)
{
    /* Longest row that is collected in shared memory; another kernel sorts longer ones. */
    constexpr int LIMIT = MODE == PER_WARP && !DISTANCES ? 2 * ROW_LIMIT : ROW_LIMIT;
    typedef search_shared<DISTANCES, LIMIT> shared;
    BI_SHARED(visit_shared, visited);
    BI_SHARED(shared, sh);
    for_each_item<MODE>(begin, end, [&](int64_t i, bool active) {
        float q[BI_VOXELGRID_DIM];
        const int64_t row = active ? read_query(g, a, i, q) : 0;
        const bi_row_out out = {a.ids, a.dist2, active ? a.offsets[row] : 0, a.ids_64bit, true, false};
        row_filler<VIEW, DISTANCES, LIMIT> filler = {out, active ? a.offsets[row + 1] - out.at : 0, {sh.found, 0}};
        visit_around<MODE>(g, visited.stage(), q, active, 0, [&](uint4 point) {
            const float d = squared_distance(q, point);
            if (d <= g.r2) filler.add(d, point.w);
        });
        if (!filler.is_full()) bi_atomic_min_i64(a.bad, row); /* the offsets do not match the points */
        filler.finish(a.long_rows, row);
    });
}

/* Most queries a multiprocessor for which four or two threads a query, or blocks with as many registers as they need,
 * are used. With more queries, pairs of threads share points at densities from PAIRED_BEGIN on; from PAIRED_END on
 * warps take precedence. Measured on an H100: 16,384 queries take 10.0 us by four threads, 10.8 by two, 16.6 by one;
 * 131,072 17.2 with all registers, 18.0 without, 262,144 29.0 and 25.6. A million queries take 102 us by pairs of
 * threads, 52.3 by single ones, at 2 neighbours each, 96.1 and 106 at 14. PAIRED_END is not measured.
 * SPARSE_BLOCKS: of a multiprocessor, which leaves as many registers as sparse views need. Measured, 1 M points in 64
 * clusters: 101 us, with 8 blocks 116, with 4 104. */
#ifdef BI_EMULATE
enum {
    FOUR_LANE_QUERIES = 40,
    TWO_LANE_QUERIES = 80,
    UNLIMITED_REGISTER_QUERIES = 120,
    SMALL_BLOCK = 64,
    LARGE_BLOCK = 64,
    SPARSE_BLOCKS = 1
};
static constexpr double PAIRED_BEGIN = 0.75, PAIRED_END = 1.5;
#else
enum {
    FOUR_LANE_QUERIES = 256,
    TWO_LANE_QUERIES = 768,
    UNLIMITED_REGISTER_QUERIES = 1024,
    SMALL_BLOCK = 256,
    LARGE_BLOCK = 512,
    SPARSE_BLOCKS = 5
};
static constexpr double PAIRED_BEGIN = 3, PAIRED_END = 8;
#endif

/* Launches counts by LANES threads a query. */
template <unsigned LANES, int COUNT_THREADS, int BLOCKS, class VIEW>
static bosc_status launch_per_thread(bosc_ctx *ctx, int64_t n, const bi_voxelgrid_query &a)
{
    LAUNCH_IN_CHUNKS(ctx, VIEW, (bi_voxelgrid_count_per_thread<LANES, COUNT_THREADS, BLOCKS, VIEW>),
                     COUNT_THREADS / LANES, COUNT_THREADS, a);
}

template <int COUNT_THREADS, int BLOCKS>
static bosc_status launch_paired(bosc_ctx *ctx, int64_t n, const bi_voxelgrid_query &a)
{
    const scaled_view view = make_scaled_view(a);
    bi_batches p = bi_batches_of(ctx, n, 1);
    while (bi_next_batch(ctx, &p))
        BI_TRY(BI_RUN_BATCH(ctx, (bi_voxelgrid_dense_count_paired<COUNT_THREADS, BLOCKS>),
                            (unsigned)bi_div_up(p.end - p.begin, COUNT_THREADS), COUNT_THREADS, 0, view, a, p.begin,
                            p.end));
    return p.status;
}

bosc_status bi_cuda_voxelgrid_radius_count(bosc_ctx *ctx, int64_t n, const void *args)
{
    const bi_voxelgrid_query &a = *static_cast<const bi_voxelgrid_query *>(args);
    const int64_t per_multiprocessor = bi_div_up(n, ctx->multiprocessors);
    const bool few = choose_mode(ctx, a.view, n) == SHARED_QUERIES;
    const bool pairs = per_multiprocessor > TWO_LANE_QUERIES && a.view.peak_density >= PAIRED_BEGIN;
    if (pairs && a.view.peak_density < PAIRED_END) return launch_paired<LARGE_BLOCK, 3>(ctx, n, a);
    if (a.view.peak_density >= (few || per_multiprocessor > UNLIMITED_REGISTER_QUERIES ? CROWDED : 2 * CROWDED)) {
        if (few) LAUNCH_SHARED(ctx, bi_voxelgrid_dense_count_shared, a);
        LAUNCH(ctx, search_view, bi_voxelgrid_dense_count_per_warp, a);
    }
    if (pairs) return launch_paired<LARGE_BLOCK, 3>(ctx, n, a);
    if (per_multiprocessor <= FOUR_LANE_QUERIES) return launch_per_thread<4, SMALL_BLOCK, 1, search_view>(ctx, n, a);
    if (per_multiprocessor <= TWO_LANE_QUERIES) return launch_per_thread<2, SMALL_BLOCK, 1, search_view>(ctx, n, a);
    if (per_multiprocessor <= UNLIMITED_REGISTER_QUERIES)
        return launch_per_thread<1, LARGE_BLOCK, 1, search_view>(ctx, n, a);
    return launch_per_thread<1, LARGE_BLOCK, 2048 / LARGE_BLOCK, search_view>(ctx, n, a);
}

template <bool DISTANCES> static bosc_status radius_fill(bosc_ctx *ctx, int64_t n, const bi_voxelgrid_query &a)
{
    if (choose_mode(ctx, a.view, n) == PER_THREAD)
        LAUNCH(ctx, search_view, (bi_voxelgrid_radius_fill<DISTANCES, PER_THREAD, search_view>), a);
    LAUNCH(ctx, search_view, (bi_voxelgrid_radius_fill<DISTANCES, PER_WARP, search_view>), a);
}

bosc_status bi_cuda_voxelgrid_radius_fill(bosc_ctx *ctx, int64_t n, const void *args)
{
    const bi_voxelgrid_query &a = *static_cast<const bi_voxelgrid_query *>(args);
    return a.dist2 ? radius_fill<true>(ctx, n, a) : radius_fill<false>(ctx, n, a);
}

bosc_status bi_cuda_voxelgrid_sparse_radius_count(bosc_ctx *ctx, int64_t n, const void *args)
{
    const bi_voxelgrid_query &a = *static_cast<const bi_voxelgrid_query *>(args);
    return launch_per_thread<1, SMALL_BLOCK, SPARSE_BLOCKS, sparse_view>(ctx, n, a);
}

bosc_status bi_cuda_voxelgrid_sparse_radius_fill(bosc_ctx *ctx, int64_t n, const void *args)
{
    const bi_voxelgrid_query &a = *static_cast<const bi_voxelgrid_query *>(args);
    if (a.dist2) LAUNCH(ctx, sparse_view, (bi_voxelgrid_radius_fill<true, PER_THREAD, sparse_view>), a);
    LAUNCH(ctx, sparse_view, (bi_voxelgrid_radius_fill<false, PER_THREAD, sparse_view>), a);
}
