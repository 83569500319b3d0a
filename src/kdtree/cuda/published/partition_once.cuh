/* The published partition with the published launch: every list at every level, around one median a segment. A warp
 * compares the references of its piece of a segment once and compacts them in a temporary list, the lesser ones from
 * the front of the piece, the greater ones from its back. Then it copies them back behind those of the pieces before.
 * Source: Robinson, KdTreeGPU. */
#ifndef BI_KDTREE_CUDA_PUBLISHED_PARTITION_ONCE_CUH
#define BI_KDTREE_CUDA_PUBLISHED_PARTITION_ONCE_CUH

#include "kdtree/cuda/published/partition_kernels.cuh"

enum { BI_KDTREE_BROWN_MOST_THREADS = 1024 }; /* of a block: the hardware's limit */

/* Piece number `item` of all segments of the level. */
template <class P>
static __device__ __forceinline__ bi_kdtree_brown_piece bi_kdtree_brown_piece_at(const P &a, int64_t item)
{
    bi_kdtree_brown_piece p;
    p.segment = (uint32_t)(item / a.pieces);
    p.index = (uint32_t)(item % a.pieces);
    p.of = a.segment(p.segment);
    const uint32_t size = p.of.parts - 1, from = (uint32_t)min((int64_t)p.index * a.size, (int64_t)size);
    p.begin = p.of.begin + from;
    p.end = p.begin + min(a.size, size - from);
    return p;
}

/* Numbers of references on both sides of the median. */
struct bi_kdtree_brown_sides {
    uint32_t less, greater;
};

/* Compacts the references of a piece in a.to; called by a warp. */
template <class P>
static __device__ __forceinline__ bi_kdtree_brown_sides bi_kdtree_brown_compact_piece(const P &a,
                                                                                      const bi_kdtree_brown_piece &p)
{
    bi_kdtree_brown_sides count = {0, 0};
    bi_kdtree_brown_for_each(a, p.of, p.begin, p.end, [&](const typename P::entry &e, uint32_t side) {
        const uint32_t less = __ballot_sync(~0u, side == BI_KDTREE_LESS),
                       greater = __ballot_sync(~0u, side == BI_KDTREE_GREATER);
        if (side == BI_KDTREE_LESS) a.to[p.begin + count.less + (uint32_t)__popc(less & bi_lanes_below())] = e;
        if (side == BI_KDTREE_GREATER)
            a.to[p.end - 1 - count.greater - (uint32_t)__popc(greater & bi_lanes_below())] = e;
        count.less += (uint32_t)__popc(less);
        count.greater += (uint32_t)__popc(greater);
    });
    return count;
}

/* Copies a compacted piece from a.to to its positions in `list`. */
template <class P>
static __device__ __forceinline__ void bi_kdtree_brown_copy_piece(const P &a, const bi_kdtree_brown_piece &p,
                                                                  const bi_kdtree_brown_sides &count, uint32_t less_at,
                                                                  uint32_t greater_at, typename P::entry *list)
{
    for (uint32_t i = threadIdx.x % 32; i < count.less; i += 32) list[less_at + i] = a.to[p.begin + i];
    for (uint32_t i = threadIdx.x % 32; i < count.greater; i += 32) list[greater_at + i] = a.to[p.end - 1 - i];
}

/* Partitioner 1, many warps a segment: compacts all pieces, and counts their sides. */
template <class P>
static __global__ void __launch_bounds__(BI_KDTREE_BROWN_MOST_THREADS) bi_kdtree_brown_compact_sides(const P a)
{
    const int64_t warps = (int64_t)gridDim.x * (blockDim.x / 32), items = (int64_t)a.pieces << a.level;
    int64_t item = (int64_t)blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
    /* Each warp goes from piece to piece, by the caller's number of warps. */
    for (; item < items; item += warps) {
        const bi_kdtree_brown_piece p = bi_kdtree_brown_piece_at(a, item);
        const bi_kdtree_brown_sides count = bi_kdtree_brown_compact_piece(a, p);
        const size_t at = (size_t)p.segment * 2 * a.pieces + p.index;
        if (threadIdx.x % 32 == 0) {
            a.counts[at] = count.less;
            a.counts[at + a.pieces] = count.greater;
        }
    }
}

/* Partitioner 1: copies the pieces back. */
template <class P>
static __global__ void __launch_bounds__(BI_KDTREE_BROWN_MOST_THREADS)
    bi_kdtree_brown_copy_back(const P a, typename P::entry *list)
{
    const int64_t warps = (int64_t)gridDim.x * (blockDim.x / 32), items = (int64_t)a.pieces << a.level;
    int64_t item = (int64_t)blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
    /* The scan of the counts gives the references of earlier pieces on each side. */
    for (; item < items; item += warps) {
        const bi_kdtree_brown_piece p = bi_kdtree_brown_piece_at(a, item);
        const size_t first = (size_t)p.segment * 2 * a.pieces, less = first + p.index, greater = less + a.pieces;
        const bi_kdtree_brown_sides count = {a.counts[less], a.counts[greater]};
        bi_kdtree_brown_copy_piece(
            a, p, count, p.of.begin + a.exclusive_prefix[less] - a.exclusive_prefix[first],
            p.of.side(true).begin + a.exclusive_prefix[greater] - a.exclusive_prefix[first + a.pieces], list);
    }
}

/* Partitioner 2, a warp a segment: compacts it, and copies it back. */
template <class P>
static __global__ void __launch_bounds__(BI_KDTREE_BROWN_MOST_THREADS)
    bi_kdtree_brown_partition_segments(const P a, typename P::entry *list)
{
    const int64_t warps = (int64_t)gridDim.x * (blockDim.x / 32), segments = (int64_t)1 << a.level;
    int64_t item = (int64_t)blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
    /* Each warp goes from segment to segment, by the caller's number of warps. */
    for (; item < segments; item += warps) {
        const bi_kdtree_brown_piece p = bi_kdtree_brown_piece_at(a, item);
        const bi_kdtree_brown_sides count = bi_kdtree_brown_compact_piece(a, p);
        __syncwarp(); /* the warp has read its segment and written its temporary list: lanes read each other's writes */
        bi_kdtree_brown_copy_piece(a, p, count, p.of.begin, p.of.side(true).begin, list);
    }
}

#endif
