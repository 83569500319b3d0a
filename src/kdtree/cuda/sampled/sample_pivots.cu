/* Samples the segments of a pass: finds a pivot and a bracket for each of their nodes. A small sample stays in the
 * registers of one block for all levels; a large one is gathered to memory and counted by several blocks, a launch a
 * level. */
#include <cfloat>

#include "kdtree/cuda/sampled/multilevel_pass.cuh"

enum { GATHER_THREADS = 256, GATHER_ITEMS = 4 };

/* Order statistics of a node's sample: the ends of its bracket, and its pivot. Each refinement divides a bin
 * by FINE_BINS: bins of 2^-10 of the extent and four refinements reach 2^-42 of it. The 24 targets of a depth have
 * FINE_BINS each, which fit the bins' shared memory: 24 * 256 <= 8 * BI_KDTREE_BINS. */
enum { LOW_END, HIGH_END, PIVOT, TARGETS, FINE_BINS = 256, REFINEMENTS = 4 };

/* Largest fraction of a node's sample in the bin of a target. A bracket ends with a bin, so it may hold that much more
 * on either side; plan_side in sampled_build.cu adds capacity for most of it. Less: more refinements; more: longer side
 * lists. Not measured. */
static constexpr float LARGEST_BIN = 0.005f;

struct gather_shared {
    uint2 segment;
    uint32_t least[4], greatest[4]; /* least: complements */
};

/* Copies the sample, a point of each of `samples` strata, finds its box, and writes the ranges of the segment and its
 * destinations. work.boxes is 0 before. */
template <int DIM, class KEYS>
static __global__ void __launch_bounds__(GATHER_THREADS)
    bi_kdtree_gather_sample(const bi_kdtree_pass pass, const KEYS keys, const bi_kdtree_source from,
                            const bi_kdtree_pass_memory work)
{
    BI_SHARED(struct gather_shared, sh);
    bi_kdtree_begin_kernel();
    const uint32_t per_block = GATHER_THREADS * GATHER_ITEMS, blocks = (pass.samples + per_block - 1) / per_block;
    const uint32_t segment = blockIdx.x / blocks, chunk = blockIdx.x % blocks, t = threadIdx.x;
    /* 1. Find the ranges; the barrier makes them and the zeros visible. */
    if (t == 0) {
        struct bi_kdtree_range r = bi_kdtree_subtree(pass.n, pass.level, segment);
        sh.segment = make_uint2((uint32_t)r.begin, (uint32_t)r.end);
        if (chunk == 0) work.segments[segment] = sh.segment;
    }
    if (t < 4) sh.least[t] = sh.greatest[t] = 0;
    if (chunk == 0 && t < BI_KDTREE_DESTINATIONS)
        work.destinations[segment * BI_KDTREE_DESTINATIONS + t] = bi_kdtree_destination_range(pass, segment, t);
    __syncthreads();
    /* 2. Copy this block's samples. */
    const uint32_t size = sh.segment.y - sh.segment.x;
    bi_kdtree_extent<DIM> extent;
    extent.clear();
#pragma unroll
    for (int item = 0; item < GATHER_ITEMS; item++) {
        uint32_t s = chunk * per_block + item * GATHER_THREADS + t;
        if (s >= pass.samples) continue;
        const uint32_t at = bi_kdtree_sample_position(pass, segment, s, size);
        bi_kdtree_point<DIM> p = keys.template read<DIM>(from, sh.segment.x + at);
        work.samples[segment * pass.samples + s] =
            make_float4(p.x[0], p.x[1], DIM > 2 ? p.x[2 % DIM] : 0, DIM > 3 ? p.x[3 % DIM] : 0);
#pragma unroll
        for (int c = 0; c < DIM; c++) extent.add(c, p.x[c]);
    }
    /* 3. Reduce their extent over the block (the barrier completes it), then over the segment. */
    extent.combine(sh.least, sh.greatest);
    __syncthreads();
    if (t < DIM) {
        atomicMax(&work.boxes[segment * 8 + t], sh.least[t]);
        atomicMax(&work.boxes[segment * 8 + 4 + t], sh.greatest[t]);
    }
}

/* The bin of a target, subdivided into FINE_BINS. */
struct fine_bins {
    float low, high, scale, width; /* scale: bins per unit; width: units per bin */
    float rank;
    uint32_t below; /* samples of the node below `low` */
};

/* The nodes of a depth. Samples of a node are counted in BI_KDTREE_BINS bins over its extent. If the bin of a target
 * holds too many samples, as in clusters, that bin is subdivided into FINE_BINS, and so on. */
