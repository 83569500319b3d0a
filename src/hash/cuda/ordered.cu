/* Ordered tables of up to some hundred thousand pairs on CUDA: a launch that deals the pairs to blocks by ranges of
 * homes, and one whose blocks lay a range out each. Of fewer pairs one launch does both, of very few one block. The
 * last block tells the host how it went; what fails (keys that repeat, crowded homes) is left to others. */
#include <math.h>

#include "core/cuda/cooperative.cuh"
#include "core/cuda/dependent.cuh"
#include "core/cuda/shared.cuh"
#include "hash/cuda/ordered.cuh"
#include "hash/cuda/tell.cuh"

#ifdef BI_EMULATE /* which takes small tables alone, and few threads at once */
enum { ALONE_THREADS = 128, THREADS = 64 };
#else
enum { ALONE_THREADS = 1024, THREADS = 512 };
#endif
enum {
    MOST_PAIRS = 1 << 18, /* of a table; larger ones are sorted */
    ALONE_PAIRS = 2,      /* of each thread of a block that does it all */
    HOMES = 2 * THREADS,  /* of each block that lays out what another launch has dealt */
    PAIRS = 3,            /* of each of its threads, at most */
    DEALT = 4,            /* pairs of each thread that deals, at most */
    BLOCKS = 513          /* that lay out, at most: for MOST_PAIRS at a load factor of 0.5 */
};

/* What a table keeps for its builds; all but `reached` is 0 between them. */
struct ordered_words {
    unsigned long long done, reached[BLOCKS];
    unsigned arrived, counts[BLOCKS * ORDERED_APART];
};

struct deal_counts {
    unsigned counts[BLOCKS], begins[BLOCKS]; /* pairs of this block that go to each, and where they begin there */
};

/* Deals all pairs, MOST for a thread at most, to the ranges of homes where they are laid out. */
template <class K, class P, int MOST> static __device__ void deal(const ordered_args<K, P> &a, deal_counts &sh)
{
    ordered_pair<K, P> pair[MOST];
    uint32_t range[MOST], rank[MOST];
    const auto row = [&](int k) { return (k * gridDim.x + blockIdx.x) * THREADS + threadIdx.x; };
#pragma unroll
    for (int k = 0; k < MOST; k++)
        if (row(k) < a.n) pair[k] = ordered_read(a, row(k));
    for (uint32_t b = threadIdx.x; b < a.blocks; b += THREADS) sh.counts[b] = 0;
    __syncthreads();
#pragma unroll
    for (int k = 0; k < MOST; k++) {
        if (row(k) >= a.n) continue;
        range[k] = ordered_home(pair[k].hash, a.homes) / a.block_homes;
        rank[k] = atomicAdd(&sh.counts[range[k]], 1u);
    }
    __syncthreads();
    for (uint32_t b = threadIdx.x; b < a.blocks; b += THREADS)
        if (sh.counts[b]) sh.begins[b] = atomicAdd(&a.counts[b * ORDERED_APART], sh.counts[b]);
    __syncthreads();
#pragma unroll
    for (int k = 0; k < MOST; k++) {
        if (row(k) >= a.n) continue;
        const uint32_t at = sh.begins[range[k]] + rank[k];
        if (at < a.block_pairs) a.pairs[(size_t)range[k] * a.block_pairs + at] = pair[k];
    }
}

/* The descriptors, by the first block. */
template <class K, class P> static __device__ __forceinline__ void describe(const ordered_args<K, P> &a)
{
    if (blockIdx.x || threadIdx.x) return;
    a.descriptors[0] = a.descriptors[1] = 0;
    a.descriptors[2] = (uint64_t)a.slots << BOSC_HASH_SEED_BITS;
}

/* Tells the host; of several blocks the last one to come here does, and leaves the words 0. Thread 0 calls it, after a
 * barrier. */
template <bool ONE_BLOCK, class A, int BLOCK> static __device__ void tell(const A &a, const ordered_shared<BLOCK> &sh)
{
    /* more slots in between than there is room for to tell them are no accident */
    const bool failed = sh.failed || sh.extra > ((1u << TOLD_RESEEDED) - 1) / gridDim.x;
    unsigned long long counts = failed ? 1ull << TOLD_FAILED : sh.extra;
    if (!ONE_BLOCK) {
        __threadfence();
        counts += 1ull << TOLD_BLOCKS;
        counts += atomicAdd(a.done, counts);
        if (counts >> TOLD_BLOCKS < gridDim.x) return;
        bi_store_relaxed(a.done, 0ull);
        bi_store_relaxed(a.arrived, 0u);
    }
    __threadfence_system(); /* what all have written is there before */
    bi_tell_host(&a.told[TOLD_BUCKETS], TOLD | 1);
    bi_tell_host(&a.told[TOLD_COUNTS], TOLD | counts);
}

