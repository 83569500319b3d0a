/* Trees from presorted lists of ranks: the upper levels, of all points at once.
 *
 * Where a reference stands in its list, among those of its segment, tells its side, and no coordinate is read. Lists
 * need not be in pieces to see that: a label by reference tells the segment, and a level counts the labels of its list
 * by chunks, finds where in the list the median of each segment stands, and gives what stands before it one label and
 * what stands after it another. So a level touches its own list alone, and after several levels one stable sort by
 * label partitions each list at once. Labels of references in random places are the cost; they stay in the L2 cache.
 * List 0 is 0, 1, 2, ..., and its levels read and write labels in order. */
#include "core/call.h"
#include "core/cuda/cub.h"
#include "kdtree/cuda/presorted/presorted.cuh"
#include "kdtree/drivers.h"

enum {
    THREADS = 256,
    EACH = 4,                 /* references of a thread at once */
    CHUNK_UNIT = 8 * THREADS, /* chunks are multiples of it */
    CHUNKS_A_PROCESSOR = 8,   /* of the device, for all points */
    ROUND = 11,               /* levels before lists are partitioned */
    COUNTERS = 8192,          /* several for each label, so that few lanes meet at one */
};

static const uint32_t LABEL_DROPPED = UINT16_MAX; /* of medians of this round */

/* A level: segments of 2^first parents, each in `chunks` chunks; positions in a list are those of nodes less the
 * medians of former rounds. Of the `bits` of a label the upper ones tell the sides taken since `first`, and those of
 * levels to come are 0: only what goes to the greater side gets a new label. */
struct level_args {
    int64_t n;
    int32_t first, level, bits;
    int64_t chunk;
    uint32_t chunks;
    const uint32_t *list; /* NULL: 0, 1, 2, ... */
    uint16_t *labels;     /* by reference */
    uint16_t *seen;       /* labels in the order of the list; where that is NULL, the labels */
    uint32_t *counts;     /* by segment and chunk */
    uint32_t *medians;    /* their places in the list, by segment */
};

/* What is left of a label of the level by its segment in the parent; of a dropped one, more than any segment. */
static __device__ __forceinline__ int level_shift(const level_args &a) { return a.bits - (a.level - a.first); }

struct places {
    uint32_t parent;
    int64_t begin, end;
};

static __device__ __forceinline__ struct places chunk_places(const level_args &a, uint32_t parent, uint32_t chunk)
{
    const struct bi_kdtree_range r = bi_kdtree_subtree(a.n, a.first, parent);
    const int64_t begin = r.begin - parent + chunk * a.chunk, end = r.end - parent;
    return {parent, begin < end ? begin : end, begin + a.chunk < end ? begin + a.chunk : end};
}

/* Counts the labels of a chunk, and notes them in the order of the list. */
template <bool IDENTITY>
static __global__ void __launch_bounds__(THREADS) bi_kdtree_presorted_count_labels(const level_args a)
{
    BI_SHARED_DYNAMIC(uint32_t, counters);
    const uint32_t segments = 1u << (a.level - a.first), copies = COUNTERS / segments < 32 ? COUNTERS / segments : 32;
    const uint32_t chunk = blockIdx.x % a.chunks;
    const int shift = level_shift(a);
    const struct places at = chunk_places(a, blockIdx.x / a.chunks, chunk);
    for (uint32_t c = threadIdx.x; c < segments * copies; c += THREADS) counters[c] = 0;
    __syncthreads();
    for (int64_t base = at.begin + threadIdx.x; base < at.end; base += EACH * THREADS) {
        uint32_t name[EACH], label[EACH];
#pragma unroll
        for (int k = 0; k < EACH; k++) {
            const int64_t i = base + k * THREADS;
            name[k] = i >= at.end ? UINT32_MAX : IDENTITY ? (uint32_t)i : a.list[i];
        }
#pragma unroll
        for (int k = 0; k < EACH; k++) label[k] = name[k] == UINT32_MAX ? LABEL_DROPPED : a.labels[name[k]];
#pragma unroll
        for (int k = 0; k < EACH; k++) {
            if (!IDENTITY && name[k] != UINT32_MAX) a.seen[base + k * THREADS] = (uint16_t)label[k];
            if (label[k] != LABEL_DROPPED)
                atomicAdd(&counters[(label[k] >> shift) * copies + threadIdx.x % copies], 1u);
        }
    }
    __syncthreads();
    for (uint32_t s = threadIdx.x; s < segments; s += THREADS) {
        uint32_t sum = 0;
        for (uint32_t c = 0; c < copies; c++) sum += counters[s * copies + (c + s) % copies];
        a.counts[((size_t)at.parent * segments + s) * a.chunks + chunk] = sum;
    }
}

