/* Searches in dense voxel grids on CUDA, a thread a query. */
#include "core/cuda/warp.cuh"
#include "voxelgrid/cuda/dense.cuh"
#include "voxelgrid/cuda/fused.cuh"
#include "voxelgrid/steps/steps.h"

enum { THREADS = 128, ROWS = 3, COLUMN = BI_LONG_ROW };

/* A view and a radius. */
struct dense_view : bi_voxelgrid_dense {
    double reach;
    float r2;
};

static dense_view dense_view_of(const bi_voxelgrid_view &v, double r2, double reach)
{
    dense_view d;
    static_cast<bi_voxelgrid_dense &>(d) = bi_voxelgrid_dense_of(v);
    d.reach = reach;
    d.r2 = (float)r2;
    return d;
}

struct near_box {
    int32_t low[BI_VOXELGRID_DIM], high[BI_VOXELGRID_DIM];
};

/* The number of a voxel along a coordinate, from -1 to `side`. */
__device__ __forceinline__ int32_t clamped(double voxel, int32_t side)
{
    return voxel >= 0 ? voxel < (double)side ? (int32_t)voxel : side : -1;
}

/* A box that has all voxels within reach of q; false if there are none. */
__device__ __forceinline__ bool box_around(const dense_view &g, const float *q, near_box *box)
{
    bool any = true;
#pragma unroll
    for (int c = 0; c < BI_VOXELGRID_DIM; c++) {
        const double from = ((double)q[c] - g.reach) * g.per_cell, to = ((double)q[c] + g.reach) * g.per_cell;
        const int32_t low = clamped(floor(fma(fabs(from), -BI_VOXELGRID_NEAR, from)) - g.low[c], g.side[c]);
        const int32_t high = clamped(floor(fma(fabs(to), BI_VOXELGRID_NEAR, to)) - g.low[c], g.side[c]);
        any = any && low < g.side[c] && high >= 0;
        box->low[c] = max(low, 0);
        box->high[c] = min(high, g.side[c] - 1);
    }
    return any;
}

/* As bi_voxelgrid_dist2, but that NaN stays: it is within no finite radius. */
__device__ __forceinline__ float squared_distance(const float *q, uint4 point)
{
    float d = q[0] - __uint_as_float(point.x), s = d * d;
    d = q[1] - __uint_as_float(point.y);
    s = s + d * d;
    d = q[2] - __uint_as_float(point.z);
    return s + d * d;
}

/* Calls visit(point) for the points within reach of q and others near them, of positions from `from` on. Threads of a
 * warp keep to one row of voxels, so that they read the same lines of the cache. The bounds of a few rows are read at
 * once. */
template <class V>
__device__ __forceinline__ void visit_around(const dense_view &g, const float *q, uint32_t from, V &&visit)
{
    near_box box;
    if (!box_around(g, q, &box)) return;
    for (int32_t x = box.low[0]; x <= box.high[0]; x++)
        for (int32_t y = box.low[1]; y <= box.high[1]; y += ROWS) {
            uint32_t begin[ROWS], end[ROWS];
#pragma unroll
            for (int k = 0; k < ROWS; k++) {
                const uint32_t row = (uint32_t)((x * g.side[1] + min(y + k, box.high[1])) * g.side[2]);
                begin[k] = max(__ldg(g.starts + (row + (uint32_t)box.low[2])), from);
                end[k] = __ldg(g.starts + (row + (uint32_t)box.high[2] + 1));
            }
#pragma unroll
            for (int k = 0; k < ROWS; k++) {
                if (y + k > box.high[1]) break;
#pragma unroll 2
                for (uint32_t at = begin[k]; at < end[k]; at++) visit(__ldg(g.points + at));
            }
        }
}

/* Whose answer item k of the queries is, and which row of theirs it is. */
__device__ __forceinline__ int64_t read_item(const dense_view &g, const bi_voxelgrid_query &a, int64_t item, float *q)
{
    const int64_t own = a.own ? (int64_t)g.points[item].w : item;
    bi_voxelgrid_read_row(a.rows, own, q);
    return a.order ? (int64_t)a.order[item] : own;
}

static __global__ void __launch_bounds__(THREADS)
    bi_voxelgrid_dense_radius_count(const dense_view g, const bi_voxelgrid_query a, int64_t begin, int64_t end)
{
    const int64_t step = (int64_t)gridDim.x * THREADS;
    for (int64_t i = begin + blockIdx.x * (int64_t)THREADS + threadIdx.x; i < end; i += step) {
        float q[BI_VOXELGRID_DIM];
        uint32_t count = 0;
        const int64_t row = read_item(g, a, i, q);
        visit_around(g, q, 0, [&](uint4 point) { count += squared_distance(q, point) <= g.r2; });
        a.counts[row] = count;
    }
}