struct level_shared {
    uint32_t bins[8 * BI_KDTREE_BINS];
    float low[8], scale[8], width[8]; /* of a node: least coordinate, bins per unit, units per bin */
    fine_bins fine[8 * TARGETS];
    uint32_t refined[2]; /* bit i * TARGETS + t: target t of node i is refined, in this round and in the next */
    float pivots[BI_KDTREE_CELLS];
    uint32_t last;
};

/* Finds the extent of node i of depth j in its axis: the sample's box without infinities, cut by the pivots above. */
template <int DIM>
__device__ __forceinline__ void node_extent(level_shared &sh, const bi_kdtree_pass &pass, const uint32_t *box, int j,
                                            int i, uint32_t axes)
{
    const int d = bi_kdtree_axis(axes, (pass.first + j) % DIM);
    float low = fmaxf(bi_f32_of_key(~box[d]), -FLT_MAX), high = fminf(bi_f32_of_key(box[4 + d]), FLT_MAX);
    for (int depth = 0; depth < j; depth++) {
        if (bi_kdtree_axis(axes, (pass.first + depth) % DIM) != d) continue;
        float pivot = sh.pivots[(1 << depth) - 1 + (i >> (j - depth))];
        if ((i >> (j - depth - 1)) & 1)
            low = pivot;
        else
            high = pivot;
    }
    float extent = high - low;
    sh.low[i] = low;
    sh.scale[i] = extent > 0 ? BI_KDTREE_BINS / extent : 0;
    sh.width[i] = extent / BI_KDTREE_BINS;
}

/* Returns the one of 32 * EACH bins that holds sample number `target`, the last bin if none does. *below = samples
 * below the bin, *count = samples in it. Called by a warp; the EACH bins of this lane have `own` samples, and `start`
 * are below them. */
template <int EACH>
__device__ __forceinline__ int find_bin(const uint32_t *bins, uint32_t own, uint32_t start, uint32_t target,
                                        uint32_t *below, uint32_t *count)
{
    const int lane = threadIdx.x % 32;
    int owner = __ffs(__ballot_sync(~0u, start <= target && target < start + own)) - 1;
    owner = owner < 0 ? 31 : owner;
    uint32_t base = __shfl_sync(~0u, start, owner), c = lane < EACH ? bins[owner * EACH + lane] : 0;
    uint32_t sum = bi_warp_inclusive_sum(c);
    uint32_t first = base + sum - c;
    int bin = __ffs(__ballot_sync(~0u, first <= target && target < first + c)) - 1;
    bin = bin < 0 ? EACH - 1 : bin;
    *below = __shfl_sync(~0u, first, bin);
    *count = __shfl_sync(~0u, c, bin);
    return owner * EACH + bin;
}

/* Writes a target that lies in the bin from `low` on; called by one thread. v: heap index of its node; `node`: index
 * of the node in arrays of all segments; `slot`: of the target in sh.fine. If the bin has more than `most` samples,
 * the target is refined in the next round. A margin of 0.01 bins absorbs rounding. */
__device__ __forceinline__ void write_target(level_shared &sh, const bi_kdtree_pass_memory &work, size_t node, int v,
                                             int target, int slot, float low, float width, float rank, uint32_t below,
                                             uint32_t count, uint32_t most)
{
    if (target == LOW_END) work.brackets[node].x = low - 0.01f * width;
    if (target == HIGH_END) work.brackets[node].y = low + 1.01f * width;
    if (target == PIVOT)
        work.pivots[node] = sh.pivots[v] = low + width * ((rank - (float)below) / (float)max(count, 1u));
    if (count <= most || !(width > 0)) return;
    fine_bins &fine = sh.fine[slot];
    fine.low = low - 0.01f * width;
    fine.high = low + 1.01f * width;
    fine.width = (fine.high - fine.low) / FINE_BINS;
    fine.scale = FINE_BINS / (fine.high - fine.low);
    fine.rank = rank;
    fine.below = 0;
    if (fine.scale < INFINITY) atomicOr(&sh.refined[1], 1u << slot);
}

/* Finds bracket and pivot of node i of depth j from its bins, 32 a lane; called by a warp. The partition sends points
 * in the bracket to the node's side list. size: points of the segment. Without samples the bracket is infinite. */
