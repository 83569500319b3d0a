/* Brackets by superkey, for points with many equal coordinates: their ends are points of a sample, and its order by
 * (superkey, id) is total. So a bracket holds its share of the points for any data. In two launches a pass:
 *
 * 1. Order: a block for each coordinate of a segment sorts the sample by the superkey that begins with it, and by id.
 *    Keys are packed: their least value is subtracted, and bits that all share are left out. A radix sort takes digits
 *    of the upper bits, from the lowest on. Samples that share these bits are sorted by the next bits in which such
 *    samples differ, and so on.
 * 2. Choose: level by level, a node has a bit for each position in an order, set for its samples. Counts of bits give
 *    the order statistics of its sample. */
#include "kdtree/cuda/sampled/multilevel_pass.cuh"

enum {
    DIGIT_BITS = 7,
    DIGITS = 1 << DIGIT_BITS,
    /* Bits of a superkey in a round: seven digits. A word of 64 bits holds them and the number of the sample. Scans
     * need one round, copies of points two. */
    CHUNK_BITS = 7 * DIGIT_BITS,
    SHORT_RUN = 16,                               /* samples with equal keys, ordered by comparison. Chosen */
    MOST_NODES = 1 << (BI_KDTREE_PASS_LEVELS - 1) /* of a depth */
};
static_assert(CHUNK_BITS + BI_KDTREE_SAMPLE_BITS <= 64, "a word holds a chunk and a number");

/* A block: its threads, and the samples of a thread, in registers. */
template <int BLOCK_THREADS, int THREAD_ITEMS> struct sample_block {
    static constexpr int THREADS = BLOCK_THREADS, ITEMS = THREAD_ITEMS, WARPS = THREADS / 32, WARP_ITEMS = 32 * ITEMS,
                         SAMPLES = THREADS * ITEMS, WARP_DIGITS = DIGITS / WARPS, /* that a warp scans */
        SAMPLE_WORDS = SAMPLES / 32;                                              /* of a bit for each rank */
    static_assert(SAMPLES <= 1 << BI_KDTREE_SAMPLE_BITS, "a word holds the number of a sample");
};

/* --- Sort --------------------------------------------------------------------------------------------------------- */

/* counts: of each warp's digits, later the position of the first one. A row has two more, so that lanes that read a
 * column use different banks. */
template <class S> struct sort_shared {
    unsigned long long slots[S::SAMPLES];
    union {
        uint16_t counts[S::WARPS][DIGITS + 2];
        uint16_t runs[S::SAMPLES + 1]; /* where the samples of each rank begin */
    };
    uint32_t totals[DIGITS];
};

/* The position of a thread's item r. */
template <class S> __device__ __forceinline__ uint32_t position_of_item(int r)
{
    return threadIdx.x / 32 * S::WARP_ITEMS + (uint32_t)r * 32 + threadIdx.x % 32;
}

/* Turns the warps' counts of digits into positions. All threads call it; the barriers complete the counts, the totals
 * and the positions. */
template <class S> static __device__ __forceinline__ void scan_digits(sort_shared<S> &sh)
{
    const uint32_t lane = threadIdx.x % 32, first = threadIdx.x / 32 * S::WARP_DIGITS;
    uint32_t before[S::WARP_DIGITS]; /* digits of earlier warps than `lane` */
    __syncthreads();
    /* 1. Scan each digit over the warps, a lane a warp. */
#pragma unroll
    for (int k = 0; k < S::WARP_DIGITS; k++) {
        const uint32_t own = lane < S::WARPS ? sh.counts[lane][first + k] : 0, sum = bi_warp_inclusive_sum(own);
        before[k] = sum - own;
        if (lane == 31) sh.totals[first + k] = sum;
    }
    __syncthreads();
    /* 2. Scan the totals. A lane sums those of the digits that one warp scans. */
    uint32_t totals[S::WARP_DIGITS], all = 0;
#pragma unroll
    for (int k = 0; k < S::WARP_DIGITS; k++) all += lane < S::WARPS ? sh.totals[lane * S::WARP_DIGITS + k] : 0;
    uint32_t start = __shfl_sync(~0u, bi_warp_inclusive_sum(all) - all, (int)(threadIdx.x / 32));
#pragma unroll
    for (int k = 0; k < S::WARP_DIGITS; k++) totals[k] = sh.totals[first + k];
#pragma unroll
    for (int k = 0; k < S::WARP_DIGITS; k++) {
        if (lane < S::WARPS) sh.counts[lane][first + k] = (uint16_t)(start + before[k]);
        start += totals[k];
    }
    __syncthreads();
}

