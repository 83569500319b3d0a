/* Rounds rows to halves for the filter: centre and scale, rounded rows, and bounds of their errors. */
#include "kdtree/cuda/search/filter.cuh"
#include "kdtree/cuda/search/index.cuh"

enum { THREADS = 256, WARPS = THREADS / 32, SAMPLE = 255 };

/* Beyond: infinite. Ordinary coordinates are within 2^505. */
static constexpr double LARGEST = 0x1p600;

template <class T> struct round_args {
    const T *rows;
    int64_t stride, every;
    bi_kdtree_filter_map map;
    bi_kdtree_filter_rows to;
};

template <class T> static __device__ __forceinline__ double coordinate_of(const round_args<T> &a, int64_t row, int c)
{
    typedef typename bi_kdtree_distance_of<T>::type D;
    return (double)(D)a.rows[row * a.every * a.stride + c];
}

struct centre_shared {
    double x[SAMPLE];
};

/* Writes the median of some rows for each coordinate, a block a coordinate: unlike a mean it is near most rows. */
template <class T> static __global__ void __launch_bounds__(THREADS) bi_kdtree_filter_find_centre(const round_args<T> a)
{
    BI_SHARED(centre_shared, sh);
    if (!bi_kdtree_chooses_filter(a.map.choice)) return;
    const int count = (int)min(a.to.count, (int64_t)SAMPLE), own = (int)threadIdx.x;
    /* 1. Read evenly spread rows. The barrier makes them visible to the block. */
    const double x = own < count ? coordinate_of(a, own * a.to.count / count, (int)blockIdx.x) : 0;
    if (own < count) sh.x[own] = x;
    __syncthreads();
    /* 2. The row whose rank is the middle one writes its coordinate. */
    int rank = 0;
    for (int i = 0; i < count; i++) rank += sh.x[i] < x || (sh.x[i] == x && i < own);
    if (own < count && rank == count / 2) a.map.centre[blockIdx.x] = fabs(x) < LARGEST ? x : 0;
}

/* Raises *map.largest to the largest finite difference of contiguous rows from the centre. Non-negative numbers are
 * ordered as their upper words. */
template <class T>
static __global__ void __launch_bounds__(THREADS) bi_kdtree_filter_find_largest(const round_args<T> a)
{
    if (!bi_kdtree_chooses_filter(a.map.choice)) return;
    typedef typename bi_kdtree_distance_of<T>::type D;
    const int64_t elements = a.to.count * a.map.dim, step = (int64_t)gridDim.x * THREADS,
                  first = blockIdx.x * (int64_t)THREADS + threadIdx.x;
    const int step_columns = (int)(step % a.map.dim);
    uint32_t largest = 0;
    int c = (int)(first % a.map.dim);
    for (int64_t e = first; e < elements; e += step) {
        const double d = fabs((double)(D)a.rows[e] - a.map.centre[c]);
        if (d < LARGEST) largest = max(largest, (uint32_t)(bi_f64_bits(d) >> 32));
        c += step_columns;
        if (c >= a.map.dim) c -= a.map.dim;
    }
    largest = bi_warp_max(largest);
    if (threadIdx.x % 32 == 0) atomicMax(a.map.largest, largest);
}

/* Sums over the columns of a row: squares of the rounded row, of the errors, and of the exact row. */
struct row_sums {
    double squares, errors, exact;
    bool finite;
};

/* Rounds column c of a row to a half, and adds it to the sums. */
template <class T>
static __device__ __forceinline__ uint32_t round_element(const round_args<T> &a, int64_t row, int c, double scale,
                                                         row_sums &sums)
{
    if (row >= a.to.count || c >= a.map.dim) return 0;
    double x = (coordinate_of(a, row, c) - a.map.centre[c]) * scale;
    if (!(fabs(x) < LARGEST * scale)) {
        sums.finite = false;
        return 0;
    }
    const float largest = 65504; /* of halves; farther queries have large errors */
    const uint32_t half = bi_half_bits(fminf(fmaxf((float)x, -largest), largest));
    const double rounded = (double)bi_half_value(half), error = x - rounded;
    sums.squares += rounded * rounded;
    sums.errors += error * error;
    sums.exact += x * x;
    return half;
}

static __device__ __forceinline__ double sum_of_four(double x)
{
    x += __shfl_xor_sync(~0u, x, 1);
    return x + __shfl_xor_sync(~0u, x, 2);
}

/* Returns a float above x, which is not negative. */
static __device__ __forceinline__ float round_up(double x) { return (float)(x * (1 + 0x1p-22)) + 0x1p-120f; }

/* Writes what searches need of a row beside its words. The differences from the centre and the sums of doubles have
 * relative errors far below 2^-40. */
