/* Brackets by superkey, for points with many equal coordinates: their ends are points of a sample, and its order by
 * (superkey, id) is total. So a bracket holds its share of the points for any data. In three launches a pass:
 *
 * 1. Rank: a block for each coordinate of a segment, and one for the ids, sorts the sample by it. Equal keys share a
 *    rank.
 * 2. Order: a block for each coordinate sorts the sample by superkey: the ranks of its coordinates and id, in one word.
 * 3. Choose: level by level, a node has a bit for each position in an order, set for its samples. Counts of bits give
 *    the order statistics of its sample. */
#include "kdtree/cuda/sampled/multilevel_pass.cuh"

enum {
    SORT_ITEMS = 8, /* per thread, in registers */
    SORT_THREADS = BI_KDTREE_SORTED_SAMPLE / SORT_ITEMS,
    SORT_WARPS = SORT_THREADS / 32,
    RANK_MASK = BI_KDTREE_SORTED_SAMPLE - 1,
    MOST_NODES = 1 << (BI_KDTREE_PASS_LEVELS - 1),
    SAMPLE_WORDS = BI_KDTREE_SORTED_SAMPLE / 32 /* of a bit for each rank */
};

/* --- Sort --------------------------------------------------------------------------------------------------------- */

struct sort_shared {
    unsigned long long slots[BI_KDTREE_SORTED_SAMPLE];
    uint32_t warp_sums[SORT_WARPS];
};

__device__ __forceinline__ void sort_pair(unsigned long long &a, unsigned long long &b)
{
    const unsigned long long less = min(a, b);
    b = max(a, b);
    a = less;
}

/* Compares each slot of the thread with one of thread t ^ mask: the same, or with MIRRORED the one at the other end.
 * The thread without the highest bit of the mask keeps the lesser words. Called by all threads; the barriers end the
 * reads of the step before, and publish the words. */
template <bool MIRRORED>
static __device__ __forceinline__ void compare_threads(sort_shared &sh, unsigned long long (&a)[SORT_ITEMS],
                                                       uint32_t mask)
{
    const uint32_t t = threadIdx.x, highest = 1u << (31 - __clz((int)mask));
    const bool keep_less = !(t & highest);
    unsigned long long other[SORT_ITEMS];
    if (mask < 32) {
#pragma unroll
        for (int r = 0; r < SORT_ITEMS; r++)
            other[r] = __shfl_xor_sync(~0u, a[MIRRORED ? SORT_ITEMS - 1 - r : r], (int)mask);
    } else {
        __syncthreads();
#pragma unroll
        for (int r = 0; r < SORT_ITEMS; r++) sh.slots[r * SORT_THREADS + t] = a[r];
        __syncthreads();
#pragma unroll
        for (int r = 0; r < SORT_ITEMS; r++)
            other[r] = sh.slots[(MIRRORED ? SORT_ITEMS - 1 - r : r) * SORT_THREADS + (t ^ mask)];
    }
#pragma unroll
    for (int r = 0; r < SORT_ITEMS; r++) a[r] = (a[r] < other[r]) == keep_less ? a[r] : other[r];
}

/* Sorts distinct words of the block: the word of rank i is a[i % 8] of thread i / 8. Bitonic merges, whose first step
 * compares mirrored slots, so that all groups ascend (Batcher 1968). All threads call it. */
static __device__ void sort_words(sort_shared &sh, unsigned long long (&a)[SORT_ITEMS])
{
    /* 1. The 8 words of a thread: odd-even transposition. */
#pragma unroll
    for (int round = 0; round < SORT_ITEMS; round++)
#pragma unroll
        for (int r = round % 2; r + 1 < SORT_ITEMS; r += 2) sort_pair(a[r], a[r + 1]);
    /* 2. Merge groups of threads in pairs: across threads, then within each. */
    for (uint32_t threads = 2; threads <= SORT_THREADS; threads *= 2) {
        compare_threads<true>(sh, a, threads - 1);
        for (uint32_t far = threads / 4; far > 0; far /= 2) compare_threads<false>(sh, a, far);
#pragma unroll
        for (int near = SORT_ITEMS / 2; near > 0; near /= 2)
#pragma unroll
            for (int r = 0; r < SORT_ITEMS; r++)
                if (!(r & near)) sort_pair(a[r], a[r + near]);
    }
}

