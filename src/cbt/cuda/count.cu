/* Counts trees on CUDA, in two launches: blocks of bits are counted, as fast as they are read; then their ranks are
 * made from the counts. */
#include "cbt/cuda/cbt.cuh"
#include "core/cuda/warp.cuh"

enum {
    WARPS = 16,
    THREADS = WARPS * 32,
    LOADS = 4,                 /* of a thread at once */
    CHUNK = WARPS * 4 * LOADS, /* blocks of bits that a block of threads counts at once */
    RANKS = 4,                 /* that a thread makes at once */
    RANGE = RANKS * THREADS,
    RANGES_MOST = 1024
};

struct count_args {
    const uint4 *from; /* 8 a block of bits */
    uint4 *to;         /* the tree's own, which may be the same */
    int64_t *ranks;
    int64_t blocks, each; /* each: blocks of bits whose ranks a block of threads makes, in whole ranges */
    uint16_t *counts;     /* (blocks, up to whole chunks) */
    uint32_t *totals;     /* of the chunks */
};

/* What a lane has of the 4 LOADS blocks that its warp counts of a chunk, 8 lanes a block. */
static __device__ __forceinline__ void load_blocks(const count_args &c, int64_t chunk, uint4 words[LOADS])
{
    const int64_t first = chunk * CHUNK + threadIdx.x / 32 * (4 * LOADS) + threadIdx.x % 32 / 8;
#pragma unroll
    for (int k = 0; k < LOADS; k++) {
        const bool there = first + 4 * k < c.blocks;
        words[k] = there ? __ldcs(&c.from[(first + 4 * k) * 8 + threadIdx.x % 8]) : make_uint4(0, 0, 0, 0);
    }
}

/* Counts them; returns the sum of the warp's. */
static __device__ __forceinline__ uint32_t count_blocks(const count_args &c, int64_t chunk, const uint4 words[LOADS])
{
    const int64_t first = chunk * CHUNK + threadIdx.x / 32 * (4 * LOADS) + threadIdx.x % 32 / 8;
    uint32_t sums[LOADS], all = 0;
#pragma unroll
    for (int k = 0; k < LOADS; k++)
        sums[k] = (uint32_t)(__popc(words[k].x) + __popc(words[k].y) + __popc(words[k].z) + __popc(words[k].w));
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

/* The grid reads chunks that lie together, and each thread the next one's before the last one is summed up. */
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
        __syncthreads();
        if (threadIdx.x >= 32) continue;
        const uint32_t all = bi_warp_sum(threadIdx.x < WARPS ? sh.warps[parity][threadIdx.x] : 0);
        if (threadIdx.x == 0) c.totals[chunk] = all;
    }
}

/* What the first chunks, a multiple of 4 of them, have in sum; to all threads. */
static __device__ int64_t sum_before(const count_args &c, int64_t chunks, unsigned long long *sums)
{
    unsigned long long sum = 0, all = 0;
    for (int64_t i = threadIdx.x; i < chunks / 4; i += THREADS) {
        const uint4 x = reinterpret_cast<const uint4 *>(c.totals)[i];
        sum += (unsigned long long)x.x + x.y + x.z + x.w;
    }
    sum = bi_warp_sum(sum);
    if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = sum;
    __syncthreads();
    for (int w = 0; w < WARPS; w++) all += sums[w];
    return (int64_t)all;
}

/* The bits are taken over with the ranks, so that the tree changes in one launch. */
static __global__ void __launch_bounds__(THREADS) bi_cbt_make_ranks(const count_args c)
{
    struct shared {
        unsigned long long sums[WARPS];
        uint32_t warps[WARPS];
        uint32_t before[RANGE]; /* blocks, in the range */
    };
    BI_SHARED(shared, sh);
    const int64_t begin = blockIdx.x * c.each, end = min(begin + c.each, c.blocks);
    int64_t before = sum_before(c, begin / CHUNK, sh.sums);
    for (int64_t at = begin; at < end; at += RANGE) {
        const int64_t block = at + RANKS * (int64_t)threadIdx.x;
        uint32_t counts[RANKS], all;
#pragma unroll
        for (int k = 0; k < RANKS; k++) counts[k] = block + k < end ? c.counts[block + k] : 0;
        uint32_t less = bi_block_exclusive_sum<WARPS>(counts[0] + counts[1] + counts[2] + counts[3], sh.warps, &all);
#pragma unroll
        for (int k = 0; k < RANKS; less += counts[k++]) sh.before[RANKS * threadIdx.x + k] = less;
        __syncthreads();
        for (int i = (int)threadIdx.x; i < RANGE && at + i < end; i += THREADS) c.ranks[at + i] = before + sh.before[i];
        before += all;
    }
    if (end == c.blocks && threadIdx.x == 0) c.ranks[end] = before;
    if (c.from == c.to) return;
    for (int64_t i = 8 * begin + threadIdx.x; i < 8 * end; i += THREADS) c.to[i] = c.from[i];
}

int64_t bi_cbt_cuda_install_scratch(int64_t blocks)
{
    return bi_div_up(blocks, CHUNK) * (int64_t)(CHUNK * sizeof(uint16_t) + sizeof(uint32_t)) + 1024;
}

bosc_status bi_cbt_cuda_install(bosc_ctx *ctx, bosc_cbt *tree, const uint64_t *bits)
{
    count_args c = {(const uint4 *)bits, (uint4 *)tree->view.bits, (int64_t *)tree->view.ranks, tree->view.blocks};
    const int64_t chunks = bi_div_up(c.blocks, CHUNK), most = (int64_t)ctx->multiprocessors * 3;
    c.each = RANGE;
    while (c.blocks > c.each * RANGES_MOST) c.each *= 2;
    BI_TRY(bi_scratch(ctx, (size_t)chunks * CHUNK * sizeof *c.counts, (void **)&c.counts));
    BI_TRY(bi_scratch(ctx, (size_t)chunks * sizeof *c.totals, (void **)&c.totals));
    BI_TRY(BI_RUN(ctx, bi_cbt_count_blocks, (unsigned)(chunks < most ? chunks : most), THREADS, 0, c));
    return BI_RUN(ctx, bi_cbt_make_ranks, (unsigned)bi_div_up(c.blocks, c.each), THREADS, 0, c);
}
