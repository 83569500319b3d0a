/* The partition: keys become hashes, and pairs are ordered by the top bits of those, stably. One pass of at most 10
 * bits, or two (the low bits first): each counts the digits of tiles, adds up, and moves a tile through shared memory,
 * so that writes are runs. Sources: Merrill, Grimshaw, High Performance and Scalable Radix Sorting (2011); ranks within
 * a warp by votes: Ashkiani and others, GPU Multisplit (2016). */
#include "hash/cuda.cuh"

enum { SPLIT_THREADS = 512, SPLIT_WARPS = SPLIT_THREADS / 32 };
enum { FEW_BITS = 8, MOST_BITS = 10 }; /* of a pass: two kinds of kernels */

/* Items of a thread. Small tiles let more blocks run at once; with many digits, large ones make longer runs. */
static constexpr int split_each(int widest, int bits) { return bits == FEW_BITS && widest == 4 ? 8 : 64 / widest; }

/* The share of a part's number that a pass orders by: `bits` of a hash's top word from bit `shift` on. */
struct split_digit {
    int32_t shift, bits;

    __device__ __forceinline__ uint32_t of(uint32_t hash) const { return hash >> shift & ((1u << bits) - 1); }
    __device__ __forceinline__ uint32_t of(uint64_t hash) const
    {
        return (uint32_t)(hash >> shift) & ((1u << bits) - 1);
    }
    __device__ __forceinline__ uint32_t of(bosc_hash_word hash) const { return of(hash.high); }
};

template <class K, class P> struct split_pass {
    const K *keys;    /* of the first pass, else hashes */
    const P *payload; /* NULL: the numbers of the rows */
    uint32_t n, tiles;
    struct split_digit digit;
    uint64_t seed;
    uint32_t *counts; /* (digits x tiles), then those before */
    K *hashes_out;
    P *payload_out;
};

template <class K, class P, int BITS>
constexpr int split_items = split_each(sizeof(K) > sizeof(P) ? sizeof(K) : sizeof(P), BITS);
template <class K, class P, int BITS> constexpr uint32_t split_tile = SPLIT_THREADS *split_items<K, P, BITS>;
template <class K, class P, int BITS> /* blocks of a multiprocessor at least */
constexpr int split_blocks = sizeof(K) <= 4 && split_items<K, P, BITS> <= 8 ? 3 : 2;

/* BITS: of a digit at most. */
template <class K, class P, int BITS> struct split_shared {
    static constexpr int DIGITS = 1 << BITS, EACH = (DIGITS + SPLIT_THREADS - 1) / SPLIT_THREADS;
    uint16_t ranks[SPLIT_WARPS][DIGITS]; /* how many of the digit a warp has met; then where its first one goes */
    uint32_t offset[DIGITS];             /* from a place in the tile to one in the output */
    uint32_t warps[SPLIT_WARPS];
    union {
        K hashes[split_tile<K, P, BITS>];
        P payload[split_tile<K, P, BITS>];
    };
};

template <class K, class P, bool FIRST>
__device__ __forceinline__ K split_hash(const split_pass<K, P> &pass, uint32_t i)
{
    return FIRST ? hash_of_key(pass.keys[i], pass.seed) : pass.keys[i];
}

template <class K, class P> __device__ __forceinline__ P split_payload(const split_pass<K, P> &pass, uint32_t i)
{
    return pass.payload ? pass.payload[i] : (P)i;
}

template <class K, class P, bool FIRST, int BITS>
static __global__ void __launch_bounds__(SPLIT_THREADS) kernel_count(const split_pass<K, P> pass)
{
    struct count_shared {
        uint32_t counts[1 << BITS];
    };
    BI_SHARED(count_shared, sh);
    const uint32_t begin = blockIdx.x * split_tile<K, P, BITS>, count = min(pass.n - begin, split_tile<K, P, BITS>);
    const uint32_t digits = 1u << pass.digit.bits;
    K hash[split_items<K, P, BITS>];
#pragma unroll
    for (int k = 0; k < split_items<K, P, BITS>; k++) {
        const uint32_t i = k * SPLIT_THREADS + threadIdx.x;
        if (i < count) hash[k] = split_hash<K, P, FIRST>(pass, begin + i);
    }
    for (uint32_t d = threadIdx.x; d < digits; d += SPLIT_THREADS) sh.counts[d] = 0;
    __syncthreads();
#pragma unroll
    for (int k = 0; k < split_items<K, P, BITS>; k++)
        if (k * SPLIT_THREADS + threadIdx.x < count) atomicAdd(&sh.counts[pass.digit.of(hash[k])], 1u);
    __syncthreads();
    for (uint32_t d = threadIdx.x; d < digits; d += SPLIT_THREADS)
        pass.counts[(size_t)d * pass.tiles + blockIdx.x] = sh.counts[d];
}