/* --- Rank --------------------------------------------------------------------------------------------------------- */

/* Replaces sorted words by the ranks of their keys, the bits above the number of the sample: equal keys share a rank.
 * Called by all threads; the barriers separate the uses of shared memory. */
static __device__ __forceinline__ void rank_words(sort_shared &sh, const unsigned long long (&a)[SORT_ITEMS],
                                                  uint32_t (&rank)[SORT_ITEMS])
{
    /* 1. Count the keys that begin in this thread. */
    const uint32_t t = threadIdx.x;
    __syncthreads();
    sh.slots[t] = a[SORT_ITEMS - 1];
    __syncthreads();
    unsigned long long left = t > 0 ? sh.slots[t - 1] : ~a[0];
    uint32_t own = 0, total;
#pragma unroll
    for (int r = 0; r < SORT_ITEMS; r++) {
        own += a[r] >> BI_KDTREE_RANK_BITS != left >> BI_KDTREE_RANK_BITS;
        rank[r] = own - 1;
        left = a[r];
    }
    /* 2. Add those of earlier threads. */
    const uint32_t before = bi_block_exclusive_sum<SORT_WARPS>(own, sh.warp_sums, &total);
#pragma unroll
    for (int r = 0; r < SORT_ITEMS; r++) rank[r] += before;
}

/* Ranks the sample of segment blockIdx.x / (DIM + 1) by a coordinate, or by id (the last block of a segment). Writes
 * work.ranks; the block of ids also writes the sample, the numbers of its points by id, and the ranges of the segment
 * and its destinations. A failed pass may have lost points, so that slots hold stale ids, which must not be used as
 * indices. Segments are then empty, and later kernels find empty lists. */
template <int DIM, class KEYS>
static __global__ void __launch_bounds__(SORT_THREADS)
    bi_kdtree_rank_samples(const bi_kdtree_pass pass, const KEYS keys, const bi_kdtree_source from,
                           const bi_kdtree_pass_memory work)
{
    BI_SHARED(struct sort_shared, sh);
    bi_kdtree_begin_kernel();
    const uint32_t segment = blockIdx.x / (DIM + 1), c = blockIdx.x % (DIM + 1), t = threadIdx.x;
    const struct bi_kdtree_range range = bi_kdtree_subtree(pass.n, pass.level, segment);
    const uint32_t begin = (uint32_t)range.begin, size = (uint32_t)(range.end - range.begin);
    const size_t row = (size_t)segment * (DIM + 1) * pass.samples; /* of ranks and orders */
    uint16_t *ranks = work.ranks + row + c * pass.samples;
    auto sample = [&](uint32_t s) {
        return keys.template read<DIM>(from, begin + bi_kdtree_sample_position(pass, segment, s, size));
    };
    unsigned long long a[SORT_ITEMS];
    uint32_t rank[SORT_ITEMS];
    const bool failed = *work.failed != 0;
    if (c == DIM && t == 0) work.segments[segment] = make_uint2(begin, failed ? begin : begin + size);
    if (failed) return;
    /* 1. By id: ids are distinct. Slots without a sample come last. */
    if (c == DIM) {
        if (t < BI_KDTREE_DESTINATIONS)
            work.destinations[segment * BI_KDTREE_DESTINATIONS + t] = bi_kdtree_destination_range(pass, segment, t);
        bi_kdtree_point<DIM> *points =
            static_cast<bi_kdtree_point<DIM> *>(work.sampled_points) + (size_t)segment * pass.samples;
#pragma unroll
        for (int r = 0; r < SORT_ITEMS; r++) {
            const uint32_t s = r * SORT_THREADS + t;
            a[r] = ~0ull;
            if (s >= pass.samples) continue;
            const bi_kdtree_point<DIM> p = sample(s);
            points[s] = p;
            a[r] = (unsigned long long)p.id << BI_KDTREE_RANK_BITS | s;
        }
        sort_words(sh, a);
#pragma unroll
        for (int r = 0; r < SORT_ITEMS; r++) {
            const uint32_t i = t * SORT_ITEMS + r, s = (uint32_t)a[r] & RANK_MASK;
            if (i >= pass.samples) continue;
            ranks[s] = (uint16_t)i;
            work.orders[row + DIM * pass.samples + i] = (uint16_t)s;
        }
        return;
    }
    /* 2. By coordinate, word by word of its key: a word orders the samples that share a rank so far. */
#pragma unroll
    for (int r = 0; r < SORT_ITEMS; r++) {
        a[r] = r * SORT_THREADS + t;
        rank[r] = 0;
    }
#pragma unroll 1
    for (int w = 0; w < KEYS::SORT_WORDS; w++) {
#pragma unroll
        for (int r = 0; r < SORT_ITEMS; r++) {
            const uint32_t s = (uint32_t)a[r] & RANK_MASK;
            a[r] = ~0ull << BI_KDTREE_RANK_BITS | s;
            if (s >= pass.samples) continue;
            const bi_kdtree_point<DIM> p = sample(s);
            const uint32_t word = keys.sort_word(bi_kdtree_coordinate<DIM>(p, (int)c), p.id, (int)c, w);
            a[r] = ((unsigned long long)rank[r] << 32 | word) << BI_KDTREE_RANK_BITS | s;
        }
        sort_words(sh, a);
        rank_words(sh, a, rank);
    }
#pragma unroll
    for (int r = 0; r < SORT_ITEMS; r++) {
        const uint32_t s = (uint32_t)a[r] & RANK_MASK;
        if (s < pass.samples) ranks[s] = (uint16_t)rank[r];
    }
}

