/* Radix partition on CUDA: keys become hashes, and pairs are ordered by the top bits of those, stably, the low ones of
 * these bits first. The digits of all passes are counted at once; then each pass reads and writes every pair once: a
 * tile is ordered in shared memory, so that its writes are runs, and learns from the tiles before it where they go.
 * Source: Adinets, Merrill, Onesweep: A Faster Least Significant Digit Radix Sort for GPUs (2022). */
#include "hash/cuda/split.cuh"

enum { SPLIT_BITS = 8, SPLIT_DIGITS = 1 << SPLIT_BITS, SPLIT_PASSES = 3 };
enum { TALLY_THREADS = 512, TALLY_EACH = 8 };

/* What tiles publish of a digit: how many of it a tile has, or the position after its last one; 0: nothing yet. */
enum { SPLIT_COUNT = 1, SPLIT_END = 2, SPLIT_FLAGS = 2 };
enum { SPLIT_LOOK = 4 }; /* tiles looked at at once */

template <class K, class P> struct split_pass : split_input<K, P> {
    const uint32_t *tally;     /* (SPLIT_DIGITS) pairs of each digit; NULL: there is one tile, which counts its own */
    unsigned *ticket;          /* of the next tile, if there are several */
    unsigned long long *words; /* (tiles x digits), the same */
    uint32_t *starts;          /* NULL unless digits are partitions: gets where those begin */
    uint32_t partitions;
    K *hashes_out;
    P *payload_out;
};

/* BITS: of a digit at most. */
template <class K, class P, int BITS, bool SMALL>
using split_shared_of = split_shared<K, P, BITS, split_each(split_widest<K, P>, SMALL), SPLIT_THREADS>;

struct split_digits {
    struct split_digit of_pass[SPLIT_PASSES];
    int32_t passes;
};

