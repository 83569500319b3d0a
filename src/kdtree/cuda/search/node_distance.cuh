/* Reads points of each type and dimension for searches, and computes distances. */
#ifndef BI_KDTREE_CUDA_SEARCH_NODE_DISTANCE_CUH
#define BI_KDTREE_CUDA_SEARCH_NODE_DISTANCE_CUH

#include "kdtree/cuda/point_layout.cuh"

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

/* Reads nodes of the layouts in point_layout.cuh. */
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

#endif
