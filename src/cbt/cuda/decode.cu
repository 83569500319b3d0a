/* Decodes trees on CUDA, a warp for each block of 1,024 bits with leaves in it. */
#include "cbt/cuda/decode_warp.cuh"

/* Warps of a block, and average leaves a block of bits from which a warp decodes one at a time: four for each lane. Not
 * measured. */
enum { WARPS = 4, DENSE = 128 };

/* Decodes leaves a.first to a.first + a.count - 1 to nodes[0] and on; nodes without a leaf become 0. A warp decodes
 * `group` neighbouring blocks, up to 32; the grid has warps for all blocks, and clears the nodes together. */
template <class N>
static __global__ void __launch_bounds__(WARPS * 32) bi_cbt_decode_blocks(const bi_cbt_decode a, int group)
{
    struct shared {
        bi_cbt_starts starts[WARPS];
    };
    BI_SHARED(shared, sh);
    const int lane = (int)(threadIdx.x % 32);
    const int64_t thread = blockIdx.x * (int64_t)(WARPS * 32) + threadIdx.x, block = thread / 32 * group;
    const bosc_cbt_view &v = a.view;
    N *nodes = (N *)a.nodes;
    /* 1. A lane a block: its first leaf, relative to the first requested one, and its number of leaves. */
    int64_t begin = 0, n = 0;
    if (lane < group && block + lane < v.blocks) {
        begin = v.ranks[block + lane];
        n = v.ranks[block + lane + 1] - begin;
        begin -= a.first;
    }
    /* 2. Clear beyond the last leaf. */
    const int64_t available = max(bosc_cbt_leaf_count(&v) - a.first, (int64_t)0);
    for (int64_t i = available + thread; i < a.count; i += gridDim.x * (int64_t)(WARPS * 32)) nodes[i] = 0;
    /* 3. Blocks with one leaf: a lane each. */
    const bool requested = n > 0 && begin < a.count && begin + n > 0;
    if (requested && n == 1)
        nodes[begin] = (N)bosc_cbt_node((uint64_t)(block + lane) << BOSC_CBT_BLOCK_BITS,
                                        bi_cbt_single_size(v.ranks, v.depth, block + lane), v.depth);
    /* 4. Blocks with several leaves: by the warp, one after another. */
    for (unsigned several = __ballot_sync(~0u, requested && n > 1); several; several &= several - 1) {
        const int from = __ffs((int)several) - 1, leaves = __shfl_sync(~0u, (int)n, from);
        const int64_t at = __shfl_sync(~0u, begin, from);
        const int low = at < 0 ? (int)-at : 0, high = a.count - at < leaves ? (int)(a.count - at) : leaves;
        if (leaves == BI_CBT_BLOCK) {
            bi_cbt_decode_full(v.depth, block + from, nodes + at, low, high);
        } else {
            const uint32_t word = ((const uint32_t *)v.bits)[(block + from) * 32 + lane];
            bi_cbt_starts *starts = &sh.starts[threadIdx.x / 32];
            bi_cbt_find_starts(v.depth, word, leaves, starts);
            bi_cbt_decode_mixed(v.depth, block + from, nodes + at, low, high, starts);
        }
    }
}

bosc_status bi_cbt_cuda_decode(bosc_ctx *ctx, const bi_cbt_decode *a)
{
    const int64_t blocks = a->view.blocks, warps = (int64_t)ctx->multiprocessors * 64;
    /* Few leaves: groups of blocks, while 64 warps a multiprocessor (the hardware's limit) remain busy. */
    const bool dense = a->count / DENSE >= blocks;
    int group = 1;
    while (!dense && group < 32 && blocks > warps * group) group *= 2;
    const unsigned grid = (unsigned)bi_div_up(bi_div_up(blocks, group), WARPS);
    if (a->is_64bit) return BI_RUN(ctx, bi_cbt_decode_blocks<unsigned long long>, grid, WARPS * 32, 0, *a, group);
    return BI_RUN(ctx, bi_cbt_decode_blocks<uint32_t>, grid, WARPS * 32, 0, *a, group);
}