/* Counts the digits of all passes. */
template <class K, int PASSES>
static __global__ void __launch_bounds__(TALLY_THREADS)
    bi_hash_tally_digits(const K *keys, uint32_t n, uint64_t seed, const split_digits digits, uint32_t *tally)
{
    struct tally_shared {
        uint32_t counts[PASSES * SPLIT_DIGITS];
    };
    BI_SHARED(tally_shared, sh);
    for (uint32_t d = threadIdx.x; d < PASSES * SPLIT_DIGITS; d += TALLY_THREADS) sh.counts[d] = 0;
    __syncthreads();
    const uint64_t step = (uint64_t)gridDim.x * (TALLY_THREADS * TALLY_EACH);
    for (uint64_t begin = blockIdx.x * (uint64_t)(TALLY_THREADS * TALLY_EACH); begin < n; begin += step) {
        const K *tile = keys + begin + threadIdx.x;
        const uint32_t rest = n - (uint32_t)begin;
        K hash[TALLY_EACH];
#pragma unroll
        for (uint32_t k = 0; k < TALLY_EACH; k++)
            if (k * TALLY_THREADS + threadIdx.x < rest) hash[k] = bi_hash_key_hash(tile[k * TALLY_THREADS], seed);
#pragma unroll
        for (uint32_t k = 0; k < TALLY_EACH; k++) {
            if (k * TALLY_THREADS + threadIdx.x >= rest) continue;
#pragma unroll
            for (int p = 0; p < PASSES; p++)
                atomicAdd(&sh.counts[p * SPLIT_DIGITS + digits.of_pass[p].of(hash[k])], 1u);
        }
    }
    __syncthreads();
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

/* The position in the output of the tile's first pair of digit d, of which the tile has `total`. */
template <int BITS, class K, class P>
static __device__ __forceinline__ uint32_t split_look_back(const split_pass<K, P> &pass, uint32_t tile, uint32_t d,
                                                           uint32_t total)
{
    constexpr uint32_t DIGITS = 1u << BITS;
    unsigned long long before = 0, word[SPLIT_LOOK];
    bool end = false;
    for (uint32_t t = tile; !end; t -= SPLIT_LOOK) { /* the first tile ends it */
#pragma unroll
        for (uint32_t k = 0; k < SPLIT_LOOK; k++)
            word[k] =
                k < t ? bi_load_relaxed(&pass.words[(size_t)(t - 1 - k) * DIGITS + d]) : (unsigned long long)SPLIT_END;
#pragma unroll
        for (uint32_t k = 0; k < SPLIT_LOOK; k++) {
            if (end) continue;
            while (word[k] == 0) {
                __nanosleep(20);
                word[k] = bi_load_relaxed(&pass.words[(size_t)(t - 1 - k) * DIGITS + d]);
            }
            before += word[k] >> SPLIT_FLAGS;
            end = (word[k] & SPLIT_END) != 0;
        }
    }
    bi_store_relaxed(&pass.words[(size_t)tile * DIGITS + d], (before + total) << SPLIT_FLAGS | SPLIT_END);
    return (uint32_t)before;
}

/* Finds where the tile's runs go in the output. All threads call it; sh.warps is free. */
template <class S, class K, class P>
static __device__ __forceinline__ void split_offsets(S &sh, const split_pass<K, P> &pass, uint32_t tile,
                                                     split_column own)
{
    const uint32_t t = threadIdx.x;
    if (tile > 0) {
        if (t < S::DIGITS) sh.offset[t] = split_look_back<S::BITS>(pass, tile, t, own.total) - own.start;
        return;
    }
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

/* Writes the tile, which is in order, to the output. */
template <class S, class K, class P>
static __device__ __forceinline__ void split_write(const S &sh, const split_pass<K, P> &pass, uint32_t count)
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

/* Moves a tile; `rest` pairs begin with it. FULL: they fill it. */
template <bool FIRST, bool FULL, class S, class K, class P>
static __device__ __forceinline__ void split_move(S &sh, const split_pass<K, P> &pass, uint32_t tile, uint32_t rest)
{
    split_share<S> own;
    split_keys<FULL>(pass, tile, rest, own);
    split_ranks<FIRST, FULL>(sh, pass, own);
    __syncthreads();
    const split_column column = split_columns(sh, [&](uint32_t digit, uint32_t total) {
        if (tile > 0)
            bi_store_relaxed(&pass.words[(size_t)tile * S::DIGITS + digit],
                             (unsigned long long)total << SPLIT_FLAGS | SPLIT_COUNT);
    });
    __syncthreads();
    split_place<FULL>(sh, pass, own);
    split_offsets(sh, pass, tile, column);
    __syncthreads();
    split_write(sh, pass, own.count);
}

template <class S, bool FIRST>
static __global__ void __launch_bounds__(SPLIT_THREADS, 2)
    bi_hash_split_pass(const split_pass<typename S::key, typename S::value> pass)
{
    BI_SHARED_DYNAMIC(S, sh);
    if (threadIdx.x == 0) sh->tile = pass.ticket ? atomicAdd(pass.ticket, 1u) : 0;
    split_clear(*sh);
    __syncthreads();
    const uint32_t tile = sh->tile, rest = pass.n - tile * S::TILE;
    if (rest >= S::TILE)
        split_move<FIRST, true>(*sh, pass, tile, rest);
    else
        split_move<FIRST, false>(*sh, pass, tile, rest);
}

template <class S, bool FIRST, class K, class P>
static bosc_status run_pass(bosc_ctx *ctx, const split_pass<K, P> &pass)
{
    auto split = bi_hash_split_pass<S, FIRST>;
    BI_CUDA_TRY(ctx, cudaFuncSetAttribute(split, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)sizeof(S)));
    return BI_RUN(ctx, split, (unsigned)bi_div_up(pass.n, S::TILE), SPLIT_THREADS, sizeof(S), pass);
}

/* Kernels for few bits take less shared memory and fewer votes: there are some for 5, 7 and 8 at most, and of small
 * tiles for 8 alone. */
static int kind_of(int bits, bool small) { return small || bits > 7 ? SPLIT_BITS : bits > 5 ? 7 : 5; }

template <bool FIRST, class K, class P>
static bosc_status split(bosc_ctx *ctx, const split_pass<K, P> &pass, bool small)
{
    const int kind = kind_of(pass.digit.bits, small);
    if (small) return run_pass<split_shared_of<K, P, SPLIT_BITS, true>, FIRST>(ctx, pass);
    if (kind == 5) return run_pass<split_shared_of<K, P, 5, false>, FIRST>(ctx, pass);
    if (kind == 7) return run_pass<split_shared_of<K, P, 7, false>, FIRST>(ctx, pass);
    return run_pass<split_shared_of<K, P, SPLIT_BITS, false>, FIRST>(ctx, pass);
}

/* Finds where each partition begins: the 32 lanes of a warp cut the range of a search in 33. */
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
        const bool before = at < high && bi_hash_key_partition(hashes[at], partition_bits) < partition;
        const int below = __popc(__ballot_sync(~0u, before));
        if (below < 32) high = min(high, low + (uint64_t)below * step);
        if (below > 0) low += (uint64_t)(below - 1) * step + 1;
    }
    if (lane == 0) starts[partition] = (uint32_t)low;
}

