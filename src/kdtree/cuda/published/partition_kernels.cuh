/* The published partitioners. Each scatters the references of all segments of a level around their medians, to all
 * sides at once by ballot and population count, and drops the medians. The size of segments selects one.
 *
 * A list is partitioned only when its own level is next, around the medians of all levels since it was last used: one
 * pass in place of one per level. Beside each reference the list keeps the keys that those levels compare, so a pass
 * reads and writes in order. Beyond MAX_LEVELS keys, they are read from the rows.
 * Source: Robinson, KdTreeGPU, after Billeter, Olsson, Assarsson, Efficient Stream Compaction on Wide SIMD Many-Core
 * Architectures (2009). */
#ifndef BI_KDTREE_CUDA_PUBLISHED_PARTITION_KERNELS_CUH
#define BI_KDTREE_CUDA_PUBLISHED_PARTITION_KERNELS_CUH

#include "core/call.h"
#include "core/cuda/superkey.cuh"
#include "core/cuda/warp.cuh"
#include "kdtree/cuda/cuda.cuh"
#include "kdtree/shape.h"

enum {
    BI_KDTREE_BROWN_THREADS = 256,
    BI_KDTREE_BROWN_WARPS = BI_KDTREE_BROWN_THREADS / 32,
    BI_KDTREE_BROWN_EACH = 4, /* references that a lane reads at once, so that loads overlap. More: more registers */
    BI_KDTREE_BROWN_ROUND = 32 * BI_KDTREE_BROWN_EACH,
    BI_KDTREE_BROWN_WARPS_A_PROCESSOR = 64 /* the most that a multiprocessor holds */
};

/* Returns the number of the warp in the launch. */
static __device__ __forceinline__ int64_t bi_kdtree_brown_warp()
{
    return blockIdx.x * (int64_t)BI_KDTREE_BROWN_WARPS + threadIdx.x / 32;
}

static inline unsigned bi_kdtree_brown_blocks(int64_t warps)
{
    return (unsigned)bi_div_up(warps, BI_KDTREE_BROWN_WARPS);
}

/* Returns the references per warp, whole rounds, such that `n` references keep the device busy. */
static inline int64_t bi_kdtree_brown_piece_size(const bosc_ctx *ctx, int64_t n)
{
    const int64_t warps = (int64_t)ctx->multiprocessors * BI_KDTREE_BROWN_WARPS_A_PROCESSOR;
    return (int64_t)bi_round_up((uint64_t)bi_div_up(n, warps), BI_KDTREE_BROWN_ROUND);
}

template <class K>
static inline bi_superkey<K> bi_kdtree_superkey_rows(const struct bi_kdtree_rows &rows, bosc_dtype dtype, int32_t dim,
                                                     int32_t first)
{
    return {static_cast<const K *>(rows.data), rows.stride, dim, first, bi_key_kind_of(dtype)};
}

/* --- Partitioners ------------------------------------------------------------------------------------------------- */

enum {
    BI_KDTREE_BROWN_MAX_LEVELS = 3,                         /* of a pass */
    BI_KDTREE_BROWN_SIDES = 1 << BI_KDTREE_BROWN_MAX_LEVELS /* of such a pass */
};

/* Returns the largest alignment of an entry of some bytes, so that it is copied by few instructions. */
static constexpr size_t bi_kdtree_brown_alignment(size_t bytes)
{
    return bytes % 16 == 0 ? 16 : bytes % 8 == 0 ? 8 : 4;
}

/* A reference in a list, and the keys beside it: of the C coordinates after the list's own. */
template <class K, int C> struct alignas(bi_kdtree_brown_alignment((C + 1) * sizeof(K))) bi_kdtree_brown_entry {
    uint32_t row;
    K key[C];
};
template <class K> struct bi_kdtree_brown_entry<K, 0> {
    uint32_t row;
};

/* A segment, as bi_kdtree_range, with its size plus one (`parts`), which halves evenly. */
struct bi_kdtree_brown_segment {
    uint32_t begin, parts;

    __device__ __forceinline__ uint32_t end() const { return begin + parts - 1; }
    __device__ __forceinline__ uint32_t mid() const { return begin + (parts - parts / 2) - 1; }
    __device__ __forceinline__ bi_kdtree_brown_segment side(bool greater) const
    {
        return greater ? bi_kdtree_brown_segment{begin + (parts - parts / 2), parts / 2}
                       : bi_kdtree_brown_segment{begin, parts - parts / 2};
    }
};

