/* The published partitioners: each spreads the references of all segments of a level around their medians, all sides at
 * once by ballot and population count, the medians dropped. One is chosen a list, by the size of segments.
 *
 * A list waits until its own level is next. Only then it is partitioned, around the medians of all levels since: one
 * pass over it in place of one a level, and every list is in its segments when its medians are taken. Beside each
 * reference go the keys of the coordinates that those levels compare, so that a pass reads and writes lists in order;
 * where there would be more than MOST of them they are read from the rows. */
#ifndef BI_KDTREE_CUDA_BROWN_PARTITION_KERNELS_CUH
#define BI_KDTREE_CUDA_BROWN_PARTITION_KERNELS_CUH

#include "kdtree/cuda/brown/brown.cuh"

enum {
    BI_KDTREE_BROWN_MOST = 3,
    BI_KDTREE_BROWN_SIDES = 1 << BI_KDTREE_BROWN_MOST
}; /* levels of a pass, their sides */

/* The most bytes that an entry of so many can be aligned to, so that it moves in few parts. */
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

/* A segment, as bi_kdtree_range, by one more than its size: that is what halves evenly. */
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

/* The segment `levels` below s whose number among those is `which`. */
static __device__ __forceinline__ bi_kdtree_brown_segment bi_kdtree_brown_below(bi_kdtree_brown_segment s,
                                                                                int32_t levels, uint32_t which)
{
    for (int32_t bit = levels - 1; bit >= 0; bit--) s = s.side(which >> bit & 1);
    return s;
}

/* A pass over a list: from the segments of `level` to those of `level + levels`. Places in lists are those of nodes,
 * and the places of medians of former levels are holes. */
template <class K, int C> struct bi_kdtree_brown_task {
    bi_superkey<K> by; /* from the coordinate of `level` on */
    uint32_t n;
    int32_t level, levels;
    const uint32_t *order; /* the references of nodes */
    const K *nodes;        /* and their rows */
    const bi_kdtree_brown_entry<K, C> *from;
    bi_kdtree_brown_entry<K, C> *to;
    uint32_t size, pieces;  /* of a piece, where segments are in pieces; in a segment */
    uint32_t *counts;       /* by segment, side and piece: how many */
    const uint32_t *before; /* and in all before */
};

/* As kernels see it. ALL: it divides by all keys that are beside a reference; else by the last `levels` of them. */
template <class K, int C, bool ALL> struct bi_kdtree_brown_pass : bi_kdtree_brown_task<K, C> {
    typedef K key_type;
    typedef bi_kdtree_brown_entry<K, C> entry;
    static constexpr int MOST = C > 0 ? C : BI_KDTREE_BROWN_MOST;

    __device__ __forceinline__ int32_t depth() const { return ALL ? C : this->levels; }

    __device__ __forceinline__ int32_t coordinate(int32_t j) const
    {
        const int32_t c = this->by.first + j;
        return c < this->by.dim ? c : c - this->by.dim;
    }

    __device__ __forceinline__ bi_kdtree_brown_segment segment(uint32_t which) const
    {
        return bi_kdtree_brown_below({0, this->n + 1}, this->level, which);
    }

    /* The key that level + j compares. */
    __device__ __forceinline__ K key(const entry &e, int32_t j) const
    {
        if constexpr (C == 0) {
            return bi_ordered(this->by.points[e.row * this->by.stride + coordinate(j)], this->by.kind);
        } else if constexpr (ALL) {
            return e.key[j];
        } else {
            return e.key[C - this->levels + j]; /* of few passes: entries stand in local memory for it */
        }
    }

    __device__ __forceinline__ K node_key(uint32_t node, int32_t j) const
    {
        return bi_ordered(this->nodes[(size_t)node * this->by.dim + coordinate(j)], this->by.kind);
    }
};

static const uint32_t BI_KDTREE_LESS = 0, BI_KDTREE_GREATER = 1, BI_KDTREE_NEITHER = BI_KDTREE_BROWN_SIDES;

