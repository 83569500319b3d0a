/* Trees in the shared memory of a block, whose threads all join them at once; as in base/union_find.h. */
#ifndef BI_FOREST_CUDA_SHARED_TREES_CUH
#define BI_FOREST_CUDA_SHARED_TREES_CUH

#include "core/cuda/shared.cuh"

struct bi_shared_trees {
    uint32_t *parent;

    __device__ __forceinline__ uint32_t root(uint32_t v) const
    {
        uint32_t at = bi_load_shared(&parent[v]), above;
        while ((above = bi_load_shared(&parent[at])) != at) {
            bi_store_shared(&parent[v], above);
            v = at;
            at = above;
        }
        return at;
    }
    __device__ __forceinline__ void join(uint32_t u, uint32_t v) const
    {
        uint32_t a = root(u), b = root(v);
        while (a != b) {
            const uint32_t high = a > b ? a : b, low = a > b ? b : a;
            if (atomicCAS(&parent[high], high, low) == high) return;
            a = root(high);
            b = root(low);
        }
    }
};

#endif
