/* The published partitioners: each spreads the references of all segments of a level around their medians, less and
 * greater at once by ballot and population count, the median dropped. One is chosen a level, by the size of segments.
 */
#ifndef BI_KDTREE_CUDA_BROWN_PARTITION_KERNELS_CUH
#define BI_KDTREE_CUDA_BROWN_PARTITION_KERNELS_CUH

#include "kdtree/cuda/brown/brown.cuh"

/* A list at a level. Places in lists are those of nodes; segments are the subtrees of the level, and the places of
 * medians of former levels are holes. */
struct bi_kdtree_brown_level {
    int64_t n;
    int32_t level;
    const uint32_t *own; /* the list of the level's coordinate */
    const uint32_t *from;
    uint32_t *to;
};

static const uint32_t BI_KDTREE_LESS = 0, BI_KDTREE_GREATER = 1, BI_KDTREE_NEITHER = 2;

/* On which side of the median a row stands; `key` is its first coordinate. */
template <class K>
static __device__ __forceinline__ uint32_t bi_kdtree_side(const bi_superkey<K> &by, uint32_t row, K key,
                                                          uint32_t median, K median_key)
{
    if (key != median_key) return key < median_key ? BI_KDTREE_LESS : BI_KDTREE_GREATER;
    if (row == median) return BI_KDTREE_NEITHER;
    const int order = by.compare_rest(row, median);
    return (order ? order < 0 : row < median) ? BI_KDTREE_LESS : BI_KDTREE_GREATER;
}

/* Each segment in pieces of `size`, a warp each. */
struct bi_kdtree_brown_pieces {
    int64_t size;
    uint32_t count;               /* of a segment */
    unsigned long long *on_sides; /* by piece: less | greater << 32 */
    unsigned long long *sums;     /* of all pieces before */
};

struct bi_kdtree_brown_piece {
    struct bi_kdtree_range segment;
    int64_t index, first, begin, end; /* first: the index of the segment's first piece */
};

static __device__ __forceinline__ struct bi_kdtree_brown_piece bi_kdtree_brown_piece_of(const bi_kdtree_brown_level &l,
                                                                                        const bi_kdtree_brown_pieces &p)
{
    const int64_t index = bi_kdtree_brown_warp(), segment = index >> l.level < p.count ? index / p.count : -1;
    if (segment < 0) return {{0, 0}, -1, 0, 0, 0};
    const struct bi_kdtree_range r = bi_kdtree_subtree(l.n, l.level, (uint64_t)segment);
    const int64_t begin = r.begin + (index - segment * p.count) * p.size;
    return {r, index, segment * p.count, min(begin, r.end), min(begin + p.size, r.end)};
}

/* What a round of 32 references has on each side, as every lane sees it. */
struct bi_kdtree_brown_round {
    uint32_t side, less, greater; /* the lane's own, and bits by lane */
};

static __device__ __forceinline__ struct bi_kdtree_brown_round bi_kdtree_brown_vote(uint32_t side)
{
    return {side, __ballot_sync(~0u, side == BI_KDTREE_LESS), __ballot_sync(~0u, side == BI_KDTREE_GREATER)};
}

/* Calls place(row, round) for the references [begin, end), 32 at a time, by a warp. */
template <class K, class PLACE>
static __device__ __forceinline__ void bi_kdtree_brown_rounds(const bi_superkey<K> &by, const uint32_t *from,
                                                              uint32_t median, int64_t begin, int64_t end,
                                                              const PLACE &place)
{
    enum { EACH = BI_KDTREE_BROWN_EACH };
    const K median_key = by.key(median);
    for (int64_t base = begin + threadIdx.x % 32; base - threadIdx.x % 32 < end; base += BI_KDTREE_BROWN_ROUND) {
        uint32_t row[EACH];
        K key[EACH];
#pragma unroll
        for (int k = 0; k < EACH; k++) row[k] = base + 32 * k < end ? from[base + 32 * k] : median;
#pragma unroll
        for (int k = 0; k < EACH; k++) key[k] = by.key(row[k]);
#pragma unroll
        for (int k = 0; k < EACH; k++)
            place(row[k], bi_kdtree_brown_vote(bi_kdtree_side(by, row[k], key[k], median, median_key)));
    }
}

