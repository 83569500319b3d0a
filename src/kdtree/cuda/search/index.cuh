/* The index of searches, distances of queries from nodes, and the arguments of a search. */
#ifndef BI_KDTREE_CUDA_SEARCH_INDEX_CUH
#define BI_KDTREE_CUDA_SEARCH_INDEX_CUH

#include "kdtree/cuda/cuda.cuh"
#include "kdtree/shape.h"

/* --- The index ---------------------------------------------------------------------------------------------------- */

/* The index is an implicit heap above leaves of 15 to 32 nodes; a single leaf may be smaller. Node h of the
 * heap splits its range by a coordinate, and stores the intervals of its two sides in that coordinate. Between two
 * neighbouring leaves lies one node of the heap, so the begins of leaves determine the positions of all nodes. */

/* The less side lies in [low, split], the greater side in [beyond, high]; the node is at `split`. All are coordinates
 * of the node's axis: the first coordinate, from that of the level on, in which the nodes of its subtree differ.
 * Superkeys order them by it. */
template <class T> struct alignas(sizeof(T) == 4 ? 16 : 32) bi_kdtree_sides {
    T low, split, beyond, high;
};

/* The smallest box around the nodes of a subtree. */
template <class T, int DIM> struct alignas(DIM == 2 ? 2 * sizeof(T) : 16) bi_kdtree_box {
    T low[DIM == 3 ? 4 : DIM], high[DIM == 3 ? 4 : DIM]; /* 3-D: padded to a vector */
};

/* A node of the heap with the smallest boxes around its two sides. */
template <int DIM> struct alignas(16) bi_kdtree_fork {
    float less_low[DIM], less_high[DIM], greater_low[DIM], greater_high[DIM], x[DIM];
    uint32_t id;
};

/* The box of all nodes, and the levels (as bits) with a node whose axis is not the level's coordinate. */
template <class T, int DIM> struct bi_kdtree_root {
    bi_kdtree_box<T, DIM> box;
    uint32_t odd_levels;
};

struct bi_kdtree_cuda_index {
    void *root;       /* bi_kdtree_root of the type and dimension */
    void *sides;      /* bi_kdtree_sides of the type: 2^levels - 1, by heap index */
    void *forks;      /* bi_kdtree_fork of the dimension, by heap index; NULL: not F32 */
    uint8_t *axes;    /* 2^levels - 1, by heap index */
    uint32_t *leaves; /* 2^levels + 1: leaf i is [leaves[i], leaves[i + 1] - 1) */
    uint32_t *floors; /* smallest id of each subtree of levels 0 to floor_levels, by heap index */
    void *tops;       /* scratch of make_index.cu: boxes and ids of subtrees */
    int32_t levels, floor_levels;
    int32_t first; /* the root's coordinate */
};

enum {
    BI_KDTREE_CUDA_LEAF = 32,        /* nodes of the largest leaf */
    BI_KDTREE_INDEX_BLOCK_LEVELS = 6 /* levels of an index that one block makes above its leaves */
};

static inline int32_t bi_kdtree_cuda_index_levels(int64_t n)
{
    int32_t levels = 0;
    while (((int64_t)(BI_KDTREE_CUDA_LEAF + 1) << levels) < n + 1) levels++;
    return levels;
}

/* Returns the bytes of a bi_kdtree_fork; 0 for types without forks. */
static inline size_t bi_kdtree_fork_bytes(const bosc_kdtree_opts *opts)
{
    static const size_t bytes[] = {sizeof(bi_kdtree_fork<1>), sizeof(bi_kdtree_fork<2>), sizeof(bi_kdtree_fork<3>),
                                   sizeof(bi_kdtree_fork<4>)};
    return opts->dtype == BOSC_F32 ? bytes[opts->dim - 1] : 0;
}

/* Returns the arrays of the index in a block at `base`; *bytes = its size. A box has at most 8 elements; the root has a
 * word besides it, an entry of tops two. Sides of the lowest 3 levels have the floor of an ancestor, which leaves an
 * eighth of the floors: less memory, a later end of searches among equal distances. */