__device__ __forceinline__ void find_bracket(level_shared &sh, const bi_kdtree_pass &pass,
                                             const bi_kdtree_pass_memory &work, uint32_t segment, uint32_t size, int j,
                                             int i)
{
    const int lane = threadIdx.x % 32, v = (1 << j) - 1 + i;
    const size_t node = (size_t)segment * BI_KDTREE_CELLS + v;
    const uint32_t *bins = sh.bins + i * BI_KDTREE_BINS;
    /* 1. Sum the bins of each lane; the rotation avoids bank conflicts. */
    uint32_t own = 0;
    for (int b = 0; b < 32; b++) own += bins[lane * 32 + ((b + lane) & 31)];
    const uint32_t upto = bi_warp_inclusive_sum(own), total = __shfl_sync(~0u, upto, 31);
    /* 2. The rank of the median in a sample has a standard deviation of sqrt(total) / 2, less for a sample without
     * replacement; 2 ranks more for rounding. */
    const float unsampled = fmaxf(0.0f, 1.0f - (float)pass.samples / (float)size), half = 0.5f * (float)total;
    const float reach = pass.deviations * 0.5f * sqrtf((float)total * unsampled) + 2.0f;
    const uint32_t most = (uint32_t)(LARGEST_BIN * (float)total) + 4;
    if (lane == 0) {
        work.brackets[node] = make_float2(-INFINITY, INFINITY);
        work.pivots[node] = sh.pivots[v] = sh.low[i];
    }
    /* 3. Find the bin of each target. An end of the bracket that is outside the sample stays infinite. */
    for (int target = 0; target < TARGETS; target++) {
        const float rank = target == PIVOT ? half : target == LOW_END ? half - reach : half + reach;
        if (total == 0 || rank < 0 || rank >= (float)total) continue;
        uint32_t below, count;
        const int bin = find_bin<32>(bins, own, upto - own, (uint32_t)rank, &below, &count);
        /* Points may lie beyond the ends of the sample. A refined end is always finite. */
        const bool outermost = (target == LOW_END && bin == 0) || (target == HIGH_END && bin == BI_KDTREE_BINS - 1);
        if (outermost && count <= most) continue;
        if (lane == 0)
            write_target(sh, work, node, v, target, i * TARGETS + target, sh.low[i] + sh.width[i] * (float)bin,
                         sh.width[i], rank, below, count, most);
    }
}

/* Finds one target of depth j from its fine bins; called by a warp. A fine bin with more than 8 samples is subdivided
 * again: 0.8 % of the 8,192 / 8 samples that a node of the last depth has at least. */
__device__ __forceinline__ void refine_target(level_shared &sh, const bi_kdtree_pass_memory &work, uint32_t segment,
                                              int j, int slot)
{
    constexpr int EACH = FINE_BINS / 32;
    const int lane = threadIdx.x % 32, v = (1 << j) - 1 + slot / TARGETS;
    const uint32_t *bins = sh.bins + slot * FINE_BINS;
    const fine_bins fine = sh.fine[slot];
    uint32_t own = 0, below, count;
    for (int b = 0; b < EACH; b++) own += bins[lane * EACH + b];
    const uint32_t start = fine.below + bi_warp_inclusive_sum(own) - own;
    const int bin = find_bin<EACH>(bins, own, start, (uint32_t)fine.rank, &below, &count);
    __syncwarp(); /* all lanes have read the target, before lane 0 may replace it */
    if (lane == 0)
        write_target(sh, work, (size_t)segment * BI_KDTREE_CELLS + v, v, slot % TARGETS, slot,
                     fine.low + fine.width * (float)bin, fine.width, fine.rank, below, count, 8);
}

/* Adds this block's bins to those of the segment. Returns true in the last block of the segment, which receives the
 * sums: each block releases its additions by a fence before it draws a ticket, and the last acquires them after. The
 * barriers order the block's additions before its ticket, publish sh.last, and publish the sums. */
__device__ __forceinline__ bool merge_bins(level_shared &sh, const bi_kdtree_pass &pass,
                                           const bi_kdtree_pass_memory &work, uint32_t segment, int used)
{
    uint32_t *bins = work.bins + (size_t)segment * 8 * BI_KDTREE_BINS;
    for (int b = threadIdx.x; b < used; b += BI_KDTREE_SAMPLE_THREADS)
        if (sh.bins[b]) atomicAdd(&bins[b], sh.bins[b]);
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) {
        sh.last = atomicAdd(&work.tickets[segment], 1u) == pass.sample_blocks - 1;
        if (sh.last) work.tickets[segment] = 0;
    }
    __syncthreads();
    if (!sh.last) return false;
    __threadfence();
    for (int b = threadIdx.x; b < used; b += BI_KDTREE_SAMPLE_THREADS) {
        sh.bins[b] = __ldcg(&bins[b]);
        bins[b] = 0;
    }
    __syncthreads();
    return true;
}