/* Sorts words by the digit from bit `shift` on, stably. All threads call it. */
template <class S>
static __device__ __forceinline__ void sort_by_digit(sort_shared<S> &sh, unsigned long long (&a)[S::ITEMS], int shift)
{
    uint16_t *counts = sh.counts[threadIdx.x / 32];
    const uint32_t lane = threadIdx.x % 32;
    uint32_t rank[S::ITEMS];
    /* 1. Rank each item among those of the warp with the same digit. The warp barriers publish the zeros, and separate
     * the reads of counts from their updates. */
    for (uint32_t i = lane; i < DIGITS; i += 32) counts[i] = 0;
    __syncwarp();
#pragma unroll
    for (int r = 0; r < S::ITEMS; r++) {
        const uint32_t digit = (uint32_t)(a[r] >> shift) & (DIGITS - 1);
        unsigned peers = ~0u; /* lanes with the same digit */
#pragma unroll
        for (int b = 0; b < DIGIT_BITS; b++) {
            const int32_t top = (int32_t)(digit << (31 - b));
            peers &= ~(__ballot_sync(~0u, top < 0) ^ (unsigned)(top >> 31));
        }
        rank[r] = counts[digit] + (uint32_t)__popc(peers & bi_lanes_below());
        __syncwarp();
        if (peers >> lane == 1) counts[digit] = (uint16_t)(rank[r] + 1);
        __syncwarp();
    }
    /* 2. Move the items. The barriers before the writes end all reads of the slots; the last one publishes them. */
    scan_digits(sh);
#pragma unroll
    for (int r = 0; r < S::ITEMS; r++) sh.slots[counts[(uint32_t)(a[r] >> shift) & (DIGITS - 1)] + rank[r]] = a[r];
    __syncthreads();
#pragma unroll
    for (int r = 0; r < S::ITEMS; r++) a[r] = sh.slots[position_of_item<S>(r)];
}

/* --- Packed keys -------------------------------------------------------------------------------------------------- */

/* The packing of the sample's keys, by word of the superkey that begins at coordinate 0; of ids at last. */
template <int DIM, class KEYS> struct sample_packing {
    static constexpr int WORDS = DIM * KEYS::SORT_WORDS + 1;
    uint32_t most[WORDS], differences[WORDS]; /* most: complement of the least */
    bi_kdtree_packing of[WORDS];
    int bits; /* of all */
};

template <class S, int DIM, class KEYS> struct order_shared {
    sort_shared<S> sort;
    sample_packing<DIM, KEYS> packing;
};

/* The number of the sample of a sorted word. */
__device__ __forceinline__ uint32_t sample_of(unsigned long long word)
{
    return (uint32_t)word & ((1u << BI_KDTREE_SAMPLE_BITS) - 1);
}

template <int DIM, class KEYS>
__device__ __forceinline__ uint32_t word_of(const KEYS &keys, const bi_kdtree_point<DIM> &p, int t)
{
    if (t == DIM * KEYS::SORT_WORDS) return p.id;
    const int c = t / KEYS::SORT_WORDS;
    return keys.sort_word(bi_kdtree_coordinate<DIM>(p, c), p.id, c, t % KEYS::SORT_WORDS);
}

/* Packs by packing.most and packing.differences, and sums up the bits; the barrier publishes them. */
template <int DIM, class KEYS> static __device__ __forceinline__ void finish_packing(sample_packing<DIM, KEYS> &packing)
{
    const uint32_t t = threadIdx.x;
    if (t < 32) {
        bi_kdtree_packing own = {0, 0, 0};
        if (t < sample_packing<DIM, KEYS>::WORDS)
            packing.of[t] = own = bi_kdtree_packing_of(~packing.most[t], packing.differences[t]);
        const uint32_t bits = bi_warp_sum(own.bits);
        if (t == 0) packing.bits = (int)bits;
    }
    __syncthreads();
}

/* Finds the packing of all samples. All threads call it; the barriers complete the zeros, the least words, the
 * differences, and the packing. */
