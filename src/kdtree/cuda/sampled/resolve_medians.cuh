/* Selects the exact medians of a pass from side lists, depth by depth; the remainder of each list goes down. */
#ifndef BI_KDTREE_CUDA_SAMPLED_RESOLVE_MEDIANS_CUH
#define BI_KDTREE_CUDA_SAMPLED_RESOLVE_MEDIANS_CUH

#include "kdtree/cuda/sampled/multilevel_pass.cuh"

/* --- Selection ---------------------------------------------------------------------------------------------------- */

/* Exact selection by (superkey, id) from a list of points, by one block: a radix select, which ends by ranking few
 * candidates directly. */

/* Ranked directly: each is compared with all, 2^16 comparisons by a block. Another round of the radix select, with its
 * barriers and a pass over the list, would leave less. Not measured. */
enum { BI_KDTREE_CANDIDATES = 256 };

/* Builds by superkey select a median by marks if its bin has more points than this, and all share a coordinate. Marks
 * are different points, so their number is the least value. Measured on an H200, 2^22 points: lattice 1.82 ms, without
 * 1.90; scans, where a radix round suffices, by marks too 1.52, else 1.48. */
#ifdef BI_EMULATE
enum { BI_KDTREE_UNMARKED = BI_KDTREE_MARKS };
#else
enum { BI_KDTREE_UNMARKED = BI_KDTREE_CANDIDATES };
#endif

template <int DIM> struct bi_kdtree_select_shared {
    uint32_t bins[BI_KDTREE_LIST_BINS];
    uint32_t warp_sums[32];
    uint32_t bin, rank, count, collected; /* bin of the selected member, its rank there; size of the bin; candidates */
    bi_kdtree_point<DIM> candidates[BI_KDTREE_CANDIDATES];
    bi_kdtree_point<DIM> median;
    bool found;
};

/* A range of points: the first `fixed` words equal `values`, and the next word lies in [low, low + span]. Words are
 * those of the superkey from d on, then the id. */
template <int DIM, class KEYS> struct bi_kdtree_key_range {
    static constexpr int WORDS = DIM * KEYS::SELECT_WORDS; /* words of coordinates, without the id */
    int d, fixed;
    uint32_t values[WORDS];
    uint32_t low, span;
};

/* Returns the coordinate of word `at` of the superkey that begins at d. */
template <int DIM, class KEYS> __device__ __forceinline__ int bi_kdtree_coordinate_at(int d, int at)
{
    const int c = d + at / KEYS::SELECT_WORDS;
    return c >= DIM ? c - DIM : c;
}

/* Returns word `at` of the superkey that begins at d; the id after the last. */
template <int DIM, class KEYS>
__device__ __forceinline__ uint32_t bi_kdtree_superkey_at(const KEYS &keys, const bi_kdtree_point<DIM> &p, int d,
                                                          int at)
{
    if (at == DIM * KEYS::SELECT_WORDS) return p.id;
    return keys.template select_word<DIM>(p, bi_kdtree_coordinate_at<DIM, KEYS>(d, at), at % KEYS::SELECT_WORDS);
}

template <int DIM, class KEYS>
__device__ __forceinline__ bool bi_kdtree_in_range(const KEYS &keys, const bi_kdtree_key_range<DIM, KEYS> &r,
                                                   const bi_kdtree_point<DIM> &p, uint32_t *offset)
{
    bool in = true;
#pragma unroll
    for (int i = 0; i < bi_kdtree_key_range<DIM, KEYS>::WORDS; i++)
        in = in && (i >= r.fixed || bi_kdtree_superkey_at<DIM>(keys, p, r.d, i) == r.values[i]);
    if (!in) return false;
    *offset = bi_kdtree_superkey_at<DIM>(keys, p, r.d, r.fixed) - r.low;
    return *offset <= r.span;
}

/* Fixes word `fixed` of the range to range.low, and opens the next word that is not empty to all values. */
template <int DIM, class KEYS>
__device__ __forceinline__ void bi_kdtree_fix_word(const KEYS &keys, bi_kdtree_key_range<DIM, KEYS> &range)
{
    constexpr int WORDS = bi_kdtree_key_range<DIM, KEYS>::WORDS;
    do {
#pragma unroll
        for (int i = 0; i < WORDS; i++)
            if (i == range.fixed) range.values[i] = range.low;
        range.fixed++;
        range.low = 0;
    } while (range.fixed < WORDS && keys.empty_select_word(bi_kdtree_coordinate_at<DIM, KEYS>(range.d, range.fixed),
                                                           range.fixed % KEYS::SELECT_WORDS));
    range.span = ~0u;
}

/* Returns the shift that maps a range of keys to at most 2^11 = BI_KDTREE_LIST_BINS bins. */
__device__ __forceinline__ uint32_t bi_kdtree_bin_shift(uint32_t span)
{
    int bits = 32 - __clz((int)span);
    return bits > 11 ? bits - 11 : 0;
}

