/* Radix partition on CUDA: hashes the keys and orders the pairs by the top bits of the hashes, stably, least
 * significant digit first. The digits of all passes are counted at once; then each pass reads and writes every pair
 * once: a tile is ordered in shared memory, so that its writes are runs, and gets its output positions from earlier
 * tiles by decoupled look-back. Source: Adinets, Merrill, Onesweep: A Faster Least Significant Digit Radix Sort for
 * GPUs (2022). */
#ifndef BI_HASH_CUDA_PARTITION_KERNELS_CUH
#define BI_HASH_CUDA_PARTITION_KERNELS_CUH

#include "hash/cuda/multisplit.cuh"

enum { SPLIT_BITS = 8, SPLIT_DIGITS = 1 << SPLIT_BITS, SPLIT_PASSES = 3 };
enum { TALLY_THREADS = 512, TALLY_EACH = 8 };

/* Word that a tile publishes for a digit, << SPLIT_FLAGS: SPLIT_COUNT: its count in the tile; SPLIT_END: the output
 * position behind the tile's last one; 0: not published yet. */
enum { SPLIT_COUNT = 1, SPLIT_END = 2, SPLIT_FLAGS = 2 };
/* Tiles whose words are read at once. Measured, 100 M pairs, with ballots in C: 1.55 ms, before both 1.58. */
enum { LOOK_BACK_TILES = 4 };

template <class K, class P> struct split_pass : split_input<K, P> {
    const uint32_t *tally;     /* (SPLIT_DIGITS) pairs of each digit; NULL: a single tile counts its own */
    unsigned *ticket;          /* counter that assigns tiles to blocks; NULL: a single tile */
    unsigned long long *words; /* (tiles x digits) published words; NULL: a single tile */
    uint32_t *starts;          /* where partitions begin, if the digits are partitions; else NULL */
    uint32_t partitions;
    K *hashes_out;
    P *payload_out;
};

/* BITS: maximum of a digit. */
template <class K, class P, int BITS, bool SMALL>
using split_shared_of = split_shared<K, P, BITS, split_each(split_widest<K, P>, SMALL), SPLIT_THREADS>;

struct split_digits {
    struct split_digit of_pass[SPLIT_PASSES];
    int32_t passes;
};

/* Counts the digits of all PASSES = digits.passes passes. The caller zeroes tally (PASSES x SPLIT_DIGITS). The first
 * pass hashes the keys again. */
template <class K, int PASSES>
static __global__ void __launch_bounds__(TALLY_THREADS)
    bi_hash_tally_digits(const K *keys, uint32_t n, uint64_t seed, const split_digits digits, uint32_t *tally)
{
    struct tally_shared {
        uint32_t counts[PASSES * SPLIT_DIGITS];
    };
    BI_SHARED(tally_shared, sh);
    /* 1. Clear the counts of the block. */
    for (uint32_t d = threadIdx.x; d < PASSES * SPLIT_DIGITS; d += TALLY_THREADS) sh.counts[d] = 0;
    __syncthreads(); /* the counts are zero */
    /* 2. Count the digits of all passes, a batch of keys at a time. */
    const uint64_t step = (uint64_t)gridDim.x * (TALLY_THREADS * TALLY_EACH);
    for (uint64_t begin = blockIdx.x * (uint64_t)(TALLY_THREADS * TALLY_EACH); begin < n; begin += step) {
        const K *tile = keys + begin + threadIdx.x;
        const uint32_t remaining = n - (uint32_t)begin;
        K hash[TALLY_EACH];
#pragma unroll
        for (uint32_t k = 0; k < TALLY_EACH; k++)
            if (k * TALLY_THREADS + threadIdx.x < remaining) hash[k] = bi_hash_key_hash(tile[k * TALLY_THREADS], seed);
#pragma unroll
        for (uint32_t k = 0; k < TALLY_EACH; k++) {
            if (k * TALLY_THREADS + threadIdx.x >= remaining) continue;
#pragma unroll
            for (int p = 0; p < PASSES; p++)
                atomicAdd(&sh.counts[p * SPLIT_DIGITS + digits.of_pass[p].of(hash[k])], 1u);
        }
    }
    __syncthreads(); /* all threads have counted */
    /* 3. Add them to the counts of the grid. */
    for (uint32_t d = threadIdx.x; d < PASSES * SPLIT_DIGITS; d += TALLY_THREADS)
        if (sh.counts[d]) atomicAdd(&tally[d], sh.counts[d]);
}

