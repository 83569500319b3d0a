/* Rows of the caller on CUDA: copies to and from the layout of nodes, and the check for a NaN. */
#include <type_traits>

#include "core/cuda/dependent.cuh"
#include "core/cuda/launch.cuh"
#include "kdtree/cuda/cuda.cuh"
#include "kdtree/steps/rows.h"

/* --- Storing and fetching ----------------------------------------------------------------------------------------- */

/* Arguments of copies in either direction. */
template <class T> struct layout_args {
    const T *rows; /* of the caller: input */
    T *out;
    T *nodes;
    int64_t stride, nodes_pitch;
    int32_t dim;
    const uint32_t *order, *new_ids; /* may be NULL */
    uint32_t *node_ids, *out_ids;    /* out_ids and out may be NULL */
    int32_t id_stride;
};

/* Copies rows to nodes; adding 0 turns -0 into +0. */
template <class T>
static __global__ void __launch_bounds__(256) bi_kdtree_store_nodes(const layout_args<T> a, int64_t n)
{
    for (int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; i < n; i += (int64_t)gridDim.x * blockDim.x) {
        int64_t row = a.order ? (int64_t)a.order[i] : i;
        for (int32_t c = 0; c < a.dim; c++) a.nodes[i * a.nodes_pitch + c] = a.rows[row * a.stride + c] + T(0);
        a.node_ids[i * a.id_stride] = a.new_ids ? a.new_ids[i] : (uint32_t)row;
    }
}

template <class T>
static __global__ void __launch_bounds__(256) bi_kdtree_fetch_nodes(const layout_args<T> a, int64_t n)
{
    for (int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; i < n; i += (int64_t)gridDim.x * blockDim.x) {
        if (a.out)
            for (int32_t c = 0; c < a.dim; c++) a.out[i * a.dim + c] = a.nodes[i * a.nodes_pitch + c];
        if (a.out_ids) a.out_ids[i] = a.node_ids[i * a.id_stride];
    }
}

template <class T> static layout_args<T> layout_of(const bosc_kdtree *tree)
{
    bosc_kdtree_view view = tree->ops->view(tree);
    layout_args<T> a = {};
    a.nodes = static_cast<T *>(const_cast<void *>(view.points));
    a.nodes_pitch = view.pitch;
    a.dim = view.dim;
    a.node_ids = const_cast<uint32_t *>(view.ids);
    a.id_stride = view.id_stride;
    return a;
}

template <class T>
static bosc_status store_as(bosc_ctx *ctx, bosc_kdtree *tree, const struct bi_kdtree_rows *rows, const uint32_t *order,
                            const uint32_t *ids)
{
    layout_args<T> a = layout_of<T>(tree);
    a.rows = static_cast<const T *>(rows->data);
    a.stride = rows->stride;
    a.order = order;
    a.new_ids = ids;
    if (std::is_integral<T>::value && !order && ids && a.stride == a.dim && a.nodes_pitch == a.dim &&
        a.id_stride == 1) { /* plain copies: integers have no -0 */
        BI_TRY(ctx->backend->copy(ctx, a.nodes, a.rows, (size_t)(tree->nodes * a.dim) * sizeof *a.rows));
        return ctx->backend->copy(ctx, a.node_ids, ids, (size_t)tree->nodes * sizeof *ids);
    }
    auto kernel = bi_kdtree_store_nodes<T>;
    return BI_RUN(ctx, kernel, bi_grid_size(ctx, tree->nodes, 256), 256, 0, a, tree->nodes);
}

template <class T> static bosc_status fetch_as(bosc_ctx *ctx, const bosc_kdtree *tree, void *points, uint32_t *ids)
{
    layout_args<T> a = layout_of<T>(tree);
    a.out = static_cast<T *>(points);
    a.out_ids = ids;
    auto kernel = bi_kdtree_fetch_nodes<T>;
    return BI_RUN(ctx, kernel, bi_grid_size(ctx, tree->nodes, 256), 256, 0, a, tree->nodes);
}

/* bi_kdtree_store_nodes for trees that keep vectors or records. */
template <int DIM>
static __global__ void __launch_bounds__(256)
    bi_kdtree_store_points(const bi_kdtree_source from, const bi_kdtree_array nodes, const uint32_t *order,
                           const uint32_t *ids, int64_t n)
{
    for (int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; i < n; i += (int64_t)gridDim.x * blockDim.x) {
        bi_kdtree_point<DIM> p = bi_kdtree_read_point<DIM>(from, order ? order[i] : (uint32_t)i);
        if (ids) p.id = ids[i];
        bi_kdtree_store_point<DIM>(nodes, (uint32_t)i, p);
    }
}

