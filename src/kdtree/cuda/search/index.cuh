/* The index of searches: an implicit heap above leaves of 15 to 32 nodes; a single leaf may be smaller. Node h of the
 * heap splits its range by a
 * coordinate, and stores the intervals of its two sides in that coordinate. Between two neighbouring leaves lies
 * exactly one node of the heap, so the begins of leaves determine the positions of all nodes. */
#ifndef BI_KDTREE_CUDA_SEARCH_INDEX_CUH
#define BI_KDTREE_CUDA_SEARCH_INDEX_CUH

#include "kdtree/cuda/cuda.cuh"
#include "kdtree/shape.h"

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
};

enum {
    BI_KDTREE_CUDA_LEAF = 32,        /* nodes of the largest leaf */
    BI_KDTREE_INDEX_BLOCK_LEVELS = 6 /* levels of the index that one block makes above its leaves */
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
 * word besides it, an entry of tops two. Sides of the lowest 3 levels (chosen) have the floor of an ancestor. */
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
    return bi_kdtree_cuda_index_at(static_cast<char *>(tree->index.data), &tree->opts, tree->nodes, &bytes);
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

#endif