/* On which side of the node of level + j a row stands whose key is that node's. */
template <class P> static __device__ uint32_t bi_kdtree_brown_tie(const P &a, uint32_t row, uint32_t node, int32_t j)
{
    const uint32_t median = a.order[node];
    if (row == median) return BI_KDTREE_NEITHER;
    bi_superkey<typename P::key_type> by = a.by;
    by.first = a.coordinate(j);
    const int order = by.compare_rest(row, median);
    return (order ? order < 0 : row < median) ? BI_KDTREE_LESS : BI_KDTREE_GREATER;
}

/* What 32 references have on each side, as every lane sees it. */
struct bi_kdtree_brown_round {
    uint32_t some, bit[BI_KDTREE_BROWN_MOST]; /* lanes: that have a side, and by the bits of its number */

    /* The lanes whose reference is on the side. */
    __device__ __forceinline__ uint32_t on(uint32_t side) const
    {
        uint32_t lanes = some;
#pragma unroll
        for (int b = 0; b < BI_KDTREE_BROWN_MOST; b++) lanes &= side >> b & 1 ? bit[b] : ~bit[b];
        return lanes;
    }
};

static __device__ __forceinline__ bi_kdtree_brown_round bi_kdtree_brown_vote(uint32_t side)
{
    bi_kdtree_brown_round round;
    round.some = __ballot_sync(~0u, side < BI_KDTREE_NEITHER);
#pragma unroll
    for (int b = 0; b < BI_KDTREE_BROWN_MOST; b++) round.bit[b] = __ballot_sync(~0u, side >> b & 1);
    return round;
}

/* The keys of the nodes of a segment, and of the levels below it that a pass divides by, as an implicit heap: this
 * lane's of the `lane`s that share the segment. */
template <class P>
static __device__ __forceinline__ typename P::key_type
bi_kdtree_brown_median(const P &a, const bi_kdtree_brown_segment &s, uint32_t lane)
{
    const int32_t j = 31 - __clz((int)(lane + 1));
    return j < a.depth() ? a.node_key(bi_kdtree_brown_below(s, j, lane + 1 - (1u << j)).mid(), j)
                         : (typename P::key_type)0;
}

/* The side of a reference of the segment, if it is there. The whole warp calls it; lane first + i has median i. */
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
            side = bi_kdtree_brown_tie(a, e.row, bi_kdtree_brown_below(s, j, path).mid(), j);
            there = side != BI_KDTREE_NEITHER;
        }
        path = 2 * path + (side & 1);
    }
    return there ? path : BI_KDTREE_NEITHER;
}

/* What a lane reads at once. */
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

/* Calls take(entry, side) for the references [begin, end) of a segment, 32 at a time, by a warp. What comes next is
 * read before it is needed. */
template <class P, class TAKE>
static __device__ __forceinline__ void bi_kdtree_brown_rounds(const P &a, const bi_kdtree_brown_segment &s,
                                                              uint32_t begin, uint32_t end, const TAKE &take)
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
            take(now.e[k], bi_kdtree_brown_side(a, s, median, 0, now.e[k], there));
        }
        now = next;
        begin = after;
    }
}

/* Spreads the references [begin, end) of a segment to its sides; lane i knows where side i goes on. */
template <class P>
static __device__ __forceinline__ void bi_kdtree_brown_spread(const P &a, const bi_kdtree_brown_segment &s,
                                                              uint32_t begin, uint32_t end, uint32_t side_at)
{
    bi_kdtree_brown_rounds(a, s, begin, end, [&](const typename P::entry &e, uint32_t side) {
        const bi_kdtree_brown_round round = bi_kdtree_brown_vote(side);
        const uint32_t at = __shfl_sync(~0u, side_at, (int)(side % BI_KDTREE_BROWN_SIDES));
        if (side < BI_KDTREE_NEITHER) a.to[at + (uint32_t)__popc(round.on(side) & bi_lanes_below())] = e;
        side_at += (uint32_t)__popc(round.on(threadIdx.x % BI_KDTREE_BROWN_SIDES));
    });
}

/* A piece of a segment, a warp each. */
struct bi_kdtree_brown_piece {
    uint32_t segment, index, begin, end;
    bi_kdtree_brown_segment of;
};

