/* One level of the published method (Brown 2015): every list of references is partitioned stably around the medians of
 * the level's list. Where a reference stands in that list tells its side, so sides are noted once, by reference, and
 * the other lists only look them up: no coordinate is read. As published, there are four partitioners: many warps a
 * segment, a warp a segment, a part of a warp, and a last level that only makes nodes. Ballots and population counts
 * place the less and the greater side at once; the median is dropped. */
#include "kdtree/cuda.cuh"
#include "kdtree/shape.h"

enum {
    MOST_LISTS = 32, /* a tree has no more levels, so no more lists are used */
    THREADS = 256,
    TILE = 4096,        /* references of a block of many for a segment */
    WARP_SEGMENT = 2048 /* the largest segment that one warp takes */
};

enum side { LESS = 0, GREATER = 1, MEDIAN = 2 };

struct lists {
    const uint32_t *in[MOST_LISTS];
    uint32_t *out[MOST_LISTS];
};

struct level_args {
    int64_t n;
    int32_t level;
    uint8_t *sides; /* by reference */
};

__device__ __forceinline__ uint32_t side_mask(uint32_t valid, uint32_t group, int side, int of)
{
    return __ballot_sync(valid, side == of) & group;
}

/* Notes sides, takes medians, and copies the level's own list (`out` may be NULL). */
static __global__ void __launch_bounds__(THREADS)
    note_sides(const level_args a, const uint32_t *in, uint32_t *out, uint32_t *order)
{
    const int64_t step = (int64_t)gridDim.x * THREADS;
    for (int64_t i = blockIdx.x * (int64_t)THREADS + threadIdx.x; i < a.n; i += step) {
        struct bi_kd_range r = {0, a.n};
        int level = 0;
        while (level < a.level && i != bi_kd_mid(r)) {
            r = i < bi_kd_mid(r) ? bi_kd_less(r) : bi_kd_greater(r);
            level++;
        }
        if (level < a.level) continue; /* the place of a median above */
        const int64_t mid = bi_kd_mid(r);
        const uint32_t reference = in[i];
        a.sides[reference] = i < mid ? LESS : i > mid ? GREATER : MEDIAN;
        if (i == mid)
            order[i] = reference;
        else if (out)
            out[i] = reference;
    }
}

/* A part of a warp (GROUP lanes) for each segment of up to `GROUP` references, or a warp in rounds of 32. */
template <int GROUP>
static __global__ void __launch_bounds__(THREADS) partition_small(const level_args a, const lists given)
{
    const uint32_t *in = given.in[blockIdx.y];
    uint32_t *out = given.out[blockIdx.y];
    const int64_t segment = (blockIdx.x * (int64_t)THREADS + threadIdx.x) / GROUP, segments = (int64_t)1 << a.level;
    const int lane = threadIdx.x % 32, own = lane % GROUP;
    const uint32_t group = (GROUP == 32 ? ~0u : (1u << GROUP % 32) - 1) << (lane - own),
                   below = ((1u << lane) - 1) & group;
    struct bi_kd_range r = {0, 0};
    if (segment < segments) r = bi_kd_subtree(a.n, a.level, (uint64_t)segment);
    int64_t less = r.begin, greater = bi_kd_mid(r) + 1;
    bool more = r.begin < r.end;
    for (int64_t first = r.begin; __any_sync(~0u, more); first += GROUP) {
        const int64_t i = first + own;
        uint32_t reference = 0;
        int side = MEDIAN;
        if (i < r.end) {
            reference = in[i];
            side = a.sides[reference];
        }
        const uint32_t goes_less = side_mask(~0u, group, side, LESS),
                       goes_greater = side_mask(~0u, group, side, GREATER);
        if (side == LESS) out[less + __popc(goes_less & below)] = reference;
        if (side == GREATER) out[greater + __popc(goes_greater & below)] = reference;
        less += __popc(goes_less);
        greater += __popc(goes_greater);
        more = first + GROUP < r.end;
    }
}

struct tile_shared {
    uint32_t less[THREADS / 32], median[THREADS / 32];
};