static inline bi_kdtree_cuda_index bi_kdtree_cuda_index_at(char *base, const bosc_kdtree_opts *opts, int64_t n,
                                                           size_t *bytes)
{
    bi_kdtree_cuda_index index;
    const size_t size = bosc_dtype_size(opts->dtype), fork = bi_kdtree_fork_bytes(opts);
    index.levels = bi_kdtree_cuda_index_levels(n);
    index.first = 0;
    index.floor_levels = index.levels > 3 ? index.levels - 3 : 0;
    const size_t leaves = (size_t)1 << index.levels;
    const size_t tops = index.levels > BI_KDTREE_INDEX_BLOCK_LEVELS ? leaves >> BI_KDTREE_INDEX_BLOCK_LEVELS : 1;
    index.root = base;
    index.sides = base + 8 * size + 32;
    char *forks = static_cast<char *>(index.sides) + leaves * 4 * size;
    index.forks = fork ? forks : nullptr;
    index.tops = forks + leaves * fork; /* two arrays: input and output of a launch */
    index.leaves = reinterpret_cast<uint32_t *>(static_cast<char *>(index.tops) + 2 * tops * (8 * size + 16));
    index.floors = index.leaves + leaves + 1;
    index.axes = reinterpret_cast<uint8_t *>(index.floors + ((size_t)2 << index.floor_levels));
    *bytes = (size_t)(reinterpret_cast<char *>(index.axes + leaves) - base);
    return index;
}

static inline bi_kdtree_cuda_index bi_kdtree_cuda_index_of(const bosc_kdtree *tree)
{
    size_t bytes;
    bi_kdtree_cuda_index index =
        bi_kdtree_cuda_index_at(static_cast<char *>(tree->index.data), &tree->opts, tree->nodes, &bytes);
    index.first = tree->first;
    return index;
}

/* Returns the in-order position of heap node h of a level: just before the first leaf of its greater side. */
__device__ __forceinline__ uint32_t bi_kdtree_heap_position(const bi_kdtree_cuda_index &index, uint32_t h, int level)
{
    uint32_t i = h + 1 - (1u << level);
    return index.leaves[(2 * i + 1) << (index.levels - level - 1)] - 1;
}

__device__ __forceinline__ int bi_kdtree_heap_level(uint32_t h) { return 31 - __clz((int)(h + 1)); }

/* Returns a lower bound of the ids of the nodes below h. */
__device__ __forceinline__ uint32_t bi_kdtree_floor_of(const bi_kdtree_cuda_index &index, uint32_t h)
{
    const int level = bi_kdtree_heap_level(h);
    return index.floors[((h + 1) >> max(level - index.floor_levels, 0)) - 1];
}

/* --- Distances ---------------------------------------------------------------------------------------------------- */

/* Reads points of each type and dimension for searches, and computes distances. */

/* The type of distances. */
template <class T> struct bi_kdtree_distance_of {
    typedef double type;
};
template <> struct bi_kdtree_distance_of<float> {
    typedef float type;
};

/* A node's coordinates; `word` is its id if records hold ids. */
template <class T, int DIM> struct bi_kdtree_node {
    T x[DIM];
    uint32_t word;
};

/* Reads nodes of the layouts in cuda.cuh. */
template <class T, int DIM> struct bi_kdtree_node_reader {
    typedef typename bi_kdtree_distance_of<T>::type D;
    typedef bi_kdtree_node<T, DIM> node;

    static __device__ __forceinline__ node load(const bi_kdtree_array &nodes, uint32_t at)
    {
        const T *row = static_cast<const T *>(nodes.points) + (size_t)at * DIM;
        node p;
#pragma unroll
        for (int c = 0; c < DIM; c++) p.x[c] = row[c];
        p.word = 0;
        return p;
    }
    static __device__ __forceinline__ uint32_t id(const bi_kdtree_array &nodes, uint32_t at, const node &)
    {
        return nodes.ids[at];
    }

    /* Returns the squared distance, terms in the order of coordinates: bit for bit bosc_kdtree_dist2, but for NaN. */
    static __device__ __forceinline__ D distance(const D *q, const T *p)
    {
        D s = 0;
#pragma unroll
        for (int c = 0; c < DIM; c++) {
            const D d = q[c] - (D)p[c];
            s = c == 0 ? d * d : s + d * d;
        }
        return s;
    }
};

