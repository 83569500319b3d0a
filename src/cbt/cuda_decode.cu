/* Decodes trees on CUDA, a warp for each block of 1,024 bits with leaves in it: lanes write where the leaves of their
 * words begin to shared memory, side by side; then each leaf ends where the next one begins, and is written beside its
 * neighbours. Full blocks are numbers in a row. Blocks with one leaf, which may be larger, ask the ranks. */
#include "cbt/cuda.cuh"

enum { WARPS = 4, PLACES = BI_CBT_BLOCK + 2 };

template <class N> struct four;
template <> struct four<uint32_t> {
    typedef uint4 type;
    enum { COUNT = 4 };
    static __device__ __forceinline__ uint4 from(uint32_t x) { return make_uint4(x, x + 1, x + 2, x + 3); }
};
template <> struct four<unsigned long long> {
    typedef ulonglong2 type;
    enum { COUNT = 2 };
    static __device__ __forceinline__ ulonglong2 from(unsigned long long x) { return make_ulonglong2(x, x + 1); }
};

/* log2 of the places of the one leaf that begins in a block: how far the blocks behind it are empty. */
static __device__ int32_t lone_size(const bosc_cbt_view *v, int64_t block)
{
    if (v->depth <= BOSC_CBT_BLOCK_BITS) return v->depth;
    int32_t low = 0, high = block ? bosc_cbt_low_zeros((uint64_t)block) : v->depth - BOSC_CBT_BLOCK_BITS;
    const int64_t upto = v->ranks[block] + 1;
    while (low < high) {
        const int32_t middle = (low + high + 1) / 2;
        if (v->ranks[block + ((int64_t)1 << middle)] == upto)
            low = middle;
        else
            high = middle - 1;
    }
    return BOSC_CBT_BLOCK_BITS + low;
}

/* Leaves low to high - 1 of a block with `n` ones, to nodes[0] and on. */
template <class N>
static __device__ __forceinline__ void decode_mixed(const bi_cbt_decode &a, int64_t block, N *nodes, int n, int low,
                                                    int high, uint16_t *begins)
{
    const int lane = (int)(threadIdx.x % 32), depth = a.view.depth;
    const uint32_t word = ((const uint32_t *)a.view.bits)[block * 32 + lane];
    const uint32_t ones = (uint32_t)__popc(word);
    uint32_t i = bi_warp_sum_upto(ones) - ones;
    for (uint32_t left = word; left; left &= left - 1) begins[i++] = (uint16_t)(32 * lane + __ffs((int)left) - 1);
    if (lane == 0) begins[n] = (uint16_t)(1 << (depth < BOSC_CBT_BLOCK_BITS ? depth : (int)BOSC_CBT_BLOCK_BITS));
    __syncwarp();
    const N base = (N)(((uint64_t)1 << depth) + ((uint64_t)block << BOSC_CBT_BLOCK_BITS));
    for (int l = low + lane; l < high; l += 32) {
        const uint32_t begin = begins[l], places = begins[l + 1] - begin;
        nodes[l] = (base + begin) >> (__ffs((int)places) - 1);
    }
    __syncwarp();
}

template <class N> static __device__ __forceinline__ void decode_full(N *nodes, N base, int low, int high)
{
    typedef typename four<N>::type vector;
    const int lane = (int)(threadIdx.x % 32), count = four<N>::COUNT;
    if (low == 0 && high == BI_CBT_BLOCK && (uintptr_t)nodes % sizeof(vector) == 0) {
        vector *to = reinterpret_cast<vector *>(nodes);
#pragma unroll
        for (int i = 0; i < BI_CBT_BLOCK / 32 / count; i++)
            to[i * 32 + lane] = four<N>::from(base + (N)(count * (i * 32 + lane)));
    } else {
        for (int l = low + lane; l < high; l += 32) nodes[l] = base + (N)l;
    }
}

/* A warp takes `group` neighbouring blocks, up to 32, and all share the places beyond the last leaf. */
template <class N> static __global__ void __launch_bounds__(WARPS * 32) kernel_decode(const bi_cbt_decode a, int group)
{
    struct places {
        uint16_t begins[WARPS][PLACES];
    };
    BI_SHARED(places, sh);
    const int lane = (int)(threadIdx.x % 32);
    const int64_t thread = blockIdx.x * (int64_t)(WARPS * 32) + threadIdx.x, block = thread / 32 * group;
    const bosc_cbt_view &v = a.view;
    N *nodes = (N *)a.nodes;
    int64_t begin = 0, n = 0;
    if (lane < group && block + lane < v.blocks) {
        begin = v.ranks[block + lane];
        n = v.ranks[block + lane + 1] - begin;
        begin -= a.first;
    }
    const int64_t known = max(bosc_cbt_leaves(&v) - a.first, (int64_t)0);
    for (int64_t i = known + thread; i < a.count; i += gridDim.x * (int64_t)(WARPS * 32)) nodes[i] = 0;
    const bool wanted = n > 0 && begin < a.count && begin + n > 0;
    if (wanted && n == 1)
        nodes[begin] =
            (N)bosc_cbt_node((uint64_t)(block + lane) << BOSC_CBT_BLOCK_BITS, lone_size(&v, block + lane), v.depth);
    for (unsigned several = __ballot_sync(~0u, wanted && n > 1); several; several &= several - 1) {
        const int from = __ffs((int)several) - 1, leaves = __shfl_sync(~0u, (int)n, from);
        const int64_t at = __shfl_sync(~0u, begin, from);
        const int low = at < 0 ? (int)-at : 0, high = a.count - at < leaves ? (int)(a.count - at) : leaves;
        if (leaves == BI_CBT_BLOCK)
            decode_full(nodes + at, (N)(((uint64_t)1 << v.depth) + ((uint64_t)(block + from) << BOSC_CBT_BLOCK_BITS)),
                        low, high);
        else
            decode_mixed(a, block + from, nodes + at, leaves, low, high, sh.begins[threadIdx.x / 32]);
    }
}

bosc_status bi_cbt_cuda_decode(bosc_ctx *ctx, const bi_cbt_decode *a)
{
    const int64_t blocks = a->view.blocks, warps = (int64_t)ctx->multiprocessors * 64;
    int group = 1;
    while (group < 32 && blocks > warps * group) group *= 2;
    const unsigned grid = (unsigned)bi_div_up(bi_div_up(blocks, group), WARPS);
    if (a->wide) return BI_RUN(ctx, kernel_decode<unsigned long long>, grid, WARPS * 32, 0, *a, group);
    return BI_RUN(ctx, kernel_decode<uint32_t>, grid, WARPS * 32, 0, *a, group);
}