/* Finds the bin of member `rank` among the counts in sh.bins: sets sh.bin, sh.rank (within it) and sh.count, which is 0
 * if there are fewer members. Called by all threads; the first barrier publishes the sums of warps, the second the
 * result. */
template <int THREADS, class SHARED>
__device__ __forceinline__ void bi_kdtree_find_list_bin(SHARED &sh, uint32_t rank, int bins = BI_KDTREE_LIST_BINS)
{
    /* 1. Scan the sums of the threads' bins. */
    const int t = threadIdx.x, lane = t % 32, each = bins > THREADS ? bins / THREADS : 1;
    const int first = min(t * each, bins), limit = min(first + each, bins);
    uint32_t own = 0;
    for (int b = first; b < limit; b++) own += sh.bins[b];
    uint32_t sum = bi_warp_inclusive_sum(own);
    if (lane == 31) sh.warp_sums[t / 32] = sum;
    if (t == 0) sh.count = 0;
    __syncthreads();
    /* 2. The thread whose bins hold the member finds the bin. */
    uint32_t below = sum - own;
    for (int w = 0; w < t / 32; w++) below += sh.warp_sums[w];
    for (int b = first; b < limit; b++) {
        uint32_t c = sh.bins[b];
        if (below <= rank && rank - below < c) {
            sh.bin = b;
            sh.rank = rank - below;
            sh.count = c;
        }
        below += c;
    }
    __syncthreads();
}

/* Ranks the first `count` of sh.candidates by the superkey that begins at d and by id: calls receive(i, rank of i) once
 * for each. A warp ranks a candidate by counting the ones that precede it. All threads call it. */
template <int DIM, int THREADS, class KEYS, class F>
static __device__ __forceinline__ void bi_kdtree_rank_candidates(const bi_kdtree_select_shared<DIM> &sh,
                                                                 const KEYS &keys, int d, uint32_t count, F receive)
{
    const uint32_t t = threadIdx.x;
    for (uint32_t c = t / 32; c < count; c += THREADS / 32) {
        const bi_kdtree_point<DIM> p = sh.candidates[c];
        uint32_t less = 0;
        for (uint32_t o = 0; o < count; o += 32) {
            const uint32_t other = min(o + t % 32, count - 1);
            less += __popc(
                __ballot_sync(~0u, o + t % 32 < count && keys.template precedes<DIM>(sh.candidates[other], p, d)));
        }
        if (t % 32 == 0) receive(c, less);
    }
}

/* sh.median = the candidate of a rank; sh.found = false if it does not exist. All threads call it; the barriers publish
 * the candidates, then the median. */
template <int DIM, int THREADS, class KEYS>
static __device__ __forceinline__ void bi_kdtree_choose_candidate(bi_kdtree_select_shared<DIM> &sh, const KEYS &keys,
                                                                  int d, uint32_t rank)
{
    __syncthreads();
    bi_kdtree_rank_candidates<DIM, THREADS>(sh, keys, d, min(sh.collected, (uint32_t)BI_KDTREE_CANDIDATES),
                                            [&](uint32_t c, uint32_t less) {
                                                if (less != rank) return;
                                                sh.median = sh.candidates[c];
                                                sh.found = true;
                                            });
    __syncthreads();
}

/* sh.median = member `rank`, in order, of the points of a range among load(0) ... load(count - 1); sh.found = false if
 * it does not exist. Each round counts keys in bins and narrows the range, until few points remain, which are ranked by
 * comparison. If keys are equal, the next word of the superkey follows; so a round is one scan of the list for any
 * input. All threads call it. Other points of the list are ignored. */
template <int DIM, int THREADS, class KEYS, class GET>
__device__ void bi_kdtree_select_median(bi_kdtree_select_shared<DIM> &sh, const KEYS &keys,
                                        bi_kdtree_key_range<DIM, KEYS> range, GET load, uint32_t count, uint32_t rank)
{
    const uint32_t t = threadIdx.x;
    /* 1. Narrow the range. The barriers end the use of the bins in the round before, publish the zeros, and complete
     * the counts. */
    uint32_t remaining = count;
    while (remaining > BI_KDTREE_CANDIDATES) {
        const uint32_t shift = bi_kdtree_bin_shift(range.span);
        __syncthreads();
        for (int b = t; b < BI_KDTREE_LIST_BINS; b += THREADS) sh.bins[b] = 0;
        __syncthreads();
#pragma unroll 4
        for (uint32_t e = t; e < count; e += THREADS) {
            uint32_t offset;
            if (bi_kdtree_in_range<DIM>(keys, range, load(e), &offset)) atomicAdd(&sh.bins[offset >> shift], 1u);
        }
        __syncthreads();
        bi_kdtree_find_list_bin<THREADS>(sh, rank);
        remaining = sh.count;
        rank = sh.rank;
        range.low += sh.bin << shift;
        range.span = (1u << shift) - 1;
        if (shift > 0) continue;
        if (range.fixed == range.WORDS) break; /* ids are different, unless points were lost before */
        bi_kdtree_fix_word(keys, range);
    }
    /* 2. Collect the points of the range. The barriers separate the last reads of the bins from the reset, publish it,
     * and complete the collection. */
    __syncthreads();
    if (t == 0) {
        sh.collected = 0;
        sh.found = false;
    }
    __syncthreads();
    for (uint32_t e = t; e < count; e += THREADS) {
        uint32_t offset;
        bi_kdtree_point<DIM> p = load(e);
        if (!bi_kdtree_in_range<DIM>(keys, range, p, &offset)) continue;
        uint32_t slot = atomicAdd(&sh.collected, 1u);
        if (slot < BI_KDTREE_CANDIDATES) sh.candidates[slot] = p;
    }
    /* 3. Rank them. */
    bi_kdtree_choose_candidate<DIM, THREADS>(sh, keys, range.d, rank);
}