/* Counts of a tile's less side and of its median (0 or 1), in the order of lists, segments, tiles. */
static __global__ void __launch_bounds__(THREADS)
    count_tiles(const level_args a, const lists given, uint32_t tiles, uint2 *counts)
{
    BI_SHARED(struct tile_shared, sh);
    const uint32_t *in = given.in[blockIdx.y];
    const struct bi_kd_range r = bi_kd_subtree(a.n, a.level, blockIdx.x / tiles);
    const int64_t begin = r.begin + (int64_t)(blockIdx.x % tiles) * TILE,
                  end = begin + TILE < r.end ? begin + TILE : r.end;
    uint32_t less = 0, median = 0;
    for (int64_t i = begin + threadIdx.x; i < end; i += THREADS) {
        const int side = a.sides[in[i]];
        less += side == LESS;
        median += side == MEDIAN;
    }
    for (int o = 16; o > 0; o >>= 1) {
        less += __shfl_xor_sync(~0u, less, o);
        median += __shfl_xor_sync(~0u, median, o);
    }
    if (threadIdx.x % 32 == 0) {
        sh.less[threadIdx.x / 32] = less;
        sh.median[threadIdx.x / 32] = median;
    }
    __syncthreads();
    if (threadIdx.x != 0) return;
    less = median = 0;
    for (int w = 0; w < THREADS / 32; w++) {
        less += sh.less[w];
        median += sh.median[w];
    }
    counts[(size_t)blockIdx.y * gridDim.x + blockIdx.x] = make_uint2(less, median);
}

/* Counts become sums of the tiles before, of the same list and segment; by a warp. */
static __global__ void __launch_bounds__(32) sum_tiles(uint32_t tiles, uint2 *counts)
{
    uint2 *mine = counts + (size_t)blockIdx.x * tiles;
    const int lane = threadIdx.x;
    uint2 before = make_uint2(0, 0);
    for (uint32_t first = 0; first < tiles; first += 32) {
        const uint2 own = first + lane < tiles ? mine[first + lane] : make_uint2(0, 0);
        uint2 sum = own;
        for (int o = 1; o < 32; o <<= 1) {
            uint32_t x = __shfl_up_sync(~0u, sum.x, o), y = __shfl_up_sync(~0u, sum.y, o);
            if (lane >= o) {
                sum.x += x;
                sum.y += y;
            }
        }
        if (first + lane < tiles) mine[first + lane] = make_uint2(before.x + sum.x - own.x, before.y + sum.y - own.y);
        before.x += __shfl_sync(~0u, sum.x, 31);
        before.y += __shfl_sync(~0u, sum.y, 31);
    }
}

/* Each warp of a block takes the same number of rounds in a row of the tile. */
static __global__ void __launch_bounds__(THREADS)
    scatter_tiles(const level_args a, const lists given, uint32_t tiles, const uint2 *counts)
{
    BI_SHARED(struct tile_shared, sh);
    constexpr int ROUNDS = TILE / THREADS;
    const uint32_t *in = given.in[blockIdx.y];
    uint32_t *out = given.out[blockIdx.y];
    const struct bi_kd_range r = bi_kd_subtree(a.n, a.level, blockIdx.x / tiles);
    const uint32_t tile = blockIdx.x % tiles, lane = threadIdx.x % 32, w = threadIdx.x / 32, below = (1u << lane) - 1;
    const int64_t first = r.begin + (int64_t)tile * TILE + w * ROUNDS * 32;
    uint32_t reference[ROUNDS];
    uint32_t less_masks = 0, greater_masks = 0, less_count = 0,
             median_count = 0; /* lane k keeps the masks of round k */
#pragma unroll
    for (int k = 0; k < ROUNDS; k++) {
        const int64_t i = first + k * 32 + lane;
        int side = -1;
        if (i < r.end) {
            reference[k] = in[i];
            side = a.sides[reference[k]];
        }
        const uint32_t less = __ballot_sync(~0u, side == LESS), greater = __ballot_sync(~0u, side == GREATER);
        median_count += __popc(__ballot_sync(~0u, side == MEDIAN));
        less_count += __popc(less);
        if (lane == (uint32_t)k) {
            less_masks = less;
            greater_masks = greater;
        }
    }
    if (lane == 0) {
        sh.less[w] = less_count;
        sh.median[w] = median_count;
    }
    __syncthreads();
    const uint2 before = counts[(size_t)blockIdx.y * gridDim.x + blockIdx.x];
    int64_t less = before.x, median = before.y;
    for (uint32_t o = 0; o < w; o++) {
        less += sh.less[o];
        median += sh.median[o];
    }
    int64_t to_less = r.begin + less, to_greater = bi_kd_mid(r) + 1 + (first - r.begin - less - median);
#pragma unroll
    for (int k = 0; k < ROUNDS; k++) {
        const uint32_t goes_less = __shfl_sync(~0u, less_masks, k), goes_greater = __shfl_sync(~0u, greater_masks, k);
        if ((goes_less >> lane) & 1) out[to_less + __popc(goes_less & below)] = reference[k];
        if ((goes_greater >> lane) & 1) out[to_greater + __popc(goes_greater & below)] = reference[k];
        to_less += __popc(goes_less);
        to_greater += __popc(goes_greater);
    }
}

