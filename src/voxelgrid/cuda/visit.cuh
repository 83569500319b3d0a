/* Visits of the points around queries in dense voxel grids, a thread a query; where there are few queries, SHARERS
 * warps of a block share those of 32 threads. */
#ifndef BI_VOXELGRID_CUDA_VISIT_CUH
#define BI_VOXELGRID_CUDA_VISIT_CUH

#include "core/cuda/warp.cuh"
#include "core/csr_row_out.h"
#include "voxelgrid/cuda/dense.cuh"
#include "voxelgrid/steps/voxel.h"

enum { THREADS = 128, WARPS = THREADS / 32, SHARERS = 3, ROWS = 3, COLUMN = BI_LONG_ROW };
#ifdef BI_EMULATE /* short rows should be long */
enum { SPAN = 16, LONG = 4, CROWD = 2, FEW = 64 };
#else
enum { SPAN = 128, LONG = 16, CROWD = 4, FEW = 512 };
#endif
enum { JOINED_ROWS = 9, JOINED_LENGTH = 8 /* of boxes of two queries, at most */ };

/* How threads visit points: each its own; those of a warp together where rows of voxels are long; the same by warps
 * that share queries. For searches in voxels that have CROWD points and more, and for FEW queries a multiprocessor. */
enum visits { ALONE, TOGETHER, SHARED };

/* A view and a radius. */
struct dense_view : bi_voxelgrid_dense {
    float reach, r2;
    float before[BI_VOXELGRID_DIM], after[BI_VOXELGRID_DIM]; /* voxels beside the box */
    uint32_t rounded_low[BI_VOXELGRID_DIM];                  /* bits of the sum of `low` and ROUNDED */
};

static inline dense_view dense_view_of(const bi_voxelgrid_view &v, double r2, double reach)
{
    dense_view d;
    static_cast<bi_voxelgrid_dense &>(d) = bi_voxelgrid_dense_of(v);
    d.reach = (float)reach; /* which it is */
    d.r2 = (float)r2;
    for (int c = 0; c < BI_VOXELGRID_DIM; c++) {
        d.before[c] = (float)d.low[c] - 1;
        d.after[c] = (float)d.low[c] + (float)d.side[c];
        d.rounded_low[c] = BI_VOXELGRID_ROUNDED_BITS + (uint32_t)(int32_t)d.low[c];
    }
    return d;
}

struct near_box {
    int32_t low[BI_VOXELGRID_DIM], high[BI_VOXELGRID_DIM];
};

/* More than the rounding errors of voxel coordinates in float. */
#define NEAR_PART 0x1p-21f

/* A voxel coordinate less this is nearest to its floor; LOW: or, in doubt, to the voxel before it; HIGH: never to
 * that. */
#define MIDDLE_LOW 0x1.000002p-1f
#define MIDDLE_HIGH 0x1.fffffep-2f

/* The number of the voxel along coordinate c whose middle is nearest, from -1 to `side`. */
__device__ __forceinline__ int32_t nearest_voxel(const dense_view &g, int c, float middle)
{
    const float in_box = fminf(fmaxf(middle, g.before[c]), g.after[c]);
    return (int32_t)(__float_as_uint(in_box + BI_VOXELGRID_ROUNDED) - g.rounded_low[c]);
}

/* A box that has all voxels within reach of what lies from `least` to `greatest`; false if there are none. */
__device__ __forceinline__ bool box_around(const dense_view &g, const float *least, const float *greatest,
                                           near_box *box)
{
    bool any = true;
#pragma unroll
    for (int c = 0; c < BI_VOXELGRID_DIM; c++) {
        const float from = (least[c] - g.reach) * g.voxels, to = (greatest[c] + g.reach) * g.voxels;
        const int32_t low = nearest_voxel(g, c, fmaf(fabsf(from), -NEAR_PART, from) - MIDDLE_LOW);
        const int32_t high = nearest_voxel(g, c, fmaf(fabsf(to), NEAR_PART, to) - MIDDLE_HIGH);
        any = any && low < g.side[c] && high >= 0;
        box->low[c] = max(low, 0);
        box->high[c] = min(high, g.side[c] - 1);
    }
    return any;
}
__device__ __forceinline__ bool box_around(const dense_view &g, const float *q, near_box *box)
{
    return box_around(g, q, q, box);
}

