/* Builds ORDERED tables of up to some hundred thousand pairs on CUDA, in one cooperative launch. Each block scatters
 * a share of the pairs to ranges of homes, into cells of its own, so that no counter is shared; then it lays out the
 * range whose cells it reads. Up to 2,048 pairs one block does all of it. Each block publishes its result to the
 * host; builds that fail (keys repeat, crowded homes) are left to the sort. */
#include "core/cuda/cooperative.cuh"
#include "core/cuda/shared.cuh"
#include "hash/cuda/ordered_cells.cuh"

enum { SINGLE_PAIRS = 2 /* pairs of each thread of a single block */ };
/* EACH: maximum of pairs that a thread scatters; PAIRS: of pairs that it lays out. SOME and MAX: of
 * the two forms for most pairs. */
#ifdef BI_EMULATE /* the emulator runs small tables only, and few threads at once */
enum { SINGLE_THREADS = 128, FEW_THREADS = 64, THREADS = 64, FEW_PAIRS = 512 };
enum { SOME_EACH = 34, SOME_PAIRS = 48, MAX_EACH = 40, MAX_PAIRS = 56 };
#else
/* THREADS: measured, 2^18 pairs: 18.8 us, 512 threads up to 19.8. */
enum { SINGLE_THREADS = 1024, FEW_THREADS = 512, THREADS = 1024, FEW_PAIRS = 1 << 14 };
enum { SOME_EACH = 2, SOME_PAIRS = 6, MAX_EACH = 4, MAX_PAIRS = 9 };
#endif
enum {
    CELL_PAIRS = 16, /* mean of a cell: a line of 8-byte pairs (docs/design/hash.md) */
    RANGE_SHIFT = 5  /* shift of the reciprocal, see set_ranges */
};

/* Returns home / range_homes, by a reciprocal (set_ranges). */
template <class A> static __device__ __forceinline__ uint32_t ordered_range(const A &a, uint32_t home)
{
    return __umulhi(home, a.reciprocal) >> RANGE_SHIFT;
}

/* Computes where the pairs of each range begin among those of the block. The first warp calls it. */
template <class S> static __device__ __forceinline__ void find_begins(S &sh)
{
    constexpr int EACH = (MAX_RANGES + 31) / 32;
    const unsigned first = threadIdx.x * EACH;
    unsigned counts[EACH], sum = 0;
#pragma unroll
    for (int i = 0; i < EACH; i++) {
        counts[i] = first + i < gridDim.x ? sh.counts[first + i] : 0;
        sum += counts[i];
    }
    unsigned preceding = bi_warp_inclusive_sum(sum) - sum;
#pragma unroll
    for (int i = 0; i < EACH; i++) {
        if (first + i < gridDim.x) sh.begins[first + i] = preceding;
        preceding += counts[i];
    }
}

/* Scatters the block's pairs, at most EACH of a thread, to its cells. It orders them by range in shared memory first,
 * so that those of a range are written contiguously. `ordered` has SIZE x EACH pairs in shared memory; a.share is at
 * most that. Pairs hold hashes in place of keys. sh.counts keeps the pairs of each cell, dropped ones too;
 * publish_cell_counts publishes it. The grid has one block for each range, at most SIZE. All threads call it; a barrier
 * comes last. */