template <int GROUP>
static bosc_status run_small(bosc_ctx *ctx, const level_args &a, const lists &lists, uint32_t count)
{
    auto kernel = partition_small<GROUP>;
    dim3 grid((unsigned)bi_div_up(((int64_t)1 << a.level) * GROUP, THREADS), count);
    return BI_RUN(ctx, kernel, grid, THREADS, 0, a, lists);
}

static bosc_status run_large(bosc_ctx *ctx, const level_args &a, const lists &lists, uint32_t count, int64_t largest)
{
    void *counts;
    const uint32_t tiles = (uint32_t)bi_div_up(largest, TILE), segments = 1u << a.level;
    dim3 grid(tiles * segments, count);
    BI_TRY(bi_scratch(ctx, (size_t)count * tiles * segments * sizeof(uint2), &counts));
    uint2 *sums = static_cast<uint2 *>(counts);
    BI_TRY(BI_RUN(ctx, count_tiles, grid, THREADS, 0, a, lists, tiles, sums));
    BI_TRY(BI_RUN(ctx, sum_tiles, segments * count, 32, 0, tiles, sums));
    return BI_RUN(ctx, scatter_tiles, grid, THREADS, 0, a, lists, tiles, (const uint2 *)sums);
}

static bosc_status partition_level(bosc_ctx *ctx, const bosc_kdtree *tree, int64_t rows, int32_t level,
                                   uint32_t *const *in, uint32_t *const *out, uint32_t *order)
{
    const int64_t n = tree->nodes, largest = bi_div_up(n + 1, (int64_t)1 << level) - 1;
    const int32_t dim = tree->opts.dim, own = level % dim, used = dim < MOST_LISTS ? dim : MOST_LISTS;
    void *sides;
    BI_TRY(bi_scratch(ctx, (size_t)rows, &sides));
    const level_args a = {n, level, static_cast<uint8_t *>(sides)};
    struct lists lists = {};
    uint32_t count = 0;
    for (int32_t q = 0; q < used; q++) {
        if (q == own || !in[q] || !out[q]) continue;
        lists.in[count] = in[q];
        lists.out[count++] = out[q];
    }
    BI_TRY(
        BI_RUN(ctx, note_sides, bi_grid(ctx, n, THREADS), THREADS, 0, a, (const uint32_t *)in[own], out[own], order));
    if (count == 0 || largest <= 1) return BOSC_OK;
    if (largest <= 4) return run_small<4>(ctx, a, lists, count);
    if (largest <= 8) return run_small<8>(ctx, a, lists, count);
    if (largest <= 16) return run_small<16>(ctx, a, lists, count);
    if (largest <= WARP_SEGMENT) return run_small<32>(ctx, a, lists, count);
    return run_large(ctx, a, lists, count, largest);
}

bosc_status kd_partition(bosc_ctx *ctx, const bosc_kdtree *tree, const struct bi_kd_rows *rows, int32_t level,
                         uint32_t *const *in, uint32_t *const *out, uint32_t *order)
{
    if (tree->nodes == 0) return BOSC_OK;
    struct bi_mark mark = bi_arena_mark(ctx);
    bosc_status status = partition_level(ctx, tree, rows->n, level, in, out, order);
    bi_arena_rewind(ctx, mark);
    return status;
}
