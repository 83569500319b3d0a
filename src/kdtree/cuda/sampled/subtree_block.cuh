/* The lowest levels of the fast builder: one block makes a whole subtree of up to 2^LOG points in shared memory, and
 * writes it in order.
 *
 * All warps of the block make the first levels together. For each node they count keys in bins over its extent, rank
 * the points of the median's bin exactly, and partition the others by the median. A warp owns 256 slots of the index,
 * all of one node. Once nodes have at most 256 points, a warp makes each of them alone (subtree_warp.cuh). */
#ifndef BI_KDTREE_CUDA_SAMPLED_SUBTREE_BLOCK_CUH
#define BI_KDTREE_CUDA_SAMPLED_SUBTREE_BLOCK_CUH

#include "kdtree/cuda/sampled/multilevel_pass.cuh"
#include "kdtree/cuda/sampled/subtree_warp.cuh"

/* Returns member `rank` < count, by superkey and id, of candidates[0 .. count), and overwrites them; called by a warp.
 * Candidates are in no order, so the middle one is a fair pivot, and rounds shrink quickly even if all coordinates are
 * equal. */
template <int DIM, int LOG, class KEYS>
__device__ uint32_t quick_select(const bi_kdtree_block_subtree<DIM, LOG, KEYS> &tree, uint16_t *candidates,
                                 uint32_t count, uint32_t rank, int d)
{
    const uint32_t lane = threadIdx.x % 32;
    while (true) {
        /* 1. Count the candidates below the pivot. */
        const uint32_t pivot = candidates[count / 2];
        uint32_t less = 0;
        for (uint32_t c = 0; c < count; c += 32) {
            bool is_less = c + lane < count && tree.precedes(candidates[min(c + lane, count - 1)], pivot, d);
            less += __popc(__ballot_sync(~0u, is_less));
        }
        if (rank == less || count <= 1) return pivot;
        /* 2. Compact the side of the member in place. The warp barriers separate reads from writes of a group. */
        const bool keep_less = rank < less;
        uint32_t kept = 0;
        for (uint32_t c = 0; c < count; c += 32) {
            uint32_t candidate = candidates[min(c + lane, count - 1)];
            bool is_less = tree.precedes(candidate, pivot, d);
            bool keep = c + lane < count && candidate != pivot && is_less == keep_less;
            uint32_t kept_mask = __ballot_sync(~0u, keep);
            __syncwarp();
            if (keep) candidates[kept + __popc(kept_mask & bi_lanes_below())] = (uint16_t)candidate;
            kept += __popc(kept_mask);
            __syncwarp();
        }
        rank = keep_less ? rank : rank - less - 1;
        count = kept;
    }
}

/* A warp's share of a level: its node, and its points; register k has that of slot 32 k + lane. */
struct warp_share {
    uint32_t v, h;  /* the node, in its level and in heap order */
    uint32_t first; /* the first warp of the node */
    int log_slots, d;
    uint32_t size;                          /* of the node */
    int left;                               /* points from this lane's first slot on; slot k is used if 32 k < left */
    uint32_t packed[BI_KDTREE_LANE_POINTS]; /* the number of a point, and its bin << 16 */
    float x[BI_KDTREE_LANE_POINTS];         /* keys */
};

__device__ __forceinline__ uint32_t point_of(uint32_t packed) { return packed & 0xffff; }
__device__ __forceinline__ uint32_t bin_of(uint32_t packed) { return packed >> 16; }

/* The keys of a node's points: coordinates of the level; on a grid integers of all coordinates in the order of the
 * superkey. */
