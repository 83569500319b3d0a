/* Shared by the files of the CUDA backend of k-d trees: the layout of nodes, and the functions of its parts. */
#ifndef BI_KDTREE_CUDA_CUDA_CUH
#define BI_KDTREE_CUDA_CUDA_CUH

#include "core/cuda/launch.cuh"
#include "core/cuda/warp.cuh"
#include "kdtree/kdtree.h"
#include "kdtree/order.h"

/* --- Layout of nodes ---------------------------------------------------------------------------------------------- */

/* The layout of points on the device. F32 trees of 2 and 4 dimensions keep aligned vectors beside their ids; those of 3
 * dimensions keep records of 16 bytes with the id in the fourth word. All other trees keep rows of `dim` beside their
 * ids. */

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

/* --- Functions ---------------------------------------------------------------------------------------------------- */

static inline bi_kdtree_array bi_kdtree_array_of(const bosc_kdtree *tree)
{
    return {tree->points.data, static_cast<uint32_t *>(tree->ids.data)};
}

/* The fast builder (sampled/sampled_build.cu), for 2 to 4 dimensions. It needs lists if its sampling failed. */
bosc_status bi_kdtree_cuda_build(bosc_ctx *ctx, bosc_kdtree *tree, const struct bi_kdtree_rows *rows,
                                 enum bi_kdtree_outcome *outcome);
int64_t bi_kdtree_cuda_build_scratch(const bosc_kdtree_opts *opts, int64_t n);

/* Rows to nodes and back (rows.cu). */
bosc_status bi_kdtree_cuda_store(bosc_ctx *ctx, bosc_kdtree *tree, const struct bi_kdtree_rows *rows,
                                 const uint32_t *order, const uint32_t *ids);
bosc_status bi_kdtree_cuda_fetch(bosc_ctx *ctx, const bosc_kdtree *tree, void *points, uint32_t *ids);

/* Trees from sorted lists of ranks: the upper levels of all points at once (presorted/upper_levels.cu), then a block
 * for each subtree below (presorted/lower_levels.cu). */
bosc_status bi_kdtree_cuda_partition_by_rank(bosc_ctx *ctx, const bosc_kdtree *tree, struct bi_kdtree_lists *lists,
                                             uint32_t *order);

enum { BI_KDTREE_MOST_LISTS = 32 }; /* a tree has no more levels, so no more lists are used */

/* The lists of the levels from `level` on: list s, of `count`, belongs to level + s. The references of subtree i begin
 * i positions before its nodes, as the i medians between subtrees are removed. */
struct bi_kdtree_presorted {
    int64_t n;
    int32_t level, dim, count;
    const uint32_t *list[BI_KDTREE_MOST_LISTS];
};

/* Returns log2 of the largest subtree that one block makes. */
int bi_kdtree_presorted_log(const bosc_ctx *ctx, int64_t n, int32_t dim);

/* Makes the subtrees: order[i] = the reference of node i. `numbers`: scratch, an element a reference. */
bosc_status bi_kdtree_run_presorted_subtrees(bosc_ctx *ctx, const struct bi_kdtree_presorted &lists, int log_points,
                                             uint16_t *numbers, uint32_t *order);

/* The published method: duplicates and partition (published/brown.cu). */
bosc_status bi_kdtree_cuda_remove_duplicates(bosc_ctx *ctx, const struct bi_kdtree_removal *removal);
int64_t bi_kdtree_cuda_partition_scratch(const bosc_kdtree_opts *opts, int64_t n);
bosc_status bi_kdtree_cuda_partition_by_superkey(bosc_ctx *ctx, struct bi_kdtree_references *references,
                                                 uint32_t *order);

/* The fast verification (verify.cu), for trees that has_disorder_pass accepts. Lowers *bad to a node that is out of
 * order or has a wrong id, not always the smallest one. */
bool bi_kdtree_cuda_has_disorder_pass(const bosc_kdtree_opts *opts);
bosc_status bi_kdtree_cuda_find_disorder(bosc_ctx *ctx, const bosc_kdtree *tree, int64_t *bad);

/* The index of searches (search/make_index.cu). */
size_t bi_kdtree_cuda_index_bytes(const bosc_kdtree_opts *opts, int64_t n);
bosc_status bi_kdtree_cuda_make_index(bosc_ctx *ctx, bosc_kdtree *tree);
/* Queues the kernels that make it, for a tree that has one. They read nodes of any value. */
bosc_status bi_kdtree_cuda_launch_index(bosc_ctx *ctx, const bosc_kdtree *tree);

