/* What queries read beside the points: an implicit heap of split values above leaves of 16 to 32 nodes. Between two
 * leaves that are neighbours lies exactly one node of the heap, so where leaves begin tells where all nodes are. */
#ifndef BI_KDTREE_CUDA_INDEX_CUH
#define BI_KDTREE_CUDA_INDEX_CUH

#include "kdtree/cuda.cuh"
#include "kdtree/shape.h"

struct kd_index {
    float *splits;    /* 2^levels - 1: by heap index, the coordinate of the node that its level splits by */
    uint32_t *leaves; /* 2^levels + 1: leaf i is [leaves[i], leaves[i + 1] - 1) */
    int32_t levels;
};

/* Nodes of the largest leaf. */
enum { KD_LEAF = 32 };

static inline int32_t kd_index_levels(int64_t n)
{
    int32_t levels = 0;
    while (((int64_t)(KD_LEAF + 1) << levels) < n + 1) levels++;
    return levels;
}

static inline kd_index kd_index_of(const bosc_kdtree *tree)
{
    kd_index index;
    index.levels = kd_index_levels(tree->nodes);
    index.leaves = static_cast<uint32_t *>(tree->index.data);
    index.splits = reinterpret_cast<float *>(index.leaves + ((size_t)1 << index.levels) + 1);
    return index;
}

/* The in-order place of heap node h of level `level`: just before the first leaf of its greater side. */
__device__ __forceinline__ uint32_t kd_place_of(const kd_index &index, uint32_t h, int level)
{
    uint32_t i = h + 1 - (1u << level);
    return index.leaves[(2 * i + 1) << (index.levels - level - 1)] - 1;
}

#endif