/* --- Resolution --------------------------------------------------------------------------------------------------- */

/* A node whose list is being resolved. */
struct list_node {
    uint32_t segment, v;  /* heap index v within the segment */
    uint32_t list, count; /* in the side array */
    uint32_t mid, rank;   /* of the median: in-order position, and rank in the list */
    bool valid;           /* the median is in the list */
};

/* Locates node `node` of depth j (of all segments), and the rank of its median in the list: the number of points that
 * the less side lacks, now that the lists above are resolved. Called by the first warp; writes to shared memory, and
 * the caller adds a barrier. A median outside the list sets work.failed: the build restarts on a slower path. */
static __device__ __forceinline__ void locate_node(list_node *node_list, const bi_kdtree_pass &pass,
                                                   const bi_kdtree_pass_memory &work, uint32_t node, int j)
{
    /* 1. Sum the points that arrived on the less side: from the partition (0), and from lists of depth d (d + 1). A
     * lane stands for a destination, and counts if it is below the less child of v, whose heap index + 1 is 2v + 2. */
    const int lane = threadIdx.x;
    const uint32_t segment = node >> j, v = (1u << j) - 1 + (node & ((1u << j) - 1));
    uint32_t heap = lane < BI_KDTREE_CELLS ? lane + (1u << pass.levels) : lane - BI_KDTREE_CELLS + 1;
    bool used = lane < BI_KDTREE_CELLS ? lane < (1 << pass.levels) : lane - BI_KDTREE_CELLS + 1 < (1 << pass.levels);
    int depth = 31 - __clz((int)heap);
    uint32_t less = 0;
    if (used && depth > j && heap >> (depth - j - 1) == 2 * v + 2)
        for (int from = 0; from <= j; from++)
            less += work.arrivals[(segment * BI_KDTREE_PASS_LEVELS + from) * BI_KDTREE_DESTINATIONS + lane];
    for (int o = 16; o > 0; o >>= 1) less += __shfl_xor_sync(~0u, less, o);
    if (lane != 0) return;
    /* 2. Lane 0 describes the node. */
    struct bi_kdtree_range r = bi_kdtree_subtree(pass.n, pass.level + j, node);
    const uint2 list = work.destinations[segment * BI_KDTREE_DESTINATIONS + BI_KDTREE_CELLS + v];
    const uint32_t size = (uint32_t)(bi_kdtree_mid(r) - r.begin);
    const uint32_t count = min(work.cursors[segment * BI_KDTREE_DESTINATIONS + BI_KDTREE_CELLS + v], list.y);
    node_list->segment = segment;
    node_list->v = v;
    node_list->list = list.x;
    node_list->count = count;
    node_list->mid = (uint32_t)bi_kdtree_mid(r);
    node_list->rank = size - less;
    node_list->valid = less <= size && size - less < count;
    if (!node_list->valid) atomicOr(work.failed, 2u);
    /* A failure of an earlier kernel may have lost points. */
    if (bi_load_relaxed(work.failed)) node_list->valid = false;
}

/* Points per thread and batch, whose loads overlap (more need more registers), and sides of the median: the less and
 * the greater child, the list itself, and none, for the median. */
enum { PUSH_ITEMS = 4, LESS = 0, GREATER = 1, STAYS = 2, GONE = 3 };

/* Moves the points load(first) ... load(limit - 1) of a list down; side_of(point) is the side of the median. It runs
 * twice for a list: by the median's bin, where the points of that bin STAY, then by the median itself, where none do.
 * Points that STAY are packed from slot `staying_at` of `side` on, at or before their own slots. Returns their number.
 * All threads call it; scatter.count is 0 before and after. With pass.counted, the bins of deeper lists count their new
 * points. A destination beyond its capacity drops points and sets work.failed. */
