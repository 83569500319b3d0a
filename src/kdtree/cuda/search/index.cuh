/* What queries read beside the points: an implicit heap above leaves of 16 to 32 nodes. Node h of the heap splits its
 * range by a coordinate, and keeps how far the nodes of its two sides reach in that coordinate. Between two leaves that
 * are neighbours lies exactly one node of the heap, so where leaves begin tells where all nodes are. */
#ifndef BI_KDTREE_CUDA_SEARCH_INDEX_CUH
#define BI_KDTREE_CUDA_SEARCH_INDEX_CUH

#include "kdtree/cuda/cuda.cuh"
#include "kdtree/shape.h"

/* The less side lies in [low, split], the greater one in [beyond, high]; the node itself has `split`. All are of the
 * node's axis: the first coordinate, from that of the level on, in which the nodes of its subtree are not all equal.
 * Superkeys order them by that one. */
template <class T> struct alignas(sizeof(T) == 4 ? 16 : 32) bi_kdtree_sides {
    T low, split, beyond, high;
};

/* The smallest box around the nodes of a subtree, and the smallest of their ids. */
template <class T, int DIM> struct alignas(DIM == 2 ? 2 * sizeof(T) : 16) bi_kdtree_box {
    T low[DIM == 3 ? 4 : DIM], high[DIM == 3 ? 4 : DIM]; /* the last of four is not used below 4 dimensions */
};

/* A node of the heap with the smallest boxes around its two sides. */
template <int DIM> struct alignas(16) bi_kdtree_fork {
    float less_low[DIM], less_high[DIM], greater_low[DIM], greater_high[DIM], x[DIM];
    uint32_t id;
};

/* Of all nodes: their box, and the levels of which some node has another axis than the level's coordinate. */
template <class T, int DIM> struct bi_kdtree_root {
    bi_kdtree_box<T, DIM> box;
    uint32_t odd_levels;
};

struct bi_kdtree_cuda_index {
    void *root;       /* bi_kdtree_root of the type and dimension */
    void *sides;      /* bi_kdtree_sides of the type: 2^levels - 1, by heap index */
    void *forks;      /* bi_kdtree_fork of the dimension, by heap index; NULL: there are none for such points */
    uint8_t *axes;    /* 2^levels - 1, by heap index */
    uint32_t *leaves; /* 2^levels + 1: leaf i is [leaves[i], leaves[i + 1] - 1) */
    uint32_t *floors; /* the smallest id of each subtree of the first floor_levels + 1 levels, by heap index */
    void *tops;       /* boxes and ids of subtrees, while the index is made */
    int32_t levels, floor_levels;
};

enum {
    BI_KDTREE_CUDA_LEAF = 32,        /* nodes of the largest leaf */
    BI_KDTREE_INDEX_BLOCK_LEVELS = 6 /* levels of the index that one block makes, from its leaves up */
};

static inline int32_t bi_kdtree_cuda_index_levels(int64_t n)
{
    int32_t levels = 0;
    while (((int64_t)(BI_KDTREE_CUDA_LEAF + 1) << levels) < n + 1) levels++;
    return levels;
}

/* Bytes of a bi_kdtree_fork; 0 for points that have none. */
static inline size_t bi_kdtree_fork_bytes(const bosc_kdtree_opts *opts)
{
    static const size_t bytes[] = {sizeof(bi_kdtree_fork<1>), sizeof(bi_kdtree_fork<2>), sizeof(bi_kdtree_fork<3>),
                                   sizeof(bi_kdtree_fork<4>)};
    return opts->dtype == BOSC_F32 ? bytes[opts->dim - 1] : 0;
}

/* Where the arrays of the index are, from `base`; *bytes becomes its size. */
static inline bi_kdtree_cuda_index bi_kdtree_cuda_index_at(char *base, const bosc_kdtree_opts *opts, int64_t n,
                                                           size_t *bytes)
{
    bi_kdtree_cuda_index index;
    const size_t size = bi_kdtree_element_size(opts->dtype), fork = bi_kdtree_fork_bytes(opts);
    index.levels = bi_kdtree_cuda_index_levels(n);
    index.floor_levels = index.levels > 3 ? index.levels - 3 : 0;
    const size_t leaves = (size_t)1 << index.levels;
    const size_t tops = index.levels > BI_KDTREE_INDEX_BLOCK_LEVELS ? leaves >> BI_KDTREE_INDEX_BLOCK_LEVELS : 1;
    index.root = base;
    index.sides = base + 8 * size + 32;
    char *forks = static_cast<char *>(index.sides) + leaves * 4 * size;
    index.forks = fork ? forks : nullptr;
    index.tops = forks + leaves * fork;
    index.leaves = reinterpret_cast<uint32_t *>(static_cast<char *>(index.tops) + 2 * tops * (8 * size + 16));
    index.floors = index.leaves + leaves + 1;
    index.axes = reinterpret_cast<uint8_t *>(index.floors + ((size_t)2 << index.floor_levels));
    *bytes = (size_t)(reinterpret_cast<char *>(index.axes + leaves) - base);
    return index;
}

static inline bi_kdtree_cuda_index bi_kdtree_cuda_index_of(const bosc_kdtree *tree)
{
    size_t bytes;
    return bi_kdtree_cuda_index_at(static_cast<char *>(tree->index.data), &tree->opts, tree->nodes, &bytes);
}

/* The in-order place of heap node h of level `level`: just before the first leaf of its greater side. */
__device__ __forceinline__ uint32_t bi_kdtree_heap_position(const bi_kdtree_cuda_index &index, uint32_t h, int level)
{
    uint32_t i = h + 1 - (1u << level);
    return index.leaves[(2 * i + 1) << (index.levels - level - 1)] - 1;
}

__device__ __forceinline__ int bi_kdtree_heap_level(uint32_t h) { return 31 - __clz((int)(h + 1)); }

/* An id that no node below h is smaller than. */
__device__ __forceinline__ uint32_t bi_kdtree_floor_of(const bi_kdtree_cuda_index &index, uint32_t h)
{
    const int level = bi_kdtree_heap_level(h);
    return index.floors[((h + 1) >> max(level - index.floor_levels, 0)) - 1];
}

#endif