template <class K>
static bosc_status count_digits(bosc_ctx *ctx, const K *keys, uint32_t n, uint64_t seed, const split_digits &digits,
                                uint32_t *tally)
{
    const unsigned blocks = (unsigned)min(bi_div_up(n, TALLY_THREADS * TALLY_EACH), (int64_t)ctx->multiprocessors * 4);
    auto kernel = digits.passes == 1   ? bi_hash_tally_digits<K, 1>
                  : digits.passes == 2 ? bi_hash_tally_digits<K, 2>
                                       : bi_hash_tally_digits<K, SPLIT_PASSES>;
    return BI_RUN(ctx, kernel, blocks, TALLY_THREADS, 0, keys, n, seed, digits, tally);
}

/* Returns the output position of the tile's first pair of digit d, whose count in the tile is `total`. Adds up the
 * words of earlier tiles back to one that has published a position. */
template <int BITS, class K, class P>
static __device__ __forceinline__ uint32_t look_back_for_digit(const split_pass<K, P> &pass, uint32_t tile, uint32_t d,
                                                               uint32_t total)
{
    constexpr uint32_t DIGITS = 1u << BITS;
    unsigned long long preceding = 0, word[LOOK_BACK_TILES];
    bool end = false;
    for (uint32_t t = tile; !end; t -= LOOK_BACK_TILES) { /* the words before tile 0 count as SPLIT_END */
#pragma unroll
        for (uint32_t k = 0; k < LOOK_BACK_TILES; k++)
            word[k] =
                k < t ? bi_load_relaxed(&pass.words[(size_t)(t - 1 - k) * DIGITS + d]) : (unsigned long long)SPLIT_END;
#pragma unroll
        for (uint32_t k = 0; k < LOOK_BACK_TILES; k++) {
            if (end) continue;
            while (word[k] == 0) {
                __nanosleep(20);
                word[k] = bi_load_relaxed(&pass.words[(size_t)(t - 1 - k) * DIGITS + d]);
            }
            preceding += word[k] >> SPLIT_FLAGS;
            end = (word[k] & SPLIT_END) != 0;
        }
    }
    bi_store_relaxed(&pass.words[(size_t)tile * DIGITS + d], (preceding + total) << SPLIT_FLAGS | SPLIT_END);
    return (uint32_t)preceding;
}

/* Computes sh.offset: the output position of each digit minus its start in the tile. All threads call it; sh.warps
 * is free. */
template <class S, class K, class P>
static __device__ __forceinline__ void find_output_offsets(S &sh, const split_pass<K, P> &pass, uint32_t tile,
                                                           digit_range own)
{
    /* 1. Later tiles look back. */
    const uint32_t t = threadIdx.x;
    if (tile > 0) {
        if (t < S::DIGITS) sh.offset[t] = look_back_for_digit<S::BITS>(pass, tile, t, own.total) - own.start;
        return;
    }
    /* 2. The first tile scans the counts of all pairs, and publishes positions and starts. */
    uint32_t unused;
    const uint32_t all = t >= S::DIGITS ? 0 : pass.tally ? pass.tally[t] : own.total;
    const uint32_t first = bi_block_exclusive_sum<S::WARPS>(all, sh.warps, &unused);
    if (t >= S::DIGITS) return;
    if (pass.words)
        bi_store_relaxed(&pass.words[t], ((unsigned long long)first + own.total) << SPLIT_FLAGS | SPLIT_END);
    if (pass.starts && t < pass.partitions) pass.starts[t] = first;
    if (pass.starts && t == 0) pass.starts[pass.partitions] = pass.n;
    sh.offset[t] = first - own.start;
}

