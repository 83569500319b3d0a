/* Histograms: in shared memory if the bins fit, with several copies of few bins to reduce conflicts of atomics; else in
 * device memory. */
#include "core/cuda/collectives.cuh"
#include "core/cuda/launch.cuh"

enum { THREADS = 512, SHARED_COUNTERS = 12 * 1024 /* 48 KiB */, MAX_COPIES = 32, PER_THREAD = 8 };

static __global__ void __launch_bounds__(THREADS)
    bi_core_histogram_shared(const uint32_t *bins, int64_t n, uint32_t n_bins, uint32_t copies,
                             unsigned long long *counts, uint32_t *bad)
{
    BI_SHARED_DYNAMIC(uint32_t, counters);
    for (uint32_t c = threadIdx.x; c < n_bins * copies; c += THREADS) counters[c] = 0;
    __syncthreads();
    /* 1. Count in this thread's copy of the bins. */
    uint32_t copy = threadIdx.x % copies;
    bool wrong = false;
    int64_t step = (int64_t)gridDim.x * THREADS;
    for (int64_t i = blockIdx.x * (int64_t)THREADS + threadIdx.x; i < n; i += step) {
        uint32_t b = bins[i];
        if (b < n_bins)
            atomicAdd(&counters[b * copies + copy], 1u);
        else
            wrong = true;
    }
    if (wrong) atomicExch(bad, 1u);
    __syncthreads(); /* all counts of the block are in */
    /* 2. Add the copies; threads start at different copies to avoid bank conflicts. */
    for (uint32_t b = threadIdx.x; b < n_bins; b += THREADS) {
        unsigned long long sum = 0;
        for (uint32_t c = 0; c < copies; c++) sum += counters[b * copies + (c + threadIdx.x) % copies];
        if (sum) atomicAdd(&counts[b], sum);
    }
}

static __global__ void __launch_bounds__(THREADS)
    bi_core_histogram(const uint32_t *bins, int64_t n, uint32_t n_bins, unsigned long long *counts, uint32_t *bad)
{
    int64_t step = (int64_t)gridDim.x * THREADS;
    bool wrong = false;
    for (int64_t i = blockIdx.x * (int64_t)THREADS + threadIdx.x; i < n; i += step) {
        uint32_t b = bins[i];
        if (b < n_bins)
            atomicAdd(&counts[b], 1ull);
        else
            wrong = true;
    }
    if (wrong) atomicExch(bad, 1u);
}

bosc_status bi_cuda_histogram(bosc_ctx *ctx, const uint32_t *bins, int64_t n, int64_t n_bins, int64_t *counts,
                              uint32_t *bad)
{
    unsigned long long *c = (unsigned long long *)counts;
    BI_TRY(ctx->backend->fill(ctx, counts, 0, (size_t)n_bins * sizeof *counts));
    if (n == 0) return BOSC_OK;
    if (n_bins > SHARED_COUNTERS)
        return BI_RUN(ctx, bi_core_histogram, bi_grid_size(ctx, n, THREADS * PER_THREAD), THREADS, 0, bins, n,
                      (uint32_t)n_bins, c, bad);
    uint32_t copies = SHARED_COUNTERS / 2 / (uint32_t)n_bins; /* half of the shared memory, so that more blocks fit */
    copies = copies < 1 ? 1 : copies > MAX_COPIES ? (uint32_t)MAX_COPIES : copies;
    /* A block counts in 32 bits: the grid is large enough that no block gets 2^32 elements. 4 blocks of 512 threads
     * fill a multiprocessor. */
    int64_t grid = bi_grid_size(ctx, n, THREADS * PER_THREAD), resident = (int64_t)ctx->multiprocessors * 4;
    if (grid > resident) grid = resident;
    if (grid < n >> 31) grid = (n >> 31) + 1;
    return BI_RUN(ctx, bi_core_histogram_shared, (unsigned)grid, THREADS, (size_t)n_bins * copies * 4, bins, n,
                  (uint32_t)n_bins, copies, c, bad);
}
