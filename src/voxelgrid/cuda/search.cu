/* Searches in dense voxel grids on CUDA. A thread serves a few neighbours of the order at once, which read the same
 * rows of voxels: each point that is read is compared with all of them. */
#include "core/cuda/warp.cuh"
#include "voxelgrid/cuda/fused.cuh"
#include "voxelgrid/steps/steps.h"

enum { THREADS = 128, GROUP = 2, COLUMN = 16 };

/* A dense view, with three dimensions: of fewer the first are one voxel wide. */
struct dense_view {
    const uint4 *points;
    const uint32_t *starts;
    int32_t side[BI_VOXELGRID_DIM], dim;
    double low[BI_VOXELGRID_DIM], per_cell, reach;
    float r2;
};

static dense_view dense_view_of(const bi_voxelgrid_view &v, double r2, double reach)
{
    dense_view d = {
        static_cast<const uint4 *>(v.points), v.starts, {1, 1, 1}, v.dim, {0, 0, 0}, 1 / v.cell, reach, (float)r2};
    for (int32_t c = 0; c < v.dim; c++) {
        d.side[BI_VOXELGRID_DIM - v.dim + c] = (int32_t)v.side[c];
        d.low[BI_VOXELGRID_DIM - v.dim + c] = (double)v.low.at[c];
    }
    return d;
}

struct near_box {
    int32_t low[BI_VOXELGRID_DIM], high[BI_VOXELGRID_DIM];
    __device__ int64_t volume() const
    {
        return (int64_t)(high[0] - low[0] + 1) * (high[1] - low[1] + 1) * (high[2] - low[2] + 1);
    }
};

/* The number of a voxel along a coordinate, from -1 to `side`. `x` is wrong by a few units of its last place: the
 * product with 1 / cell is not the quotient by which points were placed. */
__device__ __forceinline__ int32_t voxel_at_most(double x, double low, int32_t side)
{
    return (int32_t)fmin(fmax(floor(x - fabs(x) * 0x1p-50) - low, -1.0), (double)side);
}
__device__ __forceinline__ int32_t voxel_at_least(double x, double low, int32_t side)
{
    return (int32_t)fmin(fmax(floor(x + fabs(x) * 0x1p-50) - low, -1.0), (double)side);
}

