/* Presorted lists below the upper levels: a block makes a whole subtree in shared memory. References get names of
 * 16 bits, their places in the list of the subtree's first level. A level notes by name on which side of its median
 * each reference of its own list stands, then every other list that a later level needs is partitioned stably, less
 * and greater at once: ballots and population counts place both, and the median goes between them. Places and segments
 * are those of nodes, so a list keeps the medians of former levels at their places, and the list of the last level
 * that has sides, once it comes to be used, is the subtree. Once segments are small enough each warp goes on with its
 * own, without barriers. */
#include "kdtree/cuda/presorted/presorted.cuh"

enum {
    SLOTS = 8,                /* places of a thread */
    PROCESSOR_THREADS = 1024, /* at least, of the blocks of a multiprocessor */
    WARP_PLACES = 32 * SLOTS,
    LOG_WARP = 8,
    LEAST_LOG = 10,
    MOST_LOG = 13
};

static const uint32_t LESS = 0, GREATER = 1, MEDIAN = 2; /* sides */

/* Of the places of each 32 of a level: which are of a less or a greater side, and the sums (less | greater << 16) of
 * the groups of the warp before. */
template <int LOG> struct sides_shared {
    uint32_t of[2][(1 << LOG) / 32], before[(1 << LOG) / 32], warp[32];
};

template <int LOG> struct presorted_shared {
    static constexpr int POINTS = 1 << LOG, THREADS = POINTS / SLOTS;
    struct sides_shared<LOG> sides;
    uint32_t warp[2][32];     /* the sums of alternate lists, which saves barriers */
    uint8_t side[POINTS];     /* by name */
    uint16_t list[1][POINTS]; /* as many as the launch has */
};

/* What a thread holds: of its places, which are first + k * 32 + lane, the segments (begin | end << 16; 0: placed) and,
 * modulo 2^16, where its less and its greater side begin, less what is of that side in all segments before. */
struct thread_slots {
    uint32_t first;
    uint32_t segment[SLOTS], base[SLOTS];
};

static __device__ __forceinline__ uint32_t begin_of(uint32_t segment) { return segment & 0xffff; }
static __device__ __forceinline__ uint32_t end_of(uint32_t segment) { return segment >> 16; }
static __device__ __forceinline__ uint32_t mid_of(uint32_t segment)
{
    return (begin_of(segment) + end_of(segment)) / 2;
}

template <bool ALONE> __device__ __forceinline__ void level_barrier()
{
    if (ALONE)
        __syncwarp();
    else
        __syncthreads();
}

/* The sums of the warps before this one and, in lane o, before warp o; each warp gave its own. */
template <int WARPS> static __device__ __forceinline__ uint32_t sum_warps(const uint32_t *sums)
{
    const uint32_t lane = threadIdx.x % 32, own = lane < WARPS ? sums[lane] : 0;
    uint32_t sum = own;
#pragma unroll
    for (uint32_t o = 1; o < WARPS; o <<= 1) {
        const uint32_t left = __shfl_up_sync(~0u, sum, o);
        if (lane >= o) sum += left;
    }
    return sum - own;
}

/* Notes by name where the level's own list says that references go, and finds the bases of its segments: a side has as
 * many places as references, so places tell what lists hold. */
template <bool ALONE, int LOG>
__device__ __forceinline__ void note_sides(struct presorted_shared<LOG> &sh, thread_slots &mine, const uint16_t *own)
{
    const uint32_t lane = threadIdx.x % 32, w = threadIdx.x / 32;
    struct sides_shared<LOG> &to = sh.sides;
    uint32_t sum = 0, own_before = 0, own_less = 0, own_greater = 0;
#pragma unroll
    for (int k = 0; k < SLOTS; k++) {
        const uint32_t place = mine.first + k * 32 + lane, mid = mid_of(mine.segment[k]);
        const uint32_t side = !mine.segment[k] || place == mid ? MEDIAN : place < mid ? LESS : GREATER;
        if (mine.segment[k]) sh.side[own[place]] = (uint8_t)side;
        const uint32_t less = __ballot_sync(~0u, side == LESS), greater = __ballot_sync(~0u, side == GREATER);
        if (lane == (uint32_t)k) {
            own_before = sum;
            own_less = less;
            own_greater = greater;
        }
        sum += __popc(less) | __popc(greater) << 16;
    }
    if (lane < SLOTS) {
        to.before[w * SLOTS + lane] = own_before;
        to.of[LESS][w * SLOTS + lane] = own_less;
        to.of[GREATER][w * SLOTS + lane] = own_greater;
    }
    if (!ALONE && lane == 0) to.warp[w] = sum;
    level_barrier<ALONE>();
    const uint32_t warps_before = ALONE ? 0 : sum_warps<presorted_shared<LOG>::THREADS / 32>(to.warp);
#pragma unroll
    for (int k = 0; k < SLOTS; k++) {
        const uint32_t begin = begin_of(mine.segment[k]), at = ALONE ? begin - mine.first : begin;
        const uint32_t group = ALONE ? w * SLOTS + at / 32 : at / 32, below = (1u << at % 32) - 1;
        uint32_t before = ALONE ? 0 : __shfl_sync(~0u, warps_before, (int)(begin / WARP_PLACES));
        mine.base[k] = 0;
        if (!mine.segment[k]) continue;
        before += to.before[group] + (__popc(to.of[LESS][group] & below) | __popc(to.of[GREATER][group] & below) << 16);
        mine.base[k] = ((begin - before) & 0xffff) | (mid_of(mine.segment[k]) + 1 - (before >> 16)) << 16;
    }
}