template <int DIM, int LOG, class KEYS> struct node_keys {
    const bi_kdtree_block_subtree<DIM, LOG, KEYS> &tree;
    int d;
    float2 unit;                /* maps keys to [0, 1] */
    float low[DIM], steps[DIM]; /* on a grid: ends and sizes of the node's extent, from coordinate d on */

    __device__ __forceinline__ node_keys(const bi_kdtree_block_subtree<DIM, LOG, KEYS> &subtree,
                                         const warp_share &share)
        : tree(subtree), d(share.d)
    {
        const bi_kdtree_subnode<DIM> &node = tree.sh.node[share.h];
        if constexpr (!KEYS::ON_GRID) {
            unit = bi_kdtree_unit_of(node.low[d], node.high[d]);
            return;
        }
        float cells = 1;
        int c = d;
#pragma unroll
        for (int t = 0; t < DIM; t++, c = bi_kdtree_next_coordinate<DIM>(c)) {
            low[t] = node.low[c];
            steps[t] = node.high[c] - low[t] + 1;
            cells *= steps[t];
        }
        unit = bi_kdtree_unit_of(0, cells - 1);
    }

    __device__ __forceinline__ float operator()(uint32_t i) const
    {
        if constexpr (!KEYS::ON_GRID) return tree.sh.x[d][i];
        float key = 0;
        int c = d;
#pragma unroll
        for (int t = 0; t < DIM; t++, c = bi_kdtree_next_coordinate<DIM>(c))
            key = fmaf(key, steps[t], tree.sh.x[c][i] - low[t]);
        return key;
    }
};

/* Loads the warp's points and counts them in bins. Adding 2^23 leaves the bin in the low bits of the float. */
template <int DIM, int LOG, class KEYS>
__device__ __forceinline__ void count_keys(const bi_kdtree_block_subtree<DIM, LOG, KEYS> &tree, warp_share &share)
{
    auto &sh = tree.sh;
    using shared = bi_kdtree_block_shared<DIM, LOG, KEYS>;
    const uint32_t lane = threadIdx.x % 32, w = threadIdx.x / 32, bins = 1u << (share.log_slots - 1);
    const node_keys<DIM, LOG, KEYS> key_of(tree, share);
    const float most = (float)(bins - 1), bias = 0x1p23f + (float)(share.v * bins);
#pragma unroll
    for (int k = 0; k < BI_KDTREE_LANE_POINTS; k++) {
        const bool used = k * 32 < share.left;
        const uint32_t i = sh.index[w * BI_KDTREE_WARP_POINTS + k * 32 + lane];
        const float x = key_of(i);
        const uint32_t bin = bi_f32_bits(fmaf(bi_kdtree_to_unit(key_of.unit, x), most, bias)) & 0xffff;
        /* Unused slots count in the extra bin, which is not searched. */
        const uint32_t counted = used ? bin : (uint32_t)shared::BINS;
        share.x[k] = used ? x : INFINITY;
        share.packed[k] = i | counted << 16;
        atomicAdd(&sh.bins[counted], 1u);
    }
}

/* Finds the bin of the node's member of rank `target`, and its rank there; with COUNTED, the points of the bin too.
 * Zeroes the bins. A warp owns the bins of its slots. The barrier publishes the sums of warps. */
template <bool COUNTED, int DIM, int LOG, class KEYS>
__device__ __forceinline__ void find_median_bin(const bi_kdtree_block_subtree<DIM, LOG, KEYS> &tree,
                                                const warp_share &share, uint32_t target)
{
    auto &sh = tree.sh;
    using shared = bi_kdtree_block_shared<DIM, LOG, KEYS>;
    constexpr int EACH = shared::BINS / shared::THREADS;
    const uint32_t t = threadIdx.x, lane = t % 32, w = t / 32;
    uint32_t c[EACH], own = 0;
#pragma unroll
    for (int b = 0; b < EACH; b++) {
        own += c[b] = sh.bins[t * EACH + b];
        sh.bins[t * EACH + b] = 0;
    }
    uint32_t sum = bi_warp_inclusive_sum(own);
    if (lane == 31) sh.warp_sums[w] = sum;
    __syncthreads();
    const bool earlier = lane >= share.first && lane < w;
    uint32_t before = sum - own + bi_warp_sum(earlier ? sh.warp_sums[lane % shared::WARPS] : 0);
#pragma unroll
    for (int b = 0; b < EACH; b++) {
        if (before <= target && target - before < c[b]) {
            sh.median_bin[share.h] = t * EACH + b;
            sh.median_rank[share.h] = target - before;
            if (COUNTED) sh.median_count[share.h] = c[b];
        }
        before += c[b];
    }
}

/* Returns the coordinate by which candidates of a node are narrowed, from their ends: the first one of the superkey in
 * which they differ; DIM for the id; -1 if the keys of the rows decide before. */
