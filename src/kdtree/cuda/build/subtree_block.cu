/* The lower end of the fast builder: one block makes a whole subtree of up to 2^LOG points in shared memory, down to
 * single points, and writes it in order.
 *
 * The block takes the first levels together. The keys of each node are counted in bins over its extent, the points of
 * the median's bin are ranked exactly, and the others are partitioned by it. Each warp has the points of 256 places of
 * the index, all in one node. Once nodes have at most 256 points, a warp makes each of them alone (subtree_warp.cuh). */
#include "kdtree/cuda/build/extent.cuh"
#include "kdtree/cuda/build/subtree_warp.cuh"

/* Member `rank` of candidates[0 .. count), which are reordered; by a warp. Candidates lie in no order, so the middle
 * one is a fair pivot, and rounds get shorter quickly, also where all coordinates are equal. */
template <int DIM, int LOG>
__device__ uint32_t quick_select(const kd_subtree<DIM, LOG> &tree, uint16_t *candidates, uint32_t count, uint32_t rank,
                                 int d)
{
    const uint32_t lane = threadIdx.x % 32;
    while (true) {
        const uint32_t pivot = candidates[count / 2];
        uint32_t less = 0;
        for (uint32_t c = 0; c < count; c += 32) {
            bool in = c + lane < count && tree.before(candidates[min(c + lane, count - 1)], pivot, d);
            less += __popc(__ballot_sync(~0u, in));
        }
        if (rank == less || count <= 1) return pivot;
        const bool keep_less = rank < less;
        uint32_t kept = 0;
        for (uint32_t c = 0; c < count; c += 32) {
            uint32_t mine = candidates[min(c + lane, count - 1)];
            bool in_less = tree.before(mine, pivot, d);
            bool keep = c + lane < count && mine != pivot && in_less == keep_less;
            uint32_t kept_mask = __ballot_sync(~0u, keep);
            __syncwarp();
            if (keep) candidates[kept + __popc(kept_mask & bi_lanes_below())] = (uint16_t)mine;
            kept += __popc(kept_mask);
            __syncwarp();
        }
        rank = keep_less ? rank : rank - less - 1;
        count = kept;
    }
}

/* A warp's part of a level: the node that its places are in, and points of register k at places 32 k + lane. */
struct warp_part {
    uint32_t v, h;  /* the node, in its level and in heap order */
    uint32_t first; /* the first warp that has points of it */
    int log_room, d;
    uint32_t size;                   /* of the node */
    int left;                        /* points from this lane's first place on; place k is used if 32 k < left */
    uint32_t packed[KD_LANE_POINTS]; /* a point's name, and its bin << 16 */
    float x[KD_LANE_POINTS];
};

__device__ __forceinline__ uint32_t name_in(uint32_t packed) { return packed & 0xffff; }
__device__ __forceinline__ uint32_t bin_in(uint32_t packed) { return packed >> 16; }

/* Takes the warp's points and counts them in bins. */
template <int DIM, int LOG>
__device__ __forceinline__ void count_keys(const kd_subtree<DIM, LOG> &tree, warp_part &part)
{
    auto &sh = tree.sh;
    using shared = kd_block_shared<DIM, LOG>;
    const uint32_t lane = threadIdx.x % 32, w = threadIdx.x / 32, bins = 1u << (part.log_room - 1);
    const kd_subnode<DIM> &node = sh.node[part.h];
    const float2 unit = kd_unit_of(node.low[part.d], node.high[part.d]);
    const float most = (float)(bins - 1), bias = 0x1p23f + (float)(part.v * bins);
#pragma unroll
    for (int k = 0; k < KD_LANE_POINTS; k++) {
        const bool used = k * 32 < part.left;
        const uint32_t i = sh.index[w * KD_WARP_POINTS + k * 32 + lane];
        const float x = sh.x[part.d][i];
        const uint32_t bin = bi_f32_bits(fmaf(kd_to_unit(unit, x), most, bias)) & 0xffff;
        /* Places that are not used count where nothing is looked for. */
        const uint32_t counted = used ? bin : (uint32_t)shared::BINS;
        part.x[k] = used ? x : INFINITY;
        part.packed[k] = i | counted << 16;
        atomicAdd(&sh.bins[counted], 1u);
    }
}

