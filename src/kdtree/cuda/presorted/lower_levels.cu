/* Sorted lists below the upper levels: a block makes a whole subtree in shared memory. References are numbered by 16
 * bits, their positions in the list of the subtree's first level. A level records by number the side of each reference
 * of its own list. Then every other list that a later level needs is partitioned stably: ballots and population counts
 * give the positions of both sides, and the median moves between them. Positions are those of nodes, so a list keeps
 * the medians of earlier levels in place, and the list of the last level with sides is the subtree. Once a segment
 * fits a warp, each warp continues alone, without block barriers. */
#include "kdtree/cuda/cuda.cuh"
#include "kdtree/shape.h"

enum {
    SLOTS = 8, /* positions of a thread; measured: 1,783 us, with 16 (128 registers) 2,043 */
    /* Threads that a multiprocessor holds at least; this limits a thread to 64 of its 65,536 registers. */
    PROCESSOR_THREADS = 1024,
    WARP_POSITIONS = 32 * SLOTS,
    LOG_WARP = 8,
    LEAST_LOG = 10,
    MOST_LOG = 13 /* measured, 2^24 points: the build takes 14.2 ms, with 12 15.5 */
};

static const uint32_t LESS = 0, GREATER = 1, MEDIAN = 2; /* sides */

/* For each group of 32 positions of a level: masks of the positions on the less and the greater side, and the sums
 * (less | greater << 16) of the earlier groups of the warp. */
template <int LOG> struct sides_shared {
    uint32_t of[2][(1 << LOG) / 32], exclusive_prefix[(1 << LOG) / 32], warp[32];
};

template <int LOG> struct presorted_shared {
    static constexpr int POINTS = 1 << LOG, THREADS = POINTS / SLOTS;
    struct sides_shared<LOG> sides;
    uint32_t warp[2][32];     /* sums of a list; lists alternate, which saves a barrier */
    uint8_t side[POINTS];     /* by number */
    uint16_t list[1][POINTS]; /* one for each list of the launch */
};

/* The positions of a thread: first + k * 32 + lane. For each, its segment (begin | end << 16; 0 if it holds a median
 * already), and the base of its segment's sides: begin of the less side, and of the greater side << 16, minus the
 * number of references on that side in all earlier segments, modulo 2^16. So base + rank in the block = position. */
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

/* Returns, in lane o, the sum of the warps before warp o; `sums` has one number of each warp. */
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

/* Records the side of each reference of the level's own list, and finds the bases of the segments. A side has as many
 * positions as references, so positions alone give the counts of every list. The barrier also publishes sh.side. */
template <bool ALONE, int LOG>
__device__ __forceinline__ void record_sides(struct presorted_shared<LOG> &sh, thread_slots &slots, const uint16_t *own)
{
    const uint32_t lane = threadIdx.x % 32, w = threadIdx.x / 32;
    struct sides_shared<LOG> &to = sh.sides;
    /* 1. Record sides, and count them by groups of 32 positions. Lane k keeps the results of round k in registers, so
     * that SLOTS lanes write them at once. */
    uint32_t sum = 0, group_prefix = 0, group_less = 0, group_greater = 0;
#pragma unroll
    for (int k = 0; k < SLOTS; k++) {
        const uint32_t position = slots.first + k * 32 + lane, mid = mid_of(slots.segment[k]);
        const uint32_t side = !slots.segment[k] || position == mid ? MEDIAN : position < mid ? LESS : GREATER;
        if (slots.segment[k]) sh.side[own[position]] = (uint8_t)side;
        const uint32_t less = __ballot_sync(~0u, side == LESS), greater = __ballot_sync(~0u, side == GREATER);
        if (lane == (uint32_t)k) {
            group_prefix = sum;
            group_less = less;
            group_greater = greater;
        }
        sum += __popc(less) | __popc(greater) << 16;
    }
    if (lane < SLOTS) {
        to.exclusive_prefix[w * SLOTS + lane] = group_prefix;
        to.of[LESS][w * SLOTS + lane] = group_less;
        to.of[GREATER][w * SLOTS + lane] = group_greater;
    }
    if (!ALONE && lane == 0) to.warp[w] = sum;
    level_barrier<ALONE>();
    /* 2. Find the bases. The barrier above published the counts of all groups. */
    const uint32_t warps_prefix = ALONE ? 0 : sum_warps<presorted_shared<LOG>::THREADS / 32>(to.warp);
#pragma unroll
    for (int k = 0; k < SLOTS; k++) {
        const uint32_t begin = begin_of(slots.segment[k]), at = ALONE ? begin - slots.first : begin;
        const uint32_t group = ALONE ? w * SLOTS + at / 32 : at / 32, below = (1u << at % 32) - 1;
        uint32_t exclusive_prefix = ALONE ? 0 : __shfl_sync(~0u, warps_prefix, (int)(begin / WARP_POSITIONS));
        slots.base[k] = 0;
        if (!slots.segment[k]) continue;
        exclusive_prefix += to.exclusive_prefix[group] +
                            (__popc(to.of[LESS][group] & below) | __popc(to.of[GREATER][group] & below) << 16);
        slots.base[k] =
            ((begin - exclusive_prefix) & 0xffff) | (mid_of(slots.segment[k]) + 1 - (exclusive_prefix >> 16)) << 16;
    }
}

