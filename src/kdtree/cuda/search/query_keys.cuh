/* The keys by which queries are sorted, so that the threads of a warp walk nearly the same path. The key of a query is
 * its subtree. This separates far queries badly: many fall into the same corner leaf. If there are many far queries,
 * their keys are cells of a grid over the box of all nodes, and they come first. A few far queries stay among the
 * others, as a warp of them alone would take longer than all others. */
#ifndef BI_KDTREE_CUDA_SEARCH_QUERY_KEYS_CUH
#define BI_KDTREE_CUDA_SEARCH_QUERY_KEYS_CUH

#include "kdtree/cuda/search/index_walk.cuh"

enum {
    BI_KDTREE_CELL_BITS = 15, /* of a cell or subtree; the bit above is 1 for subtrees */
    BI_KDTREE_LARGE_LEAF = 16 /* squared distance of its farthest corner, in units of far_beyond: four sides of a cell.
                               * Less: more queries count as far. Other factors are not measured */
};

/* True if a key is that of a cell. */
static __device__ __forceinline__ bool bi_kdtree_has_cell(uint32_t key) { return !(key >> BI_KDTREE_CELL_BITS); }

/* The level of the subtrees in keys: that of leaves, but at most TOP_LEVELS, so that the planes above fit the shared
 * memory of a block. */
template <class T> constexpr int BI_KDTREE_TOP_LEVELS = sizeof(T) == 4 ? 13 : 12;
template <class T> static __host__ __device__ __forceinline__ int bi_kdtree_prefix_levels(int levels)
{
    return levels < BI_KDTREE_TOP_LEVELS<T> ? levels : BI_KDTREE_TOP_LEVELS<T>;
}
static __device__ __forceinline__ uint32_t bi_kdtree_prefix_of(uint32_t key, int levels)
{
    return (key & ((1u << BI_KDTREE_CELL_BITS) - 1)) >> (BI_KDTREE_CELL_BITS - levels);
}

template <class T> struct bi_kdtree_tops {
    T split[1 << BI_KDTREE_TOP_LEVELS<T>]; /* of the nodes above that level, by heap index + 1 */
};

/* Returns the subtree of level `levels` that q falls into, by the planes above, which are in shared memory. */
template <class T, int DIM>
__device__ __forceinline__ uint32_t bi_kdtree_subtree_below_planes(const bi_kdtree_cuda_index &index,
                                                                   const bi_kdtree_tops<T> &tops, uint32_t odd_levels,
                                                                   int levels,
                                                                   const typename bi_kdtree_distance_of<T>::type *q)
{
    typedef typename bi_kdtree_distance_of<T>::type D;
    uint32_t at = 1;
#pragma unroll
    for (int level = 0; level < BI_KDTREE_TOP_LEVELS<T>; level++) {
        if (level >= levels) break;
        const int c = odd_levels >> level & 1 ? index.axes[at - 1] : level % DIM;
        at = 2 * at + (bi_kdtree_component<D, DIM>(q, c) > (D)tops.split[at]);
    }
    return at - (1u << levels);
}

/* The subtree of a level that a query falls into, and the squared distances of its nearest and farthest corners, by the
 * intervals on the way. */
template <class D, int DIM> struct bi_kdtree_query_location {
    uint32_t subtree;
    bi_kdtree_path<D, DIM> nearest, farthest;
};