/* Returns segment `which` of the segments `levels` below s. */
static __device__ __forceinline__ bi_kdtree_brown_segment bi_kdtree_brown_descendant(bi_kdtree_brown_segment s,
                                                                                     int32_t levels, uint32_t which)
{
    for (int32_t bit = levels - 1; bit >= 0; bit--) s = s.side(which >> bit & 1);
    return s;
}

/* A pass over a list, from the segments of `level` to those of `level + levels`. Positions in lists are those of nodes;
 * the positions of medians of earlier levels are holes. */
template <class K, int C> struct bi_kdtree_brown_task {
    bi_superkey<K> by; /* from the coordinate of `level` on */
    uint32_t n;
    int32_t level, levels;
    const uint32_t *order; /* the references of nodes */
    const K *nodes;        /* and their rows */
    const bi_kdtree_brown_entry<K, C> *from;
    bi_kdtree_brown_entry<K, C> *to;
    uint32_t size, pieces;            /* size of a piece; pieces per segment */
    uint32_t *counts;                 /* number of references by segment, side and piece */
    const uint32_t *exclusive_prefix; /* scan of the counts */
};

/* A task as kernels use it. ALL: the pass compares all C keys of an entry; else the last `levels` of them. */
template <class K, int C, bool ALL> struct bi_kdtree_brown_pass : bi_kdtree_brown_task<K, C> {
    typedef K key_type;
    typedef bi_kdtree_brown_entry<K, C> entry;
    static constexpr int MOST = C > 0 ? C : BI_KDTREE_BROWN_MAX_LEVELS;

    __device__ __forceinline__ int32_t depth() const { return ALL ? C : this->levels; }

    __device__ __forceinline__ int32_t coordinate(int32_t j) const
    {
        const int32_t c = this->by.first + j;
        return c < this->by.dim ? c : c - this->by.dim;
    }

    __device__ __forceinline__ bi_kdtree_brown_segment segment(uint32_t which) const
    {
        return bi_kdtree_brown_descendant({0, this->n + 1}, this->level, which);
    }

    /* Returns the key that level + j compares. */
    __device__ __forceinline__ K key(const entry &e, int32_t j) const
    {
        if constexpr (C == 0) {
            return bi_order_key(this->by.points[e.row * this->by.stride + coordinate(j)], this->by.kind);
        } else if constexpr (ALL) {
            return e.key[j];
        } else {
            return e.key[C - this->levels + j]; /* an indexed access puts entries in local memory; rare */
        }
    }

    __device__ __forceinline__ K node_key(uint32_t node, int32_t j) const
    {
        return bi_order_key(this->nodes[(size_t)node * this->by.dim + coordinate(j)], this->by.kind);
    }
};

static const uint32_t BI_KDTREE_LESS = 0, BI_KDTREE_GREATER = 1, BI_KDTREE_NEITHER = BI_KDTREE_BROWN_SIDES;

/* Returns the side of a row whose key equals that of the node of level + j. */
template <class P>
static __device__ uint32_t bi_kdtree_brown_break_tie(const P &a, uint32_t row, uint32_t node, int32_t j)
{
    const uint32_t median = a.order[node];
    if (row == median) return BI_KDTREE_NEITHER;
    bi_superkey<typename P::key_type> by = a.by;
    by.first = a.coordinate(j);
    const int order = by.compare_rest(row, median);
    return (order ? order < 0 : row < median) ? BI_KDTREE_LESS : BI_KDTREE_GREATER;
}

/* The sides of a warp's 32 references, known to every lane. */
struct bi_kdtree_brown_ballots {
    uint32_t some, bit[BI_KDTREE_BROWN_MAX_LEVELS]; /* masks of lanes: with a side; with bit b of its number set */

    /* Returns the lanes whose reference is on the side. */
    __device__ __forceinline__ uint32_t on(uint32_t side) const
    {
        uint32_t lanes = some;
#pragma unroll
        for (int b = 0; b < BI_KDTREE_BROWN_MAX_LEVELS; b++) lanes &= side >> b & 1 ? bit[b] : ~bit[b];
        return lanes;
    }
};

static __device__ __forceinline__ bi_kdtree_brown_ballots bi_kdtree_brown_ballot_sides(uint32_t side)
{
    bi_kdtree_brown_ballots ballots;
    ballots.some = __ballot_sync(~0u, side < BI_KDTREE_NEITHER);
#pragma unroll
    for (int b = 0; b < BI_KDTREE_BROWN_MAX_LEVELS; b++) ballots.bit[b] = __ballot_sync(~0u, side >> b & 1);
    return ballots;
}

/* Returns a key of the nodes that split a segment in this pass; lane i of the segment holds node i of an implicit
 * heap. */
