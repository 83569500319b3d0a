/* The operations of k-d trees on CUDA: the steps as kernels, and the faster fused operations. */
#define BI_STEP_ROOM kdtree

#include "core/call.h"
#include "kdtree/cuda/cuda.cuh"
#include "kdtree/cuda/search/extent_order.cuh"
#include "kdtree/cuda/search/filter.cuh"
#include "kdtree/cuda/search/nearest_other.cuh"
#include "kdtree/cuda/search/wide_boxes.cuh"
#include "core/cuda/steps.cuh"
#include "kdtree/steps/steps.h"

#define STEP_LIST "kdtree/steps/steps.def"
#define STEP_TABLE static constexpr bi_kdtree_steps plain_steps
#include "core/step_table.inc"

/* The step nearest_other_label, by a kernel for the dimension where there is one. */
static bosc_status search_other_label(bosc_ctx *ctx, int64_t n, const void *args)
{
    const bi_kdtree_nearest_other_label &search = *static_cast<const bi_kdtree_nearest_other_label *>(args);
    if (!bi_kdtree_cuda_supports_nearest_other(search)) return cuda_step_nearest_other_label(ctx, n, args);
    return bi_kdtree_cuda_nearest_other(ctx, search, n);
}

/* Pruning takes longer than the searches that it saves, as its few threads walk far: for a Euclidean tree of a million
 * points in 3-D 20 ms and 1 ms (scan lines), 12 and 2 (64 clusters); measured on an H200. Not measured in more
 * dimensions, nor with bounds of callers of bosc_kdtree_nearest_other. count_blocks and sum_queries would run few
 * threads too, so each node walks for itself; not measured. */
static constexpr bi_kdtree_steps replace_search(bi_kdtree_steps steps)
{
    steps.nearest_other_label = search_other_label;
    steps.prune = nullptr;
    steps.count_blocks = nullptr;
    steps.sum_queries = nullptr;
    return steps;
}

static constexpr bi_kdtree_steps cuda_steps = replace_search(plain_steps);

static void cuda_blocks(const bosc_kdtree_opts *opts, int64_t n, size_t bytes[3])
{
    if (bi_kdtree_keeps_vectors(opts)) {
        bytes[0] = (size_t)n * bi_kdtree_point_bytes(opts->dim);
        bytes[1] = (size_t)n * bi_kdtree_id_bytes(opts->dim);
    } else {
        bytes[0] = (size_t)n * (size_t)opts->dim * bosc_dtype_size(opts->dtype);
        bytes[1] = (size_t)n * 4;
    }
    bytes[2] = bi_kdtree_cuda_index_bytes(opts, n);
}

static bool cuda_needs_lists(const bosc_kdtree_opts *opts) { return !bi_kdtree_has_sampled_build(opts); }

static int64_t cuda_build_scratch(const bosc_ctx *ctx, const bosc_kdtree_opts *opts, int64_t n)
{
    (void)ctx;
    if (opts->builder == BOSC_KDTREE_BROWN) return bi_kdtree_cuda_partition_scratch(opts, n);
    return bi_kdtree_cuda_build_scratch(opts, n);
}

static bosc_kdtree_view cuda_view(const bosc_kdtree *tree)
{
    bool records = bi_kdtree_keeps_records(&tree->opts);
    bosc_kdtree_view view = {};
    view.points = tree->points.data;
    view.ids =
        records ? static_cast<const uint32_t *>(tree->points.data) + 3 : static_cast<const uint32_t *>(tree->ids.data);
    view.nodes = tree->nodes;
    view.dtype = tree->opts.dtype;
    view.dim = tree->opts.dim;
    view.first = tree->first;
    view.pitch = records ? 4 : tree->opts.dim;
    view.id_stride = records ? 4 : 1;
    return view;
}

static bosc_status write_none(bosc_ctx *ctx, int64_t *row)
{
    static const int64_t none = INT64_MAX;
    return ctx->backend->copy(ctx, row, &none, sizeof none);
}

