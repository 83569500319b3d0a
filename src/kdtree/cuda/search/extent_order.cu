/* Orders points by widest extent. Numbers of rows are moved, not the rows. Segments of more than 4,096 points are
 * halved level by level: extents, a histogram of the widest coordinate, the median's bin, a scatter to both halves.
 * Points of the median's bin go to either half in the order of their arrival, so that halves have exact sizes. A block
 * orders each segment of 4,096 points in shared memory: it sorts the segment, then its halves, and so on, each by bins
 * of its own widest coordinate. */
#include <cfloat>

#include "core/cuda/warp.cuh"
#include "kdtree/cuda/search/extent_order.cuh"

enum {
    BINS = 2048,
    CHUNK_LOG = 12,
    CHUNK = 1 << CHUNK_LOG, /* points of a block; no chunk has points of two segments */
    THREADS = 512,
    WARPS = THREADS / 32,
    EACH = CHUNK / THREADS, /* points of a thread */
    AXES = BI_KDTREE_ORDER_MOST_DIM,
    RUN_LOG = 5,
    BLOCK_SEGMENTS = CHUNK >> (RUN_LOG + 1) /* most segments that a block orders at once */
};

static_assert(1 << RUN_LOG == BI_KDTREE_RUN, "logarithm");

/* A segment that is halved. Its less half has all points before `bin`, and `need` of the points in it. */
struct segment {
    float low, scale; /* of the widest coordinate: bin_of */
    uint32_t axis, bin, need;
    uint32_t less, greater, ties; /* slots of each half that chunks have reserved; points of `bin` seen */
};

/* The arrays of a level; its segments are aligned to 2^log points. Extents: 2 dim ordered keys a segment, those of the
 * least coordinates (as complements), then of the greatest. */
template <class T> struct order_args {
    const T *rows;
    int32_t dim, pitch; /* pitch: elements from a row to the next */
    uint32_t n;
    int log;
    const uint32_t *from; /* NULL: the numbers 0, 1, 2, ... */
    uint32_t *to;
    uint32_t *extents, *bins;
    segment *segments;
};

/* --- Coordinates -------------------------------------------------------------------------------------------------- */

/* Returns coordinate c of a row as a finite float. It ascends as the coordinate does. Coordinates of other types than
 * float are relative to row 0, so that differences far from 0 remain. */
template <class T> __device__ __forceinline__ float coordinate(const order_args<T> &a, uint32_t row, uint32_t c)
{
    const float d = (float)((double)a.rows[(size_t)row * (uint32_t)a.pitch + c] - (double)a.rows[c]);
    return d != d ? 0 : fminf(fmaxf(d, -FLT_MAX), FLT_MAX);
}
template <> __device__ __forceinline__ float coordinate(const order_args<float> &a, uint32_t row, uint32_t c)
{
    return fminf(fmaxf(a.rows[(size_t)row * (uint32_t)a.pitch + c], -FLT_MAX), FLT_MAX);
}

/* The coordinate of a segment with the greatest extent, and its bins 0 to `most`: bin_of ascends as the coordinate
 * does. */
struct widest {
    uint32_t axis;
    float low, scale; /* of halves of coordinates, whose differences do not overflow */

    __device__ __forceinline__ void find(const uint32_t *extents, int dim, uint32_t most)
    {
        float extent = -1;
        axis = 0;
        low = 0;
        for (int c = 0; c < dim; c++) {
            const float least = 0.5f * bi_f32_of_key(~extents[c]), own = 0.5f * bi_f32_of_key(extents[dim + c]) - least;
            if (own > extent) {
                extent = own;
                axis = (uint32_t)c;
                low = least;
            }
        }
        scale = extent > 1e-30f ? (float)most / extent : 0; /* tiny extents would overflow it */
    }
};

static __device__ __forceinline__ uint32_t bin_of(float x, float low, float scale, uint32_t most)
{
    return min((uint32_t)((0.5f * x - low) * scale), most);
}

/* Returns the segment of a point. */
static __device__ __forceinline__ uint32_t segment_of(uint32_t at, int log) { return (uint32_t)((uint64_t)at >> log); }

/* --- Upper levels ------------------------------------------------------------------------------------------------- */

/* Returns the row number at a position of the order so far. */
template <class T> __device__ __forceinline__ uint32_t number_at(const order_args<T> &a, uint32_t at)
{
    return a.from ? a.from[at] : at;
}

