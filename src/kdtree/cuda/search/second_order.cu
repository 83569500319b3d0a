/* The second order of nodes. Levels of a coordinate that all nodes share split by the next one, so the others are split
 * unevenly: of a plane in three dimensions one coordinate is split twice as often, and leaves are long and narrow.
 * Results do not depend on the order of nodes. So after many queries a tree is searched in a second order of its nodes:
 * that of a tree of the coordinates with extent alone. */
#include <cstring>

#include "core/call.h"
#include "kdtree/cuda/cuda.cuh"
#include "kdtree/cuda/search/index.cuh"
#include "kdtree/handle.h"

/* The time to make the order equals the gain of about nodes + MIN_QUERIES queries. */
enum { MIN_QUERIES = 1 << 21, THREADS = 256 };

/* Row i = coordinates axes[0] to axes[used - 1] of node i. W: a word of the size of an element. */
template <class W> struct project_args {
    const W *nodes;
    W *rows;
    int64_t n;
    int32_t pitch, used, axes[4];
};

template <class W> static __global__ void __launch_bounds__(THREADS) bi_kdtree_project(const project_args<W> a)
{
    for (int64_t i = blockIdx.x * (int64_t)THREADS + threadIdx.x; i < a.n; i += (int64_t)gridDim.x * THREADS)
        for (int32_t c = 0; c < a.used; c++) a.rows[i * a.used + c] = a.nodes[i * a.pitch + a.axes[c]];
}

/* Node i of `to` = node positions[i * position_stride] of `from`. A point has `words` words of type W. */
template <class W> struct reorder_args {
    const W *from;
    W *to;
    const uint32_t *from_ids, *positions;
    uint32_t *to_ids; /* NULL: points hold ids */
    int64_t n;
    int32_t words, position_stride;
};

template <class W> static __global__ void __launch_bounds__(THREADS) bi_kdtree_reorder(const reorder_args<W> a)
{
    for (int64_t i = blockIdx.x * (int64_t)THREADS + threadIdx.x; i < a.n; i += (int64_t)gridDim.x * THREADS) {
        const size_t position = a.positions[i * a.position_stride];
        for (int32_t w = 0; w < a.words; w++) a.to[i * a.words + w] = a.from[position * a.words + w];
        if (a.to_ids) a.to_ids[i] = a.from_ids[position];
    }
}

/* Finds the coordinates in which nodes differ, in order. No node has -0, so equal numbers have equal bytes. */
static bosc_status find_axes(bosc_ctx *ctx, const bosc_kdtree *tree, struct bi_kdtree_turns *turns)
{
    const size_t size = bosc_dtype_size(tree->opts.dtype), lanes = tree->opts.dim == 3 ? 4 : tree->opts.dim;
    char box[64];
    BI_TRY(bi_read_back(ctx, box, bi_kdtree_cuda_index_of(tree).root, 2 * lanes * size));
    *turns = {};
    for (int32_t c = 0; c < tree->opts.dim; c++)
        if (memcmp(box + (size_t)c * size, box + (lanes + (size_t)c) * size, size) != 0)
            turns->axes[turns->length++] = c;
    return BOSC_OK;
}

template <class W>
static bosc_status project_nodes(bosc_ctx *ctx, const bosc_kdtree_view *view, const struct bi_kdtree_turns *turns,
                                 void *rows)
{
    project_args<W> a = {static_cast<const W *>(view->points),
                         static_cast<W *>(rows),
                         view->nodes,
                         (int32_t)view->pitch,
                         turns->length,
                         {}};
    for (int32_t c = 0; c < turns->length; c++) a.axes[c] = turns->axes[c];
    auto kernel = bi_kdtree_project<W>;
    return BI_RUN(ctx, kernel, bi_grid_size(ctx, a.n, THREADS), THREADS, 0, a);
}

template <class W>
static bosc_status reorder_nodes(bosc_ctx *ctx, const bosc_kdtree *from, const bosc_kdtree *order,
                                 const bosc_kdtree *to)
{
    const bosc_kdtree_view source = from->ops->view(from), positions = order->ops->view(order);
    const size_t bytes = (size_t)source.pitch * bosc_dtype_size(source.dtype);
    const reorder_args<W> a = {static_cast<const W *>(from->points.data),
                               static_cast<W *>(to->points.data),
                               source.ids,
                               positions.ids,
                               static_cast<uint32_t *>(to->ids.data),
                               from->nodes,
                               (int32_t)(bytes / sizeof(W)),
                               (int32_t)positions.id_stride};
    auto kernel = bi_kdtree_reorder<W>;
    return BI_RUN(ctx, kernel, bi_grid_size(ctx, a.n, THREADS), THREADS, 0, a);
}

