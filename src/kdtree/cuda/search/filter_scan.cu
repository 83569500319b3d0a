/* Products of all rounded queries and points on tensor cores, for the filter. A block multiplies tiles of 128 or 256
 * queries and 128 points, 64 of each a warp. The larger tiles read less memory a product. Sums start at minus half the
 * squared length of the point, so a larger sum is a smaller distance: d^2 = |q|^2 - 2 sum. */
#include "core/cuda/shared.cuh"
#include "kdtree/cuda/search/filter_candidates.cuh"

enum {
    ROWS = BI_KDTREE_FILTER_ROWS, /* points of a tile */
    HALF = ROWS / 2,              /* queries, and points, of a warp */
};

/* Chunks in shared memory: one in use, the others on their way. Measured for chunks of 2 steps in 64 and 256
 * dimensions: 3 and 6 stages take as long as 4. */
template <int CHUNK> constexpr int STAGES_OF = CHUNK == 4 ? 3 : 4;

/* QUERIES: of a block. */
template <int QUERIES> constexpr int THREADS_OF = QUERIES;
template <int QUERIES, bool SAMPLE> struct scan_shared {
    bi_kdtree_filter_query queries[QUERIES];
    bi_kdtree_candidate_buffer buffers[SAMPLE ? 1 : THREADS_OF<QUERIES> / 32];
};

/* --- The pass ----------------------------------------------------------------------------------------------------- */

/* The tiles of a block, in order, each in chunks of CHUNK steps. */
template <int QUERIES, int CHUNK> struct tile_reader {
    enum { /* of a chunk: of the queries, the points, and both */
           QUERY_WORDS = QUERIES / 16 * CHUNK * 32,
           POINT_WORDS = ROWS / 16 * CHUNK * 32,
           WORDS = QUERY_WORDS + POINT_WORDS
    };
    const bi_kdtree_filter_scan &s;
    uint4 *stages; /* STAGES_OF chunks of queries and of points */
    uint32_t group, first;
    int chunks, total;

    __device__ __forceinline__ uint4 *stage_of(int chunk) const { return stages + chunk % STAGES_OF<CHUNK> * WORDS; }

    /* Starts the copies of COUNT words of a chunk: of consecutive 16 rows from `row` on. */
    template <int COUNT>
    __device__ __forceinline__ void start(uint4 *to, const uint4 *words, size_t row, uint32_t step) const
    {
#pragma unroll
        for (int i = 0; i < COUNT / THREADS_OF<QUERIES>; i++) {
            const uint32_t at = (uint32_t)(i * THREADS_OF<QUERIES>)+threadIdx.x;
            bi_copy_async(to + at,
                          words + ((row + at / (CHUNK * 32)) * (uint32_t)s.steps + step) * 32 + at % (CHUNK * 32));
        }
    }

    /* Starts the copies of a chunk, if there is one, and makes a group of them. */
    __device__ __forceinline__ void start(int chunk) const
    {
        if (chunk < total) {
            const uint32_t tile = first + (uint32_t)(chunk / chunks), step = (uint32_t)(chunk % chunks * CHUNK);
            start<QUERY_WORDS>(stage_of(chunk), s.queries.words, (size_t)group * (QUERIES / 16), step);
            start<POINT_WORDS>(stage_of(chunk) + QUERY_WORDS, s.points.words, (size_t)tile * (ROWS / 16), step);
        }
        bi_commit_copies();
    }
};

/* The sums of a warp: 64 queries by 64 points, in tiles of 16 by 8. */
typedef float warp_sums[4][8][4];

static __device__ __forceinline__ void begin_sums(warp_sums &sums, const float *halves)
{
#pragma unroll
    for (int j = 0; j < 8; j++) {
        const float left = halves[8 * j], right = halves[8 * j + 1];
#pragma unroll
        for (int i = 0; i < 4; i++) {
            sums[i][j][0] = sums[i][j][2] = left;
            sums[i][j][1] = sums[i][j][3] = right;
        }
    }
}