struct extents_shared {
    uint32_t keys[2 * AXES];
};

/* Finds the extents of each segment, a block a chunk. */
template <class T> static __global__ void __launch_bounds__(THREADS) measure_segments(const order_args<T> a)
{
    BI_SHARED(extents_shared, sh);
    const uint32_t t = threadIdx.x, begin = blockIdx.x * CHUNK;
    uint32_t *extents = a.extents + (size_t)segment_of(begin, a.log) * 2 * (uint32_t)a.dim, number[EACH];
    /* 1. Load the numbers. */
    if (t < 2 * AXES) sh.keys[t] = 0;
#pragma unroll
    for (int i = 0; i < EACH; i++) {
        const uint32_t at = begin + t + THREADS * i;
        number[i] = at < a.n ? number_at(a, at) : UINT32_MAX;
    }
    __syncthreads(); /* the zeroed keys are visible */
    /* 2. Reduce each coordinate. */
    for (int c = 0; c < a.dim; c++) {
        uint32_t least = 0, greatest = 0;
#pragma unroll
        for (int i = 0; i < EACH; i++) {
            if (number[i] == UINT32_MAX) continue;
            const uint32_t key = bi_key_u32_of_f32(coordinate(a, number[i], (uint32_t)c));
            least = max(least, ~key);
            greatest = max(greatest, key);
        }
        least = bi_warp_max(least);
        greatest = bi_warp_max(greatest);
        if (t % 32 == 0) {
            atomicMax(&sh.keys[c], least);
            atomicMax(&sh.keys[a.dim + c], greatest);
        }
    }
    __syncthreads(); /* all warps have added theirs */
    if (t < 2 * (uint32_t)a.dim && sh.keys[t]) atomicMax(&extents[t], sh.keys[t]);
}

struct count_shared {
    uint32_t bins[BINS];
    widest w;
};

/* Counts the points of each segment by bins of its widest coordinate, a block a chunk. */
template <class T> static __global__ void __launch_bounds__(THREADS) count_bins(const order_args<T> a)
{
    BI_SHARED(count_shared, sh);
    const uint32_t t = threadIdx.x, begin = blockIdx.x * CHUNK, s = segment_of(begin, a.log);
    uint32_t *bins = a.bins + (size_t)s * BINS;
    for (uint32_t i = t; i < BINS; i += THREADS) sh.bins[i] = 0;
    if (t == 0) sh.w.find(a.extents + (size_t)s * 2 * (uint32_t)a.dim, a.dim, BINS - 1);
    __syncthreads(); /* the zeroed bins and sh.w are visible */
    const widest w = sh.w;
#pragma unroll
    for (int i = 0; i < EACH; i++) {
        const uint32_t at = begin + t + THREADS * i;
        if (at < a.n)
            atomicAdd(&sh.bins[bin_of(coordinate(a, number_at(a, at), w.axis), w.low, w.scale, BINS - 1)], 1u);
    }
    __syncthreads(); /* all points are counted */
    for (uint32_t i = t; i < BINS; i += THREADS)
        if (sh.bins[i]) atomicAdd(&bins[i], sh.bins[i]);
}

struct sums_shared {
    uint32_t warps[WARPS];
};

/* Finds the bin of each segment's median, a block a segment. A segment of at most half the size has a less half
 * alone. */
template <class T> static __global__ void __launch_bounds__(THREADS) find_medians(const order_args<T> a)
{
    enum { OWN = BINS / THREADS };
    BI_SHARED(sums_shared, sh);
    const uint32_t t = threadIdx.x, s = blockIdx.x, half = 1u << (a.log - 1);
    const uint32_t *bins = a.bins + (size_t)s * BINS + OWN * t;
    /* 1. Count the points before the thread's bins. */
    uint32_t count[OWN], own = 0, all;
    for (int i = 0; i < OWN; i++) own += count[i] = bins[i];
    uint32_t before = bi_block_exclusive_sum<WARPS>(own, sh.warps, &all);
    /* 2. The thread that has the median's bin writes it. */
    segment found = {};
    widest w;
    w.find(a.extents + (size_t)s * 2 * (uint32_t)a.dim, a.dim, BINS - 1);
    found.axis = w.axis;
    found.low = w.low;
    found.scale = w.scale;
    if (all <= half) {
        found.bin = BINS;
        if (t == 0) a.segments[s] = found;
        return;
    }
    for (int i = 0; i < OWN; i++) {
        if (before < half && before + count[i] >= half) {
            found.bin = OWN * t + (uint32_t)i;
            found.need = half - before;
            a.segments[s] = found;
        }
        before += count[i];
    }
}

