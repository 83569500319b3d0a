/* Pairs with repeated keys reduced to an ORDERED table on CUDA, in one cooperative launch without entries in device
 * memory, for up to some hundred thousand rows.
 * 1. A block combines the equal keys of a share of the rows in shared memory. It writes one pair of each key, the hash
 *    and the row, to its cell of a range of hashes.
 * 2. The range's block reads its cells, and combines the equal keys of all shares. Of the rows of a key the one with
 *    the greatest code wins: the last or the first.
 * 3. Blocks publish their numbers of keys. The sum gives the homes of the table.
 * 4. Each block lays its keys out (ordered.cuh). Ranges are equal parts of all hashes, so that a home may have keys of
 *    two ranges.
 * The result does not depend on the order of threads. If a cell is full, the build fails, and is left to
 * reduce_repeats.cuh. */
#include "core/cuda/cooperative.cuh"
#include "core/cuda/shared.cuh"
#include "hash/cuda/ordered_cells.cuh"
#include "hash/steps/slots.h"

/* Three forms by the number of rows: threads of a block, rows of a thread, and pairs of cells that a thread reads, at
 * most. EACH are powers of two. */
#ifdef BI_EMULATE /* the emulator runs few threads at once */
enum { FEW_THREADS = 64, FEW_EACH = 1, SOME_THREADS = 64, SOME_EACH = 2, MAX_THREADS = 64, MAX_EACH = 4 };
enum { PAIRS = 8 };
#else
enum { FEW_THREADS = 512, FEW_EACH = 1, SOME_THREADS = 1024, SOME_EACH = 1, MAX_THREADS = 1024, MAX_EACH = 2 };
enum { PAIRS = 5 };
#endif
enum { CELL_PAIRS = 16 /* mean of a cell if no keys repeat, as in ordered.cu */ };
/* Fields of the word that a block publishes, and of the sum of these words: keys; failed blocks; the word is there. */
enum : uint32_t { KEYS_READY = 1u << 31 };
enum { KEYS_FAILED_SHIFT = 20 };
static_assert(MAX_RANGES * MAX_THREADS * MAX_EACH < 1 << KEYS_FAILED_SHIFT, "a key a row fits in the field of keys");

template <class K, class P> struct cell_reduction_args {
    ordered_args<K, P> table;        /* the kernel sets its homes and ranges */
    ordered_args<K, uint32_t> cells; /* of hashes and their rows */
    double load_factor;
    bool last;            /* of equal keys the last pair wins, else the first */
    unsigned *key_counts; /* (ranges) words of the blocks */
    unsigned long long *host_words;
};

/* The dynamic shared memory of a block, until it lays keys out. Half of the words stay unused, so that searches are
 * short. */
template <class K, int SIZE_, int EACH_> struct cell_reduction_memory {
    static constexpr int SIZE = SIZE_, EACH = EACH_, ITEMS = SIZE * PAIRS;
    static constexpr uint32_t SHARE_WORDS = 2 * SIZE * EACH, RANGE_WORDS = 8 * SIZE;
    static_assert((SHARE_WORDS & (SHARE_WORDS - 1)) == 0 && (RANGE_WORDS & (RANGE_WORDS - 1)) == 0, "masks");
    static_assert((int)PAIRS >= EACH && ITEMS <= (int)RANGE_WORDS, "room for all items");
    K hashes[ITEMS]; /* of the rows of the share, later of the pairs of the range */
    uint32_t share_items[SHARE_WORDS], share_codes[SHARE_WORDS]; /* see key_words */
    uint32_t range_items[RANGE_WORDS], range_codes[RANGE_WORDS];
};

template <int SIZE> struct cell_reduction_shared : cooperative_shared<SIZE> {
    uint32_t keys;   /* of the range */
    uint32_t failed; /* not 0: a cell of the range is full */
    uint32_t sums[SIZE / 32];
};

/* Words in shared memory that combine equal keys: each key has one, found by linear probing from the low bits of its
 * hash. All are 0 at first. There are at least as many words as items. */
template <class K> struct key_words {
    const K *hashes; /* of the items */
    uint32_t *items; /* (mask + 1) 1 + the item that has claimed the word; 0: none */
    uint32_t *codes; /* (mask + 1) greatest code of the items of that key */
    uint32_t mask;

    /* Finds the word of an item's key and raises its code. A barrier before it completes hashes and zeros. */
    __device__ __forceinline__ uint32_t add(uint32_t item, K hash, uint32_t code) const
    {
        uint32_t word = (uint32_t)hash & mask;
        for (;; word = (word + 1) & mask) {
            uint32_t claimed = bi_load_shared_relaxed(&items[word]);
            if (!claimed) claimed = atomicCAS(&items[word], 0u, item + 1);
            if (!claimed || hashes[claimed - 1] == hash) break;
        }
        if (bi_load_shared_relaxed(&codes[word]) < code) atomicMax(&codes[word], code);
        return word;
    }
};

