/* Visits of the points around queries in dense voxel grids. Most kernels have a thread a query; for few queries,
 * QUERY_WARPS warps of a block share the queries of 32 threads. */
#ifndef BI_VOXELGRID_CUDA_VISIT_VOXELS_CUH
#define BI_VOXELGRID_CUDA_VISIT_VOXELS_CUH

#include "core/cuda/sort_registers.cuh"
#include "core/cuda/warp.cuh"
#include "core/csr_row_out.h"
#include "voxelgrid/cuda/dense_view.cuh"
#include "voxelgrid/steps/voxel.h"

/* ROWS_AT_ONCE: a thread reads the bounds of these rows of voxels before it visits their points. ROW_LIMIT: results
 * that a thread collects in shared memory. STAGE_POINTS: points that a warp copies at once. LONG_ROW: points of a row
 * from which on the warp copies them together. CROWDED: measured: with fewer points a voxel, copies take 109 us for
 * 101. ROWS_AT_ONCE are the rows of a plane around a voxel. The others are not measured. */
enum { THREADS = 128, WARPS = THREADS / 32, QUERY_WARPS = 3, ROWS_AT_ONCE = 3, ROW_LIMIT = BI_LONG_ROW };
#ifdef BI_EMULATE /* small, so that short rows count as long */
enum { STAGE_POINTS = 16, LONG_ROW = 4, CROWDED = 2, FEW_QUERIES = 64 };
#else
enum { STAGE_POINTS = 128, LONG_ROW = 16, CROWDED = 4, FEW_QUERIES = 512 };
#endif
enum { COMMON_BOX_ROWS = 9, COMMON_BOX_LENGTH = 8 }; /* limits of the common box of two queries; not measured */

/* Rows whose columns have room for at least this many ids are sorted by networks in registers, others by counts.
 * Measured on an H200, pairs of 1 M uniform points listed: 1.06 and 1.28 ms for 60 neighbours a point, 0.39 and 0.44
 * for 24. With columns of 24 ids both take the same time. */
#ifdef BI_EMULATE
enum { NETWORK_LIMIT = 5 };
#else
enum { NETWORK_LIMIT = 25 };
#endif

/* How threads visit points. PER_THREAD: each on its own. PER_WARP: a warp together, through shared memory where rows
 * of voxels are long; for densities from CROWDED on. SHARED_QUERIES: the same by QUERY_WARPS warps; for up to
 * FEW_QUERIES queries a multiprocessor. */
enum visit_mode { PER_THREAD, PER_WARP, SHARED_QUERIES };

/* A dense view and a radius. */
struct search_view : bi_voxelgrid_dense_view {
    static constexpr bool SORTS_BY_NETWORK = true; /* long columns. Not measured in sparse views */
    float reach, r2;
    float outside_low[BI_VOXELGRID_DIM], outside_high[BI_VOXELGRID_DIM]; /* coordinates just outside the box */
    uint32_t rounded_low[BI_VOXELGRID_DIM];                              /* bits of the float `low` + ROUNDED */
};

/* The view that kernels search, of a view and a squared radius. */
template <class VIEW> static inline VIEW make_view(const bi_voxelgrid_view &v, double r2, double reach);

template <> inline search_view make_view<search_view>(const bi_voxelgrid_view &v, double r2, double reach)
{
    search_view d;
    static_cast<bi_voxelgrid_dense_view &>(d) = bi_voxelgrid_make_dense_view(v);
    d.reach = (float)reach; /* exact: reach is a float */
    d.r2 = (float)r2;
    for (int c = 0; c < BI_VOXELGRID_DIM; c++) {
        d.outside_low[c] = (float)d.low[c] - 1;
        d.outside_high[c] = (float)d.low[c] + (float)d.side[c];
        d.rounded_low[c] = BI_VOXELGRID_ROUNDED_BITS + (uint32_t)(int32_t)d.low[c];
    }
    return d;
}

/* Voxels from `low` to `high`, relative to the view's box. */
struct near_box {
    int32_t low[BI_VOXELGRID_DIM], high[BI_VOXELGRID_DIM];
};

/* Relative margin, more than the rounding errors of voxel coordinates in float. */
#define ROUNDING_MARGIN 0x1p-21f

/* Subtracted from a voxel coordinate before rounding to nearest, in place of floor. LOW rounds an exact integer down
 * to the voxel before it, which only enlarges the box; HIGH never does. */
