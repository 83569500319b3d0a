/* Points of each type and dimension as searches read them, and distances. */
#ifndef BI_KDTREE_CUDA_SEARCH_NODE_DISTANCE_CUH
#define BI_KDTREE_CUDA_SEARCH_NODE_DISTANCE_CUH

#include "kdtree/cuda/point_layout.cuh"

/* The type of distances. */
template <class T> struct kd_distance_of {
    typedef double type;
};
template <> struct kd_distance_of<float> {
    typedef float type;
};

/* A node's coordinates; where ids are in the records, its id has come with them. */
template <class T, int DIM> struct kd_node {
    T x[DIM];
    uint32_t word;
};

/* Nodes as the tree keeps them: see point_layout.cuh. */
template <class T, int DIM> struct kd_space {
    typedef typename kd_distance_of<T>::type D;
    typedef kd_node<T, DIM> node;

    static __device__ __forceinline__ node load(const kd_array &nodes, uint32_t at)
    {
        const T *row = static_cast<const T *>(nodes.points) + (size_t)at * DIM;
        node p;
#pragma unroll
        for (int c = 0; c < DIM; c++) p.x[c] = row[c];
        p.word = 0;
        return p;
    }
    static __device__ __forceinline__ uint32_t id(const kd_array &nodes, uint32_t at, const node &)
    {
        return nodes.ids[at];
    }

    /* Squared distance, terms in the order of the coordinates: the bits of bi_kd_dist2, but for NaN. */
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

template <> __device__ __forceinline__ kd_node<float, 2> kd_space<float, 2>::load(const kd_array &nodes, uint32_t at)
{
    const float2 v = static_cast<const float2 *>(nodes.points)[at];
    return {{v.x, v.y}, 0};
}
template <> __device__ __forceinline__ kd_node<float, 3> kd_space<float, 3>::load(const kd_array &nodes, uint32_t at)
{
    const float4 v = static_cast<const float4 *>(nodes.points)[at];
    return {{v.x, v.y, v.z}, bi_f32_bits(v.w)};
}
template <>
__device__ __forceinline__ uint32_t kd_space<float, 3>::id(const kd_array &, uint32_t, const kd_node<float, 3> &p)
{
    return p.word;
}
template <> __device__ __forceinline__ kd_node<float, 4> kd_space<float, 4>::load(const kd_array &nodes, uint32_t at)
{
    const float4 v = static_cast<const float4 *>(nodes.points)[at];
    return {{v.x, v.y, v.z, v.w}, 0};
}

__device__ __forceinline__ float kd_clamp(float q, float low, float high) { return fminf(fmaxf(q, low), high); }
__device__ __forceinline__ double kd_clamp(double q, double low, double high)
{
    return q < low ? low : q > high ? high : q;
}

/* Squared distance of q from the interval [low, high]. It is NaN only where all distances from q are infinite. */
template <class D> __device__ __forceinline__ D kd_gap(D q, D low, D high)
{
    const D d = q - kd_clamp(q, low, high);
    return d * d;
}

#endif