template <int DIM, int THREADS, class KEYS, class GET, class SIDE>
static __device__ __forceinline__ uint32_t push_points(bi_kdtree_segment_scatter<DIM, KEYS> &scatter, const KEYS &keys,
                                                       const list_node &node_list, const bi_kdtree_pass &pass,
                                                       const bi_kdtree_array &to, const bi_kdtree_pass_memory &work,
                                                       uint32_t first, uint32_t limit, uint32_t staying_at, GET load,
                                                       SIDE side_of)
{
    const uint32_t t = threadIdx.x;
    const int j = bi_kdtree_heap_depth((int)node_list.v), d = bi_kdtree_next_coordinate<DIM>((pass.first + j) % DIM);
    uint32_t staying_count = 0;
    for (uint32_t batch = first; batch < limit; batch += THREADS * PUSH_ITEMS) {
        /* 1. Read a batch. */
        bi_kdtree_point<DIM> p[PUSH_ITEMS];
        uint32_t placed[PUSH_ITEMS]; /* destination << 16 | rank, which is less than THREADS * PUSH_ITEMS <= 2^12 */
#pragma unroll
        for (int k = 0; k < PUSH_ITEMS; k++) {
            const uint32_t e = batch + k * THREADS + t;
            if (e < limit) p[k] = load(e);
        }
        /* 2. Find the destination of each point and its rank there; the barrier completes the counts. */
#pragma unroll
        for (int k = 0; k < PUSH_ITEMS; k++) {
            placed[k] = ~0u;
            if (batch + k * THREADS + t >= limit) continue;
            const int side = side_of(p[k]);
            if (side == GONE) continue;
            uint32_t destination = BI_KDTREE_STAYING;
            if (side != STAYS)
                destination = bi_kdtree_classify(scatter, keys, bi_kdtree_point_by_axes(scatter, p[k]),
                                                 2 * (int)node_list.v + 1 + side, d, pass.levels);
            placed[k] = destination << 16 | bi_kdtree_segment_scatter_count<DIM, false>(
                                                scatter, keys, pass, work, node_list.segment, destination, p[k]);
        }
        __syncthreads();
        /* 3. Reserve slots: ranks begin at 0, and j + 1 stands for a list of depth j. The barrier makes the slots
         * visible, and ends all reads of the counts. */
        const uint32_t staying_of_batch = scatter.count[BI_KDTREE_STAYING];
        if (t < BI_KDTREE_DESTINATIONS)
            bi_kdtree_segment_scatter_reserve(scatter, work, node_list.segment, t, 0, j + 1);
        /* The reservation skips STAYING. */
        if (t == BI_KDTREE_STAYING) scatter.target[t] = make_uint2(staying_at + staying_count, ~0u);
        staying_count += staying_of_batch;
        __syncthreads();
        /* 4. Write the batch; the barrier makes the zeroed counts visible, and ends all reads of the targets. */
        if (t < BI_KDTREE_DESTINATIONS) scatter.count[t] = 0;
#pragma unroll
        for (int k = 0; k < PUSH_ITEMS; k++)
            if (placed[k] != ~0u)
                bi_kdtree_segment_scatter_write<DIM>(scatter, to, work.side, placed[k] >> 16, placed[k] & 0xffff, p[k]);
        __syncthreads();
    }
    return staying_count;
}

/* The marks of a node, in builds by superkey. */
template <int DIM, bool BY_SUPERKEY> struct node_marks {
    __device__ __forceinline__ void load(const bi_kdtree_pass_memory &, uint32_t, int) {}
    __device__ __forceinline__ const bi_kdtree_point<DIM> *get() const { return nullptr; }
};
template <int DIM> struct node_marks<DIM, true> {
    bi_kdtree_point<DIM> marks[BI_KDTREE_MARKS];

    /* Loads the marks of node v; the caller adds a barrier. */
    __device__ __forceinline__ void load(const bi_kdtree_pass_memory &work, uint32_t segment, int v)
    {
        if (threadIdx.x < BI_KDTREE_MARKS) marks[threadIdx.x] = bi_kdtree_marks_of<DIM>(work, segment, v)[threadIdx.x];
    }
    __device__ __forceinline__ const bi_kdtree_point<DIM> *get() const { return marks; }
};

template <int DIM, class KEYS> struct resolve_shared {
    list_node node_list;
    bi_kdtree_select_shared<DIM> select;
    bi_kdtree_segment_scatter<DIM, KEYS> scatter;
    node_marks<DIM, KEYS::BY_SUPERKEY> marks;
    uint32_t begins[BI_KDTREE_MOST_CHUNKS + 1]; /* of the staying points of each chunk */
    uint32_t last;
};

/* Returns true in the last of a node's blocks to call it. That block sees all writes of the others: each releases its
 * writes by a fence before it draws a ticket, and the last acquires them by a fence after. */
static __device__ __forceinline__ bool is_last_block(uint32_t *last, const list_node &node_list,
                                                     const bi_kdtree_pass_memory &work, uint32_t *counts_of_chunks,
                                                     uint32_t chunk, uint32_t chunks, uint32_t staying_count)
{
    if (threadIdx.x == 0) counts_of_chunks[chunk] = staying_count;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0)
        *last = atomicAdd(&work.list_tickets[node_list.segment * BI_KDTREE_CELLS + node_list.v], 1u) == chunks - 1;
    __syncthreads();
    if (!*last) return false;
    __threadfence();
    return true;
}