#define NEAREST_LOW 0x1.000002p-1f
#define NEAREST_HIGH 0x1.fffffep-2f

/* The coordinate nearest to `middle`, relative to the box: -1 to `side`, which are outside. */
__device__ __forceinline__ int32_t nearest_voxel(const search_view &g, int c, float middle)
{
    const float in_box = fminf(fmaxf(middle, g.outside_low[c]), g.outside_high[c]);
    return (int32_t)(__float_as_uint(in_box + BI_VOXELGRID_ROUNDED) - g.rounded_low[c]);
}

/* Sets a box of all voxels within reach of the region from `least` to `greatest`; false if there are none. */
__device__ __forceinline__ bool box_around(const search_view &g, const float *least, const float *greatest,
                                           near_box *box)
{
    bool any = true;
#pragma unroll
    for (int c = 0; c < BI_VOXELGRID_DIM; c++) {
        const float from = (least[c] - g.reach) * g.inverse_cell_f32, to = (greatest[c] + g.reach) * g.inverse_cell_f32;
        const int32_t low = nearest_voxel(g, c, fmaf(fabsf(from), -ROUNDING_MARGIN, from) - NEAREST_LOW);
        const int32_t high = nearest_voxel(g, c, fmaf(fabsf(to), ROUNDING_MARGIN, to) - NEAREST_HIGH);
        any = any && low < g.side[c] && high >= 0;
        box->low[c] = max(low, 0);
        box->high[c] = min(high, g.side[c] - 1);
    }
    return any;
}
__device__ __forceinline__ bool box_around(const search_view &g, const float *q, near_box *box)
{
    return box_around(g, q, q, box);
}

/* Sets the common box of two queries. True if it is about as small as that of two queries in one voxel, and neither
 * is NaN. */
__device__ __forceinline__ bool box_around_both(const search_view &g, const float *q, const float *other, near_box *box)
{
    float least[BI_VOXELGRID_DIM], greatest[BI_VOXELGRID_DIM];
    bool is_small = true;
#pragma unroll
    for (int c = 0; c < BI_VOXELGRID_DIM; c++) {
        is_small = is_small && q[c] == q[c] && other[c] == other[c];
        least[c] = fminf(q[c], other[c]);
        greatest[c] = fmaxf(q[c], other[c]);
    }
    is_small = box_around(g, least, greatest, box) && is_small;
    return is_small && box->high[2] - box->low[2] < COMMON_BOX_LENGTH &&
           (box->high[0] - box->low[0] + 1) * (box->high[1] - box->low[1] + 1) <= COMMON_BOX_ROWS;
}

/* As bi_voxelgrid_dist2, but a NaN stays NaN, which is within no finite radius. */
__device__ __forceinline__ float squared_distance(const float *q, uint4 point)
{
    float d = q[0] - __uint_as_float(point.x), s = d * d;
    d = q[1] - __uint_as_float(point.y);
    s = s + d * d;
    d = q[2] - __uint_as_float(point.z);
    return s + d * d;
}

/* Squared distance less squared radius, by fused operations, which are fewer. Rounding errors are below 5 * 2^-24 of
 * the squared radius, so the sign is right where the magnitude exceeds doubt_limit(g), which is 2^-21 of it. The floor
 * of 2^-120 exceeds all errors of underflow. */
__device__ __forceinline__ float fused_excess(const search_view &g, const float *q, uint4 point)
{
    const float x = q[0] - __uint_as_float(point.x), y = q[1] - __uint_as_float(point.y);
    const float z = q[2] - __uint_as_float(point.z);
    return fmaf(z, z, fmaf(y, y, fmaf(x, x, -g.r2)));
}
__device__ __forceinline__ float doubt_limit(const search_view &g) { return fmaxf(g.r2 * 0x1p-21f, 0x1p-120f); }

/* Points that a warp reads together. */
struct warp_stage {
    uint4 points[STAGE_POINTS];
};

/* Calls visit(point) at the positions begin, begin + STEP, ... below `end`. Two loads are issued before either
 * visit, and the loop tests once for both. */
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

/* Visits each thread's range of one long row of voxels. The whole warp calls it: it copies the union of the ranges
 * to shared memory in coalesced reads, as neighbouring queries share most points. */
