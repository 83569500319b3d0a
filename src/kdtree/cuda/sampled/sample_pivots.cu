/* The sample of a pass: pivots and brackets of the nodes of each segment. */
#include <cfloat>

#include "kdtree/cuda/sampled/extent.cuh"
#include "kdtree/cuda/sampled/multilevel_pass.cuh"

enum { GATHER_THREADS = 256, GATHER_ITEMS = 4 };

/* What is looked for in the sample of a node: the ends of its bracket, and its pivot. */
enum { LOW_END, HIGH_END, PIVOT, TARGETS, FINE_BINS = 256, REFINEMENTS = 4 };

/* This fraction of a node's sample may lie in the bin of a target: side lists have capacity for it on either side. */
static constexpr float LARGEST_BIN = 0.005f;

struct gather_shared {
    uint2 segment;
    uint32_t least[4], greatest[4]; /* least: complements */
};

/* Where a destination of a segment begins, and its capacity. */
static __device__ uint2 destination(const bi_kdtree_pass &pass, uint32_t segment, uint32_t t)
{
    const uint32_t cells = 1u << pass.levels, v = t - BI_KDTREE_CELLS;
    if (t < cells) {
        struct bi_kdtree_range r =
            bi_kdtree_subtree(pass.n, pass.level + pass.levels, ((uint64_t)segment << pass.levels) + t);
        return make_uint2((uint32_t)r.begin, (uint32_t)(r.end - r.begin));
    }
    if (t < BI_KDTREE_CELLS || v >= cells - 1) return make_uint2(0, 0);
    uint32_t first = 0, limit = 0;
    const int depth = bi_kdtree_heap_depth((int)v);
#pragma unroll
    for (int j = 0; j < BI_KDTREE_PASS_LEVELS; j++) {
        if (j != depth) continue;
        first = pass.side_first[j];
        limit = pass.side_limit[j];
    }
    return make_uint2(segment * pass.side_capacity + first + (v + 1 - (1u << depth)) * limit, limit);
}

/* Sample s of a segment of `size` points: a random place in stratum s. The samples are a power of two. */
static __device__ __forceinline__ uint32_t sample_place(const bi_kdtree_pass &pass, uint32_t segment, uint32_t s,
                                                        uint32_t size)
{
    const int log = 31 - __clz((int)pass.samples);
    const uint32_t low = (uint32_t)((uint64_t)s * size >> log), next = (uint32_t)((uint64_t)(s + 1) * size >> log);
    const uint32_t random = bi_mix_u32(s * 2654435761u + segment * 977u + (uint32_t)pass.level * 131071u);
    return low + __umulhi(random, next - low);
}

/* Copies the sample (one point at a random place of each of `samples` strata), finds its box, and writes down where
 * the segment and its cells lie. */
template <int DIM, class KEYS>
static __global__ void __launch_bounds__(GATHER_THREADS)
    bi_kdtree_gather_sample(const bi_kdtree_pass pass, const KEYS keys, const bi_kdtree_source from,
                            const bi_kdtree_pass_memory work)
{
    BI_SHARED(struct gather_shared, sh);
    const uint32_t per_block = GATHER_THREADS * GATHER_ITEMS, blocks = (pass.samples + per_block - 1) / per_block;
    const uint32_t segment = blockIdx.x / blocks, chunk = blockIdx.x % blocks, t = threadIdx.x;
    if (t == 0) {
        struct bi_kdtree_range r = bi_kdtree_subtree(pass.n, pass.level, segment);
        sh.segment = make_uint2((uint32_t)r.begin, (uint32_t)r.end);
        if (chunk == 0) work.segments[segment] = sh.segment;
    }
    if (t < 4) sh.least[t] = sh.greatest[t] = 0;
    if (chunk == 0 && t < BI_KDTREE_DESTINATIONS)
        work.destinations[segment * BI_KDTREE_DESTINATIONS + t] = destination(pass, segment, t);
    __syncthreads();
    const uint32_t size = sh.segment.y - sh.segment.x;
    bi_kdtree_extent<DIM> extent;
    extent.clear();
#pragma unroll
    for (int item = 0; item < GATHER_ITEMS; item++) {
        uint32_t s = chunk * per_block + item * GATHER_THREADS + t;
        if (s >= pass.samples) continue;
        const uint32_t at = sample_place(pass, segment, s, size);
        bi_kdtree_point<DIM> p = keys.template read<DIM>(from, sh.segment.x + at);
        work.samples[segment * pass.samples + s] =
            make_float4(p.x[0], p.x[1], DIM > 2 ? p.x[2 % DIM] : 0, DIM > 3 ? p.x[3 % DIM] : 0);
#pragma unroll
        for (int c = 0; c < DIM; c++) extent.add(c, p.x[c]);
    }
    extent.join(sh.least, sh.greatest);
    __syncthreads();
    if (t < DIM) {
        atomicMax(&work.boxes[segment * 8 + t], sh.least[t]);
        atomicMax(&work.boxes[segment * 8 + 4 + t], sh.greatest[t]);
    }
}