template <class S, int DIM, class KEYS>
static __device__ __forceinline__ void find_packing(sample_packing<DIM, KEYS> &packing, const KEYS &keys,
                                                    const bi_kdtree_point<DIM> (&p)[S::ITEMS], uint32_t samples)
{
    constexpr int WORDS = sample_packing<DIM, KEYS>::WORDS;
    const uint32_t t = threadIdx.x;
    /* 1. Find the least word of each kind. */
    if (t < WORDS) packing.most[t] = packing.differences[t] = 0;
    __syncthreads();
#pragma unroll
    for (int w = 0; w < WORDS; w++) {
        uint32_t most = 0;
#pragma unroll
        for (int r = 0; r < S::ITEMS; r++)
            if (position_of_item<S>(r) < samples) most = max(most, ~word_of<DIM>(keys, p[r], w));
        most = bi_warp_max(most);
        if (t % 32 == 0) atomicMax(&packing.most[w], most);
    }
    __syncthreads();
    /* 2. Unite the differences from it. */
#pragma unroll
    for (int w = 0; w < WORDS; w++) {
        uint32_t differences = 0;
#pragma unroll
        for (int r = 0; r < S::ITEMS; r++)
            if (position_of_item<S>(r) < samples) differences |= word_of<DIM>(keys, p[r], w) - ~packing.most[w];
        differences = bi_warp_or(differences);
        if (t % 32 == 0) atomicOr(&packing.differences[w], differences);
    }
    __syncthreads();
    finish_packing(packing);
}

/* Packs the bits in which samples differ from predecessors of equal keys so far. Other bits are the same among samples
 * that share these keys. heads: a bit for each item whose keys differ from those of its predecessor. The barriers
 * complete the zeros, the differences, and the packing. */
template <class S, int DIM, class KEYS, class SAMPLE>
static __device__ __forceinline__ void find_remainder(order_shared<S, DIM, KEYS> &sh, const KEYS &keys,
                                                      const unsigned long long (&a)[S::ITEMS], uint32_t heads,
                                                      uint32_t samples, SAMPLE sample)
{
    constexpr int WORDS = sample_packing<DIM, KEYS>::WORDS;
    sample_packing<DIM, KEYS> &packing = sh.packing;
    const uint32_t t = threadIdx.x;
    uint32_t differences[WORDS] = {0};
    /* 1. Compare with the predecessors. */
    if (t < WORDS) packing.most[t] = ~0u, packing.differences[t] = 0;
    __syncthreads();
#pragma unroll
    for (int r = 0; r < S::ITEMS; r++) {
        const uint32_t i = position_of_item<S>(r);
        if (heads >> r & 1 || i >= samples) continue;
        const bi_kdtree_point<DIM> p = sample(sample_of(a[r])), before = sample(sample_of(sh.sort.slots[i - 1]));
#pragma unroll
        for (int w = 0; w < WORDS; w++) differences[w] |= word_of<DIM>(keys, p, w) ^ word_of<DIM>(keys, before, w);
    }
    /* 2. Unite the differences, and pack. */
#pragma unroll
    for (int w = 0; w < WORDS; w++) {
        differences[w] = bi_warp_or(differences[w]);
        if (t % 32 == 0 && differences[w]) atomicOr(&packing.differences[w], differences[w]);
    }
    __syncthreads();
    finish_packing(packing);
}

/* Returns the bits [from, from + width) of the packed keys of p: the id is lowest, coordinate d highest. */
template <int DIM, class KEYS>
static __device__ __forceinline__ unsigned long long chunk_of(const sample_packing<DIM, KEYS> &packing,
                                                              const KEYS &keys, const bi_kdtree_point<DIM> &p, int d,
                                                              int from, int width)
{
    constexpr int WORDS = sample_packing<DIM, KEYS>::WORDS;
    unsigned long long chunk = 0;
    int at = -from; /* where a word begins in the chunk */
#pragma unroll
    for (int i = WORDS - 1; i >= 0; i--) {
        int t = i + d * KEYS::SORT_WORDS;
        if (i < WORDS - 1 && t >= WORDS - 1) t -= WORDS - 1;
        if (i == WORDS - 1) t = i;
        const bi_kdtree_packing of = packing.of[t];
        if (at + (int)of.bits > 0) {
            const unsigned long long key =
                (word_of<DIM>(keys, p, t) - of.low) >> of.shift & (uint32_t)((1ull << of.bits) - 1);
            chunk |= at < 0 ? key >> -at : key << at;
        }
        at += (int)of.bits;
    }
    return chunk & ((1ull << width) - 1);
}

