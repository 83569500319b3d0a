/* Compaction in one pass: count the kept items of a tile, wait for the count of earlier tiles, copy. */
#include "core/call.h"
#include "core/cuda/collectives.cuh"
#include "core/cuda/ops.cuh"
#include "core/cuda/prefix.cuh"
#include "core/cuda/warp.cuh"

enum { THREADS = 256, WARPS = THREADS / 32, FLAGS = 16 /* of a thread: one 16-byte load */, TILE = THREADS * FLAGS };

struct compact_shared {
    long long tile, exclusive_prefix; /* kept items of earlier tiles */
    uint32_t warp[WARPS];
    uint16_t kept[TILE]; /* indices in the tile */
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

/* Compacts n > 0 items, of less than 2^20 units. *count is in device memory. The grid has one block per tile. The
 * ticket and the words of the totals are 0 before. `out` must not overlap `in`: a block may write items before an
 * earlier one has read them. */
template <class W>
static __global__ void __launch_bounds__(THREADS)
    bi_core_compact(compact_items<W> items, const uint8_t *keep, int64_t n, int64_t *count, unsigned long long *ticket,
                    bi_tile_totals<uint64_t> totals)
{
    typedef bi_sum_of<uint64_t> sum;
    BI_SHARED(compact_shared, sh);
    /* 1. Get a tile by ticket: blocks of earlier tiles already run. */
    if (threadIdx.x == 0) sh.tile = (long long)atomicAdd(ticket, 1ull);
    __syncthreads();
    int64_t tile = sh.tile, tiles = (n + TILE - 1) / TILE, begin = tile * TILE;
    /* 2. Count the kept items; list their indices in order. */
    unsigned bits = flag_bits(keep, begin + threadIdx.x * FLAGS, n);
    uint32_t total, at = bi_block_exclusive_sum<WARPS>((uint32_t)__popc(bits), sh.warp, &total);
    if (items.out)
        for (; bits; bits &= bits - 1) sh.kept[at++] = (uint16_t)(threadIdx.x * FLAGS + __ffs((int)bits) - 1);
    /* 3. One warp publishes the count and awaits those of earlier tiles. */
    if (threadIdx.x < 32) {
        bi_own_tiles<uint64_t> own = {(int)(tile % 32), 1, {(uint64_t)total, false}};
        if (threadIdx.x == 0) bi_publish_total(totals, tile, own.total);
        bi_item<uint64_t> prefix = bi_scan_row_of_tiles<sum, false>(totals, tiles, tile, own);
        prefix = bi_shuffle_item<false>(prefix, own.first);
        if (threadIdx.x == 0) sh.exclusive_prefix = (long long)prefix.value - total;
        if (threadIdx.x == 0 && tile == tiles - 1) *count = (int64_t)prefix.value;
    }
    __syncthreads(); /* sh.exclusive_prefix and sh.kept are complete */
    /* 4. Copy, a word a thread. */
    if (!items.out) return;
    const W *from = items.in + begin * items.units;
    W *to = items.out + sh.exclusive_prefix * items.units;
    if (items.units == 1) {
        for (uint32_t k = threadIdx.x; k < total; k += THREADS) to[k] = from[sh.kept[k]];
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
    int64_t tiles = bi_div_up(c->n, TILE), totals = bi_tile_total_count(tiles);
    size_t words = 1 + (size_t)totals;
    void *zeroed, *values;
    BI_TRY(bi_scratch(ctx, words * 8, &zeroed));
    BI_TRY(bi_scratch(ctx, words * 8, &values));
    BI_TRY(ctx->backend->fill(ctx, zeroed, 0, words * 8));
    unsigned long long *w = (unsigned long long *)zeroed;
    compact_items<W> items = {(const W *)c->in, (W *)c->out, (int)(c->item_size / sizeof(W))};
    bi_tile_totals<uint64_t> state = {w + 1, (uint64_t *)values};
    return BI_RUN(ctx, bi_core_compact<W>, (unsigned)tiles, THREADS, 0, items, c->keep, c->n, c->count, w, state);
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