/* Writes the ordered tile to the output. */
template <class S, class K, class P>
static __device__ __forceinline__ void write_ordered_tile(const S &sh, const split_pass<K, P> &pass, uint32_t count)
{
#pragma unroll
    for (int k = 0; k < S::ITEMS; k++) {
        const uint32_t i = k * SPLIT_THREADS + threadIdx.x;
        if (i >= count) continue;
        const K hash = sh.hashes[i];
        const uint32_t to = sh.offset[pass.digit.of(hash)] + i;
        pass.hashes_out[to] = hash;
        if constexpr (bi_hash_has_value<P>) pass.payload_out[to] = sh.payload[i];
    }
}

/* Processes a tile; `remaining` pairs are left from its begin on. FULL: they fill it. */
template <bool FIRST, bool FULL, class S, class K, class P>
static __device__ __forceinline__ void move_tile(S &sh, const split_pass<K, P> &pass, uint32_t tile, uint32_t remaining)
{
    /* 1. Load the keys and rank their digits within warps. */
    tile_share<S> own;
    load_tile_keys<FULL>(pass, tile, remaining, own);
    rank_tile_digits<FIRST, FULL>(sh, pass, own);
    __syncthreads(); /* the counts of all warps are there */
    /* 2. Publish the counts early, for later tiles, and scan them. */
    const digit_range column = scan_digit_counts(sh, [&](uint32_t digit, uint32_t total) {
        if (tile > 0)
            bi_store_relaxed(&pass.words[(size_t)tile * S::DIGITS + digit],
                             (unsigned long long)total << SPLIT_FLAGS | SPLIT_COUNT);
    });
    __syncthreads(); /* the positions of all digits are there */
    /* 3. Order the tile in shared memory; look back for the output positions; write. */
    scatter_to_tile_order<FULL>(sh, pass, own);
    find_output_offsets(sh, pass, tile, column);
    __syncthreads(); /* the tile is in order and the offsets are there */
    write_ordered_tile(sh, pass, own.count);
}

/* A pass. A ticket assigns tiles in the order in which blocks start, so that no tile waits for one that has not
 * started. */
template <class S, bool FIRST>
static __global__ void __launch_bounds__(SPLIT_THREADS, 2)
    bi_hash_split_pass(const split_pass<typename S::key, typename S::value> pass)
{
    BI_SHARED_DYNAMIC(S, sh);
    if (threadIdx.x == 0) sh->tile = pass.ticket ? atomicAdd(pass.ticket, 1u) : 0;
    clear_digit_counts(*sh);
    __syncthreads(); /* the tile's number and the zeros are there */
    const uint32_t tile = sh->tile, remaining = pass.n - tile * S::TILE;
    if (remaining >= S::TILE)
        move_tile<FIRST, true>(*sh, pass, tile, remaining);
    else
        move_tile<FIRST, false>(*sh, pass, tile, remaining);
}

template <class S, bool FIRST, class K, class P>
static bosc_status launch_pass(bosc_ctx *ctx, const split_pass<K, P> &pass)
{
    auto kernel = bi_hash_split_pass<S, FIRST>;
    BI_CUDA_TRY(ctx, cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)sizeof(S)));
    return BI_RUN(ctx, kernel, (unsigned)bi_div_up(pass.n, S::TILE), SPLIT_THREADS, sizeof(S), pass);
}

/* Kernels for few bits need less shared memory and fewer votes: they exist for 5, 7 and 8 bits, with small tiles for
 * 8 only. Returns the bits of the kernel. */
static int kind_of(int bits, bool small) { return small || bits > 7 ? SPLIT_BITS : bits > 5 ? 7 : 5; }