template <int DIM, int LOG, class KEYS>
__device__ __forceinline__ int narrowing_coordinate(const bi_kdtree_block_subtree<DIM, LOG, KEYS> &tree,
                                                    const warp_share &share)
{
    const auto &ends = tree.sh.ends[share.h];
    int c = share.d;
    for (int t = 0; t < DIM; t++, c = bi_kdtree_next_coordinate<DIM>(c)) {
        if (~ends[0][c] != ends[1][c]) return c;
        if (!tree.keys.exact_flat(1u << c)) return -1;
    }
    return DIM;
}

/* Counts the candidates of the warp's node in its bins, over their extent in coordinate c, or over the range of their
 * ids. Monotonic maps, as those of count_keys. */
template <int DIM, int LOG, class KEYS>
__device__ __forceinline__ void count_candidates(const bi_kdtree_block_subtree<DIM, LOG, KEYS> &tree, warp_share &share,
                                                 uint32_t alive, int c)
{
    auto &sh = tree.sh;
    const int log_bins = share.log_slots - 1;
    const uint32_t least = ~sh.ends[share.h][0][c], greatest = sh.ends[share.h][1][c], first = share.v << log_bins;
    const uint32_t bits = 32 - (uint32_t)__clz((int)(greatest - least)),
                   shift = bits > (uint32_t)log_bins ? bits - (uint32_t)log_bins : 0;
    /* Differences from the least one are exact in narrow ranges. Keys count where the extent has no finite factor. */
    const float low = bi_f32_of_key(least), extent = bi_f32_of_key(greatest) - low;
    const float most = (float)((1 << log_bins) - 1),
                factor = extent > 0x1p-100f && extent <= FLT_MAX ? most / extent : 0;
#pragma unroll
    for (int k = 0; k < BI_KDTREE_LANE_POINTS; k++) {
        if (!(alive >> k & 1)) continue;
        const uint32_t i = point_of(share.packed[k]);
        const uint32_t bin = c == DIM     ? (sh.id[i] - least) >> shift
                             : factor > 0 ? (uint32_t)fminf((sh.x[c % DIM][i] - low) * factor, most)
                                          : (bi_key_u32_of_f32(sh.x[c % DIM][i]) - least) >> shift;
        share.packed[k] = i | (first + bin) << 16;
        atomicAdd(&sh.bins[first + bin], 1u);
    }
}

/* Narrows the candidates of nodes that have many. A round counts them in bins over their own extent, by the first
 * coordinate in which they differ; those of the median's bin remain. Few are collected in sh.ranked; among many the
 * first warp of a node selects. All threads call it after the barrier that completes sh.found. sh.bins is 0 before and
 * after. */
