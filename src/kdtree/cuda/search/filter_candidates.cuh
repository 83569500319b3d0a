/* Shared by the passes of the filter: thresholds of sums, and candidates on their way to the lists of queries. */
#ifndef BI_KDTREE_CUDA_SEARCH_FILTER_CANDIDATES_CUH
#define BI_KDTREE_CUDA_SEARCH_FILTER_CANDIDATES_CUH

#include "core/cuda/warp.cuh"
#include "kdtree/cuda/search/filter.cuh"

enum {
    BI_KDTREE_FILTER_TESTED = 16,                           /* sums of a thread in one test */
    BI_KDTREE_FILTER_BUFFER = 32 * BI_KDTREE_FILTER_TESTED, /* candidates of a warp in shared memory */
    BI_KDTREE_FILTER_SHIFT = 24 /* a buffered candidate: its query in the upper 8 bits, its point in the slice below */
};

/* The pass for at most 64 columns (filter_stream.cu), twice as fast as filter_scan.cu there; measured in 16, 32 and 64
 * dimensions. */
static inline bool bi_kdtree_filter_streams(int32_t steps) { return steps <= 4; }
bosc_status bi_kdtree_filter_stream(bosc_ctx *ctx, bi_kdtree_filter_scan s);

/* --- Bounds ------------------------------------------------------------------------------------------------------- */

/* Roundings below are at most 6 units of 2^-24 of the query's square, which 2^-21 covers, and of the square of the
 * distance, which 2^-18 covers. */

/* Returns the largest sum that a candidate may fail to reach: points at most `radius` from the query, as rounded points
 * less the errors, have larger sums. */
static __device__ __forceinline__ float bi_kdtree_threshold_of(const bi_kdtree_filter_query &q,
                                                               const bi_kdtree_filter_tile &tile, float product_error)
{
    const float length = bi_f32_from_bits(tile.length);
    const float farthest = (q.radius + bi_f32_from_bits(tile.error)) * (1 + 0x1p-20f);
    const float limit = 0.5f * (1 + 0x1p-18f) * farthest * farthest;
    return q.square - limit - product_error * length * (q.length + 0.5f * length);
}

/* Returns an upper bound of the distance of the point with a sum. */
static __device__ __forceinline__ float bi_kdtree_upper_bound_of(const bi_kdtree_filter_query &q,
                                                                 const bi_kdtree_filter_tile &tile, float product_error,
                                                                 float sum)
{
    const float length = bi_f32_from_bits(tile.length);
    const float square =
        q.square * (1 + 0x1p-21f) - 2 * sum + 2.01f * product_error * length * (q.length + 0.5f * length);
    return (sqrtf(fmaxf(square, 0)) + q.error + bi_f32_from_bits(tile.error)) * (1 + 0x1p-18f);
}

/* --- Candidates --------------------------------------------------------------------------------------------------- */

/* Candidates of a warp on their way to the lists of queries: at most BI_KDTREE_FILTER_BUFFER, and those of a test. */
struct bi_kdtree_candidate_buffer {
    uint32_t count, at[2 * BI_KDTREE_FILTER_BUFFER];
};

/* Appends the buffered candidates to the lists of their queries. All lanes call it. */
static __device__ __forceinline__ void bi_kdtree_write_candidates(const bi_kdtree_filter_scan &s,
                                                                  bi_kdtree_candidate_buffer &buffer,
                                                                  uint32_t first_query, uint32_t first_point)
{
    __syncwarp(); /* all candidates are in the buffer */
    const uint32_t count = buffer.count;
    for (uint32_t i = threadIdx.x % 32; i < count; i += 32) {
        const uint32_t query = first_query + (buffer.at[i] >> BI_KDTREE_FILTER_SHIFT);
        const uint32_t slot = atomicAdd(&s.counts[query], 1u);
        if (slot < (uint32_t)s.capacity)
            s.lists[(size_t)query * (uint32_t)s.capacity + slot] =
                first_point + (buffer.at[i] & ((1u << BI_KDTREE_FILTER_SHIFT) - 1));
    }
    __syncwarp(); /* all lanes have read the buffer */
    if (threadIdx.x % 32 == 0) buffer.count = 0;
    __syncwarp(); /* the buffer is empty for all lanes */
}

/* Buffers the candidates among 16 sums of a thread: of TILES tiles of 8 points, and of 4 / TILES times 16 queries with
 * two of this lane each, row and row + 8. thresholds: of the queries. Returns true if the buffer must be written. All
 * lanes call it. */
template <int TILES>
static __device__ __forceinline__ bool bi_kdtree_buffer_candidates(bi_kdtree_candidate_buffer &buffer,
                                                                   const float (*sums)[4], const float *thresholds,
                                                                   uint32_t row, uint32_t point)
{
    bool any = false;
#pragma unroll
    for (int e = 0; e < BI_KDTREE_FILTER_TESTED; e++)
        any = any || sums[e / 4][e % 4] >= thresholds[e / 4 / TILES * 2 + e % 4 / 2];
    if (!__any_sync(~0u, any)) return false;
    uint32_t found = 0;
#pragma unroll
    for (int e = 0; e < BI_KDTREE_FILTER_TESTED; e++)
        found |= (uint32_t)(sums[e / 4][e % 4] >= thresholds[e / 4 / TILES * 2 + e % 4 / 2]) << e;
    if (found) {
        uint32_t at = atomicAdd(&buffer.count, (uint32_t)__popc(found));
        for (; found; found &= found - 1) {
            const uint32_t e = (uint32_t)__ffs((int)found) - 1;
            buffer.at[at++] = (row + e / 4 / TILES * 16 + e % 4 / 2 * 8) << BI_KDTREE_FILTER_SHIFT |
                              (point + e / 4 % TILES * 8 + e % 2);
        }
    }
    __syncwarp(); /* the count includes all lanes */
    const bool full = buffer.count > BI_KDTREE_FILTER_BUFFER;
    __syncwarp(); /* all lanes have read it */
    return full;
}

#endif