/* The rank of a lane's digit among those that its warp has met, which are counted in `met`. */
template <int BITS> __device__ __forceinline__ uint32_t split_rank(uint16_t *met, bool in, uint32_t digit)
{
    const unsigned lane = threadIdx.x % 32;
    unsigned peers = __ballot_sync(~0u, in);
#pragma unroll
    for (int b = 0; b < BITS; b++) {
        const bool set = digit >> b & 1;
        const unsigned votes = __ballot_sync(~0u, set);
        peers &= set ? votes : ~votes;
    }
    const uint32_t before = in ? met[digit] : 0;
    __syncwarp();
    if (in && peers >> lane == 1) met[digit] = (uint16_t)(before + (uint32_t)__popc(peers));
    __syncwarp();
    return before + (uint32_t)__popc(peers & ((1u << lane) - 1));
}

/* Turns counts of warps into places in the tile, and says where the tile's runs go. */
template <class K, class P, int BITS>
__device__ __forceinline__ void split_places(split_shared<K, P, BITS> &sh, const split_pass<K, P> &pass)
{
    constexpr int DIGITS = split_shared<K, P, BITS>::DIGITS, EACH = split_shared<K, P, BITS>::EACH;
    uint32_t total[EACH], out[EACH], all = 0, unused;
#pragma unroll
    for (int e = 0; e < EACH; e++) {
        const uint32_t d = threadIdx.x * EACH + e;
        total[e] = 0;
        if (d < DIGITS && d >> pass.digit.bits == 0) {
            out[e] = pass.counts[(size_t)d * pass.tiles + blockIdx.x];
            for (int w = 0; w < SPLIT_WARPS; w++) total[e] += sh.ranks[w][d];
        }
        all += total[e];
    }
    uint32_t start = bi_block_sum_before<SPLIT_WARPS>(all, sh.warps, &unused);
#pragma unroll
    for (int e = 0; e < EACH; e++) {
        const uint32_t d = threadIdx.x * EACH + e;
        if (d < DIGITS && d >> pass.digit.bits == 0) {
            sh.offset[d] = out[e] - start;
            uint32_t at = start;
            for (int w = 0; w < SPLIT_WARPS; w++) {
                const uint32_t met = sh.ranks[w][d];
                sh.ranks[w][d] = (uint16_t)at;
                at += met;
            }
        }
        start += total[e];
    }
}

/* Moves a tile of `count` pairs; FULL: those are all that it has room for. */
template <class K, class P, bool FIRST, int BITS, bool FULL>
static __device__ __forceinline__ void split_move(split_shared<K, P, BITS> &sh, const split_pass<K, P> &pass,
                                                  uint32_t begin, uint32_t rest)
{
    constexpr int ITEMS = split_items<K, P, BITS>;
    using shared = split_shared<K, P, BITS>;
    const uint32_t t = threadIdx.x, warp = t / 32, from = warp * 32 * ITEMS + t % 32;
    const uint32_t count = FULL ? split_tile<K, P, BITS> : rest;
    K hash[ITEMS];
    uint32_t place[ITEMS];
#pragma unroll
    for (int k = 0; k < ITEMS; k++)
        if (from + 32 * k < count) hash[k] = split_hash<K, P, FIRST>(pass, begin + from + 32 * k);
    for (uint32_t i = t; i < SPLIT_WARPS * shared::DIGITS / 2; i += SPLIT_THREADS)
        reinterpret_cast<uint32_t *>(sh.ranks)[i] = 0;
    __syncthreads();
#pragma unroll
    for (int k = 0; k < ITEMS; k++) {
        const bool in = from + 32 * k < count;
        place[k] = split_rank<BITS>(sh.ranks[warp], in, in ? pass.digit.of(hash[k]) : 0);
    }
    __syncthreads();
    split_places(sh, pass);
    __syncthreads();
#pragma unroll
    for (int k = 0; k < ITEMS; k++) {
        if (from + 32 * k >= count) continue;
        place[k] += sh.ranks[warp][pass.digit.of(hash[k])];
        sh.hashes[place[k]] = hash[k];
    }
    __syncthreads();
    uint32_t to[ITEMS];
#pragma unroll
    for (int k = 0; k < ITEMS; k++) {
        const uint32_t i = k * SPLIT_THREADS + t;
        if (i >= count) continue;
        const K h = sh.hashes[i];
        to[k] = sh.offset[pass.digit.of(h)] + i;
        pass.hashes_out[to[k]] = h;
    }
    if constexpr (hash_valued<P>) {
        __syncthreads();
#pragma unroll
        for (int k = 0; k < ITEMS; k++)
            if (from + 32 * k < count) sh.payload[place[k]] = split_payload(pass, begin + from + 32 * k);
        __syncthreads();
#pragma unroll
        for (int k = 0; k < ITEMS; k++)
            if (k * SPLIT_THREADS + t < count) pass.payload_out[to[k]] = sh.payload[k * SPLIT_THREADS + t];
    }
}