template <int DIM, int LOG, class KEYS>
static __device__ void narrow_candidates(const bi_kdtree_block_subtree<DIM, LOG, KEYS> &tree, warp_share &share)
{
    auto &sh = tree.sh;
    using shared = bi_kdtree_block_shared<DIM, LOG, KEYS>;
    constexpr int EACH = shared::BINS / shared::THREADS;
    const uint32_t t = threadIdx.x, lane = t % 32, h = share.h;
    bool many = sh.found[h] > BI_KDTREE_RANKED_CANDIDATES;
    const bool narrowed = many;
    uint32_t alive = 0; /* the lane's candidates */
#pragma unroll
    for (int k = 0; k < BI_KDTREE_LANE_POINTS; k++)
        if (many && bin_of(share.packed[k]) == sh.median_bin[h]) alive |= 1u << k;
    /* 1. Narrow. */
    for (int round = 0; round < BI_KDTREE_NARROWINGS; round++) {
        /* a. Zero the ends; the barriers end the reads of the round before, and publish the zeros. */
        if (!__syncthreads_or(many)) break;
        if (t / 32 == share.first && lane < 2 * (DIM + 1)) sh.ends[h][lane / (DIM + 1)][lane % (DIM + 1)] = 0;
        __syncthreads();
        /* b. Find the ends of the candidates; the barrier completes them. */
        if (many)
#pragma unroll
            for (int c = 0; c <= DIM; c++) {
                uint32_t least = 0, greatest = 0;
#pragma unroll
                for (int k = 0; k < BI_KDTREE_LANE_POINTS; k++) {
                    if (!(alive >> k & 1)) continue;
                    const uint32_t i = point_of(share.packed[k]);
                    const uint32_t key = c == DIM ? sh.id[i] : bi_key_u32_of_f32(sh.x[c % DIM][i]);
                    least = max(least, ~key);
                    greatest = max(greatest, key);
                }
                least = bi_warp_max(least);
                greatest = bi_warp_max(greatest);
                if (lane == 0) {
                    atomicMax(&sh.ends[h][0][c], least);
                    atomicMax(&sh.ends[h][1][c], greatest);
                }
            }
        __syncthreads();
        /* c. Count them in bins, and find that of the median. The barriers complete the counts, and publish the bin. */
        const int c = many ? narrowing_coordinate(tree, share) : -1;
        if (c >= 0) count_candidates(tree, share, alive, c);
        const uint32_t rank = sh.median_rank[h];
        __syncthreads();
        find_median_bin<true>(tree, share, rank);
        __syncthreads();
        /* d. Keep the candidates of the bin. */
        if (c < 0) continue;
#pragma unroll
        for (int k = 0; k < BI_KDTREE_LANE_POINTS; k++)
            if (bin_of(share.packed[k]) != sh.median_bin[h]) alive &= ~(1u << k);
        many = sh.median_count[h] > BI_KDTREE_RANKED_CANDIDATES;
    }
    /* 2. Collect the candidates; the barriers end the reads of the counts, publish them, and complete the lists. */
    __syncthreads();
    if (narrowed && t == 32 * share.first) {
        if (sh.median_count[h] == 0) sh.median_count[h] = sh.found[h]; /* no round has narrowed them */
        sh.found[h] = sh.median_count[h] | BI_KDTREE_NARROWED;
    }
    __syncthreads();
    uint16_t *candidates = sh.candidates + (share.v << share.log_slots);
#pragma unroll
    for (int k = 0; k < BI_KDTREE_LANE_POINTS; k++)
        if (alive >> k & 1)
            (many ? candidates : sh.ranked[h])[atomicAdd(&sh.collected[h], 1u)] = (uint16_t)point_of(share.packed[k]);
    __syncthreads();
    /* 3. Select among many by a warp. The barriers publish the medians, and end the use of the lists, which share
     * memory with the bins. */
    if (many && t / 32 == share.first) {
        const uint32_t i = quick_select(tree, candidates, sh.median_count[h], sh.median_rank[h], share.d);
        if (lane == 0) sh.chosen[h] = {node_keys<DIM, LOG, KEYS>(tree, share)(i), i};
    }
    __syncthreads();
    for (int b = 0; b < EACH; b++) sh.bins[t * EACH + b] = 0;
}

/* Returns the median of the warp's node. Each warp ranks the candidates itself, which saves a barrier. *tied: others
 * may have the same key. After narrowing, these need not be candidates. */
template <int DIM, int LOG, class KEYS>
__device__ __forceinline__ bi_kdtree_median choose_median(const bi_kdtree_block_subtree<DIM, LOG, KEYS> &tree,
                                                          const warp_share &share, bool *tied)
{
    auto &sh = tree.sh;
    const uint32_t lane = threadIdx.x % 32, rank = sh.median_rank[share.h];
    const uint32_t found = sh.found[share.h], count = found & ~(uint32_t)BI_KDTREE_NARROWED;
    *tied = true;
    if (count > BI_KDTREE_RANKED_CANDIDATES) return sh.chosen[share.h];
    /* 1. Rank by the key alone. */
    const uint32_t i = lane < count ? sh.ranked[share.h][lane] : 0;
    const float x = node_keys<DIM, LOG, KEYS>(tree, share)(i);
    uint32_t less = 0, equal = 0;
    for (uint32_t o = 0; o < count; o++) {
        const float y = __shfl_sync(~0u, x, (int)o);
        less += y < x;
        equal += y == x;
    }
    *tied = __any_sync(~0u, lane < count && equal != 1) || found != count;
    /* 2. On ties, rank by the superkey. */
    if (*tied) {
        less = 0;
        for (uint32_t o = 0; o < count; o++) less += lane < count && tree.precedes(sh.ranked[share.h][o], i, share.d);
    }
    const uint32_t hit = __ballot_sync(~0u, lane < count && less == rank);
    const int owner = hit ? __ffs((int)hit) - 1 : 0; /* always a hit, unless the input has a NaN */
    bi_kdtree_median median = {__shfl_sync(~0u, x, owner), __shfl_sync(~0u, i, owner)};
    if (lane == 0 && threadIdx.x / 32 == share.first) sh.chosen[share.h] = median;
    return median;
}