/* Descends from a subtree of level `from` to level `to`. The loop is not unrolled, which would cost registers. */
template <class T, int DIM>
__device__ __forceinline__ bi_kdtree_query_location<typename bi_kdtree_distance_of<T>::type, DIM>
bi_kdtree_locate(const bi_kdtree_cuda_index &index, const typename bi_kdtree_distance_of<T>::type *q, uint32_t subtree,
                 int from, int to)
{
    typedef typename bi_kdtree_distance_of<T>::type D;
    const uint32_t odd_levels = static_cast<const bi_kdtree_root<T, DIM> *>(index.root)->odd_levels;
    bi_kdtree_query_location<D, DIM> location = {};
    uint32_t h = subtree + (1u << from) - 1;
#pragma unroll 1
    for (int level = from, d = from % DIM; level < to; level++, d = d + 1 == DIM ? 0 : d + 1) {
        const int c = odd_levels >> level & 1 ? index.axes[h] : d;
        const bi_kdtree_sides<T> s = static_cast<const bi_kdtree_sides<T> *>(index.sides)[h];
        const D x = bi_kdtree_component<D, DIM>(q, c);
        const bool greater = bi_kdtree_greater_is_nearer<T, D>(x, s);
        const D low = (D)(greater ? s.beyond : s.low), high = (D)(greater ? s.high : s.split);
        const D away = x - low > high - x ? x - low : high - x;
        location.nearest = location.nearest.with(c, bi_kdtree_gap<D>(x, low, high));
        location.farthest = location.farthest.with(c, away * away);
        h = 2 * h + 1 + greater;
    }
    location.subtree = h + 1 - (1u << to);
    return location;
}

/* Returns the squared distance beyond which queries are far: about the side of a cell, or some sides of a leaf of
 * uniform nodes: the mean squared extent over 4^(bits of a coordinate). */
template <class T, int DIM>
__device__ __forceinline__ typename bi_kdtree_distance_of<T>::type
bi_kdtree_far_beyond(const bi_kdtree_root<T, DIM> &root, int levels)
{
    typedef typename bi_kdtree_distance_of<T>::type D;
    const int bits = levels - DIM < BI_KDTREE_CELL_BITS ? levels - DIM : BI_KDTREE_CELL_BITS;
    D sum = 0;
#pragma unroll
    for (int c = 0; c < DIM; c++) {
        const D extent = (D)root.box.high[c] - (D)root.box.low[c];
        sum += extent * extent;
    }
    return sum / (D)((uint32_t)DIM << (bits > 0 ? 2 * bits / DIM : 0));
}

/* Returns the cell of a query: coordinate bits interleaved (Morton order), the highest first. */
template <class T, int DIM>
__device__ __forceinline__ uint32_t bi_kdtree_cell_of(const bi_kdtree_root<T, DIM> &root,
                                                      const typename bi_kdtree_distance_of<T>::type *q)
{
    typedef typename bi_kdtree_distance_of<T>::type D;
    uint32_t at[DIM], cell = 0;
#pragma unroll
    for (int c = 0; c < DIM; c++) {
        const D low = (D)root.box.low[c], extent = (D)root.box.high[c] - low;
        at[c] = (uint32_t)(fminf(fmaxf((float)((q[c] - low) / extent), 0.0f), 1.0f) * ((1 << BI_KDTREE_CELL_BITS) - 1));
    }
#pragma unroll
    for (int i = 0; i < BI_KDTREE_CELL_BITS; i++)
        cell = cell << 1 | (at[i % DIM] >> (BI_KDTREE_CELL_BITS - 1 - i / DIM) & 1);
    return cell;
}

/* True if a query is far from all nodes, or in a leaf so large that it spans clusters. */
template <class T, int DIM>
__device__ __forceinline__ bool bi_kdtree_is_far(const bi_kdtree_cuda_index &index,
                                                 const typename bi_kdtree_distance_of<T>::type *q)
{
    typedef typename bi_kdtree_distance_of<T>::type D;
    const bi_kdtree_root<T, DIM> &root = *static_cast<const bi_kdtree_root<T, DIM> *>(index.root);
    const bi_kdtree_query_location<D, DIM> location = bi_kdtree_locate<T, DIM>(index, q, 0, 0, index.levels);
    const D beyond = bi_kdtree_far_beyond<T, DIM>(root, index.levels);
    return location.nearest.bound() > beyond || location.farthest.bound() > BI_KDTREE_LARGE_LEAF * beyond;
}

/* Returns the key of queries in a subtree of the level of keys. */
static __device__ __forceinline__ uint32_t bi_kdtree_key_of(uint32_t subtree, int levels)
{
    return 1u << BI_KDTREE_CELL_BITS | subtree << (BI_KDTREE_CELL_BITS - levels);
}

#endif
