/* The order of nodes that the CPU's searches walk. The levels of a tree split by each coordinate in turn. Where one of
 * them has little extent, such as the heights of a scanned ground, its levels mix distant points, whose leaves searches
 * must read. Results do not depend on the order of nodes. So after many queries such a tree is searched in an order by
 * widest extent: each range of nodes is split by its widest coordinate. The order has the arrays and the index of a
 * tree. */
#include <math.h>
#include <string.h>

#include "base/bits.h"
#include "core/call.h"
#include "kdtree/cpu/cpu.h"
#include "kdtree/handle.h"

enum {
    SAMPLES = 32,        /* leaves to which paths from the root are sampled */
    NARROW = 4,          /* a split is narrow if the widest extent is more than this many times its own */
    ORDER_NODES = 1024,  /* nodes of the smallest tree that is sampled */
    ORDER_QUERIES = 2048 /* least queries before a sample: fewer do not repay an order of 1,024 nodes */
};

/* Narrow splits of a path, from which on the order is faster. Counted for 2^14, 2^17 and 2^20 points: uniform, lattice
 * and line 0, sphere at most .9, clusters 1.1, mixture 1.8, normal .3, 1.4, 2.5, plane 1.1, 2.9, 4.8, scan of a ground
 * 3.1, 4.6, 6.2. Xeon, 8 nearest: the order makes scans 2.4 times as fast, of 2^20 normal points 1.9, a plane 1.5.
 * Short paths: a share of their levels. Counted for 2^10 to 2^13 points: scan 1.25, 1.8, 2.4, 2.4 of 5 to 8 levels;
 * half equal .6, 1.1, 1.3, 1.5, which the order makes slower; others .7 at most. */
static const double NARROW_SPLITS = 2.5, NARROW_SHARE = 0.22;

static bool may_have_order(const bosc_kdtree_opts *opts, int64_t n)
{
    return opts->dim >= 2 && opts->dim <= BI_KDTREE_ORDER_DIM && n >= ORDER_NODES;
}

/* --- Samples ------------------------------------------------------------------------------------------------------ */

static double element(const void *data, int64_t at, bosc_dtype dtype)
{
    switch (dtype) {
    case BOSC_F32: return (double)((const float *)data)[at];
    case BOSC_F64: return ((const double *)data)[at];
    case BOSC_I32: return (double)((const int32_t *)data)[at];
    default: return (double)((const int64_t *)data)[at];
    }
}

/* Counts the narrow splits on the path to leaf number `leaf` of the index (layout: cpu.h). The box of all nodes, cut by
 * the sides on the path, bounds the extents. */
static int count_narrow_splits(const bosc_kdtree *tree, const struct bi_kdtree_cpu_index *index, int64_t leaf)
{
    const bosc_dtype dtype = tree->opts.dtype;
    double low[BI_KDTREE_ORDER_DIM], high[BI_KDTREE_ORDER_DIM];
    int narrow = 0;
    for (int c = 0; c < tree->opts.dim; c++) {
        low[c] = element(index->box, 2 * c, dtype);
        high[c] = element(index->box, 2 * c + 1, dtype);
    }
    for (int level = 0; level < index->levels; level++) {
        const int64_t node = ((int64_t)1 << level) - 1 + (leaf >> (index->levels - level)),
                      greater = leaf >> (index->levels - level - 1) & 1;
        const int axis = index->axes[node];
        double widest = 0;
        low[axis] = element(index->sides, 4 * node, dtype);
        high[axis] = element(index->sides, 4 * node + 3, dtype);
        for (int c = 0; c < tree->opts.dim; c++) widest = fmax(widest, high[c] - low[c]);
        narrow += NARROW * (high[axis] - low[axis]) < widest;
        low[axis] = element(index->sides, 4 * node + 2 * greater, dtype);
        high[axis] = element(index->sides, 4 * node + 2 * greater + 1, dtype);
    }
    return narrow;
}

/* True if levels of the tree mix distant points. */
static bool mixes(const bosc_kdtree *tree)
{
    const struct bi_kdtree_cpu_index index = bi_kdtree_cpu_get_index(tree);
    int narrow = 0;
    if (index.levels < tree->opts.dim) return false; /* the index has no box of some coordinate */
    for (int s = 0; s < SAMPLES; s++)
        narrow += count_narrow_splits(tree, &index, ((int64_t)(2 * s + 1) << index.levels) / (2 * SAMPLES));
    return narrow >= fmin(NARROW_SPLITS, NARROW_SHARE * index.levels) * SAMPLES;
}

/* --- The order ---------------------------------------------------------------------------------------------------- */

static bosc_status reserve_order(bosc_ctx *ctx, bosc_kdtree *tree, int64_t n)
{
    size_t bytes[3];
    tree->ops->blocks(&tree->opts, n, bytes);
    if (!tree->order) BI_TRY(bi_kdtree_create_order(ctx, tree));
    return bi_kdtree_reserve_order(ctx, tree, bytes);
}

bosc_status bi_kdtree_cpu_reserve_order(bosc_ctx *ctx, bosc_kdtree *tree, int64_t n)
{
    return may_have_order(&tree->opts, n) ? reserve_order(ctx, tree, n) : BOSC_OK;
}

