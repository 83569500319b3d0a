/* Orders a tile of pairs by a digit of their hashes, stably, in a block's shared memory: used by the passes of the
 * partition and by the tiles of a fused build. Ranks within a warp are computed by votes. Source: Ashkiani and
 * others, GPU Multisplit (2016). */
#ifndef BI_HASH_CUDA_MULTISPLIT_CUH
#define BI_HASH_CUDA_MULTISPLIT_CUH

#include "hash/cuda/bucketed.cuh"

enum { SPLIT_THREADS = 512 }; /* measured, 100 M pairs, 16 a thread: 1.58 ms, 384 threads 1.64, 256 1.71 */

/* The digit of a partition's number that a pass orders by: `bits` of a hash's top word from bit `shift` on. */
struct split_digit {
    int32_t shift, bits;

    __device__ __forceinline__ uint32_t of(uint32_t hash) const { return hash >> shift & ((1u << bits) - 1); }
    __device__ __forceinline__ uint32_t of(uint64_t hash) const
    {
        return (uint32_t)(hash >> shift) & ((1u << bits) - 1);
    }
    __device__ __forceinline__ uint32_t of(bosc_hash_word hash) const { return of(hash.high); }
};

/* Pairs to order. */
template <class K, class P> struct split_input {
    const K *keys;    /* of the first pass, else hashes */
    const P *payload; /* NULL: the numbers of the rows */
    uint32_t n;
    struct split_digit digit;
    uint64_t seed;
};

/* Returns the items of a thread: runs are long, within shared memory. Measured, 100 M pairs of 32 bits: 16 items take
 * 1.46 ms, 13 1.59, 19 1.65; of 64 bits: 10 take 2.78, 8 2.84, 12 2.84. SMALL: for devices with less of it. */
static constexpr int split_each(int widest, bool small)
{
    return (widest == 4 ? 16 : widest == 8 ? 10 : 8) / (small ? 2 : 1);
}
template <class K, class P> constexpr int split_widest = sizeof(K) > sizeof(P) ? sizeof(K) : sizeof(P);

/* The shared memory of a block. BITS: maximum of a digit; ITEMS: of a thread. */
template <class K, class P, int BITS_, int ITEMS_, int THREADS_> struct split_shared {
    typedef K key;
    typedef P value;
    static constexpr int BITS = BITS_, DIGITS = 1 << BITS, ITEMS = ITEMS_, THREADS = THREADS_, WARPS = THREADS / 32;
    static constexpr uint32_t TILE = THREADS * ITEMS;
    static_assert(DIGITS <= THREADS, "a thread has one digit");
    uint16_t ranks[WARPS][DIGITS]; /* count of the digit in the warp so far; later the position of its next pair */
    uint32_t offset[DIGITS];       /* by digit: from a position in the tile to one in the output */
    uint32_t warps[WARPS], tile;
    K hashes[TILE];
    P payload[bi_hash_has_value<P> ? TILE : 1];
};

/* Returns the rank of a lane's digit among equal ones of its warp so far, which are counted in `seen`. */
template <int BITS, bool FULL> __device__ __forceinline__ uint32_t rank_digit(uint16_t *seen, bool in, uint32_t digit)
{
    const unsigned lane = threadIdx.x % 32;
    unsigned peers = FULL ? ~0u : __ballot_sync(~0u, in);
#pragma unroll
    for (int b = 0; b < BITS; b++) { /* without a condition: the compiler emits fewer instructions for shifts */
        const int32_t top = (int32_t)(digit << (31 - b));
        peers &= ~(__ballot_sync(~0u, top < 0) ^ (unsigned)(top >> 31));
    }
    /* `peers` are the lanes with an equal digit; the highest of them updates the count after all have read it. */
    const uint32_t exclusive_rank = in ? seen[digit] : 0;
    __syncwarp(); /* all lanes have read the counts */
    if (in && peers >> lane == 1) seen[digit] = (uint16_t)(exclusive_rank + (uint32_t)__popc(peers));
    __syncwarp(); /* the counts are visible to the next item */
    return exclusive_rank + (uint32_t)__popc(peers & ((1u << lane) - 1));
}

/* A thread's share of a tile: every 32nd pair of its warp's run; hashes and positions. */
template <class S> struct tile_share {
    uint32_t begin, count; /* the tile */
    uint32_t from;         /* index in the tile of this thread's first pair */
    typename S::key hash[S::ITEMS];
    uint32_t position[S::ITEMS];

    __device__ __forceinline__ bool has(int k) const { return from + 32 * k < count; }
};

