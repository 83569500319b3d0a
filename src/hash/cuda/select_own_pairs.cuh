/* Builds of up to 2^12 pairs: each block reads all pairs and selects those of its partition. A few rows a thread are
 * read sooner than a cluster of blocks has started (partition_in_cluster.cuh). */
#ifndef BI_HASH_CUDA_SELECT_OWN_PAIRS_CUH
#define BI_HASH_CUDA_SELECT_OWN_PAIRS_CUH

#include "hash/cuda/gather_segments.cuh"

#ifdef BI_EMULATE
enum { SELECT_PAIRS = 1 << 10 }; /* smaller, so that clusters run in the emulator too, which takes small sizes only */
#else
enum { SELECT_PAIRS = 1 << 12 /* limit on devices with clusters; measured: docs/design/hash.md */ };
#endif
enum {
    SELECT_THREADS = 1024,
    SELECT_PAIRS_NO_CLUSTER = 1 << 14,     /* limit on devices without clusters */
    SELECT_PARTITIONS = ONE_LAUNCH_BLOCKS, /* limit */
    SELECT_ROWS_AT_ONCE = 4                /* rows read before one is processed, to overlap reads */
};

/* Selected pairs of the block's partition. Each warp has a run of its own, in the order of the input; the runs
 * ascend too, so positions ascend with the rows, with gaps. */
template <class K, class P> struct selected_runs {
    K *hashes;
    P *payload;
    uint32_t begin, count; /* the run of this thread's warp */

    /* Calls f(position, hash) for each pair. All threads call it. */
    template <class F> __device__ __forceinline__ void each(const F &f) const
    {
        for (uint32_t i = threadIdx.x % 32; i < count; i += 32) f(begin + i, hashes[begin + i]);
    }
};

/* Counts of pairs by warp and partition, and pairs of each partition. */
struct select_shared {
    uint32_t counts[SELECT_THREADS / 32][SELECT_PARTITIONS + 1], totals[SELECT_PARTITIONS];
};

/* Selects the block's partition from all pairs. sh.totals: pairs of each partition. All threads call it; a barrier
 * comes last. */
template <class K, class P>
static __device__ void select_own_pairs(const build_args<K, P> &a, select_shared &sh, selected_runs<K, P> &runs)
{
    static_assert(SELECT_PARTITIONS <= SELECT_THREADS / 32, "a warp sums a partition's");
    const uint32_t lane = threadIdx.x % 32, warp = threadIdx.x / 32, rows = (a.n + SELECT_THREADS - 1) / SELECT_THREADS;
    const uint32_t digit = lane % SELECT_PARTITIONS;
    uint32_t count = 0;
    runs.begin = warp * rows * 32;
    runs.count = 0;
#pragma unroll 1
    for (uint32_t row = 0; row < rows; row += SELECT_ROWS_AT_ONCE) {
        /* 1. Read some rows of the warp. */
        K key[SELECT_ROWS_AT_ONCE];
        P value[SELECT_ROWS_AT_ONCE];
#pragma unroll
        for (uint32_t k = 0; k < SELECT_ROWS_AT_ONCE; k++) {
            const uint32_t i = min(runs.begin + (row + k) * 32 + lane, a.n - 1);
            if (row + k >= rows) break;
            key[k] = a.keys[i];
            if constexpr (bi_hash_has_value<P>) value[k] = a.payload ? a.payload[i] : (P)i;
        }
#pragma unroll
        for (uint32_t k = 0; k < SELECT_ROWS_AT_ONCE; k++) {
            if (row + k >= rows) break;
            /* 2. Vote: count the pairs of each partition, a lane a partition, and rank the block's own ones. */
            const bool in = runs.begin + (row + k) * 32 + lane < a.n;
            const K hash = bi_hash_key_hash(key[k], a.seed);
            const uint32_t partition = bi_hash_key_partition(hash, a.partition_bits);
            const bool is_own = in && partition == blockIdx.x;
            const uint32_t own = __ballot_sync(~0u, is_own);
            uint32_t equal = __ballot_sync(~0u, in); /* lanes whose partition equals this lane's digit */
#pragma unroll
            for (int b = 0; 1 << b < SELECT_PARTITIONS; b++) {
                const uint32_t set = __ballot_sync(~0u, partition >> b & 1);
                equal &= digit >> b & 1 ? set : ~set;
            }
            count += (uint32_t)__popc(equal);
            const uint32_t position = runs.begin + runs.count + (uint32_t)__popc(own & bi_lanes_below());
            runs.count += (uint32_t)__popc(own);
            /* 3. Keep the block's own pairs. */
            if (!is_own) continue;
            runs.hashes[position] = hash;
            if constexpr (bi_hash_has_value<P>) runs.payload[position] = value[k];
        }
    }
    /* 4. Sum the counts of each partition over the warps. */
    if (lane < SELECT_PARTITIONS) sh.counts[warp][lane] = count;
    __syncthreads(); /* the counts of all warps are there */
    if (warp < SELECT_PARTITIONS) {
        const uint32_t sum = bi_warp_sum(lane < SELECT_THREADS / 32 ? sh.counts[lane][warp] : 0u);
        if (lane == 0) sh.totals[warp] = sum;
    }
    __syncthreads(); /* the totals, and the selected pairs of all warps, are there */
}

#endif