/* begins[i] = staying points of the chunks before chunk i. The barrier makes them visible to the block. */
static __device__ __forceinline__ void sum_chunks(uint32_t *begins, const uint32_t *counts_of_chunks, uint32_t chunks)
{
    const uint32_t t = threadIdx.x;
    uint32_t exclusive_prefix = 0;
    if (t < 32) {
        for (uint32_t p = 0; p < chunks; p += 32) {
            const uint32_t own = p + t < chunks ? __ldcg(&counts_of_chunks[p + t]) : 0;
            uint32_t sum = bi_warp_inclusive_sum(own);
            if (p + t < chunks) begins[p + t] = exclusive_prefix + sum - own;
            exclusive_prefix += __shfl_sync(~0u, sum, 31);
        }
        if (t == 0) begins[chunks] = exclusive_prefix;
    }
    __syncthreads();
}

/* Counts the points first ... limit - 1 of the side array in the bins of their list. The barrier completes the
 * counts. */
template <int DIM, int THREADS, class KEYS>
static __device__ __forceinline__ void count_points(uint32_t *bins, const KEYS &keys, const bi_kdtree_array &side,
                                                    const bi_kdtree_list_scale &scale,
                                                    const bi_kdtree_point<DIM> *marks, uint32_t first, uint32_t limit)
{
#pragma unroll 4
    for (uint32_t e = first + threadIdx.x; e < limit; e += THREADS)
        atomicAdd(&bins[bi_kdtree_list_bin<DIM>(keys, scale, marks, bi_kdtree_load_point<DIM>(side, e))], 1u);
    __syncthreads();
}

/* Four points a thread, whose searches of the marks overlap. Measured, with 16: 21 us for lists of 100,000 points. */
enum { COUNT_THREADS = 256, COUNT_CHUNK = 4 * COUNT_THREADS };

template <int DIM> struct count_shared {
    node_marks<DIM, true> marks;
    uint32_t bins[1 << BI_KDTREE_MARK_BINS_LOG];
};

/* Returns the blocks that count a list of depth j. */
static __host__ __device__ __forceinline__ uint32_t count_blocks_of(const bi_kdtree_pass &pass, int j)
{
    return (pass.side_limit[j] + COUNT_CHUNK - 1) / COUNT_CHUNK;
}

/* Counts the lists of all segments in work.list_bins, in builds by superkey, before points go down from one list to
 * another. segment_blocks: those of the lists of a segment. */
template <int DIM, class KEYS>
static __global__ void __launch_bounds__(COUNT_THREADS)
    bi_kdtree_count_lists(const bi_kdtree_pass pass, const KEYS keys, const bi_kdtree_pass_memory work,
                          uint32_t segment_blocks)
{
    using shared = struct count_shared<DIM>;
    BI_SHARED(shared, sh);
    bi_kdtree_begin_kernel();
    /* 1. Find the block's list: node v, of depth j. */
    const uint32_t t = threadIdx.x, segment = blockIdx.x / segment_blocks;
    uint32_t block = blockIdx.x % segment_blocks, chunks = count_blocks_of(pass, 0);
    int j = 0;
#pragma unroll
    for (int depth = 1; depth < BI_KDTREE_PASS_LEVELS; depth++) {
        if (j != depth - 1 || block < chunks << j) continue;
        block -= chunks << j;
        j = depth;
        chunks = count_blocks_of(pass, depth);
    }
    const int v = (1 << j) - 1 + (int)(block / chunks);
    const uint32_t destination = segment * BI_KDTREE_DESTINATIONS + BI_KDTREE_CELLS + (uint32_t)v;
    const uint2 list = work.destinations[destination];
    const uint32_t count = min(work.cursors[destination], list.y), first = block % chunks * COUNT_CHUNK;
    if (first >= count) return;
    /* 2. Load the marks; the barrier makes them and the zeros visible. */
    sh.marks.load(work, segment, v);
    if (t < 1u << BI_KDTREE_MARK_BINS_LOG) sh.bins[t] = 0;
    __syncthreads();
    /* 3. Count the chunk in shared memory, then add the counts to those of the list. */
    bi_kdtree_list_scale scale = {};
    scale.d = (uint16_t)((pass.first + j) % DIM);
    count_points<DIM, COUNT_THREADS>(sh.bins, keys, work.side, scale, sh.marks.get(), list.x + first,
                                     list.x + min(first + COUNT_CHUNK, count));
    uint32_t *bins = bi_kdtree_list_bins_of(pass, work, segment, (uint32_t)v);
    if (t < 1u << BI_KDTREE_MARK_BINS_LOG && sh.bins[t]) atomicAdd(&bins[t], sh.bins[t]);
}

/* Returns the side of a bin on which p lies, as bi_kdtree_list_bin numbers bins: by the marks at the ends of the bin
 * alone, which all threads read. */
