/* Pairs of a multimap grouped by key on CUDA, without a sort of all pairs: the radix partition orders them by the top
 * bits of their hashes, and a block sorts each partition in shared memory.
 * 1. Count the pairs of each home, a range of hashes; a scan of the counts gives the first position of each.
 * 2. Move hashes and rows to positions of their home, then rank those of one home by hash and row. The rank gives the
 *    position of the value. A bit marks each position at which a key begins.
 * 3. The number of bits before a position is the number of the key in the partition. Each partition lists its keys from
 *    the index of its first pair on, so that no block waits for another. The last block to end adds up their numbers.
 * Partitions that do not fit, and homes of many pairs, are left to a sort. Sources: Gonnet and Munro, The Analysis of
 * Linear Probing Sort (1984); Adinets, Merrill, Onesweep (2022). */
#include "core/cuda/ops.cuh"
#include "core/cuda/shared.cuh"
#include "hash/cuda/bucketed.cuh"
#include "hash/handle.h"

#ifdef BI_EMULATE /* the emulator runs few threads at once */
enum { GROUP_THREADS = 64, GROUP_EACH = 5, GROUP_HOME_BITS = 9, GROUP_LEAST = 300 };
#else
/* LEAST: fewer pairs are sorted. Not measured. */
enum { GROUP_THREADS = 512, GROUP_EACH = 6, GROUP_HOME_BITS = 13, GROUP_LEAST = 1 << 13 };
#endif
enum {
    GROUP_PAIRS = GROUP_THREADS * GROUP_EACH, /* of a partition, at most */
    GROUP_WORD_HOMES = 4,                     /* homes whose counts share a word */
    GROUP_WORDS = (1 << GROUP_HOME_BITS) / GROUP_WORD_HOMES,
    GROUP_WORDS_EACH = GROUP_WORDS / GROUP_THREADS, /* that a thread scans */
    GROUP_HEAD_WORDS = (GROUP_PAIRS + 31) / 32,
    /* Mean of a partition, at most: 2,048 of 3,072. Where each key has ten pairs, the rest is seven standard
     * deviations. Not measured. */
    GROUP_MEAN = GROUP_PAIRS / 3 * 2,
    /* Pairs of a home, at most: each is compared with all others, and the counts of a word add up to less than 2^8. A
     * key of more pairs leaves all to the sort. */
    GROUP_LONGEST = 63,
    GROUP_WARPS = GROUP_THREADS / 32,
    FIRST_OF_KEY = 1 << 16 /* above the bits of a position */
};
static_assert((int)GROUP_PAIRS <= 1 << 15, "positions and counts have 16 bits");
static_assert((int)GROUP_HEAD_WORDS <= (int)GROUP_THREADS, "a thread counts the bits of a word");

/* All 0 at the launch. */
struct group_result {
    uint32_t groups;
    uint32_t crowded; /* not 0: a partition or a home has too many pairs; the groups are incomplete */
    uint32_t ended;   /* blocks that have written their groups */
};

template <class K, class P> struct group_args {
    const K *hashes;        /* (n) by partition */
    const P *payload;       /* (n) */
    const uint32_t *starts; /* (partitions + 1) */
    int32_t partition_bits;
    struct group_result *result;
    uint32_t *counts;       /* (partitions) groups of each partition */
    uint32_t *begins;       /* (partitions + 1) a copy of starts that outlives them */
    uint32_t *group_starts; /* (partitions + 1) number of groups of earlier partitions */
    K *group_hashes;        /* (n) groups of a partition from the index of its first pair on */
    uint32_t *group_spans;  /* (n + 1) position of a group's first pair; [n]: n */
    P *payload_out;         /* (n) by hash, then by row */
};

/* Hashes and rows of a partition by home. A hash of 32 bits shares a word
 * with its row, so that both are compared at once. */