template <class V>
__device__ __forceinline__ void visit_long_row(const search_view &g, warp_stage &stage, uint32_t begin, uint32_t end,
                                               V &&visit)
{
    /* 1. Union of the ranges, and the longest of them. */
    const bool any = begin < end;
    const uint32_t low = bi_warp_min(any ? begin : ~0u), high = bi_warp_max(any ? end : 0u);
    const uint32_t longest = bi_warp_max(any ? end - begin : 0u);
    if (low < high && (high - low) / 4 > longest) { /* queries far apart share too few points */
        for (uint32_t at = begin; at < end; at++) visit(__ldg(g.points + at));
        return;
    }
    /* 2. Copy a part at a time, and visit each thread's share of it. Barriers: nobody reads the last part any more;
     * all of this part is written. */
    for (uint32_t from = low; from < high; from += STAGE_POINTS) {
        const uint32_t count = min(high - from, (uint32_t)STAGE_POINTS), last = min(end, from + count);
        __syncwarp();
        for (uint32_t k = threadIdx.x % 32; k < count; k += 32) stage.points[k] = __ldg(g.points + from + k);
        __syncwarp();
        visit_row<1>([](const uint4 *point) { return *point; }, stage.points, max(begin, from) - from,
                     max(last, from) - from, visit);
    }
}

/* Visits by a thread alone, or by STEP threads, this one being number `own`. All threads of a warp step through row
 * numbers alike, so that they read the same cache lines. */
template <unsigned STEP, class V>
__device__ __forceinline__ void visit_by_thread(const search_view &g, const near_box &box, uint32_t from, uint32_t own,
                                                V &&visit)
{
    const int32_t last_line = box.high[1] - box.low[1], length = box.high[2] - box.low[2] + 1;
    int32_t row = (box.low[0] * g.side[1] + box.low[1]) * g.side[2] + box.low[2];
    for (int32_t x = box.low[0]; x <= box.high[0]; x++, row += g.side[1] * g.side[2])
        for (int32_t y = 0; y <= last_line; y += ROWS_AT_ONCE) {
            uint32_t begin[ROWS_AT_ONCE],
                end[ROWS_AT_ONCE]; /* rows beyond the last line repeat it, and are not visited */
#pragma unroll
            for (int k = 0; k < ROWS_AT_ONCE; k++) {
                const uint32_t first = (uint32_t)(row + min(y + k, last_line) * g.side[2]);
                begin[k] = max(__ldg(g.starts + first), from) + own;
                end[k] = __ldg(g.starts + (first + (uint32_t)length));
            }
#pragma unroll
            for (int k = 0; k < ROWS_AT_ONCE; k++) {
                if (y + k > last_line) break;
                visit_row<STEP>([](const uint4 *point) { return __ldg(point); }, g.points, begin[k], end[k], visit);
            }
        }
}

/* Visits by a warp together, in row order relative to each thread's own box. If SHARED_ROWS, groups of ROWS_AT_ONCE
 * rows go to the QUERY_WARPS warps in turn, so that each warp visits only its groups. The whole warp calls it. A thread
 * without a query has an empty box, `high` below `low`. Positions before `from` are skipped. */