static bosc_status cuda_find_beyond(bosc_ctx *ctx, bosc_dtype dtype, int32_t dim, const struct bi_kdtree_rows *rows,
                                    double limit, struct bi_kdtree_findings *found)
{
    static const bi_kdtree_findings none = {INT64_MAX, 0};
    void *memory;
    BI_TRY(bi_scratch(ctx, BI_KDTREE_CHECK_BLOCKS * sizeof(uint32_t), &memory));
    static_assert(sizeof none <= BI_KDTREE_CHECK_BLOCKS * sizeof(uint32_t), "one scratch serves both checks");
    if (rows->n <= BI_KDTREE_WAITED_ROWS) {
        BI_TRY(bi_kdtree_cuda_start_check(ctx, dtype, dim, rows, limit, static_cast<uint32_t *>(memory)));
        return bi_kdtree_cuda_wait_check(ctx, found);
    }
    struct bi_kdtree_find_beyond args = {
        *rows, dtype, dim, limit, bi_kdtree_least_ordinary(dtype), static_cast<bi_kdtree_findings *>(memory)};
    BI_TRY(ctx->backend->copy(ctx, args.found, &none, sizeof none));
    BI_TRY(cuda_step_find_beyond(ctx, rows->n, &args));
    return bi_read_back(ctx, found, memory, sizeof none);
}

/* *node = the smallest wrong node, by the plain steps. */
static bosc_status find_first_disorder(bosc_ctx *ctx, const bosc_kdtree *tree, int64_t *node)
{
    void *owners;
    BI_TRY(write_none(ctx, node));
    BI_TRY(bi_scratch(ctx, (size_t)tree->n * 4, &owners));
    struct bi_kdtree_check args = {cuda_view(tree), tree->n, static_cast<uint32_t *>(owners), node};
    BI_TRY(ctx->backend->fill(ctx, owners, 0xff, (size_t)tree->n * 4));
    BI_TRY(cuda_step_check_order(ctx, tree->nodes, &args));
    BI_TRY(cuda_step_own_ids(ctx, tree->nodes, &args));
    return cuda_step_check_ids(ctx, tree->nodes, &args);
}

static bosc_status verify_tree(bosc_ctx *ctx, const bosc_kdtree *tree, int64_t *node)
{
    int64_t wrong;
    BI_TRY(write_none(ctx, node));
    if (tree->nodes == 0) return BOSC_OK;
    if (!bi_kdtree_cuda_has_disorder_pass(&tree->opts)) return find_first_disorder(ctx, tree, node);
    BI_TRY(bi_kdtree_cuda_find_disorder(ctx, tree, node));
    BI_TRY(bi_read_back(ctx, &wrong, node, sizeof wrong));
    return wrong == INT64_MAX ? BOSC_OK : find_first_disorder(ctx, tree, node);
}

static bosc_status cuda_verify(bosc_ctx *ctx, const bosc_kdtree *tree, int64_t *node)
{
    BI_RETURN_WITH_SCRATCH(ctx, verify_tree(ctx, tree, node));
}

typedef bosc_status (*query_fn)(bosc_ctx *ctx, const bosc_kdtree *tree, const struct bi_kdtree_query *query);

static bosc_status run_with_scratch(bosc_ctx *ctx, const bosc_kdtree *tree, const struct bi_kdtree_query *query,
                                    query_fn run)
{
    BI_RETURN_WITH_SCRATCH(ctx, run(ctx, tree, query));
}

/* Searches by the index, in the order of nodes that bi_kdtree_cuda_select_order selects. k: 0 unless the search is for
 * the k nearest. */
static bosc_status search_by_index(bosc_ctx *ctx, const bosc_kdtree *tree, const struct bi_kdtree_query *query,
                                   int64_t k, query_fn run)
{
    const bosc_kdtree *ordered_tree;
    BI_TRY(bi_kdtree_cuda_select_order(ctx, tree, query->rows.n, k, &ordered_tree));
    return run_with_scratch(ctx, ordered_tree, query, run);
}