/* Partitions a list whose sides are recorded; by the whole block, or (ALONE) by each warp its segment. In place; the
 * caller adds a barrier before others read the list. parity alternates from call to call, so one barrier suffices. A
 * number has 14 bits: LOG is at most 14. With ALONE a warp's positions hold its whole segment. Positions without a
 * segment are not accessed. */
template <bool ALONE, int LOG>
__device__ __forceinline__ void partition_list(struct presorted_shared<LOG> &sh, const thread_slots &slots,
                                               uint16_t *list, int parity)
{
    const uint32_t lane = threadIdx.x % 32, w = threadIdx.x / 32, below = (1u << lane) - 1;
    /* 1. Rank each reference on its side, within the warp. */
    uint32_t packed[SLOTS]; /* number | side << 14 | position without the earlier warps << 16 */
    uint32_t sum = 0;
#pragma unroll
    for (int k = 0; k < SLOTS; k++) {
        const uint32_t number = slots.segment[k] ? list[slots.first + k * 32 + lane] : 0,
                       side = slots.segment[k] ? sh.side[number] : MEDIAN;
        const uint32_t less = __ballot_sync(~0u, side == LESS), greater = __ballot_sync(~0u, side == GREATER);
        uint32_t position = mid_of(slots.segment[k]);
        if (side == LESS) position = slots.base[k] + sum + __popc(less & below);
        if (side == GREATER) position = (slots.base[k] >> 16) + (sum >> 16) + __popc(greater & below);
        packed[k] = number | side << 14 | position << 16;
        sum += __popc(less) | __popc(greater) << 16;
    }
    /* 2. Add the earlier warps. The barrier publishes their sums, and waits for all reads of the list. */
    uint32_t exclusive_prefix = 0;
    if (!ALONE) {
        if (lane == 0) sh.warp[parity][w] = sum;
        __syncthreads();
        exclusive_prefix = __shfl_sync(~0u, sum_warps<presorted_shared<LOG>::THREADS / 32>(sh.warp[parity]), (int)w);
    } else {
        __syncwarp();
    }
    /* 3. Write the list in place. */
#pragma unroll
    for (int k = 0; k < SLOTS; k++) {
        if (!slots.segment[k]) continue;
        const uint32_t side = packed[k] >> 14 & 3;
        uint32_t position = packed[k] >> 16;
        if (!ALONE) position += side == LESS ? exclusive_prefix : side == GREATER ? exclusive_prefix >> 16 : 0;
        list[position & 0xffff] = (uint16_t)(packed[k] & 0x3fff);
    }
}

/* Replaces the segments of a level by those of the next level. */
static __device__ __forceinline__ void descend_slots(thread_slots &slots)
{
#pragma unroll
    for (int k = 0; k < SLOTS; k++) {
        const uint32_t position = slots.first + k * 32 + threadIdx.x % 32, segment = slots.segment[k],
                       mid = mid_of(segment);
        if (position < mid)
            slots.segment[k] = begin_of(segment) | mid << 16;
        else
            slots.segment[k] = position == mid ? 0 : (mid + 1) | (segment & 0xffff0000u);
        if (begin_of(slots.segment[k]) == end_of(slots.segment[k])) slots.segment[k] = 0;
        if (!segment) slots.segment[k] = 0;
    }
}

/* Makes level j of the subtree; the list of level `last` is the result. The barrier completes the lists. */
template <bool ALONE, int LOG>
__device__ __forceinline__ void make_level(struct presorted_shared<LOG> &sh, const bi_kdtree_presorted &input,
                                           thread_slots &slots, int j, int last)
{
    const int own = j % input.dim;
    int parity = 0;
    record_sides<ALONE, LOG>(sh, slots, sh.list[own]);
    for (int s = 0; s < input.count; s++) {
        if (s == own || bi_kdtree_next_use(s, j, input.dim) > last) continue; /* no later level reads the list */
        partition_list<ALONE, LOG>(sh, slots, sh.list[s], parity);
        parity ^= 1;
    }
    level_barrier<ALONE>();
    descend_slots(slots);
}

/* A block makes a subtree of up to 2^LOG points; the grid has 2^input.level blocks. input.list[s] is sorted by
 * coordinate input.level + s, cyclically. numbers: scratch, by reference. order: gets the references of the subtrees;
 * medians between them are there already. */