template <bool SHARED_ROWS, class V>
__device__ __forceinline__ void visit_by_warp(const search_view &g, warp_stage &stage, const near_box &box,
                                              uint32_t from, V &&visit)
{
    /* The warp loops over the largest box, so that its threads stay together at the barriers. */
    const int32_t planes = bi_warp_max(box.high[0] - box.low[0] + 1);
    const int32_t lines = bi_warp_max(box.high[1] - box.low[1] + 1);
    int32_t turn = SHARED_ROWS ? (int32_t)(threadIdx.x / 32) : 0;
    for (int32_t x = 0; x < planes; x++)
        for (int32_t y = 0; y < lines; y += ROWS_AT_ONCE) {
            /* 1. Round robin: skip the groups of the other warps. */
            if (SHARED_ROWS && turn-- > 0) continue;
            if (SHARED_ROWS) turn = QUERY_WARPS - 1;
            /* 2. Bounds of the rows, read at once; empty where the thread's box has no such row. */
            uint32_t begin[ROWS_AT_ONCE], end[ROWS_AT_ONCE];
            bool is_long = false;
#pragma unroll
            for (int k = 0; k < ROWS_AT_ONCE; k++) {
                const int32_t plane = box.low[0] + x, line = box.low[1] + y + k;
                begin[k] = end[k] = 0;
                if (plane > box.high[0] || line > box.high[1]) continue;
                const uint32_t row = (uint32_t)((plane * g.side[1] + line) * g.side[2]);
                begin[k] = max(__ldg(g.starts + (row + (uint32_t)box.low[2])), from);
                end[k] = __ldg(g.starts + (row + (uint32_t)box.high[2] + 1));
                is_long |= end[k] > begin[k] + LONG_ROW;
            }
            /* 3. A long row of any thread: visit through shared memory. One copy of the code (unroll 1), and selects
             * in place of begin[k], as an array with a variable index would leave the registers. */
            if (__any_sync(~0u, is_long)) {
#pragma unroll 1
                for (int k = 0; k < ROWS_AT_ONCE; k++)
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
            /* 4. Short rows: each thread reads its own. The barrier makes the warp converge. */
#pragma unroll
            for (int k = 0; k < ROWS_AT_ONCE; k++)
                visit_row<1>([](const uint4 *point) { return __ldg(point); }, g.points, begin[k], end[k], visit);
            __syncwarp();
        }
}

/* Calls visit(point) for all points within reach of q, and others near them, at positions from `from` on. The whole
 * warp calls it; a thread without a query is not `active`. */
template <visit_mode MODE, class V>
__device__ __forceinline__ void visit_around(const search_view &g, warp_stage &stage, const float *q, bool active,
                                             uint32_t from, V &&visit)
{
    near_box box;
    const bool any = active && box_around(g, q, &box);
    if (MODE == PER_THREAD) {
        if (any) visit_by_thread<1>(g, box, from, 0, visit);
        return;
    }
    if (!any) box = {{0, 0, 0}, {-1, -1, -1}};
    visit_by_warp<MODE == SHARED_QUERIES>(g, stage, box, from, visit);
}

/* Calls search(item, active) for the items of the warp's threads. All threads of a warp loop equally often, as searches
 * contain barriers of the warp; `active` is false for threads beyond the end. */
template <visit_mode MODE, class F>
static __device__ __forceinline__ void for_each_item(int64_t begin, int64_t end, F &&search)
{
    const unsigned lane = threadIdx.x % 32, per_block = MODE == SHARED_QUERIES ? 32 : THREADS,
                   own = MODE == SHARED_QUERIES ? lane : threadIdx.x;
    for (int64_t i = begin + blockIdx.x * (int64_t)per_block + own; i - lane < end; i += (int64_t)gridDim.x * per_block)
        search(i, i < end);
}

struct visit_shared {
    warp_stage stages[WARPS];

    __device__ warp_stage &stage() { return stages[threadIdx.x / 32]; }
};

/* Counts by warp and lane, of warps that share queries. */
struct query_counts {
    uint32_t of[QUERY_WARPS][32];

    /* Sums over the warps that share queries; the first warp gets the result. */
    __device__ __forceinline__ uint32_t sum(uint32_t count)
    {
        const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
        __syncthreads(); /* counts of the last call are read */
        of[warp][lane] = count;
        __syncthreads(); /* counts of all warps */
        for (unsigned w = 1; warp == 0 && w < QUERY_WARPS; w++) count += of[w][lane];
        return count;
    }
};

/* Launches KERNEL(view, more, begin, end) over n items, in chunks for progress: a block of `threads` for every
 * `per_block` items, rather than a grid-stride loop, as some items take longer. Uses `a` and `n` of the caller, and
 * returns. */
#define LAUNCH_IN_CHUNKS(ctx, VIEW, KERNEL, per_block, threads, more)                                                 \
    do {                                                                                                              \
        const VIEW view = make_view<VIEW>(a.view, a.r2, a.reach);                                                     \
        bi_batches p = bi_batches_of(ctx, n, 1);                                                                      \
        while (bi_next_batch(ctx, &p))                                                                                \
            BI_TRY(BI_RUN_BATCH(ctx, KERNEL, (unsigned)bi_div_up(p.end - p.begin, per_block), threads, 0, view, more, \
                                p.begin, p.end));                                                                     \
        return p.status;                                                                                              \
    } while (0)

#define LAUNCH(ctx, VIEW, KERNEL, more) LAUNCH_IN_CHUNKS(ctx, VIEW, KERNEL, THREADS, THREADS, more)
#define LAUNCH_SHARED(ctx, KERNEL, more) LAUNCH_IN_CHUNKS(ctx, search_view, KERNEL, 32, 32 * QUERY_WARPS, more)

static inline visit_mode choose_mode(const bosc_ctx *ctx, const bi_voxelgrid_view &v, int64_t n)
{
    return n <= (int64_t)ctx->multiprocessors * FEW_QUERIES ? SHARED_QUERIES
           : v.peak_density >= CROWDED                      ? PER_WARP
                                                            : PER_THREAD;
}

/* --- Rows of results ---------------------------------------------------------------------------------------------- */

/* Rows of results: each thread collects its row in a column of shared memory; a warp then sorts and writes the rows
 * of its threads together. */

/* Short rows, a column a thread. The extra entry LIMIT receives everything beyond. */
template <bool DISTANCES, int LIMIT> struct row_columns {
    uint32_t ids[LIMIT + 1][THREADS];
    float dist2[DISTANCES ? LIMIT + 1 : 1][THREADS];
};

/* The row of a thread: `count` counts all results, the first LIMIT are stored. */
template <bool DISTANCES, int LIMIT> struct row_column {
    row_columns<DISTANCES, LIMIT> &sh;
    uint32_t count;

    __device__ uint32_t &id(uint32_t k) const { return sh.ids[k][threadIdx.x]; }
    __device__ float &dist2(uint32_t k) const { return sh.dist2[DISTANCES ? k : 0][threadIdx.x]; }

    __device__ void write(uint32_t k, float its_dist2, uint32_t its_id) const
    {
        id(k) = its_id;
        if (DISTANCES) dist2(k) = its_dist2;
    }

    __device__ void add(float its_dist2, uint32_t its_id)
    {
        if (count < LIMIT) write(count, its_dist2, its_id);
        count++;
    }

    /* The same without a branch: always stores, and counts only if found, so that the next store overwrites an entry
     * that was not. */
    __device__ __forceinline__ void append_if(bool is_found, float its_dist2, uint32_t its_id)
    {
        write(min(count, (uint32_t)LIMIT), its_dist2, its_id);
        count += is_found;
    }

    /* Appends the rows of the other warps that share the queries; the first warp gets the result. */
    __device__ void merge_warps(query_counts &counts)
    {
        const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
        counts.of[warp][lane] = count;
        __syncthreads(); /* rows and counts of all warps */
        for (unsigned w = 1; warp == 0 && w < QUERY_WARPS; w++) {
            const uint32_t others = counts.of[w][lane];
            for (uint32_t k = 0; k < others && k < LIMIT; k++)
                add(sh.dist2[DISTANCES ? k : 0][w * 32 + lane], sh.ids[k][w * 32 + lane]);
            if (others > LIMIT) count += others - LIMIT;
        }
        __syncthreads(); /* the first warp has read them */
    }
};

/* Calls visit(lane, k, exists) for every k below the count of every lane, distributed over the threads of the warp.
 * `inclusive`: inclusive sum of the counts. The whole warp calls it. */
template <class V> static __device__ __forceinline__ void for_each_entry(uint32_t count, uint32_t inclusive, V &&visit)
{
    const uint32_t total = __shfl_sync(~0u, inclusive, 31);
    for (uint32_t first = 0; first < total; first += 32) {
        const uint32_t entry = first + threadIdx.x % 32;
        const unsigned lane = bi_find_entry_lane(inclusive, entry);
        visit(lane, entry - __shfl_sync(~0u, inclusive - count, lane), entry < total);
    }
}

/* Sorts the first `count` entries of a column of ids. Not inlined, as the networks are long. */
template <int N> static __device__ BI_NOINLINE void sort_column_of(uint32_t *column, uint32_t count)
{
    bi_sort_by_registers<N, THREADS>(column, count);
}

/* The same for the columns of a warp, by a network for the longest; LIMIT: maximum of `count`. The whole warp calls
 * it. */
template <int LIMIT> static __device__ __forceinline__ void sort_columns(uint32_t *column, uint32_t count)
{
    static_assert(LIMIT <= 64, "the largest network");
    const uint32_t longest = bi_warp_max(count);
    if (longest <= 8)
        sort_column_of<8>(column, count);
    else if (longest <= 16)
        sort_column_of<16>(column, count);
    else if (LIMIT <= 24 || longest <= 24)
        sort_column_of<24>(column, count);
    else if (LIMIT <= 32 || longest <= 32)
        sort_column_of<32>(column, count);
    else if (LIMIT <= 48 || longest <= 48)
        sort_column_of<48>(column, count);
    else
        sort_column_of<64>(column, count);
}

/* Calls write(slot, row, id, dist2) for the first `count` entries of each thread, sorted by id; slots of a thread
 * begin at `at`. Long columns of ids alone are sorted first; else each entry counts the smaller ids of its column. The
 * whole warp calls it, and each thread writes some of all. */
template <class VIEW, bool DISTANCES, int LIMIT, class V>
static __device__ __forceinline__ void for_each_sorted(row_columns<DISTANCES, LIMIT> &found, uint32_t count,
                                                       uint32_t inclusive, int64_t at, uint32_t row, V &&write)
{
    constexpr bool BY_NETWORK = VIEW::SORTS_BY_NETWORK && !DISTANCES && LIMIT >= NETWORK_LIMIT;
    if constexpr (BY_NETWORK) sort_columns<LIMIT>(&found.ids[0][threadIdx.x], count);
    __syncwarp(); /* rows of all lanes */
    for_each_entry(count, inclusive, [&](unsigned lane, uint32_t k, bool exists) {
        const unsigned thread = threadIdx.x / 32 * 32 + lane;
        const uint32_t length = __shfl_sync(~0u, count, lane), its_row = __shfl_sync(~0u, row, lane);
        const int64_t row_begin = __shfl_sync(~0u, at, lane);
        if (!exists) return;
        const uint32_t id = found.ids[k][thread];
        uint32_t smaller = BY_NETWORK ? k : 0;
#pragma unroll 4
        for (uint32_t other = 0; !BY_NETWORK && other < length; other++) smaller += found.ids[other][thread] < id;
        write(row_begin + smaller, its_row, id, found.dist2[DISTANCES ? k : 0][thread]);
    });
    __syncwarp(); /* all rows are read, and may be reused */
}

template <bool DISTANCES, int LIMIT> struct search_shared {
    row_columns<DISTANCES, LIMIT> found;
    query_counts counts;
};

/* Writes an entry of a row. For pairs both ids, in one store where that is aligned. */
template <bool DISTANCES>
static __device__ __forceinline__ void write_entry(const bi_row_out &out, int64_t at, uint32_t row, uint32_t id,
                                                   float dist2)
{
    if (DISTANCES) static_cast<float *>(out.dist2)[at] = dist2;
    if (!out.pairs) {
        bi_voxelgrid_write_id(out.ids, out.ids_64bit, at, id);
    } else if (out.ids_64bit && (uintptr_t)out.ids % sizeof(uint4) == 0) {
        static_cast<uint4 *>(out.ids)[at] = {row, 0, id, 0};
    } else {
        bi_voxelgrid_write_id(out.ids, out.ids_64bit, 2 * at, row);
        bi_voxelgrid_write_id(out.ids, out.ids_64bit, 2 * at + 1, id);
    }
}

/* A row that a thread fills: short ones in its column, others unsorted in the output. */
template <class VIEW, bool DISTANCES, int LIMIT> struct row_filler {
    const bi_row_out &out;
    int64_t capacity;
    row_column<DISTANCES, LIMIT> found;

    __device__ bool is_short() const { return capacity <= LIMIT; }
    __device__ bool is_full() const { return found.count == capacity; }

    __device__ void add(float dist2, uint32_t id)
    {
        if (is_short()) {
            found.add(dist2, id);
            return;
        }
        if (found.count < capacity) bi_row_set(&out, found.count, (double)dist2, id);
        found.count++;
    }

    /* Sorts and writes full short rows; lists long ones for a later sort. The whole warp calls it. */
    __device__ void finish(uint32_t *long_rows, int64_t row) const
    {
        const uint32_t count = is_full() && is_short() ? found.count : 0;
        for_each_sorted<VIEW>(found.sh, count, bi_warp_inclusive_sum(count), out.at, (uint32_t)row,
                              [&](int64_t at, uint32_t its_row, uint32_t id, float dist2) {
                                  write_entry<DISTANCES>(out, at, its_row, id, dist2);
                              });
        if (!is_full() || is_short()) return;
        for (int64_t k = 0; out.pairs && k < capacity; k++)
            bi_voxelgrid_write_id(out.ids, out.ids_64bit, 2 * (out.at + k), (uint32_t)row);
        if (!bi_row_list_long(long_rows, row, capacity)) bi_row_sort(&out, capacity);
    }
};

#endif
