/* The index of trees in the order by widest extent (select_order.cu): an implicit heap above leaves. Leaf i holds the
 * nodes from 32 i on, 32 of them, fewer at the end, or none. Node 1 is the root, node h has the children 2 h and
 * 2 h + 1, and leaf i is heap node 2^levels + i. A heap node has the smallest box around its nodes; no node lies
 * between leaves. */
#ifndef BI_KDTREE_CUDA_SEARCH_EXTENT_INDEX_CUH
#define BI_KDTREE_CUDA_SEARCH_EXTENT_INDEX_CUH

#include "kdtree/cuda/search/extent_order.cuh"
#include "kdtree/cuda/search/index.cuh"

enum {
    BI_KDTREE_EXTENT_LEAF = BI_KDTREE_RUN, /* nodes of a leaf, which is a run of the order: one a lane */
    BI_KDTREE_SPLIT_LEVELS = 13            /* levels whose splits fit the shared memory of a block: 32 KB */
};

static_assert((int)BI_KDTREE_EXTENT_LEAF == (int)BI_KDTREE_CUDA_LEAF, "searches read leaves of one size");

/* A box. Of F32 points it holds their coordinates. Of other types it holds floats relative to an origin, rounded
 * outward: half the memory of doubles, and no worse bounds. See bi_kdtree_box_reader. */
template <int DIM> struct alignas(8) bi_kdtree_float_box {
    float low[DIM], high[DIM];
};

/* The boxes of the children of a heap node. */
template <int DIM> struct alignas(16) bi_kdtree_box_pair {
    bi_kdtree_float_box<DIM> child[2];
};

/* Returns the smallest box around two. */
template <int DIM>
__device__ __forceinline__ bi_kdtree_float_box<DIM> bi_kdtree_join(const bi_kdtree_float_box<DIM> &a,
                                                                   const bi_kdtree_float_box<DIM> &b)
{
    bi_kdtree_float_box<DIM> box;
#pragma unroll
    for (int c = 0; c < DIM; c++) {
        box.low[c] = b.low[c] < a.low[c] ? b.low[c] : a.low[c];
        box.high[c] = b.high[c] > a.high[c] ? b.high[c] : a.high[c];
    }
    return box;
}

/* Returns the coordinate in which a box is widest. */
template <int DIM> __device__ __forceinline__ int bi_kdtree_widest(const bi_kdtree_float_box<DIM> &box)
{
    int axis = 0;
    float most = box.high[0] - box.low[0];
#pragma unroll
    for (int c = 1; c < DIM; c++) {
        const float extent = box.high[c] - box.low[c];
        axis = extent > most ? c : axis;
        most = extent > most ? extent : most;
    }
    return axis;
}

/* Returns the origin of a coordinate of boxes. Relative to the middle node, floats resolve the extent of all nodes, not
 * their distance from zero. */
template <class T, int DIM>
__device__ __forceinline__ void bi_kdtree_load_origin(const bi_kdtree_array &nodes, uint32_t n,
                                                      typename bi_kdtree_distance_of<T>::type *origin)
{
    typedef typename bi_kdtree_distance_of<T>::type D;
    const bi_kdtree_node<T, DIM> p = bi_kdtree_node_reader<T, DIM>::load(nodes, n / 2);
#pragma unroll
    for (int c = 0; c < DIM; c++) {
        const D x = (D)p.x[c];
        origin[c] = x - x == 0 ? x : (D)0; /* an infinite node is no origin */
    }
}

/* Returns the float next to f towards -infinity (`up`: +infinity). */
__device__ __forceinline__ float bi_kdtree_next_float(float f, bool up)
{
    if (f == 0) return bi_f32_from_bits(up ? 1 : 0x80000001u);
    return bi_f32_from_bits(bi_f32_bits(f) + ((f > 0) == up ? 1 : -1));
}

/* Return the low and the high bound of a box around x alone: origin + bound, as computed, is not beyond x. A float has
 * fewer bits than the error of x - origin, so a loop takes two turns at most. */
__device__ __forceinline__ float bi_kdtree_round_low(double origin, double x)
{
    float f = (float)(x - origin);
    while (origin + (double)f > x) f = bi_kdtree_next_float(f, false);
    return f;
}
__device__ __forceinline__ float bi_kdtree_round_high(double origin, double x)
{
    float f = (float)(x - origin);
    while (origin + (double)f < x) f = bi_kdtree_next_float(f, true);
    return f;
}

/* Reads boxes in the type of distances. A bound is computed by the operations of the distance, in their order, and
 * rounding is monotonic: no computed distance of a node in the box is less. */
