/* The keys by which queries are sorted, so that the threads of a warp walk nearly the same path. The key of a query is
 * its subtree. This separates far queries badly: many fall into the same corner leaf. If there are many far queries,
 * their keys are cells of a grid over the box of all nodes, and they come first. A few far queries stay among the
 * others, as a warp of them alone would take longer than all others. */
#ifndef BI_KDTREE_CUDA_SEARCH_QUERY_KEYS_CUH
#define BI_KDTREE_CUDA_SEARCH_QUERY_KEYS_CUH

#include "kdtree/cuda/search/extent_index.cuh"
#include "kdtree/cuda/search/index_walk.cuh"

enum {
    BI_KDTREE_CELL_BITS = 15, /* of a cell or subtree; the bit above is 1 for subtrees */
    BI_KDTREE_LARGE_LEAF = 16 /* squared distance of its farthest corner, in units of far_beyond: four sides of a cell.
                               * Less: more queries count as far. Other factors are not measured */
};

/* True if a key is that of a cell. */
static __device__ __forceinline__ bool bi_kdtree_has_cell(uint32_t key) { return !(key >> BI_KDTREE_CELL_BITS); }

/* Returns the squared distance beyond which queries are far: about the side of a cell, or some sides of a leaf of
 * uniform nodes: the mean squared extent of the box of all nodes over 4^(bits of a coordinate). */
template <class D, int DIM> __device__ __forceinline__ D bi_kdtree_far_beyond(const D *low, const D *high, int levels)
{
    const int bits = levels - DIM < BI_KDTREE_CELL_BITS ? levels - DIM : BI_KDTREE_CELL_BITS;
    D sum = 0;
#pragma unroll
    for (int c = 0; c < DIM; c++) {
        const D extent = high[c] - low[c];
        sum += extent * extent;
    }
    return sum / (D)((uint32_t)DIM << (bits > 0 ? 2 * bits / DIM : 0));
}

/* Returns the cell of a query in the box of all nodes: coordinate bits interleaved (Morton order), the highest
 * first. */
template <class D, int DIM>
__device__ __forceinline__ uint32_t bi_kdtree_cell_of(const D *low, const D *high, const D *q)
{
    uint32_t at[DIM], cell = 0;
#pragma unroll
    for (int c = 0; c < DIM; c++) {
        const D extent = high[c] - low[c];
        at[c] =
            (uint32_t)(fminf(fmaxf((float)((q[c] - low[c]) / extent), 0.0f), 1.0f) * ((1 << BI_KDTREE_CELL_BITS) - 1));
    }
#pragma unroll
    for (int i = 0; i < BI_KDTREE_CELL_BITS; i++)
        cell = cell << 1 | (at[i % DIM] >> (BI_KDTREE_CELL_BITS - 1 - i / DIM) & 1);
    return cell;
}

/* Returns the key of queries in a subtree of the level of keys. */
static __device__ __forceinline__ uint32_t bi_kdtree_key_of(uint32_t subtree, int levels)
{
    return 1u << BI_KDTREE_CELL_BITS | subtree << (BI_KDTREE_CELL_BITS - levels);
}

/* --- Nodes in the order of the tree ------------------------------------------------------------------------------- */

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

/* True if q, which lies on the plane of the node at a position, follows the node by the coordinates behind axis c, as
 * superkeys order the nodes of the plane. So a query begins in a leaf that has a copy of it, if any. Without branches,
 * as lanes would differ. */
template <class T, int DIM>
static __device__ __forceinline__ bool bi_kdtree_follows_node(const bi_kdtree_array &nodes, uint32_t position, int c,
                                                              const typename bi_kdtree_distance_of<T>::type *q)
{
    typedef typename bi_kdtree_distance_of<T>::type D;
    const bi_kdtree_node<T, DIM> node = bi_kdtree_node_reader<T, DIM>::load(nodes, position);
    bool follows = false;
#pragma unroll
    for (int i = DIM - 1; i > 0; i--) {
        const int next = c + i < DIM ? c + i : c + i - DIM;
        const D x = bi_kdtree_component<D, DIM>(q, next), y = (D)bi_kdtree_component<T, DIM>(node.x, next);
        follows = x > y || (x == y && follows);
    }
    return follows;
}

