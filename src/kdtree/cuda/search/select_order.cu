/* The order of nodes that searches walk. The levels of a tree split by each coordinate in turn. Where one of them has
 * little extent, such as the heights of a scanned ground, its levels mix distant points, whose leaves searches must
 * read. Results do not depend on the order of nodes. So after many queries such a tree is searched in another order of
 * its nodes: that by widest extent (extent_order.cuh), with an index of its own (extent_index.cuh).
 *
 * Nothing here waits for the device, but a build of sorted lists. The order is made on the stream of the search that
 * decides on it; searches on other streams wait for an event there. */
#include "core/call.h"
#include "kdtree/cuda/cuda.cuh"
#include "kdtree/cuda/search/extent_index.cuh"
#include "kdtree/handle.h"
#include "kdtree/shape.h"

enum {
    THREADS = 256,
    SAMPLES = 64, /* leaves from which paths to the root are sampled */
    NARROW = 4,   /* a split is narrow if the widest extent is more than this many times its own; others not measured */
    /* Narrow splits of all samples, from which on the order is faster: 2.5 a path. Counted for 2^20 and 2^22 points:
     * uniform 0, lattices 0, clusters 64 and 99, sphere 45 and 73, scan of a ground 274 and 307, plane 304 and 384. */
    NARROW_SPLITS = 5 * SAMPLES / 2,
    MIXING_SPLITS = SAMPLES, /* of these, between nodes that differ in all coordinates: the scan has 169, the plane 0 */
    /* Of a multiprocessor: nodes of the smallest tree that is sampled, so that the launch is a small part of a build;
     * not measured. */
    SAMPLED_NODES = 2048,
    /* Queries beyond the nodes of an uneven tree. H200, plane, 2^20 nodes and queries: the order takes .32 ms, and 1, 8
     * and 32 nearest gain .05, .23 and .93 ms. */
    UNEVEN_QUERIES = 1 << 21
};

/* --- Samples ------------------------------------------------------------------------------------------------------ */

bool bi_kdtree_cuda_samples_order(const bosc_ctx *ctx, const bosc_kdtree_opts *opts, int64_t n)
{
    return opts->dim >= 2 && opts->dim <= 4 && n >= SAMPLED_NODES * (int64_t)ctx->multiprocessors;
}

enum bi_kdtree_mixing bi_kdtree_cuda_mixing_of(const uint32_t narrow[2])
{
    if (narrow[0] + narrow[1] < NARROW_SPLITS) return BI_KDTREE_SEPARATES;
    return narrow[0] >= MIXING_SPLITS ? BI_KDTREE_MIXES : BI_KDTREE_UNEVEN;
}

/* Counts the narrow splits on the paths from some leaves to the root: a warp a split, whose extents are those of 32
 * nodes below it, relative to the first of them. It adds those of nodes that differ in all coordinates to narrow[0],
 * the others to narrow[1]: a coordinate that they share is not split. root: the root's coordinate. */