struct scatter_shared {
    uint32_t warps[WARPS], less, greater, ties; /* ties: those of the chunk that go to the less half */
};

/* Replaces the counts of the warps by the sums before them, and returns the sum of all. One thread calls it. */
static __device__ __forceinline__ uint32_t sum_warps(uint32_t *warps)
{
    uint32_t sum = 0;
    for (int w = 0; w < WARPS; w++) {
        const uint32_t own = warps[w];
        warps[w] = sum;
        sum += own;
    }
    return sum;
}

/* Moves the numbers of each segment to its halves, a block a chunk. */
template <class T> static __global__ void __launch_bounds__(THREADS) scatter_halves(const order_args<T> a)
{
    BI_SHARED(scatter_shared, sh);
    const uint32_t t = threadIdx.x, warp = t / 32, below = bi_lanes_below(), chunk = blockIdx.x * CHUNK,
                   s = segment_of(chunk, a.log), begin = chunk + warp * (32 * EACH) + t % 32,
                   valid = min(a.n - chunk, (uint32_t)CHUNK);
    segment *const out = a.segments + s;
    const segment split = {out->low, out->scale, out->axis, out->bin, out->need, 0, 0, 0};
    uint32_t number[EACH] = {}, less = 0, tied = 0, live = 0, count = 0;
    /* 1. Classify the points: below the median's bin, or in it. */
#pragma unroll
    for (int i = 0; i < EACH; i++) {
        const uint32_t at = begin + 32 * i;
        uint32_t bin = BINS + 1;
        if (at < a.n) {
            live |= 1u << i;
            number[i] = number_at(a, at);
            bin = bin_of(coordinate(a, number[i], split.axis), split.low, split.scale, BINS - 1);
        }
        less |= (uint32_t)(bin < split.bin) << i;
        tied |= (uint32_t)(bin == split.bin) << i;
        count += (uint32_t)__popc(__ballot_sync(~0u, bin == split.bin));
    }
    /* 2. The first points of the median's bin to arrive go to the less half, as many as it needs. */
    if (t % 32 == 0) sh.warps[warp] = count;
    __syncthreads(); /* the counts of all warps are visible */
    if (t == 0) {
        const uint32_t sum = sum_warps(sh.warps);
        const uint32_t before = sum ? atomicAdd(&out->ties, sum) : 0;
        sh.ties = before < split.need ? min(split.need - before, sum) : 0;
    }
    __syncthreads(); /* the sums of thread 0 are visible */
    uint32_t rank = sh.warps[warp], lesser[EACH];
    count = 0;
#pragma unroll
    for (int i = 0; i < EACH; i++) {
        const bool tie = tied >> i & 1;
        const uint32_t ties = __ballot_sync(~0u, tie);
        if (tie && rank + (uint32_t)__popc(ties & below) < sh.ties) less |= 1u << i;
        rank += (uint32_t)__popc(ties);
        lesser[i] = __ballot_sync(~0u, less >> i & 1);
        count += (uint32_t)__popc(lesser[i]);
    }
    /* 3. Reserve slots in both halves. */
    __syncthreads(); /* all warps have read their sums */
    if (t % 32 == 0) sh.warps[warp] = count;
    __syncthreads(); /* the counts of all warps are visible */
    if (t == 0) {
        const uint32_t sum = sum_warps(sh.warps);
        sh.less = atomicAdd(&out->less, sum);
        sh.greater = atomicAdd(&out->greater, valid - sum);
    }
    __syncthreads(); /* the sums and slots of thread 0 are visible */
    /* 4. Write the numbers. All points before the warp's are valid if the warp has any. */
    uint32_t to_less = sh.less + sh.warps[warp], to_greater = sh.greater + warp * (32 * EACH) - sh.warps[warp];
    uint32_t *const half = a.to + ((size_t)s << a.log), *const other = half + ((size_t)1 << (a.log - 1));
#pragma unroll
    for (int i = 0; i < EACH; i++) {
        const uint32_t greater = __ballot_sync(~0u, live >> i & 1) & ~lesser[i];
        if (less >> i & 1)
            half[to_less + (uint32_t)__popc(lesser[i] & below)] = number[i];
        else if (live >> i & 1)
            other[to_greater + (uint32_t)__popc(greater & below)] = number[i];
        to_less += (uint32_t)__popc(lesser[i]);
        to_greater += (uint32_t)__popc(greater);
    }
}

