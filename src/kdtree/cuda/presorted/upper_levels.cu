/* Trees from sorted lists of ranks: the upper levels, of all points at once.
 *
 * The position of a reference in its list, among the references of its segment, determines its side; no coordinate is
 * read. Lists need not be partitioned for that. A label per reference holds its segment. A level counts the labels of
 * its list by chunks, finds the position of each segment's median, and gives references behind it a new label. So a
 * level reads its own list only, and after several levels one stable sort by label partitions each list at once. The
 * cost is random access to labels, which stay in the L2 cache. List 0 is 0, 1, 2, ...: its levels access labels in
 * order. */
#include "core/call.h"
#include "core/cuda/cub.h"
#include "kdtree/cuda/cuda.cuh"
#include "kdtree/shape.h"

enum {
    THREADS = 256,
    EACH = 4,                 /* references that a thread reads at once */
    CHUNK_UNIT = 8 * THREADS, /* chunks are multiples of it: two rounds of EACH references a thread */
    CHUNKS_A_PROCESSOR = 8,   /* a block each, per multiprocessor: 8 * THREADS are the 2,048 threads that it holds */
    ROUND = 11,               /* levels between partitions of lists */
    COUNTERS = 8192,          /* several copies for each label, against contention; measured: 2,048 take as long */
};

static const uint32_t LABEL_DROPPED = UINT16_MAX; /* of medians of this round */

/* A level of a round: its 2^first parents are the segments at the beginning of the round, each in `chunks` chunks.
 * Positions in a list are those of nodes without the medians of earlier rounds. The upper bits of a label are the sides
 * taken since `first`; the bits of later levels are 0, so only references on the greater side receive a new label. */
struct level_args {
    int64_t n;
    int32_t first, level, bits;
    int64_t chunk;
    uint32_t chunks;
    const uint32_t *list;  /* NULL: 0, 1, 2, ... */
    uint16_t *labels;      /* by reference */
    uint16_t *list_labels; /* labels in the order of the list; = labels if list is NULL */
    uint32_t *counts;      /* by segment and chunk */
    uint32_t *medians;     /* positions in the list, by segment */
};

/* Returns the shift that turns a label into the segment within the parent; LABEL_DROPPED exceeds any segment. */
static __device__ __forceinline__ int level_shift(const level_args &a) { return a.bits - (a.level - a.first); }

struct chunk_range {
    uint32_t parent;
    int64_t begin, end;
};

static __device__ __forceinline__ struct chunk_range range_of_chunk(const level_args &a, uint32_t parent,
                                                                    uint32_t chunk)
{
    const struct bi_kdtree_range r = bi_kdtree_subtree(a.n, a.first, parent);
    const int64_t begin = r.begin - parent + chunk * a.chunk, end = r.end - parent;
    return {parent, begin < end ? begin : end, begin + a.chunk < end ? begin + a.chunk : end};
}

/* Counts the labels of a chunk, and copies them in the order of the list. The grid has a block for each chunk of each
 * parent. n < 2^32 - 1, so UINT32_MAX is no reference. IDENTITY: a.list is NULL, and nothing is copied. All counts are
 * written, so they need no zeros before. */
template <bool IDENTITY>
static __global__ void __launch_bounds__(THREADS) bi_kdtree_presorted_count_labels(const level_args a)
{
    /* 1. Zero the counters; the barrier makes them visible. Each label has `copies`, which lanes use in turn. */
    BI_SHARED_DYNAMIC(uint32_t, counters);
    const uint32_t segments = 1u << (a.level - a.first), copies = COUNTERS / segments < 32 ? COUNTERS / segments : 32;
    const uint32_t chunk = blockIdx.x % a.chunks;
    const int shift = level_shift(a);
    const struct chunk_range at = range_of_chunk(a, blockIdx.x / a.chunks, chunk);
    for (uint32_t c = threadIdx.x; c < segments * copies; c += THREADS) counters[c] = 0;
    __syncthreads();
    /* 2. Count. Loops over EACH references let their random reads overlap. */
    for (int64_t base = at.begin + threadIdx.x; base < at.end; base += EACH * THREADS) {
        uint32_t reference[EACH], label[EACH];
#pragma unroll
        for (int k = 0; k < EACH; k++) {
            const int64_t i = base + k * THREADS;
            reference[k] = i >= at.end ? UINT32_MAX : IDENTITY ? (uint32_t)i : a.list[i];
        }
#pragma unroll
        for (int k = 0; k < EACH; k++) label[k] = reference[k] == UINT32_MAX ? LABEL_DROPPED : a.labels[reference[k]];
#pragma unroll
        for (int k = 0; k < EACH; k++) {
            if (!IDENTITY && reference[k] != UINT32_MAX) a.list_labels[base + k * THREADS] = (uint16_t)label[k];
            if (label[k] != LABEL_DROPPED)
                atomicAdd(&counters[(label[k] >> shift) * copies + threadIdx.x % copies], 1u);
        }
    }
    /* 3. Sum the copies, after a barrier that completes them; the rotation avoids bank conflicts. */
    __syncthreads();
    for (uint32_t s = threadIdx.x; s < segments; s += THREADS) {
        uint32_t sum = 0;
        for (uint32_t c = 0; c < copies; c++) sum += counters[s * copies + (c + s) % copies];
        a.counts[((size_t)at.parent * segments + s) * a.chunks + chunk] = sum;
    }
}