template <class K> struct group_order;
template <> struct group_order<uint32_t> {
    typedef unsigned long long item;
    item items[GROUP_PAIRS];

    static __device__ __forceinline__ item make(uint32_t hash, uint32_t row) { return (item)hash << 32 | row; }
    static __device__ __forceinline__ uint32_t hash(item x) { return (uint32_t)(x >> 32); }
    static __device__ __forceinline__ uint32_t row(item x) { return (uint32_t)x; }
    static __device__ __forceinline__ bool is_less(item a, item b) { return a < b; }
    __device__ __forceinline__ item read(uint32_t i) const { return items[i]; }
    __device__ __forceinline__ void write(uint32_t i, item x) { items[i] = x; }
};
template <> struct group_order<uint64_t> {
    struct item {
        uint64_t its_hash;
        uint32_t its_row;
    };
    uint64_t hashes[GROUP_PAIRS];
    uint16_t rows[GROUP_PAIRS];

    static __device__ __forceinline__ item make(uint64_t hash, uint32_t row) { return {hash, row}; }
    static __device__ __forceinline__ uint64_t hash(item x) { return x.its_hash; }
    static __device__ __forceinline__ uint32_t row(item x) { return x.its_row; }
    static __device__ __forceinline__ bool is_less(item a, item b)
    {
        return a.its_hash < b.its_hash || (a.its_hash == b.its_hash && a.its_row < b.its_row);
    }
    __device__ __forceinline__ item read(uint32_t i) const { return {hashes[i], rows[i]}; }
    __device__ __forceinline__ void write(uint32_t i, item x)
    {
        hashes[i] = x.its_hash;
        rows[i] = (uint16_t)x.its_row;
    }
};

/* counts: number of pairs of each home, a byte each. begins: first position of each word's homes. */
template <class K, class P> struct group_shared {
    group_order<K> order;
    P payload[bi_hash_has_value<P> ? GROUP_PAIRS : 1]; /* by row of the partition */
    uint32_t counts[GROUP_WORDS];
    uint32_t heads[GROUP_HEAD_WORDS]; /* a bit for each position: 1 if a key begins there */
    uint16_t begins[GROUP_WORDS];
    uint16_t heads_before[GROUP_HEAD_WORDS]; /* bits of earlier words */
    uint32_t warps[2][GROUP_WARPS];
    uint32_t skip; /* another partition is crowded */
    uint32_t last; /* the block is the last one to end */
};

/* Blocks that a multiprocessor runs at once: 228 KB of shared memory hold three, of at most 73 KB each. */
enum { GROUP_BLOCKS = 3 };

/* A thread's pairs: every GROUP_THREADS-th of the partition. */
template <class K> struct group_share {
    uint32_t begin, pairs; /* the partition */
    K hash[GROUP_EACH];
    /* A pair's number in its home. Later the position of the pair that the thread ranks, | FIRST_OF_KEY if it is the
     * first one of its key. */
    uint32_t at[GROUP_EACH];

    static __device__ __forceinline__ uint32_t index(int k) { return (uint32_t)k * GROUP_THREADS + threadIdx.x; }
    __device__ __forceinline__ bool has(int k) const { return index(k) < pairs; }
};

/* Returns a hash's home: the bits below those of the partition. */
template <class K> static __device__ __forceinline__ uint32_t home_of(K hash, int32_t partition_bits)
{
    return (uint32_t)((K)(hash << partition_bits) >> (bi_hash_key_bits<K> - GROUP_HOME_BITS));
}
/* Returns the shift of a home's count in its word. */
static __device__ __forceinline__ uint32_t count_shift(uint32_t home) { return home % GROUP_WORD_HOMES * 8; }

/* Returns the first position of a home | its number of pairs << 16. */
template <class S> static __device__ __forceinline__ uint32_t range_of(const S &sh, uint32_t home)
{
    const uint32_t word = sh.counts[home / GROUP_WORD_HOMES], shift = count_shift(home);
    const uint32_t lower = word & ((1u << shift) - 1); /* counts of the word's homes before; the product adds them up */
    return (sh.begins[home / GROUP_WORD_HOMES] + (lower * 0x01010101u >> 24)) | (word >> shift & 0xff) << 16;
}

/* Loads the pairs and counts those of each home. Returns true if a home has too many: its count may then be wrong. A
 * barrier before it completes the zeros; the caller adds a barrier. The payload arrives later. */
