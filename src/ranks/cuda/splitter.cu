/* Splitters of sorted arrays, by one block: a round finds the next 8 bits of the splitter's key. Each thread counts the
 * keys less than one candidate in all arrays, within the bounds of the rounds before, so that later rounds read little.
 * The arrays may lie in the memory of other devices, where a read takes about 2 us. The host waits once, at the end. */
#include "ranks/cuda/splitter.cuh"

#include "core/cuda/launch.cuh"

namespace
{

enum { ROUND_BITS = 8, THREADS = 1 << ROUND_BITS }; /* a thread for each candidate of a round */

/* The search, in the device's memory. */
struct device_splitter {
    bosc_dtype dtype;
    int32_t count;
    int64_t position;
    char *const *keys; /* (count) */
    const int64_t *n;  /* (count) */
    /* low, high: bounds of the answer in each array. less: keys of each array less than each candidate. */
    int64_t *low, *high, *less; /* (count), (count), (THREADS, count) */
    int64_t *positions;         /* (count) */
};

struct shared {
    unsigned long long lowest, highest;
};

/* Finds the lowest and the highest key. The barriers separate the initial values from the updates, and these from the
 * reads that follow. */
__device__ void find_range(const device_splitter &s, shared &sh)
{
    if (threadIdx.x == 0) sh = {~0ull, 0};
    __syncthreads();
    for (int32_t q = (int32_t)threadIdx.x; q < s.count; q += THREADS) {
        s.low[q] = 0;
        s.high[q] = s.n[q];
        if (s.n[q] == 0) continue;
        atomicMin(&sh.lowest, (unsigned long long)bi_ranks_key_at(s.dtype, s.keys[q], 0));
        atomicMax(&sh.highest, (unsigned long long)bi_ranks_key_at(s.dtype, s.keys[q], s.n[q] - 1));
    }
    __syncthreads();
}

__global__ void __launch_bounds__(THREADS) bi_ranks_find_splitter(const device_splitter s)
{
    BI_SHARED(shared, sh);
    /* 1. The high bits that all keys share. */
    find_range(s, sh);
    int unknown = sh.lowest > sh.highest ? 0 : bi_bit_length(sh.lowest ^ sh.highest);
    uint64_t key = unknown == 64 ? 0 : sh.highest >> unknown << unknown; /* a shift by 64 is undefined */
    /* 2. The other bits: the greatest candidate with at most `position` keys below it. low[q]: keys of array q less
     * than `key`. high[q]: keys less than key + 2^unknown. */
    while (unknown > 0) {
        const int bits = unknown < ROUND_BITS ? unknown : ROUND_BITS, shift = unknown - bits;
        const bool counts = threadIdx.x < 1u << bits;
        int64_t sum = 0;
        for (int32_t q = 0; q < s.count && counts; q++) {
            const uint64_t candidate = key + ((uint64_t)threadIdx.x << shift);
            const int64_t less = bi_ranks_count_less(s.dtype, s.keys[q], s.low[q], s.high[q], candidate);
            s.less[(int64_t)threadIdx.x * s.count + q] = less;
            sum += less;
        }
        /* The barrier makes the counts of all candidates visible, and ends the reads of the bounds. Sums grow with the
         * candidate, and that of candidate 0, the sum of low, is at most `position`: so chosen >= 0. */
        const int chosen = __syncthreads_count(counts && sum <= s.position) - 1;
        for (int32_t q = (int32_t)threadIdx.x; q < s.count; q += THREADS) {
            s.low[q] = s.less[(int64_t)chosen * s.count + q];
            if (chosen + 1 < 1 << bits) s.high[q] = s.less[((int64_t)chosen + 1) * s.count + q];
        }
        __syncthreads(); /* for the bounds of all arrays, and the reads of the counts */
        key += (uint64_t)chosen << shift;
        unknown = shift;
    }
    /* 3. Keys equal to the splitter's: the first ones in the order of the arrays come before it. */
    if (threadIdx.x == 0) bi_ranks_assign_equal(s.count, s.position, s.low, s.high, s.positions);
}

bosc_status find_splitter(bosc_ctx *ctx, const bi_ranks_splitter *s)
{
    device_splitter d = {s->dtype, s->count, s->position, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr};
    const int64_t count = s->count;
    char **keys;
    int64_t *n;
    BI_TRY(bi_scratch_of(ctx, count, sizeof *keys, &keys));
    BI_TRY(bi_scratch_of(ctx, count, sizeof *n, &n));
    BI_TRY(bi_scratch_of(ctx, count, sizeof *d.low, &d.low));
    BI_TRY(bi_scratch_of(ctx, count, sizeof *d.high, &d.high));
    BI_TRY(bi_scratch_of(ctx, count * THREADS, sizeof *d.less, &d.less));
    BI_TRY(bi_scratch_of(ctx, count, sizeof *d.positions, &d.positions));
    d.keys = keys;
    d.n = n;
    /* The copies are queued. The caller's lists stay until bi_read_back has waited. */
    BI_TRY(ctx->backend->copy(ctx, keys, s->keys, (size_t)count * sizeof *keys));
    BI_TRY(ctx->backend->copy(ctx, n, s->n, (size_t)count * sizeof *n));
    BI_TRY(BI_RUN(ctx, bi_ranks_find_splitter, 1, THREADS, 0, d));
    return bi_read_back(ctx, s->positions, d.positions, (size_t)count * sizeof *n);
}

} // namespace

bosc_status bi_ranks_cuda_find_splitter(bosc_ctx *ctx, const bi_ranks_splitter *s)
{
    BI_RETURN_WITH_SCRATCH(ctx, find_splitter(ctx, s));
}