/* --- Order -------------------------------------------------------------------------------------------------------- */

/* Finds the items, as bits, whose keys differ from those of their predecessors in order; sets rank[] to the number of
 * such items up to each, less one. The barriers complete the sums of warps. */
template <class S>
static __device__ __forceinline__ uint32_t find_heads(sort_shared<S> &sh, const unsigned long long (&a)[S::ITEMS],
                                                      uint32_t (&rank)[S::ITEMS])
{
    const uint32_t lane = threadIdx.x % 32, w = threadIdx.x / 32;
    uint32_t heads = 0, own = 0;
#pragma unroll
    for (int r = 0; r < S::ITEMS; r++) {
        const uint32_t i = position_of_item<S>(r);
        const bool head = i == 0 || (sh.slots[i - 1] ^ a[r]) >> BI_KDTREE_SAMPLE_BITS;
        const unsigned mask = __ballot_sync(~0u, head);
        rank[r] = own + (uint32_t)__popc(mask & (bi_lanes_below() | 1u << lane)) - 1;
        own += (uint32_t)__popc(mask);
        heads |= (uint32_t)head << r;
    }
    if (lane == 0) sh.totals[w] = own;
    __syncthreads();
    const uint32_t before = bi_warp_sum(lane < w ? sh.totals[lane] : 0);
#pragma unroll
    for (int r = 0; r < S::ITEMS; r++) rank[r] += before;
    return heads;
}

/* Orders the samples of each rank, if they are few, by comparison, and returns true. All threads call it; the barriers
 * publish the runs, end the reads of the slots, and publish the order. */
template <class S, int DIM, class KEYS, class SAMPLE>
static __device__ __forceinline__ bool order_runs(sort_shared<S> &sh, const KEYS &keys, uint32_t heads,
                                                  const uint32_t (&rank)[S::ITEMS], int d, uint32_t samples,
                                                  SAMPLE sample, unsigned long long (&a)[S::ITEMS])
{
    /* 1. Find the runs. */
#pragma unroll
    for (int r = 0; r < S::ITEMS; r++) {
        const uint32_t i = position_of_item<S>(r);
        if (heads >> r & 1) sh.runs[rank[r]] = (uint16_t)i;
        if (i == S::SAMPLES - 1) sh.runs[rank[r] + 1] = (uint16_t)S::SAMPLES;
    }
    __syncthreads();
    bool has_long = false;
#pragma unroll
    for (int r = 0; r < S::ITEMS; r++)
        has_long |= position_of_item<S>(r) < samples && sh.runs[rank[r] + 1] - sh.runs[rank[r]] > SHORT_RUN;
    if (__syncthreads_or(has_long)) return false;
    /* 2. Count the samples of the run that precede each. */
    uint32_t at[S::ITEMS];
#pragma unroll
    for (int r = 0; r < S::ITEMS; r++) {
        const uint32_t i = position_of_item<S>(r), begin = sh.runs[rank[r]], end = sh.runs[rank[r] + 1];
        at[r] = i;
        if (i >= samples || end - begin == 1) continue;
        const bi_kdtree_point<DIM> p = sample(sample_of(a[r]));
        at[r] = begin;
        for (uint32_t o = begin; o < end; o++)
            at[r] += keys.template precedes<DIM>(sample(sample_of(sh.slots[o])), p, d);
    }
    __syncthreads();
    /* 3. Move them. */
#pragma unroll
    for (int r = 0; r < S::ITEMS; r++) sh.slots[at[r]] = a[r];
    __syncthreads();
#pragma unroll
    for (int r = 0; r < S::ITEMS; r++) a[r] = sh.slots[position_of_item<S>(r)];
    return true;
}

/* Sorts the sample by the superkey that begins with coordinate d, in rounds; sh.packing packs all of it. p: the items.
 * Slots without a sample have the greatest words, and stay last. All threads call it. */