/* A bin where a target lies, cut in FINE_BINS. */
struct fine_bins {
    float low, high, scale, width; /* bins a unit, units a bin */
    float rank;
    uint32_t before; /* samples of the node below it */
};

/* The nodes of a depth. Their samples are counted in BI_KDTREE_BINS bins over their extents; where the bin of a target
 * is holds too many, as in clusters, that bin is counted in FINE_BINS, and so on. */
struct level_shared {
    uint32_t bins[8 * BI_KDTREE_BINS];
    float low[8], scale[8], width[8]; /* of a node: least coordinate, bins a unit, units a bin */
    fine_bins fine[8 * TARGETS];
    uint32_t refined[2]; /* bit i * TARGETS + t: that target of node i is refined; in this round, and in the next */
    float pivots[BI_KDTREE_CELLS];
    uint32_t last;
};

/* The extent of node i of depth j in its axis: the sample's box, cut by the pivots above. */
template <int DIM>
__device__ __forceinline__ void node_extent(level_shared &sh, const bi_kdtree_pass &pass, const uint32_t *box, int j,
                                            int i, uint32_t axes)
{
    const int d = bi_kdtree_axis(axes, (pass.level + j) % DIM);
    float low = fmaxf(bi_f32_of_key(~box[d]), -FLT_MAX), high = fminf(bi_f32_of_key(box[4 + d]), FLT_MAX);
    for (int depth = 0; depth < j; depth++) {
        if (bi_kdtree_axis(axes, (pass.level + depth) % DIM) != d) continue;
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

/* The one of 32 * EACH bins that holds sample number `target`; *before is how many samples come before the bin, *count
 * how many are in it. By a warp; `own` samples are in the EACH bins of this lane, `start` before them. */
template <int EACH>
__device__ __forceinline__ int find_bin(const uint32_t *bins, uint32_t own, uint32_t start, uint32_t target,
                                        uint32_t *before, uint32_t *count)
{
    const int lane = threadIdx.x % 32;
    int owner = __ffs(__ballot_sync(~0u, start <= target && target < start + own)) - 1;
    owner = owner < 0 ? 31 : owner;
    uint32_t base = __shfl_sync(~0u, start, owner), c = lane < EACH ? bins[owner * EACH + lane] : 0;
    uint32_t sum = bi_warp_inclusive_sum(c);
    uint32_t first = base + sum - c;
    int bin = __ffs(__ballot_sync(~0u, first <= target && target < first + c)) - 1;
    bin = bin < 0 ? EACH - 1 : bin;
    *before = __shfl_sync(~0u, first, bin);
    *count = __shfl_sync(~0u, c, bin);
    return owner * EACH + bin;
}

/* Puts a target at a bin from `low` on; by one thread. If the bin holds too many, it is refined in the next round. */
__device__ __forceinline__ void put_target(level_shared &sh, const bi_kdtree_pass_memory &work, size_t node, int v,
                                           int target, int slot, float low, float width, float rank, uint32_t before,
                                           uint32_t count, uint32_t most)
{
    if (target == LOW_END) work.brackets[node].x = low - 0.01f * width;
    if (target == HIGH_END) work.brackets[node].y = low + 1.01f * width;
    if (target == PIVOT)
        work.pivots[node] = sh.pivots[v] = low + width * ((rank - (float)before) / (float)max(count, 1u));
    if (count <= most || !(width > 0)) return;
    fine_bins &fine = sh.fine[slot];
    fine.low = low - 0.01f * width;
    fine.high = low + 1.01f * width;
    fine.width = (fine.high - fine.low) / FINE_BINS;
    fine.scale = FINE_BINS / (fine.high - fine.low);
    fine.rank = rank;
    fine.before = 0;
    if (fine.scale < INFINITY) atomicOr(&sh.refined[1], 1u << slot);
}

/* Bracket and pivot of node i of depth j, from its bins; by a warp. */
__device__ __forceinline__ void place_bracket(level_shared &sh, const bi_kdtree_pass &pass,
                                              const bi_kdtree_pass_memory &work, uint32_t segment, uint32_t size, int j,
                                              int i)
{
    const int lane = threadIdx.x % 32, v = (1 << j) - 1 + i;
    const size_t node = (size_t)segment * BI_KDTREE_CELLS + v;
    const uint32_t *bins = sh.bins + i * BI_KDTREE_BINS;
    uint32_t own = 0;
    for (int b = 0; b < 32; b++) own += bins[lane * 32 + ((b + lane) & 31)];
    const uint32_t upto = bi_warp_inclusive_sum(own), total = __shfl_sync(~0u, upto, 31);
    const float left_out = fmaxf(0.0f, 1.0f - (float)pass.samples / (float)size), half = 0.5f * (float)total;
    const float reach = pass.deviations * 0.5f * sqrtf((float)total * left_out) + 2.0f;
    const uint32_t most = (uint32_t)(LARGEST_BIN * (float)total) + 4;
    if (lane == 0) {
        work.brackets[node] = make_float2(-INFINITY, INFINITY);
        work.pivots[node] = sh.pivots[v] = sh.low[i];
    }
    for (int target = 0; target < TARGETS; target++) {
        const float rank = target == PIVOT ? half : target == LOW_END ? half - reach : half + reach;
        if (total == 0 || rank < 0 || rank >= (float)total) continue;
        uint32_t before, count;
        const int bin = find_bin<32>(bins, own, upto - own, (uint32_t)rank, &before, &count);
        /* The sample's ends are not those of the points. */
        const bool outermost = (target == LOW_END && bin == 0) || (target == HIGH_END && bin == BI_KDTREE_BINS - 1);
        if (outermost && count <= most) continue;
        if (lane == 0)
            put_target(sh, work, node, v, target, i * TARGETS + target, sh.low[i] + sh.width[i] * (float)bin,
                       sh.width[i], rank, before, count, most);
    }
}

/* One target of depth j from its fine bins; by a warp. */
__device__ __forceinline__ void place_finely(level_shared &sh, const bi_kdtree_pass_memory &work, uint32_t segment,
                                             int j, int slot)
{
    constexpr int EACH = FINE_BINS / 32;
    const int lane = threadIdx.x % 32, v = (1 << j) - 1 + slot / TARGETS;
    const uint32_t *bins = sh.bins + slot * FINE_BINS;
    const fine_bins fine = sh.fine[slot];
    uint32_t own = 0, before, count;
    for (int b = 0; b < EACH; b++) own += bins[lane * EACH + b];
    const uint32_t start = fine.before + bi_warp_inclusive_sum(own) - own;
    const int bin = find_bin<EACH>(bins, own, start, (uint32_t)fine.rank, &before, &count);
    if (lane == 0)
        put_target(sh, work, (size_t)segment * BI_KDTREE_CELLS + v, v, slot % TARGETS, slot,
                   fine.low + fine.width * (float)bin, fine.width, fine.rank, before, count, 8);
}

/* Adds this block's bins to the segment's; the last block of a segment gets all of them. */
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

/* Counts a sample's coordinate in its node's bins, or in the fine ones of this round. */
__device__ __forceinline__ void count_sample(level_shared &sh, uint32_t node, float value, bool finely)
{
    if (!finely) {
        float bin = fminf(fmaxf((value - sh.low[node]) * sh.scale[node], 0.0f), (float)(BI_KDTREE_BINS - 1));
        atomicAdd(&sh.bins[node * BI_KDTREE_BINS + (int)bin], 1u);
        return;
    }
    for (uint32_t slot = node * TARGETS; slot < (node + 1) * TARGETS; slot++) {
        fine_bins &fine = sh.fine[slot];
        if (!(sh.refined[0] >> slot & 1) || value > fine.high) continue;
        if (value < fine.low)
            atomicAdd(&fine.before, 1u);
        else
            atomicAdd(&sh.bins[slot * FINE_BINS + (int)fminf((value - fine.low) * fine.scale, FINE_BINS - 1.0f)], 1u);
    }
}

/* Counts samples `first` to end - 1 of a segment in bins of the nodes of depth j; the nodes are set. All threads; ends
 * with a barrier. */
template <int DIM>
__device__ __forceinline__ void count_part(level_shared &sh, const bi_kdtree_pass &pass,
                                           const bi_kdtree_pass_memory &work, uint32_t segment, uint32_t first,
                                           uint32_t end, int j, uint32_t axes, bool finely)
{
    const int nodes = 1 << j;
    for (int b = threadIdx.x; b < nodes * BI_KDTREE_BINS; b += BI_KDTREE_SAMPLE_THREADS) sh.bins[b] = 0;
    __syncthreads();
    end = min(end, pass.samples);
#pragma unroll 4
    for (uint32_t s = first + threadIdx.x; s < end; s += BI_KDTREE_SAMPLE_THREADS) {
        float4 x = work.samples[segment * pass.samples + s];
        int v = 0, d = pass.level % DIM;
        for (int depth = 0; depth <= j; depth++) {
            const int c = bi_kdtree_axis(axes, d);
            float value = c == 0 ? x.x : c == 1 ? x.y : c == 2 ? x.z : x.w;
            if (depth < j) {
                v = 2 * v + 1 + (value > sh.pivots[v]);
                d = bi_kdtree_next_coordinate<DIM>(d);
                continue;
            }
            count_sample(sh, v - (nodes - 1), value, finely);
        }
    }
    __syncthreads();
}

/* The nodes of depth j from their bins. Returns whether targets are to be refined. All threads; ends with a barrier. */
__device__ __forceinline__ bool place(level_shared &sh, const bi_kdtree_pass &pass, const bi_kdtree_pass_memory &work,
                                      uint32_t segment, uint32_t size, int j, bool finely)
{
    const int warp = threadIdx.x / 32;
    if (threadIdx.x == 0) sh.refined[1] = 0;
    __syncthreads();
    if (!finely && warp < 1 << j) place_bracket(sh, pass, work, segment, size, j, warp);
    if (finely && warp < TARGETS << j && sh.refined[0] >> warp & 1) place_finely(sh, work, segment, j, warp);
    __syncthreads();
    if (threadIdx.x == 0) sh.refined[0] = sh.refined[1];
    __syncthreads();
    return sh.refined[0] != 0;
}

/* Depth j of every segment: counts the sample in bins over each node's extent, and places the brackets. */
template <int DIM, class KEYS>
static __global__ void __launch_bounds__(BI_KDTREE_SAMPLE_THREADS)
    bi_kdtree_sample_level(const bi_kdtree_pass pass, const KEYS keys, const bi_kdtree_pass_memory work, int j)
{
    BI_SHARED(struct level_shared, sh);
    const int t = threadIdx.x, nodes = 1 << j;
    const uint32_t segment = blockIdx.x / pass.sample_blocks, chunk = blockIdx.x % pass.sample_blocks;
    const uint32_t *box = work.boxes + segment * 8;
    const uint32_t axes = bi_kdtree_axes_of<DIM>(keys.exact_of(bi_kdtree_flat_of<DIM>(box, box + 4)));
    const uint2 range = work.segments[segment];
    if (t < nodes - 1) sh.pivots[t] = work.pivots[segment * BI_KDTREE_CELLS + t];
    __syncthreads();
    if (t < nodes) node_extent<DIM>(sh, pass, box, j, t, axes);
    count_part<DIM>(sh, pass, work, segment, chunk * pass.sample_chunk, (chunk + 1) * pass.sample_chunk, j, axes,
                    false);
    if (pass.sample_blocks > 1 && !merge_bins(sh, pass, work, segment, nodes * BI_KDTREE_BINS)) return;
    bool refined = place(sh, pass, work, segment, range.y - range.x, j, false);
    for (int k = 0; k < REFINEMENTS && refined; k++) {
        count_part<DIM>(sh, pass, work, segment, 0, pass.samples, j, axes, true);
        refined = place(sh, pass, work, segment, range.y - range.x, j, true);
    }
}

/* Coordinate d of x; d is the same for the whole block. */
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

/* Reads the samples of a thread, the last one again where there are no more, and finds the segment's box.
 * Ends with a barrier. */
template <int DIM, class KEYS>
__device__ __forceinline__ void take_samples(segment_shared &sh, const bi_kdtree_pass &pass, const KEYS &keys,
                                             const bi_kdtree_source &from, uint32_t segment,
                                             float (&x)[SEGMENT_ITEMS][DIM])
{
    bi_kdtree_extent<DIM> extent;
    extent.clear();
#pragma unroll
    for (int k = 0; k < SEGMENT_ITEMS; k++) {
        const uint32_t s = min(k * BI_KDTREE_SAMPLE_THREADS + threadIdx.x, pass.samples - 1);
        const uint32_t at = sample_place(pass, segment, s, sh.segment.y - sh.segment.x);
        const bi_kdtree_point<DIM> p = keys.template read<DIM>(from, sh.segment.x + at);
#pragma unroll
        for (int c = 0; c < DIM; c++) {
            x[k][c] = p.x[c];
            extent.add(c, p.x[c]);
        }
    }
    extent.join(sh.box, sh.box + 4);
    __syncthreads();
}

/* Counts a thread's samples, which are in nodes of one depth, in bins of these. All threads; ends with a barrier. */
template <int DIM>
__device__ __forceinline__ void count_items(level_shared &sh, const bi_kdtree_pass &pass,
                                            const float (&x)[SEGMENT_ITEMS][DIM], const uint32_t (&node)[SEGMENT_ITEMS],
                                            int nodes, int d, bool finely)
{
    for (int b = threadIdx.x; b < nodes * BI_KDTREE_BINS; b += BI_KDTREE_SAMPLE_THREADS) sh.bins[b] = 0;
    __syncthreads();
#pragma unroll
    for (int k = 0; k < SEGMENT_ITEMS; k++) {
        if (k * BI_KDTREE_SAMPLE_THREADS + threadIdx.x >= pass.samples) continue;
        count_sample(sh, node[k], coordinate<DIM>(x[k], d), finely);
    }
    __syncthreads();
}

/* All of it for samples that one block takes: they stay in registers from level to level. */
template <int DIM, class KEYS>
static __global__ void __launch_bounds__(BI_KDTREE_SAMPLE_THREADS)
    bi_kdtree_sample_segment(const bi_kdtree_pass pass, const KEYS keys, const bi_kdtree_source from,
                             const bi_kdtree_pass_memory work)
{
    BI_SHARED(struct segment_shared, sh);
    const uint32_t segment = blockIdx.x, t = threadIdx.x;
    if (t == 0) {
        struct bi_kdtree_range r = bi_kdtree_subtree(pass.n, pass.level, segment);
        work.segments[segment] = sh.segment = make_uint2((uint32_t)r.begin, (uint32_t)r.end);
    }
    if (t < 8) sh.box[t] = 0;
    if (t < BI_KDTREE_DESTINATIONS)
        work.destinations[segment * BI_KDTREE_DESTINATIONS + t] = destination(pass, segment, t);
    __syncthreads();
    float x[SEGMENT_ITEMS][DIM];
    take_samples<DIM>(sh, pass, keys, from, segment, x);
    const uint32_t size = sh.segment.y - sh.segment.x;
    if (t == 0) sh.axes = bi_kdtree_axes_of<DIM>(keys.exact_of(bi_kdtree_flat_of<DIM>(sh.box, sh.box + 4)));
    __syncthreads();
    if (t < 8) work.boxes[segment * 8 + t] = sh.box[t];
    uint32_t node[SEGMENT_ITEMS]; /* of its depth */
#pragma unroll
    for (int k = 0; k < SEGMENT_ITEMS; k++) node[k] = 0;
    for (int j = 0; j < pass.levels; j++) {
        const int nodes = 1 << j, d = bi_kdtree_axis(sh.axes, (pass.level + j) % DIM);
        if ((int)t < nodes) node_extent<DIM>(sh.level, pass, sh.box, j, (int)t, sh.axes);
        bool refined = true;
        for (int n = 0; n <= REFINEMENTS && refined; n++) {
            count_items<DIM>(sh.level, pass, x, node, nodes, d, n > 0);
            refined = place(sh.level, pass, work, segment, size, j, n > 0);
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
        BI_TRY(
            BI_RUN(ctx, level, pass.segments * pass.sample_blocks, BI_KDTREE_SAMPLE_THREADS, 0, pass, keys, work, j));
    return BOSC_OK;
}

#define INSTANCE(DIM, KEYS)                                      \
    template bosc_status bi_kdtree_run_sample_pivots<DIM, KEYS>( \
        bosc_ctx *, const bi_kdtree_pass &, const KEYS &, const bi_kdtree_source &, const bi_kdtree_pass_memory &);
BI_KDTREE_EACH_KIND(INSTANCE)