static bosc_status store_vectors(bosc_ctx *ctx, bosc_kdtree *tree, const struct bi_kdtree_rows *rows,
                                 const uint32_t *order, const uint32_t *ids)
{
    bi_kdtree_source from = {static_cast<const float *>(rows->data), rows->stride, {}};
    auto kernel = tree->opts.dim == 2   ? bi_kdtree_store_points<2>
                  : tree->opts.dim == 3 ? bi_kdtree_store_points<3>
                                        : bi_kdtree_store_points<4>;
    return BI_RUN(ctx, kernel, bi_grid_size(ctx, tree->nodes, 256), 256, 0, from, bi_kdtree_array_of(tree), order, ids,
                  tree->nodes);
}

bosc_status bi_kdtree_cuda_store(bosc_ctx *ctx, bosc_kdtree *tree, const struct bi_kdtree_rows *rows,
                                 const uint32_t *order, const uint32_t *ids)
{
    if (tree->nodes == 0) return BOSC_OK;
    if (bi_kdtree_keeps_vectors(&tree->opts)) return store_vectors(ctx, tree, rows, order, ids);
    switch (tree->opts.dtype) {
    case BOSC_F32: return store_as<float>(ctx, tree, rows, order, ids);
    case BOSC_F64: return store_as<double>(ctx, tree, rows, order, ids);
    case BOSC_I32: return store_as<int32_t>(ctx, tree, rows, order, ids);
    default: return store_as<int64_t>(ctx, tree, rows, order, ids);
    }
}

bosc_status bi_kdtree_cuda_fetch(bosc_ctx *ctx, const bosc_kdtree *tree, void *points, uint32_t *ids)
{
    if (tree->nodes == 0) return BOSC_OK;
    switch (tree->opts.dtype) {
    case BOSC_F32: return fetch_as<float>(ctx, tree, points, ids);
    case BOSC_F64: return fetch_as<double>(ctx, tree, points, ids);
    case BOSC_I32: return fetch_as<int32_t>(ctx, tree, points, ids);
    default: return fetch_as<int64_t>(ctx, tree, points, ids);
    }
}

/* --- Checks of rows ----------------------------------------------------------------------------------------------- */

/* Finds a NaN, or a coordinate beyond a limit, in rows. A check is one launch; each of its blocks writes a word to
 * pinned memory, and the host polls these words. So it does not wait for kernels launched later, which read the same
 * result on the device. */

enum {
    BLOCKS = BI_KDTREE_CHECK_BLOCKS,
    GOOD = 1,      /* the word of a block without a bad row */
    FIRST_BAD = 2, /* else the word is this plus the first bad row */
#ifdef BI_EMULATE
    MANY_ROWS = 1 << 11
#else
    MANY_ROWS = BI_KDTREE_WAITED_ROWS /* more are checked by larger blocks; chosen, not measured */
#endif
};
static const unsigned long long TINY = 1ull << 63; /* beside: a coordinate is tiny */
static_assert(BLOCKS * sizeof(unsigned long long) <= BI_PINNED_BYTES, "each block has a word");

struct row_check {
    const void *rows;
    double limit, least;
    int64_t stride;
    uint32_t n, rows_per_block; /* n: rows */
    int32_t dim;
    uint32_t *bad;             /* first bad row of each block, for later kernels */
    unsigned long long *words; /* likewise in pinned memory, for the host */
};

static __device__ __forceinline__ int classify(float x, const row_check &a)
{
    return bi_kdtree_classify_f32(x, (float)a.limit, (float)a.least);
}

static __device__ __forceinline__ int classify(double x, const row_check &a)
{
    return bi_kdtree_classify_f64(x, a.limit, a.least);
}

/* Returns the class bits of a row. */
template <class T> static __device__ __forceinline__ int classify_row(const row_check &a, uint32_t row)
{
    const T *x = static_cast<const T *>(a.rows) + row * a.stride;
    int bits = 0;
    for (int32_t c = 0; c < a.dim; c++) bits |= classify(x[c], a);
    return bits;
}

struct row_check_shared {
    uint32_t first;
};