struct find_shared {
    uint32_t warp[THREADS / 32];
    uint32_t chunk, exclusive_prefix;
};

/* Returns the sum of `own` over earlier threads. The barriers end the reads of the sums before, and publish the new
 * ones. */
static __device__ __forceinline__ uint32_t sum_earlier_threads(struct find_shared *sh, uint32_t own)
{
    const uint32_t lane = threadIdx.x % 32, w = threadIdx.x / 32;
    uint32_t sum = bi_warp_inclusive_sum(own);
    __syncthreads();
    if (lane == 31) sh->warp[w] = sum;
    __syncthreads();
    for (uint32_t o = 0; o < w; o++) sum += sh->warp[o];
    return sum - own;
}

/* Finds the median of a segment in the level's list; a block a segment. Writes its position to a.medians, and its
 * reference to `order`. a.chunk is a multiple of THREADS. No segment is empty. Labels stay; split_labels drops the
 * median. a.list is NULL only in the first round, where positions are references. */
static __global__ void __launch_bounds__(THREADS) bi_kdtree_presorted_find_medians(const level_args a, uint32_t *order)
{
    BI_SHARED(struct find_shared, sh);
    const uint32_t segment = blockIdx.x, label = segment & ((1u << (a.level - a.first)) - 1);
    const int shift = level_shift(a);
    const uint32_t *counts = a.counts + (size_t)segment * a.chunks;
    const struct bi_kdtree_range r = bi_kdtree_subtree(a.n, a.level, segment);
    const uint32_t half = (uint32_t)(bi_kdtree_mid(r) - r.begin);
    const uint32_t each = (a.chunks + THREADS - 1) / THREADS, first = threadIdx.x * each;
    const uint32_t end = first + each < a.chunks ? first + each : a.chunks;
    /* 1. Find its chunk, by a scan over the counts of chunks; the barrier publishes it. */
    uint32_t own = 0;
    for (uint32_t c = first; c < end; c++) own += counts[c];
    uint32_t exclusive_prefix = sum_earlier_threads(&sh, own);
    if (exclusive_prefix <= half && half - exclusive_prefix < own) {
        uint32_t c = first;
        for (; half - exclusive_prefix >= counts[c]; c++) exclusive_prefix += counts[c];
        sh.chunk = c;
        sh.exclusive_prefix = exclusive_prefix;
    }
    __syncthreads();
    const struct chunk_range at = range_of_chunk(a, segment >> (a.level - a.first), sh.chunk);
    const uint32_t remainder = half - sh.exclusive_prefix; /* rank of the median in its chunk */
    /* 2. Find its position, by a scan over the chunk, a contiguous share a thread. */
    const int64_t share = a.chunk / THREADS, from = at.begin + threadIdx.x * share,
                  to = from + share < at.end ? from + share : at.end;
    own = 0;
    for (int64_t i = from; i < to; i++) own += (uint32_t)a.list_labels[i] >> shift == label;
    exclusive_prefix = sum_earlier_threads(&sh, own);
    if (exclusive_prefix <= remainder && remainder - exclusive_prefix < own) {
        int64_t i = from;
        for (uint32_t left = remainder - exclusive_prefix;; i++)
            if ((uint32_t)a.list_labels[i] >> shift == label && left-- == 0) break;
        a.medians[segment] = (uint32_t)i;
        order[bi_kdtree_mid(r)] = a.list ? a.list[i] : (uint32_t)i;
    }
}