template <int DIM, class KEYS>
static __device__ __forceinline__ int side_of_marked_bin(const KEYS &keys, const bi_kdtree_point<DIM> *marks,
                                                         uint32_t bin, const bi_kdtree_point<DIM> &p, int d)
{
    const bool is_last = bin + 1 == 1u << BI_KDTREE_MARK_BINS_LOG || marks[bin + 1].id == BI_KDTREE_NONE;
    const bool is_less = keys.template precedes_evenly<DIM>(p, marks[bin], d);
    const bool is_in = keys.template precedes_evenly<DIM>(p, marks[bin + 1], d);
    return bin > 0 && is_less ? LESS : is_last || is_in ? STAYS : GREATER;
}

/* Run by all blocks of a list: moves all points but those of the median's bin down. Returns the staying ones. */
template <int DIM, int THREADS, class KEYS>
static __device__ __forceinline__ uint32_t push_other_bins(resolve_shared<DIM, KEYS> &sh, const bi_kdtree_pass &pass,
                                                           const KEYS &keys, const bi_kdtree_array &to,
                                                           const bi_kdtree_pass_memory &work, uint32_t first,
                                                           uint32_t limit)
{
    const list_node node_list = sh.node_list;
    const bi_kdtree_list_scale scale = sh.scatter.scale[node_list.v];
    const uint32_t bin = sh.select.bin;
    auto load = [&](uint32_t e) { return bi_kdtree_load_point<DIM>(work.side, node_list.list + e); };
    auto side_of = [&](const bi_kdtree_point<DIM> &p) {
        if constexpr (KEYS::BY_SUPERKEY) return side_of_marked_bin(keys, sh.marks.get(), bin, p, scale.d);
        const uint32_t b = bi_kdtree_list_bin<DIM>(keys, scale, nullptr, p);
        return b == bin ? (int)STAYS : b < bin ? (int)LESS : (int)GREATER;
    };
    return push_points<DIM, THREADS>(sh.scatter, keys, node_list, pass, to, work, first, limit, node_list.list + first,
                                     load, side_of);
}

/* Returns a range of superkeys that has the points of a list's bin: an interval of the first word. With BY_SUPERKEY,
 * the bin begins at mark `bin` and ends at the next one; absent marks are the outermost. Words that both share are
 * fixed. */
template <int DIM, class KEYS>
static __device__ __forceinline__ bi_kdtree_key_range<DIM, KEYS>
range_of_bin(const KEYS &keys, const bi_kdtree_list_scale &scale, const bi_kdtree_point<DIM> *marks, uint32_t bin)
{
    bi_kdtree_key_range<DIM, KEYS> range;
    range.d = scale.d;
    range.fixed = 0;
    for (int i = 0; i < range.WORDS; i++) range.values[i] = 0;
    range.low = scale.low + (bin << scale.shift);
    range.span = (1u << scale.shift) - 1;
    if constexpr (KEYS::BY_SUPERKEY) {
        const bi_kdtree_point<DIM> low = marks[bin], high = marks[bin + 1];
        const bool has_low = low.id != BI_KDTREE_NONE, has_high = high.id != BI_KDTREE_NONE;
        uint32_t begin = has_low ? bi_kdtree_superkey_at<DIM>(keys, low, scale.d, 0) : 0;
        uint32_t end = has_high ? bi_kdtree_superkey_at<DIM>(keys, high, scale.d, 0) : ~0u;
#pragma unroll
        for (int i = 0; i < range.WORDS; i++) {
            if (range.fixed != i || begin != end || !has_low || !has_high) continue;
            range.values[i] = begin;
            range.fixed = i + 1;
            begin = bi_kdtree_superkey_at<DIM>(keys, low, scale.d, i + 1);
            end = bi_kdtree_superkey_at<DIM>(keys, high, scale.d, i + 1);
        }
        range.low = begin;
        range.span = end - begin;
    }
    return range;
}

/* Selects member `rank` of load(0) ... load(count - 1), as bi_kdtree_select_median, by marks of its own: points at even
 * distances, in order. Overwrites sh.marks. Returns false, with nothing selected, if more points than candidates lie
 * between two marks. A radix select takes one or two rounds for each word of the superkey that many points share: up to
 * six for 2^20 points of a lattice, by simulation. All threads call it. */