template <class S, int DIM, class KEYS, class SAMPLE>
static __device__ __forceinline__ void sort_samples(order_shared<S, DIM, KEYS> &sh, const KEYS &keys,
                                                    const bi_kdtree_point<DIM> (&p)[S::ITEMS], int d, uint32_t samples,
                                                    SAMPLE sample, unsigned long long (&a)[S::ITEMS])
{
    /* 1. Sort by the highest bits. */
    int from = max(sh.packing.bits - CHUNK_BITS, 0), width = sh.packing.bits - from, digits = width;
#pragma unroll
    for (int r = 0; r < S::ITEMS; r++) {
        const uint32_t s = position_of_item<S>(r);
        a[r] =
            (s < samples ? chunk_of<DIM>(sh.packing, keys, p[r], d, from, width) : ~0ull) << BI_KDTREE_SAMPLE_BITS | s;
    }
#pragma unroll 1
    while (true) {
#pragma unroll 1
        for (int digit = 0; digit < digits; digit += DIGIT_BITS)
            sort_by_digit(sh.sort, a, BI_KDTREE_SAMPLE_BITS + digit);
        if (from == 0) return;
        /* 2. Stop if all samples differ. The barrier ends the reads of the slots. */
        uint32_t rank[S::ITEMS];
        const uint32_t heads = find_heads(sh.sort, a, rank);
        bool tied = false;
#pragma unroll
        for (int r = 0; r < S::ITEMS; r++) tied |= !(heads >> r & 1) && position_of_item<S>(r) < samples;
        if (!__syncthreads_or(tied) || order_runs<S, DIM>(sh.sort, keys, heads, rank, d, samples, sample, a)) return;
        /* 3. Sort by the ranks so far, and by the next bits in which samples of a rank differ. */
        find_remainder<S, DIM>(sh, keys, a, heads, samples, sample);
        from = max(sh.packing.bits - (CHUNK_BITS - BI_KDTREE_SAMPLE_BITS), 0);
        width = sh.packing.bits - from;
        digits = width + BI_KDTREE_SAMPLE_BITS;
#pragma unroll
        for (int r = 0; r < S::ITEMS; r++) {
            const uint32_t s = sample_of(a[r]);
            unsigned long long key = ~0ull;
            if (s < samples)
                key = (unsigned long long)rank[r] << width | chunk_of<DIM>(sh.packing, keys, sample(s), d, from, width);
            a[r] = key << BI_KDTREE_SAMPLE_BITS | s;
        }
    }
}

/* Orders the sample of segment blockIdx.x / DIM by the superkey of a coordinate. Writes the numbers of its points in
 * order to work.orders, and their positions to work.positions; the block of coordinate 0 also the sample, and the
 * ranges of the segment and its destinations. A failed pass may have lost points, so that slots hold stale ids, which
 * must not be used as indices. Segments are then empty, and later kernels find empty lists. */
template <class S, int DIM, class KEYS>
static __global__ void __launch_bounds__(S::THREADS, 1024 / S::THREADS)
    bi_kdtree_order_samples(const bi_kdtree_pass pass, const KEYS keys, const bi_kdtree_source from,
                            const bi_kdtree_pass_memory work)
{
    using shared = struct order_shared<S, DIM, KEYS>;
    BI_SHARED_DYNAMIC(shared, memory);
    shared &sh = *memory;
    bi_kdtree_begin_kernel();
    const uint32_t segment = blockIdx.x / DIM, d = blockIdx.x % DIM, t = threadIdx.x;
    const struct bi_kdtree_range range = bi_kdtree_subtree(pass.n, pass.level, segment);
    const uint32_t begin = (uint32_t)range.begin, size = (uint32_t)(range.end - range.begin);
    const size_t row = ((size_t)segment * DIM + d) * pass.samples; /* of orders and positions */
    const bool failed = *work.failed != 0;
    if (d == 0 && t == 0) work.segments[segment] = make_uint2(begin, failed ? begin : begin + size);
    if (failed) return;
    auto sample = [&](uint32_t s) {
        return keys.template read<DIM>(from, begin + bi_kdtree_sample_position(pass, segment, s, size));
    };
    /* 1. Read the sample. */
    bi_kdtree_point<DIM> p[S::ITEMS];
#pragma unroll
    for (int r = 0; r < S::ITEMS; r++)
        if (position_of_item<S>(r) < pass.samples) p[r] = sample(position_of_item<S>(r));
    if (d == 0) {
        bi_kdtree_point<DIM> *points =
            static_cast<bi_kdtree_point<DIM> *>(work.sampled_points) + (size_t)segment * pass.samples;
#pragma unroll
        for (int r = 0; r < S::ITEMS; r++)
            if (position_of_item<S>(r) < pass.samples) points[position_of_item<S>(r)] = p[r];
        if (t < BI_KDTREE_DESTINATIONS)
            work.destinations[segment * BI_KDTREE_DESTINATIONS + t] = bi_kdtree_destination_range(pass, segment, t);
    }
    /* 2. Sort it. */
    find_packing<S, DIM>(sh.packing, keys, p, pass.samples);
    unsigned long long a[S::ITEMS];
    sort_samples<S, DIM>(sh, keys, p, (int)d, pass.samples, sample, a);
    /* 3. Write the order and its inverse. */
#pragma unroll
    for (int r = 0; r < S::ITEMS; r++) {
        const uint32_t i = position_of_item<S>(r), s = sample_of(a[r]);
        if (i >= pass.samples) continue;
        work.orders[row + i] = (uint16_t)s;
        work.positions[row + s] = (uint16_t)i;
    }
}