/* Combines the equal keys of the block's share of the rows, and writes a pair of each key to its cell. sh.counts gets
 * the pairs of each cell, dropped ones too. All threads call it; a barrier comes last. */
template <class M, class K, class P, int SIZE>
static __device__ __forceinline__ void scatter_keys(const cell_reduction_args<K, P> &a, M &m,
                                                    cell_reduction_shared<SIZE> &sh)
{
    const key_words<K> words = {m.hashes, m.share_items, m.share_codes, M::SHARE_WORDS - 1};
    const ordered_args<K, uint32_t> &cells = a.cells;
    const uint32_t begin = min(blockIdx.x * cells.share, cells.n), rows = min(cells.share, cells.n - begin);
    const auto item = [](int k) { return (uint32_t)(k * SIZE) + threadIdx.x; };
    const auto code = [&](int k) { return a.last ? item(k) + 1 : SIZE * M::EACH - item(k); };
    K hash[M::EACH];
    uint32_t word[M::EACH];
    /* 1. Read and hash the keys; zero the words of both combinations. */
#pragma unroll
    for (int k = 0; k < M::EACH; k++)
        if (item(k) < rows) hash[k] = cells.keys[begin + item(k)];
    uint4 *zeros = reinterpret_cast<uint4 *>(m.share_items);
    for (uint32_t i = threadIdx.x; i < (M::SHARE_WORDS + M::RANGE_WORDS) / 2; i += SIZE) zeros[i] = {0, 0, 0, 0};
    if (threadIdx.x < gridDim.x) sh.counts[threadIdx.x] = 0;
#pragma unroll
    for (int k = 0; k < M::EACH; k++)
        if (item(k) < rows) m.hashes[item(k)] = hash[k] = bi_hash_key_hash(hash[k], cells.seed);
    __syncthreads(); /* the hashes and zeros are there */
    /* 2. Find the greatest code of each key. */
#pragma unroll
    for (int k = 0; k < M::EACH; k++)
        if (item(k) < rows) word[k] = words.add(item(k), hash[k], code(k));
    __syncthreads(); /* the codes are complete */
    /* 3. Write the pairs that have them. */
#pragma unroll
    for (int k = 0; k < M::EACH; k++) {
        if (item(k) >= rows || m.share_codes[word[k]] != code(k)) continue;
        const uint32_t range = ordered_home(hash[k], gridDim.x), slot = atomicAdd(&sh.counts[range], 1u);
        ordered_pair<K, uint32_t> *to = &cells.cells[(range * gridDim.x + blockIdx.x) * cells.cell_pairs + slot];
        if (slot < cells.cell_pairs) *to = {hash[k], begin + item(k)};
    }
    __syncthreads(); /* all cells are written, before their counts are published */
}

/* Combines the equal keys of the range: own gets the pairs that win, with their values. Returns the number of the
 * thread's. All threads call it. */
template <class M, class K, class P>
static __device__ __forceinline__ uint32_t combine_cells(const cell_reduction_args<K, P> &a, M &m,
                                                         const ordered_pairs<K, uint32_t, PAIRS> &read,
                                                         ordered_pairs<K, P, PAIRS> &own)
{
    const key_words<K> words = {m.hashes, m.range_items, m.range_codes, M::RANGE_WORDS - 1};
    const auto item = [](int k) { return (uint32_t)(k * M::SIZE) + threadIdx.x; };
    const auto code = [&](int k) { return a.last ? read.pair[k].payload + 1 : ~read.pair[k].payload; };
    uint32_t word[PAIRS], keys = 0;
#pragma unroll
    for (int k = 0; k < PAIRS; k++)
        if (read.at[k] != read.NO_PAIR) m.hashes[item(k)] = read.pair[k].hash;
    __syncthreads(); /* the hashes are there */
#pragma unroll
    for (int k = 0; k < PAIRS; k++)
        if (read.at[k] != read.NO_PAIR) word[k] = words.add(item(k), read.pair[k].hash, code(k));
    __syncthreads(); /* the codes are complete */
#pragma unroll
    for (int k = 0; k < PAIRS; k++) {
        own.at[k] = own.NO_PAIR;
        if (read.at[k] == read.NO_PAIR || m.range_codes[word[k]] != code(k)) continue;
        const uint32_t row = read.pair[k].payload;
        own.at[k] = 0;
        own.pair[k].hash = read.pair[k].hash;
        if constexpr (bi_hash_has_value<P>) own.pair[k].payload = a.table.payload ? a.table.payload[row] : (P)row;
        keys++;
    }
    return keys;
}