/* The other order of nodes (search/select_order.cu). A build samples trees that samples_order accepts: count_narrow
 * queues a kernel that adds to two sums (device memory), and mixing_of returns their meaning. */
bool bi_kdtree_cuda_samples_order(const bosc_ctx *ctx, const bosc_kdtree_opts *opts, int64_t n);
bosc_status bi_kdtree_cuda_count_narrow(bosc_ctx *ctx, const bosc_kdtree *tree, uint32_t narrow[2]);
enum bi_kdtree_mixing bi_kdtree_cuda_mixing_of(const uint32_t narrow[2]);

/* *searched = the tree that a search of m queries walks: the given one, or its order. k: 0 unless the search is for the
 * k nearest. The tree has an index. Queues. */
bosc_status bi_kdtree_cuda_select_order(bosc_ctx *ctx, const bosc_kdtree *tree, int64_t m, int64_t k,
                                        const bosc_kdtree **searched);
void bi_kdtree_cuda_order_bytes(const bosc_ctx *ctx, const bosc_kdtree_opts *opts, int64_t n, int64_t *kept,
                                int64_t *scratch);
bosc_status bi_kdtree_cuda_reserve_order(bosc_ctx *ctx, bosc_kdtree *tree, int64_t n);
void bi_kdtree_cuda_end_order(bosc_kdtree *order);
bosc_status bi_kdtree_cuda_order_nodes(bosc_ctx *ctx, const bosc_kdtree *tree, bosc_kdtree *order);

/* The searches, for trees that have an index (search/query.cu): the k nearest, those within a radius, those in
 * boxes. */
enum { BI_KDTREE_MOST_NEAREST = 32 };
size_t bi_kdtree_cuda_search_bytes(const bosc_kdtree_opts *opts, int64_t m);
bosc_status bi_kdtree_cuda_knn(bosc_ctx *ctx, const bosc_kdtree *tree, const struct bi_kdtree_query *query);
bosc_status bi_kdtree_cuda_radius_count(bosc_ctx *ctx, const bosc_kdtree *tree, const struct bi_kdtree_query *query);
bosc_status bi_kdtree_cuda_radius_fill(bosc_ctx *ctx, const bosc_kdtree *tree, const struct bi_kdtree_query *query);
bosc_status bi_kdtree_cuda_box_count(bosc_ctx *ctx, const bosc_kdtree *tree, const struct bi_kdtree_query *query);
bosc_status bi_kdtree_cuda_box_fill(bosc_ctx *ctx, const bosc_kdtree *tree, const struct bi_kdtree_query *query);

/* Launches a check for NaN and coordinates beyond a limit, of at most BI_KDTREE_CHECK_ROWS rows of floats or doubles
 * (rows.cu). A caller that waits at once uses it for WAITED_ROWS at most: measured on an H200, builds of 2^22 points
 * take .80 ms, with it .84. Each block writes its first bad row, or BI_KDTREE_NONE, to `bad`, for later kernels. */
enum { BI_KDTREE_CHECK_BLOCKS = 32, BI_KDTREE_CHECK_ROWS = 1 << 22, BI_KDTREE_WAITED_ROWS = 1 << 18 };
bosc_status bi_kdtree_cuda_start_check(bosc_ctx *ctx, bosc_dtype dtype, int32_t dim, const struct bi_kdtree_rows *rows,
                                       double limit, uint32_t bad[BI_KDTREE_CHECK_BLOCKS]);

/* Waits for the check, not for later kernels. The check writes its result to pinned memory of the context. So a call
 * that fails between the two functions passes its status through drain_if_failed, which waits for the stream. */
bosc_status bi_kdtree_cuda_wait_check(bosc_ctx *ctx, struct bi_kdtree_findings *found);
bosc_status bi_kdtree_cuda_drain_if_failed(bosc_ctx *ctx, bosc_status status);

/* bi_kdtree_cuda_knn with every node as a query, rows by id. */
bosc_status bi_kdtree_cuda_knn_self(bosc_ctx *ctx, const bosc_kdtree *tree, const struct bi_kdtree_query *query);

#endif