/* --- Choose ------------------------------------------------------------------------------------------------------- */

enum { NO_MARK = 0xffff, PASS_NODES = (1 << BI_KDTREE_PASS_LEVELS) - 1, PASS_MARKS = PASS_NODES * BI_KDTREE_MARKS };

/* bits: bit i of a node is set if it has the sample at position i; of levels in turn. Marks are in the order of nodes
 * in a heap. */
template <class S> struct choose_shared {
    uint32_t bits[2][MOST_NODES][S::SAMPLE_WORDS];
    uint32_t below[MOST_NODES][S::SAMPLE_WORDS]; /* set bits before a word */
    uint32_t total[MOST_NODES];
    uint32_t pivot[MOST_NODES];    /* position of the sample's median */
    uint16_t position[PASS_MARKS]; /* of a mark in the order of its level; NO_MARK if it is absent */
    float coordinate[PASS_MARKS];  /* of a mark, that of its level */
};

/* Returns the position of bit `rank`, from 0 on, among the set bits of a word that has it. */
__device__ __forceinline__ uint32_t position_in_word(uint32_t word, uint32_t rank)
{
    uint32_t at = 0;
#pragma unroll
    for (uint32_t step = 16; step > 0; step /= 2) {
        const uint32_t lower = (uint32_t)__popc(word & ((1u << step) - 1));
        if (rank < lower) continue;
        rank -= lower;
        word >>= step;
        at += step;
    }
    return at;
}

/* Returns the position of the sample of the given rank in its node. */
template <class S>
static __device__ __forceinline__ uint32_t position_of_rank(const uint32_t *bits, const uint32_t *below, uint32_t rank)
{
    uint32_t word = 0; /* the last one with at most `rank` bits before it */
#pragma unroll
    for (uint32_t step = S::SAMPLE_WORDS / 2; step > 0; step /= 2)
        if (below[word + step] <= rank) word += step;
    return word * 32 + position_in_word(bits[word], rank - below[word]);
}

/* Finds the position of mark m of node i of depth j. With m = BI_KDTREE_MARKS it finds the pivot. */
template <class S>
static __device__ __forceinline__ void find_mark(choose_shared<S> &sh, const bi_kdtree_pass &pass, float unsampled,
                                                 int j, int i, uint32_t m)
{
    const uint32_t total = sh.total[i];
    /* 1. The ranks of the bracket's ends, as in sample_pivots.cu: the rank of the true median among the samples has a
     * standard deviation of sqrt(total) / 2, less for a sample without replacement; 2 ranks more for rounding. */
    const float half = 0.5f * (float)total, reach = pass.deviations * 0.5f * sqrtf((float)total * unsampled) + 2.0f;
    const bool has_low = half >= reach, has_high = half + reach < (float)total;
    const uint32_t low = has_low ? (uint32_t)(half - reach) : 0, high = has_high ? (uint32_t)(half + reach) : total - 1;
    /* 2. The sample of the mark's rank. */
    uint32_t position = NO_MARK;
    if (total > 0 && (m > 0 || has_low) && (m != BI_KDTREE_MARKS - 1 || has_high)) {
        const uint32_t rank =
            m == BI_KDTREE_MARKS ? total / 2 : low + (uint32_t)((uint64_t)(high - low) * m >> BI_KDTREE_MARK_BINS_LOG);
        position = position_of_rank<S>(sh.bits[j % 2][i], sh.below[i], rank);
    }
    if (m == BI_KDTREE_MARKS)
        sh.pivot[i] = position == NO_MARK ? 0 : position;
    else
        sh.position[((1 << j) - 1 + i) * BI_KDTREE_MARKS + m] = (uint16_t)position;
}