/* Shares the bits among the passes. `top`: bits of the word that chooses partitions. */
static split_digits digits_of(int partition_bits, int top)
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

/* Scratch of the passes that is zeroed first: counts, tickets, then the words of each pass. */
enum { SPLIT_HEAD = (SPLIT_PASSES * SPLIT_DIGITS + SPLIT_PASSES + 1) * 4 };

/* Whether the large tiles do not fit in this device's shared memory. */
static bool is_small(const bosc_ctx *ctx, int32_t key_bytes, int32_t payload_bytes)
{
    typedef split_shared_of<uint32_t, bi_hash_no_value, SPLIT_BITS, false> any;
    const size_t beside = sizeof(any) - sizeof(any::hashes) + sizeof(bosc_hash_word); /* and what alignment may take */
    const size_t pairs = (size_t)SPLIT_THREADS * split_each(max(key_bytes, payload_bytes), false);
    return beside + pairs * (size_t)(key_bytes + payload_bytes) > bi_hash_shared_bytes(ctx);
}

static size_t words_of(int widest, const split_digits &digits, int64_t n, bool small)
{
    const int bits = kind_of(digits.of_pass[digits.passes - 1].bits, small); /* the last pass has the most */
    return (size_t)bi_div_up(n, SPLIT_THREADS * split_each(widest, small)) << bits;
}

static size_t zeros_of(int widest, const split_digits &digits, int64_t n, bool small)
{
    return SPLIT_HEAD + words_of(widest, digits, n, small) * 8 * (size_t)digits.passes;
}

/* One tile takes all pairs, in one pass: few pairs have few partitions. */
template <class K, class P>
static bosc_status run_tile(bosc_ctx *ctx, split_pass<K, P> *pass, const struct bi_hash_shape *s, bool small)
{
    pass->digit = digits_of(s->partition_bits, s->key_bits == 32 ? 32 : 64).of_pass[0];
    return split<true>(ctx, *pass, small);
}

template <class K, class P>
static bosc_status run_tiles(bosc_ctx *ctx, split_pass<K, P> *pass, const struct bi_hash_shape *s, bool small,
                             const struct bi_hash_lists *lists)
{
    const split_digits digits = digits_of(s->partition_bits, s->key_bits == 32 ? 32 : 64);
    const int widest = max((int)sizeof(K), bi_hash_payload_bytes<P>);
    const size_t words = words_of(widest, digits, pass->n, small), zeros = zeros_of(widest, digits, pass->n, small);
    void *zeroed, *hashes = NULL, *payload = NULL;
    BI_TRY(bi_scratch(ctx, zeros, &zeroed));
    if (digits.passes > 1) {
        BI_TRY(bi_scratch(ctx, (size_t)pass->n * sizeof(K), &hashes));
        BI_TRY(bi_scratch(ctx, (size_t)pass->n * bi_hash_payload_bytes<P>, &payload));
    }
    uint32_t *tally = (uint32_t *)zeroed;
    BI_TRY(ctx->backend->fill(ctx, zeroed, 0, zeros));
    BI_TRY(count_digits(ctx, pass->keys, pass->n, pass->seed, digits, tally));
    for (int p = 0; p < digits.passes; p++) {
        const bool last = (digits.passes - p) % 2 == 1; /* to the lists; else to the other arrays */
        pass->digit = digits.of_pass[p];
        pass->tally = tally + p * SPLIT_DIGITS;
        pass->ticket = tally + SPLIT_PASSES * SPLIT_DIGITS + p;
        pass->words = (unsigned long long *)((char *)zeroed + SPLIT_HEAD) + words * (size_t)p;
        pass->hashes_out = (K *)(last ? lists->hashes : hashes);
        pass->payload_out = (P *)(last ? lists->payload : payload);
        if (p == 0)
            BI_TRY(split<true>(ctx, *pass, small));
        else
            BI_TRY(split<false>(ctx, *pass, small));
        pass->keys = pass->hashes_out;
        pass->payload = pass->payload_out;
    }
    return BOSC_OK;
}