template <int DIM, int THREADS, class KEYS, class GET>
static __device__ __forceinline__ bool select_by_marks(resolve_shared<DIM, KEYS> &sh, const KEYS &keys, int d, GET load,
                                                       uint32_t count, uint32_t rank)
{
    enum { BINS = 1 << BI_KDTREE_MARK_BINS_LOG };
    const uint32_t t = threadIdx.x;
    const bi_kdtree_point<DIM> *marks = sh.marks.get();
    bi_kdtree_list_scale scale = {};
    scale.d = (uint16_t)d;
    /* 1. Load the marks and rank them. The barriers end the reads of the marks before, and publish both. */
    __syncthreads();
    if (t < BINS) sh.select.bins[t] = 0;
    if (t < BINS - 1) sh.select.candidates[t] = load((uint32_t)((uint64_t)t * count >> BI_KDTREE_MARK_BINS_LOG));
    __syncthreads();
    bi_kdtree_rank_candidates<DIM, THREADS>(sh.select, keys, d, BINS - 1, [&](uint32_t c, uint32_t less) {
        sh.marks.marks[1 + less] = sh.select.candidates[c];
    });
    __syncthreads();
    /* 2. Count the points between marks; the barrier completes the counts. */
    for (uint32_t e = t; e < count; e += THREADS)
        atomicAdd(&sh.select.bins[bi_kdtree_list_bin<DIM>(keys, scale, marks, load(e))], 1u);
    __syncthreads();
    bi_kdtree_find_list_bin<THREADS>(sh.select, rank, BINS);
    const uint32_t bin = sh.select.bin;
    if (sh.select.count > BI_KDTREE_CANDIDATES) return false;
    /* 3. Collect the points of the median's bin, and rank them; the barrier publishes the reset. */
    if (t == 0) {
        sh.select.collected = 0;
        sh.select.found = false;
    }
    __syncthreads();
    for (uint32_t e = t; e < count; e += THREADS) {
        const bi_kdtree_point<DIM> p = load(e);
        if (bin > 0 && keys.template precedes<DIM>(p, marks[bin], d)) continue;
        if (bin + 1 < BINS && !keys.template precedes<DIM>(p, marks[bin + 1], d)) continue;
        const uint32_t slot = atomicAdd(&sh.select.collected, 1u);
        if (slot < BI_KDTREE_CANDIDATES) sh.select.candidates[slot] = p;
    }
    bi_kdtree_choose_candidate<DIM, THREADS>(sh.select, keys, d, sh.select.rank);
    return true;
}

/* Run by the last block of a list: selects the median among the staying points, and moves the others down. Destinations
 * have slots of their own, so no write reaches a staying point that is still to be read. Without a median it sets
 * *failed, and the build restarts on a slower path. */
template <int DIM, int THREADS, class KEYS>
static __device__ __forceinline__ void
push_median_bin(resolve_shared<DIM, KEYS> &sh, const bi_kdtree_pass &pass, const KEYS &keys, const bi_kdtree_array &to,
                const bi_kdtree_array &nodes, const bi_kdtree_pass_memory &work, uint32_t chunks, uint32_t chunk_size)
{
    const list_node node_list = sh.node_list;
    const bi_kdtree_list_scale scale = sh.scatter.scale[node_list.v];
    const uint32_t rank = sh.select.rank, count = sh.begins[chunks];
    /* 1. Select the median. Staying points lie in chunks; fresh loads see the writes of other blocks. */
    const bi_kdtree_key_range<DIM, KEYS> range = range_of_bin<DIM, KEYS>(keys, scale, sh.marks.get(), sh.select.bin);
    auto load = [&](uint32_t e) {
        uint32_t chunk = 0;
        for (uint32_t step = BI_KDTREE_MOST_CHUNKS / 2; step > 0; step /= 2)
            if (chunk + step < chunks && sh.begins[chunk + step] <= e) chunk += step;
        return bi_kdtree_load_point_fresh<DIM>(work.side, node_list.list + chunk * chunk_size + e - sh.begins[chunk]);
    };
    bool selected = false;
    if constexpr (KEYS::BY_SUPERKEY)
        if (range.fixed > 0 && count > BI_KDTREE_UNMARKED)
            selected = select_by_marks<DIM, THREADS>(sh, keys, scale.d, load, count, rank);
    if (!selected) bi_kdtree_select_median<DIM, THREADS>(sh.select, keys, range, load, count, rank);
    /* 2. Write it. */
    if (!sh.select.found) {
        if (threadIdx.x == 0) atomicOr(work.failed, 4u);
        return;
    }
    const bi_kdtree_point<DIM> median = sh.select.median;
    if (threadIdx.x == 0) keys.template store<DIM>(nodes, node_list.mid, median);
    /* 3. Move the other points down. */
    auto side_of = [&](const bi_kdtree_point<DIM> &p) {
        return p.id == median.id                                 ? (int)GONE
               : keys.template precedes<DIM>(p, median, scale.d) ? (int)LESS
                                                                 : (int)GREATER;
    };
    push_points<DIM, THREADS>(sh.scatter, keys, node_list, pass, to, work, 0, count, 0, load, side_of);
}

/* Resolves the lists of depth j of all segments, `chunks` blocks a list. Launches ascend in j. After a failure, which
 * work.failed records, blocks return and the build starts again. */