/* Writes the marks of all nodes of a segment, and the coordinates of the outermost ones as brackets. */
template <class S, int DIM>
static __device__ __forceinline__ void write_marks(choose_shared<S> &sh, const bi_kdtree_pass &pass,
                                                   const bi_kdtree_pass_memory &work, uint32_t segment)
{
    const uint32_t marks = ((1u << pass.levels) - 1) * BI_KDTREE_MARKS;
    const bi_kdtree_point<DIM> *points =
        static_cast<const bi_kdtree_point<DIM> *>(work.sampled_points) + (size_t)segment * pass.samples;
    bi_kdtree_point<DIM> *to = bi_kdtree_marks_of<DIM>(work, segment, 0);
#pragma unroll 2
    for (uint32_t b = threadIdx.x; b < marks; b += S::THREADS) {
        const uint32_t v = b / BI_KDTREE_MARKS, m = b % BI_KDTREE_MARKS, position = sh.position[b];
        const int d = (pass.first + bi_kdtree_heap_depth((int)v)) % DIM;
        bi_kdtree_point<DIM> mark;
#pragma unroll
        for (int c = 0; c < DIM; c++) mark.x[c] = m == 0 ? -INFINITY : INFINITY;
        mark.id = BI_KDTREE_NONE;
        if (position != NO_MARK)
            mark = points[work.orders[((size_t)segment * DIM + (uint32_t)d) * pass.samples + position]];
        const float x = bi_kdtree_coordinate<DIM>(mark, d);
        float *bracket = &work.brackets[segment * BI_KDTREE_CELLS + v].x;
        if (m == 0) bracket[0] = x;
        if (m == BI_KDTREE_MARKS - 1) bracket[1] = x;
        to[b] = mark;
        sh.coordinate[b] = x;
    }
}

/* True if the thread finds two neighbouring marks of a node with the same coordinate of its level. The barrier
 * publishes the coordinates. */
template <class S>
static __device__ __forceinline__ bool has_tied_marks(const choose_shared<S> &sh, const bi_kdtree_pass &pass)
{
    const uint32_t marks = ((1u << pass.levels) - 1) * BI_KDTREE_MARKS;
    bool tied = false;
    __syncthreads();
    for (uint32_t b = threadIdx.x; b + 1 < marks; b += S::THREADS)
        tied |= b % BI_KDTREE_MARKS != BI_KDTREE_MARKS - 1 && sh.position[b] != NO_MARK &&
                sh.position[b + 1] != NO_MARK && sh.coordinate[b] == sh.coordinate[b + 1];
    return tied;
}