/* --- Order -------------------------------------------------------------------------------------------------------- */

/* Orders the sample of segment blockIdx.x / DIM by the superkey of a coordinate. Writes the numbers of its points in
 * order to work.orders, and their positions to work.positions. */
template <int DIM>
static __global__ void __launch_bounds__(SORT_THREADS)
    bi_kdtree_order_samples(const bi_kdtree_pass pass, const bi_kdtree_pass_memory work)
{
    BI_SHARED(struct sort_shared, sh);
    static_assert((DIM + 1) * BI_KDTREE_RANK_BITS <= 64, "a word holds all ranks");
    bi_kdtree_begin_kernel();
    if (*work.failed) return;
    const uint32_t segment = blockIdx.x / DIM, d = blockIdx.x % DIM, t = threadIdx.x;
    const size_t row = (size_t)segment * (DIM + 1) * pass.samples;
    const uint16_t *ranks = work.ranks + row, *by_id = work.orders + row + DIM * pass.samples;
    /* 1. Make words: ranks of the coordinates from d on, then the rank of the id, which identifies the sample. */
    unsigned long long a[SORT_ITEMS];
#pragma unroll
    for (int r = 0; r < SORT_ITEMS; r++) {
        const uint32_t s = r * SORT_THREADS + t;
        a[r] = ~0ull;
        if (s >= pass.samples) continue;
        a[r] = 0;
#pragma unroll
        for (uint32_t k = 0; k <= DIM; k++) {
            const uint32_t c = k == DIM ? DIM : (d + k) % DIM;
            a[r] = a[r] << BI_KDTREE_RANK_BITS | ranks[c * pass.samples + s];
        }
    }
    sort_words(sh, a);
    /* 2. Write the order and its inverse. */
#pragma unroll
    for (int r = 0; r < SORT_ITEMS; r++) {
        const uint32_t i = t * SORT_ITEMS + r;
        if (i >= pass.samples) continue;
        const uint32_t s = by_id[(uint32_t)a[r] & RANK_MASK];
        work.orders[row + d * pass.samples + i] = (uint16_t)s;
        work.positions[row + d * pass.samples + s] = (uint16_t)i;
    }
}

/* --- Choose ------------------------------------------------------------------------------------------------------- */

struct choose_shared {
    uint32_t bits[MOST_NODES][SAMPLE_WORDS];  /* bit i of a node: it has the sample at position i */
    uint32_t below[MOST_NODES][SAMPLE_WORDS]; /* set bits before a word */
    uint32_t total[MOST_NODES];
    uint32_t pivot[MOST_NODES]; /* position of the sample's median */
};

