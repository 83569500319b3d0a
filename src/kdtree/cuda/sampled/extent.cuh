/* The extent of points: each thread accumulates its own, then the block combines them. */
#ifndef BI_KDTREE_CUDA_SAMPLED_EXTENT_CUH
#define BI_KDTREE_CUDA_SAMPLED_EXTENT_CUH

#include "kdtree/cuda/point_layout.cuh"

/* The extent of the points that a thread added since `clear`. */
template <int DIM> struct bi_kdtree_extent {
    float low[DIM], high[DIM];

    __device__ __forceinline__ void clear()
    {
#pragma unroll
        for (int c = 0; c < DIM; c++) {
            low[c] = INFINITY;
            high[c] = -INFINITY;
        }
    }

    __device__ __forceinline__ void add(int c, float x)
    {
        low[c] = fminf(low[c], x);
        high[c] = fmaxf(high[c], x);
    }

    /* Raises the keys in shared memory, 0 at first, to those of this extent: complements of low ends, and high ends.
     * All lanes of a warp call it. */
    __device__ __forceinline__ void combine(uint32_t *least, uint32_t *greatest) const
    {
#pragma unroll
        for (int c = 0; c < DIM; c++) {
            const uint32_t low_end = bi_warp_max(~bi_key_u32_of_f32(low[c]));
            const uint32_t high_end = bi_warp_max(bi_key_u32_of_f32(high[c]));
            if (threadIdx.x % 32 == 0) {
                atomicMax(&least[c], low_end);
                atomicMax(&greatest[c], high_end);
            }
        }
    }
};

#endif