template <bool FIRST, class K, class P>
static bosc_status launch_split(bosc_ctx *ctx, const split_pass<K, P> &pass, bool small)
{
    const int kind = kind_of(pass.digit.bits, small);
    if (small) return launch_pass<split_shared_of<K, P, SPLIT_BITS, true>, FIRST>(ctx, pass);
    if (kind == 5) return launch_pass<split_shared_of<K, P, 5, false>, FIRST>(ctx, pass);
    if (kind == 7) return launch_pass<split_shared_of<K, P, 7, false>, FIRST>(ctx, pass);
    return launch_pass<split_shared_of<K, P, SPLIT_BITS, false>, FIRST>(ctx, pass);
}

/* Finds the start of each partition, a warp each, by a search in which the 32 lanes divide the range by 33 in each
 * step. */
template <class K>
static __global__ void __launch_bounds__(256)
    bi_hash_partition_starts(const K *hashes, uint32_t n, int partition_bits, uint32_t *starts)
{
    const uint32_t partition = blockIdx.x * 8 + threadIdx.x / 32, lane = threadIdx.x % 32,
                   partitions = 1u << partition_bits;
    if (partition > partitions) return;
    uint64_t low = partition < partitions ? 0 : n, high = n;
    while (low < high) {
        const uint64_t step = (high - low + 31) / 32, at = low + lane * step;
        const bool is_below = at < high && bi_hash_key_partition(hashes[at], partition_bits) < partition;
        const int below = __popc(__ballot_sync(~0u, is_below));
        if (below < 32) high = min(high, low + (uint64_t)below * step);
        if (below > 0) low += (uint64_t)(below - 1) * step + 1;
    }
    if (lane == 0) starts[partition] = (uint32_t)low;
}

/* Divides the bits among the passes. top: bits of the word that selects partitions. */
static inline split_digits digits_of(int partition_bits, int top)
{
    split_digits digits = {};
    digits.passes = (int32_t)bi_div_up(partition_bits, SPLIT_BITS);
    for (int p = 0, done = 0; p < digits.passes; p++) {
        const int bits = (partition_bits - done) / (digits.passes - p);
        digits.of_pass[p] = {top - partition_bits + done, bits};
        done += bits;
    }
    return digits;
}

/* Bytes at the front of the zeroed scratch: counts and tickets; the words of each pass follow. */
enum { SPLIT_HEAD = (SPLIT_PASSES * SPLIT_DIGITS + SPLIT_PASSES + 1) * 4 };

/* True if the large tiles do not fit in this device's shared memory. */
static inline bool is_small(const bosc_ctx *ctx, int32_t key_bytes, int32_t payload_bytes)
{
    typedef split_shared_of<uint32_t, bi_hash_no_value, SPLIT_BITS, false> any;
    const size_t beside = sizeof(any) - sizeof(any::hashes) + sizeof(bosc_hash_word); /* and alignment */
    const size_t pairs = (size_t)SPLIT_THREADS * split_each(max(key_bytes, payload_bytes), false);
    return beside + pairs * (size_t)(key_bytes + payload_bytes) > bi_shared_bytes(ctx);
}

/* Returns the words that the tiles publish in a pass. widest: bytes of a key or of its payload, whichever is more. */
static inline size_t words_of(int widest, const split_digits &digits, int64_t n, bool small)
{
    const int bits = kind_of(digits.of_pass[digits.passes - 1].bits, small); /* the last pass has the most bits */
    return (size_t)bi_div_up(n, SPLIT_THREADS * split_each(widest, small)) << bits;
}

/* Returns the bytes of the zeroed scratch. */
static inline size_t zeros_of(int widest, const split_digits &digits, int64_t n, bool small)
{
    return SPLIT_HEAD + words_of(widest, digits, n, small) * 8 * (size_t)digits.passes;
}

/* Orders all pairs as one tile in one pass: few pairs have few partitions. */
template <class K, class P>
static bosc_status partition_in_one_tile(bosc_ctx *ctx, split_pass<K, P> *pass, const struct bi_hash_shape *s,
                                         bool small)
{
    pass->digit = digits_of(s->partition_bits, s->key_bits == 32 ? 32 : 64).of_pass[0];
    return launch_split<true>(ctx, *pass, small);
}