static __global__ void __launch_bounds__(THREADS)
    bi_voxelgrid_dense_pair_count(const dense_view g, int64_t *counts, int64_t begin, int64_t end)
{
    const int64_t step = (int64_t)gridDim.x * THREADS;
    for (int64_t i = begin + blockIdx.x * (int64_t)THREADS + threadIdx.x; i < end; i += step) {
        float q[BI_VOXELGRID_DIM];
        uint32_t count = 0;
        const uint32_t id = bi_voxelgrid_read_point(g.points[i], q);
        visit_around(g, q, 0, [&](uint4 point) { count += point.w > id && squared_distance(q, point) <= g.r2; });
        counts[id] = count;
    }
}

struct total_shared {
    unsigned long long warps[THREADS / 32];
};

/* Each pair is seen from its first position. */
static __global__ void __launch_bounds__(THREADS)
    bi_voxelgrid_dense_pair_total(const dense_view g, uint64_t *total, int64_t begin, int64_t end)
{
    BI_SHARED(total_shared, sh);
    const int64_t step = (int64_t)gridDim.x * THREADS;
    unsigned long long sum = 0;
    for (int64_t i = begin + blockIdx.x * (int64_t)THREADS + threadIdx.x; i < end; i += step) {
        float q[BI_VOXELGRID_DIM];
        uint32_t count = 0;
        bi_voxelgrid_read_point(g.points[i], q);
        visit_around(g, q, (uint32_t)i + 1, [&](uint4 point) { count += squared_distance(q, point) <= g.r2; });
        sum += count;
    }
    sum = bi_warp_sum(sum);
    if (threadIdx.x % 32 == 0) sh.warps[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x > 0) return;
    for (int w = 1; w < THREADS / 32; w++) sum += sh.warps[w];
    if (sum) atomicAdd(reinterpret_cast<unsigned long long *>(total), sum);
}

/* Short rows of answers are put in order here, a column a thread. */
template <bool DISTANCES> struct fill_shared {
    uint32_t ids[COLUMN][THREADS];
    float dist2[DISTANCES ? COLUMN : 1][THREADS];
};

/* A row of answers that a thread fills: short ones in its column, others where they belong, and not in order. */
template <bool DISTANCES> struct row_filler {
    const bi_row_out &out;
    fill_shared<DISTANCES> &sh;
    int64_t capacity;
    int64_t count = 0; /* what was found, beyond the capacity too */

    __device__ bool is_short() const { return capacity <= COLUMN; }
    __device__ float &dist2_at(int64_t k) const { return sh.dist2[DISTANCES ? k : 0][threadIdx.x]; }

    __device__ void add(float dist2, uint32_t id)
    {
        const int64_t to = count++;
        if (to >= capacity) return;
        if (!is_short()) {
            bi_row_set(&out, to, (double)dist2, id);
            return;
        }
        sh.ids[to][threadIdx.x] = id;
        dist2_at(to) = dist2;
    }

    /* By insertion. */
    __device__ void sort_column() const
    {
        for (int k = 1; k < (int)count; k++) {
            const uint32_t id = sh.ids[k][threadIdx.x];
            const float dist2 = dist2_at(k);
            int to = k;
            for (uint32_t other; to > 0 && (other = sh.ids[to - 1][threadIdx.x]) > id; to--) {
                sh.ids[to][threadIdx.x] = other;
                dist2_at(to) = dist2_at(to - 1);
            }
            sh.ids[to][threadIdx.x] = id;
            dist2_at(to) = dist2;
        }
    }

    /* Writes an entry of the column: of arrays of pairs both ids, at once where they are aligned. */
    __device__ void write(int k, uint32_t row) const
    {
        const uint32_t id = sh.ids[k][threadIdx.x];
        if (out.pairs && out.wide && (uintptr_t)out.ids % sizeof(uint4) == 0) {
            static_cast<uint4 *>(out.ids)[out.at + k] = {row, 0, id, 0};
            if (DISTANCES) static_cast<float *>(out.dist2)[out.at + k] = dist2_at(k);
            return;
        }
        if (out.pairs) bi_voxelgrid_set_id(out.ids, out.wide, 2 * (out.at + k), row);
        bi_row_set(&out, k, (double)dist2_at(k), id);
    }

    /* Puts a full row in order, or lists it. */
    __device__ void finish(uint32_t *long_rows, int64_t row) const
    {
        if (is_short()) {
            sort_column();
            for (int k = 0; k < (int)count; k++) write(k, (uint32_t)row);
            return;
        }
        for (int64_t k = 0; out.pairs && k < count; k++)
            bi_voxelgrid_set_id(out.ids, out.wide, 2 * (out.at + k), (uint32_t)row);
        if (!bi_row_list_long(long_rows, row, count)) bi_row_sort(&out, count);
    }
};