/* The box of two queries, if they have about as much in common as queries of a voxel; none of them is then NaN. */
__device__ __forceinline__ bool box_around_both(const dense_view &g, const float *q, const float *other, near_box *box)
{
    float least[BI_VOXELGRID_DIM], greatest[BI_VOXELGRID_DIM];
    bool is = true;
#pragma unroll
    for (int c = 0; c < BI_VOXELGRID_DIM; c++) {
        is = is && q[c] == q[c] && other[c] == other[c];
        least[c] = fminf(q[c], other[c]);
        greatest[c] = fmaxf(q[c], other[c]);
    }
    is = box_around(g, least, greatest, box) && is;
    return is && box->high[2] - box->low[2] < JOINED_LENGTH &&
           (box->high[0] - box->low[0] + 1) * (box->high[1] - box->low[1] + 1) <= JOINED_ROWS;
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

/* How much more than the squared radius a squared distance is, by fused operations, which are fewer. Its sign is right
 * where it is more than doubt_of(g), as rounding errors are 5 parts of 2^24 of the squared radius. */
__device__ __forceinline__ float more_than_radius(const dense_view &g, const float *q, uint4 point)
{
    const float x = q[0] - __uint_as_float(point.x), y = q[1] - __uint_as_float(point.y);
    const float z = q[2] - __uint_as_float(point.z);
    return fmaf(z, z, fmaf(y, y, fmaf(x, x, -g.r2)));
}
__device__ __forceinline__ float doubt_of(const dense_view &g) { return fmaxf(g.r2 * 0x1p-21f, 0x1p-120f); }

/* Points that the queries of a warp have in common. */
struct warp_stage {
    uint4 points[SPAN];
};

/* Calls visit(point) for the positions begin, begin + STEP, ... before end. Two points are read before either is
 * visited, and one is tested for the end. */
template <unsigned STEP, class R, class V>
__device__ __forceinline__ void visit_row(R &&read, const uint4 *points, uint32_t begin, uint32_t end, V &&visit)
{
    const uint4 *point = points + begin;
    int32_t left = (int32_t)(end - begin);
#pragma unroll 1
    for (; left > (int32_t)STEP; left -= 2 * (int32_t)STEP) {
        const uint4 first = read(point), second = read(point + STEP);
        point += 2 * STEP;
        visit(first);
        visit(second);
    }
    if (left > 0) visit(read(point));
}

/* Calls visit(point) for the positions that a thread wants of a row of voxels, where there are many. The whole warp
 * calls it; it reads the points that its queries have in common once. */
template <class V>
__device__ __forceinline__ void visit_long_row(const dense_view &g, warp_stage &stage, uint32_t begin, uint32_t end,
                                               V &&visit)
{
    const bool any = begin < end;
    const uint32_t low = bi_warp_least(any ? begin : ~0u), high = bi_warp_greatest(any ? end : 0u);
    const uint32_t longest = bi_warp_greatest(any ? end - begin : 0u);
    if (low < high && (high - low) / 4 > longest) { /* queries that are not near each other */
        for (uint32_t at = begin; at < end; at++) visit(__ldg(g.points + at));
        return;
    }
    for (uint32_t from = low; from < high; from += SPAN) {
        const uint32_t count = min(high - from, (uint32_t)SPAN), last = min(end, from + count);
        __syncwarp();
        for (uint32_t k = threadIdx.x % 32; k < count; k += 32) stage.points[k] = __ldg(g.points + from + k);
        __syncwarp();
        visit_row<1>([](const uint4 *point) { return *point; }, stage.points, max(begin, from) - from,
                     max(last, from) - from, visit);
    }
}

/* Visits by a thread alone, or by STEP threads of which this is number `own`. Threads keep to one row of voxels, so
 * that they read the same lines of the cache; bounds of a few rows are read at once. */
template <unsigned STEP, class V>
__device__ __forceinline__ void visit_alone(const dense_view &g, const near_box &box, uint32_t from, uint32_t own,
                                            V &&visit)
{
    const int32_t lines = box.high[1] - box.low[1], length = box.high[2] - box.low[2] + 1;
    int32_t row = (box.low[0] * g.side[1] + box.low[1]) * g.side[2] + box.low[2];
    for (int32_t x = box.low[0]; x <= box.high[0]; x++, row += g.side[1] * g.side[2])
        for (int32_t y = 0; y <= lines; y += ROWS) {
            uint32_t begin[ROWS], end[ROWS];
#pragma unroll
            for (int k = 0; k < ROWS; k++) {
                const uint32_t first = (uint32_t)(row + min(y + k, lines) * g.side[2]);
                begin[k] = max(__ldg(g.starts + first), from) + own;
                end[k] = __ldg(g.starts + (first + (uint32_t)length));
            }
#pragma unroll
            for (int k = 0; k < ROWS; k++) {
                if (y + k > lines) break;
                visit_row<STEP>([](const uint4 *point) { return __ldg(point); }, g.points, begin[k], end[k], visit);
            }
        }
}

/* Visits of a warp together: where the box of a thread is empty it has none. Of warps that share queries each visits
 * its part of the points. */
template <bool SHARES, class V>
__device__ __forceinline__ void visit_together(const dense_view &g, warp_stage &stage, const near_box &box,
                                               uint32_t from, V &&visit)
{
    const int32_t planes = bi_warp_greatest(box.high[0] - box.low[0] + 1);
    const int32_t lines = bi_warp_greatest(box.high[1] - box.low[1] + 1);
    int32_t turn = SHARES ? (int32_t)(threadIdx.x / 32) : 0;
    for (int32_t x = 0; x < planes; x++)
        for (int32_t y = 0; y < lines; y += ROWS) {
            if (SHARES && turn-- > 0) continue;
            if (SHARES) turn = SHARERS - 1;
            uint32_t begin[ROWS], end[ROWS];
            bool is_long = false;
#pragma unroll
            for (int k = 0; k < ROWS; k++) {
                const int32_t plane = box.low[0] + x, line = box.low[1] + y + k;
                begin[k] = end[k] = 0;
                if (plane > box.high[0] || line > box.high[1]) continue;
                const uint32_t row = (uint32_t)((plane * g.side[1] + line) * g.side[2]);
                begin[k] = max(__ldg(g.starts + (row + (uint32_t)box.low[2])), from);
                end[k] = __ldg(g.starts + (row + (uint32_t)box.high[2] + 1));
                is_long |= end[k] > begin[k] + LONG;
            }
            if (__any_sync(~0u, is_long)) {
#pragma unroll 1
                for (int k = 0; k < ROWS; k++)
                    visit_long_row(g, stage,
                                   k == 0   ? begin[0]
                                   : k == 1 ? begin[1]
                                            : begin[2],
                                   k == 0   ? end[0]
                                   : k == 1 ? end[1]
                                            : end[2],
                                   visit);
                continue;
            }
#pragma unroll
            for (int k = 0; k < ROWS; k++)
                visit_row<1>([](const uint4 *point) { return __ldg(point); }, g.points, begin[k], end[k], visit);
            __syncwarp();
        }
}

/* Calls visit(point) for the points within reach of q and others near them, of positions from `from` on; the whole
 * warp calls it, with queries near each other and whether this thread has one. */
template <visits HOW, class V>
__device__ __forceinline__ void visit_around(const dense_view &g, warp_stage &stage, const float *q, bool asks,
                                             uint32_t from, V &&visit)
{
    near_box box;
    const bool any = asks && box_around(g, q, &box);
    if (HOW == ALONE) {
        if (any) visit_alone<1>(g, box, from, 0, visit);
        return;
    }
    if (!any) box = {{0, 0, 0}, {-1, -1, -1}};
    visit_together<HOW == SHARED>(g, stage, box, from, visit);
}

/* Calls search(item, whether it is one) for the items of this warp's threads, together. */
template <visits HOW, class F> static __device__ __forceinline__ void each_item(int64_t begin, int64_t end, F &&search)
{
    const unsigned lane = threadIdx.x % 32, each = HOW == SHARED ? 32 : THREADS,
                   own = HOW == SHARED ? lane : threadIdx.x;
    for (int64_t i = begin + blockIdx.x * (int64_t)each + own; i - lane < end; i += (int64_t)gridDim.x * each)
        search(i, i < end);
}

struct visit_shared {
    warp_stage stages[WARPS];

    __device__ warp_stage &stage() { return stages[threadIdx.x / 32]; }
};

/* By warp and lane. */
struct shared_counts {
    uint32_t of[SHARERS][32];

    /* What the warps that share queries have counted together; the first warp gets it. */
    __device__ __forceinline__ uint32_t sum(uint32_t count)
    {
        const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
        __syncthreads();
        of[warp][lane] = count;
        __syncthreads();
        for (unsigned w = 1; warp == 0 && w < SHARERS; w++) count += of[w][lane];
        return count;
    }
};

/* Launches KERNEL(view, more, begin, end) over the items in parts: blocks of `threads`, which take `each` items, for
 * all of them, as some take longer. */
#define RUN_IN_PARTS(ctx, KERNEL, each, threads, more)                                                          \
    do {                                                                                                        \
        const dense_view view = dense_view_of(a.view, a.r2, a.reach);                                           \
        bi_parts p = bi_parts_of(ctx, n, 1);                                                                    \
        while (bi_next_part(ctx, &p))                                                                           \
            BI_TRY(BI_RUN_PART(ctx, KERNEL, (unsigned)bi_div_up(p.end - p.begin, each), threads, 0, view, more, \
                               p.begin, p.end));                                                                \
        return p.status;                                                                                        \
    } while (0)

#define RUN_ALONE(ctx, KERNEL, more) RUN_IN_PARTS(ctx, KERNEL, THREADS, THREADS, more)
#define RUN_SHARED(ctx, KERNEL, more) RUN_IN_PARTS(ctx, KERNEL, 32, 32 * SHARERS, more)

static inline visits visits_of(const bosc_ctx *ctx, const bi_voxelgrid_view &v, int64_t n)
{
    return n <= (int64_t)ctx->multiprocessors * FEW ? SHARED : v.crowd >= CROWD ? TOGETHER : ALONE;
}

#endif
