/* Counts the leaves of a bit field on CUDA, in two launches: counts of all blocks of bits, at the speed of reading
 * them; then the ranks, from these counts. */
#include "cbt/cuda/cbt.cuh"
#include "core/cuda/warp.cuh"

enum {
    WARPS = 16,
    THREADS = WARPS * 32,
    LOADS = 4,                 /* 16-byte loads of a thread in flight: 16 registers */
    CHUNK = WARPS * 4 * LOADS, /* blocks of bits that a block of threads counts at once */
    RANKS = 4,                 /* ranks of a thread at once: one load of 16 bytes */
    RANGE = RANKS * THREADS,
    MAX_RANGES = 1024
};

struct count_args {
    const uint4 *from; /* 8 a block of bits */
    uint4 *to;         /* the tree's own, which may be the same */
    int64_t *ranks;
    int64_t blocks, range_blocks; /* range_blocks: blocks of bits of a block of threads in the second launch */
    uint16_t *counts;             /* (blocks, rounded up to whole chunks) */
    uint32_t *totals;             /* by chunk */
};

/* Loads the lane's part of the 4 LOADS blocks that its warp counts of a chunk: 8 lanes a block, 16 bytes each. */
static __device__ __forceinline__ void load_blocks(const count_args &c, int64_t chunk, uint4 words[LOADS])
{
    const int64_t first = chunk * CHUNK + threadIdx.x / 32 * (4 * LOADS) + threadIdx.x % 32 / 8;
#pragma unroll
    for (int k = 0; k < LOADS; k++) {
        const bool exists = first + 4 * k < c.blocks;
        words[k] = exists ? __ldcs(&c.from[(first + 4 * k) * 8 + threadIdx.x % 8]) : make_uint4(0, 0, 0, 0);
    }
}

/* Counts these blocks; returns the sum over the warp. */
static __device__ __forceinline__ uint32_t count_blocks(const count_args &c, int64_t chunk, const uint4 words[LOADS])
{
    const int64_t first = chunk * CHUNK + threadIdx.x / 32 * (4 * LOADS) + threadIdx.x % 32 / 8;
    uint32_t sums[LOADS], all = 0;
#pragma unroll
    for (int k = 0; k < LOADS; k++)
        sums[k] = (uint32_t)(__popc(words[k].x) + __popc(words[k].y) + __popc(words[k].z) + __popc(words[k].w));
        /* sums over the 8 lanes of a block, all blocks at a time so that shuffles overlap */
#pragma unroll
    for (int d = 1; d < 8; d *= 2)
#pragma unroll
        for (int k = 0; k < LOADS; k++) sums[k] += __shfl_xor_sync(~0u, sums[k], d);
#pragma unroll
    for (int k = 0; k < LOADS; k++) {
        if (threadIdx.x % 8 == 0) c.counts[first + 4 * k] = (uint16_t)sums[k];
        all += threadIdx.x % 8 == 0 ? sums[k] : 0;
    }
    return bi_warp_sum(all);
}

/* Counts chunks. The grid reads neighbouring chunks at a time. Words of the next chunk are loaded before the sums of
 * this one are stored; two sets of sh.warps make one barrier a chunk enough. */
static __global__ void __launch_bounds__(THREADS) bi_cbt_count_blocks(const count_args c)
{
    struct shared {
        uint32_t warps[2][WARPS];
    };
    BI_SHARED(shared, sh);
    const int64_t chunks = (c.blocks + CHUNK - 1) / CHUNK;
    uint4 words[LOADS];
    int parity = 0;
    load_blocks(c, blockIdx.x, words);
    for (int64_t chunk = blockIdx.x; chunk < chunks; chunk += gridDim.x, parity ^= 1) {
        const uint32_t sum = count_blocks(c, chunk, words);
        load_blocks(c, chunk + gridDim.x, words);
        if (threadIdx.x % 32 == 0) sh.warps[parity][threadIdx.x / 32] = sum;
        __syncthreads(); /* the sums of all warps are in sh.warps[parity] */
        if (threadIdx.x >= 32) continue;
        const uint32_t all = bi_warp_sum(threadIdx.x < WARPS ? sh.warps[parity][threadIdx.x] : 0);
        if (threadIdx.x == 0) c.totals[chunk] = all;
    }
}