/* Builds the tree of the projected nodes in scratch; its ids are positions in *tree. */
static bosc_status build_order(bosc_ctx *ctx, const bosc_kdtree *tree, const struct bi_kdtree_turns *turns,
                               bosc_kdtree *order, enum bi_kdtree_outcome *outcome)
{
    const size_t size = bosc_dtype_size(tree->opts.dtype);
    const bosc_kdtree_view view = tree->ops->view(tree);
    struct bi_kdtree_rows rows = {NULL, tree->nodes, turns->length};
    size_t bytes[3];
    void *projected;
    *order = {};
    order->ops = tree->ops;
    order->opts.dtype = tree->opts.dtype;
    order->opts.dim = turns->length;
    order->nodes = order->n = tree->nodes;
    tree->ops->blocks(&order->opts, order->nodes, bytes);
    BI_TRY(bi_scratch(ctx, (size_t)(rows.n * rows.stride) * size, &projected));
    BI_TRY(bi_scratch(ctx, bytes[0], &order->points.data));
    BI_TRY(bi_scratch(ctx, bytes[1], &order->ids.data));
    BI_TRY(size == 4 ? project_nodes<uint32_t>(ctx, &view, turns, projected)
                     : project_nodes<uint64_t>(ctx, &view, turns, projected));
    rows.data = projected;
    return tree->ops->build(ctx, order, &rows, outcome);
}

/* Fills *next with the nodes in the second order, and makes its index; unless sampling failed, as *outcome reports. */
static bosc_status fill_second_order(bosc_ctx *ctx, const bosc_kdtree *tree, bosc_kdtree *next,
                                     enum bi_kdtree_outcome *outcome)
{
    bosc_kdtree order;
    size_t bytes[3];
    BI_TRY(build_order(ctx, tree, &next->turns, &order, outcome));
    if (*outcome == BI_KDTREE_NEEDS_LISTS) return BOSC_OK;
    tree->ops->blocks(&next->opts, next->nodes, bytes);
    BI_TRY(bi_block_reserve(ctx, &next->memory, &next->points, bytes[0]));
    BI_TRY(bi_block_reserve(ctx, &next->memory, &next->ids, bytes[1]));
    BI_TRY(bi_block_reserve(ctx, &next->memory, &next->index, bytes[2]));
    const size_t row = (size_t)tree->ops->view(tree).pitch * bosc_dtype_size(tree->opts.dtype);
    BI_TRY(row % 16 == 0  ? reorder_nodes<uint4>(ctx, tree, &order, next)
           : row % 8 == 0 ? reorder_nodes<uint2>(ctx, tree, &order, next)
                          : reorder_nodes<uint32_t>(ctx, tree, &order, next));
    BI_TRY(tree->ops->make_index(ctx, next));
    return ctx->backend->sync(ctx); /* other streams search it */
}

static bosc_status make_second_order(bosc_ctx *ctx, bosc_kdtree *tree)
{
    struct bi_kdtree_turns turns;
    bosc_kdtree *next;
    enum bi_kdtree_outcome outcome = BI_KDTREE_NEEDS_LISTS;
    bosc_status status;
    BI_TRY(find_axes(ctx, tree, &turns));
    if (turns.length < 2 || turns.length == tree->opts.dim) return BOSC_OK;
    BI_TRY(bi_kdtree_new(ctx, &tree->opts, &next));
    next->memory = tree->memory;
    next->host = tree->host;
    next->n = next->nodes = tree->nodes;
    next->turns = turns;
    BI_WITH_SCRATCH(ctx, status = fill_second_order(ctx, tree, next, &outcome));
    if (status == BOSC_OK && outcome == BI_KDTREE_BUILT)
        __atomic_store_n(&tree->query_cache.by_extent, next, __ATOMIC_RELEASE);
    else
        bosc_kdtree_free(next);
    return status;
}

/* Makes the second order, in the first thread to arrive; other threads search the tree as it is. Without memory there
 * is no second order. */
static bosc_status decide_second_order(bosc_ctx *ctx, bosc_kdtree *tree)
{
    if (__atomic_exchange_n(&tree->query_cache.second_order_decided, true, __ATOMIC_RELAXED)) return BOSC_OK;
    const bosc_status status = make_second_order(ctx, tree);
    if (status == BOSC_ERR_NOMEM) {
        bi_log(ctx, BOSC_LOG_INFO, "k-d tree: no memory for a second order of the nodes; searches are slower without");
        ctx->message[0] = 0;
        return BOSC_OK;
    }
    if (status != BOSC_OK) __atomic_store_n(&tree->query_cache.second_order_decided, false, __ATOMIC_RELAXED);
    return status;
}

bosc_status bi_kdtree_cuda_select_order(bosc_ctx *ctx, const bosc_kdtree *tree, int64_t m, const bosc_kdtree **searched)
{
    bosc_kdtree *own = const_cast<bosc_kdtree *>(tree);
    *searched = tree;
    if (tree->opts.dim < 3 || !bi_kdtree_has_index(&tree->opts) || tree->reserved) return BOSC_OK;
    if (!__atomic_load_n(&own->query_cache.second_order_decided, __ATOMIC_RELAXED) &&
        __atomic_add_fetch(&own->query_cache.query_count, m, __ATOMIC_RELAXED) >= tree->nodes + MIN_QUERIES &&
        !ctx->backend->records(ctx)) /* a recorded call must not wait */
        BI_TRY(decide_second_order(ctx, own));
    const bosc_kdtree *made = __atomic_load_n(&own->query_cache.by_extent, __ATOMIC_ACQUIRE);
    if (made) *searched = made;
    return BOSC_OK;
}