/* Counts a coordinate of a sample in its node's bins, or in the fine bins of this round. */
__device__ __forceinline__ void count_sample(level_shared &sh, uint32_t node, float value, bool use_fine_bins)
{
    if (!use_fine_bins) {
        float bin = fminf(fmaxf((value - sh.low[node]) * sh.scale[node], 0.0f), (float)(BI_KDTREE_BINS - 1));
        atomicAdd(&sh.bins[node * BI_KDTREE_BINS + (int)bin], 1u);
        return;
    }
    for (uint32_t slot = node * TARGETS; slot < (node + 1) * TARGETS; slot++) {
        fine_bins &fine = sh.fine[slot];
        if (!(sh.refined[0] >> slot & 1) || value > fine.high) continue;
        if (value < fine.low)
            atomicAdd(&fine.below, 1u);
        else
            atomicAdd(&sh.bins[slot * FINE_BINS + (int)fminf((value - fine.low) * fine.scale, FINE_BINS - 1.0f)], 1u);
    }
}

/* Counts the samples [first, end) of a segment in bins of the nodes of depth j. Called by all threads; ends with a
 * barrier that completes the counts. The extents of the nodes become visible by the first barrier. */
template <int DIM>
__device__ __forceinline__ void count_sample_range(level_shared &sh, const bi_kdtree_pass &pass,
                                                   const bi_kdtree_pass_memory &work, uint32_t segment, uint32_t first,
                                                   uint32_t end, int j, uint32_t axes, bool use_fine_bins)
{
    const int nodes = 1 << j;
    /* 1. Zero the bins; the barrier makes the zeros visible. */
    for (int b = threadIdx.x; b < nodes * BI_KDTREE_BINS; b += BI_KDTREE_SAMPLE_THREADS) sh.bins[b] = 0;
    __syncthreads();
    /* 2. Descend from the root by the pivots above, and count each sample in its node of depth j. */
    end = min(end, pass.samples);
#pragma unroll 4
    for (uint32_t s = first + threadIdx.x; s < end; s += BI_KDTREE_SAMPLE_THREADS) {
        float4 x = work.samples[segment * pass.samples + s];
        int v = 0, d = pass.first;
        for (int depth = 0; depth <= j; depth++) {
            const int c = bi_kdtree_axis(axes, d);
            float value = c == 0 ? x.x : c == 1 ? x.y : c == 2 ? x.z : x.w;
            if (depth < j) {
                v = 2 * v + 1 + (value > sh.pivots[v]);
                d = bi_kdtree_next_coordinate<DIM>(d);
                continue;
            }
            count_sample(sh, v - (nodes - 1), value, use_fine_bins);
        }
    }
    __syncthreads();
}

/* Finds the targets of the nodes of depth j from their bins: a warp for each node, or for each refined target. Returns
 * true if some are to be refined. Called by all threads; the barriers separate resetting, setting and reading of the
 * refinement bits. */
__device__ __forceinline__ bool find_targets(level_shared &sh, const bi_kdtree_pass &pass,
                                             const bi_kdtree_pass_memory &work, uint32_t segment, uint32_t size, int j,
                                             bool use_fine_bins)
{
    const int warp = threadIdx.x / 32;
    if (threadIdx.x == 0) sh.refined[1] = 0;
    __syncthreads();
    if (!use_fine_bins && warp < 1 << j) find_bracket(sh, pass, work, segment, size, j, warp);
    if (use_fine_bins && warp < TARGETS << j && sh.refined[0] >> warp & 1) refine_target(sh, work, segment, j, warp);
    __syncthreads();
    if (threadIdx.x == 0) sh.refined[0] = sh.refined[1];
    __syncthreads();
    return sh.refined[0] != 0;
}