/* Adds the products of a chunk; queries and points: the warp's rows, at the words of this lane. */
template <int CHUNK>
static __device__ __forceinline__ void add_chunk(warp_sums &sums, const uint4 *queries, const uint4 *points)
{
#pragma unroll
    for (int step = 0; step < CHUNK; step++) {
        uint4 q[4], p[4];
#pragma unroll
        for (int i = 0; i < 4; i++) {
            q[i] = queries[(i * CHUNK + step) * 32];
            p[i] = points[(i * CHUNK + step) * 32];
        }
#pragma unroll
        for (int i = 0; i < 4; i++)
#pragma unroll
            for (int j = 0; j < 4; j++) {
                bi_add_products(sums[i][2 * j], sums[i][2 * j], q[i], p[j].x, p[j].z);
                bi_add_products(sums[i][2 * j + 1], sums[i][2 * j + 1], q[i], p[j].y, p[j].w);
            }
    }
}

/* Lowers the bounds of 64 queries, from `first` of the block on, by 64 points: four bounds a query. first_query: of the
 * block. */
static __device__ __forceinline__ void lower_bounds(const bi_kdtree_filter_scan &s, const warp_sums &sums,
                                                    const bi_kdtree_filter_query *queries, uint32_t first_query,
                                                    uint32_t first, uint32_t tile)
{
    const uint32_t lane = threadIdx.x % 32;
    const bi_kdtree_filter_tile bound = s.points.tiles[tile];
#pragma unroll
    for (int i = 0; i < 8; i++) {
        float largest = -INFINITY;
#pragma unroll
        for (int j = 0; j < 8; j++)
            largest = fmaxf(largest, fmaxf(sums[i / 2][j][i % 2 * 2], sums[i / 2][j][i % 2 * 2 + 1]));
        const uint32_t row = first + (uint32_t)i * 8 + lane / 4;
        const float upper = bi_kdtree_upper_bound_of(queries[row], bound, s.product_error, largest);
        uint32_t *to = s.bounds + (size_t)(first_query + row) * (uint32_t)s.groups + tile / (uint32_t)s.fold * 4;
        atomicMin(&to[lane % 4], bi_f32_bits(upper));
    }
}

/* Appends the candidates among 64 queries and 64 points of a tile, from `first` and `point` on. */
static __device__ __forceinline__ void list_candidates(const bi_kdtree_filter_scan &s, const warp_sums &sums,
                                                       const bi_kdtree_filter_query *queries,
                                                       bi_kdtree_candidate_buffer &buffer,
                                                       const bi_kdtree_filter_tile &bound, uint32_t first,
                                                       uint32_t point, uint32_t first_query, uint32_t first_point)
{
    const uint32_t lane = threadIdx.x % 32;
#pragma unroll
    for (int i = 0; i < 4; i++) {
        const uint32_t row = first + (uint32_t)i * 16 + lane / 4;
        const float thresholds[2] = {bi_kdtree_threshold_of(queries[row], bound, s.product_error),
                                     bi_kdtree_threshold_of(queries[row + 8], bound, s.product_error)};
#pragma unroll
        for (int j = 0; j < 8; j += 4)
            if (bi_kdtree_buffer_candidates<4>(buffer, &sums[i][j], thresholds, row,
                                               point + (uint32_t)j * 8 + lane % 4 * 2))
                bi_kdtree_write_candidates(s, buffer, first_query, first_point);
    }
}