template <bool DISTANCES>
static __global__ void __launch_bounds__(THREADS)
    bi_voxelgrid_dense_radius_fill(const dense_view g, const bi_voxelgrid_query a, int64_t begin, int64_t end)
{
    BI_SHARED(fill_shared<DISTANCES>, sh);
    const int64_t step = (int64_t)gridDim.x * THREADS;
    for (int64_t i = begin + blockIdx.x * (int64_t)THREADS + threadIdx.x; i < end; i += step) {
        float q[BI_VOXELGRID_DIM];
        const int64_t row = read_item(g, a, i, q);
        const bi_row_out out = {a.ids, a.dist2, a.offsets[row], a.wide_ids, true, false};
        row_filler<DISTANCES> filler = {out, sh, a.offsets[row + 1] - out.at};
        visit_around(g, q, 0, [&](uint4 point) {
            const float d = squared_distance(q, point);
            if (d <= g.r2) filler.add(d, point.w);
        });
        if (filler.count != filler.capacity)
            bi_atomic_min_i64(a.bad, row);
        else
            filler.finish(a.long_rows, row);
    }
}

template <bool DISTANCES>
static __global__ void __launch_bounds__(THREADS)
    bi_voxelgrid_dense_pair_fill(const dense_view g, const bi_voxelgrid_pairs a, int64_t begin, int64_t end)
{
    BI_SHARED(fill_shared<DISTANCES>, sh);
    const int64_t step = (int64_t)gridDim.x * THREADS;
    for (int64_t i = begin + blockIdx.x * (int64_t)THREADS + threadIdx.x; i < end; i += step) {
        float q[BI_VOXELGRID_DIM];
        const uint32_t id = bi_voxelgrid_read_point(g.points[i], q);
        const bi_row_out out = {a.pairs, a.dist2, a.offsets[id], a.wide_ids, true, true};
        row_filler<DISTANCES> filler = {out, sh, a.offsets[id + 1] - out.at};
        if (filler.capacity == 0) continue;
        visit_around(g, q, 0, [&](uint4 point) {
            const float d = squared_distance(q, point);
            if (point.w > id && d <= g.r2) filler.add(d, point.w);
        });
        filler.finish(a.long_rows, id);
    }
}

/* Launches KERNEL(view, more, begin, end) over the items in parts: blocks for all of them, as some take longer. */
#define RUN_IN_PARTS(ctx, KERNEL, view, more)                                                                      \
    do {                                                                                                           \
        bi_parts p = bi_parts_of(ctx, n, 1);                                                                       \
        while (bi_next_part(ctx, &p))                                                                              \
            BI_TRY(BI_RUN_PART(ctx, KERNEL, (unsigned)bi_div_up(p.end - p.begin, THREADS), THREADS, 0, view, more, \
                               p.begin, p.end));                                                                   \
        return p.status;                                                                                           \
    } while (0)

static bosc_status radius_count(bosc_ctx *ctx, int64_t n, const void *args)
{
    const bi_voxelgrid_query &a = *static_cast<const bi_voxelgrid_query *>(args);
    RUN_IN_PARTS(ctx, bi_voxelgrid_dense_radius_count, dense_view_of(a.view, a.r2, a.reach), a);
}

static bosc_status radius_fill(bosc_ctx *ctx, int64_t n, const void *args)
{
    const bi_voxelgrid_query &a = *static_cast<const bi_voxelgrid_query *>(args);
    if (a.dist2) RUN_IN_PARTS(ctx, bi_voxelgrid_dense_radius_fill<true>, dense_view_of(a.view, a.r2, a.reach), a);
    RUN_IN_PARTS(ctx, bi_voxelgrid_dense_radius_fill<false>, dense_view_of(a.view, a.r2, a.reach), a);
}

static bosc_status pair_count(bosc_ctx *ctx, int64_t n, const void *args)
{
    const bi_voxelgrid_pairs &a = *static_cast<const bi_voxelgrid_pairs *>(args);
    RUN_IN_PARTS(ctx, bi_voxelgrid_dense_pair_count, dense_view_of(a.view, a.r2, a.reach), a.counts);
}

static bosc_status pair_fill(bosc_ctx *ctx, int64_t n, const void *args)
{
    const bi_voxelgrid_pairs &a = *static_cast<const bi_voxelgrid_pairs *>(args);
    if (a.dist2) RUN_IN_PARTS(ctx, bi_voxelgrid_dense_pair_fill<true>, dense_view_of(a.view, a.r2, a.reach), a);
    RUN_IN_PARTS(ctx, bi_voxelgrid_dense_pair_fill<false>, dense_view_of(a.view, a.r2, a.reach), a);
}

static bosc_status pair_total(bosc_ctx *ctx, int64_t n, const void *args)
{
    const bi_voxelgrid_pairs &a = *static_cast<const bi_voxelgrid_pairs *>(args);
    RUN_IN_PARTS(ctx, bi_voxelgrid_dense_pair_total, dense_view_of(a.view, a.r2, a.reach), a.total);
}

extern const bi_voxelgrid_searches bi_cuda_voxelgrid_dense = {radius_count, radius_fill, pair_count, pair_fill,
                                                              pair_total};
