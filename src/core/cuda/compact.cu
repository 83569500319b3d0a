/* Compaction in one pass: count the kept items of a tile, wait for the counts of earlier tiles, copy. */
#include "core/call.h"
#include "core/cuda/collectives.cuh"
#include "core/cuda/ops.cuh"
#include "core/cuda/prefix.cuh"
#include "core/cuda/warp.cuh"

/* Measured on an H200, half of 10^8 items of 4 bytes: .306 ms with 256 threads, .298 with 512. */
enum { THREADS = 512, WARPS = THREADS / 32, FLAGS = 16 /* of a thread: one 16-byte load */, TILE = THREADS * FLAGS };

struct compact_shared {
    long long tile, exclusive_prefix; /* kept items of earlier tiles */
    uint32_t warp[WARPS];
    uint16_t kept[TILE]; /* indices in the tile */
    bi_path_totals<uint64_t> path;
};

/* Items as `units` words of the widest type that their size and addresses are multiples of. */
template <class W> struct compact_items {
    const W *in;
    W *out; /* NULL: count only */
    int units;
};

/* Bit k is set if flag begin + k is not 0. */
static __device__ __forceinline__ unsigned flag_bits(const uint8_t *keep, int64_t begin, int64_t n)
{
    unsigned bits = 0;
    if (begin + FLAGS <= n && reinterpret_cast<uintptr_t>(keep) % 16 == 0) {
        uint4 v = *reinterpret_cast<const uint4 *>(keep + begin);
        unsigned words[4] = {v.x, v.y, v.z, v.w};
        for (int k = 0; k < FLAGS; k++) bits |= (unsigned)(((words[k / 4] >> (k % 4 * 8)) & 255) != 0) << k;
        return bits;
    }
    for (int k = 0; k < FLAGS; k++)
        if (begin + k < n && keep[begin + k]) bits |= 1u << k;
    return bits;
}

/* Compacts n > 0 items, of less than 2^19 units. *count is in device memory. The grid has one block per tile. The
 * ticket and the words of the totals are 0 before. `out` must not overlap `in`: a block may write items before an
 * earlier one has read them. */