/* Finds the bin of the node's median, and its rank there; empties the bins. Each warp has the bins of its places. */
template <int DIM, int LOG>
__device__ __forceinline__ void find_median_bin(const kd_subtree<DIM, LOG> &tree, const warp_part &part)
{
    auto &sh = tree.sh;
    using shared = kd_block_shared<DIM, LOG>;
    constexpr int EACH = shared::BINS / shared::THREADS;
    const uint32_t t = threadIdx.x, lane = t % 32, w = t / 32;
    uint32_t c[EACH], mine = 0;
#pragma unroll
    for (int b = 0; b < EACH; b++) {
        mine += c[b] = sh.bins[t * EACH + b];
        sh.bins[t * EACH + b] = 0;
    }
    uint32_t sum = bi_warp_inclusive_sum(mine);
    if (lane == 31) sh.warp_sums[w] = sum;
    __syncthreads();
    const bool earlier = lane >= part.first && lane < w;
    uint32_t before = sum - mine + bi_warp_sum(earlier ? sh.warp_sums[lane % shared::WARPS] : 0);
    const uint32_t target = part.size / 2;
#pragma unroll
    for (int b = 0; b < EACH; b++) {
        if (before <= target && target - before < c[b]) {
            sh.median_bin[part.h] = t * EACH + b;
            sh.median_rank[part.h] = target - before;
        }
        before += c[b];
    }
}

/* Where a node of the level has more than a few candidates: the first warp of each such node selects its median. */
template <int DIM, int LOG>
static __device__ void choose_from_crowd(const kd_subtree<DIM, LOG> &tree, const warp_part &part)
{
    auto &sh = tree.sh;
    using shared = kd_block_shared<DIM, LOG>;
    constexpr int EACH = shared::BINS / shared::THREADS;
    const uint32_t t = threadIdx.x, h = part.h, found = sh.found[h];
    uint16_t *crowd = sh.crowd + (part.v << part.log_room);
    if (found > KD_FEW)
        for (int k = 0; k < KD_LANE_POINTS; k++)
            if (bin_in(part.packed[k]) == sh.median_bin[h])
                crowd[atomicAdd(&sh.collected[h], 1u)] = (uint16_t)name_in(part.packed[k]);
    __syncthreads();
    if (found > KD_FEW && t / 32 == part.first) {
        const uint32_t i = quick_select(tree, crowd, found, sh.median_rank[h], part.d);
        if (t % 32 == 0) sh.chosen[h] = {sh.x[part.d][i], i};
    }
    __syncthreads();
    for (int b = 0; b < EACH; b++) sh.bins[t * EACH + b] = 0;
}

/* The median of the warp's node, ranked among its candidates by each warp for itself; *tied tells that others may have
 * the same key. */
template <int DIM, int LOG>
__device__ __forceinline__ kd_chosen choose_median(const kd_subtree<DIM, LOG> &tree, const warp_part &part, bool *tied)
{
    auto &sh = tree.sh;
    const uint32_t lane = threadIdx.x % 32, count = sh.found[part.h], rank = sh.median_rank[part.h];
    *tied = true;
    if (count > KD_FEW) return sh.chosen[part.h];
    const uint32_t i = lane < count ? sh.few[part.h][lane] : 0;
    const float x = sh.x[part.d][i];
    uint32_t less = 0, equal = 0;
    for (uint32_t o = 0; o < count; o++) {
        const float y = __shfl_sync(~0u, x, (int)o);
        less += y < x;
        equal += y == x;
    }
    *tied = __any_sync(~0u, lane < count && equal != 1);
    if (*tied) {
        less = 0;
        for (uint32_t o = 0; o < count; o++) less += lane < count && tree.before(sh.few[part.h][o], i, part.d);
    }
    const uint32_t hit = __ballot_sync(~0u, lane < count && less == rank);
    const int owner = hit ? __ffs((int)hit) - 1 : 0; /* always a hit, unless a NaN was let in */
    kd_chosen median = {__shfl_sync(~0u, x, owner), __shfl_sync(~0u, i, owner)};
    if (lane == 0 && threadIdx.x / 32 == part.first) sh.chosen[part.h] = median;
    return median;
}