/* Writes the two children of a node; called by a warp, a lane a coordinate. */
template <int DIM, int LOG, class KEYS>
__device__ __forceinline__ void split_node(const bi_kdtree_block_subtree<DIM, LOG, KEYS> &tree, const warp_share &share,
                                           float plane)
{
    const uint32_t lane = threadIdx.x % 32, greater = lane / DIM;
    if (greater > 1) return;
    const bi_kdtree_subnode<DIM> &node = tree.sh.node[share.h];
    bi_kdtree_subnode<DIM> &side = tree.sh.node[2 * share.h + 1 + greater];
    const int c = lane % DIM;
    side.low[c] = c == share.d && greater ? plane : node.low[c];
    side.high[c] = c == share.d && !greater ? plane : node.high[c];
    if (c == 0) {
        side.begin = node.begin + (greater ? node.size / 2 + 1 : 0);
        side.size = bi_kdtree_side_size(node.size, greater);
    }
}

/* Moves the warp's points to their sides of the node's slots, in no order; the median gets no slot: sh.chosen has it.
 * All warps call it, after a barrier that ends their reads of sh.index; the caller adds one after it. sh.sides of the
 * node is 0 before. */
template <int DIM, int LOG, class KEYS>
__device__ __forceinline__ void partition_share(const bi_kdtree_block_subtree<DIM, LOG, KEYS> &tree,
                                                const warp_share &share, const bi_kdtree_median &median, bool tied)
{
    auto &sh = tree.sh;
    const uint32_t lane = threadIdx.x % 32, own = 1u << lane;
    /* 1. Find the side of each point. Comparing rows on ties is a second instance of the loop, since ties are rare. */
    uint32_t less[BI_KDTREE_LANE_POINTS], more[BI_KDTREE_LANE_POINTS];
    uint32_t before[BI_KDTREE_LANE_POINTS], counts = 0; /* less points in the low half, the others in the high half */
    auto find_sides = [&](bool equal_keys) {
#pragma unroll
        for (int k = 0; k < BI_KDTREE_LANE_POINTS; k++) {
            bool is_less = share.x[k] < median.x;
            const uint32_t i = point_of(share.packed[k]);
            const bool other = k * 32 < share.left && i != median.i;
            if (equal_keys && other && share.x[k] == median.x) is_less = tree.precedes(i, median.i, share.d);
            less[k] = __ballot_sync(~0u, is_less);
            more[k] = __ballot_sync(~0u, other && !is_less);
            before[k] = counts;
            counts += __popc(less[k]) + __popc(more[k]) * 0x10000u;
        }
    };
    if (tied)
        find_sides(true);
    else
        find_sides(false);
    /* 2. Reserve slots on both sides, shared with the other warps of the node. */
    uint32_t to = 0;
    if (lane < 2) to = atomicAdd(&sh.sides[share.h][lane], lane ? counts >> 16 : counts & 0xffff);
    const uint32_t first_slot = share.v << share.log_slots, half = 1u << (share.log_slots - 1),
                   end = first_slot + 2 * half;
    const uint32_t less_to = first_slot + __shfl_sync(~0u, to, 0),
                   more_to = first_slot + half + __shfl_sync(~0u, to, 1);
    /* 3. Write the numbers of the points. */
#pragma unroll
    for (int k = 0; k < BI_KDTREE_LANE_POINTS; k++) {
        const bool is_less = less[k] & own;
        const uint32_t mask = is_less ? less[k] : more[k];
        const uint32_t slot =
            __popc(mask & (own - 1)) + (is_less ? less_to + (before[k] & 0xffff) : more_to + (before[k] >> 16));
        /* The slots suffice, unless the input has a NaN. */
        if (mask & own && slot < end) sh.index[slot] = (uint16_t)point_of(share.packed[k]);
    }
}

