/* Ordered tables of up to some hundred thousand pairs on CUDA, in one launch. Each block takes a share of the pairs and
 * deals it to ranges of homes, into cells of its own, so that nothing is counted by several blocks; and then lays out
 * the range whose cells it reads. Of very few pairs one block does it all. Each block tells the host how it went; what
 * fails (keys that repeat, crowded homes) is left to others. */
#include <math.h>

#include "core/cuda/cooperative.cuh"
#include "core/cuda/shared.cuh"
#include "hash/cuda/ordered.cuh"
#include "hash/cuda/tell.cuh"

enum { ALONE_PAIRS = 2 /* of each thread of a block that does it all */ };
/* EACH: pairs of a thread that are dealt, at most; PAIRS: laid out. RESIDENT: blocks of a multiprocessor. */
#ifdef BI_EMULATE /* which takes small tables alone, and few threads at once */
enum { ALONE_THREADS = 128, FEW_THREADS = 64, THREADS = 64, MOST_RANGES = 8, FEW_PAIRS = 512 };
enum { SOME_EACH = 34, SOME_PAIRS = 48, MOST_EACH = 40, MOST_PAIRS = 56, RESIDENT = 4 };
#else
enum { ALONE_THREADS = 1024, FEW_THREADS = 512, THREADS = 1024, MOST_RANGES = 128, FEW_PAIRS = 1 << 14 };
enum { SOME_EACH = 2, SOME_PAIRS = 6, MOST_EACH = 4, MOST_PAIRS = 9, RESIDENT = 1 };
#endif
enum {
    CELL_PAIRS = 16, /* of a cell on average, at most, if there are ranges enough */
    RANGE_SHIFT = 5  /* see ordered_range */
};
static_assert(MOST_RANGES <= MOST_REPORTS, "a word of each block");

/* What a table keeps for its builds. */
struct ordered_words {
    unsigned long long reached[MOST_RANGES];
    unsigned dealt[MOST_RANGES * MOST_RANGES];
};

template <int SIZE> struct joint_shared : ordered_shared<SIZE> {
    unsigned counts[MOST_RANGES], begins[MOST_RANGES]; /* of the block's pairs for each range */
};

/* home / range_homes by its reciprocal (set_ranges). */
template <class A> static __device__ __forceinline__ uint32_t ordered_range(const A &a, uint32_t home)
{
    return __umulhi(home, a.reciprocal) >> RANGE_SHIFT;
}

/* Where the pairs for each range begin among those of the block. The first warp calls it. */
template <class S> static __device__ __forceinline__ void find_begins(S &sh)
{
    constexpr int EACH = (MOST_RANGES + 31) / 32;
    const unsigned first = threadIdx.x * EACH;
    unsigned counts[EACH], sum = 0;
#pragma unroll
    for (int i = 0; i < EACH; i++) {
        counts[i] = first + i < gridDim.x ? sh.counts[first + i] : 0;
        sum += counts[i];
    }
    unsigned before = bi_warp_inclusive_sum(sum) - sum;
#pragma unroll
    for (int i = 0; i < EACH; i++) {
        if (first + i < gridDim.x) sh.begins[first + i] = before;
        before += counts[i];
    }
}

/* Deals the block's pairs, EACH for a thread at most. They are put in order of ranges in shared memory first, so that
 * those of a range are written side by side. A barrier comes last. */
template <int EACH, class K, class P, int SIZE>
static __device__ __forceinline__ void deal(const ordered_args<K, P> &a, joint_shared<SIZE> &sh,
                                            ordered_pair<K, P> *ordered)
{
    ordered_pair<K, P> pair[EACH];
    uint32_t range[EACH], rank[EACH];
    const uint32_t begin = min(blockIdx.x * a.share, a.n), pairs = min(a.share, a.n - begin);
    const auto at = [](int k) { return k * SIZE + threadIdx.x; };
    const auto range_of = [&](K hash) { return ordered_range(a, ordered_home(hash, a.homes)); };
#pragma unroll
    for (int k = 0; k < EACH; k++)
        if (at(k) < pairs) pair[k] = ordered_read(a, begin + at(k));
    if (threadIdx.x < gridDim.x) sh.counts[threadIdx.x] = 0;
    __syncthreads();
#pragma unroll
    for (int k = 0; k < EACH; k++) {
        if (at(k) >= pairs) continue;
        range[k] = range_of(pair[k].hash);
        rank[k] = atomicAdd(&sh.counts[range[k]], 1u);
    }
    __syncthreads();
    if (threadIdx.x < 32) find_begins(sh);
    __syncthreads();
#pragma unroll
    for (int k = 0; k < EACH; k++)
        if (at(k) < pairs) ordered[sh.begins[range[k]] + rank[k]] = pair[k];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < EACH; k++) {
        if (at(k) >= pairs) continue;
        const ordered_pair<K, P> moved = ordered[at(k)];
        const uint32_t to = range_of(moved.hash), place = at(k) - sh.begins[to];
        if (place < a.cell_pairs) a.cells[(to * gridDim.x + blockIdx.x) * a.cell_pairs + place] = moved;
    }
    __syncthreads();
}