/* The sides of a node; by a warp. */
template <int DIM, int LOG>
__device__ __forceinline__ void cut_node(const kd_subtree<DIM, LOG> &tree, const warp_part &part, float cut)
{
    const uint32_t lane = threadIdx.x % 32, greater = lane / DIM;
    if (greater > 1) return;
    const kd_subnode<DIM> &node = tree.sh.node[part.h];
    kd_subnode<DIM> &side = tree.sh.node[2 * part.h + 1 + greater];
    const int c = lane % DIM;
    side.low[c] = c == part.d && greater ? cut : node.low[c];
    side.high[c] = c == part.d && !greater ? cut : node.high[c];
    if (c == 0) {
        side.begin = node.begin + (greater ? node.size / 2 + 1 : 0);
        side.size = kd_side_size(node.size, greater);
    }
}

/* Moves the names of the warp's points to their sides. They are in no order there. */
template <int DIM, int LOG>
__device__ __forceinline__ void partition(const kd_subtree<DIM, LOG> &tree, const warp_part &part,
                                          const kd_chosen &median, bool tied)
{
    auto &sh = tree.sh;
    const uint32_t lane = threadIdx.x % 32, own = 1u << lane;
    uint32_t less[KD_LANE_POINTS], more[KD_LANE_POINTS];
    uint32_t before[KD_LANE_POINTS], counts = 0; /* less points in the low half, the others in the high half */
    auto sort_out = [&](bool equal_keys) {
#pragma unroll
        for (int k = 0; k < KD_LANE_POINTS; k++) {
            bool is_less = part.x[k] < median.x;
            const uint32_t i = name_in(part.packed[k]);
            const bool other = k * 32 < part.left && i != median.i;
            if (equal_keys && other && part.x[k] == median.x) is_less = tree.before(i, median.i, part.d);
            less[k] = __ballot_sync(~0u, is_less);
            more[k] = __ballot_sync(~0u, other && !is_less);
            before[k] = counts;
            counts += __popc(less[k]) + __popc(more[k]) * 0x10000u;
        }
    };
    if (tied)
        sort_out(true);
    else
        sort_out(false);
    uint32_t to = 0;
    if (lane < 2) to = atomicAdd(&sh.sides[part.h][lane], lane ? counts >> 16 : counts & 0xffff);
    const uint32_t room = part.v << part.log_room, half = 1u << (part.log_room - 1), end = room + 2 * half;
    const uint32_t less_to = room + __shfl_sync(~0u, to, 0), more_to = room + half + __shfl_sync(~0u, to, 1);
#pragma unroll
    for (int k = 0; k < KD_LANE_POINTS; k++) {
        const bool is_less = less[k] & own;
        const uint32_t mask = is_less ? less[k] : more[k];
        const uint32_t place =
            __popc(mask & (own - 1)) + (is_less ? less_to + (before[k] & 0xffff) : more_to + (before[k] >> 16));
        /* The room is enough, unless a NaN was let in. */
        if (mask & own && place < end) sh.index[place] = (uint16_t)name_in(part.packed[k]);
    }
}