/* The block's pairs, which were dealt to it, are laid out. */
template <int MOST, class K, class P, int BLOCK>
static __device__ void lay_out_dealt(const ordered_args<K, P> &a, unsigned char *memory, ordered_shared<BLOCK> &sh,
                                     unsigned &count)
{
    const ordered_memory<K, P> m(a, memory);
    if (threadIdx.x == 0) {
        unsigned *dealt = &a.counts[sh.range * ORDERED_APART];
        count = bi_load_relaxed(dealt);
        *dealt = 0;
    }
    __syncthreads();
    const auto read = [&](int k, ordered_pair<K, P> &pair) {
        const uint32_t i = threadIdx.x + k * BLOCK;
        if (i >= min(count, a.block_pairs)) return false;
        pair = a.pairs[(size_t)sh.range * a.block_pairs + i];
        return true;
    };
    ordered_lay_out<MOST>(a, m, sh, read, count > a.block_pairs);
    describe(a);
    if (threadIdx.x == 0) tell<false>(a, sh);
}

template <class K, class P>
static __global__ void __launch_bounds__(ALONE_THREADS) bi_hash_order_alone(const ordered_args<K, P> a)
{
    BI_SHARED(ordered_shared<ALONE_THREADS>, sh);
    BI_SHARED_DYNAMIC(unsigned char, memory);
    const ordered_memory<K, P> m(a, memory);
    if (threadIdx.x == 0) sh.range = 0;
    ordered_prepare(a, m, sh);
    __syncthreads();
    const auto read = [&](int k, ordered_pair<K, P> &pair) {
        const uint32_t i = threadIdx.x + k * ALONE_THREADS;
        if (i < a.n) pair = ordered_read(a, i);
        return i < a.n;
    };
    ordered_lay_out<ALONE_PAIRS>(a, m, sh, read, false);
    describe(a);
    if (threadIdx.x == 0) tell<true>(a, sh);
}

/* EACH: homes for each thread, and so no more pairs than that to deal; nor more to lay out than one above it. */
template <class K, class P, int EACH>
static __global__ void __launch_bounds__(THREADS) bi_hash_order_jointly(const ordered_args<K, P> a)
{
    BI_SHARED(ordered_shared<THREADS>, sh);
    BI_SHARED(deal_counts, dealt);
    BI_SHARED(unsigned, count);
    BI_SHARED_DYNAMIC(unsigned char, memory);
    bi_grid_barrier barrier = {a.arrived, 0};
    if (threadIdx.x == 0) {
        sh.range = blockIdx.x;
        bi_store_relaxed(&a.reached[blockIdx.x], 0ull);
    }
    deal<K, P, EACH>(a, dealt);
    ordered_prepare(a, ordered_memory<K, P>(a, memory), sh);
    bi_grid_sync(&barrier);
    lay_out_dealt<EACH + 1>(a, memory, sh, count);
}

template <class K, class P>
static __global__ void __launch_bounds__(THREADS) bi_hash_order_deal(const ordered_args<K, P> a)
{
    BI_SHARED(deal_counts, dealt);
    bi_let_next_begin();
    for (uint32_t b = blockIdx.x * THREADS + threadIdx.x; b < a.blocks; b += gridDim.x * THREADS) a.reached[b] = 0;
    deal<K, P, DEALT>(a, dealt);
}

template <class K, class P>
static __global__ void __launch_bounds__(THREADS) bi_hash_order_dealt(const ordered_args<K, P> a)
{
    BI_SHARED(ordered_shared<THREADS>, sh);
    BI_SHARED(unsigned, count);
    BI_SHARED_DYNAMIC(unsigned char, memory);
    if (threadIdx.x == 0) sh.range = atomicAdd(a.arrived, 1u); /* it waits for earlier ranges, so those have begun */
    ordered_prepare(a, ordered_memory<K, P>(a, memory), sh);
    bi_wait_for_last();
    lay_out_dealt<PAIRS>(a, memory, sh, count);
}

/* The most pairs of a block: the mean and seven standard deviations, or what its threads have room for. */
static uint32_t block_pairs_of(double load, uint32_t homes, uint32_t room)
{
    const double mean = load * homes, most = mean + 7 * sqrt(mean) + 8;
    return most < room ? (uint32_t)most : room;
}

/* Lets the kernel have the shared memory that it is launched with. *ready: the device has as much. */
template <class K, class P>
static bosc_status allow_shared(bosc_ctx *ctx, void (*kernel)(ordered_args<K, P>), size_t bytes, bool *ready)
{
    enum { STATIC = 2 * sizeof(deal_counts) }; /* more than what kernels have of it */
    const size_t most = bi_shared_bytes(ctx) - STATIC;
    *ready = bytes <= most;
    if (!*ready || bytes + STATIC <= BI_SHARED_PLAIN) return BOSC_OK;
    BI_CUDA_TRY(ctx, cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)most));
    return BOSC_OK;
}