/* Tells each range how many pairs there are for it, once those have been written. */
template <class A, int SIZE>
static __device__ __forceinline__ void tell_ranges(const A &a, const joint_shared<SIZE> &sh)
{
    if (threadIdx.x >= gridDim.x) return;
    bi_store_release(&a.dealt[threadIdx.x * gridDim.x + blockIdx.x], sh.counts[threadIdx.x] + 1);
}

/* Reads the thread's pairs out of a cell of the block's range, when they are there. Returns whether some are missing
 * for want of room. */
template <class K, class P, int PAIRS>
static __device__ __forceinline__ bool gather(const ordered_args<K, P> &a, ordered_pairs<K, P, PAIRS> &own)
{
    const uint32_t lane = threadIdx.x % a.cell_lanes, from = threadIdx.x / a.cell_lanes;
    const uint32_t cell = blockIdx.x * gridDim.x + from;
    unsigned count = 0;
    if (from < gridDim.x) {
        while (!(count = bi_load_acquire(&a.dealt[cell])))
            ;
        count--;
    }
    __syncwarp(); /* before the word is cleared */
    if (from < gridDim.x && lane == 0) bi_store_relaxed(&a.dealt[cell], 0u);
#pragma unroll
    for (int k = 0; k < PAIRS; k++) {
        const uint32_t i = lane + k * a.cell_lanes;
        own.at[k] = own.NO_PAIR;
        if (i >= min(count, a.cell_pairs)) continue;
        own.pair[k] = a.cells[cell * a.cell_pairs + i];
        own.at[k] = 0;
    }
    return count > a.cell_pairs;
}

/* Writes the descriptors and tells the host. Thread 0 calls it, after a barrier. */
template <class A, int SIZE>
static __device__ __forceinline__ void finish(const A &a, const ordered_shared<SIZE> &sh, bool failed)
{
    if (blockIdx.x == 0) {
        a.descriptors[0] = a.descriptors[1] = 0;
        a.descriptors[2] = (uint64_t)a.slots << BOSC_HASH_SEED_BITS;
    }
    /* more slots in between than there is room to tell them are no accident */
    failed |= sh.extra > ((1u << TOLD_RESEEDED) - 1) / gridDim.x;
    tell_host<false>(a, failed ? 1ull << TOLD_FAILED : sh.extra, false, 1);
}

template <class K, class P>
static __global__ void __launch_bounds__(ALONE_THREADS, 1) bi_hash_order_alone(const ordered_args<K, P> a)
{
    BI_SHARED(ordered_shared<ALONE_THREADS>, sh);
    BI_SHARED_DYNAMIC(unsigned char, memory);
    const ordered_memory<K, P> m(a, memory);
    ordered_pairs<K, P, ALONE_PAIRS> own;
#pragma unroll
    for (int k = 0; k < ALONE_PAIRS; k++) {
        const uint32_t i = threadIdx.x + k * ALONE_THREADS;
        own.at[k] = i < a.n ? 0 : own.NO_PAIR;
        if (i < a.n) own.pair[k] = ordered_read(a, i);
    }
    ordered_clear(a, m, sh);
    __syncthreads();
    const bool failed = ordered_lay_out(a, m, sh, own, false);
    if (threadIdx.x == 0) finish(a, sh, failed);
}