template <int LOG>
static __global__ void __launch_bounds__(presorted_shared<LOG>::THREADS,
                                         PROCESSOR_THREADS / presorted_shared<LOG>::THREADS)
    bi_kdtree_presorted_subtrees(const bi_kdtree_presorted input, uint16_t *numbers, uint32_t *order)
{
    typedef struct presorted_shared<LOG> shared;
    BI_SHARED_DYNAMIC(shared, memory);
    shared &sh = *memory;
    /* Lists lack the medians between subtrees, so they begin blockIdx.x earlier. */
    const struct bi_kdtree_range r = bi_kdtree_subtree(input.n, input.level, blockIdx.x);
    const int64_t from = r.begin - blockIdx.x;
    const uint32_t count = (uint32_t)(r.end - r.begin), t = threadIdx.x, w = t / 32;
    /* 1. Number the references by the first list; the barrier publishes the numbers to the block. */
    for (uint32_t i = t; i < count; i += shared::THREADS) {
        numbers[input.list[0][from + i]] = (uint16_t)i;
        sh.list[0][i] = (uint16_t)i;
    }
    __syncthreads();
    /* 2. Load the other lists as numbers. All positions are in one segment. */
    for (int s = 1; s < input.count; s++)
        for (uint32_t i = t; i < count; i += shared::THREADS) sh.list[s][i] = numbers[input.list[s][from + i]];
    thread_slots slots;
    slots.first = w * WARP_POSITIONS;
#pragma unroll
    for (int k = 0; k < SLOTS; k++) slots.segment[k] = slots.first + k * 32 + t % 32 < count ? count << 16 : 0;
    /* Segments of level `last` have at most 3 references, which its own list holds in order. */
    const int last = bi_kdtree_depth(count) - 2;
    /* 3. Make levels by the block, after a barrier that completes the lists, until segments fit a warp. */
    __syncthreads();
    int j = 0;
    for (; j < LOG - LOG_WARP && j < last; j++) make_level<false, LOG>(sh, input, slots, j, last);
    /* 4. Each warp makes the remaining levels of its segment; the barrier waits for all warps. */
    if (j < last) {
        const struct bi_kdtree_range own = bi_kdtree_subtree(count, LOG - LOG_WARP, w);
        slots.first = (uint32_t)own.begin;
#pragma unroll
        for (int k = 0; k < SLOTS; k++)
            slots.segment[k] =
                slots.first + k * 32 + t % 32 < own.end ? (uint32_t)own.begin | (uint32_t)own.end << 16 : 0;
        for (; j < last; j++) make_level<true, LOG>(sh, input, slots, j, last);
        __syncthreads();
    }
    /* 5. Write the references in order. */
    const uint16_t *made = sh.list[last > 0 ? last % input.dim : 0];
    for (uint32_t i = t; i < count; i += shared::THREADS) order[r.begin + i] = input.list[0][from + made[i]];
}

/* Returns the shared memory limit of a block: half of the device's, so that a multiprocessor holds two blocks. The
 * fallback is half of the 48 KB that every device has. */
static int shared_limit(const bosc_ctx *ctx)
{
    int most = 0;
    const auto attribute = cudaDevAttrMaxSharedMemoryPerBlockOptin;
    if (cudaDeviceGetAttribute(&most, attribute, ctx->memory.device) == cudaSuccess) return most / 2;
    (void)cudaGetLastError();
    return 24 * 1024;
}

template <int LOG> static constexpr size_t shared_bytes(int lists)
{
    return sizeof(struct presorted_shared<LOG>) +
           (size_t)(lists - 1) * sizeof(uint16_t) * presorted_shared<LOG>::POINTS;
}

template <int LOG>
static bosc_status launch_log(bosc_ctx *ctx, const struct bi_kdtree_presorted &lists, uint16_t *numbers,
                              uint32_t *order)
{
    auto kernel = bi_kdtree_presorted_subtrees<LOG>;
    const size_t bytes = shared_bytes<LOG>(lists.count);
    /* The attribute holds for the kernel on the device, also for other contexts, which launch it with other sizes. So
     * it is always set to the limit. */
    BI_CUDA_TRY(ctx, cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_limit(ctx)));
    return BI_RUN(ctx, kernel, 1u << lists.level, presorted_shared<LOG>::THREADS, bytes, lists, numbers, order);
}

/* The largest subtrees that fit shared memory and leave a block for every multiprocessor; 2^LEAST_LOG points fit any
 * device. A block needs 2 bytes a point and list, and 3 for sides. */
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
                                             uint16_t *numbers, uint32_t *order)
{
    switch (log_points) {
    case 13: return launch_log<13>(ctx, lists, numbers, order);
    case 12: return launch_log<12>(ctx, lists, numbers, order);
    case 11: return launch_log<11>(ctx, lists, numbers, order);
    default: return launch_log<10>(ctx, lists, numbers, order);
    }
}
