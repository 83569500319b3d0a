/* Distances, and the k nearest so far, in registers. */
#ifndef BI_KDTREE_CUDA_NEAR_CUH
#define BI_KDTREE_CUDA_NEAR_CUH

#include "kdtree/cuda_points.cuh"

/* Squared distance, terms in the order of the coordinates: the bits of bi_kd_dist2, but for NaN. */
template <int DIM> __device__ __forceinline__ float kd_distance(const float *q, const float *p)
{
    float s = 0;
#pragma unroll
    for (int c = 0; c < DIM; c++) {
        float d = q[c] - p[c];
        s = c == 0 ? d * d : s + d * d;
    }
    return s;
}

/* The K nearest, ordered by (distance, id); none is (infinity, BI_KD_NONE), which comes after all points. */
template <int K> struct kd_nearest {
    float d[K];
    uint32_t id[K];

    __device__ __forceinline__ void clear()
    {
#pragma unroll
        for (int i = 0; i < K; i++) {
            d[i] = INFINITY;
            id[i] = BI_KD_NONE;
        }
    }

    /* Distances above this are of no use; equal ones may be. */
    __device__ __forceinline__ float worst(float limit) const { return fminf(d[K - 1], limit); }

    /* Takes a point in whose distance is not above worst(limit); NaN counts as infinite. */
    __device__ __forceinline__ void add(float distance, uint32_t name, float limit)
    {
        distance = distance == distance ? distance : INFINITY;
        if (distance > limit) return;
        bool before = distance < d[K - 1] || (distance == d[K - 1] && name < id[K - 1]);
        if (!before) return;
#pragma unroll
        for (int i = K - 1; i > 0; i--) {
            bool further = distance < d[i - 1] || (distance == d[i - 1] && name < id[i - 1]);
            d[i] = further ? d[i - 1] : before ? distance : d[i];
            id[i] = further ? id[i - 1] : before ? name : id[i];
            before = further;
        }
        d[0] = before ? distance : d[0];
        id[0] = before ? name : id[0];
    }

    /* Writes the first k to row `row`. */
    __device__ __forceinline__ void write(int64_t row, int k, void *ids, float *dist2, bool wide) const
    {
#pragma unroll
        for (int i = 0; i < K; i++) {
            if (i >= k) break;
            if (wide)
                static_cast<int64_t *>(ids)[row * k + i] = id[i] == BI_KD_NONE ? -1 : (int64_t)id[i];
            else
                static_cast<uint32_t *>(ids)[row * k + i] = id[i];
            if (dist2) dist2[row * k + i] = d[i];
        }
    }
};

/* The id of the point at place `at`, whose coordinates were loaded before: for records it came with them. */
template <int DIM> struct kd_located {
    float x[DIM == 3 ? 4 : DIM];

    __device__ __forceinline__ void load(const kd_array &nodes, uint32_t at)
    {
        if (DIM == 2) {
            float2 v = static_cast<const float2 *>(nodes.points)[at];
            x[0] = v.x;
            x[1] = v.y;
        } else {
            float4 v = static_cast<const float4 *>(nodes.points)[at];
            x[0] = v.x;
            x[1] = v.y;
            x[2 % DIM] = v.z;
            x[DIM == 2 ? 0 : 3] = v.w;
        }
    }
    __device__ __forceinline__ uint32_t id(const kd_array &nodes, uint32_t at) const
    {
        return DIM == 3 ? bi_f32_bits(x[DIM == 3 ? 3 : 0]) : nodes.ids[at];
    }
};

#endif