/* EACH: pairs of a thread that are dealt, at most; PAIRS: that it lays out. */
template <class K, class P, int SIZE, int EACH, int PAIRS>
static __global__ void __launch_bounds__(SIZE, 1) bi_hash_order_jointly(const ordered_args<K, P> a)
{
    BI_SHARED(joint_shared<SIZE>, sh);
    BI_SHARED_DYNAMIC(unsigned char, memory);
    const ordered_memory<K, P> m(a, memory);
    ordered_pairs<K, P, PAIRS> own;
    if (threadIdx.x == 0) bi_store_relaxed(&a.reached[blockIdx.x], 0ull);
    deal<EACH>(a, sh, m.pairs);
    tell_ranges(a, sh);
    ordered_clear(a, m, sh);
    __syncthreads();
    const bool full = gather(a, own);
    const bool failed = ordered_lay_out(a, m, sh, own, full);
    if (threadIdx.x == 0) finish(a, sh, failed);
}

/* Lets the kernel have the shared memory that it is launched with. *ready: the device has as much. */
template <class K, class P>
static bosc_status allow_shared(bosc_ctx *ctx, void (*kernel)(ordered_args<K, P>), size_t bytes, bool *ready)
{
    enum { STATIC = 2048 }; /* more than what kernels have of it */
    static_assert(sizeof(joint_shared<THREADS>) <= STATIC && sizeof(joint_shared<FEW_THREADS>) <= STATIC, "they have");
    const size_t most = bi_shared_bytes(ctx) - STATIC;
    *ready = bytes <= most;
    if (!*ready || bytes + STATIC <= BI_SHARED_PLAIN) return BOSC_OK;
    BI_CUDA_TRY(ctx, cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)most));
    return BOSC_OK;
}

template <class K, class P>
static bosc_status run_alone(bosc_ctx *ctx, ordered_args<K, P> a, struct bi_hash_outcome *outcome, bool *launched)
{
    a.range_homes = a.homes;
    begin_outcome(ctx, outcome, 1);
    const size_t bytes = ordered_memory<K, P>::bytes(a);
    BI_TRY(allow_shared(ctx, bi_hash_order_alone<K, P>, bytes, launched));
    return *launched ? BI_RUN(ctx, (bi_hash_order_alone<K, P>), 1, ALONE_THREADS, bytes, a) : BOSC_OK;
}

/* How many ranges there are, a power of two: a block for each, all of which run at once. */
static uint32_t ranges_for(const bosc_ctx *ctx, uint32_t n)
{
    const uint32_t most = bi_launch_cooperative_limit(THREADS, RESIDENT * (unsigned)ctx->multiprocessors);
    uint32_t ranges = 1;
    while (2 * ranges <= most && ranges < MOST_RANGES && ranges * ranges * CELL_PAIRS < n) ranges *= 2;
    return ranges;
}

/* Whether ordered_range is exact. With m the reciprocal and d range_homes, 0 < m d - 2^37 <= d, so that m home / 2^37
 * is less than 1 / d above home / d. */
template <class K, class P> static bool set_ranges(ordered_args<K, P> *a, uint32_t ranges)
{
    a->range_homes = (uint32_t)bi_div_up(a->homes, ranges);
    a->reciprocal = (uint32_t)((1ull << (32 + RANGE_SHIFT)) / a->range_homes + 1);
    return a->range_homes > 1u << RANGE_SHIFT && ((uint64_t)a->homes * a->range_homes) >> (32 + RANGE_SHIFT) == 0;
}

/* Cells have room for the mean and six standard deviations, or what their threads take. */
template <class K, class P>
static void set_cells(ordered_args<K, P> *a, uint32_t ranges, uint32_t threads, uint32_t each)
{
    const double mean = (double)a->n / ((double)ranges * ranges), most = mean + 6 * sqrt(mean) + 6;
    const uint32_t lanes = threads / ranges < 32 ? threads / ranges : 32;
    a->cell_lanes = lanes;
    a->cell_pairs = most < lanes * each ? (uint32_t)most : lanes * each;
}

template <int SIZE, int EACH, int PAIRS, class K, class P>
static bosc_status run_jointly(bosc_ctx *ctx, ordered_args<K, P> a, uint32_t ranges, struct bi_hash_outcome *outcome,
                               bool *launched)
{
    const auto kernel = bi_hash_order_jointly<K, P, SIZE, EACH, PAIRS>;
    if (!set_ranges(&a, ranges)) return BOSC_OK;
    set_cells(&a, ranges, SIZE, PAIRS);
    const uint32_t blocks = (uint32_t)bi_div_up(a.homes, a.range_homes);
    a.share = (uint32_t)bi_div_up(a.n, blocks);
    const size_t dealing = (size_t)SIZE * EACH * sizeof *a.cells, laying_out = ordered_memory<K, P>::bytes(a);
    const size_t bytes = dealing > laying_out ? dealing : laying_out;
    if (a.share > (uint32_t)(SIZE * EACH)) return BOSC_OK;
    BI_TRY(allow_shared(ctx, kernel, bytes, launched));
    if (!*launched) return BOSC_OK;
    BI_TRY(bi_scratch_of(ctx, (int64_t)blocks * blocks * a.cell_pairs, sizeof *a.cells, &a.cells));
    begin_outcome(ctx, outcome, blocks);
    return BI_RUN_COOPERATIVE_SHARED(ctx, kernel, blocks, SIZE, bytes, a);
}