/* --- Blocks ------------------------------------------------------------------------------------------------------- */

struct block_shared {
    uint32_t numbers[CHUNK], bins[CHUNK]; /* bins: points of each bin, then the position of its first one */
    uint32_t extents[BLOCK_SEGMENTS * 2 * AXES];
    widest w[BLOCK_SEGMENTS];
    uint32_t warps[WARPS];
};

static_assert(sizeof(block_shared) <= 48 * 1024, "static shared memory");

/* Orders the points of each segment of 2^log points by as many bins of its widest coordinate. All segments but the last
 * are full, so sums over all bins are positions. number[i]: the point at position threadIdx.x + THREADS i. */
template <class T>
static __device__ __forceinline__ void order_segments(const order_args<T> &a, block_shared &sh, uint32_t valid, int log,
                                                      uint32_t *number)
{
    const uint32_t t = threadIdx.x, size = 1u << log, keys = 2 * (uint32_t)a.dim, segments = CHUNK >> log;
    /* 1. Find the widest coordinate of each segment. */
    for (uint32_t j = t; j < segments * keys; j += THREADS) sh.extents[j] = 0;
    for (int i = 0; i < EACH; i++) sh.bins[t + THREADS * i] = 0;
    __syncthreads();
#pragma unroll
    for (int i = 0; i < EACH; i++) {
        const uint32_t at = t + THREADS * i;
        uint32_t *extents = sh.extents + (at >> log) * keys;
        for (int c = 0; c < a.dim; c++) {
            uint32_t key = 0, complement = 0;
            if (at < valid) {
                key = bi_key_u32_of_f32(coordinate(a, number[i], (uint32_t)c));
                complement = ~key;
            }
            complement = bi_warp_max(complement);
            key = bi_warp_max(key);
            if (t % 32 == 0) {
                atomicMax(&extents[c], complement);
                atomicMax(&extents[a.dim + c], key);
            }
        }
    }
    __syncthreads(); /* the extents are complete */
    if (t < segments) sh.w[t].find(sh.extents + t * keys, a.dim, size - 1);
    __syncthreads(); /* sh.w is visible */
    /* 2. Count the points of each bin. */
    uint32_t bin[EACH] = {}, rank[EACH] = {};
#pragma unroll
    for (int i = 0; i < EACH; i++) {
        const uint32_t at = t + THREADS * i, s = at >> log;
        if (at >= valid) continue;
        const widest w = sh.w[s];
        bin[i] = (s << log) + bin_of(coordinate(a, number[i], w.axis), w.low, w.scale, size - 1);
        rank[i] = atomicAdd(&sh.bins[bin[i]], 1u);
    }
    __syncthreads(); /* all points are counted */
    /* 3. Sum the counts. */
    uint32_t count[EACH], own = 0, all;
    for (int i = 0; i < EACH; i++) own += count[i] = sh.bins[EACH * t + i];
    uint32_t before = bi_block_exclusive_sum<WARPS>(own, sh.warps, &all);
    for (int i = 0; i < EACH; i++) {
        sh.bins[EACH * t + i] = before;
        before += count[i];
    }
    __syncthreads(); /* all sums are visible */
    /* 4. Move the numbers. */
#pragma unroll
    for (int i = 0; i < EACH; i++)
        if (t + THREADS * i < valid) sh.numbers[sh.bins[bin[i]] + rank[i]] = number[i];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < EACH; i++)
        if (t + THREADS * i < valid) number[i] = sh.numbers[t + THREADS * i];
}

/* Orders the points of each chunk, a block a chunk, from a.from (or the numbers 0, 1, 2, ...) to a.to, which may be
 * equal. */
