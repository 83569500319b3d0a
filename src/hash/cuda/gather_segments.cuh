/* Finds the pairs of a block's partition in tiles, and its first bucket in the table, for fused builds. */
#ifndef BI_HASH_CUDA_GATHER_SEGMENTS_CUH
#define BI_HASH_CUDA_GATHER_SEGMENTS_CUH

#include "hash/cuda/order_tiles.cuh"
#include "hash/cuda/matching.cuh"
#include "hash/cuda/notify_host.cuh"

enum { GATHERED_AT_ONCE = 4 /* segments or pairs whose reads overlap; more need more registers. Not measured */ };

/* Offsets of the parts of a block's shared memory; the hashes are at 0. separate: payload and picks have memory of
 * their own; else they take turns with the hashes, so that more blocks run at once. */
struct build_layout {
    uint32_t payload, picks, codes, spilled, ascending, segments, claimed, waiting, bytes;
    bool separate;
};

template <class K, class P>
struct build_args : bi_hash_fill_args<K, P> { /* hashes and payload are those of the tiles */
    struct build_layout at;
    const K *keys; /* (n) */
    uint32_t n;
    struct bi_hash_tiles tiles;
    uint32_t lanes;           /* lanes that read a segment: a power of two */
    uint32_t *bucket_counts;  /* (partitions) number of buckets of a partition; 0: not published yet */
    unsigned long long *done; /* sum of the counts of finished blocks */
    unsigned long long *host_words;
};

/* The segments of a partition. words (count + 1), in shared memory: position of the segment's first pair among those
 * of the partition, and its begin in the tile << BI_HASH_SEGMENT_BITS. */
struct segment_list {
    const uint32_t *words;
    uint32_t count, pairs, lanes;

    static __device__ __forceinline__ uint32_t position(uint32_t word)
    {
        return word & ((1u << BI_HASH_SEGMENT_BITS) - 1);
    }

    /* Calls f(position, item) for the item of each pair in an array of the tiles. Groups of `lanes` lanes read one
     * segment each, GATHERED_AT_ONCE at a time. */
    template <int THREADS, class T, class F> __device__ __forceinline__ void each(const T *array, const F &f) const
    {
        const uint32_t lane = threadIdx.x & (lanes - 1), groups = THREADS / lanes;
        for (uint32_t s = threadIdx.x / lanes; s < count; s += GATHERED_AT_ONCE * groups) {
            /* 1. Read the first row of each segment. */
            uint32_t at[GATHERED_AT_ONCE], length[GATHERED_AT_ONCE];
            const T *from[GATHERED_AT_ONCE];
            T x[GATHERED_AT_ONCE];
#pragma unroll
            for (uint32_t k = 0; k < GATHERED_AT_ONCE; k++) {
                const uint32_t tile = min(s + k * groups, count - 1), word = words[tile];
                at[k] = position(word);
                length[k] = s + k * groups < count ? position(words[tile + 1]) - at[k] : 0;
                from[k] = array + (size_t)tile * pairs + (word >> BI_HASH_SEGMENT_BITS);
                if (lane < length[k]) x[k] = from[k][lane];
            }
#pragma unroll
            for (uint32_t k = 0; k < GATHERED_AT_ONCE; k++) { /* 2. Pass it on, and then the other rows. */
                if (lane < length[k]) f(at[k] + lane, x[k]);
                for (uint32_t i = lane + lanes; i < length[k]; i += lanes) f(at[k] + i, from[k][i]);
            }
        }
    }