template <class K, class P, bool FIRST, int BITS>
static __global__ void __launch_bounds__(SPLIT_THREADS, (split_blocks<K, P, BITS>))
    kernel_split(const split_pass<K, P> pass)
{
    using shared = split_shared<K, P, BITS>;
    BI_SHARED_DYNAMIC(shared, memory);
    const uint32_t begin = blockIdx.x * split_tile<K, P, BITS>, rest = pass.n - begin;
    if (rest >= split_tile<K, P, BITS>)
        split_move<K, P, FIRST, BITS, true>(*memory, pass, begin, rest);
    else
        split_move<K, P, FIRST, BITS, false>(*memory, pass, begin, rest);
}

template <class K, class P, bool FIRST, int BITS> static bosc_status run_pass(bosc_ctx *ctx, split_pass<K, P> pass)
{
    pass.tiles = (uint32_t)bi_div_up(pass.n, split_tile<K, P, BITS>);
    auto count = kernel_count<K, P, FIRST, BITS>;
    auto split = kernel_split<K, P, FIRST, BITS>;
    const int bytes = (int)sizeof(split_shared<K, P, BITS>);
    BI_TRY(BI_RUN(ctx, count, pass.tiles, SPLIT_THREADS, 0, pass));
    BI_TRY(ctx->backend->core->scan(ctx, BOSC_SUM, BOSC_EXCLUSIVE, BOSC_U32, pass.counts,
                                    (int64_t)pass.tiles << pass.digit.bits, pass.counts));
    BI_CUDA_TRY(ctx, cudaFuncSetAttribute(split, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
    return BI_RUN(ctx, split, pass.tiles, SPLIT_THREADS, (size_t)bytes, pass);
}

template <class K, class P, bool FIRST> static bosc_status split(bosc_ctx *ctx, const split_pass<K, P> &pass)
{
    if (pass.digit.bits <= FEW_BITS) return run_pass<K, P, FIRST, FEW_BITS>(ctx, pass);
    return run_pass<K, P, FIRST, MOST_BITS>(ctx, pass);
}

/* Where each part begins: the 32 lanes of a warp cut the range of a search in 33. */
template <class K>
static __global__ void __launch_bounds__(256)
    kernel_starts(const K *hashes, uint32_t n, int part_bits, uint32_t *starts)
{
    const uint32_t part = blockIdx.x * 8 + threadIdx.x / 32, lane = threadIdx.x % 32, parts = 1u << part_bits;
    if (part > parts) return;
    uint64_t low = part < parts ? 0 : n, high = n;
    while (low < high) {
        const uint64_t step = (high - low + 31) / 32, at = low + lane * step;
        const bool before = at < high && hash_part(hashes[at], part_bits) < part;
        const int below = __popc(__ballot_sync(~0u, before));
        if (below < 32) high = min(high, low + (uint64_t)below * step);
        if (below > 0) low += (uint64_t)(below - 1) * step + 1;
    }
    if (lane == 0) starts[part] = (uint32_t)low;
}

/* A pass takes MOST_BITS at most, and two passes share what one cannot take. */
static int low_bits(int part_bits) { return part_bits <= MOST_BITS ? 0 : part_bits / 2; }

static int64_t counts_of(int key_bytes, int payload_bytes, int part_bits, int64_t n)
{
    const int widest = key_bytes > payload_bytes ? key_bytes : payload_bytes;
    const int bits = part_bits - low_bits(part_bits); /* the low ones are as many, or one less */
    const int64_t tile = SPLIT_THREADS * split_each(widest, bits <= FEW_BITS ? FEW_BITS : MOST_BITS);
    return bi_div_up(n, tile) << bits;
}

template <class K, class P>
static bosc_status run(bosc_ctx *ctx, const struct bi_hash_shape *s, const void *keys, const void *values, int64_t n,
                       struct bi_hash_lists *lists)
{
    const int low = low_bits(s->part_bits), top = s->key_bits == 32 ? 32 : 64;
    split_pass<K, P> pass = {};
    pass.keys = (const K *)keys;
    pass.payload = (const P *)values;
    pass.n = (uint32_t)n;
    pass.seed = s->seed;
    pass.hashes_out = (K *)lists->hashes;
    pass.payload_out = (P *)lists->payload;
    void *counts, *hashes, *payload;
    BI_TRY(bi_scratch(ctx, (size_t)counts_of(sizeof(K), hash_payload_bytes<P>, s->part_bits, n) * 4, &counts));
    pass.counts = (uint32_t *)counts;
    if (low > 0) {
        BI_TRY(bi_scratch(ctx, (size_t)n * sizeof(K), &hashes));
        BI_TRY(bi_scratch(ctx, (size_t)n * hash_payload_bytes<P>, &payload));
        split_pass<K, P> before = pass;
        before.hashes_out = (K *)hashes;
        before.payload_out = (P *)payload;
        before.digit = {top - s->part_bits, low};
        BI_TRY((split<K, P, true>(ctx, before)));
        pass.keys = before.hashes_out;
        pass.payload = before.payload_out;
    }
    pass.digit = {top - s->part_bits + low, s->part_bits - low};
    if (low > 0) return split<K, P, false>(ctx, pass);
    return split<K, P, true>(ctx, pass);
}

template <class K>
static bosc_status find_starts(bosc_ctx *ctx, const struct bi_hash_shape *s, const struct bi_hash_lists *lists)
{
    const unsigned blocks = (unsigned)bi_div_up(((int64_t)1 << s->part_bits) + 1, 8);
    return BI_RUN(ctx, kernel_starts<K>, blocks, 256, 0, (const K *)lists->hashes, (uint32_t)lists->n, s->part_bits,
                  (uint32_t *)lists->starts);
}

static int32_t payload_of(const struct bi_hash_shape *s, bool valued)
{
    return !valued ? 0 : s->value_bytes == 8 ? 8 : 4;
}

bosc_status hash_partition(bosc_ctx *ctx, const struct bi_hash_shape *s, const void *keys, const void *values,
                           int64_t n, struct bi_hash_lists *lists)
{
    void *hashes, *payload, *starts;
    const bool rows = values && s->value_bytes != 4 && s->value_bytes != 8;
    *lists = {};
    lists->n = n;
    lists->payload_bytes = payload_of(s, values != NULL);
    if (rows) lists->values = values;
    BI_TRY(bi_scratch(ctx, (size_t)n * (size_t)s->key_bytes, &hashes));
    BI_TRY(bi_scratch(ctx, (size_t)n * (size_t)lists->payload_bytes, &payload));
    BI_TRY(bi_scratch(ctx, (((size_t)1 << s->part_bits) + 1) * 4, &starts));
    lists->hashes = hashes;
    lists->payload = payload;
    lists->starts = (const uint32_t *)starts;
    struct bi_mark mark = bi_arena_mark(ctx);
    bosc_status status = n == 0 ? BOSC_OK : hash_with_types(s->key_bits, lists->payload_bytes, [&](auto k, auto p) {
        return run<decltype(k), decltype(p)>(ctx, s, keys, rows ? NULL : values, n, lists);
    });
    bi_arena_rewind(ctx, mark);
    BI_TRY(status);
    if (s->key_bits == 32) return find_starts<uint32_t>(ctx, s, lists);
    if (s->key_bits == 64) return find_starts<uint64_t>(ctx, s, lists);
    return find_starts<bosc_hash_word>(ctx, s, lists);
}

/* Two copies of the lists, counts, starts, and what the scan takes (less than a 64th of the counts). */
size_t hash_partition_bytes(const struct bi_hash_shape *s, int64_t n)
{
    const int32_t payload = payload_of(s, s->value_bytes > 0);
    const size_t counts = (size_t)counts_of(s->key_bytes, payload, s->part_bits, n) * 4;
    const size_t copies = low_bits(s->part_bits) > 0 ? 2 : 1;
    return copies * (size_t)n * (size_t)(s->key_bytes + payload) + counts + counts / 64 +
           (((size_t)1 << s->part_bits) + 1) * 4 + 64 * 1024;
}
