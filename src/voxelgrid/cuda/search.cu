/* Searches around queries in dense voxel grids on CUDA. */
#include <algorithm>
#include <cmath>

#include "voxelgrid/cuda/columns.cuh"
#include "voxelgrid/cuda/fused.cuh"
#include "voxelgrid/steps/steps.h"

/* Whose answer item k of the queries is, and where that query is. */
__device__ __forceinline__ int64_t read_item(const dense_view &g, const bi_voxelgrid_query &a, int64_t item, float *q)
{
    if (a.self) return (int64_t)bi_voxelgrid_read_point(g.points[item], q);
    const int64_t own = a.own ? (int64_t)g.points[item].w : item;
    bi_voxelgrid_read_row(a.rows, own, q);
    return a.order ? (int64_t)a.order[item] : own;
}

/* Counts points within the radius; in doubt all are to be compared as distances are defined. */
struct near_count {
    float least;
    uint32_t count;

    __device__ __forceinline__ void see(const dense_view &g, const float *q, uint4 point)
    {
        const float more = more_than_radius(g, q, point);
        least = fminf(least, fabsf(more));
        count += __float_as_uint(more) >> 31;
    }
    __device__ bool is_in_doubt(const dense_view &g) const { return !(least > doubt_of(g)); }
};

/* Counts as distances are defined, around an item, by STEP threads of which this is number `own`. */
template <unsigned STEP>
static __device__ uint32_t count_again(const dense_view &g, const bi_voxelgrid_query &a, int64_t item, uint32_t own)
{
    float q[BI_VOXELGRID_DIM];
    near_box box;
    uint32_t count = 0;
    read_item(g, a, item, q);
    if (box_around(g, q, &box))
        visit_alone<STEP>(g, box, 0, own, [&](uint4 point) { count += squared_distance(q, point) <= g.r2; });
    return count;
}

enum { FEW_DOUBTS = 4 }; /* of a warp */

/* Counts again for the threads in doubt: where they are few the whole warp does, for one after the other, as it would
 * wait for each. `item`: of this thread. */
static __device__ void settle(const dense_view &g, const bi_voxelgrid_query &a, int64_t item, bool doubt,
                              uint32_t *count)
{
    const unsigned lane = threadIdx.x % 32;
    unsigned left = __ballot_sync(~0u, doubt);
    if (__popc(left) > FEW_DOUBTS) {
        if (doubt) *count = count_again<1>(g, a, item, 0);
        return;
    }
    for (; left; left &= left - 1) {
        const int of = __ffs((int)left) - 1;
        const uint32_t all = bi_warp_sum(count_again<32>(g, a, __shfl_sync(~0u, item, of), lane));
        if ((int)lane == of) *count = all;
    }
}

/* LANES threads a query. */
template <unsigned LANES, int COUNT_THREADS, int BLOCKS>
static __global__ void __launch_bounds__(COUNT_THREADS, BLOCKS)
    bi_voxelgrid_dense_count_alone(const dense_view g, const bi_voxelgrid_query a, int64_t begin, int64_t end)
{
    const int64_t i = begin + (blockIdx.x * (int64_t)COUNT_THREADS + threadIdx.x) / LANES;
    const bool asks = i < end;
    float q[BI_VOXELGRID_DIM];
    near_box box;
    near_count near = {INFINITY, 0};
    const int64_t row = asks ? read_item(g, a, i, q) : 0;
    if (asks && box_around(g, q, &box))
        visit_alone<LANES>(g, box, 0, threadIdx.x % LANES, [&](uint4 point) { near.see(g, q, point); });
#pragma unroll
    for (unsigned d = LANES / 2; d > 0; d /= 2) {
        near.count += __shfl_xor_sync(~0u, near.count, d);
        near.least = fminf(near.least, __shfl_xor_sync(~0u, near.least, d));
    }
    const bool answers = asks && threadIdx.x % LANES == 0;
    settle(g, a, i, answers && near.is_in_doubt(g), &near.count);
    if (answers) __stcs(a.counts + row, (int64_t)near.count);
}

/* A view and a radius with coordinates times a power of two, so that a squared distance is in doubt if it is nearer
 * than 2 to the squared radius. */
struct scaled_view : dense_view {
    float scale, scaled_r2;
};

static scaled_view scaled_view_of(const bi_voxelgrid_query &a)
{
    enum {
        FINE = 22,
        FARTHEST = 100,
        MOST = 60
    }; /* binary exponents: of scaled_r2, coordinates and the scale, at most */
    scaled_view s;
    double farthest = 0;
    int r2, far;
    static_cast<dense_view &>(s) = dense_view_of(a.view, a.r2, a.reach);
    for (int c = 0; c < BI_VOXELGRID_DIM; c++)
        farthest = fmax(farthest, fmax(fabs(s.low[c]), fabs(s.low[c] + s.side[c])) * s.cell);
    frexp(s.r2, &r2);
    frexp(farthest, &far);
    const int scale = std::min({(int)floor((FINE - r2) / 2.0), FARTHEST - far, (int)MOST});
    s.scale = ldexpf(1, scale);
    s.scaled_r2 = s.r2 * s.scale * s.scale;
    return s;
}