template <class S, class K, class P>
static __device__ __forceinline__ bool count_homes(S &sh, const group_args<K, P> &a, group_share<K> &own)
{
    bool crowded = false;
#pragma unroll
    for (int k = 0; k < GROUP_EACH; k++)
        if (own.has(k)) own.hash[k] = a.hashes[own.begin + own.index(k)];
    if constexpr (bi_hash_has_value<P>) {
#pragma unroll
        for (int k = 0; k < GROUP_EACH; k++)
            if (own.has(k)) bi_copy_async(&sh.payload[own.index(k)], &a.payload[own.begin + own.index(k)]);
    }
#pragma unroll
    for (int k = 0; k < GROUP_EACH; k++) {
        if (!own.has(k)) continue;
        const uint32_t home = home_of(own.hash[k], a.partition_bits), shift = count_shift(home);
        own.at[k] = atomicAdd(&sh.counts[home / GROUP_WORD_HOMES], 1u << shift) >> shift & 0xff;
        crowded |= own.at[k] >= GROUP_LONGEST;
    }
    return crowded;
}

/* Computes the first positions of all homes. All threads call it; the caller adds a barrier. */
template <class S> static __device__ __forceinline__ void scan_homes(S &sh)
{
    uint32_t sums[GROUP_WORDS_EACH], pairs = 0, all;
#pragma unroll
    for (int j = 0; j < GROUP_WORDS_EACH; j++) {
        sums[j] = sh.counts[threadIdx.x * GROUP_WORDS_EACH + j] * 0x01010101u >> 24;
        pairs += sums[j];
    }
    uint32_t next = bi_block_exclusive_sum<GROUP_WARPS>(pairs, sh.warps[0], &all);
#pragma unroll
    for (int j = 0; j < GROUP_WORDS_EACH; j++) {
        sh.begins[threadIdx.x * GROUP_WORDS_EACH + j] = (uint16_t)next;
        next += sums[j];
    }
}

/* Ranks the pairs by hash and row, writes their payload, and marks the positions at which a key begins. Neighbouring
 * threads rank pairs of one home or of neighbouring ones, so that they read and write neighbouring words. All threads
 * call it; the caller adds a barrier. */
template <class S, class K, class P>
static __device__ __forceinline__ void rank_pairs(S &sh, const group_args<K, P> &a, group_share<K> &own)
{
    typedef group_order<K> order;
    /* 1. Move hashes and rows to positions of their homes, in any order. */
#pragma unroll
    for (int k = 0; k < GROUP_EACH; k++)
        if (own.has(k))
            sh.order.write((range_of(sh, home_of(own.hash[k], a.partition_bits)) & 0xffff) + own.at[k],
                           order::make(own.hash[k], own.index(k)));
    if constexpr (bi_hash_has_value<P>) bi_wait_copies();
    __syncthreads(); /* the pairs are in their homes, and the payload is there */
    /* 2. Rank the pairs of each home. */
#pragma unroll
    for (int k = 0; k < GROUP_EACH; k++) {
        if (!own.has(k)) continue;
        const typename order::item item = sh.order.read(own.index(k));
        const K hash = order::hash(item);
        const uint32_t home = range_of(sh, home_of(hash, a.partition_bits));
        const uint32_t first = home & 0xffff, end = first + (home >> 16);
        uint32_t less = 0, less_keys = 0;
        for (uint32_t j = first; j < end; j++) {
            const typename order::item other = sh.order.read(j);
            less += order::is_less(other, item);
            less_keys += order::hash(other) < hash;
        }
        const uint32_t position = first + less;
        own.at[k] = position | (less == less_keys ? FIRST_OF_KEY : 0);
        if (less == less_keys) atomicOr(&sh.heads[position / 32], 1u << position % 32);
        if constexpr (bi_hash_has_value<P>) a.payload_out[own.begin + position] = sh.payload[order::row(item)];
    }
}

/* Counts the marks before each word of them. Returns the number of all. All threads call it; a barrier before it
 * completes the marks, and the caller adds a barrier. */
template <class S> static __device__ __forceinline__ uint32_t scan_marks(S &sh)
{
    const bool counts = threadIdx.x < GROUP_HEAD_WORDS;
    uint32_t groups;
    const uint32_t before =
        bi_block_exclusive_sum<GROUP_WARPS>(counts ? (uint32_t)__popc(sh.heads[threadIdx.x]) : 0, sh.warps[1], &groups);
    if (counts) sh.heads_before[threadIdx.x] = (uint16_t)before;
    return groups;
}