    /* Calls f(position, hash, payload) for each of `keys` pairs: a thread a pair, whose segment it finds by binary
     * search; read(tile, index in it, hash, payload) loads the pair. */
    template <int THREADS, class K, class P, class R, class F>
    __device__ __forceinline__ void each_pair(uint32_t keys, const R &read, const F &f) const
    {
        for (uint32_t begin = threadIdx.x; begin < keys; begin += GATHERED_AT_ONCE * THREADS) {
            uint32_t tile[GATHERED_AT_ONCE] = {};
            K x[GATHERED_AT_ONCE];
            P y[GATHERED_AT_ONCE];
            for (uint32_t step = 1u << (31 - __clz((int)count)); step; step /= 2) {
#pragma unroll
                for (uint32_t k = 0; k < GATHERED_AT_ONCE; k++) {
                    const uint32_t next = tile[k] + step;
                    if (next < count && position(words[next]) <= begin + k * THREADS) tile[k] = next;
                }
            }
#pragma unroll
            for (uint32_t k = 0; k < GATHERED_AT_ONCE; k++) {
                const uint32_t word = words[tile[k]], i = begin + k * THREADS;
                if (i < keys) read(tile[k], (word >> BI_HASH_SEGMENT_BITS) + (i - position(word)), x[k], y[k]);
            }
#pragma unroll
            for (uint32_t k = 0; k < GATHERED_AT_ONCE; k++)
                if (begin + k * THREADS < keys) f(begin + k * THREADS, x[k], y[k]);
        }
    }
};

/* The hashes of a partition: in shared memory, or in segments of the tiles. */
template <class K, int THREADS> struct gathered {
    const K *kept;   /* in shared memory; NULL: in segments */
    const K *hashes; /* of all tiles */
    segment_list segments;

    template <class F> __device__ __forceinline__ void each_hash(uint32_t keys, const F &f) const
    {
        if (!kept) return segments.each<THREADS>(hashes, f);
        for (uint32_t i = threadIdx.x; i < keys; i += THREADS) f(i, kept[i]);
    }
    __device__ __forceinline__ const K *hashes_in_shared(uint32_t keys, uint32_t *memory) const
    {
        if (kept) return kept;
        K *there = reinterpret_cast<K *>(memory);
        each_hash(keys, [&](uint32_t i, K hash) { there[i] = hash; });
        return there;
    }
};

/* Finds the segments of the block's partition by scans over the tiles; returns its number of keys. A tile's word holds
 * begin | length << BI_HASH_SEGMENT_BITS; the shift below moves the begin to the high half, where segment_list has it.
 * All threads call it. */
template <int THREADS, class A>
static __device__ uint32_t find_segments(const A &a, uint32_t *words, bi_hash_block_words<THREADS> &state)
{
    const uint32_t *row = a.tiles.segments + (size_t)blockIdx.x * a.tiles.count;
    uint32_t keys = 0, all;
    for (uint32_t begin = 0; begin < a.tiles.count; begin += THREADS) {
        const uint32_t tile = begin + threadIdx.x, word = tile < a.tiles.count ? row[tile] : 0;
        const uint32_t preceding =
            bi_block_exclusive_sum<THREADS / 32>(word >> BI_HASH_SEGMENT_BITS, state.warps, &all);
        if (tile < a.tiles.count) words[tile] = segment_list::position(keys + preceding) | word << BI_HASH_SEGMENT_BITS;
        keys += all;
        __syncthreads(); /* state.warps is free for the next scan */
    }
    if (threadIdx.x == 0) words[a.tiles.count] = keys;
    __syncthreads(); /* all words are there */
    return keys;
}

/* Returns the first bucket of the block's partition: sums up published buckets of earlier partitions, and counts the
 * keys of unpublished ones. laid: the word of the partition threadIdx.x if the thread has read it; 0: not yet. All
 * threads call it. */
template <int THREADS, class A>
static __device__ uint32_t find_first_bucket(const A &a, bi_hash_block_words<THREADS> &state, uint32_t laid)
{
    uint32_t sum = 0, first;
    for (uint32_t p = threadIdx.x; p < blockIdx.x; p += THREADS) {
        uint32_t buckets = p == threadIdx.x && laid ? laid : bi_load_relaxed(&a.bucket_counts[p]);
        if (!buckets) {
            uint32_t keys = 0;
            const uint32_t *row = a.tiles.segments + (size_t)p * a.tiles.count;
            for (uint32_t tile = 0; tile < a.tiles.count; tile++) keys += row[tile] >> BI_HASH_SEGMENT_BITS;
            buckets = bi_hash_partition_buckets(a.load_factor, keys);
        }
        sum += buckets;
    }
    bi_block_exclusive_sum<THREADS / 32>(sum, state.warps, &first);
    return first;
}

#endif