template <int EACH, class K, class P, int SIZE>
static __device__ __forceinline__ void scatter_to_cells(const ordered_args<K, P> &a, cooperative_shared<SIZE> &sh,
                                                        ordered_pair<K, P> *ordered)
{
    ordered_pair<K, P> pair[EACH];
    uint32_t range[EACH], rank[EACH];
    const uint32_t begin = min(blockIdx.x * a.share, a.n), pairs = min(a.share, a.n - begin);
    const auto at = [](int k) { return k * SIZE + threadIdx.x; };
    const auto range_of = [&](K hash) { return ordered_range(a, ordered_home(hash, a.homes)); };
    /* 1. Read and hash the pairs; clear the counts. */
#pragma unroll
    for (int k = 0; k < EACH; k++)
        if (at(k) < pairs) pair[k] = ordered_read(a, begin + at(k));
    if (threadIdx.x < gridDim.x) sh.counts[threadIdx.x] = 0;
    __syncthreads(); /* the counts are zero */
    /* 2. Count the pairs of each range; scan the counts. */
#pragma unroll
    for (int k = 0; k < EACH; k++) {
        if (at(k) >= pairs) continue;
        range[k] = range_of(pair[k].hash);
        rank[k] = atomicAdd(&sh.counts[range[k]], 1u);
    }
    __syncthreads(); /* the counts are complete */
    if (threadIdx.x < 32) find_begins(sh);
    __syncthreads(); /* the begins are there */
    /* 3. Order the pairs by range in shared memory. */
#pragma unroll
    for (int k = 0; k < EACH; k++)
        if (at(k) < pairs) ordered[sh.begins[range[k]] + rank[k]] = pair[k];
    __syncthreads(); /* all pairs are in order */
    /* 4. Write them to the cells; pairs beyond a cell's capacity are dropped, and seen by its reader. */
#pragma unroll
    for (int k = 0; k < EACH; k++) {
        if (at(k) >= pairs) continue;
        const ordered_pair<K, P> moved = ordered[at(k)];
        const uint32_t to = range_of(moved.hash), slot = at(k) - sh.begins[to];
        if (slot < a.cell_pairs) a.cells[(to * gridDim.x + blockIdx.x) * a.cell_pairs + slot] = moved;
    }
    __syncthreads(); /* all cells are written, before their counts are published */
}

/* Writes the descriptors and publishes the result. Thread 0 calls it, after a barrier. */
template <class A, int SIZE>
static __device__ __forceinline__ void publish_result(const A &a, const ordered_shared<SIZE> &sh, bool failed)
{
    if (blockIdx.x == 0) { /* the hash that chooses runs; first slot and seed of the only run; end of the table */
        a.descriptors[0] = a.descriptors[1] = 0;
        a.descriptors[2] = (uint64_t)a.slots << BOSC_HASH_SEED_BITS;
    }
    /* fail on a sum that may overflow its field */
    failed |= sh.extra > ((1u << RESEEDED_SHIFT) - 1) / gridDim.x;
    notify_host<false>(a, failed ? 1ull << FAILED_SHIFT : sh.extra, false, 1);
}

/* Builds a table of up to 2,048 pairs by one block. */
template <class K, class P>
static __global__ void __launch_bounds__(SINGLE_THREADS, 1) bi_hash_order_single_block(const ordered_args<K, P> a)
{
    BI_SHARED(ordered_shared<SINGLE_THREADS>, sh);
    BI_SHARED_DYNAMIC(unsigned char, memory);
    const ordered_memory<K, P> m(a, memory);
    ordered_pairs<K, P, SINGLE_PAIRS> own;
    /* 1. Read and hash the pairs. */
#pragma unroll
    for (int k = 0; k < SINGLE_PAIRS; k++) {
        const uint32_t i = threadIdx.x + k * SINGLE_THREADS;
        own.at[k] = i < a.n ? 0 : own.NO_PAIR;
        if (i < a.n) own.pair[k] = ordered_read(a, i);
    }
    /* 2. Lay them out, and publish the result. */
    ordered_clear(a, m, sh);
    __syncthreads(); /* slots and homes are empty */
    const bool failed = ordered_lay_out(a, m, sh, own, false);
    if (threadIdx.x == 0) publish_result(a, sh, failed);
}