/* Writes the groups, and their number. All threads call it, after scan_marks and a barrier. */
template <class S, class K, class P>
static __device__ __forceinline__ void write_groups(const S &sh, const group_args<K, P> &a, const group_share<K> &own,
                                                    uint32_t groups)
{
    const bool last = blockIdx.x == gridDim.x - 1;
    if (threadIdx.x == 0) {
        a.counts[blockIdx.x] = groups;
        a.begins[blockIdx.x] = own.begin;
    }
    if (threadIdx.x == 0 && last) a.begins[gridDim.x] = a.group_spans[own.begin + own.pairs] = own.begin + own.pairs;
#pragma unroll
    for (int k = 0; k < GROUP_EACH; k++) {
        if (!own.has(k) || own.at[k] < FIRST_OF_KEY) continue;
        const uint32_t position = own.at[k] & 0xffff, below = (1u << position % 32) - 1;
        const uint32_t to =
            own.begin + sh.heads_before[position / 32] + (uint32_t)__popc(sh.heads[position / 32] & below);
        a.group_hashes[to] = group_order<K>::hash(sh.order.read(own.index(k)));
        a.group_spans[to] = own.begin + position;
    }
}

/* Adds up the groups of all partitions, by the block that is the last to end. All threads call it, after thread 0 has
 * written the number of the block's groups. If a partition is crowded, no block does. */
template <class S, class K, class P>
static __device__ __forceinline__ void number_groups(S &sh, const group_args<K, P> &a)
{
    if (threadIdx.x == 0) {
        __threadfence(); /* the number of groups precedes the arrival */
        sh.last = atomicAdd(&a.result->ended, 1u) == gridDim.x - 1;
    }
    __syncthreads(); /* sh.last is there */
    if (!sh.last) return;
    __threadfence(); /* the numbers of all blocks are visible */
    uint32_t preceding = 0;
    for (uint32_t begin = 0; begin < gridDim.x; begin += GROUP_THREADS) {
        const uint32_t partition = begin + threadIdx.x;
        const uint32_t groups = partition < gridDim.x ? bi_load_relaxed(&a.counts[partition]) : 0;
        uint32_t all;
        const uint32_t before = bi_block_exclusive_sum<GROUP_WARPS>(groups, sh.warps[0], &all);
        if (partition < gridDim.x) a.group_starts[partition] = preceding + before;
        preceding += all;
        __syncthreads(); /* sh.warps is free */
    }
    if (threadIdx.x == 0) a.group_starts[gridDim.x] = a.result->groups = preceding;
}

/* Sorts a partition and writes its groups; a block each. */
template <class K, class P>
static __global__ void __launch_bounds__(GROUP_THREADS, GROUP_BLOCKS) bi_hash_group_partitions(const group_args<K, P> a)
{
    typedef group_shared<K, P> shared;
    BI_SHARED_DYNAMIC(shared, memory);
    shared &sh = *memory;
    group_share<K> own;
    own.begin = a.starts[blockIdx.x];
    own.pairs = a.starts[blockIdx.x + 1] - own.begin;
    /* 1. Clear the counts and marks. */
    if (threadIdx.x == 0) sh.skip = bi_load_relaxed(&a.result->crowded);
    for (uint32_t i = threadIdx.x; i < GROUP_WORDS; i += GROUP_THREADS) sh.counts[i] = 0;
    if (threadIdx.x < GROUP_HEAD_WORDS) sh.heads[threadIdx.x] = 0;
    __syncthreads(); /* the zeros are there */
    /* 2. Count the pairs of homes. A crowded partition has no groups. */
    bool crowded = own.pairs > GROUP_PAIRS;
    if (!crowded && !sh.skip)
        crowded = __syncthreads_or(count_homes(sh, a, own)) != 0; /* and the counts are complete */
    if (crowded || sh.skip) {
        if (threadIdx.x == 0) bi_store_relaxed(&a.result->crowded, 1u);
        return;
    }
    scan_homes(sh);
    __syncthreads(); /* the first positions are there */
    /* 3. Sort, and write the groups. */
    rank_pairs(sh, a, own);
    __syncthreads(); /* the marks are complete */
    const uint32_t groups = scan_marks(sh);
    __syncthreads(); /* the counts of marks are there */
    write_groups(sh, a, own, groups);
    number_groups(sh, a);
}

/* Returns the bits of a partition's number: not fewer than BUCKETED tables of as many keys have (bucketed.c). */
static int32_t group_partition_bits(int64_t n)
{
    enum { SMALL_TABLE_BITS = 8, SMALL_MEAN = 1024 < (int)GROUP_MEAN ? 1024 : (int)GROUP_MEAN };
    int32_t bits = 1;
    while (n >> bits > (bits < SMALL_TABLE_BITS ? (int)SMALL_MEAN : (int)GROUP_MEAN)) bits++;
    return bits;
}