template <class K, class P> static bosc_status run_alone(bosc_ctx *ctx, ordered_args<K, P> a, bool *launched)
{
    a.blocks = 1;
    a.block_homes = a.homes;
    const size_t bytes = ordered_memory<K, P>::bytes(a);
    BI_TRY(allow_shared(ctx, bi_hash_order_alone<K, P>, bytes, launched));
    return *launched ? BI_RUN(ctx, (bi_hash_order_alone<K, P>), 1, ALONE_THREADS, bytes, a) : BOSC_OK;
}

/* Ranges of homes for blocks, and scratch for the pairs dealt to them. */
template <class K, class P>
static bosc_status begin_dealing(bosc_ctx *ctx, uint32_t homes, uint32_t room, ordered_args<K, P> *a)
{
    a->block_homes = homes;
    a->blocks = (uint32_t)bi_div_up(a->homes, homes);
    a->block_pairs = block_pairs_of((double)a->n / a->homes, homes, room);
    return bi_scratch_of(ctx, (int64_t)a->blocks * a->block_pairs, sizeof *a->pairs, &a->pairs);
}

/* In one launch, if all blocks run at once, one on a multiprocessor. */
template <int EACH, class K, class P>
static bosc_status run_jointly(bosc_ctx *ctx, ordered_args<K, P> a, bool *launched)
{
    const auto kernel = bi_hash_order_jointly<K, P, EACH>;
    const unsigned most = bi_launch_cooperative_limit(THREADS, (unsigned)ctx->multiprocessors);
    BI_TRY(begin_dealing(ctx, THREADS * EACH, THREADS * (EACH + 1), &a));
    if (a.blocks > most) return BOSC_OK;
    const size_t bytes = ordered_memory<K, P>::bytes(a);
    BI_TRY(allow_shared(ctx, kernel, bytes, launched));
    if (!*launched) return BOSC_OK;
    return BI_RUN_COOPERATIVE_SHARED(ctx, kernel, a.blocks, THREADS, bytes, a);
}

template <class K, class P>
static bosc_status deal_and_lay_out(bosc_ctx *ctx, const ordered_args<K, P> &a, size_t bytes)
{
    BI_TRY(BI_RUN(ctx, (bi_hash_order_deal<K, P>), (unsigned)bi_div_up(a.n, DEALT * THREADS), THREADS, 0, a));
    if (!bi_has_clusters(ctx)) return BI_RUN(ctx, (bi_hash_order_dealt<K, P>), a.blocks, THREADS, bytes, a);
    BI_LAUNCH_EARLY((bi_hash_order_dealt<K, P>), a.blocks, THREADS, bytes, ctx->stream, a);
    return bi_launched(ctx, "bi_hash_order_dealt");
}

/* In two launches. What the first one leaves is cleared if there is no second one. */
template <class K, class P>
static bosc_status run_dealt(bosc_ctx *ctx, ordered_args<K, P> a, void *words, bool *launched)
{
    BI_TRY(begin_dealing(ctx, HOMES, THREADS * PAIRS, &a));
    const size_t bytes = ordered_memory<K, P>::bytes(a);
    if (a.blocks > BLOCKS) return BOSC_OK;
    BI_TRY(allow_shared(ctx, bi_hash_order_dealt<K, P>, bytes, launched));
    if (!*launched) return BOSC_OK;
    const bosc_status status = deal_and_lay_out(ctx, a, bytes);
    if (status != BOSC_OK) (void)cudaMemsetAsync(words, 0, sizeof(ordered_words), (cudaStream_t)ctx->stream);
    return status;
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
    a.done = &words->done;
    a.counts = words->counts;
    a.arrived = &words->arrived;
    a.told = (unsigned long long *)outcome->words;
    begin_outcome(ctx, outcome, 1);
    if (n <= ALONE_THREADS * ALONE_PAIRS) return run_alone(ctx, a, launched);
    BI_TRY_WITH_SCRATCH(ctx, run_jointly<1>(ctx, a, launched));
    if (!*launched) BI_TRY_WITH_SCRATCH(ctx, run_jointly<2>(ctx, a, launched));
    return *launched ? BOSC_OK : run_dealt(ctx, a, words, launched);
}

bosc_status bi_hash_launch_ordered_cuda(bosc_ctx *ctx, const bosc_hash *h, const void *keys, const void *values,
                                        int64_t n, struct bi_hash_outcome *outcome, bool *launched)
{
    const struct bi_hash_shape *s = &h->shape;
    const bool rows = values && s->value_bytes != 4 && s->value_bytes != 8;
    const int32_t payload_bytes = !values ? 0 : s->value_bytes == 8 ? 8 : 4;
    *launched = false;
    if (n == 0 || n > MOST_PAIRS) return BOSC_OK;
    const auto run_typed = [&](auto k, auto p) {
        return run<decltype(k), decltype(p)>(ctx, h, keys, values, rows, n, outcome, launched);
    };
    BI_RETURN_WITH_SCRATCH(ctx, bi_hash_with_types(s->key_bits, payload_bytes, run_typed));
}

size_t bi_hash_words_bytes_cuda(const bosc_hash_opts *opts)
{
    return opts->layout == BOSC_HASH_ORDERED ? sizeof(ordered_words) : 0;
}
