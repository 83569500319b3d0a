/* Words of a tree on CUDA: bits grown for a goal, vertices and triangles of a mesh. A block takes some words, a thread
 * each to see which have more than one leaf; of those a warp takes one at a time, a lane two places. */
#include "cbt/cuda_terrain.cuh"
#include "core/cuda/warp.cuh"

enum { THREADS = 256, WARPS = THREADS / 32 };

struct words_shared {
    uint32_t count;
    uint16_t list[THREADS]; /* words with much to do, in any order: nothing shows it */
    bi_terrain_word word[THREADS];
    unsigned long long bits[THREADS];
    long long at[THREADS];
};

__device__ __forceinline__ void begin_words(words_shared &sh)
{
    if (threadIdx.x == 0) sh.count = 0;
    __syncthreads();
}

__device__ __forceinline__ void busy(words_shared &sh, const bi_terrain_word &w)
{
    sh.word[threadIdx.x] = w;
    sh.list[atomicAdd(&sh.count, 1u)] = (uint16_t)threadIdx.x;
}

__global__ void __launch_bounds__(THREADS) kernel_terrain_grow(const bi_terrain_grow a, int64_t words)
{
    BI_SHARED(words_shared, sh);
    const int64_t word = blockIdx.x * (int64_t)THREADS + threadIdx.x;
    const int lane = (int)(threadIdx.x % 32);
    begin_words(sh);
    if (word < words) {
        const bi_terrain_word w = bi_terrain_word_of(&a.aim.grid, word);
        const bool begins = bi_terrain_bit(&a, &w, 0);
        sh.bits[threadIdx.x] = begins;
        if (begins && bi_terrain_bit(&a, &w, 32)) busy(sh, w);
    }
    __syncthreads();
    for (uint32_t i = threadIdx.x / 32; i < sh.count; i += WARPS) {
        const uint32_t at = sh.list[i];
        const bi_terrain_word w = sh.word[at];
        const unsigned low = __ballot_sync(~0u, lane == 0 || bi_terrain_bit(&a, &w, lane));
        const unsigned high = __ballot_sync(~0u, bi_terrain_bit(&a, &w, lane + 32));
        if (lane == 0) sh.bits[at] = (unsigned long long)high << 32 | low;
    }
    __syncthreads();
    if (word < words) a.bits[word] = sh.bits[threadIdx.x];
}

bosc_status bi_terrain_cuda_grow(bosc_ctx *ctx, const bi_terrain_grow *a)
{
    const int64_t words = (int64_t)1 << (a->aim.grid.depth - 6);
    return BI_RUN(ctx, kernel_terrain_grow, (unsigned)bi_div_up(words, THREADS), THREADS, 0, *a, words);
}

/* The block of samples, and the bit in it, of the middle of the node that place p splits. */
__device__ __forceinline__ void use_place(const bi_terrain_mesh &a, const bi_terrain_word &w, int p, int64_t main,
                                          unsigned long long *mine)
{
    int32_t level;
    const bi_terrain_triangle t = bi_terrain_parted(&a.grid, &w, p, &level);
    if (level < a.grid.first) return;
    const bi_terrain_point m = bi_terrain_middle(&t);
    const int x = bi_terrain_min(m.x, a.grid.last_x), y = bi_terrain_min(m.y, a.grid.last_y);
    const int64_t block = (int64_t)(y >> 3) * a.across + (x >> 3);
    const unsigned long long bit = 1ull << ((y & 7) * 8 + (x & 7));
    if (block == main)
        *mine |= bit;
    else
        bi_raise_u64(a.used + block, bit);
}

__global__ void __launch_bounds__(THREADS) kernel_terrain_use(const bi_terrain_mesh a, int64_t words)
{
    BI_SHARED(words_shared, sh);
    const int64_t word = blockIdx.x * (int64_t)THREADS + threadIdx.x;
    const int lane = (int)(threadIdx.x % 32);
    begin_words(sh);
    if (word < words) {
        const unsigned long long bits = a.view.bits[word];
        const bool begins = bits & 1 && word > 0, more = bits >> 1 != 0;
        bi_terrain_word w = {};
        w.first = (uint64_t)word << 6;
        if (more) w = bi_terrain_word_of(&a.grid, word);
        if (begins) use_place(a, w, 0, -1, nullptr);
        sh.bits[threadIdx.x] = bits;
        if (more) busy(sh, w);
    }
    __syncthreads();
    for (uint32_t i = threadIdx.x / 32; i < sh.count; i += WARPS) {
        const uint32_t at = sh.list[i];
        const bi_terrain_word w = sh.word[at];
        const unsigned long long bits = sh.bits[at];
        const int x = bi_terrain_min3(w.t.lx, w.t.rx, w.t.px), y = bi_terrain_min3(w.t.ly, w.t.ry, w.t.py);
        const int64_t main = (int64_t)(y >> 3) * a.across + (x >> 3);
        unsigned long long mine = 0;
        if (lane > 0 && bits >> lane & 1) use_place(a, w, lane, main, &mine);
        if (bits >> (lane + 32) & 1) use_place(a, w, lane + 32, main, &mine);
        const unsigned low = __reduce_or_sync(~0u, (unsigned)mine),
                       high = __reduce_or_sync(~0u, (unsigned)(mine >> 32));
        if (lane == 0 && (low | high)) bi_raise_u64(a.used + main, (unsigned long long)high << 32 | low);
    }
}