/* Sum of the first chunks, whose number is a multiple of 4; returned to all threads. */
static __device__ int64_t sum_first_chunks(const count_args &c, int64_t chunks, unsigned long long *sums)
{
    unsigned long long sum = 0, all = 0;
    for (int64_t i = threadIdx.x; i < chunks / 4; i += THREADS) {
        const uint4 x = reinterpret_cast<const uint4 *>(c.totals)[i];
        sum += (unsigned long long)x.x + x.y + x.z + x.w;
    }
    sum = bi_warp_sum(sum);
    if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = sum;
    __syncthreads(); /* the sums of all warps */
    for (int w = 0; w < WARPS; w++) all += sums[w];
    return (int64_t)all;
}

/* Writes ranks, and copies the bits to the tree: in one launch, so that a failure before it leaves the tree as it
 * was. The grid has one block of threads per range of range_blocks, a multiple of RANGE. No range is empty, and the
 * last one may be short. */
static __global__ void __launch_bounds__(THREADS) bi_cbt_make_ranks(const count_args c)
{
    struct shared {
        unsigned long long sums[WARPS];
        uint32_t warps[WARPS];
        uint32_t prefixes[RANGE]; /* leaves before each block, within RANGE blocks */
    };
    BI_SHARED(shared, sh);
    const int64_t begin = blockIdx.x * c.range_blocks, end = min(begin + c.range_blocks, c.blocks);
    /* 1. Leaves before the range, from the totals of chunks. */
    int64_t exclusive_prefix = sum_first_chunks(c, begin / CHUNK, sh.sums);
    /* 2. Ranks of the range, RANGE blocks at a time: scanned RANKS a thread, stored side by side. */
    for (int64_t at = begin; at < end; at += RANGE) {
        const int64_t block = at + RANKS * (int64_t)threadIdx.x;
        uint32_t counts[RANKS], all;
#pragma unroll
        for (int k = 0; k < RANKS; k++) counts[k] = block + k < end ? c.counts[block + k] : 0;
        uint32_t less = bi_block_exclusive_sum<WARPS>(counts[0] + counts[1] + counts[2] + counts[3], sh.warps, &all);
#pragma unroll
        for (int k = 0; k < RANKS; less += counts[k++]) sh.prefixes[RANKS * threadIdx.x + k] = less;
        __syncthreads(); /* prefixes of all threads; the barrier in the next scan keeps them until they are read */
        for (int i = (int)threadIdx.x; i < RANGE && at + i < end; i += THREADS)
            c.ranks[at + i] = exclusive_prefix + sh.prefixes[i];
        exclusive_prefix += all;
    }
    /* 3. The total, and the bits. */
    if (end == c.blocks && threadIdx.x == 0) c.ranks[end] = exclusive_prefix;
    if (c.from == c.to) return;
    for (int64_t i = 8 * begin + threadIdx.x; i < 8 * end; i += THREADS) c.to[i] = c.from[i];
}

int64_t bi_cbt_cuda_install_scratch(int64_t blocks)
{
    return bi_div_up(blocks, CHUNK) * (int64_t)(CHUNK * sizeof(uint16_t) + sizeof(uint32_t)) + 1024;
}

bosc_status bi_cbt_cuda_install(bosc_ctx *ctx, bosc_cbt *tree, const uint64_t *bits)
{
    count_args c = {};
    c.from = (const uint4 *)bits;
    c.to = (uint4 *)tree->view.bits;
    c.ranks = (int64_t *)tree->view.ranks;
    c.blocks = tree->view.blocks;
    const int64_t chunks = bi_div_up(c.blocks, CHUNK), max_grid = (int64_t)ctx->multiprocessors * 3;
    c.range_blocks = RANGE;
    while (c.blocks > c.range_blocks * MAX_RANGES) c.range_blocks *= 2;
    BI_TRY(bi_scratch(ctx, (size_t)chunks * CHUNK * sizeof *c.counts, (void **)&c.counts));
    BI_TRY(bi_scratch(ctx, (size_t)chunks * sizeof *c.totals, (void **)&c.totals));
    BI_TRY(BI_RUN(ctx, bi_cbt_count_blocks, (unsigned)(chunks < max_grid ? chunks : max_grid), THREADS, 0, c));
    return BI_RUN(ctx, bi_cbt_make_ranks, (unsigned)bi_div_up(c.blocks, c.range_blocks), THREADS, 0, c);
}