/* Partitions the pairs, groups them, and waits for the result. */
template <class K, class P>
static bosc_status group_partitions(bosc_ctx *ctx, const struct bi_hash_shape *s, const void *keys, const void *values,
                                    int64_t n, group_args<K, P> a, struct group_result *result)
{
    typedef group_shared<K, P> shared;
    const auto kernel = bi_hash_group_partitions<K, P>;
    const int64_t partitions = (int64_t)1 << s->partition_bits;
    struct bi_hash_lists lists;
    /* 1. Partition. */
    BI_TRY(bi_hash_partition_cuda(ctx, s, keys, values, n, &lists));
    a.hashes = (const K *)lists.hashes;
    a.payload = (const P *)lists.payload;
    a.starts = lists.starts;
    a.partition_bits = s->partition_bits;
    /* 2. Group. */
    BI_TRY(bi_scratch_of(ctx, partitions, sizeof *a.counts, &a.counts));
    BI_TRY(bi_scratch_of(ctx, 1, sizeof *a.result, &a.result));
    BI_TRY(ctx->backend->fill(ctx, a.result, 0, sizeof *a.result));
    if (sizeof(shared) > BI_SHARED_PLAIN)
        BI_CUDA_TRY(ctx,
                    cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)sizeof(shared)));
    BI_TRY(BI_RUN(ctx, kernel, (unsigned)partitions, GROUP_THREADS, sizeof(shared), a));
    return bi_read_back(ctx, result, a.result, sizeof *result);
}

template <class K, class P>
static bosc_status group_typed(bosc_ctx *ctx, const struct bi_hash_shape *s, const void *keys, const void *values,
                               bool rows, int64_t n, struct bi_hash_groups *g, bool *grouped)
{
    const int64_t partitions = (int64_t)1 << s->partition_bits;
    group_args<K, P> a = {};
    struct group_result result;
    void *payload = NULL;
    if (sizeof(group_shared<K, P>) > bi_shared_bytes(ctx)) return BOSC_OK;
    BI_TRY(bi_scratch_of(ctx, n, sizeof(K), &a.group_hashes));
    BI_TRY(bi_scratch_of(ctx, n + 1, sizeof *a.group_spans, &a.group_spans));
    BI_TRY(bi_scratch_of(ctx, partitions + 1, sizeof *a.begins, &a.begins));
    BI_TRY(bi_scratch_of(ctx, partitions + 1, sizeof *a.group_starts, &a.group_starts));
    if (bi_hash_has_value<P>) BI_TRY(bi_scratch_of(ctx, n, sizeof(P), &payload));
    a.payload_out = (P *)payload;
    BI_TRY_WITH_SCRATCH(ctx, group_partitions<K, P>(ctx, s, keys, values, n, a, &result));
    *grouped = !result.crowded;
    g->count = result.groups;
    g->hashes = a.group_hashes;
    g->spans = a.group_spans;
    g->begins = a.begins;
    g->starts = a.group_starts;
    g->starts_bits = s->partition_bits;
    if (rows)
        g->rows = (const uint32_t *)payload;
    else
        g->carried = payload;
    return BOSC_OK;
}

bosc_status bi_hash_group_pairs_cuda(bosc_ctx *ctx, const struct bi_hash_shape *shape, const void *keys,
                                     const void *values, int32_t value_size, int64_t n, struct bi_hash_groups *g,
                                     bool *grouped)
{
    struct bi_hash_shape s = *shape;
    const bool rows = values && value_size != 4 && value_size != 8; /* the payload is row numbers */
    const int32_t payload_bytes = !values ? 0 : value_size == 8 ? 8 : 4;
    *grouped = false;
    *g = {};
    if (n < GROUP_LEAST || s.key_bits == 128) return BOSC_OK;
    s.value_bytes = value_size;
    s.partition_bits = group_partition_bits(n);
    const auto run_typed = [&](auto k, auto p) {
        return group_typed<decltype(k), decltype(p)>(ctx, &s, keys, values, rows, n, g, grouped);
    };
    if (s.key_bits == 32) return bi_hash_with_payload<uint32_t>(payload_bytes, run_typed);
    return bi_hash_with_payload<uint64_t>(payload_bytes, run_typed);
}