/* Returns the subtree of level `levels` that q falls into, by the planes above, which are in shared memory. */
template <class T, int DIM>
__device__ __forceinline__ uint32_t bi_kdtree_subtree_below_planes(const bi_kdtree_array &nodes, uint32_t n,
                                                                   const bi_kdtree_cuda_index &index,
                                                                   const bi_kdtree_tops<T> &tops, uint32_t odd_levels,
                                                                   int levels,
                                                                   const typename bi_kdtree_distance_of<T>::type *q)
{
    typedef typename bi_kdtree_distance_of<T>::type D;
    /* 1. Descend by the planes. */
    uint32_t at = 1;
    bool on_plane = false;
#pragma unroll
    for (int level = 0; level < BI_KDTREE_TOP_LEVELS<T>; level++) {
        if (level >= levels) break;
        const int c = odd_levels >> level & 1 ? index.axes[at - 1] : (level + index.first) % DIM;
        const D x = bi_kdtree_component<D, DIM>(q, c), split = (D)tops.split[at];
        on_plane |= x == split;
        at = 2 * at + (x > split);
    }
    if (!on_plane) return at - (1u << levels);
    /* 2. Descend again by superkeys, in a second loop since most queries lie on no plane. The range of a subtree is
     * arithmetic, and has its node in the middle. */
    uint32_t begin = 0, end = n;
    at = 1;
#pragma unroll 1
    for (int level = 0, d = index.first; level < levels; level++, d = d + 1 == DIM ? 0 : d + 1) {
        const int c = odd_levels >> level & 1 ? index.axes[at - 1] : d;
        const D x = bi_kdtree_component<D, DIM>(q, c), split = (D)tops.split[at];
        const uint32_t middle = begin + (end - begin) / 2;
        bool greater = x > split;
        if (x == split) greater = bi_kdtree_follows_node<T, DIM>(nodes, middle, c, q);
        begin = greater ? middle + 1 : begin;
        end = greater ? end : middle;
        at = 2 * at + greater;
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
bi_kdtree_locate(const bi_kdtree_array &nodes, const bi_kdtree_cuda_index &index,
                 const typename bi_kdtree_distance_of<T>::type *q, uint32_t subtree, int from, int to)
{
    typedef typename bi_kdtree_distance_of<T>::type D;
    const uint32_t odd_levels = static_cast<const bi_kdtree_root<T, DIM> *>(index.root)->odd_levels;
    bi_kdtree_query_location<D, DIM> location = {};
    uint32_t h = subtree + (1u << from) - 1;
#pragma unroll 1
    for (int level = from, d = (from + index.first) % DIM; level < to; level++, d = d + 1 == DIM ? 0 : d + 1) {
        const int c = odd_levels >> level & 1 ? index.axes[h] : d;
        const bi_kdtree_sides<T> s = static_cast<const bi_kdtree_sides<T> *>(index.sides)[h];
        const D x = bi_kdtree_component<D, DIM>(q, c);
        bool greater = bi_kdtree_greater_is_nearer<T, D>(x, s);
        if (x == (D)s.split && x == (D)s.beyond)
            greater = bi_kdtree_follows_node<T, DIM>(nodes, bi_kdtree_heap_position(index, h, level), c, q);
        const D low = (D)(greater ? s.beyond : s.low), high = (D)(greater ? s.high : s.split);
        const D away = x - low > high - x ? x - low : high - x;
        location.nearest = location.nearest.with(c, bi_kdtree_gap<D>(x, low, high));
        location.farthest = location.farthest.with(c, away * away);
        h = 2 * h + 1 + greater;
    }
    location.subtree = h + 1 - (1u << to);
    return location;
}

/* The keys of queries among nodes in the order of the tree. */
template <class T, int DIM> struct bi_kdtree_tree_keys {
    typedef typename bi_kdtree_distance_of<T>::type D;
    typedef bi_kdtree_tops<T> tops;
    const bi_kdtree_array &nodes;
    const bi_kdtree_cuda_index &index;
    const uint32_t n, odd_levels;

    __device__ __forceinline__ bi_kdtree_tree_keys(const bi_kdtree_cuda_search &a)
        : nodes(a.nodes), index(a.index), n(a.n), odd_levels(root().odd_levels)
    {
    }

    __device__ __forceinline__ const bi_kdtree_root<T, DIM> &root() const
    {
        return *static_cast<const bi_kdtree_root<T, DIM> *>(index.root);
    }
    static __host__ __device__ __forceinline__ int prefix_levels(const bi_kdtree_cuda_search &a)
    {
        return bi_kdtree_prefix_levels<T>(a.index.levels);
    }

    /* Loads the planes of the levels above that of keys. All threads of a block call this. */
    __device__ __forceinline__ void load(tops &to, int levels) const
    {
        for (uint32_t h = threadIdx.x; h + 1 < 1u << levels; h += blockDim.x)
            to.split[h + 1] = static_cast<const bi_kdtree_sides<T> *>(index.sides)[h].split;
    }
    __device__ __forceinline__ uint32_t subtree_of(const tops &planes, int levels, const D *q) const
    {
        return bi_kdtree_subtree_below_planes<T, DIM>(nodes, n, index, planes, odd_levels, levels, q);
    }

    __device__ __forceinline__ void load_box(D *low, D *high) const
    {
#pragma unroll
        for (int c = 0; c < DIM; c++) {
            low[c] = (D)root().box.low[c];
            high[c] = (D)root().box.high[c];
        }
    }

    /* True if a query is far from all nodes, or in a leaf so large that it spans clusters. */
    __device__ __forceinline__ bool is_far(const D *q) const
    {
        const bi_kdtree_query_location<D, DIM> location = bi_kdtree_locate<T, DIM>(nodes, index, q, 0, 0, index.levels);
        D low[DIM], high[DIM];
        load_box(low, high);
        const D beyond = bi_kdtree_far_beyond<D, DIM>(low, high, index.levels);
        return location.nearest.bound() > beyond || location.farthest.bound() > BI_KDTREE_LARGE_LEAF * beyond;
    }
};

/* --- Nodes in the order by extent --------------------------------------------------------------------------------- */

/* The splits of the upper levels, by heap node. */
struct bi_kdtree_extent_tops {
    uint32_t split[1 << BI_KDTREE_SPLIT_LEVELS];
};

/* Returns the leaf that q falls into, of a subtree of level `from`. The loop is not unrolled, which would cost
 * registers. */
template <class T, int DIM>
__device__ __forceinline__ uint32_t bi_kdtree_locate_by_boxes(const bi_kdtree_extent_index &index,
                                                              const bi_kdtree_box_reader<T, DIM> &boxes,
                                                              const typename bi_kdtree_distance_of<T>::type *q,
                                                              uint32_t subtree, int from)
{
    uint32_t h = (1u << from) + subtree;
#pragma unroll 1
    for (int level = from; level < index.levels; level++) h = boxes.nearer_child(h, q);
    return h - (1u << index.levels);
}

/* The keys of queries among nodes in the order by extent. */
template <class T, int DIM> struct bi_kdtree_extent_keys {
    typedef typename bi_kdtree_distance_of<T>::type D;
    typedef bi_kdtree_extent_tops tops;
    const bi_kdtree_extent_index &index;
    const bi_kdtree_box_reader<T, DIM> boxes;

    __device__ __forceinline__ bi_kdtree_extent_keys(const bi_kdtree_cuda_search &a)
        : index(a.extent_index), boxes(a.nodes, a.extent_index, a.n)
    {
    }

    static __host__ __device__ __forceinline__ int prefix_levels(const bi_kdtree_cuda_search &a)
    {
        return a.extent_index.split_levels;
    }

    /* Loads the splits of the levels above that of keys. All threads of a block call this. */
    __device__ __forceinline__ void load(tops &to, int levels) const
    {
        for (uint32_t h = threadIdx.x + 1; h < 1u << levels; h += blockDim.x) to.split[h] = index.splits[h];
    }

    /* Returns the subtree that q falls into. Splits are rounded: keys only group queries. */
    __device__ __forceinline__ uint32_t subtree_of(const tops &splits, int levels, const D *q) const
    {
        float x[DIM];
        uint32_t h = 1;
#pragma unroll
        for (int c = 0; c < DIM; c++) x[c] = boxes.relative(q[c], c);
#pragma unroll
        for (int level = 0; level < BI_KDTREE_SPLIT_LEVELS; level++) {
            if (level >= levels) break;
            const uint32_t split = splits.split[h];
            h = 2 * h + (bi_kdtree_component<float, DIM>(x, (int)(split & 3)) > bi_f32_from_bits(split & ~3u));
        }
        return h - (1u << levels);
    }

    __device__ __forceinline__ void load_box(D *low, D *high) const
    {
        const bi_kdtree_float_box<DIM> root = boxes.of(1);
#pragma unroll
        for (int c = 0; c < DIM; c++) {
            low[c] = boxes.low(root, c);
            high[c] = boxes.high(root, c);
        }
    }

    /* True if a query is far from all nodes, or in a leaf so large that it spans clusters. */
    __device__ __forceinline__ bool is_far(const D *q) const
    {
        const uint32_t leaf = bi_kdtree_locate_by_boxes<T, DIM>(index, boxes, q, 0, 0);
        const bi_kdtree_float_box<DIM> box = boxes.of((1u << index.levels) + leaf);
        D low[DIM], high[DIM];
        load_box(low, high);
        const D beyond = bi_kdtree_far_beyond<D, DIM>(low, high, index.levels);
        return boxes.bound(box, q) > beyond || boxes.farthest(box, q) > BI_KDTREE_LARGE_LEAF * beyond;
    }
};

#endif