/* Level j of the block. */
template <int DIM, int LOG> __device__ __forceinline__ void split_level(const kd_subtree<DIM, LOG> &tree, int j, int d)
{
    auto &sh = tree.sh;
    const uint32_t w = threadIdx.x / 32;
    warp_part part;
    part.log_room = LOG - j;
    part.d = d;
    part.v = w >> (part.log_room - KD_WARP_LOG);
    part.h = (1u << j) - 1 + part.v;
    part.first = part.v << (part.log_room - KD_WARP_LOG);
    part.size = sh.node[part.h].size;
    part.left = (int)(part.size - (w - part.first) * KD_WARP_POINTS - threadIdx.x % 32);
    count_keys(tree, part);
    __syncthreads();
    find_median_bin(tree, part);
    __syncthreads();
    const uint32_t bin = sh.median_bin[part.h];
#pragma unroll
    for (int k = 0; k < KD_LANE_POINTS; k++) {
        if (bin_in(part.packed[k]) != bin) continue;
        const uint32_t slot = atomicAdd(&sh.found[part.h], 1u);
        if (slot < KD_FEW)
            sh.few[part.h][slot] = (uint16_t)name_in(part.packed[k]);
        else if (slot == KD_FEW)
            atomicExch(&sh.crowded[j], 1u); /* several nodes may */
    }
    __syncthreads();
    if (sh.crowded[j]) choose_from_crowd(tree, part);
    bool tied;
    const kd_chosen median = choose_median(tree, part, &tied);
    if (w == part.first) cut_node(tree, part, median.x);
    partition(tree, part, median, tied);
    __syncthreads();
}

/* Loads the subtree and its extent. */
template <int DIM, int LOG>
__device__ __forceinline__ void load_subtree(const kd_subtree<DIM, LOG> &tree, const kd_source &from, uint32_t begin)
{
    auto &sh = tree.sh;
    using shared = kd_block_shared<DIM, LOG>;
    const int t = threadIdx.x;
    kd_extent<DIM> extent;
    extent.clear();
#pragma unroll
    for (int k = 0; k < KD_LANE_POINTS; k++) {
        const uint32_t i = k * shared::THREADS + t;
        sh.index[i] = (uint16_t)i;
        if (i >= tree.count) continue;
        kd_point<DIM> p = kd_read<DIM>(from, begin + i);
#pragma unroll
        for (int c = 0; c < DIM; c++) {
            extent.add(c, p.x[c]);
            sh.x[c][i] = p.x[c];
        }
        sh.id[i] = p.id;
    }
    extent.join(sh.least, sh.greatest);
    __syncthreads();
    if (t < DIM) {
        sh.node[0].low[t] = fmaxf(bi_f32_of_key(~sh.least[t]), -FLT_MAX);
        sh.node[0].high[t] = fminf(bi_f32_of_key(sh.greatest[t]), FLT_MAX);
    }
    if (t == 0) {
        sh.node[0].begin = 0;
        sh.node[0].size = tree.count;
    }
    __syncthreads();
}

/* Makes ready what the levels count in. */
template <int DIM, int LOG> __device__ __forceinline__ void clear_shared(kd_block_shared<DIM, LOG> &sh)
{
    using shared = kd_block_shared<DIM, LOG>;
    const int t = threadIdx.x;
    for (int b = t; b < shared::BINS; b += shared::THREADS) sh.bins[b] = 0;
    if (t < shared::NODES) {
        sh.found[t] = sh.collected[t] = sh.median_bin[t] = sh.median_rank[t] = 0;
        sh.sides[t][0] = sh.sides[t][1] = 0;
        sh.chosen[t] = {0, 0};
    }
    if (t < shared::LEVELS) sh.crowded[t] = 0;
    if (t < DIM) sh.least[t] = sh.greatest[t] = 0;
}

/* The in-order points of what the levels of the block and then its warps make. */
template <int DIM, int LOG> __device__ __forceinline__ void order_points(const kd_subtree<DIM, LOG> &tree)
{
    auto &sh = tree.sh;
    const uint32_t t = threadIdx.x, lane = t % 32, w = t / 32;
    int levels = 0, d = tree.d0;
    for (; tree.count >> levels > KD_WARP_POINTS; levels++, d = kd_next<DIM>(d)) split_level(tree, levels, d);
    if (t < (1u << levels) - 1) sh.order[sh.node[t].begin + sh.node[t].size / 2] = (uint16_t)sh.chosen[t].i;
    if (w >> levels) return;
    int k = 3;
    while (tree.count >> levels > 1u << k) k++;
    const kd_subnode<DIM> &node = sh.node[(1u << levels) - 1 + w];
    if (lane < DIM) sh.unit[w][lane] = kd_unit_of(node.low[lane], node.high[lane]);
    __syncwarp();
    kd_make_subtree(tree, sh.index + (w << (LOG - levels)), (int)node.size, k, d, sh.order + node.begin);
}

