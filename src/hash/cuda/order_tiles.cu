/* Orders tiles for a fused build: each block orders a tile of pairs by partition in shared memory and writes it to
 * its own range. No tile waits for another, and nothing is counted beforehand. */
#include "core/cuda/dependent.cuh"
#include "core/cuda/shared.cuh"
#include "hash/cuda/order_tiles.cuh"
#include "hash/cuda/multisplit.cuh"

/* Size classes. Few pairs have small tiles, so that there are many; many partitions have large tiles, so that
 * segments are long. Measured: at 2^18 tiles of 8,192 take 4 us more than of 2,048, at 2^19 45.5 us, of 4,096 39.5. */
enum { SMALL_PAIRS = 1 << 18, MIDDLE_PAIRS = 1 << 19, SMALL_BITS = 8, MIDDLE_BITS = 9 };
/* With many partitions a multiprocessor orders one tile at a time, and the last round leaves most of them idle: up
 * to this many pairs 132 of them (an H100 or H200) finish sooner with smaller tiles. Measured, 5 M pairs: 13 pairs a
 * thread take 63 us, 12 77, 16 70, 19 67. */
enum { REDUCED_EACH = 13, THREE_ROUNDS = 3 * 132 * 1024 * REDUCED_EACH };

/* A kind of tiles: maximum of the bits of a digit, threads, pairs of a thread. */
template <int BITS_, int THREADS_, int EACH_> struct tile_kind {
    static constexpr int BITS = BITS_, THREADS = THREADS_, EACH = EACH_;
};

/* Calls f(kind of tiles). WIDEST: bytes of a key or of its payload, whichever is more. */
template <int WIDEST, class F> static auto with_tile_kind(const struct bi_hash_shape *s, int64_t n, const F &f)
{
    constexpr int EACH = split_each(WIDEST, false);
    if (s->partition_bits > MIDDLE_BITS && WIDEST == 4 && n <= THREE_ROUNDS)
        return f(tile_kind<BI_HASH_TILED_BITS, 1024, REDUCED_EACH>());
    if (s->partition_bits > MIDDLE_BITS) /* 64 bytes of the wider array a thread */
        return f(tile_kind<BI_HASH_TILED_BITS, 1024, 64 / WIDEST>());
    if (s->partition_bits > SMALL_BITS) return f(tile_kind<MIDDLE_BITS, SPLIT_THREADS, EACH>());
    if (n <= SMALL_PAIRS) return f(tile_kind<SMALL_BITS, SPLIT_THREADS, 4>());
    if (n <= MIDDLE_PAIRS) return f(tile_kind<SMALL_BITS, SPLIT_THREADS, (EACH + 1) / 2>());
    return f(tile_kind<SMALL_BITS, SPLIT_THREADS, EACH>());
}

template <class K, class P> struct tile_args {
    split_input<K, P> in;
    K *hashes;
    P *payload;
    uint32_t *segments;
    uint32_t tiles, partitions;
    uint32_t *zeroed; /* (zeros) words that the next kernel needs zeroed */
    uint32_t zeros;
};

/* Turns each warp's counts of digits into positions, and writes the segments of a tile. Each thread has two digits
 * in one word, whose halves cannot carry. a.partitions is even: a power of two, at least 2. The counts exclude pairs
 * past the end of the input. All threads call it: a barrier before it completes the counts of all warps, and a barrier
 * after it publishes the positions. */
template <class S, class K, class P>
static __device__ __forceinline__ void write_segments(S &sh, const tile_args<K, P> &a, uint32_t tile)
{
    constexpr uint32_t PAIRS = S::DIGITS / 2;
    static_assert(PAIRS <= S::THREADS && PAIRS % 32 == 0, "whole warps");
    const uint32_t t = threadIdx.x;
    const auto word = [&](int warp) -> uint32_t & { return reinterpret_cast<uint32_t *>(sh.ranks[warp])[t]; };
    uint32_t total = 0, start = 0;
    /* 1. Add up the counts of the two digits and scan them. */
    if (t < PAIRS) {
#pragma unroll
        for (int w = 0; w < S::WARPS; w++) total += word(w);
        const uint32_t both = (total & 0xffff) + (total >> 16);
        start = bi_warp_inclusive_sum(both);
        if (t % 32 == 31) sh.warps[t / 32] = start;
        start -= both;
    }
    __syncthreads(); /* the sums of all warps are there */
    if (t >= PAIRS) return;
    for (uint32_t w = 0; w < t / 32; w++) start += sh.warps[w];
    const uint32_t first = total & 0xffff, second = total >> 16, middle = start + first;
    /* 2. Write both segments, then give each warp its positions. */
    if (2 * t < a.partitions) {
        uint32_t *segment = &a.segments[(size_t)(2 * t) * a.tiles + tile];
        segment[0] = start | first << BI_HASH_SEGMENT_BITS;
        segment[a.tiles] = middle | second << BI_HASH_SEGMENT_BITS;
    }
    uint32_t at = start | middle << 16;
#pragma unroll
    for (int w = 0; w < S::WARPS; w++) {
        const uint32_t seen = word(w);
        word(w) = at;
        at += seen;
    }
}