/* Returns the scratch of making the order: that of the build, axes by position, and boxes of subtrees. */
static int64_t count_scratch(const bosc_ctx *ctx, const bosc_kdtree_opts *opts, int64_t n)
{
    bosc_kdtree_opts plain = *opts;
    plain.builder = BOSC_KDTREE_AUTO;
    return bi_kdtree_cpu_build_scratch(ctx, &plain, n) + n + ((2 * 8 * BI_KDTREE_ORDER_DIM) << BI_KDTREE_ORDER_STOP) +
           1024;
}

void bi_kdtree_cpu_order_bytes(const bosc_ctx *ctx, const bosc_kdtree_opts *opts, int64_t n, int64_t *kept,
                               int64_t *scratch)
{
    size_t bytes[3];
    *kept = *scratch = 0;
    if (!may_have_order(opts, n)) return;
    ctx->ops->kdtree->blocks(opts, n, bytes);
    *kept = (int64_t)(bytes[0] + bytes[1] + bytes[2]);
    *scratch = count_scratch(ctx, opts, n);
}

static bool may_make_order(const bosc_kdtree *tree)
{
    size_t bytes[3];
    tree->ops->blocks(&tree->opts, tree->nodes, bytes);
    return bi_kdtree_may_make_order(tree, bytes);
}

static bosc_status fill_nodes(bosc_ctx *ctx, const bosc_kdtree *tree, bosc_kdtree *order)
{
    const bosc_kdtree_view nodes = tree->ops->view(tree);
    uint8_t *split_axes;
    BI_TRY(bi_scratch(ctx, (size_t)nodes.nodes, (void **)&split_axes));
    return bi_kdtree_cpu_build_order(ctx, order, &nodes, tree->ops->view(order), split_axes);
}

bosc_status bi_kdtree_cpu_order_nodes(bosc_ctx *ctx, const bosc_kdtree *tree, bosc_kdtree *order)
{
    BI_RETURN_WITH_SCRATCH(ctx, fill_nodes(ctx, tree, order));
}

static bosc_status fill_order(bosc_ctx *ctx, const bosc_kdtree *tree, bosc_kdtree *order)
{
    const bosc_kdtree_view nodes = tree->ops->view(tree), view = tree->ops->view(order);
    uint8_t *split_axes;
    BI_TRY(bi_scratch(ctx, (size_t)nodes.nodes, (void **)&split_axes));
    BI_TRY(bi_kdtree_cpu_build_order(ctx, order, &nodes, view, split_axes));
    return bi_kdtree_cpu_make_order_index(ctx, order, &view, split_axes);
}

static bosc_status make_order(bosc_ctx *ctx, bosc_kdtree *tree)
{
    BI_TRY(reserve_order(ctx, tree, tree->nodes));
    tree->order->n = tree->n; /* more than nodes if duplicates are removed: ids are rows */
    tree->order->nodes = tree->nodes;
    BI_TRY_WITH_SCRATCH(ctx, fill_order(ctx, tree, tree->order));
    __atomic_store_n(&tree->query_cache.by_extent, tree->order, __ATOMIC_RELEASE);
    return BOSC_OK;
}

/* Makes the order of a tree that needs one, in the first thread to arrive; other threads search the tree as it is.
 * Without memory there is no other order. A shard (next_first is not 0) gets an order without a sample: its box is
 * longest in coordinate next_first, but builds on CPUs begin with coordinate 0, so nodes are no cubes. */
static bosc_status decide_order(bosc_ctx *ctx, bosc_kdtree *tree)
{
    if (__atomic_exchange_n(&tree->query_cache.order_decided, true, __ATOMIC_ACQUIRE)) return BOSC_OK;
    if (tree->mixing == BI_KDTREE_NOT_SAMPLED)
        tree->mixing = may_have_order(&tree->opts, tree->nodes) && (tree->next_first != 0 || mixes(tree))
                           ? BI_KDTREE_MIXES
                           : BI_KDTREE_SEPARATES;
    if (tree->mixing != BI_KDTREE_MIXES || !may_make_order(tree)) return BOSC_OK;
    const bosc_status status = make_order(ctx, tree);
    if (status == BOSC_ERR_NOMEM) {
        bi_log(ctx, BOSC_LOG_INFO, "k-d tree: no memory for another order of the nodes; searches are slower without");
        ctx->message[0] = 0;
        return BOSC_OK;
    }
    if (status != BOSC_OK) __atomic_store_n(&tree->query_cache.order_decided, false, __ATOMIC_RELEASE);
    return status;
}

/* Decides after as many queries as nodes, and ORDER_QUERIES, of all calls since the build. */
bosc_status bi_kdtree_cpu_select_order(bosc_ctx *ctx, const bosc_kdtree *tree, int64_t query_count,
                                       const bosc_kdtree **searched)
{
    bosc_kdtree *own = (bosc_kdtree *)tree;
    *searched = tree;
    if (tree->nodes <= BI_KDTREE_CPU_LEAF) return BOSC_OK;
    const int64_t least = tree->nodes < ORDER_QUERIES ? ORDER_QUERIES : tree->nodes;
    if (!__atomic_load_n(&own->query_cache.order_decided, __ATOMIC_RELAXED) &&
        __atomic_add_fetch(&own->query_cache.query_count, query_count, __ATOMIC_RELAXED) >= least)
        BI_TRY(decide_order(ctx, own));
    const bosc_kdtree *made = __atomic_load_n(&own->query_cache.by_extent, __ATOMIC_ACQUIRE);
    if (made) *searched = made;
    return BOSC_OK;
}
