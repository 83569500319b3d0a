/* The axes of levels. Where points share a coordinate, the superkey that begins with it orders them by the next one in
 * which they differ: the axis. The superkey that begins with the axis orders them alike, since the shared coordinates
 * come last in it. */
#ifndef BI_KDTREE_CUDA_SAMPLED_AXES_CUH
#define BI_KDTREE_CUDA_SAMPLED_AXES_CUH

#include "kdtree/cuda/point_layout.cuh"

/* Returns the coordinates without extent, as bits, from the keys of their ends (least: complements); 0 if no coordinate
 * has extent. */
template <int DIM>
__device__ __forceinline__ uint32_t bi_kdtree_flat_coordinates(const uint32_t *least, const uint32_t *greatest)
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

/* Rotates packed axes: the level of coordinate d comes first, then the levels below it. next_axes goes down a level. */
template <int DIM> __device__ __forceinline__ uint32_t bi_kdtree_axes_from(uint32_t axes, int d)
{
    return (axes >> 2 * d | axes << 2 * (DIM - d)) & ((1u << 2 * DIM) - 1);
}
template <int DIM> __device__ __forceinline__ uint32_t bi_kdtree_next_axes(uint32_t axes)
{
    return axes >> 2 | (axes & 3) << 2 * (DIM - 1);
}

#endif