/* Depth j of every segment: counts the sample in bins over each node's extent, and finds the brackets. */
template <int DIM, class KEYS>
static __global__ void __launch_bounds__(BI_KDTREE_SAMPLE_THREADS)
    bi_kdtree_sample_level(const bi_kdtree_pass pass, const KEYS keys, const bi_kdtree_pass_memory work, int j)
{
    BI_SHARED(struct level_shared, sh);
    bi_kdtree_begin_kernel();
    const int t = threadIdx.x, nodes = 1 << j;
    const uint32_t segment = blockIdx.x / pass.sample_blocks, chunk = blockIdx.x % pass.sample_blocks;
    const uint32_t *box = work.boxes + segment * 8;
    const uint32_t axes = bi_kdtree_axes_of<DIM>(keys.exact_flat(bi_kdtree_flat_coordinates<DIM>(box, box + 4)));
    const uint2 range = work.segments[segment];
    /* 1. Load the pivots above (the barrier makes them visible) and find the extents of the nodes. */
    if (t < nodes - 1) sh.pivots[t] = work.pivots[segment * BI_KDTREE_CELLS + t];
    __syncthreads();
    if (t < nodes) node_extent<DIM>(sh, pass, box, j, t, axes);
    /* 2. Count this block's samples; only the last block of the segment continues, with all counts. */
    count_sample_range<DIM>(sh, pass, work, segment, chunk * pass.sample_chunk, (chunk + 1) * pass.sample_chunk, j,
                            axes, false);
    if (pass.sample_blocks > 1 && !merge_bins(sh, pass, work, segment, nodes * BI_KDTREE_BINS)) return;
    /* 3. Find the targets, and refine those in crowded bins. */
    bool refined = find_targets(sh, pass, work, segment, range.y - range.x, j, false);
    for (int k = 0; k < REFINEMENTS && refined; k++) {
        count_sample_range<DIM>(sh, pass, work, segment, 0, pass.samples, j, axes, true);
        refined = find_targets(sh, pass, work, segment, range.y - range.x, j, true);
    }
}

/* Returns coordinate d of x by selects, as registers have no addresses; d is uniform in the block. */
template <int DIM> __device__ __forceinline__ float coordinate(const float (&x)[DIM], int d)
{
    float value = x[0];
#pragma unroll
    for (int c = 1; c < DIM; c++) value = d == c ? x[c] : value;
    return value;
}

struct segment_shared {
    level_shared level;
    uint2 segment;
    uint32_t box[8]; /* as in bi_kdtree_pass_memory */
    uint32_t axes;
};

enum { SEGMENT_ITEMS = BI_KDTREE_SMALL_SAMPLE / BI_KDTREE_SAMPLE_THREADS };

/* Reads the samples of a thread (the last sample repeatedly where there are no more), and finds the segment's box. Ends
 * with a barrier that completes the box. */
template <int DIM, class KEYS>
__device__ __forceinline__ void read_samples(segment_shared &sh, const bi_kdtree_pass &pass, const KEYS &keys,
                                             const bi_kdtree_source &from, uint32_t segment,
                                             float (&x)[SEGMENT_ITEMS][DIM])
{
    bi_kdtree_extent<DIM> extent;
    extent.clear();
#pragma unroll
    for (int k = 0; k < SEGMENT_ITEMS; k++) {
        const uint32_t s = min(k * BI_KDTREE_SAMPLE_THREADS + threadIdx.x, pass.samples - 1);
        const uint32_t at = bi_kdtree_sample_position(pass, segment, s, sh.segment.y - sh.segment.x);
        const bi_kdtree_point<DIM> p = keys.template read<DIM>(from, sh.segment.x + at);
#pragma unroll
        for (int c = 0; c < DIM; c++) {
            x[k][c] = p.x[c];
            extent.add(c, p.x[c]);
        }
    }
    extent.combine(sh.box, sh.box + 4);
    __syncthreads();
}

/* Counts a thread's samples in the bins of their nodes, all of one depth. Called by all threads; the first barrier
 * makes the zeros visible, the last completes the counts. */
template <int DIM>
__device__ __forceinline__ void count_items(level_shared &sh, const bi_kdtree_pass &pass,
                                            const float (&x)[SEGMENT_ITEMS][DIM], const uint32_t (&node)[SEGMENT_ITEMS],
                                            int nodes, int d, bool use_fine_bins)
{
    for (int b = threadIdx.x; b < nodes * BI_KDTREE_BINS; b += BI_KDTREE_SAMPLE_THREADS) sh.bins[b] = 0;
    __syncthreads();
#pragma unroll
    for (int k = 0; k < SEGMENT_ITEMS; k++) {
        if (k * BI_KDTREE_SAMPLE_THREADS + threadIdx.x >= pass.samples) continue;
        count_sample(sh, node[k], coordinate<DIM>(x[k], d), use_fine_bins);
    }
    __syncthreads();
}

/* All levels of a segment whose sample fits one block (BI_KDTREE_SMALL_SAMPLE): it stays in registers from level to
 * level. Also writes the segment's range, box and destinations. */
