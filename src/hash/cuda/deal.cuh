/* How the blocks of a fused build of few pairs come by those of their partition. They are one cluster: each orders a
 * tile of the pairs by partition in its shared memory, and then reads what all have of its own. */
#ifndef BI_HASH_CUDA_DEAL_CUH
#define BI_HASH_CUDA_DEAL_CUH

#include "core/cuda/cluster.cuh"
#include "hash/cuda/gather.cuh"
#include "hash/cuda/split.cuh"

enum { DEAL_THREADS = 512, DEAL_EACH = 2, DEAL_BITS = 5 /* a warp has a digit a lane */ };
enum { DEAL_PAIRS = DEAL_THREADS * DEAL_EACH /* of a tile, at most */ };
static_assert(FEW_BLOCKS * FEW_BLOCKS <= DEAL_THREADS && FEW_BLOCKS <= 1 << DEAL_BITS, "a thread has a segment");

template <class K, class P> using dealt_tile = split_shared<K, P, DEAL_BITS, DEAL_EACH, DEAL_THREADS>;

struct deal_shared {
    uint32_t segments[1 << DEAL_BITS]; /* of the tile, by partition: begin, and length << BI_HASH_SEGMENT_BITS */
    uint32_t words[FEW_BLOCKS + 1];    /* of the partition, by tile: as in a segment_list */
    uint32_t totals[FEW_BLOCKS];       /* keys of each partition */
};

/* Orders the block's tile; the others may read it then. All threads call it. */
template <class K, class P>
static __device__ __forceinline__ void deal_tile(const build_args<K, P> &a, dealt_tile<K, P> &tile, deal_shared &sh)
{
    const uint32_t share = (a.n + gridDim.x - 1) / gridDim.x, begin = min(blockIdx.x * share, a.n);
    split_input<K, P> in = {a.keys + begin, a.payload, a.n, a.digit, a.seed};
    split_share<dealt_tile<K, P>> own;
    split_clear(tile);
    __syncthreads();
    split_keys<false>(in, 0, min(share, a.n - begin), own);
    split_ranks<true, false>(tile, in, own);
    __syncthreads();
    const split_column column = split_columns(tile, [](uint32_t, uint32_t) {});
    if (threadIdx.x < 1 << DEAL_BITS) sh.segments[threadIdx.x] = column.start | column.total << BI_HASH_SEGMENT_BITS;
    __syncthreads();
    own.begin = begin;
    split_place<false>(tile, in, own);
    bi_cluster_arrive();
    bi_cluster_wait();
}

/* Finds the segments of the block's partition, and the keys of all. All threads call it; a barrier comes last. */
static __device__ __forceinline__ void find_dealt(deal_shared &sh)
{
    const uint32_t tile = threadIdx.x & (gridDim.x - 1), partition = threadIdx.x / gridDim.x;
    uint32_t word = 0;
    if (partition < gridDim.x) word = *bi_cluster_at(&sh.segments[partition], tile);
    const uint32_t length = word >> BI_HASH_SEGMENT_BITS;
    uint32_t upto = length; /* of the partition's, in tiles up to this one */
    for (uint32_t d = 1; d < gridDim.x; d *= 2) {
        const uint32_t left = __shfl_up_sync(~0u, upto, d);
        if (tile >= d) upto += left;
    }
    if (partition < gridDim.x && tile == gridDim.x - 1) sh.totals[partition] = upto;
    if (partition == blockIdx.x) {
        sh.words[tile] = upto - length + (word << BI_HASH_SEGMENT_BITS);
        if (tile == gridDim.x - 1) sh.words[gridDim.x] = upto;
    }
    __syncthreads();
}

#endif