/* Writes the labels of the next level for the references of a chunk. */
template <bool IDENTITY>
static __global__ void __launch_bounds__(THREADS) bi_kdtree_presorted_split_labels(const level_args a)
{
    /* 1. Load the medians of the parent's segments; the barrier makes them visible. */
    BI_SHARED_DYNAMIC(uint32_t, medians);
    const uint32_t segments = 1u << (a.level - a.first);
    const int shift = level_shift(a);
    const struct chunk_range at = range_of_chunk(a, blockIdx.x / a.chunks, blockIdx.x % a.chunks);
    for (uint32_t s = threadIdx.x; s < segments; s += THREADS) medians[s] = a.medians[(size_t)at.parent * segments + s];
    __syncthreads();
    /* 2. Relabel the references behind them; medians are dropped. */
    for (int64_t base = at.begin + threadIdx.x; base < at.end; base += EACH * THREADS) {
        uint32_t label[EACH];
#pragma unroll
        for (int k = 0; k < EACH; k++) {
            const int64_t i = base + k * THREADS;
            label[k] = i < at.end ? a.list_labels[i] : LABEL_DROPPED;
        }
#pragma unroll
        for (int k = 0; k < EACH; k++) {
            if (label[k] == LABEL_DROPPED) continue;
            const uint32_t i = (uint32_t)(base + k * THREADS), median = medians[label[k] >> shift];
            if (i < median) continue;
            a.labels[IDENTITY ? i : a.list[i]] = (uint16_t)(i == median ? LABEL_DROPPED : label[k] | 1u << (shift - 1));
        }
    }
}

/* Writes the sort keys of a list: the segments of its references after the round; 2^level for medians. */
static __global__ void __launch_bounds__(THREADS) bi_kdtree_presorted_segment_keys(const level_args a, uint32_t *keys)
{
    const struct chunk_range at = range_of_chunk(a, blockIdx.x / a.chunks, blockIdx.x % a.chunks);
    for (int64_t i = at.begin + threadIdx.x; i < at.end; i += THREADS) {
        const uint32_t label = a.labels[a.list[i]];
        keys[i] = label == LABEL_DROPPED ? 1u << a.level : at.parent << a.bits | label;
    }
}

static bosc_status split_level(bosc_ctx *ctx, const level_args &a, uint32_t *order)
{
    const uint32_t blocks = a.chunks << a.first;
    const size_t segments = (size_t)1 << (a.level - a.first);
    auto count = a.list ? bi_kdtree_presorted_count_labels<false> : bi_kdtree_presorted_count_labels<true>;
    auto split = a.list ? bi_kdtree_presorted_split_labels<false> : bi_kdtree_presorted_split_labels<true>;
    BI_TRY(BI_RUN(ctx, count, blocks, THREADS, COUNTERS * sizeof(uint32_t), a));
    BI_TRY(BI_RUN(ctx, bi_kdtree_presorted_find_medians, 1u << a.level, THREADS, 0, a, order));
    return BI_RUN(ctx, split, blocks, THREADS, segments * sizeof(uint32_t), a);
}

/* Scratch for the keys of a sort by segment. */
struct sort_keys {
    uint32_t *in, *out;
};

/* Partitions the lists that later levels need by the labels of the round, which ends before a.level. */
static bosc_status partition_lists(bosc_ctx *ctx, level_args a, const struct sort_keys &keys, int32_t dim,
                                   struct bi_kdtree_lists *lists)
{
    const int depth = bi_kdtree_depth(a.n);
    const int64_t count = a.n + 1 - ((int64_t)1 << a.first); /* references without the medians of earlier rounds */
    for (int32_t p = 0; p < lists->used; p++) {
        if (bi_kdtree_next_use(p, a.level - 1, dim) >= depth) continue; /* no later level reads the list */
        uint32_t *list = lists->in[p];
        a.list = list;
        BI_TRY(BI_RUN(ctx, bi_kdtree_presorted_segment_keys, a.chunks << a.first, THREADS, 0, a, keys.in));
        BI_TRY(bi_cub_sort_pairs(ctx, BOSC_U32, keys.in, sizeof *list, list, count, keys.out, lists->out[p], 0,
                                 a.level + 1));
        lists->in[p] = lists->out[p];
        lists->out[p] = list;
    }
    return BOSC_OK;
}

