/* Brackets by superkey, for points with many equal coordinates: their ends are points of a sample, and its order by
 * (superkey, id) is total. So a bracket holds its share of the points for any data. In two launches a pass:
 *
 * 1. Order: a block for each coordinate of a segment sorts the sample by the superkey that begins with it, and by id.
 *    Keys are packed: their least value is subtracted, and bits that all share are left out. A radix sort takes digits
 *    of the packed keys, from the lowest on.
 * 2. Choose: level by level, a node has a bit for each position in an order, set for its samples. Counts of bits give
 *    the order statistics of its sample. */
#include "kdtree/cuda/sampled/multilevel_pass.cuh"

enum {
    SORT_THREADS = 1024,
    SORT_ITEMS = BI_KDTREE_SORTED_SAMPLE / SORT_THREADS, /* per thread, in registers */
    SORT_WARPS = SORT_THREADS / 32,
    WARP_ITEMS = 32 * SORT_ITEMS,
    DIGIT_BITS = 7,
    DIGITS = 1 << DIGIT_BITS,
    WARP_DIGITS = DIGITS / SORT_WARPS, /* that a warp scans */
    /* Bits of a superkey in a sort: seven digits. A word of 64 bits holds them and the number of the sample. */
    CHUNK_BITS = 7 * DIGIT_BITS,
    MOST_NODES = 1 << (BI_KDTREE_PASS_LEVELS - 1),
    SAMPLE_WORDS = BI_KDTREE_SORTED_SAMPLE / 32 /* of a bit for each rank */
};
static_assert(CHUNK_BITS + BI_KDTREE_SAMPLE_BITS <= 64, "a word holds a chunk and a number");

/* --- Sort --------------------------------------------------------------------------------------------------------- */

/* counts: of each warp's digits, later the position of the first one. A row has two more, so that lanes that read a
 * column use different banks. */
struct sort_shared {
    unsigned long long slots[BI_KDTREE_SORTED_SAMPLE];
    uint16_t counts[SORT_WARPS][DIGITS + 2];
    uint32_t totals[DIGITS];
};

/* The position of a thread's item r. */
__device__ __forceinline__ uint32_t position_of_item(int r)
{
    return threadIdx.x / 32 * WARP_ITEMS + (uint32_t)r * 32 + threadIdx.x % 32;
}

/* Turns the warps' counts of digits into positions. All threads call it; the barriers complete the counts, the totals
 * and the positions. */
static __device__ __forceinline__ void scan_digits(sort_shared &sh)
{
    const uint32_t lane = threadIdx.x % 32, first = threadIdx.x / 32 * WARP_DIGITS;
    uint32_t before[WARP_DIGITS]; /* digits of earlier warps than `lane` */
    __syncthreads();
    /* 1. Scan each digit over the warps, a lane a warp. */
#pragma unroll
    for (int k = 0; k < WARP_DIGITS; k++) {
        const uint32_t own = sh.counts[lane][first + k], sum = bi_warp_inclusive_sum(own);
        before[k] = sum - own;
        if (lane == 31) sh.totals[first + k] = sum;
    }
    __syncthreads();
    /* 2. Scan the totals. A lane sums those of the digits that one warp scans. */
    uint32_t totals[WARP_DIGITS], all = 0;
#pragma unroll
    for (int k = 0; k < WARP_DIGITS; k++) all += sh.totals[lane * WARP_DIGITS + k];
    uint32_t start = __shfl_sync(~0u, bi_warp_inclusive_sum(all) - all, (int)(threadIdx.x / 32));
#pragma unroll
    for (int k = 0; k < WARP_DIGITS; k++) totals[k] = sh.totals[first + k];
#pragma unroll
    for (int k = 0; k < WARP_DIGITS; k++) {
        sh.counts[lane][first + k] = (uint16_t)(start + before[k]);
        start += totals[k];
    }
    __syncthreads();
}