/* Returns the position of the sample of the given rank in its node. */
static __device__ __forceinline__ uint32_t position_of_rank(const uint32_t *bits, const uint32_t *below, uint32_t rank)
{
    /* 1. Find the word: the last one with at most `rank` bits before it. */
    uint32_t word = 0;
#pragma unroll
    for (uint32_t step = SAMPLE_WORDS / 2; step > 0; step /= 2)
        if (below[word + step] <= rank) word += step;
    /* 2. Drop the lower bits of the word. */
    uint32_t left = bits[word];
    for (uint32_t k = below[word]; k < rank; k++) left &= left - 1;
    return word * 32 + (uint32_t)__ffs((int)left) - 1;
}

/* Finds mark m of node i of depth j, and writes it. With m = BI_KDTREE_MARKS it finds the pivot. */
template <int DIM>
static __device__ __forceinline__ void write_mark(choose_shared &sh, const bi_kdtree_pass &pass,
                                                  const bi_kdtree_pass_memory &work, uint32_t segment, int j, int i,
                                                  uint32_t m)
{
    const int d = (pass.level + j) % DIM, v = (1 << j) - 1 + i;
    const uint32_t total = sh.total[i];
    /* 1. The ranks of the bracket's ends, as in sample_pivots.cu: the rank of the true median among the samples has a
     * standard deviation of sqrt(total) / 2, less for a sample without replacement; 2 ranks more for rounding. */
    const struct bi_kdtree_range range = bi_kdtree_subtree(pass.n, pass.level, segment);
    const float unsampled = fmaxf(0.0f, 1.0f - (float)pass.samples / (float)(range.end - range.begin));
    const float half = 0.5f * (float)total, reach = pass.deviations * 0.5f * sqrtf((float)total * unsampled) + 2.0f;
    const bool has_low = half >= reach, has_high = half + reach < (float)total;
    const uint32_t low = has_low ? (uint32_t)(half - reach) : 0, high = has_high ? (uint32_t)(half + reach) : total - 1;
    /* 2. The sample of the mark's rank. */
    bi_kdtree_point<DIM> mark;
#pragma unroll
    for (int c = 0; c < DIM; c++) mark.x[c] = m == 0 ? -INFINITY : INFINITY;
    mark.id = BI_KDTREE_NONE;
    uint32_t position = 0;
    if (total > 0 && (m > 0 || has_low) && (m != BI_KDTREE_MARKS - 1 || has_high)) {
        const uint32_t rank =
            m == BI_KDTREE_MARKS ? total / 2 : low + (uint32_t)((uint64_t)(high - low) * m >> BI_KDTREE_MARK_BINS_LOG);
        position = position_of_rank(sh.bits[i], sh.below[i], rank);
        const size_t row = (size_t)segment * (DIM + 1) * pass.samples;
        const uint32_t s = work.orders[row + d * pass.samples + position];
        mark = static_cast<const bi_kdtree_point<DIM> *>(work.sampled_points)[(size_t)segment * pass.samples + s];
    }
    /* 3. Write it. */
    if (m == BI_KDTREE_MARKS) {
        sh.pivot[i] = position;
        return;
    }
    float *bracket = &work.brackets[segment * BI_KDTREE_CELLS + v].x;
    if (m == 0) bracket[0] = bi_kdtree_coordinate<DIM>(mark, d);
    if (m == BI_KDTREE_MARKS - 1) bracket[1] = bi_kdtree_coordinate<DIM>(mark, d);
    bi_kdtree_marks_of<DIM>(work, segment, v)[m] = mark;
}

/* True if mark m of node i of depth j and the next one share the coordinate of the level. */
template <int DIM>
static __device__ __forceinline__ bool has_tied_marks(const bi_kdtree_pass &pass, const bi_kdtree_pass_memory &work,
                                                      uint32_t segment, int j, int i, uint32_t m)
{
    const int d = (pass.level + j) % DIM;
    const bi_kdtree_point<DIM> *marks = bi_kdtree_marks_of<DIM>(work, segment, (1 << j) - 1 + i) + m;
    return marks[0].id != BI_KDTREE_NONE && marks[1].id != BI_KDTREE_NONE &&
           bi_kdtree_coordinate<DIM>(marks[0], d) == bi_kdtree_coordinate<DIM>(marks[1], d);
}