template <class T, int DIM> struct bi_kdtree_box_reader {
    typedef typename bi_kdtree_distance_of<T>::type D;
    typedef bi_kdtree_float_box<DIM> box;
    enum { EXACT = sizeof(D) == 4 }; /* floats have no origin */

    const bi_kdtree_box_pair<DIM> *pairs;
    D origin[EXACT ? 1 : DIM];

    __device__ __forceinline__ bi_kdtree_box_reader(const bi_kdtree_array &nodes, const bi_kdtree_extent_index &index,
                                                    uint32_t n)
        : pairs(static_cast<const bi_kdtree_box_pair<DIM> *>(index.pairs))
    {
        if constexpr (!EXACT) bi_kdtree_load_origin<T, DIM>(nodes, n, origin);
    }

    __device__ __forceinline__ box of(uint32_t h) const { return pairs[h / 2].child[h % 2]; }
    __device__ __forceinline__ D low(const box &b, int c) const
    {
        if constexpr (EXACT) return b.low[c];
        return origin[EXACT ? 0 : c] + (D)b.low[c];
    }
    __device__ __forceinline__ D high(const box &b, int c) const
    {
        if constexpr (EXACT) return b.high[c];
        return origin[EXACT ? 0 : c] + (D)b.high[c];
    }

    /* Returns a coordinate in the numbers that boxes hold. */
    __device__ __forceinline__ float relative(D x, int c) const
    {
        if constexpr (EXACT) return x;
        return (float)(x - origin[EXACT ? 0 : c]);
    }

    /* Returns the squared distance of q from a box; infinite if it is NaN, as all distances of nodes then are. */
    __device__ __forceinline__ D bound(const box &b, const D *q) const
    {
        D s = bi_kdtree_gap<D>(q[0], low(b, 0), high(b, 0));
#pragma unroll
        for (int c = 1; c < DIM; c++) s = s + bi_kdtree_gap<D>(q[c], low(b, c), high(b, c));
        return s == s ? s : (D)INFINITY;
    }

    /* Returns the squared distance of q from the farthest corner of a box. */
    __device__ __forceinline__ D farthest(const box &b, const D *q) const
    {
        D s = 0;
#pragma unroll
        for (int c = 0; c < DIM; c++) {
            const D below = q[c] - low(b, c), above = high(b, c) - q[c], away = below > above ? below : above;
            s = c == 0 ? away * away : s + away * away;
        }
        return s;
    }

    /* Returns the child of h that is nearer to q; of two as near the first: its ids are smaller if points coincide. */
    __device__ __forceinline__ uint32_t nearer_child(uint32_t h, const D *q) const
    {
        const bi_kdtree_box_pair<DIM> p = pairs[h];
        return 2 * h + (bound(p.child[1], q) < bound(p.child[0], q));
    }
};

/* Returns the arrays of the index in a block at `base`; *bytes = its size. An entry of tops has a box and an id. Heap
 * nodes of the lowest 3 levels have the floor of an ancestor, as in bi_kdtree_cuda_index_at. */
static inline bi_kdtree_extent_index bi_kdtree_extent_index_at(char *base, const bosc_kdtree_opts *opts, int64_t n,
                                                               size_t *bytes)
{
    bi_kdtree_extent_index index = {};
    const size_t box = 2 * sizeof(float) * (size_t)opts->dim;
    while ((int64_t)BI_KDTREE_EXTENT_LEAF << index.levels < n) index.levels++;
    index.floor_levels = index.levels > 3 ? index.levels - 3 : 0;
    index.split_levels = index.levels < BI_KDTREE_SPLIT_LEVELS ? index.levels : BI_KDTREE_SPLIT_LEVELS;
    const size_t leaves = (size_t)1 << index.levels;
    const size_t tops = index.levels > BI_KDTREE_INDEX_BLOCK_LEVELS ? leaves >> BI_KDTREE_INDEX_BLOCK_LEVELS : 1;
    index.pairs = base;
    index.tops = base + leaves * 2 * box; /* two arrays: input and output of a launch */
    index.splits = reinterpret_cast<uint32_t *>(static_cast<char *>(index.tops) + 2 * tops * (box + 8));
    index.floors = index.splits + ((size_t)1 << index.split_levels);
    *bytes = (size_t)(reinterpret_cast<char *>(index.floors + ((size_t)2 << index.floor_levels)) - base);
    return index;
}

static inline bi_kdtree_extent_index bi_kdtree_extent_index_of(const bosc_kdtree *order)
{
    size_t bytes;
    return bi_kdtree_extent_index_at(static_cast<char *>(order->index.data), &order->opts, order->nodes, &bytes);
}

/* Return the first node of a leaf among n, n if it is behind the last node, and the nodes of the leaf that begins
 * there. */
__device__ __forceinline__ uint32_t bi_kdtree_begin_of_leaf(uint32_t leaf, uint32_t n)
{
    return leaf <= n / BI_KDTREE_EXTENT_LEAF ? leaf * BI_KDTREE_EXTENT_LEAF : n;
}
__device__ __forceinline__ uint32_t bi_kdtree_size_of_leaf(uint32_t begin, uint32_t n)
{
    return min(n - begin, (uint32_t)BI_KDTREE_EXTENT_LEAF);
}

__device__ __forceinline__ int bi_kdtree_level_of(uint32_t h) { return 31 - __clz((int)h); }

/* Returns a lower bound of the ids of the nodes below h. */
__device__ __forceinline__ uint32_t bi_kdtree_floor_of(const bi_kdtree_extent_index &index, uint32_t h)
{
    return index.floors[h >> max(bi_kdtree_level_of(h) - index.floor_levels, 0)];
}

/* Makes order->index from the nodes of the order. Queues; does not wait. */
bosc_status bi_kdtree_make_extent_index(bosc_ctx *ctx, const bosc_kdtree *order);

#endif
