/* Searches of trees with an index or wide boxes, or by the filter: for batches of queries, and for the nodes
 * themselves. */
#include "kdtree/cuda/search/extent_index.cuh"
#include "kdtree/cuda/search/filter.cuh"
#include "kdtree/cuda/search/wide_boxes.cuh"

/* Returns the number of queries of a batch. A query has 24 or 32 bytes of scratch: 2^24 of them have at most 512 MB.
 * More queries a batch would be nearer to each other in the order by leaf. */
static int64_t batch_size(int64_t m)
{
    const int64_t most = (int64_t)1 << 24;
    return m < most ? m : most;
}

static size_t row_bytes(const bosc_kdtree_opts *opts) { return (size_t)opts->dim * bosc_dtype_size(opts->dtype); }

/* Keys and numbers of queries before and after the sort (16 bytes a query), the sort's own scratch, at most as much
 * again, sorted rows, and two counts. Searches by wide boxes sort no queries: they list long rows alone. */
size_t bi_kdtree_cuda_search_bytes(const bosc_kdtree_opts *opts, int64_t m)
{
    if (bi_kdtree_has_wide_boxes(opts)) return (size_t)(batch_size(m) + 1) * sizeof(uint32_t) + 65536;
    return (size_t)batch_size(m) * (32 + row_bytes(opts)) + 65536;
}

/* Allocates the scratch of a search for m queries. `row`: bytes of each to sort; 0: they are not sorted, and only long
 * rows are listed. */
static bosc_status allocate_scratch(bosc_ctx *ctx, int64_t m, size_t row, bi_kdtree_cuda_search *a)
{
    void *scratch;
    if (row == 0) {
        BI_TRY(bi_scratch(ctx, (size_t)(m + 1) * sizeof(uint32_t), &scratch));
        a->long_rows = static_cast<uint32_t *>(scratch);
        return BOSC_OK;
    }
    BI_TRY(bi_scratch(ctx, (size_t)m * 16 + 8, &scratch));
    a->scratch = static_cast<uint32_t *>(scratch);
    return bi_scratch(ctx, (size_t)m * row, &a->sorted_rows);
}

template <class T> static bosc_status search_typed(bosc_ctx *ctx, const bi_kdtree_cuda_search &a)
{
    switch (a.dim) {
    case 1: return bi_kdtree_launch_dim<T, 1>(ctx, a);
    case 2: return bi_kdtree_launch_dim<T, 2>(ctx, a);
    case 3: return bi_kdtree_launch_dim<T, 3>(ctx, a);
    default: return bi_kdtree_launch_dim<T, 4>(ctx, a);
    }
}

static bool uses_filter(const bosc_kdtree *tree, const bi_kdtree_cuda_search &a)
{
    return a.kind == BI_KDTREE_FIND_NEAREST && bi_kdtree_has_filter(tree, a.k);
}

/* Searches by wide boxes, or, where the first of many queries open many of them, by the filter. */
static bosc_status search_boxes(bosc_ctx *ctx, const bosc_kdtree *tree, const bi_kdtree_cuda_search &a)
{
    bi_kdtree_choice choice = {};
    if (a.kind == BI_KDTREE_FIND_NEAREST && bi_kdtree_may_filter(tree, a.m, a.k)) {
        BI_TRY(bi_kdtree_choose(ctx, tree, a, &choice));
        BI_TRY(bi_kdtree_search_filtered(ctx, tree, a, choice));
    }
    return bi_kdtree_search_wide(ctx, tree, a, choice);
}

/* Searches nodes in the order by extent, of 2 to 4 dimensions. */
template <class T> static bosc_status search_extent(bosc_ctx *ctx, const bi_kdtree_cuda_search &a)
{
    switch (a.dim) {
    case 2: return bi_kdtree_launch_extent<T, 2>(ctx, a);
    case 3: return bi_kdtree_launch_extent<T, 3>(ctx, a);
    default: return bi_kdtree_launch_extent<T, 4>(ctx, a);
    }
}

template <class T>
static bosc_status search_order(bosc_ctx *ctx, const bosc_kdtree *tree, const bi_kdtree_cuda_search &a)
{
    return tree->by_extent ? search_extent<T>(ctx, a) : search_typed<T>(ctx, a);
}

static bosc_status search_batch(bosc_ctx *ctx, const bosc_kdtree *tree, const bi_kdtree_cuda_search &a)
{
    if (uses_filter(tree, a)) return bi_kdtree_search_filtered(ctx, tree, a, {});
    if (bi_kdtree_has_wide_boxes(&tree->opts)) return search_boxes(ctx, tree, a);
    switch (tree->opts.dtype) {
    case BOSC_F32: return search_order<float>(ctx, tree, a);
    case BOSC_F64: return search_order<double>(ctx, tree, a);
    case BOSC_I32: return search_order<int32_t>(ctx, tree, a);
    default: return search_order<int64_t>(ctx, tree, a);
    }
}

static bi_kdtree_cuda_search search_of(const bosc_kdtree *tree, const struct bi_kdtree_query *query,
                                       enum bi_kdtree_search_kind kind)
{
    bi_kdtree_cuda_search a = {};
    a.kind = kind;
    a.dim = tree->opts.dim;
    a.nodes = bi_kdtree_array_of(tree);
    if (tree->by_extent)
        a.extent_index = bi_kdtree_extent_index_of(tree);
    else if (bi_kdtree_has_index(&tree->opts))
        a.index = bi_kdtree_cuda_index_of(tree);
    a.n = (uint32_t)tree->nodes;
    a.stride = query->rows.stride;
    a.k = (int32_t)query->k;
    a.later = query->later;
    a.has_ties = tree->brackets != 0;
    a.limit = query->within ? query->r2 : (double)INFINITY;
    a.ids = query->ids;
    a.dist2 = query->dist2;
    a.wide = tree->opts.id_bits == 64;
    return a;
}