/* Sorts words by the digit from bit `shift` on, stably. All threads call it. */
static __device__ __forceinline__ void sort_by_digit(sort_shared &sh, unsigned long long (&a)[SORT_ITEMS], int shift)
{
    uint16_t *counts = sh.counts[threadIdx.x / 32];
    const uint32_t lane = threadIdx.x % 32;
    uint32_t rank[SORT_ITEMS];
    /* 1. Rank each item among those of the warp with the same digit. The warp barriers publish the zeros, and separate
     * the reads of counts from their updates. */
    for (uint32_t i = lane; i < DIGITS; i += 32) counts[i] = 0;
    __syncwarp();
#pragma unroll
    for (int r = 0; r < SORT_ITEMS; r++) {
        const uint32_t digit = (uint32_t)(a[r] >> shift) & (DIGITS - 1);
        unsigned peers = ~0u;
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
    for (int r = 0; r < SORT_ITEMS; r++) sh.slots[counts[(uint32_t)(a[r] >> shift) & (DIGITS - 1)] + rank[r]] = a[r];
    __syncthreads();
#pragma unroll
    for (int r = 0; r < SORT_ITEMS; r++) a[r] = sh.slots[position_of_item(r)];
}

/* --- Packed keys -------------------------------------------------------------------------------------------------- */

/* The packing of the sample's keys, by word of the superkey that begins at coordinate 0; of ids at last. */
template <int DIM, class KEYS> struct sample_packing {
    static constexpr int WORDS = DIM * KEYS::SORT_WORDS + 1;
    uint32_t most[WORDS], differences[WORDS]; /* most: complement of the least */
    bi_kdtree_packing of[WORDS];
    int bits; /* of all */
};

template <int DIM, class KEYS>
__device__ __forceinline__ uint32_t word_of(const KEYS &keys, const bi_kdtree_point<DIM> &p, int t)
{
    if (t == DIM * KEYS::SORT_WORDS) return p.id;
    const int c = t / KEYS::SORT_WORDS;
    return keys.sort_word(bi_kdtree_coordinate<DIM>(p, c), p.id, c, t % KEYS::SORT_WORDS);
}

/* Finds the packing. All threads call it; the barriers complete the zeros, the least words, the differences, and the
 * packing. */
template <int DIM, class KEYS>
static __device__ __forceinline__ void find_packing(sample_packing<DIM, KEYS> &packing, const KEYS &keys,
                                                    const bi_kdtree_point<DIM> (&p)[SORT_ITEMS], uint32_t samples)
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
        for (int r = 0; r < SORT_ITEMS; r++)
            if (position_of_item(r) < samples) most = max(most, ~word_of<DIM>(keys, p[r], w));
        most = bi_warp_max(most);
        if (t % 32 == 0) atomicMax(&packing.most[w], most);
    }
    __syncthreads();
    /* 2. Unite the differences from it. */
#pragma unroll
    for (int w = 0; w < WORDS; w++) {
        uint32_t differences = 0;
#pragma unroll
        for (int r = 0; r < SORT_ITEMS; r++)
            if (position_of_item(r) < samples) differences |= word_of<DIM>(keys, p[r], w) - ~packing.most[w];
        differences = bi_warp_or(differences);
        if (t % 32 == 0) atomicOr(&packing.differences[w], differences);
    }
    __syncthreads();
    /* 3. Pack, and sum up the bits. */
    if (t < 32) {
        bi_kdtree_packing own = {0, 0, 0};
        if (t < WORDS) packing.of[t] = own = bi_kdtree_packing_of(~packing.most[t], packing.differences[t]);
        const uint32_t bits = bi_warp_sum(own.bits);
        if (t == 0) packing.bits = (int)bits;
    }
    __syncthreads();
}

/* Returns the bits [from, from + CHUNK_BITS) of the packed keys of p: the id is lowest, coordinate d highest. */
template <int DIM, class KEYS>
static __device__ __forceinline__ unsigned long long
chunk_of(const sample_packing<DIM, KEYS> &packing, const KEYS &keys, const bi_kdtree_point<DIM> &p, int d, int from)
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
        if (at < CHUNK_BITS && at + (int)of.bits > 0) {
            const uint32_t key = (word_of<DIM>(keys, p, t) - of.low) >> of.shift;
            chunk |= at < 0 ? key >> -at : (unsigned long long)key << at;
        }
        at += (int)of.bits;
    }
    return chunk & ((1ull << CHUNK_BITS) - 1);
}

/* --- Order -------------------------------------------------------------------------------------------------------- */

template <int DIM, class KEYS> struct order_shared {
    sort_shared sort;
    sample_packing<DIM, KEYS> packing;
};