/* A box that has all voxels within reach of q; false if there are none. */
__device__ __forceinline__ bool box_around(const dense_view &g, const float *q, near_box *box)
{
    bool any = true;
#pragma unroll
    for (int c = 0; c < BI_VOXELGRID_DIM; c++) {
        const int32_t low = voxel_at_most(((double)q[c] - g.reach) * g.per_cell, g.low[c], g.side[c]);
        const int32_t high = voxel_at_least(((double)q[c] + g.reach) * g.per_cell, g.low[c], g.side[c]);
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

/* Calls visit(point) for all points of a box from position `from` on. The bounds of a row are read while the one before
 * it is visited. */
template <class V>
__device__ __forceinline__ void visit_box(const dense_view &g, const near_box &box, uint32_t from, V &&visit)
{
    int32_t x = box.low[0], y = box.low[1];
    const uint32_t *row = g.starts + ((int64_t)x * g.side[1] + y) * g.side[2];
    uint32_t at = row[box.low[2]], end = row[box.high[2] + 1];
    for (bool more = true; more;) {
        uint32_t next = 0, next_end = 0;
        if (y < box.high[1]) {
            y++;
        } else {
            more = x < box.high[0];
            x++;
            y = box.low[1];
        }
        if (more) {
            row = g.starts + ((int64_t)x * g.side[1] + y) * g.side[2];
            next = row[box.low[2]];
            next_end = row[box.high[2] + 1];
        }
#pragma unroll 2
        for (at = max(at, from); at < end; at++) visit(g.points[at]);
        at = next;
        end = next_end;
    }
}

/* A few neighbours of an order. */
template <int N> struct near_group {
    float q[N][BI_VOXELGRID_DIM];
    bool in[N]; /* it is there */
};

/* Visits the points around a group: visit(point, q) where q are the group's coordinates, infinite for those that are
 * served another time. All are served at once if that visits no more voxels than one after the other. AFTER: positions
 * after the group's own `first`, `first` + 1, ... alone; `within` is then set if pairs in the group are left out. */
template <int N, bool AFTER, class V>
__device__ __forceinline__ void visit_around(const dense_view &g, const near_group<N> &group, uint32_t first,
                                             bool *within, V &&visit)
{
    near_box boxes[N], all = {{INT32_MAX, INT32_MAX, INT32_MAX}, {-1, -1, -1}};
    int64_t apart = 0;
    uint32_t present = 0;
#pragma unroll
    for (int k = 0; k < N; k++) {
        present += group.in[k];
        if (!group.in[k] || !box_around(g, group.q[k], &boxes[k])) {
            boxes[k] = {{0, 0, 0}, {-1, -1, -1}};
            continue;
        }
        apart += boxes[k].volume();
#pragma unroll
        for (int c = 0; c < BI_VOXELGRID_DIM; c++) {
            all.low[c] = min(all.low[c], boxes[k].low[c]);
            all.high[c] = max(all.high[c], boxes[k].high[c]);
        }
    }
    if (apart == 0) return;
    const bool together = all.volume() <= apart;
    if (AFTER) *within = together;
#pragma unroll 1
    for (int turn = 0; turn < (together ? 1 : N); turn++) {
        float q[N][BI_VOXELGRID_DIM];
        near_box box = all;
#pragma unroll
        for (int k = 0; k < N; k++) {
            const bool served = group.in[k] && (together || k == turn);
            q[k][0] = served ? group.q[k][0] : (float)INFINITY;
            q[k][1] = group.q[k][1];
            q[k][2] = group.q[k][2];
            if (!together && k == turn) box = boxes[k];
        }
        if (box.high[0] < box.low[0]) continue;
        const uint32_t from = AFTER ? first + (together ? present : (uint32_t)turn + 1) : 0;
        visit_box(g, box, from, [&](uint4 point) { visit(point, q); });
    }
}

/* Row i of the queries; of fewer dimensions the first coordinates are 0. */
__device__ __forceinline__ void read_query(const bi_voxelgrid_rows &rows, int64_t i, float *q)
{
#pragma unroll
    for (int k = 0; k < BI_VOXELGRID_DIM; k++) {
        const int c = k - (BI_VOXELGRID_DIM - rows.dim);
        q[k] = c < 0 ? 0.0f : static_cast<const float *>(rows.data)[i * rows.stride + c];
    }
}

__device__ __forceinline__ void read_point(uint4 point, float *q)
{
    q[0] = __uint_as_float(point.x);
    q[1] = __uint_as_float(point.y);
    q[2] = __uint_as_float(point.z);
}

/* Whose answer item k of the queries is, and which row of theirs it is. */
__device__ __forceinline__ int64_t read_item(const dense_view &g, const bi_voxelgrid_query &a, int64_t item, float *q)
{
    const int64_t own = a.own ? (int64_t)g.points[item].w : item;
    read_query(a.rows, own, q);
    return a.order ? (int64_t)a.order[item] : own;
}

static __global__ void __launch_bounds__(THREADS)
    bi_voxelgrid_dense_radius_count(const dense_view g, const bi_voxelgrid_query a, int64_t begin, int64_t end)
{
    const int64_t step = (int64_t)gridDim.x * THREADS * GROUP;
    for (int64_t i = begin + (blockIdx.x * (int64_t)THREADS + threadIdx.x) * GROUP; i < end; i += step) {
        near_group<GROUP> group;
        int64_t whose[GROUP];
        uint32_t counts[GROUP];
#pragma unroll
        for (int k = 0; k < GROUP; k++) {
            group.in[k] = i + k < end;
            counts[k] = 0;
            if (group.in[k]) whose[k] = read_item(g, a, i + k, group.q[k]);
        }
        visit_around<GROUP, false>(g, group, 0, NULL, [&](uint4 point, const float(*q)[BI_VOXELGRID_DIM]) {
#pragma unroll
            for (int k = 0; k < GROUP; k++) counts[k] += squared_distance(q[k], point) <= g.r2;
        });
#pragma unroll
        for (int k = 0; k < GROUP; k++)
            if (group.in[k]) a.counts[whose[k]] = counts[k];
    }
}

/* Reads the points at `first`, `first` + 1, ... before `end`. */
template <int N>
__device__ __forceinline__ void read_group(const dense_view &g, int64_t first, int64_t end, near_group<N> *group,
                                           uint32_t *ids)
{
#pragma unroll
    for (int k = 0; k < N; k++) {
        group->in[k] = first + k < end;
        if (!group->in[k]) continue;
        const uint4 point = g.points[first + k];
        read_point(point, group->q[k]);
        ids[k] = point.w;
    }
}

static __global__ void __launch_bounds__(THREADS)
    bi_voxelgrid_dense_pair_count(const dense_view g, int64_t *to, int64_t begin, int64_t end)
{
    const int64_t step = (int64_t)gridDim.x * THREADS * GROUP;
    for (int64_t i = begin + (blockIdx.x * (int64_t)THREADS + threadIdx.x) * GROUP; i < end; i += step) {
        near_group<GROUP> group;
        uint32_t ids[GROUP], counts[GROUP] = {};
        read_group(g, i, end, &group, ids);
        visit_around<GROUP, false>(g, group, 0, NULL, [&](uint4 point, const float(*q)[BI_VOXELGRID_DIM]) {
#pragma unroll
            for (int k = 0; k < GROUP; k++) counts[k] += point.w > ids[k] && squared_distance(q[k], point) <= g.r2;
        });
#pragma unroll
        for (int k = 0; k < GROUP; k++)
            if (group.in[k]) to[ids[k]] = counts[k];
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
    const int64_t step = (int64_t)gridDim.x * THREADS * GROUP;
    unsigned long long sum = 0;
    for (int64_t i = begin + (blockIdx.x * (int64_t)THREADS + threadIdx.x) * GROUP; i < end; i += step) {
        near_group<GROUP> group;
        uint32_t ids[GROUP], count = 0;
        bool within = false;
        read_group(g, i, end, &group, ids);
        visit_around<GROUP, true>(g, group, (uint32_t)i, &within, [&](uint4 point, const float(*q)[BI_VOXELGRID_DIM]) {
#pragma unroll
            for (int k = 0; k < GROUP; k++) count += squared_distance(q[k], point) <= g.r2;
        });
        sum += count;
        if (!within) continue;
#pragma unroll
        for (int k = 1; k < GROUP; k++) {
            if (!group.in[k]) continue;
            const uint4 point = g.points[i + k];
#pragma unroll
            for (int j = 0; j < k; j++) sum += squared_distance(group.q[j], point) <= g.r2;
        }
    }
    sum = bi_warp_sum(sum);
    if (threadIdx.x % 32 == 0) sh.warps[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x > 0) return;
    for (int w = 1; w < THREADS / 32; w++) sum += sh.warps[w];
    if (sum) atomicAdd(reinterpret_cast<unsigned long long *>(total), sum);
}

/* Short rows are put in order here, a column of shared memory a thread. */
struct fill_shared {
    uint32_t ids[COLUMN][THREADS];
    float dist2[COLUMN][THREADS];
};

/* A row of answers that a thread fills: short ones in its column, others where they belong, and not in order. */
struct row_filler {
    const bi_row_out &out;
    fill_shared &sh;
    int64_t count, capacity;

    __device__ bool is_short() const { return capacity <= COLUMN; }

    __device__ void add(float dist2, uint32_t id)
    {
        int64_t to = count++;
        if (to >= capacity) return;
        if (!is_short()) {
            bi_row_set(&out, to, (double)dist2, id);
            return;
        }
        for (; to > 0 && sh.ids[to - 1][threadIdx.x] > id; to--) {
            sh.ids[to][threadIdx.x] = sh.ids[to - 1][threadIdx.x];
            sh.dist2[to][threadIdx.x] = sh.dist2[to - 1][threadIdx.x];
        }
        sh.ids[to][threadIdx.x] = id;
        sh.dist2[to][threadIdx.x] = dist2;
    }

    /* Puts a full row in order, or lists it. */
    __device__ void finish(uint32_t *long_rows, int64_t row) const
    {
        if (is_short())
            for (int64_t k = 0; k < count; k++)
                bi_row_set(&out, k, (double)sh.dist2[k][threadIdx.x], sh.ids[k][threadIdx.x]);
        else if (!bi_row_list_long(long_rows, row, count))
            bi_row_sort(&out, count);
    }
};

static __global__ void __launch_bounds__(THREADS)
    bi_voxelgrid_dense_radius_fill(const dense_view g, const bi_voxelgrid_query a, int64_t begin, int64_t end)
{
    BI_SHARED(fill_shared, sh);
    const int64_t step = (int64_t)gridDim.x * THREADS;
    for (int64_t i = begin + blockIdx.x * (int64_t)THREADS + threadIdx.x; i < end; i += step) {
        near_group<1> group;
        const int64_t row = read_item(g, a, i, group.q[0]);
        group.in[0] = true;
        const bi_row_out out = {a.ids, a.dist2, a.offsets[row], a.wide_ids, true, false};
        row_filler filler = {out, sh, 0, a.offsets[row + 1] - out.at};
        visit_around<1, false>(g, group, 0, NULL, [&](uint4 point, const float(*q)[BI_VOXELGRID_DIM]) {
            const float d = squared_distance(q[0], point);
            if (d <= g.r2) filler.add(d, point.w);
        });
        if (filler.count != filler.capacity)
            bi_atomic_min_i64(a.bad, row);
        else
            filler.finish(a.long_rows, row);
    }
}

static __global__ void __launch_bounds__(THREADS)
    bi_voxelgrid_dense_pair_fill(const dense_view g, const bi_voxelgrid_pairs a, int64_t begin, int64_t end)
{
    BI_SHARED(fill_shared, sh);
    const int64_t step = (int64_t)gridDim.x * THREADS;
    for (int64_t i = begin + blockIdx.x * (int64_t)THREADS + threadIdx.x; i < end; i += step) {
        near_group<1> group;
        uint32_t id;
        read_group(g, i, end, &group, &id);
        const bi_row_out out = {a.pairs, a.dist2, a.offsets[id], a.wide_ids, true, true};
        row_filler filler = {out, sh, 0, a.offsets[id + 1] - out.at};
        if (filler.capacity == 0) continue;
        visit_around<1, false>(g, group, 0, NULL, [&](uint4 point, const float(*q)[BI_VOXELGRID_DIM]) {
            if (point.w <= id) return;
            const float d = squared_distance(q[0], point);
            if (d <= g.r2) filler.add(d, point.w);
        });
        for (int64_t k = 0; k < filler.count; k++) bi_voxelgrid_set_id(a.pairs, a.wide_ids, 2 * (out.at + k), id);
        filler.finish(a.long_rows, id);
    }
}

/* Launches KERNEL(view, more, begin, end) over the items in parts; a thread takes `group` items. */
#define RUN_IN_PARTS(ctx, KERNEL, group, view, more)                                                              \
    do {                                                                                                          \
        bi_parts p = bi_parts_of(ctx, n, 1);                                                                      \
        while (bi_next_part(ctx, &p))                                                                             \
            BI_TRY(BI_RUN_PART(ctx, KERNEL, bi_grid(ctx, bi_div_up(p.end - p.begin, group), THREADS), THREADS, 0, \
                               view, more, p.begin, p.end));                                                      \
        return p.status;                                                                                          \
    } while (0)

static bosc_status radius_count(bosc_ctx *ctx, int64_t n, const void *args)
{
    const bi_voxelgrid_query &a = *static_cast<const bi_voxelgrid_query *>(args);
    RUN_IN_PARTS(ctx, bi_voxelgrid_dense_radius_count, GROUP, dense_view_of(a.view, a.r2, a.reach), a);
}

static bosc_status radius_fill(bosc_ctx *ctx, int64_t n, const void *args)
{
    const bi_voxelgrid_query &a = *static_cast<const bi_voxelgrid_query *>(args);
    RUN_IN_PARTS(ctx, bi_voxelgrid_dense_radius_fill, 1, dense_view_of(a.view, a.r2, a.reach), a);
}

static bosc_status pair_count(bosc_ctx *ctx, int64_t n, const void *args)
{
    const bi_voxelgrid_pairs &a = *static_cast<const bi_voxelgrid_pairs *>(args);
    RUN_IN_PARTS(ctx, bi_voxelgrid_dense_pair_count, GROUP, dense_view_of(a.view, a.r2, a.reach), a.counts);
}

static bosc_status pair_fill(bosc_ctx *ctx, int64_t n, const void *args)
{
    const bi_voxelgrid_pairs &a = *static_cast<const bi_voxelgrid_pairs *>(args);
    RUN_IN_PARTS(ctx, bi_voxelgrid_dense_pair_fill, 1, dense_view_of(a.view, a.r2, a.reach), a);
}

static bosc_status pair_total(bosc_ctx *ctx, int64_t n, const void *args)
{
    const bi_voxelgrid_pairs &a = *static_cast<const bi_voxelgrid_pairs *>(args);
    RUN_IN_PARTS(ctx, bi_voxelgrid_dense_pair_total, GROUP, dense_view_of(a.view, a.r2, a.reach), a.total);
}

extern const bi_voxelgrid_searches bi_cuda_voxelgrid_dense = {radius_count, radius_fill, pair_count, pair_fill,
                                                              pair_total};