/* Chooses the marks and brackets of all nodes of a segment, a block. */
template <class S, int DIM>
static __global__ void __launch_bounds__(S::THREADS)
    bi_kdtree_choose_marks(const bi_kdtree_pass pass, const bi_kdtree_pass_memory work)
{
    using shared = struct choose_shared<S>;
    BI_SHARED(shared, sh);
    bi_kdtree_begin_kernel();
    if (*work.failed) return;
    const uint32_t segment = blockIdx.x, t = threadIdx.x, lane = t % 32, warp = t / 32;
    const struct bi_kdtree_range range = bi_kdtree_subtree(pass.n, pass.level, segment);
    const float unsampled = fmaxf(0.0f, 1.0f - (float)pass.samples / (float)(range.end - range.begin));
    /* 1. Load the positions of the thread's samples in the orders of the levels. The barrier publishes the zeros. */
    uint32_t position[DIM][S::ITEMS], node[S::ITEMS]; /* node: number within its depth */
#pragma unroll
    for (int k = 0; k < S::ITEMS; k++) {
        const uint32_t s = k * S::THREADS + t;
        node[k] = 0;
#pragma unroll
        for (int j = 0; j < DIM; j++)
            position[j][k] =
                s < pass.samples
                    ? work.positions[((size_t)segment * DIM + (uint32_t)(pass.first + j) % DIM) * pass.samples + s]
                    : 0;
    }
    if (t < S::SAMPLE_WORDS) sh.bits[0][0][t] = 0;
    __syncthreads();
#pragma unroll
    for (int j = 0; j < BI_KDTREE_PASS_LEVELS; j++) {
        if (j == pass.levels) break;
        const uint32_t nodes = 1u << j;
        /* 2. Set the bit of each sample in its node; the barrier completes the bits. */
#pragma unroll
        for (int k = 0; k < S::ITEMS; k++) {
            const uint32_t at = position[j % DIM][k];
            if (k * S::THREADS + t < pass.samples) atomicOr(&sh.bits[j % 2][node[k]][at / 32], 1u << at % 32);
        }
        __syncthreads();
        /* 3. Count the bits before each word, a warp a node, and zero the bits of the next level; the barrier completes
         * both. */
        if (warp < nodes) {
            uint32_t total = 0;
#pragma unroll
            for (int w = 0; w < S::SAMPLE_WORDS; w += 32) {
                const uint32_t own = (uint32_t)__popc(sh.bits[j % 2][warp][w + lane]), sum = bi_warp_inclusive_sum(own);
                sh.below[warp][w + lane] = total + sum - own;
                total += __shfl_sync(~0u, sum, 31);
            }
            if (lane == 0) sh.total[warp] = total;
        }
        if (j + 1 < BI_KDTREE_PASS_LEVELS)
            for (uint32_t b = t; b < 2 * nodes * S::SAMPLE_WORDS; b += S::THREADS)
                sh.bits[(j + 1) % 2][b / S::SAMPLE_WORDS][b % S::SAMPLE_WORDS] = 0;
        __syncthreads();
        /* 4. Find the marks and the pivot of each node; the barrier publishes the pivots. */
        for (uint32_t b = t; b < nodes * (BI_KDTREE_MARKS + 1); b += S::THREADS)
            find_mark(sh, pass, unsampled, j, (int)(b / (BI_KDTREE_MARKS + 1)), b % (BI_KDTREE_MARKS + 1));
        __syncthreads();
        /* 5. Descend by the pivots. The next barrier ends their reads. */
#pragma unroll
        for (int k = 0; k < S::ITEMS; k++)
            if (k * S::THREADS + t < pass.samples) node[k] = 2 * node[k] + (position[j % DIM][k] > sh.pivot[node[k]]);
    }
    /* 6. Write the marks. */
    write_marks<S, DIM>(sh, pass, work, segment);
    if (__syncthreads_or(has_tied_marks(sh, pass)) && t == 0) atomicOr(work.tied, 1u);
}

/* Launches both kernels of a pass, with blocks S. */
template <class S, int DIM, class KEYS>
static bosc_status launch_samples(bosc_ctx *ctx, const bi_kdtree_pass &pass, const KEYS &keys,
                                  const bi_kdtree_source &from, const bi_kdtree_pass_memory &work)
{
    auto order = bi_kdtree_order_samples<S, DIM, KEYS>;
    auto choose = bi_kdtree_choose_marks<S, DIM>;
    const int bytes = (int)sizeof(order_shared<S, DIM, KEYS>);
    if (bytes > 48 << 10) /* more than kernels have by default */
        BI_CUDA_TRY(ctx, cudaFuncSetAttribute(order, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
    BI_TRY(BI_RUN(ctx, order, pass.segments * DIM, S::THREADS, bytes, pass, keys, from, work));
    return BI_KDTREE_RUN_NEXT(ctx, choose, pass.segments, S::THREADS, 0, pass, work);
}

template <int DIM, class KEYS>
bosc_status bi_kdtree_run_sample_superkeys(bosc_ctx *ctx, const bi_kdtree_pass &pass, const KEYS &keys,
                                           const bi_kdtree_source &from, const bi_kdtree_pass_memory &work)
{
    using usual = sample_block<1024, 4>;
    using large = sample_block<1024, 8>;
    if (pass.samples > usual::SAMPLES) return launch_samples<large, DIM>(ctx, pass, keys, from, work);
    return launch_samples<usual, DIM>(ctx, pass, keys, from, work);
}

#define INSTANCE(DIM, KEYS)                                         \
    template bosc_status bi_kdtree_run_sample_superkeys<DIM, KEYS>( \
        bosc_ctx *, const bi_kdtree_pass &, const KEYS &, const bi_kdtree_source &, const bi_kdtree_pass_memory &);
BI_KDTREE_EACH_KIND(INSTANCE)