/* What is counted around a query; bits of all differences from the squared radius are joined in `sure`. */
struct scaled_count {
    float q[BI_VOXELGRID_DIM];
    uint32_t count;

    __device__ __forceinline__ void see(const scaled_view &g, uint4 point, uint32_t *sure)
    {
        const float x = fmaf(__uint_as_float(point.x), -g.scale, q[0]);
        const float y = fmaf(__uint_as_float(point.y), -g.scale, q[1]);
        const float z = fmaf(__uint_as_float(point.z), -g.scale, q[2]);
        const uint32_t more = __float_as_uint(fmaf(z, z, fmaf(y, y, fmaf(x, x, -g.scaled_r2))));
        *sure &= more;
        count += more >> 31;
    }
};

/* Two threads have two neighbouring queries, and each compares half of the points near them with both. Queries that
 * have little in common are settled like those in doubt. */
template <int COUNT_THREADS, int BLOCKS>
static __global__ void __launch_bounds__(COUNT_THREADS, BLOCKS)
    bi_voxelgrid_dense_count_paired(const scaled_view g, const bi_voxelgrid_query a, int64_t begin, int64_t end)
{
    const int64_t i = begin + blockIdx.x * (int64_t)COUNT_THREADS + threadIdx.x;
    const bool asks = i < end;
    const uint32_t not_near = 1u << 30; /* of a float that is 2 or more */
    uint32_t sure = ~0u;
    near_box box;
    scaled_count own = {{0, 0, 0}, 0}, other = {{0, 0, 0}, 0};
    const int64_t row = read_item(g, a, asks ? i : end - 1, own.q);
#pragma unroll
    for (int c = 0; c < BI_VOXELGRID_DIM; c++) other.q[c] = __shfl_xor_sync(~0u, own.q[c], 1);
    const bool joins = box_around_both(g, own.q, other.q, &box);
#pragma unroll
    for (int c = 0; c < BI_VOXELGRID_DIM; c++) {
        own.q[c] *= g.scale;
        other.q[c] *= g.scale;
    }
    if (joins)
        visit_alone<2>(g, box, 0, threadIdx.x % 2, [&](uint4 point) {
            own.see(g, point, &sure);
            other.see(g, point, &sure);
        });
    own.count += __shfl_xor_sync(~0u, other.count, 1);
    sure &= __shfl_xor_sync(~0u, sure, 1);
    settle(g, a, i, asks && !(joins && sure & not_near), &own.count);
    if (asks) __stcs(a.counts + row, (int64_t)own.count);
}

/* Warps count together. */
static __global__ void __launch_bounds__(THREADS)
    bi_voxelgrid_dense_count_together(const dense_view g, const bi_voxelgrid_query a, int64_t begin, int64_t end)
{
    BI_SHARED(visit_shared, visited);
    each_item<TOGETHER>(begin, end, [&](int64_t i, bool asks) {
        float q[BI_VOXELGRID_DIM];
        near_count near = {INFINITY, 0};
        const int64_t row = asks ? read_item(g, a, i, q) : 0;
        visit_around<TOGETHER>(g, visited.stage(), q, asks, 0, [&](uint4 point) { near.see(g, q, point); });
        settle(g, a, i, asks && near.is_in_doubt(g), &near.count);
        if (asks) a.counts[row] = near.count;
    });
}

/* Warps that share queries count together. */
static __global__ void __launch_bounds__(THREADS)
    bi_voxelgrid_dense_count_shared(const dense_view g, const bi_voxelgrid_query a, int64_t begin, int64_t end)
{
    BI_SHARED(visit_shared, visited);
    BI_SHARED(shared_counts, counts);
    each_item<SHARED>(begin, end, [&](int64_t i, bool asks) {
        float q[BI_VOXELGRID_DIM];
        uint32_t count = 0;
        const int64_t row = asks ? read_item(g, a, i, q) : 0;
        visit_around<SHARED>(g, visited.stage(), q, asks, 0,
                             [&](uint4 point) { count += squared_distance(q, point) <= g.r2; });
        count = counts.sum(count);
        if (asks && threadIdx.x < 32) a.counts[row] = count;
    });
}