/* Partitions a list whose sides are known; by the block, or by each warp what it holds. */
template <bool ALONE, int LOG>
__device__ __forceinline__ void partition_list(struct presorted_shared<LOG> &sh, const thread_slots &mine,
                                               uint16_t *list, int parity)
{
    const uint32_t lane = threadIdx.x % 32, w = threadIdx.x / 32, below = (1u << lane) - 1;
    uint32_t packed[SLOTS]; /* name | side << 14 | place, but for what is before the warp, << 16 */
    uint32_t sum = 0;
#pragma unroll
    for (int k = 0; k < SLOTS; k++) {
        const uint32_t name = mine.segment[k] ? list[mine.first + k * 32 + lane] : 0,
                       side = mine.segment[k] ? sh.side[name] : MEDIAN;
        const uint32_t less = __ballot_sync(~0u, side == LESS), greater = __ballot_sync(~0u, side == GREATER);
        uint32_t place = mid_of(mine.segment[k]);
        if (side == LESS) place = mine.base[k] + sum + __popc(less & below);
        if (side == GREATER) place = (mine.base[k] >> 16) + (sum >> 16) + __popc(greater & below);
        packed[k] = name | side << 14 | place << 16;
        sum += __popc(less) | __popc(greater) << 16;
    }
    uint32_t before = 0;
    if (!ALONE) {
        if (lane == 0) sh.warp[parity][w] = sum;
        __syncthreads();
        before = __shfl_sync(~0u, sum_warps<presorted_shared<LOG>::THREADS / 32>(sh.warp[parity]), (int)w);
    } else {
        __syncwarp();
    }
#pragma unroll
    for (int k = 0; k < SLOTS; k++) {
        if (!mine.segment[k]) continue;
        const uint32_t side = packed[k] >> 14 & 3;
        uint32_t place = packed[k] >> 16;
        if (!ALONE) place += side == LESS ? before : side == GREATER ? before >> 16 : 0;
        list[place & 0xffff] = (uint16_t)(packed[k] & 0x3fff);
    }
}

/* Goes from the segments of a level to those of the next. */
static __device__ __forceinline__ void halve(thread_slots &mine)
{
#pragma unroll
    for (int k = 0; k < SLOTS; k++) {
        const uint32_t place = mine.first + k * 32 + threadIdx.x % 32, segment = mine.segment[k], mid = mid_of(segment);
        if (place < mid)
            mine.segment[k] = begin_of(segment) | mid << 16;
        else
            mine.segment[k] = place == mid ? 0 : (mid + 1) | (segment & 0xffff0000u);
        if (begin_of(mine.segment[k]) == end_of(mine.segment[k])) mine.segment[k] = 0;
        if (!segment) mine.segment[k] = 0;
    }
}

/* Level j of the subtree; `last` is the one whose list is the result. */
template <bool ALONE, int LOG>
__device__ __forceinline__ void make_level(struct presorted_shared<LOG> &sh, const bi_kdtree_presorted &given,
                                           thread_slots &mine, int j, int last)
{
    const int own = j % given.dim;
    int parity = 0;
    note_sides<ALONE, LOG>(sh, mine, sh.list[own]);
    for (int s = 0; s < given.count; s++) {
        if (s == own || bi_kdtree_next_use(s, j, given.dim) > last) continue;
        partition_list<ALONE, LOG>(sh, mine, sh.list[s], parity);
        parity ^= 1;
    }
    level_barrier<ALONE>();
    halve(mine);
}