static bosc_status generic_knn(bosc_ctx *ctx, const bosc_kdtree *tree, const struct bi_kdtree_query *query)
{
    struct bi_kdtree_knn args = {};
    args.view = cuda_view(tree);
    args.queries = query->rows;
    args.k = query->k;
    args.limit = query->within ? query->r2 : (double)INFINITY;
    args.ids = query->ids;
    args.dist2 = query->dist2;
    args.wide_ids = tree->opts.id_bits == 64;
    if (!args.dist2) {
        size_t size = tree->opts.dtype == BOSC_F32 ? 4 : 8;
        BI_TRY(bi_scratch(ctx, (size_t)query->rows.n * (size_t)query->k * size, &args.dist2));
    }
    return cuda_step_knn(ctx, query->rows.n, &args);
}

static bool has_index(const bosc_kdtree *tree) { return bi_kdtree_has_index(&tree->opts) && tree->nodes > 0; }

/* True if searches for neighbours use an index or wide boxes. */
static bool has_indexed_search(const bosc_kdtree *tree)
{
    return has_index(tree) || (bi_kdtree_has_wide_boxes(&tree->opts) && tree->nodes > 0);
}

/* True if bi_kdtree_cuda_knn and bi_kdtree_cuda_knn_self search for the k nearest. */
static bool has_fast_knn(const bosc_kdtree *tree, int64_t k)
{
    return (has_indexed_search(tree) && k <= BI_KDTREE_MOST_NEAREST) || bi_kdtree_has_filter(tree, k);
}

static bosc_status cuda_knn(bosc_ctx *ctx, const bosc_kdtree *tree, const struct bi_kdtree_query *query)
{
    if (query->rows.n == 0) return BOSC_OK;
    if (has_fast_knn(tree, query->k)) return search_by_index(ctx, tree, query, query->k, bi_kdtree_cuda_knn);
    return run_with_scratch(ctx, tree, query, generic_knn);
}

/* True if cuda_knn itself checks the queries, beside the search. */
static bool cuda_checks_queries(const bosc_kdtree *tree, const struct bi_kdtree_query *query)
{
    const bosc_dtype dtype = tree->opts.dtype;
    return has_fast_knn(tree, query->k) && query->rows.n <= BI_KDTREE_CHECK_ROWS && !tree->opts.assume_valid &&
           (dtype == BOSC_F32 || dtype == BOSC_F64);
}

static size_t cuda_query_bytes(const bosc_ctx *ctx, const bosc_kdtree *tree, int64_t m, int64_t k)
{
    (void)ctx;
    if (bi_kdtree_has_filter(tree, k)) return bi_kdtree_filter_bytes(&tree->opts, tree->nodes, m, k);
    const size_t filter = bi_kdtree_may_filter(tree, m, k) ? bi_kdtree_filter_bytes(&tree->opts, tree->nodes, m, k) : 0;
    if (has_fast_knn(tree, k)) return bi_kdtree_cuda_search_bytes(&tree->opts, m) + filter;
    return (size_t)(m * k) * (tree->opts.dtype == BOSC_F32 ? 4 : 8);
}

static bool cuda_supports_self_knn(const bosc_kdtree *tree, int64_t k) { return has_fast_knn(tree, k); }

static bosc_status cuda_knn_self(bosc_ctx *ctx, const bosc_kdtree *tree, const struct bi_kdtree_query *query)
{
    return search_by_index(ctx, tree, query, query->k, bi_kdtree_cuda_knn_self);
}

static struct bi_kdtree_radius radius_args(const bosc_kdtree *tree, const struct bi_kdtree_query *query)
{
    struct bi_kdtree_radius args = {};
    args.view = cuda_view(tree);
    args.queries = query->rows;
    args.r2 = query->r2;
    args.counts = query->counts;
    args.offsets = query->offsets;
    args.ids = query->ids;
    args.dist2 = query->dist2;
    args.wide_ids = tree->opts.id_bits == 64;
    args.bad = query->bad;
    return args;
}

