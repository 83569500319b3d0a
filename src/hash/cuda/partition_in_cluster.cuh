/* Builds of up to 2^14 pairs by one cluster of blocks: each block orders a tile of the pairs by partition in its
 * shared memory, then reads the segments of its own partition from the tiles of all blocks. */
#ifndef BI_HASH_CUDA_PARTITION_IN_CLUSTER_CUH
#define BI_HASH_CUDA_PARTITION_IN_CLUSTER_CUH

#include "core/cuda/cluster.cuh"
#include "hash/cuda/gather_segments.cuh"
#include "hash/cuda/multisplit.cuh"

enum { CLUSTER_THREADS = 512, CLUSTER_EACH = 2, CLUSTER_BITS = 5 /* one lane for each digit */ };
enum { CLUSTER_PAIRS = CLUSTER_THREADS * CLUSTER_EACH /* limit of a tile */ };
static_assert(ONE_LAUNCH_BLOCKS * ONE_LAUNCH_BLOCKS <= CLUSTER_THREADS && ONE_LAUNCH_BLOCKS <= 1 << CLUSTER_BITS,
              "a thread has a segment");

template <class K, class P> using cluster_tile = split_shared<K, P, CLUSTER_BITS, CLUSTER_EACH, CLUSTER_THREADS>;

struct cluster_shared {
    uint32_t segments[1 << CLUSTER_BITS];  /* of the tile, by partition: begin, and length << BI_HASH_SEGMENT_BITS */
    uint32_t words[ONE_LAUNCH_BLOCKS + 1]; /* of the block's partition, by tile: as in a segment_list */
    uint32_t totals[ONE_LAUNCH_BLOCKS];    /* keys of each partition */
};

/* Orders the block's tile; afterwards other blocks may read it. All threads call it. */
template <class K, class P>
static __device__ __forceinline__ void order_own_tile(const build_args<K, P> &a, cluster_tile<K, P> &tile,
                                                      cluster_shared &sh)
{
    const uint32_t share = (a.n + gridDim.x - 1) / gridDim.x, begin = min(blockIdx.x * share, a.n);
    split_input<K, P> in = {a.keys + begin, a.payload, a.n, a.digit, a.seed};
    tile_share<cluster_tile<K, P>> own;
    /* 1. Read the keys and rank the digits within warps. */
    clear_digit_counts(tile);
    __syncthreads(); /* the counts are zero */
    load_tile_keys<false>(in, 0, min(share, a.n - begin), own);
    rank_tile_digits<true, false>(tile, in, own);
    __syncthreads(); /* the counts of all warps are there */
    /* 2. Scan the counts; publish the segments of the tile. */
    const digit_range column = scan_digit_counts(tile, [](uint32_t, uint32_t) {});
    if (threadIdx.x < 1 << CLUSTER_BITS) sh.segments[threadIdx.x] = column.start | column.total << BI_HASH_SEGMENT_BITS;
    __syncthreads(); /* the positions of all digits are there */
    /* 3. Move the pairs to their positions. */
    own.begin = begin; /* in.keys begins at the block's share, but in.payload at the first pair of all */
    scatter_to_tile_order<false>(tile, in, own);
    bi_cluster_arrive(); /* every block's tile and segments are there, for all blocks */
    bi_cluster_wait();
}

/* Finds the segments of the block's partition, and the number of keys of each partition. All threads call it; a
 * barrier comes last. */
static __device__ __forceinline__ void find_own_segments(cluster_shared &sh)
{
    /* A thread reads one segment; a scan over the tiles of a partition gives the positions of its segments. The blocks
     * are a power of two up to 16, so the threads of a partition are neighbours in one warp. */
    const uint32_t tile = threadIdx.x & (gridDim.x - 1), partition = threadIdx.x / gridDim.x;
    uint32_t word = 0;
    if (partition < gridDim.x) word = *bi_cluster_map(&sh.segments[partition], tile);
    const uint32_t length = word >> BI_HASH_SEGMENT_BITS;
    uint32_t inclusive_prefix = length; /* keys of the partition in tiles up to this one */
    for (uint32_t d = 1; d < gridDim.x; d *= 2) {
        const uint32_t left = __shfl_up_sync(~0u, inclusive_prefix, d);
        if (tile >= d) inclusive_prefix += left;
    }
    if (partition < gridDim.x && tile == gridDim.x - 1) sh.totals[partition] = inclusive_prefix;
    if (partition == blockIdx.x) {
        sh.words[tile] = inclusive_prefix - length + (word << BI_HASH_SEGMENT_BITS);
        if (tile == gridDim.x - 1) sh.words[gridDim.x] = inclusive_prefix;
    }
    __syncthreads(); /* words and totals are there */
}

#endif