/* Makes level j of the block, which splits by coordinate d. All threads call it. sh.bins is 0 before and after; the
 * counters of the level in sh.found, sh.sides and sh.collected are 0 before. */
template <int DIM, int LOG, class KEYS>
__device__ __forceinline__ void split_level(const bi_kdtree_block_subtree<DIM, LOG, KEYS> &tree, int j, int d)
{
    auto &sh = tree.sh;
    const uint32_t w = threadIdx.x / 32;
    /* 1. Find the warp's node. */
    warp_share share;
    share.log_slots = LOG - j;
    share.d = d;
    share.v = w >> (share.log_slots - BI_KDTREE_WARP_LOG);
    share.h = (1u << j) - 1 + share.v;
    share.first = share.v << (share.log_slots - BI_KDTREE_WARP_LOG);
    share.size = sh.node[share.h].size;
    share.left = (int)(share.size - (w - share.first) * BI_KDTREE_WARP_POINTS - threadIdx.x % 32);
    /* 2. Find the bin of its median. The barriers complete the counts, and publish the bins found. */
    count_keys(tree, share);
    __syncthreads();
    find_median_bin<false>(tree, share, share.size / 2);
    __syncthreads();
    /* 3. Collect the points of the bin; the barrier completes the collection. */
    const uint32_t bin = sh.median_bin[share.h];
#pragma unroll
    for (int k = 0; k < BI_KDTREE_LANE_POINTS; k++) {
        if (bin_of(share.packed[k]) != bin) continue;
        const uint32_t slot = atomicAdd(&sh.found[share.h], 1u);
        if (slot < BI_KDTREE_RANKED_CANDIDATES)
            sh.ranked[share.h][slot] = (uint16_t)point_of(share.packed[k]);
        else if (slot == BI_KDTREE_RANKED_CANDIDATES)
            atomicExch(&sh.has_many[j], 1u); /* several nodes may write it */
    }
    __syncthreads();
    /* 4. Choose the median and move the other points; the barrier completes the slots and nodes of the next level. */
    if (sh.has_many[j]) narrow_candidates(tree, share);
    bool tied;
    const bi_kdtree_median median = choose_median(tree, share, &tied);
    if (w == share.first) split_node(tree, share, KEYS::ON_GRID ? sh.x[d][median.i] : median.x);
    partition_share(tree, share, median, tied);
    __syncthreads();
}

/* Moves the points to the block's grid, if they are on one. A barrier after the call publishes them. */
template <int DIM, int LOG, class KEYS>
__device__ __forceinline__ void move_to_grid(const bi_kdtree_block_subtree<DIM, LOG, KEYS> &tree)
{
    auto &sh = tree.sh;
    using shared = bi_kdtree_block_shared<DIM, LOG, KEYS>;
    const int t = threadIdx.x;
    /* All differences, products and sums are exact. */
    auto move = [&](float &x, int c) { x = (x - sh.grid.low[c]) * sh.grid.inverse[c] + BI_KDTREE_GRID_ORIGIN; };
#pragma unroll
    for (int c = 0; c < DIM; c++)
        for (int i = t; i < (int)tree.count; i += shared::THREADS) move(sh.x[c][i], c);
    if (t >= DIM) return;
    move(sh.node[0].low[t], t);
    move(sh.node[0].high[t], t);
}

/* Loads the subtree and finds its extent. The barriers complete the extent, publish the root, and end the use of its
 * ends before they move. All threads call it; sh.least, sh.greatest and the finenesses of the grid are 0 before. Slots
 * beyond the subtree have no point. */