/* Builds a table by several blocks. EACH: maximum of pairs that a thread scatters; PAIRS: of pairs that it lays out. */
template <class K, class P, int SIZE, int EACH, int PAIRS>
static __global__ void __launch_bounds__(SIZE, 1) bi_hash_order_cooperatively(const ordered_args<K, P> a)
{
    BI_SHARED(cooperative_shared<SIZE>, sh);
    BI_SHARED_DYNAMIC(unsigned char, memory);
    const ordered_memory<K, P> m(a, memory);
    ordered_pairs<K, P, PAIRS> own;
    /* 1. Clear the range's word; scatter the block's pairs to cells and publish their counts. */
    if (threadIdx.x == 0) bi_store_relaxed(&a.reached[blockIdx.x], 0ull);
    scatter_to_cells<EACH>(a, sh, m.pairs);
    publish_cell_counts(a, sh);
    /* 2. Read the cells of the block's range, lay its pairs out, and publish the result. */
    ordered_clear(a, m, sh);
    __syncthreads(); /* slots and homes are empty */
    const bool full = read_cell(a, own);
    const bool failed = ordered_lay_out(a, m, sh, own, full);
    if (threadIdx.x == 0) publish_result(a, sh, failed);
}

static_assert(sizeof(cooperative_shared<THREADS>) <= ORDERED_STATIC_SHARED &&
                  sizeof(cooperative_shared<FEW_THREADS>) <= ORDERED_STATIC_SHARED,
              "they have");

template <class K, class P>
static bosc_status launch_single_block(bosc_ctx *ctx, ordered_args<K, P> a, struct bi_hash_completion *completion,
                                       enum bi_hash_outcome *outcome)
{
    bool allowed;
    a.range_homes = a.homes;
    clear_host_words(ctx, completion, 1);
    const size_t bytes = ordered_memory<K, P>::bytes(a);
    BI_TRY(ordered_allow_shared(ctx, bi_hash_order_single_block<K, P>, bytes, &allowed));
    if (!allowed) return BOSC_OK;
    *outcome = BI_HASH_PENDING;
    return BI_RUN(ctx, (bi_hash_order_single_block<K, P>), 1, SINGLE_THREADS, bytes, a);
}

/* Sets the size of ranges and its reciprocal. Returns true if ordered_range is exact: with m the reciprocal and d
 * range_homes, 0 < m d - 2^37 <= d, so that m home / 2^37 exceeds home / d by less than 1 / d. */
template <class K, class P> static bool set_ranges(ordered_args<K, P> *a, uint32_t ranges)
{
    a->range_homes = (uint32_t)bi_div_up(a->homes, ranges);
    a->reciprocal = (uint32_t)((1ull << (32 + RANGE_SHIFT)) / a->range_homes + 1);
    return a->range_homes > 1u << RANGE_SHIFT && ((uint64_t)a->homes * a->range_homes) >> (32 + RANGE_SHIFT) == 0;
}

template <int SIZE, int EACH, int PAIRS, class K, class P>
static bosc_status launch_cooperative(bosc_ctx *ctx, ordered_args<K, P> a, uint32_t ranges,
                                      struct bi_hash_completion *completion, enum bi_hash_outcome *outcome)
{
    const auto kernel = bi_hash_order_cooperatively<K, P, SIZE, EACH, PAIRS>;
    bool allowed;
    if (!set_ranges(&a, ranges)) return BOSC_OK;
    set_cells(&a, ranges, SIZE, PAIRS);
    const uint32_t blocks = (uint32_t)bi_div_up(a.homes, a.range_homes);
    a.share = (uint32_t)bi_div_up(a.n, blocks);
    const size_t scatter_bytes = (size_t)SIZE * EACH * sizeof *a.cells, laying_out = ordered_memory<K, P>::bytes(a);
    const size_t bytes = scatter_bytes > laying_out ? scatter_bytes : laying_out;
    if (a.share > (uint32_t)(SIZE * EACH)) return BOSC_OK;
    BI_TRY(ordered_allow_shared(ctx, kernel, bytes, &allowed));
    if (!allowed) return BOSC_OK;
    *outcome = BI_HASH_PENDING;
    BI_TRY(bi_scratch_of(ctx, (int64_t)blocks * blocks * a.cell_pairs, sizeof *a.cells, &a.cells));
    clear_host_words(ctx, completion, blocks);
    return BI_RUN_COOPERATIVE_SHARED(ctx, kernel, blocks, SIZE, bytes, a);
}