/* Orders the sample of segment blockIdx.x / DIM by the superkey of a coordinate. Writes the numbers of its points in
 * order to work.orders, and their positions to work.positions; the block of coordinate 0 also the sample, and the
 * ranges of the segment and its destinations. A failed pass may have lost points, so that slots hold stale ids, which
 * must not be used as indices. Segments are then empty, and later kernels find empty lists. */
template <int DIM, class KEYS>
static __global__ void __launch_bounds__(SORT_THREADS)
    bi_kdtree_order_samples(const bi_kdtree_pass pass, const KEYS keys, const bi_kdtree_source from,
                            const bi_kdtree_pass_memory work)
{
    using shared = struct order_shared<DIM, KEYS>;
    BI_SHARED(shared, sh);
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
    bi_kdtree_point<DIM> p[SORT_ITEMS];
#pragma unroll
    for (int r = 0; r < SORT_ITEMS; r++)
        if (position_of_item(r) < pass.samples) p[r] = sample(position_of_item(r));
    if (d == 0) {
        bi_kdtree_point<DIM> *points =
            static_cast<bi_kdtree_point<DIM> *>(work.sampled_points) + (size_t)segment * pass.samples;
#pragma unroll
        for (int r = 0; r < SORT_ITEMS; r++)
            if (position_of_item(r) < pass.samples) points[position_of_item(r)] = p[r];
        if (t < BI_KDTREE_DESTINATIONS)
            work.destinations[segment * BI_KDTREE_DESTINATIONS + t] = bi_kdtree_destination_range(pass, segment, t);
    }
    find_packing<DIM>(sh.packing, keys, p, pass.samples);
    /* 2. Sort, a chunk of the superkeys at a time. Slots without a sample have the greatest digits, and stay last. */
    const int bits = sh.packing.bits;
    unsigned long long a[SORT_ITEMS];
#pragma unroll
    for (int r = 0; r < SORT_ITEMS; r++) a[r] = position_of_item(r);
#pragma unroll 1
    for (int first = 0; first < bits; first += CHUNK_BITS) {
#pragma unroll
        for (int r = 0; r < SORT_ITEMS; r++) {
            const uint32_t s = (uint32_t)a[r] & (BI_KDTREE_SORTED_SAMPLE - 1);
            if (s < pass.samples && first > 0) p[r] = sample(s);
            a[r] = (s < pass.samples ? chunk_of<DIM>(sh.packing, keys, p[r], (int)d, first) : ~0ull)
                       << BI_KDTREE_SAMPLE_BITS |
                   s;
        }
#pragma unroll 1
        for (int digit = 0; digit < min(bits - first, (int)CHUNK_BITS); digit += DIGIT_BITS)
            sort_by_digit(sh.sort, a, BI_KDTREE_SAMPLE_BITS + digit);
    }
    /* 3. Write the order and its inverse. */
#pragma unroll
    for (int r = 0; r < SORT_ITEMS; r++) {
        const uint32_t i = position_of_item(r), s = (uint32_t)a[r] & (BI_KDTREE_SORTED_SAMPLE - 1);
        if (i >= pass.samples) continue;
        work.orders[row + i] = (uint16_t)s;
        work.positions[row + s] = (uint16_t)i;
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
    const int d = (pass.first + j) % DIM, v = (1 << j) - 1 + i;
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
        const size_t row = ((size_t)segment * DIM + (uint32_t)d) * pass.samples;
        const uint32_t s = work.orders[row + position];
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
    const int d = (pass.first + j) % DIM;
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
        const int nodes = 1 << j, d = (pass.first + j) % DIM;
        const uint16_t *position = work.positions + ((size_t)segment * DIM + (uint32_t)d) * pass.samples;
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
    auto order = bi_kdtree_order_samples<DIM, KEYS>;
    auto choose = bi_kdtree_choose_marks<DIM>;
    BI_TRY(BI_RUN(ctx, order, pass.segments * DIM, SORT_THREADS, 0, pass, keys, from, work));
    return BI_KDTREE_RUN_NEXT(ctx, choose, pass.segments, SORT_THREADS, 0, pass, work);
}

#define INSTANCE(DIM, KEYS)                                         \
    template bosc_status bi_kdtree_run_sample_superkeys<DIM, KEYS>( \
        bosc_ctx *, const bi_kdtree_pass &, const KEYS &, const bi_kdtree_source &, const bi_kdtree_pass_memory &);
BI_KDTREE_EACH_KIND(INSTANCE)