template <int DIM, int LOG, class KEYS>
__device__ __forceinline__ void load_subtree(const bi_kdtree_block_subtree<DIM, LOG, KEYS> &tree,
                                             const bi_kdtree_source &from, uint32_t begin)
{
    auto &sh = tree.sh;
    using shared = bi_kdtree_block_shared<DIM, LOG, KEYS>;
    const int t = threadIdx.x;
    /* 1. Load the points. */
    bi_kdtree_extent<DIM> extent;
    extent.clear();
#pragma unroll
    for (int k = 0; k < BI_KDTREE_LANE_POINTS; k++) {
        const uint32_t i = k * shared::THREADS + t;
        sh.index[i] = (uint16_t)i;
        if (i >= tree.count) continue;
        bi_kdtree_point<DIM> p = tree.keys.template read<DIM>(from, begin + i);
#pragma unroll
        for (int c = 0; c < DIM; c++) {
            extent.add(c, p.x[c]);
            sh.x[c][i] = p.x[c];
        }
        sh.id[i] = p.id;
    }
    /* 2. Describe the root: extent, axes and range. */
    extent.combine(sh.least, sh.greatest);
    if constexpr (KEYS::BY_SUPERKEY)
        for (int c = 0; c < DIM; c++) {
            uint32_t finest = 0;
            for (int i = t; i < (int)tree.count; i += shared::THREADS)
                finest = max(finest, bi_kdtree_fineness(sh.x[c][i]));
            finest = bi_warp_max(finest);
            if (t % 32 == 0) atomicMax(&sh.grid.fineness[c], finest);
        }
    __syncthreads();
    if (t < DIM) {
        sh.node[0].low[t] = fmaxf(bi_f32_of_key(~sh.least[t]), -FLT_MAX);
        sh.node[0].high[t] = fminf(bi_f32_of_key(sh.greatest[t]), FLT_MAX);
    }
    if (t == 0) {
        const uint32_t flat = tree.keys.exact_flat(bi_kdtree_flat_coordinates<DIM>(sh.least, sh.greatest));
        sh.axes = bi_kdtree_axes_from<DIM>(bi_kdtree_axes_of<DIM>(flat), tree.d0);
        sh.node[0].begin = 0;
        sh.node[0].size = tree.count;
        if constexpr (KEYS::BY_SUPERKEY) bi_kdtree_find_grid<DIM>(sh.grid, sh.least, sh.greatest);
    }
    __syncthreads();
    /* 3. Move the points to the grid. */
    if constexpr (KEYS::BY_SUPERKEY)
        if (sh.grid.used) {
            move_to_grid(tree);
            __syncthreads();
        }
}

/* Zeroes the counters of all levels. */
template <int DIM, int LOG, class KEYS>
__device__ __forceinline__ void clear_shared(bi_kdtree_block_shared<DIM, LOG, KEYS> &sh)
{
    using shared = bi_kdtree_block_shared<DIM, LOG, KEYS>;
    const int t = threadIdx.x;
    for (int b = t; b < shared::BINS; b += shared::THREADS) sh.bins[b] = 0;
    if (t < shared::NODES) {
        sh.found[t] = sh.collected[t] = sh.median_bin[t] = sh.median_rank[t] = 0;
        sh.median_count[t] = 0;
        sh.sides[t][0] = sh.sides[t][1] = 0;
        sh.chosen[t] = {0, 0};
    }
    if (t < shared::LEVELS) sh.has_many[t] = 0;
    if (t < DIM) sh.least[t] = sh.greatest[t] = 0;
    if constexpr (KEYS::BY_SUPERKEY)
        if (t < DIM) sh.grid.fineness[t] = 0;
}

/* Finds the in-order points of the subtree: the upper levels by the block, the lower ones by its warps. */
template <int DIM, int LOG, class KEYS>
__device__ __forceinline__ void order_points(const bi_kdtree_block_subtree<DIM, LOG, KEYS> &tree)
{
    auto &sh = tree.sh;
    const uint32_t t = threadIdx.x, lane = t % 32, w = t / 32;
    uint32_t axes = sh.axes;
    /* 1. The levels of the block, and their medians in order. */
    int levels = 0;
    for (; tree.count >> levels > BI_KDTREE_WARP_POINTS; levels++, axes = bi_kdtree_next_axes<DIM>(axes))
        split_level(tree, levels, bi_kdtree_axis(axes, 0));
    if (t < (1u << levels) - 1) sh.order[sh.node[t].begin + sh.node[t].size / 2] = (uint16_t)sh.chosen[t].i;
    /* 2. A warp for each remaining node, in 2^k slots: the fewest that hold the largest node, 8 (one lane) at least. */
    if (w >> levels) return;
    int k = 3;
    while (tree.count >> levels > 1u << k) k++;
    const bi_kdtree_subnode<DIM> &node = sh.node[(1u << levels) - 1 + w];
    if (lane < DIM) {
        sh.unit[w][lane] = bi_kdtree_unit_of(node.low[lane], node.high[lane]);
        if (KEYS::ON_GRID) {
            const uint32_t low = bi_key_u32_of_f32(node.low[lane]), steps = bi_key_u32_of_f32(node.high[lane]) - low;
            sh.packing[w][lane] = {low, 0, 32 - (uint32_t)__clz((int)steps)};
        }
    }
    __syncwarp();
    bi_kdtree_sort_subtree(tree, node, sh.index + (w << (LOG - levels)), k, axes, sh.order + node.begin);
}