template <class P>
static __device__ __forceinline__ bool bi_kdtree_brown_piece_of(const P &a, bi_kdtree_brown_piece *piece)
{
    const int64_t warp = bi_kdtree_brown_warp();
    if (warp >> a.level >= a.pieces) return false;
    piece->segment = (uint32_t)warp / a.pieces; /* a piece has more than one reference */
    piece->index = (uint32_t)warp - piece->segment * a.pieces;
    piece->of = a.segment(piece->segment);
    const uint32_t from = piece->index * a.size, size = piece->of.parts - 1;
    piece->begin = piece->of.begin + min(from, size);
    piece->end = piece->begin + min(a.size, size - min(from, size));
    return true;
}

/* Where the counts of the lane's side of a segment begin. */
template <class P> static __device__ __forceinline__ size_t bi_kdtree_brown_counts_at(const P &a, uint32_t segment)
{
    return (((size_t)segment << a.depth()) + threadIdx.x % 32) * a.pieces;
}

/* Many warps a segment: how many of each piece are on each side. */
template <class P>
static __global__ void __launch_bounds__(BI_KDTREE_BROWN_THREADS) bi_kdtree_brown_count_pieces(const P a)
{
    bi_kdtree_brown_piece p;
    if (!bi_kdtree_brown_piece_of(a, &p)) return;
    uint32_t count = 0;
    bi_kdtree_brown_rounds(a, p.of, p.begin, p.end, [&](const typename P::entry &, uint32_t side) {
        count += (uint32_t)__popc(bi_kdtree_brown_vote(side).on(threadIdx.x % BI_KDTREE_BROWN_SIDES));
    });
    if (threadIdx.x % 32 < 1u << a.depth()) a.counts[bi_kdtree_brown_counts_at(a, p.segment) + p.index] = count;
}

/* The second pass: pieces go to the sides of their segment, each after those before it. */
template <class P>
static __global__ void __launch_bounds__(BI_KDTREE_BROWN_THREADS) bi_kdtree_brown_partition_pieces(const P a)
{
    bi_kdtree_brown_piece p;
    if (!bi_kdtree_brown_piece_of(a, &p)) return;
    uint32_t side_at = 0;
    if (threadIdx.x % 32 < 1u << a.depth()) {
        const size_t counts = bi_kdtree_brown_counts_at(a, p.segment);
        side_at = bi_kdtree_brown_below(p.of, a.depth(), threadIdx.x % 32).begin + a.before[counts + p.index] -
                  a.before[counts];
    }
    bi_kdtree_brown_spread(a, p.of, p.begin, p.end, side_at);
}

/* A warp a segment. */
template <class P>
static __global__ void __launch_bounds__(BI_KDTREE_BROWN_THREADS) bi_kdtree_brown_partition_by_warps(const P a)
{
    const int64_t segment = bi_kdtree_brown_warp();
    if (segment >> a.level) return;
    const bi_kdtree_brown_segment s = a.segment((uint32_t)segment);
    uint32_t side_at = 0;
    if (threadIdx.x % 32 < 1u << a.depth()) side_at = bi_kdtree_brown_below(s, a.depth(), threadIdx.x % 32).begin;
    bi_kdtree_brown_spread(a, s, s.begin, s.end(), side_at);
}

/* 32, 16, 8 or 4 lanes a segment, which has no more references than that. */
template <class P>
static __global__ void __launch_bounds__(BI_KDTREE_BROWN_THREADS)
    bi_kdtree_brown_partition_by_lanes(const P a, const uint32_t lanes)
{
    const int64_t thread = blockIdx.x * (int64_t)BI_KDTREE_BROWN_THREADS + threadIdx.x, segment = thread / lanes;
    const uint32_t lane = threadIdx.x % lanes, first = threadIdx.x % 32 - lane;
    bi_kdtree_brown_segment s = {0, 1};
    if (!(segment >> a.level)) s = a.segment((uint32_t)segment);
    typename P::entry e = {};
    const bool there = lane < s.parts - 1;
    if (there) e = a.from[s.begin + lane];
    const typename P::key_type median =
        segment >> a.level ? (typename P::key_type)0 : bi_kdtree_brown_median(a, s, lane);
    const uint32_t side = bi_kdtree_brown_side(a, s, median, first, e, there);
    const uint32_t before = bi_kdtree_brown_vote(side).on(side) & bi_lanes_below();
    if (side < BI_KDTREE_NEITHER)
        a.to[bi_kdtree_brown_below(s, a.depth(), side).begin + (uint32_t)__popc(before >> first)] = e;
}

#endif
