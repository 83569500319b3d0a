/* Searches around queries in dense voxel grids on CUDA. */
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

#ifdef BI_EMULATE
enum { COUNT_THREADS = 64 };
#else
enum { COUNT_THREADS = 512 };
#endif

/* More than rounding errors of squared distances: in part of the squared radius, and in all. */
#define DOUBT_PART 0x1p-19f
#define DOUBT_ALL 0x1p-120f

/* The number of points within the radius. Fused operations, which are fewer, tell how much more than its square a
 * squared distance is; where that is too little to be sure of its sign, all are compared as distances are defined. */
__device__ __forceinline__ uint32_t count_within(const dense_view &g, const near_box &box, const float *q)
{
    const float doubt = fmaxf(g.r2 * DOUBT_PART, DOUBT_ALL);
    float least = INFINITY;
    uint32_t count = 0;
    visit_alone(g, box, 0, [&](uint4 point) {
        const float x = q[0] - __uint_as_float(point.x), y = q[1] - __uint_as_float(point.y);
        const float z = q[2] - __uint_as_float(point.z), more = fmaf(z, z, fmaf(y, y, fmaf(x, x, -g.r2)));
        least = fminf(least, fabsf(more));
        count += __float_as_uint(more) >> 31;
    });
    if (least > doubt) return count;
    count = 0;
    visit_alone(g, box, 0, [&](uint4 point) { count += squared_distance(q, point) <= g.r2; });
    return count;
}

/* A thread a query. */
static __global__ void __launch_bounds__(COUNT_THREADS)
    bi_voxelgrid_dense_count_alone(const dense_view g, const bi_voxelgrid_query a, int64_t begin, int64_t end)
{
    const int64_t i = begin + blockIdx.x * (int64_t)COUNT_THREADS + threadIdx.x;
    if (i >= end) return;
    float q[BI_VOXELGRID_DIM];
    near_box box;
    const int64_t row = read_item(g, a, i, q);
    __stcs(a.counts + row, box_around(g, q, &box) ? (int64_t)count_within(g, box, q) : 0);
}

/* Warps count together. */
template <visits HOW>
static __global__ void __launch_bounds__(THREADS)
    bi_voxelgrid_dense_radius_count(const dense_view g, const bi_voxelgrid_query a, int64_t begin, int64_t end)
{
    BI_SHARED(visit_shared, visited);
    BI_SHARED(shared_counts, counts);
    each_item<HOW>(begin, end, [&](int64_t i, bool asks) {
        float q[BI_VOXELGRID_DIM];
        uint32_t count = 0;
        const int64_t row = asks ? read_item(g, a, i, q) : 0;
        visit_around<HOW>(g, visited.stage(), q, asks, 0,
                          [&](uint4 point) { count += squared_distance(q, point) <= g.r2; });
        count = together<HOW>(counts, count);
        if (answers<HOW>(asks)) a.counts[row] = count;
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

bosc_status bi_cuda_voxelgrid_radius_count(bosc_ctx *ctx, int64_t n, const void *args)
{
    const bi_voxelgrid_query &a = *static_cast<const bi_voxelgrid_query *>(args);
    switch (visits_of(ctx, a.view, n)) {
    case SHARED: RUN_SHARED(ctx, bi_voxelgrid_dense_radius_count<SHARED>, a);
    case TOGETHER: RUN_ALONE(ctx, bi_voxelgrid_dense_radius_count<TOGETHER>, a);
    default: RUN_IN_PARTS(ctx, bi_voxelgrid_dense_count_alone, COUNT_THREADS, COUNT_THREADS, a);
    }
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
