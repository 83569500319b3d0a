/* The sieve of a pass: every point to its cell, or to the side list of the node in whose bracket it is. */
#include "kdtree/cuda/build/multilevel_pass.cuh"

enum { SIEVE_THREADS = 256, SIEVE_ITEMS = 8, SIEVE_TILE = SIEVE_THREADS * SIEVE_ITEMS };

/* Points wait here in the order of their destinations, so that writes to each are runs. */
template <int DIM> struct sieve_shared {
    kd_scatter scatter;
    uint32_t start[KD_DESTINATIONS]; /* of a destination in the tile */
    uint2 segment;
    kd_point<DIM> tile[SIEVE_TILE];
};

/* kd_classify from the root, without branches. */
template <int DIM>
static __device__ __forceinline__ uint32_t classify(const kd_point<DIM> &p, int d, const float2 *brackets, int levels)
{
    uint32_t v = 0, list = 0;
#pragma unroll
    for (int j = 0; j < KD_PASS_LEVELS; j++) {
        if (j == levels) break;
        const float x = kd_coordinate<DIM>(p, d);
        const float2 b = brackets[v];
        const bool greater = x > b.y;
        list = list == 0 && !greater && !(x < b.x) ? KD_CELLS + v : list;
        v = 2 * v + 1 + greater;
        d = kd_next<DIM>(d);
    }
    return list ? list : v - ((1u << levels) - 1);
}

template <int DIM>
static __global__ void __launch_bounds__(SIEVE_THREADS)
    sieve(const kd_pass pass, const kd_source from, const kd_array to, const kd_work work, uint32_t tiles_per_segment)
{
    using shared = struct sieve_shared<DIM>;
    BI_SHARED(shared, sh);
    const uint32_t segment = blockIdx.x / tiles_per_segment, tile = blockIdx.x % tiles_per_segment, t = threadIdx.x;
    const uint2 range = work.segments[segment];
    const uint32_t begin = range.x + tile * SIEVE_TILE;
    if (begin >= range.y) return;
    const uint32_t count = min(range.y - begin, (uint32_t)SIEVE_TILE);
    kd_point<DIM> p[SIEVE_ITEMS];
#pragma unroll
    for (int k = 0; k < SIEVE_ITEMS; k++)
        if (k * SIEVE_THREADS + t < count) p[k] = kd_read<DIM>(from, begin + k * SIEVE_THREADS + t);
    if (t < KD_DESTINATIONS) kd_scatter_prepare<DIM>(sh.scatter, pass, work, segment, t);
    __syncthreads();
    uint32_t place[SIEVE_ITEMS]; /* destination << 16 | rank */
#pragma unroll
    for (int k = 0; k < SIEVE_ITEMS; k++) {
        if (k * SIEVE_THREADS + t >= count) continue;
        uint32_t to_what = classify<DIM>(p[k], pass.level % DIM, sh.scatter.brackets, pass.levels);
        place[k] = to_what << 16 | kd_scatter_count<DIM>(sh.scatter, pass, work, segment, to_what, p[k]);
    }
    __syncthreads();
    if (t < KD_DESTINATIONS) {
        uint32_t sum = bi_warp_inclusive_sum(sh.scatter.count[t]);
        sh.start[t] = sum - sh.scatter.count[t];
        kd_scatter_take(sh.scatter, work, segment, t, sh.start[t], 0);
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < SIEVE_ITEMS; k++)
        if (k * SIEVE_THREADS + t < count) sh.tile[sh.start[place[k] >> 16] + (place[k] & 0xffff)] = p[k];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < SIEVE_ITEMS; k++) {
        uint32_t at = k * SIEVE_THREADS + t, d = 0;
        if (at >= count) continue;
#pragma unroll
        for (int step = KD_DESTINATIONS / 2; step > 0; step >>= 1)
            if (sh.start[d + step] <= at) d += step;
        kd_scatter_put<DIM>(sh.scatter, to, work.side, d, at, sh.tile[at]);
    }
}

template <int DIM>
bosc_status kd_run_sieve(bosc_ctx *ctx, const kd_pass &pass, const kd_source &from, const kd_array &to,
                         const kd_work &work)
{
    auto kernel = sieve<DIM>;
    uint32_t tiles = (uint32_t)bi_div_up(pass.largest, SIEVE_TILE);
    return BI_RUN(ctx, kernel, tiles * pass.segments, SIEVE_THREADS, 0, pass, from, to, work, tiles);
}

template bosc_status kd_run_sieve<2>(bosc_ctx *, const kd_pass &, const kd_source &, const kd_array &, const kd_work &);
template bosc_status kd_run_sieve<3>(bosc_ctx *, const kd_pass &, const kd_source &, const kd_array &, const kd_work &);
template bosc_status kd_run_sieve<4>(bosc_ctx *, const kd_pass &, const kd_source &, const kd_array &, const kd_work &);