template <class P>
static __device__ __forceinline__ typename P::key_type
bi_kdtree_brown_median(const P &a, const bi_kdtree_brown_segment &s, uint32_t lane)
{
    const int32_t j = 31 - __clz((int)(lane + 1));
    return j < a.depth() ? a.node_key(bi_kdtree_brown_descendant(s, j, lane + 1 - (1u << j)).mid(), j)
                         : (typename P::key_type)0;
}

/* Returns the side of a reference of the segment, NEITHER if `there` is false. All lanes of the warp call it; lane
 * first + i holds median i. */
template <class P>
static __device__ __forceinline__ uint32_t bi_kdtree_brown_side(const P &a, const bi_kdtree_brown_segment &s,
                                                                typename P::key_type median, uint32_t first,
                                                                const typename P::entry &e, bool there)
{
    uint32_t path = 0;
#pragma unroll
    for (int j = 0; j < P::MOST; j++) {
        if (j >= a.depth()) break;
        const typename P::key_type own = __shfl_sync(~0u, median, (int)(first + (1u << j) - 1 + path)),
                                   key = a.key(e, j);
        uint32_t side = key > own;
        if (key == own && there) {
            side = bi_kdtree_brown_break_tie(a, e.row, bi_kdtree_brown_descendant(s, j, path).mid(), j);
            there = side != BI_KDTREE_NEITHER;
        }
        path = 2 * path + (side & 1);
    }
    return there ? path : BI_KDTREE_NEITHER;
}

/* The entries that a lane reads at once. */
template <class P> struct bi_kdtree_brown_batch {
    typename P::entry e[BI_KDTREE_BROWN_EACH];

    __device__ __forceinline__ void read(const typename P::entry *from, uint32_t begin, uint32_t end)
    {
#pragma unroll
        for (uint32_t k = 0; k < BI_KDTREE_BROWN_EACH; k++) {
            const uint32_t i = 32 * k + threadIdx.x % 32;
            e[k] = typename P::entry{};
            if (i < end - begin) e[k] = from[begin + i];
        }
    }
};

/* Calls process(entry, side) for the references [begin, end) of a segment, 32 at a time; called by a warp. The next
 * batch is read before this one is processed, so that loads overlap. */
template <class P, class PROCESS>
static __device__ __forceinline__ void bi_kdtree_brown_for_each(const P &a, const bi_kdtree_brown_segment &s,
                                                                uint32_t begin, uint32_t end, const PROCESS &process)
{
    bi_kdtree_brown_batch<P> now, next;
    now.read(a.from, begin, end);
    const typename P::key_type median = bi_kdtree_brown_median(a, s, threadIdx.x % 32);
    while (begin < end) {
        const uint32_t after = begin + min((uint32_t)BI_KDTREE_BROWN_ROUND, end - begin);
        next.read(a.from, after, end);
#pragma unroll
        for (uint32_t k = 0; k < BI_KDTREE_BROWN_EACH; k++) {
            if (32 * k >= end - begin) break;
            const bool there = 32 * k + threadIdx.x % 32 < end - begin;
            process(now.e[k], bi_kdtree_brown_side(a, s, median, 0, now.e[k], there));
        }
        now = next;
        begin = after;
    }
}

/* Scatters the references [begin, end) of a segment to its sides; lane i holds the next position of side i. */
template <class P>
static __device__ __forceinline__ void bi_kdtree_brown_scatter(const P &a, const bi_kdtree_brown_segment &s,
                                                               uint32_t begin, uint32_t end, uint32_t side_at)
{
    bi_kdtree_brown_for_each(a, s, begin, end, [&](const typename P::entry &e, uint32_t side) {
        const bi_kdtree_brown_ballots ballots = bi_kdtree_brown_ballot_sides(side);
        const uint32_t at = __shfl_sync(~0u, side_at, (int)(side % BI_KDTREE_BROWN_SIDES));
        if (side < BI_KDTREE_NEITHER) a.to[at + (uint32_t)__popc(ballots.on(side) & bi_lanes_below())] = e;
        side_at += (uint32_t)__popc(ballots.on(threadIdx.x % BI_KDTREE_BROWN_SIDES));
    });
}

/* A piece of a segment, processed by a warp. */
struct bi_kdtree_brown_piece {
    uint32_t segment, index, begin, end;
    bi_kdtree_brown_segment of;
};