static bosc_status generic_radius_count(bosc_ctx *ctx, const bosc_kdtree *tree, const struct bi_kdtree_query *query)
{
    struct bi_kdtree_radius args = radius_args(tree, query);
    return cuda_step_radius_count(ctx, query->rows.n, &args);
}

static bosc_status generic_radius_fill(bosc_ctx *ctx, const bosc_kdtree *tree, const struct bi_kdtree_query *query)
{
    struct bi_kdtree_radius args = radius_args(tree, query);
    return cuda_step_radius_fill(ctx, query->rows.n, &args);
}

static bosc_status cuda_radius_count(bosc_ctx *ctx, const bosc_kdtree *tree, const struct bi_kdtree_query *query)
{
    if (has_indexed_search(tree)) return search_by_index(ctx, tree, query, 0, bi_kdtree_cuda_radius_count);
    return run_with_scratch(ctx, tree, query, generic_radius_count);
}

static bosc_status cuda_radius_fill(bosc_ctx *ctx, const bosc_kdtree *tree, const struct bi_kdtree_query *query)
{
    if (has_indexed_search(tree)) return search_by_index(ctx, tree, query, 0, bi_kdtree_cuda_radius_fill);
    return run_with_scratch(ctx, tree, query, generic_radius_fill);
}

static bool cuda_supports_boxes(const bosc_kdtree *tree) { return has_index(tree); }

static bosc_status cuda_box_count(bosc_ctx *ctx, const bosc_kdtree *tree, const struct bi_kdtree_query *query)
{
    return search_by_index(ctx, tree, query, 0, bi_kdtree_cuda_box_count);
}

static bosc_status cuda_box_fill(bosc_ctx *ctx, const bosc_kdtree *tree, const struct bi_kdtree_query *query)
{
    return search_by_index(ctx, tree, query, 0, bi_kdtree_cuda_box_fill);
}

static bosc_status cuda_build(bosc_ctx *ctx, bosc_kdtree *tree, const struct bi_kdtree_rows *rows,
                              enum bi_kdtree_outcome *outcome)
{
    *outcome = BI_KDTREE_NEEDS_LISTS;
    tree->first = 0;
    if (cuda_needs_lists(&tree->opts)) return BOSC_OK;
    tree->first = tree->next_first;
    BI_TRY(bi_kdtree_cuda_build(ctx, tree, rows, outcome));
    if (*outcome == BI_KDTREE_NEEDS_LISTS) tree->first = 0; /* lists begin with coordinate 0 */
    if (*outcome == BI_KDTREE_NEEDS_LISTS)
        bi_log(ctx, BOSC_LOG_INFO, "k-d tree: too many equal or clustered points for sampled pivots; sorting instead");
    return BOSC_OK;
}

extern "C" const struct bi_kdtree_ops bi_kdtree_ops_cuda = {
    &cuda_steps,
    cuda_blocks,
    cuda_build_scratch,
    cuda_find_beyond,
    cuda_view,
    nullptr, /* find_flat */
    cuda_needs_lists,
    cuda_build,
    bi_kdtree_cuda_partition_by_rank,
    bi_kdtree_cuda_remove_duplicates,
    bi_kdtree_cuda_partition_by_superkey,
    bi_kdtree_cuda_store,
    bi_kdtree_cuda_fetch,
    bi_kdtree_cuda_make_index,
    cuda_verify,
    cuda_knn,
    cuda_radius_count,
    cuda_radius_fill,
    false, /* searches_orders */
    false, /* searches_limits */
    false, /* searches_self */
    has_index,
    cuda_checks_queries,
    cuda_query_bytes,
    cuda_supports_self_knn,
    cuda_knn_self,
    cuda_supports_boxes,
    cuda_box_count,
    cuda_box_fill,
    bi_kdtree_cuda_order_bytes,
    bi_kdtree_cuda_reserve_order,
    bi_kdtree_cuda_end_order,
    bi_kdtree_cuda_order_nodes,
    BI_KDTREE_ORDER_MOST_DIM,
    BI_KDTREE_RUN,
    nullptr, /* steps of cuda_steps, or none */
    nullptr,
};