/* Orders a tile and writes it back. FULL: the pairs fill the tile. */
template <bool FULL, class S, class K, class P>
static __device__ __forceinline__ void order_tile(S &sh, const tile_args<K, P> &a, uint32_t tile, uint32_t remaining)
{
    /* 1. Rank the digits within warps. */
    tile_share<S> own;
    load_tile_keys<FULL>(a.in, tile, remaining, own); /* the loads overlap the clearing of the counts */
    clear_digit_counts(sh);
    __syncthreads(); /* the counts are zero */
    rank_tile_digits<true, FULL>(sh, a.in, own);
    __syncthreads(); /* the counts of all warps are there */
    /* 2. Scan them, and move the pairs to their positions. */
    write_segments(sh, a, tile);
    __syncthreads(); /* all positions are there */
    scatter_to_tile_order<FULL>(sh, a.in, own);
    __syncthreads(); /* the tile is in order */
    /* 3. Write the tile. */
#pragma unroll
    for (int k = 0; k < S::ITEMS; k++) {
        const uint32_t i = k * S::THREADS + threadIdx.x;
        if (!FULL && i >= own.count) continue;
        a.hashes[own.begin + i] = sh.hashes[i];
        if constexpr (bi_hash_has_value<P>) a.payload[own.begin + i] = sh.payload[i];
    }
}

template <class S>
static __global__ void __launch_bounds__(S::THREADS, 1024 / S::THREADS)
    bi_hash_order_tiles(const tile_args<typename S::key, typename S::value> a)
{
    BI_SHARED_DYNAMIC(S, sh);
    const uint32_t tile = blockIdx.x, remaining = a.in.n - tile * S::TILE;
    /* The next kernel may start, and prepare; it waits for this one before it reads tiles. */
    bi_trigger_dependents();
    for (uint32_t i = tile * S::THREADS + threadIdx.x; i < a.zeros; i += gridDim.x * S::THREADS) a.zeroed[i] = 0;
    if (remaining >= S::TILE)
        order_tile<true>(*sh, a, tile, remaining);
    else
        order_tile<false>(*sh, a, tile, remaining);
}

template <class S, class K, class P>
static bosc_status launch_tiles(bosc_ctx *ctx, tile_args<K, P> a, struct bi_hash_tiles *tiles)
{
    static_assert(S::TILE < 1u << BI_HASH_SEGMENT_BITS, "a segment's begin and length");
    void *hashes, *payload, *segments;
    if (sizeof(S) > bi_shared_bytes(ctx)) return BOSC_OK;
    tiles->pairs = S::TILE;
    tiles->count = a.tiles = (uint32_t)bi_div_up(a.in.n, S::TILE);
    BI_TRY(bi_scratch(ctx, (size_t)a.in.n * sizeof(K), &hashes));
    BI_TRY(bi_scratch(ctx, (size_t)a.in.n * bi_hash_payload_bytes<P>, &payload));
    BI_TRY(bi_scratch(ctx, (size_t)a.tiles * a.partitions * 4, &segments));
    tiles->hashes = a.hashes = (K *)hashes;
    tiles->payload = a.payload = (P *)payload;
    tiles->segments = a.segments = (uint32_t *)segments;
    auto kernel = bi_hash_order_tiles<S>;
    if (sizeof(S) > BI_SHARED_PLAIN)
        BI_CUDA_TRY(ctx, cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)sizeof(S)));
    return BI_RUN(ctx, kernel, a.tiles, S::THREADS, sizeof(S), a);
}

template <class K, class P>
static bosc_status launch_order_tiles(bosc_ctx *ctx, const struct bi_hash_shape *s, const void *keys,
                                      const void *values, int64_t n, struct bi_hash_tiles *tiles)
{
    constexpr int WIDEST = split_widest<K, P>;
    const int top = sizeof(K) == 4 ? 32 : 64;
    tile_args<K, P> a = {};
    a.in = {(const K *)keys, (const P *)values, (uint32_t)n, {top - s->partition_bits, s->partition_bits}, s->seed};
    a.partitions = 1u << s->partition_bits;
    a.zeroed = tiles->zeroed;
    a.zeros = tiles->zeros;
    return with_tile_kind<WIDEST>(s, n, [&](auto kind) {
        typedef decltype(kind) tile;
        return launch_tiles<split_shared<K, P, tile::BITS, tile::EACH, tile::THREADS>>(ctx, a, tiles);
    });
}

size_t bi_hash_tile_count(const struct bi_hash_shape *s, int32_t payload_bytes, int64_t n)
{
    const auto count = [&](auto kind) { return (size_t)bi_div_up(n, kind.THREADS * kind.EACH); };
    const int32_t widest = max(s->key_bytes, payload_bytes);
    return widest == 4   ? with_tile_kind<4>(s, n, count)
           : widest == 8 ? with_tile_kind<8>(s, n, count)
                         : with_tile_kind<16>(s, n, count);
}

bosc_status bi_hash_order_tiles_cuda(bosc_ctx *ctx, const struct bi_hash_shape *s, const void *keys, const void *values,
                                     int64_t n, int32_t payload_bytes, struct bi_hash_tiles *tiles)
{
    const auto run_typed = [&](auto k, auto p) {
        return launch_order_tiles<decltype(k), decltype(p)>(ctx, s, keys, values, n, tiles);
    };
    return bi_hash_with_types(s->key_bits, payload_bytes, run_typed);
}
