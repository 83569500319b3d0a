/* Comparison of points by superkey: a coordinate, then the following ones cyclically. */
#ifndef BI_CORE_CUDA_SUPERKEY_CUH
#define BI_CORE_CUDA_SUPERKEY_CUH

#include "core/cuda/merge.cuh"

/* The points, as the bits of their coordinates. */
template <class K> struct bi_superkey {
    const K *points;
    int64_t stride;
    int32_t dim, first;
    enum bi_key_kind kind;

    __device__ __forceinline__ K key(uint32_t row) const
    {
        return bi_order_key(points[(int64_t)row * stride + first], kind);
    }

    /* Compares rows r and s, whose first coordinates are equal, by the other ones: -1, 0 or 1. */
    __device__ int compare_rest(uint32_t r, uint32_t s) const
    {
        const K *p = points + (int64_t)r * stride, *q = points + (int64_t)s * stride;
#pragma unroll 1
        for (int32_t j = 1, c = first; j < dim; j++) {
            c = c + 1 == dim ? 0 : c + 1;
            const K x = bi_order_key(p[c], kind), y = bi_order_key(q[c], kind);
            if (x != y) return x < y ? -1 : 1;
        }
        return 0;
    }
};

#endif