/* Chooses the marks and brackets of all nodes of a segment, a block. */
template <int DIM>
static __global__ void __launch_bounds__(SORT_THREADS)
    bi_kdtree_choose_marks(const bi_kdtree_pass pass, const bi_kdtree_pass_memory work)
{
    BI_SHARED(struct choose_shared, sh);
    bi_kdtree_begin_kernel();
    if (*work.failed) return;
    const uint32_t segment = blockIdx.x, t = threadIdx.x, lane = t % 32, warp = t / 32;
    uint32_t node[SORT_ITEMS]; /* number within its depth */
#pragma unroll
    for (int k = 0; k < SORT_ITEMS; k++) node[k] = 0;
    bool tied = false;
    for (int j = 0; j < pass.levels; j++) {
        const int nodes = 1 << j, d = (pass.level + j) % DIM;
        const uint16_t *position = work.positions + ((size_t)segment * (DIM + 1) + d) * pass.samples;
        /* 1. Set the bit of each sample in its node. The barriers publish the zeros, and complete the bits. */
        for (int b = (int)t; b < nodes * SAMPLE_WORDS; b += SORT_THREADS)
            sh.bits[b / SAMPLE_WORDS][b % SAMPLE_WORDS] = 0;
        __syncthreads();
#pragma unroll
        for (int k = 0; k < SORT_ITEMS; k++) {
            const uint32_t s = k * SORT_THREADS + t;
            if (s < pass.samples) atomicOr(&sh.bits[node[k]][position[s] / 32], 1u << position[s] % 32);
        }
        __syncthreads();
        /* 2. Count the bits before each word, a warp a node; the barrier completes them. */
        if (warp < (uint32_t)nodes) {
            uint32_t total = 0;
#pragma unroll
            for (int w = 0; w < SAMPLE_WORDS; w += 32) {
                const uint32_t own = (uint32_t)__popc(sh.bits[warp][w + lane]), sum = bi_warp_inclusive_sum(own);
                sh.below[warp][w + lane] = total + sum - own;
                total += __shfl_sync(~0u, sum, 31);
            }
            if (lane == 0) sh.total[warp] = total;
        }
        __syncthreads();
        /* 3. Find the marks and the pivot of each node; the barrier publishes them. */
        for (int b = (int)t; b < nodes * (BI_KDTREE_MARKS + 1); b += SORT_THREADS)
            write_mark<DIM>(sh, pass, work, segment, j, b / (BI_KDTREE_MARKS + 1), (uint32_t)b % (BI_KDTREE_MARKS + 1));
        __syncthreads();
        /* 4. Descend by the pivots. The first barrier of the next level ends the reads of the pivots. */
#pragma unroll
        for (int k = 0; k < SORT_ITEMS; k++) {
            const uint32_t s = k * SORT_THREADS + t;
            if (s < pass.samples) node[k] = 2 * node[k] + (position[s] > sh.pivot[node[k]]);
        }
        for (int b = (int)t; b < nodes * (BI_KDTREE_MARKS - 1); b += SORT_THREADS)
            tied |= has_tied_marks<DIM>(pass, work, segment, j, b / (BI_KDTREE_MARKS - 1),
                                        (uint32_t)b % (BI_KDTREE_MARKS - 1));
    }
    if (__syncthreads_or(tied) && t == 0) atomicOr(work.tied, 1u);
}

template <int DIM, class KEYS>
bosc_status bi_kdtree_run_sample_superkeys(bosc_ctx *ctx, const bi_kdtree_pass &pass, const KEYS &keys,
                                           const bi_kdtree_source &from, const bi_kdtree_pass_memory &work)
{
    auto rank = bi_kdtree_rank_samples<DIM, KEYS>;
    auto order = bi_kdtree_order_samples<DIM>;
    auto choose = bi_kdtree_choose_marks<DIM>;
    BI_TRY(BI_RUN(ctx, rank, pass.segments * (DIM + 1), SORT_THREADS, 0, pass, keys, from, work));
    BI_TRY(BI_KDTREE_RUN_NEXT(ctx, order, pass.segments * DIM, SORT_THREADS, 0, pass, work));
    return BI_KDTREE_RUN_NEXT(ctx, choose, pass.segments, SORT_THREADS, 0, pass, work);
}

#define INSTANCE(DIM, KEYS)                                         \
    template bosc_status bi_kdtree_run_sample_superkeys<DIM, KEYS>( \
        bosc_ctx *, const bi_kdtree_pass &, const KEYS &, const bi_kdtree_source &, const bi_kdtree_pass_memory &);
BI_KDTREE_EACH_KIND(INSTANCE)