template <class T> static __global__ void __launch_bounds__(THREADS) order_blocks(const order_args<T> a)
{
    BI_SHARED(block_shared, sh);
    const uint32_t begin = blockIdx.x * CHUNK, valid = min(a.n - begin, (uint32_t)CHUNK), t = threadIdx.x;
    uint32_t number[EACH] = {};
    for (int i = 0; i < EACH; i++)
        if (t + THREADS * i < valid) number[i] = number_at(a, begin + t + THREADS * i);
    for (int log = CHUNK_LOG; log > RUN_LOG; log--) order_segments(a, sh, valid, log, number);
    for (int i = 0; i < EACH; i++)
        if (t + THREADS * i < valid) a.to[begin + t + THREADS * i] = number[i];
}

/* --- Launches ----------------------------------------------------------------------------------------------------- */

/* The scratch: the other list of numbers, and arrays for the segments of the last level that is halved here, which has
 * most. */
struct scratch_layout {
    size_t segments, extents, bins, bytes; /* offsets of the arrays, and the end; numbers come first */
};

/* Returns the logarithm of the size of the root segment. */
static int root_log(int64_t n)
{
    int log = CHUNK_LOG;
    while ((int64_t)1 << log < n) log++;
    return log;
}

static scratch_layout layout_of(int64_t n, int32_t dim)
{
    scratch_layout p = {};
    if (n <= CHUNK) return p;
    const size_t count = (size_t)bi_div_up(n, 2 * CHUNK); /* segments */
    p.segments = bi_round_up((uint64_t)n * 4, 16);
    p.extents = p.segments + bi_round_up(count * sizeof(segment), 16);
    p.bins = p.extents + bi_round_up(count * 2 * (size_t)dim * 4, 16);
    p.bytes = p.bins + count * BINS * 4;
    return p;
}

size_t bi_kdtree_extent_order_bytes(int64_t n, int32_t dim) { return layout_of(n, dim).bytes; }

/* Halves the segments of a level. Extents and bins are zeroed first. */
template <class T>
static bosc_status halve_segments(bosc_ctx *ctx, const order_args<T> &a, const scratch_layout &layout)
{
    auto measure = measure_segments<T>;
    auto count = count_bins<T>;
    auto find = find_medians<T>;
    auto scatter = scatter_halves<T>;
    const unsigned chunks = (unsigned)bi_div_up(a.n, CHUNK), segments = (unsigned)bi_div_up(a.n, (int64_t)1 << a.log);
    BI_TRY(ctx->backend->fill(ctx, a.extents, 0, layout.bytes - layout.extents));
    BI_TRY(BI_RUN(ctx, measure, chunks, THREADS, 0, a));
    BI_TRY(BI_RUN(ctx, count, chunks, THREADS, 0, a));
    BI_TRY(BI_RUN(ctx, find, segments, THREADS, 0, a));
    return BI_RUN(ctx, scatter, chunks, THREADS, 0, a);
}

template <class T>
static bosc_status order_typed(bosc_ctx *ctx, const bi_kdtree_order_points *points, uint32_t *order, void *scratch)
{
    const scratch_layout layout = layout_of(points->n, points->dim);
    char *base = static_cast<char *>(scratch);
    auto blocks = order_blocks<T>;
    order_args<T> a = {};
    a.rows = static_cast<const T *>(points->rows);
    a.dim = points->dim;
    a.pitch = points->pitch;
    a.n = points->n;
    a.log = root_log(points->n);
    uint32_t *other = reinterpret_cast<uint32_t *>(base);
    a.to = other;
    a.segments = reinterpret_cast<segment *>(base + layout.segments);
    a.extents = reinterpret_cast<uint32_t *>(base + layout.extents);
    a.bins = reinterpret_cast<uint32_t *>(base + layout.bins);
    for (; a.log > CHUNK_LOG; a.log--) {
        BI_TRY(halve_segments(ctx, a, layout));
        a.from = a.to;
        a.to = a.to == order ? other : order;
    }
    a.to = order;
    return BI_RUN(ctx, blocks, (unsigned)bi_div_up(a.n, CHUNK), THREADS, 0, a);
}

bosc_status bi_kdtree_order_by_extent(bosc_ctx *ctx, const struct bi_kdtree_order_points *points, uint32_t *order,
                                      void *scratch)
{
    switch (points->dtype) {
    case BOSC_F32: return order_typed<float>(ctx, points, order, scratch);
    case BOSC_F64: return order_typed<double>(ctx, points, order, scratch);
    case BOSC_I32: return order_typed<int32_t>(ctx, points, order, scratch);
    default: return order_typed<int64_t>(ctx, points, order, scratch);
    }
}