template <class T, int DIM>
static __global__ void __launch_bounds__(THREADS)
    bi_kdtree_count_narrow_splits(const bi_kdtree_array nodes, uint32_t n, int levels, int root, uint32_t *narrow)
{
    typedef typename bi_kdtree_distance_of<T>::type D;
    const uint32_t warp = (blockIdx.x * THREADS + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (warp >= SAMPLES * (uint32_t)levels) return;
    /* 1. Load nodes of the subtree, evenly spaced. */
    const int level = (int)(warp % (uint32_t)levels);
    const uint32_t sample = warp / (uint32_t)levels,
                   leaf = (uint32_t)((((uint64_t)2 * sample + 1) << levels) / (2 * SAMPLES));
    const bi_kdtree_range range = bi_kdtree_subtree(n, level, leaf >> (levels - level));
    const uint64_t begin = (uint64_t)range.begin, size = (uint64_t)range.end - begin;
    const bi_kdtree_node<T, DIM> first = bi_kdtree_node_reader<T, DIM>::load(nodes, (uint32_t)begin),
                                 own = bi_kdtree_node_reader<T, DIM>::load(nodes, (uint32_t)(begin + lane * size / 32));
    /* 2. Find the extents, and that of the split: of the first coordinate with extent, from the level's on. */
    float extent[DIM], widest = 0, least = INFINITY;
#pragma unroll
    for (int c = 0; c < DIM; c++) {
        const float x = (float)((D)own.x[c] - (D)first.x[c]);
        const uint32_t key = bi_key_u32_of_f32(x == x ? x : 0);
        extent[c] = bi_f32_of_key(bi_warp_max(key)) - bi_f32_of_key(bi_warp_min(key));
        widest = fmaxf(widest, extent[c]);
        least = fminf(least, extent[c]);
    }
    int axis = (level + root) % DIM;
    for (int i = 1; i < DIM && bi_kdtree_component<float, DIM>(extent, axis) == 0; i++)
        axis = bi_kdtree_next_coordinate<DIM>(axis);
    if (lane == 0 && NARROW * bi_kdtree_component<float, DIM>(extent, axis) < widest)
        atomicAdd(&narrow[least == 0], 1u);
}

template <class T> static bosc_status count_dim(bosc_ctx *ctx, const bosc_kdtree *tree, uint32_t *narrow)
{
    int levels = 0;
    while ((int64_t)BI_KDTREE_CUDA_LEAF << levels < tree->nodes) levels++;
    const unsigned blocks = (unsigned)bi_div_up((int64_t)SAMPLES * levels * 32, THREADS);
    const auto kernel = tree->opts.dim == 2   ? bi_kdtree_count_narrow_splits<T, 2>
                        : tree->opts.dim == 3 ? bi_kdtree_count_narrow_splits<T, 3>
                                              : bi_kdtree_count_narrow_splits<T, 4>;
    return BI_RUN(ctx, kernel, blocks, THREADS, 0, bi_kdtree_array_of(tree), (uint32_t)tree->nodes, levels,
                  (int)tree->first, narrow);
}

bosc_status bi_kdtree_cuda_count_narrow(bosc_ctx *ctx, const bosc_kdtree *tree, uint32_t *narrow)
{
    switch (tree->opts.dtype) {
    case BOSC_F32: return count_dim<float>(ctx, tree, narrow);
    case BOSC_F64: return count_dim<double>(ctx, tree, narrow);
    case BOSC_I32: return count_dim<int32_t>(ctx, tree, narrow);
    default: return count_dim<int64_t>(ctx, tree, narrow);
    }
}

/* --- The order ---------------------------------------------------------------------------------------------------- */

/* Node i of `to` = node positions[i] of `from`. A point has `words` words of type W. */
template <class W> struct reorder_args {
    const W *from;
    W *to;
    const uint32_t *from_ids, *positions;
    uint32_t *to_ids; /* NULL: points hold ids */
    int64_t n;
    int32_t words;
};

template <class W> static __global__ void __launch_bounds__(THREADS) bi_kdtree_reorder(const reorder_args<W> a)
{
    for (int64_t i = blockIdx.x * (int64_t)THREADS + threadIdx.x; i < a.n; i += (int64_t)gridDim.x * THREADS) {
        const size_t position = a.positions[i];
        for (int32_t w = 0; w < a.words; w++) a.to[i * a.words + w] = a.from[position * a.words + w];
        if (a.to_ids) a.to_ids[i] = a.from_ids[position];
    }
}

template <class W>
static bosc_status reorder_nodes(bosc_ctx *ctx, const bosc_kdtree *tree, const uint32_t *positions,
                                 const bosc_kdtree *order)
{
    const bosc_kdtree_view view = tree->ops->view(tree);
    const size_t bytes = (size_t)view.pitch * bosc_dtype_size(view.dtype);
    const reorder_args<W> a = {static_cast<const W *>(tree->points.data),
                               static_cast<W *>(order->points.data),
                               view.ids,
                               positions,
                               static_cast<uint32_t *>(order->ids.data),
                               tree->nodes,
                               (int32_t)(bytes / sizeof(W))};
    auto kernel = bi_kdtree_reorder<W>;
    return BI_RUN(ctx, kernel, bi_grid_size(ctx, a.n, THREADS), THREADS, 0, a);
}

/* Bytes of the blocks points, ids and index of the order of n nodes. */
static void find_block_bytes(const bi_kdtree_ops *ops, const bosc_kdtree_opts *opts, int64_t n, size_t bytes[3])
{
    ops->blocks(opts, n, bytes); /* bytes[2]: of the other index */
    bi_kdtree_extent_index_at(nullptr, opts, n, &bytes[2]);
}

/* Returns the scratch of the making of the order: positions, and the halving of segments. */
static size_t count_scratch(const bosc_kdtree_opts *opts, int64_t n)
{
    return (size_t)bi_round_up((uint64_t)n * sizeof(uint32_t), 256) + bi_kdtree_extent_order_bytes(n, opts->dim);
}

/* Queues the moves of the nodes to the blocks points and ids of `order`. */
static bosc_status fill_nodes(bosc_ctx *ctx, const bosc_kdtree *tree, const bosc_kdtree *order)
{
    const bosc_kdtree_view view = tree->ops->view(tree);
    const bi_kdtree_order_points points = {view.points, view.dtype, view.dim, (int32_t)view.pitch,
                                           (uint32_t)tree->nodes};
    const size_t row = (size_t)view.pitch * bosc_dtype_size(view.dtype);
    uint32_t *positions;
    void *scratch;
    BI_TRY(bi_scratch_of(ctx, tree->nodes, sizeof *positions, &positions));
    BI_TRY(bi_scratch(ctx, bi_kdtree_extent_order_bytes(tree->nodes, view.dim), &scratch));
    BI_TRY(bi_kdtree_order_by_extent(ctx, &points, positions, scratch));
    return row % 16 == 0  ? reorder_nodes<uint4>(ctx, tree, positions, order)
           : row % 8 == 0 ? reorder_nodes<uint2>(ctx, tree, positions, order)
                          : reorder_nodes<uint32_t>(ctx, tree, positions, order);
}

bosc_status bi_kdtree_cuda_order_nodes(bosc_ctx *ctx, const bosc_kdtree *tree, bosc_kdtree *order)
{
    BI_RETURN_WITH_SCRATCH(ctx, fill_nodes(ctx, tree, order));
}

/* Queues the making of the order in tree->order, whose blocks are large enough. */
static bosc_status fill_order(bosc_ctx *ctx, const bosc_kdtree *tree)
{
    const bosc_kdtree *order = tree->order;
    BI_TRY(fill_nodes(ctx, tree, order));
    BI_TRY(bi_kdtree_make_extent_index(ctx, order));
    return bi_cuda_check(ctx, cudaEventRecord((cudaEvent_t)order->made, (cudaStream_t)ctx->stream), "stream");
}

/* Makes the handle of the order, with its event. */
static bosc_status create_order(bosc_ctx *ctx, bosc_kdtree *tree)
{
    cudaEvent_t made;
    BI_TRY(bi_cuda_check(ctx, cudaEventCreateWithFlags(&made, cudaEventDisableTiming), "stream"));
    const bosc_status status = bi_kdtree_create_order(ctx, tree);
    if (status == BOSC_OK)
        tree->order->made = made;
    else
        (void)cudaEventDestroy(made);
    return status;
}

static bosc_status reserve_order(bosc_ctx *ctx, bosc_kdtree *tree, int64_t n)
{
    size_t bytes[3];
    find_block_bytes(tree->ops, &tree->opts, n, bytes);
    if (!tree->order) BI_TRY(create_order(ctx, tree));
    return bi_kdtree_reserve_order(ctx, tree, bytes);
}

bosc_status bi_kdtree_cuda_reserve_order(bosc_ctx *ctx, bosc_kdtree *tree, int64_t n)
{
    return bi_kdtree_cuda_samples_order(ctx, &tree->opts, n) ? reserve_order(ctx, tree, n) : BOSC_OK;
}

void bi_kdtree_cuda_order_bytes(const bosc_ctx *ctx, const bosc_kdtree_opts *opts, int64_t n, int64_t *kept,
                                int64_t *scratch)
{
    size_t bytes[3];
    *kept = *scratch = 0;
    if (!bi_kdtree_cuda_samples_order(ctx, opts, n)) return;
    find_block_bytes(ctx->ops->kdtree, opts, n, bytes);
    *kept = (int64_t)(bytes[0] + bytes[1] + bytes[2]);
    *scratch = (int64_t)count_scratch(opts, n);
}

void bi_kdtree_cuda_end_order(bosc_kdtree *order) { (void)cudaEventDestroy((cudaEvent_t)order->made); }

static bool may_make_order(const bosc_kdtree *tree)
{
    size_t bytes[3];
    find_block_bytes(tree->ops, &tree->opts, tree->nodes, bytes);
    return bi_kdtree_may_make_order(tree, bytes);
}

static bosc_status make_order(bosc_ctx *ctx, bosc_kdtree *tree)
{
    BI_TRY(reserve_order(ctx, tree, tree->nodes));
    bosc_kdtree *order = tree->order;
    order->n = order->nodes = tree->nodes;
    __atomic_store_n(&order->is_made, false, __ATOMIC_RELAXED);
    BI_TRY_WITH_SCRATCH(ctx, fill_order(ctx, tree));
    __atomic_store_n(&tree->query_cache.by_extent, order, __ATOMIC_RELEASE);
    return BOSC_OK;
}

/* Makes the order, in the first thread to arrive; other threads search the tree as it is. Without memory there is no
 * other order. */
static bosc_status decide_order(bosc_ctx *ctx, bosc_kdtree *tree)
{
    if (__atomic_exchange_n(&tree->query_cache.order_decided, true, __ATOMIC_RELAXED)) return BOSC_OK;
    if (!may_make_order(tree)) return BOSC_OK;
    const bosc_status status = make_order(ctx, tree);
    if (status == BOSC_ERR_NOMEM) {
        bi_log(ctx, BOSC_LOG_INFO, "k-d tree: no memory for another order of the nodes; searches are slower without");
        ctx->message[0] = 0;
        return BOSC_OK;
    }
    if (status != BOSC_OK) __atomic_store_n(&tree->query_cache.order_decided, false, __ATOMIC_RELAXED);
    return status;
}

/* Makes the context's stream wait for the order, unless it is known to be there. */
static bosc_status await_order(bosc_ctx *ctx, bosc_kdtree *order)
{
    if (__atomic_load_n(&order->is_made, __ATOMIC_RELAXED)) return BOSC_OK;
    const cudaEvent_t made = (cudaEvent_t)order->made;
    const cudaError_t state = cudaEventQuery(made);
    if (state == cudaSuccess) {
        __atomic_store_n(&order->is_made, true, __ATOMIC_RELAXED);
        return BOSC_OK;
    }
    if (state != cudaErrorNotReady) return bi_cuda_check(ctx, state, "stream");
    (void)cudaGetLastError(); /* it is no failure */
    return bi_cuda_check(ctx, cudaStreamWaitEvent((cudaStream_t)ctx->stream, made, 0), "stream");
}

/* Returns the queries since the build with which the order is made. A scan of a ground gains .8 ms for 1 nearest of
 * 2^20 nodes and queries, and more for others. */
static int64_t queries_before_order(const bosc_kdtree *tree)
{
    return tree->mixing == BI_KDTREE_UNEVEN ? tree->nodes + UNEVEN_QUERIES : tree->nodes;
}

/* A recorded call searches the tree: a replay may follow another build. */
bosc_status bi_kdtree_cuda_select_order(bosc_ctx *ctx, const bosc_kdtree *tree, int64_t m, int64_t k,
                                        const bosc_kdtree **searched)
{
    bosc_kdtree *own = const_cast<bosc_kdtree *>(tree);
    *searched = tree;
    if (tree->mixing < BI_KDTREE_MIXES || bi_kdtree_use_warps(ctx, k, m) || ctx->backend->records(ctx)) return BOSC_OK;
    if (!__atomic_load_n(&own->query_cache.order_decided, __ATOMIC_RELAXED) &&
        __atomic_add_fetch(&own->query_cache.query_count, m, __ATOMIC_RELAXED) >= queries_before_order(tree))
        BI_TRY(decide_order(ctx, own));
    bosc_kdtree *made = __atomic_load_n(&own->query_cache.by_extent, __ATOMIC_ACQUIRE);
    if (!made) return BOSC_OK;
    BI_TRY(await_order(ctx, made));
    *searched = made;
    return BOSC_OK;
}