/* Publishes the number of the block's keys, and returns the sum of the words of all blocks. All threads call it. After
 * it the dynamic shared memory is free. */
template <class A, int SIZE>
static __device__ __forceinline__ uint32_t sum_keys(const A &a, cell_reduction_shared<SIZE> &sh, uint32_t keys,
                                                    bool failed)
{
    keys = bi_warp_sum(keys);
    if (threadIdx.x % 32 == 0) atomicAdd(&sh.keys, keys);
    if (failed) bi_store_shared_relaxed(&sh.failed, 1u);
    __syncthreads(); /* the keys of all warps are added */
    if (threadIdx.x == 0)
        bi_store_relaxed(&a.key_counts[blockIdx.x], KEYS_READY | sh.failed << KEYS_FAILED_SHIFT | sh.keys);
    unsigned word = 0;
    if (threadIdx.x < gridDim.x)
        while (!(word = bi_load_relaxed(&a.key_counts[threadIdx.x])))
            ;
    __syncwarp(); /* lanes left their loops at different times */
    uint32_t all;
    bi_block_exclusive_sum<SIZE / 32>(word & ~KEYS_READY, sh.sums, &all);
    return all;
}

/* Returns the arguments of the table for a number of keys. */
template <class K, class P>
static __device__ __forceinline__ ordered_args<K, P> plan_table(const cell_reduction_args<K, P> &a, uint32_t keys)
{
    ordered_args<K, P> t = a.table;
    t.homes = (uint32_t)bi_hash_slots_for(a.load_factor, keys);
    t.beyond = (uint32_t)bi_hash_slots_behind(a.load_factor, keys) + 2;
    t.slots = t.homes + t.beyond;
    t.range_homes = (t.homes >> t.range_bits) + 2; /* the quotient rounded up, and the first home of the next range */
    return t;
}

/* Reduces the pairs and writes the table, by one block a range. */
template <class K, class P, int SIZE, int EACH>
static __global__ void __launch_bounds__(SIZE, 1) bi_hash_reduce_in_cells(const cell_reduction_args<K, P> a)
{
    typedef cell_reduction_memory<K, SIZE, EACH> combining;
    BI_SHARED(cell_reduction_shared<SIZE>, sh);
    BI_SHARED_DYNAMIC(unsigned char, memory);
    combining &m = *reinterpret_cast<combining *>(memory);
    ordered_pairs<K, P, PAIRS> own;
    ordered_pairs<K, uint32_t, PAIRS> read;
    /* 1. Clear the block's words, before it publishes a cell; combine the keys of its share, and scatter them. */
    if (threadIdx.x == 0) {
        bi_store_relaxed(&a.table.reached[blockIdx.x], 0ull);
        bi_store_relaxed(&a.key_counts[blockIdx.x], 0u);
        sh.keys = sh.failed = 0;
    }
    scatter_keys(a, m, sh);
    publish_cell_counts(a.cells, sh);
    /* 2. Combine the keys of the block's range; all blocks get the number of keys. */
    const bool full = read_cell(a.cells, read);
    const uint32_t found = combine_cells(a, m, read, own);
    const uint32_t all = sum_keys(a, sh, found, full), keys = all & ((1u << KEYS_FAILED_SHIFT) - 1);
    /* 3. Lay them out, and publish the result. */
    const ordered_args<K, P> t = plan_table(a, keys);
    bool failed = all >> KEYS_FAILED_SHIFT != 0;
    if (!failed) {
        const ordered_memory<K, P> range(t, memory);
        ordered_clear(t, range, sh);
        __syncthreads(); /* slots and homes are empty */
        failed = ordered_lay_out(t, range, sh, own, false);
    }
    if (threadIdx.x > 0) return;
    if (blockIdx.x == 0) { /* the only run, as in publish_result of ordered.cu */
        t.descriptors[0] = t.descriptors[1] = 0;
        t.descriptors[2] = (uint64_t)t.slots << BOSC_HASH_SEED_BITS;
    }
    publish_reduction(a, keys, failed ? 0 : sh.extra, failed);
}

static_assert(sizeof(cell_reduction_shared<MAX_THREADS>) <= ORDERED_STATIC_SHARED, "it has");