template <class P>
static __device__ __forceinline__ bool bi_kdtree_brown_piece_of(const P &a, bi_kdtree_brown_piece *piece)
{
    const int64_t warp = bi_kdtree_brown_warp();
    if (warp >> a.level >= a.pieces) return false;
    piece->segment = (uint32_t)warp / a.pieces; /* fits 32 bits, as a piece has more than one reference */
    piece->index = (uint32_t)warp - piece->segment * a.pieces;
    piece->of = a.segment(piece->segment);
    const uint32_t from = piece->index * a.size, size = piece->of.parts - 1;
    piece->begin = piece->of.begin + min(from, size);
    piece->end = piece->begin + min(a.size, size - min(from, size));
    return true;
}

/* Returns the index of the first count of the lane's side of a segment. */
template <class P> static __device__ __forceinline__ size_t bi_kdtree_brown_counts_at(const P &a, uint32_t segment)
{
    return (((size_t)segment << a.depth()) + threadIdx.x % 32) * a.pieces;
}

/* Many warps a segment, first pass: counts the references of each piece on each side. */
template <class P>
static __global__ void __launch_bounds__(BI_KDTREE_BROWN_THREADS) bi_kdtree_brown_count_pieces(const P a)
{
    bi_kdtree_brown_piece p;
    if (!bi_kdtree_brown_piece_of(a, &p)) return;
    uint32_t count = 0;
    bi_kdtree_brown_for_each(a, p.of, p.begin, p.end, [&](const typename P::entry &, uint32_t side) {
        count += (uint32_t)__popc(bi_kdtree_brown_ballot_sides(side).on(threadIdx.x % BI_KDTREE_BROWN_SIDES));
    });
    if (threadIdx.x % 32 < 1u << a.depth()) a.counts[bi_kdtree_brown_counts_at(a, p.segment) + p.index] = count;
}

/* Many warps a segment, second pass: scatters each piece behind the pieces before it. */
template <class P>
static __global__ void __launch_bounds__(BI_KDTREE_BROWN_THREADS) bi_kdtree_brown_partition_pieces(const P a)
{
    bi_kdtree_brown_piece p;
    if (!bi_kdtree_brown_piece_of(a, &p)) return;
    uint32_t side_at = 0;
    if (threadIdx.x % 32 < 1u << a.depth()) {
        const size_t counts = bi_kdtree_brown_counts_at(a, p.segment);
        side_at = bi_kdtree_brown_descendant(p.of, a.depth(), threadIdx.x % 32).begin +
                  a.exclusive_prefix[counts + p.index] - a.exclusive_prefix[counts];
    }
    bi_kdtree_brown_scatter(a, p.of, p.begin, p.end, side_at);
}

/* A warp a segment. */
template <class P>
static __global__ void __launch_bounds__(BI_KDTREE_BROWN_THREADS) bi_kdtree_brown_partition_by_warps(const P a)
{
    const int64_t segment = bi_kdtree_brown_warp();
    if (segment >> a.level) return;
    const bi_kdtree_brown_segment s = a.segment((uint32_t)segment);
    uint32_t side_at = 0;
    if (threadIdx.x % 32 < 1u << a.depth()) side_at = bi_kdtree_brown_descendant(s, a.depth(), threadIdx.x % 32).begin;
    bi_kdtree_brown_scatter(a, s, s.begin, s.end(), side_at);
}

/* 32, 16, 8 or 4 lanes a segment, which has no more references than that. */
template <class P>
static __global__ void __launch_bounds__(BI_KDTREE_BROWN_THREADS)
    bi_kdtree_brown_partition_by_lanes(const P a, const uint32_t lanes)
{
    const int64_t thread = blockIdx.x * (int64_t)BI_KDTREE_BROWN_THREADS + threadIdx.x, segment = thread / lanes;
    const uint32_t lane = threadIdx.x % lanes, first = threadIdx.x % 32 - lane;
    /* 1. Each lane reads a reference, and a median of its segment. */
    bi_kdtree_brown_segment s = {0, 1};
    if (!(segment >> a.level)) s = a.segment((uint32_t)segment);
    typename P::entry e = {};
    const bool there = lane < s.parts - 1;
    if (there) e = a.from[s.begin + lane];
    const typename P::key_type median =
        segment >> a.level ? (typename P::key_type)0 : bi_kdtree_brown_median(a, s, lane);
    /* 2. Find its side, and its rank there: lanes of the same segment are adjacent. */
    const uint32_t side = bi_kdtree_brown_side(a, s, median, first, e, there);
    const uint32_t exclusive_prefix = bi_kdtree_brown_ballot_sides(side).on(side) & bi_lanes_below();
    if (side < BI_KDTREE_NEITHER)
        a.to[bi_kdtree_brown_descendant(s, a.depth(), side).begin + (uint32_t)__popc(exclusive_prefix >> first)] = e;
}

#endif