template <int LOG>
static __global__ void __launch_bounds__(presorted_shared<LOG>::THREADS,
                                         PROCESSOR_THREADS / presorted_shared<LOG>::THREADS)
    bi_kdtree_presorted_subtrees(const bi_kdtree_presorted given, uint16_t *names, uint32_t *order)
{
    typedef struct presorted_shared<LOG> shared;
    BI_SHARED_DYNAMIC(shared, memory);
    shared &sh = *memory;
    const struct bi_kdtree_range r = bi_kdtree_subtree(given.n, given.level, blockIdx.x);
    const int64_t from = r.begin - blockIdx.x;
    const uint32_t count = (uint32_t)(r.end - r.begin), t = threadIdx.x, w = t / 32;
    for (uint32_t i = t; i < count; i += shared::THREADS) {
        names[given.list[0][from + i]] = (uint16_t)i;
        sh.list[0][i] = (uint16_t)i;
    }
    __syncthreads();
    for (int s = 1; s < given.count; s++)
        for (uint32_t i = t; i < count; i += shared::THREADS) sh.list[s][i] = names[given.list[s][from + i]];
    thread_slots mine;
    mine.first = w * WARP_PLACES;
#pragma unroll
    for (int k = 0; k < SLOTS; k++) mine.segment[k] = mine.first + k * 32 + t % 32 < count ? count << 16 : 0;
    const int last = bi_kdtree_depth(count) - 2;
    __syncthreads();
    int j = 0;
    for (; j < LOG - LOG_WARP && j < last; j++) make_level<false, LOG>(sh, given, mine, j, last);
    if (j < last) {
        const struct bi_kdtree_range own = bi_kdtree_subtree(count, LOG - LOG_WARP, w);
        mine.first = (uint32_t)own.begin;
#pragma unroll
        for (int k = 0; k < SLOTS; k++)
            mine.segment[k] =
                mine.first + k * 32 + t % 32 < own.end ? (uint32_t)own.begin | (uint32_t)own.end << 16 : 0;
        for (; j < last; j++) make_level<true, LOG>(sh, given, mine, j, last);
        __syncthreads();
    }
    const uint16_t *made = sh.list[last > 0 ? last % given.dim : 0];
    for (uint32_t i = t; i < count; i += shared::THREADS) order[r.begin + i] = given.list[0][from + made[i]];
}

/* The most shared memory of a block: half of the device's, as two blocks or more are to be on a multiprocessor. */
static int shared_limit(const bosc_ctx *ctx)
{
    int most = 0;
    const auto what = cudaDevAttrMaxSharedMemoryPerBlockOptin;
    if (cudaDeviceGetAttribute(&most, what, ctx->memory.device) == cudaSuccess) return most / 2;
    (void)cudaGetLastError();
    return 24 * 1024;
}

template <int LOG> static constexpr size_t shared_bytes(int lists)
{
    return sizeof(struct presorted_shared<LOG>) +
           (size_t)(lists - 1) * sizeof(uint16_t) * presorted_shared<LOG>::POINTS;
}

template <int LOG>
static bosc_status run_log(bosc_ctx *ctx, const struct bi_kdtree_presorted &lists, uint16_t *names, uint32_t *order)
{
    auto kernel = bi_kdtree_presorted_subtrees<LOG>;
    const size_t bytes = shared_bytes<LOG>(lists.count);
    /* The limit is the kernel's on the device, and so that of other contexts, which launch it with more or less. */
    BI_CUDA_TRY(ctx, cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_limit(ctx)));
    return BI_RUN(ctx, kernel, 1u << lists.level, presorted_shared<LOG>::THREADS, bytes, lists, names, order);
}

/* Every multiprocessor is to have a block. What subtrees of 2^LEAST_LOG points need is below any limit. */
int bi_kdtree_presorted_log(const bosc_ctx *ctx, int64_t n, int32_t dim)
{
    const int limit = shared_limit(ctx);
    int log_points = MOST_LOG;
    for (; log_points > LEAST_LOG; log_points--) {
        const int lists = dim < log_points - 1 ? dim : log_points - 1;
        const size_t bytes = ((size_t)2 * lists + 3) << log_points;
        if (bytes <= (size_t)limit && n >> log_points >= ctx->multiprocessors) break;
    }
    return log_points;
}

bosc_status bi_kdtree_run_presorted_subtrees(bosc_ctx *ctx, const struct bi_kdtree_presorted &lists, int log_points,
                                             uint16_t *names, uint32_t *order)
{
    switch (log_points) {
    case 13: return run_log<13>(ctx, lists, names, order);
    case 12: return run_log<12>(ctx, lists, names, order);
    case 11: return run_log<11>(ctx, lists, names, order);
    default: return run_log<10>(ctx, lists, names, order);
    }
}