struct find_shared {
    uint32_t warp[THREADS / 32];
    uint32_t chunk, before, place;
};

/* The sum of what the threads before give. */
static __device__ __forceinline__ uint32_t sum_before(struct find_shared *sh, uint32_t own)
{
    const uint32_t lane = threadIdx.x % 32, w = threadIdx.x / 32;
    uint32_t sum = bi_warp_inclusive_sum(own);
    __syncthreads();
    if (lane == 31) sh->warp[w] = sum;
    __syncthreads();
    for (uint32_t o = 0; o < w; o++) sum += sh->warp[o];
    return sum - own;
}

/* Finds the median of a segment in the level's list; by a block. */
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
    uint32_t own = 0;
    for (uint32_t c = first; c < end; c++) own += counts[c];
    uint32_t before = sum_before(&sh, own);
    if (before <= half && half - before < own) {
        uint32_t c = first;
        for (; half - before >= counts[c]; c++) before += counts[c];
        sh.chunk = c;
        sh.before = before;
    }
    __syncthreads();
    const struct places at = chunk_places(a, segment >> (a.level - a.first), sh.chunk);
    const uint32_t rest = half - sh.before; /* of the segment in the chunk, before the median */
    const int64_t part = a.chunk / THREADS, from = at.begin + threadIdx.x * part,
                  to = from + part < at.end ? from + part : at.end;
    own = 0;
    for (int64_t i = from; i < to; i++) own += (uint32_t)a.seen[i] >> shift == label;
    before = sum_before(&sh, own);
    if (before <= rest && rest - before < own) {
        int64_t i = from;
        for (uint32_t left = rest - before;; i++)
            if ((uint32_t)a.seen[i] >> shift == label && left-- == 0) break;
        a.medians[segment] = (uint32_t)i;
        order[bi_kdtree_mid(r)] = a.list ? a.list[i] : (uint32_t)i;
    }
}

