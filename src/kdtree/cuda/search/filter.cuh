/* The k nearest in many dimensions by a filter on tensor cores (docs/design/kdtree.md). Points and queries are rounded
 * to halves about a centre. The squared distance of two rounded rows is a sum of squares and a product of rows, which
 * tensor cores compute. The distance of the rows differs from it by at most the errors of both. Nodes that may be among
 * the nearest are candidates; their distances are computed as everywhere. */
#ifndef BI_KDTREE_CUDA_SEARCH_FILTER_CUH
#define BI_KDTREE_CUDA_SEARCH_FILTER_CUH

#include "core/cuda/tensor.cuh"
#include "kdtree/cuda/cuda.cuh"
#include "kdtree/cuda/search/wide_boxes.cuh"

enum {
    BI_KDTREE_FILTER_ROWS = 128,       /* points of a tile; numbers of rows are rounded up to a multiple of it */
    BI_KDTREE_FILTER_HALF = 64,        /* points of a tile of the sample */
    BI_KDTREE_FILTER_MOST_GROUPS = 512 /* bounds of a query from the sample. Not measured */
};

/* Rounded rows are scaled by a power of two: coordinates of points are below 2^BI_KDTREE_FILTER_EXPONENT + 1 in
 * magnitude. Halves have 39 bits of range; the exponent leaves queries 2^5 times as far room below 2^16, and points
 * 2^-24 as far are rounded to 11 bits. */
enum { BI_KDTREE_FILTER_EXPONENT = 10 };

/* Upper bounds for the points of a tile: of the distance of a point from its rounded one, and of the length of the
 * rounded one. Bits of non-negative floats. */
struct bi_kdtree_filter_tile {
    uint32_t error, length;
};

/* Of a query at first: the squared length of the rounded query. Then a lower bound of half of it, and an upper bound of
 * `error` plus the largest distance of a candidate. error, length: as of a tile. Scaled as rows are. */
struct alignas(16) bi_kdtree_filter_query {
    float square, error, length, radius;
};

/* Rounded rows of points, of a sample of them, or of queries. */
struct bi_kdtree_filter_rows {
    uint4 *words;                 /* of 16 rows and 16 columns, 32 entries: the layout of core/cuda/tensor.cuh */
    float *halves;                /* points: minus half the squared length; -infinity: not a point or not finite */
    bi_kdtree_filter_tile *tiles; /* points */
    bi_kdtree_filter_query *queries;
    int64_t count, padded; /* padded: a multiple of BI_KDTREE_FILTER_ROWS */
    int32_t log_tile;      /* log2 of the points of a tile */
};

/* The map of rows to rounded rows: centre, and the upper word of the largest difference from it as a double. */
struct bi_kdtree_filter_map {
    double *centre;
    uint32_t *largest;
    int32_t dim, steps; /* steps: 16 columns each */
    bi_kdtree_choice choice;
};

/* Returns the scale of rounded rows, a power of two. */
static __device__ __forceinline__ double bi_kdtree_filter_scale(const bi_kdtree_filter_map &map)
{
    const int exponent = (int)(*map.largest >> 20) - 1023;
    return exponent < -900 ? 1 : ldexp(1.0, BI_KDTREE_FILTER_EXPONENT - exponent);
}

/* Writes map.centre and map.largest for contiguous rows. */
bosc_status bi_kdtree_filter_find_map(bosc_ctx *ctx, bosc_dtype dtype, const struct bi_kdtree_rows *rows,
                                      const bi_kdtree_filter_map *map);

/* Rounds rows `every` apart. */
bosc_status bi_kdtree_filter_round(bosc_ctx *ctx, bosc_dtype dtype, const struct bi_kdtree_rows *rows, int64_t every,
                                   const bi_kdtree_filter_map *map, const bi_kdtree_filter_rows *to);

/* A pass over all pairs of queries and points. */
struct bi_kdtree_filter_scan {
    bi_kdtree_filter_rows queries, points;
    int32_t steps, slices, tiles_per_slice, fold;
    float product_error; /* bi_tensor_error */
    /* Over the sample: the least upper bound of distances for each query and group of points. A group has a quarter of
     * `fold` tiles. */
    uint32_t *bounds;
    int32_t groups;
    /* Over all points: candidates by query, positions from `first` on. */
    uint32_t *counts, *lists, first;
    int32_t capacity;
    bi_kdtree_choice choice;
};

/* Lowers scan.bounds, which are bits of floats. The points are the sample. */
bosc_status bi_kdtree_filter_bound(bosc_ctx *ctx, bi_kdtree_filter_scan scan);

/* Appends candidates. A list lacks some if its count is beyond the capacity. */
bosc_status bi_kdtree_filter_list(bosc_ctx *ctx, bi_kdtree_filter_scan scan);

/* True if the passes are compiled for tensor cores of the current device. */
bool bi_kdtree_filter_multiplies(void);

/* has_filter: true if searches for the k nearest in the tree use the filter. may_filter: true if searches of m queries
 * use it where wide boxes exclude little. */
bool bi_kdtree_has_filter(const bosc_kdtree *tree, int64_t k);
bool bi_kdtree_may_filter(const bosc_kdtree *tree, int64_t m, int64_t k);

/* Returns the scratch of a search of m queries. */
size_t bi_kdtree_filter_bytes(const bosc_kdtree_opts *opts, int64_t n, int64_t m, int64_t k);

/* Writes the nearest of a.m queries. */
bosc_status bi_kdtree_search_filtered(bosc_ctx *ctx, const bosc_kdtree *tree, const bi_kdtree_cuda_search &a,
                                      const bi_kdtree_choice &choice);

#endif