/* By as many pairs as a thread has. Those of more than 8 bytes take too many registers for the last form. */
template <class K, class P>
static bosc_status run_in_ranges(bosc_ctx *ctx, const ordered_args<K, P> &a, struct bi_hash_outcome *outcome,
                                 bool *launched)
{
    const uint32_t ranges = ranges_for(ctx, a.n), threads = ranges * THREADS;
    if (a.n <= FEW_PAIRS && a.n <= ranges * FEW_THREADS)
        return run_jointly<FEW_THREADS, 1, 3>(ctx, a, ranges, outcome, launched);
    if (a.n <= threads) return run_jointly<THREADS, 1, 4>(ctx, a, ranges, outcome, launched);
    if (a.n <= SOME_EACH * threads)
        return run_jointly<THREADS, SOME_EACH, SOME_PAIRS>(ctx, a, ranges, outcome, launched);
    if constexpr (sizeof(ordered_pair<K, P>) <= 8)
        if (a.n <= MOST_EACH * threads)
            return run_jointly<THREADS, MOST_EACH, MOST_PAIRS>(ctx, a, ranges, outcome, launched);
    return BOSC_OK;
}

template <class K, class P>
static bosc_status run(bosc_ctx *ctx, const bosc_hash *h, const void *keys, const void *values, bool rows, int64_t n,
                       struct bi_hash_outcome *outcome, bool *launched)
{
    const bosc_hash_slots_view view = bi_hash_slots_view_of(h, n);
    ordered_words *words = (ordered_words *)h->words.data;
    ordered_args<K, P> a = {};
    a.keys = (const K *)keys;
    a.payload = rows ? NULL : (const P *)values;
    a.values = rows ? (const unsigned char *)values : NULL;
    a.n = (uint32_t)n;
    a.seed = view.seed;
    a.table = (unsigned char *)h->blocks[BI_HASH_TABLE].data;
    a.descriptors = (uint64_t *)h->blocks[BI_HASH_DESCRIPTORS].data;
    a.stride = view.stride;
    a.value_bytes = view.value_size;
    a.homes = bi_hash_homes(h->shape.load, n);
    a.slots = (uint32_t)bi_hash_max_slots(BOSC_HASH_ORDERED, h->shape.load, n, 1);
    a.beyond = a.slots - a.homes;
    a.reached = words->reached;
    a.dealt = words->dealt;
    a.told = (unsigned long long *)outcome->words;
    if (n <= ALONE_THREADS * ALONE_PAIRS) return run_alone(ctx, a, outcome, launched);
    BI_RETURN_WITH_SCRATCH(ctx, run_in_ranges(ctx, a, outcome, launched));
}

bosc_status bi_hash_launch_ordered_cuda(bosc_ctx *ctx, const bosc_hash *h, const void *keys, const void *values,
                                        int64_t n, struct bi_hash_outcome *outcome, bool *launched)
{
    const struct bi_hash_shape *s = &h->shape;
    const bool rows = values && s->value_bytes != 4 && s->value_bytes != 8;
    const int32_t payload_bytes = !values ? 0 : s->value_bytes == 8 ? 8 : 4;
    *launched = false;
    if (n == 0 || n > MOST_RANGES * THREADS * MOST_EACH) return BOSC_OK;
    const auto run_typed = [&](auto k, auto p) {
        return run<decltype(k), decltype(p)>(ctx, h, keys, values, rows, n, outcome, launched);
    };
    BI_RETURN_WITH_SCRATCH(ctx, bi_hash_with_types(s->key_bits, payload_bytes, run_typed));
}

size_t bi_hash_words_bytes_cuda(const bosc_hash_opts *opts)
{
    return opts->layout == BOSC_HASH_ORDERED ? sizeof(ordered_words) : 0;
}