template <class W>
static __global__ void __launch_bounds__(THREADS)
    bi_core_compact(compact_items<W> items, const uint8_t *keep, int64_t n, int64_t *count, unsigned long long *ticket,
                    bi_tile_totals<uint64_t> totals)
{
    typedef bi_sum_of<uint64_t> sum;
    constexpr uint32_t EARLY = sizeof(W) <= 4 ? (uint32_t)FLAGS : 64 / sizeof(W); /* words of 64 bytes of registers */
    BI_SHARED(compact_shared, sh);
    /* 1. Get a tile by ticket: blocks of earlier tiles already run. */
    if (threadIdx.x == 0) sh.tile = (long long)atomicAdd(ticket, 1ull);
    __syncthreads();
    const int64_t tile = sh.tile, tiles = (n + TILE - 1) / TILE, begin = tile * TILE;
    const int warp = (int)(threadIdx.x / 32);
    /* 2. Count the kept items, publish their number, and list their indices in order. */
    unsigned bits = flag_bits(keep, begin + threadIdx.x * FLAGS, n);
    uint32_t total, at = bi_block_exclusive_sum<WARPS>((uint32_t)__popc(bits), sh.warp, &total);
    const bi_own_tiles<uint64_t> own = {(int)(tile % 32), 1, {(uint64_t)total, false}};
    if (threadIdx.x == 0) bi_publish_total(totals, tile, own.total);
    if (items.out)
        for (; bits; bits &= bits - 1) sh.kept[at++] = (uint16_t)(threadIdx.x * FLAGS + __ffs((int)bits) - 1);
    __syncthreads(); /* sh.kept */
    /* 3. Read items of one word while the counts of earlier tiles are awaited. */
    const W *from = items.in + begin * items.units;
    W early[EARLY];
    const bool is_word = items.out && items.units == 1;
#pragma unroll
    for (uint32_t k = 0; k < EARLY; k++)
        if (is_word && threadIdx.x + k * THREADS < total) early[k] = from[sh.kept[threadIdx.x + k * THREADS]];
    if (warp == 0) bi_publish_rows<sum, false>(totals, tiles, tile, own, &sh.path);
    bi_await_path(totals, tiles, tile, warp, WARPS, &sh.path);
    __syncthreads(); /* sh.path */
    if (warp == 0) {
        bi_item<uint64_t> prefix = bi_scan_row_of_tiles<sum, false>(&sh.path, tiles, tile);
        prefix = bi_shuffle_item<false>(prefix, own.first);
        if (threadIdx.x == 0) sh.exclusive_prefix = (long long)prefix.value - total;
        if (threadIdx.x == 0 && tile == tiles - 1) *count = (int64_t)prefix.value;
    }
    __syncthreads(); /* sh.exclusive_prefix */
    /* 4. Copy, a word a thread. */
    if (!items.out) return;
    W *to = items.out + sh.exclusive_prefix * items.units;
    if (is_word) {
#pragma unroll
        for (uint32_t k = 0; k < EARLY; k++)
            if (threadIdx.x + k * THREADS < total) to[threadIdx.x + k * THREADS] = early[k];
        for (uint32_t k = threadIdx.x + EARLY * THREADS; k < total; k += THREADS) to[k] = from[sh.kept[k]];
        return;
    }
    for (uint32_t k = threadIdx.x; k < total * (uint32_t)items.units; k += THREADS) {
        uint32_t item = k / (uint32_t)items.units;
        to[k] = from[sh.kept[item] * (uint32_t)items.units + k % (uint32_t)items.units];
    }
}

struct compact_call {
    size_t item_size;
    const void *in;
    const uint8_t *keep;
    int64_t n;
    void *out;
    int64_t *count;
};

template <class W> static bosc_status launch_compact(bosc_ctx *ctx, const struct compact_call *c)
{
    int64_t tiles = bi_div_up(c->n, TILE), words = bi_tile_total_count(tiles) * bi_words_of_total<uint64_t>;
    void *zeroed;
    BI_TRY(bi_scratch(ctx, (size_t)(words + 1) * 8, &zeroed));
    BI_TRY(ctx->backend->fill(ctx, zeroed, 0, (size_t)(words + 1) * 8));
    unsigned long long *w = (unsigned long long *)zeroed;
    compact_items<W> items = {(const W *)c->in, (W *)c->out, (int)(c->item_size / sizeof(W))};
    bi_tile_totals<uint64_t> state = {w};
    return BI_RUN(ctx, bi_core_compact<W>, (unsigned)tiles, THREADS, 0, items, c->keep, c->n, c->count, w + words,
                  state);
}

static bosc_status compact_by_words(bosc_ctx *ctx, const struct compact_call *c)
{
    uintptr_t all = (uintptr_t)c->item_size | (uintptr_t)c->in | (uintptr_t)c->out;
    if (all % 16 == 0) return launch_compact<uint4>(ctx, c);
    if (all % 8 == 0) return launch_compact<uint2>(ctx, c);
    if (all % 4 == 0) return launch_compact<uint32_t>(ctx, c);
    if (all % 2 == 0) return launch_compact<uint16_t>(ctx, c);
    return launch_compact<uint8_t>(ctx, c);
}

bosc_status bi_cuda_compact(bosc_ctx *ctx, size_t item_size, const void *in, const uint8_t *keep, int64_t n, void *out,
                            int64_t *count)
{
    if (n == 0) return ctx->backend->fill(ctx, count, 0, sizeof *count);
    struct compact_call call = {item_size, in, keep, n, out, count};
    BI_RETURN_WITH_SCRATCH(ctx, compact_by_words(ctx, &call));
}