bosc_status bi_terrain_cuda_use(bosc_ctx *ctx, const bi_terrain_mesh *a)
{
    const int64_t words = (int64_t)1 << (a->grid.depth - 6);
    return BI_RUN(ctx, kernel_terrain_use, (unsigned)bi_div_up(words, THREADS), THREADS, 0, *a, words);
}

/* A warp takes 32 blocks of samples, and those with vertices one after another. */
__global__ void __launch_bounds__(THREADS) kernel_terrain_vertices(const bi_terrain_mesh a)
{
    const int lane = (int)(threadIdx.x % 32);
    const int64_t first = (blockIdx.x * (int64_t)THREADS + threadIdx.x) & ~(int64_t)31, word = first + lane;
    const unsigned long long used = word < a.words ? a.used[word] : 0;
    const uint32_t before = word < a.words ? a.before[word] : 0;
    for (unsigned left = __ballot_sync(~0u, used != 0); left; left &= left - 1) {
        const int from = __ffs((int)left) - 1;
        const unsigned long long bits = __shfl_sync(~0u, used, from);
        const uint32_t base = __shfl_sync(~0u, before, from);
        for (int bit = lane; bit < 64; bit += 32)
            if (bits >> bit & 1)
                bi_terrain_put_vertex(&a, first + from, bit, base + (uint32_t)__popcll(bits & ((1ull << bit) - 1)));
    }
}

bosc_status bi_terrain_cuda_vertices(bosc_ctx *ctx, const bi_terrain_mesh *a)
{
    return BI_RUN(ctx, kernel_terrain_vertices, (unsigned)bi_div_up(a->words, THREADS), THREADS, 0, *a);
}

__device__ __forceinline__ void put_leaf(const bi_terrain_mesh &a, const bi_terrain_word &w, unsigned long long bits,
                                         int p, int64_t number)
{
    int32_t level;
    const unsigned long long above = p == 63 ? 0 : bits >> (p + 1) << (p + 1);
    const bi_terrain_triangle t = bi_terrain_leaf(&a.grid, &a.view, &w, p, above, &level);
    bi_terrain_put_triangle(&a, &t, number);
}

/* All leaves are in the mesh, so their numbers are those of the triangles. */
__global__ void __launch_bounds__(THREADS) kernel_terrain_triangles(const bi_terrain_mesh a, int64_t words)
{
    BI_SHARED(words_shared, sh);
    const int64_t word = blockIdx.x * (int64_t)THREADS + threadIdx.x;
    const int lane = (int)(threadIdx.x % 32);
    const unsigned long long bits = word < words ? a.view.bits[word] : 0;
    begin_words(sh);
    const uint32_t mine = (uint32_t)__popcll(bits);
    const uint32_t upto = bi_warp_sum_upto(mine), half = __shfl_sync(~0u, upto, 15); /* two blocks of the tree a warp */
    if (word < words) {
        const int64_t number = a.view.ranks[word / BOSC_CBT_BLOCK_WORDS] + (upto - mine) - (lane >= 16 ? half : 0);
        bi_terrain_word w = {};
        w.first = (uint64_t)word << 6;
        sh.bits[threadIdx.x] = bits;
        sh.at[threadIdx.x] = number;
        if (mine > 1)
            busy(sh, bi_terrain_word_of(&a.grid, word));
        else if (mine == 1)
            put_leaf(a, w, bits, 0, number); /* of 64 places or more */
    }
    __syncthreads();
    for (uint32_t i = threadIdx.x / 32; i < sh.count; i += WARPS) {
        const uint32_t at = sh.list[i];
        const bi_terrain_word w = sh.word[at];
        const unsigned long long b = sh.bits[at];
        for (int p = lane; p < 64; p += 32)
            if (b >> p & 1) put_leaf(a, w, b, p, sh.at[at] + __popcll(b & ((1ull << p) - 1)));
    }
}

bosc_status bi_terrain_cuda_triangles(bosc_ctx *ctx, const bi_terrain_mesh *a)
{
    const int64_t words = (int64_t)1 << (a->grid.depth - 6);
    return BI_RUN(ctx, kernel_terrain_triangles, (unsigned)bi_div_up(words, THREADS), THREADS, 0, *a, words);
}

/* Counts of a block, then one addition to each of the 256 that are not 0. */
struct weigh_shared {
    uint32_t worth[256];
};

__global__ void __launch_bounds__(THREADS) kernel_terrain_weigh(const bi_terrain_weigh a, int64_t slots)
{
    BI_SHARED(weigh_shared, sh);
    sh.worth[threadIdx.x] = 0;
    __syncthreads();
    for (int64_t i = blockIdx.x * (int64_t)THREADS + threadIdx.x; i < slots; i += gridDim.x * (int64_t)THREADS) {
        uint32_t digit;
        const uint32_t more = bi_terrain_worth(&a, i, &digit);
        if (more) atomicAdd(&sh.worth[digit], more);
    }
    __syncthreads();
    if (sh.worth[threadIdx.x]) bi_take(a.worth + threadIdx.x, sh.worth[threadIdx.x]);
}

bosc_status bi_terrain_cuda_weigh(bosc_ctx *ctx, const bi_terrain_weigh *a)
{
    const int64_t slots = (int64_t)a->aim.grid.pitch * a->aim.grid.rows;
    return BI_RUN(ctx, kernel_terrain_weigh, bi_grid(ctx, slots, THREADS), THREADS, 0, *a, slots);
}