template <class T, int THREADS>
static __global__ void __launch_bounds__(THREADS) bi_kdtree_find_beyond_rows(const row_check a)
{
    BI_SHARED(row_check_shared, sh);
    bi_trigger_dependents(); /* bi_kdtree_make_keys reads no result */
    /* 1. Each thread finds its first bad row, and tiny coordinates. */
    uint32_t bad = BI_KDTREE_NONE;
    int any = 0;
    const uint32_t begin = blockIdx.x * a.rows_per_block, end = min(begin + a.rows_per_block, a.n);
#pragma unroll 4
    for (uint32_t row = begin + threadIdx.x; row < end; row += THREADS) {
        const int bits = classify_row<T>(a, row);
        if (bits & BI_KDTREE_IS_BEYOND) bad = min(bad, row);
        any |= bits;
    }
    /* 2. The block finds the least of them. The first barrier makes sh.first = NONE visible, the second the minimum. */
    if (threadIdx.x == 0) sh.first = BI_KDTREE_NONE;
    if (__syncthreads_or(bad != BI_KDTREE_NONE)) atomicMin(&sh.first, bad);
    const bool any_tiny = __syncthreads_or(any & BI_KDTREE_IS_TINY);
    /* 3. Publish it to later kernels and to the host, which count on BLOCKS results. */
    if (blockIdx.x == 0 && threadIdx.x >= gridDim.x && threadIdx.x < BLOCKS) a.bad[threadIdx.x] = BI_KDTREE_NONE;
    if (threadIdx.x > 0) return;
    a.bad[blockIdx.x] = sh.first;
    const unsigned long long word =
        sh.first == BI_KDTREE_NONE ? (unsigned long long)GOOD : FIRST_BAD + (unsigned long long)sh.first;
    bi_notify_host(&a.words[blockIdx.x], any_tiny ? word | TINY : word);
}

/* Launches a block for each THREADS rows, up to BLOCKS. The words of the others are set here, so that the waiter needs
 * no row count. */
template <class T, int THREADS> static bosc_status launch_check(bosc_ctx *ctx, row_check a)
{
    a.rows_per_block = (uint32_t)bi_div_up(bi_div_up(a.n, BLOCKS), THREADS) * THREADS;
    const int blocks = a.n > THREADS ? (int)bi_div_up(a.n, a.rows_per_block) : 1;
    for (int b = 0; b < BLOCKS; b++) a.words[b] = b < blocks ? 0 : GOOD;
    auto kernel = bi_kdtree_find_beyond_rows<T, THREADS>;
    return bi_kdtree_cuda_drain_if_failed(ctx, BI_RUN(ctx, kernel, blocks, THREADS, 0, a));
}

/* Larger blocks keep more reads of many rows in flight. */
template <class T> static bosc_status launch_check_of(bosc_ctx *ctx, const row_check &a)
{
    return a.n > MANY_ROWS ? launch_check<T, 1024>(ctx, a) : launch_check<T, 256>(ctx, a);
}

bosc_status bi_kdtree_cuda_start_check(bosc_ctx *ctx, bosc_dtype dtype, int32_t dim, const struct bi_kdtree_rows *rows,
                                       double limit, uint32_t bad[BLOCKS])
{
    row_check a = {rows->data, limit,  bi_kdtree_least_ordinary(dtype), rows->stride, (uint32_t)rows->n, 0, dim,
                   bad,        nullptr};
    a.words = static_cast<unsigned long long *>(ctx->pinned);
    return dtype == BOSC_F32 ? launch_check_of<float>(ctx, a) : launch_check_of<double>(ctx, a);
}

bosc_status bi_kdtree_cuda_drain_if_failed(bosc_ctx *ctx, bosc_status status)
{
    if (status != BOSC_OK) (void)cudaStreamSynchronize((cudaStream_t)ctx->stream);
    return status;
}

bosc_status bi_kdtree_cuda_wait_check(bosc_ctx *ctx, struct bi_kdtree_findings *found)
{
    const unsigned long long *words = static_cast<const unsigned long long *>(ctx->pinned);
    *found = bi_kdtree_findings{INT64_MAX, 0};
    BI_TRY(bi_cuda_await(ctx, words, BLOCKS));
    for (int b = BLOCKS - 1; b >= 0; b--) {
        const unsigned long long word = words[b] & ~TINY;
        if (word != GOOD) found->beyond = (int64_t)(word - FIRST_BAD);
        if (words[b] & TINY) found->tiny = 1;
    }
    return BOSC_OK;
}