template <int DIM, class KEYS>
static __global__ void __launch_bounds__(BI_KDTREE_SAMPLE_THREADS)
    bi_kdtree_sample_segment(const bi_kdtree_pass pass, const KEYS keys, const bi_kdtree_source from,
                             const bi_kdtree_pass_memory work)
{
    BI_SHARED(struct segment_shared, sh);
    bi_kdtree_begin_kernel();
    const uint32_t segment = blockIdx.x, t = threadIdx.x;
    /* 1. Find the ranges; the barrier makes them and the zeros visible. */
    if (t == 0) {
        struct bi_kdtree_range r = bi_kdtree_subtree(pass.n, pass.level, segment);
        work.segments[segment] = sh.segment = make_uint2((uint32_t)r.begin, (uint32_t)r.end);
    }
    if (t < 8) sh.box[t] = 0;
    if (t < BI_KDTREE_DESTINATIONS)
        work.destinations[segment * BI_KDTREE_DESTINATIONS + t] = bi_kdtree_destination_range(pass, segment, t);
    __syncthreads();
    /* 2. Read the sample and find its box and axes; the barrier makes the axes visible. */
    float x[SEGMENT_ITEMS][DIM];
    read_samples<DIM>(sh, pass, keys, from, segment, x);
    const uint32_t size = sh.segment.y - sh.segment.x;
    if (t == 0) sh.axes = bi_kdtree_axes_of<DIM>(keys.exact_flat(bi_kdtree_flat_coordinates<DIM>(sh.box, sh.box + 4)));
    __syncthreads();
    if (t < 8) work.boxes[segment * 8 + t] = sh.box[t];
    /* 3. Level by level: find the targets, refine those in crowded bins, and descend by the pivots. */
    uint32_t node[SEGMENT_ITEMS]; /* number within its depth */
#pragma unroll
    for (int k = 0; k < SEGMENT_ITEMS; k++) node[k] = 0;
    for (int j = 0; j < pass.levels; j++) {
        const int nodes = 1 << j, d = bi_kdtree_axis(sh.axes, (pass.first + j) % DIM);
        if ((int)t < nodes) node_extent<DIM>(sh.level, pass, sh.box, j, (int)t, sh.axes);
        bool refined = true;
        for (int n = 0; n <= REFINEMENTS && refined; n++) {
            count_items<DIM>(sh.level, pass, x, node, nodes, d, n > 0);
            refined = find_targets(sh.level, pass, work, segment, size, j, n > 0);
        }
#pragma unroll
        for (int k = 0; k < SEGMENT_ITEMS; k++)
            node[k] = 2 * node[k] + (coordinate<DIM>(x[k], d) > sh.level.pivots[nodes - 1 + node[k]]);
    }
}

template <int DIM, class KEYS>
bosc_status bi_kdtree_run_sample_pivots(bosc_ctx *ctx, const bi_kdtree_pass &pass, const KEYS &keys,
                                        const bi_kdtree_source &from, const bi_kdtree_pass_memory &work)
{
    auto whole = bi_kdtree_sample_segment<DIM, KEYS>;
    if (pass.samples <= BI_KDTREE_SMALL_SAMPLE)
        return BI_RUN(ctx, whole, pass.segments, BI_KDTREE_SAMPLE_THREADS, 0, pass, keys, from, work);
    auto gather = bi_kdtree_gather_sample<DIM, KEYS>;
    auto level = bi_kdtree_sample_level<DIM, KEYS>;
    uint32_t gather_blocks = (uint32_t)bi_div_up(pass.samples, GATHER_THREADS * GATHER_ITEMS) * pass.segments;
    BI_TRY(BI_RUN(ctx, gather, gather_blocks, GATHER_THREADS, 0, pass, keys, from, work));
    for (int j = 0; j < pass.levels; j++)
        BI_TRY(BI_KDTREE_RUN_NEXT(ctx, level, pass.segments * pass.sample_blocks, BI_KDTREE_SAMPLE_THREADS, 0, pass,
                                  keys, work, j));
    return BOSC_OK;
}

#define INSTANCE(DIM, KEYS)                                      \
    template bosc_status bi_kdtree_run_sample_pivots<DIM, KEYS>( \
        bosc_ctx *, const bi_kdtree_pass &, const KEYS &, const bi_kdtree_source &, const bi_kdtree_pass_memory &);
BI_KDTREE_EACH_KIND(INSTANCE)
