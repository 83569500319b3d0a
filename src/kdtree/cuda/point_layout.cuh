/* The layout of points on the device. F32 trees of 2 and 4 dimensions keep aligned vectors beside their ids; those of 3
 * dimensions keep records of 16 bytes with the id in the fourth word. All other trees keep rows of `dim` beside their
 * ids. */
#ifndef BI_KDTREE_CUDA_POINT_LAYOUT_CUH
#define BI_KDTREE_CUDA_POINT_LAYOUT_CUH

#include "core/cuda/launch.cuh"
#include "core/cuda/warp.cuh"
#include "kdtree/order.h"

/* An array of points in the layout that a tree keeps. `ids` is unused if records hold the ids. */
struct bi_kdtree_array {
    void *points;
    uint32_t *ids;
};

template <int DIM> struct alignas(DIM == 3 ? 16 : 4) bi_kdtree_point {
    float x[DIM];
    uint32_t id;
};

/* True if trees with these options keep ids inside 16-byte records. */
static inline bool bi_kdtree_keeps_records(const bosc_kdtree_opts *opts)
{
    return opts->dtype == BOSC_F32 && opts->dim == 3;
}

static inline size_t bi_kdtree_element_size(bosc_dtype dtype) { return dtype == BOSC_F32 || dtype == BOSC_I32 ? 4 : 8; }

/* True if searches of such points use an index. */
static inline bool bi_kdtree_has_index(const bosc_kdtree_opts *opts) { return opts->dim >= 1 && opts->dim <= 4; }

/* True if trees with these options keep vectors or records. */
static inline bool bi_kdtree_keeps_vectors(const bosc_kdtree_opts *opts)
{
    return opts->dtype == BOSC_F32 && opts->dim >= 2 && opts->dim <= 4;
}

/* True if the sampled builder handles such points. */
static inline bool bi_kdtree_has_sampled_build(const bosc_kdtree_opts *opts)
{
    return opts->dim >= 2 && opts->dim <= 4;
}

/* Bytes of one point and its id. */
static inline size_t bi_kdtree_point_bytes(int dim) { return dim == 2 ? 8 : 16; }
static inline size_t bi_kdtree_id_bytes(int dim) { return dim == 3 ? 0 : 4; }

/* Returns coordinate d of p by selects, as registers have no addresses. */
template <int DIM> __device__ __forceinline__ float bi_kdtree_coordinate(const bi_kdtree_point<DIM> &p, int d)
{
    float x = p.x[0];
#pragma unroll
    for (int c = 1; c < DIM; c++) x = d == c ? p.x[c] : x;
    return x;
}

template <int DIM> __device__ __forceinline__ int bi_kdtree_next_coordinate(int d) { return d + 1 == DIM ? 0 : d + 1; }

/* True if a precedes b by the superkey that begins at coordinate d, then by id. */
template <int DIM>
__device__ __forceinline__ bool bi_kdtree_point_precedes(const bi_kdtree_point<DIM> &a, const bi_kdtree_point<DIM> &b,
                                                         int d)
{
#pragma unroll
    for (int t = 0; t < DIM; t++) {
        float x = bi_kdtree_coordinate<DIM>(a, d), y = bi_kdtree_coordinate<DIM>(b, d);
        if (x != y) return x < y;
        d = bi_kdtree_next_coordinate<DIM>(d);
    }
    return a.id < b.id;
}

template <int DIM>
__device__ __forceinline__ bi_kdtree_point<DIM> bi_kdtree_load_point(const bi_kdtree_array &a, uint32_t i);
template <> __device__ __forceinline__ bi_kdtree_point<2> bi_kdtree_load_point(const bi_kdtree_array &a, uint32_t i)
{
    float2 v = static_cast<const float2 *>(a.points)[i];
    return {{v.x, v.y}, a.ids[i]};
}
template <> __device__ __forceinline__ bi_kdtree_point<3> bi_kdtree_load_point(const bi_kdtree_array &a, uint32_t i)
{
    float4 v = static_cast<const float4 *>(a.points)[i];
    return {{v.x, v.y, v.z}, bi_f32_bits(v.w)};
}
template <> __device__ __forceinline__ bi_kdtree_point<4> bi_kdtree_load_point(const bi_kdtree_array &a, uint32_t i)
{
    float4 v = static_cast<const float4 *>(a.points)[i];
    return {{v.x, v.y, v.z, v.w}, a.ids[i]};
}

/* bi_kdtree_load_point past the first-level cache, which is not coherent: sees writes of other blocks of the launch. */
template <int DIM>
__device__ __forceinline__ bi_kdtree_point<DIM> bi_kdtree_load_point_fresh(const bi_kdtree_array &a, uint32_t i);
template <>
__device__ __forceinline__ bi_kdtree_point<2> bi_kdtree_load_point_fresh(const bi_kdtree_array &a, uint32_t i)
{
    float2 v = __ldcg(static_cast<const float2 *>(a.points) + i);
    return {{v.x, v.y}, __ldcg(a.ids + i)};
}
template <>
__device__ __forceinline__ bi_kdtree_point<3> bi_kdtree_load_point_fresh(const bi_kdtree_array &a, uint32_t i)
{
    float4 v = __ldcg(static_cast<const float4 *>(a.points) + i);
    return {{v.x, v.y, v.z}, bi_f32_bits(v.w)};
}
template <>
__device__ __forceinline__ bi_kdtree_point<4> bi_kdtree_load_point_fresh(const bi_kdtree_array &a, uint32_t i)
{
    float4 v = __ldcg(static_cast<const float4 *>(a.points) + i);
    return {{v.x, v.y, v.z, v.w}, __ldcg(a.ids + i)};
}

template <int DIM>
__device__ __forceinline__ void bi_kdtree_store_point(const bi_kdtree_array &a, uint32_t i,
                                                      const bi_kdtree_point<DIM> &p);
template <>
__device__ __forceinline__ void bi_kdtree_store_point(const bi_kdtree_array &a, uint32_t i, const bi_kdtree_point<2> &p)
{
    static_cast<float2 *>(a.points)[i] = make_float2(p.x[0], p.x[1]);
    a.ids[i] = p.id;
}
template <>
__device__ __forceinline__ void bi_kdtree_store_point(const bi_kdtree_array &a, uint32_t i, const bi_kdtree_point<3> &p)
{
    static_cast<float4 *>(a.points)[i] = make_float4(p.x[0], p.x[1], p.x[2], bi_f32_from_bits(p.id));
}
template <>
__device__ __forceinline__ void bi_kdtree_store_point(const bi_kdtree_array &a, uint32_t i, const bi_kdtree_point<4> &p)
{
    static_cast<float4 *>(a.points)[i] = make_float4(p.x[0], p.x[1], p.x[2], p.x[3]);
    a.ids[i] = p.id;
}

/* Input of a pass: rows of the caller (`rows` not NULL), or an array. */
struct bi_kdtree_source {
    const float *rows;
    int64_t stride;
    bi_kdtree_array array;
};

/* Reads point i. The id of a row is its number; -0 becomes +0. */
template <int DIM>
__device__ __forceinline__ bi_kdtree_point<DIM> bi_kdtree_read_point(const bi_kdtree_source &s, uint32_t i)
{
    if (!s.rows) return bi_kdtree_load_point<DIM>(s.array, i);
    bi_kdtree_point<DIM> p;
    const float *row = s.rows + (int64_t)i * s.stride;
#pragma unroll
    for (int c = 0; c < DIM; c++) p.x[c] = row[c] + 0.0f;
    p.id = i;
    return p;
}

#endif