template <>
__device__ __forceinline__ bi_kdtree_node<float, 2> bi_kdtree_node_reader<float, 2>::load(const bi_kdtree_array &nodes,
                                                                                          uint32_t at)
{
    const float2 v = static_cast<const float2 *>(nodes.points)[at];
    return {{v.x, v.y}, 0};
}
template <>
__device__ __forceinline__ bi_kdtree_node<float, 3> bi_kdtree_node_reader<float, 3>::load(const bi_kdtree_array &nodes,
                                                                                          uint32_t at)
{
    const float4 v = static_cast<const float4 *>(nodes.points)[at];
    return {{v.x, v.y, v.z}, bi_f32_bits(v.w)};
}
template <>
__device__ __forceinline__ uint32_t bi_kdtree_node_reader<float, 3>::id(const bi_kdtree_array &, uint32_t,
                                                                        const bi_kdtree_node<float, 3> &p)
{
    return p.word;
}
template <>
__device__ __forceinline__ bi_kdtree_node<float, 4> bi_kdtree_node_reader<float, 4>::load(const bi_kdtree_array &nodes,
                                                                                          uint32_t at)
{
    const float4 v = static_cast<const float4 *>(nodes.points)[at];
    return {{v.x, v.y, v.z, v.w}, 0};
}

template <class D, int DIM> __device__ __forceinline__ D bi_kdtree_component(const D *q, int d)
{
    D x = q[0];
#pragma unroll
    for (int c = 1; c < DIM; c++) x = d == c ? q[c] : x;
    return x;
}

__device__ __forceinline__ float bi_kdtree_clamp(float q, float low, float high) { return fminf(fmaxf(q, low), high); }
__device__ __forceinline__ double bi_kdtree_clamp(double q, double low, double high)
{
    return q < low ? low : q > high ? high : q;
}

/* Returns the squared distance of q from [low, high]; NaN only if all distances from q are infinite. */
template <class D> __device__ __forceinline__ D bi_kdtree_gap(D q, D low, D high)
{
    const D d = q - bi_kdtree_clamp(q, low, high);
    return d * d;
}

/* The index of a tree in the order by widest extent: see extent_index.cuh. */
struct bi_kdtree_extent_index {
    void *pairs;      /* bi_kdtree_box_pair of the dimension, by heap node; child 1 of entry 0 is the root */
    void *tops;       /* scratch of make_extent_index.cu: boxes and ids of subtrees */
    uint32_t *splits; /* by heap node of the upper levels: the bits of a float, but the lowest two are its axis */
    uint32_t *floors; /* smallest id of each subtree of levels 0 to floor_levels, by heap node */
    int32_t levels, floor_levels, split_levels;
};

/* --- Arguments ---------------------------------------------------------------------------------------------------- */

enum bi_kdtree_search_kind {
    BI_KDTREE_FIND_NEAREST,
    BI_KDTREE_FIND_COUNT,
    BI_KDTREE_FIND_ROWS,
    BI_KDTREE_FIND_BOX_COUNT, /* queries are the low and the high corner of each box */
    BI_KDTREE_FIND_BOX_ROWS
};

struct bi_kdtree_cuda_search {
    enum bi_kdtree_search_kind kind;
    int32_t dim;
    bi_kdtree_array nodes;
    bi_kdtree_cuda_index index;
    uint32_t n, m;
    const void *queries; /* rows by number; once sorted, in the sorted order */
    int64_t stride;
    uint32_t lanes;               /* queries per warp */
    uint32_t helpers;             /* lanes per query, at most 32 / lanes, a power of 2 */
    uint32_t *scratch;            /* 4 m + 2 words */
    void *sorted_rows;            /* scratch for the rows of the sorted queries */
    const uint32_t *keys, *order; /* of the sorted queries: key, and number; NULL: not sorted */
    uint32_t *samples;            /* positions of k near nodes per BI_KDTREE_SAMPLE_STRIDE sorted queries; NULL: none */
    uint32_t *distinct;          /* numbers of distinct and repeated queries (distinct_queries.cuh); NULL: all differ */
    const uint32_t *bad_queries; /* result of bi_kdtree_cuda_start_check; NULL: all are good */
    const uint32_t *rows;        /* output row of each query, row_stride apart; NULL: its number */
    uint32_t row_stride;
    int32_t k;
    double limit; /* the largest squared distance that counts */
    void *ids, *dist2;
    bool wide;
    int64_t *counts, *bad;
    uint32_t *long_rows; /* list of long rows, sorted later: see bi_row_list_long */
    const int64_t *offsets;
    int64_t first;                       /* the number of query 0 in the whole call */
    bool has_ties;                       /* many nodes may share coordinates */
    bool later;                          /* FIND_COUNT, FIND_ROWS: only ids above the number of the query in the call */
    bi_kdtree_extent_index extent_index; /* of nodes in the order by extent, which have no other index */
};