/* Gives the references of a chunk the labels of the next level. */
template <bool IDENTITY>
static __global__ void __launch_bounds__(THREADS) bi_kdtree_presorted_split_labels(const level_args a)
{
    BI_SHARED_DYNAMIC(uint32_t, medians);
    const uint32_t segments = 1u << (a.level - a.first);
    const int shift = level_shift(a);
    const struct places at = chunk_places(a, blockIdx.x / a.chunks, blockIdx.x % a.chunks);
    for (uint32_t s = threadIdx.x; s < segments; s += THREADS) medians[s] = a.medians[(size_t)at.parent * segments + s];
    __syncthreads();
    for (int64_t base = at.begin + threadIdx.x; base < at.end; base += EACH * THREADS) {
        uint32_t label[EACH];
#pragma unroll
        for (int k = 0; k < EACH; k++) {
            const int64_t i = base + k * THREADS;
            label[k] = i < at.end ? a.seen[i] : LABEL_DROPPED;
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

/* The segments that the references of a list are in after the round, 2^level for medians. */
static __global__ void __launch_bounds__(THREADS) bi_kdtree_presorted_segment_keys(const level_args a, uint32_t *keys)
{
    const struct places at = chunk_places(a, blockIdx.x / a.chunks, blockIdx.x % a.chunks);
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

/* Room for the keys of a sort by segment. */
struct keys_room {
    uint32_t *in, *out;
};

/* Partitions the lists that later levels need by the labels of the round, which ended before a.level. */
static bosc_status partition_lists(bosc_ctx *ctx, level_args a, const struct keys_room &keys, int32_t dim,
                                   struct bi_kdtree_lists *lists)
{
    const int depth = bi_kdtree_depth(a.n);
    const int64_t count = a.n + 1 - ((int64_t)1 << a.first);
    for (int32_t p = 0; p < lists->used; p++) {
        if (bi_kdtree_next_use(p, a.level - 1, dim) >= depth) continue;
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

/* Makes the levels before `last`. */
static bosc_status make_upper(bosc_ctx *ctx, level_args a, const struct keys_room &keys, int32_t dim, int last,
                              struct bi_kdtree_lists *lists, uint32_t *order)
{
    uint16_t *seen = a.seen;
    for (a.first = 0; a.first < last; a.first = a.level) {
        const int64_t most = bi_div_up(a.n + 1, (int64_t)1 << a.first);
        const uint32_t wanted = (uint32_t)(ctx->multiprocessors * CHUNKS_A_PROCESSOR) >> a.first;
        a.chunk = (int64_t)bi_round_up((uint64_t)bi_div_up(most, wanted ? wanted : 1), CHUNK_UNIT);
        a.chunks = (uint32_t)bi_div_up(most, a.chunk);
        BI_TRY(ctx->backend->fill(ctx, a.labels, 0, (size_t)a.n * sizeof *a.labels));
        const int end = a.first + ROUND < last ? a.first + ROUND : last;
        a.bits = end - a.first;
        for (a.level = a.first; a.level < end; a.level++) {
            const int32_t p = a.level % dim;
            const bool identity = p == 0 && a.first == 0;
            a.list = identity ? nullptr : lists->in[p];
            a.seen = identity ? a.labels : seen;
            BI_TRY(split_level(ctx, a, order));
        }
        BI_TRY(partition_lists(ctx, a, keys, dim, lists));
    }
    return BOSC_OK;
}

static bosc_status partition(bosc_ctx *ctx, int32_t dim, struct bi_kdtree_lists *lists, uint32_t *order)
{
    const int64_t n = lists->n;
    const int log_points = bi_kdtree_presorted_log(ctx, n, dim), depth = bi_kdtree_depth(n);
    int last = 0;
    while (bi_div_up(n + 1, (int64_t)1 << last) - 1 > (int64_t)1 << log_points) last++;
    level_args a = {};
    struct keys_room keys = {};
    a.n = n;
    BI_TRY(bi_scratch_of(ctx, n, sizeof(uint16_t), &a.labels));
    if (last > 0) {
        const size_t chunks = (size_t)ctx->multiprocessors * CHUNKS_A_PROCESSOR + ((size_t)1 << last);
        BI_TRY(bi_scratch_of(ctx, n, sizeof(uint16_t), &a.seen));
        BI_TRY(bi_scratch_of(ctx, n, sizeof(uint32_t), &keys.in));
        BI_TRY(bi_scratch_of(ctx, n, sizeof(uint32_t), &keys.out));
        BI_TRY(bi_scratch(ctx, (chunks << (last < ROUND ? last : ROUND)) * sizeof(uint32_t), (void **)&a.counts));
        BI_TRY(bi_scratch(ctx, sizeof(uint32_t) << last, (void **)&a.medians));
        BI_TRY(make_upper(ctx, a, keys, dim, last, lists, order));
    }
    struct bi_kdtree_presorted rest = {};
    rest.n = n;
    rest.level = last;
    rest.dim = dim;
    rest.count = depth - last - 1 < dim ? depth - last - 1 : dim;
    if (rest.count < 1) rest.count = 1;
    for (int32_t s = 0; s < rest.count; s++) rest.list[s] = lists->in[(last + s) % dim];
    return bi_kdtree_run_presorted_subtrees(ctx, rest, log_points, a.labels, order);
}

bosc_status bi_kdtree_cuda_partition_by_rank(bosc_ctx *ctx, const bosc_kdtree *tree, struct bi_kdtree_lists *lists,
                                             uint32_t *order)
{
    BI_RETURN_WITH_SCRATCH(ctx, partition(ctx, tree->opts.dim, lists, order));
}
