/* Sorts lists of neighbours by their distances under mutual reachability: a warp a list, a lane an entry. Neighbouring
 * lanes then access neighbouring entries; with a thread a list, each access of a warp is in another cache line. */
#include "forest/cuda/emst.cuh"

enum {
    THREADS = 128, /* not measured */
    WARPS = THREADS / 32
};

/* An entry: the word of its distance, and the point. Entries that do not count are last. */
struct entry {
    uint64_t word;
    uint32_t point;
};

static __device__ __forceinline__ bool precedes(const entry &x, const entry &y)
{
    return x.word < y.word || (x.word == y.word && x.point < y.point);
}

/* Sorts the entries of a warp: lane i has the i-th one then. Source: Batcher, Sorting Networks and Their Applications
 * (1968), bitonic sort. */
static __device__ __forceinline__ entry sort_lanes(entry own)
{
    const uint32_t lane = threadIdx.x % 32;
#pragma unroll
    for (uint32_t size = 2; size <= 32; size *= 2)
#pragma unroll
        for (uint32_t stride = size / 2; stride > 0; stride /= 2) {
            const entry other = {__shfl_xor_sync(~0u, own.word, stride), __shfl_xor_sync(~0u, own.point, stride)};
            const bool is_low = (lane & stride) == 0, ascends = size == 32 || (lane & size) == 0;
            if (precedes(other, own) == (is_low == ascends)) own = other;
        }
    return own;
}

static __global__ void __launch_bounds__(THREADS) bi_forest_sort_mutual(const bi_emst a, int64_t begin, int64_t end)
{
    const int64_t i = begin + blockIdx.x * (int64_t)WARPS + threadIdx.x / 32, first = i * a.k;
    const int32_t lane = (int32_t)(threadIdx.x % 32);
    if (i >= end) return;
    /* 1. Load the entry, and replace its distance. */
    const uint64_t last = bi_emst_word(a.near_dist2, a.is_64bit, first + a.k - 1);
    entry own = {UINT64_MAX, UINT32_MAX};
    if (lane < a.k && a.near[first + lane] != UINT32_MAX) {
        const uint32_t point = a.near[first + lane];
        const uint64_t distance = bi_emst_word(a.near_dist2, a.is_64bit, first + lane),
                       core = bi_emst_word(a.core, a.is_64bit, i), other = bi_emst_word(a.core, a.is_64bit, point),
                       most = core > other ? core : other, word = distance > most ? distance : most;
        if (word < last) own = {word, point}; /* else a point that the list lacks may be as near */
    }
    /* 2. Sort, and write the list. */
    own = sort_lanes(own);
    __syncwarp(); /* all lanes have read `last` */
    if (lane >= a.k) return;
    a.near[first + lane] = own.point;
    bi_emst_set_word(a.near_dist2, a.is_64bit, first + lane, own.point == UINT32_MAX ? last : own.word);
}

bosc_status bi_emst_cuda_sort_mutual(bosc_ctx *ctx, int64_t n, const bi_emst &a)
{
    struct bi_batches p = bi_batches_of(ctx, n, 1);
    while (bi_next_batch(ctx, &p))
        BI_TRY(BI_RUN_BATCH(ctx, bi_forest_sort_mutual, (unsigned)bi_div_up(p.end - p.begin, WARPS), THREADS, 0, a,
                            p.begin, p.end));
    return p.status;
}