enum {
    BI_KDTREE_UNSORTED_QUERIES = 1024, /* of a multiprocessor: limit up to which queries are not sorted */
    /* Of a multiprocessor: limit for a warp each; twice for long lists. Measured on an H100, k = 8: 2^13 queries take
     * 45.3 us, by threads 52.6; 2^14 take 64.0 and 52.7. */
    BI_KDTREE_WARP_QUERIES = 64,
    BI_KDTREE_LONG_LIST = 17 /* k of a long list */
};

/* True if m queries are so few that a warp each finds the k nearest faster; not for one nearest, which a thread finds
 * as fast. k = 0: the search is not for the nearest. */
static inline bool bi_kdtree_use_warps(const bosc_ctx *ctx, int64_t k, int64_t m)
{
    const int64_t most = BI_KDTREE_WARP_QUERIES * (int64_t)ctx->multiprocessors;
    return k > 1 && m <= (k < BI_KDTREE_LONG_LIST ? most : 2 * most);
}

/* Launches a search of DIM dimensions, 1 to 4. Instances for each type are in query_TYPE_DIMS.cu, as their kernels take
 * long to compile. */
template <class T, int DIM> bosc_status bi_kdtree_launch_dim(bosc_ctx *ctx, bi_kdtree_cuda_search a);

/* Likewise for nodes in the order by extent, 2 to 4 dimensions: instances are in extent_TYPE_DIMS.cu. */
template <class T, int DIM> bosc_status bi_kdtree_launch_extent(bosc_ctx *ctx, bi_kdtree_cuda_search a);

/* Returns the output row of a query. */
static __device__ __forceinline__ int64_t bi_kdtree_row_of(const bi_kdtree_cuda_search &a, uint32_t number)
{
    return a.rows ? a.rows[(size_t)number * a.row_stride] : number;
}

/* Returns the two counts behind the scratch. */
static inline uint32_t *bi_kdtree_distinct_counts(const bi_kdtree_cuda_search &a)
{
    return a.scratch + (size_t)4 * a.m;
}

/* True if the queries are sorted by keys: nodes as queries have none. */
static __host__ __device__ __forceinline__ bool bi_kdtree_has_keys(const bi_kdtree_cuda_search &a)
{
    return a.order && !a.rows;
}

/* Returns the number of queries to search: of distinct ones, if they are known. */
static __device__ __forceinline__ uint32_t bi_kdtree_searched_queries(const bi_kdtree_cuda_search &a)
{
    return a.distinct ? a.distinct[0] : a.m;
}

/* True if some query holds a NaN. All lanes of a warp call this. */
static __device__ __forceinline__ bool bi_kdtree_has_bad_query(const bi_kdtree_cuda_search &a)
{
    return a.bad_queries && __any_sync(~0u, a.bad_queries[threadIdx.x % 32] != BI_KDTREE_NONE);
}

template <class T, int DIM>
__device__ __forceinline__ void bi_kdtree_load_query(const bi_kdtree_cuda_search &a, uint32_t number,
                                                     typename bi_kdtree_distance_of<T>::type *q)
{
    typedef typename bi_kdtree_distance_of<T>::type D;
#pragma unroll
    for (int c = 0; c < DIM; c++) q[c] = (D) static_cast<const T *>(a.queries)[number * a.stride + c];
}

#endif
