/* The arguments of a search on CUDA. */
#ifndef BI_KDTREE_CUDA_SEARCH_SEARCH_CUH
#define BI_KDTREE_CUDA_SEARCH_SEARCH_CUH

#include "kdtree/cuda/search/index.cuh"
#include "kdtree/cuda/search/node_distance.cuh"

enum bi_kdtree_search_kind {
    BI_KDTREE_FIND_NEAREST,
    BI_KDTREE_FIND_COUNT,
    BI_KDTREE_FIND_ROWS,
    BI_KDTREE_FIND_BOX_COUNT, /* queries are the low and the high corner of each box */
    BI_KDTREE_FIND_BOX_ROWS
};

struct bi_kdtree_cuda_search {
    enum bi_kdtree_search_kind kind;
    int32_t dim;
    bi_kdtree_array nodes;
    bi_kdtree_cuda_index index;
    uint32_t n, m;
    const void *queries; /* rows by number; once sorted, in the sorted order */
    int64_t stride;
    uint32_t lanes;               /* queries per warp */
    uint32_t helpers;             /* lanes per query, at most 32 / lanes, a power of 2 */
    uint32_t *scratch;            /* 4 m words */
    void *sorted_rows;            /* scratch for the rows of the sorted queries */
    const uint32_t *keys, *order; /* of the sorted queries: key, and number; NULL: not sorted */
    uint32_t *samples;            /* positions of k near nodes per BI_KDTREE_SAMPLE_STRIDE sorted queries; NULL: none */
    const uint32_t *bad_queries;  /* result of bi_kdtree_cuda_start_nan_check; NULL: all are good */
    const uint32_t *rows;         /* output row of each query, row_stride apart; NULL: its number */
    uint32_t row_stride;
    int32_t k;
    double limit; /* the largest squared distance that counts */
    void *ids, *dist2;
    bool wide;
    int64_t *counts, *bad;
    uint32_t *long_rows; /* list of long rows, sorted later: see bi_row_list_long */
    const int64_t *offsets;
    int64_t first; /* the number of query 0 in the whole call */
};

/* Launches a search of DIM dimensions, 1 to 4. Instances for each type are in query_TYPE_DIMS.cu, as their kernels take
 * long to compile. */
template <class T, int DIM> bosc_status bi_kdtree_launch_dim(bosc_ctx *ctx, bi_kdtree_cuda_search a);

/* Returns the output row of a query. */
static __device__ __forceinline__ int64_t bi_kdtree_row_of(const bi_kdtree_cuda_search &a, uint32_t number)
{
    return a.rows ? a.rows[(size_t)number * a.row_stride] : number;
}

/* True if some query holds a NaN. All lanes of a warp call this. */
static __device__ __forceinline__ bool bi_kdtree_has_bad_query(const bi_kdtree_cuda_search &a)
{
    return a.bad_queries && __any_sync(~0u, a.bad_queries[threadIdx.x % 32] != BI_KDTREE_NONE);
}

template <class T, int DIM>
__device__ __forceinline__ void bi_kdtree_load_query(const bi_kdtree_cuda_search &a, uint32_t number,
                                                     typename bi_kdtree_distance_of<T>::type *q)
{
    typedef typename bi_kdtree_distance_of<T>::type D;
#pragma unroll
    for (int c = 0; c < DIM; c++) q[c] = (D) static_cast<const T *>(a.queries)[number * a.stride + c];
}

#endif
