/* The searches of trees that have an index: of batches of queries, and of the nodes themselves. */
#include "kdtree/cuda/search/query_kernels.cuh"

/* Batches keep numbers of queries in 32 bits and scratch small. */
static int64_t batch_size(int64_t m)
{
    const int64_t most = (int64_t)1 << 24;
    return m < most ? m : most;
}

static size_t row_bytes(const bosc_kdtree_opts *opts)
{
    return (size_t)opts->dim * bi_kdtree_element_size(opts->dtype);
}

/* Keys and numbers of queries before and after they are sorted, as much again for the sort at most, and sorted rows. */
size_t bi_kdtree_cuda_search_bytes(const bosc_kdtree_opts *opts, int64_t m)
{
    return (size_t)batch_size(m) * (32 + row_bytes(opts)) + 65536;
}

/* Scratch of a search for m queries, whose rows have so many bytes. */
static bosc_status take_scratch(bosc_ctx *ctx, int64_t m, size_t row, bi_kdtree_cuda_search *a)
{
    void *scratch;
    BI_TRY(bi_scratch(ctx, (size_t)m * 16, &scratch));
    a->scratch = static_cast<uint32_t *>(scratch);
    return bi_scratch(ctx, (size_t)m * row, &a->sorted_rows);
}

static bosc_status search_batch(bosc_ctx *ctx, const bosc_kdtree *tree, const bi_kdtree_cuda_search &a)
{
    switch (tree->opts.dtype) {
    case BOSC_F32: return bi_kdtree_cuda_search_f32(ctx, a);
    case BOSC_F64: return bi_kdtree_cuda_search_f64(ctx, a);
    case BOSC_I32: return bi_kdtree_cuda_search_i32(ctx, a);
    default: return bi_kdtree_cuda_search_i64(ctx, a);
    }
}

static bi_kdtree_cuda_search search_of(const bosc_kdtree *tree, const struct bi_kdtree_query *query,
                                       enum bi_kdtree_search_kind what)
{
    bi_kdtree_cuda_search a = {};
    a.what = what;
    a.dim = tree->opts.dim;
    a.nodes = bi_kdtree_array_of(tree);
    a.index = bi_kdtree_cuda_index_of(tree);
    a.n = (uint32_t)tree->nodes;
    a.stride = query->rows.stride;
    a.k = (int32_t)query->k;
    a.limit = query->within ? query->r2 : (double)INFINITY;
    a.ids = query->ids;
    a.dist2 = query->dist2;
    a.wide = tree->opts.id_bits == 64;
    return a;
}

static bosc_status search(bosc_ctx *ctx, const bosc_kdtree *tree, const struct bi_kdtree_query *query,
                          enum bi_kdtree_search_kind what, const uint32_t *bad_queries)
{
    const int64_t m = query->rows.n, batch = batch_size(m);
    const size_t size = bi_kdtree_element_size(tree->opts.dtype),
                 entries = what == BI_KDTREE_FIND_NEAREST ? (size_t)query->k : 0;
    const size_t id_size = (size_t)tree->opts.id_bits / 8, dist2_size = tree->opts.dtype == BOSC_F32 ? 4 : 8;
    bi_kdtree_cuda_search a = search_of(tree, query, what);
    const bool boxes = what == BI_KDTREE_FIND_BOX_COUNT || what == BI_KDTREE_FIND_BOX_ROWS;
    BI_TRY(take_scratch(ctx, batch, row_bytes(&tree->opts) * (boxes ? 2 : 1), &a));
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

/* Who gives query->nan has not looked for a NaN: that is done beside the search, which writes nothing if one is
 * found. */
bosc_status bi_kdtree_cuda_knn(bosc_ctx *ctx, const bosc_kdtree *tree, const struct bi_kdtree_query *query)
{
    void *memory;
    if (!query->nan) return search(ctx, tree, query, BI_KDTREE_FIND_NEAREST, nullptr);
    BI_TRY(bi_scratch(ctx, BI_KDTREE_LOOK_BLOCKS * sizeof(uint32_t), &memory));
    uint32_t *bad = static_cast<uint32_t *>(memory);
    BI_TRY(bi_kdtree_cuda_begin_look(ctx, tree->opts.dtype, tree->opts.dim, &query->rows, bad));
    BI_TRY(bi_kdtree_cuda_leave_look(ctx, search(ctx, tree, query, BI_KDTREE_FIND_NEAREST, bad)));
    return bi_kdtree_cuda_end_look(ctx, query->nan);
}

bosc_status bi_kdtree_cuda_radius_count(bosc_ctx *ctx, const bosc_kdtree *tree, const struct bi_kdtree_query *query)
{
    return search(ctx, tree, query, BI_KDTREE_FIND_COUNT, nullptr);
}

bosc_status bi_kdtree_cuda_radius_fill(bosc_ctx *ctx, const bosc_kdtree *tree, const struct bi_kdtree_query *query)
{
    return search(ctx, tree, query, BI_KDTREE_FIND_ROWS, nullptr);
}

bosc_status bi_kdtree_cuda_box_count(bosc_ctx *ctx, const bosc_kdtree *tree, const struct bi_kdtree_query *query)
{
    return search(ctx, tree, query, BI_KDTREE_FIND_BOX_COUNT, nullptr);
}

bosc_status bi_kdtree_cuda_box_fill(bosc_ctx *ctx, const bosc_kdtree *tree, const struct bi_kdtree_query *query)
{
    return search(ctx, tree, query, BI_KDTREE_FIND_BOX_ROWS, nullptr);
}

/* Nodes are queries as they lie: neighbours among them are near each other, so they need no sort. The row of a query is
 * the id of the node. */
bosc_status bi_kdtree_cuda_knn_self(bosc_ctx *ctx, const bosc_kdtree *tree, const struct bi_kdtree_query *query)
{
    bi_kdtree_cuda_search a = search_of(tree, query, BI_KDTREE_FIND_NEAREST);
    const bool records = bi_kdtree_keeps_records(&tree->opts);
    a.m = a.n;
    a.queries = a.nodes.points;
    a.stride = records ? 4 : a.dim;
    a.rows = records ? static_cast<const uint32_t *>(a.nodes.points) + 3 : a.nodes.ids;
    a.row_stride = records ? 4 : 1;
    return search_batch(ctx, tree, a);
}