template <int SIZE, int EACH, class K, class P>
static bosc_status launch_form(bosc_ctx *ctx, cell_reduction_args<K, P> a, uint32_t ranges,
                               struct bi_hash_completion *completion, bool *launched)
{
    const auto kernel = bi_hash_reduce_in_cells<K, P, SIZE, EACH>;
    ordered_args<K, P> most = a.table; /* as plan_table has it for a key a row */
    most.range_homes = (uint32_t)(bi_hash_slots_for(a.load_factor, a.table.n) / ranges) + 2;
    most.beyond = (uint32_t)bi_hash_slots_behind(a.load_factor, a.table.n) + 2;
    const size_t combining = sizeof(cell_reduction_memory<K, SIZE, EACH>), range = ordered_memory<K, P>::bytes(most);
    const size_t bytes = combining > range ? combining : range;
    a.cells.share = (uint32_t)bi_div_up(a.cells.n, ranges);
    set_cells(&a.cells, ranges, SIZE, PAIRS);
    BI_TRY(ordered_allow_shared(ctx, kernel, bytes, launched));
    if (!*launched) return BOSC_OK;
    BI_TRY(bi_scratch_of(ctx, (int64_t)ranges * ranges * a.cells.cell_pairs, sizeof *a.cells.cells, &a.cells.cells));
    clear_host_words(ctx, completion, ranges);
    return BI_RUN_COOPERATIVE_SHARED(ctx, kernel, ranges, SIZE, bytes, a);
}

template <class K, class P>
static bosc_status launch_typed(bosc_ctx *ctx, const bosc_hash *h, const void *keys, const void *values, bool rows,
                                int64_t n, struct bi_hash_completion *completion, bool *launched)
{
    ordered_words *words = (ordered_words *)h->words.data;
    const uint32_t ranges = ranges_for(ctx, MAX_THREADS, CELL_PAIRS, (uint32_t)n);
    cell_reduction_args<K, P> a = {};
    a.table = ordered_args_of<K, P>(h, keys, values, rows, n);
    a.table.reached = words->reached;
    while (1u << a.table.range_bits < ranges) a.table.range_bits++;
    a.cells = ordered_args_of<K, uint32_t>(h, keys, NULL, true, n);
    a.cells.cell_counts = words->cell_counts;
    a.load_factor = h->shape.load_factor;
    a.last = h->opts.duplicates == BOSC_HASH_LAST;
    a.key_counts = words->key_counts;
    a.host_words = (unsigned long long *)completion->words;
    if (n <= (int64_t)ranges * FEW_THREADS * FEW_EACH)
        return launch_form<FEW_THREADS, FEW_EACH>(ctx, a, ranges, completion, launched);
    if (n <= (int64_t)ranges * SOME_THREADS * SOME_EACH)
        return launch_form<SOME_THREADS, SOME_EACH>(ctx, a, ranges, completion, launched);
    if (n <= (int64_t)ranges * MAX_THREADS * MAX_EACH)
        return launch_form<MAX_THREADS, MAX_EACH>(ctx, a, ranges, completion, launched);
    return BOSC_OK;
}

/* Returns the bytes of the cells; one allocation, aligned to 256. */
size_t bi_hash_cells_bytes_cuda(const bosc_ctx *ctx, const struct bi_hash_shape *s, int64_t n)
{
    if (n == 0 || n > MAX_RANGES * MAX_THREADS * MAX_EACH || s->key_bits == 128) return 0;
    const uint32_t ranges = ranges_for(ctx, MAX_THREADS, CELL_PAIRS, (uint32_t)n);
    ordered_args<uint32_t, uint32_t> most = {};
    most.n = (uint32_t)n;
    set_cells(&most, ranges, MAX_THREADS, PAIRS); /* of the forms the one with most threads */
    const size_t pair =
        s->key_bits == 32 ? sizeof(ordered_pair<uint32_t, uint32_t>) : sizeof(ordered_pair<uint64_t, uint32_t>);
    return (size_t)ranges * ranges * most.cell_pairs * pair + 256;
}

bosc_status bi_hash_launch_cells_cuda(bosc_ctx *ctx, const bosc_hash *h, const void *keys, const void *values,
                                      int64_t n, struct bi_hash_completion *completion, bool *launched)
{
    const struct bi_hash_shape *s = &h->shape;
    const bool valued = s->value_bytes > 0, rows = valued && s->value_bytes != 4 && s->value_bytes != 8;
    const int32_t payload_bytes = !valued ? 0 : s->value_bytes == 8 ? 8 : 4;
    *launched = false;
    if (h->words.bytes < sizeof(ordered_words) || n > MAX_RANGES * MAX_THREADS * MAX_EACH) return BOSC_OK;
    const auto run_typed = [&](auto k, auto p) {
        return launch_typed<decltype(k), decltype(p)>(ctx, h, keys, values, rows, n, completion, launched);
    };
    if (s->key_bits == 32) BI_RETURN_WITH_SCRATCH(ctx, bi_hash_with_payload<uint32_t>(payload_bytes, run_typed));
    BI_RETURN_WITH_SCRATCH(ctx, bi_hash_with_payload<uint64_t>(payload_bytes, run_typed));
}
