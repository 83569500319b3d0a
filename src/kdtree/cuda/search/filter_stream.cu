/* The pass over all pairs for the filter in few columns: the words of 64 queries stay in the registers of a warp, and
 * points stream past, 16 at a time. Warps of a block read the same points at about the same time, so that the
 * first-level cache serves most of them. */
#include "kdtree/cuda/search/filter_candidates.cuh"

enum {
    THREADS = 128,
    WARPS = THREADS / 32,
    QUERIES = 64, /* of a warp */
    ROWS = BI_KDTREE_FILTER_ROWS
};

struct stream_shared {
    bi_kdtree_filter_query queries[WARPS][QUERIES];
    bi_kdtree_candidate_buffer buffers[WARPS];
};

/* 16 points on their way to the tensor cores: their words, and what sums of points 2 (lane % 4), the next one, and the
 * two 8 behind begin with. */
template <int STEPS> struct stream_points {
    uint4 words[STEPS];
    float2 left, right;

    __device__ __forceinline__ void load(const bi_kdtree_filter_rows &points, size_t sixteen)
    {
        const uint32_t lane = threadIdx.x % 32;
        const float *halves = points.halves + sixteen * 16 + lane % 4 * 2;
#pragma unroll
        for (int step = 0; step < STEPS; step++) words[step] = points.words[(sixteen * STEPS + step) * 32 + lane];
        left = *reinterpret_cast<const float2 *>(halves);
        right = *reinterpret_cast<const float2 *>(halves + 8);
    }
};

/* sums = those of 32 queries and 16 points: for each 16 queries two tiles of 8 points. */
template <int STEPS>
static __device__ __forceinline__ void multiply(float (*sums)[4], const uint4 (*queries)[STEPS],
                                                const stream_points<STEPS> &points)
{
    const float left[4] = {points.left.x, points.left.y, points.left.x, points.left.y},
                right[4] = {points.right.x, points.right.y, points.right.x, points.right.y};
#pragma unroll
    for (int i = 0; i < 2; i++)
#pragma unroll
        for (int step = 0; step < STEPS; step++) {
            const uint4 &q = queries[i][step], &p = points.words[step];
            bi_add_products(sums[2 * i], step == 0 ? left : sums[2 * i], q, p.x, p.z);
            bi_add_products(sums[2 * i + 1], step == 0 ? right : sums[2 * i + 1], q, p.y, p.w);
        }
}

template <int STEPS>
static __global__ void __launch_bounds__(THREADS) bi_kdtree_filter_stream_pass(const bi_kdtree_filter_scan s)
{
    BI_SHARED(stream_shared, sh);
    const uint32_t warp = threadIdx.x / 32, lane = threadIdx.x % 32, number = blockIdx.x * WARPS + warp,
                   groups = (uint32_t)(s.queries.padded / QUERIES), group = number % groups,
                   first = number / groups * (uint32_t)s.tiles_per_slice,
                   last = min(first + (uint32_t)s.tiles_per_slice, (uint32_t)(s.points.padded / ROWS));
    if (first >= last || !bi_kdtree_chooses_filter(s.choice)) return;
    /* 1. Read the queries. The warp barrier makes their bounds visible. */
    bi_kdtree_candidate_buffer &buffer = sh.buffers[warp];
    uint4 queries[QUERIES / 16][STEPS];
    for (uint32_t i = lane; i < QUERIES; i += 32) sh.queries[warp][i] = s.queries.queries[group * QUERIES + i];
    if (lane == 0) buffer.count = 0;
    __syncwarp();
#pragma unroll
    for (int i = 0; i < QUERIES / 16; i++)
#pragma unroll
        for (int step = 0; step < STEPS; step++)
            queries[i][step] =
                s.queries.words[((size_t)(group * (QUERIES / 16) + (uint32_t)i) * STEPS + (uint32_t)step) * 32 + lane];
    /* 2. Multiply them with all points of the slice; 16 points are loaded ahead. */
    stream_points<STEPS> next;
    const size_t end = (size_t)last * (ROWS / 16);
    next.load(s.points, (size_t)first * (ROWS / 16));
    for (uint32_t tile = first; tile < last; tile++) {
        float thresholds[QUERIES / 8];
        const bi_kdtree_filter_tile bound = s.points.tiles[tile];
#pragma unroll
        for (int i = 0; i < QUERIES / 8; i++)
            thresholds[i] =
                bi_kdtree_threshold_of(sh.queries[warp][(uint32_t)i * 8 + lane / 4], bound, s.product_error);
#pragma unroll 1
        for (uint32_t part = 0; part < ROWS / 16; part++) {
            const stream_points<STEPS> points = next;
            const size_t following = (size_t)tile * (ROWS / 16) + part + 1;
            if (following < end) next.load(s.points, following);
            const uint32_t point = (tile - first) * ROWS + part * 16 + lane % 4 * 2;
#pragma unroll
            for (int i = 0; i < QUERIES / 16; i += 2) {
                float sums[4][4];
                multiply<STEPS>(sums, &queries[i], points);
                if (bi_kdtree_buffer_candidates<2>(buffer, sums, &thresholds[2 * i], (uint32_t)i * 16 + lane / 4,
                                                   point))
                    bi_kdtree_write_candidates(s, buffer, group * QUERIES, s.first + first * ROWS);
            }
        }
    }
    bi_kdtree_write_candidates(s, buffer, group * QUERIES, s.first + first * ROWS);
}

/* Launches the pass with enough warps to fill the device some times over, each with as many tiles. */
template <int STEPS> static bosc_status launch_stream(bosc_ctx *ctx, bi_kdtree_filter_scan &s)
{
    const int64_t groups = s.queries.padded / QUERIES, tiles = s.points.padded / ROWS,
                  most = ((int64_t)1 << BI_KDTREE_FILTER_SHIFT) / ROWS,
                  slices = bi_div_up((int64_t)ctx->multiprocessors * 24, groups);
    auto kernel = bi_kdtree_filter_stream_pass<STEPS>;
    int64_t per_slice = bi_div_up(tiles, slices < tiles ? slices : tiles);
    if (per_slice > most) per_slice = most;
    s.tiles_per_slice = (int32_t)per_slice;
    return BI_RUN(ctx, kernel, (unsigned)bi_div_up(groups * bi_div_up(tiles, per_slice), WARPS), THREADS, 0, s);
}

bosc_status bi_kdtree_filter_stream(bosc_ctx *ctx, bi_kdtree_filter_scan s)
{
    return s.steps == 1 ? launch_stream<1>(ctx, s) : s.steps == 2 ? launch_stream<2>(ctx, s) : launch_stream<4>(ctx, s);
}