template <bool DISTANCES, visits HOW>
static __global__ void __launch_bounds__(THREADS)
    bi_voxelgrid_dense_radius_fill(const dense_view g, const bi_voxelgrid_query a, int64_t begin, int64_t end)
{
    constexpr int MOST = HOW == TOGETHER && !DISTANCES ? 2 * COLUMN : COLUMN; /* longer rows are sorted later */
    typedef search_shared<DISTANCES, MOST> shared;
    BI_SHARED(visit_shared, visited);
    BI_SHARED(shared, sh);
    each_item<HOW>(begin, end, [&](int64_t i, bool asks) {
        float q[BI_VOXELGRID_DIM];
        const int64_t row = asks ? read_item(g, a, i, q) : 0;
        const bi_row_out out = {a.ids, a.dist2, asks ? a.offsets[row] : 0, a.wide_ids, true, false};
        row_filler<DISTANCES, MOST> filler = {out, asks ? a.offsets[row + 1] - out.at : 0, {sh.found, 0}};
        visit_around<HOW>(g, visited.stage(), q, asks, 0, [&](uint4 point) {
            const float d = squared_distance(q, point);
            if (d <= g.r2) filler.add(d, point.w);
        });
        if (!filler.is_full()) bi_atomic_min_i64(a.bad, row);
        filler.finish(a.long_rows, row);
    });
}

/* Queries a multiprocessor, at most, for which so many threads a query are faster, or blocks of as many registers as
 * they like (ROOMY); more share their points in PAIRED points a voxel and more, and in less than PAIRED_MOST surely. */
#ifdef BI_EMULATE
enum { FOUR_THREADS = 40, TWO_THREADS = 80, ROOMY = 120, COUNT_FEW = 64, COUNT_MANY = 64 };
static constexpr double PAIRED = 0.75, PAIRED_MOST = 1.5;
#else
enum { FOUR_THREADS = 256, TWO_THREADS = 768, ROOMY = 1024, COUNT_FEW = 256, COUNT_MANY = 512 };
static constexpr double PAIRED = 3, PAIRED_MOST = 8;
#endif

/* Launches counts by LANES threads a query. */
template <unsigned LANES, int COUNT_THREADS, int BLOCKS>
static bosc_status count_alone(bosc_ctx *ctx, int64_t n, const bi_voxelgrid_query &a)
{
    RUN_IN_PARTS(ctx, (bi_voxelgrid_dense_count_alone<LANES, COUNT_THREADS, BLOCKS>), COUNT_THREADS / LANES,
                 COUNT_THREADS, a);
}

template <int COUNT_THREADS, int BLOCKS>
static bosc_status count_paired(bosc_ctx *ctx, int64_t n, const bi_voxelgrid_query &a)
{
    const scaled_view view = scaled_view_of(a);
    bi_parts p = bi_parts_of(ctx, n, 1);
    while (bi_next_part(ctx, &p))
        BI_TRY(BI_RUN_PART(ctx, (bi_voxelgrid_dense_count_paired<COUNT_THREADS, BLOCKS>),
                           (unsigned)bi_div_up(p.end - p.begin, COUNT_THREADS), COUNT_THREADS, 0, view, a, p.begin,
                           p.end));
    return p.status;
}

bosc_status bi_cuda_voxelgrid_radius_count(bosc_ctx *ctx, int64_t n, const void *args)
{
    const bi_voxelgrid_query &a = *static_cast<const bi_voxelgrid_query *>(args);
    const int64_t each = bi_div_up(n, ctx->multiprocessors);
    const bool shares = visits_of(ctx, a.view, n) == SHARED;
    const bool pairs = each > TWO_THREADS && a.view.crowd >= PAIRED;
    if (pairs && a.view.crowd < PAIRED_MOST) return count_paired<COUNT_MANY, 3>(ctx, n, a);
    if (a.view.crowd >= (shares || each > ROOMY ? CROWD : 2 * CROWD)) {
        if (shares) RUN_SHARED(ctx, bi_voxelgrid_dense_count_shared, a);
        RUN_ALONE(ctx, bi_voxelgrid_dense_count_together, a);
    }
    if (pairs) return count_paired<COUNT_MANY, 3>(ctx, n, a);
    if (each <= FOUR_THREADS) return count_alone<4, COUNT_FEW, 1>(ctx, n, a);
    if (each <= TWO_THREADS) return count_alone<2, COUNT_FEW, 1>(ctx, n, a);
    if (each <= ROOMY) return count_alone<1, COUNT_MANY, 1>(ctx, n, a);
    return count_alone<1, COUNT_MANY, 2048 / COUNT_MANY>(ctx, n, a);
}

template <bool DISTANCES> static bosc_status radius_fill(bosc_ctx *ctx, int64_t n, const bi_voxelgrid_query &a)
{
    if (visits_of(ctx, a.view, n) == ALONE) RUN_ALONE(ctx, (bi_voxelgrid_dense_radius_fill<DISTANCES, ALONE>), a);
    RUN_ALONE(ctx, (bi_voxelgrid_dense_radius_fill<DISTANCES, TOGETHER>), a);
}

bosc_status bi_cuda_voxelgrid_radius_fill(bosc_ctx *ctx, int64_t n, const void *args)
{
    const bi_voxelgrid_query &a = *static_cast<const bi_voxelgrid_query *>(args);
    return a.dist2 ? radius_fill<true>(ctx, n, a) : radius_fill<false>(ctx, n, a);
}
