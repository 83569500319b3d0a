/* Exact selection by (superkey, id) from a list of points, by one block: a radix select, which ends by ranking few
 * candidates directly. */
#ifndef BI_KDTREE_CUDA_SAMPLED_SELECT_MEDIAN_CUH
#define BI_KDTREE_CUDA_SAMPLED_SELECT_MEDIAN_CUH

#include "kdtree/cuda/sampled/multilevel_pass.cuh"

enum { BI_KDTREE_CANDIDATES = 256 }; /* ranked directly; chosen */

template <int DIM> struct bi_kdtree_select_shared {
    uint32_t bins[BI_KDTREE_LIST_BINS];
    uint32_t warp_sums[32];
    uint32_t bin, rank, count, collected; /* bin of the selected member, its rank there; size of the bin; candidates */
    bi_kdtree_point<DIM> candidates[BI_KDTREE_CANDIDATES];
    bi_kdtree_point<DIM> median;
    bool found;
};

/* The points whose first `fixed` words (of the superkey that begins at d, then the id) equal `values`, and whose next
 * word lies in [low, low + span]. */
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

/* sh.median = member `rank`, in order, of the points of a range among load(0) ... load(count - 1); sh.found = false if
 * it does not exist. Each round counts keys in bins and narrows the range, until few points remain, which are ranked by
 * comparison. If keys are equal, the next word of the superkey follows; so a round is one scan of the list for any
 * input. */
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
    __syncthreads();
    /* 3. A warp ranks a candidate by counting the ones that precede it; the barrier publishes the median. */
    const uint32_t found = min(sh.collected, (uint32_t)BI_KDTREE_CANDIDATES);
    for (uint32_t c = t / 32; c < found; c += THREADS / 32) {
        const bi_kdtree_point<DIM> p = sh.candidates[c];
        uint32_t less = 0;
        for (uint32_t o = 0; o < found; o += 32) {
            const uint32_t other = min(o + t % 32, found - 1);
            less += __popc(__ballot_sync(~0u, o + t % 32 < found &&
                                                  keys.template precedes<DIM>(sh.candidates[other], p, range.d)));
        }
        if (less == rank && t % 32 == 0) {
            sh.median = p;
            sh.found = true;
        }
    }
    __syncthreads();
}

#endif