template <int DIM, int LOG>
static __global__ void __launch_bounds__(kd_block_shared<DIM, LOG>::THREADS, LOG > KD_BLOCK_LOG ? 1 : 2)
    build_block(int64_t n, int32_t level, const kd_source from, const kd_array nodes, const uint32_t *failed)
{
    using shared = kd_block_shared<DIM, LOG>;
    BI_SHARED_DYNAMIC(shared, memory);
    shared &sh = *memory;
    if (threadIdx.x == 0) {
        struct bi_kd_range r = bi_kd_subtree(n, level, blockIdx.x);
        sh.begin = (uint32_t)r.begin;
        sh.end = (uint32_t)r.end;
        sh.stop = *failed != 0;
    }
    clear_shared(sh);
    __syncthreads();
    if (sh.stop) return;
    const uint32_t begin = sh.begin, count = sh.end - begin;
    const kd_subtree<DIM, LOG> tree = {sh, count, level % DIM};
    load_subtree(tree, from, begin);
    order_points(tree);
    __syncthreads();
    for (uint32_t i = threadIdx.x; i < count; i += shared::THREADS)
        kd_store<DIM>(nodes, begin + i, tree.point(sh.order[i]));
}

template <int DIM, int LOG>
static bosc_status run_blocks(bosc_ctx *ctx, int64_t n, int32_t level, const kd_source &from, const kd_array &nodes,
                              const uint32_t *failed)
{
    using shared = kd_block_shared<DIM, LOG>;
    auto kernel = build_block<DIM, LOG>;
    const int bytes = (int)sizeof(shared);
    BI_CUDA_TRY(ctx, cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
    return BI_RUN(ctx, kernel, 1u << level, shared::THREADS, bytes, n, level, from, nodes, failed);
}

template <int DIM>
bosc_status kd_run_blocks(bosc_ctx *ctx, int64_t n, int32_t level, int log, const kd_source &from,
                          const kd_array &nodes, const uint32_t *failed)
{
    if (log == KD_MOST_BLOCK_LOG) return run_blocks<DIM, KD_MOST_BLOCK_LOG>(ctx, n, level, from, nodes, failed);
    if (log == KD_BLOCK_LOG) return run_blocks<DIM, KD_BLOCK_LOG>(ctx, n, level, from, nodes, failed);
    return run_blocks<DIM, KD_BLOCK_LOG - 1>(ctx, n, level, from, nodes, failed);
}

int kd_block_log(const bosc_ctx *ctx, int32_t dim)
{
    int most = 0;
    size_t need = dim == 4 ? sizeof(kd_block_shared<4, KD_BLOCK_LOG>) : sizeof(kd_block_shared<3, KD_BLOCK_LOG>);
    size_t wish =
        dim == 4 ? sizeof(kd_block_shared<4, KD_MOST_BLOCK_LOG>) : sizeof(kd_block_shared<3, KD_MOST_BLOCK_LOG>);
    if (cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, ctx->memory.device) != cudaSuccess)
        (void)cudaGetLastError();
    return (size_t)most >= wish ? KD_MOST_BLOCK_LOG : (size_t)most >= need ? KD_BLOCK_LOG : KD_BLOCK_LOG - 1;
}

template bosc_status kd_run_blocks<2>(bosc_ctx *, int64_t, int32_t, int, const kd_source &, const kd_array &,
                                      const uint32_t *);
template bosc_status kd_run_blocks<3>(bosc_ctx *, int64_t, int32_t, int, const kd_source &, const kd_array &,
                                      const uint32_t *);
template bosc_status kd_run_blocks<4>(bosc_ctx *, int64_t, int32_t, int, const kd_source &, const kd_array &,
                                      const uint32_t *);