static __device__ __forceinline__ void write_row(const bi_kdtree_filter_rows &to, int64_t row, const row_sums &sums)
{
    const float error = round_up(sqrt(sums.errors) * (1 + 0x1p-40) + 0x1p-50 * sqrt(sums.exact)),
                length = round_up(sqrt(sums.squares));
    const bool valid = sums.finite && row < to.count;
    if (to.queries) { /* the search of others measures all points */
        to.queries[row] = {(float)sums.squares, error, valid ? length : (float)INFINITY, 0};
        return;
    }
    to.halves[row] = valid ? (float)(-0.5 * sums.squares) : -(float)INFINITY;
    if (!valid) return;
    atomicMax(&to.tiles[row >> to.log_tile].error, bi_f32_bits(error));
    atomicMax(&to.tiles[row >> to.log_tile].length, bi_f32_bits(length));
}

/* Rounds 16 rows a warp. */
template <class T> static __global__ void __launch_bounds__(THREADS) bi_kdtree_filter_round_rows(const round_args<T> a)
{
    const int64_t block = blockIdx.x * (int64_t)WARPS + threadIdx.x / 32;
    const int lane = (int)threadIdx.x % 32;
    if (block * 16 >= a.to.padded || !bi_kdtree_chooses_filter(a.map.choice)) return;
    /* 1. Each lane rounds columns of two rows, 8 halves a step. */
    const double scale = bi_kdtree_filter_scale(a.map);
    row_sums sums[2] = {{0, 0, 0, true}, {0, 0, 0, true}};
    for (int step = 0; step < a.map.steps; step++) {
        uint32_t words[4];
#pragma unroll
        for (int w = 0; w < 4; w++) {
            const int64_t row = block * 16 + lane / 4 + 8 * (w % 2);
            const int c = 16 * step + 2 * (lane % 4) + 8 * (w / 2);
            const uint32_t left = round_element(a, row, c, scale, sums[w % 2]);
            words[w] = left | round_element(a, row, c + 1, scale, sums[w % 2]) << 16;
        }
        a.to.words[(block * a.map.steps + step) * 32 + lane] = make_uint4(words[0], words[1], words[2], words[3]);
    }
    /* 2. Four lanes have a row: add their sums; the first writes them. */
#pragma unroll
    for (int w = 0; w < 2; w++) {
        const uint32_t finite = __ballot_sync(~0u, sums[w].finite);
        const row_sums all = {sum_of_four(sums[w].squares), sum_of_four(sums[w].errors), sum_of_four(sums[w].exact),
                              (finite >> (lane & ~3) & 15) == 15};
        if (lane % 4 == 0) write_row(a.to, block * 16 + lane / 4 + 8 * w, all);
    }
}

template <class T>
static bosc_status find_map(bosc_ctx *ctx, const struct bi_kdtree_rows *rows, const bi_kdtree_filter_map *map)
{
    round_args<T> a = {static_cast<const T *>(rows->data), rows->stride, 1, *map, {}};
    auto centre = bi_kdtree_filter_find_centre<T>;
    auto largest = bi_kdtree_filter_find_largest<T>;
    a.to.count = rows->n;
    BI_TRY(ctx->backend->fill(ctx, map->largest, 0, sizeof *map->largest));
    BI_TRY(BI_RUN(ctx, centre, (unsigned)map->dim, THREADS, 0, a));
    return BI_RUN(ctx, largest, bi_grid_size(ctx, rows->n * map->dim, THREADS), THREADS, 0, a);
}

bosc_status bi_kdtree_filter_find_map(bosc_ctx *ctx, bosc_dtype dtype, const struct bi_kdtree_rows *rows,
                                      const bi_kdtree_filter_map *map)
{
    switch (dtype) {
    case BOSC_F32: return find_map<float>(ctx, rows, map);
    case BOSC_F64: return find_map<double>(ctx, rows, map);
    case BOSC_I32: return find_map<int32_t>(ctx, rows, map);
    default: return find_map<int64_t>(ctx, rows, map);
    }
}

template <class T>
static bosc_status round_rows(bosc_ctx *ctx, const struct bi_kdtree_rows *rows, int64_t every,
                              const bi_kdtree_filter_map *map, const bi_kdtree_filter_rows *to)
{
    const round_args<T> a = {static_cast<const T *>(rows->data), rows->stride, every, *map, *to};
    auto kernel = bi_kdtree_filter_round_rows<T>;
    if (to->tiles)
        BI_TRY(ctx->backend->fill(ctx, to->tiles, 0, (size_t)(to->padded >> to->log_tile) * sizeof *to->tiles));
    return BI_RUN(ctx, kernel, (unsigned)bi_div_up(to->padded / 16, WARPS), THREADS, 0, a);
}

bosc_status bi_kdtree_filter_round(bosc_ctx *ctx, bosc_dtype dtype, const struct bi_kdtree_rows *rows, int64_t every,
                                   const bi_kdtree_filter_map *map, const bi_kdtree_filter_rows *to)
{
    switch (dtype) {
    case BOSC_F32: return round_rows<float>(ctx, rows, every, map, to);
    case BOSC_F64: return round_rows<double>(ctx, rows, every, map, to);
    case BOSC_I32: return round_rows<int32_t>(ctx, rows, every, map, to);
    default: return round_rows<int64_t>(ctx, rows, every, map, to);
    }
}