/* Searches batch by batch, each with its own part of the outputs. */
static bosc_status search_batches(bosc_ctx *ctx, const bosc_kdtree *tree, const struct bi_kdtree_query *query,
                                  enum bi_kdtree_search_kind kind, const uint32_t *bad_queries)
{
    const int64_t m = query->rows.n, batch = batch_size(m);
    const size_t size = bosc_dtype_size(tree->opts.dtype),
                 entries = kind == BI_KDTREE_FIND_NEAREST ? (size_t)query->k : 0;
    const size_t id_size = (size_t)tree->opts.id_bits / 8, dist2_size = tree->opts.dtype == BOSC_F32 ? 4 : 8;
    bi_kdtree_cuda_search a = search_of(tree, query, kind);
    const bool boxes = kind == BI_KDTREE_FIND_BOX_COUNT || kind == BI_KDTREE_FIND_BOX_ROWS;
    const size_t sorted_row = bi_kdtree_has_wide_boxes(&tree->opts) ? 0 : row_bytes(&tree->opts) * (boxes ? 2 : 1);
    if (!uses_filter(tree, a)) BI_TRY(allocate_scratch(ctx, batch, sorted_row, &a));
    a.bad_queries = bad_queries;
    for (int64_t first = 0; first < m; first += batch) {
        const size_t row = (size_t)first;
        a.m = (uint32_t)(m - first < batch ? m - first : batch);
        a.queries = static_cast<const char *>(query->rows.data) + row * (size_t)query->rows.stride * size;
        a.ids = static_cast<char *>(query->ids) + row * entries * id_size;
        if (query->dist2) a.dist2 = static_cast<char *>(query->dist2) + row * entries * dist2_size;
        if (query->counts) a.counts = query->counts + first;
        if (query->offsets) a.offsets = query->offsets + first;
        a.bad = query->bad;
        a.first = first;
        BI_TRY(search_batch(ctx, tree, a));
    }
    return BOSC_OK;
}

/* If query->found is set, the caller has not checked the queries: the check overlaps the search, which writes nothing
 * if it finds a bad row. */
bosc_status bi_kdtree_cuda_knn(bosc_ctx *ctx, const bosc_kdtree *tree, const struct bi_kdtree_query *query)
{
    void *memory;
    if (!query->found) return search_batches(ctx, tree, query, BI_KDTREE_FIND_NEAREST, nullptr);
    BI_TRY(bi_scratch(ctx, BI_KDTREE_CHECK_BLOCKS * sizeof(uint32_t), &memory));
    uint32_t *bad = static_cast<uint32_t *>(memory);
    BI_TRY(bi_kdtree_cuda_start_check(ctx, tree->opts.dtype, tree->opts.dim, &query->rows,
                                      bi_kdtree_largest_ordinary(tree->opts.dtype), bad));
    BI_TRY(bi_kdtree_cuda_drain_if_failed(ctx, search_batches(ctx, tree, query, BI_KDTREE_FIND_NEAREST, bad)));
    return bi_kdtree_cuda_wait_check(ctx, query->found);
}

bosc_status bi_kdtree_cuda_radius_count(bosc_ctx *ctx, const bosc_kdtree *tree, const struct bi_kdtree_query *query)
{
    return search_batches(ctx, tree, query, BI_KDTREE_FIND_COUNT, nullptr);
}

bosc_status bi_kdtree_cuda_radius_fill(bosc_ctx *ctx, const bosc_kdtree *tree, const struct bi_kdtree_query *query)
{
    return search_batches(ctx, tree, query, BI_KDTREE_FIND_ROWS, nullptr);
}

bosc_status bi_kdtree_cuda_box_count(bosc_ctx *ctx, const bosc_kdtree *tree, const struct bi_kdtree_query *query)
{
    return search_batches(ctx, tree, query, BI_KDTREE_FIND_BOX_COUNT, nullptr);
}

bosc_status bi_kdtree_cuda_box_fill(bosc_ctx *ctx, const bosc_kdtree *tree, const struct bi_kdtree_query *query)
{
    return search_batches(ctx, tree, query, BI_KDTREE_FIND_BOX_ROWS, nullptr);
}

/* Nodes are queries in their own order: neighbours in it are near each other, so no sort is needed, and copies of a
 * point are mostly in one chunk. More nodes than a batch are all searched: the scratch of distinct ones would exceed
 * what bi_kdtree_cuda_search_bytes reserves, and their entries 32 bits. The output row of a query is the node's id. */
bosc_status bi_kdtree_cuda_knn_self(bosc_ctx *ctx, const bosc_kdtree *tree, const struct bi_kdtree_query *query)
{
    bi_kdtree_cuda_search a = search_of(tree, query, BI_KDTREE_FIND_NEAREST);
    const bool records = bi_kdtree_keeps_records(&tree->opts);
    a.m = a.n;
    a.queries = a.nodes.points;
    a.stride = records ? 4 : a.dim;
    a.rows = records ? static_cast<const uint32_t *>(a.nodes.points) + 3 : a.nodes.ids;
    a.row_stride = records ? 4 : 1;
    if (a.has_ties && !bi_kdtree_has_wide_boxes(&tree->opts) && !uses_filter(tree, a) && a.m <= batch_size(a.m) &&
        a.m > BI_KDTREE_UNSORTED_QUERIES * (uint32_t)ctx->multiprocessors) {
        BI_TRY(allocate_scratch(ctx, a.m, row_bytes(&tree->opts), &a));
        a.distinct = bi_kdtree_distinct_counts(a);
    }
    return search_batch(ctx, tree, a);
}