/* Makes the subtrees of a level, a block each. first: the coordinate of their superkeys. */
template <int DIM, int LOG, class KEYS>
static __global__ void __launch_bounds__(bi_kdtree_block_shared<DIM, LOG, KEYS>::THREADS,
                                         LOG > BI_KDTREE_BLOCK_LOG ? 1 : 2)
    bi_kdtree_subtree_block(int64_t n, int32_t level, int32_t first, const KEYS keys, const bi_kdtree_source from,
                            const bi_kdtree_array nodes, const uint32_t *failed)
{
    using shared = bi_kdtree_block_shared<DIM, LOG, KEYS>;
    BI_SHARED_DYNAMIC(shared, memory);
    shared &sh = *memory;
    /* 1. Find the range; stop if an earlier kernel failed. The barrier publishes both and the zeroed counters. */
    if (threadIdx.x == 0) {
        struct bi_kdtree_range r = bi_kdtree_subtree(n, level, blockIdx.x);
        sh.begin = (uint32_t)r.begin;
        sh.end = (uint32_t)r.end;
        sh.stop = *failed != 0;
    }
    clear_shared(sh);
    __syncthreads();
    if (sh.stop) return;
    const uint32_t begin = sh.begin, count = sh.end - begin;
    const bi_kdtree_block_subtree<DIM, LOG, KEYS> tree = {sh, keys, count, first};
    /* 2. Load, order and store; the barrier waits for the warps' parts of sh.order. */
    load_subtree(tree, from, begin);
    if constexpr (KEYS::BY_SUPERKEY) {
        if (sh.grid.used)
            order_points(bi_kdtree_block_subtree<DIM, LOG, bi_kdtree_grid_keys>{sh, {}, count, tree.d0});
        else
            order_points(tree);
    } else {
        order_points(tree);
    }
    __syncthreads();
    keys.template store_all<DIM, shared::THREADS>(nodes, begin, count,
                                                  [&](uint32_t i) { return tree.loaded_point(sh.order[i]); });
}

template <int DIM, int LOG, class KEYS>
static bosc_status launch_blocks(bosc_ctx *ctx, int64_t n, int32_t level, int32_t first, const KEYS &keys,
                                 const bi_kdtree_source &from, const bi_kdtree_array &nodes, const uint32_t *failed)
{
    using shared = bi_kdtree_block_shared<DIM, LOG, KEYS>;
    auto kernel = bi_kdtree_subtree_block<DIM, LOG, KEYS>;
    const int bytes = (int)sizeof(shared);
    BI_CUDA_TRY(ctx, cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
    return BI_RUN(ctx, kernel, 1u << level, shared::THREADS, bytes, n, level, first, keys, from, nodes, failed);
}

template <int DIM, class KEYS>
bosc_status bi_kdtree_run_subtree_blocks(bosc_ctx *ctx, int64_t n, int32_t level, int32_t first, int log,
                                         const KEYS &keys, const bi_kdtree_source &from, const bi_kdtree_array &nodes,
                                         const uint32_t *failed)
{
    if (log == BI_KDTREE_MOST_BLOCK_LOG)
        return launch_blocks<DIM, BI_KDTREE_MOST_BLOCK_LOG>(ctx, n, level, first, keys, from, nodes, failed);
    if (log == BI_KDTREE_BLOCK_LOG)
        return launch_blocks<DIM, BI_KDTREE_BLOCK_LOG>(ctx, n, level, first, keys, from, nodes, failed);
    return launch_blocks<DIM, BI_KDTREE_BLOCK_LOG - 1>(ctx, n, level, first, keys, from, nodes, failed);
}

#endif