/* Makes the levels above `last`, in rounds. */
static bosc_status make_upper_levels(bosc_ctx *ctx, level_args a, const struct sort_keys &keys, int32_t dim, int last,
                                     struct bi_kdtree_lists *lists, uint32_t *order)
{
    uint16_t *list_labels = a.list_labels;
    for (a.first = 0; a.first < last; a.first = a.level) {
        /* 1. Choose the chunks of each parent. */
        const int64_t most = bi_div_up(a.n + 1, (int64_t)1 << a.first);
        const uint32_t chunks_per_parent = (uint32_t)(ctx->multiprocessors * CHUNKS_A_PROCESSOR) >> a.first;
        a.chunk =
            (int64_t)bi_round_up((uint64_t)bi_div_up(most, chunks_per_parent ? chunks_per_parent : 1), CHUNK_UNIT);
        a.chunks = (uint32_t)bi_div_up(most, a.chunk);
        /* 2. Split the levels of the round by labels, then partition the lists. */
        BI_TRY(ctx->backend->fill(ctx, a.labels, 0, (size_t)a.n * sizeof *a.labels));
        const int end = a.first + ROUND < last ? a.first + ROUND : last;
        a.bits = end - a.first;
        for (a.level = a.first; a.level < end; a.level++) {
            const int32_t p = a.level % dim;
            const bool identity = p == 0 && a.first == 0;
            a.list = identity ? nullptr : lists->in[p];
            a.list_labels = identity ? a.labels : list_labels;
            BI_TRY(split_level(ctx, a, order));
        }
        BI_TRY(partition_lists(ctx, a, keys, dim, lists));
    }
    return BOSC_OK;
}

/* order: gets the references of all nodes, in order. lists->in[p]: all references, sorted from coordinate p on;
 * overwritten, as lists->out is. The caller releases the scratch. */
static bosc_status make_tree(bosc_ctx *ctx, int32_t dim, struct bi_kdtree_lists *lists, uint32_t *order)
{
    const int64_t n = lists->n;
    const int log_points = bi_kdtree_presorted_log(ctx, n, dim), depth = bi_kdtree_depth(n);
    /* 1. Number of levels above the subtrees of blocks, which have up to 2^log_points points. */
    int last = 0;
    while (bi_div_up(n + 1, (int64_t)1 << last) - 1 > (int64_t)1 << log_points) last++;
    /* 2. Make them. */
    level_args a = {};
    struct sort_keys keys = {};
    a.n = n;
    BI_TRY(bi_scratch_of(ctx, n, sizeof(uint16_t), &a.labels));
    if (last > 0) {
        const size_t chunks = (size_t)ctx->multiprocessors * CHUNKS_A_PROCESSOR + ((size_t)1 << last);
        BI_TRY(bi_scratch_of(ctx, n, sizeof(uint16_t), &a.list_labels));
        BI_TRY(bi_scratch_of(ctx, n, sizeof(uint32_t), &keys.in));
        BI_TRY(bi_scratch_of(ctx, n, sizeof(uint32_t), &keys.out));
        BI_TRY(bi_scratch(ctx, (chunks << (last < ROUND ? last : ROUND)) * sizeof(uint32_t), (void **)&a.counts));
        BI_TRY(bi_scratch(ctx, sizeof(uint32_t) << last, (void **)&a.medians));
        BI_TRY(make_upper_levels(ctx, a, keys, dim, last, lists, order));
    }
    /* 3. Make the subtrees; the labels' memory serves as scratch: a 16-bit number in the subtree of each reference. */
    struct bi_kdtree_presorted remainder = {};
    remainder.n = n;
    remainder.level = last;
    remainder.dim = dim;
    remainder.count = depth - last - 1 < dim ? depth - last - 1 : dim;
    if (remainder.count < 1) remainder.count = 1;
    for (int32_t s = 0; s < remainder.count; s++) remainder.list[s] = lists->in[(last + s) % dim];
    return bi_kdtree_run_presorted_subtrees(ctx, remainder, log_points, a.labels, order);
}

bosc_status bi_kdtree_cuda_partition_by_rank(bosc_ctx *ctx, const bosc_kdtree *tree, struct bi_kdtree_lists *lists,
                                             uint32_t *order)
{
    BI_RETURN_WITH_SCRATCH(ctx, make_tree(ctx, tree->opts.dim, lists, order));
}