/* Chooses the kernel by the pairs of a thread. Pairs of more than 8 bytes take too many registers for the last form. */
template <class K, class P>
static bosc_status launch_in_ranges(bosc_ctx *ctx, const ordered_args<K, P> &a, struct bi_hash_completion *completion,
                                    enum bi_hash_outcome *outcome)
{
    const uint32_t ranges = ranges_for(ctx, THREADS, CELL_PAIRS, a.n), threads = ranges * THREADS;
    if (a.n <= FEW_PAIRS && a.n <= ranges * FEW_THREADS)
        return launch_cooperative<FEW_THREADS, 1, 3>(ctx, a, ranges, completion, outcome);
    if (a.n <= threads) return launch_cooperative<THREADS, 1, 4>(ctx, a, ranges, completion, outcome);
    if (a.n <= SOME_EACH * threads)
        return launch_cooperative<THREADS, SOME_EACH, SOME_PAIRS>(ctx, a, ranges, completion, outcome);
    if constexpr (sizeof(ordered_pair<K, P>) <= 8)
        if (a.n <= MAX_EACH * threads)
            return launch_cooperative<THREADS, MAX_EACH, MAX_PAIRS>(ctx, a, ranges, completion, outcome);
    return BOSC_OK;
}

template <class K, class P>
static bosc_status launch_ordered(bosc_ctx *ctx, const bosc_hash *h, const void *keys, const void *values, bool rows,
                                  int64_t n, struct bi_hash_completion *completion, enum bi_hash_outcome *outcome)
{
    ordered_words *words = (ordered_words *)h->words.data;
    ordered_args<K, P> a = ordered_args_of<K, P>(h, keys, values, rows, n);
    a.homes = bi_hash_homes(h->shape.load_factor, n);
    a.slots = (uint32_t)bi_hash_max_slots(BOSC_HASH_ORDERED, h->shape.load_factor, n, 1);
    a.beyond = a.slots - a.homes;
    a.reached = words->reached;
    a.cell_counts = words->cell_counts;
    a.host_words = (unsigned long long *)completion->words;
    if (n <= SINGLE_THREADS * SINGLE_PAIRS) return launch_single_block(ctx, a, completion, outcome);
    BI_RETURN_WITH_SCRATCH(ctx, launch_in_ranges(ctx, a, completion, outcome));
}

bosc_status bi_hash_launch_ordered_cuda(bosc_ctx *ctx, const bosc_hash *h, const void *keys, const void *values,
                                        int64_t n, struct bi_hash_completion *completion, enum bi_hash_outcome *outcome)
{
    const struct bi_hash_shape *s = &h->shape;
    const bool rows = values && s->value_bytes != 4 && s->value_bytes != 8;
    const int32_t payload_bytes = !values ? 0 : s->value_bytes == 8 ? 8 : 4;
    *outcome = BI_HASH_UNFINISHED;
    if (n == 0 || n > MAX_RANGES * THREADS * MAX_EACH) return BOSC_OK;
    const auto run_typed = [&](auto k, auto p) {
        return launch_ordered<decltype(k), decltype(p)>(ctx, h, keys, values, rows, n, completion, outcome);
    };
    BI_RETURN_WITH_SCRATCH(ctx, bi_hash_with_types(s->key_bits, payload_bytes, run_typed));
}

size_t bi_hash_words_bytes_cuda(const bosc_hash_opts *opts)
{
    return opts->layout == BOSC_HASH_ORDERED ? sizeof(ordered_words) : 0;
}

struct reduction_words *bi_hash_reduction_words(const bosc_hash *h)
{
    return h->words.bytes >= sizeof(ordered_words) ? &((ordered_words *)h->words.data)->reduction : NULL;
}