/* Many warps a segment: a warp partitions a piece in its own places, less from the front, greater from the back. */
template <class K>
static __global__ void __launch_bounds__(BI_KDTREE_BROWN_THREADS)
    bi_kdtree_brown_partition_pieces(const bi_superkey<K> by, const bi_kdtree_brown_level l,
                                     const bi_kdtree_brown_pieces p)
{
    const struct bi_kdtree_brown_piece at = bi_kdtree_brown_piece_of(l, p);
    if (at.index < 0) return;
    uint32_t less = 0, greater = 0;
    bi_kdtree_brown_rounds(by, l.from, l.own[bi_kdtree_mid(at.segment)], at.begin, at.end,
                           [&](uint32_t row, const struct bi_kdtree_brown_round &round) {
                               const uint32_t below = bi_lanes_below();
                               if (round.side == BI_KDTREE_LESS)
                                   l.to[at.begin + less + __popc(round.less & below)] = row;
                               if (round.side == BI_KDTREE_GREATER)
                                   l.to[at.end - 1 - greater - __popc(round.greater & below)] = row;
                               less += (uint32_t)__popc(round.less);
                               greater += (uint32_t)__popc(round.greater);
                           });
    if (threadIdx.x % 32 == 0) p.on_sides[at.index] = less | (unsigned long long)greater << 32;
}

/* The second pass: pieces go to the two sides of their segment. */
static __global__ void __launch_bounds__(BI_KDTREE_BROWN_THREADS)
    bi_kdtree_brown_join_pieces(const bi_kdtree_brown_level l, const bi_kdtree_brown_pieces p)
{
    const struct bi_kdtree_brown_piece at = bi_kdtree_brown_piece_of(l, p);
    if (at.index < 0) return;
    const unsigned long long own = p.on_sides[at.index], before = p.sums[at.index] - p.sums[at.first];
    const uint32_t less = (uint32_t)own, greater = (uint32_t)(own >> 32);
    uint32_t *to_less = l.to + at.segment.begin + (uint32_t)before;
    uint32_t *to_greater = l.to + bi_kdtree_mid(at.segment) + 1 + (before >> 32);
    for (uint32_t i = threadIdx.x % 32; i < less; i += 32) to_less[i] = l.from[at.begin + i];
    for (uint32_t i = threadIdx.x % 32; i < greater; i += 32) to_greater[i] = l.from[at.end - 1 - i];
}

/* A warp a segment. */
template <class K>
static __global__ void __launch_bounds__(BI_KDTREE_BROWN_THREADS)
    bi_kdtree_brown_partition_by_warps(const bi_superkey<K> by, const bi_kdtree_brown_level l)
{
    const int64_t segment = bi_kdtree_brown_warp();
    if (segment >> l.level) return;
    const struct bi_kdtree_range r = bi_kdtree_subtree(l.n, l.level, (uint64_t)segment);
    uint32_t *to_less = l.to + r.begin, *to_greater = l.to + bi_kdtree_mid(r) + 1;
    bi_kdtree_brown_rounds(by, l.from, l.own[bi_kdtree_mid(r)], r.begin, r.end,
                           [&](uint32_t row, const bi_kdtree_brown_round &round) {
                               const uint32_t below = bi_lanes_below();
                               if (round.side == BI_KDTREE_LESS) to_less[__popc(round.less & below)] = row;
                               if (round.side == BI_KDTREE_GREATER) to_greater[__popc(round.greater & below)] = row;
                               to_less += __popc(round.less);
                               to_greater += __popc(round.greater);
                           });
}

/* A part of a warp (16, 8 or 4 lanes) a segment, which has no more references than that. */
template <class K, int LANES>
static __global__ void __launch_bounds__(BI_KDTREE_BROWN_THREADS)
    bi_kdtree_brown_partition_by_lanes(const bi_superkey<K> by, const bi_kdtree_brown_level l)
{
    const int64_t thread = blockIdx.x * (int64_t)BI_KDTREE_BROWN_THREADS + threadIdx.x, segment = thread / LANES;
    const uint32_t lane = threadIdx.x % LANES, group = (1u << LANES) - 1, shift = threadIdx.x % 32 - lane;
    uint32_t row = 0, side = BI_KDTREE_NEITHER;
    struct bi_kdtree_range r = {0, 0};
    if (!(segment >> l.level)) r = bi_kdtree_subtree(l.n, l.level, (uint64_t)segment);
    if (r.begin + lane < r.end) {
        const uint32_t median = l.own[bi_kdtree_mid(r)];
        row = l.from[r.begin + lane];
        side = bi_kdtree_side(by, row, by.key(row), median, by.key(median));
    }
    const struct bi_kdtree_brown_round round = bi_kdtree_brown_vote(side);
    const uint32_t below = ((1u << lane) - 1) & group;
    if (side == BI_KDTREE_LESS) l.to[r.begin + __popc(round.less >> shift & below)] = row;
    if (side == BI_KDTREE_GREATER) l.to[bi_kdtree_mid(r) + 1 + __popc(round.greater >> shift & below)] = row;
}

#endif
