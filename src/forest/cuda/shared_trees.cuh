/* Union-find trees in shared memory, united by all threads of a block at once; as in base/union_find.h. */
#ifndef BI_FOREST_CUDA_SHARED_TREES_CUH
#define BI_FOREST_CUDA_SHARED_TREES_CUH

#include "core/cuda/shared.cuh"

struct bi_shared_trees {
    uint32_t *parent;

    /* Finds the root by path splitting. */
    __device__ __forceinline__ uint32_t root(uint32_t v) const
    {
        uint32_t at = bi_load_shared_relaxed(&parent[v]), above;
        while ((above = bi_load_shared_relaxed(&parent[at])) != at) {
            bi_store_shared_relaxed(&parent[v], above);
            v = at;
            at = above;
        }
        return at;
    }
    /* Unites two trees: the larger root goes below the smaller; a lost compare-and-swap is retried. */
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