template <int DIM, int THREADS, class KEYS>
static __global__ void __launch_bounds__(THREADS)
    bi_kdtree_resolve_medians(const bi_kdtree_pass pass, const KEYS keys, const bi_kdtree_array to,
                              const bi_kdtree_array nodes, const bi_kdtree_pass_memory work, int j, uint32_t chunks,
                              uint32_t chunk_size)
{
    using shared = struct resolve_shared<DIM, KEYS>;
    BI_SHARED(shared, sh);
    bi_kdtree_begin_kernel();
    const uint32_t t = threadIdx.x, node = blockIdx.x / chunks, chunk = blockIdx.x % chunks;
    /* 1. Load the node, its tables and bins; the barrier makes them visible. */
    if (t < 32) {
        locate_node(&sh.node_list, pass, work, node, j);
        bi_kdtree_segment_scatter_prepare<DIM>(sh.scatter, pass, keys, work, node >> j, t);
    }
    const uint32_t v = (1u << j) - 1 + (node & ((1u << j) - 1));
    const uint32_t *bins = bi_kdtree_list_bins_of(pass, work, node >> j, v);
    for (int b = t; b < 1 << pass.list_log; b += THREADS) sh.select.bins[b] = pass.counted ? bins[b] : 0;
    sh.marks.load(work, node >> j, (int)v);
    __syncthreads();
    const uint32_t count = sh.node_list.count, first = chunk * chunk_size;
    if (!sh.node_list.valid) return;
    /* 2. Find the bin of the median. */
    if (!pass.counted)
        count_points<DIM, THREADS>(sh.select.bins, keys, work.side, sh.scatter.scale[v], sh.marks.get(),
                                   sh.node_list.list, sh.node_list.list + count);
    bi_kdtree_find_list_bin<THREADS>(sh.select, sh.node_list.rank, 1 << pass.list_log);
    /* 3. Move the points of the other bins down. */
    const uint32_t limit = min(count, first + chunk_size);
    const uint32_t staying_count = push_other_bins<DIM, THREADS>(sh, pass, keys, to, work, first, limit);
    /* 4. The last block of the list continues, with the staying points of all blocks. */
    uint32_t *counts_of_chunks = work.kept + (size_t)node * chunks;
    if (chunks > 1) {
        if (!is_last_block(&sh.last, sh.node_list, work, counts_of_chunks, chunk, chunks, staying_count)) return;
        sum_chunks(sh.begins, counts_of_chunks, chunks);
    } else {
        if (t == 0) {
            sh.begins[0] = 0;
            sh.begins[1] = staying_count;
        }
        __syncthreads();
    }
    /* 5. Select the median among them. */
    push_median_bin<DIM, THREADS>(sh, pass, keys, to, nodes, work, chunks, chunk_size);
}

template <int DIM, class KEYS>
bosc_status bi_kdtree_run_resolve_medians(bosc_ctx *ctx, const bi_kdtree_pass &pass, const KEYS &keys,
                                          const bi_kdtree_array &to, const bi_kdtree_array &nodes,
                                          const bi_kdtree_pass_memory &work)
{
    /* The larger blocks where the grid does not fill the device. Measured: where blocks of 1,024 are more than one a
     * multiprocessor, long lists take 46 us, with 512 31. */
    auto large = bi_kdtree_resolve_medians<DIM, 1024, KEYS>;
    auto medium = bi_kdtree_resolve_medians<DIM, 512, KEYS>;
    auto small = bi_kdtree_resolve_medians<DIM, 256, KEYS>;
    if constexpr (KEYS::BY_SUPERKEY) {
        auto counting = bi_kdtree_count_lists<DIM, KEYS>;
        uint32_t blocks = 0; /* of a segment */
        for (int j = 0; j < pass.levels; j++) blocks += count_blocks_of(pass, j) << j;
        if (pass.counted)
            BI_TRY(
                BI_KDTREE_RUN_NEXT(ctx, counting, pass.segments * blocks, COUNT_THREADS, 0, pass, keys, work, blocks));
    }
    for (int j = 0; j < pass.levels; j++) {
        const uint32_t chunks = pass.chunks[j], chunk_size = pass.chunk_size[j], grid = (pass.segments << j) * chunks;
        if (grid <= (uint32_t)ctx->multiprocessors || (chunks == 1 && grid <= 2 * (uint32_t)ctx->multiprocessors))
            BI_TRY(BI_KDTREE_RUN_NEXT(ctx, large, grid, 1024, 0, pass, keys, to, nodes, work, j, chunks, chunk_size));
        else if (chunks > 1)
            BI_TRY(BI_KDTREE_RUN_NEXT(ctx, medium, grid, 512, 0, pass, keys, to, nodes, work, j, chunks, chunk_size));
        else
            BI_TRY(BI_KDTREE_RUN_NEXT(ctx, small, grid, 256, 0, pass, keys, to, nodes, work, j, chunks, chunk_size));
    }
    return BOSC_OK;
}

/* An instance for the points of one dimension and their keys. */
#define BI_KDTREE_RESOLVE_INSTANCE(DIM, KEYS)                                                                       \
    template bosc_status bi_kdtree_run_resolve_medians<DIM, KEYS>(bosc_ctx *, const bi_kdtree_pass &, const KEYS &, \
                                                                  const bi_kdtree_array &, const bi_kdtree_array &, \
                                                                  const bi_kdtree_pass_memory &);

#endif