/* Orders the pairs in several tiles. *pass has the input, n > 0 and the seed; the rest is set, and its input changes.
 * Writes hashes and payload of *lists. If one pass suffices it also writes pass->starts, of pass->partitions; else
 * pass->starts is NULL, and the caller finds the starts. partition_bits is 1 to 24. Scratch belongs to the caller. */
template <class K, class P>
static bosc_status partition_in_passes(bosc_ctx *ctx, split_pass<K, P> *pass, const struct bi_hash_shape *s, bool small,
                                       const struct bi_hash_lists *lists)
{
    /* 1. Allocate zeroed words, and arrays between passes. */
    const split_digits digits = digits_of(s->partition_bits, s->key_bits == 32 ? 32 : 64);
    const int widest = max((int)sizeof(K), bi_hash_payload_bytes<P>);
    const size_t words = words_of(widest, digits, pass->n, small), zeros = zeros_of(widest, digits, pass->n, small);
    void *zeroed, *hashes = NULL, *payload = NULL;
    BI_TRY(bi_scratch(ctx, zeros, &zeroed));
    if (digits.passes > 1) {
        BI_TRY(bi_scratch(ctx, (size_t)pass->n * sizeof(K), &hashes));
        BI_TRY(bi_scratch(ctx, (size_t)pass->n * bi_hash_payload_bytes<P>, &payload));
    }
    /* 2. Count the digits, then run the passes, which alternate between the arrays and end in the lists. */
    uint32_t *tally = (uint32_t *)zeroed;
    BI_TRY(ctx->backend->fill(ctx, zeroed, 0, zeros));
    BI_TRY(count_digits(ctx, pass->keys, pass->n, pass->seed, digits, tally));
    for (int p = 0; p < digits.passes; p++) {
        const bool last = (digits.passes - p) % 2 == 1; /* to the lists; else to the temporary arrays */
        pass->digit = digits.of_pass[p];
        pass->tally = tally + p * SPLIT_DIGITS;
        pass->ticket = tally + SPLIT_PASSES * SPLIT_DIGITS + p;
        pass->words = (unsigned long long *)((char *)zeroed + SPLIT_HEAD) + words * (size_t)p;
        pass->hashes_out = (K *)(last ? lists->hashes : hashes);
        pass->payload_out = (P *)(last ? lists->payload : payload);
        if (p == 0)
            BI_TRY(launch_split<true>(ctx, *pass, small));
        else
            BI_TRY(launch_split<false>(ctx, *pass, small));
        pass->keys = pass->hashes_out;
        pass->payload = pass->payload_out;
    }
    return BOSC_OK;
}

/* True if one pass suffices: its digits are partitions, so that it finds their starts. */
static inline bool is_one_pass(const struct bi_hash_shape *s) { return s->partition_bits <= SPLIT_BITS; }

template <class K, class P>
bosc_status bi_hash_partition_pairs(bosc_ctx *ctx, const struct bi_hash_shape *s, const void *keys, const void *values,
                                    int64_t n, struct bi_hash_lists *lists)
{
    const int widest = max((int)sizeof(K), bi_hash_payload_bytes<P>);
    const bool small = is_small(ctx, sizeof(K), bi_hash_payload_bytes<P>);
    split_pass<K, P> pass = {};
    pass.keys = (const K *)keys;
    pass.payload = (const P *)values;
    pass.n = (uint32_t)n;
    pass.seed = s->seed;
    pass.hashes_out = (K *)lists->hashes;
    pass.payload_out = (P *)lists->payload;
    pass.starts = is_one_pass(s) ? (uint32_t *)lists->starts : NULL;
    pass.partitions = 1u << s->partition_bits;
    if (is_one_pass(s) && n <= SPLIT_THREADS * split_each(widest, small))
        return partition_in_one_tile(ctx, &pass, s, small);
    return partition_in_passes(ctx, &pass, s, small, lists);
}

#endif