/* Whether the digits of the only pass are partitions, so that it tells where they begin. */
static bool is_one_pass(const struct bi_hash_shape *s) { return s->partition_bits <= SPLIT_BITS; }

template <class K, class P>
static bosc_status run(bosc_ctx *ctx, const struct bi_hash_shape *s, const void *keys, const void *values, int64_t n,
                       struct bi_hash_lists *lists)
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
    if (is_one_pass(s) && n <= SPLIT_THREADS * split_each(widest, small)) return run_tile(ctx, &pass, s, small);
    return run_tiles(ctx, &pass, s, small, lists);
}

template <class K>
static bosc_status find_starts(bosc_ctx *ctx, const struct bi_hash_shape *s, const struct bi_hash_lists *lists)
{
    const unsigned blocks = (unsigned)bi_div_up(((int64_t)1 << s->partition_bits) + 1, 8);
    return BI_RUN(ctx, bi_hash_partition_starts<K>, blocks, 256, 0, (const K *)lists->hashes, (uint32_t)lists->n,
                  s->partition_bits, (uint32_t *)lists->starts);
}

static int32_t payload_of(const struct bi_hash_shape *s, bool valued)
{
    return !valued ? 0 : s->value_bytes == 8 ? 8 : 4;
}

bosc_status bi_hash_partition_cuda(bosc_ctx *ctx, const struct bi_hash_shape *s, const void *keys, const void *values,
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
    BI_TRY(bi_scratch(ctx, (((size_t)1 << s->partition_bits) + 1) * 4, &starts));
    lists->hashes = hashes;
    lists->payload = payload;
    lists->starts = (const uint32_t *)starts;
    const auto run_typed = [&](auto k, auto p) {
        return run<decltype(k), decltype(p)>(ctx, s, keys, rows ? NULL : values, n, lists);
    };
    if (n > 0) BI_TRY_WITH_SCRATCH(ctx, bi_hash_with_types(s->key_bits, lists->payload_bytes, run_typed));
    if (n > 0 && is_one_pass(s)) return BOSC_OK;
    if (s->key_bits == 32) return find_starts<uint32_t>(ctx, s, lists);
    if (s->key_bits == 64) return find_starts<uint64_t>(ctx, s, lists);
    return find_starts<bosc_hash_word>(ctx, s, lists);
}

/* Two copies of the lists, unless one pass is enough; what is zeroed; starts. */
size_t bi_hash_partition_bytes_cuda(const bosc_ctx *ctx, const struct bi_hash_shape *s, int64_t n)
{
    const int32_t payload = payload_of(s, s->value_bytes > 0);
    const split_digits digits = digits_of(s->partition_bits, s->key_bits == 32 ? 32 : 64);
    return (digits.passes > 1 ? 2 : 1) * (size_t)n * (size_t)(s->key_bytes + payload) +
           zeros_of(max(s->key_bytes, payload), digits, n, is_small(ctx, s->key_bytes, payload)) +
           (((size_t)1 << s->partition_bits) + 1) * 4 + 6 * 256;
}