/* Loads the keys of a tile; `remaining` pairs are left from its begin on. FULL: the pairs fill the tile. */
template <bool FULL, class S, class K, class P>
static __device__ __forceinline__ void load_tile_keys(const split_input<K, P> &in, uint32_t tile, uint32_t remaining,
                                                      tile_share<S> &own)
{
    own.begin = tile * S::TILE;
    own.count = FULL ? S::TILE : remaining;
    own.from = threadIdx.x / 32 * 32 * S::ITEMS + threadIdx.x % 32;
    const K *keys = in.keys + own.begin + own.from;
#pragma unroll
    for (int k = 0; k < S::ITEMS; k++)
        if (FULL || own.has(k)) own.hash[k] = keys[32 * k];
}

/* Hashes the keys (FIRST), and ranks their digits within each warp's run, counting in sh.ranks. All threads call it. */
template <bool FIRST, bool FULL, class S, class K, class P>
static __device__ __forceinline__ void rank_tile_digits(S &sh, const split_input<K, P> &in, tile_share<S> &own)
{
#pragma unroll
    for (int k = 0; k < S::ITEMS; k++)
        if (FIRST && (FULL || own.has(k))) own.hash[k] = bi_hash_key_hash(own.hash[k], in.seed);
#pragma unroll
    for (int k = 0; k < S::ITEMS; k++) {
        const bool has = FULL || own.has(k);
        own.position[k] =
            rank_digit<S::BITS, FULL>(sh.ranks[threadIdx.x / 32], has, has ? in.digit.of(own.hash[k]) : 0);
    }
}

/* Of digit threadIdx.x: its count in the tile, and its start in the ordered tile. */
struct digit_range {
    uint32_t total, start;
};

/* Turns each warp's counts of digits into positions; calls publish(digit, count in the tile) first. All threads call
 * it, between two barriers. */
template <class S, class F> static __device__ __forceinline__ digit_range scan_digit_counts(S &sh, const F &publish)
{
    const uint32_t t = threadIdx.x, warp = t / 32;
    digit_range own = {0, 0};
    /* 1. Add up the counts of a digit and scan them within the warp. */
    if (t < S::DIGITS) { /* whole warps */
#pragma unroll
        for (int w = 0; w < S::WARPS; w++) own.total += sh.ranks[w][t];
        publish(t, own.total);
        own.start = bi_warp_inclusive_sum(own.total);
        if (t % 32 == 31) sh.warps[warp] = own.start;
        own.start -= own.total;
    }
    __syncthreads(); /* the sums of all warps are there */
    if (t >= S::DIGITS) return own;
    /* 2. Add the sums of lower warps; then give each warp its position. */
    for (uint32_t w = 0; w < warp; w++) own.start += sh.warps[w];
    uint32_t at = own.start;
#pragma unroll
    for (int w = 0; w < S::WARPS; w++) {
        const uint32_t seen = sh.ranks[w][t];
        sh.ranks[w][t] = (uint16_t)at;
        at += seen;
    }
    return own;
}

/* Moves a share to its ordered positions in shared memory, after a barrier. */
template <bool FULL, class S, class K, class P>
static __device__ __forceinline__ void scatter_to_tile_order(S &sh, const split_input<K, P> &in,
                                                             const tile_share<S> &own)
{
    const uint32_t from = own.begin + own.from;
#pragma unroll
    for (int k = 0; k < S::ITEMS; k++) {
        if (!FULL && !own.has(k)) continue;
        const uint32_t position = own.position[k] + sh.ranks[threadIdx.x / 32][in.digit.of(own.hash[k])];
        sh.hashes[position] = own.hash[k];
        if constexpr (bi_hash_has_value<P>)
            sh.payload[position] = in.payload ? in.payload[from + 32 * k] : (P)(from + 32 * k);
    }
}

/* Zeroes the counts of digits; the caller adds a barrier. */
template <class S> static __device__ __forceinline__ void clear_digit_counts(S &sh)
{
    for (uint32_t i = threadIdx.x; i < S::WARPS * S::DIGITS / 2; i += S::THREADS)
        reinterpret_cast<uint32_t *>(sh.ranks)[i] = 0;
}

#endif
