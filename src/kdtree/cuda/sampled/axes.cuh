/* The coordinates that levels split by. Where points share a coordinate, superkeys that begin with it order them by the
 * next one in which they differ: the axis. The shared ones come last in the superkey of the axis and are equal there
 * too, so that the two order such points alike. */
#ifndef BI_KDTREE_CUDA_SAMPLED_AXES_CUH
#define BI_KDTREE_CUDA_SAMPLED_AXES_CUH

#include "kdtree/cuda/point_layout.cuh"

/* Which coordinates have no extent, as bits, from the keys of its ends (least: complements). None where no coordinate
 * has any. */
template <int DIM>
__device__ __forceinline__ uint32_t bi_kdtree_flat_of(const uint32_t *least, const uint32_t *greatest)
{
    uint32_t flat = 0;
#pragma unroll
    for (int c = 0; c < DIM; c++) flat |= (uint32_t)(~least[c] == greatest[c]) << c;
    return flat == (1u << DIM) - 1 ? 0 : flat;
}

/* The axis of each coordinate, in 2 bits. */
template <int DIM> __device__ __forceinline__ uint32_t bi_kdtree_axes_of(uint32_t flat)
{
    uint32_t axes = 0;
#pragma unroll
    for (int c = 0; c < DIM; c++) {
        int axis = c;
#pragma unroll
        for (int t = 1; t < DIM; t++) axis = flat >> axis & 1 ? bi_kdtree_next_coordinate<DIM>(axis) : axis;
        axes |= (uint32_t)axis << 2 * c;
    }
    return axes;
}

__device__ __forceinline__ int bi_kdtree_axis(uint32_t axes, int d) { return (int)(axes >> 2 * d & 3); }

/* The axes of a level of coordinate d and of those below it: the level's comes first. And those of the next level. */
template <int DIM> __device__ __forceinline__ uint32_t bi_kdtree_axes_from(uint32_t axes, int d)
{
    return (axes >> 2 * d | axes << 2 * (DIM - d)) & ((1u << 2 * DIM) - 1);
}
template <int DIM> __device__ __forceinline__ uint32_t bi_kdtree_next_axes(uint32_t axes)
{
    return axes >> 2 | (axes & 3) << 2 * (DIM - 1);
}

#endif
