/* How the blocks of a fused build of very few pairs come by those of their partition: each picks them out of all. A few
 * rows a thread are read sooner than a cluster of blocks has begun (deal.cuh). */
#ifndef BI_HASH_CUDA_PICK_CUH
#define BI_HASH_CUDA_PICK_CUH

#include "hash/cuda/gather.cuh"

#ifdef BI_EMULATE
enum { PICK_PAIRS = 1 << 10 }; /* so that clusters have some, of which the emulator takes small ones alone */
#else
enum { PICK_PAIRS = 1 << 12 /* at most, on devices with clusters */ };
#endif
enum {
    PICK_THREADS = 1024,
    PICK_PAIRS_ALONE = 1 << 14,   /* at most, on devices without clusters */
    PICK_PARTITIONS = FEW_BLOCKS, /* at most */
    PICKED_AT_ONCE = 4            /* rows of a warp's pairs */
};

/* Pairs of the block's partition as they are placed: those of a warp stand in a run of their own, in the order of the
 * input, and runs too, so positions ascend with the rows, with gaps. */
template <class K, class P> struct picked_runs {
    K *hashes;
    P *payload;
    uint32_t begin, count; /* this thread's warp's */

    /* Calls f(position, hash) for each pair. All threads call it. */
    template <class F> __device__ __forceinline__ void each(const F &f) const
    {
        for (uint32_t i = threadIdx.x % 32; i < count; i += 32) f(begin + i, hashes[begin + i]);
    }
};

/* What warps have picked, by partition, and how many pairs each partition has. */
struct pick_shared {
    uint32_t counts[PICK_THREADS / 32][PICK_PARTITIONS + 1], totals[PICK_PARTITIONS];
};

/* Picks the block's partition out of all pairs. sh.totals gets the numbers of pairs. All threads call it; a barrier
 * comes last. */
template <class K, class P>
static __device__ void pick_pairs(const build_args<K, P> &a, pick_shared &sh, picked_runs<K, P> &runs)
{
    static_assert(PICK_PARTITIONS <= PICK_THREADS / 32, "a warp sums a partition's");
    const uint32_t lane = threadIdx.x % 32, warp = threadIdx.x / 32, rows = (a.n + PICK_THREADS - 1) / PICK_THREADS;
    const uint32_t digit = lane % PICK_PARTITIONS;
    uint32_t count = 0;
    runs.begin = warp * rows * 32;
    runs.count = 0;
#pragma unroll 1
    for (uint32_t row = 0; row < rows; row += PICKED_AT_ONCE) {
        K key[PICKED_AT_ONCE];
        P value[PICKED_AT_ONCE];
#pragma unroll
        for (uint32_t k = 0; k < PICKED_AT_ONCE; k++) {
            const uint32_t i = min(runs.begin + (row + k) * 32 + lane, a.n - 1);
            if (row + k >= rows) break;
            key[k] = a.keys[i];
            if constexpr (bi_hash_has_value<P>) value[k] = a.payload ? a.payload[i] : (P)i;
        }
#pragma unroll
        for (uint32_t k = 0; k < PICKED_AT_ONCE; k++) {
            if (row + k >= rows) break;
            const bool in = runs.begin + (row + k) * 32 + lane < a.n;
            const K hash = bi_hash_key_hash(key[k], a.seed);
            const uint32_t partition = bi_hash_key_partition(hash, a.partition_bits);
            const bool mine = in && partition == blockIdx.x;
            const uint32_t own = __ballot_sync(~0u, mine);
            uint32_t equal = __ballot_sync(~0u, in); /* to the lane's digit */
#pragma unroll
            for (int b = 0; 1 << b < PICK_PARTITIONS; b++) {
                const uint32_t set = __ballot_sync(~0u, partition >> b & 1);
                equal &= digit >> b & 1 ? set : ~set;
            }
            count += (uint32_t)__popc(equal);
            const uint32_t position = runs.begin + runs.count + (uint32_t)__popc(own & bi_lanes_below());
            runs.count += (uint32_t)__popc(own);
            if (!mine) continue;
            runs.hashes[position] = hash;
            if constexpr (bi_hash_has_value<P>) runs.payload[position] = value[k];
        }
    }
    if (lane < PICK_PARTITIONS) sh.counts[warp][lane] = count;
    __syncthreads();
    if (warp < PICK_PARTITIONS) {
        const uint32_t sum = bi_warp_sum(lane < PICK_THREADS / 32 ? sh.counts[lane][warp] : 0u);
        if (lane == 0) sh.totals[warp] = sum;
    }
    __syncthreads();
}

#endif