template <int QUERIES, int CHUNK, bool SAMPLE>
static __global__ void __launch_bounds__(THREADS_OF<QUERIES>) bi_kdtree_filter_pass(const bi_kdtree_filter_scan s)
{
    typedef scan_shared<QUERIES, SAMPLE> shared;
    BI_SHARED(shared, sh);
    BI_SHARED_DYNAMIC(uint4, stages);
    const uint32_t warp = threadIdx.x / 32, lane = threadIdx.x % 32, groups = (uint32_t)(s.queries.padded / QUERIES),
                   group = blockIdx.x % groups, first = blockIdx.x / groups * (uint32_t)s.tiles_per_slice,
                   last = min(first + (uint32_t)s.tiles_per_slice, (uint32_t)(s.points.padded / ROWS));
    if (first >= last || !bi_kdtree_chooses_filter(s.choice)) return;
    /* 1. Read the queries, and start the first copies. Barriers of the loop make the queries visible. */
    const int chunks = s.steps / CHUNK;
    const tile_reader<QUERIES, CHUNK> reader = {s, stages, group, first, chunks, (int)(last - first) * chunks};
    const uint32_t query = warp / 2 * HALF, point = warp % 2 * HALF;
    bi_kdtree_candidate_buffer &buffer = sh.buffers[SAMPLE ? 0 : warp];
    sh.queries[threadIdx.x] = s.queries.queries[group * QUERIES + threadIdx.x];
    if (!SAMPLE && lane == 0) buffer.count = 0;
#pragma unroll
    for (int i = 0; i < STAGES_OF<CHUNK> - 1; i++) reader.start(i);
    warp_sums sums;
    for (int chunk = 0; chunk < reader.total; chunk++) {
        /* 2. Multiply a chunk. The barrier makes its copies visible to all, and ends the use of the stage before. */
        const uint32_t tile = first + (uint32_t)(chunk / chunks);
        bi_wait_copies_but<STAGES_OF<CHUNK> - 2>();
        __syncthreads();
        reader.start(chunk + STAGES_OF<CHUNK> - 1);
        if (chunk % chunks == 0) begin_sums(sums, s.points.halves + (size_t)tile * ROWS + point + lane % 4 * 2);
        const uint4 *words = reader.stage_of(chunk) + lane;
        add_chunk<CHUNK>(sums, words + query * 2 * CHUNK,
                         words + tile_reader<QUERIES, CHUNK>::QUERY_WORDS + point * 2 * CHUNK);
        if ((chunk + 1) % chunks != 0) continue;
        /* 3. Use the sums of a whole tile. */
        if (SAMPLE)
            lower_bounds(s, sums, sh.queries, group * QUERIES, query, 2 * tile + warp % 2);
        else
            list_candidates(s, sums, sh.queries, buffer, s.points.tiles[tile], query, (tile - first) * ROWS + point,
                            group * QUERIES, s.first + first * ROWS);
    }
    if (!SAMPLE) bi_kdtree_write_candidates(s, buffer, group * QUERIES, s.first + first * ROWS);
}

template <int QUERIES, int CHUNK> static size_t stage_bytes()
{
    return (size_t)STAGES_OF<CHUNK> * tile_reader<QUERIES, CHUNK>::WORDS * sizeof(uint4);
}

/* Launches the pass with enough blocks to fill the device some times over, each with as many tiles. */
template <int QUERIES, int CHUNK, bool SAMPLE> static bosc_status launch_pass(bosc_ctx *ctx, bi_kdtree_filter_scan &s)
{
    const int64_t groups = s.queries.padded / QUERIES, tiles = s.points.padded / ROWS,
                  most = ((int64_t)1 << BI_KDTREE_FILTER_SHIFT) / ROWS,
                  slices = bi_div_up((int64_t)ctx->multiprocessors * 1024 / QUERIES, groups);
    const size_t bytes = stage_bytes<QUERIES, CHUNK>();
    auto kernel = bi_kdtree_filter_pass<QUERIES, CHUNK, SAMPLE>;
    int64_t per_slice = bi_div_up(tiles, slices < tiles ? slices : tiles);
    if (per_slice > most) per_slice = most;
    s.tiles_per_slice = (int32_t)per_slice;
    BI_CUDA_TRY(ctx, cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes));
    return BI_RUN(ctx, kernel, (unsigned)(groups * bi_div_up(tiles, per_slice)), THREADS_OF<QUERIES>, bytes, s);
}

bool bi_kdtree_filter_multiplies(void)
{
    auto kernel = bi_kdtree_filter_pass<128, 2, true>;
    return bi_has_tensor_cores(kernel);
}

bosc_status bi_kdtree_filter_bound(bosc_ctx *ctx, bi_kdtree_filter_scan s)
{
    return s.steps == 1 ? launch_pass<128, 1, true>(ctx, s) : launch_pass<128, 2, true>(ctx, s);
}

bosc_status bi_kdtree_filter_list(bosc_ctx *ctx, bi_kdtree_filter_scan s)
{
    if (bi_kdtree_filter_streams(s.steps)) return bi_kdtree_filter_stream(ctx, s);
    const size_t shared = bi_shared_bytes(ctx), large = sizeof(scan_shared<256, false>);
    if (s.queries.padded % 256 != 0 || large + stage_bytes<256, 2>() > shared)
        return launch_pass<128, 2, false>(ctx, s);
    if (s.steps % 4 != 0 || large + stage_bytes<256, 4>() > shared) return launch_pass<256, 2, false>(ctx, s);
    return launch_pass<256, 4, false>(ctx, s);
}
